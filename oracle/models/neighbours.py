"""What ε is about: here it is for replacing one value at one time, for many accountants for adding or removing one.

A replacement is a removal and an addition. So a release that is ε-private where a record is added or removed is
2ε-private under replacement, and a budget of ε under replacement bears one of ε/2 where records come and go. Of (ε, δ)
the replacement has (2ε, (1 + e^ε)·δ), as P ≤ e^ε·(e^ε·P' + δ) + δ, Gaussian noise has twice the sensitivity, and
ρ-zCDP has 4ρ (Bun, Steinke, arXiv:1605.02065, Proposition 27).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from ..reference import ApproximateBudget, ConcentratedBudget, InvalidRequest, Level, PrivacyBudget
from .basis import Basis

REPLACE, ADD_REMOVE = NEIGHBOUR_KINDS = ("replace", "add-remove")
"""What an ε may be for: a value replaced, or a record added or removed."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """How budgets are converted as they are read and printed."""

    kind: str = REPLACE

    @property
    def converts(self) -> bool:
        """Whether budgets are of another kind than the theory's."""
        return self.kind == ADD_REMOVE

    def read(self, epsilons: Iterable[Level]) -> list[Level]:
        """Return the budgets under replacement of budgets as they were given. Exact."""
        return [epsilon + epsilon if self.converts else epsilon for epsilon in epsilons]

    def replaced(self, budget: PrivacyBudget) -> PrivacyBudget:
        """Return the budget under replacement of one beyond pure ε: exact, or rounded up to a rational δ."""
        if not self.converts:
            return budget
        if isinstance(budget, ApproximateBudget):
            (epsilon,) = self.read([budget.epsilon])
            if not budget.delta or epsilon.is_infinite:
                return replace(budget, epsilon=epsilon)
            return ApproximateBudget(epsilon, min((2 + budget.epsilon.excess_bounds()[1]) * budget.delta, Fraction(1)))
        if isinstance(budget, ConcentratedBudget):
            return ConcentratedBudget(4 * budget.rho)
        return replace(budget, sensitivity=2 * budget.sensitivity)

    def printed(self, epsilons: Iterable[Level], digits: int) -> tuple[Level, ...]:
        """Return budgets under replacement as they are printed: halves, exact or rounded down to `digits` digits."""
        return tuple(self._half(epsilon, digits) if self.converts else epsilon for epsilon in epsilons)

    def _half(self, epsilon: Level, digits: int) -> Level:
        if epsilon.is_infinite:
            return epsilon
        rational = epsilon.rational
        whole = Fraction(epsilon.enclosure(digits).lower) if rational is None else rational
        return Level.of(whole / 2).to_spend()

    def printed_one(self, budget: Level, digits: int) -> Level:
        """Return one budget to print of one under replacement, as `printed`."""
        return self.printed([budget], digits)[0]

    def basis(self, basis: Basis) -> Basis:
        """Return what an answer rests on, with what each ε is about."""
        return replace(basis, neighbours="one record added or removed, ε doubled") if self.converts else basis


def neighbours_of(kind: str) -> Neighbours:
    """Return what an ε of this kind is about. Raises: InvalidRequest for none."""
    if kind not in NEIGHBOUR_KINDS:
        raise InvalidRequest(f"neighbours is {' or '.join(map(repr, NEIGHBOUR_KINDS))}, not {kind!r}")
    return Neighbours(kind)
