"""What is special about rows, pairs of rows and their programs, and what the printed algorithms make of them. Exact.

For a case that shows an erratum the printed value is another one than the true one. A transcendental e^α is taken at
rationals on both sides, closer than 200 bits: what holds at both is said of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise, permutations

from tploracle.reference import Level, TransitionMatrix
from tploracle.reference.correlations import Row
from tploracle.reference.paper.algorithms_2_3 import algorithm_2
from tploracle.reference.paper.lfp import candidates, satisfies_cond1

from .input_parts import PART

LEAST_NORMAL = Fraction(1, 2**1022)
NEAR = Fraction(1, 2**40)
"""Rows are nearly equal, and an entry is tiny, from here down."""

Pair = tuple[Row, Row]


def pairs(matrix: TransitionMatrix) -> Iterator[Pair]:
    """Yield the ordered pairs (q, d) of rows."""
    yield from permutations(matrix.rows, 2)


def disjoint(q: Row, d: Row) -> bool:
    """Whether two rows have disjoint supports."""
    return not any(a and b for a, b in zip(q, d, strict=True))


def one_against_zero(q: Row, d: Row) -> bool:
    """Whether two rows meet the printed condition of Theorem 7 [thm:algo_extreme2]: a 1 against a 0."""
    return any(a == 1 and b == 0 for a, b in zip(q, d, strict=True))


def nearly_equal(q: Row, d: Row) -> bool:
    """Whether two rows differ, nowhere by more than 2^−40."""
    return q != d and all(abs(a - b) <= NEAR for a, b in zip(q, d, strict=True))


def has_tie(q: Row, d: Row) -> bool:
    """Whether two columns with q_j > d_j > 0 have the same q_j/d_j."""
    ratios = [q[j] / d[j] for j in candidates(q, d) if d[j]]
    return len(set(ratios)) < len(ratios)


def left_to_right(row: Row) -> float:
    """Return the sum of a row of doubles as most programs form it: rounded after every addition."""
    total = 0.0
    for entry in row:
        total += float(entry)
    return total


def removals(q: Row, d: Row, alpha: Level) -> list[int]:
    """Return how many columns each turn of Algorithm 1 [algo:cal_bpl] removes from x⁺, but for the last, none."""
    chosen, found = candidates(q, d), list[int]()
    while chosen:
        q_sum, d_sum = sum((q[j] for j in chosen), Fraction(0)), sum((d[j] for j in chosen), Fraction(0))
        kept = [j for j in chosen if satisfies_cond1(q[j], d[j], q_sum, d_sum, alpha)]
        if len(kept) == len(chosen):
            break
        found.append(len(chosen) - len(kept))
        chosen = kept
    return found


def all_transitions(matrix: TransitionMatrix) -> set[Fraction]:
    """Return the excesses e^α − 1 of the finite transition points of all pairs, Theorem 9 [thm:lfp_seg_func]."""
    found = {excess for function in algorithm_2(matrix) for excess in function.transitions}
    return {excess for excess in found if excess is not None}


def is_at(alpha: Level, excess: Fraction) -> bool:
    """Whether a level is exactly the logarithm of 1 + excess."""
    return not alpha.is_infinite and alpha.sign_of_linear(-excess, Fraction(1)) == 0


def is_beside(alpha: Level, boundary: Level) -> bool:
    """Whether a finite level is within 1.1 parts in 10^12 of a positive boundary, and not at it."""
    if alpha.is_infinite or boundary.is_infinite or boundary.is_zero:
        return False
    order = alpha.compare(boundary)
    if order == 0:
        return False
    near, far = (Fraction(end) for end in (boundary.enclosure(40).lower, boundary.enclosure(40).upper))
    width = PART * Fraction(11, 10)
    return alpha <= Level.of(far * (1 + width)) and alpha >= Level.of(near * (1 - width))


def log_of(excess: Fraction) -> Level:
    """Return the level log(1 + excess)."""
    return Level.of_ratio(1 + excess)


def is_permutation(matrix: TransitionMatrix) -> bool:
    """Whether a matrix is one of 0 and 1 with a single 1 in each column."""
    return all(entry in (0, 1) for row in matrix.rows for entry in row) and all(
        sum(column) == 1 for column in zip(*matrix.rows, strict=True)
    )


def zeros(matrix: TransitionMatrix) -> int:
    """Return how many entries are 0."""
    return sum(entry == 0 for row in matrix.rows for entry in row)


def is_banded(matrix: TransitionMatrix) -> bool:
    """Whether every entry beyond the diagonals next to the main one is 0."""
    return all(entry == 0 for j, row in enumerate(matrix.rows) for k, entry in enumerate(row) if abs(j - k) > 1)


def equal_pairs(matrix: TransitionMatrix) -> int:
    """Return how many unordered pairs of rows are equal."""
    return sum(q == d for q, d in combinations(matrix.rows, 2))


def rises(values: list[Fraction]) -> bool:
    """Whether each value is above the one before."""
    return all(a < b for a, b in pairwise(values))
