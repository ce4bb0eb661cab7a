"""Rational and dyadic numbers to decimals and back, with the direction of every rounding stated."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from flint import fmpz


@dataclass(frozen=True, slots=True)
class Enclosure:
    """Two decimals with lower ≤ value ≤ upper; `Decimal` holds them exactly, infinity included.

    >>> from tploracle import level
    >>> level("log(2)").enclosure(5)
    Enclosure(lower=Decimal('0.69314'), upper=Decimal('0.69315'))
    """

    lower: Decimal
    upper: Decimal

    def __contains__(self, value: Fraction | Decimal) -> bool:
        if self.lower.is_infinite():
            return Decimal(value).is_infinite() if isinstance(value, Decimal) else False
        return Fraction(self.lower) <= Fraction(value) <= Fraction(self.upper)


def int_from_text(digits: str) -> int:
    """Read decimal digits of any number (the interpreter's own reader stops at 4,300)."""
    return int(fmpz(digits))


def int_to_text(value: int) -> str:
    """Write an integer of any size in decimal."""
    return str(fmpz(value))


def fraction_to_text(value: Fraction) -> str:
    """Write a rational as the contract does: "3/7", or "2" for an integer. Exact."""
    numerator = int_to_text(value.numerator)
    return numerator if value.denominator == 1 else f"{numerator}/{int_to_text(value.denominator)}"


Ratio = tuple[int, int]
"""A numerator and a denominator above 0, which may have a common factor."""


def decimal_exponent(value: Fraction | Ratio) -> int:
    """Return k with 10^k ≤ value < 10^(k+1), for value > 0. Exact."""
    numerator, denominator = value if isinstance(value, tuple) else value.as_integer_ratio()

    def reaches(exponent: int) -> bool:
        """Whether the value is at least that power of ten."""
        scaled = denominator * 10**exponent if exponent >= 0 else denominator
        return scaled <= (numerator if exponent >= 0 else numerator * 10**-exponent)

    guess = int((numerator.bit_length() - denominator.bit_length()) * 0.30103) - 1
    while reaches(guess + 1):
        guess += 1
    while not reaches(guess):
        guess -= 1
    return guess


def outward(lower: Fraction | Ratio, upper: Fraction | Ratio, digits: int) -> Enclosure:
    """Round an interval 0 ≤ lower ≤ upper outward to `digits` significant digits of its upper end.

    Returns decimals l ≤ lower and upper ≤ u, each the nearest such on the grid 10^−k that gives `upper`
    the asked number of digits. Where lower = upper is on the grid, l = u.

    >>> outward(Fraction(1, 3), Fraction(1, 3), 4)
    Enclosure(lower=Decimal('0.3333'), upper=Decimal('0.3334'))
    """
    return outward_in_units(lower, upper, digits)[0]


def outward_in_units(lower: Fraction | Ratio, upper: Fraction | Ratio, digits: int) -> tuple[Enclosure, int, int]:
    """Return `outward`, and how wide it is: how many units of the last digit, and that digit's place, k of 10^−k."""
    (low, below), (high, above) = (end if isinstance(end, tuple) else end.as_integer_ratio() for end in (lower, upper))
    if not high:
        return Enclosure(Decimal(0), Decimal(0)), 0, digits
    places = digits - 1 - decimal_exponent((high, above))
    up, down = (10**places, 1) if places >= 0 else (1, 10**-places)
    floor, ceiling = low * up // (below * down), -(-high * up // (above * down))
    return Enclosure(_decimal(floor, places), _decimal(ceiling, places)), ceiling - floor, places


def _decimal(mantissa: int, places: int) -> Decimal:
    """Return mantissa·10^−places, trailing zeros dropped behind the point only."""
    if not mantissa:
        return Decimal(0)
    text = int_to_text(mantissa)
    dropped = min(len(text) - len(text.rstrip("0")), max(places, 0)) if text[-1] == "0" else 0
    return Decimal(f"{text[: len(text) - dropped]}E{dropped - places}")
