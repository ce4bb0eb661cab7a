"""What the tests of the judge share: truths by mpmath at 60 digits, doubles around them, and answers put to a judge."""

from fractions import Fraction
from math import inf, nextafter

import mpmath
from mpmath import mp

from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import DEFAULT_ULPS, Case, Reply

HALF, ONE = "0x1p-1", "0x1p+0"

MODERATE = [["0x1.8p-1", "0x1p-2"], ["0x0p+0", "0x1p+0"]]
"""0.75, 0.25 against 0, 1: L(α) = log(0.75·(e^α − 1) + 1), as that of columns 2, (E + 1)/(E/4 + 1), is below it."""

MIXED = [["0x1.8p-1", "0x1p-2"], ["0x1p-2", "0x1.8p-1"]]
"""0.75, 0.25 and the reverse: L(α) = log((0.75·E + 1)/(0.25·E + 1)), at ∞ log 3."""

EQUAL = [["0x1p-1", "0x1p-1"]] * 2
"""Equal rows: L ≡ 0."""

IDENTITY = [["0x1p+0", "0x0p+0"], ["0x0p+0", "0x1p+0"]]


def moderate(alpha):
    """L of MODERATE, in mpmath."""
    return mp.log(mp.mpf(3) / 4 * mp.expm1(alpha) + 1)


def mixed(alpha):
    """L of MIXED, in mpmath."""
    return mp.log((3 * mp.expm1(alpha) + 4) / (mp.expm1(alpha) + 4))


def supremum_of_moderate(epsilon):
    """The root of E = 0.75·e^ε·E + e^ε − 1, where there is one."""
    return mp.log1p(mp.expm1(epsilon) / (1 - mp.mpf(3) / 4 * mp.exp(epsilon)))


def around(truth):
    """Return the doubles next below and next above an mpmath number that is no double."""
    nearest = float(truth)
    below = nearest if mpmath.mpf(nearest) < truth else nextafter(nearest, -inf)
    above = nextafter(below, inf)
    assert mpmath.mpf(below) < truth < mpmath.mpf(above)
    return below, above


def steps(value, count):
    """Return the double so many steps above a double, below it for a negative count."""
    for _ in range(abs(count)):
        value = nextafter(value, inf if count > 0 else -inf)
    return value


def rationals_around(truth, digits):
    """Return rationals just below and just above an mpmath number, a unit of the last of so many digits apart."""
    assert mp.dps > digits
    scale = Fraction(10) ** (digits - 1 - int(mp.floor(mp.log10(truth))))
    floor = int(mp.floor(truth * scale.numerator / scale.denominator))
    return str(floor / scale), str((floor + 1) / scale)


def judged(op, value, numbers="float64", ulps=DEFAULT_ULPS, expected=None, **given):
    """Return the judgement on a value answered to a query."""
    return Judge(ulps).judge(Case("case", op, numbers, given, expected), Reply({"seq": 1, "value": value}))


def judged_error(op, name, message="", numbers="float64", expected=None, **given):
    """Return the judgement on an error answered to a query."""
    error = {"name": name, "message": message}
    return Judge().judge(Case("case", op, numbers, given, expected), Reply({"seq": 1, "error": error}))


def failures(implementation, cases):
    """Yield the cases that an implementation fails."""
    judge = Judge()
    return (case for case in cases if judge.judge(case, implementation.ask(case.request(1))).verdict.fails)


def assert_said(judgement, verdict, *ulps, **more):
    """Assert what is said of an answer: the verdict, the ulps where they are given, and whatever else by its name."""
    found = (judgement.verdict, *[judgement.ulps] * len(ulps), *(getattr(judgement, name) for name in more))
    assert found == (verdict, *ulps, *more.values())
