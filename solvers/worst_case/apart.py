"""Pairs of values that are told apart for certain, and then no more: their ratio is a product of whole e^ε, exactly.

As long as the values that j and k led from have none in common, the worst sets are those of j, and each release counts
with all of its budget. Once all of these values have come from one distribution, nothing farther counts at all.
Elsewhere a ratio is computed; where it is such a product no number of digits could tell it from one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...reference.correlations import Row
from ...reference.worst_case.sweep import ValuePair


@dataclass(slots=True)
class _Reached:
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
        self._known: dict[ValuePair, _Reached] = {}

    def __len__(self) -> int:
        """Return how many releases there are."""
        return len(self._steps)

    def counted(self, pair: ValuePair, depth: int) -> int | None:
        """Return of how many of the nearest releases the greatest ratio over `depth` of them is the product of e^ε.

        Exact; None where it is not such a product, or not seen to be.
        """
        known = self._followed(pair, depth)
        return min(known.releases, depth) if known.ended is not False or depth <= known.releases else None

    def steps(self, pair: ValuePair, depth: int) -> int:
        """Return for how many of the `depth` nearest releases the values led from have none in common. Exact."""
        return min(self._followed(pair, depth).releases, depth)

    def _followed(self, pair: ValuePair, depth: int) -> _Reached:
        known = self._known.setdefault(pair, _Reached((1 << pair[0], 1 << pair[1])))
        while known.ended is None and known.releases < depth:
            self._advance(known)
        return known

    def _advance(self, known: _Reached) -> None:
        if self._is_steady and known.values in known.before:  # as often as one likes
            known.releases = len(self._steps)
            return
        known.before.add(known.values)
        step = self._steps[known.releases]
        if id(step) not in self._leads:
            self._leads[id(step)] = [sum(1 << b for b, p in enumerate(row) if p) for row in step]
        one, other = known.values
        if len({row for value, row in enumerate(step) if (one | other) >> value & 1}) == 1:
            known.ended = True
            return
        after = [0, 0]
        for value, leads in enumerate(self._leads[id(step)]):
            after = [own | leads * (before >> value & 1) for own, before in zip(after, known.values, strict=True)]
        if after[0] & after[1]:
            known.ended = False
        else:
            known.values, known.releases = (after[0], after[1]), known.releases + 1
