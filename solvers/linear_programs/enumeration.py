"""Enumeration: every subset of columns for every ordered pair of rows, in fractions.

The program of Eq. [eq:lfp] is maximised by trying all 2^n vertices of the box. No corollary of the paper is used, and
nothing of `reference.paper.lfp`, so that an agreement of the two says something.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ...reference.correlations import Row, TransitionMatrix
from ...reference.errors import InvalidRequest
from ...reference.levels import INFINITE, ZERO, Level

LARGEST_N = 12
"""The most states for which 2^n subsets per pair are tried."""

Attained = tuple[int, int, tuple[int, ...]]
"""A row q, a row d and a set of columns, all counted from 0."""


@dataclass(frozen=True, slots=True)
class Optimum:
    """The greatest value over all pairs of rows and all subsets, and every pair and subset that attains it.

    ratio: e^value, None for +∞; attained_by: empty for a matrix of one state, which has no pair.
    """

    ratio: Fraction | None
    attained_by: tuple[Attained, ...]

    @property
    def level(self) -> Level:
        """The value as a level. Exact."""
        if self.ratio is None:
            return INFINITE
        return Level.of_ratio(self.ratio) if self.attained_by else ZERO


def enumerated_loss(matrix: TransitionMatrix, alpha: Level) -> Optimum:
    """Return L(alpha) by trying every subset of columns for every ordered pair of rows.

    Args: matrix; alpha, with a rational ratio or infinite. Returns: the optimum and all that attain it, exact.
    Raises: InvalidRequest for another alpha, or for more than `LARGEST_N` states.
    """
    ratio = alpha.ratio
    if not alpha.is_infinite and not isinstance(ratio, Fraction):
        raise InvalidRequest("enumeration needs a level whose ratio is rational, or inf")
    if matrix.n > LARGEST_N:
        raise InvalidRequest(f"enumeration is for at most {LARGEST_N} states, not {matrix.n}")
    best: Fraction | None = Fraction(0)
    attained: list[Attained] = []
    for row_q, q in enumerate(matrix.rows):
        for row_d, d in enumerate(matrix.rows):
            if row_q == row_d:
                continue
            for indices in subsets(matrix.n):
                value = _limit(q, d, indices) if alpha.is_infinite else _quotient(q, d, indices, ratio)
                if value == best:
                    attained.append((row_q, row_d, indices))
                elif best is not None and (value is None or value > best):
                    best, attained = value, [(row_q, row_d, indices)]
    return Optimum(best, tuple(attained))


def subsets(n: int) -> Iterator[tuple[int, ...]]:
    """Yield the 2^n sets of the indices 0..n − 1, each in rising order."""
    for mask in range(2**n):
        yield tuple(j for j in range(n) if mask >> j & 1)


def _quotient(q: Row, d: Row, indices: tuple[int, ...], ratio: object) -> Fraction:
    """Return q·x / d·x with x_j = e^α on the indices and 1 elsewhere."""
    assert isinstance(ratio, Fraction)
    x = [ratio if j in indices else Fraction(1) for j in range(len(q))]
    above = sum((q_j * x_j for q_j, x_j in zip(q, x, strict=True)), Fraction(0))
    return above / sum((d_j * x_j for d_j, x_j in zip(d, x, strict=True)), Fraction(0))


def _limit(q: Row, d: Row, indices: tuple[int, ...]) -> Fraction | None:
    """Return the limit of the same quotient as e^α grows without bound, None for +∞."""
    above = sum((q[j] for j in indices), Fraction(0))
    below = sum((d[j] for j in indices), Fraction(0))
    if below:
        return above / below
    return None if above else Fraction(1)
