"""Concave piecewise linear functions on the points that all of one side share, in whole multiples of one unit.

All kinks lie in the orbits of those of the φ, and of 0 and 1, under φ^−1, so that the points are known beforehand, and
where among them u and φ(u) are. A function is the list of its values there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from flint import fmpz_mat

from ..correlations import Row
from ..errors import InvalidRequest
from .trade_off import ZERO_CHANCE, TradeOff

MOST_KINKS = 4_000
"""Between so many points at most a function is linear. One budget brings one point more at each release."""

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


class Grids:
    """The points between which all functions of a side are linear: those of φ_t, then those after each release.

    They are 0, 1, the kinks of the φ, and what φ_s leads to such a point: the orbits of the kinks. Raises:
    InvalidRequest beyond `MOST_KINKS`, as for many different budgets.
    """

    def __init__(self, trade_offs: Sequence[TradeOff]) -> None:
        self.points: list[tuple[Fraction, ...]] = [trade_offs[0].kinks]
        self.windows: list[tuple[Window, ...]] = []
        for phi in trade_offs[1:]:
            before = self.points[-1]
            back = (phi.reached_at(u) for u in before)
            after = tuple(sorted({*before, *phi.kinks, *(u for u in back if u is not None)}))
            if len(after) > MOST_KINKS:
                raise InvalidRequest(f"too large: the profile has more than {MOST_KINKS} kinks; ask for fewer budgets")
            self.points.append(after)
            self.windows.append(tuple(window_of(before, u, phi(u)) for u in after))


def window_of(points: Sequence[Fraction], low: Fraction, high: Fraction) -> Window:
    """Return where [low, high] is among points from 0 to 1."""
    return Window(place_of(points, low), place_of(points, high), bisect_right(points, low), bisect_left(points, high))


def place_of(points: Sequence[Fraction], u: Fraction) -> GridPlace:
    """Return where u is among points from 0 to 1."""
    index = bisect_right(points, u) - 1
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


def ceiling(numerator: int, denominator: int) -> int:
    """Return a quotient, rounded up."""
    return -(-numerator // denominator)


def value_at(row: Sequence[int], place: GridPlace, multiple: int, up: bool = True) -> int:
    """Return the value at a place times a multiple; rounded up, or down, where that leaves a fraction."""
    index, part = place
    value = row[index] * multiple
    if not part:
        return value
    rise = (row[index + 1] - row[index]) * multiple * part.numerator
    return value + (ceiling(rise, part.denominator) if up else rise // part.denominator)


def greatest_in(row: Sequence[int], window: Window, multiple: int) -> int:
    """Return the greatest value in a window, times a multiple; rounded up where that leaves a fraction."""
    best = max(value_at(row, window.start, multiple), value_at(row, window.end, multiple))
    if window.first < window.last:
        best = max(best, max(row[window.first : window.last]) * multiple)
    return best
