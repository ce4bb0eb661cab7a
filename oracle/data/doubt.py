"""What people's tables may mean in more than one way: one policy for every reader, and each reading has an option.

A doubt is InvalidRequest (rows that do not sum to 1: NotStochastic) whose `reason` is the kind of doubt. What is only
worth a look, as names that differ by case alone, is a warning, `TableNote`; commands print it on standard error.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isnan
from typing import TypeVar

from ..contract.limits import about_bins
from ..reference import InvalidRequest, TransitionCounts
from ..reference.correlations import exact_sum
from ..reference.errors import TableNote
from ..wire.strict_json import shown

TOTALS, MISSING, UNLIKE_LABELS, INDEX = "totals", "missing", "labels-in-another-order", "index"
COMMENTS, A_HEADER, IDS, NOT_A_SEQUENCE = "comments", "header", "ids", "not-a-sequence"
TRANSPOSED, LIKE_PERCENT, ROWS_OFF = "transposed", "percent", "rows-off"
"""The kinds of doubt: the `reason` of an error."""

REFUSE, DROP, BREAK, STATE = "refuse", "drop", "break", "state"
READINGS = (REFUSE, DROP, STATE)
"""How totals, a header or identifiers are read: refused, left out, or as states."""

MISSING_READINGS = (REFUSE, BREAK, STATE, f"{BREAK}:NAMES")
"""How markers of missing values are read: refused, as the end of a sequence, or as the name of a state.

Numbers that may stand for a missing value, such as -99, are refused until they are among the NAMES, which break like
the words and have commas between them, or are left out of them and so are states.
"""

MANY_OBSERVED = 50
"""With more states than these a note asks whether numbers are measurements; fewer are codes or grades more often."""

NO_COMMENTS = "none"
"""The comment mark of texts that have no comments."""

MARKERS = frozenset(
    (
        *("na", "n/a", "n.a.", "n.a", "#na", "#n/a", "<na>", "nan", "-nan", "+nan", "nat", "null", "(null)", "none"),
        *("nil", "nul", "undefined", "missing", "\\n", "?", "??", "-", "--", "---", "–", "—", ".", "..", "..."),
        *("unknown", "unk", "no data", "no answer", "not available", "not applicable", "not recorded", "missing data"),
        *("(blank)", "<null>", "<none>", "(none)", "(missing)", "#null!", "#value!", "#ref!", "#n/a n/a", "#calc!"),
        *("#div/0!", "#num!", "#name?", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan", "na_character_", "na_integer_"),
        *("sysmis", "$sysmis", "not known", "not stated", "not given", "no value", "nodata", "don't know", "n/k"),
        *(f".{letter}" for letter in "_abcdefghijklmnopqrstuvwxyz"),  # of SAS and Stata
    )
)
"""Words that say that a value is missing, in small letters."""

_WHOLE = re.compile(r"[-+]?[0-9]{1,40}(\.0*)?")
CODE = re.compile(r"-[1789]|9|-?(9+[6-9]|7{2,}|8{2,}|255|32767|65535|2147483647)|-32768|-2147483648")
"""Numbers that stand for missing values: those of surveys, of rasters, and the last ones of a type."""

FARTHER = 5
"""A code is that many times the greatest other number, or is no doubt."""

_TOTALS = frozenset(("total", "totals", "grand total", "row total", "column total", "sum", "sums", "all", "subtotal"))
_INDICES = frozenset(("", "index", "id", "row", "level_0", "unnamed: 0"))
_COMMENT = re.compile(r"\s*(#(?!n/?a\b|null!|value!|ref!|div/0!|num!|name\?)|//|--\s|%(?=\w))", re.IGNORECASE)

FEWEST_WITH_TOTALS = 3
"""Rows from which on a table may have totals: below there would be one state."""

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Readings:
    """How doubtful tables are read. comment: the mark of lines that are skipped; None refuses what looks like some."""

    totals: str = REFUSE
    missing: str = REFUSE
    comment: str | None = None
    header: str = REFUSE
    ids: str = REFUSE

    def __post_init__(self) -> None:
        allowed = {"missing": MISSING_READINGS, "totals": READINGS, "header": READINGS, "ids": READINGS}
        for name, values in allowed.items():
            given = getattr(self, name)
            if given not in values[:3] and not (name == "missing" and isinstance(given, str) and _named(given)):
                raise InvalidRequest(f"{name} is one of {', '.join(values)}, not {given!r}")

    @property
    def breaks(self) -> bool:
        """Whether what is missing ends a sequence."""
        return self.missing not in (REFUSE, STATE)

    def is_missing(self, value: object) -> bool:
        """Whether a cell, or an object in its place, says that a value is missing, or was said to."""
        return is_missing(value) or (self.breaks and str(value).strip() in _named(self.missing))


USUAL = Readings()
"""Every doubt is refused."""


def doubt(reason: str, message: str) -> InvalidRequest:
    """Return the error of a doubt. Args: reason, its kind."""
    return InvalidRequest(message).because(reason)


# Missing values


@lru_cache(8)
def _named(reading: str) -> frozenset[str]:
    """Return the names that are said to stand for missing values."""
    how, _, names = reading.partition(":")
    return frozenset(name for each in names.split(",") if (name := each.strip())) if how == BREAK else frozenset()


def is_empty(value: object) -> bool:
    """Whether there is nothing in a cell, or an object that stands for that."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return True
    return (not isinstance(value, str) and str(value) in ("NaT", "<NA>")) or not str(value).strip()


def is_missing(value: object) -> bool:
    """Whether a cell, or an object in its place, says that a value is missing."""
    return is_empty(value) or str(value).strip().casefold() in MARKERS


def missing_at(value: object, place: str) -> InvalidRequest:
    """Return the error for a value that is missing at a place."""
    return doubt(
        MISSING,
        f"{place}: {shown('' if value is None else str(value))} says that the value is missing, or names a state: "
        "--missing break (in Python missing='break') ends the sequence there, --missing state takes it for a state",
    )


def unbroken(names: Iterable[object], readings: Readings, place: str) -> list[list[str]]:
    """Return the sequences that names make where some are missing. Raises: InvalidRequest with the place."""
    found: list[list[str]] = [[]]
    for number, name in enumerate(names, 1):
        if readings.missing != STATE and readings.is_missing(name):
            if readings.missing == REFUSE:
                raise missing_at(name, f"{place}, name {number}{' is empty' * is_empty(name)}")
            if found[-1]:
                found.append([])
        elif is_empty(name):
            raise InvalidRequest(f"{place}, name {number} is empty, and no state is named so")
        else:
            found[-1].append(name_of(name))
    return [sequence for sequence in found if sequence]


# Sequences


def sequence_of(values: Iterable[Value], what: str) -> list[Value]:
    """Return values in their order. Raises: InvalidRequest for what has none: a text, a set, a mapping, a frame."""
    if isinstance(values, str | bytes):
        told, instead = "a text", f"a list of {what}, as in [{values!r}]"
    elif isinstance(values, Set):
        told, instead = f"a {type(values).__name__}, which has no order", f"a list of {what}"
    elif isinstance(values, Mapping):
        told, instead = "a mapping", f"a list of {what}, such as list(….values())"
    elif hasattr(type(values), "columns") or hasattr(type(values), "column_names"):
        told, instead = "a data frame", f"the column of {what}, as a list"
    elif getattr(values, "ndim", 1) != 1:
        told, instead = f"an array of {getattr(values, 'ndim', 0)} dimensions", f"one row of {what}"
    elif not hasattr(values, "__iter__"):
        told, instead = f"one value, {values!r}", f"a list of {what}"
    else:
        listed = values.tolist() if hasattr(values, "tolist") and hasattr(values, "dtype") else values
        return list(listed)
    raise doubt(NOT_A_SEQUENCE, f"{what}: this is {told}; give {instead}")


def check_flags(**given: object) -> None:
    """Raise InvalidRequest for anything but True and False, such as "no", which Python takes for True."""
    for name, value in given.items():
        if type(value).__name__ not in {"bool", "bool_"}:
            raise InvalidRequest(f"{name} is True or False, not {value!r}")


def check_first_fields(first_line: Sequence[str], counts: TransitionCounts, readings: Readings) -> None:
    """Raise InvalidRequest where the first line looks like a header, or the first field of each like an identifier.

    A header has names that are seen nowhere else, while the names below it are seen again. Identifiers are several
    first names that nothing ever leads to, where each begins one sequence, or where all sequences begin with some.
    """
    arrivals = [sum(column) for column in zip(*counts.transitions, strict=True)]
    seen = {state: first + came for state, first, came in zip(counts.states, counts.first, arrivals, strict=True)}
    begun = [index for index, first in enumerate(counts.first) if first]
    lines = sum(counts.first)
    if readings.header == REFUSE and lines > 2 and len(first_line) > 1:
        others = [times for state, times in seen.items() if state not in first_line]
        if others and min(others) > 1 and all(seen.get(name) == 1 for name in first_line):
            raise doubt(
                A_HEADER,
                f"the first line, {shown(' '.join(first_line))}, has names that are seen nowhere else: --header drop "
                "leaves a header out, --header state counts the line as a sequence",
            )
    if readings.ids == REFUSE and len(begun) > 1 and any(arrivals) and not any(arrivals[index] for index in begun):
        name = counts.states[begun[0]]
        raise doubt(
            IDS,
            f"the first names of the sequences, such as {shown(name)}, are seen nowhere else, as identifiers of users "
            "or sessions: --ids drop leaves the first field out, --ids state counts it",
        )


# Names

AROUND_A_NAME = " \t\r\n"
"""What may surround a name, and is no part of it."""


def name_of(value: object) -> str:
    """Return the name of a state or a user as every reader has it, without blanks around it."""
    return str(value).strip(AROUND_A_NAME)


def alike(names: Iterable[str]) -> tuple[str, str] | None:
    """Return the first two names that `folded` makes one."""
    seen: dict[str, str] = {}
    for name in names:
        if (other := seen.setdefault(folded(name), name)) != name:
            return other, name
    return None


@lru_cache(maxsize=1 << 16)  # a log names its users again and again
def folded(name: str) -> str:
    """Return what names have in common that differ by case, blanks, invisible marks, Unicode form or zeros alone.

    Zeros are leading ones and those of decimals; hyphens but the first, and underlines, are left out as well.
    """
    if name.isascii() and name.isdigit() and name[0] != "0":
        return name
    plain = name if name.isascii() else "".join(each for each in name if unicodedata.category(each) != "Cf")
    joined = re.sub(r"(?!^)-|_", "", "".join(unicodedata.normalize("NFKC", plain).casefold().split()))
    return re.sub(r"0+(?=[0-9])", "", re.sub(r"(?<=[0-9])\.0+$", "", joined)) or name


def codes_among(names: Iterable[str]) -> list[str]:
    """Return the names that are numbers such as -99 or 9999, where these stand apart from the other names.

    One below 0 does where no other number is, unless the states are the same numbers below 0 and above; one above 0
    where it is more than `FARTHER` times every other number. Beside names that are no numbers each does.
    """
    values = {name: int(name.partition(".")[0]) for name in names if _WHOLE.fullmatch(name)}
    codes = [name for name, value in values.items() if CODE.fullmatch(str(value))]
    others = [value for name, value in values.items() if name not in codes]
    is_scale = any(value < 0 for value in others) or (
        {-values[name] for name in codes if values[name] < 0} == {value for value in others if value > 0}
    )
    farthest = FARTHER * max(others, default=0)
    return [name for name in codes if (not is_scale if values[name] < 0 else values[name] > farthest)]


def check_names(names: Collection[str], readings: Readings) -> None:
    """Warn of two states whose names look like one. Raises: InvalidRequest for numbers that stand for what is missing.

    This is asked when all states are known, as a number stands for something only beside others.
    """
    if readings.missing in (REFUSE, BREAK) and 0 < len(codes := codes_among(names)) < len(names):
        told = f"{BREAK}:{','.join(codes)}"
        raise doubt(
            MISSING,
            f"the state {shown(codes[0])} is a number apart from the other states, as stands for a missing value: "
            f"--missing {shown(told)} (in Python missing={shown(told)}) ends sequences there, "
            "--missing state takes it for a state",
        )
    note_alike(names, "states")


def note_alike(names: Iterable[str], what: str) -> bool:
    """Warn of two names that look like one, and return whether there are any. Args: what, they are of."""
    if (pair := alike(names)) is None:
        return False
    one, two = (shown(name) for name in pair)
    if one == two or not all(map(str.isascii, pair)):
        one, two = (f"{shown(name)} ({' '.join(f'U+{ord(letter):04X}' for letter in name[:20])})" for name in pair)
    warnings.warn(f"{one} and {two} are two {what} whose names look like one", TableNote, stacklevel=3)
    return True


def check_observed(names: Collection[str], readings: Readings) -> None:
    """As `check_names`, for names out of observations; warn where many are numbers, as if measured."""
    if len(names) > MANY_OBSERVED and (told := about_bins(names)):
        warnings.warn(f"{len(names)} states{told}", TableNote, stacklevel=3)
    check_names(names, readings)


def check_states(names: Sequence[str], readings: Readings) -> None:
    """As `check_names`. Raises: InvalidRequest for a name of what is missing too, unless it is said to be a state."""
    for number, name in enumerate(names, 1):
        if readings.missing != STATE and readings.is_missing(name):
            raise missing_at(name, f"the names of states, name {number}")
    check_names(names, readings)


def without_missing(
    names: Sequence[str], rows: Sequence[Sequence[Value]], readings: Readings
) -> tuple[tuple[str, ...], list[list[Value]]]:
    """Return the names and rows of a square table, without the states that stand for what is missing if asked for.

    Raises: InvalidRequest for such a state, where it is not said how it is meant.
    """
    at = [index for index, name in enumerate(names) if readings.is_missing(name)]
    if at and readings.missing == REFUSE:
        raise missing_at(names[at[0]], f"the names of states, name {at[0] + 1}")
    if readings.breaks:
        return without(at, names, rows)
    return tuple(names), [list(row) for row in rows]


def without(
    left_out: Iterable[int], names: Sequence[str], rows: Sequence[Sequence[Value]]
) -> tuple[tuple[str, ...], list[list[Value]]]:
    """Return the names and rows of a table without the rows and columns of these indices."""
    out = {*left_out}
    return (
        tuple(name for index, name in enumerate(names) if index not in out),
        [[cell for column, cell in enumerate(row) if column not in out] for i, row in enumerate(rows) if i not in out],
    )


def order_of(header: Sequence[str], index: Sequence[str], place: Callable[[int], str]) -> list[int]:
    """Return the rows in the order of the header, where the index has the same names in any order.

    Args: place, where a row stands. Raises: InvalidRequest for names that occur on one side alone.
    """
    if list(header) == list(index):
        return [*range(len(index))]
    if sorted(header) == sorted(index) and len({*header}) == len(header):
        at = {name: number for number, name in enumerate(index)}
        return [at[name] for name in header]
    alone = [name for name in header if name not in index] + [name for name in index if name not in header]
    if any(name.casefold() in _TOTALS for name in alone):
        raise totals_at(next(name for name in alone if name.casefold() in _TOTALS), "a row or column")
    number = next(
        (i for i, (one, two) in enumerate(zip(header, index, strict=False)) if one != two), min(len(header), len(index))
    )
    told = [shown(side[number]) if number < len(side) else "nothing" for side in (header, index)]
    raise doubt(
        UNLIKE_LABELS,
        f"column {number + 1} is {told[0]} and {place(number)} is {told[1]}: header and index have the same names, in "
        "any order; rename one of them, or remove it",
    )


def check_no_index(names: Sequence[str], rows: Sequence[Sequence[Fraction]]) -> None:
    """Raise InvalidRequest where the first column is headed as an index and numbers the rows."""
    if not names or names[0].strip().casefold() not in _INDICES or len(rows) < 2:
        return
    first = [row[0] for row in rows if row]
    if any(first == list(range(start, start + len(rows))) for start in (0, 1)):
        raise doubt(INDEX, f"the first column, {shown(names[0])}, numbers the rows: an index is no state; remove it")


# Totals


def totals_at(name: str, what: str) -> InvalidRequest:
    """Return the error for totals. Args: name, of the row or column, or where it stands; what, it is."""
    return doubt(
        TOTALS,
        f"{name}: {what} of totals, as crosstabs have them, is no state: --totals drop (in Python totals='drop') "
        "leaves it out, --totals state takes it for a state",
    )


def without_totals(
    rows: Sequence[Sequence[Fraction]], names: Sequence[str], reading: str, unit: Fraction = Fraction(0)
) -> tuple[tuple[tuple[Fraction, ...], ...], tuple[str, ...]]:
    """Return the rows and names of a table of counts, or of rows that do not sum to 1, without totals if asked for.

    Totals are the last, or the first, row or column where it equals the sums of the others, or is named so.
    Args: unit, of the last printed digit. Raises: InvalidRequest for totals of which it is not said how they are meant.
    """
    table, n = tuple(map(tuple, rows)), len(rows)
    square = all(len(row) == n for row in table)
    if reading == STATE or not square or n < FEWEST_WITH_TOTALS:
        return table, tuple(names)
    most = unit * n / 2

    def is_sum(lines: Sequence[Sequence[Fraction]], at: int) -> bool:
        others = [abs(2 * line[at] - exact_sum(line)) <= most for line in lines]
        return all(others) and sum(line[at] != 0 for line in lines) > 1

    columns = tuple(zip(*table, strict=True))
    for at in (n - 1, 0):
        named = bool(names) and names[at].strip().casefold() in _TOTALS
        across, down = is_sum(table, at), is_sum(columns, at)
        if not (named or across or down):
            continue
        if reading == REFUSE:
            what = "a row and a column" if across and down else "a row" if down else "a column"
            raise totals_at(shown(names[at]) if names else f"row and column {at + 1}", what)
        kept, rest = without([at], names, table)[::-1]
        return tuple(map(tuple, kept)), tuple(rest)
    return table, tuple(names)


# Lines of text


def uncommented(lines: Iterable[tuple[int, str]], mark: str | None) -> Iterator[tuple[int, str]]:
    """Yield numbered lines without comments. Raises: InvalidRequest for what may be one where no mark was said."""
    for number, line in lines:
        if mark is None and (found := _COMMENT.match(line)):
            raise doubt(
                COMMENTS,
                f"line {number} begins with {shown(found[1].strip())}, as comments do: --comment "
                f"{shown(found[1].strip())} skips such lines, --comment {NO_COMMENTS} reads them",
            )
        if mark is None or mark == NO_COMMENTS or not line.lstrip().startswith(mark):
            yield number, line
