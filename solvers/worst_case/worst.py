"""The worst of the tight TPL over all times of a stream, and when, without TPL at most of them.

With one budget throughout and one matrix a side, the B and F of a pair do not fall where a release is added. So TPL is
at most ε + max log(B_b·F_a) at all times between a and b. Times are halved as long as such a bound is above what is
attained. Where budgets differ, sweeps for many times at once bound TPL at each: it is worked out only at those whose
bound is not below what is attained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import inf

import numpy as np

from ...reference.correlations import TransitionMatrix
from ...reference.levels import Level
from ...reference.stepwise import Correlation
from ..floats import Doubles
from .doubles import Indices, RowDifferences, row_kinds
from .pair_bounds import ratio_above
from .pairs import TightStream, greatest
from .pasts import Pasts

MOST_BOUNDED = 50
"""Of more values bounds of all pairs at all times are not worked out first."""

TIMES_AT_ONCE = 1 << 5
"""Bounds are worked out of so many times at once."""

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
    epsilons: Sequence[Level],
    backward: Correlation | None = None,
    forward: Correlation | None = None,
    stream: TightStream | None = None,
    above: Sequence[float] | None = None,
) -> WorstTpl:
    """Return the worst TPL over all times and all mechanisms with these budgets: the greatest of `tight_leakage`'s.

    Args: epsilons, finite; stream, theirs, where there is one already; above, upper bounds of e^TPL at each time, if
    any are known; else as `tight_leakage`. Raises: as it does; InvalidLevel where TPL is infinite.
    """
    stream = TightStream(epsilons, backward, forward) if stream is None else stream
    end = len(epsilons) - 1
    if stream.is_steady:
        left = [_Times.of(stream, 0, end)]  # the deepest sides first: what is found of them serves the others
        best = _Times.of(stream, end // 2, end // 2)
    else:
        left = _highest(stream, _Bounds(epsilons, backward, forward), above)
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


def _highest(stream: TightStream, bounds: _Bounds, above: Sequence[float] | None) -> list[_Times]:
    """Return the times, in order, at which TPL may be the greatest, and others. Args: above, of e^TPL at each time."""
    rough = np.full(bounds.releases, inf) if above is None else np.array(above)
    order = np.argsort(-rough, kind="stable")
    found: list[_Times] = []
    least, first = Fraction(0), 0
    while first < len(order) and not _is_below(rough[order[first]], least):
        times = np.sort(order[first : first + TIMES_AT_ONCE])
        first += len(times)
        own = np.minimum(rough[times], bounds.above(times))
        for time, bound in sorted(zip(times.tolist(), own.tolist(), strict=True), key=lambda each: -each[1]):
            if found and _is_below(bound, least):
                break
            found.append(_Times.of(stream, time, time))
            least = max(least, found[-1].lower)
    return sorted(found, key=lambda own: own.first)


def _is_below(ratio: float, excess: Fraction) -> bool:
    return ratio < inf and Fraction(ratio) - 1 < excess


class _Bounds:
    """Upper bounds of e^TPL at some times of a stream; ∞ where matrices change, or are of very many values."""

    def __init__(self, epsilons: Sequence[Level], backward: Correlation | None, forward: Correlation | None) -> None:
        self.releases = len(epsilons)
        matrices = [own for own in (backward, forward) if isinstance(own, TransitionMatrix)]
        steps_change = any(own is not None and not isinstance(own, TransitionMatrix) for own in (backward, forward))
        self._is_none = steps_change or not matrices or matrices[0].n > MOST_BOUNDED
        if self._is_none:
            return
        each = {id(epsilon): ratio_above(epsilon) for epsilon in {id(own): own for own in epsilons}.values()}
        self._ratios = np.array([each[id(epsilon)] for epsilon in epsilons])
        pairs = np.array(list(permutations(range(matrices[0].n), 2)), dtype=np.int64).reshape(-1, 2)
        self._past = _side(backward, self._ratios, pairs)
        self._future = _side(forward, self._ratios[::-1], pairs)

    def above(self, times: Indices) -> Doubles:
        """Return the bounds at these times, which count from 0 and ascend."""
        if self._is_none:
            return np.full(len(times), inf)
        with np.errstate(over="ignore"):
            both = self._past(times) * self._future(self.releases - 1 - times[::-1])[::-1]
            found: Doubles = both.max(axis=1, initial=1.0) * self._ratios[times] * (1 + 1e-14)
        return found


def _side(correlation: Correlation | None, ratios: Doubles, pairs: Indices) -> Callable[[Indices], Doubles]:
    """Return upper bounds of B of each pair, a column, at each time, a row."""
    if not isinstance(correlation, TransitionMatrix):
        return lambda times: np.ones((len(times), len(pairs)))
    kinds = np.array(row_kinds(correlation.rows))
    telling = kinds[pairs[:, 0]] != kinds[pairs[:, 1]]
    pasts = Pasts(ratios, RowDifferences(correlation.rows), pairs[telling])

    def above(times: Indices) -> Doubles:
        found: Doubles = np.ones((len(times), len(pairs)))
        found[:, telling] += pasts.excesses(times) * (1 + 1e-14) + 1e-15
        return found

    return above
