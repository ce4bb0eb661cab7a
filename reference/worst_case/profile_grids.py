"""Concave piecewise linear functions on the points that all of one side share, in whole multiples of one unit.

All kinks lie in the orbits of those of the φ, and of 0 and 1, under φ^−1, so that the points are known beforehand, and
where among them u and φ(u) are. A function is the list of its values there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import lcm
from statistics import NormalDist

from flint import fmpz_mat

from ..correlations import Row
from .trade_off import ZERO_CHANCE, TradeOff

MANY_KINKS, KEPT_KINKS = 2_000, 1_000
"""Most points that are kept before the next release."""

FINEST_Z = 1 / 128
"""At least so far apart, as Φ^−1 of them, are then most of those that are kept."""

LEAST_DOUBLE = 1e-300

GridPlace = tuple[int, Fraction]
"""The index of a point, and how far it is from there to the next one."""


@dataclass(frozen=True, slots=True)
class Window:
    """Where a function is looked at for its maximum on [u, φ(u)], as places among the points before.

    start, end: where u and φ(u) are; first, last: the points between them.
    """

    start: GridPlace
    end: GridPlace
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Thinning:
    """Which points are kept of too many, by index; and for those left out between two neighbours how far they are on.

    Functions are then raised to be linear between the points that are kept, and nowhere below what they were.
    """

    kept: tuple[int, ...]
    shares: tuple[tuple[Fraction, ...], ...]

    @classmethod
    def of(cls, points: Sequence[Fraction]) -> Thinning | None:
        """Return which points are kept, at most `KEPT_KINKS`; None for all, where they are not many."""
        if len(points) <= MANY_KINKS:
            return None
        places, spacing = [*map(_z, points)], FINEST_Z
        while True:
            kept = [0, 1]
            for index in range(2, len(points) - 2):
                if places[index] - places[kept[-1]] >= spacing:
                    kept.append(index)
            kept += [len(points) - 2, len(points) - 1]
            if len(kept) <= KEPT_KINKS:
                break
            spacing *= 1.25
        shares = [
            tuple((u - points[start]) / (points[end] - points[start]) for u in points[start + 1 : end])
            for start, end in pairwise(kept)
        ]
        return cls(tuple(kept), tuple(shares))

    def moved(self, row: Sequence[int], up: bool) -> list[int]:
        """Return at the points that are kept a function that is nowhere below one given at all, or nowhere above it."""
        if not up:
            return [-value for value in self.moved([-value for value in row], True)]
        above = [0]
        for (start, end), shares in zip(pairwise(self.kept), self.shares, strict=True):
            rise, more = row[end] - row[start], 0
            for index, share in enumerate(shares, start + 1):
                chord = rise * share.numerator // share.denominator
                more = max(more, row[index] - row[start] - chord)
            above.append(more)
        return [row[index] + max(pair) for index, pair in zip(self.kept, pairwise([*above, 0]), strict=True)]


def _z(u: Fraction) -> float:
    """Return about Φ^−1(u), as precisely near 1 as near 0."""
    normal = NormalDist()
    if 2 * u > 1:
        return -normal.inv_cdf(max(float(1 - u), LEAST_DOUBLE))
    return normal.inv_cdf(max(float(u), LEAST_DOUBLE))


class Grids:
    """The points between which all functions of a side are linear: those of φ_t, then those after each release.

    They are 0, 1, the kinks of the φ, and what φ_s leads to such a point: the orbits of the kinks. Of too many, as of
    many different budgets, some are left out before the next release, which raises the functions (`Thinning`).

    points: after each number of releases those that are kept; windows: of all points after a release; thinnings: which
    of them are kept then, None for all, and so of the points of φ_t; last: all points after the last release.
    """

    def __init__(self, trade_offs: Sequence[TradeOff]) -> None:
        self.points: list[tuple[Fraction, ...]] = []
        self.windows: list[tuple[Window, ...]] = []
        self.thinnings: list[Thinning | None] = []
        self.last = trade_offs[0].kinks
        for nearer, phi in zip((None, *trade_offs[1:]), trade_offs[1:], strict=False):
            if nearer == phi and self.thinnings[-1] is None and self.points[-1] == self.last:
                self.points.append(self.last)  # the orbits have ended
                self.windows.append(self.windows[-1])
                self.thinnings.append(None)
                continue
            thinning = Thinning.of(self.last)
            before = self.last if thinning is None else tuple(self.last[index] for index in thinning.kept)
            back = (phi.reached_at(u) for u in before)
            self.last = tuple(sorted({*before, *phi.kinks, *(u for u in back if u is not None)}, key=_in_order))
            self.points.append(before)
            self.thinnings.append(thinning)
            self.windows.append(tuple(window_of(before, u, phi(u)) for u in self.last))

    @classmethod
    @lru_cache(maxsize=8)
    def of(cls, trade_offs: tuple[TradeOff, ...]) -> Grids:
        """Return the grids of these, the same for the same ones: as of one budget at all times, whichever is asked."""
        return cls(trade_offs)

    @property
    def is_whole(self) -> bool:
        """Whether no point is left out."""
        return not any(self.thinnings)

    def kept(self, s: int, row: list[int], up: bool = True) -> list[int]:
        """Return a function at the points that release s looks at: itself, or moved where some are left out."""
        thinning = self.thinnings[s]
        return row if thinning is None else thinning.moved(row, up)


def window_of(points: Sequence[Fraction], low: Fraction, high: Fraction) -> Window:
    """Return where [low, high] is among points from 0 to 1."""
    start, end = place_of(points, low), place_of(points, high)
    return Window(start, end, start[0] + 1, end[0] + bool(end[1]))


def _in_order(u: Fraction) -> tuple[float, Fraction]:
    """Return what orders as u does: of two with thousands of digits the doubles decide, unless they are equal."""
    return float(u), u


def place_of(points: Sequence[Fraction], u: Fraction) -> GridPlace:
    """Return where u is among points from 0 to 1."""
    index = bisect_right(points, _in_order(u), key=_in_order) - 1
    if points[index] == u:
        return index, ZERO_CHANCE
    return index, (u - points[index]) / (points[index + 1] - points[index])


def over_one_denominator(rows: Sequence[Row]) -> tuple[fmpz_mat, int]:
    """Return the transposed matrix times the least common denominator of its entries, and that."""
    common = lcm(*(p.denominator for row in rows for p in row))
    columns = zip(*rows, strict=True)
    return fmpz_mat([[p.numerator * (common // p.denominator) for p in column] for column in columns]), common


def common_part(windows: Sequence[Window]) -> int:
    """Return the least common denominator of all places."""
    return lcm(*(far.denominator for window in windows for _, far in (window.start, window.end)))


def rounded(numerator: int, denominator: int, up: bool = True) -> int:
    """Return a quotient, rounded up or down."""
    return int(-(-numerator // denominator) if up else numerator // denominator)


def value_at(row: Sequence[int], place: GridPlace, multiple: int, up: bool = True) -> int:
    """Return the value at a place times a multiple; rounded up, or down, where that leaves a fraction."""
    index, part = place
    value = row[index] * multiple
    if not part:
        return value
    rise = (row[index + 1] - row[index]) * multiple * part.numerator
    return value + rounded(rise, part.denominator, up)


def greatest_in(row: Sequence[int], window: Window, multiple: int) -> int:
    """Return the greatest value in a window, times a multiple; rounded up where that leaves a fraction."""
    best = max(value_at(row, window.start, multiple), value_at(row, window.end, multiple))
    if window.first < window.last:
        best = max(best, max(row[window.first : window.last]) * multiple)
    return best
