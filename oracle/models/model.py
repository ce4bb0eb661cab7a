"""The interface that both leakage models implement and every command uses.

There are two: the exact worst case over all mechanisms with given budgets (`worst_case`), and the paper's bound, which
is never below it (`paper_bound`). Commands, audits, ledgers and the Python API loop over them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

from ..reference import (
    Adversary,
    InfeasibleBudget,
    InvalidRequest,
    Leakage,
    Level,
    Maximum,
    PopulationLeakage,
    Undecided,
)
from ..system.signals import OutOfTime, one_of

if TYPE_CHECKING:
    from ..solvers.worst_case.accounts import WorstSoFar

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")

Adversaries = Mapping[str, Adversary]
"""Users, or candidate correlations of one, by name."""


class NoSuchMethod(InvalidRequest):
    """A model has no schedule by a method. Its contract name is InvalidRequest."""

    @property
    def name(self) -> str:
        """The contract's name of the error."""
        return InvalidRequest.__name__


class Account(Protocol):
    """A stream's account: what was spent, what it leaks, and what may still be spent below a cap."""

    @property
    def adversaries(self) -> Mapping[str, Adversary]:
        """The adversaries by name."""

    @property
    def cap(self) -> Level:
        """The level that TPL must not exceed at any time; ∞ where there is none."""

    @property
    def epsilons(self) -> tuple[Level, ...]:
        """The budgets spent so far, in order."""

    @property
    def releases(self) -> int:
        """How many releases there were: T."""

    def spend_all(self, epsilons: Iterable[Level]) -> None:
        """Account for releases of these budgets, all of them or none. Raises: InfeasibleBudget above the cap."""

    def bpl(self, time: int) -> Maximum[str]:
        """Return the greatest BPL at a time in 1..T and whose it is."""

    def fpl(self, time: int) -> Maximum[str]:
        """Return the greatest FPL at a time in 1..T and whose it is."""

    def tpl(self, time: int) -> Maximum[str]:
        """Return the greatest TPL at a time in 1..T and whose it is."""

    def worst(self) -> WorstSoFar:
        """Return the greatest TPL so far. Raises: Undecided where it is not found."""

    def remaining(self) -> Level | None:
        """Return a *lower* bound of what the next release may spend, None without a cap."""


class Model(ABC):
    """A model of leakage: every question about streams, answered by one notion of what they leak.

    name: the model on the command line; key: in JSON and CSV; title: in words; longest: the methods of schedules for a
    horizon, and the releases of the longest such schedule; dear: those of them that take long. literal: whether the
    paper's own algorithms answer, exact too and slow, where there is a choice.
    """

    name: ClassVar[str]
    key: ClassVar[str]
    title: ClassVar[str]
    longest: ClassVar[Mapping[str, int]]
    dear: ClassVar[tuple[str, ...]] = ()

    def __init__(self, literal: bool = False) -> None:
        self.literal = literal

    @abstractmethod
    def check(self, releases: int, adversaries: Adversaries) -> None:
        """Raise InvalidRequest if the number of releases, or the matrices, are too large for this model."""

    @abstractmethod
    def greatest(self, levels: Mapping[Key, Level]) -> Maximum[Key]:
        """Return the greatest of levels of this model and the keys of all that attain it. Raises: Undecided."""

    @abstractmethod
    def leakage(self, epsilons: Sequence[Level], adversaries: Adversaries) -> PopulationLeakage[str]:
        """Return BPL, FPL and TPL of releases with these budgets to each adversary, and the maxima over them.

        Raises: InvalidRequest without a release or an adversary; Undecided.
        """

    def runs_programmes(self, length: int, adversaries: Adversaries) -> bool:  # noqa: ARG002 - for those that may
        """Whether the leakage of a window of this length may take a programme over pairs of values to each of them."""
        return False

    @abstractmethod
    def window(
        self, own: Leakage, epsilons: Sequence[Level], adversary: Adversary, *, start: int, length: int
    ) -> Level:
        """Return the leakage of the releases start..start + length − 1 together to one adversary.

        Args: own, the leakage of the whole stream to them, by this model. Raises: InvalidRequest; Undecided.
        """

    @abstractmethod
    def suprema(self, epsilon: Level, adversary: Adversary) -> tuple[Level, Level, Level]:
        """Return what BPL, FPL and TPL stay below with one budget at all times, over an infinite horizon.

        Raises: Undecided.
        """

    @abstractmethod
    def schedule(
        self, alpha: Level, adversaries: Adversaries, method: str, horizon: int | None, digits: int
    ) -> tuple[Level, ...]:
        """Return budgets that keep TPL within alpha at all times to each adversary, by a method of `SCHEDULE_METHODS`.

        Args: horizon, T; None for the one budget of an infinite horizon; digits, of budgets without an exact form.
        Raises: InfeasibleBudget where there are none; InvalidRequest where this model has no such method; Undecided.
        """

    @abstractmethod
    def kept(
        self, schedule: Sequence[Level], adversaries: Adversaries, alpha: Level, attained: bool = False
    ) -> list[tuple[Level, ...]]:
        """Return TPL over time under a schedule to each kind of adversary, seen to be within alpha.

        Args: attained, whether TPL must also equal alpha at every time. Raises: ArithmeticError where it does not.
        """

    @abstractmethod
    def kept_for_ever(self, epsilon: Level, adversaries: Adversaries, alpha: Level) -> list[tuple[Level, ...]]:
        """Return the suprema of BPL, FPL and TPL under one budget to each kind of adversary, that of TPL within alpha.

        Raises: ArithmeticError where it is not.
        """

    @abstractmethod
    def carried(self, spent: Sequence[Level], adversary: Adversary) -> Level:
        """Return the BPL of a release of budget 0 after these, which is what they carry over. Raises: Undecided."""

    @abstractmethod
    def account(self, adversaries: Adversaries, cap: Level, spent: Iterable[Level] = ()) -> Account:
        """Return a stream's account after these releases. Raises: InfeasibleBudget above the cap."""


@dataclass(slots=True)
class Answers(Generic[Answer]):
    """What models answer, in the order in which they were asked for; `absent` says why one does not, by its key."""

    found: dict[Model, Answer] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    unfinished: BaseException | None = None

    def finish(self) -> None:
        """End as what kept a model from answering says, once the others' answers are shown.

        Raises: Undecided where one is not decided, or not in time; KeyboardInterrupt where it was interrupted.
        """
        if isinstance(self.unfinished, OutOfTime):
            raise Undecided("; ".join(self.absent.values())) from None
        if self.unfinished is not None:
            raise self.unfinished


def answered(models: Sequence[Model], work: Callable[[Model], Answer]) -> Answers[Answer]:
    """Ask each model, the paper's bound first: it is quick, and holds where the other is not decided.

    Where time is limited each has an equal part of what those before it have left.

    Args: models, in the order in which they are shown; work, which answers by one. Returns: what they answer; a model
    by which there is no budget, that has no such method, or that was not decided or interrupted, is absent with the
    reason. Raises: where none answers, what kept one from deciding; else what those raised that have such a method.
    """
    answers: Answers[Answer] = Answers()
    found: dict[Model, Answer] = {}
    failure: InvalidRequest | InfeasibleBudget | None = None
    for place, model in enumerate(reversed(models)):
        try:
            with one_of(len(models) - place):
                found[model] = work(model)
        except (InfeasibleBudget, NoSuchMethod) as error:
            failure = _both(failure, error)
            answers.absent[model.key] = f"by the {model.title}: {error}"
        except (Undecided, KeyboardInterrupt) as error:
            answers.unfinished = error
            answers.absent[model.key] = why_absent(model, error)
            if not isinstance(error, (Undecided, OutOfTime)):
                break
    if not found:
        raise answers.unfinished or failure or AssertionError("there is a model")
    answers.found = {model: found[model] for model in models if model in found}
    return answers


def _both(
    first: InvalidRequest | InfeasibleBudget | None, second: InvalidRequest | InfeasibleBudget
) -> InvalidRequest | InfeasibleBudget:
    """Return what kept models from a budget, of one that has such a method sooner than of one that has not."""
    if first is None or isinstance(first, NoSuchMethod):
        return second
    if isinstance(second, NoSuchMethod) or str(first) == str(second):
        return first
    return InfeasibleBudget(f"{first}; {second}")


def why_absent(model: Model, error: BaseException) -> str:
    """Say what kept a model from an answer."""
    if isinstance(error, OutOfTime):
        return (
            f"the {model.title} was not worked out within {round(error.seconds, 2):g} s of processor time; "
            "tploracle --time-limit SECONDS allows more"
        )
    return f"the {model.title} was not worked out: {str(error) or 'interrupted'}"
