"""Upper bounds of B of all pairs at many times of a stream at once, where budgets differ: one sweep for all of them.

As `pair_bounds`, which has one time and all its depths; here each time has its own budgets, the nearest first, and the
sweeps of all of them go back together.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from ..floats import Doubles
from .doubles import Indices, RowDifferences, attained, risen
from .pair_bounds import CHUNK, GREATEST_FACTOR, SLACK, at_most, just_above

NEAREST = 256
"""So many of the nearest releases are looked at: most chains have forgotten the others."""

FINER = (1e-10, 1e-7, 1e-3)
"""By these parts of its excess bounds of B lie above what is attained, one after the other."""


class Pasts:
    """The pasts of the times of a stream: a time t, from 0, has t releases before it."""

    def __init__(self, ratios: Doubles, rows: RowDifferences, pairs: Indices) -> None:
        """Take e^ε of each release, rounded up; P^B; pairs of values that it does not lead from alike, each a row."""
        self._ratios, self._rows = ratios, rows.high
        self._apart, self._second = rows.of(pairs[:, 0], pairs[:, 1]), rows.high[pairs[:, 1]]

    def excesses(self, times: Indices) -> Doubles:
        """Return upper bounds of B − 1 of each pair, a column, at each time, a row; ∞ where none is found.

        Args: times, in ascending order.
        """
        pairs = len(self._second)
        most = max(1, CHUNK // max(1, self._second.size))
        found = np.full((len(times), pairs), inf)
        start: Doubles = np.zeros(pairs)
        for first in range(0, len(times) if pairs else 0, most):
            block = times[first : first + most]
            if np.all(self._ratios[max(block[0] - NEAREST, 0) : block[-1]] < GREATEST_FACTOR):
                reached = self._reached(block, start)
                found[first : first + most] = self._bounds(block, reached)
                start = reached[-1]
        return found

    def _growth(self, time: Indices) -> Callable[[int, Indices], Doubles]:
        return lambda at, left: self._ratios[time[left] - 1 - at][:, None]

    def _reached(self, block: Indices, start: Doubles) -> Doubles:
        """Return about the excess of each pair at each of these times. Args: start, about that of each pair."""
        found = np.zeros((len(block), len(start)))
        told, pair = np.nonzero((block > 0)[:, None] & np.ones(len(start), dtype=bool))
        time = block[told]

        def improved(some: Indices, excess: Doubles) -> Doubles:
            carried, own = (self._apart[pair[some]], self._second[pair[some]]), time[some]
            return attained(carried, excess, np.minimum(own, NEAREST), self._growth(own), lambda _: self._rows)

        if len(told):
            begun = improved(np.arange(len(told)), start[pair])
            found[told, pair] = risen(improved, begun, part=FINER[0] ** 0.5)
        return found

    def _bounds(self, block: Indices, reached: Doubles) -> Doubles:
        """Return bounds of these times where a sweep proves that a little more than what is reached is one."""
        found = np.full(reached.shape, inf)
        found[block == 0] = 0
        slack = SLACK * abs(self._apart).sum(axis=1)
        for part in FINER:
            row, pair = np.nonzero(np.isinf(found))
            if not len(row):
                break
            tried, time = reached[row, pair] * (1 + part) + slack[pair], block[row]
            first = just_above(self._apart[pair], self._second[pair] * tried[:, None])
            holds, longer = at_most(first, np.minimum(time, NEAREST), self._growth(time), lambda _: self._rows)
            proved = longer | (holds & (time <= NEAREST))
            found[row[proved], pair[proved]] = tried[proved]
        return found
