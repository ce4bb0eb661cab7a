"""Pairs of values that are told apart for certain, and then no more: their ratio is a product of whole e^ε, exactly.

As long as the values that j and k led from have none in common, the worst sets are those of j, and each release counts
with all of its budget. Once all of these values have come from one distribution, nothing farther counts at all.
Elsewhere a ratio is computed; where it is such a product no number of digits could tell it from one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, reduce
from itertools import combinations
from operator import or_

from ...reference.correlations import Row
from ...reference.worst_case.sweep import ValuePair

Reached = tuple[int, int]
"""The values that each of a pair has led from, a bit for each."""


class Apart:
    """The pairs of a sequence of releases, the nearest first."""

    def __init__(self, steps: Sequence[Sequence[Row]], known: dict[int, RowSupport] | None = None) -> None:
        """Take the rows of the matrix that leads to each release, and what is known of such rows, by their identity."""
        known, own = {} if known is None else known, {id(step): step for step in steps}
        for key, step in own.items():
            if key not in known:
                known[key] = RowSupport(step)
        self._steps, self._is_steady = [known[id(step)] for step in steps], len(own) == 1
        self._known: dict[ValuePair, tuple[list[Reached], bool | None]] = {}

    @cached_property
    def longest(self) -> ValuePair | None:
        """The pair whose values have none in common for the most releases, if one has for the nearest."""
        found: ValuePair | None = None
        reached = [1 << value for value in range(len(self._steps[0].masks) if self._steps else 0)]
        pairs, known = list(combinations(range(len(reached)), 2)), set[tuple[int, ...]]()
        for step in self._steps:
            reached = [step.before(values) for values in reached]
            pairs = [pair for pair in pairs if not reached[pair[0]] & reached[pair[1]]]
            if not pairs:
                break
            found = pairs[0]
            if self._is_steady and tuple(reached) in known:
                break  # as often as one likes
            known.add(tuple(reached))
        return found

    def tells(self, pairs: Collection[ValuePair], depth: int) -> bool:
        """Return whether the values of one of some pairs have none in common for `depth` releases."""
        return self.longest is not None and self.longest in pairs and self.steps(self.longest, depth) == depth

    def __len__(self) -> int:
        """Return how many releases there are."""
        return len(self._steps)

    def counted(self, pair: ValuePair, depth: int) -> int | None:
        """Return of how many of the nearest releases the greatest ratio over `depth` of them is the product of e^ε.

        Exact; None where it is not such a product, or not seen to be.
        """
        releases, nothing_beyond = self._followed(pair, depth)
        return min(releases, depth) if nothing_beyond is not False or depth <= releases else None

    def steps(self, pair: ValuePair, depth: int) -> int:
        """Return for how many of the `depth` nearest releases the values led from have none in common. Exact."""
        return min(self._followed(pair, depth)[0], depth)

    def _followed(self, pair: ValuePair, depth: int) -> tuple[int, bool | None]:
        """Return for how many releases values have none in common, and then whether nothing counts beyond, if known."""
        reached, ended = self._known.get(pair, ([(1 << pair[0], 1 << pair[1])], None))
        while ended is None and len(reached) <= depth:
            step, (one, other) = self._steps[len(reached) - 1], reached[-1]
            if self._is_steady and reached[-1] in reached[:-1]:
                return len(self._steps), None  # as often as one likes
            if step.is_one_row(one | other):
                ended = True
            else:
                after = step.before(one), step.before(other)
                reached, ended = (reached, False) if after[0] & after[1] else ([*reached, after], None)
        self._known[pair] = reached, ended
        return len(reached) - 1, ended


class RowSupport:
    """Which entries of a matrix are above 0, a bit for each column, and which rows are equal."""

    def __init__(self, rows: Sequence[Row]) -> None:
        known: dict[Row, int] = {}
        self.masks = [sum(1 << place for place, p in enumerate(row) if p) for row in rows]
        self._equal = [known.setdefault(row, number) for number, row in enumerate(rows)]

    def before(self, values: int) -> int:
        """Return the values that some values lead from."""
        return reduce(or_, (self.masks[value] for value in _values(values)))

    def is_one_row(self, values: int) -> bool:
        """Return whether the rows of some values are equal."""
        return len({self._equal[value] for value in _values(values)}) == 1


def _values(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
