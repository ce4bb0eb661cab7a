"""An account that is kept by the exact worst case: what was spent, what it leaks, and what may still be spent.

As `reference.Accountant`, but BPL, FPL and TPL are those of the worst mechanisms, `reference.worst_case`, which are
never above the recursions'. They do not follow from the last release alone. BPL stays what it was, but how many sets
there are to be told apart by grows with the history: no summary of it gives the next one. FPL and TPL change at every
time. `WorstCaseHistory` says what is not worked out again.

*What may still be spent*, and whether a single release may be: the sweeps of all times are carried from each release to
the next (`carried`), which says so for certain unless it is very near; then, and for many releases at once, the worst
leakage decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction

from ...reference.errors import InfeasibleBudget, InvalidRequest, Undecided
from ...reference.levels import INFINITE, ZERO, Level
from ...reference.paper.leakage import Adversary, Leakage, Matrices, Maximum, matrices_of
from ..loss.recursions import LongStream
from .agreeing import agreeing_maximum
from .carried import CarriedSweeps
from .pairs import WorstCaseHistory, greatest
from .worst import WorstTpl, greatest_worst_case_tpl

MARGINS = (Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 10**3))
"""Relative amount by which the budget tried is below what doubles say."""

LONG_ACCOUNT = 100
"""Number of releases up to which the paper's bound is computed first."""

MOST_SINGLE = 20
"""If more levels of the same releases are asked for, all of them are worked out."""

LEAST_ROOM = 1e-12
"""A smaller budget is none."""


@dataclass(frozen=True, slots=True)
class WorstSoFar:
    """The greatest TPL at any time so far.

    time: the first, from 1, at which it may be attained; attained: a TPL, a *lower* bound of it, and whose it is;
    bound: an *upper* bound.
    """

    time: int
    attained: Maximum[str]
    bound: Level


class WorstCaseAccountant:
    """Keeps the worst leakage of a stream of releases over all mechanisms, to one or several adversaries."""

    def __init__(
        self, adversaries: Mapping[str, Adversary], cap: Level = INFINITE, spent: Iterable[Level] = ()
    ) -> None:
        """Start before the first release, or after those whose budgets are already spent.

        Args: as `reference.Accountant`. Raises: as it.
        """
        if not adversaries:
            raise InvalidRequest("there is no user to account for")
        self.adversaries = dict(adversaries)
        self.cap = cap
        self._matrices = {name: matrices_of(adversary) for name, adversary in adversaries.items()}
        self._histories = {known: WorstCaseHistory(*known) for known in set(self._matrices.values())}
        self._carried: dict[Matrices, CarriedSweeps] = {}
        self.epsilons: tuple[Level, ...] = ()
        self._leakage: dict[Matrices, Leakage] = {}
        self._single: dict[tuple[Matrices, str, int], Level] = {}
        self.spend_all(spent)

    @property
    def releases(self) -> int:
        """How many releases there were: T."""
        return len(self.epsilons)

    def spend_all(self, epsilons: Iterable[Level]) -> None:
        """Account for releases of these budgets, all of them or none.

        Raises: InfeasibleBudget where TPL at some time would exceed the cap; Undecided.
        """
        spent = tuple(epsilons)
        following = (*self.epsilons, *spent)
        if not spent:
            return
        if self._carry(following):
            self.epsilons, self._leakage, self._single = following, {}, {}
            return
        above = {known: history.first_above(following, self.cap) for known, history in self._histories.items()}
        for name, known in self._matrices.items():
            if above[known] is not None:
                raise InfeasibleBudget(f"TPL at time {above[known]} would exceed the cap for {name!r}")
        self.epsilons, self._leakage, self._single = following, {}, {}

    def leakage(self, name: str) -> Leakage:
        """Return BPL, FPL and TPL of all times so far to one adversary, exact. Raises: InvalidRequest."""
        if name not in self._matrices or not self.releases:
            raise InvalidRequest(f"there is no user {name!r}, or no release")
        known = self._matrices[name]
        if known not in self._leakage:
            self._leakage[known] = self._histories[known].leakage(self.epsilons)
        return self._leakage[known]

    def bpl(self, time: int) -> Maximum[str]:
        """Return the greatest BPL at a time in 1..T and whose it is. Raises: Undecided."""
        return self._greatest("bpl", time)

    def fpl(self, time: int) -> Maximum[str]:
        """Return the greatest FPL at a time in 1..T after the releases so far. As `bpl`."""
        return self._greatest("fpl", time)

    def tpl(self, time: int) -> Maximum[str]:
        """Return the greatest TPL at a time in 1..T after the releases so far. As `bpl`."""
        return self._greatest("tpl", time)

    def _greatest(self, kind: str, time: int) -> Maximum[str]:
        if not 1 <= time <= self.releases:
            raise InvalidRequest(f"time {time} is not one of the {self.releases} releases so far")
        each = {known: self._at(known, kind, time) for known in self._histories}
        return agreeing_maximum({name: each[known] for name, known in self._matrices.items()})

    def _at(self, known: Matrices, kind: str, time: int) -> Level:
        """Return one level of one time: of few of them the others are not worked out."""
        if known in self._leakage:
            found: Level = getattr(self._leakage[known], kind)[time - 1]
            return found
        if len(self._single) >= MOST_SINGLE:
            self._leakage[known] = self._histories[known].leakage(self.epsilons)
            return self._at(known, kind, time)
        if (known, kind, time) not in self._single:
            backward, forward = known
            past, future = kind != "fpl" and backward is not None, kind != "bpl" and forward is not None
            if not past and not future:
                self._single[known, kind, time] = self.epsilons[time - 1]
            else:
                stream = self._histories[known].stream(self.epsilons, past=past, future=future)
                self._single[known, kind, time] = stream.tpl(time - 1, time - 1)
        return self._single[known, kind, time]

    def worst(self) -> WorstSoFar:
        """Return the greatest TPL so far: in 28 digits; in nine where budgets differ and many times are alike.

        Raises: Undecided, also where it may be at too many times to be looked at.
        """
        if any(epsilon.is_infinite for epsilon in self.epsilons):
            raise Undecided("some leakage is infinite")
        found = {known: self._worst(known) for known in self._histories}
        best = agreeing_maximum({name: found[known].attained for name, known in self._matrices.items()})
        time = min(found[self._matrices[name]].time for name in best.attained_by)
        return WorstSoFar(time, best, greatest([own.bound for own in found.values()]))

    def _worst(self, known: Matrices) -> WorstTpl:
        above = LongStream(self._knowing(known), self.epsilons).above() if self.releases >= LONG_ACCOUNT else None
        return greatest_worst_case_tpl(self.epsilons, *known, self._histories[known].stream(self.epsilons), above)

    def remaining(self) -> Level | None:
        """Return a lower bound of what the next release may spend, to about nine digits; None without a cap.

        It is verified: spent, it keeps TPL at every time within the cap. Raises: Undecided.
        """
        if self.cap.is_infinite:
            return None
        if not self.releases:
            return self.cap
        room = min(own.room() for own in self._swept())
        room = min(room, self.cap.double_below())
        if not room >= LEAST_ROOM:
            return ZERO
        for margin in MARGINS:
            tried = Level.of(_cut(Fraction(room) * (1 - margin)))
            if self._keeps(tried):
                return tried
        return ZERO

    def _swept(self) -> list[CarriedSweeps]:
        """Return the sweeps to each adversary, at the release to come."""
        for known in self._histories:
            own = self._carried.get(known)
            if own is None or own.epsilons != self.epsilons[: len(own.epsilons)]:
                self._carried[known] = CarriedSweeps(known, self.cap)
            self._follow(known, self._carried[known], self.epsilons)
        return list(self._carried.values())

    def _follow(self, known: Matrices, own: CarriedSweeps, epsilons: Sequence[Level]) -> None:
        """Carry the sweeps to one adversary through releases; of many only those of times of which there is doubt.

        There is none of a time at which the paper's bound, if one more release spends the whole cap, is within the cap:
        FPL is never more at a later time that keeps it, and the paper's bound does not fall where that rises.
        """
        doubtful = None
        if len(epsilons) - len(own.epsilons) >= LONG_ACCOUNT and not any(epsilon.is_infinite for epsilon in epsilons):
            doubtful = LongStream(self._knowing(known), (*epsilons, self.cap)).not_within(self.cap)
            doubtful = [time for time in doubtful if len(own.epsilons) <= time < len(epsilons)]
        own.follow(epsilons, doubtful)

    def _knowing(self, known: Matrices) -> Adversary:
        return next(self.adversaries[name] for name, own in self._matrices.items() if own == known)

    def _carry(self, following: Sequence[Level]) -> bool:
        """Whether releases of these budgets, the first of which are known, keep the cap, for certain.

        The sweeps are then carried through them.
        """
        if self.cap.is_infinite:
            return True
        carried = {known: copy(own) for known, own in zip(self._histories, self._swept(), strict=True)}
        for known, own in carried.items():
            self._follow(known, own, following[:-1])
            if not own.keeps(following[-1]):
                return False
            own.advance(following[-1])
        self._carried = carried
        return True

    def _keeps_for_certain(self, epsilon: Level) -> bool:
        return self.cap.is_infinite or all(own.keeps(epsilon) for own in self._swept())

    def _keeps(self, epsilon: Level) -> bool:
        if self._keeps_for_certain(epsilon):
            return True
        following = (*self.epsilons, epsilon)
        try:
            return all(history.first_above(following, self.cap) is None for history in self._histories.values())
        except Undecided:
            return False


def _cut(value: Fraction) -> Fraction:
    """Return a number of few digits, at most a positive one."""
    unit = Fraction(1, 10**12)
    while unit > value / 10**9:
        unit /= 10**3
    return value // unit * unit
