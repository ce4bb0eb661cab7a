"""An answer in doubles held against the exact value: on which side, and how many units in the last place away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, isinf, ulp

from ..reference import Level, Undecided
from .naive import Answer, Kind, attempt

DIGITS = (40, 400)
"""Of the enclosures by which distances are told, the second where the first does not do."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer beside the truth. order: −1 below it, 0 equal, 1 above; None for no number. ulps: how far, signed.

    ulps is None where there is no number, where either is infinite, and where the truth is 0. unsafe: a leakage below
    the truth, or a budget above it.
    """

    answer: Answer
    order: int | None
    ulps: int | None
    unsafe: bool

    @property
    def is_number(self) -> bool:
        """Whether a number came back, and the computation ended by itself."""
        return self.answer.kind is Kind.NUMBER

    def exceeds(self, most: int) -> bool:
        """Whether it is no number, or further off than so many units in the last place."""
        return not self.is_number or (self.order != 0 and (self.ulps is None or abs(self.ulps) > most))

    def __str__(self) -> str:
        where = self._where()
        if self.is_number:
            return where
        kind = self.answer.kind.value
        return f"{kind} (cut off: {where})" if where else kind

    def _where(self) -> str:
        if self.order is None:
            return ""
        if self.ulps is None:
            text = self._without_distance()
        elif self.order == 0:
            text = "exact"
        else:
            side = "above" if self.order > 0 else "below"
            text = f"{_count(abs(self.ulps))} ulp{'' if abs(self.ulps) == 1 else 's'} {side}"
        return f"{text}, UNSAFE" if self.unsafe else text

    def _without_distance(self) -> str:
        if self.answer.value == inf:
            return "infinite where the truth is finite"
        return f"{self._beside_zero()}, the truth" if self._beside_zero() else "finite where the truth is infinite"

    def _beside_zero(self) -> str:
        """Say on which side of a truth of 0 the answer is; nothing where the truth is infinite."""
        value = self.answer.value
        if self.order == 1:
            return "above 0"
        return "below 0" if value is not None and value < 0 else ""

    @property
    def short(self) -> str:
        """What came of it in a cell of a table: a signed number of units in the last place, or a word."""
        if self.order is None:
            return self.answer.kind.value
        if self.ulps is None:
            text = "infinite" if self.answer.value == inf else self._beside_zero() or "finite"
        else:
            text = "exact" if self.order == 0 else f"{'+' if self.order == 1 else '−'}{_count(abs(self.ulps))}"
        text += " UNSAFE" if self.unsafe else ""
        return text if self.is_number else f"{self.answer.kind.value} ({text})"


def _count(ulps: int) -> str:
    return f"{ulps:,}" if ulps < 10**6 else f"{ulps:.1e}".replace("e+", "e")


@dataclass(frozen=True, slots=True)
class Trial:
    """One question, the exact answer, and what each method made of it. note: why it is asked.

    name: "α" or "ε", and given is a level; or "T", and given is a number of releases.
    """

    name: str
    given: float | int
    truth: Level
    outcomes: Mapping[str, Outcome]
    note: str = ""


def tried(
    name: str,
    given: float | int,
    truth: Level,
    ways: Mapping[str, Callable[[], object]],
    note: str = "",
    *,
    budget: bool = False,
) -> Trial:
    """Run each way and hold what comes of it against the truth. Raises: Undecided."""
    return Trial(name, given, truth, {way: held(attempt(work), truth, budget) for way, work in ways.items()}, note)


def held(answer: Answer, truth: Level, budget: bool = False) -> Outcome:
    """Hold an answer against the truth. Exact. Args: budget, whether the safe side is below. Raises: Undecided."""
    value = answer.value
    if value is None:
        return Outcome(answer, None, None, unsafe=False)
    order = _order(value, truth)
    unsafe = order > 0 if budget else order < 0
    if order == 0 or truth.is_zero or truth.is_infinite or isinf(value):
        return Outcome(answer, order, 0 if order == 0 else None, unsafe)
    return Outcome(answer, order, order * ulps_between(Fraction(value), truth), unsafe)


def _order(value: float, truth: Level) -> int:
    """Return the sign of value − truth. Exact. Raises: Undecided."""
    if isinf(value) or truth.is_infinite:
        return int(value == inf) - int(truth.is_infinite)
    enclosure, exact = truth.enclosure(DIGITS[0]), Fraction(value)
    if exact not in enclosure:
        return 1 if exact > Fraction(enclosure.upper) else -1
    return Level.of(exact).compare(truth)


def ulps_between(value: Fraction, truth: Level) -> int:
    """Return the distance in units in the last place of the double at the truth, rounded up.

    Args: truth, positive and finite. Raises: Undecided.
    """
    if truth.rational is not None:
        return _ulps(value, truth.rational)
    for digits in DIGITS:
        enclosure = truth.enclosure(digits)
        ends = (Fraction(enclosure.lower), Fraction(enclosure.upper))
        counts = {_ulps(value, end) for end in ends}
        if len(counts) == 1:
            return counts.pop()
    raise Undecided("the distance is not told apart from a whole number of units in the last place")


def _ulps(value: Fraction, truth: Fraction) -> int:
    return ceil(abs(value - truth) / Fraction(ulp(float(truth))))


def nearest(level: Level) -> float:
    """Return the double next to a level."""
    return inf if level.is_infinite else float(Fraction(level.enclosure(DIGITS[0]).upper))


def double_text(value: float) -> str:
    """Write a double, in few digits where they stand for it and for no other.

    >>> double_text(1e6), double_text(0.1), double_text(1.466337068793427)
    ('1e+06', '0.1', '1.466337068793427')
    """
    text = f"{value:g}"
    return text if float(text) == value else repr(value)
