"""The worst mechanisms: what they attain by the definition, and drawn, against the theorem and all paths of values."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp, log

import mpmath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.models.attacks import worst_attack
from tploracle.models.simulation import OFTEN_ENOUGH, clopper_pearson, odds_over_time, simulate
from tploracle.reference import (
    InvalidRequest,
    Level,
    TransitionMatrix,
    parse_level,
    reverse,
    stationary,
    strongest,
    worst_case_leakage,
)
from tploracle.reference.definitions import LiteralStream, leakage_by_definition
from tploracle.reference.worst_case.mechanisms import (
    geometric_histogram,
    laplace_histogram,
    randomized_response,
    response_about,
    subset_mechanism,
)

from ...profiles import examples, some
from ...solvers.worst_case.test_pairs import click_stream
from ...strategies import matrices

NINE_QUARTERS = Level.of_ratio(Fraction(9, 4))
THREE = TransitionMatrix.of([["3/5", "3/10", "1/10"], ["1/5", "2/5", "2/5"], ["1/10", "1/10", "4/5"]])
FORWARD = TransitionMatrix.of([["1/2", "1/2", "0"], ["1/3", "0", "2/3"], ["0", "1/4", "3/4"]])
THREES_PAST = reverse(THREE, stationary(THREE))
ONE_CHAIN = reverse(FORWARD, stationary(FORWARD))


def ratio(level):
    """Return e^level, which is rational."""
    return Fraction(1) if level.is_zero else level.ratio


def likelihood(attack, value):
    """Return Pr("yes" every time | the value), over all paths of values, as the adversary knows them."""
    n = (attack.backward or attack.forward).n
    t = attack.time - 1

    def yes(time, now):
        of = ratio(attack.epsilons[time])
        return (of if now in attack.sets[time] else Fraction(1)) / (of + 1) if attack.sets[time] else Fraction(1)

    total = yes(t, value)
    for matrix, times in ((attack.backward, range(t - 1, -1, -1)), (attack.forward, range(t + 1, len(attack.sets)))):
        side = Fraction(0)
        for path in product(range(n), repeat=len(times) if matrix else 0):
            chance, before = Fraction(1), value
            for time, now in zip(times, path, strict=False):
                chance *= matrix.rows[before][now] * yes(time, now)
                before = now
            side += chance
        total *= side
    return total


@given(matrices(2, 3), matrices(3, 3), st.integers(0, 5), st.data())
@example(strongest(3), THREE, 5, None)
@examples(30)
def test_the_attack_attains_the_worst_case_over_all_paths(backward, forward, zeros, data):
    texts = ["log(3/2)", "0", "log(2)", "log(5/4)"] if zeros == 5 else ["log(3/2)", "log(9/4)", "log(2)"]
    epsilons = [parse_level(text) for text in texts]
    known = [backward, None] if backward.n == 2 else [backward, forward]
    time = data.draw(st.integers(1, len(texts))) if data else 3
    exact = worst_case_leakage(epsilons, *known).tpl[time - 1]
    found = worst_attack(epsilons, time, *known)
    assert ratio(found.level) == ratio(exact)
    j, k = found.pair
    assert likelihood(found, j) / likelihood(found, k) == ratio(exact)
    for asked, epsilon in zip(found.sets, epsilons, strict=True):
        assert not asked or not epsilon.is_zero
        assert len(asked) < backward.n


def test_transcendental_budgets_and_the_click_stream():
    """The worst TPL over 50 releases is 2.533167."""
    found = worst_attack([parse_level("1/10")] * 50, 18, *click_stream("counts"))
    assert str(found.level.enclosure(7).lower) == "2.533167"
    exact = worst_case_leakage([parse_level("1/10")] * 3, THREE, FORWARD).tpl[1]
    assert worst_attack([parse_level("1/10")] * 3, 2, THREE, FORWARD).level.enclosure(30) == exact.enclosure(30)


@pytest.mark.parametrize("time", [1, 2, 3])
def test_mechanisms_that_people_run_attain_it_by_the_definition(time):
    """With e^ε = 9/4: questions, a random question, both histograms; among all values only where one is asked for."""
    epsilons = [NINE_QUARTERS] * 3
    exact = worst_case_leakage(epsilons, THREES_PAST, THREE).tpl[time - 1].ratio
    found = worst_attack(epsilons, time, THREES_PAST, THREE)
    attaining = [
        tuple(response_about(3, own, Fraction(9, 4)) for own in found.sets),
        (subset_mechanism(3, Fraction(9, 4)),) * 3,
        (geometric_histogram(3, Fraction(3, 2)),) * 3,
    ]
    for mechanisms in attaining:
        assert LiteralStream(stationary(THREE), THREE, mechanisms).tpl(time).ratio == exact
        assert leakage_by_definition(mechanisms, time, THREES_PAST, THREE).ratio == exact
    laplace = (laplace_histogram(3, Fraction(3, 2)),) * 3
    assert leakage_by_definition(laplace, time, THREES_PAST, THREE).ratio == exact
    among_all = (randomized_response(3, Fraction(9, 4)),) * 3
    leaked = LiteralStream(stationary(THREE), THREE, among_all).tpl(time).ratio
    assert leaked == leakage_by_definition(among_all, time, THREES_PAST, THREE).ratio
    assert leaked == exact if all(len(own) == 1 for own in found.sets) else leaked < exact


def test_what_has_no_attack():
    one = TransitionMatrix.of([["1"]])
    for epsilons, time, known in (
        ([NINE_QUARTERS], 1, (None, None)),
        ([NINE_QUARTERS] * 2, 1, (one, one)),
        ([NINE_QUARTERS] * 2, 3, (THREE, THREE)),
        ([NINE_QUARTERS, parse_level("inf")], 1, (THREE, THREE)),
        ([NINE_QUARTERS] * 2, 1, (THREE, strongest(2))),
    ):
        with pytest.raises(InvalidRequest):
            worst_attack(epsilons, time, *known)


@pytest.mark.parametrize(("backward", "forward"), [(ONE_CHAIN, FORWARD), (None, FORWARD), (THREE, None)])
def test_the_odds_after_each_answer(backward, forward):
    found = worst_attack([NINE_QUARTERS] * 5, 3, backward, forward)
    moved = odds_over_time(found)
    j, k = found.pair
    for upto in range(1, 6):
        seen = replace(found, sets=(*found.sets[:upto], *[frozenset()] * (5 - upto)))
        assert moved[upto - 1] == pytest.approx(log(likelihood(seen, j) / likelihood(seen, k)), abs=1e-12)
    assert exp(moved[-1]) == pytest.approx(float(found.level.ratio))


@pytest.mark.parametrize("whole", some([True, False], 2))
def test_streams_that_are_drawn(whole):
    """Of 20 seeds at least 16 have the factor in an interval of 95 %: fewer has a chance of 0.3 %, and it is fixed."""
    found = worst_attack([NINE_QUARTERS] * (3 if whole else 8), 2, ONE_CHAIN, FORWARD)
    truth = found.level.ratio
    drawn = [simulate(found, 4_000, seed) for seed in range(20)]
    assert {each.whole for each in drawn} == {whole}
    assert sum(each.lower <= truth <= each.upper for each in drawn) >= 16
    assert len({each.yes for each in drawn}) > 15
    assert simulate(found, 4_000, 7) == drawn[7]
    common = Fraction(1) if whole else Fraction(13, 9) ** sum(map(bool, found.sets))
    for value, counts in zip(found.pair, zip(*(each.yes for each in drawn), strict=True), strict=True):
        low, high = clopper_pearson(sum(counts), 80_000, Fraction(1, 10_000))
        assert low <= likelihood(found, value) * common <= high
    for each in drawn:
        assert each.factor == Fraction(*each.yes)
        assert each.lower < each.factor < each.upper


def test_what_is_too_rare_to_be_drawn():
    far = worst_attack([parse_level("60")] * 3, 2, THREE, FORWARD)
    found = simulate(far, 1_000, 1)
    assert min(found.yes) == 0
    assert found.wanted > 1e6 * OFTEN_ENOUGH
    assert (found.factor, found.upper) == (None, None)
    assert found.lower >= 0
    with pytest.raises(InvalidRequest, match="above 700"):
        simulate(worst_attack([parse_level("701")], 1, THREE), 10, 1)


@pytest.mark.parametrize(("count", "trials"), [(0, 10), (3, 10), (10, 10), (700, 1000), (1, 1)])
def test_the_interval_of_clopper_and_pearson(count, trials):
    """At its ends the tail probabilities are half of what it may miss; summed up in mpmath."""
    miss = Fraction(1, 20)
    low, high = clopper_pearson(count, trials, miss)

    def tail(p, successes):
        with mpmath.workprec(200):
            p = mpmath.mpf(p.numerator) / p.denominator
            return mpmath.fsum(
                mpmath.binomial(trials, i) * p**i * (1 - p) ** (trials - i) for i in range(successes, trials + 1)
            )

    assert low == 0 if count == 0 else 0.024999 < tail(low, count) <= 0.025
    assert high == 1 if count == trials else 0.024999 < tail(1 - high, trials - count) <= 0.025
    assert low <= Fraction(count, trials) <= high
