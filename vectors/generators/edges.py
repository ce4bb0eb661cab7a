"""What cases without a flag are there for: each sentence with the fact that must hold of the question."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, permutations

from tploracle.reference import Level, strongest
from tploracle.solvers.worst_case.leakage_profile import leakage_profile

from .input_parts import NAMED, matrix
from .read_query import Fact, ReadQuery, loss_of


def _is_inside(query: ReadQuery) -> bool:
    found = query.loss(query.level("alpha"))
    return not found.is_zero and found < query.level("alpha")


def _is_reordered(query: ReadQuery) -> bool:
    base = matrix(NAMED["IN_ORDER"]).rows
    orders = permutations(range(query.matrix.n))
    return query.matrix.rows != base and any(
        sorted(tuple(row[k] for k in order) for row in query.matrix.rows) == sorted(base) for order in orders
    )


def _has_the_same_loss(query: ReadQuery) -> bool:
    base = matrix(NAMED["IN_ORDER"])
    return query.matrix.rows != base.rows and query.loss.coefficients == loss_of(base).coefficients


def _has_no_zero(query: ReadQuery) -> bool:
    return all(all(row) for row in query.matrix.rows)


def _steps(query: ReadQuery) -> tuple[set[str], set[str], set[str]]:
    """Return the states that are left, those that are entered, and all."""
    sequences = query.input["sequences"]
    assert isinstance(sequences, list)
    steps = {step for sequence in sequences for step in pairwise(sequence)}
    return {a for a, _ in steps}, {b for _, b in steps}, {state for sequence in sequences for state in sequence}


def _is_every_state_left_and_entered(query: ReadQuery) -> bool:
    left, entered, every = _steps(query)
    return left == entered == every


def _is_every_state_reached(query: ReadQuery) -> bool:
    columns = zip(*query.matrix.rows, strict=True)
    return all(any(p and x for p, x in zip(query.distribution, column, strict=True)) for column in columns)


def _has_unread_names(query: ReadQuery) -> bool:
    sequences = query.input["sequences"]
    return isinstance(sequences, str) or isinstance(sequences[0][0], int)  # type: ignore[index]


def _profile(query: ReadQuery) -> tuple[Level, ...]:
    own = query.number("delta_per_release") if "delta_per_release" in query.input else Fraction(0)
    asked, known = (query.level("epsilon"), query.integer("horizon")), query.matrices.get("backward")
    return leakage_profile(*asked, delta=query.number("delta"), delta_per_release=own, backward=known).bpl


def _knowing(number: int) -> Fact:
    return lambda query: len(query.matrices) == number


EDGES: dict[str, Fact] = {
    # loss
    "0 < L(α) < α": _is_inside,
    "the rows and columns are those of one matrix in another order": _is_reordered,
    "L is the same function": _has_the_same_loss,
    "every entry is positive": _has_no_zero,
    # allocate, control
    "no two rows have disjoint supports": lambda query: not query.loss.is_identity,
    "L(previous) is below the cap": lambda query: query.loss(query.level("previous")) < query.level("cap"),
    # smooth, reverse, estimate
    "a row of the identity has one 1": lambda query: strongest(query.integer("n")).rows[0].count(Fraction(1)) == 1,
    "every state is reached": _is_every_state_reached,
    "every state is left and entered": _is_every_state_left_and_entered,
    "six states are seen": lambda query: len(_steps(query)[2]) == 6,
    "a name is a number, or the sequences are a text": _has_unread_names,
    # leakage_profile
    "a δ is no probability": lambda query: any(
        not 0 <= query.number(key) <= 1 for key in ("delta", "delta_per_release") if key in query.input
    ),
    "δ is 0 throughout": lambda query: query.number("delta") == 0 and "delta_per_release" not in query.input,
    "there is one state": lambda query: query.matrix.n == 1,
    "there is one release": lambda query: query.integer("horizon") == 1,
    "at first the leakage is 0": lambda query: _profile(query)[0].is_zero,
    "at first the leakage is the budget": lambda query: _profile(query)[0] == query.level("epsilon"),
    "the leakage is infinite at every time": lambda query: all(level.is_infinite for level in _profile(query)),
    "the leakage is infinite at last": lambda query: (
        [level.is_infinite for level in _profile(query)] == [False, True, True]
    ),
    # the exact worst case
    "no correlation is known": _knowing(0),
    "one correlation is known": _knowing(1),
    "both correlations are known": _knowing(2),
    "there is a horizon": lambda query: query.integer("horizon") > 0,
}
"""The facts by the sentences that vectors have as `why`."""
