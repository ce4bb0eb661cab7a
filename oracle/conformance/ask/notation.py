"""The two ways in which seeded cases write numbers: doubles in hexadecimal, and the contract's exact texts.

Only integers and comparisons of uniform numbers are drawn, so that a seed gives the same input on every machine.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, ldexp, nextafter
from random import Random

from ...reference import Level
from ...reference.decimals import fraction_to_text
from ...wire.numerals import hex_text

BINARY_TOTALS = tuple(2**power for power in (2, 3, 4, 6, 10, 20, 30, 40, 52))
RATIONAL_TOTALS: tuple[int, ...] = (10, 100, 1000, 10**12, 7, 12, 60, 997, 10**15 + 37, 2**40)


class DoubleNotation:
    """Doubles in hexadecimal."""

    totals = BINARY_TOTALS

    def entry(self, part: int, total: int) -> str:
        """Write a probability, which is a double for the totals here."""
        return hex_text(part / total)

    def level(self, random: Random) -> str:
        """Write a level, tiny to large, now and then 0 or ∞."""
        kind = random.randrange(40)
        if kind < 24:
            return self.moderate(random)
        if kind < 29:
            return hex_text(double(random, -60, -9))
        if kind < 34:
            return hex_text(double(random, 3, 10))
        return random.choice(("0x0p+0", "inf", hex_text(1e-12), hex_text(40.0), hex_text(710.0), hex_text(1e6)))

    def moderate(self, random: Random) -> str:
        """Write a positive level as a release has it."""
        if random.randrange(4):
            return hex_text(double(random, -5, 2))
        return hex_text(random.choice((0.125, 0.25, 0.5, 1.0, 2.0, 3.0)))

    def near_log(self, random: Random, ratio: Fraction) -> str:
        """Write one of the two doubles around log(ratio), or one next to them."""
        below = Level.of_ratio(ratio).double_below()
        above = nextafter(below, inf)
        return hex_text(random.choice((below, above, nextafter(above, inf))))

    def doubled(self, level: str) -> str:
        """Write a level twice as large."""
        return level if level == "inf" else hex_text(2 * float.fromhex(level))


class RationalNotation:
    """Decimals, fractions and logarithms."""

    totals = RATIONAL_TOTALS

    def entry(self, part: int, total: int) -> str:
        """Write a probability as a decimal where the total is a power of ten, else as a fraction."""
        digits = str(total)
        if 0 < part < total and digits.strip("0") == "1":
            return f"0.{part:0{len(digits) - 1}}"
        return fraction_to_text(Fraction(part, total))

    def level(self, random: Random) -> str:
        """Write a level, tiny to large, now and then 0 or ∞."""
        kind = random.randrange(40)
        if kind < 26:
            return self.moderate(random)
        if kind < 30:
            return f"{random.randrange(1, 1000)}e-{random.randrange(6, 20)}"
        if kind < 34:
            return random.choice((str(random.randrange(8, 900)), f"log({random.randrange(10**4, 10**30)})"))
        return random.choice(("0", "inf", "1e-12", "40", "710", "1e6", "log(1+1e-12)"))

    def moderate(self, random: Random) -> str:
        """Write a positive level as a release has it."""
        kind = random.randrange(10)
        if kind < 4:
            below = random.randrange(1, 20)
            return f"log({below + random.randrange(1, 20)}/{below})"
        if kind < 7:
            return f"{random.randrange(3)}.{random.randrange(1, 100):02}"
        if kind < 9:
            return fraction_to_text(Fraction(random.randrange(1, 30), random.randrange(1, 30)))
        return f"log(({random.randrange(4, 9)}+sqrt({random.choice((2, 3, 33))}))/{random.randrange(2, 5)})"

    def near_log(self, random: Random, ratio: Fraction) -> str:
        """Write log(ratio), or one whose ratio is a part in 10^12 more or less."""
        moved = ratio * (1 + Fraction(random.choice((-1, 0, 1)), 10**12))
        return f"log({fraction_to_text(max(moved, Fraction(1)))})"

    def doubled(self, level: str) -> str:
        """Write a level of twice the ratio, for a number one more than it."""
        if level.startswith("log("):
            return f"log(2*({level[4:-1]}))"
        return level if level == "inf" else fraction_to_text(Fraction(level) + 1)


Notation = DoubleNotation | RationalNotation
"""A way of writing numbers."""


def double(random: Random, least: int, most: int) -> float:
    """Return a double in [2^least, 2^most), its exponent uniform."""
    return ldexp(2**52 + random.getrandbits(52), random.randrange(least, most) - 52)
