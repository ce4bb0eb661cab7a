"""Rational and dyadic numbers to decimals and back, with the direction of every rounding stated."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from flint import fmpz


@dataclass(frozen=True, slots=True)
class Enclosure:
    """Two decimals with lower ≤ value ≤ upper; `Decimal` holds them exactly, infinity included."""

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


def decimal_exponent(value: Fraction) -> int:
    """Return k with 10^k ≤ value < 10^(k+1), for value > 0. Exact."""
    numerator, denominator = value.numerator, value.denominator

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


def outward(lower: Fraction, upper: Fraction, digits: int) -> Enclosure:
    """Round an interval 0 ≤ lower ≤ upper outward to `digits` significant digits of its upper end.

    Returns decimals l ≤ lower and upper ≤ u, each the nearest such on the grid 10^−k that gives `upper`
    the asked number of digits. Where lower = upper is on the grid, l = u.

    >>> outward(Fraction(1, 3), Fraction(1, 3), 4)
    Enclosure(lower=Decimal('0.3333'), upper=Decimal('0.3334'))
    """
    if upper == 0:
        return Enclosure(Decimal(0), Decimal(0))
    places = digits - 1 - decimal_exponent(upper)
    up, down = (10**places, 1) if places >= 0 else (1, 10**-places)
    floor = lower.numerator * up // (lower.denominator * down)
    ceiling = -(-upper.numerator * up // (upper.denominator * down))
    return Enclosure(_decimal(floor, places), _decimal(ceiling, places))


def _decimal(mantissa: int, places: int) -> Decimal:
    """Return mantissa·10^−places, trailing zeros dropped behind the point only."""
    text = int_to_text(mantissa)
    stripped = text.rstrip("0") if mantissa else "0"
    dropped = min(len(text) - len(stripped), max(places, 0))
    return Decimal(f"{text[: len(text) - dropped]}E{dropped - places}") if mantissa else Decimal(0)
