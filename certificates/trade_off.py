"""What the certificate checker does with (ε, δ) releases: φ, what bounds a profile from above, and what a test attains.

φ(u) = min(1, r·u + d, 1 − (1 − d − u)/r) is the most that a set of outputs of probability u may have under another
value, r ≥ 1 being e^ε and d δ: φ is concave, rises, and is its own mirror. Where one value changes,
a set of outputs of probability u has at most φ(u). Given all values it has the probability G at l^t = k, and so at most
φ(G) at l^t = j. P is the matrix that leads away from t, A = e^α.

(F) Let g_a(u) = P_ja φ(u) − A P_ka u for a value a of the release nearest to t, f_a ≥ max of g_a on [u, φ(u)], and
    g_b = Σ_a P_ab f_a at the next farther one. With h = min_a G(a, ·), h ≤ G ≤ φ(h), and h keeps φ in the other values:
    with one value less Σ_a g_a(G) weighs at most Σ_b g_b(h), and so on: Pr(set | j) − A Pr(set | k) is at most
    max_u Σ_a f_a(u) at the farthest. Values may be rounded up. Where g_a is linear
    between points, the maximum on [u, φ(u)] is the greatest of functions that are linear between these points, the
    kinks of φ and what φ leads to either, so convex there: what is above it at the ends is above it between.
    From below, at each release v = the point of [w, φ(w)] nearest to a place x_a, w the same of the farther ones: where
    w' ≤ φ(w), v' ≤ φ(v), for v' = w' ≤ φ(w) ≤ φ(v), or v' ≤ x_a, and v ≥ x_a or v = φ(w), so that v' ≤ φ(w') ≤ φ(v).
    Another value at that release itself stays in [w, φ(w)]. So v keeps φ at all times: a private set of outputs.

This file goes beside `checker.py` and `rows.py`. The standard library alone.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from operator import mul
from typing import TYPE_CHECKING

if TYPE_CHECKING or __package__:
    from .reading import Node, Pair
    from .rows import Matrix
else:  # all in one folder, or in one archive
    from reading import Node, Pair
    from rows import Matrix

MOST_PROFILED = 1_000
Place = tuple[int, Fraction]
Window = tuple[Place, Place, int, int]


@dataclass(frozen=True)
class Phi:
    """φ of every release, e^ε rounded to the safe side of what is claimed."""

    ratio: Fraction
    chance: Fraction

    def __call__(self, u: Fraction) -> Fraction:
        """Return φ(u)."""
        return min(Fraction(1), self.ratio * u + self.chance, 1 - (1 - self.chance - u) / self.ratio)

    def led_from(self, y: Fraction) -> Fraction:
        """Return the least u with φ(u) ≥ y: φ is its own mirror."""
        return 1 - self(1 - y)

    @property
    def kinks(self) -> set[Fraction]:
        """Where φ bends, and 0 and 1."""
        return {Fraction(0), (1 - self.chance) / (1 + self.ratio), 1 - self.chance, Fraction(1)}


def asked(it: Node, up: bool) -> tuple[Matrix, Phi, int]:
    """Return the matrix, φ from one side, and the number of releases, that of the time among them."""
    bits, chance = it["digits"].bits(), it["delta_per_release"].number()
    it["delta_per_release"].require(chance <= 1, "it is above 1")
    budget = it["epsilon"].finite(bits)
    ratio = it["epsilon"].grid(budget.upper if up else budget.lower, bits, up)
    releases = it["releases"].integer_within(1, MOST_PROFILED, "releases")
    return Matrix.of(it["matrix"]), Phi(Fraction(ratio, 1 << bits), chance), releases


def counted(node: Node, numbers: list[Fraction] | set[Fraction], times: int = 1) -> int:
    """Count this number of operations on each of these numbers. Returns: the bits of the longest."""
    length = max(x.denominator.bit_length() for x in numbers)
    node.count(length, length, 8 * times * len(numbers), divide=True, made=4 * length * len(numbers))
    return length


def greatest_delta(node: Node, p: Matrix, phi: Phi, odds: Fraction, *, releases: int, bits: int) -> Fraction:
    """Return what by (F) no stream exceeds: the greatest max_u Σ_a f_a(u) of all pairs, every value rounded upward."""
    points, n, windows = sorted(phi.kinks), len(p.rows), list[list[Window]]()
    counted(node, points)
    if n == 1:
        return Fraction(0)
    if releases == 1:
        return max(phi(u) - odds * u for u in points)
    first, pairs = points, list(permutations(range(n), 2))
    for _ in range(releases - 1):
        after = sorted({*points, *phi.kinks, *map(phi.led_from, points)})
        length = counted(node, after, 8)
        windows.append([_window(points, u, phi(u)) for u in after])
        inside = sum(max(last - start, 0) for _, _, start, last in windows[-1])
        node.count(bits, length, len(pairs) * n * (inside + 4 * len(after)), divide=True)
        node.count(bits, p.common.bit_length(), len(pairs) * n * n * len(after), divide=True)
        points = after
    return max(_pair_delta(p, phi, odds, pair, first, windows, bits) for pair in pairs)


def _pair_delta(  # noqa: PLR0917 - what is the same for all pairs, and one pair
    p: Matrix, phi: Phi, odds: Fraction, pair: Pair, points: list[Fraction], windows: list[list[Window]], bits: int
) -> Fraction:
    j, k = pair
    told = [
        [_up((q * phi(u) - odds * d * u) / p.common, bits) for u in points]
        for q, d in zip(p.rows[j], p.rows[k], strict=True)
    ]
    for s, own in enumerate(windows):
        if s:
            each = list(zip(*told, strict=True))
            told = [[-(-sum(map(mul, column, at)) // p.common) for at in each] for column in p.columns]
        told = [[_greatest(row, window) for window in own] for row in told]
    return Fraction(max(map(sum, zip(*told, strict=True))), 1 << bits)


def _up(value: Fraction, bits: int) -> int:
    return -(-(value.numerator << bits) // value.denominator)


def _place(points: list[Fraction], u: Fraction) -> Place:
    """Return the last point that is at most u, and which part of the way to the next one u is."""
    index = bisect_right(points, u) - 1
    return index, Fraction(0) if points[index] == u else (u - points[index]) / (points[index + 1] - points[index])


def _window(points: list[Fraction], low: Fraction, high: Fraction) -> Window:
    """Return where both ends are among the points, and which points are between."""
    return _place(points, low), _place(points, high), bisect_right(points, low), bisect_left(points, high)


def _greatest(row: list[int], window: Window) -> int:
    """Return the greatest value in a window, rounded upward."""
    *ends, start, last = window
    at = [row[i] if not x else row[i] - (-x.numerator * (row[i + 1] - row[i]) // x.denominator) for i, x in ends]
    return max(*at, *row[start:last])


def attained(  # noqa: PLR0917 - a test, and the stream that it is of
    node: Node, p: Matrix, phi: Phi, pair: Pair, peaks: list[list[Fraction]], start: Fraction
) -> tuple[Fraction, Fraction]:
    """Return the probabilities, under the two values, of the set of outputs that stands by peaks and a start in (F)."""
    told, common, n = {start: [1] * len(p.rows)}, 1, len(p.rows)
    for own in reversed(peaks):
        onward: dict[Fraction, list[int]] = {}
        for v, weights in told.items():
            for a, x in enumerate(own):
                to = min(max(x, v), phi(v))
                onward.setdefault(to, [0] * n)[a] += weights[a]
        common *= p.common
        length = max(counted(node, {*onward}, n), common.bit_length())
        node.count(length, length, 4 * n * n * len(onward), made=length * n * len(onward))
        told = {v: [sum(map(mul, row, weights)) for row in p.rows] for v, weights in onward.items()}
    j, k = pair
    first = sum((phi(v) * weights[j] for v, weights in told.items()), Fraction(0))
    return first / common, sum((v * weights[k] for v, weights in told.items()), Fraction(0)) / common
