"""The linear-fractional program of a pair of rows, Eq. [eq:lfp, eq:lfp_end, eq:lfp_end2].

Maximise q·x / d·x over x with e^{−α} ≤ x_j/x_k ≤ e^α. At the optimum x takes its greatest value on a set S of
indices and its least elsewhere, so the optimum is g_S(E) = (q_S·E + 1)/(d_S·E + 1) with q_S = Σ_{j∈S} q_j,
d_S = Σ_{j∈S} d_j and E = e^α − 1. Every S is feasible, so every g_S is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from ..correlations import Row, TransitionMatrix
from ..levels import Level


@dataclass(frozen=True, slots=True)
class Subset:
    """A set S of indices (x⁺ of the paper) for rows q and d, with the sums over it.

    q = Σ q⁺ and d = Σ d⁺ as in Theorem 5 [thm:lfp]; row_q and row_d are the rows' indices; all counted from 0.
    """

    row_q: int
    row_d: int
    indices: tuple[int, ...]
    q: Fraction
    d: Fraction

    def value(self, alpha: Level) -> Level:
        """Return log g_S(e^α − 1), the objective of Theorem 5 [thm:lfp]. Exact.

        Args:
            alpha: a level in nats.
        """
        return alpha.linear_fractional(self.q, self.d)


def subset(matrix: TransitionMatrix, row_q: int, row_d: int, indices: Iterable[int]) -> Subset:
    """Return the set of these indices for these two rows, with its sums. Exact."""
    chosen = tuple(sorted(indices))
    q_row, d_row = matrix.rows[row_q], matrix.rows[row_d]
    return Subset(
        row_q,
        row_d,
        chosen,
        sum((q_row[j] for j in chosen), Fraction(0)),
        sum((d_row[j] for j in chosen), Fraction(0)),
    )


def row_pairs(matrix: TransitionMatrix) -> Iterator[tuple[int, int]]:
    """Yield the n(n − 1) ordered pairs of distinct rows, one program each, Eq. [eq:lfp_sol_b]."""
    return permutations(range(matrix.n), 2)


def candidates(q: Row, d: Row) -> list[int]:
    """Return the indices with q_j > d_j: no other can be in x⁺, Corollary 2 [col:q_d]. Exact."""
    return [j for j in range(len(q)) if q[j] > d[j]]


def transition_point(q_j: Fraction, d_j: Fraction, q: Fraction, d: Fraction) -> Fraction | None:
    """Return the excess e^α − 1 at which q_j/d_j = (q·E + 1)/(d·E + 1), from where [eq:cond1] fails for j.

    Args: q_j > d_j, and the sums q, d over a set that has j. Returns: E, exact; None where there is no such E and
    the inequality always holds (d_j = 0 reads q_j/d_j = +∞).

    This is the transition point of Theorem 9 [thm:lfp_seg_func] less its logarithm.
    """
    slope = q * d_j - d * q_j
    return (q_j - d_j) / slope if slope > 0 else None


def satisfies_cond1(q_j: Fraction, d_j: Fraction, q: Fraction, d: Fraction, alpha: Level) -> bool:
    """Whether q_j/d_j > (q·E + 1)/(d·E + 1) at E = e^α − 1, Inequality [eq:cond1]. Exact.

    Multiplied out it is linear in E, and q_j/d_j with d_j = 0 reads +∞.
    """
    return alpha.sign_of_linear(q_j - d_j, q_j * d - d_j * q) > 0


def is_optimal(matrix: TransitionMatrix, chosen: Subset, alpha: Level) -> bool:
    """Whether a set meets Inequalities [eq:cond1, eq:cond2], so that Theorem 5 [thm:lfp] applies. Exact."""
    q_row, d_row = matrix.rows[chosen.row_q], matrix.rows[chosen.row_d]
    inside = set(chosen.indices)
    return all(
        satisfies_cond1(q_row[j], d_row[j], chosen.q, chosen.d, alpha) == (j in inside)
        for j in range(matrix.n)
        if q_row[j] or d_row[j]
    )


def is_greater(first: Subset, second: Subset, alpha: Level) -> bool:
    """Whether g of the first set exceeds g of the second at e^α − 1. Exact.

    The sign of the difference is that of E·[(q − q') + (d' − d) + E·(q d' − q' d)], so no value is compared.
    """
    if alpha.is_zero:
        return False
    constant = (first.q - second.q) + (second.d - first.d)
    slope = first.q * second.d - second.q * first.d
    return alpha.sign_of_linear(constant, slope) > 0


def greatest(subsets: Sequence[Subset], alpha: Level) -> Subset:
    """Return the first of the sets whose g is greatest at e^α − 1. Exact."""
    best = subsets[0]
    for challenger in subsets[1:]:
        if is_greater(challenger, best, alpha):
            best = challenger
    return best
