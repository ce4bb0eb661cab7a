"""`tploracle loss`: L(α) of one correlation, with what attains it."""

from __future__ import annotations

import click

from ..contract.operations import attained_loss
from ..data.files import Files
from ..output.sheets import Cell, Output, Sheet, witness_cells
from ..wire.numerals import Reader
from .options import MatrixFile, files_and_output, matrix_options, reference_option
from .patient import optima


@click.command("loss")
@matrix_options()
@click.option("--alpha", "alphas", metavar="LEVEL", multiple=True, required=True, help="The level α; repeatable.")
@reference_option
@files_and_output(has_levels=True)
def loss_command(*, matrix: MatrixFile, alphas: tuple[str, ...], literal: bool, files: Files, output: Output) -> None:
    """Compute L(α), the part of leakage α that a correlation carries over one step, and where it is attained."""
    levels = Reader().levels(list(alphas), "--alpha")
    found = optima(matrix.read(files), levels, literal)
    values = [output.value("loss", attained_loss(optimum, level)) for optimum, level in zip(found, levels, strict=True)]
    rows: list[list[Cell]] = [
        [alpha, value, *witness_cells(value)] for alpha, value in zip(alphas, values, strict=True)
    ]
    output.write(values, Sheet("Privacy loss", ("alpha", "loss", "rows", "columns"), rows, (output.numerals,)))
