"""Whether the exact worst case is bounded over an infinite horizon: the criterion, decided exactly, and by what.

Criterion. With one matrix and one budget ε > 0 at all times, the worst-case BPL (FPL) is bounded if and only if

(i) the chain of P^B (P^F) has exactly one closed class, and that class is aperiodic, and
(ii) e^ε·ρ(P_TT) < 1, ρ the spectral radius of the block of the transient values.

*Bounded*: on the closed class all f_t are within a factor of each other, because some power of its block is positive;
by (ii) what the transient values keep for themselves is summable, and each of them reaches the class. *Unbounded*:
with two closed classes, or two cyclic parts of one, S_t = “where j is at t, and k is not” gives f_t(j) = e^{εt} and
f_t(k) = 1. With a transient class C and w ≥ 0, e^ε·w P_CC ≥ w, the set S = C gives w·f_t ≥ e^ε w P_CC f_{t−1} + e^ε w
P_{C, out} 1: without bound, linearly where equality holds; k in a closed class has f_t(k) = 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb

from ..correlations import TransitionMatrix
from ..formulas import ball_of
from ..levels import Level
from ..surds import Exact, sign
from .classes import classes_of, cyclic_parts


@dataclass(frozen=True, slots=True)
class Boundedness:
    """What decides whether the leakage over an infinite horizon is bounded.

    closed: the closed classes, by index from 0. parts: the cyclic parts of the first of them. growing: a transient
    class C with e^ε·ρ(P_CC) ≥ 1, None where there is none.
    """

    closed: tuple[tuple[int, ...], ...]
    parts: tuple[tuple[int, ...], ...]
    growing: tuple[int, ...] | None

    @property
    def is_bounded(self) -> bool:
        """Whether the leakage is bounded."""
        return len(self.closed) == 1 and len(self.parts) == 1 and self.growing is None


def boundedness(correlation: TransitionMatrix, epsilon: Level) -> Boundedness:
    """Decide whether the exact worst case over an infinite horizon is bounded, and by what.

    Exact: a class C grows if and only if a leading principal minor of I − e^ε P_CC is not above 0, and a minor is a
    polynomial in e^ε with constant term 1, which no transcendental e^ε makes 0.

    Args:
        correlation: P^B for BPL or P^F for FPL, n × n.
        epsilon: the budget of every release, finite and above 0, in nats.

    Raises: Undecided.
    """
    found = classes_of(correlation.rows)
    growing = next((own for own in found.open if _grows(correlation, own, epsilon)), None)
    return Boundedness(found.closed, cyclic_parts(correlation.rows, found.closed[0]), growing)


def _grows(correlation: TransitionMatrix, own: Sequence[int], epsilon: Level) -> bool:
    """Whether e^ε·ρ ≥ 1 for the block of a class. Exact."""
    block = [[correlation.rows[a][b] for b in own] for a in own]

    def by_ball(excess: arb) -> int:
        return _pivots([[ball_of(p) for p in row] for row in block], 1 + excess, _certain, in_doubt=True)

    def exactly(excess: Exact) -> int:
        return _pivots(block, 1 + excess, sign, in_doubt=False)

    return epsilon.sign_of(by_ball, exactly) < 0


def _pivots(block: Sequence[Sequence[Any]], ratio: Any, sign_of: Callable[[Any], int], in_doubt: bool) -> int:
    """Eliminate I − e^ε·block; return 1 where all pivots are above 0, −1 where one is not.

    Args: in_doubt, whether a sign of 0 only says that it is not known; it is then returned.
    """
    rows = [[int(a == b) - ratio * p for b, p in enumerate(row)] for a, row in enumerate(block)]
    for index, row in enumerate(rows):
        pivot = row[index]
        if sign_of(pivot) <= 0:
            return sign_of(pivot) if in_doubt else -1
        for below in rows[index + 1 :]:
            factor = below[index] / pivot
            for column in range(index, len(rows)):
                below[column] = below[column] - factor * row[column]
    return 1


def _certain(value: arb) -> int:
    return int(value > 0) - int(value < 0)
