"""Sweeps of one pair of values in integers, and which pairs are alike.

`proved_depths` takes one x for each number of releases. `Lines` finds the least x: for all x of an interval at once.
What `above_doubles` says of c holds there of lines: c_i(x) ≤ u_i − x v_i for all x between two ends. Where a line is
above 0 at the x in question Φ multiplies it by e^ε, elsewhere it leaves it, and both are right as long as the line
keeps its sign: so the ends come nearer from release to release. Between them W_d(x) ≤ U − x V, and U/V is the bound
that is sought if it lies there too. u is rounded upward and v downward, so a line is never too low where x ≥ 0.
That both suffice, ends and infinite budgets included, is proved in proofs_checks/rocq/Integers.v.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Any

import numpy as np
from flint import fmpz, fmpz_mat
from numpy.typing import NDArray

from ..reference.correlations import Row
from ..reference.errors import Unchecked

SPARE_BITS = 96
"""Bits by which a bound is coarser than the integers that it is computed with."""

LINE_TURNS = 200
"""Steps of Newton's method to a bound: each goes to another piece of W, of which few lie near its zero."""


MOST_SORTED, EACH_SORTED = 1 << 29, 1 << 13
"""Entries that are sorted to tell which pairs are alike, which takes seconds, and what each time costs besides."""


class IntegerMatrix:
    """A matrix in integers, 2^bits for 1: rounded downward, upward, and which columns have lost anything."""

    def __init__(self, rows: Sequence[Row], bits: int) -> None:
        self.rows = rows
        entries = [[p * 2**bits for p in row] for row in rows]
        self.below = fmpz_mat([[int(p) for p in row] for row in entries])
        self.above = fmpz_mat([[ceil(p) for p in row] for row in entries])
        self.is_rounded = [any(p.denominator > 1 for p in column) for column in zip(*entries, strict=True)]


def proved_depths(
    matrix: IntegerMatrix, growth: int, pair: Sequence[int], tried: Mapping[int, int], bits: int
) -> set[int]:
    """Return the numbers of equal releases over which W ≤ 0 at the x that is tried there: c of all of them at once."""
    depths, found = sorted(tried, reverse=True), set()
    j, k = (matrix.rows[value] for value in pair)
    c = [fmpz(ceil((p - q) * 2**bits - tried[depth] * q)) for depth in depths for p, q in zip(j, k, strict=True)]
    for depth in range(1, depths[0] + 1):
        gained = [p - (-growth * p >> bits) if p > 0 else 0 for p in c]
        lost: list[Any] = [min(p, 0) for p in c]
        if depths[-1] == depth:
            if sum(gained[-len(j) :]) + sum(lost[-len(j) :]) <= 0:
                found.add(depth)
            depths.pop()
            del gained[-len(j) :], lost[-len(j) :]
        size = len(depths), len(j)
        after = fmpz_mat(*size, gained) * matrix.above + fmpz_mat(*size, lost) * matrix.below
        c = [-(-p >> bits) for p in after.entries()]
    return found


class Lines:
    """The sweeps of one pair, release by release, the nearest first; 2^bits stands for 1.

    Args: matrices, for each release the one that leads there; growths, integers ≥ e^ε − 1, None where that is infinite.
    """

    def __init__(
        self, matrices: Sequence[IntegerMatrix], growths: Sequence[int | None], pair: Sequence[int], bits: int
    ) -> None:
        self._matrices, self._growths, self._bits = matrices, growths, bits
        j, k = (matrices[0].rows[value] for value in pair)
        self._u: list[list[Any]] = [[fmpz(ceil((p - q) * 2**bits)) for p, q in zip(j, k, strict=True)]]
        self._v: list[list[Any]] = [[fmpz(int(q * 2**bits)) for q in k]]
        self._ends: list[tuple[Any, Any]] = [(0, None)]
        self._x: Any = 0
        self._least: Any = 0

    def follow(self, matrices: Sequence[IntegerMatrix], growths: Sequence[int | None]) -> None:
        """Go on with other releases, the same up to some distance, whose nearest has the same matrix."""
        both = zip(self._matrices, matrices, self._growths, growths, strict=False)
        same = next((at for at, (p, q, one, other) in enumerate(both) if p is not q or one != other), len(self._ends))
        self._matrices, self._growths = matrices, growths
        self._keep(max(same, 1))

    def _keep(self, releases: int) -> None:
        del self._u[releases:], self._v[releases:], self._ends[releases:]

    def bound(self, depth: int, start: int = 0) -> Fraction | None:
        """Return an upper bound of B − 1 over the nearest releases; None where it is infinite. Raises: Unchecked.

        Args: start, about B − 1, times 2^bits.
        """
        x, below, proved, hurry, self._least = self._x or start, 0, None, 1, 0
        for _ in range(LINE_TURNS):
            line = self._line(depth, x)
            if line is None:
                return None
            u, v, low, high = line
            zero = max(-(-(u << self._bits) // v), 0)
            x, below = max(x, self._least), max(below, zero, self._least)  # W is convex: its lines end below its zero
            if zero <= x:  # W ≤ 0 down to the nearer end
                proved = max(zero, low) if proved is None else min(proved, max(zero, low))
            elif high is None or zero <= high:
                proved = zero
            if proved is not None and proved <= below + 2 + (below >> self._bits - SPARE_BITS):
                self._x = proved
                return Fraction(int(proved), 1 << self._bits)
            if zero <= x:
                x, hurry = below, 1
            else:  # many releases may give way one by one: go ahead of them
                ahead, hurry = x + (zero - x) * hurry, 2 * hurry
                x = ahead if proved is None or ahead < proved else zero
        raise Unchecked(f"integers of {self._bits} bits come to no bound over {depth} releases")

    def _line(self, depth: int, x: int) -> tuple[Any, Any, Any, Any] | None:
        """Return U and V with W ≤ U − x V between two ends, with those; None where W is infinite at all x."""
        wrong = bisect_left(self._ends, True, key=lambda own: x < own[0] or (own[1] is not None and own[1] < x))
        self._keep(min(wrong, depth))
        while True:
            release = len(self._u) - 1
            low, high = self._ends[release]
            u, v = self._u[release], self._v[release]
            is_above = [p << self._bits > x * q for p, q in zip(u, v, strict=True)]
            growth = self._growths[release]
            if growth is None and any(is_above):  # W is infinite up to where none of these lines is above 0
                if not all(q for q, above in zip(v, is_above, strict=True) if above):
                    return None
                self._least = max(-(-(p << self._bits) // q) for p, q in zip(u, v, strict=True) if q)
                return self._line(depth, self._least)
            zeros = [((p << self._bits), q, above) for p, q, above in zip(u, v, is_above, strict=True) if q]
            low = max([low, *(-(-p // q) for p, q, above in zeros if not above)])
            ends = [p // q for p, q, above in zeros if above] + ([] if high is None else [high])
            high = min(ends, default=None)
            gained = [(growth or 0) * above for above in is_above]
            u = [p - (-gain * p >> self._bits) for p, gain in zip(u, gained, strict=True)]
            v = [q + (gain * q >> self._bits) for q, gain in zip(v, gained, strict=True)]
            if release == depth - 1:
                return sum(u), sum(v), low, high
            own = self._matrices[release + 1]
            rounded = sum((p for p in u if p > 0), fmpz(0))
            each = (fmpz_mat([u, v]) * own.below).entries()
            up, down = each[: len(u)], each[len(u) :]
            less = max(self._bits, int(max(down)).bit_length() - self._bits - SPARE_BITS)  # both lose as many
            self._u.append(
                [-(-(p + rounded if lost else p) >> less) for p, lost in zip(up, own.is_rounded, strict=True)]
            )
            self._v.append([q >> less for q in down])
            self._ends.append((low, high))


def unlike(sides: Sequence[Sequence[Sequence[Row]]], pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of pairs that stand for all. Args: sides, of each the matrices outward, as often as they come.

    What functions of each value, changed alike for all values at a release, add up to is the same for pairs that are
    `alike` on all sides: also in the recursions of profiles, whose φ, or ψ of the other side, are the same for both.
    """
    each = [tuple({id(step): tuple(step) for step in steps}.values()) for steps in sides if len(steps)]
    numbers = [_known_alike(own, pairs.tobytes()) for own in each]
    found: NDArray[np.int64] = np.unique(numbers or np.zeros((1, len(pairs))), axis=1, return_index=True)[1]
    return found


@lru_cache(maxsize=1 << 4)
def _known_alike(matrices: tuple[tuple[Row, ...], ...], pairs: bytes) -> list[int]:
    return alike(matrices, np.frombuffer(pairs, dtype=np.int64).reshape(-1, 2))


def alike(matrices: Sequence[Sequence[Row]], pairs: NDArray[np.int64]) -> list[int]:
    """Return a number for each pair: pairs of one number have the same W at all x and depths. Of one matrix alone.

    At each release values fall into cells on which c is constant: at the nearest, those on which both rows of the pair
    are; then those that see alike, by as many entries of each size in each cell of before. So W is told by what cells
    see and how many values each has. Cells are named by the order of what they see, or keep their names where they are
    as before; what follows depends on cells and names alone, and is followed once. Where that is too much, a pair is
    like no other, as is one whose rows have other entries than those of any other pair.
    """
    found = np.arange(len(pairs))
    if len(matrices) > 1:
        return found.tolist()
    known = _Numbers()
    numbers = np.array([[known[p] for p in row] for row in matrices[0]], dtype=np.int64)
    kinds = np.unique(np.sort(numbers, axis=1), axis=0, return_inverse=True)[1].ravel()  # rows of the same entries
    _, own, sizes = np.unique(kinds[pairs], axis=0, return_inverse=True, return_counts=True)
    tied = np.flatnonzero(sizes[own.ravel()] > 1)
    if len(tied) * len(numbers) <= MOST_SORTED >> 5:
        found[tied] = len(pairs) + np.array(_followed(numbers, len(known), pairs[tied]))
    return found.tolist()


def _followed(numbers: NDArray[np.int64], entries: int, pairs: NDArray[np.int64]) -> list[int]:
    """Return them by following all pairs. Args: numbers, of the entries of the matrix; entries, of different ones."""
    small, seen, places = np.min_scalar_type(entries * len(numbers)), _Numbers(), _Numbers()
    both = numbers[pairs[:, 0]] * entries + numbers[pairs[:, 1]]
    starts = [seen[own.tobytes()] for own in np.sort(both, axis=1)]
    ties = Counter(starts)
    names = [
        np.unique(own, return_inverse=True)[1] if ties[start] > 1 else None
        for start, own in zip(starts, both, strict=True)
    ]
    entered = [-1 if own is None else places[own.tobytes()] for own in names]
    told: list[int] = []
    after: list[int] = []
    for place, name in enumerate(followed := list(places)):  # which gets longer
        if place * (numbers.size + EACH_SORTED) > MOST_SORTED:
            break
        cells = np.frombuffer(name, dtype=np.int64)
        key, cells = _cells(np.sort((cells[:, None] * entries + numbers).astype(small), axis=0).T, cells)
        told.append(seen[key])
        after.append(places[cells.tobytes()])
        followed += [cells.tobytes()] * (len(places) - len(followed))
    unlike = range(len(told), len(places))
    classes, later, count = np.array([*told, *(len(seen) + place for place in unlike)]), np.array([*after, *unlike]), 0
    while len(ranks := np.unique(classes)) > count:  # by one release more, then two, four
        count, classes = len(ranks), np.searchsorted(ranks, classes)
        classes, later = classes * count + classes[later], later[later]
    found = _Numbers()
    return [found[start, -1 if at < 0 else int(classes[at])] for start, at in zip(starts, entered, strict=True)]


class _Numbers(dict[Any, int]):
    """Numbers what it is asked for, from 0."""

    def __missing__(self, key: object) -> int:
        self[key] = len(self)
        return self[key]


def _cells(seen: NDArray[Any], before: NDArray[np.int64]) -> tuple[bytes, NDArray[np.int64]]:
    """Return what is seen by the values of each cell with how many they are, and each value's cell."""
    keys = [row.tobytes() for row in seen]
    sizes, order = Counter(keys), sorted(set(keys))
    names = dict(zip(keys, before.tolist(), strict=True))
    if len(names) == len(set(names.values())) and [names[key] for key in keys] == before.tolist():
        order.sort(key=names.__getitem__)
    place = {key: number for number, key in enumerate(order)}
    return b"".join(key + sizes[key].to_bytes(8, "big") for key in order), np.array([place[key] for key in keys])
