"""Values as JSON: records by the names of their fields, numbers and levels as the contract writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import singledispatch
from typing import Any

from ..reference import Enclosure, Level
from ..reference.decimals import fraction_to_text
from ..wire.strict_json import Object
from .sheets import USUAL_DIGITS, level_cell


@singledispatch
def plain(value: Any, digits: int = USUAL_DIGITS) -> Any:
    """Return a value as JSON; a type that is written otherwise than by its fields is registered.

    Args: digits, of levels. Raises: Undecided.
    """
    match value:
        case Level():
            return level_cell(value, digits)
        case Enclosure():
            return {"lower": str(value.lower), "upper": str(value.upper)}
        case Fraction():
            return fraction_to_text(value)
        case Enum():
            return value.value
        case Mapping():
            return {key: plain(part, digits) for key, part in value.items()}
        case None | str() | int() | float():
            return value
    if is_dataclass(value):
        return record(value, " ".join(field.name for field in fields(value)), digits)
    return [plain(part, digits) for part in value]


def record(source: object, names: str, digits: int = USUAL_DIGITS, /, **more: object) -> Object:
    """Return the attributes of these names, and more values by name, as a JSON object. As `plain`."""
    values = {name: getattr(source, name) for name in names.split()} | more
    return {name: plain(value, digits) for name, value in values.items()}
