"""The best sets of one pair of values, decided exactly: what `best_sets` asks where balls leave them in doubt.

The rows d and v of `best_sets` are carried as integers over a denominator that both share. Where some e^ε is a surd
p + q·√m, an entry is a + b·√m with two integers. Any sets attain x = Σd/Σv; they are the best if x is at least the
d_a/v_a of all values outside of a set, and at most that of all values inside, at each release. Else the sweep with this
x takes better sets (Dinkelbach's iteration), from the first release on where x is not within these bounds.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm

from flint import fmpz_mat

from ...reference.surds import Exact, Surd, surd

STAGE = 8
"""Releases for which sets are sought at a time: beyond the first wrong one the search is in vain."""

KEPT = 32
"""Number of releases whose rows are kept, to go on from; those of others are carried anew."""

Chosen = tuple[bool, ...]
"""Which values are in a set."""

Integers = tuple[fmpz_mat, int]
"""A matrix as integers, and their denominator."""

_Number = tuple[int, int]
"""The integers a and b of a + b·√m."""

_Quotient = tuple[_Number, _Number]
"""A numerator, and a denominator of at least 0."""

_LEAST: _Quotient = (-1, 0), (1, 0)
_MOST: _Quotient = (1, 0), (0, 0)


class ExactSets:
    """The best sets of one pair of values, whose rows of a matrix are given, for growing numbers of releases."""

    def __init__(self, first: fmpz_mat) -> None:
        """Take P_j and P_k, two rows of integers over one denominator."""
        second = first.table()[1]
        zeros = [0] * len(second)
        apart = [p - q for p, q in zip(*first.table(), strict=True)]
        self._first = fmpz_mat([apart, zeros, second, zeros])
        self._matrices: list[Integers] = []
        self._ratios: list[Exact] = []
        self._weights: list[tuple[int, int, int]] = []
        self._forget(0)

    def take(self, matrices: Sequence[Integers], ratios: Sequence[Exact]) -> None:
        """Take the releases, the nearest first: the matrices that lead to each, and e^ε of its budget.

        What is known of releases taken before serves, as far as they are the same.
        Raises: MixedRadicands, if two ratios have no quadratic field in common.
        """
        shared = min(len(ratios), len(self._ratios))
        if self._ratios[:shared] == list(ratios[:shared]) and self._matrices[:shared] == list(matrices[:shared]):
            added = ratios[shared:]
        else:
            self._forget(0)
            self._matrices, self._ratios, self._weights, added = [], [], [], ratios
        surds = [ratio for ratio in (*self._ratios, *added) if isinstance(ratio, Surd)]
        for ratio in added:
            a, b = surds[0].coefficients(ratio) if surds else (ratio, Fraction(0))
            assert isinstance(a, Fraction)
            common = lcm(a.denominator, b.denominator)
            self._weights.append((int(a * common), int(b * common), common))
        self._radicand = surds[0].radicand if surds else 0
        self._ratios.extend(added)
        self._matrices.extend(matrices[len(self._matrices) :])

    def attained(self, sets: Sequence[Chosen]) -> Exact:
        """Return the excess of the ratio that these sets attain over as many releases. Exact."""
        same = (own == other for own, other in zip(self._sets, sets, strict=False))
        self._forget(next((at for at, is_same in enumerate(same) if not is_same), min(len(self._sets), len(sets))))
        for chosen in sets[len(self._sets) :]:
            self._choose(chosen)
        return self._exact(self._attained())

    def greatest(self, depth: int) -> Exact:
        """Return the excess of the greatest ratio over `depth` releases. Exact."""
        for stage in range(len(self._sets) + STAGE, depth, STAGE):
            self._solve(stage)
        return self._exact(self._solve(depth))

    def _solve(self, depth: int) -> _Quotient:
        self._forget(min(depth, len(self._sets)))
        excess: _Quotient = self._attained() if self._sets else ((0, 0), (1, 0))
        while len(self._sets) < depth or not self._is_within(depth - 1, excess):
            # The bounds of a release are at most as far apart as those of the one before.
            self._forget(bisect(range(len(self._sets)), 0, key=lambda at: int(not self._is_within(at, excess))))
            while len(self._sets) < depth:
                above = (self._order(own, excess) > 0 for own in self._quotients(len(self._sets)))
                self._choose(tuple(above))
            excess = self._attained()
        return excess

    def _forget(self, releases: int) -> None:
        """Forget the sets of all but the nearest releases, and what follows from them."""
        if not releases:
            self._sets: list[Chosen] = []
            self._bounds: list[tuple[_Quotient, _Quotient]] = []
            self._carried = {0: self._first}
        else:
            del self._sets[releases:], self._bounds[releases:]
            for later in [at for at in self._carried if at > releases]:
                del self._carried[later]

    def _choose(self, chosen: Chosen) -> None:
        """Take the set of the next release."""
        low, high = self._bounds[-1] if self._bounds else (_LEAST, _MOST)
        for inside, own in zip(chosen, self._quotients(len(self._sets)), strict=True):
            if inside and self._order(own, high) < 0:
                high = own
            elif not inside and self._order(own, low) > 0:
                low = own
        self._sets.append(chosen)
        self._bounds.append((low, high))

    def _is_within(self, release: int, excess: _Quotient) -> bool:
        low, high = self._bounds[release]
        return self._order(low, excess) <= 0 <= self._order(high, excess)

    def _quotients(self, release: int) -> Iterator[_Quotient]:
        """Yield the d_a/v_a of all values at a release, before its answer."""
        d, e, v, w = _integers(self._rows(release))
        return zip(zip(d, e, strict=True), zip(v, w, strict=True), strict=True)

    def _attained(self) -> _Quotient:
        d, e, v, w = (sum(row) for row in _integers(self._weighted(len(self._sets) - 1)))
        return (d, e), (v, w)

    def _rows(self, release: int) -> fmpz_mat:
        """Return d and v at a release, two rows each: from the nearest before it of which they are kept."""
        for at in range(max(own for own in self._carried if own <= release), release):
            self._carried[at + 1] = self._weighted(at) * self._matrices[at + 1][0]
            if at >= KEPT:
                self._carried.pop(at - KEPT + 1, None)
        return self._carried[release]

    def _weighted(self, release: int) -> fmpz_mat:
        """Return d and v with the answer “yes, it is in the set” at a release."""
        a, b, common = self._weights[release]
        table = _integers(self._rows(release))
        found: list[list[int]] = []
        for x, y in (table[:2], table[2:]):
            pairs = [
                self._times((p, q), (a, b)) if inside else (p * common, q * common)
                for p, q, inside in zip(x, y, self._sets[release], strict=True)
            ]
            found.extend(map(list, zip(*pairs, strict=True)))
        return fmpz_mat(found)

    def _times(self, first: _Number, second: _Number) -> _Number:
        (a, b), (c, d) = first, second
        return (a * c + self._radicand * b * d, a * d + b * c) if self._radicand else (a * c, 0)

    def _order(self, first: _Quotient, second: _Quotient) -> int:
        """Return −1, 0 or 1, as the first is less, equal or greater; of 0/0 it is 0."""
        a, b = self._times(first[0], second[1])
        c, d = self._times(second[0], first[1])
        a, b = a - c, b - d
        if a * b < 0:
            rational_part_wins = a * a > self._radicand * b * b
            return 1 if (a > 0) == rational_part_wins else -1
        return (a + b > 0) - (a + b < 0)

    def _exact(self, quotient: _Quotient) -> Exact:
        if not self._radicand:
            return Fraction(quotient[0][0], quotient[1][0])
        above, below = (surd(Fraction(a), Fraction(b), self._radicand) for a, b in quotient)
        return above / below


def _integers(matrix: fmpz_mat) -> list[list[int]]:
    return [[int(entry) for entry in row] for row in matrix.table()]
