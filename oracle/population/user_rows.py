"""The rows of a chunk of users: enclosures by the compiled kernel, and by exact methods where it does not decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checked import greatest_worst_case_tpl
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
    Undecided,
    budgets,
    leakage,
    maximum,
    parse_level,
)
from ..reference.errors import Refuted
from ..solvers.batch.enclosures import AskedOfUsers, enclose
from ..solvers.floats import Doubles
from ..solvers.worst_case.worst import WorstTpl
from ..unchecked import forget, unchecked
from .in_balls import worst_in_balls
from .question import PopulationQuestion, UserChunk

KINDS_OF_LEAKAGE = ("bpl", "fpl", "tpl")
SUPREMA = tuple(f"{kind}_supremum" for kind in KINDS_OF_LEAKAGE)
BUDGET = "budget"
USER_BUDGETS = (f"{BUDGET}_first", BUDGET, f"{BUDGET}_last")

AT_ONCE = 1024
"""Users given to the kernel together; more take more memory."""

MOST_KNOWN = 1 << 17
"""Rows that a process remembers for equal users of later chunks, half a kilobyte each, before it forgets them all."""

NEAR = Fraction(1, 2**40)
"""Relative distance to the worst excess within which a time is compared exactly; a smaller one costs precision."""

BY_DOUBLES, EXACTLY, NOT_AT_ALL = "doubles", "exact", "refused"
"""How a user's row was computed: the paper's bound in it, or where that is not asked for the exact worst case."""


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
    """Return the levels that a row has: that of the exact worst case first, then in the order of the kernel."""
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


NumbersOf = dict[str, float]
"""Numbers by the name of their column."""


@dataclass(frozen=True, slots=True)
class UserRow:
    """A user's row: the numbers of the columns, NaN for none, how they were computed, and what is wrong."""

    numbers: Doubles
    how: str
    error: str | None = None


_known: dict[bytes, UserRow] = {}
"""Rows by kind, until they are too many."""


def rows_of(question: PopulationQuestion, chunk: UserChunk) -> list[UserRow]:
    """Return the rows of the users of a chunk.

    Each level is enclosed by the two doubles next to it. A user of whom nothing can be said has a row too, with the
    error's name and no numbers; so has one whose exact worst case is not decided, with those of the paper's bound.
    Users with equal correlations, also of earlier chunks, are computed once.
    """
    kinds, first, of_user = chunk.kinds(question)
    rows = {kind: _known.get(kind) for kind in kinds}
    new = [place for place, kind in enumerate(kinds) if rows[kind] is None]
    for start in range(0, len(new), AT_ONCE):
        together = new[start : start + AT_ONCE]
        found = dict(zip([kinds[place] for place in together], _rows(question, chunk, first[together]), strict=True))
        if len(_known) + len(found) > MOST_KNOWN:
            _known.clear()
        _known.update(found)
        rows |= found
    of_kind = [row for row in rows.values() if row is not None]
    return [of_kind[kind] for kind in of_user.tolist()]


def _rows(question: PopulationQuestion, chunk: UserChunk, chosen: NDArray[np.int64]) -> Iterator[UserRow]:
    """Yield the rows of some users of a chunk."""
    numbers = np.full((len(chosen), len(column_names(question))), nan)
    start = len(WORST_CASE_TPL.columns()) if question.by_worst_case else 0
    decided = np.zeros(len(chosen), dtype=bool)
    if question.by_paper_bound and question.every == 1:  # powers of matrices are exact
        backward, forward, usable = chunk.weights(question.smoothing, chosen)
        if usable.any():
            if not usable.all():
                backward, forward = backward[usable], forward[usable]
            is_asked = np.repeat([bool(question.epsilons), bool(question.epsilon), bool(question.alpha)], [9, 6, 6])
            numbers[usable, start:] = enclose(_asked(question), backward, forward)[:, is_asked]
            numbers = _converted(question, numbers)
        decided = usable & ~np.isnan(numbers[:, start:]).any(axis=1)
    for index, own, by_kernel in zip(chosen.tolist(), numbers, decided.tolist(), strict=True):
        if by_kernel and not question.by_worst_case:
            yield UserRow(own, BY_DOUBLES)
        else:
            yield exact_row(question, chunk, index, own if by_kernel else None)


def exact_row(
    question: PopulationQuestion,
    chunk: UserChunk,
    index: int,
    by_kernel: Doubles | None = None,
    *,
    in_balls: bool = True,
) -> UserRow:
    """Return the row of one user by exact methods.

    Args: by_kernel, its numbers where the paper's bound is known; in_balls, whether these may decide the recursion.
    Raises: Refuted.
    """
    names = column_names(question)
    how = EXACTLY if by_kernel is None else BY_DOUBLES
    row: NumbersOf = {}
    error = None
    try:
        known = chunk.matrices(question.smoothing, index, question.every)
        if question.by_paper_bound and by_kernel is None:
            row = _by_paper_bound(question, known, in_balls)
    except Refuted:
        raise
    except OracleError as wrong:
        how, error = NOT_AT_ALL, _why(wrong)
    if question.by_worst_case and error is None:
        try:
            worst = _worst_case(question, known)
            numbers = (worst.attained.double_below(), worst.bound.double_above(), float(worst.time))
            row |= dict(zip(WORST_CASE_TPL.columns(), numbers, strict=True))
        except Refuted:
            raise
        except OracleError as wrong:  # the paper's bound stands alone
            how, error = how if question.by_paper_bound else NOT_AT_ALL, _why(wrong)
    exact = _converted(question, np.array([row.get(name, nan) for name in names]))
    return UserRow(exact if by_kernel is None else np.where(np.isnan(by_kernel), exact, by_kernel), how, error)


def _by_paper_bound(question: PopulationQuestion, known: Mapping[str, TransitionMatrix], in_balls: bool) -> NumbersOf:
    question = replace(question, model=PaperBound.name)
    if in_balls and question.epsilons:
        user = ExactUser.of(replace(question, epsilons=()), known)
        if (found := worst_in_balls(question.levels(), user.adversary)) is not None:
            levels = (RowLevel(PaperBound.key, kind) for kind in KINDS_OF_LEAKAGE)
            worst = (zip(own.columns(), numbers, strict=True) for own, numbers in zip(levels, found, strict=True))
            return user.row() | dict(chain.from_iterable(worst))
    return ExactUser.of(question, known).row()


def _converted(question: PopulationQuestion, numbers: Doubles) -> Doubles:
    """Return numbers with budgets as the question has them: for add-remove half, the next double where none is half."""
    if not question.converted.converts:
        return numbers
    numbers = numbers.copy()
    for place, name in enumerate(column_names(question)):
        if name.startswith(f"{PaperBound.key}_{BUDGET}"):
            values = numbers[..., place]
            half = values / 2
            is_less = name.endswith("_upper") & (half + half < values)
            numbers[..., place] = np.where(is_less, np.nextafter(half, inf), half)
    return numbers


@lru_cache(4)
def _asked(question: PopulationQuestion) -> AskedOfUsers:
    alpha = parse_level(question.alpha) if question.alpha else None
    return AskedOfUsers.of(question.levels(), question.level() if question.epsilon else None, alpha)


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
        """Compute all that is asked. Args: known, matrices by role. Raises: Undecided."""
        losses = {matrix: loss_function_of(matrix) for matrix in known.values()}
        adversary = Adversary(*(losses[known[role]] if role in known else None for role in ROLES))
        levels: dict[str, Level] = {}
        times: dict[str, int] = {}
        if question.epsilons and question.by_paper_bound:
            own = leakage(question.levels(), adversary)
            for name, course in zip(KINDS_OF_LEAKAGE, (own.bpl, own.fpl, own.tpl), strict=True):
                levels[name] = maximum(dict(enumerate(course, 1))).level
                times[name] = _first_time(course, levels[name])
        if question.epsilon:
            levels |= dict(zip(SUPREMA, suprema(question.level(), adversary), strict=True))
        if question.alpha:
            try:
                kept = budgets(parse_level(question.alpha), adversary)
                levels |= dict(zip(USER_BUDGETS, (kept.first, kept.middle, kept.last), strict=True))
            except InfeasibleBudget:
                levels |= dict.fromkeys(USER_BUDGETS, ZERO)  # none keeps it at all times
        return cls(adversary, levels, times, _worst_case(question, known) if question.by_worst_case else None)

    def row(self) -> NumbersOf:
        """Return the numbers of the user's row by the paper's bound: the doubles next to each level."""
        row: NumbersOf = {f"{PaperBound.key}_{name}_time": time for name, time in self.times.items()}
        for name, level in self.levels.items():
            own = f"{PaperBound.key}_{name}"
            row |= {f"{own}_lower": level.double_below(), f"{own}_upper": level.double_above()}
        return row


def _first_time(course: Sequence[Level], worst: Level) -> int:
    """Return the first time at which a level is above the double below the worst one."""
    above, least = worst.double_above(), worst.excess_bounds()[0]
    near = (time for time, level in enumerate(course, 1) if level.excess_bounds()[1] >= least * (1 - NEAR))
    return next(time for time in near if course[time - 1].double_above() == above)


def _worst_case(question: PopulationQuestion, known: Mapping[str, TransitionMatrix]) -> WorstTpl:
    """Return the greatest TPL of a user, proved. Raises: Refuted; Undecided also where the check has no answer."""
    forget()
    found = greatest_worst_case_tpl(question.levels(), known.get("backward"), known.get("forward"))
    for reason in unchecked():
        raise Undecided(f"the exact worst case is not checked: {reason}")
    return found


def _why(wrong: OracleError) -> str:
    return f"{wrong.name}: {wrong}"


def table_of(names: Sequence[str], users: Sequence[str], rows: Sequence[UserRow]) -> Any:
    """Return the rows as an Arrow table; a number that is none is null."""
    arrow = needed("pyarrow", "a population")
    made = {"user": arrow.array(users, arrow.string())}
    numbers = np.array([row.numbers for row in rows]).reshape(-1, len(names))
    for name, values in zip(names, numbers.T, strict=True):
        kind = arrow.int32() if name.endswith("_time") else arrow.float64()
        none = np.isnan(values)
        made[name] = arrow.array(np.where(none, 0, values), mask=none).cast(kind)
    made["method"] = arrow.array([row.how for row in rows], arrow.string())
    made["error"] = arrow.array([row.error for row in rows], arrow.string())
    return arrow.table(made)


def row_in(table: Any, row: int) -> UserRow:
    """Return one row of a table as `_table` makes it."""
    own = table.slice(row, 1).to_pylist()[0]
    how, error = own["method"], own["error"]
    numbers = [nan if own[name] is None else own[name] for name in own if name not in ("user", "method", "error")]
    return UserRow(np.array(numbers, dtype=np.float64), how, error)
