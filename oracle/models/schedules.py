"""Schedules of budgets: the methods there are, and what those of each model cost beside each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..contract.allocation import ALLOCATION_METHODS, UPPER_BOUND
from ..reference import Adversary, InfeasibleBudget, InvalidRequest, Level, mean_noise
from .model import NoSuchMethod

if TYPE_CHECKING:
    from .model import Model

CONSTANT = "constant"
LEAST_NOISE = "least-noise"
FINITE_METHODS = (CONSTANT, LEAST_NOISE)
"""The greatest budget that each of T releases may have, and the schedule for T releases with the least noise known."""

SCHEDULE_METHODS = (*ALLOCATION_METHODS, *FINITE_METHODS)
"""The methods of schedules: Algorithm 7, one budget for however long; Algorithm 8, for T releases; the two above."""

STEPWISE_METHODS = (
    f"where each step has its own matrix there is the method {CONSTANT}, and {UPPER_BOUND} by the exact worst case"
)
"""Why there is no schedule by another method."""

GROUP = "α/T"
"""Group differential privacy: α shared equally, which keeps TPL at most α whatever is correlated."""

COMPARED_DIGITS = 6
"""Digits of budgets that are only compared."""

MOST_FITTED = 1_000
"""Releases of a schedule that is fitted to its horizon: each trial runs the leakage forward."""

MOST_COMPARED_EXACTLY = 20
"""Releases up to which a least-noise schedule by the exact worst case is sought to be compared."""

_SHAPE_DIGITS = 4


def check_horizon(method: str, horizon: int | None) -> int:
    """Return the horizon of a method that needs one. Raises: InvalidRequest without it, or for less than 1."""
    if horizon is None:
        raise InvalidRequest(f"the method {method} needs a horizon, the number of releases")
    if horizon < 1:
        raise InvalidRequest(f"the horizon is at least 1, not {horizon}")
    return horizon


def rounded_shape(weights: Iterable[float]) -> list[Fraction]:
    """Return weights in few digits, above 0."""
    least = Fraction(1, 10**_SHAPE_DIGITS)
    return [max(round(Fraction(weight), _SHAPE_DIGITS), least) for weight in weights]


def least_noisy(schedules: Iterable[tuple[Level, ...]]) -> tuple[Level, ...]:
    """Return the schedule with the least mean noise, the first of such."""
    return min(schedules, key=lambda schedule: mean_noise(schedule, Fraction(1)).upper)


def shared(alpha: Level, horizon: int, digits: int = COMPARED_DIGITS) -> tuple[Level, ...]:
    """Return α/T at every release, for a finite α rounded down to `digits` digits: safe under any correlation."""
    return (Level.of(Fraction(alpha.enclosure(digits).lower) / horizon).to_spend(),) * horizon


def distinct(adversaries: Mapping[str, Adversary]) -> list[Adversary]:
    """Return one adversary of each kind: those with the same loss functions suffer the same leakage."""
    return list({adversary.coefficients: adversary for adversary in adversaries.values()}.values())


@dataclass(frozen=True, slots=True)
class ComparedSchedule:
    """A schedule for T releases that keeps TPL within α: by which method, and by which model's TPL, None for any."""

    method: str
    model: str | None
    schedule: tuple[Level, ...]

    @property
    def is_constant(self) -> bool:
        """Whether all budgets are equal."""
        return len({budget.exact_text or id(budget) for budget in self.schedule}) == 1


def compared_schedules(
    alpha: Level, adversaries: Mapping[str, Adversary], horizon: int, models: Sequence[Model], kept: Level | None = None
) -> list[ComparedSchedule]:
    """Return every schedule known for T releases, each keeping TPL within a finite alpha; budgets to a few digits.

    Args: kept, the level that the models' schedules keep, where that is lower.
    """
    found = [ComparedSchedule(GROUP, None, shared(alpha, horizon))]
    for model in models:
        for method, longest in model.longest.items():
            if horizon > longest or (method in model.dear and horizon > MOST_COMPARED_EXACTLY):
                continue
            with suppress(InfeasibleBudget, NoSuchMethod):  # where no budget lasts, or steps differ
                own = model.schedule(alpha if kept is None else kept, adversaries, method, horizon, COMPARED_DIGITS)
                found.append(ComparedSchedule(method, model.key, own))
    return found
