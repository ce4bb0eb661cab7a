"""Which pairs of values may have the greatest product of ratios at each of some times, as far as doubles tell.

The likeliest pairs are followed first; what they attain says how little has to be shown of the others. A sweep with one
excess serves all depths of a sequence, so that each round tries a few, where pairs are not told apart yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..floats import Doubles
from .guess import GUESSED, Indices, Mask, PairBounds, spread, trial

if TYPE_CHECKING:
    from .courses import RatioCourse

LEADERS = 8
"""Pairs followed first at each time: fewer may miss the best, more cost time where all are alike."""

ROUGH = 1e-2
"""Relative precision to which the best of the leaders is known before other pairs are looked at."""

FEW_TIMES = 64
"""Times settled first: the sweeps tried for them serve the others, of which many cost time to look at."""

CONTEST_ROUNDS = 60
"""Rounds of sweeps before the pairs that are left are decided in balls."""


class Contest:
    """The pairs at some times, each with one side or two of which the ratios are multiplied."""

    def __init__(self, asked: Sequence[Sequence[tuple[RatioCourse, int]]], pairs: Indices) -> None:
        """Take for each time its sides, each a sequence and a depth; pairs of values, each a row."""
        depths: dict[RatioCourse, set[int]] = {}
        for sides in asked:
            for course, depth in sides:
                depths.setdefault(course, set()).add(depth)
        by_number: dict[int, list[RatioCourse]] = {}
        for course, own in depths.items():
            by_number.setdefault(len(own), []).append(course)
        self._tables: list[PairBounds] = []
        where: dict[tuple[RatioCourse, int], tuple[int, int, int]] = {}
        for number, group in enumerate(by_number.values()):
            asked_for = [sorted(depths[course]) for course in group]
            self._tables.append(PairBounds([course.releases for course in group], asked_for, pairs))
            for place, (course, rising) in enumerate(zip(group, asked_for, strict=True)):
                where.update({(course, depth): (number, place, column) for column, depth in enumerate(rising)})
        nothing = -1, 0, 0
        slots = [[where[side] for side in sides] + [nothing] * (2 - len(sides)) for sides in asked]
        self._slots = np.array(slots, dtype=np.int64).reshape(-1, 2, 3)
        self._shape = len(pairs)
        everything = np.arange(len(self._slots))
        self._settle(everything[:: len(everything) // FEW_TIMES + 1])
        self._settle(everything)

    def _at(self, times: Indices, pairs: Indices) -> tuple[Doubles, Doubles]:
        """Return the bounds of some pairs at some times on both sides: arrays over (side, time, pair)."""
        low, up = np.zeros((2, 2, len(times), len(pairs)))
        for slot in range(2):
            table, place, column = self._slots[times, slot].T
            for number, bounds in enumerate(self._tables):
                own = np.flatnonzero(table == number)
                at = place[own, None], pairs, column[own, None]
                low[slot, own], up[slot, own] = bounds.low[at], bounds.up[at]
        return low, up

    def _settle(self, times: Indices) -> None:
        pairs = np.arange(self._shape)
        for turn in range(CONTEST_ROUNDS if self._shape > 1 else 0):
            low, up = self._at(times, pairs)
            left, is_open, best = _open(low, up)
            at, kept = np.flatnonzero(is_open.any(axis=1)), np.flatnonzero(left.any(axis=0))
            if not len(at):
                break
            times, pairs, best, is_open = times[at], pairs[kept], best[at], is_open[np.ix_(at, kept)]
            low, up = low[:, at[:, None], kept], up[:, at[:, None], kept]
            time, pair = np.nonzero(is_open)
            tried = targets(low[:, time, pair], up[:, time, pair], best[time], turn)
            open_sides = (up > low * (1 + GUESSED / 4))[:, time, pair].ravel()
            table, place, _ = self._slots[times[time]].transpose(2, 1, 0).reshape(3, -1)
            both, tried = np.tile(pairs[pair], 2), tried.ravel()
            for number, bounds in enumerate(self._tables):
                own = np.flatnonzero(open_sides & (table == number))
                own = own[spread(place[own] * self._shape + both[own], tried[own], turn)]
                bounds.try_all(place[own], both[own], tried[own])

    def left(self) -> Iterator[tuple[Indices, Doubles]]:
        """Yield for each time the pairs that may have the greatest product, by their places; guesses of each side."""
        low, up = self._at(np.arange(len(self._slots)), np.arange(self._shape))
        left = _left(low, up)[0]
        for time, own in enumerate(left):
            sides = self._slots[time, :, 0] >= 0
            yield np.flatnonzero(own), low[sides, time][:, own].T


def _left(low: Doubles, up: Doubles) -> tuple[Mask, Doubles, Doubles, Doubles]:
    lows, ups = (product(*own) for own in (low, up))
    best = lows.max(axis=1)
    return ups * (1 + GUESSED) >= best[:, None], lows, ups, best


def _open(low: Doubles, up: Doubles) -> tuple[Mask, Mask, Doubles]:
    """Return which pairs are left, and which of them to follow now at which times; the greatest product attained."""
    left, lows, ups, best = _left(low, up)
    is_open = left & (ups > lows * (1 + GUESSED)) & (left.sum(axis=1) > 1)[:, None]
    few = min(LEADERS, lows.shape[1])
    leading = lows >= np.partition(lows, -few, axis=1)[:, -few][:, None]
    first = np.arange(len(lows)), lows.argmax(axis=1)
    rough = is_open[first] & (ups[first] > best * (1 + ROUGH))
    return left, is_open & (leading | ~rough[:, None]), best


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
        return np.where((factor > 1 + 1e-3) & (excluding < up) & (turn % 3 < 2), excluding, trial(low, up, turn))
