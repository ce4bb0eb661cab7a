"""Flags for what is given: rows, levels and their notation, data, and requests that are at fault."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise

from tploracle.contract.limits import MOST_DIGITS
from tploracle.contract.operations import OPERATIONS
from tploracle.reference import InvalidLevel, InvalidNumber, Level, OracleError, TransitionMatrix
from tploracle.reference.correlations import Row
from tploracle.wire.protocol import NUMBERS
from tploracle.wire.stepwise import written_matrices
from tploracle.wire.strict_json import Numeral

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
from .read_query import LEVELS, MATRICES, Fact, ReadQuery, of_op


def of_matrix(fact: Callable[[TransitionMatrix], bool]) -> Fact:
    """Make a fact about a matrix one about a question: some matrix of it shows it."""
    return lambda query: any(fact(matrix) for matrix in query.matrices.values())


def some_pair(fact: Callable[[Row, Row], bool]) -> Fact:
    """Make a fact about two rows one about a question."""
    return of_matrix(lambda matrix: any(fact(q, d) for q, d in pairs(matrix)))


def some_entry(fact: Callable[[Fraction], bool]) -> Fact:
    """Make a fact about an entry one about a question."""
    return of_matrix(lambda matrix: any(fact(entry) for row in matrix.rows for entry in row))


def _all_equal(matrix: TransitionMatrix) -> bool:
    return matrix.n > 1 and len(set(matrix.rows)) == 1


def _disjoint_without_one(matrix: TransitionMatrix) -> bool:
    return any(disjoint(q, d) for q, d in pairs(matrix)) and not any(one_against_zero(q, d) for q, d in pairs(matrix))


def _minus_zero(query: ReadQuery) -> bool:
    return any(text.startswith("-0") and float.fromhex(text) == 0 for text in query.texts if "x" in text)


_ROWS: dict[str, Fact] = {
    "SingleState": of_matrix(lambda matrix: matrix.n == 1),
    "EqualRows": of_matrix(_all_equal),
    "EqualRowPair": of_matrix(lambda matrix: 0 < equal_pairs(matrix) < matrix.n * (matrix.n - 1) // 2),
    "NearlyEqualRows": some_pair(nearly_equal),
    "DisjointSupports": some_pair(disjoint),
    "NoOneAgainstZero": of_matrix(_disjoint_without_one),
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
    "MinusZero": _minus_zero,
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


def _dead_end(query: ReadQuery) -> bool:
    sequences = _sequences(query)
    seen = {name for sequence in sequences for name in sequence}
    steps = [step for sequence in sequences for step in pairwise(sequence)]
    return bool(seen) and (seen != {step[0] for step in steps} or seen != {step[1] for step in steps})


def _unreachable(query: ReadQuery) -> bool:
    if query.op == "estimate":
        return _dead_end(query)
    columns = zip(*query.matrix.rows, strict=True)
    return any(not sum(p * x for p, x in zip(query.distribution, column, strict=True)) for column in columns)


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
    "Unreachable": _unreachable,
    "SequencesApart": of_op("estimate", _joined_wrongly),
    "StatesByNumber": of_op("estimate", _numbered_states),
    "StatesByName": of_op("estimate", _first_seen_late),
}


def _raw(query: ReadQuery) -> list[list[list[object]]]:
    """Return the matrices as they were written, those that are arrays of arrays."""
    written = [rows for key in MATRICES for rows in written_matrices(query.input.get(key))]
    return [rows for rows in written if isinstance(rows, list) and all(isinstance(row, list) for row in rows)]


def _value(query: ReadQuery, entry: object) -> Fraction | None:
    try:
        return ReadQuery("smooth", query.numbers, {"s": entry}).number("s") if isinstance(entry, str) else None
    except OracleError:
        return None


def _rows(query: ReadQuery) -> list[list[Fraction]]:
    """Return the rows of square matrices, and the initial distribution, that have numbers throughout."""
    written = [row for rows in _raw(query) if rows and all(len(row) == len(rows) for row in rows) for row in rows]
    initial = query.input.get("initial")
    if isinstance(initial, list):
        written.append(initial)
    read = [[_value(query, entry) for entry in row] for row in written]
    return [[entry for entry in row if entry is not None] for row in read if None not in row]


def _misses(least: Fraction, most: Fraction) -> Fact:
    return lambda query: any(
        least <= abs(sum(row, Fraction(0)) - 1) < most and min(row, default=Fraction(0)) >= 0 for row in _rows(query)
    )


def _negative(query: ReadQuery) -> bool:
    return any(entry < 0 for row in _rows(query) for entry in row)


def _ragged(query: ReadQuery) -> bool:
    return any(rows and any(len(row) != len(rows) for row in rows) for rows in _raw(query))


def _refused(error: type[OracleError]) -> Fact:
    """Return whether some number or level of the input is refused under this name."""

    def fact(query: ReadQuery) -> bool:
        for key in (*MATRICES, *LEVELS, "epsilons", "s", "initial"):
            if key not in query.input:
                continue
            try:
                _read(query, key)
            except error:
                return True
            except OracleError:
                continue
        return False

    return fact


def _read(query: ReadQuery, key: str) -> None:
    alone = ReadQuery(query.op, query.numbers, {})
    alone.input[key] = query.input[key]
    if key in MATRICES:
        _ = alone.matrices
    elif key in LEVELS:
        alone.level(key)
    elif key == "epsilons":
        _ = alone.epsilons
    elif key == "s":
        alone.number(key)
    else:
        _ = alone.distribution


def _has_float(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_has_float, value.values()))
    return any(map(_has_float, value)) if isinstance(value, list) else isinstance(value, Numeral)


def _keys(query: ReadQuery) -> tuple[set[str], set[str], set[str]]:
    operation = OPERATIONS[query.op]
    return set(query.input), set(operation.required), set(operation.required) | set(operation.optional)


def _malformed(query: ReadQuery) -> bool:
    """Whether some value is of another JSON type than the contract has under its key."""
    arrays = ("epsilons", "initial", "sequences")
    integers = ("start", "length", "horizon", "n")
    for key, value in query.input.items():
        wrong = (
            not (isinstance(value, list) and all(isinstance(row, list) for row in value))
            if key in MATRICES
            else not isinstance(value, list)
            if key in arrays
            else isinstance(value, bool) or not isinstance(value, int)
            if key in integers
            else value is None or isinstance(value, bool | dict | list)
        )
        if wrong or (key == "method" and not isinstance(value, str)):
            return True
    return False


def _outside(query: ReadQuery) -> bool:
    start, length = query.integer("start"), query.integer("length")
    return query.op == "composition" and not (start >= 1 and length >= 1 and start + length - 1 <= len(query.epsilons))


_REQUESTS: dict[str, Fact] = {
    "NotANumber": _refused(InvalidNumber),
    "FloatInJson": lambda query: _has_float(query.input),
    "NegativeLevel": _refused(InvalidLevel),
    "NotSquare": _ragged,
    "EmptyMatrix": lambda query: any(not rows for rows in _raw(query)),
    "SumIsNotOne": _misses(Fraction(1, 10**4), Fraction(10**6)),
    "SumMissesSlightly": _misses(Fraction(1, 10**30), Fraction(1, 10**4)),
    "NegativeEntry": _negative,
    "MissingKey": lambda query: bool(_keys(query)[1] - _keys(query)[0]),
    "UnknownKey": lambda query: bool(_keys(query)[0] - _keys(query)[2]),
    "WrongType": _malformed,
    "OutsideTheStream": _outside,
    "NoRelease": lambda query: query.input.get("epsilons") == [] or query.input.get("sequences") == [],
    "UnknownMethod": lambda query: (
        query.op == "allocate" and query.input.get("method") not in ("upper-bound", "quantified")
    ),
    "UselessHorizon": lambda query: (
        query.op in ("allocate", "tight_allocate")
        and (query.integer("horizon") < 1 if "horizon" in query.input else query.input.get("method") == "quantified")
    ),
    "OneSourceOnly": of_op("smooth", lambda query: ("n" in query.input) == ("matrix" in query.input)),
    "WrongLength": of_op("reverse", lambda query: len(query.distribution) != query.matrix.n),
    "TwoSizes": lambda query: len({matrix.n for matrix in query.matrices.values()}) > 1,
    "NoSuchOperation": lambda query: query.op not in OPERATIONS,
    "NoSuchNumbers": lambda query: query.numbers not in NUMBERS,
    "UselessDigits": lambda query: not 1 <= query.digits <= MOST_DIGITS,
}


FLAGS_OF_INPUTS: dict[str, Fact] = {**_ROWS, **_LEVELS, **_DATA, **_REQUESTS}
