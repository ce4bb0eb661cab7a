"""What doubles prove of many pairs of values at once: that W ≤ 0, with one stated error bound.

One side of a time, the nearest release first. For two values (j, k) and an excess x let c_0 = (P_j − P_k) − x P_k,
Φ_i(c) = c + (e^{ε_i} − 1)·max(c, 0), c_{i+1} = Φ_i(c_i) P_i, and W_d(x) the sum of the entries of Φ_{d−1}(c_{d−1}). By
theorem (sweep) of `reference.worst_case.sweep` the greatest ratio B_d of the pair over d releases is at most 1 + x if
and only if W_d(x) ≤ 0. What makes this cheap for all pairs at all times:

- Φ and products with P rise with c: what is proved of a c that is too great holds of the true one.
- B_d rises with d: a bound over more of the nearest releases holds over fewer. Where c ≤ 0, W ≤ 0 at all depths.
- Where 1 + A bounds what all releases from the i-th on do to the odds of any two values, A may stand for e^{ε_i} − 1,
  and the sweep ends there. The leakage claimed for an earlier time is such an A: what proves that claim, of one side or
  of both, bounds this side, and rests on times still earlier.

*Doubles.* u = 2^−53, c̄ ≥ c entrywise, E a double ≥ e^ε − 1, P rounded to nearest, f = fl(c̄ + E·max(c̄, 0)). Both terms
of f have one sign, so f loses at most 3u|f|; P loses u P; a sum of n products in any order loses at most γ_n |f| P. So
fl(f P) + (n + 6)u·fl(|f| P) is at least the next c, with what is left over for terms in u²; sums likewise. At the start
fl(c_0) + 5u(|P_j − P_k| + 3u + x P_k) + 2u P_k suffices. An entry of f nearer to 0 than `FLOOR` becomes it, or 0 if
negative, so that no product underflows. Rows are scaled by powers of 2; what comes nearer to 0 than that is raised too.
That these steps suffice is proved in proofs_checks/rocq/Doubles.v, what makes it cheap in Above.v there.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, inf, nextafter
from operator import mul

import numpy as np
from numpy.typing import NDArray

from ..reference.correlations import Row, nearest_doubles
from ..reference.levels import Level
from .above_lines import IntegerMatrix, Lines
from .above_loss import BITS, U

Doubles = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

FLOOR = 1e-150
"""Nearest to 0 that a positive entry may come: the product of two such numbers is no subnormal."""

SCALED_EVERY = 64
"""Steps after which rows are scaled."""


class CheckedSide:
    """The releases before a time, or after it with time reversed: `steps[s]` leads from release s + 1 to release s.

    outward: for each release, what the odds of any two values may change by from it on, less 1, as it is claimed.
    """

    def __init__(
        self, steps: Sequence[Sequence[Row]], budgets: Sequence[Level], outward: Doubles | None = None
    ) -> None:
        values: dict[tuple[Row, ...], int] = {}
        objects = {id(step): step for step in steps}
        number = {key: values.setdefault(tuple(step), len(values)) for key, step in objects.items()}
        self.which = np.array([number[id(step)] for step in steps], dtype=np.int64)
        self.rows, self.n = list(values), len(steps[0])
        own = {id(level): level for level in budgets}
        known = {key: None if level.is_infinite else level.excess_bounds(2 * BITS)[1] for key, level in own.items()}
        self.excesses = [known[id(level)] for level in budgets]
        self.growth = np.array([inf if own is None else above_it(own) for own in self.excesses])
        self.outward = np.full(len(budgets), inf) if outward is None else outward.copy()
        self.outward[0] = self.growth[0]
        self.is_steady = len(self.rows) == 1 and len(set(self.excesses[: len(steps)])) == 1
        self.matrices = np.array([nearest_doubles(rows) for rows in self.rows])
        if ((self.matrices > 0) & (self.matrices < FLOOR)).any():
            self.matrices[:] = inf  # bounds nothing: left to integers
        self._integers: dict[int, tuple[list[IntegerMatrix], dict[Fraction | None, int | None]]] = {}

    def first(self, release: Indices, pairs: Indices, x: Doubles) -> Doubles:
        """Return c̄ before the nearest release."""
        number, x = self.which[release], x[:, None]
        second = self.matrices[number, pairs[:, 1]]
        apart = self.matrices[number, pairs[:, 0]] - second
        above: Doubles = 5 * U * (np.abs(apart) + 3 * U + x * second) + 2 * U * second
        above += apart - x * second
        return above

    def after(self, c: Doubles, growth: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        """Return f̄ after a release, its size, and the sum W̄. Args: growth, of each row, a column, or of each entry."""
        f = c + np.where(c > 0, growth * c, 0)
        f = raised(f, f)
        size = np.abs(f)
        return f, size, f.sum(axis=1) + (self.n + 6) * U * size.sum(axis=1)

    def onward(self, f: Doubles, size: Doubles, release: Indices) -> Doubles:
        """Return c̄ before the next release, that of this number."""
        return self.times(f, release) + (self.n + 6) * U * self.times(size, release)

    def lines(self, time: int, pair: Sequence[int], bits: int, end: int = 0, last: Fraction | None = None) -> Lines:
        """Return the sweeps of a pair before a time back to an end, in integers.

        Args: last, what the odds may change by from the end on, less 1, if that is known.
        """
        matrices, growths = self.releases(time, bits, end)
        if last is not None:
            growths[-1] = ceil(last * 2**bits)
        return Lines(matrices, growths, pair, bits)

    def releases(self, time: int, bits: int, end: int = 0) -> tuple[list[IntegerMatrix], list[int | None]]:
        """Return matrices and e^ε − 1 of the releases before a time back to an end, in integers, the nearest first."""
        if bits not in self._integers:
            growths = {own: None if own is None else ceil(own * 2**bits) for own in set(self.excesses)}
            self._integers[bits] = [IntegerMatrix(rows, bits) for rows in self.rows], growths
        matrices, of_excess = self._integers[bits]
        nearest = range(time - 1, end - 1, -1)
        return [matrices[self.which[at]] for at in nearest], [of_excess[self.excesses[at]] for at in nearest]

    def is_silent(self, time: int, depth: int, pair: Sequence[int]) -> bool:
        """Return whether the releases before a time tell nothing of a pair: B = 1, in fractions.

        At x = 0 the entries of c add up to 0, so W ≤ 0 if and only if no c is above 0 where a budget is: it is 0 there.
        """
        j, k = (self.rows[self.which[time - 1]][value] for value in pair)
        c = [p - q for p, q in zip(j, k, strict=True)]
        for release in range(time - 1, time - 1 - depth, -1):
            if not any(c) or all(own == 0 for own in self.excesses[time - depth : release + 1]):
                return True
            if self.excesses[release] != 0:
                return False
            if release:
                columns = zip(*self.rows[self.which[release - 1]], strict=True)
                c = [sum(map(mul, c, column), Fraction(0)) for column in columns]
        return True

    def times(self, rows: Doubles, release: Indices) -> Doubles:
        """Return rows times the matrix that leads to this release."""
        if len(self.rows) == 1:
            product: Doubles = rows @ self.matrices[0]
            return product
        numbers, found = self.which[release], np.empty_like(rows)
        for number in np.unique(numbers):
            own = numbers == number
            found[own] = rows[own] @ self.matrices[number]
        return found

    def proved(self, times: Indices, ends: Indices, pairs: Indices, x: Doubles, claims: Doubles | None = None) -> Mask:
        """Return for which rows W̄ ≤ 0 over the releases before a time back to an end, and those beyond it.

        Args: claims, as of `between`, of what the end and those beyond it do; by default `outward`.
        """
        found, rows, release = np.zeros(len(x), dtype=bool), np.arange(len(x)), times - 1
        c, step = self.first(release, pairs, x), 0
        while len(rows):
            is_over = (c <= 0).all(axis=1)
            found[rows[is_over]] = True
            goes_on = ~is_over & (c < 0).any(axis=1)
            rows, c, release, ends = rows[goes_on], c[goes_on], release[goes_on], ends[goes_on]
            is_last = release == ends
            growth = np.where(is_last, self.outward[release], self.growth[release])[:, None]
            if claims is not None and is_last.any():
                growth = np.where(is_last[:, None], between(c, claims), growth)
            f, size, w = self.after(c, growth)
            found[rows[is_last & (w <= 0)]] = True
            goes_on = ~is_last & (w <= 0)
            rows, f, size = rows[goes_on], f[goes_on], size[goes_on]
            release, ends, step = release[goes_on] - 1, ends[goes_on], step + 1
            c = self.onward(f, size, release)
            if step % SCALED_EVERY == 0:
                scale = np.ldexp(1.0, -np.frexp(np.abs(c).max(axis=1, initial=FLOOR))[1])[:, None]
                c = raised(c * scale, c)
        return found


def between(c: Doubles, claims: Doubles) -> Doubles:
    """Return for each entry, of those that are above 0, the greatest claim of its odds against entries below 0.

    Args: claims, for values a and b what the odds of a against b may change by, less 1.
    """
    found: Doubles = np.stack([np.where(c < 0, own, 0).max(axis=1) for own in claims], axis=1)
    return found


def raised(c: Doubles, exact: Doubles) -> Doubles:
    """Return numbers of which those near to 0 are `FLOOR` where they are positive before they are scaled, or else 0."""
    found: Doubles = np.where(np.abs(c) < FLOOR, np.where(exact > 0, FLOOR, 0), c)
    return found


def above_it(value: Fraction) -> float:
    """Return a double at or above a number, ∞ beyond them."""
    return nextafter(float(value), inf) if value < 10**300 else inf


def below_it(value: Fraction | float) -> float:
    """Return a double at or below a number."""
    return nextafter(float(value), -inf) if value < 10**300 else 1e300
