"""The hazards of suprema, schedules and budgets in doubles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from ..reference import Level, supremum
from .hazard import ORDINARY, Hazard, Measured, Subject, beyond_rounding, of_method, rounded_text, worst
from .held import Outcome, Trial
from .trials import ASKED, BISECTION, FIRST_STEP, ITERATION, RECURSION, RIGHT_PAIR, critical_budget

NEAR = Fraction(1, 10**9)
"""A budget so near the boundary, relatively, is named with it."""


def first_step_pair(subject: Subject) -> Hazard | None:
    """Theorem 11 with the first step's pair is below the truth where it is right with the right pair."""
    shown = [
        Measured(trial, FIRST_STEP)
        for trial in subject.trials.suprema
        if _is_too_small(trial.outcomes[FIRST_STEP]) and not trial.outcomes[RIGHT_PAIR].exceeds(ORDINARY)
    ]
    if not shown:
        return None
    return Hazard(
        "first-step-pair",
        "Theorem 11 with the q and d of the first step",
        "the q and d that rule at ε need not rule at the supremum, and then give too small a root",
        "the greatest root over all pieces of L",
        measured=worst(shown),
        repaired=tuple(of_method(subject.trials.suprema, RIGHT_PAIR, [shown[0].trial.given])),
    )


def _is_too_small(outcome: Outcome) -> bool:
    return outcome.is_number and outcome.unsafe and outcome.exceeds(ORDINARY)


def closed_form(subject: Subject) -> Hazard | None:
    """At the budget asked about Theorem 11 is off with the right pair, or has no answer."""
    asked = [trial for trial in subject.trials.suprema if trial.note == ASKED]
    none = [each for each in of_method(asked, FIRST_STEP) if not each.outcome.is_number]
    shown = beyond_rounding(of_method(asked, RIGHT_PAIR)) + none
    if not shown:
        return None
    return Hazard(
        "closed-form",
        "the closed form of Theorem 11 in doubles",
        _failure(subject),
        "ε where q = d; else the root of the quadratic in E = e^α − 1, all of whose terms have one sign",
        measured=worst(shown),
    )


def _failure(subject: Subject) -> str:
    ruling = supremum(subject.loss, subject.epsilon)
    if ruling.q == ruling.d:
        return "with q = d = 0, where all rows are equal, it divides by 0"
    if ruling.d == 0:
        return "with d = 0 it divides by 1 − q·e^ε, of which little is left near the boundary"
    return "its root less 1 − d − q·e^ε is a small difference of large numbers, divided by a small 2d"


def divergence(subject: Subject) -> Hazard | None:
    """About the budget from which on leakage diverges Theorem 11 is off with the right pair."""
    critical = critical_budget(subject.loss)
    around = [trial for trial in subject.trials.suprema if trial.note != ASKED]
    shown = beyond_rounding(of_method(around, RIGHT_PAIR))
    if critical is None or not shown:
        return None
    facts = [f"the boundary is ε = {critical.full_text()}"]
    distance = _relative_distance(subject.epsilon, critical)
    if distance is not None and distance < NEAR:
        facts.append(f"the budget asked about is within {rounded_text(distance)} of it, relatively")
    return Hazard(
        "divergence",
        "nothing is left of 1 − q·e^ε near the budget from which on leakage grows without bound",
        "there the supremum hangs on the last digits of q and ε, and a rounding decides between finite and infinite",
        "q·e^ε and 1 compared exactly, and budgets kept away from the boundary",
        tuple(facts),
        worst(shown),
    )


def _relative_distance(epsilon: Level, critical: Level) -> Fraction | None:
    if epsilon.is_infinite or critical.is_zero:
        return None
    one, other = (Fraction(level.enclosure(40).upper) for level in (epsilon, critical))
    return abs(one - other) / other


def iteration(subject: Subject) -> Hazard | None:
    """The fixed point by iteration does not end, or is off by more than rounding explains."""
    shown = beyond_rounding(of_method(subject.trials.suprema, ITERATION))
    if not shown:
        return None
    return Hazard(
        "iteration",
        "the supremum by iteration",
        "it rises from below and ends early, or goes round between doubles, or never ends where the supremum is far "
        "off or infinite",
        "the test whether there is a supremum, then the closed form on the piece that rules there",
        measured=worst(shown),
    )


def recursion(trials: Sequence[Trial]) -> Hazard | None:
    """The last level of the recursion over the schedule is further off than rounding explains."""
    shown = beyond_rounding(of_method(trials, RECURSION))
    if not shown:
        return None
    return Hazard(
        "recursion",
        "the recursion over the schedule",
        "each step starts from the rounded level of the step before, and e^α overflows above 709.78",
        "a loss function without cancellation or overflow at each step",
        measured=worst(shown),
    )


def bisection(trials: Sequence[Trial]) -> Hazard | None:
    """The bisection for a budget does not end, or ends above the exact budget."""
    shown = [each for each in of_method(trials, BISECTION) if each.outcome.unsafe or each.outcome.exceeds(ORDINARY)]
    if not shown:
        return None
    return Hazard(
        "bisection",
        "the budget by bisection",
        "it ends when two doubles happen to be equal, or never; α − L(α) cancels; a budget above the exact one breaks "
        "the promise",
        "the closed form rounded down, or the lower one of two bounds",
        measured=worst(shown),
    )


BOUNDS: tuple[Callable[[Subject], Hazard | None], ...] = (first_step_pair, closed_form, divergence, iteration)
"""The checks of a matrix in this module, in the order in which its hazards are told."""
