"""TPL at a δ from below: tests of private streams that read both sides of a time, at all times at once.

A test of one side, with its peaks at a slope, has chances under j and under k at each start; from these the recursion
of the other side chooses its own peaks, on points that φ leads to each other. That is a private stream's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from ...reference.correlations import Row, steps_in_doubles
from ...reference.worst_case.profile_answers import USUAL_BITS
from ...reference.worst_case.profile_budgets import PrivacyBudget, enclosed
from ...reference.worst_case.trade_off import IGNORED, TradeOff
from .ladders import Ladder
from .profile_bounds import Doubles, rounding
from .profile_passes import (
    FLAT_PART,
    GREATEST_ALPHA,
    POINTS_TOGETHER,
    Indices,
    Outward,
    least_point,
    roots,
    sides_of,
)

SETTLED_ALPHA = 1e-6
"""By so little farther releases of one side raise α where times are taken together."""

ATTAINED_WIDTH = 1e-6
"""So near to the greatest α that a test attains one is sought."""

TEST_PARTS, FEW_KINKS, MOST_TEST_STEPS = 6, 20, 1 << 12
"""Points of a test for each step of φ; of a φ with more kinks these are enough; steps, at most."""

FIRST_PARTS, FIRST_STEPS = 16, 20
"""Points of a test up to φ(0), and how often φ leads them on: where nothing is told under k, δ of releases add up."""

MOST_RUNGS, MOST_PLACES, LEAST_RUNG = 64, 2000, 1e-3
"""Rungs by which the greatest ε leads on, at most; places of a scale; the first one, as a part of δ, at least."""

SCALE_ROUNDING = 2.0**-50
"""By more than doubles err φ at the places of a scale, which near 1 are as coarse, is lowered by this part of 1."""

LEAST_PROMISE = 0.9
"""Part of the best promise that tests of another kind must have to be looked at."""

TEST_SLOPES = 16
"""Slopes at which the side that comes first is tried."""

LOWERED_PHI = 1 - 1e-13
"""What φ is multiplied by: more than doubles err by."""


def _in_doubles(phi: TradeOff) -> tuple[Doubles, Doubles]:
    u, y = zip(*phi.points, strict=True)
    return np.array([float(own) for own in u]), np.array([float(own) for own in y])


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
        kinks, values = _in_doubles(phi)
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

    def moved(self, found: Doubles, *others: Doubles, to: Indices) -> list[Doubles]:
        """Return functions where each place has gone toward the peak of the first one, at most to another place."""
        peak, here = found.argmax(axis=-1)[..., None], np.arange(len(to))
        stays, far = peak < here, peak > to
        moved = []
        for each in (found, *others):
            at_peak = np.take_along_axis(each, peak, -1)
            moved.append(np.where(stays, each, np.where(far, np.take(each, to, axis=-1), at_peak)))
        return moved


@dataclass(frozen=True)
class AttainedTests:
    """Tests of private streams.

    matrices: of the side that comes first, and of the other. to: of both sides, of each release, the place to which it
    leads at most, None for one that is ignored; an empty one is that of `places` throughout.
    """

    places: TestPlaces
    matrices: tuple[Sequence[Doubles], Sequence[Doubles]]
    flat: float
    to: tuple[Sequence[Indices | None], Sequence[Indices | None]] = ((), ())

    def _moved(self, side: int, step: int, found: Doubles, *others: Doubles) -> list[Doubles]:
        to = self.to[side][step] if self.to[side] else self.places.to
        return [found, *others] if to is None else self.places.moved(found, *others, to=to)

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


@lru_cache(maxsize=1 << 10)
def _is_allowed(own: TradeOff, phi: TradeOff) -> bool:
    return own == phi or own.at_most(phi)


@dataclass(frozen=True, slots=True)
class Scale:
    """Places, and for each φ to which of them it leads: by a number of rungs, None where it is below one."""

    points: Doubles
    to: dict[TradeOff, Indices | None]

    @classmethod
    @lru_cache(maxsize=1 << 4)
    def of(cls, phis: tuple[TradeOff, ...], delta: Fraction) -> Scale | None:
        """Take φ from below; None where it would be too long. Args: delta, about what is asked for.

        Rungs differ by a part of their distance from 0 or from 1, and of what all φ tell at 0.
        """
        spent, least = [log(phi.slopes[0]) for phi in phis], float(delta) * LEAST_RUNG
        start = min(float(phi.points[0][1]) / max(float(phi.slopes[0] - 1), least) for phi in phis)
        from_zero = start >= least
        far = log(0.5 / start + 1 if from_zero else 0.5 / least)
        lost = 2 * SCALE_ROUNDING / (start if from_zero else least)  # so that rounding does not take the last rung
        parts = [part for part in range(1, MOST_RUNGS + 1) if far * part < (MOST_PLACES / 2 - 2) * max(spent)]
        if not parts:
            return None
        told = [sum(own * part // max(spent) for own in spent) / part for part in parts]
        height = max(spent) / parts[told.index(max(told))] - lost
        if height <= lost:
            return None
        rungs = height * np.arange(ceil(far / height) + 1)
        half = np.expm1(rungs) / (2 * np.expm1(rungs[-1])) if from_zero else np.append(0, np.exp(rungs - rungs[-1]) / 2)
        points = np.concatenate([half, 1 - half[-2::-1]])
        here, last, to = np.arange(len(points) - 1), len(points) - 2, {}
        for phi in set(phis):
            kinks, values = _in_doubles(phi)
            reached = (
                np.searchsorted(points[:-1], np.interp(points[:-1], kinks, values) * (1 - SCALE_ROUNDING), "right") - 1
            )
            is_led = (reached < last) & (from_zero | (here > 0))
            count = max(0, int((reached - here)[is_led].min(initial=last)))
            led = np.append(np.minimum(here + count, last), last + 1)
            led[0] *= from_zero
            to[phi] = led if count else None
        return cls(points, to)


def tests_of(
    phis: Sequence[TradeOff], among: tuple[TradeOff, ...], delta: Fraction
) -> list[tuple[TestPlaces, list[Indices | None]]]:
    """Return the most promising kinds of tests: places with φ of the first release, and to where the others lead.

    Places that one release leads to each other must stay so whatever others follow. So it is where all lead on by some
    rungs of one scale, or by one φ, where it is allowed, or not at all. Args: phis, from below; among, those of all
    releases of the stream; delta, about what is asked for.
    """
    scale, kinds = Scale.of(among, delta) if len({*phis}) > 1 else None, []
    if scale is not None:
        led, middle = [scale.to[phi] for phi in phis], len(scale.points) // 2
        promise = sum(log(2 * scale.points[to[middle]]) for to in led if to is not None)
        own = scale.points if led[0] is None else scale.points[led[0]]
        kinds.append((promise, TestPlaces(scale.points, own, np.arange(len(own))), led[1:]))
    by_one = {phi: [_is_allowed(phi, own) for own in phis] for phi in dict.fromkeys(phis) if phi != IGNORED}
    promises = {phi: sum(told) * log(2 * phi(Fraction(1, 2))) for phi, told in by_one.items()}
    best = max(promises, key=promises.__getitem__)
    if not kinds or promises[best] > LEAST_PROMISE * kinds[0][0]:
        places = TestPlaces.of(best, Ladder.of(best, len(among), False, least_point(delta)))
        own = places.own if by_one[best][0] else places.points
        kinds.append(
            (promises[best], replace(places, own=own), [places.to if told else None for told in by_one[best][1:]])
        )
    most = max(promise for promise, *_ in kinds)
    return [(places, to) for promise, places, to in kinds if promise > LEAST_PROMISE * most]


def attained_alpha(
    releases: tuple[Sequence[PrivacyBudget], Sequence[Doubles]],
    delta: Fraction,
    worst: Indices,
    upper: float,
    among: Sequence[PrivacyBudget],
) -> float:
    """Return an α at which some stream still tells more than delta, for releases that differ; or 0.

    Args: releases, the budgets of the time and outward, and the matrices; worst, a pair; upper, an α at which none
    does; among, budgets of all releases of the stream.
    """
    budgets, matrices = releases
    best, high = 0.0, min(upper, GREATEST_ALPHA)
    goal = _goal(float(delta), high, len(budgets), len(matrices[0]))
    every = enclosed(among, USUAL_BITS, on_one_grid=True).lower
    of = dict(zip(among, every, strict=True))
    for places, to in tests_of([of[own] for own in budgets], every, delta):
        tests = AttainedTests(places, ((), matrices), 0.0, ((), to))

        def told(which: Indices, alphas: Doubles, tests: AttainedTests = tests) -> Doubles:
            first = tests.places.own[None, :], tests.places.points[None, :]
            return tests.values(worst[None, :], np.exp(alphas), first, which + len(matrices))

        if told(np.zeros(1, dtype=np.int64), np.array([best]))[0] > goal:
            best = max(
                best,
                float(roots(told, goal, np.array([max(0.9 * high, best)]), np.array([high]), ATTAINED_WIDTH)[0][0]),
            )
    return best


def _goal(delta: float, alpha: float, releases: int, n: int) -> float:
    """Return what a test must tell in doubles to tell more than delta."""
    return delta / LOWERED_PHI**2 + rounding(float(np.exp(alpha)), releases, n)


def _parts(depths: Indices, size: int) -> list[Indices]:
    """Return the rows that have releases, the most first, in parts of so large ones."""
    order = np.argsort(-depths, kind="stable")[: np.count_nonzero(depths)]
    together = max(1, POINTS_TOGETHER // size)
    return [order[start : start + together] for start in range(0, len(order), together)]


@dataclass(frozen=True, slots=True)
class TimesTogether:
    """Times with releases on both sides; several that differ by nothing are one.

    most, least: the releases of the past, and of the future, that such times have at most, and at least. tops: upper α
    of the past and of the future alone. member: which of them each time is. to: as in `AttainedTests`.
    """

    places: TestPlaces
    matrices: tuple[Sequence[Doubles], Sequence[Doubles]]
    delta: float
    most: Indices
    least: Indices
    tops: Doubles
    member: Indices
    to: tuple[Sequence[Indices | None], Sequence[Indices | None]] = ((), ())

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
    def of_one(
        cls,
        budgets: tuple[Sequence[PrivacyBudget], Sequence[PrivacyBudget]],
        seen: tuple[Sequence[Sequence[Row]], Sequence[Sequence[Row]]],
        delta: Fraction,
        alone: Doubles,
    ) -> list[TimesTogether]:
        """Return one time by itself, for each kind of tests.

        Args: budgets, of the past and of the future, each with that of the time, all of the stream; the others as `of`.
        """
        every = enclosed([*budgets[0][::-1], *budgets[1][1:]], USUAL_BITS, on_one_grid=True).lower
        past, future = every[: len(budgets[0])][::-1], every[len(budgets[0]) - 1 :]
        matrices, depths = (
            (steps_in_doubles(seen[0]), steps_in_doubles(seen[1])),
            np.array([[len(own)] for own in seen]),
        )
        found = []
        for places, to in tests_of([*past, *future[1:]], every, delta):
            sides = to[: len(past) - 1], to[len(past) - 1 :]
            found.append(cls(places, matrices, float(delta), depths, depths, alone, np.zeros(1, dtype=np.int64), sides))
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
        far = max(1.2 * self.tops.max(axis=1).sum(), top) + 0.2
        goal = _goal(self.delta, far, int(self.most.sum(axis=0).max()) + 1, len(self.matrices[0][0]))
        for first in (0, 1):
            matrices = self.matrices[first], self.matrices[1 - first]
            tests = AttainedTests(self.places, matrices, FLAT_PART * self.delta, (self.to[first], self.to[1 - first]))
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
