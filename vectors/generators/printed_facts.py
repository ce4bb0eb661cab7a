"""What the algorithms give as they are printed: for a case that shows an erratum, the printed value is another one.

A transcendental e^α is taken at rationals on both sides, closer than 200 bits: what holds at both is said of it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from operator import truediv

from tploracle.proofs_checks import transcriptions as printed
from tploracle.proofs_checks.transcriptions import Looping, NoIndex, Watch
from tploracle.reference import Level, TransitionMatrix
from tploracle.reference.leakage import leakage
from tploracle.reference.supremum import candidate
from tploracle.solvers.bisection import bisected_algorithm_8

from .asked import Asked, loss_of

ONE = Fraction(1)
MET_WITHIN = Fraction(1, 2**60)
"""A bisection that has not met the solution at this part of α is taken to go on for ever."""


def ratios(level: Level) -> tuple[Fraction, Fraction]:
    """Return rationals around e^α, equal where it is rational."""
    if isinstance(level.ratio, Fraction):
        return level.ratio, level.ratio
    lower, upper = level.excess_bounds(200)
    return 1 + lower, 1 + upper


def _at_both(asked: Asked, holds: Callable[[TransitionMatrix, Fraction], bool]) -> bool:
    alpha = asked.level("alpha")
    return not alpha.is_infinite and all(holds(asked.matrix, ratio) for ratio in ratios(alpha))


def _truth(matrix: TransitionMatrix, ratio: Fraction) -> Fraction:
    """Return e^L at the ratio."""
    excess = ratio - 1
    return max((piece.q * excess + 1) / (piece.d * excess + 1) for piece in loss_of(matrix).pieces)


def algorithm_1_loops(asked: Asked) -> bool:
    """Whether Algorithm 1 comes back to a state it was in, because `update` is never set back (E2)."""

    def loops(matrix: TransitionMatrix, ratio: Fraction) -> bool:
        try:
            printed.algorithm_1(matrix, ratio, ONE, Watch())
        except Looping:
            return True
        return False

    return _at_both(asked, loops)


def algorithm_1_divides_by_zero(asked: Asked) -> bool:
    """Whether Algorithm 1 forms q_j/d_j with d_j = 0 (E2)."""

    def divides(matrix: TransitionMatrix, ratio: Fraction) -> bool:
        try:
            printed.algorithm_1(matrix, ratio, ONE, Watch(), divide=truediv, mended={6})
        except ZeroDivisionError:
            return True
        return False

    return _at_both(asked, divides)


def transitions_understate(asked: Asked) -> bool:
    """Whether Algorithm 3 with the transition points of the printed line 11 falls short of the truth (E4)."""

    def understates(matrix: TransitionMatrix, ratio: Fraction) -> bool:
        arrays = printed.algorithm_2(matrix, Watch())
        try:
            found = printed.algorithm_3(ratio, arrays, ONE, Watch(), mended={4, 5})
        except NoIndex:
            return False
        return found < _truth(matrix, ratio)

    return _at_both(asked, understates)


def no_index_is_found(asked: Asked) -> bool:
    """Whether Algorithm 3 finds no index, its array not ending with 0 as the text has it (E5)."""

    def finds_none(matrix: TransitionMatrix, ratio: Fraction) -> bool:
        try:
            printed.algorithm_3(ratio, printed.algorithm_2(matrix, Watch(), mended={11}), ONE, Watch(), mended={5})
        except NoIndex:
            return True
        return False

    return _at_both(asked, finds_none)


def divides_by_itself(asked: Asked) -> bool:
    """Whether Algorithm 3, dividing qArr by qArr, says there is no loss where there is one (E6)."""

    def loses_nothing(matrix: TransitionMatrix, ratio: Fraction) -> bool:
        arrays = printed.algorithm_2(matrix, Watch(), mended={11})
        found = printed.algorithm_3(ratio, arrays, ONE, Watch(), mended={4})
        return found == 1 < _truth(matrix, ratio)

    return _at_both(asked, loses_nothing)


def crossing_is_zero_over_zero(asked: Asked) -> bool:
    """Whether Algorithm 4 forms 0/0 because the same function is the top one at both ends (E7)."""
    matrix, ends = asked.matrix, _ends(asked)
    arrays = printed.algorithm_2(matrix, Watch(), mended={11})
    try:
        printed.algorithm_4(matrix, *ends, arrays, Watch(), mended={2}, divide=truediv)
    except ZeroDivisionError:
        return True
    return False


def from_zero_one_function_is_taken(asked: Asked) -> bool:
    """Whether Algorithm 4 from a_1 = 0, where all functions are 0, takes one function though L has several (E7)."""
    matrix, (_, end) = asked.matrix, _ends(asked)
    arrays = printed.algorithm_2(matrix, Watch(), mended={11})
    whole = printed.algorithm_4(matrix, ONE, end, arrays, Watch(), mended={2})
    return len(whole) == 1 < len(loss_of(matrix).pieces)


def _ends(asked: Asked) -> tuple[Fraction, Fraction]:
    """Return ratios before the first breakpoint of L and after the last."""
    stops = [piece.stop for piece in loss_of(asked.matrix).pieces if piece.stop is not None]
    return (1 + min(stops) / 2, 2 + 2 * max(stops)) if stops else (Fraction(2), Fraction(3))


def search_finds_no_piece(asked: Asked) -> bool:
    """Whether Algorithm 5 looks for α_k ≥ α > α_{k+1} in an array that rises, and finds nothing (E34)."""
    matrix, (start, end) = asked.matrix, _ends(asked)
    arrays = printed.algorithm_2(matrix, Watch(), mended={11})
    function = printed.algorithm_4(matrix, start, end, arrays, Watch(), mended={2})

    def finds_none(_: TransitionMatrix, ratio: Fraction) -> bool:
        try:
            printed.algorithm_5(ratio, function, ONE, Watch())
        except NoIndex:
            return start <= ratio <= end and len(function) > 1
        return False

    return _at_both(asked, finds_none)


def case_2_divides_by_zero(asked: Asked) -> bool:
    """Whether case 2 of Theorem 11, its ε ≤ log(1/q) taken as printed, divides by 1 − q·e^ε = 0 (E8)."""
    found, epsilon = asked.supremum, asked.level("epsilon")
    if found.d != 0 or not isinstance(epsilon.ratio, Fraction):
        return False
    try:
        printed.theorem_11(found.q, found.d, epsilon.ratio, divide=truediv)
    except ZeroDivisionError:
        return True
    return False


def printed_sign_misses(asked: Asked) -> bool:
    """Whether the supremum does not solve the quadratic with the printed sign (E9)."""
    found, epsilon = asked.supremum, asked.level("epsilon")
    if found.level.is_infinite or found.q == found.d or epsilon.is_zero:
        return False
    values = [
        found.d * f * f + (found.q * a + found.d - 1) * f + (found.q * a - a)
        for f in ratios(found.level)
        for a in ratios(epsilon)
    ]
    return min(values) > 0 or max(values) < 0


def first_step_understates(asked: Asked) -> bool:
    """Whether the formula with the (q, d) that is optimal at the first step gives less than the supremum (E10)."""
    epsilon = asked.level("epsilon")
    first = asked.loss.piece_at(epsilon)
    return candidate(first.q, first.d, epsilon) < asked.supremum.level


def starts_from_zero(asked: Asked) -> bool:
    """Whether Algorithm 6 returns the 0 that it starts from instead of ε (E12)."""
    epsilon = asked.level("epsilon")
    return asked.matrix.n == 1 and not epsilon.is_zero


def logarithm_of_one_over_zero(asked: Asked) -> bool:
    """Whether Theorem 11 is asked for log(1/q) with q = 0, or for a piece with q = d (E11)."""
    return asked.loss.is_zero and asked.matrix.n > 1


def bisection_does_not_end(asked: Asked) -> bool:
    """Whether Algorithm 8's bisection has not met the solution after sixty halvings (E27)."""
    matrices = asked.matrices
    backward, forward = matrices.get("backward"), matrices.get("forward")
    found = bisected_algorithm_8(asked.level("alpha"), backward, forward, MET_WITHIN)
    return found.first.lower < found.first.upper


def middle_budget_falls_short_at_the_end(asked: Asked, epsilons: list[Level]) -> bool:
    """Whether ε_m for the last release too, as the text has it, leaves TPL_T below α (E30)."""
    as_printed = [*epsilons[:-1], epsilons[-2]]
    return leakage(as_printed, asked.adversary).tpl[-1] < asked.level("alpha")
