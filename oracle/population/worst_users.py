"""The worst users of a population, by exact methods: their levels, and certificates that `tploracle check` accepts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import nsmallest
from pathlib import Path

from ..certificates.all_times import worst_case_upper_at_all_times
from ..certificates.parts import Document
from ..certificates.recursion import leakage_certificate
from ..certificates.supremum import bounded_certificate, divergent_certificate
from ..certificates.worst_case import worst_case_lower_certificate
from ..models.neighbours import Neighbours
from ..models.paper_bound import PaperBound
from ..output.writing import write_text
from ..reference.paper.leakage import matrices_of
from ..solvers.worst_case.worst import WorstTpl
from ..wire.strict_json import Object, encode
from ..wire.values import decimal_text, level_value
from .overview import GROUP_PARTS, PopulationSummary, groups_of
from .parts import part_path, read_part
from .population_basis import basis_of_one
from .question import PopulationQuestion, UserChunk
from .recomputed import check_row
from .user_rows import (
    BUDGET,
    KINDS_OF_LEAKAGE,
    SUPREMA,
    USER_BUDGETS,
    WORST_CASE_TPL,
    ExactUser,
    RowLevel,
    row_in,
)
from .workers import Workers, here

WORST_USERS_FILE = "worst_users.json"
"""A line of JSON for each of the worst users, the worst one first."""

CERTIFIED_DIGITS = 17


@dataclass(frozen=True, slots=True, order=True)
class WorstUser:
    """A user by place: value, what the order is by; the name; the part and the row in it, from 0."""

    value: float
    user: str
    part: int
    row: int


def worst_users(
    question: PopulationQuestion, folder: Path, count: int, workers: Workers | None = None
) -> list[WorstUser]:
    """Return the users with the greatest TPL, else its greatest supremum, else the least budget, the worst first.

    Where the exact worst case is asked for, the TPL is that one. Args: workers, as `summary_of` has them.
    """
    level = RowLevel(PaperBound.key, BUDGET)
    if question.by_worst_case:
        level = WORST_CASE_TPL
    elif question.epsilons or question.epsilon:
        level = RowLevel(PaperBound.key, (KINDS_OF_LEAKAGE if question.epsilons else SUPREMA)[-1])
    calls = (partial(_worst_of, number, group, level, count) for number, group in enumerate(groups_of(folder)))
    return nsmallest(count, (user for found in (workers or here()).each(calls) for user in found))


def _worst_of(number: int, group: Sequence[Path], level: RowLevel, count: int) -> list[WorstUser]:
    """Return the worst users of a group of parts. Args: number, of the group."""
    column, sign = level.safe_column, 1.0 if level.is_budget else -1.0
    tables = (read_part(path, ["user", column]) for path in group)
    rows = (
        WorstUser(sign * value, user, part, row)
        for part, table in enumerate(tables, number * GROUP_PARTS)
        for row, (user, value) in enumerate(zip(*(own.to_pylist() for own in table.columns), strict=True))
        if value is not None
    )
    return nsmallest(count, rows)


ChunksOf = Callable[[set[int]], Iterable[tuple[int, UserChunk]]]
"""Reads chunks with these numbers again; yields numbers and chunks."""


def _read(chunks: ChunksOf, places: Iterable[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], UserChunk]]:
    """Yield places, of part and row, and what was read of the users there alone."""
    rows: dict[int, set[int]] = {}
    for part, row in places:
        rows.setdefault(part, set()).add(row)
    for number, chunk in chunks({*rows}):
        for row in sorted(rows[number]):
            yield (number, row), chunk.alone(row)


def exact_users(
    question: PopulationQuestion, chunks: ChunksOf, users: Sequence[WorstUser]
) -> dict[WorstUser, tuple[UserChunk, ExactUser]]:
    """Compute these users by exact methods, in their order; with each, what was read of this user alone.

    Raises: Undecided.
    """
    found = {
        place: (read, ExactUser.of(question, read.matrices(question.smoothing, 0, question.every)))
        for place, read in _read(chunks, [(user.part, user.row) for user in users])
    }
    return {user: found[user.part, user.row] for user in users}


def check_worst(question: PopulationQuestion, chunks: ChunksOf, summary: PopulationSummary, folder: Path) -> None:
    """Compute the worst user of each level again by exact methods. Raises: Refuted."""
    for (part, row), read in _read(chunks, [own.place for own in summary.levels if own.place is not None]):
        check_row(question, read, 0, row_in(read_part(part_path(folder, part)), row))


def write_worst_users(
    question: PopulationQuestion, users: Mapping[WorstUser, tuple[UserChunk, ExactUser]], folder: Path, step: str
) -> None:
    """Write the exact levels of users, each with what was asked and what they rest on, and their certificates as files.

    Args: users, as `exact_users` found them; step, what a step is, as the basis says it.
    """
    lines = []
    for place, (worst, (read, user)) in enumerate(users.items(), 1):
        files = []
        for name, document in _certificates(question, user):
            files.append(f"certificates/{place:04}-{name}.json")
            text = json.dumps(document, ensure_ascii=True, indent=1)
            write_text(str(folder / files[-1]), f"{text}\n", "certificate")
        value: Object = {
            "user": worst.user,
            "asked": question.asked(),
            **_worst_case_value(user.worst_case),
            **_paper_bound_value(user, question.converted),
            "certificates": files,
            "basis": basis_of_one(question, read, user.adversary, step).value(),
        }
        lines.append(encode(value) + "\n")
    write_text(str(folder / WORST_USERS_FILE), "".join(lines), "exact levels")


def _worst_case_value(worst: WorstTpl | None) -> Object:
    if worst is None:
        return {}
    lower, upper = worst.attained.enclosure(CERTIFIED_DIGITS).lower, worst.bound.enclosure(CERTIFIED_DIGITS).upper
    tpl: Object = {"exact": None, "lower": decimal_text(lower), "upper": decimal_text(upper)}
    return {WORST_CASE_TPL.model: {WORST_CASE_TPL.name: tpl, f"{WORST_CASE_TPL.name}_time": worst.time}}


def _paper_bound_value(user: ExactUser, neighbours: Neighbours) -> Object:
    if not user.levels:
        return {}
    printed = {
        name: neighbours.printed_one(level, CERTIFIED_DIGITS) if name in USER_BUDGETS else level
        for name, level in user.levels.items()
    }
    levels = {name: level_value(level, CERTIFIED_DIGITS) for name, level in printed.items()}
    return {PaperBound.key: {**levels, **{f"{name}_time": time for name, time in user.times.items()}}}


def _certificates(question: PopulationQuestion, user: ExactUser) -> Iterator[tuple[str, Document]]:
    if question.epsilons and question.by_paper_bound:
        yield "leakage", leakage_certificate(question.levels(), user.adversary, CERTIFIED_DIGITS)
    if question.epsilon:
        epsilon = question.level()
        for kind, loss in zip(SUPREMA, (user.adversary.backward, user.adversary.forward), strict=False):
            if loss is not None:
                certificate = divergent_certificate if user.levels[kind].is_infinite else bounded_certificate
                yield kind, certificate(loss, epsilon, CERTIFIED_DIGITS)
    if user.worst_case is not None:
        epsilons, own = question.levels(), matrices_of(user.adversary)
        yield (
            f"{WORST_CASE_TPL.column}_lower",
            worst_case_lower_certificate(epsilons, user.worst_case.time, *own, CERTIFIED_DIGITS),
        )
        yield f"{WORST_CASE_TPL.column}_upper", worst_case_upper_at_all_times(epsilons, *own, CERTIFIED_DIGITS)
