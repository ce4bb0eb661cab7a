"""`tploracle loss-function`: the whole function L of one correlation, piece by piece."""

from __future__ import annotations

from ..data.files import Files
from ..output.sheets import Cell, Output, Sheet, witness_cells
from ..reference.decimals import fraction_to_text
from ..wire.values import value_of, witness_value
from .options import (
    MatrixFile,
    ReadingCommand,
    matrix_options,
    output_options,
    plot_option,
    reading_options,
    reference_option,
)
from .patient import patient_loss_function


class LossFunctionCommand(ReadingCommand):
    """Print the whole loss function: log((q(e^α - 1) + 1)/(d(e^α - 1) + 1)) on each piece.

    q and d are what two rows sum to over the same columns.
    """

    matrix: MatrixFile = matrix_options()
    plot: str | None = plot_option
    literal: bool = reference_option
    files: Files = reading_options
    output: Output = output_options()

    def _run(self) -> None:
        function = patient_loss_function(self.matrix.read(self.files), self.literal)
        rows: list[list[Cell]] = []
        for piece in function.pieces:
            start, stop = piece.domain
            ends = [level.enclosure(self.output.digits).lower for level in (start, stop)]
            rows.append(
                [
                    *(start.full_text(), stop.full_text()),
                    *("inf" if end.is_infinite() else str(end) for end in ends),
                    *(fraction_to_text(piece.q), fraction_to_text(piece.d)),
                    *witness_cells(witness_value(piece.witness)),
                ]
            )
        columns = ("from", "to", "from about", "to about", "q", "d", "rows", "columns")
        value = value_of("loss_function", {"pieces": function.pieces}, self.output.digits)
        self.output.write([value], Sheet(f"Privacy loss function: {len(rows)} pieces", columns, rows))
        if self.plot:
            from ..output.plots import loss_function_picture

            loss_function_picture(self.plot, function)
