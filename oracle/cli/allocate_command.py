"""`tploracle allocate`: budgets that keep TPL at a level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import click

from ..contract.limits import check_schedule
from ..contract.verified_schedules import (
    ALLOCATION_METHODS,
    COMPARED_DIGITS,
    FINITE_METHODS,
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
from ..output.sheets import Output, Sheet
from ..reference import Adversary, Budgets, InfeasibleBudget, InvalidRequest
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from ..wire.values import KINDS
from .allocate_tight import tight_allocation
from .options import Correlations, correlation_options, files_and_output, plot_option, reference_option
from .patient import NOT_ALL, or_else
from .schedule_tables import (
    as_doubles,
    budget_entry,
    comparison,
    comparison_sheet,
    for_ever_sheet,
    greatest_value,
    over_time_sheet,
    own_budgets,
    personalised_sheet,
    shared_budgets,
)


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
@click.option("--tight", is_flag=True, help="All but quantified: by the exact worst case, beside the paper's.")
@plot_option
@reference_option
@files_and_output(has_levels=True)
def allocate_command(
    *,
    alpha: str,
    correlations: Correlations,
    method: str,
    horizon: int | None,
    tight: bool,
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

    TPL is the paper's bound. With --tight it is that of the worst mechanisms, which none exceeds: the greatest constant
    budget, for T releases or for ever, is then at least as great, and the least noise no more; the paper's are printed
    beside them.
    """
    digits, rounded = output.digits, output.doubles
    level = Reader().level(alpha, "--alpha")
    if plot and horizon is None:
        raise InvalidRequest("--plot needs --horizon")
    if method in FINITE_METHODS and horizon is None:
        raise InvalidRequest(f"the method {method} needs a horizon: how many releases there will be")
    target = AllocationTarget(level, QUANTIFIED if method in FINITE_METHODS else method, horizon)
    if tight and method == QUANTIFIED:
        raise InvalidRequest(
            f"--tight has no method {method}: give {' or '.join(FINITE_METHODS)} with a horizon, or {UPPER_BOUND} for "
            "however long"
        )
    adversaries = correlations.adversaries(files, literal)
    check_schedule(horizon or 1, digits, len(adversaries))
    so_far: list[tuple[Object, list[Sheet]]] = []
    if horizon is not None and not level.is_zero and not level.is_infinite:
        so_far.append(shared_budgets(level, horizon, output))

    def show() -> None:
        """Print the last budgets that are known to keep α."""
        for value, (sheet, *more) in so_far[-1:]:
            output.write([{**value, "note": NOT_ALL}], replace(sheet, notes=(*sheet.notes, NOT_ALL)), *more)

    if tight:
        with or_else(show), patience("budgets"):
            exact, tables, curves = tight_allocation(level, adversaries, method, horizon, output)
        output.write([exact], *tables)
        if plot:
            from ..output.plots import leakage_picture

            leakage_picture(plot, {f"exact worst case, α = {alpha}": curves})
        return
    kinds, several = distinct(adversaries), len(adversaries) > 1
    with or_else(show), patience("budgets"):
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
        spent = as_doubles(schedule) if rounded else schedule
        entries = [budget_entry(budget, output) for budget in schedule]
        value: Object = {"epsilons": entries}
        if horizon is None:
            suprema = verified_for_ever(spent[0], kinds, level)
            value["suprema"] = {
                kind: greatest_value([found[place] for found in suprema], digits) for place, kind in enumerate(KINDS)
            }
            sheets = [for_ever_sheet(value, rounded)]
        else:
            tpl = verified(spent, kinds, level, method == QUANTIFIED and not rounded and not several)
            value["tpl"] = [greatest_value(levels, digits) for levels in zip(*tpl, strict=True)]
            sheets = [over_time_sheet(entries, value["tpl"], rounded)]
        if several:
            value["personalised"] = {name: own_budgets(method, found, output) for name, found in own.items()}
            sheets.append(personalised_sheet(value["personalised"]))
        so_far.append((value, sheets))
        if horizon is not None and 1 < horizon <= MOST_FITTED and not level.is_infinite:
            compared = comparison(compared_schedules(level, kinds, horizon), min(digits, COMPARED_DIGITS))
            value["comparison"] = compared
            sheets.append(comparison_sheet(compared, horizon))
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
