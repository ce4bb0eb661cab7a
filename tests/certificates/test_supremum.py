"""The makers of certificates about suprema: what they make of any instance is accepted, true, and as tight as asked."""

import json
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.certificates.supremum import bounded_below_certificate, bounded_certificate, divergent_certificate
from tploracle.reference import (
    INFINITE,
    ZERO,
    InvalidRequest,
    Level,
    TransitionMatrix,
    Undecided,
    loss_function,
    parse_level,
    strongest,
    supremum,
)

from .. import in_mpmath
from ..matrices import CYCLE
from ..strategies import everyday_levels, matrices
from .documents import HALF, MODERATE, PAPER_L, SURD, THREE, UNCORRELATED, checked
from .truth import is_true

PART = Fraction(1, 10**12)
ALMOST_EQUAL = TransitionMatrix(
    ((Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 3) + Fraction(1, 10**300), Fraction(2, 3) - Fraction(1, 10**300)))
)
ALMOST_CERTAIN = TransitionMatrix(tuple((1 - Fraction(1, 10**places), Fraction(1, 10**places)) for places in (15, 30)))
NEXT_TO_A_DECIMAL = TransitionMatrix(
    ((Fraction(1, 2), Fraction(1, 2)), (1 - 1 / Fraction(10**12 + 2), 1 / Fraction(10**12 + 2)))
)
"""With e^ε = 1 + 10^−20 the supremum is 1.999999999996·10^−20."""
NEARLY_CERTAIN = TransitionMatrix(((Fraction(1), Fraction(0)), (Fraction(1, 10**75), 1 - Fraction(1, 10**75))))
SMALL = TransitionMatrix.of([["0.5", "0.5"], ["1e-17", "0.99999999999999999"]])


def bounds(loss, epsilon, digits=17):
    """Return the certificates of both bounds where there is a supremum, or the one that there is none; all checked."""
    if supremum(loss, epsilon).level.is_infinite:
        for make in (bounded_certificate, bounded_below_certificate):
            with pytest.raises(InvalidRequest, match="infinite"):
                make(loss, epsilon, digits)
        return [checked(divergent_certificate(loss, epsilon, digits))]
    with pytest.raises(InvalidRequest, match="finite"):
        divergent_certificate(loss, epsilon, digits)
    return [checked(make(loss, epsilon, digits)) for make in (bounded_certificate, bounded_below_certificate)]


def assert_as_the_reference_says(documents, loss, epsilon, digits=17):
    level = supremum(loss, epsilon).level
    if level.is_infinite:
        (document,) = documents
        assert document["certificate"] == "divergent"
        return
    above, below = documents
    ends, claimed = level.enclosure(digits), (below["level"], above["level"])
    if claimed != (str(ends.lower), str(ends.upper)):
        # Next to a decimal an enclosure is two units wide unless more digits are known, as in a certificate.
        lower, upper = Fraction(ends.lower), Fraction(ends.upper)
        assert upper - lower == 2 * Fraction(10) ** (ends.upper.adjusted() + 1 - digits)
        middle = (lower + upper) / 2
        assert tuple(map(Fraction, claimed)) in {(lower, middle), (middle, upper)}
    assert parse_level(below["bound"]) <= level <= parse_level(above["bound"])
    if level.rational is not None or isinstance(level.ratio, Fraction):
        assert below["bound"] == above["bound"] == level.full_text()


@given(matrices(max_n=4), everyday_levels(), st.integers(1, 40))
@example(MODERATE, parse_level("log(5/4)"), 17)
@example(SMALL, parse_level("1/10"), 17)
@example(ALMOST_EQUAL, parse_level("1/10"), 17)
@example(CYCLE, parse_level("1e-12"), 17)
@example(CYCLE, ZERO, 17)
@example(UNCORRELATED, INFINITE, 17)
@example(PAPER_L, INFINITE, 17)
@example(PAPER_L, parse_level("400"), 1000)
@example(ALMOST_CERTAIN, parse_level("710"), 1)
@example(NEXT_TO_A_DECIMAL, parse_level("log(1+1e-20)"), 1)
def test_all_kinds(matrix, epsilon, digits):
    loss = loss_function(matrix)
    documents = bounds(loss, epsilon, digits)
    assert_as_the_reference_says(documents, loss, epsilon, digits)
    assert all(is_true(document) for document in documents)


def boundary(q, part, rational):
    """Return the budget log(1/q), moved by a part of it: as a rational level, or as one of a rational ratio."""
    if rational:
        with mp.workdps(60):
            return Level.of(in_mpmath.fraction(mp.log1p(in_mpmath.mpf(1 / q - 1))) * (1 + part))
    return Level.of_ratio(1 / q + (1 / q - 1) * part)


@given(matrices(min_n=2, max_n=4), st.sampled_from([-PART, Fraction(0), PART]), st.booleans())
@example(HALF, -PART, True)
@example(HALF, PART, True)
@example(THREE, -PART, True)
@example(NEARLY_CERTAIN, PART, True)
def test_next_to_the_boundary(matrix, part, rational):
    loss = loss_function(matrix)
    last = loss.pieces[-1]
    epsilon = boundary(last.q, part, rational and part != 0) if last.d == 0 < last.q < 1 else parse_level("1/10")
    documents = bounds(loss, epsilon)
    if last.d == 0 < last.q < 1:
        assert (len(documents) == 1) == (part >= 0)
    assert_as_the_reference_says(documents, loss, epsilon)
    assert all(is_true(document) for document in documents)


@pytest.mark.parametrize("exponent", [100, 300])
@pytest.mark.parametrize("sign", [-1, 1])
def test_much_nearer_to_the_boundary(exponent, sign):
    """A slope of 1 − 10^−300 needs more digits than were asked for; they are found."""
    with mp.workdps(exponent + 50):
        at = in_mpmath.fraction(mp.log(2))
    loss, epsilon = loss_function(HALF), Level.of(at * (1 + sign * Fraction(1, 10**exponent)))
    documents = bounds(loss, epsilon)
    assert_as_the_reference_says(documents, loss, epsilon)
    assert all(document["digits"] > 17 for document in documents)
    assert len(json.dumps(documents)) < 10_000


@pytest.mark.parametrize("sign", [-1, 1])
def test_too_near_to_the_boundary_is_undecided(sign):
    with mp.workdps(3100):
        at = in_mpmath.fraction(mp.log(2))
    loss, epsilon = loss_function(HALF), Level.of(at * (1 + sign * Fraction(1, 10**3000)))
    for make in [bounded_certificate, bounded_below_certificate] if sign < 0 else [divergent_certificate]:
        with pytest.raises(Undecided):
            make(loss, epsilon)


def test_cancellation_does_not_show():
    """The quadratic's naive solution in doubles gives 0.1909 here."""
    above, below = bounds(loss_function(SMALL), parse_level("1/10"), 10)
    assert (below["level"], above["level"]) == ("0.2111225488", "0.2111225489")


@pytest.mark.parametrize("epsilon", ["1/10", "log(9/8)", SURD, "1e-300", "1e5", "log(1e300)"])
def test_levels_and_digits_at_the_ends(epsilon):
    level = parse_level(epsilon)
    for matrix in (MODERATE, PAPER_L, strongest(3), UNCORRELATED):
        loss = loss_function(matrix)
        for digits in (1, 1000):
            assert_as_the_reference_says(bounds(loss, level, digits), loss, level, digits)


@pytest.mark.parametrize("digits", [0, 1001])
def test_digits_beyond_the_limits_are_refused(digits):
    for make in (bounded_certificate, bounded_below_certificate, divergent_certificate):
        with pytest.raises(InvalidRequest, match="digits"):
            make(loss_function(MODERATE), ZERO, digits)


def test_large_matrices():
    weights = [[(7 * i * i + 3 * j + i * j) % 23 for j in range(50)] for i in range(50)]
    loss = loss_function(TransitionMatrix(tuple(tuple(Fraction(w, sum(row)) for w in row) for row in weights)))
    for epsilon in ("1/10", "log(11/10)", "5"):
        documents = bounds(loss, parse_level(epsilon))
        assert_as_the_reference_says(documents, loss, parse_level(epsilon))
        assert len(json.dumps(documents)) < 100_000
