"""`tploracle control`: what may be spent now, below a cap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..contract.limits import check_leakage
from ..data.clock import ONE_NUMBER, by_time, checked_step, told_times
from ..data.files import Files
from ..data.steps import Duration
from ..models.chain import NOT_ASKED
from ..models.model import Model, NoSuchMethod, answered
from ..models.neighbours import Neighbours
from ..output.sheets import Cell, Columns, Conclusion, Heading, Output, Sheet
from ..reference import ZERO, Adversary, InvalidRequest, Level
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
    spent_at: str | None = option(
        metavar="TIMES",
        help="Time of each of --spent, separated by commas, numbers or ISO 8601: budgets of one time add up.",
    )
    at: str | None = option(metavar="T", help="With --spent-at: time of the next release.")
    step: str | None = option(
        metavar="DURATION", help="With --spent-at: time between values.  [default: that of the matrix]"
    )
    cap: str = option(metavar="LEVEL", required=True, help="The level that BPL must not exceed.")
    neighbours: Neighbours = neighbours_options()
    models: Sequence[Model] = model_options
    files: Files = reading_options
    output: Output = output_options(has_levels=True)

    refused = (
        "give either --previous or --spent",
        "--spent-at and --at belong together: the times of all releases, or of none",
        "--spent-at and --step belong to --spent",
    )

    def _run(self) -> None:
        most = Reader().level(self.cap, "--cap")
        budgets = self.neighbours.read([] if self.spent is None else self.files.levels(self.spent))
        before = None if self.previous is None else Reader().level(self.previous, "--previous")
        loss = patient_loss_function(self.matrix.read(self.files), is_literal(self.models))
        releases, clock, already = len(budgets) + 1, None, ZERO
        if self.spent_at is not None and self.at is not None:
            clock = checked_step(self.step, self.files.between_releases()) or ONE_NUMBER
            budgets, already = self._by_time(budgets, self.spent_at, self.at, clock)
        check_leakage([*budgets, *([] if before is None else [before]), most], [loss], self.output.digits)

        def left(model: Model) -> Level:
            if before is None:
                return left_below(most, model.carried(budgets, Adversary(loss)) + already)
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
        basis = self.matrix.basis(self.files, answers.absent)
        step = "" if basis.step == NOT_ASKED else basis.step
        basis = replace(basis, step=told_times(step, releases, clock) or NOT_ASKED)
        conclusion = Conclusion(
            f"The next release may spend {text}: BPL is then at most {self.cap}. TPL at this time, to which later "
            "releases add, may be more: spend keeps an account of that.",
            self.neighbours.basis(basis),
        )
        value: Object = {model.key: level for model, level in levels.items()}
        output.conclude(conclusion, [value], Sheet("What may be spent now", columns, rows, (output.numerals,)))
        answers.finish()

    def _by_time(self, budgets: Sequence[Level], times: str, now: str, clock: Duration) -> tuple[list[Level], Level]:
        """Return the budgets of all times before that of the next release, and what is spent already at that one."""
        each = times.split(",") if times.strip() else []
        if len(each) != len(budgets):
            raise InvalidRequest(
                f"--spent-at: {len(each)} times of {len(budgets)} budgets (--spent): give one for each"
            )
        found = by_time([*zip(budgets, each, strict=True), (ZERO, now)], clock)
        if each and len(found) > len(by_time([(ZERO, each[0]), (ZERO, now)], clock)):
            raise InvalidRequest(
                f"--at {now} is before the last of --spent-at: it would raise BPL there too; see spend"
            )
        return found[:-1], found[-1]
