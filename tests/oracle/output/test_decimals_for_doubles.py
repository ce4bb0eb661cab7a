"""What anybody reads as doubles from CSV and JSON is on the safe side, whatever reads it."""

import io
import json
from decimal import Context, Decimal
from fractions import Fraction
from math import inf

import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tploracle.output.sheets import SafeDoubles, Sheet, csv_text, decimal_above, decimal_below, level_cell
from tploracle.reference import Adversary, Level, budgets, leakage, parse_level
from tploracle.wire.strict_json import encode
from tploracle.wire.values import level_value

from ...commands import run, value
from ...matrices import SKEWED
from ...strategies import levels


def seventeen_digits(text):
    """Read a decimal as pandas did before its third version: 17 digits, zeros in front of them among these, and then
    one power of ten, each step rounded to a double."""
    if text == "inf":
        return inf
    mantissa, _, power = text.partition("E")
    whole, _, places = mantissa.partition(".")
    digits = whole + places
    exponent = int(power or 0) - len(places) + max(0, len(digits) - 17)
    number = 0.0
    for digit in digits[:17]:
        number = number * 10.0 + int(digit)
    if exponent > 308:
        return inf
    if exponent < -308:
        number, exponent = number / float(f"1e{-308 - exponent}"), -308
    return number * float(f"1e{exponent}") if exponent > 0 else number / float(f"1e{-exponent}")


def fifteen_digits(text):
    """Read a decimal as spreadsheets do: digits beyond the fifteenth are zeros."""
    if text == "inf":
        return inf
    sign, digits, exponent = Decimal(text).as_tuple()
    return float(Decimal((sign, digits[:15] + (0,) * (len(digits) - 15), exponent)))


READERS = [float, seventeen_digits, fifteen_digits]


def assert_safe(lower, upper, truth):
    for read in READERS:
        assert Fraction(read(lower)) <= truth
        assert read(upper) == inf or Fraction(read(upper)) >= truth


@given(st.decimals(0, 10**9, allow_nan=False, allow_infinity=False))
@example(Decimal("0.3"))
@example(Decimal("0.1"))
@example(Decimal(0))
@example(Decimal("2.2250738585072014E-308"))
@example(Decimal("1E-323"))
@example(Decimal("1E-400"))
@example(Decimal("1E+400"))
@example(Decimal("9.9999999999999999E-9"))
@example(Decimal("1.7976931348623157E+308"))
@example(Decimal("123456789.012345678901234567890"))
def test_both_sides_of_a_decimal(value):
    lower, upper = decimal_below(str(value)), decimal_above(str(value))
    assert Decimal(lower) <= value <= Decimal(upper)
    assert_safe(lower, upper, Fraction(value))
    if Decimal("1e-300") < value < Decimal("1e300"):
        assert Decimal(upper) - Decimal(lower) <= value * Decimal("5e-14")
        assert all(len(Decimal(text).as_tuple().digits) <= 15 for text in (lower, upper))


@given(st.floats(1e-300, 1e300))
def test_what_readers_may_miss(value):
    """Ends are so far out that a reader may miss by three ulps, where powers of ten are not doubles."""
    assume(abs(Context(prec=15).plus(Decimal(value)).as_tuple().exponent) > 22)
    for text, sign in ((decimal_below(repr(value)), -1), (decimal_above(repr(value)), 1)):
        assert sign * (Fraction(float(text)) - Fraction(value)) > 3 * Fraction(value) / 2**53


def test_infinite_ends():
    assert decimal_above("inf") == decimal_below("inf") == "inf"


@given(levels(), st.sampled_from([1, 3, 15, 17, 30]))
def test_a_level_in_csv(level, digits):
    header, line = csv_text(Sheet("", ("TPL",), [[level_value(level, digits)]])).splitlines()
    assert header == "tpl_exact,tpl_lower,tpl_upper,tpl_enclosure"
    row = pd.read_csv(io.StringIO(f"{header}\n{line}\n"), dtype={"tpl_exact": str}).iloc[0]
    enclosure = level.enclosure(digits)
    if level.is_infinite:
        assert row["tpl_lower"] == row["tpl_upper"] == inf
        return
    assert row["tpl_enclosure"] == f"[{enclosure.lower}, {enclosure.upper}]"
    assert Level.of(Fraction(float(row["tpl_lower"]))) <= level <= Level.of(Fraction(float(row["tpl_upper"])))


def read_by_all(text):
    """Yield the columns of numbers of CSV, as several libraries and old ones read them."""
    yield pd.read_csv(io.StringIO(text)).to_dict("list")
    yield pd.read_csv(io.StringIO(text), engine="python").to_dict("list")
    yield pl.read_csv(io.StringIO(text)).to_dict(as_series=False)
    texts = pd.read_csv(io.StringIO(text), dtype=str).to_dict("list")
    for read in (seventeen_digits, fifteen_digits):
        yield {
            name: [read(cell) for cell in column]
            for name, column in texts.items()
            if name.endswith(("_lower", "_upper"))
        }


def above(read, truths):
    return all(Level.of(Fraction(double)) >= truth for double, truth in zip(read, truths, strict=True))


def below(read, truths):
    return all(Level.of(Fraction(double)) <= truth for double, truth in zip(read, truths, strict=True))


EPSILON = parse_level("0.1")
BOTH = ("--backward", "f.csv", "--forward", "f.csv")


def test_leakage_read_by_everybody(folder):
    args = ("leakage", *BOTH, "--epsilon", "0.1", "--steps", 70)
    truth = leakage([EPSILON] * 70, Adversary.knowing(SKEWED, SKEWED))
    text = run(*args, "--csv").stdout
    for columns in read_by_all(text):
        for kind in ("bpl", "fpl", "tpl"):
            assert above(columns[f"paper_bound_{kind}_upper"], getattr(truth, kind))
            assert below(columns[f"paper_bound_{kind}_lower"], getattr(truth, kind))
    # Nearest doubles are not: what is tested here is not there by chance.
    assert not above([float(level.enclosure(17).upper) for level in truth.tpl], truth.tpl)
    answer = value(*args, "--float")["paper_bound"]
    frame = pd.DataFrame(answer["tpl"])
    assert above(frame["double"].astype(float), truth.tpl)
    assert [float.fromhex(text) for text in frame["hex"]] == [float(level) for level in truth.tpl]
    rows = [line.split() for line in run(*args, "--float", "--model", "paper-bound").stdout.splitlines()]
    assert [row[-1] for row in rows if row and row[0].isdigit() and len(row) == 4] == list(frame["double"])


def test_budgets_read_by_everybody(folder):
    args = ("allocate", "--alpha", "1", *BOTH, "--method", "quantified")
    truth = budgets(parse_level("1"), Adversary.knowing(SKEWED, SKEWED)).quantified(3)
    for columns in read_by_all(run(*args, "--steps", 3, "--csv").stdout):
        assert below(columns["paper_bound_budget_lower"], truth)
        assert above(columns["paper_bound_budget_upper"], truth)
    answer = value(*args, "--steps", 3, "--float")["paper_bound"]
    assert [float(entry["double"]) for entry in answer["epsilons"]] == [float(budget) for budget in truth]
    assert below([float(entry["double"]) for entry in answer["epsilons"]], truth)


@given(levels(), st.sampled_from([1, 8, 17, 30]))
def test_a_level_in_json(level, digits):
    """What `json.loads` gives are texts; the double that --float puts beside them is on the safe side."""
    for each, sign in ((level, 1), (level.to_spend(), -1)):
        read = json.loads(encode(level_cell(each, SafeDoubles(digits))), parse_float=pytest.fail)
        assert level_value(each, digits) == {key: read[key] for key in ("exact", "lower", "upper")}
        double = float(read["double"])
        assert double == (inf if read["hex"] == "inf" else float.fromhex(read["hex"]))
        if double != inf:
            assert sign * Level.of(Fraction(double)).compare(each) >= 0
        else:
            assert each.is_infinite or sign > 0
    assert "double" not in json.loads(encode(level_cell(level, digits)))


QUESTIONS = [
    ("leakage", *BOTH, "--epsilon", "0.1", "--steps", 4),
    ("leakage", *BOTH, "--epsilon", "0.1", "--after", "3,5"),
    ("supremum", "f.csv", "--one-sided", "--epsilon", "0.1", "--within", "0.01", "--steps", 3),
    ("allocate", *BOTH, "--alpha", "1", "--method", "constant", "--steps", 3),
    ("composition", *BOTH, "--epsilon", "0.1", "--steps", 4, "--w", 2),
    ("control", "f.csv", "--previous", "0.1", "--cap", "1"),
    ("loss", "f.csv", "--alpha", "0.1"),
    ("audit", *BOTH),
    ("spend", "ledger", *BOTH, "--init", "--cap", "1", "--epsilon", "0.1", "--show"),
    ("loss-function", "f.csv"),
    ("utility", *BOTH, "--alpha", "1", "--steps", "3"),
    ("attack", *BOTH, "--epsilon", "0.1", "--steps", 2),
    ("uncertainty", "f.csv", "--count-table", "--epsilon", "0.1", "--steps", 2, "--draws", 2),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question[0])
def test_no_level_is_a_number_of_json(folder, question):
    if question[0] == "uncertainty":
        (folder / "f.csv").write_text("4,1\n1,9\n")
    options = ["--float"] if "--float " in run(question[0], "--help").stdout else []
    (line,) = run(*question, "--json", *options).stdout.splitlines()
    doubles = list(found_doubles(json.loads(line, parse_float=pytest.fail)))
    assert bool(doubles) is bool(options)
    for level in doubles:  # a double is next to the ends that the level is between
        assert level["hex"] == float(level["double"]).hex()
        assert float(level["lower"]) - 1e-7 <= float(level["double"]) <= float(level["upper"]) + 1e-7


def found_doubles(value):
    """Yield the levels within a value that have a double beside them."""
    if isinstance(value, dict) and "double" in value:
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from found_doubles(each)


def test_an_account_and_an_audit_in_doubles(folder):
    known = Adversary.knowing(SKEWED, SKEWED)
    run("spend", "ledger", *BOTH, "--init", "--cap", "1", "--epsilon", "0.1", "--epsilon", "0.1")
    account = value("spend", "ledger", "--float", "--show")["paper_bound"]
    truth = leakage([EPSILON] * 2, known)
    for kind in ("bpl", "fpl", "tpl"):
        assert [float(each["double"]) for each in account[kind]] == [float(each) for each in getattr(truth, kind)]
    screen = run("spend", "ledger", "--float").stdout
    assert f" {account['left']['double']}\n" in screen
    assert f" {account['worst']['double']} " in screen
    assert "an adversary's odds between two values at one time change by a factor of at most" in screen
    left = Level.of(Fraction(float(account["left"]["double"])))  # read as a double it may be spent
    assert max(leakage([EPSILON, EPSILON, left], known).tpl) <= parse_level("1")
    constant = budgets(parse_level("1"), known).middle
    assert constant.double_below() < constant.double_above()
    doubles = {float(level["double"]) for level in found_doubles(value("audit", *BOTH, "--steps", 2, "--float"))}
    assert {constant.double_below(), float(max(truth.tpl))} <= doubles
    screen = run("audit", *BOTH, "--steps", 2, "--float").stdout
    assert repr(constant.double_below()) in screen
    assert repr(float(max(truth.tpl))) in screen
