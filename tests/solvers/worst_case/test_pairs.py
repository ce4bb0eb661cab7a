"""The fast tight leakage against the literal one, against all sets, and against an attack of another kind."""

import json
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from operator import mul
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import (
    INFINITE,
    ZERO,
    InvalidRequest,
    Level,
    TransitionCounts,
    TransitionMatrix,
    parse_level,
    reverse,
    stationary,
    tight_leakage,
    tight_supremum,
)
from tploracle.reference.stepwise import Stepwise
from tploracle.reference.worst_case.leakage import NO_SIDE, added
from tploracle.reference.worst_case.periods import periodic_tight_supremum
from tploracle.reference.worst_case.sweep import OneSide, worst
from tploracle.solvers.worst_case import pair_bounds
from tploracle.solvers.worst_case import pairs as pairs_module
from tploracle.solvers.worst_case.best_sets import BallReleases, PairSets
from tploracle.solvers.worst_case.doubles import attained
from tploracle.solvers.worst_case.pair_bounds import PairBounds, both_excesses
from tploracle.solvers.worst_case.pair_limits import PairLimits
from tploracle.solvers.worst_case.pairs import fast_tight_leakage, fast_tight_supremum

from ...matrices import DIVERGES, EQUAL_ROWS, SLOW, STICKY
from ...profiles import examples, some
from ...strategies import levels, matrices, ratio_levels


def turning(n, stay):
    """Return a chain whose values follow one another in a circle, all but surely."""
    rows = [[0] * n for _ in range(n)]
    for value, row in enumerate(rows):
        row[value], row[(value + 1) % n] = Fraction(stay), 1 - Fraction(stay)
    return TransitionMatrix.of(rows)


def assert_same(found, expected):
    """Assert that two leakages agree, exactly where they are said to be exact."""
    for own, other in zip(
        (*found.bpl, *found.fpl, *found.tpl), (*expected.bpl, *expected.fpl, *expected.tpl), strict=True
    ):
        assert own.is_infinite == other.is_infinite
        assert own.is_zero == other.is_zero
        if own.exact_text is not None and other.exact_text is not None:
            assert own.exact_text == other.exact_text
        first, second = own.enclosure(25), other.enclosure(25)
        assert first.lower <= second.upper
        assert second.lower <= first.upper


@given(matrices(2, 4), matrices(2, 4), st.lists(levels(), min_size=1, max_size=5))
@example(STICKY, STICKY, [parse_level("1/10")] * 6)
@example(DIVERGES, DIVERGES, [parse_level("log(3/2)")] * 6)
@example(SLOW, DIVERGES, [parse_level("log(3/2)"), ZERO, parse_level("1/3"), parse_level("log((1+sqrt(5))/2)")])
@example(STICKY, STICKY, [parse_level("log(2)"), INFINITE, parse_level("log(2)")])
@example(STICKY, STICKY, [parse_level("400")] * 4)
@example(SLOW, SLOW, [parse_level("590"), parse_level("5")])
@example(STICKY, STICKY, [parse_level("1e-30")] * 4)
@examples(15)
def test_it_is_the_literal_one(backward, forward, epsilons):
    forward = backward if forward.n != backward.n else forward
    assert_same(fast_tight_leakage(epsilons, backward, forward), tight_leakage(epsilons, backward, forward))
    assert_same(fast_tight_leakage(epsilons, None, forward), tight_leakage(epsilons, None, forward))


@given(matrices(2, 4), st.sampled_from(["1/10", "1", "log(3/2)", "log(11/10)", "5"]), st.integers(1, 9))
@example(turning(3, "1/10"), "1", 9)
@example(TransitionMatrix(((Fraction(1, 2), Fraction(1, 2)), (Fraction(0), Fraction(1)))), "512", 4)  # beyond doubles
@examples(25)
def test_with_one_budget_for_all_times(matrix, text, times):
    epsilons = [parse_level(text)] * times
    assert_same(fast_tight_leakage(epsilons, matrix, matrix), tight_leakage(epsilons, matrix, matrix))


@pytest.mark.parametrize(
    "texts",
    [
        ["log((1+sqrt(5))/2)"] * 5,
        ["log(3/2)", "log((6+sqrt(2))/4)", "log(5/4)", "log(3/2)", "log(2)"],
        ["log(1+sqrt(2))", "log(1+sqrt(8))", "log(2)", "log(3/2)"],
        ["log(1+sqrt(2))", "log(1+sqrt(3))", "log(2)"],
    ],
    ids=["golden", "one", "one field", "two fields"],
)
def test_budgets_that_are_surds_need_no_literal_sweeps(monkeypatch, texts):
    """What is exact by the definition is so here; roots of two fields in one level have no exact form."""
    epsilons = [parse_level(text) for text in texts]
    expected = tight_leakage(epsilons, SLOW, DIVERGES)
    monkeypatch.setattr("tploracle.solvers.worst_case.pairs.added", None)
    found = fast_tight_leakage(epsilons, SLOW, DIVERGES)
    assert_same(found, expected)
    for own, other in ((found.bpl, expected.bpl), (found.fpl, expected.fpl), (found.tpl, expected.tpl)):
        assert [level.exact_text for level in own] == [level.exact_text for level in other]
    assert any("sqrt" in str(level.exact_text) for level in found.bpl)


def test_matrices_and_values_of_each_time():
    two, epsilons = parse_level("log(2)"), [parse_level("log(2)"), parse_level("1/5"), parse_level("log(2)")]
    steps, possible = [DIVERGES, SLOW], [[0, 1, 2], [1], [1, 2]]
    assert_same(
        fast_tight_leakage(epsilons, steps, steps[::-1], possible),
        tight_leakage(epsilons, steps, steps[::-1], possible),
    )
    assert fast_tight_leakage([two, two]).tpl == (two, two)
    with pytest.raises(InvalidRequest, match="no release"):
        fast_tight_leakage([])


@given(
    st.lists(matrices(3, 3), min_size=1, max_size=2),
    st.lists(st.sampled_from([ZERO, *map(parse_level, ("1/3", "log(2)", "1/10"))]), min_size=1, max_size=3),
    st.integers(2, 6),
    st.sampled_from([parse_level("1/3"), ZERO, INFINITE]),
)
@example([STICKY], [parse_level("1/3"), ZERO], 6, parse_level("1/3"))
@example([SLOW, DIVERGES], [parse_level("log(2)")], 5, ZERO)
@example([DIVERGES], [parse_level("1/2")], 2, INFINITE)
@examples(15)
def test_budgets_and_matrices_that_recur(cycle, budgets, times, first):
    """Alternately, or with zeros in between, and one of its own: as the literal one, wherever the stream ends."""
    epsilons = [first, *(budgets[t % len(budgets)] for t in range(times))]
    times += 1
    steps = [cycle[t % len(cycle)] for t in range(times - 1)]
    for own in (epsilons, epsilons[::-1]):
        assert_same(fast_tight_leakage(own, steps, steps[::-1]), tight_leakage(own, steps, steps[::-1]))


@given(st.lists(st.integers(0, 2), max_size=12))
@example([0, 1, 0, 0, 1, 0, 0])
@example([0, 0, 1, 0, 0, 0])
def test_after_how_many_places_all_comes_again(keys):
    periods = [p for p in range(1, len(keys) + 1) if keys[p:] == keys[: len(keys) - p]]
    assert pairs_module._period(keys) == min(periods, default=1)


@st.composite
def nearly_equal(draw, n, least_digits=1):
    """Draw a chain whose rows are equal but for about 10^−k."""
    weights = draw(st.lists(st.integers(1, 9), min_size=n, max_size=n))
    unit = Fraction(1, 10 ** draw(st.integers(least_digits, 200)))
    moved = draw(st.lists(st.permutations(range(-(n // 2), n - n // 2)), min_size=n, max_size=n))
    rows = [
        [Fraction(w, sum(weights)) + unit * (m - Fraction(sum(own), n)) / 99 for w, m in zip(weights, own, strict=True)]
        for own in moved
    ]
    return TransitionMatrix.of(rows)


@given(nearly_equal(3), st.integers(2, 4), st.sampled_from(["1/10", "log(3/2)"]))
@examples(8)
def test_rows_that_are_nearly_equal(matrix, times, text):
    epsilons = [parse_level(text)] * times
    assert_same(fast_tight_leakage(epsilons, matrix, matrix), tight_leakage(epsilons, matrix, matrix))


@given(nearly_equal(6, 30))
@examples(8)
def test_nearly_equal_rows_cost_the_bounds_nothing(matrix):
    """All pairs whose rows differ have bounds that are near to each other, relative to their excess."""
    bounds = PairBounds([matrix.rows] * 8, [parse_level("1/10")] * 8)
    bounds.tighten(8, np.ones(36, dtype=bool))
    low, up = bounds.at(8)
    differ = [matrix.rows[j] != matrix.rows[k] for j, k in product(range(6), repeat=2)]
    assert (low[differ] > 0).all()
    assert (up[differ] <= low[differ] * 1.01).all()


@given(st.integers(6, 12), *[st.lists(st.integers(0, 5), min_size=6, max_size=6)] * 2)
@examples(8)
def test_steps_that_are_nearly_certain_cost_the_bounds_nothing(digits, weights, places):
    """What is lost of an entry is a part of that entry, however small it is beside others."""
    strays = [Fraction(weight, 10**digits) for weight in weights]
    rows = [[Fraction(0)] * 6 for _ in range(6)]
    for a, (stray, place) in enumerate(zip(strays, places, strict=True)):
        rows[a][(a + 1) % 6] += 1 - stray
        rows[a][place] += stray
    bounds = PairBounds([TransitionMatrix.of(rows).rows] * 200, [parse_level("1/10")] * 200)
    apart = ~np.eye(6, dtype=bool).ravel()
    bounds.tighten(200, apart, finely=True)
    low, up = bounds.at(200)
    assert (up <= low * (1 + 2e-6))[apart].all()


def nearly_reducible(stay):
    """Return a chain of two classes that is hardly ever left, or entered."""
    leave = 1 - Fraction(stay)
    return TransitionMatrix.of(
        [[stay, leave / 3, 2 * leave / 3], [leave, stay, 0], [leave / 2, "1/3", 1 - leave / 2 - Fraction("1/3")]]
    )


def nearly_a_function(leads, less_surely=()):
    """Return a chain in which each value leads to one, but for a chance of some 10^-30 of the others.

    Args: less_surely, the values for which that chance is some 10^-27.
    """
    strays = [[Fraction(1 + (a * 7 + b * 3) % 11, 10**30) for b in range(len(leads))] for a in range(len(leads))]
    strays = [[stray * (1000 if a in less_surely else 1) for stray in own] for a, own in enumerate(strays)]
    return TransitionMatrix.of(
        [[stray + (b == leads[a]) * (1 - sum(own)) for b, stray in enumerate(own)] for a, own in enumerate(strays)]
    )


@pytest.mark.parametrize(
    "matrix",
    [DIVERGES, turning(4, "1/100"), nearly_reducible("999/1000"), nearly_a_function([2, 2, 3, 2])],
    ids=["mixes", "turns", "stays", "merges"],
)
def test_what_is_kept_from_depth_to_depth_is_the_literal_ratio(matrix):
    """At all depths, far beyond where the pairs have settled, and in digits for which their enclosures are too wide."""
    epsilon, times = parse_level("1/10"), 150
    found = fast_tight_leakage([epsilon] * times, None, matrix)
    pairs = list(permutations(range(matrix.n), 2))
    for depth, digits in ((17, 30), (60, 20), (times - 1, 45)):
        side = OneSide((matrix.rows,) * depth), (epsilon,) * depth
        expected = (epsilon + added(side, NO_SIDE, pairs)).enclosure(digits)
        own = found.fpl[times - 1 - depth].enclosure(digits)
        assert own.lower <= expected.upper
        assert expected.lower <= own.upper


def test_one_release_more_is_no_replay(monkeypatch):
    """Steps of balls, for BPL of a slowly mixing chain, in a stream and in one that is twice as long."""
    steps = []
    stepped = BallReleases.stepped
    monkeypatch.setattr(BallReleases, "stepped", lambda *arguments: steps.append(1) or stepped(*arguments))
    counts = []
    for times in (40, 80):
        steps.clear()
        fast_tight_leakage([parse_level("1/10")] * times, STICKY)
        counts.append(len(steps))
    assert counts[1] - counts[0] <= 8 * 40


def test_pairs_that_doubles_cannot_tell_apart_are_seldom_tried_again(monkeypatch):
    """Six values lead to two, and eight pairs of them have ratios that are equal to some thirty digits."""
    tried, tighten = [], PairBounds.tighten

    def counted(bounds, depth, among, finely=False, **above):
        tried.extend([depth] * finely)
        tighten(bounds, depth, among, finely, **above)

    monkeypatch.setattr(PairBounds, "tighten", counted)
    fast_tight_leakage([parse_level("1/10")] * 60, nearly_a_function([4, 5, 4, 5, 5, 4]))
    assert 4 <= len(tried) <= 40
    assert max(tried) > 50


@given(st.lists(st.integers(0, 3), min_size=4, max_size=4), st.lists(st.sampled_from(["1/10", "1/7", "1"]), max_size=3))
@example([1, 2, 0, 3], ["1/10"] * 3)
@examples(2)
def test_pairs_that_agree_to_thirty_digits_are_told_from_one_another(leads, texts):
    """To more digits, on both sides of each time, with one budget and with several."""
    epsilons = [parse_level(text) for text in ("1/10", *texts)]
    known = nearly_a_function(leads), nearly_a_function(leads[::-1])
    found, expected = fast_tight_leakage(epsilons, *known), tight_leakage(epsilons, *known)
    for own, other in zip(
        (*found.bpl, *found.fpl, *found.tpl), (*expected.bpl, *expected.fpl, *expected.tpl), strict=True
    ):
        first, second = own.enclosure(45), other.enclosure(45)
        assert first.lower <= second.upper
        assert second.lower <= first.upper


def test_pairs_that_cannot_have_caught_up_are_not_asked_for(monkeypatch):
    """Twenty pairs agree to 26 digits; the six of values that follow one another in a circle are above the others."""
    asked, level = [], PairSets.level
    monkeypatch.setattr(PairSets, "level", lambda sets, depth, guess: asked.append(depth) or level(sets, depth, guess))
    fast_tight_leakage([parse_level("1/10")] * 25, nearly_a_function([1, 2, 0, 0, 1], less_surely=[3, 4]))
    assert max(asked) == 24
    assert 24 <= len(asked) <= 24 * 6 + 20


@given(st.lists(st.lists(st.integers(1, 9), min_size=3, max_size=3), min_size=3, max_size=3), st.integers(1, 3))
@examples(15)
def test_it_is_the_greatest_over_all_sets(weights, times):
    """Likelihoods of all mechanisms that answer about sets, without a sweep."""
    matrix = TransitionMatrix.of([[Fraction(w, sum(row)) for w in row] for row in weights])
    epsilons = [Level.of_ratio(Fraction(3, 2))] * times + [ZERO]
    subsets = [frozenset(own) for size in range(4) for own in combinations(range(3), size)]
    best = Fraction(1)
    for sets in product(subsets, repeat=times):
        seen = likelihoods(matrix, [Fraction(3, 2)] * times, sets)
        best = max(best, max(seen) / min(seen))
    assert fast_tight_leakage(epsilons, matrix).bpl[-1].ratio == best


def likelihoods(matrix, ratios, sets):
    """Return Pr(yes, yes, …) given each value after the last of these answers, up to a factor; the farthest first."""
    f = [Fraction(1)] * matrix.n
    for ratio, chosen in zip(ratios, sets, strict=True):
        f = [ratio * x if value in chosen else x for value, x in enumerate(f)]
        f = [sum((p * x for p, x in zip(row, f, strict=True)), Fraction(0)) for row in matrix.rows]
    return f


@given(matrices(2, 4), st.lists(ratio_levels(), min_size=1, max_size=6))
@example(turning(3, "1/10"), [Level.of_ratio(Fraction(3))] * 6)
@example(SLOW, [Level.of_ratio(Fraction(11, 10))] * 6)
@example(STICKY, [Level.of_ratio(10**200)] * 3)
@example(turning(3, "1/1000"), [Level.of_ratio(10**30)] * 12)
@example(DIVERGES, [Level.of_ratio(10**45)] * 12)
@examples(12)
def test_bounds_hold_the_ratio_of_every_pair(matrix, budgets):
    """At every depth, in whatever order depths are asked for, finely or not."""
    budgets = [budget for budget in budgets if not budget.is_zero and isinstance(budget.ratio, Fraction)]
    depths = range(1, len(budgets) + 1)
    bounds = PairBounds([matrix.rows] * len(budgets), budgets) if budgets else None
    everything = np.ones(matrix.n**2, dtype=bool)
    for depth in (*depths, *reversed(depths)):
        bounds.tighten(depth, everything, finely=depth % 2 == 0)
    for depth in depths:
        low, up = bounds.at(depth)
        side = OneSide((matrix.rows,) * depth)
        for j, k in permutations(range(matrix.n), 2):
            found = worst(side, [budget.ratio for budget in budgets[:depth]][::-1], (j, k)).ratio
            index = j * matrix.n + k
            assert Fraction(low[index]) <= found - 1
            assert up[index] == np.inf or found - 1 <= Fraction(up[index])
            assert bounds.for_ever[index] == np.inf or found - 1 <= Fraction(bounds.for_ever[index])


@given(matrices(2, 4), st.lists(ratio_levels(), min_size=1, max_size=7), st.sets(st.integers(1, 7), min_size=1))
@example(EQUAL_ROWS, [Level.of_ratio(Fraction(3))] * 2, {1, 2})
@example(turning(3, "1/10"), [Level.of_ratio(Fraction(3))] * 7, {1, 2, 3, 4, 5, 6, 7})
@example(SLOW, [Level.of_ratio(Fraction(11, 10))] * 7, {1, 2, 3, 4, 5, 6, 7})
@example(nearly_a_function([2, 2, 3, 2]), [Level.of_ratio(Fraction(3, 2))] * 5, {2, 3, 5})
@example(DIVERGES, [Level.of_ratio(Fraction(3, 2)), *[Level.of_ratio(10**150)] * 5], {1, 3, 6})
@examples(10)
def test_where_one_pair_is_left_of_many_depths_it_is_the_worst(matrix, budgets, depths):
    """Above all others, exactly; what is known of its ratio is no more than it is."""
    budgets = [budget for budget in budgets if not budget.is_zero and isinstance(budget.ratio, Fraction)]
    depths = sorted(depth for depth in depths if depth <= len(budgets))
    if not depths:
        return
    bounds = PairBounds([matrix.rows] * len(budgets), budgets)
    indices = np.flatnonzero(~np.eye(matrix.n, dtype=bool).ravel())
    bounds.foresee(depths, indices)
    for depth in depths:
        side, ratios = OneSide((matrix.rows,) * depth), [budget.ratio for budget in budgets[:depth]][::-1]
        found = {index: worst(side, ratios, divmod(index, matrix.n)).ratio - 1 for index in indices.tolist()}
        assert all(Fraction(bounds.at(depth)[0][index]) <= found[index] for index in found)
        if depth in bounds.worst:
            best = bounds.worst[depth]
            assert all(found[index] < found[best] for index in found if index != best)


OVERTAKEN = TransitionMatrix.of([["14/20", "5/20", "1/20"], ["2/20", "17/20", "1/20"], ["3/20", "2/20", "15/20"]])
"""It forgets slowly; with e^ε = 11/10 the worst pair over up to six releases is not the worst over seven or more."""


@cache
def exact_excesses(matrix, ratio, depth):
    """Return the greatest excess of each pair, by its index, over so many releases."""
    side, pairs = OneSide((matrix.rows,) * depth), permutations(range(matrix.n), 2)
    return {j * matrix.n + k: worst(side, [ratio] * depth, (j, k)).ratio - 1 for j, k in pairs}


@pytest.mark.parametrize("stride", [1.005, 2.0])
@pytest.mark.parametrize("hidden", [0, 1, None])
def test_however_little_is_known_to_be_attained_the_one_pair_that_is_left_is_the_worst(monkeypatch, hidden, stride):
    """At depths that are bounded together: also where nothing is known of one of two pairs that lead in turn."""
    low_at = PairBounds._low_at

    def less_known(bounds, depths, own, enough):
        found = low_at(bounds, depths, own, np.inf)
        if hidden is not None:
            assert len(own) == 2
            found[:, hidden] = 0
        return found

    monkeypatch.setattr(PairBounds, "_low_at", less_known)
    monkeypatch.setattr(pair_bounds, "STRIDE", stride)
    bounds = PairBounds([OVERTAKEN.rows] * 12, [Level.of_ratio(Fraction(11, 10))] * 12)
    bounds.foresee(range(1, 13), np.flatnonzero(~np.eye(3, dtype=bool).ravel()))
    assert bounds.worst
    for depth in sorted(bounds.worst):
        found = exact_excesses(OVERTAKEN, Fraction(11, 10), depth)
        assert max(found, key=found.__getitem__) == bounds.worst[depth]


@pytest.mark.parametrize("backward", [OVERTAKEN, SLOW], ids=["one pair", "others"])
def test_at_both_sides_of_many_times_it_is_the_literal_one(backward):
    """Where the same pair leads on both sides of most times, and where different ones do."""
    epsilons = [parse_level("1/10")] * 17
    found, expected = (own(epsilons, backward, OVERTAKEN) for own in (fast_tight_leakage, tight_leakage))
    for own, other in zip((found.bpl[-1], *found.tpl[::4]), (expected.bpl[-1], *expected.tpl[::4]), strict=True):
        first, second = own.enclosure(20), other.enclosure(20)
        assert first.lower <= second.upper
        assert second.lower <= first.upper


def test_many_depths_take_few_sweeps(monkeypatch):
    """Of a chain that forgets slowly, for all depths: one pair is left at each but where another overtakes it."""
    swept, sweep = [], PairBounds._is_at_most
    monkeypatch.setattr(PairBounds, "_is_at_most", lambda *arguments: swept.append(1) or sweep(*arguments))
    bounds = PairBounds([OVERTAKEN.rows] * 200, [Level.of_ratio(Fraction(11, 10))] * 200)
    bounds.foresee(range(1, 201), np.flatnonzero(~np.eye(OVERTAKEN.n, dtype=bool).ravel()))
    assert len(bounds.worst) >= 195
    assert len(swept) <= 60


@given(matrices(2, 4), st.lists(ratio_levels(), min_size=1, max_size=7), st.sets(st.integers(1, 7), min_size=1))
@example(EQUAL_ROWS, [Level.of_ratio(Fraction(3))] * 2, {1, 2})
@example(turning(3, "1/10"), [Level.of_ratio(Fraction(3))] * 7, {1, 2, 3, 4, 5, 6, 7})
@example(OVERTAKEN, [Level.of_ratio(Fraction(11, 10))] * 18, {1, 5, 7, 8, 18})
@example(STICKY, [Level.of_ratio(Fraction(11, 10))] * 9, {6, 7, 9})
@example(nearly_a_function([2, 2, 3, 2]), [Level.of_ratio(Fraction(3, 2))] * 5, {2, 3, 5})
@example(STICKY, [Level.of_ratio(10**30)] * 5, {1, 2, 3, 4, 5})
@example(DIVERGES, [Level.of_ratio(Fraction(3, 2)), *[Level.of_ratio(10**150)] * 5], {1, 3, 6})
@examples(4)
def test_bounds_of_many_depths_together_hold_the_ratio_of_every_pair(matrix, budgets, depths):
    """Between chords as far apart as may be, and by sweeps of a few pairs at a time."""
    budgets = [budget for budget in budgets if not budget.is_zero and isinstance(budget.ratio, Fraction)]
    depths = sorted(depth for depth in depths if depth <= len(budgets))
    if not depths:
        return
    indices = np.flatnonzero(~np.eye(matrix.n, dtype=bool).ravel())
    ratios = [budget.ratio for budget in budgets]
    exact = [
        [
            worst(OneSide((matrix.rows,) * depth), ratios[:depth][::-1], divmod(index, matrix.n)).ratio - 1
            for depth in depths
        ]
        for index in indices.tolist()
    ]
    for chords, chunk in ((pair_bounds.CHORDS, pair_bounds.CHUNK), (((1e6, 1e6), (2.0, 2.0)), 7)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pair_bounds, "CHORDS", chords)
            patch.setattr(pair_bounds, "CHUNK", chunk)
            bounds = PairBounds([matrix.rows] * len(budgets), budgets)
            bounds.enclose(depths, indices, indices[:2])
        for index, found in zip(indices.tolist(), exact, strict=True):
            for depth, own in zip(depths, found, strict=True):
                low, up = (float(bound[index]) for bound in bounds.at(depth))
                assert Fraction(low) <= own
                for bound in (up, float(bounds.for_ever[index])):
                    assert bound == np.inf or own <= Fraction(bound)


def slowly_mixing(n, stay, seed=1):
    """Return a chain of random rows in which a value mostly stays."""
    weights = np.random.default_rng(seed).integers(1, 100, (n, n)).tolist()
    stay = Fraction(stay)
    return TransitionMatrix.of(
        [
            [stay * (j == k) + (1 - stay) * Fraction(weight, sum(row)) for k, weight in enumerate(row)]
            for j, row in enumerate(weights)
        ]
    )


def test_chords_bound_all_pairs_closely():
    """At all depths at once: those that come near the best one by hardly more than their excess."""
    matrix, ratio = slowly_mixing(4, "9/10"), Fraction(11, 10)
    bounds, depths = PairBounds([matrix.rows] * 24, [Level.of_ratio(ratio)] * 24), range(1, 25)
    indices = np.flatnonzero(~np.eye(4, dtype=bool).ravel())
    bounds.enclose(depths, indices, indices)
    for depth in (4, 7, 11, 17):
        exact = exact_excesses(matrix, ratio, depth)
        best = max(exact.values())
        near = [index for index in exact if exact[index] > best * Fraction(3, 4)]
        assert len(near) >= 2
        assert all(bounds.at(depth)[1][index] <= float(exact[index]) * 1.005 for index in near)


@pytest.mark.parametrize(
    "known",
    [
        (slowly_mixing(4, "9/10"), slowly_mixing(4, "9/10")),
        (slowly_mixing(4, "9/10"), slowly_mixing(4, "1/2", seed=2)),
        (turning(4, "9/10"), None),
        (OVERTAKEN, OVERTAKEN),
    ],
    ids=["one chain", "two", "symmetric", "overtaken"],
)
def test_where_all_pairs_are_bounded_at_all_depths_the_worst_case_is_the_literal_one(monkeypatch, known):
    """Which is done for many values only, where many depths have been looked at and most pairs are still left."""
    enclosed, enclose = [], PairBounds.enclose
    monkeypatch.setattr(pairs_module, "FEW_ENTRIES", 0)
    monkeypatch.setattr(pairs_module, "MANY_DEPTHS", 2)
    monkeypatch.setattr(PairBounds, "enclose", lambda *args: enclosed.append(list(args[1])) or enclose(*args))
    epsilons = [parse_level("1/10")] * 12
    assert_same(fast_tight_leakage(epsilons, *known), tight_leakage(epsilons, *known))
    assert list(range(1, 12)) in enclosed


def test_many_values_that_mix_slowly_take_few_sweeps(monkeypatch):
    """Of a pair all sweeps together are as long as twenty over all releases."""
    swept, raised = [], pair_bounds.raised
    monkeypatch.setattr(pair_bounds, "raised", lambda c, step: swept.append(len(c)) or raised(c, step))
    chain = slowly_mixing(21, "9/10")
    fast_tight_leakage([parse_level("1/10")] * 40, chain, chain)
    assert sum(swept) <= 20 * 21 * 20 * 40


@given(matrices(2, 4), st.lists(ratio_levels(), min_size=1, max_size=4), st.integers(-60, 4), st.integers(0, 11))
@example(turning(4, "1/10"), [Level.of_ratio(Fraction(3))] * 4, -50, 0)
@example(nearly_a_function([2, 2, 3, 2]), [Level.of_ratio(Fraction(3, 2))] * 5, -60, 1)
@example(DIVERGES, [Level.of_ratio(10**45)] * 4, -40, 0)
@example(DIVERGES, [Level.of_ratio(Fraction(3, 2)), *[Level.of_ratio(10**300)] * 2], -40, 0)
@examples(4)
def test_pairs_that_are_left_out_attain_no_more_than_another(matrix, budgets, power, place):
    """Than some pair attains, or than a little more or less, exactly: at that depth, and where it is said, for ever."""
    budgets = [budget for budget in budgets if not budget.is_zero and isinstance(budget.ratio, Fraction)]
    depths = range(1, len(budgets) + 1)
    pairs = list(permutations(range(matrix.n), 2))
    indices = np.array([j * matrix.n + k for j, k in pairs])
    bounds = PairBounds([matrix.rows] * len(budgets), budgets) if budgets else None
    for depth in depths:
        side, ratios = OneSide((matrix.rows,) * depth), [budget.ratio for budget in budgets[:depth]][::-1]
        found = [worst(side, ratios, pair).ratio - 1 for pair in pairs]
        excess = found[place % len(pairs)] * (1 + Fraction(2) ** power * (-1) ** place)
        if excess > 1e250:
            continue
        bounds.leave_out(depth, indices, float(excess))
        _, up = bounds.at(depth)
        for index, exact in zip(indices, found, strict=True):
            for own in (up[index], bounds.for_ever[index]):
                assert own == np.inf or exact <= Fraction(own)


@given(matrices(2, 4), st.sampled_from(["1/10", "log(3/2)"]), st.integers(2, 5))
@example(turning(4, "1/10"), "log(3/2)", 5)
@example(nearly_a_function([2, 2, 3, 2]), "1/10", 5)
@examples(4)
def test_with_pairs_left_out_the_worst_case_is_the_literal_one(matrix, text, times):
    """Which is done for many values only, of which the literal one takes long."""
    epsilons = [parse_level(text)] * times
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs_module, "FEW_ENTRIES", 0)
        assert_same(fast_tight_leakage(epsilons, matrix), tight_leakage(epsilons, matrix))


def test_of_many_values_few_pairs_are_followed_by_themselves(monkeypatch):
    """By what one attains all but a few of 552 are left out; known both ways each is followed for some releases."""
    followed = []

    def counted(parts, excess, releases, *rest, **more):
        followed.append(len(excess))
        return attained(parts, excess, releases, *rest, **more)

    monkeypatch.setattr(pair_bounds, "attained", counted)
    weights = np.random.default_rng(3).integers(1, 10_000, (2, 24, 24)).tolist()
    known = [TransitionMatrix.of([[Fraction(w, sum(row)) for w in row] for row in own]) for own in weights]
    fast_tight_leakage([parse_level("1/10")] * 24, known[0])
    assert sum(followed) <= 1_000
    followed.clear()
    fast_tight_leakage([parse_level("1/10")] * 24, *known)
    assert sum(followed) <= 6_000


def test_pairs_that_are_all_but_equal_are_seldom_tried_together(monkeypatch):
    """One sweep for all pairs is in vain where each release counts with all but all of its budget, for all of them."""
    tried, leave_out = [], PairBounds.leave_out
    monkeypatch.setattr(pairs_module, "FEW_ENTRIES", 0)
    monkeypatch.setattr(PairBounds, "leave_out", lambda *args: tried.append(args[1]) or leave_out(*args))
    fast_tight_leakage([parse_level("1/10")] * 32, nearly_a_function([1, 2, 3, 4, 0]))
    assert len(tried) <= 8


@pytest.mark.parametrize("ratio", [1e3, 1e45, 1e150])
@pytest.mark.parametrize("is_stochastic", [True, False])
def test_what_sets_attain_is_known_where_their_weights_are_beyond_doubles(ratio, is_stochastic):
    """Two values that never change: what tells them apart at first is told by every release."""
    of_sets, d, v = [1, 0], [Fraction(1, 4), Fraction(-1, 4)], [Fraction(1, 2), Fraction(1, 2)]
    for releases in (1, 2, 12):
        weights = [Fraction(ratio) ** (releases * own) for own in of_sets]
        expected = sum(map(mul, weights, d)) / sum(map(mul, weights, v))
        parts = [np.array([row], dtype=float) for row in ([1 / 4, 0], [0, 1 / 4], v)]
        found = attained(
            parts, np.zeros(1), releases, lambda at, _: ratio, lambda _: np.eye(2), is_stochastic=is_stochastic
        )
        assert found == pytest.approx(float(expected), rel=1e-14)


def test_a_value_all_but_lost_beside_large_budgets_is_no_warning():
    nearly = TransitionMatrix.of([[0, 0, 1], [0, "1/2", "1/2"], [0, 0, 1]])
    bounds = PairBounds([nearly.rows] * 3, [Level.of_ratio(10**162)] * 3)
    bounds.tighten(3, np.ones(9, dtype=bool), finely=True)
    low, up = bounds.at(3)
    assert (low <= up).all()


@pytest.mark.parametrize("text", some(["1/10", "1", "2"], 3))
@pytest.mark.parametrize(
    "matrix", [STICKY, DIVERGES, turning(3, "1/10"), turning(4, "1/5")], ids=["sticky", "diverges", "3", "4"]
)
def test_the_supremum_is_the_literal_one(matrix, text):
    """The sweeps of chains that turn do not come again, shrunk, after one step or two."""
    epsilon = parse_level(text)
    found = fast_tight_supremum(epsilon, matrix)
    assert found.enclosure(12) == tight_supremum(epsilon, matrix).enclosure(12)
    assert found.enclosure(12).upper >= fast_tight_leakage([epsilon] * 20, matrix).bpl[-1].enclosure(12).lower


@given(matrices(2, 4), st.sampled_from(["1/10", "log(3/2)", "1", "1e-9", "60"]))
@example(STICKY, "log(3/2)")
@example(SLOW, "log(1.24)")
@example(turning(3, "1/10"), "1")
@example(TransitionMatrix.of([["1/2", "1/2"], ["1e-120", 1 - Fraction("1e-120")]]), "1/10")
@examples(15)
def test_bounds_for_ever_hold_the_supremum_of_every_pair(matrix, text):
    epsilon = parse_level(text)
    if tight_supremum(epsilon, matrix).is_infinite:
        return
    limits = PairLimits(matrix, epsilon)
    pairs = list(permutations(range(matrix.n), 2))
    own = np.array([j * matrix.n + k for j, k in pairs])
    limits.raise_lower(own)
    limits.lower_upper(own, 1e-2)
    for pair, low, up in zip(pairs, *(ends[own] for ends in limits.ends), strict=True):
        found = added((OneSide((matrix.rows,), for_ever=True), (epsilon,)), NO_SIDE, [pair])
        assert Level.of_ratio(1 + Fraction(float(low))) <= found
        assert up == np.inf or found <= Level.of_ratio(1 + Fraction(float(up)))
        assert text in {"60", "1e-9"} or low == 0 or up < low * 1.02 or up == np.inf


@pytest.mark.parametrize("chain", ["counts", "stationary"])
def test_one_pair_of_the_click_stream_is_left(chain):
    """The bounds in doubles for ever are as near to each other as they are to be."""
    own = [PairLimits(matrix, parse_level("1/10")) for matrix in click_stream(chain)]
    pairs = np.array([j * 17 + k for j, k in permutations(range(17), 2)])
    for side in own:
        side.raise_lower(pairs)
        side.lower_upper(pairs, 1e-2)
    low, up = (both_excesses(ends[0][pairs], ends[1][pairs]) for ends in zip(*(side.ends for side in own), strict=True))
    assert np.count_nonzero(up >= low.max()) == 1


def test_suprema_that_need_no_pairs():
    epsilon, nothing = parse_level("1/10"), TransitionMatrix.of([["1/2", "1/2"]] * 2)
    assert fast_tight_supremum(epsilon) == epsilon
    assert fast_tight_supremum(epsilon, nothing) == epsilon
    assert fast_tight_supremum(ZERO, STICKY) == ZERO
    assert fast_tight_supremum(INFINITE, STICKY).is_infinite
    assert fast_tight_supremum(epsilon, TransitionMatrix.of([[0, 1], [1, 0]])).is_infinite
    assert fast_tight_supremum(epsilon, TransitionMatrix.of([[1]])).is_zero
    assert fast_tight_supremum(parse_level("log(1.24)"), SLOW).enclosure(12) == tight_supremum(
        parse_level("log(1.24)"), SLOW
    ).enclosure(12)
    with pytest.raises(InvalidRequest, match="2 states, the forward one 3"):
        fast_tight_supremum(epsilon, STICKY, DIVERGES)


@cache
def click_stream(chain):
    """Return P^B and P^F of the click stream, from the counts or of the stationary chain."""
    counts = json.loads((Path(__file__).parents[3] / "examples" / "msnbc" / "counts.json").read_text(encoding="utf-8"))
    transitions = TransitionCounts(tuple(counts["states"]), tuple(map(tuple, counts["counts"])), tuple(counts["first"]))
    forward = transitions.forward(Fraction(0))
    if chain == "counts":
        return transitions.backward(Fraction(0)), forward
    return reverse(forward, stationary(forward)), forward


@pytest.mark.parametrize(
    ("chain", "bpl", "greatest"),
    [
        ("counts", {10: "0.714555", 20: "1.061546", 50: "1.548381"}, "2.533167"),
        ("stationary", {10: "0.767465", 20: "1.203644", 50: "2.025736"}, "2.695564"),
    ],
)
def test_fifty_releases_of_the_click_stream(chain, bpl, greatest):
    """Figures which were worked out in doubles by other code."""
    found = fast_tight_leakage([parse_level("1/10")] * 50, *click_stream(chain))
    for releases, nats in bpl.items():
        assert_about(found.bpl[releases - 1], nats)
    for releases, nats in ((10, "0.748879"), (20, "1.201882"), (50, "2.025851")):
        assert_about(found.fpl[50 - releases], nats)
    worst_of_all = max(range(50), key=lambda t: found.tpl[t].enclosure(12).lower)
    assert_about(found.tpl[worst_of_all], greatest)
    # Exact to 30 digits, and the last one the reference's own.
    assert all(level.enclosure(30).upper - level.enclosure(30).lower <= Decimal("1e-29") for level in found.tpl)


@pytest.mark.parametrize(
    ("chain", "sides", "nats"),
    [
        ("counts", "backward", "1.957876"),
        ("stationary", "backward", "3.231684"),
        ("counts", "forward", "3.232569"),
        ("counts", "both", "5.090446"),
        ("stationary", "both", "6.364253"),
    ],
)
def test_the_click_stream_for_ever(chain, sides, nats):
    backward, forward = click_stream(chain)
    own = {"backward": (backward, None), "forward": (None, forward), "both": (backward, forward)}[sides]
    assert_about(fast_tight_supremum(parse_level("1/10"), *own), nats)


def assert_about(level, nats):
    assert abs(level.enclosure(9).lower - Decimal(nats)) <= Decimal("6e-7")


def test_as_many_values_as_pairs_are_worked_on_in_parts(monkeypatch):
    monkeypatch.setattr("tploracle.solvers.worst_case.pair_bounds.CHUNK", 7)
    epsilons = [parse_level("1/10")] * 6
    assert_same(fast_tight_leakage(epsilons, DIVERGES, DIVERGES), tight_leakage(epsilons, DIVERGES, DIVERGES))


ALIKE = TransitionMatrix.of([["1/2", "1/3", "1/6"]] * 3)
TWO_ALIKE = TransitionMatrix.of([["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"], ["1/6", "1/3", "1/2"]])


OTHER = TransitionMatrix.of([["2/7", "3/7", "2/7"], ["2/11", "7/11", "2/11"], [1, 0, 0]])


@pytest.mark.parametrize("first", [ALIKE, TWO_ALIKE, turning(3, "1/10")], ids=["all rows alike", "two alike", "turns"])
@pytest.mark.parametrize("is_past", [True, False], ids=["past", "future"])
def test_what_is_known_of_one_matrix_is_not_taken_for_another(first, is_past):
    """Rows that are alike, and values that a renaming takes to one another, are so in one matrix, and in the next not.

    OTHER has three different rows, no renaming leaves it as it is, and its second and third value are told apart best.
    """
    steps = [first, OTHER, first, OTHER]
    epsilons = [parse_level(text) for text in ("log(3/2)", "log(2)", "log(11/10)", "log(3/2)", "log(5/4)")]
    for own in (steps, steps[::-1]):
        known = (own, None) if is_past else (None, own)
        assert_same(fast_tight_leakage(epsilons, *known), tight_leakage(epsilons, *known))
    both = (steps, steps[::-1])
    assert_same(fast_tight_leakage(epsilons, *both), tight_leakage(epsilons, *both))


@pytest.mark.parametrize("value", range(3))
def test_symmetries_of_one_matrix_are_not_taken_for_those_of_the_next(value):
    """In a circle that a value leaves a little less often than the others its pairs are told apart nearly as well."""
    circle = turning(3, "1/10")
    rows = [list(row) for row in circle.rows]
    rows[value][value] += Fraction(1, 10**9)
    rows[value][(value + 1) % 3] -= Fraction(1, 10**9)
    nearly = TransitionMatrix.of(rows)
    epsilons = [parse_level(text) for text in ("log(3/2)", "log(2)", "log(11/10)", "log(3/2)")]
    for steps in ([circle, nearly, circle], [nearly, circle, nearly]):
        assert_same(fast_tight_leakage(epsilons, steps), tight_leakage(epsilons, steps))


def test_what_depends_on_a_matrix_alone_is_worked_out_once(monkeypatch):
    """However many sequences of releases it leads to: of budgets that all differ each time has two of its own."""
    made = []
    for module, name in ((pairs_module, "Symmetries"), (pairs_module, "row_kinds"), (pair_bounds, "RowDifferences")):
        original = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *args, own=original, name=name: made.append(name) or own(*args))
    turns = turning(3, "1/10")
    budgets = [Level.of(Fraction(1, 10 + number)) for number in range(8)]
    fast_tight_leakage(budgets, turns, turns)
    assert {name: made.count(name) for name in set(made)} == {"Symmetries": 1, "row_kinds": 1, "RowDifferences": 1}
    made.clear()
    fast_tight_leakage(budgets, OTHER, turns)
    assert {name: made.count(name) for name in ("row_kinds", "RowDifferences")} == {"row_kinds": 2, "RowDifferences": 2}


@pytest.mark.parametrize(
    ("back", "onward"),
    [((OTHER, ALIKE), (DIVERGES,)), ((OTHER, TWO_ALIKE), None), (None, (TWO_ALIKE, DIVERGES))],
    ids=["both", "past", "future"],
)
def test_the_supremum_of_matrices_that_repeat_is_the_literal_one(back, onward):
    """All pairs of all phases, of which doubles exclude nearly all."""
    known = [None if own is None else Stepwise(own, repeats=True) for own in (back, onward)]
    epsilon = parse_level("log(5/4)")
    found, literal = fast_tight_supremum(epsilon, *known), periodic_tight_supremum(epsilon, *known)
    first, second = found.enclosure(12), literal.enclosure(12)
    assert first.lower <= second.upper
    assert second.lower <= first.upper
