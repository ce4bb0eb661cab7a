"""Sequences of releases on one side of a time, the nearest first: each pair's greatest ratio over the nearest of them.

Matrices, budgets and sequences are known by their value: of equal ones everything is worked out once.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...reference.correlations import Row
from ...reference.levels import ZERO, Level
from ...reference.worst_case.leakage import Budgeted
from ...reference.worst_case.sweep import OneSide, ValuePair
from .apart import Apart, RowSupport
from .best_sets import PairSets, StepMatrices
from .contest import BoundedCourse
from .guess import Indices, ReleasesInDoubles, RowDifferences, growth_of
from .symmetry import Hashes, forms

LATER = 1 << 10
"""Releases of one budget for which a sequence is made at least: what is known of it serves a stream that goes on."""


class RatioCourse(BoundedCourse):
    """A sequence of releases with finite budgets above 0."""

    def __init__(
        self,
        steps: Sequence[Sequence[Row]],
        budgets: Sequence[Level],
        releases: ReleasesInDoubles,
        apart: Apart,
        *,
        is_lasting: bool,
    ) -> None:
        """Take the matrix that leads to each release, the budgets, both in doubles, and the pairs of the matrices.

        Args: is_lasting, whether many depths of it are asked for, at different times.
        """
        self._steps, self._budgets = steps, budgets
        self.matrices = list({id(step): step for step in steps}.values())
        is_steady = len(self.matrices) == 1 and len({id(own) for own in budgets}) == 1
        super().__init__(releases, is_lasting=is_lasting, is_steady=is_steady)
        self._exact, self.apart = StepMatrices(steps), apart
        self._sums = [ZERO]
        self._sets: dict[ValuePair, PairSets] = {}
        self._levels: dict[tuple[int, ValuePair], Level] = {}

    def side(self, depth: int) -> Budgeted:
        """Return the nearest releases as one side of a time."""
        steps = tuple(tuple(step) for step in self._steps[:depth])
        return OneSide(steps[::-1]), tuple(self._budgets[:depth])[::-1]

    def counted(self, depth: int, pair: ValuePair) -> int | None:
        """Return of how many releases the ratio of a pair is the product; None as `Apart.counted`."""
        return self.apart.counted(pair, depth)

    def level(self, depth: int, pair: ValuePair, guess: float) -> Level:
        """Return log B_depth of a pair. Args: guess, about its excess."""
        if (depth, pair) not in self._levels:
            counted = self.counted(depth, pair)
            self._levels[depth, pair] = self._worked_out(depth, pair, guess) if counted is None else self.sum(counted)
        return self._levels[depth, pair]

    def sum(self, counted: int) -> Level:
        """Return the sum of the budgets of the nearest releases."""
        while len(self._sums) <= counted:
            self._sums.append(self._sums[-1] + self._budgets[len(self._sums) - 1])
        return self._sums[counted]

    def _worked_out(self, depth: int, pair: ValuePair, guess: float) -> Level:
        if pair not in self._sets:
            self._sets[pair] = PairSets(self._exact, self._budgets, pair)
        return self._sets[pair].level(depth, guess)


class KnownCourses:
    """What is known of matrices, budgets and sequences of releases."""

    def __init__(self) -> None:
        self._rows: dict[int, tuple[object, Sequence[Row]]] = {}
        self._by_value: dict[tuple[tuple[Fraction, ...], ...], Sequence[Row]] = {}
        self._differences: dict[int, RowDifferences] = {}
        self._budgets: dict[int, tuple[Level, Level]] = {}
        self._by_text: dict[str, Level] = {}
        self._growth: dict[int, float] = {}
        self._sums: dict[tuple[int, int], tuple[Level, Level, Level]] = {}
        self._courses: dict[object, RatioCourse] = {}
        self._apart: dict[tuple[int, ...], Apart] = {}
        self._supports: dict[int, RowSupport] = {}
        self._forms: dict[tuple[int, ...], tuple[Indices, Hashes]] = {}

    def rows(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Return the one that stands for all equal rows of a matrix."""
        if id(rows) not in self._rows:
            value = tuple(map(tuple, rows))
            self._rows[id(rows)] = rows, self._by_value.setdefault(value, value)
        return self._rows[id(rows)][1]

    def budget(self, budget: Level) -> Level:
        """Return the one that stands for all levels of one exact form."""
        if id(budget) not in self._budgets:
            text = budget.exact_text
            self._budgets[id(budget)] = budget, budget if text is None else self._by_text.setdefault(text, budget)
        return self._budgets[id(budget)][1]

    def sum(self, own: Level, other: Level) -> Level:
        """Return the sum of two levels, the same object for the same two."""
        key = id(own), id(other)
        if key not in self._sums:
            self._sums[key] = own, other, own + other
        return self._sums[key][2]

    def course(self, side: Budgeted, *, recurs: bool) -> RatioCourse:
        """Return a side, of which no release reveals the value, as a sequence of releases.

        Args: recurs, whether it serves other times too, of which fewer releases are on that side.
        """
        of, budgets = side
        assert of is not None
        steps = [self.rows(step) for step in reversed(of.steps)]
        levels = [self.budget(budget) for budget in reversed(budgets)]
        key: tuple[object, ...] = (*map(id, steps), *map(id, levels))
        if len({id(step) for step in steps}) == len({id(level) for level in levels}) == 1:
            # However many there are, they are part of one sequence, some of it for later.
            longest = max(LATER, 1 << (len(steps) - 1).bit_length())
            key = id(steps[0]), id(levels[0]), longest
            steps, levels, recurs = steps[:1] * longest, levels[:1] * longest, True
        if key not in self._courses:
            same = tuple(map(id, steps))
            if same not in self._apart:
                self._apart[same] = Apart(steps, self._supports)
            releases = self._releases(steps, levels)
            self._courses[key] = RatioCourse(steps, levels, releases, self._apart[same], is_lasting=recurs)
        self._courses[key].is_lasting |= recurs
        return self._courses[key]

    def _releases(self, steps: Sequence[Sequence[Row]], levels: Sequence[Level]) -> ReleasesInDoubles:
        for step in steps:
            if id(step) not in self._differences:
                self._differences[id(step)] = RowDifferences(step)
        for level in levels:
            if id(level) not in self._growth:
                self._growth[id(level)] = growth_of(level)
        growth = np.array([self._growth[id(level)] for level in levels])
        return ReleasesInDoubles([self._differences[id(step)] for step in steps], growth)

    def forms(self, course: RatioCourse, pairs: Indices) -> Hashes:
        """Return a number for each pair, equal only for pairs whose ratios over all releases of a course are."""
        key = tuple(map(id, course.matrices))
        if key not in self._forms or not np.array_equal(self._forms[key][0], pairs):
            self._forms[key] = pairs, forms(course.matrices, pairs)
        return self._forms[key][1]
