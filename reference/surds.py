"""Quadratic surds a + b·√D over the rationals: the exact form of suprema and of budgets.

A value is a `Fraction` when it is rational and a `Surd` only when it is not, so that the type tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, isqrt, lcm
from typing import Any, cast

from flint import fmpz

from .decimals import int_to_text

SMOOTH_BITS = 20
"""Prime factors of up to this many bits are taken out of a printed surd."""


@dataclass(frozen=True, slots=True, eq=False)
class Surd:
    """The irrational number a + b·√D; b ≠ 0 and D > 1 is not a perfect square. Build with `surd`.

    >>> golden = surd(Fraction(1, 2), Fraction(1, 2), 5)
    >>> golden * golden == golden + 1
    True
    >>> print(golden)
    (1+sqrt(5))/2
    """

    a: Fraction
    b: Fraction
    radicand: int

    def __add__(self, other: Exact | int) -> Exact:
        c, e = self.coefficients(other)
        return surd(self.a + c, self.b + e, self.radicand)

    __radd__ = __add__

    def __neg__(self) -> Surd:
        return Surd(-self.a, -self.b, self.radicand)

    def __sub__(self, other: Exact | int) -> Exact:
        return self + (-other)

    def __rsub__(self, other: Fraction | int) -> Exact:
        return -self + other

    def __mul__(self, other: Exact | int) -> Exact:
        c, e = self.coefficients(other)
        return surd(self.a * c + self.b * e * self.radicand, self.a * e + self.b * c, self.radicand)

    __rmul__ = __mul__

    def __truediv__(self, other: Exact | int) -> Exact:
        if isinstance(other, Surd):
            return self * other.reciprocal()
        return self * (1 / Fraction(other))

    def __rtruediv__(self, other: Fraction | int) -> Exact:
        return self.reciprocal() * other

    def reciprocal(self) -> Exact:
        """Return 1/(a + b√D); the norm a² − b²D of an irrational is never zero."""
        norm = self.a * self.a - self.b * self.b * self.radicand
        return surd(self.a / norm, -self.b / norm, self.radicand)

    def sign(self) -> int:
        """Return the sign, decided in integers: −1 or 1, for a surd is never zero."""
        if self.a * self.b >= 0:
            return 1 if self.b > 0 else -1
        rational_part_wins = self.a * self.a > self.b * self.b * self.radicand
        return (1 if self.a > 0 else -1) * (1 if rational_part_wins else -1)

    def bits(self) -> int:
        """Return the number of bits needed to write the number down."""
        return bits(self.a) + bits(self.b) + self.radicand.bit_length()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Surd):
            return self._same_field(other) and not isinstance(difference := self - other, Surd) and not difference
        return False

    def __hash__(self) -> int:
        return hash((self.a, self.b * self.b * self.radicand, self.b > 0))

    def __str__(self) -> str:
        """Write (p+sqrt(N))/c with integers p, N, c, without the common square factors that are quickly found."""
        c = lcm(self.a.denominator, self.b.denominator)
        p, r = int(self.a * c), int(self.b * c)
        square = r * r * self.radicand
        for prime, _ in fmpz(gcd(p, c)).factor_smooth(SMOOTH_BITS):
            factor = int(prime)
            while p % factor == c % factor == square % (factor * factor) == 0:
                p, c, square = p // factor, c // factor, square // (factor * factor)
        root = f"sqrt({int_to_text(square)})"
        sign = "-" if r < 0 else "+" if p else ""
        numerator = f"{int_to_text(p) if p else ''}{sign}{root}"
        if c == 1:
            return numerator
        return f"({numerator})/{int_to_text(c)}" if p or r < 0 else f"{numerator}/{int_to_text(c)}"

    def _same_field(self, other: Surd) -> bool:
        product = self.radicand * other.radicand
        return isqrt(product) ** 2 == product

    def coefficients(self, other: Exact | int) -> tuple[Fraction, Fraction]:
        """Write a number as c + e·√D, with the radicand D of this one.

        Args:
            other: the number.

        Returns: c and e, exact.
        Raises: as arithmetic does with roots that share no quadratic field.
        """
        if not isinstance(other, Surd):
            return Fraction(other), Fraction(0)
        if other.radicand == self.radicand:
            return other.a, other.b
        if not self._same_field(other):
            raise MixedRadicands("two different square roots in one number")
        return other.a, other.b * Fraction(isqrt(self.radicand * other.radicand), self.radicand)


Exact = Fraction | Surd


class MixedRadicands(ArithmeticError):
    """Two square roots that do not share a quadratic field met in one sum or product."""


def surd(a: Fraction, b: Fraction, radicand: int) -> Exact:
    """Return a + b·√radicand (radicand ≥ 0), as a `Fraction` when it is rational. Exact."""
    root = isqrt(radicand)
    if b == 0 or root * root == radicand:
        return a + b * root
    return Surd(a, b, radicand)


def square_root(value: Fraction) -> Exact:
    """Return √value for a rational value ≥ 0. Exact.

    >>> print(square_root(Fraction(9, 4)), square_root(Fraction(1, 3)))
    3/2 sqrt(3)/3
    """
    return surd(Fraction(0), Fraction(1, value.denominator), value.numerator * value.denominator)


def root(value: Exact, index: int) -> Exact:
    """Return the positive root of a number above 0. Exact. Raises: MixedRadicands where it is no surd, or of a surd."""
    if isinstance(value, Fraction) and index == 2:
        return square_root(value)
    if type(value) in (Fraction, Surd):
        raise MixedRadicands("a root that is no square root of a rational")
    found: Exact = cast(Any, value).root(index)  # of an `algebraic.Algebraic`, which stands for a surd here
    return found


def sign(value: Exact | int) -> int:
    """Return −1, 0 or 1. Exact."""
    return (value > 0) - (value < 0) if isinstance(value, Fraction | int) else value.sign()


def bits(value: Exact | int) -> int:
    """Return the number of bits needed to write the value down."""
    if isinstance(value, Fraction | int):
        return value.numerator.bit_length() + value.denominator.bit_length()
    return value.bits()
