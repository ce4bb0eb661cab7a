"""What the entries of a table mean: probabilities, percentages or counts, and rows that miss a sum of 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..contract.errors import brief
from ..reference import (
    InvalidNumber,
    NegativeProbability,
    NotSquare,
    NotStochastic,
    TransitionCounts,
    TransitionMatrix,
    divided_by_row_sums,
)
from ..reference.correlations import exact_sum
from ..reference.decimals import fraction_to_text, outward

PROBABILITIES, PERCENTAGES, AS_COUNTS = "probabilities", "percentages", "counts"
ENTRIES = (PROBABILITIES, PERCENTAGES, AS_COUNTS)
"""What the entries of a matrix may be."""

PERCENT = 100
"""What percentages sum to."""

Row = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Divided:
    """Rows that were divided by their sums: their indices, and the row whose sum was furthest from 1."""

    rows: tuple[int, ...]
    furthest: int
    total: Fraction

    def told(self) -> str:
        """Return which deviation was the largest, rounded up to three digits."""
        miss = abs(self.total - 1)
        side = "above" if self.total > 1 else "below"
        return f"the largest deviation is that of row {self.furthest + 1}: {outward(miss, miss, 3).upper} {side} 1"


def read_as(entries: str, rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return probabilities: what was written as percentages is divided by 100. Exact."""
    if entries != PERCENTAGES:
        return tuple(rows)
    return tuple(tuple(entry / PERCENT for entry in row) for row in rows)


def stochastic(rows: Sequence[Row], remedy: str) -> TransitionMatrix:
    """Make a matrix of rows that sum to exactly 1. Raises: as `TransitionMatrix`; NotStochastic names the remedy."""
    try:
        return TransitionMatrix(tuple(rows))
    except NotStochastic as error:
        raise NotStochastic(f"{error}; {remedy}") from None


def normalised(rows: Sequence[Row]) -> tuple[TransitionMatrix, Divided | None]:
    """Divide each row by its exact sum, however far that is from 1.

    Returns: the matrix, and what was divided, None where nothing was. Raises: NegativeProbability, NotSquare, and
    NotStochastic for a row that sums to 0.
    """
    totals = []
    for number, row in enumerate(rows, 1):
        for column, entry in enumerate(row, 1):
            if entry < 0:
                raise NegativeProbability(
                    f"row {number}, column {column}: {brief(fraction_to_text(entry))} is negative"
                )
        total = exact_sum(row)
        if total == 0:
            raise NotStochastic(f"row {number} sums to 0: there is nothing to divide it by")
        totals.append(total)
    changed = tuple(index for index, total in enumerate(totals) if total != 1)
    matrix = TransitionMatrix(
        tuple(tuple(p / total for p in row) if total != 1 else row for row, total in zip(rows, totals, strict=True))
    )
    return matrix, _divided(changed, totals)


def rounded(rows: Sequence[Row], remedy: str) -> tuple[TransitionMatrix, Divided | None]:
    """Divide rows of doubles that miss 1 by rounding by their exact sums. Returns: as `normalised`.

    Raises: NotStochastic for a row that misses 1 by more, naming the remedy; and as `TransitionMatrix`.
    """
    try:
        matrix, changed = divided_by_row_sums(rows)
    except NotStochastic as error:
        raise NotStochastic(f"{error}; {remedy}") from None
    return matrix, _divided(changed, [exact_sum(row) for row in rows])


def _divided(changed: tuple[int, ...], totals: Sequence[Fraction]) -> Divided | None:
    if not changed:
        return None
    furthest = max(changed, key=lambda index: abs(totals[index] - 1))
    return Divided(changed, furthest, totals[furthest])


def counted(rows: Sequence[Row], names: Sequence[str] = ()) -> TransitionCounts:
    """Make transition counts of a table: how often the state of the column followed the state of the row.

    Args: names of the states, else their numbers from 1. Returns: the counts, without first states.
    Raises: InvalidNumber for what is no whole number from 0.
    """
    n = len(rows)
    for number, row in enumerate(rows, 1):
        if len(row) != n:
            raise NotSquare(f"row {number} has {len(row)} entries, the table has {n} rows")
        for column, entry in enumerate(row, 1):
            if entry.denominator != 1 or entry < 0:
                raise InvalidNumber(f"row {number}, column {column}: {brief(fraction_to_text(entry))} is no count")
    states = tuple(names) or tuple(str(number) for number in range(1, n + 1))
    return TransitionCounts(states, tuple(tuple(map(int, row)) for row in rows), (0,) * n)
