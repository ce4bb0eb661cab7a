"""TPL at a δ, of all times at once, against all tests of both sides as a linear program."""

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.reference import ApproximateBudget, Level, parse_level
from tploracle.reference.worst_case.trade_off import TradeOff
from tploracle.solvers.linear_programs.profiles import profile_by_program
from tploracle.solvers.worst_case.profile_both_sides import alphas_of_both

from ...profiles import examples
from ...strategies import matrices

F = Fraction
GRAIN = 10**6


def greatest(phi, odds, past, future):
    """Return the greatest δ of all pairs, by linear programs."""
    releases, pairs = len(past) + len(future) + 1, permutations(range(len(past[0])), 2)
    return max(profile_by_program([phi] * releases, odds, pair, past, future) for pair in pairs)


@given(
    st.lists(matrices(2, 2, kinds=["ties", "sparse", "smoothed"]), min_size=4, max_size=4),
    st.booleans(),
    st.sampled_from([F(101, 100), F(11, 10), F(3, 2), F(4)]),
    st.sampled_from([F(0), F(1, 1000), F(1, 10**5)]),
    st.sampled_from([F(1, 10), F(1, 30), F(1, 400), F(1, 10**5)]),
)
@examples(12)
def test_no_test_tells_more_and_one_as_much(own, alike, ratio, release_delta, delta):
    past, future = (
        ([own[0].rows] * 2, [own[1].rows] * 2) if alike else ([m.rows for m in each] for each in (own[:2], own[2:]))
    )
    phi = TradeOff.approximate(ratio, release_delta)
    found = alphas_of_both(ApproximateBudget(Level.of_ratio(ratio), release_delta), (past, future), delta, [1, 2, 3])
    level = found[1]
    assert level.lower <= level.upper
    if not level.upper.is_infinite:
        above = F(-(-level.upper.ratio * GRAIN // 1), GRAIN)
        assert greatest(phi, above, past[:1], future[1:]) <= delta
    if not level.lower.is_zero:
        below = F(level.lower.ratio * GRAIN // 1, GRAIN)
        assert greatest(phi, below, past[:1], future[1:]) > delta


def test_times_far_from_the_ends_are_one():
    budget = ApproximateBudget(Level.of_ratio(F(3, 2)), F(1, 1000))
    fast = ((F(1, 2), F(1, 2)), (F(1, 3), F(2, 3)))
    found = alphas_of_both(budget, ([fast] * 60,) * 2, F(1, 100), [20, 30, 40])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("epsilon", ["1/100", "1/10", "1"])
@pytest.mark.parametrize(("release_exponent", "exponent"), [(6, 3), (9, 3), (9, 6), (12, 6), (12, 9)])
def test_the_ends_are_near_each_other_however_small_the_releases_delta(epsilon, release_exponent, exponent):
    budget = ApproximateBudget(parse_level(epsilon), F(1, 10**release_exponent))
    steps = [((F(4, 5), F(1, 10), F(1, 10)), (F(1, 5), F(3, 5), F(1, 5)), (F(1, 10), F(3, 10), F(3, 5)))] * 7
    for found in alphas_of_both(budget, (steps, steps), F(1, 10**exponent), range(2, 8)):
        assert float(found.upper) - float(found.lower) < 5e-5
