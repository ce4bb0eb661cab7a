"""The check from above of a large sparse matrix: of its loss, by the columns that rows share, and of the recursion.

For two rows q, d and λ the sum of (q_b − λ d_b)^+ is 1 less that of min(q_b, λ d_b), to which only shared columns add.
At E = e^α − 1 no pair has e^L − 1 above v if none has a sum above v/E for λ = 1 + v. As 1/v is the least of (1/E + d)/
(q − d), it is concave in 1/E: what is linear between two such bounds of it is one too. Entries of m in a row, made of
weights, their sums and what is compared err by less than (4 m + 16) u in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log1p

import numpy as np
from numpy.typing import NDArray

from ..reference.errors import Refuted, Unchecked
from ..reference.levels import Level
from .above_doubles import above_it
from .above_loss import U

Doubles = NDArray[np.float64]
Indices = NDArray[np.int64]

MOST_PRODUCTS = 1 << 31
"""Entries in shared columns that are looked at, at all points together: about ten seconds."""


def check_sparse_loss(
    starts: Indices, columns: Indices, weights: Doubles, at: Sequence[float], above: Sequence[float]
) -> None:
    """Prove that e^L − 1 is at most `above` where 1/(e^α − 1) is `at`. Raises: Refuted, with the rows; Unchecked.

    Args: starts, columns, weights: the matrix, as of `SparseRows`.
    """
    lengths, n = np.diff(starts), len(starts) - 1
    rows = np.repeat(np.arange(n), lengths)
    shares = weights / np.add.reduceat(weights, starts[:-1])[rows]
    held = np.bincount(columns, minlength=n)
    if len(at) * int(held @ held) > MOST_PRODUCTS:
        raise Unchecked("the columns of a sparse matrix have too many entries for the check of its loss")
    lost = (4 * int(lengths.max()) + 16) * U
    by_column = np.split(np.argsort(columns, kind="stable"), np.cumsum(held)[:-1])
    for row in range(n):
        mine = slice(starts[row], starts[row + 1])
        beside = np.concatenate([by_column[column] for column in columns[mine]])
        own, others, who = np.repeat(shares[mine], held[columns[mine]]), shares[beside], rows[beside]
        for s, v in zip(at, above, strict=True):
            common = np.bincount(who, np.minimum(own, (1 + v) * others), minlength=n)
            if 1 - float(common.min()) + lost > v * s:
                raise Refuted(
                    f"rows {row + 1} and {int(common.argmin()) + 1} have a greater loss than was found, at e^L = "
                    f"{1 + v:.17g}; this is a fault of the program: report it"
                )


def sparse_levels_above(epsilon: Level, steps: int, at: Doubles, above: Doubles) -> list[float]:
    """Return upper bounds of the levels after each release with a finite budget, from the bounds of the loss.

    Args: at, above: as of `check_sparse_loss`, with `at` rising; none where L is the identity. Raises:
    Refuted where they are not in order.
    """
    if (np.diff(at) <= 0).any():
        raise Refuted("the points of a loss are not in order; this is a fault of the program: report it")
    budget = above_it(epsilon.excess_bounds()[1])
    a, levels = budget, list[float]()
    for _ in range(steps):
        levels.append(log1p(a) * (1 + 4 * U))
        inverse = float(np.interp(1 / a, at, 1 / above, left=0.0)) if len(at) else 0.0
        gained = min(a, (1 + 16 * U) / inverse if inverse else inf)
        a = (gained + budget + gained * budget) * (1 + 8 * U)
    return levels
