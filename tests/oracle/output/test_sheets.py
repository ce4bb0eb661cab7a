"""Enclosures and names in the cells of tables."""

import pytest

from tploracle.output.sheets import bracketed, printable


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
