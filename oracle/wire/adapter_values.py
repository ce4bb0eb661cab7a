"""What the adapter makes of the values that a Python object returns: the contract's form, and never an exception.

Nothing is rounded, and nothing is judged here: what is no number of the contract (NaN, a complex number, None) is
written as a text that is none either, so that whoever judges the answer finds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from ..reference import Level, TransitionMatrix
from ..reference.decimals import fraction_to_text
from .strict_json import Object
from .values import KINDS, level_value

_LONGEST_DESCRIPTION = 200

_PIECE = ("q", "d", "from", "to")
_ESTIMATE = ("forward", "backward", "initial")
_ENDS = ("lower", "upper")


def value_of(op: str, returned: object, digits: int) -> object:
    """Return the value of an answer to this operation.

    Args: returned, what the object's method returned; digits, of the enclosures of `Level`s.
    Raises: Undecided for a `Level` that cannot be enclosed; and what the methods of the returned objects raise.
    """
    match op:
        case "loss_function":
            return {"pieces": _list(_only(returned, "pieces"), lambda piece: _piece(piece, digits))}
        case "leakage":
            return _fields(returned, KINDS, lambda levels: _list(levels, lambda level: level_of(level, digits)))
        case "allocate":
            return {"epsilons": _list(_only(returned, "epsilons"), lambda level: level_of(level, digits))}
        case "smooth":
            return {"matrix": _matrix(_only(returned, "matrix"))}
        case "reverse":
            return {"backward": _matrix(_only(returned, "backward"))}
        case "estimate":
            return _fields(returned, _ESTIMATE, _matrix)
    return level_of(returned, digits)


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


def _fields(value: object, names: Sequence[str], convert: Callable[[object], object]) -> object:
    """Return the fields out of a mapping, attributes, or a sequence in the order of the names."""
    if isinstance(value, Mapping):
        return {name: convert(value[name]) for name in names if name in value}
    if all(hasattr(value, name) for name in names):
        return {name: convert(getattr(value, name)) for name in names}
    items = _sequence(value)
    if items is not None and len(items) == len(names):
        return {name: convert(item) for name, item in zip(names, items, strict=True)}
    return number_text(value)


def _piece(piece: object, digits: int) -> object:
    """Return a piece out of a mapping, or out of q, d, from, to in this order."""
    if isinstance(piece, Mapping):
        fields = {name: piece[name] for name in _PIECE if name in piece}
    else:
        items = _sequence(piece)
        if items is None or len(items) != len(_PIECE):
            return number_text(piece)
        fields = dict(zip(_PIECE, items, strict=True))
    return {name: _text_or_level(value, digits) for name, value in fields.items()}


def _text_or_level(value: object, digits: int) -> object:
    """Return an end of a piece: its exact text, which only a `Level` known by a formula lacks."""
    text = value.exact_text if isinstance(value, Level) else None
    return level_of(value, digits) if text is None else text


def _matrix(value: object) -> object:
    """Return a matrix or a row, with texts for its numbers."""
    if isinstance(value, TransitionMatrix):
        return value.texts()
    return _list(value, lambda item: number_text(item) if _sequence(item) is None else _matrix(item))
