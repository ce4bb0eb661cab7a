"""The contract's operations against values computed by hand, and every error by name."""

from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest

from tploracle.contract.allocation import verified, verified_for_ever
from tploracle.reference import (
    Adversary,
    InvalidLevel,
    InvalidNumber,
    InvalidRequest,
    NegativeProbability,
    NotStochastic,
    parse_level,
)
from tploracle.wire.numerals import hex_double
from tploracle.wire.requests import MOST_CACHED, Session

from ...matrices import STRONGEST, SYMMETRIC
from .asking import DYADIC, MODERATE, ROUNDED, ask, encloses, error


def test_doubles_are_taken_at_their_exact_values():
    tenth = Fraction(0.1)
    value = ask("loss", numbers="float64", digits=30, matrix=DYADIC, alpha="0x1.999999999999ap-4")
    assert "normalised_rows" not in value
    with mpmath.workdps(80):
        alpha = mpmath.mpf(tenth.numerator) / tenth.denominator
        assert encloses(value, mpmath.log(mpmath.expm1(alpha) * 3 / 4 + 1), 30)
    assert ask("leakage", numbers="float64", epsilons=["0x1p-1"])["bpl"][0]["exact"] == "1/2"
    assert ask("loss", numbers="float64", matrix=DYADIC, alpha="inf")["exact"] == "inf"


def test_doubles_that_miss_one_by_rounding_are_divided_and_said_so():
    total = Fraction(0.1) + Fraction(0.9)
    assert total != 1
    session = Session()
    for _ in range(2):  # the second answer comes from memory
        value = session.answer("loss_function", {"matrix": ROUNDED}, 17, "float64")
        assert value["normalised_rows"] == {"matrix": [1]}
        assert Fraction(value["pieces"][0]["q"]) == Fraction(0.1) / total
    reversed_ = ask("reverse", numbers="float64", forward=DYADIC, initial=ROUNDED[0])
    assert reversed_["normalised_rows"] == {"initial": [1]}


@pytest.mark.parametrize(
    ("op", "given", "name"),
    [
        ("loss", {"matrix": MODERATE, "alpha": 0.5}, "InvalidNumber"),
        ("loss", {"matrix": MODERATE, "alpha": float("nan")}, "InvalidNumber"),
        ("loss", {"matrix": MODERATE, "alpha": None}, "InvalidRequest"),
        ("loss", {"matrix": MODERATE, "alpha": True}, "InvalidRequest"),
        ("loss", {"matrix": MODERATE, "alpha": ["1"]}, "InvalidRequest"),
        ("loss", {"matrix": [[0.5, 0.5], [0, 1]], "alpha": "1"}, "InvalidNumber"),
        ("loss", {"matrix": [[True, False], [0, 1]], "alpha": "1"}, "InvalidRequest"),
        ("loss", {"matrix": [["2", "-1"], ["0", "1"]], "alpha": "1"}, "NegativeProbability"),
        ("loss", {"matrix": [[]], "alpha": "1"}, "NotSquare"),
        ("loss", {"matrix": "0.8,0.2", "alpha": "1"}, "InvalidRequest"),
        ("loss", {"matrix": ["10", "01"], "alpha": "1"}, "InvalidRequest"),
        ("loss_function", {"matrix": None}, "InvalidRequest"),
        ("leakage", {"epsilons": ["0.1"], "backward": None}, "InvalidRequest"),
        ("smooth", {"s": "1"}, "InvalidRequest"),
        ("smooth", {"s": "1", "n": 0}, "InvalidRequest"),
        ("smooth", {"s": "1", "n": 2.0}, "InvalidNumber"),
        ("smooth", {"s": "-1", "n": 2}, "InvalidRequest"),
        ("smooth", {"s": 0.1, "n": 2}, "InvalidNumber"),
        ("reverse", {"forward": MODERATE, "initial": ["2", "-1"]}, "NegativeProbability"),
        ("estimate", {"sequences": ["ab"]}, "InvalidRequest"),
        ("composition", {"epsilons": ["1"], "start": 1, "length": 0}, "InvalidRequest"),
        ("composition", {"epsilons": ["1"], "start": -1, "length": 1}, "InvalidRequest"),
        ("composition", {"epsilons": ["1"], "start": 10**40, "length": 1}, "InvalidRequest"),
        ("composition", {"epsilons": ["1"], "start": "1", "length": 1}, "InvalidRequest"),
        ("composition", {"epsilons": ["1"], "start": True, "length": 1}, "InvalidRequest"),
        ("composition", {"epsilons": ["1"], "start": 1.0, "length": 1}, "InvalidNumber"),
        ("composition", {"epsilons": ["1"] * 10001, "start": 1, "length": 1}, "InvalidRequest"),
        ("allocate", {"alpha": "1", "method": "quantified", "horizon": 10001}, "InvalidRequest"),
        ("allocate", {"alpha": "1", "method": "quantified", "horizon": "3"}, "InvalidRequest"),
        ("allocate", {"alpha": "1", "method": "quantified", "horizon": 10**400}, "InvalidRequest"),
        ("allocate", {"alpha": "1", "method": 7}, "InvalidRequest"),
        ("divine", {}, "UnknownOperation"),
    ],
)
def test_errors_by_name(op, given, name):
    """What no vector asks for; that the vectors' errors are answered is tested with them."""
    assert error(op, **given) == name


@pytest.mark.parametrize("zero", ["-0", "-0.0", "-0/7", "-0e3", "+0"])
def test_zero_may_have_a_sign(zero):
    assert ask("loss", matrix=[["1", zero], ["1/2", "1/2"]], alpha="1") == ask(
        "loss", matrix=[["1", "0"], ["1/2", "1/2"]], alpha="1"
    )
    assert ask("loss", matrix=MODERATE, alpha=zero)["exact"] == "0"


@pytest.mark.parametrize(
    ("matrix", "error"),
    [
        ([["0.5", "0.5"], ["0", "1"]], InvalidNumber),
        ([[1, 0], [0, 1]], InvalidNumber),
        ([["0x1p+0", "0x1p-60"], ["0x0p+0", "0x1p+0"]], None),
        ([["0x1p+0", "0x1p-20"], ["0x0p+0", "0x1p+0"]], NotStochastic),
        ([["0x1.00000000000001p+0"]], InvalidNumber),
        ([["0x1p+1024"]], InvalidNumber),
        ([["0x1p-1075"]], InvalidNumber),
        ([["nan"]], InvalidNumber),
        ([["0x"]], InvalidNumber),
        ([["-0x1p+0"]], NegativeProbability),
    ],
)
def test_doubles_are_hexadecimal_and_no_others(matrix, error):
    if error is None:
        assert ask("loss_function", numbers="float64", matrix=matrix)["normalised_rows"] == {"matrix": [1]}
        return
    with pytest.raises((error, NotStochastic) if error is NegativeProbability else error):
        ask("loss_function", numbers="float64", matrix=matrix)


@pytest.mark.parametrize(
    ("kind", "match", "op", "given"),
    [
        (
            InvalidNumber,
            r"row 2, column 1: 0\.5 is not an exact",
            "loss_function",
            {"matrix": [["1", "0"], [0.5, 0.5]]},
        ),
        (NotStochastic, "^forward: row 2 sums to 3/4", "leakage", {"forward": [["1", "0"], ["1/4", "1/2"]]}),
        (
            NotStochastic,
            "^forward: row 1 sums to 2",
            "reverse",
            {"forward": [["1", "1"], ["0", "1"]], "initial": ["1"]},
        ),
        (InvalidNumber, r"^alpha: 0\.5", "loss", {"matrix": MODERATE, "alpha": 0.5}),
        (InvalidLevel, "epsilons 2", "leakage", {"epsilons": ["1", "-1"]}),
        (InvalidRequest, "'alpha'", "loss", {"matrix": MODERATE}),
        (InvalidRequest, "'beta'", "loss", {"matrix": MODERATE, "alpha": "1", "beta": "1"}),
    ],
)
def test_errors_say_where(kind, match, op, given):
    with pytest.raises(kind, match=match):
        ask(op, **{**({"epsilons": ["1"]} if op == "leakage" else {}), **given})


def test_enclosures_are_as_long_as_asked():
    for digits in (1, 30, 1000):
        level = ask("loss", digits=digits, matrix=MODERATE, alpha="1")
        lower, upper = Decimal(level["lower"]), Decimal(level["upper"])
        assert lower < upper
        assert len(upper.as_tuple().digits) in (digits, digits - 1)


def test_memory_of_loss_functions_is_bounded_and_honest():
    session = Session()
    for number in range(2, 2 + MOST_CACHED + 5):
        matrix = [[f"1/{number}", f"{number - 1}/{number}"], ["0", "1"]]
        for _ in range(2):
            assert session.answer("loss", {"matrix": matrix, "alpha": "inf"})["exact"] == "inf"
            assert session.answer("loss_function", {"matrix": matrix})["pieces"][0]["q"] == f"1/{number}"
    assert len(session._losses) == MOST_CACHED
    # The same texts mean another matrix in another notation.
    with pytest.raises(InvalidNumber):
        session.answer("loss", {"matrix": matrix, "alpha": "inf"}, 17, "float64")


def test_what_takes_too_long_is_refused():
    session = Session(seconds=-1)
    with pytest.raises(InvalidRequest, match="took too long: no answer within -1 s of processor time"):
        session.answer("loss_function", {"matrix": MODERATE})
    with pytest.raises(InvalidRequest, match="took too long"):
        session.answer("leakage", {"epsilons": ["1"]})


def counted(monkeypatch, *read):
    """Let no number of a request be read."""
    for name in read:
        monkeypatch.setattr(f"tploracle.wire.numerals.{name}", None)


@pytest.mark.parametrize(
    ("message", "op", "given"),
    [
        ("4000000 releases", "leakage", {"epsilons": ["1"] * 4_000_000}),
        ("1001 rows", "loss_function", {"matrix": [[]] * 1001}),
        ("1000000 columns", "loss_function", {"matrix": [["0"] * 1_000_000]}),
        ("1001 entries of initial", "reverse", {"forward": [["1"]], "initial": ["0"] * 1001}),
    ],
)
def test_what_is_too_much_is_counted_before_it_is_read(message, op, given, monkeypatch):
    if op != "reverse":
        counted(monkeypatch, "exact_row", "parse_level")
    with pytest.raises(InvalidRequest, match=f"too large: {message}, at most"):
        ask(op, **given)


@pytest.mark.parametrize(("releases", "digits"), [(340, 100_000), (14, 100_000), (10_000, 1_000)])
def test_many_digits_of_many_levels_are_counted_before_they_are_worked_out(releases, digits):
    with pytest.raises(InvalidRequest, match=f"too large: {3 * releases} levels with {digits} digits"):
        ask("leakage", digits=digits, epsilons=["1"] * releases)
    with pytest.raises(InvalidRequest, match="too large: 100 levels"):
        ask("allocate", digits=100_000, alpha="1", method="quantified", horizon=100)


@pytest.mark.parametrize(
    "text",
    ["0x1p+0", "0x1.fffffffffffffp1023", "0x1p-1022", "0x1p-1023", "0x0.8p-1022", "0x1p-1074", "0X1.8P0", "0x10p0"],
)
def test_doubles_in_hexadecimal_at_their_exact_values(text):
    assert hex_double(text) == Fraction(float.fromhex(text)) > 0


@pytest.mark.parametrize("text", ["0x1p1024", "0x1p-1075", "0x1.8p-1074", "0x1.00000000000001p0", "0x1p9999", "0x1.p"])
def test_what_lies_between_doubles_or_beyond_them_is_none(text):
    with pytest.raises(InvalidNumber):
        hex_double(text)


def test_what_is_handed_out_is_verified():
    adversary = Adversary.knowing(backward=SYMMETRIC)
    alpha, tenth, nine = parse_level("1"), parse_level("0.1"), parse_level("0.9")
    assert len(verified([tenth, tenth], [adversary], alpha)) == 1
    with pytest.raises(ArithmeticError, match="time 2"):
        verified([nine, nine], [adversary], alpha)
    with pytest.raises(ArithmeticError, match="time 1"):
        verified([tenth, nine], [adversary], alpha, attained=True)
    with pytest.raises(ArithmeticError, match="time 2"):
        verified([tenth, nine], [Adversary(), adversary], parse_level("0.9"))
    assert verified([alpha, alpha], [Adversary()], alpha, attained=True)
    verified_for_ever(tenth, [adversary], alpha)
    with pytest.raises(ArithmeticError):
        verified_for_ever(nine, [Adversary(), adversary], alpha)
    with pytest.raises(ArithmeticError):
        verified_for_ever(tenth, [Adversary.knowing(forward=STRONGEST)], alpha)
    exact = parse_level("log(2)")
    with pytest.raises(ArithmeticError):  # closer than 40 digits, but distinguished: both have exact forms
        verified([parse_level(f"log({2 * 10**60 + 1}/{10**60})")], [Adversary()], exact)
