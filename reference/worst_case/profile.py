"""The profile of the worst case: with which (α, δ) a stream protects the value at one time, theorem (profile).

δ(α) is the greatest Pr(out | l^t = j) − e^α Pr(out | l^t = k), over all sets of outputs, all pairs of values and all
streams in which changing the value at time s alone keeps φ_s (`trade_off`). Let g_a(u) = P(j, a)·φ_t(u) − e^α P(k, a)·u
for a test that has probability u under l^t = k, and from the nearest release of a side to the farthest

    f_a(u) = max of g_a on [u, φ_s(u)],     g_b(u) = Σ_a P(a, b)·f_a(u) at the next farther release;

then max_u Σ_a f_a(u) bounds δ(α) of the pair, for BPL with P = P^B of causal streams, for FPL with P^F. It is attained
where φ_s(φ_r(u)) ≤ φ_r(φ_s(u)) for each release s nearer than r, t included: with one φ, and with all that commute.
The test that attains it takes at each release the point of [u, φ_s(u)] that is nearest to the place x_a where g_a is
greatest.
Proof: docs/profile.md.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from flint import fmpz_mat

from ..correlations import Row
from ..errors import InvalidRequest
from .profile_grids import (
    Grids,
    common_part,
    greatest_in,
    over_one_denominator,
    place_of,
    rounded,
    value_at,
)
from .sweep import ValuePair
from .trade_off import ONE, ZERO_CHANCE, TradeOff, below, commute

Peaks = tuple[Fraction, ...]
"""For each value a the place x_a where g_a is greatest."""


@dataclass(frozen=True)
class ProfileSide:
    """A time t and the releases on one side of it, the nearest first.

    trade_offs: φ_t, and that of each release. steps: steps[s] has the rows Pr(value at release s + 1 | at release s),
    where release 0 is that of t. Raises: InvalidRequest where the numbers differ.
    """

    trade_offs: tuple[TradeOff, ...]
    steps: tuple[tuple[Row, ...], ...]

    def __post_init__(self) -> None:
        if len(self.trade_offs) != len(self.steps) + 1:
            raise InvalidRequest(f"{len(self.trade_offs)} trade-off functions for {len(self.steps)} steps and one time")

    @cached_property
    def grids(self) -> Grids:
        """The points between which the functions are linear; they depend on the φ alone."""
        return Grids.of(self.trade_offs)

    @cached_property
    def whole(self) -> tuple[tuple[fmpz_mat, int], ...]:
        """The transposed matrix of each step over a common denominator, and that."""
        known: dict[int, tuple[fmpz_mat, int]] = {}
        return tuple(known.setdefault(id(step), over_one_denominator(step)) for step in self.steps)

    def commutes(self, low: Fraction = ZERO_CHANCE, high: Fraction = ONE) -> bool:
        """Whether tests with values from [low, high] are private; the bound is attained if so on [0, 1]. Exact."""
        return commute(self.trade_offs, low, high)

    @cached_property
    def attainable(self) -> tuple[ProfileSide, ...]:
        """Sides whose tests may be private for the φ of this one, the best first, of the last all are. Exact."""
        return self, *(ProfileSide(smaller, self.steps) for smaller in below(self.trade_offs))


@dataclass(frozen=True, slots=True)
class PairBound:
    """δ of a pair of values at one α, or an upper bound of it, and the test that has it. Exact."""

    delta: Fraction
    test: ProfileTest


def pair_bound(side: ProfileSide, odds: Fraction, pair: ValuePair, bits: int | None = None) -> PairBound:
    """Return max_u Σ_a f_a(u) of theorem (profile), an *upper* bound of δ(α) for a pair of values.

    Args:
        side: the releases on one side of the time.
        odds: e^α, above 0.
        pair: the values j and k, from 0.
        bits: work in whole multiples of 2^−bits, every value rounded up; exactly where it is None.

    Returns: the bound, attained where the φ commute, bits is None and no point is left out (`side.grids.is_whole`); and
    the test that the recursion finds.
    """
    j, k = pair
    if not side.steps:
        phi = side.trade_offs[0]
        delta, start = max(((phi(u) - odds * u, -u) for u in phi.kinks), key=lambda each: each)
        return PairBound(delta, ProfileTest(pair, (), -start))
    rows, known = side.steps[0], side.trade_offs[0].points
    at_zero = known[0][1]  # what all functions together have at u = 0: added at the end, it is not rounded
    initial = [[rows[j][a] * (y - at_zero) - odds * rows[k][a] * u for u, y in known] for a in range(len(rows))]
    found = carried(side.grids, 0, side.whole, initial, bits=bits)
    best = max(range(len(found.total)), key=found.total.__getitem__)
    test = ProfileTest(pair, found.peaks, side.grids.last[best])
    return PairBound(at_zero + Fraction(found.total[best], found.scale), test)


@dataclass(frozen=True, slots=True)
class Carried:
    """The sum of all functions behind the last of some releases, in multiples of 1/scale, and the places x_a."""

    total: list[int]
    scale: int
    peaks: tuple[Peaks, ...]


def carried(
    grids: Grids,
    first: int,
    whole: Sequence[tuple[fmpz_mat, int]],
    functions: Sequence[Sequence[Fraction]],
    *,
    bits: int | None,
    up: bool = True,
    peaks: Sequence[Peaks] | None = None,
) -> Carried:
    """Return what the recursion makes of functions g_a, given at the points before a release.

    Args: first, the number of that release in the grids; whole, `ProfileSide.whole` of the releases of one side; bits
    and up, how values are rounded, exact where bits is None; peaks, of a test that stops there, None for where g_a is
    greatest.
    """
    scale = 1 << bits if bits is not None else lcm(*(value.denominator for row in functions for value in row))
    values = [[rounded(value.numerator * scale, value.denominator, up) for value in row] for row in functions]
    found: list[Peaks] = []
    for s, (matrix, common) in enumerate([*whole[1:], (None, 1)]):
        points, windows = grids.points[first + s], grids.windows[first + s]
        values = [grids.kept(first + s, row, up) for row in values]
        multiple = 1 if bits is not None else common_part(windows)
        if peaks is None:
            found.append(tuple(points[row.index(max(row))] for row in values))
            values = [[greatest_in(row, window, multiple) for window in windows] for row in values]
        else:
            places = [(place_of(points, x)[0], ZERO_CHANCE) for x in peaks[s]]
            values = [
                [value_at(row, max(window.start, min(place, window.end)), multiple, up) for window in windows]
                for row, place in zip(values, places, strict=True)
            ]
        scale *= multiple
        if matrix is None:
            break
        values = [[int(value) for value in row] for row in (matrix * fmpz_mat(values)).tolist()]
        if bits is None:
            scale *= common
        else:
            values = [[rounded(value, common, up) for value in row] for row in values]
    return Carried([int(sum(column)) for column in zip(*values, strict=True)], scale, tuple(peaks or found))


@dataclass(frozen=True, slots=True)
class ProfileTest:
    """A set of outputs of some private stream, by its probability given all values: what attains a bound of δ(α).

    pair: the values j and k, from 0. peaks: for each release, the nearest first, a point x_a for each value a. start:
    u*. Given values a_1, a_2, … outward from the time, the set has under l^t = k the probability v_1, where v_s is
    the point of [v_{s+1}, φ_s(v_{s+1})] that is nearest to x_{a_s}, from u* at the far end; under l^t = j it has
    φ_t(v_1). Whatever the x_a and u*, this is φ_s-private at each time where φ_s φ_r ≤ φ_r φ_s for s nearer than r.
    """

    pair: ValuePair
    peaks: tuple[Peaks, ...]
    start: Fraction

    def is_private(self, side: ProfileSide) -> bool:
        """Whether this is the test of a stream with the φ of a side, at every time. Exact."""
        highest = self.start
        for phi, xs in reversed(list(zip(side.trade_offs[1:], self.peaks, strict=True))):
            highest = max(highest, min(max(xs), phi(highest)))
        return side.commutes(self.start, highest)

    def value(self, trade_offs: Sequence[TradeOff], values: Sequence[int]) -> Fraction:
        """Return v_1 for the values of a side, the nearest first. Exact. Args: trade_offs, as in `ProfileSide`."""
        v = self.start
        for phi, xs, a in reversed(list(zip(trade_offs[1:], self.peaks, values, strict=True))):
            v = min(max(xs[a], v), phi(v))
        return v

    def chances(self, side: ProfileSide, bits: int | None = None) -> tuple[Fraction, Fraction]:
        """Return the probabilities of the set of outputs under l^t = j and under l^t = k, multiplied out.

        Args: side, of the φ for which it is private; bits, work in multiples of 2^−bits, the first probability rounded
        down, the second up; exactly where it is None.
        """
        j, k = self.pair
        phi = side.trade_offs[0]
        if not side.steps:
            return phi(self.start), self.start
        told, told_not = self._reached(side, bits, up=False), self._reached(side, bits, up=True) if bits else None
        rows = side.steps[0]
        first = sum((phi(v) * _dot(rows[j], own) for v, own in told.items()), ZERO_CHANCE)
        second = sum((v * _dot(rows[k], own) for v, own in (told_not or told).items()), ZERO_CHANCE)
        return first, second

    def _reached(self, side: ProfileSide, bits: int | None, up: bool) -> dict[Fraction, list[Fraction]]:
        """Return for each value v_1 how likely it is given each value a_1 of the nearest release."""
        n, scale = len(side.steps[0]), 1 << (bits or 0)
        weights: dict[Fraction, list[int]] = {self.start: [scale] * n}
        for s in range(len(side.steps) - 1, -1, -1):
            phi, xs = side.trade_offs[s + 1], self.peaks[s]
            rising = sorted({*xs})
            order = [rising.index(x) for x in xs]
            onward: dict[Fraction, list[int]] = {}
            for v, own in weights.items():
                high = phi(v)
                low_place, high_place = bisect_right(rising, v), bisect_left(rising, high)
                places = [min(max(place, low_place - 1), high_place) for place in order]
                for place in {*places}:
                    to = v if place < low_place else high if place >= high_place else rising[place]
                    into = onward.setdefault(to, [0] * n)
                    for a in range(n):
                        into[a] += own[a] if places[a] == place else 0
            if not s:
                return {v: [Fraction(weight, scale) for weight in own] for v, own in onward.items()}
            transposed, common = side.whole[s]
            table = fmpz_mat(list(onward.values())) * transposed
            if bits is None:
                scale *= common
                product = [[int(value) for value in row] for row in table.tolist()]
            else:
                product = [
                    [int(-(-value // common)) if up else int(value // common) for value in row]
                    for row in table.tolist()
                ]
            weights = dict(zip(onward, product, strict=True))
        raise AssertionError("a side has a release")


def _dot(weights: Sequence[Fraction], values: Sequence[Fraction]) -> Fraction:
    return sum((w * v for w, v in zip(weights, values, strict=True) if w), ZERO_CHANCE)
