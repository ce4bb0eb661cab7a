"""How near a question is to a boundary at which another branch of the algorithms takes over."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from ..contract.losses import loss_function_of
from ..reference import Level, LossFunction, OracleError, TransitionMatrix
from ..wire.numerals import Reader
from ..wire.protocol import FLOAT64
from .features import MATRIX_KEYS, MOST_COMPARED_STATES
from .model import Case

DEFINITIONS = {
    "loss": "of e^α − 1 to the nearest breakpoint of L, relative to the larger of the two",
    "supremum": (
        "of e^ε − 1 to the nearest value at which another piece rules at the supremum, or from which on there is no "
        "finite one (1/q − 1 where d = 0), relative to the larger of the two"
    ),
    "allocate": "of the greatest total variation distance of two rows to 1, where L is the identity",
}
"""What the distance is, for each operation that has one."""

_PRECISION = 256
_LARGEST_EXPANDED = Fraction(10_000)


def distance(case: Case) -> float | None:
    """Return how near the question of a case is to the boundary that matters for its operation, in DEFINITIONS.

    Returns: a number from 0 (on the boundary) to 1, worked out in exact arithmetic (e^α to 256 bits where it is
    irrational), a float in the end; None where the operation has no such boundary, the loss function one piece only,
    the level is infinite, the input cannot be read, or a matrix has more than MOST_COMPARED_STATES states.
    """
    if case.op not in DEFINITIONS:
        return None
    reader = Reader(case.numbers == FLOAT64)
    try:
        matrices = [reader.matrix(case.input[key], key) for key in MATRIX_KEYS if key in case.input]
        if not matrices or any(matrix.n > MOST_COMPARED_STATES for matrix in matrices):
            return None
        losses = [_loss_function(matrix) for matrix in matrices]
        if case.op == "allocate":
            return float(1 - max(loss.slope_at_zero for loss in losses))
        level = reader.level(case.input.get("alpha" if case.op == "loss" else "epsilon"), "the level")
        boundaries = _breakpoints(losses[0]) if case.op == "loss" else _supremum_boundaries(losses[0])
        return _nearest(level, list(boundaries))
    except (OracleError, MemoryError, RecursionError):
        return None


@lru_cache(maxsize=64)
def _loss_function(matrix: TransitionMatrix) -> LossFunction:
    return loss_function_of(matrix)


def _breakpoints(loss: LossFunction) -> Iterator[Fraction]:
    """Yield the excesses at which two pieces of L meet."""
    yield from (piece.start for piece in loss.pieces[1:])


def _supremum_boundaries(loss: LossFunction) -> Iterator[Fraction]:
    """Yield the excesses e^ε − 1 at which the supremum passes from one piece to the next, and becomes infinite."""
    for piece in loss.pieces:
        if piece.stop is not None:
            ratio = (1 + piece.stop) * (piece.d * piece.stop + 1) / (piece.q * piece.stop + 1)
            yield ratio - 1
        elif piece.d == 0 < piece.q:
            yield 1 / piece.q - 1


def _nearest(level: Level, boundaries: list[Fraction]) -> float | None:
    if level.is_infinite or not boundaries:
        return None
    if level.rational is not None and level.rational > _LARGEST_EXPANDED:
        return 1.0 if all(boundary < 2 ** int(_LARGEST_EXPANDED) for boundary in boundaries) else None
    lower, upper = (Fraction(0), Fraction(0)) if level.is_zero else level.excess_bounds(_PRECISION)
    excess = (lower + upper) / 2
    return float(min(_apart(excess, boundary) for boundary in boundaries))


def _apart(first: Fraction, second: Fraction) -> Fraction:
    greater = max(first, second)
    return abs(first - second) / greater if greater else Fraction(0)
