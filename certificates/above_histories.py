"""The check from above on histories: no event-level private stream exceeds a bound, and one attains the other end.

Of one output let g(y) be the likelihood given the values y: g(y) ≤ e^{ε_s} g(y') where they differ at time s alone. For
multipliers z ≥ 0 of these, Σ w g ≤ Σ r g with r(y) = w(y) − Σ z(y, y') + Σ e^{ε_s} z(y', y), for w = P_j − λ P_k. And
as g(y) ≤ e^{Σ ε} Σ P_k g, what is left of r above 0, times e^{Σ ε}, is added to λ: so rounding, and a solver that is
not quite right, cost a little, and are never believed. Proved, but for roundings, in proofs_checks/rocq/AboveOthers.v.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite

import numpy as np
from numpy.typing import NDArray

from ..reference.levels import Level
from .above_doubles import above_it
from .above_loss import U

Doubles = NDArray[np.float64]


@np.errstate(over="ignore", invalid="ignore")
def joint_odds_above(
    given_j: Doubles, given_k: Doubles, epsilons: Sequence[Level], odds: float, multipliers: Sequence[Doubles]
) -> float:
    """Return an upper bound of Σ P_j g / Σ P_k g over all private g, ∞ where what is not trusted leaves none.

    Args: laws, within a unit, an axis for each time; odds, multipliers: as of `JointSolution`, not trusted.
    """
    if odds < 0:
        return inf
    rest = given_j - odds * given_k
    size = given_j + odds * given_k
    total = 1.0
    for s, (epsilon, z) in enumerate(zip(epsilons, multipliers, strict=True)):
        own = np.maximum(z, 0)
        factor = 1 + above_it(epsilon.excess_bounds()[1])
        total *= factor * (1 + 4 * U)
        out = own.sum(axis=-1)
        into = factor * np.moveaxis(own.sum(axis=s), -1, s)  # from all values at s to the one that is written last
        rest = rest - out + into
        size = size + out + into
    left = np.maximum(rest + 64 * (given_j.shape[0] + 4) * (len(epsilons) + 1) * U * size, 0)
    more = float(left.sum()) * (1 + 4 * left.size * U)
    proved = float((odds + total * more) * (1 + 8 * U))
    return proved if isfinite(proved) else inf


def joint_odds_attained(given_j: Doubles, given_k: Doubles, epsilons: Sequence[Level], likelihoods: Doubles) -> float:
    """Return a lower bound of the greatest Σ P_j g / Σ P_k g: what likelihoods attain once they are made private."""
    g = np.maximum(likelihoods, 0) + 1e-200
    for s, epsilon in enumerate(epsilons):
        g = np.maximum(g, g.max(axis=s, keepdims=True) / (1 + float(epsilon.excess_bounds()[0])))
    j, k = float((given_j * g).sum()), float((given_k * g).sum())
    return max(1.0, j / k * (1 - 16 * (g.size + g.ndim) * U))
