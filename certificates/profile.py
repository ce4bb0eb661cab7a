"""Certificates of a profile: a level at which no stream tells more than δ, and a test of a stream that tells as much.

Untrusted, as all certificates are until they are checked; each is put to the checker here, which says whether its
digits suffice.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations

from ..reference.correlations import TransitionMatrix
from ..reference.errors import InvalidRequest
from ..reference.levels import Level
from ..reference.worst_case.profile import ProfileTest
from ..reference.worst_case.profile_budgets import ApproximateBudget
from ..reference.worst_case.worst_profile import WorstProfile
from ..solvers.worst_case.leakage_profile import leakage_profile
from ..solvers.worst_case.profile_bounds import RankedPairs
from .checker import Rejected, check
from .parts import (
    CERTIFICATE_VERSION,
    GUARD,
    Document,
    Unproved,
    check_digits,
    checked_bits,
    number_text,
    with_enough_digits,
)
from .worst_case import BOTH_OCCUR, EVERY_STEP, check_finite

CAUSAL = "releases up to the time read no later values, or for a forward matrix those from it on no earlier ones"

MORE_DIGITS = 3
"""Multiple of the digits from which on a little more than δ is proved: δ is the chance that a value is told."""


class AskedProfile:
    """Releases of one (ε, δ), how many of them, and what δ is allowed; and the least level at which it is."""

    def __init__(
        self,
        matrix: TransitionMatrix,
        epsilon: Level,
        releases: int,
        delta: Fraction,
        delta_per_release: Fraction = Fraction(0),
    ) -> None:
        """Take what `leakage_profile` takes. Raises: InvalidRequest as it does; for a level of ∞, or surely 0."""
        check_finite([epsilon])
        if delta == 1 or (epsilon.is_zero and not delta_per_release):
            raise InvalidRequest("with δ = 1, or releases that tell nothing, there is nothing to certify")
        self.matrix, self.epsilon, self.releases = matrix, epsilon, releases
        self.delta, self.own = delta, delta_per_release
        found = leakage_profile(epsilon, releases, delta=delta, delta_per_release=self.own, backward=matrix)
        self.level = found.bpl[-1]
        if self.level.is_infinite:
            raise InvalidRequest("at this δ no finite level protects the value: there is nothing to certify")

    def document(self, *assumed: str) -> Document:
        """Return what both certificates repeat of the question, and what they assume."""
        return {
            "assumed": [EVERY_STEP, *assumed],
            "matrix": self.matrix.texts(),
            "epsilon": self.epsilon.full_text(),
            "delta_per_release": number_text(self.own),
            "releases": self.releases,
        }

    def moved(self, digits: int, up: bool) -> str:
        """Return the level, moved outward by two units in the last of the given digits."""
        ends = self.level.enclosure(digits)
        units = 2 * (Decimal(1).scaleb(ends.upper.adjusted() + 1 - digits) if ends.upper else 0)
        with localcontext(prec=digits + GUARD):
            return str(ends.upper + units if up else max(ends.lower - units, Decimal(0)))

    def test(self, alpha: str, bits: int) -> ProfileTest:
        """Return a test that tells much at a level."""
        low = Level.of_ratio(1 + self.epsilon.excess_bounds(bits)[0])
        budgets = [ApproximateBudget(low, self.own)] * self.releases
        pairs = list(permutations(range(self.matrix.n), 2))
        profile = WorstProfile(budgets, [self.matrix.rows] * (self.releases - 1), pairs, RankedPairs())
        found = profile.delta(Level.of_ratio(1 + Level.of(Fraction(alpha)).excess_bounds(bits)[0]))
        assert isinstance(found.test, ProfileTest), "rational budgets have a test"
        return found.test


def profile_upper_certificate(asked: AskedProfile, digits: int = 17) -> Document:
    """Certify that no stream of releases tells of the last value (of a forward matrix, of the first) more than δ at α.

    Returns: a `profile-upper` certificate; α is the least such level, rounded up to these digits; and δ too, where
    the chance that a value is told for certain is δ itself. Raises: InvalidRequest; Undecided.
    """
    check_digits(digits)

    def make(working: int) -> Document:
        delta = asked.delta
        if delta and working > MORE_DIGITS * digits:
            delta *= 1 + Fraction(1, 10**digits)
        alpha = asked.moved(digits, up=True)
        return {**asked.document(CAUSAL), "alpha": alpha, "delta": number_text(min(delta, Fraction(1)))}

    return _checked("profile-upper", make, digits)


def profile_lower_certificate(asked: AskedProfile, digits: int = 17) -> Document:
    """Certify that some stream of releases tells δ at α: by a set of outputs of it.

    Returns: a `profile-lower` certificate; α is the least level at which no stream does, rounded down to these digits.
    Raises: InvalidRequest, also where that level is 0; Undecided.
    """
    check_digits(digits)
    if asked.level.is_zero:
        raise InvalidRequest("the level is 0: no stream reveals as much as this δ")

    def make(working: int) -> Document:
        alpha = asked.moved(digits, up=False)
        test = asked.test(alpha, checked_bits(working))
        return {
            **asked.document(BOTH_OCCUR),
            "rows": [value + 1 for value in test.pair],
            "peaks": [[_short(x, working) for x in own] for own in test.peaks],
            "start": _short(test.start, working),
            "alpha": alpha,
            "delta": number_text(asked.delta),
        }

    return _checked("profile-lower", make, digits)


def _short(chance: Fraction, digits: int) -> str:
    """Return a probability, rounded down: another test, of much the same chances."""
    unit = 10 ** (digits + 2 * GUARD)
    return number_text(Fraction(chance * unit // 1, unit))


def _checked(kind: str, make: Callable[[int], Document], digits: int) -> Document:
    """Return the certificate with the fewest digits with which the checker accepts it."""

    def proved(working: int) -> Document:
        made = make(working)
        try:
            check(json.dumps({"certificate": kind, "version": CERTIFICATE_VERSION, "digits": working, **made}))
        except Rejected:
            raise Unproved from None
        return made

    return with_enough_digits(kind, proved, digits)
