"""The check from above: users computed again by exact methods, which share no code with the kernel.

A row says the doubles next to each level, so there is one right row for each user, and any difference is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf, isnan, nan, nextafter
from random import Random

import numpy as np
from flint import arb, ctx, fmpq

from ..models.paper_bound import PaperBound
from ..reference import Adversary, Level, LossFunction, OracleError, Undecided
from ..reference.errors import Refuted
from .parts import sealed
from .question import PopulationQuestion, UserChunk
from .user_rows import (
    KINDS_OF_LEAKAGE,
    ExactUser,
    RowLevel,
    UserRow,
    column_names,
    converted,
    exact_row,
    rows_of,
    table_of,
)

CHECKED_OF = 1000
"""One user in `CHECKED_OF` of a part, and at least one, is computed again: some 15 ms for 17 states."""

BALL_BITS = 128
"""Bits of the balls; with less, doubles close to a level would leave more users to the slower exact methods."""


def answer(question: PopulationQuestion, chunk: UserChunk, digest: str) -> bytes:
    """Answer for the users of a chunk: the Parquet file of their rows, the same bytes wherever it is made.

    Args: digest, of the part. Raises: Refuted.
    """
    rows = rows_of(question, chunk)
    check_some(question, chunk, rows, digest)
    return sealed(table_of(column_names(question), chunk.users, rows), digest)


def check_some(question: PopulationQuestion, chunk: UserChunk, rows: Sequence[UserRow], digest: str) -> None:
    """Compute one user in `CHECKED_OF`, and at least one, again. Args: digest, of the part, which draws them.

    Where the exact methods do not decide a user, the next one is drawn. Raises: Refuted.
    """
    left = max(1, len(rows) // CHECKED_OF)
    for index in Random(digest).sample(range(len(rows)), len(rows)):
        left -= check_row(question, chunk, index, rows[index])
        if not left:
            return


def check_row(question: PopulationQuestion, chunk: UserChunk, index: int, row: UserRow) -> bool:
    """Raise Refuted unless a user's row is what exact methods say; return whether these decide it."""
    exact = _row_by_balls(question, chunk, index) or exact_row(question, chunk, index)
    if exact.error is not None and exact.error.startswith(Undecided.__name__):
        return False
    user = chunk.users[index]
    if row.error != exact.error:
        raise Refuted(f"user {user}: {row.error or 'no error'}, by exact methods: {exact.error or 'no error'}")
    for name, found, truth in zip(column_names(question), row.numbers.tolist(), exact.numbers.tolist(), strict=True):
        if found != truth and not isnan(found) & isnan(truth):
            raise Refuted(f"user {user}: {name} is {found!r}, by exact methods {truth!r}")
    return True


def _row_by_balls(question: PopulationQuestion, chunk: UserChunk, index: int) -> UserRow | None:
    """Return a user's row by the paper's bound; None where balls do not decide it, and where more is asked."""
    if question.by_worst_case or not question.epsilons:
        return None
    try:
        known = chunk.matrices(question.smoothing, index, question.every)
        user = ExactUser.of(replace(question, epsilons=()), known)
    except OracleError:
        return None
    worst = worst_by_balls(question.levels(), user.adversary)
    if worst is None:
        return None
    row = user.row() | worst
    numbers = np.array([row.get(name, nan) for name in column_names(question)])
    return UserRow(converted(question, numbers), "")


def worst_by_balls(epsilons: Sequence[Level], adversary: Adversary) -> dict[str, float] | None:
    """Return the numbers of the worst BPL, FPL and TPL by column, [eq:bpl_f, eq:fpl_f, eq:tpl_comp1].

    None where balls do not decide them. Without breakpoints: the loss function is the maximum over all its pieces.
    """
    before, ctx.prec = ctx.prec, BALL_BITS
    try:
        known = {id(epsilon): _ball(*epsilon.excess_bounds(BALL_BITS)) for epsilon in epsilons}
        excesses = [known[id(epsilon)] for epsilon in epsilons]
        bpl, _ = _rising(excesses, adversary.backward)
        fpl, later = (part[::-1] for part in _rising(excesses[::-1], adversary.forward))
        tpl = [own + more + own * more for own, more in zip(bpl, later, strict=True)]
        found: dict[str, float] = {}
        for name, course in zip(KINDS_OF_LEAKAGE, (bpl, fpl, tpl), strict=True):
            worst = _worst([excess.log1p() for excess in course])
            if worst is None:
                return None
            found |= dict(zip(RowLevel(PaperBound.key, name).columns(), worst, strict=True))
        return found
    finally:
        ctx.prec = before


def _ball(low: Fraction, high: Fraction) -> arb:
    ball: arb = arb(fmpq(low.numerator, low.denominator)).union(arb(fmpq(high.numerator, high.denominator)))
    return ball


def _rising(excesses: Sequence[arb], loss: LossFunction | None) -> tuple[list[arb], list[arb]]:
    """Return the excess of the leakage at each time, and what of it is of the times before."""
    points = [] if loss is None else [(_ball(p.q - p.d, p.q - p.d), _ball(p.d, p.d)) for p in loss.pieces]
    own, before = [], [arb(0)]
    for excess in excesses:
        own.append(before[-1] + excess + before[-1] * excess)
        gained = arb(0)
        for gap, d in points:
            gained = gained.max(gap * own[-1] / (d * own[-1] + 1))
        before.append(gained)
    return own, before[:-1]


def _worst(levels: Sequence[arb]) -> tuple[float, float, float] | None:
    """Return the doubles next to the greatest level, and the first time above the lower one; None if undecided."""
    near = max(float(level.mid()) for level in levels)
    best = max(levels, key=lambda level: level.mid())
    lower, upper = (nextafter(near, -inf), near) if best < near else (near, nextafter(near, inf))
    if not lower < best < upper or not all(level < upper for level in levels):
        return None
    time = next(time for time, level in enumerate(levels, 1) if not level < lower)
    return (lower, upper, float(time)) if levels[time - 1] > lower else None
