"""The tight leakage in doubles at all times of a stream at once: guesses, of which none decides anything."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ...reference.correlations import TransitionMatrix
from ..floats import Doubles

MOST_ITERATIONS = 200

NO_RISE = 1e-14
"""Sets are sought again until they raise a ratio by no greater part than this."""

LARGEST_IN_DOUBLES = 600.0
"""Budgets beyond this are taken for it: e^ε may be no double."""

Indices = NDArray[np.int64]

Matrices = tuple[TransitionMatrix | None, TransitionMatrix | None]
"""P^B and P^F, as far as they are known."""


def all_pairs(known: Matrices) -> Indices:
    """Return all pairs of values that differ, each a row; none where there is no matrix."""
    n = max((matrix.n for matrix in known if matrix is not None), default=0)
    return np.array(list(permutations(range(n), 2)), dtype=np.int64).reshape(-1, 2)


class SideInDoubles:
    """The releases on one side of the times of a stream, in the order in which they come nearer; some pairs of values.

    A time t has the first t releases on this side, t = 0..T, the last of them nearest.
    """

    def __init__(self, matrix: TransitionMatrix | None, pairs: Indices) -> None:
        """Take the matrix, None where it tells nothing, and the pairs, each a row of two values."""
        self._rows: Doubles | None = None
        if matrix is not None:
            self._rows = np.array([[float(entry) for entry in row] for row in matrix.rows])
        self._first, self._second = pairs[:, 0], pairs[:, 1]
        self._start: Doubles | None = None

    def ratios(self, budgets: Sequence[float], times: Sequence[int] | None = None) -> Doubles:
        """Return about the greatest ratio of each pair (a column) at each time (a row).

        Args: times, among 0..T in ascending order, all of them where it is None.
        """
        asked = np.arange(len(budgets) + 1) if times is None else np.array(times)
        found = np.ones((len(asked), len(self._first)))
        told = asked > 0
        if self._rows is None or not told.any():
            return found
        start = found[told] if self._start is None or len(self._start) != told.sum() else self._start
        ratio = self._attained(budgets, asked[told], start)
        for _ in range(MOST_ITERATIONS):
            better = self._attained(budgets, asked[told], ratio)
            if not (better > ratio * (1 + NO_RISE)).any():
                break
            ratio = np.maximum(ratio, better)
        found[told] = self._start = ratio
        return found

    def _attained(self, budgets: Sequence[float], times: Indices, ratio: Doubles) -> Doubles:
        """Return about what the sets attain that sweeps with λ = ratio take, at some times from 1 on."""
        assert self._rows is not None
        weights = np.exp(np.minimum(budgets, LARGEST_IN_DOUBLES))
        u, v = (np.repeat(self._rows[own][None], len(times), axis=0) for own in (self._first, self._second))
        for near in range(int(times[-1])):
            there = int(np.searchsorted(times, near, side="right"))
            left, right = u[there:], v[there:]
            if near:
                left, right = left @ self._rows, right @ self._rows
            chosen = left > ratio[there:, :, None] * right
            weight = np.where(chosen, weights[times[there:] - 1 - near][:, None, None], 1.0)
            left, right = left * weight, right * weight
            scale = right.sum(axis=2, keepdims=True)
            u[there:], v[there:] = left / scale, right / scale
        attained: Doubles = u.sum(axis=2) / v.sum(axis=2)
        return attained

    def swept(self, ratio: Doubles, budgets: Sequence[float]) -> Doubles:
        """Return c of the sweep of each pair with λ = ratio after releases of some budgets, the nearest first."""
        assert self._rows is not None
        c: Doubles = self._rows[self._first] - ratio[:, None] * self._rows[self._second]
        for budget in budgets:
            c = np.where(c > 0, np.exp(budget) * c, c) @ self._rows
        return c

    def slopes(self, budgets: Sequence[float], pair: int, ratio: float) -> Doubles:
        """Return about how the log of the ratio of a pair, after all of some budgets, rises with each of them.

        The sets that attain it stay the best ones where the budgets change a little. Args: ratio, as from `ratios`.
        """
        time = len(budgets)
        found = np.zeros(time)
        if self._rows is None:
            return found
        u, v = self._rows[self._first[pair]], self._rows[self._second[pair]]
        reached = []
        for near in range(time):
            if near:
                u, v = u @ self._rows, v @ self._rows
            chosen = u > ratio * v
            weight = np.where(chosen, np.exp(min(budgets[time - 1 - near], LARGEST_IN_DOUBLES)), 1.0)
            scale = weight / (v * weight).sum()
            u, v = u * scale, v * scale
            reached.append((u, v, chosen, weight))
        f = np.ones(len(self._rows))
        for release, (u, v, chosen, weight) in enumerate(reversed(reached)):
            if release:
                f = self._rows @ f
            found[release] = (u * f)[chosen].sum() / (u @ f) - (v * f)[chosen].sum() / (v @ f)
            f = f * weight / f.max()
        return found
