"""The worst of the tight TPL over all times of a stream, and when, without TPL at most of them.

With one budget throughout and one matrix a side, the B and F of a pair do not fall where a release is added. So TPL is
at most ε + max log(B_b·F_a) at all times between a and b. Times are halved as long as such a bound is above what is
attained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...reference.levels import Level
from ...reference.stepwise import Correlation
from .pairs import TightStream, greatest

EQUAL_BITS = 96
"""Excesses are enclosed to so many bits at least; levels whose enclosures meet count as equal."""


@dataclass(frozen=True, slots=True)
class WorstTpl:
    """The greatest TPL over all times: at least `attained`, at most `bound`, which are one level where it is decided.

    Their excesses e^α − 1 differ by less than the part 2^−94. time: the first, from 1, at which it may be attained.
    """

    attained: Level
    bound: Level
    time: int


@dataclass(frozen=True, slots=True)
class _Times:
    """The times from first to last, with TPL, if they are one, or an upper bound of it; lower and upper its excess."""

    first: int
    last: int
    level: Level
    lower: Fraction
    upper: Fraction

    @classmethod
    def of(cls, stream: TightStream, first: int, last: int) -> _Times:
        level = stream.tpl(first, last)
        return cls(first, last, level, *level.excess_bounds(EQUAL_BITS))

    @property
    def are_one(self) -> bool:
        return self.first == self.last


def worst_tight_tpl(
    epsilons: Sequence[Level], backward: Correlation | None = None, forward: Correlation | None = None
) -> WorstTpl:
    """Return the worst TPL over all times and all mechanisms with these budgets: the greatest of `tight_leakage`'s.

    Args: epsilons, finite; else as `tight_leakage`. Raises: as it does; InvalidLevel where TPL is infinite.
    """
    stream = TightStream(epsilons, backward, forward)
    end = len(epsilons) - 1
    if stream.is_steady:
        left = [_Times.of(stream, 0, end)]  # the deepest sides first: what is found of them serves the others
        best = _Times.of(stream, end // 2, end // 2)
    else:
        left = [_Times.of(stream, t, t) for t in range(end + 1)]
        best = max(left, key=lambda own: own.lower)
    while True:
        left = [own for own in left if own.upper >= best.lower]
        wide = [own for own in left if not own.are_one and (own is left[0] or own.lower > best.upper)]
        if not wide:
            break
        halved = max(wide, key=lambda own: own.upper)
        middle = (halved.first + halved.last) // 2
        halves = _Times.of(stream, halved.first, middle), _Times.of(stream, middle + 1, halved.last)
        at = left.index(halved)
        left[at : at + 1] = halves
        best = max([best, *(own for own in halves if own.are_one)], key=lambda own: own.lower)
    return WorstTpl(best.level, greatest([own.level for own in left]), left[0].first + 1)
