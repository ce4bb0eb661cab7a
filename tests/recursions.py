"""The recursion of the leakage over all pairs of rows and all subsets of columns, in fractions or in mpmath.

A leakage stands by its excess E = e^α − 1 as a `Fraction` or an mpf. Nothing of `tploracle` but the matrix is used.
"""

from fractions import Fraction
from itertools import permutations

from mpmath import mp

from .second_opinion import mpf

FAR = 6000
"""A fixed point e^FAR times above the budget's excess is taken for none."""

HALVINGS = 300
"""An interval of length 10^4 is halved to less than 10^−80."""


def points(matrix):
    """Return (Σ q_j, Σ d_j) with q > d over all subsets of columns of all ordered pairs of rows."""
    found = set()
    for q, d in permutations(matrix.rows, 2):
        for mask in range(1, 2**matrix.n):
            chosen = [j for j in range(matrix.n) if mask >> j & 1]
            found.add((sum((q[j] for j in chosen), Fraction(0)), sum((d[j] for j in chosen), Fraction(0))))
    return sorted((q, d) for q, d in found if q > d)


def rounded(all_points):
    """Return the points in mpmath, at its working precision."""
    return [(mpf(q), mpf(d)) for q, d in all_points]


def loss(all_points, excess):
    """Return the excess of L: the greatest (q·E + 1)/(d·E + 1) − 1."""
    return max(((q - d) * excess / (d * excess + 1) for q, d in all_points), default=0 * excess)


def plus(first, second):
    """Return the excess of a sum of two levels."""
    return first + second + first * second


def leakages(all_points, epsilons):
    """Yield the excess of BPL_t for each budget's excess."""
    excess = None
    for epsilon in epsilons:
        excess = epsilon if excess is None else plus(loss(all_points, excess), epsilon)
        yield excess


def temporal(points_b, points_f, epsilons):
    """Return the excesses of TPL_t: BPL_t and FPL_t together, less ε_t."""
    bpl = list(leakages(points_b, epsilons))
    fpl = list(leakages(points_f, epsilons[::-1]))[::-1]
    return [(1 + b) * (1 + f) / (1 + epsilon) - 1 for b, f, epsilon in zip(bpl, fpl, epsilons, strict=True)]


def fixed_point(all_points, epsilon):
    """Return the excess, in mpmath, at which a step with this budget's excess no longer rises; None if there is none.

    Found by the sign of a step alone, no equation being solved.
    """

    def rises(log_excess):
        excess = mp.exp(log_excess)
        return plus(loss(all_points, excess), epsilon) > excess

    low, gap = mp.log(epsilon), mp.mpf(1)
    if not rises(low):
        return epsilon
    while rises(low + gap):
        gap *= 2
        if gap > FAR:
            return None
    return mp.exp(crossing(rises, low, low + gap))


def crossing(below, low, high):
    """Return where a condition that holds at low and not at high ends, to `HALVINGS` bits of the distance."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return low
