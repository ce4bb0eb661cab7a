"""The check from above: no pair of values exceeds the number that goes out. It shares no code with what found it.

One side of a time, the nearest release first. For two values (j, k) and an excess x let c_0 = (P_j − P_k) − x P_k,
Φ_i(c) = c + (e^{ε_i} − 1)·max(c, 0), c_{i+1} = Φ_i(c_i) P_i, and W_d(x) the sum of the entries of Φ_{d−1}(c_{d−1}). By
theorem (sweep) of `reference.worst_case.sweep` the greatest ratio B_d of the pair over d releases is at most 1 + x if
and only if W_d(x) ≤ 0. What makes this cheap for all pairs at all times:

- Φ and products with P rise with c: what is proved of a c that is too great holds of the true one.
- B_d rises with d: a bound over more of the nearest releases holds over fewer. Where c ≤ 0, W ≤ 0 at all depths.
- Where 1 + A bounds what all releases from the i-th on do to the odds of any two values, A may stand for e^{ε_i} − 1,
  and the sweep ends there: the greatest leakage claimed for an earlier time is such an A, proved at its own time.

*Doubles.* u = 2^−53, c̄ ≥ c entrywise, E a double ≥ e^ε − 1, P rounded to nearest, f = fl(c̄ + E·max(c̄, 0)). Both terms
of f have one sign, so f loses at most 3u|f|; P loses u P; a sum of n products in any order loses at most γ_n |f| P. So
fl(f P) + (n + 6)u·fl(|f| P) is at least the next c, with what is left over for terms in u²; sums likewise. At the start
fl(c_0) + 4u(|P_j − P_k| + 3u + x P_k) + 2u P_k suffices. An entry of f nearer to 0 than `FLOOR` becomes it, or 0 if
negative, so that no product underflows. Rows are scaled by powers of 2, which changes no sign and loses nothing.

*Integers* (`above_lines`) decide what doubles leave open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from math import ceil, inf, nextafter, prod

import numpy as np
from numpy.typing import NDArray

from ..reference.correlations import Row
from ..reference.errors import Refuted, Unchecked
from ..reference.levels import Level
from ..reference.paper.leakage import Leakage
from ..reference.stepwise import Correlation, matrices_in, matrices_over
from .above_lines import Integers, Lines, alike
from .above_loss import BITS, U

Doubles = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

FLOOR = 1e-150
"""Nearest to 0 that a positive entry may come: the product of two such numbers is no subnormal."""

COARSE, MARGIN, LEAST = 2.0**-10, 2.0**-20, 2.0**-46
"""By how much an x that is tried lies above its guess, relative and absolute: well above what doubles lose."""

WINDOW = 8
"""Releases that a first bound reads, where claims bound those beyond: more cost more and bound closer."""

GRID = 2.0
"""Factor from one depth to the next at which all pairs are bounded where all steps are equal."""

SPREAD, ROUNDS = 200, 6
"""Depths of a pair at which its bounds are made closer in one round, and rounds."""

STRIDE = 64
"""Steps after which rows are scaled."""

MOST_TURNS = 60
"""Steps of Newton's method to a guess; most guesses take five."""

MOST_NUMBERS = 1 << 19
"""Numbers in an array that is worked on at once."""

MOST_EFFORT = 1 << 36
"""Products of doubles beyond which a stream is not checked: a check ends within seconds."""

KINDS = "BPL", "FPL", "TPL"


class Side:
    """The releases before a time, or after it with time reversed: `steps[s]` leads from release s + 1 to release s.

    outward: for each release, what the odds of any two values may change by from it on, less 1, as it is claimed.
    """

    def __init__(
        self, steps: Sequence[Sequence[Row]], budgets: Sequence[Level], outward: Doubles | None = None
    ) -> None:
        values: dict[tuple[Row, ...], int] = {}
        objects = {id(step): step for step in steps}
        number = {key: values.setdefault(tuple(step), len(values)) for key, step in objects.items()}
        self.which = np.array([number[id(step)] for step in steps], dtype=np.int64)
        self.rows, self.n = list(values), len(steps[0])
        own = {id(level): level for level in budgets}
        known = {key: None if level.is_infinite else level.excess_bounds(2 * BITS)[1] for key, level in own.items()}
        self.excesses = [known[id(level)] for level in budgets]
        self.growth = np.array([inf if own is None else above_it(own) for own in self.excesses])
        self.outward = np.full(len(budgets), inf) if outward is None else outward.copy()
        self.outward[0] = self.growth[0]
        self.is_steady = len(self.rows) == 1 and len(set(self.excesses)) == 1
        self.matrices = np.array([[[float(p) for p in row] for row in rows] for rows in self.rows])
        if ((self.matrices > 0) & (self.matrices < FLOOR)).any():
            self.matrices[:] = inf  # bounds nothing: left to integers
        self._integers: dict[tuple[int, int], Integers] = {}

    def first(self, release: Indices, pairs: Indices, x: Doubles) -> Doubles:
        """Return c̄ before the nearest release."""
        number, x = self.which[release], x[:, None]
        second = self.matrices[number, pairs[:, 1]]
        apart = self.matrices[number, pairs[:, 0]] - second
        above: Doubles = 4 * U * (np.abs(apart) + 3 * U + x * second) + 2 * U * second
        above += apart - x * second
        return above

    def after(self, c: Doubles, growth: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        """Return f̄ after a release, its size, and the sum W̄."""
        f = c + np.where(c > 0, growth[:, None] * c, 0)
        f = np.where(np.abs(f) < FLOOR, np.where(f > 0, FLOOR, 0), f)
        size = np.abs(f)
        return f, size, f.sum(axis=1) + (self.n + 6) * U * size.sum(axis=1)

    def onward(self, f: Doubles, size: Doubles, release: Indices) -> Doubles:
        """Return c̄ before the next release, that of this number."""
        return self._times(f, release) + (self.n + 6) * U * self._times(size, release)

    def lines(self, time: int, pair: Sequence[int], bits: int, end: int = 0, last: Fraction | None = None) -> Lines:
        """Return the sweeps of a pair before a time back to an end, in integers.

        Args: last, what the odds may change by from the end on, less 1, if that is known.
        """
        for number in set(self.which.tolist()) - {key for key, own in self._integers if own == bits}:
            self._integers[number, bits] = Integers(self.rows[number], bits)
        nearest = range(time - 1, end - 1, -1)
        excesses = [self.excesses[at] for at in nearest]
        if last is not None:
            excesses[-1] = last
        growths = [None if own is None else ceil(own * 2**bits) for own in excesses]
        return Lines([self._integers[int(self.which[at]), bits] for at in nearest], growths, pair, bits)

    def _times(self, rows: Doubles, release: Indices) -> Doubles:
        if len(self.rows) == 1:
            product: Doubles = rows @ self.matrices[0]
            return product
        numbers, found = self.which[release], np.empty_like(rows)
        for number in np.unique(numbers):
            own = numbers == number
            found[own] = rows[own] @ self.matrices[number]
        return found

    def proved(self, times: Indices, ends: Indices, pairs: Indices, x: Doubles) -> Mask:
        """Return for which rows W̄ ≤ 0 over the releases before a time back to an end, and those beyond it."""
        found, rows, release = np.zeros(len(x), dtype=bool), np.arange(len(x)), times - 1
        c, step = self.first(release, pairs, x), 0
        while len(rows):
            is_over = (c <= 0).all(axis=1)
            found[rows[is_over]] = True
            goes_on = ~is_over & (c < 0).any(axis=1)
            rows, c, release, ends = rows[goes_on], c[goes_on], release[goes_on], ends[goes_on]
            is_last = release == ends
            f, size, w = self.after(c, np.where(is_last, self.outward[release], self.growth[release]))
            found[rows[is_last & (w <= 0)]] = True
            goes_on = ~is_last & (w <= 0)
            rows, f, size = rows[goes_on], f[goes_on], size[goes_on]
            release, ends, step = release[goes_on] - 1, ends[goes_on], step + 1
            c = self.onward(f, size, release)
            if step % STRIDE == 0:
                c *= np.ldexp(1.0, -np.frexp(np.abs(c).max(axis=1, initial=FLOOR))[1])[:, None]
        return found

    def guessed(
        self, times: Indices, ends: Indices, pairs: Indices, x: Doubles, margin: float, *, from_below: bool = False
    ) -> Doubles:
        """Return about the least x with W ≤ 0, by Newton's method from x. Nothing rests on it.

        Args: margin, a relative error; from_below, whether what lies beyond the end is left out.
        """
        last = self.growth if from_below else self.outward
        x, left = x.copy(), np.arange(len(x))
        above, hurry = np.full(len(x), inf), np.ones(len(x))
        for _ in range(MOST_TURNS):
            rise = self._rise(times[left] - 1, ends[left], pairs[left], x[left], last)
            is_over = rise < 0
            above[left[is_over]] = x[left[is_over]]
            hurry[left] = np.where(is_over, 1, 2 * hurry[left])  # many releases give way one by one: go ahead of them
            ahead = x[left] + np.where(is_over, rise, rise * hurry[left] / 2)
            x[left] = np.where(ahead < above[left], ahead, (x[left] + above[left]) / 2)
            left = left[~(np.abs(rise) <= x[left] * margin / 16)]
            if not len(left):
                break
        return np.maximum(x, 0)

    def _rise(self, release: Indices, ends: Indices, pairs: Indices, x: Doubles, last: Doubles) -> Doubles:
        found, rows, step = np.zeros(len(x)), np.arange(len(x)), 0
        v = self.matrices[self.which[release], pairs[:, 1]]
        c = self.matrices[self.which[release], pairs[:, 0]] - (1 + x[:, None]) * v
        while True:
            is_last = release == ends
            growth = np.minimum(np.where(is_last, last[release], self.growth[release]), 1e15)
            factor = 1 + growth[:, None] * (c > 0)
            c, v = c * factor, v * factor
            found[rows[is_last]] = c[is_last].sum(axis=1) / v[is_last].sum(axis=1)
            if is_last.any():
                c, v, rows, release, ends = c[~is_last], v[~is_last], rows[~is_last], release[~is_last], ends[~is_last]
            if not len(rows):
                return found
            release, step = release - 1, step + 1
            c, v = self._times(c, release), self._times(v, release)
            if step % STRIDE == 0:
                size = v.sum(axis=1)[:, None]
                c, v = c / size, v / size


def above_it(value: Fraction) -> float:
    """Return a double at or above a number, ∞ beyond them."""
    return nextafter(float(value), inf) if value < 10**300 else inf


def below_it(value: Fraction) -> float:
    """Return a double at or below a number."""
    return nextafter(float(value), -inf) if value < 10**300 else 1e300


class Bounds:
    """Of all pairs at all times of one side, a row for a time: B − 1 is at most `high`, which doubles prove.

    guess: about B − 1. Nothing rests on it.
    """

    def __init__(self, side: Side | None, releases: int, pairs: Indices, share: Doubles) -> None:
        """Take a side, pairs, and an excess for each time that is tried for all of them first."""
        self.side, self.pairs = side, pairs
        self.high, self.guess = np.full((releases, len(pairs)), inf), np.zeros((releases, len(pairs)))
        self.high[0] = 0
        if side is None:
            self.high[:] = 0
        elif side.is_steady:
            self._at_some_depths(releases - 1)
        else:
            time, place = np.divmod(np.arange(len(pairs), releases * len(pairs)), len(pairs))
            is_known = np.isfinite(side.outward)
            latest = np.maximum.accumulate(np.where(is_known, np.arange(len(is_known)), 0))
            ends = latest[np.maximum(time - WINDOW, 0)]
            self._prove(time, place, ends, share[time])
            left = (self.high[time, place] == inf) & (share[time] < inf)
            self._prove(time[left], place[left], ends[left])

    def _at_some_depths(self, longest: int) -> None:
        moving, before, depth = np.arange(len(self.pairs)), 0, 1
        while True:
            self._prove(np.full(len(moving), depth), moving)
            last, own = self.guess[before, moving], self.guess[depth, moving]
            part = np.arange(1, depth - before)[:, None] / (depth - before)
            self.guess[before + 1 : depth, moving] = last + part * (own - last)
            self.guess[depth + 1 :, moving] = own
            moving = moving[own > last * (1 + COARSE / 16)]
            if depth == longest:
                break
            before, depth = depth, min(longest, max(depth + 1, int(depth * GRID))) if len(moving) else longest
        self._prove(np.full(len(self.pairs), longest), np.arange(len(self.pairs)))

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
                self.guess[time, place] = side.guessed(time, end, self.pairs[place], self.guess[time, place], margin)
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
            count, chosen = wanted.cumsum(axis=0), np.zeros_like(wanted)
            for part in np.linspace(0, 1, SPREAD):
                chosen[(count > np.ceil(part * (count[-1] - 1))).argmax(axis=0), np.arange(wanted.shape[1])] = True
            wanted = wanted & chosen
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

    Args: budgets, matrices, possible: as `reference.worst_case.leakage.tight_leakage`; claimed, upper bounds, ∞ where
    anything will do. Raises: Refuted, with the values and the time, where a pair of values exceeds one; Unchecked.
    """
    last, n = len(budgets) - 1, max((matrix.n for own in (backward, forward) for matrix in matrices_in(own)), default=0)
    levels = claimed.bpl, claimed.fpl, claimed.tpl
    allowed = [[allowance(*both) for both in zip(each, budgets, strict=True)] for each in levels]
    values = [range(n)] * len(budgets) if possible is None else possible
    alone = [len(own) < 2 and (n > 0 or possible is not None) for own in values]
    for each in allowed:
        if any(most is not None and most < 0 and not one for most, one in zip(each, alone, strict=True)):
            raise Refuted("a leakage is claimed that is below the budget of the release itself")
    if n < 2 or not last:
        return
    pairs = np.array(list(permutations(range(n), 2)), dtype=np.int64)
    counts = np.array([[j in own and k in own for j, k in pairs.tolist()] for own in values])
    sides: list[Side | None] = []
    for known, reached, order in ((backward, levels[0], 1), (forward, levels[1], -1)):
        steps = known and [own.rows for own in matrices_over(known, last, ("backward", "forward")[order < 0])][::order]
        claims = [most_of(min(both)) for both in zip(reached, levels[2], strict=True)]
        outward = np.array([inf if own is None or possible is not None else above_it(own) for own in claims])[::order]
        sides.append(Side(steps, budgets[::order], outward) if steps else None)
    effort = sum(n**4 * len(budgets) * (1 if side.is_steady else WINDOW) for side in sides if side is not None)
    if effort > MOST_EFFORT:
        raise Unchecked(f"{len(budgets)} releases with {n} states take the check too long")
    left, near = _left_by_doubles(sides, pairs, allowed, counts)
    first = precision(own for each in allowed for own in each)
    for bits in (first, 2 * first):
        exceeding = dict(_left_by_integers(sides, pairs, allowed, (left, near), bits))
        left = list(exceeding)
        if not left:
            return
    (kind, time, place), ratio = next(iter(exceeding.items()))
    j, k = (pairs[place] + 1).tolist()
    raise Refuted(
        f"{KINDS[kind]} at time {time + 1}: other releases may move the odds of values {j} and {k} by a factor of "
        f"{float(ratio):.17g} or more, above what was found; this is a fault of the program"
    )


def most_of(level: Level, bits: int = BITS) -> Fraction | None:
    """Return the excess that a level may have, to 8 bits less than so many; None: any."""
    return None if level.is_infinite else level.excess_bounds(bits)[1] * (1 + Fraction(1, 1 << (bits - 8)))


def allowance(level: Level, budget: Level, bits: int = BITS) -> Fraction | None:
    """Return what the ratio of the rest, less 1, may be where this budget leaks a level; None: no limit."""
    most = most_of(level, bits)
    if most is None:
        return None
    if budget.is_infinite:
        return Fraction(-1)
    own: Fraction = budget.excess_bounds(2 * BITS)[1]
    return (most - own) / (1 + own)


def precision(allowed: Iterable[Fraction | None]) -> int:
    """Return with how many bits integers are tried first: such that small limits have all their digits."""
    small = (own.denominator.bit_length() - own.numerator.bit_length() for own in allowed if own)
    return BITS + 96 + max(0, *small, 0)


Left = tuple[int, int, int]
"""A kind of leakage, a time from 0, the place of a pair."""


def _left_by_doubles(
    sides: Sequence[Side | None], pairs: Indices, allowed: Sequence[Sequence[Fraction | None]], counts: Mask
) -> tuple[list[Left], Sequence[Doubles]]:
    """Return what doubles do not prove, and about what B − 1 is on both sides, a row for each depth."""
    most = np.array([[inf if own is None else below_it(own) for own in each] for each in allowed])[:, :, None]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        share = np.maximum(np.minimum(most[:2], (1 + most[2]) ** (1 if None in sides else 0.5) - 1), 0)[:, :, 0]
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
    sides: Sequence[Side | None],
    pairs: Indices,
    allowed: Sequence[Sequence[Fraction | None]],
    left: tuple[Sequence[Left], Sequence[Doubles]],
    bits: int,
) -> Iterator[tuple[Left, Fraction]]:
    """Yield what integers of so many bits do not prove, with the ratio that they come to."""
    open_questions, near = left
    last, places = len(allowed[0]) - 1, sorted({place for _, _, place in open_questions})
    keys: list[dict[int, object]] = [
        dict(zip(places, alike(side.rows[0], pairs[places]) if side and side.is_steady else places, strict=True))
        for side in sides
    ]

    def parts(kind: int, time: int, place: int) -> list[tuple[int, int, object]]:
        both = (0, time), (1, last - time)
        return [(at, depth, keys[at][place]) for at, depth in both if sides[at] and kind in (at, 2) and depth]

    wanted = {part: own[2] for own in open_questions for part in parts(*own)}
    known: dict[tuple[int, object], Lines] = {}
    bounds: dict[tuple[int, int, object], Fraction | None] = {}
    for (at, depth, key), place in sorted(wanted.items(), key=lambda own: own[0][:2]):
        side = sides[at]
        assert side is not None
        lines = known.get((at, key)) or side.lines(last if side.is_steady else depth, pairs[place].tolist(), bits)
        if side.is_steady:  # elsewhere another time has other releases
            known[at, key] = lines
        about = float(near[at][depth, place])
        bounds[at, depth, key] = lines.bound(depth, int(Fraction(about) * 2**bits) if about < 1 / FLOOR else 0)
    for own in open_questions:
        found = [bounds[part] for part in parts(*own)]
        ratio = prod((1 + excess for excess in found if excess is not None), start=Fraction(1))
        limit = allowed[own[0]][own[1]]
        assert limit is not None
        if None in found or ratio - 1 > limit:
            yield own, ratio
