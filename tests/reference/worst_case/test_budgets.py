"""The greatest constant budget by the exact worst case, by what greatest means."""

from fractions import Fraction

import pytest
from mpmath import mp

from tploracle.reference import (
    InfeasibleBudget,
    InvalidRequest,
    Level,
    TransitionMatrix,
    parse_level,
)
from tploracle.reference.worst_case.budgets import greatest_worst_case_budget

from ...matrices import HALF

SWAP, MANY = TransitionMatrix.of([[0, 1], [1, 0]]), TransitionMatrix.of([["1/2", "1/2", 0], [0, 1, 0], [0, 0, 1]])
KEPT_LAST = TransitionMatrix.of([[0, "1/2", "1/2", 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 1, 0, 0]])
"""Two values after each other for ever, and two that lead there."""


@pytest.mark.parametrize(
    ("own", "alpha", "horizon", "ratio"),
    [
        ((HALF, None), "log(3)", 2, Fraction(2)),  # x·(x + 1)/2 = 3
        ((None, HALF), "log(3)", 2, Fraction(2)),
        ((HALF, None), "log(4)", 3, Fraction(2)),  # x·(x·(x + 1)/2 + 1)/2 = 4
        ((HALF, HALF), "log(9/2)", 3, Fraction(2)),  # x·((x + 1)/2)² = 9/2 in the middle
        ((HALF, None), "log(2)", None, Fraction(4, 3)),  # x/(2 − x) = 2
        ((HALF, HALF), "log(6)", None, Fraction(3, 2)),  # x/(2 − x)² = 6
        ((HALF, None), "log(5)", 1, Fraction(5)),
        ((None, None), "log(7)", None, Fraction(7)),
        ((None, None), "log(7)", 3, Fraction(7)),
        ((SWAP, None), "log(32)", 5, Fraction(2)),  # values that are never confused: the budgets add up
    ],
)
def test_the_greatest_worst_case_budget_rounded_down(own, alpha, horizon, ratio):
    """The exact one is log(ratio); what is found is its first `digits` digits."""
    exact = Level.of_ratio(ratio).enclosure(30).lower
    for digits in (2, 9):
        found = greatest_worst_case_budget(parse_level(alpha), *own, horizon, digits).rational
        unit = Fraction(10) ** (exact.adjusted() + 1 - digits)
        assert found % unit == 0
        assert 0 <= Fraction(exact) - found < unit


def test_a_small_worst_case_budget_for_ever():
    """x/(2 − x) = e^α with α = 10^−6: x = 2e^α/(1 + e^α), so ε = α/2 − α²/8 + …"""
    found = greatest_worst_case_budget(parse_level("1e-6"), HALF, None, None, 5).rational
    assert found == Fraction("4.9999e-7")
    # A value that is all but kept: (1 − q)·x/(1 − q·x) = e with q = 0.9999, far below the level.
    kept = TransitionMatrix.of([["0.9999", "0.0001"], [0, 1]])
    found = greatest_worst_case_budget(parse_level("1"), kept, None, None, 4).rational
    with mp.workdps(30):
        exact = mp.log(mp.e / (mp.mpf("0.0001") + mp.mpf("0.9999") * mp.e))
    assert 0 <= exact - mp.mpf(found.numerator) / found.denominator < mp.mpf("1e-8")


def test_one_value_alone_leaves_any_worst_case_budget():
    alone = TransitionMatrix.of([[1]])
    for own in ((alone, None), (None, alone), (alone, alone)):
        assert greatest_worst_case_budget(parse_level("1"), *own, 3).is_infinite
        assert greatest_worst_case_budget(parse_level("1"), *own).is_infinite


@pytest.mark.parametrize(
    ("alpha", "own", "horizon", "error", "words"),
    [
        ("0", (HALF, None), 3, InfeasibleBudget, "0 leaves no budget"),
        ("0", (HALF, None), None, InfeasibleBudget, "0 leaves no budget"),
        ("0", (MANY, None), None, InfeasibleBudget, "0 leaves no budget"),
        ("1", (HALF, None), 0, InvalidRequest, "at least 1, not 0"),
        ("1", (HALF, MANY), 2, InvalidRequest, "2 states, the forward one 3"),
        ("1", (MANY, None), None, InfeasibleBudget, "the backward correlation has 2 closed classes,"),
        ("1", (None, MANY), None, InfeasibleBudget, "the forward correlation has 2 closed classes,"),
        ("1", (HALF, SWAP), None, InfeasibleBudget, "the forward correlation has a closed class of period 2,"),
        ("1", (KEPT_LAST, None), None, InfeasibleBudget, "the backward correlation has a closed class of period 2,"),
        ("inf", (HALF, None), 2, InvalidRequest, "an infinite level has no greatest budget"),
        ("inf", (SWAP, None), None, InvalidRequest, "an infinite level has no greatest budget"),
    ],
)
def test_worst_case_budgets_that_are_refused(alpha, own, horizon, error, words):
    with pytest.raises(error, match=words):
        greatest_worst_case_budget(parse_level(alpha), *own, horizon)


def test_a_horizon_of_one_is_no_refusal_and_nor_is_a_periodic_class_for_some_releases():
    assert greatest_worst_case_budget(parse_level("1"), SWAP, SWAP, 4, 3).rational == Fraction(1, 4)
    assert greatest_worst_case_budget(parse_level("1"), MANY, None, 1, 3).rational == 1
