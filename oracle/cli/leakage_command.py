"""`tploracle leakage`: BPL, FPL and TPL over time, or the worst of them after so many releases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import click

from ..contract.limits import check_leakage, check_tight
from ..contract.tight_schedules import matrices_of
from ..data.adversaries import losses_of
from ..data.files import Files
from ..output.progress import Advance, patience
from ..output.sheets import Cell, Output, Sheet, odds_note
from ..reference import (
    Adversary,
    InvalidRequest,
    Level,
    PopulationLeakage,
    maximum,
    population_leakage,
    tight_leakage,
)
from ..wire.strict_json import Object
from ..wire.values import KINDS
from .options import (
    Correlations,
    Releases,
    correlation_options,
    files_and_output,
    plot_option,
    reference_option,
    release_options,
    whole_numbers,
)
from .patient import or_bounds

_TIMES_SHOWN = 4

LeakageOf = Callable[[Sequence[Level], Mapping[str, Adversary]], PopulationLeakage[str]]
"""The leakage of releases with these budgets to each of several adversaries."""

TIGHT = (
    "BPL, FPL and TPL: exact, attained by some mechanism with these budgets and exceeded by none; for FPL of those "
    "that do not depend on earlier outputs."
)


@click.command("leakage")
@correlation_options()
@release_options()
@click.option("--at", metavar="TIMES", help="Only these times, as in 1,5,10.")
@click.option("--after", metavar="COUNTS", help="Instead of times: the worst leakage after so many releases.")
@click.option("--tight", is_flag=True, help="The exact worst case over all mechanisms, beside the paper's bounds.")
@plot_option
@reference_option
@files_and_output(has_levels=True)
def leakage_command(
    *,
    correlations: Correlations,
    releases: Releases,
    at: str | None,
    after: str | None,
    tight: bool,
    plot: str | None,
    literal: bool,
    files: Files,
    output: Output,
) -> None:
    """Print the leakage of a stream of releases to an adversary who knows the correlations.

    Several files for a role are a set of candidates: as many backward as forward ones are pairs, otherwise each is
    combined with each. What is printed is then the maximum, and who attains it.

    The paper's numbers are upper bounds. With --tight the leakage of the worst mechanism with these budgets is printed
    too: some mechanism attains it, and none exceeds it.
    """
    digits = output.digits
    if at and after:
        raise InvalidRequest("--at and --after exclude each other")
    counts = whole_numbers(after, "--after")
    budgets = releases.budgets(files, usual_steps=max(counts, default=None))
    times = whole_numbers(at, "--at") or list(range(1, len(budgets) + 1))
    for option, numbers in (("--at", times), ("--after", counts)):
        if numbers and max(numbers) > len(budgets):
            raise InvalidRequest(f"{option}: {max(numbers)} is beyond the {len(budgets)} releases")
    adversaries = correlations.adversaries(files, literal)
    check_leakage(budgets, losses_of(adversaries), digits, len(adversaries))
    leakages: list[LeakageOf] = [population_leakage]
    if tight:
        leakages.append(partial(_tight, literal=literal))
    with patience("leakage") as progress:
        if counts:
            value, sheet = _worst(budgets, adversaries, counts, output, leakages=leakages, progress=progress)
        else:
            value, sheet = _over_time(population_leakage(budgets, adversaries), times, output, bool(at), progress)
            if tight:
                with or_bounds(output, [value], sheet):
                    value, sheet = _beside(_tight(budgets, adversaries, literal), value, sheet, times, output)
    output.write([value], sheet)
    if plot:
        from ..output.plots import leakage_picture

        curves: dict[str, list[Level]] = {}
        for leakage_of, name in zip(leakages, ("", ", exact"), strict=False):
            full = leakage_of(budgets, adversaries)
            curves |= {f"{kind.upper()}{name}": _levels(full, kind) for kind in KINDS}
        leakage_picture(plot, {_title(budgets): curves})


def _levels(found: PopulationLeakage[str], kind: str) -> list[Level]:
    return [best.level for best in getattr(found, kind)]


def _title(budgets: Sequence[Level]) -> str:
    first = budgets[0]
    equal = all(budget is first for budget in budgets)
    text = f", budget {first.exact_text}" if equal and first.exact_text else ""
    return f"{len(budgets)} release{'s' if len(budgets) > 1 else ''}{text}"


def _over_time(
    found: PopulationLeakage[str], times: Sequence[int], output: Output, chosen: bool, progress: Advance
) -> tuple[Object, Sheet]:
    """Return the leakage at the given times; whose it is where there are several adversaries."""
    several = len(found.each) > 1
    columns: dict[str, list[Object]] = {kind: [] for kind in KINDS}
    rows: list[list[Cell]] = []
    for number, time in enumerate(times, 1):
        row: list[Cell] = [time]
        names: list[Cell] = []
        for kind in KINDS:
            best = getattr(found, kind)[time - 1]
            level = output.level(best.level)
            row.append(level)
            names.append(", ".join(best.attained_by))
            columns[kind].append({**level, "attained_by": list(best.attained_by)} if several else level)
        rows.append([*row, *names] if several else row)
        progress(number, len(times))
    value: Object = {"times": list(times), **columns} if chosen else dict(columns)
    headings = ["time", *(kind.upper() for kind in KINDS)]
    if several:
        headings += [f"{kind.upper()} attained by" for kind in KINDS]
    notes = (output.numerals, odds_note(_highest([found.tpl[time - 1].level for time in times])))
    return value, Sheet(f"Leakage over time: {len(found.tpl)} releases", tuple(headings), rows, notes)


def _highest(levels: Sequence[Level]) -> Level:
    """Return a greatest level, as far as enclosures tell."""
    return max(levels, key=lambda level: level.enclosure(17).upper)


def _tight(budgets: Sequence[Level], adversaries: Mapping[str, Adversary], literal: bool) -> PopulationLeakage[str]:
    """Return the leakage of the worst mechanism, to each adversary and to the worst one at each time."""
    from ..solvers.agreeing import agreeing_maximum
    from ..solvers.tight_pairs import fast_tight_leakage

    check_tight(len(budgets), max((loss.matrix.n for loss in losses_of(adversaries)), default=1))
    known = {name: matrices_of(adversary) for name, adversary in adversaries.items()}
    found = {own: (tight_leakage if literal else fast_tight_leakage)(budgets, *own) for own in set(known.values())}
    maxima = [
        tuple(
            agreeing_maximum({name: getattr(found[own], kind)[time] for name, own in known.items()})
            for time in range(len(budgets))
        )
        for kind in KINDS
    ]
    return PopulationLeakage({name: found[own] for name, own in known.items()}, *maxima)


def _beside(
    exact: PopulationLeakage[str], bounds: Object, sheet: Sheet, times: Sequence[int], output: Output
) -> tuple[Object, Sheet]:
    """Return the exact worst case at the given times, and the paper's bounds beside it."""
    columns, own = _over_time(exact, times, output, False, lambda _done, _total: None)
    rows = [[*row, *bound[1 : 1 + len(KINDS)]] for row, bound in zip(own.rows, sheet.rows, strict=True)]
    headings = (*own.columns, *(f"{kind.upper()}, paper's bound" for kind in KINDS))
    title = f"Leakage of the worst mechanism over time: {len(exact.tpl)} releases"
    return {**columns, "bounds": bounds}, Sheet(title, headings, rows, (*own.notes, TIGHT))


def _worst(
    budgets: Sequence[Level],
    adversaries: Mapping[str, Adversary],
    counts: Sequence[int],
    output: Output,
    *,
    leakages: Sequence[LeakageOf],
    progress: Advance,
) -> tuple[Object, Sheet]:
    """Return the greatest leakage over all times after each number of releases, and the times where it is.

    Args: leakages, the paper's, and the exact worst case where it is asked for.
    """
    several = len(adversaries) > 1
    answers: list[Object] = []
    rows: list[list[Cell]] = []
    highest: list[Level] = []
    for number, count in enumerate(counts, 1):
        answer: Object = {"releases": count}
        row: list[Cell] = [count]
        for place, leakage_of in enumerate(leakages):
            found = leakage_of(budgets[:count], adversaries)
            worst = {kind: _worst_time(found, kind, output, exactly=place > 0) for kind in KINDS}
            answer |= {"exact": worst} if place else worst
            for value in worst.values():
                row += [value, _times(value["times"]), *([", ".join(value["attained_by"])] if several else [])]
        highest.append(_highest(_levels(found, "tpl")))
        answers.append(answer)
        rows.append(row)
        progress(number, len(counts))
    headings = ["releases"]
    for name in ("", ", exact")[: len(leakages)]:
        for kind in KINDS:
            headings += [f"worst {kind.upper()}{name}", f"{kind.upper()} time{name}"]
            headings += [f"{kind.upper()} attained by{name}"] if several else []
    notes = (output.numerals, odds_note(_highest(highest)), *((TIGHT,) if len(leakages) > 1 else ()))
    return {"after": answers}, Sheet("Worst leakage over all times", tuple(headings), rows, notes)


def _worst_time(found: PopulationLeakage[str], kind: str, output: Output, exactly: bool) -> dict[str, Any]:
    """Return the greatest leakage of a kind over all times, the times, and whose it is where there are several."""
    from ..solvers.agreeing import agreeing_maximum

    worst = (agreeing_maximum if exactly else maximum)(dict(enumerate(_levels(found, kind), 1)))
    value: dict[str, Any] = {**output.level(worst.level), "times": list(worst.attained_by)}
    if len(found.each) > 1:
        value["attained_by"] = list(getattr(found, kind)[worst.attained_by[0] - 1].attained_by)
    return value


def _times(times: Sequence[int]) -> str:
    """Write the first times; all of them where they are the first to the last."""
    if len(times) > _TIMES_SHOWN and times[-1] - times[0] == len(times) - 1:
        return f"{times[0]} to {times[-1]}"
    shown = " ".join(map(str, times[:_TIMES_SHOWN]))
    return shown if len(times) <= _TIMES_SHOWN else f"{shown} …"
