"""Causes of failures of the operations on the exact worst case, each proven by what the mistake would give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, isclose, isfinite

import numpy as np

from ...solvers.floats import Doubles
from ...solvers.loss.shapes import recursions
from ...solvers.worst_case.doubles import MOST_ROUNDS, attained, risen
from ...solvers.worst_case.guess import Indices
from .clues import (
    BUDGET_FAILURES,
    LEVEL_ABOVE,
    LEVEL_BELOW,
    WORKED_OUT_RELEASES,
    Cause,
    Clues,
    MatrixClues,
    supremum_of,
)

TIGHT_LEAKAGE, TIGHT_SUPREMUM, TIGHT_ALLOCATE = TIGHT_OPERATIONS = ("tight_leakage", "tight_supremum", "tight_allocate")

SWEPT_STATES = 8
"""Of more nothing is worked out."""

SWEEPS_CLOSE = 1e-9
"""How near an answer is to what these sweeps give in doubles, as a part of it."""

FEW_ROUNDS = range(1, 13)

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


Over = Callable[[Sequence[float]], dict[str, list[float]]]
"""BPL, FPL and TPL of releases with these budgets, as somebody works them out."""


def _rows(clues: Clues) -> tuple[Doubles | None, Doubles | None]:
    backward, forward = clues.sides.get("backward"), clues.sides.get("forward")
    return backward.rows if backward else None, forward.rows if forward else None


def _is_worked_out(clues: Clues, over: Over) -> bool:
    """Whether an answer is what somebody has who works leakage out so: of budgets, whether they attain α by it."""
    if clues.is_stepwise:
        return False
    if clues.op == TIGHT_LEAKAGE:
        kind, _, time = clues.place.partition(" ")
        return clues.is_answer(over(clues.levels)[kind][int(time) - 1], SWEEPS_CLOSE)
    horizon, given = clues.case.input.get("horizon"), clues.given
    if clues.op != TIGHT_ALLOCATE or not isinstance(horizon, int) or given is None or not 0 < given < LARGEST_BUDGET:
        return False
    (alpha,) = clues.levels
    if not 0 < alpha < LARGEST_BUDGET or horizon > WORKED_OUT_RELEASES or _is_same(clues.truth or 0.0, given):
        return False
    return _is_same(alpha, max(over([given] * horizon)["tpl"]))


def _is_same(first: float, second: float) -> bool:
    return isclose(first, second, rel_tol=SWEEPS_CLOSE)


def _is_by(way: Way, clues: Clues) -> bool:
    """Whether the answer is what this way to work it out gives, and the right way does not."""
    backward, forward = _rows(clues)
    sizes = [len(rows) for rows in (backward, forward) if rows is not None]
    if not sizes or max(sizes) > SWEPT_STATES or len(clues.levels) > WORKED_OUT_RELEASES:
        return False
    if not all(level < LARGEST_BUDGET for level in clues.levels):
        return False
    if clues.op == TIGHT_SUPREMUM:
        values = [for_ever_by(way, clues.levels[0], backward, forward, releases) for releases in (200, 400)]
        return _is_same(*values) and clues.is_answer(values[1], SWEEPS_CLOSE)
    return _is_worked_out(clues, lambda epsilons: leakage_by(way, epsilons, backward, forward))


def _is_by_few_rounds(clues: Clues) -> bool:
    return any(_is_by(Way(rounds=rounds), clues) for rounds in FEW_ROUNDS)


def _is_the_papers(clues: Clues) -> bool:
    """Whether the answer is that of the paper's recursions, an upper bound."""
    sides = clues.sides.get("backward"), clues.sides.get("forward")
    if clues.op != TIGHT_SUPREMUM:
        return _is_worked_out(clues, lambda epsilons: recursions(epsilons, (_loss_of(sides[0]), _loss_of(sides[1]))))
    epsilon = clues.levels[0]
    bpl, fpl = (max(supremum_of(one, epsilon) for one in side.points) if side else epsilon for side in sides)
    return clues.is_answer(bpl + _loss_of(sides[1])(fpl), SWEEPS_CLOSE)


def _loss_of(side: MatrixClues | None) -> Callable[[float], float]:
    return side.loss if side else lambda _alpha: 0.0


def _ends_early(clues: Clues) -> bool:
    """Whether the supremum is what a stream of so many releases has."""
    backward, forward = _rows(clues)
    if not 0 < clues.levels[0] < LARGEST_BUDGET:
        return False
    return any(
        clues.is_answer(for_ever_by(RIGHT, clues.levels[0], backward, forward, releases), SWEEPS_CLOSE)
        for releases in range(1, 101)
    )


def _takes_the_whole_root(clues: Clues) -> bool:
    """Whether ∞ is answered where leakage is bounded: the Perron root of the whole matrix, 1, is above e^−ε always."""
    return clues.given == inf and clues.truth is not None and isfinite(clues.truth)


TIGHT_CAUSES = (
    Cause(
        "recursion-for-worst-case",
        "The answer is computed by the paper's bound instead of the exact worst case.",
        "For each pair of values, run the sweep c ← P^T(e^ε·c⁺ − c⁻) and find the zero of Σ(e^ε·c⁺ − c⁻) in λ "
        "(docs/tight.md).",
        (*LEVEL_ABOVE, *LEVEL_BELOW, *BUDGET_FAILURES),
        _is_the_papers,
        TIGHT_OPERATIONS,
    ),
    Cause(
        "pairs-apart",
        "The worst pair of values for the past and the worst pair for the future are combined, although they may be "
        "two different pairs.",
        "Use one pair for both: the maximum over (j, k) of log B_t(j,k) + log F_t(j,k), then add ε_t.",
        (*LEVEL_ABOVE, *BUDGET_FAILURES),
        partial(_is_by, Way(pairs_apart=True)),
        TIGHT_OPERATIONS,
    ),
    Cause(
        "own-budget-twice",
        "TPL counts the budget of its own time twice: in BPL and in FPL.",
        "Count it once: BPL_t + FPL_t − ε_t for a shared pair, or ε_t + log B_t(j,k) + log F_t(j,k).",
        (*LEVEL_ABOVE, *BUDGET_FAILURES),
        partial(_is_by, Way(own_twice=True)),
        TIGHT_OPERATIONS,
    ),
    Cause(
        "sweep-not-transposed",
        "The sweep multiplies by P instead of P^T.",
        "Use c ← P^T(e^ε·c⁺ − c⁻), which sums the weighted rows down each column.",
        (*LEVEL_ABOVE, *LEVEL_BELOW, *BUDGET_FAILURES),
        partial(_is_by, Way(turned=True)),
        TIGHT_OPERATIONS,
    ),
    Cause(
        "budgets-reversed",
        "The sweep uses the budgets in the wrong order, the farthest release first.",
        "Go from the release nearest to the time in question to the farthest, each with its own ε.",
        (*LEVEL_ABOVE, *LEVEL_BELOW),
        partial(_is_by, Way(reversed_budgets=True)),
        (TIGHT_LEAKAGE,),
    ),
    Cause(
        "few-rounds",
        "λ is improved a fixed number of times, but the number of rounds needed from λ = 1 grows with the number of "
        "releases.",
        "Iterate until λ no longer increases, starting from the λ of the previous horizon; or bisect on log λ.",
        (*LEVEL_BELOW, *BUDGET_FAILURES),
        _is_by_few_rounds,
        TIGHT_OPERATIONS,
    ),
    Cause(
        "ends-early",
        "The supremum is computed as the leakage of a fixed number of releases; later releases are ignored.",
        "Find a λ for which the sweep ends at or below 0, or shrinks, however many releases there are; round up.",
        LEVEL_BELOW,
        _ends_early,
        (TIGHT_SUPREMUM,),
    ),
    Cause(
        "whole-perron-root",
        "The answer is ∞ although leakage is bounded: e^ε is compared with the Perron root of a matrix of more than "
        "the transient values.",
        "The supremum is ∞ with two closed classes, a periodic one, or e^ε·ρ ≥ 1, where ρ is the Perron root of the "
        "transient values alone (docs/tight.md).",
        LEVEL_ABOVE[:1],
        _takes_the_whole_root,
        (TIGHT_SUPREMUM,),
    ),
)
"""The mistakes in the exact worst case."""
