"""What is special about rows, pairs of rows and their programs, and what the printed algorithms make of them. Exact.

For a case that shows an erratum the printed value is another one than the true one. A transcendental e^α is taken at
rationals on both sides, closer than 200 bits: what holds at both is said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise, permutations
from operator import truediv

from tploracle.proofs_checks import transcriptions as printed
from tploracle.proofs_checks.transcriptions import Looping, NoIndex, Watch
from tploracle.reference import Level, TransitionMatrix
from tploracle.reference.correlations import Row
from tploracle.reference.paper.leakage import leakage
from tploracle.reference.paper.lfp import candidates, satisfies_cond1, transition_point
from tploracle.reference.paper.supremum import candidate
from tploracle.solvers.loss.bisection import bisected_algorithm_8

from .input_parts import PART
from .read_query import ReadQuery, loss_of

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


def prefix_sums(q: Row, d: Row) -> Iterator[tuple[int, Fraction, Fraction]]:
    """Yield each column with q_j > d_j by falling q_j/d_j, those with d_j = 0 first, and the sums up to it."""
    q_sum, d_sum = Fraction(0), Fraction(0)
    for j in sorted(candidates(q, d), key=lambda j: d[j] / q[j]):
        q_sum, d_sum = q_sum + q[j], d_sum + d[j]
        yield j, q_sum, d_sum


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


def transitions(q: Row, d: Row) -> list[Fraction]:
    """Return the excesses e^α − 1 of the finite transition points of a pair, Theorem 9 [thm:lfp_seg_func], falling."""
    found = [transition_point(q[j], d[j], q_sum, d_sum) for j, q_sum, d_sum in prefix_sums(q, d)]
    return [leaving for leaving in found if leaving is not None]


def all_transitions(matrix: TransitionMatrix) -> set[Fraction]:
    """Return the excesses of the finite transition points of all pairs."""
    return {excess for q, d in pairs(matrix) for excess in transitions(q, d)}


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


ONE = Fraction(1)
MET_WITHIN = Fraction(1, 2**60)
"""A bisection that has not met the solution at this part of α is taken to go on forever."""


def ratios(level: Level) -> tuple[Fraction, Fraction]:
    """Return rationals around e^α, equal where it is rational."""
    if isinstance(level.ratio, Fraction):
        return level.ratio, level.ratio
    lower, upper = level.excess_bounds(200)
    return 1 + lower, 1 + upper


def _at_both(query: ReadQuery, holds: Callable[[TransitionMatrix, Fraction], bool]) -> bool:
    alpha = query.level("alpha")
    return not alpha.is_infinite and all(holds(query.matrix, ratio) for ratio in ratios(alpha))


def _truth(matrix: TransitionMatrix, ratio: Fraction) -> Fraction:
    """Return e^L at the ratio."""
    excess = ratio - 1
    return max((piece.q * excess + 1) / (piece.d * excess + 1) for piece in loss_of(matrix).pieces)


def _raises(error: type[Exception], call: Callable[[], object]) -> bool:
    try:
        call()
    except error:
        return True
    return False


def algorithm_1_loops(query: ReadQuery) -> bool:
    """Whether Algorithm 1 comes back to a state it was in, because `update` is never set back (E2)."""
    return _at_both(query, lambda m, ratio: _raises(Looping, lambda: printed.algorithm_1(m, ratio, ONE, Watch())))


def algorithm_1_divides_by_zero(query: ReadQuery) -> bool:
    """Whether Algorithm 1 forms q_j/d_j with d_j = 0 (E2)."""

    def run(matrix: TransitionMatrix, ratio: Fraction) -> object:
        return printed.algorithm_1(matrix, ratio, ONE, Watch(), divide=truediv, mended={6})

    return _at_both(query, lambda matrix, ratio: _raises(ZeroDivisionError, lambda: run(matrix, ratio)))


def transitions_understate(query: ReadQuery) -> bool:
    """Whether Algorithm 3 with the transition points of the printed line 11 falls short of the truth (E4)."""

    def understates(matrix: TransitionMatrix, ratio: Fraction) -> bool:
        arrays = printed.algorithm_2(matrix, Watch())
        try:
            found = printed.algorithm_3(ratio, arrays, ONE, Watch(), mended={4, 5})
        except NoIndex:
            return False
        return found < _truth(matrix, ratio)

    return _at_both(query, understates)


def no_index_is_found(query: ReadQuery) -> bool:
    """Whether Algorithm 3 finds no index, its array not ending with 0 as the text has it (E5)."""

    def run(matrix: TransitionMatrix, ratio: Fraction) -> object:
        return printed.algorithm_3(ratio, printed.algorithm_2(matrix, Watch(), mended={11}), ONE, Watch(), mended={5})

    return _at_both(query, lambda matrix, ratio: _raises(NoIndex, lambda: run(matrix, ratio)))


def divides_by_itself(query: ReadQuery) -> bool:
    """Whether Algorithm 3, dividing qArr by qArr, says there is no loss where there is one (E6)."""

    def loses_nothing(matrix: TransitionMatrix, ratio: Fraction) -> bool:
        arrays = printed.algorithm_2(matrix, Watch(), mended={11})
        found = printed.algorithm_3(ratio, arrays, ONE, Watch(), mended={4})
        return found == 1 < _truth(matrix, ratio)

    return _at_both(query, loses_nothing)


def crossing_is_zero_over_zero(query: ReadQuery) -> bool:
    """Whether Algorithm 4 forms 0/0 because the same function is the top one at both ends (E7)."""
    matrix, ends = query.matrix, _ends(query)
    arrays = printed.algorithm_2(matrix, Watch(), mended={11})
    run = partial(printed.algorithm_4, matrix, *ends, arrays, Watch(), mended={2}, divide=truediv)
    return _raises(ZeroDivisionError, run)


def from_zero_one_function_is_taken(query: ReadQuery) -> bool:
    """Whether Algorithm 4 from a_1 = 0, where all functions are 0, takes one function though L has several (E7)."""
    matrix, (_, end) = query.matrix, _ends(query)
    arrays = printed.algorithm_2(matrix, Watch(), mended={11})
    whole = printed.algorithm_4(matrix, ONE, end, arrays, Watch(), mended={2})
    return len(whole) == 1 < len(loss_of(matrix).pieces)


def _ends(query: ReadQuery) -> tuple[Fraction, Fraction]:
    """Return ratios before the first breakpoint of L and after the last."""
    stops = [piece.stop for piece in loss_of(query.matrix).pieces if piece.stop is not None]
    return (1 + min(stops) / 2, 2 + 2 * max(stops)) if stops else (Fraction(2), Fraction(3))


def search_finds_no_piece(query: ReadQuery) -> bool:
    """Whether Algorithm 5 looks for α_k ≥ α > α_{k+1} in an array that rises, and finds nothing (E34)."""
    matrix, (start, end) = query.matrix, _ends(query)
    arrays = printed.algorithm_2(matrix, Watch(), mended={11})
    function = printed.algorithm_4(matrix, start, end, arrays, Watch(), mended={2})

    def finds_none(_: TransitionMatrix, ratio: Fraction) -> bool:
        inside = start <= ratio <= end and len(function) > 1
        return _raises(NoIndex, lambda: printed.algorithm_5(ratio, function, ONE, Watch())) and inside

    return _at_both(query, finds_none)


def case_2_divides_by_zero(query: ReadQuery) -> bool:
    """Whether case 2 of Theorem 11, its ε ≤ log(1/q) taken as printed, divides by 1 − q·e^ε = 0 (E8)."""
    found, epsilon = query.supremum, query.level("epsilon")
    if found.d != 0 or not isinstance(epsilon.ratio, Fraction):
        return False
    return _raises(ZeroDivisionError, partial(printed.theorem_11, found.q, found.d, epsilon.ratio, divide=truediv))


def printed_sign_misses(query: ReadQuery) -> bool:
    """Whether the supremum does not solve the quadratic with the printed sign (E9)."""
    found, epsilon = query.supremum, query.level("epsilon")
    if found.level.is_infinite or found.q == found.d or epsilon.is_zero:
        return False
    values = [
        found.d * f * f + (found.q * a + found.d - 1) * f + (found.q * a - a)
        for f in ratios(found.level)
        for a in ratios(epsilon)
    ]
    return min(values) > 0 or max(values) < 0


def first_step_understates(query: ReadQuery) -> bool:
    """Whether the formula with the (q, d) that is optimal at the first step gives less than the supremum (E10)."""
    epsilon = query.level("epsilon")
    first = query.loss.piece_at(epsilon)
    return candidate(first.q, first.d, epsilon) < query.supremum.level


def starts_from_zero(query: ReadQuery) -> bool:
    """Whether Algorithm 6 returns the 0 that it starts from instead of ε (E12)."""
    epsilon = query.level("epsilon")
    return query.matrix.n == 1 and not epsilon.is_zero


def logarithm_of_one_over_zero(query: ReadQuery) -> bool:
    """Whether Theorem 11 is asked for log(1/q) with q = 0, or for a piece with q = d (E12)."""
    return query.loss.is_zero and query.matrix.n > 1


def bisection_does_not_end(query: ReadQuery) -> bool:
    """Whether Algorithm 8's bisection has not met the solution after sixty halvings (E27)."""
    matrices = query.matrices
    backward, forward = matrices.get("backward"), matrices.get("forward")
    found = bisected_algorithm_8(query.level("alpha"), backward, forward, MET_WITHIN)
    return found.first.lower < found.first.upper


def middle_budget_falls_short_at_the_end(query: ReadQuery, epsilons: list[Level]) -> bool:
    """Whether ε_m for the last release too, as the text has it, leaves TPL_T below α (E30)."""
    as_printed = [*epsilons[:-1], epsilons[-2]]
    return leakage(as_printed, query.adversary).tpl[-1] < query.level("alpha")
