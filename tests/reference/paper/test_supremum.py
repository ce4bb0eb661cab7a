"""Theorem 11 and Algorithm 6: exact fixed points, the four cases, the recursion forward, against the definition."""

from fractions import Fraction
from itertools import islice, repeat

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.reference import (
    INFINITE,
    ZERO,
    InfeasibleBudget,
    InvalidRequest,
    Level,
    TransitionMatrix,
    algorithm_2,
    algorithm_6,
    control,
    largest_budget,
    leakage_at,
    loss_function,
    parse_level,
    steps_within,
    strongest,
    supremum,
)
from tploracle.reference.paper.supremum import candidate

from ... import recursions
from ...in_mpmath import assert_encloses, excess_of, mpf, precision, settled
from ...matrices import EQUAL_ROWS, MODERATE, SYMMETRIC, THREE_PIECES, TWO_PIECES
from ...profiles import examples
from ...strategies import levels, log, matrices, ratio_levels, rational_levels

BUDGETS = st.one_of(ratio_levels(), rational_levels())
MODERATE_RATIOS = st.fractions(Fraction(101, 100), 3, max_denominator=100)


# Algorithm 6 and the walk through the pieces are one answer


@given(matrices(1, 4), levels())
def test_algorithm_6_agrees(matrix, epsilon):
    """Levels of one formula are equal; and two points meet at a rational excess only, so that the same sums win."""
    walked, tried = supremum(loss_function(matrix), epsilon), algorithm_6(algorithm_2(matrix), epsilon)
    assert walked.level == tried.level
    for found in (walked, tried):
        assert_attained(matrix, epsilon, found)


def assert_attained(matrix, epsilon, found):
    """Assert that the witness has the sums that it is said to have, and that they give the level."""
    if found.witness is None:
        assert found.q == found.d == 0
        assert found.level == epsilon
        return
    q_row, d_row = matrix.rows[found.witness.row_q], matrix.rows[found.witness.row_d]
    assert found.q == found.witness.q == sum(q_row[j] for j in found.witness.indices)
    assert found.d == found.witness.d == sum(d_row[j] for j in found.witness.indices)
    if found.level.is_infinite:
        assert epsilon.is_infinite or found.d == 0
    else:
        # The fixed point of these sums; where e^ε is irrational the two sides are formulas, equal as far as one looks.
        again = found.level.linear_fractional(found.q, found.d) + epsilon
        if isinstance(epsilon.ratio, Fraction):
            assert again == found.level
        else:
            one, other = again.enclosure(40), found.level.enclosure(40)
            assert one.lower <= other.upper
            assert other.lower <= one.upper


# The definition: a fixed point that nothing below it shares


@examples(15)
@given(matrices(1, 3), BUDGETS)
def test_against_the_sign_of_a_step_in_mpmath(matrix, epsilon):
    on_the_boundary = any(
        d == 0 and epsilon.ratio is not None and q * epsilon.ratio == 1 for q, d in recursions.points(matrix)
    )
    assume(not on_the_boundary)  # where rounding in mpmath decides; see the four cases below
    found = supremum(loss_function(matrix), epsilon).level
    exact = recursions.points(matrix)
    (value,) = settled(lambda: (recursions.fixed_point(recursions.rounded(exact), excess_of(epsilon)),), 30, matrix)
    if value is None:
        assert found.is_infinite
        return
    with precision(30):
        assert_encloses(found.enclosure(30), mp.log1p(value), 30)


# The four cases of the theorem


@given(
    st.fractions(0, 1, max_denominator=100),
    st.fractions(0, 1, max_denominator=100),
    st.one_of(MODERATE_RATIOS, st.fractions(1, 2, max_denominator=10**20).filter(lambda ratio: ratio > 1)),
)
def test_the_closed_forms(one, other, ratio):
    """The theorem's formulas in mpmath, where the subtraction of near-equal numbers is paid for by precision."""
    q, d = max(one, other), min(one, other)
    found = candidate(q, d, log(ratio))
    if q == d:
        assert found.ratio == ratio
    elif d == 0 and q * ratio >= 1:
        assert found.is_infinite
    elif d == 0:
        assert found.ratio == (1 - q) * ratio / (1 - q * ratio)
    else:
        with precision(60):
            half = d + q * ratio - 1
            value = (mp.sqrt(mpf(4 * d * ratio * (1 - q) + half * half)) + mpf(half)) / mpf(2 * d)
            assert_encloses(found.enclosure(30), mp.log(value), 30)


@pytest.mark.parametrize("places", [1, 12, 60, 300])
def test_rational_budgets_on_either_side_of_the_boundary(places):
    """log(5/4) is irrational: a rational budget is below it or above, and decimals of any length tell."""
    loss = loss_function(MODERATE)
    with mp.workdps(400):
        scaled = int(mp.floor(mp.log(mp.mpf(5) / 4) * mp.mpf(10) ** places))
    below, above = Fraction(scaled, 10**places), Fraction(scaled + 1, 10**places)
    assert not supremum(loss, Level.of(below)).level.is_infinite
    assert supremum(loss, Level.of(above)).level.is_infinite


# Hard cases


def test_rows_that_differ_by_very_little():
    """By 10^−300: BPL tends to x·(1 + 10^−300·…) and is told apart from ε."""
    tiny = Fraction(1, 10**300)
    half = Fraction(1, 2)
    loss = loss_function(TransitionMatrix(((half + tiny, half - tiny), (half, half))))
    for epsilon in (Level.of(Fraction(1, 10)), log(Fraction(11, 10))):
        level = supremum(loss, epsilon).level
        assert level > epsilon
        if epsilon.rational is None:
            assert loss(level) + epsilon == level
        with mp.workdps(700):
            x = excess_of(epsilon)
            # First order in 10^−300: e^L − 1 = δ·E/(E/2 + 1) at E = x.
            first_order = mpf(tiny) * x / (x / 2 + 1)
            bounds = (level - epsilon).excess_bounds(100)
            assert all(abs(mpf(bound) / first_order - 1) < 10**-25 for bound in bounds)


@given(levels())
def test_equal_rows_and_no_rows_to_compare_give_the_budget(epsilon):
    for matrix in (EQUAL_ROWS, TransitionMatrix.of([["1"]]), TransitionMatrix.of([["1", "0"], ["1", "0"]])):
        for found in (supremum(loss_function(matrix), epsilon), algorithm_6(algorithm_2(matrix), epsilon)):
            assert found.level == epsilon
            assert found.witness is None
            assert found.q == found.d == 0


def test_a_supremum_where_two_pieces_meet():
    """At E = 5/4 both maps of TWO_PIECES give (7/10·5/4 + 1)/(1/5·5/4 + 1) = 3/2 = 2/5·5/4 + 1: ε = log(9/4 ÷ 3/2)."""
    found = supremum(loss_function(TWO_PIECES), log(Fraction(3, 2)))
    assert found.level.exact_text == "log(9/4)"
    assert (found.q, found.d) == (Fraction(7, 10), Fraction(1, 5))
    assert candidate(Fraction(2, 5), Fraction(0), log(Fraction(3, 2))) == found.level
    either = supremum(loss_function(TWO_PIECES), log(Fraction(1499999, 10**6)))
    assert either.d == Fraction(1, 5)
    assert supremum(loss_function(TWO_PIECES), log(Fraction(1500001, 10**6))).d == 0


# The inverse


@given(matrices(1, 4), ratio_levels())
def test_the_largest_budget_is_the_inverse(matrix, level):
    loss = loss_function(matrix)
    if loss.is_identity:
        with pytest.raises(InfeasibleBudget):
            largest_budget(loss, level)
        return
    budget = largest_budget(loss, level)
    assert supremum(loss, budget).level == level
    up = supremum(loss, level).level
    if not up.is_infinite:
        assert largest_budget(loss, up) == level


@given(matrices(1, 4), rational_levels())
def test_the_largest_budget_under_a_rational_cap(matrix, cap):
    loss = loss_function(matrix)
    # Beyond, q·e^ε differs from 1 by less than the last precision sees where d = 0.
    assume(not loss.is_identity and cap.rational <= 1000)
    back = supremum(loss, largest_budget(loss, cap)).level
    found, asked = back.enclosure(25), cap.enclosure(25)
    assert found.lower <= asked.upper
    assert asked.lower <= found.upper


def test_the_largest_budget_at_the_ends():
    loss = loss_function(SYMMETRIC)
    assert largest_budget(loss, INFINITE).is_infinite
    with pytest.raises(InfeasibleBudget):
        largest_budget(loss, ZERO)
    # By hand: L(log 2) = log(1.8/1.2), so ε = log 2 − log(3/2).
    assert largest_budget(loss, log(2)).exact_text == "log(4/3)"


# Control


@given(matrices(1, 4), ratio_levels(), ratio_levels())
def test_control_brings_the_leakage_to_the_cap_exactly(matrix, previous, cap):
    loss = loss_function(matrix)
    if loss(previous) >= cap:
        with pytest.raises(InfeasibleBudget, match="nothing is left"):
            control(loss, previous, cap)
    else:
        assert loss(previous) + control(loss, previous, cap) == cap


def test_control_at_the_ends():
    loss = loss_function(SYMMETRIC)
    # By hand: L(log 2) = log(3/2).
    assert control(loss, log(2), log(Fraction(16, 10))).exact_text == "log(16/15)"
    with pytest.raises(InfeasibleBudget):
        control(loss, log(2), log(Fraction(3, 2)))
    assert control(None, log(2), log(Fraction(3, 2))).exact_text == "log(3/2)"
    assert control(loss, ZERO, log(7)).exact_text == "log(7)"
    assert control(loss, INFINITE, INFINITE).is_infinite
    # Without a cap nothing is refused, not even where what went before is infinite and all of it carries over.
    assert control(loss_function(strongest(2)), INFINITE, INFINITE).is_infinite
    assert largest_budget(loss_function(MODERATE), INFINITE).is_infinite
    # L(∞) = log 4: what went before cannot carry more.
    assert control(loss, INFINITE, log(5)).exact_text == "log(5/4)"
    with pytest.raises(InfeasibleBudget):
        control(loss_function(strongest(2)), INFINITE, log(5))
    with pytest.raises(InfeasibleBudget):
        control(None, ZERO, ZERO)


# Leakage at any time, in closed form


@examples(20)
@given(matrices(1, 4), MODERATE_RATIOS)
@example(TWO_PIECES, Fraction(2))
@example(THREE_PIECES, Fraction(2))
@example(THREE_PIECES, Fraction(3))
@example(MODERATE, Fraction(5, 4))
def test_leakage_at_is_the_recursion_step_by_step(matrix, ratio):
    loss, all_points = loss_function(matrix), recursions.points(matrix)
    for time, excess in enumerate(islice(recursions.leakages(all_points, repeat(ratio - 1)), 25), 1):
        assert leakage_at(loss, log(ratio), time).ratio == 1 + excess


@examples(15)
@given(matrices(1, 3), st.fractions(Fraction(1, 40), 2, max_denominator=40), st.sampled_from([1, 2, 3, 8, 50, 120]))
def test_leakage_at_over_balls(matrix, alpha, time):
    found = leakage_at(loss_function(matrix), Level.of(alpha), time)
    with precision(30):
        all_points = recursions.rounded(recursions.points(matrix))
        *_, excess = islice(recursions.leakages(all_points, repeat(mp.expm1(mpf(alpha)))), time)
        assert_encloses(found.enclosure(30), mp.log1p(excess), 30)


def test_leakage_at_far_away():
    """After 10^6 steps at rate below 0.9 the supremum is reached to 40 digits; linear growth where q·e^ε = 1."""
    epsilon = Level.of(Fraction(1, 10))
    loss = loss_function(SYMMETRIC)
    assert leakage_at(loss, epsilon, 10**6).enclosure(40) == supremum(loss, epsilon).level.enclosure(40)
    # q·e^ε = 1: E ← E + x, 20,000 times in all.
    with precision(30):
        far = leakage_at(loss_function(MODERATE), log(Fraction(5, 4)), 20_000)
        assert_encloses(far.enclosure(30), mp.log(1 + mp.mpf(20_000) / 4), 30)


@pytest.mark.parametrize("time", [1, 2, 7, 10**6, 10**14])
def test_under_the_strongest_correlation_the_budgets_add_up(time):
    level = leakage_at(loss_function(strongest(3)), Level.of(Fraction(1, 10**6)), time)
    assert level.rational == Fraction(time, 10**6)


def test_leakage_at_the_ends():
    loss = loss_function(SYMMETRIC)
    assert leakage_at(loss, INFINITE, 5).is_infinite
    assert leakage_at(loss, ZERO, 5).is_zero
    for time in (0, -1):
        with pytest.raises(InvalidRequest):
            leakage_at(loss, log(2), time)


# How long it takes


@examples(20)
@given(matrices(1, 4), st.sampled_from(["11/10", "3/2", "2", "1001/1000"]), st.integers(1, 12))
def test_steps_within_is_the_first_time(matrix, ratio, time):
    """δ is chosen so that the leakage at a known time t is just within, or exactly at, the distance."""
    epsilon, loss = log(ratio), loss_function(matrix)
    limit = supremum(loss, epsilon).level
    assume(not limit.is_infinite)
    at = leakage_at(loss, epsilon, time)
    if at == limit:
        assert loss.is_zero
        assert steps_within(loss, epsilon, log(Fraction(10**30 + 1, 10**30))) == 1
        return
    delta = limit - at
    assert steps_within(loss, epsilon, delta) == time
    lower = limit - (delta + log(Fraction(10**80 + 1, 10**80))) if time > 1 else ZERO
    assert lower < at
    # A hair less than the distance: the next time.
    less = delta.linear_fractional(1 - Fraction(1, 10**80), Fraction(0))
    assert steps_within(loss, epsilon, less) == time + 1


def test_steps_within_refuses():
    loss = loss_function(MODERATE)
    tenth = Level.of(Fraction(1, 10))
    with pytest.raises(InvalidRequest, match="without bound"):
        steps_within(loss, Level.of(Fraction(23, 100)), tenth)
    with pytest.raises(InvalidRequest, match="above 0"):
        steps_within(loss, tenth, ZERO)
    # log(5/4) to 20 places is 10^−21 below: more than 10^15 steps.
    with pytest.raises(InvalidRequest, match="steps"):
        steps_within(loss, parse_level("0.22314355131420975576"), Level.of(Fraction(1, 1000)))


def test_steps_within_a_large_distance():
    loss = loss_function(MODERATE)
    tenth = Level.of(Fraction(1, 10))
    assert steps_within(loss, tenth, INFINITE) == 1
    assert steps_within(loss, tenth, supremum(loss, tenth).level) == 1
    assert steps_within(loss, ZERO, tenth) == 1
    assert steps_within(loss_function(EQUAL_ROWS), tenth, Level.of(Fraction(1, 10**9))) == 1


def test_the_first_of_several_that_attain_it_is_named():
    """Rows 0 and 2 are equal, and so are the sums of (0, 1), (1, 0), (1, 2) and (2, 1): the first pair wins."""
    matrix = TransitionMatrix.of([["4/5", "1/5", "0"], ["1/5", "4/5", "0"], ["4/5", "1/5", "0"]])
    found = algorithm_6(algorithm_2(matrix), log(2))
    assert (found.witness.row_q, found.witness.row_d, found.witness.indices) == (0, 1, (0,))


def test_the_witness_of_algorithm_6_is_the_prefix_that_wins_in_order_of_its_columns():
    """Rows (4/10, 5/10, 1/10) and (3/10, 1/10, 6/10): the order of falling quotients is column 1 (5), column 0 (4/3).

    From (9/10, 4/10) and (5/10, 1/10): at a small budget both columns rule, at a large one column 1 alone.
    """
    functions = algorithm_2(TransitionMatrix.of([["0.4", "0.5", "0.1"], ["0.3", "0.1", "0.6"], ["0.4", "0.5", "0.1"]]))
    small = algorithm_6(tuple(f for f in functions if (f.row_q, f.row_d) == (0, 1)), log("101/100"))
    assert (small.q, small.d, small.witness.indices) == (Fraction(9, 10), Fraction(4, 10), (0, 1))
    large = algorithm_6(tuple(f for f in functions if (f.row_q, f.row_d) == (0, 1)), log(100))
    assert (large.q, large.d, large.witness.indices) == (Fraction(5, 10), Fraction(1, 10), (1,))


def test_steps_within_looks_as_far_as_it_says():
    """With r = q·e^ε = 1 − δ, E_t = x·(1 − r^t)/δ is half its limit x/δ at t = log 2/δ, to a relative error of δ.

    log(1/2) below the supremum of about 30 nats is where E_t is half the limit, but for parts of 10^−14.
    """
    loss, half = loss_function(MODERATE), log(2)
    near = log(Fraction(5, 4) * (1 - Fraction(75, 10**17)))
    found = steps_within(loss, near, half)
    with mp.workdps(30):
        assert abs(found / (mp.log(2) / 75 * 10**17) - 1) < 10**-10
    beyond = log(Fraction(5, 4) * (1 - Fraction(5, 10**16)))
    with pytest.raises(InvalidRequest, match="1000000000000000 steps"):
        steps_within(loss, beyond, half)
