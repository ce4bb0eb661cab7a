"""The exact worst case: what some mechanism with these budgets leaks, and none exceeds (docs/worst-case.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

from ..checked import (
    CheckedAccountant,
    agreeing_maximum,
    fast_worst_case_budget,
    fast_worst_case_leakage,
    fast_worst_case_multiple,
    fast_worst_case_supremum,
    fast_worst_case_tpl,
    keeps_worst_case_budget,
)
from ..contract.allocation import QUANTIFIED, UPPER_BOUND
from ..contract.limits import check_count, check_worst_case
from ..reference import (
    ZERO,
    Adversary,
    Leakage,
    Level,
    Maximum,
    PopulationLeakage,
    Undecided,
    worst_case_composition,
    worst_case_leakage,
    worst_case_supremum,
)
from ..reference.paper.horizons import is_within
from ..reference.paper.leakage import Matrices
from ..reference.stepwise import Stepwise, matrices_in
from ..solvers.worst_case.shapes import least_noise_weights
from ..solvers.worst_case.windows import every_step_is_possible, fast_worst_case_composition
from .chain import KnownPair, correlations_of
from .model import Account, Adversaries, Key, Model, NoSuchMethod
from .paper_bound import PaperBound, fitted
from .schedules import (
    CONSTANT,
    LEAST_NOISE,
    MOST_FITTED,
    STEPWISE_METHODS,
    check_horizon,
    distinct,
    least_noisy,
    rounded_shape,
)

MOST_FITTED_EXACTLY = 100
"""Releases of a least-noise schedule: with budgets of their own the leakage at each time is worked out by itself."""


class WorstCase(Model):
    """The exact worst case over all mechanisms: attained by one of them, exceeded by none. *Exact*."""

    name: ClassVar[str] = "worst-case"
    key: ClassVar[str] = "worst_case"
    title: ClassVar[str] = "exact worst case"
    longest: ClassVar[Mapping[str, int]] = {CONSTANT: MOST_FITTED, LEAST_NOISE: MOST_FITTED_EXACTLY}
    dear: ClassVar[tuple[str, ...]] = (LEAST_NOISE,)

    def check(self, releases: int, adversaries: Adversaries) -> None:
        """Raise InvalidRequest where the bounds for all pairs of values need too much memory."""
        states = [matrix.n for known in distinct_known(adversaries) for own in known for matrix in matrices_in(own)]
        check_worst_case(releases, max(states, default=1))

    def greatest(self, levels: Mapping[Key, Level]) -> Maximum[Key]:
        """Return the greatest level and who attains it; those that agree in very many digits are taken for equal."""
        return agreeing_maximum(levels)

    def leakage(self, epsilons: Sequence[Level], adversaries: Adversaries) -> PopulationLeakage[str]:
        """Return the greatest leakage over all mechanisms, to each adversary that knows the same once."""
        self.check(len(epsilons), adversaries)
        leakage_of = worst_case_leakage if self.literal else fast_worst_case_leakage
        found = {known: leakage_of(epsilons, *known) for known in distinct_known(adversaries)}
        return greatest_of({name: found[correlations_of(adversary)] for name, adversary in adversaries.items()})

    def runs_programmes(self, length: int, adversaries: Adversaries) -> bool:
        """Whether some step is impossible: then the worst pairs at both ends need not be joined by a sequence."""
        return length > 1 and not all(every_step_is_possible(*known) for known in distinct_known(adversaries))

    def window(
        self, own: Leakage, epsilons: Sequence[Level], adversary: Adversary, *, start: int, length: int
    ) -> Level:
        """Return the greatest leakage of a window over all mechanisms, by a programme over pairs where need be."""
        backward, forward = correlations_of(adversary)
        if self.literal:
            return worst_case_composition(epsilons, start, length, backward, forward)
        return fast_worst_case_composition(own, epsilons, start, length, backward=backward, forward=forward)

    def suprema(self, epsilon: Level, adversary: Adversary) -> tuple[Level, Level, Level]:
        """Return the suprema of BPL, FPL and TPL over all mechanisms and horizons."""
        backward, forward = correlations_of(adversary)
        self.check(1, {"": adversary})
        if self.literal and not (isinstance(backward, Stepwise) or isinstance(forward, Stepwise)):
            supremum_of: Callable[..., Level] = worst_case_supremum
        else:
            supremum_of = fast_worst_case_supremum
        return (
            supremum_of(epsilon, backward),
            supremum_of(epsilon, forward=forward),
            supremum_of(epsilon, backward, forward),
        )

    def schedule(
        self, alpha: Level, adversaries: Adversaries, method: str, horizon: int | None, digits: int
    ) -> tuple[Level, ...]:
        """Return the greatest constant budget, or the least-noise schedule that is known, by the exact worst case."""
        if method == QUANTIFIED:
            raise NoSuchMethod("the exact worst case has no schedule whose TPL is α at every time: Algorithm 8 is by L")
        self.check(horizon or 1, adversaries)
        known = distinct_known(adversaries)
        if method == UPPER_BOUND:
            return (constant_budget(alpha, known, None, digits),) * (horizon or 1)
        releases = check_horizon(method, horizon)
        if method == CONSTANT:
            return (constant_budget(alpha, known, releases, digits),) * releases
        shaped = [
            (backward, forward)
            for backward, forward in known
            if not isinstance(backward, Stepwise) and not isinstance(forward, Stepwise)
        ]
        if len(shaped) < len(known):
            raise NoSuchMethod(STEPWISE_METHODS)
        by_paper = fitted(alpha, distinct(adversaries), LEAST_NOISE, releases, digits)
        return least_noise_schedule(alpha, shaped, releases, digits, [by_paper])

    def kept(
        self,
        schedule: Sequence[Level],
        adversaries: Adversaries,
        alpha: Level,
        attained: bool = False,  # noqa: ARG002 - it has no schedule that attains alpha at all times
    ) -> list[tuple[Level, ...]]:
        """Return the worst TPL over time.

        Where it equals alpha, which formulas need not tell, the paper's bound, which is never below, is within alpha.
        """
        found = self.leakage(schedule, adversaries).each
        tpl = {correlations_of(adversaries[name]): own.tpl for name, own in found.items()}
        try:
            return [_within(own, alpha) for own in tpl.values()]
        except Undecided:
            PaperBound(self.literal).kept(schedule, adversaries, alpha)
            return list(tpl.values())

    def kept_for_ever(self, epsilon: Level, adversaries: Adversaries, alpha: Level) -> list[tuple[Level, ...]]:
        """Return the suprema of the worst leakage."""
        kinds = {correlations_of(adversary): adversary for adversary in adversaries.values()}
        found: list[tuple[Level, ...]] = [self.suprema(epsilon, adversary) for adversary in kinds.values()]
        for *_, tpl in found:  # of a single state TPL is 0, while BPL or FPL is ε where no matrix is known for it
            _within((tpl,), alpha)
        return found

    def carried(self, spent: Sequence[Level], adversary: Adversary) -> Level:
        """Return the greatest BPL of a release of nothing after these, over all mechanisms."""
        following = [*spent, ZERO]
        if self.literal:
            return self.leakage(following, {"": Adversary(adversary.backward)}).each[""].bpl[-1]
        self.check(len(following), {"": adversary})
        return fast_worst_case_tpl(following, correlations_of(adversary)[0], None, [len(spent)])[0]

    def account(self, adversaries: Adversaries, cap: Level, spent: Iterable[Level] = ()) -> Account:
        """Return an account kept by the exact worst case."""
        spent = tuple(spent)
        self.check(len(spent) + 1, adversaries)
        return CheckedAccountant(adversaries, cap, spent)


def greatest_of(each: Mapping[str, Leakage]) -> PopulationLeakage[str]:
    """Return the leakage of one stream to each adversary with the greatest of it at each time. Raises: Undecided."""
    releases = range(max(len(own.tpl) for own in each.values()))
    bpl, fpl, tpl = (
        tuple(agreeing_maximum({name: getattr(own, kind)[time] for name, own in each.items()}) for time in releases)
        for kind in ("bpl", "fpl", "tpl")
    )
    return PopulationLeakage(each, bpl, fpl, tpl)


def distinct_known(adversaries: Adversaries) -> list[KnownPair]:
    """Return what the adversaries know, each once: the exact worst case follows from the matrices alone."""
    return list(dict.fromkeys(map(correlations_of, adversaries.values())))


def constant_budget(alpha: Level, known: Iterable[KnownPair], horizon: int | None, digits: int) -> Level:
    """Return the greatest constant budget that keeps the worst TPL within alpha to each adversary.

    Args: horizon, T; None for an infinite one. Returns: the budget; where it has no exact form a decimal with these
    digits that keeps alpha, a *lower* bound of the greatest. Raises: as `fast_worst_case_budget`.
    """
    least: Level | None = None
    for backward, forward in known:
        if least is not None and keeps_worst_case_budget(least, alpha, backward, forward, horizon):
            continue
        found = fast_worst_case_budget(alpha, backward, forward, horizon)
        own = found if found.exact_text is not None else Level.of(Fraction(found.enclosure(digits).lower))
        least = own if least is None or own < least else least
    assert least is not None, "there is an adversary"
    return least.to_spend()


def least_noise_schedule(
    alpha: Level,
    known: Sequence[Matrices],
    horizon: int,
    digits: int,
    others: Iterable[tuple[Level, ...]] = (),
) -> tuple[Level, ...]:
    """Return the schedule for T releases with the least mean noise that is known, by the exact worst case.

    Args: digits, of the multiple of its weights; others, schedules that keep the paper's bound within alpha, and so
    the exact worst case. Returns: budgets that keep alpha to each adversary, verified; never noisier than the greatest
    constant one, or than the others. Raises: as `constant_budget`; InvalidRequest too large.
    """
    check_count(horizon, MOST_FITTED_EXACTLY, "releases of a least-noise schedule by the exact worst case")
    constant = constant_budget(alpha, known, horizon, digits)
    if constant.is_infinite or horizon == 1:
        return (constant,) * horizon
    shape = rounded_shape(least_noise_weights(alpha.double_below(), known, horizon))
    multiple = min(fast_worst_case_multiple(alpha, shape, *own, digits) for own in known)
    return least_noisy([tuple(Level.of(multiple * weight) for weight in shape), (constant,) * horizon, *others])


def _within(levels: tuple[Level, ...], alpha: Level) -> tuple[Level, ...]:
    for level in levels:
        if not is_within(level, alpha):
            raise ArithmeticError(f"the exact worst case of the schedule is {level!r}, above {alpha!r}")
    return levels
