"""The bounds that prove TPL at a δ from above, against the theorems in fractions: none is below them, or far above."""

from fractions import Fraction as F
from itertools import pairwise, permutations, product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.certificates import above_both_sides
from tploracle.certificates.above_both_sides import BothSidesAbove, OneSideAbove, SideAbove, _greatest, least_line
from tploracle.certificates.above_guess import missing_lines, sharp_kinks
from tploracle.certificates.above_profile import points_of
from tploracle.reference import ApproximateBudget, ConcentratedBudget, GaussianBudget, Level, TransitionMatrix
from tploracle.reference.worst_case.one_side_first import one_side_first, told_together
from tploracle.reference.worst_case.profile import ProfileSide, pair_bound
from tploracle.reference.worst_case.profile_budgets import enclosed
from tploracle.reference.worst_case.trade_off import TradeOff
from tploracle.solvers.linear_programs.profiles import profile_by_program
from tploracle.solvers.worst_case.profile_passes import roots

from ..profiles import examples
from ..strategies import matrices

NOTHING = TradeOff.approximate(F(1))
PHIS = [TradeOff.approximate(F(3, 2)), TradeOff.approximate(F(5, 4), F(1, 50)), TradeOff.approximate(F(1), F(1, 20))]
TELLS_ALL = TradeOff.approximate(F(1), F(1))
STICKY = ((F(4, 5), F(1, 5)), (F(1, 5), F(4, 5)))
SILENT = TransitionMatrix.of([["0.25", "0.75"], ["0.25", "0.75"]])
ODDS = [0.5, 1.0, 1.125, 1.5 - 2.0**-40, 2.5]


def steps_of(number):
    return st.integers(2, 3).flatmap(
        lambda n: st.lists(matrices(n, n, kinds=["ties", "sparse", "smoothed"]), min_size=number, max_size=number)
    )


def exactly(phis, steps, odds, pair):
    """Return δ of a pair by theorem (profile)."""
    return pair_bound(ProfileSide(tuple(phis), tuple(steps)), F(odds), pair).delta


@given(
    steps_of(3),
    st.lists(st.sampled_from(PHIS), min_size=4, max_size=4),
    st.tuples(st.booleans(), st.booleans()),
    st.sampled_from([0.0, 1e-3, 2.0]),
    st.sampled_from([1, 700, 1 << 15]),
)
@examples(12)
def test_bounds_of_one_side_are_those_of_the_theorem(own, phis, kind, flat, at_once):
    """Every pair of every time, parts of any size; M may exceed m by as much as is said, where a row leaves."""
    same, with_own = kind
    steps, phis = [m.rows for m in own], tuple(phis[:1] * 4 if same else phis)
    points = points_of(phis[:1] if same else phis, 4, 1e-12)
    pairs = list(permutations(range(len(steps[0])), 2))
    rows = list(product(pairs, ODDS, range(4)))
    starts = np.array([start for *_, start in rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(above_both_sides, "MOST_DOUBLES", at_once)
        found = SideAbove(steps).bounds(
            points,
            points.own_at(starts) if with_own else points.u,
            (np.array([pair for pair, *_ in rows]), np.array([odds for _, odds, _ in rows]), starts),
            flat,
        )
    for (pair, odds, start), bounds in zip(rows, found.tolist(), strict=True):
        told = (phis[start] if with_own else NOTHING, *phis[start + 1 :])
        assert bounds[:start] == [np.inf] * start
        for place in range(start, 4):
            exact = exactly(told[: place - start + 1], steps[start:place], odds, pair)
            assert exact <= F(bounds[place]) <= exact + F(flat) + F(1, 10**9)


RATIO, OWN = F(3, 2), F(1, 50)
BUDGET, PHI = ApproximateBudget(Level.of_ratio(RATIO), OWN), TradeOff.approximate(RATIO, OWN)
RATIOS = F(11, 10), F(5, 4), F(3, 2), F(2)
DEPTHS = np.array([[1, 2], [2, 1]])
"""Of two times, the second and the third of four: releases of the past, and of the future."""

WHICH = st.none() | st.permutations(range(4))
"""The ratios of the four releases; None, where all are alike and both times have the same nearest ones."""


def between(sides, delta=F(1, 1000), which=None, depths=DEPTHS):
    budgets = [BUDGET if which is None else ApproximateBudget(Level.of_ratio(RATIOS[at]), OWN) for at in which or [0]]
    spent = (budgets, budgets) if which is None else (budgets[2::-1], budgets[1:])
    return BothSidesAbove(spent, sides, delta, depths, 2.0, is_steady=which is None)


def outward(sides, time, which):
    """Return for each side φ of a time's release and of those outward, and the matrices."""
    phis = [PHI if which is None else TradeOff.approximate(RATIOS[at], OWN) for at in which or range(4)]
    found = []
    for own, steps, depth in zip((phis[2::-1], phis[1:]), sides, DEPTHS[:, time].tolist(), strict=True):
        start = 0 if which is None else 2 - depth
        found.append((own[start : start + depth + 1], steps[start : start + depth]))
    return found


class Drawn:
    """One side with other bounds: they are drawn, and fall from each pair and e^α that is asked for to the next."""

    def __init__(self, draw):
        self.draw, self.known = draw, {pair: [] for pair in permutations(range(2))}

    def bounds(self, _points, _own, rows, _flat):
        pairs, odds, _ = rows
        found = -np.sort(-(10.0 ** self.draw.uniform(-90, 0, (len(odds), 3))), axis=0)
        for pair, *own in zip(map(tuple, pairs.tolist()), map(F, odds), found, strict=True):
            self.known[pair].append(own)
        return found


@given(st.integers(0, 1 << 20))
@examples(20)
def test_one_line_is_no_lower_than_its_chords(seed):
    """By whatever bounds there are of either side, in fractions; beyond the last slope the bound there holds."""
    draw = np.random.default_rng(seed)
    above = between(([((F(1, 2), F(1, 2)), (F(1, 4), F(3, 4)))] * 2,) * 2)
    above._sides = [Drawn(draw), Drawn(draw)]
    above.one_line(np.ones(2), np.arange(2), 8)
    slopes = [float(s) for s, _ in above._sides[0].known[0, 1]]
    for _ in range(9):
        wanted = np.array([slopes[draw.integers(1, 9)] * slopes[draw.integers(9)], np.exp(draw.uniform(0, 3))])
        found = above.one_line(wanted, np.arange(2), 8)
        for (place, pair), (time, odds) in product(enumerate(permutations(range(2))), enumerate(map(F, wanted))):
            told, then = (
                [(s, F(bounds[depth])) for s, bounds in side.known[pair]]
                for side, depth in zip(above._sides, DEPTHS[:, time], strict=True)
            )
            exact = {
                odds / s / then[0][0] - 1: value + s * (before - (before - after) * (odds / s - low) / (high - low))
                for s, value in told
                for (low, before), (high, after) in pairwise((*then, (odds * 2, then[-1][1])))
                if low <= odds / s <= high
            }
            most = min(bound for beyond, bound in exact.items() if beyond > F(1, 10**12))
            assert min(exact.values()) <= F(found[place, time]) <= most * F(1 + 10**10, 10**10) + F(1, 10**11)


@given(steps_of(4), st.booleans(), WHICH)
@examples(8)
def test_one_line_is_that_of_the_theorem(own, is_flipped, which):
    """The release of the time is of the past; depths are those of each time; tables are kept of the pairs they have."""
    steps = [m.rows for m in own]
    sides, spacings = (steps[:2], steps[2:]), 8
    above, odds = between(sides, which=which), np.array([1.25, 2.0])
    slopes = (np.exp(np.linspace(0, 2.0, 9)) * (1 - 2.0**-49)).tolist()
    pairs = list(permutations(range(len(steps[0])), 2))
    wanted = [[0], range(len(pairs)), [0, 1], [1]] if is_flipped else [range(len(pairs)), [1]]
    for places in wanted:
        found = above.one_line(odds, np.array(places), spacings)
        for row, place in enumerate(np.array(places).tolist()):
            for time in range(2):
                (past, before), (future, after) = outward(sides, time, which)
                told, then = (
                    [exactly(phis, matrices, s, pairs[place]) for s in slopes]
                    for phis, matrices in ((past, before), ((NOTHING, *future[1:]), after))
                )
                chords = [
                    t + F(s) * F(float(np.interp(odds[time] / s, slopes, [*map(float, then)])))
                    for s, t in zip(slopes, told, strict=True)
                    if s <= odds[time]
                ]
                assert float(min(chords)) - 1e-12 <= found[row, time] <= float(min(chords)) * 1.001 + 1e-5


@given(steps_of(2), st.lists(st.sampled_from(range(4)), min_size=3, max_size=3), st.booleans())
@examples(6)
def test_one_side_of_different_releases_is_that_of_the_theorem(own, which, is_pure):
    """Of each time with all that is outward from it; pure ones have no orbits that have to be merged."""
    budgets = [ApproximateBudget(Level.of_ratio(F(10 + at, 10)), 0 if is_pure else F(at, 100)) for at in which]
    phis, steps = [TradeOff.approximate(F(10 + b, 10), own.delta) for b, own in zip(which, budgets, strict=True)], own
    steps = [m.rows for m in own]
    above, rows = OneSideAbove(budgets, steps, F(1, 100)), np.array([(0, 1), (1, 0), (0, 1)])
    odds, depths = np.array([1.0, 1.2, 1.05]), np.array([2, 1, 0])
    assert [matrix.tolist() for matrix in above.matrices] == [[[*map(float, row)] for row in step] for step in steps]
    everywhere = above.everywhere(rows, odds, 2, 1e-6)
    assert everywhere.shape == (3, 3)
    assert not len(above.at(rows[:0], odds[:0], depths[:0], 0.0))
    at = above.at(rows, odds, depths, 0.0)
    for row, (pair, ratio) in enumerate(zip(rows.tolist(), odds.tolist(), strict=True)):
        exact = [exactly(phis[2 - d :], steps[2 - d :], ratio, pair) for d in range(3)]
        assert exact[depths[row]] <= F(at[row]) <= exact[depths[row]] + F(1, 10**6)
        for bound, value in zip(everywhere[row].tolist(), exact, strict=True):
            assert value <= F(bound) <= value + F(1, 10**5)


LOST = (F(49, 100 * 2**53),) * 59
"""Entries that the sum of the others in doubles loses one by one."""


@pytest.mark.parametrize("flat", [0.0, 2.0])
def test_what_sums_lose_is_added(flat):
    phis, rows = (NOTHING, TELLS_ALL), ((1 - sum(LOST), *LOST), *((F(1, 60),) * 60,) * 59)
    points, asked = points_of(phis, 2, 1e-80), (np.array([(0, 1)]), np.array([2.0**-60]), np.array([0]))
    (found,) = SideAbove([rows]).bounds(points, points.own, asked, flat).tolist()
    assert exactly(phis, [rows], 2.0**-60, (0, 1)) <= F(found[-1])


def test_what_underflows_is_added():
    """What is revealed at the farther release alone is likely by less than doubles tell from 0."""
    phis, rows = (NOTHING, NOTHING, TELLS_ALL), ((F(1, 10**200), 1 - F(1, 10**200)), (F(0), F(1)))
    points, asked = points_of(phis, 3, 1e-80), (np.array([(0, 1)]), np.array([1e250]), np.array([0]))
    (found,) = SideAbove([rows] * 2).bounds(points, points.own, asked, 0.0).tolist()
    assert 0 < exactly(phis, [rows] * 2, 1e250, (0, 1)) <= F(found[-1])


@given(steps_of(2), st.sampled_from([2.0**-20, 2.0**-12]), st.sampled_from([0.75, 1.0, 1.5 - 2.0**-9, 1.75]))
@example([SILENT] * 2, 2.0**-12, 1.5 - 2.0**-9)
@examples(12)
def test_entries_may_be_as_wrong_as_doubles_are(own, wrong, odds):
    """Made visible: with a greater unit of rounding no bound is below that of entries which differ by as much."""
    phi, n = PHIS[0], len(own[0].rows)
    points = points_of((phi,), 7, 1e-12)
    steps, pairs = [m.rows for m in own] * 3, [*permutations(range(n), 2)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(above_both_sides, "U", wrong)
        rows = np.array(pairs), np.full(len(pairs), odds), np.zeros(len(pairs), dtype=np.int64)
        found = SideAbove(steps).bounds(points, points.own, rows, 0.0)

    def other(step, signs):
        return [[p * (1 + F(wrong) * sign) for p in row] for row, sign in zip(step, signs, strict=True)]

    for pair, bounds in zip(pairs, found.tolist(), strict=True):
        near = other(steps[0], [(value == pair[0]) - (value == pair[1]) for value in range(n)])
        assert exactly([phi] * 2, [near], odds, pair) <= F(bounds[min(1, len(bounds) - 1)])
        for signs in product((-1, 1), repeat=n):
            both = [near, other(steps[1], signs)]
            assert exactly([phi] * 3, both, odds, pair) <= F(bounds[min(2, len(bounds) - 1)])
        assert exactly([phi] * 7, steps, odds, pair) <= F(bounds[-1])


@pytest.mark.parametrize("budget", [GaussianBudget(F(3)), ConcentratedBudget(F(1, 50))])
def test_of_noise_what_is_above_it_is_taken(budget):
    """Its φ is known between two others. Where the future is silent, the past's line of slope e^α tells all of TPL."""
    budgets, first, odds = [budget] * 2, np.array([(0, 1)]), np.exp([0.125]) * (1 + 1e-9)
    upper = enclosed(budgets, 112, on_one_grid=True).upper
    exact = pair_bound(ProfileSide(upper, (STICKY,)), F(odds[0]), (0, 1), 150).delta
    sides, depths = ([STICKY], [SILENT.rows]), np.array([[1], [1]])
    above = BothSidesAbove((budgets, budgets), sides, F(1, 100), depths, 1.0, is_steady=True)
    one = OneSideAbove(budgets, [STICKY], F(1, 100)).at(first, odds, np.array([1]), 0.0)
    for found in (*one, *above.one_line(odds, np.array([0]), 8)[0]):
        assert exact - F(1, 10**9) <= F(found) <= exact * F(1_000_001, 1_000_000)


def psi(sides, pair, odds, time, which=None):
    """Return δ of TPL of a pair by theorem (ψ), the better order."""
    own = [ProfileSide(tuple(phis), tuple(steps)) for phis, steps in outward(sides, time, which)]
    return min(
        one_side_first(told_together(first, pair, None, 10**6), then, odds=F(odds), pair=pair).bound.delta
        for first, then in (own, own[::-1])
    )


@given(st.lists(matrices(2, 2, kinds=["ties", "sparse", "smoothed"]), min_size=4, max_size=4), WHICH)
@examples(8)
def test_each_time_is_bounded_by_its_own_releases(own, which):
    """By many lines, which are of one side each, and by what they say of both: times in any order, or alone."""
    steps, pairs = [m.rows for m in own], list(permutations(range(2)))
    sides = steps[:2], steps[2:]
    above, jobs, odds = between(sides, which=which), np.array([(1, 1), (0, 0), (0, 1)]), np.array([1.25, 1.5, 2.0])
    parts = np.arange(1), np.arange(3)
    ways = [way(jobs)(part, odds[part]) for part in parts for way in (above.many_lines, above.sharp)]
    for at, (place, time) in enumerate(jobs.tolist()):
        exact = psi(sides, pairs[place], odds[at], time, which)
        by_itself = between(sides, which=which, depths=DEPTHS[:, [time]]).many_lines(np.array([(place, 0)]))
        alone = by_itself([0], odds[[at]])
        for found in (*alone, *(way[at] for way in ways[2:] + ways[:2] * (at == 0))):
            assert exact <= F(found) <= float(exact) * 1.05 + 2e-3
        for first, (phis, matrices_of) in enumerate(outward(sides, time, which)):
            slopes, starts = above._by_lines(first, place, time)
            for slope, start in zip(slopes[:-1:5].tolist(), starts[:-1:5].tolist(), strict=True):
                exact = exactly(phis, matrices_of, slope, pairs[place])
                assert exact <= F(start) <= float(exact) * 1.05 + 2e-3


def test_no_line_has_a_slope_of_0_or_less(monkeypatch):
    monkeypatch.setattr(above_both_sides, "missing_lines", lambda *_: np.array([-1.0, 0.0, np.nan, 1.25]))
    above = between(([STICKY] * 2, [STICKY] * 2))
    above._tell(0, [(0, 0)], 2)
    slopes, starts = above._by_lines(0, 0, 0)
    assert 1.25 in slopes
    assert (slopes[:-1] > 0).all()
    assert (slopes[-1], starts[-1]) == (0, 1)


@given(
    st.lists(matrices(2, 2, kinds=["ties", "sparse", "smoothed"]), min_size=4, max_size=4),
    st.sampled_from([F(1, 10), F(1, 30)]),
    st.sampled_from([1, 3]),
)
@examples(6)
def test_what_is_left_is_what_the_theorem_does_not_prove(own, delta, together):
    """At greater and lesser e^α in turn, of which those that are infinite are not claimed; one of a time is enough."""
    steps = [m.rows for m in own]
    sides = steps[:2], steps[2:]
    above = between(sides, delta)
    for odds in ([1.5, 3.0], [np.inf, 1.25], [4.0, 1.25], [1.01, 2.0]):
        with patch.object(above_both_sides, "JOBS_TOGETHER", together):
            jobs, found = above.unproved(np.array(odds))
        assert (found > float(delta)).all()
        assert len(found) == len(jobs)
        left = {tuple(job) for job in jobs.tolist()}
        for place, pair in enumerate(permutations(range(2))):
            for time in range(2):
                exact = psi(sides, pair, odds[time], time) if odds[time] < np.inf else F(0)
                if exact > delta:
                    assert time in {at for _, at in left}
                    assert above._proved[place, time] > odds[time]
                if float(exact) * 1.02 + 1e-5 < delta:
                    assert (place, time) not in left


@pytest.mark.parametrize("told", range(4))
@pytest.mark.parametrize("is_reversed", [False, True])
def test_lines_are_above_all_tests_of_releases_that_differ(told, is_reversed):
    """By linear programs of the time, one release on one side and two on the other: one of the four tells much."""
    sides = [STICKY], [STICKY, TransitionMatrix.of([["0.9", "0.1"], ["0.3", "0.7"]]).rows]
    ratios = [F(2) if at == told else F(21, 20) for at in range(4)]
    budgets = [ApproximateBudget(Level.of_ratio(ratio), F(1, 500)) for ratio in ratios]
    phis, spent = (
        [TradeOff.approximate(ratio, F(1, 500)) for ratio in ratios],
        (budgets[:2], [budgets[0], *budgets[2:]]),
    )
    order = slice(None, None, -1 if is_reversed else 1)
    above = BothSidesAbove(spent[order], sides[order], F(1, 1000), np.array([[1], [2]])[order], 2.0, is_steady=False)
    jobs, odds = np.array([(0, 0), (1, 0)]), np.array([1.125, 1.25])
    assert above.unproved(odds[:1])[0].tolist() in jobs[:, None].tolist()
    assert (above._proved > odds[0]).all()
    assert len(above.least_odds(roots)[0]) == 1
    for found in (way(jobs)([0, 1], odds) for way in (above.many_lines, above.sharp)):
        for bound, ratio, pair in zip(found.tolist(), map(F, odds), permutations(range(2)), strict=True):
            exact = profile_by_program(phis, ratio, pair, *sides)
            assert exact <= F(bound) <= exact * F(21, 20) + F(1, 1000)


@pytest.mark.parametrize("seek", ["well", "too low", "at 0", "nowhere", "no number"])
def test_every_odds_that_are_found_are_proved(seek):
    """Whatever the search says; where all it says is too low, what is unproved is raised to the worst pair's, or ∞."""

    def search(f, goal, low, high, width):
        if seek in fixed:
            return (np.full(len(low), fixed[seek]),) * 2
        return tuple(end * (1 if seek == "well" else 0.9) for end in roots(f, goal, low, high, width))

    fixed = {"at 0": 0.0, "nowhere": np.inf, "no number": np.nan}
    slow = (F(3, 4), F(1, 4), F(0)), (F(1, 8), F(3, 4), F(1, 8)), (F(0), F(1, 2), F(1, 2))
    sides, delta = ([slow] * 2, [slow[::-1]] * 2), F(1, 8)
    odds, worst = between(sides, delta).least_odds(search)
    for time, ratio in enumerate(odds.tolist()):
        each = {pair: psi(sides, pair, ratio, time) for pair in permutations(range(3), 2)} if ratio < np.inf else {}
        assert all(value <= delta for value in each.values())
        if seek == "well":
            assert max(each, key=each.__getitem__) == tuple(worst[time])
            assert max(each.values()) >= delta * F(99, 100)
    assert seek in ("well", "nowhere") or not np.isfinite(odds).any()


@given(st.lists(st.tuples(st.floats(0.01, 9), st.floats(0, 1)), min_size=2, max_size=9), st.integers(3, 30))
def test_a_function_between_points_is_nowhere_below_the_least_line(lines, count):
    slopes, starts = map(np.array, zip(*lines, strict=True))
    u = np.unique(np.append(np.random.default_rng(count).random(count), [0, 1]))
    found = [F(value) for value in least_line(u, slopes, starts)]
    for (a, b), (low, high) in zip(pairwise(u), pairwise(found), strict=True):
        for part in (F(0), F(1, 3), F(1, 2), F(1)):
            x = F(a) + part * (F(b) - F(a))
            assert low + part * (high - low) >= min(F(c) + F(s) * x for s, c in lines)


def test_missing_lines_are_where_a_convex_function_bends():
    """Of one that is linear but at two places these are found exactly; of a line nothing is missing."""
    s = np.linspace(1, 2, 11)
    bends = [1.234, 1.678]
    table = np.stack([sum(np.maximum(b - s, 0) for b in bends) + 0.1 * (2 - s) + 0.1, 3 - s], axis=1)
    assert missing_lines(s, table, 1e-3) == pytest.approx(bends)
    assert not len(missing_lines(s, table[:, 1:], 1e-3))


def test_kinks_count_by_what_they_cost_between_points_and_by_how_near_they_are_to_0():
    u, slopes, starts = np.array([0, 0.1, 0.5, 1]), np.array([9.5, 12, 0.5, 14.5]), np.array([0.4, 5, 4, 0.3])
    # at 0.02 by 5 for 0.02 · 0.08/0.1, which costs 0.08, 4 times where it is; at 0.4 by 9 for 0.3 · 0.1/0.4, 0.675
    assert sharp_kinks(u, slopes, starts, 2, 0.0) == pytest.approx([0.02, 0.4])
    assert sharp_kinks(u, slopes, starts, 1, 0.0) == pytest.approx([0.02])
    assert sharp_kinks(u, slopes, starts, 2, 0.081) == pytest.approx([0.4])
    assert sharp_kinks(u, slopes, starts, 2, 0.079) == pytest.approx([0.02, 0.4])
    assert not len(sharp_kinks(u, slopes, starts, 2, 0.676))
    assert len(sharp_kinks(u, slopes, starts, 2, 0.674)) == 1


def test_of_each_time_the_job_is_taken_of_which_the_most_is_found():
    jobs = np.array([(3, 5), (1, 5), (0, 2), (4, 2), (2, 5)])
    assert _greatest(jobs, np.array([1.0, np.inf, 4.0, 3.0, 2.0])).tolist() == [[0, 2], [1, 5]]
    assert _greatest(jobs[:0], np.zeros(0)).tolist() == []
