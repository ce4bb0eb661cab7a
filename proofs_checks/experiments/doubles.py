"""Algorithms 1 to 5 in doubles, pair by pair: what the paper timed in Matlab, with the errata corrected.

For timing only. Equalities are tested within `CLOSE`, which is the wrong answer for some matrices; that these are right
for the matrices that they are timed on is checked against the exact values.
"""

import math
from bisect import bisect_left
from itertools import permutations

import numpy as np

CLOSE = 1e-12


def algorithm_1(entries, alpha, epsilon=0.0):
    """Return L(α) + ε."""
    return rounds(entries, alpha)[0] + epsilon


def rounds(entries, alpha):
    """Return L(α), and how many rounds of the loop of lines 6 to 11 all pairs took together."""
    excess, best, count = math.expm1(alpha), 1.0, 0
    for row_q, row_d in permutations(range(len(entries)), 2):
        q_row, d_row = entries[row_q], entries[row_d]
        chosen = q_row > d_row
        left = -1
        q = d = 0.0
        while (size := np.count_nonzero(chosen)) != left:
            left, count = size, count + 1
            q, d = q_row[chosen].sum(), d_row[chosen].sum()
            chosen &= q_row * (d * excess + 1) > d_row * (q * excess + 1)
        best = max(best, (q * excess + 1) / (d * excess + 1))
    return math.log(best), count


def algorithm_2(entries):
    """Return (qArr, dArr, aArr) for each ordered pair of rows; aArr falls, as excesses."""
    functions = []
    for row_q, row_d in permutations(range(len(entries)), 2):
        q_row, d_row = entries[row_q], entries[row_d]
        taken = np.flatnonzero(q_row > d_row)
        taken = taken[np.argsort(d_row[taken] / q_row[taken], kind="stable")]
        q, d = q_row[taken], d_row[taken]
        q_sums, d_sums = np.cumsum(q), np.cumsum(d)
        slope = q_sums * d - d_sums * q
        with np.errstate(divide="ignore"):
            leaves = np.where(slope > 0, (q - d) / slope, math.inf)
        functions.append((q_sums.tolist(), d_sums.tolist(), leaves.tolist()))
    return functions


def top(functions, excess):
    """Return the greatest (value, q, d) at an excess, by binary search in each function."""
    best = (1.0, 0.0, 0.0)
    for q_sums, d_sums, leaves in functions:
        size = bisect_left(leaves, -excess, key=lambda end: -end)
        if size:
            q, d = q_sums[size - 1], d_sums[size - 1]
            best = max(best, ((q * excess + 1) / (d * excess + 1), q, d))
    return best


def algorithm_3(functions, alpha, epsilon=0.0):
    """Return L(α) + ε."""
    return math.log(top(functions, math.expm1(alpha))[0]) + epsilon


def algorithm_4(functions, start, end):
    """Return the pieces (q, d, end) of L between two excesses."""
    _, q, d = top(functions, start)
    high, q_end, d_end = top(functions, end)
    if start >= end * (1 - CLOSE) or high <= (q * end + 1) / (d * end + 1) * (1 + CLOSE):
        return [(q, d, end)]
    low = (q * start + 1) / (d * start + 1)
    if low <= (q_end * start + 1) / (d_end * start + 1) * (1 + CLOSE):
        return [(q_end, d_end, end)]
    crossing = (q_end + d - q - d_end) / (q * d_end - q_end * d)
    if not start < crossing < end:
        return [(q, d, end)]
    return algorithm_4(functions, start, crossing) + algorithm_4(functions, crossing, end)


def algorithm_5(pieces, alpha, epsilon=0.0):
    """Return L(α) + ε from the pieces of Algorithm 4."""
    excess = math.expm1(alpha)
    q, d, _ = pieces[bisect_left(pieces, excess, key=lambda piece: piece[2])]
    return math.log((q * excess + 1) / (d * excess + 1)) + epsilon
