"""The second opinion: the paper's formulas in mpmath, at a precision far above that of the answer under test."""

from decimal import Decimal
from fractions import Fraction
from itertools import combinations, permutations

import mpmath
from mpmath import mp

from tploracle.reference.surds import Surd

GUARD = 60
"""Digits beyond those asked for."""


def mpf(value):
    """Round an exact number to the working precision."""
    if isinstance(value, Surd):
        return mpf(value.a) + mpf(value.b) * mp.sqrt(value.radicand)
    return mp.mpf(value.numerator) / value.denominator


def fraction(value):
    """Return the exact value of an mpf."""
    sign, mantissa, exponent, _ = value._mpf_
    scaled = Fraction(int(mantissa)) * (Fraction(2) ** exponent)
    return -scaled if sign else scaled


def alpha_of(level):
    """Return a level's value in nats from its data: a rational number, or the logarithm of an exact ratio."""
    if level.rational is not None:
        return mpf(level.rational)
    # The digits that the ratio spends before E = ratio − 1 begins: 300 for the tiniest level that the tests use.
    with mp.extradps(700):
        return mp.log(mpf(level.ratio))


def loss(matrix, alpha):
    """Return L(alpha) by trying all subsets of all pairs of rows, Eq. [eq:lfp], in mpmath."""
    with mp.extradps(320):
        excess = mp.expm1(alpha)
        best = mp.mpf(0)
        n = matrix.n
        for q, d in permutations(matrix.rows, 2):
            for size in range(1, n + 1):
                for chosen in combinations(range(n), size):
                    q_sum, d_sum = sum(q[j] for j in chosen), sum(d[j] for j in chosen)
                    best = max(best, (mpf(q_sum) * excess + 1) / (mpf(d_sum) * excess + 1) - 1)
        return mp.log1p(best)


def assert_encloses(enclosure, value, digits):
    """Assert that the enclosure holds the mpf and is no wider than `Level.enclosure` promises."""
    lower, upper = Fraction(enclosure.lower), Fraction(enclosure.upper)
    truth = fraction(value)
    slack = abs(truth) / Fraction(10) ** (digits + GUARD // 2)
    assert lower - slack <= truth <= upper + slack
    width = upper - lower
    unit = Fraction(10) ** (Decimal(enclosure.upper).adjusted() + 1 - digits)
    if width > unit:
        # Two units only where the value is next to a decimal of that length, which then is the middle one.
        assert width == 2 * unit
        assert abs(truth - (lower + upper) / 2) < unit / 10**5
    for bound in (enclosure.lower, enclosure.upper):
        assert len(bound.as_tuple().digits) <= digits or bound.as_tuple().exponent >= 0


def precision(digits):
    """Work in mpmath with this many digits and a guard beyond them."""
    return mpmath.workdps(digits + GUARD)
