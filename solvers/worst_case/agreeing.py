"""Levels of different formulas that are equal: recognised by many digits where no exact form decides."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

from ...reference.levels import Level
from ...reference.paper.leakage import Maximum, maximum

Key = TypeVar("Key", bound=Hashable)

EQUAL_DIGITS = 34
"""As many as levels of many releases are first enclosed to: 120 of 192 bits where their best sets are in doubt."""


def agreeing_maximum(levels: Mapping[Key, Level]) -> Maximum[Key]:
    """Return the greatest of the levels and the keys of all that attain it, as `reference.maximum`.

    Worst cases of different times or people are often one number by different formulas of a transcendental e^ε, so that
    no precision tells their order. Those that agree in `EQUAL_DIGITS` digits with the greatest, and have no short
    exact forms to decide by, are taken for equal to it; the level is the first of them.
    """
    if len({id(level) for level in levels.values()}) == 1:
        return Maximum(next(iter(levels.values())), tuple(levels))
    enclosures = {key: level.enclosure(EQUAL_DIGITS) for key, level in levels.items()}
    greatest = max(found.lower for found in enclosures.values())
    near = {key: levels[key] for key, found in enclosures.items() if found.upper >= greatest}
    if all(level.exact_text is not None for level in near.values()):
        return maximum(near)
    return Maximum(next(iter(near.values())), tuple(near))
