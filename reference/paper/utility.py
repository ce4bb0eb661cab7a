"""What a schedule costs: the noise of the Laplace mechanism, Theorem 1, and Section 6.3, Figure 9 [fig:ex_utility]."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..decimals import Enclosure, outward
from ..errors import InvalidLevel, InvalidRequest
from ..levels import Budget, Level
from ..numbers import LONGEST_NUMBER, whole

COUNT_SENSITIVITY = Fraction(2)
"""Δ of counts per place where each person is in one place, Example 1: one person who moves changes two counts."""

GUARD_DIGITS = 3


def laplace_scale(epsilon: Level, sensitivity: Fraction, digits: int = 17) -> Enclosure:
    """Return the scale Δ/ε of the Laplace mechanism, which is also the expected absolute noise E|Lap(Δ/ε)|.

    Args:
        epsilon: the budget, positive, in nats.
        sensitivity: Δ > 0, in the units of the data.
        digits: how many significant ones the enclosure has.

    Returns: an enclosure; exact decimals where they end.
    Raises: InvalidLevel for a budget of 0; InvalidRequest for a sensitivity that is not positive, and for digits that
    are not from 1 to `LONGEST_NUMBER`.
    """
    return mean_noise([epsilon], sensitivity, digits)


def mean_noise(epsilons: Sequence[Level], sensitivity: Fraction, digits: int = 17) -> Enclosure:
    """Return the mean over time of the expected absolute noise Δ/ε_t of a schedule.

    Args:
        epsilons: the budgets, each positive, at least one, in nats.
        sensitivity: Δ > 0, in the units of the data.
        digits: how many significant ones the enclosure has.

    Returns: an enclosure, a few units of its last digit wide; exact decimals where every budget is rational and they
    end.
    Raises: as `laplace_scale`; InvalidRequest without a release.
    """
    digits = whole(digits, "digits", most=LONGEST_NUMBER)
    if sensitivity <= 0:
        raise InvalidRequest("the sensitivity is above 0")
    if not epsilons:
        raise InvalidRequest("there is no release: give at least one budget")
    known: dict[int, tuple[Fraction, Fraction]] = {}
    for epsilon in epsilons:
        if id(epsilon) not in known:
            known[id(epsilon)] = _inverse(epsilon, digits + GUARD_DIGITS)
    lower = sum((known[id(epsilon)][0] for epsilon in epsilons), Fraction(0))
    upper = sum((known[id(epsilon)][1] for epsilon in epsilons), Fraction(0))
    scale = sensitivity / len(epsilons)
    return outward(lower * scale, upper * scale, digits)


def _inverse(epsilon: Level, digits: int) -> tuple[Fraction, Fraction]:
    """Return rational bounds of 1/ε."""
    if epsilon.is_zero:
        raise InvalidLevel("a budget of 0 needs infinite noise")
    if epsilon.is_infinite:
        return Fraction(0), Fraction(0)
    if epsilon.rational is not None:
        return 1 / epsilon.rational, 1 / epsilon.rational
    enclosure = epsilon.enclosure(digits)
    return 1 / Fraction(enclosure.upper), 1 / Fraction(enclosure.lower)


def group_privacy(alpha: Level, horizon: int) -> Budget:
    """Return the budget of each release under group differential privacy: α/T, all T releases as one group.

    The baseline of Section 1: whatever the correlation, T releases of α/T leak at most α about any of them.

    Args:
        alpha: the level of all releases together, rational or ∞, in nats.
        horizon: the number of releases, T ≥ 1.

    Returns: the budget, exact.
    Raises: InvalidRequest for a horizon below 1; InvalidLevel where α is a logarithm, so that α/T has no exact form.
    """
    horizon = whole(horizon, "horizon")
    if alpha.is_infinite:
        return alpha.to_spend()
    if alpha.rational is None:
        raise InvalidLevel("α/T is exact for a rational level only: give α as a number, not as a logarithm")
    return Level.of(alpha.rational / horizon).to_spend()
