"""The contract's notation: rationals, exact decimals and levels, read by a small parser of their own.

    number := integer "/" integer | decimal                          "3/7", "2", "0.1", "1e-3"
    level  := number | "log(" ratio ")" | "inf"                      "log(11/10)"
    ratio  := sums, products and quotients of decimals, sqrt(…) and parentheses    "log((7+sqrt(33))/8)"

Only ASCII digits are digits, and nothing is ever evaluated as code.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .errors import InvalidLevel, InvalidNumber
from .levels import INFINITE, Level
from .numbers import (
    BLANKS,
    DECIMAL,
    LONGEST_NUMBER,
    brief_text,
    check_length,
    decimal_of,
    exponent_of,
    parse_number,
)
from .surds import Exact, MixedRadicands, Surd, bits, sign, square_root

LONGEST_RATIO = 8 * LONGEST_NUMBER
"""The most bits that a sum or product within a logarithm may have."""

DEEPEST_NESTING = 50

MOST_SYMBOLS = 100_000
"""The most numbers, operators and parentheses within a logarithm."""

MOST_WORK = 20 * LONGEST_RATIO
"""The most bits that the operands of all sums and products within a logarithm may have together."""

_TOKEN = re.compile(rf"[{BLANKS}]*(?:({DECIMAL})|(sqrt)|([-+*/()]))")
_LOG = re.compile(r"log\((.*)\)", re.DOTALL)


def parse_level(text: str) -> Level:
    """Read a privacy level in nats.

    Args:
        text: a number of nats, log(RATIO) with a rational or quadratic surd, or inf.

    Returns: the level, exact. Raises: InvalidLevel (negative), InvalidNumber (not a level at all).

    >>> parse_level("log(11/10)").ratio
    Fraction(11, 10)
    """
    check_length(text)
    stripped = text.strip(BLANKS)
    if stripped == "inf":
        return INFINITE
    if match := _LOG.fullmatch(stripped):
        try:
            ratio = _Ratio(match.group(1)).value()
        except MixedRadicands as error:
            raise InvalidNumber(f"{brief_text(text)}: {error}") from None
        if sign(ratio) <= 0:
            raise InvalidLevel(f"{brief_text(text)}: the logarithm of a number that is not positive")
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
        position, end = 0, len(self.text.rstrip(BLANKS))
        while position < end:
            if len(tokens) == MOST_SYMBOLS:
                raise InvalidNumber(
                    f"log({brief_text(self.text)}): too long: more than {MOST_SYMBOLS} numbers and signs"
                )
            match = _TOKEN.match(self.text, position)
            if match is None:
                raise InvalidNumber(f"log({brief_text(self.text)}): unexpected {self.text[position]!r}")
            tokens.append(match.group().strip(BLANKS))
            position = match.end()
        return tokens

    def value(self) -> Exact:
        value = self.sum(0)
        if self.position < len(self.tokens):
            raise InvalidNumber(f"log({brief_text(self.text)}): unexpected {self.tokens[self.position]!r}")
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
                raise InvalidNumber(f"log({brief_text(self.text)}): division by zero")
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
                raise InvalidNumber(f"log({brief_text(self.text)}): sqrt takes a rational number that is not negative")
            return square_root(radicand)
        if self.position == len(self.tokens) or self.tokens[self.position][0] not in ".0123456789":
            self.expect("a number")
        self.position += 1
        written = self.tokens[self.position - 1]
        self.count(4 * (len(written) + exponent_of(written)))
        return decimal_of(written)

    def count(self, size: int) -> None:
        """Count the bits of operands before they are computed with."""
        self.work += size
        if self.work > MOST_WORK:
            raise InvalidNumber(f"log({brief_text(self.text)}): too long: its numbers have too many digits together")

    def checked(self, value: Exact) -> Exact:
        if bits(value) > LONGEST_RATIO:
            raise InvalidNumber(f"log({brief_text(self.text)}): the number is too long")
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
            raise InvalidNumber(f"log({brief_text(self.text)}): {symbol} expected, {found} found")


def _named(text: str, build: Callable[[], Level]) -> Level:
    try:
        return build()
    except InvalidLevel as error:
        raise InvalidLevel(f"{brief_text(text)}: {error}") from None
