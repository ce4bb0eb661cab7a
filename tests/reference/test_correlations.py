"""Transition matrices: validation by name and place, Bayes, the stationary distribution, smoothing."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import example, given

from tploracle.reference import (
    InvalidNumber,
    InvalidRequest,
    NegativeProbability,
    NotSquare,
    NotStochastic,
    NotUnique,
    TransitionMatrix,
    divided_by_row_sums,
    exact_row,
    exact_rows,
    reverse,
    smooth,
    stationary,
    strongest,
)

from ..strategies import matrices

HALF = Fraction(1, 2)
TINY = Fraction(1, 10**19)


@pytest.mark.parametrize(
    ("entries", "error", "words"),
    [
        ([], NotSquare, ["empty"]),
        ([["1/2", "1/2"]], NotSquare, ["row 1", "2 entries", "1 rows"]),
        ([["1"], ["1"]], NotSquare, ["row 1", "1 entries", "2 rows"]),
        ([["1", "0"], ["1"]], NotSquare, ["row 2", "1 entries"]),
        ([[]], NotSquare, ["row 1", "0 entries"]),
        ([["0.5", "0.5"], ["0.5", "0.5" + "0" * 49 + "1"]], NotStochastic, ["row 2 sums to 1 + 1E-51, not to 1"]),
        ([["0.4" + "9" * 49, "0.5"], ["0", "1"]], NotStochastic, ["row 1 sums to 1 - 1E-50, not to 1"]),
        ([["0", "2" + "0" * 41], ["0", "1"]], NotStochastic, ["row 1 sums to 1 + 2.00E+41, not to 1"]),
        # 19 and 20 digits and the stroke are shown; one more is not.
        (
            [[9999999999999999999 * TINY, 0], [0, 1]],
            NotStochastic,
            ["sums to 9999999999999999999/10000000000000000000,"],
        ),
        ([[10000000000000000001 * TINY, 0], [0, 1]], NotStochastic, ["sums to 1 + 1E-19,"]),
        ([["1/2", "1/2"], ["3/2", "-1/2"]], NegativeProbability, ["row 2", "column 2", "-1/2"]),
        ([["-1e-30", "1"], ["0", "1"]], NegativeProbability, ["row 1", "column 1"]),
        ([["0.5", "0.5"], ["0.3", "0.6"]], NotStochastic, ["row 2", "9/10"]),
        ([["0.5", "0.6"], ["0.3", "0.7"]], NotStochastic, ["row 1", "11/10"]),
        ([["0", "0"], ["0", "1"]], NotStochastic, ["row 1", "sums to 0"]),
        ([["1e400"]], NotStochastic, ["row 1"]),
        ([["1/3", "1/3", "1/3"], ["0", "1", "0"], ["1/3", "1/3", "0.3333333333333333"]], NotStochastic, ["row 3"]),
        ([["1", "0"], ["0", "x"]], InvalidNumber, ["row 2, column 2: 'x' is not a number: write"]),
        ([["1", "0"], ["1/0", "1"]], InvalidNumber, ["row 2", "column 1"]),
        ([[1, 0], [0.5, 0.5]], InvalidNumber, ["row 2", "column 1", "0.5"]),
        ([[1, 0], [0, 1.0]], InvalidNumber, ["row 2", "column 2"]),
        ([[1, 0], [float("nan"), 1]], InvalidNumber, ["row 2", "column 1", "nan"]),
        ([[True, False], [0, 1]], InvalidNumber, ["row 1", "column 1", "True"]),
        ([[None, 1], [0, 1]], InvalidNumber, ["row 1", "column 1", "None"]),
        ([["inf", "0"], ["0", "1"]], InvalidNumber, ["row 1", "column 1"]),
        ([["log(2)", "0"], ["0", "1"]], InvalidNumber, ["row 1", "column 1"]),
    ],
)
def test_errors_name_the_row_the_column_and_the_sum(entries, error, words):
    with pytest.raises(error) as caught:
        TransitionMatrix.of(entries)
    assert caught.value.name == error.__name__
    for word in words:
        assert word in str(caught.value)


def test_a_matrix_is_built_of_fractions_alone():
    with pytest.raises(InvalidNumber, match=r"^row 2, column 1: 0\.0 is not a Fraction"):
        TransitionMatrix(((HALF, HALF), (0.0, Fraction(1))))


def test_entries_are_exact():
    matrix = TransitionMatrix.of([["0.1", "9e-1"], [Fraction(1, 3), "2/3"]])
    assert matrix.rows == ((Fraction(1, 10), Fraction(9, 10)), (Fraction(1, 3), Fraction(2, 3)))
    assert matrix.n == 2
    assert matrix.texts() == [["1/10", "9/10"], ["1/3", "2/3"]]
    assert TransitionMatrix.of([[1]]).n == 1


@given(matrices())
def test_texts_read_back(matrix):
    assert TransitionMatrix.of(matrix.texts()) == matrix


def test_exact_row_says_the_place():
    assert exact_row(["1/2", 3, HALF], "entry") == (HALF, 3, HALF)
    with pytest.raises(InvalidNumber, match="entry 2"):
        exact_row(["1/2", "two"], "entry")
    assert exact_rows([["1"], [2, "3"]]) == ((1,), (2, 3))


@pytest.mark.parametrize("miss", [Fraction(1, 10**6), -Fraction(1, 10**6), Fraction(3, 2**52), -Fraction(3, 2**52)])
def test_rows_further_from_one_than_rounding_are_refused(miss):
    # Two entries may miss by 2·2^-52.
    with pytest.raises(NotStochastic, match="row 2"):
        divided_by_row_sums(((HALF, HALF), (HALF, HALF + miss)))


@pytest.mark.parametrize("miss", [Fraction(2, 2**52), -Fraction(2, 2**52), Fraction(1, 2**60)])
def test_rows_as_far_from_one_as_rounding_are_divided(miss):
    matrix, changed = divided_by_row_sums(((HALF, HALF), (HALF, HALF + miss)))
    assert changed == (1,)
    assert matrix.rows[1] == (HALF / (1 + miss), (HALF + miss) / (1 + miss))


def test_doubles_are_still_validated():
    with pytest.raises(NegativeProbability, match="row 1, column 1"):
        divided_by_row_sums(((-HALF, HALF + 1), (HALF, HALF)))
    with pytest.raises(NotSquare):
        divided_by_row_sums(((HALF, HALF),))


@pytest.mark.parametrize(
    ("initial", "error"),
    [
        ((HALF,), InvalidRequest),
        ((HALF, HALF, Fraction(0)), InvalidRequest),
        ((HALF, Fraction(1, 3)), NotStochastic),
        ((Fraction(3, 2), -HALF), NegativeProbability),
    ],
)
def test_an_initial_distribution_that_is_none(initial, error):
    with pytest.raises(error, match="initial distribution"):
        reverse(strongest(2), initial)


def closed_classes(matrix):
    """Count the closed communicating classes by reachability: states whose every successor leads back."""
    n = matrix.n
    reach = [{j} for j in range(n)]
    for _ in range(n):
        for j in range(n):
            for k in range(n):
                if matrix.rows[j][k]:
                    reach[j] |= reach[k]
    return len({frozenset(reach[j]) for j in range(n) if all(j in reach[k] for k in reach[j])})


@given(matrices())
@example(strongest(2))
@example(TransitionMatrix.of([["0", "1", "0"], ["0", "0", "1"], ["0", "1", "0"]]))
def test_stationary_distribution_is_unique_iff_one_class_is_closed(matrix):
    closed = closed_classes(matrix)
    if closed > 1:
        with pytest.raises(NotUnique, match=f"{closed} closed classes"):
            stationary(matrix)
        return
    pi = stationary(matrix)
    assert sum(pi) == 1
    assert min(pi) >= 0
    n = matrix.n
    assert tuple(sum(pi[j] * matrix.rows[j][k] for j in range(n)) for k in range(n)) == pi


def test_smoothing_by_less_than_nothing():
    with pytest.raises(InvalidRequest, match="-1/2"):
        smooth(strongest(2), -HALF)
    assert smooth(strongest(2), Fraction(0)) == strongest(2)


def test_the_strongest_correlation_is_the_identity():
    assert strongest(1).rows == ((1,),)
    assert strongest(3).rows == ((1, 0, 0), (0, 1, 0), (0, 0, 1))


@pytest.mark.parametrize("most", [9, 10**9, 2**53 + 1, 10**30, 10**400])
def test_doubles_are_the_nearest_ones_and_cannot_be_changed(most):
    random = Random(most)
    weights = [[random.randint(0, most) for _ in range(9)] for _ in range(9)]
    matrix = TransitionMatrix.of([[Fraction(own + 1, sum(row) + 9) for own in row] for row in weights])
    assert matrix.doubles.tolist() == [[float(entry) for entry in row] for row in matrix.rows]
    assert matrix.doubles is matrix.doubles
    assert matrix == TransitionMatrix(matrix.rows)
    with pytest.raises(ValueError, match="read-only"):
        matrix.doubles[0, 0] = 1
