"""The fast exact method for L(α): Dinkelbach's iteration over all pairs of rows at once, filtered.

With λ = e^{L(α)} and E = e^α − 1, (λ − 1)/E is the greatest over all ordered pairs of rows of the hockey-stick
divergence Σ_j (q_j − λ d_j)^+. For a λ that some set attains, a pair improves on it if and only if its divergence at λ
exceeds (λ − 1)/E. Doubles give an upper bound of every divergence and a lower bound of (λ − 1)/E: pairs that cannot
improve are dropped for good, because λ only rises. What is left is decided in integers, so the answer is exact.

Upper bound of a divergence: let μ = λ̂(1 − 16u) with λ̂ ≤ λ, and c_j the double of (q̂_j − μ d̂_j)^+. Where q_j > λ d_j,
either λ d_j ≥ q_j/2 and the 16u outweigh all roundings, so c_j ≥ q_j − λ d_j, or q_j − λ d_j > q_j/2 and the roundings
are at most 4u of it. So Σ_j (q_j − λ d_j)^+ ≤ (1 + (n + 16)u)·Σ_j c_j.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import nextafter

import numpy as np
from numpy.typing import NDArray

from ...reference.correlations import TransitionMatrix
from ...reference.levels import Level
from ...reference.paper.lfp import Subset, is_greater
from ...reference.paper.loss import Progress
from ..floats import UNIT_ROUNDOFF, Doubles, FloatView, in_range
from .envelope import SAMPLED_ROWS, fast_loss_function

MANY_PAIRS = 4
"""Above this many pairs per state, pairs that are equal up to a permutation of columns are decided once."""

NOTHING = Subset(0, 0, (), Fraction(0), Fraction(0))
"""The empty set, whose value is 0 for any rows."""


@dataclass
class _Search:
    """The best set so far, and doubles below what it attains: λ, and h = (λ − 1)/E."""

    view: FloatView
    alpha: Level
    excess: float
    best: Subset = NOTHING
    ratio: float = 1.0
    height: float = 0.0

    def offer(self, row_q: int, row_d: int, indices: NDArray[np.int64]) -> bool:
        """Take this set if it is better than the best so far. Exact."""
        chosen = tuple(indices.tolist())
        q, d = self.view.sums(row_q, row_d, chosen)
        challenger = Subset(row_q, row_d, chosen, q, d)
        if q <= d or not is_greater(challenger, self.best, self.alpha):
            return False
        self.best = challenger
        below = 1 - 16 * UNIT_ROUNDOFF
        self.height = float(q - d) / (float(d) * self.excess + 1) * below
        self.ratio = (1 + self.height * self.excess) * below
        return True

    def divergence_bounds(self, row_d: int, buffer: Doubles) -> Doubles:
        """Return, for each row q, a double that is at least Σ_j (q_j − λ d_j)^+ for the best λ so far."""
        entries = self.view.entries
        np.subtract(entries, entries[row_d] * (self.ratio * (1 - 16 * UNIT_ROUNDOFF)), out=buffer)
        np.maximum(buffer, 0, out=buffer)
        sums: Doubles = buffer.sum(axis=1)
        sums *= 1 + (len(entries) + 16) * UNIT_ROUNDOFF
        sums[row_d] = 0
        return sums

    def climb(self, row_d: int, buffer: Doubles) -> Doubles:
        """Raise the best over the pairs with this row d as far as doubles see; return the last bounds."""
        while True:
            bounds = self.divergence_bounds(row_d, buffer)
            row_q = int(bounds.argmax())
            if bounds[row_q] <= self.height:
                return bounds
            entries = self.view.entries
            indices = np.flatnonzero(entries[row_q] > self.ratio * entries[row_d])
            if not self.offer(row_q, row_d, indices):
                return bounds

    def decide(self, row_q: int, row_d: int) -> bool:
        """Take this pair's best set at the best λ so far if it improves on it. Exact. Raises: Undecided."""
        q_row, d_row = self.view.entries[row_q], self.view.entries[row_d]
        gap = q_row - self.ratio * d_row
        doubt = 64 * UNIT_ROUNDOFF * np.maximum(q_row, self.ratio * d_row)
        indices = np.flatnonzero((gap >= -doubt) & (q_row > 0))
        unsure = {int(j) for j in indices if gap[j] <= doubt[j]}
        q_exact, d_exact = self.view.matrix.rows[row_q], self.view.matrix.rows[row_d]
        best = self.best
        kept = [
            j
            for j in indices.tolist()
            if j not in unsure
            or self.alpha.sign_of_linear(q_exact[j] - d_exact[j], q_exact[j] * best.d - d_exact[j] * best.q) > 0
        ]
        return self.offer(row_q, row_d, np.array(kept, dtype=np.int64))


def fast_optimum(matrix: TransitionMatrix, alpha: Level, progress: Progress | None = None) -> Subset:
    """Return a set that attains L(alpha), Eq. [eq:lfp_sol_b], over all pairs of rows.

    Args: matrix, P^B or P^F; alpha, the previous BPL or the next FPL; progress, called per row.
    Returns: the set, with its rows and sums; exact, as Algorithm 1 would find: `fast_optimum(…).value(alpha)` is
    L(alpha). The empty set where L(alpha) = 0. Raises: Undecided.
    """
    if matrix.n == 1 or alpha.is_zero:
        return NOTHING
    view = FloatView(matrix)
    if alpha.is_infinite or not view.usable or not in_range(alpha.excess_bounds()[0]):
        return fast_loss_function(matrix, progress).piece_at(alpha).witness or NOTHING
    search = _Search(view, alpha, nextafter(float(alpha.excess_bounds()[0]), 0.0))
    buffer = np.empty_like(view.entries)
    for row_d in range(0, matrix.n, max(1, matrix.n // SAMPLED_ROWS)):
        search.climb(row_d, buffer)
    alive: list[NDArray[np.int64]] = []
    bounds_of: list[Doubles] = []
    for row_d in range(matrix.n):
        bounds = search.climb(row_d, buffer)
        rows_q = np.flatnonzero(bounds > search.height)
        alive.append(np.column_stack([rows_q, np.full_like(rows_q, row_d)]))
        bounds_of.append(bounds[rows_q])
        if progress:
            progress(row_d + 1, matrix.n)
    return _decide_all(search, np.concatenate(alive)[np.concatenate(bounds_of) > search.height])


def _decide_all(search: _Search, pairs: NDArray[np.int64]) -> Subset:
    """Give each pair that is left its say; one that cannot improve now cannot later. Exact."""
    if len(pairs) > MANY_PAIRS * search.view.matrix.n:
        pairs = search.view.distinct(pairs)
    for row_q, row_d in pairs.tolist():
        while search.decide(row_q, row_d):
            pass
    return search.best
