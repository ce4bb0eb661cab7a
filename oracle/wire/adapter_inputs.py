"""What the adapter gives to a Python object: the numbers of a request as Python has them.

Only the notation is read here. What the numbers mean, and whether they are a stochastic matrix or a level that can be
kept, is for the object to say. Three things it never sees: a matrix that is empty or ragged, which no numpy array can
hold, is NotSquare; a level that is negative or above 10^9 cannot be a `Level`, so with "rational" it is InvalidLevel;
and a key that is missing or unknown is InvalidRequest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from ..contract.limits import check_written
from ..data.sequences import sequences_of
from ..reference import Level, NotSquare
from .numerals import Reader, entries
from .strict_json import Object, as_integer, as_list, as_string

Reading = Callable[[Reader, object, str], object]


def arguments(given: Object, numbers: str) -> dict[str, object]:
    """Return the input of a request as keyword arguments.

    Args: given, the input, whose keys have been checked; numbers, "float64" or "rational".
    Returns: for "float64" matrices and arrays of numpy's float64, and floats; for "rational" lists of lists and lists
    of `Fraction`, `Level`s for levels, and `Fraction`s. Counts and times are integers, names texts.
    Raises: InvalidNumber, InvalidLevel, InvalidRequest, NotSquare; see above.
    """
    reader = Reader(float64=numbers == "float64")
    return {key: _READINGS[key](reader, value, key) for key, value in given.items()}


def _number(reader: Reader, value: object, what: str) -> Fraction | float:
    number = reader.number(value, what)
    return float(number) if reader.float64 else number


def _level(reader: Reader, value: object, what: str) -> Level | float:
    if not reader.float64:
        return reader.level(value, what)
    return math.inf if value == "inf" else float(reader.number(value, what))


def _levels(reader: Reader, value: object, what: str) -> object:
    levels = _each(_level, reader, value, what)
    return np.array(levels, dtype=np.float64) if reader.float64 else levels


def _distribution(reader: Reader, value: object, what: str) -> object:
    numbers = _each(_number, reader, value, what)
    return np.array(numbers, dtype=np.float64) if reader.float64 else numbers


def _each(reading: Reading, reader: Reader, value: object, what: str) -> list[object]:
    values = as_list(value, what)
    _check_written(reader, values)
    return [reading(reader, entry, f"{what} {number}") for number, entry in enumerate(values, 1)]


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
    return np.array(rows, dtype=np.float64) if reader.float64 else rows


def _check_written(reader: Reader, values: Sequence[object]) -> None:
    if not reader.float64:
        check_written(value for value in values if isinstance(value, str))


def _integer(_reader: Reader, value: object, what: str) -> int:
    return as_integer(value, what)


def _text(_reader: Reader, value: object, what: str) -> str:
    return as_string(value, what)


def _sequences(_reader: Reader, value: object, _what: str) -> list[list[str]]:
    return sequences_of(value)


_READINGS: dict[str, Reading] = {
    **dict.fromkeys(("matrix", "backward", "forward"), _matrix),
    **dict.fromkeys(("alpha", "epsilon", "previous", "cap"), _level),
    **dict.fromkeys(("s", "smoothing"), _number),
    **dict.fromkeys(("n", "start", "length", "horizon"), _integer),
    "epsilons": _levels,
    "initial": _distribution,
    "method": _text,
    "sequences": _sequences,
}
"""How each key of the contract's inputs is read, the same in all operations."""
