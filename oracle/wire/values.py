"""Answers in the contract's form: what an operation's value looks like in JSON, on the wire and on the screen alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ..contract.entry import WHOLE, Computed, ValueField, ValueKind
from ..contract.operations import OPERATIONS, PIECE
from ..reference import Level, Piece, Subset, TransitionCounts
from ..reference.decimals import fraction_to_text
from ..reference.paper.loss import Progress
from .strict_json import Object

KINDS = ("bpl", "fpl", "tpl")
"""The three leakages, by their keys."""


def value_of(op: str, computed: Computed, digits: int, progress: Progress = lambda _done, _total: None) -> Object:
    """Return the value of an operation, its fields written by their kinds, enclosures in `digits` digits.

    Args: progress, called per level of a list.
    """
    return _written(OPERATIONS[op].returns, computed, digits, progress)


def _written(
    fields: Sequence[ValueField], computed: Computed, digits: int, progress: Progress = lambda _done, _total: None
) -> Object:
    value: Object = {}
    for field in fields:
        content: Any = computed[field.name]
        written: Any
        if field.kind is ValueKind.LEVELS:
            written = level_values(content, digits, progress)
        else:
            written = _WRITE[field.kind](content, digits)
        value |= written if field.name == WHOLE else {field.name: written}
    return value


def decimal_text(value: Decimal) -> str:
    """Write an end of an enclosure. Exact; the contract's "inf" for infinity."""
    return "inf" if value.is_infinite() else str(value)


def level_value(level: Level, digits: int) -> Object:
    """Return a level: its exact text where it has a short one, and two decimals that enclose it. Raises: Undecided."""
    enclosure = level.enclosure(digits)
    return {"exact": level.exact_text, "lower": decimal_text(enclosure.lower), "upper": decimal_text(enclosure.upper)}


def level_values(levels: Iterable[Level], digits: int, progress: Progress = lambda _done, _total: None) -> list[Object]:
    """Return the levels' values in order; one that stands there several times is enclosed once."""
    listed = list(levels)
    different = {id(level): level for level in listed}
    values: dict[int, Object] = {}
    for key, level in different.items():
        progress(len(values), len(different))
        values[key] = level_value(level, digits)
    return [values[id(level)] for level in listed]


def witness_value(witness: Subset | None) -> Object:
    """Return the two rows and the set of columns that give q and d, counted from 1; no rows where L ≡ 0."""
    return {"rows": _rows(witness), "subset": _columns(witness)}


def _rows(witness: Subset | None) -> list[int] | None:
    return None if witness is None else [witness.row_q + 1, witness.row_d + 1]


def _columns(witness: Subset | None) -> list[int]:
    return [] if witness is None else [index + 1 for index in witness.indices]


def _piece(piece: Piece) -> Object:
    start, stop = piece.domain
    witness = {"rows": piece.witness, "subset": piece.witness}
    return _written(PIECE, {"q": piece.q, "d": piece.d, "from": start, "to": stop, **witness}, 0)


def row_texts(row: Sequence[Fraction]) -> list[str]:
    """Return exact texts of a row of numbers."""
    return [fraction_to_text(entry) for entry in row]


def counts_value(counts: TransitionCounts, source: str | None = None) -> Object:
    """Return transition counts in the form that matrix files may have."""
    value: Object = {
        "states": list(counts.states),
        "counts": [list(row) for row in counts.transitions],
        "first": list(counts.first),
    }
    value |= {"absorbing": list(counts.absorbing)} if counts.absorbing else {}
    return value if source is None else {"source": source, **value}


_WRITE: dict[ValueKind, Callable[[Any, int], Any]] = {
    ValueKind.LEVEL: level_value,
    ValueKind.PIECES: lambda pieces, _: [_piece(piece) for piece in pieces],
    ValueKind.MATRIX: lambda matrix, _: matrix.texts(),
    ValueKind.DISTRIBUTION: lambda row, _: row_texts(row),
    ValueKind.NUMBER: lambda number, _: fraction_to_text(number),
    ValueKind.EXACT_LEVEL: lambda level, _: level.full_text(),
    ValueKind.ROWS: lambda witness, _: _rows(witness),
    ValueKind.COLUMNS: lambda witness, _: _columns(witness),
    ValueKind.NAMES: lambda names, _: list(names),
}
"""How a field is written, by its kind."""
