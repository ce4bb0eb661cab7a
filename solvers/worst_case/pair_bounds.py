"""Bounds of the tight leakage's ratios for all pairs of values at once, in doubles: they exclude pairs, nothing more.

The releases on one side of a time count from the nearest. For a pair (j, k) and depth d, B_d(j, k) is the greatest
ratio of `reference.worst_case.sweep` over these d releases. Bounds are of its excess x = B_d − 1. In c = (P_j − P_k) −
x·P_k the difference of the rows is taken first, so that nearly equal rows cost no digits. *Lower*: `doubles.attained`,
less what it may have lost. *Upper*: an x for which the sweep, raised at each step by more than doubles may have lost,
comes to W ≤ 0. Where c ≤ 0 at some step that is so for all longer horizons too; with one matrix and one budget
throughout also where c comes again, shrunk: after ≤ θ·before with θ < 1 (`reference.worst_case.balls`).

One release more makes no ratio smaller, and greater by at most e^ε: bounds at one depth are bounds at others.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Callable, Sequence
from math import inf, log, nextafter

import numpy as np
from numpy.typing import NDArray

from ...reference.correlations import Row
from ...reference.levels import Level
from ..floats import UNIT_ROUNDOFF, Doubles
from .doubles import OFTEN, Indices, RowDifferences, attained, attained_at_each, risen

GREATEST_FACTOR = 1e250
"""A budget with a greater e^ε, and a greater excess, are not worked with: doubles would overflow."""

GREATEST_ENTRY = 1e40
"""Above this the entries of a sweep are divided by a power of 2, which loses nothing that matters."""

ABOVE = (1e-3, 1e-1)
FINELY = (1e-9, 1e-6, 1e-3)
"""By these parts of its excess a λ lies above what is attained where it is tried as an upper bound."""

AHEAD_BITS = 3
"""Depths ahead, whose bounds serve lesser ones, are numbers of so many bits, or twice as many and so on, times a power
of 2."""

SLACK = 1e-12
"""And by this part of the difference of the two rows: in doubles an excess is known no better."""

RISE = 2e-2
"""Sets are sought again until they raise the excess by no greater part than this: what is left is about its square."""

MANY_VALUES = 32
"""For so many values a release takes so much longer than to see which sweeps are over that this is seen at each."""

RARELY = 4 * OFTEN
"""After so many releases it is seen which vectors come again, shrunk."""

CHUNK = 1 << 16
"""Entries of an array that is worked on at once: of so many a few arrays stay in the cache of a processor."""

FEWER_BITS = 2
"""As `AHEAD_BITS`, of the depths at which all pairs are bounded before all depths are looked at together."""

STRIDE = 1.005
"""Depths are bounded together over which the greatest excess grows by no greater a factor than this."""

CHORDS = (1.25, 1.5), (1.05, 1.2)
"""By no greater factors than these, of the excess and of the depth, the excesses differ between which W is bounded."""

MOST_LEADING = 32
"""So many pairs more are followed by themselves, at most, that may be the best of all at some depths."""

EXCESS_FACTOR, MOST_EXCESSES = 1.05, 128
"""By this factor the excesses differ with which sweeps are tried for all depths; by a greater one beyond so many."""

Mask = NDArray[np.bool_]


class PairBounds:
    """Bounds of B_d(j, k) − 1, for the depths d of one sequence of releases: arrays, a pair (j, k) at index j·n + k.

    for_ever: upper bounds at every depth, also where the releases go on as they are; ∞ where none is known.
    """

    def __init__(
        self,
        steps: Sequence[Sequence[Row]],
        budgets: Sequence[Level],
        known: dict[int, RowDifferences] | None = None,
        ratios: dict[int, float] | None = None,
    ) -> None:
        """Take the releases, the nearest first: their matrices from the one before (nearer), and finite budgets.

        Args: known, of matrices by their identity, what was worked out for other releases; ratios, of budgets by
        theirs, the same; both are added to.
        """
        known = {} if known is None else known
        distinct = {id(step): step for step in steps}
        for key, step in distinct.items():
            if key not in known:
                known[key] = RowDifferences(step)
        self._differences = known[id(steps[0])]
        self._steps = [known[id(step)].high for step in steps]
        ratios = {} if ratios is None else ratios
        for budget in budgets:
            if id(budget) not in ratios:
                ratios[id(budget)] = ratio_above(budget)
        self._ratios = [ratios[id(budget)] for budget in budgets]
        self._is_steady = len(distinct) == len(set(self._ratios)) == 1
        self.n = len(steps[0])
        self._usable = np.cumsum([0, *(ratio > GREATEST_FACTOR for ratio in self._ratios)]) == 0
        zeros = np.zeros(self.n * self.n)
        self.for_ever: Doubles = np.where(self._differences.are_equal, 0.0, np.inf).ravel()
        self._bounds, self._known = {0: (zeros, zeros)}, [0]
        self._tried: dict[int, Mask] = {}
        self._tightened: list[int] = []
        self.worst: dict[int, int] = {}
        """By the depth the index of the one pair that others cannot reach: among those that were foreseen there."""

    def ahead(self, depth: int) -> list[int]:
        """Return depths whose upper bounds serve this one too, the greatest first, this one last."""
        units = range(max((depth - 1).bit_length() - AHEAD_BITS, 0), -1, -AHEAD_BITS)
        return [*(min(-(-depth >> unit) << unit, len(self._steps)) for unit in units), depth]

    def found(self, depth: int, pair: int, lower: float, upper: float) -> None:
        """Take bounds of a pair, given by its index, that are known from elsewhere."""
        low, up = self._at(depth)
        low[pair], up[pair] = max(low[pair], lower), min(up[pair], upper)

    def at(self, depth: int) -> tuple[Doubles, Doubles]:
        """Return what is known at a depth: lower bounds and upper ones; at first what other depths imply."""
        low, up = self._at(depth)
        for deeper in self.ahead(depth)[:-1]:
            if deeper in self._bounds:
                up = np.minimum(up, self._bounds[deeper][1])
        return low, np.minimum(up, self.for_ever)

    def _at(self, depth: int) -> tuple[Doubles, Doubles]:
        if depth not in self._bounds:
            before = self._known[bisect(self._known, depth) - 1]
            low, up = self._bounds[before]
            with np.errstate(over="ignore"):
                grown = np.prod(self._ratios[before:depth]) * (1 + 1e-15 * (depth - before + 1))
                self._bounds[depth] = low.copy(), (1 + np.minimum(up, self.for_ever)) * grown - 1
            self._tried[depth] = np.zeros(self.n * self.n, dtype=bool)
            insort(self._known, depth)
        return self._bounds[depth]

    def tighten(self, depth: int, among: Mask, finely: bool = False, above: Sequence[float] = FINELY) -> None:
        """Work out the bounds at a depth ≥ 1 for some of the pairs; once, and where they are near, only if finely.

        Args: above, if finely, by which parts of its excess a λ is tried above what is attained.
        """
        if not self._usable[depth]:
            return
        self._raise_lower(depth)
        low, up = self.at(depth)
        fresh = among & (low == 0) & (up > 0)
        if depth > 1 and fresh.any():
            self.tighten(depth // 2, fresh)  # from nothing the sets are found in the fewer rounds the fewer releases
            self._raise_lower(depth)
        low, up = self.at(depth)
        size = max(1, CHUNK // self.n)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # what is no number bounds nothing
            indices = np.flatnonzero(among & (finely | ((up > low * (1 + 2 * ABOVE[0])) & ~self._tried[depth])))
            self._tried[depth][indices] = True
            for start in range(0, len(indices), size):
                self._tighten(depth, indices[start : start + size], above if finely else ABOVE)

    def _raise_lower(self, depth: int) -> None:
        """Raise what is attained at a depth to what was found at lesser ones since it was first looked at."""
        low, place = self._at(depth)[0], bisect(self._tightened, depth)
        for lesser in self._tightened[:place]:
            np.maximum(low, self._bounds[lesser][0], out=low)
        if not place or self._tightened[place - 1] < depth:
            self._tightened.insert(place, depth)

    def leave_out(self, depth: int, own: Indices, excess: float) -> None:
        """Bound by an excess those of some pairs of which a sweep proves that they attain no more at a depth.

        It is mostly over after a few releases, and mostly holds for ever; the other pairs are left as they are.
        """
        if not self._usable[depth]:
            return
        size = max(1, CHUNK // self.n)
        up, farthest = self._at(depth)[1], int(np.count_nonzero(self._usable)) - 1
        with np.errstate(over="ignore", invalid="ignore"):
            for releases in sorted({farthest, depth}, reverse=True):  # what holds farther holds here
                others = own[np.minimum(up, self.for_ever)[own] > excess]
                for start in range(0, len(others), size):
                    chosen = others[start : start + size]
                    holds, longer = self._is_at_most(releases, chosen, np.full(len(chosen), excess))
                    for left_out, bounds in ((holds, up), (longer, self.for_ever)):
                        bounds[chosen[left_out]] = np.minimum(bounds[chosen[left_out]], excess)

    def leading(self, depths: Sequence[int], own: Indices) -> list[int]:
        """Return which of some pairs attain most, as far as bounds of all of them tell, at a few of these depths."""
        among = np.zeros(self.n * self.n, dtype=bool)
        among[own] = True
        found = []
        for place in range(1, len(depths) + 1):
            if place % (1 << max(place.bit_length() - FEWER_BITS, 0)) == 0:
                depth = depths[place - 1]
                self.tighten(depth, among)
                found.append(int(own[self.at(depth)[0][own].argmax()]))
        return found

    def foresee(self, depths: Sequence[int], own: Indices) -> None:
        """Bound some pairs at many depths together, and see at which of these all but one are excluded.

        What the best of them attains at a depth is a bound of the others there, and at the next depths, where sweeps
        prove it. Args: depths, in ascending order.
        """
        depths = [depth for depth in depths if self._usable[depth]]
        if not depths:
            return
        leading = np.array(sorted(set(self.leading(depths, own))))
        low = self._low_at(depths, leading, float(np.sort(self.for_ever[own])[-2:][0]))
        best, worst = low.max(axis=1) * (1 - SLACK), leading[low.argmax(axis=1)]
        up = np.array([self.at(depth)[1][own] for depth in depths])
        is_open = (up > best[:, None]) & (own != worst[:, None])
        trials, first = [], 0
        while first < len(depths):
            end = max(int(np.searchsorted(best, best[first] * STRIDE, side="right")), first + 1)
            trials += [(int(place), first, end) for place in np.flatnonzero(is_open[first:end].any(axis=0))]
            first = end
        for start in range(0, len(trials), size := max(1, CHUNK // self.n)):
            places, firsts, ends = np.array(trials[start : start + size]).T
            with np.errstate(over="ignore", invalid="ignore"):
                holds, longer = self._is_at_most(np.array(depths)[ends - 1], own[places], best[firsts])
            for trial in np.flatnonzero(holds).tolist():
                place, first, end = trials[start + trial]
                is_open[first : None if longer[trial] else end, place] = False
        for at, depth in enumerate(depths):
            self._at(depth)[0][leading] = np.maximum(self._at(depth)[0][leading], low[at])
            if best[at] > 0 and not is_open[at].any():
                self.worst[depth] = int(worst[at])

    def enclose(self, depths: Sequence[int], own: Indices, likely: Indices) -> None:
        """Bound many pairs at many depths together, those more closely that come near the best of them.

        Args: depths, in ascending order; likely, a few of the pairs, of which one may be the best.
        """
        depths = [depth for depth in depths if self._usable[depth]]
        if not depths:
            return
        leading = np.unique(self.leading(depths, likely))
        for factors in CHORDS:
            best = self._best(depths, leading)
            excesses = _some_of(depths, best, *factors)
            if not len(excesses):
                break
            up = np.full((len(depths), len(own)), inf)
            for start in range(0, len(own), size := max(1, CHUNK // (self.n * len(excesses)))):
                up[:, start : start + size] = self._above(depths, own[start : start + size], excesses)
            up = np.minimum.accumulate(up[::-1], axis=0)[::-1]
            for at, depth in enumerate(depths):
                upper = self._at(depth)[1]
                upper[own] = np.minimum(upper[own], up[at])
                up[at] = self.at(depth)[1][own]
            is_open = up > best[:, None]
            if 2 * np.count_nonzero(is_open) > is_open.size:
                break  # hardly anything tells them from each other
            highest = np.unique(own[np.where(is_open, up, 0).argmax(axis=1)])
            leading = np.unique([*leading, *highest[:: len(highest) // MOST_LEADING + 1]])
            own = own[is_open.any(axis=0)]

    def _best(self, depths: Sequence[int], own: Indices) -> Doubles:
        """Return what the best of some pairs attains at each of some depths, found by few sweeps, or hardly less."""
        for depth, found in zip(depths, self._low_at(depths, own, inf), strict=True):
            low = self._at(depth)[0]
            low[own] = np.maximum(low[own], found)
        return np.maximum.accumulate([self._at(depth)[0][own].max() for depth in depths]) * (1 - SLACK)

    def _above(self, depths: Sequence[int], own: Indices, excesses: Doubles) -> Doubles:
        """Return upper bounds of some pairs at some depths (rows), ∞ where none of some excesses is one.

        W is convex in the excess: between two of them it lies below the chord. Args: excesses, in ascending order.
        """
        apart, second = (np.repeat(rows, len(excesses), axis=0) for rows in self.first(own))
        c = before = weighted = just_above(apart, second * np.tile(excesses, len(own))[:, None])
        lost, gaps = 2 * UNIT_ROUNDOFF * (self.n + 6), np.diff(excesses, prepend=excesses[:1])
        pairs, sweeps, w = np.arange(len(own)), np.arange(len(c)), np.full((len(own), len(excesses)), inf)
        stays = np.zeros(w.shape, dtype=bool)

        def bounds() -> Doubles:
            holds = w <= 0
            first = holds.argmax(axis=1)
            over, under = w[pairs, first - 1], w[pairs, first]
            part = np.where((first > 0) & (over < GREATEST_ENTRY), under / (under - over), 0.0) * (1 - 1e-14)
            root = np.minimum((excesses[first] - gaps[first] * part) * (1 + 4 * UNIT_ROUNDOFF), excesses[first])
            return np.where(holds.any(axis=1), root, inf)

        found, at = np.full((len(depths), len(own)), inf), 0
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            for release in range(depths[-1]):
                if release:
                    before, c = c, raised(weighted, self._steps[release])
                weighted = np.maximum(c, c * self._ratios[release])
                w.flat[sweeps] = weighted.sum(axis=1) + lost * np.abs(weighted).sum(axis=1) + 1e-300
                if release % OFTEN == OFTEN - 1:
                    below = (c <= 0).all(axis=1)
                    if self._is_steady and release % RARELY == RARELY - 1:
                        shrinks = ~below & _shrinks(before, c)
                        w.flat[sweeps[shrinks]] = 0.0
                        below |= shrinks
                    stays.flat[sweeps[below]] = True
                    pair, place = np.divmod(sweeps[below], len(excesses))
                    np.minimum.at(self.for_ever, own[pair], excesses[place])
                    # Of a pair those are needed that may hold on, and the one next to them for the chord.
                    holds = w <= 0
                    needed = holds & ~np.logical_or.accumulate(stays, axis=1)
                    needed[:, :-1] |= holds[:, 1:] & ~holds[:, :-1] & (w[:, :-1] < GREATEST_ENTRY)
                    keep = needed.flat[sweeps]
                    gone = sweeps[~keep]  # their W > 0 rises further, and bounds no chord
                    w.flat[gone] = np.where(w.flat[gone] <= 0, w.flat[gone], inf)
                    sweeps, c, weighted = sweeps[keep], c[keep], weighted[keep]
                if depths[at] == release + 1:
                    found[at] = bounds()
                    at += 1
                if not len(sweeps):
                    found[at:] = bounds()
                    break
        return found

    def _low_at(self, depths: Sequence[int], own: Indices, enough: float) -> Doubles:
        """Return what some pairs attain at some depths (rows), at greater ones at least as much, by few sweeps of each.

        Args: enough, an excess beyond which no more is asked for at greater depths.
        """
        known = [float(low[own].max()) for low in (self.at(depth)[0] for depth in depths)]
        most = max(*known, 1e-300) * EXCESS_FACTOR
        least = max(known[0], most * 1e-6)
        tried = np.geomspace(least, most, min(int(log(most / least) / log(EXCESS_FACTOR)) + 2, MOST_EXCESSES))
        apart, second = (np.repeat(rows, len(tried), axis=0) for rows in self.first(own))
        parts = np.maximum(apart, 0), np.maximum(-apart, 0), second
        lost = 2.5 * UNIT_ROUNDOFF * (self.n + 8) * (depths[-1] + 2)
        sweeps = attained_at_each(parts, np.tile(tried, len(own)), self._ratios, self._steps, lost)
        found, at = np.zeros((len(depths), len(own))), 0
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            for depth, attained_there in zip(range(1, depths[-1] + 1), sweeps, strict=False):
                if depth == depths[at]:
                    own_best = np.where(attained_there < GREATEST_FACTOR, attained_there, 0.0)
                    found[at] = own_best.reshape(len(own), -1).max(axis=1)
                    if found[at].max() > enough:
                        break
                    at += 1
        return np.maximum.accumulate(found, axis=0)

    def variation(self, own: Indices) -> Doubles:
        """Return about Σ|P_j − P_k| of some pairs, given by their indices."""
        rows, size = self._steps[0], max(1, CHUNK // self.n)
        parts = [own[start : start + size] for start in range(0, len(own), size)]
        return np.concatenate([np.abs(rows[part // self.n] - rows[part % self.n]).sum(axis=1) for part in parts])

    def _tighten(self, depth: int, own: Indices, above: Sequence[float]) -> None:
        low, up = self._at(depth)
        lost = 2.5 * UNIT_ROUNDOFF * (self.n + 8) * (depth + 2)

        def improved(some: Indices, excess: Doubles) -> Doubles:
            apart, second = self.first(own[some])
            parts = np.maximum(apart, 0), np.maximum(-apart, 0), second
            found = attained(
                parts, excess, depth, lambda at, _: self._ratios[at], lambda at: self._steps[at], lost=lost
            )
            return np.where(found < GREATEST_FACTOR, found, excess)

        low[own] = reached = risen(improved, low[own], part=min(RISE, above[0] ** 0.5))
        slack = SLACK * abs(self.first(own)[0]).sum(axis=1)
        left = np.arange(len(own))
        for part in above:
            tried = reached[left] * (1 + part) + slack[left]
            holds, longer = self._is_at_most(depth, own[left], tried)
            for chosen, bounds in ((holds, up), (longer, self.for_ever)):
                bounds[own[left[chosen]]] = np.minimum(bounds[own[left[chosen]]], tried[chosen])
            left = left[~holds]
            if not len(left):
                break

    @property
    def steady(self) -> tuple[Doubles, float]:
        """The first matrix and e^ε, rounded up, of the first budget: with one of each throughout, all there is."""
        return self._steps[0], self._ratios[0]

    def first(self, own: Indices) -> tuple[Doubles, Doubles]:
        """Return P_j − P_k and P_k of some pairs, given by their indices."""
        rows = self._steps[0]
        return self._differences.of(own // self.n, own % self.n), rows[own % self.n]

    def try_for_ever(self, depth: int, own: Indices, tried: Doubles) -> None:
        """Take an excess for each of some pairs as a bound for ever where a sweep of so many releases proves it.

        Those that would bound nothing more closely are not swept.
        """
        closer = tried < self.for_ever[own]
        own, tried = own[closer], tried[closer]
        size = max(1, CHUNK // self.n)
        for start in range(0, len(own), size):
            chosen, excess = own[start : start + size], tried[start : start + size]
            _, longer = self._is_at_most(depth, chosen, excess)
            self.for_ever[chosen[longer]] = np.minimum(self.for_ever[chosen[longer]], excess[longer])

    def _is_at_most(self, depth: int, own: Indices, excess: Doubles) -> tuple[Mask, Mask]:
        """Return for which pairs W ≤ 0 is certain at this depth, and for which at all greater depths too."""
        apart, second = self.first(own)
        c = just_above(apart, second * excess[:, None])
        return at_most(c, depth, lambda at, _: self._ratios[at], lambda at: self._steps[at], self._is_steady)


def _some_of(depths: Sequence[int], best: Doubles, factor: float, longer: float) -> Doubles:
    """Return some of the excesses that the best pair attains at many depths, in ascending order.

    Args: factor, longer, by which the next one is greater, or its depth, at most: unless one depth makes more.
    """
    places, asked = [0], np.array(depths)
    while (last := places[-1]) + 1 < len(depths):
        nexts = (np.searchsorted(own, own[last] * by, "right") for own, by in ((best, factor), (asked, longer)))
        places.append(max(last + 1, int(min(nexts)) - 1))
    found = np.unique(best[places])
    return found[(found > 0) & (found < GREATEST_ENTRY)]


def just_above(apart: Doubles, q: Doubles) -> Doubles:
    """Return apart − q, raised by more than doubles may have lost of both. Args: q, at least 0."""
    found: Doubles = (apart - q) + 8 * UNIT_ROUNDOFF * (abs(apart) + q) + 1e-300
    return found


def at_most(
    c: Doubles,
    releases: Indices | int,
    growth: Callable[[int, Indices], Doubles | float],
    step: Callable[[int], Doubles],
    is_steady: bool = False,
) -> tuple[Mask, Mask]:
    """Return for which sweeps W ≤ 0 is certain over their releases, and for which over any number from there on.

    Args: c, of each sweep at the nearest release, a row; the others as `doubles.attained`, e^ε rounded up; is_steady,
    whether one matrix and one budget lead from each release to the next.
    """
    holds, longer = np.zeros(len(c), dtype=bool), np.zeros(len(c), dtype=bool)
    left, ends = np.arange(len(c)), np.broadcast_to(releases, len(c))
    first_end, n = int(ends.min(initial=1 << 62)), c.shape[1]
    lost = 2 * UNIT_ROUNDOFF * (n + 6)
    before = c
    release, most = 0, float(np.abs(c).sum(axis=1).max(initial=0.0))
    while len(left):
        if release % OFTEN == 0 or n >= MANY_VALUES:
            below = (c <= 0).all(axis=1)
            if is_steady and release and release % RARELY == 0:
                below |= _shrinks(before, c)
            holds[left[below]] = longer[left[below]] = True
            keep = ~below & (c.sum(axis=1) <= 0)  # W is at least this sum: all answers may have one likelihood
            left, c = left[keep], c[keep]
            if not len(left):
                break
        ratio = growth(release, left)
        weighted = np.maximum(c, c * ratio)
        most *= ratio if isinstance(ratio, float) else ratio.max()
        release += 1
        if release >= first_end:
            over = ends[left] == release
            last = weighted[over]
            holds[left[over]] = last.sum(axis=1) + lost * np.abs(last).sum(axis=1) + 1e-300 <= 0
            left, c, weighted = left[~over], c[~over], weighted[~over]
            if not len(left):
                break
        before, c = c, raised(weighted, step(release))
        if not most <= GREATEST_ENTRY and c.max() > GREATEST_ENTRY:
            exponent = -np.frexp(np.abs(c).max(axis=1))[1][:, None]
            before, c = np.ldexp(before, exponent), np.ldexp(c, exponent) + 1e-300
    return holds, longer


def raised(weighted: Doubles, step: Doubles) -> Doubles:
    """Return upper bounds of the entries of P^T c for each row c, raised by more than doubles may have lost of each."""
    lost = 2 * UNIT_ROUNDOFF * (step.shape[0] + 6)
    found: Doubles = weighted @ step + lost * (np.abs(weighted) @ step) + 1e-300
    return found


def both_excesses(first: Doubles, second: Doubles) -> Doubles:
    """Return the excess of a product of two ratios, at least 0 each, perhaps ∞."""
    with np.errstate(invalid="ignore", over="ignore"):
        product = first + second + first * second
    return np.where(np.isnan(product), np.inf, product)


def _shrinks(before: Doubles, after: Doubles) -> Mask:
    """Return for which rows after ≤ θ·before with one θ < 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = after / before
    most = np.where(before > 0, factors, 0.0).max(axis=1)
    least = np.where(before < 0, factors, np.inf).min(axis=1)
    shrinks: Mask = (most < 1 - 1e-12) & (most * (1 + 1e-14) <= least) & ~((before == 0) & (after > 0)).any(axis=1)
    return shrinks


def ratio_above(budget: Level) -> float:
    """Return a double that is at least e^ε, ∞ where there is none."""
    _, upper = budget.excess_bounds(64)
    try:
        return nextafter(float(1 + upper), float("inf"))
    except OverflowError:
        return float("inf")
