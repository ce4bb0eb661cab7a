"""Flags for the worst case over all mechanisms: what is mistaken for it, and what it is over an infinite horizon."""

from __future__ import annotations

from fractions import Fraction

from tploracle.reference import ZERO, Level, OracleError, boundedness
from tploracle.solvers.worst_case.budgets import stays_apart

from .read_query import Fact, ReadQuery, of_op


def _budget(query: ReadQuery) -> Level:
    epsilon = query.level("epsilon")
    if epsilon.is_zero or epsilon.is_infinite:
        raise OracleError("no budget to be bounded")
    return epsilon


def _splits(query: ReadQuery) -> bool:
    least = Level.of(Fraction(1, 2**60))
    found = [boundedness(matrix, least) for matrix in query.matrices.values()]
    return any(len(own.closed) > 1 or len(own.parts) > 1 for own in found)


def _transient_grows(query: ReadQuery) -> bool:
    epsilon = _budget(query)
    return not _splits(query) and any(not boundedness(m, epsilon).is_bounded for m in query.matrices.values())


def _shares(query: ReadQuery) -> bool:
    backward, forward, horizon = query.matrices.get("backward"), query.matrices.get("forward"), query.integer("horizon")
    return horizon > 1 and bool(query.matrices) and stays_apart(backward, forward, horizon)


FLAGS_OF_TIGHT: dict[str, Fact] = {
    "NeverForgets": lambda query: (
        query.op in ("tight_supremum", "tight_allocate") and "horizon" not in query.input and _splits(query)
    ),
    "TransientGrows": of_op("tight_supremum", _transient_grows),
    "SharesTheLevel": of_op("tight_allocate", _shares),
    "NoHorizon": of_op(
        "tight_allocate",
        lambda query: bool(query.matrices) and "horizon" not in query.input and query.level("alpha") > ZERO,
    ),
}
"""Each flag's fact holds for the cases that have it and not for a question without anything special."""
