"""`tploracle control`: what may be spent now, below a cap."""

from __future__ import annotations

import click

from ..contract.limits import check_leakage, check_tight
from ..data.files import Files
from ..output.sheets import Cell, Output, Sheet
from ..reference import (
    ZERO,
    InfeasibleBudget,
    InvalidRequest,
    Level,
    TransitionMatrix,
    backward_leakage,
    control,
    tight_leakage,
)
from ..reference.supremum import left_below
from ..wire.numerals import Reader
from .options import MatrixFile, files_and_output, matrix_options, reference_option
from .patient import or_bounds, patient_loss_function


@click.command("control")
@matrix_options()
@click.option("--previous", metavar="LEVEL", help="BPL at the last release; 0 before the first.")
@click.option("--spent", metavar="LEVELS", help="Instead: the budgets so far, as levels and commas or a file of them.")
@click.option("--cap", metavar="LEVEL", required=True, help="The level that BPL must not exceed.")
@click.option("--tight", is_flag=True, help="With --spent: by the exact worst case, beside the paper's bound.")
@reference_option
@files_and_output(has_levels=True)
def control_command(
    *,
    matrix: MatrixFile,
    previous: str | None,
    spent: str | None,
    cap: str,
    tight: bool,
    literal: bool,
    files: Files,
    output: Output,
) -> None:
    """Print the budget that may be spent now: spent, it makes BPL equal to the cap.

    BPL is the paper's bound. With --tight it is that of the worst mechanisms, which follows from the budgets so far and
    not from their BPL: as much may be spent or more, and some mechanism then attains the cap.
    """
    if (previous is None) == (spent is None):
        raise InvalidRequest("give either --previous or --spent")
    if tight and spent is None:
        raise InvalidRequest("--tight needs --spent: the exact worst case does not follow from a BPL, but from budgets")
    most = Reader().level(cap, "--cap")
    budgets = [] if spent is None else files.levels(spent)
    loss = patient_loss_function(matrix.read(files), literal)
    if previous is None:
        check_leakage([*budgets, most], [loss], output.digits)
        before = backward_leakage(budgets, loss)[-1]
    else:
        before = Reader().level(previous, "--previous")
        check_leakage([before, most], [loss], output.digits)
    title, columns = "What may be spent now", ("spent" if previous is None else "previous", "cap")
    given: list[Cell] = [str(spent if previous is None else previous), cap]
    if not tight:
        value = output.level(control(loss, before, most))
        output.write([value], Sheet(title, (*columns, "budget"), [[*given, value]], (output.numerals,)))
        return
    try:
        bound = output.level(control(loss, before, most))
    except InfeasibleBudget:
        bound = output.level(ZERO)
    with or_bounds(output, [bound], Sheet(title, (*columns, "budget"), [[*given, bound]], (output.numerals,))):
        value = output.level(left_below(most, _carried(budgets, loss.matrix, literal)))
    headings = (*columns, "budget by the exact worst case", "budget by the paper's bound")
    output.write([{**value, "bound": bound}], Sheet(title, headings, [[*given, value, bound]], (output.numerals,)))


def _carried(spent: list[Level], matrix: TransitionMatrix, literal: bool) -> Level:
    """Return what a release of nothing would leak now, of the worst mechanisms: what the budgets so far carry over."""
    from ..solvers.tight_pairs import fast_tight_leakage

    check_tight(len(spent) + 1, matrix.n)
    return (tight_leakage if literal else fast_tight_leakage)([*spent, ZERO], matrix).bpl[-1]
