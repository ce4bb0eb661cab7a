"""Theorem (profile) against all tests as a linear program, against the sweep, and by the definition of what attains."""

from contextlib import contextmanager
from fractions import Fraction
from itertools import permutations, product
from math import prod
from statistics import NormalDist

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.reference import INFINITE, ZERO, InvalidLevel, InvalidRequest, Level, parse_level, worst_case_leakage
from tploracle.reference.worst_case import profile_grids
from tploracle.reference.worst_case.profile import ProfileSide, pair_bound
from tploracle.reference.worst_case.profile_budgets import (
    ApproximateBudget,
    GaussianBudget,
    _is_above,
    enclosed,
)
from tploracle.reference.worst_case.trade_off import TradeOff
from tploracle.reference.worst_case.worst_profile import WorstProfile
from tploracle.solvers.linear_programs.profiles import profile_by_program, profile_program
from tploracle.solvers.worst_case.profile_bounds import PairFilter, RankedPairs

from ...matrices import CYCLE, DIVERGES, HALF, MODERATE, SKEWED, STRONGEST, SWAP, SYMMETRIC, UNCORRELATED
from ...profiles import examples
from ...strategies import log, matrices

F = Fraction
RATIOS = st.sampled_from([F(1), F(11, 10), F(3, 2), F(2), F(5)])
DELTAS = st.sampled_from([F(0), F(1, 100), F(1, 7), F(1, 2)])


@st.composite
def trade_offs(draw):
    """ε, (ε, δ), total variation, zero, and the least of several, made symmetric."""
    found = TradeOff.approximate(draw(RATIOS), draw(DELTAS))
    for _ in range(draw(st.integers(0, 2))):
        line = draw(st.sampled_from([(F(3), F(1, 20)), (F(1, 3), F(2, 3)), (F(1), F(1, 4)), (F(7, 2), F(0))]))
        found = found.both(TradeOff.least([line]))
    return found.symmetric()


def seen_matrices(n):
    """Matrices whose entries HiGHS surely sees: those below 1e-9 it leaves out."""
    return matrices(n, n, kinds=["ties", "sparse", "permutation", "smoothed"]).filter(
        lambda own: all(not p or p > F(1, 10**6) for row in own.rows for p in row)
    )


@st.composite
def sides(draw, most=((2, 3), (3, 3)), one=True):
    """A side with a matrix of its own for each step, and one φ, or several; an e^α; a pair of values."""
    n, releases = draw(st.sampled_from([(n, t) for n, longest in most for t in range(2, longest + 1)]))
    own_steps = st.lists(seen_matrices(n), min_size=releases - 1, max_size=releases - 1)
    steps = tuple(own.rows for own in draw(own_steps))
    phis = (draw(trade_offs()),) * releases if one else tuple(draw(trade_offs()) for _ in range(releases))
    odds = draw(st.sampled_from([F(1), F(11, 10), F(3, 2), F(2), F(9, 2)]))
    return ProfileSide(phis, steps), odds, draw(st.sampled_from(list(permutations(range(n), 2))))


PURE = TradeOff.approximate(F(2))
MIXED = TradeOff.approximate(F(3, 2), F(1, 20))


def told(chance, pair, chances_between):
    """Return the chance of a test, of which each sequence's is given, under either value of a pair."""
    found = dict.fromkeys(pair, F(0))
    for values, own in chance.items():
        if values[0] in found:
            found[values[0]] += own * prod(chances_between(values), start=F(1))
    return tuple(found.values())


def attained(side, test):
    """Return the chances of a test under its pair by its definition, after looking at every neighbour."""
    n, (j, _) = len(side.steps[0]), test.pair
    near = side.trade_offs[0]
    chance = {}
    for values in product(range(n), repeat=len(side.trade_offs)):
        inner = test.value(side.trade_offs, values[1:])
        chance[values] = near(inner) if values[0] == j else inner
    for values, own in chance.items():
        for s, phi in enumerate(side.trade_offs):
            for other in range(n):
                moved = chance[(*values[:s], other, *values[s + 1 :])]
                assert moved <= phi(own)
                assert 1 - moved <= phi(1 - own)

    def chances_between(values):
        return [step[a][b] for step, a, b in zip(side.steps, values, values[1:], strict=False)]

    return told(chance, test.pair, chances_between)


@given(sides())
@example((ProfileSide((PURE,) * 3, (DIVERGES.rows,) * 2), F(3, 2), (0, 1)))
@example((ProfileSide((MIXED,) * 3, (CYCLE.rows, DIVERGES.rows)), F(2), (2, 1)))
@example((ProfileSide((MIXED,) * 3, (STRONGEST.rows,) * 2), F(4), (0, 1)))
@examples(15)
def test_exact_against_all_tests(case):
    """The bound is the optimum over all tests, a test attains it, and that test is private by definition."""
    side, odds, pair = case
    found = pair_bound(side, odds, pair)
    assert found.delta == profile_by_program(side.trade_offs, odds, pair, side.steps)
    p, q = attained(side, found.test)
    assert p - odds * q == found.delta
    assert found.test.chances(side) == (p, q)
    low, high = found.test.chances(side, 40)
    assert p - F(1, 2**30) <= low <= p
    assert q <= high <= q + F(1, 2**30)
    rounded = pair_bound(side, odds, pair, 40).delta
    assert found.delta <= rounded <= found.delta + F(1, 2**30)


@given(sides(((2, 3), (3, 3)), one=False))
@examples(12)
def test_different_budgets_bound_and_attain(case):
    """With φ that do not commute the optimum lies between the bound and what a private test attains."""
    side, odds, pair = case
    bound = pair_bound(side, odds, pair).delta
    optimum = profile_by_program(side.trade_offs, odds, pair, side.steps)
    assert optimum <= bound
    if side.commutes():
        assert optimum == bound
    private = False
    for smaller in side.attainable:
        assert all(a.at_most(b) for a, b in zip(smaller.trade_offs, side.trade_offs, strict=True))
        test = pair_bound(smaller, odds, pair).test
        if test.is_private(smaller):
            p, q = attained(smaller, test)
            assert p - odds * q <= optimum
            private = True
    assert private


def test_the_release_of_the_time_itself_must_commute_too():
    """A value that stays, (0, 1/10) and then log 2, at e^α = 2: the bound is twice what any test has."""
    side = ProfileSide((PURE, TradeOff.approximate(F(1), F(1, 10))), (STRONGEST.rows,))
    assert profile_by_program(side.trade_offs, F(2), (0, 1), side.steps) == F(1, 10)
    assert pair_bound(side, F(2), (0, 1)).delta == F(1, 5)
    assert not side.commutes()
    told = [(own, pair_bound(own, F(2), (0, 1))) for own in side.attainable]
    assert max(found.delta for own, found in told if found.test.is_private(own)) == F(1, 10)


@contextmanager
def few_kinks(many=5, kept=5, spacing=0.01):
    """Leave points out already of more than a few."""
    with pytest.MonkeyPatch.context() as patch:
        for name, number in (("MANY_KINKS", many), ("KEPT_KINKS", kept), ("FINEST_Z", spacing)):
            patch.setattr(profile_grids, name, number)
        profile_grids.Grids.of.cache_clear()
        yield
    profile_grids.Grids.of.cache_clear()


@given(sides(((2, 4), (3, 3)), one=False))
@example((ProfileSide((MIXED, PURE, MIXED, TradeOff.approximate(F(5), F(1, 100))), (SKEWED.rows,) * 3), F(1), (0, 1)))
@examples(8)
@few_kinks()
def test_with_points_left_out_it_is_still_a_bound(case):
    """The optimum of all tests is at most the bound, and what its own test has, where that is private, at most that."""
    side, odds, pair = case
    side = ProfileSide(side.trade_offs, side.steps)
    found, optimum = pair_bound(side, odds, pair, 60), profile_by_program(side.trade_offs, odds, pair, side.steps)
    assert optimum <= found.delta
    assert optimum <= pair_bound(side, odds, pair).delta
    p, q = found.test.chances(side)
    assert p - odds * q <= (optimum if found.test.is_private(side) else found.delta)
    most = side.trade_offs[0](F(0)) + F(PairFilter(side).beyond(float(odds), [pair])[0])
    assert found.delta - F(1, 2**50) <= most <= found.delta + F(1, 10**9)


def test_with_points_left_out_no_answer_is_called_exact():
    """It is enclosed, also where one budget is of all releases."""

    def told():
        profile = WorstProfile([ApproximateBudget(log("3/2"), F(1, 100))] * 6, [SKEWED.rows] * 5, [(0, 1), (1, 0)])
        return profile.delta(log(2)), profile.alpha(F(1, 10))

    (exact, level), (delta, alpha) = told(), few_kinks(8, 7)(told)()
    assert delta.lower <= exact.lower == exact.upper < delta.upper
    assert alpha.lower <= level.lower == level.upper < alpha.upper


@given(matrices(2, 3, kinds=["ties", "sparse", "smoothed"]), RATIOS.filter(lambda r: r > 1), st.integers(1, 4))
@example(DIVERGES, F(3, 2), 4)
@examples(8)
def test_pure_budgets_are_the_sweep(matrix, ratio, releases):
    """δ(α) is 0 exactly from the exact worst case of BPL on, and α at δ = 0 is that level."""
    level = Level.of_ratio(ratio)
    bpl = worst_case_leakage([level] * releases, matrix).bpl[-1]
    pairs = list(permutations(range(matrix.n), 2))
    found = WorstProfile([ApproximateBudget(level)] * releases, [matrix.rows] * (releases - 1), pairs, RankedPairs())
    alpha = found.alpha(F(0))
    assert alpha.lower == alpha.upper == bpl
    assert found.delta(bpl).upper == 0
    if not bpl.is_zero:
        below = Level.of_ratio(1 + (bpl.ratio - 1) * F(999, 1000))
        assert found.delta(below).lower > 0


@pytest.mark.parametrize("matrix", [DIVERGES, CYCLE, SKEWED, UNCORRELATED, MODERATE])
@pytest.mark.parametrize("budget", [ApproximateBudget(log(2), F(1, 50)), ApproximateBudget(parse_level("1/3"))])
def test_ranking_changes_nothing(matrix, budget):
    """Doubles choose what is worked out; without them all pairs are."""
    pairs = list(permutations(range(matrix.n), 2))
    for alpha in (log("3/2"), parse_level("1/2"), log(3)):
        fast, slow = (
            WorstProfile([budget] * 4, [matrix.rows] * 3, pairs, *ranking).delta(alpha)
            for ranking in ([RankedPairs()], [])
        )
        assert (fast.lower, fast.upper) == (slow.lower, slow.upper)
        assert fast.lower <= fast.upper <= fast.lower + F(1, 10**20)


def test_enclosures_contain_what_a_rational_ratio_close_by_has():
    """e^(1/3) lies between two rationals 1e-9 apart: δ and α too."""
    pairs = [(0, 1), (1, 0)]
    middle = F(1395612425, 10**9)
    profiles = [
        WorstProfile([ApproximateBudget(level, F(1, 100))] * 3, [SKEWED.rows] * 2, pairs)
        for level in (Level.of_ratio(middle), parse_level("1/3"), Level.of_ratio(middle + F(1, 10**9)))
    ]
    below, own, above = (profile.delta(log("3/2")) for profile in profiles)
    assert below.upper <= own.lower <= own.upper <= above.lower
    low, between, high = (profile.alpha(F(1, 10)) for profile in profiles)
    assert low.upper <= between.lower <= between.upper <= high.lower
    assert profiles[1].delta(between.upper).upper <= F(1, 10)


@given(matrices(2, 3, kinds=["smoothed"]).filter(lambda own: all(map(all, own.rows))), DELTAS.filter(bool))
@example(SKEWED, F(1, 10**6))
@examples(6)
def test_at_the_delta_of_a_release_alpha_is_finite(matrix, delta):
    """Where every value may come before every other, what one value excludes has no more chance than one δ: no rounding
    adds to that, so that α is enclosed between those of two rational e^ε."""
    pairs = list(permutations(range(matrix.n), 2))
    middle = F(1395612425, 10**9)
    low, own, high = (
        WorstProfile([ApproximateBudget(level, delta)] * 3, [matrix.rows] * 2, pairs, RankedPairs()).alpha(delta)
        for level in (Level.of_ratio(middle), parse_level("1/3"), Level.of_ratio(middle + F(1, 10**9)))
    )
    assert low.lower == low.upper <= own.lower <= own.upper <= high.lower == high.upper < INFINITE


def test_alpha_is_where_delta_is():
    profile = WorstProfile([ApproximateBudget(log(2), F(1, 100))] * 3, [HALF.rows] * 2, [(0, 1), (1, 0)])
    for delta in (F(0), F(1, 1000), F(1, 10), F(1, 3)):
        alpha = profile.alpha(delta)
        assert alpha.lower.is_infinite == (delta <= F(1, 1000))  # δ of a single release is more
        if not alpha.lower.is_infinite:
            assert profile.delta(alpha.lower).upper == delta
    assert profile.alpha(F(1)).upper.is_zero
    # three releases about a value that stays: group privacy, δ·(1 + e^ε + e^2ε)
    lost = WorstProfile([ApproximateBudget(log(2), F(1, 100))] * 3, [STRONGEST.rows] * 2, [(0, 1)])
    assert lost.delta(Level.of_ratio(F(10**6))).lower == F(7, 100)


def test_by_hand():
    """One release: the (ε, δ) curve itself. Two of a value that stays: e^ε twice. Draws without memory: one alone."""
    one = WorstProfile([ApproximateBudget(log(2), F(1, 10))], [], [(0, 1)])
    assert one.delta(log(2)).lower == one.delta(log(2)).upper == F(1, 10)
    for matrix, ratio in ((STRONGEST, 4), (SWAP, 4), (UNCORRELATED, 2)):
        two = WorstProfile([ApproximateBudget(log(2))] * 2, [matrix.rows], [(0, 1), (1, 0)])
        assert two.alpha(F(0)).lower == log(ratio)
    with pytest.raises(InvalidLevel):
        one.delta(INFINITE)
    with pytest.raises(InvalidRequest, match="δ must be from 0 to 1"):
        one.alpha(F(2))
    with pytest.raises(InvalidRequest, match="3 trade-off functions for 1"):
        WorstProfile([ApproximateBudget(log(2))] * 3, [SWAP.rows], [(0, 1)])
    with pytest.raises(InvalidRequest, match="at most 512"):
        profile_program([PURE] * 10, F(1), (0, 1), [SWAP.rows] * 9)


def test_gaussian_noise_is_enclosed():
    """One release: Φ(μ/2 − α/μ) − e^α Φ(−μ/2 − α/μ), Theorem 8 of Balle and Wang; T about a value that stays: μ√T."""
    normal = NormalDist().cdf
    alpha, e = 0.5, Level.of(F(1, 2))
    for budgets, steps, mu in (([GaussianBudget(F(1))], [], 1.0), ([GaussianBudget(F(5), F(2))] * 3, 2, 0.4)):
        matrix = [UNCORRELATED.rows] * steps if steps else []
        found = WorstProfile(budgets, matrix, [(0, 1)]).delta(e)
        known = normal(mu / 2 - alpha / mu) - 2.718281828459045**alpha * normal(-mu / 2 - alpha / mu)
        assert found.lower - F(1, 10**12) <= F(known) <= found.upper + F(1, 10**12)
        assert found.upper - found.lower < F(1, 5000)
    stays = WorstProfile([GaussianBudget(F(5), F(2)), GaussianBudget(F(5))], [STRONGEST.rows], [(0, 1)]).delta(e)
    mu = 0.6  # joint streams add their μ: shared noise
    known = normal(mu / 2 - alpha / mu) - 2.718281828459045**alpha * normal(-mu / 2 - alpha / mu)
    assert stays.lower <= F(known) <= stays.upper < stays.lower + F(1, 2000)


@pytest.mark.parametrize("sigma", [129, 500, pytest.param(10**6, marks=pytest.mark.slow)])
def test_much_noise_is_enclosed_as_closely(sigma):
    """No grid has so small a μ for its spacing: points of φ are taken. One release, by Balle and Wang's formula."""
    mu, e = mp.mpf(1) / sigma, mp.exp(mp.mpf(1) / sigma)
    known = mp.ncdf(mu / 2 - 1) - e * mp.ncdf(-mu / 2 - 1)
    found = WorstProfile([GaussianBudget(F(sigma))], [], [(0, 1)]).delta(Level.of(F(1, sigma)))
    low, high = (mp.mpf(end.numerator) / end.denominator for end in (found.lower, found.upper))
    assert low * (1 - mp.mpf(10) ** -9) <= known <= high * (1 + mp.mpf(10) ** -9)
    assert high < low * mp.mpf("1.002")


@pytest.mark.parametrize("mu", [F(1, 10**24), F(1, 10**25), F(1, 10**400)])
def test_so_much_noise_that_it_can_hardly_be_told_from_none(mu):
    """It tells μ/√(2π) at α = 0: no more than the least μ does that has points of its own."""
    found = WorstProfile([GaussianBudget(1 / mu), GaussianBudget(F(10**500))], [UNCORRELATED.rows], [(0, 1)]).delta(
        ZERO
    )
    assert found.lower <= mu * F(39894228040143268, 10**17) <= found.upper < F(4, 10**25)
    assert (found.lower == 0) == (mu < F(1, 10**24))


def test_both_sides_of_a_trade_off_are_where_they_say():
    """Below is below and above is above; chords of the very curve are not above it."""
    found = enclosed([ApproximateBudget(parse_level("1/3"), F(1, 100))], 64)
    low, high = found.lower[0], found.upper[0]
    assert low != high
    assert low.at_most(high)
    assert not found.is_exact
    mu = F(1, 2)
    found = enclosed([GaussianBudget(F(2))], 64)
    low, high = found.lower[0], found.upper[0]
    assert low.at_most(high)
    assert _is_above(high, mu)
    assert not _is_above(low, mu)
    assert not _is_above(high, mu + F(1, 1000))


def test_of_one_noise_on_one_grid_no_more_is_told_than_with_a_little_less_noise():
    """Of more than 125 times the sensitivity as much as of that, and of several together more."""
    half = F(1, 2)
    alone = [enclosed([GaussianBudget(F(own))], 112, on_one_grid=True).upper[0] for own in (120, 130, 999)]
    near, far, other = (phi(half) for phi in alone)
    assert NormalDist().cdf(1 / 130) < far == other < near
    assert enclosed([GaussianBudget(F(own)) for own in (130, 999)], 112, on_one_grid=True).upper[1](half) > near


def test_budgets_that_are_none():
    for sigma, sensitivity in ((0, 1), (1, 0), (F(1, 9), 1)):
        with pytest.raises(InvalidRequest):
            GaussianBudget(F(sigma), F(sensitivity))
    with pytest.raises(InvalidRequest, match="probability"):
        ApproximateBudget(log(2), F(2))
    with pytest.raises(InvalidLevel):
        enclosed([ApproximateBudget(parse_level("1/3") + log(2))], 64)
    both = enclosed([GaussianBudget(F(1)), ApproximateBudget(Level.of(0))], 64)
    assert both.lower[1] == TradeOff.approximate(F(1))
    assert enclosed([ApproximateBudget(INFINITE)], 64).lower[0](F(0)) == 1


def test_nobody_to_tell_apart():
    alone = WorstProfile([ApproximateBudget(log(2))] * 2, [SYMMETRIC.rows], [])
    assert alone.delta(log(2)).upper == 0
    assert alone.alpha(F(0)).upper.is_zero
