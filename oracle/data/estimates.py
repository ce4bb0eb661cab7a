"""What is estimated of counts: matrices with something added to each count, cycles, cohorts and laws, as JSON has them.

`estimate` writes these objects, and the other commands and `Stream` read them.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..contract.limits import MOST_RELEASES, check_count
from ..reference import InvalidRequest, TransitionCounts
from ..reference.errors import TableNote
from ..reference.stepwise import cohort_reversal, periodic_reversal
from ..wire.strict_json import Object, shown
from ..wire.values import row_texts
from .alternatives import BY, HOUR, PERIODS, cycle_of
from .fit import Fit, Observations
from .law_files import SECOND, histories_value, second_order_value
from .steps import Duration


def with_absorbing(counted: TransitionCounts, states: Sequence[str]) -> TransitionCounts:
    """Return counts with states that are never left, beside those that they name. Raises: InvalidRequest."""
    return replace(counted, absorbing=tuple(dict.fromkeys((*counted.absorbing, *states))))


def note_returns(counted: TransitionCounts, remedy: str = "name it with --absorbing") -> None:
    """Warn where smoothing alone says what else follows a state: where that is an end, the dead return.

    Args: remedy, what to do about it.
    """
    for number, (state, row) in enumerate(zip(counted.states, counted.transitions, strict=True)):
        if len(row) > 1 and sum(row) == row[number] and state not in counted.absorbing:
            warnings.warn(
                f"state {shown(state)} is never followed by another in the sequences: smoothing lets it return to all, "
                f"and so may lower the leakage; if it is never left, as death or a closed account, {remedy}",
                TableNote,
                stacklevel=3,
            )


def observed_value(step: Duration | None, fit: Fit | None) -> Object:
    """Return what a file says of the time between values and of the fit, where these are known."""
    return ({} if step is None else {"step": step.text()}) | ({} if fit is None else {"fit": fit.value()})


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is asked for; each is the option of `estimate` of the same name. smoothing: None for the usual one."""

    smoothing: Fraction | None = None
    absorbing: tuple[str, ...] = ()
    steps: int | None = None
    order: int | None = None
    histories: bool = False
    per: str | None = None

    def __post_init__(self) -> None:
        if self.is_law and self.per is not None:
            raise InvalidRequest("--per excludes --order and --histories")
        if self.order is not None and self.histories:
            raise InvalidRequest("--order and --histories exclude each other")
        if self.order not in (None, SECOND):
            raise InvalidRequest(f"--order is {SECOND}, not {self.order}: without it the chain is of first order")
        if self.histories and self.steps is None:
            raise InvalidRequest("--histories needs --steps: how many values of each sequence are its history")
        if self.steps is not None:
            if self.steps < 1:
                raise InvalidRequest(f"--steps is at least 1, not {self.steps}")
            check_count(self.steps, MOST_RELEASES, "releases")
        if self.per not in (None, *BY):
            raise InvalidRequest(f"--per is {' or '.join(BY)}, not {self.per}")

    @property
    def is_law(self) -> bool:
        """Whether it is a law beyond a chain of first order."""
        return self.order is not None or self.histories

    @property
    def added(self) -> Fraction:
        """What is added to every count."""
        return Fraction(self.histories, 2) if self.smoothing is None else self.smoothing

    def observations(self) -> Observations:
        """Return what notes each user as this needs it."""
        period = None if self.per is None else PERIODS[self.per]
        return Observations(self.steps if self.histories else None, self.absorbing, period)

    def value(
        self, counted: TransitionCounts, seen: Observations, step: Duration | None, fit: Fit | None
    ) -> Object | None:
        """Return the object that is more than one matrix of counts; None where that is all.

        Args: counted, as `with_absorbing` returns them; seen, what was noted; step and fit, where they are known.
        Raises: InvalidRequest where the counts do not say what is asked for, or it is too large.
        """
        if self.added and not self.histories:
            note_returns(counted)
        if self.per is not None:
            found, fit = self._cycle(counted, seen, step), seen.fit_of_cycle()
        elif self.is_law:
            found = self._law(counted, seen)
        elif self.steps is not None:
            found = self._cohort(counted, self.steps)
        else:
            return None
        return found | observed_value(step, fit)

    def _law(self, counted: TransitionCounts, seen: Observations) -> Object:
        if not seen.users:
            raise InvalidRequest("counts do not say what came before: give the sequences or the log")
        if self.histories:
            return histories_value(counted, seen, self.added, self.steps or 1)
        return second_order_value(counted, seen, self.added, self.steps is not None)

    def _cohort(self, counted: TransitionCounts, releases: int) -> Object:
        """Return both correlations over some releases of a chain that begins as the sequences do."""
        forward, initial = counted.forward(self.added), counted.initial()
        backward = cohort_reversal(forward, initial, releases - 1)
        return {
            "states": list(counted.states),
            "transitions": sum(map(sum, counted.transitions)),
            "initial": row_texts(initial),
            "forward": forward.texts(),
            "backward": {"steps": [matrix.texts() for matrix in backward.each]},
        }

    def _cycle(self, counted: TransitionCounts, seen: Observations, step: Duration | None) -> Object:
        """Return both correlations of a chain with a matrix for each step of a day or week."""
        groups = seen.by_hour if self.per == HOUR else seen.by_weekday
        forward = cycle_of(groups, self.per or HOUR, counted.states, step, self.added)
        both = {"forward": forward, "backward": periodic_reversal(forward, is_forward=True)}
        return {
            "states": list(counted.states),
            "transitions": sum(map(sum, counted.transitions)),
            **{role: {"cycle": [matrix.texts() for matrix in known.each]} for role, known in both.items()},
        }
