"""Tables of entries: text split into cells, and the names that a header and an index give to rows and columns."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..contract.limits import LONGEST_FILE, MOST_RELEASES, MOST_STATES, check_count, check_written
from ..reference import InvalidLevel, InvalidNumber, InvalidRequest, Level, NotSquare
from ..reference.correlations import DOUBLE_ROUNDING
from ..wire.numerals import Reader, WrittenEntry
from ..wire.strict_json import Numeral, as_list, shown
from .doubt import UNLIKE_LABELS, doubt, name_of, order_of, uncommented
from .plain_text import cells, check_plain

BUDGET_COLUMN = "epsilon"
"""The column of budgets, in a file of several columns."""

_NO_CORNER = "an index needs a cell above it, or the names of the header in any order"

_QUOTED = re.compile(r'"[^"]*"')
_LIKE_A_NUMBER = re.compile(r"[-+]?([0-9.,][0-9.,'_ eE+-]*%?|nan|inf|infinity)", re.IGNORECASE)
"""What is no name: numbers, and what may be meant as one elsewhere."""

NAMED_SEPARATOR = re.compile(r"sep=([;,\t|])[;,\t ]*\r?\n", re.IGNORECASE)
"""The line by which spreadsheets say what separates cells."""

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
    """Entries as they were written, of files, frames, arrays and JSON alike.

    places: what each row is called where it came from, as in "line 3"; left: how many columns were before the entries;
    names: of the states, where the table has them; rounding: how far a row may miss 1 by the rounding of its entries to
    the table's type, per entry.
    """

    rows: Sequence[Sequence[Any]]
    places: Sequence[str] = ()
    left: int = 0
    names: tuple[str, ...] = ()
    rounding: Fraction = DOUBLE_ROUNDING

    def place(self, row: int, column: int) -> str:
        """Return where a cell stands, for errors."""
        return f"{self.row_place(row)}, column {column + 1 + self.left}"

    def row_place(self, row: int) -> str:
        """Return where a row stands, for errors."""
        return self.places[row] if row < len(self.places) else f"row {row + 1}"

    def inner(self, top: int, left: int, names: tuple[str, ...] = ()) -> Table:
        """Return the entries below and right of these, with the names of states."""
        return replace(
            self, rows=[[*r[left:]] for r in self.rows[top:]], places=self.places[top:], left=left, names=names
        )

    def cells(self) -> list[list[WrittenEntry]]:
        """Return the entries as they would be written: doubles as the shortest decimals that read back to them."""
        return [[written(entry) for entry in row] for row in self.rows]


def plain(entry: object) -> object:
    """Return one of numpy's numbers as Python's."""
    return entry.item() if hasattr(entry, "item") and hasattr(entry, "dtype") else entry


def written(entry: object) -> WrittenEntry:
    """Return an entry as it would be written."""
    match plain(entry):
        case None:
            return ""
        case bool():
            return str(entry)
        case Numeral() as own:
            return own
        case int() | str() as exact:
            return exact
        case float() as double:
            return Numeral(repr(double))
    return str(entry)


def oriented_by_pandas(value: object) -> Table | None:
    """Return the table of the JSON that `to_json` of pandas writes in its orients split and records; else None.

    Raises: InvalidRequest for the orients index and columns, between which nothing decides.
    """
    if isinstance(value, dict) and {"columns", "data"} <= {*value}:
        header, rows = as_list(value["columns"], "columns"), as_list(value["data"], "data")
        own = [as_list(row, f"data, row {number}") for number, row in enumerate(rows, 1)]
        index = value.get("index")
        names = names_of(header, "columns")
        if index is None or index == [*range(len(own))]:
            return Table(own, names=names)
        left = names_of(as_list(index, "index"), "index")
        return Table([own[at] for at in order_of(names, left, lambda row: f"row {row + 1}")], names=names)
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        keys = [*value[0]]
        if any([*row] != keys for row in value):
            raise doubt(UNLIKE_LABELS, "the objects of the rows have different keys, or the same in another order")
        return Table([[*row.values()] for row in value], names=names_of(keys, "keys"))
    if (
        isinstance(value, dict)
        and value
        and ({"schema", "data"} <= {*value} or all(isinstance(row, dict) for row in value.values()))
    ):
        raise doubt(
            UNLIKE_LABELS,
            "objects of rows or of columns, as to_json() of pandas writes, do not say which of them they are: "
            'write orient="split"',
        )
    return None


def is_json(text: str) -> bool:
    """Whether a text is JSON, by its first mark: no other table begins so."""
    return text.removeprefix("\ufeff").lstrip()[:1] in ("[", "{")


def delimited(
    text: str, most_rows: int = MOST_STATES, most_columns: int = MOST_STATES, comment: str | None = None
) -> Table:
    """Split text into cells, empty lines left out.

    Cells are separated by a semicolon, a tab, a comma or blanks: the first of these that the first line has outside of
    quotes, as no number has any of them; or by the mark that a line before all others names, as in sep=;.
    Args: how many rows and columns are admitted, a header and an index aside; comment, as `uncommented` has it.
    Raises: InvalidRequest with the line.
    """
    check_plain(text)
    rows: list[list[WrittenEntry]] = []
    places: list[str] = []
    for number, line in _split(text, comment):
        if len(rows) > most_rows:
            near = "" if len(line) > _FEW else f" of {len(line)} entries ({_ESTIMATED})"
            check_count(len(rows) + 1, most_rows, f"rows{near}")
        if len(line) > most_columns + 1:
            check_count(len(line), most_columns, "columns")
        rows.append([*line])
        places.append(f"line {number}")
    return Table(rows, places)


def _split(text: str, comment: str | None) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that are not empty, split, with their numbers."""
    named = NAMED_SEPARATOR.match(text)
    numbered = enumerate(io.StringIO(text, newline=""), 1)
    lines = [(number, line) for number, line in uncommented(numbered, comment) if line.strip()][bool(named) :]
    first = _QUOTED.sub("", lines[0][1] if lines else "")
    mark = named[1] if named else next((mark for mark in ";\t," if mark in first.strip()), None)
    for number, line in lines:
        if mark is None:
            yield number, [_unquoted(cell, number) for cell in line.split()]
        elif len(own := cells(line, mark, number)) > 1 or own[0].strip():
            yield number, own


def _unquoted(cell: str, line: int) -> str:
    """Return a cell without the quotation marks around it. Raises: InvalidRequest for one that has them elsewhere."""
    inner = cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell
    if '"' in inner:
        raise InvalidRequest(
            f"line {line}: {shown(cell)} has a quotation mark that does not surround it: "
            "cells that have blanks in them are separated by commas, semicolons or tabs, and end with their line"
        )
    return inner


def squared(table: Table, number: ReadNumber) -> Table:
    """Find the header and the index of a square table, where they cannot be entries, and take them off.

    A header is a first line without any number; with an index they have the same names, which may then be numbers,
    below and beside a corner that is none; the rows are put in the order of the header. An index alone is a first
    column without any number. Raises: InvalidRequest for names that occur twice or differ; NotSquare for what is not
    square, with the line; InvalidNumber for what is a log or sequences instead.
    """
    rows = table.rows
    has_corner = any(len(row) != len(rows[0]) + 1 for row in rows[1:])
    if not has_corner and len(rows) > 1 and sorted(_texts(rows[0])) == sorted(_texts([row[0] for row in rows[1:]])):
        rows = [["", *rows[0]], *rows[1:]]  # R writes none
        table = replace(table, rows=rows)
    top, left = rows[0] if rows else [], [row[0] if row else "" for row in rows]

    def names(cells: Sequence[WrittenEntry]) -> bool:
        return bool(cells) and not any(_is_number(cell, number) for cell in cells)

    if len(rows) > 1 and len(top) > 1 and names(top[:1]):
        header, index = _texts(top[1:]), _texts(left[1:])
        same = sorted(header) == sorted(index)
        square = len(rows) == len(top)
        inner = [cell for row in rows[1:] for cell in row[1:]]
        labelled = names(top) and names(left) and all(_is_number(cell, number) for cell in inner)
        if (square and (names(top) or (same and len(rows) > 2) or top[0] == "")) or (labelled and inner):
            if not same:
                _check_no_log(table, 1, 1, number)
            if not square and len({len(row) for row in rows}) > 1:
                return _checked(table.inner(1, 1, names_of(top[1:], "header")), number)
            own = table.inner(1, 1)
            named = names_of(top[1:], "header"), names_of(left[1:], "index")
            order = order_of(*named, own.row_place)
            return _checked(
                replace(
                    own,
                    rows=[own.rows[row] for row in order],
                    places=[own.places[row] for row in order] if own.places else (),
                    names=named[0],
                ),
                number,
            )
    if names(top):
        return _checked(table.inner(1, 0, names_of(top, "header")), number)
    if names(left) and len(top) == len(rows) + 1:
        return _checked(table.inner(0, 1, names_of(left, "index")), number)
    return _checked(table, number)


def _checked(table: Table, number: ReadNumber) -> Table:
    """Return the table. Raises: NotSquare with the line; as `_check_no_log`."""
    n = len(table.rows)
    if n < 1:
        raise NotSquare(
            "there is a header and no row below it" if table.names else "there are no rows: the file or table is empty"
        )
    for count, row in enumerate(table.rows, 1):
        if (width := len(row)) != n:
            near = f"; {_INDEXED}" if abs(width - n) == 1 and not table.left else ""
            if not all(_is_number(cell, number) for cell in row):
                near = f"; {_NO_TABLE}"
            raise NotSquare(
                f"{table.row_place(count - 1)}: row {count} has {width} entries, the matrix has {n} rows{near}"
            )
    _check_no_log(table, 0, 0, number)
    if table.names and len(table.names) != n:
        raise NotSquare(f"the header does not name the {n} rows: {_NO_CORNER}")
    return table


def _check_no_log(table: Table, top: int, left: int, number: ReadNumber) -> None:
    """Raise InvalidNumber where a column has words or dates alone: one such cell may be a mistake in a matrix.

    Rows may differ in length; then the columns that all of them have are looked at.
    """

    def is_word(cell: WrittenEntry) -> bool:
        if not (isinstance(cell, str) and cell.strip()):
            return False
        return _DATE.search(cell) is not None or not _is_number(cell, number)

    for column, own in enumerate(zip(*table.rows[top:], strict=False)):
        if column >= left and all(map(is_word, own)):
            place = table.place(top, column)
            raise InvalidNumber(f"{place}: {shown(own[0])} is not a number; {_NO_TABLE}")


def names_of(cells: Iterable[object], what: str) -> tuple[str, ...]:
    """Return names. Raises: InvalidRequest for one that is empty or twice there."""
    names = _texts(cells)
    for number, name in enumerate(names, 1):
        if not name:
            raise InvalidRequest(f"the {what}: name {number} is empty")
        if name in names[: number - 1]:
            raise InvalidRequest(f"the {what} has the name {shown(name)} twice")
    return names


def _texts(cells: Iterable[object]) -> tuple[str, ...]:
    return tuple(map(name_of, cells))


def _is_number(cell: WrittenEntry, number: ReadNumber) -> bool:
    try:
        number(cell, "")
    except (InvalidNumber, InvalidRequest):
        return isinstance(cell, str) and _LIKE_A_NUMBER.fullmatch(cell.strip()) is not None
    return True


def entries_of(table: Table, number: ReadNumber) -> tuple[tuple[Fraction, ...], ...]:
    """Read the entries, each at its place. Raises: as `number` does; InvalidRequest for too many digits in all."""
    check_written((cell for row in table.rows for cell in row if isinstance(cell, str)), LONGEST_FILE)
    return tuple(
        tuple(number(cell, table.place(i, j)) for j, cell in enumerate(row)) for i, row in enumerate(table.rows)
    )


def levels_of(text: str, comment: str | None = None) -> list[Level]:
    """Read budgets from text: one line of them, one column, or under a header the only column or the one of budgets.

    Raises: InvalidRequest for several columns; InvalidNumber and InvalidLevel; each with the line and the column.
    """
    table = delimited(text, MOST_RELEASES, MOST_RELEASES, comment)
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
