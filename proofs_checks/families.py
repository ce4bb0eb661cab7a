"""Finite families of distributions, matrices and levels that the evidence exhausts, in order of size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

from ..reference.correlations import Row, TransitionMatrix
from ..reference.definitions import LiteralStream
from ..reference.levels import Level
from ..reference.worst_case.mechanisms import Mechanism
from .coverage import members

EXCESSES = (Fraction(1, 10), Fraction(1), Fraction(9))
"""Excesses e^α − 1 at which a family is tried: a small one, one in the middle, a large one."""


@cache
def distributions(n: int, denominator: int) -> tuple[Row, ...]:
    """Return all distributions over n values whose entries are multiples of 1/denominator."""
    counts = product(range(denominator + 1), repeat=n)
    return tuple(tuple(Fraction(k, denominator) for k in row) for row in counts if sum(row) == denominator)


def _in(denominator: int) -> str:
    return "in " + {2: "halves", 3: "thirds", 4: "quarters", 5: "fifths", 6: "sixths"}[denominator]


def matrices(n: int, denominator: int) -> Iterator[TransitionMatrix]:
    """Yield all n × n matrices of such rows, up to the order of the rows."""
    rows = combinations_with_replacement(distributions(n, denominator), n)
    name = f"{n} × {n} matrices {_in(denominator)}, up to the order of rows"
    return members(name, map(TransitionMatrix, rows))


def ordered_matrices(n: int, denominator: int) -> Iterator[TransitionMatrix]:
    """Yield all n × n matrices of such rows."""
    rows = product(distributions(n, denominator), repeat=n)
    return members(f"{n} × {n} matrices {_in(denominator)}", map(TransitionMatrix, rows))


def row_pairs(n: int, denominator: int) -> Iterator[tuple[Row, Row]]:
    """Yield all ordered pairs of different such distributions."""
    pairs = product(distributions(n, denominator), repeat=2)
    return members(f"pairs of rows over {n} values {_in(denominator)}", ((q, d) for q, d in pairs if q != d))


def points(rows: Sequence[Row]) -> set[tuple[Fraction, Fraction]]:
    """Return the sums (q_S, d_S) of all ordered pairs of rows over all sets S of columns, the empty one included."""
    chosen = [[j for j in range(len(rows)) if s >> j & 1] for s in range(2 ** len(rows))]
    return {
        (sum((q[j] for j in s), Fraction(0)), sum((d[j] for j in s), Fraction(0)))
        for q, d in product(rows, repeat=2)
        for s in chosen
    }


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


def streams_of_two_values(times: int, denominator: int, mechanism: Mechanism) -> Iterator[LiteralStream]:
    """Yield all streams over two values, matrix and initial distribution in multiples, every value always possible."""
    chains = product(product(distributions(2, denominator), repeat=2), distributions(2, denominator))
    streams = (LiteralStream(initial, TransitionMatrix(rows), (mechanism,) * times) for rows, initial in chains)
    possible = (stream for stream in streams if all(all(marginal) for marginal in stream.marginals))
    return members(f"chains of two values {_in(denominator)} with initial distributions, T = {times}", possible)


def shown_stream(stream: LiteralStream) -> str:
    """Return the correlation and the initial distribution of a stream for reading."""
    return f"rows {shown(stream.forward)}, initial ({', '.join(map(str, stream.initial))})"


TWO = Fraction(2)
"""The ratio e^ε of a budget where one budget is enough."""

MODERATE = matrix("4/5 1/5", "0 1")
"""The moderate correlation of Examples 2 and 3."""

STRONGEST = matrix("1 0", "0 1")
"""The strongest correlation."""

EXAMPLE_4 = matrix("1/10 1/5 7/10", "3/10 3/10 2/5", "1/2 3/10 1/5")
"""The matrix of Example 4 and Figure 4."""
