"""The check from above on chains of second order against its sweeps over whole sequences, in fractions."""

from fractions import Fraction
from itertools import permutations, product
from math import nextafter, prod

import numpy as np
import pytest

from tploracle.certificates.above_second_order import (
    BY_DISTANCE,
    FUTURE_FIRST,
    ORDERS,
    PAST_FIRST,
    AtOneTime,
    SecondOrderSides,
    _over,
)
from tploracle.reference import Level
from tploracle.reference.errors import InvalidRequest
from tploracle.reference.laws import SecondOrder, second_order

from ..decisions.enumerated import drawn_law

WAYS = [*((False, order) for order in ORDERS), (True, PAST_FIRST), (True, FUTURE_FIRST)]


def shares_of(law, releases, time):
    """Return Pr of each sequence given each value at a time that can occur there, in fractions."""
    found, values = np.zeros((law.n,) * releases, dtype=object), range(law.n)
    for y in product(values, repeat=releases):
        begun = law.initial[y[0]][y[1]] if releases > 1 else sum(law.initial[y[0]])
        found[y] = begun * prod(law.kernel[a][b][c] for a, b, c in zip(y, y[1:], y[2:], strict=False))
    each = {value: np.take(found, [value], axis=time) for value in values}
    return {value: own / own.sum() for value, own in each.items() if own.sum()}


def least_odds(a, b, ratios, times):
    """Return the least λ of which a sweep over whole sequences in this order proves that no Σ (a − λ b) g is above 0.

    By Newton's method: the sweep is convex and piecewise linear in λ.
    """
    odds, above = None, Fraction(0)
    while odds != above:
        odds, one, other = above, a, b
        for time in times:
            factor = np.where(one - odds * other > 0, ratios[time], 1)
            one, other = ((factor * each).sum(axis=time, keepdims=True) for each in (one, other))
        above = one.item() / other.item()
    return odds


def crossed(j, k, time, is_past_first):
    """Return a law with one side as given j, and the other one as given k and the nearest value of that one side."""
    past, future = tuple(range(time)), tuple(range(time + 1, j.ndim))
    other, far = (past, future[1:]) if is_past_first else (future, past[:-1])
    nearest, found = [each.sum(axis=far, keepdims=True) for each in (j, k)], []
    for each in nearest:
        whole = each.sum(axis=other, keepdims=True)
        found.append(each / np.where(whole == 0, 1, whole))
    return j.sum(axis=other, keepdims=True) * np.where(whole == 0, *found)


def least_of_each_way(j, k, ratios, time):
    """Return the least odds of which each of `WAYS` is a proof."""
    past, future = range(time - 1, -1, -1), range(time + 1, len(ratios))
    by_distance = sorted([*past, *future], key=lambda other: (abs(other - time), other))
    orders = {PAST_FIRST: [*past, *future], FUTURE_FIRST: [*future, *past], BY_DISTANCE: by_distance}
    for is_split, order in WAYS:
        if is_split:
            between = crossed(j, k, time, order == PAST_FIRST)
            one = least_odds(j, between, ratios, orders[order]) * between
            yield least_odds(one, k, ratios, orders[FUTURE_FIRST if order == PAST_FIRST else PAST_FIRST])
        else:
            yield least_odds(j, k, ratios, orders[order])


def below(odds):
    """Return the greatest double below a fraction."""
    return float(odds) if Fraction(float(odds)) < odds else nextafter(float(odds), 0)


@pytest.mark.parametrize("seed", range(32))
def test_each_way_proves_what_its_sweep_over_whole_sequences_does_and_no_less(seed):
    rng = np.random.default_rng(seed)
    n = 3 if seed % 4 == 0 else 2
    releases = int(rng.integers(1, 5 if n == 3 else 7))
    law = drawn_law(rng, n, zeros=seed % 3, least=10**18 * (seed % 5 == 0))
    ratios = [Fraction(int(each), 10) ** int(rng.integers(0, 9) // 3) for each in rng.integers(10, 99, releases)]
    for time in range(releases):
        at = AtOneTime(SecondOrderSides(law, releases), [Level.of_ratio(ratio) for ratio in ratios], time)
        given = shares_of(law, releases, time)
        assert at.pairs.tolist() == [list(pair) for pair in permutations(given, 2)]
        least = [list(least_of_each_way(given[j], given[k], ratios, time)) for j, k in at.pairs.tolist()]
        for (is_split, order), each in zip(WAYS, zip(*least, strict=True) if least else [[]] * 5, strict=True):
            begin = at._split(order) if is_split else at._j
            last = {PAST_FIRST: FUTURE_FIRST, FUTURE_FIRST: PAST_FIRST}[order] if is_split else order
            for factor, is_proved in ((1 + 3e-9 if is_split else 1 + 1e-11, True), (1, False)):
                odds = np.array([below(own * Fraction(factor)) for own in each])[:, None, None, None, None]
                assert (at._is_below(begin, at._k * odds, last) == is_proved).all()
        assert at.most() >= prod(ratio for other, ratio in enumerate(ratios) if other != time)
        own = rng.permutation(len(least))
        for pair in own:
            odds = min(least[pair])
            assert not at.proved(below(odds), np.array([pair])).any()
            found = at.proved(float(odds) * (1 + 3e-9), own)
            assert found.tolist() == [min(least[other]) <= odds * (1 + Fraction(3e-9)) for other in own]


@pytest.mark.parametrize("releases", [2, 7, 100])
def test_of_values_that_never_change_all_budgets_are_told_and_no_less_is_proved(releases):
    law = second_order([[[1, 0], [0, 0]], [[0, 0], [0, 1]]], [[1, 0], [0, 1]])
    for time in {0, releases // 2, releases - 1}:
        at = AtOneTime(SecondOrderSides(law, releases), [Level.of_ratio(Fraction(2))] * releases, time)
        truth = 2.0 ** (releases - 1)
        assert truth < at.most() < truth * (1 + 1e-8)
        assert at.proved(at.most(), np.arange(2)).all()
        assert not at.proved(below(truth), np.arange(2)).any()


@pytest.mark.parametrize("seed", range(8))
def test_what_roundings_hide_of_values_that_tell_nothing_is_added(seed):
    """Odds below 1 are exceeded where nothing is told."""
    n, rng = 40, np.random.default_rng(seed)
    one, other = ([Fraction(int(each), int(own.sum())) for each in own] for own in rng.integers(1, 10**6, (2, n)))
    kernel = (((Fraction(0),) * n,) * n,) * n  # no third value is asked about
    law = SecondOrder(tuple(tuple(p * q for q in other) for p in one), kernel)
    for time in range(2):
        at = AtOneTime(SecondOrderSides(law, 2), [Level.of(0)] * 2, time)
        assert at.proved(1 + 1e-11, np.arange(n * (n - 1))).all()
        assert not at.proved(below(1), np.arange(n * (n - 1))).any()


@pytest.mark.parametrize("n", [2, 5, 20])
def test_a_step_is_rounded_upward(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        f = rng.choice([-1.0, 1.0], n) * 2.0 ** -rng.integers(0, 56, n)
        entries = [Fraction(int(each), 10**6) for each in rng.integers(1, 10**6, n)]
        step = np.array(entries, dtype=float).reshape(n, 1, 1)
        exact = sum(Fraction(a) * p for a, p in zip(f.tolist(), entries, strict=True))
        size = sum(Fraction(abs(a)) * p for a, p in zip(f.tolist(), entries, strict=True))
        found = _over(f.reshape(1, 1, n, 1, 1), step, "mqpfg,pqr->mrqfg", n).item()
        assert exact <= found <= exact + size * Fraction(1, 10**12)


def test_budgets_with_which_it_counts_what_underflows_are_refused():
    """Of the first value a future has half of 10^-224, less than a double tells once it is multiplied by its share."""
    seldom, half, none = Fraction(1, 10**224), Fraction(1, 2), Fraction(0)
    kernel = np.full((3, 3, 3), none)
    kernel[..., 0] = 1
    kernel[0, 0], kernel[2, 0] = (1 - seldom, seldom, 0), (half, half, 0)

    def law_with(share):
        initial = (share, share, none), (half - 2 * share, half / 2, none), (half / 2, none, none)
        return SecondOrder(initial, tuple(tuple(map(tuple, each)) for each in kernel.tolist()))

    sides, given = SecondOrderSides(law_with(Fraction(2, 10**100)), 3), shares_of(law_with(Fraction(2, 10**100)), 3, 0)
    ratios = [Fraction(2), Fraction(2), Fraction(10) ** 250]
    assert least_odds(given[0], given[1], ratios, [1, 2]) > 10**25
    with pytest.raises(InvalidRequest, match="other budgets"):
        AtOneTime(sides, [Level.of_ratio(ratio) for ratio in ratios], 0)
    AtOneTime(sides, [Level.of_ratio(ratio) for ratio in ratios], 2)
    with pytest.raises(InvalidRequest, match="so seldom"):
        SecondOrderSides(law_with(Fraction(1, 10**101)), 3)
