"""A level is a value: hashed, compared, ordered and added as numbers are."""

import operator
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import sympy

import tploracle
from tploracle import InvalidLevel, TransitionMatrix, level

CHAIN = TransitionMatrix.of([["0.8", "0.2"], ["0.1", "0.9"]])
TURNING = TransitionMatrix.of([["0.8", "0.1", "0.1"], ["0.1", "0.6", "0.3"], ["0.2", "0.2", "0.6"]])


@pytest.mark.parametrize(
    "ask",
    [
        lambda: tploracle.worst_case_budget("1", backward=CHAIN, one_sided=True),
        lambda: tploracle.worst_case_leakage(["0.1"] * 6, backward=CHAIN).tpl[2],
        lambda: tploracle.worst_case_supremum("0.1", backward=CHAIN),
        lambda: tploracle.paper_bound_leakage(["0.1"] * 6, tploracle.adversary(backward=CHAIN)).tpl[2],
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
    assert level("1/2") * number == number * level("1/2") == level("2") / number == number - level(1) == level(1)
    assert TransitionMatrix.of([[number - 1, 0], [0, number / 2 if isinstance(number, Fraction) else 1]]).n == 2


def test_arithmetic():
    half, log = level("1/2"), level("log(3)")
    assert half * Fraction(3, 2) == level("3/4")
    assert 3 * log == level("log(27)")
    assert level("log(9)") / 2 == log
    assert Fraction(1, 3) * level("log(27)") + 1 > log + Fraction(9, 10)
    assert (round(log, 3), round(log), round(log.to_spend(), 3)) == (Decimal("1.099"), 2, Decimal("1.098"))
    for operation, number in ((operator.mul, -1), (operator.truediv, -1), (operator.truediv, 0)):
        with pytest.raises(InvalidLevel, match="a privacy level"):
            operation(log, number)


@pytest.mark.parametrize(
    "table",
    [
        np.array([["4/5", "1/5"], ["1/10", "9/10"]]),
        sympy.Matrix([[8, 2], [1, 9]]) / 10,
        pd.DataFrame(CHAIN.texts()),
        CHAIN,
    ],
    ids=lambda table: type(table).__name__,
)
def test_a_table_stands_for_its_loss_function(table):
    own = tploracle.loss_function(CHAIN)
    assert tploracle.loss_function(table) == own
    assert own("1/2") == own(Fraction(1, 2)) == tploracle.loss(table, "1/2")
    for ask in (
        lambda loss: tploracle.control(loss, 1, 2),
        lambda loss: tploracle.largest_budget(loss, 2),
        lambda loss: tploracle.leakage_at(loss, 1, 3),
        lambda loss: tploracle.steps_within(loss, "0.1", "0.1"),
        lambda loss: tploracle.paper_bound_supremum(loss, "0.1").level,
    ):
        assert ask(table) == ask(own)
    for ask in (tploracle.leakage_at, lambda loss, *_: tploracle.group_privacy(1, float("nan"))):
        with pytest.raises(tploracle.InvalidRequest, match="whole number from 1, not nan"):
            ask(own, 1, float("nan"))
    for ask in (tploracle.budgets, lambda *_: tploracle.common_budgets(1, {"a": table})):
        with pytest.raises(tploracle.InvalidRequest, match=r"give adversary\(forward=…\)"):
            ask(1, table)


@pytest.mark.parametrize(
    "ask",
    [
        lambda known: tploracle.worst_case_budget("1", **known),
        lambda known: tploracle.worst_case_budget("1", **known, horizon=3),
        lambda known: tploracle.worst_case_supremum("0.1", **known),
    ],
    ids=["for ever", "of three releases", "supremum"],
)
def test_one_number_found_in_two_ways_is_equal_or_undecided(ask):
    """Of a search each further bit takes long: none is taken by an operator, which says what it knows."""
    one, two = ask({"forward": TURNING}), ask({"backward": TURNING})
    assert f"{one:.10f}" == f"{two:.10f}"
    for compared in (
        operator.eq,
        operator.lt,
        operator.sub,
        lambda *both: max(both) is None,
        lambda *both: sorted(both) is None,
    ):
        with pytest.raises(tploracle.Undecided, match="agree in 64 bits"):
            compared(one, two)
    assert one != level("1/3")
    assert one < two + 1
    assert max(one, two * 2) == two * 2
    assert round(one, 6) == round(two, 6)
