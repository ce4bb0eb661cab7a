"""The usual formulas in doubles, as everybody writes them: what an audit compares with the exact values.

Nothing here is repaired: e^α − 1 is exp(α) − 1, a loss is the logarithm of a quotient, a loop ends when two doubles
are equal. Vectors follow numpy (x/0 is inf or nan), scalars follow Python (x/0 is an error). A loop that would not end
says so instead. Only `careful_loss` is what the others should have been.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ..reference import TransitionMatrix
from ..solvers.floats import Doubles
from .transcriptions import bisection, halved

MOST_TURNS = 1_000
"""Turns after which a fixed point is given up."""

DoubleLoss = Callable[[float], float]


class AnswerKind(Enum):
    """What came of a computation in doubles."""

    NUMBER = "a number"
    NAN = "nan"
    COMPLEX = "a complex number"
    OVERFLOW = "overflow"
    DIVISION = "division by zero"
    DOMAIN = "log domain error"
    ENDLESS = "no end"


@dataclass(frozen=True, slots=True)
class DoubleAnswer:
    """The outcome of a computation in doubles. value: the number; with ENDLESS where the loop stands, if anywhere."""

    kind: AnswerKind
    value: float | None = None
    detail: str = ""


class Endless(ArithmeticError):
    """A loop that would not end; where it stands."""

    def __init__(self, message: str, value: float | None = None) -> None:
        super().__init__(message)
        self.value = value


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of rows of doubles, stacked: the k-th is q[k] over d[k]; rows has their indices."""

    q: Doubles
    d: Doubles
    rows: NDArray[np.int64]


def attempt(work: Callable[[], object]) -> DoubleAnswer:
    """Run a computation and say what came of it."""
    try:
        with np.errstate(all="ignore"):
            found = work()
    except ZeroDivisionError as error:
        return DoubleAnswer(AnswerKind.DIVISION, detail=str(error))
    except OverflowError as error:
        return DoubleAnswer(AnswerKind.OVERFLOW, detail=str(error))
    except ValueError as error:
        return DoubleAnswer(AnswerKind.DOMAIN, detail=str(error))
    except Endless as error:
        stands = None if error.value is None or math.isnan(error.value) else float(error.value)
        return DoubleAnswer(AnswerKind.ENDLESS, stands, str(error))
    if isinstance(found, complex):
        return DoubleAnswer(AnswerKind.COMPLEX, detail=str(found))
    assert isinstance(found, float)
    return DoubleAnswer(AnswerKind.NAN) if math.isnan(found) else DoubleAnswer(AnswerKind.NUMBER, float(found))


def entries_of(matrix: TransitionMatrix) -> Doubles:
    """Return the nearest double of each entry."""
    return np.array([[float(entry) for entry in row] for row in matrix.rows])


def pairs_of(entries: Doubles, chosen: Sequence[tuple[int, int]] | None = None) -> Pairs:
    """Stack the ordered pairs of distinct rows, all of them or those chosen."""
    if chosen is None:
        rows = np.argwhere(~np.eye(len(entries), dtype=bool))
    else:
        rows = np.array(chosen, dtype=np.int64).reshape(-1, 2)
    return Pairs(entries[rows[:, 0]], entries[rows[:, 1]], rows)


def algorithm_1(pairs: Pairs, alpha: float, as_printed: bool = False) -> float:
    """L(α) by Algorithm 1 [algo:cal_bpl], by pairs. as_printed: `update` is never set back. Raises: Endless."""
    return float(np.log(_solved(pairs, alpha, as_printed)[0].max(initial=1.0)))


def first_step_pair(pairs: Pairs, alpha: float) -> tuple[float, float]:
    """Return the q and d that Algorithm 1 ends with at α."""
    if not len(pairs.rows):
        return 0.0, 0.0
    ratio, q, d = _solved(pairs, alpha, as_printed=False)
    best = ratio.argmax()
    return float(q[best]), float(d[best])


def _solved(pairs: Pairs, alpha: float, as_printed: bool) -> tuple[Doubles, Doubles, Doubles]:
    """Run lines 3 to 11 for all pairs: (q·(e^α − 1) + 1)/(d·(e^α − 1) + 1), q and d of each."""
    excess = np.exp(np.float64(alpha)) - 1
    quotients = pairs.q / pairs.d
    chosen = pairs.q > pairs.d
    while True:
        q, d = (pairs.q * chosen).sum(axis=1), (pairs.d * chosen).sum(axis=1)
        ratio = (q * excess + 1) / (d * excess + 1)
        removed = chosen & (quotients <= ratio[:, np.newaxis])
        if not removed.any():
            return ratio, q, d
        if as_printed:
            pair, column = np.argwhere(removed)[0]
            row_q, row_d = pairs.rows[pair] + 1
            raise Endless(f"rows {row_q}/{row_d}: column {column + 1} leaves, and the loop repeats forever")
        chosen &= ~removed


@dataclass(frozen=True, slots=True)
class Transitions:
    """qArr, dArr and aArr of each pair, as many entries as `sizes` says; gains: sums of q_j − d_j, not of the paper."""

    pairs: Pairs
    q: Doubles
    d: Doubles
    levels: Doubles
    sizes: NDArray[np.int64]
    gains: Doubles


def algorithm_2(pairs: Pairs) -> Transitions:
    """Precompute by Algorithm 2 [algo:precomp1], line 11 with its "+ 1"."""
    with np.errstate(all="ignore"):
        chosen = pairs.q > pairs.d
        order = np.argsort(np.where(chosen, -(pairs.q / pairs.d), np.inf), axis=1, kind="stable")
        q, d = (np.take_along_axis(np.where(chosen, rows, 0), order, axis=1) for rows in (pairs.q, pairs.d))
        q_sums, d_sums = q.cumsum(axis=1), d.cumsum(axis=1)
        levels = np.log((q - d) / (q_sums * d - d_sums * q) + 1)
    return Transitions(pairs, q_sums, d_sums, levels, chosen.sum(axis=1), (q - d).cumsum(axis=1))


def algorithm_3(transitions: Transitions, alpha: float) -> float:
    """L(α) by Algorithm 3 [algo:calc_precomp], line 5 with dArr: k with aArr[k] > α ≥ aArr[k + 1] by halving."""
    excess = np.exp(np.float64(alpha)) - 1
    best = np.float64(1)
    for pair, size in enumerate(transitions.sizes.tolist()):
        if size:
            low = halved(alpha, transitions.levels[pair], size)
            q, d = transitions.q[pair, low], transitions.d[pair, low]
            best = np.maximum(best, (q * excess + 1) / (d * excess + 1))
    return float(np.log(best))


_LINEAR = 2.0**-1000
"""A level below it is its own e^α − 1, and no other term counts; its inverse may be beyond doubles."""


def careful_loss(transitions: Transitions, alpha: float) -> float:
    """L(α) in doubles without cancellation, overflow or a decision: the greatest over all the prefixes of all pairs.

    It has expm1 and log1p, sums of q_j − d_j, and 1/(e^α − 1) instead of e^α − 1. Still rounded to nearest, so that
    many answers lie below the truth.
    """
    if alpha == 0 or not transitions.gains.size:
        return 0.0
    level = np.float64(alpha)
    if alpha < _LINEAR:
        return float(np.maximum(transitions.gains.max(), 0) * level)
    inverse = np.exp(-level) / -np.expm1(-level)
    gains, d = transitions.gains, transitions.d
    below = np.where(gains > 0, d + inverse, 1)
    with np.errstate(all="ignore"):
        losses = np.where(np.isfinite(gains / below), np.log1p(gains / below), np.log(gains) - np.log(below))
    apart = (gains > 0) & (d == 0)
    if alpha > 1 and apart.any():
        reach = transitions.q[apart].max()
        losses[apart] = level + np.log(reach + (1 - reach) * np.exp(-level))
    return float(losses.max())


def theorem_11(q: float, d: float, epsilon: float) -> float | complex:
    """Return the supremum by the four cases of Theorem 11 [thm:sup], as printed."""
    if d != 0:
        root = (4 * d * math.exp(epsilon) * (1 - q) + (d + q * math.exp(epsilon) - 1) ** 2) ** 0.5
        ratio = (root + d + q * math.exp(epsilon) - 1) / (2 * d)
        return cmath.log(ratio) if isinstance(ratio, complex) else math.log(ratio)
    if q == 1:
        return math.inf
    if epsilon <= math.log(1 / q):
        return math.log((1 - q) * math.exp(epsilon) / (1 - q * math.exp(epsilon)))
    return math.inf


def supremum_from_first_step(pairs: Pairs, epsilon: float) -> float | complex:
    """Return the supremum by Theorem 11 with the q and d of the first step, as the theorem is usually read."""
    return theorem_11(*first_step_pair(pairs, epsilon), epsilon)


def supremum_by_iteration(loss: DoubleLoss, epsilon: float) -> float:
    """Return the level at which α = L(α) + ε stands still. Raises: Endless after `MOST_TURNS`."""
    alpha, seen = epsilon, {epsilon}
    for turn in range(1, MOST_TURNS + 1):
        following = loss(alpha) + epsilon
        if following == alpha or math.isnan(following):
            return following
        if following in seen:
            raise Endless(f"cycles between doubles from iteration {turn} on", following)
        seen.add(following)
        alpha = following
    raise Endless(f"still rising after {MOST_TURNS} turns", alpha)


def recursion(loss: DoubleLoss, epsilons: Sequence[float]) -> list[float]:
    """Return BPL (or FPL, from the end) at each time: Eq. [eq:bpl_f]."""
    levels: list[float] = []
    for epsilon in epsilons:
        levels.append(loss(levels[-1]) + epsilon if levels else epsilon)
    return levels


def middle_budget(backward: DoubleLoss, forward: DoubleLoss, alpha: float) -> float:
    """Return the middle budget of Algorithm 8 [algo:release2] by bisection. Raises: Endless with where it stands."""

    def turn(state: tuple[float, float]) -> None:
        first, step = state
        if first + step / 2 == first:
            raise Endless("the halves have become too small to change anything, and α is not met", left(first))

    def order(first: float) -> int:
        reached = forward(alpha - backward(first)) + first
        return 0 if reached == alpha else 1 if reached > alpha else -1

    def left(first: float) -> float:
        return first - backward(first)

    return left(bisection(alpha / 2, alpha, order, turn))
