"""Numbers of two doubles with fused multiplication and addition, one at a time: `double_doubles` of single numbers.

A number is a pair high, low with |low| ≤ ulp(high)/2. An operation errs by at most the part `FUSED_ROUNDING`,
however much cancels, as long as nothing underflows or overflows: docs/mathematics.md, "The compiled kernel".
"""

from __future__ import annotations

from .compiling import fma, strict

FusedPair = tuple[float, float]

FUSED_ROUNDING = 2.0**-102
"""Greatest relative error of one operation."""


@strict
def two_sum(a: float, b: float) -> FusedPair:
    """Return a + b exactly (Knuth)."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)


@strict
def ordered_sum(a: float, b: float) -> FusedPair:
    """Return a + b exactly where |a| ≥ |b| or a = 0 (Dekker)."""
    total = a + b
    return total, b - (total - a)


@strict
def two_product(a: float, b: float) -> FusedPair:
    """Return a·b exactly."""
    product = a * b
    return product, fma(a, b, -product)


@strict
def add(x: float, x_low: float, y: float, y_low: float) -> FusedPair:
    """Return x + y."""
    high, low = two_sum(x, y)
    rest, rest_low = two_sum(x_low, y_low)
    high, low = ordered_sum(high, low + rest)
    return ordered_sum(high, rest_low + low)


@strict
def add_double(x: float, x_low: float, y: float) -> FusedPair:
    """Return x + y of a double y."""
    high, low = two_sum(x, y)
    return ordered_sum(high, x_low + low)


@strict
def multiply(x: float, x_low: float, y: float, y_low: float) -> FusedPair:
    """Return x·y."""
    high, low = two_product(x, y)
    return ordered_sum(high, fma(x_low, y, fma(x, y_low, low)))


@strict
def times(x: float, x_low: float, y: float) -> FusedPair:
    """Return x·y of a double y."""
    high, low = two_product(x, y)
    return ordered_sum(high, fma(x_low, y, low))


@strict
def divide(x: float, x_low: float, y: float, y_low: float) -> FusedPair:
    """Return x/y."""
    quotient = x / y
    high, low = times(y, y_low, quotient)
    return ordered_sum(quotient, ((x - high) + (x_low - low)) / y)


@strict
def less(x: float, x_low: float, y: float, y_low: float) -> bool:
    """Return whether x < y, exactly."""
    return x < y or (x == y and x_low < y_low)
