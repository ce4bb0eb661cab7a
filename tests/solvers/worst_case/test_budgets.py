"""The greatest budgets by the worst-case bound: by closed forms, by bisection over the literal leakage, figures."""

from fractions import Fraction
from math import prod

import pytest
from flint import arb, ctx
from hypothesis import example, given
from hypothesis import strategies as st

import tploracle
from tploracle.reference import (
    INFINITE,
    InfeasibleBudget,
    InvalidRequest,
    Level,
    TransitionMatrix,
    parse_level,
    strongest,
    worst_case_leakage,
    worst_case_supremum,
)
from tploracle.reference.formulas import ball_of, dyadic
from tploracle.reference.worst_case.balls import SideBalls
from tploracle.reference.worst_case.barriers import SteadyReleases
from tploracle.reference.worst_case.budgets import greatest_worst_case_budget
from tploracle.reference.worst_case.for_ever import WANTED, EndlessBalls
from tploracle.reference.worst_case.leakage import WorstRatio, added
from tploracle.reference.worst_case.sweep import OneSide
from tploracle.solvers.worst_case import budgets
from tploracle.solvers.worst_case.budgets import fast_worst_case_budget, stays_apart
from tploracle.solvers.worst_case.pairs import fast_worst_case_supremum

from ...matrices import EQUAL_ROWS, HALF, MERGING, SWAP
from ...profiles import examples
from ...strategies import matrices
from .test_pairs import DIVERGES, SLOW, STICKY, click_stream


def assert_is(level, digits, *, of):
    """Assert that a level that is enclosed only is one that is known exactly."""
    found, known = level.enclosure(digits), of.enclosure(digits + 5)
    assert found.lower <= known.upper
    assert known.lower <= found.upper


@given(
    matrices(2, 3),
    st.sampled_from(["backward", "forward", "both"]),
    st.integers(2, 4),
    st.sampled_from(["1/10", "1", "log(3)", "4"]),
)
@example(HALF, "both", 4, "log(3)")
@example(DIVERGES, "backward", 4, "1")
@example(MERGING, "both", 4, "1")
@example(SWAP, "forward", 3, "1")
@examples(6)
def test_over_a_horizon_it_is_the_literal_one(matrix, known, horizon, text):
    """A budget a little smaller keeps the level at each time, one a little greater does not, by the literal leakage."""
    alpha, own = parse_level(text), sides(matrix, known)
    found = fast_worst_case_budget(alpha, *own, horizon)
    assert found.compare(alpha) <= 0
    if found.rational is None or horizon * found.rational > alpha.enclosure(12).upper:
        bounds = found.enclosure(12)
        below, above = Level.of(Fraction(bounds.lower)), Level.of(Fraction(bounds.upper) + Fraction(1, 10**13))
        assert all(level <= alpha for level in worst_case_leakage([below] * horizon, *own).tpl)
        assert any(level > alpha for level in worst_case_leakage([above] * horizon, *own).tpl)
    assert_is_rounded(greatest_worst_case_budget(alpha, *own, horizon, 5), found, 5)


@pytest.mark.parametrize(
    ("matrix", "known", "text"),
    [
        (HALF, "backward", "1"),
        (STICKY, "both", "1/50"),
        pytest.param(STICKY, "forward", "log(3)", marks=pytest.mark.slow),
        (DIVERGES, "backward", "1"),
    ],
    ids=["half", "sticky, both", "sticky", "three"],
)
def test_for_ever_it_is_the_literal_one(matrix, known, text):
    alpha, own = parse_level(text), sides(matrix, known)
    found = fast_worst_case_budget(alpha, *own)
    bounds = found.enclosure(9)
    below, above = Level.of(Fraction(bounds.lower)), Level.of(Fraction(bounds.upper) + Fraction(1, 10**10))
    assert worst_case_supremum(below, *own) <= alpha < worst_case_supremum(above, *own)
    assert_is_rounded(greatest_worst_case_budget(alpha, *own, None, 20), found, 20)


def sides(matrix, known):
    return {"backward": (matrix, None), "forward": (None, matrix), "both": (matrix, matrix)}[known]


def assert_is_rounded(literal, found, digits):
    """Assert that a literal budget is the found one, rounded down."""
    unit = Fraction(1, 10 ** (digits - 1 - exponent(literal.rational)))
    assert literal.rational <= found.enclosure(30).upper
    assert literal.rational + unit > found.enclosure(30).lower


def exponent(value):
    return int(f"{float(value):.0e}".split("e")[1]) if value < 1 else len(str(int(value))) - 1


def test_both_sides_share_a_pair():
    """At time 2 of 3 the pair (1, 2) has B = F = (x + 1)/2, x = e^ε: x·B·F = 9/2 at x = 2, at the ends x·B_3 = 4."""
    assert fast_worst_case_budget(parse_level("log(9/2)"), HALF, HALF, 3).exact_text == "log(2)"
    # For ever x/(2 − x)² = 6 at x = 3/2, each side adding 1/(2 − x).
    assert_is(fast_worst_case_budget(parse_level("log(6)"), HALF, HALF), 40, of=parse_level("log(3/2)"))


@pytest.mark.parametrize("matrix", [strongest(2), strongest(3), SWAP])
@pytest.mark.parametrize("known", ["backward", "forward", "both"])
def test_values_that_stay_apart_leave_a_share(matrix, known):
    for text, horizon, expected in (("1", 4, "1/4"), ("3/10", 1, "3/10"), ("7", 1000, "7/1000")):
        found = fast_worst_case_budget(parse_level(text), *sides(matrix, known), horizon)
        assert found.exact_text == expected
    assert_is(fast_worst_case_budget(parse_level("log(8)"), *sides(matrix, known), 3), 30, of=parse_level("log(2)"))
    with pytest.raises(InfeasibleBudget, match="over an infinite horizon"):
        fast_worst_case_budget(parse_level("1"), *sides(matrix, known))


@pytest.mark.parametrize("digits", [6, 17])
def test_where_the_leakage_is_flat_as_far_as_digits_tell(digits):
    almost = TransitionMatrix.of([["1e-45", 1 - Fraction(1, 10**45)][::-1], ["1e-30", 1 - Fraction(1, 10**30)]])
    ends = fast_worst_case_budget(parse_level("log(1.1)"), strongest(2), almost, 2).enclosure(digits)
    # The values are told apart for certain backwards: at time 2 both budgets add up, to log(1.1).
    half = parse_level("log(1.1)").enclosure(40)
    assert abs(2 * Fraction(ends.lower) / Fraction(half.lower) - 1) < Fraction(1, 10 ** (digits - 2))


@pytest.mark.slow
def test_values_that_stay_apart_for_a_step():
    """Values 0 and 1 of a chain that merges: TPL is 2ε from one side, 3ε from both, however long it goes on."""
    for horizon in (2, 3, 7, None):
        assert fast_worst_case_budget(parse_level("1"), MERGING, None, horizon).exact_text == "1/2"
    for horizon in (3, 7, None):
        assert fast_worst_case_budget(parse_level("1"), MERGING, MERGING, horizon).exact_text == "1/3"
    assert fast_worst_case_budget(parse_level("1"), MERGING, SWAPPED_PAIRS, 3).exact_text == "1/3"
    assert stays_apart(MERGING, MERGING, 3)
    assert not stays_apart(MERGING, MERGING, 4)


SWAPPED_PAIRS = TransitionMatrix.of([[int(b == (a + 1) % 5) for b in range(5)] for a in range(5)])


def test_what_needs_no_search():
    one, alone = parse_level("1"), TransitionMatrix.of([[1]])
    for own in ((None, None), (EQUAL_ROWS, None), (EQUAL_ROWS, EQUAL_ROWS)):
        assert [fast_worst_case_budget(one, *own, horizon) for horizon in (None, 1, 7)] == [one] * 3
    assert fast_worst_case_budget(one, HALF, HALF, 1) == one
    assert fast_worst_case_budget(INFINITE, HALF, HALF).is_infinite
    assert fast_worst_case_budget(INFINITE, SWAP, None, 5).is_infinite
    for method in (fast_worst_case_budget, greatest_worst_case_budget):
        assert method(one, alone, None, 5).is_infinite
        assert method(one, alone).is_infinite


@pytest.mark.parametrize("method", [fast_worst_case_budget, greatest_worst_case_budget])
@pytest.mark.parametrize(
    ("alpha", "own", "error", "message"),
    [
        ("0", (HALF, None, 3), InfeasibleBudget, "0 leaves no budget"),
        ("0", (HALF, None), InfeasibleBudget, "0 leaves no budget"),
        ("1", (SWAP, None), InfeasibleBudget, "backward correlation has a closed class of period 2"),
        ("1", (HALF, strongest(2)), InfeasibleBudget, "forward correlation has 2 closed classes"),
        ("1", (HALF, DIVERGES), InvalidRequest, "2 states, the forward one 3"),
        ("1", (HALF, None, 0), InvalidRequest, "at least 1, not 0"),
    ],
)
def test_what_is_refused(method, alpha, own, error, message):
    with pytest.raises(error, match=message):
        method(parse_level(alpha), *own)


def test_an_infinite_level_has_no_literal_budget():
    with pytest.raises(InvalidRequest, match="infinite"):
        greatest_worst_case_budget(INFINITE, HALF)


@pytest.mark.slow
def test_values_left_for_ever_bound_the_budget():
    """Whatever the level, e^ε·4/5 < 1."""
    found = fast_worst_case_budget(parse_level("2"), SLOW).enclosure(6)
    assert Fraction(found.upper) < Fraction(parse_level("log(5/4)").enclosure().lower)
    assert worst_case_supremum(Level.of(Fraction(found.lower)), SLOW) <= parse_level("2")


@pytest.mark.parametrize(
    ("chain", "horizon", "nats"),
    [
        ("counts", 10, "0.11890"),
        pytest.param("counts", 50, "0.04571", marks=pytest.mark.slow),
        pytest.param("counts", None, "0.03865", marks=pytest.mark.slow),
        pytest.param("stationary", None, "0.03486", marks=pytest.mark.slow),
    ],
)
def test_the_click_stream(chain, horizon, nats):
    """The figures of other code, in doubles; the paper allows 0.11506, 0.03770, 0.028522 and 0.026812."""
    found = fast_worst_case_budget(parse_level("1"), *click_stream(chain), horizon)
    assert round(found.enclosure(8).lower, 5) == round(found.enclosure(8).upper, 5)
    assert str(round(found.enclosure(8).lower, 5)) == nats


def test_what_is_not_certain_is_not_taken():
    """An enclosure so narrow that the two budgets agree in 60 digits, with the level between their leakages."""
    found = fast_worst_case_budget(parse_level("1/7"), STICKY, STICKY, 3).enclosure(60)
    low, high = (
        worst_case_leakage([Level.of(Fraction(end))] * 3, STICKY, STICKY).tpl for end in (found.lower, found.upper)
    )
    assert max(level.enclosure(70).upper for level in low) <= Fraction(1, 7)
    assert max(level.enclosure(70).lower for level in high) >= Fraction(1, 7)


LAZY_RING = TransitionMatrix.of([[Fraction(9 * (j == k) + (k == (j + 1) % 4), 10) for k in range(4)] for j in range(4)])


def test_a_budget_is_sought_once_and_what_is_found_of_it_is_kept(monkeypatch):
    """As `worst_case_budget` does: it is checked, made a budget, given a basis and printed."""
    searches, bracket = [], budgets._Search.bracket
    monkeypatch.setattr(budgets._Search, "bracket", lambda own: searches.append(own) or bracket(own))
    found = tploracle.worst_case_budget(1, forward=TransitionMatrix.of([["1/2", "1/2"], ["1", "0"]]))
    assert (repr(found), len(searches)) == (repr(found.to_spend() * 1), 1)


def test_trials_start_from_what_others_found(monkeypatch):
    """Sets for budgets near each other are near each other: their sweeps are shorter."""
    steps, step = [], SteadyReleases.advanced
    monkeypatch.setattr(SteadyReleases, "advanced", lambda *given: steps.append(given) or step(*given))
    counts, found = [], {}
    for text in ("0.03", "0.03000000000000000001"):
        level = fast_worst_case_supremum(parse_level(text), LAZY_RING, found=found)
        told = level.enclosure(25)
        counts.append(len(steps))
        assert told == fast_worst_case_supremum(parse_level(text), LAZY_RING).enclosure(25)
        steps.clear()
    assert counts[1] < 4 / 5 * counts[0]


def test_a_trial_starts_on_the_line_through_the_two_next_to_it():
    sought = budgets.GreatestBudget(LAZY_RING, None, None)
    assert sought._expected(Fraction(1)) == {}
    sought.found[Fraction(5)] = {}
    sought.found[Fraction(2)] = {(0, 1): [Fraction(3)], (0, 2): [Fraction(9)]}
    assert sought._expected(Fraction(1)) == {(0, 1): [3], (0, 2): [9]}
    sought.found[Fraction(4)] = {(0, 1): [Fraction(7)], (1, 2): [Fraction(2)]}
    sought.found[Fraction(9)] = {(0, 1): [Fraction(100)]}
    assert sought._expected(Fraction(3)) == {(0, 1): [5]}
    assert sought._expected(Fraction(5, 2)) == {(0, 1): [4]}
    assert sought._expected(Fraction(1, 2)) == {(0, 1): [3]}  # the line is below 1 there


def test_where_past_and_future_are_alike_one_is_worked_out(monkeypatch):
    pairs, excess = [], EndlessBalls.excess
    monkeypatch.setattr(EndlessBalls, "excess", lambda own, pair, start: pairs.append(pair) or excess(own, pair, start))
    other = TransitionMatrix.of([list(row) for row in LAZY_RING.rows])
    both = fast_worst_case_supremum(parse_level("0.03"), LAZY_RING, other).enclosure(17)
    counts = {pair: pairs.count(pair) for pair in pairs}
    assert set(counts.values()) == {1}
    one = fast_worst_case_supremum(parse_level("0.03"), LAZY_RING).enclosure(25)
    own = Fraction(3, 100)
    assert both.lower <= 2 * Fraction(one.upper) - own
    assert 2 * Fraction(one.lower) - own <= both.upper


def test_a_coarse_course_is_enough_where_its_sets_recur(monkeypatch):
    """The three values of this near cycle come again after three releases, shrunk."""
    rows = [[Fraction(100 * (k == (j + 1) % 3) + 1, 103) for k in range(3)] for j in range(3)]
    wanted, course = [], EndlessBalls.course
    monkeypatch.setattr(EndlessBalls, "course", lambda own, *given: wanted.append(given[2]) or course(own, *given))
    fast_worst_case_supremum(parse_level("0.05"), TransitionMatrix.of(rows)).enclosure(17)
    assert set(wanted) == {WANTED}


@pytest.mark.parametrize("pair", [(0, 1), (2, 0)])
def test_where_another_pair_rules_than_is_thought_the_budget_is_the_same(monkeypatch, pair):
    matrix = TransitionMatrix.of([["8/10", "1/10", "1/10"], ["3/10", "4/10", "3/10"], ["1/2", "1/4", "1/4"]])
    alpha = parse_level("1/2")
    expected = fast_worst_case_budget(alpha, matrix, matrix).enclosure(17)
    monkeypatch.setattr(budgets.GreatestBudget, "ruling", lambda _own, _budget: {pair})
    found = fast_worst_case_budget(alpha, matrix, matrix).enclosure(17)
    assert found == expected
    for part, is_kept in ((1 - Fraction(1, 10**9), True), (1 + Fraction(1, 10**9), False)):
        near = Level.of(round(Fraction(found.lower) * part, 20))
        assert (fast_worst_case_supremum(near, matrix, matrix) <= alpha) == is_kept


@given(matrices(3, 3), matrices(3, 3), st.lists(st.fractions(1, 9), min_size=2, max_size=2), st.fractions(0, 4))
@examples(40)
def test_a_pair_is_taken_for_weak_only_if_it_is(one, other, about, excess):
    """Whatever its ratios were thought to be, as the literal sweep has it."""
    epsilon, pair = Level.of_ratio(Fraction(5, 4)), (0, 1)
    sides = [OneSide((matrix.rows,) * 4) for matrix in (one, other)]
    with ctx.workprec(96):
        balls = [SideBalls(side, [arb(1) / 4] * 4) for side in sides]
        is_weak = WorstRatio._is_weak(balls, pair, about, ball_of(excess))
    truth = added((sides[0], (epsilon,) * 4), (sides[1], (epsilon,) * 4), [pair])
    assert not is_weak or truth <= Level.of_ratio(1 + excess)
    with ctx.workprec(96):
        own = [1 + dyadic(side.excess(pair)[0].mid()) for side in balls]
        assert WorstRatio._is_weak(balls, pair, own, ball_of(prod(own) * Fraction(11, 10)))
