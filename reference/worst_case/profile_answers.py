"""δ at an α and α at a δ, over all pairs of values: exact, or between a bound and what a private test attains."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from math import prod

from ..correlations import Row
from ..decimals import Enclosure, outward
from ..errors import InvalidLevel, InvalidRequest
from ..levels import INFINITE, ZERO, Level
from ..surds import bits as bits_of
from .profile import ProfileSide, ProfileTest
from .sweep import ValuePair
from .trade_off import ZERO_CHANCE, TradeOff
from .two_sided_profile import TwoSidedTest, TwoSides

USUAL_BITS = 96

SLACK_BITS = 24
"""An α that rises by less than 2^−(bits − 24) of e^α is taken for attained; whether it is, is then looked at."""

MOST_ROUNDS = 200
"""Tests that are tried for bounds of an α; for the exact one as many as it takes, each less likely under k."""

Ranked = Iterable[tuple[float | Fraction | None, ValuePair]]
"""Pairs of values, each with what its δ at most is, None where that is not known, the greatest first."""

Test = ProfileTest | TwoSidedTest

Sides = ProfileSide | TwoSides
"""The φ for which a test is private, and the matrices."""

NearestRelease = tuple[TradeOff, Sequence[Row]]
"""φ of the release next to a time, and the matrix from the time to it."""

Attaining = tuple[Test, tuple[Fraction, Fraction], Sides]
"""A test of a private stream, its chances under j (at least) and under k (at most), and its φ."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """An upper bound of δ of a pair at one α, and a test of some side that has it, private or not.

    With its chances p (at least) and q (at most) p − e^α·q is at most the bound at every α, and equal to it at this one
    but for rounding.
    """

    delta: Fraction
    test: ProfileTest
    side: ProfileSide


@dataclass(frozen=True, slots=True)
class WorstDelta:
    """δ(α): lower ≤ δ ≤ upper, equal where it is exact; and a test that attains the lower one, where there is any.

    sides: the φ for which the test is private, none of them above those of the releases, and the matrices.
    """

    lower: Fraction
    upper: Fraction
    test: Test | None = None
    sides: Sides | None = None

    def enclosure(self, digits: int = 17) -> Enclosure:
        """Return two decimals that enclose δ, rounded outward.

        Args:
            digits: significant digits of the upper bound.
        """
        return outward(self.lower, self.upper, digits)


@dataclass(frozen=True, slots=True)
class WorstAlpha:
    """The least α with δ(α) at most some δ: lower ≤ α ≤ upper, equal where it is exact; ∞ where there is none."""

    lower: Level
    upper: Level

    def enclosure(self, digits: int = 17) -> Enclosure:
        """Return two decimals that enclose α in nats, rounded outward.

        Args:
            digits: significant digits of each bound.
        """
        return Enclosure(self.lower.enclosure(digits).lower, self.upper.enclosure(digits).upper)


class Profile(ABC):
    """What releases tell of a value, from bounds of pairs of values and tests of private streams."""

    def __init__(self, pairs: Sequence[ValuePair], bits: int) -> None:
        """Take the pairs of values that the time can have, and the working precision where no answer is exact."""
        self._pairs, self._precision = pairs, bits

    @property
    @abstractmethod
    def is_exact(self) -> bool:
        """Whether bounds of δ at a rational e^α are exact: all φ are piecewise linear with rational kinks, all kept."""

    @property
    @abstractmethod
    def attains(self) -> bool:
        """Whether the bound of a pair is known to be attained."""

    @abstractmethod
    def _ranked(self, odds: Fraction) -> Ranked:
        """Return the pairs as a ranking does."""

    @abstractmethod
    def _bound(self, odds: Fraction, pair: ValuePair, bits: int | None, least: Fraction | None) -> Bounded:
        """Return an upper bound of δ of a pair; need not be a good one where it is at most `least`."""

    @abstractmethod
    def _private(self, odds: Fraction, pair: ValuePair, bits: int | None) -> Iterator[Attaining]:
        """Yield tests of private streams."""

    @abstractmethod
    def _nearest(self) -> Iterator[tuple[TradeOff, Sequence[NearestRelease]]]:
        """Yield φ_t and the nearest release of each side where there is any: from below, then from above."""

    @abstractmethod
    def _finest(self) -> tuple[int, Fraction]:
        """Return how many steps there are, and the least point above 0."""

    def delta(self, alpha: Level) -> WorstDelta:
        """Return δ(α), the greatest over all pairs of values.

        Args:
            alpha: a finite level, in nats.

        Returns: exactly δ where e^α, all e^ε and δ_s are rational and the φ commute; else bounds: the upper one by
        theorem (profile), the lower one of a test, multiplied out. Raises: InvalidLevel for ∞; InvalidRequest.
        """
        if alpha.is_infinite:
            raise InvalidLevel("α must be finite where δ is asked for")
        if not self._pairs:
            return WorstDelta(ZERO_CHANCE, ZERO_CHANCE)
        low, high = (1 + excess for excess in alpha.excess_bounds(self._precision))
        exactly = self.is_exact and low == high
        bits = None if exactly else self._bits(high)
        best = self._greatest(low, bits)
        if exactly and self.attains:
            return WorstDelta(best.delta, best.delta, best.test, best.side)
        found = WorstDelta(ZERO_CHANCE, min(best.delta, Fraction(1)))
        for test, (p, q), sides in self._private(high, best.test.pair, bits):
            if p - high * q > found.lower:
                found = WorstDelta(p - high * q, found.upper, test, sides)
        return found

    def alpha(self, delta: Fraction) -> WorstAlpha:
        """Return the least α ≥ 0 with δ(α) ≤ delta.

        Args:
            delta: a probability.

        Returns: exactly α where all e^ε and δ_s are rational and the φ commute, else bounds of it, the upper one
        looked at: there δ(α) is at most delta. Raises: InvalidRequest for a delta that is no probability.
        """
        if not 0 <= delta <= 1:
            raise InvalidRequest("δ must be from 0 to 1 where α is asked for")
        if not self._pairs or delta == 1:
            return WorstAlpha(ZERO, ZERO)
        lower, upper = (self._odds_near_zero(delta, *nearest) for nearest in self._nearest())
        if lower is not None and upper is not None:
            return WorstAlpha(*(Level.of_ratio(1 / odds) if odds else INFINITE for odds in (lower, upper)))
        if self.attains:
            odds = self._least_odds(delta, exactly=True)
            found = INFINITE if odds is None else Level.of_ratio(odds)
            return WorstAlpha(found, found)
        lower = self._least_odds(delta, exactly=False)
        upper = self._bound_of_odds(delta, lower)
        return WorstAlpha(*(INFINITE if odds is None else Level.of_ratio(odds) for odds in (lower, upper)))

    def most(self, alpha: Level) -> Fraction:
        """Return an *upper* bound of δ(α), from rankings alone where they give one: quick, and good to their rounding.

        Args:
            alpha: a finite level, in nats.

        Returns: the bound; that of `delta` where there is no ranking. Raises: as `delta`.
        """
        if self._pairs and not alpha.is_infinite:
            most, _ = next(iter(self._ranked(1 + alpha.excess_bounds(self._precision)[0])))
            if most is not None:
                return Fraction(most)
        return self.delta(alpha).upper

    def _odds_near_zero(self, delta: Fraction, near: TradeOff, sides: Sequence[NearestRelease]) -> Fraction | None:
        """Return e^−α, 0 for ∞, where outputs of chance 0 under k decide: for δ < φ_t(0), or δ = φ_t(0) and δ_s > 0.

        With weights P_j and P_k of the values a next to the time, one of each side, f_a = P_j(a) (φ_t(u) − φ_t(0)) −
        e^α P_k(a) u is concave, and 0 at 0. Where all slopes there are at most 0, no maximum and no sum exceeds 0:
        δ(α) = φ_t(0). Where one is above 0, a set has more: that of chance v under k beside this a, 0 beside
        others, φ_t of it under j; private for a small v > 0, as φ_s(u) > u for u < 1 where φ_s(0) > 0.
        """
        (_, at_zero), (u, y) = near.points[:2]
        if delta < at_zero:
            return ZERO_CHANCE
        if delta > at_zero or not sides or any(phi.points[0][1] == 0 for phi, _ in sides):
            return None
        least = min(
            prod(min(rows[k][a] / p for a, p in enumerate(rows[j]) if p) for _, rows in sides) for j, k in self._pairs
        )
        return least * u / (y - at_zero)

    def _greatest(self, odds: Fraction, bits: int | None) -> Bounded:
        """Return the greatest bound of all pairs."""
        best: Bounded | None = None
        for most, pair in self._ranked(odds):
            if best is not None and most is not None and most <= best.delta:
                break
            found = self._bound(odds, pair, bits, None if best is None else best.delta)
            if best is None or found.delta > best.delta:
                best = found
        assert best is not None, "there are pairs"
        return best

    def _least_odds(self, delta: Fraction, exactly: bool) -> Fraction | None:
        """Return the e^α ≥ 1 up to which some test tells more than delta, None for ∞; a lower bound if not `exactly`.

        Each test tells p − e^α·q > delta up to e^α = (p − delta)/q: from there the next one is sought.
        """
        odds = Fraction(1)
        for done in count():
            bits = None if exactly else self._bits(odds)
            best = self._greatest(odds, bits)
            if best.delta <= delta:
                return odds
            after = odds
            for _, (p, q), _ in self._private(odds, best.test.pair, bits):
                if p > delta and not q:
                    return None
                if p - odds * q > delta:
                    after = max(after, (p - delta) / q)
            if bits is None:
                odds = after
            elif done == MOST_ROUNDS or (after - odds) * (1 << (self._precision - SLACK_BITS)) < odds:
                return after
            else:
                odds = Fraction(after * (1 << bits) // 1, 1 << bits)
        raise AssertionError("there are finitely many tests")

    def _bound_of_odds(self, delta: Fraction, lower: Fraction | None) -> Fraction | None:
        """Return an e^α for which the bound of δ(α) is at most delta, near the least such; None where none is found.

        The bound falls about as its own tests do, whose chances are multiplied out for the upper φ.
        """
        odds = lower
        slack = Fraction(1, 1 << (self._precision - SLACK_BITS))
        for _ in range(MOST_ROUNDS):
            if odds is None:
                return None
            bits = self._bits(odds)
            best = self._greatest(odds, bits)
            if best.delta <= delta:
                return odds
            p, q = best.test.chances(best.side, bits)
            if p > delta and not q:
                return None  # this line does not fall
            odds += (best.delta - delta) / q if q else 0
            odds *= 1 + slack
            slack *= 2
        return None

    def _bits(self, odds: Fraction) -> int:
        """Return a precision at which sums of products of e^α and the least points still have `bits` digits."""
        steps, least = self._finest()
        return self._precision + bits_of(Fraction(odds // 1)) + (1 / least // 1).bit_length() + steps.bit_length()
