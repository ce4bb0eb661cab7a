"""The exact worst case at all times of a stream, fast: doubles guess which pairs of values rule, and those are decided.

As `reference.worst_case`, whose levels these are: exact, or enclosed to any precision. For a sequence of releases (all
that lie before, or after, a time, with one budget and one matrix throughout) everything is found once for all depths.
Where sets are in doubt, and where a budget is infinite, the reference's own formula stands for the pairs left over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, permutations
from math import lcm

import numpy as np
from flint import arb

from ...reference.correlations import Row, TransitionMatrix
from ...reference.errors import Undecided
from ...reference.formulas import ANY_SIZE
from ...reference.levels import ZERO, Level
from ...reference.paper.composition import total
from ...reference.paper.leakage import Leakage
from ...reference.stepwise import Correlation, KnownCorrelation, Stepwise, matrices_in
from ...reference.surds import Exact, sign
from ...reference.worst_case.leakage import (
    NO_SIDE,
    Budgeted,
    KnownRatios,
    Starts,
    Stretch,
    added,
    side_of,
    worst_case_supremum,
)
from ...reference.worst_case.periods import periodic_worst_case_supremum
from ...reference.worst_case.sweep import ValuePair
from .apart import Apart
from .contest import Contest
from .courses import KnownCourses, RatioCourse
from .guess import LARGEST_TABLE, Indices
from .pair_limits import PairLimits
from .symmetry import Hashes, forms


@dataclass(frozen=True)
class Greatest:
    """The greatest of some excesses: a `formulas.Formula`."""

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return a ball that contains the result."""
        greatest = parts[0]
        for part in parts[1:]:
            greatest = greatest.max(part)
        return greatest

    def exact(self, parts: Sequence[Exact], _most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result."""
        greatest = parts[0]
        for part in parts[1:]:
            greatest = part if sign(part - greatest) > 0 else greatest
        return greatest


def greatest(levels: Sequence[Level]) -> Level:
    """Return the greatest of some finite levels, 0 of none: a formula of those that differ, which compares nothing."""
    different = list({level.exact_text or id(level): level for level in levels}.values())
    return different[0] if len(different) == 1 else Level.of_formula(Greatest(), different) if different else ZERO


@dataclass(frozen=True, eq=False)
class _Near:
    """One side of a time: the nearest releases of a sequence, or none where a release reveals the value."""

    side: Budgeted
    course: RatioCourse | None
    depth: int


class _Side:
    """The releases on one side of the times of a stream. Sides that differ by whole periods begin alike."""

    def __init__(self, steps: Sequence[Sequence[Row]] | None, epsilons: Sequence[Level], known: KnownCourses) -> None:
        """Take the releases in the order in which they come nearer, and the rows that lead from each."""
        self._known, self._epsilons = known, [known.budget(epsilon) for epsilon in epsilons]
        self._steps = None if steps is None else [known.rows(step) for step in steps]
        own = self._steps or []
        self.period = _period([(id(step), id(level)) for step, level in zip(own, self._epsilons, strict=False)])
        if any(level.is_infinite for level in self._epsilons):
            self.period = max(len(own), 1)
        self._telling = [0, *accumulate(int(not level.is_zero) for level in self._epsilons)]
        self._near: dict[int, _Near | None] = {}

    def near(self, depth: int) -> _Near | None:
        """Return the side of the `depth` nearest releases; None where it tells nothing."""
        if self._steps is None or not self._telling[depth]:
            return None
        phase = depth % self.period
        deepest = depth + (len(self._steps) - depth) // self.period * self.period
        key = phase if self.period < len(self._steps) else depth
        if key not in self._near:
            deepest = deepest if self.period < len(self._steps) else depth
            side = side_of(self._steps[:deepest], self._epsilons[:deepest])
            if side[0] is None:
                self._near[key] = None
            elif side[0].reveals:
                self._near[key] = _Near(side, None, 0)
            else:
                self._near[key] = _Near(NO_SIDE, self._known.course(side, recurs=self.period < len(self._steps)), 0)
        whole = self._near[key]
        if whole is None or whole.course is None:
            return whole
        return _Near(NO_SIDE, whole.course, self._telling[depth])


def _period(keys: Sequence[object]) -> int:
    """Return the least number of places after which what is given comes again; all of them where it does not."""
    same = [0] * len(keys)  # the length of the longest proper end of keys[: i + 1] that is a beginning of keys too
    for i in range(1, len(keys)):
        length = same[i - 1]
        while length and keys[i] != keys[length]:
            length = same[length - 1]
        same[i] = length + (keys[i] == keys[length])
    return max(len(keys) - same[-1], 1) if keys else 1


def fast_worst_case_leakage(
    epsilons: Sequence[Level],
    backward: Correlation | None = None,
    forward: Correlation | None = None,
    possible: Sequence[Collection[int]] | None = None,
) -> Leakage:
    """Return the worst BPL, FPL and TPL at each time over all mechanisms, as `worst_case_leakage`."""
    return WorstCaseHistory(backward, forward, possible).leakage(epsilons)


def fast_worst_case_tpl(
    epsilons: Sequence[Level],
    backward: Correlation | None,
    forward: Correlation | None,
    times: Sequence[int],
) -> tuple[Level, ...]:
    """Return the TPL of `fast_worst_case_leakage` at some times alone, which count from 0."""
    stream = WorstCaseStream(epsilons, backward, forward)
    return tuple(stream.levels([(t, t) for t in times]))


class WorstCaseHistory:
    """The worst BPL, FPL and TPL of a stream that goes on: what further releases leave as it is, is known already.

    That is all of the past: BPL, and the sets and ratios that TPL takes of it. FPL and TPL change at every time, by
    sweeps from each; with one budget throughout they are parts of one sequence, which then has one release more.
    """

    def __init__(
        self,
        backward: Correlation | None = None,
        forward: Correlation | None = None,
        possible: Sequence[Collection[int]] | None = None,
    ) -> None:
        """Take what `worst_case_leakage` takes; one matrix for all times where there are to be further releases."""
        self._matrices, self._possible, self._known = (backward, forward), possible, KnownCourses()

    def leakage(self, epsilons: Sequence[Level]) -> Leakage:
        """Return BPL, FPL and TPL at each time, as `worst_case_leakage`; the first budgets may be those of before."""
        times = range(len(epsilons))
        stream = WorstCaseStream(epsilons, *self._matrices, self._known, self._possible)
        asked = [*((t, None) for t in times), *((None, t) for t in times), *((t, t) for t in times)]
        found = stream.levels(asked)
        return Leakage(*(tuple(found[start * len(times) :][: len(times)]) for start in range(3)))

    def first_above(self, epsilons: Sequence[Level], cap: Level) -> int | None:
        """Return the first time, from 1, at which TPL is above a level; None where it never is.

        Where budgets recur few bounds of many times each tell; otherwise all TPL are worked out.
        Args: epsilons, as in `leakage`. Raises: as there.
        """
        stream = self.stream(epsilons)
        if cap.is_infinite:
            return None
        period = stream.period
        if self._possible is not None or period > len(epsilons) // 2:
            tpl = self.leakage(epsilons).tpl
            return next((time for time, level in enumerate(tpl, 1) if level > cap), None)
        last = len(epsilons) - 1
        found = (stream.first_above(cap, phase, last - (last - phase) % period) for phase in range(period))
        return min((1 + time for time in found if time is not None), default=None)

    def stream(self, epsilons: Sequence[Level], *, past: bool = True, future: bool = True) -> WorstCaseStream:
        """Return a stream of these budgets, of which the past or the future may be left out."""
        backward, forward = self._matrices
        return WorstCaseStream(epsilons, backward if past else None, forward if future else None, self._known)


class WorstCaseStream:
    """The worst TPL at single times, and bounds of it between two times; times count from 0."""

    def __init__(
        self,
        epsilons: Sequence[Level],
        backward: Correlation | None,
        forward: Correlation | None,
        known: KnownCourses | None = None,
        possible: Sequence[Collection[int]] | None = None,
    ) -> None:
        """Take what `worst_case_leakage` takes, with its errors; known, of other streams."""
        self._releases = Stretch(epsilons, backward, forward, possible)
        self._known = KnownCourses() if known is None else known
        ahead = self._releases.forward
        self._past = _Side(self._releases.backward, epsilons[:-1], self._known)
        self._future = _Side(None if ahead is None else ahead[::-1], epsilons[:0:-1], self._known)

    def first_above(self, cap: Level, first: int, last: int) -> int | None:
        """Return the first of some times, whole periods apart, at which TPL is above a level. Raises: Undecided."""
        left = [(first, last)]
        while left:
            first, last = left.pop()
            if first == last:
                if self.tpl(first, last) > cap:
                    return first
            elif not _is_within(self.tpl(first, last), cap):
                middle = first + (last - first) // self.period // 2 * self.period
                left += [(middle + self.period, last), (first, middle)]
        return None

    @cached_property
    def period(self) -> int:
        """After how many times budgets and matrices come again, all of them where they do not."""
        releases = self._releases
        budgets = _period([id(self._known.budget(epsilon)) for epsilon in releases.epsilons])
        sides = (side for side in (releases.backward, releases.forward) if side)
        return lcm(budgets, *(_period([id(self._known.rows(step)) for step in side]) for side in sides))

    def tpl(self, first: int, last: int) -> Level:
        """Return TPL at a time, last = first; or an *upper* bound of it at all times between, whole periods apart.

        One release more lowers no ratio, and the past is longest at the last of these times, the future at the first.
        """
        return self.levels([(last, first)])[0]

    def levels(self, asked: Sequence[tuple[int | None, int | None]]) -> list[Level]:
        """Return leakage for each of some pairs of times: of the past of one, and the future of the other, if any.

        The budget of the time itself is that of the second.
        """
        end = len(self._releases.epsilons) - 1
        sides: list[tuple[_Near, ...]] = []
        for before, after in asked:
            own = (
                None if before is None else self._past.near(before),
                None if after is None else self._future.near(end - after),
            )
            sides.append(tuple(near for near in own if near is not None))
        times = [before if after is None else after for before, after in asked]
        found: list[Level] = [ZERO] * len(asked)
        groups: dict[tuple[int, ...], list[int]] = {}
        for place, t in enumerate(times):
            assert t is not None
            groups.setdefault(tuple(self._releases.values(t)), []).append(place)
        for values, places in groups.items():
            pairs = list(permutations(values, 2))
            size = max(LARGEST_TABLE // max(len(pairs), 1), 1)
            for start in range(0, len(places), size):
                part = places[start : start + size]
                levels = _added([sides[place] for place in part], pairs, self._known)
                for place, level in zip(part, levels, strict=True):
                    found[place] = level
        return [
            self._known.sum(self._releases.own(t), level)
            for t, level in zip(times, found, strict=True)
            if t is not None
        ]


def _is_within(bound: Level, cap: Level) -> bool:
    """Whether a bound is at most a level, for certain."""
    try:
        return bound <= cap
    except Undecided:
        return False


def _added(asked: Sequence[tuple[_Near, ...]], pairs: Sequence[ValuePair], known: KnownCourses) -> list[Level]:
    """Return log max over pairs of the product of the sides' ratios, for the sides of each time."""
    levels: dict[tuple[tuple[int, int], ...], Level] = {}
    new: dict[tuple[tuple[int, int], ...], list[tuple[RatioCourse, int]]] = {}
    keys = []
    for sides in asked:
        keys.append(tuple((id(near.course or near), near.depth) for near in sides))
        if not sides or not pairs:
            levels[keys[-1]] = ZERO
        elif any(near.course is None for near in sides):
            first, *rest = [_literal(near) for near in sides]
            levels[keys[-1]] = added(first, rest[0] if rest else NO_SIDE, pairs)
        else:
            new[keys[-1]] = [(near.course, near.depth) for near in sides if near.course is not None]
    if new:
        levels.update(zip(new, _decided(list(new.values()), pairs, known), strict=True))
    return [levels[key] for key in keys]


def _literal(near: _Near) -> Budgeted:
    return near.side if near.course is None else near.course.side(near.depth)


def _decided(
    asked: Sequence[Sequence[tuple[RatioCourse, int]]], pairs: Sequence[ValuePair], known: KnownCourses
) -> Iterator[Level]:
    """Yield the greatest of the pairs' levels, of those that doubles leave."""
    among = set(pairs)
    whole = [_told_apart(sides, among) for sides in asked]
    asked = [sides for sides, level in zip(asked, whole, strict=True) if level is None]
    found = _contested(asked, pairs, known) if asked else iter(())
    yield from (next(found) if level is None else level for level in whole)


def _told_apart(sides: Sequence[tuple[RatioCourse, int]], pairs: Set[ValuePair]) -> Level | None:
    """Return the sum of all budgets where the values of a pair are told apart for certain: no ratio is greater."""
    likely = {pair for course, _ in sides if (pair := course.apart.longest)} & pairs
    if any(all(course.apart.steps(pair, depth) == depth for course, depth in sides) for pair in likely):
        return sum((course.sum(depth) for course, depth in sides), ZERO)
    return None


def _contested(
    asked: Sequence[Sequence[tuple[RatioCourse, int]]], pairs: Sequence[ValuePair], known: KnownCourses
) -> Iterator[Level]:
    """Yield the greatest of the pairs' levels, of those that doubles leave."""
    courses = list({id(course): course for sides in asked for course, _ in sides}.values())
    own = np.array(pairs, dtype=np.int64)
    own = _different(list({id(kind): kind for kind in (known.forms(course, own) for course in courses)}.values()), own)
    contest = Contest(asked, own)
    for sides, (left, excesses) in zip(asked, contest.left(), strict=True):
        levels, counts = [], set()
        for place, guesses in zip(left, excesses, strict=True):
            pair = int(own[place, 0]), int(own[place, 1])
            counted = tuple(course.counted(depth, pair) for course, depth in sides)
            if None not in counted and counted in counts:
                continue
            counts.add(counted)
            level = ZERO
            for (course, depth), guess in zip(sides, guesses, strict=True):
                level = level + course.level(depth, pair, guess)
            if not level.is_zero:
                levels.append(level)
        yield greatest(levels)


def fast_worst_case_supremum(
    epsilon: Level,
    backward: KnownCorrelation | None = None,
    forward: KnownCorrelation | None = None,
    found: KnownRatios | None = None,
    among: Collection[ValuePair] = (),
) -> Level:
    """Return the supremum over all horizons and times of the worst-case TPL, as `worst_case_supremum`, with its errors.

    Where matrices repeat, as `periodic_worst_case_supremum`. Args: among, the pairs that are looked at alone, where
    matrices do not repeat: it is a *lower* bound then.
    """
    if isinstance(backward, Stepwise) or isinstance(forward, Stepwise):
        return periodic_worst_case_supremum(
            epsilon, backward, forward, lambda phases: _ruling_phases(epsilon, backward, forward, phases)
        )
    if among:
        return worst_case_supremum(epsilon, backward, forward, dict.fromkeys(among, ()), found)
    known = [matrix for matrix in (backward, forward) if matrix is not None]
    unless_pairs = worst_case_supremum(epsilon, backward, forward, {})
    if not known or epsilon.is_zero or unless_pairs.is_zero or unless_pairs.is_infinite:
        return unless_pairs
    pairs = np.array(list(permutations(range(known[0].n), 2)))
    different = _different([forms([matrix.rows], pairs) for matrix in known], pairs)
    left = PairLimits([[[matrix.rows]] for matrix in known], epsilon, different).left()
    counts = [_counted_for_ever(known, pair) for pair in left]
    if None not in counts:
        return total([epsilon] * (1 + max(count for count in counts if count is not None)))
    return worst_case_supremum(epsilon, backward, forward, left, found)


def _counted_for_ever(known: Sequence[TransitionMatrix], pair: ValuePair) -> int | None:
    """Return of how many releases, on all sides of a time, the ratio of a pair is the product; None as `Apart`."""
    counts = [Apart([matrix.rows] * (matrix.n**2 + 1)).counted(pair, matrix.n**2 + 1) for matrix in known]
    return None if None in counts else sum(count for count in counts if count is not None)


def _ruling_phases(
    epsilon: Level, backward: KnownCorrelation | None, forward: KnownCorrelation | None, phases: int
) -> Starts:
    """Return the pairs of one phase that may be the worst where matrices repeat, with about their ratios."""
    sides = []
    for own, is_forward in ((backward, False), (forward, True)):
        if own is not None:
            rows = [matrix.rows for matrix in matrices_in(own)]
            places = [[phase + s if is_forward else phase - 1 - s for s in range(phases)] for phase in range(phases)]
            sides.append([[rows[place % len(rows)] for place in cycle] for cycle in places])
    pairs = np.array(list(permutations(range(len(sides[0][0][0])), 2)))
    different = _different([forms(cycle, pairs) for cycles in sides for cycle in cycles], pairs)
    return PairLimits(sides, epsilon, different).left()


def _different(kinds: Sequence[Hashes], pairs: Indices) -> Indices:
    """Return the first of all pairs of the same kinds."""
    return pairs[np.sort(np.unique(np.array(kinds), axis=1, return_index=True)[1])]
