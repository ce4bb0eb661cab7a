"""Theorem 3, Corollary 1 and Table 2, by hand, by brute force and by the definition on finite mechanisms."""

from fractions import Fraction

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
)
from tploracle.reference.paper.composition import total

from ...in_mpmath import alpha_of, assert_encloses, precision
from ...matrices import MODERATE
from ...profiles import examples
from ...strategies import levels, log, matrices, of_one_size, ratio_levels, rational_levels

TENTH = Level.of(Fraction(1, 10))


def adversaries():
    known = st.one_of(st.none(), matrices(1, 3))
    return st.tuples(known, known).map(lambda pair: Adversary.knowing(*of_one_size(*pair)))


def windows(releases):
    return [(start, length) for length in range(1, releases + 1) for start in range(1, releases - length + 2)]


RATIOS = st.lists(ratio_levels(), min_size=1, max_size=6)


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
    with pytest.raises(InvalidRequest, match="are not a window of the 3"):
        independent(epsilons, start, length)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_budgets_of_another_stream(count):
    own = leakage([TENTH] * 3, Adversary())
    for asked in (lambda: composition(own, [TENTH] * count, 1, 1), lambda: guarantee(own, [TENTH] * count, 1)):
        with pytest.raises(InvalidRequest, match="not the budgets of the 3 releases"):
            asked()


def test_the_guarantee_is_that_of_the_first_window_that_attains_it():
    epsilons = [log(2), log(3), log(2), log(3)]
    own = leakage(epsilons, Adversary())
    for length, ratio, start in ((1, 3, 2), (2, 6, 1), (3, 18, 2)):
        found = guarantee(own, epsilons, length)
        assert found.independent.ratio == found.correlated.ratio == ratio
        assert found.independent_start == found.correlated_start == start


@pytest.mark.parametrize("length", [0, -1, 4])
def test_guarantees_that_do_not_fit(length):
    epsilons = [TENTH] * 3
    with pytest.raises(InvalidRequest, match=f"a window of {length} does not fit 3"):
        guarantee(leakage(epsilons, Adversary()), epsilons, length)


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
