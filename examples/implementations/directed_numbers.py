"""Doubles with a direction: rounding up and down by proven amounts, numbers beyond the doubles, the contract's errors.

u = 2^−53. Every operation on doubles has a relative error of at most u as long as nothing underflows; differences too,
even where they do. exp, expm1, log and log1p are correctly rounded in no library; they are taken to be within 4 ulps,
which is 8u. Bounds are written 1 ± k·u with k more than the sum of what they cover, so that the products of roundings
are covered too. Numbers that are too large for a double are pairs (m, k), which stand for m·2^k.
"""

from fractions import Fraction
from math import exp, expm1, frexp, fsum, inf, isfinite, ldexp, log, log1p, nextafter

U = 2.0**-53
LEAST = 2.0**-1074

TINY, LARGE, FAR = 2.0**-60, 700.0, 3000.0
"""Levels α: e^α − 1 is α to a double; it nearly overflows; beyond, the loss functions are at their limits."""

MOST_LEVEL = 1e9


class InvalidNumber(Exception):
    """A number is none."""


class InvalidLevel(Exception):
    """A privacy level is negative, or finite and above 10^9."""


class NotSquare(Exception):
    """A matrix is empty, ragged or not square."""


class NegativeProbability(Exception):
    """A probability is below zero."""


class NotStochastic(Exception):
    """Probabilities miss a sum of 1 by more than rounding explains."""


class UnreachableState(Exception):
    """A state has probability zero, or was not seen, where a conditional on it is asked for."""


class InfeasibleBudget(Exception):
    """No positive budget keeps the leakage where it is asked to be."""


class InvalidRequest(Exception):
    """The question is not well-formed."""


def up(value, units=0):
    """Return a double above value·(1 + units·u), value ≥ 0; 0 and ∞ stay."""
    return nextafter(value * (1 + (units + 2) * U), inf) if 0 < value < inf else value


def down(value, units=0):
    """Return a double below value·(1 − units·u), value ≥ 0, and not below 0; 0 and ∞ stay."""
    return nextafter(value * (1 - (units + 2) * U), 0.0) if 0 < value < inf else value


def sum_up(*values):
    """Return the least double that is not below the sum: `fsum` rounds once, so the sign of the remainder is right."""
    total = fsum(values)
    return nextafter(total, inf) if isfinite(total) and fsum([*values, -total]) > 0 else total


def sum_down(*values):
    """Return the greatest double that is not above the sum."""
    return -sum_up(*(-value for value in values))


def next_to(x, side):
    """Return the double next to a Fraction, above (side 1) or below (−1); itself where it is one."""
    nearest = float(x)
    return nextafter(nearest, side * inf) if (x - Fraction(nearest)) * side > 0 else nearest


def quotient(a, b):
    """Return a/b of positive doubles as (m, k), within u; nothing overflows."""
    (a, i), (b, j) = frexp(a), frexp(b)
    m, k = frexp(a / b)
    return m, k + i - j


def product(a, b):
    """Return the product of two pairs (m, k), within u."""
    m, k = frexp(a[0] * b[0])
    return m, k + a[1] + b[1]


def excess(alpha, side):
    """Return (m, k) above e^α − 1 (side 1) or below it (−1), within 160u, for 0 < α ≤ FAR."""
    if alpha <= TINY:
        m, k = frexp(alpha)
        return (m * (1 + 2 * U) if side > 0 else m), k  # α ≤ e^α − 1 ≤ α(1 + α)
    if alpha <= LARGE:
        m, k = frexp(expm1(alpha))
        return m * (1 + side * 10 * U), k
    m, k = frexp(exp(alpha / 8))  # α/8 is exact; eight factors of 8u each and their products; the 1 is less than u
    return m**8 * (1 + side * 80 * U), 8 * k


def level(m, k, side):
    """Return log(1 + m·2^k), m > 0, rounded up (side 1) or down (−1).

    A relative error of m·2^k is at most handed on. Where log is taken, log m is small beside k·log 2, and the 1 is less
    than u.
    """
    if k + frexp(m)[1] < 1000:
        value, units = log1p(ldexp(m, k)), 8
    else:
        value, units = log(m) + k * log(2.0), 32
    return max(up(value, units), LEAST) if side > 0 else down(value, units)


def checked_level(value, what):
    """Return a privacy level as a float. Raises: InvalidLevel, InvalidNumber."""
    value = float(value)
    if not value >= 0:
        raise InvalidLevel(f"{what} is {value!r}") if value < 0 else InvalidNumber(f"{what} is {value!r}")
    if MOST_LEVEL < value < inf:
        raise InvalidLevel(f"{what} is {value!r}, a finite level above 10^9")
    return value


def missing(row, what):
    """Return Σ row − 1, rounded once. Raises: NotStochastic where it is more than n roundings; InvalidNumber."""
    values, bound = row.tolist(), len(row) * 2.0**-52
    if not all(map(isfinite, values)):
        raise InvalidNumber(f"{what} has an entry that is no number")
    if fsum([*values, -1.0, -bound]) > 0 or fsum([*values, -1.0, bound]) < 0:
        raise NotStochastic(f"{what} sums to {fsum(values)!r}")
    return fsum([*values, -1.0])
