"""The printed bisections of Algorithms 7 and 8 against the closed forms."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.reference import (
    INFINITE,
    ZERO,
    Adversary,
    InfeasibleBudget,
    InvalidRequest,
    Level,
    budgets,
    parse_level,
    strongest,
)
from tploracle.solvers.loss.bisection import Bracket, bisected_algorithm_7, bisected_algorithm_8

from ...matrices import EQUAL_ROWS, SKEWED, SYMMETRIC
from ...profiles import examples
from ...strategies import matrices, of_one_size

NARROW = Fraction(1, 2**30)

ALPHAS = st.one_of(
    st.fractions(Fraction(1, 10), 6, max_denominator=10).map(Level.of),
    st.fractions(Fraction(11, 10), 50, max_denominator=10).map(Level.of_ratio),
)


def known(matrix):
    return st.one_of(st.none(), matrix)


@examples(15)
@given(known(matrices(1, 3)), known(matrices(1, 3)), ALPHAS)
def test_the_closed_forms_lie_in_the_brackets(backward, forward, alpha):
    constant = bisected_algorithm_7(alpha, backward, forward, NARROW)
    quantified = bisected_algorithm_8(alpha, backward, forward, NARROW)
    try:
        exact = budgets(alpha, Adversary.knowing(*of_one_size(backward, forward)))
    except InfeasibleBudget:
        assert constant.lower.is_zero
        assert quantified.middle.lower.is_zero
        return
    assert exact.middle in constant
    assert exact.first in quantified.first
    assert exact.middle in quantified.middle
    assert exact.last in quantified.last


@pytest.mark.parametrize("bits", [1, 2, 3, 10, 60])
@pytest.mark.parametrize("alpha", ["1", "log(3)", "log(2+sqrt(3))"])
def test_the_width_is_kept(alpha, bits):
    level, width = parse_level(alpha), Fraction(1, 2**bits)
    whole = level.rational or level.ratio - 1
    for bracket in (
        bisected_algorithm_7(level, SYMMETRIC, SKEWED, width),
        bisected_algorithm_8(level, SYMMETRIC, SKEWED, width).first,
    ):
        ends = [end.rational if level.rational else end.ratio - 1 for end in (bracket.lower, bracket.upper)]
        # The second trial is 0 or α and halves nothing, so that k bits take k + 1 trials, one bit the first alone.
        assert ends[1] - ends[0] == whole * width
        assert bracket.trials == (bits + 1 if bits > 1 else 1)


def test_dyadic_solutions_are_met():
    """As printed, the loops end there: log 2 is half of α = log 3 in the excess, 1 of 2; without correlation, ε = α."""
    found = bisected_algorithm_8(parse_level("log(3)"), SYMMETRIC, SYMMETRIC, NARROW)
    assert found.first.lower.exact_text == found.first.upper.exact_text == "log(2)"
    assert found.first.trials == 1
    assert found.middle == Bracket(parse_level("log(4/3)"), parse_level("log(4/3)"), 1)
    assert found.last == Bracket(parse_level("log(2)"), parse_level("log(2)"), 1)
    for alpha in (Level.of(1), parse_level("log(3)")):
        for matrix in (None, EQUAL_ROWS):
            constant = bisected_algorithm_7(alpha, matrix, matrix, NARROW)
            assert constant == Bracket(alpha, alpha, 2)
            assert bisected_algorithm_8(alpha, matrix, matrix, NARROW).middle == Bracket(alpha, alpha, 2)


def test_two_trials_by_hand():
    """α = log 3 under SYMMETRIC both ways: sup at E = 1 (e^ε = 2) is over log 3, at 0 it is 0, then E = 1/2 …, 1/3."""
    found = bisected_algorithm_7(parse_level("log(3)"), SYMMETRIC, SYMMETRIC, Fraction(1, 4))
    # log(4/3) has the excess 1/3 of 2: a sixth, between 0 and a quarter.
    assert found == Bracket(ZERO, parse_level("log(3/2)"), 3)
    found = bisected_algorithm_7(parse_level("log(3)"), SYMMETRIC, SYMMETRIC, Fraction(1, 8))
    assert found == Bracket(parse_level("log(5/4)"), parse_level("log(3/2)"), 4)


def test_under_the_strongest_correlation_algorithm_7_sinks_for_ever():
    for pair in ((strongest(2), SYMMETRIC), (SYMMETRIC, strongest(2)), (strongest(2), None)):
        for bits in (5, 50):
            found = bisected_algorithm_7(Level.of(1), *pair, Fraction(1, 2**bits))
            assert found.lower.is_zero
            assert found.upper.rational == Fraction(1, 2**bits)


def test_under_the_strongest_correlation_algorithm_8_ends_without_a_budget_between():
    """It ends as printed, at the second trial at the latest: all is spent at one end, or half at each."""
    one = Level.of(1)
    nothing = Bracket(ZERO, ZERO, 2)
    backward = bisected_algorithm_8(one, strongest(2), SYMMETRIC, NARROW)
    assert (backward.first, backward.middle, backward.last) == (Bracket(one, one, 2), nothing, nothing)
    forward = bisected_algorithm_8(one, SYMMETRIC, strongest(2), NARROW)
    assert (forward.first, forward.middle, forward.last) == (nothing, nothing, Bracket(one, one, 2))
    both = bisected_algorithm_8(one, strongest(2), strongest(2), NARROW)
    half = Level.of(Fraction(1, 2))
    assert (both.first, both.middle, both.last) == (
        Bracket(half, half, 1),
        Bracket(ZERO, ZERO, 1),
        Bracket(half, half, 1),
    )


def test_brackets():
    bracket = Bracket(Level.of(1), Level.of(2), 0)
    assert all(Level.of(Fraction(part)) in bracket for part in ("1", "3/2", "2"))
    assert not any(Level.of(Fraction(part)) in bracket for part in ("0", "999/1000", "2001/1000"))


@pytest.mark.parametrize("solve", [bisected_algorithm_7, bisected_algorithm_8])
def test_errors(solve):
    for width in (Fraction(0), Fraction(-1)):
        with pytest.raises(InvalidRequest, match="width"):
            solve(Level.of(1), SYMMETRIC, SYMMETRIC, width)
    for alpha in (INFINITE, Level.of(1) + parse_level("log(2)")):
        with pytest.raises(InvalidRequest, match="rational or the logarithm"):
            solve(alpha, SYMMETRIC, SYMMETRIC, NARROW)
