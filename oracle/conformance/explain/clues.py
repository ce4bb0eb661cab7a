"""What a failure says of its cause: answer, truth, what can be worked out of the input; and the record of a cause."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import exp, expm1, inf, isfinite, log, log1p, sqrt
from typing import NamedTuple

from ...proofs_checks.in_doubles import Pairs, Transitions, algorithm_2, entries_of, pairs_of
from ...reference import Level, OracleError, TransitionMatrix, parse_level
from ...solvers.floats import Doubles
from ...solvers.loss.shapes import recursions
from ...wire.stepwise import kind_of_steps
from ..model import Failure, Result
from .features import Features, as_float, features_of, input_of, loss_of

OVERFLOW, ABSORBED = 709.78, 34.0
"""From which level on e^α is no double, and absorbs 1."""

WORKED_OUT_STATES, WORKED_OUT_RELEASES = 16, 24
"""Of inputs with more nothing is worked out."""

LEVEL_BELOW = (Failure.FINITE_FOR_INFINITE, Failure.ZERO, Failure.FAR_BELOW, Failure.BELOW)
BUDGET_FAILURES = (Failure.BUDGET_FAR_ABOVE, Failure.BUDGET_ABOVE, Failure.OTHER_SCHEDULE)
LEVEL_ABOVE = (Failure.INFINITE, Failure.TOO_FAR)
ANY_NUMBER = (*LEVEL_BELOW, *BUDGET_FAILURES, *LEVEL_ABOVE)
"""The failures of levels below the truth, of budgets above it, of what is too far on the safe side; all of them."""

_CLOSE, _TIMES = 2.0**-44, 16


class Point(NamedTuple):
    """A piece in doubles: q, d, their difference, and the excesses e^α − 1 from which and to which it rules."""

    q: float
    d: float
    gap: float
    start: float = 0.0
    stop: float = inf


@dataclass(frozen=True)
class MatrixClues:
    """A matrix of an input, and what the usual algorithms make of it in doubles."""

    matrix: TransitionMatrix

    @cached_property
    def rows(self) -> Doubles:
        """The entries as doubles."""
        return entries_of(self.matrix)

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs of rows."""
        return pairs_of(self.rows)

    @cached_property
    def transitions(self) -> Transitions:
        """What Algorithm 2 makes of them."""
        return algorithm_2(self.pairs)

    @cached_property
    def points(self) -> list[Point]:
        """The pieces of the loss function, exact before they are rounded."""
        return [
            Point(
                float(p.q),
                float(p.d),
                float(p.q - p.d),
                *(inf if e is None else as_double(e) for e in (p.start, p.stop)),
            )
            for p in loss_of(self.matrix).pieces
        ]

    def loss(self, alpha: float) -> float:
        """Return L(α)."""
        return max(loss_at(point, alpha) for point in self.points)


LossWay = Callable[[MatrixClues, float], float]
"""A way to work out L, right or wrong."""


class Clues:
    """What one failure says of its cause: the answer, the truth, and what can be worked out from the input."""

    def __init__(self, result: Result) -> None:
        self.case, self.op, judgement = result.case, result.case.op, result.judgement
        self.failure, self.ulps, self.place, self.which = (
            *(judgement.failure, judgement.ulps, judgement.place),
            judgement.which,
        )
        self.truth: float | None = judgement.numbers and judgement.numbers[0]
        self.given: float | None = judgement.numbers and judgement.numbers[1]
        self.said = f"{judgement.given} {judgement.detail}"

    @property
    def features(self) -> Features:
        """What kind of input it is."""
        return features_of(self.case)

    @cached_property
    def by_key(self) -> dict[str, list[float]]:
        """The levels of the input by their keys."""
        return {key: [as_float(level) for level in levels] for key, levels in input_of(self.case).levels.items()}

    @cached_property
    def levels(self) -> list[float]:
        """The levels of the input."""
        return [level for levels in self.by_key.values() for level in levels]

    @property
    def exact_levels(self) -> list[Level]:
        """The same, exact."""
        return input_of(self.case).every_level

    @cached_property
    def level(self) -> float | None:
        """The level at which a loss function is wrong; None where there is none."""
        if self.op == "loss":
            return self.levels[0] if self.levels else None
        if self.place == "limit at ∞":
            return inf
        return as_float(parse_level(self.place.removeprefix("at "))) if self.place.startswith("at ") else None

    @cached_property
    def highest(self) -> float:
        """The greatest finite level that may be met: of the input, the sum of its budgets, or the truth."""
        finite = [level for level in (*self.levels, self.truth or 0.0) if isfinite(level)]
        return max([*finite, sum(level for level in self.by_key.get("epsilons", ()) if isfinite(level))], default=0.0)

    @cached_property
    def is_stepwise(self) -> bool:
        """Whether the input has a matrix for each step."""
        return any(kind_of_steps(value) is not None for value in self.case.input.values())

    @cached_property
    def sides(self) -> dict[str, MatrixClues]:
        """The matrices by their keys; none where one is large, or steps have their own."""
        read = {} if self.is_stepwise else input_of(self.case).matrices
        is_large = any(matrix.n > WORKED_OUT_STATES for matrix in read.values())
        return {} if is_large else {key: MatrixClues(matrix) for key, matrix in read.items()}

    def is_answer(self, value: float | None, close: float = _CLOSE) -> bool:
        """Whether the answer is this value, but for a small part of it, and the truth clearly is not."""
        given, truth = self.given, self.truth
        if value is None or given is None or truth is None:
            return False
        if not (isfinite(value) and isfinite(given)) or value == 0:
            return bool(given == value != truth)
        off = abs(given - value)
        return off <= close * abs(value) and abs(given - truth) >= max(_TIMES * off, close * abs(value) / _TIMES)

    def is_worked_out(self, loss: LossWay) -> bool:
        """Whether the answer is what somebody has who works L out so, and is right otherwise."""
        return self.is_answer(self.worked_out(loss))

    def worked_out(self, loss: LossWay) -> float | None:
        """Return the number in question worked out with this L; None where it does not follow from L step by step."""
        backward, forward = (self.sides.get(role) for role in ("backward", "forward"))
        epsilons = self.by_key.get("epsilons", [])
        if len(epsilons) > WORKED_OUT_RELEASES:
            return None
        if self.op in ("loss", "loss_function") and self.level is not None and self.sides:
            return loss(self.sides["matrix"], self.level)
        if self.op == "control" and self.sides:
            return self.by_key["cap"][0] - loss(self.sides["matrix"], self.by_key["previous"][0])
        if self.op not in ("leakage", "composition") or len(self.sides) < len(input_of(self.case).matrices):
            return None
        back, on = (partial(loss, side) if side else lambda _alpha: 0.0 for side in (backward, forward))
        found = recursions(epsilons, (back, on))
        if self.op == "leakage":
            kind, _, time = self.place.partition(" ")
            return found[kind][int(time) - 1]
        first, length = int(str(self.case.input["start"])) - 1, int(str(self.case.input["length"]))
        if length == 1:
            return found["tpl"][first]
        last = first + length - 1
        return found["bpl"][first] + sum(epsilons[first + 1 : last]) + found["fpl"][last]


def as_double(value: Fraction | None) -> float:
    """Return a number in doubles, ∞ for None and for what is beyond all of them."""
    try:
        return inf if value is None else float(value)
    except OverflowError:
        return inf


def loss_at(point: Point, alpha: float) -> float:
    """Return log((q·E + 1)/(d·E + 1)), E = e^α − 1, in doubles, at any level."""
    if point.gap <= 0:
        return 0.0
    if alpha < OVERFLOW:
        excess = expm1(alpha)
        return log1p(point.gap * excess / (point.d * excess + 1))
    if point.d == 0:
        return alpha + log(point.q)
    rest = exp(-alpha)
    return log(point.q + (1 - point.q) * rest) - log(point.d + (1 - point.d) * rest)


def excess_of(alpha: float) -> float:
    """Return e^α − 1, ∞ where it is no double."""
    return expm1(alpha) if alpha < OVERFLOW else inf


def ruling_piece(points: Sequence[Point], excess: float) -> int:
    """Return the place of the piece that rules at an excess."""
    return next((k for k, point in enumerate(points) if excess <= point.stop), len(points) - 1)


def supremum_of(point: Point, budget: float) -> float:
    """Return the supremum of Theorem 11 in doubles, by a form that loses little."""
    q, d = point.q, point.d
    if point.gap == 0:
        return budget
    if budget > ABSORBED:
        return inf
    a = exp(budget)
    if d == 0:
        return log((1 - q) * a / (1 - q * a)) if q * a < 1 and q < 1 else inf
    middle = q * a + d - 1
    root = sqrt(middle * middle + 4 * d * a * (1 - q))
    return log((root + middle) / (2 * d) if middle > 0 else 2 * a * (1 - q) / (root - middle))


@dataclass(frozen=True, slots=True)
class Cause:
    """A mistake, and how it is recognised.

    wrong: what is done wrong; instead: what to do. failures: the kinds it shows in; ops: the operations, all where none
    is named. gives: whether a failure is the answer that this mistake gives. beyond: a size of the input from which on
    it shows, all below being right, for what one answer cannot show; least: the least such size, most: the greatest.
    is_general: whether it shows on most inputs, so that few answers like it do not prove it.
    """

    id: str
    wrong: str
    instead: str
    failures: tuple[Failure, ...]
    gives: Callable[[Clues], bool] = lambda _clues: True
    ops: tuple[str, ...] = ()
    beyond: Callable[[Features], float | None] | None = None
    least: float = 0.0
    most: float = inf
    is_general: bool = False

    def is_given_by(self, clues: Clues) -> bool:
        """Whether a failure is the answer that this mistake gives; not where working it out fails."""
        try:
            return clues.failure in self.failures and (not self.ops or clues.op in self.ops) and self.gives(clues)
        except (ArithmeticError, ValueError, LookupError, OracleError):
            return False
