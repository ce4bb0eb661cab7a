"""The worst of the tight TPL over all times of a stream, and when, without TPL at most of them.

With one budget throughout and one matrix a side, the B and F of a pair do not fall where a release is added. So TPL is
at most ε + max log(B_b·F_a) at all times between a and b. Times are halved as long as such a bound is above what is
attained. Where budgets differ, one sweep for all times bounds TPL at each: it is worked out only at those whose bound
is not below what is attained.
"""

from __future__ import annotations

from collections.abc import Sequence
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

TIMES_AT_ONCE = 1 << 8
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
        left = _highest(stream, _ratios_above(epsilons, backward, forward))
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


def _highest(stream: TightStream, bounds: Sequence[float]) -> list[_Times]:
    """Return the times, in order, at which TPL may be the greatest, and others. Args: bounds, of e^TPL at each time."""
    found: list[_Times] = []
    least = Fraction(0)
    for time in sorted(range(len(bounds)), key=bounds.__getitem__, reverse=True):
        if found and bounds[time] < inf and Fraction(bounds[time]) - 1 < least:
            break
        found.append(_Times.of(stream, time, time))
        least = max(least, found[-1].lower)
    return sorted(found, key=lambda own: own.first)


def _ratios_above(
    epsilons: Sequence[Level], backward: Correlation | None, forward: Correlation | None
) -> Sequence[float]:
    """Return an upper bound of e^TPL at each time; ∞ where matrices change, or are of very many values."""
    matrices = [own for own in (backward, forward) if isinstance(own, TransitionMatrix)]
    steps_change = any(own is not None and not isinstance(own, TransitionMatrix) for own in (backward, forward))
    if steps_change or not matrices or matrices[0].n > MOST_BOUNDED:
        return [inf] * len(epsilons)
    each = {id(epsilon): ratio_above(epsilon) for epsilon in {id(own): own for own in epsilons}.values()}
    ratios = np.array([each[id(epsilon)] for epsilon in epsilons])
    pairs = np.array(list(permutations(range(matrices[0].n), 2)), dtype=np.int64).reshape(-1, 2)
    found: list[float] = []
    with np.errstate(over="ignore"):
        for first in range(0, len(epsilons), TIMES_AT_ONCE):
            times = range(first, min(first + TIMES_AT_ONCE, len(epsilons)))
            both = np.ones((len(times), len(pairs)))
            if isinstance(backward, TransitionMatrix):
                both *= _sides_above(backward, ratios, pairs, times)
            if isinstance(forward, TransitionMatrix):
                mirrored = range(len(epsilons) - times.stop, len(epsilons) - times.start)
                both *= _sides_above(forward, ratios[::-1], pairs, mirrored)[::-1]
            found += (both.max(axis=1, initial=1.0) * ratios[times.start : times.stop] * (1 + 1e-14)).tolist()
    return found


def _sides_above(matrix: TransitionMatrix, ratios: Doubles, pairs: Indices, times: range) -> Doubles:
    """Return upper bounds of B of each pair, a column, at each time, a row."""
    rows = RowDifferences(matrix.rows)
    kinds = np.array(row_kinds(matrix.rows))
    telling = kinds[pairs[:, 0]] != kinds[pairs[:, 1]]
    found: Doubles = np.ones((len(times), len(pairs)))
    found[:, telling] += Pasts(ratios, rows, pairs[telling]).excesses(times) * (1 + 1e-14) + 1e-15
    return found
