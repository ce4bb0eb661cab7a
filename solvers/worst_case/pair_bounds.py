"""Bounds of the tight leakage's ratios for all pairs of values at once, in doubles: they exclude pairs, nothing more.

The releases on one side of a time count from the nearest. For a pair (j, k) and depth d, B_d(j, k) is the greatest
ratio of `reference.worst_case.sweep` over the d nearest releases. *Lower*: `doubles.attained`, less what it may
have lost. *Upper*: a λ for which the sweep, raised at each step by more than doubles may have lost, comes to W ≤ 0.
Where c ≤ 0 at some step that is so for all longer horizons too; with one matrix and one budget throughout also where c
comes again, shrunk: after ≤ θ·before with θ < 1 (`reference.worst_case.balls`).

One release more makes no ratio smaller, and greater by at most e^ε: bounds at one depth are bounds at the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nextafter

import numpy as np
from numpy.typing import NDArray

from ...reference.correlations import Row
from ...reference.levels import Level
from ..floats import UNIT_ROUNDOFF, Doubles
from .doubles import OFTEN, Indices, attained, risen, rows_in_doubles

LARGEST_SUM = 600.0
"""Budgets of one side, summed, up to which no double here overflows or loses what matters."""

ABOVE = (1e-3, 1e-1)
FINELY = (1e-6, 1e-4)
"""By these parts of its excess a λ lies above what is attained where it is tried as an upper bound."""

RISE = 1e-3
"""Sets are sought again until they raise the excess by no greater part than this."""

CHUNK = 1 << 19
"""Entries of an array that is worked on at once."""

Mask = NDArray[np.bool_]


class PairBounds:
    """Bounds of B_d(j, k), for the depths d of one sequence of releases: arrays, a pair (j, k) at index j·n + k.

    for_ever: upper bounds at every depth, also where the releases go on as they are; ∞ where none is known.
    """

    def __init__(self, steps: Sequence[Sequence[Row]], budgets: Sequence[Level]) -> None:
        """Take the releases, the nearest first: their matrices from the one before (nearer), and finite budgets."""
        known: dict[int, Doubles] = {}
        for step in steps:
            if id(step) not in known:
                known[id(step)] = rows_in_doubles(step)
        self._steps = [known[id(step)] for step in steps]
        ratios: dict[int, float] = {}
        for budget in budgets:
            if id(budget) not in ratios:
                ratios[id(budget)] = _ratio_above(budget)
        self._ratios = [ratios[id(budget)] for budget in budgets]
        self._is_steady = len(known) == len(ratios) == 1
        self.n = len(steps[0])
        self._usable = np.cumsum([0.0, *np.log(self._ratios)]) <= LARGEST_SUM
        ones = np.ones(self.n * self.n)
        self.for_ever: Doubles = np.full(self.n * self.n, np.inf)
        self._bounds = {0: (ones, ones)}

    def at(self, depth: int) -> tuple[Doubles, Doubles]:
        """Return what is known at a depth: lower bounds and upper ones; at first what a lesser one implies."""
        low, up = self._at(depth)
        return low, np.minimum(up, self.for_ever)

    def _at(self, depth: int) -> tuple[Doubles, Doubles]:
        if depth not in self._bounds:
            before = max(known for known in self._bounds if known < depth)
            low, up = self._bounds[before]
            with np.errstate(over="ignore"):
                grown = np.prod(self._ratios[before:depth]) * (1 + 1e-15 * (depth - before + 1))
                self._bounds[depth] = low.copy(), np.minimum(up, self.for_ever) * grown
        return self._bounds[depth]

    def tighten(self, depth: int, among: Mask, finely: bool = False) -> None:
        """Work out the bounds at a depth ≥ 1 for some of the pairs; where they are near already, only if finely."""
        if not self._usable[depth]:
            return
        low, up = self.at(depth)
        indices = np.flatnonzero(among & (finely | (up > _above(low, 2 * ABOVE[0]))))
        size = max(1, CHUNK // self.n)
        with np.errstate(over="ignore", invalid="ignore"):  # what is no number bounds nothing
            for start in range(0, len(indices), size):
                self._tighten(depth, indices[start : start + size], FINELY if finely else ABOVE)

    def _tighten(self, depth: int, own: Indices, above: Sequence[float]) -> None:
        low, up = self._at(depth)
        lost = 2.5 * UNIT_ROUNDOFF * (self.n + 4) * (depth + 2)

        def improved(some: Indices, ratio: Doubles) -> Doubles:
            first = self.first(own[some])
            found = attained(first, ratio, depth, lambda at, _: self._ratios[at], lambda at: self._steps[at])
            return found * (1 - lost)

        low[own] = reached = risen(improved, low[own], part=RISE)
        left = np.arange(len(own))
        for part in above:
            tried = _above(reached[left], part)
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
        """Return P_j and P_k of some pairs, given by their indices."""
        rows = self._steps[0]
        return rows[own // self.n], rows[own % self.n]

    def try_for_ever(self, depth: int, own: Indices, tried: Doubles) -> None:
        """Take a λ for each of some pairs as an upper bound for ever where a sweep over so many releases proves it."""
        size = max(1, CHUNK // self.n)
        for start in range(0, len(own), size):
            chosen, ratio = own[start : start + size], tried[start : start + size]
            _, longer = self._is_at_most(depth, chosen, ratio)
            self.for_ever[chosen[longer]] = np.minimum(self.for_ever[chosen[longer]], ratio[longer])

    def _is_at_most(self, depth: int, own: Indices, ratio: Doubles) -> tuple[Mask, Mask]:
        """Return for which pairs W(ratio) ≤ 0 is certain at this depth, and for which at all greater depths too."""
        holds, longer = np.zeros(len(own), dtype=bool), np.zeros(len(own), dtype=bool)
        left = np.arange(len(own))
        p, q = self.first(own)
        q = q * ratio[:, None]
        c = (p - q) + 4 * UNIT_ROUNDOFF * (p + q) + 1e-300
        lost = 2 * UNIT_ROUNDOFF * (self.n + 6)
        before = c
        for release in range(depth):
            if release % OFTEN == 0:
                below = (c <= 0).all(axis=1)
                if self._is_steady and release:
                    below |= _shrinks(before, c)
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
            before = c
            c = weighted @ step + (lost * size + 1e-300)[:, None] * step.sum(axis=0)
        return holds, longer


def _above(attained: Doubles, part: float) -> Doubles:
    return 1 + (attained - 1) * (1 + part) + 1e-12


def _shrinks(before: Doubles, after: Doubles) -> Mask:
    """Return for which rows after ≤ θ·before with one θ < 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = after / before
    most = np.where(before > 0, factors, 0.0).max(axis=1)
    least = np.where(before < 0, factors, np.inf).min(axis=1)
    shrinks: Mask = (most < 1 - 1e-12) & (most * (1 + 1e-14) <= least) & ~((before == 0) & (after > 0)).any(axis=1)
    return shrinks


def _ratio_above(budget: Level) -> float:
    """Return a double that is at least e^ε, ∞ where there is none."""
    _, upper = budget.excess_bounds(64)
    try:
        return nextafter(float(1 + upper), float("inf"))
    except OverflowError:
        return float("inf")
