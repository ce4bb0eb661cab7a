"""Algorithms 7 and 8: the three equations exactly, TPL forward, independent roots in mpmath, what has no budget."""

from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.reference import (
    INFINITE,
    ZERO,
    Adversary,
    Budgets,
    InfeasibleBudget,
    InvalidRequest,
    Level,
    TransitionMatrix,
    algorithm_7,
    algorithm_8,
    budgets,
    common_budgets,
    leakage,
    parse_level,
    strongest,
    supremum,
    verify_attained,
)

from ... import recursions
from ...in_mpmath import assert_encloses, excess_of, mpf, precision, settled
from ...matrices import EQUAL_ROWS, MODERATE, SKEWED, SYMMETRIC, THREE_PIECES, TWO_PIECES
from ...profiles import examples
from ...strategies import levels, log, matrices, of_one_size, ratio_levels, rational_levels, surd_levels

DISJOINT = TransitionMatrix.of([["1/2", "1/2", "0"], ["0", "0", "1"], ["1/3", "1/3", "1/3"]])
PAPER = Adversary.knowing(SYMMETRIC, SKEWED)


def both(backward, forward):
    """An adversary who knows what these say, in matrices of one size."""
    return Adversary.knowing(*of_one_size(backward, forward))


def adversaries(max_n=4):
    """Adversaries that leave a positive budget: neither loss function is the identity; now and then one is unknown."""
    known = st.one_of(st.none(), matrices(1, max_n), matrices(2, max_n))

    def feasible(adversary):
        return not any(loss is not None and loss.is_identity for loss in (adversary.backward, adversary.forward))

    return st.tuples(known, known).map(lambda pair: both(*pair)).filter(feasible)


# The three equations


@examples(5)
@given(adversaries(3), st.one_of(rational_levels(), surd_levels()))
@example(both(THREE_PIECES, TWO_PIECES), Level.of(200))
def test_irrational_ratios_against_a_root_in_mpmath(adversary, alpha):
    # Where d = 0 on both sides it takes as many digits as α has nats to see that a sum of levels is below α.
    assume(alpha.rational is None or alpha.rational <= 1000)
    assert_budgets_in_mpmath(adversary, alpha, 30)


def assert_budgets_in_mpmath(adversary, alpha, digits):
    """Assert that the budgets enclose the root of x + L^F(α − L^B(x)) − α, found by its sign."""
    known = [None if loss is None else loss.matrix for loss in (adversary.backward, adversary.forward)]
    exact = [[] if matrix is None else recursions.points(matrix) for matrix in known]

    def again():
        points_b, points_f = map(recursions.rounded, exact)
        first, last = recursions.first_and_last(points_b, points_f, excess_of(alpha))
        return first, recursions.minus(first, recursions.loss(points_b, first)), last

    found = budgets(alpha, adversary)
    values = settled(again, digits, *filter(None, known))
    with precision(digits):
        for level, value in zip((found.first, found.middle, found.last), values, strict=True):
            assert_encloses(level.enclosure(digits), mp.log1p(value), digits)


def exact_texts(found):
    return [level.exact_text for level in (found.first, found.middle, found.last)]


def test_by_hand():
    """x = y = log 2: L = log(1.8/1.2) = log(3/2), ε = log(4/3), α = log(2·2 ÷ 4/3) = log 3."""
    found = budgets(log(3), Adversary.knowing(SYMMETRIC, SYMMETRIC))
    assert exact_texts(found) == ["log(2)", "log(4/3)", "log(2)"]
    # x = 3/2: L^B = 1.4/1.1, ε = 33/28; y = 1/5·ε/(1 − 4/5·ε) = 33/8; a = 3/2·33/8 ÷ 33/28 = 21/4.
    found = budgets(log(Fraction(21, 4)), Adversary.knowing(SYMMETRIC, MODERATE))
    assert exact_texts(found) == ["log(3/2)", "log(33/28)", "log(33/8)"]


# Leakage of the schedules


@examples(10)
@given(adversaries(3), st.fractions(Fraction(1, 20), 4, max_denominator=20), st.sampled_from([1, 2, 3, 7, 12]))
def test_algorithm_8_over_balls_against_the_recursion_in_mpmath(adversary, alpha, horizon):
    schedule = algorithm_8(Level.of(alpha), adversary, horizon)
    with precision(50):
        epsilons = [mp.expm1(mpf(Fraction(level.enclosure(60).lower))) for level in schedule]
        points_b, points_f = (
            [] if loss is None else recursions.rounded(recursions.points(loss.matrix))
            for loss in (adversary.backward, adversary.forward)
        )
        for excess in recursions.temporal(points_b, points_f, epsilons):
            assert abs(mp.log1p(excess) / mpf(alpha) - 1) < mp.mpf(10) ** -50


@examples(15)
@given(adversaries(3), st.one_of(ratio_levels(), rational_levels()))
def test_algorithm_7_is_the_middle_budget_and_its_suprema_add_up_to_the_level(adversary, alpha):
    # Beyond, q·e^ε differs from 1 by less than the last precision sees where d = 0.
    assume(alpha.rational is None or alpha.rational <= 1000)
    epsilon = algorithm_7(alpha, adversary)
    found = budgets(alpha, adversary)
    assert found.upper_bound(4) == (found.middle,) * 4
    assert epsilon == found.middle
    ends = [
        epsilon if loss is None else supremum(loss, epsilon).level for loss in (adversary.backward, adversary.forward)
    ]
    for end, expected in zip(ends, (found.first, found.last), strict=True):
        one, other = end.enclosure(25), expected.enclosure(25)
        assert one.lower <= other.upper
        assert other.lower <= one.upper


# One correlation unknown, no correlation, short horizons


@given(matrices(1, 4), ratio_levels())
def test_one_correlation_unknown(matrix, alpha):
    """L^F = 0: α_B = α, and ε = α_F = α − L^B(α)."""
    known = Adversary.knowing(matrix)
    assume(not known.backward.is_identity)
    left = alpha - known.backward(alpha)
    for other in (None, EQUAL_ROWS):
        backward = budgets(alpha, both(matrix, other))
        assert (backward.first, backward.middle, backward.last) == (alpha, left, left)
        forward = budgets(alpha, both(other, matrix))
        assert (forward.first, forward.middle, forward.last) == (left, left, alpha)


@given(levels().filter(lambda level: not level.is_zero), st.integers(1, 5))
def test_without_correlation_each_release_has_the_whole_level(alpha, horizon):
    for adversary in (Adversary(), Adversary.knowing(EQUAL_ROWS, EQUAL_ROWS), Adversary.knowing(forward=EQUAL_ROWS)):
        found = budgets(alpha, adversary)
        assert found.first == found.middle == found.last == alpha
        assert algorithm_8(alpha, adversary, horizon) == (alpha,) * horizon


def test_short_horizons():
    found = budgets(log(3), Adversary.knowing(SYMMETRIC, SYMMETRIC))
    assert found.quantified(1) == (log(3),)
    assert found.quantified(2) == (log(2), log(2))
    assert found.quantified(3) == (log(2), log(Fraction(4, 3)), log(2))
    assert found.quantified(5) == (log(2), *[log(Fraction(4, 3))] * 3, log(2))
    assert found.upper_bound(1) == (log(Fraction(4, 3)),)
    assert found.upper_bound(3) == (log(Fraction(4, 3)),) * 3
    for horizon in (0, -1):
        with pytest.raises(InvalidRequest):
            algorithm_8(log(3), PAPER, horizon)


def test_an_infinite_level_allows_any_budget():
    found = budgets(INFINITE, PAPER)
    assert all(level.is_infinite for level in (found.first, found.middle, found.last))
    assert all(level.is_infinite for level in algorithm_8(INFINITE, PAPER, 3))


# What has no budget


@pytest.mark.parametrize("strong", [strongest(2), DISJOINT])
@pytest.mark.parametrize("alpha", ["1", "log(2)", "log(1+sqrt(2))", "inf"])
def test_the_strongest_correlation_on_either_side(strong, alpha):
    level = parse_level(alpha)
    for side, adversary in (
        ("backward", both(strong, SYMMETRIC)),
        ("backward", Adversary.knowing(backward=strong)),
        ("forward", both(SYMMETRIC, strong)),
        ("forward", Adversary.knowing(forward=strong)),
        ("backward", Adversary.knowing(strong, strong)),
    ):
        with pytest.raises(InfeasibleBudget, match=f"the {side} correlation"):
            budgets(level, adversary)
        with pytest.raises(InfeasibleBudget):
            algorithm_7(level, adversary)
        for horizon in (2, 3):
            with pytest.raises(InfeasibleBudget):
                algorithm_8(level, adversary, horizon)
        # One release has nothing before it and nothing after.
        assert algorithm_8(level, adversary, 1) == (level,)


@pytest.mark.parametrize("adversary", [PAPER, Adversary(), Adversary.knowing(EQUAL_ROWS)])
def test_a_level_of_zero(adversary):
    with pytest.raises(InfeasibleBudget, match="level of 0"):
        budgets(ZERO, adversary)
    for horizon in (1, 2, 3):
        with pytest.raises(InfeasibleBudget, match="level of 0"):
            algorithm_8(ZERO, adversary, horizon)


# Verification


@pytest.mark.parametrize("alpha", ["log(3)", "1", "log(2+sqrt(3))"])
def test_a_wrong_schedule_is_found(alpha):
    level = parse_level(alpha)
    right = algorithm_8(level, PAPER, 4)
    verify_attained(right, level, PAPER)
    last_moved = [*right[:-1], right[-1].linear_fractional(1 - Fraction(1, 10**30), Fraction(0))]
    with pytest.raises(ArithmeticError, match="at time 1:"):
        verify_attained(last_moved, level, PAPER)
    only_backward = Adversary.knowing(SYMMETRIC)
    alone = algorithm_8(level, only_backward, 3)
    verify_attained(alone, level, only_backward)
    with pytest.raises(ArithmeticError, match="at time 3:"):
        verify_attained([*alone[:-1], alone[-1] + Level.of_ratio(1 + Fraction(1, 10**30))], level, only_backward)
    with pytest.raises(ArithmeticError, match="at time 1:"):
        verify_attained(right, level + Level.of_ratio(1 + Fraction(1, 10**30)), PAPER)


def test_exact_schedules_are_verified_beyond_the_digits_that_are_looked_at():
    alone, asked = Adversary(), log(2 + Fraction(1, 10**60))
    verify_attained([asked], asked, alone)
    with pytest.raises(ArithmeticError, match="at time 1:"):
        verify_attained([log(2)], asked, alone)


def test_algorithm_8_verifies_what_it_returns(monkeypatch):
    wrong = Budgets(log(3), log(2), log(2), log(2))
    monkeypatch.setattr("tploracle.reference.paper.allocation.budgets", lambda alpha, adversary: wrong)
    with pytest.raises(ArithmeticError, match="at time 1:"):
        algorithm_8(log(3), Adversary.knowing(SYMMETRIC, SYMMETRIC), 3)


# Several users


@examples(15)
@given(st.lists(adversaries(3), min_size=1, max_size=3), ratio_levels(), st.integers(1, 5))
def test_common_budgets_hold_for_everyone(users, alpha, horizon):
    named = {f"user {index}": user for index, user in enumerate(users)}
    common, each = common_budgets(alpha, named)
    own = {name: budgets(alpha, user) for name, user in named.items()}
    assert list(each) == list(named)
    for part in ("first", "middle", "last"):
        values = [getattr(found, part) for found in own.values()]
        assert any(getattr(common, part) == value for value in values)
        assert all(getattr(common, part) <= value for value in values)
        assert all(getattr(each[name], part) == getattr(found, part) for name, found in own.items())
    for user in users:
        for schedule in (common.quantified(horizon), common.upper_bound(horizon)):
            assert all(tpl <= alpha for tpl in leakage(schedule, user).tpl)


@examples(10)
@given(adversaries(3), st.sampled_from(["log(3)", "1"]))
@example(PAPER, "1")
def test_one_user_and_the_one_whose_time_runs_the_other_way(user, text):
    """The same budgets from the end, by other formulas, which no precision tells apart."""
    alpha, turned = parse_level(text), Adversary(user.forward, user.backward)
    common, each = common_budgets(alpha, {"on": user, "back": turned})
    own = budgets(alpha, turned)
    for part in ("first", "middle", "last"):
        assert getattr(each["back"], part).enclosure(25) == getattr(own, part).enclosure(25)
    assert common.middle.enclosure(25) == own.middle.enclosure(25)


def test_the_infeasible_user_is_named():
    users = {"fine": PAPER, "Ann": Adversary.knowing(strongest(2)), "Bob": Adversary.knowing(strongest(3))}
    with pytest.raises(InfeasibleBudget, match=r"^Ann: the backward"):
        common_budgets(log(3), users)
    with pytest.raises(InvalidRequest, match="no user"):
        common_budgets(log(3), {})
