"""What exact answers are timed against: numpy doubles as people write them, numpy written to be fast, and C.

None of them bounds an error. floats.c is compiled where there is a C compiler, for this processor.
"""

import ctypes
import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).resolve().parent / "floats.c"
FLAGS = (
    "-O3", "-march=native", "-fassociative-math", "-freciprocal-math", "-ffinite-math-only", "-fno-signed-zeros",
    "-fno-trapping-math", "-fno-math-errno", "-shared", "-fPIC",
)  # fmt: skip
"""What -ffast-math means, but that a library made with it takes subnormal numbers from the whole process."""

AT_ONCE = 32
"""Pairs of rows that are looked at together."""

SAMPLED_ROWS, ROWS_AT_ONCE = 4, 128
"""Rows d that are looked at first, and rows q at once beside one: what that takes fits into a processor's cache."""


def loss_ratio(entries, excess):
    """Return e^{L(α)} as a double, for a matrix of doubles and the excess e^α − 1: over all pairs, each time."""
    ratio = 1.0
    while True:
        best = ratio
        for d_row in entries:
            chosen = entries > ratio * d_row
            q = (entries * chosen).sum(axis=1)
            d = chosen @ d_row
            best = max(best, ((q * excess + 1) / (d * excess + 1)).max())
        if best <= ratio * (1 + 1e-15):
            return best
        ratio = best


def pruned_ratio(entries, excess):
    """Return e^{L(α)} as `loss_ratio` does: one pass over all pairs, in which the ratio rises, and those left again.

    A few rows come first, so that the ratio is near its end when all pairs are looked at, some rows at a time.
    """
    n, ratio, left, sticks = len(entries), 1.0, [], []
    part = np.empty((min(n, ROWS_AT_ONCE), n))
    for k in [*range(0, n, max(1, n // SAMPLED_ROWS)), *range(n)]:
        scaled = ratio * entries[k]
        own = np.concatenate([_sticks(entries[at : at + ROWS_AT_ONCE], scaled, part) for at in range(0, n, len(part))])
        if own.max() * excess > ratio - 1:
            ratio, _ = _risen(entries[[own.argmax()]], entries[[k]], excess, ratio)
        able = np.flatnonzero(own * excess > (ratio - 1) * (1 + 1e-14))
        left += zip(able.tolist(), [k] * len(able), strict=True)
        sticks += own[able].tolist()
    pairs = np.array(left).reshape(-1, 2)[np.array(sticks) * excess > (ratio - 1) * (1 + 1e-14)]
    for first in range(0, len(pairs), AT_ONCE):
        q, d = pairs[first : first + AT_ONCE].T
        ratio, _ = _risen(entries[q], entries[d], excess, ratio)
    return ratio


def _sticks(rows, scaled, part):
    """Return Σ_j (q_j − λ d_j)^+ of some rows q, given λ d: Σ_j max(q_j, λ d_j) less the sum of λ d."""
    part = part[: len(rows)]
    np.maximum(rows, scaled, out=part)
    return np.einsum("ij->i", part) - scaled.sum()


def _risen(rows, others, excess, ratio):
    """Return the ratio risen to that of some pairs of rows, and the sums of the set that attains it, None as it was."""
    found = None
    while True:
        chosen = rows > ratio * others
        q, d = (rows * chosen).sum(axis=1), (others * chosen).sum(axis=1)
        reached = (q * excess + 1) / (d * excess + 1)
        best = reached.argmax()
        if reached[best] <= ratio * (1 + 1e-15):
            return ratio, found
        ratio, found = reached[best], (q[best], d[best])


class WarmLoss:
    """L of a matrix of doubles at many levels: from the last set on, without pairs of too small a total variation."""

    def __init__(self, entries):
        self.entries = entries
        part, variation = np.empty_like(entries), []
        for row in entries:
            np.subtract(entries, row, out=part)
            np.maximum(part, 0, out=part)
            variation.append(part.sum(axis=1))
        variation = np.concatenate(variation)
        self._order = np.argsort(-variation)
        self._falling = -variation[self._order]
        self._set = (0.0, 0.0)

    def ratio(self, excess):
        """Return e^{L(α)} as a double."""
        q, d = self._set
        ratio = (q * excess + 1) / (d * excess + 1)
        n, first = len(self.entries), 0
        while True:
            able = np.searchsorted(self._falling, -(ratio - 1) / excess)  # 1 + E·TV is at least the pair's ratio
            if first >= able:
                return ratio
            pairs = self._order[first : min(able, first + AT_ONCE)]
            ratio, found = _risen(self.entries[pairs % n], self.entries[pairs // n], excess, ratio)
            self._set = found or self._set
            first += len(pairs)


def backward_leakage(entries, epsilon, steps):
    """Return BPL at each step as doubles, one budget throughout."""
    loss, levels = WarmLoss(entries), [epsilon]
    for _ in range(steps - 1):
        levels.append(epsilon + np.log(loss.ratio(np.expm1(levels[-1]))))
    return levels


def worst_case_ratio(entries, ratio, releases):
    """Return e^{BPL − ε} of the worst mechanisms after a number of releases, as a double, e^ε = ratio throughout.

    A pair of rows is left out as soon as it cannot reach what is found: no column is left in its favour.
    """
    n, best = len(entries), 1.0
    pairs = np.array([(j, k) for j in range(n) for k in range(n) if j != k])
    variation = np.abs(entries[pairs[:, 0]] - entries[pairs[:, 1]]).sum(axis=1)
    for tried in (pairs[np.argsort(-variation)[:n]], pairs):
        left = tried
        while len(left):
            u, v = entries[left[:, 0]], entries[left[:, 1]]
            for release in range(releases):
                inside = u > best * v
                able = inside.any(axis=1)
                left, weight = left[able], np.where(inside[able], ratio, 1.0)
                u, v = u[able] * weight, v[able] * weight
                if release + 1 < releases:
                    u, v = u @ entries, v @ entries
            reached = u.sum(axis=1) / v.sum(axis=1)
            left = left[reached > best * (1 + 1e-15)]
            best = max(best, reached.max(initial=best))
    return best


@cache
def compiled():
    """Return floats.c as a library, compiled anew, or None where there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    library = SOURCE.parents[1] / "build" / "floats.so"
    library.parent.mkdir(exist_ok=True)
    subprocess.run([compiler, *FLAGS, SOURCE, "-o", library, "-lm"], check=True)
    functions = ctypes.CDLL(str(library))
    for function in (functions.loss, functions.loss_in_singles, functions.tight):
        function.restype = ctypes.c_double
    return functions


def _given(values):
    return np.ascontiguousarray(values, dtype=float).ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def loss_in_c(entries, excess):
    """Return e^{L(α)} as `loss_ratio` does."""
    return compiled().loss_in_singles(_given(entries), len(entries), ctypes.c_double(excess))


def backward_in_c(matrices, epsilon, steps):
    """Return the last BPL of each matrix, shape (count, n, n)."""
    kept = np.empty(len(matrices))
    compiled().courses(
        _given(matrices), len(matrices), matrices.shape[1], ctypes.c_double(epsilon), steps, _given(kept)
    )
    return kept


def worst_case_in_c(entries, ratio, releases):
    """Return e^{BPL − ε} as `worst_case_ratio` does."""
    return compiled().tight(_given(entries), len(entries), ctypes.c_double(ratio), releases)
