"""An answer in doubles compared with the exact value: on which side, and how many units in the last place away."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, isinf, ulp

from ..proofs_checks.in_doubles import AnswerKind, DoubleAnswer, attempt
from ..reference import Level, Undecided

ORDINARY = 64
"""Greatest error, in units in the last place, that the rounding of sums, quotients and a logarithm explains."""

_DIGITS = (40, 400)
"""Digits of the enclosures from which distances are computed; the second is tried where the first is too wide."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """An answer in doubles compared with the truth.

    order: −1 below it, 0 equal, 1 above; None for no number. ulps: the signed distance; None for no number, where
    either is infinite, and where the truth is 0. unsafe: a leakage below the truth, or a budget above it.
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
        """Whether it is no number, or more than `most` units in the last place from the truth."""
        return not self.is_number or (self.order != 0 and (self.ulps is None or abs(self.ulps) > most))

    def __str__(self) -> str:
        return self._marked(self._texts()[0], ", UNSAFE", "cut off: ")

    @property
    def short(self) -> str:
        """The comparison in a cell of a table: a signed number of units in the last place, or a word."""
        return self._marked(self._texts()[1], " UNSAFE", "")

    def _texts(self) -> tuple[str, str]:
        """Return how far the answer is from the truth, in words and in short."""
        sign, side = ("+", "above") if self.order == 1 else ("−", "below")
        if self.order == 0:
            return "exact", "exact"
        if self.ulps is not None:
            count = _count(abs(self.ulps))
            return f"{count} ulp{'' if count == '1' else 's'} {side}", sign + count
        if self.answer.value == inf:
            return "infinite where the truth is finite", "infinite"
        if self.order == 1 or (self.answer.value or 0) < 0:
            return f"{side} 0, the truth", f"{side} 0"
        return "finite where the truth is infinite", "finite"

    def _marked(self, text: str, unsafe: str, cut: str) -> str:
        kind = self.answer.kind.value
        if self.order is None:
            return kind
        text += unsafe if self.unsafe else ""
        return text if self.is_number else f"{kind} ({cut}{text})"


def _count(ulps: int) -> str:
    return f"{ulps:,}" if ulps < 10**6 else f"{ulps:.1e}".replace("e+", "e")


@dataclass(frozen=True, slots=True)
class Measurement:
    """One question, the exact answer, and the answer of each method.

    name: "α" or "ε" where `given` is a level, "T" where it is a number of releases. note: why it is asked.
    """

    name: str
    given: float | int
    truth: Level
    comparisons: Mapping[str, Comparison]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """The answer of one method to one question."""

    measurement: Measurement
    method: str

    @property
    def comparison(self) -> Comparison:
        """The answer, compared with the truth."""
        return self.measurement.comparisons[self.method]

    def __str__(self) -> str:
        note = f" ({self.measurement.note})" if self.measurement.note else ""
        asked = f"{self.measurement.name} = {double_text(self.measurement.given)}{note}"
        return f"{asked}: {self.method}{self._values()}: {self.comparison}"

    def _values(self) -> str:
        """Write the answer and the truth where six digits distinguish them."""
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
    """Run each method and compare its answer with the truth. Raises: Undecided."""
    comparisons = {method: compare(attempt(work), truth, budget) for method, work in methods.items()}
    return Measurement(name, given, truth, comparisons, note)


def compare(answer: DoubleAnswer, truth: Level, budget: bool = False) -> Comparison:
    """Compare an answer with the truth. Exact. Args: budget, whether the safe side is below. Raises: Undecided."""
    value = answer.value
    if value is None:
        return Comparison(answer, None, None, unsafe=False)
    order = _order(value, truth)
    ulps = None
    if order == 0:
        ulps = 0
    elif not (truth.is_zero or truth.is_infinite or isinf(value)):
        ulps = order * ulps_between(Fraction(value), truth)
    return Comparison(answer, order, ulps, unsafe=order > 0 if budget else order < 0)


def _order(value: float, truth: Level) -> int:
    """Return the sign of value − truth. Exact. Raises: Undecided."""
    if isinf(value) or truth.is_infinite:
        return int(value == inf) - int(truth.is_infinite)
    enclosure, exact = truth.enclosure(_DIGITS[0]), Fraction(value)
    if exact not in enclosure:
        return 1 if exact > Fraction(enclosure.upper) else -1
    return Level.of(exact).compare(truth)


def worst(found: Iterable[Reading], most: int = 3) -> tuple[Reading, ...]:
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
