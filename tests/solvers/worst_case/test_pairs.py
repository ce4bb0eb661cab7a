"""The fast worst-case leakage against the literal one, against all sets, and against an attack of another kind."""

import json
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import (
    INFINITE,
    ZERO,
    InvalidRequest,
    TransitionCounts,
    TransitionMatrix,
    parse_level,
    reverse,
    stationary,
    worst_case_leakage,
    worst_case_supremum,
)
from tploracle.reference.stepwise import Stepwise
from tploracle.reference.worst_case.leakage import NO_SIDE, added
from tploracle.reference.worst_case.periods import periodic_worst_case_supremum
from tploracle.reference.worst_case.sweep import OneSide
from tploracle.solvers.worst_case import pairs as pairs_module
from tploracle.solvers.worst_case.best_sets import BallReleases, PairSets
from tploracle.solvers.worst_case.pairs import fast_worst_case_leakage, fast_worst_case_supremum

from ...matrices import DIVERGES, SLOW, STICKY
from ...profiles import examples, some
from ...strategies import levels, matrices


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


FORGETS = TransitionMatrix.of(
    [[0, 0, 0, "1/13", "12/13", 0], [0, 0, 0, "2/13", "10/13", "1/13"], *[[0, 0, 0, "1/3", "1/3", "1/3"]] * 4]
)
"""The second value from now does not depend on the one now."""


@given(matrices(2, 4), matrices(2, 4), st.lists(levels(), min_size=1, max_size=5))
@example(FORGETS, FORGETS, [parse_level("1/10"), parse_level("1e-9"), parse_level("1/10")])
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
    assert_same(fast_worst_case_leakage(epsilons, backward, forward), worst_case_leakage(epsilons, backward, forward))
    assert_same(fast_worst_case_leakage(epsilons, None, forward), worst_case_leakage(epsilons, None, forward))


@given(matrices(2, 4), st.sampled_from(["1/10", "1", "log(3/2)", "log(11/10)", "5"]), st.integers(1, 9))
@example(turning(3, "1/10"), "1", 9)
@example(TransitionMatrix(((Fraction(1, 2), Fraction(1, 2)), (Fraction(0), Fraction(1)))), "512", 4)  # beyond doubles
@examples(25)
def test_with_one_budget_for_all_times(matrix, text, times):
    epsilons = [parse_level(text)] * times
    assert_same(fast_worst_case_leakage(epsilons, matrix, matrix), worst_case_leakage(epsilons, matrix, matrix))


SIZES = ["0", "1e-400", "5e-324", "1e-310", "1e-200", "1e-30", "1/10", "log(3/2)", "log(2)", "700", "100000", "inf"]
"""Budgets of all sizes, some of them beyond the doubles."""

TINY = Fraction(1, 10**310)

NEARLY_EQUAL = TransitionMatrix.of(
    [[Fraction(1, 2) + part * TINY, Fraction(1, 2) - part * TINY, 0] for part in (0, 1, 3)]
)
"""Rows that differ by less than doubles hold."""


@given(matrices(2, 4), matrices(2, 4), st.lists(st.sampled_from(SIZES), min_size=1, max_size=4))
@example(SLOW, DIVERGES, ["5e-324"] * 3)
@example(NEARLY_EQUAL, DIVERGES, ["1/10", "5e-324", "700"])
@example(STICKY, DIVERGES, ["1e-310", "1e-400", "1e-310"])
@examples(40)
def test_budgets_of_any_size_as_one_object_or_as_several(backward, forward, texts):
    """Equal levels are one budget, whether they are one object or not; none is too small or too great."""
    forward = backward if forward.n != backward.n else forward
    known, several = {text: parse_level(text) for text in SIZES}, [parse_level(text) for text in texts]
    expected = worst_case_leakage(several, backward, forward)
    assert_same(fast_worst_case_leakage(several, backward, forward), expected)
    assert_same(fast_worst_case_leakage([known[text] for text in texts], backward, forward), expected)


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
    expected = worst_case_leakage(epsilons, SLOW, DIVERGES)
    monkeypatch.setattr(PairSets, "literal", None)
    found = fast_worst_case_leakage(epsilons, SLOW, DIVERGES)
    assert_same(found, expected)
    for own, other in ((found.bpl, expected.bpl), (found.fpl, expected.fpl), (found.tpl, expected.tpl)):
        assert [level.exact_text for level in own] == [level.exact_text for level in other]
    assert any("sqrt" in str(level.exact_text) for level in found.bpl)


def test_matrices_and_values_of_each_time():
    two, epsilons = parse_level("log(2)"), [parse_level("log(2)"), parse_level("1/5"), parse_level("log(2)")]
    steps, possible = [DIVERGES, SLOW], [[0, 1, 2], [1], [1, 2]]
    assert_same(
        fast_worst_case_leakage(epsilons, steps, steps[::-1], possible),
        worst_case_leakage(epsilons, steps, steps[::-1], possible),
    )
    assert fast_worst_case_leakage([two, two]).tpl == (two, two)
    with pytest.raises(InvalidRequest, match="no release"):
        fast_worst_case_leakage([])


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
        assert_same(fast_worst_case_leakage(own, steps, steps[::-1]), worst_case_leakage(own, steps, steps[::-1]))


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
    assert_same(fast_worst_case_leakage(epsilons, matrix, matrix), worst_case_leakage(epsilons, matrix, matrix))


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
    found = fast_worst_case_leakage([epsilon] * times, None, matrix)
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
        fast_worst_case_leakage([parse_level("1/10")] * times, STICKY)
        counts.append(len(steps))
    assert counts[1] - counts[0] <= 8 * 40


@given(st.lists(st.integers(0, 3), min_size=4, max_size=4), st.lists(st.sampled_from(["1/10", "1/7", "1"]), max_size=3))
@example([1, 2, 0, 3], ["1/10"] * 3)
@examples(2)
def test_pairs_that_agree_to_thirty_digits_are_told_from_one_another(leads, texts):
    """To more digits, on both sides of each time, with one budget and with several."""
    epsilons = [parse_level(text) for text in ("1/10", *texts)]
    known = nearly_a_function(leads), nearly_a_function(leads[::-1])
    found, expected = fast_worst_case_leakage(epsilons, *known), worst_case_leakage(epsilons, *known)
    for own, other in zip(
        (*found.bpl, *found.fpl, *found.tpl), (*expected.bpl, *expected.fpl, *expected.tpl), strict=True
    ):
        first, second = own.enclosure(45), other.enclosure(45)
        assert first.lower <= second.upper
        assert second.lower <= first.upper


OVERTAKEN = TransitionMatrix.of([["14/20", "5/20", "1/20"], ["2/20", "17/20", "1/20"], ["3/20", "2/20", "15/20"]])
"""It forgets slowly; with e^ε = 11/10 the worst pair over up to six releases is not the worst over seven or more."""


@pytest.mark.parametrize("backward", [OVERTAKEN, SLOW], ids=["one pair", "others"])
def test_at_both_sides_of_many_times_it_is_the_literal_one(backward):
    """Where the same pair leads on both sides of most times, and where different ones do."""
    epsilons = [parse_level("1/10")] * 17
    found, expected = (own(epsilons, backward, OVERTAKEN) for own in (fast_worst_case_leakage, worst_case_leakage))
    for own, other in zip((found.bpl[-1], *found.tpl[::4]), (expected.bpl[-1], *expected.tpl[::4]), strict=True):
        first, second = own.enclosure(20), other.enclosure(20)
        assert first.lower <= second.upper
        assert second.lower <= first.upper


@pytest.mark.parametrize("text", some(["1/10", "1", "2"], 3))
@pytest.mark.parametrize(
    "matrix", [STICKY, DIVERGES, turning(3, "1/10"), turning(4, "1/5")], ids=["sticky", "diverges", "3", "4"]
)
def test_the_supremum_is_the_literal_one(matrix, text):
    """The sweeps of chains that turn do not come again, shrunk, after one step or two."""
    epsilon = parse_level(text)
    found = fast_worst_case_supremum(epsilon, matrix)
    assert found.enclosure(12) == worst_case_supremum(epsilon, matrix).enclosure(12)
    assert found.enclosure(12).upper >= fast_worst_case_leakage([epsilon] * 20, matrix).bpl[-1].enclosure(12).lower


def test_suprema_that_need_no_pairs():
    epsilon, nothing = parse_level("1/10"), TransitionMatrix.of([["1/2", "1/2"]] * 2)
    assert fast_worst_case_supremum(epsilon) == epsilon
    assert fast_worst_case_supremum(epsilon, nothing) == epsilon
    assert fast_worst_case_supremum(ZERO, STICKY) == ZERO
    assert fast_worst_case_supremum(INFINITE, STICKY).is_infinite
    assert fast_worst_case_supremum(epsilon, TransitionMatrix.of([[0, 1], [1, 0]])).is_infinite
    assert fast_worst_case_supremum(epsilon, TransitionMatrix.of([[1]])).is_zero
    assert fast_worst_case_supremum(parse_level("log(1.24)"), SLOW).enclosure(12) == worst_case_supremum(
        parse_level("log(1.24)"), SLOW
    ).enclosure(12)
    with pytest.raises(InvalidRequest, match="2 states, the forward one 3"):
        fast_worst_case_supremum(epsilon, STICKY, DIVERGES)


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
    found = fast_worst_case_leakage([parse_level("1/10")] * 50, *click_stream(chain))
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
    assert_about(fast_worst_case_supremum(parse_level("1/10"), *own), nats)


def assert_about(level, nats):
    assert abs(level.enclosure(9).lower - Decimal(nats)) <= Decimal("6e-7")


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
        assert_same(fast_worst_case_leakage(epsilons, *known), worst_case_leakage(epsilons, *known))
    both = (steps, steps[::-1])
    assert_same(fast_worst_case_leakage(epsilons, *both), worst_case_leakage(epsilons, *both))


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
        assert_same(fast_worst_case_leakage(epsilons, steps), worst_case_leakage(epsilons, steps))


@pytest.mark.parametrize(
    ("back", "onward"),
    [((OTHER, ALIKE), (DIVERGES,)), ((OTHER, TWO_ALIKE), None), (None, (TWO_ALIKE, DIVERGES))],
    ids=["both", "past", "future"],
)
def test_the_supremum_of_matrices_that_repeat_is_the_literal_one(back, onward):
    """All pairs of all phases, of which doubles exclude nearly all."""
    known = [None if own is None else Stepwise(own, repeats=True) for own in (back, onward)]
    epsilon = parse_level("log(5/4)")
    found, literal = fast_worst_case_supremum(epsilon, *known), periodic_worst_case_supremum(epsilon, *known)
    first, second = found.enclosure(12), literal.enclosure(12)
    assert first.lower <= second.upper
    assert second.lower <= first.upper


@pytest.mark.parametrize("stay", ["1/2", "1/7"])
def test_the_supremum_of_symmetric_matrices_that_repeat_is_the_literal_one(stay):
    """One pair of each phase stands for all, whichever values it is of."""
    steps = [
        [[Fraction(part) * (i == j) + (1 - Fraction(part)) / 3 for j in range(3)] for i in range(3)]
        for part in (stay, "1/3")
    ]
    known = [Stepwise(tuple(map(TransitionMatrix.of, own)), repeats=True) for own in (steps, steps[::-1])]
    epsilon = parse_level("log(5/4)")
    found, literal = fast_worst_case_supremum(epsilon, *known), periodic_worst_case_supremum(epsilon, *known)
    assert found.enclosure(12) == literal.enclosure(12)
