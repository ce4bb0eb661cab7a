"""Tables of text: every level with its exact value where that is short, and an enclosure always."""

import csv
import io
from fractions import Fraction
from math import nan

LONGEST_EXACT = 60
"""Exact values of more characters than this are left out."""


def short(text):
    """Return an exact value, or nothing where it has no exact form or a long one."""
    return text if text is not None and len(text) <= LONGEST_EXACT else ""


def level_cells(level, prefix="", digits=17):
    """Return a level as three cells: its exact value in the contract's notation if short, lower and upper bound."""
    bounds = level.enclosure(digits)
    cells = {"exact": short(level.exact_text), "lower": decimal(bounds.lower), "upper": decimal(bounds.upper)}
    return {prefix + name: cell for name, cell in cells.items()}


def decimal(value):
    """Return a decimal as text, `inf` for infinity."""
    return "inf" if value.is_infinite() else f"{value:f}"


def middle(row, prefix=""):
    """Return a point of a row's enclosure as a double, NaN where it is infinite: for drawing and for sentences."""
    text = row[prefix + "upper"]
    return nan if text == "inf" else float(text)


def bounds(row, prefix=""):
    """Return a row's lower and upper bound as fractions."""
    return Fraction(row[prefix + "lower"]), Fraction(row[prefix + "upper"])


def where(table, **cells):
    """Return the rows that have these cells."""
    return [row for row in table if all(row[name] == str(cell) for name, cell in cells.items())]


def values(table, column):
    """Return the different cells of a column, in order of appearance."""
    return list(dict.fromkeys(row[column] for row in table))


def to_csv(table):
    """Write a table as CSV, UTF-8."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(dict.fromkeys(name for row in table for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return stream.getvalue().encode()


def from_csv(content):
    """Read a table."""
    return list(csv.DictReader(io.StringIO(content.decode())))
