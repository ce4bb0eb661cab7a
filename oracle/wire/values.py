"""Answers in the contract's form: what an operation's value looks like in JSON, on the wire and on the screen alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction

from ..reference import ZERO, Leakage, Level, LossFunction, Maximum, Piece, Subset, TransitionCounts, TransitionMatrix
from ..reference.decimals import fraction_to_text
from .strict_json import Object

KINDS = ("bpl", "fpl", "tpl")
"""The three leakages, by their keys."""


def decimal_text(value: Decimal) -> str:
    """Write an end of an enclosure. Exact; the contract's "inf" for infinity."""
    return "inf" if value.is_infinite() else str(value)


def level_value(level: Level, digits: int) -> Object:
    """Return a level: its exact text where it has a short one, and two decimals that enclose it. Raises: Undecided."""
    enclosure = level.enclosure(digits)
    return {"exact": level.exact_text, "lower": decimal_text(enclosure.lower), "upper": decimal_text(enclosure.upper)}


def level_values(levels: Iterable[Level], digits: int) -> list[Object]:
    """Return the levels' values in order."""
    return [level_value(level, digits) for level in levels]


def maximum_value(maximum: Maximum[str], digits: int) -> Object:
    """Return the value of the greatest of several levels, with the names of all that attain it."""
    return {**level_value(maximum.level, digits), "attained_by": list(maximum.attained_by)}


def witness_value(witness: Subset | None) -> Object:
    """Return the two rows and the set of columns that give q and d, counted from 1; no rows where L ≡ 0."""
    if witness is None:
        return {"rows": None, "subset": []}
    return {"rows": [witness.row_q + 1, witness.row_d + 1], "subset": [index + 1 for index in witness.indices]}


def loss_value(optimum: Subset | None, alpha: Level, digits: int) -> Object:
    """Return L(alpha), and with it the set that attains it, None for the empty one."""
    return {**level_value(optimum.value(alpha) if optimum else ZERO, digits), **witness_value(optimum)}


def loss_function_value(loss: LossFunction) -> Object:
    """Return all pieces of a loss function: exact coefficients and exact ends, with the witnesses."""
    return {"pieces": [_piece_value(piece) for piece in loss.pieces]}


def _piece_value(piece: Piece) -> Object:
    start, stop = piece.domain
    return {
        "q": fraction_to_text(piece.q),
        "d": fraction_to_text(piece.d),
        "from": start.full_text(),
        "to": stop.full_text(),
        **witness_value(piece.witness),
    }


def leakage_value(leakage: Leakage, digits: int) -> Object:
    """Return BPL, FPL and TPL, a level per time."""
    return {
        "bpl": level_values(leakage.bpl, digits),
        "fpl": level_values(leakage.fpl, digits),
        "tpl": level_values(leakage.tpl, digits),
    }


def matrix_value(key: str, matrix: TransitionMatrix) -> Object:
    """Return a matrix of exact texts under its key."""
    return {key: matrix.texts()}


def row_texts(row: Sequence[Fraction]) -> list[str]:
    """Return exact texts of a row of numbers."""
    return [fraction_to_text(entry) for entry in row]


def estimate_value(counts: TransitionCounts, smoothing: Fraction) -> Object:
    """Return the estimated correlations and the initial distribution, with the states' names in order."""
    return {
        "states": list(counts.states),
        "forward": counts.forward(smoothing).texts(),
        "backward": counts.backward(smoothing).texts(),
        "initial": row_texts(counts.initial()),
    }


def counts_value(counts: TransitionCounts, source: str | None = None) -> Object:
    """Return transition counts in the form that matrix files may have."""
    value: Object = {
        "states": list(counts.states),
        "counts": [list(row) for row in counts.transitions],
        "first": list(counts.first),
    }
    return value if source is None else {"source": source, **value}
