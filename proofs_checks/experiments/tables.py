"""Tables of text: every level with its exact value where that is short, and an enclosure always."""

import csv
import io
from math import nan

LONGEST_EXACT = 60
"""Exact values of more characters are left out of the tables."""


def level_cells(level, prefix=""):
    """Return a level as three cells: its exact value in the contract's notation if short, lower and upper bound."""
    bounds, exact = level.enclosure(17), level.exact_text or ""
    cells = {
        "exact": exact if len(exact) <= LONGEST_EXACT else "",
        "lower": decimal(bounds.lower),
        "upper": decimal(bounds.upper),
    }
    return {prefix + name: cell for name, cell in cells.items()}


def decimal(value):
    """Return a decimal as text, `inf` for infinity."""
    return "inf" if value.is_infinite() else f"{value:f}"


def middle(row, column="upper"):
    """Return a bound as a double, NaN where it is infinite or missing."""
    text = row[column]
    return nan if text in ("", "inf") else float(text)


def where(table, **cells):
    """Return the rows that have these cells."""
    return [row for row in table if all(row[name] == str(cell) for name, cell in cells.items())]


def line(table, column="upper", **cells):
    """Return a column of the rows that have these cells, as doubles."""
    return [middle(row, column) for row in where(table, **cells)]


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
