"""A scope says what the loops did: no more where one ends early, and what a filter left out."""

from fractions import Fraction
from itertools import product

import pytest

from tploracle.proofs_checks.coverage import counted, left_out, members, noting, over
from tploracle.proofs_checks.families import matrices, row_pairs


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((1, 2, 6), "T = 1, 2, 6"),
        (range(1, 7), "T = 1 to 6"),
        ((Fraction(1, 10), 1, 9), "T = 1/10, 1, 9"),
        ((3, 7), "T = 3, 7"),
        ((1, 3, 5, 7, 9, 11, 13, 15, 17), "T = 1 to 17, 9 values"),
    ],
)
def test_values_that_a_loop_met(values, text):
    with noting() as coverage:
        assert list(over("T", values)) == list(values)
    assert coverage.text == text


def test_a_loop_that_ends_early_says_so():
    with noting() as coverage:
        for t in over("T", (1, 2, 3, 4, 5, 6)):
            for number, _ in enumerate(matrices(2, 2)):
                if number == 1:
                    break
            if t == 2:
                break
    assert coverage.text == "in order 2 2 × 2 matrices in halves, up to the order of rows; T = 1, 2"


def test_a_family_within_a_loop_is_counted_once():
    with noting() as coverage:
        for _ in over("n", (1, 2)):
            list(row_pairs(2, 3))
    assert coverage.text == "all 12 pairs of rows over 2 values in thirds; n = 1, 2"


def test_a_family_twice_in_a_product():
    with noting() as coverage:
        pairs = list(product(matrices(2, 3), repeat=2))
    assert len(pairs) == 100
    assert coverage.text == "all 10 2 × 2 matrices in thirds, up to the order of rows"


def test_what_is_left_out_is_told():
    with noting() as coverage:
        for number in members("numbers", range(10)):
            if number % 2:
                left_out("an odd one")
            else:
                counted("even ones")
    assert coverage.text == "all 10 numbers; even ones: 5; left out: an odd one: 5"


def test_nothing_is_noted_outside():
    with noting() as coverage:
        pass
    assert list(over("T", (1, 2))) == [1, 2]
    left_out("nothing")
    assert coverage.text == ""


def test_another_name_for_a_value():
    with noting() as coverage:
        assert list(over("α", ("a", "b"), as_=(1, 2))) == ["a", "b"]
    assert coverage.text == "α = 1, 2"
