"""A numerical hazard: its name, how it comes about, and the outcomes that show it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ..reference import Level, LossFunction
from ..reference.decimals import outward
from .held import Outcome, Trial, double_text, nearest
from .structure import Structure
from .trials import Trials

ORDINARY = 64
"""Units in the last place that the rounding of sums, quotients and a logarithm explains."""

MOST_MEASURED = 3
"""Measurements kept for one hazard, the worst."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One outcome: the question, the method, and what came of it."""

    trial: Trial
    method: str

    @property
    def outcome(self) -> Outcome:
        """What came of it."""
        return self.trial.outcomes[self.method]

    def __str__(self) -> str:
        note = f" ({self.trial.note})" if self.trial.note else ""
        asked = f"{self.trial.name} = {double_text(self.trial.given)}{note}"
        return f"{asked}: {self.method}{self._values()}: {self.outcome}"

    def _values(self) -> str:
        """Write the answer beside the truth where six digits tell them apart."""
        value = self.outcome.answer.value
        if value is None:
            return ""
        given, truth = f"{value:.6g}", f"{nearest(self.trial.truth):.6g}"
        return "" if given == truth else f" gives {given} for {truth}"


@dataclass(frozen=True, slots=True)
class Hazard:
    """A hazard that shows. why: how it comes about; instead: what avoids it; facts: where it lies.

    measured: the outcomes that show it; repaired: those of the careful formula at the same places.
    """

    name: str
    title: str
    why: str
    instead: str
    facts: tuple[str, ...] = ()
    measured: tuple[Measured, ...] = ()
    repaired: tuple[Measured, ...] = ()

    @property
    def unsafe(self) -> bool:
        """Whether a measured answer promises more privacy than there is."""
        return any(each.outcome.unsafe for each in self.measured)


@dataclass(frozen=True, slots=True)
class Subject:
    """One matrix with all that is known of it. epsilon: the budget that is asked about."""

    structure: Structure
    loss: LossFunction
    trials: Trials
    epsilon: Level


def worst(found: Iterable[Measured], most: int = MOST_MEASURED) -> tuple[Measured, ...]:
    """Return the worst outcomes: the unsafe ones first, then what is no number, then the furthest off."""

    def rank(each: Measured) -> tuple[bool, bool, int]:
        outcome = each.outcome
        return not outcome.unsafe, outcome.is_number, -abs(outcome.ulps or 0)

    return tuple(sorted(found, key=rank)[:most])


def of_method(trials: Iterable[Trial], method: str, given: Iterable[float] | None = None) -> list[Measured]:
    """Return the outcomes of one method, all of them or those at the given levels."""
    wanted = None if given is None else set(given)
    return [
        Measured(trial, method)
        for trial in trials
        if method in trial.outcomes and (wanted is None or trial.given in wanted)
    ]


def beyond_rounding(found: Iterable[Measured]) -> list[Measured]:
    """Return those that are no numbers, or further off than rounding explains."""
    return [each for each in found if each.outcome.exceeds(ORDINARY)]


def rounded_text(value: Fraction, digits: int = 3) -> str:
    """Write a rational ≥ 0 in a few digits, rounded up."""
    return str(outward(value, value, digits).upper)
