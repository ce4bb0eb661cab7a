"""Doubles in hexadecimal, rows of doubles that sum to exactly 1, and numbers drawn the same everywhere."""

from fractions import Fraction
from math import inf, nextafter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.wire.numerals import hex_double, hex_text
from vectors.generators.input_parts import (
    Drawing,
    cascade,
    drawn,
    rows_of,
    rows_of_text,
)

LEAST = 2.0**-1074


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(LEAST)
@example(2.0**-1022 - LEAST)
@example(nextafter(inf, 0))
def test_every_double_is_written_and_read_back(value):
    text = hex_text(value)
    assert text == hex_text(Fraction(value))
    assert float.fromhex(text) == value
    assert hex_double(text) == Fraction(value)


def test_the_form_is_normalised():
    texts = [hex_text(value) for value in (0, 1, Fraction(3, 4), LEAST, -10, 3 * LEAST, 0.1)]
    assert texts == ["0x0p+0", "0x1p+0", "0x1.8p-1", "0x1p-1074", "-0x1.4p+3", "0x1.8p-1073", "0x1.999999999999ap-4"]


@pytest.mark.parametrize(
    "value", [Fraction(1, 3), 1 - Fraction(1, 2**54), Fraction(1, 2**1075), 2**1024, 2**53 + 1, Fraction(3, 2**1075)]
)
def test_what_is_no_double_is_refused(value):
    with pytest.raises(ValueError, match="is not a double"):
        hex_text(value)


@pytest.mark.parametrize(("least", "states"), [(1, 2), (53, 2), (54, 3), (300, 7), (1000, 20), (1074, 22), (60, 10)])
def test_a_cascade_has_its_entry_and_sums_to_one(least, states):
    row = cascade(least, states)
    assert len(row) == states
    assert row[0] == Fraction(1, 2**least)
    assert sum(row) == 1
    assert all(hex_double(hex_text(entry)) == entry >= 0 for entry in row)


def test_a_cascade_does_not_fit_fewer_states():
    with pytest.raises(ValueError, match="3 states are needed, not 2"):
        cascade(54, 2)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1", ("1",)),
        ("1/2 1/2, 0 1", ("1/2 1/2", "0 1")),
        ("1/2 1/4 1/4, 0 0 1, ...", ("1/2 1/4 1/4", "0 0 1", "0 0 1")),
        ("0.5 0.5 0, ...", ("0.5 0.5 0",) * 3),
    ],
)
def test_rows_of_a_table(text, rows):
    assert rows_of_text(text) == rows


def test_rows_are_drawn_after_others():
    drawing = Drawing(5)
    parts = [tuple(drawing.row(n, 16) for _ in range(count)) for count, n in ((3, 3), (1, 4), (2, 2))]
    assert [drawn(5, 16, 3, 3), drawn(5, 16, 3, 3, 1, 4), drawn(5, 16, 3, 3, 1, 4, 2, 2)] == parts
    with pytest.raises(ValueError, match="shorter"):
        drawn(5, 16, 3)


def test_drawing_is_knuths_generator():
    state = 12345
    drawn = []
    for _ in range(20):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        drawn.append((state >> 33) * 1000 >> 31)
    drawing = Drawing(12345)
    assert [drawing.below(1000) for _ in range(12)] == drawn[8:]


@given(st.integers(0, 2**32), st.integers(2, 30), st.integers(8, 40))
def test_drawn_rows_are_dyadic_distributions(seed, n, bits):
    row = Drawing(seed).row(n, bits)
    assert sum(row) == 1
    assert all(entry > 0 and (entry * 2**bits).denominator == 1 for entry in row)
    columns = sorted(Drawing(seed).order(n)[: n // 2 + 1])
    chosen = Drawing(seed).row(n, bits, columns)
    assert [k for k, entry in enumerate(chosen) if entry] == columns
    assert sum(chosen) == 1
    assert sorted(Drawing(seed).order(n)) == list(range(n))


def test_rows_are_read_exactly():
    assert rows_of("3/4 0.25", "0 1") == ((Fraction(3, 4), Fraction(1, 4)), (Fraction(0), Fraction(1)))
