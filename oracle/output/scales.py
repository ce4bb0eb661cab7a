"""Scales for pictures on which 0 and ∞ have a place of their own beside a logarithmic range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, log10

_MOST_TICKS = 7
_SPELT = range(-2, 4)
_WITHIN_A_DECADE, _FEW_DECADES = 0.7, 2.2
_NARROWEST = 0.6
_ROOM_FOR_ONE = 4
_GAP = 0.12
"""How far from the ends of the range 0 and ∞ stand, as a share of it."""


@dataclass(frozen=True, slots=True)
class LogScale:
    """Places of numbers from 0 to ∞ along an axis, in decades.

    low, high: between which decades all the positive finite numbers are; zero, infinity: whether the axis has these.
    """

    low: float
    high: float
    zero: bool
    infinity: bool

    @classmethod
    def of(cls, values: Sequence[float]) -> LogScale:
        """Return a scale that has a place for each of these numbers."""
        decades = [log10(value) for value in values if 0 < value < inf] or [0.0]
        low, high = min(decades), max(decades)
        spread = max(0.0, (_NARROWEST - (high - low)) / 2)
        return cls(low - spread, high + spread, 0 in values, inf in values)

    @property
    def _gap(self) -> float:
        return _GAP * (self.high - self.low)

    def place(self, value: float) -> float:
        """Return where a number stands."""
        if value == 0:
            return self.low - self._gap
        return self.high + self._gap if value == inf else log10(value)

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the axis, with a margin."""
        low = self.place(0) if self.zero else self.low
        high = self.place(inf) if self.infinity else self.high
        return low - self._gap / 2, high + self._gap / 2

    def ticks(self, zero: str = "0", infinity: str = "∞") -> dict[float, str]:
        """Return places and what is written at them. Args: the texts for 0 and ∞."""
        step = max(1, ceil((self.high - self.low) / _MOST_TICKS))
        found = {}
        for decade in range(floor(self.low), floor(self.high) + 1):
            if decade % step == 0:
                found[float(decade)] = _power(decade)
            if self.high - self.low < _FEW_DECADES and decade in _SPELT:
                digits = range(2, 10) if self.high - self.low < _WITHIN_A_DECADE else (2, 5)
                found.update({decade + log10(digit): f"{digit * 10.0**decade:g}" for digit in digits})
        found = {place: text for place, text in found.items() if self.low - 1e-9 <= place <= self.high + 1e-9}
        if self.zero:
            found[self.place(0)] = zero
        if self.infinity:
            found[self.place(inf)] = infinity
        return found


@dataclass(frozen=True, slots=True)
class SignedScale:
    """Places of signed integers along an axis, by sign and log10(1 + |n|): 0 in the middle, every decade as wide.

    low, high: the ends of the range in decades, low ≤ 0 ≤ high. Beyond them are places for what has no finite distance.
    """

    low: float
    high: float

    LARGEST = 10**17
    """Farther distances stand with those that have no finite one."""

    @classmethod
    def of(cls, values: Sequence[int]) -> SignedScale:
        """Return a scale that has a place for each of these numbers, the astronomic ones aside."""
        places = [place for value in values if (place := cls.place(value)) is not None]
        return cls(min([-1.0, *places]), max([1.0, *places]))

    @classmethod
    def place(cls, value: int) -> float | None:
        """Return where a number stands; None where it is too large for the scale."""
        if abs(value) > cls.LARGEST:
            return None
        decades = log10(1 + abs(value))
        return decades if value >= 0 else -decades

    @property
    def margin(self) -> float:
        """How wide the place beyond either end is."""
        return 0.12 * (self.high - self.low)

    @property
    def above(self) -> float:
        """Where numbers without a finite distance above stand."""
        return self.high + self.margin

    @property
    def below(self) -> float:
        """Where numbers without a finite distance below stand."""
        return self.low - self.margin

    def ticks(self) -> dict[float, str]:
        """Return places and what is written at them."""
        step = max(1, ceil((self.high - self.low) / _MOST_TICKS))
        found = {0.0: "0"}
        first = 0 if self.high - self.low < _ROOM_FOR_ONE else step
        for decade in range(first, ceil(max(self.high, -self.low)) + 1, step):
            place = log10(1 + 10.0**decade)
            if place <= self.high + 1e-9:
                found[place] = f"+{_power(decade)}"
            if -place >= self.low - 1e-9:
                found[-place] = f"−{_power(decade)}"
        return found


def _power(decade: int) -> str:
    return f"{10.0**decade:g}" if decade in _SPELT else f"$10^{{{decade}}}$"
