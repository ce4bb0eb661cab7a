"""The paper's bound: the recursions of BPL and FPL, which no mechanism with these budgets exceeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import ClassVar

from ..checked_loss import CheckedStream
from ..contract.allocation import ALLOCATION_METHODS, AllocationTarget, suprema, verified, verified_for_ever
from ..contract.limits import MOST_RELEASES, check_count
from ..reference import (
    INFINITE,
    ZERO,
    Adversary,
    Budget,
    InfeasibleBudget,
    InvalidRequest,
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
from ..solvers.loss.recursions import worst_time
from ..solvers.loss.shapes import greatest_scale, least_noise, shaped
from ..solvers.worst_case.accounts import WorstSoFar
from .model import Account, Adversaries, Key, Model, NoSuchMethod
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


class PaperAccount:
    """An account that is kept by the paper's bound: `reference.Accountant`, for streams of thousands of releases."""

    def __init__(self, adversaries: Adversaries, cap: Level = INFINITE, spent: Iterable[Level] = ()) -> None:
        """Start after releases whose budgets are spent. Args, Raises: as `reference.Accountant`."""
        if not adversaries:
            raise InvalidRequest("there is no user to account for")
        self.adversaries = dict(adversaries)
        self.cap = cap
        self.epsilons: tuple[Level, ...] = ()
        self._streams = self._after(())
        self.spend_all(spent)

    def _after(self, epsilons: Sequence[Level]) -> dict[object, CheckedStream]:
        return {own.coefficients: CheckedStream(own, epsilons) for own in distinct(self.adversaries)}

    @property
    def releases(self) -> int:
        """How many releases there were: T."""
        return len(self.epsilons)

    def spend_all(self, epsilons: Iterable[Level]) -> None:
        """Account for releases of these budgets, all of them or none.

        Raises: InfeasibleBudget where TPL at some time would exceed the cap; Undecided. Then nothing is spent.
        """
        before = self.epsilons, self._streams
        self.epsilons = (*self.epsilons, *epsilons)
        self._streams = self._after(self.epsilons)
        try:
            self._check_cap()
        except BaseException:
            self.epsilons, self._streams = before
            raise

    def _check_cap(self) -> None:
        """Raise InfeasibleBudget if TPL exceeds the cap at any time; the latest release changes that of all."""
        if self.cap.is_infinite:
            return
        doubtful = {time for own in self._streams.values() for time in own.not_within(self.cap)}
        for time in sorted(doubtful, reverse=True):
            greatest = self.tpl(time + 1)
            if greatest.level > self.cap:
                raise InfeasibleBudget(f"TPL at time {time + 1} would exceed the cap for {greatest.attained_by[0]!r}")

    def bpl(self, time: int) -> Maximum[str]:
        """Return the greatest BPL at a time in 1..T and whose it is, Eq. [eq:bpl2]. Exact. Raises: InvalidRequest."""
        return self._greatest(0, time)

    def fpl(self, time: int) -> Maximum[str]:
        """Return the greatest FPL at a time in 1..T after the releases so far, Eq. [eq:fpl2]. As `bpl`."""
        return self._greatest(1, time)

    def tpl(self, time: int) -> Maximum[str]:
        """Return the greatest TPL at a time in 1..T after the releases so far, Eq. [eq:tpl2]. As `bpl`."""
        return self._greatest(2, time)

    def _greatest(self, kind: int, time: int) -> Maximum[str]:
        if not 1 <= time <= self.releases:
            raise InvalidRequest(f"time {time} is not one of the {self.releases} releases so far")
        each = {key: own.leakage(time - 1)[kind] for key, own in self._streams.items()}
        return maximum({name: each[own.coefficients] for name, own in self.adversaries.items()})

    def worst(self) -> WorstSoFar:
        """Return the greatest TPL so far, in 28 digits, its bound proved at all times. Raises: Refuted; Undecided."""
        time = worst_time(list(self._streams.values())) + 1
        attained = self.tpl(time)
        bounds = (own.bound(attained.level) for own in self._streams.values())  # it, or one that is a little greater
        return WorstSoFar(time, attained, max(bounds, key=lambda own: own is not attained.level))

    def remaining(self) -> Budget | None:
        """Return what the next release may spend, a *lower* bound to about 30 digits, None without a cap."""
        if self.cap.is_infinite:
            return None
        least = min(own.most_next(self.cap) for own in self._streams.values())
        return Level.of_ratio(max(least, Fraction(1))).to_spend()


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
