"""The whole loss function: its pieces, and its properties."""

from fractions import Fraction
from itertools import pairwise, permutations

from hypothesis import given

from tploracle.reference import INFINITE, ZERO, Level, TransitionMatrix, loss_function, strongest

from ...matrices import PAPER_L
from ...strategies import matrices


def test_the_example_by_hand():
    """Rows 1 over 3 give the point (q, d) = (7, 2)/10, rows 3 over 1 the points (5, 1)/10 and (8, 3)/10.

    q − d = 1/2 twice, and there the smaller d is the greater. (7, 2)/10 meets (5, 1)/10 at
    E = (q' + d − q − d')/(q d' − q' d) = (5 + 2 − 7 − 1)/(7·1 − 5·2)·10 = 10/3.
    """
    loss = loss_function(PAPER_L)
    first, second = loss.pieces
    assert (first.q, first.d, first.start, first.stop) == (Fraction(7, 10), Fraction(1, 5), 0, Fraction(10, 3))
    assert (second.q, second.d, second.start, second.stop) == (Fraction(1, 2), Fraction(1, 10), Fraction(10, 3), None)
    assert (first.witness.row_q, first.witness.row_d, first.witness.indices) == (0, 2, (2,))
    assert (second.witness.row_q, second.witness.row_d, second.witness.indices) == (2, 0, (0,))
    assert [level.exact_text for level in (*first.domain, *second.domain)] == ["0", "log(13/3)", "log(13/3)", "inf"]
    assert loss.slope_at_zero == Fraction(1, 2)
    assert loss.at_infinity.exact_text == "log(5)"
    assert not loss.is_zero
    assert not loss.is_identity
    # (7/10·10/3 + 1)/(2/10·10/3 + 1) = 2, and (1/2·10/3 + 1)/(1/10·10/3 + 1) = 2
    assert loss(Level.of_ratio(Fraction(13, 3))).ratio == 2
    assert loss.piece_at(Level.of_ratio(Fraction(13, 3))) == first
    assert loss.piece_at(Level.of_ratio(Fraction(13, 3) + Fraction(1, 10**30))) == second
    assert loss.coefficients == ((first.q, first.d, first.start), (second.q, second.d, second.start))


def inside(piece):
    """Return excesses strictly inside the interval of a piece."""
    if piece.stop is None:
        return [piece.start + Fraction(1, 10**9), piece.start * 2 + 1, piece.start * 10**30 + 10**30]
    width = piece.stop - piece.start
    return [piece.start + width * share for share in (Fraction(1, 10**9), Fraction(1, 2), 1 - Fraction(1, 10**9))]


@given(matrices(2))
def test_pieces_cover_the_domain_and_are_true(matrix):
    pieces = loss_function(matrix).pieces
    assert pieces[0].start == 0
    assert pieces[-1].stop is None
    for left, right in pairwise(pieces):
        assert left.stop == right.start > left.start
        assert (left.q, left.d) != (right.q, right.d)
        at = Level.of_ratio(1 + left.stop)
        assert at.linear_fractional(left.q, left.d) == at.linear_fractional(right.q, right.d)
        # Only there, and each is below the other on the other's side.
        for excess in inside(left):
            alpha = Level.of_ratio(1 + excess)
            assert alpha.linear_fractional(left.q, left.d) > alpha.linear_fractional(right.q, right.d)
    # Steeper viewpoints see points further to the left: d falls strictly, and q with it.
    assert [p.d for p in pieces] == sorted({p.d for p in pieces}, reverse=True)


def total_variation(first, second):
    return sum(abs(a - b) for a, b in zip(first, second, strict=True)) / 2


@given(matrices())
def test_slope_at_zero_is_dobrushins_coefficient(matrix):
    dobrushin = max((total_variation(a, b) for a, b in permutations(matrix.rows, 2)), default=0)
    loss = loss_function(matrix)
    assert loss.slope_at_zero == dobrushin
    # And it is the slope: L(α)/α as α → 0, (e^L − 1)/E = (q − d)/(dE + 1).
    tiny = Fraction(1, 10**100)
    value = loss(Level.of_ratio(1 + tiny)).ratio - 1
    assert abs(value / tiny - dobrushin) <= tiny * 2


@given(matrices())
def test_limit_at_infinity(matrix):
    quotients = [(a, b) for q, d in permutations(matrix.rows, 2) for a, b in zip(q, d, strict=True) if a]
    limit = loss_function(matrix).at_infinity
    if any(b == 0 for _, b in quotients):
        assert limit == INFINITE
    else:
        assert limit.ratio == max((a / b for a, b in quotients), default=1)
        # Approached from below, and never passed.
        assert loss_function(matrix)(Level.of_ratio(10**300)) <= limit


def test_extremes():
    identity = loss_function(strongest(3))
    assert [(p.q, p.d, p.start, p.stop) for p in identity.pieces] == [(1, 0, 0, None)]
    assert identity.is_identity
    zero = loss_function(TransitionMatrix.of([["1/2", "1/2"]] * 2))
    assert [(p.q, p.d, p.start, p.stop, p.witness) for p in zero.pieces] == [(0, 0, 0, None, None)]
    assert zero.is_zero
    assert zero.at_infinity == ZERO
    assert loss_function(strongest(1)).is_zero
    # Disjoint supports without a 1 anywhere: the identity too, where Theorem 7 asks for a 1 against a 0.
    spread = TransitionMatrix.of([["1/2", "1/2", "0", "0"], ["0", "0", "1/3", "2/3"], ["1/4"] * 4, ["1/4"] * 4])
    assert loss_function(spread).is_identity


def test_progress_is_told_row_by_row():
    seen = []
    loss_function(PAPER_L, lambda done, total: seen.append((done, total)))
    assert seen == [(0, 3), (1, 3), (2, 3)]
    seen.clear()
    loss_function(strongest(4), lambda done, total: seen.append((done, total)))
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4)]
