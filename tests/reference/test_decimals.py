"""Decimals and their rounding: every direction is stated, so every direction is tested, in exact arithmetic."""

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.reference import Enclosure
from tploracle.reference.decimals import (
    decimal_exponent,
    fraction_to_text,
    int_from_text,
    int_to_text,
    outward,
    outward_in_units,
)

POSITIVE = st.one_of(
    st.fractions(Fraction(1, 10**9), 10**9, max_denominator=10**9).filter(lambda value: value > 0),
    st.builds(lambda m, e: Fraction(m) * Fraction(10) ** e, st.integers(1, 10**12), st.integers(-400, 400)),
    st.builds(
        lambda e, s: Fraction(10) ** e + s * Fraction(10) ** (e - 40), st.integers(-300, 300), st.integers(-1, 1)
    ),
)


@given(POSITIVE)
def test_decimal_exponent(value):
    k = decimal_exponent(value)
    assert Fraction(10) ** k <= value < Fraction(10) ** (k + 1)


@given(POSITIVE, st.integers(1, 60))
def test_a_point_is_enclosed_by_its_two_neighbours_on_the_grid(value, digits):
    enclosure = outward(value, value, digits)
    unit = Fraction(10) ** (decimal_exponent(value) + 1 - digits)
    lower, upper = Fraction(enclosure.lower), Fraction(enclosure.upper)
    assert lower <= value <= upper
    assert (lower / unit).denominator == 1
    assert (upper / unit).denominator == 1
    assert upper - lower == (0 if (value / unit).denominator == 1 else unit)
    assert value in enclosure
    assert upper + unit not in enclosure
    assert lower - unit not in enclosure


@given(POSITIVE, POSITIVE, st.integers(1, 40))
def test_an_interval_is_rounded_outward_by_less_than_a_unit_at_each_end(first, second, digits):
    lower, upper = sorted((first, second))
    enclosure = outward(lower, upper, digits)
    unit = Fraction(10) ** (decimal_exponent(upper) + 1 - digits)
    assert 0 <= lower - Fraction(enclosure.lower) < unit
    assert 0 <= Fraction(enclosure.upper) - upper < unit
    ends = ((6 * end.numerator, 6 * end.denominator) for end in (lower, upper))
    found, units, places = outward_in_units(*ends, digits)
    assert (found, Fraction(1, 10) ** places) == (enclosure, unit)
    assert units * unit == Fraction(enclosure.upper) - Fraction(enclosure.lower)


@pytest.mark.parametrize(
    ("lower", "upper", "digits", "texts"),
    [
        ("1/3", "1/3", 4, ("0.3333", "0.3334")),
        ("2/3", "2/3", 1, ("0.6", "0.7")),
        ("1/8", "1/8", 3, ("0.125", "0.125")),
        ("1/8", "1/8", 17, ("0.125", "0.125")),
        ("9999/10000", "9999/10000", 2, ("0.99", "1.0")),
        ("0", "0", 5, ("0", "0")),
        ("0", "1/3", 2, ("0", "0.34")),
        ("12345", "12345", 2, ("12000", "13000")),
        ("1/1000", "1/10", 2, ("0", "0.1")),
    ],
)
def test_by_hand(lower, upper, digits, texts):
    enclosure = outward(Fraction(lower), Fraction(upper), digits)
    assert (enclosure.lower, enclosure.upper) == tuple(Decimal(text) for text in texts)


def test_trailing_zeros_are_dropped_behind_the_point_only():
    assert str(outward(Fraction(1, 2), Fraction(1, 2), 9).lower) == "0.5"
    assert str(outward(Fraction(12345), Fraction(12345), 2).lower) == "1.2E+4"
    assert str(outward(Fraction(100), Fraction(100), 5).upper) == "100"
    assert str(outward(Fraction(100), Fraction(100), 3).upper) == "100"
    assert str(outward(Fraction(0), Fraction(1, 3), 3).lower) == "0"


def test_the_callers_decimal_context_does_not_matter():
    with localcontext() as context:
        context.prec = 3
        enclosure = outward(Fraction(1, 7), Fraction(1, 7), 50)
    assert Fraction(enclosure.upper) - Fraction(enclosure.lower) == Fraction(1, 10**50)
    assert Fraction(enclosure.lower) < Fraction(1, 7) < Fraction(enclosure.upper)


def test_infinity_is_enclosed_by_itself_alone():
    infinite = Enclosure(Decimal("Infinity"), Decimal("Infinity"))
    assert Decimal("Infinity") in infinite
    assert Decimal(10) not in infinite
    assert Fraction(10) not in infinite


@given(st.integers(), st.integers(0, 20))
def test_integers_round_trip(value, times):
    # 2^(64·20·…) has more than the 4,300 digits at which the interpreter's own conversion stops.
    long = value * (10**300 + 7) ** times
    assert int_from_text(int_to_text(long)) == long


def test_fractions_are_written_in_lowest_terms():
    assert fraction_to_text(Fraction(6, 14)) == "3/7"
    assert fraction_to_text(Fraction(-4, 2)) == "-2"
    assert fraction_to_text(Fraction(0)) == "0"
    assert len(fraction_to_text(Fraction(1, 10**5000))) == 5003
