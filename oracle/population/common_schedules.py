"""One schedule of T budgets that keeps TPL within α for the users of a population, verified on each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from ..models.basis import Basis
from ..models.neighbours import REPLACE
from ..models.paper_bound import PaperBound, fitted
from ..models.worst_case import WorstCase
from ..output.sheets import USUAL_DIGITS
from ..output.writing import write_text
from ..reference import Adversary, InvalidRequest, Level, Undecided, group_privacy, mean_noise, parse_level
from ..wire.strict_json import Object, encode
from .overview import LevelSummary, PopulationSummary, refused_users, summary_of
from .question import PopulationQuestion
from .workers import Workers
from .worst_users import WorstUser, worst_users

SCHEDULE_FILE = "schedule.json"

BY_PAPER_BOUND = "the exact worst case, which never exceeds the paper's bound that the schedule is fitted to"

BINDING = 2
"""Users who are added to those that a schedule is fitted to, each time that some are not kept."""

MOST_FITS = 12

BELOW = 1 - Fraction(1, 2**44)
"""By this part of α schedules are fitted lower, so that the enclosures of those who bind them stay within α too."""

Answering = Callable[[PopulationQuestion, Path], None]
"""Answers a question for all users into a folder."""

Fitting = Callable[[list[WorstUser]], list[Adversary]]
"""Returns the adversaries of some users, exactly."""


@dataclass(frozen=True, slots=True)
class CommonSchedule:
    """Rational budgets, as they are printed; users, what they leak of each of them; rounds that it took.

    refused: the users whose correlations are not known; by_sum: whether TPL of these too is within alpha, as the sum of
    the budgets is, which no correlation exceeds.
    """

    epsilons: tuple[Level, ...]
    users: PopulationSummary
    rounds: int
    refused: tuple[str, ...] = ()
    by_sum: bool = False

    @property
    def left_out(self) -> tuple[str, ...]:
        """Users for whom the schedule was not verified."""
        return () if self.by_sum else self.refused

    @property
    def tpl(self) -> LevelSummary:
        """The greatest TPL of any user on whom it is verified, a double at or above it, and whose."""
        return self.users.by(PaperBound.key)["tpl"]

    def value(self) -> Object:
        """Return it for JSON: the budgets, exact; worst_tpl, a double that no TPL of the verified users is above."""
        return {
            "users": self.users.users,
            "verified_users": self.users.users - len(self.left_out),
            "left_out": [*self.left_out],
            "by_sum_of_budgets": [*self.refused] if self.by_sum else [],
            "epsilons": [epsilon.full_text() for epsilon in self.epsilons],
            "mean_noise": str(mean_noise(self.epsilons, Fraction(1)).upper),
            "worst_tpl": repr(self.tpl.worst),
            "worst_user": self.tpl.user,
            "rounds": self.rounds,
        }


def common_schedule(
    question: PopulationQuestion,
    method: str,
    horizon: int,
    folder: Path,
    *,
    answering: Answering,
    fitting: Fitting,
    count_worst: bool = False,
    workers: Workers | None = None,
) -> CommonSchedule:
    """Fit a schedule to the users that bind it, and verify it on all; those who are not kept bind the next one.

    Args: question, answered in folder, with alpha; method, as `fitted`; count_worst, whether users who are refused
    count as of the strongest correlation: then, if there are any, each budget is alpha/T; workers, as `summary_of`.
    Returns: a schedule that keeps the paper's bound of TPL within alpha for every user that is not refused: verified by
    the enclosures of each of them. Of method constant, no common budget is greater by more than the part 2^−43: already
    the users that bind it do not bear it.
    Raises: InvalidRequest where all users are refused; Undecided after too many rounds.
    """
    assert question.alpha is not None
    alpha = parse_level(question.alpha)
    question = replace(question, model=PaperBound.name)
    within = Level.of(Fraction(alpha.enclosure().lower) * BELOW)
    refused = tuple(refused_users(folder))
    by_sum = count_worst and bool(refused)
    binding = worst_users(question, folder, BINDING, workers)
    if not binding:
        raise InvalidRequest("there is no schedule for all: every user is refused")
    for number in range(1, MOST_FITS + 1):
        if by_sum:
            epsilons: tuple[Level, ...] = (group_privacy(within, horizon),) * horizon
        else:
            epsilons = fitted(within, fitting(binding), method, horizon)
        texts = tuple(epsilon.full_text() for epsilon in epsilons)
        asked = replace(question, epsilons=texts, epsilon=None, alpha=None, neighbours=REPLACE)
        own = folder / f"common-{number}"
        answering(asked, own)
        printed = question.converted.printed(epsilons, USUAL_DIGITS)
        found = CommonSchedule(printed, summary_of(asked, own, workers), number, refused, by_sum)
        if found.tpl.worst <= alpha.double_below():
            return found
        binding += worst_users(asked, own, BINDING, workers)
    raise Undecided(f"no schedule was found in {MOST_FITS} rounds that keeps {question.alpha} for everyone")


def write_schedule(folder: Path, found: CommonSchedule, basis: Basis) -> None:
    """Write a schedule, and what it rests on, for JSON. Args: basis, of the users on whom it was verified."""
    own = replace(basis, absent={WorstCase.key: BY_PAPER_BOUND})
    value: Object = {PaperBound.key: found.value(), "basis": own.value()}
    write_text(str(folder / SCHEDULE_FILE), encode(value) + "\n", "schedule")
