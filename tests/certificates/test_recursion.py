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
from .documents import MODERATE, SCHEMA, THREE, checked
from .truth import is_true


def decimals(level, digits):
    ends = level.enclosure(digits)
    return {
        name: "inf" if end.is_infinite() else str(end) for name, end in (("lower", ends.lower), ("upper", ends.upper))
    }


NEARLY_STRONGEST = TransitionMatrix.of([[1 - Fraction(1, 10**18), Fraction(1, 10**18)], [0, 1]])
"""Its loss at 1/10 is smaller by about 10^−19, so that it lies closer to a decimal than the digits can tell."""


@given(matrices(max_n=5), everyday_levels(), st.integers(1, 40))
@example(strongest(2), parse_level("1/10"), 17)
@example(NEARLY_STRONGEST, parse_level("1/10"), 1)
@example(NEARLY_STRONGEST, parse_level("0.100000000000000001"), 1)
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
    assert [[Fraction(entry) for entry in document[row]] for row in "qd"] == [
        list(matrix.rows[index]) for index in (row_q, row_d)
    ]
    assert parse_level(document["alpha"]) == alpha
    assert (document["dual"] is not None) == isinstance(alpha.ratio, Fraction)


def test_an_lfp_optimum_by_hand():
    """At e^α = 5, x = (5, 1, 1) gives q·x = 3 and d·x = 5/3; q − 9/5 d = (1/5, −4/15, −11/15)."""
    document = checked(lfp_optimum_certificate(THREE, 0, 1, parse_level("log(5)")))
    assert document["subset"] == [1]
    assert document["primal"] == {"t": "3/5", "y": ["3", "3/5", "3/5"]}
    assert document["dual"] == {"lambda": "9/5", "u": ["0", "4/15", "11/15"], "w": ["1/5", "0", "0"]}


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
@example([parse_level("1/10"), parse_level("1/10"), parse_level("log(2)")], NEARLY_STRONGEST, MODERATE, 1)
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


@pytest.mark.parametrize("distance", [Fraction(1, 10**18), Fraction(-1, 10**18), Fraction(1, 10**40)])
@pytest.mark.parametrize(("first", "last", "decimal"), [("1/10", "1/100", 1), ("1/100", "4", 4)])
def test_a_sum_next_to_a_decimal(first, last, decimal, distance):
    """The bounds of one part, BPL or what comes from the future, are much wider than those of the other."""
    loss = loss_function(TransitionMatrix.of([["9/10", "1/10"], [0, 1]]))
    ends = [parse_level(first), parse_level(last)]
    budget = decimal + distance - sum(Fraction(loss(level).enclosure(60).lower) for level in ends)
    document = checked(leakage_certificate([ends[0], Level.of(budget), ends[1]], Adversary(loss, loss), 1))
    lower, upper = (Fraction(document["tpl"][1][end]) for end in ("lower", "upper"))
    if abs(distance) < Fraction(1, 10**30):  # the reference does not tell on which side
        assert lower < decimal < upper
    else:
        assert decimal == (lower if distance > 0 else upper)


def test_bounds_on_both_sides_of_a_breakpoint():
    """At e^α = 49/4, (q, d) = (23/50, 1/5) and (2/25, 0) are equal: above it the first gives too little."""
    loss = loss_function(TransitionMatrix.of([["2/25", "19/50", "27/50"], [0, "1/5", "4/5"], [0, "1/5", "4/5"]]))
    own = parse_level("1")
    at = Fraction(parse_level("log(49/4)").enclosure(60).lower)
    epsilons = [own, Level.of(at - Fraction(loss(own).enclosure(60).lower)), own]
    last = checked(leakage_certificate(epsilons, Adversary(loss), 5))["bpl"][2]
    lower, upper = (parse_level(last["loss"][end]) for end in ("lower", "upper"))
    assert lower <= parse_level("log(19/10)") <= upper


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
    for make in (
        lambda: lfp_optimum_certificate(MODERATE, 0, 1, ZERO, digits),
        lambda: loss_certificate(MODERATE, ZERO, None, ZERO, digits),
        lambda: leakage_certificate([ZERO], Adversary(), digits),
    ):
        with pytest.raises(InvalidRequest):
            make()


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA.schema)
