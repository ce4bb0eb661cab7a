"""False position (Illinois): a search between two numbers for where something that rises with them is at a level."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

Sought = TypeVar("Sought", float, Fraction)


@dataclass(slots=True)
class Between(Generic[Sought]):
    """Two numbers, and by how much the level is exceeded at each: not above 0 at the lower, above 0 at the upper one.

    An end that is kept twice counts half, so that both draw near. None stands for ∞.
    """

    low: Sought
    high: Sought
    at_low: Sought
    at_high: Sought | None
    _last: int = 0

    def line(self) -> Sought | None:
        """Return where a line through both is at the level; None where there is none, or it is flat."""
        if self.at_high is None or self.at_low == self.at_high:
            return None
        return (self.low * self.at_high - self.high * self.at_low) / (self.at_high - self.at_low)

    def take(self, tried: Sought, over: Sought | None, is_above: bool) -> None:
        """Put a number in the place of an end. Args: over, by how much the level is exceeded there."""
        if is_above:
            self.high, self.at_high = tried, over
            self.at_low = self.at_low / 2 if self._last > 0 else self.at_low
        else:
            assert over is not None
            self.low, self.at_low = tried, over
            self.at_high = self.at_high / 2 if self.at_high is not None and self._last < 0 else self.at_high
        self._last = 1 if is_above else -1
