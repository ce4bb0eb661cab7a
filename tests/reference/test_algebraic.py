"""The exact comparison: levels that are equal by construction, in many ways, and levels that hardly differ."""

from fractions import Fraction
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.reference import ZERO, Adversary, Level, TransitionMatrix, Undecided, leakage, loss_function
from tploracle.reference.algebraic import Field
from tploracle.reference.paper.allocation import budgets
from tploracle.reference.paper.leakage import apply
from tploracle.reference.paper.supremum import candidate, control, supremum
from tploracle.reference.surds import square_root, surd
from tploracle.reference.worst_case.leakage import worst_case_leakage

from ..profiles import examples

TINY = Level.of_ratio(1 + Fraction(1, 10**40))
KINDS = ("rational", "double", "ratio", "surd", "piece", "sum", "budget", "supremum", "half")


def fraction(random, most=20):
    """A fraction in (0, 1)."""
    below = random.randint(2, most)
    return Fraction(random.randint(1, below - 1), below)


def piece(random):
    """Numbers q > d of a piece of a loss function, d = 0 among them."""
    d, q = sorted((fraction(random), fraction(random) / 2))
    return (q, random.choice([d, Fraction(0)])) if q > d else (q, Fraction(0))


def matrix(random, n=2):
    """A stochastic matrix without zeros, so that no two rows have disjoint supports."""
    rows = [[random.randint(1, 9) for _ in range(n)] for _ in range(n)]
    return TransitionMatrix.of([[Fraction(p, sum(row)) for p in row] for row in rows])


def adversary(random):
    return Adversary.knowing(matrix(random), random.choice([None, matrix(random)]))


def level(random, kinds=KINDS):
    """A level of any kind that this project makes, of a size that is spent."""
    match random.choice(kinds):
        case "rational":
            return Level.of(fraction(random) * random.choice([1, 3, Fraction(1, 10**9)]))
        case "double":
            return Level.of(Fraction(random.random() + 2.0**-20))
        case "ratio":
            return Level.of_ratio(1 + fraction(random) * 2)
        case "surd":
            return Level.of_ratio(surd(1 + fraction(random), fraction(random), random.choice([2, 3, 5, 6, 33])))
        case "piece":
            return level(random, KINDS[:4]).linear_fractional(*piece(random))
        case "sum":
            return level(random, KINDS[:5]) + level(random, KINDS[:5])
        case "budget":
            found = budgets(level(random, KINDS[:4]), adversary(random))
            return random.choice([found.first, found.middle, found.last])
        case "supremum":
            found = candidate(*piece(random), level(random, KINDS[:4]) * Fraction(1, 8))
            return level(random, KINDS[:4]) if found.is_infinite else found
        case "half":
            return level(random, KINDS[:5]) * Fraction(1, random.choice([2, 3]))


def sum_less_a_term(random):
    x, y = level(random), level(random)
    return (x + y) - y, x


def differences_that_meet(random):
    x, y, z = sorted((level(random), level(random), level(random)), reverse=True)
    return (x - y) + (y - z), x - z


def pieces_composed(random):
    """E ↦ a·E/(d·E + 1), a = q − d, twice is a·a'·E/((d + d'·a)·E + 1)."""
    x, (q, d), (q_then, d_then) = level(random), piece(random), piece(random)
    whole = d + d_then * (q - d)
    return x.linear_fractional(q, d).linear_fractional(q_then, d_then), x.linear_fractional(
        (q - d) * (q_then - d_then) + whole, whole
    )


def iteration_in_steps(random):
    x, epsilon, (q, d) = level(random), level(random), piece(random)
    first, second = random.randint(0, 6), random.randint(0, 6)
    steps = x
    for _ in range(first):
        steps = steps.linear_fractional(q, d) + epsilon
    return steps.iterated(epsilon, q, d, second), x.iterated(epsilon, q, d, first + second)


def roots_multiplied(random):
    """√m·√n = √(m·n) of any numbers, with a piece on top."""
    radicands = [1 + fraction(random) * random.randint(1, 50) for _ in range(random.randint(2, 4))]
    product = reduce(lambda x, y: x * y, radicands)
    q, d = piece(random)
    total = sum((Level.of_ratio(square_root(own)) for own in radicands), ZERO)
    return total.linear_fractional(q, d), Level.of_ratio(square_root(product)).linear_fractional(q, d)


def roots_within_roots(random):
    """x = e^α solves d·X² + (1 + d − q)·X − …: with a perfect square below the root it is no root at all.

    (1 + √n)² = 1 + n + 2√n, and half its level is that of 1 + √n.
    """
    n, y = Fraction(random.randint(2, 50)), level(random, KINDS[:5])
    root = square_root(n)
    return Level.of_ratio(1 + n + 2 * root) * Fraction(1, 2) + y, y + Level.of_ratio(1 + root)


def parts_of_a_level(random):
    x, n = level(random, KINDS[:6]), random.choice([2, 3, 4])
    part = x * Fraction(1, n)
    if random.random() < 0.5:
        return sum([part] * n, ZERO), x
    return part * Fraction(1, 2), x * Fraction(1, 2 * n)


def budgets_that_keep_a_level(random):
    alpha, own = level(random, KINDS[:6]), adversary(random)
    horizon = random.choice([*range(2, 8), 1000])
    return random.choice(leakage(budgets(alpha, own).quantified(horizon), own).tpl), alpha


def supremum_that_stays(random):
    loss, epsilon = loss_function(matrix(random, random.choice([2, 3]))), level(random, KINDS[:4]) * Fraction(1, 8)
    stays = supremum(loss, epsilon).level
    if stays.is_infinite:
        return supremum_that_stays(random)
    return loss(stays) + epsilon, stays


def control_that_reaches_a_cap(random):
    loss = loss_function(matrix(random, random.choice([2, 3])))
    previous, more = level(random), level(random)
    cap = apply(loss, previous) + more if random.random() < 0.5 else previous + more
    return apply(loss, previous) + control(loss, previous, cap), cap


def worst_case_of_a_value_in_parts(random):
    """A value that is two values, alike in all that follows, is one."""
    epsilons, own = [level(random, KINDS[:5]) for _ in range(random.randint(2, 4))], matrix(random)
    part = fraction(random)
    parts = TransitionMatrix.of([[p, part * q, (1 - part) * q] for p, q in (own.rows[0], own.rows[1], own.rows[1])])
    one, other = (worst_case_leakage(epsilons, each, each).tpl[-1] for each in (own, parts))
    return one, other


WAYS = [
    sum_less_a_term,
    differences_that_meet,
    pieces_composed,
    iteration_in_steps,
    roots_multiplied,
    roots_within_roots,
    parts_of_a_level,
    budgets_that_keep_a_level,
    supremum_that_stays,
    control_that_reaches_a_cap,
    worst_case_of_a_value_in_parts,
]


def check(way, random):
    """Equal, and with 10^−40 more on either side not."""
    one, other = way(random)
    assert one == other
    assert one <= other <= one
    assert other + TINY > one
    assert one + TINY > other
    assert hash(one) == hash(other)


@examples(40)
@given(st.sampled_from(WAYS), st.randoms(use_true_random=False))
def test_levels_that_are_equal_by_construction(way, random):
    check(way, random)


@examples(40)
@given(st.randoms(use_true_random=False))
def test_a_level_that_is_a_double_is_rounded_to_it(random):
    """TPL under the budgets that keep a level is that level, which no number of digits shows."""
    alpha, own = Level.of(Fraction(random.random() + 2.0**-20)), adversary(random)
    for attained in leakage(budgets(alpha, own).quantified(3), own).tpl:
        assert float(attained) == float(attained.to_spend()) == alpha.rational
        assert round(attained, 80) == round(attained.to_spend(), 80) == alpha.rational


@examples(20)
@given(st.randoms(use_true_random=False))
def test_ratios_are_found_within_formulas(random):
    """(x + y) − y has the ratio of x, whatever y is made of."""
    x, y = level(random, ["ratio", "surd"]), level(random)
    assert ((x + y) - y).ratio == x.ratio
    assert ((y + y) - y).ratio == y.ratio


def test_long_iterations_are_compared_by_their_steps():
    start, epsilon, q, d = Level.of(2), Level.of(Fraction(1, 10)), Fraction(2, 3), Fraction(1, 5)
    many = start.iterated(epsilon, q, d, 9_000)
    assert many == start.iterated(epsilon, q, d, 8_999).linear_fractional(q, d) + epsilon
    assert many < start.iterated(epsilon, q, d, 8).linear_fractional(q, d) + epsilon


def test_steps_that_come_to_the_same_number_again_are_computed_once():
    """Each of 999 steps would turn the signs of numerator and denominator, and cost as much as the first."""
    alpha = Level.of_ratio(surd(Fraction(23, 13), Fraction(4, 7), 33))
    rows = ["4/7", "3/7"]
    own = Adversary.knowing(*(TransitionMatrix.of([other, rows]) for other in (["1/9", "8/9"], ["1/4", "3/4"])))
    assert leakage(budgets(alpha, own).quantified(1000), own).tpl[500] == alpha


def test_what_is_known_by_enclosures_only_is_equal_by_form_or_undecided():
    """Powers of a level with great numerators are left unknown: x·13/14 twice is x·13/7, and no more is known of it."""
    x, y = Level.of(1).linear_fractional(Fraction(1, 2), Fraction(1, 7)), Level.of_ratio(3)
    part = x * Fraction(13, 14)
    assert (part + y) - y == part
    with pytest.raises(Undecided, match="known by enclosures only"):
        part + part == x * Fraction(13, 7)  # noqa: B015
    assert part + part < x * Fraction(13, 7) + TINY


def test_more_roots_than_are_followed_are_undecided():
    roots = [Level.of_ratio(square_root(Fraction(n))) for n in (2, 3, 5, 7, 11, 13, 17, 19, 23)]
    product = Level.of_ratio(square_root(Fraction(2 * 3 * 5 * 7 * 11 * 13 * 17 * 19)))
    assert sum(roots[:8], ZERO) == product
    with pytest.raises(Undecided, match="roots occur"):
        sum(roots, ZERO) == product + roots[-1] * Fraction(1, 3) * 3  # noqa: B015


def test_roots_that_hardly_differ_are_told_apart():
    """By less than the balls of 4,096 bits show, once all roots are eliminated."""
    two, three, six = (Level.of_ratio(square_root(Fraction(n))) for n in (2, 3, 6))
    more = six + Level.of_ratio(1 + Fraction(1, 10**2000))
    assert (two + three).compare(more) == -1
    assert more.compare(two + three) == 1


def test_a_root_of_a_square_is_above_zero():
    """√((1 − e)²) = e − 1."""
    e = Field(Fraction(1)).exponential(Fraction(1))
    assert (((1 - e) * (1 - e)).root(2) - (e - 1)).sign() == 0


def test_powers_of_e_without_a_small_unit_are_related():
    """E^1 times e^(10^−9) is e^(1 + 10^−9), though each is a variable of its own."""
    little = Fraction(1, 10**9)
    one, other, both = map(Field(little).exponential, (Fraction(1), little, 1 + little))
    assert (one * other - both).sign() == 0
    assert (one * other * other - both).sign() == 1
