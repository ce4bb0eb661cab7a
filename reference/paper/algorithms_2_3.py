"""Algorithms 2 and 3 [algo:precomp1, algo:calc_precomp]: the piecewise function of each pair of rows."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from ..correlations import TransitionMatrix
from ..levels import Level
from .lfp import Subset, candidates, greatest, row_pairs, transition_point


@dataclass(frozen=True, slots=True)
class PairFunction:
    """The optimum of one pair of rows as a function of α, Theorem 9 [thm:lfp_seg_func].

    order: the candidate indices by falling q_j/d_j. Entry i (from 0) of q_sums and d_sums is the sum over the first
    i + 1 of them; transitions[i] is the excess e^α − 1 from which on the last of these leaves, None for never. The
    paper's qArr, dArr and aArr, the last without its logarithm; falling, and equal where candidates are tied.
    """

    row_q: int
    row_d: int
    order: tuple[int, ...]
    q_sums: tuple[Fraction, ...]
    d_sums: tuple[Fraction, ...]
    transitions: tuple[Fraction | None, ...]

    def at(self, alpha: Level) -> Subset:
        """Return the set that is optimal at α: the longest prefix whose last candidate meets [eq:cond1]. Exact.

        Args:
            alpha: a level in nats.

        Raises: Undecided.
        """
        size = bisect_left(self.transitions, True, key=lambda transition: _has_left(transition, alpha))
        if size == 0:
            return Subset(self.row_q, self.row_d, (), Fraction(0), Fraction(0))
        indices = tuple(sorted(self.order[:size]))
        return Subset(self.row_q, self.row_d, indices, self.q_sums[size - 1], self.d_sums[size - 1])


def _has_left(transition: Fraction | None, alpha: Level) -> bool:
    return transition is not None and alpha.sign_of_linear(-transition, Fraction(1)) >= 0


def algorithm_2(matrix: TransitionMatrix) -> tuple[PairFunction, ...]:
    """Precompute the parameters, Algorithm 2 [algo:precomp1]: one function per ordered pair of rows.

    Args:
        matrix: P^B or P^F, n × n.

    Returns: the rows of qM, dM and aM; exact.

    Corrected: line 11 lacks the "+ 1" inside the logarithm that Theorem 9 [thm:lfp_seg_func] has (here the excess is
    kept, so that none is needed); what does not belong to a pair is left out where the paper pads with 0, which its own
    division turns into NaN.
    """
    functions = []
    for row_q, row_d in row_pairs(matrix):
        q, d = matrix.rows[row_q], matrix.rows[row_d]
        order = sorted(candidates(q, d), key=lambda j: d[j] / q[j])
        q_sums = tuple(accumulate(q[j] for j in order))
        d_sums = tuple(accumulate(d[j] for j in order))
        transitions = tuple(
            transition_point(q[j], d[j], q_sum, d_sum) for j, q_sum, d_sum in zip(order, q_sums, d_sums, strict=True)
        )
        functions.append(PairFunction(row_q, row_d, tuple(order), q_sums, d_sums, transitions))
    return tuple(functions)


def top(functions: tuple[PairFunction, ...], alpha: Level) -> Subset | None:
    """Return the set that gives the greatest value at α over all pairs, None for a matrix of one state. Exact."""
    return greatest([function.at(alpha) for function in functions], alpha) if functions else None


def algorithm_3(functions: tuple[PairFunction, ...], alpha: Level, epsilon: Level) -> Level:
    """Calculate BPL or FPL by precomputation, Algorithm 3 [algo:calc_precomp].

    Args:
        functions: what `algorithm_2` returns.
        alpha: the BPL at t − 1 or the FPL at t + 1, a level in nats.
        epsilon: the budget PL_0(M^t), a level in nats.

    Returns: L(alpha) + epsilon, exact. Raises: Undecided.

    Corrected: line 5 divides qArr by dArr (as printed, by qArr: the result was always epsilon).
    """
    best = top(functions, alpha)
    return epsilon if best is None else best.value(alpha) + epsilon
