"""The limits and defaults that the documentation states, as numbers."""

from fractions import Fraction

import pytest

from tploracle.reference import (
    InvalidLevel,
    InvalidNumber,
    Level,
    laplace_scale,
    mean_noise,
    parse_level,
    parse_number,
)


def test_the_largest_rational_level():
    assert Level.of(10**9).rational == 10**9
    with pytest.raises(InvalidLevel, match="at most 1000000000;"):
        Level.of(10**9 + 1)


def test_the_longest_number():
    assert parse_number("1" * 100_000).numerator % 10 == 1
    assert parse_number("1e-100000") == Fraction(1, 10**100_000)
    for text in ("1" * 100_001, "1e-100001"):
        with pytest.raises(InvalidNumber):
            parse_number(text)


def test_the_deepest_nesting():
    assert parse_level("log(" + "(" * 50 + "2" + ")" * 50 + ")").ratio == 2
    with pytest.raises(InvalidNumber, match="deeper than 50"):
        parse_level("log(" + "(" * 51 + "2" + ")" * 51 + ")")


def test_seventeen_digits_unless_others_are_asked_for():
    # log 2 = 0.69314718055994530941…, its reciprocal 1.44269504088896340735…; a last digit 0 is not written.
    log_2 = Level.of_ratio(2)
    assert [str(end) for end in (log_2.enclosure().lower, log_2.enclosure().upper)] == [
        "0.6931471805599453",
        "0.69314718055994531",
    ]
    for scale in (laplace_scale(log_2, Fraction(1)), mean_noise([log_2, log_2], Fraction(1))):
        assert [str(end) for end in (scale.lower, scale.upper)] == ["1.4426950408889634", "1.4426950408889635"]


def test_a_decimal_that_ends_is_given_exactly_though_the_budget_does_not_end():
    scale = laplace_scale(Level.of(Fraction(1, 3)), Fraction(1))
    assert scale.lower == scale.upper == 3
