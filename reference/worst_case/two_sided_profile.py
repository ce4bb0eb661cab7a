"""The profile of TPL: releases on both sides of a time, all told by one test; theorem (two-sided profile).

With P towards the past and Q towards the future put g_ab(u) = P(j, a)·Q(j, b)·φ_t(u) − e^α P(k, a)·Q(k, b)·u for the
nearest values a and b. The releases are taken in any order in which a nearer one of a side comes before a farther one:

    f_ab(u) = max of g_ab on [u, φ_s(u)],     g_a'b(u) = Σ_a P(a, a')·f_ab(u)   where s is of the past,

likewise where it is of the future, and without P after the last of a side. Then max_u of what is left bounds δ(α) from
above. From below a test does: it takes at each release the point of [u, φ_s(u)] that is nearest to a place x_ab. It is
private where the φ commute and, for each a, all x_ab are in one [L_a, φ_r(L_a)], r being the nearest release that is
left on the other side (for releases of the future: for each b, and a over the past). Where the g_ab have their maxima
at such places the two are equal, and the bound exact; no rule that always is so is known. Proof: docs/profile.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, zip_longest
from math import lcm

from flint import fmpz_mat

from ..correlations import Row
from .profile import Peaks
from .profile_grids import (
    Grids,
    ceiling,
    common_part,
    greatest_in,
    over_one_denominator,
    place_of,
    value_at,
)
from .sweep import ValuePair
from .trade_off import ZERO_CHANCE, TradeOff, below, commute

PAST, FUTURE = 0, 1

SideSteps = tuple[tuple[Row, ...], ...]
"""The matrices of one side, the nearest first."""

Places = tuple[tuple[Fraction, ...], ...]
"""For the nearest values a and b of both sides the place x_ab."""

FunctionTable = list[list[list[int]]]
"""For a and b a function, by its values at the points of a grid, in multiples of one unit."""

PlaceRule = Callable[[int, FunctionTable], list[list[int]]]
"""The index of the point x_ab, for the number of a release and the functions g_ab."""


@dataclass(frozen=True)
class TwoSides:
    """A time t and the releases on both sides of it, in the order in which they are taken.

    trade_offs: φ_t, and that of each release in this order. order: `PAST` or `FUTURE` for each. steps: the matrices
    towards the past, and towards the future; as many as there are releases of the side.
    """

    trade_offs: tuple[TradeOff, ...]
    order: tuple[int, ...]
    steps: tuple[SideSteps, SideSteps]

    @classmethod
    def orders(
        cls,
        near: TradeOff,
        trade_offs: tuple[Sequence[TradeOff], Sequence[TradeOff]],
        steps: tuple[SideSteps, SideSteps],
    ) -> Iterator[TwoSides]:
        """Yield four orders: both sides in turn, the past or the future first; and all of it before all of the other.

        Args: near, φ_t; trade_offs, of the releases of the past, and of the future, the nearest first.
        """
        past, future = ([side] * len(own) for side, own in zip((PAST, FUTURE), trade_offs, strict=True))
        in_turn = (
            tuple(side for each in zip_longest(*both) for side in each if side is not None)
            for both in ((past, future), (future, past))
        )
        for order in (*in_turn, (*past, *future), (*future, *past)):
            own = [iter(side) for side in trade_offs]
            yield cls((near, *(next(own[side]) for side in order)), order, steps)

    @cached_property
    def grids(self) -> Grids:
        """The points between which the functions are linear; they depend on the φ alone."""
        return Grids.of(self.trade_offs)

    @cached_property
    def onward(self) -> tuple[tuple[fmpz_mat, int], ...]:
        """By what the functions are multiplied after each release: a transposed matrix over a denominator, and that."""
        found, taken = [], [0, 0]
        known: dict[int, tuple[fmpz_mat, int]] = {}
        for side in self.order:
            own = self.steps[side]
            taken[side] += 1
            if taken[side] == len(own):
                found.append((fmpz_mat([[1] * len(own[-1])]), 1))
            else:
                step = own[taken[side]]
                found.append(known.setdefault(id(step), over_one_denominator(step)))
        return tuple(found)

    @property
    def at_zero(self) -> Fraction:
        """φ_t(0): what all functions together have at u = 0, before any maximum is taken."""
        return self.trade_offs[0].points[0][1]

    def opposite(self, s: int) -> TradeOff | None:
        """Return φ of the nearest release that is left on the other side when release s is taken."""
        left = (place for place in range(s + 1, len(self.order)) if self.order[place] != self.order[s])
        place = next(left, None)
        return None if place is None else self.trade_offs[place + 1]

    def smaller(self) -> Iterator[TwoSides]:
        """Yield the same with φ of which none is above its own: its own, and where they differ others. Exact."""
        yield self
        yield from (replace(self, trade_offs=phis) for phis in below(self.trade_offs))


@dataclass(frozen=True, slots=True)
class TwoSidedTest:
    """A set of outputs by its probability given all values: v_1, where v_s is nearest to x_ab in [v_s+1, φ_s(v_s+1)].

    sides: the φ, and the order of the releases; pair: the values j and k, from 0; places: x_ab for each release in this
    order; start: u*, the last v. Under l^t = k the probability is v_1, under l^t = j it is φ_t(v_1).
    """

    sides: TwoSides
    pair: ValuePair
    places: tuple[Places, ...]
    start: Fraction

    def is_private(self) -> bool:
        """Whether the φ commute on what it reaches: then what `private_test` finds is of a private stream. Exact."""
        highest = self.start
        for phi, places in reversed(list(zip(self.sides.trade_offs[1:], self.places, strict=True))):
            highest = max(highest, min(max(chain(*places)), phi(highest)))
        return commute(self.sides.trade_offs, self.start, highest)

    def value(self, past: Sequence[int], future: Sequence[int]) -> Fraction:
        """Return v_1 for the values of both sides, the nearest first. Exact."""
        values, left = (past, future), [len(past), len(future)]
        v = self.start
        for phi, places, side in reversed(
            list(zip(self.sides.trade_offs[1:], self.places, self.sides.order, strict=True))
        ):
            left[side] -= 1
            a, b = (own[at] if at < len(own) else 0 for own, at in zip(values, left, strict=True))
            v = min(max(places[a][b], v), phi(v))
        return v

    def chances(self, bits: int | None = None) -> tuple[Fraction, Fraction]:
        """Return the probabilities of the set of outputs under l^t = j and under l^t = k.

        Args: bits, work in multiples of 2^−bits, the first rounded down, the second up; exactly where it is None.
        """

        def rule(s: int, _: FunctionTable) -> list[list[int]]:
            points = self.sides.grids.points[s]
            return [[place_of(points, x)[0] for x in row] for row in self.places[s]]

        place = place_of(self.sides.grids.last, self.start)
        found = []
        for weights, up in (((1, 0), False), ((0, 1), True)):
            row, scale, _ = _carried(self.sides, weights, self.pair, rule, bits=bits, up=up)
            found.append(weights[0] * self.sides.at_zero + Fraction(value_at(row, place, 1, up), scale))
        return found[0], found[1]


@dataclass(frozen=True, slots=True)
class TwoSidedBound:
    """An upper bound of δ of a pair of values at one α, and what would attain it if it were private."""

    delta: Fraction
    test: TwoSidedTest


def two_sided_bound(sides: TwoSides, odds: Fraction, pair: ValuePair, bits: int | None = None) -> TwoSidedBound:
    """Return an *upper* bound of δ(α) for a pair of values, by theorem (two-sided profile) with one order.

    Args:
        sides: the releases in their order.
        odds: e^α, above 0.
        pair: the values j and k, from 0.
        bits: work in whole multiples of 2^−bits, every value rounded up; exactly where it is None.

    Returns: the bound.
    """
    row, scale, places = _carried(sides, (Fraction(1), -odds), pair, None, bits=bits, up=True)
    best = max(range(len(row)), key=row.__getitem__)
    test = TwoSidedTest(sides, pair, places, sides.grids.last[best])
    return TwoSidedBound(sides.at_zero + Fraction(row[best], scale), test)


def private_test(
    sides: TwoSides, odds: Fraction, pair: ValuePair, bits: int | None = None, first: Sequence[Peaks] = ()
) -> TwoSidedTest:
    """Return a test with much δ at e^α = odds, of a private stream where the φ commute on what it reaches.

    Args: as `two_sided_bound`; first, for the releases that come first, all of one side, what the x_ab are for any
    value of the other side.
    """

    def rule(s: int, table: FunctionTable) -> list[list[int]]:
        if s < len(first):
            given = [place_of(sides.grids.points[s], x)[0] for x in first[s]]
            is_future = sides.order[s] == FUTURE
            return [list(given) for _ in table] if is_future else [[x] * len(table[0]) for x in given]
        phi = sides.opposite(s)
        lines = list(zip(*table, strict=True)) if sides.order[s] == FUTURE else table
        found = [_within_reach(line, sides.grids.points[s], phi) for line in lines]
        return [list(row) for row in zip(*found, strict=True)] if sides.order[s] == FUTURE else found

    row, _, places = _carried(sides, (Fraction(1), -odds), pair, rule, bits=bits, up=False)
    best = max(range(len(row)), key=row.__getitem__)
    return TwoSidedTest(sides, pair, places, sides.grids.last[best])


def _within_reach(line: Sequence[list[int]], points: Sequence[Fraction], phi: TradeOff | None) -> list[int]:
    """Return for each function the index of a point, all in one [L, φ(L)], with the greatest sum of their values."""
    peaks = [row.index(max(row)) for row in line]
    if phi is None or points[max(peaks)] <= phi(points[min(peaks)]):
        return peaks
    best, found = None, peaks
    for low in range(min(peaks), max(peaks) + 1):
        high = place_of(points, phi(points[low]))[0] + 1
        most = [max(row[low:high]) for row in line]
        if best is None or sum(most) > best:
            best = sum(most)
            found = [row.index(value, low, high) for row, value in zip(line, most, strict=True)]
    return found


def _carried(
    sides: TwoSides,
    weights: tuple[Fraction, Fraction] | tuple[int, int],
    pair: ValuePair,
    rule: PlaceRule | None,
    *,
    bits: int | None,
    up: bool,
) -> tuple[list[int], int, tuple[Places, ...]]:
    """Return the last function at the last points, in what multiples of 1 it is, and all x_ab; without φ_t(0).

    That is what the functions have at u = 0 together: added at the end, it is not rounded.

    Args: weights, of φ_t(u) under j and of u under k; rule, where the x_ab are chosen, None for f_ab as it is defined;
    bits and up, how values are rounded, exact where bits is None.
    """
    j, k = pair
    past, future = (own[0] if own else [(Fraction(1),)] * (max(pair) + 1) for own in sides.steps)
    first = [
        [
            [weights[0] * p * q * (y - sides.at_zero) + weights[1] * r * s * u for u, y in sides.trade_offs[0].points]
            for q, s in zip(future[j], future[k], strict=True)
        ]
        for p, r in zip(past[j], past[k], strict=True)
    ]
    scale = (
        1 << bits if bits is not None else lcm(*(value.denominator for line in first for row in line for value in row))
    )

    def rounded(value: Fraction) -> int:
        whole = value.numerator * scale
        return ceiling(whole, value.denominator) if up else whole // value.denominator

    table = [[[rounded(value) for value in row] for row in line] for line in first]
    places: list[Places] = []
    for s, windows in enumerate(sides.grids.windows):
        points = sides.grids.points[s]
        table = [[sides.grids.kept(s, row, up) for row in line] for line in table]
        at = [[row.index(max(row)) for row in line] for line in table] if rule is None else rule(s, table)
        places.append(tuple(tuple(points[index] for index in line) for line in at))
        multiple = 1 if bits is not None else common_part(windows)
        if rule is None:
            table = [[[greatest_in(row, window, multiple) for window in windows] for row in line] for line in table]
        else:
            table = [
                [
                    [
                        value_at(row, max(window.start, min((index, ZERO_CHANCE), window.end)), multiple, up)
                        for window in windows
                    ]
                    for row, index in zip(line, own, strict=True)
                ]
                for line, own in zip(table, at, strict=True)
            ]
        matrix, common = sides.onward[s]
        lines = [list(line) for line in zip(*table, strict=True)] if sides.order[s] == FUTURE else table
        product = (matrix * fmpz_mat([list(chain(*line)) for line in lines])).tolist()
        if bits is None:
            scale *= multiple * common
            whole = [[int(value) for value in row] for row in product]
        else:
            whole = [[-int(-value // common) if up else int(value // common) for value in row] for row in product]
        size = len(windows)
        lines = [[row[start : start + size] for start in range(0, len(row), size)] for row in whole]
        table = [list(line) for line in zip(*lines, strict=True)] if sides.order[s] == FUTURE else lines
    return table[0][0], scale, tuple(places)
