"""The contract's notation: rationals, exact decimals and levels, read by a small parser of their own.

    number := integer "/" integer | decimal                          "3/7", "2", "0.1", "1e-3"
    level  := number | "log(" ratio ")" | "inf"                      "log(11/10)"
    ratio  := sums, products and quotients of decimals, sqrt(…) and parentheses    "log((7+sqrt(33))/8)"

Only ASCII digits are digits, and nothing is ever evaluated as code.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import isfinite

from .decimals import int_from_text
from .errors import InvalidLevel, InvalidNumber
from .levels import INFINITE, Level
from .surds import Exact, MixedRadicands, Surd, bits, sign, square_root

LONGEST_NUMBER = 100_000
"""The most digits, and the largest decimal exponent, that a number may have."""

LONGEST_RATIO = 8 * LONGEST_NUMBER
"""The most bits that a sum or product within a logarithm may have."""

DEEPEST_NESTING = 50

LONGEST_TEXT = 8 * LONGEST_NUMBER
"""The most characters of a number or a level: none of `LONGEST_NUMBER` digits needs more."""

MOST_SYMBOLS = 100_000
"""The most numbers, operators and parentheses within a logarithm."""

MOST_WORK = 20 * LONGEST_RATIO
"""The most bits that the operands of all sums and products within a logarithm may have together."""

_DECIMAL = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(rf"([+-]?)(?:([0-9]+)/([0-9]+)|({_DECIMAL}))")
_BLANK = " \t"
_TOKEN = re.compile(rf"[{_BLANK}]*(?:({_DECIMAL})|(sqrt)|([-+*/()]))")
_LOG = re.compile(r"log\((.*)\)", re.DOTALL)


def parse_number(text: str) -> Fraction:
    """Read a rational or an exact decimal.

    Args:
        text: a number as in 3/7, 2, 0.1 or 1e-3.

    Returns: the number exactly as written ("0.1" is 1/10). Raises: InvalidNumber.

    >>> parse_number("0.1"), parse_number("3/7"), parse_number("1e-3")
    (Fraction(1, 10), Fraction(3, 7), Fraction(1, 1000))
    """
    _check_length(text)
    match = _NUMBER.fullmatch(text.strip(_BLANK))
    if match is None:
        raise InvalidNumber(f"{_shown(text)} is not a number: write 3/7, 2, 0.1 or 1e-3")
    minus, numerator, denominator, decimal = match.groups()
    if decimal:
        value = _decimal(decimal)
    elif below := _integer(denominator):
        value = Fraction(_integer(numerator), below)
    else:
        raise InvalidNumber(f"{_shown(text)}: division by zero")
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
        raise InvalidNumber(f"{meant} is not an exact number: {told}")
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


def parse_level(text: str) -> Level:
    """Read a privacy level in nats.

    Args:
        text: a number of nats, log(RATIO) with a rational or quadratic surd, or inf.

    Returns: the level, exact. Raises: InvalidLevel (negative), InvalidNumber (not a level at all).

    >>> parse_level("log(11/10)").ratio
    Fraction(11, 10)
    """
    _check_length(text)
    stripped = text.strip(_BLANK)
    if stripped == "inf":
        return INFINITE
    if match := _LOG.fullmatch(stripped):
        try:
            ratio = _Ratio(match.group(1)).value()
        except MixedRadicands as error:
            raise InvalidNumber(f"{_shown(text)}: {error}") from None
        if sign(ratio) <= 0:
            raise InvalidLevel(f"{_shown(text)}: the logarithm of a number that is not positive")
        return _named(text, lambda: Level.of_ratio(ratio))
    return _named(text, lambda: Level.of(parse_number(stripped)))


class _Ratio:
    """Recursive descent over the text between "log(" and ")"."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._tokens())
        self.position = 0
        self.work = 0

    def _tokens(self) -> list[str]:
        tokens: list[str] = []
        position, end = 0, len(self.text.rstrip(_BLANK))
        while position < end:
            if len(tokens) == MOST_SYMBOLS:
                raise InvalidNumber(f"log({_shown(self.text)}): too long: more than {MOST_SYMBOLS} numbers and signs")
            match = _TOKEN.match(self.text, position)
            if match is None:
                raise InvalidNumber(f"log({_shown(self.text)}): unexpected {self.text[position]!r}")
            tokens.append(match.group().strip(_BLANK))
            position = match.end()
        return tokens

    def value(self) -> Exact:
        value = self.sum(0)
        if self.position < len(self.tokens):
            raise InvalidNumber(f"log({_shown(self.text)}): unexpected {self.tokens[self.position]!r}")
        return value

    def sum(self, depth: int) -> Exact:
        value = self.product(depth)
        while operator := self.take("+", "-"):
            term = self.product(depth)
            self.count(bits(value) + bits(term))
            value = self.checked(value + term if operator == "+" else value - term)
        return value

    def product(self, depth: int) -> Exact:
        value = self.factor(depth)
        while operator := self.take("*", "/"):
            factor = self.factor(depth)
            if operator == "/" and factor == 0:
                raise InvalidNumber(f"log({_shown(self.text)}): division by zero")
            self.count(bits(value) + bits(factor))
            value = self.checked(value * factor if operator == "*" else value / factor)
        return value

    def factor(self, depth: int) -> Exact:
        if depth > DEEPEST_NESTING:
            raise InvalidNumber(f"parentheses nested deeper than {DEEPEST_NESTING}")
        if self.take("-"):
            return -self.factor(depth + 1)
        if self.take("("):
            return self.closed(depth)
        if self.take("sqrt"):
            self.expect("(")
            radicand = self.closed(depth)
            if isinstance(radicand, Surd) or radicand < 0:
                raise InvalidNumber(f"log({_shown(self.text)}): sqrt takes a rational number that is not negative")
            return square_root(radicand)
        if self.position == len(self.tokens) or self.tokens[self.position][0] not in ".0123456789":
            self.expect("a number")
        self.position += 1
        written = self.tokens[self.position - 1]
        self.count(4 * (len(written) + _exponent(written)))
        return _decimal(written)

    def count(self, size: int) -> None:
        """Count the bits of operands before they are computed with."""
        self.work += size
        if self.work > MOST_WORK:
            raise InvalidNumber(f"log({_shown(self.text)}): too long: its numbers have too many digits together")

    def checked(self, value: Exact) -> Exact:
        if bits(value) > LONGEST_RATIO:
            raise InvalidNumber(f"log({_shown(self.text)}): the number is too long")
        return value

    def closed(self, depth: int) -> Exact:
        value = self.sum(depth + 1)
        self.expect(")")
        return value

    def take(self, *symbols: str) -> str | None:
        if self.position < len(self.tokens) and self.tokens[self.position] in symbols:
            self.position += 1
            return self.tokens[self.position - 1]
        return None

    def expect(self, symbol: str) -> None:
        if self.take(symbol) is None:
            found = repr(self.tokens[self.position]) if self.position < len(self.tokens) else "the end"
            raise InvalidNumber(f"log({_shown(self.text)}): {symbol} expected, {found} found")


def _decimal(text: str) -> Fraction:
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, places = mantissa.partition(".")
    power = _exponent(text) if exponent else 0
    shift = (-power if exponent.startswith("-") else power) - len(places)
    digits = _integer(whole + places)
    return Fraction(digits * 10**shift) if shift >= 0 else Fraction(digits, 10**-shift)


def _exponent(text: str) -> int:
    """Return the exponent of a decimal without its sign."""
    digits = text.lower().partition("e")[2].lstrip("+-").lstrip("0")
    if len(digits) > len(str(LONGEST_NUMBER)) or int(digits or "0") > LONGEST_NUMBER:
        raise InvalidNumber(f"{_shown(text)}: the exponent is beyond {LONGEST_NUMBER}")
    return int(digits or "0")


def _integer(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise InvalidNumber(f"{_shown(digits)}: more than {LONGEST_NUMBER} digits")
    return int_from_text(digits)


def _check_length(text: str) -> None:
    if len(text) > LONGEST_TEXT:
        raise InvalidNumber(f"{_shown(text)}: too long: more than {LONGEST_TEXT} characters")


def _named(text: str, build: Callable[[], Level]) -> Level:
    try:
        return build()
    except InvalidLevel as error:
        raise InvalidLevel(f"{_shown(text)}: {error}") from None


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
