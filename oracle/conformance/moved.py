"""The question next to the one asked: each level of the input moved, so that the answer moves to the safe side.

An implementation that rounds its input, or works it out over as many operations as the question has numbers, answers a
question near the one asked. Its answer is accepted if it is no further off than the exact answer to the question whose
levels are moved by the admitted number of ulps, which is asked in exact rationals.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from ..contract.operations import OPERATIONS, InputKind
from ..reference import InfeasibleBudget, Level
from ..reference.decimals import fraction_to_text
from ..reference.levels import LARGEST_RATIONAL_LEVEL
from ..reference.surds import sign
from ..wire.numerals import Reader
from ..wire.protocol import FLOAT64, RATIONAL
from .truths import Question, Truth


def shift_of(limit: int) -> Fraction:
    """Return by what part a number is moved: so many units in the last place of a double in [1, 2), a half at most."""
    return min(Fraction(limit, 2**52), Fraction(1, 2))


class Moved:
    """The question moved by so many ulps, put when it is needed first."""

    def __init__(self, question: Question, limit: int) -> None:
        """Keep the question as it was asked."""
        self.asked, self.limit = question, limit
        self._question: Question | None = None

    @property
    def question(self) -> Question:
        """The question moved. Raises: as `Session.answer` where it is put."""
        if self._question is None:
            self._question = self._moved()
        return self._question

    def level(self, *path: str | int) -> Truth | None:
        """Return the truth about a level of its value; None for a budget where nothing is left. As `question`."""
        try:
            return self.question.level(*path)
        except InfeasibleBudget:
            return None

    def _moved(self) -> Question:
        asked = self.asked
        given = exact_matrices(asked)
        reader = Reader(asked.numbers == FLOAT64)
        for key in OPERATIONS[asked.op].levels:
            name, factor = key.name, 1 + key.toward_safety * shift_of(self.limit)
            if name not in given:
                continue
            if key.kind is InputKind.LEVELS:
                given[name] = [moved_text(level, factor) for level in reader.levels(given[name], name)]
            else:
                given[name] = moved_text(reader.level(given[name], name), factor)
        return Question(asked.session, asked.op, given, RATIONAL)


def exact_matrices(asked: Question) -> dict[str, object]:
    """Return the input with matrices of doubles written as exact rationals; the rest as it is."""
    if asked.numbers != FLOAT64:
        return dict(asked.given)
    reader, matrices = Reader(float64=True), {key.name for key in OPERATIONS[asked.op].matrices}
    return {key: reader.matrix(value, key).texts() if key in matrices else value for key, value in asked.given.items()}


def moved_text(level: Level, factor: Fraction) -> str:
    """Return a level moved by a factor, in the contract's notation.

    A rational level is multiplied. The product of a level log(A) has no notation, so A itself is moved, by the part by
    which the level is, times the level rounded up: log(1 + x) is x but for its square, so the level moves by at least
    as much as if it were multiplied (up to that square), and by at most an ulp of 1 more for each of the limit. A level
    stays within what the contract admits, and ∞ is ∞.
    """
    if level.is_infinite:
        return "inf"
    if level.rational is not None:
        return fraction_to_text(min(level.rational * factor, Fraction(LARGEST_RATIONAL_LEVEL)))
    assert level.ratio is not None
    ratio = level.ratio * (1 + ceil(level.enclosure().upper) * (factor - 1))
    return "0" if sign(ratio - 1) <= 0 else Level.of_ratio(ratio).full_text()
