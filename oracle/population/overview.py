"""A population in summary: who is worst, quantiles over all users, and the budget that all of them may share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil, inf
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ..data.frames import needed
from ..data.parquet import texts
from ..output.sheets import cell_text
from ..output.writing import UNFINISHED, check_writable
from ..solvers.floats import Doubles
from .parts import parts_of, read_part
from .question import PopulationQuestion
from .user_rows import EXACTLY, NOT_AT_ALL, RowLevel, row_levels
from .workers import Workers, here

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)

GROUP_PARTS = 64
"""Parts that one worker reads for the summary at once."""


@dataclass(slots=True)
class LevelSummary:
    """One level over all users: doubles on the safe side, of leakage the upper ones, of budgets the lower ones.

    worst: the greatest leakage, or the least budget; user, the first who has it; place, the part and the row of that
    user, from 0; quantiles: by their part, the least double that this part of the users does not exceed; unbounded:
    the number of users with ∞; users: the number who have the level.
    """

    level: RowLevel
    worst: float
    user: str | None = None
    place: tuple[int, int] | None = None
    users: int = 0
    unbounded: int = 0
    quantiles: dict[float, float] = field(default_factory=dict)

    def add(self, other: LevelSummary) -> None:
        """Add users who follow."""
        if other.worst < self.worst if self.level.is_budget else other.worst > self.worst:
            self.worst, self.user, self.place = other.worst, other.user, other.place
        self.users += other.users
        self.unbounded += other.unbounded


@dataclass(slots=True)
class PopulationSummary:
    """How many users there are, how many by exact methods, of how many nothing can be said, and each level."""

    users: int = 0
    by_exact_methods: int = 0
    refused: int = 0
    levels: list[LevelSummary] = field(default_factory=list)

    def add(self, other: PopulationSummary) -> None:
        """Add users who follow."""
        self.users += other.users
        self.by_exact_methods += other.by_exact_methods
        self.refused += other.refused
        for own, more in zip(self.levels, other.levels, strict=True):
            own.add(more)

    def by(self, model: str) -> dict[str, LevelSummary]:
        """Return the levels by a model, given its key, that some user has, by name."""
        return {own.level.name: own for own in self.levels if own.level.model == model and own.users}


def summary_of(
    question: PopulationQuestion, folder: Path, workers: Workers | None = None, parts: Sequence[float] = QUANTILES
) -> PopulationSummary:
    """Read all parts once, and return their summary.

    Args: workers, who have the folder, this process by default; parts, above 0 and at most 1, for the quantiles.
    Each worker has the rows of GROUP_PARTS parts in memory, and this process the numbers of one level.
    """
    summary = _nothing_of(question)
    with TemporaryDirectory(prefix=UNFINISHED, dir=folder) as into:
        groups = groups_of(folder)
        calls = (partial(_summarised, question, number, paths, Path(into)) for number, paths in enumerate(groups))
        for found in (workers or here()).each(calls):
            summary.add(found)
        for place, own in enumerate(summary.levels):
            if own.users:
                values = np.concatenate([np.load(Path(into, f"{group}-{place}.npy")) for group in range(len(groups))])
                ranks = [max(0, ceil(part * own.users) - 1) for part in parts]
                own.quantiles = dict(zip(parts, np.partition(values, ranks)[ranks].tolist(), strict=True))
    return summary


def groups_of(folder: Path) -> list[list[Path]]:
    """Return the parts in order, as many together as are read by one worker at once."""
    paths = parts_of(folder)
    return [paths[start : start + GROUP_PARTS] for start in range(0, len(paths), GROUP_PARTS)]


def _nothing_of(question: PopulationQuestion) -> PopulationSummary:
    levels = row_levels(question)
    return PopulationSummary(levels=[LevelSummary(level, inf if level.is_budget else -inf) for level in levels])


def _summarised(question: PopulationQuestion, group: int, paths: Sequence[Path], into: Path) -> PopulationSummary:
    """Return the summary of a group of parts without quantiles, and write the doubles of each level to a folder."""
    summary = _nothing_of(question)
    values: list[list[Doubles]] = [[] for _ in summary.levels]
    for part, path in enumerate(paths, group * GROUP_PARTS):
        table = read_part(path, ["user", "method", *(own.level.safe_column for own in summary.levels)])
        methods = texts(table["method"])
        summary.users += len(methods)
        summary.by_exact_methods += methods.count(EXACTLY)
        summary.refused += methods.count(NOT_AT_ALL)
        for own, known in zip(summary.levels, values, strict=True):
            column = table[own.level.safe_column].to_numpy()  # NaN for what is missing
            known.append(column[~np.isnan(column)])
            if len(known[-1]):
                row = int(np.nanargmin(column) if own.level.is_budget else np.nanargmax(column))
                user, unbounded = table["user"][row].as_py(), int((known[-1] == inf).sum())
                own.add(LevelSummary(own.level, float(column[row]), user, (part, row), len(known[-1]), unbounded))
    for place, known in enumerate(values):
        np.save(into / f"{group}-{place}.npy", np.concatenate(known))
    return summary


def refused_users(folder: Path) -> list[str]:
    """Return the users of whom nothing can be said, in order."""
    tables = (read_part(path, ["user", "method"]) for path in parts_of(folder))
    rows = (zip(table["user"].to_pylist(), table["method"].to_pylist(), strict=True) for table in tables)
    return [user for table in rows for user, method in table if method == NOT_AT_ALL]


def write_csv(folder: Path, path: str) -> None:
    """Write the rows of all users as CSV, part by part; doubles as the shortest decimals that read back to them.

    Names and errors as `cell_text` writes them.
    """
    csv, arrow = needed("pyarrow.csv", "a population"), needed("pyarrow", "a population")
    check_writable(path, "table")
    with Path(path).open("wb") as stream:
        for number, part in enumerate(parts_of(folder)):
            table = read_part(part)
            for place, name in enumerate(table.column_names):
                if name in ("user", "error"):
                    texts = [None if text is None else cell_text(text) for text in table.column(name).to_pylist()]
                    table = table.set_column(place, name, arrow.array(texts, arrow.string()))
            csv.write_csv(table, stream, csv.WriteOptions(include_header=number == 0))
