"""The check from above: users computed again by exact methods, which share no code with the kernel.

A row says the doubles next to each level, so there is one right row for each user, and any difference is an error. Of
all users is looked at whether a level is below another one that it never is below: TPL below BPL or FPL, and suprema
below the levels of releases that all have that budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from random import Random

import numpy as np

from ..models.paper_bound import PaperBound
from ..reference import Undecided
from ..reference.errors import Refuted
from .parts import sealed
from .question import PopulationQuestion, UserChunk
from .user_rows import (
    BY_DOUBLES,
    KINDS_OF_LEAKAGE,
    SUPREMA,
    UserRow,
    column_names,
    exact_row,
    row_levels,
    rows_of,
    table_of,
)

CHECKED_OF = 1000
"""One user in `CHECKED_OF` of a part, and at least one, is computed again: 18 ms for 17 states and 100 releases."""


def answer(question: PopulationQuestion, chunk: UserChunk, digest: str) -> bytes:
    """Answer for the users of a chunk: the Parquet file of their rows, the same bytes wherever it is made.

    Args: digest, of the part. Raises: Refuted.
    """
    rows = rows_of(question, chunk)
    check_order(question, chunk, rows)
    check_some(question, chunk, rows, digest)
    return sealed(table_of(column_names(question), chunk.users, rows), digest)


def check_order(question: PopulationQuestion, chunk: UserChunk, rows: Sequence[UserRow]) -> None:
    """Raise Refuted for a user of whom a level by the paper's bound is below one that it never is below."""
    places = {name: place for place, name in enumerate(column_names(question))}
    known = {level.name: level.column for level in row_levels(question) if level.model == PaperBound.key}
    order = [(names[-1], name) for names in (KINDS_OF_LEAKAGE, SUPREMA) for name in names[:-1]]
    if {*question.epsilons} == {question.epsilon}:  # then no release has more than the supremum is of
        order += zip(SUPREMA, KINDS_OF_LEAKAGE, strict=True)
    numbers = np.array([row.numbers for row in rows])
    for more, less in order:
        if more in known and less in known:
            upper, lower = (
                numbers[:, places[f"{known[own]}_{end}"]] for own, end in ((more, "upper"), (less, "lower"))
            )
            if (upper < lower).any():
                raise Refuted(f"user {chunk.users[int((upper < lower).argmax())]}: {more} is below {less}")


def check_some(question: PopulationQuestion, chunk: UserChunk, rows: Sequence[UserRow], digest: str) -> None:
    """Compute one user in `CHECKED_OF`, and at least one, again. Args: digest, of the part, which draws them.

    Users whom the kernel answered are drawn before others. Where the exact methods do not decide a user, the next one
    is drawn. Raises: Refuted.
    """
    left = max(1, len(rows) // CHECKED_OF)
    drawn = Random(digest).sample(range(len(rows)), len(rows))
    for index in sorted(drawn, key=lambda index: rows[index].how != BY_DOUBLES):
        left -= check_row(question, chunk, index, rows[index])
        if not left:
            return


def check_row(question: PopulationQuestion, chunk: UserChunk, index: int, row: UserRow) -> bool:
    """Raise Refuted unless a user's row is what exact methods say; return whether these decide it."""
    exact = exact_row(question, chunk, index, in_balls=row.how == BY_DOUBLES)
    if exact.error is not None and exact.error.startswith(Undecided.__name__):
        return False
    user = chunk.users[index]
    if row.error != exact.error:
        raise Refuted(f"user {user}: {row.error or 'no error'}, by exact methods: {exact.error or 'no error'}")
    for name, found, truth in zip(column_names(question), row.numbers.tolist(), exact.numbers.tolist(), strict=True):
        if found != truth and not isnan(found) & isnan(truth):
            raise Refuted(f"user {user}: {name} is {found!r}, by exact methods {truth!r}")
    return True
