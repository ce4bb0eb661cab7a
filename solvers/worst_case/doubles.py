"""Sweeps in doubles, the one kernel of them; the exact worst case at all times of a stream at once by it.

What comes of them are guesses, of which none decides anything, and lower bounds of ratios.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np

from ...reference.correlations import TransitionMatrix
from ..floats import LARGEST, Doubles
from .guess import Indices, RowDifferences, rows_in_doubles

MOST_ROUNDS = 200

NO_RISE = 1e-13
"""Sets are sought again until they raise an excess by no greater part than this."""

LARGEST_IN_DOUBLES = 600.0
"""Budgets beyond this are taken for it: e^ε may be no double."""

OFTEN = 4
"""After so many releases it is seen which sweeps are over."""

LARGE_SUM = 1e10
"""Above this rows are divided by a power of 2, which loses nothing."""

MOST_PRODUCTS = 1 << 18
"""Products of entries in one product of matrices: of more, several threads would wait for each other."""

Matrices = tuple[TransitionMatrix | None, TransitionMatrix | None]
"""P^B and P^F, as far as they are known."""


def all_pairs(known: Matrices) -> Indices:
    """Return all pairs of values that differ, each a row; none where there is no matrix."""
    n = max((matrix.n for matrix in known if matrix is not None), default=0)
    return np.array(list(permutations(range(n), 2)), dtype=np.int64).reshape(-1, 2)


def attained(
    parts: tuple[Doubles, Doubles],
    excess: Doubles,
    releases: Indices,
    growth: Callable[[int, Indices], Doubles],
    step: Doubles,
) -> Doubles:
    """Return about what the sets attain that sweeps with λ = 1 + excess take, less 1: Σd/Σv.

    d = (P_j − P_k) D P D … and v = P_k D P D …, where D is e^ε on the set, where d > excess·v, and 1 elsewhere. Carried
    apart, they tell values from each other however nearly equal their rows are.
    Args: parts, d and v at first, with a row for each sweep; excess, of each sweep; releases, over how many each goes,
    at least 1; growth, e^ε of a release, the nearest being 0, for some of the sweeps; step, the matrix.
    """
    result, left, ends = np.zeros(len(excess)), np.arange(len(excess)), releases
    release, carried, most = 0, np.stack(parts), 1.0
    while len(left):
        d, v = carried
        chosen = d > excess[:, None] * v
        ratio = growth(release, left)
        carried, most = carried * np.where(chosen, ratio, 1.0), most * ratio.max()
        release += 1
        over = ends == release
        if release % OFTEN == 0:
            over |= ~chosen.any(axis=1) | (chosen | ((d == 0) & (v == 0))).all(axis=1)
        if over.any():
            sums = carried[:, over].sum(axis=2)
            result[left[over]] = sums[0] / sums[1]
            left, ends, excess, carried = left[~over], ends[~over], excess[~over], carried[:, ~over]
        if len(left):
            if not most <= LARGE_SUM and carried[1].max() > LARGE_SUM:
                exponent = np.frexp(abs(carried).sum(axis=(0, 2)))[1]
                carried, most = np.ldexp(carried, -exponent[:, None]), 1.0
            carried = (carried.reshape(-1, len(step)) @ step).reshape(carried.shape)
    return result


def risen(improved: Callable[[Indices, Doubles], Doubles], excess: Doubles) -> Doubles:
    """Return excesses that sets attain, sought again and again by sweeps with the last ones.

    Args: improved, what the sets attain that some sweeps take, with their excess.
    """
    excess, rising = excess.copy(), np.arange(len(excess))
    for _ in range(MOST_ROUNDS):
        before = excess[rising]
        better = improved(rising, before)
        excess[rising] = np.maximum(before, better)
        rising = rising[better > before * (1 + NO_RISE)]
        if not len(rising):
            break
    return excess


class SideInDoubles:
    """The releases on one side of the times of a stream, in the order in which they come nearer; some pairs of values.

    A time t has the first t releases on this side, t = 0..T, the last of them nearest.
    """

    def __init__(self, matrix: TransitionMatrix | None, pairs: Indices) -> None:
        """Take the matrix, None where it tells nothing, and the pairs, each a row of two values."""
        self._rows = None if matrix is None else rows_in_doubles(matrix.rows)
        self._first, self._second = pairs[:, 0], pairs[:, 1]
        if matrix is not None:
            self._apart = RowDifferences(matrix.rows).of(self._first, self._second)
        self._start: Doubles | None = None

    def ratios(self, budgets: Sequence[float], times: Sequence[int] | None = None) -> Doubles:
        """Return about the greatest ratio of each pair (a column) at each time (a row).

        Args: times, among 0..T in ascending order, all of them where it is None. Ratios beyond `LARGEST` are taken for
        it.
        """
        asked = np.arange(len(budgets) + 1) if times is None else np.array(times)
        found = np.ones((len(asked), len(self._first)))
        told = asked > 0
        rows = self._rows
        if rows is None or not told.any():
            return found
        start = found[told] - 1 if self._start is None or len(self._start) != told.sum() else self._start
        weights = np.exp(np.minimum(budgets, LARGEST_IN_DOUBLES))
        releases = np.repeat(asked[told], len(self._first))
        pairs = np.tile(np.arange(len(self._first)), told.sum())

        size = max(1, MOST_PRODUCTS // len(rows) ** 2)

        def improved(some: Indices, excess: Doubles) -> Doubles:
            parts = (slice(start, start + size) for start in range(0, max(len(some), 1), size))
            return np.concatenate([of(some[part], excess[part]) for part in parts])

        def of(some: Indices, excess: Doubles) -> Doubles:
            own, first = releases[some], (self._apart[pairs[some]], rows[self._second[pairs[some]]])
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                found = attained(first, excess, own, lambda at, left: weights[own[left] - 1 - at][:, None], rows)
            return np.where(found < LARGEST, found, LARGEST)  # beyond the doubles, which is no number, too

        reached = improved(np.arange(start.size), start.ravel())  # the start was attained with other budgets
        self._start = risen(improved, reached).reshape(start.shape)
        found[told] = 1 + self._start
        return found

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
            with np.errstate(over="ignore"):
                u, v = np.minimum(u * scale, LARGEST), v * scale
            reached.append((u, v, chosen, weight))
        f = np.ones(len(self._rows))
        for release, (u, v, chosen, weight) in enumerate(reversed(reached)):
            if release:
                f = self._rows @ f
            of_u, of_v = u / u.max() * f, v / v.max() * f
            found[release] = of_u[chosen].sum() / of_u.sum() - of_v[chosen].sum() / of_v.sum()
            f = f / f.max() * weight
        return found
