"""Privacy levels: exact where they can be, enclosed to any precision where they cannot.

A level α ∈ [0, ∞] stands by its excess E = e^α − 1, expm1(α), in which every formula of the paper is rational and
all the terms that are added are positive, so nothing cancels at any scale. A level is one of

- a ratio: e^α is rational or a quadratic surd, and everything about it is decided in integers;
- rational: α itself is rational (and not zero), so that e^α is transcendental (Lindemann);
- a formula: a sum of levels, a piece of a loss function applied to a level, and the like (module `formulas`);
- the infinite level.

A formula is evaluated over rigorous balls (`flint.arb`), again at doubled precision until the comparison that is
asked for is decided. Where balls of 4,096 bits leave it in doubt, the exact numbers decide:
algebraic functions of a power of e, whose equality is decided (module `algebraic`). `Undecided` is left to

- parts that are known by enclosures only: a supremum that is searched for, a greatest schedule, iterations of more
  than 10,000 steps, fractions of a level with numbers above 12, unless an equality holds by form, whatever they are;
- exact forms that are too long, or hold more roots or unlike rational levels, than `algebraic` allows, unless likewise;
- numbers that are not equal, and differ by less than 2^−500,000 of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from math import gcd, inf, lcm, nextafter, prod
from pickle import dumps
from threading import local
from typing import Self, TypeVar, cast

from flint import arb, ctx

from .algebraic import Algebraic, Field, TooHard
from .decimals import Enclosure, Ratio, fraction_to_text, outward, outward_in_units
from .errors import InvalidLevel, InvalidNumber, Undecided
from .formulas import (
    ANY_SIZE,
    LONGEST_EXACT_ITERATION,
    Constant,
    Difference,
    Exponential,
    Formula,
    Iterated,
    LinearFractional,
    Multiple,
    Polynomial,
    PositiveRoot,
    Sum,
    ball_of,
    dyadic,
    dyadic_ratio,
)
from .numbers import LONGEST_TEXT, exact, whole
from .surds import Exact, MixedRadicands, Surd, bits, sign

EXACT_BITS = 3322
"""Size in bits up to which a ratio is computed eagerly, and printed: 1,000 decimal digits."""

FIRST_PRECISION = 64
EXACT_INSTEAD_PRECISION = 1 << 12
LAST_PRECISION = 1 << 21
"""Working precisions in bits: the first, the one from which exact parts decide instead, the last."""

COMPARED_BITS, COMPARED_WORK = 1 << 15, 1 << 21
"""The last precision of `==`, `<` and the like for what is not decided exactly, and times the formulas in a level."""

LONGEST_ALGEBRAIC = 1 << 18
"""Bits of an algebraic number beyond which it is left unknown, as one of which balls alone are known."""

MOST_TERMS_ADDED = 1000
"""A whole multiple of a level is a sum up to this factor, which is seen to be equal to one."""

PlainNumber = Fraction | Decimal | int
"""A plain exact number; those of numpy, sympy and others will do as well."""

LARGEST_RATIONAL_LEVEL = 10**9
"""A finite rational level above this is refused: its ratio has more than 10^9 bits before the point."""

GENERATIONS_AT_ONCE = 100
"""Pickle recurs from a level to its parts; those this many steps below go first, as chains are as long as streams."""

STRADDLING = 10**6
"""An enclosure this many times narrower than one unit of its last digit straddles that digit's boundary."""


_FORMAT = re.compile(r"(?:.?[<>=^])?[-+ ]?[z#]*0?[0-9]*[,_]?(?:\.(?P<places>[0-9]+))?(?P<kind>[eEfFgG]?)")


Same = TypeVar("Same", bound="Level")


class Level:
    """A privacy level (a privacy budget or a privacy leakage), immutable; build with the class methods.

    Levels are added with `+`, subtracted with `-` and compared with `<`, `<=`, `==`, …; all of it is exact, or raises
    `Undecided`.

    >>> Level.of(1) + Level.of(2)
    <Level 3>
    >>> Level.of(1) < Level.of(2)
    True
    """

    __slots__ = ("_ball", "_depth", "_exact", "_formula", "_number", "_parts", "_precision")

    def __init__(self, formula: Formula | None, parts: tuple[Level, ...] = ()) -> None:
        """Keep a formula and the levels it is applied to; no formula stands for the infinite level."""
        self._formula = formula
        self._parts = parts
        self._exact = formula.excess if isinstance(formula, Constant) else None
        self._depth: int = max((part._depth for part in parts), default=0) + (not isinstance(formula, Sum))
        self._ball = arb(0)
        self._precision = 0
        self._number: Algebraic | None = None

    @classmethod
    def of_ratio(cls, ratio: Exact | int) -> Level:
        """Return the level log(ratio).

        Args:
            ratio: e^α: a rational or quadratic surd, at least 1.

        Returns: the level, exact.
        Raises: InvalidLevel if the ratio is below 1 (a negative level, or none at all); InvalidNumber for a float.
        """
        excess = (ratio if isinstance(ratio, Surd) else _rational(ratio)) - 1
        if sign(excess) < 0:
            raise InvalidLevel("a privacy level is at least 0: its ratio e^level is at least 1")
        return cls(Constant(excess))

    @classmethod
    def of(cls, alpha: Fraction | int) -> Level:
        """Return the rational level alpha (in nats).

        Args:
            alpha: the level in nats, a rational that is not negative.

        Returns: the level, exact.
        Raises: InvalidLevel if it is negative or beyond `LARGEST_RATIONAL_LEVEL`; InvalidNumber for a float.
        """
        alpha = _rational(alpha)
        if alpha < 0:
            raise InvalidLevel("a privacy level is at least 0")
        if alpha > LARGEST_RATIONAL_LEVEL:
            raise InvalidLevel(
                f"a finite rational level is at most {LARGEST_RATIONAL_LEVEL}; the infinite level is inf"
            )
        return _exponential(alpha)

    @classmethod
    def of_formula(cls, formula: Formula, parts: Sequence[Level]) -> Level:
        """Return the positive finite level whose excess is a formula of those of finite levels.

        Args:
            formula: of the excesses e^α − 1 of the parts.
            parts: finite levels.

        Returns: the level: as a ratio where that is exact and small, else as the formula it is.
        """
        return _applied(formula, tuple(parts))

    # What a level is

    @property
    def is_zero(self) -> bool:
        """Whether the level is 0. Exact: a formula of this module is zero only if it says so itself."""
        return self._exact == 0

    @property
    def is_infinite(self) -> bool:
        """Whether the level is ∞. Exact."""
        return self._formula is None

    @property
    def rational(self) -> Fraction | None:
        """The level itself where it was given as a rational number or is 0; otherwise None. Exact."""
        if isinstance(self._formula, Exponential):
            return self._formula.alpha
        return Fraction(0) if self.is_zero else None

    @property
    def ratio(self) -> Exact | None:
        """The ratio e^α where it is rational or a quadratic surd; None where it is not, or not seen to be. Exact."""
        excess = self._exact_excess()
        if excess is None and self._formula is not None:
            with suppress(TooHard):
                excess = cast(Algebraic, _numbers([self])[0]).exact()
        return None if excess is None else excess + 1

    @property
    def exact_text(self) -> str | None:
        """The level in the contract's notation, or None where it has no such form at hand within 1,000 digits.

        >>> Level.of_ratio(Fraction(11, 10)).exact_text, Level.of(Fraction(1, 10)).exact_text
        ('log(11/10)', '1/10')
        """
        return self._text(EXACT_BITS)

    def full_text(self) -> str:
        """Return the level in the contract's notation, however long; `Undecided` where it has no such form."""
        text = self._text(None)
        if text is None:
            raise Undecided("the level is known by a formula only: it has no finite exact notation")
        return text

    def _text(self, bit_limit: int | None) -> str | None:
        if self.is_infinite:
            return "inf"
        if self.rational is not None:
            return fraction_to_text(self.rational)
        if not isinstance(self._formula, Constant) or (
            bit_limit is not None and bits(self._formula.excess) > bit_limit
        ):
            return None
        ratio = self._formula.excess + 1
        return f"log({ratio if isinstance(ratio, Surd) else fraction_to_text(ratio)})"

    # Arithmetic

    def __add__(self, other: Level | PlainNumber) -> Level:
        """Return the sum of two levels, or of one and a plain number of nats: the product of their ratios. Exact."""
        if (other := _as_level(other)) is None:  # type: ignore[assignment]
            return NotImplemented
        assert isinstance(other, Level)
        if self.is_infinite or other.is_infinite:
            return INFINITE
        if self.is_zero or other.is_zero:
            return other if self.is_zero else self
        if self.rational is not None and other.rational is not None:
            return _exponential(self.rational + other.rational)
        return _applied(Sum(), (self, other))

    __radd__ = __add__

    def __mul__(self, times: PlainNumber) -> Level:
        """Return the level a number of times, at least 0. Exact as a formula. Raises: InvalidLevel for one below 0."""
        factor = _number(times)
        if factor is None:
            return NotImplemented
        if factor < 0:
            raise InvalidLevel("a privacy level is at least 0: it is multiplied by a number below 0")
        if factor == 0 or self.is_zero:
            return ZERO
        if factor == 1 or self.is_infinite:
            return self._as_a(Level)
        if self.rational is not None:
            return Level.of(self.rational * factor)
        if factor.denominator > 1 or factor > MOST_TERMS_ADDED:
            return _applied(Multiple(factor), (self,))
        half = self * (factor.numerator // 2)
        return half + half + self if factor.numerator % 2 else half + half

    __rmul__ = __mul__

    def __truediv__(self, by: PlainNumber) -> Level:
        """Return the level divided by a number above 0. Exact as a formula. Raises: InvalidLevel for any other."""
        if (number := _number(by)) is None:
            return NotImplemented
        if number <= 0:
            raise InvalidLevel("a privacy level is divided by a number above 0: no level is the quotient by another")
        return self * (1 / number)

    def _sympy_(self) -> None:
        """Leave the operators of sympy's numbers to this class; they would take the nearest double otherwise."""
        from sympy import SympifyError

        raise SympifyError(self)

    def __round__(self, places: int | None = None) -> Decimal | int:
        """Return the level in nats with `places` decimals, rounded to the safe side: up, a budget down.

        Raises: OverflowError for ∞, as of a float; Undecided.
        """
        if self.is_infinite:
            raise OverflowError("the infinite level is not rounded to a number")
        rounded = self._rounded(Fraction(10) ** -(places or 0))
        return int(rounded) if places is None else rounded

    def __sub__(self, other: Level | PlainNumber) -> Level:
        """Return the difference of two finite levels: the quotient of their ratios. Exact.

        Raises: InvalidLevel where it is negative, or ∞ is subtracted; Undecided.
        """
        if (other := _as_level(other)) is None:  # type: ignore[assignment]
            return NotImplemented
        assert isinstance(other, Level)
        if other.is_infinite:
            raise InvalidLevel("the infinite level cannot be subtracted")
        order = self._order_to(other)
        assert order is not None
        if order < 0:
            raise InvalidLevel("a privacy level is at least 0: a greater level was subtracted from a smaller one")
        if order == 0 or other.is_zero or self.is_infinite:
            return self if order else ZERO
        if self.rational is not None and other.rational is not None:
            return _exponential(self.rational - other.rational)
        return _applied(Difference(), (self, other))

    def __rsub__(self, other: PlainNumber) -> Level:
        return NotImplemented if (own := _as_level(other)) is None else own - self

    def linear_fractional(self, q: Fraction, d: Fraction) -> Level:
        """Return log((q·(e^α − 1) + 1)/(d·(e^α − 1) + 1)), the value of one piece of a loss function.

        Theorem 5 [thm:lfp].

        Args:
            q: a probability, q ≥ d.
            d: a probability.

        Returns: the level, exact; at α = ∞ its limit. Raises: InvalidLevel for q < d, where it would be negative.
        """
        if q < d:
            raise InvalidLevel("a piece of a loss function has q of at least d")
        if q == d or self.is_zero:
            return ZERO
        if q == 1 and d == 0:
            return self
        if self.is_infinite:
            return INFINITE if d == 0 else Level.of_ratio(q / d)
        return _applied(LinearFractional(q, d), (self,))

    def iterated(self, epsilon: Level, q: Fraction, d: Fraction, times: int) -> Level:
        """Return the leakage `times` releases later, each of budget epsilon, while one piece of L rules.

        Eq. [eq:bpl_f] with L(α) = log((q·(e^α − 1) + 1)/(d·(e^α − 1) + 1)).

        Args:
            epsilon: the budget of each release, a finite level; so is this level.
            q: a probability, q ≥ d.
            d: a probability.
            times: how many releases, from 0.

        Returns: the level, exact as a formula; its cost grows with the logarithm of `times`.
        """
        if times == 0 or (self.is_zero and epsilon.is_zero):
            return self
        if q == d:
            return epsilon
        if q == 1 and d == 0 and self.rational is not None and epsilon.rational is not None:
            return _exponential(self.rational + times * epsilon.rational)
        return _applied(Iterated(q, d, times), (self, epsilon))

    def positive_root(self, s: Polynomial, b: Polynomial, r: Polynomial) -> Level:
        """Return the level whose excess X is the positive root of s·X² + b·X − r = 0.

        Args:
            s: a polynomial in this level's excess, at least 0 there.
            b: likewise, above 0 where s = 0.
            r: likewise, above 0.

        Returns: the level, exact: a surd over the field of this level's ratio.
        """
        return _applied(PositiveRoot(s, b, r), (self,))

    # Comparison

    def sign_of_linear(self, constant: Fraction, slope: Fraction) -> int:
        """Return the sign of constant + slope·E, E = e^α − 1 (the sign of its limit at α = ∞).

        Every decision of the paper's algorithms is of this form. Exact.

        Args:
            constant: a rational.
            slope: a rational.

        Raises: Undecided.
        """
        if slope == 0 or self.is_zero:
            return sign(constant)
        if self.is_infinite:
            return sign(slope)
        if sign(constant) * sign(slope) >= 0:
            return sign(slope)
        return sign(slope) * self._compare_excess(-constant / slope)

    def sign_of(self, by_ball: Callable[[arb], int], exactly: Callable[[Exact], int]) -> int:
        """Return the sign of a function of the excess of a finite level.

        Args:
            by_ball: the sign from a ball of the excess, 0 while that leaves it in doubt.
            exactly: the sign from the excess itself.

        Raises: Undecided.
        """
        if self._exact is not None:
            return exactly(self._exact)

        def decided() -> int:
            excess = self._exact_excess()
            return exactly(_numbers([self])[0] if excess is None else excess)

        return _decide(lambda precision: by_ball(self._ball_at(precision)), decided, LAST_PRECISION)

    def _compare_excess(self, threshold: Fraction) -> int:
        def exactly(excess: Exact) -> int:
            return sign(excess - threshold)

        return self.sign_of(lambda ball: _order(ball, ball_of(threshold)), exactly)

    def compare(self, other: Level, last: int = LAST_PRECISION) -> int:
        """Return −1, 0 or 1 as the level is less than, equal to or greater than the other. Exact.

        Args:
            other: a level of any kind.
            last: the highest precision in bits that is tried.

        Raises: Undecided.
        """
        if self is other:
            return 0
        if self.is_infinite or other.is_infinite:
            return self.is_infinite - other.is_infinite
        if self.rational is not None and other.rational is not None:
            return sign(self.rational - other.rational)

        def exactly() -> int:
            terms = _terms_of((self, other))
            return 0 if terms[id(self)] == terms[id(other)] else _sign_of_difference(self, other)

        def by_balls(precision: int) -> int:
            return _order(self._ball_at(precision), other._ball_at(precision))

        if order := by_balls(FIRST_PRECISION):
            return order
        return 0 if _same_formula(self, other) else _decide(by_balls, exactly, last)

    def __eq__(self, other: object) -> bool:
        order = self._order_to(other)
        return NotImplemented if order is None else order == 0

    def __hash__(self) -> int:
        """Return what equal levels, and equal plain numbers, have in common: the number or the first digits."""
        if self.is_infinite:
            return hash(inf)
        if (rational := self.rational or self._rational_by_form()) is not None:
            return hash(rational)
        for precision in _precisions(FIRST_PRECISION, EXACT_INSTEAD_PRECISION):
            if bounds := self._lower_and_upper(precision):
                lower, upper = (format(float(Fraction(*bound)), ".9e") for bound in bounds)
                if lower == upper:
                    return hash(lower)
        return 0

    def _rational_by_form(self) -> Fraction | None:
        """Return the level where it is a rational number, otherwise None.

        If e^α, of degree n over the algebraic numbers with t = e^g, is a power of e, then n·α is a multiple of g: for
        t^(p/q) in lowest terms has degree q. And n divides the product of the indexes of the roots that e^α is made of.
        """
        formulas = [own._formula for own in _below(self)]
        alphas = {own.alpha for own in formulas if isinstance(own, Exponential)}
        if not alphas:
            return None
        roots = prod(own.factor.denominator for own in formulas if isinstance(own, Multiple))
        step = _common_unit(alphas) / roots / 2 ** sum(isinstance(own, PositiveRoot) for own in formulas)
        for precision in _precisions(2 * FIRST_PRECISION + 2 * bits(step)):
            if bounds := self._lower_and_upper(precision):
                lower, upper = (Fraction(*bound) / step for bound in bounds)
                if upper - lower < Fraction(1, 1 << FIRST_PRECISION):
                    nearest = round(lower) * step
                    return nearest if nearest > 0 and lower <= nearest / step <= upper and self == nearest else None
        return None

    def __lt__(self, other: Level | PlainNumber) -> bool:
        order = self._order_to(other)
        return NotImplemented if order is None else order < 0

    def __le__(self, other: Level | PlainNumber) -> bool:
        order = self._order_to(other)
        return NotImplemented if order is None else order <= 0

    def __gt__(self, other: Level | PlainNumber) -> bool:
        order = self._order_to(other)
        return NotImplemented if order is None else order > 0

    def __ge__(self, other: Level | PlainNumber) -> bool:
        order = self._order_to(other)
        return NotImplemented if order is None else order >= 0

    def _order_to(self, other: object) -> int | None:
        """Compare with a level, or with an exact plain number, in nats; below 0 there is no level. None: with neither.

        This ends soon: levels that agree in `COMPARED_BITS`, or in the first bits of a search, are Undecided, whatever
        `compare` finds in the end.
        """
        if not isinstance(other, Level):
            if isinstance(other, Decimal) and other.is_infinite():
                return self.compare(INFINITE) if other > 0 else 1
            number = _number(other)
            if number is None or number < 0:
                return None if number is None else 1
            other = _exponential(number)
        return self.compare(other, min(map(_compared_bits, (self, other))))

    # Numerals

    def enclosure(self, digits: int = 17) -> Enclosure:
        """Return two decimals that enclose the level in nats.

        Args:
            digits: the number of significant digits, at least 1.

        Returns: lower ≤ α ≤ upper, rounded outward; they differ by at most one unit in the last digit, or by two where
        α lies within 10^−6 units of a decimal of that length. Equal where α is such a decimal.
        Raises: InvalidRequest for digits that are not from 1 to `LONGEST_TEXT`; Undecided.

        >>> print(Level.of_ratio(Fraction(33, 25)).enclosure(5))
        Enclosure(lower=Decimal('0.27763'), upper=Decimal('0.27764'))
        """
        digits = whole(digits, "digits", most=LONGEST_TEXT)
        if self.is_infinite:
            return Enclosure(Decimal("Infinity"), Decimal("Infinity"))
        if self.rational is not None:
            return outward(self.rational, self.rational, digits)
        for precision in _precisions(FIRST_PRECISION + int(digits * 3.33)):
            if bounds := self._lower_and_upper(precision):
                enclosure, units, places = outward_in_units(*bounds, digits)
                if units <= 1:
                    return enclosure
                lower, upper = (Fraction(*bound) for bound in bounds)
                if units == 2 and (upper - lower) * STRADDLING * Fraction(10) ** places < 1:
                    return enclosure
        raise Undecided(f"{digits} digits are not certain at the highest precision tried")

    def bounds_at(self, precision: int) -> tuple[Fraction, Fraction] | None:
        """Return two rationals that enclose the level in nats, as a computation of so many bits finds them.

        Args:
            precision: of the computation, in bits; how near the two are depends on the level.

        Returns: the bounds, or None where they are useless.
        """
        found = self._lower_and_upper(precision)
        return None if found is None else (Fraction(*found[0]), Fraction(*found[1]))

    def _lower_and_upper(self, precision: int) -> tuple[Ratio, Ratio] | None:
        """Return dyadic bounds on the level in nats computed at the precision, or None while they are useless."""
        with ctx.workprec(precision):
            ball = self._ball_at(precision).log1p()
            return (dyadic_ratio(ball.lower()), dyadic_ratio(ball.upper())) if ball.is_finite() and ball > 0 else None

    def excess_bounds(self, precision: int = 64) -> tuple[Fraction, Fraction]:
        """Return two rationals that enclose the excess e^α − 1, equal where it is rational and at hand.

        Args:
            precision: in bits: upper − lower ≤ 2^−precision · lower.

        Raises: Undecided; InvalidLevel at α = ∞.
        """
        if isinstance(self._exact, Fraction):
            return self._exact, self._exact
        if self.is_infinite:
            raise InvalidLevel("the infinite level has no finite excess")
        for working in _precisions(FIRST_PRECISION + precision):
            with ctx.workprec(working):
                ball = self._ball_at(working)
                if ball.is_finite() and ball > 0:
                    lower, upper = dyadic(ball.lower()), dyadic(ball.upper())
                    if (upper - lower) * (1 << precision) <= lower:
                        return lower, upper
        raise Undecided(f"the excess is not known to {precision} bits")

    def double_below(self) -> float:
        """Return the greatest double that is at most the level, in nats: a budget rounded so that promises hold.

        Returns: a lower bound, exact where the level is a double; ∞ for the infinite level. Raises: Undecided.
        """
        return self._double(-inf)

    def double_above(self) -> float:
        """Return the least double that is at least the level, in nats: a leakage rounded so that promises hold.

        Returns: an upper bound, exact where the level is a double; ∞ for the infinite level. Raises: Undecided.
        """
        return self._double(inf)

    def __float__(self) -> float:
        return self.double_above()

    def _double(self, toward: float) -> float:
        """Return the nearest double that is not on the other side of the level. Args: toward, ∞ or −∞."""
        if self.is_infinite:
            return inf
        if self.rational is not None:
            return _double_toward(self.rational, toward)
        for digits in (20, 40):
            ends = self.enclosure(digits)
            lower, upper = (_double_toward(Fraction(end), toward) for end in (ends.lower, ends.upper))
            if lower == upper:
                return lower
        if toward > 0:
            return lower if self <= Fraction(lower) else upper
        return upper if self >= Fraction(upper) else lower

    def to_spend(self) -> Budget:
        """Return the same level as a budget. Exact."""
        return self._as_a(Budget)

    def _as_a(self, kind: type[Same]) -> Same:
        """Return the same level as an object of another class, with what is known of it."""
        same = kind(self._formula, self._parts)
        same._ball, same._precision = self._ball, self._precision
        return same

    def __repr__(self) -> str:
        text = self.exact_text
        if text is not None and len(text) <= 40:
            return f"<Level {text}>"
        enclosure = self.enclosure(6)
        return f"<Level in [{enclosure.lower}, {enclosure.upper}]>"

    def __format__(self, spec: str) -> str:
        """Write the level in nats as a `Decimal` is written, rounded to the safe side: up, a budget down.

        Args: spec, such as ".6f", ".3e" or "10.4g"; without one the exact text, or an enclosure. Raises: ValueError for
        another; Undecided.

        >>> half = Level.of(Fraction(1, 3))
        >>> f"{half:.3f} {half.to_spend():.3f} {half:.2e}"
        '0.334 0.333 3.34e-1'
        """
        if not spec:
            return repr(self)
        found = _FORMAT.fullmatch(spec)
        if found is None:
            raise ValueError(f"a level is written by e, f or g and a precision, as in .6f, not by {spec!r}")
        places, kind = int(found["places"] or 6), (found["kind"] or "g").lower()
        if self.is_infinite:
            return format(inf, spec)
        exponent = Fraction(10) ** -places
        if kind != "f":
            digits = places + 1 if kind == "e" else max(places, 1)
            exponent = Fraction(10) ** (0 if self.is_zero else self.enclosure(1).upper.adjusted() + 1 - digits)
        return format(self._rounded(exponent), spec)

    _rounding = ROUND_CEILING

    def _rounded(self, unit: Fraction) -> Decimal:
        """Return the least multiple of a power of ten at or above the level; for a budget the greatest at or below."""
        quantum = Decimal(unit.numerator) / Decimal(unit.denominator)
        for digits in (20, 40, 800):
            ends = self.enclosure(digits)
            with localcontext(prec=10_000):
                lower, upper = (end.quantize(quantum, rounding=self._rounding) for end in (ends.lower, ends.upper))
            if lower == upper:
                return upper
        if upper - lower > quantum:
            raise Undecided("the level is not known to so many decimals in 800 digits")
        if self._rounding == ROUND_CEILING:
            return lower if self <= lower else upper
        return upper if self >= upper else lower

    # Copies: a level never changes; pickled it is its formula, exact, and what has been computed is not kept

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        generation = self._parts
        for _ in range(GENERATIONS_AT_ONCE):
            generation = tuple({id(part): part for level in generation for part in level._parts}.values())
        return _rebuilt, (type(self), self._formula, len(generation), *generation, *self._parts)

    # Evaluation of formulas, without recursion: chains are as long as streams

    def _ball_at(self, precision: int) -> arb:
        """Return a ball that contains the excess, computed at this precision or a higher one."""
        with ctx.workprec(precision):
            for level in _unfinished(self, lambda level: level._precision >= precision):
                formula = level._formula
                level._ball = arb.pos_inf() if formula is None else formula.ball([part._ball for part in level._parts])
                level._precision = precision
        return self._ball

    def _exact_excess(self) -> Exact | None:
        """Return the excess where it is rational or a surd, of whatever size; otherwise None."""
        worked_out: list[Level] = []
        try:
            for level in _unfinished(self, lambda level: level._exact is not None):
                level._exact = level._work_out()
                if level._exact is None:
                    return None
                worked_out.append(level)
            return self._exact
        finally:
            for level in worked_out:
                level._exact = None

    def _work_out(self, most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact excess if those of all the parts are at hand and it has such a form, at most so long."""
        parts = [part._exact for part in self._parts if part._exact is not None]
        if self._formula is None or len(parts) < len(self._parts):
            return None
        try:
            exact = self._formula.exact(parts, most_bits)
        except MixedRadicands:
            return None
        return None if exact is None or bits(exact) > most_bits else exact


class Budget(Level):
    """A level that is to be spent: `float` rounds it down, to `double_below`. Sums and differences of it are levels.

    >>> from tploracle import group_privacy
    >>> float(group_privacy(1, horizon=3)) <= Fraction(1, 3)
    True
    """

    __slots__ = ()
    _rounding = ROUND_FLOOR

    @classmethod
    def of(cls, alpha: Fraction | int) -> Budget:
        """Return the rational budget alpha, as `Level.of`.

        Args:
            alpha: the budget in nats, a rational that is not negative.

        Returns: the budget, exact.
        Raises: InvalidLevel, InvalidNumber as `Level.of`.
        """
        return Level.of(alpha).to_spend()

    @classmethod
    def of_ratio(cls, ratio: Exact | int) -> Budget:
        """Return the budget log(ratio), as `Level.of_ratio`.

        Args:
            ratio: e^ε, a rational or a quadratic surd, at least 1.

        Returns: the budget, exact.
        Raises: InvalidLevel, InvalidNumber as `Level.of_ratio`.
        """
        return Level.of_ratio(ratio).to_spend()

    @classmethod
    def of_formula(cls, formula: Formula, parts: Sequence[Level]) -> Budget:
        """Return the positive finite budget whose excess is a formula, as `Level.of_formula`.

        Args:
            formula: of the excesses of the parts.
            parts: finite levels.

        Returns: the budget, exact as the formula.
        """
        return Level.of_formula(formula, parts).to_spend()

    def __float__(self) -> float:
        return self.double_below()


def _rebuilt(kind: type[Level], formula: Formula | None, earlier: int, *levels: Level) -> Level:
    """Return a level that was pickled. Args: levels, its parts after the first `earlier` ones."""
    return kind(formula, levels[earlier:])


def _unfinished(root: Level, finished: Callable[[Level], bool]) -> Iterator[Level]:
    """Yield root and the levels below it that are not finished, parts before the whole; each is finished on return."""
    stack = [root]
    while stack:
        level = stack[-1]
        waiting = [] if finished(level) else [part for part in level._parts if not finished(part)]
        if waiting:
            stack.extend(waiting)
        else:
            stack.pop()
            if not finished(level):
                yield level


def _applied(formula: Formula, parts: tuple[Level, ...]) -> Level:
    """Return a formula applied to levels: as a ratio where that is exact and small, else as the formula it is."""
    level = Level(formula, parts)
    exact = level._work_out(EXACT_BITS)
    return level if exact is None else Level(Constant(exact))


def _precisions(first: int, last: int | None = None) -> Iterator[int]:
    """Yield working precisions, doubled from the first, to the last; without one up to many times the first."""
    last = max(LAST_PRECISION, 8 * first) if last is None else last
    while first < last:
        yield first
        first *= 2
    yield last


def _decide(by_balls: Callable[[int], int], exactly: Callable[[], int], last: int) -> int:
    """Decide an order by balls at rising precision, and exactly where they stay in doubt."""
    reason = ""
    for precision in _precisions(FIRST_PRECISION, last):
        with ctx.workprec(precision):
            if order := by_balls(precision):
                return order
        if precision == min(EXACT_INSTEAD_PRECISION, last):
            try:
                return exactly()
            except TooHard as error:
                reason = str(error)
    raise Undecided(f"two numbers agree in {last} bits: {reason}")


def _sign_of_difference(first: Level, second: Level) -> int:
    """Return the sign of a difference of two levels, exactly. Raises: TooHard.

    Where that is too hard, once more with all that both are made of as unknowns: what is equal by its form is equal
    whatever those are.
    """
    if (mine := first._exact_excess()) is not None and (theirs := second._exact_excess()) is not None:
        with suppress(MixedRadicands):
            return sign(mine - theirs)
    try:
        mine, theirs = _numbers((first, second))
        return sign(mine - theirs)
    except TooHard as error:
        with suppress(TooHard):
            mine, theirs = _numbers((first, second), unknown_in_common=True)
            return sign(mine - theirs)
        raise error


def _numbers(roots: Sequence[Level], unknown_in_common: bool = False) -> list[Exact]:
    """Return the excesses of finite levels as numbers of one field, see module `algebraic`. Raises: TooHard.

    The field and its numbers are kept for the next comparison, of levels made of these mostly.
    """
    below = [list(_below(root)) for root in roots]
    step = _common_unit({own._formula.alpha for each in below for own in each if isinstance(own._formula, Exponential)})
    names: dict[int, _Terms] = {}
    common = set[_Terms]()
    if unknown_in_common:
        names = _terms_of(roots)
        common = set.intersection(*({names[id(own)] for own in each if own._parts} for each in below))
    kept: Field | None = getattr(_KEPT, "field", None)
    if kept is not None and kept.step == step and not unknown_in_common:
        _KEPT.field = None
        with suppress(TooHard):  # in a field of its own it may do with fewer roots
            return _numbers_in(kept.again(), roots, {}, set())
    return _numbers_in(Field(step), roots, names, common)


def _numbers_in(field: Field, roots: Sequence[Level], names: dict[int, _Terms], common: set[_Terms]) -> list[Exact]:
    """Return the same in a given field. Args: names, of all levels or not yet known; common, what is left unknown."""
    values: dict[int, Algebraic] = {}
    done: dict[tuple[object, ...], tuple[list[Algebraic], Algebraic | None]] = {}

    def unknown(level: Level) -> Algebraic:
        names.update(names or _terms_of(roots))
        most = _compared_bits(level)
        return field.unknown(names[id(level)], lambda precision: level._ball_at(min(precision, most)))

    def is_known(level: Level) -> bool:
        if id(level) not in values:
            if common and names[id(level)] in common:
                values[id(level)] = unknown(level)
            elif (number := level._number) is not None and number.field is field:
                values[id(level)] = number
        return id(level) in values

    for root in roots:
        for level in _unfinished(root, is_known):
            parts = [values[id(part)] for part in level._parts]
            form = level._formula, *(own.bits() for own in parts)
            last, number = done.get(form, (None, None))  # as it is at each step of a schedule that keeps a cap
            if last is None or any((x.top, x.bottom) != (y.top, y.bottom) for x, y in zip(parts, last, strict=True)):
                number = _number_of(level, field, parts)
                done[form] = parts, number
            values[id(level)] = unknown(level) if number is None else number
            level._number = None if field.has_unknowns else values[id(level)]
    _KEPT.field = None if field.has_unknowns else field
    return cast("list[Exact]", [values[id(root)] for root in roots])


def _number_of(level: Level, field: Field, parts: list[Algebraic]) -> Algebraic | None:
    """Return the excess of a finite level as a number of a field, None where it is not had, or too long."""
    match level._formula:
        case Exponential(alpha):
            return field.exponential(alpha) - 1
        case Constant(excess):
            return field.of(excess)
        case formula if formula is not None and not getattr(formula, "is_search", False):
            # Numbers of a field compute as rationals and surds do, and what computes with those takes them.
            found = formula.exact(cast("list[Exact]", parts), LONGEST_ALGEBRAIC)
            return cast(Algebraic, found) if found is not None and bits(found) <= LONGEST_ALGEBRAIC else None
    return None


_KEPT = local()
"""The field of this thread's last comparison."""


def _common_unit(numbers: Collection[Fraction]) -> Fraction:
    """Return the greatest rational of which all are whole multiples; 1 for none."""
    below = lcm(*(own.denominator for own in numbers))
    return Fraction(gcd(*(int(own * below) for own in numbers)) or 1, below)


_Terms = tuple[Fraction, Exact, tuple[int, ...]]
"""A sum of levels gathered: its rational level, its ratio where that is at hand, and the names of other terms."""

_NOTHING: _Terms = (Fraction(0), Fraction(1), ())


def _same_formula(first: Level, second: Level) -> bool:
    """Whether two levels are the same formula of the same parts, whatever was added first: where that is soon seen.

    Formulas of different depth (sums, which can be gathered, aside) are not; that spares most long comparisons.
    """
    if first._depth != second._depth:
        return False
    terms = _terms_of((first, second), whole=False)
    return terms[id(first)] == terms[id(second)]


def _terms_of(roots: Sequence[Level], whole: bool = True) -> dict[int, _Terms]:
    """Return levels and all below them as sums of terms, by their ids: the same for those of the same formulas.

    Args: whole, whether formulas that are made anew for each answer are compared by all that they are made of, and
    iterations by their steps.
    """
    names: dict[object, int] = {}
    terms: dict[int, _Terms] = {}
    for root in roots:
        for level in _unfinished(root, lambda level: id(level) in terms):
            parts = [terms[id(part)] for part in level._parts]
            terms[id(level)] = _gathered(level._formula, parts, names, whole)
    return terms


def _gathered(formula: Formula | None, parts: Sequence[_Terms], names: dict[object, int], whole: bool) -> _Terms:
    """Return a level as a sum of terms; formulas of the same parts get the same name."""
    match formula:
        case Exponential(rational):
            return rational, Fraction(1), ()
        case Constant(excess):
            return Fraction(0), excess + 1, ()
        case Sum():
            alpha, ratio = Fraction(0), cast(Exact, Fraction(1))
            try:
                for part in parts:
                    alpha, ratio = alpha + part[0], ratio * part[1]
                return alpha, ratio, tuple(sorted(name for part in parts for name in part[2]))
            except MixedRadicands:  # in whatever order
                return _named(frozenset(Counter(parts).items()), names)
        case Iterated(q, d, times) if whole and q - d < 1 and times <= LONGEST_EXACT_ITERATION:
            level, epsilon = parts
            for _ in range(times):
                carried = _named((LinearFractional(q, d), level), names) if level != _NOTHING else level
                level = _gathered(Sum(), (carried, epsilon), names, whole)
            return level
    if whole and type(formula).__hash__ is object.__hash__:
        return _named((dumps(formula), *parts), names)
    return _named((formula, *parts), names)


def _named(made_of: object, names: dict[object, int]) -> _Terms:
    return Fraction(0), Fraction(1), (names.setdefault(made_of, len(names)),)


def _compared_bits(level: Level) -> int:
    """Return to how many bits a level is compared by an operator: to few where each further bit of it takes long."""
    formulas = [part._formula for part in _below(level)]
    if any(getattr(formula, "is_search", False) for formula in formulas):
        return FIRST_PRECISION
    cheap = all(formula is None or type(formula).__module__ == Sum.__module__ for formula in formulas)
    return max(min(COMPARED_BITS, COMPARED_WORK // len(formulas)) if cheap else 0, EXACT_INSTEAD_PRECISION)


def _below(level: Level) -> Iterator[Level]:
    """Yield a level and those that it is made of."""
    seen: set[int] = set()
    stack = [level]
    while stack:
        if id(part := stack.pop()) not in seen:
            seen.add(id(part))
            stack.extend(part._parts)
            yield part


def _number(value: object) -> Fraction | None:
    """Return a plain exact number; None for what is none, a float above all."""
    if isinstance(value, str | float | bool):
        return None
    try:
        return exact(value)
    except InvalidNumber:
        return None


def _as_level(value: object) -> Level | None:
    """Return a level, or a plain exact number of nats as one; None for what is neither."""
    if isinstance(value, Level):
        return value
    number = _number(value)
    return None if number is None else Level.of(number)


def _exponential(alpha: Fraction) -> Level:
    return Level(Exponential(alpha)) if alpha else ZERO


def _rational(value: object) -> Fraction:
    if isinstance(value, str):
        raise InvalidNumber(f"{value!r} is not exact: `parse_level` reads texts")
    return exact(value)


def _order(ball: arb, other: arb) -> int:
    """Return −1 or 1 where all of one ball lies below or above all of the other, else 0."""
    return int(ball > other) - int(ball < other)


def _double_toward(value: Fraction, toward: float) -> float:
    """Return the least double that is at least a rational, toward = ∞, or the greatest that is at most it, −∞."""
    nearest = float(value)
    passed = Fraction(nearest) >= value if toward > 0 else Fraction(nearest) <= value
    return nearest if passed else nextafter(nearest, toward)


ZERO = Level(Constant(Fraction(0)))
"""The level 0: no leakage."""

INFINITE = Level(None)
"""The infinite level: no privacy."""
