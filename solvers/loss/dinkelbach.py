"""The fast exact method for L(α): a sweep over all pairs of rows in floats, and what is left decided in integers.

A `Sweep` proposes a set and leaves a few pairs. The set is worked out exactly; if what it attains confirms that the
pairs that were left out attain no more, only those that are left are decided, else all of them. With λ = e^{L(α)} the
best set of a pair has the columns with q_j > λ d_j: doubles tell most of them, and exact numbers those that are near.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import nextafter

import numpy as np

from ...reference.correlations import TransitionMatrix
from ...reference.levels import Level
from ...reference.paper.lfp import Subset, is_greater
from ...reference.paper.loss import Progress
from ..floats import UNIT_ROUNDOFF, FloatView, in_range
from .envelope import fast_loss_function
from .sweeps import RowPairs, sweep

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

    def offer(self, row_q: int, row_d: int, indices: list[int]) -> bool:
        """Take this set if it is better than the best so far. Exact."""
        chosen = tuple(indices)
        q, d = self.view.sums(row_q, row_d, chosen)
        challenger = Subset(row_q, row_d, chosen, q, d)
        if q <= d or not is_greater(challenger, self.best, self.alpha):
            return False
        self.best = challenger
        below = 1 - 16 * UNIT_ROUNDOFF
        self.height = float(q - d) / (float(d) * self.excess + 1) * below
        self.ratio = (1 + self.height * self.excess) * below
        return True

    def decide(self, row_q: int, row_d: int) -> bool:
        """Take this pair's best set at the best λ so far if it improves on it. Exact. Raises: Undecided."""
        q_row, d_row = self.view.entries[row_q], self.view.entries[row_d]
        gap = q_row - self.ratio * d_row
        doubt = 64 * UNIT_ROUNDOFF * np.maximum(q_row, self.ratio * d_row)
        indices = np.flatnonzero((gap >= -doubt) & (q_row > 0))
        unsure = {int(j) for j in indices if gap[j] <= doubt[j]}
        q_exact, d_exact = self.view.rows[row_q], self.view.rows[row_d]
        best = self.best
        kept = [
            j
            for j in indices.tolist()
            if j not in unsure
            or self.alpha.sign_of_linear(q_exact[j] - d_exact[j], q_exact[j] * best.d - d_exact[j] * best.q) > 0
        ]
        is_best = (row_q, row_d, tuple(kept)) == (best.row_q, best.row_d, best.indices)
        return not is_best and self.offer(row_q, row_d, kept)


def fast_optimum(matrix: TransitionMatrix, alpha: Level, progress: Progress | None = None) -> Subset:
    """Return a set that attains L(alpha), Eq. [eq:lfp_sol_b], over all pairs of rows.

    Args: matrix, P^B or P^F; alpha, the previous BPL or the next FPL; progress, called per row.
    Returns: the set, with its rows and sums; exact, as Algorithm 1 would find: `fast_optimum(…).value(alpha)` is
    L(alpha). The empty set where L(alpha) = 0. Raises: Undecided.
    """
    if matrix.n == 1 or alpha.is_zero:
        return NOTHING
    view = FloatView.of(matrix)
    excess = None if alpha.is_infinite else alpha.excess_bounds()[0]
    if excess is None or not view.usable or not in_range(excess):
        return fast_loss_function(matrix, progress).piece_at(alpha).witness or NOTHING
    search = _Search(view, alpha, nextafter(float(excess), 0.0))
    found = sweep(view, search.excess, progress)
    search.offer(found.row_q, found.row_d, found.chosen(view))
    return _decide_all(search, found.pairs if found.is_confirmed_by(search.height) else _all_pairs(matrix.n))


def _all_pairs(n: int) -> RowPairs:
    return np.array(list(permutations(range(n), 2)))


def _decide_all(search: _Search, pairs: RowPairs) -> Subset:
    """Give each pair that is left its say; one that cannot improve now cannot later. Exact."""
    if len(pairs) > MANY_PAIRS * search.view.n:
        pairs = search.view.distinct(pairs)
    for row_q, row_d in pairs.tolist():
        while search.decide(row_q, row_d):
            pass
    return search.best
