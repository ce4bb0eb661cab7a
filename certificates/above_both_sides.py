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

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import permutations
from math import ceil, inf, log

import numpy as np

from ..reference.correlations import Row, steps_in_doubles
from ..reference.worst_case.profile_budgets import PrivacyBudget, enclosed
from .above_doubles import Doubles, Indices, below_it
from .above_guess import missing_lines, sharp_kinks
from .above_lines import unlike
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

DeltaBounds = Callable[[Indices, Doubles], Doubles]
"""Bounds of δ of pairs and times by their numbers, each at its e^α."""

SideRows = tuple[Indices, Doubles, Indices]
"""By row: a pair, e^α, and the place of the time."""

SPACINGS = 8, 24
"""Parts of the range of α at which one line is tried: for all pairs, and then for those left."""

TABLE_PART, SETTLED_PART = 1e-3, 1e-9
"""Part of δ by which M may exceed m where a row leaves: in tables, and along the other side."""

LINE_ROUNDS = 6
"""Rounds in which lines are added."""

POINT_SPACING = 0.03
"""Part by which points on which ψ bends differ, about: with closer ones hardly anything is gained."""

FEW_KINKS = 20
"""A φ with more of them needs no other points."""

SHARP_POINTS, KINK_PART = 1 << 11, 1e-5
"""Points, about, that sharp kinks of ψ may add; what a kink between points costs at least, as a part of δ."""

WIDTH = 1e-6
"""Of α: no nearer to the least one that can be proved is a level sought."""

PAIRS_TRIED = 8
"""Pairs of which one is taken for the worst."""

SHARPER = 1e-3
"""By how much less α is with points of a job's own, about."""

JOBS_TOGETHER = 1 << 10
"""Jobs of which lines are at points at once."""

MOST_HEIGHTS = 4
"""Ranges of α in which lines are tried, each twice the one before, until a level is found in one."""

MOST_RAISED = 12
"""Times that levels are raised to one that holds for another pair, too."""


class SideAbove:
    """One side of times, outward: bounds of δ. A time has a place there, from which on it sees the releases."""

    def __init__(self, steps: Sequence[Sequence[Row]]) -> None:
        self.steps = steps_in_doubles(steps)

    def bounds(self, points: PointsOutward, own: Doubles, rows: SideRows, flat: float) -> Doubles:
        """Return upper bounds of δ of rows with all releases up to each place, ∞ before their own.

        Args: own, in the place of φ_t at the points, of all rows or of each; flat, by how much M may exceed m where no
        farther release is looked at.
        """
        pairs, odds, starts = rows
        n, u = len(self.steps[0]), points.u
        own = np.broadcast_to(own, (len(pairs), len(u)))
        size = max(1, MOST_DOUBLES // (n * len(u)))
        order, found = np.argsort(starts, kind="stable"), np.empty((len(pairs), len(self.steps) + 1))
        for at in range(0, len(pairs), size):
            part = order[at : at + size]
            found[part] = self._pass(points, own[part], (pairs[part], odds[part, None], starts[part]), flat)
        return found

    def _pass(self, points: PointsOutward, own: Doubles, rows: SideRows, flat: float) -> Doubles:
        (pairs, odds, starts), u = rows, points.u
        lost = TINY * (1 + odds)
        found, most = np.full((len(pairs), len(self.steps) + 1), inf), np.full(len(pairs), inf)
        found[np.arange(len(pairs)), starts] = ((own - odds * u) + (4 * U * (own + odds * u) + lost)).max(axis=1)
        going, f = np.zeros(0, dtype=np.int64), np.zeros((0, len(self.steps[0]), len(u)))
        for place, step in enumerate(self.steps):
            if len(going):
                f = np.matmul(step.T, f) + (len(step) + 8) * U * np.matmul(step.T, np.abs(f))
            if len(new := np.flatnonzero(starts == place)):
                (j, k), by = pairs[new].T, odds[new]
                one, other = step[j][:, :, None] * own[new, None], (step[k] * by)[:, :, None] * u
                first = one - other + (6 * U * (one + other) + lost[new, :, None])
                going, f = np.append(going, new), np.concatenate([f, first]) if len(going) else first
            if not len(going):
                continue
            f = points.greatest(place + 1, f)
            slack = (f.shape[1] + 8) * U
            sums = (f.sum(axis=1) + slack * np.abs(f).sum(axis=1)).max(axis=1)
            tops = f.max(axis=2)
            tops = tops.sum(axis=1) + slack * np.abs(tops).sum(axis=1)
            most[going] = np.minimum(most[going], tops)
            found[going, place + 1] = np.minimum(most[going], sums)
            stay = tops - sums > flat
            found[going[~stay], place + 1 :] = most[going[~stay], None]
            going, f = going[stay], f[stay]
        return found


class OneSideAbove:
    """Times and the releases on one side of them, each with its own φ: bounds of δ from above.

    A time has all the releases from its place outward: depth tells which one it is.
    """

    def __init__(self, budgets: Sequence[PrivacyBudget], steps: Sequence[Sequence[Row]], delta: Fraction) -> None:
        """Take the budgets of the first time and outward, and the matrices. Args: delta, about what bounds are for."""
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
        return self._bounds(self._points, (pairs, odds, len(self.matrices) - depths), flat)

    def everywhere(self, pairs: Indices, odds: Doubles, depth: int, flat: float) -> Doubles:
        """Return bounds of pairs, each at its e^α, at the depths 0 to `depth`."""
        starts = len(self.matrices) - np.tile(np.arange(depth + 1), len(pairs))
        rows = np.repeat(pairs, depth + 1, axis=0), np.repeat(odds, depth + 1), starts
        return self._bounds(self._few, rows, flat).reshape(len(pairs), depth + 1)

    def _bounds(self, points: PointsOutward, rows: SideRows, flat: float) -> Doubles:
        return self._side.bounds(points, points.own_at(rows[2]), rows, flat)[:, -1]


class BothSidesAbove:
    """Times and releases on both sides of them: what is proved of them.

    depths: (2, times), the releases of the past and of the future that a bound is of, and of fewer. pairs: of values,
    which stand for all.
    """

    def __init__(
        self,
        budgets: tuple[Sequence[PrivacyBudget], Sequence[PrivacyBudget]],
        steps: tuple[Sequence[Sequence[Row]], Sequence[Sequence[Row]]],
        delta: Fraction,
        depths: Indices,
        height: float,
        *,
        is_steady: bool,
    ) -> None:
        """Take releases outward.

        Args: budgets, of the last time and the past, and of the first time and the future; steps, the matrices, of the
        past and of the future; height, about the greatest α of one side; is_steady, whether budgets and steps are the
        same for all times, so that all have the same nearest releases; else each has those from its own on to the end,
        and the first and the last one may be times that are not asked about.
        """
        phis = enclosed(of_all([*budgets[0], *budgets[1]]), BITS, on_one_grid=True).upper
        self._phis = (phis, phis) if len(phis) == 1 else (phis[: len(budgets[0])], phis[len(budgets[0]) :])
        self._least, self._releases = float(delta) * LEAST_POINT, int(depths.max()) + 1
        self._plain, self._fine = self._points(), self._points(self._spaced(POINT_SPACING))
        self._few = self._plain if len(phis) == 1 else self._points(shared=FEW_SHARED)
        self.delta, self._height = below_it(delta), height
        self._starts = 0 * depths if is_steady else np.array([[len(own)] for own in steps]) - depths
        self._ends = self._starts + depths
        self._sides = [SideAbove(own[: int(end)]) for own, end in zip(steps, self._ends.max(axis=1), strict=True)]
        pairs = np.array(list(permutations(range(len(steps[0][0])), 2)))
        self.pairs = pairs[unlike(steps, pairs)]
        self._proved = np.full((len(self.pairs), depths.shape[1]), inf)
        self._first: dict[tuple[int, int], tuple[int, ...]] = {}
        self._lines: dict[tuple[int, int, int], tuple[Doubles, Doubles]] = {}
        self._turns: Counter[tuple[int, int, int]] = Counter()
        self._own: dict[tuple[int, int, int], tuple[PointsOutward, Doubles]] = {}
        self._tables: dict[int, tuple[Indices, Doubles, Doubles]] = {}

    def _points(self, others: tuple[float, ...] = (), shared: int = MOST_SHARED) -> list[PointsOutward]:
        """Return the points of both sides, which are the same."""
        return sides_points(self._phis, self._releases, self._least, others, shared)

    @property
    def _bends(self) -> bool:
        """Whether φ is one with few kinks, so that other points are of use."""
        return {len(own) for own in self._phis} == {1} and len(self._phis[0][0].points) <= FEW_KINKS

    @property
    def _ways(self) -> tuple[Callable[[Indices], DeltaBounds], ...]:
        return (self.many_lines, self.sharp) if self._bends else (self.many_lines,)

    def _spaced(self, spacing: float) -> tuple[float, ...]:
        """Return points from one half to where φ leads it; none where φ itself has many."""
        far = 2 * float(self._phis[0][0](Fraction(1, 2)))
        parts = ceil(log(far) / spacing) if self._bends else 0
        return tuple(0.5 * far ** (part / parts) for part in range(parts))

    def one_line(self, odds: Doubles, places: Indices, spacings: int) -> Doubles:
        """Return bounds of δ by one line, of pairs at all times, each time at its e^α."""
        slopes = np.exp(np.linspace(0, self._height, spacings + 1)) * (1 - 16 * U)  # so that λ = 1 has one
        if spacings not in self._tables or not np.isin(places, self._tables[spacings][0]).all():
            self._tables[spacings] = places, self._tabled(0, places, slopes), self._tabled(1, places, slopes)
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

    def _tabled(self, side: int, places: Indices, slopes: Doubles) -> Doubles:
        """Return bounds of δ by one side, of the future without the time's release, of pairs at slopes and times."""
        starts, of_time = np.unique(self._starts[side], return_inverse=True)
        which = [own.ravel() for own in np.meshgrid(places, slopes, starts, indexing="ij")]
        points, rows = self._few[side], (self.pairs[which[0]], which[1], which[2])
        own = points.u if side else points.own_at(which[2])
        found = self._sides[side].bounds(points, own, rows, TABLE_PART * self.delta)
        return found.reshape(len(places), len(slopes), len(starts), -1)[:, :, of_time, self._ends[side]]

    def _tell(self, first: int, jobs: Sequence[tuple[int, int]], rounds: int) -> None:
        """Work out slopes of lines, and bounds of δ_one of pairs there up to all places that are asked about."""
        points, keys = self._plain[first], {(first, pair, int(self._starts[first, time])) for pair, time in jobs}
        while new := {key: self._missing(key) for key in keys if self._turns[key] < rounds}:
            self._turns.update(new.keys())
            _, pairs, starts = np.repeat([*new], [len(own) for own in new.values()], axis=0).T
            rows = self.pairs[pairs], np.concatenate([*new.values()]), starts
            found = self._sides[first].bounds(points, points.own_at(starts), rows, 1e-3 * TABLE_PART * self.delta)
            for key, own in new.items():
                part, found = found[: len(own)], found[len(own) :]
                slopes, table = self._lines.get(key, (np.zeros(0), np.zeros((0, found.shape[1]))))
                slopes, table = np.append(slopes, own), np.concatenate([table, part])
                order = np.argsort(slopes)
                self._lines[key] = slopes[order], table[order]

    def _missing(self, key: tuple[int, int, int]) -> Doubles:
        """Return slopes of lines that a pair has not at a place of a side; of such slopes the theorem is."""
        if key not in self._lines:
            return np.exp(np.linspace(-0.3, 1.1, SPACINGS[1] + 1) * self._height)
        slopes, table = self._lines[key]
        asked = np.unique(self._ends[key[0], self._starts[key[0]] == key[2]])
        more = missing_lines(slopes, table[:, asked], self.delta)
        return more[more > 0]

    def _by_lines(self, first: int, pair: int, time: int) -> tuple[Doubles, Doubles]:
        """Return lines no lower than ψ, slopes and values at 0."""
        slopes, table = self._lines[first, pair, int(self._starts[first, time])]
        return np.append(slopes, 0), np.append(table[:, self._ends[first, time]], 1)

    def _exactly(self, first: int, pair: int, time: int) -> tuple[PointsOutward, Doubles]:
        """Return points of the other side among which are the sharpest kinks of ψ, and ψ from above there."""
        if (first, pair, time) not in self._own:
            lines = self._by_lines(first, pair, time)
            levels = len(self._fine[0].u) // max(1, len(self._spaced(POINT_SPACING)))
            kinks = sharp_kinks(self._fine[0].u, *lines, SHARP_POINTS // (levels + 1), KINK_PART * self.delta)
            kinks, points = kinks[(kinks > self._least) & (kinks < 0.99)], self._fine[1 - first]
            if len(kinks):
                others = *kinks, *self._spaced(3 * POINT_SPACING)
                points = self._points(others)[1 - first]
            self._own[first, pair, time] = points, least_line(points.u, *lines)
        return self._own[first, pair, time]

    def many_lines(self, jobs: Indices, rounds: int = LINE_ROUNDS) -> DeltaBounds:
        """Return what bounds δ of jobs by many lines; after one round by the first ones alone."""
        own = []
        for first in (0, 1):
            self._tell(first, jobs.tolist(), rounds)
            own.append(np.array([least_line(self._fine[0].u, *self._by_lines(first, *job)) for job in jobs.tolist()]))
        return lambda which, odds: np.minimum(
            *(self._along(first, self._fine[1 - first], own[first][which], (jobs[which], odds)) for first in (0, 1))
        )

    def sharp(self, jobs: Indices) -> DeltaBounds:
        """Return the same of each at points of its own, with the side first that was better the first time."""
        return lambda which, odds: np.array(
            [self._sharply(jobs[[job]], odds[[at]]) for at, job in enumerate(which)], dtype=float
        )

    def _sharply(self, job: Indices, odds: Doubles) -> float:
        pair, time = job[0].tolist()
        found = {
            first: float(self._along(first, *self._exactly(first, pair, time), (job, odds))[0])
            for first in self._first.get((pair, time), (0, 1))
        }
        self._first[pair, time] = (min(found, key=found.__getitem__),)
        return min(found.values())

    def _along(self, first: int, points: PointsOutward, own: Doubles, asked: tuple[Indices, Doubles]) -> Doubles:
        """Return bounds of jobs, each at its e^α, along the side that comes second. Args: own, ψ at the points."""
        (pairs, times), odds = asked[0].T, asked[1]
        rows = self.pairs[pairs], odds, self._starts[1 - first, times]
        found = self._sides[1 - first].bounds(points, own, rows, SETTLED_PART * self.delta)
        reached: Doubles = found[np.arange(len(times)), self._ends[1 - first, times]]
        return reached

    def unproved(self, odds: Doubles) -> tuple[Indices, Doubles]:
        """Return jobs, pairs and times, of which δ at the e^α of a time is not proved, and what is of them.

        Where one is left of a time with the greatest bound by few lines, the others of it are not looked at.
        """
        places, left = np.arange(len(self.pairs)), (self._proved > odds) & np.isfinite(odds)
        for spacings in SPACINGS:
            if len(places):
                left[places] &= ~(self.one_line(odds, places, spacings) <= self.delta)
                places = np.flatnonzero(left.any(axis=1))
        few_lines, more_lines = (partial(self.many_lines, rounds=own) for own in (1, 2))  # which are enough for most
        jobs, found = self._left([few_lines], np.argwhere(left), odds)
        first, most = self._left(self._ways, _greatest(jobs, found), odds)
        others, more = self._left([more_lines, *self._ways], jobs[~np.isin(jobs[:, 1], first[:, 1])], odds)
        return np.concatenate([first, others]), np.append(most, more)

    def _left(
        self, ways: Sequence[Callable[[Indices], DeltaBounds]], jobs: Indices, odds: Doubles
    ) -> tuple[Indices, Doubles]:
        """Return those of jobs that none of some ways proves, and what the last one has of them."""
        found = np.zeros(len(jobs))
        for way in ways:
            if len(jobs):
                parts = np.array_split(jobs, range(JOBS_TOGETHER, len(jobs), JOBS_TOGETHER))
                found = np.concatenate([way(part)(np.arange(len(part)), odds[part[:, 1]]) for part in parts])
                is_left = ~(found <= self.delta)
                pair, time = jobs[~is_left].T
                self._proved[pair, time] = odds[time]
                jobs, found = jobs[is_left], found[is_left]
        return jobs, found

    def _likely(self, odds: Doubles) -> Indices:
        """Return for each time about the worst pair at its e^α."""
        bound, times = self.one_line(odds, np.arange(len(self.pairs)), SPACINGS[0]), np.arange(len(odds))
        places = np.argsort(-bound, axis=0)[:PAIRS_TRIED]
        jobs = np.stack([places.ravel(), np.tile(times, len(places))], axis=1)
        found = self.many_lines(jobs, rounds=1)(np.arange(len(jobs)), odds[jobs[:, 1]]).reshape(places.shape)
        worst: Indices = places[found.argmax(axis=0), times]
        return worst

    def least_odds(self, roots: Roots) -> tuple[Doubles, Indices]:
        """Return for each time about the least e^α that can be proved, ∞ where none is found, and the worst pair.

        Args: roots, which seeks, of falling functions of α, two α near each other on either side of a goal.
        """
        times, places = np.arange(self._ends.shape[1]), np.arange(len(self.pairs))

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
        worst = self._likely(np.exp(guess))
        alphas = np.zeros(len(times))
        todo = np.stack([worst, times], axis=1)
        for _ in range(MOST_RAISED):
            at, near = todo[:, 1], guess[todo[:, 1]]
            low = alphas[at]
            for way in self._ways:
                near = np.minimum(near, roots(_at_alphas(way(todo)), self.delta, low, near, WIDTH)[1])
                low = np.maximum(low, near - SHARPER)
            alphas[at] = np.maximum(alphas[at], near)
            left, found = self.unproved(np.exp(alphas))
            todo = _greatest(left, found)
            if not len(todo):
                return np.exp(alphas), self.pairs[worst]
            worst[todo[:, 1]] = todo[:, 0]
        alphas[todo[:, 1]] = inf
        return np.exp(alphas), self.pairs[worst]


def _greatest(jobs: Indices, found: Doubles) -> Indices:
    """Return of each time the job of which the most is found."""
    jobs = jobs[np.argsort(-found, kind="stable")]
    return jobs[np.unique(jobs[:, 1], return_index=True)[1]]


def _at_alphas(bounds: DeltaBounds) -> DeltaBounds:
    return lambda which, alphas: bounds(which, np.exp(alphas))


def least_line(u: Doubles, slopes: Doubles, starts: Doubles) -> Doubles:
    """Return a function at points, linear between them and nowhere below the least of lines."""
    best = (starts[:, None] + slopes[:, None] * ((u[1:] + u[:-1]) / 2)).argmin(axis=0)
    left, right = starts[best] + slopes[best] * u[:-1], starts[best] + slopes[best] * u[1:]
    found: Doubles = np.concatenate([left[:1], np.maximum(left[1:], right[:-1]), right[-1:]]) * (1 + 8 * U)
    return found
