"""The formulas in doubles: what they are in plain Python, where they are right, and each way in which they fail."""

import math
import sys
from fractions import Fraction
from functools import partial
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.proofs_checks import in_doubles as doubles
from tploracle.proofs_checks.in_doubles import AnswerKind, DoubleAnswer, Endless, attempt, entries_of, pairs_of
from tploracle.proofs_checks.transcriptions import Looping, Watch
from tploracle.proofs_checks.transcriptions import algorithm_1 as printed_algorithm_1
from tploracle.reference import TransitionMatrix
from tploracle.reference import algorithm_2 as exact_algorithm_2

from ..in_mpmath import loss as exact_loss
from ..matrices import MODERATE, ONE_STATE, PAPER_L, STRONGEST, TWO_PIECES, UNCORRELATED

BITS = 10


def dyadic_rows(n):
    cuts = st.lists(st.integers(0, 2**BITS), min_size=n - 1, max_size=n - 1).map(sorted)
    return cuts.map(lambda c: tuple(Fraction(b - a, 2**BITS) for a, b in zip([0, *c], [*c, 2**BITS], strict=True)))


def dyadic_matrices(least=2, most=5):
    """Matrices whose entries are doubles and whose rows of doubles sum to 1."""
    rows = st.integers(least, most).flatmap(lambda n: st.lists(dyadic_rows(n), min_size=n, max_size=n))
    return rows.map(lambda found: TransitionMatrix(tuple(found)))


def setup(matrix):
    pairs = pairs_of(entries_of(matrix))
    return pairs, doubles.algorithm_2(pairs)


def scalar_algorithm_1(rows, alpha):
    """Algorithm 1 in Python floats, one pair and one column at a time, the flag set back."""
    excess, best = math.exp(alpha) - 1, 1.0
    for q_row, d_row in permutations(rows, 2):
        plus = [j for j in range(len(q_row)) if q_row[j] > d_row[j]]
        while True:
            q, d = sum(q_row[j] for j in plus), sum(d_row[j] for j in plus)
            ratio = (q * excess + 1) / (d * excess + 1)
            kept = [j for j in plus if d_row[j] == 0 or q_row[j] / d_row[j] > ratio]
            if kept == plus:
                break
            plus = kept
        best = max(best, ratio)
    return math.log(best)


def close(found, expected, tolerance):
    return abs(found - expected) <= tolerance * max(abs(expected), sys.float_info.min)


@given(dyadic_matrices(), st.floats(0.5, 30))
@example(PAPER_L, 100.0)
@example(PAPER_L, 700.0)
@example(MODERATE, 700.0)
def test_algorithm_1_is_the_loop_in_plain_floats(matrix, alpha):
    rows = [[float(entry) for entry in row] for row in matrix.rows]
    found = attempt(partial(doubles.algorithm_1, setup(matrix)[0], alpha))
    # exp and log of numpy may differ from Python's in the last place; a column that is kept or not would show.
    assert close(found.value, scalar_algorithm_1(rows, alpha), 1e-13)


@given(dyadic_matrices(), st.floats(0.5, 30))
def test_the_algorithms_are_right_at_moderate_levels(matrix, alpha):
    pairs, transitions = setup(matrix)
    with mp.workdps(60):
        expected = float(exact_loss(matrix, mp.mpf(alpha)))
    assume(expected > 1e-3)
    for method in (partial(doubles.algorithm_1, pairs, alpha), partial(doubles.algorithm_3, transitions, alpha)):
        assert close(attempt(method).value, expected, 1e-11)


@given(
    dyadic_matrices(1),
    st.one_of(
        st.floats(1e-300, 1e6),
        st.integers(-300, 6).map(lambda power: 10.0**power),
        st.sampled_from([0.0, 36.0, 37.0, 40.0, 709.0, 710.0]),
    ),
)
@example(MODERATE, 710.0)
@example(STRONGEST, 1e6)
@example(PAPER_L, 100.0)
@example(TransitionMatrix.of([["0", "1"], ["1/1024", "1023/1024"]]), 1e6)
def test_the_careful_formula_is_right_everywhere(matrix, alpha):
    found = attempt(partial(doubles.careful_loss, setup(matrix)[1], alpha))
    with mp.workdps(400):
        expected = exact_loss(matrix, mp.mpf(alpha))
        assert abs(mp.mpf(found.value) - expected) <= 64 * mp.mpf(2) ** -53 * expected


@pytest.mark.parametrize("matrix", [PAPER_L, MODERATE, STRONGEST, UNCORRELATED, TWO_PIECES])
@pytest.mark.parametrize("ratio", [Fraction(11, 10), Fraction(2), Fraction(20)])
def test_as_printed_algorithm_1_ends_where_the_transcription_in_fractions_does(matrix, ratio):
    try:
        printed_algorithm_1(matrix, ratio, Fraction(1), Watch(), mended=[3])
        ends = True
    except Looping:
        ends = False
    found = attempt(partial(doubles.algorithm_1, setup(matrix)[0], math.log(ratio), as_printed=True))
    assert (found.kind is not AnswerKind.ENDLESS) == ends
    if not ends:
        assert found.value is None
        assert "repeats forever" in found.detail


def test_what_is_lost_of_a_small_level():
    # exp(1e-12) − 1 = 4504·2^−52, and the logarithm of 1 + 4504·2^−52 is a little less.
    assert attempt(partial(doubles.algorithm_1, setup(STRONGEST)[0], 1e-12)).value == pytest.approx(
        4504 * 2.0**-52, rel=1e-9
    )


@pytest.mark.parametrize("matrix", [PAPER_L, MODERATE, TWO_PIECES, STRONGEST])
def test_transition_points(matrix):
    transitions = setup(matrix)[1]
    for place, function in enumerate(exact_algorithm_2(matrix)):
        expected = [math.inf if excess is None else math.log(1 + excess) for excess in function.transitions]
        size = int(transitions.sizes[place])
        assert size == len(function.order)
        assert transitions.levels[place, :size].tolist() == pytest.approx(expected)
        assert transitions.q[place, :size].tolist() == pytest.approx([float(q) for q in function.q_sums])


@pytest.mark.parametrize("alpha", [50.0, 100.0, 700.0])
def test_the_last_columns_leave_at_a_large_level(alpha):
    # L(∞) = log 2: column 1 of rows 1 and 2. It is alone in x⁺, and 0.5/0.25 ≤ (0.5·E)/(0.25·E) takes it out; the
    # other way round 0.75/0.5 may stay.
    pairs = setup(TransitionMatrix.of([["1/2", "1/2"], ["1/4", "3/4"]]))[0]
    assert attempt(partial(doubles.algorithm_1, pairs, alpha)).value <= math.log(1.5) * (1 + 1e-15)
    alone = pairs_of(entries_of(TransitionMatrix.of([["1/2", "1/2"], ["1/4", "3/4"]])), [(0, 1)])
    assert attempt(partial(doubles.algorithm_1, alone, alpha)) == DoubleAnswer(AnswerKind.NUMBER, 0.0)


def test_ties_make_nan_of_transition_points():
    ties = TransitionMatrix.of([["3/10", "3/10", "3/10", "1/10"], ["1/10", "1/10", "1/10", "7/10"], *[["1/4"] * 4] * 2])
    transitions = setup(ties)[1]
    pair = transitions.pairs.rows.tolist().index([0, 1])
    assert transitions.sizes[pair] == 3
    # Exactly, no column of a tie leaves: the level is infinite for all three.
    assert transitions.levels[pair, 0] == math.inf
    assert not np.isposinf(transitions.levels[pair, 1:3]).all()


def test_one_state_and_equal_rows_lose_nothing():
    for matrix in (ONE_STATE, UNCORRELATED):
        pairs, transitions = setup(matrix)
        for alpha in (0.0, 1e-12, 1.0, 40.0):
            assert doubles.careful_loss(transitions, alpha) == 0
            assert attempt(partial(doubles.algorithm_1, pairs, alpha)) == DoubleAnswer(AnswerKind.NUMBER, 0.0)
            assert attempt(partial(doubles.algorithm_3, transitions, alpha)) == DoubleAnswer(AnswerKind.NUMBER, 0.0)


def test_chosen_pairs():
    pairs = pairs_of(entries_of(PAPER_L), [(2, 0)])
    assert pairs.q.tolist() == [[0.5, 0.3, 0.2]]
    assert pairs.d.tolist() == [[0.1, 0.2, 0.7]]
    assert pairs_of(entries_of(PAPER_L), []).q.shape == (0, 3)


@given(st.floats(0.01, 1), st.floats(0.01, 1), st.floats(0.05, 3))
@example(0.7, 0.2, 0.1)
def test_theorem_11_is_the_fixed_point(q, d, epsilon):
    q, d = max(q, d), min(q, d)
    with mp.workdps(50):
        ratio = mp.exp(mp.mpf(doubles.theorem_11(q, d, epsilon)))
        after = mp.exp(epsilon) * (q * (ratio - 1) + 1) / (d * (ratio - 1) + 1)
        assert abs(after - ratio) <= 1e-9 * ratio


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ((0.0, 0.0, 0.1), AnswerKind.DIVISION),
        ((0.5, 0.0, math.log(2)), AnswerKind.DIVISION),
        ((0.4, 1e-320, 0.4), AnswerKind.DOMAIN),
        ((0.5, 0.5, 710.0), AnswerKind.OVERFLOW),
        ((1.0000000000000002, 1.05e-16, 0.0), AnswerKind.COMPLEX),
        ((1.0, 0.0, 0.1), AnswerKind.NUMBER),
        ((0.9, 0.0, 1.0), AnswerKind.NUMBER),
    ],
)
def test_how_theorem_11_fails(question, kind):
    found = attempt(lambda: doubles.theorem_11(*question))
    assert found.kind is kind
    assert (found.value == math.inf) == (kind is AnswerKind.NUMBER)


def test_iteration_and_how_it_does_not_end():
    pairs = setup(MODERATE)[0]
    loss = partial(doubles.algorithm_1, pairs)
    found = attempt(partial(doubles.supremum_by_iteration, loss, 0.1))
    exact = math.log(0.2 * math.exp(0.1) / (1 - 0.8 * math.exp(0.1)))
    assert found.kind in (AnswerKind.NUMBER, AnswerKind.ENDLESS)
    assert abs(exact - found.value) < 1e-12
    steps = iter([1.0, 2.0, 1.0])
    with pytest.raises(Endless, match="cycles between doubles from iteration 3 on") as caught:
        doubles.supremum_by_iteration(lambda _: next(steps), 0.5)
    assert caught.value.value == 1.5
    identity = attempt(partial(doubles.supremum_by_iteration, lambda alpha: alpha, 0.5))
    assert (identity.kind, identity.value) == (AnswerKind.ENDLESS, 0.5 * (doubles.MOST_TURNS + 1))
    assert attempt(partial(doubles.supremum_by_iteration, lambda _: math.nan, 0.5)) == DoubleAnswer(AnswerKind.NAN)


def test_recursion():
    assert doubles.recursion(lambda alpha: alpha / 2, [1.0, 1.0, 3.0]) == [1.0, 1.5, 3.75]


def test_bisection_for_the_middle_budget():
    nothing, half = (lambda _: 0.0), (lambda alpha: alpha / 2)
    assert attempt(lambda: doubles.middle_budget(nothing, nothing, 1.0)) == DoubleAnswer(AnswerKind.NUMBER, 1.0)
    # α_B + (α − α_B/2)/2 = α at α_B = 2/3, and the budget is half of that; rounding lets the doubles be equal above it.
    found = attempt(lambda: doubles.middle_budget(half, half, 1.0))
    assert (found.kind, found.value > Fraction(1, 3)) == (AnswerKind.NUMBER, True)
    assert found.value == pytest.approx(1 / 3)
    # α_B plus the loss jumps from 0.95 to 1.05 where α_B is 0.85.
    jump = attempt(lambda: doubles.middle_budget(half, lambda alpha: 0.1 if alpha > 0.575 else 0.2, 1.0))
    assert jump.kind is AnswerKind.ENDLESS
    assert jump.value == pytest.approx(0.425)
    # Dyadic: α_B + (α − α_B/2)/2 = α with α = 3/2 ends at α_B = 1.
    assert attempt(lambda: doubles.middle_budget(half, half, 1.5)) == DoubleAnswer(AnswerKind.NUMBER, 0.5)


def test_attempts():
    assert attempt(lambda: np.float64(1) / np.float64(0)) == DoubleAnswer(AnswerKind.NUMBER, math.inf)
    assert attempt(lambda: math.exp(1000)).kind is AnswerKind.OVERFLOW
    assert attempt(lambda: (-1.0) ** 0.5).kind is AnswerKind.COMPLEX
    assert attempt(lambda: math.log(0.0)).kind is AnswerKind.DOMAIN
    loss = partial(doubles.algorithm_1, setup(PAPER_L)[0])
    assert attempt(lambda: doubles.middle_budget(loss, loss, 2000.0)).kind is AnswerKind.ENDLESS
    assert attempt(lambda: doubles.middle_budget(loss, loss, 2000.0)).value is None
    assert attempt(lambda: 1.0 / 0.0).kind is AnswerKind.DIVISION
