"""`allocate --tight`: the greatest constant budget by the exact worst case, and the paper's beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from ..contract.limits import check_tight
from ..contract.tight_schedules import (
    EXACT_CONSTANT,
    distinct_matrices,
    matrices_of,
    tight_constant,
    tight_suprema,
    tight_tpl,
)
from ..contract.verified_schedules import (
    COMPARED_DIGITS,
    CONSTANT,
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
from ..wire.strict_json import Object
from ..wire.values import KINDS
from .schedule_tables import (
    SAFE_BUDGETS,
    as_doubles,
    budget_entry,
    comparison,
    comparison_sheet,
    greatest_value,
    personalised_sheet,
)

_KEPT = "Exact worst case: the TPL of the worst mechanisms with this budget; none exceeds it, and α is kept."


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
    kept_for = None if method == UPPER_BOUND else horizon
    greatest = tight_constant(alpha, known, kept_for, digits)
    (spent,) = as_doubles([greatest]) if output.doubles else (greatest,)
    entry = budget_entry(greatest, output)
    value: Object = {"epsilons": [entry] * (horizon or 1)}
    curves: dict[str, Sequence[Level]] = {}
    by_paper = budget_entry(_by_paper(alpha, adversaries, method, horizon), output)
    notes = (
        BRACKETS,
        *((SAFE_BUDGETS,) if output.doubles else ()),
        _KEPT,
        f"By the paper's bound the greatest budget is {by_paper['lower']}.",
    )
    columns = ("exact worst case", "paper's bound")
    if horizon is None:
        exact = tight_suprema(spent, known, alpha)
        bounds: list[tuple[Level, ...]] = [suprema(spent, each) for each in kinds]
        values = [[greatest_value(levels, digits) for levels in zip(*own, strict=True)] for own in (exact, bounds)]
        value["suprema"] = dict(zip(KINDS, values[0], strict=True))
        value["bounds"] = {"epsilon": by_paper, "suprema": dict(zip(KINDS, values[1], strict=True))}
        cells: list[Cell] = [level for own in values for level in own]
        headings = ("budget", *(f"{kind.upper()}, {column}" for column in columns for kind in KINDS))
        title = "The budget of every release, however many, by the exact worst case; and what leakage stays below"
        sheets = [Sheet(title, headings, [[entry, *cells]], notes)]
    else:
        schedule = (spent,) * horizon
        exact, bounds = tight_tpl(schedule, known, alpha), [leakage(schedule, each).tpl for each in kinds]
        values = [[greatest_value(levels, digits) for levels in zip(*own, strict=True)] for own in (exact, bounds)]
        value |= {"tpl": values[0], "bounds": {"epsilon": by_paper, "tpl": values[1]}}
        rows: list[list[Cell]] = [[time, entry, *tpl] for time, tpl in enumerate(zip(*values, strict=True), 1)]
        title = f"Budgets of {horizon} release{'s' if horizon > 1 else ''} by the exact worst case"
        sheets = [Sheet(title, ("time", "budget", *(f"TPL, {column}" for column in columns)), rows, notes)]
        curves["budget"] = schedule
        for column, each in zip(columns, (exact, bounds), strict=True):
            curves[f"TPL, {column}"] = [max(own, key=_upper) for own in zip(*each, strict=True)]
    if len(adversaries) > 1:
        own = {each: budget_entry(tight_constant(alpha, [each], kept_for, digits), output) for each in known}
        value["personalised"] = {name: {"all": own[matrices_of(each)]} for name, each in adversaries.items()}
        sheets.append(personalised_sheet(value["personalised"]))
    if horizon is not None and 1 < horizon <= MOST_FITTED and not alpha.is_infinite:
        schedules = compared_schedules(alpha, kinds, horizon) | {EXACT_CONSTANT: (greatest,) * horizon}
        compared = comparison(schedules, min(digits, COMPARED_DIGITS))
        value["comparison"] = compared
        sheets.append(comparison_sheet(compared, horizon))
    return value, sheets, curves


def _upper(level: Level) -> Decimal:
    return level.enclosure(17).upper


def _by_paper(alpha: Level, adversaries: Mapping[str, Adversary], method: str, horizon: int | None) -> Level:
    """Return the constant budget that the recursion admits; 0 where that is none for ever."""
    try:
        if method == CONSTANT and horizon is not None:
            return fitted(alpha, distinct(adversaries), CONSTANT, horizon)[0]
        return AllocationTarget(alpha, UPPER_BOUND, horizon).budgets_for(adversaries)[0].middle
    except InfeasibleBudget:
        return ZERO
