"""The numerical hazards that a matrix holds for doubles: each by name, only where it shows, with what was measured."""

from __future__ import annotations

from collections.abc import Iterable

from .hazard import Hazard, Subject
from .hazards_of_bounds import BOUNDS, bisection, recursion
from .hazards_of_loss import LOSSES, rounding
from .held import Trial

ALL = (*LOSSES, *BOUNDS, rounding)
"""Every check of a matrix, in the order in which its hazards are told."""


def hazards(subject: Subject) -> tuple[Hazard, ...]:
    """Return the hazards of one matrix, from what `trials` measured. Empty where none shows. Raises: Undecided."""
    return tuple(found for look in ALL if (found := look(subject)) is not None)


def user_hazards(trials: Iterable[Trial]) -> tuple[Hazard, ...]:
    """Return the hazards of one user's schedule and budget, from what `user_trials` measured."""
    found = tuple(trials)
    return tuple(hazard for look in (recursion, bisection) if (hazard := look(found)) is not None)
