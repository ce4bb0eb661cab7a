"""What a Python object is given by the adapter, what never reaches it, and what is made of what it returns."""

import math
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from tploracle import reference
from tploracle.reference import INFINITE, Level, TransitionMatrix, parse_level

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


def returned(value, op="loss", digits=5):
    inputs = {
        "loss": {"matrix": DYADIC, "alpha": HALF},
        "loss_function": {"matrix": DYADIC},
        "leakage": {"epsilons": [HALF]},
        "allocate": {"alpha": HALF, "method": "upper-bound"},
        "smooth": {"n": 2, "s": HALF},
        "reverse": {"forward": DYADIC, "initial": [HALF, HALF]},
        "estimate": {"sequences": [["a", "b"]]},
    }
    return asked(Caught(value), op, inputs[op], digits=digits)["value"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.75, "0x1.8000000000000p-1"),
        (0.1, "0x1.999999999999ap-4"),
        (-0.75, "-0x1.8000000000000p-1"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "nan"),
        (np.float64(0.75), "0x1.8000000000000p-1"),
        (np.float32(0.1), "0x1.99999a0000000p-4"),  # the nearest with 24 bits: 0x1.99999ap-4
        (np.float16(np.inf), "inf"),
        (np.float32(np.nan), "nan"),
        (np.longdouble(0.75), "0x1.8000000000000p-1"),
        (np.array(0.75), "0x1.8000000000000p-1"),
        (3, "3"),
        (-3, "-3"),
        (np.int64(3), "3"),
        (np.uint8(200), "200"),
        (Fraction(3, 7), "3/7"),
        (Fraction(4, 2), "2"),
        (Decimal("0.10"), "0.10"),
        (Decimal("1E+3"), "1E+3"),
        (Decimal("Infinity"), "inf"),
        (Decimal("-Infinity"), "-inf"),
        (Decimal("NaN"), "nan"),
        (Decimal("-sNaN12"), "nan"),
        ("log(3/2)", "log(3/2)"),
        (np.str_("1/2"), "1/2"),
        ("\ud800", "\ud800"),
        (True, "True"),
        (np.False_, "False"),
        (None, "None"),
        (1 + 2j, "(1+2j)"),
        (np.complex128(1), "(1+0j)"),
        (b"1", "bytes: b'1'"),
        ([], "list: []"),
        ([1], "list: [1]"),
        ((1, 2, 3), "tuple: (1, 2, 3)"),
        (np.array([0.5]), "ndarray: array([0.5])"),
        ({1}, "set: {1}"),
    ],
)
def test_points(value, text):
    assert returned(value) == text


def test_an_integer_may_be_long():
    assert returned(10**5000) == "1" + "0" * 5000


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="a long double is a double here")
def test_a_long_double_that_is_no_double_is_exact():
    third = np.longdouble(1) / 3
    assert Fraction(returned(third)) == Fraction(*third.as_integer_ratio()) != Fraction(1 / 3)
    assert int(returned(np.longdouble(2) ** 5000)) == 2**5000


def test_whatever_looks_like_a_number_is_none():
    class Sly:
        def __repr__(self):
            return "0.5"

    assert returned(Sly()) == "Sly: 0.5"
    assert len(returned(["x"] * 1000)) == 200


def test_levels_are_enclosed_to_the_digits_asked_for():
    level = Level.of_ratio(Fraction(27, 25))
    assert returned(level) == {"exact": "log(27/25)", "lower": "0.076961", "upper": "0.076962"}  # log 1.08 = 0.0769610…
    assert returned(level, digits=2) == {"exact": "log(27/25)", "lower": "0.076", "upper": "0.077"}
    assert returned(INFINITE) == {"exact": "inf", "lower": "inf", "upper": "inf"}


@pytest.mark.parametrize("pair", [(0.5, math.inf), [0.5, math.inf], np.array([0.5, math.inf])])
def test_a_pair_is_an_interval(pair):
    assert returned(pair) == {"lower": "0x1.0000000000000p-1", "upper": "inf"}


def test_a_pair_of_levels_is_the_widest_interval():
    level = Level.of(Fraction(1, 10)) + Level.of_ratio(2)  # log 2 + 0.1 = 0.79314718…, with no exact notation
    assert returned((level, level)) == {"lower": "0.79314", "upper": "0.79315"}
    assert returned({"exact": level, "lower": level, "upper": level})["exact"] is None


def test_a_mapping_is_the_contracts_form():
    value = {"exact": parse_level("log(2)"), "lower": Decimal("0.69"), "upper": np.float64(0.75), "rows": object()}
    assert returned(value) == {"exact": "log(2)", "lower": "0.69", "upper": "0x1.8000000000000p-1"}
    assert returned({"exact": None, "lower": 0, "upper": Fraction(1, 3)}) == {
        "exact": None,
        "lower": "0",
        "upper": "1/3",
    }
    assert returned({"upper": math.nan}) == {"upper": "nan"}
    assert returned({}) == {}


LEVELS = ["0x1.0000000000000p-1", "1/3", {"lower": "1", "upper": "2"}]
GIVEN = (0.5, Fraction(1, 3), (1, 2))


def test_leakage():
    expected = {"bpl": LEVELS, "fpl": LEVELS, "tpl": ["0x1.0000000000000p-1"]}
    Named = namedtuple("Named", ["tpl", "fpl", "bpl"])
    for value in (
        {"bpl": GIVEN, "fpl": list(GIVEN), "tpl": np.array([0.5]), "rows": 1},
        (GIVEN, GIVEN, [0.5]),
        [GIVEN, GIVEN, [0.5]],
        Named(tpl=[0.5], fpl=GIVEN, bpl=GIVEN),
    ):
        assert returned(value, "leakage") == expected
    halves = ["0x1.0000000000000p-1"] * 2
    assert returned(np.full((3, 2), 0.5), "leakage") == {"bpl": halves, "fpl": halves, "tpl": halves}
    assert returned({"bpl": 0.5, "tpl": None}, "leakage") == {"bpl": "0x1.0000000000000p-1", "tpl": "None"}
    assert returned((GIVEN, GIVEN), "leakage").startswith("tuple: ((0.5,")
    assert returned(0.5, "leakage") == "0x1.0000000000000p-1"
    assert returned(None, "leakage") == "None"


def test_the_reference_in_its_own_terms():
    found = reference.leakage([Level.of(1)], reference.Adversary(None, None))
    one = {"exact": "1", "lower": "1", "upper": "1"}
    assert returned(found, "leakage") == {"bpl": [one], "fpl": [one], "tpl": [one]}


def test_allocate():
    assert returned(GIVEN, "allocate") == {"epsilons": LEVELS}
    assert returned({"epsilons": GIVEN}, "allocate") == {"epsilons": LEVELS}
    ends = [{"lower": "0x0.0p+0", "upper": "0x1.0000000000000p-1"}] * 2
    assert returned(np.array([[0, 0.5], [0, 0.5]]), "allocate") == {"epsilons": ends}
    assert returned([0.5, 0.5], "allocate") == {"epsilons": ["0x1.0000000000000p-1"] * 2}
    assert returned(0.5, "allocate") == {"epsilons": "0x1.0000000000000p-1"}


def test_loss_function():
    piece = {"q": "0x1.0000000000000p-1", "d": "0", "from": "0", "to": "log(3/2)"}
    to = parse_level("log(3/2)")
    for value in ([(0.5, 0, 0, to)], {"pieces": [[0.5, 0, "0", to]]}, [{**piece, "rows": [1, 2]}]):
        assert returned(value, "loss_function") == {"pieces": [piece]}
    numbers = ["0x1.0000000000000p+0", "0x0.0p+0", "0x0.0p+0", "inf"]
    last = dict(zip(("q", "d", "from", "to"), numbers, strict=True))
    assert returned(np.array([[1, 0, 0, math.inf]]), "loss_function") == {"pieces": [last]}
    sum_of_levels = Level.of(Fraction(1, 10)) + Level.of_ratio(2)
    found = returned([(1, 0, 0, sum_of_levels), (1, 0, (0, 1), INFINITE)], "loss_function")["pieces"]
    assert found[0]["to"] == {"exact": None, "lower": "0.79314", "upper": "0.79315"}
    assert found[1]["from"] == {"lower": "0", "upper": "1"}
    assert found[1]["to"] == "inf"
    assert returned([(1, 0, 0), 5], "loss_function") == {"pieces": ["tuple: (1, 0, 0)", "5"]}
    assert returned(None, "loss_function") == {"pieces": "None"}


def test_matrices():
    halves = [["0x1.0000000000000p-1"] * 2] * 2
    for value in (np.full((2, 2), 0.5), [[0.5, 0.5], [0.5, 0.5]], {"matrix": np.full((2, 2), 0.5), "n": 2}):
        assert returned(value, "smooth") == {"matrix": halves}
    assert returned(TransitionMatrix.of(EXACT), "smooth") == {"matrix": [["4/5", "1/5"], ["0", "1"]]}
    assert returned([[Fraction(1, 3), math.nan], [1j, None]], "reverse") == {
        "backward": [["1/3", "nan"], ["1j", "None"]]
    }
    assert returned({"backward": [[1]]}, "reverse") == {"backward": [["1"]]}
    assert returned({"matrix": [[1]]}, "reverse") == {"backward": "dict: {'matrix': [[1]]}"}
    assert returned(0.5, "reverse") == {"backward": "0x1.0000000000000p-1"}


def test_estimate():
    expected = {"forward": [["1"]], "backward": [["0x1.0000000000000p+0"]], "initial": ["1/2"]}
    value = {"forward": [[1]], "backward": np.ones((1, 1)), "initial": [Fraction(1, 2)]}
    assert returned({**value, "states": "a"}, "estimate") == expected
    assert returned(tuple(value.values()), "estimate") == expected
    assert returned(type("Estimate", (), value)(), "estimate") == expected
