"""Algebraic functions of a power of e: the numbers of all levels that are made of rational levels and of ratios.

Let g > 0 be rational and t = e^g. By Lindemann's theorem t is transcendental: a polynomial in t with integer
coefficients is 0 as a number only if all its coefficients are 0. A number is kept as P/D: D ≠ 0 is in Z[t], P a
polynomial over Z[t] in real roots s_1, …, s_k. Each root is above 0 with s^n = R, R a polynomial in t and the roots
before it, and the degree of P in s is below n.

Theorem. Whether P is 0 is decided as follows. Without a root, P is 0 only as a polynomial in t. Otherwise let s be its
last root, K the polynomials in t and the roots before s, and C(X) = c_0 + c_1·X + … + X^n the characteristic polynomial
of multiplication by P in K[S]/(S^n − R), so that C(P) = 0 (Cayley and Hamilton). Let c_j be the first coefficient not
to be 0, by the same decision. Then P^j·Q = 0 with Q = c_j + c_(j+1)·P + … + P^(n−j). If j = 0, P is not 0. If j > 0,
exactly one of P and Q is 0, because Q = c_j ≠ 0 where P = 0: balls at rising precision show which is not.

This ends: each step down removes a root, and the balls of a number that is not 0 exclude 0 from some precision on. No
root has to be known not to lie in the field of the others. If P is not 0, 1/P = −(c_(j+1) + … + P^(n−j−1))/c_j.

Two kinds of variables stand beside the roots. Powers of t with great exponents have one each, to keep degrees small;
for the decision they are powers of t again. A number of which only balls are known is an unknown: what is 0 as a
polynomial in unknowns is 0 whatever they are, and what is not is decided by balls or not at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import combinations
from math import prod
from typing import cast

from flint import Ordering, arb, ctx, fmpz, fmpz_mpoly, fmpz_mpoly_ctx
from flint.utils.flint_exceptions import DomainError

from .surds import SMOOTH_BITS, Exact, Surd, surd

MOST_ROOTS = 8
"""Roots in the numbers of one comparison: each doubles the length of a number, and more than doubles the time."""

MOST_OTHERS = 12
"""Powers of t that are variables, and unknowns, in the numbers of one comparison."""

MOST_DEGREE = 1 << 10
"""Greatest exponent of one variable to stand for a power of t; another power is a variable of its own."""

MOST_WORK_EXACT, OWN_WORK = 1 << 24, 1 << 11
"""Products of words in one comparison, about half a second; and as how many each product of numbers counts beside."""

FIRST_BALL_BITS, LAST_BALL_BITS = 128, 1 << 19
"""Bits of the balls, doubled from the first to the last, which only numbers of less than 2^−500,000 reach."""

# In this order a root leads all that its radicand is made of, so that division by s^n − R reduces.
_NAMES = [f"s{i}" for i in range(MOST_ROOTS, 0, -1)] + [f"v{i}" for i in range(MOST_OTHERS)]
_RING = fmpz_mpoly_ctx.get(["X", *_NAMES], Ordering.lex)
_X, _FIRST_OTHER = _RING.gen(0), 1 + MOST_ROOTS
_ONE = _RING.constant(1)


class TooHard(ArithmeticError):
    """What the decision above does not reach within its limits; the text says why."""


@dataclass(frozen=True, slots=True)
class _Root:
    """The number s > 0 of s^index = radicand, and its place among the variables."""

    place: int
    index: int
    radicand: fmpz_mpoly

    @property
    def s(self) -> fmpz_mpoly:
        """The variable."""
        return _RING.gen(self.place)

    @property
    def equation(self) -> fmpz_mpoly:
        """s^n − R."""
        return self.s**self.index - self.radicand


class Field:
    """The numbers of one comparison: g, and the roots and unknowns that were met."""

    def __init__(self, step: Fraction) -> None:
        """Take g, of which every rational level here is a multiple."""
        self.step = step
        self._roots: list[_Root] = []
        self._others: dict[object, Callable[[int], arb] | None] = {step: None}
        self._work = MOST_WORK_EXACT

    @property
    def has_unknowns(self) -> bool:
        """Whether some of the numbers are known by balls only."""
        return any(ball is not None for ball in self._others.values())

    def again(self) -> Field:
        """Return the field for one more comparison."""
        self._work = MOST_WORK_EXACT
        return self

    def of(self, value: Exact) -> Algebraic:
        """Return a rational or a surd as a number of this field."""
        if isinstance(value, Surd):
            return self.of(value.a) + self.of(value.b) * self.of(Fraction(value.radicand)).root(2)
        return Algebraic(self, _RING.constant(value.numerator), _RING.constant(value.denominator))

    def exponential(self, alpha: Fraction) -> Algebraic:
        """Return e^alpha, alpha a multiple of g that is not negative."""
        for base, ball in self._others.items():
            if ball is None and isinstance(base, Fraction) and alpha % base == 0 and alpha <= MOST_DEGREE * base:
                return Algebraic(self, self._variable(base, None) ** int(alpha / base), _ONE)
        return Algebraic(self, self._variable(alpha, None), _ONE)

    def unknown(self, name: object, ball: Callable[[int], arb]) -> Algebraic:
        """Return a number of which only balls are known. Args: its name; ball, at a precision in bits."""
        return Algebraic(self, self._variable((name,), ball), _ONE)

    def _variable(self, name: object, ball: Callable[[int], arb] | None) -> fmpz_mpoly:
        self._others.setdefault(name, ball)
        if len(self._others) > MOST_OTHERS:
            raise TooHard(
                f"more than {MOST_OTHERS} parts are powers of e without a small unit, or known by enclosures only"
            )
        return _RING.gen(_FIRST_OTHER + list(self._others).index(name))

    def quotient(self, top: fmpz_mpoly, bottom: fmpz_mpoly) -> Algebraic:
        """Return top/bottom in lowest terms, the first coefficient of the bottom above 0: so equal forms recur.

        Args: top, reduced; bottom, without roots.
        """
        if bottom.is_one():
            return Algebraic(self, top, bottom)
        self._spend(top, bottom, 8)
        common = top.gcd(bottom) * (1 if bottom.leading_coefficient() > 0 else -1)
        return Algebraic(self, top // common, bottom // common)

    def times(self, one: fmpz_mpoly, other: fmpz_mpoly) -> fmpz_mpoly:
        """Return a product, reduced: of a degree below n in each root s of s^n = R."""
        self._spend(one, other)
        product = one * other
        for root in reversed(self._roots):
            if product.degrees()[root.place] >= root.index:
                product = divmod(product, root.equation)[1]
        return product

    def root(self, radicand: fmpz_mpoly, index: int) -> Algebraic:
        """Return the positive root of a reduced number above 0.

        A square root is first sought among the products of known ones and a polynomial, only to keep numbers short.
        """
        for own in self._roots:
            if (own.index, own.radicand) == (index, radicand):
                return Algebraic(self, own.s, _ONE)
        known = [own for own in self._roots if own.index == index == 2]
        for some in (some for count in range(len(known) + 1) for some in combinations(known, count)):
            product = prod((own.radicand for own in some), start=_ONE)
            self._spend(radicand, product, 8)
            whole = _square_root(radicand * product) if index == 2 else None
            if whole is not None:
                found = Algebraic(self, self.times(whole, prod((own.s for own in some), start=_ONE)), _ONE)
                found = found / Algebraic(self, self.times(product, _ONE), _ONE)
                return found if found.sign() > 0 else -found
        if len(self._roots) == MOST_ROOTS:
            raise TooHard(f"more than {MOST_ROOTS} roots occur in them")
        outside, inside = _without_squares(radicand) if index == 2 else (_ONE, radicand)
        root = _Root(MOST_ROOTS - len(self._roots), index, inside)
        self._roots.append(root)
        found = Algebraic(self, outside * root.s, _ONE)
        return found if found.sign() > 0 else -found

    def is_zero(self, polynomial: fmpz_mpoly) -> bool:
        """Whether a reduced polynomial is 0, by the theorem above. Raises: TooHard."""
        occurring = polynomial.degrees()
        is_known = not any(n and ball for n, ball in zip(occurring[_FIRST_OTHER:], self._others.values(), strict=False))
        if not polynomial or (is_known and not any(occurring[1:_FIRST_OTHER])):
            return self._vanishes(polynomial)
        if self.sign_by_ball(polynomial, FIRST_BALL_BITS):
            return False
        if not is_known:
            raise TooHard("parts of them are known by enclosures only")
        place, lowest, rest = self._eliminated(polynomial)
        if place == 0:
            return False
        other = self.times(polynomial, rest) + lowest
        for precision in _precisions():
            if self.sign_by_ball(polynomial, precision):
                return False
            if self.sign_by_ball(other, precision):
                return True
        raise TooHard(f"they are not decided in {LAST_BALL_BITS} bits")

    def inverse(self, polynomial: fmpz_mpoly) -> Algebraic:
        """Return 1/P of a reduced P that is not 0."""
        if self._last_root(polynomial) is None:
            return self.quotient(_ONE, polynomial)
        _, lowest, rest = self._eliminated(polynomial)
        return -Algebraic(self, rest, _ONE) * self.inverse(lowest)

    def _eliminated(self, polynomial: fmpz_mpoly) -> tuple[int, fmpz_mpoly, fmpz_mpoly]:
        """Return j, c_j and c_(j+1) + … + P^(n−j−1) for P with a root.

        The coefficients of C follow from the traces of P, P², … by Newton's identities; that of s^i is 0 for 0 < i < n.
        """
        root = self._last_root(polynomial)
        assert root is not None
        coefficients, traces, power = [_ONE], list[fmpz_mpoly](), _ONE
        for k in range(1, root.index + 1):
            power = self.times(power, polynomial)
            traces.append(root.index * divmod(power, root.s)[1])
            sums = (self.times(own, trace) for own, trace in zip(coefficients, traces, strict=True))
            coefficients.insert(0, -sum(sums, _ONE - _ONE) // k)
        place = next(j for j, own in enumerate(coefficients) if not self.is_zero(own))
        rest = _ONE - _ONE
        for own in reversed(coefficients[place + 1 :]):
            rest = self.times(rest, polynomial) + own
        return place, coefficients[place], rest

    def equation_of(self, polynomial: fmpz_mpoly) -> fmpz_mpoly:
        """Return a polynomial in X over Z[t] that is 0 at X = polynomial, all roots eliminated."""
        equation = _X - polynomial
        while (root := self._last_root(equation)) is not None:
            self._spend(equation, equation)
            equation = root.equation.resultant(equation, root.s.str())
        return equation

    def sign_by_ball(self, polynomial: fmpz_mpoly, precision: int) -> int:
        """Return the sign of a polynomial's value, 0 where balls of this precision leave it in doubt."""
        with ctx.workprec(precision):
            values = [arb(0)] * _RING.nvars()
            for place, (name, known) in enumerate(self._others.items(), _FIRST_OTHER):
                values[place] = _exponential(cast(Fraction, name)) if known is None else known(precision)
            for root in self._roots:
                values[root.place] = _value(root.radicand, values).root(root.index)
            ball = _value(polynomial, values)
            return int(ball > 0) - int(ball < 0)

    def _vanishes(self, polynomial: fmpz_mpoly) -> bool:
        """Whether a polynomial without roots is 0 as one in t: Lindemann's theorem."""
        coefficients: defaultdict[Fraction, fmpz] = defaultdict(fmpz)
        for powers, own in polynomial.terms():
            # no unknown has a power here, unless the polynomial is 0
            named = zip(self._others, powers[_FIRST_OTHER:], strict=False)
            coefficients[sum((cast(Fraction, name) * int(n) for name, n in named if n), Fraction(0))] += own
        return not any(coefficients.values())

    def _last_root(self, polynomial: fmpz_mpoly) -> _Root | None:
        degrees = polynomial.degrees()
        return next((root for root in reversed(self._roots) if degrees[root.place]), None)

    def _spend(self, one: fmpz_mpoly, other: fmpz_mpoly, times: int = 1) -> None:
        words = 1 + (_bits(one) + _bits(other)) // 64
        self._work -= OWN_WORK + len(one) * len(other) * words * times
        if self._work < 0:
            raise TooHard("their exact forms are too long")


@dataclass(frozen=True, slots=True, eq=False)
class Algebraic:
    """The number top/bottom of a field, in lowest terms; bottom has no roots. It computes as a rational does."""

    field: Field
    top: fmpz_mpoly
    bottom: fmpz_mpoly

    def __add__(self, other: Algebraic | Fraction | int) -> Algebraic:
        field, other = self.field, self._of(other)
        if self.bottom == other.bottom:
            return field.quotient(self.top + other.top, self.bottom)
        top = field.times(self.top, other.bottom) + field.times(other.top, self.bottom)
        return field.quotient(top, field.times(self.bottom, other.bottom))

    __radd__ = __add__

    def __neg__(self) -> Algebraic:
        return Algebraic(self.field, -self.top, self.bottom)

    def __sub__(self, other: Algebraic | Fraction | int) -> Algebraic:
        return self + -self._of(other)

    def __rsub__(self, other: Fraction | int) -> Algebraic:
        return -self + other

    def __mul__(self, other: Algebraic | Fraction | int) -> Algebraic:
        field, other = self.field, self._of(other)
        return field.quotient(field.times(self.top, other.top), field.times(self.bottom, other.bottom))

    __rmul__ = __mul__

    def __truediv__(self, other: Algebraic | Fraction | int) -> Algebraic:
        other = self._of(other)
        return self * Algebraic(self.field, other.bottom, _ONE) * self.field.inverse(other.top)

    def __rtruediv__(self, other: Fraction | int) -> Algebraic:
        return self._of(other) / self

    def root(self, index: int) -> Algebraic:
        """Return the positive root of a number above 0."""
        field = self.field
        if Algebraic(field, self.bottom, _ONE).sign() < 0:
            return Algebraic(field, -self.top, -self.bottom).root(index)
        radicand = reduce(field.times, [self.bottom] * (index - 1), self.top)
        return field.root(radicand, index) / Algebraic(field, self.bottom, _ONE)

    def sign(self) -> int:
        """Return −1, 0 or 1. Raises: TooHard."""
        if self.field.is_zero(self.top):
            return 0
        for precision in _precisions():
            signs = [self.field.sign_by_ball(own, precision) for own in (self.top, self.bottom)]
            if order := prod(signs):
                return order
        raise TooHard(f"they are not decided in {LAST_BALL_BITS} bits")

    def bits(self) -> int:
        """Return about the number of bits needed to write the number down."""
        return sum(len(own) * (1 + _bits(own)) for own in (self.top, self.bottom))

    def exact(self) -> Exact | None:
        """Return the number as a rational or a quadratic surd; None where it is neither. Raises: TooHard.

        It is a zero of one irreducible factor of its equation: then of one without t, of degree 1 or 2.
        """
        field = self.field
        if self.top.is_constant() and self.bottom.is_constant():
            return Fraction(_integer(self.top), _integer(self.bottom))
        equation = field.equation_of(self.top)
        equation = equation.compose(_X * self.bottom, *_RING.gens()[1:])  # of top/bottom
        for factor, _ in equation.factor()[1]:
            coefficients = _coefficients(factor)
            if len(coefficients) in (2, 3) and all(own.is_constant() for own in coefficients):
                c, b, a = (*map(_integer, coefficients), 0)[:3]
                if (a * self * self + b * self + c).sign() == 0:
                    if a == 0:
                        return Fraction(-c, b)
                    return surd(Fraction(-b, 2 * a), Fraction((2 * a * self + b).sign(), 2 * a), b * b - 4 * a * c)
        return None

    def _of(self, value: Algebraic | Fraction | int) -> Algebraic:
        return value if isinstance(value, Algebraic) else self.field.of(Fraction(value))


def _coefficients(polynomial: fmpz_mpoly) -> list[fmpz_mpoly]:
    """Return the coefficients of a polynomial in X, from that of 1."""
    found: list[dict[tuple[int, ...], fmpz]] = [{} for _ in range(int(polynomial.degrees()[0]) + 1)]
    for powers, own in polynomial.terms():
        found[int(powers[0])][0, *powers[1:]] = own
    return [_RING.from_dict(own) for own in found]


def _value(polynomial: fmpz_mpoly, values: Sequence[arb]) -> arb:
    """Return a ball of a polynomial's value. Args: values, of the variables."""
    total = arb(0)
    for powers, own in polynomial.terms():
        total += prod((value ** int(n) for value, n in zip(values, powers, strict=True) if n), start=arb(own))
    return total


def _exponential(alpha: Fraction) -> arb:
    return (arb(alpha.numerator) / arb(alpha.denominator)).exp()


def _square_root(polynomial: fmpz_mpoly) -> fmpz_mpoly | None:
    """Return a polynomial of which another is the square, None where there is none."""
    try:
        return polynomial.sqrt()
    except DomainError:
        return None


def _without_squares(radicand: fmpz_mpoly) -> tuple[fmpz_mpoly, fmpz_mpoly]:
    """Write a polynomial as a²·b, with the squares that are quickly found in a. Returns: a and b."""
    content, factors = radicand.factor_squarefree()
    outside = inside = _ONE
    for factor, n in [(_RING.constant(p), n) for p, n in abs(content).factor_smooth(SMOOTH_BITS)] + factors:
        outside, inside = outside * factor ** (int(n) // 2), inside * factor ** (int(n) % 2)
    return outside, inside if content > 0 else -inside


def _bits(polynomial: fmpz_mpoly) -> int:
    """Return about the length of the numbers in a polynomial, that of the first."""
    return int(polynomial.leading_coefficient().height_bits()) if polynomial else 0


def _integer(polynomial: fmpz_mpoly) -> int:
    return int(polynomial.leading_coefficient()) if polynomial else 0


def _precisions() -> Iterator[int]:
    precision = FIRST_BALL_BITS
    while precision <= LAST_BALL_BITS:
        yield precision
        precision *= 2
