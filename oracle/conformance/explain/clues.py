"""What a failure says of its cause: answer, truth, what can be worked out of the input; and the record of a cause."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp, expm1, inf, isfinite, log, log1p, sqrt

from ...contract.entry import InputKind
from ...contract.operations import keys_of, matrix_keys
from ...reference import OracleError, TransitionMatrix, parse_level
from ...wire.numerals import Reader
from ..model import Failure, Result
from .features import MOST_COMPARED_STATES, Features, as_float, features_of, loss_of

Point = tuple[float, float, float, float]
"""A piece in doubles: q, d, and the excesses e^α − 1 from which and to which it rules."""

MatrixRows = list[list[float]]

OVERFLOW, ABSORBED, NEAR_ONE = 709.78, 34.0, 2.0**-48
"""From which level on e^α is no double, and absorbs 1; how near to a level answers are that are rounded near 1."""

LEVEL_BELOW = (Failure.FINITE_FOR_INFINITE, Failure.ZERO, Failure.FAR_BELOW, Failure.BELOW)
BUDGET_FAILURES = (Failure.BUDGET_FAR_ABOVE, Failure.BUDGET_ABOVE, Failure.OTHER_SCHEDULE)
LEVEL_ABOVE = (Failure.INFINITE, Failure.TOO_FAR)
"""The failures of levels below the truth, of budgets above it, and of what is too far on the safe side."""


class Clues:
    """What one failure says of its cause: the answer, the truth, and what can be worked out from the input."""

    def __init__(self, result: Result) -> None:
        self.case, self.op, judgement = result.case, result.case.op, result.judgement
        self.failure, self.ulps, self.place = judgement.failure, judgement.ulps, judgement.place
        self.numbers = judgement.numbers
        self.said = f"{judgement.given} {judgement.detail}"
        self.which = judgement.which

    @property
    def truth(self) -> float | None:
        """The truth about the worst number of the answer."""
        return self.numbers and self.numbers[0]

    @property
    def given(self) -> float | None:
        """That number as it was answered."""
        return self.numbers and self.numbers[1]

    @cached_property
    def features(self) -> Features:
        """What kind of input it is."""
        return features_of(self.case)

    @cached_property
    def levels(self) -> list[float]:
        """The levels of the input."""
        reader, given, found = Reader(self.case.numbers), self.case.input, []
        try:
            for key in keys_of(InputKind.LEVEL):
                found += [reader.level(given[key], key)] if key in given else []
            for key in keys_of(InputKind.LEVELS):
                found += reader.levels(given[key], key) if key in given else []
            return [as_float(level) for level in found]
        except OracleError:
            return []

    @cached_property
    def level(self) -> float | None:
        """The level at which a loss function is wrong; None where there is none."""
        if self.op == "loss":
            return self.levels[0] if self.levels else None
        try:
            return as_float(parse_level(self.place.removeprefix("at "))) if self.place.startswith("at ") else None
        except OracleError:
            return None

    @cached_property
    def highest(self) -> float:
        """The greatest finite level of the input and of the truth; 0 where there is none."""
        return max((level for level in (*self.levels, self.truth or 0.0) if isfinite(level)), default=0.0)

    @cached_property
    def _read(self) -> dict[str, TransitionMatrix]:
        """The matrices by their keys; none of large ones, and where one cannot be read."""
        given = self.case.input if self.case.equivalent is None else self.case.equivalent
        written = [(key, given[key]) for key in matrix_keys() if key in given]
        few = [(key, rows) for key, rows in written if isinstance(rows, list) and len(rows) <= MOST_COMPARED_STATES]
        try:
            return {key: Reader(self.case.numbers).matrix(rows, key) for key, rows in few}
        except (OracleError, MemoryError, RecursionError):
            return {}

    @cached_property
    def known(self) -> dict[str, MatrixRows]:
        """The matrices in doubles, by their keys."""
        return {key: [[float(entry) for entry in row] for row in matrix.rows] for key, matrix in self._read.items()}

    @property
    def matrices(self) -> list[MatrixRows]:
        """The matrices in doubles."""
        return [*self.known.values()]

    @cached_property
    def pieces(self) -> dict[str, list[Point]]:
        """The pieces of the loss function of each matrix, by its key."""
        return {
            key: [
                (float(piece.q), float(piece.d), finite_or_inf(piece.start), finite_or_inf(piece.stop))
                for piece in loss_of(one).pieces
            ]
            for key, one in self._read.items()
        }

    @property
    def losses(self) -> list[list[Point]]:
        """The pieces of the loss function of each matrix."""
        return [*self.pieces.values()]

    @property
    def is_close(self) -> bool:
        """Whether the answer is off by what doubles near 1 are, however small the truth."""
        return self.truth is not None and self.given is not None and abs(self.given - self.truth) <= NEAR_ONE

    def is_answer(self, value: float) -> bool:
        """Whether the answer is this value, and the truth is not."""
        return is_same(self.given, value) and not is_same(self.truth, value)


def finite_or_inf(value: Fraction | None) -> float:
    """Return a number in doubles, ∞ for None and for what is beyond all of them."""
    try:
        return inf if value is None else float(value)
    except OverflowError:
        return inf


def is_same(first: float | None, second: float) -> bool:
    """Whether two numbers are the same but for a part in 10^9."""
    if first is None or not isfinite(first) or not isfinite(second):
        return first == second
    return first == second or abs(first - second) <= 1e-9 * max(abs(first), abs(second))


def loss_at(q: float, d: float, alpha: float) -> float:
    """Return log((q·E + 1)/(d·E + 1)), E = e^α − 1, in doubles, at any level."""
    if q <= d:
        return 0.0
    if alpha < OVERFLOW:
        excess = expm1(alpha)
        return log1p((q - d) * excess / (d * excess + 1))
    if d == 0:
        return alpha + log(q)
    rest = exp(-alpha)
    return log(q + (1 - q) * rest) - log(d + (1 - d) * rest)


def excess_of(alpha: float) -> float:
    """Return e^α − 1, ∞ where it is no double."""
    return expm1(alpha) if alpha < OVERFLOW else inf


def ruling_piece(pieces: Sequence[Point], excess: float) -> int:
    """Return the place of the piece that rules at an excess."""
    return next((k for k, (_, _, _, stop) in enumerate(pieces) if excess <= stop), len(pieces) - 1)


@dataclass(frozen=True, slots=True)
class Cause:
    """A mistake, and how it is recognised.

    wrong: what is done wrong; instead: what to do. failures: the kinds it shows in; ops: the operations, all where none
    is named. shows: whether a failure is one of this mistake. where: the kinds of input that it shows on, for a mistake
    that the answer alone does not prove: answers to such inputs must fail more often than others, so great a part of
    them at least. beyond: a size of the
    input from which on it shows, all below being right; least: the least such size.
    """

    id: str
    wrong: str
    instead: str
    failures: tuple[Failure, ...]
    shows: Callable[[Clues], bool] = lambda _evidence: True
    ops: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    part: float = 0.25
    beyond: Callable[[Features], float | None] | None = None
    least: float = 0.0

    def is_shown_by(self, clues: Clues) -> bool:
        """Whether a failure may be one of this mistake; not where working it out fails."""
        try:
            return (
                clues.failure in self.failures
                and (not self.ops or clues.op in self.ops)
                and (not self.where or not set(self.where).isdisjoint(clues.features.kinds))
                and self.shows(clues)
            )
        except (ArithmeticError, ValueError, OracleError):
            return False


def supremum_of(q: float, d: float, budget: float) -> float:
    """Return the supremum of Theorem 11 in doubles, by a form that loses little."""
    if q == d:
        return budget
    if budget > ABSORBED:
        return inf
    a = exp(budget)
    if d == 0:
        return log((1 - q) * a / (1 - q * a)) if q * a < 1 and q < 1 else inf
    middle = q * a + d - 1
    root = sqrt(middle * middle + 4 * d * a * (1 - q))
    return log((root + middle) / (2 * d) if middle > 0 else 2 * a * (1 - q) / (root - middle))
