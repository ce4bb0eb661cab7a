"""The tight leakage, fast: pairs of values that cannot rule are excluded in doubles, the others' sets proved best.

As `reference.worst_case`, whose levels these are: exact, or enclosed to any precision. For a sequence of releases (all
that lie before, or after, a time, with one budget and one matrix throughout) everything is found once for all depths.
Where sets are in doubt, and where a budget is infinite, the reference's own formula stands for the pairs left over.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate, permutations, takewhile, zip_longest
from math import inf, lcm, nextafter, prod

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from ...reference.correlations import Row, TransitionMatrix
from ...reference.errors import Undecided
from ...reference.formulas import ANY_SIZE
from ...reference.levels import ZERO, Level
from ...reference.paper.composition import total
from ...reference.paper.leakage import Leakage
from ...reference.stepwise import Correlation, KnownCorrelation, Stepwise, matrices_in
from ...reference.surds import Exact, sign
from ...reference.worst_case.leakage import NO_SIDE, Budgeted, Starts, Stretch, added, side_of, tight_supremum
from ...reference.worst_case.periods import periodic_tight_supremum
from ...reference.worst_case.sweep import OneSide, ValuePair
from .apart import Apart
from .best_sets import PRECISIONS, PairSets, StepMatrices, ball_between
from .doubles import RowDifferences, row_kinds
from .pair_bounds import Mask, PairBounds, both_excesses
from .pair_limits import PairLimits, may_rule
from .symmetries import Symmetries

NEAREST = 256
"""Over so many releases the pairs of a chain whose matrices repeat are bounded for ever: most chains forget others."""

ROUNDED = 1e-12
"""By this part a product of two ratios in doubles may be off, and more."""

MOST_FOLLOWED = 4
"""More pairs than these, if they are left, are not followed in balls before finer bounds have been tried."""

TRIED_AGAIN = 1.125
"""Where finer bounds have told no pairs from others, in doubles, they are tried again at so many times the depth."""

FEW_ENTRIES = 1 << 13
"""An array of so few entries takes hardly longer than one of none: a depth ahead is bounded for all pairs together."""

MANY_DEPTHS = 16
"""Of a sequence of which so many depths are asked for all are bounded together; of many values, where most pairs are
left at as great a depth."""

MOST_BOUNDS = 1 << 22
"""Of many values pairs are bounded together at no more depths than make so many bounds."""

FOLLOWED_PAIRS = 32
"""So many pairs are followed by themselves to find one by which others are left out."""

BELOW_BEST = 2.0**-40
"""By this part of its excess the best of some pairs has to be above others, at least, for these to be left out."""

KNOWN_BITS = 64
"""To so many bits excesses that are found serve as bounds at greater depths."""


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


class _MatricesKnown:
    """What is worked out of matrices alone, once for all sequences of releases that they lead to: by identity."""

    def __init__(self) -> None:
        self.differences: dict[int, RowDifferences] = {}
        self._kinds: dict[int, tuple[Sequence[Row], list[int]]] = {}
        self._symmetries: dict[tuple[int, ...], tuple[list[Sequence[Row]], Symmetries]] = {}

    def kinds(self, rows: Sequence[Row]) -> list[int]:
        """Return a number for each row, equal where the rows are."""
        if id(rows) not in self._kinds:
            self._kinds[id(rows)] = rows, row_kinds(rows)
        return self._kinds[id(rows)][1]

    def symmetries(self, matrices: Sequence[Sequence[Row]]) -> Symmetries:
        """Return the symmetries of the matrices, each of which may come several times."""
        distinct = {id(rows): rows for rows in matrices}
        key = tuple(distinct)
        if key not in self._symmetries:
            kept = list(distinct.values())
            self._symmetries[key] = kept, Symmetries(kept)
        return self._symmetries[key][1]


class _Sequence:
    """A sequence of releases, the nearest first: what each pair's ratio is over the nearest of them."""

    def __init__(self, steps: Sequence[Sequence[Row]], budgets: Sequence[Level], known: _MatricesKnown) -> None:
        self._steps, self._budgets, self._known = steps, budgets, known
        self._distinct = list({id(step): step for step in steps}.values())
        self.kinds = known.kinds(steps[0])
        self._matrices, self._apart = StepMatrices(steps), Apart(steps)
        self._sums, self._sum_bounds = [ZERO], dict[int, tuple[float, float]]()
        self._products = [arb(1)]
        self.bounds = PairBounds(steps, budgets, known.differences)
        self._sets: dict[ValuePair, PairSets] = {}
        self._levels: dict[tuple[int, ValuePair], Level] = {}
        self._indexed: tuple[Sequence[ValuePair], NDArray[np.int64]] = (), np.empty(0, dtype=np.int64)
        self._kept_all = 0  # the depth at which few pairs were left out last
        self._foreseen = self._enclosed = 0  # at how many depths, and up to which, pairs were bounded together
        self.asked: Sequence[int] = ()
        """Depths that are asked for, if many, in ascending order."""
        self.in_vain = 0
        """The depth at which finer bounds were tried last and excluded no pair."""

    def follows(self, depth: int, pair: ValuePair) -> bool:
        """Whether the sets of a pair have been sought already, or need not be: its releases are counted."""
        return pair in self._sets or self.counted(depth, pair) is not None

    def counted(self, depth: int, pair: ValuePair) -> int | None:
        """Return of how many releases the ratio of a pair is the product; None as `Apart.counted`."""
        return self._apart.counted(pair, depth)

    def tighten(self, depth: int, among: Mask, finely: bool = False) -> None:
        """Work out the bounds at a depth for some of the pairs: of those whose releases are counted, the exact ones."""
        among = among.copy()
        for index in map(int, np.flatnonzero(among & self._apart.at_first)):
            counted = self.counted(depth, divmod(index, self.bounds.n))
            if counted is not None:
                among[index] = False
                self.bounds.found(depth, index, *self._bounds_of_sum(counted))
        self.bounds.tighten(depth, among, finely)

    def left(self, depth: int, pairs: Sequence[ValuePair]) -> list[ValuePair]:
        """Return which of many pairs may be the worst at a depth: the others attain less than the best of some."""
        n = self.bounds.n
        if self._indexed[0] is not pairs:
            self._indexed = pairs, np.array(pairs, dtype=np.int64) @ np.array([n, 1])
        indices = self._indexed[1]
        left = self._reaching(depth, indices)
        if len(left) * n > FEW_ENTRIES and depth >= 2 * self._kept_all:
            before = len(left)
            is_slow = depth >= MANY_DEPTHS and depth > self._enclosed and 2 * before > len(indices)
            if is_slow and self.asked and self.asked[-1] >= depth + MANY_DEPTHS:
                together = self.asked[bisect(self.asked, self._enclosed) :][: max(MOST_BOUNDS // len(indices), depth)]
                self._enclosed = together[-1]
                self.bounds.enclose(together, indices, self._likely(depth, indices))
            else:
                self._leave_out(depth, indices[left])
            left = self._reaching(depth, indices)
            self._kept_all = depth if 2 * len(left) > before else 0
        return [pairs[place] for place in left.tolist()]

    def is_foreseen(self, depths: Sequence[int], pairs: Sequence[ValuePair]) -> bool:
        """Whether pairs were bounded together at so many depths, or half as many, or the ratio of one is counted."""
        counted = any(self.counted(depths[-1], pair) is not None for pair in pairs)
        was_foreseen, self._foreseen = len(depths) < 2 * self._foreseen, max(len(depths), self._foreseen)
        return counted or was_foreseen

    def _reaching(self, depth: int, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        least, most = (own[indices] for own in self.bounds.at(depth))
        return np.flatnonzero(most * (1 + 1e-14) >= least.max())

    def _likely(self, depth: int, own: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a few of some pairs, of which one may be the best of them."""
        low = self.bounds.at(depth)[0][own]
        likely = low if low.any() else self.bounds.variation(own)
        return own[np.argsort(-likely, kind="stable")[:FOLLOWED_PAIRS]]

    def _leave_out(self, depth: int, own: NDArray[np.int64]) -> None:
        some = self._likely(depth, own)
        for finely in (False, True):
            among = np.zeros(self.bounds.n**2, dtype=bool)
            among[some] = True
            self.tighten(depth, among, finely)
            reached = self.bounds.at(depth)[0][some]
            some = some[[reached.argmax()]]
        self.bounds.leave_out(depth, own, float(reached.max()) * (1 - BELOW_BEST))

    def _bounds_of_sum(self, counted: int) -> tuple[float, float]:
        if counted not in self._sum_bounds:
            self._sum_bounds[counted] = _doubles_around(self._sum(counted))
        return self._sum_bounds[counted]

    def _sum(self, counted: int) -> Level:
        while len(self._sums) <= counted:
            self._sums.append(self._sums[-1] + self._budgets[len(self._sums) - 1])
        return self._sums[counted]

    def ratio(self, depth: int, pair: ValuePair) -> tuple[arb, bool] | None:
        """Return a ball of the ratio of a pair, or of an upper bound of it, and whether it is of the ratio itself.

        One release more raises a ratio by e^ε at most. None where its best sets are certain at no depth up to this one.
        """
        counted = self.counted(depth, pair)
        if counted is not None:
            return self._product(counted), True
        nearest = self._sets[pair].nearest(depth) if pair in self._sets else None
        if nearest is None:
            return None
        before, excess = nearest
        return (1 + excess) * (self._product(depth) / self._product(before)), before == depth

    def _product(self, releases: int) -> arb:
        """Return a ball of the product of e^ε over so many releases."""
        while len(self._products) <= releases:
            excess = ball_between(*self._budgets[len(self._products) - 1].excess_bounds(PRECISIONS[0]))
            self._products.append(self._products[-1] * (1 + excess))
        return self._products[releases]

    def symmetries(self, others: Sequence[_Sequence]) -> Symmetries:
        """Return the symmetries of these releases, and of others too."""
        return self._known.symmetries([step for side in (self, *others) for step in side._distinct])

    def level(self, depth: int, pair: ValuePair) -> Level:
        """Return log B_depth of a pair."""
        if (depth, pair) not in self._levels:
            self._levels[depth, pair] = self._level(depth, pair)
        return self._levels[depth, pair]

    def _level(self, depth: int, pair: ValuePair) -> Level:
        counted = self.counted(depth, pair)
        if counted is not None:
            return self._sum(counted)
        j, k = pair
        if pair not in self._sets:
            self._sets[pair] = PairSets(self._matrices, self._budgets, pair)
        index = j * self.bounds.n + k
        found = self._sets[pair].level(depth, float(self.bounds.at(depth)[0][index]))
        if found is None:
            steps = tuple(tuple(step) for step in self._steps[:depth])
            return added((OneSide(steps[::-1]), tuple(self._budgets[:depth])[::-1]), NO_SIDE, [pair])
        self.bounds.found(depth, index, *_doubles_around(found))
        return found


def _doubles_around(level: Level) -> tuple[float, float]:
    """Return doubles below and above the excess of a level."""
    lower, upper = level.excess_bounds(KNOWN_BITS)
    return nextafter(_double(lower), 0), nextafter(_double(upper), inf)


def _double(excess: Fraction) -> float:
    """Return about an excess, ∞ beyond the doubles: the double next to that, towards 0, is below it all the same."""
    try:
        return float(excess)
    except OverflowError:
        return inf


@dataclass(frozen=True, eq=False)
class _Near:
    """One side of a time: the nearest releases of a sequence, or none where the reference is left to decide."""

    side: Budgeted
    sequence: _Sequence | None
    depth: int


class _Sides:
    """The sides of all times; with one budget and one matrix they are parts of one sequence, some of it for later."""

    def __init__(self, epsilons: Sequence[Level]) -> None:
        texts = set(exact_texts(epsilons))
        self._one_budget = epsilons[0] if len(texts) == 1 and None not in texts else None
        self._longest = 1 << (len(epsilons) - 1).bit_length()
        self._shared: dict[int, _Sequence] = {}
        self._known = _MatricesKnown()

    def serves(self, epsilons: Sequence[Level]) -> bool:
        """Whether these may be the sides of other budgets too: of as many of the one, or fewer."""
        if self._one_budget is None or len(epsilons) > self._longest + 1:
            return False
        return set(exact_texts(epsilons)) == {self._one_budget.exact_text}

    def steady(self, rows: Sequence[Sequence[Row]] | None, depth: int) -> _Near | None:
        """Return so many releases that one matrix leads to, all of the one budget, which is finite.

        Args: rows, of the steps of the stream, None where they are not known.
        """
        if rows is None or not depth:
            return None
        return _Near(NO_SIDE, self._of(rows[0]), depth)

    def _of(self, step: Sequence[Row]) -> _Sequence:
        assert self._one_budget is not None
        if id(step) not in self._shared:
            one = [self._one_budget] * self._longest
            self._shared[id(step)] = _Sequence([step] * self._longest, one, self._known)
        return self._shared[id(step)]

    @property
    def is_plain(self) -> bool:
        """Whether there is one budget throughout, above 0 and finite."""
        one = self._one_budget
        return one is not None and not (one.is_zero or one.is_infinite)

    def near(self, side: Budgeted) -> _Near | None:
        """Return a side as a part of a sequence; None where it tells nothing."""
        of, budgets = side
        if of is None:
            return None
        depth = len(of.steps)
        if of.reveals:
            return _Near(side, None, depth)
        if self._one_budget is None or len({id(step) for step in of.steps}) > 1:
            return _Near(side, _Sequence(of.steps[::-1], budgets[::-1], self._known), depth)
        return _Near(side, self._of(of.steps[0]), depth)


class _Recurring:
    """The releases on one side of the times of a stream, whose budgets and matrices recur with some period.

    Sides whose depths differ by whole periods begin alike: they are parts of one sequence.
    """

    def __init__(self, steps: Sequence[Sequence[Row]], epsilons: Sequence[Level], sides: _Sides) -> None:
        """Take the releases in the order in which they come nearer, and the matrix that leads from each."""
        self._steps, self._epsilons, self._sides = steps, epsilons, sides
        texts = exact_texts(epsilons)
        keys = [(id(step), text or id(own)) for step, text, own in zip(steps, texts, epsilons, strict=True)]
        self._period = _period(keys)
        self._telling = [0, *accumulate(int(not level.is_zero) for level in epsilons)]
        self._near: dict[int, _Near | None] = {}

    @classmethod
    def of(cls, steps: Sequence[Sequence[Row]] | None, epsilons: Sequence[Level], sides: _Sides) -> _Recurring | None:
        """Return them where their sides have anything in common; else None. Args: epsilons, finite."""
        found = None if steps is None else cls(steps, epsilons, sides)
        return found if found is not None and found._period < len(found._steps) else None

    def near(self, depth: int) -> _Near | None:
        """Return the side that so many releases are on; None where it tells nothing."""
        phase = depth % self._period
        if phase not in self._near:
            deepest = depth + (len(self._steps) - depth) // self._period * self._period
            self._near[phase] = self._sides.near(side_of(self._steps[:deepest], self._epsilons[:deepest]))
        whole = self._near[phase]
        telling = self._telling[depth]
        return _Near(NO_SIDE, whole.sequence, telling) if whole is not None and telling else None


class _Beside:
    """The releases before and after each time of a stream; times count from 0."""

    def __init__(self, releases: Stretch, sides: _Sides) -> None:
        self._releases, self._sides = releases, sides
        known = [side for side in (releases.backward, releases.forward) if side is not None]
        self._is_steady = sides.is_plain and all(len({id(step) for step in side}) <= 1 for side in known)
        self._last = len(releases.epsilons) - 1
        self._before = self._after = None
        # Beside one that tells the value all are left to the reference, which takes them as they are.
        if not self._is_steady and not any(level.is_infinite for level in releases.epsilons):
            ahead = None if releases.forward is None else releases.forward[::-1]
            self._before = _Recurring.of(releases.backward, releases.epsilons[:-1], sides)
            self._after = _Recurring.of(ahead, releases.epsilons[:0:-1], sides)

    def past(self, t: int) -> _Near | None:
        """Return the side of the releases before a time; None where they tell nothing."""
        if self._is_steady:
            return self._sides.steady(self._releases.backward, t)
        return self._sides.near(self._releases.past(t)) if self._before is None else self._before.near(t)

    def future(self, t: int) -> _Near | None:
        """Return the side of the releases after a time; None where they tell nothing."""
        depth = self._last - t
        if self._is_steady:
            return self._sides.steady(self._releases.forward, depth)
        return self._sides.near(self._releases.future(t)) if self._after is None else self._after.near(depth)


def exact_texts(levels: Sequence[Level]) -> list[str | None]:
    """Return `exact_text` of each level; of one that recurs it is worked out once."""
    known = {id(level): level.exact_text for level in {id(level): level for level in levels}.values()}
    return [known[id(level)] for level in levels]


def _period(keys: Sequence[object]) -> int:
    """Return the least number of places after which what is given comes again; all of them where it does not."""
    same = [0] * len(keys)  # the length of the longest proper end of keys[: i + 1] that is a beginning of keys too
    for i in range(1, len(keys)):
        length = same[i - 1]
        while length and keys[i] != keys[length]:
            length = same[length - 1]
        same[i] = length + (keys[i] == keys[length])
    return max(len(keys) - same[-1], 1) if keys else 1


def fast_tight_leakage(
    epsilons: Sequence[Level],
    backward: Correlation | None = None,
    forward: Correlation | None = None,
    possible: Sequence[Collection[int]] | None = None,
) -> Leakage:
    """Return the worst BPL, FPL and TPL at each time over all mechanisms with these budgets, as `tight_leakage`."""
    return TightHistory(backward, forward, possible).leakage(epsilons)


class TightHistory:
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
        """Take what `tight_leakage` takes; one matrix for all times where there are to be further releases."""
        self._known = backward, forward, possible
        self._epsilons: tuple[Level, ...] = ()
        self._past: list[_Near | None] = []
        self._bpl: list[Level] = []
        self._sides: _Sides | None = None

    def leakage(self, epsilons: Sequence[Level]) -> Leakage:
        """Return BPL, FPL and TPL at each time, as `tight_leakage`; the first budgets may be those of before."""
        releases = Stretch(epsilons, *self._known)
        times = range(len(epsilons))
        pairs_of = cache(lambda values: list(permutations(values, 2)))
        pairs = [pairs_of(tuple(releases.values(t))) for t in times]
        sides = self._serving(epsilons)
        same = sum(1 for _ in takewhile(lambda both: both[0] is both[1], zip(self._epsilons, epsilons, strict=False)))
        self._epsilons, self._past, self._bpl = tuple(epsilons), self._past[:same], self._bpl[:same]
        own = [releases.own(t) for t in times]
        beside = _Beside(releases, sides)

        self._past += [beside.past(t) for t in times[same:]]
        future = [beside.future(t) for t in times]
        _foresee([*self._past[same:], *future])

        # From the least depth to the greatest, so that each is a start for the next.
        for t in times[same:]:
            self._bpl.append(own[t] + _added([self._past[t]], pairs[t]))
        fpl = [own[t] + _added([future[t]], pairs[t]) for t in reversed(times)][::-1]
        tpl = [own[t] + _added([self._past[t], future[t]], pairs[t]) for t in times]
        return Leakage(tuple(self._bpl), tuple(fpl), tuple(tpl))

    def first_above(self, epsilons: Sequence[Level], cap: Level) -> int | None:
        """Return the first time, from 1, at which TPL is above a level; None where it never is.

        Where budgets recur few bounds of many times each tell; otherwise all TPL are worked out.
        Args: epsilons, as in `leakage`. Raises: as there.
        """
        stream, possible = self.stream(epsilons), self._known[2]
        if cap.is_infinite:
            return None
        period = stream.period
        if possible is not None or period > len(epsilons) // 2:
            tpl = self.leakage(epsilons).tpl
            return next((time for time, level in enumerate(tpl, 1) if level > cap), None)
        last = len(epsilons) - 1
        found = (stream.first_above(cap, phase, last - (last - phase) % period) for phase in range(period))
        return min((1 + time for time in found if time is not None), default=None)

    def stream(self, epsilons: Sequence[Level], *, past: bool = True, future: bool = True) -> TightStream:
        """Return a stream of these budgets, of which the past or the future may be left out."""
        backward, forward, _ = self._known
        sides = self._serving(epsilons)
        return TightStream(epsilons, backward if past else None, forward if future else None, sides)

    def _serving(self, epsilons: Sequence[Level]) -> _Sides:
        """Return the sides of the last budgets, as far as they are the sides of these too."""
        if self._sides is None or not self._sides.serves(epsilons):
            self._sides = _Sides(epsilons)
        return self._sides


def _is_within(bound: Level, cap: Level) -> bool:
    """Whether a bound is at most a level, for certain."""
    try:
        return bound <= cap
    except Undecided:
        return False


def fast_tight_tpl(
    epsilons: Sequence[Level],
    backward: Correlation | None,
    forward: Correlation | None,
    times: Sequence[int],
) -> tuple[Level, ...]:
    """Return the TPL of `fast_tight_leakage` at some times alone, which count from 0."""
    stream = TightStream(epsilons, backward, forward)
    return tuple(stream.tpl(t, t) for t in times)


class TightStream:
    """The worst TPL at single times, and bounds of it between two times; times count from 0."""

    def __init__(
        self,
        epsilons: Sequence[Level],
        backward: Correlation | None,
        forward: Correlation | None,
        sides: _Sides | None = None,
    ) -> None:
        """Take what `tight_leakage` takes, with its errors; sides, those of other budgets that may serve these."""
        self._releases = Stretch(epsilons, backward, forward)
        sides = _Sides(epsilons) if sides is None else sides
        self._beside = _Beside(self._releases, sides)

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
        texts = [text or id(own) for text, own in zip(exact_texts(releases.epsilons), releases.epsilons, strict=True)]
        sides = (side for side in (releases.backward, releases.forward) if side is not None)
        return lcm(_period(texts), *(_period([id(step) for step in side]) for side in sides if side))

    def tpl(self, first: int, last: int) -> Level:
        """Return TPL at a time, last = first; or an *upper* bound of it at all times between, whole periods apart.

        One release more lowers no ratio, and the past is longest at the last of these times, the future at the first.
        """
        sides = [self._beside.past(last), self._beside.future(first)]
        return self._releases.own(first) + _added(sides, list(permutations(self._releases.values(first), 2)))


def fast_tight_supremum(
    epsilon: Level, backward: KnownCorrelation | None = None, forward: KnownCorrelation | None = None
) -> Level:
    """Return the supremum over all horizons and times of the tight TPL, as `tight_supremum`, with its errors.

    Where matrices repeat, as `periodic_tight_supremum`.
    """
    if isinstance(backward, Stepwise) or isinstance(forward, Stepwise):
        return periodic_tight_supremum(
            epsilon, backward, forward, lambda phases: _ruling_phases(epsilon, backward, forward, phases)
        )
    known = [matrix for matrix in (backward, forward) if matrix is not None]
    unless_pairs = tight_supremum(epsilon, backward, forward, {})
    if not known or epsilon.is_zero or unless_pairs.is_zero or unless_pairs.is_infinite:
        return unless_pairs
    n = known[0].n
    limits = [PairLimits(matrix, epsilon) for matrix in known]
    pairs = _different([row_kinds(matrix.rows) for matrix in known], list(permutations(range(n), 2)))
    left = Symmetries(matrix.rows for matrix in known).different(may_rule(limits, pairs))
    counts = [_counted_for_ever(known, pair) for pair in left]
    if None not in counts:
        return total([epsilon] * (1 + max(count for count in counts if count is not None)))
    starts = {(j, k): tuple(1 + Fraction(float(side.low[j * n + k])) for side in limits) for j, k in left}
    return tight_supremum(epsilon, backward, forward, starts)


def _ruling_phases(
    epsilon: Level, backward: KnownCorrelation | None, forward: KnownCorrelation | None, phases: int
) -> Starts:
    """Return the pairs of one phase that may be the worst where matrices repeat, with what is attained on each side.

    Those that bounds over the nearest releases, or for ever, exclude are not among them.
    """
    known = _MatricesKnown()
    low: dict[ValuePair, list[float]] = {}
    up: dict[ValuePair, list[float]] = {}
    for phase in range(phases):
        for own, is_forward in ((backward, False), (forward, True)):
            if own is None:
                continue
            matrices = matrices_in(own)
            places = [phase + s if is_forward else phase - 1 - s for s in range(NEAREST)]
            steps = [matrices[place % len(matrices)].rows for place in places]
            bounds = PairBounds(steps, [epsilon] * NEAREST, known.differences)
            n = bounds.n
            bounds.tighten(NEAREST, np.ones(n * n, dtype=bool), finely=True)
            least, most = bounds.at(NEAREST)[0], bounds.for_ever
            for j, k in permutations(range(n), 2):
                pair = phase * n + j, phase * n + k
                low.setdefault(pair, []).append(float(least[j * n + k]))
                up.setdefault(pair, []).append(float(most[j * n + k]))
    best = max(prod(1 + excess for excess in own) for own in low.values())
    left = [pair for pair, own in up.items() if prod(1 + excess for excess in own) * (1 + ROUNDED) >= best]
    return {pair: tuple(1 + Fraction(excess) for excess in low[pair]) for pair in left}


def _counted_for_ever(known: Sequence[TransitionMatrix], pair: ValuePair) -> int | None:
    """Return of how many releases, on all sides of a time, the ratio of a pair is the product; None as `Apart`."""
    counts = [Apart([matrix.rows] * (matrix.n**2 + 1)).counted(pair, matrix.n**2 + 1) for matrix in known]
    return None if None in counts else sum(count for count in counts if count is not None)


def _foresee(sides: Sequence[_Near | None]) -> None:
    """Bound all pairs together at the depths of each sequence that many of these sides are parts of."""
    depths: dict[_Sequence, set[int]] = {}
    for near in sides:
        if near is not None and near.sequence is not None:
            depths.setdefault(near.sequence, set()).add(near.depth)
    many = [sequence for sequence, own in depths.items() if len(own) >= MANY_DEPTHS]
    for sequence in many:
        sequence.asked = sorted(depths[sequence])
    pairs = list(permutations(range(many[0].bounds.n), 2)) if many else []
    if pairs and len(pairs) * many[0].bounds.n <= FEW_ENTRIES:
        different = many[0].symmetries(many[1:]).different(_different([sequence.kinds for sequence in many], pairs))
        own = np.array(different, dtype=np.int64) @ np.array([many[0].bounds.n, 1])
        new = [sequence for sequence in many if not sequence.is_foreseen(sequence.asked, different)]
        # Where different pairs lead on different sides neither is the worst of both: each pair is bounded by itself.
        if len({sequence.bounds.leading(sequence.asked, own)[-1] for sequence in new}) == 1:
            for sequence in new:
                sequence.bounds.foresee(sequence.asked, own)


def _added(sides: Sequence[_Near | None], pairs: Sequence[ValuePair]) -> Level:
    """Return log max over pairs of the product of the sides' ratios."""
    telling = [near for near in sides if near is not None]
    if not telling or not pairs:
        return ZERO
    known = [(near.sequence, near.depth) for near in telling if near.sequence is not None]
    if len(known) < len(telling):
        first, *rest = [near.side for near in telling]
        return added(first, rest[0] if rest else NO_SIDE, pairs)
    levels, counts = [], set()
    for pair in _worst_among(known, pairs):
        counted = tuple(sequence.counted(depth, pair) for sequence, depth in known)
        if counted in counts:
            continue
        if None not in counted:
            counts.add(counted)
        level = ZERO
        for sequence, depth in known:
            level = level + sequence.level(depth, pair)
        if not level.is_zero:
            levels.append(level)
    return greatest(levels)


def _worst_among(sides: Sequence[tuple[_Sequence, int]], pairs: Sequence[ValuePair]) -> Iterable[ValuePair]:
    """Return pairs among which, up to names, are those with the greatest product over the sides of a time."""
    (nearest, depth), *others = sides
    worst = {sequence.bounds.worst.get(depth) for sequence, depth in sides}
    if len(worst) == 1 and (index := worst.pop()) is not None and (pair := divmod(index, nearest.bounds.n)) in pairs:
        return [pair]
    different = _different([sequence.kinds for sequence, _ in sides], pairs)
    if not others and len(different) * nearest.bounds.n > FEW_ENTRIES:
        different = nearest.left(depth, different)
    if len(different) > 1:
        different = nearest.symmetries([sequence for sequence, _ in others]).different(different)
    return _unless_below(sides, _left(sides, different)) if len(different) > 1 else different


def _unless_below(sides: Sequence[tuple[_Sequence, int]], pairs: Sequence[ValuePair]) -> Iterator[ValuePair]:
    """Yield the pairs but those that are below one yielded before, whose levels have been asked for meanwhile.

    What they had at lesser depths tells most pairs from one another that agree in more digits than doubles have.
    """
    if len(pairs) == 1:
        yield from pairs
        return
    with ctx.workprec(PRECISIONS[0]):
        known = {pair: _ratio(sides, pair) for pair in pairs}
    best = arb(0)
    for pair in sorted(pairs, key=lambda pair: known[pair][0].mid(), reverse=True):
        if known[pair][0] < best:
            continue
        yield pair
        with ctx.workprec(PRECISIONS[0]):
            ratio, is_exact = _ratio(sides, pair)
            if is_exact:
                best = best.max(ratio.lower())


def _ratio(sides: Sequence[tuple[_Sequence, int]], pair: ValuePair) -> tuple[arb, bool]:
    """Return the product over the sides of a time, as `_Sequence.ratio`; ∞ where nothing is known."""
    product, is_exact = arb(1), True
    for sequence, depth in sides:
        found = sequence.ratio(depth, pair)
        if found is None:
            return arb.pos_inf(), False
        product, is_exact = product * found[0], is_exact and found[1]
    return product, is_exact


def greatest(levels: Sequence[Level]) -> Level:
    """Return the greatest of some finite levels, 0 of none: a formula of those that differ, which compares nothing."""
    different = list({level.exact_text or id(level): level for level in levels}.values())
    return different[0] if len(different) == 1 else Level.of_formula(Greatest(), different) if different else ZERO


def _different(kinds: Sequence[Sequence[int]], pairs: Sequence[ValuePair]) -> Sequence[ValuePair]:
    """Return one of all pairs with the same rows: values that nothing tells apart have the same ratios.

    Args: kinds, of each side, of the rows that lead to the nearest release.
    """
    if all(len(set(own)) == len(own) for own in kinds):
        return pairs
    found: dict[tuple[tuple[int, int], ...], ValuePair] = {}
    for j, k in pairs:
        found.setdefault(tuple((own[j], own[k]) for own in kinds), (j, k))
    return list(found.values())


def _left(sides: Sequence[tuple[_Sequence, int]], pairs: Sequence[ValuePair]) -> list[ValuePair]:
    """Return the pairs that are not excluded: those whose upper bound reaches the greatest lower one.

    As long as more than one pair is left, bounds are worked out: for a depth ahead first, which serves all in between,
    and at last for the depth itself; finely, where many of them, or some from the start, would have to be followed in
    balls.
    """
    n = sides[0][0].bounds.n
    indices = np.array([j * n + k for j, k in pairs])
    left = _reaching(sides, indices)
    for depths in zip_longest(*(sequence.bounds.ahead(depth) for sequence, depth in sides)):
        for (sequence, depth), ahead in zip(sides, depths, strict=True):
            if np.count_nonzero(left) == 1:
                break
            among = np.zeros(n * n, dtype=bool)
            together = ahead not in (None, depth) and len(indices) * n <= FEW_ENTRIES
            among[indices if together else indices[left]] = True
            sequence.tighten(depth if ahead is None else ahead, among)
            left = _reaching(sides, indices)
    for sequence, depth in sides:
        own = [pairs[int(index)] for index in np.flatnonzero(left)]
        is_new = len(own) > 1 and not all(sequence.follows(depth, pair) for pair in own)
        if is_new or (len(own) > MOST_FOLLOWED and depth >= TRIED_AGAIN * sequence.in_vain):
            among = np.zeros(n * n, dtype=bool)
            among[indices[left]] = True
            sequence.tighten(depth, among, finely=True)
            left = _reaching(sides, indices)
            sequence.in_vain = depth if np.count_nonzero(left) == len(own) else 0
    return [pairs[int(index)] for index in np.flatnonzero(left)]


def _reaching(sides: Sequence[tuple[_Sequence, int]], indices: NDArray[np.int64]) -> Mask:
    low, up = np.zeros(len(indices)), np.zeros(len(indices))
    for sequence, depth in sides:
        least, most = sequence.bounds.at(depth)
        low, up = both_excesses(low, least[indices]), both_excesses(up, most[indices])
    reached: Mask = up * (1 + 1e-14) >= low.max()
    return reached
