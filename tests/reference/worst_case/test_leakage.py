"""The worst-case leakage against the definitions on the mechanism that attains it, all sets, and other ways."""

from fractions import Fraction
from itertools import combinations, permutations, product

import pytest
from flint import arb, ctx
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.reference import (
    INFINITE,
    ZERO,
    InvalidRequest,
    Level,
    TransitionMatrix,
    parse_level,
    supremum,
)
from tploracle.reference.definitions import LiteralStream
from tploracle.reference.formulas import ball_of
from tploracle.reference.paper.loss import loss_function
from tploracle.reference.worst_case.balls import SideBalls
from tploracle.reference.worst_case.boundedness import boundedness
from tploracle.reference.worst_case.classes import classes_of, cyclic_parts
from tploracle.reference.worst_case.leakage import worst_case_leakage, worst_case_supremum
from tploracle.reference.worst_case.mechanisms import subset_mechanism
from tploracle.reference.worst_case.sweep import OneSide, worst

from ...matrices import CYCLE, DIVERGES, SLOW, STICKY
from ...profiles import examples
from ...strategies import matrices

ALTERNATING = TransitionMatrix.of([["1/10", "9/10"], ["7/10", "3/10"]])
LEFT = TransitionMatrix.of([["1/5", "4/5"], [0, 1]])


def of_stream(stream):
    """Return what `worst_case_leakage` says of a stream's chain: per-step backward matrices, values that can occur."""
    times = len(stream.mechanisms)
    possible = [[value for value, p in enumerate(row) if p] for row in stream.marginals]
    backward = [backward_rows(stream, time) for time in range(2, times + 1)]
    epsilons = [mechanism.privacy_leakage() for mechanism in stream.mechanisms]
    return worst_case_leakage(epsilons, backward, [stream.forward] * (times - 1), possible)


def backward_rows(stream, time):
    """Return Pr(l^{t−1} | l^t); the rows of values that cannot occur are not used."""
    before, now = stream.marginals[time - 2], stream.marginals[time - 1]
    n = stream.forward.n
    return TransitionMatrix(
        tuple(
            tuple(before[b] * stream.forward.rows[b][a] / now[a] for b in range(n)) if now[a] else before
            for a in range(n)
        )
    )


def assert_attained(stream):
    """Assert that the worst-case leakage is that of the stream by its definition, as rationals."""
    found = of_stream(stream)
    for time in range(1, len(stream.mechanisms) + 1):
        assert found.bpl[time - 1].ratio == stream.bpl(time).ratio
        assert found.fpl[time - 1].ratio == stream.fpl(time).ratio
        assert found.tpl[time - 1].ratio == stream.tpl(time).ratio


@given(
    matrices(2, 2), st.fractions(0, 1, max_denominator=6), st.lists(st.sampled_from([2, 3, 5]), min_size=1, max_size=3)
)
@examples(10)
def test_the_subset_mechanism_attains_it_for_two_values(forward, start, halves):
    ratios = [Fraction(half, 2) if half > 2 else Fraction(2) for half in halves]
    assert_attained(LiteralStream((start, 1 - start), forward, tuple(subset_mechanism(2, ratio) for ratio in ratios)))


@given(matrices(3, 3), st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any))
@example(DIVERGES, [1, 1, 1])
@example(CYCLE, [1, 0, 0])
@examples(1)
def test_the_subset_mechanism_attains_it_for_three_values(forward, weights):
    initial = tuple(Fraction(weight, sum(weights)) for weight in weights)
    mechanisms = (
        subset_mechanism(3, Fraction(3, 2)),
        subset_mechanism(3, Fraction(2)),
        subset_mechanism(3, Fraction(3, 2)),
    )
    assert_attained(LiteralStream(initial, forward, mechanisms))


@given(matrices(2, 3), st.lists(st.sampled_from(["3/2", "2", "101/100"]).map(Fraction), min_size=1, max_size=5))
@examples(15)
def test_balls_hold_the_exact_ratio(matrix, ratios):
    side = OneSide((matrix.rows,) * len(ratios))
    with ctx.workprec(128):
        balls = SideBalls(side, [ball_of(ratio - 1) for ratio in ratios])
        for pair in permutations(range(matrix.n), 2):
            lower, upper = balls.excess(pair)
            exact = ball_of(worst(side, ratios, pair).ratio - 1)
            assert not lower > exact
            assert not upper < exact
            assert upper - lower <= (lower + upper) * arb(2) ** -24
            assert balls.is_at_most(pair, upper)
            assert not balls.is_at_most(pair, (exact * (1 - arb(2) ** -64)).lower()) or exact == 0


@given(matrices(2, 4), st.lists(st.sampled_from(["3/2", "2", "101/100"]).map(Fraction), max_size=3))
@example(DIVERGES, [Fraction(3, 2), Fraction(2)])
@example(CYCLE, [Fraction(2)])
@examples(15)
def test_balls_where_the_farthest_release_tells_the_value(matrix, ratios):
    """The exact ratio, or ∞; the release that tells has no finite budget."""
    side = OneSide((matrix.rows,) * (len(ratios) + 1), reveals=True)
    with ctx.workprec(128):
        balls = SideBalls(side, [ball_of(ratio - 1) for ratio in ratios])
        for pair in permutations(range(matrix.n), 2):
            exact = worst(side, [Fraction(1), *ratios], pair)
            if exact is None:
                continue
            lower, upper = balls.excess(pair)
            assert not lower > ball_of(exact.ratio - 1)
            assert not upper < ball_of(exact.ratio - 1)
            assert upper - lower <= (lower + upper) * arb(2) ** -24


def test_what_is_not_seen_to_be_an_upper_bound_is_none(monkeypatch):
    with ctx.workprec(128):
        balls = SideBalls(OneSide((DIVERGES.rows,) * 3), [arb(1)] * 3)
        lower, upper = balls.excess((0, 1))
        assert lower < upper < arb.pos_inf()
        monkeypatch.setattr(balls, "is_at_most", lambda _pair, tried: tried > upper)
        assert balls.excess((0, 1))[0] == lower
        assert upper < balls.excess((0, 1))[1] < arb.pos_inf()
        monkeypatch.setattr(balls, "is_at_most", lambda _pair, _tried: False)
        assert balls.excess((0, 1)) == (lower, arb.pos_inf())


@pytest.mark.parametrize("texts", [["1/10"] * 4, ["1/10", "0", "log(2)", "1/3"], ["0", "0", "1/7", "3"], ["1e-9"] * 3])
@pytest.mark.parametrize("matrix", [DIVERGES, SLOW, ALTERNATING], ids=["diverges", "slow", "alternating"])
def test_transcendental_ratios_against_mpmath(matrix, texts):
    """The greatest ratio over all sets of values, worked out in mpmath."""
    epsilons = [parse_level(text) for text in texts]
    found = worst_case_leakage([*epsilons, parse_level("1/5")], matrix).bpl[-1].enclosure(25)
    with mp.workdps(60):
        rows = [[mp.mpf(p.numerator) / p.denominator for p in row] for row in matrix.rows]
        best = mp.mpf(1)
        subsets = [own for size in range(matrix.n) for own in combinations(range(matrix.n), size)]
        for sets in product(subsets, repeat=len(texts)):
            f = [mp.mpf(1)] * matrix.n
            for number, (chosen, text) in enumerate(zip(sets, texts, strict=True)):
                if number:
                    f = [mp.fdot(row, f) for row in rows]
                level = Fraction(text) if "log" not in text else None
                ratio = mp.mpf(2) if level is None else mp.exp(mp.mpf(level.numerator) / level.denominator)
                f = [ratio * value if a in chosen else value for a, value in enumerate(f)]
            f = [mp.fdot(row, f) for row in rows]
            best = max(best, max(f) / min(f))
        level = mp.log(best) + mp.mpf(1) / 5
        assert mp.mpf(str(found.lower)) - mp.mpf("1e-50") <= level <= mp.mpf(str(found.upper)) + mp.mpf("1e-50")


def test_an_infinite_budget_tells_the_value():
    two = parse_level("log(2)")
    # Told the value before, the next one is known up to a row; nothing farther matters.
    found = worst_case_leakage([two, INFINITE, two], STICKY).bpl
    assert found[1].is_infinite
    assert found[2].ratio == 2 * max(Fraction(9, 3), Fraction(7, 1))
    # Told value 2, then “yes, it is 2”: the likelihoods are 1/10 and 2·7/10, seen from the rows of 2 and of 1.
    ratio = (Fraction(3, 10) * Fraction(1, 10) + Fraction(7, 10) * Fraction(14, 10)) / (
        Fraction(9, 10) * Fraction(1, 10) + Fraction(1, 10) * Fraction(14, 10)
    )
    assert worst_case_leakage([INFINITE, two, two], STICKY).bpl[2].ratio == 2 * ratio
    assert worst_case_leakage([INFINITE, two], CYCLE).bpl[1].is_infinite
    assert worst_case_leakage([INFINITE, two], DIVERGES).bpl[1].is_infinite


def test_budgets_of_zero_tell_nothing():
    two = parse_level("log(2)")
    squared = TransitionMatrix.of([["21/25", "4/25"], ["12/25", "13/25"]])
    assert worst_case_leakage([two, ZERO, two], STICKY).bpl[2] == worst_case_leakage([two, two], squared).bpl[1]
    assert all(level.is_zero for level in worst_case_leakage([ZERO] * 3, STICKY, STICKY).tpl)


def test_what_is_not_known_adds_nothing():
    two, three = parse_level("log(2)"), parse_level("log(3)")
    assert worst_case_leakage([two, three]).tpl == (two, three)
    assert worst_case_leakage([two, three], STICKY).fpl == (two, three)
    assert worst_case_leakage([two, three], forward=STICKY).bpl == (two, three)
    same = TransitionMatrix.of([["1/2", "1/2"], ["1/2", "1/2"]])
    assert worst_case_leakage([two, three, two], same, same).tpl == (two, three, two)


def test_one_possible_value_leaks_nothing():
    two = parse_level("log(2)")
    assert all(level.is_zero for level in worst_case_leakage([two] * 2, TransitionMatrix.of([[1]])).tpl)
    found = worst_case_leakage([two, two], STICKY, STICKY, possible=[[0], [0, 1]])
    assert found.tpl[0].is_zero
    assert found.tpl[1] > two


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([], STICKY), "no release"),
        (([ZERO] * 3, [STICKY]), "backward: 1 matrices for 2 steps"),
        (([ZERO] * 3, [STICKY, CYCLE]), "backward: the matrices differ in size"),
        (([ZERO] * 3, STICKY, CYCLE), "the backward matrix has 2 states, the forward one 3"),
    ],
)
def test_what_is_refused(arguments, words):
    with pytest.raises(InvalidRequest, match=words):
        worst_case_leakage(*arguments)


# For ever


@pytest.mark.parametrize("ratio", ["6/5", "11/10", "5/3"])
def test_a_value_that_is_kept_for_ever_has_the_papers_supremum(ratio):
    """Rows (q, 1 − q), (0, 1): λ = (1 − q)/(1 − q·e^ε); at q·e^ε = 1 both are infinite."""
    matrix, epsilon = TransitionMatrix.of([["3/5", "2/5"], [0, 1]]), Level.of_ratio(Fraction(ratio))
    found = worst_case_supremum(epsilon, matrix)
    own = supremum(loss_function(matrix), epsilon).level
    assert found.is_infinite == own.is_infinite == (Fraction(ratio) * 3 >= 5)
    if not own.is_infinite:
        assert found.enclosure(30) == own.enclosure(30)


@pytest.mark.parametrize("text", ["1/10", "1", "log(3)"])
@pytest.mark.parametrize("matrix", [STICKY, ALTERNATING, LEFT], ids=["sticky", "alternating", "left"])
def test_two_values_against_a_fixed_point(matrix, text):
    """The ratio f(1)/f(2) stays between two ends, which one step with the best answers maps to themselves."""
    (a, b), (c, d) = matrix.rows
    epsilon = parse_level(text)
    with mp.workdps(50):
        x = mp.mpf(3) if text == "log(3)" else mp.exp(mp.mpf(Fraction(text).numerator) / Fraction(text).denominator)
        a, b, c, d = (mp.mpf(p.numerator) / p.denominator for p in (a, b, c, d))
        low, high = mp.mpf(1), mp.mpf(1)
        for _ in range(600):
            ends = [(a * z + b) / (c * z + d) for z in (low, high)]
            low, high = min(ends) / x, max(ends) * x
        ratios = [(a * z + b) / (c * z + d) for z in (low, high)]
        value = mp.log(x) + mp.log(max(*ratios, 1 / min(ratios)))
    found = worst_case_supremum(epsilon, matrix).enclosure(25)
    with mp.workdps(50):
        assert mp.mpf(str(found.lower)) <= value <= mp.mpf(str(found.upper))


@pytest.mark.parametrize(
    ("matrix", "text"),
    [(STICKY, "log(6+sqrt(45))"), (ALTERNATING, "log((44+sqrt(2125))/9)")],
    ids=["sticky", "alternating"],
)
def test_two_values_are_a_surd(matrix, text):
    """With e^ε = 3; sympy's roots of x = 3·φ(x), and of x = 3·φ(φ(x)/3), for both pairs."""
    assert worst_case_supremum(parse_level("log(3)"), matrix) == parse_level(text)


@pytest.mark.parametrize(
    ("rows", "epsilon", "closed", "parts", "growing"),
    [
        (DIVERGES.rows, "20", 1, 1, None),
        (CYCLE.rows, "1e-9", 1, 3, None),
        ([[1, 0], [0, 1]], "1", 2, 1, None),
        (SLOW.rows, "log(1.24)", 1, 1, None),
        (SLOW.rows, "log(1.25)", 1, 1, (1,)),
        (SLOW.rows, "log((1+sqrt(2))/2)", 1, 1, None),
        (SLOW.rows, "log(sqrt(2))", 1, 1, (1,)),
        (SLOW.rows, "0.2231435513142097", 1, 1, None),
        (SLOW.rows, "0.2231435513142098", 1, 1, (1,)),
        ([["1/2", 0, "1/2"], [0, "3/4", "1/4"], [0, 0, 1]], "log(4/3)", 1, 1, (1,)),
        ([["1/4", "1/2", "1/4"], ["1/2", "1/4", "1/4"], [0, 0, 1]], "log(4/3)", 1, 1, (0, 1)),
        ([["1/4", "1/2", "1/4"], ["1/2", "1/4", "1/4"], [0, 0, 1]], "log(1.333)", 1, 1, None),
    ],
)
def test_the_criterion(rows, epsilon, closed, parts, growing):
    matrix = TransitionMatrix.of(rows)
    found = boundedness(matrix, parse_level(epsilon))
    assert (len(found.closed), len(found.parts), found.growing) == (closed, parts, growing)
    assert found.is_bounded == (closed == parts == 1 and growing is None)
    assert worst_case_supremum(parse_level(epsilon), matrix).is_infinite != found.is_bounded


@given(matrices(2, 4))
@examples(20)
def test_classes_against_powers(matrix):
    found = classes_of(matrix.rows)
    n = matrix.n
    reach = {(a, b) for a in range(n) for b in range(n) if a == b or matrix.rows[a][b]}
    for _ in range(n):
        reach |= {(a, d) for a, b in reach for c, d in reach if b == c}
    together = {frozenset(b for b in range(n) if (a, b) in reach and (b, a) in reach) for a in range(n)}
    closed = {own for own in together if all(b in own for a in own for b in range(n) if (a, b) in reach)}
    assert {frozenset(own) for own in found.closed} == closed
    assert {frozenset(own) for own in found.open} == together - closed
    assert found.transient == tuple(sorted(set(range(n)).difference(*closed)))
    # Aperiodic if and only if some power, n² at the latest, has a positive column on the class.
    own = found.closed[0]
    now = {a: {a} for a in own}
    for _ in range(n * n + n):
        now = {a: {c for b in ends for c in own if matrix.rows[b][c]} for a, ends in now.items()}
    assert (len(cyclic_parts(matrix.rows, own)) == 1) == bool(set.intersection(*now.values()))


def test_levels_of_one_question_are_equal_however_often_it_is_asked():
    """Of transcendental ratios the formulas are compared, for no precision could tell that they are equal."""
    asked = [worst_case_leakage([parse_level("1/10")] * 3, DIVERGES, DIVERGES) for _ in range(2)]
    assert asked[0] == asked[1]
    assert worst_case_supremum(parse_level("1/10"), DIVERGES) == worst_case_supremum(parse_level("1/10"), DIVERGES)
    assert asked[0].tpl[1] != asked[0].bpl[1]
