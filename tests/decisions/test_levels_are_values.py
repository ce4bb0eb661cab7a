"""A level is a value: hashed, compared, ordered and added as numbers are."""

import operator
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy

import tploracle
from tploracle import InvalidLevel, TransitionMatrix, level

CHAIN = TransitionMatrix.of([["0.8", "0.2"], ["0.1", "0.9"]])


@pytest.mark.parametrize(
    "ask",
    [
        lambda: tploracle.tight_budget("1", CHAIN, one_sided=True),
        lambda: tploracle.tight_leakage(["0.1"] * 6, CHAIN).tpl[2],
        lambda: tploracle.tight_supremum("0.1", CHAIN),
        lambda: tploracle.leakage(["0.1"] * 6, tploracle.adversary(CHAIN)).tpl[2],
    ],
)
def test_the_same_question_has_the_same_answer(ask):
    one, two = ask(), ask()
    assert one == two
    assert hash(one) == hash(two)
    assert max(one, two) == one
    assert sorted([two, one]) == [one, two]
    assert {one: "kept"}[two] == "kept"
    assert sum([one, two]) == 2 * one
    assert one < one + 1


@pytest.mark.parametrize("number", [2, np.int64(2), Fraction(2), Decimal(2), sympy.Integer(2), sympy.Rational(4, 2)])
def test_every_exact_number_will_do(number):
    two = level("2")
    assert level(number) == two == number
    assert hash(two) == hash(2)
    assert two + number == level(4)
    assert level("1/2") * number == level(1)
    assert TransitionMatrix.of([[number - 1, 0], [0, number / 2 if isinstance(number, Fraction) else 1]]).n == 2


def test_arithmetic():
    half, log = level("1/2"), level("log(3)")
    assert half * Fraction(3, 2) == level("3/4")
    assert 3 * log == level("log(27)")
    assert Fraction(1, 3) * level("log(27)") + 1 > log + Fraction(9, 10)
    assert (round(log, 3), round(log), round(log.to_spend(), 3)) == (Decimal("1.099"), 2, Decimal("1.098"))
    with pytest.raises(InvalidLevel):
        operator.mul(log, -1)
