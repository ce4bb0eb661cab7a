"""Strategies of instances at the boundaries where implementations go wrong, or a chosen distance from them."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter

from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import DrawFn, SearchStrategy

from ..reference import ZERO, Level, LossFunction, Piece, TransitionMatrix, loss_function
from .level_kinds import double_level, levels
from .matrix_kinds import MATRIX_KINDS, matrices, row_pairs
from .row_kinds import UNIT

MatrixAndLevel = tuple[TransitionMatrix, Level]

MOST_MASS = Fraction(1, 8)
"""The most that is moved from one entry of a row to another."""

EQUAL_KINDS = ("varied", "ties", "sparse", "smoothed")
"""Kinds of rows on the grid of multiples of 2^−53, where a multiple of it can be moved."""

LEAST_OVERFLOW = Fraction(2**1024)
"""e^α from which on it is no double."""


@dataclass(frozen=True, slots=True)
class LevelEdge:
    """A boundary of levels.

    excesses: from a loss function to the excesses e^α − 1 of the boundary, none where it has none; kinds: of the
    matrices among which those that have one are common; least: the fewest states of such a matrix.
    """

    excesses: Callable[[LossFunction], list[Fraction]]
    kinds: tuple[str, ...] = MATRIX_KINDS
    least: int = 1


def _ends(loss: LossFunction) -> list[Fraction]:
    return [piece.stop for piece in loss.pieces if piece.stop is not None]


def _supremum_ends(loss: LossFunction) -> list[Fraction]:
    """Return e^ε − 1 for the budgets ε = A − L(A) at the ends A of the pieces."""
    return [_budget_at(piece, piece.stop) for piece in loss.pieces if piece.stop is not None]


def _budget_at(piece: Piece, excess: Fraction) -> Fraction:
    return (1 + excess) * (piece.d * excess + 1) / (piece.q * excess + 1) - 1


def _divergence(loss: LossFunction) -> list[Fraction]:
    last = loss.pieces[-1]
    return [1 / last.q - 1] if last.d == 0 and 0 < last.q < 1 else []


def _last_ratio(loss: LossFunction) -> list[Fraction]:
    last = loss.pieces[-1]
    return [last.q / last.d - 1] if last.d > 0 else []


LEVEL_EDGES = {
    "transition point": LevelEdge(_ends, ("varied", "few rows", "smoothed", "tiny"), 3),
    "supremum piece": LevelEdge(_supremum_ends, ("varied", "few rows", "smoothed", "tiny"), 3),
    "divergence": LevelEdge(_divergence, ("varied", "few rows", "nearly equal", "banded"), 2),
    "infeasible": LevelEdge(_last_ratio, ("smoothed", "nearly equal"), 2),
    "overflow": LevelEdge(lambda _loss: [LEAST_OVERFLOW - 1]),
    "cancellation": LevelEdge(lambda _loss: [UNIT]),
}

BOUNDARIES = (*LEVEL_EDGES, "zero level", "identity", "equal rows")
"""The names of the boundaries of `boundary_instances`."""


def boundary_instances(
    name: str, *, distance: Fraction | int | None = None, dyadic: bool = False
) -> SearchStrategy[MatrixAndLevel]:
    """Return a strategy of pairs of a matrix and a level at a boundary, or near it.

    Args: name, one of BOUNDARIES. For the boundaries of a level α its excess e^α − 1 is the boundary's times
    1 + distance:

    - "transition point": α is where one piece of L ends and the next begins;
    - "supremum piece": as a budget, α is where the supremum passes from one piece of L to the next;
    - "divergence": as a budget, α is the least with which the paper's bound grows without limit, q·e^α = 1 (and d = 0);
    - "infeasible": as a cap, α is L(∞), the greatest that leaves no budget after an infinite BPL;
    - "overflow": α is log 2^1024, beyond which e^α is no double;
    - "cancellation": α is log(1 + 2^−53), below which e^α rounds to 1;
    - "zero level": α is the distance itself, 0 at the boundary.

    For the boundaries of a matrix the distance is the probability that is moved, and the level is any:

    - "identity": two rows have disjoint supports but for the distance, and L is almost the identity;
    - "equal rows": all rows are equal but for the distance, and L is almost 0.

    distance: a Fraction, exactly 0 at the boundary; without it, 0 or a very small one to either side. dyadic: the
    entries are doubles, and the level is the double nearest to what is said above (without a distance now and then the
    double next to that).
    Returns: pairs of a `TransitionMatrix` and a `Level`. Raises: InvalidArgument for another name, and for a distance
    that the boundary does not have: at most -1; for "zero level" outside 0..1; for "identity" and "equal rows" outside
    0..1/8 or, if dyadic, no multiple of 2^−53.

    >>> from hypothesis import find
    >>> matrix, level = find(boundary_instances("zero level", distance=0), lambda drawn: True)
    >>> level
    <Level 0>
    """
    if name not in BOUNDARIES:
        raise InvalidArgument(f"{name!r} is not one of the boundaries {', '.join(BOUNDARIES)}")
    if distance is not None:
        _check_distance(name, distance, dyadic)
    if name in LEVEL_EDGES:
        return _near_level(LEVEL_EDGES[name], distance, dyadic)
    if name == "zero level":
        return _near_zero(distance, dyadic)
    return _near_matrix(name == "identity", distance, dyadic)


def _check_distance(name: str, distance: object, dyadic: bool) -> None:
    if not isinstance(distance, Fraction | int) or isinstance(distance, bool):
        raise InvalidArgument(f"the distance is a Fraction, not {distance!r}")
    if distance <= -1 or (name not in LEVEL_EDGES and not 0 <= distance <= 1):
        raise InvalidArgument(f"there is no {name!r} at the distance {distance}")
    if name in ("identity", "equal rows"):
        if distance > MOST_MASS:
            raise InvalidArgument(f"at most {MOST_MASS} is moved, not {distance}")
        if dyadic and distance % UNIT:
            raise InvalidArgument(f"with dyadic=True a multiple of 2**-53 is moved, not {distance}")


@st.composite
def _near_level(draw: DrawFn, edge: LevelEdge, distance: Fraction | int | None, dyadic: bool) -> MatrixAndLevel:
    by, steps = distance, 0
    if by is None:
        by = draw(st.sampled_from([Fraction(0), *(Fraction(s, n) for n in (10**12, 2**52, 1000) for s in (1, -1))]))
        steps = draw(st.sampled_from([0, 1, -1])) if dyadic and by == 0 else 0
    number = draw(st.integers(0, 3))
    matrix, excesses = draw(
        matrices(edge.least, max(edge.least, 4), dyadic=dyadic, kinds=edge.kinds)
        .map(lambda matrix: (matrix, [excess for excess in edge.excesses(loss_function(matrix)) if excess > 0]))
        .filter(lambda found: found[1])
    )
    level = Level.of_ratio(1 + excesses[number % len(excesses)] * (1 + by))
    return matrix, _nearest_double(level, steps) if dyadic else level


def _nearest_double(level: Level, steps: int = 0) -> Level:
    """Return the double nearest to a positive finite level, or the one before or after it."""
    nearest = float(Fraction(level.enclosure(40).lower))
    return double_level(nextafter(nearest, steps * inf) if steps else nearest)


@st.composite
def _near_zero(draw: DrawFn, distance: Fraction | int | None, dyadic: bool) -> MatrixAndLevel:
    if distance is None:
        distance = draw(st.sampled_from([Fraction(0), Fraction(1, 2**1074), Fraction(1, 2**1022), Fraction(1, 2**60)]))
    level = Level.of(distance) if distance else ZERO
    return draw(matrices(1, 4, dyadic=dyadic)), _nearest_double(level) if dyadic and distance else level


@st.composite
def _near_matrix(draw: DrawFn, disjoint: bool, distance: Fraction | int | None, dyadic: bool) -> MatrixAndLevel:
    """Draw two rows, disjoint or equal, move one of them by the distance, and repeat one."""
    if distance is None:
        distance = draw(st.sampled_from([Fraction(0), UNIT, Fraction(1, 2**30), Fraction(1, 2**10)]))
    level = draw(levels(doubles=dyadic, kinds=("rational", "zero", "infinite") if dyadic else None))
    first, second = draw(row_pairs(2, 4, dyadic=dyadic, kinds=("disjoint supports",) if disjoint else EQUAL_KINDS))
    source = first.index(max(first))
    target = second.index(max(second)) if disjoint else (source + 1) % len(first)
    moved = tuple(entry + distance * ((column == target) - (column == source)) for column, entry in enumerate(first))
    other = second if disjoint else first
    return TransitionMatrix((moved, *[other] * (len(first) - 1))), level
