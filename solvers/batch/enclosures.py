"""What is asked of many users at once, and the compiled kernel that answers it: the doubles next to each level.

The numbers are those of the paper's bound; NaN where pairs of doubles do not decide one: that is for exact methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ...reference.levels import Level
from ..floats import LARGEST, Doubles

MOST_KERNEL_STATES = 128
"""Users with more states are for exact methods: the pairs of rows are compared at a cost of n³."""

LARGEST_COUNT_SUM = 2.0**26
"""Row sums of counts stay below this, so that doubles hold the product of two of them exactly."""

LEAST_EXCESS = 2.0**-200
"""Levels with a smaller excess, other than 0, are for exact methods: products with it may underflow."""

EXCESS_BITS = 160
"""Precision to which e^ε − 1 is known before it is rounded to a pair of doubles."""


@dataclass(frozen=True)
class AskedOfUsers:
    """The question to the kernel: the worst over some releases, suprema with one budget, budgets that keep a level.

    budgets: of the releases, shape (T, 4): the excess of each, and 1 more, as pairs. nexts: shape (3, T, 2), the
    doubles next to each budget, to the sum up to it, and to the sum from it on. epsilon and alpha: shape (4,), the
    excess as a pair and the doubles next to the level, NaN where it is not asked for.
    """

    budgets: Doubles
    nexts: Doubles
    epsilon: Doubles
    alpha: Doubles
    in_range: bool

    @classmethod
    def of(cls, epsilons: Sequence[Level], epsilon: Level | None, alpha: Level | None) -> AskedOfUsers:
        """Enclose levels, all of them finite, epsilon and alpha above 0."""
        excesses = {id(level): _excess(level) for level in [*epsilons, epsilon, alpha] if level is not None}
        sums = [[*accumulate(epsilons)], [*accumulate(epsilons[::-1])][::-1]]
        nexts = [[[level.double_below(), level.double_above()] for level in part] for part in (epsilons, *sums)]
        ends = [
            [np.nan] * 4 if own is None else [*_pair(excesses[id(own)]), own.double_below(), own.double_above()]
            for own in (epsilon, alpha)
        ]
        own = [excesses[id(level)] for level in epsilons]
        return cls(
            np.array([[*_pair(excess), *_pair(1 + excess)] for excess in own]).reshape(-1, 4),
            np.array(nexts).reshape(3, -1, 2),
            np.array(ends[0]),
            np.array(ends[1]),
            in_range=all(excess == 0 or LEAST_EXCESS <= excess <= LARGEST for excess in excesses.values()),
        )


def _excess(level: Level) -> Fraction:
    low, high = level.excess_bounds(EXCESS_BITS)
    return (Fraction(low) + Fraction(high)) / 2


def _pair(value: Fraction) -> tuple[float, float]:
    """Return the pair of doubles next to a rational, NaN beyond the range; its relative error is at most 2^-105."""
    if value > LARGEST:
        return np.nan, np.nan
    return float(value), float(value - Fraction(float(value)))


def prepare_compiled() -> None:
    """Compile the kernel, unless it was compiled before: that takes some 15 s."""
    from .compiled import kernel  # noqa: F401 - numba is imported only where users are answered


def admitted(weights: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whose weights, whole numbers of shape (users, n, n), the kernel admits."""
    if weights.shape[1] > MOST_KERNEL_STATES:
        return np.zeros(len(weights), dtype=bool)
    found: NDArray[np.bool_] = (weights.sum(axis=2, dtype=np.float64) < LARGEST_COUNT_SUM).all(axis=1)
    return found


def enclose(asked: AskedOfUsers, backward: NDArray[np.int64], forward: NDArray[np.int64]) -> Doubles:
    """Return the numbers of users whose weights are admitted, and which have no empty row.

    Returns: shape (users, 21): lower, upper and time of the worst BPL, FPL and TPL; lower and upper of their suprema,
    and of the first, the middle and the last budget. NaN where a number was not asked for, or is not decided.
    """
    from .compiled.kernel import COLUMNS, answer_users

    found = np.full((len(backward), COLUMNS), np.nan)
    if asked.in_range:
        past, future = (np.ascontiguousarray(part, dtype=np.float64) for part in (backward, forward))
        answer_users(past, future, asked.budgets, asked.nexts, asked.epsilon, asked.alpha, found)
    return found
