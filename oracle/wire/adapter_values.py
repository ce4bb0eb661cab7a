"""The numbers of a Python object on the wire: those of a request as Python has them, and those that it returns.

Of a request only the notation is read. What the numbers mean, and whether they are a stochastic matrix or a level that
can be kept, is for the object to say. Three things it never sees: a matrix that is empty or ragged, which no numpy
array can hold, is NotSquare; a level that is negative or above 10^9 cannot be a `Level`, so with "rational" it is
InvalidLevel; and a key that is missing or unknown is InvalidRequest.

Of what is returned the contract's form is made, and never an exception. Nothing is rounded, and nothing is judged:
what is no number of the contract (NaN, a complex number, None) is written as a text that is none either, so that
whoever judges the answer finds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from numbers import Rational
from typing import Any

import numpy as np

from ..contract.entry import WHOLE, InputKey, InputKind, ValueField, ValueKind
from ..contract.limits import check_written
from ..contract.operations import OPERATIONS, PIECE
from ..reference import Level, NotSquare, TransitionMatrix
from ..reference.decimals import fraction_to_text
from ..reference.stepwise import Stepwise
from .numerals import Reader, entries
from .stepwise import CYCLE, STEPS, kind_of_steps, read_correlation
from .strict_json import Object, as_integer, as_list, as_string, sequences_of
from .values import level_value

ReadInput = Callable[[Reader, object, str], object]

_LONGEST_DESCRIPTION = 200
_ENDS = ("lower", "upper")
_PIECE = tuple(field for field in PIECE if not field.addition)


def arguments(op: str, given: Object, numbers: str) -> dict[str, object]:
    """Return the input of a request as keyword arguments.

    Args: given, the input of this operation, whose keys have been checked; numbers, how theirs are written.
    A correlation with a matrix for each step is {"steps": […]} or {"cycle": […]}, a list of matrices under the one key.
    Returns: for doubles matrices and arrays of numpy's float64, and floats; for "rational" lists of lists and lists
    of `Fraction`, `Level`s for levels, and `Fraction`s. Counts and times are integers, names texts.
    Raises: InvalidNumber, InvalidLevel, InvalidRequest, NotSquare; see above.
    """
    reader = Reader(numbers)
    keys = {key.name: key for key in OPERATIONS[op].keys}
    return {name: _under(keys[name], reader, value) for name, value in given.items()}


def _under(key: InputKey, reader: Reader, value: object) -> object:
    """Return what stands under a key; a matrix for each step as an object of a list of them, as it was sent."""
    if key.stepwise and kind_of_steps(value) is not None:
        found = read_correlation(value, key.name, lambda own, what: _READ[key.kind](reader, own, what))
        assert isinstance(found, Stepwise)
        return {CYCLE if found.repeats else STEPS: list(found.each)}
    return _READ[key.kind](reader, value, key.name)


def _number(reader: Reader, value: object, what: str) -> Fraction | float:
    number = reader.number(value, what)
    return float(number) if reader.doubles else number


def _level(reader: Reader, value: object, what: str) -> Level | float:
    if not reader.doubles:
        return reader.level(value, what)
    return math.inf if value == "inf" else float(reader.number(value, what))


def _each(reading: ReadInput, reader: Reader, value: object, what: str) -> object:
    """Read an array: each of its values so."""
    values = as_list(value, what)
    _check_written(reader, values)
    return _array(reader, [reading(reader, entry, f"{what} {number}") for number, entry in enumerate(values, 1)])


def _array(reader: Reader, values: list[object]) -> object:
    return np.array(values, dtype=np.float64) if reader.doubles else values


def _matrix(reader: Reader, value: object, what: str) -> object:
    written = entries(value, what)
    _check_written(reader, [entry for row in written for entry in row])
    rows = [
        [_number(reader, entry, f"{what}: row {number}, column {column}") for column, entry in enumerate(row, 1)]
        for number, row in enumerate(written, 1)
    ]
    if not rows or not rows[0]:
        raise NotSquare(f"{what}: the matrix is empty")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise NotSquare(f"{what}: row {number} has {len(row)} entries, row 1 has {len(rows[0])}")
    return _array(reader, [*rows])


def _check_written(reader: Reader, values: Sequence[object]) -> None:
    if not reader.doubles:
        check_written(value for value in values if isinstance(value, str))


_READ: dict[InputKind, ReadInput] = {
    InputKind.LEVEL: _level,
    InputKind.LEVELS: partial(_each, _level),
    InputKind.NUMBER: _number,
    InputKind.COUNT: lambda _, value, what: as_integer(value, what),
    InputKind.TEXT: lambda _, value, what: as_string(value, what),
    InputKind.MATRIX: _matrix,
    InputKind.LOSS: _matrix,
    InputKind.DISTRIBUTION: partial(_each, _number),
    InputKind.SEQUENCES: lambda _reader, value, _what: sequences_of(value),
}
"""How what stands under a key is read, by its kind."""


def value_of(op: str, returned: object, digits: int) -> object:
    """Return the value of an answer to this operation.

    Args: returned, what the object's method returned; digits, of the enclosures of `Level`s.
    Raises: Undecided for a `Level` that cannot be enclosed; and what the methods of the returned objects raise.
    """
    fields = OPERATIONS[op].fields
    if len(fields) > 1:
        return _fields(returned, fields, digits)
    (field,) = fields
    if field.name == WHOLE:
        return level_of(returned, digits)
    return {field.name: _converted(field, _only(returned, field.name), digits)}


def _converted(field: ValueField, value: object, digits: int) -> object:
    """Return what stands in a field in the contract's form."""
    match field.kind:
        case ValueKind.LEVEL:
            return level_of(value, digits)
        case ValueKind.LEVELS:
            return _list(value, lambda level: level_of(level, digits))
        case ValueKind.PIECES:
            return _list(value, lambda piece: _fields(piece, _PIECE, digits))
        case ValueKind.NUMBER | ValueKind.EXACT_LEVEL:
            exact = value.exact_text if isinstance(value, Level) else None  # which only one by a formula lacks
            return level_of(value, digits) if exact is None else exact
    return _matrix_text(value)


def level_of(value: object, digits: int) -> object:
    """Return a level: one number, a pair of a lower and an upper end, or a mapping with the contract's keys."""
    if isinstance(value, Level):
        return level_value(value, digits)
    if isinstance(value, Mapping):
        ends: Object = {end: _end(value[end], end, digits) for end in _ENDS if end in value}
        if "exact" in value:
            ends["exact"] = _exact(value["exact"])
        return ends
    pair = _sequence(value)
    if pair is not None and len(pair) == 2:
        return {end: _end(number, end, digits) for end, number in zip(_ENDS, pair, strict=True)}
    return number_text(value)


def _exact(value: object) -> str | None:
    if isinstance(value, Level):
        return value.exact_text
    return None if value is None else number_text(value)


def _end(value: object, end: str, digits: int) -> object:
    return level_value(value, digits)[end] if isinstance(value, Level) else number_text(value)


def number_text(value: object) -> str:
    """Write one number exactly in the contract's notation, a float in hexadecimal; other things as no number.

    >>> number_text(0.75), number_text(Fraction(3, 4)), number_text(Decimal("0.75")), number_text(1j)
    ('0x1.8000000000000p-1', '3/4', '0.75', '1j')
    """
    match value:
        case str():
            return str(value)
        case bool() | np.bool_() | None:
            return str(value)
        case float():
            return float.hex(value)
        case np.floating():
            return _floating_text(value)
        case complex() | np.complexfloating():
            return str(complex(value))
        case Decimal():
            return str(value) if value.is_finite() else str(float(value)) if not value.is_nan() else "nan"
        case Rational():
            return fraction_to_text(Fraction(int(value.numerator), int(value.denominator)))
        case Level():
            return value.exact_text or _described(value)
        case np.ndarray() if value.ndim == 0:
            return number_text(value[()])
    return _described(value)


def _floating_text(value: np.floating[Any]) -> str:
    """Write a float of another length than a double: a long double need not be a double."""
    nearest = float(value)
    if np.isfinite(value):
        exact = Fraction(*value.as_integer_ratio())
        if math.isinf(nearest) or Fraction(nearest) != exact:
            return fraction_to_text(exact)
    return nearest.hex()


def _described(value: object) -> str:
    """Return a text that is no number, whatever the value looks like."""
    return f"{type(value).__name__}: {value!r}"[:_LONGEST_DESCRIPTION]


def _sequence(value: object) -> Sequence[object] | None:
    """Return what is a list, a tuple, an array and the like as a sequence."""
    if isinstance(value, np.ndarray):
        return list(value) if value.ndim else None
    return value if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray) else None


def _list(value: object, convert: Callable[[object], object]) -> object:
    items = _sequence(value)
    return number_text(value) if items is None else [convert(item) for item in items]


def _only(value: object, key: str) -> object:
    """Return what stands under the contract's key, or the value itself where it is no mapping with that key."""
    return value[key] if isinstance(value, Mapping) and key in value else value


def _fields(value: object, fields: Sequence[ValueField], digits: int) -> object:
    """Return the fields out of a mapping, attributes, or a sequence in the order of the contract."""
    if isinstance(value, Mapping):
        found = {field: value[field.name] for field in fields if field.name in value}
    elif all(hasattr(value, field.name) for field in fields):
        found = {field: getattr(value, field.name) for field in fields}
    else:
        items = _sequence(value)
        if items is None or len(items) != len(fields):
            return number_text(value)
        found = dict(zip(fields, items, strict=True))
    return {field.name: _converted(field, item, digits) for field, item in found.items()}


def _matrix_text(value: object) -> object:
    """Return a matrix or a row, with texts for its numbers."""
    if isinstance(value, TransitionMatrix):
        return value.texts()
    return _list(value, lambda item: number_text(item) if _sequence(item) is None else _matrix_text(item))
