"""False position: it closes in from both ends on where something that rises is at a level, in doubles and fractions."""

from fractions import Fraction
from math import expm1

import pytest

from tploracle.solvers.false_position import Between


@pytest.mark.parametrize(
    ("above", "low", "high"),
    [
        (lambda x: x * x - 2, Fraction(0), Fraction(3)),
        (lambda x: x**9 - 2, Fraction(0), Fraction(3)),
        (lambda x: 1 - 1 / (8 * x), Fraction(1, 64), Fraction(9)),
        (lambda x: expm1(x) - 2, 0.0, 30.0),
    ],
)
def test_it_closes_in(above, low, high):
    ends = Between(low, high, above(low), above(high))
    for turn in range(60):
        tried = ends.line()
        assert ends.low <= tried <= ends.high
        if isinstance(tried, Fraction):
            tried = tried.limit_denominator(10**12)
        if turn == 59 or not ends.low < tried < ends.high:
            break
        ends.take(tried, above(tried), above(tried) > 0)
        assert above(ends.low) <= 0 < above(ends.high)
    assert abs(above(tried)) < 1e-6


def test_an_end_that_is_kept_twice_counts_half():
    ends = Between(Fraction(0), Fraction(8), Fraction(-4), Fraction(4))
    ends.take(Fraction(1), Fraction(-3), is_above=False)
    assert (ends.low, ends.at_low, ends.at_high) == (1, -3, 4)
    ends.take(Fraction(2), Fraction(-2), is_above=False)
    assert (ends.at_low, ends.at_high, ends.line()) == (-2, 2, 5)
    ends.take(Fraction(5), Fraction(1), is_above=True)
    ends.take(Fraction(4), Fraction(1), is_above=True)
    assert (ends.high, ends.at_low, ends.at_high) == (4, -1, 1)


def test_there_is_no_line_to_what_is_infinite_and_none_where_it_is_flat():
    ends = Between(Fraction(1), Fraction(2), Fraction(-1), None)
    assert ends.line() is None
    ends.take(Fraction(3, 2), Fraction(-1, 2), is_above=False)
    assert ends.at_high is None
    assert Between(1.0, 2.0, 0.0, 0.0).line() is None
