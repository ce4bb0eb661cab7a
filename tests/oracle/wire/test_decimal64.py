"""Doubles in decimal: what is one, what it is worth, and both on the wire."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.reference import InvalidNumber
from tploracle.wire.adapter import Adapter
from tploracle.wire.numerals import decimal_double, shortest_decimal
from tploracle.wire.protocol import DECIMAL64, FLOAT64, RATIONAL

from ..conformance.caught import Caught
from .asking import replied

MATRIX = [["0.9", "0.1"], ["0.0", "1.0"]]
IN_HEX = [["0x1.ccccccccccccdp-1", "0x1.999999999999ap-4"], ["0x0p+0", "0x1p+0"]]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double_is_written_and_read_back(value):
    text = shortest_decimal(Fraction(value))
    assert decimal_double(text) == Fraction(value)
    assert len(Decimal(text).normalize().as_tuple().digits) <= 17


@pytest.mark.parametrize("text", ["0.1", ".1", "1e-1", "0.10", "1E-01", "10e-2", "+0.1", " 0.1\t", "0.1e+0"])
def test_a_double_has_many_spellings(text):
    assert decimal_double(text) == Fraction(0.1) != Fraction(1, 10)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0.10000000000000001", "is not the shortest decimal of a double; that of the nearest is 0.1"),
        ("0.1000000000000000055511151231257827021181583404541015625", "is not the shortest decimal"),
        ("9007199254740993", "is not the shortest decimal of a double; that of the nearest is 9007199254740992.0"),
        ("1e-400", "is not the shortest decimal of a double; that of the nearest is 0.0"),
        ("3e-324", "is not the shortest decimal of a double; that of the nearest is 5e-324"),
        ("1e400", "is larger than every double"),
        *[
            (text, "is not a double in decimal")
            for text in ("1/2", "0x1p-1", "", ".", "1e", "nan", "inf", "1_0", "--1")
        ],
        ("1e9999999", "is not a double in decimal"),
        ("0" * 401, "is not a double in decimal"),
    ],
)
def test_what_is_no_double_in_decimal(text, why):
    with pytest.raises(InvalidNumber, match=why):
        decimal_double(text)


def answered(matrix, alpha, numbers=DECIMAL64):
    return replied({"seq": 1, "op": "loss", "input": {"matrix": matrix, "alpha": alpha}, "numbers": numbers})


def test_the_oracle_takes_them_at_the_values_of_the_doubles():
    found = answered(MATRIX, "0.1")
    assert found == answered(IN_HEX, "0x1.999999999999ap-4", FLOAT64)
    assert found["value"]["lower"] != answered(MATRIX, "0.1", RATIONAL)["value"]["lower"]
    assert answered(MATRIX, "inf") == answered(IN_HEX, "inf", FLOAT64)


def test_rows_that_miss_one_by_rounding_are_divided():
    tenths = [["0.1"] * 10] * 10
    assert answered(tenths, "1.0")["value"]["normalised_rows"] == {"matrix": [*range(1, 11)]}
    assert answered([["0.5", "0.6"], ["0.5", "0.5"]], "1.0")["error"]["name"] == "NotStochastic"


@pytest.mark.parametrize(
    ("matrix", "alpha", "name", "message"),
    [
        (MATRIX, "0.10000000000000001", "InvalidNumber", "alpha: '0.10000000000000001' is not the shortest decimal"),
        (MATRIX, "0x1p-1", "InvalidNumber", "alpha: '0x1p-1' is not a double in decimal"),
        (MATRIX, 1, "InvalidNumber", 'alpha: 1 is not a double in decimal, as a text, as in "0.1"'),
        ([["1/2", "0.5"], ["0.5", "0.5"]], "1.0", "InvalidNumber", "matrix: row 1, column 1: '1/2' is not"),
        (MATRIX, "-0.5", "InvalidLevel", "alpha: "),
        (MATRIX, "log(2)", "InvalidNumber", "alpha: 'log(2)' is not a double"),
    ],
)
def test_other_numbers_are_errors_by_name(matrix, alpha, name, message):
    error = answered(matrix, alpha)["error"]
    assert error["name"] == name
    assert error["message"].startswith(message)


def test_a_python_object_gets_doubles():
    mine = Caught()
    mine.numbers = "decimal64"
    adapter = Adapter(mine)
    assert adapter.declaration()["numbers"] == [DECIMAL64]
    request = {"seq": 1, "op": "loss", "numbers": DECIMAL64, "input": {"matrix": MATRIX, "alpha": "0.1"}}
    assert "value" in adapter.answer(request)
    assert mine.given["matrix"].dtype == np.float64
    assert mine.given["matrix"].tolist() == [[0.9, 0.1], [0.0, 1.0]]
    assert mine.given["alpha"] == 0.1
    adapter.answer({**request, "input": {"matrix": MATRIX, "alpha": "inf"}})
    assert mine.given["alpha"] == float("inf")
