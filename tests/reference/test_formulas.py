"""Differences, iterated steps, positive roots and doubles: against their definitions, exactly and in mpmath."""

from decimal import Decimal
from fractions import Fraction
from math import inf, nextafter

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.reference import (
    INFINITE,
    ZERO,
    Budget,
    InvalidLevel,
    Level,
    parse_level,
)
from tploracle.reference.formulas import Constant, Exponential
from tploracle.reference.levels import LARGEST_RATIONAL_LEVEL
from tploracle.reference.surds import Surd, surd

from ..in_mpmath import alpha_of, assert_encloses, excess_of, fraction, loss_of_sums, mpf, precision, settled
from ..recursions import plus
from ..strategies import (
    finite_levels,
    levels,
    probabilities,
    ratio_levels,
    rational_levels,
    surd_levels,
)

POSITIVE = st.one_of(ratio_levels(), rational_levels(), surd_levels())
SUMS = st.tuples(probabilities(), probabilities()).map(lambda pair: (max(pair), min(pair)))


# Differences


@given(finite_levels(), finite_levels(), st.sampled_from([1, 17, 60]))
def test_differences(a, b, digits):
    if a < b:
        with pytest.raises(InvalidLevel):
            a - b
        return
    difference = a - b
    assert difference.is_zero == (a == b)
    if not difference.is_zero:
        (value,) = settled(lambda: (alpha_of(a) - alpha_of(b),), digits)
        with precision(digits):
            assert_encloses(difference.enclosure(digits), value, digits)


@pytest.mark.parametrize("exponent", [5, 15, 18, 19, 20, 21, 22, 25, 40, 100])
def test_differences_of_close_levels_keep_their_digits(exponent):
    """Almost all the working precision cancels: it has to be raised until the digits are there."""
    alpha, gap = Level.of(Fraction(1, 3)), Fraction(1, 10**exponent)
    difference = (alpha + Level.of_ratio(1 + gap / 7)) - alpha
    for digits in (1, 5, 17, 30):
        with precision(digits):
            assert_encloses(difference.enclosure(digits), mp.log1p(mpf(gap / 7)), digits)
    # Anew, for what is worked out is kept at the precision that it took.
    lower, upper = ((alpha + Level.of_ratio(1 + gap / 7)) - alpha).excess_bounds(64)
    assert lower <= gap / 7 <= upper
    assert (upper - lower) * 2**64 <= lower


@pytest.mark.parametrize("exponent", range(14, 30))
@pytest.mark.parametrize("side", [1, -1])
def test_an_enclosure_is_one_unit_wide_next_to_a_decimal_too(exponent, side):
    """A thousandth of a unit off 5.00·10^−k, which no first look at a difference that cancels can tell from it."""
    unit = Fraction(1, 10 ** (exponent + 2))
    alpha, gap = Level.of(Fraction(1, 3)), 500 * unit + side * unit / 1000
    # log(1 + gap) is gap less gap²/2, which is less than 10^−10 units here.
    enclosure = ((alpha + Level.of_ratio(1 + gap)) - alpha).enclosure(3)
    ends = (500, 501) if side > 0 else (499, 500)
    assert (enclosure.lower, enclosure.upper) == tuple(Decimal(f"{end}E-{exponent + 2}") for end in ends)


def test_the_difference_of_equal_formulas_is_zero():
    alpha, beta = Level.of(Fraction(1, 3)), Level.of_ratio(Fraction(11, 10))
    assert ((alpha + beta) - (beta + alpha)).is_zero
    piece = (alpha + beta).linear_fractional(Fraction(1, 2), Fraction(1, 3))
    assert (piece - (beta + alpha).linear_fractional(Fraction(1, 2), Fraction(1, 3))).is_zero


@given(levels())
def test_differences_at_the_ends(level):
    assert level - ZERO == level
    with pytest.raises(InvalidLevel):
        level - INFINITE
    if not level.is_infinite:
        assert (INFINITE - level).is_infinite


# Iteration: many steps in one against one after the other


@given(SUMS, st.one_of(ratio_levels(), surd_levels()), ratio_levels(), st.integers(0, 12))
def test_iteration_is_the_recursion_step_by_step(sums, start, epsilon, times):
    q, d = sums
    level, ratio = start, start.ratio
    for _ in range(times):
        ratio = (q * (ratio - 1) + 1) / (d * (ratio - 1) + 1) * epsilon.ratio
        level = level.linear_fractional(q, d) + epsilon
    assert start.iterated(epsilon, q, d, times).ratio == ratio
    assert start.iterated(epsilon, q, d, times) == level


@given(
    SUMS,
    POSITIVE,
    rational_levels().filter(lambda level: level.rational < 100),
    st.sampled_from([0, 1, 2, 3, 7, 64, 100]),
)
def test_iteration_over_balls(sums, start, epsilon, times):
    q, d = sums
    with precision(30):
        excess, x = excess_of(start), excess_of(epsilon)
        for _ in range(times):
            excess = plus(loss_of_sums(q, d, excess), x)
        assert_encloses(start.iterated(epsilon, q, d, times).enclosure(30), mp.log1p(excess), 30)


def test_iteration_from_nothing_and_with_nothing():
    # From 0 the first step is the budget 2 itself; then (E/2 + 1)·2 at E = 1, and at E = 2.
    half, two = (Fraction(1, 2), Fraction(0)), Level.of_ratio(2)
    assert [ZERO.iterated(two, *half, times).ratio for times in range(4)] == [1, 2, 3, 4]
    # Without budgets E = 1 is halved at each step.
    assert [two.iterated(ZERO, *half, times).ratio for times in range(3)] == [2, Fraction(3, 2), Fraction(5, 4)]
    assert ZERO.iterated(ZERO, *half, 10**9).is_zero
    # Nothing is carried where q = d.
    assert [two.iterated(Level.of(1), Fraction(1, 2), Fraction(1, 2), times).rational for times in (1, 2)] == [1, 1]


# Bounds on the excess


@given(POSITIVE, SUMS, st.sampled_from([1, 53, 64, 500]))
def test_excess_bounds(level, sums, bits):
    for one in (level, level + Level.of(1), level.linear_fractional(*sums)):
        lower, upper = one.excess_bounds(bits)
        assert lower <= upper
        assert (upper - lower) * 2**bits <= lower or (one.is_zero and lower == upper == 0)
        assert one.sign_of_linear(-lower, Fraction(1)) >= 0
        assert one.sign_of_linear(-upper, Fraction(1)) <= 0


def test_excess_bounds_at_the_ends():
    assert ZERO.excess_bounds() == (0, 0)
    assert Level.of_ratio(Fraction(4, 3)).excess_bounds(5) == (Fraction(1, 3), Fraction(1, 3))
    with pytest.raises(InvalidLevel):
        INFINITE.excess_bounds()


# Formulas without operands


def test_constants_are_exact_and_exponentials_are_not():
    golden = surd(Fraction(1, 2), Fraction(1, 2), 5)
    assert Constant(golden).exact(()) == golden
    assert Constant(Fraction(2, 3)).exact(()) == Fraction(2, 3)
    assert Exponential(Fraction(1)).exact(()) is None


# The greatest double that is not above a level


def assert_just_below(double, truth):
    assert Fraction(double) <= truth < Fraction(nextafter(double, inf))


def assert_just_above(double, truth):
    assert Fraction(nextafter(double, -inf)) < truth <= Fraction(double)


@given(st.floats(min_value=0, max_value=LARGEST_RATIONAL_LEVEL, allow_subnormal=True))
@example(5e-324)
@example(2.2250738585072014e-308)
@example(1e9)
@example(0.1)
def test_doubles_stay_as_they_are(double):
    assert Level.of(Fraction(double)).double_below() == double
    assert Level.of(Fraction(double)).double_above() == double


@given(
    st.floats(min_value=5e-324, max_value=10**8, allow_subnormal=True),
    st.sampled_from([Fraction(1, 10**30), Fraction(1, 10**400)]),
)
@example(1.0, Fraction(1, 10**700))
@example(5e-324, Fraction(1, 10**700))
def test_next_to_a_double(double, hair):
    """A hair below it is the double before, a hair above it the double itself; powers of 2 are no exception."""
    exact = Fraction(double)
    hair *= exact
    assert Level.of(exact - hair).double_below() == nextafter(double, -inf)
    assert Level.of(exact + hair).double_below() == double
    assert Level.of(exact - hair).double_above() == double
    assert Level.of(exact + hair).double_above() == nextafter(double, inf)
    halfway = (exact + Fraction(nextafter(double, inf))) / 2
    assert Level.of(halfway).double_below() == double


def test_a_budget_is_rounded_down_however_it_is_made():
    third = Fraction(1, 3)
    plain = [Level.of(third), Level.of_ratio(1 + third), Level.of_formula(Constant(third), ())]
    budgets = [Budget.of(third), Budget.of_ratio(1 + third), Budget.of_formula(Constant(third), ())]
    for level, budget in zip(plain, budgets, strict=True):
        assert isinstance(budget, Budget)
        assert budget == level
        assert float(budget) == level.double_below() < level.double_above() == float(level)


@given(POSITIVE)
def test_the_double_below_in_mpmath(level):
    with mp.workdps(900):
        assert_just_below(level.double_below(), fraction(alpha_of(level)))
        assert_just_above(level.double_above(), fraction(alpha_of(level)))


@given(POSITIVE, POSITIVE, SUMS)
def test_the_double_below_of_formulas(one, other, sums):
    assume(one.rational is None or one.rational < 10**6)
    level = one.linear_fractional(*sums) + other
    assume(level.rational is None)
    with mp.workdps(900):
        lower, upper = level.excess_bounds(2000)
        double = level.double_below()
        assert_just_below(double, fraction(mp.log1p(mpf(lower))))
        assert_just_below(double, fraction(mp.log1p(mpf(upper))))


def test_the_double_below_at_the_ends():
    assert INFINITE.double_below() == INFINITE.double_above() == inf
    assert repr(ZERO.double_below()) == repr(ZERO.double_above()) == "0.0"
    assert Level.of(Fraction(1, 10**330)).double_above() == 5e-324
    assert Level.of(Fraction(1, 10)).double_above() == 0.1
    assert Level.of(Fraction(3, 10)).double_above() == nextafter(0.3, 1)
    # Below the least positive double there is only 0.
    assert Level.of(Fraction(1, 10**330)).double_below() == 0.0
    assert Level.of_ratio(1 + Fraction(1, 10**330)).double_below() == 0.0
    # A budget of 0.1 is below its nearest double, 0.1000000000000000055…
    assert Level.of(Fraction(1, 10)).double_below() == nextafter(0.1, 0)
    assert Level.of(Fraction(1, 3)).double_below() == 1 / 3


def test_the_double_below_of_a_ratio_next_to_a_double():
    """The double 0.1000000000000000055511151…, told apart in 20 or 40 digits, or by a comparison."""
    with mp.workdps(1000):
        ratio = fraction(mp.exp(mpf(Fraction(0.1))))
    for digits in (18, 30, 700, 900):
        hair = Fraction(1, 10**digits)
        assert Level.of_ratio(ratio * (1 + hair)).double_below() == 0.1
        assert Level.of_ratio(ratio * (1 - hair)).double_below() == nextafter(0.1, 0)


@given(POSITIVE)
def test_as_a_number_a_level_is_rounded_up_and_a_budget_down(level):
    budget = level.to_spend()
    assert budget == level
    assert float(level) == level.double_above()
    assert float(budget) == level.double_below()
    assert float(budget + budget) == (level + level).double_above()


# Differences


@given(POSITIVE, POSITIVE)
def test_negative_differences_are_refused(one, other):
    assert (one - one).is_zero
    with pytest.raises(InvalidLevel, match="greater level"):
        one - (one + other)
    with pytest.raises(InvalidLevel, match="greater level"):
        ZERO - one
    with pytest.raises(InvalidLevel, match="infinite"):
        INFINITE - INFINITE


def test_differences_by_hand():
    assert (Level.of_ratio(6) - Level.of_ratio(4)).exact_text == "log(3/2)"
    assert (Level.of(Fraction(1, 2)) - Level.of(Fraction(1, 3))).exact_text == "1/6"
    assert (Level.of(1) - ZERO).exact_text == "1"
    # (3 + √5)/2 is the square of the golden ratio.
    golden = parse_level("log((1+sqrt(5))/2)")
    assert (parse_level("log((3+sqrt(5))/2)") - golden).exact_text == "log((1+sqrt(5))/2)"
    assert (parse_level("log((3+sqrt(5))/2)") - golden - golden).is_zero


# Iterated steps


@pytest.mark.parametrize("times", [9_999, 10_001, 10**9])
def test_many_steps_by_hand(times):
    """q = d = 1/2: E ← x at once; d = 0: E_t = x·(1 − r^t)/(1 − r), r = q·(1 + x)."""
    half, start = Fraction(1, 2), Level.of(Fraction(1, 7))
    assert start.iterated(Level.of_ratio(2), half, half, times).exact_text == "log(2)"
    found = start.iterated(Level.of(Fraction(1, 10)), half, Fraction(0), times)
    with precision(40):
        x, e = mp.expm1(mp.mpf(1) / 10), mp.expm1(mp.mpf(1) / 7)
        r = (1 + x) / 2
        value = r**times * e + x * (1 - r**times) / (1 - r)
        assert_encloses(found.enclosure(40), mp.log1p(value), 40)


def test_steps_of_the_identity_are_rational():
    assert Level.of(1).iterated(Level.of(Fraction(1, 10**6)), Fraction(1), Fraction(0), 10**12).rational == 10**6 + 1


# Positive roots


COEFFICIENTS = st.lists(st.fractions(0, 5, max_denominator=12), min_size=1, max_size=3)
ANY_SIGN = st.lists(st.fractions(-5, 5, max_denominator=12), min_size=1, max_size=3)
CONSTANT = st.fractions(Fraction(1, 12), 5, max_denominator=12)


@given(st.tuples(CONSTANT, COEFFICIENTS), ANY_SIGN, st.tuples(CONSTANT, COEFFICIENTS), st.integers(1, 50))
def test_positive_roots_over_transcendental_numbers(s, b, r, tenths):
    """The root in mpmath by its sign, not by a formula."""
    s, r, alpha = [s[0], *s[1]], [r[0], *r[1]], Fraction(tenths, 10)
    found = Level.of(alpha).positive_root(tuple(s), tuple(b), tuple(r))
    with precision(30), mp.extradps(30):
        e = mp.expm1(mpf(alpha))
        s_e, b_e, r_e = (mp.fsum(mpf(c) * e**k for k, c in enumerate(poly)) for poly in (s, b, r))
        low, high = mp.mpf(0), mp.mpf(1)
        while (s_e * high + b_e) * high < r_e:
            high *= 2
        for _ in range(500):
            middle = (low + high) / 2
            low, high = (middle, high) if (s_e * middle + b_e) * middle < r_e else (low, middle)
        assert_encloses(found.enclosure(30), mp.log1p(low), 30)


@given(COEFFICIENTS, CONSTANT, ANY_SIGN, CONSTANT, st.fractions(Fraction(1, 10**12), 10, max_denominator=10**12))
def test_positive_roots_are_surds_over_rational_numbers(s, s_0, b, r, excess):
    assume(excess > 0)
    found = Level.of_ratio(1 + excess).positive_root((s_0, *s), tuple(b), (r,))
    x = found.ratio - 1
    s_e, b_e = (sum((c * excess**k for k, c in enumerate(poly)), Fraction(0)) for poly in ((s_0, *s), b))
    assert x * x * s_e + x * b_e - r == 0
    assert x > 0 if isinstance(x, Fraction) else x.sign() > 0


def test_a_root_that_cancels():
    """X² + 10^20·X − 1 = 0: the usual formula loses 40 digits, the root is 10^−20 less 10^−60."""
    root = Level.of(1).positive_root((Fraction(1),), (Fraction(10**20),), (Fraction(1),))
    lower, upper = root.excess_bounds(600)
    value = Fraction(1, 10**20) - Fraction(1, 10**60) + Fraction(2, 10**100)
    assert abs(lower - value) < Fraction(1, 10**130)
    assert abs(upper - value) < Fraction(1, 10**130)
    assert isinstance(Level.of_ratio(2).positive_root((Fraction(1),), (Fraction(10**20),), (Fraction(1),)).ratio, Surd)


def test_a_long_iteration_still_has_its_exact_ratio():
    tenth, q = Level.of_ratio(Fraction(11, 10)), Fraction(1, 2)
    steps = 700
    assert tenth.iterated(tenth, q, Fraction(0), steps).exact_text is None
    expected = Fraction(11, 10)
    for _ in range(steps):
        expected = Fraction(11, 10) * (q * (expected - 1) + 1)
    assert tenth.iterated(tenth, q, Fraction(0), steps).ratio == expected
