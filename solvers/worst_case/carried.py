"""Whether a next release keeps TPL within a cap at all times so far: the sweeps of all times, carried one further.

TPL_t is within the cap for a pair if and only if F_t(j, k) ≤ λ = e^{cap − ε_t}/B_t(j, k). What B_t is stays as it is.
The sweep with this λ, c = P_j − λ P_k at the release after t, is carried from each release to the next, and costs no
more the longer the stream is. A next release of x keeps the cap where e^x·Σ c^+ ≤ Σ c^−. Where no entry of c is above 0
that is so for ever, and the sweep is over: only those of the times that the chain has not forgotten go on.

All in doubles, on the safe side by `CAP_MARGIN`: what is said to be kept is; what is not may be too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, log1p

import numpy as np

from ...reference.levels import Level
from ...reference.paper.leakage import Matrices
from ..floats import Doubles
from .guess import (
    CHUNK,
    GUESSED,
    LARGEST_GROWTH,
    LEAST_GAP,
    NEAREST,
    Indices,
    PairBounds,
    ReleasesInDoubles,
    RowDifferences,
    all_pairs,
    excesses_at,
    growth_of,
)

CAP_MARGIN = 1e-10
"""Part by which a ratio has to be below what the cap allows."""


class CarriedSweeps:
    """The sweeps of one adversary about all times so far, at the release to come."""

    def __init__(self, known: Matrices, cap: Level) -> None:
        """Take P^B and P^F, and a finite cap; there is no release yet."""
        self._pairs, self._cap = all_pairs(known), growth_of(cap) + 1
        self._past, self._rows = (None if matrix is None else RowDifferences(matrix.rows) for matrix in known)
        self._told, self._tells = (
            np.array([matrix is not None and matrix.rows[j] != matrix.rows[k] for j, k in self._pairs], dtype=bool)
            for matrix in known
        )
        self._growth: dict[int, tuple[Level, float]] = {}
        self._steady: Doubles = np.zeros((1, self._told.sum()))
        self._endless: Doubles | None = None
        self._n = max((matrix.n for matrix in known if matrix is not None), default=0)
        self._apart = np.zeros((0, self._n)) if self._rows is None else self._rows.of(*self._pairs.T)
        self.epsilons: tuple[Level, ...] = ()
        self._all_growth = np.zeros(0)
        self._c: Doubles = np.zeros((0, self._n))
        self._last: tuple[int, Doubles] | None = None
        self.is_known = self._cap < LARGEST_GROWTH

    @property
    def _is_one_budget(self) -> bool:
        return len(set(self._all_growth[[0, -1]])) == 1 and bool((self._all_growth == self._all_growth[0]).all())

    def follow(self, epsilons: Sequence[Level], doubtful: Sequence[int] | None = None) -> None:
        """Carry all sweeps through further releases: those of these budgets that are not known yet.

        Args: doubtful, times, from 0, about which there is doubt: of no other new one can TPL come to exceed a cap that
        is kept at all later times. All of them where it is None.
        """
        known = len(self.epsilons)
        if len(epsilons) == known:
            return
        self.epsilons = tuple(epsilons)
        self._all_growth = np.array([self._growth_of(epsilon) for epsilon in epsilons])
        self.is_known = self.is_known and bool((self._all_growth < LARGEST_GROWTH).all())
        if self._rows is None or not self.is_known or not self._tells.any():
            return
        times = np.arange(known, len(epsilons)) if doubtful is None else np.array(doubtful, dtype=np.int64)
        found = [self._carried(self._c, np.full(len(self._c), known))]
        if self._is_one_budget:
            found += self._alike(times)
        else:
            most = max(1, CHUNK // (len(self._pairs) * self._n))
            for part in (times[at : at + most] for at in range(0, len(times), most)):
                own = zip(part, self._excesses(part), strict=True)
                c = np.concatenate([self._begun(self._all_growth[time], excess) for time, excess in own])
                found.append(self._carried(c, np.repeat(part + 1, len(c) // len(part))))
        self._c = np.concatenate(found)

    def advance(self, epsilon: Level) -> None:
        """Carry all sweeps through one further release."""
        self.follow((*self.epsilons, epsilon))

    def _excesses(self, times: Indices) -> Doubles:
        """Return an upper bound of B − 1 of each pair (a column) at each of these times, ∞ where none is known."""
        if self._last is not None and times.tolist() == [self._last[0]]:
            return self._last[1]
        found = np.zeros((len(times), len(self._pairs)))
        if self._past is None or not self._told.any() or not len(self._all_growth):
            return found
        told = self._pairs[self._told]
        if self._is_one_budget:
            near = times[times <= NEAREST]
            latest = int(near.max(initial=0))
            if len(self._steady) <= latest:
                bounds = self._bounds(told, 1 << latest.bit_length(), is_endless=False)
                self._steady = np.concatenate([np.zeros((1, len(told))), bounds])
            if len(near) < len(times) and self._endless is None:
                self._endless = self._bounds(told, NEAREST, is_endless=True)
            found[np.ix_(times <= NEAREST, self._told)] = self._steady[near]
            found[np.ix_(times > NEAREST, self._told)] = 0 if self._endless is None else self._endless
        else:
            found[:, self._told] = excesses_at(self._past, self._all_growth, told, times)
        return found

    def _bounds(self, told: Indices, deepest: int, *, is_endless: bool) -> Doubles:
        """Return upper bounds of B − 1 of some pairs at each depth (rows), or at all of them."""
        assert self._past is not None
        releases = ReleasesInDoubles(self._past, np.full(deepest, self._all_growth[0]))
        depths = [deepest] if is_endless else range(1, deepest + 1)
        bounds = PairBounds([releases], [depths], told, period=1, is_endless=is_endless)
        bounds.close(LEAST_GAP)
        found: Doubles = bounds.up[0].T * (1 + GUESSED)
        return found

    def _alike(self, times: Indices) -> Iterator[Doubles]:
        """Yield the sweeps of these times where all releases have one budget: those with the same B are swept once."""
        ages: dict[int, set[int]] = {}
        for time in times.tolist():
            ages.setdefault(min(time, NEAREST + 1), set()).add(len(self.epsilons) - 1 - time)
        growth = self._all_growth[0]
        for (_, own), excess in zip(ages.items(), self._excesses(np.array(list(ages), dtype=np.int64)), strict=True):
            c = self._begun(growth, excess)
            for age in range(max(own) + 1):
                c = c[(c > 0).any(axis=1)]
                if not len(c):
                    break
                if age in own:
                    yield c
                c = self._stepped(c, growth)

    def _carried(self, c: Doubles, following: Indices) -> Doubles:
        """Return what is left of sweeps after all releases. Args: following, of each sweep the release that is next."""
        done = [c[:0]]
        while True:
            left = (c > 0).any(axis=1)
            is_over = left & (following == len(self._all_growth))
            done.append(c[is_over])
            left &= ~is_over
            c, following = c[left], following[left]
            if not len(c):
                return np.concatenate(done)
            c = self._stepped(c, self._all_growth[following][:, None])
            following = following + 1

    def _stepped(self, c: Doubles, growth: Doubles | float) -> Doubles:
        """Return sweeps after a release of this e^ε − 1, and the step to the next; scaled, which changes no sign."""
        assert self._rows is not None
        found: Doubles = (c + growth * np.maximum(c, 0)) @ self._rows.high
        scaled: Doubles = found / np.abs(found).max(axis=1, initial=1e-300)[:, None]
        return scaled

    def _growth_of(self, epsilon: Level) -> float:
        if id(epsilon) not in self._growth:
            self._growth[id(epsilon)] = epsilon, growth_of(epsilon)
        return self._growth[id(epsilon)][1]

    def _begun(self, growth: float, excess: Doubles) -> Doubles:
        """Return c of the pairs that it tells at the release after one of this e^ε − 1. Args: excess, B − 1."""
        assert self._rows is not None
        most = self._cap / (1 + growth) / (1 + excess) * (1 - CAP_MARGIN) - 1
        c: Doubles = (self._apart - self._rows.high[self._pairs[:, 1]] * most[:, None])[self._tells]
        return c

    def _own(self) -> float:
        """Return the greatest B at the release to come."""
        if self._last is None or self._last[0] != len(self.epsilons):
            self._last = len(self.epsilons), self._excesses(np.array([len(self.epsilons)]))
        return 1 + float(self._last[1].max(initial=0.0))

    def room(self) -> float:
        """Return about the greatest budget of a next release that keeps the cap, in doubles; 0 where none is seen."""
        if not self.is_known:
            return 0.0
        most = self._cap / self._own()
        above = np.where(self._c > 0, self._c, 0).sum(axis=1)
        least = float(((above - self._c.sum(axis=1)) / above).min()) if len(above) else inf
        return log1p(max(min(most, least) - 1, 0.0)) if min(most, least) < inf else inf

    def keeps(self, epsilon: Level) -> bool:
        """Whether a next release of this budget keeps TPL within the cap at all times, as far as doubles tell."""
        growth = self._growth_of(epsilon)
        if not self.is_known or growth >= LARGEST_GROWTH:
            return False
        last = self._c + growth * np.maximum(self._c, 0)
        is_kept = last.sum(axis=1) <= -CAP_MARGIN * np.abs(last).sum(axis=1)
        return bool((1 + growth) * self._own() * (1 + CAP_MARGIN) <= self._cap) and bool(is_kept.all())
