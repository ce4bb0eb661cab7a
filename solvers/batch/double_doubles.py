"""Numbers of two doubles, about 32 digits, on whole arrays, with a bound on the error of every operation.

A number is a pair (high, low) of arrays, the unevaluated sum of two doubles that do not overlap. Sums, products and
quotients are Algorithms 6, 11 and 17 of Joldes, Muller, Popescu, *Tight and rigorous error bounds for basic building
blocks of double-word arithmetic* (ACM TOMS 44, 2017), whose relative errors are at most 3u² + 13u³, 7u² and 15u² +
56u³, u = 2^−53: at most `ROUNDING` each, as long as nothing underflows or overflows, and however much cancels. What
leaves the range in which that is sure is for the caller to exclude (`SMALLEST`, `LARGEST`).
"""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np
from flint import arb, ctx

from ..floats import LARGEST, SMALLEST, Doubles

DoubleDouble = tuple[Doubles, Doubles]
"""A high and a low part."""

ROUNDING = 2.0**-101
"""No operation has a greater relative error."""

EXP_ERROR = 2.0**-92
"""`expm1` has no greater relative error."""

MOST_LEVEL = 600.0
"""Levels up to here have exponentials far from the end of the range."""

_SPLITTER = 2.0**27 + 1
_HALVINGS = 3
_TERMS = 17
"""Terms of the series of the exponential: |r| ≤ 0.044, and 0.044^17/18! < 2^−128."""


def two_sum(a: Doubles, b: Doubles) -> DoubleDouble:
    """Return a + b exactly (Knuth)."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)


def _fast_two_sum(a: Doubles, b: Doubles) -> DoubleDouble:
    """Return a + b exactly where |a| ≥ |b| or a = 0 (Dekker)."""
    total = a + b
    return total, b - (total - a)


def two_product(a: Doubles, b: Doubles) -> DoubleDouble:
    """Return a·b exactly (Dekker, Veltkamp)."""
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _split(a: Doubles) -> DoubleDouble:
    scaled = _SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high


def pair(value: Doubles) -> DoubleDouble:
    """Return doubles as pairs."""
    return value, np.zeros_like(value)


def pair_of(value: Fraction) -> DoubleDouble:
    """Return the pair next to a rational, of shape (): its relative error is at most `ROUNDING`."""
    high = float(value)
    return np.array(high), np.array(float(value - Fraction(high)))


def add(x: DoubleDouble, y: DoubleDouble) -> DoubleDouble:
    """Return x + y (Algorithm 6)."""
    high, low = two_sum(x[0], y[0])
    t_high, t_low = two_sum(x[1], y[1])
    v_high, v_low = _fast_two_sum(high, low + t_high)
    return _fast_two_sum(v_high, t_low + v_low)


def negative(x: DoubleDouble) -> DoubleDouble:
    """Return −x."""
    return -x[0], -x[1]


def multiply(x: DoubleDouble, y: DoubleDouble) -> DoubleDouble:
    """Return x·y (Algorithm 11)."""
    high, low = two_product(x[0], y[0])
    return _fast_two_sum(high, low + (x[0] * y[1] + x[1] * y[0]))


def divide(x: DoubleDouble, y: DoubleDouble) -> DoubleDouble:
    """Return x/y (Algorithm 17)."""
    quotient = x[0] / y[0]
    r_high, r_low = multiply(y, pair(quotient))
    rest = (x[0] - r_high) + (x[1] - r_low)
    return _fast_two_sum(quotient, rest / y[0])


def less(x: DoubleDouble, y: DoubleDouble) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return whether x < y, exactly: of pairs whose parts do not overlap."""
    smaller: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = (x[0] < y[0]) | ((x[0] == y[0]) & (x[1] < y[1]))
    return smaller


def where(condition: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], x: DoubleDouble, y: DoubleDouble) -> DoubleDouble:
    """Return x where a condition holds, else y."""
    return np.where(condition, x[0], y[0]), np.where(condition, x[1], y[1])


def expm1(level: Doubles) -> DoubleDouble:
    """Return e^α − 1 of doubles 0 ≤ α ≤ `MOST_LEVEL`; the relative error is at most `EXP_ERROR`.

    α = k·log 2 + 2^h·r with |r| ≤ 0.35/2^h, r to an absolute error below 2^−103; the series of expm1(r)/r by Horner's
    rule; h times expm1(2r) = expm1(r)·(expm1(r) + 2); then 2^k·expm1 + (2^k − 1), where the first is at least −0.6
    times the second.
    """
    k = np.rint(level / log(2.0))
    r = add(add(pair(level), negative(two_product(k, _LOG2[0]))), negative(two_product(k, _LOG2[1])))
    r = add(r, pair(-k * _LOG2[2]))
    r = r[0] / 2**_HALVINGS, r[1] / 2**_HALVINGS
    one = pair(np.ones_like(level))
    series = one
    for inverse in _INVERSES:
        series = add(one, multiply(multiply(r, series), inverse))
    rest, power = multiply(r, series), np.exp2(k)
    for _ in range(_HALVINGS):
        rest = multiply(rest, add(rest, pair(np.full_like(level, 2.0))))
    return add(two_sum(power, np.full_like(level, -1.0)), (power * rest[0], power * rest[1]))


def _log2() -> tuple[Doubles, Doubles, Doubles]:
    """Return log 2 as a sum of three doubles."""
    parts, before = [], ctx.prec
    ctx.prec = 300
    try:
        rest = arb(2).log()
        for _ in range(3):
            parts.append(np.array(float(rest.mid())))
            rest = rest - float(rest.mid())
    finally:
        ctx.prec = before
    return parts[0], parts[1], parts[2]


_LOG2 = _log2()
_INVERSES = [pair_of(Fraction(1, term)) for term in range(_TERMS, 1, -1)]


def level_bounds(excess: DoubleDouble, error: float) -> tuple[Doubles, Doubles]:
    """Return the doubles next to log(1 + E), below and above, for excesses E ≥ 0 that are known to a relative error.

    With a double y next to it the level is y + log(1 + x), x = (E − expm1(y))/e^y, and x − x² ≤ log(1 + x) ≤ x. NaN
    where the level is a double as far as can be told, and where E is neither 0 nor in the range for which it is sure.
    """
    sure = (excess[0] >= SMALLEST) & (excess[0] <= LARGEST)
    near = np.log1p(np.where(sure, excess[0], 1.0))
    sure &= (near <= MOST_LEVEL) & np.isfinite(near)
    near = np.where(sure, near, 1.0)
    power = expm1(near)
    x = divide(add(where(sure, excess, power), negative(power)), add(power, pair(np.ones_like(near))))[0]
    doubt = 2 * (error + EXP_ERROR) * near + x * x + np.abs(x) * 2.0**-50
    nearest, rest = two_sum(near, x)
    lower = np.where(rest > 0, nearest, np.nextafter(nearest, 0.0))
    upper = np.where(rest > 0, np.nextafter(nearest, np.inf), nearest)
    sure &= (np.abs(rest) >= doubt) & (np.abs(x) <= 2.0**-40 * near)
    zero = excess[0] == 0
    return tuple(np.where(zero, 0.0, np.where(sure, bound, np.nan)) for bound in (lower, upper))  # type: ignore[return-value]
