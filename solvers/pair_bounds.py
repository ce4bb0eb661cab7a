"""Bounds of the tight leakage's ratios for all pairs of values at once, in doubles: they exclude pairs, nothing more.

The releases on one side of a time count from the nearest. For a pair (j, k) and depth d, B_d(j, k) is the greatest
ratio of `reference.sweep` over the d nearest releases. *Lower*: whatever the sets, u = P_j D P D … and v = P_k D P D …
with D = e^ε on the set and 1 elsewhere have nonnegative terms only, so that doubles keep their relative precision, and
Σu/Σv is attained. *Upper*: a λ for which the sweep, raised at each step by more than doubles may have lost, comes to
W ≤ 0. Where c ≤ 0 at some step that is so for all longer horizons too.

One release more makes no ratio smaller, and greater by at most e^ε: bounds at one depth are bounds at the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nextafter

import numpy as np
from numpy.typing import NDArray

from ..reference.correlations import Row
from ..reference.levels import Level
from .floats import UNIT_ROUNDOFF, Doubles

LARGEST_SUM = 600.0
"""Budgets of one side, summed, up to which no double here overflows or loses what matters."""

ABOVE = (1e-3, 1e-1)
"""By these parts of its excess a λ lies above what is attained where it is tried as an upper bound."""

RISE = 1e-3
"""Sets are sought again until they raise the excess by no greater part than this."""

MOST_ROUNDS = 50

OFTEN = 4
"""After so many releases it is seen which sweeps are over."""

CHUNK = 1 << 19
"""Entries of an array that is worked on at once."""

Mask = NDArray[np.bool_]


class PairBounds:
    """Bounds of B_d(j, k), for the depths 0..D of one sequence of releases, and all ordered pairs of n values.

    low, up: arrays of shape (D + 1, n·n), a pair (j, k) at index j·n + k.
    """

    def __init__(self, steps: Sequence[Sequence[Row]], budgets: Sequence[Level]) -> None:
        """Take the releases, the nearest first: their matrices from the one before (nearer), and finite budgets."""
        known: dict[int, Doubles] = {}
        for step in steps:
            if id(step) not in known:
                known[id(step)] = np.array([[float(entry) for entry in row] for row in step])
        self._steps = [known[id(step)] for step in steps]
        ratios: dict[int, float] = {}
        for budget in budgets:
            if id(budget) not in ratios:
                ratios[id(budget)] = _ratio_above(budget)
        self._ratios = [ratios[id(budget)] for budget in budgets]
        self.n, depth = len(steps[0]), len(steps)
        self._usable = np.cumsum([0.0, *np.log(self._ratios)]) <= LARGEST_SUM
        self._lasts_from = np.full(self.n * self.n, depth + 1)
        self._carried = 0
        self.low: Doubles = np.ones((depth + 1, self.n * self.n))
        self.up: Doubles = np.full((depth + 1, self.n * self.n), np.inf)
        self.up[0] = 1.0

    def carry_to(self, depth: int) -> None:
        """See to it that what is known of the depths before is known of this one."""
        while self._carried < depth:
            before, self._carried = self._carried, self._carried + 1
            now = self._carried
            np.maximum(self.low[now], self.low[before], out=self.low[now])
            grown = self.up[before] * (self._ratios[before] * (1 + 1e-15))
            np.minimum(self.up[now], np.where(self._lasts_from <= before, self.up[before], grown), out=self.up[now])

    def tighten(self, depth: int, among: Mask) -> None:
        """Work out the bounds at a depth ≥ 1 for some of the pairs."""
        if not self._usable[depth]:
            return
        indices = np.flatnonzero(among & (self._lasts_from > depth))
        size = max(1, CHUNK // self.n)
        for start in range(0, len(indices), size):
            self._tighten(depth, indices[start : start + size])

    def _tighten(self, depth: int, own: NDArray[np.int64]) -> None:
        attained = self.low[depth, own]
        rising = np.ones(len(own), dtype=bool)
        lost = 2.5 * UNIT_ROUNDOFF * (self.n + 4) * (depth + 2)
        for _ in range(MOST_ROUNDS):
            better = self._attained(depth, own[rising], attained[rising]) * (1 - lost)
            rise = better > 1 + (attained[rising] - 1) * (1 + RISE)
            attained[rising] = np.maximum(attained[rising], better)
            rising[np.flatnonzero(rising)[~rise]] = False
            if not rising.any():
                break
        self.low[depth, own] = np.maximum(self.low[depth, own], attained)
        open_ = np.arange(len(own))
        for part in ABOVE:
            tried = 1 + (attained[open_] - 1) * (1 + part) + 1e-12
            holds, for_longer = self._is_at_most(depth, own[open_], tried)
            chosen = open_[holds]
            self.up[depth, own[chosen]] = np.minimum(self.up[depth, own[chosen]], tried[holds])
            self._lasts_from[own[open_[for_longer]]] = depth
            open_ = open_[~holds]
            if not len(open_):
                break

    def _first(self, own: NDArray[np.int64]) -> tuple[Doubles, Doubles]:
        rows = self._steps[0]
        return rows[own // self.n], rows[own % self.n]

    def _attained(self, depth: int, own: NDArray[np.int64], ratio: Doubles) -> Doubles:
        """Return about Σu/Σv for the sets that a sweep with λ = ratio takes."""
        result = np.ones(len(own))
        left = np.arange(len(own))
        u, v = self._first(own)
        for release in range(depth):
            chosen = u > ratio[left, None] * v
            weight = np.where(chosen, self._ratios[release], 1.0)
            u, v = u * weight, v * weight
            if release + 1 == depth:
                result[left] = u.sum(axis=1) / v.sum(axis=1)
                break
            if release % OFTEN == OFTEN - 1:
                over = ~chosen.any(axis=1) | (chosen | (u + v == 0)).all(axis=1)
                result[left[over]] = u[over].sum(axis=1) / v[over].sum(axis=1)
                left, u, v = left[~over], u[~over], v[~over]
                if not len(left):
                    break
            step = self._steps[release + 1]
            u, v = u @ step, v @ step
        return result

    def _is_at_most(self, depth: int, own: NDArray[np.int64], ratio: Doubles) -> tuple[Mask, Mask]:
        """Return for which pairs W(ratio) ≤ 0 is certain at this depth, and for which at all greater depths too."""
        holds, longer = np.zeros(len(own), dtype=bool), np.zeros(len(own), dtype=bool)
        left = np.arange(len(own))
        p, q = self._first(own)
        q = q * ratio[:, None]
        c = (p - q) + 4 * UNIT_ROUNDOFF * (p + q) + 1e-300
        lost = 2 * UNIT_ROUNDOFF * (self.n + 6)
        for release in range(depth):
            if release % OFTEN == 0:
                below = (c <= 0).all(axis=1)
                holds[left[below]] = longer[left[below]] = True
                keep = ~below & ~(c >= 0).all(axis=1)
                left, c = left[keep], c[keep]
                if not len(left):
                    break
            weighted = np.where(c > 0, c * self._ratios[release], c)
            size = np.abs(weighted).max(axis=1)
            if release + 1 == depth:
                holds[left] = weighted.sum(axis=1) + lost * self.n * size + 1e-300 <= 0
                break
            step = self._steps[release + 1]
            c = weighted @ step + (lost * size + 1e-300)[:, None] * step.sum(axis=0)
        return holds, longer


def _ratio_above(budget: Level) -> float:
    """Return a double that is at least e^ε, ∞ where there is none."""
    _, upper = budget.excess_bounds(64)
    try:
        return nextafter(float(1 + upper), float("inf"))
    except OverflowError:
        return float("inf")
