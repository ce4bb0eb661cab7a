"""JSON read strictly: no float is ever parsed, no key may occur twice, and every key is known."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeGuard
from unicodedata import combining

from ..contract.errors import brief
from ..contract.limits import too_large
from ..reference import InvalidNumber, InvalidRequest

Object = dict[str, object]


def mapped(value: object, change: Callable[[object], object], whole: str = "") -> object:
    """Return JSON with what `change` makes of each part but lists and objects, and of objects with the key `whole`."""
    if isinstance(value, dict) and not (whole and whole in value):
        return {key: mapped(part, change, whole) for key, part in value.items()}
    return [mapped(part, change, whole) for part in value] if isinstance(value, list) else change(value)


_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Characters without a shape that Python takes for printable: fillers, selectors of variants, Braille's empty one."""

_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}

LONGEST_INTEGER = 1_000
"""Digits of a JSON integer; longer numbers are written as texts."""


@dataclass(frozen=True, slots=True, repr=False)
class Numeral:
    """A JSON number that the contract does not admit (a float, NaN, an integer beyond all use), as it was written."""

    text: str

    def __repr__(self) -> str:
        return self.text if len(self.text) <= 40 else self.text[:37] + "..."


def decode(text: str) -> object:
    """Read a JSON text.

    Returns: its value; floats, NaN and Infinity are `Numeral`s, which whoever expects a number refuses with its place.
    Raises: InvalidRequest for what is not JSON, for a key that occurs twice, and for nesting too deep to read.
    """
    try:
        return json.loads(
            text, parse_float=Numeral, parse_constant=Numeral, parse_int=_integer, object_pairs_hook=_without_duplicates
        )
    except json.JSONDecodeError as error:
        raise InvalidRequest(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise too_large("the JSON is nested too deeply") from None


def encode(value: object) -> str:
    """Write a value as one line of JSON in ASCII, so that no name can upset an output stream."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


def _integer(text: str) -> int | Numeral:
    return int(text) if len(text) <= LONGEST_INTEGER else Numeral(text)


def _without_duplicates(pairs: list[tuple[str, object]]) -> Object:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise InvalidRequest(f"the key {shown(key)} occurs twice")
            seen.add(key)
    return value


def shown(value: object) -> str:
    """Return a short text that stands for the value in a message."""
    return brief(repr(value) if isinstance(value, str | int | Numeral | None) else f"a JSON {kind(value)}")


def printable(text: str) -> str:
    """Return a name, or a text of one line, with escapes for control, bidirectional and invisible characters.

    The one writer of names: for the terminal, CSV, HTML, pictures, XML and notes. A mark that combines with what stands
    before the name is escaped, too.
    """
    return "".join(
        char if char.isprintable() and not _INVISIBLE.match(char) and (place or not combining(char)) else _escape(char)
        for place, char in enumerate(text)
    )


def printable_lines(text: str) -> str:
    """Return a text of several lines, each as `printable`."""
    return "\n".join(map(printable, text.split("\n")))


def _escape(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    number = ord(char)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def kind(value: object) -> str:
    """Return JSON's word for the value's type."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | Numeral():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def as_object(value: object, what: str) -> Object:
    """Return the value if it is a JSON object. Raises: InvalidRequest."""
    if not isinstance(value, dict):
        raise InvalidRequest(f"{what} is a JSON {kind(value)}, not an object")
    return value


def object_of(line: bytes, what: str) -> Object:
    """Read a line that is one JSON object. Raises: InvalidRequest."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"not UTF-8: byte {error.start + 1} is {line[error.start]:#04x}") from None
    return as_object(decode(text), what)


def as_list(value: object, what: str) -> list[object]:
    """Return the value if it is a JSON array. Raises: InvalidRequest."""
    if not isinstance(value, list):
        raise InvalidRequest(f"{what} is a JSON {kind(value)}, not an array")
    return value


def as_string(value: object, what: str) -> str:
    """Return the value if it is a JSON string. Raises: InvalidRequest."""
    if not isinstance(value, str):
        raise InvalidRequest(f"{what} is a JSON {kind(value)}, not a string")
    return value


def sequences_of(value: object) -> list[list[str]]:
    """Return an array of arrays of names. Raises: InvalidRequest."""
    return [
        [as_string(name, f"sequence {number}: a name") for name in as_list(sequence, f"sequence {number}")]
        for number, sequence in enumerate(as_list(value, "sequences"), 1)
    ]


def is_integer(value: object) -> TypeGuard[int]:
    """Whether the value is a JSON integer: true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def as_integer(value: object, what: str) -> int:
    """Return the value if it is a JSON integer. Raises: InvalidNumber for a float, else InvalidRequest."""
    if isinstance(value, Numeral):
        raise InvalidNumber(f"{what}: {value!r} is not an integer")
    if not is_integer(value):
        raise InvalidRequest(f"{what} is a JSON {kind(value)}, not an integer")
    return value


def check_keys(value: Object, required: Collection[str], optional: Collection[str], what: str) -> None:
    """Raise InvalidRequest if a required key is missing, or one is neither required nor optional."""
    for key in required:
        if key not in value:
            raise InvalidRequest(f"{what} lacks the key {key!r}")
    for key in value:
        if key not in required and key not in optional:
            raise InvalidRequest(f"{what} has the unknown key {shown(key)}")
