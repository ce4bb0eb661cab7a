"""Theorem 3, Corollary 1 and Table 2, by hand, by brute force and by the definition on finite mechanisms."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.reference import (
    INFINITE,
    ZERO,
    Adversary,
    InvalidRequest,
    Level,
    composition,
    first_failure,
    guarantee,
    independent,
    leakage,
    strongest,
)
from tploracle.reference.paper.composition import total

from ...in_mpmath import alpha_of, assert_encloses, precision
from ...matrices import MODERATE, SYMMETRIC
from ...profiles import examples
from ...strategies import levels, log, matrices, of_one_size, ratio_levels, rational_levels

TENTH = Level.of(Fraction(1, 10))


def adversaries():
    known = st.one_of(st.none(), matrices(1, 3))
    return st.tuples(known, known).map(lambda pair: Adversary.knowing(*of_one_size(*pair)))


def windows(releases):
    return [(start, length) for length in range(1, releases + 1) for start in range(1, releases - length + 2)]


RATIOS = st.lists(ratio_levels(), min_size=1, max_size=6)


# Theorem 3


def test_by_hand():
    """Ratios 2, 3, 5, 7 under SYMMETRIC both ways: each window from BPL, FPL and the budgets between."""
    epsilons = [log(2), log(3), log(5), log(7)]
    own = leakage(epsilons, Adversary.knowing(SYMMETRIC, SYMMETRIC))

    def lost(a):
        return (Fraction(4, 5) * (a - 1) + 1) / (Fraction(1, 5) * (a - 1) + 1)

    b1 = Fraction(2)
    b2 = lost(b1) * 3
    b3 = lost(b2) * 5
    f4 = Fraction(7)
    f3 = lost(f4) * 5
    f2 = lost(f3) * 3
    assert b2 == Fraction(9, 2)
    expected = {
        (1, 1): b1 * lost(f2),
        (2, 1): b2 * lost(f3),
        (4, 1): lost(b3) * 7,
        (1, 2): b1 * f2,
        (2, 2): b2 * f3,
        (3, 2): b3 * f4,
        (1, 3): b1 * 3 * f3,
        (2, 3): b2 * 5 * f4,
        (1, 4): Fraction(2 * 3 * 5 * 7),
    }
    for (start, length), ratio in expected.items():
        assert composition(own, epsilons, start, length).ratio == ratio


@given(adversaries(), RATIOS)
def test_the_two_cases_of_the_theorem_are_one_formula(adversary, epsilons):
    """For j = 1 the sum from t + 1 to t + j − 1 is empty, so that α_t^B + α_{t+1}^F is the case j ≥ 2 as well."""
    own = leakage(epsilons, adversary)
    for start, length in windows(len(epsilons)):
        ratio = Fraction(1)
        if length == 1:
            ratio = own.bpl[start - 1].ratio * own.fpl[start - 1].ratio / epsilons[start - 1].ratio
        else:
            last = start + length - 1
            for time in range(start + 1, last):
                ratio *= epsilons[time - 1].ratio
            ratio *= own.bpl[start - 1].ratio * own.fpl[last - 1].ratio
        assert composition(own, epsilons, start, length).ratio == ratio


@given(adversaries(), st.lists(levels(), min_size=1, max_size=5))
def test_a_single_release_is_tpl(adversary, epsilons):
    own = leakage(epsilons, adversary)
    for time in range(1, len(epsilons) + 1):
        assert composition(own, epsilons, time, 1) is own.tpl[time - 1]


@examples(15)
@given(adversaries(), st.lists(rational_levels(), min_size=2, max_size=4), st.data())
def test_windows_over_balls(adversary, epsilons, data):
    own = leakage(epsilons, adversary)
    start, length = data.draw(st.sampled_from([window for window in windows(len(epsilons)) if window[1] > 1]))
    with precision(400):
        last = start + length - 1
        value = sum((alpha_of(epsilon) for epsilon in epsilons[start : last - 1]), alpha_of(ZERO))
        for level in (own.bpl[start - 1], own.fpl[last - 1]):
            bound = level.enclosure(500)
            value += alpha_of(Level.of(Fraction(bound.lower)))
        assert_encloses(composition(own, epsilons, start, length).enclosure(30), value, 30)


def test_two_releases_attain_the_theorem_on_a_mechanism():
    """By the definition: randomised response of a two-state user, T = 2, all outputs, all pairs of trajectories.

    Given D^1 and D^2 the releases are independent: the window of both leaks ε_1 + ε_2, whatever the correlation.
    """
    epsilons = [log(2), log(3)]
    respond = [
        [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)]],
        [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]],
    ]
    states = (0, 1)
    greatest = max(
        respond[0][a][r] * respond[1][b][s] / (respond[0][c][r] * respond[1][d][s])
        for a, b, c, d, r, s in product(states, repeat=6)
    )
    own = leakage(epsilons, Adversary.knowing(SYMMETRIC, SYMMETRIC))
    assert composition(own, epsilons, 1, 2).ratio == greatest == 6


# Corollary 1 and Table 2


@given(adversaries(), st.lists(ratio_levels(), min_size=1, max_size=6))
def test_user_level_is_the_sum_of_the_budgets_exactly(adversary, epsilons):
    own = leakage(epsilons, adversary)
    expected = Fraction(1)
    for epsilon in epsilons:
        expected *= epsilon.ratio
    releases = len(epsilons)
    assert composition(own, epsilons, 1, releases).ratio == expected
    whole = guarantee(own, epsilons, releases)
    assert whole.correlated.ratio == whole.independent.ratio == expected
    assert whole.correlated_start == whole.independent_start == 1


@given(adversaries(), st.lists(st.one_of(rational_levels(), st.just(INFINITE), st.just(ZERO)), min_size=1, max_size=6))
def test_user_level_of_rational_budgets_is_their_rational_sum(adversary, epsilons):
    own = leakage(epsilons, adversary)
    level = composition(own, epsilons, 1, len(epsilons))
    assert level == total(epsilons)
    if not any(epsilon.is_infinite for epsilon in epsilons):
        assert level.rational == sum((epsilon.rational for epsilon in epsilons), Fraction(0))


@given(adversaries(), ratio_levels(), st.integers(1, 6))
def test_table_2(adversary, epsilon, releases):
    """Event level between ε and Tε, w-event between wε and Tε, user level Tε."""
    epsilons = [epsilon] * releases
    own = leakage(epsilons, adversary)
    everything = total(epsilons)
    for w in range(1, releases + 1):
        found = guarantee(own, epsilons, w)
        assert found.length == w
        assert found.independent == total([epsilon] * w)
        assert found.independent_start == 1
        assert found.independent <= found.correlated <= everything
    for tpl in own.tpl:
        assert epsilon <= tpl <= everything


def test_the_ends_of_table_2_are_met():
    epsilons = [TENTH] * 10
    strong = leakage(epsilons, Adversary.knowing(strongest(2), strongest(2)))
    assert guarantee(strong, epsilons, 1).correlated.rational == 1
    assert guarantee(strong, epsilons, 4).correlated.rational == 1
    nobody = leakage(epsilons, Adversary())
    assert guarantee(nobody, epsilons, 1).correlated.rational == Fraction(1, 10)
    assert guarantee(nobody, epsilons, 4).correlated.rational == Fraction(4, 10)
    between = leakage(epsilons, Adversary.knowing(MODERATE, MODERATE))
    assert TENTH < guarantee(between, epsilons, 1).correlated < Level.of(1)


@given(adversaries(), RATIOS)
def test_a_window_leaks_at_least_what_any_part_of_it_leaks(adversary, epsilons):
    own = leakage(epsilons, adversary)
    for start, length in windows(len(epsilons)):
        level = composition(own, epsilons, start, length)
        assert level >= independent(epsilons, start, length)
        if length > 1:
            assert level >= composition(own, epsilons, start, length - 1)
            assert level >= composition(own, epsilons, start + 1, length - 1)


# Guarantees


@given(adversaries(), RATIOS, st.data())
def test_the_guarantee_is_the_true_maximum(adversary, epsilons, data):
    own = leakage(epsilons, adversary)
    length = data.draw(st.integers(1, len(epsilons)))
    found = guarantee(own, epsilons, length)
    starts = range(1, len(epsilons) - length + 2)
    for greatest, at, ratios in (
        (found.correlated, found.correlated_start, [composition(own, epsilons, s, length).ratio for s in starts]),
        (found.independent, found.independent_start, [independent(epsilons, s, length).ratio for s in starts]),
    ):
        assert greatest.ratio == max(ratios)
        assert at == 1 + ratios.index(max(ratios))


def test_the_guarantee_by_hand():
    """Budgets log 2, log 7, log 3, log 5: two neighbours make 14, 21, 15; each by itself 7 at most."""
    epsilons = [log(2), log(7), log(3), log(5)]
    nobody = leakage(epsilons, Adversary())
    for length, ratio, start in ((1, 7, 2), (2, 21, 2), (3, 105, 2), (4, 210, 1)):
        found = guarantee(nobody, epsilons, length)
        assert (found.independent.ratio, found.independent_start) == (ratio, start)
        assert (found.correlated.ratio, found.correlated_start) == (ratio, start)
    # One user knows the past: BPL_4 = L(BPL_3)·5 is more than 7 without anything before it.
    past = guarantee(leakage(epsilons, Adversary.knowing(strongest(2))), epsilons, 1)
    assert (past.correlated.ratio, past.correlated_start) == (210, 4)
    assert (past.independent.ratio, past.independent_start) == (7, 2)


@given(
    st.one_of(RATIOS, st.lists(st.one_of(rational_levels(), st.just(INFINITE), st.just(ZERO)), min_size=1, max_size=5))
)
def test_independent_data(epsilons):
    """McSherry's theorem: what an adversary without knowledge learns of a window is the sum of its budgets."""
    own = leakage(epsilons, Adversary())
    for start, length in windows(len(epsilons)):
        assert independent(epsilons, start, length) == composition(own, epsilons, start, length)
        if not any(epsilon.is_infinite for epsilon in epsilons):
            assert all(
                independent(epsilons, start, length) >= epsilon for epsilon in epsilons[start - 1 : start - 1 + length]
            )


def test_independent_by_hand():
    epsilons = [log(2), log(3), log(5), log(7)]
    assert independent(epsilons, 2, 2).ratio == 15
    assert independent(epsilons, 1, 1).ratio == 2
    assert independent(epsilons, 4, 1).ratio == 7
    assert total([]).is_zero


@pytest.mark.parametrize(("start", "length"), [(0, 1), (-1, 2), (1, 0), (1, -1), (1, 4), (3, 2), (4, 1), (0, 3)])
def test_windows_outside_the_stream(start, length):
    epsilons = [TENTH] * 3
    with pytest.raises(InvalidRequest, match=f"{start}\\.\\.{start + length - 1} are not a window of the 3"):
        composition(leakage(epsilons, Adversary()), epsilons, start, length)


@pytest.mark.parametrize("length", [0, -1, 4])
def test_guarantees_that_do_not_fit(length):
    epsilons = [TENTH] * 3
    with pytest.raises(InvalidRequest, match=f"a window of {length} does not fit 3"):
        guarantee(leakage(epsilons, Adversary()), epsilons, length)


# α-DP_T


@given(adversaries(), RATIOS, ratio_levels())
def test_the_first_failure(adversary, epsilons, alpha):
    own = leakage(epsilons, adversary)
    time = first_failure(own, alpha)
    if time is None:
        assert all(tpl.ratio <= alpha.ratio for tpl in own.tpl)
    else:
        assert own.tpl[time - 1].ratio > alpha.ratio
        assert all(tpl.ratio <= alpha.ratio for tpl in own.tpl[: time - 1])


def test_the_first_failure_by_hand():
    """BPL under MODERATE at ε = 0.1: 0.1, 0.18078, 0.24714, …: attained is not exceeded."""
    own = leakage([TENTH] * 5, Adversary.knowing(MODERATE))
    assert first_failure(own, TENTH) == 2
    assert first_failure(own, Level.of(Fraction(18, 100))) == 2
    assert first_failure(own, Level.of(Fraction(19, 100))) == 3
    assert first_failure(own, own.tpl[2]) == 4
    assert first_failure(own, own.tpl[4]) is None
    assert first_failure(own, INFINITE) is None
    assert first_failure(own, ZERO) == 1


@pytest.mark.parametrize(("start", "length"), [(0, 1), (1, 0), (3, 1), (2, 2)])
def test_no_window_on_independent_data_either(start, length):
    with pytest.raises(InvalidRequest):
        independent([Level.of(1)] * 2, start, length)
