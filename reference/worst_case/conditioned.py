"""The chain of a person of whom some values are known: it has matrices of its own for each step (Doob's transform).

The adversary of Definition 4 [def:adversary_t] knows none of them. Given l^s = c for some times s the values are
still a chain: Pr(l^{t+1} = b | l^t = a, known) ∝ P(a, b)·h_{t+1}(b) with h_t(a) = Pr(known from t on | l^t = a), and
backwards ∝ f_t(a)·P(a, b) with f_t(a) = Pr(l^t = a, what is known up to t). So every theorem about chains with matrices
of their own answers exactly. Knowing a value often raises what a stream tells of the others; of itself nothing is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..correlations import Row, TransitionMatrix, check_initial
from ..errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class ConditionedChain:
    """The matrices of each step, and the values that are possible at each time, as `worst_case_leakage` takes them."""

    backward: tuple[TransitionMatrix, ...]
    forward: tuple[TransitionMatrix, ...]
    possible: tuple[frozenset[int], ...]


def conditioned(forward: TransitionMatrix, initial: Row, known: Mapping[int, int], releases: int) -> ConditionedChain:
    """Return the chain given some of its values. Exact.

    Args: forward, P^F; initial, the distribution of l^1; known, values from 0 by time from 1, also after the last
    release; releases, T ≥ 1. Returns: the chain at the times 1..T; rows of values that are impossible are the uniform
    distribution, which nothing reads. Raises: InvalidRequest for a value that there is not, and where what is known is
    impossible; as `check_initial`.
    """
    n = forward.n
    check_initial(initial, n)
    for time, value in known.items():
        if time < 1 or not 0 <= value < n:
            raise InvalidRequest(f"time {time}, value {value + 1}: times are from 1, and values from 1 to {n}")
    last = max(releases, *known) if known else releases

    def seen(time: int, weights: Sequence[Fraction]) -> list[Fraction]:
        only = known.get(time)
        return [weight if only is None or a == only else Fraction(0) for a, weight in enumerate(weights)]

    ahead = [seen(last, [Fraction(1)] * n)]
    for time in range(last - 1, 0, -1):
        ahead.append(_scaled(seen(time, [_dot(row, ahead[-1]) for row in forward.rows])))
    ahead.reverse()
    columns = list(zip(*forward.rows, strict=True))
    behind = [_scaled(seen(1, initial))]
    for time in range(2, releases + 1):
        behind.append(_scaled(seen(time, [_dot(behind[-1], column) for column in columns])))
    possible = tuple(frozenset(a for a in range(n) if behind[t][a] and ahead[t][a]) for t in range(releases))
    if not all(possible):
        raise InvalidRequest("what is known of this person is impossible by this chain")
    return ConditionedChain(
        tuple(_matrix([_times(column, behind[t]) for column in columns]) for t in range(releases - 1)),
        tuple(_matrix([_times(row, ahead[t + 1]) for row in forward.rows]) for t in range(releases - 1)),
        possible,
    )


def _dot(weights: Sequence[Fraction], values: Sequence[Fraction]) -> Fraction:
    return sum((weight * value for weight, value in zip(weights, values, strict=True)), Fraction(0))


def _times(weights: Sequence[Fraction], values: Sequence[Fraction]) -> list[Fraction]:
    return [weight * value for weight, value in zip(weights, values, strict=True)]


def _scaled(weights: Sequence[Fraction]) -> list[Fraction]:
    """Divide by the greatest, which changes no conditional probability; all zeros stay."""
    most = max(weights)
    return [weight / most for weight in weights] if most else list(weights)


def _matrix(rows: Sequence[Sequence[Fraction]]) -> TransitionMatrix:
    totals = [sum(row, Fraction(0)) for row in rows]
    return TransitionMatrix(
        tuple(
            tuple(weight / total if total else Fraction(1, len(rows)) for weight in row)
            for row, total in zip(rows, totals, strict=True)
        )
    )
