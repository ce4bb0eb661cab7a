"""The time of a step: how far apart visits are, and which of them are one step after another.

A chain that is estimated from visits is about the step between them. Where the step has a length, the visits of a user
lie on a grid of it that begins at the first one; nothing is guessed of the steps that are missing.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from ..contract.limits import too_large
from ..reference import InvalidNumber, InvalidRequest, TransitionMatrix, parse_number
from ..reference.errors import TableNote, check_is

ERROR, BREAK, HOLD = "error", "break", "hold"
GAPS = (ERROR, BREAK, HOLD)
"""What to do where visits are not one step apart: refuse the log, begin a new sequence, or keep the value."""

UNITS = {"w": 604_800, "d": 86_400, "h": 3_600, "min": 60, "s": 1}
"""Seconds of each unit of time, the longest first."""

_DURATION = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?) ?(?P<unit>[a-z]*)")
_FIRST_DAY = datetime(1, 1, 1)

MICROSECONDS = 10**6
"""Microseconds in a second, the finest unit of a date and time."""

SPACING_DIGITS = 3
"""Digits to which spacings are rounded, so that few different ones are kept."""


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time: in seconds, or where times are numbers in their unit."""

    length: Fraction
    in_seconds: bool

    @classmethod
    def of(cls, text: str, what: str) -> Duration:
        """Read 15min, 1h, 2.5 d, or a number, of whatever unit times are. Raises: InvalidRequest for anything else."""
        check_is(str, text, what)
        found = _DURATION.fullmatch(text.strip())
        unit = found["unit"] if found else ""
        if found is None or (unit and unit not in UNITS):
            raise InvalidRequest(f"{what}: {text!r} is not a length of time: write 15min, 1h, 1d, or a number of units")
        try:
            number = parse_number(found["number"])
        except InvalidNumber as error:
            raise InvalidRequest(f"{what}: {error}") from None
        if number <= 0:
            raise InvalidRequest(f"{what}: a length of time is above 0")
        return cls(number * UNITS.get(unit, 1), bool(unit))

    def text(self) -> str:
        """Return it as `of` reads it: in the longest unit that divides it, else in seconds."""
        if not self.in_seconds:
            return _decimal(self.length)
        unit = next((name for name, seconds in UNITS.items() if self.length % seconds == 0), "s")
        return f"{_decimal(self.length / UNITS[unit])}{unit}"

    def steps_of(self, step: Duration) -> Fraction:
        """Return how many steps it has. Raises: InvalidRequest where one is in seconds and the other is not."""
        if self.in_seconds != step.in_seconds:
            raise InvalidRequest(f"{self.text()} and {step.text()}: one has a unit of time, the other has none")
        return self.length / step.length


def _decimal(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.6g}"


def since_first_day(moment: Fraction | datetime) -> Fraction:
    """Return a time as a number: seconds of a date and time, without its offset from UTC; a number as it is."""
    return moment if isinstance(moment, Fraction) else Fraction(microseconds(moment), MICROSECONDS)


def microseconds(moment: datetime) -> int:
    """Return how long a date and time is after the first day, without its offset from UTC."""
    return _local(moment) - (moment.utcoffset() or timedelta(0)) // timedelta(microseconds=1)


def _local(moment: datetime) -> int:
    return (moment.replace(tzinfo=None) - _FIRST_DAY) // timedelta(microseconds=1)


@dataclass(slots=True)
class Spacings:
    """How far apart the visits of each user are, to three digits, as they are found.

    alike: the one exact spacing; gaps: how many of them are more than one step.
    """

    found: Counter[Fraction] = field(default_factory=Counter)
    gaps: int = 0
    alike: Fraction | None = None
    differ: bool = False

    def add(self, spacings: Mapping[Fraction, int], one: Fraction, differ: bool) -> None:
        """Take note of spacings and how often each occurs. Args: one of them, exactly; differ, whether another does."""
        self.differ |= differ or self.alike not in (None, one)
        self.alike = one
        for spacing, times in spacings.items():
            self.found[_to_three_digits(spacing)] += times

    @property
    def always(self) -> Fraction | None:
        """The spacing that all visits have, exactly; None where they differ."""
        return None if self.differ else self.alike

    def quantile(self, part: Fraction) -> Fraction:
        """Return the least spacing, to three digits, that at least this part of them does not exceed."""
        wanted, seen = part * self.found.total(), 0
        for spacing in sorted(self.found):
            seen += self.found[spacing]
            if seen >= wanted:
                return spacing
        raise AssertionError("there is a spacing")

    def text(self, in_seconds: bool) -> str:
        """Say how far apart visits are."""
        if not self.found:
            return "no user has two visits"
        if self.always is not None:
            return f"visits are all {Duration(self.always, in_seconds).text()} apart"
        median, late, most = (
            _in_few_digits(Duration(each, in_seconds))
            for each in (self.quantile(Fraction(1, 2)), self.quantile(Fraction(99, 100)), max(self.found))
        )
        return f"visits are {median} apart in the median (99th percentile {late}, maximum {most})"

    def told(self, in_seconds: bool, steps: Steps) -> str:
        """Say how far apart visits are, and what that makes a step."""
        found = self.text(in_seconds)
        if steps.step is not None:
            where = "" if steps.gaps == ERROR else f" at {self.gaps:,} of {self.found.total():,} spacings"
            return f"{steps.step.text()} a step; {found}; gaps: {steps.gaps}{where}"
        if self.always is not None:
            return f"{found}, which is taken as the step"
        return f"{found}; each visit counts as one step, whatever its length; --step sets one"

    def has_warned(self, steps: Steps) -> bool:
        """Whether steps of different lengths are all counted as one, which `warn` says."""
        return self.differ and steps.step is None

    def warn(self, in_seconds: bool, steps: Steps) -> None:
        """Warn where visits are not one step apart, and each counts as one."""
        if self.has_warned(steps):
            warnings.warn(self.told(in_seconds, steps), TableNote, stacklevel=3)


def _in_few_digits(spacing: Duration) -> str:
    """Return a length of time for a reader: 4.97h, where it is a whole number of seconds alone."""
    exact = spacing.text()
    if not spacing.in_seconds or len(exact.rstrip("".join(UNITS))) <= SPACING_DIGITS:
        return exact
    unit = next((name for name, seconds in UNITS.items() if spacing.length >= seconds), "s")
    return f"{float(spacing.length / UNITS[unit]):.{SPACING_DIGITS}g}{unit}"


def _to_three_digits(spacing: Fraction) -> Fraction:
    unit = Fraction(10) ** (len(str(int(spacing))) - SPACING_DIGITS) if spacing >= 1 else Fraction(1, 10**6)
    return round(spacing / unit) * unit


@dataclass(frozen=True, slots=True)
class Steps:
    """How visits are taken for steps. step: its length, None where each visit is one; gaps: one of GAPS.

    drop: whether a visit that says again what another one says, user, time and state, is left out; else it is an error.
    """

    step: Duration | None = None
    gaps: str = ERROR
    drop: bool = False

    def __post_init__(self) -> None:
        if self.gaps not in GAPS:
            raise InvalidRequest(f"gaps is one of {', '.join(GAPS)}, not {self.gaps!r}")
        if self.step is None and self.gaps != ERROR:
            raise InvalidRequest(f"--gaps {self.gaps} needs --step: without the length of a step nothing is a gap")

    def check(self, in_seconds: bool) -> None:
        """Raise InvalidRequest where times are dates and the step is a number, or the other way round."""
        if self.step is not None and self.step.in_seconds != in_seconds:
            times, wanted = ("dates", "a unit, as in 1h") if in_seconds else ("numbers", "no unit, as in 3600")
            raise InvalidRequest(f"--step {self.step.text()}: times are {times}, so a step has {wanted}")

    def slots(self, times: Sequence[Fraction], refuse: Callable[[int, str], Exception]) -> list[int]:
        """Return the step of each visit of one user, counted from the first one's.

        Args: times, ascending; refuse, makes the error about a visit, by its number.
        """
        if self.step is None:
            return [*range(len(times))]
        steps = [(time - times[0]) / self.step.length for time in times]
        if self.gaps == HOLD:  # what is read at a time of the grid was last seen at it or before
            return [ceil(each) for each in steps]
        slots = [floor(each + Fraction(1, 2)) for each in steps]
        for number, (before, after) in enumerate(pairwise(slots), 1):
            if before == after:
                raise refuse(number, TOO_CLOSE)
            if after > before + 1 and self.gaps == ERROR:
                raise refuse(number, GAP.format(after - before))
        return slots

    def refusal(self, place: str, told: str, what: str) -> InvalidRequest:
        """Return the error about a visit that is not one step after the one before it."""
        step = "" if self.step is None else self.step.text()
        return InvalidRequest(f"{place}: with steps of {step} the visit at {told} {what}")


EACH_VISIT = Steps()
"""Each visit is one step."""


def steps_of(step: str | None, gaps: str, drop: bool = False) -> Steps:
    """Return how visits are taken for steps. Args: step, as `Duration.of` reads it. Raises: InvalidRequest."""
    return Steps(None if step is None else Duration.of(step, "--step"), gaps, drop)


TOO_CLOSE = "is in the same step as the one before it: a shorter --step, or --gaps hold, which takes the last of a step"
GAP = (
    "is {} steps after the one before it: --gaps break begins a new sequence there, --gaps hold keeps the value until "
    "the next visit"
)


def transitions_of(
    slots: Sequence[int], states: Sequence[str], gaps: str
) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Return how often each state followed each in the visits of one user, and the first state of each sequence.

    Args: slots, the step of each visit; states, of each visit, "" where it is missing, which ends a sequence; gaps, as
    `Steps` has it.
    """
    if gaps == HOLD:  # of the visits in one step the last
        last = [here for here, (slot, after) in enumerate(zip(slots, [*slots[1:], None], strict=True)) if slot != after]
        slots, states = [slots[here] for here in last], [states[here] for here in last]
    found: Counter[tuple[str, str]] = Counter()
    first = [state for state in states[:1] if state]
    for (slot, after), (state, following) in zip(pairwise(slots), pairwise(states), strict=True):
        if not state or not following or (after > slot + 1 and gaps != HOLD):
            first += [following] if following else []
            continue
        if after > slot + 1:
            found[state, state] += after - slot - 1
        found[state, following] += 1
    return found, first


def runs_of(slots: Sequence[int], states: Sequence[str], gaps: str) -> list[tuple[int, list[tuple[str, int]]]]:
    """Return the sequences of a user, each its first slot, and its states with the steps they last.

    Args: as `transitions_of`.
    """
    runs: list[tuple[int, list[tuple[str, int]]]] = []
    begins = True
    for slot, after, state in zip(slots, [*slots[1:], None], states, strict=True):
        length = 1 if after is None or gaps != HOLD else after - slot
        if not length:  # of the visits in one step the last
            continue
        if begins and state:
            runs.append((slot, []))
        if state:
            runs[-1][1].append((state, length))
        begins = not state or (after is not None and after > slot + 1 and gaps != HOLD)
    return runs


_HOUR = 3600 * MICROSECONDS


@dataclass(frozen=True, slots=True)
class Clock:
    """The local time of the slots of one user, in microseconds.

    times: of each slot; with `step`, of slot 0 alone. start: the slot in which a sequence begins.
    """

    times: Sequence[int]
    step: int | None
    start: int = 0

    @classmethod
    def of(cls, moments: Sequence[Fraction | datetime], step: Duration | None) -> Clock | None:
        """Return the clock of visits; None where times are numbers, or a step is no whole number of microseconds."""
        local = [_local(moment) for moment in moments if isinstance(moment, datetime)]
        length = None if step is None else step.length * MICROSECONDS
        if not local or (length is not None and length.denominator > 1):
            return None
        return cls(local, None if length is None else int(length))

    def placed(self, runs: Iterable[tuple[str, int]], cycle: Duration) -> Iterator[str]:
        """Yield the state of each step of a sequence, named with its time within a cycle. Args: runs, states and steps.

        The time is that since the first day, so that a week begins on Monday.
        """
        period = int(cycle.length * MICROSECONDS)
        steps = (state for state, count in runs for _ in range(count))
        for slot, state in enumerate(steps, self.start):
            time = self.times[slot] if self.step is None else self.times[0] + slot * self.step
            yield f"{state} at {time % period}"

    def hours(self, first: int, count: int) -> Iterator[tuple[int, int]]:
        """Yield the hours since the first day in which `count` steps of a sequence are, and how many are in each.

        Whole weeks are gone through once. Args: first, the step of the sequence, from 0.
        """
        week = 0 if self.step is None or 168 * _HOUR % self.step else 168 * _HOUR // self.step
        if week and count >= 2 * week:
            weeks, count = divmod(count, week)
            yield from ((hour, weeks * steps) for hour, steps in self.hours(first, week))
        slot, end = self.start + first, self.start + first + count
        while slot < end:
            time = self.times[slot] if self.step is None else self.times[0] + slot * self.step
            hour = time // _HOUR
            until = slot + 1 if self.step is None else slot - ((time - (hour + 1) * _HOUR) // self.step)
            until = min(until, end)
            yield hour, until - slot
            slot = until


MOST_STEPS_BETWEEN = 10_000
MOST_POWER_BITS = 10**8
"""Bits of the entries of a power, together."""


def steps_between(every: str, step: Duration | None) -> int:
    """Return how many steps of the chain it is from one release to the next.

    Args: every, a whole number of steps, or a length of time; step, that of a step, where it is known.
    Raises: InvalidRequest where the step is not known, or where no whole number of steps takes so long.
    """
    if every.isascii() and every.isdigit():
        count = Fraction(int(every))
    elif step is None:
        raise InvalidRequest(
            f"--every {every}: the matrix does not say how long a step is (the JSON of estimate --step --counts does); "
            "give a whole number of steps instead"
        )
    else:
        count = Duration.of(every, "--every").steps_of(step)
        if count.denominator > 1:
            raise InvalidRequest(
                f"--every {every} is {float(count):.6g} steps of {step.text()}: a chain says nothing exact of parts of "
                "its step (a stochastic matrix need not have a stochastic root): estimate with a --step that divides it"
            )
    if not 1 <= count <= MOST_STEPS_BETWEEN:
        raise InvalidRequest(f"--every {every} is {count} steps: from 1 to {MOST_STEPS_BETWEEN} are admitted")
    return int(count)


def check_power(matrix: TransitionMatrix, steps: int) -> None:
    """Raise InvalidRequest if the entries of the matrix of `steps` steps are too long."""
    bits = max(entry.denominator.bit_length() for row in matrix.rows for entry in row)
    if bits * steps * matrix.n**3 > MOST_POWER_BITS:
        raise too_large(f"the exact matrix of {steps} steps of {matrix.n} states with entries of {bits} bits")
