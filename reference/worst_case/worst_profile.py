"""What the releases on one side of a time tell of its value, or on both: the profile over all pairs of values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property

from ..correlations import Row
from .one_side_first import MOST_TANGENTS, FirstBound, one_side_first, told_together
from .profile import ProfileSide, pair_bound
from .profile_answers import USUAL_BITS, Attaining, Bounded, NearestRelease, Profile, Ranked
from .profile_budgets import PrivacyBudget, enclosed
from .profile_grids import Grids
from .sweep import ValuePair
from .trade_off import TradeOff
from .two_sided_profile import FUTURE, PAST, TwoSides, private_test

MOST_IN_FRACTIONS = 12
"""Releases of both sides from which on the profile is enclosed: fractions would have thousands of digits."""

FEW_LINES = 6
"""Of ψ, of a pair that may turn out not to be the worst."""

OneSidedRanking = Callable[[ProfileSide, Fraction, Sequence[ValuePair]], Ranked]
"""Of a side, e^α and pairs: the order in which they are worked out, until none left can be the greatest."""

MORE_SLOPES = 24
"""Slopes of ψ, at most, that are tried for the first side of a test beside the one used; more raise the lower end."""

TwoSidedRanking = Callable[[tuple[ProfileSide, ProfileSide], Fraction, Sequence[ValuePair]], Ranked]
"""The same of both sides, the past and the future."""


def unranked(_side: object, _odds: Fraction, pairs: Sequence[ValuePair]) -> Ranked:
    """Return all pairs, of none of which anything is known."""
    return [(None, pair) for pair in pairs]


class WorstProfile(Profile):
    """What the releases of one side of a time tell of its value: BPL with P^B, FPL with P^F; theorem (profile)."""

    def __init__(
        self,
        budgets: Sequence[PrivacyBudget],
        steps: Sequence[Sequence[Row]],
        pairs: Sequence[ValuePair],
        ranking: OneSidedRanking = unranked,
        bits: int = USUAL_BITS,
        *,
        on_one_grid: bool = False,
    ) -> None:
        """Take the releases of a side.

        Args: budgets, of the time, then of the releases, the nearest first; steps, as in `ProfileSide`; pairs, of
        values that the time can have; ranking, which of them are worked out first, and which need not be; bits, the
        working precision where there is no exact answer; on_one_grid, as `enclosed`.
        Raises: InvalidRequest where the numbers differ, and as `enclosed`.
        """
        super().__init__(pairs, bits)
        found = enclosed(budgets, bits, on_one_grid)
        self._has_exact_budgets = found.is_exact
        self.upper = ProfileSide(found.upper, tuple(tuple(step) for step in steps))
        self.lower = self.upper if found.is_exact else ProfileSide(found.lower, self.upper.steps)
        self._ranking = ranking

    @cached_property
    def is_exact(self) -> bool:
        """Whether bounds at a rational e^α are exact."""
        return self._has_exact_budgets and self.upper.grids.is_whole

    @cached_property
    def attains(self) -> bool:
        """Whether the bounds are exact and the φ commute."""
        return self.is_exact and self.upper.commutes()

    def _ranked(self, odds: Fraction) -> Ranked:
        return self._ranking(self.upper, odds, self._pairs)

    def _bound(self, odds: Fraction, pair: ValuePair, bits: int | None, _least: Fraction | None) -> Bounded:
        found = pair_bound(self.upper, odds, pair, bits)
        return Bounded(found.delta, found.test, self.upper)

    def _private(self, odds: Fraction, pair: ValuePair, bits: int | None) -> Iterator[Attaining]:
        for side in self.lower.attainable:
            test = pair_bound(side, odds, pair, bits).test
            if test.is_private(side):
                yield test, test.chances(side, bits), side
                if side is self.lower:
                    return

    def _nearest(self) -> Iterator[tuple[TradeOff, list[NearestRelease]]]:
        for side in (self.lower, self.upper):
            yield side.trade_offs[0], list(zip(side.trade_offs[1:2], side.steps[:1], strict=True))

    def _finest(self) -> tuple[int, Fraction]:
        return len(self.upper.steps), least_point(self.upper.trade_offs, self.upper.grids)


class TwoSidedProfile(Profile):
    """What the releases of both sides of a time tell of its value: TPL; theorem (two-sided profile)."""

    def __init__(
        self,
        near: PrivacyBudget,
        budgets: tuple[Sequence[PrivacyBudget], Sequence[PrivacyBudget]],
        steps: tuple[Sequence[Sequence[Row]], Sequence[Sequence[Row]]],
        pairs: Sequence[ValuePair],
        *,
        ranking: TwoSidedRanking = unranked,
        bits: int = USUAL_BITS,
    ) -> None:
        """Take the releases of both sides.

        Args: near, the budget of the time; budgets and steps, of the past, and of the future, the nearest first; the
        others as `WorstProfile`. Raises: as `enclosed`.
        """
        super().__init__(pairs, bits)
        found = enclosed([near, *budgets[0], *budgets[1]], bits)
        self._steps = tuple(tuple(step) for step in steps[PAST]), tuple(tuple(step) for step in steps[FUTURE])
        past = len(budgets[PAST]) + 1
        self._upper, self._lower = (
            (
                TwoSides(PAST, (phis[0], *phis[1:past], *phis[past:]), self._steps),
                TwoSides(FUTURE, (phis[0], *phis[past:], *phis[1:past]), self._steps),
            )
            for phis in (found.upper, found.lower)
        )
        self._has_exact_budgets = found.is_exact and len(budgets[0]) + len(budgets[1]) < MOST_IN_FRACTIONS
        self._ranking = ranking
        self._told: dict[tuple[ValuePair, int, int], TradeOff] = {}

    @cached_property
    def is_exact(self) -> bool:
        """Whether bounds at a rational e^α are exact."""
        return self._has_exact_budgets and all(sides.grids.is_whole for sides in self._upper)

    @property
    def attains(self) -> bool:
        """Never: whether the bound is attained is seen where it is."""
        return False

    def _ranked(self, odds: Fraction) -> Ranked:
        return self._ranking(self._upper[PAST].sides, odds, self._pairs)

    def _bound(self, odds: Fraction, pair: ValuePair, bits: int | None, least: Fraction | None) -> Bounded:
        """Return the least bound by ψ of either side: with few lines, and with all where that is above `least`."""
        found: list[Bounded] = []
        for lines in (FEW_LINES, MOST_TANGENTS):
            for first in (PAST, FUTURE):
                one = self._first(first, odds, pair, bits, lines)
                found.append(Bounded(one.bound.delta, one.bound.test, one.side))
            best = min(found, key=lambda bounded: bounded.delta)
            if least is not None and best.delta <= least:
                break
        return best

    def _first(
        self, first: int, odds: Fraction, pair: ValuePair, bits: int | None, lines: int = MOST_TANGENTS
    ) -> FirstBound:
        """Return the bound in whose recursion the releases of one side come first. Args: lines, most of ψ."""
        one, other = self._upper[first].sides
        if (pair, first, lines) not in self._told:
            precision = None if self.is_exact else self._bits(Fraction(1))
            self._told[pair, first, lines] = told_together(one, pair, precision, lines)
        return one_side_first(self._told[pair, first, lines], other, odds=odds, pair=pair, bits=bits)

    def _private(self, odds: Fraction, pair: ValuePair, bits: int | None) -> Iterator[Attaining]:
        for first in (PAST, FUTURE):
            slope = self._first(first, odds, pair, bits).slope
            lines = self._told[pair, first, MOST_TANGENTS].slopes
            slopes = dict.fromkeys([slope, *lines[:: len(lines) // MORE_SLOPES + 1]])
            for smaller in self._lower[first].smaller():
                for own in filter(None, slopes):
                    test = private_test(smaller, odds, pair, own, bits)
                    if test.is_private():
                        yield test, test.chances(bits), smaller

    def _nearest(self) -> Iterator[tuple[TradeOff, list[NearestRelease]]]:
        for past_first, _ in (self._lower, self._upper):
            sides = past_first.sides
            yield past_first.trade_offs[0], [(side.trade_offs[1], side.steps[0]) for side in sides if side.steps]

    def _finest(self) -> tuple[int, Fraction]:
        steps = len(self._upper[PAST].order)
        return steps, min(least_point(sides.trade_offs, sides.grids) for sides in self._upper)


def least_point(trade_offs: Iterable[TradeOff], grids: Grids) -> Fraction:
    """Return the least probability above 0 at which a φ or what is carried along may bend."""
    return min(grids.last[1], *(u for phi in {*trade_offs} for u in phi.kinks if u))
