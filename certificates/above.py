"""The check from above: no pair of values exceeds the number that goes out. It shares no code with what found it.

One side of a time, the nearest release first. For two values (j, k) and an excess x let c_0 = (P_j − P_k) − x P_k,
Φ_i(c) = c + (e^{ε_i} − 1)·max(c, 0), c_{i+1} = Φ_i(c_i) P_i, and W_d(x) the sum of the entries of Φ_{d−1}(c_{d−1}). By
theorem (sweep) of `reference.worst_case.sweep` the greatest ratio B_d of the pair over d releases is at most 1 + x if
and only if W_d(x) ≤ 0. Three facts make this cheap for all pairs at all times:

- Φ and products with P rise with c: what is proved of a c that is too great holds of the true one.
- Every entry of c, and W_d, is convex in x: between two x it lies on or below the chord, whose zero bounds B_d − 1.
- Where c ≤ 0, all further W are the sum of c.

*Doubles.* u = 2^−53, c̄ ≥ c entrywise, E a double ≥ e^ε − 1, P rounded to nearest, f = fl(c̄ + E·max(c̄, 0)). Both terms
of f have one sign, so f loses at most 3u|f|; P loses u P; a sum of n products in any order loses at most γ_n |f| P. So
fl(f P) + (n + 6)u·fl(|f| P) is at least the next c, with what is left over for terms in u²; sums likewise. At the start
fl(c_0) + 4u(|P_j − P_k| + 3u + x P_k) + 2u P_k suffices. An entry of f nearer to 0 than `FLOOR` becomes it, or 0 if
negative, so that no product underflows.

*Integers* of fixed length, rounded upward at each step, decide what doubles leave open.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from math import inf, lcm, nextafter
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..reference.correlations import Row
from ..reference.errors import Refuted, Unchecked
from ..reference.levels import Level
from ..reference.paper.leakage import Leakage
from ..reference.stepwise import Correlation, KnownCorrelation, matrices_in, matrices_over
from .above_loss import BITS, LARGEST, U

Doubles = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

FLOOR, TINY = 1e-150, 1e-300
CLOSE = 2.0**-40
"""Relative width of a pair's bracket at which doubles leave the pair to integers."""

GUARD = 64
"""Bits of an integer that are lost by rounding, at most, or nearly: bounds are sought as close as the others tell."""

FEW, IDLE, PATIENT, MOST_ROWS = 4, 8, 8, 1024
LONGEST = 1 << 62
MOST_ROUNDS, MOST_AT_ONCE = 60, 8
"""Rounds in which brackets are narrowed, and times of a pair at which they are in one round."""
FOR_EVER_BITS = 44
"""The same of a supremum over an infinite horizon, which doubles prove to 36 bits, ten digits, or not at all."""

DEPTHS = 16, 64, 256, 1024, 2048
"""Releases over which B is guessed for an infinite horizon."""

MOST_TURNS = 28
"""Steps of Newton's method to a guess, at first over 16 releases, then over twice as many, and so on."""

MOST_STEPS = 1 << 13
"""Releases over which a sweep is followed that is to stay below 0 for ever."""

MOST_RELEASES, MOST_EFFORT = 500, 1 << 34
"""Longer streams, and more products of all pairs at all releases, are not checked: a check ends within seconds."""

CHUNK = 1 << 19
"""Numbers in an array that is worked on at once."""


class Side:
    """The releases before a time, or after it with time reversed: `steps[s]` leads from release s + 1 to release s."""

    def __init__(self, steps: Sequence[Sequence[Row]], budgets: Sequence[Level]) -> None:
        values: dict[tuple[Row, ...], int] = {}
        objects = {id(step): step for step in steps}
        number = {key: values.setdefault(tuple(step), len(values)) for key, step in objects.items()}
        self.which = np.array([number[id(step)] for step in steps], dtype=np.int64)
        self.rows = list(values)
        known = {id(own): own for own in budgets}
        bounds = {key: None if own.is_infinite else own.excess_bounds(2 * BITS)[1] for key, own in known.items()}
        self.excesses = [bounds[id(own)] for own in budgets]
        self.growth = np.array([inf if own is None else _above(own) for own in self.excesses])
        self.is_steady = len(self.rows) == 1 and len(set(self.excesses)) == 1
        self.matrices = np.array([[[float(p) for p in row] for row in rows] for rows in self.rows])
        if ((self.matrices > 0) & (self.matrices < FLOOR)).any():
            self.matrices[:] = inf  # bounds nothing: left to integers
        self.n = len(self.rows[0])
        self._integers: dict[int, tuple[list[int], Any, int]] = {}

    def _first(self, numbers: Indices, pairs: Indices, x: Doubles) -> Doubles:
        """Return c̄ before the nearest release. Args: numbers, of the matrix that leads there."""
        first, at = self.matrices[numbers], np.arange(len(x))
        second, x = first[at, pairs[:, 1]], x[:, None]
        apart = first[at, pairs[:, 0]] - second
        above: Doubles = 4 * U * (np.abs(apart) + 3 * U + x * second) + 2 * U * second
        above += apart - x * second
        return above

    def _after(self, c: Doubles, release: Indices) -> tuple[Doubles, Doubles, Doubles]:
        """Return f̄ after a release, its size, and the sum W̄."""
        f = c + np.where(c > 0, self.growth[release][:, None] * c, 0)
        f = np.where(np.abs(f) < FLOOR, np.where(f > 0, FLOOR, 0), f)
        size = np.abs(f)
        return f, size, f.sum(axis=1) + (self.n + 6) * U * size.sum(axis=1)

    def _onward(self, f: Doubles, size: Doubles, numbers: Indices) -> Doubles:
        """Return c̄ before the next release. Args: numbers, of the matrix that leads there."""
        c = np.empty_like(f)
        for number in np.unique(numbers):
            own, matrix = numbers == number, self.matrices[number]
            c[own] = f[own] @ matrix + (self.n + 6) * U * (size[own] @ matrix)
        return c

    def swept(self, times: Indices, pairs: Indices, x: Doubles) -> Doubles:
        """Return W̄ for each time, pair and x, in a row: of each depth if steady, else of all releases."""
        longest = int(times.max())
        found = np.full((len(x), longest if self.is_steady else 1), inf)
        c, rows = self._first(self.which[times - 1], pairs, x), np.arange(len(x))
        for step in range(longest):
            is_over = (c <= 0).all(axis=1)
            if is_over.any():
                total = c[is_over].sum(axis=1) * (1 - (self.n + 6) * U)
                found[rows[is_over], min(step, found.shape[1] - 1) :] = total[:, None]
            goes_on = ~is_over & (c < 0).any(axis=1)
            rows, times, c = rows[goes_on], times[goes_on], c[goes_on]
            if not len(rows):
                break
            release = times - 1 - step
            f, size, w = self._after(c, release)
            is_last = release == 0
            if self.is_steady:
                found[rows, step] = w
            else:
                found[rows[is_last], 0] = w[is_last]
            rows, times, f, size = rows[~is_last], times[~is_last], f[~is_last], size[~is_last]
            c = self._onward(f, size, self.which[times - 2 - step])
        return np.where(np.isnan(found), inf, found)

    def lasting(self, time: int, pairs: Indices, x: Doubles) -> Mask:
        """Return for which pairs and x all W ≤ 0 where steps and budgets come again and again without end."""
        period, found, rows = len(self.growth), np.zeros(len(x), dtype=bool), np.arange(len(x))
        c = kept = self._first(np.full(len(x), self.which[(time - 1) % period]), pairs, x)
        for step in range(MOST_STEPS):
            if step % period == 0:
                shrunk = (c <= 0).all(axis=1) | (_comes_shrunk(kept, c) if step else False)
                found[rows[shrunk]] = True
                rows, c, kept = rows[~shrunk], c[~shrunk], kept[~shrunk]
                if step // period & (step // period - 1) == 0:
                    kept = c
            if not len(rows):
                break
            f, size, w = self._after(c, np.full(len(rows), (time - 1 - step) % period))
            goes_on = w <= 0
            rows, f, size, kept = rows[goes_on], f[goes_on], size[goes_on], kept[goes_on]
            c = self._onward(f, size, np.full(len(rows), self.which[(time - 2 - step) % period]))
            if step % 64 == 63:  # by powers of 2, which change no sign and lose nothing
                scale = np.ldexp(1.0, -np.frexp(np.abs(c).max(axis=1, initial=TINY))[1])[:, None]
                c, kept = c * scale, kept * scale
        return found

    def attained(self, time: int, pairs: Indices, x: Doubles, depth: int) -> Doubles:
        """Return about what B − 1 is over the nearest `depth` releases of a side without end: a guess, from below."""
        period = len(self.growth)
        first = self.matrices[self.which[(time - 1) % period]]
        over, turns = min(depth, 16), 0
        while over <= depth:
            c, v = first[pairs[:, 0]] - (1 + x[:, None]) * first[pairs[:, 1]], first[pairs[:, 1]]
            for step in range(over):
                factor = 1 + self.growth[(time - 1 - step) % period] * (c > 0)
                matrix = self.matrices[self.which[(time - 2 - step) % period]]
                c, v = c * factor @ matrix, v * factor @ matrix
                if step % 64 == 63:
                    c, v = c / v.sum(axis=1)[:, None], v / v.sum(axis=1)[:, None]
            rise, turns = c.sum(axis=1) / v.sum(axis=1), turns + 1
            x = x + np.maximum(rise, 0)
            if (rise <= x * 64 * U).all() or turns == MOST_TURNS:
                over, turns = 2 * over, 0
        return x

    def integers(self, number: int) -> tuple[list[int], Any, int]:
        """Return a matrix: its row a is counts[a] divided by shares[a]; and the bits with which to divide."""
        if number not in self._integers:
            shares = [lcm(*(p.denominator for p in row)) for row in self.rows[number]]
            counts = [[int(p * share) for p in row] for row, share in zip(self.rows[number], shares, strict=True)]
            self._integers[number] = shares, np.array(counts, dtype=object), max(shares).bit_length() + 8
        return self._integers[number]


def _comes_shrunk(before: Doubles, after: Doubles) -> Mask:
    """Return for which rows after ≤ θ·before holds for some θ from 0 to 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(before > 0, after / before, 0).max(axis=1, initial=0.0)[:, None] * (1 + 4 * U)
    is_under = np.where(before > 0, True, after <= part * before * (1 + 4 * U))
    found: Mask = (part[:, 0] <= 1) & is_under.all(axis=1)
    return found


class _Brackets:
    """What is proved of some pairs at all times of one side: for each time, a row, an x with W > 0 and one with W ≤ 0.

    low, above: an x and W̄ > 0 there, ∞ where nothing is known; high, below: an x and W̄ ≤ 0 there, ∞ as long as nothing
    is proved; farther, beyond: one x more, above high.
    """

    def __init__(self, side: Side, pairs: Indices, most: Doubles) -> None:
        """Take a side, pairs of values, and for each number of releases an x from which to start."""
        self.side, self.pairs = side, pairs
        shape = len(most), len(pairs)
        self.low, self.above = np.zeros(shape), np.full(shape, inf)
        self.high, self.below = np.repeat(most[:, None], len(pairs), axis=1), np.full(shape, inf)
        self.farther, self.beyond = self.high.copy(), self.below.copy()
        rows = [side.rows[number] for number in side.which[: 1 if side.is_steady else None]]
        is_equal = [[own[j] == own[k] for j, k in pairs.tolist()] for own in rows]
        is_known = np.vstack(
            [np.ones((1, len(pairs)), dtype=bool), np.broadcast_to(is_equal, (len(most) - 1, len(pairs)))]
        )
        self.high[is_known], self.below[is_known] = 0, 0
        self._starts = [most[1] / 4, most[-1], most[len(most) // 2], most[1]] if side.is_steady else [1.0]

    def bounds(self) -> Doubles:
        """Return upper bounds of B − 1 at each time of each pair, ∞ where none is proved."""
        return np.where(self.below <= 0, self._chord(), inf)

    def _chord(self) -> Doubles:
        with np.errstate(invalid="ignore", divide="ignore"):
            part = np.where(self.above < inf, -self.below / (self.above - self.below), 0.0)
        return self.high - (self.high - self.low) * part * (1 - 16 * U)

    def nodes(self) -> tuple[Doubles, Doubles]:
        """Return x that are likely to lie a little above, and a little below, the least with W ≤ 0."""
        is_proved, middle = self.below <= 0, self.low + (self.high - self.low) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            over = np.where(is_proved, np.where(self.above < inf, self._chord(), middle), 2 * self.high)
            line = self.high + self.below * (self.farther - self.high) / (self.below - self.beyond)
        is_between = is_proved & (self.beyond < self.below) & (line > self.low) & (line < over)
        return over * (1 + 32 * U), np.where(is_between, line, self.low + (over - self.low) / 2) * (1 - 32 * U)

    def is_wide(self) -> Mask:
        """Where doubles may still narrow a bracket."""
        bound = self._chord()
        return (self.below > 0) | (bound - self.low > CLOSE * bound)

    def narrow(self, wanted: Mask) -> None:
        """Try x for what is wanted; if steady, for a few of the times of each pair: they tell about the others too."""
        last = int(np.flatnonzero(wanted.any(axis=1))[-1])
        tried = self._of_all(wanted) if self.side.is_steady else self._of_each(wanted)
        times, pairs, x = (np.concatenate([own[at] for own in tried]) for at in range(3))
        w = self.side.swept(np.full(len(x), last) if self.side.is_steady else times, self.pairs[pairs], x)
        for at, (time, pair, own_x) in enumerate(tried):
            own = w[at * len(own_x) : (at + 1) * len(own_x)].T
            rows = np.arange(1, last + 1)[:, None] if self.side.is_steady else time[None, :]
            self._take(*np.broadcast_arrays(rows, pair[None, :]), *np.broadcast_arrays(own_x[None, :], own))

    def _of_each(self, wanted: Mask) -> list[tuple[Indices, Indices, Doubles]]:
        time, pair = np.nonzero(wanted)
        nodes = [self.high] if self._starts else list(self.nodes())
        self._starts = []
        return [(time, pair, x[time, pair]) for x in nodes]

    def _of_all(self, wanted: Mask) -> list[tuple[Indices, Indices, Doubles]]:
        pair = np.flatnonzero(wanted.any(axis=0))
        if self._starts:
            return [(pair, pair, np.full(len(pair), self._starts.pop()))]
        count, most = np.cumsum(wanted[:, pair], axis=0), min(MOST_AT_ONCE, MOST_ROWS // len(pair))
        spread = np.linspace(0, 1, max(1, min(most, 1 + int(count[-1].max()) // 4)))
        times = np.unique([(count > part * (count[-1] - 1)).argmax(axis=0) for part in spread], axis=0)
        return [(time, pair, x[time, pair]) for time in times for x in self.nodes()]

    def _take(self, time: Indices, pair: Indices, x: Doubles, w: Doubles) -> None:
        """Narrow the brackets by W̄ at x."""
        low, high, below = self.low[time, pair], self.high[time, pair], self.below[time, pair]
        is_over = (w <= 0) & ((x < high) | (below > 0))
        is_old = is_over & (below <= 0)
        self.farther[time[is_old], pair[is_old]], self.beyond[time[is_old], pair[is_old]] = high[is_old], below[is_old]
        for chosen, places, values in (
            (is_over, self.high, self.below),
            ((w <= 0) & ~is_over & (x > high) & (x < self.farther[time, pair]), self.farther, self.beyond),
            ((w > 0) & (x >= low) & ((x < high) | (below > 0)), self.low, self.above),
        ):
            places[time[chosen], pair[chosen]], values[time[chosen], pair[chosen]] = x[chosen], w[chosen]
        self.high = np.where((self.below > 0) & (self.high <= self.low), 2 * self.low, self.high)


Left = tuple[int, int, int, list[list[float]]]


def left_by_doubles(past: Side | None, future: Side | None, pairs: Indices, most: Doubles, counts: Mask) -> list[Left]:
    """Return what doubles do not prove: the kind (0, 1, 2 for BPL, FPL, TPL), the time from 0, the place of the pair.

    With it, between which two numbers B − 1 and F − 1 are likely to be.

    Args: most, in a row for each kind, what B − 1, F − 1 and B·F − 1 may be at each time; counts, which pairs count.
    """
    left, size = (
        [],
        max(1, CHUNK // (8 * most.shape[1] + 16 * max(side.n for side in (past, future) if side is not None))),
    )
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for start in range(0, len(pairs), size):
            own = slice(start, start + size)
            masks, near = _unproved(past, future, pairs[own], most, counts[:, own])
            for kind, mask in enumerate(masks):
                left += [
                    (kind, time, start + pair, near[:, time, pair].tolist())
                    for time, pair in np.argwhere(mask).tolist()
                ]
    return left


def _unproved(
    past: Side | None, future: Side | None, pairs: Indices, most: Doubles, counts: Mask
) -> tuple[list[Mask], Doubles]:
    starts = np.minimum(np.minimum(most[:2], most[2]), 1e100)
    sides = [
        None if side is None else _Brackets(side, pairs, start)
        for side, start in ((past, starts[0]), (future, starts[1][::-1]))
    ]
    nothing = np.zeros((most.shape[1], len(pairs)))
    sizes: list[int] = []
    found: list[Mask] = []
    while len(sizes) < MOST_ROUNDS:
        before, after = (nothing if side is None else side.bounds() for side in sides)
        after = after[::-1]
        bounds = before, after, (before + after + before * after) * (1 + 4 * U)
        found = [
            ~(own <= limit[:, None]) & (limit[:, None] < inf) & counts for own, limit in zip(bounds, most, strict=True)
        ]
        wanted = [found[0] | found[2], (found[1] | found[2])[::-1]]
        wanted = [mask & (side is not None and side.is_wide()) for side, mask in zip(sides, wanted, strict=True)]
        sizes.append(int(np.any(found, axis=(0, 1)).sum()))
        if not any(map(np.any, wanted)) or sizes[-1] <= FEW or sizes[-1] == sizes[-IDLE:][0] < sizes[0]:
            break
        for side, mask in zip(sides, wanted, strict=True):
            if side is not None and mask.any():
                side.narrow(mask)
    near = [np.minimum(np.stack([nothing] * 2 if side is None else side.nodes(), axis=-1), LARGEST) for side in sides]
    return found, np.array([near[0], near[1][::-1]])


@dataclass
class Node:
    """An x and its sweep: where c is above 0 at each release; c and W with each release from `start` on."""

    x: int
    start: int
    c: list[list[int]]
    sets: list[int]
    w: list[int]
    sides: tuple[Node, Node] | None = None
    """The nodes between which it began at a release: before, it lies on their chords, kept where asked for."""
    known_c: dict[int, list[int]] = field(default_factory=dict)
    known_w: dict[int, int] = field(default_factory=dict)


class Course:
    """The sweeps of one pair before one time, in integers (2^bits stands for 1) rounded upward, at several x."""

    def __init__(self, side: Side, time: int, pair: tuple[int, int], bits: int) -> None:
        self._side, self._time, self._bits = side, time, bits
        first = side.rows[side.which[time - 1]]
        self._apart = [_ceil((p - q) * 2**bits) for p, q in zip(*(first[value] for value in pair), strict=True)]
        self._second = [int(q * 2**bits) for q in first[pair[1]]]
        self._growth = [None if own is None else _ceil(own * 2**bits) for own in side.excesses]
        self._nodes = [self._from_the_start(0)]

    def bound(self, depth: int, ends: Sequence[float]) -> Fraction:
        """Return an upper bound of B − 1 over the nearest releases, as close as the integers tell.

        Args: ends, between which it is likely to be.
        """
        slack, width = 0, 0
        for x in ends if len(self._nodes) == 1 else ():
            self._add(int(Fraction(x) * 2**self._bits), *self._around(depth))
        while True:
            low, high = self._around(depth)
            if low is None:
                return Fraction(0)
            if high is None:
                self._add(max(int(Fraction(ends[0]) * 2**self._bits), 2 * low.x + 1), low, None)
                continue
            if (
                None in self._growth[self._time - depth : self._time]
            ):  # W jumps where c is above 0 there: no chord holds
                if high.x - low.x <= 2 + (high.x >> self._bits - GUARD):
                    return Fraction(high.x, 2**self._bits)
                self._add((low.x + high.x) // 2, low, high)
                continue
            over, under, before, width = self._w(low, depth), -self._w(high, depth), width, high.x - low.x
            found = high.x - width * under // (over + under)
            nearly, slack = (found << max(slack - PATIENT, 0) >> self._bits - GUARD) + 2, slack + 1
            if width <= 4 * nearly or _alike(low, high) >= depth:
                return Fraction(found, 2**self._bits)
            if 2 * width > before > 0:
                self._add((low.x + high.x) // 2, low, high)
            node = self._add(found + nearly, *self._around(depth))
            less = -self._w(node, depth)
            line = node.x - less * (high.x - node.x) // (under - less) - nearly if 0 <= less < under else low.x
            if line > low.x:
                self._add(line, *self._around(depth))

    def _around(self, depth: int) -> tuple[Node | None, Node | None]:
        """Return the last node with W > 0 over so many releases, and the first with W ≤ 0: W falls as x rises."""
        place = bisect_left(self._nodes, True, key=lambda node: self._w(node, depth) <= 0)
        return self._nodes[place - 1] if place else None, self._nodes[place] if place < len(self._nodes) else None

    def _from_the_start(self, x: int) -> Node:
        c = [own - (x * second >> self._bits) for own, second in zip(self._apart, self._second, strict=True)]
        return Node(x, 0, [c], [], [])

    def _add(self, x: int, low: Node | None, high: Node | None) -> Node:
        """Add a node; one between two others begins where these no longer have the same sets, on their chord."""
        if low is None or high is None or not low.x < x < high.x:
            node = self._from_the_start(x)
        else:
            start = min(_alike(low, high), *(own.start + len(own.c) - 1 for own in (low, high)))
            both = zip(self._c(low, start), self._c(high, start), strict=True)
            c = [_between(low, high, x, *values) for values in both]
            node = Node(x, start, [c], low.sets[:start], [], (low, high))
        insort(self._nodes, node, key=lambda own: own.x)
        return node

    def _c(self, node: Node, release: int) -> list[int]:
        if release < node.start:
            assert node.sides is not None
            if release not in node.known_c:
                both = zip(*(self._c(own, release) for own in node.sides), strict=True)
                node.known_c[release] = [_between(*node.sides, node.x, *values) for values in both]
            return node.known_c[release]
        return node.c[release - node.start]

    def _w(self, node: Node, depth: int) -> int:
        """Return W over the nearest releases."""
        if depth <= node.start:
            assert node.sides is not None
            if depth not in node.known_w:
                node.known_w[depth] = _between(*node.sides, node.x, *(self._w(own, depth) for own in node.sides))
            return node.known_w[depth]
        while len(node.sets) < depth:
            c, step = node.c[-1], len(node.sets)
            if node.sets and not node.sets[-1]:
                return sum(c)
            node.sets.append(sum(1 << place for place, value in enumerate(c) if value > 0))
            if not node.sets[-1]:
                return sum(c)
            f = self._after(c, step)
            if f is None:
                node.sets.pop()
                return 1
            node.w.append(sum(f))
            if step + 1 < self._time:
                node.c.append(self._onward(f, step))
        return node.w[depth - 1 - node.start] if depth - node.start <= len(node.w) else sum(node.c[-1])

    def _after(self, c: list[int], step: int) -> list[int] | None:
        """Return Φ(c) of the release `step` steps away; None if its budget is infinite, and some c positive."""
        growth = self._growth[self._time - 1 - step]
        if growth is None:
            return None
        return [value - (-growth * value >> self._bits) if value > 0 else value for value in c]

    def _onward(self, f: list[int], step: int) -> list[int]:
        """Return c before the next release."""
        number = int(self._side.which[self._time - 2 - step])
        shares, counts, extra = self._side.integers(number)
        divided = np.array(
            [-((-value << extra) // share) for value, share in zip(f, shares, strict=True)], dtype=object
        )
        return [-(-value >> extra) for value in (divided @ counts).tolist()]


def _between(low: Node, high: Node, x: int, at_low: int, at_high: int) -> int:
    """Return what lies on a chord between two nodes at x, rounded upward."""
    return -(-(at_low * (high.x - x) + at_high * (x - low.x)) // (high.x - low.x))


def _alike(first: Node, second: Node) -> int:
    """Return over how many of the nearest releases two nodes have the same sets, as far as both are worked out."""
    both = zip(first.sets, second.sets, strict=False)
    known = min(len(first.sets), len(second.sets))
    over = known > 0 and not first.sets[known - 1] and not second.sets[known - 1]
    return next((at for at, (one, other) in enumerate(both) if one != other), LONGEST if over else known)


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
    last = len(budgets) - 1
    past = _side(backward, budgets, "backward")
    future = _side(forward and matrices_over(forward, last, "forward")[::-1], budgets[::-1], "forward")
    levels = claimed.bpl, claimed.fpl, claimed.tpl
    allowed = [[_allowed(*both) for both in zip(each, budgets, strict=True)] for each in levels]
    n = max((matrix.n for own in (backward, forward) for matrix in matrices_in(own)), default=0)
    values = [range(n)] * len(budgets) if possible is None else possible
    alone = [len(own) < 2 and (n > 0 or possible is not None) for own in values]
    if any(
        most is not None and most < 0 and not one for each in allowed for most, one in zip(each, alone, strict=True)
    ):
        raise Refuted("a leakage is claimed that is below the budget of the release itself")
    if past is None and future is None:
        return
    for side in (past, future):
        if side is not None:
            effort = n**4 * len(budgets) * (1 if side.is_steady else len(budgets))
            if len(budgets) > MOST_RELEASES or effort > MOST_EFFORT:
                raise Unchecked(f"{len(budgets)} releases with {n} states take the check too long")
    pairs = np.array(list(permutations(range(n), 2)), dtype=np.int64).reshape(-1, 2)
    most = np.array([[inf if own is None else _below(own) for own in each] for each in allowed])
    courses: dict[tuple[int, ...], Course] = {}
    counts = np.array([[j in own and k in own for j, k in pairs.tolist()] for own in values])
    left = left_by_doubles(past, future, pairs, most, counts) if n > 1 else []
    for kind, time, place, ends in sorted(left, key=lambda own: (own[0], own[2], _reversed(own[1], last))):
        limit, sides = allowed[kind][time], [past if kind != 1 else None, future if kind != 0 else None]
        assert limit is not None
        found = []
        for bits in _precisions(limit):
            ratio = Fraction(1)
            for at, (side, depth) in enumerate(zip(sides, (time, last - time), strict=True)):
                if side is not None and depth:
                    key, longest = (at, place, bits), last if side.is_steady else depth
                    course = courses.get(key) or Course(side, longest, tuple(pairs[place].tolist()), bits)
                    if side.is_steady:  # elsewhere no other time can use it
                        courses[key] = course
                    ratio *= 1 + course.bound(depth, ends[at])
            found.append(ratio - 1)
            if ratio - 1 <= limit:
                break
        else:
            what, pair = f"{KINDS[kind]} at time {time + 1}", pairs[place].tolist()
            if limit > 0 and found[1] - limit < 16 * abs(found[0] - found[1]):
                raise Unchecked(
                    f"{what}: integers of twice the length do not decide values {pair[0] + 1} and {pair[1] + 1}"
                )
            raise Refuted(_exceeds(what, pair, found[1], limit))


KINDS = "BPL", "FPL", "TPL"


def _side(correlation: Correlation | None, budgets: Sequence[Level], name: str) -> Side | None:
    if correlation is None or len(budgets) < 2:
        return None
    return Side([own.rows for own in matrices_over(correlation, len(budgets) - 1, name)], budgets)


def _precisions(limit: Fraction) -> tuple[int, int]:
    """Return to how many bits integers are tried: such that a small limit has all its digits."""
    bits = BITS + 96 + max(0, limit.denominator.bit_length() - limit.numerator.bit_length())
    return bits, 2 * bits


def _exceeds(what: str, pair: Sequence[int], found: Fraction, limit: Fraction) -> str:
    return (
        f"{what}: other releases may move the odds of values {pair[0] + 1} and {pair[1] + 1} by a factor of "
        f"{float(1 + found):.17g}, above the {float(1 + limit):.17g} that was found; this is a fault of the program"
    )


def check_supremum(
    epsilon: Level, backward: KnownCorrelation | None, forward: KnownCorrelation | None, claimed: Level
) -> None:
    """Prove that TPL stays within what is claimed at all times of all horizons, one budget at every time.

    Args: as `reference.worst_case.leakage.tight_supremum`; matrices that repeat have a place for each time of a period.
    Raises: as `check_leakage`.
    """
    most, n = (
        _allowed(claimed, epsilon, FOR_EVER_BITS),
        max((own.n for each in (backward, forward) for own in matrices_in(each)), default=0),
    )
    if most is None or n == 1 or epsilon.is_zero:
        return
    if most < 0:
        raise Refuted("a leakage is claimed that is below the budget of the release itself")
    steps = [matrices_in(backward), matrices_in(forward)[::-1]]
    period = lcm(*(len(own) for own in steps if own))
    sides = [
        Side([own.rows for own in each * (period // len(each))], [epsilon] * period) if each else None for each in steps
    ]
    pairs = np.array(list(permutations(range(n), 2)), dtype=np.int64).reshape(-1, 2)
    for time in range(period):
        times = time or period, period - time
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            left = _left_for_ever(sides, times, pairs, _below(most))
            if len(left):
                _say_why(sides, times, pairs[left], float(most))


def _left_for_ever(sides: Sequence[Side | None], times: Sequence[int], pairs: Indices, most: float) -> Indices:
    """Return the places of the pairs for which doubles prove no bounds of both sides whose product is within most."""
    left, about = np.arange(len(pairs)), np.ones((2, len(pairs)))
    for depth in DEPTHS:
        for at, (side, time) in enumerate(zip(sides, times, strict=True)):
            if side is not None:
                about[at, left] = 1 + side.attained(time, pairs[left], about[at, left] - 1, depth)
        ratios = about[:, left]
        room = np.maximum((1 + most) / ratios.prod(axis=0), 1) ** (1 if None in sides else 0.5)
        holds = np.ones(len(left), dtype=bool)
        for at, (side, time) in enumerate(zip(sides, times, strict=True)):
            if side is not None:
                holds &= side.lasting(time, pairs[left], (ratios[at] * room - 1) * (1 - 16 * U))
        left = left[~holds]
        if not len(left):
            break
    return left


def _say_why(sides: Sequence[Side | None], times: Sequence[int], pairs: Indices, most: float) -> NoReturn:
    """Raise Refuted if some sets attain more, else Unchecked."""
    for pair in pairs:
        ratio = 1.0
        for side, time in zip(sides, times, strict=True):
            if side is not None:
                ratio *= 1 + float(side.attained(time, pair[None], np.zeros(1), DEPTHS[-1])[0])
        if ratio - 1 > most * (1 + CLOSE) + CLOSE:
            raise Refuted(_exceeds("supremum", pair.tolist(), Fraction(ratio - 1), Fraction(most)))
    j, k = (pairs[0] + 1).tolist()
    raise Unchecked(f"no sweep of values {j} and {k} is seen to stay below 0 for ever within {MOST_STEPS} releases")


def _allowed(level: Level, budget: Level, bits: int = BITS) -> Fraction | None:
    """Return what the ratio of the rest, less 1, may be where this budget leaks a level; None: no limit."""
    if level.is_infinite:
        return None
    if budget.is_infinite:
        return Fraction(-1)
    most, own = level.excess_bounds(bits)[1] * (1 + Fraction(1, 1 << (bits - 8))), budget.excess_bounds(2 * BITS)[1]
    return (most - own) / (1 + own)


def _reversed(time: int, last: int) -> tuple[bool, str]:
    """Order times such that the ends come first, then the middle, and so on."""
    return 0 < time < last, f"{time:b}".zfill(last.bit_length())[::-1]


def _ceil(value: Fraction) -> int:
    return -(-value.numerator // value.denominator)


def _above(value: Fraction) -> float:
    """Return a double at or above a number, ∞ beyond them."""
    return nextafter(float(value), inf) if value < 10**300 else inf


def _below(value: Fraction) -> float:
    """Return a double at or below a number."""
    return nextafter(float(value), -inf) if value < 10**300 else 1e300
