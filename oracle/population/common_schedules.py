"""One schedule of T budgets that keeps TPL within α for every user of a population, verified on each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from ..models.paper_bound import fitted
from ..output.writing import write_text
from ..reference import Adversary, Level, Undecided, mean_noise, parse_level
from ..wire.strict_json import Object, encode
from .overview import LevelSummary, summary_of
from .question import PopulationQuestion
from .rulers import Ruler, rulers_of

SCHEDULE_FILE = "schedule.json"

BINDING = 2
"""Users who are added to those that a schedule is fitted to, each time that some are not kept."""

MOST_FITS = 12

BELOW = 1 - Fraction(1, 2**44)
"""By this part of α schedules are fitted lower, so that the enclosures of those who bind them stay within α too."""

Answering = Callable[[PopulationQuestion, Path], None]
"""Answers a question for all users into a folder."""

Fitting = Callable[[list[Ruler]], list[Adversary]]
"""Returns the adversaries of some users, exactly."""


@dataclass(frozen=True, slots=True)
class CommonSchedule:
    """Rational budgets; tpl, the greatest of any user, a double at or above it, and whose; rounds that it took."""

    epsilons: tuple[Level, ...]
    tpl: LevelSummary
    rounds: int

    def value(self) -> Object:
        """Return it for JSON: the budgets, exact; worst_tpl, a double that no user's TPL is above."""
        return {
            "epsilons": [epsilon.full_text() for epsilon in self.epsilons],
            "mean_noise": str(mean_noise(self.epsilons, Fraction(1)).upper),
            "worst_tpl": repr(self.tpl.worst),
            "worst_user": self.tpl.user,
            "rounds": self.rounds,
        }


def common_schedule(
    question: PopulationQuestion, method: str, horizon: int, folder: Path, *, answering: Answering, fitting: Fitting
) -> CommonSchedule:
    """Fit a schedule to the users that bind it, and verify it on all; those who are not kept bind the next one.

    Args: question, answered in folder, with alpha; method, as `fitted`. Returns: a schedule that keeps TPL within alpha
    for everyone: verified by the enclosures of all users. Of method constant, no common budget is greater by more than
    the part 2^−43: already the users that bind it do not bear it. Raises: Undecided after too many rounds.
    """
    assert question.alpha is not None
    alpha = parse_level(question.alpha)
    within = Level.of(Fraction(alpha.enclosure().lower) * BELOW)
    binding = rulers_of(question, folder, BINDING)
    for number in range(1, MOST_FITS + 1):
        epsilons = fitted(within, fitting(binding), method, horizon)
        asked = replace(
            question, epsilons=tuple(epsilon.full_text() for epsilon in epsilons), epsilon=None, alpha=None, tight=False
        )
        own = folder / f"common-{number}"
        answering(asked, own)
        tpl = summary_of(asked, own).levels["tpl"]
        if tpl.worst <= alpha.double_below():
            found = CommonSchedule(epsilons, tpl, number)
            write_text(str(folder / SCHEDULE_FILE), encode(found.value()) + "\n", "schedule")
            return found
        binding += rulers_of(asked, own, BINDING)
    raise Undecided(f"no schedule was found in {MOST_FITS} rounds that keeps {question.alpha} for everyone")
