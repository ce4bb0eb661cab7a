"""Finite families of distributions, matrices and levels that the evidence exhausts, in order of size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

from ..reference.correlations import Row, TransitionMatrix
from ..reference.levels import Level

EXCESSES = (Fraction(1, 10), Fraction(1), Fraction(9))
"""Excesses e^α − 1 at which a family is tried: a small one, one in the middle, a large one."""


@cache
def distributions(n: int, denominator: int) -> tuple[Row, ...]:
    """Return all distributions over n values whose entries are multiples of 1/denominator."""
    counts = product(range(denominator + 1), repeat=n)
    return tuple(tuple(Fraction(k, denominator) for k in row) for row in counts if sum(row) == denominator)


def matrices(n: int, denominator: int) -> Iterator[TransitionMatrix]:
    """Yield all n × n matrices of such rows, up to the order of the rows."""
    for rows in combinations_with_replacement(distributions(n, denominator), n):
        yield TransitionMatrix(rows)


def ordered_matrices(n: int, denominator: int) -> Iterator[TransitionMatrix]:
    """Yield all n × n matrices of such rows."""
    for rows in product(distributions(n, denominator), repeat=n):
        yield TransitionMatrix(rows)


def row_pairs(n: int, denominator: int) -> Iterator[tuple[Row, Row]]:
    """Yield all ordered pairs of different such distributions."""
    for q, d in product(distributions(n, denominator), repeat=2):
        if q != d:
            yield q, d


def of_pair(q: Row, d: Row) -> TransitionMatrix:
    """Return a matrix whose first row is q and whose others are d."""
    return TransitionMatrix((q, *((d,) * (len(q) - 1))))


def log(ratio: Fraction | int) -> Level:
    """Return the level of a ratio e^α."""
    return Level.of_ratio(Fraction(ratio))


def matrix(*rows: str) -> TransitionMatrix:
    """Read rows written as texts, such as "4/5 1/5" and "0 1"."""
    return TransitionMatrix.of([row.split() for row in rows])


def ratio_of(level: Level) -> Fraction:
    """Return e^α of a finite level with a rational ratio."""
    ratio = level.ratio
    if not isinstance(ratio, Fraction):
        raise TypeError(f"{level!r} has no rational ratio")
    return ratio


def nats(level: Level, digits: int = 5) -> str:
    """Return a level rounded up for reading."""
    return "inf" if level.is_infinite else str(level.enclosure(digits).upper)


def shown(matrix_: TransitionMatrix | Sequence[Row]) -> str:
    """Return rows for reading: (4/5, 1/5), (0, 1)."""
    rows = matrix_.rows if isinstance(matrix_, TransitionMatrix) else matrix_
    return ", ".join("(" + ", ".join(map(str, row)) + ")" for row in rows)
