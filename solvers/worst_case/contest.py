"""Which pairs of values may have the greatest product of ratios at each of some times, as far as doubles tell.

Ratios rise with the depth: upper bounds at a few depths, and what is attained at the next lesser ones, exclude most
pairs at once. Those that are left are followed at each depth, the likeliest first; what these attain says how little
has to be shown of the others. A sweep with one excess serves all depths of a sequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..floats import Doubles
from .guess import GUESSED, NEVER, TRIALS, Indices, Mask, PairBounds, ReleasesInDoubles, RowDifferences, spread, trial

LEADERS = 8
"""Pairs followed first at each time: fewer may miss the best, more cost time where all are alike."""

ROUGH = 1e-3
"""Relative precision of the best of the leaders before other pairs are looked at, and of bounds at few depths: finer
excludes little more."""

FACTORS = 4, 9 / 8
"""Between the depths at which pairs are bounded, very many of them at first by the former: greater ones bound fewer
depths, and leave more pairs to be followed at each."""

FEW_TIMES = 64
"""Times settled first: the sweeps tried for them serve the others, of which many cost time to look at."""

CONTEST_ROUNDS = 60
"""Rounds of sweeps before the pairs that are left are decided in balls."""

ABSENT = -1, 0, 0, 0
"""The place of a side that is not there."""


class BoundedCourse:
    """A sequence of releases with finite budgets above 0, in doubles; what is known of it serves further times."""

    def __init__(
        self,
        releases: ReleasesInDoubles,
        *,
        is_lasting: bool = False,
        is_steady: bool = False,
        is_endless: bool = False,
    ) -> None:
        """Take the releases.

        Args: is_lasting, whether many depths of them are asked for; is_steady, whether all are the same; is_endless,
        whether others follow, so that upper bounds are to hold whatever those are.
        """
        self.releases, self.is_lasting, self.is_endless, self._period = releases, is_lasting, is_endless, int(is_steady)
        self._known: dict[float, tuple[Indices, dict[tuple[int, ...], int], PairBounds]] = {}

    def bounds(self, factor: float, deepest: int, pairs: Indices, kept: Indices) -> tuple[PairBounds, Indices]:
        """Return bounds of some of the pairs, those at the places kept, and their place in these bounds.

        Args: factor, by which the depths grow of which they are, all of them by 1. What is known of them serves again.
        """
        wanted = list(map(tuple, pairs[kept].tolist()))
        grid, places, known = self._known.get(factor, (np.zeros(1, dtype=np.int64), {}, None))
        if known is None or grid[-1] < deepest or not all(pair in places for pair in wanted):
            own, depths, last = list(dict.fromkeys([*places, *wanted])), [1], self._rounded(deepest)
            while depths[-1] < last:
                depths.append(min(max(depths[-1] + 1, int(depths[-1] * factor)), last))
            known = PairBounds([self._nearest(last)], [depths], np.array(own), period=self._period)
            places = {pair: place for place, pair in enumerate(own)}
            self._known[factor] = np.array(depths), places, known
        found = np.zeros(len(pairs), dtype=np.int64)
        found[kept] = [places[pair] for pair in wanted]
        return known, found

    def columns(self, factor: float, depth: int) -> tuple[int, int]:
        """Return the column of the greatest of these depths that is at most a depth, and of the least at least it."""
        grid = self._known[factor][0]
        return int(np.searchsorted(grid, depth, "right")) - 1, int(np.searchsorted(grid, depth))

    def _rounded(self, depth: int) -> int:
        return min(1 << (depth - 1).bit_length(), len(self.releases))

    def _nearest(self, depth: int) -> ReleasesInDoubles:
        matrices = self.releases.matrices
        own = matrices if isinstance(matrices, RowDifferences) else matrices[:depth]
        return ReleasesInDoubles(own, self.releases.growth[:depth])


class Contest:
    """The pairs at some times, each with one side or two of which the ratios are multiplied."""

    def __init__(
        self, asked: Sequence[Sequence[tuple[BoundedCourse, int]]], pairs: Indices, *, is_closed: bool = False
    ) -> None:
        """Take for each time its sides, each a sequence and a depth; pairs of values, each a row.

        Args: is_closed, whether the greatest product is asked for too, and not only whose it is.
        """
        self._enough = 1 - is_closed
        """Number of pairs at which the contest ends."""
        self._asked, self._pairs = asked, pairs
        self._depths: dict[BoundedCourse, set[int]] = {}
        for sides in asked:
            for course, depth in sides:
                self._depths.setdefault(course, set()).add(depth)
        self._tables: list[tuple[PairBounds, Indices]] = []
        where = self._changing()
        lasting = [course for course in self._depths if course.is_lasting]
        first, self._left = len(self._tables), np.ones((len(asked), len(pairs)), dtype=bool)
        for factor in ([*FACTORS[len(pairs) <= TRIALS :], 1] if lasting else [1]) if len(pairs) else []:
            kept = np.flatnonzero(self._left.any(axis=0))
            found = {course: course.bounds(factor, max(self._depths[course]), pairs, kept) for course in lasting}
            self._tables[first:] = found.values()
            table = {course: first + place for place, course in enumerate(lasting)}
            cells: dict[tuple[tuple[int, int, int, int], ...], int] = {}
            own = [
                [(table[c], 0, *c.columns(factor, depth)) if c in table else where[c, depth] for c, depth in sides]
                for sides in asked
            ]
            cell_of = [cells.setdefault(tuple(sides), len(cells)) for sides in own]
            slots, left = _slots(list(cells)), np.zeros((len(cells), len(pairs)), dtype=bool)
            np.logical_or.at(left, cell_of, self._left)
            if len(slots) > 4 * FEW_TIMES and factor == 1:
                few = slice(None, None, len(slots) // FEW_TIMES)
                self._settled(slots[few], left[few], GUESSED)
            self._left &= self._settled(slots, left, GUESSED if factor == 1 else ROUGH)[cell_of]
            self._slots = slots[cell_of]

    def _changing(self) -> dict[tuple[BoundedCourse, int], tuple[int, int, int, int]]:
        """Make the tables of sequences that are no longer than asked for; return the place of each depth of them."""
        by_number: dict[tuple[int, bool], list[BoundedCourse]] = {}
        for course, own in self._depths.items():
            if not course.is_lasting:
                by_number.setdefault((len(own), course.is_endless), []).append(course)
        where: dict[tuple[BoundedCourse, int], tuple[int, int, int, int]] = {}
        for number, ((_, is_endless), group) in enumerate(by_number.items()):
            asked_for = [sorted(self._depths[course]) for course in group]
            sequences = [course.releases for course in group]
            period = NEVER if is_endless else 0
            bounds = PairBounds(sequences, asked_for, self._pairs, period=period, is_endless=is_endless)
            self._tables.append((bounds, np.arange(len(self._pairs))))
            for place, (course, rising) in enumerate(zip(group, asked_for, strict=True)):
                where.update({(course, depth): (number, place, at, at) for at, depth in enumerate(rising)})
        return where

    def _at(self, slots: Indices, pairs: Indices) -> tuple[Doubles, Doubles, Doubles]:
        """Return what is attained at least, and bounds at the depths followed: arrays over (side, time, pair)."""
        found = np.zeros((3, 2, len(slots), len(pairs)))
        for side in range(2):
            table, place, before, column = slots[:, side].T
            for number, (bounds, rows) in enumerate(self._tables):
                own = np.flatnonzero(table == number)
                for kind, (ends, at) in enumerate(((bounds.low, before), (bounds.low, column), (bounds.up, column))):
                    found[kind, side, own] = ends[place[own, None], rows[pairs], np.maximum(at[own, None], 0)]
                found[0, side, own[before[own] < 0]] = 0
        return found[0], found[1], found[2]

    def _settled(self, slots: Indices, left: Mask, part: float) -> Mask:
        """Return which pairs may have the greatest product at each time (a row), of those that are left."""
        left, open_times = left.copy(), np.arange(len(slots))
        for turn in range(CONTEST_ROUNDS):
            pairs = np.flatnonzero(left[open_times].any(axis=0))
            least, low, up = self._at(slots[open_times], pairs)
            lows, ups = product(*low), product(*up)
            own = left[np.ix_(open_times, pairs)]
            best = np.where(own, product(*least), 0).max(axis=1, initial=0)
            own &= ups * (1 + GUESSED) >= best[:, None]
            left[np.ix_(open_times, pairs)] = own
            is_open = _open(own & (own.sum(axis=1) > self._enough)[:, None], lows, ups, part)
            still = np.flatnonzero(is_open.any(axis=1))
            if not len(still):
                break
            time, pair = np.nonzero(is_open)
            tried = targets(low[:, time, pair], up[:, time, pair], best[time], turn)
            open_sides = (up > low * (1 + part / 4))[:, time, pair].ravel()
            table, place = slots[open_times[time], :, :2].transpose(2, 1, 0).reshape(2, -1)
            both, tried = np.tile(pairs[pair], 2), tried.ravel()
            for number, (bounds, rows) in enumerate(self._tables):
                at = np.flatnonzero(open_sides & (table == number))
                at = at[spread(place[at] * left.shape[1] + both[at], tried[at], turn)]
                bounds.try_all(place[at], rows[both[at]], tried[at])
            open_times = open_times[still]
        return left

    def highest(self) -> Doubles:
        """Return an upper bound of the greatest product at each time, less 1."""
        ups = product(*self._at(self._slots, np.arange(self._left.shape[1]))[2])
        found: Doubles = np.where(self._left, ups, 0.0).max(axis=1, initial=0.0)
        return found

    def left(self) -> Iterator[tuple[Indices, Doubles]]:
        """Yield for each time the pairs that may have the greatest product, by their places; guesses of each side."""
        for slots, own in zip(self._slots, self._left, strict=True):
            pairs, guesses = np.flatnonzero(own), []
            for table, place, _, column in slots[slots[:, 0] >= 0]:
                bounds, rows = self._tables[table]
                guesses.append(bounds.low[place, rows[pairs], column])
            yield pairs, np.array(guesses).T


def _slots(sides: Sequence[Sequence[tuple[int, int, int, int]]]) -> Indices:
    return np.array([[*own, *[ABSENT] * (2 - len(own))] for own in sides], dtype=np.int64).reshape(-1, 2, 4)


def _open(left: Mask, lows: Doubles, ups: Doubles, part: float) -> Mask:
    """Return which pairs to follow now at which times: the leaders alone as long as the best is known roughly."""
    is_open = left & (ups > lows * (1 + part))
    few = min(LEADERS, lows.shape[1])
    if not few:
        return is_open
    own = np.where(left, lows, -1.0)
    first = np.arange(len(own)), own.argmax(axis=1)
    rough = np.flatnonzero(is_open[first] & (ups[first] > lows[first] * (1 + ROUGH)))
    if len(rough) and lows.shape[1] > TRIALS:
        rough = np.arange(len(own))  # a sweep of many pairs should exclude them at all times at once
    is_open[rough] &= own[rough] >= np.partition(own[rough], -few, axis=1)[:, -few][:, None]
    return is_open


def product(first: Doubles, second: Doubles) -> Doubles:
    """Return the excess of a product of two ratios, at least 0 each, perhaps ∞."""
    with np.errstate(invalid="ignore", over="ignore"):
        found = first + second + first * second
    return np.where(np.isnan(found), np.inf, found)


def targets(low: Doubles, up: Doubles, best: Doubles, turn: int) -> Doubles:
    """Return excesses to be tried on both sides (rows) of some pairs.

    Of pairs that seem to attain less than the best such as would exclude them; of others some between their bounds.
    """
    a, b = low[0] * low[1], low[0] + low[1]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        factor = 2 * best / (b + np.sqrt(b * b + 4 * a * best))
        excluding = low * factor * (1 - 4 * GUESSED)
        is_first = (turn % 3 < 2) | np.isinf(up)
        return np.where((factor > 1 + 1e-3) & (excluding < up) & is_first, excluding, trial(low, up, turn))
