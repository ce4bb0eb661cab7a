"""Leakage at a δ over time: against the program over all tests, the sweep, and levels nearby."""

from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.reference import INFINITE, ZERO, InvalidRequest, TransitionMatrix, Undecided, parse_level
from tploracle.reference.worst_case.trade_off import TradeOff
from tploracle.solvers.linear_programs.profiles import profile_by_program
from tploracle.solvers.worst_case.leakage_profile import LeastExcess, leakage_profile, least_alpha
from tploracle.solvers.worst_case.pairs import fast_worst_case_leakage

from ...matrices import CYCLE, DIVERGES, HALF, MODERATE, SKEWED, SYMMETRIC, UNCORRELATED
from ...profiles import examples
from ...strategies import log

F = Fraction
MATRICES = st.sampled_from([SKEWED, SYMMETRIC, MODERATE, HALF, DIVERGES, CYCLE])
CHANCES = st.sampled_from([F(1, 1000), F(1, 50), F(1, 9), F(1, 3)])


def greatest(matrix, ratio, own, releases, odds):
    """Return δ by programs, for all pairs."""
    phi = TradeOff.approximate(ratio, own).symmetric()
    if releases == 1:
        return max(phi(u) - odds * u for u in phi.kinks)
    steps = [matrix.rows] * (releases - 1)
    pairs = permutations(range(matrix.n), 2)
    return max(profile_by_program([phi] * releases, odds, pair, steps) for pair in pairs)


@given(MATRICES, st.sampled_from([F(11, 10), F(3, 2), F(3)]), CHANCES, st.sampled_from([F(0), F(1, 200)]))
@examples(8)
def test_at_the_level_all_tests_have_that_delta(matrix, ratio, delta, own):
    """At e^α the greatest δ is the one asked for, or α is 0, and δ less; before, it is more."""
    found = leakage_profile(log(ratio), 2, delta=delta, delta_per_release=own, backward=matrix, forward=matrix)
    assert found.fpl == found.bpl[::-1]
    for releases, level in enumerate(found.bpl, 1):
        if level.is_infinite:
            assert greatest(matrix, ratio, own, releases, F(10**9)) > delta
        else:
            at = greatest(matrix, ratio, own, releases, level.ratio)
            assert at <= delta if level.is_zero else at == delta


@given(MATRICES, st.sampled_from(["log(3/2)", "log(5)"]), st.integers(1, 4))
@examples(6)
def test_without_delta_the_recursion_is_the_sweep(matrix, epsilon, horizon):
    level, pairs = parse_level(epsilon), tuple(permutations(range(matrix.n), 2))
    own = [least_alpha(level, LeastExcess(F(0), (matrix.rows,) * count, pairs, F(0))) for count in range(horizon)]
    assert tuple(own) == fast_worst_case_leakage([level] * horizon, matrix).bpl
    assert tuple(own) == leakage_profile(level, horizon, delta=F(0), backward=matrix).bpl


@pytest.mark.parametrize("epsilon", ["1/2", "log((1+sqrt(5))/2)", "1e-9", "40"])
def test_a_level_between_those_of_rational_ratios(epsilon):
    """e^ε without a fraction lies between two fractions, and so do the answers, to any digits."""
    level = parse_level(epsilon)
    asked = {"delta": F(1, 100) * min(F(1), 1 + level.excess_bounds()[0] - 1), "delta_per_release": F(1, 10**12)}
    low, high = (
        leakage_profile(log(1 + excess), 3, backward=SKEWED, **asked).bpl for excess in level.excess_bounds(90)
    )
    for least, own, most in zip(low, leakage_profile(level, 3, backward=SKEWED, **asked).bpl, high, strict=True):
        assert least <= own <= most
        ends = own.enclosure(40)
        assert ends.upper - ends.lower <= ends.upper * Decimal("1e-38")
        assert own.enclosure(17).lower <= ends.lower <= ends.upper <= own.enclosure(17).upper


def test_exact_wherever_nothing_but_the_release_tells():
    half = parse_level("1/2")
    for known in ({}, {"backward": UNCORRELATED}):
        assert leakage_profile(half, 2, delta=F(1, 9), delta_per_release=F(1, 9), **known).bpl == (half, half)
        assert leakage_profile(half, 2, delta=F(1, 10), delta_per_release=F(1, 9), **known).bpl == (INFINITE,) * 2
        assert leakage_profile(half, 2, delta=F(1), delta_per_release=F(1), **known).bpl == (ZERO, ZERO)
    assert leakage_profile(INFINITE, 1, delta=F(1, 2)).bpl == (INFINITE,)
    assert leakage_profile(INFINITE, 1, delta=F(1)).fpl == (ZERO,)


def test_a_budget_beyond_doubles():
    """Doubles that rank the pairs end at e^709."""
    found = leakage_profile(parse_level("900"), 3, delta=F(1, 100), backward=DIVERGES).bpl[-1]
    assert 899 < found.double_below() < 2701


def test_what_is_not_decided_is_said(monkeypatch):
    """Where what lies below e^ε and what lies above have 0 and something, to whatever precision."""
    with pytest.raises(InvalidRequest, match="from 0 to 1"):
        leakage_profile(parse_level("log(2)"), 1, delta=F(2))
    golden = parse_level("log((1+sqrt(5))/2)")
    monkeypatch.setattr(LeastExcess, "at", lambda self, excess: F((2 * excess + 1) ** 2 > 5))
    with pytest.raises(Undecided, match="0, or finite"):
        least_alpha(golden, LeastExcess(F(0), (), ((0, 1),), F(1, 2)))


@pytest.mark.parametrize("delta", [F(1, 1000), F(1, 20)])
def test_a_pair_that_is_apart_for_ever_leaks_as_one_that_never_changes(delta):
    """Beside a value that may become either."""
    chain = TransitionMatrix.of([[0, 1, 0], [1, 0, 0], ["1/2", "1/2", 0]])
    own = F(1, 10_000)
    found = leakage_profile(log(F(3, 2)), 4, delta=delta, delta_per_release=own, backward=chain)
    for releases, level in enumerate(found.bpl, 1):
        assert greatest(chain, F(3, 2), own, releases, level.ratio) == delta
