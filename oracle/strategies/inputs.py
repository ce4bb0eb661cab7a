"""Strategies of whole valid inputs of the contract's operations."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import inf, nextafter
from typing import Any

from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import DrawFn, SearchStrategy

from ..contract.entry import InputKey, InputKind, Operation
from ..contract.operations import OPERATIONS, may_differ
from ..reference import INFINITE, ZERO, Level, TransitionMatrix, loss_function
from ..reference.decimals import fraction_to_text
from ..reference.levels import LARGEST_RATIONAL_LEVEL
from ..wire.numerals import hex_text, shortest_decimal
from ..wire.protocol import DECIMAL64, DOUBLES, NUMBERS
from ..wire.stepwise import CYCLE, STEPS
from ..wire.strict_json import Object
from .boundary import boundary_instances
from .level_kinds import budgets, double_level, levels, positive_doubles, schedules
from .matrix_kinds import distributions, matrices
from .row_kinds import GRID_BITS, distribution

_Draw = Callable[[DrawFn, "Writer"], Object]

MOST_STATES_OF_INPUTS = 4
ROLES = ("backward", "forward")
KNOWN_DIRECTIONS = (("backward",), ("forward",), ROLES, ())
"""What an adversary may know."""

EVERYWHERE = ("overflow", "cancellation", "zero level", "identity", "equal rows")
"""Boundaries that there are for every operation on a matrix and a level."""

FEASIBLE_KINDS = ("varied", "few rows", "nearly equal", "banded", "smoothed", "tiny")


def requests(op: str, numbers: str = "float64", stepwise: bool = False) -> SearchStrategy[Object]:
    """Return a strategy of inputs of an operation, all of them valid: each has a value.

    Args: op, an operation of the contract; numbers, "float64" or "decimal64" (doubles in hexadecimal or in decimal;
    matrices and levels are doubles exactly) or "rational" (the contract's exact texts); stepwise, whether correlations
    have a matrix for each step now and then, where the operation takes that. Returns: JSON-ready objects, everyday
    ones, awkward ones and ones at the boundaries. Raises: InvalidArgument.

    >>> from hypothesis import find
    >>> find(requests("loss", "rational"), lambda given: given["alpha"] == "inf")["alpha"]
    'inf'
    """
    drawn = draw_of(check_operation(op, numbers))
    return _inputs(partial(_of_steps, drawn) if stepwise and may_differ(op) else drawn, Writer(numbers))


def check_operation(op: str, numbers: str) -> str:
    """Return the operation. Raises: InvalidArgument where there is none of that name, or no such numbers."""
    if op not in OPERATIONS:
        raise InvalidArgument(f"{op!r} is not one of the operations {', '.join(OPERATIONS)}")
    if numbers not in NUMBERS:
        raise InvalidArgument(f"numbers are {' or '.join(NUMBERS)}, not {numbers!r}")
    return op


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes numbers, levels and matrices in the contract's notation: one of NUMBERS."""

    numbers: str

    @property
    def doubles(self) -> bool:
        """Whether doubles are written."""
        return self.numbers in DOUBLES

    def number(self, value: Fraction) -> str:
        """Write a number; a double where doubles are written."""
        if self.numbers == DECIMAL64:
            return shortest_decimal(value)
        return hex_text(value) if self.doubles else fraction_to_text(value)

    def level(self, level: Level) -> str:
        """Write a level; ∞ or a double where doubles are written."""
        if self.doubles and not level.is_infinite:
            assert level.rational is not None
            return self.number(level.rational)
        return level.full_text()

    def matrix(self, matrix: TransitionMatrix) -> list[list[str]]:
        """Write a matrix."""
        return [[self.number(entry) for entry in row] for row in matrix.rows]


@st.composite
def _inputs(draw: DrawFn, drawn: _Draw, writer: Writer) -> Object:
    return drawn(draw, writer)


def _instance(draw: DrawFn, writer: Writer, boundaries: tuple[str, ...]) -> tuple[TransitionMatrix, Level]:
    """Draw a matrix and a level, one time in three at a boundary; even then one that is not, to which to shrink."""
    boundary = draw(st.sampled_from([*[None] * 2 * len(boundaries), *boundaries]))
    level = draw(levels(doubles=writer.doubles))
    matrix = draw(matrices(1, MOST_STATES_OF_INPUTS, dyadic=writer.doubles))
    return (matrix, level) if boundary is None else draw(boundary_instances(boundary, dyadic=writer.doubles))


def _at(level: str, *boundaries: str) -> _Draw:
    """Draw a matrix and a level, which stands under this key, often at a boundary."""

    def drawn(draw: DrawFn, writer: Writer) -> Object:
        matrix, value = _instance(draw, writer, boundaries)
        return {"matrix": writer.matrix(matrix), level: writer.level(value)}

    return drawn


def _loss_function(draw: DrawFn, writer: Writer) -> Object:
    return {"matrix": writer.matrix(draw(matrices(1, MOST_STATES_OF_INPUTS, dyadic=writer.doubles)))}


def _known(draw: DrawFn, writer: Writer, strategy: SearchStrategy[TransitionMatrix]) -> Object:
    """Draw what an adversary knows: no matrix, one, or two of the same size."""
    drawn = {role: draw(strategy) for role in draw(st.sampled_from(KNOWN_DIRECTIONS))}
    n = max((matrix.n for matrix in drawn.values()), default=1)
    return {role: writer.matrix(_enlarged(matrix, n)) for role, matrix in drawn.items()}


def _enlarged(matrix: TransitionMatrix, n: int) -> TransitionMatrix:
    """Add states that behave as the first and that nothing leads to; the loss function stays as it is."""
    rows = [(*row, *[Fraction(0)] * (n - matrix.n)) for row in matrix.rows]
    return TransitionMatrix((*rows, *[rows[0]] * (n - matrix.n)))


def _of_steps(drawn: _Draw, draw: DrawFn, writer: Writer) -> Object:
    """Draw an input, and now and then further matrices for the steps of a correlation: the given one is the first."""
    given = drawn(draw, writer)
    releases = given["epsilons"]
    assert isinstance(releases, list)
    for role in [role for role in ROLES if role in given]:
        kind = draw(st.sampled_from([None, STEPS, CYCLE]))
        if kind is None:
            continue
        first: Any = given[role]
        count = len(releases) - 1 if kind == STEPS else draw(st.integers(1, 3))
        n = len(first)
        others = [writer.matrix(draw(matrices(n, n, dyadic=writer.doubles))) for _ in range(count - 1)]
        given[role] = {kind: [first, *others][:count]}
    return given


def _leakage(draw: DrawFn, writer: Writer) -> Object:
    epsilons = draw(schedules(1, 4, doubles=writer.doubles))
    known = _known(draw, writer, matrices(1, 3, dyadic=writer.doubles))
    return {**known, "epsilons": [writer.level(epsilon) for epsilon in epsilons]}


def _composition(draw: DrawFn, writer: Writer) -> Object:
    place, extent = (draw(st.integers(0, 11)) for _ in range(2))
    given = _leakage(draw, writer)
    epsilons = given["epsilons"]
    assert isinstance(epsilons, list)
    start = 1 + place % len(epsilons)
    return {**given, "start": start, "length": 1 + extent % (len(epsilons) - start + 1)}


def _allocate(draw: DrawFn, writer: Writer) -> Object:
    method = draw(st.sampled_from(["upper-bound", "quantified"]))
    horizon = draw(st.sampled_from([1, 2, 3, 5] if method == "quantified" else [None, 1, 2, 3]))
    alpha = draw(st.one_of(*[budgets(doubles=writer.doubles)] * 9, st.just(INFINITE)))
    feasible = matrices(1, 3, dyadic=writer.doubles, kinds=FEASIBLE_KINDS).filter(_overlap)
    given = {**_known(draw, writer, feasible), "alpha": writer.level(alpha), "method": method}
    return given if horizon is None else {**given, "horizon": horizon}


def _overlap(matrix: TransitionMatrix) -> bool:
    """Whether no two rows have disjoint supports."""
    supports = [{column for column, entry in enumerate(row) if entry} for row in matrix.rows]
    return all(first & second for first in supports for second in supports)


def _mixing(draw: DrawFn, writer: Writer) -> Object:
    """Draw what an adversary knows: matrices of positive entries, to which a state that nothing leads to is added."""
    bits = GRID_BITS if writer.doubles else None
    sizes = st.integers(1, 3)
    weights = sizes.flatmap(lambda n: st.lists(st.tuples(*[st.integers(1, 9)] * n), min_size=n, max_size=n))
    rows = weights.map(lambda drawn: TransitionMatrix(tuple(distribution(list(row), bits) for row in drawn)))
    return _known(draw, writer, rows)


def _worst_case_supremum(draw: DrawFn, writer: Writer) -> Object:
    epsilon = double_level(draw(positive_doubles(awkward=False)))
    return {**_mixing(draw, writer), "epsilon": writer.level(epsilon)}


def _worst_case_allocate(draw: DrawFn, writer: Writer) -> Object:
    alpha = writer.level(double_level(draw(positive_doubles(awkward=False))))
    if draw(st.integers(0, 3)):
        known = _known(draw, writer, matrices(1, 3, dyadic=writer.doubles))
        return {**known, "alpha": alpha, "horizon": draw(st.integers(1, 5))}
    return {**_mixing(draw, writer), "alpha": alpha}


def _leakage_profile(draw: DrawFn, writer: Writer) -> Object:
    """Draw moderate budgets of a few releases, and dyadic probabilities, 0 among them."""
    chances = st.sampled_from([Fraction(0), Fraction(1, 1024), Fraction(1, 64), Fraction(1, 16), Fraction(5, 8)])
    own = draw(st.sampled_from([None, Fraction(1, 1024), Fraction(1, 256)]))
    given: Object = {
        **_known(draw, writer, matrices(1, 3, dyadic=writer.doubles)),
        "epsilon": writer.level(double_level(draw(positive_doubles(awkward=False)))),
        "horizon": draw(st.integers(1, 4)),
        "delta": writer.number(draw(chances)),
    }
    return given if own is None else {**given, "delta_per_release": writer.number(own)}


def _control(draw: DrawFn, writer: Writer) -> Object:
    close = draw(st.booleans())
    previous = draw(levels(doubles=writer.doubles))
    matrix, cap = _instance(draw, writer, ("infeasible", "overflow", "cancellation", "identity", "equal rows"))
    loss = loss_function(matrix)
    if close:
        cap = _above(loss(previous), writer.doubles)
    if cap <= loss(previous):
        previous, cap = cap, previous
    if cap <= loss(previous):
        previous, cap = ZERO, Level.of(1) if cap.is_zero else cap
    return {"matrix": writer.matrix(matrix), "previous": writer.level(previous), "cap": writer.level(cap)}


def _above(level: Level, doubles: bool) -> Level:
    """Return a level a little above this one, a double if asked for; ∞ above those that are next to the greatest."""
    if level > Level.of(LARGEST_RATIONAL_LEVEL // 2):
        return INFINITE
    upper = Fraction(level.enclosure(17).upper)
    return double_level(nextafter(float(upper), inf)) if doubles else Level.of(upper * (1 + Fraction(1, 10**12)))


def _smooth(draw: DrawFn, writer: Writer) -> Object:
    sizes = [Fraction(1), Fraction(0), Fraction(1, 2), Fraction(1, 1024), Fraction(10**9), Fraction(1, 2**60)]
    s = draw(st.one_of(st.sampled_from(sizes), st.integers(1, 64).map(lambda sixteenths: Fraction(sixteenths, 16))))
    n = draw(st.one_of(st.none(), st.integers(1, 6)))
    matrix = draw(matrices(1, MOST_STATES_OF_INPUTS, dyadic=writer.doubles))
    whole: Object = {"matrix": writer.matrix(matrix)} if n is None else {"n": n}
    return {**whole, "s": writer.number(s)}


def _reverse(draw: DrawFn, writer: Writer) -> Object:
    weights = draw(st.binary(min_size=MOST_STATES_OF_INPUTS, max_size=MOST_STATES_OF_INPUTS))
    forward = _all_reached(draw(matrices(1, MOST_STATES_OF_INPUTS, dyadic=writer.doubles)))
    bits = GRID_BITS if writer.doubles else None
    initial = distribution([byte % 5 for byte in weights[: forward.n]], bits)
    if not all(any(p and row[k] for p, row in zip(initial, forward.rows, strict=True)) for k in range(forward.n)):
        initial = distribution([1 + byte % 5 for byte in weights[: forward.n]], bits)
    return {"forward": writer.matrix(forward), "initial": [writer.number(p) for p in initial]}


def _all_reached(matrix: TransitionMatrix) -> TransitionMatrix:
    """Leave out the states that nothing leads to, until there is none."""
    rows = list(matrix.rows)
    while unreached := [k for k in range(len(rows)) if not any(row[k] for row in rows)]:
        state = unreached[0]
        rows = [(*row[:state], *row[state + 1 :]) for j, row in enumerate(rows) if j != state]
    return TransitionMatrix(tuple(rows))


def _sequences(draw: DrawFn) -> list[list[str]]:
    names = draw(st.sampled_from([("a", "b", "c"), ("1", "2", "10"), ("10", "b", "9", "é")]))
    sequences = draw(st.lists(st.lists(st.sampled_from(names), min_size=1, max_size=6), min_size=1, max_size=4))
    return [[*sequence, sequence[0]] for sequence in sequences]


INPUTS: dict[str, _Draw] = {
    "loss": _at("alpha", "transition point", *EVERYWHERE, "infeasible"),
    "loss_function": _loss_function,
    "leakage": _leakage,
    "supremum": _at("epsilon", "divergence", "supremum piece", *EVERYWHERE),
    "composition": _composition,
    "allocate": _allocate,
    "control": _control,
    "smooth": _smooth,
    "reverse": _reverse,
    "estimate": lambda draw, _: {"sequences": _sequences(draw)},
    "worst_case_supremum": _worst_case_supremum,
    "worst_case_allocate": _worst_case_allocate,
    "leakage_profile": _leakage_profile,
}
"""What draws a valid input of an operation. A sequence to estimate from ends as it began: every state is followed."""


def draw_of(op: str) -> _Draw:
    """Return what draws an input of an operation: its own draw, or one by the kinds of its keys."""
    return INPUTS.get(op) or partial(_by_kinds, OPERATIONS[op])


def _by_kinds(operation: Operation, draw: DrawFn, writer: Writer) -> Object:
    """Draw an input by the kinds of its keys: matrices of one size, optional keys now and then."""
    only = draw(st.sampled_from(operation.one_of)) if operation.one_of else ""
    wanted = {key: key.required or key.name == only for key in operation.keys}
    chosen = [key for key in wanted if wanted[key] or (key.name not in operation.one_of and draw(st.booleans()))]
    drawn = {key.name: draw(matrices(1, 3, dyadic=writer.doubles)) for key in chosen if key.kind.is_matrix}
    n = max((matrix.n for matrix in drawn.values()), default=1)
    written: Object = {name: writer.matrix(_enlarged(matrix, n)) for name, matrix in drawn.items()}
    return {key.name: written.get(key.name) or _value(draw, writer, key, n) for key in chosen}


def _value(draw: DrawFn, writer: Writer, key: InputKey, n: int) -> object:
    match key.kind:
        case InputKind.LEVEL:
            return writer.level(draw(budgets(doubles=writer.doubles)))
        case InputKind.LEVELS:
            return [writer.level(level) for level in draw(schedules(1, 4, doubles=writer.doubles))]
        case InputKind.NUMBER:
            return writer.number(Fraction(draw(st.integers(0, 64)), 16))
        case InputKind.COUNT:
            return draw(st.integers(1, 4))
        case InputKind.TEXT:
            return draw(st.sampled_from(key.choices))
        case InputKind.DISTRIBUTION:
            return [writer.number(entry) for entry in draw(distributions(n, n, dyadic=writer.doubles))]
    return _sequences(draw)
