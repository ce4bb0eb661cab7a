"""`tploracle control`: what may be spent now, below a cap."""

from __future__ import annotations

from collections.abc import Sequence

from ..contract.limits import check_leakage
from ..data.files import Files
from ..models.model import Model, NoSuchMethod, answered
from ..models.neighbours import Neighbours
from ..output.sheets import Cell, Columns, Conclusion, Heading, Output, Sheet
from ..reference import Adversary, Level
from ..reference.paper.leakage import apply
from ..reference.paper.supremum import left_below
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from .declared import option
from .options import (
    MatrixFile,
    ReadingCommand,
    is_literal,
    matrix_options,
    model_options,
    neighbours_options,
    output_options,
    reading_options,
)
from .patient import patient_loss_function


class ControlCommand(ReadingCommand):
    """Find the budget with which the next release raises BPL exactly to the cap.

    The exact worst case admits at least as much as the paper's bound, and some mechanism then attains the cap. It needs
    all budgets so far (--spent); from the last BPL alone (--previous), only the paper's bound can be computed.
    """

    matrix: MatrixFile = matrix_options()
    previous: str | None = option(
        metavar="LEVEL", help="BPL at the last release, by the paper's bound; 0 before the first."
    )
    spent: str | None = option(
        metavar="LEVELS", help="Instead: the budgets so far, separated by commas, or a file of them."
    )
    cap: str = option(metavar="LEVEL", required=True, help="The level that BPL must not exceed.")
    neighbours: Neighbours = neighbours_options()
    models: Sequence[Model] = model_options
    files: Files = reading_options
    output: Output = output_options(has_levels=True)

    refused = ("give either --previous or --spent",)

    def _run(self) -> None:
        most = Reader().level(self.cap, "--cap")
        budgets = self.neighbours.read([] if self.spent is None else self.files.levels(self.spent))
        before = None if self.previous is None else Reader().level(self.previous, "--previous")
        loss = patient_loss_function(self.matrix.read(self.files), is_literal(self.models))
        check_leakage([*budgets, *([] if before is None else [before]), most], [loss], self.output.digits)

        def left(model: Model) -> Level:
            if before is None:
                return left_below(most, model.carried(budgets, Adversary(loss)))
            if model.key != "paper_bound":
                raise NoSuchMethod(f"the {model.title} follows from the budgets so far, not from a BPL: give --spent")
            return left_below(most, apply(loss, before))

        output = self.output
        answers = answered(self.models, lambda model: self.neighbours.printed_one(left(model), output.digits))
        levels = {model: output.level(found) for model, found in answers.found.items()}
        name, given = ("spent", self.spent) if self.previous is None else ("previous", self.previous)
        columns: Columns = (name, "cap", *(Heading.of(model, "budget", is_budget=True) for model in levels))
        rows: list[list[Cell]] = [[str(given), self.cap, *levels.values()]]
        text = "; ".join(f"{output.words(found)} by the {model.title}" for model, found in answers.found.items())
        conclusion = Conclusion(
            f"The next release may spend {text}: BPL is then at most {self.cap}. TPL at this time, to which later "
            "releases add, may be more: spend keeps an account of that.",
            self.neighbours.basis(self.matrix.basis(self.files, answers.absent)),
        )
        value: Object = {model.key: level for model, level in levels.items()}
        output.conclude(conclusion, [value], Sheet("What may be spent now", columns, rows, (output.numerals,)))
        answers.finish()
