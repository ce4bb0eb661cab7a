"""TPL at a δ at all times: both sides of a time, theorem (ψ), for the few pairs that one-sided bounds do not exclude.

*All pairs.* For every s > 0 δ(λ) ≤ δ_past(s) + s·δ_future(λ/s), where λ = e^α and the future is without the release of
the time: given the values of the future, the past's best test has at most δ_past(s) + s·v where it has v under k.

*From above.* For given pairs and times ψ, what the past and the release tell together, is the least of lines
δ_past(s) + s·u. It takes the place of φ_t in the recursion along the future; or past and future are exchanged. Lines
are added where the test found reaches and ψ may be lower by most. Each pair and time has its own points, the orbits of
the kinks of its ψ.

*From below.* A test of one side, with its peaks at a slope, has chances under j and under k at each start; from these
the recursion of the other side chooses its own peaks, on points that φ leads to each other. That is a private stream's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import permutations
from math import inf, log

import numpy as np

from ...reference.correlations import Row
from ...reference.levels import INFINITE, ZERO
from ...reference.worst_case.profile_answers import WorstAlpha
from ...reference.worst_case.profile_budgets import ApproximateBudget, PrivacyBudget
from .profile_bounds import Doubles, rounding
from .profile_passes import (
    FLAT_PART,
    POINTS_TOGETHER,
    Indices,
    Outward,
    alphas_of_side,
    crossing,
    in_doubles,
    least_alphas,
    level_of,
    roots,
    sides_of,
    tabled,
)

SPACINGS = 8, 48
"""Parts of the range of α at which bounds of all pairs are composed, and then those of the pairs that are left."""

SETTLED_ALPHA = 1e-6
"""By so little farther releases of one side raise α where times are taken together."""

FIRST_LINES, MORE_LINES, MOST_LINE_ROUNDS = 6, 4, 12
"""Lines of ψ at first, those added in a round, and rounds."""

NEAR_ATTAINED, FAR_FROM_ATTAINED = 1e-5, 1e-4
"""So near to what is attained an upper α is not brought nearer; so far from it, the other side is tried first, too."""

TWO_SIDED_WIDTH = 1e-6
"""So near to each other the ends of an α are sought."""

LEAST_RANGE = 0.05
"""Of α, where one side alone needs none."""

TEST_PARTS = 6
"""Points of a test for each step of φ."""

LEAST_KINK = 1e-2
"""Nearer to 0 than this part of δ kinks of ψ count as none."""

MANTISSA = 80
"""Bits of e^ε − 1, more than a double has."""

TEST_SLOPES = 16
"""Slopes at which the side that comes first is tried."""

RAISED_PHI, LOWERED_PHI = 1 + 1e-13, 1 - 1e-13
"""Amount by which φ is moved: greater than the error of doubles."""


@dataclass(frozen=True, slots=True)
class TwoLines:
    """φ of (ε, δ): min(1, e^ε u + δ, 1 − e^−ε (1 − δ − u)). ratio: e^ε."""

    ratio: float
    delta: float

    @property
    def middle(self) -> float:
        """Return where φ(u) = 1 − u, its kink."""
        return (1 - self.delta) / (1 + self.ratio)

    def __call__(self, u: Doubles) -> Doubles:
        """Return φ(u)."""
        return np.minimum(1, np.minimum(self.ratio * u + self.delta, 1 - (1 - self.delta - u) / self.ratio))

    def back(self, y: Doubles) -> Doubles:
        """Return the least u with φ(u) = y, 0 where there is none."""
        found = np.maximum((y - self.delta) / self.ratio, 1 - self.delta - (1 - y) * self.ratio)
        return np.where(found > 1e-9 * self.delta, found, 0)

    def home(self, u: Doubles) -> tuple[Doubles, Indices]:
        """Return the point of the orbit of u in [middle, φ(middle)), and how many steps below it u is."""
        u, level, middle = u.copy(), np.zeros(u.shape, dtype=np.int64), np.array(self.middle)
        while (low := u < middle).any():
            u, level = np.where(low, self(u), u), level + low
        while (high := u >= self(middle)).any():
            u, level = np.where(high, self.back(u), u), level - high
        return u, level

    def points(self, cuts: Doubles, down: int, up: int) -> Doubles:
        """Return orbits of cuts (jobs, r), this many steps down and up, with 0 and 1. φ takes place i to i + r."""
        x = np.sort(cuts, axis=1)
        parts = [x]
        for _ in range(up):
            parts.append(self(parts[-1]))
        for _ in range(down):
            parts.insert(0, self.back(parts[0]))
        return np.concatenate([np.zeros((len(x), 1)), *parts, np.ones((len(x), 1))], axis=1)

    def levels(self, depth: int) -> int:
        """Return how many steps down orbits are of use to a number of releases: no more than lead to 0."""
        return min(depth, int(log(1 + (self.ratio - 1) / self.delta) / log(self.ratio)) + 2) if self.delta else depth

    @property
    def upward(self) -> int:
        """Return how many steps up orbits go; from there on functions are raised."""
        return min(int(2 / log(self.ratio)) + 3, 10, int(25 / log(self.ratio)))


class Orbits:
    """Each job's own points, of which φ takes place i to i + r; a `Track`.

    Beyond the last point below 1, the top, functions are linear. From 1 − δ on φ is 1: where there are points beyond, a
    function is raised at the point before by all that follows; where there are none, one that rises is followed by the
    line that reaches its greatest value at 1 − δ, which ends a little above it.
    """

    amplification = 4.0

    def __init__(self, phi: TwoLines, points: Doubles, r: int) -> None:
        self.points, self._r, last = points, r, points.shape[1] - 1
        self.end = np.minimum(np.arange(last + 1) + r, last)
        self._reached = (points < phi.delta * (1 - 1e-9)).sum(axis=1)  # where φ(0) is
        self.end[0] = self._reached.max() if phi.delta else 0
        self.end[last - r :] = last
        tail = points[:, last - r : last]
        onward, top = phi(tail), points[:, last - 1, None]
        self._part = np.divide(onward - top, 1 - top, out=np.ones_like(tail), where=top < 1)
        self._below = (points < 1 - phi.delta).sum(axis=1) - 1
        room = np.where(self._below == last - 1, 1 - phi.delta - top[:, 0], inf)
        self._beyond, self._reaches_one = phi.delta / room, bool((self._below < last - 1).any())

    def told(self, found: Doubles, jobs: Indices) -> Doubles:
        """Return max over [u, φ(u)] of functions (jobs, values, points) at all points."""
        r, last, width, most = self._r, found.shape[-1] - 1, 1, found
        while 2 * width <= r + 1:
            most = np.maximum(most[..., :-width], most[..., width:])
            width *= 2
        if width <= r:
            most = np.maximum(most[..., : width - r - 1], most[..., r + 1 - width :])
        best = np.empty_like(found)
        best[..., : last + 1 - r], best[..., last] = most, found[..., last]
        tail = np.maximum.accumulate(found[..., last - r : last][..., ::-1], axis=-1)[..., ::-1]
        rise = (found[..., last] - found[..., last - 1])[..., None]
        best[..., last - r : last] = np.maximum(tail, found[..., last - 1, None] + rise * self._part[jobs, None])
        above = np.maximum(found[..., last] - best[..., last - 1], 0) * self._beyond[jobs, None]
        best[..., last] += above
        if self._reaches_one:
            below = np.broadcast_to(self._below[jobs, None, None], (*best.shape[:-1], 1))
            all_beyond = np.take_along_axis(np.maximum.accumulate(found[..., ::-1], axis=-1)[..., ::-1], below, axis=-1)
            raised = np.where(below < last - 1, all_beyond, -inf)
            np.put_along_axis(best, below, np.maximum(np.take_along_axis(best, below, axis=-1), raised), axis=-1)
        if self.end[0]:
            begin = np.maximum.accumulate(found[..., : self.end[0] + 1], axis=-1)
            at_zero = np.take_along_axis(begin, self._reached[jobs][:, None, None], axis=2)
            zeros = (self.points[jobs, : self.end[0]] == 0)[:, None]
            best[..., : self.end[0]] = np.where(zeros, at_zero, best[..., : self.end[0]])
        else:
            best[..., 0] = found[..., 0]
        return best


@dataclass
class Order:
    """The bound in which one side comes first, of jobs: pairs with numbers of releases on this side and the other.

    lines: of ψ, (slope, value at 0, about where it touches) by job, the steepest first.
    """

    one: Outward
    other: Outward
    phi: TwoLines | None
    pairs: Indices
    depths: tuple[Indices, Indices]
    flat: float
    lines: Doubles

    def draw(self, slopes: Doubles) -> None:
        """Add lines of some slopes (jobs, lines)."""
        count = slopes.shape[1]
        both = np.concatenate([slopes, slopes * (1 + 1e-6)], axis=1)
        pairs, depths = np.repeat(self.pairs, 2 * count, axis=0), np.repeat(self.depths[0], 2 * count)
        starts = self.one.at(pairs, both.ravel(), depths, self.flat).reshape(both.shape)
        touching = np.clip((starts[:, :count] - starts[:, count:]) / (slopes * 1e-6), 0, 1)
        lines = np.concatenate([self.lines, np.stack([slopes, starts[:, :count], touching])], axis=2)
        self.lines = np.take_along_axis(lines, np.argsort(-lines[0], axis=1, kind="stable")[None], axis=2)
        slope, start, _ = self.lines
        with np.errstate(all="ignore"):
            kinks = np.diff(start, axis=1) / -np.diff(slope, axis=1)
        self.kinks = np.where(np.isfinite(kinks) & (kinks > 0) & (kinks < 1), kinks, -1.0)
        track = self.other.track
        if self.phi is not None:
            phi, is_near = self.phi, (self.kinks > (LEAST_KINK * self.phi.delta or 1e-8)) & (self.kinks < 0.95)
            homes, level = phi.home(np.where(is_near, self.kinks, phi.middle))
            fixed = [phi.middle] + ([float(phi.home(np.array([phi.delta]))[0][0])] if phi.delta else [])
            cuts = np.concatenate([np.tile(fixed, (len(slope), 1)), homes], axis=1)
            down = phi.levels(int(self.depths[1].max()) + max(int(level.max()), 0) + 1)
            track = Orbits(phi, phi.points(cuts, down, phi.upward), cuts.shape[1])
        self.then = replace(self.other, track=track, own=self._least(track.points))

    def _least(self, points: Doubles) -> Doubles:
        """Return at the points a function that is linear between them and nowhere below all lines' least."""
        points = np.broadcast_to(points, (len(self.pairs), points.shape[-1]))
        slope, start, _ = self.lines
        middle = (points[:, 1:] + points[:, :-1]) / 2
        best, least = np.zeros(middle.shape, dtype=np.int64), np.full(middle.shape, inf)
        for line in range(slope.shape[1]):
            value = start[:, line, None] + slope[:, line, None] * middle
            best, least = np.where(value < least, line, best), np.minimum(value, least)
        s, c = np.take_along_axis(slope, best, axis=1), np.take_along_axis(start, best, axis=1)
        left, right = c + s * points[:, :-1], c + s * points[:, 1:]
        return np.concatenate([left[:, :1], np.maximum(left[:, 1:], right[:, :-1]), right[:, -1:]], axis=1)

    def at(self, jobs: Indices, odds: Doubles) -> Doubles:
        """Return bounds of δ of jobs, each at its e^α."""
        return self.then.at(self.pairs[jobs], odds, self.depths[1][jobs], self.flat, jobs)

    def chords(self, odds: Doubles, fine: float) -> Doubles:
        """Return slopes of new lines where the test at e^α reaches and ψ may be lower by most, by more than `fine`."""
        slope, start, q = self.lines
        reach = np.array(
            [self.then.reach(self.pairs[job], odds[job], int(self.depths[1][job]), job) for job in range(len(odds))]
        )
        p = start + slope * q
        with np.errstate(all="ignore"):
            chord = np.diff(p, axis=1) / np.diff(q, axis=1)
        gap = start[:, :-1] + slope[:, :-1] * self.kinks - p[:, :-1] - chord * (self.kinks - q[:, :-1])
        new = (self.kinks > 0) & (chord < slope[:, :-1] * (1 - 1e-9)) & (chord > slope[:, 1:] * (1 + 1e-9))
        new &= (q[:, 1:] >= reach[:, :1] * (1 - 1e-6)) & (q[:, :-1] <= reach[:, 1:] * (1 + 1e-6))
        weight = np.where(new & np.isfinite(gap), gap, 0)
        pick = np.argsort(-weight, axis=1)[:, :MORE_LINES]
        worth = np.take_along_axis(weight, pick, axis=1) > fine
        return np.where(worth, np.take_along_axis(chord, pick, axis=1), slope[:, :1])[
            :, : worth.sum(axis=1).max(initial=0)
        ]

    def kept(self, jobs: Indices) -> Order:
        """Return some of the jobs, with their lines."""
        depths = self.depths[0][jobs], self.depths[1][jobs]
        return replace(self, pairs=self.pairs[jobs], depths=depths, lines=self.lines[:, jobs])


@dataclass(frozen=True)
class TestPlaces:
    """Points at which tests stop: φ, `own`, leads from each no farther than to the point with the index `to`."""

    points: Doubles
    own: Doubles
    to: Indices

    @classmethod
    def of(cls, below: Outward, phi: TwoLines | None, depth: int) -> TestPlaces:
        """Take a side from below; of (ε, δ) more points than φ itself has."""
        if phi is None:
            to = np.searchsorted(below.track.points, below.own * (1 + 1e-14), side="right") - 1
            return cls(below.track.points, below.own, np.maximum(to, np.arange(len(to))))
        phi = TwoLines(phi.ratio / RAISED_PHI * LOWERED_PHI, phi.delta / RAISED_PHI * LOWERED_PHI)
        middle = np.array(phi.middle)
        cuts = middle * (phi(middle) / middle) ** (np.arange(TEST_PARTS) / TEST_PARTS)
        if phi.delta:
            cuts = np.append(cuts, phi.home(np.array([phi.delta, 1 - phi.delta]))[0])
        points = np.unique(
            phi.points(cuts[None], phi.levels(depth + int(8 / log(phi.ratio))), int(6 / log(phi.ratio)))[0]
        )
        own = phi(points)
        to = np.maximum(np.searchsorted(points, own * (1 + 1e-14), side="right") - 1, np.arange(len(points)))
        return cls(points, np.maximum(points, own * (1 - 1e-13)), to)

    def moved(self, found: Doubles, *others: Doubles) -> list[Doubles]:
        """Return functions where each place has gone toward the peak of the first one, as far as φ leads."""
        peak, here = found.argmax(axis=-1)[..., None], np.arange(len(self.to))
        stays, far = peak < here, peak > self.to
        moved = []
        for each in (found, *others):
            at_peak = np.take_along_axis(each, peak, -1)
            moved.append(np.where(stays, each, np.where(far, np.take(each, self.to, axis=-1), at_peak)))
        return moved


@dataclass(frozen=True)
class AttainedTests:
    """Tests of private streams. matrices: of the side that comes first, and of the other."""

    places: TestPlaces
    matrices: tuple[Sequence[Doubles], Sequence[Doubles]]
    flat: float

    def chances(self, pairs: Indices, odds: Doubles, depths: Indices) -> tuple[Doubles, Doubles]:
        """Return what tests of the first side with their peaks at e^α have under j and under k, by their start."""
        own, u = self.places.own, self.places.points
        told, told_not = (np.tile(each, (len(pairs), 1)) for each in (own, u))
        for rows in _parts(depths, 3 * len(self.matrices[0][0]) * len(u)) if depths.any() else []:
            near = self.matrices[0][0]
            x, y = (near[pairs[rows, side], :, None] * each for side, each in enumerate((own, u)))
            f = x - odds[rows, None, None] * y
            for step in range(int(depths[rows[0]])):
                if step:
                    f, x, y = (np.matmul(self.matrices[0][step].T, each) for each in (f, x, y))
                f, x, y = self.places.moved(f, x, y)
                ends = (depths[rows] == step + 1) | (f.max(axis=2).sum(axis=1) - f.sum(axis=1).max(axis=1) <= self.flat)
                told[rows[ends]], told_not[rows[ends]] = x[ends].sum(axis=1), y[ends].sum(axis=1)
                rows, f, x, y = rows[~ends], f[~ends], x[~ends], y[~ends]  # noqa: PLW2901
                if not len(rows):
                    break
        return told, told_not

    def values(self, pairs: Indices, odds: Doubles, chances: tuple[Doubles, Doubles], depths: Indices) -> Doubles:
        """Return the greatest p − e^α·q of tests whose first side has these chances."""
        told, told_not = chances
        found: Doubles = (told - odds[:, None] * told_not).max(axis=1)
        for rows in _parts(depths, len(self.matrices[1][0]) * told.shape[1]) if depths.any() else []:
            near = self.matrices[1][0]
            f = near[pairs[rows, 0], :, None] * told[rows, None]
            f -= (odds[rows, None] * near[pairs[rows, 1]])[:, :, None] * told_not[rows, None]
            for step in range(int(depths[rows[0]])):
                (f,) = self.places.moved(np.matmul(self.matrices[1][step].T, f) if step else f)
                total = f.sum(axis=1).max(axis=1)
                ends = (depths[rows] == step + 1) | (f.max(axis=2).sum(axis=1) - total <= self.flat)
                found[rows[ends]] = total[ends]
                rows, f = rows[~ends], f[~ends]  # noqa: PLW2901
                if not len(rows):
                    break
        return found


def _parts(depths: Indices, size: int) -> list[Indices]:
    """Return the rows that have releases, the most first, in parts of so large ones."""
    order = np.argsort(-depths, kind="stable")[: np.count_nonzero(depths)]
    together = max(1, POINTS_TOGETHER // size)
    return [order[start : start + together] for start in range(0, len(order), together)]


@dataclass(frozen=True, slots=True)
class BothSidesAsked:
    """Times, each with as many releases of the past and of the future; several times that differ by nothing are one.

    most, least: the releases of the past, and of the future, that such times have at most, and at least. tops: upper α
    of the past and of the future alone.
    """

    pairs: Indices
    delta: float
    most: Indices
    least: Indices
    tops: Doubles


@dataclass(frozen=True)
class BothSides:
    """What is asked: times, each with its numbers of past and future releases, all of one budget.

    above: the past and the future. phi: of (ε, δ), a little raised; None otherwise.
    """

    above: tuple[Outward, Outward]
    places: TestPlaces
    phi: TwoLines | None
    asked: BothSidesAsked

    def margin(self) -> float:
        """Return how far at most rounding has moved a sum, beside what passes account for themselves."""
        n, top = len(self.above[0].matrices[0]), float(self.asked.tops.max(axis=1).sum())
        return rounding(float(np.exp(1.2 * top + 0.2)), int(self.asked.most.sum(axis=0).max()) + 1, n)

    def composed(self, pairs: Indices, spacings: int) -> tuple[Doubles, Doubles]:
        """Return bounds of pairs at values of α and all times, min of δ_past(s) + s·δ_future(e^α/s); and these α."""
        step = max(LEAST_RANGE, float(self.asked.tops.max())) / spacings
        alphas: Doubles = np.linspace(0, 2 * spacings * step, 2 * spacings + 1)
        past, future = self.above
        future = replace(future, own=future.track.points)
        first, then = (
            tabled(side, pairs, alphas[: spacings + 1], int(depths.max()), 1e-3 * self.asked.delta)[:, :, depths]
            for side, depths in zip((past, future), self.asked.most, strict=True)
        )
        both = np.full((len(pairs), len(alphas), len(self.asked.most[0])), inf)
        for i in range(spacings + 1):
            own = both[:, i : i + spacings + 1]
            np.minimum(own, first[:, i, None] + np.exp(alphas[i]) * then, out=own)
        return both, alphas

    def attained(self, pairs: Indices, times: Indices, near: Doubles) -> Doubles:
        """Return an α of pairs at times at which a test of a private stream still tells more than δ, or 0."""
        best = np.zeros(len(pairs))
        marks = np.linspace(-0.05, float(self.asked.tops.max()) + 0.05, TEST_SLOPES)
        apart = (marks[1] - marks[0]) * np.array([-0.4, -0.2, 0, 0.2, 0.4])
        goal = self.asked.delta * RAISED_PHI * RAISED_PHI + self.margin()
        for first in (0, 1):
            matrices = self.above[first].matrices, self.above[1 - first].matrices
            tests = AttainedTests(self.places, matrices, FLAT_PART * self.asked.delta)
            one, other = (self.asked.least[side][times] for side in (first, 1 - first))
            at, slopes = 0.9 * near, np.tile(marks, (len(pairs), 1))
            for _stage in range(2):
                count = slopes.shape[1]
                jobs = np.repeat(np.arange(len(pairs)), count)
                told, told_not = tests.chances(pairs[jobs], np.exp(slopes.ravel()), one[jobs])

                def least(w: Indices, a: Doubles) -> Doubles:
                    return tests.values(pairs[w], np.exp(a), (told[pick[w]], told_not[pick[w]]), other[w])  # noqa: B023

                for _ in range(2):
                    values = tests.values(pairs[jobs], np.exp(at[jobs]), (told, told_not), other[jobs])
                    chosen = values.reshape(-1, count).argmax(axis=1)
                    pick = chosen + np.arange(len(pairs)) * count
                    at = roots(least, goal, np.maximum(at - 0.005, 0), at + 0.001, TWO_SIDED_WIDTH)[0]
                    best = np.maximum(best, at)
                slopes = slopes[np.arange(len(pairs)), chosen][:, None] + apart
        return best

    def bounded(self, pairs: Indices, times: Indices, at: Doubles, only: bool) -> Doubles:
        """Return an α of pairs at times at which δ is at most what is asked: `at` where it is so there, or near it.

        Args: only, whether nothing but that is of interest: ∞ where it is not so.
        """
        found = np.full(len(pairs), inf)
        longer = (self.asked.most[0][times] < self.asked.most[1][times]).astype(np.int64)
        for first in (longer, 1 - longer):
            for side in (0, 1):
                jobs = np.flatnonzero((first == side) & (found > at + FAR_FROM_ATTAINED))
                jobs = jobs[np.argsort(self.asked.most[1 - side][times[jobs]], kind="stable")]
                for part in np.array_split(jobs, max(1, len(jobs) // 12)):
                    if len(part):
                        new = self._ordered(side, (pairs[part], times[part]), at[part], only)
                        found[part] = np.minimum(found[part], new)
        return found

    def _ordered(self, side: int, jobs: tuple[Indices, Indices], at: Doubles, only: bool) -> Doubles:
        """Return the same by the bound in which one side comes first."""
        (pairs, times), goal = jobs, self.asked.delta - self.margin()
        height, found = self.asked.tops[side][times][:, None], np.full(len(pairs), inf)
        slopes = np.exp(
            np.concatenate([height + np.array([0.3, 0.05]), height * np.linspace(0.9, 0, FIRST_LINES - 2)], axis=1)
        )
        then = replace(self.above[1 - side], own=self.above[1 - side].track.points)
        depths = self.asked.most[side][times], self.asked.most[1 - side][times]
        lines = np.zeros((3, len(pairs), 0))
        order = Order(self.above[side], then, self.phi, pairs, depths, FLAT_PART * self.asked.delta, lines)
        order.draw(slopes)
        left, run = np.arange(len(pairs)), at.copy()
        for trial in range(MOST_LINE_ROUNDS):
            everyone = np.arange(len(left))
            enough = order.at(everyone, np.exp(run[left])) <= goal
            found[left[enough]] = np.minimum(found[left[enough]], run[left[enough]])
            more = order.chords(np.exp(run[left]), (0.02 if only else 1e-6) * self.asked.delta)
            is_last = not more.shape[1] or trial == MOST_LINE_ROUNDS - 1
            if (is_last or trial == 4) and not only:
                upper = roots(partial(_at_alpha, order), goal, at[left], run[left] + 0.002, TWO_SIDED_WIDTH)[1]
                found[left] = np.minimum(found[left], np.maximum(upper, at[left]))
                run[left] = np.where(found[left] > at[left] + FAR_FROM_ATTAINED, found[left] - 1e-7, at[left])
            go_on = found[left] > at[left] + (0 if only else FAR_FROM_ATTAINED)
            if is_last or not go_on.any():
                break
            kept = np.flatnonzero(go_on)
            order, left = order.kept(kept), left[kept]
            order.draw(more[kept])
        return found

    def least_alphas(self) -> tuple[Doubles, Doubles]:
        """Return for each time an α at which some stream tells more than δ, or 0; and one where none does, or ∞."""
        times = np.arange(len(self.asked.most[0]))
        both, alphas = self.composed(self.asked.pairs, SPACINGS[0])
        guess = crossing(both, alphas, self.asked.delta)
        best, lower, upper = guess.argmax(axis=0), np.zeros(len(times)), np.zeros(len(times))
        near, todo, done = guess[best, times], times, np.zeros(guess.shape, dtype=bool)
        closer = None
        while len(todo):
            pairs = self.asked.pairs[best[todo]]
            lower[todo] = np.maximum(lower[todo], self.attained(pairs, todo, near[todo]))
            upper[todo] = np.maximum(
                upper[todo], self.bounded(pairs, todo, np.maximum(lower[todo] + NEAR_ATTAINED, upper[todo]), False)
            )
            done[best[todo], todo] = True
            if not np.isfinite(upper).all():
                return lower, np.full(len(times), inf)  # other pairs are not excluded yet
            live = self._may_exceed(both, alphas, upper) & ~done
            if closer is None:
                some = np.flatnonzero(live.any(axis=1))
                closer = self.composed(self.asked.pairs[some], SPACINGS[1]) if len(some) else (both[:0], alphas)
            rest = np.zeros_like(live)
            rest[some] = self._may_exceed(*closer, upper)
            which, at = np.nonzero(live & rest)
            kept = self.bounded(self.asked.pairs[which], at, upper[at], True) if len(which) else np.zeros(0)
            done[which[np.isfinite(kept)], at[np.isfinite(kept)]] = True
            again: dict[int, int] = {}
            for pair, time in zip(which[np.isinf(kept)].tolist(), at[np.isinf(kept)].tolist(), strict=True):
                if time not in again or guess[pair, time] > guess[again[time], time]:
                    again[time] = pair
            todo = np.array(sorted(again), dtype=np.int64)
            for time, pair in again.items():
                best[time], near[time] = pair, max(guess[pair, time], upper[time] + 0.001)
        return lower, upper

    def _may_exceed(self, both: Doubles, alphas: Doubles, at: Doubles) -> Doubles:
        """Return of which pairs and times the composed bound at an α, convex in e^α, is above δ."""
        column = np.clip(np.searchsorted(alphas, at, side="right") - 1, 0, len(alphas) - 2)
        low, high = np.exp(alphas[column]), np.exp(alphas[column + 1])
        part, times = np.minimum((np.exp(at) - low) / (high - low), 1), np.arange(len(at))
        chord = both[:, column, times] * (1 - part) + both[:, column + 1, times] * part
        found: Doubles = chord > self.asked.delta - self.margin()
        return found


def _at_alpha(order: Order, jobs: Indices, alphas: Doubles) -> Doubles:
    return order.at(jobs, np.exp(alphas))


def alphas_of_both(
    budget: PrivacyBudget,
    steps: tuple[Sequence[Sequence[Row]], Sequence[Sequence[Row]]],
    delta: Fraction,
    times: Sequence[int],
) -> list[WorstAlpha]:
    """Return the least α of TPL with δ(α) ≤ delta at some times.

    Args: budget, of every release; steps, the matrices from each value to the one before it, and from each to the one
    after it; times, from 1. Raises: InvalidRequest where φ has too many kinks.
    """
    past, future = steps
    releases = len(past) + 1
    found: dict[int, WorstAlpha] = {}
    for time in {*times} & {1, releases}:
        own, at = (future[::-1], releases + 1 - time) if time == 1 else (past, time)
        (found[time],) = alphas_of_side(budget, own, delta, [at])
    inner = np.array(sorted({*times} - {1, releases}), dtype=np.int64)
    is_steady = len({id(step) for step in past}) == len({id(step) for step in future}) == 1
    for group in ([inner] if is_steady else np.split(inner, len(inner))) if len(inner) else []:
        seen = past[: group[-1] - 1][::-1], future[group[0] - 1 :]
        levels = _of_group(budget, seen, delta, (group - 1, releases - group))
        found |= dict(zip(group.tolist(), levels, strict=True))
    return [found[time] for time in times]


def _of_group(
    budget: PrivacyBudget,
    seen: tuple[Sequence[Sequence[Row]], Sequence[Sequence[Row]]],
    delta: Fraction,
    depths: tuple[Indices, Indices],
) -> list[WorstAlpha]:
    """Return the same of times with these depths on both sides. Args: seen, matrices outward, of all releases."""
    pairs = np.array([*permutations(range(len(seen[0][0])), 2)])
    sides = [sides_of(budget, in_doubles(own), delta, sum(map(len, seen)) + 1) for own in seen]
    alone = [least_alphas(*side, pairs, delta, own).upper for side, own in zip(sides, depths, strict=True)]
    settled = [int(own[upper >= upper.max() - SETTLED_ALPHA].min()) for upper, own in zip(alone, depths, strict=True)]
    keys = np.minimum(np.stack(depths), np.array(settled)[:, None])
    jobs, member = np.unique(keys, axis=1, return_inverse=True)
    of_job = [member.ravel() == job for job in range(jobs.shape[1])]
    most, least = (np.array([[how(own[job]) for job in of_job] for own in depths]) for how in (np.max, np.min))
    tops = np.array([[upper[job].max() for job in of_job] for upper in alone])
    is_finite = np.isfinite(tops).all(axis=0)
    levels = [WorstAlpha(ZERO, INFINITE)] * jobs.shape[1]
    if is_finite.any():
        phi = None
        if isinstance(budget, ApproximateBudget):
            excess = budget.epsilon.excess_bounds(MANTISSA)[1]
            phi = TwoLines(float(1 + excess) * RAISED_PHI, float(budget.delta) * RAISED_PHI)
        places = TestPlaces.of(sides[0][1], phi, int(most.max()))
        asked = BothSidesAsked(
            pairs, float(delta) * LOWERED_PHI, most[:, is_finite], least[:, is_finite], tops[:, is_finite]
        )
        both = BothSides((sides[0][0], sides[1][0]), places, phi, asked)
        for place, lower, upper in zip(np.flatnonzero(is_finite).tolist(), *both.least_alphas(), strict=True):
            levels[place] = WorstAlpha(level_of(lower, up=False), level_of(upper, up=True))
    return [levels[place] for place in member.ravel()]
