"""Flags for what is asked: the loss and its function, streams, suprema and windows, schedules and what a cap leaves."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from tploracle.reference import Level, OracleError, TransitionMatrix, boundedness
from tploracle.reference.correlations import Row
from tploracle.reference.levels import ZERO
from tploracle.reference.paper.algorithms_2_3 import algorithm_2
from tploracle.solvers.worst_case.budgets import stays_apart

from .facts import NEAR, all_transitions, is_at, is_beside, log_of, pairs, removals
from .flags_of_inputs import of_matrix
from .read_query import Fact, ReadQuery, loss_of, of_op

FAR, ALMOST, SHORT_PIECE = Fraction(2**40), Fraction(3, 2**37), Fraction(1_000_001, 1_000_000)


def some_removals(fact: Callable[[list[int]], bool]) -> Fact:
    """Make a fact about the turns of Algorithm 1 one about a question: some pair of rows shows it at alpha."""
    return lambda query: any(fact(removals(q, d, query.level("alpha"))) for q, d in pairs(query.matrix))


def _stays_whole(query: ReadQuery) -> bool:
    def whole(q: Row, d: Row) -> bool:
        inside = [j for j in range(len(q)) if q[j] > d[j] > 0]
        return len(inside) > 1 and not removals(q, d, query.level("alpha"))

    return query.op == "loss" and any(whole(q, d) for q, d in pairs(query.matrix))


def _late_pair(query: ReadQuery) -> bool:
    """Whether every pair that attains L(alpha) has its row of q after its row of d, or neither is row 1."""
    alpha = query.level("alpha") if "alpha" in query.input else query.level("epsilon")
    best = query.loss(alpha)
    attaining = [(f.row_q, f.row_d) for f in algorithm_2(query.matrix) if f.at(alpha).value(alpha) == best]
    return not best.is_zero and all(i > k or min(i, k) > 0 for i, k in attaining)


def _boundary(query: ReadQuery, beside: bool) -> bool:
    alpha = query.level("alpha")
    if beside:
        return any(is_beside(alpha, log_of(excess)) for excess in all_transitions(query.matrix))
    return any(is_at(alpha, excess) for excess in all_transitions(query.matrix))


def _beyond_first_piece(query: ReadQuery) -> bool:
    breakpoints = _finite_breakpoints(query.matrix)
    return bool(breakpoints) and query.level("alpha") > log_of(breakpoints[0])


def _concurrent(query: ReadQuery) -> bool:
    """Whether at a breakpoint of L a third function, which rules nowhere, has the same value."""
    points = {point for f in algorithm_2(query.matrix) for point in zip(f.q_sums, f.d_sums, strict=True)}
    ruling = {(piece.q, piece.d) for piece in query.loss.pieces}
    for piece in query.loss.pieces[:-1]:
        assert piece.stop is not None
        value = (piece.q * piece.stop + 1) / (piece.d * piece.stop + 1)
        for q, d in points:
            if (q, d) not in ruling and (q * piece.stop + 1) / (d * piece.stop + 1) == value:
                return True
    return False


def _finite_breakpoints(matrix: TransitionMatrix) -> list[Fraction]:
    return [piece.stop for piece in loss_of(matrix).pieces if piece.stop is not None]


_LOSSES: dict[str, Fact] = {
    "StaysWhole": _stays_whole,
    "OneRemoval": some_removals(lambda found: found == [1]),
    "SeveralRemoved": some_removals(lambda found: max(found, default=0) > 1),
    "RepeatedRemoval": some_removals(lambda found: len(found) > 1),
    "AtTransition": of_op("loss", lambda query: _boundary(query, False)),
    "BesideTransition": of_op("loss", lambda query: _boundary(query, True)),
    "LatePair": _late_pair,
    "BeyondFirstPiece": of_op("loss", _beyond_first_piece),
    "OnePiece": of_op("loss_function", lambda query: len(query.loss.pieces) == 1),
    "SeveralPieces": of_op("loss_function", lambda query: len(query.loss.pieces) > 2),
    "ConcurrentPieces": of_op("loss_function", _concurrent),
    "ShortPiece": of_op(
        "loss_function",
        lambda a: any(p.stop is not None and 0 < p.start < p.stop < p.start * SHORT_PIECE for p in a.loss.pieces),
    ),
    "AlmostTangent": of_matrix(
        lambda m: any(abs(p.q - n.q) + abs(p.d - n.d) <= ALMOST for p, n in pairwise(loss_of(m).pieces))
    ),
    "FarBreakpoint": of_matrix(lambda m: any(e >= FAR or e <= 1 / FAR for e in _finite_breakpoints(m))),
    "FiniteAtInfinity": of_op("loss_function", lambda query: query.loss.pieces[-1].d > 0),
}


MANY_RELEASES = 100
"""Releases from which on a stream is long."""

HUGE = Fraction(30)
"""A supremum from here up is huge: at least 10^13 times e^ε."""


def _known(*roles: str) -> Fact:
    return lambda query: "epsilons" in query.input and set(query.matrices) == set(roles)


def _uneven_in_time(query: ReadQuery) -> bool:
    texts = query.input.get("epsilons")
    return isinstance(texts, list) and len(query.epsilons) > 1 and texts != texts[::-1]


def _passes_pieces(query: ReadQuery) -> bool:
    """Whether the leakage passes from one piece of a loss function to another within the stream."""
    for loss, levels in (
        (query.adversary.backward, query.leakage.bpl[:-1]),
        (query.adversary.forward, query.leakage.fpl[1:]),
    ):
        if loss is not None and len({(p.q, p.d) for p in (loss.piece_at(level) for level in levels)}) > 1:
            return True
    return False


def _saturates(query: ReadQuery) -> bool:
    """Whether BPL or FPL rises at some time by less than 2^−52 of itself, though by something, under equal budgets."""
    if any(epsilon != query.epsilons[0] for epsilon in query.epsilons[1:]):
        return False
    return any(
        0 < Fraction(after.enclosure(40).lower) - Fraction(before.enclosure(40).upper) < _ulp(before)
        for levels in (query.leakage.bpl, query.leakage.fpl[::-1])
        for before, after in pairwise(levels)
    )


def _ulp(level: Level) -> Fraction:
    return Fraction(level.enclosure(40).lower) / 2**52


def _critical(query: ReadQuery) -> Level | None:
    """Return log(1/q) of the greatest q with d = 0, None where there is none below 1."""
    last = query.loss.pieces[-1]
    return Level.of_ratio(1 / last.q) if last.d == 0 < last.q < 1 else None


def _at_critical(query: ReadQuery) -> bool:
    critical = _critical(query)
    return critical is not None and query.level("epsilon") == critical


def _beside_critical(order: int) -> Fact:
    def fact(query: ReadQuery) -> bool:
        critical, epsilon = _critical(query), query.level("epsilon")
        return critical is not None and is_beside(epsilon, critical) and epsilon.compare(critical) == order

    return fact


def _diverges(query: ReadQuery) -> bool:
    return not query.level("epsilon").is_infinite and query.supremum.level.is_infinite


def _supremum_beside_breakpoint(query: ReadQuery) -> bool:
    stops = [log_of(piece.stop) for piece in query.loss.pieces if piece.stop is not None]
    budgets = [end - query.loss(end) for end in stops]
    return any(is_beside(query.level("epsilon"), budget) for budget in budgets)


def _huge_supremum(query: ReadQuery) -> bool:
    level = query.supremum.level
    return not level.is_infinite and level >= Level.of(HUGE) and level >= query.level("epsilon") + Level.of(HUGE)


def _window(query: ReadQuery) -> tuple[int, int, int]:
    return query.integer("start"), query.integer("length"), len(query.epsilons)


def _inner(query: ReadQuery) -> bool:
    start, length, steps = _window(query)
    return length > 2 and start > 1 and start + length - 1 < steps


_TIME: dict[str, Fact] = {
    "NothingKnown": _known(),
    "BackwardOnly": _known("backward"),
    "ForwardOnly": _known("forward"),
    "BothKnown": _known("backward", "forward"),
    "OneRelease": lambda query: len(query.epsilons) == 1,
    "UnevenBudgets": _uneven_in_time,
    "LongStream": lambda query: len(query.epsilons) >= MANY_RELEASES or query.integer("horizon") >= MANY_RELEASES,
    "PassesPieces": _passes_pieces,
    "Saturates": _saturates,
    "NotAttained": lambda query: (
        len(query.epsilons) > 2
        and any(m.n == 2 and m.rows[0][0] < m.rows[1][0] and 0 in m.rows[0] for m in query.matrices.values())
    ),
    "CriticalBudget": of_op("supremum", _at_critical),
    "JustBelowCritical": of_op("supremum", _beside_critical(-1)),
    "JustAboveCritical": of_op("supremum", _beside_critical(1)),
    "NoSupremum": of_op("supremum", _diverges),
    "GrowsByItsBudget": of_op("supremum", lambda query: _diverges(query) and query.loss.is_identity),
    "SupremumAtBreakpoint": of_op(
        "supremum", lambda a: a.supremum.level in [log_of(p.stop) for p in a.loss.pieces if p.stop is not None]
    ),
    "SupremumBesideBreakpoint": of_op("supremum", _supremum_beside_breakpoint),
    "HugeSupremum": of_op("supremum", _huge_supremum),
    "TinyDenominator": of_op("supremum", lambda query: 0 < query.supremum.d <= NEAR),
    "WindowOfOne": of_op("composition", lambda a: _window(a)[1] == 1),
    "WindowOfTwo": of_op("composition", lambda a: _window(a)[1] == 2),
    "WholeStream": of_op("composition", lambda a: _window(a)[1] == _window(a)[2] > 1),
    "InnerWindow": of_op("composition", _inner),
}


def _quantified(least: int, most: int) -> Fact:
    return lambda query: (
        query.input.get("method") == "quantified" and least <= query.integer("horizon") <= most and bool(query.matrices)
    )


def _allocates(fact: Fact) -> Fact:
    """Make a fact about what is allocated one of a level above 0."""
    return of_op("allocate", lambda query: not query.level("alpha").is_zero and fact(query))


def _carried(query: ReadQuery) -> Level:
    return query.loss(query.level("previous"))


def _just_under_cap(query: ReadQuery) -> bool:
    carried, cap = _carried(query), query.level("cap")
    return carried < cap and not cap.is_infinite and is_beside(carried, cap)


_BUDGETS: dict[str, Fact] = {
    "HorizonOne": _quantified(1, 1),
    "HorizonTwo": _quantified(2, 2),
    "HorizonThree": _quantified(3, 3),
    "CertainCorrelation": _allocates(lambda query: any(loss.is_identity for loss in query.losses)),
    "NoLoss": _allocates(lambda query: all(loss.is_zero for loss in query.losses)),
    "Asymmetric": _allocates(lambda query: query.adversary.coefficients[0] != query.adversary.coefficients[1]),
    "BudgetForEver": _allocates(lambda query: query.input.get("method") == "upper-bound"),
    "FirstRelease": of_op("control", lambda a: a.level("previous").is_zero and a.level("cap") > ZERO),
    "ExactlyAtCap": of_op("control", lambda a: _carried(a) == a.level("cap") and not a.level("cap").is_infinite),
    "JustUnderCap": of_op("control", _just_under_cap),
    "CarriedOver": of_op("control", lambda a: not a.level("cap").is_infinite and _carried(a) > a.level("cap")),
}


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


_WORST_CASE: dict[str, Fact] = {
    "NeverForgets": lambda query: (
        query.op in ("worst_case_supremum", "worst_case_allocate") and "horizon" not in query.input and _splits(query)
    ),
    "TransientGrows": of_op("worst_case_supremum", _transient_grows),
    "SharesTheLevel": of_op("worst_case_allocate", _shares),
    "NoHorizon": of_op(
        "worst_case_allocate",
        lambda query: bool(query.matrices) and "horizon" not in query.input and query.level("alpha") > ZERO,
    ),
}


FLAGS_OF_ANSWERS: dict[str, Fact] = {**_LOSSES, **_TIME, **_BUDGETS, **_WORST_CASE}
