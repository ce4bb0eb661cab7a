"""Sweeps in doubles, the one kernel of them; the exact worst case at all times of a stream at once by it.

What comes of them are guesses, of which none decides anything, and lower bounds of ratios.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import inf

import numpy as np
from numpy.typing import NDArray

from ...reference.correlations import Row, TransitionMatrix
from ..floats import LARGEST, Doubles

MOST_ROUNDS = 200

NO_RISE = 1e-13
"""Sets are sought again until they raise an excess by no greater part than this."""

LARGEST_IN_DOUBLES = 600.0
"""Budgets beyond this are taken for it: e^ε may be no double."""

OFTEN = 4
"""After so many releases it is seen which sweeps are over."""

NEARLY_EQUAL = 2.0**-45
"""Entries that differ by less than this part of them are subtracted exactly: two doubles each do not tell enough."""

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


def row_kinds(rows: Sequence[Row]) -> list[int]:
    """Return a number for each row, equal where the rows are. Exact."""
    known: dict[tuple[tuple[int, int], ...], int] = {}
    return [known.setdefault(tuple(map(Fraction.as_integer_ratio, row)), len(known)) for row in rows]


class RowDifferences:
    """The differences P_j − P_k of the rows of a matrix in doubles, each entry rounded no more than a few times."""

    def __init__(self, rows: Sequence[Row]) -> None:
        """Take the rows, exact."""
        self._rows, self.high = rows, rows_in_doubles(rows)
        self._exact: dict[tuple[int, int, int], float] = {}

    @cached_property
    def _low(self) -> Doubles:
        both = zip((entry for row in self._rows for entry in row), self.high.ravel().tolist(), strict=True)
        return np.array([_lost(*entry.as_integer_ratio(), *near.as_integer_ratio()) for entry, near in both]).reshape(
            self.high.shape
        )

    @cached_property
    def are_equal(self) -> NDArray[np.bool_]:
        """Of which pairs j, k the rows are equal. Exact."""
        kinds = np.array(row_kinds(self._rows))
        found: NDArray[np.bool_] = kinds[:, None] == kinds
        return found

    def of(self, first: Indices, second: Indices) -> Doubles:
        """Return P_j − P_k of some pairs j, k."""
        high, low = self.high, self._low
        found: Doubles = (high[first] - high[second]) + (low[first] - low[second])
        lost = (abs(found) < NEARLY_EQUAL * high[first]) & (high[first] > 0) & (first != second)[:, None]
        for pair, a in np.argwhere(lost):
            j, k = first[pair], second[pair]
            if (j, k, a) not in self._exact:
                self._exact[j, k, a] = float(self._rows[j][a] - self._rows[k][a])
            found[pair, a] = self._exact[j, k, a]
        return found


def _lost(above: int, below: int, near_above: int, near_below: int) -> float:
    """Return a/b less c/d, the quotients of whole numbers, as a double."""
    return (above * near_below - near_above * below) / (below * near_below)


def attained(
    parts: Sequence[Doubles],
    excess: Doubles,
    releases: Indices | int,
    growth: Callable[[int, Indices], Doubles | float],
    step: Callable[[int], Doubles],
    *,
    lost: float = 0.0,
    is_stochastic: bool = True,
) -> Doubles:
    """Return about what the sets attain that sweeps with λ = 1 + excess take, less 1: Σd/Σv.

    d = (P_j − P_k) D P D … and v = P_k D P D …, where D is e^ε on the set, where d > excess·v, and 1 elsewhere. Carried
    apart, they tell values from each other however nearly equal their rows are.
    Args: parts, each with a row for each sweep: P_k last, before it P_j − P_k, or its positive and its negative part,
    of which none then loses relative precision; excess, of each sweep; releases, over how many each goes, at least 1;
    growth, e^ε of a release, the nearest being 0, for some of the sweeps; step, the matrix to a release from the one
    before; lost, the part of the sums of positive, or of negative terms that is taken off, so that the result is a
    lower bound;
    is_stochastic, whether its rows sum to 1.
    """
    result = np.zeros(len(excess))
    left, ends = np.arange(len(excess)), np.broadcast_to(releases, len(excess))
    release, carried, first_end = 0, np.stack(parts), int(ends.min(initial=1 << 62))
    n, most = carried.shape[2], 1.0
    while len(left):
        d, v = carried[0] if len(carried) == 2 else carried[0] - carried[1], carried[-1]
        chosen = d > excess[:, None] * v
        ratio = growth(release, left)
        carried = carried * np.where(chosen, ratio, 1.0)
        over, is_seen = ends == release + 1, is_stochastic and release % OFTEN == OFTEN - 1
        if is_seen:
            over |= ~chosen.any(axis=1) | (chosen | ((d == 0) & (v == 0))).all(axis=1)
        if (is_seen or release + 1 >= first_end) and over.any():
            sums = carried[:, over].sum(axis=2)
            above = sums[0] * (1 - lost) - (sums[1] * (1 + lost) if len(sums) == 3 else 0)
            result[left[over]] = above / sums[-1] * (1 - lost)
            number = int(over.sum())
            keep = slice(number, None) if over[:number].all() else ~over  # a slice copies nothing
            left, ends, excess, carried = left[keep], ends[keep], excess[keep], carried[:, keep]
        release += 1
        if len(left):
            most = most * (ratio if isinstance(ratio, float) else ratio.max()) if is_stochastic else inf
            if not most <= LARGE_SUM and carried[-1].max() > LARGE_SUM:
                exponent = np.frexp(abs(carried).sum(axis=(0, 2)))[1]
                carried, most = np.ldexp(carried, -exponent[:, None]), 1.0
            carried = (carried.reshape(-1, n) @ step(release)).reshape(carried.shape)
    return result


def attained_at_each(
    parts: Sequence[Doubles], excess: Doubles, ratios: Sequence[float], steps: Sequence[Doubles], lost: float
) -> Iterator[Doubles]:
    """Yield as `attained` what sweeps come to over the nearest release, over the nearest two, and so on.

    Args: parts, with P_j − P_k as its positive and its negative part; ratios, e^ε of the releases, the nearest first;
    steps, the matrix that leads to each.
    """
    carried, shape = np.stack(parts), (-1, parts[0].shape[1])
    for release, ratio in enumerate(ratios):
        if release:
            carried = (carried.reshape(shape) @ steps[release]).reshape(carried.shape)
        carried = carried * np.where(carried[0] - carried[1] > excess[:, None] * carried[2], ratio, 1.0)
        sums = carried.sum(axis=2)
        yield (sums[0] * (1 - lost) - sums[1] * (1 + lost)) / sums[2] * (1 - lost)
        if sums[2].max() > LARGE_SUM:
            carried = np.ldexp(carried, -np.frexp(abs(carried).sum(axis=(0, 2)))[1][:, None])


def risen(
    improved: Callable[[Indices, Doubles], Doubles], excess: Doubles, most: int = MOST_ROUNDS, part: float = 0.0
) -> Doubles:
    """Return excesses that sets attain, sought again and again by sweeps with the last ones.

    Args: improved, what the sets attain that some sweeps take, with their excess; part, of it, which it must rise by.
    """
    excess, rising = excess.copy(), np.arange(len(excess))
    for _ in range(most):
        before = excess[rising]
        better = improved(rising, before)
        excess[rising] = np.maximum(before, better)
        rising = rising[better > before * (1 + max(part, NO_RISE))]
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
                found = attained(
                    first, excess, own, lambda at, left: weights[own[left] - 1 - at][:, None], lambda _: rows
                )
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
