"""The check from above on a chain of second order: no event-level private stream exceeds a bound of TPL.

Of one output let g(y) be the likelihood given all values y, and P_j the law of all values given that at time t it is j.
Whatever values are left, g lies between h and e^ε h for h the least g over a value at one time; so
Σ (P_j − λ P_k) g ≤ Σ Φ(c) P h with Φ(c) = e^ε c⁺ − c⁻, wherever the sign of the weight of g depends on the values in c
alone. On a chain of second order these are, of each side, the two nearest to t that are left: c[p', p, f, f'] here, p
and f the nearest. What is left once all values are gone is a bound, in whichever order they go: λ is proved where it is
not above 0. (Not attained: the best stream may look at how values stand beside each other.)

All in doubles: every product and sum loses at most a few units of 2^-53 of the sum of magnitudes, which is added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, permutations
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..reference.errors import InvalidRequest
from ..reference.laws import SecondOrder
from ..reference.levels import Level
from .above_doubles import above_it
from .above_loss import U

Doubles = NDArray[np.float64]

BETWEEN = 1e-9
"""How close to the least μ that is proved one is sought: a greater one is proved too, and costs tightness alone."""

MOST = 1e100
"""Greatest e^{Σ ε}: up to it what underflows, 2^-1075 of e^{Σ ε}/`LEAST_SHARE`, is far less than the units added."""

PAST_FIRST, FUTURE_FIRST, BY_DISTANCE = ORDERS = "past", "future", "alternating"
"""Which side's values go first."""


LEAST_SHARE = 1e-100
"""Least probability of two values, one after the other, where it is above 0."""


@dataclass(slots=True)
class SecondOrderSides:
    """A chain of second order over some releases, in doubles that are each within one unit.

    pairs[s]: Pr of two values at times s, s + 1, from 0; backward[s][c, b, a]: Pr of a at s, given b and c after it.
    """

    law: SecondOrder
    releases: int
    pairs: list[Doubles] = field(init=False)
    backward: list[Doubles] = field(init=False)
    forward: Doubles = field(init=False)

    def __post_init__(self) -> None:
        exact = self.law.pairs(max(self.releases, 2))
        if any(0 < p < LEAST_SHARE for each in exact for row in each for p in row):
            raise InvalidRequest("some values are so seldom one after the other that they may not occur at all")
        n = range(self.law.n)
        self.pairs = [np.array(each, dtype=float) for each in exact]
        self.forward = np.array(self.law.kernel, dtype=float)
        self.backward = [
            np.array(
                [
                    [[now[a][b] * self.law.kernel[a][b][c] / after[b][c] if after[b][c] else 0 for a in n] for b in n]
                    for c in n
                ],
                dtype=float,
            )
            for now, after in pairwise(exact)
        ]

    def values_at(self, time: int) -> Doubles:
        """Return Pr of each value at a time, from 0, within a few units."""
        return np.asarray(self.pairs[time].sum(axis=1) if time < len(self.pairs) else self.pairs[-1].sum(axis=0))

    def beside(self, time: int) -> Doubles:
        """Return Pr(p', p, f, f' | the value at a time), from 0, an array for each; an axis of 1 for what is not."""
        n, last = self.law.n, self.releases - 1
        if time == 0:
            joint = self.pairs[0][None, :, :] if last else np.ones((1, n, 1))  # p, the value, f
        elif time == last:
            joint = self.pairs[time - 1][:, :, None]
        else:
            joint = self.pairs[time - 1][:, :, None] * self.forward
        past = self.backward[time - 2].transpose(1, 0, 2) if time >= 2 else np.ones((joint.shape[0], n, 1))
        future = self.forward if time + 2 <= last else np.ones((n, joint.shape[2], 1))
        given = np.einsum("pvf,pvq,vfg->vqpfg", joint, past, future)
        total = joint.sum(axis=(0, 2))
        return np.asarray(np.divide(given, total[:, None, None, None, None], out=np.zeros_like(given), where=given > 0))


class AtOneTime:
    """What releases tell of the value at one time, from 0: for pairs of values that can occur there.

    Beside the sweeps in each order, the weight is split: P_j − λ P_k = (P_j − μ M) + (μ M − λ P_k), where M has one
    side as it is given j and, given that, the other one as given k. In the first part the latter's values go first, in
    the second the former's: so on a chain of first order the bound is exact.
    """

    def __init__(self, sides: SecondOrderSides, epsilons: Sequence[Level], time: int) -> None:
        """Take a chain, budgets, finite, and a time. Raises: InvalidRequest where the other budgets exceed `MOST`."""
        self._sides, self._time = sides, time
        self._excess = [above_it(epsilon.excess_bounds()[1]) for epsilon in epsilons]
        if self.most() > MOST:
            raise InvalidRequest("other budgets on a chain of second order add up to at most log(1e100)")
        possible = np.flatnonzero(sides.values_at(time) > 0).tolist()
        self.pairs = np.array(list(permutations(possible, 2)), dtype=np.int64).reshape(-1, 2)
        given = sides.beside(time)
        self._j, self._k = given[self.pairs[:, 0]], given[self.pairs[:, 1]]
        self._between: dict[str, Doubles] = {}

    def most(self) -> float:
        """Return a factor that other releases exceed under no law, e^{Σ ε}."""
        return prod(1 + own for at, own in enumerate(self._excess) if at != self._time) * (1 + BETWEEN)

    def proved(self, odds: float, which: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for which of these pairs other releases move their odds by at most a factor, which is proved."""
        found = np.zeros(len(which), dtype=bool)
        for is_split, order in [*((False, order) for order in ORDERS), (True, PAST_FIRST), (True, FUTURE_FIRST)]:
            if found.all():
                break
            if is_split and order not in self._between:
                self._between[order] = self._split(order)
            left = np.flatnonzero(~found)
            own = which[left]
            begin = self._between[order][own] if is_split else self._j[own]
            last = FUTURE_FIRST if is_split and order == PAST_FIRST else PAST_FIRST if is_split else order
            found[left] = self._is_below(begin, self._k[own] * odds, last)
        return found

    def _split(self, order: str) -> Doubles:
        """Return μ M of each pair: of the side that goes first what is given k, of the other one what is given j."""
        first, other = ((1, 2), (3, 4)) if order == PAST_FIRST else ((4, 3), (2, 1))
        nearest = other[0]
        inner = []
        for own in (self._j, self._k):
            joint = own.sum(axis=other[1], keepdims=True)
            whole = joint.sum(axis=first, keepdims=True)
            inner.append(np.divide(joint, whole, out=np.zeros_like(joint), where=whole > 0))
        is_known = self._k.sum(axis=tuple({1, 2, 3, 4} - {nearest}), keepdims=True) > 0
        between = np.asarray(self._j.sum(axis=first, keepdims=True) * np.where(is_known, inner[1], inner[0]))
        low, high = np.ones(len(self.pairs)), np.full(len(self.pairs), self.most())
        while (high > low * (1 + BETWEEN)).any():
            tried = np.sqrt(low) * np.sqrt(high)
            is_below = self._is_below(self._j, between * tried[:, None, None, None, None], order)
            low, high = np.where(is_below, low, tried), np.where(is_below, tried, high)
        return np.asarray(between * high[:, None, None, None, None])

    def _is_below(self, greater: Doubles, less: Doubles, order: str) -> NDArray[np.bool_]:
        """Return where no stream has Σ (greater − less) g above 0, which is proved: the weights within some units."""
        sides, n = self._sides, self._sides.law.n
        c = greater - less
        c += 64 * (n + 1) * U * (greater + less)
        for is_past, at in _eliminated(self._time, len(self._excess), order):
            f = c + self._excess[at] * np.maximum(c, 0)
            if is_past:
                step = sides.backward[at - 2] if at >= 2 else np.ones((c.shape[2], c.shape[1], 1))
                c = _over(f, step, "mqpfg,pqr->mrqfg", n)
            else:
                step = sides.forward if at + 2 < len(self._excess) else np.ones((c.shape[3], c.shape[4], 1))
                c = _over(f, step, "mqpfg,fgh->mqpgh", n)
        return np.asarray(c.reshape(len(c)) <= 0)


def _over(f: Doubles, step: Doubles, axes: str, n: int) -> Doubles:
    return np.asarray(np.einsum(axes, f, step) + 8 * (n + 6) * U * np.einsum(axes, np.abs(f), step))


def _eliminated(time: int, releases: int, order: str) -> Iterator[tuple[bool, int]]:
    """Yield the other times in the order in which their values go, and whether each is before that time."""
    past, future = [*range(time - 1, -1, -1)], [*range(time + 1, releases)]
    while past or future:
        takes_past = bool(past) and (
            not future or order == PAST_FIRST or (order == BY_DISTANCE and time - past[0] <= future[0] - time)
        )
        yield takes_past, (past if takes_past else future).pop(0)
