"""What ε is about: here it is for replacing one value at one time, for many accountants for adding or removing one.

A replacement is a removal and an addition. So a release that is ε-private where a record is added or removed is
2ε-private under replacement, and a budget of ε under replacement bears one of ε/2 where records come and go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import click

from ..models.basis import Basis
from ..reference import Level

REPLACE, ADD_REMOVE = NEIGHBOUR_KINDS = ("replace", "add-remove")

neighbours_option = click.option(
    "--neighbours",
    type=click.Choice(NEIGHBOUR_KINDS),
    default=REPLACE,
    show_default=True,
    help="What each ε is for: one value replaced, or one record added or removed, which doubles it under replacement.",
)


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

    def printed(self, epsilons: Iterable[Level], digits: int) -> tuple[Level, ...]:
        """Return the budgets to print of budgets under replacement: halves, exact or rounded down to so many digits."""
        return tuple(self._half(epsilon, digits) if self.converts else epsilon for epsilon in epsilons)

    def _half(self, epsilon: Level, digits: int) -> Level:
        if epsilon.is_infinite:
            return epsilon
        rational = epsilon.rational
        whole = Fraction(epsilon.enclosure(digits).lower) if rational is None else rational
        return Level.of(whole / 2).to_spend()

    def basis(self, basis: Basis) -> Basis:
        """Return what an answer rests on, with what each ε is about."""
        return replace(basis, neighbours="one record added or removed, ε doubled") if self.converts else basis
