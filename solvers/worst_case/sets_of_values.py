"""What streams attain that ask at each time whether the value is in a set, by randomised response: on any chain.

Likelihoods are products of one factor for each time, e^ε on the set and 1 off it, so every choice of sets is an
event-level private stream, and what it tells is a lower bound of the worst. The sets are sought one time after another:
for given others the weight of each value at that time decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import NDArray

from ...reference.laws import SecondOrder

Doubles = NDArray[np.float64]

MOST_PASSES = 30
"""Passes over all times: each raises the odds, and most come to rest after three."""

LOST = 2.0**-53


def attained_odds(law: SecondOrder, epsilons: Sequence[float], time: int) -> float:
    """Return a factor by which releases at other times move the odds of two values at a time: a *lower* bound.

    Args: epsilons, of each release, finite; time, from 0. The release itself adds its ε to TPL.
    """
    n, releases = law.n, len(epsilons)
    if releases < 2:
        return 1.0
    chain = _Chain(np.array(law.initial, dtype=float), np.array(law.kernel, dtype=float), time)
    shares = chain.weights(np.ones((1, releases, n)))[0][0, time]
    possible = np.flatnonzero(shares > 0)
    if len(possible) < 2:
        return 1.0
    j, k = (each.ravel() for each in np.meshgrid(possible, possible, indexing="ij"))
    pair = j[j != k], k[j != k]
    factors = np.array([exp(epsilon) for epsilon in epsilons])
    none = np.ones((len(pair[0]), releases, n))
    given = [chain.weights(_only(none, time, own))[0] / shares[own][:, None, None] for own in pair]
    best = 1.0
    for begin in (none, np.where(given[0] > given[1], factors[None, :, None], 1.0)):
        sets, odds, before = begin, np.ones(len(none)), np.zeros(len(none))
        for _ in range(MOST_PASSES):
            if (odds <= before * (1 + 1e-12)).all():
                break
            before = np.maximum(odds, before)
            sets, odds = chain.improved(sets, pair, shares, factors)
        # sums and products of positive numbers alone, each within a unit
        best = max(best, float(odds.max()) * (1 - 64 * releases * (n + 8) * LOST))
    return best


def _only(sets: Doubles, time: int, values: NDArray[np.intp]) -> Doubles:
    own = sets.copy()
    own[:, time, :] = 0
    own[np.arange(len(values)), time, values] = 1
    return own


@dataclass(frozen=True, slots=True)
class _Chain:
    """Pr of the first two values, Pr of each given two, and the time in question."""

    pairs: Doubles
    kernel: Doubles
    time: int

    def weights(self, sets: Doubles) -> tuple[Doubles, Doubles]:
        """Return the weight of each value at each time, its own factor left out, and the whole weight of each set."""
        releases = sets.shape[1]
        later = [np.ones((len(sets), *self.pairs.shape))]  # of all later values, given two
        for at in range(releases - 1, 1, -1):
            later.append(np.einsum("abc,mc,mbc->mab", self.kernel, sets[:, at], later[-1]))
        later.reverse()
        now = np.broadcast_to(self.pairs, (len(sets), *self.pairs.shape))
        found = np.empty_like(sets)
        both = now * later[0]
        found[:, 0] = np.einsum("mab,mb->ma", both, sets[:, 1])
        found[:, 1] = np.einsum("mab,ma->mb", both, sets[:, 0])
        whole = np.einsum("ma,ma->m", found[:, 0], sets[:, 0])
        now = now * sets[:, 0][:, :, None]
        for at in range(2, releases):
            now = np.einsum("mab,mb,abc->mbc", now, sets[:, at - 1], self.kernel)
            found[:, at] = np.einsum("mbc,mbc->mc", now, later[at - 1])
        return found, whole

    def improved(
        self, sets: Doubles, pair: tuple[NDArray[np.intp], NDArray[np.intp]], shares: Doubles, factors: Doubles
    ) -> tuple[Doubles, Doubles]:
        """Choose the set of each other time anew, one after another. Returns: the sets, and the odds they attain."""
        sets = sets.copy()
        for at in (other for other in range(sets.shape[1]) if other != self.time):
            (j, all_j), (k, all_k) = (self.weights(_only(sets, self.time, own)) for own in pair)
            better = j[:, at] * all_k[:, None] > k[:, at] * all_j[:, None]
            sets[:, at] = np.where(better, factors[at], 1.0)
        j, k = (self.weights(_only(sets, self.time, own))[1] / shares[own] for own in pair)
        return sets, np.asarray(j / k)
