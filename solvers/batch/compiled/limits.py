"""Suprema of one user, and the greatest budget that keeps a level: bounds that are proved in pairs of doubles.

By x ↦ T(x) = ε + L(x), in excesses: where T(x) ≤ x nothing rises above x, and where T(x) ≥ x > 0 one point's map does
not cross the diagonal before x, and each crosses it once.
"""

from __future__ import annotations

import math

import numpy as np

from ...floats import Doubles
from .compiling import strict
from .courses import COMPILED_STEP_ERROR, GAP_LOW, PIECE_GAP, D, gained, risen
from .fused import FusedPair, add, add_double, divide, multiply, times
from .rounding import neighbours_of_level
from .vertices import IDENTITY

_ATTEMPTS = 11
"""Attempts to prove a bound: each moves it 16 times as far from the guess as the one before."""

_CLOSEST = 2.0**-48
"""Relative width at which the search for a budget in doubles ends."""

_APART = 2.0**-24
"""Relative difference of the two budgets from which the slope of TPL is estimated."""


@strict
def _root(pieces: Doubles, count: int, e: float) -> tuple[float, int]:
    """Return about the excess of the supremum, ∞ where unbounded, and the piece: the greatest of the roots."""
    best, ruling = e, 0
    for i in range(count):
        d, gap = pieces[i, D], pieces[i, PIECE_GAP]
        linear = 1.0 - gap - (gap + d) * e
        if d == 0.0:
            if linear <= 0.0:
                return np.inf, i
            x = e / linear
        else:
            square = math.sqrt(linear * linear + 4 * d * e)
            x = 2 * e / (linear + square) if linear > 0 else (square - linear) / (2 * d)
        if x > best:
            best, ruling = x, i
    return best, ruling


@strict
def bound(pieces: Doubles, count: int, error: float, e: float, e_low: float, up: bool) -> FusedPair:
    """Return a bound of the excess of the supremum: ∞ where it is unbounded, NaN where that is not decided."""
    if count == IDENTITY:
        return np.inf, 0.0
    if count == 0:
        return e, e_low
    f, f_low = add_double(e, e_low, 1.0)
    error += COMPILED_STEP_ERROR
    if pieces[count - 1, D] == 0.0:
        x, x_low = multiply(pieces[count - 1, PIECE_GAP], pieces[count - 1, GAP_LOW], f, f_low)
        apart, _ = add_double(x, x_low, -1.0)
        if apart > 2 * COMPILED_STEP_ERROR:
            return np.inf, 0.0
        if not apart < -2 * COMPILED_STEP_ERROR:
            return np.nan, 0.0
    x, i = _root(pieces, count, e)
    if not x < np.inf:
        return np.nan, 0.0
    x_low = 0.0
    for _ in range(2):  # Newton
        v, v_low, i = gained(pieces, count, i, x, x_low)
        y, y_low = risen(v, v_low, e, e_low, f, f_low)
        rest, _ = add(y, y_low, -x, -x_low)
        low = pieces[i, D] * x + 1.0
        slope = f * pieces[i, PIECE_GAP] / (low * low)
        if slope < 1.0:
            x, x_low = add_double(x, x_low, rest / (1.0 - slope))
    part = 4 * error
    for _ in range(_ATTEMPTS):
        moved, moved_low = times(x, x_low, part if up else -part)
        moved, moved_low = add(x, x_low, moved, moved_low)
        v, v_low, i = gained(pieces, count, i, moved, moved_low)
        y, y_low = risen(v, v_low, e, e_low, f, f_low)
        rest, _ = add(moved, moved_low, -y, -y_low)
        if (rest if up else -rest) >= 2 * error * moved > 0.0:
            return moved, moved_low
        part *= 16
    return np.nan, 0.0


@strict
def total(x: float, x_low: float, z: float, z_low: float, e: float, e_low: float) -> FusedPair:
    """Return the excess of BPL + FPL − ε from theirs, ∞ where one is, to `COMPILED_STEP_ERROR`."""
    if x == np.inf or z == np.inf:
        return np.inf, 0.0
    f, f_low = add_double(e, e_low, 1.0)
    after, after_low = add(z, z_low, -e, -e_low)
    after, after_low = divide(after, after_low, f, f_low)
    own, own_low = add_double(x, x_low, 1.0)
    own, own_low = multiply(own, own_low, after, after_low)
    return add(own, own_low, x, x_low)


@strict
def level_bounds_between(lower: float, lower_low: float, upper: float, upper_low: float, error: float) -> FusedPair:
    """Return the double below the level of one excess, and that above another's, where they are next to each other."""
    if lower == np.inf and upper == np.inf:
        return np.inf, np.inf
    low, _ = neighbours_of_level(lower, lower_low, error)
    _, high = neighbours_of_level(upper, upper_low, error)
    if np.nextafter(low, np.inf) == high:
        return low, high
    return np.nan, np.nan


@strict
def _beyond(past: Doubles, past_count: int, future: Doubles, future_count: int, e: float, cap: float) -> float:
    """Return about by which part the odds that TPL reaches with a budget exceed those of a cap, in excesses."""
    x, _ = _root(past, past_count, e)
    z, _ = _root(future, future_count, e)
    return (1 + x) * (1 + z) / ((1 + e) * (1 + cap)) - 1.0


@strict
def _sought(past: Doubles, past_count: int, future: Doubles, future_count: int, cap: float) -> float:
    """Return about the excess of the budget with which TPL reaches a cap: by false position, and halving."""
    low, at_low = 0.0, 1.0 / (1.0 + cap) - 1.0
    high = cap
    if past_count > 0 and past[past_count - 1, D] == 0.0:
        high = min(high, 1.0 / past[past_count - 1, PIECE_GAP] - 1.0)
    if future_count > 0 and future[future_count - 1, D] == 0.0:
        high = min(high, 1.0 / future[future_count - 1, PIECE_GAP] - 1.0)
    at_high, side = _beyond(past, past_count, future, future_count, high, cap), 0
    for attempt in range(200):
        if not (at_high > 0.0 and high - low > _CLOSEST * high):
            break
        e = (low * at_high - high * at_low) / (at_high - at_low)
        if at_high == np.inf or attempt % 4 == 3 or not low < e < high:
            e = 0.5 * (low + high)
        value = _beyond(past, past_count, future, future_count, e, cap)
        if value > 0.0:
            high, at_high = e, value
            if side == 1:
                at_low *= 0.5
            side = 1
        else:
            low, at_low = e, value
            if side == -1:
                at_high *= 0.5
            side = -1
        if abs(value) < _CLOSEST * cap / (1 + cap):
            return e
    return high if not at_high > 0.0 or low == 0.0 else low


@strict
def greatest_budget(
    past: Doubles, past_count: int, past_error: float, future: Doubles, future_count: int, future_error: float,
    cap: float, cap_low: float, found: Doubles,
) -> None:  # fmt: skip
    """Put the doubles next to the budgets of Algorithms 7 and 8 into `found`, shape (6,): of first, middle and last."""
    if past_count == IDENTITY or future_count == IDENTITY:
        found[:] = 0.0
        return
    found[:] = np.nan
    x, x_low = _sought(past, past_count, future, future_count, cap), 0.0
    for _ in range(2):  # the secant method on pairs
        b, b_low = bound(past, past_count, past_error, x, x_low, True)
        f, f_low = bound(future, future_count, future_error, x, x_low, True)
        y, y_low = total(b, b_low, f, f_low, x, x_low)
        rest, _ = add(y, y_low, -cap, -cap_low)
        above = _beyond(past, past_count, future, future_count, x * (1 + _APART), cap)
        below = _beyond(past, past_count, future, future_count, x * (1 - _APART), cap)
        change = rest / (1 + cap) / ((above - below) / (2 * _APART * x))
        if abs(change) < _APART * x:
            x, x_low = add_double(x, x_low, -change)
    ends = np.full((2, 6), np.nan)
    error = past_error + future_error + COMPILED_STEP_ERROR
    for side in range(2):
        up = side == 1
        part = 32 * error
        for _ in range(_ATTEMPTS):
            moved, moved_low = times(x, x_low, part if up else -part)
            moved, moved_low = add(x, x_low, moved, moved_low)
            b, b_low = bound(past, past_count, past_error, moved, moved_low, not up)
            f, f_low = bound(future, future_count, future_error, moved, moved_low, not up)
            y, y_low = total(b, b_low, f, f_low, moved, moved_low)
            rest, _ = add(y, y_low, -cap, -cap_low) if y < np.inf else (y, 0.0)
            if (rest if up else -rest) >= 2 * error * cap:
                b, b_low = bound(past, past_count, past_error, moved, moved_low, up)
                f, f_low = bound(future, future_count, future_error, moved, moved_low, up)
                ends[side] = b, b_low, moved, moved_low, f, f_low
                break
            part *= 16
    for i in range(3):
        low, high = ends[0, 2 * i : 2 * i + 2], ends[1, 2 * i : 2 * i + 2]
        found[2 * i], found[2 * i + 1] = level_bounds_between(low[0], low[1], high[0], high[1], COMPILED_STEP_ERROR)
