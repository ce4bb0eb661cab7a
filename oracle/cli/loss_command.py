"""`tploracle loss`: L(α) of one correlation, with what attains it."""

from __future__ import annotations

from ..contract.operations import attained_loss
from ..data.files import Files
from ..output.sheets import Cell, Output, Sheet, witness_cells
from ..wire.numerals import Reader
from .declared import option
from .options import MatrixFile, ReadingCommand, matrix_options, output_options, reading_options, reference_option
from .patient import optima


class LossCommand(ReadingCommand):
    """Compute L(α), the part of leakage α that a correlation carries over one step, and where it is attained."""

    matrix: MatrixFile = matrix_options()
    alphas: tuple[str, ...] = option("--alpha", metavar="LEVEL", required=True, help="The level α; repeatable.")
    literal: bool = reference_option
    files: Files = reading_options
    output: Output = output_options(has_levels=True)

    def _run(self) -> None:
        levels = Reader().levels(list(self.alphas), "--alpha")
        found = optima(self.matrix.read(self.files), levels, self.literal)
        values = [
            self.output.value("loss", attained_loss(optimum, level))
            for optimum, level in zip(found, levels, strict=True)
        ]
        rows: list[list[Cell]] = [
            [alpha, value, *witness_cells(value)] for alpha, value in zip(self.alphas, values, strict=True)
        ]
        self.output.write(
            values, Sheet("Privacy loss", ("alpha", "loss", "rows", "columns"), rows, (self.output.numerals,))
        )
