"""Tables of entries: text split into cells, and the names that a header and an index give to rows and columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from ..contract.limits import LONGEST_FILE, MOST_RELEASES, MOST_STATES, check_count, check_written
from ..reference import InvalidLevel, InvalidNumber, InvalidRequest, Level, NotSquare
from ..wire.numerals import Reader, WrittenEntry
from ..wire.strict_json import shown
from .plain_text import check_plain

BUDGET_COLUMN = "epsilon"
"""The column of budgets, in a file of several columns."""

_QUOTED = re.compile(r'"[^"]*"')
_LIKE_A_NUMBER = re.compile(r"[-+]?([0-9.,][0-9.,'_ eE+-]*%?|nan|inf|infinity)", re.IGNORECASE)
"""What is no name: numbers, and what may be meant as one elsewhere."""

_DATE = re.compile(r"[0-9]-[0-9]")
_ESTIMATED = "from a log or from sequences, tploracle estimate makes a matrix"
_NO_TABLE = f"this is not a table of numbers: {_ESTIMATED}"
_FEW = 20
"""Columns of a log, not of a matrix with too many rows."""
_INDEXED = "an index is recognised by a header above it, as pandas writes both"

ReadNumber = Callable[[WrittenEntry, str], Fraction]
"""Reads an entry at a place. Raises: InvalidNumber with the place; InvalidRequest for what is no number at all."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells as they were written; places: what each row is called where it came from, as in "line 3"."""

    rows: list[list[WrittenEntry]]
    places: list[str]

    def place(self, row: int, column: int) -> str:
        """Return where a cell stands, for errors."""
        return f"{self.places[row]}, column {column + 1}"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the entries of a table begin, below a header and right of an index, and the names of these."""

    top: int = 0
    left: int = 0
    names: tuple[str, ...] = ()


def delimited(text: str, most_rows: int = MOST_STATES, most_columns: int = MOST_STATES) -> Table:
    """Split text into cells, empty lines left out.

    Cells are separated by a semicolon, a tab, a comma or blanks: the first of these that the first line has outside of
    quotes, as no number has any of them. Args: how many rows and columns are admitted, a header and an index aside.
    Raises: InvalidRequest with the line.
    """
    check_plain(text)
    table = Table([], [])
    for number, line in _split(text):
        if len(table.rows) > most_rows:
            near = "" if len(line) > _FEW else f" of {len(line)} entries ({_ESTIMATED})"
            check_count(len(table.rows) + 1, most_rows, f"rows{near}")
        if len(line) > most_columns + 1:
            check_count(len(line), most_columns, "columns")
        table.rows.append([*line])
        table.places.append(f"line {number}")
    return table


def _split(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that are not empty, split, with their numbers."""
    first = _QUOTED.sub("", next((line for line in io.StringIO(text) if line.strip()), ""))
    mark = next((mark for mark in ";\t," if mark in first.strip()), None)
    if mark is None:
        for number, line in enumerate(io.StringIO(text), 1):
            if line.strip():
                yield number, [_unquoted(cell, number) for cell in line.split()]
        return
    lines = csv.reader(io.StringIO(text), delimiter=mark, strict=True)
    try:
        for cells in lines:
            if any("\n" in cell for cell in cells):
                raise InvalidRequest(f"line {lines.line_num}: a quoted cell continues past the end of its line")
            if len(cells) > 1 or (cells and cells[0].strip()):
                yield lines.line_num, cells
    except csv.Error as error:
        raise InvalidRequest(f"line {lines.line_num} is not CSV: {error}") from None


def _unquoted(cell: str, line: int) -> str:
    """Return a cell without the quotation marks around it. Raises: InvalidRequest for one that has them elsewhere."""
    inner = cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell
    if '"' in inner:
        raise InvalidRequest(
            f"line {line}: {shown(cell)} has a quotation mark that does not surround it: "
            "cells that have blanks in them are separated by commas, semicolons or tabs, and end with their line"
        )
    return inner


def layout_of_square(table: Table, number: ReadNumber) -> Layout:
    """Find the header and the index of a square matrix, where they cannot be entries.

    A header is a first line without any number; with an index they have the same names in the same order, which may
    then be numbers, below and beside a corner that is none. An index alone is a first column without any number.
    Raises: InvalidRequest for names that occur twice or differ; NotSquare for what is not square, with the line;
    InvalidNumber for what is a log or sequences instead.
    """
    rows = table.rows
    top, left = rows[0] if rows else [], [row[0] if row else "" for row in rows]

    def names(cells: list[WrittenEntry]) -> bool:
        return bool(cells) and not any(_is_number(cell, number) for cell in cells)

    if len(rows) == len(top) > 1 and names(top[:1]):
        same = _texts(top[1:]) == _texts(left[1:])
        if names(top) or (same and len(rows) > 2) or top[0] == "":
            if not same:
                _check_no_log(table, Layout(1, 1), number)
                at = next(i for i, (a, b) in enumerate(zip(top, left, strict=True)) if i and str(a) != str(b))
                raise InvalidRequest(
                    f"{table.place(0, at)} is headed {shown(top[at])} where {table.places[at]} begins with "
                    f"{shown(left[at])}: header and index have the same names in the same order"
                )
            return _checked(table, Layout(1, 1, _names(top[1:], "header")), number)
    if names(top):
        return _checked(table, Layout(1, 0, _names(top, "header")), number)
    if names(left) and len(top) == len(rows) + 1:
        return _checked(table, Layout(0, 1, _names(left, "index")), number)
    return _checked(table, Layout(), number)


def _checked(table: Table, layout: Layout, number: ReadNumber) -> Layout:
    """Return the layout. Raises: NotSquare with the line; as `_check_no_log`."""
    n = len(table.rows) - layout.top
    if n < 1:
        raise NotSquare(
            "there is a header and no row below it" if layout.top else "there are no rows: the file or table is empty"
        )
    for count, row in enumerate(table.rows[layout.top :], 1):
        if (width := len(row) - layout.left) != n:
            place = table.places[count - 1 + layout.top]
            near = f"; {_INDEXED}" if abs(width - n) == 1 and not layout.left else ""
            if not all(_is_number(cell, number) for cell in row[layout.left :]):
                near = f"; {_NO_TABLE}"
            raise NotSquare(f"{place}: row {count} has {width} entries, the matrix has {n} rows{near}")
    _check_no_log(table, layout, number)
    return layout


def _check_no_log(table: Table, layout: Layout, number: ReadNumber) -> None:
    """Raise InvalidNumber where a column has words or dates alone: one such cell may be a mistake in a matrix.

    Rows may differ in length; then the columns that all of them have are looked at.
    """

    def is_word(cell: WrittenEntry) -> bool:
        if not (isinstance(cell, str) and cell.strip()):
            return False
        return _DATE.search(cell) is not None or not _is_number(cell, number)

    for column, cells in enumerate(zip(*table.rows[layout.top :], strict=False)):
        if column >= layout.left and all(map(is_word, cells)):
            place = table.place(layout.top, column)
            raise InvalidNumber(f"{place}: {shown(cells[0])} is not a number; {_NO_TABLE}")


def _names(cells: list[WrittenEntry], what: str) -> tuple[str, ...]:
    names = _texts(cells)
    for number, name in enumerate(names, 1):
        if not name:
            raise InvalidRequest(f"the {what}: name {number} is empty")
        if name in names[: number - 1]:
            raise InvalidRequest(f"the {what} has the name {shown(name)} twice")
    return names


def _texts(cells: list[WrittenEntry]) -> tuple[str, ...]:
    return tuple(str(cell).strip() for cell in cells)


def _is_number(cell: WrittenEntry, number: ReadNumber) -> bool:
    try:
        number(cell, "")
    except (InvalidNumber, InvalidRequest):
        return isinstance(cell, str) and _LIKE_A_NUMBER.fullmatch(cell.strip()) is not None
    return True


def entries_of(table: Table, layout: Layout, number: ReadNumber) -> tuple[tuple[Fraction, ...], ...]:
    """Read the entries, each at its place. Raises: as `number` does; InvalidRequest for too many digits in all."""
    rows = [row[layout.left :] for row in table.rows[layout.top :]]
    check_written((cell for row in rows for cell in row if isinstance(cell, str)), LONGEST_FILE)
    return tuple(
        tuple(number(cell, table.place(i, j)) for j, cell in enumerate(row, layout.left))
        for i, row in enumerate(rows, layout.top)
    )


def levels_of(text: str) -> list[Level]:
    """Read budgets from text: one line of them, one column, or under a header the only column or the one of budgets.

    Raises: InvalidRequest for several columns; InvalidNumber and InvalidLevel; each with the line and the column.
    """
    table = delimited(text, MOST_RELEASES, MOST_RELEASES)
    rows = table.rows
    check_written(cell for row in rows for cell in row if isinstance(cell, str))
    if len(rows) == 1:
        check_count(len(rows[0]), MOST_RELEASES, "releases")
        return [_level(table, 0, column) for column in range(len(rows[0]))]
    column = top = 0
    if rows and not any(_is_level(cell) for cell in rows[0]):
        header, top = _texts(rows[0]), 1
        if len(header) > 1:
            if header.count(BUDGET_COLUMN) != 1:
                raise InvalidRequest(
                    f"{table.places[0]}: the header has {', '.join(map(shown, header[:20]))}: "
                    f"of several columns the one of budgets is called {BUDGET_COLUMN}"
                )
            column = header.index(BUDGET_COLUMN)
    width = len(rows[0]) if rows else 0
    for number, row in enumerate(rows):
        if len(row) != width or (width > 1 and not top):
            raise InvalidRequest(
                f"{table.places[number]} has {len(row)} column{'s' if len(row) > 1 else ''}: budgets are one line, "
                f"one column, or under a header the column {BUDGET_COLUMN}; an index is no budget"
            )
    check_count(len(rows) - top, MOST_RELEASES, "releases")
    return [_level(table, row, column) for row in range(top, len(rows))]


def _level(table: Table, row: int, column: int) -> Level:
    return Reader().level(table.rows[row][column], table.place(row, column))


def _is_level(cell: WrittenEntry) -> bool:
    try:
        Reader().level(cell, "")
    except InvalidLevel:
        return True  # a negative one is no name
    except InvalidNumber:
        return False
    return True
