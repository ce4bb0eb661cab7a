"""The profile of a long stream with one budget: δ at an α, and α at a δ, by the passes in doubles."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...reference.correlations import Row, steps_in_doubles
from ...reference.errors import InvalidRequest
from ...reference.levels import Level
from ...reference.worst_case.profile_answers import USUAL_BITS, WorstAlpha, WorstDelta
from ...reference.worst_case.profile_budgets import PrivacyBudget
from ...reference.worst_case.sweep import ValuePair
from ...reference.worst_case.worst_profile import WorstProfile
from .profile_bounds import RankedPairs
from .profile_passes import FLAT_PART, alphas_of_side, delta_of_side, different_pairs, odds_around, sides_of

SMALL_DELTAS = Fraction(1, 1 << 20), Fraction(1, 1 << 80), Fraction(1, 1 << 240)
"""About how small δ may be for the points that are tried, one after the other while it is smaller."""


class LongProfile(WorstProfile):
    """A `WorstProfile` of many releases with one budget, in doubles; of too many kinks in integers, as that one."""

    def __init__(
        self,
        budget: PrivacyBudget,
        steps: Sequence[Sequence[Row]],
        pairs: Sequence[ValuePair],
        bits: int = USUAL_BITS,
    ) -> None:
        """Take the releases of a side. Args: budget, of each; the others as `WorstProfile`. Raises: as it."""
        if all(steps[0][j] == steps[0][k] for j, k in pairs):
            steps = ()  # the other releases tell nothing
        super().__init__([budget] * (len(steps) + 1), steps, pairs, RankedPairs(), bits, on_one_grid=True)
        self._budget = budget
        self._matrices = steps_in_doubles(self.upper.steps)

    def delta(self, alpha: Level) -> WorstDelta:
        """Return δ(α) between two bounds; in integers where doubles cannot tell it from 0."""
        found = self._delta(alpha)
        return super().delta(alpha) if found is None or found.lower < found.upper / 2 else found

    def most(self, alpha: Level) -> Fraction:
        """Return an upper bound of δ(α)."""
        found = self._delta(alpha)
        return super().most(alpha) if found is None else found.upper

    def alpha(self, delta: Fraction) -> WorstAlpha:
        """Return the least α with δ(α) ≤ delta between two bounds."""
        steps = self.upper.steps
        if self.upper.trade_offs[0].points[0][1] < delta < 1 and self._pairs and steps:
            try:
                (found,) = alphas_of_side(self._budget, steps[::-1], delta, [len(steps) + 1])
            except InvalidRequest:
                return super().alpha(delta)
            if not found.upper.is_infinite:
                return found
        return super().alpha(delta)

    def _delta(self, alpha: Level) -> WorstDelta | None:
        """Return δ(α) by the passes, None where they have no points for it."""
        odds, found = odds_around(alpha), None
        if odds is None or not (self._pairs and self._matrices):
            return None
        for delta in SMALL_DELTAS:
            try:
                sides = sides_of(self._budget, self._matrices, delta)
            except InvalidRequest:
                return found
            found = delta_of_side(sides, different_pairs(self.upper.steps), odds, FLAT_PART * float(delta))
            if found.upper > delta or not found.upper:
                break
        return found
