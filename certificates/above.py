"""The check from above: no pair of values exceeds the number that goes out. It shares no code with what found it.

`above_doubles` has the theorem and proves most pairs at most times, in doubles with one stated error bound; which x it
tries is guessed (`above_guess`), and nothing rests on that. What doubles leave open is decided in integers of fixed
length, rounded upward (`above_lines`). Here both are put together: for each kind of leakage, each time and each pair.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, permutations
from math import inf, prod

import numpy as np

from ..reference.errors import Refuted, Unchecked
from ..reference.levels import Level
from ..reference.paper.leakage import Leakage
from ..reference.stepwise import Correlation, matrices_in, matrices_over
from .above_doubles import FLOOR, CheckedSide, Doubles, Indices, Mask, above_it, below_it
from .above_guess import guessed
from .above_lines import Lines, alike, proved_depths
from .above_loss import BITS, U

COARSE, MARGIN, LEAST = 2.0**-10, 2.0**-20, 2.0**-46
"""By how much an x that is tried lies above its guess, relative and absolute: well above what doubles lose."""

WINDOW = 8
"""Releases that a first bound reads, where claims bound those beyond: more cost more and bound closer."""

GRID = 2.0
"""Factor from one depth to the next at which all pairs are bounded where all steps are equal."""

SPREAD, ROUNDS = 64, 6
"""Depths of a pair at which its bounds are made closer in one round, and rounds."""

MOST_NUMBERS = 1 << 19
"""Numbers in an array that is worked on at once."""

CLOSE = 6
"""Spare bits of a claim that is tried in integers: two such claims of 8 − 2 bits are within one of 8."""

MOST_EFFORT = 1 << 36
"""Products of doubles, about, beyond which a stream is not checked: what is checked ends within seconds."""

MOST_ODDS = 10**10**4
"""Odds beyond which sums of budgets are not added up, and what doubles do not prove is not checked."""

KINDS = "BPL", "FPL", "TPL"


class Bounds:
    """Of all pairs at all times of one side, a row for a time: B − 1 is at most `high`, which doubles prove.

    guess: about B − 1. Nothing rests on it.
    """

    def __init__(self, side: CheckedSide | None, releases: int, pairs: Indices, share: Doubles) -> None:
        """Take a side, pairs, and an excess for each time that is tried for all of them first."""
        self.side, self.pairs = side, pairs
        self.high, self.guess = np.full((releases, len(pairs)), inf), np.zeros((releases, len(pairs)))
        self.high[0] = 0
        if side is None:
            self.high[:] = 0
        elif side.is_steady:
            self._at_some_depths(share)
        else:
            times = np.flatnonzero(share[1:] < inf) + 1
            time, place = np.repeat(times, len(pairs)), np.tile(np.arange(len(pairs)), len(times))
            is_known = np.isfinite(side.outward)
            latest = np.maximum.accumulate(np.where(is_known, np.arange(len(is_known)), 0))
            ends = latest[np.maximum(time - WINDOW, 0)]
            self._prove(time, place, ends, share[time])
            left = self.high[time, place] == inf
            self._prove(time[left], place[left], ends[left])

    def _at_some_depths(self, share: Doubles) -> None:
        longest = len(share) - 1
        moving, before, depth = np.arange(len(self.pairs)), 0, 1
        while True:
            tried = share[before + 1 : depth + 1].min()
            if tried < inf:
                self._prove(np.full(len(moving), depth), moving, x=np.full(len(moving), tried))
                near = moving[self.high[depth, moving] == inf]
                self._prove(np.full(len(near), depth), near)
                last, own = self.guess[before, near], self.guess[depth, near]
                part = np.arange(1, depth - before)[:, None] / (depth - before)
                between = np.log1p(last) * (1 - part) + np.log1p(own) * part
                self.guess[before + 1 : depth, near] = np.expm1(between)
                self.guess[depth + 1 :, near] = own
                moving = np.setdiff1d(moving, near[own <= last * (1 + COARSE / 16)])
            if depth == longest:
                break
            before, depth = depth, min(longest, max(depth + 1, int(depth * GRID))) if len(moving) else longest
        settled = np.flatnonzero(self.high[longest] == inf) if share[longest] < inf else moving[:0]
        self._prove(np.full(len(settled), longest), settled)

    def _prove(
        self,
        times: Indices,
        places: Indices,
        ends: Indices | None = None,
        x: Doubles | None = None,
        margin: float = COARSE,
    ) -> None:
        """Bound pairs at times, back to an end, by default all releases, by an x, by default one just above B − 1."""
        side = self.side
        assert side is not None
        size = max(1, MOST_NUMBERS // side.n)
        for start in range(0, len(times), size):
            own = slice(start, start + size)
            time, place, end = times[own], places[own], np.zeros_like(times[own]) if ends is None else ends[own]
            if x is None:
                self.guess[time, place] = guessed(
                    side, time, end, self.pairs[place], self.guess[time, place], margin=margin
                )
                over = self.guess[time, place] * (1 + margin) + LEAST
            else:
                over = x[own]
            bound = np.where(side.proved(time, end, self.pairs[place], over), over, inf)
            if not side.is_steady:
                self.high[time, place] = np.minimum(self.high[time, place], bound)
            for at in np.unique(time) if side.is_steady else ():  # B rises with depth
                is_here = time == at
                here = place[is_here]
                self.high[1 : at + 1, here] = np.minimum(self.high[1 : at + 1, here], bound[is_here])

    def refine(self, wanted: Mask, x: Doubles | None) -> None:
        """Bound pairs at the times that are wanted closer; if steady, at a few of them, which tell about the others."""
        wanted = wanted & (np.arange(len(wanted)) > 0)[:, None]
        if self.side is None or not wanted.any():
            return
        if self.side.is_steady:
            number = wanted.cumsum(axis=0)
            wanted &= (number[-1] - number) % np.maximum(number[-1] // SPREAD, 1) == 0
        time, place = np.nonzero(wanted)
        self._prove(time, place, x=None if x is None else x[time, place], margin=MARGIN)


def check_leakage(
    budgets: Sequence[Level],
    backward: Correlation | None,
    forward: Correlation | None,
    claimed: Leakage,
    possible: Sequence[Collection[int]] | None = None,
) -> None:
    """Prove that no mechanism with these budgets has a greater BPL, FPL or TPL at any time than is claimed.

    Args: budgets, matrices, possible: as `reference.worst_case.leakage.worst_case_leakage`; claimed, upper bounds, ∞
    where anything will do. Raises: Refuted, with the values and the time, where a pair of values exceeds one;
    Unchecked.
    """
    last, n = len(budgets) - 1, next((matrix.n for own in (backward, forward) for matrix in matrices_in(own)), 0)
    levels = claimed.bpl, claimed.fpl, claimed.tpl
    allowed = [[allowance(*both) for both in zip(each, budgets, strict=True)] for each in levels]
    values = [range(n)] * len(budgets) if possible is None else possible
    alone = [len(own) < 2 and (n > 0 or possible is not None) for own in values]
    for each in allowed:
        if any(most is not None and most < 0 and not one for most, one in zip(each, alone, strict=True)):
            raise Refuted("a leakage is claimed that is below the budget of the release itself")
    if n < 2 or not last:
        return
    before = most_of_all(budgets if backward else budgets[:0], len(budgets))
    after = most_of_all(budgets[::-1] if forward else budgets[:0], len(budgets))[::-1]
    both = [joined(one, other) for one, other in zip(before, after, strict=True)]
    for each, rest in zip(allowed, (before, after, both), strict=True):
        for time, (own, most) in enumerate(zip(each, rest, strict=True)):
            if own is not None and most is not None and own >= most:
                each[time] = None  # that of all releases together, which no pair exceeds
    rows = [matrix.rows for own in (backward, forward) for matrix in matrices_in(own)]
    kinds: dict[object, int] = {}
    for value in range(n):  # those with the same rows are alike
        kinds.setdefault(value if possible is not None else tuple(own[value] for own in rows), value)
    pairs = np.array(list(permutations(kinds.values(), 2)), dtype=np.int64)
    if len(pairs) == 0:
        return
    sides: list[CheckedSide | None] = []
    for known, reached, order in ((backward, levels[0], 1), (forward, levels[1], -1)):
        steps = known and [own.rows for own in matrices_over(known, last, ("backward", "forward")[order < 0])][::order]
        claims = [[most_of(own) for own in both] for both in zip(reached, levels[2], strict=True)]
        outward = np.array([min(inf if own is None else above_it(own) for own in both) for both in claims])[::order]
        if possible is not None:
            outward[:] = inf  # claims are of the values that are possible
        sides.append(CheckedSide(steps, budgets[::order], outward) if steps else None)
    effort = sum(n**4 * len(budgets) * (1 if side.is_steady else WINDOW) for side in sides if side is not None)
    if effort > MOST_EFFORT:
        raise Unchecked(f"{len(budgets)} releases with {n} states take the check too long")
    forms = np.array([alike(side.rows, pairs) if side else [0] * len(pairs) for side in sides])
    if possible is None:
        different = np.sort(np.unique(forms, axis=1, return_index=True)[1])
        pairs, forms = pairs[different], forms[:, different]
    counts = np.array([[j in own and k in own for j, k in pairs.tolist()] for own in values])
    left, near = _left_by_doubles(sides, pairs, allowed, counts)
    if any((allowed[kind][time] or 0) > MOST_ODDS for kind, time, _ in left):
        raise Unchecked("odds beyond 10^10000 take the check too long")
    claims = [
        [allowance(*both, spare=CLOSE) for both in zip(each, budgets, strict=True)][::order]
        for each, order in zip(levels[:2], (1, -1), strict=True)
    ]
    first = precision((own for each in allowed for own in each), sides)
    exceeding: list[dict[Left, Fraction | float]] = []
    for bits in (first, 2 * first):
        exceeding.append(dict(_left_by_integers(sides, pairs, allowed, (left, near, claims, forms), bits)))
        left = list(exceeding[-1])
        if not left:
            return
    kind, time, place = left[0]
    j, k = (pairs[place] + 1).tolist()
    ratio, limit = exceeding[1][left[0]], allowed[kind][time]
    assert limit is not None
    if not is_exceeded(limit, exceeding[0][left[0]] - 1, ratio - 1):
        raise Unchecked(f"{KINDS[kind]} at time {time + 1}: {2 * first} bits do not decide values {j} and {k}")
    raise Refuted(
        f"{KINDS[kind]} at time {time + 1}: other releases may move the odds of values {j} and {k} by a factor of "
        f"{below_it(ratio):.17g} or more, above what was found; this is a fault of the program"
    )


def most_of(level: Level, bits: int = BITS, spare: int = 8) -> Fraction | None:
    """Return the excess that a level may have, in bits less the spare ones; None: any."""
    return None if level.is_infinite else level.excess_bounds(bits)[1] * (1 + Fraction(1, 1 << (bits - spare)))


def most_of_all(budgets: Sequence[Level], times: int) -> list[Fraction | None]:
    """Return at least the excess of the sum of the budgets before each time, which no pair exceeds; None: too large."""
    sums: list[Fraction | None] = [Fraction(0)]
    for budget in budgets[: times - 1]:
        sums.append(joined(sums[-1], None if budget.is_infinite else budget.excess_bounds(2 * BITS)[1]))
    return sums + sums[-1:] * (times - len(sums))


def joined(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    """Return at least the excess of two sums together, (1 + a)(1 + b) − 1; None where one is, or if it is too large."""
    if one is None or other is None or (whole := one + other + one * other) > MOST_ODDS:
        return None
    places = max(2 * BITS - whole.numerator.bit_length() + whole.denominator.bit_length(), 0)
    return Fraction(-((-whole.numerator << places) // whole.denominator), 1 << places)


def allowance(level: Level, budget: Level, bits: int = BITS, spare: int = 8) -> Fraction | None:
    """Return what the ratio of the rest, less 1, may be where this budget leaks a level; None: no limit."""
    most = most_of(level, bits, spare)
    if most is None:
        return None
    if budget.is_infinite:
        return Fraction(-1)
    own: Fraction = budget.excess_bounds(2 * BITS)[1]
    if most > (MOST_ODDS + 2) * (1 + own):
        return Fraction(MOST_ODDS + 1)  # it is less, and not checked either; quotients of millions of bits take long
    return (most - own) / (1 + own)


def precision(small: Iterable[Fraction | None], sides: Iterable[CheckedSide | None]) -> int:
    """Return with how many bits integers are tried first: such that small limits and entries have all their digits."""
    entries = (p for side in sides if side for rows in side.rows for row in rows for p in row)
    each = (own.denominator.bit_length() - own.numerator.bit_length() for own in chain(small, entries) if own)
    return BITS + 96 + max([0, *each])


def is_exceeded(limit: Fraction, coarse: Fraction | float, fine: Fraction | float) -> bool:
    """Return whether bounds by integers, of twice the length the second time, are above a limit by no rounding."""
    if inf in (coarse, fine):
        return coarse == fine
    return limit == 0 or fine - limit > 16 * max(coarse - fine, fine - coarse)


Left = tuple[int, int, int]
"""A kind of leakage, a time from 0, the place of a pair."""

Open = tuple[Sequence[Left], Sequence[Doubles], Sequence[Sequence[Fraction | None]], Indices]
"""What is left; for each depth of both sides about what B − 1 is for each pair, and what is claimed of all; `alike`."""


def _left_by_doubles(
    sides: Sequence[CheckedSide | None], pairs: Indices, allowed: Sequence[Sequence[Fraction | None]], counts: Mask
) -> tuple[list[Left], Sequence[Doubles]]:
    """Return what doubles do not prove, and about what B − 1 is on both sides, a row for each depth."""
    most = np.array([[inf if own is None else below_it(own) for own in each] for each in allowed])[:, :, None]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        alone, both = 1 + most[:2, :, 0], 1 + most[2, :, 0]
        alone[[side is None for side in sides]] = 1
        shares = np.where(np.isfinite(alone).all(axis=0), alone * np.sqrt(both / alone.prod(axis=0)), np.sqrt(both))
        share = np.maximum(np.minimum(most[:2, :, 0], (both if None in sides else shares * (1 - 16 * U)) - 1), 0)
        past = Bounds(sides[0], len(counts), pairs, share[0])
        future = Bounds(sides[1], len(counts), pairs, share[1][::-1])
        is_steady = all(side is None or side.is_steady for side in sides)
        for turn in range(ROUNDS):
            left = _exceeding(past.high, future.high[::-1], most) & counts
            before, after = 1 + past.guess, 1 + future.guess[::-1]
            room = (1 + most) / np.array([before, after, before * after])
            is_greatest = room == np.where(counts, room, inf).min(axis=2, keepdims=True)
            is_open = room > 1 + 2 * MARGIN if is_steady or turn > 1 else room > 0  # windows make guesses too great
            wanted = left & is_open & ~is_greatest
            if not wanted.any():
                break
            part = np.minimum(np.where(wanted[:2], room[:2], inf), np.where(wanted[2], np.sqrt(room[2]), inf))
            for own, kind, order in ((past, 0, 1), (future, 1, -1)):
                x = np.maximum((1 + own.guess[::order]) * part[kind] - 1, 0)[::order]
                own.refine((wanted[kind] | wanted[2])[::order], x if turn % 2 == 0 else None)
        left = _exceeding(past.high, future.high[::-1], most) & counts
    return [(kind, time, place) for kind, time, place in np.argwhere(left).tolist()], (past.guess, future.guess)


def _exceeding(before: Doubles, after: Doubles, most: Doubles) -> Mask:
    """Return for each kind, time and pair whether an excess is above what is allowed."""
    both = np.where(before * after == 0, before + after, (before + after + before * after) * (1 + 4 * U))
    excesses = np.array([before, after, both])
    return ~(excesses <= most) & (most < inf)


def _left_by_integers(
    sides: Sequence[CheckedSide | None],
    pairs: Indices,
    allowed: Sequence[Sequence[Fraction | None]],
    left: Open,
    bits: int,
) -> Iterator[tuple[Left, Fraction | float]]:
    """Yield what integers of this length do not prove, with the ratio that they come to."""
    integers = _InIntegers(sides, pairs, left, bits)

    def exceeds(own: Left, bounds: Callable[[Part], Fraction | None]) -> bool:
        limit = allowed[own[0]][own[1]]
        return limit is not None and integers.ratio(own, bounds) - 1 > limit

    questions = [own for own in left[0] if exceeds(own, integers.claimed.get)]
    for part in sorted({part for own in questions for part in integers.parts(own)}, key=lambda part: part[1]):
        integers.bound(part)
    yield from ((own, integers.ratio(own, integers.bound)) for own in questions if exceeds(own, integers.bound))


Part = tuple[int, int, int]
"""A side, a number of releases, and the place of the first pair that is alike."""


class _InIntegers:
    """Bounds of pairs over the nearest releases of both sides, each worked out once, best in rising depth.

    claimed: bounds that are proved because they are what is claimed.
    """

    def __init__(
        self,
        sides: Sequence[CheckedSide | None],
        pairs: Indices,
        left: Open,
        bits: int,
    ) -> None:
        questions, near, claims, self._forms = left
        self._sides, self._pairs, self._near, self._bits = sides, pairs, near, bits
        self._last = len(near[0]) - 1
        places = sorted({place for _, _, place in questions})
        self._first = [dict(zip(own[places[::-1]].tolist(), places[::-1], strict=True)) for own in self._forms]
        self._lines: dict[tuple[int, ...], Lines] = {}
        self._bounds: dict[Part, Fraction | None] = {}
        self.claimed: dict[Part, Fraction] = {}
        wanted: dict[tuple[int, int], set[int]] = {}
        for at, depth, place in {part for own in questions for part in self.parts(own)}:
            excess = claims[at][depth]
            if excess is not None and 0 < excess <= (1 + MARGIN) * self._near[at][depth, place] < inf:
                wanted.setdefault((at, place), set()).add(depth)
        for (at, place), depths in wanted.items():
            self._try_claims(at, place, depths, claims[at])

    def _try_claims(self, at: int, place: int, depths: Collection[int], claims: Sequence[Fraction | None]) -> None:
        """Bound a pair over equal releases by what is claimed there, at once where claims hardly differ."""
        side, pair = self._sides[at], self._pairs[place].tolist()
        assert side is not None
        matrices, growths = side.releases(self._last, self._bits)
        if not side.is_steady or growths[0] is None:
            return
        known, slack = [0 if own is None else int(own * 2**self._bits) for own in claims], BITS - CLOSE + 1
        near = {depth: bisect(known, known[depth] + (known[depth] >> slack)) - 1 for depth in depths}
        deepest = {depth: max(depth, deep) for depth, deep in near.items()}  # B rises with depth
        tried = {deep: min(known[depth] for depth in depths if deepest[depth] == deep) for deep in deepest.values()}
        proved = proved_depths(matrices[0], growths[0], pair, tried, self._bits)
        for depth in depths:
            if deepest[depth] in proved:
                self.claimed[at, depth, place] = Fraction(tried[deepest[depth]], 1 << self._bits)

    def parts(self, question: Left) -> list[Part]:
        """Return which bounds bound a question."""
        kind, time, place = question
        both = zip((0, 1), (time, self._last - time), self._sides, strict=True)
        return [
            (at, depth, self._first[at][self._forms[at, place]])
            for at, depth, side in both
            if side and kind in (at, 2) and depth
        ]

    def ratio(self, question: Left, bounds: Callable[[Part], Fraction | None]) -> Fraction | float:
        """Return what both sides come to; ∞ where one has no bound."""
        found = [bounds(part) for part in self.parts(question)]
        return inf if None in found else prod((1 + own for own in found if own is not None), start=Fraction(1))

    def bound(self, part: Part) -> Fraction | None:
        """Return an upper bound of B − 1, None where it is infinite."""
        if part not in self._bounds:
            self._bounds[part] = self._bound(*part)
        return self._bounds[part]

    def _bound(self, at: int, depth: int, place: int) -> Fraction | None:
        side, pair = self._sides[at], self._pairs[place].tolist()
        assert side is not None
        time = self._last if side.is_steady else depth
        if side.is_silent(time, depth, pair):
            return Fraction(0)
        name = at, place, -1 if side.is_steady else int(side.which[time - 1])
        if name not in self._lines:
            self._lines[name] = side.lines(time, pair, self._bits)
        elif not side.is_steady:  # another time has other releases, which may be the same up to some distance
            self._lines[name].follow(*side.releases(time, self._bits))
        about = float(self._near[at][depth, place])
        return self._lines[name].bound(depth, int(Fraction(about) * 2**self._bits) if MARGIN < about < 1 / FLOOR else 0)
