"""What a case's input is like: its sizes, what implementations stumble over, and how near a boundary it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm

from ...contract.operations import OPERATIONS, matrix_keys
from ...mistakes.question import KnownInput, as_float, loss_of, read_input
from ...reference import Level, LossFunction, OracleError, TransitionMatrix
from ...reference.worst_case.classes import classes_of, cyclic_parts
from ...wire.stepwise import kind_of_steps
from ...wire.strict_json import sequences_of
from ..ask.names import KINDS_OF_NAMES, kinds_of_names
from ..extents import releases_in, states_in
from ..model import Case

MOST_COMPARED_STATES = 64
"""Rows of larger matrices are not compared with each other, pair by pair."""

_MOST_COMMON_BITS = 20_000
_MANY_STATES = 20
_NEAR, _TINY_ENTRY = Fraction(1, 10**6), Fraction(1, 10**15)
_TINY_LEVEL, _SMALL_LEVEL, _LARGE_LEVEL, _OVERFLOWING_LEVEL = (
    Fraction(1, 10**8),
    Fraction(1, 100),
    *map(Fraction, (36, 709)),
)
_EXCESS_BITS = 256
_LARGEST_EXPANDED = Fraction(10_000)

INVALID_INPUT = "invalid input"

KINDS_OF_INPUT = {
    INVALID_INPUT: "a matrix, level or number that the oracle refuses by name",
    "1 × 1": "a matrix of one state",
    "20 states or more": "a matrix of at least 20 states",
    "zeros": "an entry of 0",
    "tiny entries": "an entry above 0 and below 1e-15",
    "permutation": "a permutation matrix of at least 2 states",
    "all rows equal": "a matrix whose rows are all equal: L is 0",
    "equal rows": "two equal rows",
    "near-equal rows": "two different rows, within 1e-6 in total variation",
    "disjoint supports": "two rows with no column in common: L is the identity",
    "equal entries": "a column with the same entry, not 0, in two rows",
    "equal ratios": "two columns with the same ratio, above 0 and not 1, between two rows: their order is free",
    "level 0": "a level of 0",
    "tiny level": "a level above 0 and below 1e-8: e^α − 1 in doubles has lost half its digits",
    "small level": "a level from 1e-8 to 1e-2: e^α − 1 in doubles has lost some digits",
    "large level": "a level above 36 and at most 709: e^α + 1 is e^α in doubles",
    "level past exp": "a finite level above 709: e^α overflows in doubles",
    "infinite level": "the level ∞",
    "one release": "a single release",
    "two releases": "two releases: the schedule has no middle",
    "backward alone": "the adversary knows the backward correlation alone",
    "forward alone": "the adversary knows the forward correlation alone",
    "no correlation": "the adversary knows no correlation",
    "both correlations": "the adversary knows both correlations",
    "steps of their own": "a matrix for each step",
    "transient values": "values that are left for good",
    "several closed classes": "at least two sets of values that are never left",
    "periodic": "a set of values that is never left and passes through its parts in turn",
    "zero diagonal": "a matrix of at least 2 states in which no state is followed by itself",
    "symmetric": "a matrix of at least 2 states that is its transpose",
    "doubly stochastic": "a matrix of at least 2 states whose columns also sum to 1",
    **KINDS_OF_NAMES,
}
"""Each kind of input, and what it means."""

KINDS_OF_LEVEL = ("level 0", "tiny level", "small level", "large level", "level past exp", "infinite level")
"""The kinds that are a matter of the levels alone."""

KINDS_OF_SIZE = ("1 × 1", "20 states or more", "one release", "two releases", *KINDS_OF_LEVEL)
"""The kinds that are a matter of sizes and levels."""

BOUNDARY_DISTANCES = {
    "loss": "of e^α − 1 to the nearest breakpoint of L, relative to the larger of the two",
    "supremum": (
        "of e^ε − 1 to the nearest value at which another piece attains L at the supremum, or from which on it is "
        "infinite (1/q − 1 where d = 0), relative to the larger of the two"
    ),
    "allocate": "of the greatest total variation distance of two rows to 1, where L is the identity",
}
"""What `boundary_distance` is, for each operation that has one."""


@dataclass(frozen=True, slots=True)
class Features:
    """What an input is.

    n: the states of its largest matrix, or of its sequences. largest_level, smallest_level: over its levels in nats, as
    floats, for drawing and for tables. releases: how many budgets, or the horizon. kinds: keys of KINDS_OF_INPUT, in
    its order. None for what the input does not have or what cannot be read.
    """

    n: int | None
    largest_level: float | None
    smallest_level: float | None
    releases: int | None
    kinds: tuple[str, ...]


# A case that is kept in either keeps its id.
_read: dict[int, tuple[Case, KnownInput]] = {}
_known: dict[int, tuple[Case, Features]] = {}
_MOST_READ, _MOST_KNOWN = 64, 100_000


def input_of(case: Case) -> KnownInput:
    """Return the input of a case, or the smaller one of the same value, read; large matrices are left out.

    What was read lately is not read again: clues, features and pictures ask for it one after the other.
    """
    if id(case) not in _read:
        if len(_read) >= _MOST_READ:
            _read.clear()
        given = case.input if case.equivalent is None else case.equivalent
        _read[id(case)] = case, read_input(given, case.numbers)
    return _read[id(case)][1]


def features_of(case: Case) -> Features:
    """Return what kind of input a case has. Raises nothing: what cannot be read makes the input an invalid one."""
    if id(case) not in _known:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[id(case)] = case, _features(case, input_of(case))
    return _known[id(case)][1]


def _features(case: Case, read: KnownInput) -> Features:
    given, matrices, levels = case.input, read.matrices.values(), read.every_level
    found = set() if read.is_valid else {INVALID_INPUT}
    found.update(kind for matrix in matrices for kind in _matrix_kinds(matrix))
    found.update(kind for level in levels for kind in _level_kinds(level))
    releases = releases_in(given)
    has_matrices = any(key in given for key in matrix_keys())
    n = states_in(given) if read.is_valid or matrices or not has_matrices else None
    found.update(["20 states or more"] if has_matrices and (n or 0) >= _MANY_STATES else [])
    found.update({1: ("one release",), 2: ("two releases",)}.get(releases or 0, ()))
    if case.op in OPERATIONS and OPERATIONS[case.op].knows_correlations:
        knows = ("backward" in given, "forward" in given)
        known = {(True, False): "backward alone", (False, True): "forward alone", (False, False): "no correlation"}
        found.add(known.get(knows, "both correlations"))
    found.update(["steps of their own"] if any(kind_of_steps(value) is not None for value in given.values()) else [])
    with suppress(OracleError):
        found.update(kinds_of_names(sequences_of(given.get("sequences", []))))
    largest, smallest = _ends(levels)
    return Features(
        n=n,
        largest_level=largest,
        smallest_level=smallest,
        releases=releases,
        kinds=tuple(kind for kind in KINDS_OF_INPUT if kind in found),
    )


def _ends(levels: Sequence[Level]) -> tuple[float | None, float | None]:
    """Return the largest and the smallest level as floats; None without levels, or where they cannot be ordered."""
    try:
        return (as_float(max(levels)), as_float(min(levels))) if levels else (None, None)
    except OracleError:
        return None, None


def _level_kinds(level: Level) -> Iterator[str]:
    if level.is_zero:
        yield "level 0"
    elif level.is_infinite:
        yield "infinite level"
    elif level < Level.of(_TINY_LEVEL):
        yield "tiny level"
    elif level <= Level.of(_SMALL_LEVEL):
        yield "small level"
    elif level > Level.of(_OVERFLOWING_LEVEL):
        yield "level past exp"
    elif level > Level.of(_LARGE_LEVEL):
        yield "large level"


_Ratio = tuple[int, int]
"""A rational in lowest terms: two that are equal are the same pair, which is had and hashed sooner than a Fraction."""


def _matrix_kinds(matrix: TransitionMatrix) -> Iterator[str]:
    if matrix.n == 1:
        yield "1 × 1"
        return
    yield from _class_kinds(matrix)
    rows = [[(entry.numerator, entry.denominator) for entry in row] for row in matrix.rows]
    if any(above == 0 for row in rows for above, _ in row):
        yield "zeros"
    if any(0 < above * _TINY_ENTRY.denominator < below for row in rows for above, below in row):
        yield "tiny entries"
    distinct = list({tuple(row): row for row in rows}.values())
    if len(distinct) == matrix.n and all(entry in ((0, 1), (1, 1)) for row in rows for entry in row):
        yield "permutation"
    if len(distinct) < matrix.n:
        yield "equal rows"
    if len(distinct) == 1:
        yield "all rows equal"
    if any(_has_equal_entries(column) for column in zip(*rows, strict=True)):
        yield "equal entries"
    if len(distinct) <= MOST_COMPARED_STATES and (whole := _over_one_denominator(distinct)) is not None:
        yield from _pair_kinds(*whole)


def _class_kinds(matrix: TransitionMatrix) -> Iterator[str]:
    rows, columns = matrix.rows, tuple(zip(*matrix.rows, strict=True))
    if not any(rows[j][j] for j in range(matrix.n)):
        yield "zero diagonal"
    if rows == columns:
        yield "symmetric"
    if all(sum(column) == 1 for column in columns):
        yield "doubly stochastic"
    if all(map(all, rows)):
        return
    classes = classes_of(rows)
    if classes.open:
        yield "transient values"
    if len(classes.closed) > 1:
        yield "several closed classes"
    if any(len(cyclic_parts(rows, own)) > 1 for own in classes.closed):
        yield "periodic"


def _has_equal_entries(column: Sequence[_Ratio]) -> bool:
    entries = [entry for entry in column if entry[0]]
    return len(set(entries)) < len(entries)


def _over_one_denominator(rows: Sequence[Sequence[_Ratio]]) -> tuple[list[list[int]], int] | None:
    """Return the rows as integers over a common denominator, and it; None where it is too long to work with."""
    common = 1
    for below in {below for row in rows for _, below in row}:
        common = lcm(common, below)
        if common.bit_length() > _MOST_COMMON_BITS:
            return None
    return [[above * (common // below) for above, below in row] for row in rows], common


def _pair_kinds(rows: list[list[int]], common: int) -> Iterator[str]:
    """Yield the kinds that show in a pair of distinct rows, given as integers over `common`."""
    if any(not any(a and b for a, b in zip(*pair, strict=True)) for pair in combinations(rows, 2)):
        yield "disjoint supports"
    if any(_total_variation(*pair) * _NEAR.denominator < common for pair in combinations(rows, 2)):
        yield "near-equal rows"
    if any(_has_equal_ratios(*pair) for pair in combinations(rows, 2)):
        yield "equal ratios"


def _total_variation(first: list[int], second: list[int]) -> int:
    return sum(a - b for a, b in zip(first, second, strict=True) if a > b)


def _has_equal_ratios(first: list[int], second: list[int]) -> bool:
    ratios = [
        (a // divisor, b // divisor)
        for a, b in zip(first, second, strict=True)
        if a and b and a != b and (divisor := gcd(a, b))
    ]
    return len(set(ratios)) < len(ratios)


def boundary_distance(case: Case) -> float | None:
    """Return how near the question of a case is to the boundary that matters for its operation, in BOUNDARY_DISTANCES.

    Returns: a number from 0 (on the boundary) to 1, worked out in exact arithmetic (e^α to 256 bits where it is
    irrational), a float in the end; None where the operation has no such boundary, the loss function one piece only,
    the level is infinite, the input cannot be read, or a matrix has more than MOST_COMPARED_STATES states.
    """
    if case.op not in BOUNDARY_DISTANCES:
        return None
    read = input_of(case)
    matrices, levels = [*read.matrices.values()], read.every_level
    if not matrices or not levels or not read.is_valid or any(matrix.n > MOST_COMPARED_STATES for matrix in matrices):
        return None
    try:
        if case.op == "allocate":
            return float(1 - max(_greatest_distance(matrix) for matrix in matrices))
        loss = loss_of(matrices[0])
        if case.op == "loss":
            return _nearest(levels[0], [piece.start for piece in loss.pieces[1:]])
        return _nearest(levels[0], list(_supremum_boundaries(loss)))
    except (OracleError, MemoryError, RecursionError):
        return None


def _greatest_distance(matrix: TransitionMatrix) -> Fraction:
    """Return the greatest total variation distance of two rows, the slope of L at 0."""
    common = lcm(*(entry.denominator for row in matrix.rows for entry in row))
    rows = [[entry.numerator * (common // entry.denominator) for entry in row] for row in matrix.rows]
    return Fraction(max((_total_variation(*pair) for pair in combinations(rows, 2)), default=0), common)


def _supremum_boundaries(loss: LossFunction) -> Iterator[Fraction]:
    """Yield the excesses e^ε − 1 at which the supremum passes from one piece to the next, and becomes infinite."""
    for piece in loss.pieces:
        if piece.stop is not None:
            ratio = (1 + piece.stop) * (piece.d * piece.stop + 1) / (piece.q * piece.stop + 1)
            yield ratio - 1
        elif piece.d == 0 < piece.q:
            yield 1 / piece.q - 1


def _nearest(level: Level, boundaries: list[Fraction]) -> float | None:
    if level.is_infinite or not boundaries:
        return None
    if level.rational is not None and level.rational > _LARGEST_EXPANDED:
        return 1.0 if all(boundary < 2 ** int(_LARGEST_EXPANDED) for boundary in boundaries) else None
    lower, upper = (Fraction(0), Fraction(0)) if level.is_zero else level.excess_bounds(_EXCESS_BITS)
    excess = (lower + upper) / 2
    return float(min(_apart(excess, boundary) for boundary in boundaries))


def _apart(first: Fraction, second: Fraction) -> Fraction:
    greater = max(first, second)
    return abs(first - second) / greater if greater else Fraction(0)
