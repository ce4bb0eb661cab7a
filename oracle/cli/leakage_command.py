"""`tploracle leakage`: BPL, FPL and TPL over time, or the worst of them after so many releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from ..contract.limits import check_leakage
from ..data.adversaries import losses_of
from ..data.files import Files
from ..output.progress import Advance, patience
from ..output.sheets import BRACKETS, Cell, Output, Sheet
from ..reference import Adversary, InvalidRequest, Level, PopulationLeakage, maximum, population_leakage
from ..wire.strict_json import Object
from ..wire.values import KINDS, level_value
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

_TIMES_SHOWN = 4


@click.command("leakage")
@correlation_options()
@release_options()
@click.option("--at", metavar="TIMES", help="Only these times, as in 1,5,10.")
@click.option("--after", metavar="COUNTS", help="Instead of times: the worst leakage after so many releases.")
@plot_option
@reference_option
@files_and_output()
def leakage_command(
    *,
    correlations: Correlations,
    releases: Releases,
    at: str | None,
    after: str | None,
    plot: str | None,
    literal: bool,
    files: Files,
    output: Output,
) -> None:
    """Print the leakage of a stream of releases to an adversary who knows the correlations.

    Several files for a role are a set of candidates: as many backward as forward ones are pairs, otherwise each is
    combined with each. What is printed is then the maximum, and who attains it.
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
    with patience("leakage") as progress:
        if counts:
            value, sheet = _worst(budgets, adversaries, counts, digits, progress)
        else:
            found = population_leakage(budgets, adversaries)
            value, sheet = _over_time(found, times, digits, bool(at), progress)
    if plot:
        from ..output.plots import leakage_picture

        full = population_leakage(budgets, adversaries)
        leakage_picture(plot, {_title(budgets): {kind.upper(): _levels(full, kind) for kind in KINDS}})
    output.write([value], sheet)


def _levels(found: PopulationLeakage[str], kind: str) -> list[Level]:
    return [best.level for best in getattr(found, kind)]


def _title(budgets: Sequence[Level]) -> str:
    first = budgets[0]
    equal = all(budget is first for budget in budgets)
    text = f", budget {first.exact_text}" if equal and first.exact_text else ""
    return f"{len(budgets)} release{'s' if len(budgets) > 1 else ''}{text}"


def _over_time(
    found: PopulationLeakage[str], times: Sequence[int], digits: int, chosen: bool, progress: Advance
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
            level = level_value(best.level, digits)
            row.append(level)
            names.append(", ".join(best.attained_by))
            columns[kind].append({**level, "attained_by": list(best.attained_by)} if several else level)
        rows.append([*row, *names] if several else row)
        progress(number, len(times))
    value: Object = {"times": list(times), **columns} if chosen else dict(columns)
    headings = ["time", *(kind.upper() for kind in KINDS)]
    if several:
        headings += [f"{kind.upper()} attained by" for kind in KINDS]
    return value, Sheet(f"Leakage over time: {len(found.tpl)} releases", tuple(headings), rows, (BRACKETS,))


def _worst(
    budgets: Sequence[Level],
    adversaries: Mapping[str, Adversary],
    counts: Sequence[int],
    digits: int,
    progress: Advance,
) -> tuple[Object, Sheet]:
    """Return the greatest leakage over all times after each number of releases, and the times where it is."""
    several = len(adversaries) > 1
    answers: list[Object] = []
    rows: list[list[Cell]] = []
    for number, count in enumerate(counts, 1):
        found = population_leakage(budgets[:count], adversaries)
        answer: Object = {"releases": count}
        row: list[Cell] = [count]
        for kind in KINDS:
            worst = maximum(dict(enumerate(_levels(found, kind), 1)))
            level = level_value(worst.level, digits)
            answer[kind] = {**level, "times": list(worst.attained_by)}
            row += [level, _times(worst.attained_by)]
            if several:
                names = list(getattr(found, kind)[worst.attained_by[0] - 1].attained_by)
                answer[kind] = {**level, "times": list(worst.attained_by), "attained_by": names}
                row.append(", ".join(names))
        answers.append(answer)
        rows.append(row)
        progress(number, len(counts))
    headings = ["releases"]
    for kind in KINDS:
        headings += [f"worst {kind.upper()}", f"{kind.upper()} time"]
        headings += [f"{kind.upper()} attained by"] if several else []
    return {"after": answers}, Sheet("Worst leakage over all times", tuple(headings), rows, (BRACKETS,))


def _times(times: Sequence[int]) -> str:
    """Write the first times; all of them where they are the first to the last."""
    if len(times) > _TIMES_SHOWN and times[-1] - times[0] == len(times) - 1:
        return f"{times[0]} to {times[-1]}"
    shown = " ".join(map(str, times[:_TIMES_SHOWN]))
    return shown if len(times) <= _TIMES_SHOWN else f"{shown} …"
