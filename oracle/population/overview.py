"""A population in summary: who is worst, quantiles over all users, and the budget that all of them may share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil, inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.frames import needed
from ..output.writing import check_writable
from ..solvers.floats import Doubles
from .question import PopulationQuestion
from .runs import parts_of
from .user_rows import EXACTLY, NOT_AT_ALL, RowLevel, row_levels

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)

_BITS = 16


@dataclass(slots=True)
class LevelSummary:
    """One level over all users: doubles on the safe side, of leakage the upper ones, of budgets the lower ones.

    worst: the greatest leakage, or the least budget, and user, the first who has it; quantiles: by their part, of the
    users' doubles, the least that so great a part is not above; unbounded: users with ∞; users: who have one.
    """

    level: RowLevel
    worst: float
    user: str | None = None
    users: int = 0
    unbounded: int = 0
    quantiles: dict[float, float] = field(default_factory=dict)


@dataclass(slots=True)
class PopulationSummary:
    """How many users there are, how many by exact methods, of how many nothing can be said, and each level."""

    users: int = 0
    by_exact_methods: int = 0
    refused: int = 0
    levels: list[LevelSummary] = field(default_factory=list)

    def by(self, model: str) -> dict[str, LevelSummary]:
        """Return the levels by a model, given its key, that some user has, by name."""
        return {own.level.name: own for own in self.levels if own.level.model == model and own.users}


def summary_of(question: PopulationQuestion, folder: Path) -> PopulationSummary:
    """Read all parts, and return their summary; in memory is one part at a time."""
    summary = PopulationSummary()
    for level in row_levels(question):
        summary.levels.append(LevelSummary(level, inf if level.is_budget else -inf))
    for table in _tables(folder, ["user", "method", *(own.level.safe_column for own in summary.levels)]):
        methods = table["method"].to_pylist()
        summary.users += len(methods)
        summary.by_exact_methods += methods.count(EXACTLY)
        summary.refused += methods.count(NOT_AT_ALL)
        for own in summary.levels:
            column, is_budget = table[own.level.safe_column], own.level.is_budget
            values = column.fill_null(inf if is_budget else -inf).to_numpy()
            worst = int(values.argmin() if is_budget else values.argmax()) if len(values) else 0
            if len(values) and (values[worst] < own.worst if is_budget else values[worst] > own.worst):
                own.worst, own.user = float(values[worst]), table["user"][worst].as_py()
            own.users += len(values) - column.null_count
            own.unbounded += int((column.drop_null().to_numpy() == inf).sum())
    for own in summary.levels:
        if own.users:
            own.quantiles = dict(zip(QUANTILES, quantiles(folder, own, QUANTILES), strict=True))
    return summary


def refused_users(folder: Path) -> list[str]:
    """Return the users of whom nothing can be said, in order."""
    tables = _tables(folder, ["user", "method"])
    rows = (zip(table["user"].to_pylist(), table["method"].to_pylist(), strict=True) for table in tables)
    return [user for table in rows for user, method in table if method == NOT_AT_ALL]


def quantiles(folder: Path, level: LevelSummary, parts: Sequence[float]) -> list[float]:
    """Return for each part, above 0 and at most 1, the least double of a user that so great a part is not above."""
    ranks = [max(0, ceil(part * level.users) - 1) for part in parts]
    return _of_rank(lambda: _values(folder, level.level.safe_column), ranks)


def _tables(folder: Path, columns: Sequence[str]) -> Iterator[Any]:
    parquet = needed("pyarrow.parquet", "a population")
    for path in parts_of(folder):
        yield parquet.read_table(path, columns=list(columns))


def _values(folder: Path, column: str) -> Iterator[Doubles]:
    for table in _tables(folder, [column]):
        yield table[column].drop_null().to_numpy()


def _of_rank(values: Callable[[], Iterator[Doubles]], ranks: Sequence[int]) -> list[float]:
    """Return the numbers at some places, from 0, of all in order: doubles of at least 0, read again for each 16 bits.

    The bits of such doubles, as a whole number, are in the same order; so the leading ones are counted, then those that
    follow them.
    """
    found = [(0, rank) for rank in ranks]  # the leading bits, and the place among those that share them
    for level in range(4):
        shift = np.uint64(64 - _BITS * (level + 1))
        prefixes = {prefix for prefix, _ in found}
        counts: dict[int, NDArray[np.int64]] = {prefix: np.zeros(1 << _BITS, dtype=np.int64) for prefix in prefixes}
        for part in values():
            bits = (part + 0.0).view(np.uint64)
            for prefix in prefixes:
                own = bits if level == 0 else bits[(bits >> (shift + np.uint64(_BITS))) == np.uint64(prefix)]
                counts[prefix] += np.bincount(
                    ((own >> shift) & np.uint64((1 << _BITS) - 1)).astype(np.int64), minlength=1 << _BITS
                )
        following = []
        for prefix, rank in found:
            upto = np.cumsum(counts[prefix])
            digit = int(np.searchsorted(upto, rank, side="right"))
            following.append(((prefix << _BITS) | digit, rank - int(upto[digit - 1] if digit else 0)))
        found = following
    return [float(np.array([prefix], dtype=np.uint64).view(np.float64)[0]) for prefix, _ in found]


def write_csv(folder: Path, path: str) -> None:
    """Write the rows of all users as CSV, part by part; doubles as the shortest decimals that read back to them."""
    csv = needed("pyarrow.csv", "a population")
    check_writable(path, "table")
    with Path(path).open("wb") as stream:
        for number, part in enumerate(parts_of(folder)):
            options = csv.WriteOptions(include_header=number == 0)
            csv.write_csv(needed("pyarrow.parquet", "a population").read_table(part), stream, options)
