"""Sequences of states read as a stream: from text, from a zip archive that holds one text, or from JSON.

Text has one sequence a line, of names apart by blanks; lines that start with % are comments. If a comment reads
"% Sequences:", the words before it name the states in order and the sequences are numbers of states from 1 (the format
of the MSNBC click streams).
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from ..contract.limits import LONGEST_INPUT, MOST_STATES, bounded_states, too_large
from ..reference import InvalidRequest, TransitionCounts, count_transitions
from ..reference.loss import Progress
from ..wire.strict_json import decode, sequences_of, shown
from .files import STDIN, named, opened, read_text

LONGEST_HEADER = 1_000
"""Lines among which "% Sequences:" is looked for."""

_LINES_PER_REPORT = 10_000


def count_file(path: str, progress: Progress | None = None) -> TransitionCounts:
    """Count the transitions of a file of sequences.

    Args: path of a text, .zip or .json file, or "-" for standard input (text or JSON); progress, called now and then.
    Returns: the counts, exact. Raises: InvalidRequest with the file's name, and the line where that helps.
    """
    with named(path):
        if path.lower().endswith(".json"):
            return _count(sequences_of(decode(read_text(path))))
        if path.lower().endswith(".zip"):
            with opened(path) as stream, _zipped(stream) as (member, size):
                return _count_text(member, size, progress)
        with opened(path) as stream:
            size = 0 if path == STDIN else Path(path).stat().st_size
            text = io.BufferedReader(stream) if isinstance(stream, io.RawIOBase) else stream
            if path == STDIN and _starts_json(text):
                content = text.read(LONGEST_INPUT + 1)
                if len(content) > LONGEST_INPUT:
                    raise too_large(f"more than {LONGEST_INPUT} bytes of JSON")
                return _count(sequences_of(decode(_decoded(content, 1))))
            return _count_text(text, size, progress)


def _count(sequences: Iterable[list[str]]) -> TransitionCounts:
    return count_transitions(bounded_states(sequences))


def _starts_json(stream: BinaryIO) -> bool:
    peek = getattr(stream, "peek", None)
    return peek is not None and peek(1).lstrip()[:1] == b"["


@contextmanager
def _zipped(stream: BinaryIO) -> Iterator[tuple[IO[bytes], int]]:
    try:
        with zipfile.ZipFile(stream) as archive:
            members = [
                member
                for member in archive.infolist()
                if not member.is_dir() and not member.filename.startswith("__MACOSX/")
            ]
            if len(members) != 1:
                raise InvalidRequest(f"the archive holds {len(members)} files, one file of sequences is expected")
            with archive.open(members[0]) as member:
                yield member, members[0].file_size
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise InvalidRequest(f"the archive cannot be read: {error}") from None


def _count_text(stream: IO[bytes], size: int, progress: Progress | None) -> TransitionCounts:
    lines = _lines(stream, size, progress)
    header: list[tuple[int, str]] = []
    for number, line in lines:
        if line.startswith("%"):
            if _opens_sequences(line):
                states = [name for _, text in header for name in text.split()]
                return _count_numbers(lines, states)
        elif line.strip():
            header.append((number, line))
            if len(header) > LONGEST_HEADER:
                break
    return _count(_names(header, lines))


def _opens_sequences(line: str) -> bool:
    return line.lstrip("%").split() == ["Sequences:"]


def _names(header: list[tuple[int, str]], lines: Iterator[tuple[int, str]]) -> Iterator[list[str]]:
    for _, line in header:
        yield line.split()
    for number, line in lines:
        if not line.startswith("%"):
            yield line.split()
        elif _opens_sequences(line):
            raise InvalidRequest(f"line {number}: % Sequences: comes after more than {LONGEST_HEADER} lines")


def _count_numbers(lines: Iterator[tuple[int, str]], states: list[str]) -> TransitionCounts:
    if not states:
        raise InvalidRequest("no state is named before % Sequences:")
    if len(states) > MOST_STATES:
        raise too_large(f"more than {MOST_STATES} states")
    if len(set(states)) < len(states):
        raise InvalidRequest("a state is named twice before % Sequences:")
    by_number = {str(number): name for number, name in enumerate(states, 1)}
    return count_transitions(_numbered(lines, by_number), states)


def _numbered(lines: Iterator[tuple[int, str]], by_number: dict[str, str]) -> Iterator[list[str]]:
    name_of = by_number.__getitem__
    for number, line in lines:
        try:
            yield list(map(name_of, line.split()))
        except KeyError as error:
            if not line.startswith("%"):
                raise InvalidRequest(
                    f"line {number}: {shown(error.args[0])} is not the number of one of the {len(by_number)} states"
                ) from None


def _lines(stream: IO[bytes], size: int, progress: Progress | None) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers. Raises: InvalidRequest for a line that is too long or is not UTF-8."""
    read = number = 0
    while line := stream.readline(LONGEST_INPUT + 1):
        number += 1
        read += len(line)
        if len(line) > LONGEST_INPUT:
            raise too_large(f"line {number} has more than {LONGEST_INPUT} bytes")
        if progress and number % _LINES_PER_REPORT == 0:
            progress(read, size)
        yield number, _decoded(line, number)


def _decoded(line: bytes, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise InvalidRequest(
            f"line {number} is not UTF-8: byte {error.start + 1} is {line[error.start]:#04x}"
        ) from None
