"""Whether a next release keeps TPL within a cap at all times so far: the sweeps of all times, carried one further.

TPL_t is within the cap for a pair if and only if F_t(j, k) ≤ λ = e^{cap − ε_t}/B_t(j, k). What B_t is stays as it is.
The sweep with this λ, c = P_j − λ P_k at the release after t, is carried from each release to the next, and costs no
more the longer the stream is. A next release of x keeps the cap where e^x·Σ c^+ ≤ Σ c^−. Where no entry of c is above 0
that is so for ever, and the sweep is over: only those of the times that the chain has not forgotten go on.

All in doubles, rounded upward (B upward, λ downward): what is said to be kept is; what is not may be too.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log1p, nextafter

import numpy as np

from ...reference.levels import Level
from ..floats import UNIT_ROUNDOFF, Doubles
from .doubles import Matrices, RowDifferences, all_pairs
from .pair_bounds import GREATEST_FACTOR, PairBounds, raised
from .pasts import FINER, NEAREST, Pasts

STRETCH = 1 << 14
"""More releases of one budget are looked at one stretch by itself."""

SEVERAL = 8
"""Of so many further releases bounds of B are worked out together."""

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
        self.epsilons: tuple[Level, ...] = ()
        self._c: Doubles = np.zeros((0, self._n))
        self._bounds: tuple[object, Doubles] | None = None
        self._foreseen: tuple[Sequence[Level], int, Doubles] = (), 0, np.zeros((0, 0))
        self.is_known = self._cap < GREATEST_FACTOR

    def foresee(self, epsilons: Sequence[Level]) -> None:
        """Work out bounds of B together for further releases, which are followed next: of many that takes less.

        Args: epsilons, those of all releases, as far as they are known yet first.
        """
        known = len(self.epsilons)
        if self._past is None or len(epsilons) - known < SEVERAL or len({own.exact_text for own in epsilons}) == 1:
            return
        ratios = np.array([self._ratio_of(epsilon) for epsilon in epsilons])
        rows = self._differences.setdefault(id(self._past), RowDifferences(self._past))
        excesses = np.zeros((len(epsilons) + 1 - known, len(self._pairs)))
        pasts = Pasts(ratios, rows, self._pairs[self._told])
        excesses[:, self._told] = pasts.excesses(range(known, len(epsilons) + 1))
        self._foreseen = epsilons, known, excesses

    def follow(self, epsilons: Sequence[Level]) -> None:
        """Carry all sweeps through further releases: those of these budgets that are not known yet."""
        self.foresee(epsilons)
        for epsilon in epsilons[len(self.epsilons) :]:
            self.advance(epsilon)

    def advance(self, epsilon: Level) -> None:
        """Carry all sweeps through one further release."""
        ratio, place = self._ratio_of(epsilon), len(self.epsilons)
        if place < len(self._foreseen[0]) and self._foreseen[0][place] is not epsilon:
            self._foreseen = (), 0, np.zeros((0, 0))
        self.is_known = self.is_known and ratio < GREATEST_FACTOR
        if self._rows is not None and self.is_known and len(self._pairs):
            weighted = np.where(self._c > 0, self._c * ratio, self._c)
            c = np.concatenate([raised(weighted, self._rows.high), self._first(ratio)[self._tells]])
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

    def _first(self, ratio: float) -> Doubles:
        """Return c of all pairs at the release after one of this e^ε, which is the next."""
        assert self._rows is not None
        most = self._cap / ratio / (1 + self._most()) * (1 - A_LITTLE) - 1 - A_LITTLE
        apart = self._rows.of(self._pairs[:, 0], self._pairs[:, 1])
        q = self._rows.high[self._pairs[:, 1]] * most[:, None]
        found: Doubles = (apart - q) + 8 * UNIT_ROUNDOFF * (abs(apart) + abs(q)) + 1e-300
        return found

    def _most(self) -> Doubles:
        """Return an upper bound of B − 1 of each pair at the next release."""
        if not self.epsilons or not self._told.any():
            return np.zeros(len(self._pairs))
        return np.where(self._told, self._bounded(), 0.0)

    def _bounded(self) -> Doubles:
        assert self._past is not None
        if self._is_one_budget and np.isfinite((found := self._of_one_budget())[self._told]).all():
            return found
        if np.isfinite(foreseen := self._as_foreseen()).all() and len(foreseen):
            return foreseen
        nearest, most = NEAREST, np.full(len(self._pairs), inf)
        while not np.isfinite(most[self._told]).all():
            budgets = self.epsilons[: -nearest - 1 : -1]
            is_whole = len(budgets) == len(self.epsilons)
            key = (is_whole and len(budgets), tuple(map(id, budgets)))
            if self._bounds is not None and self._bounds[0] == key:
                return self._bounds[1]
            bounds = PairBounds([self._past] * len(budgets), budgets, self._differences, self._ratios)
            bounds.tighten(len(budgets), np.ones(self._n**2, dtype=bool), finely=True, above=FINER)
            ups = bounds.at(len(budgets))[1] if is_whole else bounds.for_ever
            most = ups[self._index]
            if is_whole:
                break
            nearest *= 4
        self._bounds = key, most
        return most

    def _as_foreseen(self) -> Doubles:
        """Return the bounds that were foreseen for the next release, nothing where there are none."""
        _, first, excesses = self._foreseen
        at = len(self.epsilons) - first
        own: Doubles = excesses[at] if 0 <= at < len(excesses) else np.zeros(0)
        return own

    def _of_one_budget(self) -> Doubles:
        """Return the same where there is one budget throughout: of all depths, and for ever, in one table."""
        assert self._past is not None
        count = len(self.epsilons)
        if self._steady is None:
            self._steady = PairBounds([self._past] * STRETCH, self.epsilons[:1] * STRETCH, self._differences)
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
            most = self._cap / (1 + float(self._most().max(initial=0.0)))
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
            own = ratio * (1 + float(self._most().max(initial=0.0))) * (1 + A_LITTLE)
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
