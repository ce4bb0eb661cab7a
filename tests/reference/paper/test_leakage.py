"""BPL, FPL and TPL over time: the paper's figure, the three adversaries, several users."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.reference import (
    INFINITE,
    Adversary,
    InvalidRequest,
    Level,
    TransitionMatrix,
    backward_leakage,
    forward_leakage,
    leakage,
    loss_function,
    maximum,
    population_leakage,
    strongest,
    temporal_leakage,
)

from ...in_mpmath import assert_encloses, loss, mpf, precision
from ...matrices import MODERATE
from ...profiles import examples
from ...strategies import levels, matrices, of_one_size

TENTH = Level.of(Fraction(1, 10))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Adversary(loss_function(strongest(2)), loss_function(strongest(3))),
        lambda: Adversary.knowing(strongest(2), strongest(3)),
    ],
)
def test_correlations_of_different_sizes_are_of_no_one_user(make):
    with pytest.raises(InvalidRequest, match="the backward matrix has 2 states, the forward one 3"):
        make()


@given(st.lists(levels(), min_size=1, max_size=4), matrices(1, 3))
def test_each_correlation_causes_its_own_leakage_only(epsilons, matrix):
    backward = leakage(epsilons, Adversary.knowing(backward=matrix))
    forward = leakage(epsilons, Adversary.knowing(forward=matrix))
    both = leakage(epsilons, Adversary.knowing(backward=matrix, forward=matrix))
    assert list(backward.fpl) == epsilons
    assert list(forward.bpl) == epsilons
    assert backward.tpl == backward.bpl == both.bpl
    assert forward.tpl == forward.fpl == both.fpl
    assert both.bpl == backward_leakage(epsilons, loss_function(matrix))
    assert both.fpl == forward_leakage(epsilons, loss_function(matrix))
    assert both.tpl == temporal_leakage(both.bpl, both.fpl, loss_function(matrix))
    assert both.bpl[0] == epsilons[0]
    assert both.fpl[-1] == epsilons[-1]
    for bpl, fpl, tpl, epsilon in zip(both.bpl, both.fpl, both.tpl, epsilons, strict=True):
        assert epsilon <= bpl <= tpl
        assert epsilon <= fpl <= tpl


@examples(20)
@given(
    matrices(1, 3),
    matrices(1, 3),
    st.lists(st.fractions(0, 2, max_denominator=20), min_size=1, max_size=6),
)
def test_temporal_leakage_against_mpmath(backward, forward, budgets):
    """TPL = BPL + FPL − ε, recomputed from all pairs and subsets, with the subtraction that the code leaves out."""
    found = leakage([Level.of(b) for b in budgets], Adversary.knowing(*of_one_size(backward, forward)))
    with precision(60):
        epsilons = [mpf(b) for b in budgets]
        bpl, fpl = [], []
        for epsilon in epsilons:
            bpl.append(loss(backward, bpl[-1] if bpl else mp.mpf(0)) + epsilon)
        for epsilon in reversed(epsilons):
            fpl.insert(0, loss(forward, fpl[0] if fpl else mp.mpf(0)) + epsilon)
        for t, epsilon in enumerate(epsilons):
            assert_encloses(found.bpl[t].enclosure(17), bpl[t], 17)
            assert_encloses(found.fpl[t].enclosure(17), fpl[t], 17)
            assert_encloses(found.tpl[t].enclosure(17), bpl[t] + fpl[t] - epsilon, 17)


def test_no_release_is_an_error():
    with pytest.raises(InvalidRequest):
        leakage([], Adversary())
    with pytest.raises(InvalidRequest):
        population_leakage([], {"a": Adversary()})
    with pytest.raises(InvalidRequest, match="no user"):
        population_leakage([TENTH], {})


def test_maximum_names_all_who_attain_it():
    a, b = Level.of(1), Level.of(2)
    assert maximum({"x": a, "y": b, "z": Level.of(2)}).attained_by == ("y", "z")
    assert maximum({"x": a, "y": b, "z": Level.of(2)}).level == b
    assert maximum({"x": b, "y": a}).attained_by == ("x",)
    assert maximum({1: INFINITE, 2: b, 3: INFINITE}).attained_by == (1, 3)


@examples(20)
@given(st.lists(st.tuples(st.none() | matrices(1, 3), st.none() | matrices(1, 3)), min_size=1, max_size=4), st.lists(
    st.fractions(1, 3, max_denominator=10), min_size=1, max_size=4))  # fmt: skip
def test_population_is_the_maximum_over_users(correlations, ratios):
    epsilons = [Level.of_ratio(r) for r in ratios]
    users = {name: Adversary.knowing(*of_one_size(*pair)) for name, pair in enumerate(correlations)}
    result = population_leakage(epsilons, users)
    own = {name: leakage(epsilons, user) for name, user in users.items()}
    for kind in ("bpl", "fpl", "tpl"):
        for t, greatest in enumerate(getattr(result, kind)):
            ratios_now = {name: getattr(own[name], kind)[t].ratio for name in users}
            best = max(ratios_now.values())
            assert greatest.level.ratio == best
            assert greatest.attained_by == tuple(name for name, ratio in ratios_now.items() if ratio == best)


def test_formulas_do_not_depend_on_the_matrix_that_gave_them():
    renamed = TransitionMatrix(tuple(tuple(row[::-1]) for row in MODERATE.rows[::-1]))
    assert Adversary.knowing(MODERATE, None).coefficients == Adversary.knowing(renamed, None).coefficients
    assert Adversary.knowing(MODERATE, None).coefficients != Adversary.knowing(None, MODERATE).coefficients
    assert Adversary().coefficients == (None, None)
