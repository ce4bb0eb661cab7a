"""The worst mechanisms for one time, as questions that are answered by randomized response.

Which questions is the proposal of `certificates.worst_case`; what they attain is multiplied out here from the matrices
and budgets alone, exactly. That no mechanism attains more is what a `worst-case-upper` certificate says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..certificates.worst_case import worst_case_lower_certificate
from ..reference.correlations import Row, TransitionMatrix
from ..reference.levels import ZERO, Level
from ..reference.stepwise import KnownCorrelation, matrices_in, matrices_over
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
    backward: KnownCorrelation | None
    forward: KnownCorrelation | None

    @property
    def n(self) -> int:
        """The number of values."""
        return next(matrix.n for own in (self.backward, self.forward) for matrix in matrices_in(own))

    def leading(self) -> tuple[list[TransitionMatrix] | None, list[TransitionMatrix] | None]:
        """Return, before and after the time in question, the matrix that leads to each time, the nearest first."""
        steps = len(self.epsilons) - 1
        before, after = (
            None if own is None else list(matrices_over(own, steps, "a correlation"))
            for own in (self.backward, self.forward)
        )
        return before and before[: self.time - 1][::-1], after and after[self.time - 1 :]


def worst_attack(
    epsilons: Sequence[Level],
    time: int,
    backward: KnownCorrelation | None = None,
    forward: KnownCorrelation | None = None,
    digits: int = 17,
) -> Attack:
    """Return the questions that move the odds of two values at a time the most.

    Args: epsilons, finite; time, from 1; backward, P^B, forward, P^F, None where not known: with one alone it is about
    BPL or FPL. Returns: the attack; its level is a *lower* bound of the worst-case TPL at that time, and equals it to
    these digits. Raises: InvalidRequest, also with fewer than two values; Undecided.
    """
    found = worst_case_lower_certificate(epsilons, time, backward, forward, digits)
    n = next(matrix.n for own in (backward, forward) for matrix in matrices_in(own))
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
    found_so = Attack(time, tuple(epsilons), (j, k), tuple(asked), level, backward, forward)
    before, after = found_so.leading()
    for steps, chosen, budgets in (
        (before, asked[: time - 1][::-1], epsilons[: time - 1][::-1]),
        (after, asked[time:], epsilons[time:]),
    ):
        if steps:
            level = level + _attained([matrix.rows for matrix in steps], (j, k), chosen, budgets)
    return replace(found_so, level=level)


def _attained(
    steps: Sequence[Sequence[Row]], pair: ValuePair, sets: Sequence[frozenset[int]], budgets: Sequence[Level]
) -> Level:
    """Return by how much “yes” to questions on one side of a time moves the odds; the nearest question first."""
    if steps[0][pair[0]] == steps[0][pair[1]] or not any(sets):
        return ZERO
    chosen = tuple(tuple(a in own for a in range(len(steps[0]))) for own in sets)
    return Level.of_formula(AttainedRatio.of_sets(StepMatrices(steps), pair, chosen), budgets)
