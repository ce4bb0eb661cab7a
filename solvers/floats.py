"""Doubles with proven error bounds: they propose, exact integers decide.

u = 2^−53. Every entry is rounded once, so a double p̂ of p ≥ 0 has |p̂ − p| ≤ u·p as long as it is a normal number;
sums of m such terms, all ≥ 0, are then within a factor 1 ± (m + 1)u of the truth, whatever their order. No bound
here is absolute, so that small entries count as much as large ones; where entries are so small or levels so extreme
that doubles might underflow or overflow, the caller is told (`in_range`) and takes an exact method.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import NDArray

from ..reference.correlations import TransitionMatrix

Doubles = NDArray[np.float64]

UNIT_ROUNDOFF = 2.0**-53
SMALLEST = 1e-290
LARGEST = 1e290
"""Doubles between these may be multiplied and divided by one another's like here without leaving the normal range."""


def in_range(value: Fraction) -> bool:
    """Whether a positive rational is far enough from the ends of the double range."""
    return Fraction(SMALLEST) <= value <= Fraction(LARGEST)


class FloatView:
    """A transition matrix as doubles for proposing and as integers for deciding.

    entries: the nearest double of each entry; usable: whether the bounds of this module hold for them.
    """

    def __init__(self, matrix: TransitionMatrix) -> None:
        self.matrix = matrix
        self.entries: Doubles = np.array([[float(entry) for entry in row] for row in matrix.rows])
        self.usable = bool(
            np.all((self.entries >= SMALLEST) | np.array([[entry == 0 for entry in row] for row in matrix.rows]))
        )
        self._rows: dict[int, tuple[list[int], int]] = {}

    def integers(self, row: int) -> tuple[list[int], int]:
        """Return a row as integers over its own common denominator, and that denominator. Exact."""
        if row not in self._rows:
            entries = self.matrix.rows[row]
            denominator = lcm(*(entry.denominator for entry in entries))
            self._rows[row] = (
                [entry.numerator * (denominator // entry.denominator) for entry in entries],
                denominator,
            )
        return self._rows[row]

    def sums(self, row_q: int, row_d: int, indices: Iterable[int]) -> tuple[Fraction, Fraction]:
        """Return the sums of two rows over a set of columns. Exact."""
        chosen = list(indices)
        (q_row, q_denominator), (d_row, d_denominator) = self.integers(row_q), self.integers(row_d)
        return (
            Fraction(sum(q_row[j] for j in chosen), q_denominator),
            Fraction(sum(d_row[j] for j in chosen), d_denominator),
        )

    @cached_property
    def _names(self) -> NDArray[np.int64]:
        """The entries as small integers, equal exactly where the rationals are equal."""
        names: dict[Fraction, int] = {}
        return np.array([[names.setdefault(entry, len(names)) for entry in row] for row in self.matrix.rows])

    def distinct(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Keep, of the pairs of rows that are one another's with the columns permuted, the first.

        Args: pairs, shape (m, 2), in order of preference. Returns: those that are left, in order; decided exactly.
        """
        base = int(self._names.max()) + 1
        seen: set[bytes] = set()
        kept = []
        for index, (row_q, row_d) in enumerate(pairs):
            key = np.sort(self._names[row_q] * base + self._names[row_d]).tobytes()
            if key not in seen:
                seen.add(key)
                kept.append(index)
        return pairs[kept]
