"""The exact worst case over all mechanisms, of which the paper's BPL, FPL and TPL are upper bounds.

Of all mechanisms that are ε_t-differentially private at each time t, which leak the most? One sequence of outputs has
likelihoods m_t(a) = Pr(r^t | l^t = a, earlier outputs) with m_t(a) ≤ e^{ε_t}·m_t(b), and no other condition; scaled,
m_t ∈ [1, e^{ε_t}]^n. With P = P^B, f_t(a) = Pr(r^1..r^t | l^t = a) obeys f_1 = m_1 and f_t = m_t ∘ (P f_{t−1}).

Theorem (sweep). Fix two values j, k of l^T and λ > 0. For every u ≥ 0 the sum Σ_a c_a u_a m_a is greatest at m_a =
e^ε where c_a > 0 and m_a = 1 elsewhere, whatever u is. So with Φ_ε(c) = e^ε c^+ − c^−, c_{T−1} = P_j − λ P_k and
c_{t−1} = P^T Φ_{ε_t}(c_t), the number W(λ) = Σ_a Φ_{ε_1}(c_1)_a is the maximum of (P_j − λ P_k)·f_{T−1} over all
mechanisms. It falls strictly in λ, and its zero B_T(j, k) is the greatest P_j·f_{T−1} / P_k·f_{T−1}. It is attained
by the sets S_t = {a : c_t(a) > 0}: ask “is the value in S_t?” by randomized response, and see “yes” every time. Hence

    BPL_T = ε_T + max_{j ≠ k} log B_T(j, k)     and     TPL_t = ε_t + max_{j ≠ k} log(B_t(j, k)·F_t(j, k)),

FPL as BPL with P^F from the end, F for B. All three are exact and attained: given l^t the past and the future are
independent, so one mechanism attains both factors of TPL for the same pair. Mechanisms may depend on earlier outputs
for BPL and TPL; for FPL they may not (one that republishes the past has the TPL as its FPL).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..correlations import Row
from ..surds import Exact, sign

ONE = Fraction(1)

ValuePair = tuple[int, int]
Sets = tuple[frozenset[int], ...]
"""A set of values for each release, the farthest from the time in question first."""


@dataclass(frozen=True)
class OneSide:
    """The releases before a time t, or those after it, the farthest first; each has a budget above 0.

    steps: steps[s] has the rows Pr(value at release s | value at release s + 1), the last of them Pr(… | l^t).
    reveals: whether the farthest release has an infinite budget, and tells the value. for_ever: whether there is no
    farthest one: the one step and its budget go on without end, and what is sought is a supremum over all horizons.
    phases: into how many equal parts the values fall, one after the other, that each step leads through in turn.
    """

    steps: tuple[tuple[Row, ...], ...]
    reveals: bool = False
    for_ever: bool = False
    phases: int = 1

    @property
    def finite(self) -> int:
        """The number of finite budgets that are given for the releases: one where it is for ever."""
        return len(self.steps) - self.reveals


@dataclass(frozen=True, slots=True)
class GreatestRatio:
    """The greatest ratio of two values' likelihoods over all mechanisms, and the sets that attain it. Exact."""

    ratio: Exact
    sets: Sets


def sweep(side: OneSide, ratios: Sequence[Exact], pair: ValuePair, ratio: Exact) -> tuple[Sets, Exact]:
    """Return, for λ = ratio, the sets S_s and the maximum W(λ) of (P_j − λ P_k)·f over all mechanisms. Exact.

    Args: side, at least one release; ratios, e^ε of each (a revealing one's is not looked at); pair, the values j and
    k, from 0. A release that tells the value makes f any vector at least 0: W(λ) then stands for the greatest c_1(a).
    """
    j, k = pair
    c = [p - ratio * q for p, q in zip(side.steps[-1][j], side.steps[-1][k], strict=True)]
    sets: list[frozenset[int]] = []
    for s in range(len(side.steps) - 1, -1, -1):
        if s == 0 and side.reveals:
            told = _greatest(c)
            return (frozenset([told]), *reversed(sets)), c[told]
        sets.append(frozenset(a for a, value in enumerate(c) if sign(value) > 0))
        c = [ratios[s] * value if a in sets[-1] else value for a, value in enumerate(c)]
        if s:
            c = [_dot(column, c) for column in zip(*side.steps[s - 1], strict=True)]
    return tuple(reversed(sets)), _dot((ONE,) * len(c), c)


def likelihood_ratio(side: OneSide, ratios: Sequence[Exact], pair: ValuePair, sets: Sets) -> Exact | None:
    """Return P_j·f / P_k·f for randomized response about these sets, “yes” every time; None where it is ∞. Exact."""
    rows = side.steps[0]
    f: list[Exact] = [ratios[0] if a in sets[0] and not side.reveals else ONE for a in range(len(rows))]
    if side.reveals:
        f = [Fraction(a in sets[0]) for a in range(len(rows))]
    for s in range(1, len(side.steps)):
        f = [_dot(row, f) for row in side.steps[s - 1]]
        f = [ratios[s] * value if a in sets[s] else value for a, value in enumerate(f)]
    j, k = pair
    below = _dot(side.steps[-1][k], f)
    return None if sign(below) == 0 else _dot(side.steps[-1][j], f) / below


def worst(side: OneSide, ratios: Sequence[Exact], pair: ValuePair, at_least: Exact = ONE) -> GreatestRatio | None:
    """Return the zero of W, the greatest ratio for a pair of values, by Dinkelbach's iteration; None where it is ∞.

    λ becomes what the sets of the sweep attain, as long as W(λ) > 0: exact, for there are finitely many sets. Args as
    `sweep`; at_least, a λ ≥ 1 that some sets attain, to start from.
    """
    found = GreatestRatio(at_least, sweep(side, ratios, pair, at_least)[0])
    while True:
        sets, most = sweep(side, ratios, pair, found.ratio)
        if sign(most) <= 0:
            return found
        attained = likelihood_ratio(side, ratios, pair, sets)
        if attained is None:
            return None
        found = GreatestRatio(attained, sets)


def _dot(weights: Sequence[Fraction], values: Sequence[Exact]) -> Exact:
    total: Exact = Fraction(0)
    for weight, value in zip(weights, values, strict=True):
        if weight:
            total = total + weight * value
    return total


def _greatest(values: Sequence[Exact]) -> int:
    best = 0
    for index, value in enumerate(values):
        if sign(value - values[best]) > 0:
            best = index
    return best
