"""All times of one side in one pass of doubles, against the exact recursion of each time by itself."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.checked import alphas_at_delta, tpl_at_delta
from tploracle.models.stream_profile import leakage_at_delta
from tploracle.reference import (
    ApproximateBudget,
    ConcentratedBudget,
    GaussianBudget,
    Level,
    TransitionMatrix,
    TwoSidedProfile,
    WorstProfile,
    parse_level,
)
from tploracle.reference.errors import Refuted
from tploracle.reference.worst_case.trade_off import TradeOff
from tploracle.solvers.worst_case.profile_both_sides import Scale, TimesTogether
from tploracle.solvers.worst_case.profile_passes import alphas_of_side

from ...profiles import examples
from ...strategies import matrices

F = Fraction


def one_by_one(budget, steps, time, delta):
    pairs = [*permutations(range(len(steps[0])), 2)]
    return WorstProfile([budget] * time, steps[: time - 1][::-1], pairs).alpha(delta)


def overlap(found, other, width):
    """Both enclose one number, and the first no farther than it says."""
    assert found.lower <= other.upper
    assert other.lower <= found.upper
    if not found.upper.is_infinite:
        ends = [Fraction(end.enclosure(20).upper) for end in (found.lower, found.upper)]
        assert ends[1] - ends[0] <= width


@given(
    st.integers(2, 3).flatmap(lambda n: st.lists(matrices(n, n, kinds=["ties", "sparse"]), min_size=3, max_size=3)),
    st.booleans(),
    st.sampled_from([F(0), F(1, 1000), F(1, 10**6)]),
    st.sampled_from([F(1, 20), F(1, 300), F(1, 10**5), F(1, 10**12)]),
    st.sampled_from([[4], [2, 4, 4], [3, 1]]),
)
@examples(25)
def test_a_pass_has_what_each_time_has(own, alike, release_delta, delta, times):
    """The ends of e^α are rational, and the exact α is between them; where δ needs an infinite one, so is this one."""
    steps = [own[0].rows] * 3 if alike else [matrix.rows for matrix in own]
    budget = ApproximateBudget(Level.of_ratio(F(3, 2)), release_delta)
    if release_delta >= delta:
        return
    found = alphas_of_side(budget, steps, delta, times)
    for time, level in zip(times, found, strict=True):
        overlap(level, one_by_one(budget, steps, time, delta), F(3, 10**9))


@pytest.mark.parametrize(
    ("budget", "width"),
    [
        (ApproximateBudget(parse_level("0.3"), F(1, 10**5)), F(3, 10**9)),
        (GaussianBudget(F(5)), F(1, 1000)),
        (ConcentratedBudget(F(1, 50)), F(1, 1000)),
    ],
    ids=["transcendental", "gaussian", "concentrated"],
)
def test_what_is_enclosed(budget, width):
    steps = [((F(4, 5), F(1, 5)), (F(1, 10), F(9, 10)))] * 3
    found = alphas_of_side(budget, steps, F(1, 10**4), [1, 2, 4])
    for time, level in zip((1, 2, 4), found, strict=True):
        overlap(level, one_by_one(budget, steps, time, F(1, 10**4)), width)


def test_no_delta_is_too_small():
    """Near 0 doubles lose little; and at δ of nearly nothing pure ε has its exact worst case."""
    steps = [((F(4, 5), F(1, 5)), (F(1, 10), F(9, 10)))] * 9
    budget = ApproximateBudget(parse_level("0.1"))
    for delta in (F(1, 10**15), F(1, 10**40), F(1, 10**200)):
        (found,) = alphas_of_side(budget, steps, delta, [10])
        overlap(found, one_by_one(budget, steps, 10, F(0)), F(1, 10**6))


def test_where_the_last_times_have_no_level_the_first_ones_have():
    """Each release of a cycle tells the value: k have (e^kε − 1)/(e^ε − 1)/10^6 from kε on, 8 of them 11.65/10^6."""
    rows = TransitionMatrix.of([[F(k == (j + 1) % 4) for k in range(4)] for j in range(4)]).rows
    budget = ApproximateBudget(parse_level("0.1"), F(1, 10**6))
    found = alphas_of_side(budget, [rows] * 11, F(1, 10**5), range(1, 13))
    for time, level in enumerate(found, 1):
        overlap(level, one_by_one(budget, [rows] * 11, time, F(1, 10**5)), F(3, 10**9))
    assert [level.upper.is_infinite for level in found] == [time > 7 for time in range(1, 13)]


@pytest.mark.parametrize(
    ("own", "delta"), [(F(1, 10**300), F(1, 10**5)), (F(1, 10**260), F(1, 10**250)), (F(1, 10**330), F(3, 10**330))]
)
@pytest.mark.parametrize("ratios", [(F(6, 5),) * 3, (F(6, 5), F(3, 2), F(9, 8))])
def test_what_doubles_tell_too_little_of_is_left_to_integers(own, delta, ratios):
    matrix = TransitionMatrix.of([["1/4", "3/4"], ["1/3", "2/3"]])
    budgets = [ApproximateBudget(Level.of_ratio(ratio), own) for ratio in ratios]
    found = leakage_at_delta(budgets, [(matrix, None)], delta, [1, 2, 3])["tpl"]
    pairs = [*permutations(range(2), 2)]
    for time, level in enumerate(found, 1):
        exact = WorstProfile(budgets[:time][::-1], [matrix.rows] * (time - 1), pairs).alpha(delta)
        assert level.lower <= exact.upper
        assert exact.lower <= level.upper


def test_silent_and_separate_rows():
    """Equal rows tell nothing beyond the release; values that are told apart for certain have no α."""
    half = ApproximateBudget(Level.of_ratio(F(2)))
    same = alphas_of_side(half, [((F(1, 2), F(1, 2)),) * 2] * 5, F(1, 9), [1, 6])
    for level in same:
        overlap(level, one_by_one(half, [((F(1, 2), F(1, 2)),) * 2], 1, F(1, 9)), F(3, 10**9))
    stays = ((F(1), F(0)), (F(0), F(1)))
    apart = alphas_of_side(ApproximateBudget(Level.of_ratio(F(2)), F(1, 10)), [stays] * 9, F(1, 9), [10])
    assert apart[0].upper.is_infinite


@given(
    st.integers(2, 3).flatmap(lambda n: st.lists(matrices(n, n, kinds=["ties", "sparse"]), min_size=3, max_size=3)),
    st.lists(
        st.tuples(st.sampled_from([F(1), F(11, 10), F(3, 2)]), st.sampled_from([0, F(1, 10**4)])),
        min_size=4,
        max_size=4,
    ),
    st.sampled_from([F(1, 20), F(1, 300)]),
)
@examples(20)
def test_different_budgets_have_what_the_recursion_in_integers_has(own, spent, delta):
    """The upper end is the theorem's bound, and the lower one as good as that of smaller φ that commute."""
    budgets, steps = [ApproximateBudget(Level.of_ratio(ratio), F(own)) for ratio, own in spent], [m.rows for m in own]
    pairs = [*permutations(range(len(steps[0])), 2)]
    for time, found in zip((1, 3, 4), alphas_at_delta(budgets, steps, delta, [1, 3, 4]), strict=True):
        other = WorstProfile(budgets[:time][::-1], steps[: time - 1][::-1], pairs).alpha(delta)
        assert found.lower <= other.upper <= found.upper
        assert other.lower <= found.upper
        if not other.upper.is_infinite:
            assert found.upper.double_above() - other.upper.double_above() < 1e-7


@example([TransitionMatrix.of([[1, 0], [1, 0]])] * 2, [F(11, 10), F(11, 10), F(2)], F(1, 300))
@given(
    st.lists(matrices(2, 2, kinds=["ties", "smoothed"]), min_size=2, max_size=2),
    st.lists(st.sampled_from([F(11, 10), F(3, 2), F(2)]), min_size=3, max_size=4),
    st.sampled_from([F(1, 20), F(1, 300)]),
)
@examples(10)
def test_both_sides_of_different_budgets(own, ratios, delta):
    """The exact ends and those of the passes enclose one number; a little is lost where kinks of ψ are merged."""
    budgets, last = [ApproximateBudget(Level.of_ratio(ratio)) for ratio in ratios], len(ratios) - 1
    past, future = ([matrix.rows] * last for matrix in own)
    times = range(2, last + 1)
    for time, found in zip(times, tpl_at_delta(budgets, (past, future), delta, times), strict=True):
        sides = (budgets[: time - 1][::-1], budgets[time:]), (past[: time - 1], future[time - 1 :])
        other = TwoSidedProfile(budgets[time - 1], *sides, [(0, 1), (1, 0)]).alpha(delta)
        assert found.lower <= other.upper
        assert other.lower <= found.upper
        assert found.upper.double_above() - other.upper.double_above() < 1e-2


@given(
    st.lists(
        st.tuples(st.fractions(F(1001, 1000), 9, max_denominator=1000), st.sampled_from([0, F(1, 10**7), F(1, 50)])),
        min_size=2,
        max_size=5,
    ),
    st.sampled_from([F(1, 20), F(1, 10**6)]),
)
@example([(F(3, 2), F(1, 50)), (F(3, 2), F(1, 10**7))], F(1, 10**6))
@examples(40)
def test_rungs_of_a_scale_are_within_each_release_and_commute(spent, delta):
    """Exactly: from no place does a release lead farther than its φ; what two of them lead to has no order."""
    phis = tuple(TradeOff.approximate(ratio, F(own)) for ratio, own in spent)
    scale = Scale.of(phis, delta)
    if scale is None:
        return
    u = [F(place) for place in scale.points.tolist()]
    assert (u[0], u[-1]) == (0, 1)
    assert all(low < high for low, high in pairwise(u))
    maps = [np.arange(len(u)) if to is None else to for to in map(scale.to.__getitem__, phis)]
    for phi, to in zip(phis, maps, strict=True):
        assert (np.diff(to) >= 0).all()
        assert all(u[at] >= v and u[at] <= phi(v) for v, at in zip(u, to.tolist(), strict=True))
    for one, other in permutations(maps, 2):
        assert (one[other] == other[one]).all()


def test_lower_ends_of_releases_that_differ_are_near_the_upper_ones():
    """By tests of the least ε alone, which is half of the mean, about half of the level would be left open."""
    budgets = [ApproximateBudget(parse_level(text), F(1, 10**6)) for text in ("0.1", "0.05", "0.15", "0.08", "0.12")]
    chain = TransitionMatrix.of([["0.8", "0.2"], ["0.3", "0.7"]]).rows
    for found in alphas_at_delta(budgets, [chain] * 4, F(1, 10**5), [2, 3, 4, 5]):
        assert found.upper.double_above() - found.lower.double_below() < 0.08 * found.upper.double_above()


def test_a_time_is_not_taken_for_one_with_fewer_releases(monkeypatch):
    chain = TransitionMatrix.of([["9/10", "1/10"], ["1/5", "4/5"]]).rows
    asked = [ApproximateBudget(parse_level("0.1"), F(1, 10**6))] * 5, ([chain] * 4,) * 2, F(1, 10**5), [2, 3, 4]
    assert len(tpl_at_delta(*asked)) == 3
    whole = TimesTogether.of
    monkeypatch.setattr(TimesTogether, "of", lambda *own: replace(whole(*own), member=np.zeros(3, dtype=np.int64)))
    with pytest.raises(Refuted, match="fewer releases"):
        tpl_at_delta(*asked)
