"""The clock of an account: which of its releases are of one time, and which times had none.

A release that is recorded with a time is a text such as "1/10 at 2026-11-28T08:00". Budgets of releases of one time add
up, as both are about the same value; a time without a release is a budget of 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction

from ..contract.limits import MOST_RELEASES, check_count
from ..data.steps import Duration, since_first_day
from ..reference import ZERO, InvalidNumber, InvalidRequest, Level, parse_number
from ..wire.numerals import Reader

AT = " at "

ONE_NUMBER = Duration(Fraction(1), in_seconds=False)
"""The step of an account that names none: times are then numbers of releases."""


def timed(epsilon: str, time: str | None) -> str:
    """Return a release as it is recorded. Raises: InvalidRequest for what is no time."""
    if time is None:
        return epsilon
    _moment(time)
    return f"{epsilon}{AT}{time.strip()}"


def is_timed(releases: Sequence[str]) -> bool:
    """Return whether releases have times. Raises: InvalidRequest where only some have."""
    found = {AT in release for release in releases}
    if len(found) > 1:
        raise InvalidRequest(
            "some releases have a time and others have none: an account whose first release has a time (--at) needs "
            "one for each, and one whose first release has none takes each as one step after the one before"
        )
    return True in found


def by_time(releases: Sequence[str], step: Duration) -> list[Level]:
    """Return the budget of each time from that of the first release on, one step apart: sums, and 0 between releases.

    Raises: InvalidRequest for times of different kinds, that are no whole number of steps apart, or before the first.
    """
    budgets: dict[int, Level] = {}
    first = None
    for release in releases:
        epsilon, _, text = release.partition(AT)
        moment, kind = _moment(text)
        first = first or (moment, kind)
        if kind != first[1] or (kind != _NUMBER) != step.in_seconds:
            raise InvalidRequest(
                f"--at {text}: {kind}, but the first release has {first[1]}, and a step is {step.text()}"
            )
        slot = (moment - first[0]) / step.length
        if slot.denominator > 1 or slot < 0:
            raise InvalidRequest(
                f"--at {text}: {float(slot):.6g} steps of {step.text()} after the first release: times are whole steps "
                "from it on"
            )
        level = Reader().level(epsilon, "epsilons")
        budgets[int(slot)] = budgets[int(slot)] + level if int(slot) in budgets else level
    length = max(budgets) + 1 if budgets else 0
    check_count(length, MOST_RELEASES, "times")
    return [budgets.get(slot, ZERO) for slot in range(length)]


_NUMBER = "a number"


def _moment(text: str) -> tuple[Fraction, str]:
    """Return a time and its kind. Raises: InvalidRequest."""
    try:
        return parse_number(text.strip()), _NUMBER
    except InvalidNumber:
        pass
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidRequest(
            f"--at: {text[:40]!r} is not a time: write a number, or ISO 8601 as in 2026-05-31T08:00"
        ) from None
    return since_first_day(moment), f"a time with{'out' * (moment.tzinfo is None)} an offset from UTC"
