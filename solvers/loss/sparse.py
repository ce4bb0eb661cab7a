"""The loss function of a large sparse matrix, enclosed in doubles without looking at n² entries.

Where two rows have disjoint supports L is the identity [thm:algo_extreme2, corrected], and such a pair is found at once
in a matrix of which most rows are far apart. Where there is none, Σ_b (q_b − λ d_b)^+ = 1 − Σ_b min(q_b, λ d_b), and
only columns that two rows share count: for one row against all others the work is the entries of its columns.

e^{L(α)} − 1 is the greatest v = (q − d)/(d + s), s = 1/E, over points (q, d). Points that are found bound it from
below. 1/v of a point is linear in s, so that the least of them, 1/v of L, is concave: between two places where no pair
of rows passes a value, it is not below the chord. That no pair passes v at s is Σ_b (q_b − λ d_b)^+ ≤ v·s, λ = 1 + v,
for all of them: it is looked at in doubles with margins, at the vertices of the envelope of the points, and a point
that passes is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...reference import InvalidRequest, Level, Undecided
from ..floats import UNIT_ROUNDOFF, Doubles

Indices = NDArray[np.int64]

MOST_ADDITIONS = 200
"""Rounds in which points are added."""

RAISED = 16
"""Attained values are raised, relatively, by this multiple of what a sum may lose, before it is shown that no pair of
rows exceeds them: it is shown where the rows differ by more than about a sixteenth of their weight."""

MOST_IN_ROW = 1000
"""Entries of a row."""

MOST_SPARSE_LEVEL = 600.0
"""Nats that releases may add up to."""

OUTWARD = 2.0**-49
"""Relative amount by which the results of a few operations are rounded outward."""


@dataclass(frozen=True)
class SparseRows:
    """A stochastic matrix by rows: of row j the columns[starts[j]:starts[j + 1]] and their weights, above 0.

    Row j is its weights divided by their sum.
    """

    starts: Indices
    columns: Indices
    weights: Doubles

    @property
    def n(self) -> int:
        """The number of states."""
        return len(self.starts) - 1

    @property
    def most(self) -> int:
        """The most entries of a row."""
        return int(np.diff(self.starts).max())

    @property
    def lost(self) -> float:
        """No sum over the columns of two rows, in doubles, is farther from the truth than this."""
        return 4 * (self.most + 2) * UNIT_ROUNDOFF

    @cached_property
    def shares(self) -> Doubles:
        """The entries, each within m + 1 roundings of its value, m the entries of its row."""
        sums = np.add.reduceat(self.weights, self.starts[:-1])
        shares: Doubles = self.weights / np.repeat(sums, np.diff(self.starts))
        return shares

    @cached_property
    def by_column(self) -> tuple[Indices, Indices, Doubles]:
        """The same by columns: starts, rows and entries."""
        order = np.argsort(self.columns, kind="stable")
        rows = np.repeat(np.arange(self.n), np.diff(self.starts))[order]
        return np.searchsorted(self.columns[order], np.arange(self.n + 1)), rows, self.shares[order]

    def row(self, j: int) -> slice:
        """Return where the entries of a row are."""
        return slice(self.starts[j], self.starts[j + 1])

    def sharing(self, j: int) -> tuple[Indices, Indices]:
        """Return where the entries are, by columns, in the columns of a row, and how many there are in each."""
        starts, _, _ = self.by_column
        own = self.columns[self.row(j)]
        lengths = starts[own + 1] - starts[own]
        ends = np.cumsum(lengths)
        return np.arange(ends[-1]) + np.repeat(starts[own] - ends + lengths, lengths), lengths

    def disjoint(self) -> tuple[int, int] | None:
        """Return two rows, from 0, without a common column, None where there are none. Exact.

        A row is passed over at once where one of its columns is in all rows.
        """
        starts, rows, _ = self.by_column
        whole = np.diff(starts) == self.n
        for j in range(self.n):
            if not whole[self.columns[self.row(j)]].any():
                met = np.zeros(self.n, dtype=bool)
                met[rows[self.sharing(j)[0]]] = True
                if not met.all():
                    return j, int(met.argmin())
        return None

    def hockey_sticks(self, ratios: Sequence[float]) -> list[tuple[float, int, int]]:
        """Return for each λ the greatest Σ_b (q_b − λ d_b)^+ of two rows, in doubles, and the rows."""
        _, rows, entries = self.by_column
        best = [(-1.0, 0, 0)] * len(ratios)
        for j in range(self.n):
            places, lengths = self.sharing(j)
            own, others, met = np.repeat(self.shares[self.row(j)], lengths), entries[places], rows[places]
            for number, ratio in enumerate(ratios):
                common = np.bincount(met, np.minimum(own, ratio * others), minlength=self.n)
                k = int(common.argmin())
                if 1 - common[k] > best[number][0]:
                    best[number] = (float(1 - common[k]), j, k)
        return best

    def point(self, j: int, k: int, ratio: float) -> tuple[float, float]:
        """Return q − d and d of the set {b : q_b > λ d_b} of two rows, about."""
        q, d = np.zeros(self.n), np.zeros(self.n)
        q[self.columns[self.row(j)]] = self.shares[self.row(j)]
        d[self.columns[self.row(k)]] = self.shares[self.row(k)]
        chosen = q > ratio * d
        return float((q - d)[chosen].sum()), float(d[chosen].sum())


@dataclass(frozen=True)
class SparseLoss:
    """What is known of a loss function between two excesses.

    gap, d: q − d and d of points that are attained, each known to `lost`; s, above: that no v is above at s, s rising.
    identity: two rows, from 0, that make L the identity, None where there are none.
    """

    gap: Doubles
    d: Doubles
    s: Doubles
    above: Doubles
    lost: float
    identity: tuple[int, int] | None = None

    def bounds(self, low: float, high: float) -> tuple[float, float]:
        """Return e^{L(α)} − 1 from below at one excess, and from above at another: exact for the identity."""
        if self.identity is not None:
            return low, high
        if self.s[0] > 1 / high:
            raise Undecided("beyond the excesses that were looked at nothing is known from above")
        under = float(((self.gap - self.lost) / (self.d + self.lost + 1 / low)).max()) * (1 - OUTWARD)
        over = 1 / float(np.interp(1 / high, self.s, 1 / self.above)) * (1 + OUTWARD)
        return max(under, 0.0), min(over, high)


def sparse_loss(rows: SparseRows, low: float, high: float) -> SparseLoss:
    """Return the loss function of a sparse matrix for excesses E = e^α − 1 between two, 0 < low ≤ high.

    Raises: Undecided where doubles do not show what bounds it: rows that are all but equal, too many points.
    """
    if rows.most > MOST_IN_ROW:
        raise InvalidRequest(f"too large: {rows.most} entries in a row of a sparse matrix, at most {MOST_IN_ROW}")
    none, lost = np.zeros(0), rows.lost
    if (identity := rows.disjoint()) is not None:
        return SparseLoss(none, none, none, none, lost, identity)
    points = [rows.point(*rows.hockey_sticks([1.0])[0][1:], 1.0)]
    shown: dict[float, float] = {}
    for _ in range(MOST_ADDITIONS):
        gap, d = (np.array(part) for part in zip(*points, strict=True))
        left = [s for s in _vertices(gap, d, 1 / high, 1 / low) if s not in shown]
        if not left or gap.max() <= lost:
            break
        raised = [float((gap / (d + s)).max()) * (1 + RAISED * lost) for s in left]
        found = rows.hockey_sticks([1 + above for above in raised])
        known = len(points)
        for s, above, (stick, j, k) in zip(left, raised, found, strict=True):
            if stick + lost <= above * s * (1 - OUTWARD):
                shown[s] = above
            elif (point := rows.point(j, k, 1 + above)) not in points:
                points.append(point)
        if len(points) == known and any(s not in shown for s in left):
            break  # what is above was known already: doubles show no more
    if left or not shown:
        raise Undecided("this loss function cannot be bounded in doubles: its rows are nearly equal")
    places = np.array(sorted(shown))
    return SparseLoss(gap, d, places, np.array([shown[s] for s in places.tolist()]), lost)


def _vertices(gap: Doubles, d: Doubles, first: float, last: float) -> list[float]:
    """Return the ends, and between them where two lines (d + s)/gap meet that are the least there."""
    found = [first, last]
    for i in range(len(gap)):
        for j in range(i):
            if gap[i] != gap[j]:
                s = float((gap[j] * d[i] - gap[i] * d[j]) / (gap[i] - gap[j]))
                if first < s < last and (d[i] + s) / gap[i] <= ((d + s) / gap).min() * (1 + OUTWARD):
                    found.append(s)
    return found


def sparse_leakage(rows: SparseRows, epsilon: Level, steps: int) -> tuple[list[tuple[float, float]], SparseLoss]:
    """Return BPL of a number of releases with one budget (FPL in the order of time reversed), each between two doubles.

    Args: rows, the backward correlation (for FPL the forward one); epsilon, finite and above 0.
    Raises: as `sparse_loss`; InvalidRequest beyond levels whose ratios are doubles.
    """
    least, most = (float(bound) for bound in epsilon.excess_bounds())
    own = least * (1 - OUTWARD), most * (1 + OUTWARD)
    if epsilon.double_above() * steps > MOST_SPARSE_LEVEL:
        raise InvalidRequest(f"too large: {steps} releases may add up to more than {MOST_SPARSE_LEVEL:g}")
    loss = sparse_loss(rows, own[0], 2 * float(np.expm1(epsilon.double_above() * steps)))
    if loss.identity is not None:
        enclosed = epsilon.enclosure(20)
        sums = [(Fraction(enclosed.lower) * time, Fraction(enclosed.upper) * time) for time in range(1, steps + 1)]
        return [(float(a) * (1 - OUTWARD), float(b) * (1 + OUTWARD)) for a, b in sums], loss
    low, high = own
    levels = [(low, high)]
    for _ in range(steps - 1):
        under, over = loss.bounds(low, high)
        low, high = (
            (gained + budget + gained * budget) * (1 + way * OUTWARD)
            for gained, budget, way in ((under, own[0], -1), (over, own[1], 1))
        )
        levels.append((low, high))
    return [(float(np.log1p(a)) * (1 - OUTWARD), float(np.log1p(b)) * (1 + OUTWARD)) for a, b in levels], loss
