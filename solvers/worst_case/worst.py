"""The worst of the worst-case TPL over all times of a stream, and when, without TPL at most of them.

With one budget throughout and one matrix a side, the B and F of a pair do not fall where a release is added. So TPL is
at most ε + max log(B_b·F_a) at all times between a and b. Times are halved as long as such a bound is above what is
attained. Where budgets and matrices recur, that holds of times whole periods apart. Where they do not, sweeps for many
times at once bound TPL at each: it is worked out only at those whose bound is not below what is attained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import inf

import numpy as np

from ...reference.correlations import TransitionMatrix
from ...reference.errors import Undecided
from ...reference.levels import Level
from ...reference.stepwise import Correlation
from ..floats import Doubles
from .contest import BoundedCourse, Contest
from .guess import GUESSED, NEAREST, Indices, ReleasesInDoubles, RowDifferences, growth_of
from .pairs import WorstCaseStream, greatest

MOST_BOUNDED = 50
"""Most values for which bounds of all pairs at all times are computed first."""

MOST_EFFORT = 1 << 22
"""Most products for bounds: times, multiplied by what a release takes at one."""

MOST_WORKED_OUT = 3
"""Most times not excluded by bounds at which TPL is computed; beyond these the bounds are taken, to nine digits."""

MOST_PHASES, LEAST_PERIODS = 31, 4
"""Longest period, and least number of periods, of budgets that are taken by phases."""

TIMES_AT_ONCE = 1 << 5
"""Times whose bounds are computed at once; twice as many the next time."""

EQUAL_BITS = 96
"""Bits to which excesses are enclosed, at least; levels whose enclosures meet count as equal."""


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
    """The times from first to last in steps of `apart`, with TPL, if they are one, or an upper bound of it.

    lower and upper: of its excess.
    """

    first: int
    last: int
    apart: int
    level: Level
    lower: Fraction
    upper: Fraction

    @classmethod
    def of(cls, stream: WorstCaseStream, first: int, last: int, apart: int = 1) -> _Times:
        level = stream.tpl(first, last)
        return cls(first, last, apart, level, *level.excess_bounds(EQUAL_BITS))

    @property
    def are_one(self) -> bool:
        return self.first == self.last

    def halves(self, stream: WorstCaseStream) -> tuple[_Times, _Times]:
        middle = self.first + (self.last - self.first) // self.apart // 2 * self.apart
        return (
            _Times.of(stream, self.first, middle, self.apart),
            _Times.of(stream, middle + self.apart, self.last, self.apart),
        )


def greatest_worst_case_tpl(
    epsilons: Sequence[Level],
    backward: Correlation | None = None,
    forward: Correlation | None = None,
    stream: WorstCaseStream | None = None,
    above: Sequence[float] | None = None,
) -> WorstTpl:
    """Return the worst TPL over all times and all mechanisms: the greatest of `worst_case_leakage`.

    Args: epsilons, finite; stream, theirs, where there is one already; above, upper bounds of e^TPL at each time, if
    any are known: what is returned is then closer to the worst than a part 10^−9 only; else as `worst_case_leakage`.
    Raises: as it does; InvalidLevel where TPL is infinite; Undecided where `above` leaves too many times to be looked
    at.
    """
    stream = WorstCaseStream(epsilons, backward, forward) if stream is None else stream
    end = len(epsilons) - 1
    period = stream.period
    if period == 1 or (period <= MOST_PHASES and period * LEAST_PERIODS <= len(epsilons)):
        # The deepest sides first: what is found of them serves the others.
        left = [_Times.of(stream, phase, end - (end - phase) % period, period) for phase in range(period)]
        middles = (phase + (end - phase) // period // 2 * period for phase in range(period))
        best = max((_Times.of(stream, time, time) for time in middles), key=_lower)
    else:
        left = _highest(stream, _Bounds(epsilons, backward, forward), above)
        best = max(left, key=_lower)
    while True:
        left = [own for own in left if own.upper >= best.lower]
        wide = [own for own in left if not own.are_one and (own is left[0] or own.lower > best.upper)]
        if not wide:
            break
        halved = max(wide, key=lambda own: own.upper)
        halves = halved.halves(stream)
        left = sorted([*(own for own in left if own is not halved), *halves], key=lambda own: own.first)
        best = max([best, *(own for own in halves if own.are_one)], key=_lower)
    return WorstTpl(best.level, greatest([own.level for own in left]), left[0].first + 1)


def _lower(times: _Times) -> Fraction:
    return times.lower


def _highest(stream: WorstCaseStream, bounds: _Bounds, above: Sequence[float] | None) -> list[_Times]:
    """Return the times, in order, at which TPL may be the greatest, and others. Args: above, of e^TPL at each time."""
    rough = np.full(bounds.releases, inf) if above is None else np.array(above)
    order = np.argsort(-rough, kind="stable")
    found: list[_Times] = []
    alike: list[tuple[int, float]] = []
    least, first, at_once = Fraction(0), 0, TIMES_AT_ONCE
    if above is not None:
        found.append(_Times.of(stream, int(order[0]), int(order[0])))
        least = found[0].lower
        doubtful = sum(not _is_below(bound, least) for bound in above)
        if doubtful * bounds.effort > MOST_EFFORT:
            raise Undecided(f"the greatest TPL may be at {doubtful} of the times, of which bounds would take too long")
    while first < len(order) and not _is_below(rough[order[first]], least):
        times = np.sort(order[first : first + at_once])
        first, at_once = first + at_once, 2 * at_once
        own, known = np.minimum(rough[times], bounds.above(times)), {own.first for own in found}
        for time, bound in sorted(zip(times.tolist(), own.tolist(), strict=True), key=lambda each: -each[1]):
            if found and _is_below(bound, least):
                break
            if time in known:
                continue
            if above is not None and bound < inf:
                alike.append((time, bound))
                continue
            found.append(_Times.of(stream, time, time))
            least = max(least, found[-1].lower)
    # The highest bounds of all go first, so that what is attained is next to that of the rest.
    alike.sort(key=lambda each: -each[1])
    for time, _ in alike[:MOST_WORKED_OUT]:
        found.append(_Times.of(stream, time, time))
        least = max(least, found[-1].lower)
    rest = [(time, bound) for time, bound in alike[MOST_WORKED_OUT:] if not _is_below(bound, least)]
    if rest:
        bound, time = Fraction(rest[0][1]), min(rest)[0]
        found.append(_Times(time, time, 1, Level.of_ratio(bound), Fraction(0), bound - 1))
    return sorted(found, key=lambda own: own.first)


def _is_below(ratio: float, excess: Fraction) -> bool:
    return ratio < inf and Fraction(ratio) - 1 < excess


class _Bounds:
    """Upper bounds of e^TPL at some times of a stream; ∞ where matrices change, or are of very many values."""

    def __init__(self, epsilons: Sequence[Level], backward: Correlation | None, forward: Correlation | None) -> None:
        self.releases, self.effort = len(epsilons), 0
        """How many products a release takes at one time."""
        matrices = [own for own in (backward, forward) if isinstance(own, TransitionMatrix)]
        steps_change = any(own is not None and not isinstance(own, TransitionMatrix) for own in (backward, forward))
        self._is_none = steps_change or not matrices or matrices[0].n > MOST_BOUNDED
        if self._is_none:
            return
        each = {id(epsilon): growth_of(epsilon) for epsilon in {id(own): own for own in epsilons}.values()}
        self._growth = np.array([each[id(epsilon)] for epsilon in epsilons])
        pairs = np.array(list(permutations(range(matrices[0].n), 2)), dtype=np.int64).reshape(-1, 2)
        self.effort = len(pairs) * matrices[0].n ** 2
        self._pairs = pairs
        known = {own: RowDifferences(own.rows) for own in matrices}
        self._rows = [known[own] if isinstance(own, TransitionMatrix) else None for own in (backward, forward)]

    def above(self, times: Indices) -> Doubles:
        """Return the bounds at these times, which count from 0."""
        if self._is_none:
            return np.full(len(times), inf)
        asked = []
        for t in times.tolist():
            own = zip(self._rows, (self._growth[:t][::-1], self._growth[t + 1 :]), strict=True)
            sides = [
                BoundedCourse(ReleasesInDoubles(rows, growth[:NEAREST]), is_endless=len(growth) > NEAREST)
                for rows, growth in own
                if rows is not None and len(growth)
            ]
            asked.append([(side, len(side.releases)) for side in sides])
        with np.errstate(over="ignore"):
            found: Doubles = (
                (1 + Contest(asked, self._pairs, is_closed=True).highest()) * (1 + self._growth[times]) * (1 + GUESSED)
            )
        return found
