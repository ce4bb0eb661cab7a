"""The fast exact method for the whole loss function: the upper hull of the pruned ROC points.

For rows d and q the prefix sums (d_S, q_S), columns by falling q_j/d_j, trace the pair's ROC curve; the pieces of L are
vertices of the upper hull H of all these curves (see `reference.paper.loss`). Doubles find which pairs can have such a
vertex; those pairs are then worked out in integers.

Why nothing is lost. H is concave and non-decreasing with H(0) ≥ 0, so H(s·x) ≥ s·H(x) for s ≤ 1: a relative error of
the abscissa costs no more than the same relative error of the ordinate. Prefix sums of n doubles are within a factor
1 ± (n + 2)u of the truth. Hence the interpolation through any computed points, less a few n·u of itself, lies below H,
and a computed point that lies below that is no vertex.

A vertex whose columns doubles put in another order lies, within 6n·u, on the chord between the points before and after
the run of columns that doubles could not tell apart (of equal ratios only the last point is kept); by concavity H is
then within 12n·u of the chord at one of the two ends, so that one of them survives (the first end is the origin only
where the run starts the curve, and then the last end does). `MARGIN` covers all of these together several times over.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from math import lcm
from os import cpu_count

import numpy as np
from numpy.typing import NDArray

from ...reference.correlations import TransitionMatrix
from ...reference.paper.loss import HullPoint, LossFunction, Progress, assemble, loss_function, prefix_points
from ..floats import UNIT_ROUNDOFF, Doubles, FloatView
from .candidates import pairs_that_may_rule

MARGIN = 64 * UNIT_ROUNDOFF
"""Times n + 16: how far below the hull, relatively, a computed point may lie and still survive."""

SAMPLED_ROWS = 4
"""How many rows d the first hull, or the first λ, is sought over before every pair is looked at."""

ROWS_AT_ONCE = 128
"""Rows q that are compared with a row d at once: what that takes fits into a processor's cache."""


class _Ceiling:
    """A concave function of doubles through computed points, no more than the margin above the hull H.

    Threads share it: the points are replaced as one array, and a raise that is lost costs only time.
    """

    def __init__(self, view: FloatView) -> None:
        self.keep = 1 - MARGIN * (view.n + 16)
        self.points: Doubles = np.zeros((2, 1))
        self._view = view

    def raise_to(self, row_q: int, row_d: int) -> None:
        """Raise the function to the points of a pair of rows."""
        _survivors(self._view, self, row_d, np.array([row_q]))

    def survivors(self, d: Doubles, q: Doubles) -> NDArray[np.bool_]:
        """Raise the function to these points where it is below; return which are not certain to lie below the hull."""
        now = self._at(d)
        if (above := q > now).any():
            self._raise_to(d[above], q[above])
            now = self._at(d)
        result: NDArray[np.bool_] = q >= now * self.keep
        return result

    def _raise_to(self, d: Doubles, q: Doubles) -> None:
        d, q = np.concatenate([self.points, [d, q]], axis=1)
        hull: list[tuple[float, float]] = []
        for index in np.lexsort((-q, d)):
            point = (float(d[index]), float(q[index]))
            if hull and point[0] == hull[-1][0]:
                continue
            while len(hull) > 1 and _not_convex(hull[-2], hull[-1], point):
                hull.pop()
            hull.append(point)
        last = max(range(len(hull)), key=lambda index: hull[index][1] - hull[index][0])
        self.points = np.array(hull[: last + 1]).T

    def _at(self, d: Doubles) -> Doubles:
        """Interpolate; beyond the last point go on with slope 1, as only slopes of at least 1 matter."""
        abscissae, ordinates = self.points
        result: Doubles = np.interp(d, abscissae, ordinates) + np.maximum(d - abscissae[-1], 0)
        return result


def _not_convex(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) >= (b[1] - a[1]) * (c[0] - a[0])


def fast_loss_function(matrix: TransitionMatrix, progress: Progress | None = None) -> LossFunction:
    """Build the whole loss function of a transition matrix, Corollary 3 [col:L_func].

    Args: matrix, P^B or P^F; progress, called per row with rows done and rows in all, and again with all of them done
    while the pairs that are left are worked out.
    Returns: L on [0, ∞), the same pieces, breakpoints and witnesses as `reference.loss_function`; exact.
    """
    view = FloatView.of(matrix)
    if not view.usable:
        return loss_function(matrix, progress)
    ceiling = _Ceiling(view)
    for row_d in range(0, matrix.n, max(1, matrix.n // SAMPLED_ROWS)):
        _survivors(view, ceiling, row_d, np.arange(matrix.n))
    found = []
    pairs = pairs_that_may_rule(view, ceiling)
    groups = np.split(pairs[:, 0], np.searchsorted(pairs[:, 1], np.arange(1, matrix.n)))
    with ThreadPoolExecutor(cpu_count()) as pool:
        survivors_of = pool.map(lambda row_d: _survivors(view, ceiling, row_d, groups[row_d]), range(matrix.n))
        for done, survivors in enumerate(survivors_of, 1):
            found.append(survivors)
            if progress:
                progress(done, matrix.n)
    rows, d, q = (np.concatenate(column) for column in zip(*found, strict=True))
    rows_q, rows_d = rows[ceiling.survivors(d, q)].T
    pairs = np.column_stack(np.divmod(np.unique(rows_q * matrix.n + rows_d), matrix.n))
    return _exactly(matrix, ceiling, view.distinct(pairs) if len(pairs) else pairs, progress)


def _survivors(
    view: FloatView, ceiling: _Ceiling, row_d: int, rows_q: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Doubles, Doubles]:
    """Return the pairs (q, d) of this row d and some rows q with points that are not below the ceiling; the points."""
    d_row = view.entries[row_d]
    found = [(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))]
    for start in range(0, len(rows_q), ROWS_AT_ONCE):
        own = rows_q[start : start + ROWS_AT_ONCE]
        entries = view.entries[own]
        rows = np.arange(len(entries))[:, None]
        taken = (entries >= d_row) & (entries > 0) & (own != row_d)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(taken, d_row / entries, np.inf)
        order = np.argsort(ratios, axis=1)[:, : taken.sum(axis=1).max()]
        ratios = ratios[rows, order]
        ends = np.isfinite(ratios)
        ends[:, :-1] &= ratios[:, :-1] != ratios[:, 1:]
        d_sums, q_sums = (np.cumsum(part, axis=1)[ends] for part in (d_row[order], entries[rows, order]))
        left = ceiling.survivors(d_sums, q_sums)
        found.append((own[np.nonzero(ends)[0][left]], d_sums[left], q_sums[left]))
    rows_q, d, q = (np.concatenate(column) for column in zip(*found, strict=True))
    return np.column_stack([rows_q, np.full_like(rows_q, row_d)]), d, q


def _exactly(
    matrix: TransitionMatrix, ceiling: _Ceiling, pairs: NDArray[np.int64], progress: Progress | None
) -> LossFunction:
    """Build L from the pairs that are left. Exact."""
    view = FloatView.of(matrix)
    common = lcm(*(view.integers(row)[1] for row in np.unique(pairs).tolist()))

    def points() -> Iterator[HullPoint]:
        for done, (row_q, row_d) in enumerate(pairs.tolist(), 1):
            yield from _near(view, ceiling, row_q, row_d, common)
            if progress and done % view.n == 0:
                progress(view.n, view.n)

    return assemble(matrix, points(), common)


def _near(view: FloatView, ceiling: _Ceiling, row_q: int, row_d: int, common: int) -> Iterator[HullPoint]:
    """Yield the points of a pair that are not below the ceiling, over the common denominator. Exact."""
    q_row, d_row = (
        [entry * (common // denominator) for entry in integers]
        for integers, denominator in (view.integers(row_q), view.integers(row_d))
    )
    points = list(prefix_points(q_row, d_row, row_q, row_d))
    if points:
        sums = np.array([(point.d / common, point.q / common) for point in points])
        left = ceiling.survivors(sums[:, 0], sums[:, 1])
        yield from (point for point, kept in zip(points, left, strict=True) if kept)
