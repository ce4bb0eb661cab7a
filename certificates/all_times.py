"""Certificates of the tight leakage at all times to a horizon: a bound for every pair of values at each of them.

Untrusted, as all certificates are until they are checked. What rules is a pair at one time, or a few: their bounds are
a little above what sets attain. All others get as great ones as the claim leaves room for. With one budget throughout
a pair has the same bounds at as many times as possible: what is proved of more releases need not be proved of fewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import permutations
from math import prod

import numpy as np

from ..reference.correlations import TransitionMatrix
from ..reference.levels import ZERO, Level
from ..reference.worst_case.leakage import Stretch
from ..reference.worst_case.sweep import ValuePair
from ..solvers.floats import Doubles
from ..solvers.worst_case.pair_bounds import PairBounds, both_excesses
from .parts import GUARD, Document, Unproved, check_digits, checked_bits, with_enough_digits
from .worst_case import (
    EVERY_STEP,
    MAY_RULE,
    NOT_ADAPTIVE,
    FixedSide,
    check_finite,
    head,
    loosened,
    ratio_above,
    ratio_texts,
)

RatioTable = dict[ValuePair, Fraction]
"""A bound of the ratio of every pair."""

_Ends = tuple[list[Doubles], list[Doubles]]
"""Lower and upper bounds of the ratios of all pairs at each time."""


class AllTimes:
    """The pairs of values at all times of a stream, with bounds of their ratios in doubles."""

    def __init__(self, epsilons: Sequence[Level], matrices: Sequence[TransitionMatrix | None]) -> None:
        self.epsilons, self.matrices = epsilons, matrices
        self.times = range(len(epsilons))
        self.n = next((matrix.n for matrix in matrices if matrix is not None), 0)
        self.pairs = list(permutations(range(self.n), 2))
        self._is_steady = len({epsilon.full_text() for epsilon in epsilons}) == 1
        self._sides = [
            None if matrix is None else self._bounds(matrix, number) for number, matrix in enumerate(matrices)
        ]
        self.near: list[tuple[int, ValuePair]] = []
        if self.pairs:
            own = np.array([[float(end) for end in epsilon.excess_bounds()] for epsilon in epsilons])
            low, up = (
                np.array([both_excesses(self._product(t, end), own[t, end]) for t in self.times]) for end in (0, 1)
            )
            indices = [j * self.n + k for j, k in self.pairs]
            near = np.argwhere(up[:, indices] * (1 + MAY_RULE) >= low.max())
            self.near = [(int(t), self.pairs[int(pair)]) for t, pair in near]

    def budgets(self, number: int, t: int) -> Sequence[Level]:
        """Return the budgets of the past (0) or the future (1) of a time, the nearest first."""
        return self.epsilons[t + 1 :] if number else self.epsilons[:t][::-1]

    def _bounds(self, matrix: TransitionMatrix, number: int) -> _Ends:
        everything, found = np.ones(self.n**2, dtype=bool), {0: (np.zeros(self.n**2), np.zeros(self.n**2))}
        longest = 0 if number else self.times[-1]
        if self._is_steady and len(self.times) > 1:
            bounds = PairBounds([matrix.rows] * (len(self.times) - 1), self.budgets(number, longest))
            for depth in self.times[1:]:
                bounds.tighten(depth, everything)
                found[depth] = bounds.at(depth)
            ends = [found[len(self.budgets(number, t))] for t in self.times]
        else:
            ends = []
            for t in self.times:
                budgets = self.budgets(number, t)
                if budgets:
                    bounds = PairBounds([matrix.rows] * len(budgets), budgets)
                    bounds.tighten(len(budgets), everything)
                ends.append(bounds.at(len(budgets)) if budgets else found[0])
        return [low for low, _ in ends], [up for _, up in ends]

    def _product(self, t: int, end: int) -> Doubles:
        return reduce(both_excesses, [side[end][t] for side in self._sides if side is not None])

    def ratios(self, digits: int, working: int) -> tuple[Level, list[list[RatioTable]]]:
        """Return a level that is never exceeded, and of each side that is there the bounds of the ratios at each time.

        Raises: Unproved, on too coarse a grid.
        """
        near = self._near(digits, checked_bits(working))
        products = {at: prod(found, start=Fraction(1)) for at, found in near.items()}
        level = max((self.epsilons[t] + Level.of_ratio(product) for (t, _), product in products.items()), default=ZERO)
        level = max(level, *self.epsilons)
        if self._is_steady:
            room = [max(products.values(), default=Fraction(1))] * len(self.times)
        else:
            room = [1 + (level - own).excess_bounds(128)[0] for own in self.epsilons]
        sides = [number for number, side in enumerate(self._sides) if side is not None]
        tables: list[list[RatioTable]] = [[{} for _ in self.times] for _ in sides]
        for pair in self.pairs:
            for first, last in self._stretches(pair, room):
                ups = self._greatest(pair, first, last)
                found = loosened(ups, room[first]) if prod(ups) <= room[first] else near[first, pair]
                for own, ratio in zip(tables, found, strict=True):
                    for t in range(first, last + 1):
                        own[t][pair] = ratio
        return level, tables

    def _near(self, digits: int, bits: int) -> dict[tuple[int, ValuePair], list[Fraction]]:
        """Return, of the pairs and times that may rule, a little more than what sets attain on each side."""
        sides: dict[tuple[int, int], FixedSide] = {}
        near = {}
        for t, pair in self.near:
            found = []
            for number, matrix in enumerate(self.matrices):
                if matrix is None:
                    continue
                if (number, t) not in sides:
                    sides[number, t] = FixedSide(matrix, self.budgets(number, t))
                side = sides[number, t]
                attained = side.best(pair, bits)[0]
                if side.tells(pair) and (attained - 1) * (1 << bits) < 10 ** (digits + GUARD + 8):
                    raise Unproved
                found.append(ratio_above(attained, digits) if side.differ(pair) else Fraction(1))
            near[t, pair] = found
        return near

    def _stretches(self, pair: ValuePair, room: Sequence[Fraction]) -> Iterator[tuple[int, int]]:
        """Yield the first and the last of times that have the same bounds, as many as there is room for."""
        first = 0
        while first < len(self.times):
            last = first
            while (
                self._is_steady
                and last + 1 < len(self.times)
                and prod(self._greatest(pair, first, last + 1)) <= room[first]
            ):
                last += 1
            yield first, last
            first = last + 1

    def _greatest(self, pair: ValuePair, first: int, last: int) -> list[Fraction]:
        """Return upper bounds of the ratios of a pair, from one time to another: the past is longest at the last."""
        index = pair[0] * self.n + pair[1]
        ends = [side[1][first if number else last] for number, side in enumerate(self._sides) if side is not None]
        return [1 + Fraction(float(up[index])) for up in ends]


def tight_upper_at_all_times(
    epsilons: Sequence[Level],
    backward: TransitionMatrix | None = None,
    forward: TransitionMatrix | None = None,
    digits: int = 17,
) -> Document:
    """Certify that no mechanisms with these budgets have a greater TPL at any time; with one matrix, BPL or FPL.

    Args: epsilons, finite. Returns: a `tight-upper` certificate whose time is null; its level is about that of the
    worst mechanisms at the worst time, rounded up to these digits. Raises: InvalidRequest, Undecided.
    """
    check_digits(digits)
    check_finite(epsilons)
    Stretch(epsilons, backward, forward)
    asked = AllTimes(epsilons, (backward, forward))

    def make(working: int) -> Document:
        level, tables = asked.ratios(digits, working)
        written = iter(tables)
        past, future = (
            None if matrix is None else [ratio_texts(table, matrix.n) for table in next(written)]
            for matrix in (backward, forward)
        )
        return {
            **head((EVERY_STEP, NOT_ADAPTIVE), backward, forward),
            "epsilons": [epsilon.full_text() for epsilon in epsilons],
            "time": None,
            "past": past,
            "future": future,
            "level": str(level.enclosure(digits).upper),
        }

    return with_enough_digits("tight-upper", make, digits)
