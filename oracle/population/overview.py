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

    worst: the greatest leakage, or the least budget, and user, the first who has it; quantiles: by their part, of the
    users' doubles, the least that so great a part is not above; unbounded: users with ∞; users: who have one.
    """

    level: RowLevel
    worst: float
    user: str | None = None
    users: int = 0
    unbounded: int = 0
    quantiles: dict[float, float] = field(default_factory=dict)

    def add(self, worst: float, user: str | None, users: int, unbounded: int) -> None:
        """Add users who follow, and the worst of them."""
        if worst < self.worst if self.level.is_budget else worst > self.worst:
            self.worst, self.user = worst, user
        self.users += users
        self.unbounded += unbounded


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
            own.add(more.worst, more.user, more.users, more.unbounded)

    def by(self, model: str) -> dict[str, LevelSummary]:
        """Return the levels by a model, given its key, that some user has, by name."""
        return {own.level.name: own for own in self.levels if own.level.model == model and own.users}


def summary_of(
    question: PopulationQuestion, folder: Path, workers: Workers | None = None, parts: Sequence[float] = QUANTILES
) -> PopulationSummary:
    """Read all parts once, and return their summary.

    Args: workers, who have the folder, this process by default; parts, above 0 and at most 1, for the quantiles.
    Each worker has the rows of GROUP_PARTS parts in memory, and writes what the quantiles are of, sorted.
    """
    summary = _nothing_of(question)
    with TemporaryDirectory(prefix=UNFINISHED, dir=folder) as sorted_values:
        calls = (
            (group, partial(_summarised, question, paths, Path(sorted_values, str(group))))
            for group, paths in enumerate(groups_of(folder))
        )
        of_groups = dict((workers or here()).each(calls))
        for group in sorted(of_groups):
            summary.add(of_groups[group])
        for place, own in enumerate(summary.levels):
            if own.users:
                files = [Path(sorted_values, str(group), f"{place}.npy") for group in sorted(of_groups)]
                ranks = [max(0, ceil(part * own.users) - 1) for part in parts]
                found = _of_rank([np.load(path, mmap_mode="r") for path in files], ranks)
                own.quantiles = dict(zip(parts, found, strict=True))
    return summary


def groups_of(folder: Path) -> list[list[Path]]:
    """Return the parts in order, as many together as are read by one worker at once."""
    paths = parts_of(folder)
    return [paths[start : start + GROUP_PARTS] for start in range(0, len(paths), GROUP_PARTS)]


def _nothing_of(question: PopulationQuestion) -> PopulationSummary:
    levels = row_levels(question)
    return PopulationSummary(levels=[LevelSummary(level, inf if level.is_budget else -inf) for level in levels])


def _summarised(question: PopulationQuestion, paths: Sequence[Path], into: Path) -> PopulationSummary:
    """Return the summary of some parts without quantiles, and write the doubles of each level, sorted, to a folder."""
    summary = _nothing_of(question)
    values: list[list[Doubles]] = [[] for _ in summary.levels]
    for path in paths:
        table = read_part(path, ["user", "method", *(own.level.safe_column for own in summary.levels)])
        methods = texts(table["method"])
        summary.users += len(methods)
        summary.by_exact_methods += methods.count(EXACTLY)
        summary.refused += methods.count(NOT_AT_ALL)
        for own, known in zip(summary.levels, values, strict=True):
            column = table[own.level.safe_column].to_numpy()  # NaN for what is missing
            known.append(column[~np.isnan(column)])
            if len(known[-1]):
                worst = int(np.nanargmin(column) if own.level.is_budget else np.nanargmax(column))
                unbounded = int((known[-1] == inf).sum())
                own.add(float(column[worst]), table["user"][worst].as_py(), len(known[-1]), unbounded)
    into.mkdir()
    for place, known in enumerate(values):
        np.save(into / f"{place}.npy", np.sort(np.concatenate(known)))
    return summary


def refused_users(folder: Path) -> list[str]:
    """Return the users of whom nothing can be said, in order."""
    tables = (read_part(path, ["user", "method"]) for path in parts_of(folder))
    rows = (zip(table["user"].to_pylist(), table["method"].to_pylist(), strict=True) for table in tables)
    return [user for table in rows for user, method in table if method == NOT_AT_ALL]


def _of_rank(runs: Sequence[Doubles], ranks: Sequence[int]) -> list[float]:
    """Return the numbers at some places, from 0, of all in order: doubles of at least 0, sorted in each run.

    The bits of such doubles, as a whole number, are in the same order; so each number is found bit by bit, as the least
    that more than so many are not above.
    """
    place = np.array(ranks)
    low, high = np.zeros(len(place), dtype=np.uint64), np.full(len(place), inf).view(np.uint64)
    while (low < high).any():
        middle = low + (high - low) // np.uint64(2)
        not_above = sum(np.searchsorted(run, middle.view(np.float64), side="right") for run in runs)
        is_enough = not_above > place
        low, high = np.where(is_enough, low, middle + np.uint64(1)), np.where(is_enough, middle, high)
    return [float(found) for found in low.view(np.float64)]


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
