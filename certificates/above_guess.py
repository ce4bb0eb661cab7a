"""Guesses in doubles: which x the check from above tries for B, at which points it bounds functions, by which lines.

Nothing rests on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import inf

import numpy as np

from .above_doubles import SCALED_EVERY, CheckedSide, Doubles, Indices, between

GUESS_TURNS = 60
"""Steps of Newton's method to a guess; most guesses take five."""

CLAIM_TURNS = 12
"""Steps to a guess that is claimed of farther releases too; most guesses take four."""

NOISE = 2.0**-50
"""What is left of a step of Newton's method where doubles have no digit of it."""


MERGED = 1e-12
"""Points that differ by less than this part of them are one: more would only cost time."""

MOST_POINTS = 1 << 13
"""Points of a grid; with more, doubles prove nothing."""

AS_DENSE = 1 << 4
"""Releases of different φ that have as many points as are asked for; of fewer there are more."""

LEAST_SPACED, MOST_CLOSER = 1e11, 1.2
"""Points of different φ are no closer than at so many times the least one; parts of a scale grow by such a part."""

LINE_PART, MORE_LINES = 2e-4, 12
"""Part of a value by which it may be below its chords before a line is added; lines added for each column."""

OfPhi = tuple[Doubles, Doubles, float]
"""Kinks of a φ, φ there, and where it comes to 1."""


def guessed(
    side: CheckedSide,
    times: Indices,
    ends: Indices,
    pairs: Indices,
    x: Doubles,
    *,
    margin: float,
    from_below: bool = False,
    claims: Doubles | None = None,
) -> Doubles:
    """Return about the least x with W ≤ 0, by Newton's method from x. Nothing rests on it.

    Args: margin, a relative error; from_below, whether what lies beyond the end is left out; claims, of it, by pairs.
    """
    last = side.growth if from_below else side.outward
    x, left = x.copy(), np.arange(len(x))
    above, hurry = np.full(len(x), inf), np.ones(len(x))
    for _ in range(GUESS_TURNS):
        rise = _rise(side, times[left] - 1, ends[left], pairs[left], x[left], last=last, claims=claims)
        is_over = rise < 0
        above[left[is_over]] = x[left[is_over]]
        hurry[left] = np.where(is_over, 1, 2 * hurry[left])  # many releases give way one by one: go ahead of them
        ahead = x[left] + np.where(is_over, rise, rise * hurry[left] / 2)
        x[left] = np.where(ahead < above[left], ahead, (x[left] + above[left]) / 2)
        left = left[np.abs(rise) > x[left] * margin / 16 + NOISE]
        if not len(left):
            break
    return np.maximum(x, 0)


def guessed_together(
    side: CheckedSide,
    time: int,
    depth: int,
    pairs: Indices,
    claimed: Callable[[Doubles], Doubles],
    *,
    margin: float,
) -> Doubles:
    """Return about the least x of each pair where x of all pairs are claimed of what lies beyond the end."""
    x, (at, end) = np.zeros(len(pairs)), np.full((2, len(pairs)), [[time], [time - depth]])
    for _ in range(CLAIM_TURNS):
        first = guessed(side, at, end, pairs, x, margin=margin, claims=claimed(x))
        if (abs(first - x) <= margin / 16 * first + NOISE).all():
            break
        second = guessed(side, at, end, pairs, first, margin=margin, claims=claimed(first))
        rise, slowed = first - x, 2 * first - x - second
        ahead = x + rise**2 / np.where(slowed == 0, inf, slowed)  # where a geometric sequence of the three ends
        x = np.where((ahead > second) & (ahead < inf), ahead, second)
    return first


def _rise(
    side: CheckedSide,
    release: Indices,
    ends: Indices,
    pairs: Indices,
    x: Doubles,
    *,
    last: Doubles,
    claims: Doubles | None,
) -> Doubles:
    found, rows, step = np.zeros(len(x)), np.arange(len(x)), 0
    v = side.matrices[side.which[release], pairs[:, 1]]
    c = side.matrices[side.which[release], pairs[:, 0]] - (1 + x[:, None]) * v
    while True:
        is_last = release == ends
        growth = np.where(is_last, last[release], side.growth[release])[:, None]
        if claims is not None and is_last.any():
            growth = np.where(is_last[:, None], between(c, claims), growth)
        factor = 1 + np.minimum(growth, 1e15) * (c > 0)
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


def guessed_points(
    sides: Sequence[Sequence[OfPhi]], releases: int, least: float, others: tuple[float, ...], shared: int
) -> Doubles:
    """Return points on which functions are bounded: the kinks of the φ, and what these lead to them.

    Args: sides, of φ outward, the last one of all farther releases; releases, within which they do; least, the least
    point above 0; others, points to be added, with all that one φ leads them to, and to them; shared, how many there
    are of different φ, whose orbits have no end, about. Returns: more than `MOST_POINTS` where there are too many.
    """
    ends = [*{id(own): own for phis in sides for own in phis}.values()]
    kinks, tops = np.concatenate([u for u, *_ in ends]), [top for *_, top in ends]
    merged: Callable[[Doubles], Doubles] = partial(_merged, kept=tops)
    if len(ends) > 1:
        shared *= max(1, AS_DENSE // max(releases, 1))
        kinks = np.append(kinks, [y[0] for _, y, _ in ends])
        merged = _Parts(LEAST_SPACED * least, shared, kinks if 4 * len(kinks) < shared else np.array(tops)).merged
    elif others:
        kinks = np.append(kinks, np.concatenate([*_whole_orbits(np.array(others), *ends[0], least)]))
    points = merged(kinks)
    for depth in range(1, releases + 2):
        own = {id(phi): phi for phi in (phis[min(depth, len(phis) - 1)] for phis in sides)}
        back = [np.interp(points[points > y[0]], y, u) for u, y, _ in own.values()]
        found = merged(np.concatenate([points, *(each[each > least] for each in back)]))
        if len(found) > MOST_POINTS or (len(ends) == 1 and len(found) == len(points)):
            return found
        points = found
    return points


def _whole_orbits(start: Doubles, kinks: Doubles, values: Doubles, top: float, least: float) -> Iterator[Doubles]:
    for u, y in ((kinks, values), (values, kinks)):
        own = start
        for _ in range(MOST_POINTS // max(1, len(start))):
            yield own
            own = np.interp(own[own > u[0]], u, y)
            own = own[(own > least) & (own < top)]
            if not len(own):
                break


def _merged(points: Doubles, kept: list[float]) -> Doubles:
    """Return points in order, of those that hardly differ the first, and those to be kept."""
    points = np.unique(points)
    return np.unique(np.append(points[np.append(True, np.diff(points) > points[:-1] * MERGED)], kept))


class _Parts:
    """Parts of a scale, each of which has one point at most, besides those to be kept."""

    def __init__(self, unit: float, most: int, kept: Doubles) -> None:
        self._unit, self._most, self._kept, self._size = unit, max(most, 2 * len(kept)), kept, MERGED

    def merged(self, points: Doubles) -> Doubles:
        """Return points in order, of each part the first; parts grow until there are few enough."""
        while True:
            _, first = np.unique(np.floor(np.log1p(points / self._unit) / self._size), return_index=True)
            points = points[first]
            if len(points) <= self._most:
                return np.unique(np.append(points, self._kept))
            self._size *= max(MOST_CLOSER, len(points) / self._most)


def missing_lines(slopes: Doubles, table: Doubles, delta: float) -> Doubles:
    """Return slopes between others at which a convex function may be farthest below its chords, of each column."""
    s, c = slopes[:, None], table
    with np.errstate(all="ignore"):
        k = np.diff(c, axis=0) / np.diff(s, axis=0)
        left, right = c[1:-2] - k[:-2] * s[1:-2], c[2:-1] - k[2:] * s[2:-1]
        at = (right - left) / (k[:-2] - k[2:])
        chord = c[1:-2] + k[1:-1] * (at - s[1:-2])
        part = (chord - left - k[:-2] * at) / np.maximum(chord, 0.01 * delta)
    is_new = (at > s[1:-2] * (1 + 1e-10)) & (at < s[2:-1] * (1 - 1e-10)) & (part > LINE_PART)
    part = np.where(is_new, part, 0)
    pick = np.argsort(-part, axis=0)[:MORE_LINES]
    found: Doubles = np.unique(np.take_along_axis(at, pick, axis=0)[np.take_along_axis(part, pick, axis=0) > 0])
    return found


def sharp_kinks(u: Doubles, slopes: Doubles, starts: Doubles, most: int, least: float) -> Doubles:
    """Return kinks of the least of lines that cost most for where they are, between points u, and at least so much."""
    used = np.unique((starts[:, None] + slopes[:, None] * u).argmin(axis=0))
    used = used[np.argsort(slopes[used])]
    bend = np.diff(slopes[used])
    kinks = -np.diff(starts[used]) / bend
    right = np.clip(np.searchsorted(u, kinks), 1, len(u) - 1)
    cost = bend * (kinks - u[right - 1]) * (u[right] - kinks) / (u[right] - u[right - 1])
    sharp = np.argsort(-cost / kinks)[:most]
    found: Doubles = kinks[sharp[cost[sharp] > least]]
    return found
