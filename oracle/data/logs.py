"""Logs of visits, one a line: who, when, where. Sorted by time for each user, they are the sequences to count.

A time is a number, or a date and time of ISO 8601 (with an offset from UTC, or without one, in the whole log). Nothing
is guessed: neither the order of two visits at one time, nor whether 03/04 is in March.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timezone
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any

from ..contract.errors import brief
from ..reference import InvalidNumber, InvalidRequest, parse_number
from ..reference.errors import TableNote
from ..reference.paper.loss import Progress
from ..wire.strict_json import shown
from .doubt import (
    MISSING,
    NOT_A_SEQUENCE,
    REFUSE,
    USUAL,
    Readings,
    doubt,
    is_empty,
    is_missing,
    missing_at,
    name_of,
    uncommented,
)
from .files import opened
from .frames import check_columns, columns_of, is_frame, parquet_rows
from .plain_text import cells, check_plain
from .sequences import SEPARATORS, Broken, lines_of, mark_of, stop, without_separator

Moment = Fraction | datetime


@dataclass(frozen=True, slots=True)
class LogColumns:
    """The names of a log's columns: who visited, when, and which state.

    >>> LogColumns("user", "time", "zone").state
    'zone'
    """

    user: str
    time: str
    state: str

    def __post_init__(self) -> None:
        if not all(isinstance(name, str) for name in self.names):
            raise InvalidRequest(f"user, time and state are names of columns, not {self.names!r}")
        if len({*self.names}) < 3:
            raise InvalidRequest("user, time and state are three different columns of the log")

    @property
    def names(self) -> tuple[str, str, str]:
        """The three, in this order."""
        return self.user, self.time, self.state


@dataclass(frozen=True, slots=True)
class Visit:
    """A user's state at a time, "" where it is missing.

    word and number: where the log says so; told: the time as it is written there.
    """

    moment: Moment
    state: str
    word: str
    number: int
    told: str

    @property
    def place(self) -> str:
        """Where the log says so, as in "line 7"."""
        return f"{self.word} {self.number}"


def visits_of(
    path: str,
    columns: LogColumns,
    progress: Progress | None = None,
    separator: str | None = None,
    broken: Broken = stop,
    *,
    like: Moment | None = None,
    readings: Readings = USUAL,
) -> Iterator[tuple[str, Visit]]:
    """Yield users and their visits in the order of a log with a header and a visit a line; times are of one kind.

    Args: path of a text of delimited columns, a .zip of one, or "-" for standard input; or of a .parquet file;
    separator, as in `count_file`, None for commas; progress, called now and then; broken, told of a row that is no
    visit; like, a time of the kind that all are of; readings, of what is doubtful. Raises: InvalidRequest with the line
    and column.
    """
    kind = "" if like is None else _kind(like)
    if path.lower().endswith(".parquet"):
        with opened(path):
            yield from _of_one_kind(_rows(parquet_rows(path, columns.names), columns, broken, readings), broken, kind)
        return
    mark = "," if separator is None else mark_of(separator)
    if mark is None:
        raise InvalidRequest("--separator: the columns of a log are separated by a mark or a tab, not by blanks")
    with lines_of(path, progress, broken) as (lines, _):
        plain = uncommented(without_separator(lines, separator or "comma"), readings.comment)
        yield from _of_one_kind(_visits(plain, columns, mark, broken, readings), broken, kind)


def _visits(
    lines: Iterator[tuple[int, str]], columns: LogColumns, mark: str, broken: Broken, readings: Readings
) -> Iterator[tuple[str, Visit]]:
    header: list[str] = []
    who = when = where = 0
    for number, line in lines:
        if not line.removesuffix("\r\n").strip(" \t\n"):
            continue
        if not header:
            check_plain(line, number, mark)
            header = _cells(line, mark, number)
            try:
                check_columns(columns.names, header)
            except InvalidRequest as error:
                raise InvalidRequest(f"line {number}: {error}{_other_mark(header)}") from None
            who, when, where = map(header.index, columns.names)
            continue
        try:
            check_plain(line, number, mark)
            row = _cells(line, mark, number)
            if len(row) != len(header):
                raise InvalidRequest(f"line {number} has {len(row)} columns, the header has {len(header)}")
            places = [f"line {number}, column {column + 1}" for column in (who, when, where)]
            own = row[who], row[when], row[where]
            moment, state = _when_and_where(own, columns, places, readings)
        except InvalidRequest as error:
            broken(error)
        else:
            yield row[who], Visit(moment, state, "line", number, row[when])


def _when_and_where(
    row: Sequence[object], columns: LogColumns, places: Sequence[str], readings: Readings
) -> tuple[Moment, str]:
    """Return the time and the state of who, when and where. Raises: InvalidRequest with the place of what is wrong."""
    for value, place, column in zip(row[:2], places, columns.names, strict=False):
        if is_missing(value):  # a user or a time: there is no other reading of it
            told = f"{shown(column)} is empty" if is_empty(value) else f"{shown(str(value))} says that it is missing"
            raise doubt(MISSING, f"{place}: {told}")
    state = _state(row[2], places[2], columns.state, readings)
    return _moment(row[1], places[1]), state


def _state(value: object, place: str, column: str, readings: Readings) -> str:
    """Return a state, "" for one that is missing and ends a sequence. Raises: InvalidRequest for one in doubt."""
    if not readings.is_missing(value):
        return name_of(value)
    if readings.breaks:
        return ""
    if readings.missing == REFUSE:
        raise missing_at(value, f"{place}: {shown(column)} is empty" if is_empty(value) else place)
    if is_empty(value):
        raise InvalidRequest(f"{place}: {shown(column)} is empty, and no state is named so")
    return name_of(value)


def _cells(line: str, mark: str, number: int) -> list[str]:
    return [cell.strip() for cell in cells(line.rstrip("\r\n"), mark, number)]


def _other_mark(header: Sequence[str]) -> str:
    """Return what to do where the header was not split."""
    if len(header) == 1 and (found := [name for name, mark in SEPARATORS.items() if mark and mark in header[0]]):
        return f"; columns separated by another mark than a comma need --separator, as in --separator {found[0]}"
    return ""


def _moment(value: object, place: str) -> Moment:
    """Return a time. Raises: InvalidRequest for what is neither a number nor a date and time of ISO 8601."""
    if isinstance(value, str | int) and (date_ := _date_without_marks(str(value))):
        raise InvalidRequest(
            f"{place}: {value} may be a number or a date without hyphens, whose differences are not numbers of days: "
            f"write {date_} for the date, or {value}.0 for the number"
        )
    moment = _time_of_text(value) if isinstance(value, str) else _time_of(value)
    if moment is None:
        told = brief(repr(value))
        raise InvalidRequest(f"{place}: {told} is not a time: write a number, or ISO 8601 as in 2024-05-31T08:00:00")
    return moment


def _date_without_marks(text: str) -> str:
    """Return the date or time of 20240531, 202405310800 or 20240531080000 as it should be written; else nothing."""
    form = _WITHOUT_MARKS.get(len(text))
    if form is None or not (text.isascii() and text.isdigit()) or not "1900" <= text < "2100":
        return ""
    with suppress(ValueError):
        found = datetime.strptime(text, form)
        return str(found.date()) if form == _DAY else found.isoformat()
    return ""


_DAY = "%Y%m%d"
_WITHOUT_MARKS = {8: _DAY, 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}


def _time_of_text(text: str) -> Moment | None:
    if text.isascii() and text.isdigit() and len(text) < 19:
        return Fraction(int(text))
    with suppress(InvalidNumber):
        return parse_number(text)
    with suppress(ValueError):
        return datetime.fromisoformat(text)
    return None


def _time_of(value: object) -> Moment | None:
    if hasattr(value, "astype") and str(getattr(value, "dtype", "")).startswith("datetime64"):
        short = value.astype("datetime64[us]")
        value = short.item() if short == value else None
    elif (nanoseconds := getattr(value, "nanosecond", None)) is not None:  # pandas' own
        value = value.to_pydatetime(warn=False) if nanoseconds == 0 else None  # type: ignore[attr-defined]
    match value:
        case datetime():  # of two in one zone Python compares what its clocks show, which goes back in autumn
            offset = value.utcoffset()
            return value if offset is None else value.replace(tzinfo=timezone(offset))
        case date():
            return datetime(value.year, value.month, value.day)
        case bool():
            return None
        case int() | Fraction():
            return Fraction(value)
        case float() | Decimal() if isfinite(value):
            return Fraction(value)
    return None


def visits_in(table: object, columns: LogColumns, readings: Readings = USUAL) -> Iterator[tuple[str, Visit]]:
    """Yield users and their visits in the order of a data frame, or of rows: who, when, where, or by their columns.

    Raises: as `visits_of`, with the row.
    """
    if is_frame(table):
        table = columns_of(table, columns.names)
    has_no_rows = isinstance(table, str | bytes | Mapping | Set) or not getattr(table, "ndim", 1)
    if has_no_rows or not isinstance(table, Iterable):
        raise doubt(NOT_A_SEQUENCE, f"{type(table).__name__} is not a table of visits: {_A_LOG}")
    return _of_one_kind(_rows(table, columns, stop, readings), stop)


_A_LOG = "give a data frame, or rows, each of who, when and where in this order or a mapping with these columns"


def _three(row: Any, columns: LogColumns, number: int) -> Sequence[object]:
    """Return who, when and where of a row. Raises: InvalidRequest."""
    if isinstance(row, Mapping):
        own = {str(key): value for key, value in row.items()}
        check_columns(columns.names, [*own], f"row {number}")
        return [own[name] for name in columns.names]
    if not hasattr(row, "__len__") or isinstance(row, str | bytes | Set) or len(row) != 3:
        raise InvalidRequest(f"row {number} is not who, when and where: {_A_LOG}")
    return [*row]


def _rows(
    rows: Iterable[object], columns: LogColumns, broken: Broken, readings: Readings
) -> Iterator[tuple[str, Visit]]:
    for number, row in enumerate(rows, 1):
        try:
            own = _three(row, columns, number)
            moment, state = _when_and_where(own, columns, [f"row {number}"] * 3, readings)
        except InvalidRequest as error:
            broken(error)
        else:
            yield name_of(own[0]), Visit(moment, state, "row", number, str(own[1]))


def _of_one_kind(visits: Iterable[tuple[str, Visit]], broken: Broken, kind: str = "") -> Iterator[tuple[str, Visit]]:
    """Yield the visits whose times are of a kind, that of the first one's if there is none yet.

    Warn where all are numbers of the form of a year and a part of it, of two years or more.
    """
    years: set[str] | None = set()
    number = ""
    for user, visit in visits:
        other = _kind(visit.moment)
        if other == (kind := kind or other):
            if years is not None:
                number = str(visit.moment)
                if _PART_OF_A_YEAR.fullmatch(number):
                    years.add(number[:4])
                else:
                    years = None
            yield user, visit
        else:
            broken(InvalidRequest(f"{visit.place}: {visit.told} is {other}, but each time before it is {kind}"))
    if years and len(years) > 1:
        warnings.warn(
            f"all times are numbers such as {number}, which may be years with their quarters, months, weeks or days: "
            "the last of a year and the first of the next are then one step apart, but the numbers are more; write "
            "dates, as in 2024-01-01, or count them",
            TableNote,
            stacklevel=3,
        )


_PART_OF_A_YEAR = re.compile("(?:19|20)[0-9]{2}([1-4]|0[1-9]|[1-4][0-9]|5[0-3]|[0-2][0-9]{2}|3[0-5][0-9]|36[0-6])")


def _kind(moment: Moment) -> str:
    if isinstance(moment, Fraction):
        return "a number"
    return "a time without an offset from UTC" if moment.utcoffset() is None else "a time with an offset from UTC"


def at_one_time(user: str, before: str, after: str, told: str, drop: bool = False) -> InvalidRequest:
    """Return the error for a second visit of a user at one time.

    Args: where the two are, and the time as written; drop, whether visits that repeat another are left out already.
    """
    remedy = (
        "it has another state, so it is no repetition that --duplicates drop leaves out: correct the log, or give "
        "times that tell them apart"
        if drop
        else "--duplicates drop omits visits that repeat an earlier one, state and all"
    )
    return InvalidRequest(
        f"{after}: user {shown(user)} has a visit at {told} already ({before}): "
        f"the order of two visits at one time is unknown; {remedy}"
    )
