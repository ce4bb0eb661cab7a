"""`tploracle control`: what may be spent now, below a cap."""

from __future__ import annotations

from collections.abc import Sequence

import click

from ..contract.limits import check_leakage
from ..data.files import Files
from ..models.model import Model, NoSuchMethod, answered
from ..models.neighbours import Neighbours
from ..output.sheets import Columns, Conclusion, Heading, Output, Sheet
from ..reference import Adversary, InvalidRequest, Level
from ..reference.paper.leakage import apply
from ..reference.paper.supremum import left_below
from ..wire.numerals import Reader
from .options import MatrixFile, files_and_output, matrix_options, model_options, neighbours_options
from .patient import patient_loss_function


@click.command("control")
@matrix_options()
@click.option("--previous", metavar="LEVEL", help="BPL at the last release, by the paper's bound; 0 before the first.")
@click.option("--spent", metavar="LEVELS", help="Instead: the budgets so far, separated by commas, or a file of them.")
@click.option("--cap", metavar="LEVEL", required=True, help="The level that BPL must not exceed.")
@neighbours_options()
@model_options
@files_and_output(has_levels=True)
def control_command(
    *,
    matrix: MatrixFile,
    previous: str | None,
    spent: str | None,
    cap: str,
    neighbours: Neighbours,
    models: Sequence[Model],
    literal: bool,
    files: Files,
    output: Output,
) -> None:
    """Find the budget with which the next release raises BPL exactly to the cap.

    The exact worst case admits at least as much as the paper's bound, and some mechanism then attains the cap. It needs
    all budgets so far (--spent); from the last BPL alone (--previous), only the paper's bound can be computed.
    """
    if (previous is None) == (spent is None):
        raise InvalidRequest("give either --previous or --spent")
    most = Reader().level(cap, "--cap")
    budgets = neighbours.read([] if spent is None else files.levels(spent))
    before = None if previous is None else Reader().level(previous, "--previous")
    loss = patient_loss_function(matrix.read(files), literal)
    check_leakage([*budgets, *([] if before is None else [before]), most], [loss], output.digits)

    def left(model: Model) -> Level:
        if before is None:
            return left_below(most, model.carried(budgets, Adversary(loss)))
        if model.key != "paper_bound":
            raise NoSuchMethod(f"the {model.title} follows from the budgets so far, not from a BPL: give --spent")
        return left_below(most, apply(loss, before))

    answers = answered(models, lambda model: neighbours.printed_one(left(model), output.digits))
    levels = {model: output.level(found) for model, found in answers.found.items()}
    given = ("spent", str(spent)) if previous is None else ("previous", str(previous))
    columns: Columns = (
        given[0],
        "cap",
        *(Heading.of(model, "budget", is_budget=True) for model in levels),
    )
    sheet = Sheet("What may be spent now", columns, [[given[1], cap, *levels.values()]], (output.numerals,))
    text = "; ".join(f"{output.words(found)} by the {model.title}" for model, found in answers.found.items())
    conclusion = Conclusion(
        f"The next release may spend {text}: BPL is then at most {cap}. TPL at this time, to which later releases add, "
        "may be more: spend keeps an account of that.",
        neighbours.basis(matrix.basis(files, answers.absent)),
    )
    output.conclude(conclusion, [{model.key: level for model, level in levels.items()}], sheet)
    answers.finish()
