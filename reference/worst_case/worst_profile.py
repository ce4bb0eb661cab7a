"""δ at an α and α at a δ, over all pairs of values: exact, or between a bound and what a private test attains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from ..correlations import Row
from ..decimals import Enclosure, outward
from ..errors import InvalidLevel, InvalidRequest
from ..levels import INFINITE, ZERO, Level
from ..surds import bits as bits_of
from .profile import PairBound, ProfileSide, ProfileTest, pair_bound
from .profile_budgets import PrivacyBudget, enclosed
from .sweep import ValuePair
from .trade_off import ZERO_CHANCE

USUAL_BITS = 96

SLACK_BITS = 24
"""An α that rises by less than 2^−(bits − 24) of e^α is taken for attained; whether it is, is then looked at."""

MOST_ROUNDS = 200
"""Tests that are tried for bounds of an α; for the exact one as many as it takes, each less likely under k."""

Ranked = Iterable[tuple[float | Fraction | None, ValuePair]]
"""Pairs of values, each with what its δ at most is, None where that is not known, the greatest first."""

Ranking = Callable[[ProfileSide, Fraction, Sequence[ValuePair]], Ranked]
"""Of a side, e^α and pairs: the order in which they are worked out, until none left can be the greatest."""


def unranked(_side: ProfileSide, _odds: Fraction, pairs: Sequence[ValuePair]) -> Ranked:
    """Return all pairs, of none of which anything is known."""
    return [(None, pair) for pair in pairs]


@dataclass(frozen=True, slots=True)
class WorstDelta:
    """δ(α): lower ≤ δ ≤ upper, equal where it is exact; and a test that attains the lower one, where there is any."""

    lower: Fraction
    upper: Fraction
    test: ProfileTest | None = None

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


class WorstProfile:
    """What the releases of one side of a time tell of its value: BPL with P^B, FPL with P^F; theorem (profile)."""

    def __init__(
        self,
        budgets: Sequence[PrivacyBudget],
        steps: Sequence[Sequence[Row]],
        pairs: Sequence[ValuePair],
        ranking: Ranking = unranked,
        bits: int = USUAL_BITS,
    ) -> None:
        """Take the releases of a side.

        Args: budgets, of the time, then of the releases, the nearest first; steps, as in `ProfileSide`; pairs, of
        values that the time can have; ranking, which of them are worked out first, and which need not be; bits, the
        working precision where there is no exact answer.
        Raises: InvalidRequest where the numbers differ, and as `enclosed`.
        """
        found = enclosed(budgets, bits)
        self.is_exact = found.is_exact
        self.upper = ProfileSide(found.upper, tuple(tuple(step) for step in steps))
        self.lower = self.upper if found.is_exact else ProfileSide(found.lower, self.upper.steps)
        self._pairs, self._ranking, self._precision = pairs, ranking, bits
        self._commutes = self.is_exact and self.upper.commutes()

    def delta(self, alpha: Level) -> WorstDelta:
        """Return δ(α), the greatest over all pairs of values.

        Args:
            alpha: a finite level, in nats.

        Returns: exactly δ where e^α, all e^ε and δ_s are rational and the φ commute; else bounds: the upper one by
        theorem (profile), the lower one of a test, multiplied out. Raises: InvalidLevel for ∞; InvalidRequest.
        """
        if alpha.is_infinite:
            raise InvalidLevel("δ is asked for at a finite α")
        if not self._pairs:
            return WorstDelta(ZERO_CHANCE, ZERO_CHANCE)
        low, high = (1 + excess for excess in alpha.excess_bounds(self._precision))
        exactly = self.is_exact and low == high
        bits = None if exactly else self._bits(high)
        best = self._greatest(self.upper, low, bits)
        if exactly and self._commutes:
            return WorstDelta(best.delta, best.delta, best.test)
        lower, attaining = ZERO_CHANCE, None
        for test, (p, q) in self._private(high, best.test.pair, bits):
            if p - high * q > lower:
                lower, attaining = p - high * q, test
        return WorstDelta(lower, min(best.delta, Fraction(1)), attaining)

    def alpha(self, delta: Fraction) -> WorstAlpha:
        """Return the least α ≥ 0 with δ(α) ≤ delta.

        Args:
            delta: a probability.

        Returns: exactly α where all e^ε and δ_s are rational and the φ commute, else bounds of it, the upper one
        looked at: there δ(α) is at most delta. Raises: InvalidRequest for a delta that is no probability.
        """
        if not 0 <= delta <= 1:
            raise InvalidRequest("α is asked for at a δ from 0 to 1")
        if not self._pairs or delta == 1:
            return WorstAlpha(ZERO, ZERO)
        if self._commutes:
            odds = self._least_odds(delta, exactly=True)
            found = INFINITE if odds is None else Level.of_ratio(odds)
            return WorstAlpha(found, found)
        lower = self._least_odds(delta, exactly=False)
        upper = self._bound_of_odds(delta, lower)
        return WorstAlpha(*(INFINITE if odds is None else Level.of_ratio(odds) for odds in (lower, upper)))

    def _greatest(self, side: ProfileSide, odds: Fraction, bits: int | None) -> PairBound:
        """Return the greatest bound of all pairs."""
        best: PairBound | None = None
        for most, pair in self._ranking(side, odds, self._pairs):
            if best is not None and most is not None and most <= best.delta:
                break
            found = pair_bound(side, odds, pair, bits)
            if best is None or found.delta > best.delta:
                best = found
        assert best is not None, "there are pairs"
        return best

    def _private(
        self, odds: Fraction, pair: ValuePair, bits: int | None
    ) -> Iterator[tuple[ProfileTest, tuple[Fraction, Fraction]]]:
        """Yield tests of private streams and their chances under j (at least) and under k (at most)."""
        for side in self.lower.attainable():
            test = pair_bound(side, odds, pair, bits).test
            if test.is_private(side):
                yield test, test.chances(side, bits)
                if side is self.lower:
                    return

    def _least_odds(self, delta: Fraction, exactly: bool) -> Fraction | None:
        """Return the e^α ≥ 1 up to which some test tells more than delta, None for ∞; a lower bound if not `exactly`.

        Each test tells p − e^α·q > delta up to e^α = (p − delta)/q: from there the next one is sought.
        """
        odds = Fraction(1)
        for done in count():
            bits = None if exactly else self._bits(odds)
            best = self._greatest(self.upper, odds, bits)
            if best.delta <= delta:
                return odds
            after = odds
            for _, (p, q) in self._private(odds, best.test.pair, bits):
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

        The bound falls along lines too, those of its own tests, whose chances are multiplied out for the upper φ.
        """
        odds = lower
        slack = Fraction(1, 1 << (self._precision - SLACK_BITS))
        for _ in range(MOST_ROUNDS):
            if odds is None:
                return None
            bits = self._bits(odds)
            best = self._greatest(self.upper, odds, bits)
            if best.delta <= delta:
                return odds
            p, q = best.test.chances(self.upper, bits)
            along = (p - delta) / q if q and p > delta else odds
            odds = max(along, odds) * (1 + slack)
            slack *= 2
        return None

    def _bits(self, odds: Fraction) -> int:
        """Return a precision at which sums of products of e^α and the least points still have `bits` digits."""
        least = min((u for phi in {*self.upper.trade_offs} for u in phi.kinks if u), default=Fraction(1))
        least = min([least, *self.upper.grids.points[-1][1:2]])
        return (
            self._precision
            + bits_of(Fraction(odds // 1))
            + (1 / least // 1).bit_length()
            + len(self.upper.steps).bit_length()
        )
