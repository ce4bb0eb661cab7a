"""BPL, FPL and TPL of one user over time, and the doubles next to the worst of them.

An excess is known to a relative error, or is exactly that of a budget, or of a sum of budgets, whose doubles are given:
what a release leaks of itself, all of it where rows are equal, and the sum where two rows share no column.
"""

from __future__ import annotations

import numpy as np

from ...floats import LARGEST, Doubles
from .compiling import strict
from .fused import FUSED_ROUNDING, FusedPair, add, add_double, divide, less, multiply, two_product
from .rounding import EXPM1_ERROR, expm1, neighbours_of_level
from .vertices import IDENTITY, Whole

PIECE_GAP, GAP_LOW, D, D_LOW, UNTIL = range(5)
"""The columns of pieces: q − d, d, and the excess from which on the next piece rules."""

COMPILED_STEP_ERROR = 16 * FUSED_ROUNDING
"""The relative error of one step of a recursion from an excess that is known exactly, that of h apart."""

_NEAR = 2.0**-30
"""Relative distance to a breakpoint within which both pieces are computed."""


@strict
def fill_pieces(points: Doubles, following: Whole, count: int, pieces: Doubles) -> None:
    """Write the points of a loss function as pieces, in order."""
    at = 0
    for i in range(count):
        p = points[at]
        gap, gap_low = divide(p[0] * p[3] - p[1] * p[2], 0.0, p[2] * p[3], 0.0)
        d, d_low = divide(p[1], 0.0, p[3], 0.0)
        pieces[i, PIECE_GAP], pieces[i, GAP_LOW], pieces[i, D], pieces[i, D_LOW] = gap, gap_low, d, d_low
        pieces[i, UNTIL] = np.inf
        if following[at] >= 0:
            pieces[i, UNTIL] = _meeting(p, points[following[at]])
        at = following[at]


@strict
def _meeting(p: Doubles, r: Doubles) -> float:
    """Return the excess at which two points attain the same: (gap − gap')/(q' d − q d'); nothing cancels unseen."""
    x, x_low = two_product(p[0] * p[3] - p[1] * p[2], r[2] * r[3])
    y, y_low = two_product(r[0] * r[3] - r[1] * r[2], p[2] * p[3])
    top, _ = add(x, x_low, -y, -y_low)
    x, x_low = two_product(r[0] * p[1], p[2] * r[3])
    y, y_low = two_product(p[0] * r[1], r[2] * p[3])
    low, _ = add(x, x_low, -y, -y_low)
    meeting: float = top / low
    return meeting


@strict
def _value(pieces: Doubles, i: int, x: float, x_low: float) -> FusedPair:
    low, low_low = multiply(pieces[i, D], pieces[i, D_LOW], x, x_low)
    low, low_low = add_double(low, low_low, 1.0)
    top, top_low = multiply(pieces[i, PIECE_GAP], pieces[i, GAP_LOW], x, x_low)
    return divide(top, top_low, low, low_low)


@strict
def gained(pieces: Doubles, count: int, i: int, x: float, x_low: float) -> tuple[float, float, int]:
    """Return e^L − 1 at an excess, and the piece that rules there. Args: i, a guess of the piece."""
    if count <= 0:
        return (x, x_low, 0) if count == IDENTITY else (0.0, 0.0, 0)
    while i > 0 and x < pieces[i - 1, UNTIL] * (1 - _NEAR):
        i -= 1
    while i < count - 1 and x > pieces[i, UNTIL] * (1 + _NEAR):
        i += 1
    best, best_low = _value(pieces, i, x, x_low)
    ruling = i
    k = i + 1
    while k < count and x > pieces[k - 1, UNTIL] * (1 - _NEAR):
        value, value_low = _value(pieces, k, x, x_low)
        if less(best, best_low, value, value_low):
            best, best_low, ruling = value, value_low, k
        k += 1
    k = i - 1
    while k >= 0 and x < pieces[k, UNTIL] * (1 + _NEAR):
        value, value_low = _value(pieces, k, x, x_low)
        if less(best, best_low, value, value_low):
            best, best_low, ruling = value, value_low, k
        k -= 1
    return best, best_low, ruling


@strict
def risen(v: float, v_low: float, e: float, e_low: float, f: float, f_low: float) -> FusedPair:
    """Return the excess of a sum of levels, v + e + ve; f is 1 + e."""
    x, x_low = multiply(v, v_low, f, f_low)
    return add(x, x_low, e, e_low)


@strict
def follow(
    past: Doubles, past_count: int, future: Doubles, future_count: int, budgets: Doubles, own: Doubles, before: Doubles
) -> None:
    """Work out both recursions at once, two independent chains of operations, which keep the processor busy.

    Args: budgets, the excess of each release and 1 more, as pairs, shape (T, 4); own, to be filled with the excesses of
    BPL and FPL, and before with what of them comes of the other releases, shape (T, 4).
    """
    last = len(budgets) - 1
    b, b_low, f, f_low = 0.0, 0.0, 0.0, 0.0
    i = k = 0
    for t in range(last + 1):
        u = last - t
        if t:
            v, v_low, i = gained(past, past_count, i, b, b_low)
            w, w_low, k = gained(future, future_count, k, f, f_low)
        else:
            v = v_low = w = w_low = 0.0
        before[t, 0], before[t, 1], before[u, 2], before[u, 3] = v, v_low, w, w_low
        b, b_low = risen(v, v_low, budgets[t, 0], budgets[t, 1], budgets[t, 2], budgets[t, 3])
        f, f_low = risen(w, w_low, budgets[u, 0], budgets[u, 1], budgets[u, 2], budgets[u, 3])
        own[t, 0], own[t, 1], own[u, 2], own[u, 3] = b, b_low, f, f_low


@strict
def both_sides(own: Doubles, before: Doubles, total: Doubles) -> None:
    """Fill in the excess of TPL at each time: BPL's, and what of FPL comes of later releases."""
    for t in range(len(own)):
        v, v_low = before[t, 2], before[t, 3]
        x, x_low = add_double(v, v_low, 1.0)
        x, x_low = multiply(x, x_low, own[t, 0], own[t, 1])
        total[t, 0], total[t, 1] = add(x, x_low, v, v_low)


@strict
def worst(course: Doubles, column: int, exact: Doubles, error: float) -> tuple[float, float, float]:
    """Return the doubles next to the greatest level of a course, and the first time, from 1, that is above the lower.

    NaN where that is not decided. Args: column, of the high parts; exact, shape (T, 2), of each time the doubles next
    to the level where they are known exactly, NaN where they are not.
    """
    best = 0
    for t in range(len(course)):
        if not course[t, column] <= LARGEST:
            return np.nan, np.nan, np.nan
        if less(course[best, column], course[best, column + 1], course[t, column], course[t, column + 1]):
            best = t
    most, nearly = course[best, column], 4 * (error + EXPM1_ERROR)
    lower, upper = 0.0, 0.0
    is_exact = exact[best, 0] == exact[best, 0]
    if not is_exact:
        lower, upper = neighbours_of_level(most, course[best, column + 1], error)
    for t in range(len(course)):
        if is_exact and course[t, column] >= most * (1 - nearly):
            if exact[t, 0] != exact[t, 0]:
                return np.nan, np.nan, np.nan
            lower, upper = max(lower, exact[t, 0]), max(upper, exact[t, 1])
    if upper == 0.0:
        return lower, upper, 1.0
    bar, bar_low = expm1(np.nextafter(upper, 0.0))
    for t in range(len(course)):
        if exact[t, 0] == exact[t, 0]:
            if exact[t, 1] >= upper:
                return lower, upper, t + 1.0
            continue
        apart, _ = add(course[t, column], course[t, column + 1], -bar, -bar_low)
        if apart > nearly * most:
            return lower, upper, t + 1.0
        if not apart < -nearly * most:
            break
    return np.nan, np.nan, np.nan
