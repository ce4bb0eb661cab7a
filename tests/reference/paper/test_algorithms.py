"""Algorithms 1 to 5 agree with enumeration, with each other and with the loss function by the hull."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import (
    INFINITE,
    ZERO,
    InvalidRequest,
    Level,
    TransitionMatrix,
    algorithm_1,
    algorithm_2,
    algorithm_3,
    algorithm_4,
    algorithm_5,
    literal_loss_function,
    loss_function,
    strongest,
)
from tploracle.reference.paper import literal
from tploracle.reference.paper.algorithm_1 import optimum
from tploracle.solvers.linear_programs.enumeration import enumerated_loss

from ...matrices import PAPER_L, UNCORRELATED
from ...strategies import exact_levels, excesses, levels, matrices

PAPER = TransitionMatrix.of([["0.2", "0.3", "0.5"], ["0.1", "0", "0.9"], ["0", "0", "1"]])


@given(matrices(), exact_levels(), st.one_of(exact_levels(), st.just(ZERO)))
@example(PAPER_L, Level.of_ratio(Fraction(13, 3)), ZERO)
@example(PAPER_L, INFINITE, ZERO)
def test_enumeration_equals_the_algorithms_and_the_loss_function(matrix, alpha, epsilon):
    expected = enumerated_loss(matrix, alpha).level
    assert loss_function(matrix)(alpha) == expected
    assert algorithm_1(matrix, alpha, epsilon) == expected + epsilon
    functions = algorithm_2(matrix)
    assert algorithm_3(functions, alpha, epsilon) == expected + epsilon
    if not alpha.is_infinite and not alpha.is_zero:
        excess = alpha.ratio - 1
        for start, end in ((excess / 1000, excess), (excess, excess), (excess, excess * 7), (excess / 3, excess * 3)):
            assert algorithm_5(algorithm_4(functions, start, end), alpha, epsilon) == expected + epsilon


@given(matrices(), exact_levels())
def test_the_loss_functions_piece_is_attained_in_the_enumeration(matrix, alpha):
    piece = loss_function(matrix).piece_at(alpha)
    if piece.witness is not None:
        triple = (piece.witness.row_q, piece.witness.row_d, piece.witness.indices)
        assert triple in enumerated_loss(matrix, alpha).attained_by


@given(matrices(2), levels())
def test_a_pairs_function_is_the_pairs_optimum(matrix, alpha):
    for function in algorithm_2(matrix):
        found, expected = function.at(alpha), optimum(matrix, function.row_q, function.row_d, alpha)
        assert (found.row_q, found.row_d) == (expected.row_q, expected.row_d)
        if alpha.is_infinite:
            # A column may stay on to the very end; the values agree.
            assert found.value(alpha) == expected.value(alpha)
        else:
            assert found == expected


@given(matrices(), excesses(), excesses())
def test_algorithm_4_is_the_loss_function_on_its_domain(matrix, one, other):
    start, end = min(one, other), max(one, other)
    functions = algorithm_4(algorithm_2(matrix), start, end)
    whole = loss_function(matrix)
    if whole.is_zero:
        assert functions == []
        return
    assert functions[-1].end == end
    inner = [start, *(f.end for f in functions)]
    assert inner == sorted(inner)
    for function, left, right in zip(functions, inner, inner[1:], strict=False):
        for excess in (left, (left + right) / 2, right):
            alpha = Level.of_ratio(1 + excess)
            assert alpha.linear_fractional(function.q, function.d) == whole(alpha)
    # Every true breakpoint strictly inside the domain is an end.
    breaks = [p.stop for p in whole.pieces if p.stop is not None and start < p.stop < end]
    assert set(breaks) <= {f.end for f in functions}


@pytest.mark.parametrize(("start", "end"), [("0", "1"), ("-1", "1"), ("2", "1")])
def test_domains_that_are_none(start, end):
    with pytest.raises(InvalidRequest):
        algorithm_4(algorithm_2(PAPER_L), Fraction(start), Fraction(end))


def test_a_level_beyond_the_domain_is_an_error():
    functions = algorithm_4(algorithm_2(PAPER_L), Fraction(1, 10), Fraction(4))
    assert algorithm_5(functions, Level.of_ratio(5), ZERO) == enumerated_loss(PAPER_L, Level.of_ratio(5)).level
    for beyond in (Level.of_ratio(5 + Fraction(1, 10**50)), INFINITE):
        with pytest.raises(InvalidRequest, match="beyond"):
            algorithm_5(functions, beyond, ZERO)


THREE_PIECES = TransitionMatrix.of([["0.5", "0.3", "0.2"], ["0.1", "0.7", "0.2"], ["0.2", "0.8", "0"]])


@given(matrices())
@example(PAPER_L)
@example(PAPER)
@example(THREE_PIECES)
@example(UNCORRELATED)
@example(strongest(1))
@example(strongest(3))
@example(TransitionMatrix.of([[0, "1/2", "1/2"], ["1/2", 0, "1/2"], ["1/2", "1/2", 0]]))
def test_pieces_and_witnesses_are_those_of_the_hull(matrix):
    own, hull = literal_loss_function(matrix), loss_function(matrix)
    assert own.pieces == hull.pieces
    assert (own.slope_at_zero, own.is_zero, own.is_identity) == (hull.slope_at_zero, hull.is_zero, hull.is_identity)
    assert own.at_infinity == hull.at_infinity


@given(matrices(1, 4), levels())
@example(PAPER_L, INFINITE)
@example(PAPER_L, ZERO)
@example(PAPER_L, Level.of_ratio(Fraction(13, 3)))
@example(PAPER_L, Level.of_ratio(10**60))
@example(UNCORRELATED, INFINITE)
def test_values_are_those_of_the_hull(matrix, alpha):
    own, hull = literal_loss_function(matrix), loss_function(matrix)
    assert own(alpha) == hull(alpha)
    assert own.optimum(alpha) == hull.piece_at(alpha).witness


@pytest.mark.parametrize(
    ("q", "d", "meeting"),
    [
        # With D = 100, (75, 25)/D and (49, 0)/D are equal at D·1/(75·0 − 49·25) without its sign, about 8/D.
        ((49, 26, 25), (0, 25, 75), Fraction(100, 49 * 25)),
        # With D = 101, (67, 34)/D and (2, 1)/D are equal at D·(33 − 1)/(2·34 − 67·1), about D²/3.
        ((2, 65, 34), (1, 33, 67), Fraction(101 * 32)),
        # With D = 101, (100, 1)/D and (1, 0)/D are equal at D·(1 − 99)/(100·0 − 1·1), less than 3·D below D².
        ((1, 99, 1), (0, 1, 100), Fraction(101 * 98)),
    ],
)
def test_breakpoints_near_both_ends_of_the_domain(q, d, meeting):
    matrix = TransitionMatrix.of([[Fraction(entry, sum(row)) for entry in row] for row in (q, d, d)])
    own = literal_loss_function(matrix)
    assert [piece.stop for piece in own.pieces] == [meeting, None]
    assert [each.end for each in own.sub_functions] == [meeting, None]
    assert own.pieces == loss_function(matrix).pieces


@pytest.mark.parametrize("name", ["algorithm_1", "algorithm_3", "algorithm_5"])
def test_an_algorithm_that_differs_is_seen(name, monkeypatch):
    own = literal_loss_function(PAPER_L)
    honest = getattr(literal, name)
    assert own.optimum(Level.of(1)).value(Level.of(1)) == own(Level.of(1))
    monkeypatch.setattr(literal, name, lambda *given: honest(*given) + Level.of(Fraction(1, 10**9)))
    with pytest.raises(ArithmeticError, match="do not agree"):
        own.optimum(Level.of(1))
