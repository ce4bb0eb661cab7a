"""A question as those see it who answer it in doubles: its levels and matrices, and what the usual formulas give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from math import exp, expm1, inf, log, log1p, sqrt
from typing import NamedTuple, TypeVar

from ..contract.entry import InputKind
from ..contract.losses import loss_function_of
from ..contract.operations import keys_of, matrix_keys
from ..proofs_checks.in_doubles import Pairs, Transitions, algorithm_2, entries_of, pairs_of
from ..reference import Level, LossFunction, OracleError, TransitionMatrix, parse_level
from ..reference.stepwise import KnownCorrelation, Stepwise, matrices_in
from ..solvers.floats import Doubles
from ..solvers.loss.shapes import recursions
from ..wire.numerals import Reader
from ..wire.stepwise import kind_of_steps, read_correlation, written_matrices
from ..wire.strict_json import Object

Read = TypeVar("Read")

OVERFLOW, ABSORBED = 709.78, 34.0
"""From which level on e^α is no double, and absorbs 1."""

WORKED_OUT_STATES, WORKED_OUT_RELEASES = 16, 24
"""Inputs with more are not worked out."""

MOST_READ_STATES = 128
"""Larger matrices are not read."""


@dataclass(frozen=True, slots=True)
class KnownInput:
    """What is written in an input, read: correlations and levels by their keys; is_valid: whether all could be read."""

    correlations: Mapping[str, KnownCorrelation]
    levels: Mapping[str, list[Level]]
    is_valid: bool

    @property
    def matrices(self) -> dict[str, TransitionMatrix]:
        """The matrices by their keys."""
        return matrices_by_key(self.correlations)

    @property
    def every_level(self) -> list[Level]:
        """All levels, in the order of the keys."""
        return [level for levels in self.levels.values() for level in levels]


def matrices_by_key(correlations: Mapping[str, KnownCorrelation]) -> dict[str, TransitionMatrix]:
    """Return matrices by their keys; that of one step with the number of the step behind its key."""
    found: dict[str, TransitionMatrix] = {}
    for key, known in correlations.items():
        own = isinstance(known, Stepwise)
        found |= {f"{key} {step}" if own else key: matrix for step, matrix in enumerate(matrices_in(known), 1)}
    return found


def read_input(given: Object, numbers: str) -> KnownInput:
    """Read each part of an input by itself; what cannot be read, and large matrices, are left out."""
    reader, is_valid = Reader(numbers), True

    def read(keys: Iterable[str], of: Callable[[object, str], Read]) -> dict[str, Read]:
        nonlocal is_valid
        found = {}
        for key in keys:
            try:
                found.update({key: of(given[key], key)} if key in given else {})
            except (OracleError, MemoryError, RecursionError):
                is_valid = False
        return found

    levels = {key: [level] for key, level in read(keys_of(InputKind.LEVEL), reader.level).items()}
    levels |= read(keys_of(InputKind.LEVELS), reader.levels)
    read(keys_of(InputKind.NUMBER), reader.number)
    read(keys_of(InputKind.DISTRIBUTION), reader.distribution)
    small = [key for key in matrix_keys() if not _is_large(given.get(key))]
    correlations = read(small, lambda value, key: read_correlation(value, key, reader.matrix))
    return KnownInput(correlations if len(small) == len(matrix_keys()) else {}, levels, is_valid)


def _is_large(written: object) -> bool:
    return any(isinstance(rows, list) and len(rows) > MOST_READ_STATES for rows in written_matrices(written))


@lru_cache(maxsize=64)
def loss_of(matrix: TransitionMatrix) -> LossFunction:
    """Return the loss function of a matrix, for which several parts of a report ask."""
    return loss_function_of(matrix)


class Point(NamedTuple):
    """A piece in doubles: q, d, their difference, and the excesses e^α − 1 from which and to which it rules."""

    q: float
    d: float
    gap: float
    start: float = 0.0
    stop: float = inf


@dataclass(frozen=True)
class MatrixInDoubles:
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
        pieces = loss_of(self.matrix).pieces
        return [Point(float(p.q), float(p.d), float(p.q - p.d), as_double(p.start), as_double(p.stop)) for p in pieces]

    def loss(self, alpha: float) -> float:
        """Return L(α)."""
        return max(loss_at(point, alpha) for point in self.points)


LossWay = Callable[[MatrixInDoubles, float], float]
"""A way to work out L, right or wrong."""


class Question:
    """A question, and the place in its answer at which a number is asked for, as in "tpl 3"; "" for a single level."""

    def __init__(self, op: str, numbers: str, given: Object, place: str, read: KnownInput) -> None:
        self.op, self.numbers, self.input, self.place, self.read = op, numbers, given, place, read

    def at(self, place: str) -> Question:
        """Return the question for the number at another place."""
        other = copy(self)
        other.place = place
        return other

    @cached_property
    def by_key(self) -> dict[str, list[float]]:
        """The levels of the input by their keys."""
        return {key: [as_float(level) for level in levels] for key, levels in self.read.levels.items()}

    @cached_property
    def levels(self) -> list[float]:
        """The levels of the input."""
        return [level for levels in self.by_key.values() for level in levels]

    @property
    def exact_levels(self) -> list[Level]:
        """The same, exact."""
        return self.read.every_level

    @property
    def level(self) -> float | None:
        """The level at which a loss function is asked for; None where there is none."""
        if self.op == "loss":
            return self.levels[0] if self.levels else None
        if self.place == "limit at ∞":
            return inf
        return as_float(parse_level(self.place.removeprefix("at "))) if self.place.startswith("at ") else None

    @property
    def kind(self) -> str:
        """Which leakage is asked for: "bpl", "fpl" or "tpl"."""
        return self.place.partition(" ")[0]

    @property
    def time(self) -> int:
        """The time that is asked about, from 0."""
        return int(self.place.partition(" ")[2]) - 1

    @property
    def window(self) -> tuple[int, int]:
        """The first time of a window, from 0, and its length."""
        start, length = (int(str(self.input[key])) for key in ("start", "length"))
        return start - 1, length

    @property
    def states(self) -> int:
        """The states of its largest matrix, or of the one that is to be made."""
        written = [rows for key in matrix_keys() for rows in written_matrices(self.input.get(key))]
        return max((len(rows) for rows in written if isinstance(rows, list)), default=int(str(self.input.get("n", 0))))

    @property
    def releases(self) -> int:
        """The number of releases, or the horizon."""
        epsilons = self.input.get("epsilons")
        return len(epsilons) if isinstance(epsilons, list) else int(str(self.input.get("horizon", 0)))

    @cached_property
    def is_stepwise(self) -> bool:
        """Whether the input has a matrix for each step."""
        return any(kind_of_steps(value) is not None for value in self.input.values())

    @cached_property
    def sides(self) -> dict[str, MatrixInDoubles]:
        """The matrices by their keys; none where one is large, or steps have their own."""
        known = {} if self.is_stepwise else self.read.matrices
        is_large = any(matrix.n > WORKED_OUT_STATES for matrix in known.values())
        return {} if is_large else {key: MatrixInDoubles(matrix) for key, matrix in known.items()}

    def losses(self, loss: LossWay) -> tuple[Callable[[float], float], Callable[[float], float]]:
        """Return the backward and the forward L by a way to work it out; 0 where a correlation is not known."""
        back, on = (self.sides.get(role) for role in ("backward", "forward"))
        return (partial(loss, back) if back else _nothing, partial(loss, on) if on else _nothing)

    def worked_out(self, loss: LossWay) -> float | None:
        """Return the number in question worked out with this L; None where it does not follow from L step by step."""
        epsilons = self.by_key.get("epsilons", [])
        if len(epsilons) > WORKED_OUT_RELEASES:
            return None
        if self.op in ("loss", "loss_function") and self.level is not None and self.sides:
            return loss(self.sides["matrix"], self.level)
        if self.op == "control" and self.sides:
            return self.by_key["cap"][0] - loss(self.sides["matrix"], self.by_key["previous"][0])
        if self.op not in ("leakage", "composition") or len(self.sides) < len(self.read.matrices):
            return None
        found = recursions(epsilons, self.losses(loss))
        if self.op == "leakage":
            return found[self.kind][self.time]
        first, length = self.window
        if length == 1:
            return found["tpl"][first]
        last = first + length - 1
        return found["bpl"][first] + sum(epsilons[first + 1 : last]) + found["fpl"][last]


def _nothing(_alpha: float) -> float:
    return 0.0


def as_float(level: Level) -> float:
    """Return a level as a float."""
    if level.is_infinite:
        return inf
    return float(level.rational) if level.rational is not None else float(level.enclosure(17).upper)


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
