"""What an implementation answered: levels, probabilities, pieces, matrices and lists out of a decoded value.

Nothing is repaired. What is not of the contract's form is `Malformed`, with what is wrong and where.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ...contract.limits import written_digits
from ...contract.operations import PIECE
from ...output.sheets import clean
from ...reference import OracleError
from ...wire.numerals import hex_double, hex_text
from ...wire.strict_json import Numeral, Object, as_list, is_integer, kind, shown
from ..model import Failure
from .truths import Number, compare, number_of

LONGEST_GIVEN = 120
"""Characters of an answer that a judgement repeats."""

LONGEST_ANSWERED = 20_000
"""Digits of one number of an answer, written out: "1e-100" has a hundred. A longer one is not read."""

DIGITS_OF_A_DOUBLE = 17
"""Significant digits that tell every double from every other."""

_DECIMAL = re.compile(r"-?([0-9]+)(?:\.([0-9]*))?(?:[eE][+-]?[0-9]{1,6})?")
_ENCLOSURE = ("exact", "lower", "upper")

PIECE_KEYS = tuple(field.name for field in PIECE if not field.addition)

Place = tuple[str, object]
"""Where a number stands in an answer, and the number as it was answered."""


class Malformed(Exception):
    """An answer, or a number of it, is not of the contract's form; the message says what and where, failure, how."""

    def __init__(self, message: str, failure: Failure = Failure.MALFORMED) -> None:
        super().__init__(message)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Given:
    """A number or a level as it was answered; written for reading, a double in hexadecimal in decimal as well."""

    value: object

    def __str__(self) -> str:
        value = self.value
        if not isinstance(value, dict):
            return clean(_plain(value), LONGEST_GIVEN)
        interval = f"[{_plain(value.get('lower'))}, {_plain(value.get('upper'))}]"
        exact = value.get("exact")
        return clean(interval if exact is None else f"{interval} = {_plain(exact)}", LONGEST_GIVEN)


@dataclass(frozen=True, slots=True)
class AnsweredLevel:
    """A level as it was answered: in lower ≤ level ≤ upper, both the same for a point; exact where that was given."""

    lower: Number
    upper: Number
    exact: Number | None = None

    @property
    def is_point(self) -> bool:
        """Whether one number was answered."""
        return compare(self.lower, self.upper) == 0


@dataclass(frozen=True, slots=True)
class AnsweredPiece:
    """A piece of a loss function as it was answered: q ≥ d, and the levels from which and to which it rules."""

    q: Fraction
    d: Fraction
    start: AnsweredLevel
    stop: AnsweredLevel


def doubles_in_hex(value: object) -> object:
    """Return an answer to a decimal64 request with its doubles in hexadecimal.

    A double is a decimal of at most 17 significant digits that does not stand in an enclosure, whose ends are exact.
    """
    match value:
        case dict():
            return {key: part if key in _ENCLOSURE else doubles_in_hex(part) for key, part in value.items()}
        case list():
            return [doubles_in_hex(part) for part in value]
        case str() if (match := _DECIMAL.fullmatch(value)) and math.isfinite(double := float(value)):
            digits = (match[1] + (match[2] or "")).lstrip("0")
            return hex_text(double) if len(digits) <= DIGITS_OF_A_DOUBLE else value
    return value


def read_answered_level(value: object, place: str) -> AnsweredLevel:
    """Read a level: `{"exact", "lower", "upper"}`, where exact may be absent or null, or one number.

    Raises: Malformed for anything else, for a negative level, and where lower is above upper.
    """
    if not isinstance(value, dict):
        point = read_level(value, place)
        return AnsweredLevel(point, point)
    for key in ("lower", "upper"):
        if key not in value:
            raise Malformed(_said(place, f"the level lacks the key {key!r}"))
    lower, upper = (read_level(value[key], _joined(place, key)) for key in ("lower", "upper"))
    if compare(lower, upper) > 0:
        raise Malformed(_said(place, f"lower, {_brief(value['lower'])}, is above upper, {_brief(value['upper'])}"))
    exact = value.get("exact")
    return AnsweredLevel(lower, upper, None if exact is None else read_level(exact, _joined(place, "exact")))


def read_level(value: object, place: str) -> Number:
    """Read one number that is a level, at least 0. Raises: Malformed."""
    number = read_number(value, place)
    if isinstance(number, Fraction) and number < 0:
        raise Malformed(_said(place, f"{_brief(value)} is negative"), Failure.NEGATIVE)
    return number


def read_probability(value: object, place: str) -> Fraction:
    """Read one rational number that is at least 0. Raises: Malformed."""
    number = read_level(value, place)
    if not isinstance(number, Fraction):
        raise Malformed(_said(place, f"{_brief(value)} is not a rational number"))
    return number


def read_number(value: object, place: str) -> Number:
    """Read a number: a text in the contract's notation or a double in hexadecimal, or a JSON integer.

    Raises: Malformed, for a JSON float and NaN too.
    """
    if is_integer(value):
        return Fraction(value)
    if isinstance(value, Numeral | float):
        raise Malformed(_said(place, f"{value!r} is a JSON number; numbers are written as text"))
    if not isinstance(value, str):
        raise Malformed(_said(place, f"a JSON {kind(value)} where a number is expected, written as text"))
    is_hexadecimal = "x" in value or "X" in value
    if not is_hexadecimal and written_digits(value) > LONGEST_ANSWERED:
        raise Malformed(_said(place, f"too long: more than {LONGEST_ANSWERED:,} digits written out: {_brief(value)}"))
    try:
        return hex_double(value) if is_hexadecimal else number_of(value)
    except OracleError as error:
        is_nan = value.strip().lower().lstrip("+-").startswith("nan")
        raise Malformed(_said(place, str(error)), Failure.NAN if is_nan else Failure.MALFORMED) from None


def read_pieces(value: Object, most: int) -> list[AnsweredPiece]:
    """Read the pieces of a loss function. Raises: Malformed, before the first where there are more than `most`."""
    pieces = []
    listed = _array(value, "pieces")
    if len(listed) > most:
        raise Malformed(f"pieces: too long: {len(listed):,} pieces, of which at most {most:,} are read")
    for number, piece in enumerate(listed, 1):
        place = f"pieces {number}"
        if not isinstance(piece, dict):
            raise Malformed(_said(place, f"a JSON {kind(piece)}, not an object"))
        for key in PIECE_KEYS:
            if key not in piece:
                raise Malformed(_said(place, f"the piece lacks the key {key!r}"))
        q, d = (read_probability(piece[key], _joined(place, key)) for key in ("q", "d"))
        if q < d:
            raise Malformed(_said(place, f"q, {_brief(piece['q'])}, is below d, {_brief(piece['d'])}"))
        start, stop = (read_answered_level(piece[key], _joined(place, key)) for key in ("from", "to"))
        pieces.append(AnsweredPiece(q, d, start, stop))
    return pieces


def number_in(value: Object, key: str) -> Place:
    """Return the number under a key, unread. Raises: Malformed."""
    if key not in value:
        raise Malformed(f"the value lacks the key {key!r}")
    return key, value[key]


def numbers_in(value: Object, key: str, count: int) -> Iterator[Place]:
    """Return the numbers of an array of this length, unread. Raises: Malformed, before the first."""
    row = _array(value, key)
    _check_count(len(row), count, "numbers", key)
    return ((f"{key} {number}", entry) for number, entry in enumerate(row, 1))


def entries_in(value: Object, key: str, n: int) -> Iterator[Place]:
    """Return the entries of an n × n matrix in order, unread. Raises: Malformed, before the first."""
    rows = _array(value, key)
    _check_count(len(rows), n, "rows", key)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, list):
            raise Malformed(f"{key}, row {number}: a JSON {kind(row)}, not an array")
        _check_count(len(row), n, "entries", f"{key}, row {number}")
    return (
        (f"{key}, row {i}, column {j}", entry)
        for i, row in enumerate(rows, 1)
        if isinstance(row, list)
        for j, entry in enumerate(row, 1)
    )


def as_value(value: object) -> Object:
    """Return a value that is an object. Raises: Malformed."""
    if not isinstance(value, dict):
        raise Malformed(f"the value is a JSON {kind(value)}, not an object")
    return value


def _plain(value: object) -> str:
    if not isinstance(value, str):
        return shown(value)
    try:
        return f"{value} ({float(hex_double(value)):.17g})" if "x" in value else value
    except OracleError:
        return value


def _array(value: Object, key: str) -> list[object]:
    try:
        return as_list(number_in(value, key)[1], key)
    except OracleError as error:
        raise Malformed(str(error)) from None


def _check_count(count: int, expected: int, what: str, place: str) -> None:
    if count != expected:
        raise Malformed(f"{place}: {count} {what} where {expected} are expected")


def _brief(value: object) -> str:
    return clean(_plain(value), LONGEST_GIVEN // 2)


def _joined(place: str, key: str) -> str:
    return f"{place}, {key}" if place else key


def _said(place: str, message: str) -> str:
    return f"{place}: {message}" if place else message
