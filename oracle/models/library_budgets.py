"""Budgets of releases as dp_accounting and OpenDP have them, under replacement of one value.

An event of dp_accounting says of its noise how it compares with the norm of one record's values, so with what a record
that is added or removed moves; its accountants read an event under REPLACE_ONE in two ways. So it is asked here what
the event is about. A measurement of OpenDP is asked itself, for the distance of a replacement in its metric.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ..reference import (
    INFINITE,
    ApproximateBudget,
    ConcentratedBudget,
    GaussianBudget,
    InvalidNumber,
    InvalidRequest,
    Level,
    PrivacyBudget,
)
from .neighbours import NEIGHBOUR_KINDS, Neighbours

MOST_EVENTS = 100_000
"""Releases of one composition."""

REPLACEMENT_DISTANCES = {
    "SymmetricDistance()": 2,
    "InsertDeleteDistance()": 2,
    "ChangeOneDistance()": 1,
    "HammingDistance()": 1,
    "DiscreteDistance()": 1,
}
"""How far two data sets of OpenDP are apart that differ in one record's values, by their metric."""


def from_dp_accounting(event: Any, neighbours: str) -> list[PrivacyBudget]:
    """Return the budget of each release of an event of dp_accounting; a composition is a release at each time.

    Args:
        event: a `DpEvent`: Gaussian, Laplace, DiscreteLaplace, ZCDp, RandomizedResponse, NoOp, NonPrivate, or a
            Composed or SelfComposed one of these.
        neighbours: what its noise, ε or ρ is about: "add-remove" where norms of one record's values bound it, as the
            documentation of dp_accounting says, "replace" where it is already about a value replaced.

    Returns: budgets under replacement, of the exact values of its doubles: for `tploracle.profile`.
    Raises: InvalidRequest for other events, whose budgets need records that are independent, or have no rule here;
    InvalidNumber for noise that is none.

    >>> from dp_accounting import dp_event
    >>> from_dp_accounting(dp_event.SelfComposedDpEvent(dp_event.GaussianDpEvent(10.0), 2), "add-remove")[1].mu
    Fraction(1, 5)
    """
    if neighbours not in NEIGHBOUR_KINDS:
        raise InvalidRequest(f"neighbours is {' or '.join(map(repr, NEIGHBOUR_KINDS))}, not {neighbours!r}")
    kind = type(event).__name__.removesuffix("DpEvent")
    if kind == "Composed":
        return [own for each in event.events for own in from_dp_accounting(each, neighbours)]
    if kind == "SelfComposed":
        once = from_dp_accounting(event.event, neighbours)
        count = int(event.count)
        if count * len(once) > MOST_EVENTS:
            raise InvalidRequest(f"too large: a composition of more than {MOST_EVENTS:,} releases")
        return once * count
    if kind == "RandomizedResponse":
        return [_randomized(_exact(event.noise_parameter, "noise_parameter"), event.num_buckets)]
    if kind not in _EVENTS:
        raise InvalidRequest(
            f"{type(event).__name__} is not read: of what is sampled or selected give the (ε, δ) or ρ that one release "
            "has for the value of one person, whatever the others are"
        )
    return [Neighbours(neighbours).replaced(_EVENTS[kind](event))]


def from_opendp(measurement: Any) -> PrivacyBudget:
    """Return the budget of a measurement of OpenDP where one record's value is replaced: its map at that distance.

    Args:
        measurement: with the symmetric, insert-delete, change-one, Hamming or discrete distance for its input, and
            the maximal or zero-concentrated divergence, or the first of them approximate.

    Returns: ε, ρ or (ε, δ), of the exact values of the doubles that the map gives. Raises: InvalidRequest for other
    metrics and measures: for distances between answers put the transformation before the measurement.

    >>> from types import SimpleNamespace
    >>> measurement = SimpleNamespace(  # in place of one of OpenDP
    ...     input_metric="ChangeOneDistance()", output_measure="MaxDivergence", map=lambda distance: 0.25 * distance
    ... )
    >>> from_opendp(measurement).epsilon
    <Level 1/4>
    """
    if not hasattr(measurement, "input_metric"):
        raise InvalidRequest(f"this is not a measurement of OpenDP, but a {type(measurement).__name__}")
    metric, measure = str(measurement.input_metric), str(measurement.output_measure)
    if metric not in REPLACEMENT_DISTANCES:
        raise InvalidRequest(f"{metric} is not between data sets: chain the measurement to what it is applied to")
    told = measurement.map(REPLACEMENT_DISTANCES[metric])
    if measure == "MaxDivergence":
        return ApproximateBudget(Level.of(_exact(told, "ε")))
    if measure == "ZeroConcentratedDivergence":
        return ConcentratedBudget(_exact(told, "ρ"))
    if measure == "Approximate(MaxDivergence)":
        return ApproximateBudget(Level.of(_exact(told[0], "ε")), _exact(told[1], "δ"))
    raise InvalidRequest(f"{measure} is not read: convert it to (ε, δ) at a fixed δ, as by make_fix_delta")


def _randomized(noise: Fraction, buckets: int) -> PrivacyBudget:
    """Return ε of randomized response: the odds are 1 − p + p/k against p/k. Always of a value replaced."""
    if not noise:
        return ApproximateBudget(INFINITE)
    return ApproximateBudget(Level.of_ratio(1 + buckets * (1 - noise) / noise))


def _concentrated(event: Any) -> PrivacyBudget:
    if event.xi:
        raise InvalidRequest("ZCDpEvent is read with xi = 0 alone")
    return ConcentratedBudget(_exact(event.rho, "rho"))


_EVENTS: dict[str, Callable[[Any], PrivacyBudget]] = {
    "Gaussian": lambda event: GaussianBudget(_exact(event.noise_multiplier, "noise_multiplier")),
    "Laplace": lambda event: ApproximateBudget(Level.of(1 / _positive(event.noise_multiplier, "noise_multiplier"))),
    "DiscreteLaplace": lambda event: ApproximateBudget(
        Level.of(_positive(event.noise_parameter, "noise_parameter") * _positive(event.sensitivity, "sensitivity"))
    ),
    "ZC": _concentrated,
    "NoOp": lambda _event: ApproximateBudget(Level.of(0)),
    "NonPrivate": lambda _event: ApproximateBudget(INFINITE),
}


def _exact(double: float, name: str) -> Fraction:
    try:
        return Fraction(double)
    except (ValueError, OverflowError, TypeError):
        raise InvalidNumber(f"{name}: {double!r} is no finite number") from None


def _positive(double: float, name: str) -> Fraction:
    found = _exact(double, name)
    if found <= 0:
        raise InvalidNumber(f"{name}: {double!r} is not above 0")
    return found
