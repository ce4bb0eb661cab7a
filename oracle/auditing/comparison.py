"""An answer in doubles compared with the exact value: on which side, and how many units in the last place away."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, isinf, ulp

from ..proofs_checks.in_doubles import AnswerKind, DoubleAnswer, attempt
from ..reference import Level, Undecided

ORDINARY = 64
"""Units in the last place that the rounding of sums, quotients and a logarithm explains."""

MOST_READINGS = 3
"""Readings kept for one hazard, the worst."""

_DIGITS = (40, 400)
"""Of the enclosures by which distances are told, the second where the first does not do."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """An answer beside the truth. order: −1 below it, 0 equal, 1 above; None for no number. ulps: how far, signed.

    ulps is None where there is no number, where either is infinite, and where the truth is 0. unsafe: a leakage below
    the truth, or a budget above it.
    """

    answer: DoubleAnswer
    order: int | None
    ulps: int | None
    unsafe: bool

    @property
    def is_number(self) -> bool:
        """Whether a number came back, and the computation ended by itself."""
        return self.answer.kind is AnswerKind.NUMBER

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
class Measurement:
    """One question, the exact answer, and what each method made of it. note: why it is asked.

    name: "α" or "ε", and given is a level; or "T", and given is a number of releases.
    """

    name: str
    given: float | int
    truth: Level
    comparisons: Mapping[str, Comparison]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one method made of one question."""

    measurement: Measurement
    method: str

    @property
    def comparison(self) -> Comparison:
        """What came of it."""
        return self.measurement.comparisons[self.method]

    def __str__(self) -> str:
        note = f" ({self.measurement.note})" if self.measurement.note else ""
        asked = f"{self.measurement.name} = {double_text(self.measurement.given)}{note}"
        return f"{asked}: {self.method}{self._values()}: {self.comparison}"

    def _values(self) -> str:
        """Write the answer beside the truth where six digits tell them apart."""
        value = self.comparison.answer.value
        if value is None:
            return ""
        given, truth = f"{value:.6g}", f"{nearest(self.measurement.truth):.6g}"
        return "" if given == truth else f" gives {given} for {truth}"


def measure(
    name: str,
    given: float | int,
    truth: Level,
    methods: Mapping[str, Callable[[], object]],
    note: str = "",
    *,
    budget: bool = False,
) -> Measurement:
    """Run each method and compare what comes of it with the truth. Raises: Undecided."""
    comparisons = {method: compare(attempt(work), truth, budget) for method, work in methods.items()}
    return Measurement(name, given, truth, comparisons, note)


def compare(answer: DoubleAnswer, truth: Level, budget: bool = False) -> Comparison:
    """Compare an answer with the truth. Exact. Args: budget, whether the safe side is below. Raises: Undecided."""
    value = answer.value
    if value is None:
        return Comparison(answer, None, None, unsafe=False)
    order = _order(value, truth)
    unsafe = order > 0 if budget else order < 0
    if order == 0 or truth.is_zero or truth.is_infinite or isinf(value):
        return Comparison(answer, order, 0 if order == 0 else None, unsafe)
    return Comparison(answer, order, order * ulps_between(Fraction(value), truth), unsafe)


def _order(value: float, truth: Level) -> int:
    """Return the sign of value − truth. Exact. Raises: Undecided."""
    if isinf(value) or truth.is_infinite:
        return int(value == inf) - int(truth.is_infinite)
    enclosure, exact = truth.enclosure(_DIGITS[0]), Fraction(value)
    if exact not in enclosure:
        return 1 if exact > Fraction(enclosure.upper) else -1
    return Level.of(exact).compare(truth)


def worst(found: Iterable[Reading], most: int = MOST_READINGS) -> tuple[Reading, ...]:
    """Return the worst readings: the unsafe ones first, then what is no number, then the furthest off."""

    def rank(each: Reading) -> tuple[bool, bool, int]:
        comparison = each.comparison
        return not comparison.unsafe, comparison.is_number, -abs(comparison.ulps or 0)

    return tuple(sorted(found, key=rank)[:most])


def readings_of(
    measurements: Iterable[Measurement], method: str, given: Iterable[float] | None = None
) -> list[Reading]:
    """Return the readings of one method, all of them or those at the given levels."""
    wanted = None if given is None else set(given)
    return [
        Reading(measurement, method)
        for measurement in measurements
        if method in measurement.comparisons and (wanted is None or measurement.given in wanted)
    ]


def beyond_rounding(found: Iterable[Reading]) -> list[Reading]:
    """Return those that are no numbers, or further off than rounding explains."""
    return [each for each in found if each.comparison.exceeds(ORDINARY)]


def ulps_between(value: Fraction, truth: Level) -> int:
    """Return the distance in units in the last place of the double at the truth, rounded up.

    Args: truth, positive and finite. Raises: Undecided.
    """
    if truth.rational is not None:
        return _ulps(value, truth.rational)
    for digits in _DIGITS:
        enclosure = truth.enclosure(digits)
        ends = (Fraction(enclosure.lower), Fraction(enclosure.upper))
        counts = {_ulps(value, end) for end in ends}
        if len(counts) == 1:
            return counts.pop()
    raise Undecided("the distance cannot be distinguished from a whole number of units in the last place")


def _ulps(value: Fraction, truth: Fraction) -> int:
    return ceil(abs(value - truth) / Fraction(ulp(float(truth))))


def nearest(level: Level) -> float:
    """Return the double next to a level."""
    return inf if level.is_infinite else float(Fraction(level.enclosure(_DIGITS[0]).upper))


def double_text(value: float) -> str:
    """Write a double, in few digits where they stand for it and for no other.

    >>> double_text(1e6), double_text(0.1), double_text(1.466337068793427)
    ('1e+06', '0.1', '1.466337068793427')
    """
    text = f"{value:g}"
    return text if float(text) == value else repr(value)
