"""`tploracle allocate`: budgets that keep TPL at a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import click

from ..contract.limits import check_schedule
from ..contract.verified_schedules import (
    ALLOCATION_METHODS,
    COMPARED_DIGITS,
    CONSTANT,
    FINITE_METHODS,
    GROUP,
    MOST_FITTED,
    QUANTIFIED,
    UPPER_BOUND,
    AllocationTarget,
    compared_schedules,
    distinct,
    fitted,
    verified,
    verified_for_ever,
)
from ..data.files import Files
from ..output.progress import patience
from ..output.sheets import BRACKETS, Cell, Output, Sheet
from ..reference import COUNT_SENSITIVITY, Adversary, Budgets, InfeasibleBudget, InvalidRequest, Level, mean_noise
from ..wire.numerals import Reader
from ..wire.strict_json import Object, as_object
from ..wire.values import KINDS, decimal_text, level_value
from .options import Correlations, correlation_options, files_and_output, plot_option, reference_option

_SAFE = "Each double is at most the exact budget, and TPL is that of the doubles."


@click.command("allocate")
@click.option("--alpha", metavar="LEVEL", required=True, help="The level that TPL must not exceed.")
@correlation_options()
@click.option(
    "--method",
    type=click.Choice([*ALLOCATION_METHODS, *FINITE_METHODS]),
    required=True,
    help="One budget for ever, or a schedule for T releases.",
)
@click.option("--horizon", type=int, metavar="T", help="How many releases; all methods but upper-bound need it.")
@plot_option
@reference_option
@files_and_output(has_levels=True)
def allocate_command(
    *,
    alpha: str,
    correlations: Correlations,
    method: str,
    horizon: int | None,
    plot: str | None,
    literal: bool,
    files: Files,
    output: Output,
) -> None:
    """Print budgets that keep TPL at most α, verified by the leakage that they make.

    upper-bound (Algorithm 7) has one budget, for however long; quantified (Algorithm 8) a schedule for T releases,
    whose TPL is α at every time; constant the greatest budget that each of T releases may have; least-noise the
    schedule for T releases with the least mean noise that is known. What each of them costs is printed beside α/T.
    For several users or candidates the schedule holds for all; each one's own budgets are printed beside it.
    """
    digits, rounded = output.digits, output.doubles
    level = Reader().level(alpha, "--alpha")
    if plot and horizon is None:
        raise InvalidRequest("--plot needs --horizon")
    if method in FINITE_METHODS and horizon is None:
        raise InvalidRequest(f"the method {method} needs a horizon: how many releases there will be")
    target = AllocationTarget(level, QUANTIFIED if method in FINITE_METHODS else method, horizon)
    adversaries = correlations.adversaries(files, literal)
    check_schedule(horizon or 1, digits, len(adversaries))
    kinds, several = distinct(adversaries), len(adversaries) > 1
    with patience("budgets"):
        if method in FINITE_METHODS:
            assert horizon is not None, "checked above"
            schedule = fitted(level, kinds, method, horizon)
            of_kind = {each.coefficients: fitted(level, [each], method, horizon) for each in kinds if several}
            own = {name: of_kind[each.coefficients] for name, each in adversaries.items() if several}
        else:
            common, personal = _budgets(target, adversaries)
            schedule = target.schedule(common)
            own = {name: target.schedule(found) for name, found in personal.items() if several}
            for name in {adversaries[name].coefficients: name for name in own}.values():
                verified(own[name], [adversaries[name]], level, method == QUANTIFIED)
        spent = _doubles(schedule) if rounded else schedule
        entries = [_entry(budget, output) for budget in schedule]
        value: Object = {"epsilons": entries}
        if horizon is None:
            suprema = verified_for_ever(spent[0], kinds, level)
            value["suprema"] = {
                kind: _greatest([found[place] for found in suprema], digits) for place, kind in enumerate(KINDS)
            }
            sheets = [_for_ever(value, rounded)]
        else:
            tpl = verified(spent, kinds, level, method == QUANTIFIED and not rounded and not several)
            value["tpl"] = [_greatest(levels, digits) for levels in zip(*tpl, strict=True)]
            sheets = [_over_time(entries, value["tpl"], rounded)]
        if several:
            value["personalised"] = {name: _own(method, found, output) for name, found in own.items()}
            sheets.append(_personalised(value["personalised"]))
        if horizon is not None and 1 < horizon <= MOST_FITTED and not level.is_infinite:
            compared = _comparison(compared_schedules(level, kinds, horizon), min(digits, COMPARED_DIGITS))
            value["comparison"] = compared
            sheets.append(_compared(compared, horizon))
    output.write([value], *sheets)
    if plot:
        from ..output.plots import leakage_picture

        tallest = [max(levels, key=lambda level: level.enclosure(17).upper) for levels in zip(*tpl, strict=True)]
        leakage_picture(plot, {f"{method}, α = {alpha}": {"budget": spent, "TPL": tallest}})


def _budgets(target: AllocationTarget, adversaries: Mapping[str, Adversary]) -> tuple[Budgets, dict[str, Budgets]]:
    """Return the budgets by Algorithm 7 or 8. Raises: as `AllocationTarget.budgets_for`, with what may be done."""
    try:
        return target.budgets_for(adversaries)
    except InfeasibleBudget as error:
        if target.alpha.is_zero:
            raise
        raise InfeasibleBudget(f"{error}; for T releases there are --method {' and '.join(FINITE_METHODS)}") from None


def _doubles(schedule: Sequence[Level]) -> tuple[Level, ...]:
    return tuple(_double(level) for level in schedule)


def _double(level: Level) -> Level:
    below = level.double_below()
    if below == 0:
        raise InfeasibleBudget("a budget is smaller than every positive double: --float cannot express it")
    return level if level.is_infinite else Level.of(Fraction(below))


def _entry(level: Level, output: Output) -> Object:
    return output.level(level.to_spend())


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


def _for_ever(value: Object, rounded: bool) -> Sheet:
    entries, suprema = value["epsilons"], value["suprema"]
    assert isinstance(entries, list)
    assert isinstance(suprema, dict)
    headings = ["budget", *(f"{kind.upper()} stays below" for kind in KINDS)]
    row: list[Cell] = [entries[0], *(suprema[kind] for kind in KINDS)]
    notes = (BRACKETS, _SAFE) if rounded else (BRACKETS,)
    return Sheet("The budget of every release, however many", tuple(headings), [row], notes)


def _over_time(entries: Sequence[Object], tpl: object, rounded: bool) -> Sheet:
    assert isinstance(tpl, list)
    rows: list[list[Cell]] = [
        [time, entry, level] for time, (entry, level) in enumerate(zip(entries, tpl, strict=True), 1)
    ]
    notes = (BRACKETS, _SAFE) if rounded else (BRACKETS,)
    title = f"Budgets of {len(rows)} release{'s' if len(rows) > 1 else ''}"
    return Sheet(title, ("time", "budget", "TPL"), rows, notes)


def _places(schedule: Sequence[Level]) -> dict[str, Level]:
    return {"first": schedule[0], "middle": schedule[len(schedule) // 2], "last": schedule[-1]}


def _own(method: str, schedule: Sequence[Level], output: Output) -> Object:
    """Return one user's own budgets: the one of all times, or those of the first, the middle and the last ones."""
    places = _places(schedule)
    if method in (UPPER_BOUND, CONSTANT) or len(schedule) == 1:
        places = {"all": schedule[0]}
    elif len(schedule) == 2:
        del places["middle"]
    return {place: _entry(level, output) for place, level in places.items()}


def _personalised(own: object) -> Sheet:
    assert isinstance(own, dict)
    places = list(next(iter(own.values())))
    rows: list[list[Cell]] = []
    for name, entries in own.items():
        rows.append([name, *(entries[place] for place in places)])
    return Sheet("Each one's own budgets", ("name", *places), rows)


def _comparison(compared: Mapping[str, Sequence[Level]], digits: int) -> list[Object]:
    """Return what each schedule costs: its budgets, and its mean noise, also beside that of α/T."""
    noise = {name: mean_noise(schedule, COUNT_SENSITIVITY, digits) for name, schedule in compared.items()}
    least = min(reversed(noise), key=lambda name: noise[name].upper)
    return [
        {
            "schedule": name,
            **{place: level_value(budget, digits) for place, budget in _places(schedule).items()},
            "noise": {"exact": None, "lower": str(noise[name].lower), "upper": str(noise[name].upper)},
            "noise_beside_group": f"{noise[name].upper / noise[GROUP].upper:.4f}",
            "is_least": name == least,
        }
        for name, schedule in compared.items()
    ]


def _compared(rows: Sequence[Object], horizon: int) -> Sheet:
    cells: list[list[Cell]] = [
        [
            str(row["schedule"]),
            *(as_object(row[key], key) for key in ("first", "middle", "last", "noise")),
            f"{row['noise_beside_group']}{' (least)' if row['is_least'] else ''}",
        ]
        for row in rows
    ]
    columns = ("schedule", "first", "middle", "last", "mean noise", f"beside {GROUP}")
    notes = (
        f"Each keeps TPL at most α over {horizon} releases; {GROUP} whatever is correlated; upper-bound for ever.",
        "Mean noise: of Laplace's mechanism on counts per place, Δ = 2.",
    )
    return Sheet(f"What {horizon} releases may spend, and what it costs", columns, cells, notes)
