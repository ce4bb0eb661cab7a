"""The check from above of the paper's bound: no pair of rows has a greater loss than what goes out.

For two rows q, d and E = e^α − 1 the optimum of the linear-fractional program is at most 1 + y if and only if the sum
of (q_j − d_j − y d_j)^+ is at most y/E (docs/mathematics.md). So one sum for each pair of rows proves a value of L.
Between two breakpoints a piece (q E + 1)/(d E + 1) is the greatest if it is so at both: the difference of two pieces
has the sign of a function that is linear in E. So the breakpoints prove the whole of L, with the slopes at 0 and the
limits at ∞.

*Doubles*: u = 2^−53, entries rounded to nearest, 0 ≤ y: the sum of max(fl(q − (1 + y) d), 0) errs by less than
(n + 8) u (2 + y), as the entries of a row add up to 1. What that leaves open is summed in fractions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any

from ..reference.correlations import TransitionMatrix
from ..reference.errors import Refuted, Unchecked
from ..reference.levels import Level
from ..reference.paper.loss import LossFunction

BITS = 112
"""Relative precision in bits of the numbers that are checked: they are proved to 8 bits less."""

U = 2.0**-53
LARGEST = 1e300

MOST_STATES = 32
"""The whole loss function of more states is not checked: it would take longer than finding it."""

FEW_STATES = 8
"""Up to this many states all sums are fractions, where that is quicker than importing numpy."""


def check_loss(matrix: TransitionMatrix, alpha: Level, claimed: Level) -> None:
    """Prove that L(alpha) is at most what is claimed. Raises: Refuted, with the rows, where a pair has more."""
    if claimed.is_infinite or alpha.is_zero:
        return
    y = claimed.excess_bounds(BITS)[1] * (1 + Fraction(1, 1 << (BITS - 8)))
    if alpha.is_infinite:
        _check_sums(matrix, y, Fraction(0), _in_doubles(matrix))
        return
    _check_sums(matrix, y, y / alpha.excess_bounds(2 * BITS)[1], _in_doubles(matrix))


def check_loss_function(loss: LossFunction) -> None:
    """Prove that no pair of rows has a greater loss at any α than the pieces say. Raises: as `check_loss`."""
    if loss.matrix.n > MOST_STATES:
        raise Unchecked(f"the whole loss function of {loss.matrix.n} states takes the check too long")
    first, last, at = loss.pieces[0], loss.pieces[-1], Fraction(0)
    rows = _in_doubles(loss.matrix)
    if not (first.q or first.d) and len(loss.pieces) == 1:
        _check_sums(loss.matrix, Fraction(0), Fraction(0), rows)
        return
    _check_sums(loss.matrix, Fraction(0), first.q - first.d, rows)
    if first.start != 0:
        raise Refuted("a loss function begins above 0")
    for piece, after in zip(loss.pieces, loss.pieces[1:], strict=False):
        at = after.start
        value = (piece.q - piece.d) * at / (piece.d * at + 1)
        if (after.q - after.d) * at / (after.d * at + 1) != value:
            raise Refuted(f"two pieces of a loss function differ at their breakpoint, e^α = {float(1 + at)}")
        _check_sums(loss.matrix, value, value / at, rows)
    if last.d:
        _check_sums(loss.matrix, last.q / last.d - 1, Fraction(0), rows)
    else:
        _check_lone_mass(loss.matrix, last.q)


def _in_doubles(matrix: TransitionMatrix) -> Any:
    """Return the rows in doubles; None for few states, where numpy is not there yet: fractions are quicker then."""
    if matrix.n <= FEW_STATES and "numpy" not in sys.modules:
        return None
    import numpy as np

    return np.array([[float(entry) for entry in row] for row in matrix.rows])


def _check_sums(matrix: TransitionMatrix, y: Fraction, most: Fraction, rows: Any) -> None:
    """Prove that the sum of (q_j − d_j − y d_j)^+ is at most a number for every pair of rows."""
    pairs: Iterable[tuple[int, int]] = permutations(range(matrix.n), 2)
    if rows is not None:
        pairs = _left_by_doubles(rows, matrix, y, most)
    for first, second in pairs:
        both = zip(matrix.rows[first], matrix.rows[second], strict=True)
        found = sum(max(q - d - y * d, Fraction(0)) for q, d in both)
        if found > most:
            raise Refuted(
                f"rows {first + 1} and {second + 1} have a greater loss than was found, at e^L = {float(1 + y):.17g}; "
                "this is a fault of the program: report it"
            )


def _check_lone_mass(matrix: TransitionMatrix, most: Fraction) -> None:
    """Prove that no row has more mass than a number where another row has none."""
    for second, other in enumerate(matrix.rows):
        empty = [place for place, entry in enumerate(other) if not entry]
        for first, row in enumerate(matrix.rows):
            if sum(row[place] for place in empty) > most:
                raise Refuted(f"rows {first + 1} and {second + 1} have a greater loss than was found as α grows")


def _left_by_doubles(
    rows: Any, matrix: TransitionMatrix, exact_y: Fraction, exact_most: Fraction
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of rows for which doubles do not prove it."""
    if exact_y > LARGEST:
        raise Unchecked("the loss is too great for doubles")
    y, most = float(exact_y), float(exact_most)
    slack = (matrix.n + 8) * U * (2 + y) + 4 * U * (y + most)
    for second, row in enumerate(rows):
        sums = (rows - (1 + y) * row).clip(min=0).sum(axis=1)
        near = sums + slack > most
        if not most:  # then each entry must be at most (1 + y) d by itself
            near = (rows > (1 + y) * row * (1 - 8 * U)).any(axis=1)
        for first in near.nonzero()[0].tolist():
            if first != second and matrix.rows[first] != matrix.rows[second]:
                yield first, second
