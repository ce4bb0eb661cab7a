"""TPL beyond pure ε: bounds against all tests as a linear program, and private tests by their definition."""

from fractions import Fraction
from itertools import permutations, product
from statistics import NormalDist

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import INFINITE, Level, parse_level, worst_case_leakage
from tploracle.reference.worst_case.one_side_first import one_side_first, told_together
from tploracle.reference.worst_case.profile import ProfileSide, pair_bound
from tploracle.reference.worst_case.profile_budgets import ApproximateBudget, GaussianBudget
from tploracle.reference.worst_case.two_sided_profile import FUTURE, PAST, TwoSides, private_test
from tploracle.reference.worst_case.worst_profile import TwoSidedProfile, WorstProfile
from tploracle.solvers.linear_programs.profiles import profile_by_program
from tploracle.solvers.worst_case.profile_bounds import RankedBothSides

from ...matrices import CYCLE, DIVERGES, HALF, MODERATE, SKEWED, STRONGEST, SYMMETRIC, UNCORRELATED
from ...profiles import examples
from ...strategies import log, matrices
from .test_profile import MIXED, PURE, RATIOS, few_kinks, seen_matrices, told, trade_offs

F = Fraction
TINY = F(1, 2**30)


@st.composite
def both_sides(draw, longest=((2, 1, 1), (2, 2, 1), (2, 1, 2), (3, 1, 1)), one=True):
    """φ_t, those of the past and of the future, the matrices of both, an e^α and a pair of values."""
    n, past, future = draw(st.sampled_from(longest))
    steps = tuple(tuple(draw(seen_matrices(n)).rows for _ in range(length)) for length in (past, future))
    own = draw(trade_offs())
    phis = [[own if one else draw(trade_offs()) for _ in side] for side in steps]
    odds = draw(st.sampled_from([F(1), F(11, 10), F(3, 2), F(2), F(9, 2)]))
    return own, phis, steps, odds, draw(st.sampled_from(list(permutations(range(n), 2))))


def attained(test):
    """Return the chances of a test under its pair by its definition, after looking at every neighbour."""
    sides, (j, _) = test.sides, test.pair
    past, future = map(len, sides.steps)
    near, n = sides.trade_offs[0], len(next(step for own in sides.steps for step in own))
    behind = list(zip(sides.trade_offs[1:], sides.order, strict=True))
    phis = [near, *(phi for side in (PAST, FUTURE) for phi, own in behind if own == side)]
    chance = {}
    for values in product(range(n), repeat=1 + past + future):
        inner = test.value(values[1 : 1 + past], values[1 + past :])
        chance[values] = near(inner) if values[0] == j else inner
    for values, own in chance.items():
        for s, phi in enumerate(phis):
            assert all(chance[(*values[:s], other, *values[s + 1 :])] <= phi(own) for other in range(n))

    def chances_between(values):
        before, after = values[: past + 1], (values[0], *values[past + 1 :])
        for steps, along in zip(sides.steps, (before, after), strict=True):
            yield from (step[a][b] for step, a, b in zip(steps, along, along[1:], strict=False))

    return told(chance, test.pair, chances_between)


def both_orders(near, phis, steps):
    """The past first, and the future first."""
    steps = tuple(map(tuple, steps))
    return [TwoSides(first, (near, *phis[first], *phis[1 - first]), steps) for first in (PAST, FUTURE)]


SLOPES = F(1), F(6, 5), F(2)


def check(case):
    """Return what private tests attain, the optimum over all tests, and the least of the bounds."""
    near, phis, steps, odds, pair = case
    optimum = profile_by_program([near, *phis[0], *phis[1]], odds, pair, *steps)
    bounds, most = [], F(0)
    for sides in both_orders(near, phis, steps):
        one, other = sides.sides
        for bits in (None, 60):
            found = one_side_first(told_together(one, pair, bits), other, odds=odds, pair=pair, bits=bits)
            bounds.append(found.bound.delta)
            assert optimum <= found.bound.delta
            p, q = found.bound.test.chances(found.side, bits)
            assert abs(p - odds * q - found.bound.delta) <= (TINY if bits else 0)
        for smaller in sides.smaller():
            for slope in (found.slope or odds, *SLOPES):
                test = private_test(smaller, odds, pair, slope)
                if test.is_private():
                    p, q = attained(test)
                    assert test.chances() == (p, q)
                    low, high = test.chances(40)
                    assert p - TINY <= low <= p
                    assert q <= high <= q + TINY
                    most = max(most, p - odds * q)
    assert most <= optimum <= min(bounds)
    (ranked,) = RankedBothSides()(both_orders(near, phis, steps)[0].sides, odds, [pair])
    assert optimum <= ranked[0]
    return most, optimum, min(bounds)


@given(both_sides())
@example((PURE, [[PURE], [PURE]], ((DIVERGES.rows,), (CYCLE.rows,)), F(3, 2), (0, 1)))
@example((MIXED, [[MIXED] * 2, [MIXED]], ((STRONGEST.rows,) * 2, (HALF.rows,)), F(2), (1, 0)))
@examples(6)
def test_between_what_is_attained_and_all_bounds(case):
    check(case)


@given(both_sides(one=False))
@examples(4)
def test_different_budgets(case):
    check(case)


@given(both_sides(one=False))
@examples(4)
@few_kinks()
def test_with_points_left_out_they_are_still_bounds(case):
    """The optimum of all tests is at most the bounds; what tests attain is enclosed from the side that counts."""
    near, phis, steps, odds, pair = case
    optimum = profile_by_program([near, *phis[0], *phis[1]], odds, pair, *steps)
    for sides in both_orders(near, phis, steps):
        one, other = sides.sides
        told = told_together(one, pair, 60, 2)
        assert optimum <= one_side_first(told, other, odds=odds, pair=pair, bits=60).bound.delta
        assert optimum <= RankedBothSides()(sides.sides, odds, [pair])[0][0]
        for smaller in sides.smaller():
            test = private_test(smaller, odds, pair, odds)
            if test.is_private():
                (p, q), (low, high) = attained(test), test.chances()
                assert low <= p
                assert q <= high


def test_at_the_delta_of_a_release_alpha_is_finite():
    """As on one side: between those of two rational e^ε."""
    middle, delta = F(1395612425, 10**9), F(1, 100)
    low, own, high = (
        TwoSidedProfile(budget, ([budget], [budget]), ([SKEWED.rows], [SYMMETRIC.rows]), [(0, 1), (1, 0)]).alpha(delta)
        for budget in (
            ApproximateBudget(level, delta)
            for level in (Level.of_ratio(middle), parse_level("1/3"), Level.of_ratio(middle + F(1, 10**9)))
        )
    )
    assert low.lower <= own.upper <= high.upper < INFINITE
    assert own.lower <= high.lower


@given(
    st.data(),
    st.sampled_from([(2, 1, 1), (2, 1, 0), (2, 0, 2), (2, 2, 1), (3, 1, 0)]),
    st.sampled_from(["ties", "sparse", "smoothed"]),
)
@examples(6)
def test_at_the_delta_of_a_release_alpha_is_the_likeliest_ratio(data, longest, kind):
    """Against all tests: at that α they tell δ_t, a little below it more; ∞ where δ_t is exceeded at every α."""
    n, *counts = longest
    seen = matrices(n, n, kinds=[kind]).filter(lambda own: all(p.denominator < 1_000 for row in own.rows for p in row))
    steps = tuple([data.draw(seen).rows for _ in range(count)] for count in counts)
    known = st.builds(
        lambda ratio, delta: ApproximateBudget(Level.of_ratio(ratio), delta),
        st.sampled_from([F(1), F(3, 2), F(2)]),
        st.sampled_from([F(1, 50), F(1, 9)]),
    )
    own, *others = (data.draw(known) for _ in range(1 + sum(counts)))
    sides, delta = (others[: counts[0]], others[counts[0] :]), own.delta
    pairs = list(permutations(range(n), 2))
    if all(steps):
        profile = TwoSidedProfile(own, sides, steps, pairs)
    else:
        profile = WorstProfile([own, *others], steps[0] or steps[1], pairs)
    phis = [budget.enclosed(1)[0] for budget in (own, *others)]
    by_program = steps if steps[0] else (steps[1], ())

    def told(odds):
        return max(profile_by_program(phis, odds, pair, *by_program) for pair in pairs)

    found = profile.alpha(delta)
    assert found.lower == found.upper
    if found.upper.is_infinite:
        assert told(F(10**4)) > delta
    else:
        assert told(found.upper.ratio) == delta
        below = found.upper.ratio * F(9, 10)
        assert below < 1 or told(below) > delta
    assert profile.alpha(delta / 2).lower.is_infinite


def test_the_bounds_are_often_the_optimum():
    """Where the exact rational ends meet, the answer is exact: for a value that stays, group privacy of three."""
    for phi in (PURE, MIXED):
        steps = ((STRONGEST.rows,), (STRONGEST.rows,))
        most, optimum, least = check((phi, [[phi], [phi]], steps, F(2), (0, 1)))
        assert most == optimum == least == max(phi(phi(phi(u))) - 2 * u for u in phi.after(phi).after(phi).kinks)


@pytest.mark.parametrize("side", [PAST, FUTURE])
def test_nothing_on_the_other_side(side):
    """With releases on one side alone the test is that of theorem (profile)."""
    steps, phis = (DIVERGES.rows, CYCLE.rows), (MIXED, MIXED)
    one = ProfileSide((MIXED, *phis), steps)
    sides = TwoSides(side, one.trade_offs, (((), steps)[side == PAST], ((), steps)[side == FUTURE]))
    for odds, pair in product((F(3, 2), F(3)), permutations(range(3), 2)):
        p, q = private_test(sides, odds, pair, odds).chances()
        assert pair_bound(one, odds, pair).delta == p - odds * q


@pytest.mark.parametrize("phi", [PURE, MIXED])
def test_what_one_side_tells_is_the_least_of_its_lines(phi):
    """ψ(u) − λ·u is greatest at δ(λ), whichever λ: ψ has all lines, and nothing but them."""
    side = ProfileSide((phi,) * 3, (SKEWED.rows,) * 2)
    told = told_together(side, (1, 0))
    for odds in (F(1, 10), F(2, 3), F(1), F(7, 5), F(3), F(9)):
        assert max(told(u) - odds * u for u in told.kinks) == pair_bound(side, odds, (1, 0)).delta
    rounded = told_together(side, (1, 0), 60)
    assert told.at_most(rounded)
    assert all(rounded(u) <= told(u) + TINY for u in (*told.kinks, *rounded.kinks))


def profile_of(budget, matrix, past, future, ranking=None):
    pairs = list(permutations(range(matrix.n), 2))
    steps = ([matrix.rows] * past, [matrix.rows] * future)
    more = {} if ranking is None else {"ranking": ranking}
    return TwoSidedProfile(budget, ([budget] * past, [budget] * future), steps, pairs, **more)


@pytest.mark.parametrize("lines", [1, 6])
def test_few_lines_for_pairs_that_are_not_the_worst_change_nothing(lines, monkeypatch):
    """The greatest bound is that of each pair by itself, which is compared with none."""
    monkeypatch.setattr("tploracle.reference.worst_case.worst_profile.FEW_LINES", lines)
    alpha, budget, steps = log("3/2"), ApproximateBudget(log(2), F(1, 50)), [DIVERGES.rows] * 2
    alone = [
        TwoSidedProfile(budget, ([budget] * 2, [budget] * 2), (steps, steps), [pair]).delta(alpha).upper
        for pair in permutations(range(3), 2)
    ]
    assert profile_of(budget, DIVERGES, 2, 2).delta(alpha).upper == max(alone)


@given(matrices(2, 3, kinds=["ties", "smoothed"]), RATIOS.filter(lambda r: r > 1), st.integers(1, 2), st.integers(1, 2))
@example(SKEWED, F(11, 10), 4, 4)
@examples(4)
def test_pure_budgets_have_the_exact_worst_case(matrix, ratio, past, future):
    """α at δ = 0 is TPL of the sweep, which shares nothing with this but the chain."""
    level = Level.of_ratio(ratio)
    tpl = worst_case_leakage([level] * (past + future + 1), matrix, matrix).tpl[past]
    found = profile_of(ApproximateBudget(level), matrix, past, future, RankedBothSides()).alpha(F(0))
    assert found.lower <= tpl <= found.upper
    if matrix is SKEWED:
        assert found.upper.ratio - found.lower.ratio < F(1, 10**12)


def test_a_ranking_of_several_sides_has_the_bounds_of_each():
    shared = RankedBothSides()
    for matrix in (UNCORRELATED, STRONGEST, UNCORRELATED, SKEWED):
        sides = both_orders(PURE, [[PURE], [PURE]], ((matrix.rows,), (matrix.rows,)))[0].sides
        assert shared(sides, F(3, 2), [(0, 1)]) == RankedBothSides()(sides, F(3, 2), [(0, 1)])


@pytest.mark.parametrize("matrix", [DIVERGES, SKEWED, UNCORRELATED, MODERATE])
def test_ranking_both_sides_changes_nothing(matrix):
    """Doubles choose which pairs are worked out, also those of an α before; without them all are."""
    budget = ApproximateBudget(log(2), F(1, 50))
    fast, slow = (profile_of(budget, matrix, 1, 1, ranking) for ranking in (RankedBothSides(), None))
    for alpha in (log("3/2"), log(2), log(3), log("5/4")):
        one, all_of_them = fast.delta(alpha), slow.delta(alpha)
        assert one.upper == all_of_them.upper
        assert one.lower <= one.upper


def test_draws_without_memory_tell_what_one_release_does():
    found = profile_of(ApproximateBudget(log(2), F(1, 10)), UNCORRELATED, 2, 1).delta(log(2))
    assert found.lower == found.upper == F(1, 10)


def test_a_transcendental_budget_is_enclosed():
    both = profile_of(ApproximateBudget(parse_level("1/3"), F(1, 100)), SKEWED, 1, 1)
    middle = [
        profile_of(ApproximateBudget(Level.of_ratio(ratio), F(1, 100)), SKEWED, 1, 1)
        for ratio in (F(13956124, 10**7), F(13956125, 10**7))
    ]
    low, found, high = (own.delta(log("3/2")) for own in (middle[0], both, middle[1]))
    assert low.upper <= found.upper <= high.upper
    assert low.lower - F(1, 10**6) <= found.lower <= found.upper


@pytest.mark.slow
def test_gaussian_noise_on_both_sides_adds_up_where_a_value_stays():
    mu, alpha = 0.6, 0.5
    found = profile_of(GaussianBudget(F(5)), STRONGEST, 1, 1).delta(parse_level("1/2"))
    normal = NormalDist().cdf
    known = normal(mu / 2 - alpha / mu) - 2.718281828459045**alpha * normal(-mu / 2 - alpha / mu)
    assert found.lower <= F(known) <= found.upper < found.lower + F(1, 500)
