"""The loss function by Algorithms 1 to 5 is the one by the hull, and each algorithm has its part in it."""

from fractions import Fraction

import pytest
from hypothesis import example, given

from tploracle.reference import (
    INFINITE,
    ZERO,
    Level,
    TransitionMatrix,
    literal_loss_function,
    loss_function,
    strongest,
)
from tploracle.reference.paper import literal
from tploracle.reference.paper.algorithms_4_5 import SubFunction

from ...matrices import PAPER_L, UNCORRELATED
from ...strategies import levels, matrices

THREE_PIECES = TransitionMatrix.of([["0.5", "0.3", "0.2"], ["0.1", "0.7", "0.2"], ["0.2", "0.8", "0"]])
WORKED = TransitionMatrix.of([["0.2", "0.3", "0.5"], ["0.1", "0", "0.9"], ["0", "0", "1"]])


@given(matrices())
@example(PAPER_L)
@example(WORKED)
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


def test_sub_functions_of_three_pieces():
    """By hand, in tenths: rows 1 and 3 give (7, 2) and (2, 0), rows 1 and 2 give (5, 1).

    (7, 2) and (5, 1) are equal at 10·1/(10 − 7), (5, 1) and (2, 0) at 10·2/2; (7, 2) and (2, 0), which are asked
    first, at 10·3/4, where (5, 1) exceeds them and is cut.
    """
    tenths = [(7, 2, Fraction(10, 3)), (5, 1, Fraction(15, 2)), (5, 1, Fraction(10)), (2, 0, None)]
    assert literal_loss_function(THREE_PIECES).sub_functions == tuple(
        SubFunction(Fraction(q, 10), Fraction(d, 10), end) for q, d, end in tenths
    )


@pytest.mark.parametrize("matrix", [strongest(1), UNCORRELATED])
def test_no_sub_functions_where_nothing_leaks(matrix):
    assert literal_loss_function(matrix).sub_functions == ()


def test_one_sub_function_where_all_leaks():
    assert literal_loss_function(strongest(3)).sub_functions == (SubFunction(Fraction(1), Fraction(0), None),)


@pytest.mark.parametrize("name", ["algorithm_1", "algorithm_3", "algorithm_5"])
def test_an_algorithm_that_differs_is_seen(name, monkeypatch):
    own = literal_loss_function(PAPER_L)
    honest = getattr(literal, name)
    assert own.optimum(Level.of(1)).value(Level.of(1)) == own(Level.of(1))
    monkeypatch.setattr(literal, name, lambda *given: honest(*given) + Level.of(Fraction(1, 10**9)))
    with pytest.raises(ArithmeticError, match="do not agree"):
        own.optimum(Level.of(1))
