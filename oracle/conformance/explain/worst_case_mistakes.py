"""The exact worst case as the usual mistakes in the sweep have it, in doubles: what an answer is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from ...solvers.floats import Doubles
from ...solvers.worst_case.doubles import MOST_ROUNDS, Indices, attained, risen

LARGEST_BUDGET = 100.0
"""In doubles e^ε of more, several times over, is none."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to work out the exact worst case; as it stands the right one.

    turned: the sweep multiplies by P where P^T is right. rounds: after so many, λ is taken for what it rises to.
    reversed_budgets: the farthest budget is taken for the nearest. pairs_apart: past and future have a pair of values
    each. own_twice: the budget of a time counts in its past and in its future.
    """

    turned: bool = False
    rounds: int = MOST_ROUNDS
    reversed_budgets: bool = False
    pairs_apart: bool = False
    own_twice: bool = False


RIGHT = Way()


def ratios(rows: Doubles | None, budgets: Sequence[float], way: Way = RIGHT) -> Doubles:
    """Return about max (P_j·f)/(P_k·f) for all pairs j·n + k. Args: budgets, the nearest first; rows, None: 1."""
    if rows is None or not budgets:
        return np.ones(1)
    n = len(rows)
    between = rows.T if way.turned else rows
    growth = np.exp(budgets[::-1] if way.reversed_budgets else budgets)
    j, k = rows[np.repeat(np.arange(n), n)], rows[np.tile(np.arange(n), n)]

    def improved(some: Indices, ratio: Doubles) -> Doubles:
        first, sound = (j[some], k[some]), not way.turned
        return attained(
            first, ratio, len(budgets), lambda at, _: float(growth[at]), lambda _: between, is_stochastic=sound
        )

    return risen(improved, np.ones(n * n), way.rounds)


def leakage_by(
    way: Way, epsilons: Sequence[float], backward: Doubles | None, forward: Doubles | None
) -> dict[str, list[float]]:
    """Return BPL, FPL and TPL at each time, worked out in this way."""
    found: dict[str, list[float]] = {"bpl": [], "fpl": [], "tpl": []}
    for t, own in enumerate(epsilons):
        past = np.log(ratios(backward, epsilons[:t][::-1], way))
        future = np.log(ratios(forward, epsilons[t + 1 :], way))
        both = past.max() + future.max() if way.pairs_apart else (past + future).max()
        found["bpl"].append(own + float(past.max()))
        found["fpl"].append(own + float(future.max()))
        found["tpl"].append(own + float(both) + (own if way.own_twice else 0.0))
    return found


def for_ever_by(way: Way, epsilon: float, backward: Doubles | None, forward: Doubles | None, releases: int) -> float:
    """Return TPL between so many releases before and after, all of one budget, worked out in this way."""
    past, future = (np.log(ratios(rows, [epsilon] * releases, way)) for rows in (backward, forward))
    both = past.max() + future.max() if way.pairs_apart else (past + future).max()
    found = epsilon + float(both) + (epsilon if way.own_twice else 0.0)
    return found if np.isfinite(found) else inf
