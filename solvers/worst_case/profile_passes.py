"""The least α with δ(α) ≤ δ at all times of one side in one pass: theorem (profile), in doubles with a stated error.

The recursion runs outward from the time, so one pass at an α has δ at every depth. After s releases let m_s be max_u
Σ_a f_a(u), which is δ there, and M_s be Σ_a max_u f_a(u). For every depth beyond s, whatever releases follow,
m_s ≤ δ ≤ M_s: a row of a pair, an α and a depth leaves at its depth, or where the two meet.

*Rounding.* g_a(u) is a difference of two terms whose sum is S_a(u), and S_a rises with u: after s releases that sum is
φ_t + e^α·u at the place that the releases lead u to. Products and maxima over windows lose at most (n + 8)·2^−52 of it
a release, and interpolation twice that: near 0 little is lost, and no δ is too small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import inf, nextafter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...reference.correlations import Row, steps_in_doubles
from ...reference.levels import INFINITE, ZERO, Level
from ...reference.worst_case.profile_answers import USUAL_BITS, WorstAlpha, WorstDelta
from ...reference.worst_case.profile_budgets import PrivacyBudget, enclosed
from .ladders import LEAST, Ladder
from .profile_bounds import SUM_ROUNDING, Doubles
from .symmetry import forms

Indices = NDArray[np.int64]

POINTS_TOGETHER = 1 << 16
"""Doubles worked on together: as many as a processor has near at hand."""

ONE_SIDED_WIDTH, FIRST_WIDTH = 1e-9, 0.01
"""So near to each other the ends of an α are sought; and those that say at which α all pairs are bounded first."""

SLOPES = 9
"""Values of α at which all pairs are bounded first, at all depths."""

TABLE_PART = 1e-3
"""Part of δ by which such a bound may be too great."""

FLAT_PART = 1e-10
"""Part of δ by which M may exceed m where a row leaves."""

GREATEST_ALPHA = 600.0
"""Beyond it an α is taken for infinite here."""

BITS_BELOW_DELTA = 30
"""Bits by which the point nearest to 0 is smaller than δ."""

MOST_APPROACHES_TO_ROOT = 120
"""Approaches to a root; far more than there are."""


@dataclass(frozen=True)
class Outward:
    """A time and the releases on one side of it, the nearest first, as functions at points.

    own: φ_t at the points. matrices: the steps outward; track: the points of every release. up: whether bounds are from
    above. for_ever: whether a bound from above is one of all greater depths too.
    """

    own: Doubles
    matrices: Sequence[Doubles]
    track: Ladder
    up: bool
    for_ever: bool = False

    @classmethod
    def of(cls, track: Ladder, matrices: Sequence[Doubles], up: bool) -> Outward:
        """Take the release of the time and those on one side of it, of one φ; it is max over [u, φ(u)] of u."""
        own = track.told(track.points[None, None])[0, 0]
        return cls(own, matrices, track, up)

    def at(self, pairs: Indices, odds: Doubles, depths: Indices, flat: float) -> Doubles:
        """Return bounds of δ of pairs, each at its e^α and its depth. Args: flat, by how much M exceeds m there."""
        found = np.empty(len(pairs))
        for rows, ends in self._passes(pairs, odds, depths, flat):
            found[rows] = ends[:, -1]
        return found

    def everywhere(self, pairs: Indices, odds: Doubles, depth: int, flat: float) -> Doubles:
        """Return bounds of δ of pairs, each at its e^α, at the depths 0 to `depth`. Args: flat, as `at`."""
        found = np.empty((len(pairs), depth + 1))
        for rows, ends in self._passes(pairs, odds, np.full(len(pairs), depth), flat):
            found[rows, : ends.shape[1]] = ends[:, : depth + 1]
            found[rows, ends.shape[1] :] = ends[:, -1:]
        return found

    def _passes(self, pairs: Indices, odds: Doubles, depths: Indices, flat: float) -> Iterator[tuple[Indices, Doubles]]:
        """Yield rows that leave together, with their bounds at every depth; the last one holds for farther ones too."""
        order, values = np.argsort(-depths, kind="stable"), len(self.matrices[0]) if self.matrices else 1
        together = max(1, POINTS_TOGETHER // (len(self.track.points) * values))
        for start in range(0, len(order), together):
            rows = order[start : start + together]
            yield from self._pass(rows, pairs[rows], odds[rows, None], depths[rows], flat)

    def _pass(
        self, rows: Indices, pairs: Indices, odds: Doubles, depths: Indices, flat: float
    ) -> Iterator[tuple[Indices, Doubles]]:
        own, u, sign = self.own, self.track.points, 1 if self.up else -1
        size = (own + odds * u) * (SUM_ROUNDING * 1.01)
        seen = np.empty((len(rows), int(depths.max()) + 2))
        seen[:, 0] = (own - odds * u + sign * 4 * size).max(axis=1)
        gone, depth = depths == 0, 0
        yield rows[gone], seen[gone, :1]
        if not gone.all():
            one, other = (self.matrices[0][of][:, :, None] for of in pairs.T)
            f = one * own - (odds[:, :, None] * other) * u
        while True:
            stay = ~gone
            rows, depths, seen, size = rows[stay], depths[stay], seen[stay], size[stay]
            if not len(rows):
                return
            f = np.matmul(self.matrices[depth].T, f[stay]) if depth else f[stay]
            depth += 1
            f, size = self.track.told(f), size[:, self.track.end]
            margin = size * ((depth + 2) * (len(self.matrices[0]) + 8 + self.track.amplification))
            total, most = f.sum(axis=1), f.max(axis=2).sum(axis=1)
            seen[:, depth : depth + 2] = (total + sign * margin).max(axis=1)[:, None]
            last = depths == depth
            met = (most - total.max(axis=1) <= flat) & ~last
            ends = met | last if self.for_ever else met
            if ends.any() and self.up:
                most_at = f[ends].argmax(axis=2).max(axis=1)
                bound = most[ends] + np.take_along_axis(margin[ends], most_at[:, None], 1)[:, 0]
                seen[ends, depth + met[ends]] = np.maximum(bound, seen[ends, depth])
            yield rows[met], seen[met, : depth + 2]
            yield rows[last], seen[last, : depth + 1]
            gone = met | last


@dataclass(frozen=True, slots=True)
class BothEnds:
    """For each time an α that is at most the least one, and one that is at least that; and the worst pair."""

    lower: Doubles
    upper: Doubles
    worst: Indices


class AtDepths(Protocol):
    """Bounds of δ from above, of a time and the releases on one side of it, as those of `Outward`."""

    @property
    def matrices(self) -> Sequence[Doubles]:
        """The steps outward."""

    def at(self, pairs: Indices, odds: Doubles, depths: Indices, flat: float) -> Doubles:
        """Return bounds of pairs, each at its e^α and its depth."""

    def everywhere(self, pairs: Indices, odds: Doubles, depth: int, flat: float) -> Doubles:
        """Return bounds of pairs, each at its e^α, at the depths 0 to `depth`."""


def least_alphas(above: Outward, below: Outward, pairs: Indices, delta: Fraction, depths: Indices) -> BothEnds:
    """Return the least α with δ(α) ≤ delta at each of some depths, over all pairs.

    Args: above and below, the side from above and from below. Where no α up to `GREATEST_ALPHA` is found, it is ∞.
    """
    upper, best = least_above(above, pairs, delta, depths)
    return BothEnds(_least_below(below, pairs[best], delta, depths, upper), upper, best)


def least_above(above: AtDepths, pairs: Indices, delta: Fraction, depths: Indices) -> tuple[Doubles, Indices]:
    """Return the upper ends of `least_alphas`, and which pair is the worst."""
    goal, deepest = nextafter(float(delta), -inf), int(depths.max())
    flat, which = FLAT_PART * goal, np.arange(len(depths))
    apart = np.abs(above.matrices[0][pairs[:, 0]] - above.matrices[0][pairs[:, 1]]).sum(axis=1) if deepest else None
    first = pairs[:1] if apart is None else pairs[[int(apart.argmax())]]
    zeros = np.zeros(len(depths))

    def apart_most(w: Indices, a: Doubles) -> Doubles:
        return above.at(first[[0] * len(a)], np.exp(a), depths[w], flat)

    begin = roots(apart_most, goal, zeros, zeros + 0.5, FIRST_WIDTH)[1]
    top = 1.25 * begin[np.isfinite(begin)].max(initial=0) + 0.05
    alphas = np.linspace(0, min(top, GREATEST_ALPHA), SLOPES)
    table = tabled(above, pairs, alphas, deepest, TABLE_PART * goal)[:, :, depths]
    guess = crossing(table, alphas, goal)
    best, upper, todo = guess.argmax(axis=0), zeros, which
    near = guess[best, which]
    while len(todo):
        own = pairs[best[todo]]

        def most(w: Indices, a: Doubles, own: Indices = own, todo: Indices = todo) -> Doubles:
            return above.at(own[w], np.exp(a), depths[todo[w]], flat)

        upper[todo] = roots(most, goal, np.maximum(near[todo] - 0.005, 0), near[todo] + 0.005)[1]
        column = np.searchsorted(alphas, upper[todo], side="right") - 1
        left = np.argwhere((table[:, column, todo] > goal) & np.isfinite(upper[todo]))
        left = left[left[:, 0] != best[todo[left[:, 1]]]]
        at = todo[left[:, 1]]
        values = above.at(pairs[left[:, 0]], np.exp(upper[at]), depths[at], flat)
        worse: dict[int, tuple[float, int]] = {}
        for pair, place, value in zip(left[:, 0], at, values, strict=True):
            if value > max(goal, worse.get(int(place), (0.0, 0))[0]):
                worse[int(place)] = float(value), int(pair)
        todo = np.array(sorted(worse), dtype=np.int64)
        for place, (_, pair) in worse.items():
            best[place], near[place] = pair, upper[place] + 0.001

    return upper, best


def _least_below(below: Outward, worst: Indices, delta: Fraction, depths: Indices, upper: Doubles) -> Doubles:
    flat = FLAT_PART * float(delta)

    def least(w: Indices, a: Doubles) -> Doubles:
        return below.at(worst[w], np.exp(a), depths[w], flat)

    high = np.minimum(upper, GREATEST_ALPHA)
    return roots(least, nextafter(float(delta), inf), np.maximum(high - 3 * ONE_SIDED_WIDTH, 0), high)[0]


def tabled(side: AtDepths, pairs: Indices, alphas: Doubles, depth: int, flat: float) -> Doubles:
    """Return bounds of all pairs at all these α and the depths 0 to `depth`."""
    found = side.everywhere(np.repeat(pairs, len(alphas), axis=0), np.exp(np.tile(alphas, len(pairs))), depth, flat)
    return found.reshape(len(pairs), len(alphas), depth + 1)


@np.errstate(over="ignore")  # a goal may be so small that what is divided by it is infinite
def crossing(table: Doubles, alphas: Doubles, goal: float) -> Doubles:
    """Return for each pair and depth about where the table falls to a goal; nothing rests on it."""
    over = np.log(np.maximum(table, 1e-300) / goal)
    at = np.clip((over > 0).sum(axis=1) - 1, 0, len(alphas) - 2)
    a, b = (np.take_along_axis(over, index[:, None], 1)[:, 0] for index in (at, at + 1))
    part = np.clip(a / np.where(a > b, a - b, 1), 0, 4)
    found: Doubles = np.minimum(alphas[at] + (alphas[at + 1] - alphas[at]) * part, GREATEST_ALPHA)
    return found


def roots(
    f: Callable[[Indices, Doubles], Doubles], goal: float, lo: Doubles, hi: Doubles, width: float = ONE_SIDED_WIDTH
) -> tuple[Doubles, Doubles]:
    """Return where falling functions come to a goal: α with f > goal, or 0, and α with f ≤ goal, or ∞.

    Args: f, of the numbers of some functions and an α for each; lo and hi, about where that is; width, between the two.
    """

    @np.errstate(over="ignore")
    def over(which: Indices, at: Doubles) -> Doubles:
        return np.clip(np.log(np.maximum(f(which, at), 1e-300) / goal), -30, 30)

    lo, hi = lo.copy(), np.maximum(hi, lo + width)
    everywhere = np.arange(len(lo))
    at_lo, at_hi = over(everywhere, lo), over(everywhere, hi)
    stride = np.maximum(hi - lo, 1e-6)
    while len(which := np.flatnonzero((at_lo <= 0) & (lo > 0))):
        hi[which], at_hi[which] = lo[which], at_lo[which]
        stride[which] *= 4
        lo[which] = np.maximum(lo[which] - stride[which], 0)
        at_lo[which] = over(which, lo[which])
    while len(which := np.flatnonzero((at_hi > 0) & (hi < GREATEST_ALPHA))):
        lo[which], at_lo[which] = hi[which], at_hi[which]
        stride[which] *= 4
        hi[which] = np.minimum(hi[which] + stride[which], GREATEST_ALPHA)
        at_hi[which] = over(which, hi[which])
    is_zero, is_none = at_lo <= 0, at_hi > 0
    before, at_before = lo - 1, np.full(len(lo), -inf)  # the lower end before this one, none yet
    for trial in range(MOST_APPROACHES_TO_ROOT):
        which = np.flatnonzero((hi - lo > width) & ~is_zero & ~is_none)
        if not len(which):
            break
        a, b, fa, fb, c, fc = (each[which] for each in (lo, hi, at_lo, at_hi, before, at_before))
        tried = a + (b - a) * fa / (fa - fb)
        fall, farther = np.expm1(fa), np.expm1(fc) - np.expm1(fa)
        ahead = a + fall * (a - c) / np.where(farther > 0, farther, fall)  # f is convex: it is above this line
        tried = np.where((farther > 0) & (ahead < b), ahead, tried) if trial % 5 < 4 else (a + b) / 2
        tried = np.clip(tried, a + 0.3 * width, b - 0.3 * width)
        value = over(which, tried)
        up = value > 0
        before[which], at_before[which] = np.where(up, a, c), np.where(up, fa, fc)
        lo[which], at_lo[which] = np.where(up, tried, a), np.where(up, value, fa)
        hi[which], at_hi[which] = np.where(up, b, tried), np.where(up, fb, value)
    return np.where(is_zero, 0, lo), np.where(is_zero, 0, np.where(is_none, inf, hi))


def level_of(alpha: float, up: bool) -> Level:
    """Return a level at or above an α, or at or below it: exponentials of doubles are good to their last bits."""
    if alpha in (0, inf):
        return INFINITE if alpha else ZERO
    return Level.of_ratio(Fraction(float(np.exp(alpha)) * (1 + (SUM_ROUNDING if up else -SUM_ROUNDING) * 8)))


def alphas_of_side(
    budget: PrivacyBudget, steps: Sequence[Sequence[Row]], delta: Fraction, times: Sequence[int]
) -> list[WorstAlpha]:
    """Return the least α with δ(α) ≤ delta at some times, of the releases up to each: BPL; of FPL with time reversed.

    Args: budget, of every release; steps, the matrix from each value to the one before it; times, from 1.
    Raises: InvalidRequest where φ has too many kinks.
    """
    different = list({id(step): step for step in steps}.values())
    matrices, pairs = steps_in_doubles(steps), different_pairs(different)
    farthest = {time: min(time - 1, len(steps)) for time in times}
    is_steady = len(different) <= 1
    found: dict[int, WorstAlpha] = {}
    for at in [max(farthest)] if is_steady else farthest:
        above, below = sides_of(budget, matrices[: at - 1][::-1], delta)
        depths = np.array(sorted({*farthest.values()}) if is_steady else [farthest[at]])
        ends = least_alphas(above, below, pairs, delta, depths)
        for depth, low, high in zip(depths.tolist(), ends.lower, ends.upper, strict=True):
            level = WorstAlpha(level_of(low, up=False), level_of(high, up=True))
            found |= {time: level for time, own in farthest.items() if own == depth and (is_steady or time == at)}
    return [found[time] for time in times]


def odds_around(alpha: Level) -> tuple[float, float] | None:
    """Return doubles below and above e^α, None for an α that is infinite here."""
    if alpha.is_infinite:
        return None
    low, high = (1 + excess for excess in alpha.excess_bounds(USUAL_BITS))
    return None if high > np.exp(GREATEST_ALPHA) else (nextafter(float(low), 0), nextafter(float(high), inf))


def delta_of_side(sides: tuple[Outward, Outward], pairs: Indices, odds: tuple[float, float], flat: float) -> WorstDelta:
    """Return δ of all releases of a side. Args: sides, from above and from below; odds, as `odds_around`."""
    above, below = sides
    far = np.full(len(pairs), len(above.matrices))
    upper = above.at(pairs, np.full(len(pairs), odds[0]), far, flat)
    lower = below.at(pairs[[int(upper.argmax())]], np.array([odds[1]]), far[:1], flat)[0]
    return WorstDelta(Fraction(max(float(lower), 0.0)), Fraction(min(max(float(upper.max()), 0.0), 1.0)))


def different_pairs(steps: Sequence[Sequence[Row]]) -> Indices:
    """Return the pairs of values, of those that one matrix tells apart alike one; of several matrices all."""
    pairs = list(permutations(range(len(steps[0]) if steps else 2), 2))
    if len(steps) != 1:
        return np.array(pairs)
    apart = np.array(list({(steps[0][j], steps[0][k]): (j, k) for j, k in pairs}.values()))
    found: Indices = apart[np.unique(forms(steps, apart), return_index=True)[1]]
    return found


def least_point(delta: Fraction) -> Fraction:
    """Return how near to 0 points are for a δ."""
    return min(LEAST, Fraction(1, 1 << BITS_BELOW_DELTA + (1 / delta // 1).bit_length()))


def sides_of(
    budget: PrivacyBudget, matrices: Sequence[Doubles], delta: Fraction, releases: int | None = None
) -> tuple[Outward, Outward]:
    """Return a time and its releases outward, all of one budget, from above and from below.

    Args: matrices, outward; delta, about what is asked for; releases, for which points are made.
    Raises: InvalidRequest for too many kinks.
    """
    phis = enclosed([budget], USUAL_BITS, on_one_grid=True)
    least = least_point(delta)
    releases = len(matrices) + 1 if releases is None else releases
    above = Ladder.of(phis.upper[0], releases, True, least)
    below = above if phis.is_exact else Ladder.of(phis.lower[0], releases, False, least)
    return Outward.of(above, matrices, True), Outward.of(below, matrices, False)
