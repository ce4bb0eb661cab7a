"""The users that rule a population, by exact methods: their levels, and certificates that `tploracle check` accepts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from pathlib import Path

from ..certificates.all_times import tight_upper_at_all_times
from ..certificates.parts import Document
from ..certificates.recursion import leakage_certificate
from ..certificates.supremum import bounded_certificate, divergent_certificate
from ..certificates.worst_case import tight_lower_certificate
from ..data.frames import needed
from ..models.chain import matrices_of
from ..output.writing import write_text
from ..reference import parse_level
from ..solvers.worst_case.worst import WorstTpl
from ..wire.strict_json import Object, encode
from ..wire.values import decimal_text, level_value
from .question import PopulationQuestion, UserChunk
from .runs import parts_of
from .user_rows import BUDGET, KINDS_OF_LEAKAGE, SUPREMA, TIGHT_TPL, ExactUser

RULERS_FILE = "rulers.json"
"""A line of JSON for each user that rules, the worst one first."""

RULER_DIGITS = 17


@dataclass(frozen=True, slots=True, order=True)
class Ruler:
    """A user by place: value, what the order is by; the name; the part and the row in it, from 0."""

    value: float
    user: str
    part: int
    row: int


def rulers_of(question: PopulationQuestion, folder: Path, count: int) -> list[Ruler]:
    """Return the users with the greatest TPL, else its greatest supremum, else the least budget, the worst first.

    Where the tight TPL is asked for, it is that one.
    """
    if question.tight:
        column, sign = f"{TIGHT_TPL}_upper", -1.0
    elif question.epsilons or question.epsilon:
        column, sign = f"{(KINDS_OF_LEAKAGE if question.epsilons else SUPREMA)[-1]}_upper", -1.0
    else:
        column, sign = f"{BUDGET}_lower", 1.0

    def rows() -> Iterator[Ruler]:
        for part, path in enumerate(parts_of(folder)):
            table = needed("pyarrow.parquet", "a population").read_table(path, columns=["user", column])
            for row, (user, value) in enumerate(
                zip(*(table[name].to_pylist() for name in table.column_names), strict=True)
            ):
                if value is not None:
                    yield Ruler(sign * value, user, part, row)

    return nsmallest(count, rows())


def exact_users(
    question: PopulationQuestion, chunks: Iterable[UserChunk], rulers: Sequence[Ruler]
) -> dict[Ruler, ExactUser]:
    """Work out these users by exact methods, in their order. Args: chunks, as they were answered. Raises: Undecided."""
    of_part: dict[int, list[Ruler]] = {}
    for ruler in rulers:
        of_part.setdefault(ruler.part, []).append(ruler)
    found: dict[Ruler, ExactUser] = {}
    for number, chunk in enumerate(chunks):
        for ruler in of_part.pop(number, []):
            found[ruler] = ExactUser.of(question, chunk.matrices(question.smoothing, ruler.row))
        if not of_part:
            break
    return {ruler: found[ruler] for ruler in rulers}


def write_rulers(question: PopulationQuestion, users: Mapping[Ruler, ExactUser], folder: Path) -> None:
    """Write the exact levels of users, and their certificates, each a file."""
    lines = []
    for place, (ruler, user) in enumerate(users.items(), 1):
        files = []
        for name, document in _certificates(question, user):
            files.append(f"certificates/{place:04}-{name}.json")
            text = json.dumps(document, ensure_ascii=True, indent=1)
            write_text(str(folder / files[-1]), f"{text}\n", "certificate")
        value: Object = {
            "user": ruler.user,
            **{name: level_value(level, RULER_DIGITS) for name, level in user.levels.items()},
            **{f"{name}_time": time for name, time in user.times.items()},
            **_tight_value(user.tight),
            "certificates": files,
        }
        lines.append(encode(value) + "\n")
    write_text(str(folder / RULERS_FILE), "".join(lines), "exact levels")


def _tight_value(tight: WorstTpl | None) -> Object:
    if tight is None:
        return {}
    lower, upper = tight.attained.enclosure(RULER_DIGITS).lower, tight.bound.enclosure(RULER_DIGITS).upper
    return {TIGHT_TPL: {"lower": decimal_text(lower), "upper": decimal_text(upper)}, f"{TIGHT_TPL}_time": tight.time}


def _certificates(question: PopulationQuestion, user: ExactUser) -> Iterator[tuple[str, Document]]:
    if question.epsilons:
        yield "leakage", leakage_certificate(question.levels(), user.adversary, RULER_DIGITS)
    if question.epsilon:
        epsilon = parse_level(question.epsilon)
        for kind, loss in zip(SUPREMA, (user.adversary.backward, user.adversary.forward), strict=False):
            if loss is not None:
                certificate = divergent_certificate if user.levels[kind].is_infinite else bounded_certificate
                yield kind, certificate(loss, epsilon, RULER_DIGITS)
    if user.tight is not None:
        epsilons, own = question.levels(), matrices_of(user.adversary)
        yield f"{TIGHT_TPL}_lower", tight_lower_certificate(epsilons, user.tight.time, *own, RULER_DIGITS)
        yield f"{TIGHT_TPL}_upper", tight_upper_at_all_times(epsilons, *own, RULER_DIGITS)
