"""What a private release may tell, as a function: exact, concave and piecewise linear.

A mechanism is f-private (Dong, Roth, Su, arXiv:1905.02383) where no test of two neighbouring values has a smaller error
than f. With φ(u) = 1 − f(u): a set of outputs that has probability u under one value has at most φ(u) under another.
φ is concave and increasing, at least u, and reaches 1 at 1; φ(0) > 0 is a probability δ of telling anything at all.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise

from ..decimals import fraction_to_text
from ..errors import InvalidRequest

ZERO_CHANCE, ONE = Fraction(0), Fraction(1)

ChancePoint = tuple[Fraction, Fraction]
"""A probability u, and φ(u)."""

Line = tuple[Fraction, Fraction]
"""Slope and value at 0."""


@dataclass(frozen=True)
class TradeOff:
    """φ, which is linear between its points.

    points: (u, φ(u)), from u = 0 to u = 1; those on a line between their neighbours are left out.
    Raises: InvalidRequest unless φ is concave, rises from u to at least u, and ends at (1, 1).
    """

    points: tuple[ChancePoint, ...]

    def __post_init__(self) -> None:
        if not self.points or self.points[0][0] != 0 or self.points[-1] != (ONE, ONE):
            raise InvalidRequest("a trade-off function is given from the probability 0 to the point (1, 1)")
        for (u, y), (v, z) in pairwise(self.points):
            if u >= v or y > z:
                raise InvalidRequest(f"a trade-off function increases: not from {_at(u, y)} to {_at(v, z)}")
        if any(y < u for u, y in self.points):
            raise InvalidRequest("a trade-off function is nowhere below u: it would be more private than no release")
        slopes = [(z - y) / (v - u) for (u, y), (v, z) in pairwise(self.points)]
        if any(after > before for before, after in pairwise(slopes)):
            raise InvalidRequest("a trade-off function is concave: its slopes do not rise")
        inner = [point for point, (s, r) in zip(self.points[1:-1], pairwise(slopes), strict=True) if s != r]
        object.__setattr__(self, "points", (self.points[0], *inner, self.points[-1]))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.points)

    @classmethod
    def least(cls, lines: Sequence[Line]) -> TradeOff:
        """Return the least of lines and of 1, on [0, 1]. Exact. Raises: InvalidRequest where that is none."""
        lowest: dict[Fraction, Fraction] = {}
        for slope, start in (*lines, (ZERO_CHANCE, ONE)):
            lowest[slope] = min(start, lowest.get(slope, start))
        kept: list[tuple[Line, Fraction]] = []  # the lines of the least in order, each with where it begins
        for slope, start in sorted(lowest.items(), reverse=True):
            begin = ZERO_CHANCE
            while kept:
                (steeper, above), since = kept[-1]
                begin = (start - above) / (steeper - slope)
                if begin > since:
                    break
                kept.pop()
            kept.append(((slope, start), max(begin, ZERO_CHANCE) if kept else ZERO_CHANCE))
        points = [(u, slope * u + start) for (slope, start), u in kept if u < 1]
        last = next(slope + start for (slope, start), u in reversed(kept) if u < 1)
        return cls((*points, (ONE, last)))

    @classmethod
    def approximate(cls, ratio: Fraction, delta: Fraction = ZERO_CHANCE) -> TradeOff:
        """Return what (ε, δ)-differential privacy allows: min(1, e^ε u + δ, 1 − e^−ε (1 − δ − u)). Exact.

        Args:
            ratio: e^ε, at least 1; with δ = 0 this is ε-differential privacy, with e^ε = 1 the total variation δ.
            delta: δ in [0, 1]; 1 allows everything, whatever ε.

        Raises: InvalidRequest for others.
        """
        if ratio < 1 or not 0 <= delta <= 1:
            raise InvalidRequest("an (ε, δ) budget has e^ε of at least 1 and δ from 0 to 1")
        return cls.least([(ratio, delta), (1 / ratio, 1 - (1 - delta) / ratio)])

    def __call__(self, u: Fraction) -> Fraction:
        """Return φ(u) for u in [0, 1]. Exact."""
        place = min(max(bisect_right(self._abscissas, u), 1), len(self.points) - 1)
        (v, y), (w, z) = self.points[place - 1 : place + 1]
        return y + (u - v) * (z - y) / (w - v)

    def reached_at(self, y: Fraction) -> Fraction | None:
        """Return the least u with φ(u) = y, for y ≤ 1; None for y < φ(0). Exact."""
        place = bisect_left(self._ordinates, y)
        if y == self._ordinates[place]:
            return self._abscissas[place]
        if not place:
            return None
        (u, low), (v, high) = self.points[place - 1 : place + 1]
        return u + (y - low) * (v - u) / (high - low)

    @cached_property
    def _ordinates(self) -> tuple[Fraction, ...]:
        return tuple(y for _, y in self.points)

    @cached_property
    def _abscissas(self) -> tuple[Fraction, ...]:
        return tuple(u for u, _ in self.points)

    @property
    def slopes(self) -> tuple[Fraction, ...]:
        """Of each line of φ its slope, from the left."""
        return tuple((z - y) / (v - u) for (u, y), (v, z) in pairwise(self.points))

    @property
    def kinks(self) -> tuple[Fraction, ...]:
        """Where φ may bend, and the ends 0 and 1."""
        return self._abscissas

    def mirrored(self) -> TradeOff:
        """Return φ with the two values exchanged: 1 − φ^−1(1 − u). Exact."""
        found: dict[Fraction, Fraction] = {}
        for u, y in reversed(self.points):
            found[1 - y] = max(1 - u, found.get(1 - y, ZERO_CHANCE))
        return TradeOff((*((u, y) for u, y in found.items() if u < 1), (ONE, ONE)))

    def at_most(self, other: TradeOff, low: Fraction = ZERO_CHANCE, high: Fraction = ONE) -> bool:
        """Whether φ(u) ≤ other(u) for all u in [low, high]. Exact: the difference is linear between kinks of both."""
        inner = {u for u in (*self.kinks, *other.kinks) if low < u < high}
        return all(self(u) <= other(u) for u in (low, *inner, high))

    def both(self, other: TradeOff) -> TradeOff:
        """Return the least of two, which is what a release allows that keeps both. Exact."""
        ends = sorted({*self.kinks, *other.kinks})
        points = []
        for u, v in pairwise(ends):
            points.append((u, min(self(u), other(u))))
            before, after = self(u) - other(u), self(v) - other(v)
            if before * after < 0:
                crossing = u + (v - u) * before / (before - after)
                points.append((crossing, self(crossing)))
        return TradeOff((*points, (ONE, ONE)))

    def symmetric(self) -> TradeOff:
        """Return the least of φ and its mirror: neighbours are so both ways, and a test has a complement. Exact."""
        return self.both(self.mirrored())

    def after(self, other: TradeOff) -> TradeOff:
        """Return φ(other(u)). Exact."""
        ends = {*other.kinks, *(other.reached_at(u) for u in self.kinks)} - {None}
        return TradeOff(tuple((u, self(other(u))) for u in sorted(u for u in ends if u is not None)))


IGNORED = TradeOff(((ZERO_CHANCE, ZERO_CHANCE), (ONE, ONE)))
"""φ(u) = u, of what tells nothing."""


def through(known: Sequence[ChancePoint], drawn_out: bool = False) -> TradeOff:
    """Return the function through points between 0 and 1, and (0, 0) and (1, 1). Exact.

    Args:
        known: (u, φ(u)), two or more, in order.
        drawn_out: the first and the last line go on to 0 and to 1 instead.
    """
    if not drawn_out:
        return TradeOff(((ZERO_CHANCE, ZERO_CHANCE), *known, (ONE, ONE)))
    (u, y), (v, z) = known[:2]
    at_zero = y - u * (z - y) / (v - u)
    (u, y), (v, z) = known[-2:]
    at_one = v + (1 - z) * (v - u) / (z - y)
    end = [(at_one, ONE)] if at_one < 1 else []
    return TradeOff(((ZERO_CHANCE, max(at_zero, ZERO_CHANCE)), *known, *end, (ONE, ONE)))


def commute(trade_offs: Sequence[TradeOff], low: Fraction = ZERO_CHANCE, high: Fraction = ONE) -> bool:
    """Whether φ_s(φ_r(u)) ≤ φ_r(φ_s(u)) on [low, high] for each φ_s that stands before φ_r. Exact."""
    last = {phi: place for place, phi in enumerate(trade_offs)}
    first = {phi: place for place, phi in reversed(list(enumerate(trade_offs)))}
    orders = (_in_both_orders(near, far) for near in last for far in last if near != far and first[near] < last[far])
    return all(near_last.at_most(far_last, low, high) for near_last, far_last in orders)


@lru_cache(maxsize=16)
def _in_both_orders(near: TradeOff, far: TradeOff) -> tuple[TradeOff, TradeOff]:
    return near.after(far), far.after(near)


def below(trade_offs: Sequence[TradeOff]) -> Iterator[tuple[TradeOff, ...]]:
    """Yield other φ where these differ, of which none is above the one that it stands for. Exact.

    They are the least of each and all that stand behind it; the least of all; and for each of them that one alone where
    it is allowed, and φ(u) = u, which ignores a release, elsewhere. All but the first commute.
    """
    different = dict.fromkeys(trade_offs)
    if len(different) == 1:
        return
    from_last = [trade_offs[-1]]
    for phi in reversed(trade_offs[:-1]):
        from_last.append(phi if phi == from_last[-1] else phi.both(from_last[-1]))
    yield tuple(reversed(from_last))
    yield (from_last[-1],) * len(from_last)
    for own in different:
        allowed = {phi for phi in different if own.at_most(phi)}
        yield tuple(own if phi in allowed else IGNORED for phi in trade_offs)


def _at(u: Fraction, y: Fraction) -> str:
    return f"({fraction_to_text(u)}, {fraction_to_text(y)})"
