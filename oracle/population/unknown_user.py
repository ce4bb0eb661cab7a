"""An adversary who does not know whose data they are: each user as probable as any other, by the mixture rule.

Of users θ, with shares π_θ(j) of their values and m the mean of these, Pr(θ | l^t = j)/Pr(θ | l^t = k) is
(π_θ(j)/m(j))/(π_θ(k)/m(k)): not knowing θ adds at most the log of the greatest of these to TPL, at any time and over
any horizon (`reference.worst_case.mixtures`). Nothing bounds it so where a user never has a value that another has. And
no adversary learns more of some releases than their budgets add up to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isinf, nextafter

import numpy as np
from numpy.typing import NDArray

from ..models.priors import EQUAL
from ..reference import InfeasibleBudget, InvalidRequest, Level, parse_level
from ..reference.paper.composition import total
from ..solvers.floats import UNIT_ROUNDOFF, Doubles
from .overview import PopulationSummary
from .question import PopulationQuestion, UserChunk

LEFT_DIGITS = 9
"""Decimal places of the level that each user is to keep."""


@dataclass(frozen=True, slots=True)
class UnknownUser:
    """What not knowing the user adds at most: a double that is not below it, ∞ where the rule has no bound, and why."""

    users: int
    adds: float
    why: str = ""

    @classmethod
    def among(cls, chunks: Callable[[], Iterable[UserChunk]], smoothing: Fraction) -> UnknownUser:
        """Read the users twice: for the mean of their shares, and for how far they are from it.

        Args: chunks, of counts; smoothing, added to each. Raises: InvalidRequest for matrices, which have no shares.
        """
        mean: Doubles = np.zeros(0)
        count = 0
        for chunk in chunks():
            own, unknown = _shares(chunk, smoothing)
            if len(unknown):
                return cls(count, inf, f"of user {chunk.users[unknown[0]]} nothing can be estimated")
            mean = own.sum(axis=0) + (mean if len(mean) else 0)
            count += len(own)
        most = 1.0
        for chunk in chunks():
            own, _ = _shares(chunk, smoothing)
            relative = own[:, mean > 0] / mean[mean > 0]
            low = relative.min(axis=1)
            if not low.all():
                user = chunk.users[int(low.argmin())]
                return cls(count, inf, f"user {user} never has a value that another user has")
            most = max(most, float((relative.max(axis=1) / low).max()))
        # A share has lost a unit of the last place for each term of its sums and few more; the mean one for each user.
        most *= 1 + 8 * UNIT_ROUNDOFF * (count + len(mean) ** 2 + 16)
        return cls(count, Level.of_ratio(Fraction(most)).double_above())

    def left(self, alpha: str) -> str:
        """Return the level that each user is to keep so that alpha is kept, rounded down.

        Raises: InfeasibleBudget where nothing is left.
        """
        left = Fraction(parse_level(alpha).double_below()) - (0 if isinf(self.adds) else Fraction(self.adds))
        units = left * 10**LEFT_DIGITS // 1
        if isinf(self.adds) or units <= 0:
            what = f"anything: {self.why}" if isinf(self.adds) else f"{self.adds:.6g}, which leaves nothing of {alpha}"
            raise InfeasibleBudget(
                f"by the mixture rule, not knowing whose data they are may add {what}. Over T releases, {alpha}/T for "
                "each keeps the level under any correlation"
            )
        return f"{units / 10**LEFT_DIGITS:.{LEFT_DIGITS}f}"

    def bounds(self, question: PopulationQuestion, summary: PopulationSummary, model: str) -> dict[str, float]:
        """Return upper bounds of TPL to this adversary, doubles: of the releases, and the supremum, as far as asked.

        Args: summary, of all users; model, given its key. Of users who are refused nothing is known but the budgets.
        """
        levels = summary.by(model)
        found: dict[str, float] = {
            name: self._more(levels[name].worst) for name in ("tpl", "tpl_supremum") if name in levels
        }
        if summary.refused:
            found = dict.fromkeys(found, inf)
        if "tpl" in found:
            found["tpl"] = min(found["tpl"], total(question.levels()).double_above())
        return found

    def _more(self, tpl: float) -> float:
        return nextafter(tpl + self.adds, inf)


def _shares(chunk: UserChunk, smoothing: Fraction) -> tuple[Doubles, NDArray[np.int64]]:
    """Return the share of each value in a user's transitions, from it to another, and of which users none is known."""
    if chunk.counts is None:
        raise InvalidRequest(f"--prior {EQUAL} needs counts: how often each user has each value")
    seen = chunk.counts > 0
    unknown = ~seen.any(axis=(1, 2))
    if not smoothing:
        unknown |= (seen.any(axis=2) != seen.any(axis=1)).any(axis=1)
    largest = max(smoothing, Fraction(1))
    counts = chunk.counts * float(1 / largest) + float(smoothing / largest)
    with np.errstate(invalid="ignore"):
        shares: Doubles = counts.sum(axis=2) / counts.sum(axis=(1, 2))[:, None]
    return shares, np.flatnonzero(unknown)
