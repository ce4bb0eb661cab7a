"""What certificates are made of: bounds and numbers read as they are meant."""

from fractions import Fraction

import pytest

from tploracle.certificates.parts import number_text, rounded
from tploracle.reference import parse_level, parse_number


@pytest.mark.parametrize("power", range(-20, 45))
def test_a_bound_is_rounded_to_its_side_by_little_and_reads_as_itself(power: int) -> None:
    ratio = 1 + Fraction(10) ** power * Fraction(4, 3)
    for up in (False, True):
        found = rounded(ratio, 17, up)
        assert parse_level(found.text) == found.level
        bound = found.level.ratio
        assert isinstance(bound, Fraction)
        assert 0 < (bound - ratio) * (1 if up else -1) < (ratio - 1) / 10**30


def test_a_number_is_written_in_decimal_where_that_is_about_as_short() -> None:
    for value, text in (("1/8", "1/8"), ("7/1250", "0.0056"), ("3/200", "0.015"), ("1/30", "1/30"), ("0", "0")):
        assert number_text(Fraction(value)) == text
        assert parse_number(text) == Fraction(value)
