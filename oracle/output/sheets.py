"""Answers as sheets: tables on the screen, JSON lines, or CSV; matrices and enclosures in them."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import TYPE_CHECKING, Self, TypeVar

import click

from ..contract.entry import WHOLE, Computed
from ..contract.limits import check_digits
from ..reference import Budget, InvalidRequest, Level, Maximum, TransitionMatrix
from ..reference.decimals import outward
from ..system.signals import unlimited
from ..unchecked import unchecked
from ..wire.strict_json import Object, encode, printable
from ..wire.values import decimal_text, level_value, value_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..models.basis import Basis
    from ..models.model import Model

Cell = str | int | Object
"""What a table holds: texts, numbers, and levels as the contract writes them."""

_Item = TypeVar("_Item")

_UNBOUNDED_WIDTH = 1_000_000

TERMINAL_WIDTH = 80
"""Columns of a terminal that every table of a few states fits."""

_LONGEST_EXACT = 24
_MOST_ROWS = 20

USUAL_DIGITS, DIGITS_IN_BRIEF = 17, 6

IN_BRIEF = "In nats, rounded up; budgets down. --digits N shows enclosures."
BRACKETS = "In nats. 0.12[3,4] is an enclosure: at least 0.123, at most 0.124."
SAFE_DOUBLES = "In nats. Each level is the least double at or above it; a budget the greatest at or below."

DIGITS_OF_DOUBLES = 15
"""Every decimal of this many digits survives conversion to a double and back; spreadsheets keep no more digits."""

_PLACES_READ_WELL = 22
"""10^22 is the greatest power of ten that is a double: beyond it some readers are off by a few ulps."""

_FEW_ZEROS = 3

_NUMERAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|inf)")

MOST_WRITTEN_LEVEL = 50
"""Above this level the factor e^α is not written out."""

_FORMULAS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What spreadsheets take for the beginning of a formula, in full width as well."""

_LEAST_NORMAL, _GREATEST = Decimal("2.3E-308"), Decimal("1.79E+308")


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a column: its text on the screen and its name in CSV.

    is_budget: whether levels are rounded down, not up, where they are shown in few digits. model: its title, if any.
    """

    text: str
    key: str
    is_budget: bool = False
    model: str = ""

    @classmethod
    def of(cls, model: Model, text: str, *, key: str = "", is_budget: bool = False) -> Self:
        """Return the heading of a model's answers. Args: key, the name in CSV, by default from the text."""
        words = "\n".join([*model.title.split(), text])
        return cls(words, f"{model.key}_{key or _key(text)}", is_budget, model.title)

    def alone(self) -> Heading:
        """Return the heading for a table of this model alone."""
        return replace(self, text=self.text[len(self.model) + 1 :], model="") if self.model else self


Columns = tuple[str | Heading, ...]
"""The columns of a table."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table with a cell for each column in each row. notes: below the table, on the screen alone."""

    title: str
    columns: Columns
    rows: list[list[Cell]]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, title: str, items: Iterable[_Item], columns: Mapping[str, Callable[[_Item], Cell]], *notes: str
    ) -> Self:
        """Return a table with a row for each item. Args: columns, by heading what makes the cell of an item."""
        return cls(title, tuple(columns), [[cell(item) for cell in columns.values()] for item in items], notes)

    @property
    def headings(self) -> tuple[str, ...]:
        """The texts of the columns, each on one line."""
        return tuple(" ".join(_text(column).split("\n")) for column in self.columns)

    def by_model(self) -> list[Sheet]:
        """Return a table for each model, with the columns of no model as well. The notes are below the last."""
        models = [column.model if isinstance(column, Heading) else "" for column in self.columns]
        titles = [model for model in dict.fromkeys(models) if model]
        return [
            Sheet(
                f"{self.title}: {title}",
                tuple(_alone(own) for own, model in zip(self.columns, models, strict=True) if model in ("", title)),
                [[cell for cell, model in zip(row, models, strict=True) if model in ("", title)] for row in self.rows],
                self.notes if title == titles[-1] else (),
            )
            for title in titles
        ] or [self]


class Grid:
    """A table in the making, column by column."""

    def __init__(self, rows: int) -> None:
        """Args: rows, their number."""
        self._columns: list[str | Heading] = []
        self._rows: list[list[Cell]] = [[] for _ in range(rows)]

    def add(self, column: str | Heading, cells: Iterable[Cell]) -> None:
        """Add a column: its heading, and a cell for each row."""
        self._columns.append(column)
        for row, cell in zip(self._rows, cells, strict=True):
            row.append(cell)

    def sheet(self, title: str, *notes: str) -> Sheet:
        """Return the table."""
        return Sheet(title, tuple(self._columns), self._rows, notes)


def _alone(column: str | Heading) -> str | Heading:
    return column.alone() if isinstance(column, Heading) else column


@dataclass(slots=True)
class Output:
    """How one command writes its answers, from the common options.

    in_brief: whether levels on the screen have six digits, rounded to the safe side, instead of an enclosure.
    """

    digits: int = USUAL_DIGITS
    as_json: bool = False
    as_csv: bool = False
    in_brief: bool = False
    normalised: dict[str, list[int]] = field(default_factory=dict)
    deviations: dict[str, str] = field(default_factory=dict)
    doubles: bool = False

    def __post_init__(self) -> None:
        check_digits(self.digits)
        if self.as_json and self.as_csv:
            raise InvalidRequest("--json and --csv exclude each other")

    @property
    def precision(self) -> int:
        """The digits, as `SafeDoubles` if levels are written as doubles."""
        return SafeDoubles(self.digits) if self.doubles else self.digits

    @property
    def numerals(self) -> str:
        """The note that says how to read the levels of a table."""
        return IN_BRIEF if self.in_brief else numerals(self.precision)

    def level(self, level: Level) -> Object:
        """Return a level's value, with its safe double if doubles are requested. Raises: Undecided."""
        return level_cell(level, self.precision)

    def words(self, level: Level) -> str:
        """Return a level for a sentence, as tables show it: six digits, its double, or its enclosure."""
        return self.shown(self.level(level), isinstance(level, Budget))

    def shown(self, value: Object, is_budget: bool = False) -> str:
        """Return a level's value as tables show it."""
        return (_in_brief if self.in_brief else _shown)(value, Heading("", "", is_budget))

    def maximum(self, maximum: Maximum[str]) -> Object:
        """Return the value of the greatest of several levels, with the names of all that attain it. As `level`."""
        return {**self.level(maximum.level), "attained_by": list(maximum.attained_by)}

    def value(self, op: str, computed: Computed) -> Object:
        """Return the value of an operation whose answer is one level. As `level`."""
        level = computed[WHOLE]
        assert isinstance(level, Level)
        return value_of(op, computed, self.digits) | (double_value(level) if self.doubles else {})

    def write(self, values: Sequence[Object], *sheets: Sheet) -> None:
        """Write answers: each value as a line of JSON, or the first sheet as CSV, or all the sheets as tables.

        A time limit no longer applies from here on.
        """
        unlimited()
        for name, rows in self.normalised.items():
            if not self.as_json:
                click.echo(printable(f"note: {divided_note(name, rows)}"), err=True)
        for name, told in self.deviations.items():
            click.echo(printable(f"note: {name}: {told}"), err=True)
        if self.as_json:
            notes: Object = {"normalised_rows": dict(self.normalised)} if self.normalised else {}
            for value in values:
                click.echo(encode({**value, **notes}))
        elif self.as_csv:
            click.echo(csv_text(sheets[0]), nl=False)
        else:
            for sheet in sheets:
                print_table(sheet, self.in_brief)

    def conclude(self, conclusion: Conclusion, values: Sequence[Object], *sheets: Sheet) -> None:
        """Write a conclusion in words, the answers as `write` does, and their assumptions."""
        told = not (self.as_json or self.as_csv)
        conclusion = replace(conclusion, basis=replace(conclusion.basis, unchecked=unchecked()))
        basis = conclusion.basis
        unlimited()
        if told:
            for line in conclusion.sentences():
                print_words(line)
        self.write([{"checked": basis.checked, **value, "basis": basis.value()} for value in values], *sheets)
        if told:
            for line in conclusion.lines():
                print_words(line)

    def write_matrix(self, key: str, matrix: TransitionMatrix, states: Sequence[str] = ()) -> None:
        """Write a matrix: as JSON under this key, or as CSV that can be read again; with names, if any."""
        texts = matrix.texts()
        value: Object = {key: texts, **({"states": list(states)} if states else {})}
        self.write([value], matrix_csv(texts, states) if self.as_csv else matrix_sheet(key, texts, states))


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The conclusion from an answer in a sentence or two, and its assumptions."""

    text: str
    basis: Basis

    def sentences(self) -> list[str]:
        """Return the lines of the conclusion; where its chain does not fit the data it begins with that."""
        return [line for text in (self.basis.warning(), self.text) for line in text.splitlines()]

    def lines(self) -> list[str]:
        """Return the assumptions in short lines, and the reasons why a model has no answer."""
        doubt = [f"Not checked from above: {'; '.join(self.basis.unchecked)}."] if self.basis.unchecked else []
        return [*self.basis.lines(), *(f"Left out: {reason}." for reason in self.basis.absent.values()), *doubt]


class SafeDoubles(int):
    """A number of digits, with which each level is written with its safe double."""


def numerals(digits: int) -> str:
    """Return the note that explains the notation of levels."""
    return SAFE_DOUBLES if isinstance(digits, SafeDoubles) else BRACKETS


def level_cell(level: Level, digits: int) -> Object:
    """Return a level's value, with its safe double if digits are `SafeDoubles`. Raises: Undecided."""
    return level_value(level, digits) | (double_value(level) if isinstance(digits, SafeDoubles) else {})


def double_value(level: Level) -> Object:
    """Return the safe double of a level, or of a budget, in decimal and in hexadecimal. Raises: Undecided."""
    double = float(level)
    return {"double": repr(double), "hex": "inf" if level.is_infinite else double.hex()}


def divided_note(name: str, rows: Sequence[int]) -> str:
    """Say which rows of a file were divided by their sums, at most `_MOST_ROWS` of them by number."""
    more = f", … ({len(rows)} in all)" if len(rows) > _MOST_ROWS else ""
    return f"{name}: rows divided by their exact sums: {', '.join(map(str, rows[:_MOST_ROWS]))}{more}"


def counted_releases(number: int, verb: str = "") -> str:
    """Return a number of releases in words, and what they do."""
    if number == 1:
        return f"1 release {verb}s" if verb else "1 release"
    return f"{number} releases {verb}".rstrip()


def odds(level: Level) -> str:
    """Return e^level, the factor by which an adversary's odds may change, in words, rounded up to four digits."""
    if level.is_infinite:
        return "without bound"
    if level > Level.of(MOST_WRITTEN_LEVEL):
        return f"by a factor of at most e^{level.enclosure(4).upper}"
    factor = 1 + level.excess_bounds()[1]
    return f"by a factor of at most {outward(factor, factor, 4).upper}"


def odds_note(level: Level) -> str:
    """Return the meaning of a TPL in a sentence."""
    nats = decimal_text(level.enclosure(4).upper)
    changed = f"changes an adversary's odds between two values at one time {odds(level)}"
    return f"A TPL of {nats} nats: what is published {changed}."


def witness_cells(value: Object) -> list[Cell]:
    """Return the cells with the rows and the columns of a witness."""
    rows, subset = value["rows"], value["subset"]
    assert isinstance(subset, list)
    return [" / ".join(map(str, rows)) if isinstance(rows, list) else "all equal", " ".join(map(str, subset))]


def matrix_sheet(title: str, rows: Sequence[Sequence[str]], states: Sequence[str] = ()) -> Sheet:
    """Return a matrix as a table, with a column of row names on the screen."""
    names = list(states) or [str(number) for number in range(1, len(rows) + 1)]
    columns: Columns = ("", *(Heading(printable(name), name) for name in names))
    return Sheet(title, columns, [[name, *row] for name, row in zip(names, rows, strict=True)])


def matrix_csv(rows: Sequence[Sequence[str]], states: Sequence[str] = ()) -> Sheet:
    """Return a matrix as CSV that can be read again: its entries, with the names of states if there are any."""
    if states:
        return matrix_sheet("", rows, states)
    return Sheet("", (), [list(row) for row in rows])


def csv_text(sheet: Sheet) -> str:
    """Write a sheet as CSV, a level in columns for its exact text, a double below and above it, and its enclosure.

    The doubles are decimals of at most 15 digits; they and what readers make of them are on their side of the level.
    The enclosure has the requested digits, and is a text, so that nobody reads a double from it.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    cells = [(index, cell) for row in sheet.rows for index, cell in enumerate(row) if isinstance(cell, dict)]
    levels = {index for index, _ in cells}
    doubles = {index for index, cell in cells if "hex" in cell}
    if sheet.columns:
        header: list[str] = []
        for index, column in enumerate(sheet.columns):
            name = column.key if isinstance(column, Heading) else _key(column)
            ends = ("exact", "lower", "upper", "enclosure", *["hex"] * (index in doubles))
            header += [f"{name}_{end}" for end in ends] if index in levels else [name]
        writer.writerow(map(cell_text, header))
    for row in sheet.rows:
        line: list[object] = []
        for index, cell in enumerate(row):
            hexadecimal = [cell.get("hex")] if isinstance(cell, dict) and index in doubles else []
            line += [*_level_cells(cell), *hexadecimal] if isinstance(cell, dict) else [cell]
        writer.writerow([cell_text(cell) if isinstance(cell, str) else cell for cell in line])
    return stream.getvalue()


def _text(column: str | Heading) -> str:
    return column.text if isinstance(column, Heading) else column


def _key(text: str) -> str:
    return "_".join(text.lower().split())


def _level_cells(level: Object) -> list[object]:
    lower, upper = str(level["lower"]), str(level["upper"])
    if not lower:
        return ["", "", "", ""]
    return [level["exact"], decimal_below(lower), decimal_above(upper), f"[{lower}, {upper}]"]


def decimal_above(text: str) -> str:
    """Return the least decimal of at most 15 digits at or above a number that is also read as such a double.

    It is greater by a unit of its last digit where readers may be off by a few ulps.

    >>> decimal_above("0.1"), decimal_above("0.3"), decimal_above("0.12345678901234567")
    ('0.1', '0.300000000000001', '0.123456789012346')
    """
    value = Decimal(text)
    if value.is_infinite() or not value:
        return text
    if value > _GREATEST:
        return "inf"
    digits = Context(prec=DIGITS_OF_DOUBLES, rounding=ROUND_CEILING)
    above = digits.plus(max(value, _LEAST_NORMAL))
    if Decimal(float(above)) < value or _is_read_badly(above):
        above = digits.next_plus(above)
    return _compact(above)


def decimal_below(text: str) -> str:
    """Return the greatest decimal of at most 15 digits at or below a number. As `decimal_above`.

    >>> decimal_below("0.3"), decimal_below("0.1"), decimal_below("1e-320")
    ('0.3', '0.0999999999999999', '0')
    """
    value = Decimal(text)
    if value.is_infinite():
        return text
    if value < _LEAST_NORMAL:
        return "0"
    digits = Context(prec=DIGITS_OF_DOUBLES, rounding=ROUND_FLOOR)
    below = digits.plus(min(value, _GREATEST))
    if Decimal(float(below)) > value or _is_read_badly(below):
        below = digits.next_minus(below)
    return _compact(below)


def _compact(decimal: Decimal) -> str:
    """Write a decimal with few leading zeros, as some readers count these among the digits that they keep."""
    return str(decimal) if decimal.adjusted() > -_FEW_ZEROS else f"{decimal:E}"


def _is_read_badly(decimal: Decimal) -> bool:
    exponent = decimal.as_tuple().exponent
    return isinstance(exponent, int) and abs(exponent) > _PLACES_READ_WELL


def _console() -> Console:
    """Return standard output, which folds lines on a terminal alone."""
    from rich.console import Console  # slow to import, and what is written as JSON or CSV does not need it

    class ToShell(Console):
        """Raises BrokenPipeError, so that the shell ends quietly when the reader has gone."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return ToShell(file=sys.stdout, width=None if sys.stdout.isatty() else _UNBOUNDED_WIDTH, highlight=False)


def print_words(text: str) -> None:
    """Print a sentence on standard output, on a terminal wrapped between words."""
    from rich.text import Text

    _console().print(Text(printable(text)))


def print_table(sheet: Sheet, in_brief: bool = False) -> None:
    """Print a sheet on standard output, with a table for each model if one table would be too wide.

    Args: in_brief, as in `Output`.
    """
    from rich.measure import Measurement
    from rich.text import Text

    console = _console()
    parts = sheet.by_model()
    sheet = parts[0] if len(parts) == 1 else sheet
    table = _table(sheet, in_brief)
    if len(parts) > 1 and Measurement.get(console, console.options, table).maximum > TERMINAL_WIDTH:
        for part in parts:
            print_table(part, in_brief)
        return
    console.print(Text(printable(sheet.title), style="bold"), soft_wrap=True)
    console.print(table)
    for note in sheet.notes:
        console.print(Text(printable(note)), soft_wrap=True)
    console.print()


def _table(sheet: Sheet, in_brief: bool) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for index, column in enumerate(sheet.columns):
        words = any(isinstance(row[index], str) for row in sheet.rows)
        lines = _text(column).split("\n")
        heading = Text("\n".join(map(printable, lines)))
        table.add_column(heading, justify="left" if words else "right", overflow="fold")
    shown = _in_brief if in_brief else _shown
    for row in sheet.rows:
        table.add_row(*(Text(shown(cell, column)) for cell, column in zip(row, sheet.columns, strict=True)))
    return table


def _shown(cell: Cell, _column: str | Heading = "") -> str:
    if not isinstance(cell, dict):
        return printable(str(cell))
    if "double" in cell:
        return str(cell["double"])
    exact, numeral = cell["exact"], bracketed(str(cell["lower"]), str(cell["upper"]))
    if isinstance(exact, str) and exact != numeral and len(exact) <= _LONGEST_EXACT and "(" in exact:
        return f"{numeral} = {exact}"
    return numeral


def _in_brief(cell: Cell, column: str | Heading) -> str:
    """Return a level in six digits, rounded up, or down if it is a budget."""
    if not isinstance(cell, dict) or "double" in cell:
        return _shown(cell)
    is_budget = isinstance(column, Heading) and column.is_budget
    end, rounding = ("lower", ROUND_FLOOR) if is_budget else ("upper", ROUND_CEILING)
    value = Decimal(str(cell[end]))
    return "inf" if value.is_infinite() else decimal_text(Context(prec=DIGITS_IN_BRIEF, rounding=rounding).plus(value))


def bracketed(lower: str, upper: str) -> str:
    """Write an enclosure with its common digits once and the others in brackets.

    >>> bracketed("0.12", "0.121"), bracketed("0.5", "0.5"), bracketed("1E-9", "2E-9"), bracketed("0.5", "inf")
    ('0.12[0,1]', '0.5', '[1E-9, 2E-9]', '[0.5, inf]')
    """
    if lower == upper:
        return lower
    if "E" in lower + upper or upper == "inf":
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


def cell_text(text: str) -> str:
    """Return a printable text for CSV, with an apostrophe before what a spreadsheet would take for a formula.

    >>> cell_text("=1+1"), cell_text("-1"), cell_text("ann")
    ("'=1+1", '-1', 'ann')
    """
    is_formula = text.startswith(_FORMULAS) and not _NUMERAL.fullmatch(text)
    return ("'" if is_formula else "") + printable(text)


def shortened(text: str, most: int) -> str:
    """Return the text, or its beginning, its length and its end if it has more than `most` characters.

    >>> shortened("0123456789" * 10, 40)
    '012345678901 … (100 characters) … 456789'
    """
    if len(text) <= most:
        return text
    note = f" … ({len(text):,} characters) … "
    left = max(most - len(note), 2)
    tail = left // 3
    return text[: left - tail] + note + (text[-tail:] if tail else "")


def clean(text: str, most: int) -> str:
    """Return the text shortened, with escapes for control and bidirectional characters and surrogates."""
    return printable(shortened(text, most))


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "answer"), counted(5213, "answer"), counted(2, "was", "were")
    ('1 answer', '5,213 answers', '2 were')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
