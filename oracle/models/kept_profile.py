"""The most that each of T releases may tell so that the profile of a stream keeps δ(α) ≤ δ: by bisection of its budget.

δ(α) rises with φ, and φ with ε and with μ. What is printed has been shown to keep δ at every time, by the upper bound
of theorem (profile); beside it stands the nearest that was shown not to, by a test of a private stream.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context
from fractions import Fraction

from ..reference import InfeasibleBudget, WorstDelta
from ..reference.decimals import fraction_to_text

DeltaAt = Callable[[Fraction, int], WorstDelta]
"""δ of releases with this parameter, ε or a noise multiplier, at a time."""

FINEST = Fraction(1, 10**12)
"""Least parameter that is tried."""

LONGEST_STRIDE = 1 << 30
"""Greatest factor between the first parameter tried and the one found."""


@dataclass(frozen=True, slots=True)
class KeptParameter:
    """A parameter of releases that keeps δ at every time, and one near it that does not, None where none was found.

    kept, exceeds: decimals. time: where δ of `kept` is greatest. delta: its δ there.
    """

    kept: Fraction
    exceeds: Fraction | None
    time: int
    delta: WorstDelta


def kept_parameter(
    delta_at: DeltaAt,
    times: Sequence[int],
    *,
    delta: Fraction,
    safest: Fraction | None,
    begin: Fraction,
    digits: int,
    least: Fraction = FINEST,
) -> KeptParameter:
    """Return the last parameter for which δ is shown to be kept, in decimals of `digits` digits.

    Args:
        delta_at: δ of each parameter at each time; never falling from the safest end on.
        times: those at which δ is kept.
        delta: the probability to keep.
        safest: 0 for a parameter that is safest there, and tells more the greater it is, as ε; None where it tells less
            the greater it is, as a noise multiplier.
        begin: a parameter above 0 to begin with.
        digits: of the parameter.
        least: nearer to a safest end of 0 bounds of δ do not fall: nothing is sought there.

    Returns: a parameter whose upper bound of δ is at most delta at all times, and the nearest that was shown to exceed
    delta at some time. Raises: InfeasibleBudget where none is shown to keep it.
    """
    search = _Search(delta_at, list(times), delta, digits, least)
    away = Fraction(2) if safest is None else Fraction(1, 2)
    safe, unsafe = search.bracket(begin, away, safest)
    if unsafe is None:
        return search.found(safe, None)
    while True:
        close, beyond = search.bisected(safe, unsafe, search.is_kept)
        if search.keeps_all(close):
            return search.found(close, search.exceeding(close, beyond))
        unsafe = close


@dataclass(frozen=True, slots=True)
class _Search:
    """times: the one that binds first."""

    delta_at: DeltaAt
    times: list[int]
    delta: Fraction
    digits: int
    least: Fraction

    def upper(self, parameter: Fraction, time: int) -> Fraction:
        """Return what δ at most is at a time."""
        return self.delta_at(parameter, time).upper

    def is_kept(self, parameter: Fraction) -> bool:
        """Whether δ is kept at the first of the times."""
        return self.upper(parameter, self.times[0]) <= self.delta

    def exceeds(self, parameter: Fraction) -> bool:
        """Whether δ is certainly exceeded at the first of the times."""
        return self.delta_at(parameter, self.times[0]).lower > self.delta

    def keeps_all(self, parameter: Fraction) -> bool:
        """Whether δ is kept at all times; one at which it is not comes first from then on."""
        bad = next((time for time in self.times if self.upper(parameter, time) > self.delta), None)
        if bad is not None:
            self.times.sort(key=lambda time: time != bad)
        return bad is None

    def bracket(self, begin: Fraction, away: Fraction, safest: Fraction | None) -> tuple[Fraction, Fraction | None]:
        """Return a parameter that keeps δ at all times, and one that is not shown to at the first of them."""
        unsafe: Fraction | None = None
        parameter = begin
        while not self.keeps_all(parameter):
            unsafe = parameter
            parameter *= away
            if FINEST < parameter < LONGEST_STRIDE * begin and self.least < 2 * parameter:
                continue
            if safest is None or self.least > FINEST or not self.keeps_all(safest):
                raise InfeasibleBudget(
                    f"no such releases could be shown to stay within δ = {fraction_to_text(self.delta)}: "
                    "allow a greater δ or α, or use less δ per release"
                )
            return safest, unsafe
        while unsafe is None:
            stride = parameter / away
            if not FINEST < stride < LONGEST_STRIDE * begin:
                return parameter, None
            if self.keeps_all(stride):
                parameter = stride
            else:
                unsafe = stride
        return parameter, unsafe

    def bisected(
        self, inside: Fraction, outside: Fraction, holds: Callable[[Fraction], bool]
    ) -> tuple[Fraction, Fraction]:
        """Return two neighbouring decimals, between these: at the first something holds, at the second it does not."""
        while True:
            middle = self._decimal((inside + outside) / 2)
            if not min(inside, outside) < middle < max(inside, outside) or abs(inside - outside) < FINEST:
                return inside, outside
            inside, outside = (middle, outside) if holds(middle) else (inside, middle)

    def exceeding(self, kept: Fraction, beyond: Fraction) -> Fraction | None:
        """Return the nearest decimal found at which δ is exceeded."""
        step = beyond - kept
        for _ in range(LONGEST_STRIDE.bit_length()):
            beyond = kept + step
            if beyond <= 0:
                return None
            if self.exceeds(beyond):
                return self.bisected(beyond, kept, self.exceeds)[0]
            step *= 2
        return None

    def found(self, kept: Fraction, exceeds: Fraction | None) -> KeptParameter:
        """Return what is found, with the time of the greatest δ."""
        at = {time: self.delta_at(kept, time) for time in self.times}
        time = max(at, key=lambda own: at[own].upper)
        return KeptParameter(kept, exceeds, time, at[time])

    def _decimal(self, number: Fraction) -> Fraction:
        context = Context(prec=self.digits)
        return Fraction(context.divide(number.numerator, number.denominator))
