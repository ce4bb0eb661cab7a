"""The parts of the worst-case leakage by hand: classes and how they cycle, what decides growth, sets in their order."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations

import pytest

from tploracle.reference import INFINITE, Level, TransitionMatrix, parse_level, worst_case_leakage
from tploracle.reference.worst_case.boundedness import boundedness
from tploracle.reference.worst_case.classes import classes_of, cyclic_parts
from tploracle.reference.worst_case.sweep import OneSide, likelihood_ratio, sweep, worst

HALF = Fraction(1, 2)
THREE = TransitionMatrix.of([["1/2", "1/3", "1/6"], ["1/6", "2/3", "1/6"], ["1/5", "1/5", "3/5"]])


def test_the_parts_of_a_class_are_passed_through_in_turn():
    # 1 → {0, 3} → {2, 4} → 1, beside a value that leads in and is of no part.
    rows = TransitionMatrix.of(
        [
            [0, 0, "1/2", 0, "1/2", 0],
            ["1/2", 0, 0, "1/2", 0, 0],
            [0, 1, 0, 0, 0, 0],
            [0, 0, "1/3", 0, "2/3", 0],
            [0, 1, 0, 0, 0, 0],
            ["1/2", 0, 0, 0, 0, "1/2"],
        ]
    ).rows
    found = classes_of(rows)
    assert found.closed == ((0, 1, 2, 3, 4),)
    assert found.transient == (5,)
    assert cyclic_parts(rows, found.closed[0]) == ((0, 3), (2, 4), (1,))
    assert cyclic_parts(rows, (4, 3, 2, 1, 0)) == ((2, 4), (1,), (0, 3))


def test_parts_of_an_aperiodic_class_and_of_a_value_that_is_left_at_once():
    rows = TransitionMatrix.of([["1/2", 0, "1/2", 0], [0, 0, 0, 1], [1, 0, 0, 0], ["1/2", 0, "1/2", 0]]).rows
    assert cyclic_parts(rows, (2, 0)) == ((0, 2),)
    assert cyclic_parts(rows, (1,)) == ((1,),)
    assert classes_of(rows).transient == (1, 3)


def test_transient_values_of_classes_that_interleave():
    rows = TransitionMatrix.of([[0, 0, "1/2", "1/2"], [0, "1/2", 0, "1/2"], ["1/2", 0, 0, "1/2"], [0, 0, 0, 1]]).rows
    assert classes_of(rows).open == ((0, 2), (1,))
    assert classes_of(rows).transient == (0, 1, 2)


def test_the_parts_are_those_of_the_first_closed_class():
    first = TransitionMatrix.of([[1, 0, 0], [0, 0, 1], [0, 1, 0]])
    assert boundedness(first, parse_level("1")).parts == ((0,),)
    last = TransitionMatrix.of([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    assert boundedness(last, parse_level("1")).parts == ((0,), (1,))


@pytest.mark.parametrize("digits", [20, 60, 300])
def test_growth_is_decided_however_near_the_budget_is(digits):
    """A value kept with probability q grows from q = e^{−1/10} on, which no decimal is."""
    with localcontext() as context:
        context.prec = digits + 20
        critical = Decimal("-0.1").exp()
        below = Fraction(critical.quantize(Decimal(10) ** -digits, rounding="ROUND_FLOOR"))
    above = below + Fraction(1, 10**digits)
    for q, growing in ((below, None), (above, (0,))):
        assert boundedness(TransitionMatrix.of([[q, 1 - q], [0, 1]]), parse_level("1/10")).growing == growing


@pytest.mark.parametrize("epsilon", ["log({})", "{}"])
def test_growth_of_a_class_of_three(epsilon):
    """The block 1/4·[[1, 1, 1], [1, 1, 0], [1, 0, 1]] has ρ = (1 + √2)/4: critical at e^ε = 4(√2 − 1) = 1.6568…"""
    quarter = Fraction(1, 4)
    rows = [
        [quarter, quarter, quarter, quarter],
        [quarter, quarter, 0, HALF],
        [quarter, 0, quarter, HALF],
        [0, 0, 0, 1],
    ]
    low, high = ("1.65", "1.66") if "log" in epsilon else ("0.5049", "0.5050")
    for order in permutations(range(3)):
        turned = [[rows[a][b] for b in (*order, 3)] for a in (*order, 3)]
        matrix = TransitionMatrix.of(turned)
        assert boundedness(matrix, parse_level(epsilon.format(low))).growing is None
        assert boundedness(matrix, parse_level(epsilon.format(high))).growing == (0, 1, 2)


def test_the_sets_stand_in_the_order_of_the_releases():
    """Each ratio that a sweep ends with is what its sets, asked about in that order, attain."""
    steps = (THREE.rows, tuple(THREE.rows[a] for a in (1, 2, 0)), tuple(THREE.rows[a] for a in (2, 0, 1)), THREE.rows)
    ratios = [Fraction(2), Fraction(3, 2), Fraction(5, 4), Fraction(3)]
    orders = set()
    for reveals in (False, True):
        side = OneSide(steps, reveals=reveals)
        for pair in permutations(range(3), 2):
            found = worst(side, ratios, pair)
            sets, most = sweep(side, ratios, pair, found.ratio)
            assert most == 0
            assert found.ratio == likelihood_ratio(side, ratios, pair, sets) > 1
            orders.add(sets == tuple(reversed(sets)))
    assert False in orders


def test_what_a_release_that_tells_the_value_tells_most():
    """The greatest ratio of two entries of a column: in the first, in the second and in the last."""
    side = OneSide((THREE.rows,), reveals=True)
    ratios = {pair: worst(side, [Fraction(1)], pair).ratio for pair in permutations(range(3), 2)}
    for (j, k), ratio in ratios.items():
        assert ratio == max(p / q for p, q in zip(THREE.rows[j], THREE.rows[k], strict=True))
    assert {(0, 1): 3, (1, 0): 2, (2, 0): Fraction(18, 5)}.items() <= ratios.items()


def test_what_only_one_of_two_values_can_have_been_told_is_infinitely_likelier():
    rows = TransitionMatrix.of([[1, 0], [HALF, HALF]]).rows
    side = OneSide((rows,), reveals=True)
    assert likelihood_ratio(side, [Fraction(1)], (1, 0), (frozenset([1]),)) is None
    assert likelihood_ratio(side, [Fraction(1)], (0, 1), (frozenset([0]),)) == 2
    assert worst(side, [Fraction(1)], (1, 0)) is None


def test_a_release_that_tells_the_value_leaves_the_budgets_of_the_other_side_as_they_are():
    """TPL by the theorem: each side by itself, the later one by all pairs of sets, for the pair worst for both."""
    budgets = [INFINITE, *(Level.of_ratio(Fraction(p, q)) for p, q in ((3, 2), (4, 3), (2, 1), (7, 5)))]
    told = OneSide((THREE.rows, THREE.rows), reveals=True)
    best = max(
        worst(told, [Fraction(1), Fraction(3, 2)], pair).ratio * greatest_after(pair, Fraction(2), Fraction(7, 5))
        for pair in permutations(range(3), 2)
    )
    assert worst_case_leakage(budgets, THREE, THREE).tpl[2].ratio == Fraction(4, 3) * best


def greatest_after(pair, near, far):
    """Return the greatest ratio for a pair of values of what two releases after them say."""
    sets = [frozenset(a for a in range(3) if bits >> a & 1) for bits in range(8)]
    greatest = Fraction(1)
    for one in sets:
        for other in sets:
            f = [dot(row, [far if a in other else 1 for a in range(3)]) for row in THREE.rows]
            f = [near * value if a in one else value for a, value in enumerate(f)]
            greatest = max(greatest, dot(THREE.rows[pair[0]], f) / dot(THREE.rows[pair[1]], f))
    return greatest


def dot(row, values):
    return sum(p * value for p, value in zip(row, values, strict=True))
