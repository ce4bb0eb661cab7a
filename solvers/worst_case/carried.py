"""Whether a next release keeps TPL within a cap at all times so far: the sweeps of all times, carried one further.

TPL_t is within the cap for a pair if and only if F_t(j, k) ≤ λ = e^{cap − ε_t}/B_t(j, k). What B_t is stays as it is.
The sweep with this λ, c = P_j − λ P_k at the release after t, is carried from each release to the next, and costs no
more the longer the stream is. A next release of x keeps the cap where e^x·Σ c^+ ≤ Σ c^−. Where no entry of c is above 0
that is so for ever, and the sweep is over: only those of the times that the chain has not forgotten go on.

All in doubles, rounded upward (B upward, λ downward): what is said to be kept is; what is not may be too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, log1p, nextafter

import numpy as np

from ...reference.levels import Level
from ..floats import UNIT_ROUNDOFF, Doubles
from .doubles import Indices, Matrices, RowDifferences, all_pairs
from .pair_bounds import CHUNK, GREATEST_ENTRY, GREATEST_FACTOR, PairBounds, raised
from .pairs import exact_texts
from .pasts import FINER, NEAREST, Pasts

STRETCH = 1 << 14
"""More releases of one budget are looked at one stretch by itself."""

SEVERAL = 8
"""So many further releases are looked at together."""

A_LITTLE = 1e-14
"""By this part numbers are made safe that few operations have led to."""


class CarriedSweeps:
    """The sweeps of one adversary about all times so far, at the release to come."""

    def __init__(self, known: Matrices, cap: Level) -> None:
        """Take P^B and P^F, and a finite cap; there is no release yet."""
        backward, forward = known
        self._pairs, self._cap = all_pairs(known), _ratio(cap, up=False)
        self._is_one_budget = True
        self._past = None if backward is None else backward.rows
        self._rows = None if forward is None else RowDifferences(forward.rows)
        self._told, self._tells = (
            np.array([matrix is not None and matrix.rows[j] != matrix.rows[k] for j, k in self._pairs], dtype=bool)
            for matrix in known
        )
        self._differences: dict[int, RowDifferences] = {}
        self._ratios: dict[int, float] = {}
        self._above: dict[int, tuple[Level, float]] = {}
        self._steady: PairBounds | None = None
        self._n = max((matrix.n for matrix in known if matrix is not None), default=0)
        self._index = self._pairs[:, 0] * self._n + self._pairs[:, 1]
        self._apart = np.zeros((0, self._n)) if self._rows is None else self._rows.of(*self._pairs.T)
        self.epsilons: tuple[Level, ...] = ()
        self._c: Doubles = np.zeros((0, self._n))
        self._bounds: tuple[object, Doubles] | None = None
        self.is_known = self._cap < GREATEST_FACTOR

    def follow(self, epsilons: Sequence[Level], doubtful: Sequence[int] | None = None) -> None:
        """Carry all sweeps through further releases: those of these budgets that are not known yet.

        Args: doubtful, times, from 0, about which there is doubt: of no other new one can TPL come to exceed a cap that
        is kept at all later times. All of them where it is None.
        """
        known = len(self.epsilons)
        if len(epsilons) - known < SEVERAL:
            for epsilon in epsilons[known:]:
                self.advance(epsilon)
            return
        ratios = np.array([self._ratio_of(epsilon) for epsilon in epsilons])
        self.is_known = self.is_known and bool((ratios < GREATEST_FACTOR).all())
        texts = set(exact_texts(epsilons))
        self._is_one_budget = len(texts) == 1 and None not in texts
        self.epsilons = tuple(epsilons)
        if self._rows is None or not self.is_known or not self._tells.any():
            return
        times = np.arange(known, len(epsilons)) if doubtful is None else np.array(doubtful, dtype=np.int64)
        found = [self._carried(self._c, np.full(len(self._c), known), ratios)]
        most = max(1, CHUNK // (len(self._pairs) * self._n))
        if self._is_one_budget:
            found += self._alike(times, float(ratios[0]))
        else:
            for part in (times[at : at + most] for at in range(0, len(times), most)):
                c = np.concatenate([self._begun(ratios[time], own) for time, own in self._excesses(part, ratios)])
                found.append(self._carried(c, np.repeat(part + 1, len(c) // len(part)), ratios))
        self._c = np.concatenate(found)

    def _excesses(self, times: Indices, ratios: Doubles) -> Iterator[tuple[int, Doubles]]:
        """Yield each of these times and upper bounds of B − 1 of all pairs at it."""
        found = np.zeros((len(times), len(self._pairs)))
        if self._past is not None and self._told.any():
            rows = self._differences.setdefault(id(self._past), RowDifferences(self._past))
            found[:, self._told] = Pasts(ratios, rows, self._pairs[self._told]).excesses(times)
        for time, own in zip(times.tolist(), found, strict=True):
            yield time, own if np.isfinite(own).all() else self._most(self.epsilons[:time])

    def _alike(self, times: Indices, ratio: float) -> Iterator[Doubles]:
        """Yield the sweeps of these times where all releases have one budget: those with the same B are swept once."""
        ages: dict[bytes, tuple[Doubles, set[int]]] = {}
        excess = np.zeros(0)
        for time in times.tolist():
            if self._steady is None or not np.array_equal(excess, self._steady.for_ever[self._index]):
                excess = self._most(self.epsilons[:time])
            ages.setdefault(excess.tobytes(), (excess, set()))[1].add(len(self.epsilons) - 1 - time)
        for excess, own in ages.values():
            c = self._begun(ratio, excess)
            for age in range(max(own) + 1):
                c = c[(c > 0).any(axis=1)]
                if not len(c):
                    break
                if age in own:
                    yield c
                c = self._stepped(c, ratio)

    def _carried(self, c: Doubles, following: Indices, ratios: Doubles) -> Doubles:
        """Return what is left of sweeps after all releases. Args: following, of each sweep the release that is next."""
        done = [c[:0]]
        while True:
            left = (c > 0).any(axis=1)
            is_over = left & (following == len(ratios))
            done.append(c[is_over])
            left &= ~is_over
            c, following = c[left], following[left]
            if not len(c):
                return np.concatenate(done)
            c = self._stepped(c, ratios[following][:, None])
            following = following + 1

    def _stepped(self, c: Doubles, ratio: Doubles | float) -> Doubles:
        """Return sweeps after a release of this e^ε, and the step to the next; scaled, which changes no sign."""
        assert self._rows is not None
        found: Doubles = raised(np.where(c > 0, c * ratio, c), self._rows.high)
        if found.max(initial=0.0) > GREATEST_ENTRY:
            found = np.ldexp(found, -np.frexp(np.abs(found).max(axis=1))[1][:, None]) + 1e-300
        return found

    def advance(self, epsilon: Level) -> None:
        """Carry all sweeps through one further release."""
        ratio = self._ratio_of(epsilon)
        self.is_known = self.is_known and ratio < GREATEST_FACTOR
        if self._rows is not None and self.is_known and len(self._pairs):
            c = np.concatenate([self._stepped(self._c, ratio), self._begun(ratio, self._most(self.epsilons))])
            self._c = c[(c > 0).any(axis=1)]
        text = epsilon.exact_text
        self._is_one_budget = self._is_one_budget and text is not None
        self._is_one_budget = self._is_one_budget and (not self.epsilons or text == self.epsilons[0].exact_text)
        self.epsilons = (*self.epsilons, epsilon)

    def _ratio_of(self, epsilon: Level) -> float:
        """Return e^ε, rounded up; of a budget that recurs it is worked out once."""
        if id(epsilon) not in self._above:
            self._above[id(epsilon)] = epsilon, _ratio(epsilon, up=True)
        return self._above[id(epsilon)][1]

    def _begun(self, ratio: float, excess: Doubles) -> Doubles:
        """Return c at the release after one of this e^ε, of the pairs that it tells. Args: excess, B − 1 of each."""
        assert self._rows is not None
        most = self._cap / ratio / (1 + excess) * (1 - A_LITTLE) - 1 - A_LITTLE
        q = self._rows.high[self._pairs[:, 1]] * most[:, None]
        c: Doubles = ((self._apart - q) + 8 * UNIT_ROUNDOFF * (abs(self._apart) + abs(q)) + 1e-300)[self._tells]
        return c

    def _most(self, epsilons: Sequence[Level]) -> Doubles:
        """Return an upper bound of B − 1 of each pair after releases of these budgets."""
        if not epsilons or self._past is None or not self._told.any():
            return np.zeros(len(self._pairs))
        if self._is_one_budget and np.isfinite((found := self._of_one_budget(epsilons))[self._told]).all():
            return np.where(self._told, found, 0.0)
        nearest, most = NEAREST, np.full(len(self._pairs), inf)
        while not np.isfinite(most[self._told]).all():
            budgets = epsilons[: -nearest - 1 : -1]
            is_whole = len(budgets) == len(epsilons)
            key = (is_whole and len(budgets), tuple(map(id, budgets)))
            if self._bounds is not None and self._bounds[0] == key:
                return self._bounds[1]
            bounds = PairBounds([self._past] * len(budgets), budgets, self._differences, self._ratios)
            bounds.tighten(len(budgets), np.ones(self._n**2, dtype=bool), finely=True, above=FINER)
            ups = bounds.at(len(budgets))[1] if is_whole else bounds.for_ever
            most = np.where(self._told, ups[self._index], 0.0)
            if is_whole:
                break
            nearest *= 4
        self._bounds = key, most
        return most

    def _of_one_budget(self, epsilons: Sequence[Level]) -> Doubles:
        """Return the same where there is one budget throughout: of all depths, and for ever, in one table."""
        assert self._past is not None
        count = len(epsilons)
        if self._steady is None:
            self._steady = PairBounds([self._past] * STRETCH, list(epsilons[:1]) * STRETCH, self._differences)
        depth, everything = min(count, STRETCH), np.ones(self._n**2, dtype=bool)
        if depth == count and not np.isfinite(self._steady.for_ever[self._index][self._told]).all():
            self._steady.tighten(depth, everything, finely=True, above=FINER)
        bounds: Doubles = self._steady.at(depth)[1] if depth == count else self._steady.for_ever
        found: Doubles = bounds[self._index]
        return found

    def room(self) -> float:
        """Return about the greatest budget of a next release that keeps the cap, in doubles; 0 where none is seen."""
        if not self.is_known:
            return 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            most = self._cap / (1 + float(self._most(self.epsilons).max(initial=0.0)))
            above = np.where(self._c > 0, self._c, 0).sum(axis=1)
            below = above - self._c.sum(axis=1)
        least = float((below / above).min()) if len(above) else inf
        return log1p(max(min(most, least) - 1, 0.0)) if min(most, least) < inf else inf

    def keeps(self, epsilon: Level) -> bool:
        """Whether a next release of this budget keeps TPL within the cap at all times, for certain."""
        ratio = self._ratio_of(epsilon)
        if not self.is_known or ratio >= GREATEST_FACTOR:
            return False
        with np.errstate(over="ignore", invalid="ignore"):
            own = ratio * (1 + float(self._most(self.epsilons).max(initial=0.0))) * (1 + A_LITTLE)
            weighted = np.where(self._c > 0, self._c * ratio, self._c)
            size = np.abs(weighted).max(axis=1, initial=0.0)
            last = weighted.sum(axis=1) + 2 * UNIT_ROUNDOFF * (self._n + 6) * self._n * size + 1e-300
        return bool(own <= self._cap) and bool((last <= 0).all())


def _ratio(level: Level, up: bool) -> float:
    """Return e^level as a double, rounded up or down; ∞ beyond them."""
    if level.is_infinite:
        return inf
    excess = level.excess_bounds(64)[int(up)]
    try:
        found = float(1 + excess)
    except OverflowError:
        return inf
    return nextafter(found, inf if up else 0.0)
