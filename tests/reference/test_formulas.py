"""Differences, iterated steps and positive roots: against their definitions, exactly and in mpmath."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.reference import INFINITE, ZERO, InvalidLevel, Level
from tploracle.reference.formulas import Constant, Exponential
from tploracle.reference.surds import surd

from ..in_mpmath import alpha_of, assert_encloses, excess_of, loss_of_sums, mpf, precision, settled
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
