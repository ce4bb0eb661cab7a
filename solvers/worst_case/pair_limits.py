"""Bounds of the tight leakage's ratios for all pairs of values at once, for ever, in doubles: they exclude pairs.

One side of a time on which the releases go on without end, with one matrix P and one budget; otherwise as in
`pair_bounds`, whose upper bounds these are. *Lower*: what sets attain, of which the farthest recur. Let x be
(P D)^N·1 for D = e^ε on that set and a great N, by squaring: Σ_a u_a x_a / Σ_a v_a x_a is attained over N releases
more. All terms are nonnegative, so that doubles lose no more than their number of roundings.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from ...reference.correlations import TransitionMatrix
from ...reference.levels import Level
from ...reference.worst_case.sweep import ValuePair
from ..floats import UNIT_ROUNDOFF, Doubles
from .doubles import Indices, risen
from .pair_bounds import Mask, PairBounds, both_excesses

LONGEST_COURSE = 1 << 12
"""Over so many releases at most a sweep is followed."""

SELDOM = 16
"""After so many releases it is seen which sweeps are over."""

SQUARINGS = 18
"""A set that recurs does so 2^18 times."""

SETTLED = 1e-9
"""A sweep whose positive entries shrink alike, up to this part, takes the same sets from there on."""

BESIDE_NOTHING = 1e-15
"""Negative entries that are smaller than this part of the greatest positive one are taken for none."""

LEAST_RISE = 1e-7
"""Sets are sought again until they raise the excess by no greater part than this."""

CLOSER = (1e-2, 1e-4, 1e-6)
"""By these parts of its excess an upper bound for ever is to lie above the lower one, one after the other."""

SMALLEST_ENTRY, GREATEST_RATIO, WIDEST_SPREAD = 1e-100, 1e20, 1e100
"""Beyond these an entry of a matrix, e^ε, or the spread of likelihoods might be lost in a double."""


class PairLimits:
    """Bounds of the supremum over all horizons of B(j, k) − 1: arrays, a pair (j, k) at index j·n + k.

    low: attained, or approached.
    """

    def __init__(self, matrix: TransitionMatrix, budget: Level) -> None:
        """Take the matrix and the budget of all releases; the budget is finite and above 0."""
        self._bounds = PairBounds([matrix.rows] * LONGEST_COURSE, [budget] * LONGEST_COURSE)
        self.n = matrix.n
        self.low: Doubles = np.zeros(self.n**2)
        self._recurring: dict[bytes, Doubles | None] = {}
        least = min(entry for row in matrix.rows for entry in row if entry)
        self._usable = least >= SMALLEST_ENTRY and self._bounds.steady[1] <= GREATEST_RATIO

    @property
    def ends(self) -> tuple[Doubles, Doubles]:
        """The lower and the upper bounds."""
        return self.low, self._bounds.for_ever

    def raise_lower(self, own: Indices) -> None:
        """Raise the lower bounds of some pairs, given by their indices, to about what they can be."""
        if self._usable:
            self.low[own] = risen(lambda some, at: self._attained(own[some], at), self.low[own], part=LEAST_RISE)

    def lower_upper(self, own: Indices, part: float) -> None:
        """Lower the upper bounds of some pairs to that part of its excess above the lower one, where that holds."""
        if self._usable:
            self._bounds.try_for_ever(LONGEST_COURSE, own, self.low[own] * (1 + part) + 1e-12)

    def _attained(self, own: Indices, excess: Doubles) -> Doubles:
        """Return what the sets attain that a sweep takes, the last of them for ever; rounded down."""
        step, budget = self._bounds.steady
        result = np.ones(len(own))
        left = np.arange(len(own))
        d, v = self._bounds.first(own)
        u = d + v
        # The sets are sought by c alone, which keeps its relative precision where u and λ·v have become nearly equal.
        c = before = d - excess[:, None] * v
        for release in range(LONGEST_COURSE):
            chosen = c > 0
            if release % SELDOM == SELDOM - 1:
                alike = ~chosen.any(axis=1) | (c.min(axis=1) >= -BESIDE_NOTHING * c.max(axis=1))
                result[left[alike]] = u[alike].sum(axis=1) / v[alike].sum(axis=1)
                over = alike | _settled(before, c) | (release + 1 == LONGEST_COURSE)
                for index in np.flatnonzero(over & ~alike):
                    x = self._for_ever(chosen[index])
                    if x is not None:
                        result[left[index]] = (u[index] @ x) / (v[index] @ x)
                left, u, v, c, chosen = left[~over], u[~over], v[~over], c[~over], chosen[~over]
                if not len(left):
                    break
                scale = 2.0 ** -np.frexp(v.max(axis=1))[1][:, None]
                u, v = u * scale, v * scale
            weight, before = np.where(chosen, budget, 1.0), c
            u, v, c = (u * weight) @ step, (v * weight) @ step, (c * weight) @ step
        lost = 2.5 * UNIT_ROUNDOFF * (self.n + 4) * (LONGEST_COURSE + (2 << SQUARINGS))
        return np.maximum(np.where(result < WIDEST_SPREAD, result, 1.0) * (1 - lost) - 1, 0)

    def _for_ever(self, chosen: Mask) -> Doubles | None:
        """Return about (P D)^N·1 up to a factor, D being of the one set; None where its entries are too far apart."""
        key = chosen.tobytes()
        if key not in self._recurring:
            step, budget = self._bounds.steady
            weight = np.where(chosen, budget, 1.0)
            once, spread = step * weight, 1.0
            for _ in range(SQUARINGS):
                once = once @ once
                once *= 2.0 ** -np.frexp(once.max())[1]
                likelihoods = once.sum(axis=1)
                spread = max(spread, likelihoods.max() / likelihoods.min()) if likelihoods.min() > 0 else np.inf
            self._recurring[key] = weight * likelihoods if spread < WIDEST_SPREAD else None
        return self._recurring[key]


def may_rule(sides: Sequence[PairLimits], pairs: Sequence[ValuePair]) -> list[ValuePair]:
    """Return those of some pairs whose product over the sides may be the greatest; works the bounds out."""
    if not pairs:
        return []
    left = np.array([j * sides[0].n + k for j, k in pairs])
    for side in sides:
        side.raise_lower(left)
    for part in CLOSER:
        for side in sides:
            side.lower_upper(left, part)
        low, up = (
            reduce(both_excesses, [ends[left] for ends in own]) for own in zip(*(s.ends for s in sides), strict=True)
        )
        left = left[up * (1 + 1e-14) >= low.max()]
        if len(left) <= 1:
            break
    return [divmod(int(index), sides[0].n) for index in left]


def _settled(before: Doubles, after: Doubles) -> Mask:
    """Return in which rows the signs have stayed and all positive entries have shrunk by one factor, about."""
    positive = before > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = after / before
    most = np.where(positive, factors, -np.inf).max(axis=1)
    least = np.where(positive, factors, np.inf).min(axis=1)
    settled: Mask = (positive == (after > 0)).all(axis=1) & (most - least < SETTLED)
    return settled
