"""The recursion of theorem (profile) in doubles, for many pairs of values at once, with what rounding may have cost.

The functions of all pairs live on the same points. Weights are probabilities, and a maximum over a window moves by no
more than the values in it: with n values each of T releases adds at most (n + 8)·2^−52 of Σ_a max |f_a| ≤ 1 + e^α to
the error of Σ_a f_a, which is all that is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...reference.worst_case.profile import ProfileSide, Window
from ...reference.worst_case.sweep import ValuePair
from .symmetries import Symmetries

Doubles = NDArray[np.float64]

SUM_ROUNDING = 2.0**-52

PAIRS_AT_ONCE = 1 << 22
"""Doubles of the functions of the pairs that are worked out together."""


class RankedPairs:
    """A `reference.worst_case.worst_profile.Ranking`: the pairs by upper bounds in doubles, the greatest first.

    Of pairs that a symmetry of the chain exchanges the first stands for all, among those that may be the greatest.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[ProfileSide, PairFilter]] = {}

    def __call__(self, side: ProfileSide, odds: Fraction, pairs: Sequence[ValuePair]) -> list[tuple[float, ValuePair]]:
        """Return the pairs, each with an upper bound of its δ at e^α = odds."""
        if not side.steps:
            return [(1.0, pairs[0])]
        if id(side) not in self._known:
            self._known[id(side)] = side, PairFilter(side)
        bounds = self._known[id(side)][1]
        rows = side.steps[0]
        different = list({(rows[j], rows[k]): (j, k) for j, k in pairs}.values())
        found = bounds.most(float(odds), different)
        order = np.argsort(-found, kind="stable")
        close = int(np.count_nonzero(found >= found.max() - 2 * bounds.margin(float(odds))))
        first = [different[place] for place in order[:close]]
        kept = set(Symmetries(side.steps).different(first) if close > 1 else first)
        kept |= {different[place] for place in order[close:]}
        return [(float(found[place]), different[place]) for place in order if different[place] in kept]


class PairFilter:
    """Upper bounds of what `pair_bound` works out for all pairs of values, and how much of them is for rounding."""

    def __init__(self, side: ProfileSide) -> None:
        """Take the releases on one side of a time, of which there is one at least."""
        self._side = side
        phi = side.trade_offs[0]
        self._first = np.array([[float(u) for u, _ in phi.points], [float(y) for _, y in phi.points]])
        self._windows = [_Windows(windows) for windows in side.grids.windows]
        known: dict[int, Doubles] = {}
        self._steps = [known.setdefault(id(step), np.array(step, dtype=np.float64)) for step in side.steps]
        self._is_nothing_free = all(phi.points[0][1] == 0 for phi in side.trade_offs)
        self._longest = max(len(points) for points in side.grids.points)

    def margin(self, odds: float) -> float:
        """Return how far at most rounding has moved a sum."""
        releases, n = len(self._steps), len(self._steps[0])
        return (1 + odds) * (releases + 2) * (n + 8) * SUM_ROUNDING * 1.01

    def most(self, odds: float, pairs: Sequence[ValuePair]) -> Doubles:
        """Return an *upper* bound of max_u Σ_a f_a(u) for each pair: 0 where that is certain, else about as much.

        Where no φ leaves a chance at u = 0, nothing is told there: there the sum is 0, not to be rounded up.
        """
        n = len(self._steps[0])
        together = max(1, PAIRS_AT_ONCE // (n * self._longest))
        parts = [self._about(odds, pairs[start : start + together]) for start in range(0, len(pairs), together)]
        found = np.concatenate(parts) + self.margin(odds)
        return np.maximum(found, 0) if self._is_nothing_free else found

    def _about(self, odds: float, pairs: Sequence[ValuePair]) -> Doubles:
        rows = self._steps[0]
        j, k = np.array(pairs).T
        u, y = self._first
        found = rows[j][:, :, None] * y - odds * rows[k][:, :, None] * u
        for s, windows in enumerate(self._windows):
            if s:
                found = np.matmul(self._steps[s].T, found)
            found = windows.greatest(found)
        best: Doubles = found[:, :, int(self._is_nothing_free) :].sum(axis=1).max(axis=1)
        return best


class _Windows:
    """The windows of one release, as indices and weights."""

    def __init__(self, windows: Sequence[Window]) -> None:
        self._ends = []
        for ends in ([window.start for window in windows], [window.end for window in windows]):
            index = np.array([at for at, _ in ends])
            part = np.array([float(far) for _, far in ends])
            self._ends.append((index, np.minimum(index + 1, index.max()), part))
        first = np.array([window.first for window in windows])
        length = np.maximum(np.array([window.last for window in windows]) - first, 0)
        self._between = [
            (1 << power, where, first[where], first[where] + length[where] - (1 << power))
            for power in range(int(length.max()).bit_length())
            if len(where := np.flatnonzero((length >> power) == 1))
        ]

    def greatest(self, found: Doubles) -> Doubles:
        """Return the greatest value in each window; of 2^k points and of 2^k more that may be the same."""
        best = np.maximum(*(_between(found, *ends) for ends in self._ends))
        width, of_width = 1, found
        for needed, where, low, high in self._between:
            while width < needed:
                of_width = np.maximum(of_width[:, :, :-width], of_width[:, :, width:])
                width *= 2
            best[:, :, where] = np.maximum(best[:, :, where], np.maximum(of_width[:, :, low], of_width[:, :, high]))
        return best


def _between(found: Doubles, index: NDArray[np.int64], onward: NDArray[np.int64], part: Doubles) -> Doubles:
    at: Doubles = found[:, :, index]
    if part.any():
        at = at * (1 - part) + found[:, :, onward] * part
    return at
