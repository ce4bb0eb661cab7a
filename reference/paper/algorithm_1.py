"""Algorithm 1 [algo:cal_bpl]: backward or forward leakage by Theorem 5, one program per pair of rows."""

from __future__ import annotations

from fractions import Fraction

from ..correlations import TransitionMatrix
from ..levels import ZERO, Level
from .lfp import Subset, candidates, greatest, row_pairs, satisfies_cond1, subset


def optimum(matrix: TransitionMatrix, row_q: int, row_d: int, alpha: Level) -> Subset:
    """Solve the program of two rows, lines 3–11 of Algorithm 1 [algo:cal_bpl].

    Args: matrix; the rows' indices, counted from 0; alpha, the previous BPL or the next FPL.
    Returns: the set x⁺ of Theorem 5 [thm:lfp], with its sums; exact. The empty set (q = d = 0) where the rows are
    equal. Raises: Undecided.

    Corrected: the flag `update` is set back at each turn of the loop (as printed one removal repeats without end), and
    q_j/d_j with d_j = 0 reads +∞.
    """
    q_row, d_row = matrix.rows[row_q], matrix.rows[row_d]
    chosen = candidates(q_row, d_row)
    update = True
    while update:
        q = sum((q_row[j] for j in chosen), Fraction(0))
        d = sum((d_row[j] for j in chosen), Fraction(0))
        kept = [j for j in chosen if satisfies_cond1(q_row[j], d_row[j], q, d, alpha)]
        update = kept != chosen
        chosen = kept
    return subset(matrix, row_q, row_d, chosen)


def algorithm_1(matrix: TransitionMatrix, alpha: Level, epsilon: Level) -> Level:
    """Calculate BPL or FPL at one time, Algorithm 1 [algo:cal_bpl].

    Args:
        matrix: P^B or P^F, n × n.
        alpha: the BPL at t − 1 or the FPL at t + 1, a level in nats.
        epsilon: the budget PL_0(M^t), a level in nats.

    Returns: L(alpha) + epsilon, exact. Raises: Undecided.

    Corrected as `optimum` says. The values of two pairs are compared without their logarithms.
    """
    optima = [optimum(matrix, row_q, row_d, alpha) for row_q, row_d in row_pairs(matrix)]
    loss = greatest(optima, alpha).value(alpha) if optima else ZERO
    return loss + epsilon
