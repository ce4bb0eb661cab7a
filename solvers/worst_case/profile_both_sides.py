"""TPL at a δ from below: tests of private streams that read both sides of a time, at all times at once.

A test of one side, with its peaks at a slope, has chances under j and under k at each start; from these the recursion
of the other side chooses its own peaks, on points that φ leads to each other. That is a private stream's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import log

import numpy as np
from numpy.typing import NDArray

from ...reference.correlations import Row, steps_in_doubles
from ...reference.worst_case.profile_answers import USUAL_BITS
from ...reference.worst_case.profile_budgets import PrivacyBudget, enclosed
from ...reference.worst_case.trade_off import TradeOff
from .ladders import Ladder
from .profile_bounds import Doubles, rounding
from .profile_passes import (
    FLAT_PART,
    POINTS_TOGETHER,
    Indices,
    Outward,
    least_point,
    roots,
    sides_of,
    tests_alike,
)

SETTLED_ALPHA = 1e-6
"""By so little farther releases of one side raise α where times are taken together."""

ATTAINED_WIDTH = 1e-6
"""So near to the greatest α that a test attains one is sought."""

TEST_PARTS, FEW_KINKS, MOST_TEST_STEPS = 6, 20, 1 << 12
"""Points of a test for each step of φ; of a φ with more kinks these are enough; steps, at most."""

FIRST_PARTS, FIRST_STEPS = 16, 20
"""Points of a test up to φ(0), and how often φ leads them on: where nothing is told under k, δ of releases add up."""

MOST_TESTS = 3
"""Kinds of tests of different releases that are looked at, the most promising ones."""

TEST_SLOPES = 16
"""Slopes at which the side that comes first is tried."""

LOWERED_PHI = 1 - 1e-13
"""What φ is multiplied by: more than doubles err by."""


@dataclass(frozen=True)
class TestPlaces:
    """Points at which tests stop: φ, `own`, leads from each no farther than to the point with the index `to`."""

    points: Doubles
    own: Doubles
    to: Indices

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, phi: TradeOff, track: Ladder) -> TestPlaces:
        """Take a φ from below and its points; of φ with few kinks more points than it has."""
        kinks, values = (np.array([float(own) for own in each]) for each in zip(*phi.points, strict=True))
        points, onward = track.points, Outward.of(track, (), up=False).own
        ends = kinks, values * LOWERED_PHI
        if len(kinks) <= FEW_KINKS:
            first, least = values[0] * np.arange(1, FIRST_PARTS + 1) / FIRST_PARTS, points[1] / 2
            starts = [points, first]
            middle = kinks[1]
            parts = middle * (np.interp(middle, *ends) / middle) ** (np.arange(TEST_PARTS) / TEST_PARTS)
            for own, way, end, most in (
                (parts, ends, least, MOST_TEST_STEPS),
                (parts, ends[::-1], least, MOST_TEST_STEPS),
                (first, ends, 0, FIRST_STEPS),
            ):
                for _ in range(most):
                    own = np.interp(own[own > way[0][0]], *way)  # noqa: PLW2901
                    own = own[(own > end) & (own < 1)]  # noqa: PLW2901
                    if not len(own):
                        break
                    starts.append(own)
            points = np.unique(np.concatenate(starts))
            onward = np.interp(points, *ends)
        to = np.searchsorted(points, onward * (1 + 1e-14), side="right") - 1
        return cls(points, np.maximum(points, onward * LOWERED_PHI), np.maximum(to, np.arange(len(points))))

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
    """Tests of private streams. matrices, told: of the side that comes first, and of the other, as in `Outward`."""

    places: TestPlaces
    matrices: tuple[Sequence[Doubles], Sequence[Doubles]]
    flat: float
    told: tuple[tuple[bool, ...], tuple[bool, ...]] = ((), ())

    def _moved(self, side: int, step: int, found: Doubles, *others: Doubles) -> list[Doubles]:
        is_told = not self.told[side] or self.told[side][step]
        return self.places.moved(found, *others) if is_told else [found, *others]

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
                f, x, y = self._moved(0, step, f, x, y)
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
                (f,) = self._moved(1, step, np.matmul(self.matrices[1][step].T, f) if step else f)
                total = f.sum(axis=1).max(axis=1)
                ends = (depths[rows] == step + 1) | (f.max(axis=2).sum(axis=1) - total <= self.flat)
                found[rows[ends]] = total[ends]
                rows, f = rows[~ends], f[~ends]  # noqa: PLW2901
                if not len(rows):
                    break
        return found


def _promise(phi: TradeOff, told: tuple[bool, ...]) -> float:
    """Return about what releases tell by this φ together: a guess."""
    return sum(told) * log(2 * phi(Fraction(1, 2)))


def _parts(depths: Indices, size: int) -> list[Indices]:
    """Return the rows that have releases, the most first, in parts of so large ones."""
    order = np.argsort(-depths, kind="stable")[: np.count_nonzero(depths)]
    together = max(1, POINTS_TOGETHER // size)
    return [order[start : start + together] for start in range(0, len(order), together)]


@dataclass(frozen=True, slots=True)
class TimesTogether:
    """Times with releases on both sides; several that differ by nothing are one.

    most, least: the releases of the past, and of the future, that such times have at most, and at least. tops: upper α
    of the past and of the future alone. member: which of them each time is. told: of both sides, as in `Outward`.
    """

    places: TestPlaces
    matrices: tuple[Sequence[Doubles], Sequence[Doubles]]
    delta: float
    most: Indices
    least: Indices
    tops: Doubles
    member: Indices
    told: tuple[tuple[bool, ...], tuple[bool, ...]] = ((), ())

    @classmethod
    def of(
        cls,
        budget: PrivacyBudget,
        seen: tuple[Sequence[Sequence[Row]], Sequence[Sequence[Row]]],
        delta: Fraction,
        depths: tuple[Indices, Indices],
        alone: tuple[Doubles, Doubles],
    ) -> TimesTogether:
        """Take times with these depths on both sides. Args: seen, matrices outward; alone, upper α by each side.

        Raises: InvalidRequest.
        """
        below = sides_of(budget, steps_in_doubles(seen[0]), delta, sum(map(len, seen)) + 1)[1]
        settled = [
            int(own[upper >= upper.max() - SETTLED_ALPHA].min()) for upper, own in zip(alone, depths, strict=True)
        ]
        keys = np.minimum(np.stack(depths), np.array(settled)[:, None])
        jobs, member = np.unique(keys, axis=1, return_inverse=True)
        of_job = [member.ravel() == job for job in range(jobs.shape[1])]
        most, least = (np.array([[how(own[job]) for job in of_job] for own in depths]) for how in (np.max, np.min))
        tops = np.array([[upper[job].max() for job in of_job] for upper in alone])
        places = TestPlaces.of(enclosed([budget], USUAL_BITS, on_one_grid=True).lower[0], below.track)
        matrices = below.matrices, steps_in_doubles(seen[1])
        return cls(places, matrices, float(delta), most, least, tops, member.ravel())

    @classmethod
    def of_different(
        cls,
        budgets: tuple[Sequence[PrivacyBudget], Sequence[PrivacyBudget]],
        seen: tuple[Sequence[Sequence[Row]], Sequence[Sequence[Row]]],
        delta: Fraction,
        alone: tuple[Doubles, Doubles],
    ) -> list[TimesTogether]:
        """Return one time with different budgets, for some of the `tests_alike`: those that tell most at `alone`.

        Args: budgets, of the past and of the future, each with that of the time; the others as `of`.
        """
        matrices, depths = (
            (steps_in_doubles(seen[0]), steps_in_doubles(seen[1])),
            np.array([[len(own)] for own in seen]),
        )
        found = []
        tests = sorted(tests_alike([*budgets[0], *budgets[1][1:]]), key=lambda test: -_promise(*test))
        for phi, told in tests[:MOST_TESTS]:
            track = Ladder.of(phi, sum(told), False, least_point(delta))
            places = TestPlaces.of(phi, track)
            places = places if told[0] else replace(places, own=places.points)
            sides = told[1 : len(budgets[0])], told[len(budgets[0]) :]
            tops, member = np.stack(alone), np.zeros(1, dtype=np.int64)
            found.append(cls(places, matrices, float(delta), depths, depths, tops, member, sides))
        return found

    def kept(self, which: NDArray[np.bool_]) -> TimesTogether:
        """Return some of them; of no time it is known which one it is."""
        return replace(self, most=self.most[:, which], least=self.least[:, which], tops=self.tops[:, which])

    def attained(self, pairs: Indices, near: Doubles, best: Doubles) -> Doubles:
        """Return for a pair at each of the times an α at which some test still tells more than δ.

        Args: near, a greater α; best, an α at which one does, or 0: no lesser one is sought.
        """
        times, at = np.arange(len(pairs)), np.where(best > 0, best, 0.9 * near)
        top = float(max(self.tops.max(), near.max()))
        marks = np.linspace(-0.05, top + 0.05, TEST_SLOPES)
        apart = (marks[1] - marks[0]) * np.array([-0.4, -0.2, 0, 0.2, 0.4])
        odds = float(np.exp(max(1.2 * self.tops.max(axis=1).sum(), top) + 0.2))
        goal = self.delta / LOWERED_PHI**2
        goal += rounding(odds, int(self.most.sum(axis=0).max()) + 1, len(self.matrices[0][0]))
        for first in (0, 1):
            matrices = self.matrices[first], self.matrices[1 - first]
            which = self.told[first], self.told[1 - first]
            tests = AttainedTests(self.places, matrices, FLAT_PART * self.delta, which)
            one, other = self.least[first], self.least[1 - first]
            slopes = np.tile(marks, (len(pairs), 1))
            for _stage in range(2):
                count = slopes.shape[1]
                jobs = np.repeat(times, count)
                told, told_not = tests.chances(pairs[jobs], np.exp(slopes.ravel()), one[jobs])

                def least(w: Indices, a: Doubles) -> Doubles:
                    return tests.values(pairs[w], np.exp(a), (told[pick[w]], told_not[pick[w]]), other[w])  # noqa: B023

                for _ in range(2):
                    values = tests.values(pairs[jobs], np.exp(at[jobs]), (told, told_not), other[jobs])
                    values = values.reshape(-1, count)
                    chosen = values.argmax(axis=1)
                    pick = chosen + times * count
                    if ((values.max(axis=1) <= goal) & (best > 0)).all():
                        break
                    at = roots(least, goal, np.maximum(at - 0.005, 0), at + 0.001, ATTAINED_WIDTH)[0]
                    best = np.maximum(best, at)
                    at = np.where(best > 0, best, at)
                slopes = slopes[times, chosen][:, None] + apart
        return best
