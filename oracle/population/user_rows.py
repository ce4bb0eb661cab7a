"""The rows of a chunk of users: enclosures in doubles, by exact methods where doubles do not decide."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contract.losses import loss_function_of
from ..contract.verified_schedules import suprema
from ..data.files import ROLES
from ..data.frames import needed
from ..reference import (
    ZERO,
    Adversary,
    InfeasibleBudget,
    Level,
    OracleError,
    TransitionMatrix,
    budgets,
    leakage,
    maximum,
    parse_level,
)
from ..solvers.floats import Doubles
from ..solvers.many_leakages import ManyBounds, Users, many_budgets, many_leakages, many_suprema
from ..solvers.many_losses import many_losses
from ..solvers.tight_worst import worst_tight_tpl
from .question import PopulationQuestion, UserChunk

KINDS_OF_LEAKAGE = ("bpl", "fpl", "tpl")
SUPREMA = tuple(f"{kind}_supremum" for kind in KINDS_OF_LEAKAGE)
BUDGET = "budget"
TIGHT_TPL = "tight_tpl"

DIGEST = b"tploracle.digest"
"""Under this key the metadata of a part say what it answers."""

AT_ONCE = 1024
"""Users whose loss functions are worked out together: more need more memory, fewer more time each."""

BY_DOUBLES, EXACTLY, NOT_AT_ALL = "doubles", "exact", "refused"
"""How a user's row was worked out."""

Columns = dict[str, NDArray[np.float64]]
"""Numbers by the name of their column; NaN where there is none."""


def level_names(question: PopulationQuestion) -> list[str]:
    """Return the levels that a row has, each of which is two columns: name_lower and name_upper."""
    return [
        *(KINDS_OF_LEAKAGE if question.epsilons else ()),
        *(SUPREMA if question.epsilon else ()),
        *([BUDGET] if question.alpha else ()),
        *([TIGHT_TPL] if question.tight else ()),
    ]


def column_names(question: PopulationQuestion) -> list[str]:
    """Return the columns of numbers of a row, in order."""
    names = []
    for level in level_names(question):
        names += [f"{level}_lower", f"{level}_upper"]
        if level in (*KINDS_OF_LEAKAGE, TIGHT_TPL):
            names.append(f"{level}_time")
    return names


def answer(question: PopulationQuestion, chunk: UserChunk, digest: str) -> bytes:
    """Answer for the users of a chunk: the Parquet file of their rows, the same bytes wherever it is made.

    Each level is enclosed by two doubles, the upper one at or above it, of a budget the lower one at or below. A user
    of whom nothing can be said has a row too, with the error's name and no numbers.
    """
    first, of_user = chunk.distinct()
    columns: Columns = {name: np.full(len(first), nan) for name in column_names(question)}
    how = np.full(len(first), EXACTLY, dtype=object)
    errors: dict[int, str] = {}
    for start in range(0, len(first), AT_ONCE):
        own = first[start : start + AT_ONCE]
        backward, forward, left = chunk.weights(question.smoothing, own)
        found = _by_doubles(question, backward, forward, ~left)
        for name, values in found.items():
            columns[name][start : start + len(own)] = values
        decided = ~left & np.all([~np.isnan(values) for values in found.values()], axis=0)
        how[start : start + len(own)][decided] = BY_DOUBLES
    for kind, index in enumerate(first):
        if how[kind] == EXACTLY or question.tight:
            try:
                known = chunk.matrices(question.smoothing, index)
                row = ExactUser.of(question, known).row() if how[kind] == EXACTLY else {}
                row |= _tight(question, known) if question.tight else {}
            except OracleError as error:
                how[kind], errors[kind] = NOT_AT_ALL, f"{error.name}: {error}"
                row = dict.fromkeys(columns, nan)
            for name, value in row.items():
                columns[name][kind] = value
    table = _table(
        chunk.users,
        {name: values[of_user] for name, values in columns.items()},
        how[of_user].tolist(),
        [errors.get(kind) for kind in of_user.tolist()],
    )
    stream = io.BytesIO()
    written = table.replace_schema_metadata({DIGEST: digest.encode()})
    needed("pyarrow.parquet", "a population").write_table(written, stream, compression="zstd")
    return stream.getvalue()


def _by_doubles(
    question: PopulationQuestion, backward: Doubles | None, forward: Doubles | None, usable: NDArray[np.bool_]
) -> Columns:
    """Return the columns of users with these weights, for whom that is usable; NaN where doubles do not decide."""
    count = len(usable)
    sides = [
        None if part is None else many_losses(np.where(usable[:, None, None], part, 1.0))
        for part in (backward, forward)
    ]
    users = Users(sides[0], sides[1], count)
    columns: Columns = {}

    def take(name: str, bounds: ManyBounds) -> None:
        columns[f"{name}_lower"], columns[f"{name}_upper"] = bounds.lower, bounds.upper

    if question.epsilons:
        for name, worst in zip(KINDS_OF_LEAKAGE, many_leakages(question.levels(), users), strict=True):
            take(name, worst.level)
            columns[f"{name}_time"] = np.where(np.isnan(worst.level.upper), nan, worst.time)
    if question.epsilon:
        epsilon = parse_level(question.epsilon)
        for name, bounds in zip(SUPREMA, many_suprema(epsilon, users), strict=True):
            take(name, bounds)
    if question.alpha:
        take(BUDGET, many_budgets(parse_level(question.alpha), users))
    return columns


@dataclass(frozen=True, slots=True)
class ExactUser:
    """One user by exact methods: adversary, with the loss functions; levels by name; times of the worst of them."""

    adversary: Adversary
    levels: dict[str, Level]
    times: dict[str, int]

    @classmethod
    def of(cls, question: PopulationQuestion, known: Mapping[str, TransitionMatrix]) -> ExactUser:
        """Work out all that is asked but the tight worst case. Args: known, matrices by role. Raises: Undecided."""
        losses = {matrix: loss_function_of(matrix) for matrix in known.values()}
        adversary = Adversary(*(losses[known[role]] if role in known else None for role in ROLES))
        levels: dict[str, Level] = {}
        times: dict[str, int] = {}
        if question.epsilons:
            own = leakage(question.levels(), adversary)
            for name, course in zip(KINDS_OF_LEAKAGE, (own.bpl, own.fpl, own.tpl), strict=True):
                worst = maximum(dict(enumerate(course, 1)))
                times[name], levels[name] = worst.attained_by[0], worst.level
        if question.epsilon:
            levels |= dict(zip(SUPREMA, suprema(parse_level(question.epsilon), adversary), strict=True))
        if question.alpha:
            try:
                levels[BUDGET] = budgets(parse_level(question.alpha), adversary).middle
            except InfeasibleBudget:
                levels[BUDGET] = ZERO  # none can be kept for ever
        return cls(adversary, levels, times)

    def row(self) -> dict[str, float]:
        """Return the numbers of the user's row: the doubles next to each level."""
        return _beside(self.levels, self.times)


def _tight(question: PopulationQuestion, known: Mapping[str, TransitionMatrix]) -> dict[str, float]:
    """Return the columns of the worst TPL over all mechanisms with these budgets."""
    worst = worst_tight_tpl(question.levels(), known.get("backward"), known.get("forward"))
    return {
        f"{TIGHT_TPL}_lower": worst.attained.double_below(),
        f"{TIGHT_TPL}_upper": worst.bound.double_above(),
        f"{TIGHT_TPL}_time": worst.time,
    }


def _beside(levels: Mapping[str, Level], times: Mapping[str, int]) -> dict[str, float]:
    row: dict[str, float] = {f"{name}_time": time for name, time in times.items()}
    for name, level in levels.items():
        row |= {f"{name}_lower": level.double_below(), f"{name}_upper": level.double_above()}
    return row


def _table(users: Sequence[str], columns: Columns, how: list[str], errors: list[str | None]) -> Any:
    """Return the rows as an Arrow table; a number that is none is null."""
    arrow = needed("pyarrow", "a population")
    made = {"user": arrow.array(users, arrow.string())}
    for name, values in columns.items():
        kind = arrow.int32() if name.endswith("_time") else arrow.float64()
        none = np.isnan(values)
        made[name] = arrow.array(np.where(none, 0, values), mask=none).cast(kind)
    made["method"] = arrow.array(how, arrow.string())
    made["error"] = arrow.array(errors, arrow.string())
    return arrow.table(made)
