"""The recursion of the leakage over all pairs of rows and all subsets of columns, in fractions or in mpmath.

A leakage stands by its excess E = e^α − 1 as a `Fraction` or an mpf. Nothing of `tploracle` but the matrix is used.
"""

from fractions import Fraction
from itertools import permutations

from mpmath import mp

from .in_mpmath import mpf

FAR = 2**14
"""A fixed point more than 2^FAR times above the budget's excess is taken for none."""


def points(matrix):
    """Return (Σ q_j − Σ d_j, Σ d_j) with q > d over all subsets of columns of all ordered pairs of rows.

    The difference is taken before anything is rounded: rows may be closer to each other than any precision sees.
    """
    found = set()
    for q, d in permutations(matrix.rows, 2):
        for mask in range(1, 2**matrix.n):
            chosen = [j for j in range(matrix.n) if mask >> j & 1]
            found.add((sum((q[j] for j in chosen), Fraction(0)), sum((d[j] for j in chosen), Fraction(0))))
    return sorted((q - d, d) for q, d in found if q > d)


def rounded(all_points):
    """Return the points in mpmath, at its working precision."""
    return [(mpf(gain), mpf(d)) for gain, d in all_points]


def loss(all_points, excess):
    """Return the excess of L: the greatest (q·E + 1)/(d·E + 1) − 1."""
    return max((gain * excess / (d * excess + 1) for gain, d in all_points), default=0 * excess)


def plus(first, second):
    """Return the excess of a sum of two levels."""
    return first + second + first * second


def minus(total, part):
    """Return the excess of a difference of two levels."""
    return (total - part) / (1 + part)


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
    return [plus(b, minus(f, epsilon)) for b, f, epsilon in zip(bpl, fpl, epsilons, strict=True)]


def fixed_point(all_points, epsilon):
    """Return the excess, in mpmath, at which a step with this budget's excess no longer rises; None if there is none.

    Found by the sign of a step alone, no equation being solved.
    """

    def rises(excess):
        return plus(loss(all_points, excess), epsilon) > excess

    if not rises(epsilon):
        return epsilon
    span = 1
    while rises(mp.ldexp(epsilon, span)):
        span *= 2
        if span > FAR:
            return None
    return crossing(rises, mp.ldexp(epsilon, span))


def first_and_last(points_b, points_f, alpha):
    """Return the excesses, in mpmath, of the x with x + L^F(α − L^B(x)) = α and of α − L^B(x): the left side rises."""

    def last(x):
        return minus(alpha, loss(points_b, x))

    x = crossing(lambda x: plus(x, loss(points_f, last(x))) < alpha, alpha)
    return x, last(x)


def crossing(below, high):
    """Return where a condition that holds from 0 on, and not at high, ends.

    To the working precision relative to itself, however near to 0: first its power of 2 is halved, then what is left.
    Where the working precision does not see the condition hold at all the power is that of no answer.
    """
    span = 1
    while not below(mp.ldexp(high, -span)) and span < 4 * (mp.prec + abs(mp.mag(high))):
        span *= 2
    low = mp.ldexp(high, -span)
    while span > 1:
        span //= 2
        middle = mp.ldexp(low, span)
        low = middle if below(middle) else low
    high = 2 * low
    for _ in range(mp.prec):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return low
