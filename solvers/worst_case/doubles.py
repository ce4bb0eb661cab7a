"""Sweeps in doubles, the one kernel of them; the exact worst case at all times of a stream at once by it.

What comes of them are guesses, of which none decides anything, and lower bounds of ratios.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ...reference.correlations import Row, TransitionMatrix
from ..floats import Doubles

MOST_ROUNDS = 200

NO_RISE = 1e-14
"""Sets are sought again until they raise a ratio by no greater part than this."""

LARGEST_IN_DOUBLES = 600.0
"""Budgets beyond this are taken for it: e^ε may be no double."""

OFTEN = 4
"""After so many releases it is seen which sweeps are over."""

LARGE_SUM = 1e10
"""Above this rows are divided by a power of 2, which loses nothing."""

MOST_PRODUCTS = 1 << 18
"""Products of entries in one product of matrices: of more, several threads would wait for each other."""

Indices = NDArray[np.int64]

Matrices = tuple[TransitionMatrix | None, TransitionMatrix | None]
"""P^B and P^F, as far as they are known."""


def all_pairs(known: Matrices) -> Indices:
    """Return all pairs of values that differ, each a row; none where there is no matrix."""
    n = max((matrix.n for matrix in known if matrix is not None), default=0)
    return np.array(list(permutations(range(n), 2)), dtype=np.int64).reshape(-1, 2)


def rows_in_doubles(rows: Sequence[Row]) -> Doubles:
    """Return the rows of a matrix in doubles."""
    found: Doubles = np.array([[float(entry) for entry in row] for row in rows])
    return found


def attained(
    first: tuple[Doubles, Doubles],
    ratio: Doubles,
    releases: Indices | int,
    growth: Callable[[int, Indices], Doubles | float],
    step: Callable[[int], Doubles],
    *,
    is_stochastic: bool = True,
) -> Doubles:
    """Return about what the sets attain that sweeps with λ = ratio take: Σu/Σv for u = P_j D P D … and v = P_k D P D ….

    D is e^ε on the set, where u > λ·v, and 1 elsewhere: all terms are nonnegative and keep their relative precision.
    Args: first, P_j and P_k, a row for each sweep, of λ = ratio; releases, over how many each goes, at least 1; growth,
    e^ε of a release, the nearest being 0, for some of the sweeps; step, the matrix to a release from the one before;
    is_stochastic, whether its rows sum to 1.
    """
    result = np.ones(len(ratio))
    left, ends = np.arange(len(ratio)), np.broadcast_to(releases, len(ratio))
    u, v = first
    release = 0
    while len(left):
        chosen = u > ratio[left, None] * v
        weight = np.where(chosen, growth(release, left), 1.0)
        u, v = u * weight, v * weight
        over = ends[left] == release + 1
        if is_stochastic and release % OFTEN == OFTEN - 1:
            over |= ~chosen.any(axis=1) | (chosen | (u + v == 0)).all(axis=1)
        if over.any():
            result[left[over]] = u[over].sum(axis=1) / v[over].sum(axis=1)
            number = int(over.sum())
            keep = slice(number, None) if over[:number].all() else ~over  # a slice copies nothing
            left, u, v = left[keep], u[keep], v[keep]
        release += 1
        if len(left):
            if v.max() > LARGE_SUM:
                exponent = np.frexp(v.sum(axis=1, keepdims=True))[1]
                u, v = np.ldexp(u, -exponent), np.ldexp(v, -exponent)
            u, v = u @ step(release), v @ step(release)
    return result


def risen(
    improved: Callable[[Indices, Doubles], Doubles], ratio: Doubles, most: int = MOST_ROUNDS, part: float = 0.0
) -> Doubles:
    """Return ratios that sets attain, sought again and again by sweeps with the λ of the last ones.

    Args: improved, what the sets attain that some sweeps take, with their λ; part, of an excess, which it must rise by.
    """
    ratio, rising = ratio.copy(), np.arange(len(ratio))
    for _ in range(most):
        before = ratio[rising]
        better = improved(rising, before)
        ratio[rising] = np.maximum(before, better)
        rising = rising[better > before + np.maximum(part * (before - 1), NO_RISE * before)]
        if not len(rising):
            break
    return ratio


class SideInDoubles:
    """The releases on one side of the times of a stream, in the order in which they come nearer; some pairs of values.

    A time t has the first t releases on this side, t = 0..T, the last of them nearest.
    """

    def __init__(self, matrix: TransitionMatrix | None, pairs: Indices) -> None:
        """Take the matrix, None where it tells nothing, and the pairs, each a row of two values."""
        self._rows = None if matrix is None else rows_in_doubles(matrix.rows)
        self._first, self._second = pairs[:, 0], pairs[:, 1]
        self._start: Doubles | None = None

    def ratios(self, budgets: Sequence[float], times: Sequence[int] | None = None) -> Doubles:
        """Return about the greatest ratio of each pair (a column) at each time (a row).

        Args: times, among 0..T in ascending order, all of them where it is None.
        """
        asked = np.arange(len(budgets) + 1) if times is None else np.array(times)
        found = np.ones((len(asked), len(self._first)))
        told = asked > 0
        rows = self._rows
        if rows is None or not told.any():
            return found
        start = found[told] if self._start is None or len(self._start) != told.sum() else self._start
        weights = np.exp(np.minimum(budgets, LARGEST_IN_DOUBLES))
        releases = np.repeat(asked[told], len(self._first))
        pairs = np.tile(np.arange(len(self._first)), told.sum())

        size = max(1, MOST_PRODUCTS // len(rows) ** 2)

        def improved(some: Indices, ratio: Doubles) -> Doubles:
            parts = (slice(start, start + size) for start in range(0, max(len(some), 1), size))
            return np.concatenate([of(some[part], ratio[part]) for part in parts])

        def of(some: Indices, ratio: Doubles) -> Doubles:
            own, first = releases[some], (rows[self._first[pairs[some]]], rows[self._second[pairs[some]]])
            return attained(first, ratio, own, lambda at, left: weights[own[left] - 1 - at][:, None], lambda _: rows)

        reached = improved(np.arange(start.size), start.ravel())  # the start was attained with other budgets
        found[told] = self._start = risen(improved, reached).reshape(start.shape)
        return found

    def swept(self, ratio: Doubles, budgets: Sequence[float]) -> Doubles:
        """Return c of the sweep of each pair with λ = ratio after releases of some budgets, the nearest first."""
        assert self._rows is not None
        c: Doubles = self._rows[self._first] - ratio[:, None] * self._rows[self._second]
        for budget in budgets:
            c = np.where(c > 0, np.exp(budget) * c, c) @ self._rows
        return c

    def slopes(self, budgets: Sequence[float], pair: int, ratio: float) -> Doubles:
        """Return about how the log of the ratio of a pair, after all of some budgets, rises with each of them.

        The sets that attain it stay the best ones where the budgets change a little. Args: ratio, as from `ratios`.
        """
        time = len(budgets)
        found = np.zeros(time)
        if self._rows is None:
            return found
        u, v = self._rows[self._first[pair]], self._rows[self._second[pair]]
        reached = []
        for near in range(time):
            if near:
                u, v = u @ self._rows, v @ self._rows
            chosen = u > ratio * v
            weight = np.where(chosen, np.exp(min(budgets[time - 1 - near], LARGEST_IN_DOUBLES)), 1.0)
            scale = weight / (v * weight).sum()
            u, v = u * scale, v * scale
            reached.append((u, v, chosen, weight))
        f = np.ones(len(self._rows))
        for release, (u, v, chosen, weight) in enumerate(reversed(reached)):
            if release:
                f = self._rows @ f
            found[release] = (u * f)[chosen].sum() / (u @ f) - (v * f)[chosen].sum() / (v @ f)
            f = f * weight / f.max()
        return found
