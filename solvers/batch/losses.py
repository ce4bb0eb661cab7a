"""The loss functions of many matrices at once, as arrays of points, each known to about twenty digits.

A matrix is given by weights: row a is W_a/ΣW_a, exactly, of counts or of doubles whose rows miss 1. e^{L(α)} − 1 is the
greatest v = (q − d)/(d + s), s = 1/E, over the points (q, d) of ordered pairs of rows and prefixes of the columns by
falling q_j/d_j [thm:lfp_k_case]. For one point 1/v is linear in s, so that the points that rule are the lower envelope
of lines, and a line that is above those of two neighbours at their ends is above them between.

Few pairs of rows have points that rule. Those of some likely pairs make a first envelope; a pair is excluded where at
each vertex λ = 1 + v satisfies Σ_j (q_j − λ d_j)^+ ≤ v·s, the rule for an upper bound: doubles and singles with margins
decide, and what they leave in doubt is kept. What is kept in the end is computed anew, in `double_doubles`. A matrix of
which that does not decide everything is not `sure`, and is for exact methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..floats import UNIT_ROUNDOFF, Doubles
from .double_doubles import ROUNDING, DoubleDouble, add, divide, less, multiply, negative, pair, two_product, where

Mask = NDArray[np.bool_]
Whole = NDArray[np.int64]
Singles = NDArray[np.float32]

MOST_DENSE_STATES = 128

LARGEST_COUNT_SUM = 2.0**26
"""Products of two sums of counts below this are whole numbers that doubles hold."""

EXACT_SUM = 2.0**13
"""With sums of counts up to here q − d and d have denominators up to 2^26: their doubles are equal where they are."""

HOCKEY_STICKS = (1.0, 3.0, 101.0)
"""For these λ the pairs of rows with the greatest Σ_j (q_j − λ d_j)^+ are likely to rule somewhere."""

LIKELY_PAIRS = 5
"""So many pairs of rows are tried for each."""

USUAL_PAIRS = 32
"""Matrices with more pairs of rows that are not excluded are worked out by themselves."""

MOST_VERTICES = 24
"""Vertices of an envelope; a matrix with more is not sure."""

MOST_POINTS = 48
"""Points of one matrix that are kept; a matrix with more is not sure."""

CACHED_TERMS = 1 << 20
"""Terms of the sums over pairs of rows that are worked on at once: what that takes fits into a processor's cache."""

SINGLE_MARGIN = 2.0**-15
"""Sums of at most 128 probabilities in singles, and what they are compared with, are nearer to the truth than this."""

DOUBLE_MARGIN = 2.0**-44
"""The same in doubles."""

MOST_CANCELLED = 2.0**-20
"""A q − d below this part of q is not computed from sums of doubles."""

POINT_ERROR = 2.0**-76
"""The relative error of q − d and of d is at most this."""

STEP_ERROR = 2 * POINT_ERROR + 4 * ROUNDING
"""By so much, relatively, a value of a loss function is less sure than its argument."""

NEAR_VALUES = 2.0**-42
"""Points whose values in doubles are closer than this are compared anew."""

NEAR_VERTICES = 2.0**-40
"""Vertices of an envelope that are closer than this are taken for one."""

_FAR = 1e300


@dataclass(frozen=True)
class ManyLosses:
    """The points of each matrix, padded with points that never rule: arrays of shape (matrices, points).

    gap, d: q − d and d, with a relative error of at most `POINT_ERROR` each. sure: which matrices are decided, shape
    (matrices,); what is computed for the others means nothing. identity: where L is the identity, exactly.
    """

    gap: DoubleDouble
    d: DoubleDouble
    sure: Mask
    identity: Mask

    def value(self, excess: DoubleDouble) -> tuple[DoubleDouble, Mask]:
        """Return e^{L(α)} − 1 for an excess of each matrix, above 0 and finite, and where it is decided.

        The relative error grows by at most `STEP_ERROR`.
        """
        values = self.gap[0] / (self.d[0] + (1.0 / excess[0])[:, None])
        (first, second), decided = nearly_greatest(values, NEAR_VALUES)
        rows = np.arange(len(first))
        best = self._of_points(rows, first, excess)
        near = np.flatnonzero(second != first)
        if len(near):
            other = self._of_points(near, second[near], (excess[0][near], excess[1][near]))
            best[0][near], best[1][near] = greater((best[0][near], best[1][near]), other)
        return best, decided

    @cached_property
    def certain(self) -> DoubleDouble:
        """The greatest q of a point with d = 0, of each matrix; 0 where there is none."""
        high = np.where(self.d[0] == 0, self.gap[0], 0.0)
        greatest = high.max(axis=1)
        low = np.where((high == greatest[:, None]) & (high > 0), self.gap[1], -np.inf).max(axis=1)
        return greatest, np.where(greatest > 0, low, 0.0)

    def _of_points(self, rows: Whole, points: Whole, excess: DoubleDouble) -> DoubleDouble:
        """Return what one point of each of some matrices attains."""
        gap, d = ((part[0][rows, points], part[1][rows, points]) for part in (self.gap, self.d))
        return divide(multiply(gap, excess), add(multiply(d, excess), pair(np.ones_like(excess[0]))))


def greater(x: DoubleDouble, y: DoubleDouble) -> DoubleDouble:
    """Return the greater of two, element by element."""
    return where(less(x, y), y, x)


def nearly_greatest(values: Doubles, near: float) -> tuple[list[Whole], Mask]:
    """Return two columns of each row, among which its greatest value is, and where no third one may be."""
    first = values.argmax(axis=1)
    greatest = values[np.arange(len(values)), first]
    is_near = values >= (greatest * (1 - near))[:, None]
    second, number = first.copy(), is_near.sum(axis=1)
    several = np.flatnonzero(number > 1)
    if len(several):
        left = np.where(is_near[several], values[several], -np.inf)
        left[np.arange(len(several)), first[several]] = -np.inf
        second[several] = left.argmax(axis=1)
    return [first, second], ((number > 0) & (number <= 2)) | (greatest == 0)


def many_losses(weights: Doubles) -> ManyLosses:
    """Return the loss functions of matrices of one size.

    Args: weights, shape (matrices, n, n), doubles of at least 0, of whose rows each has one above 0: exactly the rows'
    shares. Returns: the points; not sure where doubles leave in doubt which are best, where weights other than 0 are
    not between 1e-60 and 1e60, and for more than `MOST_DENSE_STATES` states.
    """
    count, n, _ = weights.shape
    size = max(1, CACHED_TERMS // max(n, 1) ** 3)
    parts = [_some_losses(weights[start : start + size]) for start in range(0, max(count, 1), size)]
    most = max(part.gap[0].shape[1] for part in parts)
    return ManyLosses(
        _joined([part.gap for part in parts], most, 0.0),
        _joined([part.d for part in parts], most, 1.0),
        np.concatenate([part.sure for part in parts]),
        np.concatenate([part.identity for part in parts]),
    )


def _joined(parts: Sequence[DoubleDouble], most: int, padding: float) -> DoubleDouble:
    """Return the points of matrices that were worked out apart, padded to so many each."""
    whole = [np.pad(part[0], ((0, 0), (0, most - part[0].shape[1])), constant_values=padding) for part in parts]
    rest = [np.pad(part[1], ((0, 0), (0, most - part[1].shape[1]))) for part in parts]
    return np.concatenate(whole), np.concatenate(rest)


def _some_losses(weights: Doubles) -> ManyLosses:
    """Return the loss functions of some matrices, as `many_losses`."""
    count, n, _ = weights.shape
    if n < 2 or n > MOST_DENSE_STATES:
        zeros = np.zeros((count, 1))
        return ManyLosses(pair(zeros), pair(zeros + 1), np.full(count, n < 2), np.zeros(count, dtype=bool))
    usual = ((weights == 0) | ((weights >= 1e-60) & (weights <= 1e60))).all(axis=(1, 2))
    if not usual.all():
        weights = np.where(usual[:, None, None], weights, 1.0)  # what is not sure shall at least be no trouble
    sums = weights.sum(axis=2)
    singles = np.ascontiguousarray((weights / sums[:, :, None]).transpose(1, 2, 0), dtype=np.float32)
    likely = _likely(singles)
    whole = (weights == np.rint(weights)).all(axis=(1, 2)) & (sums.max(axis=1) < LARGEST_COUNT_SUM)
    first = _Prefixes.of(weights, sums, likely, whole)
    envelope, found = _envelope(first.least, first.d)
    left = _left(singles, envelope)
    left[np.arange(count)[:, None], likely] = True
    identity = _disjoint(weights)
    left[identity] = False
    many = left.sum(axis=1) > USUAL_PAIRS
    gap, d = (pair(np.full((count, MOST_POINTS), padding)) for padding in (0.0, 1.0))
    sure, most = usual & (found | identity), 1
    for kind in range(4):  # alone with their like: what is found of a matrix does not depend on those beside it
        group = np.flatnonzero(2 * many + whole == kind)
        if len(group):
            own = _points(weights[group], sums[group], left[group], whole[group], envelope.of(group))
            width = own.gap[0].shape[1]
            for part, found_part in zip((*gap, *d), (*own.gap, *own.d), strict=True):
                part[group, :width] = found_part
            sure[group] &= own.sure
            most = max(most, width)
    gap[0][identity, 0], gap[1][identity, 0], d[0][identity, 0] = 1.0, 0.0, 0.0
    return ManyLosses(_narrow(gap, most), _narrow(d, most), sure, identity)


def _narrow(x: DoubleDouble, most: int) -> DoubleDouble:
    return np.ascontiguousarray(x[0][:, :most]), np.ascontiguousarray(x[1][:, :most])


def _disjoint(weights: Doubles) -> Mask:
    """Return which matrices have two rows without a common column: there L is the identity."""
    used = (weights > 0).astype(np.float32)
    found: Mask = (np.einsum("uja,uka->ujk", used, used, optimize=True) == 0).any(axis=(1, 2))
    return found


def _points(weights: Doubles, sums: Doubles, left: Mask, whole: Mask, first: _Envelope) -> ManyLosses:
    """Return the points of the pairs of rows that are left. Args: first, an envelope of some points of each matrix."""
    pairs, used = _places(left)
    points = _Prefixes.of(weights, sums, np.where(used, pairs, pairs[:, :1]), whole)
    none = np.repeat(~used, weights.shape[1], axis=1) | _equal(weights)[:, None]
    none |= _cancelled(points.gap, points.d, whole)
    most = np.where(none, 0.0, points.most)
    near, used = _places(_kept(most, points.d, first))
    least, most, gap, d = (np.take_along_axis(part, near, 1) for part in (points.least, most, points.gap, points.d))
    least, most = np.where(used, least, 0.0), np.where(used, most, 0.0)
    envelope, sure = _envelope(least, d)
    kept = _kept(most, d, envelope)
    kept &= ~_repeated(gap, d, kept, whole & (sums.max(axis=1) <= EXACT_SUM))
    sure &= points.ordered & (kept.sum(axis=1) <= MOST_POINTS)
    places, used = _places(kept & sure[:, None])
    precise_gap, precise_d, known = points.precise(weights, np.take_along_axis(near, places, 1), bool(whole.all()))
    sure &= (known | ~used).all(axis=1)
    zero, one = pair(np.zeros(used.shape)), pair(np.ones(used.shape))
    gap_kept, d_kept = where(used, precise_gap, zero), where(used, precise_d, one)
    return ManyLosses(gap_kept, d_kept, sure, np.zeros(len(sure), dtype=bool))


def _places(kept: Mask) -> tuple[Whole, Mask]:
    """Return the places that are kept, padded to the most of one row, and which of them are used."""
    most = max(int(kept.sum(axis=1).max(initial=0)), 1)
    places = np.argsort(~kept, axis=1, kind="stable")[:, :most]
    return places, np.take_along_axis(kept, places, 1)


def _hockey_sticks(singles: Singles, ratio: Singles) -> Singles:
    """Return Σ_b (q_b − λ d_b)^+ = 1 − Σ_b min(q_b, λ d_b) of all ordered pairs of rows, shape (matrices, n²).

    Args: singles, shape (n, n, matrices): long contiguous runs are what is quick; ratio, λ of each matrix.
    """
    n, _, count = singles.shape
    scaled = singles * ratio
    total, part = np.zeros((n, n, count), dtype=np.float32), np.empty((n, n, count), dtype=np.float32)
    for column in range(n):
        total += np.minimum(singles[:, None, column], scaled[None, :, column], out=part)
    return np.ascontiguousarray(np.subtract(1, total, out=total).reshape(n * n, count).T)


def _exceed(singles: Singles, ratio: Singles) -> Mask:
    """Return of which ordered pairs of rows some q_b > λ d_b, as `_hockey_sticks`."""
    n, _, count = singles.shape
    scaled = singles * ratio
    found, part = np.zeros((n, n, count), dtype=bool), np.empty((n, n, count), dtype=bool)
    for column in range(n):
        found |= np.greater(singles[:, None, column], scaled[None, :, column], out=part)
    return np.ascontiguousarray(found.reshape(n * n, count).T)


def _likely(singles: Singles) -> Whole:
    """Return ordered pairs of rows, j·n + k, that may rule."""
    n, _, count = singles.shape
    most = min(LIKELY_PAIRS, n * n - n)
    found = []
    for ratio in HOCKEY_STICKS:
        sticks = _hockey_sticks(singles, np.full(count, ratio, dtype=np.float32))
        sticks[:, :: n + 1] = -1
        found.append(np.argpartition(-sticks, most - 1, axis=1)[:, :most])
    return np.concatenate(found, axis=1)


@dataclass(frozen=True)
class _Prefixes:
    """The points of some ordered pairs of rows, in doubles: q − d and d, shape (matrices, pairs·n).

    pairs: j·n + k; order: the columns by falling q_j/d_j. ordered: where doubles tell that order. error: q − d is
    nearer to the truth than this; quotients of sums of n numbers lose the part 2n·u each, their difference 4u.
    """

    pairs: Whole
    order: Whole
    gap: Doubles
    d: Doubles
    ordered: Mask
    error: Doubles

    @property
    def least(self) -> Doubles:
        """What q − d is at least."""
        return self.gap - self.error

    @property
    def most(self) -> Doubles:
        """What q − d is at most."""
        return self.gap + self.error

    @classmethod
    def of(cls, weights: Doubles, sums: Doubles, pairs: Whole, whole: Mask) -> _Prefixes:
        count, n, _ = weights.shape
        rows = np.arange(count)[:, None]
        j, k = pairs // n, pairs % n
        q, d = weights[rows, j], weights[rows, k]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(q > 0, q / d, 0.0)
        order = np.argsort(-ratio, axis=2)
        q, d = np.take_along_axis(q, order, 2), np.take_along_axis(d, order, 2)
        ordered = whole.copy() if whole.all() else whole | ~_close(np.take_along_axis(ratio, order, 2), q, d)
        q, d = np.cumsum(q, axis=2), np.cumsum(d, axis=2)
        q_sum, d_sum = sums[rows, j][:, :, None], sums[rows, k][:, :, None]
        gap = ((q * d_sum - d * q_sum) / (q_sum * d_sum)).reshape(count, -1)
        d = (d / d_sum).reshape(count, -1)
        size = np.abs(gap)
        error = 4 * UNIT_ROUNDOFF * np.where(whole[:, None], size, (n + 2) * (size + d))
        return cls(pairs, order, gap, d, ordered, error)

    def precise(self, weights: Doubles, places: Whole, whole: bool) -> tuple[DoubleDouble, DoubleDouble, Mask]:
        """Return q − d and d of some points, and where not too much cancels for `POINT_ERROR`."""
        n = weights.shape[1]
        rows = np.arange(len(weights))[:, None]
        which, position = places // n, places % n
        j, k = self.pairs[rows, which] // n, self.pairs[rows, which] % n
        inside = np.arange(n) <= position[:, :, None]
        columns = self.order[rows, which]
        parts = [np.where(inside, weights[rows[:, :, None], row[:, :, None], columns], 0.0) for row in (j, k)]
        parts += [weights[rows, j], weights[rows, k]]
        total = _whole_total if whole else _total
        q, d, q_sum, d_sum = map(total, parts)
        left = multiply(q, d_sum)
        gap = add(left, negative(multiply(d, q_sum)))
        known: Mask = gap[0] >= (0.0 if whole else MOST_CANCELLED) * left[0]
        return divide(gap, multiply(q_sum, d_sum)), divide(d, d_sum), known


def _close(ratio: Doubles, q: Doubles, d: Doubles) -> Mask:
    """Return which matrices have two columns, one after the other, whose order by q_j/d_j doubles do not tell."""
    with np.errstate(invalid="ignore"):
        close = np.less_equal(ratio[:, :, :-1] - ratio[:, :, 1:], 2.0**-51 * ratio[:, :, :-1])
    close &= (ratio[:, :, 1:] > 0) & (ratio[:, :, :-1] < np.inf)
    left, right = two_product(q[:, :, :-1], d[:, :, 1:]), two_product(q[:, :, 1:], d[:, :, :-1])
    close &= (left[0] != right[0]) | (left[1] != right[1])
    found: Mask = np.logical_or.reduce(close, axis=(1, 2))
    return found


def _cancelled(gap: Doubles, d: Doubles, whole: Mask) -> Mask:
    """Return which points have a q − d of which little is left, and never rule: 1/v is above another's everywhere."""
    part = 2 * MOST_CANCELLED
    plain: Mask = ((gap > 2 * part) & (d < gap / (2 * part))).any(axis=1) & ~whole
    found: Mask = (gap <= part * (gap + d)) & plain[:, None]
    return found


def _equal(weights: Doubles) -> Mask:
    """Return which matrices have one row again and again."""
    found: Mask = (weights == weights[:, :1]).all(axis=(1, 2))
    return found


def _whole_total(parts: Doubles) -> DoubleDouble:
    return pair(parts.sum(axis=-1))


def _total(parts: Doubles) -> DoubleDouble:
    """Return the sums over the last axis, of doubles of at least 0."""
    total = pair(np.zeros(parts.shape[:-1]))
    for column in range(parts.shape[-1]):
        total = add(total, pair(parts[..., column]))
    return total


@dataclass(frozen=True)
class _Envelope:
    """What the points of an envelope attain: at vertices, shape (matrices, vertices), and at both ends.

    s, value: v at s is at least `value` for the two points that meet there; padded by the last one. gap: the q − d of
    the first point, the greatest of all. least: the d/(q − d) of the last point. A point that has more than that and at
    no vertex a greater v never rules, however badly doubles tell the vertices: on each line it is above both ends.
    """

    s: Doubles
    value: Doubles
    gap: Doubles
    least: Doubles

    def of(self, matrices: Whole) -> _Envelope:
        """Return the envelopes of some matrices."""
        return _Envelope(*(part[matrices] for part in (self.s, self.value, self.gap, self.least)))


def _envelope(gap: Doubles, d: Doubles) -> tuple[_Envelope, Mask]:
    """Return the envelope of points, and where it has few enough vertices: from line to line, from large s to small."""
    count = len(gap)
    rows = np.arange(count)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(gap > DOUBLE_MARGIN, 1 / gap, _FAR)
        height = np.where(gap > DOUBLE_MARGIN, d / gap, _FAR)
    now = _least(slope, height)
    first, least = gap[rows, now], height[rows, now]
    vertices = np.ones((count, MOST_VERTICES))
    values = np.repeat(1 / (least + slope[rows, now])[:, None], MOST_VERTICES, axis=1)
    most = 1
    for vertex in range(MOST_VERTICES):  # of the matrices whose envelope goes on
        each = np.arange(len(rows))
        own_slope, own_height = slope[each, now], height[each, now]
        with np.errstate(divide="ignore", invalid="ignore"):
            meets = (own_height[:, None] - height) / (slope - own_slope[:, None])
        meets[height >= own_height[:, None]] = 0.0
        now = meets.argmax(axis=1)
        s = meets[each, now]
        # Of points that meet it at one s, as far as doubles tell, the one that rules below: they may be all but equal.
        near = meets >= (s * (1 - NEAR_VERTICES))[:, None]
        goes_on = (s > 0) & (s < _FAR)
        several = np.flatnonzero(goes_on & (near.sum(axis=1) > 1))
        now[several] = np.where(near[several], height[several], np.inf).argmin(axis=1)
        if not goes_on.all():
            rows, slope, height, now, s, own_slope, own_height = (
                part[goes_on] for part in (rows, slope, height, now, s, own_slope, own_height)
            )
        if not len(rows):
            break
        each = np.arange(len(rows))
        least[rows] = height[each, now]
        with np.errstate(over="ignore"):
            lines = np.maximum(own_height + own_slope * s, least[rows] + slope[each, now] * s)
        vertices[rows, vertex:], values[rows, vertex:] = s[:, None], 1 / lines[:, None]
        most = vertex + 1
    ended = np.ones(count, dtype=bool)
    ended[rows] = False
    return _Envelope(vertices[:, :most], values[:, :most], first, least), ended


def _least(first: Doubles, then: Doubles) -> Whole:
    """Return the column of the least number in each row, of several that with the least other number."""
    least = first.min(axis=1, keepdims=True)
    found: Whole = np.where(first <= least, then, np.inf).argmin(axis=1)
    return found


def _left(singles: Singles, envelope: _Envelope) -> Mask:
    """Return which ordered pairs of rows the envelope does not exclude, shape (matrices, n²)."""
    n, _, count = singles.shape
    left = _hockey_sticks(singles, np.ones(count, dtype=np.float32)) >= (envelope.gap[:, None] - SINGLE_MARGIN).astype(
        np.float32
    )
    for vertex in range(envelope.s.shape[1]):
        last = max(vertex - 1, 0)
        is_copy = (envelope.s[:, vertex] == envelope.s[:, last]) & (
            envelope.value[:, vertex] == envelope.value[:, last]
        )
        own = np.flatnonzero(~is_copy | (vertex == 0))
        s, value = envelope.s[own, vertex], envelope.value[own, vertex]
        ratio = np.minimum(1 + value, 1e30).astype(np.float32)
        least = (np.minimum(s * value, 2.0) - SINGLE_MARGIN).astype(np.float32)[:, None]
        left[own] |= _hockey_sticks(np.ascontiguousarray(singles[:, :, own]), ratio) >= least
    bounded = envelope.least > 0
    if bounded.any():
        with np.errstate(divide="ignore"):
            ratio = np.where(bounded, (1 + 1 / envelope.least) * (1 - SINGLE_MARGIN), 1e30)
        left |= _exceed(singles, np.minimum(ratio, 1e30).astype(np.float32)) & bounded[:, None]
    left[:, :: n + 1] = False
    return left


def _kept(gap: Doubles, d: Doubles, envelope: _Envelope) -> Mask:
    """Return which points the envelope does not exclude. Args: gap, what q − d is at most."""
    kept: Mask = gap >= (envelope.gap * (1 - DOUBLE_MARGIN))[:, None]
    for s, value in zip(envelope.s.T, envelope.value.T, strict=True):
        kept |= gap >= (value * (1 - DOUBLE_MARGIN))[:, None] * (d + s[:, None])
    kept |= d <= gap * (envelope.least * (1 + DOUBLE_MARGIN))[:, None]
    return kept & (gap > 0)


def _repeated(gap: Doubles, d: Doubles, kept: Mask, exact: Mask) -> Mask:
    """Return which of the points that are kept equal one before them, as far as doubles tell it exactly."""
    places, used = _places(kept & exact[:, None])
    own_gap, own_d = (np.take_along_axis(part, places, 1) for part in (gap, d))
    repeated = np.zeros_like(kept)
    for column in range(1, places.shape[1]):
        before = (
            used[:, :column] & (own_gap[:, :column] >= own_gap[:, [column]]) & (own_d[:, :column] <= own_d[:, [column]])
        )
        found = before.any(axis=1) & used[:, column]
        repeated[np.flatnonzero(found), places[found, column]] = True
    return repeated
