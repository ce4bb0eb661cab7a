"""The check from above of levels at a δ: it accepts what is so, refuses what is not, and sees faults of the solver."""

from bisect import bisect_right
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction as F
from itertools import permutations
from math import exp
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.certificates import above_profile
from tploracle.certificates.above_profile import (
    FOR_EVER,
    ProfileClaim,
    ProfileDoubles,
    ProfilePoints,
    check_both_for_ever,
    check_for_ever,
    check_side,
    points_of,
    sides_points,
)
from tploracle.checked import checked_leakage_profile, prove_profile
from tploracle.models.stream_profile import leakage_at_delta
from tploracle.reference import (
    ApproximateBudget,
    ConcentratedBudget,
    GaussianBudget,
    Level,
    TransitionMatrix,
    WorstProfile,
    parse_level,
    worst_case_leakage,
)
from tploracle.reference.errors import Refuted, Unchecked
from tploracle.reference.levels import INFINITE, ZERO
from tploracle.reference.worst_case.profile import ProfileSide, pair_bound
from tploracle.reference.worst_case.profile_budgets import enclosed
from tploracle.reference.worst_case.trade_off import IGNORED, TradeOff
from tploracle.solvers.worst_case import leakage_profile, profile_passes
from tploracle.unchecked import forget, unchecked

from ..profiles import examples
from ..strategies import matrices

TENTH = parse_level("0.1")
NOTHING, QUARTER = ApproximateBudget(ZERO), ApproximateBudget(ZERO, F(1, 4))
TINY = F(1, 10**14)
KINDS = [
    ApproximateBudget(Level.of_ratio(F(3, 2))),
    ApproximateBudget(Level.of_ratio(F(11, 10)), F(1, 10**4)),
    ApproximateBudget(Level.of_ratio(F(1)), F(1, 100)),
    ApproximateBudget(TENTH, F(1, 10**6)),
    GaussianBudget(F(3)),
    ConcentratedBudget(F(1, 50)),
]
ODD = [NOTHING, *(ApproximateBudget(Level.of_ratio(F(11, 10)), own) for own in (TINY, F(1, 10**17), 1 - TINY))]
"""Also of a δ that is hardly above 0 or below 1, with which φ comes to 1 or is 1 beside 1 or 0."""

CLICKS = TransitionMatrix.of([["0.9", "0.05", "0.05"], ["0.2", "0.5", "0.3"], ["0.2", "0.4", "0.4"]])


def between(u, values, at):
    """Return a function at a rational number, exactly: it is linear between the points."""
    place = min(max(bisect_right(u.tolist(), at) - 1, 0), len(u) - 2)
    (a, b), (low, high) = map(F, u[place : place + 2]), map(F, values[place : place + 2])
    return low + (at - a) / (b - a) * (high - low)


def moved(level, part):
    return Level.of_ratio(1 + level.excess_bounds(200)[0] * part)


def too_great(*asked, **_among):
    raise OverflowError("integers are to decide")


@given(
    st.integers(2, 3).flatmap(lambda n: st.lists(matrices(n, n, kinds=["ties", "sparse"]), min_size=3, max_size=3)),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
    st.lists(st.sampled_from(KINDS[:3]), min_size=4, max_size=4),
    st.sampled_from([F(0), F(1, 20), F(1, 300), F(1, 10**12), F(1, 10**18)]),
    st.integers(0, 3),
)
@examples(60)
def test_the_exact_level_passes_and_no_lesser_one(own, same, budgets, delta, depth):
    """Against the definition, every pair by itself; where φ do not commute the definition gives bounds alone."""
    alike, equal, in_doubles = same
    steps = [own[0].rows] * 3 if alike else [matrix.rows for matrix in own]
    budgets = budgets[:1] * 4 if equal else budgets
    pairs = list(permutations(range(len(steps[0])), 2))
    found = WorstProfile(budgets[: depth + 1], steps[:depth], pairs).alpha(delta)
    with pytest.MonkeyPatch.context() as patch:
        if not in_doubles:
            patch.setattr(above_profile, "ProfileDoubles", too_great)
        check_side(budgets, steps, [ProfileClaim(depth, found.upper, delta)])
        if found.lower.is_zero or found.lower.is_infinite:
            return
        with pytest.raises(Refuted if equal else (Refuted, Unchecked)):
            check_side(budgets, steps, [ProfileClaim(depth, moved(found.lower, F(999_999, 10**6)), delta)])


@given(
    st.integers(2, 3).flatmap(lambda n: st.lists(matrices(n, n, kinds=["ties", "sparse"]), min_size=3, max_size=3)),
    st.sampled_from([*KINDS[:4], *ODD]),
    st.sampled_from([F(1, 20), F(1, 300), F(1, 10**12)]),
    st.integers(0, 3),
)
@examples(40)
def test_doubles_alone_prove_nearly_the_exact_level(own, budget, delta, depth):
    steps = [matrix.rows for matrix in own][:depth]
    pairs = list(permutations(range(len(own[0].rows)), 2))
    found = WorstProfile([budget] * (depth + 1), steps, pairs).alpha(delta).upper
    if found.is_infinite:
        return
    claim = ProfileClaim(depth, moved(found, 1 + F(1, 10**9)) if found > ZERO else found, delta)
    assert not ProfileDoubles([budget], steps, [claim], np.array(pairs)).left()


@given(
    st.lists(st.sampled_from([*KINDS, *ODD]), min_size=1, max_size=3),
    st.integers(1, 12),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-12, 1e-250]),
)
@example([ApproximateBudget(Level.of_ratio(F(2) ** 53))], 10, 0, 1e-250)
@examples(20)
def test_functions_are_nowhere_below_the_greatest_in_their_window(budgets, releases, seed, least):
    """max of g over [u, φ(u)] at any u, by every point in it; also for g that is no concave function.

    A kink near which φ comes to 1 is not moved so far that φ is below it there.
    """
    draw = np.random.default_rng(seed)
    phis = enclosed(budgets, 112, on_one_grid=True).upper
    (points,), phi = sides_points([phis], releases, least), phis[-1]
    u = points.u
    rough = draw.normal(size=len(u))
    linear = draw.normal(size=3) @ np.array([np.ones_like(u), u, -u * u])
    even = 1e-15 * rough
    g = np.array([linear, rough, rough * np.exp(-20 * u), 1 + even, even - 1, 1e200 * linear])
    every = [*map(F, [*draw.random(20), *(u[1] * draw.random(5)), *draw.choice(u, 20), *phis[0].kinks[:8]])]
    assert all(between(u, points.own, at) >= phis[0](at) for at in every)
    assert_greatest(u, phi, g, points.greatest(len(phis), g[None])[0], every)


def assert_greatest(u, phi, g, bounds, every):
    """Functions `bounds` are nowhere below the maximum of g over [u, φ(u)], at every rational u of these."""
    for at in every:
        leads = phi(at)
        (inside,) = np.nonzero([at < F(point) < leads for point in u])
        for values, bound in zip(g, bounds, strict=True):
            most = F(values[inside].max(initial=-np.inf)) if len(inside) else between(u, values, at)
            assert between(u, bound, at) >= max(most, between(u, values, at), between(u, values, leads))


@given(st.integers(0, 2**32 - 1), st.sampled_from([6, 40]))
@examples(10)
def test_where_phi_leads_past_points_from_nearly_every_piece(seed, number):
    """Points that are denser near 0, where φ rises by more than they lie apart; and all others beyond 1/2."""
    draw, phi = np.random.default_rng(seed), TradeOff.approximate(F(3))
    u = np.array([0, *np.geomspace(1e-3, 0.24, number), 1])
    points = ProfilePoints(phi, u, False)
    g = draw.normal(size=(3, len(u))) * np.array([[1], [1e-3], [1e5]])
    inner = (u[:-1] + np.diff(u) * draw.random(len(u) - 1)).tolist()
    assert_greatest(points.u, phi, g, points.greatest(g[None])[0], [*map(F, [*inner, *u])])


def test_a_point_is_not_moved_beyond_where_phi_comes_to_1_nor_onto_the_next():
    phi = TradeOff.approximate(F(3), F(1, 9))
    top = next(u for u, y in phi.points if y == 1)
    before = float(phi.reached_at(top))
    beside = ProfilePoints(phi, np.array([0, before, float(top) * (1 - 3e-13), 1]), True)
    assert between(beside.u, beside.own, top) == 1
    for start in (0.45, 0.5, 0.55):
        u = np.array([0, start, float(phi(F(start))) * (1 - 3e-13), 1])
        led = ProfilePoints(phi, u, False).own[1]
        points = ProfilePoints(phi, np.insert(u, 3, led), True)
        assert points.u.tolist() == [*u[:3], led, 1]
        assert points.own[1] == led


@pytest.mark.parametrize("before", [1e-6, 1e-8])
def test_near_0_the_first_function_alone_is_raised_by_enough(before):
    """φ(1/5) = 3/10, just before which g rises, and g is 1 at 1/5, where φ leads 2/15; or the second one, too."""
    phi, u = TradeOff.approximate(F(3, 2)), np.array([0, 0.2, 0.3 - before, 0.3 + 1e-13, 1])
    points = ProfilePoints(phi, u, False)
    assert (1e5 < points.amplification < above_profile.MOST_AMPLIFIED) == (before == 1e-6)
    bounds = points.greatest(np.array([[[0, 1, 0, 1.2, 1.2]], [[0, 0, 1, 0, 0]]]))[:, 0]
    assert 1 <= between(points.u, bounds[0], F(0.2) * F(2, 3)) < (1 + F(1, 10**6) if before == 1e-6 else 2)
    assert between(points.u, bounds[1], F(points.u[2]) * F(2, 3)) >= 1


@given(
    st.sampled_from([*KINDS, *ODD, QUARTER, ApproximateBudget(Level.of_ratio(F(3)), F(1, 9))]),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
@examples(30)
def test_points_may_be_any(budget, seed, may_move):
    """Also those beyond which a line is far above 1, and those that φ leads next to where it comes to 1."""
    draw = np.random.default_rng(seed)
    (phi,) = enclosed([budget], 112).upper
    top = float(next(u for u, y in phi.points if y == 1))
    near = [own for own in (top * (1 - 3e-13), top, top * (1 + 3e-13), float(phi.reached_at(F(top)) or 0)) if own < 1]
    points = ProfilePoints(phi, np.unique([0, *draw.random(draw.integers(1, 9)), *near, 1]), may_move)
    u, inner = points.u, draw.random(20)
    assert (np.diff(u) > 0).all()
    for at in map(F, [*u, *inner, top, *phi.kinks[:8], *phi.kinks[-8:]]):
        assert between(u, points.own, at) >= phi(at)


def test_every_pair_of_values_counts():
    """Whichever two values tell the most, by the first matrix alone, in doubles and in integers."""
    budget, even = ApproximateBudget(Level.of_ratio(F(3, 2)), F(1, 100)), ((F(1, 3),) * 3,) * 3
    for order in permutations(range(3)):
        rows = tuple(tuple(CLICKS.rows[a][b] for b in order) for a in order)
        found = WorstProfile([budget] * 3, [rows, even], [*permutations(range(3), 2)]).alpha(F(1, 50)).lower
        claims = [ProfileClaim(2, moved(found, F(999_999, 10**6)), F(1, 50))]
        for doubles in (ProfileDoubles, too_great):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(above_profile, "ProfileDoubles", doubles)
                with pytest.raises(Refuted):
                    check_side([budget] * 3, [rows, even], claims)


def test_functions_that_rise_by_a_unit_are_nowhere_below_the_greatest_in_their_window():
    """Where φ leads many points between the same two, nearly to the second one, and passes none."""
    phi, rise = TradeOff.approximate(F(3, 2)), 2.0**-52
    points = ProfilePoints(phi, np.array([0, 0.4, *np.linspace(0.6, 0.7, 40), 0.8001, 1]), False)
    g = np.array([own + rise * np.arange(len(points.u)) for own in (1.25, 0, -1.25)])
    for values, bounds in zip(g, points.greatest(g[None])[0], strict=True):
        for u, bound in zip(points.u, bounds, strict=True):
            exact = between(points.u, values, phi(F(u)))
            assert exact <= bound <= exact + 100 * F(rise)


def rational_rows(draw, n):
    """Return rows whose entries are no doubles, some of them 0."""
    table = draw.integers(0, 30, size=(n, n)) + np.eye(n, dtype=int)
    return tuple(tuple(F(int(own), int(row.sum())) for own in row) for row in table)


def below(value):
    """Return the greatest double below a number."""
    found = float(value)
    return found if F(found) < value else np.nextafter(found, -np.inf)


@given(
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.sampled_from([QUARTER, ApproximateBudget(Level.of_ratio(F(3, 2)), F(1, 50)), ApproximateBudget(ZERO, TINY)]),
)
@examples(30)
def test_doubles_prove_no_less_than_the_bounds_of_the_theorem(seed, with_own, budget):
    """m and M of a pair after each release, exactly, and a double below them.

    M is m with many more releases of values that do not change: then each function is greatest at 0.
    """
    draw = np.random.default_rng(seed)
    n, depth = int(draw.integers(2, 5)), 3
    steps = [rational_rows(draw, n) for _ in range(depth)]
    if seed % 3 == 0:  # rows that differ little, so that nearly all cancels
        change = [TINY, -TINY, *[F(0)] * (n - 2)]
        steps[0] = tuple(tuple(F(1, n) + (own if row else 0) for own in change) for row in range(n))
    odds, pair = float(draw.uniform(0.3, 2)) if seed % 3 else 1.0, (0, 1)
    (phi,), unmoved = enclosed([budget], 112).upper, tuple(tuple(F(int(a == b)) for b in range(n)) for a in range(n))
    phis = (phi if with_own else IGNORED, *[phi] * 9)
    known = ProfileDoubles([budget], steps, [ProfileClaim(depth, TENTH, F(1, 100))], np.array([pair]))

    def proved_to(releases, delta):
        asked = np.array([0]), np.array([odds]), np.array([releases]), np.array([delta])
        return known.proved_to(asked, with_own)[0]

    def bound(matrices):
        return pair_bound(ProfileSide(phis[: len(matrices) + 1], tuple(matrices)), F(odds), pair).delta

    for releases in range(depth + 1):
        own = bound(steps[:releases])
        assert proved_to(releases, below(own)) < releases or (not releases and proved_to(0, below(own)) < 0)
        assert proved_to(releases, float(own) * (1 + 1e-9) + 1e-13) >= releases
        if releases and budget == QUARTER:
            ever = bound([*steps[:releases], *[unmoved] * 6])
            assert proved_to(releases, below(ever)) < FOR_EVER
            assert proved_to(releases, float(ever) * (1 + 1e-9) + 1e-13) == FOR_EVER


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_what_sums_of_many_lose_is_added(depth):
    """Behind the first value 799 others have less than half a unit each; all but the last may lead to the same one."""
    n, little, zeros = 801, F(9, 10) * F(1, 2**54), [F(0)] * 799
    behind = [(1 - 799 * little, *[little] * 799, F(0)), *[(F(0), *zeros, F(1))] * 800]
    steps = [behind, *[[(F(a != 800), *zeros, F(a == 800)) for a in range(n)]] * 2][:depth]
    known = ProfileDoubles([QUARTER], steps, [ProfileClaim(depth, TENTH, F(1, 4))], np.array([(0, 1)]))

    def proved_to(delta):  # with each release the first value gains 1/4 on the second, and 1 at most
        asked = [np.array([own]) for own in (0, 1.0, depth, delta)]
        return known.proved_to(asked, False)[0]

    assert proved_to(depth / 4 - 2e-15) < depth <= proved_to(depth / 4 + 1e-12)
    assert proved_to(1 - 2e-15) < FOR_EVER == proved_to(1 + 1e-12)


def test_what_each_release_may_lose_is_added():
    """Two values that do not change, and 60 releases with each of which one gains 1/64 on the other."""
    unmoved = ((F(1), F(0)), (F(0), F(1)))
    budget = ApproximateBudget(ZERO, F(1, 64))
    known = ProfileDoubles([budget], [unmoved] * 60, [ProfileClaim(60, TENTH, F(1, 4))], np.array([(0, 1)]))
    for delta, least, most in (
        (60 / 64 - 1e-15, 0, 59),
        (60 / 64 + 1e-12, 60, 60),
        (1 - 1e-15, 60, 60),
        (1 + 1e-12, FOR_EVER, FOR_EVER),
    ):
        asked = [np.array([own]) for own in (0, 1.0, 60, delta)]
        assert least <= known.proved_to(asked, False)[0] <= most


def test_noise_is_proved_by_phi_from_above_and_refuted_by_phi_from_below():
    """Of one release δ(α) is Φ(μ/2 − α/μ) − e^α·Φ(−μ/2 − α/μ): no less is proved, and no more is refuted."""
    normal, mu, alpha = NormalDist(), 1 / 3, 0.25
    truth = normal.cdf(mu / 2 - alpha / mu) - exp(alpha) * normal.cdf(-mu / 2 - alpha / mu)
    for part, error in ((0.999, Refuted), (1 - 1e-6, Unchecked), (1 + 1e-6, Unchecked), (1.01, None)):
        claim = ProfileClaim(0, Level.of_ratio(F(exp(alpha))), F(truth * part))
        with pytest.raises(error) if error else nullcontext():
            check_side([GaussianBudget(F(3))], [], [claim])


def test_of_different_budgets_a_bound_that_is_not_attained_refutes_nothing():
    """docs/profile.md: values that do not change, the bound is 1/5, and 1/10 the truth."""
    budgets = [ApproximateBudget(Level.of_ratio(F(2))), ApproximateBudget(ZERO, F(1, 10))]
    unmoved = ((F(1), F(0)), (F(0), F(1)))
    check_side(budgets, [unmoved], [ProfileClaim(1, Level.of_ratio(F(2)), F(1, 5) + TINY)])
    with pytest.raises(Unchecked, match="with 1 other releases values 1 and 2: "):
        check_side(budgets, [unmoved], [ProfileClaim(1, Level.of_ratio(F(2)), F(3, 20))])


@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
@examples(12)
def test_what_doubles_leave_open_is_what_exceeds_delta(seed, is_one_delta, is_one_depth):
    """Many claims of all pairs, of which some levels are too low, in parts of a few rows."""
    draw = np.random.default_rng(seed)
    budget, n = ApproximateBudget(Level.of_ratio(F(3, 2)), F(1, 200)), 3
    steps = [rational_rows(draw, n) for _ in range(3)]
    pairs = np.array(list(permutations(range(n), 2)))
    claims = [
        ProfileClaim(
            2 if is_one_depth else int(draw.integers(0, 4)),
            Level.of_ratio(F(float(draw.uniform(1, 2)))),
            F(1, 50) if is_one_delta else F(int(draw.integers(1, 3)), 50),
        )
        for _ in range(20)
    ]
    (phi,) = enclosed([budget], 112).upper
    too_much = {
        (at, place)
        for at, own in enumerate(claims)
        for place, pair in enumerate(map(tuple, pairs.tolist()))
        if pair_bound(
            ProfileSide((phi,) * (own.depth + 1), tuple(steps[: own.depth])), 1 + own.alpha.excess_bounds()[0], pair
        ).delta
        > own.delta
    }
    numbers = {id(own): at for at, own in enumerate(claims)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(above_profile, "MOST_DOUBLES", 300)
        left = ProfileDoubles([budget], steps, claims, pairs).left()
    assert {(numbers[id(own)], place) for own, place in left} == too_much


@pytest.mark.parametrize("order", [*permutations(range(3)), (0, 1)])
def test_an_infinite_horizon(order):
    """Thirteen times φ leads 0 to 1: nothing farther counts, and the exact α with so many releases is that for ever."""
    budget, delta = ApproximateBudget(Level.of_ratio(F(3, 2)), F(1, 50)), F(1, 30)
    rows = ((F(9, 10), F(1, 10)), (F(1, 5), F(4, 5))) if len(order) == 2 else CLICKS.rows
    steps = [tuple(tuple(rows[a][b] for b in order) for a in order)] * 13
    exact = WorstProfile([budget] * 14, steps, [*permutations(range(len(rows)), 2)]).alpha(delta).upper
    check_for_ever(budget, steps, ProfileClaim(13, moved(exact, 1 + F(1, 10**9)), delta))
    with pytest.raises(Refuted, match="tell more than δ"):
        check_for_ever(budget, steps, ProfileClaim(13, moved(exact, F(9_999, 10_000)), delta))
    with pytest.raises(Unchecked, match="1 releases leave open"):
        check_for_ever(budget, steps, ProfileClaim(1, moved(exact, 1 + F(1, 10**9)), delta))


def test_what_needs_no_proof():
    """∞, a δ of 1, and one value alone."""
    for claim in (ProfileClaim(1, INFINITE, F(0)), ProfileClaim(1, ZERO, F(1))):
        check_side([QUARTER] * 2, [CLICKS.rows], [claim])
        check_for_ever(QUARTER, [CLICKS.rows], claim)
    check_side([QUARTER] * 2, [((F(1),),)], [ProfileClaim(1, ZERO, F(0))])
    check_for_ever(QUARTER, [((F(1),),)], ProfileClaim(1, ZERO, F(0)))


def test_a_bound_that_is_just_delta_is_decided_exactly():
    """Two values that do not change tell 1/10 more with each release; no number of bits has 1/5."""
    budgets, unmoved = [ApproximateBudget(ZERO, F(1, 10))] * 2, ((F(1), F(0)), (F(0), F(1)))
    check_side(budgets, [unmoved], [ProfileClaim(1, ZERO, F(1, 5))])
    with pytest.raises(Refuted):
        check_side(budgets, [unmoved], [ProfileClaim(1, ZERO, F(1, 5) - F(1, 10**200))])
    check_side([ApproximateBudget(parse_level("1/2"), F(1, 1024))], [], [ProfileClaim(0, parse_level("1"), F(1, 1024))])


@pytest.mark.parametrize("epsilon", ["300", "710", "5000"])
@pytest.mark.parametrize("releases", [1, 3])
def test_what_is_too_small_is_refuted_where_epsilon_is_beyond_doubles(epsilon, releases):
    """Of a transcendental e^ε the truth is between two that are rational: what the lesser one exceeds is refuted."""
    budgets, delta = [ApproximateBudget(parse_level(epsilon), F(0))] * releases, F(1, 128)
    steps = [CLICKS.rows] * (releases - 1)
    exact = WorstProfile(budgets, steps, [*permutations(range(CLICKS.n), 2)]).alpha(delta)
    check_side(budgets, steps, [ProfileClaim(releases - 1, exact.upper, delta)])
    for wrong in (ZERO, parse_level("1/2"), moved(exact.lower, 1 - F(1, 10**15))):
        with pytest.raises(Refuted):
            check_side(budgets, steps, [ProfileClaim(releases - 1, wrong, delta)])


UNIT = F(1, 2**1074)
"""The least double above 0."""

CERTAIN = ((F(1, 2), F(1, 2), F(0), F(0)), *[(F(0), F(0), F(1, 2), F(1, 2))] * 3)
"""Values of which the first has others behind it than the second."""

RARE = tuple((p, 1 - p) for p in (F(1, 10**43), F(3, 2) * UNIT))
"""A value that is a little likelier behind the first value than behind the second: in doubles it is not."""

FEW = ((*[F(1, 10**200)] * 40, 1 - F(40, 10**200)), *[(*[F(0)] * 40, F(1))] * 40)
"""40 values that are hardly ever behind the first one, and never behind another."""

LITTLE = F(13, 10) * UNIT * 10**200


@pytest.mark.parametrize(
    ("budgets", "step", "odds"),
    [
        ([ApproximateBudget(Level.of_ratio(F(2) ** 20), F(7, 5) * UNIT)] * 61, CERTAIN, F(2) ** 42),
        ([NOTHING, ApproximateBudget(ZERO, F(9, 10))], RARE, RARE[0][0] / UNIT / 2),
        ([NOTHING, ApproximateBudget(ZERO, LITTLE), ApproximateBudget(Level.of_ratio(F(13, 24) / LITTLE))], FEW, F(2)),
    ],
    ids=["δ of releases", "entries", "δ claimed"],
)
def test_nothing_is_lost_by_underflow(budgets, step, odds):
    """With one other release, beside a claim with all: by that there are points down to where doubles end."""
    alpha, steps = Level.of_ratio(odds), [step] * (len(budgets) - 1)
    exact = WorstProfile(budgets[:2], steps[:1], [(0, 1)]).delta(alpha).upper
    for_all = ProfileClaim(len(steps), Level.of_ratio(F(2) ** 500), F(1, 2))
    claims = [for_all] if len(steps) > 1 else []
    check_side(budgets, steps, [*claims, ProfileClaim(1, alpha, exact)])
    with pytest.raises((Refuted, Unchecked)):
        check_side(budgets, steps, [*claims, ProfileClaim(1, alpha, exact * F(8, 10))])


def test_no_point_is_so_small_that_products_underflow():
    (points,) = sides_points([(TradeOff.approximate(F(2) ** 20),)], 60, 0.0)
    assert 1e-290 < points.u[1] < 1e-280
    for delta, ratio in ((F(1, 10**281), F(2)), (F(0), F(10) ** 281), (1 - F(1, 10**281), F(2))):
        with pytest.raises(Unchecked, match="smaller numbers"):
            sides_points([(TradeOff.approximate(F(2)), TradeOff.approximate(ratio, delta))], 1, 0.0)


def test_no_point_is_led_to_less_than_phi_says():
    """Values that tell nothing of each other, ε = 37, a claim too low by a part 10⁻¹⁵; by another one points go far."""
    ratio = F(2) ** 53
    budgets, steps = [ApproximateBudget(Level.of_ratio(ratio))] * 11, [((F(1, 2), F(1, 2)),) * 2] * 10
    small = ProfileClaim(10, Level.of_ratio(ratio), F(1, 10**279))
    alpha, delta = Level.of_ratio(ratio / 3), (ratio - ratio / 3) / (1 + ratio)
    check_side(budgets, steps, [small, ProfileClaim(10, alpha, delta)])
    with pytest.raises(Refuted):
        check_side(budgets, steps, [small, ProfileClaim(10, alpha, delta * (1 - F(1, 10**15)))])


def test_both_sides_for_ever_are_proved_by_lines():
    """δ of each side at an e^β of its own for each pair, exactly: after 13 releases farther ones tell nothing."""
    budget, depth, odds = ApproximateBudget(Level.of_ratio(F(3, 2)), F(1, 50)), 13, F(5, 2)
    other = TransitionMatrix.of([["0.5", "0.3", "0.2"], ["0.1", "0.6", "0.3"], ["0.25", "0.25", "0.5"]])
    sides, shares, sums = [[own.rows] * depth for own in (CLICKS, other)], [], []
    (phi,) = enclosed([budget], 112).upper
    for place, pair in enumerate(permutations(range(3), 2)):
        slope = F(5 + place % 3, 4)
        past, future = (
            pair_bound(ProfileSide((first, *[phi] * depth), tuple(steps)), at, pair).delta
            for first, steps, at in zip((phi, IGNORED), sides, (slope, odds / slope), strict=True)
        )
        shares.append((float(slope), float(past) * (1 + 1e-12)))
        sums.append(past + slope * future)
    alpha = Level.of_ratio(odds)

    def check(part, given):
        check_both_for_ever(budget, sides, ProfileClaim(depth, alpha, max(sums) * part), given)

    check(1 + F(1, 10**9), shares)
    with pytest.raises(Unchecked, match="13 releases on either side"):
        check(1 - F(1, 10**9), shares)
    for place, (slope, past) in enumerate(shares):
        with pytest.raises(Unchecked):
            check(2, [*shares[:place], (slope, past * (1 - 1e-9)), *shares[place + 1 :]])


@pytest.mark.parametrize("slope", [-1.0, 0.0, float("nan")])
def test_a_line_of_both_sides_has_a_slope_above_0(slope):
    budget, steps = ApproximateBudget(Level.of_ratio(F(3, 2))), [[CLICKS.rows] * 30] * 2
    with pytest.raises(Unchecked, match="no slope above 0"):
        check_both_for_ever(budget, steps, ProfileClaim(30, TENTH, F(1, 100)), [(slope, 3.0)] * 6)


@pytest.mark.parametrize("releases", [40, 65])
def test_a_delta_of_nearly_nothing_is_not_refuted(releases):
    """What rounding raises near 0 stays what it is with each release."""
    asked = [ApproximateBudget(TENTH)] * releases, [(CLICKS, None)], F(1, 10**18), [releases]
    (found,) = leakage_at_delta(*asked, kinds=["bpl"])["bpl"]
    exact = worst_case_leakage([TENTH] * releases, CLICKS).bpl[-1]
    assert exact.double_above() * (1 - 1e-8) < found.lower.double_above() <= found.upper.double_above()
    assert found.upper.double_above() < exact.double_above() * (1 + 1e-8)


def too_low(part):
    whole = profile_passes.Outward.at

    def bounds(self, *asked, **more):
        return whole(self, *asked, **more) * (part if self.up else 1)

    return profile_passes.Outward, "at", bounds


def wrong_delta(module, name, place):
    whole = getattr(module, name)

    def computed(*asked):
        return whole(*asked[:place], asked[place] * F(101, 100), *asked[place + 1 :])

    return module, name, computed


def pairs_skipped(kept):
    whole = profile_passes.different_pairs
    return profile_passes, "different_pairs", lambda steps: whole(steps)[kept]


def steps_that_forget():
    whole = profile_passes.steps_in_doubles
    return profile_passes, "steps_in_doubles", lambda steps: [np.full(own.shape, 1 / len(own)) for own in whole(steps)]


def windows_too_short():
    whole = profile_passes.Ladder.told
    return profile_passes.Ladder, "told", lambda self, found: np.minimum(whole(self, found), found)


@pytest.mark.parametrize("budget", [KINDS[3], KINDS[1], KINDS[4]], ids=str)
@pytest.mark.parametrize(
    "fault",
    [
        lambda: too_low(0.99),
        lambda: wrong_delta(profile_passes, "least_alphas", 3),
        lambda: pairs_skipped(slice(3, 4)),
        steps_that_forget,
        windows_too_short,
    ],
)
def test_faults_of_the_passes_are_refuted(budget, fault, monkeypatch):
    """At many times together, of one matrix; the same question without a fault is answered, and checked."""
    asked = [budget] * 12, [(CLICKS, None)], F(1, 1000), range(1, 13)
    leakage_at_delta(*asked, kinds=["bpl"])
    monkeypatch.setattr(*fault())
    with pytest.raises(Refuted, match="tell more than δ"):
        leakage_at_delta(*asked, kinds=["bpl"])


@pytest.mark.parametrize(
    "change",
    [
        lambda formula: replace(formula, delta=formula.delta * F(1001, 1000)),
        lambda formula: replace(formula, pairs=formula.pairs[3:4]),
        lambda formula: replace(formula, steps=formula.steps[1:]),
        lambda formula: replace(formula, release_delta=formula.release_delta / 2),
    ],
)
@pytest.mark.parametrize("epsilon", ["0.1", "log(3/2)"])
def test_faults_of_exact_levels_are_refuted(change, epsilon, monkeypatch):
    def asked():
        delta, own = F(1, 100), F(1, 1000)
        return checked_leakage_profile(
            parse_level(epsilon), 4, delta=delta, delta_per_release=own, backward=CLICKS, forward=None
        )

    assert not asked().bpl[-1].is_infinite
    whole = leakage_profile.least_alpha
    monkeypatch.setattr(leakage_profile, "least_alpha", lambda level, formula: whole(level, change(formula)))
    with pytest.raises(Refuted):
        asked()


def test_noise_that_differs():
    """The points of φ of some releases need not be among those of all: a grid of the others' z is not theirs."""
    budgets, chain = [GaussianBudget(F(sigma)) for sigma in (3, 5, 4)], TransitionMatrix.of([["0.8", "0.2"], [0, 1]])
    forget()
    prove_profile(budgets, chain, None, {2: (Level.of(F(4)), F(1, 1000))})
    assert not unchecked()
    phis = tuple(TradeOff.approximate(F(10 + at, 10), F(at, 10**6)) for at in range(1, 4))
    whole, own = points_of(phis, 3, 1e-12), points_of(phis[1:], 3, 1e-12)
    assert np.array_equal(points_of(phis[1:], 3, 1e-12, among=phis).u, whole.u)
    assert np.array_equal(points_of(phis[1:], 3, 1e-12, among=phis[:2]).u, own.u)
    assert not np.array_equal(own.u, whole.u)


def test_points_are_between_0_and_1_whatever_is_guessed(monkeypatch):
    monkeypatch.setattr(above_profile, "guessed_points", lambda *_: np.array([0.75, -1, np.nan, 0.25, 2, np.inf, 0.25]))
    assert points_of((TradeOff.approximate(F(7, 5)),), 3, 1e-12).u[[0, -1]].tolist() == [0, 1]
    assert sides_points([(TradeOff.approximate(F(8, 5)),)], 3, 1e-12)[0].u.tolist() == [0, 0.25, 0.75, 1]
