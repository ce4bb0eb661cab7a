"""From an excess to its level: the two doubles next to log(1 + x), or NaN where that is not decided."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from flint import arb, ctx

from ...floats import Doubles
from .compiling import fma, strict
from .fused import FusedPair, add, add_double, multiply, two_product, two_sum

EXPM1_ERROR = 2.0**-90
"""Greatest relative error of `expm1`."""

MOST_COMPILED_LEVEL = 500.0
"""Greatest level that is decided here."""

LEAST_EXCESS = 2.0**-200
"""Least positive excess that is decided here."""

_PARTS = 32
"""Parts of one nat whose exponentials are in a table; the rest of an argument goes into the series."""

_IN_PAIRS, _IN_DOUBLES = 5, 13
"""The terms of the series up to here are added in pairs, and up to here in doubles: 1/5!, …, 1/13!."""


def _pair(value: arb) -> tuple[float, float]:
    high = float(value.mid())
    return high, float((value - high).mid())


def _tables() -> tuple[Doubles, Doubles]:
    """Return the exponentials of multiples of a part from −12 on, and log 2 as a double of 40 bits and a pair."""
    before, ctx.prec = ctx.prec, 300
    try:
        powers = np.array([_pair((arb(part) / _PARTS).exp()) for part in range(-12, 13)])
        short = math.floor(math.log(2) * 2**40) / 2**40
        return powers, np.array([short, *_pair(arb(2).log() - short)])
    finally:
        ctx.prec = before


_POWERS, _LOG2 = _tables()
_INVERSES = np.array(
    [
        [high := float(Fraction(1, math.factorial(term))), float(Fraction(1, math.factorial(term)) - Fraction(high))]
        for term in range(1, _IN_PAIRS + 1)
    ]
)
_TAIL = np.array([1 / math.factorial(term) for term in range(_IN_PAIRS + 1, _IN_DOUBLES + 1)])


@strict
def expm1(level: float) -> FusedPair:
    """Return e^y − 1 of a double 0 ≤ y ≤ 600; the relative error is at most `EXPM1_ERROR`.

    y = k·log 2 + j/32 + r with |r| ≤ 1/64; then 2^k·e^(j/32)·(1 + expm1(r)) − 1.
    """
    k = np.rint(level * 1.4426950408889634)
    if level < 1 / 64:
        k = 0.0
    rest = fma(-k, _LOG2[0], level)  # exact: k·log2 has at most 50 bits
    part, part_low = two_product(k, _LOG2[1])
    r, r_low = add(rest, 0.0, -part, -part_low - k * _LOG2[2])
    j = np.rint(r * _PARTS)
    r, r_low = add_double(r, r_low, -j / _PARTS)
    tail = _TAIL[-1]
    for term in range(len(_TAIL) - 2, -1, -1):
        tail = fma(tail, r, _TAIL[term])
    series, series_low = add_double(_INVERSES[-1, 0], _INVERSES[-1, 1], tail * r)
    for term in range(_IN_PAIRS - 2, -1, -1):
        series, series_low = multiply(series, series_low, r, r_low)
        series, series_low = add(_INVERSES[term, 0], _INVERSES[term, 1], series, series_low)
    own, own_low = multiply(series, series_low, r, r_low)
    if j == 0.0 and k == 0.0:
        return own, own_low
    scale = 2.0**k
    power, power_low = _POWERS[int(j) + 12, 0] * scale, _POWERS[int(j) + 12, 1] * scale
    own, own_low = multiply(own, own_low, power, power_low)
    power, power_low = add_double(power, power_low, -1.0)
    return add(power, power_low, own, own_low)


@strict
def neighbours_of_level(excess: float, excess_low: float, error: float) -> FusedPair:
    """Return the doubles next to log(1 + x), x known to a relative error, below it and above; NaN if not decided.

    With y near it the level is y + log(1 + z), z = (x − expm1(y))/e^y. Only x = 0 is taken for a double itself.
    """
    if excess == 0.0:
        return 0.0, 0.0
    if not excess >= LEAST_EXCESS:
        return np.nan, np.nan
    near = math.log1p(excess)
    if not near <= MOST_COMPILED_LEVEL:
        return np.nan, np.nan
    power, power_low = expm1(near)
    apart, _ = add(excess, excess_low, -power, -power_low)
    z = apart / (1.0 + power)
    doubt = 2 * (error + EXPM1_ERROR) * near + z * z + abs(z) * 2.0**-50
    nearest, rest = two_sum(near, z)
    if abs(z) > 2.0**-40 * near or abs(rest) < doubt:
        return np.nan, np.nan
    if rest > 0:
        return nearest, np.nextafter(nearest, np.inf)
    return np.nextafter(nearest, 0.0), nearest
