"""Budgets by Algorithms 7 and 8, each schedule verified by running the leakage forward before it is handed out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..reference import (
    Adversary,
    Budgets,
    InfeasibleBudget,
    InvalidRequest,
    Level,
    budgets,
    common_budgets,
    leakage,
    supremum,
)
from ..reference.paper.allocation import AGREEING_DIGITS
from ..reference.paper.own_steps import StepwiseAdversary, periodic_suprema_of
from .errors import brief
from .limits import MOST_RELEASES, check_count

UPPER_BOUND, QUANTIFIED = ALLOCATION_METHODS = ("upper-bound", "quantified")
"""Algorithm 7, one budget over an infinite horizon, and Algorithm 8, a schedule for a horizon."""


@dataclass(frozen=True, slots=True)
class AllocationTarget:
    """What a schedule is to keep: TPL at most alpha, by a method, over a horizon (None: infinite, one budget)."""

    alpha: Level
    method: str
    horizon: int | None

    def __post_init__(self) -> None:
        if self.method not in ALLOCATION_METHODS:
            raise InvalidRequest(
                f"the method is one of {', '.join(ALLOCATION_METHODS)}, not {brief(repr(self.method))}"
            )
        if self.horizon is None:
            if self.method == QUANTIFIED:
                raise InvalidRequest("the method quantified needs a horizon, the number of releases")
            return
        if self.horizon < 1:
            raise InvalidRequest(f"the horizon is at least 1, not {self.horizon}")
        check_count(self.horizon, MOST_RELEASES, "releases")

    def schedule(self, found: Budgets) -> tuple[Level, ...]:
        """Return the budgets of the releases; the one budget where there is no horizon."""
        if self.horizon is None:
            return (found.middle,)
        return found.upper_bound(self.horizon) if self.method == UPPER_BOUND else found.quantified(self.horizon)

    def budgets_for(self, adversaries: Mapping[str, Adversary]) -> tuple[Budgets, dict[str, Budgets]]:
        """Return the budgets that keep the target for all, and each one's own. Raises: as `common_budgets`.

        One release alone is given all of alpha, whatever is correlated, where the schedule is for a horizon.
        """
        if self.method == QUANTIFIED and self.horizon == 1:
            if self.alpha.is_zero:
                raise InfeasibleBudget("a level of 0 leaves no budget at all")
            whole = Budgets(self.alpha, *[self.alpha.to_spend()] * 3)
            return whole, dict.fromkeys(adversaries, whole)
        if len(adversaries) == 1:
            (name,) = adversaries
            own = budgets(self.alpha, adversaries[name])
            return own, {name: own}
        return common_budgets(self.alpha, adversaries)


def allocated(target: AllocationTarget, adversary: Adversary) -> tuple[Level, ...]:
    """Return the schedule for one adversary, verified: by TPL at each time, or by the suprema where it has no end.

    Raises: InfeasibleBudget, Undecided.
    """
    schedule = target.schedule(target.budgets_for({"adversary": adversary})[0])
    if target.horizon is None:
        verified_for_ever(schedule[0], [adversary], target.alpha)
    else:
        verified(schedule, [adversary], target.alpha, attained=target.method == QUANTIFIED)
    return schedule


def verified(
    schedule: Sequence[Level], adversaries: Sequence[Adversary], alpha: Level, attained: bool = False
) -> list[tuple[Level, ...]]:
    """Return TPL over time to each adversary, computed forward. Raises: ArithmeticError where it exceeds alpha.

    Args: attained, whether TPL must also equal alpha at every time, by `agreeing_order`: that numbers which agree in so
    many digits are equal is the equation that the budgets solve.
    """
    each = []
    for adversary in adversaries:
        tpl = leakage(schedule, adversary).tpl
        for time, level in enumerate(tpl, 1):
            order = agreeing_order(level, alpha)
            if order > 0 or (attained and order < 0):
                raise ArithmeticError(f"TPL at time {time} of the schedule is {level!r}, not {alpha!r}")
        each.append(tpl)
    return each


def verified_for_ever(epsilon: Level, adversaries: Sequence[Adversary], alpha: Level) -> list[tuple[Level, ...]]:
    """Return the suprema of BPL, FPL and TPL to each adversary under one budget. Raises: ArithmeticError as `verified`.

    TPL is below BPL's supremum and L^F at FPL's, however long it goes on.
    """
    each: list[tuple[Level, ...]] = []
    for adversary in adversaries:
        found = suprema(epsilon, adversary)
        if agreeing_order(found[2], alpha) > 0:
            raise ArithmeticError(f"TPL may rise to {found[2]!r}, above {alpha!r}")
        each.append(found)
    return each


def suprema(epsilon: Level, adversary: Adversary) -> tuple[Level, Level, Level]:
    """Return the suprema of BPL and FPL under one budget, and what TPL stays below. Exact.

    Raises: InvalidRequest where each step has its own matrix, and they do not repeat; Undecided.
    """
    if isinstance(adversary, StepwiseAdversary):
        return periodic_suprema_of(adversary, epsilon)
    bpl, fpl = (
        epsilon if loss is None else supremum(loss, epsilon).level for loss in (adversary.backward, adversary.forward)
    )
    if epsilon.is_infinite:
        return bpl, fpl, epsilon
    return bpl, fpl, (bpl + fpl) - epsilon  # one formula for an adversary and for one whose time runs the other way


def agreeing_order(one: Level, other: Level) -> int:
    """Return −1, 0 or 1: the order of two levels.

    Those that agree in `AGREEING_DIGITS` digits and have no short exact forms to decide by are taken for equal.
    """
    if one.is_infinite or other.is_infinite:
        return one.is_infinite - other.is_infinite
    mine, theirs = one.enclosure(AGREEING_DIGITS), other.enclosure(AGREEING_DIGITS)
    if mine.upper < theirs.lower or mine.lower > theirs.upper:
        return 1 if mine.lower > theirs.upper else -1
    return one.compare(other) if one.exact_text is not None and other.exact_text is not None else 0
