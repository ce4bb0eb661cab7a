"""Reading what an implementation answered: every form that is admitted, and a clear message for every other."""

from fractions import Fraction

import pytest

from tploracle.conformance.judge.answers import (
    LONGEST_ANSWERED,
    LONGEST_GIVEN,
    Given,
    Malformed,
    as_value,
    entries_in,
    numbers_in,
    read_answered_level,
    read_number,
    read_pieces,
    read_probability,
)
from tploracle.reference import INFINITE, Level
from tploracle.wire.strict_json import Numeral


def malformed(read, *given):
    """Return what is said of what cannot be read."""
    with pytest.raises(Malformed) as caught:
        read(*given)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3/7", Fraction(3, 7)),
        ("2", Fraction(2)),
        (2, Fraction(2)),
        ("0.1", Fraction(1, 10)),
        ("1e-3", Fraction(1, 1000)),
        ("0x1.8p-1", Fraction(3, 4)),
        ("0x1.999999999999ap-4", Fraction(0.1)),
        ("0X1P-1074", Fraction(1, 2**1074)),
        ("-0x0p+0", Fraction(0)),
        (" 0.5 ", Fraction(1, 2)),
        ("log(1)", Fraction(0)),
    ],
)
def test_rational_numbers(text, number):
    read = read_number(text, "")
    assert isinstance(read, Fraction)
    assert read == number


def test_levels_that_are_no_rationals():
    assert read_number("inf", "").is_infinite
    assert read_number("log(11/10)", "") == Level.of_ratio(Fraction(11, 10))
    assert isinstance(read_number("log((7+sqrt(33))/8)", ""), Level)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Numeral("0.5"), "tpl 3: 0.5 is a JSON number; numbers are written as text"),
        (Numeral("NaN"), "tpl 3: NaN is a JSON number; numbers are written as text"),
        (0.5, "tpl 3: 0.5 is a JSON number; numbers are written as text"),
        (True, "tpl 3: a JSON boolean where a number is expected, written as text"),
        (None, "tpl 3: a JSON null where a number is expected, written as text"),
        (["1"], "tpl 3: a JSON array where a number is expected, written as text"),
        *[
            (text, f"tpl 3: '{text}' is not a number: write 3/7, 2, 0.1 or 1e-3")
            for text in ("nan", "NaN", "(0.5+0.1j)", "Infinity", "-inf", "")
        ],
        ("1/0", "tpl 3: '1/0': division by zero"),
        ("0x1.8q", "tpl 3: '0x1.8q' is not a double in hexadecimal, as in 0x1.999999999999ap-4"),
        ("0x1p+1024", "tpl 3: '0x1p+1024' is not a double: it has too many bits or too large an exponent"),
    ],
)
def test_no_numbers(value, message):
    assert malformed(read_number, value, "tpl 3") == message


def test_claims():
    point = read_answered_level("0x1p-1", "")
    assert (point.lower, point.upper, point.exact) == (Fraction(1, 2), Fraction(1, 2), None)
    assert point.is_point
    interval = read_answered_level({"exact": None, "lower": "0.1", "upper": "0x1p-1", "rows": [1, 2]}, "")
    assert (interval.lower, interval.upper, interval.exact) == (Fraction(1, 10), Fraction(1, 2), None)
    assert not interval.is_point
    assert read_answered_level({"lower": "0.1", "upper": "0.1"}, "").is_point
    assert read_answered_level({"exact": "log(2)", "lower": "0.6", "upper": "inf"}, "").exact == Level.of_ratio(2)
    assert read_answered_level({"lower": "log(2)", "upper": "log(3)"}, "").upper == Level.of_ratio(3)
    infinite = read_answered_level({"exact": "inf", "lower": "inf", "upper": "inf"}, "")
    assert infinite.exact == INFINITE
    assert infinite.is_point


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"lower": "0.1"}, "bpl 1: the level lacks the key 'upper'"),
        ({"exact": "0.1"}, "bpl 1: the level lacks the key 'lower'"),
        ({"lower": "0.1", "upper": None}, "bpl 1, upper: a JSON null where a number is expected, written as text"),
        ({"lower": "0.2", "upper": "0.1"}, "bpl 1: lower, 0.2, is above upper, 0.1"),
        ({"lower": "log(2)", "upper": "0.69"}, "bpl 1: lower, log(2), is above upper, 0.69"),
        ({"lower": "inf", "upper": "1"}, "bpl 1: lower, inf, is above upper, 1"),
        ({"lower": "-0x1p-3", "upper": "1"}, "bpl 1, lower: -0x1p-3 (-0.125) is negative"),
        ({"exact": "-1", "lower": "0", "upper": "1"}, "bpl 1, exact: -1 is negative"),
        ({"exact": "log(1/2)", "lower": "0", "upper": "1"}, "bpl 1, exact: 'log(1/2)': a privacy level is at least 0"),
        ("-1/4", "bpl 1: -1/4 is negative"),
        (None, "bpl 1: a JSON null where a number is expected, written as text"),
    ],
)
def test_malformed_claims(value, message):
    assert malformed(read_answered_level, value, "bpl 1").startswith(message)


def test_messages_stay_short():
    assert len(malformed(read_answered_level, {"lower": "9" * 500, "upper": "0"}, "")) < 100


def test_a_level_alone_has_no_place():
    assert malformed(read_answered_level, {"lower": "0", "upper": "nan"}, "").startswith("upper: 'nan' is not")
    assert malformed(read_answered_level, "-1", "") == "-1 is negative"


def test_probabilities_are_rational():
    assert read_probability("0x1p-2", "") == Fraction(1, 4)
    for value, message in (("-1", "-1 is negative"), ("inf", "inf is not a rational"), ("log(2)", "log(2) is not a r")):
        assert message in malformed(read_probability, value, "")
    assert "a JSON object where" in malformed(read_probability, {"lower": "0", "upper": "1"}, "")


def test_arrays_of_a_length():
    assert list(numbers_in({"tpl": ["1", None]}, "tpl", 2)) == [("tpl 1", "1"), ("tpl 2", None)]
    for value, message in (
        ({}, "the value lacks the key 'tpl'"),
        ({"tpl": "1"}, "tpl is a JSON string, not an array"),
        ({"tpl": ["1"]}, "tpl: 1 numbers where 2 are expected"),
        ({"tpl": ["1"] * 3}, "tpl: 3 numbers where 2 are expected"),
    ):
        assert malformed(numbers_in, value, "tpl", 2) == message


def test_matrices_of_a_size():
    assert list(entries_in({"m": [["a", "b"], ["c", "d"]]}, "m", 2)) == [
        ("m, row 1, column 1", "a"),
        ("m, row 1, column 2", "b"),
        ("m, row 2, column 1", "c"),
        ("m, row 2, column 2", "d"),
    ]
    for value, message in (
        ([["1", "0"]], "m: 1 rows where 2 are expected"),
        ([["1", "0"], ["1"]], "m, row 2: 1 entries where 2 are expected"),
        ([["1", "0"], "10"], "m, row 2: a JSON string, not an array"),
    ):
        assert malformed(entries_in, {"m": value}, "m", 2) == message


PIECE = {"q": "0x1p-1", "d": "1/4", "from": "0", "to": {"exact": "log(2)", "lower": "0.6", "upper": "0.7"}}


def test_pieces():
    first, second = read_pieces({"pieces": [PIECE, {**PIECE, "from": "log(2)", "to": "inf", "rows": [1, 2]}]}, 2)
    assert (first.q, first.d) == (Fraction(1, 2), Fraction(1, 4))
    assert (first.start.lower, first.stop.exact) == (0, Level.of_ratio(2))
    assert second.stop.lower.is_infinite


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "the value lacks the key 'pieces'"),
        ({"pieces": {}}, "pieces is a JSON object, not an array"),
        ({"pieces": [PIECE, []]}, "pieces 2: a JSON array, not an object"),
        ({"pieces": [{"q": "1", "d": "0", "from": "0"}]}, "pieces 1: the piece lacks the key 'to'"),
        ({"pieces": [PIECE, {**PIECE, "q": "x"}]}, "pieces 2, q: 'x' is not a double in hexadecimal"),
        ({"pieces": [{**PIECE, "d": "-0.1"}]}, "pieces 1, d: -0.1 is negative"),
        ({"pieces": [{**PIECE, "q": "0.2"}]}, "pieces 1: q, 0.2, is below d, 1/4"),
        ({"pieces": [{**PIECE, "to": {"lower": "1"}}]}, "pieces 1, to: the level lacks the key 'upper'"),
        ({"pieces": [{**PIECE, "from": None}]}, "pieces 1, from: a JSON null"),
        ({"pieces": [None] * 3}, "pieces: too long: 3 pieces, of which at most 2 are read"),
    ],
)
def test_malformed_pieces(value, message):
    assert malformed(read_pieces, value, 2).startswith(message)


@pytest.mark.parametrize(
    "text",
    [
        "log(" + "1+" * 2_000_000 + "1 )",
        "1" * (LONGEST_ANSWERED + 1),
        f"1e-{LONGEST_ANSWERED}",
        "log(" + "*".join(["1e9999"] * 3) + ")",
    ],
)
def test_a_number_too_long_is_not_read_and_its_beginning_is_shown(text):
    message = malformed(read_number, text, "tpl 3")
    assert message.startswith(f"tpl 3: too long: more than 20,000 digits written out: {text[:10]}")
    assert len(message) < 200


def test_the_longest_number_is_read():
    assert read_number("1" * LONGEST_ANSWERED, "") % 10 == 1
    assert read_number("0x1.e999999999p+3", "") < 16


def test_a_value_is_an_object_where_it_has_keys():
    assert as_value({"tpl": []}) == {"tpl": []}
    assert malformed(as_value, []) == "the value is a JSON array, not an object"


def test_what_was_given_is_shown_as_it_was_and_hexadecimal_in_decimal_too():
    assert str(Given("0.1")) == "0.1"
    assert str(Given("0x1.999999999999ap-4")) == "0x1.999999999999ap-4 (0.10000000000000001)"
    assert str(Given("0xzz")) == "0xzz"
    assert str(Given({"lower": "0.1", "upper": "0.2"})) == "[0.1, 0.2]"
    assert str(Given({"exact": "log(2)", "lower": "0.6", "upper": "0.7"})) == "[0.6, 0.7] = log(2)"
    assert str(Given(None)) == "None"
    assert str(Given(Numeral("NaN"))) == "NaN"
    assert len(str(Given("1" * 10_000))) <= LONGEST_GIVEN
    assert "\x1b" not in str(Given("\x1b[31m"))
