"""`tploracle supremum`: how far leakage rises with one budget at every time."""

from __future__ import annotations

import click

from ..contract.limits import MOST_RELEASES, check_count, check_leakage, check_tight
from ..contract.operations import attained_supremum
from ..data.files import Files
from ..output.sheets import Cell, Output, Sheet, witness_cells
from ..reference import (
    ZERO,
    InfeasibleBudget,
    InvalidRequest,
    Level,
    LossFunction,
    Supremum,
    TransitionMatrix,
    backward_leakage,
    largest_budget,
    leakage_at,
    steps_within,
    supremum,
    tight_supremum,
)
from ..reference.supremum import MOST_STEPS
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from .options import MatrixFile, files_and_output, matrix_options, plot_option, reference_option
from .patient import or_bounds, patient_loss_function

_STEPS_DRAWN = 50


@click.command("supremum")
@matrix_options()
@click.option("--epsilon", "epsilons", metavar="LEVEL", multiple=True, help="The budget at every time; repeatable.")
@click.option("--within", "deltas", metavar="LEVEL", multiple=True, help="The steps to come so close; repeatable.")
@click.option("--steps", type=int, help="The leakage after so many steps as well, however many.")
@click.option("--cap", metavar="LEVEL", help="The largest budget whose supremum stays within this level.")
@click.option("--tight", is_flag=True, help="The exact worst case over all mechanisms, beside the paper's bound.")
@plot_option
@reference_option
@files_and_output(has_levels=True)
def supremum_command(
    *,
    matrix: MatrixFile,
    epsilons: tuple[str, ...],
    deltas: tuple[str, ...],
    steps: int | None,
    cap: str | None,
    tight: bool,
    plot: str | None,
    literal: bool,
    files: Files,
    output: Output,
) -> None:
    """Print the level that BPL (of a backward MATRIX) or FPL (of a forward one) rises to with a constant budget.

    Infinite where one row has none of the columns of another row's probability q, and q·e^ε is 1 or more. That is the
    paper's bound; with --tight the supremum of the leakage of the worst mechanisms is printed too, which may be finite.
    """
    digits = output.digits
    if bool(epsilons) == bool(cap):
        raise InvalidRequest("give either --epsilon or --cap")
    budgets = Reader().levels(list(epsilons), "--epsilon")
    distances = Reader().levels(list(deltas), "--within")
    most = None if cap is None else Reader().level(cap, "--cap")
    if most is not None and (deltas or steps is not None or plot):
        raise InvalidRequest("--within, --steps and --plot belong to --epsilon")
    if any(distance.is_zero for distance in distances):
        raise InvalidRequest("--within: the supremum is approached but not reached: give a distance above 0")
    _check_steps(steps, plot)
    loss = patient_loss_function(matrix.read(files), literal)
    if most is not None:
        check_leakage([most], [loss], digits)
        title = "The largest constant budget whose supremum stays within the cap"
        if not tight:
            largest = output.level(_largest(loss, most))
            output.write([largest], Sheet(title, ("cap", "budget"), [[str(cap), largest]], (output.numerals,)))
            return
        exact = output.level(_tight_largest(loss.matrix, most))
        try:
            largest = output.level(_largest(loss, most))
        except InfeasibleBudget:
            largest = output.level(ZERO)
        columns = ("cap", "budget by the exact worst case", "budget by the paper's bound")
        sheet = Sheet(title, columns, [[str(cap), exact, largest]], (output.numerals,))
        output.write([{**exact, "bound": largest}], sheet)
        return
    values: list[Object] = []
    rows: list[list[Cell]] = []
    notes = [output.numerals]
    for text, budget in zip(epsilons, budgets, strict=True):
        check_leakage([budget], [loss], digits)
        found = supremum(loss, budget)
        value = output.value("supremum", attained_supremum(found))
        case = _case(found, budget)
        row: list[Cell] = [text, dict(value), case, str(value["q"]), str(value["d"]), *witness_cells(value)]
        if distances:
            reached = [None if found.level.is_infinite else steps_within(loss, budget, delta) for delta in distances]
            value["within"] = list(reached)
            row += ["never" if time is None else time for time in reached]
        if steps is not None:
            level = output.level(budget if budget.is_zero else leakage_at(loss, budget, steps))
            value["after"] = {"steps": steps, **level}
            row.append(level)
        if found.level.is_infinite and not budget.is_infinite:
            notes.append(f"ε = {text}: {_why(found, value)}")
        values.append(value)
        rows.append(row)
    headings = ["epsilon", "supremum", "case", "q", "d", "rows", "columns", *(f"steps to within {d}" for d in deltas)]
    headings += [] if steps is None else [f"after {steps} steps"]
    title = "Supremum of the leakage over time"
    if tight:
        with or_bounds(output, values, Sheet(title, tuple(headings), rows, tuple(notes))):
            worst = [output.level(_tight(loss.matrix, budget, literal)) for budget in budgets]
        for value, row, level in zip(values, rows, worst, strict=True):
            value["tight"] = level
            row.append(level)
        headings.append("exact worst case")
    output.write(values, Sheet(title, tuple(headings), rows, tuple(notes)))
    if plot:
        _draw(plot, loss, list(zip(epsilons, budgets, strict=True)), steps or _STEPS_DRAWN)


def _tight(matrix: TransitionMatrix, epsilon: Level, literal: bool) -> Level:
    """Return what the leakage of the worst mechanisms rises to."""
    from ..solvers.tight_pairs import fast_tight_supremum

    check_tight(1, matrix.n)
    return (tight_supremum if literal else fast_tight_supremum)(epsilon, matrix)


def _tight_largest(matrix: TransitionMatrix, cap: Level) -> Level:
    """Return the largest budget for ever by the exact worst case."""
    from ..solvers.tight_budgets import fast_tight_budget

    check_tight(1, matrix.n)
    return fast_tight_budget(cap, matrix)


def _largest(loss: LossFunction, cap: Level) -> Level:
    try:
        return largest_budget(loss, cap)
    except InfeasibleBudget:
        raise InfeasibleBudget("no positive budget keeps this cap for ever: all that it allows carries over") from None


def _check_steps(steps: int | None, plot: str | None) -> None:
    if steps is None:
        return
    if steps < 1:
        raise InvalidRequest(f"--steps is at least 1, not {steps}")
    if plot:
        check_count(steps, MOST_RELEASES, "steps drawn")
    check_count(steps, MOST_STEPS, "steps")


def _case(found: Supremum, epsilon: Level) -> str:
    """Name the case of Theorem 11 that decides."""
    if epsilon.is_zero or epsilon.is_infinite:
        return "ε is 0" if epsilon.is_zero else "ε is infinite"
    if found.q == found.d:
        return "q = d"
    if found.d == 0:
        return "d = 0, ε ≥ log(1/q)" if found.level.is_infinite else "d = 0, ε < log(1/q)"
    return "d > 0"


def _why(found: Supremum, value: Object) -> str:
    rows, columns = witness_cells(value)
    row_q, row_d = str(rows).split(" / ")
    where = f"row {row_q} gives the columns {columns} probability q = {found.q}, row {row_d} none"
    return f"without bound: {where}; q·e^ε ≥ 1"


def _draw(path: str, loss: LossFunction, budgets: list[tuple[str, Level]], steps: int) -> None:
    from ..output.plots import leakage_picture

    panels = {}
    for text, epsilon in budgets:
        limit = supremum(loss, epsilon).level
        curves = {"leakage": backward_leakage([epsilon] * steps, loss)}
        if not limit.is_infinite:
            curves["supremum"] = (limit,) * steps
        panels[f"budget {text}" + (", no supremum" if limit.is_infinite else "")] = curves
    leakage_picture(path, panels, one_scale=False)
