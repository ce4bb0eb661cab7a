"""Matrices, distributions, budgets and users out of files: CSV or JSON, exact entries, every error with its place."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO, TypeVar

from ..contract.errors import placed
from ..contract.limits import LONGEST_INPUT, MOST_ADVERSARIES, MOST_STATES, check_count, too_large
from ..reference import InvalidNumber, InvalidRequest, Level, TransitionCounts, TransitionMatrix
from ..wire.numerals import Reader, WrittenEntry
from ..wire.protocol import FLOAT64, RATIONAL
from ..wire.strict_json import Object, as_integer, as_list, as_object, as_string, check_keys, decode

STDIN = "-"
ROLES = ("backward", "forward")
_MATRIX_KEYS = ("matrix", "backward", "forward", "initial", "states", "normalised_rows", "source")
_COUNTS_KEYS = ("states", "counts", "first")

Value = TypeVar("Value")


@dataclass(slots=True)
class Files:
    """Reads files for one command, each at most once, standard input included.

    float64: entries are doubles, in decimal or hexadecimal, and rows that miss 1 by rounding are divided by their
    sums; `normalised` then has these rows by file name, counted from 1.
    """

    float64: bool = False
    normalised: dict[str, list[int]] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)

    def matrix(self, path: str, role: str | None = None) -> TransitionMatrix:
        """Read a transition matrix.

        Args: path of a CSV or JSON file, or "-"; role, "backward" or "forward", the matrix wanted of a JSON object
        that has both or has counts.
        Returns: the matrix, exact. Raises: the contract's errors, with the file's name and the place in it.
        """
        with named(path):
            text = self.text(path)
            if _is_json(text):
                return self._matrix_of(decode(text), path, role)
            return self._reader(path, lambda reader: reader.matrix_of(_csv_rows(text, reader), path))

    def matrix_value(self, value: object, what: str, role: str, folder: Path) -> TransitionMatrix:
        """Read a matrix that stands in a JSON file: itself, or the path of its file from the folder of that one."""
        if isinstance(value, str):
            return self.matrix(value if value == STDIN else str(folder / value), role)
        return self._matrix_of(value, what, role)

    def _matrix_of(self, value: object, what: str, role: str | None) -> TransitionMatrix:
        if isinstance(value, dict):
            if "counts" in value:
                counts = counts_of(value)
                return _by_role(role, {"backward": counts.backward, "forward": counts.forward}, "has counts")()
            check_keys(value, (), _MATRIX_KEYS, "the object")
            if "matrix" in value:
                value = value["matrix"]
            else:
                given = {name: value[name] for name in ROLES if name in value}
                if not given:
                    raise InvalidRequest("the object has no matrix: none of the keys matrix, backward, forward, counts")
                if role or len(given) > 1:
                    value = _by_role(role, given, "has more than one matrix")
                else:
                    value = next(iter(given.values()))
        return self._reader(what, lambda reader: reader.matrix(value, "matrix"))

    def _reader(self, what: str, read: Callable[[Reader], Value]) -> Value:
        reader = Reader(FLOAT64 if self.float64 else RATIONAL, decimals=True)
        value = read(reader)
        for rows in reader.normalised.values():
            self.normalised[what] = rows
        return value

    def distribution(self, path: str) -> tuple[Fraction, ...]:
        """Read a distribution: a row of CSV, a JSON array, or an object with "initial" or with counts. As `matrix`."""
        with named(path):
            text = self.text(path)
            value: object
            if _is_json(text):
                value = decode(text)
                if isinstance(value, dict):
                    if "counts" in value:
                        return counts_of(value).initial()
                    check_keys(value, ("initial",), _MATRIX_KEYS, "the object")
                    value = value["initial"]
            else:
                rows = _csv_rows(text, Reader(FLOAT64 if self.float64 else RATIONAL, decimals=True))
                if len(rows) != 1:
                    raise InvalidRequest(f"a distribution is one row, {len(rows)} were found")
                value = rows[0]
            return self._reader(path, lambda reader: reader.distribution(value, "initial"))

    def levels(self, path_or_list: str) -> list[Level]:
        """Read budgets: a file of levels, apart by commas or white space or as a JSON array; or levels and commas."""
        reader = Reader()
        if path_or_list != STDIN and not _is_file(path_or_list):
            return reader.levels(path_or_list.split(","), "epsilons")
        with named(path_or_list):
            text = self.text(path_or_list)
            values = decode(text) if _is_json(text) else text.replace(",", " ").split()
            return reader.levels(values, "epsilons")

    def users(self, path: str) -> dict[str, dict[str, TransitionMatrix]]:
        """Read users: {"name": {"backward": matrix or path, "forward": matrix or path}, …}, each known matrix by role.

        Raises: as `matrix`, with the user's name.
        """
        with named(path):
            users = as_object(decode(self.text(path)), "the file of users")
            check_count(len(users), MOST_ADVERSARIES, "users")
            folder = Path() if path == STDIN else Path(path).parent
            matrices: dict[str, dict[str, TransitionMatrix]] = {}
            for name, value in users.items():
                with placed(f"user {name!r}"):
                    known = as_object(value, "the user")
                    check_keys(known, (), ROLES, "the user")
                    matrices[name] = {
                        role: self.matrix_value(matrix, f"{name}.{role}", role, folder)
                        for role, matrix in known.items()
                    }
            return matrices

    def text(self, path: str) -> str:
        """Return the text of a file or of standard input. Raises: as `read_text`."""
        if path not in self._texts:
            self._texts[path] = read_text(path)
        return self._texts[path]


def read_text(path: str) -> str:
    """Read a whole file in UTF-8, "-" for standard input. Raises: InvalidRequest."""
    with opened(path) as stream:
        content = stream.read(LONGEST_INPUT + 1)
    if len(content) > LONGEST_INPUT:
        raise too_large(f"the file has more than {LONGEST_INPUT} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"not UTF-8: byte {error.start + 1} is {content[error.start]:#04x}") from None


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file, or standard input for "-", for reading bytes. Raises: InvalidRequest while it cannot be read."""
    if "\0" in path:
        raise InvalidRequest("cannot be read: no file has such a name")
    try:
        if path == STDIN:
            yield sys.stdin.buffer
        else:
            with Path(path).open("rb") as stream:
                yield stream
    except OSError as error:
        raise InvalidRequest(f"cannot be read: {error.strerror or error}") from None


def named(path: str) -> AbstractContextManager[None]:
    """Put a file's name before the message of an error."""
    return placed("standard input" if path == STDIN else path)


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] in ("[", "{")


def _by_role(role: str | None, given: dict[str, Value], what: str) -> Value:
    if role is None:
        raise InvalidRequest(f"the object {what}: say with --role whether the backward or the forward one is meant")
    if role not in given:
        raise InvalidRequest(f"the object has no {role} matrix")
    return given[role]


def _csv_rows(text: str, reader: Reader) -> list[list[WrittenEntry]]:
    """Split CSV into entries, empty lines left out. Raises: InvalidNumber with the line and column."""
    rows: list[list[WrittenEntry]] = []
    lines = csv.reader(io.StringIO(text), strict=True)
    try:
        for line in lines:
            if not line or (len(line) == 1 and not line[0].strip()):
                continue
            check_count(len(rows), MOST_STATES, "rows")
            check_count(len(line), MOST_STATES, "columns")
            for column, entry in enumerate(line, 1):
                try:
                    reader.number(entry, "number")
                except InvalidNumber as error:
                    message = str(error).removeprefix("number: ")
                    raise InvalidNumber(f"line {lines.line_num}, column {column}: {message}") from None
            rows.append([*line])
    except csv.Error as error:
        raise InvalidRequest(f"line {lines.line_num} is not CSV: {error}") from None
    return rows


def counts_of(value: Object) -> TransitionCounts:
    """Read transition counts from their JSON object.

    Returns: the counts, exact. Raises: InvalidRequest naming the key; InvalidNumber for a count that is a float.
    """
    check_keys(value, _COUNTS_KEYS, ("source",), "the object of counts")
    states = [as_string(name, "a name in states") for name in as_list(value["states"], "states")]
    check_count(len(states), MOST_STATES, "states")
    if not states:
        raise InvalidRequest("there is no state")
    if len(set(states)) < len(states):
        raise InvalidRequest("a state is named twice")
    rows = as_list(value["counts"], "counts")
    return TransitionCounts(
        tuple(states),
        tuple(_count_row(row, f"counts, row {number}") for number, row in enumerate(rows, 1)),
        _count_row(value["first"], "first"),
    )


def _count_row(value: object, what: str) -> tuple[int, ...]:
    return tuple(as_integer(count, f"{what}, entry {number}") for number, count in enumerate(as_list(value, what), 1))
