"""Tests that read both sides of a time, and are private: what attains much of the profile of TPL.

The releases of one side come first, then those of the other one. A test takes at each release the point of [u, φ_s(u)]
that is nearest to a place x_a, which depends on the value a at that release alone. As on one side (`profile`) it is
private where φ_s(φ_r(u)) ≤ φ_r(φ_s(u)) for each release s before r, t included. The x_a of the first side are those of
theorem (profile) at some slope. What such a test has under j and under k, as functions of its start, then takes the
place of φ_t(u) and of u in the recursion of the other side. No rule is known that always attains δ(α).
Proof: docs/profile.md, proposition "tests of both sides that are private".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from ..correlations import Row
from .profile import Carried, Peaks, ProfileSide, carried, pair_bound
from .profile_grids import Grids, place_of, value_at
from .sweep import ValuePair
from .trade_off import ZERO_CHANCE, TradeOff, below, commute

PAST, FUTURE = 0, 1

SideSteps = tuple[tuple[Row, ...], ...]
"""The matrices of one side, the nearest first."""


@dataclass(frozen=True)
class TwoSides:
    """A time t and the releases on both sides of it, those of one side first.

    first: `PAST` or `FUTURE`. trade_offs: φ_t, those of that side, the nearest first, and those of the other one.
    steps: the matrices towards the past, and towards the future; as many as there are releases of the side.
    """

    first: int
    trade_offs: tuple[TradeOff, ...]
    steps: tuple[SideSteps, SideSteps]

    @property
    def order(self) -> tuple[int, ...]:
        """Of each release its side."""
        return tuple(side for side in (self.first, 1 - self.first) for _ in self.steps[side])

    @cached_property
    def grids(self) -> Grids:
        """The points between which the functions are linear; they depend on the φ alone."""
        return Grids.of(self.trade_offs)

    @cached_property
    def sides(self) -> tuple[ProfileSide, ProfileSide]:
        """The time with the releases of the first side, and with those of the other one."""
        near, *others = self.trade_offs
        count = len(self.steps[self.first])
        one, other = (near, *others[:count]), (near, *others[count:])
        return ProfileSide(one, self.steps[self.first]), ProfileSide(other, self.steps[1 - self.first])

    def smaller(self) -> Iterator[TwoSides]:
        """Yield the same with φ of which none is above its own: its own, and where they differ others. Exact."""
        yield self
        yield from (replace(self, trade_offs=phis) for phis in below(self.trade_offs))


@dataclass(frozen=True, slots=True)
class TwoSidedTest:
    """A set of outputs by its probability given all values: v_1, where v_s is nearest to x_a in [v_s+1, φ_s(v_s+1)].

    sides: the φ, and the order of the releases; pair: the values j and k, from 0; peaks: for each release in this order
    x_a for each of its values; start: u*, the last v. Under l^t = k the probability is v_1, under l^t = j it is
    φ_t(v_1).
    """

    sides: TwoSides
    pair: ValuePair
    peaks: tuple[Peaks, ...]
    start: Fraction

    def is_private(self) -> bool:
        """Whether the φ commute on what it reaches: then what `private_test` finds is of a private stream. Exact."""
        highest = self.start
        for phi, xs in reversed(list(zip(self.sides.trade_offs[1:], self.peaks, strict=True))):
            highest = max(highest, min(max(xs), phi(highest)))
        return commute(self.sides.trade_offs, self.start, highest)

    def value(self, past: Sequence[int], future: Sequence[int]) -> Fraction:
        """Return v_1 for the values of both sides, the nearest first. Exact."""
        values = [a for own in ((past, future) if self.sides.first == PAST else (future, past)) for a in own]
        v = self.start
        for phi, xs, a in reversed(list(zip(self.sides.trade_offs[1:], self.peaks, values, strict=True))):
            v = min(max(xs[a], v), phi(v))
        return v

    def chances(self, bits: int | None = None) -> tuple[Fraction, Fraction]:
        """Return the probabilities of the set of outputs under l^t = j and under l^t = k.

        Args: bits, work in multiples of 2^−bits, the first rounded down, the second up; exactly where it is None.
        """
        place = place_of(self.sides.grids.last, self.start)
        told, told_not = (_told(self.sides, self.pair, own, self.peaks, bits, up=bool(own)) for own in (0, 1))
        p = self.sides.trade_offs[0](ZERO_CHANCE) + Fraction(value_at(told.total, place, 1, False), told.scale)
        return p, Fraction(value_at(told_not.total, place, 1), told_not.scale)


def _told(
    sides: TwoSides, pair: ValuePair, which: int, peaks: Sequence[Peaks], bits: int | None, *, up: bool
) -> Carried:
    """Return as a function of its start how likely a test is, under j less φ_t(0), or under k.

    Args: which, 0 for j, 1 for k; peaks, of the first releases.
    """
    (_, at_zero), *_ = known = sides.trade_offs[0].points
    row, done = [u if which else y - at_zero for u, y in known], 0
    found = Carried([], 1, ())
    for side in sides.sides:
        if side.steps and done < len(peaks):
            functions = [[p * value for value in row] for p in side.steps[0][pair[which]]]
            own = peaks[done : done + len(side.steps)]
            found = carried(sides.grids, done, side.whole, functions, bits=bits, up=up, peaks=own)
            row, done = [Fraction(value, found.scale) for value in found.total], done + len(own)
    return found


def private_test(
    sides: TwoSides, odds: Fraction, pair: ValuePair, slope: Fraction, bits: int | None = None
) -> TwoSidedTest:
    """Return a test with much δ at e^α = odds, of a private stream where the φ commute on what it reaches.

    Args: odds, pair and bits, as `profile.pair_bound`; slope, the e^α at which the first side, which has a release, is
    at its best.
    """
    one, other = sides.sides
    peaks = pair_bound(one, slope, pair, bits).test.peaks
    told, told_not = (_told(sides, pair, own, peaks, bits, up=False) for own in (0, 1))
    rows = [
        (Fraction(p, told.scale), Fraction(q, told_not.scale)) for p, q in zip(told.total, told_not.total, strict=True)
    ]
    total = [p - odds * q for p, q in rows]
    if other.steps:
        (j, k), near = pair, other.steps[0]
        functions = [
            [likely * p - odds * less * q for p, q in rows] for likely, less in zip(near[j], near[k], strict=True)
        ]
        found = carried(sides.grids, len(peaks), other.whole, functions, bits=bits, up=False)
        total, peaks = list(map(Fraction, found.total)), (*peaks, *found.peaks)
    best = max(range(len(total)), key=total.__getitem__)
    return TwoSidedTest(sides, pair, peaks, sides.grids.last[best])
