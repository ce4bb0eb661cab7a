"""The transitions of a log of visits, counted: of each user, from the state of a visit to that of the next."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from functools import partial
from itertools import pairwise
from os import PathLike, fspath

from ..contract.limits import MOST_VISITS, check_states, too_large
from ..reference import InvalidRequest, TransitionCounts
from ..reference.errors import check_is
from ..reference.estimation import tabulated
from ..reference.paper.loss import Progress
from .doubt import REFUSE, USUAL, Readings, check_observed, note_alike
from .files import named
from .fit import Fit, Observations
from .logs import LogColumns, Moment, Visit, at_one_time, visits_in, visits_of
from .steps import (
    EACH_VISIT,
    ERROR,
    Clock,
    Duration,
    Spacings,
    Steps,
    runs_of,
    since_first_day,
    steps_of,
    transitions_of,
)


@dataclass(frozen=True, slots=True)
class CountedVisits:
    """The transitions of a log.

    spacings: how far apart visits are; in_seconds: whether that is a time, or a number; fit: whether the chain fits.
    """

    counts: TransitionCounts
    spacings: Spacings
    in_seconds: bool
    fit: Fit

    def step(self, steps: Steps) -> Duration | None:
        """Return the time of a step: the one that was asked for, else that between visits where it is always one."""
        always = self.spacings.always
        return steps.step or (None if always is None else Duration(always, self.in_seconds))


def count_log_file(
    path: str,
    columns: LogColumns,
    progress: Progress | None = None,
    separator: str | None = None,
    steps: Steps = EACH_VISIT,
    *,
    readings: Readings = USUAL,
    seen: Observations | None = None,
) -> CountedVisits:
    """Count the transitions of each user in a log with a header and a visit a line.

    Args: as `visits_of`; steps, which visits are one step apart; seen, notes each user for the tests of fit.
    Returns: the counts, exact. Raises: as `visits_of`; two visits of a user at the same time are an error, as their
    order is not known; as `Steps.slots`; and where there are gaps between all visits, and each begins a new sequence.
    """
    with named(path):
        return _count(visits_of(path, columns, progress, separator, readings=readings), steps, readings, seen)


def count_visits(
    visits: object, columns: LogColumns, step: str | None = None, gaps: str = ERROR, missing: str = REFUSE
) -> TransitionCounts:
    """Count the transitions of each user in a pandas, Polars or Arrow table of visits, rows of them, or a file.

    Args:
        visits: a visit a row, of who, when and where; or the path of a file.
        columns: the names of the columns of users, times and states.
        step: the length of a step, as in "1h", or a number where times are numbers; None where each visit is a step.
        gaps: "error", "break" or "hold": what to do where visits are not one step apart.
        missing: what a state such as None, NaN, "NA" or -99 is: "refuse", "break" the sequence, also at
            "break:NAMES", or a "state".

    Returns: the counts, exact. Raises: as `count_log_file`, with the row.

    >>> import pandas
    >>> log = pandas.DataFrame({"user": ["a", "a", "a"], "time": [1, 2, 3], "zone": ["x", "y", "y"]})
    >>> from tploracle import LogColumns
    >>> count_visits(log, LogColumns("user", "time", "zone")).transitions
    ((0, 1), (0, 1))
    """
    return count_log(visits, columns, steps_of(step, gaps), Readings(missing=missing)).counts


def count_log(
    visits: object,
    columns: LogColumns,
    steps: Steps,
    readings: Readings,
    *,
    separator: str | None = None,
    seen: Observations | None = None,
) -> CountedVisits:
    """Count the transitions of each user in a table of visits, or of a path in its file. As `count_log_file`."""
    check_is(LogColumns, columns, "columns")
    if isinstance(visits, str | PathLike):
        return count_log_file(fspath(visits), columns, separator=separator, steps=steps, readings=readings, seen=seen)
    return _count(visits_in(visits, columns, readings), steps, readings, seen)


def _count(
    visits: Iterable[tuple[str, Visit]], steps: Steps, readings: Readings, seen: Observations | None = None
) -> CountedVisits:
    in_seconds = False
    states: dict[str, None] = {}
    kept = _Kept()
    for number, (user, visit) in enumerate(visits, 1):
        if number > MOST_VISITS:
            raise too_large(f"more than {MOST_VISITS} visits")
        if number == 1:
            in_seconds = isinstance(visit.moment, datetime)
            steps.check(in_seconds)
        kept.add(user, visit)
        if visit.state:
            states[visit.state] = None
        check_states(states)
    seen = Observations() if seen is None else seen
    spacings, first, found = Spacings(), Counter[str](), Counter[tuple[str, str]]()
    conflict: InvalidRequest | None = None
    conflicts = of_users = others = 0
    for user, own in kept.by_user():
        ordered, own_conflicts = _in_order(own, steps.drop)
        if own_conflicts:
            of_users, conflicts = of_users + 1, conflicts + len(own_conflicts)
            others += sum(before.state != after.state for before, after in own_conflicts)
            before, after = own_conflicts[0]
            is_other = steps.drop or before.state != after.state
            conflict = conflict or at_one_time(user, before.place, after.place, after.told, is_other)
        if conflict is not None:
            continue
        since = [since_first_day(visit.moment) for visit in ordered]
        own_spacings = Counter(after - before for before, after in pairwise(since))
        if own_spacings:
            spacings.add(own_spacings, next(iter(own_spacings)), len(own_spacings) > 1)
        slots = steps.slots(since, partial(_refusal, steps, ordered))
        spacings.gaps += sum(after > before + 1 for before, after in pairwise(slots))
        where = [visit.state for visit in ordered]
        counts, begun = transitions_of(slots, where, steps.gaps)
        begun_at = runs_of(slots, where, steps.gaps)
        clock = Clock.of([visit.moment for visit in ordered], steps.step)
        clocks = [] if clock is None else [replace(clock, start=slot) for slot, _ in begun_at]
        seen.add([runs for _, runs in begun_at], clocks)
        found.update(counts)
        first.update(begun)
    if conflict is not None and conflicts > 1:
        unlike = f", {others:,} of them with another state" * (not steps.drop)
        raise InvalidRequest(f"{conflict}; there are {conflicts:,} such visits, of {of_users:,} of the users{unlike}")
    if conflict is not None:
        raise conflict
    if steps.step is not None and spacings.found and not found:
        raise InvalidRequest(
            f"with steps of {steps.step.text()} no visit is one step after another: {spacings.text(in_seconds)}; give "
            "--step that length, or where a visit says that the value has changed, --gaps hold"
        )
    check_observed(states, readings)
    note_alike(kept.users, "users")
    spacings.warn(in_seconds, steps)
    return CountedVisits(tabulated(found, first), spacings, in_seconds, seen.fit())


@dataclass(slots=True)
class _Kept:
    """The visits of a log, little of each: five million of them stay below a gigabyte."""

    word: str = ""
    users: dict[str, int] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    who: array[int] = field(default_factory=partial(array, "q"))
    where: array[int] = field(default_factory=partial(array, "q"))
    numbers: array[int] = field(default_factory=partial(array, "q"))
    moments: list[Moment | int] = field(default_factory=list)

    def add(self, user: str, visit: Visit) -> None:
        """Keep a visit; how its time was written is not kept."""
        moment, self.word = visit.moment, visit.word
        self.who.append(self.users.setdefault(user, len(self.users)))
        self.where.append(self.states.setdefault(visit.state, len(self.states)))
        self.numbers.append(visit.number)
        whole = isinstance(moment, Fraction) and moment.denominator == 1
        self.moments.append(moment.numerator if isinstance(moment, Fraction) and whole else moment)

    def by_user(self) -> Iterator[tuple[str, list[Visit]]]:
        """Yield the users, in the order of their first visits, with their visits in the order of the log."""
        import numpy as np

        who, names = np.frombuffer(self.who, np.int64), list(self.states)
        order = np.argsort(who, kind="stable")
        ends = np.cumsum(np.bincount(who, minlength=len(self.users))).tolist() if self.users else []
        for user, start, end in zip(self.users, [0, *ends], ends, strict=False):
            yield user, [self._visit(index, names) for index in order[start:end].tolist()]

    def _visit(self, index: int, names: list[str]) -> Visit:
        moment = self.moments[index]
        told = moment.isoformat() if isinstance(moment, datetime) else str(moment)
        exact = Fraction(moment) if isinstance(moment, int) else moment
        return Visit(exact, names[self.where[index]], self.word, self.numbers[index], told)


def _refusal(steps: Steps, visits: Sequence[Visit], number: int, what: str) -> InvalidRequest:
    return steps.refusal(visits[number].place, visits[number].told, what)


def _in_order(visits: list[Visit], drop: bool) -> tuple[list[Visit], list[tuple[Visit, Visit]]]:
    """Return the visits of a user in the order of time, and those that have none, each with the one it is beside."""
    conflicts = []
    ordered = sorted(visits, key=lambda visit: visit.moment)
    kept = ordered[:1]
    for visit in ordered[1:]:
        if visit.moment != kept[-1].moment:
            kept.append(visit)
        elif not drop or visit.state != kept[-1].state:
            conflicts.append((kept[-1], visit))
    return kept, conflicts
