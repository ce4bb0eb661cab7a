"""Certificates of the supremum of leakage over time, with a budget ε at every time: an upper bound, a lower one, none.

Made of what `reference.supremum` found, and untrusted, as those of `certificates`. The bounds are the supremum itself
where its ratio is rational, else decimals just above and just below it.
"""

from __future__ import annotations

from fractions import Fraction

from ..reference.errors import InvalidRequest
from ..reference.levels import Level
from ..reference.paper.loss import LossFunction
from ..reference.paper.supremum import Supremum, supremum
from .parts import (
    LONG,
    Bounds,
    Document,
    Unproved,
    between,
    check_digits,
    checked_bits,
    claim,
    exactly,
    is_plain,
    ratio_of,
    with_enough_digits,
    witness_fields,
)


def bounded_certificate(loss: LossFunction, epsilon: Level, digits: int = 17) -> Document:
    """Certify that BPL (or FPL) with budget epsilon at every time never exceeds its supremum, rounded up.

    Args: loss, L^B or L^F; epsilon of any kind. Returns: a `bounded` certificate; its level is the upper end of the
    enclosure of the supremum to these digits. Raises: InvalidRequest where there is no finite supremum, Undecided.
    """
    found = _finite(loss, epsilon, digits)

    def make(working: int) -> Document:
        bounds = _around(found.level, digits, working)
        upper = bounds.upper.level
        if isinstance(upper.ratio, Fraction):
            piece = loss.piece_at(upper)
            _, budget = _cautious(epsilon, working)
            if _after(upper.ratio, budget, piece.q, piece.d) > upper.ratio:
                raise Unproved
        return {
            **_question(loss, epsilon),
            "bound": bounds.upper.text,
            "level": claim(found.level, bounds.lower.level, upper, digits)["upper"],
        }

    return with_enough_digits("bounded", make, digits)


def bounded_below_certificate(loss: LossFunction, epsilon: Level, digits: int = 17) -> Document:
    """Certify that BPL (or FPL) with budget epsilon at every time comes as near as one likes to its supremum, or above.

    Args: loss, L^B or L^F; epsilon of any kind. Returns: a `bounded-below` certificate; its level is the lower end of
    the enclosure of the supremum to these digits. Raises: InvalidRequest where there is no finite supremum, Undecided.
    """
    found = _finite(loss, epsilon, digits)

    def make(working: int) -> Document:
        bounds = _around(found.level, digits, working)
        lower = bounds.lower.level
        if isinstance(lower.ratio, Fraction):
            budget, _ = _cautious(epsilon, working)
            if _after(lower.ratio, budget, found.q, found.d) < lower.ratio:
                raise Unproved
        return {
            **_question(loss, epsilon),
            **witness_fields(found.witness),
            "bound": bounds.lower.text,
            "level": claim(found.level, lower, bounds.upper.level, digits)["lower"],
        }

    return with_enough_digits("bounded-below", make, digits)


def divergent_certificate(loss: LossFunction, epsilon: Level, digits: int = 17) -> Document:
    """Certify that BPL (or FPL) with budget epsilon at every time has no bound.

    Args: loss, L^B or L^F; epsilon of any kind; digits, those that the checker begins with where e^ε is not rational.
    Returns: a `divergent` certificate. Raises: InvalidRequest where there is a finite supremum, Undecided.
    """
    check_digits(digits)
    found = supremum(loss, epsilon)
    if not found.level.is_infinite:
        raise InvalidRequest("the supremum is finite: there is a bound, certified by bounded, and no divergence")

    def make(working: int) -> Document:
        if not epsilon.is_infinite and found.q * _cautious(epsilon, working)[0] < 1:
            raise Unproved
        return {
            **_question(loss, epsilon),
            **witness_fields(None if epsilon.is_infinite else found.witness),
        }

    return with_enough_digits("divergent", make, digits)


def _question(loss: LossFunction, epsilon: Level) -> Document:
    return {"matrix": loss.matrix.texts(), "epsilon": epsilon.full_text()}


def _finite(loss: LossFunction, epsilon: Level, digits: int) -> Supremum:
    check_digits(digits)
    found = supremum(loss, epsilon)
    if found.level.is_infinite:
        raise InvalidRequest("the supremum is infinite: there is no bound, as divergent certifies")
    return found


def _around(level: Level, digits: int, working: int) -> Bounds:
    """Return bounds of the supremum, in fewer digits than the checker works with: a step from them leaves it room."""
    if is_plain(level):
        return exactly(level)
    return between(*ratio_of(level, working), max(digits, working // 2), LONG)


def _cautious(epsilon: Level, working: int) -> tuple[Fraction, Fraction]:
    """Return rationals around e^ε that are further apart than the checker's."""
    lower, upper = ratio_of(epsilon, working)
    slack = 0 if lower == upper else (upper - 1) / (1 << checked_bits(working) - 1)
    return lower - slack, upper + slack


def _after(ratio: Fraction, budget: Fraction, q: Fraction, d: Fraction) -> Fraction:
    """Return the ratio of the leakage one step later, if the point (q, d) rules."""
    return budget * (q * (ratio - 1) + 1) / (d * (ratio - 1) + 1)
