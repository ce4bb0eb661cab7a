"""`tploracle loss-function`: the whole function L of one correlation, piece by piece."""

from __future__ import annotations

import click

from ..data.files import Files
from ..output.sheets import Cell, Output, Sheet, witness_cells
from ..reference.decimals import fraction_to_text
from ..wire.values import value_of, witness_value
from .options import MatrixFile, files_and_output, matrix_options, plot_option, reference_option
from .patient import patient_loss_function


@click.command("loss-function")
@matrix_options()
@plot_option
@reference_option
@files_and_output()
def loss_function_command(*, matrix: MatrixFile, plot: str | None, literal: bool, files: Files, output: Output) -> None:
    """Print the whole loss function: log((q(e^α - 1) + 1)/(d(e^α - 1) + 1)) on each piece.

    q and d are what two rows sum to over the same columns.
    """
    function = patient_loss_function(matrix.read(files), literal)
    rows: list[list[Cell]] = []
    for piece in function.pieces:
        start, stop = piece.domain
        ends = [level.enclosure(output.digits).lower for level in (start, stop)]
        rows.append(
            [
                *(start.full_text(), stop.full_text()),
                *("inf" if end.is_infinite() else str(end) for end in ends),
                *(fraction_to_text(piece.q), fraction_to_text(piece.d)),
                *witness_cells(witness_value(piece.witness)),
            ]
        )
    columns = ("from", "to", "from about", "to about", "q", "d", "rows", "columns")
    value = value_of("loss_function", {"pieces": function.pieces}, output.digits)
    output.write([value], Sheet(f"Privacy loss function: {len(rows)} pieces", columns, rows))
    if plot:
        from ..output.plots import loss_function_picture

        loss_function_picture(plot, function)
