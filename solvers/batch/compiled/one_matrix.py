"""The sweep over all pairs of rows of one matrix, compiled: what it finds, and why, is in `solvers.loss.sweeps`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...floats import SCALE, UNIT_ROUNDOFF, Doubles, Singles, Wholes
from ...loss.sweeps import LEEWAY, MOST_FOR_SINGLES, SINGLE_ROUNDOFF
from .compiling import compile_kernel, contracted, strict
from .vertices import hockey_stick

BESIDE = 32
"""Rows d that one row q is compared with at once: what that takes fits into a processor's cache."""

MOST_FOR_BOTH = 0.125
"""Greatest λ − 1 at which two rows are compared at λ = 1 first, for both orders at once."""

HEIGHT, ROW_Q, ROW_D, COUNT = range(4)
"""The places of what is found: h, its pair of rows, and how many pairs are left."""


@contracted
def _in_singles(rows: Singles, row_q: int, row_d: int, ratio: np.float32) -> np.float32:
    """Return what `hockey_stick` does, in single precision."""
    total, zero = np.float32(0), np.float32(0)
    for j in range(rows.shape[1]):
        part = rows[row_q, j] - ratio * rows[row_d, j]
        total += part if part > zero else zero
    return total


@strict
def _climb(entries: Doubles, row_q: int, row_d: int, excess: float, height: float) -> float:
    """Return h, raised as far as this pair of rows does."""
    while True:
        ratio = 1 + height * excess
        gap = d = 0.0
        for j in range(entries.shape[1]):
            if entries[row_q, j] > ratio * entries[row_d, j]:
                gap += entries[row_q, j] - entries[row_d, j]
                d += entries[row_d, j]
        reached = gap / (d * excess + 1)
        if not reached > height * (1 + 4 * UNIT_ROUNDOFF):
            return height
        height = reached


@strict
def _in_whole_numbers(whole: Wholes, row_q: int, row_d: int) -> np.uint16:
    """Return Σ_j (Q_j − D_j)^+ of two rows of whole numbers, which add up to less than 2^16."""
    total = np.uint16(0)
    for j in range(whole.shape[1]):
        if whole[row_q, j] > whole[row_d, j]:
            total = np.uint16(total + (whole[row_q, j] - whole[row_d, j]))
    return total


def _sweep_rows(
    whole: Wholes, lost: float, singles: Singles, entries: Doubles, excess: float, first: int, last: int,
    pairs: NDArray[np.int64], bounds: Doubles, found: Doubles,
) -> None:  # fmt: skip
    """Sweep over pairs of rows: from `first` up to `last`, each with those before it; what is left goes to `pairs`.

    Args: whole and lost, `FloatView.whole`.
    """
    n = len(entries)
    height, count = found[HEIGHT], int(found[COUNT])
    for beside in range(first, last, BESIDE):
        for before in range(min(beside + BESIDE, last)):
            for row in range(max(beside, before + 1), min(beside + BESIDE, last)):
                least = SCALE * height * (1 - LEEWAY) - lost
                if height * excess < MOST_FOR_BOTH and _in_whole_numbers(whole, before, row) <= least:
                    continue
                for row_q, row_d in ((before, row), (row, before)):
                    ratio = 1 + height * excess
                    if ratio < MOST_FOR_SINGLES:
                        value = float(_in_singles(singles, row_q, row_d, np.float32(ratio)))
                        bound = value * (1 + (singles.shape[1] + 16) * SINGLE_ROUNDOFF) + 8 * SINGLE_ROUNDOFF
                    else:
                        value = hockey_stick(entries, row_q, row_d, ratio)
                        bound = value * (1 + (n + 16) * UNIT_ROUNDOFF) + 8 * UNIT_ROUNDOFF
                    if bound > height * (1 - LEEWAY):
                        if value > height:
                            raised = _climb(entries, row_q, row_d, excess, height)
                            if raised > height:
                                height, found[ROW_Q], found[ROW_D] = raised, row_q, row_d
                        pairs[count, 0], pairs[count, 1], bounds[count] = row_q, row_d, bound
                        count += 1
    kept = 0
    for i in range(count):  # h has risen
        if bounds[i] > height * (1 - LEEWAY):
            pairs[kept, 0], pairs[kept, 1], bounds[kept] = pairs[i, 0], pairs[i, 1], bounds[i]
            kept += 1
    found[HEIGHT], found[COUNT] = height, kept


def _sift_pairs(entries: Doubles, excess: float, pairs: NDArray[np.int64], found: Doubles) -> None:
    """Leave out pairs by doubles, until h rises no more."""
    n, count = entries.shape[0], int(found[COUNT])
    before = -1.0
    while found[HEIGHT] > before:
        before = height = found[HEIGHT]
        kept = 0
        for i in range(count):
            row_q, row_d = pairs[i, 0], pairs[i, 1]
            value = hockey_stick(entries, row_q, row_d, 1 + height * excess)
            if value * (1 + (n + 16) * UNIT_ROUNDOFF) + 8 * UNIT_ROUNDOFF > height * (1 - LEEWAY):
                if value > height:
                    raised = _climb(entries, row_q, row_d, excess, height)
                    if raised > height:
                        height, found[ROW_Q], found[ROW_D] = raised, row_q, row_d
                pairs[kept, 0], pairs[kept, 1] = row_q, row_d
                kept += 1
        found[HEIGHT], count = height, kept
    found[COUNT] = count


def _add_up(
    singles: Singles, entries: Doubles, roughly: bool, pairs: NDArray[np.int64], ratio: float, sums: Doubles
) -> None:
    """Fill in the divergences of some pairs of rows at a ratio. Args: roughly, in singles."""
    for i in range(len(pairs)):
        if roughly:
            sums[i] = _in_singles(singles, pairs[i, 0], pairs[i, 1], np.float32(ratio))
        else:
            sums[i] = hockey_stick(entries, pairs[i, 0], pairs[i, 1], ratio)


_PAIRS, _FOUND = "int64[:,::1]", "float64[::1]"
sweep_rows = compile_kernel(
    _sweep_rows,
    f"void(uint16[:,::1],float64,float32[:,::1],float64[:,::1],float64,int64,int64,{_PAIRS},{_FOUND},{_FOUND})",
)
"""`_sweep_rows`, compiled."""

sift_pairs = compile_kernel(_sift_pairs, f"void(float64[:,::1],float64,{_PAIRS},{_FOUND})")
"""`_sift_pairs`, compiled."""

add_up = compile_kernel(_add_up, f"void(float32[:,::1],float64[:,::1],boolean,{_PAIRS},float64,{_FOUND})")
"""`_add_up`, compiled."""
