"""Certificates of the worst-case leakage at all times to a horizon: a bound for every pair of values at each of them.

Untrusted, as all certificates are until they are checked. What rules is a pair at one time, or a few: their bounds are
a little above what sets attain. All others get as great ones as the claim leaves room for. With one budget throughout
a pair has the same bounds at as many times as possible: what is proved of more releases need not be proved of fewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import permutations
from math import inf, prod

import numpy as np

from ..reference.levels import ZERO, Level
from ..reference.stepwise import KnownCorrelation, Stepwise, matrices_in
from ..reference.worst_case.leakage import side_of
from ..reference.worst_case.sweep import ValuePair
from ..solvers.floats import Doubles
from ..solvers.worst_case.contest import product
from ..solvers.worst_case.guess import PairBounds, ReleasesInDoubles
from .parts import Document, Unproved, check_digits, checked_bits, with_enough_digits
from .worst_case import (
    MAY_RULE,
    NOT_ADAPTIVE,
    Beside,
    FixedSide,
    check_finite,
    excesses_to_prove,
    head,
    loosened,
    ratio_above,
    ratio_texts,
)

CLOSE_BOUNDS = 1e-4
"""Relative precision of the bounds of pairs: smaller costs sweeps, greater leaves more pairs near the worst."""

RatioTable = dict[ValuePair, Fraction]
"""A bound of the ratio of every pair."""

_Ends = tuple[list[Doubles], list[Doubles]]
"""Lower and upper bounds of the ratios of all pairs at each time."""


class AllTimes:
    """The pairs of values at all times of a stream, with bounds of their ratios in doubles."""

    def __init__(self, epsilons: Sequence[Level], known: Sequence[KnownCorrelation | None]) -> None:
        self.epsilons = epsilons
        self.times = range(len(epsilons))
        self._beside = Beside(epsilons, *known)
        self.n = self._beside.n
        self.pairs = list(permutations(range(self.n), 2))
        are_one = not any(isinstance(own, Stepwise) for own in known)
        self._is_steady = are_one and len({epsilon.full_text() for epsilon in epsilons}) == 1
        self._sides = [self._bounds(number) if matrices_in(own) else None for number, own in enumerate(known)]
        self._fixed: dict[tuple[int, int], FixedSide] = {}
        self.near: list[tuple[int, ValuePair]] = []
        if self.pairs:
            own = np.array([[float(end) for end in epsilon.excess_bounds()] for epsilon in epsilons])
            low, up = (np.array([product(self._product(t, end), own[t, end]) for t in self.times]) for end in (0, 1))
            indices = [j * self.n + k for j, k in self.pairs]
            near = np.argwhere(up[:, indices] * (1 + MAY_RULE) >= low.max())
            self.near = [(int(t), self.pairs[int(pair)]) for t, pair in near]

    def _bounds(self, number: int) -> _Ends:
        """Return bounds of the ratios on one side of each time: of one sequence of releases, or of each its own."""
        sides = []
        for t in self.times:
            budgets = self._beside.budgets(number, t)
            sides.append(side_of(self._beside.steps(number, t)[::-1], budgets[::-1]))
        telling = [t for t in self.times if sides[t][0] is not None]
        low, up = np.zeros((2, len(self.times), self.n**2))
        if telling and self.pairs:
            pairs, own = np.array(self.pairs), [sides[t] for t in telling]
            if self._is_steady:
                telling.sort(key=lambda t: len(sides[t][1]))
                own = [sides[telling[-1]]]
            depths = (
                [sorted({len(sides[t][1]) for t in telling})] if self._is_steady else [[len(told)] for _, told in own]
            )
            releases = [ReleasesInDoubles.of(side.steps[::-1], told[::-1]) for side, told in own if side is not None]
            bounds = PairBounds(releases, depths, pairs)
            bounds.close(CLOSE_BOUNDS)
            index = pairs @ np.array([self.n, 1])
            for found, ends in ((low, bounds.low), (up, bounds.up * (1 + MAY_RULE))):
                each = ends[0].T if self._is_steady else ends[:, :, 0]
                found[np.array(telling)[:, None], index] = each
            for t in telling:
                up[t, index] = excesses_to_prove(up[t, index], self._beside.steps(number, t)[0], pairs)
        return list(low), list(up)

    def _product(self, t: int, end: int) -> Doubles:
        return reduce(product, [side[end][t] for side in self._sides if side is not None])

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
                ups = self._within(room[first], pair, first, last)
                found = near[first, pair] if ups is None else loosened(ups, room[first])
                for own, ratio in zip(tables, found, strict=True):
                    for t in range(first, last + 1):
                        own[t][pair] = ratio
        return level, tables

    def _near(self, digits: int, bits: int) -> dict[tuple[int, ValuePair], list[Fraction]]:
        """Return, of the pairs and times that may rule, a little more than what sets attain on each side."""
        near = {}
        for t, pair in self.near:
            found = []
            for number, known in enumerate(self._sides):
                if known is None:
                    continue
                if (number, t) not in self._fixed:
                    self._fixed[number, t] = self._beside.side(number, t)
                side = self._fixed[number, t]
                attained = side.best(pair, bits)[0]
                if side.is_coarse(pair, attained, digits, bits):
                    raise Unproved
                found.append(ratio_above(attained, digits) if not side.is_one(pair) else Fraction(1))
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
                and self._within(room[first], pair, first, last + 1) is not None
            ):
                last += 1
            yield first, last
            first = last + 1

    def _within(self, room: Fraction, pair: ValuePair, first: int, last: int) -> list[Fraction] | None:
        """Return upper bounds of the ratios of a pair, from one time to another, None where there is no room for them.

        The past is longest at the last time. Doubles have no bound, but ∞, where a ratio is beyond their range.
        """
        index = pair[0] * self.n + pair[1]
        ends = [side[1][first if number else last] for number, side in enumerate(self._sides) if side is not None]
        excesses = [float(up[index]) for up in ends]
        if inf in excesses:
            return None
        ups = [1 + Fraction(excess) for excess in excesses]
        return ups if prod(ups) <= room else None


def worst_case_upper_at_all_times(
    epsilons: Sequence[Level],
    backward: KnownCorrelation | None = None,
    forward: KnownCorrelation | None = None,
    digits: int = 17,
) -> Document:
    """Certify that no mechanisms with these budgets have a greater TPL at any time; with one matrix, BPL or FPL.

    Args: epsilons, finite. Returns: a `worst-case-upper` certificate whose time is null; its level is about that of the
    worst mechanisms at the worst time, rounded up to these digits. Raises: InvalidRequest, Undecided.
    """
    check_digits(digits)
    check_finite(epsilons)
    asked = AllTimes(epsilons, (backward, forward))

    def make(working: int) -> Document:
        level, tables = asked.ratios(digits, working)
        written = iter(tables)
        past, future = (
            [ratio_texts(table, asked.n) for table in next(written)] if matrices_in(own) else None
            for own in (backward, forward)
        )
        return {
            **head((NOT_ADAPTIVE,), backward, forward),
            "epsilons": [epsilon.full_text() for epsilon in epsilons],
            "time": None,
            "past": past,
            "future": future,
            "level": str(level.enclosure(digits).upper),
        }

    return with_enough_digits("worst-case-upper", make, digits)
