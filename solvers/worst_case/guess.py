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
from itertools import permutations
from math import inf

import numpy as np
from numpy.typing import NDArray

from ...reference.correlations import Row, nearest_doubles
from ...reference.levels import Level
from ...reference.paper.leakage import Matrices
from ..floats import SMALLEST, Doubles

GUESSED = 1e-10
"""Relative precision of guesses. Smaller asks for digits that rounding destroys; greater leaves more pairs to balls."""

LEAST_GAP = 1e-8
"""Relative precision of bounds that are all that is asked for: smaller costs more sweeps, greater leaves less room."""

LARGEST_GROWTH, LARGEST_SLOPE = 1e50, 1e250
"""With a greater e^ε − 1, or a steeper W, doubles might overflow: nothing is guessed then, nor of an excess below
`SMALLEST`, where they might underflow."""

HIDDEN = 2.0**-48 / GUESSED
"""No root is guessed below this part of the difference of two rows, times the greatest e^ε − 1, at most 1: Σ c = −x of
what is left of the rows after a step is not known so well."""

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

HARDLY = 1.0
"""A sweep that shrinks by less than e^1 in all its releases is not followed to its end where W will be above 0."""

NEWTON = 6
"""Rounds after which a pair without an upper bound is tried ever farther above what it attains: fewer are not enough to
attain its ratio, more are idle where sweeps do not come to an end."""

OFTEN = 4
"""Releases between looks at which sweeps are over: fewer looks take steps in vain."""

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]


def all_pairs(known: Matrices) -> Indices:
    """Return all pairs of values that differ, each a row; none where there is no matrix."""
    n = max((matrix.n for matrix in known if matrix is not None), default=0)
    return np.array(list(permutations(range(n), 2)), dtype=np.int64).reshape(-1, 2)


class RowDifferences:
    """The differences P_j − P_k of the rows of a matrix in doubles, each entry rounded no more than a few times."""

    def __init__(self, rows: Sequence[Row]) -> None:
        """Take the rows, exact."""
        self.rows = rows
        self.high: Doubles = nearest_doubles(rows)
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
        shape = len(sequences), len(pairs), self._depths.shape[1]
        self._growth = np.zeros((len(sequences), int(self._depths.max(initial=0))))
        self._kinds, self._column = np.zeros_like(self._growth, dtype=np.int64), np.full(self._growth.shape, -1)
        known: dict[int, tuple[int, RowDifferences]] = {}
        for number, (releases, asked) in enumerate(zip(sequences, depths, strict=True)):
            self._growth[number, : asked[-1]] = releases.growth[: asked[-1]]
            self._column[number, np.array(asked) - 1] = np.arange(len(asked))
            own = releases.matrices
            leading = [own] if isinstance(own, RowDifferences) else own[: asked[-1]]
            kinds = [known.setdefault(id(matrix), (len(known), matrix))[0] for matrix in leading]
            self._kinds[number, : asked[-1]] = kinds  # one stands for all
        self._matrices = [matrix for _, matrix in known.values()]
        self._n = self._matrices[0].high.shape[1]
        self.low, self.up = np.zeros(shape), np.full(shape, inf)
        self._below, self._above = np.full((2, *shape), -inf), np.full((2, *shape), inf)
        """The nearest x on both sides of the root that were tried, and W there."""
        self._is_usable = np.zeros(shape[:2], dtype=bool)
        self._hidden = np.zeros(shape[:2])
        for at, place in self._chunks(*np.indices(shape[:2]).reshape(2, -1)):
            apart, second = self._at_first(at, place)
            grown, told = self._growth[at, 0], apart > 0
            with np.errstate(invalid="ignore", over="ignore"):
                gained, part = (grown * np.where(told, rows, 0).sum(axis=1) for rows in (apart, second))
                nearest = gained / (1 + part)
            usable = (nearest >= SMALLEST) & (self._growth[at] <= LARGEST_GROWTH).all(axis=1)
            most = np.minimum(self._growth[at], 1).max(axis=1)
            self._hidden[at, place] = HIDDEN * most * abs(apart).sum(axis=1)
            self._is_usable[at, place] = usable
            self.low[at, place] = np.where(usable, nearest, 0.0)[:, None]
            self.up[at, place] = np.where(told.any(axis=1), inf, 0.0)[:, None]

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
        for own, at in self._chunks(order, order):
            self._narrow(number[own], place[at], excess[own])

    def _narrow(self, number: Indices, place: Indices, excess: Doubles) -> None:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            w, root = self._swept(number, place, excess)
            root[~(root >= np.maximum(excess / 2, self._hidden[number, place]))] = 0  # far below, most digits are lost
            starts = np.flatnonzero(np.diff(number * len(self._first) + place, prepend=-1))
            own = number[starts], place[starts]
            for tried, is_higher, of_one, least in (
                (self._below, w > 0, np.maximum, -inf),
                (self._above, w <= 0, np.minimum, inf),
            ):
                x = of_one.reduceat(np.where(is_higher, excess, least), starts, axis=1).T
                of_x = -of_one.reduceat(np.where(is_higher, -w, least), starts, axis=1).T
                tried[:, *own] = np.where(of_one(x, tried[0][own]) == x, (x, of_x), tried[:, *own])
            (x, w), (beyond, w_beyond) = self._below[:, *own], self._above[:, *own]
            chord = np.fmin(beyond + w_beyond * (beyond - x) / (w - w_beyond), beyond)
            chord[~(chord >= self._hidden[own][:, None])] = inf
        low = np.maximum(self.low[own], np.maximum.reduceat(root, starts, axis=1).T)
        up = np.fmin(self.up[own], chord)
        self.low[own] = np.maximum.accumulate(low, axis=1)
        self.up[own] = np.maximum(np.minimum.accumulate(up[:, ::-1], axis=1)[:, ::-1], self.low[own])

    def _swept(self, number: Indices, place: Indices, excess: Doubles) -> tuple[Doubles, Doubles]:
        """Return W of sweeps at the depths asked for (rows), and a lower bound of its root; NaN where not known."""
        w = np.full((self._depths.shape[1], len(number)), np.nan)
        root = w.copy()
        apart, second = self._at_first(number, place)
        state, ones = np.stack([apart - excess[:, None] * second, second]), np.ones(self._n)
        sums, x = np.stack([-excess, np.ones(len(excess))]), excess
        left, end = np.arange(len(number)), np.zeros(len(number), dtype=np.int64)
        last_w, last_root = w[0].copy(), w[0].copy()
        before, total_before, shrinking_before = state[0], sums[0], np.zeros(len(x))
        for release in range(self._growth.shape[1]):
            sequence = number[left]
            growth = self._growth[sequence, release]
            told = state * (state[0] > 0)
            gained = growth * (told @ ones)
            sums = sums + gained
            total, slope = sums
            if len(w) > 1:  # a single depth is the end of a sweep
                column = self._column[sequence, release]
                asked = np.flatnonzero(column >= 0)
                at = column[asked], left[asked]
                w[at], root[at] = total[asked], x[asked] + total[asked] / slope[asked]
            last, recurs = release + 1 == self._growth.shape[1], bool(self._period) and release % self._period == 0
            if last or recurs or release % OFTEN == OFTEN - 1:
                ended, more = gained[0] <= 0, np.zeros(len(x))
                done = self._depths[sequence, -1] <= release + 1
                over = ended | done | ~(slope <= LARGEST_SLOPE)
                over |= ~(total <= FAR_BELOW * x * slope) | (state[0] >= 0).all(axis=1)  # a ratio that stays
                if recurs:
                    if release:
                        shrinking = _shrinking(before, state[0])
                        spare = STEADY * (1 - shrinking)
                        rest = (total - total_before) * (shrinking + spare) / (1 - shrinking - spare)
                        is_steady = np.abs(shrinking - shrinking_before) <= spare
                        ends = is_steady & (total + rest <= 0) & (self._is_endless | (rest <= REST * x * slope))
                        ended, shrinking_before, more = ended | ends, shrinking, np.where(ends, rest, 0.0)
                        over |= ends
                        if self._is_endless:  # what hardly shrinks, and will be above 0, needs no end
                            hardly = is_steady & ((1 - shrinking) * self._growth.shape[1] < HARDLY)
                            over |= hardly & (total + rest * (1 - 2 * STEADY) / (1 + 2 * STEADY) > 0)
                    before, total_before = state[0], total
                if over.any():
                    gone, keep = left[over], ~over
                    w[-1, left[done]], root[-1, left[done]] = total[done], (x + total / slope)[done]
                    end[gone], last_root[gone] = release + 1, (x + total / slope)[over]
                    unknown = ~(slope <= LARGEST_SLOPE) & ~(total > 0)
                    last_w[gone] = np.where(ended, total + more, np.where(unknown, np.nan, inf))[over]
                    if self._is_endless:
                        w[-1, gone] = np.where(ended | (total > 0), total + more, np.nan)[over]
                    left, x, growth, sums = left[keep], x[keep], growth[keep], sums[:, keep]
                    state, told, before = state[:, keep], told[:, keep], before[keep]
                    total_before, shrinking_before = total_before[keep], shrinking_before[keep]
                    if not len(left):
                        break
            state = self._stepped(state + growth[:, None] * told, number[left], release + 1)
        beyond_end = end < self._depths[number].T
        return np.where(beyond_end, last_w, w), np.where(beyond_end, last_root, root)

    def _stepped(self, state: Doubles, sequence: Indices, release: int) -> Doubles:
        kinds = set(self._kinds[sequence, release].tolist()) if len(self._matrices) > 1 else {0}
        found = np.empty_like(state)
        for kind in kinds:
            step = self._matrices[kind].high
            if len(kinds) == 1:
                return (state.reshape(-1, self._n) @ step).reshape(state.shape)
            own = self._kinds[sequence, release] == kind
            found[:, own] = state[:, own] @ step
        return found

    def close(self, part: float = GUESSED, rounds: int = 30) -> None:
        """Narrow all bounds until upper ones exceed lower ones by no more than this part."""
        for turn in range(rounds):
            number, place, column = np.nonzero((self.up > self.low * (1 + part)) & self._is_usable[:, :, None])
            if not len(number):
                break
            tried = trial(self.low[number, place, column], self.up[number, place, column], turn)
            chosen = spread(number * len(self._first) + place, tried, turn)
            self.try_all(number[chosen], place[chosen], tried[chosen])


def trial(low: Doubles, up: Doubles, turn: int) -> Doubles:
    """Return excesses to be tried: hardly above what is attained; where that does not help, farther, or between."""
    late = turn > NEWTON
    with np.errstate(invalid="ignore", divide="ignore"):
        beyond = np.where(up < inf, (up / low - 1) / 4, GUESSED * 4.0 ** (turn - NEWTON))
    tried: Doubles = low * (1 + (np.maximum(beyond, GUESSED / 2) if late else GUESSED / 2))
    return tried


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
            bounds.close(LEAST_GAP)
            found[part] = bounds.up[:, :, 0] * (1 + GUESSED)
    return found
