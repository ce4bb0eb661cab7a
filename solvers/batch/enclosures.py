"""The numbers of many users, by whichever arithmetic is there: compiled for counts, arrays of numpy for all else.

Both decide by proven bounds, and what they decide is the same: the doubles next to each level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...reference.levels import Level
from ..floats import LARGEST
from .double_doubles import add, pair
from .leakages import KnownLevel, ManyBounds, ManyReleases, ManyWorst, Users, many_budgets, many_leakages, many_suprema
from .losses import LARGEST_COUNT_SUM, MOST_DENSE_STATES, Mask, many_losses

COMPILED, ARRAYS = "compiled", "numpy"
"""The two arithmetics."""

UserWeights = NDArray[np.float64] | NDArray[np.int64]
"""Numbers whose ratios are entries of rows: as doubles, or whole numbers that are doubles."""

LEAST_COMPILED = 2.0**-200
"""Levels below, other than 0, are not for the compiled kernel."""


@dataclass(frozen=True)
class AskedOfUsers:
    """What is asked of each user: the worst over some releases, suprema with one budget, budgets that keep alpha."""

    releases: ManyReleases | None
    epsilon: KnownLevel | None
    alpha: KnownLevel | None

    @classmethod
    def of(cls, epsilons: list[Level], epsilon: Level | None, alpha: Level | None) -> AskedOfUsers:
        """Look at levels, all of them finite, epsilon and alpha above 0."""
        return cls(
            ManyReleases.of(epsilons) if epsilons else None,
            None if epsilon is None else KnownLevel.of(epsilon),
            None if alpha is None else KnownLevel.of(alpha),
        )

    @property
    def in_range(self) -> bool:
        """Whether all levels are for the compiled kernel."""
        known = [*(self.releases.budgets if self.releases else ()), *(own for own in (self.epsilon, self.alpha) if own)]
        return all(own.excess[0] == 0 or LEAST_COMPILED <= own.excess[0] <= LARGEST for own in known)


@dataclass(frozen=True)
class EnclosedLevels:
    """What was found: worst of BPL, FPL and TPL, their suprema, first, middle and last budgets; what was asked for."""

    worst: list[ManyWorst]
    suprema: list[ManyBounds]
    budgets: list[ManyBounds]


def prepare_compiled() -> None:
    """Compile the kernel, unless it was compiled before: that takes some 15 s."""
    from .compiled import kernel  # noqa: F401 - what is not asked for need not be there


def enclose(
    asked: AskedOfUsers, backward: UserWeights | None, forward: UserWeights | None, arithmetic: str = ARRAYS
) -> EnclosedLevels:
    """Return what is asked of each user. Args: weights, shape (users, n, n), no row empty; None where not known."""
    if arithmetic == COMPILED and backward is not None and forward is not None and asked.in_range:
        whole = _for_compiled(backward) & _for_compiled(forward)
        if whole.all():
            return _compiled(asked, backward, forward)
        if whole.any():
            own = _compiled(asked, backward[whole], forward[whole])
            return _merged(whole, own, _by_arrays(asked, backward[~whole], forward[~whole]))
    return _by_arrays(asked, backward, forward)


def _for_compiled(weights: UserWeights) -> Mask:
    """Return whose weights are whole numbers with sums that the kernel admits."""
    if weights.shape[1] > MOST_DENSE_STATES:
        return np.zeros(len(weights), dtype=bool)
    is_whole = weights.dtype == np.int64
    if is_whole and weights.max(initial=0) * weights.shape[1] < LARGEST_COUNT_SUM:
        return np.ones(len(weights), dtype=bool)  # as nearly always
    found: Mask = (weights.sum(axis=2, dtype=np.float64) < LARGEST_COUNT_SUM).all(axis=1)
    return found if is_whole else found & (weights == np.rint(weights)).all(axis=(1, 2))


def _by_arrays(asked: AskedOfUsers, backward: UserWeights | None, forward: UserWeights | None) -> EnclosedLevels:
    sides = [
        None if part is None else many_losses(np.ascontiguousarray(part, dtype=np.float64))
        for part in (backward, forward)
    ]
    users = Users(sides[0], sides[1], next(len(part) for part in (backward, forward) if part is not None))
    worst = [*many_leakages(asked.releases, users)] if asked.releases else []
    suprema = [*many_suprema(asked.epsilon, users)] if asked.epsilon else []
    if asked.alpha is None:
        return EnclosedLevels(worst, suprema, [])
    own = many_budgets(asked.alpha, users)
    return EnclosedLevels(worst, suprema, [own.first, own.middle, own.last])


def _compiled(asked: AskedOfUsers, backward: UserWeights, forward: UserWeights) -> EnclosedLevels:
    from .compiled.kernel import COLUMNS, answer_users

    releases = asked.releases
    excess = np.array([own.excess for own in releases.budgets] if releases else []).reshape(-1, 2).T
    budgets = np.stack([*excess, *add((excess[0], excess[1]), pair(np.ones(excess.shape[1])))], axis=1)
    nexts = np.zeros((3, 0, 2)) if releases is None else np.stack([releases.own, releases.up_to, releases.from_on])
    ends = [
        np.full(4, np.nan) if own is None else np.array([*own.excess, own.below, own.above])
        for own in (asked.epsilon, asked.alpha)
    ]
    found = np.empty((len(backward), COLUMNS))
    past, future = (np.ascontiguousarray(part, dtype=np.float64) for part in (backward, forward))
    answer_users(past, future, budgets, nexts, ends[0], ends[1], found)
    worst = [
        ManyWorst(ManyBounds(lower, upper), np.where(np.isnan(time), 1, time).astype(np.int64))
        for lower, upper, time in found.T[:9].reshape(3, 3, -1)
    ]
    suprema, own_budgets = (
        [ManyBounds(*own) for own in part.reshape(3, 2, -1)] for part in (found.T[9:15], found.T[15:])
    )
    return EnclosedLevels(
        worst if releases else [], suprema if asked.epsilon else [], own_budgets if asked.alpha else []
    )


def _merged(where: Mask, one: EnclosedLevels, other: EnclosedLevels) -> EnclosedLevels:
    """Return what two arithmetics found of users, the first one where a mask says so."""

    def both(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
        merged = np.empty(len(where), dtype=a.dtype)
        merged[where], merged[~where] = a, b
        return merged

    def bounds(a: ManyBounds, b: ManyBounds) -> ManyBounds:
        return ManyBounds(both(a.lower, b.lower), both(a.upper, b.upper))

    return EnclosedLevels(
        [
            ManyWorst(bounds(a.level, b.level), both(a.time, b.time))
            for a, b in zip(one.worst, other.worst, strict=True)
        ],
        [bounds(a, b) for a, b in zip(one.suprema, other.suprema, strict=True)],
        [bounds(a, b) for a, b in zip(one.budgets, other.budgets, strict=True)],
    )
