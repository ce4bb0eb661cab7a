"""The worst mechanisms for one time, as questions that are answered by randomized response.

Which questions is the proposal of `certificates.worst_case`; what they attain is multiplied out here from the matrices
and budgets alone, exactly. That no mechanism attains more is what a `tight-upper` certificate says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..certificates.worst_case import tight_lower_certificate
from ..reference.correlations import TransitionMatrix
from ..reference.levels import ZERO, Level
from ..reference.worst_case.sweep import ValuePair
from ..solvers.worst_case.best_sets import AttainedRatio, StepMatrices


@dataclass(frozen=True, slots=True)
class Attack:
    """At each time the question “is the value in the set?”, answered by randomized response; “yes” every time.

    time: of the value in question, from 1. pair: the values j and k, from 0, whose odds move. sets: for each time from
    1 on the values, from 0; empty where no question is worth asking. level: by how much “yes” to them all moves the
    odds of j against k at that time, exact. backward, forward: what the adversary knows.
    """

    time: int
    epsilons: tuple[Level, ...]
    pair: ValuePair
    sets: tuple[frozenset[int], ...]
    level: Level
    backward: TransitionMatrix | None
    forward: TransitionMatrix | None


def worst_attack(
    epsilons: Sequence[Level],
    time: int,
    backward: TransitionMatrix | None = None,
    forward: TransitionMatrix | None = None,
    digits: int = 17,
) -> Attack:
    """Return the questions that move the odds of two values at a time the most.

    Args: epsilons, finite; time, from 1; backward, P^B, forward, P^F, None where not known: with one alone it is about
    BPL or FPL. Returns: the attack; its level is a *lower* bound of the tight TPL at that time, and equals it to these
    digits. Raises: InvalidRequest, also with fewer than two values; Undecided.
    """
    found = tight_lower_certificate(epsilons, time, backward, forward, digits)
    n = next(matrix.n for matrix in (backward, forward) if matrix is not None)
    rows: Any = found["rows"]
    sides: Any = (found["past"], found["future"])
    j, k = (row - 1 for row in rows)
    past, future = ([frozenset(a - 1 for a in chosen) for chosen in side] for side in sides)
    past = past or [frozenset()] * (time - 1)
    future = future or [frozenset()] * (len(epsilons) - time)
    near = next((own for own in (*past[-1:], *future[-1:]) if j in own and k not in own), frozenset([j]))
    asked = [
        frozenset() if len(own) == n or epsilon.is_zero else own
        for own, epsilon in zip([*past, near, *reversed(future)], epsilons, strict=True)
    ]
    level = epsilons[time - 1]
    for matrix, sets, budgets in (
        (backward, asked[: time - 1][::-1], epsilons[: time - 1][::-1]),
        (forward, asked[time:], epsilons[time:]),
    ):
        if matrix is not None and sets:
            level = level + _attained(matrix, (j, k), sets, budgets)
    return Attack(time, tuple(epsilons), (j, k), tuple(asked), level, backward, forward)


def _attained(
    matrix: TransitionMatrix, pair: ValuePair, sets: Sequence[frozenset[int]], budgets: Sequence[Level]
) -> Level:
    """Return by how much “yes” to questions on one side of a time moves the odds; the nearest question first."""
    if matrix.rows[pair[0]] == matrix.rows[pair[1]] or not any(sets):
        return ZERO
    chosen = tuple(tuple(a in own for a in range(matrix.n)) for own in sets)
    return Level.of_formula(AttainedRatio.of_sets(StepMatrices([matrix.rows] * len(sets)), pair, chosen), budgets)
