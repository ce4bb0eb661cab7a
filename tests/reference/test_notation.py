"""The contract's notation of numbers and levels, and the limits and defaults that the documentation states."""

import contextlib
import re
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.reference import (
    InvalidLevel,
    InvalidNumber,
    Level,
    Surd,
    laplace_scale,
    mean_noise,
    parse_level,
    parse_number,
)
from tploracle.reference.decimals import fraction_to_text
from tploracle.reference.notation import DEEPEST_NESTING, MOST_SYMBOLS
from tploracle.reference.numbers import LONGEST_NUMBER, LONGEST_TEXT
from tploracle.reference.surds import surd

from ..strategies import levels


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3/7", Fraction(3, 7)),
        ("6/14", Fraction(3, 7)),
        ("2", Fraction(2)),
        ("0", Fraction(0)),
        ("-0", Fraction(0)),
        ("007", Fraction(7)),
        ("0.1", Fraction(1, 10)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        ("1e-3", Fraction(1, 1000)),
        ("1E3", Fraction(1000)),
        ("2.50e+2", Fraction(250)),
        ("1e0000000000000000000003", Fraction(1000)),
        ("-3/7", Fraction(-3, 7)),
        ("+1", Fraction(1)),
        (" \t1/2\t ", Fraction(1, 2)),
        ("0/5", Fraction(0)),
    ],
)
def test_numbers(text, value):
    assert parse_number(text) == value


NOT_NUMBERS = [
    "", " ", "١", "1٠", "½", "1_0", "0x1", "0b1", "1j", "nan", "NaN", "inf", "Infinity", "-inf", "1/0", "0/0",
    "1/-2", "1//2", "1/2/3", "1/2.5", "0.5/2", "1e3/2", "1 /2", "1 2", "1,5", "1e", "1e+", "e5", ".", "-", "--1",
    "+-1", "1e1.5", "1e5e5", "1\n", "\n1", "1\x00", "\u00a01", "\u20031", "1+1", "2**3", "(1)", "sqrt(2)", "1%",
    "None", "True", "__import__('os')", "1;1", "log(2)", "−1",
]  # fmt: skip


@pytest.mark.parametrize("text", NOT_NUMBERS)
def test_what_is_not_a_number(text):
    with pytest.raises(InvalidNumber):
        parse_number(text)


@pytest.mark.parametrize(
    "text",
    [
        "1" * (LONGEST_NUMBER + 1),
        "0." + "1" * (LONGEST_NUMBER + 1),
        "1/" + "3" * (LONGEST_NUMBER + 1),
        f"1e{LONGEST_NUMBER + 1}",
        f"1e-{LONGEST_NUMBER + 1}",
        "1e999999999999999999999999",
        "1e-999999999999999999999999",
        "1e" + "9" * 200_000,
        "9" * 2_000_000,
        "1/" * 500_000,
        "1" + " " * LONGEST_TEXT,
        "x" * 2_000_000,
    ],
)
def test_numbers_too_long_to_be_meant(text):
    for parse in (parse_number, parse_level):
        with pytest.raises(InvalidNumber) as caught:
            parse(text)
        assert len(str(caught.value)) < 300


def test_the_longest_numbers_are_read_exactly():
    # Longer than the 4,300 digits at which the interpreter's own reader stops.
    assert parse_number("7" * LONGEST_NUMBER) == Fraction(7 * (10**LONGEST_NUMBER - 1), 9)
    assert parse_number(f"1e{LONGEST_NUMBER}") == 10**LONGEST_NUMBER
    assert parse_number(f"3e-{LONGEST_NUMBER}") == Fraction(3, 10**LONGEST_NUMBER)


@given(st.fractions(), st.sampled_from([0, 100, 6000]))
def test_numbers_round_trip(value, zeros):
    # 6,000 digits are more than the interpreter's own conversions allow.
    longer = value * 10**zeros + Fraction(1, 10**zeros + 1)
    assert fraction_to_text(parse_number(fraction_to_text(value))) == fraction_to_text(value)
    assert (parse_number(fraction_to_text(longer)) - longer).numerator == 0


@given(st.integers(0, 10**30), st.integers(0, 40), st.integers(-50, 50))
def test_decimals_are_exact(mantissa, places, exponent):
    digits = str(mantissa).rjust(places + 1, "0")
    text = f"{digits[: len(digits) - places]}.{digits[len(digits) - places :]}e{exponent}"
    assert parse_number(text) == Fraction(mantissa) * Fraction(10) ** (exponent - places)


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        ("log(11/10)", Fraction(11, 10)),
        ("log(1)", Fraction(1)),
        ("log(2)", Fraction(2)),
        ("log(1.1)", Fraction(11, 10)),
        ("log(11e-1)", Fraction(11, 10)),
        ("log( 11 / 10 )", Fraction(11, 10)),
        ("  log(11/10)  ", Fraction(11, 10)),
        ("log(2*3/4)", Fraction(3, 2)),
        ("log(12/2/3)", Fraction(2)),
        ("log(7-2-1)", Fraction(4)),
        ("log(2+3*4)", Fraction(14)),
        ("log((2+3)*4)", Fraction(20)),
        ("log(-(-3))", Fraction(3)),
        ("log(--3)", Fraction(3)),
        ("log(5+-3)", Fraction(2)),
        ("log(2*-1*-3)", Fraction(6)),
        ("log(sqrt(9/4))", Fraction(3, 2)),
        ("log(sqrt(2)*sqrt(8))", Fraction(4)),
        ("log((7+sqrt(33))/8)", surd(Fraction(7, 8), Fraction(1, 8), 33)),
        ("log(sqrt(2))", surd(Fraction(0), Fraction(1), 2)),
        ("log(3-sqrt(2))", surd(Fraction(3), Fraction(-1), 2)),
        ("log(2/sqrt(2))", surd(Fraction(0), Fraction(1), 2)),
        ("log(sqrt(5+1/3))", surd(Fraction(0), Fraction(1, 3), 48)),
    ],
)
def test_logarithms(text, ratio):
    level = parse_level(text)
    assert level.ratio == ratio
    assert isinstance(level.ratio, Surd) == isinstance(ratio, Surd)


@pytest.mark.parametrize("blank", "\n\r\f\v\x1c\x85\xa0\u2028\u3000")
@pytest.mark.parametrize(
    "text", ["{}1/10", "inf{}", "log({}11/10)", "log(11{}/10)", "log(11/10{})", "log((1+{}sqrt(5))/2)"]
)
def test_nothing_is_blank_but_spaces_and_tabs(text, blank):
    assert parse_level(text.format(" \t")) == parse_level(text.format(""))
    with pytest.raises(InvalidNumber):
        parse_level(text.format(blank))


@pytest.mark.parametrize(
    "text",
    [
        "-1",
        "-1/10",
        "-1e-300",
        "log(1/2)",
        "log(0)",
        "log(-1)",
        "log(sqrt(2)-1)",
        "log(1-sqrt(2))",
        "log(1-sqrt(2)/100)",
        "log(0.999)",
        "1e10",
    ],
)
def test_levels_that_are_none(text):
    with pytest.raises(InvalidLevel):
        parse_level(text)


NOT_LEVELS = [
    *(text for text in NOT_NUMBERS if text not in {"inf", "log(2)"}), "INF", "+inf", "infinity", "inf inf", "log",
    "log()", "log(", "log 2", "log2", "Log(2)", "LOG(2)", "ln(2)", "log(2", "log(2))", "log((2)", "log)2(",
    "log(2)+log(3)", "log(2) log(3)", "log(log(2))", "2*log(2)", "log(1/0)", "log(1/(1-1))", "log(2+)", "log(*2)",
    "log(+2)", "log(2 3)", "log(2**3)", "log(2^3)", "log(2//3)", "log(١)", "log(1_0)", "log(0x2)", "log(nan)",
    "log(inf)", "log(1e999999999)", "log(sqrt)", "log(sqrt 2)", "log(sqrt())", "log(sqrt(-1))",
    "log(sqrt(sqrt(2)))", "log(sqrt(2)+sqrt(3))", "log(sqrt(2)*sqrt(3))", "log(sqrt(2)/sqrt(3))", "log(x)",
    "log(__import__('os'))", "log(2,3)", "log(2;3)", "log(2\x00)", "log(2.3.4)", "log(1e)", "log(.)",
    "log(1/sqrt(0))", "log(9" + "9" * LONGEST_NUMBER + ")",
]  # fmt: skip


@pytest.mark.parametrize("text", NOT_LEVELS)
def test_what_is_not_a_level(text):
    with pytest.raises(InvalidNumber):
        parse_level(text)


@pytest.mark.parametrize("opening", ["(", "-", "sqrt(", "-("])
def test_deep_nesting_is_an_error_and_not_a_crash(opening):
    closing = ")" if "(" in opening else ""
    for depth, told in ((DEEPEST_NESTING + 1, "deeper than 50"), (1000, "."), (100_000, ".")):
        with pytest.raises(InvalidNumber, match=told):
            parse_level(f"log({opening * depth}4{closing * depth})")


def test_nesting_that_is_allowed():
    assert parse_level(f"log({'(' * DEEPEST_NESTING}4{')' * DEEPEST_NESTING})").ratio == 4
    assert DEEPEST_NESTING == 50
    assert parse_level(f"log({'-' * DEEPEST_NESTING}4)").ratio == 4


def test_the_root_of_nothing():
    assert parse_level("log(2+sqrt(0))").ratio == 2


def test_long_sums_are_read_without_recursion():
    assert parse_level("log(" + "1+" * 20_000 + "1)").ratio == 20_001


def test_errors_say_which_text():
    with pytest.raises(InvalidLevel, match="-1/10"):
        parse_level("-1/10")
    with pytest.raises(InvalidNumber, match="abc"):
        parse_number("abc")
    with pytest.raises(InvalidNumber, match=r"'\)' expected|\) expected"):
        parse_level("log((2)")
    with pytest.raises(InvalidNumber, match=r"\) expected, the end found"):
        parse_level("log((2)")
    with pytest.raises(InvalidNumber, match=r"\) expected, '3' found"):
        parse_level("log((2 3))")
    with pytest.raises(InvalidNumber, match="zero"):
        parse_number("1/0")
    for text in ("log(0)", "log(-1)", "log(1-sqrt(2))"):
        with pytest.raises(InvalidLevel, match="the logarithm of a number that is not positive"):
            parse_level(text)


def test_long_texts_are_shortened_in_errors():
    for text, shown in (("x" * 60, "x" * 60), ("x" * 61, "x" * 57 + "..."), ("x" * 100, "x" * 57 + "...")):
        with pytest.raises(InvalidNumber, match=f"^'{re.escape(shown)}' is not a number"):
            parse_number(text)


@given(levels())
def test_levels_round_trip(level):
    again = parse_level(level.full_text())
    assert again == level
    assert again.rational == level.rational
    assert again.full_text() == level.full_text()


@given(st.text(alphabet="0123456789.e+-*/()sqrtlogin _x١\n", max_size=30))
def test_any_text_is_a_level_or_an_error_by_name(text):
    for candidate in (text, f"log({text})"):
        with contextlib.suppress(InvalidNumber, InvalidLevel):
            level = parse_level(candidate)
            assert level == parse_level(level.full_text())


def test_unlike_radicands_too_long_to_print():
    with pytest.raises(InvalidNumber):
        parse_level("log(sqrt(1e5001+1)+sqrt(3))")


def test_long_surds_are_written():
    level = parse_level("log(sqrt(1e5001+1))")
    assert parse_level(level.full_text()).ratio == level.ratio


def test_products_of_huge_numbers_are_refused():
    with pytest.raises(InvalidNumber, match="too long"):
        parse_level("log(" + "*".join(["1e100000"] * 80) + ")")


@pytest.mark.parametrize(
    "text",
    [
        "log(" + "1+" * 2_000_000 + "1 )",
        "log(" + "1+" * (MOST_SYMBOLS // 2) + "1)",
        "log(" + " " * LONGEST_TEXT + "2)",
        "log(" + "+".join(["1e-100000"] * 100) + "+1)",
        "log(" + "*".join(["1e100000", "1e-100000"] * 100) + ")",
        "log(" + "+".join(f"1/{10**3000 + i}" for i in range(1, 200)) + "+1)",
        "log(" + "+".join(["sqrt(1e1000+1)"] * 2000) + ")",
        "log(1e100000*1e100000*1e100000)",
        "log(1e100000*1e100000" + "*1" * 30 + ")",
        "log(" + "+".join(["1*1e100000"] * 15) + ")",
        "log(" + "0e100000+" * 50 + "1)",
    ],
)
def test_expressions_that_would_take_long_are_refused(text):
    with pytest.raises(InvalidNumber, match="too long") as caught:
        parse_level(text)
    assert len(str(caught.value)) < 300


def test_the_longest_expressions_are_read():
    assert parse_level("log(2" + " " * (LONGEST_TEXT - 6) + ")").ratio == 2
    assert parse_level("log(" + "1+" * (MOST_SYMBOLS // 2 - 1) + "1)").ratio == MOST_SYMBOLS // 2


def test_reading_an_expression_is_linear():
    # Its end is looked for once, not before each of its numbers.
    calls = 0

    def count(_frame, event, function):
        nonlocal calls
        calls += event == "c_call" and function.__name__ == "rstrip"

    sys.setprofile(count)
    try:
        parse_level("log(" + "1+" * 100 + "1 )")
    finally:
        sys.setprofile(None)
    assert calls == 1


def test_the_largest_rational_level():
    assert Level.of(10**9).rational == 10**9
    with pytest.raises(InvalidLevel, match="at most 1000000000;"):
        Level.of(10**9 + 1)


def test_the_longest_number():
    assert parse_number("1" * 100_000).numerator % 10 == 1
    assert parse_number("1e-100000") == Fraction(1, 10**100_000)
    for text in ("1" * 100_001, "1e-100001"):
        with pytest.raises(InvalidNumber):
            parse_number(text)


def test_seventeen_digits_unless_others_are_asked_for():
    # log 2 = 0.69314718055994530941…, its reciprocal 1.44269504088896340735…; a last digit 0 is not written.
    log_2 = Level.of_ratio(2)
    assert [str(end) for end in (log_2.enclosure().lower, log_2.enclosure().upper)] == [
        "0.6931471805599453",
        "0.69314718055994531",
    ]
    for scale in (laplace_scale(log_2, Fraction(1)), mean_noise([log_2, log_2], Fraction(1))):
        assert [str(end) for end in (scale.lower, scale.upper)] == ["1.4426950408889634", "1.4426950408889635"]


def test_a_decimal_that_ends_is_given_exactly_though_the_budget_does_not_end():
    scale = laplace_scale(Level.of(Fraction(1, 3)), Fraction(1))
    assert scale.lower == scale.upper == 3
