"""What any event-level private stream tells on a law beyond a chain of first order, between two ends that are proved.

On a chain of second order the upper end is proved by a sweep over pairs of values, and the lower one attained by sets
of single values; the truth may lie anywhere between them. On histories both come from the linear program over all
streams and meet but for its rounding. All of it is TPL: what all releases tell of one value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import permutations
from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray

from ..certificates.above_doubles import below_it
from ..certificates.above_histories import joint_odds_above, joint_odds_attained
from ..certificates.above_second_order import AtOneTime, SecondOrderSides
from ..reference import InfeasibleBudget, InvalidRequest, Level
from ..reference.laws import Histories, SecondOrder
from ..solvers.worst_case.sets_of_values import attained_odds

Doubles = NDArray[np.float64]

CLOSE_ODDS = 1e-9
"""How close to the greatest odds that are not proved those come that are."""

GREATEST = 100
"""Greatest sum of budgets: odds beyond e^100 are no longer told apart in doubles with room to spare."""


@dataclass(frozen=True, slots=True)
class Ends:
    """TPL at a time: some stream attains `lower`, and none exceeds `upper`."""

    lower: Level
    upper: Level


@dataclass(slots=True)
class SecondOrderLeakage:
    """What streams tell on a chain of second order."""

    law: SecondOrder
    _sides: dict[int, SecondOrderSides] = field(default_factory=dict)

    def ends(self, epsilons: Sequence[Level]) -> Iterator[Ends]:
        """Yield both ends of TPL at each time. Raises: InvalidRequest for budgets beyond `GREATEST`."""
        for time, (at, epsilon) in enumerate(zip(self._at_each(epsilons), epsilons, strict=True)):
            if all(own.is_zero for other, own in enumerate(epsilons) if other != time):
                yield Ends(epsilon, epsilon)
                continue
            low = attained_odds(self.law, [float(own) for own in epsilons], time)
            yield _of(epsilon, low, _odds_above(at, low))

    def keeps(self, epsilons: Sequence[Level], alpha: Level) -> bool:
        """Return whether it is proved that TPL is at most alpha at all times."""
        each = zip(self._at_each(epsilons), epsilons, strict=True)
        return all((room := _room(alpha, epsilon)) >= 1 and not len(_unproved(at, room)) for at, epsilon in each)

    def _at_each(self, epsilons: Sequence[Level]) -> Iterator[AtOneTime | None]:
        """Yield what is proved at each time; nothing is needed of a single release."""
        _check(epsilons)
        releases = len(epsilons)
        if releases not in self._sides:
            self._sides[releases] = SecondOrderSides(self.law, releases)
        for time in range(releases):
            yield AtOneTime(self._sides[releases], epsilons, time) if releases > 1 else None


def _unproved(at: AtOneTime | None, odds: float, which: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return the pairs, of all or of some, of which odds are not proved."""
    if at is None:
        return np.arange(0)
    left = np.arange(len(at.pairs)) if which is None else which
    return left[~at.proved(odds, left)]


def _odds_above(at: AtOneTime | None, low: float) -> float:
    high = low * (1 + CLOSE_ODDS)
    left = _unproved(at, high)
    if at is not None and len(left):
        high = at.most()
    while len(left) and high > low * (1 + CLOSE_ODDS):
        tried = sqrt(low) * sqrt(high)
        exceeding = _unproved(at, tried, left)
        if len(exceeding):
            low, left = tried, exceeding
        else:
            high = tried
    return high


@dataclass(slots=True)
class HistoriesLeakage:
    """What streams tell on histories, by the linear program over all streams. Needs highspy."""

    law: Histories

    def ends(self, epsilons: Sequence[Level]) -> Iterator[Ends]:
        """Yield both ends of TPL at each time. Raises: InvalidRequest for another number of releases; Undecided."""
        self._check(epsilons)
        for time, epsilon in enumerate(epsilons):
            low, high = 1.0, 1.0
            for attained, bound in self._odds(epsilons, time):
                low, high = max(low, attained), max(high, bound)
            yield _of(epsilon, low, high, own_included=True)

    def keeps(self, epsilons: Sequence[Level], alpha: Level) -> bool:
        """Return whether it is proved that TPL is at most alpha at all times."""
        self._check(epsilons)
        room = below_it(1 + alpha.excess_bounds()[0])
        return all(bound <= room for time in range(len(epsilons)) for _, bound in self._odds(epsilons, time))

    def _check(self, epsilons: Sequence[Level]) -> None:
        _check(epsilons)
        if len(epsilons) != self.law.releases:
            raise InvalidRequest(f"these are histories of {self.law.releases} values, and {len(epsilons)} releases")

    def _odds(self, epsilons: Sequence[Level], time: int) -> Iterator[tuple[float, float]]:
        from ..solvers.linear_programs.histories import joint_solution

        law = self.law
        weights = {history: law.weights.get(history, 0) + law.smoothing for history in law.possible()}
        given = {}
        for value in range(law.n):
            total = sum(weight for history, weight in weights.items() if history[time] == value)
            if total:
                given[value] = np.zeros((law.n,) * law.releases)
                for history, weight in weights.items():
                    if history[time] == value:
                        given[value][history] = float(weight / Fraction(total))
        factors = [exp(float(epsilon)) for epsilon in epsilons]
        for j, k in permutations(given, 2):
            found = joint_solution(given[j], given[k], factors)
            yield (
                joint_odds_attained(given[j], given[k], epsilons, found.likelihoods),
                joint_odds_above(given[j], given[k], epsilons, found.odds, found.multipliers),
            )


def leakage_of_law(law: SecondOrder | Histories) -> SecondOrderLeakage | HistoriesLeakage:
    """Return what answers about a law."""
    return SecondOrderLeakage(law) if isinstance(law, SecondOrder) else HistoriesLeakage(law)


def greatest_kept(keeps: Callable[[Level], bool], alpha: Level, horizon: int, digits: int) -> Level:
    """Return a constant budget of some digits, about the greatest of which it is proved that it keeps alpha.

    Not less than α/T, which is safe under any law. Raises: InfeasibleBudget for α = 0; InvalidRequest for α = ∞.
    """
    if alpha.is_infinite:
        raise InvalidRequest("with α = inf every budget is allowed: give a smaller value")
    if alpha.is_zero:
        raise InfeasibleBudget("only budgets of 0 keep α = 0")
    share = Fraction(alpha.enclosure(digits + 2).lower) / horizon
    most = Fraction(alpha.enclosure(digits + 2).upper)
    unit = Fraction(10) ** (Decimal(share.numerator) / Decimal(share.denominator)).adjusted() / 10 ** (digits - 1)
    low, high = share // unit, most // unit + 1
    while high - low > 1:
        tried = (low + high) // 2
        if keeps(Level.of(tried * unit)):
            low = tried
        else:
            high = tried
    return Level.of(low * unit)


def _room(alpha: Level, epsilon: Level) -> float:
    """Return what other releases may move odds by: a double below e^{α − ε}."""
    return below_it((1 + alpha.excess_bounds()[0]) / (1 + epsilon.excess_bounds()[1]))


def _of(epsilon: Level, low: float, high: float, own_included: bool = False) -> Ends:
    own = Level.of(0) if own_included else epsilon
    lower = Level.of_ratio(Fraction(low)) + own
    return Ends(max(lower, epsilon), Level.of_ratio(Fraction(high)) + own)


def _check(epsilons: Sequence[Level]) -> None:
    if any(own.is_infinite for own in epsilons) or sum(map(float, epsilons)) > GREATEST:
        raise InvalidRequest(f"budgets on a law beyond first order add up to at most {GREATEST}")
