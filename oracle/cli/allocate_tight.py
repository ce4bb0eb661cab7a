"""`allocate --tight`: budgets by the exact worst case, and the paper's beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from ..contract.limits import check_tight
from ..contract.tight_schedules import (
    EXACT_CONSTANT,
    EXACT_LEAST_NOISE,
    MOST_COMPARED_EXACTLY,
    distinct_matrices,
    matrices_of,
    tight_constant,
    tight_least_noise,
    tight_suprema,
    tight_tpl,
)
from ..contract.verified_schedules import (
    COMPARED_DIGITS,
    CONSTANT,
    FINITE_METHODS,
    LEAST_NOISE,
    MOST_FITTED,
    UPPER_BOUND,
    AllocationTarget,
    compared_schedules,
    distinct,
    fitted,
    suprema,
)
from ..data.adversaries import losses_of
from ..output.sheets import BRACKETS, Cell, Output, Sheet
from ..reference import ZERO, Adversary, InfeasibleBudget, Level, leakage
from ..solvers.tight_doubles import Matrices
from ..wire.strict_json import Object, as_object
from ..wire.values import KINDS
from .schedule_tables import (
    SAFE_BUDGETS,
    as_doubles,
    budget_entry,
    comparison,
    comparison_sheet,
    greatest_value,
    own_budgets,
    personalised_sheet,
)

_KEPT = "Exact worst case: the TPL of the worst mechanisms with these budgets; none exceeds it, and α is kept."


def tight_allocation(
    alpha: Level,
    adversaries: Mapping[str, Adversary],
    method: str,
    horizon: int | None,
    output: Output,
) -> tuple[Object, list[Sheet], dict[str, Sequence[Level]]]:
    """Return the answer, its tables and what is to be drawn.

    Args: as the command has them. Raises: as `tight_constant`.
    """
    digits = output.digits
    states = max((loss.matrix.n for loss in losses_of(adversaries)), default=1)
    check_tight(horizon or 1, states)
    known, kinds = distinct_matrices(adversaries), distinct(adversaries)

    def kept(whose: Sequence[Matrices]) -> tuple[Level, ...]:
        if method == LEAST_NOISE and horizon is not None:
            return tight_least_noise(alpha, whose, horizon, digits, [by_paper] if whose == known else ())
        return (tight_constant(alpha, whose, None if method == UPPER_BOUND else horizon, digits),) * (horizon or 1)

    by_paper = _by_paper(alpha, adversaries, method, horizon)
    greatest = kept(known)
    spent = as_doubles(greatest) if output.doubles else greatest
    entries = [budget_entry(budget, output) for budget in greatest]
    value: Object = {"epsilons": entries}
    curves: dict[str, Sequence[Level]] = {}
    bounds_value: Object = {"epsilon": budget_entry(by_paper[0], output)}
    if method == LEAST_NOISE:
        bounds_value = {"epsilons": [budget_entry(budget, output) for budget in by_paper]}
    notes = (BRACKETS, *((SAFE_BUDGETS,) if output.doubles else ()), _KEPT, _beside(bounds_value))
    columns = ("exact worst case", "paper's bound")
    if horizon is None:
        exact = tight_suprema(spent[0], known, alpha)
        bounds: list[tuple[Level, ...]] = [suprema(spent[0], each) for each in kinds]
        values = [[greatest_value(levels, digits) for levels in zip(*own, strict=True)] for own in (exact, bounds)]
        value["suprema"] = dict(zip(KINDS, values[0], strict=True))
        value["bounds"] = bounds_value | {"suprema": dict(zip(KINDS, values[1], strict=True))}
        cells: list[Cell] = [level for own in values for level in own]
        headings = ("budget", *(f"{kind.upper()}, {column}" for column in columns for kind in KINDS))
        title = "The budget of every release, however many, by the exact worst case; and what leakage stays below"
        sheets = [Sheet(title, headings, [[entries[0], *cells]], notes)]
    else:
        exact, bounds = tight_tpl(spent, known, alpha), [leakage(spent, each).tpl for each in kinds]
        values = [[greatest_value(levels, digits) for levels in zip(*own, strict=True)] for own in (exact, bounds)]
        value |= {"tpl": values[0], "bounds": bounds_value | {"tpl": values[1]}}
        rows: list[list[Cell]] = [[time, *own] for time, own in enumerate(zip(entries, *values, strict=True), 1)]
        title = f"Budgets of {horizon} release{'s' if horizon > 1 else ''} by the exact worst case"
        sheets = [Sheet(title, ("time", "budget", *(f"TPL, {column}" for column in columns)), rows, notes)]
        curves["budget"] = spent
        for column, each in zip(columns, (exact, bounds), strict=True):
            curves[f"TPL, {column}"] = [max(own, key=_upper) for own in zip(*each, strict=True)]
    if len(adversaries) > 1:
        own = {each: own_budgets(method, kept([each]), output) for each in known}
        value["personalised"] = {name: own[matrices_of(each)] for name, each in adversaries.items()}
        sheets.append(personalised_sheet(value["personalised"]))
    if horizon is not None and 1 < horizon <= MOST_FITTED and not alpha.is_infinite:
        schedules = compared_schedules(alpha, kinds, horizon)
        constant = (
            greatest if method == CONSTANT else (tight_constant(alpha, known, horizon, COMPARED_DIGITS),) * horizon
        )
        schedules[EXACT_CONSTANT] = constant
        if method == LEAST_NOISE:
            schedules[EXACT_LEAST_NOISE] = greatest
        elif horizon <= MOST_COMPARED_EXACTLY:
            others = [schedules[LEAST_NOISE]]
            schedules[EXACT_LEAST_NOISE] = tight_least_noise(alpha, known, horizon, COMPARED_DIGITS, others)
        compared = comparison(schedules, min(digits, COMPARED_DIGITS))
        value["comparison"] = compared
        sheets.append(comparison_sheet(compared, horizon))
    return value, sheets, curves


def _upper(level: Level) -> Decimal:
    return level.enclosure(17).upper


def _by_paper(
    alpha: Level, adversaries: Mapping[str, Adversary], method: str, horizon: int | None
) -> tuple[Level, ...]:
    """Return the budgets that the recursion admits; 0 where there is none for ever."""
    try:
        if method in FINITE_METHODS and horizon is not None:
            return fitted(alpha, distinct(adversaries), method, horizon)
        return (AllocationTarget(alpha, UPPER_BOUND, horizon).budgets_for(adversaries)[0].middle,)
    except InfeasibleBudget:
        return (ZERO,)


def _beside(bounds: Object) -> str:
    if "epsilon" in bounds:
        return f"By the paper's bound the greatest budget is {as_object(bounds['epsilon'], 'epsilon')['lower']}."
    return "What the schedule costs by the paper's bound stands in the table of what it costs."
