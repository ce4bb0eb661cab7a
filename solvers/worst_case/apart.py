"""Pairs of values that are told apart for certain, and then no more: their ratio is a product of whole e^ε, exactly.

As long as the values that j and k led from have none in common, the worst sets are those of j, and each release counts
with all of its budget. Once all of these values have come from one distribution, nothing farther counts at all.
Elsewhere a ratio is computed; where it is such a product no number of digits could tell it from one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import combinations

from ...reference.correlations import Row
from ...reference.worst_case.sweep import ValuePair

Reached = tuple[frozenset[int], frozenset[int]]
"""The values that each of a pair has led from."""


class Apart:
    """The pairs of a sequence of releases, the nearest first."""

    def __init__(self, steps: Sequence[Sequence[Row]]) -> None:
        """Take the rows of the matrix that leads to each release."""
        self._steps = steps
        self._is_steady = len({id(step) for step in steps}) == 1
        self._known: dict[ValuePair, tuple[list[Reached], bool | None]] = {}

    @cached_property
    def longest(self) -> ValuePair | None:
        """The pair whose values have none in common for the most releases, if one has for the nearest."""
        masks = [sum(1 << place for place, p in enumerate(row) if p) for row in self._steps[0]] if self._steps else []
        found, most = None, 0
        for pair in combinations(range(len(masks)), 2):
            if masks[pair[0]] & masks[pair[1]] == 0 and (releases := self.steps(pair, len(self))) > most:
                found, most = pair, releases
                if most == len(self):
                    break
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
        reached, ended = self._known.get(pair, ([(frozenset(pair[:1]), frozenset(pair[1:]))], None))
        while ended is None and len(reached) <= depth:
            step, (one, other) = self._steps[len(reached) - 1], reached[-1]
            if self._is_steady and reached[-1] in reached[:-1]:
                return len(self._steps), None  # as often as one likes
            if len({step[value] for value in one | other}) == 1:
                ended = True
            else:
                after = [frozenset(b for a in own for b, p in enumerate(step[a]) if p) for own in (one, other)]
                reached, ended = (reached, False) if after[0] & after[1] else ([*reached, (after[0], after[1])], None)
        self._known[pair] = reached, ended
        return len(reached) - 1, ended
