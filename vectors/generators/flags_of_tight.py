"""Flags for the worst case over all mechanisms: what is mistaken for it, and what it is for ever."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tploracle.reference import ZERO, Leakage, Level, OracleError, boundedness, supremum
from tploracle.reference.correlations import Row
from tploracle.solvers.worst_case.budgets import stays_apart
from tploracle.solvers.worst_case.pairs import fast_tight_leakage

from .read_query import Fact, ReadQuery, loss_of, of_op

SEEN = Fraction(1, 10**6)
"""A mistake of so much, relatively, is one that no rounding explains."""

MANY_ROUNDS = 20


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


def _last_bpl(query: ReadQuery) -> tuple[list[Row], list[float], float]:
    """Return the backward matrix, e^ε of the releases before the last, the nearest first, and the greatest ratio."""
    rows = list(query.matrices["backward"].rows)
    weights = [float(1 + level.excess_bounds()[0]) for level in reversed(query.epsilons[:-1])]
    bpl, own = _tight(query).bpl[-1], query.epsilons[-1]
    return rows, weights, float(1 + (bpl - own).excess_bounds()[0])


def _swept(rows: Sequence[Row], weights: Sequence[float], pair: tuple[int, int], wrongly: str) -> tuple[float, int]:
    """Return the ratio to which sweeps from λ = 1 come, in doubles, and in how many rounds, with a mistake made."""
    columns = list(zip(*rows, strict=True))
    best, rounds = 1.0, 0
    while rounds < 1000:
        c = [float(p) - best * float(q) for p, q in zip(rows[pair[0]], rows[pair[1]], strict=True)]
        sets: list[list[bool]] = []
        for weight in weights:
            sets.append([value > 0 for value in c])
            c = [weight * value if value > 0 else value for value in c]
            c = _led(rows if wrongly == "transposed" else columns, c)
        if wrongly == "one set":
            sets = [sets[0]] * len(sets)
        f = [1.0] * len(rows)
        for inside, weight in zip(reversed(sets), reversed(weights), strict=True):
            f = _led(rows, [weight * x if own else x for x, own in zip(f, inside, strict=True)])
        if not f[pair[1]] or not f[pair[0]] / f[pair[1]] > best * (1 + 1e-14):
            break
        best, rounds = f[pair[0]] / f[pair[1]], rounds + 1
    return best, rounds


def _led(rows: Sequence[Sequence[Fraction]], f: Sequence[float]) -> list[float]:
    return [sum(float(p) * x for p, x in zip(row, f, strict=True)) for row in rows]


def _falls_short(wrongly: str) -> Fact:
    """Make a fact: with this mistake in the sweep the last BPL falls short."""

    def fact(query: ReadQuery) -> bool:
        rows, weights, truth = _last_bpl(query)
        n = len(rows)
        found = max(_swept(rows, weights, (j, k), wrongly)[0] for j in range(n) for k in range(n) if j != k)
        return found - 1 < (truth - 1) * (1 - float(SEEN))

    return fact


def _many_rounds(query: ReadQuery) -> bool:
    rows, weights, truth = _last_bpl(query)
    n = len(rows)
    runs = [_swept(rows, weights, (j, k), "") for j in range(n) for k in range(n) if j != k]
    return all(rounds > MANY_ROUNDS for ratio, rounds in runs if ratio > truth * (1 - 1e-9))


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
    "SetsMove": of_op("tight_leakage", _falls_short("one set")),
    "TransposedSweep": of_op("tight_leakage", _falls_short("transposed")),
    "ManyRounds": of_op("tight_leakage", _many_rounds),
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
