"""A mistake: in words, as the wrong answer that it gives, and how a failure is recognised as that answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite

from ..reference import OracleError
from .failures import Failure
from .question import LossWay, Question

LEVEL_BELOW = (Failure.FINITE_FOR_INFINITE, Failure.ZERO, Failure.FAR_BELOW, Failure.BELOW)
BUDGET_FAILURES = (Failure.BUDGET_FAR_ABOVE, Failure.BUDGET_ABOVE, Failure.OTHER_SCHEDULE)
LEVEL_ABOVE = (Failure.INFINITE, Failure.TOO_FAR)
ANY_NUMBER = (*LEVEL_BELOW, *BUDGET_FAILURES, *LEVEL_ABOVE)
"""The failures of levels below the truth, of budgets above it, of what is too far on the safe side; all of them."""

SAME, TIMES = 2.0**-44, 16
"""An answer is a number if it is this close to it, relatively, and this many times as far from the truth."""


SEEN = 1e-9
"""Relative difference above which a number is another one, and not the same with other roundings."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge says of the worst number of an answer.

    which: of errors, the name that was due and the one that came. truth and given: the number in doubles, None where
    there is none. said: the answer and the judge's remark, as texts.
    """

    failure: Failure | None
    ulps: int | None = None
    which: tuple[str, ...] = ()
    truth: float | None = None
    given: float | None = None
    said: str = ""


class Clues(Question):
    """A question, and what was wrong with an answer to it."""

    def __init__(self, question: Question, judged: Judged) -> None:
        super().__init__(question.op, question.numbers, question.input, question.place, question.read)
        self.failure, self.ulps, self.which = judged.failure, judged.ulps, judged.which
        self.truth, self.given, self.said = judged.truth, judged.given, judged.said

    @cached_property
    def highest(self) -> float:
        """The greatest finite level that may be met: of the input, the sum of its budgets, or the truth."""
        finite = [level for level in (*self.levels, self.truth or 0.0) if isfinite(level)]
        return max([*finite, sum(level for level in self.by_key.get("epsilons", ()) if isfinite(level))], default=0.0)

    def is_answer(self, value: float | None, close: float = SAME) -> bool:
        """Whether the answer is this value, but for a small part of it, and the truth clearly is not."""
        given, truth = self.given, self.truth
        if value is None or given is None or truth is None:
            return False
        if not (isfinite(value) and isfinite(given)) or value == 0:
            return bool(given == value != truth)
        off = abs(given - value)
        return off <= close * abs(value) and abs(given - truth) >= max(TIMES * off, close * abs(value) / TIMES)


WrongNumbers = Callable[[Question], Iterable[float | None]]
"""What a mistake gives for the number in question, None for nothing; several where it has variants."""


def _no_numbers(_question: Question) -> tuple[float, ...]:
    return ()


def by_loss(*losses: LossWay) -> WrongNumbers:
    """Return what follows from each of these ways to work out L."""
    return lambda question: map(question.worked_out, losses)


Tells = Callable[[Clues], Collection[object]]
"""The parameters with which a failure is what a mistake gives that has not one of its numbers; none where it is not."""


def _tells_nothing(_clues: Clues) -> tuple[object, ...]:
    return ()


def where(shows: Callable[[Clues], bool]) -> Tells:
    """Return what tells a mistake without parameters."""
    return lambda clues: ("",) if shows(clues) else ()


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake, once.

    wrong: what is done wrong, instead: what to do; of one that is no cause the flag or the erratum says it. ops: the
    operations, all where none is named. gives: the wrong numbers, one for each parameter and always in the same order,
    None for no number; or the exception of a program that ends, or never ends, without one. flags: of the vectors that
    show it; errata: of the paper, by which it is made. failures: the kinds in which conform names it as a cause; none
    where it does not. tells: what else shows it; close: how close an answer is to one. proofs: how many answers prove
    it that nothing else gives; is_plain: whether an answer shows it by itself, so that nothing else needs to be
    excluded. beyond: the size of the input, an attribute of `Features`, from which on it shows, all below being right;
    least: the least such size, most: the greatest. is_general: whether it shows on most inputs.
    """

    id: str
    wrong: str = ""
    instead: str = ""
    failures: tuple[Failure, ...] = ()
    gives: WrongNumbers = _no_numbers
    ops: tuple[str, ...] = ()
    tells: Tells = _tells_nothing
    close: float = SAME
    proofs: int = 2
    is_plain: bool = False
    flags: tuple[str, ...] = ()
    errata: str = ""
    beyond: str = ""
    least: float = 0.0
    most: float = inf
    is_general: bool = False

    def parameters(self, clues: Clues) -> frozenset[object]:
        """Return the parameters with which this mistake gives the answer of a failure; none where it does not."""
        if clues.failure not in self.failures or (self.ops and clues.op not in self.ops):
            return frozenset()
        try:
            given = [k for k, number in enumerate(self.gives(clues)) if clues.is_answer(number, self.close)]
            return frozenset([*given, *self.tells(clues)])
        except (ArithmeticError, ValueError, LookupError, OracleError):
            return frozenset()

    def spoils(self, question: Question, right: Iterable[tuple[str, float]]) -> Iterator[tuple[str, float]]:
        """Yield each place of the right answer at which every variant gives another number, and the first of these.

        Raises: what the mistake raises instead of a number.
        """
        for place, number in right if not self.ops or question.op in self.ops else ():
            found = [given for given in self.gives(question.at(place)) if given is not None]
            if found and not any(given == number or abs(given - number) < SEEN * abs(number) for given in found):
                yield place, found[0]
