"""The check from above of TPL at a δ: levels at which no pair of values tells more by releases on both sides of a time.

What one side and the release of the time tell together, ψ, takes the place of φ_t in the recursion along the other side
(theorem (ψ), `reference.worst_case.one_side_first`), whichever side comes first. For every s ≥ 0 it is at most the line
δ_one(s) + s·u, and bounds of δ_one(s) are as good. So with λ = e^α, and the other side without the release:

- *One line*: δ(λ) ≤ δ_one(s) + s·δ_other(λ/s). δ_other is convex in λ, its chords bound it, and two tables exclude most
  pairs at all times.
- *Many lines*: for the pairs left, ψ is bounded by the least of lines, linear between points. The lines that are
  missing are where the convex δ_one(s) may be far below its chords: that far ψ may be below the lines.

Which lines, points and levels are tried is a guess. Rounding is that of `above_profile`; what a line multiplies by its
slope has `TINY` (1 + e^α) in it for what underflows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from math import ceil, inf, log

import numpy as np

from ..reference.correlations import Row, steps_in_doubles
from ..reference.worst_case.profile_budgets import PrivacyBudget, enclosed
from .above_doubles import Doubles, Indices, below_it
from .above_loss import BITS, TINY, U
from .above_profile import (
    FEW_SHARED,
    LEAST_POINT,
    MOST_DOUBLES,
    MOST_SHARED,
    PointsOutward,
    of_all,
    points_of,
    sides_points,
)

Roots = Callable[
    [Callable[[Indices, Doubles], Doubles], float, Doubles, Doubles, float],
    tuple[Doubles, Doubles],
]
"""A search, whose results are proved whatever it is: of functions by their numbers, a goal, two ends, and a width."""

SPACINGS = 8, 48
"""Parts of the range of α at which one line is tried: for all pairs, and then for those left."""

TABLE_PART, SETTLED_PART = 1e-3, 1e-9
"""Part of δ by which M may exceed m where a row leaves: in tables, and along the other side."""

LINE_PART = 2e-4
"""Part of δ_one(s) by which it may be below its chords before a line is added."""

MORE_LINES, LINE_ROUNDS = 12, 6
"""Lines added for each depth in a round, and rounds."""

POINT_SPACING = 0.03
"""Part by which points on which ψ bends differ, about: with closer ones hardly anything is gained."""

OTHER_POINTS, NEAREST_ONE = 400, 1e-3
"""Points up to one half for ψ of different φ, and how near to 1 there are others."""

FEW_KINKS = 20
"""A φ with more of them needs no other points."""

SHARP_POINTS, KINK_PART = 1 << 11, 1e-3
"""Points, about, that sharp kinks of ψ may add; what a kink between points costs at least, as a part of δ."""

WIDTH = 1e-6
"""Of α: no nearer to the least one that can be proved is a level sought."""

MOST_HEIGHTS = 4
"""Ranges of α in which lines are tried, each twice the one before, until a level is found in one."""

MOST_RAISED = 12
"""Times that levels are raised to one that holds for another pair, too."""


class SideAbove:
    """One side of a time, outward: bounds of δ at all depths."""

    def __init__(self, steps: Sequence[Sequence[Row]]) -> None:
        self.steps = steps_in_doubles(steps)

    def bounds(self, points: PointsOutward, own: Doubles, pairs: Indices, odds: Doubles, flat: float) -> Doubles:
        """Return upper bounds of δ of rows at the depths from 0 on; the last one holds for all farther ones, too.

        Args: own, in the place of φ_t at the points, of all rows or of each; pairs and odds, e^α, by row; flat, by how
        much M may exceed m where no farther release is looked at.
        """
        n, u = len(self.steps[0]), points.u
        own = np.broadcast_to(own, (len(pairs), len(u)))
        size = max(1, MOST_DOUBLES // (n * len(u)))
        parts = [
            self._pass(points, own[at : at + size], pairs[at : at + size], odds[at : at + size, None], flat)
            for at in range(0, len(pairs), size)
        ]
        deepest = max(part.shape[1] for part in parts)
        return np.concatenate([np.pad(part, ((0, 0), (0, deepest - part.shape[1])), mode="edge") for part in parts])

    def _pass(self, points: PointsOutward, own: Doubles, pairs: Indices, odds: Doubles, flat: float) -> Doubles:
        (j, k), u, near, lost = pairs.T, points.u, self.steps[0], TINY * (1 + odds)
        found = [((own - odds * u) + (4 * U * (own + odds * u) + lost)).max(axis=1)]
        one, other = near[j][:, :, None] * own[:, None], (near[k] * odds)[:, :, None] * u
        f = one - other + (6 * U * (one + other) + lost[:, :, None])
        going, most = np.arange(len(pairs)), np.full(len(pairs), inf)
        for depth, step in enumerate(self.steps):
            if depth:
                f = np.matmul(step.T, f) + (len(step) + 8) * U * np.matmul(step.T, np.abs(f))
            f = points.greatest(depth + 1, f)
            slack = (f.shape[1] + 8) * U
            sums = (f.sum(axis=1) + slack * np.abs(f).sum(axis=1)).max(axis=1)
            tops = f.max(axis=2)
            tops = tops.sum(axis=1) + slack * np.abs(tops).sum(axis=1)
            stay = tops - sums > flat
            most[going] = np.minimum(most[going], tops)
            now = most.copy()
            now[going[stay]] = np.minimum(most[going[stay]], sums[stay])
            found.append(now)
            going, f = going[stay], f[stay]
            if not len(going):
                break
        return np.stack(found, axis=1)


class OneSideAbove:
    """A time and the releases on one side of it, each with its own φ: bounds of δ from above."""

    def __init__(self, budgets: Sequence[PrivacyBudget], steps: Sequence[Sequence[Row]], delta: Fraction) -> None:
        """Take the budgets of the time and outward, and the matrices. Args: delta, about what bounds are for."""
        phis = enclosed(budgets, BITS, on_one_grid=True).upper
        few = FEW_SHARED if len({*phis}) > 1 else MOST_SHARED  # of one φ the points are the same
        self._few, self._points = (
            points_of(phis, len(budgets), float(delta) * LEAST_POINT, shared) for shared in (few, MOST_SHARED)
        )
        self._side = SideAbove(steps)

    @property
    def matrices(self) -> Sequence[Doubles]:
        """The steps outward, in doubles."""
        return self._side.steps

    def at(self, pairs: Indices, odds: Doubles, depths: Indices, flat: float) -> Doubles:
        """Return bounds of pairs, each at its e^α and its depth."""
        if not len(pairs):
            return np.zeros(0)
        found = self._side.bounds(self._points, self._points.own, pairs, odds, flat)
        own: Doubles = found[np.arange(len(found)), np.minimum(depths, found.shape[1] - 1)]
        return own

    def everywhere(self, pairs: Indices, odds: Doubles, depth: int, flat: float) -> Doubles:
        """Return bounds of pairs, each at its e^α, at the depths 0 to `depth`."""
        return _at_depths(self._side.bounds(self._few, self._few.own, pairs, odds, flat), np.arange(depth + 1))


class BothSidesAbove:
    """Times with as many releases of the past and of the future each: what is proved of them.

    depths: (2, times); a bound is of the releases up to there and of fewer.
    """

    def __init__(
        self,
        budgets: tuple[Sequence[PrivacyBudget], Sequence[PrivacyBudget]],
        steps: tuple[Sequence[Sequence[Row]], Sequence[Sequence[Row]]],
        delta: Fraction,
        depths: Indices,
        height: float,
    ) -> None:
        """Take releases outward.

        Args: budgets, of the time and the past, and of the time and the future, of one budget for all alone; steps, the
        matrices, of the past and of the future; height, about the greatest α of one side.
        """
        phis = enclosed(of_all([*budgets[0], *budgets[1]]), BITS, on_one_grid=True).upper
        self._phis = (phis, phis) if len(phis) == 1 else (phis[: len(budgets[0])], phis[len(budgets[0]) :])
        self._least, self._releases = float(delta) * LEAST_POINT, int(depths.max()) + 1
        self._plain, self._fine = self._points(), self._points(self._spaced(POINT_SPACING))
        self._few = self._plain if len(phis) == 1 else self._points(shared=FEW_SHARED)
        self._sides = [SideAbove(own[: int(most)]) for own, most in zip(steps, depths.max(axis=1), strict=True)]
        self.delta, self._height, self._depths = below_it(delta), height, depths
        self._pairs = np.array(list(permutations(range(len(steps[0][0])), 2)))
        self._proved = np.full((len(self._pairs), depths.shape[1]), inf)
        self._first = np.zeros(self._proved.shape, dtype=np.int64)
        self._lines: dict[tuple[int, int], tuple[Doubles, Doubles]] = {}
        self._own: dict[tuple[int, int, int], tuple[PointsOutward, Doubles]] = {}
        self._tables: dict[int, tuple[Indices, Doubles, Doubles]] = {}

    def _points(self, others: tuple[float, ...] = (), shared: int = MOST_SHARED) -> list[PointsOutward]:
        """Return the points of both sides, which are the same."""
        return sides_points(self._phis, self._releases, self._least, others, shared)

    @property
    def _bends(self) -> bool:
        """Whether φ has few kinks, so that other points can be added."""
        return max(len(phi.points) for own in self._phis for phi in own) <= FEW_KINKS

    def _spaced(self, spacing: float) -> tuple[float, ...]:
        """Return points from one half to where φ leads it, of different φ all over; none where φ itself has many."""
        if len(self._phis[0]) > 1:
            below = np.geomspace(self._least, 0.5, OTHER_POINTS)
            return *below.tolist(), *(1 - below[below > NEAREST_ONE]).tolist()
        far = 2 * float(self._phis[0][0](Fraction(1, 2)))
        parts = ceil(log(far) / spacing) if self._bends else 0
        return tuple(0.5 * far ** (part / parts) for part in range(parts))

    def one_line(self, odds: Doubles, places: Indices, spacings: int) -> Doubles:
        """Return bounds of δ by one line, of pairs at all times, each time at its e^α."""
        slopes = np.exp(np.linspace(0, self._height, spacings + 1)) * (1 - 16 * U)  # so that λ = 1 has one
        if spacings not in self._tables or not np.isin(places, self._tables[spacings][0]).all():
            rows = np.repeat(self._pairs[places], len(slopes), axis=0), np.tile(slopes, len(places))
            one, other = (
                _at_depths(side.bounds(points, own, *rows, TABLE_PART * self.delta), depths)
                for side, points, own, depths in zip(
                    self._sides, self._few, (self._few[0].own, self._few[0].u), self._depths, strict=True
                )
            )
            shape = len(places), len(slopes), -1
            self._tables[spacings] = places, one.reshape(shape), other.reshape(shape)
        known, one, other = self._tables[spacings]
        one, other = (table[np.searchsorted(known, places)] for table in (one, other))
        best, times = np.full((len(places), len(odds)), inf), np.arange(len(odds))
        for place, slope in enumerate(slopes):
            asked = odds / slope * (1 - 8 * U)
            at = np.clip(np.searchsorted(slopes, asked, side="right") - 1, 0, spacings - 1)
            low, high = slopes[at], slopes[at + 1]
            part = np.clip((asked - low) / (high - low), 0, 1) * (1 - 8 * U)
            after = np.minimum(other[:, at + 1, times], before := other[:, at, times])
            bound = one[:, place] + slope * (before - (before - after) * part)
            best = np.where(asked >= slopes[0], np.minimum(best, bound * (1 + 16 * U)), best)
        return best

    def _told(self, first: int, pair: int) -> tuple[Doubles, Doubles]:
        """Return slopes of lines, and bounds of δ_one of a pair there at all depths asked about."""
        if (first, pair) not in self._lines:
            depths = np.unique(self._depths[first])
            slopes, table = np.zeros(0), np.zeros((0, len(depths)))
            new = np.exp(np.linspace(-0.3, 1.1, SPACINGS[1] + 1) * self._height)
            for _ in range(LINE_ROUNDS):
                rows = np.repeat(self._pairs[[pair]], len(new), axis=0), new, 1e-3 * TABLE_PART * self.delta
                found = self._sides[first].bounds(self._plain[first], self._plain[first].own, *rows)
                slopes, table = np.append(slopes, new), np.concatenate([table, _at_depths(found, depths)])
                order = np.argsort(slopes)
                slopes, table = slopes[order], table[order]
                new = missing_lines(slopes, table, self.delta)
                new = new[new > 0]  # the theorem is of these, whatever is guessed
                if not len(new):
                    break
            self._lines[first, pair] = slopes, table[:, np.searchsorted(depths, self._depths[first])]
        return self._lines[first, pair]

    def _by_lines(self, first: int, pair: int, time: int) -> tuple[Doubles, Doubles]:
        """Return lines no lower than ψ, slopes and values at 0."""
        slopes, table = self._told(first, pair)
        return np.append(slopes, 0), np.append(table[:, time], 1)

    def _exactly(self, first: int, pair: int, time: int) -> tuple[PointsOutward, Doubles]:
        """Return points of the other side among which are the sharpest kinks of ψ, and ψ from above there."""
        if (first, pair, time) not in self._own:
            lines = self._by_lines(first, pair, time)
            kinks, points = self._kinks(*lines), self._fine[1 - first]
            if len(kinks) and self._bends:
                others = *kinks, *self._spaced(3 * POINT_SPACING)
                points = self._points(others)[1 - first]
            self._own[first, pair, time] = points, least_line(points.u, *lines)
        return self._own[first, pair, time]

    def _kinks(self, slopes: Doubles, starts: Doubles) -> Doubles:
        """Return those of the least line that cost most where they are between points."""
        u = self._fine[0].u
        seen = (starts[:, None] + slopes[:, None] * u).argmin(axis=0)
        used = np.unique(seen)[np.argsort(slopes[np.unique(seen)])]
        s, c = slopes[used], starts[used]
        bend = np.diff(s)
        kinks = -np.diff(c) / bend
        cost = bend * kinks * POINT_SPACING
        levels = len(u) // max(1, len(self._spaced(POINT_SPACING)))
        sharp = np.argsort(-cost)[: SHARP_POINTS // (levels + 1)]
        found: Doubles = kinks[sharp[cost[sharp] > KINK_PART * self.delta]]
        return found[(found > self._least) & (found < 0.99)]

    def bounds(self, jobs: Indices, odds: Doubles) -> Doubles:
        """Return bounds of δ of jobs, each at its e^α, by many lines."""
        found = []
        for first in (0, 1):
            own = np.array([least_line(self._fine[0].u, *self._by_lines(first, *job)) for job in jobs.tolist()])
            rows = self._pairs[jobs[:, 0]], odds, SETTLED_PART * self.delta
            found.append(
                self._each_at(self._sides[1 - first].bounds(self._fine[1 - first], own, *rows), first, jobs[:, 1])
            )
        self._first[tuple(jobs.T)] = np.argmin(found, axis=0)
        return np.minimum(*found)

    def sharp_bounds(self, jobs: Indices, odds: Doubles) -> Doubles:
        """Return the same of jobs with the side first that was better, of each at points of its own."""
        best = np.empty(len(jobs))
        for at, (pair, time) in enumerate(jobs.tolist()):
            first = int(self._first[pair, time])
            points, own = self._exactly(first, pair, time)
            row = self._pairs[[pair]], odds[[at]], SETTLED_PART * self.delta
            (best[at],) = self._each_at(self._sides[1 - first].bounds(points, own, *row), first, np.array([time]))
        return best

    def _each_at(self, found: Doubles, first: int, times: Indices) -> Doubles:
        depths = self._depths[1 - first][times]
        own: Doubles = found[np.arange(len(found)), np.minimum(depths, found.shape[1] - 1)]
        return own

    def unproved(self, odds: Doubles) -> tuple[Indices, Doubles]:
        """Return the jobs, pairs and times, of which δ at the e^α of a time is not proved, and what is of them."""
        places, left = np.arange(len(self._pairs)), (self._proved > odds) & np.isfinite(odds)
        for spacings in SPACINGS:
            if len(places):
                left[places] &= ~(self.one_line(odds, places, spacings) <= self.delta)
                places = np.flatnonzero(left.any(axis=1))
        jobs, found = np.argwhere(left), np.zeros(0)
        for bounds in (self.bounds, self.sharp_bounds):
            if len(jobs):
                found = bounds(jobs, odds[jobs[:, 1]])
                is_left = ~(found <= self.delta)
                pair, time = jobs[~is_left].T
                self._proved[pair, time] = odds[time]
                jobs, found = jobs[is_left], found[is_left]
        return jobs, found

    def least_odds(self, roots: Roots) -> tuple[Doubles, Indices]:
        """Return for each time about the least e^α that can be proved, ∞ where none is found, and the worst pair.

        Args: roots, which seeks, of falling functions of α, two α near each other on either side of a goal.
        """
        times, places = np.arange(self._depths.shape[1]), np.arange(len(self._pairs))

        def one_line(which: Indices, alphas: Doubles) -> Doubles:
            odds = np.ones(len(times))
            odds[which] = np.exp(alphas)
            found: Doubles = self.one_line(odds, places, SPACINGS[0])[:, which].max(axis=0)
            return found

        for raised in range(MOST_HEIGHTS):
            self._height, self._tables = self._height * (2 if raised else 1), {}
            guess = roots(one_line, self.delta, np.zeros(len(times)), np.full(len(times), self._height), WIDTH)[1]
            if (guess <= 2 * self._height).all():
                break
        guess = np.minimum(guess, 2 * self._height)
        worst = self.one_line(np.exp(guess), places, SPACINGS[0]).argmax(axis=0)
        alphas = np.zeros(len(times))
        todo = np.stack([worst, times], axis=1)
        for _ in range(MOST_RAISED):
            at, near = todo[:, 1], guess[todo[:, 1]]
            for bounds in (self.bounds, self.sharp_bounds):
                near = np.minimum(near, roots(_at_alphas(bounds, todo), self.delta, alphas[at], near, WIDTH)[1])
            alphas[at] = np.maximum(alphas[at], near)
            left, found = self.unproved(np.exp(alphas))
            order = np.argsort(found)
            again = dict(zip(left[order, 1].tolist(), left[order, 0].tolist(), strict=True))
            if not again:
                return np.exp(alphas), self._pairs[worst]
            todo = np.array([[pair, time] for time, pair in again.items()])
            worst[todo[:, 1]] = todo[:, 0]
        alphas[todo[:, 1]] = inf
        return np.exp(alphas), self._pairs[worst]


def _at_alphas(bounds: Callable[[Indices, Doubles], Doubles], jobs: Indices) -> Callable[[Indices, Doubles], Doubles]:
    return lambda which, alphas: bounds(jobs[which], np.exp(alphas))


def least_line(u: Doubles, slopes: Doubles, starts: Doubles) -> Doubles:
    """Return a function at points, linear between them and nowhere below the least of lines."""
    best = (starts[:, None] + slopes[:, None] * ((u[1:] + u[:-1]) / 2)).argmin(axis=0)
    left, right = starts[best] + slopes[best] * u[:-1], starts[best] + slopes[best] * u[1:]
    found: Doubles = np.concatenate([left[:1], np.maximum(left[1:], right[:-1]), right[-1:]]) * (1 + 8 * U)
    return found


def _at_depths(found: Doubles, depths: Indices) -> Doubles:
    return found[:, np.minimum(depths, found.shape[1] - 1)]


def missing_lines(slopes: Doubles, table: Doubles, delta: float) -> Doubles:
    """Return slopes between others at which a convex function may be farthest below its chords, of each column."""
    s, c = slopes[:, None], table
    with np.errstate(all="ignore"):
        k = np.diff(c, axis=0) / np.diff(s, axis=0)
        left, right = c[1:-2] - k[:-2] * s[1:-2], c[2:-1] - k[2:] * s[2:-1]
        at = (right - left) / (k[:-2] - k[2:])
        chord = c[1:-2] + k[1:-1] * (at - s[1:-2])
        part = (chord - left - k[:-2] * at) / np.maximum(chord, 0.01 * delta)
    is_new = (at > s[1:-2] * (1 + 1e-10)) & (at < s[2:-1] * (1 - 1e-10)) & (part > LINE_PART)
    part = np.where(is_new, part, 0)
    pick = np.argsort(-part, axis=0)[:MORE_LINES]
    found: Doubles = np.unique(np.take_along_axis(at, pick, axis=0)[np.take_along_axis(part, pick, axis=0) > 0])
    return found
