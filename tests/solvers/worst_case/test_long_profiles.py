"""The profile of long streams in doubles: between its bounds lies what integers say, however few points are left."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.models.stream_profile import profile_at
from tploracle.reference import Level, parse_level
from tploracle.reference.worst_case.profile_budgets import ApproximateBudget, GaussianBudget, enclosed
from tploracle.reference.worst_case.profile_grids import Grids, window_of
from tploracle.reference.worst_case.trade_off import TradeOff
from tploracle.reference.worst_case.worst_profile import WorstProfile
from tploracle.solvers.worst_case import profile_bounds
from tploracle.solvers.worst_case.ladders import Ladder
from tploracle.solvers.worst_case.long_profiles import LongProfile
from tploracle.solvers.worst_case.profile_bounds import RankedPairs

from ...matrices import CYCLE, MODERATE, SKEWED, UNCORRELATED
from ...profiles import examples
from ...strategies import log, matrices

F = Fraction
BUDGETS = st.sampled_from(
    [
        ApproximateBudget(log(F(3, 2))),
        ApproximateBudget(parse_level("1/2"), F(1, 50)),
        ApproximateBudget(log(F(3)), F(1, 9)),
        ApproximateBudget(parse_level("0"), F(1, 20)),
    ]
)


def both(budget, steps, n):
    pairs = list(permutations(range(n), 2))
    slow = WorstProfile([budget] * (len(steps) + 1), steps, pairs, RankedPairs())
    return LongProfile(budget, steps, pairs), slow


@given(
    matrices(2, 3, kinds=["ties", "sparse", "smoothed"]), BUDGETS, st.integers(2, 5), st.sampled_from([F(1), F(3, 2)])
)
@examples(4)
def test_it_is_what_integers_say(matrix, budget, releases, odds):
    long, slow = both(budget, [matrix.rows] * (releases - 1), matrix.n)
    alpha = log(odds)
    own, truth = long.delta(alpha), slow.delta(alpha)
    assert own.lower <= truth.upper
    assert truth.lower <= own.upper
    assert own.upper - own.lower <= truth.upper - truth.lower + F(1, 10**7)
    delta = F(1, 30)
    level, exact = long.alpha(delta), slow.alpha(delta)
    assert level.lower <= exact.upper
    assert exact.lower <= level.upper
    if not (level.upper.is_infinite or level.upper.is_zero):
        assert level.upper.ratio <= exact.upper.ratio * (1 + F(1, 10**5))
        assert level.lower.ratio * (1 + F(1, 10**5)) >= exact.lower.ratio


def test_what_is_left_out_near_0_is_below_the_line_to_0():
    """Functions on few points are nowhere below the same functions on all points, after several releases."""
    phi = TradeOff.approximate(F(3, 2))
    whole = Ladder(phi, 8, up=True)
    few = Ladder(phi, 8, up=True, least=F(1, 16))
    assert len(few.points) < len(whole.points) - 3
    found = [
        np.array(
            [
                [
                    a * ladder.told(ladder.points[None, None])[0, 0] - b * ladder.points
                    for a, b in ((1.0, 1.2), (0.9, 0.1), (0.5, 0.6), (0.2, 1.0))
                ]
            ]
        )
        for ladder in (whole, few)
    ]
    for _ in range(7):
        found = [ladder.told(each) for ladder, each in zip((whole, few), found, strict=True)]
        for own, other in zip(*(each[0] for each in found), strict=True):
            between = np.interp(whole.points, few.points, other)
            assert (between >= own - 1e-12).all()
            assert (between - own)[whole.points >= 1 / 16].max() < 1e-12


def test_a_pair_that_is_the_worst_of_long_streams_alone():
    """Values 1 and 2 are told apart at once, 1 and 3 by and by: the worst pair changes."""
    steps = (("9/10", "1/10"), ("1/2", "1/2"), ("1/10", "9/10"))
    rows = [[0, 0, 0, F(p), F(q), 0] for p, q in steps]
    rows[1] = [0, 0, 0, 0, 0, 1]
    rows += [[int(a == b) for b in range(6)] for a in (3, 4)] + [[0, 0, 0, F(1, 2), F(1, 2), 0]]
    matrix = tuple(tuple(map(F, row)) for row in rows)
    pairs = [(0, 1), (0, 2)]
    budget = ApproximateBudget(log(F(3, 2)))

    def told(pair, releases):
        return WorstProfile([budget] * (releases + 1), [matrix] * releases, [pair]).delta(log(F(1)))

    assert told(pairs[0], 1).upper > told(pairs[1], 1).upper
    assert told(pairs[0], 7).upper < told(pairs[1], 7).upper
    own = LongProfile(budget, [matrix] * 7, [*permutations(range(6), 2)]).delta(log(F(1)))
    most = max(told(pair, 7).upper for pair in permutations(range(6), 2))
    assert told(pairs[0], 7).upper < own.lower <= most <= own.upper


def test_gaussian_noise():
    long, slow = both(GaussianBudget(F(2)), [SKEWED.rows] * 2, SKEWED.n)
    own, truth = long.delta(parse_level("1/2")), slow.delta(parse_level("1/2"))
    assert own.lower <= truth.upper
    assert truth.lower <= own.upper
    assert own.upper - own.lower <= (truth.upper - truth.lower) * 2


def test_long_streams_are_answered_by_it():
    budget = ApproximateBudget(log(F(3, 2)), F(1, 1000))
    long = profile_at([budget] * 400, 400, MODERATE, None)
    assert isinstance(long.found, LongProfile)
    found = long.delta(parse_level("1"))
    assert 0 < found.lower < found.upper < found.lower * (1 + F(1, 10**6))
    assert not isinstance(profile_at([budget] * 30, 30, MODERATE, None).found, LongProfile)
    mixed = [*[budget] * 399, ApproximateBudget(log(F(2)))]
    assert not isinstance(profile_at(mixed, 400, MODERATE, None).found, LongProfile)
    equal = profile_at([budget] * 400, 400, UNCORRELATED, None).delta(parse_level("0"))
    assert equal.upper == F(1, 1000) + F(1, 2) / F(5, 2) * F(999, 1000)


def test_cycles_of_matrices_and_tiny_chances():
    """Too small a δ is worked out in integers; steps may have their own matrices."""
    steps = [SKEWED.rows, MODERATE.rows] * 3 if SKEWED.n == MODERATE.n else [CYCLE.rows] * 6
    long, slow = both(ApproximateBudget(log(F(3, 2))), steps, len(steps[0]))
    edge = slow.alpha(F(0)).upper
    assert long.delta(edge).upper == 0
    assert long.alpha(F(0)).upper == edge
    assert long.delta(log(F(5, 4))).upper >= slow.delta(log(F(5, 4))).upper


@pytest.mark.parametrize("releases", [200, 400])
def test_at_the_delta_of_the_releases(releases):
    """α is that of three releases, exactly worked out: with less, doubles find more than δ; with more, nearly δ."""
    budget = ApproximateBudget(parse_level("1/10"), F(1, 1000))
    long, slow = both(budget, [SKEWED.rows] * (releases - 1), SKEWED.n)
    found = long.alpha(budget.delta)
    for other in (slow, both(budget, [SKEWED.rows] * 2, SKEWED.n)[1]):
        exact = other.alpha(budget.delta)
        assert (found.lower, found.upper) == (exact.lower, exact.upper)
    assert exact.upper.ratio < exact.lower.ratio * (1 + F(1, 10**20))
    assert long.delta(Level.of_ratio(found.lower.ratio * F(999, 1000))).lower > budget.delta
    assert long.delta(Level.of_ratio(found.upper.ratio)).upper < budget.delta + F(1, 10**9)
    assert long.alpha(budget.delta / 2).lower.is_infinite


@pytest.mark.parametrize("few", [0, 16])
def test_windows_hold_their_greatest_values(few):
    """Windows of one ladder, of one that is not mapped to itself, and wide ones: as each is defined, in doubles."""
    wide = enclosed([GaussianBudget(F(1, 2))], 64).upper[0]
    grids = Grids((TradeOff.approximate(F(3, 2)), TradeOff.approximate(F(2), F(1, 9)), TradeOff.approximate(F(7, 5))))
    many = [[window_of(wide.kinks, u, y) for u, y in wide.points]]
    many += grids.windows
    for windows in many:
        points = 1 + max(window.end[0] + bool(window.end[1]) for window in windows)
        found = np.random.default_rng(1).random((2, 3, points))
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(profile_bounds, "FEW_POINTS", few)
            own = profile_bounds.WindowsInDoubles(windows).greatest(found)
        for place, window in enumerate(windows):
            ends = []
            for at, part in (window.start, window.end):
                onward = found[:, :, at + 1] if part else found[:, :, at]
                ends.append(found[:, :, at] * (1 - float(part)) + onward * float(part))
            inside = [found[:, :, at] for at in range(window.first, window.last)]
            assert np.allclose(own[:, :, place], np.max([*ends, *inside], axis=0), rtol=0, atol=1e-15)
