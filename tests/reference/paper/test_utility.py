"""What schedules cost: by hand where budgets are rational, in mpmath elsewhere."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.reference import (
    COUNT_SENSITIVITY,
    INFINITE,
    ZERO,
    Adversary,
    InvalidLevel,
    InvalidRequest,
    Level,
    composition,
    group_privacy,
    laplace_scale,
    leakage,
    mean_noise,
    strongest,
)

from ...in_mpmath import alpha_of, fraction, mpf, precision
from ...strategies import ratio_levels, rational_alphas, rational_levels, surd_levels

POSITIVE = st.one_of(ratio_levels(), rational_levels(), surd_levels())
SENSITIVITIES = st.fractions(0, 100, max_denominator=30).filter(lambda value: value > 0)
DIGITS = st.sampled_from([1, 2, 5, 17, 40])


def assert_narrow(enclosure, truth, digits):
    """Assert that the enclosure holds the number and is a few units of its last digit wide."""
    lower, upper = Fraction(enclosure.lower), Fraction(enclosure.upper)
    slack = truth / 10 ** (digits + 30)
    assert lower - slack <= truth <= upper + slack
    assert upper - lower <= 3 * Fraction(10) ** (enclosure.upper.adjusted() + 1 - digits)


@given(POSITIVE, SENSITIVITIES, DIGITS)
def test_the_scale_in_mpmath(epsilon, sensitivity, digits):
    with precision(digits):
        assert_narrow(
            laplace_scale(epsilon, sensitivity, digits), fraction(mpf(sensitivity) / alpha_of(epsilon)), digits
        )


@given(st.lists(POSITIVE, min_size=1, max_size=5), SENSITIVITIES, DIGITS)
def test_the_mean_in_mpmath(epsilons, sensitivity, digits):
    with precision(digits):
        value = mp.fsum(mpf(sensitivity) / alpha_of(epsilon) for epsilon in epsilons) / len(epsilons)
        assert_narrow(mean_noise(epsilons, sensitivity, digits), fraction(value), digits)


@given(st.lists(rational_alphas(), min_size=1, max_size=4), SENSITIVITIES, DIGITS)
def test_rational_budgets_by_fractions(alphas, sensitivity, digits):
    exact = sum((sensitivity / alpha for alpha in alphas), Fraction(0)) / len(alphas)
    found = mean_noise([Level.of(alpha) for alpha in alphas], sensitivity, digits)
    assert exact in found
    width = Fraction(found.upper) - Fraction(found.lower)
    assert width <= Fraction(10) ** (found.upper.adjusted() + 1 - digits)
    if digits == 40 and exact.denominator in (1, 2, 4, 5, 8, 10) and exact < 10**30:
        assert width == 0


def test_by_hand():
    """2/0.1 = 20; the mean of 2/0.1 and 2/0.5 is (20 + 4)/2 = 12; of 1/1, 1/2, 1/4: 7/3."""
    assert laplace_scale(Level.of(Fraction(1, 10)), Fraction(2)).lower == 20
    assert laplace_scale(Level.of(Fraction(1, 10)), Fraction(2)).upper == 20
    both = mean_noise([Level.of(Fraction(1, 10)), Level.of(Fraction(1, 2))], Fraction(2))
    assert both.lower == both.upper == 12
    third = mean_noise([Level.of(1), Level.of(2), Level.of(4)], Fraction(4), 5)
    assert (third.lower, third.upper) == (Decimal("2.3333"), Decimal("2.3334"))
    # 1/log 2 = 1.442695…
    found = laplace_scale(Level.of_ratio(2), Fraction(1), 7)
    assert (found.lower, found.upper) == (Decimal("1.442695"), Decimal("1.442696"))
    assert len(str(laplace_scale(Level.of_ratio(2), Fraction(1)).lower).replace(".", "")) == 17


def test_the_bounds_are_on_their_sides():
    """Sensitivities just below and just above log 2, so that the scale Δ/log 2 is 1 less or more than 10^−40."""
    with mp.workdps(100):
        scaled = int(mp.floor(mp.log(2) * mp.mpf(10) ** 40))
    below = laplace_scale(Level.of_ratio(2), Fraction(scaled, 10**40), 5)
    above = laplace_scale(Level.of_ratio(2), Fraction(scaled + 1, 10**40), 5)
    assert below.lower < 1 <= below.upper
    assert above.lower <= 1 < above.upper


def test_the_sensitivity_of_counts():
    """Example 1 by its definition: one person moves among three places; counts change by 2 in L1 norm at most."""
    places = range(3)
    counts = [[int(place == at) for place in places] for at in places]
    greatest = max(sum(abs(a - b) for a, b in zip(one, other, strict=True)) for one in counts for other in counts)
    assert greatest == COUNT_SENSITIVITY


def test_the_same_budget_again_counts_again():
    tenth, half = Level.of(Fraction(1, 10)), Level.of(Fraction(1, 2))
    assert mean_noise([tenth, tenth, tenth, half], Fraction(1)).lower == 8
    assert mean_noise([tenth, Level.of(Fraction(1, 10)), tenth, half], Fraction(1)).lower == 8


def test_an_infinite_budget_needs_no_noise():
    assert laplace_scale(INFINITE, Fraction(2)).upper == 0
    assert mean_noise([INFINITE, Level.of(1)], Fraction(2)).upper == 1


@pytest.mark.parametrize("digits", [0, -1, 100_001, 2.5, True, "3"])
def test_digits_that_are_none(digits):
    with pytest.raises(InvalidRequest, match="digits is"):
        laplace_scale(Level.of(1), Fraction(1), digits)


@pytest.mark.slow
def test_as_many_digits_as_a_number_may_have():
    found = laplace_scale(Level.of_ratio(Fraction(2)), Fraction(1), 100_000)
    assert 0 < Fraction(found.upper) - Fraction(found.lower) <= Fraction(3, 10**99_999)


def test_errors():
    with pytest.raises(InvalidLevel, match="budget of 0"):
        laplace_scale(ZERO, Fraction(2))
    with pytest.raises(InvalidLevel, match="budget of 0"):
        mean_noise([Level.of(1), ZERO], Fraction(2))
    for sensitivity in (Fraction(0), Fraction(-1)):
        with pytest.raises(InvalidRequest, match="sensitivity"):
            laplace_scale(Level.of(1), sensitivity)
    with pytest.raises(InvalidRequest, match="no release"):
        mean_noise([], Fraction(1))


@given(rational_alphas(), st.integers(1, 20))
def test_group_privacy_adds_up(alpha, horizon):
    budget = group_privacy(Level.of(alpha), horizon)
    assert budget.rational * horizon == alpha
    epsilons = [budget] * horizon
    # The strongest correlation makes every single release leak all that they leak together, and no more than α.
    own = leakage(epsilons, Adversary.knowing(strongest(2), strongest(2)))
    assert all(tpl.rational == alpha for tpl in own.tpl)
    assert composition(own, epsilons, 1, horizon).rational == alpha


@pytest.mark.parametrize("horizon", [0, -1])
def test_a_group_of_no_releases(horizon):
    with pytest.raises(InvalidRequest):
        group_privacy(Level.of(1), horizon)


def test_a_group_without_privacy():
    assert group_privacy(INFINITE, 3).is_infinite
