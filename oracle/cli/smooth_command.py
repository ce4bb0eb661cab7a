"""`tploracle smooth`: a matrix made more uniform."""

from __future__ import annotations

import click

from ..contract.limits import MOST_STATES, check_count, check_smoothing
from ..data.files import Files
from ..output.sheets import Output
from ..reference import InvalidRequest, smooth, strongest
from ..wire.numerals import Reader
from .options import MatrixFile, files_and_output, matrix_options


@click.command("smooth")
@matrix_options(required=False)
@click.option(
    "-n", "states", type=int, metavar="N", help="Instead of a matrix: smooth the strongest correlation of N states."
)
@click.option("--s", "s", metavar="NUMBER", required=True, help="The smoothing parameter s.")
@files_and_output()
def smooth_command(*, matrix: MatrixFile | None, states: int | None, s: str, files: Files, output: Output) -> None:
    """Make a matrix more uniform: (p + s)/(1 + ns) for each entry p.

    Rows become more alike, which lowers the leakage: budgets for the result are not safe for the given matrix. State
    names are kept.
    """
    smoothing = Reader().number(s, "--s")
    if (matrix is None) == (states is None):
        raise InvalidRequest("give either a matrix or -n")
    if matrix is not None:
        given = matrix.read(files)
    else:
        assert states is not None
        if states < 1:
            raise InvalidRequest(f"n is at least 1, not {states}")
        check_count(states, MOST_STATES, "states")
        given = strongest(states)
    check_smoothing(given.n, smoothing, (entry for row in given.rows for entry in row))
    names = () if matrix is None else files.states.get(matrix.path, ())
    output.write_matrix("matrix", smooth(given, smoothing), names)
