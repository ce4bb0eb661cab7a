"""What the oracle knows of one number: an enclosure of as many digits as needed, and the exact value where it has one.

Numbers of answers are compared with it in rationals and exact levels; no float decides anything.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from math import ceil, inf

from ...output.sheets import bracketed
from ...reference import Level, Undecided, parse_level, parse_number
from ...reference.decimals import fraction_to_text, outward
from ...wire.values import decimal_text

DIGITS = (40, 400, 4000)
"""Digits of the enclosures by which an answer is judged: the first, then more where those do not settle it."""

MOST_ULPS = 10**1000
"""A distance of more ulps than that, beyond any two doubles, is taken for infinite: no report has room for it."""

SHOWN_DIGITS = 17
_LONGEST_EXACT = 24
_LEAST_EXPONENT, _FRACTION_BITS = -1022, 52

Number = Fraction | Level
"""A number of an answer or of the truth: a rational, or a level that is none, log(…) or ∞."""

Interval = tuple[Fraction, Fraction]


def number_of(text: str) -> Number:
    """Read a number of the contract's notation. Raises: InvalidNumber, InvalidLevel."""
    stripped = text.strip(" \t")
    if stripped != "inf" and not stripped.startswith("log("):
        return parse_number(stripped)
    level = parse_level(stripped)
    return Fraction(0) if level.is_zero else level


def is_infinite(number: Number) -> bool:
    """Whether the number is the infinite level."""
    return isinstance(number, Level) and number.is_infinite


def text_of(number: Number) -> str:
    """Return a number in the contract's notation, however long."""
    return number.full_text() if isinstance(number, Level) else fraction_to_text(number)


def bounds_of(number: Number, digits: int) -> Interval:
    """Return rationals that enclose a finite number, in so many digits; equal for a rational."""
    if isinstance(number, Fraction):
        return number, number
    enclosure = number.enclosure(digits)
    return Fraction(enclosure.lower), Fraction(enclosure.upper)


def compare(first: Number, second: Number) -> int:
    """Return −1, 0 or 1 as the first number is less than, equal to or greater than the second. Exact."""
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return (first > second) - (first < second)
    if is_infinite(first) or is_infinite(second):
        return is_infinite(first) - is_infinite(second)
    if isinstance(first, Level):
        return first.compare(second) if isinstance(second, Level) else -compare(second, first)
    lower, upper = bounds_of(second, DIGITS[0])
    if not lower <= first <= upper:
        return 1 if first > upper else -1
    assert isinstance(second, Level)
    return Level.of(first).compare(second)


def ulp(value: Fraction) -> Fraction:
    """Return the unit in the last place of the doubles at a value > 0, subnormal ones included. Exact.

    >>> ulp(Fraction(1)) == Fraction(1, 2**52), ulp(Fraction(1, 10**320)) == Fraction(1, 2**1074)
    (True, True)
    """
    numerator, denominator = value.numerator, value.denominator
    exponent = numerator.bit_length() - denominator.bit_length()
    below = numerator < denominator << exponent if exponent >= 0 else numerator << -exponent < denominator
    power = max(exponent - below, _LEAST_EXPONENT) - _FRACTION_BITS
    return Fraction(1 << power) if power >= 0 else Fraction(1, 1 << -power)


def as_double(number: Number) -> float:
    """Return a number as a double, ∞ for one beyond them: where nothing is decided by it."""
    if is_infinite(number):
        return inf
    try:
        return float(bounds_of(number, DIGITS[0])[0])
    except OverflowError:
        return inf


class Truth:
    """One number that the oracle knows."""

    def __init__(self, text: str | None, enclose: Callable[[int], Interval] | None = None) -> None:
        """Keep the number's exact text, None where it has none so short; enclose gives its bounds in so many digits."""
        self.text = text
        self._enclose = enclose

    @classmethod
    def of(cls, number: Number) -> Truth:
        """Return the truth about a number that is known exactly."""
        return cls(text_of(number))

    @cached_property
    def exact(self) -> Number | None:
        """The number itself, None where it has no notation so short."""
        return None if self.text is None else number_of(self.text)

    @property
    def is_infinite(self) -> bool:
        """Whether the number is ∞."""
        return self.text == "inf"

    @property
    def is_zero(self) -> bool:
        """Whether the number is 0."""
        return self.text == "0"

    @property
    def is_rational(self) -> bool:
        """Whether the number is known as a rational, which needs no enclosure."""
        return self.text is not None and not self.text.startswith("log(") and not self.is_infinite

    @cached_property
    def first_bounds(self) -> Interval:
        """The finite number's bounds in the first number of digits."""
        return self._bounds(DIGITS[0])

    def bounds(self, digits: int) -> Interval:
        """Return rationals that enclose the finite number, in so many digits; equal for a rational that is known."""
        return self.first_bounds if digits == DIGITS[0] else self._bounds(digits)

    def _bounds(self, digits: int) -> Interval:
        is_log = self.text is not None and self.text.startswith("log(")
        if self._enclose is not None and (self.text is None or (is_log and digits == DIGITS[0])):
            return self._enclose(digits)
        assert self.exact is not None
        return bounds_of(self.exact, digits)

    def order(self, number: Number) -> int:
        """Return −1, 0 or 1 as a number is below, equal to or above the truth. Exact.

        Raises: Undecided where the truth has no exact form and the two agree in the last number of digits.
        """
        if is_infinite(number) or self.is_infinite:
            return is_infinite(number) - self.is_infinite
        if self.is_rational and isinstance(number, Fraction):
            assert self.exact is not None
            return compare(number, self.exact)
        for digits in DIGITS:
            (low, high), (lower, upper) = bounds_of(number, digits), self.bounds(digits)
            if high < lower or low > upper:
                return 1 if low > upper else -1
            if self.text is not None:
                assert self.exact is not None
                return compare(number, self.exact)
        raise Undecided(f"the answer and the truth agree in {DIGITS[-1]} digits and have no common exact form")

    def ulps(self, number: Number) -> int | None:
        """Return how far a number is from the truth, in units in the last place of the double at the truth.

        Returns: the distance rounded up, negative for a number below; None where it is infinite or above MOST_ULPS, or
        the truth is 0. Exact; where even the last number of digits leaves two counts, the greater.
        Raises: Undecided as `order`.
        """
        order = self.order(number)
        if order == 0:
            return 0
        if is_infinite(number) or self.is_infinite or self.is_zero:
            return None
        if self.is_rational and isinstance(number, Fraction):
            assert isinstance(self.exact, Fraction)
            count = ceil(abs(number - self.exact) / ulp(self.exact))
            return order * count if count <= MOST_ULPS else None
        counts: set[int] = set()
        for digits in DIGITS:
            (low, high), (lower, upper) = bounds_of(number, digits), self.bounds(digits)
            nearest, farthest = (low - upper, high - lower) if order > 0 else (lower - high, upper - low)
            counts = {-(-nearest // ulp(upper)), -(-farthest // ulp(lower))}
            if len(counts) == 1:
                break
        count = max(counts)
        return order * count if count <= MOST_ULPS else None

    def in_doubles(self, number: Number) -> tuple[float, float]:
        """Return the truth and a number answered as doubles."""
        truth = inf if self.is_infinite else as_double(self.first_bounds[0])
        return truth, as_double(number)

    def __str__(self) -> str:
        """Write the number in 17 digits, and exactly where that is short."""
        if self.is_infinite:
            return "inf"
        enclosure = outward(*self.first_bounds, SHOWN_DIGITS)
        numeral = bracketed(decimal_text(enclosure.lower), decimal_text(enclosure.upper))
        is_short = self.text is not None and len(self.text) <= _LONGEST_EXACT
        return f"{numeral} = {self.text}" if is_short and enclosure.lower != enclosure.upper else numeral
