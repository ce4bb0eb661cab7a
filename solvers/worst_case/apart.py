"""Pairs of values that are told apart for certain, and then no more: their ratio is a product of whole e^ε, exactly.

As long as the values that j and k led from have none in common, the worst sets are those of j, and each release counts
with all of its budget. Once all of these values have come from one distribution, nothing farther counts at all.
Elsewhere a ratio is worked out; where it is such a product it could not be told from one, however many digits it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...reference.correlations import Row
from ...reference.worst_case.sweep import ValuePair


@dataclass(slots=True)
class _Course:
    """The values that each of a pair has led from, as bits, over how many releases, and whether nothing counts beyond.

    ended: None as long as they have none in common. before: the values that they have led from so far.
    """

    values: tuple[int, int]
    releases: int = 0
    ended: bool | None = None
    before: set[tuple[int, int]] = field(default_factory=set)


class Apart:
    """The pairs of a sequence of releases, the nearest first."""

    def __init__(self, steps: Sequence[Sequence[Row]]) -> None:
        """Take the rows of the matrix that leads to each release."""
        self._steps = steps
        self._is_steady = len({id(step) for step in steps}) == 1
        self._leads: dict[int, list[int]] = {}
        self._courses: dict[ValuePair, _Course] = {}

    def __len__(self) -> int:
        """Return how many releases there are."""
        return len(self._steps)

    @cached_property
    def at_first(self) -> NDArray[np.bool_]:
        """Of which pairs, at index j·n + k, the rows that lead to the nearest release share no value. Exact."""
        leads = np.array([[entry != 0 for entry in row] for row in self._steps[0]], dtype=float)
        found: NDArray[np.bool_] = (leads @ leads.T == 0).ravel()
        return found

    def counted(self, pair: ValuePair, depth: int) -> int | None:
        """Return of how many of the nearest releases the greatest ratio over `depth` of them is the product of e^ε.

        Exact; None where it is not such a product, or not seen to be.
        """
        course = self._followed(pair, depth)
        return min(course.releases, depth) if course.ended is not False or depth <= course.releases else None

    def steps(self, pair: ValuePair, depth: int) -> int:
        """Return for how many of the nearest releases, of so many, the values led from have none in common. Exact."""
        return min(self._followed(pair, depth).releases, depth)

    def _followed(self, pair: ValuePair, depth: int) -> _Course:
        course = self._courses.setdefault(pair, _Course((1 << pair[0], 1 << pair[1])))
        while course.ended is None and course.releases < depth:
            self._advance(course)
        return course

    def _advance(self, course: _Course) -> None:
        if self._is_steady and course.values in course.before:  # as often as one likes
            course.releases = len(self._steps)
            return
        course.before.add(course.values)
        step = self._steps[course.releases]
        if id(step) not in self._leads:
            self._leads[id(step)] = [sum(1 << b for b, p in enumerate(row) if p) for row in step]
        either = course.values[0] | course.values[1]
        if len({row for value, row in enumerate(step) if either >> value & 1}) == 1:
            course.ended = True
            return
        one, other = (_united(self._leads[id(step)], values) for values in course.values)
        if one & other:
            course.ended = False
        else:
            course.values, course.releases = (one, other), course.releases + 1


def _united(leads: Sequence[int], values: int) -> int:
    united = 0
    for value, own in enumerate(leads):
        if values >> value & 1:
            united |= own
    return united
