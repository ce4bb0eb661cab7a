"""An account at a δ: releases of any kind whose δ at a level stays within a limit at every time.

Whether a release may be spent upper bounds of δ decide, `reference.Profile`: those of the ranking first, in doubles
with their rounding, and closer ones where these exceed the limit. A release changes BPL at no earlier time: for
adversaries who know P^B alone only the new times are looked at. And a time tells at most what another does that has the
same releases around it and more of them farther away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from operator import eq

from ..contract.limits import too_large
from ..reference import InfeasibleBudget, InvalidRequest, Level, PrivacyBudget
from ..reference.decimals import fraction_to_text, outward
from ..reference.paper.loss import Progress
from ..reference.worst_case.profile_budgets import are_equal, key_of
from .chain import KnownPair
from .stream_profile import SIDES, greatest_delta, profile_at, seen_by

MOST_ALIKE = 10_000
"""Releases of one budget to adversaries who know one correlation: the last time, or the first, is the worst."""

MOST_EXAMINED = 200
"""Other releases: each of many times is looked at."""

LIMIT_DIGITS = 6
"""Of δ in an error."""

View = tuple[object, tuple[object, ...], tuple[object, ...]]
"""What bears on a time: its own budget, those of the past and of the future, the nearest first."""


class ProfileAccount:
    """Keeps the TPL of a stream at a level within a δ, over all private streams and to one or several adversaries."""

    def __init__(
        self, known: Mapping[str, KnownPair], cap: Level, delta: Fraction, spent: Iterable[PrivacyBudget] = ()
    ) -> None:
        """Start after releases that kept the limit when they were spent; they are not looked at again.

        Args:
            known: the correlations that each adversary knows, by name.
            cap: a finite level.
            delta: the probability within which δ at `cap` stays, above 0 and below 1.
            spent: the budgets of the releases so far, under replacement.

        Raises: InvalidRequest for another cap or δ.
        """
        if cap.is_infinite or not 0 < delta < 1:
            raise InvalidRequest("an account at a δ needs a finite cap, and a δ above 0 and below 1")
        self.known, self.cap, self.delta = dict(known), cap, delta
        self.budgets: tuple[PrivacyBudget, ...] = tuple(spent)
        self._changed = self.releases
        self._bounded: tuple[Sequence[PrivacyBudget], dict[int, Fraction]] = (self.budgets, {})

    @property
    def releases(self) -> int:
        """How many releases there were: T."""
        return len(self.budgets)

    def spend_all(self, budgets: Iterable[PrivacyBudget], advance: Progress) -> None:
        """Account for releases of these budgets, all of them or none.

        Raises: InfeasibleBudget where δ at some time would not be known to stay within the limit; InvalidRequest for
        more releases than are looked at in seconds.
        """
        self.become((*self.budgets, *budgets), advance)

    def become(self, budgets: Sequence[PrivacyBudget], advance: Progress) -> None:
        """Account for budgets of all times in place of those so far: of some times more, or of further ones.

        Raises: as `spend_all`.
        """
        following = tuple(budgets)
        alike = [*map(eq, map(key_of, self.budgets), map(key_of, following))]
        changed = 1 + (alike.index(False) if False in alike else self.releases)
        for time, bound in self._bounds(following, changed, advance):
            self._check(following, time, bound)
        if len(following) >= changed:
            self.budgets, self._changed = following, changed

    def worst(self, advance: Progress) -> tuple[int, Fraction]:
        """Return the time with the greatest upper bound of δ among those that the last release changed, and that bound.

        Raises: InvalidRequest before the first release; InfeasibleBudget where it is not within the limit, as of
        releases that were not spent here.
        """
        if not self.budgets:
            raise InvalidRequest("there is no release yet")
        time, bound = max(self._bounds(self.budgets, self._changed, advance), key=lambda each: each[1])
        self._check(self.budgets, time, bound)
        return time, bound

    def all_times(self, advance: Progress) -> list[Fraction]:
        """Return an upper bound of δ at each time. Raises: InvalidRequest for too many."""
        if self.releases > MOST_EXAMINED:
            raise too_large(f"{self.releases} times, at most {MOST_EXAMINED} are shown")
        found = []
        for time in range(1, self.releases + 1):
            found.append(self._bound(self.budgets, time))
            advance(time, self.releases)
        return found

    def _bounds(
        self, budgets: Sequence[PrivacyBudget], first: int, advance: Progress
    ) -> Iterable[tuple[int, Fraction]]:
        """Yield the times that may be the worst, where only releases from `first` on are new, and bounds of δ."""
        times = self._times(budgets, first)
        for place, time in enumerate(times, 1):
            yield time, self._bound(budgets, time)
            advance(place, len(times))

    def _bound(self, budgets: Sequence[PrivacyBudget], time: int) -> Fraction:
        """Return an upper bound of δ at a time: a quick one if that is within the limit, else the closest.

        For the budgets last asked about, each time is computed once.
        """
        if self._bounded[0] is not budgets:
            self._bounded = (budgets, {})
        known = self._bounded[1]
        if time in known:
            return known[time]
        found = Fraction(0)
        for pair in self._seen():
            profile = profile_at(budgets, time, *pair)
            quick = profile.most(self.cap)
            found = max(found, quick if quick <= self.delta else profile.delta(self.cap).upper)
        known[time] = found
        return found

    def _times(self, budgets: Sequence[PrivacyBudget], first: int) -> list[int]:
        pairs = set(self.known.values())
        hears = any(forward is not None for _, forward in pairs)
        if all(None in pair for pair in pairs) and are_equal(budgets) and len(budgets) <= MOST_ALIKE:
            return sorted({1 if forward is not None else len(budgets) for _, forward in pairs}) if budgets else []
        if len(budgets) > MOST_EXAMINED:
            raise too_large(
                f"an account at a δ of {len(budgets)} releases: at most {MOST_ALIKE:,} of one budget to adversaries "
                f"who know one correlation, else {MOST_EXAMINED}"
            )
        keys = [key_of(budget) for budget in budgets]
        times = range(1 if hears else first, len(budgets) + 1)
        views = {time: {self._view(keys, time, pair) for pair in pairs} for time in times}
        kept: list[int] = []
        for time in times:
            others = [*kept, *range(time + 1, len(budgets) + 1)]
            if not any(_covers(views[other], views[time]) for other in others):
                kept.append(time)
        return kept

    @staticmethod
    def _view(keys: Sequence[object], time: int, pair: KnownPair) -> View:
        backward, forward = pair
        past = () if backward is None else tuple(keys[: time - 1][::-1])
        return keys[time - 1], past, () if forward is None else tuple(keys[time:])

    def _seen(self) -> tuple[KnownPair, ...]:
        return seen_by([*SIDES][-1], self.known.values())

    def _check(self, budgets: Sequence[PrivacyBudget], time: int, bound: Fraction) -> None:
        """Raise InfeasibleBudget where the bound of δ at a time is not within the limit, saying what is known of δ."""
        if bound <= self.delta:
            return
        found = greatest_delta([profile_at(budgets, time, *pair) for pair in self._seen()], self.cap)
        ends, limit = outward(found.lower, found.upper, LIMIT_DIGITS), fraction_to_text(self.delta)
        if found.lower > self.delta:
            raise InfeasibleBudget(f"δ at time {time} would be at least {ends.lower} in some stream, above {limit}")
        raise InfeasibleBudget(
            f"δ at time {time} is not known to stay within {limit}: the greatest is from {ends.lower} to {ends.upper}"
        )


def _covers(more: Collection[View], less: Collection[View]) -> bool:
    """Whether a time tells at least what another does: the same releases are around it, and others farther away."""
    return all(
        any(one[0] == own[0] and one[1][: len(own[1])] == own[1] and one[2][: len(own[2])] == own[2] for one in more)
        for own in less
    )
