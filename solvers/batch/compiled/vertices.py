"""The loss function of one matrix of counts: its points that rule, found by doubles and decided in pairs of doubles.

h(λ) = max over ordered pairs of rows of Σ_c (q_c − λ d_c)^+ is convex, falls, and is the greatest of the lines q − λd
over all points (q, d); those that touch it are the points of the loss function. From the points at both ends of an
interval on, the greatest sum where their lines cross gives another point, or shows that between them there is none. A
pair of rows whose chord over an interval lies below is left out from there on. What is left out by doubles has a
margin, what is taken is compared in pairs: docs/mathematics.md, "The compiled kernel".

Counts: W[j, c] whole numbers, rows with sums S[j] < 2^26, so that W[j, c]·S[k] and its like are exact in doubles. A
point is a row (A, B, S_j, S_k) of `points`: q = A/S_j, d = B/S_k.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...floats import UNIT_ROUNDOFF, Doubles
from .compiling import contracted, fma, strict
from .fused import FUSED_ROUNDING, FusedPair, add, divide, less, times, two_product

MOST_RULING = 64
"""Points of a loss function; a matrix with more is not decided."""

MOST_FRAMES = 24
"""Intervals within one another; a matrix that needs more is not decided."""

UNSURE, IDENTITY = -1, -2
"""What is returned for the number of points where it is not decided, and where two rows share no column."""

WORST_ENVELOPE = 2.0**-66
"""A relative error of h above this is not admitted."""

Whole = NDArray[np.int64]


@contracted
def hockey_stick(rows: Doubles, j: int, k: int, ratio: float) -> float:
    """Return Σ_c (q_c − λ d_c)^+ of two rows, to (n + 8)·u; the only sum whose order is free."""
    total = 0.0
    for c in range(rows.shape[1]):
        part = rows[j, c] - ratio * rows[k, c]
        total += part if part > 0.0 else 0.0
    return total


@strict
def _height(a: float, b: float, own: float, other: float, ratio: float, ratio_low: float) -> FusedPair:
    """Return q − λd of a point, to 4·`FUSED_ROUNDING`·q where it is not negative."""
    part, part_low = times(ratio, ratio_low, b * own)
    high, low = add(a * other, 0.0, -part, -part_low)
    return divide(high, low, own * other, 0.0)


@strict
def _best_set(counts: Doubles, sums: Doubles, j: int, k: int, ratio: float, ratio_low: float) -> tuple[float, float]:
    """Return A and B of the columns of two rows with q_c > λ d_c."""
    a, b, own, other = 0.0, 0.0, sums[j], sums[k]
    for c in range(counts.shape[1]):
        x, y = counts[j, c] * other, counts[k, c] * own  # exact
        product = ratio * y
        gain = (x - product) - fma(ratio, y, -product) - ratio_low * y
        a += counts[j, c] if gain > 0.0 else 0.0
        b += counts[k, c] if gain > 0.0 else 0.0
    return a, b


@strict
def _highest(
    counts: Doubles, sums: Doubles, rows: Doubles, pairs: Whole, count: int, sticks: Doubles, ratio: float,
    ratio_low: float, margin: float, point: Doubles,
) -> FusedPair:  # fmt: skip
    """Return the greatest h(λ) among some pairs of rows, in `point` the point that has it, in sticks those of all."""
    top = -1.0
    for i in range(count):
        value = hockey_stick(rows, pairs[i] >> 16, pairs[i] & 65535, ratio)
        sticks[i] = value
        if value > top:
            top = value
    high, low = -1.0, 0.0
    for i in range(count):
        if sticks[i] >= top - 2 * margin:
            j, k = pairs[i] >> 16, pairs[i] & 65535
            a, b = _best_set(counts, sums, j, k, ratio, ratio_low)
            x, x_low = _height(a, b, sums[j], sums[k], ratio, ratio_low)
            if less(high, low, x, x_low):
                high, low = x, x_low
                point[0], point[1], point[2], point[3] = a, b, sums[j], sums[k]
    return high, low


@strict
def _crossing(p: Doubles, r: Doubles) -> FusedPair:
    """Return λ where the lines of two points meet, d of the first one greater: (q − q')/(d − d')."""
    rise = p[0] * r[2] - r[0] * p[2]
    fall = p[1] * r[3] - r[1] * p[3]
    x, x_low = two_product(p[3], r[3])
    y, y_low = two_product(p[2], r[2])
    x, x_low = times(x, x_low, rise)
    y, y_low = times(y, y_low, fall)
    return divide(x, x_low, y, y_low)


@strict
def _falls(p: Doubles, r: Doubles) -> bool:
    """Return whether the d of the second point is less, exactly."""
    falls: bool = p[1] * r[3] > r[1] * p[3]
    return falls


@strict
def _same_ratio(p: Doubles, r: Doubles) -> bool:
    """Return whether q/d is the same for two points, exactly."""
    x, x_low = two_product(p[0] * p[3], r[1] * r[2])
    y, y_low = two_product(r[0] * r[3], p[1] * p[2])
    same: bool = x == y and x_low == y_low
    return same


@strict
def _last_point(counts: Doubles, sums: Doubles, rows: Doubles, point: Doubles) -> float:
    """Put the point for λ → ∞ into `point`; return the λ from which on h is 0, ∞ where it never is.

    Where a row has columns that another lacks, the greatest q with d = 0; else the greatest ratio of two entries.
    """
    n = len(counts)
    a, first, then = 0.0, -1, -1
    for k in range(n):
        lacks = False
        for c in range(n):
            lacks |= counts[k, c] == 0.0
        for j in range(n if lacks else 0):
            alone = 0.0
            for c in range(n):
                alone += counts[j, c] if counts[k, c] == 0.0 else 0.0
            if alone > 0.0 and (first < 0 or alone * sums[first] > a * sums[j]):
                a, first, then = alone, j, k
    if first >= 0:
        point[0], point[1], point[2], point[3] = a, 0.0, sums[first], sums[then]
        return np.inf
    near = 0.0
    for c in range(n):
        low, high = np.inf, 0.0
        for j in range(n):
            low, high = min(low, rows[j, c]), max(high, rows[j, c])
        if high > near * low:
            near = high / low
    near *= 1 - 2.0**-50
    a, b = 0.0, 1.0
    for c in range(n):
        low = np.inf
        for j in range(n):
            low = min(low, rows[j, c])
        for j in range(n):
            if rows[j, c] < near * low:
                continue
            for k in range(n):
                if rows[j, c] < near * rows[k, c]:
                    continue
                x, y = counts[j, c] * sums[k], counts[k, c] * sums[j]
                left, left_low = two_product(x, b)
                right, right_low = two_product(a, y)
                if less(right, right_low, left, left_low):
                    a, b, first, then = x, y, j, k
    point[0], point[1], point[2], point[3] = 0.0, 0.0, sums[first], sums[then]
    for c in range(n):  # all columns of that pair with the same ratio
        left, left_low = two_product(counts[first, c] * sums[then], b)
        right, right_low = two_product(a, counts[then, c] * sums[first])
        if left == right and left_low == right_low:
            point[0] += counts[first, c]
            point[1] += counts[then, c]
    return a / b


@strict
def _pruned(pairs: Whole, left: Doubles, right: Doubles, frame: int, count: int, part: float, bar: float) -> int:
    """Copy the pairs of rows whose chord reaches a bar to the next frame; return how many. Args: part, of the way."""
    kept = 0
    for i in range(count):
        if left[frame, i] + part * (right[frame, i] - left[frame, i]) >= bar:
            pairs[frame + 1, kept] = pairs[frame, i]
            left[frame + 1, kept] = left[frame, i]
            right[frame + 1, kept] = right[frame, i]
            kept += 1
    return kept


@strict
def find_points(
    counts: Doubles, sums: Doubles, rows: Doubles, pairs: Whole, left: Doubles, right: Doubles, sticks: Doubles,
    points: Doubles, following: Whole,
) -> tuple[int, float]:  # fmt: skip
    """Find the points of a loss function; return how many, or `UNSURE` or `IDENTITY`, and by how much h is unsure.

    The points are in `points`, the first one first, and `following` has the place of the next one, −1 after the last.
    Args: sums and rows, to be filled; rows has columns of zeros at its end. pairs, left, right: of each frame the pairs
    of rows, and their sums at both ends of its interval; sticks: of one λ.
    """
    n = len(counts)
    for j in range(n):
        total = 0.0
        for c in range(n):
            total += counts[j, c]
        sums[j] = total
        for c in range(n):
            rows[j, c] = counts[j, c] / total
    count = 0
    for j in range(n):
        for k in range(n):
            if j != k:
                pairs[0, count] = (j << 16) + k
                count += 1
    margin = (n + 8) * UNIT_ROUNDOFF
    high, _ = _highest(counts, sums, rows, pairs[0], count, left[0], 1.0, 0.0, margin, points[0])
    if not high > 0.0:
        return 0, 0.0
    end = _last_point(counts, sums, rows, points[1])
    if points[1, 0] == points[1, 2] and points[1, 1] == 0.0:
        return IDENTITY, 0.0
    if not _falls(points[0], points[1]):  # one point rules throughout
        following[0] = -1
        return 1, 8 * FUSED_ROUNDING
    for i in range(count):
        right[0, i] = left[0, i] if end == np.inf else 0.0  # h falls
    begins, ends = np.empty(MOST_FRAMES), np.empty(MOST_FRAMES)
    counted, first = np.empty(MOST_FRAMES, np.int64), np.empty(MOST_FRAMES, np.int64)
    begins[0], ends[0], counted[0], first[0] = 1.0, end, count, 0
    following[0], following[1] = 1, -1
    found, frame, error, last = 2, 0, 8 * FUSED_ROUNDING, 0
    while frame >= 0:
        a = first[frame]
        b = following[a]
        if following[b] < 0 and points[b, 1] > 0.0 and _same_ratio(points[a], points[b]):
            following[a] = -1  # the lines of both end where h does, and up to there the other one is above
            last = 1
            frame -= 1
            continue
        ratio, ratio_low = _crossing(points[a], points[b])
        line, line_low = _height(points[a, 0], points[a, 1], points[a, 2], points[a, 3], ratio, ratio_low)
        if not (ratio >= 1.0 and line > 0.0):
            return UNSURE, 0.0
        part = (ratio - begins[frame]) / (ends[frame] - begins[frame]) if ends[frame] < np.inf else 0.0
        part = min(max(part, 0.0), 1.0)
        if frame + 1 >= MOST_FRAMES or found >= MOST_RULING:
            return UNSURE, 0.0
        count = _pruned(pairs, left, right, frame, counted[frame], part, line - 4 * margin)
        new = points[found]
        high, low = _highest(counts, sums, rows, pairs[frame + 1], count, sticks, ratio, ratio_low, margin, new)
        above, _ = add(high, low, -line, -line_low)
        doubt = 16 * FUSED_ROUNDING * max(points[a, 0] / points[a, 2], new[0] / new[2])
        if above <= doubt:  # no point between them
            error = max(error, 2 * doubt / line)
            if error > WORST_ENVELOPE:
                return UNSURE, 0.0
            frame -= 1
            continue
        if not (_falls(points[a], new) and _falls(new, points[b])):
            return UNSURE, 0.0
        following[found], following[a] = b, found
        for i in range(count):  # this frame goes on with the right part, the next one with the left part
            pairs[frame, i] = pairs[frame + 1, i]
            left[frame, i] = sticks[i]
            right[frame, i] = right[frame + 1, i]
            right[frame + 1, i] = sticks[i]
        counted[frame + 1], first[frame + 1] = count, a
        begins[frame + 1], ends[frame + 1] = begins[frame], ratio
        counted[frame], first[frame], begins[frame] = count, found, ratio
        found += 1
        frame += 1
    return found - last, error
