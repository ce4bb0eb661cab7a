"""Which pairs of rows may rule a piece of L: told by their divergences at a few ratios, in floats with proven bounds.

h(λ) is the greatest of the divergences D(λ) = Σ_j (q_j − λ d_j)^+ of all pairs, each of which is convex and falls. The
line q − λd of a point (d, q) that is attained lies below h. Where D is known to be at most x at one ratio and at most y
at another, it lies below the chord between them. If that lies below a line at both ends of an interval, the pair rules
nowhere in it: so a pair is compared with some lines, each on an interval of its own, wherever these meet.

From the last ratio at which two lines cross there is one line: down to 0 at the greatest ratio ρ of two entries of a
column or, where a row has columns that another one lacks, level. There a pair below the line stays below it, as D is
convex and 0 at ρ; the line may end before ρ by what is lost in doubles, so that a pair with two entries whose ratio is
within `NEAR_END` of ρ is never left out.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..floats import UNIT_ROUNDOFF, Doubles, FloatView
from .sweeps import MOST_FOR_SINGLES, RowPairs, bounds_of

LEFT_OUT_BELOW = 1 - 2.0**-20
"""Part of a line below which a pair is left out."""

NEAR_END = 2.0**-16

LEAST_FOR_SINGLES = 2.0**-14
"""Least h that single precision distinguishes well enough."""

MOST_CHORD_LINES = 16
"""Lines that a chord is compared with."""

FEW_ENOUGH = 1
"""Pairs of an interval, times the number of states, below which sifting stops."""

FEWEST_STATES, MOST_CANDIDATE_STATES = 40, 2048
"""For fewer states this saves nothing, for more it needs too much memory."""


class AttainedHull(Protocol):
    """Points that are attained: their upper hull, from the origin or from d = 0 on, d and q in two rows."""

    @property
    def points(self) -> Doubles:
        """The hull."""

    def raise_to(self, row_q: int, row_d: int) -> None:
        """Take the points of a pair of rows into account."""


class _Lines:
    """The lines of points that are attained, in the order in which they rule as the ratio rises; and where two meet."""

    def __init__(self, points: Doubles, n: int) -> None:
        lost = (n + 8) * UNIT_ROUNDOFF  # of the sums, and of what is worked out from them
        d, q = points[:, points[1] > 0][:, ::-1]
        self.d, self.q = d * (1 + lost), q * (1 - lost)
        self.meet: Doubles = np.maximum(_crossings(self.d, self.q), 1)

    def within(self, a: float, b: float) -> Doubles:
        """Return the ratios between two where lines meet."""
        return self.meet[(self.meet > a) & (self.meet < b)]

    def reached(self, a: float, at_a: Doubles, b: float, at_b: Doubles) -> NDArray[np.bool_]:
        """Return which chords between two ratios reach h, as far as lines tell. Args: at_a, at_b, of each pair."""
        first, last = np.searchsorted(self.meet, [a, b], side="right").tolist()
        chosen = np.unique(np.linspace(first, last, min(last - first + 1, MOST_CHORD_LINES)).astype(np.int64))
        d, q = self.d[chosen], self.q[chosen]
        found = np.zeros(len(at_a), dtype=bool)
        for end, ratio in enumerate([a, *np.clip(_crossings(d, q), a, b).tolist(), b]):
            meeting = slice(max(end - 1, 0), end + 1)  # the line that ends at this ratio, and the one that begins
            part, height = (ratio - a) / (b - a), float((q[meeting] - ratio * d[meeting]).min())
            found |= (1 - part) * at_a + part * at_b >= LEFT_OUT_BELOW * max(height, 0)
        return found


def _crossings(d: Doubles, q: Doubles) -> Doubles:
    """Return about where each line meets the next one, in order; wherever that is put, lines bound what they bound."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found: Doubles = np.maximum.accumulate(np.nan_to_num((q[:-1] - q[1:]) / (d[:-1] - d[1:])))
    return found


def pairs_that_may_rule(view: FloatView, attained: AttainedHull) -> RowPairs:
    """Return ordered pairs of rows, shape (m, 2), by row d: all that rule a piece of L, and few others.

    Args: attained, with the points of some pairs; raised by some that rule.
    """
    n = view.n
    rows_d, rows_q = np.divmod(np.arange(n * n), n)
    pairs: RowPairs = np.column_stack([rows_q, rows_d])[rows_q != rows_d]
    if not FEWEST_STATES <= n <= MOST_CANDIDATE_STATES:
        return pairs
    near_end = _near_end(view, attained)
    lines = _Lines(attained.points, n)
    last = float(lines.meet.max(initial=1))
    if not len(lines.q) or last > MOST_FOR_SINGLES:
        return pairs
    at_one, at_last = _bounds(view, pairs, 1.0, lines), _bounds(view, pairs, last, lines)
    attained.raise_to(*pairs[at_one.argmax()].tolist())
    found = [near_end, pairs[at_last >= LEFT_OUT_BELOW * (lines.q[-1] - last * lines.d[-1])]]
    intervals = [(1.0, at_one, last, at_last, pairs)] if last > 1 else []
    while intervals:
        a, at_a, b, at_b, pairs = intervals.pop()
        lines = _Lines(attained.points, n)
        left = lines.reached(a, at_a, b, at_b)
        pairs, at_a, at_b = pairs[left], at_a[left], at_b[left]
        meet = lines.within(a, b)
        if len(pairs) <= FEW_ENOUGH * n or not len(meet):
            found.append(pairs)
            continue
        middle = float(meet[len(meet) // 2])
        at_middle = _bounds(view, pairs, middle, lines)
        attained.raise_to(*pairs[at_middle.argmax()].tolist())
        intervals += [(a, at_a, middle, at_middle, pairs), (middle, at_middle, b, at_b, pairs)]
    codes = np.unique(np.concatenate([own[:, 1] * n + own[:, 0] for own in found]))
    rows_d, rows_q = np.divmod(codes, n)
    return np.column_stack([rows_q, rows_d])


def _bounds(view: FloatView, pairs: RowPairs, ratio: float, lines: _Lines) -> Doubles:
    height = (lines.q - ratio * lines.d).max()
    return bounds_of(view, pairs, ratio, roughly=bool(height > LEAST_FOR_SINGLES))


def _near_end(view: FloatView, attained: AttainedHull) -> RowPairs:
    """Return the pairs that may rule near the greatest ratio; where there is none, none. Raises by what has it."""
    entries = view.entries
    least, most = entries.min(axis=0), entries.max(axis=0)
    if ((least == 0) & (most > 0)).any():
        alone = entries @ (entries == 0).T.astype(np.float64)
        attained.raise_to(*np.unravel_index(alone.argmax(), alone.shape))
        return np.empty((0, 2), dtype=np.int64)
    used = most > 0
    ratios = most[used] / least[used]
    found = []
    for column in np.flatnonzero(used)[ratios >= ratios.max() * (1 - NEAR_END)].tolist():
        own = entries[:, column]
        rows_q = np.flatnonzero(own >= ratios.max() * (1 - 2 * NEAR_END) * least[column])
        rows_d = np.flatnonzero(own * (ratios.max() * (1 - 2 * NEAR_END)) <= most[column])
        found += [(row_q, row_d) for row_q in rows_q.tolist() for row_d in rows_d.tolist() if row_q != row_d]
        attained.raise_to(int(own.argmax()), int(own.argmin()))
    return np.array(found).reshape(-1, 2)
