"""`tploracle smooth`: a matrix made more uniform."""

from __future__ import annotations

from ..contract.limits import MOST_STATES, check_count, check_smoothing
from ..data.files import Files
from ..output.sheets import Output
from ..reference import InvalidRequest, smooth, strongest
from ..wire.numerals import Reader
from .declared import option
from .options import MatrixFile, ReadingCommand, matrix_options, output_options, reading_options


class SmoothCommand(ReadingCommand):
    """Make a matrix more uniform: (p + s)/(1 + ns) for each entry p.

    Rows become more alike, which lowers the leakage: budgets for the result are not safe for the given matrix. State
    names are kept.
    """

    matrix: MatrixFile | None = matrix_options(required=False)
    n: int | None = option("-n", metavar="N", help="Instead of a matrix: smooth the strongest correlation of N states.")
    s: str = option(metavar="NUMBER", required=True, help="The smoothing parameter s.")
    files: Files = reading_options
    output: Output = output_options()

    refused = ("give either MATRIX or -n",)

    def _run(self) -> None:
        smoothing = Reader().number(self.s, "--s")
        if self.n is None:
            assert self.matrix is not None, "one of them is given"
            given = self.matrix.read(self.files)
        elif self.n < 1:
            raise InvalidRequest(f"n is at least 1, not {self.n}")
        else:
            check_count(self.n, MOST_STATES, "states")
            given = strongest(self.n)
        check_smoothing(given.n, smoothing, (entry for row in given.rows for entry in row))
        names = () if self.matrix is None else self.files.states.get(self.matrix.path, ())
        self.output.write_matrix("matrix", smooth(given, smoothing), names)
