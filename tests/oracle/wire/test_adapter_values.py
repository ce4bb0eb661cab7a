"""What the adapter makes of what a Python object returns."""

import math
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from tploracle import reference
from tploracle.reference import INFINITE, Level, TransitionMatrix, parse_level

from ..conformance.caught import DYADIC, EXACT, HALF, Caught, asked


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
