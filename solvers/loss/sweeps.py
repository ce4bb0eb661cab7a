"""One sweep over all pairs of rows in floats: about the greatest ratio e^L, and which pairs may attain it.

With λ = e^{L(α)}, E = e^α − 1 and h = (λ − 1)/E, h is the greatest over all ordered pairs of rows of the hockey-stick
divergence Σ_j (q_j − λ d_j)^+. Each of them falls as h rises, so Dinkelbach's iteration on a pair whose divergence is
above h raises h, and a pair whose divergence is below h once has it below from there on. Most pairs are told by single
precision, the rest by double.

At λ = 1 the divergence of two rows is the same in both orders, and no less than at a greater λ. So compiled code
compares at 1 first, as long as λ is near, in whole numbers of 16 bits.

What a computed divergence says. With unit roundoff v, a term that comes out above 0 errs by at most 5v·q_j: the
roundings of q_j, of d_j, of λ, of the product and of the difference, where λ d_j is about q_j or less. One that comes
out as 0 is at most 5v·q_j. A sum s of n terms in any order errs by n·v·s more. So the truth is at most
s + 8v + (n + 8)v·s. Entries too small for single precision lose 2^−150·λ each, next to nothing of v as long as λ is at
most `MOST_FOR_SINGLES`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...reference.paper.loss import Progress
from ..batch.compiled import is_compiled_worth
from ..floats import UNIT_ROUNDOFF, Doubles, FloatView

SINGLE_ROUNDOFF = 2.0**-24

MOST_FOR_SINGLES = 1e30

LEEWAY = 2.0**-30
"""A pair is left out where its divergence is below h by this part of it, for h is only about what a set attains."""

ROWS_AT_ONCE = 128
"""Rows q that are compared with a row d at once: what that takes fits into a processor's cache."""

SIFTED_AT_ONCE = 1024

TERMS_AT_ONCE = 1 << 28
"""Terms of divergences that are compiled code's at once: a tenth of a second, in which nothing interrupts it."""

RowPairs = NDArray[np.int64]
Floats = NDArray[np.float32] | NDArray[np.float64]


@dataclass
class Sweep:
    """What a sweep finds, given about E. height: about the greatest h, of the set of row_q and row_d with q_j > λ d_j.

    pairs: shape (m, 2), no others attain more: `is_confirmed_by` tells whether that is so.
    """

    excess: float
    height: float = 0.0
    row_q: int = 0
    row_d: int = 0
    pairs: RowPairs = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))

    @property
    def ratio(self) -> float:
        """λ, rounded."""
        return 1 + self.height * self.excess

    def is_confirmed_by(self, height: float) -> bool:
        """Whether no pair that was left out has an h above this one. Args: height, a lower bound of an h attained.

        A divergence that was below h'(1 − leeway) at some h' up to `self.height` is at a lower h no more than
        (h' − h)E greater.
        """
        return (self.height - height) * (1 + self.excess) <= LEEWAY / 2 * height

    def climb(self, view: FloatView, row_q: int, row_d: int) -> bool:
        """Raise h as far as this pair of rows does; return whether it does."""
        q_row, d_row = view.entries[row_q], view.entries[row_d]
        before = self.height
        while True:
            chosen = q_row > self.ratio * d_row
            d = d_row[chosen].sum()
            reached = float((q_row[chosen].sum() - d) / (d * self.excess + 1))
            if not reached > self.height * (1 + 4 * UNIT_ROUNDOFF):
                return self.height > before
            self.height, self.row_q, self.row_d = reached, row_q, row_d

    def chosen(self, view: FloatView) -> list[int]:
        """Return the columns of the set."""
        return np.flatnonzero(view.entries[self.row_q] > self.ratio * view.entries[self.row_d]).tolist()

    def left(self, bounds: Doubles) -> NDArray[np.bool_]:
        """Return which pairs may attain h, given what their divergences are at most."""
        found: NDArray[np.bool_] = bounds > self.height * (1 - LEEWAY)
        return found


def sweep(view: FloatView, excess: float, progress: Progress | None = None) -> Sweep:
    """Sweep over all pairs of rows, compiled where that is worth loading it.

    Args: excess, about e^α − 1, from 1e-290 to 1e290; progress, called per row.
    """
    return (_sweep_compiled if is_compiled_worth(view.n**3) else _sweep_by_arrays)(view, excess, progress)


def _sweep_compiled(view: FloatView, excess: float, progress: Progress | None) -> Sweep:
    from ..batch.compiled.one_matrix import COUNT, HEIGHT, ROW_D, ROW_Q, sift_pairs, sweep_rows

    n = view.n
    at_once = max(1, TERMS_AT_ONCE // n**2)
    pairs, bounds, found = np.empty((n * n, 2), dtype=np.int64), np.empty(n * n), np.zeros(4)
    for first in range(0, n, at_once):
        last = min(first + at_once, n)
        sweep_rows(*view.whole, view.singles, view.entries, excess, first, last, pairs, bounds, found)
        if progress:
            for row in range(first, last):
                progress(row + 1, n)
    sift_pairs(view.entries, excess, pairs, found)
    return Sweep(excess, float(found[HEIGHT]), int(found[ROW_Q]), int(found[ROW_D]), pairs[: int(found[COUNT])].copy())


def _sweep_by_arrays(view: FloatView, excess: float, progress: Progress | None) -> Sweep:
    found = Sweep(excess)
    kept, bounds = [], []
    for row_d in range(view.n):
        rows = view.singles if found.ratio < MOST_FOR_SINGLES else view.entries
        own = _bounds(rows, slice(None), row_d, found.ratio)
        own[row_d] = 0
        row_q = int(own.argmax())
        if found.left(own[[row_q]]):
            found.climb(view, row_q, row_d)
            rows_q = np.flatnonzero(found.left(own))
            kept.append(np.column_stack([rows_q, np.full_like(rows_q, row_d)]))
            bounds.append(own[rows_q])
        if progress:
            progress(row_d + 1, view.n)
    if kept:
        found.pairs = np.concatenate(kept)[found.left(np.concatenate(bounds))]
        while _sifted(view, found):
            pass
    return found


def bounds_of(view: FloatView, pairs: RowPairs, ratio: float, roughly: bool) -> Doubles:
    """Return what the divergences of pairs of rows at a ratio are at most.

    Args: pairs, in the order of rows d; roughly, whether in single precision.
    """
    if not len(pairs):
        return np.empty(0)
    if is_compiled_worth(len(pairs) * view.n):
        from ..batch.compiled.one_matrix import add_up

        sums = np.empty(len(pairs))
        add_up(view.singles, view.entries, roughly, pairs, ratio, sums)
        return at_most(sums, view.singles.shape[1], SINGLE_ROUNDOFF if roughly else UNIT_ROUNDOFF)
    rows = view.singles if roughly else view.entries
    rows_d, starts = np.unique(pairs[:, 1], return_index=True)
    groups = np.split(pairs[:, 0], starts[1:])
    return np.concatenate(
        [_bounds(rows, own, row_d, ratio) for row_d, own in zip(rows_d.tolist(), groups, strict=True)]
    )


def _bounds(rows: Floats, rows_q: RowPairs | slice, row_d: int, ratio: float) -> Doubles:
    """Return what the divergences of some rows q from one row d are at most. Args: rows, perhaps with columns of 0."""
    scaled = rows[row_d] * rows.dtype.type(ratio)
    own = rows[rows_q]
    part = np.empty_like(own[:ROWS_AT_ONCE])
    sums = np.empty(len(own), dtype=rows.dtype)
    for start in range(0, len(own), ROWS_AT_ONCE):
        some = own[start : start + ROWS_AT_ONCE]
        np.maximum(some, scaled, out=part[: len(some)])
        part -= scaled
        np.einsum("ij->i", part[: len(some)], out=sums[start : start + ROWS_AT_ONCE])
    roundoff = SINGLE_ROUNDOFF if rows.dtype == np.float32 else UNIT_ROUNDOFF
    return at_most(sums.astype(np.float64), rows.shape[1], roundoff)


def at_most(sums: Doubles, terms: int, roundoff: float) -> Doubles:
    """Return what divergences are at most that came out as these sums of `terms` terms."""
    return sums * (1 + (terms + 16) * roundoff) + 8 * roundoff


def _sifted(view: FloatView, found: Sweep) -> bool:
    """Leave out pairs by doubles; return whether h has risen meanwhile."""
    before, left = found.height, []
    for start in range(0, len(found.pairs), SIFTED_AT_ONCE):
        pairs = found.pairs[start : start + SIFTED_AT_ONCE]
        sums = np.maximum(view.entries[pairs[:, 0]] - found.ratio * view.entries[pairs[:, 1]], 0).sum(axis=1)
        best = int(sums.argmax())
        if sums[best] > found.height:
            found.climb(view, *pairs[best].tolist())
        left.append(pairs[found.left(at_most(sums, view.n, UNIT_ROUNDOFF))])
    found.pairs = np.concatenate(left)
    return found.height > before
