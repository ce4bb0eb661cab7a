"""The program of a pair of rows, against enumeration of all subsets."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.reference import INFINITE, ZERO, Level, TransitionMatrix
from tploracle.reference.paper.lfp import (
    Subset,
    candidates,
    greatest,
    is_greater,
    is_optimal,
    row_pairs,
    satisfies_cond1,
    subset,
    transition_point,
)
from tploracle.solvers.linear_programs.enumeration import subsets

from ...strategies import exact_levels, levels, matrices, probabilities, ratio_levels


def test_row_pairs_are_all_ordered_pairs_of_distinct_rows():
    matrix = TransitionMatrix.of([[1, 0, 0]] * 3)
    assert sorted(row_pairs(matrix)) == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]


def test_candidates():
    assert candidates(
        (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))
    ) == [0]


@given(matrices(2), st.data())
def test_subset_sums(matrix, data):
    chosen = data.draw(st.lists(st.integers(0, matrix.n - 1), unique=True))
    made = subset(matrix, 0, 1, chosen)
    assert made.indices == tuple(sorted(chosen))
    assert (made.q, made.d) == (sum(matrix.rows[0][j] for j in chosen), sum(matrix.rows[1][j] for j in chosen))


@given(ratio_levels(), probabilities(), probabilities())
def test_value_is_the_objective(alpha, one, other):
    q, d = max(one, other), min(one, other)
    excess = alpha.ratio - 1
    assert Subset(0, 1, (), q, d).value(alpha).ratio == (q * excess + 1) / (d * excess + 1)


@given(*[probabilities()] * 4)
def test_the_transition_point_is_where_the_inequality_turns(a, b, c, e):
    q_j, d_j, q, d = max(a, b), min(a, b), max(c, e), min(c, e)
    if q_j == d_j:
        return
    excess = transition_point(q_j, d_j, q, d)
    if excess is None:
        assert all(
            satisfies_cond1(q_j, d_j, q, d, level)
            for level in (ZERO, Level.of_ratio(10**200), INFINITE)
            if d_j or not level.is_infinite
        )
        return
    assert excess > 0
    assert q_j * (d * excess + 1) == d_j * (q * excess + 1)
    assert satisfies_cond1(q_j, d_j, q, d, Level.of_ratio(1 + excess * Fraction(999, 1000)))
    assert not satisfies_cond1(q_j, d_j, q, d, Level.of_ratio(1 + excess))
    assert not satisfies_cond1(q_j, d_j, q, d, Level.of_ratio(1 + excess * 2))


def test_a_column_that_one_row_alone_has_is_in_the_set():
    matrix = TransitionMatrix.of([["1/2", "1/2"], ["1", "0"]])
    assert is_optimal(matrix, subset(matrix, 0, 1, [1]), Level.of_ratio(3))
    assert not is_optimal(matrix, subset(matrix, 0, 1, []), Level.of_ratio(3))


def test_a_column_without_mass_may_be_in_the_set_or_not():
    matrix = TransitionMatrix.of([["2/3", "0", "1/3"], ["1/3", "0", "2/3"], ["0", "1", "0"]])
    for alpha in (ZERO, Level.of_ratio(3), Level.of(1), INFINITE):
        assert is_optimal(matrix, subset(matrix, 0, 1, [0]), alpha)
        assert is_optimal(matrix, subset(matrix, 0, 1, [1, 0]), alpha)
        assert not is_optimal(matrix, subset(matrix, 0, 1, [1, 2]), alpha)
    assert subset(matrix, 0, 1, [2, 0]).indices == (0, 2)


@given(levels())
def test_optimality_has_an_exact_edge(alpha):
    # q = (2/5, 3/10, 3/10), d = (1/5, 1/4, 11/20): candidate 1 leaves {0, 1} at E = (q_1 − d_1)/(q d_1 − d q_1)
    # = (1/20)/(7/10·1/4 − 9/20·3/10) = (1/20)/(1/25) = 5/4.
    matrix = TransitionMatrix.of([["2/5", "3/10", "3/10"], ["1/5", "1/4", "11/20"], ["0", "0", "1"]])
    both, alone = subset(matrix, 0, 1, [0, 1]), subset(matrix, 0, 1, [0])
    before = alpha < Level.of_ratio(Fraction(9, 4))
    assert is_optimal(matrix, both, alpha) == before
    assert is_optimal(matrix, alone, alpha) == (not before)
    at_the_edge = Level.of_ratio(Fraction(9, 4))
    assert is_optimal(matrix, alone, at_the_edge)
    assert not is_optimal(matrix, both, at_the_edge)
    assert both.value(at_the_edge) == alone.value(at_the_edge)


@given(*[probabilities()] * 4, exact_levels())
def test_is_greater_compares_the_values(a, b, c, e, alpha):
    first, second = Subset(0, 1, (), max(a, b), min(a, b)), Subset(0, 1, (), max(c, e), min(c, e))
    if alpha.is_infinite:
        # The limits are q/d where d > 0; points with d = 0 < q are infinite, ordered by q as for large E.
        if first.d and second.d:
            assert is_greater(first, second, alpha) == (first.q * second.d > second.q * first.d)
        return
    assert is_greater(first, second, alpha) == (first.value(alpha) > second.value(alpha))


@given(matrices(2, 4), ratio_levels())
def test_greatest_is_the_first_of_the_greatest(matrix, alpha):
    sets = [subset(matrix, 0, 1, chosen) for chosen in subsets(matrix.n)]
    sets = [s for s in sets if s.q >= s.d]
    best = max(s.value(alpha) for s in sets)
    assert greatest(sets, alpha) is next(s for s in sets if s.value(alpha) == best)


def test_every_subset_is_greater_than_none_at_zero():
    larger, smaller = Subset(0, 1, (0,), Fraction(1, 2), Fraction(0)), Subset(0, 1, (), Fraction(0), Fraction(0))
    assert not is_greater(larger, smaller, ZERO)
    with pytest.raises(IndexError):
        greatest([], ZERO)
