"""The rows of a chunk of users: enclosures in doubles, by exact methods where doubles do not decide."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, nan
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contract.allocation import suprema
from ..contract.losses import loss_function_of
from ..data.files import ROLES
from ..data.frames import needed
from ..models.paper_bound import PaperBound
from ..models.worst_case import WorstCase
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
from ..solvers.batch.enclosures import AskedOfUsers, UserWeights, enclose
from ..solvers.worst_case.worst import WorstTpl, worst_tight_tpl
from .parts import sealed
from .question import PopulationQuestion, UserChunk

KINDS_OF_LEAKAGE = ("bpl", "fpl", "tpl")
SUPREMA = tuple(f"{kind}_supremum" for kind in KINDS_OF_LEAKAGE)
BUDGET = "budget"
USER_BUDGETS = (f"{BUDGET}_first", BUDGET, f"{BUDGET}_last")

AT_ONCE = 1024
"""Users whose loss functions are worked out together: more need more memory, fewer more time each."""

MOST_KNOWN = 1 << 17
"""Rows that a process keeps, for users who are equal to one of an earlier chunk: half a kilobyte each."""

BY_DOUBLES, EXACTLY, NOT_AT_ALL = "doubles", "exact", "refused"
"""How a user's row was worked out: the paper's bound in it, or where that is not asked for the exact worst case."""

NumberColumns = dict[str, NDArray[np.float64]]
"""Numbers by the name of their column; NaN where there is none."""


@dataclass(frozen=True, slots=True)
class RowLevel:
    """A level that rows have, by a model, given its key: two columns, and one for a time where it has one."""

    model: str
    name: str

    @property
    def column(self) -> str:
        """What its columns begin with."""
        return f"{self.model}_{self.name}"

    @property
    def is_budget(self) -> bool:
        """Whether less is worse."""
        return self.name in USER_BUDGETS

    @property
    def safe_column(self) -> str:
        """The column that is on the safe side."""
        return f"{self.column}_{'lower' if self.is_budget else 'upper'}"

    def columns(self) -> list[str]:
        """Return its columns, in order."""
        ends = ["lower", "upper", *(["time"] if self.name in KINDS_OF_LEAKAGE else [])]
        return [f"{self.column}_{end}" for end in ends]


WORST_CASE_TPL = RowLevel(WorstCase.key, KINDS_OF_LEAKAGE[-1])


def row_levels(question: PopulationQuestion) -> list[RowLevel]:
    """Return the levels that a row has, those of the exact worst case first."""
    by_paper_bound = [
        *(KINDS_OF_LEAKAGE if question.epsilons else ()),
        *(SUPREMA if question.epsilon else ()),
        *(USER_BUDGETS if question.alpha else ()),
    ]
    return [
        *([WORST_CASE_TPL] if question.by_worst_case else []),
        *(RowLevel(PaperBound.key, name) for name in by_paper_bound if question.by_paper_bound),
    ]


def column_names(question: PopulationQuestion) -> list[str]:
    """Return the columns of numbers of a row, in order."""
    return [column for level in row_levels(question) for column in level.columns()]


_Row = tuple[NDArray[np.float64], str, str | None]
"""What is said of a user: the numbers of the columns, how they were worked out, and what is wrong."""


class _Known:
    """Rows by what they answer, the last of them; threads share it."""

    def __init__(self) -> None:
        self._rows: OrderedDict[bytes, _Row] = OrderedDict()  # a dict would look for its first key ever longer
        self._lock = Lock()

    def get(self, key: bytes) -> _Row | None:
        """Return a row that is kept."""
        return self._rows.get(key)

    def keep(self, rows: Iterable[tuple[bytes, _Row]]) -> None:
        """Keep rows; those that were kept first go when there are too many."""
        with self._lock:
            self._rows.update(rows)
            while len(self._rows) > MOST_KNOWN:
                self._rows.popitem(last=False)


_known = _Known()


def answer(question: PopulationQuestion, chunk: UserChunk, digest: str, arithmetic: str) -> bytes:
    """Answer for the users of a chunk: the Parquet file of their rows, the same bytes wherever it is made.

    Each level is enclosed by the two doubles next to it, whichever arithmetic of `solvers.batch.enclosures` is taken,
    and by exact methods as well. A user
    of whom nothing can be said has a row too, with the error's name and no numbers; so has one whose exact worst case
    is not decided, with those of the paper's bound. Users with equal correlations are
    worked out once, also those of earlier chunks: what is found of one does not depend on who is beside them.
    """
    kinds, first, of_user = chunk.kinds(question)
    names = column_names(question)
    numbers = np.empty((len(kinds), len(names)))
    how = [BY_DOUBLES] * len(kinds)
    errors: list[str | None] = [None] * len(kinds)
    new: list[int] = []
    for kind, key in enumerate(kinds):
        if (row := _known.get(key)) is None:
            new.append(kind)
        else:
            numbers[kind], how[kind], errors[kind] = row
    for start in range(0, len(new), AT_ONCE):
        together = new[start : start + AT_ONCE]
        numbers[together], their_how, their_errors = _rows(question, chunk, first[together], arithmetic)
        for kind, own_how, error in zip(together, their_how, their_errors, strict=True):
            how[kind], errors[kind] = own_how, error
        rows = zip(numbers[together], their_how, their_errors, strict=True)
        _known.keep(zip([kinds[kind] for kind in together], rows, strict=True))
    each = of_user.tolist()
    columns = dict(zip(names, numbers[of_user].T, strict=True))
    table = _table(chunk.users, columns, [how[kind] for kind in each], [errors[kind] for kind in each])
    return sealed(table, digest)


def _rows(
    question: PopulationQuestion, chunk: UserChunk, chosen: NDArray[np.int64], arithmetic: str
) -> tuple[NDArray[np.float64], list[str], list[str | None]]:
    """Return the rows of some users of a chunk: the numbers, how they were worked out, and what is wrong."""
    names = column_names(question)
    place_of = {name: place for place, name in enumerate(names)}
    numbers = np.full((len(chosen), len(names)), nan)
    decided = np.zeros(len(chosen), dtype=bool)
    if question.by_paper_bound:
        backward, forward, left = chunk.weights(question.smoothing, chosen)
        left |= question.every > 1  # powers are exact
        found = _by_doubles(question, backward, forward, ~left, arithmetic)
        numbers[:, [place_of[name] for name in found]] = np.column_stack([*found.values()])
        decided = ~left & np.all([~np.isnan(values) for values in found.values()], axis=0)
    how = [BY_DOUBLES if sure else EXACTLY for sure in decided.tolist()]
    errors: list[str | None] = [None] * len(chosen)
    for place in range(len(chosen)) if question.by_worst_case else np.flatnonzero(~decided).tolist():
        row, how[place], errors[place] = _exactly(question, chunk, int(chosen[place]), how[place])
        numbers[place, [place_of[name] for name in row]] = [*row.values()]
        if how[place] == NOT_AT_ALL:
            numbers[place] = nan
    if question.converted.converts:
        for name in _BUDGET_COLUMNS & {*names}:
            numbers[:, place_of[name]] = _half(numbers[:, place_of[name]], name)
    return numbers, how, errors


def _exactly(
    question: PopulationQuestion, chunk: UserChunk, index: int, how: str
) -> tuple[dict[str, float], str, str | None]:
    """Return the numbers of one user by exact methods, how their row is worked out, and what is wrong.

    Args: how, `BY_DOUBLES` where the paper's bound is decided already.
    """
    row: dict[str, float] = {}
    try:
        known = chunk.matrices(question.smoothing, index, question.every)
        if question.by_paper_bound and how != BY_DOUBLES:
            row = ExactUser.of(replace(question, model=PaperBound.name), known).row()
    except OracleError as wrong:
        return {}, how if how == BY_DOUBLES else NOT_AT_ALL, _why(wrong)
    if question.by_worst_case:
        try:
            worst = _worst_case(question, known)
        except OracleError as wrong:  # the paper's bound stands alone
            return row, how if question.by_paper_bound else NOT_AT_ALL, _why(wrong)
        numbers = (worst.attained.double_below(), worst.bound.double_above(), float(worst.time))
        row |= dict(zip(WORST_CASE_TPL.columns(), numbers, strict=True))
    return row, how, None


_BUDGET_COLUMNS = {name for budget in USER_BUDGETS for name in RowLevel(PaperBound.key, budget).columns()}


def _half(values: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    """Return half of doubles; of one that has none the next one on its side."""
    half = values / 2
    found: NDArray[np.float64] = np.where(half + half < values, np.nextafter(half, inf), half)
    return found if name.endswith("_upper") else half


@lru_cache(4)
def _asked(question: PopulationQuestion) -> AskedOfUsers:
    alpha = parse_level(question.alpha) if question.alpha else None
    return AskedOfUsers.of(question.levels(), question.level() if question.epsilon else None, alpha)


def _by_doubles(
    question: PopulationQuestion,
    backward: UserWeights | None,
    forward: UserWeights | None,
    usable: NDArray[np.bool_],
    arithmetic: str,
) -> NumberColumns:
    """Return the columns of the paper's bound of users with these weights, for whom that is usable.

    NaN where doubles do not decide.
    """
    if not usable.all():
        backward, forward = (
            None if part is None else np.where(usable[:, None, None], part, 1) for part in (backward, forward)
        )
    found = enclose(_asked(question), backward, forward, arithmetic)
    columns: NumberColumns = {}
    for name, worst in zip(KINDS_OF_LEAKAGE, found.worst, strict=False):
        own = RowLevel(PaperBound.key, name).columns()
        times = np.where(np.isnan(worst.level.upper), nan, worst.time)
        columns |= dict(zip(own, (worst.level.lower, worst.level.upper, times), strict=True))
    for name, bounds in (*zip(SUPREMA, found.suprema, strict=False), *zip(USER_BUDGETS, found.budgets, strict=False)):
        columns |= dict(zip(RowLevel(PaperBound.key, name).columns(), (bounds.lower, bounds.upper), strict=True))
    return columns


@dataclass(frozen=True, slots=True)
class ExactUser:
    """One user by exact methods: adversary, with the loss functions; worst_case, where it is asked for.

    levels: those of the paper's bound by name, budgets under replacement, none where it is not asked for;
    times: of the worst of them.
    """

    adversary: Adversary
    levels: dict[str, Level]
    times: dict[str, int]
    worst_case: WorstTpl | None

    @classmethod
    def of(cls, question: PopulationQuestion, known: Mapping[str, TransitionMatrix]) -> ExactUser:
        """Work out all that is asked. Args: known, matrices by role. Raises: Undecided."""
        losses = {matrix: loss_function_of(matrix) for matrix in known.values()}
        adversary = Adversary(*(losses[known[role]] if role in known else None for role in ROLES))
        levels: dict[str, Level] = {}
        times: dict[str, int] = {}
        if question.epsilons and question.by_paper_bound:
            own = leakage(question.levels(), adversary)
            for name, course in zip(KINDS_OF_LEAKAGE, (own.bpl, own.fpl, own.tpl), strict=True):
                levels[name] = maximum(dict(enumerate(course, 1))).level
                most = levels[name].double_above()
                times[name] = next(time for time, level in enumerate(course, 1) if level.double_above() == most)
        if question.epsilon:
            levels |= dict(zip(SUPREMA, suprema(question.level(), adversary), strict=True))
        if question.alpha:
            try:
                kept = budgets(parse_level(question.alpha), adversary)
                levels |= dict(zip(USER_BUDGETS, (kept.first, kept.middle, kept.last), strict=True))
            except InfeasibleBudget:
                levels |= dict.fromkeys(USER_BUDGETS, ZERO)  # none keeps it at all times
        return cls(adversary, levels, times, _worst_case(question, known) if question.by_worst_case else None)

    def row(self) -> dict[str, float]:
        """Return the numbers of the user's row by the paper's bound: the doubles next to each level."""
        row: dict[str, float] = {f"{PaperBound.key}_{name}_time": time for name, time in self.times.items()}
        for name, level in self.levels.items():
            own = f"{PaperBound.key}_{name}"
            row |= {f"{own}_lower": level.double_below(), f"{own}_upper": level.double_above()}
        return row


def _worst_case(question: PopulationQuestion, known: Mapping[str, TransitionMatrix]) -> WorstTpl:
    return worst_tight_tpl(question.levels(), known.get("backward"), known.get("forward"))


def _why(wrong: OracleError) -> str:
    return f"{wrong.name}: {wrong}"


def _table(users: Sequence[str], columns: NumberColumns, how: list[str], errors: list[str | None]) -> Any:
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
