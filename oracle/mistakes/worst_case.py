"""Mistakes in the exact worst case, each by what it makes of moderate inputs in doubles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product
from math import inf, isclose, log

import numpy as np

from ..solvers.floats import Doubles
from ..solvers.loss.shapes import recursions
from .mistake import BUDGET_FAILURES, LEVEL_ABOVE, LEVEL_BELOW, Clues, Mistake, Tells, WrongNumbers
from .question import WORKED_OUT_RELEASES, MatrixInDoubles, Question, supremum_of
from .steps import level_at, papers_leakage

WORST_CASE_LEAKAGE, WORST_CASE_SUPREMUM, WORST_CASE_ALLOCATE = WORST_CASE_OPERATIONS = (
    "worst_case_leakage",
    "worst_case_supremum",
    "worst_case_allocate",
)

SWEPT_STATES, SWEPT_RELEASES = 8, 100
"""Larger inputs are not worked out."""

SWEEPS_CLOSE = 1e-9
"""Relative distance within which an answer is what these sweeps give in doubles."""

MANY_ROUNDS, FEW_ROUNDS = 200, range(1, 21)
NO_RISE = 1e-13

LARGEST_BUDGET = 100.0
"""Larger budgets are not worked out: e^ε, several times over, overflows."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to work out the exact worst case; by default the right one.

    turned: the sweep multiplies by P where P^T is right. rounds: λ is improved at most this many times.
    reversed_budgets: the farthest budget is taken for the nearest. pairs_apart: past and future have a pair of values
    each. own_twice: the budget of a time counts in its past and in its future.
    """

    turned: bool = False
    rounds: int = MANY_ROUNDS
    reversed_budgets: bool = False
    pairs_apart: bool = False
    own_twice: bool = False


RIGHT = Way()


def ratios(rows: Doubles | None, budgets: Sequence[float], way: Way = RIGHT) -> Doubles:
    """Return max (P_j·f)/(P_k·f) for all pairs j·n + k, from sets that sweeps improve; 1 without a matrix or budgets.

    Args: budgets, the nearest first.
    """
    if rows is None or not budgets:
        return np.ones(1)
    return _swept(tuple(map(tuple, rows.tolist())), tuple(budgets), replace(way, pairs_apart=False, own_twice=False))


@lru_cache(maxsize=4096)
@np.errstate(all="ignore")
def _swept(matrix: tuple[tuple[float, ...], ...], budgets: tuple[float, ...], way: Way) -> Doubles:
    rows = np.array(matrix)
    n, between = len(rows), rows.T if way.turned else rows
    growth = np.exp(budgets[::-1] if way.reversed_budgets else budgets)
    best = np.ones(n * n)
    for _ in range(way.rounds):
        u, v = np.repeat(rows, n, axis=0), np.tile(rows, (n, 1))
        for place, factor in enumerate(growth):
            if place:
                scale = (u + v).max(axis=1, keepdims=True)
                u, v = u / scale @ between, v / scale @ between
            grown = np.where(u > best[:, np.newaxis] * v, factor, 1.0)
            u, v = u * grown, v * grown
        found = np.fmax(best, u.sum(axis=1) / v.sum(axis=1))
        if not (found > best * (1 + NO_RISE)).any():
            break
        best = found
    return best


def leakage_at(
    way: Way, t: int, epsilons: Sequence[float], backward: Doubles | None, forward: Doubles | None
) -> dict[str, float]:
    """Return BPL, FPL and TPL at time t, from 0, worked out in this way."""
    past, own = np.log(ratios(backward, epsilons[:t][::-1], way)), epsilons[t]
    future = np.log(ratios(forward, epsilons[t + 1 :], way))
    return {
        "bpl": own + float(past.max()),
        "fpl": own + float(future.max()),
        "tpl": own + _together(way, past, future, own),
    }


def _together(way: Way, past: Doubles, future: Doubles, own: float) -> float:
    both = past.max() + future.max() if way.pairs_apart else (past + future).max()
    return float(both) + (own if way.own_twice else 0.0)


def for_ever_by(way: Way, epsilon: float, backward: Doubles | None, forward: Doubles | None, releases: int) -> float:
    """Return TPL between this many releases before and after, all of one budget, worked out in this way."""
    past, future = (np.log(ratios(rows, [epsilon] * releases, way)) for rows in (backward, forward))
    found = epsilon + _together(way, past, future, epsilon)
    return found if np.isfinite(found) else inf


At = Callable[[int, Sequence[float]], dict[str, float]]
"""BPL, FPL and TPL at a time of releases with these budgets, worked out in some way."""


def _rows(question: Question) -> tuple[Doubles | None, Doubles | None] | None:
    """Return both matrices; None where the question is not worked out."""
    sides = [question.sides.get(role) for role in ("backward", "forward")]
    sizes = [side.matrix.n for side in sides if side]
    is_small = sizes and max(sizes) <= SWEPT_STATES and len(question.levels) <= SWEPT_RELEASES
    if not is_small or not all(level < LARGEST_BUDGET for level in question.levels):
        return None
    backward, forward = (side.rows if side else None for side in sides)
    return backward, forward


def _ways(ways: Sequence[Way], question: Question) -> Iterator[At]:
    rows = _rows(question)
    for way in ways if rows else ():
        yield partial(leakage_at, way, backward=rows[0], forward=rows[1])  # type: ignore[index]


def _gives(ways: Sequence[Way], question: Question) -> Iterator[float | None]:
    rows = _rows(question)
    if question.op == WORST_CASE_LEAKAGE:
        yield from (at(question.time, question.levels)[question.kind] for at in _ways(ways, question))
    elif question.op == WORST_CASE_SUPREMUM and rows:
        for way in ways:
            values = [for_ever_by(way, question.levels[0], *rows, releases) for releases in (200, 400)]
            yield values[1] if _is_same(*values) else None


def _attains(ways: Iterable[At], clues: Clues) -> list[int]:
    """Return the places of those of these ways to work out leakage in which a budget is the one that attains α."""
    horizon, given = clues.input.get("horizon"), clues.given
    if (
        clues.op != WORST_CASE_ALLOCATE
        or not isinstance(horizon, int)
        or given is None
        or not 0 < given < LARGEST_BUDGET
    ):
        return []
    (alpha,) = clues.levels
    if not 0 < alpha < LARGEST_BUDGET or horizon > WORKED_OUT_RELEASES or _is_same(clues.truth or 0.0, given):
        return []
    budgets = [given] * horizon
    return [
        place for place, at in enumerate(ways) if _is_same(alpha, max(at(t, budgets)["tpl"] for t in range(horizon)))
    ]


def _is_same(first: float, second: float) -> bool:
    return isclose(first, second, rel_tol=SWEEPS_CLOSE)


def _by_the_paper(question: Question) -> At:
    def at(t: int, epsilons: Sequence[float]) -> dict[str, float]:
        return {kind: levels[t] for kind, levels in recursions(epsilons, question.losses(MatrixInDoubles.loss)).items()}

    return at


def _papers(question: Question) -> Iterator[float]:
    """Yield what the paper's recursions give, an upper bound."""
    if question.is_stepwise:
        yield level_at(papers_leakage(question, question.read.correlations), question)
    elif question.op == WORST_CASE_LEAKAGE:
        yield _by_the_paper(question)(question.time, question.levels)[question.kind]
    elif question.op == WORST_CASE_SUPREMUM:
        epsilon, sides = question.levels[0], (question.sides.get("backward"), question.sides.get("forward"))
        bpl, fpl = (max(supremum_of(one, epsilon) for one in side.points) if side else epsilon for side in sides)
        yield bpl + question.losses(MatrixInDoubles.loss)[1](fpl)


def _ends_early(question: Question) -> Iterator[float]:
    """Yield what a stream of each length has, for the supremum."""
    rows = _rows(question)
    if rows and question.levels[0] > 0:
        yield from (for_ever_by(RIGHT, question.levels[0], *rows, releases) for releases in range(1, 101))


def _one_set(question: Question) -> Iterator[float]:
    """Yield the last BPL by the best set of values, if one set is asked about at all times."""
    rows = _rows(question)
    backward = rows[0] if rows else None
    if backward is None or question.place != f"bpl {len(question.levels)}":
        return
    best, (*budgets, own) = 1.0, question.levels
    for chosen in product((False, True), repeat=len(backward)):
        f = np.ones(len(backward))
        for budget in budgets:
            f = backward @ np.where(chosen, np.exp(budget) * f, f)
        best = max(best, float(f.max() / f.min()))
    yield own + log(best)


def _by(*ways: Way, ops: tuple[str, ...] = WORST_CASE_OPERATIONS) -> tuple[WrongNumbers, tuple[str, ...], Tells]:
    """Return what a mistake gives, its operations, and what tells it, if one of these ways is taken."""
    return partial(_gives, ways), ops, lambda clues: _attains(_ways(ways, clues), clues)


WORST_CASE_MISTAKES = (
    Mistake(
        "recursion-for-worst-case",
        "The answer is computed by the paper's bound instead of the exact worst case.",
        "For each pair of values, run the sweep c ← P^T(e^ε·c⁺ − c⁻) and find the zero of Σ(e^ε·c⁺ − c⁻) in λ "
        "(docs/worst-case.md).",
        (*LEVEL_ABOVE, *LEVEL_BELOW, *BUDGET_FAILURES),
        _papers,
        WORST_CASE_OPERATIONS,
        lambda clues: () if clues.is_stepwise else _attains([_by_the_paper(clues)], clues),
        close=SWEEPS_CLOSE,
        flags=("RecursionAbove", "FiniteAfterAll"),
        errata="E36",
    ),
    Mistake(
        "pairs-apart",
        "The worst pair of values for the past and the worst pair for the future are combined, although they may be "
        "two different pairs.",
        "Use one pair for both: the maximum over (j, k) of log B_t(j,k) + log F_t(j,k), then add ε_t.",
        (*LEVEL_ABOVE, *BUDGET_FAILURES),
        *_by(Way(pairs_apart=True)),
        close=SWEEPS_CLOSE,
        flags=("PairIsShared",),
    ),
    Mistake(
        "own-budget-twice",
        "TPL counts the budget of its own time twice: in BPL and in FPL.",
        "Count it once: BPL_t + FPL_t − ε_t for a shared pair, or ε_t + log B_t(j,k) + log F_t(j,k).",
        (*LEVEL_ABOVE, *BUDGET_FAILURES),
        *_by(Way(own_twice=True)),
        close=SWEEPS_CLOSE,
    ),
    Mistake(
        "sweep-not-transposed",
        "The sweep multiplies by P instead of P^T.",
        "Use c ← P^T(e^ε·c⁺ − c⁻), which sums the weighted rows down each column.",
        (*LEVEL_ABOVE, *LEVEL_BELOW, *BUDGET_FAILURES),
        *_by(Way(turned=True)),
        close=SWEEPS_CLOSE,
        flags=("TransposedSweep",),
    ),
    Mistake(
        "budgets-reversed",
        "The sweep uses the budgets in the wrong order, the farthest release first.",
        "Go from the release nearest to the time in question to the farthest, each with its own ε.",
        (*LEVEL_ABOVE, *LEVEL_BELOW),
        *_by(Way(reversed_budgets=True), ops=(WORST_CASE_LEAKAGE,)),
        close=SWEEPS_CLOSE,
    ),
    Mistake(
        "few-rounds",
        "λ is improved a fixed number of times, but the number of rounds needed from λ = 1 grows with the number of "
        "releases.",
        "Iterate until λ no longer increases, starting from the λ of the previous horizon; or bisect on log λ.",
        (*LEVEL_BELOW, *BUDGET_FAILURES),
        *_by(*(Way(rounds=rounds) for rounds in FEW_ROUNDS)),
        close=SWEEPS_CLOSE,
        flags=("ManyRounds",),
    ),
    Mistake(
        "ends-early",
        "The supremum is computed as the leakage of a fixed number of releases; later releases are ignored.",
        "Find a λ for which the sweep ends at or below 0, or shrinks, however many releases there are; round up.",
        LEVEL_BELOW,
        _ends_early,
        (WORST_CASE_SUPREMUM,),
        close=SWEEPS_CLOSE,
    ),
    Mistake("one-set-for-all", gives=_one_set, ops=(WORST_CASE_LEAKAGE,), flags=("SetsMove",)),
)
"""The mistakes in the exact worst case."""
