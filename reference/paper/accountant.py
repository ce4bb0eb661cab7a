"""An accountant for streams: budgets are spent one release at a time, and every leakage so far is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from ..errors import InfeasibleBudget, InvalidRequest
from ..levels import INFINITE, ZERO, Level
from ..numbers import whole
from .leakage import Adversary, Leakage, Maximum, apply, maximum


@dataclass(slots=True)
class _Ledger:
    """One adversary's leakage. Forward leakage is kept from the last release backwards: fpl[i] is that at T − i."""

    adversary: Adversary
    bpl: list[Level] = field(default_factory=list)
    fpl: list[Level] = field(default_factory=list)

    def spend(self, epsilon: Level) -> None:
        previous = apply(self.adversary.backward, self.bpl[-1]) if self.bpl else ZERO
        self.bpl.append(previous + epsilon)

    def forward(self, epsilons: list[Level], time: int) -> Level:
        """Return FPL at a time in 1..T, extending fpl as far back as needed."""
        while len(self.fpl) <= len(epsilons) - time:
            epsilon = epsilons[-1 - len(self.fpl)]
            later = apply(self.adversary.forward, self.fpl[-1]) if self.fpl else ZERO
            self.fpl.append(later + epsilon)
        return self.fpl[len(epsilons) - time]

    def temporal(self, epsilons: list[Level], time: int) -> Level:
        """Return TPL at a time in 1..T."""
        later = ZERO if time == len(epsilons) else apply(self.adversary.forward, self.forward(epsilons, time + 1))
        return self.bpl[time - 1] + later


class Accountant:
    """Keeps the leakage of a stream of releases to one or several adversaries.

    A release costs one step of the backward recursion. Each release changes the forward and temporal leakage of all
    earlier times, Section 3.2 [subsec:tpl]; they are worked out when they are asked for, and the part that ends with
    the same budgets as before is kept: with equal budgets all of it, FPL at t then being what it was at t − 1.

    >>> from fractions import Fraction
    >>> from tploracle.reference import Accountant, Adversary, Level, TransitionMatrix
    >>> matrix = TransitionMatrix.of([["0.8", "0.2"], ["0", "1"]])
    >>> accountant = Accountant({"user": Adversary.knowing(backward=matrix)})
    >>> for _ in range(3):
    ...     now = accountant.spend(Level.of_ratio(Fraction(11, 10)))
    >>> now.level, now.attained_by
    (<Level log(7909/6250)>, ('user',))
    """

    def __init__(
        self, adversaries: Mapping[str, Adversary], cap: Level = INFINITE, spent: Iterable[Level] = ()
    ) -> None:
        """Start before the first release, or after those whose budgets are already spent.

        Args: adversaries by name; cap, a level that TPL must not exceed at any time; spent, budgets in order.
        Raises: InvalidRequest without an adversary; InfeasibleBudget where the cap is already exceeded; Undecided.
        """
        if not adversaries:
            raise InvalidRequest("there is no user to account for")
        by_coefficients: dict[object, _Ledger] = {}
        self._adversaries = dict(adversaries)
        self._ledgers = {
            name: by_coefficients.setdefault(adversary.coefficients, _Ledger(adversary))
            for name, adversary in adversaries.items()
        }
        self._distinct = tuple(by_coefficients.values())
        self._cap = cap
        self._epsilons: list[Level] = []
        self._equal_at_end = 0
        for epsilon in spent:
            self._account(epsilon)
        self._check_cap()

    def __repr__(self) -> str:
        names = ", ".join(map(repr, list(self._adversaries)[:3])) + (", …" if len(self._adversaries) > 3 else "")
        return f"<{type(self).__name__} of {names}: {self.releases} releases, cap {self._cap!r}>"

    @property
    def adversaries(self) -> dict[str, Adversary]:
        """The adversaries by name."""
        return dict(self._adversaries)

    @property
    def cap(self) -> Level:
        """The level that TPL must not exceed at any time; ∞ where there is none."""
        return self._cap

    @property
    def epsilons(self) -> tuple[Level, ...]:
        """The budgets spent so far, in order."""
        return tuple(self._epsilons)

    @property
    def releases(self) -> int:
        """How many releases there were: T."""
        return len(self._epsilons)

    def spend(self, epsilon: Level) -> Maximum[str]:
        """Account for one release of budget epsilon, PL_0(M^t).

        Args:
            epsilon: the budget PL_0(M^t), a level in nats.

        Returns: the greatest BPL now and whose it is, Eq. [eq:bpl2]; exact.
        Raises: InfeasibleBudget where TPL at some time would exceed the cap; Undecided. Then nothing is spent.
        """
        before, equal_at_end = self.releases, self._equal_at_end
        try:
            self._account(epsilon)
            now = self.bpl(self.releases)
            self._check_cap()
        except BaseException:
            self._equal_at_end = equal_at_end
            del self._epsilons[before:]
            for ledger in self._distinct:
                del ledger.bpl[before:]
                ledger.fpl.clear()
            raise
        return now

    def _account(self, epsilon: Level) -> None:
        """Extend the ledgers by a release; of FPL what ends with equal budgets is kept."""
        kept = self._equal_at_end if self._epsilons and epsilon == self._epsilons[-1] else 0
        self._epsilons.append(epsilon)
        for ledger in self._distinct:
            ledger.spend(epsilon)
            del ledger.fpl[kept:]
        self._equal_at_end = kept + 1

    def _check_cap(self) -> None:
        """Raise InfeasibleBudget if TPL exceeds the cap at any time; the latest release changes that of all."""
        if self._cap.is_infinite:
            return
        for time in range(self.releases, 0, -1):
            greatest = self.tpl(time)
            if greatest.level > self._cap:
                raise InfeasibleBudget(f"TPL at time {time} would exceed the cap for {greatest.attained_by[0]!r}")

    def bpl(self, time: int) -> Maximum[str]:
        """Return the greatest BPL at a time in 1..T and whose it is, Eq. [eq:bpl2]. Exact.

        Args:
            time: from 1 to the number of releases so far.

        Raises: InvalidRequest.
        """
        return self._greatest(time, lambda ledger: ledger.bpl[time - 1])

    def fpl(self, time: int) -> Maximum[str]:
        """Return the greatest FPL at a time in 1..T after the releases so far, Eq. [eq:fpl2]. Exact.

        Args:
            time: from 1 to the number of releases so far.

        Raises: InvalidRequest.
        """
        return self._greatest(time, lambda ledger: ledger.forward(self._epsilons, time))

    def tpl(self, time: int) -> Maximum[str]:
        """Return the greatest TPL at a time in 1..T after the releases so far, Eq. [eq:tpl2]. Exact.

        Args:
            time: from 1 to the number of releases so far.

        Raises: InvalidRequest.
        """
        return self._greatest(time, lambda ledger: ledger.temporal(self._epsilons, time))

    def leakage(self, name: str) -> Leakage:
        """Return BPL, FPL and TPL of all times so far to one adversary. Exact.

        Args:
            name: the adversary's.

        Raises: InvalidRequest, Undecided.
        """
        if name not in self._ledgers:
            raise InvalidRequest(f"there is no user {name!r}")
        ledger = self._ledgers[name]
        times = range(1, self.releases + 1)
        return Leakage(
            tuple(ledger.bpl),
            tuple(ledger.forward(self._epsilons, time) for time in times),
            tuple(ledger.temporal(self._epsilons, time) for time in times),
        )

    def _greatest(self, time: int, of: Callable[[_Ledger], Level]) -> Maximum[str]:
        if whole(time, "time") > self.releases:
            raise InvalidRequest(f"time {time} is not one of the {self.releases} releases so far")
        return maximum({name: of(ledger) for name, ledger in self._ledgers.items()})
