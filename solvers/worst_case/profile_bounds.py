"""The recursion of theorem (profile) in doubles, for many pairs of values at once, with what rounding may have cost.

The functions of all pairs live on the same points. Weights are probabilities, and a maximum over a window moves by no
more than the values in it: with n values each of T releases adds at most (n + 8)·2^−52 of Σ_a max |f_a| ≤ 1 + e^α to
the error of Σ_a f_a, which is all that is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...reference.worst_case.profile import ProfileSide
from ...reference.worst_case.profile_answers import Ranked
from ...reference.worst_case.profile_grids import Grids, Thinning, Window
from ...reference.worst_case.sweep import ValuePair
from ...reference.worst_case.trade_off import IGNORED, TradeOff
from ...reference.worst_case.worst_profile import unranked
from .symmetry import forms

Doubles = NDArray[np.float64]

SUM_ROUNDING = 2.0**-52

MOST_ODDS = 1 << 1000
"""Beyond such an e^α there are no doubles to rank pairs by."""

PAIRS_AT_ONCE = 1 << 17
"""Doubles of the functions of the pairs that are worked out together: as many as a processor has near at hand."""


class RankedPairs:
    """A `reference.worst_case.worst_profile.OneSidedRanking`: the pairs by upper bounds in doubles, the greatest first.

    Of pairs that a symmetry of the chain exchanges the first stands for all, among those that may be the greatest.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[ProfileSide, PairFilter]] = {}

    def __call__(self, side: ProfileSide, odds: Fraction, pairs: Sequence[ValuePair]) -> Ranked:
        """Return the pairs, each with an upper bound of its δ at e^α = odds."""
        if not side.steps:
            return [(None, pairs[0])]
        if odds > MOST_ODDS:
            return unranked(side, odds, pairs)
        if id(side) not in self._known:
            self._known[id(side)] = side, PairFilter(side)
        bounds = self._known[id(side)][1]
        rows, at_zero = side.steps[0], side.trade_offs[0].points[0][1]
        different = list({(rows[j], rows[k]): (j, k) for j, k in pairs}.values())
        found = bounds.beyond(float(odds), different)
        order = np.argsort(-found, kind="stable")
        close = int(np.count_nonzero(found >= found.max() - 2 * bounds.margin(float(odds))))
        first = [different[place] for place in order[:close]]
        distinct = list({id(step): step for step in side.steps}.values())
        kinds = forms(distinct, np.array(first)).tolist() if close > 1 else [0]
        kept = set(dict(zip(reversed(kinds), reversed(first), strict=True)).values())
        kept |= {different[place] for place in order[close:]}
        return [(at_zero + Fraction(found[place]), different[place]) for place in order if different[place] in kept]


class PairFilter:
    """Upper bounds of what `pair_bound` works out for all pairs of values, and how much of them is for rounding."""

    def __init__(self, side: ProfileSide) -> None:
        """Take the releases on one side of a time, of which there is one at least."""
        self._side = side
        self._first = _beyond_zero(side.trade_offs[0])
        self._told = _told_in_doubles(side.grids)
        self._near_zero = _near_zero(side.grids, side.trade_offs)
        known: dict[int, Doubles] = {}
        self._steps = [known.setdefault(id(step), np.array(step, dtype=np.float64)) for step in side.steps]
        self._longest = max(map(len, (*side.grids.points, *side.grids.windows)))

    def margin(self, odds: float) -> float:
        """Return how far at most rounding has moved a sum."""
        return rounding(odds, len(self._steps), len(self._steps[0]))

    def beyond(self, odds: float, pairs: Sequence[ValuePair]) -> Doubles:
        """Return an *upper* bound of max_u Σ_a f_a(u) − φ_t(0) for each pair: 0 where that is certain, else about that.

        Where from 0 to φ_s(0) no function is greater than at 0, the sum at 0 is φ_t(0), and not to be rounded up.
        """
        n = len(self._steps[0])
        together = max(1, PAIRS_AT_ONCE // (n * self._longest))
        parts = [self._beyond(odds, pairs[start : start + together]) for start in range(0, len(pairs), together)]
        return np.concatenate(parts)

    def _beyond(self, odds: float, pairs: Sequence[ValuePair]) -> Doubles:
        rows, margin = self._steps[0], self.margin(odds)
        j, k = np.array(pairs).T
        u, y = self._first
        found = rows[j][:, :, None] * y - odds * rows[k][:, :, None] * u
        stays = np.ones(len(pairs), dtype=np.bool_)
        for s, (told, near) in enumerate(zip(self._told, self._near_zero, strict=True)):
            if s:
                found = np.matmul(self._steps[s].T, found)
            stays &= (found[:, :, near] < -margin).all(axis=(1, 2))
            found = told(found)
        return _greatest_beyond(found.sum(axis=1), stays, margin)


RANKING_LINES = 17
"""Lines by which the pairs of both sides are ranked: with more of them the bounds are closer."""


class RankedBothSides:
    """The same for the releases of both sides: by the least of lines δ_one(σ) + σ·δ_other(e^α/σ), either side first."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[tuple[ProfileSide, ProfileSide], list[PairFilter]]] = {}

    def __call__(self, sides: tuple[ProfileSide, ProfileSide], odds: Fraction, pairs: Sequence[ValuePair]) -> Ranked:
        """Return the pairs, each with an upper bound of its δ at e^α = odds."""
        if odds > MOST_ODDS:
            return unranked(sides, odds, pairs)
        if id(sides) not in self._known:
            without = [ProfileSide((IGNORED, *side.trade_offs[1:]), side.steps) for side in sides]
            self._known[id(sides)] = sides, [PairFilter(side) for side in (*sides, *without)]
        past, future, past_alone, future_alone = self._known[id(sides)][1]
        best = np.full(len(pairs), np.inf)
        for slope in np.geomspace(1, float(odds), RANKING_LINES if odds > 1 else 1).tolist():
            rest = float(odds) / slope * (1 - 4 * SUM_ROUNDING)
            for one, other in ((past, future_alone), (future, past_alone)):
                bound = one.beyond(slope, pairs) + slope * other.beyond(rest, pairs)
                best = np.minimum(best, bound * (1 + 4 * SUM_ROUNDING))
        at_zero = sides[0].trade_offs[0].points[0][1]
        return [(at_zero + Fraction(best[place]), pairs[place]) for place in np.argsort(-best, kind="stable")]


def _beyond_zero(phi: TradeOff) -> Doubles:
    """Return the points of φ, and φ − φ(0) there."""
    at_zero = phi.points[0][1]
    return np.array([[float(u) for u, _ in phi.points], [float(y - at_zero) for _, y in phi.points]])


def _near_zero(grids: Grids, trade_offs: Sequence[TradeOff]) -> list[slice]:
    """Return for each release the points above 0 that enclose (0, φ(0)]; all points where some are left out."""
    found = []
    for phi, thinning, windows in zip(trade_offs[1:], grids.thinnings, grids.windows, strict=True):
        last = windows[0].end[0] + 2 if phi.points[0][1] else 1
        found.append(slice(1, last) if thinning is None or last == 1 else slice(None))
    return found


def _greatest_beyond(sums: Doubles, stays: NDArray[np.bool_], margin: float) -> Doubles:
    """Return the greatest sum of each pair, rounded up; at u = 0 it is 0 where it stays so."""
    best: Doubles = sums[:, 1:].max(axis=1) + margin
    return np.maximum(best, np.where(stays, 0, sums[:, 0] + margin))


@lru_cache(maxsize=8)
def _told_in_doubles(grids: Grids) -> list[Callable[[Doubles], Doubles]]:
    """Return for each release what gives max over [u, φ(u)] of functions, raised where points are left out."""
    found: list[Callable[[Doubles], Doubles]] = []
    for thinning, windows in zip(grids.thinnings, grids.windows, strict=True):
        greatest = WindowsInDoubles(windows).greatest
        found.append(greatest if thinning is None else partial(_thinned, ThinningInDoubles(thinning), greatest))
    return found


def _thinned(thinning: ThinningInDoubles, greatest: Callable[[Doubles], Doubles], found: Doubles) -> Doubles:
    return greatest(thinning.raised(found))


class ThinningInDoubles:
    """`reference.worst_case.profile_grids.Thinning`, for many functions at once."""

    def __init__(self, thinning: Thinning) -> None:
        self._kept = np.array(thinning.kept)
        self._shares = np.concatenate([np.array([0.0, *map(float, own)]) for own in thinning.shares])

    def raised(self, found: Doubles) -> Doubles:
        """Return functions that are nowhere below these, at the points that are kept; rounding apart."""
        at = found[:, :, self._kept]
        apart = np.diff(self._kept)
        chords = np.repeat(at[:, :, :-1], apart, axis=2)
        chords += np.repeat(np.diff(at, axis=2), apart, axis=2) * self._shares
        above = np.maximum.reduceat(found[:, :, : self._kept[-1]] - chords, self._kept[:-1], axis=2)
        ends = np.zeros((*above.shape[:2], 1))
        raised: Doubles = at + np.maximum(np.concatenate([above, ends], axis=2), np.concatenate([ends, above], axis=2))
        return raised


def rounding(odds: float, releases: int, n: int) -> float:
    """Return how far at most rounding has moved a sum."""
    return (1 + odds) * (releases + 2) * (n + 8) * SUM_ROUNDING * 1.01


SHORTEST_RUN = 8
"""Windows in a row, each one point on from the one before, that are taken together."""


FEW_POINTS = 16
"""Most points of a window that are looked at one by one."""


class WindowsInDoubles:
    """The windows of one release, as indices and weights.

    Where each of many in a row is the one before, moved by one point, their maxima are those of slices.
    """

    def __init__(self, windows: Sequence[Window]) -> None:
        self._count = len(windows)
        moves = np.array([_is_next(one, other) for one, other in pairwise(windows)], dtype=np.bool_)
        ends = [*(int(place) + 1 for place in np.flatnonzero(~moves)), len(windows)]
        runs = [(start, end) for start, end in pairwise([0, *ends]) if end - start >= SHORTEST_RUN]
        self._runs = [
            (slice(start, end), windows[start].start[0], windows[start].end[0] - windows[start].start[0] + 1)
            for start, end in runs
            if not windows[start].start[1] and not windows[start].end[1]
        ]
        alone = np.ones(len(windows), dtype=np.bool_)
        for own, _, _ in self._runs:
            alone[own] = False
        self._alone = np.flatnonzero(alone)
        left = [windows[place] for place in self._alone.tolist()]
        self._ends = []
        for places in ([window.start for window in left], [window.end for window in left]):
            index = np.array([at for at, _ in places], dtype=np.int64)
            part = np.array([float(far) for _, far in places])
            self._ends.append((index, index + (part > 0), part))
        first = np.array([window.first for window in left], dtype=np.int64)
        length = np.maximum(np.array([window.last for window in left], dtype=np.int64) - first, 0)
        longest = int(length.max(initial=0))
        self._one_by_one = [
            (where, first[where] + place)
            for place in range(longest if longest <= FEW_POINTS else 0)
            if len(where := np.flatnonzero(length > place))
        ]
        self._between = [
            (1 << power, where, first[where], first[where] + length[where] - (1 << power))
            for power in range(longest.bit_length() if longest > FEW_POINTS else 0)
            if len(where := np.flatnonzero((length >> power) == 1))
        ]

    def greatest(self, found: Doubles) -> Doubles:
        """Return the greatest value in each window; of 2^k points and of 2^k more that may be the same."""
        best = np.empty((*found.shape[:2], self._count))
        for own, first, points in self._runs:
            best[:, :, own] = _sliding(found[:, :, first : first + own.stop - own.start + points - 1], points)
        if len(self._alone):
            best[:, :, self._alone] = self._greatest_alone(found)
        return best

    def _greatest_alone(self, found: Doubles) -> Doubles:
        best: Doubles = np.maximum(*(_between(found, *ends) for ends in self._ends))
        for where, place in self._one_by_one:
            best[:, :, where] = np.maximum(best[:, :, where], np.take(found, place, axis=2))
        width, of_width = 1, found
        for needed, where, low, high in self._between:
            while width < needed:
                of_width = np.maximum(of_width[:, :, :-width], of_width[:, :, width:])
                width *= 2
            best[:, :, where] = np.maximum(best[:, :, where], np.maximum(of_width[:, :, low], of_width[:, :, high]))
        return best


def _is_next(one: Window, other: Window) -> bool:
    """Whether a window is another one, moved by one point."""
    ends = ((one.start, other.start), (one.end, other.end))
    return all(not (part or onward) and after == before + 1 for (before, part), (after, onward) in ends)


def _sliding(found: Doubles, points: int) -> Doubles:
    """Return the greatest of each group of neighbours."""
    width = 1
    while 2 * width <= points:
        found = np.maximum(found[:, :, :-width], found[:, :, width:])
        width *= 2
    return found if width == points else np.maximum(found[:, :, : width - points], found[:, :, points - width :])


def _between(found: Doubles, index: NDArray[np.int64], onward: NDArray[np.int64], part: Doubles) -> Doubles:
    at: Doubles = np.take(found, index, axis=2)
    inside = np.flatnonzero(part)
    if len(inside):
        share = part[inside]
        at[:, :, inside] = at[:, :, inside] * (1 - share) + np.take(found, onward[inside], axis=2) * share
    return at
