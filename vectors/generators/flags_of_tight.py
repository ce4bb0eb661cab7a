"""Flags for the worst case over all mechanisms: what is mistaken for it, and what it is over an infinite horizon."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from math import inf

import numpy as np

from tploracle.reference import ZERO, Leakage, Level, OracleError, boundedness, supremum
from tploracle.solvers.floats import Doubles
from tploracle.solvers.worst_case.budgets import stays_apart
from tploracle.solvers.worst_case.doubles import MOST_ROUNDS, all_pairs, attained, risen
from tploracle.solvers.worst_case.guess import Indices, rows_in_doubles
from tploracle.solvers.worst_case.pairs import fast_tight_leakage

from .read_query import Fact, ReadQuery, loss_of, of_op

SEEN = Fraction(1, 10**6)
"""A mistake of so much, relatively, is one that no rounding explains."""

MANY_ROUNDS, MOST_STATES_OF_SETS = 20, 10


def _tight(query: ReadQuery) -> Leakage:
    return fast_tight_leakage(query.epsilons, query.matrices.get("backward"), query.matrices.get("forward"))


def _lower(level: Level) -> Fraction:
    return Fraction(level.enclosure(20).lower)


def _is_above(level: Level, other: Level) -> bool:
    if level.is_infinite or other.is_infinite:
        return level.is_infinite and not other.is_infinite
    return _lower(level) > _lower(other) * (1 + SEEN)


def _recursion_is_above(query: ReadQuery) -> bool:
    return any(_is_above(own, tight) for own, tight in zip(query.leakage.tpl, _tight(query).tpl, strict=True))


def _pairs_differ(query: ReadQuery) -> bool:
    """Whether BPL + FPL − ε is more than TPL at some time, because another pair of values is the worst for each."""
    tight = _tight(query)
    return any(
        _is_above(bpl + fpl, tpl + own)
        for bpl, fpl, tpl, own in zip(tight.bpl, tight.fpl, tight.tpl, query.epsilons, strict=True)
        if not own.is_infinite and not bpl.is_infinite and not fpl.is_infinite
    )


def _last_bpl(query: ReadQuery) -> tuple[Doubles, list[float], float]:
    """Return the backward matrix, e^ε of the releases before the last, the nearest first, and the greatest ratio."""
    rows = rows_in_doubles(query.matrices["backward"].rows)
    weights = [float(1 + level.excess_bounds()[0]) for level in reversed(query.epsilons[:-1])]
    bpl, own = _tight(query).bpl[-1], query.epsilons[-1]
    return rows, weights, float(1 + (bpl - own).excess_bounds()[0])


def _swept(query: ReadQuery, rounds: int = MOST_ROUNDS, turned: bool = False) -> float:
    """Return the greatest ratio to which sweeps from λ = 1 come. Args: turned, they go by P where P^T is right."""
    rows, weights, _ = _last_bpl(query)
    first, second = all_pairs((query.matrices["backward"], None)).T
    between = rows.T if turned else rows

    def improved(some: Indices, ratio: Doubles) -> Doubles:
        pairs, steps = (rows[first[some]], rows[second[some]]), len(weights)
        return attained(pairs, ratio, steps, lambda at, _: weights[at], lambda _: between, is_stochastic=not turned)

    return float(risen(improved, np.ones(len(first)), rounds).max())


def _by_one_set(query: ReadQuery) -> float:
    """Return the greatest ratio that one set attains which is asked about at all times; ∞ where there are too many."""
    rows, weights, _ = _last_bpl(query)
    if len(rows) > MOST_STATES_OF_SETS:
        return inf
    best = 1.0
    for chosen in product((False, True), repeat=len(rows)):
        f = np.ones(len(rows))
        for weight in reversed(weights):
            f = rows @ np.where(chosen, weight * f, f)
        best = max(best, f.max() / f.min())
    return best


def _falls_short(found: Callable[[ReadQuery], float]) -> Fact:
    """Make a fact: what is found in this way falls short of the last BPL."""
    return lambda query: found(query) - 1 < (_last_bpl(query)[2] - 1) * (1 - float(SEEN))


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


def _finite_for_infinite(query: ReadQuery) -> bool:
    epsilon = _budget(query)
    matrices = query.matrices.values()
    return all(boundedness(matrix, epsilon).is_bounded for matrix in matrices) and any(
        supremum(loss_of(matrix), epsilon).level.is_infinite for matrix in matrices
    )


def _shares(query: ReadQuery) -> bool:
    backward, forward, horizon = query.matrices.get("backward"), query.matrices.get("forward"), query.integer("horizon")
    return horizon > 1 and bool(query.matrices) and stays_apart(backward, forward, horizon)


FLAGS_OF_TIGHT: dict[str, Fact] = {
    "RecursionAbove": of_op("tight_leakage", _recursion_is_above),
    "PairIsShared": of_op("tight_leakage", _pairs_differ),
    "SetsMove": of_op("tight_leakage", _falls_short(_by_one_set)),
    "TransposedSweep": of_op("tight_leakage", _falls_short(partial(_swept, turned=True))),
    "ManyRounds": of_op("tight_leakage", lambda query: _swept(query, MANY_ROUNDS) < _swept(query)),
    "FiniteAfterAll": of_op("tight_supremum", _finite_for_infinite),
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
