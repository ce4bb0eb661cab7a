"""The clock of an account: which of its releases are of one time, and which times had none.

A release that is recorded with a time is a text such as "1/10 at 2026-11-28T08:00". Budgets of releases of one time add
up, as both are about the same value; a time without a release is a budget of 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from operator import add
from typing import TypeVar

from ..contract.limits import MOST_RELEASES, check_count
from ..reference import ZERO, InvalidNumber, InvalidRequest, Level, PrivacyBudget, parse_number
from ..reference.numbers import exact
from ..reference.worst_case.profile_budgets import together
from ..wire.budget_texts import budget_of
from ..wire.numerals import Reader
from .steps import Duration, since_first_day

AT = " at "

ONE_NUMBER = Duration(Fraction(1), in_seconds=False)
"""The step of an account that names none: times are then numbers of releases."""

SOME_UNTIMED = (
    "some releases have a time and others have none: an account whose first release has a time (--at) needs "
    "one for each, and one whose first release has none takes each as one step after the one before"
)

EACH_ONE_STEP = "each release is taken as one step after the one before (--at gives times)"

ALONE = "without --at this release is of a time of its own, and each later one of the next time"
HOW_TO_ADD_UP = "several releases of one time add up where each has its --at, from the first one of an account on"

Time = datetime | str | int | Fraction | Decimal
"""When the value that is released was: a number of steps or of units of time, or a date and time, as text or not."""


def timed(epsilon: str, time: str | None) -> str:
    """Return a release as it is recorded. Raises: InvalidRequest for what is no time."""
    if time is None:
        return epsilon
    _moment(time)
    return f"{epsilon}{AT}{time.strip()}"


def check_all_timed(releases: int, times: int, at: Time | None) -> None:
    """Raise InvalidRequest where of some releases, so many of them with a time, only some would have one."""
    if releases and (at is None) == bool(times):
        raise InvalidRequest(SOME_UNTIMED)


def is_timed(releases: Sequence[str]) -> bool:
    """Return whether releases have times. Raises: InvalidRequest where only some have."""
    found = {AT in release for release in releases}
    if len(found) > 1:
        raise InvalidRequest(SOME_UNTIMED)
    return True in found


def recorded_by_time(releases: Sequence[str], step: Duration) -> list[Level]:
    """Return the budget of each time, as `by_time`, of releases as they are recorded."""
    parts = [release.partition(AT) for release in releases]
    return by_time(((Reader().level(epsilon, "epsilons"), time) for epsilon, _, time in parts), step)


def recorded_at_delta(releases: Sequence[str], step: Duration) -> list[PrivacyBudget]:
    """Return the budget of each time, as `by_time_at_delta`, of releases as they are recorded."""
    parts = [release.partition(AT) for release in releases]
    return by_time_at_delta(((budget_of(budget, "epsilons"), time) for budget, _, time in parts), step)


def by_time(releases: Iterable[tuple[Level, Time]], step: Duration) -> list[Level]:
    """Return the budget of each time from that of the first release on, one step apart: sums, and 0 between releases.

    Raises: InvalidRequest for times of different kinds, that are no whole number of steps apart, or before the first.
    """
    return [reduce(add, levels) if levels else ZERO for levels in _each_time(releases, step)]


def by_time_at_delta(releases: Iterable[tuple[PrivacyBudget, Time]], step: Duration) -> list[PrivacyBudget]:
    """Return the budget of each time, as `by_time`: one that all releases of it keep together, and 0 between releases.

    Raises: as `by_time`, and as `together`.
    """
    return [together(budgets) for budgets in _each_time(releases, step)]


_Budget = TypeVar("_Budget")


def _each_time(releases: Iterable[tuple[_Budget, Time]], step: Duration) -> list[list[_Budget]]:
    budgets: dict[int, list[_Budget]] = {}
    first = None
    for budget, time in releases:
        moment, kind = _moment(time)
        first = first or (moment, kind)
        if kind != first[1]:
            raise InvalidRequest(f"--at {time}: {kind}, but the first release has {first[1]}")
        if (kind != _NUMBER) != step.in_seconds:
            raise InvalidRequest(
                f"--at {time}: {kind}, but a step is {step.text()}: give --step, the time from one value to the next, "
                "as in 1h, or a number where times are numbers"
            )
        slot = (moment - first[0]) / step.length
        if slot.denominator > 1 or slot < 0:
            raise InvalidRequest(
                f"--at {time}: {float(slot):.6g} steps of {step.text()} after the first release: times are whole steps "
                "from it on"
            )
        budgets.setdefault(int(slot), []).append(budget)
    length = max(budgets) + 1 if budgets else 0
    check_count(length, MOST_RELEASES, "times")
    return [budgets.get(slot, []) for slot in range(length)]


def checked_step(step: str | None, chain: Duration | None) -> Duration | None:
    """Return the time from one value to the next. Args: chain, that of the matrices.

    Raises: InvalidRequest where another one is asked for.
    """
    clock = None if step is None else Duration.of(step, "--step")
    if clock is not None and chain is not None and clock != chain:
        raise InvalidRequest(f"--step {step}: the matrices are for releases {chain.text()} apart")
    return chain or clock


def told_times(step: str, releases: int, clock: Duration | None) -> str:
    """Say how far apart releases are. Args: step, what is known of that, perhaps nothing; clock, where all have times.

    Returns: `step` where there is no more to say.
    """
    if clock is not None:
        told = f"releases at times of {clock.text()}, those of one time added up, each with noise of its own"
    elif releases > 1:
        told = EACH_ONE_STEP
    else:
        return step
    return f"{step}; {told}" if step else told


_NUMBER = "a number"


def _moment(time: Time) -> tuple[Fraction, str]:
    """Return a time and its kind. Raises: InvalidRequest."""
    moment = time
    if not isinstance(moment, str | datetime):
        return exact(moment), _NUMBER
    if isinstance(moment, str):
        try:
            return parse_number(moment.strip()), _NUMBER
        except InvalidNumber:
            pass
        try:
            moment = datetime.fromisoformat(moment.strip())
        except ValueError:
            raise InvalidRequest(
                f"--at: {str(time)[:40]!r} is not a time: write a number, or ISO 8601 as in 2026-05-31T08:00"
            ) from None
    return since_first_day(moment), f"a time with{'out' * (moment.tzinfo is None)} an offset from UTC"
