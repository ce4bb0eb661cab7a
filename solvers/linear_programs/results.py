"""What a method for L(α) is and what it comes to; which results agree, and how far a float is from the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import inf, isfinite, log1p, log10

from ...reference.correlations import TransitionMatrix
from ...reference.levels import Level
from ...reference.paper.loss import Progress
from .isolation import SolverWorker

BROKEN = "broken"
LEFT_UNDECIDED = "undecided"
"""The status of a method whose own code raised an error, and of one that could not decide a comparison."""

PairOfRows = tuple[int, int]
"""The rows q and d, counted from 0."""


class Standing(StrEnum):
    """What an answer's level is worth: exact, certified, a lower bound that is not certified, or nothing."""

    EXACT = "exact"
    CERTIFIED = "certified"
    NOT_CERTIFIED = "not certified"
    NONE = "no answer"


@dataclass(frozen=True, slots=True)
class MethodResult:
    """What one method came to.

    status: "answered", "skipped" (the method does not apply, or is not installed), or the name of what went wrong.
    level: exact where the standing is exact or certified; a lower bound where not certified; None for no answer.
    value: the solver's own float for e^L (for the optimum of the pair), whatever it is worth; None where it gave none.
    digits: the distance of log(value) from the truth in decimal digits, None where either is missing.
    """

    method: str
    status: str
    level: Level | None = None
    standing: Standing = Standing.NONE
    value: float | None = None
    digits: float | None = None
    seconds: float = 0.0
    note: str = ""

    @property
    def certified(self) -> bool:
        """Whether the method stands by its level: it was computed exactly, or its optimality was checked exactly."""
        return self.standing in (Standing.EXACT, Standing.CERTIFIED)


@dataclass(frozen=True, slots=True)
class Method:
    """A method by its name. of_matrix gives L(α); of_pair the optimum of two rows (q, d), None where it has none."""

    name: str
    of_matrix: Callable[[TransitionMatrix, Level, SolverWorker, Progress | None], MethodResult]
    of_pair: Callable[[TransitionMatrix, PairOfRows, Level, SolverWorker], MethodResult] | None = None


def truth(answers: Sequence[MethodResult]) -> Level | None:
    """Return the first level that is exact, else the first that is certified, else None."""
    for standing in (Standing.EXACT, Standing.CERTIFIED):
        for answer in answers:
            if answer.standing is standing:
                return answer.level
    return None


def disagreement(answers: Sequence[MethodResult]) -> tuple[MethodResult, MethodResult] | None:
    """Return two answers whose exact or certified levels differ, or None. Exact. Raises: Undecided."""
    standing = [answer for answer in answers if answer.certified]
    for answer in standing[1:]:
        first, other = standing[0].level, answer.level
        assert first is not None
        assert other is not None
        if first.compare(other) != 0:
            return standing[0], answer
    return None


def distance_in_digits(value: float | None, level: Level) -> float | None:
    """Return how many decimal digits log(value) has in common with the level, by its relative error.

    The number is −log10 of the relative error (of the error itself where the level is 0): 0 means that the error is as
    large as the level, a negative number that it is larger. Not certified: for show.
    """
    if value is None or not isfinite(value) or value <= 0 or level.is_infinite:
        return None
    exact = Fraction(0) if level.is_zero else Fraction(level.enclosure(40).upper)
    error = abs(Fraction(log1p(value - 1)) - exact)
    if error == 0:
        return inf
    relative = error / exact if exact else error
    return log10(relative.denominator) - log10(relative.numerator)
