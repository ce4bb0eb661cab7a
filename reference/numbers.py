"""Numbers: rationals and exact decimals as texts, and what holds an exact number in Python."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from operator import index

from .decimals import int_from_text
from .errors import InvalidNumber, InvalidRequest

LONGEST_NUMBER = 100_000
"""The most digits, and the largest decimal exponent, that a number may have."""

LONGEST_TEXT = 8 * LONGEST_NUMBER
"""The most characters of a number or a level: none of `LONGEST_NUMBER` digits needs more."""

DECIMAL = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
"""How a decimal is written, as a regular expression."""

_NUMBER = re.compile(rf"([+-]?)(?:([0-9]+)/([0-9]+)|({DECIMAL}))")
BLANKS = " \t"
"""What may surround a number."""


def parse_number(text: str) -> Fraction:
    """Read a rational or an exact decimal.

    Args:
        text: a number as in 3/7, 2, 0.1 or 1e-3.

    Returns: the number exactly as written ("0.1" is 1/10). Raises: InvalidNumber.

    >>> parse_number("0.1"), parse_number("3/7"), parse_number("1e-3")
    (Fraction(1, 10), Fraction(3, 7), Fraction(1, 1000))
    """
    check_length(text)
    match = _NUMBER.fullmatch(text.strip(BLANKS))
    if match is None:
        raise InvalidNumber(f"{brief_text(text)} is not a number: write 3/7, 2, 0.1 or 1e-3")
    minus, numerator, denominator, decimal = match.groups()
    if decimal:
        value = decimal_of(decimal)
    elif below := _integer(denominator):
        value = Fraction(_integer(numerator), below)
    else:
        raise InvalidNumber(f"{brief_text(text)}: division by zero")
    return -value if minus == "-" else value


def exact(value: object, floats: bool = False) -> Fraction:
    """Return the number that any exact type holds: the one reader of numbers of all functions.

    Args:
        value: a text in the contract's notation, an integer, `Fraction` or `Decimal`, or one of the numbers of numpy,
            sympy, gmpy2 and flint that are rational.
        floats: whether floats are taken at their binary values; they are refused otherwise, as 0.1 is not 1/10.

    Raises: InvalidNumber.

    >>> exact("0.1"), exact(Decimal("0.1")), exact(0.5, floats=True)
    (Fraction(1, 10), Fraction(1, 10), Fraction(1, 2))
    """
    if isinstance(value, str):
        return parse_number(value)
    if hasattr(value, "item") and hasattr(value, "dtype") and not getattr(value, "ndim", 0):
        value = value.item()
    if isinstance(value, bool):
        raise InvalidNumber(f"{value!r} is not an exact number: a truth value is none")
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise InvalidNumber(f"{value!r} is not a number")
        return parse_number(str(value))
    if isinstance(value, float):
        if floats and isfinite(value):
            return Fraction(value)
        meant = repr(float(value))
        told = f"write '{meant}' for the decimal, Fraction({meant}) for the double" if isfinite(value) else "no number"
        raise InvalidNumber(f"{meant} is not exact: {told}")
    above, below = (getattr(value, name, None) for name in ("numerator", "denominator"))
    above, below = getattr(value, "p", above), getattr(value, "q", below)
    if above is None and hasattr(type(value), "__index__"):
        above, below = value, 1
    try:
        return Fraction(int(above), int(below))  # type: ignore[arg-type]  # what is no integer is an error here
    except (TypeError, ValueError, ZeroDivisionError):
        raise InvalidNumber(
            f"{value!r} is not an exact number: write it as text, or as an integer or Fraction"
        ) from None


def whole(value: object, what: str, least: int = 1, most: int | None = None) -> int:
    """Return a whole number. Raises: InvalidRequest for what is none, or out of bounds, such as 2.5, True or "3"."""
    try:
        number = None if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or number < least:
        raise InvalidRequest(f"{what} is a whole number from {least}, not {value!r:.80}")
    if most is not None and number > most:
        raise InvalidRequest(f"too large: {what} is at most {most}, not {value!r:.80}")
    return number


def decimal_of(text: str) -> Fraction:
    """Read a decimal that matches `DECIMAL`. Exact."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, places = mantissa.partition(".")
    power = exponent_of(text) if exponent else 0
    shift = (-power if exponent.startswith("-") else power) - len(places)
    digits = _integer(whole + places)
    return Fraction(digits * 10**shift) if shift >= 0 else Fraction(digits, 10**-shift)


def exponent_of(text: str) -> int:
    """Return the exponent of a decimal without its sign."""
    digits = text.lower().partition("e")[2].lstrip("+-").lstrip("0")
    if len(digits) > len(str(LONGEST_NUMBER)) or int(digits or "0") > LONGEST_NUMBER:
        raise InvalidNumber(f"{brief_text(text)}: the exponent is beyond {LONGEST_NUMBER}")
    return int(digits or "0")


def _integer(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise InvalidNumber(f"{brief_text(digits)}: more than {LONGEST_NUMBER} digits")
    return int_from_text(digits)


def check_length(text: str) -> None:
    """Raise InvalidNumber for what is no text, and for a text longer than any number."""
    if not isinstance(text, str):
        raise InvalidNumber(f"{text!r:.80} is not a text")
    if len(text) > LONGEST_TEXT:
        raise InvalidNumber(f"{brief_text(text)}: too long: more than {LONGEST_TEXT} characters")


def brief_text(text: str) -> str:
    """Return a text for an error, in quotes: its beginning, where it is long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
