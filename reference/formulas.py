"""The operations on levels, each over rigorous balls and over exact numbers.

Every operand and every result is an excess E = e^α − 1, expm1(α). Where operands are positive the terms that are
added are positive too, so that nothing cancels and a ball keeps its relative precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import zip_longest
from typing import Protocol

from flint import arb

from .decimals import Ratio
from .surds import Exact, Surd, bits, root, sign

LONGEST_EXACT_ITERATION = 10_000
"""Number of steps up to which an iteration is computed exactly: its numbers grow with every step."""

HIGHEST_ROOT = 12
"""Greatest numerator and denominator of a fraction of a level that is exact: the root of a power."""

ANY_SIZE = 1 << 62
"""Bits that no exact result exceeds."""


class Formula(Protocol):
    """An operation on excesses. One by which each further bit takes a search has an attribute `is_search`, true."""

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return a ball that contains the result for any numbers in the operands' balls."""

    def exact(self, parts: Sequence[Exact], most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result, or None where it is not had by arithmetic, or a number exceeds `most_bits`.

        Args: parts, rationals and surds, or all of them `algebraic.Algebraic`, in which all roots are exact.
        Raises: MixedRadicands where the result is no surd, of rationals and surds.
        """


@dataclass(frozen=True, slots=True)
class Constant:
    """A rational number or a quadratic surd; no operand."""

    excess: Exact

    def ball(self, _parts: Sequence[arb]) -> arb:
        """Return a ball around the number."""
        return ball_of_exact(self.excess)

    def exact(self, _parts: Sequence[Exact], _most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the number."""
        return self.excess


@dataclass(frozen=True, slots=True)
class Exponential:
    """The excess e^α − 1 of a rational level α; no operand. It is transcendental (Lindemann)."""

    alpha: Fraction

    def ball(self, _parts: Sequence[arb]) -> arb:
        """Return a ball around the excess."""
        return ball_of(self.alpha).expm1()

    def exact(self, _parts: Sequence[Exact], _most_bits: int = ANY_SIZE) -> Exact | None:
        """Return None."""
        return None


@dataclass(frozen=True, slots=True)
class Sum:
    """The excess of a sum of levels: the product of their ratios, less 1."""

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return the result's ball."""
        total = arb(0)
        for part in parts:
            total = total + part + total * part
        return total

    def exact(self, parts: Sequence[Exact], _most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result."""
        return reduce(lambda total, part: total + part * (1 + total), parts)


@dataclass(frozen=True, slots=True)
class Multiple:
    """The excess of a level taken a positive number of times: that power of its ratio, less 1."""

    factor: Fraction

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return the result's ball."""
        return (parts[0].log1p() * ball_of(self.factor)).expm1()

    def exact(self, parts: Sequence[Exact], most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result; None where it is too long, or the root of a high power."""
        times, index = self.factor.as_integer_ratio()
        if bits(parts[0]) * times > most_bits or (index > 1 and max(times, index) > HIGHEST_ROOT):
            return None
        power: Exact = Fraction(1)
        for digit in f"{times:b}":
            power = power * power * (parts[0] + 1) if digit == "1" else power * power
        return (power if index == 1 else root(power, index)) - 1


@dataclass(frozen=True, slots=True)
class Difference:
    """The excess of the first level less the second: the quotient of their ratios, less 1."""

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return the result's ball; it is as good as the operands' difference."""
        return (parts[0] - parts[1]) / (1 + parts[1])

    def exact(self, parts: Sequence[Exact], _most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result."""
        return (parts[0] - parts[1]) / (1 + parts[1])


@dataclass(frozen=True, slots=True)
class LinearFractional:
    """The excess of one piece of a loss function: (q·E + 1)/(d·E + 1) − 1, q ≥ d ≥ 0."""

    q: Fraction
    d: Fraction

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return the result's ball; the operand stands in it once."""
        if self.d == 0:
            return ball_of(self.q) * parts[0]
        return ball_of(self.q - self.d) / (ball_of(self.d) + 1 / parts[0])

    def exact(self, parts: Sequence[Exact], _most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result."""
        return (self.q - self.d) * parts[0] / (self.d * parts[0] + 1)


@dataclass(frozen=True, slots=True)
class Iterated:
    """The excess after `times` steps E ↦ (1 + x)·(q·E + 1)/(d·E + 1) − 1; the operands are E and x.

    A step is the matrix ((q − d + q·x, x), (d, 1)) on (E, 1), so that many steps are a power of it.
    """

    q: Fraction
    d: Fraction
    times: int

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return the result's ball."""
        start, x = parts
        step = (ball_of(self.q - self.d) + ball_of(self.q) * x, x, ball_of(self.d), arb(1))
        a, b, c, e = _power(step, self.times)
        return (a * start + b) / (c * start + e)

    def exact(self, parts: Sequence[Exact], most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result, or None after too many steps or bits."""
        if self.times > LONGEST_EXACT_ITERATION:
            return None
        start, x = parts
        for _ in range(self.times):
            start = ((self.q - self.d + self.q * x) * start + x) / (self.d * start + 1)
            if bits(start) > most_bits:
                return None
        return start


def _power(matrix: tuple[arb, arb, arb, arb], exponent: int) -> tuple[arb, arb, arb, arb]:
    result = (arb(1), arb(0), arb(0), arb(1))
    while exponent:
        if exponent & 1:
            result = _product(result, matrix)
        matrix = _product(matrix, matrix)
        exponent >>= 1
    return result


def _product(m: tuple[arb, arb, arb, arb], k: tuple[arb, arb, arb, arb]) -> tuple[arb, arb, arb, arb]:
    return (
        m[0] * k[0] + m[1] * k[2],
        m[0] * k[1] + m[1] * k[3],
        m[2] * k[0] + m[3] * k[2],
        m[2] * k[1] + m[3] * k[3],
    )


Polynomial = tuple[Fraction, ...]
"""Coefficients in rising powers of the operand."""


@dataclass(frozen=True, slots=True)
class PositiveRoot:
    """The positive root X of s·X² + b·X − r = 0, where s ≥ 0, b and r > 0 are polynomials in the operand.

    With s·r ≥ 0 there is at most one; there is one unless s = 0 and b ≤ 0, which the caller rules out.
    """

    s: Polynomial
    b: Polynomial
    r: Polynomial

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return the result's ball, from the one of the two formulas for the root that does not cancel."""
        s, b, r = (sum((ball_of(c) * parts[0] ** k for k, c in enumerate(p)), arb(0)) for p in (self.s, self.b, self.r))
        root = (b * b + 4 * s * r).sqrt()
        return 2 * r / (b + root) if b.mid() >= 0 else (root - b) / (2 * s)

    def exact(self, parts: Sequence[Exact], _most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result."""
        s, b, r = (value_of(polynomial, parts[0]) for polynomial in (self.s, self.b, self.r))
        return r / b if sign(s) == 0 else (root(b * b + 4 * s * r, 2) - b) / (2 * s)


def plus(one: Polynomial, other: Polynomial) -> Polynomial:
    """Return the sum of two polynomials. Exact."""
    return tuple(x + y for x, y in zip_longest(one, other, fillvalue=Fraction(0)))


def times(one: Polynomial, other: Polynomial) -> Polynomial:
    """Return the product of two polynomials. Exact."""
    found = [Fraction(0)] * (len(one) + len(other) - 1)
    for i, x in enumerate(one):
        for j, y in enumerate(other):
            found[i + j] += x * y
    return tuple(found)


def value_of(polynomial: Polynomial, x: Exact) -> Exact:
    """Return the value of a polynomial at a number. Exact."""
    value: Exact = Fraction(0)
    for coefficient in reversed(polynomial):
        value = value * x + coefficient
    return value


def ball_of(value: Fraction) -> arb:
    """Return a ball that contains a rational, at the working precision."""
    return arb(value.numerator) / arb(value.denominator)


def ball_of_exact(value: Exact) -> arb:
    """Return a ball that contains a rational or a quadratic surd, at the working precision."""
    if isinstance(value, Surd):
        return ball_of(value.a) + ball_of(value.b) * arb(value.radicand).sqrt()
    return ball_of(value)


def dyadic(point: arb) -> Fraction:
    """Return the number that a ball without a radius is."""
    return Fraction(*dyadic_ratio(point))


def dyadic_ratio(point: arb) -> Ratio:
    """Return the same as a numerator and a denominator."""
    mantissa, exponent = (int(part) for part in point.man_exp())
    return (mantissa << exponent, 1) if exponent >= 0 else (mantissa, 1 << -exponent)
