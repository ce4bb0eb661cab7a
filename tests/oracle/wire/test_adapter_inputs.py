"""What a Python object is given by the adapter, and what never reaches it."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tploracle.reference import INFINITE, Level

from ..conformance.caught import DYADIC, EXACT, HALF, Caught, asked


def given_to(op, given, numbers="float64"):
    caught = Caught()
    assert "value" in asked(caught, op, given, numbers)
    return caught.given


def refused(op, given, numbers="float64"):
    caught = Caught()
    answer = asked(caught, op, given, numbers)
    assert caught.given is None
    return answer["error"]["name"]


def is_array(value, expected):
    return type(value) is np.ndarray and value.dtype == np.float64 and value.tolist() == expected


def test_doubles_come_as_numpy_and_floats():
    given = given_to("loss", {"matrix": DYADIC, "alpha": HALF})
    assert list(given) == ["matrix", "alpha"]
    assert is_array(given["matrix"], [[0.75, 0.25], [0.0, 1.0]])
    assert type(given["alpha"]) is float
    assert given["alpha"] == 0.5
    given = given_to("leakage", {"backward": DYADIC, "epsilons": [HALF, "inf", "0x0p+0"]})
    assert list(given) == ["backward", "epsilons"]
    assert is_array(given["epsilons"], [0.5, math.inf, 0.0])
    given = given_to("reverse", {"forward": DYADIC, "initial": [HALF, "0x1.fp-2"]})
    assert is_array(given["initial"], [0.5, 0.484375])
    given = given_to("smooth", {"matrix": DYADIC, "s": "0x1p+1"})
    assert type(given["s"]) is float
    assert given["s"] == 2.0
    assert is_array(given_to("leakage", {"epsilons": []})["epsilons"], [])
    assert given_to("loss", {"matrix": DYADIC, "alpha": "0x1.999999999999ap-4"})["alpha"] == 0.1


def test_rationals_come_as_fractions_and_levels():
    given = given_to("control", {"matrix": EXACT, "previous": "log(11/10)", "cap": "inf"}, "rational")
    assert given["matrix"] == [[Fraction(4, 5), Fraction(1, 5)], [0, 1]]
    assert {type(entry) for row in given["matrix"] for entry in row} == {Fraction}
    assert given["previous"] == Level.of_ratio(Fraction(11, 10))
    assert given["cap"] is INFINITE
    given = given_to("leakage", {"epsilons": ["0.1", 2]}, "rational")
    assert given["epsilons"] == [Level.of(Fraction(1, 10)), Level.of(2)]
    given = given_to("reverse", {"forward": EXACT, "initial": ["1/3", "2/3"]}, "rational")
    assert given["initial"] == [Fraction(1, 3), Fraction(2, 3)]
    assert given_to("smooth", {"n": 3, "s": "0.5"}, "rational") == {"n": 3, "s": Fraction(1, 2)}


@pytest.mark.parametrize("numbers", ["float64", "rational"])
def test_counts_texts_and_sequences_come_as_they_are(numbers):
    half = HALF if numbers == "float64" else "0.5"
    given = given_to("allocate", {"alpha": half, "method": "quantified", "horizon": 3}, numbers)
    assert (given["method"], given["horizon"]) == ("quantified", 3)
    given = given_to("composition", {"epsilons": [half], "start": 1, "length": 2}, numbers)
    assert (given["start"], given["length"]) == (1, 2)
    assert given_to("estimate", {"sequences": [["a", "b"], []]}, numbers) == {"sequences": [["a", "b"], []]}
    assert given_to("estimate", {"sequences": [], "smoothing": half}, numbers)["smoothing"] == 0.5


def test_whether_the_numbers_are_valid_is_for_the_object_to_say():
    matrix = [["-0x1p+0", "0x1p+1"], ["0x1p+0", "0x1p+0"], ["0x0p+0", "0x0p+0"]]
    assert given_to("loss", {"matrix": matrix, "alpha": "-0x1p+0"})["alpha"] == -1.0
    assert is_array(given_to("loss_function", {"matrix": matrix})["matrix"], [[-1.0, 2.0], [1.0, 1.0], [0.0, 0.0]])
    assert given_to("loss_function", {"matrix": [["-1", "3"]]}, "rational")["matrix"] == [[-1, 3]]
    assert given_to("allocate", {"alpha": "0x0p+0", "method": "by magic", "horizon": -1})["horizon"] == -1
    assert given_to("loss", {"matrix": DYADIC, "alpha": "0x1p+100"})["alpha"] == 2.0**100


def test_what_the_notation_does_not_admit_never_reaches_the_object():
    alpha = {"alpha": HALF}
    for number in ("0.5", "1/2", "", "x", "0x1p-1100", "0x1.23456789abcdefp0", "nan", "-inf", 1, 0.5, "log(2)"):
        assert refused("loss", {"matrix": DYADIC, "alpha": number}) == "InvalidNumber", number
        assert refused("loss", {"matrix": [[number]], **alpha}) == "InvalidNumber", number
    assert refused("loss", {"matrix": [["inf"]], **alpha}) == "InvalidNumber"
    for number in (None, True, [HALF], {"exact": "1"}):
        assert refused("loss", {"matrix": DYADIC, "alpha": number}) == "InvalidRequest", number
        assert refused("leakage", {"epsilons": [HALF, number]}) == "InvalidRequest", number
    for number in ("0x1p-1", "1e", "1/0", "1 /2", 0.5, "١"):
        assert refused("smooth", {"n": 2, "s": number}, "rational") == "InvalidNumber", number
        assert refused("loss_function", {"matrix": [[number]]}, "rational") == "InvalidNumber", number
    assert refused("leakage", {"epsilons": ["-1"]}, "rational") == "InvalidLevel"
    assert refused("leakage", {"epsilons": ["log(1/2)"]}, "rational") == "InvalidLevel"


def test_what_is_no_request_never_reaches_the_object():
    for op, given in (
        ("loss", {"matrix": DYADIC}),
        ("loss", {"matrix": DYADIC, "alpha": HALF, "beta": HALF}),
        ("loss", {"matrix": HALF, "alpha": HALF}),
        ("loss", {"matrix": [HALF], "alpha": HALF}),
        ("smooth", {"s": HALF}),
        ("smooth", {"n": 2, "matrix": DYADIC, "s": HALF}),
        ("smooth", {"n": "2", "s": HALF}),
        ("allocate", {"alpha": HALF, "method": 1}),
        ("estimate", {"sequences": [[1]]}),
        ("estimate", {"sequences": "abc"}),
    ):
        assert refused(op, given) == "InvalidRequest", given
    assert refused("smooth", {"n": 2.0, "s": HALF}) == "InvalidNumber"
    assert refused("conjure", {}) == "UnknownOperation"
    assert refused("loss", {"matrix": DYADIC, "alpha": HALF}, "float32") == "InvalidRequest"
    caught = Caught()
    caught.numbers = "float64"
    assert asked(caught, "smooth", {"n": 2, "s": "1"}, "rational")["error"]["name"] == "InvalidRequest"


@pytest.mark.parametrize("numbers", ["float64", "rational"])
@pytest.mark.parametrize("shape", [[], [0], [0, 0], [2, 1], [1, 2], [0, 1]])
def test_an_empty_or_ragged_matrix_is_not_square(shape, numbers):
    one = "0x1p+0" if numbers == "float64" else "1"
    assert refused("loss_function", {"matrix": [[one] * length for length in shape]}, numbers) == "NotSquare"


def test_what_is_too_long_written_out_never_reaches_the_object():
    row = ["1e-99999"] * 300
    assert refused("loss_function", {"matrix": [row] * 2}, "rational") == "InvalidRequest"
    assert refused("leakage", {"epsilons": row}, "rational") == "InvalidRequest"
    assert refused("reverse", {"forward": EXACT, "initial": row}, "rational") == "InvalidRequest"
