"""Enclosures and names in the cells of tables."""

import pytest

from tploracle.output.sheets import bracketed, divided_note, odds, odds_note
from tploracle.reference import parse_level
from tploracle.wire.strict_json import printable


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        ("0.12345", "0.12346", "0.1234[5,6]"),
        ("0.1", "0.101", "0.10[0,1]"),
        ("0.0999", "0.1", "0.[0999,1000]"),
        ("9", "10", "[9, 10]"),
        ("12", "13", "1[2,3]"),
        ("1", "1", "1"),
        ("inf", "inf", "inf"),
        ("1E-10", "2E-10", "[1E-10, 2E-10]"),
    ],
)
def test_bracketed(lower, upper, text):
    assert bracketed(lower, upper) == text


def test_printable():
    assert printable("ε = 0.1 [bold]\n\x07\ud800") == "ε = 0.1 [bold]\\n\\x07\\ud800"


@pytest.mark.parametrize(
    ("level", "said"),
    [
        ("0", "by a factor of at most 1"),
        ("log(2)", "by a factor of at most 2"),
        ("1/10", "by a factor of at most 1.106"),  # e^0.1 = 1.10517…
        ("2.8687", "by a factor of at most 17.62"),  # e^2.8687 = 17.6140…
        ("710", "by a factor of at most e^710"),
        ("inf", "without bound"),
    ],
)
def test_what_a_level_does_to_odds(level, said):
    assert odds(parse_level(level)) == said
    assert odds_note(parse_level(level)).endswith(f"odds between two values at one time {said}.")


def test_a_note_has_the_level_rounded_up():
    assert odds_note(parse_level("log(11/10)")).startswith("A TPL of 0.09532 nats: ")  # log(1.1) = 0.0953101…


def test_of_many_rows_that_were_divided_some_are_named():
    assert divided_note("m.csv", [1, 3]) == "m.csv: rows divided by their exact sums: 1, 3"
    assert divided_note("m.csv", [*range(1, 21)]).endswith(", 19, 20")
    assert divided_note("m.csv", [*range(1, 962)]).endswith(", 19, 20, … (961 in all)")
