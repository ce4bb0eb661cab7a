"""Enumeration itself, on values that a hand can check."""

from fractions import Fraction

import pytest

from tploracle.reference import INFINITE, ZERO, InvalidRequest, Level, TransitionMatrix, strongest
from tploracle.reference.surds import square_root
from tploracle.solvers.linear_programs.enumeration import LARGEST_N, enumerated_loss, subsets

from ...matrices import MODERATE


def test_subsets_are_all_there():
    assert sorted(subsets(2)) == [(), (0,), (0, 1), (1,)]
    assert len(set(subsets(7))) == 128


def test_by_hand():
    # Rows (4/5, 1/5) over (0, 1) with A on column 1: (4/5·2 + 1/5)/1 = 9/5; the other way (1·2)/(4/5 + 1/5·2) = 5/3.
    best = enumerated_loss(MODERATE, Level.of_ratio(2))
    assert best.ratio == Fraction(9, 5)
    assert best.attained_by == ((0, 1, (0,)),)
    assert best.level.exact_text == "log(9/5)"
    unbounded = enumerated_loss(MODERATE, INFINITE)
    assert unbounded.ratio is None
    assert unbounded.level.is_infinite
    assert unbounded.attained_by == ((0, 1, (0,)),)


def test_limits_at_infinity():
    matrix = TransitionMatrix.of([["1/4", "3/4"], ["3/4", "1/4"]])
    best = enumerated_loss(matrix, INFINITE)
    assert best.ratio == 3
    assert set(best.attained_by) == {(0, 1, (1,)), (1, 0, (0,))}


def test_equal_rows_attain_one_with_every_subset():
    best = enumerated_loss(TransitionMatrix.of([["1/2", "1/2"]] * 2), Level.of_ratio(3))
    assert best.ratio == 1
    assert best.level == ZERO
    assert len(best.attained_by) == 2 * 4


def test_one_state_has_no_pair():
    best = enumerated_loss(strongest(1), INFINITE)
    assert best.attained_by == ()
    assert best.level == ZERO


def test_what_enumeration_does_not_take():
    for alpha in (Level.of(1), Level.of_ratio(square_root(Fraction(2)))):
        with pytest.raises(InvalidRequest, match="rational"):
            enumerated_loss(MODERATE, alpha)
    with pytest.raises(InvalidRequest, match="at most"):
        enumerated_loss(strongest(LARGEST_N + 1), ZERO)
