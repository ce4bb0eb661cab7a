"""An independent recomputation: the paper's formulas in mpmath, at a precision far above that of the answer under test.

No function here loses digits to cancellation, however small its value: what may be nearly equal is subtracted exactly.
"""

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
        term = mpf(value.b) * mp.sqrt(value.radicand)
        if value.a * value.b < 0:  # a + b√D = (a² − b²·D)/(a − b√D)
            return mpf(value.a**2 - value.b**2 * value.radicand) / (mpf(value.a) - term)
        return mpf(value.a) + term
    return mp.mpf(value.numerator) / value.denominator


def fraction(value):
    """Return the exact value of an mpf."""
    sign, mantissa, exponent, _ = value._mpf_
    scaled = Fraction(int(mantissa)) * (Fraction(2) ** exponent)
    return -scaled if sign else scaled


def alpha_of(level):
    """Return a level's value in nats from its data: a rational number, or the logarithm of an exact ratio."""
    return mp.log1p(mpf(level.ratio - 1)) if level.rational is None else mpf(level.rational)


def excess_of(level):
    """Return a level's excess e^α − 1 from its data."""
    return mpf(level.ratio - 1) if level.rational is None else mp.expm1(mpf(level.rational))


def loss(matrix, alpha):
    """Return L(alpha) by trying all subsets of all pairs of rows, Eq. [eq:lfp], in mpmath."""
    excess = mp.expm1(alpha)
    best = mp.mpf(0)
    n = matrix.n
    for q, d in permutations(matrix.rows, 2):
        for size in range(1, n + 1):
            for chosen in combinations(range(n), size):
                best = max(best, loss_of_sums(sum(q[j] for j in chosen), sum(d[j] for j in chosen), excess))
    return mp.log1p(best)


def loss_of_sums(q, d, excess):
    """Return the excess of log (qE + 1)/(dE + 1) for exact sums q and d."""
    return mpf(q - d) * excess / (mpf(d) * excess + 1)


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


def settled(compute, digits, *matrices):
    """Return the numbers that `compute` gives, in mpmath, with a relative error far below the digits asked for.

    Where a difference cannot be taken exactly nothing tells beforehand how many digits it costs: the precision begins
    where every entry of the matrices is told from its neighbours, and is doubled until that changes nothing any more.
    None among the numbers stands for itself.
    """
    entries = [entry for matrix in matrices for row in matrix.rows for entry in row]
    dps = digits + GUARD + max((len(str(entry.denominator)) for entry in entries), default=0)
    with mp.workdps(dps):
        found = compute()
    while True:
        dps *= 2
        with mp.workdps(dps):
            before, found = found, compute()
            if all(_agree(*pair, digits) for pair in zip(before, found, strict=True)):
                return found


def _agree(one, other, digits):
    if one is None or other is None:
        return one is other
    return abs(one - other) <= abs(other) / mp.mpf(10) ** (digits + GUARD // 2)
