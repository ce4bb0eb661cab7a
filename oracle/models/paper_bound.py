"""The paper's bound: the recursions of BPL and FPL, which no mechanism with these budgets exceeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import ClassVar

from ..contract.allocation import ALLOCATION_METHODS, AllocationTarget, suprema, verified, verified_for_ever
from ..contract.limits import MOST_RELEASES, check_count
from ..reference import (
    ZERO,
    Accountant,
    Adversary,
    Budget,
    InfeasibleBudget,
    Leakage,
    Level,
    Maximum,
    PopulationLeakage,
    backward_leakage,
    common_budgets,
    composition,
    maximum,
    population_leakage,
)
from ..reference.paper.horizons import greatest_schedule
from ..reference.paper.leakage import apply
from ..reference.paper.own_steps import StepwiseAdversary
from ..solvers.loss.shapes import greatest_scale, least_noise, shaped
from .model import Account, Adversaries, Key, Model, NoSuchMethod
from .remaining import remaining
from .schedules import (
    CONSTANT,
    FINITE_METHODS,
    MOST_FITTED,
    STEPWISE_METHODS,
    check_horizon,
    distinct,
    least_noisy,
    rounded_shape,
)


class PaperAccount(Accountant):
    """An account that is kept by the paper's bound."""

    def spend_all(self, epsilons: Iterable[Level]) -> None:
        """Account for releases of these budgets, all of them or none. Raises: as `spend`."""
        for epsilon in epsilons:
            self.spend(epsilon)

    def remaining(self) -> Budget | None:
        """Return what the next release may spend, a *lower* bound to about 30 digits, None without a cap."""
        return remaining(self)


class PaperBound(Model):
    """The paper's bound: BPL and FPL by the recursions, Eq. [eq:bpl_f, eq:fpl_f], and TPL by Theorem 2. *Upper*."""

    name: ClassVar[str] = "paper-bound"
    key: ClassVar[str] = "paper_bound"
    title: ClassVar[str] = "paper's bound"
    longest: ClassVar[Mapping[str, int]] = {
        **dict.fromkeys(ALLOCATION_METHODS, MOST_RELEASES),
        **dict.fromkeys(FINITE_METHODS, MOST_FITTED),
    }

    def check(self, releases: int, adversaries: Adversaries) -> None:
        """Admit whatever the commands admit."""

    def greatest(self, levels: Mapping[Key, Level]) -> Maximum[Key]:
        """Return the greatest level and who attains it. Exact. Raises: Undecided."""
        return maximum(levels)

    def leakage(self, epsilons: Sequence[Level], adversaries: Adversaries) -> PopulationLeakage[str]:
        """Return the leakage by the recursions. Exact as formulas."""
        return population_leakage(epsilons, adversaries)

    def window(
        self,
        own: Leakage,
        epsilons: Sequence[Level],
        adversary: Adversary,  # noqa: ARG002 - what they know is in their leakage
        *,
        start: int,
        length: int,
    ) -> Level:
        """Return Theorem 3 [thm:composition] by the recursions' values."""
        return composition(own, epsilons, start, length)

    def suprema(self, epsilon: Level, adversary: Adversary) -> tuple[Level, Level, Level]:
        """Return the suprema of the recursions, Theorem 11 [thm:sup], and what their TPL stays below. Exact."""
        return suprema(epsilon, adversary)

    def schedule(
        self, alpha: Level, adversaries: Adversaries, method: str, horizon: int | None, digits: int
    ) -> tuple[Level, ...]:
        """Return budgets by Algorithm 7 or 8, or a schedule fitted to its horizon."""
        is_stepwise = any(isinstance(adversary, StepwiseAdversary) for adversary in adversaries.values())
        if is_stepwise and method != CONSTANT:
            raise NoSuchMethod(STEPWISE_METHODS)
        if method in FINITE_METHODS:
            return fitted(alpha, distinct(adversaries), method, check_horizon(method, horizon), digits)
        target = AllocationTarget(alpha, method, horizon)
        return target.schedule(target.budgets_for(adversaries)[0])

    def kept(
        self, schedule: Sequence[Level], adversaries: Adversaries, alpha: Level, attained: bool = False
    ) -> list[tuple[Level, ...]]:
        """Return TPL by the recursions."""
        return verified(schedule, distinct(adversaries), alpha, attained)

    def kept_for_ever(self, epsilon: Level, adversaries: Adversaries, alpha: Level) -> list[tuple[Level, ...]]:
        """Return the suprema of the recursions."""
        return verified_for_ever(epsilon, distinct(adversaries), alpha)

    def carried(self, spent: Sequence[Level], adversary: Adversary) -> Level:
        """Return L^B of the last BPL."""
        return apply(adversary.backward, backward_leakage(spent, adversary.backward)[-1]) if spent else ZERO

    def account(self, adversaries: Adversaries, cap: Level, spent: Iterable[Level] = ()) -> Account:
        """Return an account kept by the recursions."""
        return PaperAccount(adversaries, cap, spent)


def fitted(
    alpha: Level, adversaries: Sequence[Adversary], method: str, horizon: int, digits: int = 17
) -> tuple[Level, ...]:
    """Return a schedule for T releases that keeps TPL within alpha to each adversary, by one of `FINITE_METHODS`.

    Args: digits, of the constant budget or of the middle one. Returns: rational budgets, verified. The constant one is
    within a unit of its last digit of the greatest; least noise is sought among schedules of a first, a middle and a
    last budget, and is never above that of the constant one, of α/T, or of Algorithms 7 and 8.
    Raises: InfeasibleBudget where alpha is 0; InvalidRequest too large.
    """
    check_count(horizon, MOST_FITTED, f"releases of a {method} schedule")
    if alpha.is_infinite:
        return (alpha,) * horizon
    nats = alpha.double_below()
    is_stepwise = any(isinstance(adversary, StepwiseAdversary) for adversary in adversaries)
    near = greatest_scale([1.0] * horizon, adversaries, nats) if nats and not is_stepwise else 0.0
    constant = greatest_schedule(alpha, adversaries, [Fraction(1)] * horizon, digits, near)
    if method == CONSTANT or horizon == 1 or not nats:
        return constant
    first, last, middle = least_noise(adversaries, nats, horizon)
    shape = rounded_shape(shaped(first, last, horizon))
    candidates = [greatest_schedule(alpha, adversaries, shape, digits, middle), constant]
    with suppress(InfeasibleBudget):  # where no budget lasts over an infinite horizon
        candidates.append(common_budgets(alpha, dict(enumerate(adversaries)))[0].quantified(horizon))
    return least_noisy(candidates)
