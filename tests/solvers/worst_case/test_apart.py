"""Pairs told apart for certain: against the greatest ratio as a polynomial, worked out at several budgets."""

from fractions import Fraction
from itertools import accumulate, permutations

from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import ZERO, Level, TransitionMatrix, parse_level, strongest, worst_case_leakage
from tploracle.reference.worst_case.sweep import OneSide, worst
from tploracle.solvers.worst_case import pairs
from tploracle.solvers.worst_case.apart import Apart
from tploracle.solvers.worst_case.best_sets import PairSets
from tploracle.solvers.worst_case.pairs import fast_worst_case_leakage, fast_worst_case_supremum

from ...matrices import MERGING
from ...profiles import examples
from ...strategies import matrices
from .test_pairs import assert_same, turning


@st.composite
def sparse(draw):
    """Draw a matrix with one or two entries in a row."""
    n = draw(st.integers(2, 4))
    ends = st.lists(st.integers(0, n - 1), min_size=1, max_size=2, unique=True)
    rows = draw(st.lists(ends, min_size=n, max_size=n))
    return TransitionMatrix.of([[Fraction(k in own, len(own)) for k in range(n)] for own in rows])


@given(sparse(), st.integers(1, 4))
@example(MERGING, 3)
@example(strongest(2), 4)
@examples(40)
def test_the_ratio_is_the_product_of_as_many(matrix, depth):
    """And where it is none that is counted, it is no power of e^ε for two budgets alike."""
    side, apart = OneSide((matrix.rows,) * depth), Apart([matrix.rows] * depth)
    for pair in permutations(range(matrix.n), 2):
        counted = apart.counted(pair, depth)
        ratios = [worst(side, [Fraction(base)] * depth, pair).ratio for base in (2, 3)]
        if counted is not None:
            assert ratios == [2**counted, 3**counted]
            assert apart.counted(pair, 1) == min(1, counted)


@given(matrices(2, 4), st.integers(1, 6))
@example(MERGING, 6)
@example(turning(4, 0), 6)
@example(turning(3, 0), 1000)
@examples(30)
def test_steps_apart_by_sets(matrix, most):
    found = Apart([matrix.rows] * most)
    for pair in permutations(range(matrix.n), 2):
        own, steps = [{value} for value in pair], 0
        while steps < most:
            own = [{b for a in each for b, p in enumerate(matrix.rows[a]) if p} for each in own]
            if own[0] & own[1]:
                break
            steps += 1
        assert found.steps(pair, most) == steps


@given(sparse(), st.lists(st.sampled_from([ZERO, *map(parse_level, ("1/3", "log(2)"))]), min_size=1, max_size=5))
@example(turning(4, 0), [parse_level("1/3")] * 5)
@examples(20)
def test_pairs_that_are_counted_beside_others_that_are_not(matrix, epsilons):
    assert_same(fast_worst_case_leakage(epsilons, matrix, matrix), worst_case_leakage(epsilons, matrix, matrix))


def test_where_all_is_counted_no_sets_are_sought(monkeypatch):
    monkeypatch.setattr(PairSets, "level", None)
    epsilon, times = parse_level("1/10"), 60
    found = fast_worst_case_leakage([epsilon] * times, turning(7, 0), turning(7, 0))
    assert [level.rational for level in found.bpl] == [Fraction(t + 1, 10) for t in range(times)]
    assert {level.rational for level in found.tpl} == {Fraction(times, 10)}


def test_where_a_pair_is_apart_for_ever_no_pair_contends(monkeypatch):
    """Whatever the other values do: two classes that turn, and a transient value which leads into both."""
    monkeypatch.setattr(pairs, "Contest", None)
    chain = TransitionMatrix.of([[0, 1, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 1, 0, 0], ["1/4"] * 4 + [0]])
    epsilons = [Fraction(t, 7) for t in range(1, 5)]
    found = fast_worst_case_leakage([*map(Level.of, epsilons)], chain, chain)
    assert [level.rational for level in found.bpl] == list(accumulate(epsilons))
    assert [level.rational for level in found.tpl] == [sum(epsilons)] * 4


@given(sparse(), st.integers(1, 5))
@example(MERGING, 2)
@examples(30)
def test_the_pair_that_is_apart_for_most_releases(matrix, most):
    found = Apart([matrix.rows] * most)
    steps = {pair: found.steps(pair, most) for pair in permutations(range(matrix.n), 2)}
    assert max(steps.values()) == (steps[found.longest] if found.longest else 0)
    assert found.tells(steps, most) == (max(steps.values()) == most)
    assert not found.tells((), most)


def test_budgets_of_their_own_count_from_the_nearest():
    epsilons = [parse_level(text) for text in ("1/3", "1/5", "1/7", "2")]
    found = fast_worst_case_leakage(epsilons, MERGING, MERGING)
    # Beside its own one release counts: of 0 against 4 it tells 2 from 4, and both come from 4.
    assert [level.rational for level in found.bpl] == [
        Fraction(1, 3),
        Fraction(1, 3) + Fraction(1, 5),
        Fraction(1, 5) + Fraction(1, 7),
        Fraction(1, 7) + 2,
    ]
    literal = worst_case_leakage(epsilons, MERGING, MERGING)
    for own, other in zip((*found.fpl, *found.tpl), (*literal.fpl, *literal.tpl), strict=True):
        assert own.rational is not None
        assert abs(own.rational - Fraction(other.enclosure(20).lower)) < Fraction(1, 10**18)


def test_for_ever():
    epsilon = parse_level("1/10")
    assert fast_worst_case_supremum(epsilon, MERGING).exact_text == "1/5"
    assert fast_worst_case_supremum(epsilon, MERGING, MERGING).exact_text == "3/10"
    assert fast_worst_case_supremum(epsilon, strongest(2)).is_infinite
    assert fast_worst_case_supremum(Level.of_ratio(Fraction(2)), MERGING).exact_text == "log(4)"
