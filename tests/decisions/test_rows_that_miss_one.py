"""`--normalise` mends what rounding spoilt, and nothing else: no typo and no transposed table becomes a matrix."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ..commands import refused, value
from ..profiles import examples

READ = ("loss", "-", "--alpha", "1")


def text(rows):
    return "\n".join(",".join(row) for row in rows)


@st.composite
def true_rows(draw):
    """Draw the exact rows of a matrix of up to five values, all of them positive."""
    n = draw(st.integers(2, 5))
    weights = draw(st.lists(st.lists(st.integers(1, 97), min_size=n, max_size=n), min_size=n, max_size=n))
    return [[Fraction(weight, sum(row)) for weight in row] for row in weights]


def rounded(number, decimals):
    """Round to decimals, halves up, as text: shares nothing with the package."""
    units = (number * 10**decimals * 2 + 1) // 2
    return f"{units // 10**decimals}.{units % 10**decimals:0{decimals}d}"


@examples(20)
@given(true_rows(), st.integers(1, 7))
def test_what_was_rounded_is_mended(rows, decimals):
    table = [[rounded(entry, decimals) for entry in row] for row in rows]
    sums = [sum(map(Fraction, row)) for row in table]
    assume(all(sums) and all(2 * abs(total - 1) * 10**decimals < len(rows) for total in sums))  # ties are no rounding
    assume(set(sums) == {1} or {sum(map(Fraction, column)) for column in zip(*table, strict=True)} != {1})
    found = value(*READ, "--normalise", stdin=text(table))
    missing = [number for number, total in enumerate(sums, 1) if total != 1]
    assert found.get("normalised_rows", {}) == ({"-": missing} if missing else {})


@examples(20)
@given(true_rows(), st.integers(2, 7), st.data())
def test_a_typo_is_not(rows, decimals, data):
    """One entry is off by more than all roundings of its row together."""
    table = [[rounded(entry, decimals) for entry in row] for row in rows]
    row, column = (data.draw(st.integers(0, len(rows) - 1)) for _ in range(2))
    off = data.draw(st.integers(len(rows), 10**decimals - 1))
    table[row][column] = rounded(Fraction(table[row][column]) + Fraction(off, 10**decimals), decimals)
    message = refused(*READ, "--normalise", stdin=text(table))
    assert message.startswith(f"NotStochastic: standard input: row {row + 1} sums to ")
    assert "--force-normalise" in message
    total = sum(map(Fraction, table[row]))
    assert value(*READ, "--force-normalise", stdin=text(table))["normalised_rows"]["-"].count(row + 1) == (total != 1)


@examples(20)
@given(true_rows(), st.integers(3, 6), st.sampled_from([(), ("--normalise",), ("--float64",)]))
def test_a_transposed_table_is_called_so(rows, decimals, options):
    table = [[rounded(entry, decimals) for entry in row[:-1]] for row in rows]
    table = [[*row, rounded(1 - sum(map(Fraction, row)), decimals)] for row in table]
    across = [list(column) for column in zip(*table, strict=True)]
    sums = [sum(map(Fraction, row)) for row in across]
    assume(any(2 * abs(total - 1) * 10**decimals > len(rows) for total in sums))
    assume(all(Fraction(entry) >= 0 for row in table for entry in row))
    assert "the table is transposed" in refused(*READ, *options, stdin=text(across))


@pytest.mark.parametrize("options", [(), ("--normalise",), ("--float64",), ("--float64", "--normalise")])
@pytest.mark.parametrize("table", ["0.6,0.3,0.2\n0.3,0.5,0.1\n0.1,0.2,0.7\n", "0.51,0.5\n0.49,0.5\n"])
def test_few_decimals_explain_no_transposed_table(table, options):
    """0.1 and 0.01 off are within what rounding explains, but it explains no columns that are all exact."""
    assert "the table is transposed" in refused(*READ, *options, stdin=table)


@pytest.mark.parametrize(
    ("table", "options"),
    [
        ("0.61,0.30\n0.5,0.5\n", ("--normalise",)),  # 91 %
        ("61,30\n50,50\n", ("--normalise", "--entries", "percentages")),
        ('[["0.61", "0.3"], ["0.5", "0.5"]]', ("--normalise",)),
        ("0.1,0.8\n0.5,0.5\n", ("--normalise",)),
        ("1,1\n0,1\n", ("--normalise",)),  # whole numbers were not rounded
        ("1/2,1/3\n0,1\n", ("--normalise",)),  # nor were ratios
        ("0.61,0.30\n0.5,0.5\n", ("--normalise", "--float64")),
    ],
)
def test_no_format_gets_past(table, options):
    assert "row 1 sums to" in refused(*READ, *options, stdin=table)


def test_significant_digits():
    """Six of them, as R and C's %g print: entries below 0.1 have more decimals than the others."""
    assert value(*READ, "--normalise", stdin="0.123456,0.876543,1.23456e-07\n0,1,0\n0,0,1\n")["normalised_rows"]
    assert "row 1 sums" in refused(*READ, "--normalise", stdin="0.123456,0.876533,1.23456e-07\n0,1,0\n0,0,1\n")
