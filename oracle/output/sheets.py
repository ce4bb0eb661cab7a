"""Answers as sheets: tables on the screen, JSON lines, or CSV; matrices and enclosures in them."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..contract.limits import check_digits
from ..reference import InvalidRequest, TransitionMatrix
from ..wire.strict_json import Object, encode

Cell = str | int | Object
"""What a table holds: texts, numbers, and levels as the contract writes them."""

_UNBOUNDED_WIDTH = 1_000_000
_LONGEST_EXACT = 24

BRACKETS = "In nats. 0.12[3,4] is an enclosure: at least 0.123, at most 0.124."


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: its rows have a cell for each column. `notes` stand below it on the screen, and nowhere else."""

    title: str
    columns: tuple[str, ...]
    rows: list[list[Cell]]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Output:
    """How one command writes its answers, from the common options."""

    digits: int = 17
    as_json: bool = False
    as_csv: bool = False
    normalised: dict[str, list[int]] = field(default_factory=dict)
    deviations: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_digits(self.digits)
        if self.as_json and self.as_csv:
            raise InvalidRequest("--json and --csv exclude each other")

    def write(self, values: Sequence[Object], *sheets: Sheet) -> None:
        """Write answers: each value as a line of JSON, or the first sheet as CSV, or all the sheets as tables."""
        for name, rows in self.normalised.items():
            if not self.as_json:
                numbers = ", ".join(map(str, rows))
                click.echo(f"note: {name}: rows divided by their exact sums: {numbers}", err=True)
        for name, told in self.deviations.items():
            click.echo(f"note: {name}: {told}", err=True)
        if self.as_json:
            notes: Object = {"normalised_rows": dict(self.normalised)} if self.normalised else {}
            for value in values:
                click.echo(encode({**value, **notes}))
        elif self.as_csv:
            click.echo(csv_text(sheets[0]), nl=False)
        else:
            for sheet in sheets:
                print_table(sheet)

    def write_matrix(self, key: str, matrix: TransitionMatrix) -> None:
        """Write a matrix: as JSON under this key, or as CSV that can be read again."""
        texts = matrix.texts()
        self.write([{key: texts}], matrix_csv(texts) if self.as_csv else matrix_sheet(key, texts))


def witness_cells(value: Object) -> list[Cell]:
    """Return the rows and the columns of a witness for two cells of a table."""
    rows, subset = value["rows"], value["subset"]
    assert isinstance(subset, list)
    return [" / ".join(map(str, rows)) if isinstance(rows, list) else "all equal", " ".join(map(str, subset))]


def matrix_sheet(title: str, rows: Sequence[Sequence[str]], states: Sequence[str] = ()) -> Sheet:
    """Return a matrix as a table, with a column of row names on the screen."""
    names = list(states) or [str(number) for number in range(1, len(rows) + 1)]
    return Sheet(title, ("", *names), [[name, *row] for name, row in zip(names, rows, strict=True)])


def matrix_csv(rows: Sequence[Sequence[str]]) -> Sheet:
    """Return a matrix as CSV that can be read again: entries alone, no names."""
    return Sheet("", (), [list(row) for row in rows])


def csv_text(sheet: Sheet) -> str:
    """Write a sheet as CSV: a level has a column each for its exact text and the ends of its enclosure."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    levels = [any(isinstance(row[i], dict) for row in sheet.rows) for i in range(len(sheet.columns))]
    if sheet.columns:
        header: list[str] = []
        for column, is_level in zip(sheet.columns, levels, strict=True):
            name = column.strip().lower().replace(" ", "_")
            header += [f"{name}_exact", f"{name}_lower", f"{name}_upper"] if is_level else [name]
        writer.writerow(header)
    for row in sheet.rows:
        line: list[object] = []
        for cell in row:
            line += [cell["exact"], cell["lower"], cell["upper"]] if isinstance(cell, dict) else [cell]
        writer.writerow(line)
    return stream.getvalue()


class _Console(Console):
    """Leaves it to the shell to end quietly where nobody reads on."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def print_table(sheet: Sheet) -> None:
    """Print a sheet on standard output; where that is no terminal, no line is folded."""
    on_terminal = sys.stdout.isatty()
    console = _Console(file=sys.stdout, width=None if on_terminal else _UNBOUNDED_WIDTH, highlight=False)
    console.print(Text(printable(sheet.title), style="bold"), soft_wrap=True)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for index, column in enumerate(sheet.columns):
        words = any(isinstance(row[index], str) for row in sheet.rows)
        table.add_column(Text(printable(column)), justify="left" if words else "right", overflow="fold")
    for row in sheet.rows:
        table.add_row(*(Text(_shown(cell)) for cell in row))
    console.print(table)
    for note in sheet.notes:
        console.print(Text(printable(note)), soft_wrap=True)
    console.print()


def _shown(cell: Cell) -> str:
    if not isinstance(cell, dict):
        return printable(str(cell))
    exact, numeral = cell["exact"], bracketed(str(cell["lower"]), str(cell["upper"]))
    if isinstance(exact, str) and exact != numeral and len(exact) <= _LONGEST_EXACT and "(" in exact:
        return f"{numeral} = {exact}"
    return numeral


def bracketed(lower: str, upper: str) -> str:
    """Write an enclosure in short: the digits in common once, those that differ in brackets.

    >>> bracketed("0.12", "0.121"), bracketed("0.5", "0.5"), bracketed("1E-9", "2E-9")
    ('0.12[0,1]', '0.5', '[1E-9, 2E-9]')
    """
    if lower == upper:
        return lower
    if "E" in lower + upper:
        return f"[{lower}, {upper}]"
    places = max(len(text.partition(".")[2]) for text in (lower, upper))
    low, high = (_padded(text, places) for text in (lower, upper))
    if len(low) != len(high):
        return f"[{low}, {high}]"
    common = next(place for place, (one, other) in enumerate(zip(low, high, strict=True)) if one != other)
    if "." not in low[:common]:
        return f"[{low}, {high}]" if places else f"{low[:common]}[{low[common:]},{high[common:]}]"
    return f"{low[:common]}[{low[common:]},{high[common:]}]"


def _padded(text: str, places: int) -> str:
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction.ljust(places, '0')}" if places else whole


def printable(text: str) -> str:
    """Return the text with what would upset a terminal written as escapes."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
