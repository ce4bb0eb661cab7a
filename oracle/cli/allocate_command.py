"""`tploracle allocate`: budgets that keep TPL at a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import click

from ..contract.limits import check_schedule
from ..contract.verified_schedules import (
    ALLOCATION_METHODS,
    QUANTIFIED,
    UPPER_BOUND,
    AllocationTarget,
    distinct,
    verified,
    verified_for_ever,
)
from ..data.files import Files
from ..output.progress import patience
from ..output.sheets import BRACKETS, Cell, Output, Sheet
from ..reference import (
    Adversary,
    Budgets,
    InfeasibleBudget,
    InvalidRequest,
    Level,
)
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from ..wire.values import KINDS, decimal_text, level_value
from .options import Correlations, correlation_options, files_and_output, plot_option, reference_option

_SAFE = "Each double is at most the exact budget, and TPL is that of the doubles."


@click.command("allocate")
@click.option("--alpha", metavar="LEVEL", required=True, help="The level that TPL must not exceed.")
@correlation_options()
@click.option(
    "--method", type=click.Choice(ALLOCATION_METHODS), required=True, help="One budget for ever, or a fitted schedule."
)
@click.option("--horizon", type=int, metavar="T", help="How many releases; quantified needs it.")
@click.option("--float", "rounded", is_flag=True, help="Budgets as doubles, rounded down: the promise still holds.")
@plot_option
@reference_option
@files_and_output()
def allocate_command(
    *,
    alpha: str,
    correlations: Correlations,
    method: str,
    horizon: int | None,
    rounded: bool,
    plot: str | None,
    literal: bool,
    files: Files,
    output: Output,
) -> None:
    """Print budgets that keep TPL at most α, verified by the leakage that they make.

    upper-bound (Algorithm 7) has one budget, for however long; quantified (Algorithm 8) a schedule for T releases,
    whose TPL is α at every time. For several users or candidates the schedule holds for all; each one's own budgets
    are printed beside it.
    """
    digits = output.digits
    target = AllocationTarget(Reader().level(alpha, "--alpha"), method, horizon)
    if plot and horizon is None:
        raise InvalidRequest("--plot needs --horizon")
    adversaries = correlations.adversaries(files, literal)
    check_schedule(horizon or 1, digits, len(adversaries))
    with patience("budgets"):
        common, own = target.budgets_for(adversaries)
        schedule = target.schedule(common)
        spent = _doubles(schedule) if rounded else schedule
        several = len(adversaries) > 1
        kinds = distinct(adversaries)
        if several:
            for each in distinct_budgets(adversaries, own):
                verified(target.schedule(each[1]), [each[0]], target.alpha, method == QUANTIFIED)
        entries = [_entry(level, digits, rounded) for level in schedule]
        value: Object = {"epsilons": entries}
        if horizon is None:
            suprema = verified_for_ever(spent[0], kinds, target.alpha)
            value["suprema"] = {
                kind: _greatest([found[place] for found in suprema], digits) for place, kind in enumerate(KINDS)
            }
            sheet = _for_ever(value, rounded)
        else:
            tpl = verified(spent, kinds, target.alpha, method == QUANTIFIED and not rounded and not several)
            value["tpl"] = [_greatest(levels, digits) for levels in zip(*tpl, strict=True)]
            sheet = _over_time(entries, value["tpl"], rounded)
        sheets = [sheet]
        if several:
            value["personalised"] = {name: _own(target, found, digits, rounded) for name, found in own.items()}
            sheets.append(_personalised(value["personalised"], rounded))
    if plot:
        from ..output.plots import leakage_picture

        tallest = [max(levels, key=lambda level: level.enclosure(17).upper) for levels in zip(*tpl, strict=True)]
        leakage_picture(plot, {f"{method}, α = {alpha}": {"budget": spent, "TPL": tallest}})
    output.write([value], *sheets)


def distinct_budgets(
    adversaries: Mapping[str, Adversary], own: Mapping[str, Budgets]
) -> list[tuple[Adversary, Budgets]]:
    """Return each kind of adversary once, with its budgets."""
    return list({adversaries[name].coefficients: (adversaries[name], own[name]) for name in adversaries}.values())


def _doubles(schedule: Sequence[Level]) -> tuple[Level, ...]:
    return tuple(_double(level) for level in schedule)


def _double(level: Level) -> Level:
    below = level.double_below()
    if below == 0:
        raise InfeasibleBudget("a budget is smaller than every positive double: --float cannot express it")
    return level if level.is_infinite else Level.of(Fraction(below))


def _entry(level: Level, digits: int, rounded: bool) -> Object:
    value = level_value(level, digits)
    if rounded:
        below = level.double_below()
        value |= {"double": repr(below), "hex": "inf" if level.is_infinite else below.hex()}
    return value


def _greatest(levels: Sequence[Level], digits: int) -> Object:
    """Enclose the greatest of several levels, without deciding which one it is: they may all equal α."""
    if len(levels) == 1:
        return level_value(levels[0], digits)
    enclosures = [level.enclosure(digits) for level in levels]
    lower, upper = (max(getattr(found, end) for found in enclosures) for end in ("lower", "upper"))
    exact = {level.exact_text for level in levels}
    return {
        "exact": exact.pop() if len(exact) == 1 else None,
        "lower": decimal_text(lower),
        "upper": decimal_text(upper),
    }


def _cells(entry: Object, rounded: bool) -> list[Cell]:
    return [entry, str(entry["double"]), str(entry["hex"])] if rounded else [entry]


def _headings(name: str, rounded: bool) -> list[str]:
    return [name, f"{name} as double", f"{name} in hex"] if rounded else [name]


def _for_ever(value: Object, rounded: bool) -> Sheet:
    entries, suprema = value["epsilons"], value["suprema"]
    assert isinstance(entries, list)
    assert isinstance(suprema, dict)
    headings = [*_headings("budget", rounded), *(f"{kind.upper()} stays below" for kind in KINDS)]
    row: list[Cell] = [*_cells(entries[0], rounded), *(suprema[kind] for kind in KINDS)]
    notes = (BRACKETS, _SAFE) if rounded else (BRACKETS,)
    return Sheet("The budget of every release, however many", tuple(headings), [row], notes)


def _over_time(entries: Sequence[Object], tpl: object, rounded: bool) -> Sheet:
    assert isinstance(tpl, list)
    rows: list[list[Cell]] = [
        [time, *_cells(entry, rounded), level] for time, (entry, level) in enumerate(zip(entries, tpl, strict=True), 1)
    ]
    notes = (BRACKETS, _SAFE) if rounded else (BRACKETS,)
    title = f"Budgets of {len(rows)} release{'s' if len(rows) > 1 else ''}"
    return Sheet(title, ("time", *_headings("budget", rounded), "TPL"), rows, notes)


def _own(target: AllocationTarget, found: Budgets, digits: int, rounded: bool) -> Object:
    """Return one user's own budgets: the one of all times, or those of the first, the middle and the last ones."""
    if target.method == UPPER_BOUND:
        return {"all": _entry(found.middle, digits, rounded)}
    places = {"first": found.first, "middle": found.middle, "last": found.last}
    if target.horizon == 1:
        places = {"all": target.alpha}
    elif target.horizon == 2:
        del places["middle"]
    return {place: _entry(level, digits, rounded) for place, level in places.items()}


def _personalised(own: object, rounded: bool) -> Sheet:
    assert isinstance(own, dict)
    places = list(next(iter(own.values())))
    rows: list[list[Cell]] = []
    for name, entries in own.items():
        rows.append([name, *(cell for place in places for cell in _cells(entries[place], rounded))])
    headings = [heading for place in places for heading in _headings(place, rounded)]
    return Sheet("Each one's own budgets", ("name", *headings), rows)
