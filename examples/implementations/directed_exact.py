"""What no rounded number decides, in integers: the pieces of the loss function, and the budgets that keep a level.

Whether three points lie on one line is no question for rounded numbers, nor is the root of a quadratic whose
coefficients cancel, nor whether anything is left to spend. A double is an integer times a power of 2, so all of these
have an exact answer; doubles only find out where to look.
"""

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import inf, isqrt, lcm, log, log1p

import numpy as np

from directed_loss import SCALE
from directed_numbers import FAR, InfeasibleBudget, U, down, excess, level, next_to, sum_down

ROOT_BITS = 256
NO_LOSS = [(Fraction(0), Fraction(0), Fraction(0), None)]
"""The pieces of the loss function of a correlation that is not known."""


def pieces_of(matrix):
    """Return the whole loss function as (q, d, start, stop) of each piece, start and stop in E; None for ∞. Exact.

    The pieces are the corners of the upper hull of the points (d_S, q_S) that are steepest from some (−v, −v).
    """
    sums = [sum(map(Fraction, row.tolist())) for row in matrix.given]
    exact = [[Fraction(x) / total for x in row.tolist()] for row, total in zip(matrix.given, sums, strict=True)]
    common = lcm(*(x.denominator for row in exact for x in row))
    rows = [[int(x * common) for x in row] for row in exact]
    corners = _hull({point for q, d in _pairs_on_hull(matrix) for point in _prefixes(rows[q], rows[d])})
    first = max(range(len(corners)), key=lambda i: (corners[i][1] - corners[i][0], -i))
    last = first
    while last > 0 and corners[last - 1][1] * corners[last][0] > corners[last][1] * corners[last - 1][0]:
        last -= 1
    ruling = corners[last : first + 1][::-1]
    if ruling == [(0, 0)]:
        return [(Fraction(0), Fraction(0), Fraction(0), None)]
    ends = [Fraction((q1 + d - q - d1) * common, q * d1 - q1 * d) for (d, q), (d1, q1) in pairwise(ruling)]
    return [
        (Fraction(q, common), Fraction(d, common), start, stop)
        for (d, q), start, stop in zip(ruling, [Fraction(0), *ends], [*ends, None], strict=True)
    ]


def _pairs_on_hull(matrix):
    """Return the pairs of rows (q, d) whose points may touch the hull, one of those that only permute columns.

    A computed point is within a factor 1 ± (n + 8)u of the true one, and the hull is concave from the origin, so a
    relative error of d costs no more than the same one of q. Columns whose ratios doubles confuse lie on a chord to
    within 6n·u, so one end of their run is within 12n·u of the hull where any point between is on it.
    """
    keep = 1 - 64 * (matrix.n + 16) * U
    ceiling = np.zeros((2, 1))
    for d in range(matrix.n):
        points = _curves(matrix, d)
        above = points[1] > _on(ceiling, points[0])
        if above.any():
            corners = _hull(zip(*np.concatenate([ceiling, points[:, above]], axis=1).tolist(), strict=True))
            top = max(range(len(corners)), key=lambda i: corners[i][1] - corners[i][0] / SCALE)
            ceiling = np.array(corners[: top + 1]).T
    pairs = {}
    for d in range(matrix.n):
        points = _curves(matrix, d)
        for q in np.flatnonzero((points[1] >= _on(ceiling, points[0]) * keep).any(axis=1)):
            order = np.lexsort((matrix.given[d], matrix.given[q]))
            pairs.setdefault(matrix.given[[q, d]][:, order].tobytes(), (int(q), d))
    return list(pairs.values())


def _curves(matrix, d):
    """Return 2^512·d_S and q_S over the prefixes of the columns with q_j ≥ d_j by falling q_j/d_j, for each q."""
    takes = matrix.entries * (1 + 8 * U) >= matrix.entries[d]  # those that rounding makes equal too, which come last
    with np.errstate(all="ignore"):
        order = np.argsort(np.where(takes, matrix.scaled[d] / matrix.entries, inf), axis=1, kind="stable")
    sums = [np.where(takes, row, 0) for row in (np.broadcast_to(matrix.scaled[d], takes.shape), matrix.entries)]
    return np.array([np.cumsum(np.take_along_axis(row, order, axis=1), axis=1) for row in sums])


def _prefixes(q_row, d_row):
    """Yield (d_S, q_S) over the prefixes of the columns with q_j > d_j by falling q_j/d_j, in integers."""
    q_sum = d_sum = 0
    yield 0, 0
    chosen = [(q, d) for q, d in zip(q_row, d_row, strict=True) if q > d]
    for q, d in sorted(chosen, key=lambda entry: Fraction(entry[1], entry[0])):
        q_sum, d_sum = q_sum + q, d_sum + d
        yield d_sum, q_sum


def _hull(points):
    """Return the corners of the upper hull of points (d, q), by rising d; exact for integers."""
    hull = []
    for d, q in sorted(points, key=lambda point: (point[0], -point[1])):
        if hull and d == hull[-1][0]:
            continue
        while len(hull) > 1:
            (d0, q0), (d1, q1) = hull[-2:]
            if (d1 - d0) * (q - q0) < (q1 - q0) * (d - d0):
                break
            hull.pop()
        hull.append((d, q))
    return hull


def _on(ceiling, d):
    """Return the hull of doubles at 2^512·d; beyond its last corner it goes on with slope 1."""
    return np.interp(d, *ceiling) + np.maximum(d - ceiling[0][-1], 0) / SCALE


def _ratio_at(pieces, a):
    """Return e^L at the ratio a = e^α: the greatest over the pieces. Exact."""
    return max((q * (a - 1) + 1) / (d * (a - 1) + 1) for q, d, _, _ in pieces)


def _ruling(own, other, a):
    """Return (q, d) of the piece of L that holds the solution x of x + L'(α − L(x)) = α. Exact."""
    for q, d, _, stop in own[:-1]:
        end = 1 + stop
        if end >= a or end * _ratio_at(other, a / _ratio_at(own, end)) >= a:
            return q, d
    return own[-1][:2]


def _solution(e, own, other):
    """Return e^x − 1 for the solution x of x + L'(α − L(x)) = α on a piece of L and one of L', e = e^α − 1.

    Rounded down by less than 2^−250 of itself. Where neither piece is 0 it is the root of s·X² + b·X − r = 0.
    """
    (q, d), (q1, d1), a = own, other, 1 + e
    if q1 == d1:
        return e
    if q == d:
        return e * (1 - q1 + d1 * a) / (q1 * e + 1)
    top, top1 = d * a - q, d1 * a - q1
    s, b, r = q1 * top + q, q1 * e + 1 - (top1 * top + q * e), e * (top1 + 1)
    if s == 0:
        return r / b
    square = b * b + 4 * s * r
    scale = 1 << (ROOT_BITS + max(0, square.denominator.bit_length() - square.numerator.bit_length()))
    root = Fraction(isqrt(square.numerator * scale * scale // square.denominator), scale)
    return 2 * r / (b + root + Fraction(2, scale)) if b > 0 else (root - b) / (2 * s)


def budgets_below(alpha, backward, forward):
    """Return (first, middle, last) of the schedule that attains α, rounded down, from the pieces; 0 < α < ∞.

    Above FAR only those budgets still move whose own side is at its limit, by as much as α does, or by half of that
    where both sides grow alike; they never fall when α rises.
    """
    found = _solved(min(alpha, FAR), backward, forward)
    if alpha > FAR:
        moves = _moves(*(pieces[-1][0] if pieces[-1][0] > pieces[-1][1] == 0 else 0 for pieces in (backward, forward)))
        found = [down(budget + move * (alpha - FAR), 16) for budget, move in zip(found, moves, strict=True)]
    first, middle, last = found
    free, then = (pieces[0][0] == pieces[0][1] for pieces in (backward, forward))
    return alpha if then else first, alpha if free and then else middle, alpha if free else last


def _solved(alpha, backward, forward):
    """Return the three budgets; e^α − 1 is rounded down first, and the rest is exact up to the root and the logs."""
    m, k = excess(alpha, -1)
    e = Fraction(m) * Fraction(2) ** k
    own, other = _ruling(backward, forward, 1 + e), _ruling(forward, backward, 1 + e)
    x, y = _solution(e, own, other), _solution(e, other, own)
    q, d = own
    return level_below(x), level_below(x * (1 - q + d * (1 + x)) / (q * x + 1)), level_below(y)


def _moves(backward, forward):
    """Return how fast the three budgets grow with α beyond FAR. Args: q where L grows without end, 0 where it ends."""
    if backward == forward:
        return (0.5, 0, 0.5) if backward else (1, 1, 1)
    if not backward or not forward:
        return (1, 0, 0) if backward else (0, 0, 1)
    return (1, 0, 0) if backward > forward else (0, 0, 1)


def level_below(x):
    """Return a double below log(1 + x), x > 0 a Fraction."""
    shift = x.numerator.bit_length() - x.denominator.bit_length()
    return level(down(float(x / Fraction(2) ** shift)), shift, -1)


def level_near(x):
    """Return log(1 + x), x ≥ 0 a Fraction, within a few ulps."""
    return log1p(float(x)) if x < 2**1000 else log(x.numerator) - log(x.denominator)


def left_below(pieces, previous, cap):
    """Return cap − L(previous) rounded down, for finite cap, by decimals of as many digits as it takes.

    Raises: InfeasibleBudget where it is not positive. It is 0 only where both levels are 0, or equal and L the identity
    (e^cap is otherwise no rational function of e^previous, for two doubles), so that there is an end to the digits.
    """
    if previous == 0 or pieces[0][0] == pieces[0][1]:
        left = cap or None
    elif pieces[0][0] - pieces[0][1] == 1:
        left = sum_down(cap, -previous) if cap > previous else None
    else:
        left = _left_below(pieces, previous, cap, 1200)
    if left is None:
        raise InfeasibleBudget("what was released carries the cap over")
    return left


def _left_below(pieces, previous, cap, digits):
    with localcontext(Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        if previous == inf:
            q, d = pieces[-1][:2]
            carried = (_decimal(q) / _decimal(d)).ln() if d else Decimal("inf")
        else:
            grown = Decimal(previous).exp() - 1
            q, d, *_ = next(piece for piece in reversed(pieces) if _decimal(piece[2]) <= grown)
            carried = ((_decimal(q) * grown + 1) / (_decimal(d) * grown + 1)).ln()
        left = Decimal(cap) - carried
        if abs(left) < Decimal(cap).scaleb(60 - digits):
            return _left_below(pieces, previous, cap, 2 * digits)
        return None if left < 0 else next_to(Fraction(left * (1 - Decimal("1e-40"))), -1)


def _decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)
