"""Guesses in doubles: between which two numbers each pair's greatest ratio lies, at many depths at once.

The releases on one side of a time count from the nearest. For a pair (j, k), an excess x = λ − 1 and c_0 = (P_j − P_k)
− x·P_k, c_{i+1} = (c_i + E_i c_i^+) P_{i+1} with E = e^ε − 1, the sweep of `reference.worst_case.sweep` has the value

    W_d(x) = −x + Σ_{i<d} E_i·Σ_a c_i^+(a),

so that one sweep gives it at *every* depth d; with P_k carried about the same sets it gives −W'_d(x) too. W_d is convex
and falls, and its root is the excess B_d − 1. So of two sweeps a tangent bounds the root from below and the chord from
above, and where no set changes between them both are the root. Nothing here is proved, and nothing decided: what is
closer than `GUESSED` is for balls or integers to tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from ...reference.correlations import Row
from ...reference.levels import Level
from ..floats import SMALLEST, Doubles

GUESSED = 1e-10
"""Relative precision of guesses. Smaller asks for digits that rounding destroys; greater leaves more pairs to balls."""

LARGEST_GROWTH, LARGEST_SLOPE = 1e50, 1e250
"""With a greater e^ε − 1, or a steeper W, doubles might overflow, and with an excess below `SMALLEST` underflow: nothing
is guessed then."""

FAR_BELOW = 0.05
"""A sweep whose excess is below the root by this part of it is given up: it says little of greater depths."""

CHUNK = 1 << 16
"""Entries of the arrays of one sweep: fewer waste time in Python, more leave the processor's cache."""

LEAST_PERIOD = 16
"""Releases after which a sweep without a horizon is compared with itself before, to see whether it shrinks for ever."""

STEADY = 1e-2
"""It does if all positive entries shrink by a factor that stays the same up to this part of its distance from 1, and is
counted greater by as much. A smaller part ends sweeps later, a greater one calls more upper bounds too low."""

REST = 1e-13
"""What is left, as a part of the greatest terms of W, is added at once: greater ends sweeps sooner and loses digits."""

NEAREST_ROUNDS = 4
"""Newton's steps for the ratio over the nearest release alone, which is exact then for most pairs."""

OFTEN = 4
"""After so many releases it is seen which of a few sweeps are over: less often takes steps in vain."""

MOST_STEEP = 4
"""Beyond so many chunks sweeps carry no derivative, which costs as much again: most of the pairs are to be excluded."""

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]


class RowDifferences:
    """The differences P_j − P_k of the rows of a matrix in doubles, each entry rounded no more than a few times."""

    def __init__(self, rows: Sequence[Row]) -> None:
        """Take the rows, exact."""
        self.rows, self.high = rows, rows_in_doubles(rows)
        self._exact: dict[tuple[int, int, int], float] = {}

    @cached_property
    def _low(self) -> Doubles:
        """What the doubles of the entries lack of them."""
        entries = zip((entry for row in self.rows for entry in row), self.high.ravel().tolist(), strict=True)
        found = [_difference(*entry.as_integer_ratio(), *near.as_integer_ratio()) for entry, near in entries]
        return np.array(found).reshape(self.high.shape)

    def of(self, first: Indices, second: Indices) -> Doubles:
        """Return P_j − P_k of some pairs j, k."""
        high, low = self.high, self._low
        found: Doubles = (high[first] - high[second]) + (low[first] - low[second])
        lost = (abs(found) < 2.0**-45 * high[first]) & (high[first] > 0) & (first != second)[:, None]
        for pair, a in np.argwhere(lost):  # two doubles each do not tell enough
            key = int(first[pair]), int(second[pair]), int(a)
            if key not in self._exact:
                self._exact[key] = float(self.rows[key[0]][a] - self.rows[key[1]][a])
            found[pair, a] = self._exact[key]
        return found


def rows_in_doubles(rows: Sequence[Row]) -> Doubles:
    """Return the rows of a matrix in doubles."""
    found: Doubles = np.array([[float(entry) for entry in row] for row in rows])
    return found


def _difference(above: int, below: int, near_above: int, near_below: int) -> float:
    """Return a/b less c/d, the quotients of integers, as a double."""
    return (above * near_below - near_above * below) / (below * near_below)


def growth_of(budget: Level) -> float:
    """Return about e^ε − 1; ∞ beyond the doubles."""
    try:
        return float(budget.excess_bounds(64)[0])
    except OverflowError:
        return inf


@dataclass(frozen=True, eq=False)
class ReleasesInDoubles:
    """A sequence of releases in doubles, the nearest first: e^ε − 1 of each; the matrix that leads to each or all."""

    matrices: Sequence[RowDifferences] | RowDifferences
    growth: Doubles

    @classmethod
    def of(cls, steps: Sequence[Sequence[Row]], budgets: Sequence[Level]) -> ReleasesInDoubles:
        """Return them from the exact ones: equal objects are converted once."""
        matrices = {id(step): RowDifferences(step) for step in {id(step): step for step in steps}.values()}
        growth = {id(own): growth_of(own) for own in {id(own): own for own in budgets}.values()}
        return cls([matrices[id(step)] for step in steps], np.array([growth[id(own)] for own in budgets]))

    def __len__(self) -> int:
        """Return how many releases there are."""
        return len(self.growth)


class PairBounds:
    """Lower and upper bounds of B_d − 1: arrays over (sequence of releases, pair, depth asked for).

    As far as doubles tell: what `low` says is attained, and what `up` says is not exceeded.
    """

    def __init__(
        self,
        sequences: Sequence[ReleasesInDoubles],
        depths: Sequence[Sequence[int]],
        pairs: Indices,
        *,
        period: int = 0,
        is_endless: bool = False,
    ) -> None:
        """Take sequences of releases; of each the depths asked for, as many of each, rising; and pairs as rows.

        Args: period, if not 0, after how many releases matrices and budgets recur; is_endless, whether without end:
        upper bounds then hold at all depths, and none is known where sweeps do not come to an end.
        """
        self._first, self._second = pairs.T
        self._depths, self._is_endless = np.array(depths, dtype=np.int64), is_endless
        self._period = period * -(-LEAST_PERIOD // period) if period else 0
        longest = int(self._depths.max(initial=0))
        growth = np.zeros((len(sequences), longest))
        kinds = np.zeros((len(sequences), longest), dtype=np.int64)
        self._column = np.full((len(sequences), longest), -1)
        known: dict[int, int] = {}
        self._matrices: list[RowDifferences] = []
        for number, (releases, asked) in enumerate(zip(sequences, depths, strict=True)):
            growth[number, : asked[-1]] = releases.growth[: asked[-1]]
            self._column[number, np.array(asked) - 1] = np.arange(len(asked))
            leading = (
                [releases.matrices] if isinstance(releases.matrices, RowDifferences) else releases.matrices[: asked[-1]]
            )
            for matrix in leading:
                if id(matrix) not in known:
                    known[id(matrix)] = len(known)
                    self._matrices.append(matrix)
            kinds[number, : asked[-1]] = [known[id(matrix)] for matrix in leading]  # one stands for all
        self._n = self._matrices[0].high.shape[1]
        self._growth, self._kinds, self._ends = growth, kinds, self._depths[:, -1]
        shape = len(sequences), len(pairs), self._depths.shape[1]
        self.low, self.up = np.zeros(shape), np.full(shape, inf)
        self._x_low, self._w_low = np.zeros(shape), np.full(shape, inf)
        self._x_high, self._w_high = np.full(shape, inf), np.zeros(shape)
        is_small: Mask = np.asarray((growth <= LARGEST_GROWTH).all(axis=1))
        self._is_usable = np.broadcast_to(is_small[:, None], shape[:2]).copy()
        for own, place in self._chunks(*np.indices(shape[:2]).reshape(2, -1)):
            apart, second = self._at_first(own, place)
            grown, nearest, told = growth[own, 0], np.zeros(len(own)), apart > 0
            with np.errstate(invalid="ignore", over="ignore"):
                for _ in range(NEAREST_ROUNDS):
                    gained = grown * np.where(told, apart, 0).sum(axis=1)
                    part = 1 + grown * np.where(told, second, 0).sum(axis=1)
                    nearest, before = gained / part, told
                    told = apart > nearest[:, None] * second
            differ = (apart != 0).any(axis=1)
            usable = self._is_usable[own, place] & (nearest >= SMALLEST)
            self._is_usable[own, place] = usable
            is_root = (told == before).all(axis=1) & (self._depths[own, 0] == 1) & usable
            is_root &= not self._is_endless
            self.up[own[is_root], place[is_root], 0] = nearest[is_root]
            self.low[own, place] = np.where(usable & differ, nearest, 0.0)[:, None]
            self.up[own[~differ], place[~differ]] = 0.0

    def _chunks(self, number: Indices, place: Indices) -> Iterator[tuple[Indices, Indices]]:
        size = max(1, CHUNK // self._n)
        for start in range(0, len(number), size):
            yield number[start : start + size], place[start : start + size]

    def _at_first(self, number: Indices, place: Indices) -> tuple[Doubles, Doubles]:
        """Return P_j − P_k and P_k of the matrices that lead to the nearest releases."""
        j, k, kinds = self._first[place], self._second[place], self._kinds[number, 0]
        found = np.empty((2, len(place), self._n))
        for kind in np.unique(kinds):
            own, matrix = kinds == kind, self._matrices[kind]
            found[0, own], found[1, own] = matrix.of(j[own], k[own]), matrix.high[k[own]]
        return found[0], found[1]

    def try_all(self, number: Indices, place: Indices, excess: Doubles) -> None:
        """Narrow the bounds of some pairs of some sequences by sweeps with these excesses."""
        order = np.lexsort((excess, place, number))
        order = order[self._is_usable[number[order], place[order]] & (excess[order] < inf)]
        size = max(1, CHUNK // self._n)
        for start in range(0, len(order), size):
            part = order[start : start + size]
            self._narrow(number[part], place[part], excess[part], len(order) <= MOST_STEEP * size)

    def _narrow(self, number: Indices, place: Indices, excess: Doubles, is_steep: bool) -> None:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            w, root = self._swept(number, place, excess, is_steep)
            root[root < excess / 2] = np.nan  # far below, most digits are lost
            x, above, below = excess, w > 0, w <= 0
            starts = np.flatnonzero(np.diff(number * len(self._first) + place, prepend=-1))
            own = number[starts], place[starts]
            self.low[own] = np.fmax(self.low[own], np.fmax.reduceat(root, starts, axis=1).T)
            for is_low, kept, w_kept in ((True, self._x_low, self._w_low), (False, self._x_high, self._w_high)):
                chosen, nearest, least = (above, np.maximum, np.minimum) if is_low else (below, np.minimum, np.maximum)
                nothing = inf if is_low else -inf
                tried = nearest.reduceat(np.where(chosen, x, -nothing), starts, axis=1).T
                of_tried = least.reduceat(np.where(chosen, w, nothing), starts, axis=1).T
                better = tried > kept[own] if is_low else tried < kept[own]
                kept[own], w_kept[own] = np.where(better, tried, kept[own]), np.where(better, of_tried, w_kept[own])
            x_low, w_low, x_high, w_high = (at[own] for at in (self._x_low, self._w_low, self._x_high, self._w_high))
            chord = x_high + w_high * (x_high - x_low) / (w_low - w_high)
            up = np.fmin(self.up[own], np.where(x_high < inf, np.fmin(chord, x_high), inf))
            self.low[own] = np.maximum.accumulate(self.low[own], axis=1)
            up = np.minimum.accumulate(up[:, ::-1], axis=1)[:, ::-1]
            self.up[own] = np.fmax(up, self.low[own])  # they may cross in their last digits

    def _swept(self, number: Indices, place: Indices, excess: Doubles, is_steep: bool) -> tuple[Doubles, Doubles]:
        """Return W of sweeps at the depths asked for (rows), and a lower bound of its root; NaN where not known.

        Args: is_steep, whether P_k is carried too, so that the tangents tell the roots; else only the sign of W does.
        """
        w = np.full((self._depths.shape[1], len(number)), np.nan)
        root = w.copy()
        apart, second = self._at_first(number, place)
        state = np.stack([apart - excess[:, None] * second, second][: 1 + is_steep])
        total, slope, x, ones = -excess, np.ones(len(excess)), excess, np.ones(self._n)
        left, sequence, is_one = np.arange(len(number)), number, len(self._ends) == 1
        end, last_w, last_root = np.zeros(len(number), dtype=np.int64), w[0].copy(), w[0].copy()
        before, total_before, shrinking_before = state[0], total, np.zeros(len(x))
        often = 1 if len(x) * self._n > CHUNK // 4 else OFTEN
        for release in range(self._growth.shape[1]):
            growth = self._growth[0, release] if is_one else self._growth[sequence, release]
            told = np.where(state[0] > 0, state, 0.0)
            sums = told @ ones
            total = total + growth * sums[0]
            if is_steep:
                slope = slope + growth * sums[1]
            if not is_one:
                column = self._column[sequence, release]
                asked = np.flatnonzero(column >= 0)
                if len(asked):
                    at = column[asked], left[asked]
                    w[at], root[at] = total[asked], _root(x[asked], total[asked], slope[asked], is_steep)
            elif self._column[0, release] >= 0:
                at = self._column[0, release], left
                w[at], root[at] = total, _root(x, total, slope, is_steep)
            last, recurs = release + 1 == self._growth.shape[1], bool(self._period) and release % self._period == 0
            if last or recurs or release % often == often - 1:
                ended, more = sums[0] <= 0, np.zeros(len(x))
                over = ended | (self._ends[sequence] <= release + 1)
                over |= ~(total <= FAR_BELOW * x * slope) | ~(slope <= LARGEST_SLOPE) if is_steep else ~(total <= 0)
                over |= (state[0] >= 0).all(axis=1)  # nothing changes the ratio of what is carried from here on
                if recurs:
                    if release:
                        shrinking = _shrinking(before, state[0])
                        spare = STEADY * (1 - shrinking)
                        rest = (total - total_before) * (shrinking + spare) / (1 - shrinking - spare)
                        ends = (np.abs(shrinking - shrinking_before) <= spare) & (total + rest <= 0)
                        ends &= self._is_endless | (rest <= REST * x * slope)
                        ended, shrinking_before, more = ended | ends, shrinking, np.where(ends, rest, 0.0)
                        over |= ends
                    before, total_before = state[0], total
                if over.any():
                    gone = left[over]
                    end[gone] = release + 1
                    last_root[gone] = _root(x[over], total[over], slope[over], is_steep)
                    unknown = ~(slope <= LARGEST_SLOPE) & ~(total > 0)
                    value = np.where(ended, total + more, np.where(unknown, np.nan, inf))
                    last_w[gone] = value[over]
                    if self._is_endless:
                        w[-1, gone] = np.where(ended | (total > 0), total + more, np.nan)[over]
                    keep = ~over
                    left, sequence, x, total, slope = left[keep], sequence[keep], x[keep], total[keep], slope[keep]
                    state, told, growth = state[:, keep], told[:, keep], growth if is_one else growth[keep]
                    if self._period:
                        before, total_before, shrinking_before = (
                            before[keep],
                            total_before[keep],
                            shrinking_before[keep],
                        )
                    if not len(left):
                        break
            state = self._stepped(state + (growth if is_one else growth[:, None]) * told, sequence, release + 1)
        beyond_end = end < self._depths[number].T
        return np.where(beyond_end, last_w, w), np.where(beyond_end, last_root, root)

    def _stepped(self, state: Doubles, sequence: Indices, release: int) -> Doubles:
        kinds = self._kinds[:, release]
        if len(self._matrices) == 1 or len(kinds) == 1 or (kinds == kinds[0]).all():
            found: Doubles = (state.reshape(-1, self._n) @ self._matrices[kinds[0]].high).reshape(state.shape)
            return found
        own, found = kinds[sequence], np.empty_like(state)
        for kind in set(kinds.tolist()):
            found[:, own == kind] = state[:, own == kind] @ self._matrices[kind].high
        return found

    def close(self, part: float, rounds: int = 100) -> None:
        """Narrow all bounds until upper ones exceed lower ones by no more than this part."""
        for turn in range(rounds):
            number, place, column = np.nonzero((self.up > self.low * (1 + part)) & self._is_usable[:, :, None])
            if not len(number):
                break
            at = number, place, column
            tried = trial(self.low[at], self.up[at], turn)
            chosen = spread(number * len(self._first) + place, tried, turn)
            self.try_all(number[chosen], place[chosen], tried[chosen])


def _root(x: Doubles, total: Doubles, slope: Doubles, is_steep: bool) -> Doubles:
    """Return a lower bound of the root of W, NaN where none is seen."""
    return x + total / slope if is_steep else np.where(total > 0, x, np.nan)


def trial(low: Doubles, up: Doubles, turn: int) -> Doubles:
    """Return excesses to be tried between bounds: by turns in the middle, and where the lower one is the root itself.

    Where there is no upper bound, ever farther from the lower.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if turn % 2:
            beyond: Doubles = low * (1 + np.where(up < inf, GUESSED / 2, 0.05 * 2.0 ** min(turn, 60)))
            return beyond
        far = np.where(up < inf, np.sqrt(low) * np.sqrt(up), low * 1.05)
        between: Doubles = np.where(up < 4 * low, (low + up) / 2, far)
        return between


def _shrinking(before: Doubles, after: Doubles) -> Doubles:
    """Return by which factor below 1 all positive entries of each row have shrunk at least; ∞ where one has not."""
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.where(after > 0, after / before, 0.0).max(axis=1)
    grown = ((after > 0) & (before <= 0)).any(axis=1)
    return np.where(grown | (most >= 1), inf, most)


LARGEST_TABLE = 1 << 22
"""Entries of tables that are made at once: more take more memory, fewer repeat sweeps."""

TRIALS = 1 << 10
"""Sweeps tried together: more learn less from each other, fewer waste time in Python."""


def spread(key: Indices, excess: Doubles, turn: int) -> Indices:
    """Return the places of some of the excesses under each key: spread, others at each turn; or the least alone."""
    if not len(key):
        return key
    order = np.lexsort((excess, key))
    _, starts, counts = np.unique(key[order], return_index=True, return_counts=True)
    most = max(TRIALS // len(starts), 1)
    parts = (np.arange(most) + turn * 0.618 % 1) / most if most > 1 else np.zeros(1)
    found = np.unique(starts[:, None] + (counts[:, None] * parts).astype(np.int64))
    tried = excess[order[found]]
    return order[
        found[np.flatnonzero(np.diff(key[order[found]], prepend=-1) | (np.diff(tried, prepend=-1) > GUESSED * tried))]
    ]


NEAREST = 256
"""Releases that are looked at beside a time of a long stream: most chains have forgotten the others."""

NEVER = 1 << 30
"""As the period of releases that do not recur: only sweeps without positive entries bound ratios for ever."""


def excesses_at(rows: RowDifferences, growth: Doubles, pairs: Indices, times: Indices) -> Doubles:
    """Return about B − 1 of each pair (a column) after the first t releases, t of some times (rows); or above it, or ∞.

    Args: rows, of the matrix that leads from each release to the one before; growth, e^ε − 1 of each release.
    """
    found = np.zeros((len(times), len(pairs)))
    for is_long, period in ((False, 0), (True, NEVER)):
        own = (
            np.flatnonzero((times > NEAREST) == is_long)
            if is_long
            else np.flatnonzero((times > 0) & (times <= NEAREST))
        )
        size = max(1, LARGEST_TABLE // NEAREST)
        for start in range(0, len(own) if len(pairs) else 0, size):
            part = own[start : start + size]
            sequences = [ReleasesInDoubles(rows, growth[max(t - NEAREST, 0) : t][::-1]) for t in times[part]]
            bounds = PairBounds(
                sequences, [[len(sequence)] for sequence in sequences], pairs, period=period, is_endless=period > 0
            )
            bounds.close(GUESSED, 30)
            found[part] = bounds.up[:, :, 0] * (1 + GUESSED)
    return found
