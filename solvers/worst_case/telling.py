"""Which single value of a person, if known, would raise the worst leakage most: all of them tried at once, in doubles.

For each time and value the chain given it has matrices of its own for each step, as `conditioned` has them. The worst
ratios of all pairs of values are found by Newton's method on W(λ) of the sweep, which is convex and falls: from λ = 1
it rises to the root. What is found is a proposal: the leakage of what is proposed is for an exact method to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...reference.correlations import Row, TransitionMatrix
from ...reference.levels import Level
from ..floats import Doubles

MOST_TELLING_WORK = 30_000_000
"""Times cubed by states to the fourth: a second or two."""

MOST_NATS = 600.0
"""Above this sum of budgets factors may be too great for doubles."""

MOST_NEWTON_STEPS = 60
RISES_NO_MORE = 1e-12


class KnownValue(NamedTuple):
    """A value, from 0, at a time, from 1."""

    time: int
    value: int


def most_telling(epsilons: Sequence[Level], forward: TransitionMatrix, initial: Row) -> KnownValue | None:
    """Return the single value that raises the greatest TPL over all times most, as doubles tell.

    Args: epsilons, finite; forward, P^F of a stationary chain, initial, its distribution. Returns: None where it is
    too much work or too great for doubles, or where there is nothing to know.
    """
    n, releases = forward.n, len(epsilons)
    if n < 2 or releases**3 * n**4 > MOST_TELLING_WORK or sum(map(Level.double_above, epsilons)) > MOST_NATS:
        return None
    ratios = np.array([float(1 + epsilon.excess_bounds()[0]) for epsilon in epsilons])
    rows = forward.doubles
    shares = np.array([float(share) for share in initial])
    known = [KnownValue(time, value) for time in range(1, releases + 1) for value in range(n) if shares[value]]
    behind, ahead = _passes(rows, shares, known, releases)
    possible = (behind > 0) & (ahead > 0)
    pairs = list(permutations(range(n), 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        into = rows[None, None] * ahead[:, 1:, None, :]  # [known, step, from, to]
        onward = np.nan_to_num(into / into.sum(axis=3, keepdims=True))
        of = rows.T[None, None] * behind[:, :-1, None, :]
        back = np.nan_to_num(of / of.sum(axis=3, keepdims=True))
    worst = np.zeros(len(known))
    for time in range(releases):
        past = _ratios([back[:, step] for step in range(time - 1, -1, -1)], ratios[:time][::-1], pairs)
        future = _ratios([onward[:, step] for step in range(time, releases - 1)], ratios[time + 1 :], pairs)
        both = np.stack([possible[:, time, j] & possible[:, time, k] for j, k in pairs], axis=1)
        level = np.log(ratios[time]) + np.where(both, np.log(past) + np.log(future), -np.inf).max(axis=1)
        worst = np.maximum(worst, level)
    return known[int(worst.argmax())]


def _passes(rows: Doubles, shares: Doubles, known: Sequence[KnownValue], releases: int) -> tuple[Doubles, Doubles]:
    """Return Pr(value now, what is known by then) and Pr(what is known from now on | value now), up to factors."""
    n = len(shares)
    seen = np.ones((len(known), releases, n))
    for place, (time, value) in enumerate(known):
        seen[place, time - 1] = np.arange(n) == value
    behind, ahead = np.empty_like(seen), np.empty_like(seen)
    behind[:, 0], ahead[:, -1] = shares * seen[:, 0], seen[:, -1]
    for time in range(1, releases):
        behind[:, time] = (behind[:, time - 1] @ rows) * seen[:, time]
        ahead[:, -1 - time] = (ahead[:, -time] @ rows.T) * seen[:, -1 - time]
    return behind, ahead


def _ratios(steps: Sequence[Doubles], ratios: Doubles, pairs: Sequence[tuple[int, int]]) -> Doubles:
    """Return B of each known value and pair on one side of a time. Args: its steps and e^ε, the nearest first."""
    if not steps:
        return np.ones((1, len(pairs)))
    first, second = (steps[0][:, [pair[side] for pair in pairs]] for side in (0, 1))
    factor: NDArray[np.float64] = np.ones(first.shape[:2])
    for _ in range(MOST_NEWTON_STEPS):
        c, slope = first - factor[..., None] * second, -second
        for place, ratio in enumerate(ratios):
            scale = np.where(c > 0, ratio, 1.0)
            c, slope = c * scale, slope * scale
            if place + 1 < len(steps):
                c, slope = c @ steps[place + 1], slope @ steps[place + 1]
        left, down = c.sum(axis=2), slope.sum(axis=2)
        rise = np.where((left > 0) & (down < 0), -left / np.where(down < 0, down, -1.0), 0.0)
        factor = factor + rise
        if (rise <= RISES_NO_MORE * factor).all():
            break
    return factor
