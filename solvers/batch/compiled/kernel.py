"""The kernel: loss functions, leakage, suprema and budgets of users given by counts, one after the other."""

from __future__ import annotations

import numpy as np

from ...floats import Doubles
from .compiling import compile_kernel, strict
from .courses import COMPILED_STEP_ERROR, both_sides, fill_pieces, follow, worst
from .limits import bound, greatest_budget, level_bounds_between, total
from .vertices import IDENTITY, MOST_FRAMES, MOST_RULING, UNSURE, find_points

COLUMNS = 21
"""Lower, upper and time of BPL, FPL and TPL; lower and upper of their suprema, and of the budgets."""


@strict
def _note_exact(past: int, future: int, before: Doubles, nexts: Doubles, exact: Doubles) -> None:
    """Fill in the doubles of the levels that are those of budgets or of sums of budgets: of BPL, FPL and TPL.

    Args: nexts, shape (3, T, 2), the doubles next to each budget, and to the sums up to it and from it on.
    """
    last = before.shape[0] - 1
    exact[:] = np.nan
    for t in range(last + 1):
        if past == IDENTITY:
            exact[0, t] = nexts[1, t]
        elif before[t, 0] == 0.0:
            exact[0, t] = nexts[0, t]
        if future == IDENTITY:
            exact[1, t] = nexts[2, t]
        elif before[t, 2] == 0.0:
            exact[1, t] = nexts[0, t]
        if before[t, 2] == 0.0:
            exact[2, t] = exact[0, t]
        elif before[t, 0] == 0.0:
            exact[2, t] = exact[1, t]
        elif past == IDENTITY and future == IDENTITY:
            exact[2, t] = nexts[1, last]


def _answer(
    backward: Doubles, forward: Doubles, budgets: Doubles, nexts: Doubles, epsilon: Doubles, alpha: Doubles,
    found: Doubles,
) -> None:  # fmt: skip
    """Fill in the numbers of users, shape (users, `COLUMNS`): NaN where they are not decided.

    Args: backward, forward, whole numbers, shape (users, n, n), no row empty and its sum below 2^26; budgets, shape
    (T, 4), perhaps T = 0: the excess of each and 1 more, as pairs; nexts, as in `_note_exact`; epsilon and alpha,
    the excess as a pair and the doubles next to the level, NaN where it is not asked for.
    """
    users, n, releases = len(backward), backward.shape[1], len(budgets)
    most = max(n * n, 1)
    sums, rows = np.empty(n), np.zeros((n, (n + 7) // 8 * 8))
    pairs, sticks = np.empty((MOST_FRAMES, most), np.int64), np.empty(most)
    left, right = np.empty((MOST_FRAMES, most)), np.empty((MOST_FRAMES, most))
    points, following = np.empty((MOST_RULING, 4)), np.empty(MOST_RULING, np.int64)
    past, future = np.empty((MOST_RULING, 5)), np.empty((MOST_RULING, 5))
    own, before, both = np.empty((releases, 4)), np.empty((releases, 4)), np.empty((releases, 2))
    exact, own_budgets, ends = np.empty((3, releases, 2)), np.empty(6), np.empty((2, 3, 2))
    for user in range(users):
        row = found[user]
        row[:] = np.nan
        b, b_error = find_points(backward[user], sums, rows, pairs, left, right, sticks, points, following)
        fill_pieces(points, following, b, past)
        f, f_error = find_points(forward[user], sums, rows, pairs, left, right, sticks, points, following)
        fill_pieces(points, following, f, future)
        if b == UNSURE or f == UNSURE:
            continue
        if releases:
            follow(past, b, future, f, budgets, own, before)
            both_sides(own, before, both)
            _note_exact(b, f, before, nexts, exact)
            b_all, f_all = (
                (releases + 1) * (COMPILED_STEP_ERROR + b_error),
                (releases + 1) * (COMPILED_STEP_ERROR + f_error),
            )
            row[0], row[1], row[2] = worst(own, 0, exact[0], b_all)
            row[3], row[4], row[5] = worst(own, 2, exact[1], f_all)
            row[6], row[7], row[8] = worst(both, 0, exact[2], b_all + f_all)
        if epsilon[0] == epsilon[0]:
            for side in range(2):
                x, x_low = bound(past, b, b_error, epsilon[0], epsilon[1], side == 1)
                z, z_low = bound(future, f, f_error, epsilon[0], epsilon[1], side == 1)
                ends[side, 0], ends[side, 1] = (x, x_low), (z, z_low)
                ends[side, 2] = total(x, x_low, z, z_low, epsilon[0], epsilon[1])
            for i in range(3):
                low, high = ends[0, i], ends[1, i]
                row[9 + 2 * i], row[10 + 2 * i] = level_bounds_between(
                    low[0], low[1], high[0], high[1], COMPILED_STEP_ERROR
                )
            if b == 0:
                row[9], row[10] = epsilon[2], epsilon[3]
            if f == 0:
                row[11], row[12] = epsilon[2], epsilon[3]
            if b == 0 and f == 0:
                row[13], row[14] = epsilon[2], epsilon[3]
        if alpha[0] == alpha[0]:
            greatest_budget(past, b, b_error, future, f, f_error, alpha[0], alpha[1], own_budgets)
            row[15:21] = own_budgets
            if f == 0 and b != IDENTITY:  # all of the level is for the past
                row[15], row[16] = alpha[2], alpha[3]
            if b == 0 and f != IDENTITY:
                row[19], row[20] = alpha[2], alpha[3]
            if b == 0 and f == 0:
                row[17], row[18] = alpha[2], alpha[3]


_MATRICES, _ARRAY = "float64[:,:,::1]", "float64[:,::1]"
answer_users = compile_kernel(
    _answer, f"void({_MATRICES},{_MATRICES},{_ARRAY},{_MATRICES},float64[::1],float64[::1],{_ARRAY})"
)
"""`_answer`, compiled."""
