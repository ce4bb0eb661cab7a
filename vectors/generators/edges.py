"""What cases in tables are there for beyond their flags: each sentence with the fact that must hold of the question."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import inf, nextafter
from operator import add, mul

from tploracle.reference import Level, TransitionMatrix, budgets, composition, strongest
from tploracle.solvers.worst_case.leakage_profile import leakage_profile

from .edges_of_losses import EDGES_OF_LOSSES
from .facts import all_transitions, is_a_part_from, log_of
from .read_query import Edge, ReadQuery

CRITICAL_OF_MODERATE = Level.of_ratio(Fraction(4, 3))
LATEST_OF_TINY = Level.of(208)  # above 300·log 2


def _critical(query: ReadQuery) -> Level:
    """Return log(1/q) of the last point of L, at which d is 0."""
    return Level.of_ratio(1 / query.loss.pieces[-1].q)


def _boundaries(query: ReadQuery) -> Iterator[tuple[float, Level]]:
    """Yield the level that is put beside a boundary, as a double, and each boundary that there is for it."""
    if query.op == "control":
        yield float.fromhex(str(query.input["cap"])), query.loss(query.level("previous"))
        return
    if query.op == "loss":
        yield from ((float.fromhex(str(query.input["alpha"])), log_of(end)) for end in all_transitions(query.matrix))
        return
    value = float.fromhex(str(query.input["epsilon"]))
    if query.loss.pieces[-1].d == 0:
        yield value, _critical(query)
    for piece in query.loss.pieces[:-1]:
        assert piece.stop is not None
        yield value, log_of(piece.stop) - query.loss(log_of(piece.stop))


def _is_next(name: str, query: ReadQuery) -> bool:
    below = name.endswith("below")
    beyond = inf if below else -inf
    return any(
        (Level.of(Fraction(value)) < boundary) == below == (Level.of(Fraction(nextafter(value, beyond))) > boundary)
        for value, boundary in _boundaries(query)
    )


def _is_a_part_away(_name: str, query: ReadQuery) -> bool:
    return any(is_a_part_from(Level.of(Fraction(value)), boundary) for value, boundary in _boundaries(query))


def _is_above_as_named(name: str, query: ReadQuery) -> bool:
    return (query.level("epsilon") < _critical(query)) == name.endswith("below")


def _alone_is_small(power: int) -> Edge:
    tiny = Fraction(1, 2**power)
    return lambda _, query: (
        {
            d
            for row in query.matrix.rows[1:]
            for q, d in zip(query.matrix.rows[0], row, strict=True)
            if q and d < Fraction(1, 2**39)
        }
        == {tiny}
    )


def _total(levels: list[Level]) -> Level:
    return reduce(add, levels)


def _odds(matrix: TransitionMatrix) -> Fraction:
    (a, b), (c, d) = matrix.rows
    return a * d / (b * c)


def _is_no_sum_of_doubles(_name: str, query: ReadQuery) -> bool:
    """Whether budgets, added from left to right in doubles, do not come to their number times the first."""
    doubles = [float(level.double_below()) for level in query.epsilons]
    return reduce(add, doubles) != len(doubles) * doubles[0]


def _steps(query: ReadQuery) -> tuple[set[str], set[str], set[str]]:
    """Return the states that are left, those that are entered, and all."""
    sequences = query.input["sequences"]
    assert isinstance(sequences, list)
    steps = {step for sequence in sequences for step in pairwise(sequence)}
    return {a for a, _ in steps}, {b for _, b in steps}, {state for sequence in sequences for state in sequence}


def _is_every_state_left_and_entered(_name: str, query: ReadQuery) -> bool:
    left, entered, every = _steps(query)
    return left == entered == every


def _is_every_state_reached(_name: str, query: ReadQuery) -> bool:
    columns = zip(*query.matrix.rows, strict=True)
    return all(sum(map(mul, query.distribution, column)) for column in columns)


def _first_and_last_differ(_name: str, query: ReadQuery) -> bool:
    solved = budgets(query.level("alpha"), query.adversary)
    return solved.first != solved.last


def _has_unread_names(_name: str, query: ReadQuery) -> bool:
    sequences = query.input["sequences"]
    return isinstance(sequences, str) or isinstance(sequences[0][0], int)  # type: ignore[index]


def _every_d_is_positive(_name: str, query: ReadQuery) -> bool:
    return query.loss.pieces[-1].d > 0


def _profile(query: ReadQuery) -> tuple[Level, ...]:
    own = query.number("delta_per_release") if "delta_per_release" in query.input else Fraction(0)
    found = leakage_profile(
        query.level("epsilon"),
        query.integer("horizon"),
        delta=query.number("delta"),
        delta_per_release=own,
        backward=query.matrices.get("backward"),
    )
    return found.bpl


EDGES: dict[str, Edge] = {
    **EDGES_OF_LOSSES,
    # leakage, composition
    "TPL is the sum of all budgets at every time": lambda _, query: all(
        level == _total(query.epsilons) for level in query.leakage.tpl
    ),
    "TPL is the budget at every time": lambda _, query: list(query.leakage.tpl) == query.epsilons,
    "TPL is between the budget and the sum of all budgets": lambda _, query: all(
        low < level < _total(query.epsilons) for low, level in zip(query.epsilons, query.leakage.tpl, strict=True)
    ),
    "the leakage passes 300·log 2": lambda _, query: query.leakage.bpl[-1] > LATEST_OF_TINY,
    "the odds ratios are 16 and 36": lambda _, query: [*map(_odds, query.matrices.values())] == [16, 36],
    "the window is within the stream": lambda _, query: (
        1 <= query.integer("start") <= query.integer("start") + query.integer("length") - 1 <= len(query.epsilons)
    ),
    "added from left to right in doubles it is not that sum": _is_no_sum_of_doubles,
    "BPL_2 and FPL_3 are log 3 each": lambda _, query: (
        composition(query.leakage, query.epsilons, 2, 2) == Level.of_ratio(9)
    ),
    # leakage_profile
    "a δ is no probability": lambda _, query: any(
        not 0 <= query.number(key) <= 1 for key in ("delta", "delta_per_release") if key in query.input
    ),
    "δ is 0 throughout": lambda _, query: query.number("delta") == 0 and "delta_per_release" not in query.input,
    "there is one state": lambda _, query: query.matrix.n == 1,
    "there is one release": lambda _, query: query.integer("horizon") == 1,
    "at first the leakage is 0": lambda _, query: _profile(query)[0].is_zero,
    "at first the leakage is the budget": lambda _, query: _profile(query)[0] == query.level("epsilon"),
    "the leakage is infinite at every time": lambda _, query: all(level.is_infinite for level in _profile(query)),
    "the leakage is infinite at last": lambda _, query: (
        [level.is_infinite for level in _profile(query)] == [False, True, True]
    ),
    # supremum
    "d > 0": _every_d_is_positive,
    "d > 0 for every point": _every_d_is_positive,
    "every d is positive, so that there is a supremum": _every_d_is_positive,
    "ε is below log(4/3), or it is not": lambda _, query: query.level("epsilon") != CRITICAL_OF_MODERATE,
    "L has several pieces": lambda _, query: len(query.loss.pieces) > 1,
    "no point with d = 0 has a greater q": lambda _, query: (
        query.loss.pieces[-1].d == 0 and all(piece.d > 0 for piece in query.loss.pieces[:-1])
    ),
    "ε is on that side of log(1/q)": _is_above_as_named,
    "no double is nearer on that side": _is_next,
    "it is one part in 10^12 away": _is_a_part_away,
    **{f"the only entry beside a 1/2 that is small is 2^−{power}": _alone_is_small(power) for power in (40, 300, 1000)},
    # allocate, control
    "no positive budget is ruled out": lambda _, query: (
        not any(loss is not None and loss.is_identity for loss in (query.adversary.backward, query.adversary.forward))
    ),
    "the first and the last budget differ": _first_and_last_differ,
    "both rows are uniform": lambda _, query: set(query.matrix.rows) == {(Fraction(1, 2), Fraction(1, 2))},
    "what is carried over is below the cap": lambda _, query: query.loss(query.level("previous")) < query.level("cap"),
    "no double lies between": lambda _, query: _is_next("above", query),
    "what is carried over is log(9/5)": lambda _, query: (
        query.loss(query.level("previous")) == Level.of_ratio(Fraction(9, 5))
    ),
    "L(∞) = log 3 < 2": lambda _, query: query.loss.at_infinity == Level.of_ratio(3) < Level.of(2),
    "no entry is 0": lambda _, query: all(all(row) for row in query.matrix.rows),
    # smooth, reverse, estimate
    "a row of the identity has one 1": lambda _, query: strongest(query.integer("n")).rows[0].count(Fraction(1)) == 1,
    "every state is reached": _is_every_state_reached,
    "every state is left and entered": _is_every_state_left_and_entered,
    "six states are seen": lambda _, query: len(_steps(query)[2]) == 6,
    "a name is a number, or the sequences are a text": _has_unread_names,
    # the exact worst case
    "the adversary knows what is said": lambda name, query: (
        len(query.matrices) == {"nothing": 0, "both": 2}.get(name.partition("-")[0], 1)
    ),
    "there is a horizon": lambda _, query: query.integer("horizon") > 0,
    "the horizon is named": lambda _, query: query.integer("horizon") > 0,
}
"""What a case can be there for, by the sentence that its vector has as `why`."""
