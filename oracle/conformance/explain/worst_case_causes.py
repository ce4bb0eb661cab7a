"""Likely causes of failures of the operations on the exact worst case, each proven by what the mistake would give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf, isfinite

import numpy as np

from .clues import BUDGET_FAILURES, LEVEL_ABOVE, LEVEL_BELOW, Cause, Clues, Point, is_same, loss_at, supremum_of
from .worst_case_mistakes import LARGEST_BUDGET, RIGHT, Doubles, Way, for_ever_by, leakage_by

TIGHT_LEAKAGE, TIGHT_SUPREMUM, TIGHT_ALLOCATE = TIGHT_OPERATIONS = ("tight_leakage", "tight_supremum", "tight_allocate")

RELEASES_WORKED_OUT, STATES_WORKED_OUT = 24, 8
"""Of more nothing is worked out."""

FEW_ROUNDS = range(1, 13)

Over = Callable[[Sequence[float]], dict[str, list[float]]]
"""BPL, FPL and TPL of releases with these budgets, as somebody works them out."""


def _sides(clues: Clues) -> tuple[Doubles | None, Doubles | None]:
    backward, forward = (clues.known.get(role) for role in ("backward", "forward"))
    return tuple(None if rows is None else np.array(rows) for rows in (backward, forward))  # type: ignore[return-value]


def _is_worked_out(clues: Clues, over: Over) -> bool:
    """Whether an answer is what somebody has who works leakage out so: of budgets, whether they attain α by it."""
    if clues.op == TIGHT_LEAKAGE:
        kind, _, time = clues.place.partition(" ")
        return clues.is_answer(over(clues.levels)[kind][int(time) - 1])
    horizon, given = clues.case.input.get("horizon"), clues.given
    if clues.op != TIGHT_ALLOCATE or not isinstance(horizon, int) or given is None or not 0 < given < LARGEST_BUDGET:
        return False
    (alpha,) = clues.levels
    if not 0 < alpha < LARGEST_BUDGET or horizon > RELEASES_WORKED_OUT or is_same(clues.truth, given):
        return False
    return is_same(alpha, max(over([given] * horizon)["tpl"]))


def _is_by(way: Way, clues: Clues) -> bool:
    """Whether the answer is what this way to work it out gives, and the right way does not."""
    backward, forward = _sides(clues)
    sizes = [len(rows) for rows in (backward, forward) if rows is not None]
    if not sizes or max(sizes) > STATES_WORKED_OUT or len(clues.levels) > RELEASES_WORKED_OUT:
        return False
    if not all(level < LARGEST_BUDGET for level in clues.levels):
        return False
    if clues.op == TIGHT_SUPREMUM:
        values = [for_ever_by(way, clues.levels[0], backward, forward, releases) for releases in (200, 400)]
        return is_same(*values) and clues.is_answer(values[1])
    return _is_worked_out(clues, lambda epsilons: leakage_by(way, epsilons, backward, forward))


def _is_by_few_rounds(clues: Clues) -> bool:
    return any(_is_by(Way(rounds=rounds), clues) for rounds in FEW_ROUNDS)


def _is_the_papers(clues: Clues) -> bool:
    """Whether the answer is that of the paper's recursions, an upper bound."""
    backward, forward = (clues.pieces.get(role, [(0.0, 0.0, 0.0, inf)]) for role in ("backward", "forward"))
    if clues.op != TIGHT_SUPREMUM:
        return _is_worked_out(clues, lambda epsilons: _recursions(epsilons, backward, forward))
    epsilon = clues.levels[0]
    bpl, fpl = (max(supremum_of(q, d, epsilon) for q, d, *_ in pieces) for pieces in (backward, forward))
    return clues.is_answer(bpl + _loss(forward, fpl))


def _recursions(
    epsilons: Sequence[float], backward: Sequence[Point], forward: Sequence[Point]
) -> dict[str, list[float]]:
    bpl, fpl = (_recursion(order, pieces) for order, pieces in ((epsilons, backward), (epsilons[::-1], forward)))
    fpl.reverse()
    later = [*(_loss(forward, level) for level in fpl[1:]), 0.0]
    return {"bpl": bpl, "fpl": fpl, "tpl": [level + loss for level, loss in zip(bpl, later, strict=True)]}


def _recursion(epsilons: Sequence[float], pieces: Sequence[Point]) -> list[float]:
    levels = [*epsilons[:1]]
    for epsilon in epsilons[1:]:
        levels.append(epsilon + _loss(pieces, levels[-1]))
    return levels


def _loss(pieces: Sequence[Point], alpha: float) -> float:
    return max(loss_at(q, d, alpha) for q, d, *_ in pieces)


def _ends_early(clues: Clues) -> bool:
    """Whether the supremum is what a stream of so many releases has."""
    backward, forward = _sides(clues)
    if not 0 < clues.levels[0] < LARGEST_BUDGET:
        return False
    return any(
        clues.is_answer(for_ever_by(RIGHT, clues.levels[0], backward, forward, releases)) for releases in range(1, 101)
    )


def _takes_the_whole_root(clues: Clues) -> bool:
    """Whether ∞ is answered where leakage is bounded: the Perron root of the whole matrix, 1, is above e^−ε always."""
    return clues.given == inf and clues.truth is not None and isfinite(clues.truth)


TIGHT_CAUSES = (
    Cause(
        "recursion-for-worst-case",
        "The paper's recursion is answered, which only bounds the exact worst case.",
        "The sweep c ← P^T(e^ε·c⁺ − c⁻) and the zero of Σ(e^ε·c⁺ − c⁻) in λ, for each pair of values (docs/tight.md).",
        (*LEVEL_ABOVE, *LEVEL_BELOW, *BUDGET_FAILURES),
        _is_the_papers,
        TIGHT_OPERATIONS,
    ),
    Cause(
        "pairs-apart",
        "The worst pair of values of the past and that of the future are put together, which may be two pairs.",
        "One pair is shared: max over (j, k) of log B_t(j,k) + log F_t(j,k), then + ε_t.",
        (*LEVEL_ABOVE, *BUDGET_FAILURES),
        partial(_is_by, Way(pairs_apart=True)),
        TIGHT_OPERATIONS,
    ),
    Cause(
        "own-budget-twice",
        "The budget of a time counts twice in TPL, in BPL and in FPL.",
        "Once: BPL_t + FPL_t − ε_t for a shared pair, or ε_t + log B_t(j,k) + log F_t(j,k).",
        (*LEVEL_ABOVE, *BUDGET_FAILURES),
        partial(_is_by, Way(own_twice=True)),
        TIGHT_OPERATIONS,
    ),
    Cause(
        "sweep-not-transposed",
        "The sweep multiplies by P where it must be by P^T.",
        "c ← P^T(e^ε·c⁺ − c⁻): what the rows are weighted with goes back along the columns.",
        (*LEVEL_ABOVE, *LEVEL_BELOW, *BUDGET_FAILURES),
        partial(_is_by, Way(turned=True)),
        TIGHT_OPERATIONS,
    ),
    Cause(
        "budgets-reversed",
        "The sweep meets the budgets in the wrong order: the farthest release first.",
        "From the release nearest to the time in question to the farthest, each with its own ε.",
        (*LEVEL_ABOVE, *LEVEL_BELOW),
        partial(_is_by, Way(reversed_budgets=True)),
        (TIGHT_LEAKAGE,),
    ),
    Cause(
        "few-rounds",
        "λ is improved a fixed number of times: rounds from λ = 1 grow with the number of releases.",
        "Until λ rises no more, from the λ of the last horizon on; or bisect on log λ.",
        (*LEVEL_BELOW, *BUDGET_FAILURES),
        _is_by_few_rounds,
        TIGHT_OPERATIONS,
    ),
    Cause(
        "ends-early",
        "The supremum is the leakage of so many releases: what comes after is left out.",
        "A λ with which the sweep ends at or below 0, or shrinks, for however many releases; rounded up.",
        LEVEL_BELOW,
        _ends_early,
        (TIGHT_SUPREMUM,),
    ),
    Cause(
        "whole-perron-root",
        "∞ is answered where leakage is bounded: e^ε is held against the Perron root of more than transient values.",
        "∞ with two closed classes, a periodic one, or e^ε·ρ ≥ 1 for ρ of the transient values alone (docs/tight.md).",
        LEVEL_ABOVE[:1],
        _takes_the_whole_root,
        (TIGHT_SUPREMUM,),
    ),
)
"""The mistakes in the exact worst case."""
