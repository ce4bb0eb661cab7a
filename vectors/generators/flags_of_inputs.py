"""Flags for what is given: rows, levels and their notation, data, and requests that are at fault."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise

from tploracle.contract.errors import UnknownOperation
from tploracle.reference import (
    InfeasibleBudget,
    InvalidLevel,
    InvalidNumber,
    InvalidRequest,
    Level,
    NegativeProbability,
    NotSquare,
    NotStochastic,
    OracleError,
    TransitionMatrix,
    UnreachableState,
)
from tploracle.reference.correlations import Row

from .facts import (
    LEAST_NORMAL,
    NEAR,
    disjoint,
    equal_pairs,
    has_tie,
    is_banded,
    is_permutation,
    left_to_right,
    nearly_equal,
    one_against_zero,
    pairs,
    zeros,
)
from .read_query import Fact, ReadQuery, of_op


def of_matrix(fact: Callable[[TransitionMatrix], bool]) -> Fact:
    """Make a fact about a matrix one about a question: some matrix of it shows it."""
    return lambda query: any(fact(matrix) for matrix in query.matrices.values())


def some_pair(fact: Callable[[Row, Row], bool]) -> Fact:
    """Make a fact about two rows one about a question."""
    return of_matrix(lambda matrix: any(fact(q, d) for q, d in pairs(matrix)))


def some_entry(fact: Callable[[Fraction], bool]) -> Fact:
    """Make a fact about an entry one about a question."""
    return of_matrix(lambda matrix: any(fact(entry) for row in matrix.rows for entry in row))


_ROWS: dict[str, Fact] = {
    "SingleState": of_matrix(lambda matrix: matrix.n == 1),
    "EqualRows": of_matrix(lambda matrix: matrix.n > 1 and len(set(matrix.rows)) == 1),
    "EqualRowPair": of_matrix(lambda matrix: 0 < equal_pairs(matrix) < matrix.n * (matrix.n - 1) // 2),
    "NearlyEqualRows": some_pair(nearly_equal),
    "DisjointSupports": some_pair(disjoint),
    "NoOneAgainstZero": of_matrix(
        lambda m: any(disjoint(q, d) for q, d in pairs(m)) and not any(one_against_zero(q, d) for q, d in pairs(m))
    ),
    "ZeroDenominator": some_pair(
        lambda q, d: not disjoint(q, d) and any(a and not b for a, b in zip(q, d, strict=True))
    ),
    "ZeroColumn": of_matrix(lambda matrix: any(not any(column) for column in zip(*matrix.rows, strict=True))),
    "TiedRatios": some_pair(has_tie),
    "Permutation": of_matrix(lambda matrix: matrix.n > 1 and is_permutation(matrix)),
    "Sparse": of_matrix(lambda matrix: matrix.n > 4 and 5 * zeros(matrix) >= 3 * matrix.n**2),
    "Banded": of_matrix(lambda matrix: matrix.n > 4 and is_banded(matrix)),
    "ManyStates": of_matrix(lambda matrix: matrix.n >= 50),
    "BeyondFiftyStates": of_matrix(lambda matrix: matrix.n > 64),
    "UnevenSum": of_matrix(lambda matrix: any(left_to_right(row) != 1 for row in matrix.rows)),
    "SubnormalEntry": some_entry(lambda entry: 0 < entry < LEAST_NORMAL),
    "TinyEntry": some_entry(lambda entry: 0 < entry <= NEAR),
    "EntryNextToOne": some_entry(lambda entry: 1 - Fraction(1, 2**50) <= entry < 1),
    "MinusZero": lambda query: any(
        text.startswith("-0") and float.fromhex(text) == 0 for text in query.texts if "x" in text
    ),
    "TwoRowsOfMany": of_matrix(
        lambda m: (
            m.n > 2 and equal_pairs(m) == (m.n - 1) * (m.n - 2) // 2 and any(q != d for q, d in combinations(m.rows, 2))
        )
    ),
}


LARGE, OVERFLOWING = Level.of(40), Level.of(710)
TINY = Level.of(Fraction(11, 10**13))
"""A level is tiny up to here: 10^−12, and the double next to it."""


def some_level(fact: Callable[[Level], bool]) -> Fact:
    """Make a fact about a level one about a question: some level of its input shows it."""
    return lambda query: any(fact(level) for level in query.levels)


def _no_double(query: ReadQuery) -> bool:
    if query.numbers == "float64":
        return False
    decimals = [text for text in query.texts if "." in text and "log" not in text]
    return any(Fraction(text) != Fraction(float(Fraction(text))) for text in decimals)


_LEVELS: dict[str, Fact] = {
    "ZeroLevel": some_level(lambda level: level.is_zero),
    "TinyLevel": some_level(lambda level: not level.is_zero and not level.is_infinite and level <= TINY),
    "SubnormalLevel": some_level(
        lambda level: not level.is_zero and not level.is_infinite and level < Level.of(LEAST_NORMAL)
    ),
    "LargeLevel": some_level(lambda level: LARGE <= level < OVERFLOWING),
    "OverflowingLevel": some_level(lambda level: not level.is_infinite and level >= OVERFLOWING),
    "InfiniteLevel": some_level(lambda level: level.is_infinite),
    "ExactDecimal": _no_double,
    "LogLevel": lambda query: any(text.startswith("log(") for text in query.texts),
    "SurdLevel": lambda query: any("sqrt" in text for text in query.texts),
}


def _sequences(query: ReadQuery) -> list[list[str]]:
    found = query.input.get("sequences")
    if not isinstance(found, list):
        return []
    return [[str(name) for name in sequence] for sequence in found if isinstance(sequence, list)]


def _joined_wrongly(query: ReadQuery) -> bool:
    """Whether the last name of a sequence and the first of the next make a step that no sequence has."""
    sequences = [sequence for sequence in _sequences(query) if sequence]
    steps = {step for sequence in sequences for step in pairwise(sequence)}
    return any((a[-1], b[0]) not in steps for a, b in pairwise(sequences))


def _numbered_states(query: ReadQuery) -> bool:
    seen = sorted({name for sequence in _sequences(query) for name in sequence})
    return all(name.isdigit() for name in seen) and seen != sorted(seen, key=int)


def _first_seen_late(query: ReadQuery) -> bool:
    seen = list(dict.fromkeys(name for sequence in _sequences(query) for name in sequence))
    return seen != sorted(seen) and not any(name.isdigit() for name in seen)


def _not_stationary(query: ReadQuery) -> bool:
    p, rows = query.distribution, query.matrix.rows
    after = [sum(x * row[k] for x, row in zip(p, rows, strict=True)) for k in range(len(p))]
    return list(p) != after and len(set(p)) > 1


_DATA: dict[str, Fact] = {
    "ZeroSmoothing": of_op("smooth", lambda query: query.number("s") == 0),
    "SmoothsZeros": lambda query: (
        query.op == "smooth"
        and query.number("s") > 0
        and (query.integer("n") > 1 or of_matrix(lambda m: any(entry == 0 for row in m.rows for entry in row))(query))
    ),
    "SmoothsPositive": lambda query: (
        query.op == "smooth" and of_matrix(lambda m: all(entry > 0 for row in m.rows for entry in row))(query)
    ),
    "NotStationary": of_op("reverse", _not_stationary),
    "ImpossibleStart": of_op("reverse", lambda query: 0 in query.distribution),
    "SequencesApart": of_op("estimate", _joined_wrongly),
    "StatesByNumber": of_op("estimate", _numbered_states),
    "StatesByName": of_op("estimate", _first_seen_late),
}


SLIGHTLY = Fraction(1, 10**4)
"""A sum that misses 1 by less does so slightly."""

REFUSALS = {
    "NotANumber": (InvalidNumber, "'.*' is not a |unexpected|division by zero"),
    "FloatInJson": (InvalidNumber, ": [-0-9.e]+ is not a"),
    "NegativeLevel": (InvalidLevel, "at least 0"),
    "NotSquare": (NotSquare, "entries, the matrix has"),
    "EmptyMatrix": (NotSquare, "is empty"),
    "NegativeEntry": (NegativeProbability, "is negative"),
    "MissingKey": (InvalidRequest, "lacks the key"),
    "UnknownKey": (InvalidRequest, "has the unknown key"),
    "WrongType": (InvalidRequest, "is a JSON .*, not an"),
    "OutsideTheStream": (InvalidRequest, "not a window of"),
    "NoRelease": (InvalidRequest, "there is no (release|sequence)"),
    "UnknownMethod": (InvalidRequest, "the method is one of"),
    "UselessHorizon": (InvalidRequest, "the horizon is at least 1|needs a horizon"),
    "OneSourceOnly": (InvalidRequest, "exactly one of the keys"),
    "WrongLength": (InvalidRequest, "distribution has .* entries"),
    "TwoSizes": (InvalidRequest, "the backward matrix has .* states, the forward"),
    "OtherNumberOfSteps": (InvalidRequest, "matrices for .* steps"),
    "NoSuchOperation": (UnknownOperation, "there is no operation"),
    "NoSuchNumbers": (InvalidRequest, "numbers is one of"),
    "UselessDigits": (InvalidRequest, "digits is at"),
    "NothingToSpend": (InfeasibleBudget, "a level of 0 leaves"),
    "Unreachable": (UnreachableState, ""),
}
"""The flags of requests that the oracle refuses: the error, and a pattern of its message."""


def _refused(error: type[OracleError], words: str) -> Fact:
    return lambda query: query.refusal[0] == error.__name__ and re.search(words, query.refusal[1]) is not None


def _misses_slightly(query: ReadQuery) -> bool:
    """Whether the row that the oracle names misses a sum of 1 slightly."""
    name, message = query.refusal
    told = re.search(r"sums to ([0-9./e-]+)[,:]", message)
    return name == NotStochastic.__name__ and told is not None and abs(Fraction(told[1]) - 1) < SLIGHTLY


_REQUESTS: dict[str, Fact] = {
    **{flag: _refused(*said) for flag, said in REFUSALS.items()},
    "SumMissesSlightly": _misses_slightly,
    "SumIsNotOne": lambda query: query.refusal[0] == NotStochastic.__name__ and not _misses_slightly(query),
}


FLAGS_OF_INPUTS: dict[str, Fact] = {**_ROWS, **_LEVELS, **_DATA, **_REQUESTS}
