"""TPL at a δ, proved from above at all times at once: against linear programs over all tests, and with faults."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tploracle.certificates import above_both_sides
from tploracle.certificates.above_both_sides import BothSidesAbove, least_line
from tploracle.checked import alphas_at_delta, tpl_at_delta
from tploracle.models.stream_profile import leakage_at_delta
from tploracle.reference import ApproximateBudget, GaussianBudget, Level, TransitionMatrix, parse_level
from tploracle.reference.errors import Refuted
from tploracle.reference.worst_case.one_side_first import one_side_first, told_together
from tploracle.reference.worst_case.profile import ProfileSide
from tploracle.reference.worst_case.trade_off import TradeOff
from tploracle.solvers.linear_programs.profiles import profile_by_program
from tploracle.solvers.worst_case.profile_both_sides import TimesTogether
from tploracle.solvers.worst_case.profile_passes import roots
from tploracle.unchecked import forget, unchecked

from ..profiles import examples
from ..strategies import matrices

F = Fraction
GRAIN = 10**6
SLOW = TransitionMatrix.of([["0.8", "0.1", "0.1"], ["0.2", "0.6", "0.2"], ["0.1", "0.3", "0.6"]])
FAST = TransitionMatrix.of([["0.5", "0.2", "0.3"], ["0.3", "0.4", "0.3"], ["0.2", "0.1", "0.7"]])
RING = TransitionMatrix.of([["2/3", "1/3", 0], [0, "2/3", "1/3"], ["1/3", 0, "2/3"]])
STAR = TransitionMatrix.of([["1/2", "1/4", "1/4"], ["1/2", "1/2", 0], ["1/2", 0, "1/2"]])
TENTH = ApproximateBudget(parse_level("0.1"), F(1, 10**6))


def greatest(phi, odds, past, future, others=()):
    """Return the greatest δ of all pairs, by linear programs; others, φ of the past and of the future that differ."""
    phis = [phi, *others] if others else [phi] * (len(past) + len(future) + 1)
    pairs = permutations(range(len(past[0])), 2)
    return max(profile_by_program(phis, odds, pair, past, future) for pair in pairs)


@given(
    st.lists(matrices(2, 2, kinds=["ties", "sparse", "smoothed"]), min_size=4, max_size=4),
    st.booleans(),
    st.sampled_from([F(101, 100), F(11, 10), F(3, 2), F(4)]),
    st.sampled_from([F(0), F(1, 1000), F(1, 10**5)]),
    st.sampled_from([F(1, 10), F(1, 30), F(1, 400), F(1, 10**5)]),
)
@examples(12)
def test_no_test_tells_more_and_one_as_much(own, alike, ratio, release_delta, delta):
    """By programs that HiGHS solves, which sees no entry below 1e-9."""
    assume(all(p == 0 or p > F(1, 10**8) for matrix in own for row in matrix.rows for p in row))
    past, future = (
        ([own[0].rows] * 2, [own[1].rows] * 2) if alike else ([m.rows for m in each] for each in (own[:2], own[2:]))
    )
    phi = TradeOff.approximate(ratio, release_delta)
    found = tpl_at_delta(
        [ApproximateBudget(Level.of_ratio(ratio), release_delta)] * 3, (past, future), delta, [1, 2, 3]
    )
    level = found[1]
    assert level.lower <= level.upper
    if not level.upper.is_infinite:
        above = F(-(-level.upper.ratio * GRAIN // 1), GRAIN)
        assert greatest(phi, above, past[:1], future[1:]) <= delta
    if not level.lower.is_zero:
        below = F(level.lower.ratio * GRAIN // 1, GRAIN)
        assert greatest(phi, below, past[:1], future[1:]) > delta


def test_where_the_releases_deltas_add_up_to_more_than_delta_there_is_a_level():
    """TPL is there far above what both sides have alone, and lines of their slopes do not reach it."""
    steps, delta, phi = (
        [((F(19, 20), F(1, 20)), (F(1, 10), F(9, 10)))] * 5,
        F(1, 200),
        TradeOff.approximate(F(11, 10), F(1, 1000)),
    )
    budget = ApproximateBudget(Level.of_ratio(F(11, 10)), F(1, 1000))
    alone = max(own.upper for own in alphas_at_delta([budget] * 6, steps, delta, [6]))
    (found,) = tpl_at_delta([budget] * 6, (steps, steps), delta, [3])
    assert 2 * float(alone) < float(found.upper) < 1.2 * float(found.lower)
    above, below = (F(ratio * GRAIN // 1, GRAIN) for ratio in (found.upper.ratio + F(1, GRAIN), found.lower.ratio))
    assert greatest(phi, above, steps[:2], steps[2:]) <= delta < greatest(phi, below, steps[:2], steps[2:])


@pytest.mark.parametrize("is_reversed", [False, True])
def test_where_the_last_time_or_the_first_has_no_level_the_others_have_theirs(is_reversed):
    """Its release alone may reveal more than δ; the places of the others are those that they have with it."""
    ratios, delta = ["1.37", "1.37", "1.36", "1.39", "1.39"], F(1, 50)
    steps = [((F(11, 20), F(9, 20)), (F(9, 20), F(11, 20)))] * 4
    spent = [(F(ratio), F(1, 20 if at == 3 else 1000)) for at, ratio in enumerate(ratios)]
    spent = spent[::-1] if is_reversed else spent
    phis = [TradeOff.approximate(*own) for own in spent]
    found = tpl_at_delta([ApproximateBudget(Level.of_ratio(e), d) for e, d in spent], (steps, steps), delta, [2, 3, 4])
    for time, level in zip((2, 3, 4), found, strict=True):
        assert level.upper.is_infinite == (time == (2 if is_reversed else 4))
        if not level.upper.is_infinite:
            sides = steps[: time - 1], steps[time - 1 :], [*phis[: time - 1][::-1], *phis[time:]]
            above, below = F(-(-level.upper.ratio * GRAIN // 1), GRAIN), F(level.lower.ratio * GRAIN // 1, GRAIN)
            assert greatest(phis[time - 1], above, *sides) <= delta < greatest(phis[time - 1], below, *sides)


def test_times_far_from_the_ends_are_one():
    budget = ApproximateBudget(Level.of_ratio(F(3, 2)), F(1, 1000))
    fast = ((F(1, 2), F(1, 2)), (F(1, 3), F(2, 3)))
    found = tpl_at_delta([budget] * 61, ([fast] * 60,) * 2, F(1, 100), [20, 30, 40])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("epsilon", ["1/100", "1/10", "1"])
@pytest.mark.parametrize(("release_exponent", "exponent"), [(6, 3), (9, 3), (9, 6), (12, 6), (12, 9)])
def test_the_ends_are_near_each_other_however_small_the_releases_delta(epsilon, release_exponent, exponent):
    budget = ApproximateBudget(parse_level(epsilon), F(1, 10**release_exponent))
    steps = [((F(4, 5), F(1, 10), F(1, 10)), (F(1, 5), F(3, 5), F(1, 5)), (F(1, 10), F(3, 10), F(3, 5)))] * 7
    for found in tpl_at_delta([budget] * 8, (steps, steps), F(1, 10**exponent), range(2, 8)):
        assert float(found.upper) - float(found.lower) < 5e-5


@given(
    st.integers(2, 3).flatmap(lambda n: st.lists(matrices(n, n, kinds=["ties", "smoothed"]), min_size=4, max_size=4)),
    st.sampled_from([F(11, 10), F(3, 2)]),
    st.sampled_from([F(0), F(1, 1000)]),
    st.sampled_from([F(11, 10), F(3, 2), F(2)]),
)
@example([FAST] * 4, F(2), F(3, 5), F(3, 2))
@example([RING] * 4, F(3, 2), F(1, 1000), F(11, 10))
@example([RING] * 2 + [STAR] * 2, F(3, 2), F(1, 1000), F(11, 10))
@example([STAR] * 4, F(3, 2), F(0), F(11, 10))
@examples(8)
def test_bounds_are_above_theorem_psi_and_near_it(own, ratio, release_delta, odds):
    """Every pair, either side first: by exact lines of ψ in fractions; one line is above many, all above these.

    Pairs that stand for others have what these have.
    """
    past, future = ([m.rows for m in each] for each in (own[:2], own[2:]))
    phi, n = TradeOff.approximate(ratio, release_delta), len(past[0])
    pairs = list(permutations(range(n), 2))
    budget = ApproximateBudget(Level.of_ratio(ratio), release_delta)
    above = BothSidesAbove(([budget], [budget]), (past, future), F(1, 1000), np.array([[2], [2]]), 2.0, is_steady=True)
    jobs = np.array([(place, 0) for place in range(len(above.pairs))])
    at = np.full(len(jobs), float(odds))
    many, sharp = (way(jobs)(np.arange(len(jobs)), at) for way in (above.many_lines, above.sharp))
    one = above.one_line(at[:1], np.arange(len(jobs)), 48)[:, 0]
    every = {}
    for pair in pairs:
        sides = [ProfileSide((phi,) * 3, tuple(steps)) for steps in (past, future)]
        exact = []
        for first, then in (sides, sides[::-1]):
            told = told_together(first, pair, None, 10**6)
            exact.append(one_side_first(told, then, odds=F(float(odds)), pair=pair).bound.delta)
        every[pair] = exact
    standing = [every[tuple(pair)] for pair in above.pairs.tolist()]
    assert all(exact in standing for exact in every.values())
    for place, exact in enumerate(standing):
        assert min(many[place], sharp[place], one[place]) >= min(exact)
        assert one[place] >= many[place] - 1e-4
        assert min(many[place], sharp[place]) <= float(min(exact)) * 1.02 + 1e-5


def asked():
    return leakage_at_delta([TENTH] * 6, [(SLOW, FAST)], F(1, 10**4), range(1, 7), kinds=["tpl"])["tpl"]


@pytest.mark.parametrize("budget", [TENTH, GaussianBudget(F(10)), ApproximateBudget(parse_level("0.1"))], ids=str)
def test_nothing_is_left_to_the_solvers(budget):
    forget()
    leakage_at_delta([budget] * 12, [(SLOW, FAST)], F(1, 10**4), range(1, 13), kinds=["tpl"])
    assert unchecked() == ()


def test_too_low_a_guess_is_never_returned():
    """What the search takes for enough is raised, or ∞ where that does not help; never below what tests attain."""
    honest = asked()
    spent = [TENTH], [TENTH]
    above = BothSidesAbove(
        spent, ([SLOW.rows] * 4, [FAST.rows] * 4), F(1, 10**4), np.array([[1, 2], [4, 3]]), 0.5, is_steady=True
    )
    for odds, level in zip(
        above.least_odds(lambda *own: tuple(0.99 * each for each in roots(*own)))[0], honest[1:3], strict=True
    ):
        assert odds > level.lower.ratio


def test_a_check_that_proves_too_much_is_refuted(monkeypatch):
    """What private streams attain is more than a check with a fault proves."""
    monkeypatch.setattr(above_both_sides, "least_line", lambda *own: least_line(*own) * 0.999)
    with pytest.raises(Refuted, match="a test tells more"):
        asked()
    monkeypatch.undo()
    whole = TimesTogether.attained
    monkeypatch.setattr(TimesTogether, "attained", lambda *own: whole(*own) + 1e-3)
    with pytest.raises(Refuted, match="a test tells more"):
        asked()
