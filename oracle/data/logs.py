"""Logs of visits, one a line: who, when, where. Sorted by time for each user, they are the sequences to count.

A time is a number, or a date and time of ISO 8601 (with an offset from UTC, or without one, in the whole log). Nothing
is guessed: neither the order of two visits at one time, nor whether 03/04 is in March.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import isfinite

from ..contract.errors import brief
from ..contract.limits import MOST_STATES, MOST_VISITS, check_count, too_large
from ..reference import InvalidNumber, InvalidRequest, TransitionCounts, parse_number
from ..reference.estimation import tabulated
from ..reference.paper.loss import Progress
from ..wire.strict_json import shown
from .files import named, opened
from .frames import check_columns, columns_of, is_frame, parquet_rows
from .plain_text import check_plain
from .sequences import SEPARATORS, Broken, cells, lines_of, mark_of, stop
from .steps import EACH_VISIT, ERROR, Duration, Spacings, Steps, since_first_day, steps_of, transitions_of

Moment = Fraction | datetime


@dataclass(frozen=True, slots=True)
class LogColumns:
    """The names of a log's columns: who visited, when, and which state."""

    user: str
    time: str
    state: str

    def __post_init__(self) -> None:
        if len({*self.names}) < 3:
            raise InvalidRequest("user, time and state are three different columns of the log")

    @property
    def names(self) -> tuple[str, str, str]:
        """The three, in this order."""
        return self.user, self.time, self.state


@dataclass(frozen=True, slots=True)
class Visit:
    """A user's state at a time. word and number: where the log says so; told: the time as it is written there."""

    moment: Moment
    state: str
    word: str
    number: int
    told: str

    @property
    def place(self) -> str:
        """Where the log says so, as in "line 7"."""
        return f"{self.word} {self.number}"


@dataclass(frozen=True, slots=True)
class CountedVisits:
    """The transitions of a log; spacings, how far apart visits are; in_seconds, whether that is a time, or a number."""

    counts: TransitionCounts
    spacings: Spacings
    in_seconds: bool

    def step(self, steps: Steps) -> Duration | None:
        """Return the time of a step: the one that was asked for, else that between visits where it is always one."""
        always = self.spacings.always
        return steps.step or (None if always is None else Duration(always, self.in_seconds))


def count_log_file(
    path: str,
    columns: LogColumns,
    progress: Progress | None = None,
    separator: str | None = None,
    steps: Steps = EACH_VISIT,
) -> CountedVisits:
    """Count the transitions of each user in a log with a header and a visit a line.

    Args: as `visits_of`; steps, which visits are one step apart. Returns: the counts, exact. Raises: as `visits_of`;
    two visits of a user at the same time are an error, as their order is not known; and as `Steps.slots`.
    """
    with named(path):
        return _count(visits_of(path, columns, progress, separator), steps)


def visits_of(
    path: str,
    columns: LogColumns,
    progress: Progress | None = None,
    separator: str | None = None,
    broken: Broken = stop,
    *,
    like: Moment | None = None,
) -> Iterator[tuple[str, Visit]]:
    """Yield users and their visits in the order of a log with a header and a visit a line; times are of one kind.

    Args: path of a text of delimited columns, a .zip of one, or "-" for standard input; or of a .parquet file;
    separator, as in `count_file`, None for commas; progress, called now and then; broken, told of a row that is no
    visit; like, a time of the kind that all are of. Raises: InvalidRequest with the line and column.
    """
    kind = "" if like is None else _kind(like)
    if path.lower().endswith(".parquet"):
        with opened(path):
            yield from _of_one_kind(_rows(parquet_rows(path, columns.names), columns, broken), broken, kind)
        return
    mark = "," if separator is None else mark_of(separator)
    if mark is None:
        raise InvalidRequest("--separator: the columns of a log are apart by a mark or a tab, not by blanks")
    with lines_of(path, progress, broken) as (lines, _):
        yield from _of_one_kind(_visits(lines, columns, mark, broken), broken, kind)


def _visits(
    lines: Iterator[tuple[int, str]], columns: LogColumns, mark: str, broken: Broken
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
            for column in (who, when, where):
                if not row[column]:
                    raise InvalidRequest(f"line {number}, column {column + 1}: {shown(header[column])} is empty")
            moment = _moment(row[when], f"line {number}, column {when + 1}")
        except InvalidRequest as error:
            broken(error)
        else:
            yield row[who], Visit(moment, row[where], "line", number, row[when])


def _cells(line: str, mark: str, number: int) -> list[str]:
    return [cell.strip() for cell in cells(line.rstrip("\r\n"), mark, number)]


def _other_mark(header: Sequence[str]) -> str:
    """Return what to do where the header was not split."""
    if len(header) == 1 and (found := [name for name, mark in SEPARATORS.items() if mark and mark in header[0]]):
        return f"; columns that are apart by another mark than a comma need --separator, as in --separator {found[0]}"
    return ""


def _moment(value: object, place: str) -> Moment:
    """Return a time. Raises: InvalidRequest for what is neither a number nor a date and time of ISO 8601."""
    if isinstance(value, str | int) and (date_ := _date_without_marks(str(value))):
        raise InvalidRequest(
            f"{place}: {value} is a number, or a date without its marks, and days of a month are no steps of a number: "
            f"write {date_}, or {value}.0 where it is a number"
        )
    moment = _time_of_text(value) if isinstance(value, str) else _time_of(value)
    if moment is None:
        told = brief(repr(value))
        raise InvalidRequest(f"{place}: {told} is no time: write a number, or ISO 8601 as in 2024-05-31T08:00:00")
    return moment


def _date_without_marks(text: str) -> str:
    """Return the date or time of 20240531, 202405310800 or 20240531080000 as it should be written; else nothing."""
    form = _WITHOUT_MARKS.get(len(text))
    if form is None or not (text.isascii() and text.isdigit()) or not "1900" <= text < "2100":
        return ""
    with suppress(ValueError):
        return (
            datetime.strptime(text, form).isoformat().removesuffix("T00:00:00" if len(text) == len("20240531") else "-")
        )
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
    match value:
        case datetime():
            return value
        case date():
            return datetime(value.year, value.month, value.day)
        case bool():
            return None
        case int() | Fraction():
            return Fraction(value)
        case float() | Decimal() if isfinite(value):
            return Fraction(value)
    return None


def count_visits(visits: object, columns: LogColumns, step: str | None = None, gaps: str = ERROR) -> TransitionCounts:
    """Count the transitions of each user in a pandas, Polars or Arrow table of visits, or in rows of who, when, where.

    Args:
        visits: a visit a row.
        columns: the names of the columns of users, times and states.
        step: the length of a step, as in "1h", or a number where times are numbers; None where each visit is a step.
        gaps: "error", "break" or "hold": what to do where visits are not one step apart.

    Returns: the counts, exact. Raises: as `count_log_file`, with the row.
    """
    steps = steps_of(step, gaps)
    if is_frame(visits):
        visits = columns_of(visits, columns.names)
    if not isinstance(visits, Iterable):
        raise InvalidRequest(f"{type(visits).__name__} is no table of visits")
    return _count(_of_one_kind(_rows(visits, columns, stop), stop), steps).counts


def _rows(rows: Iterable[tuple[object, ...]], columns: LogColumns, broken: Broken) -> Iterator[tuple[str, Visit]]:
    for number, row in enumerate(rows, 1):
        try:
            if len(row) != 3:
                raise InvalidRequest(f"row {number} is not who, when and where")
            who, when, where = (None if _missing(value) else value for value in row)
            for name, value in zip(columns.names, (who, when, where), strict=True):
                if value is None:
                    raise InvalidRequest(f"row {number}: {shown(name)} is empty")
            moment = _moment(when, f"row {number}")
        except InvalidRequest as error:
            broken(error)
        else:
            yield str(who), Visit(moment, str(where), "row", number, str(when))


def _missing(value: object) -> bool:
    return value is None or value == "" or str(value) in ("nan", "NaT", "<NA>")


def _of_one_kind(visits: Iterable[tuple[str, Visit]], broken: Broken, kind: str = "") -> Iterator[tuple[str, Visit]]:
    """Yield the visits whose times are of a kind, that of the first one's if there is none yet."""
    for user, visit in visits:
        other = _kind(visit.moment)
        if other == (kind := kind or other):
            yield user, visit
        else:
            broken(InvalidRequest(f"{visit.place}: {visit.told} is {other}, the times before it are each {kind}"))


def _count(visits: Iterable[tuple[str, Visit]], steps: Steps) -> CountedVisits:
    in_seconds = False
    states: set[str] = set()
    kept = _Kept()
    for number, (user, visit) in enumerate(visits, 1):
        if number > MOST_VISITS:
            raise too_large(f"more than {MOST_VISITS} visits")
        if number == 1:
            in_seconds = isinstance(visit.moment, datetime)
            steps.check(in_seconds)
        kept.add(user, visit)
        states.add(visit.state)
        check_count(len(states), MOST_STATES, "states")
    spacings, first, found = Spacings(), Counter[str](), Counter[tuple[str, str]]()
    for user, own in kept.by_user():
        ordered = _in_order(user, own, steps.drop)
        since = [since_first_day(visit.moment) for visit in ordered]
        own_spacings = Counter(after - before for before, after in pairwise(since))
        if own_spacings:
            spacings.add(own_spacings, next(iter(own_spacings)), len(own_spacings) > 1)
        slots = steps.slots(since, partial(_refusal, steps, ordered))
        counts, begun = transitions_of(slots, [visit.state for visit in ordered], steps.gaps)
        found.update(counts)
        first.update(begun)
    return CountedVisits(tabulated(found, first), spacings, in_seconds)


@dataclass(slots=True)
class _Kept:
    """The visits of a log, little of each: five million of them stay below a gigabyte."""

    word: str = ""
    users: dict[str, int] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    who: array[int] = field(default_factory=partial(array, "q"))
    where: array[int] = field(default_factory=partial(array, "q"))
    numbers: array[int] = field(default_factory=partial(array, "q"))
    moments: list[Moment | int] = field(default_factory=list)

    def add(self, user: str, visit: Visit) -> None:
        """Keep a visit; how its time was written is not kept."""
        moment, self.word = visit.moment, visit.word
        self.who.append(self.users.setdefault(user, len(self.users)))
        self.where.append(self.states.setdefault(visit.state, len(self.states)))
        self.numbers.append(visit.number)
        whole = isinstance(moment, Fraction) and moment.denominator == 1
        self.moments.append(moment.numerator if isinstance(moment, Fraction) and whole else moment)

    def by_user(self) -> Iterator[tuple[str, list[Visit]]]:
        """Yield the users, in the order of their first visits, with their visits in the order of the log."""
        import numpy as np

        who, names = np.frombuffer(self.who, np.int64), list(self.states)
        order = np.argsort(who, kind="stable")
        ends = np.cumsum(np.bincount(who, minlength=len(self.users))).tolist() if self.users else []
        for user, start, end in zip(self.users, [0, *ends], ends, strict=False):
            yield user, [self._visit(index, names) for index in order[start:end].tolist()]

    def _visit(self, index: int, names: list[str]) -> Visit:
        moment = self.moments[index]
        told = moment.isoformat() if isinstance(moment, datetime) else str(moment)
        exact = Fraction(moment) if isinstance(moment, int) else moment
        return Visit(exact, names[self.where[index]], self.word, self.numbers[index], told)


def _refusal(steps: Steps, visits: Sequence[Visit], number: int, what: str) -> InvalidRequest:
    return steps.refusal(visits[number].place, visits[number].told, what)


def _kind(moment: Moment) -> str:
    if isinstance(moment, Fraction):
        return "a number"
    return "a time without an offset from UTC" if moment.utcoffset() is None else "a time with an offset from UTC"


def _in_order(user: str, visits: list[Visit], drop: bool) -> list[Visit]:
    ordered = sorted(visits, key=lambda visit: visit.moment)
    kept = ordered[:1]
    for visit in ordered[1:]:
        if visit.moment != kept[-1].moment:
            kept.append(visit)
        elif not drop or visit.state != kept[-1].state:
            raise at_one_time(user, kept[-1].place, visit.place, visit.told)
    return kept


def at_one_time(user: str, before: str, after: str, told: str) -> InvalidRequest:
    """Return the error for a second visit of a user at one time. Args: where the two are, and the time as written."""
    return InvalidRequest(
        f"{after}: user {shown(user)} has a visit at {told} already ({before}): "
        "the order of two visits at one time is not known; --duplicates drop leaves out those that say the same again"
    )
