"""Schedules for a finite horizon: the greatest that keep α, by the recursion in mpmath and by what greatest means."""

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
from tploracle.reference.paper import horizons
from tploracle.reference.paper.horizons import greatest_schedule, keeps

from ... import in_mpmath, recursions
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
