"""Schedules by the worst-case leakage: ratios and slopes in doubles against fractions, the least noise otherwise."""

from fractions import Fraction
from itertools import permutations
from math import exp, log

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import (
    InfeasibleBudget,
    InvalidRequest,
    Level,
    TransitionMatrix,
    parse_level,
    worst_case_leakage,
)
from tploracle.reference.worst_case.sweep import OneSide, worst
from tploracle.solvers.worst_case.budgets import fast_worst_case_budget, fast_worst_case_multiple
from tploracle.solvers.worst_case.shapes import SideInDoubles, least_noise_weights

from ...matrices import EQUAL_ROWS, HALF, SWAP
from ...profiles import examples, some
from ...strategies import matrices
from .test_pairs import DIVERGES, STICKY, click_stream

ONE = parse_level("1")


def of_all_pairs(matrix):
    pairs = list(permutations(range(matrix.n), 2))
    return pairs, SideInDoubles(matrix, np.array(pairs, dtype=np.int64))


@given(matrices(2, 4), st.lists(st.sampled_from(["3/2", "11/10", "4"]).map(Fraction), min_size=1, max_size=5))
@example(DIVERGES, [Fraction(3, 2)] * 5)
@examples(15)
def test_ratios_and_slopes_in_doubles(matrix, ratios):
    """The ratios are the exact ones; a slope is what a budget a little greater adds, sets being what they are."""
    pairs, side = of_all_pairs(matrix)
    budgets = [log(ratio) for ratio in ratios]
    found = side.ratios(budgets, range(len(budgets) + 1))
    assert np.array_equal(found[0], np.ones(len(pairs)))
    assert np.allclose(side.ratios(budgets, [len(ratios)])[0], found[-1], rtol=2e-9)
    for place, pair in enumerate(pairs):
        for time in range(1, len(ratios) + 1):
            exact = worst(OneSide((matrix.rows,) * time), ratios[:time], pair).ratio
            assert found[time, place] == pytest.approx(float(exact), rel=2e-9)
        slopes = side.slopes(budgets, place, found[-1, place])
        for release, slope in enumerate(slopes):
            grown = [ratio * (1 + Fraction(release == s, 10**7)) for s, ratio in enumerate(ratios)]
            more = worst(OneSide((matrix.rows,) * len(ratios)), grown, pair).ratio
            assert 0 <= slope <= 1
            assert log(more / exact) / log(1 + 1e-7) >= slope - 1e-6  # equal, or other sets have become better
        assert exact == 1 or slopes[-1] > 0


def test_of_levels_beyond_the_doubles_no_weights_are_sought():
    assert np.array_equal(least_noise_weights(1e4, [(SWAP, SWAP)], 3), np.ones(3))


def worst_tpl(weights, own):
    """Return the worst TPL of budgets, in nats, by the literal leakage."""
    epsilons = [Level.of(Fraction(weight)) for weight in weights]
    return max(float(level.enclosure(12).upper) for level in worst_case_leakage(epsilons, *own).tpl)


def noise(weights, own):
    """Return the mean of 1/ε of the greatest multiple of weights that keeps TPL within 1, by halving."""
    low, high = 0.0, 1 / max(weights)
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if worst_tpl([middle * w for w in weights], own) <= 1 else (low, middle)
    return sum(1 / (low * w) for w in weights) / len(weights)


def test_two_budgets_by_a_search_in_one_of_them():
    """Rows (1/2, 1/2), (0, 1): TPL_2 = ε_2 + log((1 + e^{ε_1})/2), to be 1 at the least 1/ε_1 + 1/ε_2."""
    first = min((k / 10**5 for k in range(1, 10**5)), key=lambda e: 1 / e + 1 / (1 - log((1 + exp(e)) / 2)))
    weights = least_noise_weights(1.0, [(HALF, None)], 2)
    assert weights[1] / weights[0] == pytest.approx((1 - log((1 + exp(first)) / 2)) / first, rel=5e-3)
    mirrored = least_noise_weights(1.0, [(None, HALF)], 2)
    assert mirrored[::-1] == pytest.approx(weights, rel=1e-9)


@pytest.mark.parametrize(
    "own", some([(STICKY, None), (DIVERGES, DIVERGES), (None, STICKY)], 3), ids=["past", "both", "future"]
)
def test_no_other_weights_are_better(own):
    """Neither a few at random nor those of a constant budget have less noise, but for what is not worth seeking."""
    weights = least_noise_weights(1.0, [own], 4)
    least = noise(weights, own)
    assert np.mean(weights) == pytest.approx(1)
    assert least <= noise(np.ones(4), own)
    draw = np.random.default_rng(7)
    for _ in range(6):
        assert noise(weights * np.exp(draw.normal(0, 0.05, 4)), own) >= least * (1 - 1e-4)


def test_where_all_weights_are_equal():
    for known in ((EQUAL_ROWS, None), (None, None), (SWAP, SWAP), (TransitionMatrix.of([[1]]), None)):
        assert least_noise_weights(1.0, [known], 3) == pytest.approx(np.ones(3))
    assert least_noise_weights(1e6, [(STICKY, None)], 3) == pytest.approx(np.ones(3))
    assert least_noise_weights(1.0, [(STICKY, STICKY)], 1) == pytest.approx([1])


def test_the_worst_of_several_adversaries_rules():
    """One who knows nothing adds nothing; of two who mirror each other the weights are the same from both ends."""
    alone = least_noise_weights(1.0, [(STICKY, None)], 4)
    assert least_noise_weights(1.0, [(None, None), (STICKY, None)], 4) == pytest.approx(alone)
    both = least_noise_weights(1.0, [(STICKY, None), (None, STICKY)], 4)
    assert noise(both, (STICKY, None)) == pytest.approx(noise(both, (None, STICKY)), rel=0.02)


@given(matrices(2, 3), st.lists(st.integers(1, 9), min_size=1, max_size=4), st.booleans())
@example(SWAP, [1, 3], False)
@example(EQUAL_ROWS, [1, 4, 2], True)
@examples(10)
def test_a_multiple_keeps_the_level_and_a_unit_more_does_not(matrix, weights, both):
    shape, own = [Fraction(weight, 3) for weight in weights], (matrix, matrix if both else None)
    found = fast_worst_case_multiple(ONE, shape, *own, 9)
    unit = Fraction(1, 10**9)

    def kept(multiple):
        return worst_tpl([multiple * w for w in shape], own) <= 1 + 1e-11

    assert kept(found)
    assert not kept(found * (1 + 10 * unit))
    if len(set(weights)) == 1:
        constant = fast_worst_case_budget(ONE, *own, len(weights)).enclosure(20).lower
        assert abs(found * shape[0] - Fraction(constant)) < 20 * unit


def test_multiples_that_are_refused():
    with pytest.raises(InvalidRequest, match="above 0"):
        fast_worst_case_multiple(ONE, [Fraction(1), Fraction(0)], STICKY)
    with pytest.raises(InvalidRequest, match="finite level"):
        fast_worst_case_multiple(parse_level("inf"), [Fraction(1)], STICKY)
    with pytest.raises(InfeasibleBudget, match="0 leaves no budget"):
        fast_worst_case_multiple(parse_level("0"), [Fraction(1)], STICKY)


@pytest.mark.parametrize(
    ("own", "horizon", "least"),
    [((STICKY, None), 4, 2.146020), ((STICKY, STICKY), 8, 3.455780), ((HALF, HALF), 6, 2.844721)],
)
def test_against_sequential_quadratic_programming(own, horizon, least):
    """The least mean of 1/ε_t by scipy's SLSQP, TPL at each time a constraint; several times rule together."""
    weights = least_noise_weights(1.0, [own], horizon)
    assert noise(weights, own) == pytest.approx(least, rel=1e-4)


def test_the_click_stream():
    """Of counts, Δ = 2: 16.7733 by SLSQP, 16.8212 with equal budgets."""
    own = click_stream("counts")
    weights = [round(Fraction(weight), 4) for weight in map(float, least_noise_weights(1.0, [own], 10))]
    multiple = fast_worst_case_multiple(ONE, weights, *own)
    assert float(sum(2 / (multiple * weight) for weight in weights) / 10) == pytest.approx(16.7733, abs=2e-4)
