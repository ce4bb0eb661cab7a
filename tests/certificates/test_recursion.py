"""The makers of certificates: what they make of any instance is accepted, true, and says what the reference says."""

import json
from fractions import Fraction

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.certificates.checker import check
from tploracle.certificates.recursion import (
    leakage_certificate,
    lfp_optimum_certificate,
    loss_certificate,
    loss_function_certificate,
)
from tploracle.reference import (
    INFINITE,
    ZERO,
    Adversary,
    InvalidRequest,
    Level,
    TransitionMatrix,
    leakage,
    loss_function,
    parse_level,
    strongest,
)

from ..strategies import everyday_levels, matrices, of_one_size
from .documents import MODERATE, SCHEMA, checked
from .truth import is_true


def decimals(level, digits):
    ends = level.enclosure(digits)
    return {
        name: "inf" if end.is_infinite() else str(end) for name, end in (("lower", ends.lower), ("upper", ends.upper))
    }


@given(matrices(max_n=5), everyday_levels(), st.integers(1, 40))
@example(strongest(2), parse_level("1/10"), 17)
def test_loss(matrix, alpha, digits):
    loss = loss_function(matrix)
    document = checked(loss_certificate(matrix, alpha, loss.piece_at(alpha).witness, loss(alpha), digits))
    assert document["level"] == decimals(loss(alpha), digits)
    lower, upper = (parse_level(document["loss"][end]) for end in ("lower", "upper"))
    assert lower <= loss(alpha) <= upper
    if alpha.is_infinite or isinstance(alpha.ratio, Fraction):
        assert lower == upper


@given(matrices(min_n=2, max_n=5), everyday_levels(), st.integers(1, 40), st.data())
def test_lfp_optimum(matrix, alpha, digits, data):
    row_q, row_d = data.draw(st.permutations(range(matrix.n)))[:2]
    document = checked(lfp_optimum_certificate(matrix, row_q, row_d, alpha, digits))
    assert (document["dual"] is not None) == isinstance(alpha.ratio, Fraction)


@given(matrices(max_n=5))
def test_loss_function(matrix):
    loss = loss_function(matrix)
    document = checked(loss_function_certificate(loss))
    assert [(Fraction(piece["q"]), Fraction(piece["d"])) for piece in document["pieces"]] == [
        (piece.q, piece.d) for piece in loss.pieces
    ]


ALMOST_UNRELATED = TransitionMatrix.of([[1, 0, 0], [1, 0, 0], [1 - Fraction(1, 10**30), Fraction(1, 10**30), 0]])
"""Its loss is about 10^−31, so that a leakage lies closer to a decimal than the digits asked for can tell."""


@given(
    st.lists(everyday_levels(), min_size=1, max_size=5),
    st.none() | matrices(max_n=4),
    st.none() | matrices(max_n=4),
    st.integers(1, 30),
)
@example([parse_level("1/10")] * 3, strongest(2), None, 17)
@example([INFINITE, ZERO, parse_level("log(2)")], MODERATE, MODERATE, 17)
@example([parse_level("1/10")] * 2, None, ALMOST_UNRELATED, 12)
def test_leakage(epsilons, backward, forward, digits):
    adversary = Adversary.knowing(*of_one_size(backward, forward))
    document = checked(leakage_certificate(epsilons, adversary, digits))
    found = leakage(epsilons, adversary)
    assert [step["level"] for step in document["bpl"]] == [decimals(level, digits) for level in found.bpl]
    assert [step["level"] for step in document["fpl"]] == [decimals(level, digits) for level in found.fpl]
    assert document["tpl"] == [decimals(level, digits) for level in found.tpl]


@given(matrices(max_n=3), everyday_levels())
def test_what_is_made_is_true(matrix, alpha):
    loss = loss_function(matrix)
    assert is_true(loss_certificate(matrix, alpha, loss.piece_at(alpha).witness, loss(alpha)))
    assert is_true(loss_function_certificate(loss))
    assert is_true(leakage_certificate([alpha, Level.of(Fraction(1, 10))], Adversary(loss, loss), 9))


@pytest.mark.parametrize("alpha", ["1e6", "1e-300", "log(1e300)", "log(1000001/1000000)"])
def test_levels_at_the_ends(alpha):
    level = parse_level(alpha)
    for matrix in (MODERATE, strongest(3)):
        loss = loss_function(matrix)
        checked(loss_certificate(matrix, level, loss.piece_at(level).witness, loss(level)))
        checked(leakage_certificate([level], Adversary(loss, loss)))


def test_a_leakage_that_is_rational_though_no_step_says_so():
    """L_B = log(x/(x/2 + 1/2)) and L_F = log(x/2 + 1/2), x = e^α: their sum is α, and the oracle cannot know."""
    backward = TransitionMatrix.of([[1, 0, 0], ["1/2", "1/4", "1/4"], ["1/2", "1/4", "1/4"]])
    forward = TransitionMatrix.of([["1/2", "1/2", 0], [0, "1/2", "1/2"], [0, "1/2", "1/2"]])
    checked(leakage_certificate([parse_level("1/10")] * 3, Adversary.knowing(backward, forward), 5))


def test_long_chains_and_large_matrices_stay_short():
    weights = [[(7 * i * i + 3 * j + i * j) % 23 for j in range(17)] for i in range(17)]
    matrix = TransitionMatrix(tuple(tuple(Fraction(w, sum(row)) for w in row) for row in weights))
    adversary = Adversary.knowing(matrix, matrix)
    for epsilon in ("1/10", "log(11/10)"):
        text = json.dumps(leakage_certificate([parse_level(epsilon)] * 50, adversary))
        assert len(text) < 100_000
        assert check(text) == "leakage"


def test_rows_of_thousands_of_bits():
    tiny = Fraction(1, 10**300)
    matrix = TransitionMatrix(((tiny, 1 - tiny), (Fraction(1, 3**900), 1 - Fraction(1, 3**900))))
    loss = loss_function(matrix)
    checked(loss_function_certificate(loss))
    for alpha in ("1/10", "log(2)", "700", "inf"):
        level = parse_level(alpha)
        checked(loss_certificate(matrix, level, loss.piece_at(level).witness, loss(level)))


@pytest.mark.parametrize("digits", [0, 1001])
def test_digits_beyond_the_limits_are_refused(digits):
    with pytest.raises(InvalidRequest):
        leakage_certificate([ZERO], Adversary(), digits)


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA.schema)
