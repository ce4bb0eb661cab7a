"""Budgets of dp_accounting and OpenDP: what their accountants say of one release, this profile says as well."""

from fractions import Fraction
from types import SimpleNamespace

import pytest
from dp_accounting import NeighboringRelation, dp_event, pld

import tploracle
from tploracle import from_dp_accounting, from_opendp
from tploracle.reference import (
    ApproximateBudget,
    ConcentratedBudget,
    GaussianBudget,
    InvalidNumber,
    InvalidRequest,
    Level,
    parse_level,
)

from ...matrices import SKEWED

F = Fraction
REPLACE_ONE, ADD_OR_REMOVE_ONE = NeighboringRelation.REPLACE_ONE, NeighboringRelation.ADD_OR_REMOVE_ONE


def ours(budgets, delta):
    """Return α at a δ of one release, whatever is correlated."""
    return tploracle.profile(budgets, backward=SKEWED).alpha(delta)


@pytest.mark.parametrize(
    ("event", "neighbours", "relation"),
    [
        pytest.param(dp_event.GaussianDpEvent(4.0), "replace", ADD_OR_REMOVE_ONE, marks=pytest.mark.slow),
        (dp_event.GaussianDpEvent(4.0), "add-remove", REPLACE_ONE),
        (dp_event.LaplaceDpEvent(4.0), "replace", ADD_OR_REMOVE_ONE),
        (dp_event.RandomizedResponseDpEvent(0.5, 4), "replace", REPLACE_ONE),
        (dp_event.RandomizedResponseDpEvent(0.5, 4), "add-remove", REPLACE_ONE),
        (dp_event.DiscreteLaplaceDpEvent(0.25, 2), "replace", ADD_OR_REMOVE_ONE),
    ],
)
def test_one_release_is_what_the_accountant_says(event, neighbours, relation):
    """The accountant is of the mechanism itself: equal for Gaussian noise, and never more than the ε of pure ones."""
    accountant = pld.PLDAccountant(neighboring_relation=relation)
    accountant.compose(event)
    told = F(accountant.get_epsilon(1e-5))
    found = ours(from_dp_accounting(event, neighbours), F(1, 10**5))
    low, high = (F(level.enclosure(12).lower) for level in (found.lower, found.upper))
    if isinstance(event, dp_event.GaussianDpEvent):
        assert abs(told / high - 1) < F(1, 500)
        assert abs(told / low - 1) < F(1, 500)
    else:
        assert high * F(99, 100) < told < high * F(1001, 1000)


def test_budgets_by_hand():
    def one(event, neighbours="add-remove"):
        (budget,) = from_dp_accounting(event, neighbours)
        return budget

    assert one(dp_event.GaussianDpEvent(2.5)) == GaussianBudget(F(5, 2), F(2))
    assert one(dp_event.LaplaceDpEvent(4.0)) == ApproximateBudget(parse_level("1/2"))
    assert one(dp_event.LaplaceDpEvent(4.0), "replace") == ApproximateBudget(parse_level("1/4"))
    assert one(dp_event.DiscreteLaplaceDpEvent(0.25, 2)) == ApproximateBudget(parse_level("1"))
    assert one(dp_event.ZCDpEvent(0.125)) == ConcentratedBudget(F(1, 2))
    assert one(dp_event.NoOpDpEvent()) == ApproximateBudget(Level.of(0))
    assert one(dp_event.NonPrivateDpEvent()).epsilon.is_infinite
    assert one(dp_event.RandomizedResponseDpEvent(0.5, 2)) == ApproximateBudget(parse_level("log(3)"))
    assert one(dp_event.RandomizedResponseDpEvent(0.0, 2)).epsilon.is_infinite
    both = dp_event.ComposedDpEvent([dp_event.NoOpDpEvent(), dp_event.SelfComposedDpEvent(dp_event.ZCDpEvent(0.5), 2)])
    assert from_dp_accounting(both, "replace") == [ApproximateBudget(Level.of(0)), *[ConcentratedBudget(F(1, 2))] * 2]


@pytest.mark.parametrize(
    ("event", "neighbours", "error", "said"),
    [
        (dp_event.PoissonSampledDpEvent(0.1, dp_event.GaussianDpEvent(1.0)), "replace", InvalidRequest, "is not read"),
        (dp_event.ZCDpEvent(0.1, 0.5), "replace", InvalidRequest, "xi = 0"),
        (dp_event.NoOpDpEvent(), "replace_one", InvalidRequest, "neighbours is 'replace' or 'add-remove'"),
        (dp_event.SelfComposedDpEvent(dp_event.NoOpDpEvent(), 10**6), "replace", InvalidRequest, "too large"),
        (dp_event.GaussianDpEvent(float("nan")), "replace", InvalidNumber, "no finite number"),
        (dp_event.LaplaceDpEvent(0.0), "replace", InvalidNumber, "not above 0"),
    ],
)
def test_refusals(event, neighbours, error, said):
    with pytest.raises(error, match=said):
        from_dp_accounting(event, neighbours)


def measurement(metric, measure, told):
    """Stand for a measurement of OpenDP 0.16, which is not among the dependencies."""
    return SimpleNamespace(input_metric=metric, output_measure=measure, map=told)


def test_opendp_is_asked_for_a_replacement():
    """Metrics, measures and the shapes of their maps are written as OpenDP writes them."""
    laplace = measurement("SymmetricDistance()", "MaxDivergence", lambda d_in: 0.125 * d_in)
    assert from_opendp(laplace) == ApproximateBudget(parse_level("1/4"))
    gaussian = measurement("InsertDeleteDistance()", "ZeroConcentratedDivergence", lambda d_in: 0.125 * d_in**2)
    assert from_opendp(gaussian) == ConcentratedBudget(F(1, 2))
    response = measurement("DiscreteDistance()", "MaxDivergence", lambda d_in: 1.5 * d_in)
    assert from_opendp(response) == ApproximateBudget(parse_level("3/2"))
    fixed = measurement("ChangeOneDistance()", "Approximate(MaxDivergence)", lambda d_in: (0.5 * d_in, 2.0**-20))
    assert from_opendp(fixed) == ApproximateBudget(parse_level("1/2"), F(1, 2**20))
    for metric, measure in (("L2Distance(f64)", "MaxDivergence"), ("HammingDistance()", "SmoothedMaxDivergence")):
        with pytest.raises(InvalidRequest, match=r"chain the measurement|is not read"):
            from_opendp(measurement(metric, measure, float))
