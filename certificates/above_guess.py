"""Guesses of B, in doubles: which x the check from above tries. Nothing rests on them."""

from __future__ import annotations

from math import inf

import numpy as np

from .above_doubles import SCALED_EVERY, CheckedSide, Doubles, Indices

GUESS_TURNS = 60
"""Steps of Newton's method to a guess; most guesses take five."""

NOISE = 2.0**-50
"""What is left of a step of Newton's method where doubles have no digit of it."""


def guessed(
    side: CheckedSide,
    times: Indices,
    ends: Indices,
    pairs: Indices,
    x: Doubles,
    *,
    margin: float,
    from_below: bool = False,
) -> Doubles:
    """Return about the least x with W ≤ 0, by Newton's method from x. Nothing rests on it.

    Args: margin, a relative error; from_below, whether what lies beyond the end is left out.
    """
    last = side.growth if from_below else side.outward
    x, left = x.copy(), np.arange(len(x))
    above, hurry = np.full(len(x), inf), np.ones(len(x))
    for _ in range(GUESS_TURNS):
        rise = _rise(side, times[left] - 1, ends[left], pairs[left], x[left], last=last)
        is_over = rise < 0
        above[left[is_over]] = x[left[is_over]]
        hurry[left] = np.where(is_over, 1, 2 * hurry[left])  # many releases give way one by one: go ahead of them
        ahead = x[left] + np.where(is_over, rise, rise * hurry[left] / 2)
        x[left] = np.where(ahead < above[left], ahead, (x[left] + above[left]) / 2)
        left = left[np.abs(rise) > x[left] * margin / 16 + NOISE]
        if not len(left):
            break
    return np.maximum(x, 0)


def _rise(side: CheckedSide, release: Indices, ends: Indices, pairs: Indices, x: Doubles, *, last: Doubles) -> Doubles:
    found, rows, step = np.zeros(len(x)), np.arange(len(x)), 0
    v = side.matrices[side.which[release], pairs[:, 1]]
    c = side.matrices[side.which[release], pairs[:, 0]] - (1 + x[:, None]) * v
    while True:
        is_last = release == ends
        growth = np.minimum(np.where(is_last, last[release], side.growth[release]), 1e15)
        factor = 1 + growth[:, None] * (c > 0)
        c, v = c * factor, v * factor
        found[rows[is_last]] = c[is_last].sum(axis=1) / v[is_last].sum(axis=1)
        if is_last.any():
            c, v, rows, release, ends = c[~is_last], v[~is_last], rows[~is_last], release[~is_last], ends[~is_last]
        if not len(rows):
            return found
        release, step = release - 1, step + 1
        c, v = side.times(c, release), side.times(v, release)
        if step % SCALED_EVERY == 0:
            size = v.sum(axis=1)[:, None]
            c, v = c / size, v / size
