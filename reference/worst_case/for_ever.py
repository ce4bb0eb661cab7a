"""The sweep over an infinite horizon: a pair's greatest ratio, with one matrix and one budget, enclosed in balls.

From below, randomized response about the sets of a sweep is a mechanism, and so it is where the farthest of these sets
recur: once a sweep shrinks by one factor they do. From above, the sweep of a λ a little greater comes below a barrier
(`barriers`), or has no positive entry left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from operator import itemgetter

from flint import arb, arb_mat, ctx

from ..errors import Undecided
from ..formulas import ball_of, dyadic
from .balls import UNKNOWN, SideBalls, a_little_above, column, rises, upper
from .barriers import Barrier, Course, SteadyReleases
from .sweep import OneSide, ValuePair

LONGEST_SWEEP = 1 << 16
"""How many releases are looked at for a supremum over all horizons."""

TIMES_AS_LONG = 32
"""Beside the supremum a sweep first goes on for this many times the releases of the course there, and of as many more:
one that is tried too near to it would take all, and the next hardly any."""

LONGEST_COARSE_SWEEP = 1 << 12
"""How many, where the sets are sought that recur."""

WANTED = 16
"""Bits to which all entries of a sweep must shrink alike before recurring sets are sought."""

SLOW = 256
"""Part of a turn of many releases by which the one before may differ from it."""

BARRIERS_KNOWN = 4
"""Most barriers that are known: those of the transient values, and those of the first pairs and of the last."""


@dataclass(frozen=True, eq=False)
class Limit:
    """What a pair's ratio for ever, less 1, is seen to approach, and the course of the sweep there.

    is_last: whether no closer look is taken.
    """

    attained: arb
    course: Course
    is_last: bool


class EndlessBalls(SideBalls):
    """One side of a time on which the releases go on without end, over balls of the working precision."""

    def __init__(self, side: OneSide, excesses: Sequence[arb]) -> None:
        """Take the side, which is for ever, and a ball of e^ε − 1 of its one budget."""
        super().__init__(side, excesses)
        self.releases = SteadyReleases(self.nearest, self.ratio(0), side.phases)
        of_transient = [Barrier.of_transient(self.releases, phase) for phase in range(side.phases)]
        self._barriers = [barrier for barrier in of_transient if barrier is not None]
        self._most_kept = max(BARRIERS_KNOWN - 1, side.phases)

    def step(self, _release: int) -> tuple[arb_mat, arb_mat]:
        """Return the matrix from a release to the next farther one, and its transpose."""
        return self.releases.matrix, self.releases.transposed

    def ratio(self, _release: int) -> arb:
        """Return e^ε of a release."""
        return self._ratios[0]

    def excess(self, pair: ValuePair, start: Fraction = UNKNOWN) -> tuple[arb, arb]:
        """Return a lower and an upper bound of the supremum of a pair's ratio, less 1; the upper one may be ∞.

        Args: start, about the result, where that is known. Raises: Undecided where even `LONGEST_SWEEP` releases do
        not come near it.
        """
        seen: list[bool | None] = []
        for found in self.limits(pair, start):
            barrier = Barrier.in_direction(self.releases, found.course, ctx.prec)
            if barrier is not None:
                self._barriers = [*self._barriers[: self._most_kept], barrier]
            elif not found.is_last:
                continue
            likely = min(TIMES_AS_LONG * (TIMES_AS_LONG + len(found.course.sets)), LONGEST_SWEEP)
            lengths = {likely} if self._barriers else set()
            for most in sorted(lengths | {LONGEST_SWEEP} if found.is_last else lengths):
                for tried in a_little_above(found.attained.upper()):
                    seen.append(self._ends(pair, tried, most))
                    if seen[-1]:
                        return found.attained.lower(), tried
        if None in seen or not found.course.is_over:
            known = int(dyadic((1 + found.attained).lower()) * 1000)
            raise Undecided(
                f"the supremum is not approached within {LONGEST_SWEEP} releases: the odds of values {pair[0] + 1} "
                f"and {pair[1] + 1} are known to move by a factor of {known // 1000}.{known % 1000:03} or more"
            )
        return found.attained.lower(), arb.pos_inf()

    def is_at_most(self, pair: ValuePair, excess: arb) -> bool:
        """Whether W(λ) ≤ 0 is certain at all horizons for λ − 1 = excess. Never wrongly so."""
        return self._ends(pair, excess, LONGEST_COARSE_SWEEP) is True

    def _ends(self, pair: ValuePair, excess: arb, longest: int = LONGEST_SWEEP) -> bool | None:
        """Return whether a sweep is seen to end below 0; None where it goes on for too long."""
        if self.releases.transient and not self._barriers:
            return False
        c = upper(self.first(pair, excess))
        for _ in range(longest):
            if all(value <= 0 for value in c) or any(barrier.stops(c) for barrier in self._barriers):
                return True
            if sum(c, arb(0)) > 0:  # P^T keeps sums, and Φ lowers none
                return False
            c = self.releases.above(c, 1)
        return None

    def limits(self, pair: ValuePair, start: Fraction = UNKNOWN) -> Iterator[Limit]:
        """Yield what a pair's ratio is seen to approach: what some sets attain of which the farthest recur.

        Then again, by a course on which they are seen to recur to more bits, unless the first one comes to its end.
        """
        attained, at = arb(0), ball_of(start).mid()
        for wanted in (WANTED, 3 * ctx.prec // 4):
            while True:
                course = self.course(pair, at, wanted)
                recurring = [self.releases.recurring(course.sets[-turn:]) for turn in self._turns(course)]
                beyond = max(recurring, key=course.gain, default=[arb(1)] * self.n)
                better = self.attained(pair, course.sets, (self.releases.matrix * column(beyond)).entries())
                if not rises(attained, better):
                    break
                attained, at = better, better.mid()
            is_last = wanted > WANTED or (course.is_over and not course.period)
            yield Limit(attained, course, is_last)
            if is_last:
                return

    def _turns(self, course: Course) -> Iterator[int]:
        """Yield how many of the last sets of a course may recur: none where it has come to its end."""
        if course.period or course.is_over:
            yield from [course.period] * bool(course.period)
            return
        yield from (turn for turn in self.releases.periods if turn <= len(course.sets))
        # Those of the last change of sets that comes again after as many releases as before, nearly.
        places: dict[tuple[tuple[bool, ...], ...], list[int]] = {}
        for at, change in enumerate(pairwise(map(tuple, course.sets)), 1):
            if change[0] != change[1]:
                places.setdefault(change, []).append(at)
        each = [three for own in places.values() for three in zip(own, own[1:], own[2:], strict=False)]
        for first, second, third in sorted(each, key=itemgetter(2), reverse=True):
            turn = third - second
            if (
                turn > self.releases.periods[-1]
                and abs(first - 2 * second + third) * SLOW <= turn
                and turn % self.releases.phases == 0
            ):
                yield turn
                return

    def course(self, pair: ValuePair, excess: arb, wanted: int) -> Course:
        """Return the course of a pair's sweep for λ − 1 = excess; wanted, as of it."""
        longest = LONGEST_COARSE_SWEEP if wanted == WANTED else LONGEST_SWEEP
        second = [ball_of(q) for q in self.nearest[pair[1]]]
        return Course(self.releases, self.first(pair, arb(0)), second, excess, (wanted, longest))
