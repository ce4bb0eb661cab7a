"""Pairs of values that are as likely to be told apart, to the last digit, because the chain looks alike from them.

For a pair (j, k) let the values have colours: at first by P_j and P_k, then again and again by how much each gets from
all values of each colour. All entries of a sweep about the pair are functions of the colours: two pairs whose colours
are the same up to names have one ratio at every depth. The colours need not tell all values apart; the chain that stays
or moves anywhere has three, however many values it has. They are hashes: equal ones stand for different values with a
chance of some 2^−55, and what follows is checked from above.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...reference.correlations import Row
from .guess import Indices

MOST_COLOURED = 1 << 25
"""Pairs times entries of all matrices that are coloured: beyond, every pair counts as one by itself."""

Hashes = NDArray[np.uint64]

_PRIMES = (1048573, 1048571, 1048559, 1048549, 1048517, 1048507, 1048447, 1048433)
"""Below 2^20: sums of products of two residues are exact in doubles, and three residues fill a hash."""


def forms(matrices: Sequence[Sequence[Row]], pairs: Indices) -> Hashes:
    """Return a number for each pair, a row, equal for pairs whose ratios are equal over all releases.

    Args: matrices, that to the nearest release first, then others that lead to farther ones, each once.
    """
    n = len(matrices[0])
    primes = _usable_primes(matrices)
    if len(pairs) * n * n * len(matrices) > MOST_COLOURED or primes is None:
        return np.arange(len(pairs), dtype=np.uint64)
    residues = [_residues(rows, primes) for rows in matrices]
    first = _mixed(_joined(residues[0]))
    colours = _mixed(_told(first, pairs))
    count = 0
    while (found := len(np.unique(colours))) > count:
        count = found
        for own in residues:
            colours = _mixed(colours * np.uint64(3) + _gained(own, primes, colours))
    same: Hashes = np.sort(colours, axis=1) @ _mixed(np.arange(n, dtype=np.uint64))
    if len(matrices) > 1:
        return same
    _, first_of, each = np.unique(same, return_index=True, return_inverse=True)
    return _moving(residues[0], primes, _mixed(_told(first, pairs[first_of])))[each]


def _moving(part: Sequence[NDArray[np.float64]], primes: Sequence[int], colours: Hashes) -> Hashes:
    """Return a number for each pair, equal where values have the same colours at each release, whichever values.

    A colour is how much a value gets from all of each colour of the release before, its own apart. Releases are
    followed until as many as there are values have told no more pairs apart.
    """
    told, count, since = np.zeros(len(colours), dtype=np.uint64), 0, 0
    while count < len(colours) and since < colours.shape[1]:
        told = _mixed(told * np.uint64(3) + _mixed(colours).sum(axis=1, dtype=np.uint64))
        before, count = count, len(np.unique(told))
        since = 0 if count > before else since + 1
        colours = _mixed(_gained(part, primes, colours))
    return told


def _told(first: Hashes, pairs: Indices) -> Hashes:
    """Return a number for each value and pair, of the rows of a pair."""
    return first[pairs[:, 0]] * np.uint64(3) + first[pairs[:, 1]]


def _gained(part: Sequence[NDArray[np.float64]], primes: Sequence[int], colours: Hashes) -> Hashes:
    """Return for each value and pair how much the value gets from all values, weighted by their colours."""
    each = [(colours % np.uint64(p)).astype(float) @ own % p for p, own in zip(primes, part, strict=True)]
    return _joined(each)


def _residues(rows: Sequence[Row], primes: Sequence[int]) -> list[NDArray[np.float64]]:
    """Return the entries of a matrix modulo each prime: sums of entries are equal where sums of residues are."""
    entries = [[entry.as_integer_ratio() for entry in row] for row in rows]
    inverse = cache(pow)
    return [np.array([[a * inverse(b, -1, p) % p for a, b in row] for row in entries], dtype=float) for p in primes]


def _usable_primes(matrices: Sequence[Sequence[Row]]) -> Sequence[int] | None:
    denominators = {entry.denominator for rows in matrices for row in rows for entry in row}
    usable = [p for p in _PRIMES if all(denominator % p for denominator in denominators)]
    return usable[:3] if len(usable) >= 3 else None


def _joined(residues: Sequence[NDArray[np.float64]]) -> Hashes:
    first, second, third = (own.astype(np.uint64) for own in residues)
    joined: Hashes = first + (second << np.uint64(20)) + (third << np.uint64(40))
    return joined


def _mixed(numbers: Hashes) -> Hashes:
    """Return numbers that look random, the same for equal ones (splitmix64)."""
    found = numbers + np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Hashes = found ^ (found >> np.uint64(31))
    return mixed
