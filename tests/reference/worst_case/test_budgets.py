"""Budgets for a finite horizon: the greatest that keep α, by the recursion in mpmath and by what greatest means."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.reference import (
    INFINITE,
    ZERO,
    Adversary,
    InfeasibleBudget,
    InvalidRequest,
    Level,
    TransitionMatrix,
    Undecided,
    algorithm_7,
    algorithm_8,
    leakage,
    mean_noise,
    parse_level,
    strongest,
)
from tploracle.reference.worst_case import budgets as horizons
from tploracle.reference.worst_case.budgets import greatest_schedule, greatest_tight_budget, keeps

from ... import in_mpmath, recursions
from ...matrices import HALF
from ...profiles import examples
from ...strategies import matrices, of_one_size

MODERATE, THREE = of_one_size(
    TransitionMatrix.of([["4/5", "1/5"], ["0", "1"]]),
    TransitionMatrix.of([["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"], ["1/10", "1/2", "2/5"]]),
)
IDENTITY = Adversary.knowing(strongest(2), strongest(2))


def constant(alpha, adversary, horizon, **options):
    return greatest_schedule(alpha, [adversary], [Fraction(1)] * horizon, **options)


def worst_in_mpmath(matrices_of, schedule):
    """Return the worst TPL in nats, by all subsets of columns in mpmath."""
    points = [recursions.rounded(recursions.points(matrix)) for matrix in matrices_of]
    excesses = [mp.expm1(in_mpmath.mpf(level.rational)) for level in schedule]
    return mp.log1p(max(recursions.temporal(*points, excesses)))


@given(matrices(2, 3), matrices(2, 3), st.integers(1, 6), st.sampled_from(["1/10", "1", "7/3", "1e-9"]))
@examples(15)
def test_a_unit_more_leaks_too_much(backward, forward, horizon, text):
    alpha, digits = parse_level(text), 8
    weights = [Fraction(1 + place % 3, 2) for place in range(horizon)]
    adversary = Adversary.knowing(*of_one_size(backward, forward))
    found = greatest_schedule(alpha, [adversary], weights, digits)
    multiple = found[0].rational / weights[0]
    assert [level.rational for level in found] == [multiple * weight for weight in weights]
    with in_mpmath.precision(60):
        assert worst_in_mpmath((backward, forward), found) <= in_mpmath.mpf(alpha.rational) * (1 + mp.mpf(10) ** -50)
        more = [Level.of(level.rational * (1 + Fraction(1, 10 ** (digits - 1)))) for level in found]
        assert worst_in_mpmath((backward, forward), more) > in_mpmath.mpf(alpha.rational)
    written = Decimal(multiple.numerator) / Decimal(multiple.denominator)
    assert Fraction(written) == multiple
    assert len(written.normalize().as_tuple().digits) <= digits


@pytest.mark.parametrize("near", [0.0, 1e-3, 5.0, 1e300, *(f"{1 + part}" for part in (0, 3e-8, -3e-8, 1e-3, -1e-3))])
def test_a_guess_decides_nothing(near):
    """Guesses far off, and times so much of what is found: those have it on one side, or between them."""
    alpha, adversary = parse_level("1"), Adversary.knowing(THREE, MODERATE)
    found = constant(alpha, adversary, 5)
    guess = float(near) * float(found[0].rational) if isinstance(near, str) else near
    assert constant(alpha, adversary, 5, near=guess) == found


def test_digits_are_those_of_a_rounded_down_decimal():
    found = [constant(parse_level("1"), IDENTITY, 3, digits=digits)[0].rational for digits in (1, 2, 17)]
    assert found == [Fraction(3, 10), Fraction(33, 100), Fraction(33333333333333333, 10**17)]
    # 2.5 = 10/4 exactly, and a logarithm.
    assert constant(parse_level("10"), IDENTITY, 4)[0].rational == Fraction(5, 2)
    assert constant(parse_level("log(2)"), IDENTITY, 1, digits=5)[0].rational == Fraction("0.69314")


def test_nothing_known_leaves_alpha_to_every_release():
    assert constant(parse_level("3/4"), Adversary(), 5) == (parse_level("3/4"),) * 5


def test_it_is_at_least_what_is_shared_and_what_may_go_on_for_ever():
    alpha, adversary = parse_level("1"), Adversary.knowing(THREE, MODERATE)
    for horizon in (2, 5, 12):
        found = constant(alpha, adversary, horizon)
        assert found[0].rational >= Fraction(1, horizon)
        assert found[0] > algorithm_7(alpha, adversary)
        assert keeps(found, [adversary], alpha)
        assert keeps(found, [adversary, Adversary()], alpha)
        assert max(level.enclosure(30).upper for level in leakage(found, adversary).tpl) <= 1
        assert mean_noise(found, Fraction(1)).upper <= mean_noise([Level.of(Fraction(1, horizon))], Fraction(1)).upper
    assert not keeps(algorithm_8(parse_level("2"), adversary, 3), [adversary], alpha)


def test_every_adversary_counts():
    alpha, both = parse_level("1"), [Adversary.knowing(THREE, MODERATE), IDENTITY]
    assert greatest_schedule(alpha, both, [Fraction(1)] * 4) == (Level.of(Fraction(1, 4)),) * 4
    assert greatest_schedule(alpha, both[::-1], [Fraction(1)] * 4) == (Level.of(Fraction(1, 4)),) * 4


def test_an_order_that_is_not_decided_is_not_kept(monkeypatch):
    def undecided(*_):
        raise Undecided("no")

    monkeypatch.setattr(horizons, "leakage", undecided)
    assert not keeps([parse_level("1")], [Adversary()], parse_level("2"))


def test_what_is_refused():
    one = [Fraction(1)]
    for alpha, shape, error in (
        (ZERO, one, InfeasibleBudget),
        (INFINITE, one, InvalidRequest),
        (parse_level("1"), [], InvalidRequest),
        (parse_level("1"), [Fraction(1), Fraction(0)], InvalidRequest),
    ):
        with pytest.raises(error):
            greatest_schedule(alpha, [Adversary()], shape)


# By the tight bound


SWAP, MANY = TransitionMatrix.of([[0, 1], [1, 0]]), TransitionMatrix.of([["1/2", "1/2", 0], [0, 1, 0], [0, 0, 1]])
KEPT_LAST = TransitionMatrix.of([[0, "1/2", "1/2", 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 1, 0, 0]])
"""Two values after each other for ever, and two that lead there."""


@pytest.mark.parametrize(
    ("own", "alpha", "horizon", "ratio"),
    [
        ((HALF, None), "log(3)", 2, Fraction(2)),  # x·(x + 1)/2 = 3
        ((None, HALF), "log(3)", 2, Fraction(2)),
        ((HALF, None), "log(4)", 3, Fraction(2)),  # x·(x·(x + 1)/2 + 1)/2 = 4
        ((HALF, HALF), "log(9/2)", 3, Fraction(2)),  # x·((x + 1)/2)² = 9/2 in the middle
        ((HALF, None), "log(2)", None, Fraction(4, 3)),  # x/(2 − x) = 2
        ((HALF, HALF), "log(6)", None, Fraction(3, 2)),  # x/(2 − x)² = 6
        ((HALF, None), "log(5)", 1, Fraction(5)),
        ((None, None), "log(7)", None, Fraction(7)),
        ((None, None), "log(7)", 3, Fraction(7)),
        ((SWAP, None), "log(32)", 5, Fraction(2)),  # values that are never confused: the budgets add up
    ],
)
def test_the_greatest_tight_budget_rounded_down(own, alpha, horizon, ratio):
    """The exact one is log(ratio); to so many digits there is none between, and fewer digits are its first."""
    exact = Level.of_ratio(ratio).enclosure(30).lower
    for digits in (2, 9):
        found = greatest_tight_budget(parse_level(alpha), *own, horizon, digits).rational
        unit = Fraction(10) ** (exact.adjusted() + 1 - digits)
        assert found % unit == 0
        assert 0 <= Fraction(exact) - found < unit


def test_a_small_tight_budget_for_ever():
    """x/(2 − x) = e^α with α = 10^−6: x = 2e^α/(1 + e^α), so ε = α/2 − α²/8 + …"""
    found = greatest_tight_budget(parse_level("1e-6"), HALF, None, None, 5).rational
    assert found == Fraction("4.9999e-7")
    # A value that is all but kept: (1 − q)·x/(1 − q·x) = e with q = 0.9999, far below the level.
    kept = TransitionMatrix.of([["0.9999", "0.0001"], [0, 1]])
    found = greatest_tight_budget(parse_level("1"), kept, None, None, 4).rational
    with mp.workdps(30):
        exact = mp.log(mp.e / (mp.mpf("0.0001") + mp.mpf("0.9999") * mp.e))
    assert 0 <= exact - mp.mpf(found.numerator) / found.denominator < mp.mpf("1e-8")


def test_one_value_alone_leaves_any_tight_budget():
    alone = TransitionMatrix.of([[1]])
    for own in ((alone, None), (None, alone), (alone, alone)):
        assert greatest_tight_budget(parse_level("1"), *own, 3).is_infinite
        assert greatest_tight_budget(parse_level("1"), *own).is_infinite


@pytest.mark.parametrize(
    ("alpha", "own", "horizon", "error", "words"),
    [
        ("0", (HALF, None), 3, InfeasibleBudget, "0 leaves no budget"),
        ("0", (HALF, None), None, InfeasibleBudget, "0 leaves no budget"),
        ("0", (MANY, None), None, InfeasibleBudget, "0 leaves no budget"),
        ("1", (HALF, None), 0, InvalidRequest, "at least 1, not 0"),
        ("1", (HALF, MANY), 2, InvalidRequest, "2 states, the forward one 3"),
        ("1", (MANY, None), None, InfeasibleBudget, "the backward correlation has 2 closed classes,"),
        ("1", (None, MANY), None, InfeasibleBudget, "the forward correlation has 2 closed classes,"),
        ("1", (HALF, SWAP), None, InfeasibleBudget, "the forward correlation has a closed class of period 2,"),
        ("1", (KEPT_LAST, None), None, InfeasibleBudget, "the backward correlation has a closed class of period 2,"),
        ("inf", (HALF, None), 2, InvalidRequest, "an infinite level has no greatest budget"),
        ("inf", (SWAP, None), None, InvalidRequest, "an infinite level has no greatest budget"),
    ],
)
def test_tight_budgets_that_are_refused(alpha, own, horizon, error, words):
    with pytest.raises(error, match=words):
        greatest_tight_budget(parse_level(alpha), *own, horizon)


def test_a_horizon_of_one_is_no_refusal_and_nor_is_a_periodic_class_for_some_releases():
    assert greatest_tight_budget(parse_level("1"), SWAP, SWAP, 4, 3).rational == Fraction(1, 4)
    assert greatest_tight_budget(parse_level("1"), MANY, None, 1, 3).rational == 1
