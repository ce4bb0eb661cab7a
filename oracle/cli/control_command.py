"""`tploracle control`: what may be spent now, below a cap."""

from __future__ import annotations

import click

from ..contract.limits import check_leakage
from ..data.files import Files
from ..output.sheets import BRACKETS, Output, Sheet
from ..reference import control
from ..wire.numerals import Reader
from ..wire.values import level_value
from .options import MatrixFile, files_and_output, matrix_options, reference_option
from .patient import patient_loss_function


@click.command("control")
@matrix_options()
@click.option("--previous", metavar="LEVEL", required=True, help="BPL at the last release; 0 before the first.")
@click.option("--cap", metavar="LEVEL", required=True, help="The level that BPL must not exceed.")
@reference_option
@files_and_output()
def control_command(
    *, matrix: MatrixFile, previous: str, cap: str, literal: bool, files: Files, output: Output
) -> None:
    """Print the budget that may be spent now: spent, it makes BPL equal to the cap."""
    before, most = Reader().level(previous, "--previous"), Reader().level(cap, "--cap")
    loss = patient_loss_function(matrix.read(files), literal)
    check_leakage([before, most], [loss], output.digits)
    value = level_value(control(loss, before, most), output.digits)
    sheet = Sheet("What may be spent now", ("previous", "cap", "budget"), [[previous, cap, value]], (BRACKETS,))
    output.write([value], sheet)
