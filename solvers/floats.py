"""Doubles with proven error bounds: they propose, exact integers decide.

u = 2^−53. Every entry is rounded once, so a double p̂ of p ≥ 0 has |p̂ − p| ≤ u·p as long as it is a normal number;
sums of m such terms, all ≥ 0, are then within a factor 1 ± (m + 1)u of the truth, whatever their order. No bound
here is absolute, so that small entries count as much as large ones; where entries are so small or levels so extreme
that doubles might underflow or overflow, the caller is told (`in_range`) and takes an exact method.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..reference.correlations import TransitionMatrix, over_one_denominator

Doubles = NDArray[np.float64]
Singles = NDArray[np.float32]

UNIT_ROUNDOFF = 2.0**-53
SMALLEST = 1e-290
LARGEST = 1e290
"""Doubles between these may be multiplied and divided by one another's like here without leaving the normal range."""

Wholes = NDArray[np.uint16]

SCALE = 2.0**16 - 2
"""Rows that are multiplied by this add up to less than 2^16, in doubles too."""

VECTOR = 16
"""Numbers of single precision that a processor takes together, at most."""


def in_range(value: Fraction) -> bool:
    """Whether a positive rational is far enough from the ends of the double range."""
    return Fraction(SMALLEST) <= value <= Fraction(LARGEST)


class FloatView:
    """The rows of a transition matrix as doubles for proposing and as integers for deciding.

    entries: the nearest double of each entry; usable: whether the bounds of this module hold for them.
    """

    _of: dict[int, FloatView] = {}  # noqa: RUF012 - by the identity of matrices, as long as they are there

    def __init__(self, matrix: TransitionMatrix) -> None:
        self.rows, self.n = matrix.rows, matrix.n
        self.entries: Doubles = matrix.doubles.copy()  # compiled code takes no array that is read-only
        small = np.flatnonzero(self.entries < SMALLEST).tolist()
        self.usable = all(self.rows[place // self.n][place % self.n] == 0 for place in small)
        self._integers: dict[int, tuple[list[int], int]] = {}

    @classmethod
    def of(cls, matrix: TransitionMatrix) -> FloatView:
        """Return the view of a matrix, made once."""
        view = cls._of.get(id(matrix))
        if view is None:
            view = cls._of[id(matrix)] = cls(matrix)
            weakref.finalize(matrix, cls._of.pop, id(matrix), None)
        return view

    @cached_property
    def singles(self) -> Singles:
        """The entries in single precision, with columns of zeros at the end: a whole number of vectors a row."""
        columns = -(-self.n // VECTOR) * VECTOR
        padded = np.zeros((self.n, columns), dtype=np.float32)
        padded[:, : self.n] = self.entries
        return padded

    @cached_property
    def whole(self) -> tuple[Wholes, float]:
        """The entries times `SCALE`, without fractions; and what all fractions of a row add up to, at most."""
        whole = (SCALE * self.entries).astype(np.uint16)
        return whole, SCALE - float(whole.sum(axis=1).min())

    def integers(self, row: int) -> tuple[list[int], int]:
        """Return a row as integers over its own common denominator, and that denominator. Exact."""
        if row not in self._integers:
            self._integers[row] = over_one_denominator(self.rows[row])
        return self._integers[row]

    def sums(self, row_q: int, row_d: int, indices: Iterable[int]) -> tuple[Fraction, Fraction]:
        """Return the sums of two rows over a set of columns. Exact."""
        chosen = list(indices)
        (q_row, q_denominator), (d_row, d_denominator) = self.integers(row_q), self.integers(row_d)
        return (
            Fraction(sum(q_row[j] for j in chosen), q_denominator),
            Fraction(sum(d_row[j] for j in chosen), d_denominator),
        )

    def distinct(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Keep, of the pairs of rows that are one another's with the columns permuted, the first.

        Args: pairs, shape (m, 2), in order of preference. Returns: those that are left, in order; decided exactly.
        """
        rows, places = np.unique(pairs, return_inverse=True)
        numbers: dict[tuple[int, int], int] = {}  # equal exactly where entries are
        names = np.array(
            [[numbers.setdefault(p.as_integer_ratio(), len(numbers)) for p in self.rows[row]] for row in rows.tolist()]
        )
        seen: set[bytes] = set()
        kept = []
        for index, (place_q, place_d) in enumerate(places.reshape(-1, 2).tolist()):
            key = np.sort(names[place_q] * len(numbers) + names[place_d]).tobytes()
            if key not in seen:
                seen.add(key)
                kept.append(index)
        return pairs[kept]
