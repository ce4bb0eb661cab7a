"""Which schedule has the least noise over a finite horizon by the worst-case leakage: sought in doubles, for a guess.

At the schedule of the least mean of 1/ε_t that keeps TPL_s ≤ α at all times s there are multipliers μ_s ≥ 0, above 0
only where TPL_s = α, with 1/ε_t² = Σ_s μ_s ∂TPL_s/∂ε_t (Karush, Kuhn and Tucker). The derivatives follow from the sets
that attain TPL_s, which stay the best ones where the budgets change a little. So the budgets are made of the
multipliers in turn, and these grow where TPL is the greatest (multiplicative weights), ever more cautiously.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

import numpy as np

from ...reference.correlations import TransitionMatrix
from ...reference.paper.leakage import Matrices
from ..floats import LARGEST, Doubles
from .guess import LARGEST_GROWTH, Indices, PairBounds, ReleasesInDoubles, RowDifferences, all_pairs

MULTIPLIER_ROUNDS, IDLE_ROUNDS = 60, 20
"""Most rounds, and after how many in succession without better weights the search ends."""

FASTEST_GROWTH, SLOWER = 100.0, 6
"""How fast multipliers grow at first, and after how many rounds half as fast."""

NO_MULTIPLIER = 1e-4
"""A multiplier that is smaller, of a sum of 1, is taken for 0."""

LITTLE = 1e-6
"""Weights that save no greater part of the noise are not better."""

RATIO_PRECISION = 1e-9
"""Relative precision of ratios: greater disturbs the search, smaller costs sweeps."""

CLOSE_TO_LEVEL, MOST_TRIALS = 1e-7, 20
"""How near, relatively, TPL is to the level when a multiple is good enough; after how many trials it is anyway."""

PAIRS_LOOKED_AT = 8
"""Most pairs of values of an adversary that are looked at: those that leak most amid a constant schedule."""


class SideInDoubles:
    """The releases on one side of the times of a stream, in the order in which they come nearer; some pairs of values.

    A time t has the first t releases on this side, t = 0..T, the last of them nearest.
    """

    def __init__(self, matrix: TransitionMatrix | None, pairs: Indices) -> None:
        """Take the matrix, None where it tells nothing, and the pairs, each a row of two values."""
        self._matrix, self._pairs = None if matrix is None else RowDifferences(matrix.rows), pairs
        self._start: Doubles = np.zeros((0, 0, 0))

    def ratios(self, budgets: Sequence[float], times: Sequence[int]) -> Doubles:
        """Return about the greatest ratio of each pair (a column) at some times, ascending (a row)."""
        found, told = np.ones((len(times), len(self._pairs))), np.array(times) > 0
        if self._matrix is None or not told.any() or not found.size:
            return found
        growth, asked = np.expm1(budgets), [[time] for time in times if time]
        sequences = [ReleasesInDoubles(self._matrix, growth[:time][::-1]) for (time,) in asked]
        bounds = PairBounds(sequences, asked, self._pairs)
        if self._start.shape == bounds.low.shape:  # attained with other budgets
            number, place = np.indices(self._start.shape[:2]).reshape(2, -1)
            bounds.try_all(number, place, self._start.ravel())
        bounds.close(RATIO_PRECISION)
        self._start = bounds.low
        found[told] += bounds.low[:, :, 0]
        return found

    def slopes(self, budgets: Sequence[float], pair: int, ratio: float) -> Doubles:
        """Return about how the log of the ratio of a pair, after all of some budgets, rises with each of them.

        The sets that attain it stay the best ones where the budgets change a little. Args: ratio, as from `ratios`.
        """
        time = len(budgets)
        found = np.zeros(time)
        if self._matrix is None:
            return found
        step, (j, k) = self._matrix.high, self._pairs[pair]
        u, v = step[j], step[k]
        reached = []
        for near in range(time):
            if near:
                u, v = u @ step, v @ step
            chosen = u > ratio * v
            weight = np.where(chosen, exp(budgets[time - 1 - near]), 1.0)
            scale = weight / (v * weight).sum()
            with np.errstate(over="ignore"):
                u, v = np.minimum(u * scale, LARGEST), v * scale
            reached.append((u, v, chosen, weight))
        f = np.ones(len(step))
        for release, (u, v, chosen, weight) in enumerate(reversed(reached)):
            if release:
                f = step @ f
            of_u, of_v = u / u.max() * f, v / v.max() * f
            found[release] = of_u[chosen].sum() / of_u.sum() - of_v[chosen].sum() / of_v.sum()
            f = f / f.max() * weight
        return found


class _Stream:
    """The TPL of a stream to one adversary, in doubles, for the pairs that leak most."""

    def __init__(self, known: Matrices, budgets: Sequence[float]) -> None:
        pairs = all_pairs(known)
        self._know(known, pairs)
        middle = len(budgets) // 2
        most = self._ratios(budgets, [middle])[0]
        self._know(known, pairs[np.argsort(-most, kind="stable")[:PAIRS_LOOKED_AT]])

    def _know(self, known: Matrices, pairs: Indices) -> None:
        self._sides = [SideInDoubles(matrix, pairs) for matrix in known]

    def _ratios(self, budgets: Sequence[float], times: Sequence[int]) -> Doubles:
        """Return log B + log F of the pairs at some times from 0 on, in ascending order."""
        past, future = self._sides
        after = [len(budgets) - 1 - t for t in reversed(times)]
        self._last = past.ratios(budgets[:-1], times), future.ratios(budgets[::-1][:-1], after)[::-1]
        return np.log(self._last[0]) + np.log(self._last[1])

    def worst(self, budgets: Sequence[float]) -> tuple[Doubles, list[int]]:
        """Return TPL at each time, and which pair has it, by its place; without pairs the places mean nothing."""
        own, ratios = np.array(budgets), self._ratios(budgets, range(len(budgets)))
        if not ratios.size:
            return own, [0] * len(budgets)
        return own + ratios.max(axis=1), list(map(int, ratios.argmax(axis=1)))

    def slopes(self, budgets: Sequence[float], time: int, pair: int) -> Doubles:
        """Return how TPL at a time rises with each budget, for a pair; of the budgets that `worst` was asked for."""
        found, later = np.zeros(len(budgets)), budgets[time + 1 :]
        found[time] = 1.0
        past, future = self._sides
        if self._last[0].size:
            found[:time] = past.slopes(budgets[:time], pair, self._last[0][time, pair])
            found[time + 1 :] = future.slopes(later[::-1], pair, self._last[1][time, pair])[::-1]
        return found


def least_noise_weights(alpha: float, known: Sequence[Matrices], horizon: int) -> Doubles:
    """Return the weights, of mean 1, of a schedule with about the least mean noise.

    Args: alpha, above 0; known, what each adversary knows; horizon, at least 1.
    """
    weights = best = np.ones(horizon)
    if alpha > log(LARGEST_GROWTH):
        return weights
    streams = [_Stream(each, [alpha / horizon] * horizon) for each in known]
    scale, least, idle, gathered = alpha / horizon, np.inf, 0, np.zeros((len(streams), horizon))
    for turn in range(MULTIPLIER_ROUNDS):
        scale = _greatest(weights, streams, alpha, scale)
        budgets = list(map(float, scale * weights))
        noise = float(np.mean(1 / np.array(budgets)))
        idle = 0 if noise < least * (1 - LITTLE) else idle + 1
        if noise < least:
            least, best = noise, weights
        if idle == IDLE_ROUNDS:
            break
        worst = [stream.worst(budgets) for stream in streams]
        gathered += FASTEST_GROWTH / (1 + turn / SLOWER) * (np.array([tpl for tpl, _ in worst]) / alpha - 1)
        gathered -= gathered.max()
        multipliers = np.exp(gathered) / np.exp(gathered).sum()
        rises = sum(
            multipliers[own, time] * streams[own].slopes(budgets, time, worst[own][1][time])
            for own, time in np.argwhere(multipliers > NO_MULTIPLIER)
        )
        weights = np.sqrt(weights / np.sqrt(np.maximum(rises, NO_MULTIPLIER**2)))
        weights /= weights.mean()
    return best


def _greatest(weights: Doubles, streams: Sequence[_Stream], alpha: float, near: float) -> float:
    """Return about the greatest multiple of weights whose worst TPL is alpha, from one that is near (secants)."""
    scale, rise, before = near, 1.0, (0.0, 0.0)
    for step in range(MOST_TRIALS):
        over = log(max(float(stream.worst(list(map(float, scale * weights)))[0].max()) for stream in streams) / alpha)
        if abs(over) < CLOSE_TO_LEVEL:
            break
        if step:
            # TPL rises at least as fast as the budgets.
            rise = max((over - before[1]) / (log(scale) - before[0]), 1.0)
        before = log(scale), over
        scale *= exp(-over / rise)
    return scale
