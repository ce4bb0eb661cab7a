"""An account that is kept by the exact worst case: what was spent, what it leaks, and what may still be spent.

As `reference.Accountant`, but BPL, FPL and TPL are those of the worst mechanisms, `reference.worst_case`, which are
never above the recursions'. They do not follow from the last release alone. BPL stays what it was, but how many sets
there are to be told apart by grows with the history: no summary of it gives the next one. FPL and TPL change at every
time. `TightHistory` says what is not worked out again.

*What may still be spent.* A next release of x takes the sweep of a pair (j, k) and a time t, with λ = e^{cap − ε_t} /
B_t(j, k) and the releases after t, one step further: W(λ) = Σ Φ_x(c) = e^x·Σ c^+ − Σ c^−. So TPL_t stays within the cap
for that pair if and only if e^x ≤ Σ c^− / Σ c^+. The least of these over all times and pairs is worked out in doubles,
taken a little less, and verified.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import inf, log1p

import numpy as np

from ...reference.errors import InfeasibleBudget, InvalidRequest, Undecided
from ...reference.levels import INFINITE, ZERO, Level
from ...reference.paper.leakage import Adversary, Leakage, Maximum
from ..floats import Doubles
from .agreeing import agreeing_maximum
from .doubles import LARGEST_IN_DOUBLES, Matrices, SideInDoubles, all_pairs
from .pairs import TightHistory

MARGINS = (Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 10**3))
"""By so much less than doubles say a budget is tried."""

LEAST_ROOM = 1e-12
"""A smaller budget is none."""


class TightAccountant:
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
        self._matrices = {name: _matrices(adversary) for name, adversary in adversaries.items()}
        self._histories = {known: TightHistory(*known) for known in set(self._matrices.values())}
        self.epsilons: tuple[Level, ...] = ()
        self._leakage: dict[Matrices, Leakage] = {}
        self.spend_all(spent)

    @property
    def releases(self) -> int:
        """How many releases there were: T."""
        return len(self.epsilons)

    def spend_all(self, epsilons: Iterable[Level]) -> None:
        """Account for releases of these budgets, all of them or none.

        Raises: InfeasibleBudget where TPL at some time would exceed the cap; Undecided.
        """
        following = (*self.epsilons, *epsilons)
        if len(following) == self.releases:
            return
        leakage = {known: history.leakage(following) for known, history in self._histories.items()}
        for name, known in self._matrices.items():
            for time, level in enumerate(leakage[known].tpl, 1):
                if level > self.cap:
                    raise InfeasibleBudget(f"TPL at time {time} would exceed the cap for {name!r}")
        self.epsilons, self._leakage = following, leakage

    def leakage(self, name: str) -> Leakage:
        """Return BPL, FPL and TPL of all times so far to one adversary, exact. Raises: InvalidRequest."""
        if name not in self._matrices or not self.releases:
            raise InvalidRequest(f"there is no user {name!r}, or no release")
        return self._leakage[self._matrices[name]]

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
        return agreeing_maximum({name: getattr(self.leakage(name), kind)[time - 1] for name in self._matrices})

    def remaining(self) -> Level | None:
        """Return a lower bound of what the next release may spend, to about nine digits; None without a cap.

        It is verified: spent, it keeps TPL at every time within the cap. Raises: Undecided.
        """
        if self.cap.is_infinite:
            return None
        if not self.releases:
            return self.cap
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            room = min(_room(self.epsilons, known, self.cap) for known in self._histories)
        room = min(room, self.cap.double_below())
        if not room >= LEAST_ROOM:
            return ZERO
        for margin in MARGINS:
            tried = Level.of(_cut(Fraction(room) * (1 - margin)))
            if self._keeps(tried):
                return tried
        return ZERO

    def _keeps(self, epsilon: Level) -> bool:
        following = (*self.epsilons, epsilon)
        try:
            return all(
                level <= self.cap for history in self._histories.values() for level in history.leakage(following).tpl
            )
        except Undecided:
            return False


def _matrices(adversary: Adversary) -> Matrices:
    losses = (adversary.backward, adversary.forward)
    backward, forward = (None if loss is None else loss.matrix for loss in losses)
    return backward, forward


def _cut(value: Fraction) -> Fraction:
    """Return a number of few digits, at most a positive one."""
    unit = Fraction(1, 10**12)
    while unit > value / 10**9:
        unit /= 10**3
    return value // unit * unit


def _room(epsilons: Sequence[Level], known: Matrices, cap: Level) -> float:
    """Return about the greatest budget of a next release, in doubles."""
    backward, forward = known
    most = cap.double_below()
    pairs = all_pairs(known)
    if not len(pairs):
        return most if all(matrix is None for matrix in known) else inf
    budgets = [min(epsilon.double_below(), LARGEST_IN_DOUBLES) for epsilon in epsilons]
    past = SideInDoubles(backward, pairs).ratios(budgets)
    room = most - float(np.log(past[-1]).max())
    return room if forward is None else min(room, _ahead(SideInDoubles(forward, pairs), past, budgets, most))


def _ahead(forward: SideInDoubles, past: Doubles, budgets: Sequence[float], most: float) -> float:
    """Return about the greatest budget of a next release that the times so far admit."""
    room = inf
    for t, own in enumerate(budgets):
        ratio = np.maximum(np.exp(min(most - own, LARGEST_IN_DOUBLES)) / past[t], 1.0)
        c = forward.swept(ratio, budgets[t + 1 :])
        above, below = np.where(c > 0, c, 0).sum(axis=1), c.sum(axis=1)
        least = float(np.where(above > 0, -below / np.where(above > 0, above, 1), inf).min())
        room = min(room, log1p(least) if least > 0 else 0.0)
    return room
