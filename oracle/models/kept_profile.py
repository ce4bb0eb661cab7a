"""The most that each release may tell so that the profile of a stream keeps δ(α) ≤ δ: by a search for its budget.

δ(α) rises with φ, and φ with ε and with μ. What is printed has been shown to keep α(δ) at every time, by passes over
all times; beside it stands the nearest that was shown not to, by a test of a private stream. Of a very small δ or α,
and of much noise, the profile of theorem (profile) bounds δ(α) at each time. Over an infinite horizon, of one side, a
single bound holds at all times. All are proved from above but those of both sides that are not by level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Context
from fractions import Fraction
from functools import cache, partial
from itertools import count
from math import inf, isfinite, log
from typing import Any

from ..checked import fast_worst_case_budget, fast_worst_case_leakage, profile_delta_for_ever
from ..reference import (
    ApproximateBudget,
    ConcentratedBudget,
    GaussianBudget,
    InfeasibleBudget,
    InvalidRequest,
    Level,
    PrivacyBudget,
    WorstAlpha,
    WorstDelta,
)
from ..reference.decimals import fraction_to_text, outward
from ..reference.stepwise import matrices_in, matrices_outward
from ..reference.worst_case.concentrated import LEAST_RHO
from ..reference.worst_case.profile_budgets import LEAST_COMMON_Z
from ..solvers.worst_case.profile_for_ever import known_for_ever
from .basis import Basis
from .chain import KnownPair
from .neighbours import Neighbours
from .stream_profile import LEAST_OF_BOTH, greatest_delta, leakage_at_delta, profiles_of

ToldAt = Callable[[Fraction, tuple[int, ...]], Sequence[WorstDelta | WorstAlpha]]
"""δ(α), or α(δ), of releases with this parameter, ε, a noise multiplier or ρ, at each of some times."""

EPSILON, NOISE_MULTIPLIER, RHO = SOUGHT_KINDS = ("epsilon", "noise_multiplier", "rho")
"""Kinds of budgets to find: ε at a δ per release, the least noise multiplier, or ρ."""

LEAST_OF_NOISE = Fraction(1, 10**14)
"""Of a lesser δ, with releases on one side, the points of noise end too early for passes: no level is found."""

LEAST_LEVEL = Level.of(Fraction(1, 100))
"""Of a lesser α the widths of levels at a δ are too great a part: it is δ at α that is looked at."""

MOST_SOUGHT_DIGITS = 12
"""Greatest number of digits of a budget that is found by bisection."""

DIGITS_OF_BEGIN = 6
"""Digits of α, with which the bisection begins."""

FINEST = Fraction(1, 10**12)
"""Least parameter that is tried."""

FAR_ENOUGH = 64
"""Part of its distance to which one that exceeds is sought, where it is no neighbour of the one that is kept."""

LONGEST_STRIDE = 1 << 30
"""Greatest factor between the first parameter tried and the one found."""


@dataclass(frozen=True, slots=True)
class KeptParameter:
    """A parameter of releases that keeps δ at every time, and one near it that does not, None where none was found.

    kept, exceeds: decimals. time: where `kept` tells most, None over an infinite horizon. told: what it tells there, α
    at the δ; δ at the α over an infinite horizon, and where that is what was looked at.
    """

    kept: Fraction
    exceeds: Fraction | None
    time: int | None
    told: WorstDelta | WorstAlpha


@dataclass(frozen=True, slots=True)
class ProfileBudget:
    """The most that each release may tell at a δ, and what that rests on."""

    found: KeptParameter
    basis: Basis


@dataclass(frozen=True, slots=True)
class SoughtBudget:
    """What is sought. kind: of `SOUGHT_KINDS`. release_delta: δ of each release, beside ε. neighbours: of budgets."""

    kind: str
    release_delta: Fraction
    neighbours: Neighbours

    def budget(self, parameter: Fraction) -> PrivacyBudget:
        """Return the budget of a parameter, under replacement."""
        own: PrivacyBudget
        if self.kind == NOISE_MULTIPLIER:
            own = GaussianBudget(parameter)
        elif self.kind == RHO:
            own = ConcentratedBudget(parameter)
        else:
            own = ApproximateBudget(Level.of(parameter), self.release_delta)
        return self.neighbours.replaced(own)


def kept_budget(
    sought: SoughtBudget,
    alpha: Level,
    delta: Fraction,
    known: Sequence[KnownPair],
    *,
    horizon: int | None,
    digits: int,
    advance: Callable[[int, int], None] = lambda _done, _total: None,
) -> KeptParameter:
    """Return the most that each release may tell so that every value stays (alpha, delta)-protected.

    Args:
        sought: the kind of budget.
        alpha, delta: a finite level, and a probability below 1.
        known: what the adversaries know; over an infinite horizon one correlation each.
        horizon: the number of releases; None for an infinite horizon.
        digits: of the parameter.
        advance: is told how many bounds were computed.

    Raises: InfeasibleBudget where none is shown to keep it; InvalidRequest where all do, and for both correlations over
    an infinite horizon; Undecided.
    """
    if alpha.is_infinite or delta == 1:
        raise InvalidRequest("with α = inf or δ = 1 every budget is allowed: give a smaller value")
    if {matrix.n for pair in known for each in pair for matrix in matrices_in(each)} == {1}:
        raise InvalidRequest("with one state there is nothing to distinguish: every budget keeps TPL within α")
    if not delta and sought.kind != EPSILON:
        raise InfeasibleBudget(
            "at δ = 0 no Gaussian noise and no ρ above 0 keeps TPL within a finite α: give a --delta above 0"
        )
    if not delta and not sought.release_delta:
        return greatest_pure(alpha, known, horizon, sought.neighbours, digits)
    begin = Fraction(1)
    if sought.kind != NOISE_MULTIPLIER and not alpha.is_zero:
        begin = Fraction(alpha.enclosure(DIGITS_OF_BEGIN).upper)
    begin = begin * begin / 2 if sought.kind == RHO else begin
    if horizon is None:
        check_bearable(sought.budget(begin), delta, known)
    done = 0
    is_of_one = sought.kind != EPSILON and all(None in pair for pair in known)
    least = LEAST_OF_NOISE if is_of_one else LEAST_OF_BOTH
    by_level = horizon is not None and alpha >= LEAST_LEVEL and delta > least

    @cache
    def told_at(by_level: bool, parameter: Fraction, times: tuple[int, ...]) -> Sequence[WorstDelta | WorstAlpha]:
        nonlocal done
        budget = sought.budget(parameter)
        found: Sequence[WorstDelta | WorstAlpha]
        if horizon is None:
            each = [profile_delta_for_ever(budget, *pair, alpha, delta) for pair in known]
            found = [WorstDelta(max(own.lower for own in each), max(own.upper for own in each))]
        elif by_level:
            found = leakage_at_delta([budget] * horizon, known, delta, times, kinds=["tpl"], most=alpha)["tpl"]
        else:
            found = [greatest_delta(profiles_of("tpl", [budget] * horizon, time, known), alpha) for time in times]
        done += len(times)
        advance(done, 0)
        return found

    def searched(by_level: bool, begin: Fraction) -> KeptParameter:
        middle = ((horizon or 1) + 1) // 2
        return kept_parameter(
            partial(told_at, by_level),
            [middle, *(time for time in range(horizon or 1, 0, -1) if time != middle)],
            most=alpha if by_level else delta,
            safest=None if sought.kind == NOISE_MULTIPLIER else Fraction(0),
            begin=begin,
            digits=digits,
            least=LEAST_RHO if sought.kind == RHO else FINEST,
        )

    try:
        found = searched(by_level, begin)
    except InfeasibleBudget:
        if not by_level or sought.kind != NOISE_MULTIPLIER:
            raise
        found = searched(False, 1 / LEAST_COMMON_Z)  # with more noise levels over time do not fall
    return found if horizon else replace(found, time=None)


def kept_parameter(
    told_at: ToldAt,
    times: Sequence[int],
    *,
    most: Fraction | Level,
    safest: Fraction | None,
    begin: Fraction,
    digits: int,
    least: Fraction = FINEST,
) -> KeptParameter:
    """Return the last parameter for which δ, or α, is shown to be kept, in decimals of `digits` digits.

    Args:
        told_at: what each parameter tells at each time; never falling from the safest end on.
        times: those at which it is kept.
        most: the probability, or the level, to keep.
        safest: 0 for a parameter that is safest there, and tells more the greater it is, as ε; None where it tells less
            the greater it is, as a noise multiplier.
        begin: a parameter above 0 to begin with.
        digits: of the parameter.
        least: nearer to a safest end of 0 bounds of δ do not fall: nothing is sought there.

    Returns: a parameter whose upper bound is at most that at all times, and the nearest that was shown to exceed it at
    some time. Raises: InfeasibleBudget where none is shown to keep it.
    """
    search = _Search(told_at, list(times), most, digits, least)
    away = Fraction(2) if safest is None else Fraction(1, 2)
    while True:  # as often as another time comes to bind first
        close, beyond = search.bracket(begin, away, safest)
        if beyond is not None:
            close, beyond = search.narrowed(close, beyond, search.is_kept, "upper")
        if search.keeps_all(close):
            return search.found(close, None if beyond is None else search.exceeding(close, beyond))
        begin = close


@dataclass(frozen=True, slots=True)
class _Search:
    """times: the ones that bind first. refused: parameters that are exceeded at another one."""

    told_at: ToldAt
    times: list[int]
    most: Any
    digits: int
    least: Fraction
    refused: set[Fraction] = field(default_factory=set)

    def is_kept(self, parameter: Fraction) -> bool:
        """Whether it is kept at the first of the times, and not known to be exceeded at another one."""
        return parameter not in self.refused and bool(self._first(parameter).upper <= self.most)

    def exceeds(self, parameter: Fraction) -> bool:
        """Whether it is certainly exceeded at the first of the times."""
        return bool(self._first(parameter).lower > self.most)

    def _first(self, parameter: Fraction) -> Any:
        return self._alone(parameter, self.times[0])

    def _alone(self, parameter: Fraction, time: int) -> Any:
        (found,) = self.told_at(parameter, (time,))
        return found

    def everywhere(self, parameter: Fraction) -> dict[int, Any]:
        """Return what is told at each time; of those that were looked at by themselves, what was found there."""
        times = tuple(sorted(self.times))
        told = dict(zip(times, self.told_at(parameter, times), strict=True))
        return told | {time: self._alone(parameter, time) for time in self.times[: len(self.refused) + 1]}

    def keeps_all(self, parameter: Fraction) -> bool:
        """Whether it is kept at all times; the one at which most is told comes first from then on."""
        told = self.everywhere(parameter)
        worst = max(self.times, key=lambda time: told[time].upper)
        self.times.sort(key=lambda time: time != worst)
        if told[worst].upper <= self.most:
            return True
        self.refused.add(parameter)
        return False

    def bracket(self, begin: Fraction, away: Fraction, safest: Fraction | None) -> tuple[Fraction, Fraction | None]:
        """Return a parameter that is kept at the first of the times, and one that is not shown to be, if any."""
        unsafe: Fraction | None = None
        parameter = begin
        while not self.is_kept(parameter):
            unsafe = parameter
            parameter *= away
            if FINEST < parameter < LONGEST_STRIDE * begin and self.least < 2 * parameter:
                continue
            if safest is None or self.least > FINEST or not self.is_kept(safest):
                is_level = isinstance(self.most, Level)
                limit = f"α = {self.most.exact_text}" if is_level else f"δ = {fraction_to_text(self.most)}"
                raise InfeasibleBudget(
                    f"no such releases could be shown to stay within {limit}: "
                    "allow a greater δ or α, or use less δ per release"
                )
            return safest, unsafe
        while unsafe is None:
            stride = parameter / away
            if not FINEST < stride < LONGEST_STRIDE * begin:
                return parameter, None
            if self.is_kept(stride):
                parameter = stride
            else:
                unsafe = stride
        return parameter, unsafe

    def narrowed(
        self,
        inside: Fraction,
        outside: Fraction,
        holds: Callable[[Fraction], bool],
        end: str,
        enough: Fraction = FINEST,
    ) -> tuple[Fraction, Fraction]:
        """Return two neighbouring decimals, between these: at the first something holds, at the second it does not.

        Args: end, `upper` or `lower`, by which it is decided whether something holds; enough, a distance at which they
        are near enough though they are no neighbours.
        """
        for turn in count():
            middle = self._decimal((inside + outside) / 2)
            if not min(inside, outside) < middle < max(inside, outside) or abs(inside - outside) < enough:
                break
            if turn % 3 < 2:
                middle = self._crossing(inside, outside, end) or middle
            inside, outside = (middle, outside) if holds(middle) else (inside, middle)
        return inside, outside

    def _crossing(self, first: Fraction, second: Fraction, end: str) -> Fraction | None:
        """Return a decimal between two others, near to where a line through what they tell comes to `most`."""
        one, other = (self._over(getattr(self._first(parameter), end)) for parameter in (first, second))
        low, high = sorted((first, second))
        if not (isfinite(one - other) and one * other < 0 < low):
            return None
        context = Context(prec=self.digits)
        after, before = (context.divide(own.numerator, own.denominator) for own in (low, high))
        guess = self._decimal(first + (second - first) * Fraction(one / (one - other)))
        return min(max(guess, Fraction(context.next_plus(after))), Fraction(context.next_minus(before)))

    def _over(self, told: Any) -> float:
        """Return how far it is above `most`: levels by their difference, probabilities by their ratio."""
        if isinstance(told, Level):
            return told.double_above() - float(self.most.double_above())
        return log(told / self.most) if told and self.most else inf

    def exceeding(self, kept: Fraction, beyond: Fraction) -> Fraction | None:
        """Return a decimal near to the nearest one at which it is exceeded, as far as bounds tell."""
        step = beyond - kept
        for _ in range(LONGEST_STRIDE.bit_length() // 2):
            beyond = kept + step
            if beyond <= 0:
                return None
            if self.exceeds(beyond):
                return self.narrowed(beyond, kept, self.exceeds, "lower", abs(step) / FAR_ENOUGH)[0]
            step *= 4
        return None

    def found(self, kept: Fraction, exceeds: Fraction | None) -> KeptParameter:
        """Return what is found, with the time at which most is told."""
        told = self.everywhere(kept)
        time = max(told, key=lambda own: told[own].upper)
        return KeptParameter(kept, exceeds, time, told[time])

    def _decimal(self, number: Fraction) -> Fraction:
        context = Context(prec=self.digits)
        return Fraction(context.divide(number.numerator, number.denominator))


def check_bearable(budget: PrivacyBudget, delta: Fraction, known: Sequence[KnownPair]) -> None:
    """Raise InfeasibleBudget where such releases, however little they tell, exceed δ over an infinite horizon."""
    for pair in known:
        found = known_for_ever(budget, matrices_outward(*pair), delta)
        if found is not None and found.lower.is_infinite:
            raise InfeasibleBudget(f"no such releases stay within δ for ever: {found.reason}")


def greatest_pure(
    alpha: Level, known: Sequence[KnownPair], horizon: int | None, neighbours: Neighbours, digits: int
) -> KeptParameter:
    """Return the greatest ε of pure releases whose δ at α is 0: their exact worst case is at most α.

    Raises: InvalidRequest where every ε keeps that; InfeasibleBudget for α = 0; Undecided.
    """
    budget = min(fast_worst_case_budget(alpha, backward, forward, horizon) for backward, forward in known)
    if budget.is_infinite:
        raise InvalidRequest("with one state there is nothing to distinguish: every ε keeps TPL within α")
    part = 2 if neighbours.converts else 1
    found = budget.enclosure(digits + 2)
    ends = outward(Fraction(found.lower) / part, Fraction(found.upper) / part, digits)
    is_kept = budget.rational == part * Fraction(ends.upper)
    beyond = ends.upper.next_plus(Context(prec=digits)) if is_kept else ends.upper
    nothing, time = WorstDelta(Fraction(0), Fraction(0)), None
    if horizon is not None:
        (spent,) = neighbours.read([Level.of(Fraction(ends.lower))])
        told = [fast_worst_case_leakage([spent] * horizon, backward, forward).tpl for backward, forward in known]
        worst = [max(levels) for levels in zip(*told, strict=True)]
        time = worst.index(max(worst)) + 1
    return KeptParameter(Fraction(ends.lower), Fraction(beyond), time, nothing)
