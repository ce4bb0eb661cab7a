"""The fast exact methods agree with the literal ones exactly, on what floating point finds hardest above all."""

import pickle
import random
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import levels, matrices, normalised
from tploracle.reference import (
    INFINITE,
    Level,
    TransitionMatrix,
    algorithm_1,
    loss_function,
    parse_level,
    smooth,
    strongest,
)
from tploracle.reference.levels import ZERO
from tploracle.solvers.floats import UNIT_ROUNDOFF, FloatView
from tploracle.solvers.loss import candidates, dinkelbach, envelope, sweeps
from tploracle.solvers.loss.dinkelbach import fast_optimum
from tploracle.solvers.loss.envelope import fast_loss_function
from tploracle.solvers.loss.sweeps import MOST_FOR_SINGLES
from tploracle.solvers.worst_case.budgets import fast_worst_case_budget
from tploracle.solvers.worst_case.pairs import fast_worst_case_leakage, fast_worst_case_supremum


def with_noise(matrix, scale, seed):
    """Move every entry by a different part of `scale`, relatively: ties become differences that doubles cannot see."""
    noise = random.Random(seed)
    return TransitionMatrix(
        tuple(normalised([int((p + p * noise.randint(-9, 9) * scale) * 10**60) for p in row]) for row in matrix.rows)
    )


noisy_ties = st.builds(
    with_noise,
    matrices(min_n=2, max_n=8),
    st.sampled_from([Fraction(1, 10**k) for k in (14, 15, 16, 17, 18, 30)]),
    st.integers(0, 10**6),
)


@given(st.one_of(matrices(max_n=8), noisy_ties))
def test_the_envelope_is_the_whole_loss_function(matrix):
    assert fast_loss_function(matrix).pieces == loss_function(matrix).pieces


@given(st.one_of(matrices(max_n=8), noisy_ties), levels())
def test_dinkelbach_attains_the_loss(matrix, alpha):
    found = fast_optimum(matrix, alpha)
    assert found.value(alpha) == algorithm_1(matrix, alpha, ZERO)
    q_row, d_row = matrix.rows[found.row_q], matrix.rows[found.row_d]
    assert found.q == sum((q_row[j] for j in found.indices), Fraction(0))
    assert found.d == sum((d_row[j] for j in found.indices), Fraction(0))


@given(st.one_of(matrices(min_n=2, max_n=6), noisy_ties), st.sampled_from([Fraction(0), Fraction(1, 10**25)]))
def test_dinkelbach_at_and_beside_each_breakpoint(matrix, offset):
    loss = loss_function(matrix)
    for piece in loss.pieces[1:]:
        alpha = Level.of_ratio(1 + piece.start + offset)
        assert fast_optimum(matrix, alpha).value(alpha) == loss(alpha)


def rows_of_counts(n, seed, largest=10_000, zeros=0.0):
    """A matrix of rows of random counts, each over its own sum."""
    noise = random.Random(seed)
    return TransitionMatrix(
        tuple(
            normalised([0 if noise.random() < zeros else noise.randint(1, largest) for _ in range(n)]) for _ in range(n)
        )
    )


@pytest.mark.parametrize(
    "matrix",
    [
        pytest.param(rows_of_counts(30, 1), id="random"),
        pytest.param(rows_of_counts(30, 2, zeros=0.5), id="half-zeros", marks=pytest.mark.slow),
        pytest.param(rows_of_counts(24, 3, largest=3), id="ties"),
        pytest.param(rows_of_counts(12, 4, largest=10**900), id="thousands-of-bits"),
        pytest.param(smooth(strongest(24), Fraction(1, 200)), id="every-pair-tied", marks=pytest.mark.slow),
        pytest.param(smooth(strongest(12), Fraction(1, 10**300)), id="entries-of-1e-300", marks=pytest.mark.slow),
        pytest.param(smooth(strongest(12), Fraction(1, 10**400)), id="entries-of-1e-400"),
        pytest.param(smooth(rows_of_counts(20, 5), Fraction(10**20)), id="nearly-uniform", marks=pytest.mark.slow),
        pytest.param(smooth(rows_of_counts(10, 6), Fraction(10**300)), id="rows-that-differ-by-1e-300"),
    ],
)
def test_larger_matrices(matrix):
    loss = loss_function(matrix)
    assert fast_loss_function(matrix).pieces == loss.pieces
    for text in ("1e-12", "log(11/10)", "2", "710", "inf"):
        alpha = parse_level(text)
        assert fast_optimum(matrix, alpha).value(alpha) == loss(alpha)


def test_one_state_leaks_nothing():
    only = TransitionMatrix.of([["1"]])
    assert fast_loss_function(only).is_zero
    assert fast_optimum(only, INFINITE).value(INFINITE).is_zero


def test_progress_is_told_to_the_end():
    told = []
    matrix = rows_of_counts(9, 7)
    fast_loss_function(matrix, lambda done, total: told.append((done, total)))
    fast_optimum(matrix, parse_level("1"), lambda done, total: told.append((done, total)))
    assert told == [(row, 9) for row in range(1, 10)] * 2


def divergence(q_row, d_row, ratio):
    return sum((max(q - ratio * d, Fraction(0)) for q, d in zip(q_row, d_row, strict=True)), Fraction(0))


@given(
    st.one_of(matrices(min_n=2, max_n=8), noisy_ties),
    st.one_of(st.floats(1, 4), st.floats(1, MOST_FOR_SINGLES)),
    st.booleans(),
)
def test_the_floats_bound_every_divergence(matrix, ratio, in_singles):
    view = FloatView.of(matrix)
    rows = view.singles if in_singles else view.entries
    for row_d, d_row in enumerate(matrix.rows):
        for bound, q_row in zip(sweeps._bounds(rows, slice(None), row_d, ratio), matrix.rows, strict=True):
            assert divergence(q_row, d_row, Fraction(ratio)) <= Fraction(bound)


@given(st.one_of(matrices(min_n=2, max_n=8), noisy_ties), st.fractions(Fraction(1, 10**9), 1000), st.floats(0, 2))
def test_no_pair_that_a_confirmed_sweep_leaves_out_attains_more(matrix, excess, part):
    """Whatever part of the height that is found is attained: where that confirms the sweep, the others are below it."""
    view, own = FloatView.of(matrix), float(excess) * (1 - 4 * UNIT_ROUNDOFF)
    found = sweeps.sweep(view, own)
    attained = Fraction(found.height * min(part, 1))
    if found.is_confirmed_by(float(attained)):
        for pair in {*permutations(range(matrix.n), 2)} - {*map(tuple, found.pairs.tolist())}:
            q_row, d_row = (matrix.rows[row] for row in pair)
            assert divergence(q_row, d_row, 1 + attained * Fraction(own)) <= attained


def test_a_sweep_is_confirmed_and_leaves_little():
    for n in (20, 50):
        matrix = rows_of_counts(n, n)
        found = sweeps.sweep(FloatView.of(matrix), 0.1)
        assert len(found.pairs) < n
        assert found.is_confirmed_by(found.height * (1 - 16 * UNIT_ROUNDOFF))
        assert not found.is_confirmed_by(found.height / 2)


def test_an_answer_that_does_not_confirm_the_sweep_is_decided_over_all_pairs(monkeypatch):
    matrix, alpha = rows_of_counts(9, 8), parse_level("1/10")
    other = sweeps.Sweep(0.1, 0.9, 3, 4)
    monkeypatch.setattr(dinkelbach, "sweep", lambda *_: other)
    assert fast_optimum(matrix, alpha).value(alpha) == algorithm_1(matrix, alpha, ZERO)


def test_a_matrix_has_one_view_which_goes_with_it():
    matrix = rows_of_counts(3, 9)
    key, view = id(matrix), FloatView.of(matrix)
    assert FloatView.of(matrix) is view
    assert key in FloatView._of
    del matrix
    assert key not in FloatView._of


@given(st.one_of(matrices(max_n=6), noisy_ties))
def test_entries_are_the_nearest_doubles(matrix):
    assert FloatView(matrix).entries.tolist() == [[float(entry) for entry in row] for row in matrix.rows]


@given(matrices(min_n=2, max_n=6))
def test_the_ceiling_stays_below_the_hull(matrix):
    """What is thrown away lies below the hull: the ceiling less its margin never passes it."""
    view = FloatView.of(matrix)
    ceiling = envelope._Ceiling(view)
    for row_d in range(matrix.n):
        envelope._survivors(view, ceiling, row_d, np.arange(matrix.n))
    vertices = [(Fraction(0), Fraction(0)), *sorted((p.d, p.q) for p in loss_function(matrix).pieces)]
    for (left, low), (right, high) in pairwise(vertices):
        for step in range(5):
            d = left + (right - left) * Fraction(step, 4)
            hull = high if right == left else low + (high - low) * (d - left) / (right - left)
            assert Fraction(float(ceiling._at(np.array([float(d)]))[0])) * Fraction(ceiling.keep) <= hull


@given(st.one_of(matrices(min_n=2, max_n=9), noisy_ties), st.integers(1, 9), st.booleans())
def test_pairs_that_rule_a_piece_are_candidates(matrix, sampled, swept_all):
    """However little is known of the hull before; all pairs are candidates of so few states otherwise."""
    view = FloatView.of(matrix)
    ceiling = envelope._Ceiling(view)
    for row_d in range(matrix.n if swept_all else sampled % matrix.n):
        envelope._survivors(view, ceiling, row_d, np.arange(matrix.n))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "FEWEST_STATES", 2)
        patch.setattr(candidates, "FEW_ENOUGH", 0)
        found = {*map(tuple, candidates.pairs_that_may_rule(view, ceiling).tolist())}
        assert fast_loss_function(matrix).pieces == loss_function(matrix).pieces
    for piece in loss_function(matrix).pieces:
        if piece.witness:
            assert (piece.witness.row_q, piece.witness.row_d) in found


def test_a_greatest_ratio_that_doubles_do_not_tell_is_a_candidate_s(monkeypatch):
    """Rows 3 and 4 have the greatest ratio by 10^−20 of it, and lie below rows 1 and 2 until just before."""
    tiny = Fraction(1, 10**22)
    rows = [[40, 2, 29, 29], [10, 2, 44, 44], [20, 4, 38, 38], [20, 1, 39, 40]]
    matrix = TransitionMatrix(
        tuple(
            tuple(Fraction(p, 100) + tiny * sign for p, sign in zip(row, (0, k == 2, -(k == 2), 0), strict=True))
            for k, row in enumerate(rows)
        )
    )
    monkeypatch.setattr(candidates, "FEWEST_STATES", 2)
    last = fast_loss_function(matrix).pieces[-1].witness
    assert (last.row_q, last.row_d) == (2, 3)
    view = FloatView.of(matrix)
    assert (2, 3) in {*map(tuple, candidates.pairs_that_may_rule(view, envelope._Ceiling(view)).tolist())}


@pytest.mark.parametrize("zeros", [0.0, 0.1])
def test_few_pairs_are_candidates(zeros):
    matrix = rows_of_counts(60, 10, zeros=zeros)
    view = FloatView.of(matrix)
    ceiling = envelope._Ceiling(view)
    assert len(candidates.pairs_that_may_rule(view, ceiling)) < 60 * 60 / 4


def test_distinct_pairs_are_told_apart_exactly():
    """Rows 0 and 1 are each other's with two columns swapped; row 2 differs from row 1 by less than a double shows."""
    tiny = Fraction(1, 10**40)
    half, third, sixth = Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)
    matrix = TransitionMatrix(((half, third, sixth), (third, half, sixth), (third + tiny, half - tiny, sixth)))
    pairs = np.array([(0, 1), (1, 0), (0, 2), (1, 2)])
    assert FloatView.of(matrix).distinct(pairs).tolist() == [[0, 1], [0, 2], [1, 2]]


def test_mass_that_no_double_can_hold_still_counts():
    """Only the first row can reach state 3, with 10^−400: so L is unbounded, though doubles see rows 1 and 2 equal.

    Rows 3 and 4 lie so far apart that no other pair reaches the hull before that speck of mass rules.
    """
    speck = Fraction(1, 10**400)
    half = Fraction(1, 2)
    matrix = TransitionMatrix(
        (
            (half - speck, half, speck, Fraction(0)),
            (half, half, Fraction(0), Fraction(0)),
            (Fraction(9, 10), Fraction(1, 10), Fraction(0), Fraction(0)),
            (Fraction(1, 20), Fraction(19, 20), Fraction(0), Fraction(0)),
        )
    )
    last = fast_loss_function(matrix).pieces[-1]
    assert (last.q, last.d) == (speck, 0)
    assert fast_optimum(matrix, INFINITE).value(INFINITE).is_infinite


def test_what_the_fast_methods_return_is_pickled():
    epsilon, matrix = parse_level("0.1"), TransitionMatrix.of([["0.8", "0.2"], ["0.1", "0.9"]])
    for level in (
        fast_worst_case_leakage([epsilon] * 6, matrix, matrix).tpl[2],
        fast_worst_case_supremum(epsilon, matrix, matrix),
        fast_worst_case_budget(epsilon, matrix, matrix, 5),
    ):
        again = pickle.loads(pickle.dumps(level))
        assert type(again) is type(level)
        assert again.enclosure(40) == level.enclosure(40)
