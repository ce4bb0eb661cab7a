"""Sequences of states read as a stream: from text, from a zip archive that holds one text, or from JSON.

Text has one sequence a line, of names separated by blanks, which are spaces and tabs, or by a separator asked for;
lines that start with % and a blank are comments. If a comment reads "% Sequences:", the words before it name the states
in order and the sequences are numbers of states from 1 (the format of the MSNBC click streams). What looks like another
separator than blanks is an error until one is asked for: a line that is read as one state tells of no transition, and
so of no leakage.
"""

from __future__ import annotations

import io
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, BinaryIO

from .. import reference
from ..contract.limits import LONGEST_INPUT, MOST_STATES, bounded_states, too_large
from ..reference import InvalidRequest, OracleError, TransitionCounts
from ..reference.paper.loss import Progress
from ..wire.strict_json import as_list, as_string, decode, shown
from .archives import opened_archive
from .doubt import (
    DROP,
    REFUSE,
    STATE,
    USUAL,
    Readings,
    check_first_fields,
    check_observed,
    name_of,
    sequence_of,
    unbroken,
    uncommented,
)
from .files import STDIN, counts_of, named, opened, read_text
from .fit import Fit, Observations
from .plain_text import cells, check_plain
from .tables import NAMED_SEPARATOR, is_json

LONGEST_HEADER = 1_000
"""Lines among which "% Sequences:" is looked for."""

BLANK = "blank"
SEPARATORS = {BLANK: None, "tab": "\t", "comma": ",", "semicolon": ";", "bar": "|"}
"""What separators are called where they are asked for; any other text means itself."""

_DOUBTFUL = re.compile(r"[,;|>→]|\t(?=.* )|(?<= )\t")
"""What a line may be separated by where nothing was said: marks, and tabs beside other blanks."""

_PERCENT_COMMENT = re.compile(r"%(?:[%\s]|$)")

_LINES_PER_REPORT = 10_000

_TABLES = (".parquet", ".npy", ".npz")

Split = Callable[[str, int], list[str]]
"""Splits a line into names; its number is for error messages."""

Broken = Callable[[OracleError], None]
"""What becomes of a row that is broken: `stop`, or something that notes it, and then the rows go on without it."""


def stop(error: OracleError) -> None:
    """Raise the error."""
    raise error from None


def count_file(
    path: str,
    progress: Progress | None = None,
    separator: str | None = None,
    readings: Readings = USUAL,
    seen: Observations | None = None,
) -> TransitionCounts:
    """Count the transitions of a file of sequences.

    Args: path of a text, .zip or .json file, of sequences or counts, or "-" for standard input (text or JSON);
    progress, called now and then; separator, what separates the names of a text: one of `SEPARATORS` or the
    separator itself, None: blanks, where nothing else can be meant; readings, of what is doubtful; seen, notes each
    sequence for the tests of fit.
    Returns: the counts, exact. Raises: InvalidRequest with the file's name, and the line where that helps.
    """
    seen = Observations() if seen is None else seen
    with named(path):
        if path.lower().endswith(_TABLES):
            raise InvalidRequest(
                "a table has no sequences: a log with one visit per row, in Parquet, is read with --user, --time and "
                "--state, a table of counts with --count-table"
            )
        if path.lower().endswith(".json"):
            return _count_json(read_text(path), separator, readings, seen)
        with lines_of(path, progress) as (lines, has_json):
            if has_json:
                return _count_json(_joined(lines), separator, readings, seen)
            plain = uncommented(_plain(without_separator(lines, separator), separator), readings.comment)
            return _count_text(plain, splitting(separator), readings, seen)


def count_transitions(
    sequences: Iterable[Sequence[object]],
    states: Sequence[str] | None = None,
    missing: str = REFUSE,
    header: str = REFUSE,
    ids: str = REFUSE,
) -> TransitionCounts:
    """Count the transitions within each sequence.

    Args:
        sequences: each the names of one person's states in the order of time.
        states: their order; without it the names seen, numbers by value before others.
        missing: what None, NaN, "NA", -99 and the like are: "refuse", "break" the sequence, also at "break:NAMES", or
            a "state".
        header: what a first sequence of names that no other has is: "refuse", "drop" or "state".
        ids: what first names that occur nowhere else are: "refuse", "drop" or "state".

    Returns: the counts. Raises: InvalidRequest for what is doubtful, as these say, for a text, a set or a mapping in
    place of a sequence, for a name that is not among the given states, or with no name at all.

    >>> count_transitions([["x", "y", "x"], ["y", "y"]]).transitions
    ((0, 1), (1, 1))
    """
    return observed_transitions(sequences, Readings(missing=missing, header=header, ids=ids), states)[0]


def observed_transitions(
    sequences: Iterable[Sequence[object]],
    readings: Readings,
    states: Sequence[str] | None = None,
    seen: Observations | None = None,
) -> tuple[TransitionCounts, Observations]:
    """Count the transitions within each sequence, and note them for the tests of fit. As `count_transitions`."""
    seen = Observations() if seen is None else seen
    listed = sequence_of(sequences, "sequences")
    rows = ((number, sequence_of(each, "names")) for number, each in enumerate(listed, 1))
    names = states if states is None else [*map(name_of, sequence_of(states, "states"))]
    return _count(rows, readings, "sequence", names, seen), seen


@contextmanager
def lines_of(
    path: str, progress: Progress | None = None, broken: Broken = stop
) -> Iterator[tuple[Iterator[tuple[int, str]], bool]]:
    """Open a text, a .zip of one text, or standard input for "-".

    Args: broken, told of a line that is not UTF-8 when it is read.
    Returns: its lines with their numbers, read one by one, and whether standard input, or a pipe, is JSON.
    Raises: InvalidRequest; for a line that is too long when it is read.
    """
    if path.lower().endswith(".zip"):
        with opened(path) as stream, _zipped(stream) as (member, size):
            yield _lines(member, size, progress, broken), False
        return
    with opened(path) as stream:
        size = 0 if path == STDIN else Path(path).stat().st_size
        text = io.BufferedReader(stream) if isinstance(stream, io.RawIOBase) else stream
        yield _lines(text, size, progress, broken), _is_pipe(path) and _starts_json(text)


def _plain(lines: Iterator[tuple[int, str]], separator: str | None) -> Iterator[tuple[int, str]]:
    """Yield lines that have no other white space than spaces, tabs and their ends. Raises: InvalidRequest."""
    mark = "" if separator is None else mark_of(separator) or ""
    for number, line in lines:
        check_plain(line, number, mark)
        yield number, line


def without_separator(lines: Iterator[tuple[int, str]], separator: str | None) -> Iterator[tuple[int, str]]:
    """Yield lines without a first one such as sep=;. Raises: InvalidRequest where another separator is asked for."""
    for number, line in lines:
        if number == 1 and (found := NAMED_SEPARATOR.match(line)):
            if found[1] != (mark_of(separator) if separator else None):
                named = next(name for name, mark in SEPARATORS.items() if mark == found[1])
                raise InvalidRequest(f"line 1 says that {found[1]!r} separates names: give --separator {named}")
            continue
        yield number, line


def splitting(separator: str | None) -> Split:
    """Return what splits a line of a text into names. Args: separator, as in `count_file`. Raises: InvalidRequest."""
    if separator is None:
        return _at_blanks_if_plain
    mark = mark_of(separator)
    return (lambda line, _number: line.split()) if mark is None else lambda line, number: _at(mark, line, number)


def mark_of(separator: str) -> str | None:
    """Return the mark that is asked for by its name or itself; None for blanks. Raises: InvalidRequest for no mark."""
    mark = SEPARATORS.get(separator, separator)
    if mark is not None and (not mark.strip(" ") or any(character in mark for character in '"\r\n')):
        raise InvalidRequest(f"--separator: {shown(separator)} cannot separate names")
    return mark


def _at_blanks_if_plain(line: str, number: int) -> list[str]:
    found = _DOUBTFUL.search(line.strip())
    if found is None:
        return line.split()
    mark = "a tab beside other blanks" if found[0] == "\t" else repr(found[0])
    column = found.start() + len(line) - len(line.lstrip()) + 1
    raise InvalidRequest(
        f"line {number}, column {column}: {mark} may separate names, or belong to one. If this is a log with one visit "
        "per line, name its columns with --user, --time and --state; a table of counts needs --count-table; otherwise "
        f"say what separates names with --separator: {', '.join(SEPARATORS)} or the separator itself"
    )


def _at(mark: str, line: str, number: int) -> list[str]:
    """Split a line at a mark; cells that are empty at its end are none, others are missing names."""
    names = [name.strip() for name in cells(line, mark, number)]
    while names and not names[-1]:
        names.pop()
    return names


def _joined(lines: Iterator[tuple[int, str]]) -> str:
    text: list[str] = []
    length = 0
    for _, line in lines:
        text.append(line)
        length += len(line)
        if length > LONGEST_INPUT:
            raise too_large(f"more than {LONGEST_INPUT} characters of JSON")
    return "".join(text)


def _count_json(text: str, separator: str | None, readings: Readings, seen: Observations) -> TransitionCounts:
    if separator is not None:
        raise InvalidRequest("--separator is for text: JSON separates names itself")
    value = decode(text)
    if isinstance(value, dict) and "fit" in value:
        seen.stored = Fit.of(value["fit"])
    if isinstance(value, dict) and "counts" in value:
        return counts_of(value, readings)
    rows = (
        [
            as_string(name, f"sequence {number}: a name") if isinstance(name, list | dict) else name
            for name in as_list(own, "a sequence")
        ]
        for number, own in enumerate(as_list(value, "sequences"), 1)
    )
    return _count(enumerate(rows, 1), readings, "sequence", seen=seen)


def _count(
    lines: Iterable[tuple[int, Sequence[object]]],
    readings: Readings,
    word: str = "line",
    states: Sequence[str] | None = None,
    seen: Observations | None = None,
) -> TransitionCounts:
    """Count sequences with their numbers. Raises: InvalidRequest for what is doubtful, with the place."""
    first_line: list[str] = []

    def read() -> Iterator[list[str]]:
        has_header = readings.header == DROP
        for number, line in lines:
            if not line:
                continue
            if has_header:
                has_header = False
                continue
            names = line[1:] if readings.ids == DROP else line
            for own in unbroken(names, readings, f"{word} {number}"):
                if not first_line:
                    first_line.extend(own)
                yield own

    each = bounded_states(read() if seen is None else seen.watch(read()))
    counts = reference.count_transitions(each, states)
    check_first_fields(first_line, counts, readings)
    check_observed(counts.states, readings)
    return counts


def _is_pipe(path: str) -> bool:
    """Whether a path is standard input, or a pipe as <(...) gives one: its name does not say what it holds."""
    return path == STDIN or not Path(path).is_file()


def _starts_json(stream: BinaryIO) -> bool:
    peek = getattr(stream, "peek", None)
    return peek is not None and is_json(peek(1)[:64].decode("utf-8", "replace"))


@contextmanager
def _zipped(stream: BinaryIO) -> Iterator[tuple[IO[bytes], int]]:
    with opened_archive(stream) as archive:
        members = [
            member
            for member in archive.infolist()
            if not member.is_dir() and not member.filename.startswith("__MACOSX/")
        ]
        if len(members) != 1:
            raise InvalidRequest(f"the archive holds {len(members)} files, one file of sequences is expected")
        with archive.open(members[0]) as member:
            yield member, members[0].file_size


def _count_text(
    lines: Iterator[tuple[int, str]], split: Split, readings: Readings, seen: Observations
) -> TransitionCounts:
    header: list[tuple[int, str]] = []
    for number, line in lines:
        if _PERCENT_COMMENT.match(line):
            if _opens_sequences(line):
                states = [name for number, text in header for name in split(text, number)]
                return _count_numbers(lines, states, split, readings, seen)
        elif line.strip():
            header.append((number, line))
            if len(header) > LONGEST_HEADER:
                break
    return _count(_names(header, lines, split), readings, seen=seen)


def _opens_sequences(line: str) -> bool:
    return line.lstrip("%").split() == ["Sequences:"]


def _names(
    header: list[tuple[int, str]], lines: Iterator[tuple[int, str]], split: Split
) -> Iterator[tuple[int, list[str]]]:
    for number, line in header:
        yield number, split(line, number)
    for number, line in lines:
        if not _PERCENT_COMMENT.match(line):
            yield number, split(line, number)
        elif _opens_sequences(line):
            raise InvalidRequest(f"line {number}: % Sequences: comes after more than {LONGEST_HEADER} lines")


def _count_numbers(
    lines: Iterator[tuple[int, str]], states: list[str], split: Split, readings: Readings, seen: Observations
) -> TransitionCounts:
    if not states:
        raise InvalidRequest("no state is named before % Sequences:")
    if len(states) > MOST_STATES:
        raise too_large(f"more than {MOST_STATES} states")
    if len(set(states)) < len(states):
        raise InvalidRequest("a state is named twice before % Sequences:")
    by_number = {str(number): name for number, name in enumerate(states, 1)}
    plain = replace(readings, missing=STATE, header=STATE)
    return _count(_numbered(lines, by_number, split), plain, states=states, seen=seen)


def _numbered(
    lines: Iterator[tuple[int, str]], by_number: dict[str, str], split: Split
) -> Iterator[tuple[int, list[str]]]:
    name_of = by_number.__getitem__
    for number, line in lines:
        if _PERCENT_COMMENT.match(line):
            continue
        try:
            yield number, list(map(name_of, split(line, number)))
        except KeyError as error:
            raise InvalidRequest(
                f"line {number}: {shown(error.args[0])} is not the number of one of the {len(by_number)} states"
            ) from None


def _lines(stream: IO[bytes], size: int, progress: Progress | None, broken: Broken) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers. Raises: InvalidRequest for a line that is too long."""
    read = number = 0
    start = peek(2)[:2] if (peek := getattr(stream, "peek", None)) else b""
    if start in (BOM_UTF16_LE, BOM_UTF16_BE):
        raise InvalidRequest("this is UTF-16, and lines are read in UTF-8: iconv -f UTF-16 -t UTF-8 converts it")
    while line := stream.readline(LONGEST_INPUT + 1):
        number += 1
        read += len(line)
        if len(line) > LONGEST_INPUT:
            raise too_large(f"line {number} has more than {LONGEST_INPUT} bytes")
        if progress and number % _LINES_PER_REPORT == 0:
            progress(read, size)
        try:
            decoded = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            place = f"byte {error.start + 1} is {line[error.start]:#04x}"
            broken(InvalidRequest(f"line {number} is not UTF-8: {place}"))
        else:
            yield number, decoded
