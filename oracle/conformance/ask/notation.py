"""The two ways in which drawn questions write numbers: doubles in hexadecimal, and the contract's exact texts.

Only integers, correctly rounded decimals and comparisons are used: a seed gives the same input on every machine.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter
from random import Random

from ...reference import Level
from ...reference.decimals import fraction_to_text
from ...wire.numerals import hex_text
from ...wire.protocol import FLOAT64, RATIONAL

BINARY_TOTALS = tuple(2**power for power in (2, 3, 4, 6, 10, 20, 30, 40, 52))
RATIONAL_TOTALS: tuple[int, ...] = (10, 100, 1000, 10**12, 7, 12, 60, 997, 10**15 + 37, 2**40)

_LEAST_EXCESS, _MOST_DENOMINATOR = 1e-30, 30


class DoubleNotation:
    """Doubles in hexadecimal."""

    totals = BINARY_TOTALS

    def entry(self, part: int, total: int) -> str:
        """Write a probability, which is a double for the totals here."""
        return hex_text(part / total)

    def level(self, _random: Random, value: float) -> str:
        """Write a level, ∞ among them."""
        return "inf" if value == inf else hex_text(value)

    def near_log(self, random: Random, ratio: Fraction) -> str:
        """Write one of the two doubles around log(ratio), or one next to them."""
        below = Level.of_ratio(ratio).double_below()
        above = nextafter(below, inf)
        return hex_text(random.choice((below, above, nextafter(above, inf))))


class RationalNotation:
    """Decimals, fractions and logarithms."""

    totals = RATIONAL_TOTALS

    def entry(self, part: int, total: int) -> str:
        """Write a probability as a decimal where the total is a power of ten, else as a fraction."""
        digits = str(total)
        if 0 < part < total and digits.strip("0") == "1":
            return f"0.{part:0{len(digits) - 1}}"
        return fraction_to_text(Fraction(part, total))

    def level(self, random: Random, value: float) -> str:
        """Write a level of about this size in one of the contract's forms, 0 and ∞ as they are."""
        if value in (0, inf):
            return "inf" if value else "0"
        exact, form = Fraction(value), random.randrange(8)
        simple = exact.limit_denominator(_MOST_DENOMINATOR)
        if form < 2 and value < 1 / 8:
            return f"log(1+{max(value, _LEAST_EXCESS):.2g})"
        if form < 2:
            ratio = 1 + simple + simple**2 / 2 if value < 4 else Fraction(3) ** int(min(value, 700))
            return f"log({fraction_to_text(ratio)})"
        if form == 2 and simple:
            return fraction_to_text(simple)
        if form == 3 and 1 / 4 < value < 4:
            return f"log(({random.randrange(4, 9)}+sqrt({random.choice((2, 3, 33))}))/{random.randrange(2, 5)})"
        return f"{value:.{random.choice((1, 3, 17))}g}"

    def near_log(self, random: Random, ratio: Fraction) -> str:
        """Write log(ratio), or one whose ratio is a part in 10^12 more or less."""
        near = ratio * (1 + Fraction(random.choice((-1, 0, 1)), 10**12))
        return f"log({fraction_to_text(max(near, Fraction(1)))})"


Notation = DoubleNotation | RationalNotation

NOTATIONS: dict[str, Notation] = {FLOAT64: DoubleNotation(), RATIONAL: RationalNotation()}
"""The notations by the names of the wire; doubles are rewritten for an implementation that takes them in decimal."""
