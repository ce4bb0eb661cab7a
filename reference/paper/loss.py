"""The temporal privacy loss function L, whole: every piece on [0, ∞), Corollary 3 [col:L_func], by a method of ours.

e^{L(α)} is the greatest of (q·E + 1)/(d·E + 1), E = e^α − 1, over the prefix sets of all pairs of rows: the steepest
slope from the viewpoint (−1/E, −1/E) to the points (d, q). The pieces of L are therefore vertices of the upper hull of
the points, met from right to left as E goes from 0 to ∞. Two of them are equal at one rational E only, which is the
whole proof of Theorem 10 [thm:gen_L_func]; no first or last level a_1, a_m and no tolerance is needed. The paper's own
way to L, Algorithms 2 to 5, is in `reference.paper.literal`: the same function, more slowly.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import lcm

from ..correlations import TransitionMatrix
from ..levels import INFINITE, Level
from .lfp import Subset, row_pairs

Progress = Callable[[int, int], None]
"""Called with the steps done and the steps in all."""

POINTS_AT_ONCE = 100_000
"""Number of points above which they are reduced to the vertices of their hull."""

BYTES_AT_ONCE = 1 << 28
"""Bytes of memory that waiting points may take."""

Coefficients = tuple[tuple[Fraction, Fraction, Fraction], ...]
"""A loss function as (q, d, start) of each piece."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of L: L(α) = log((q·E + 1)/(d·E + 1)) for start ≤ E ≤ stop, E = e^α − 1; stop is None for ∞.

    witness: the rows and the set of columns whose sums are q and d; None where L ≡ 0 and q = d = 0.

    >>> from tploracle import loss_function
    >>> loss_function([["4/5", "1/5"], ["0", "1"]]).pieces[0].q
    Fraction(4, 5)
    """

    q: Fraction
    d: Fraction
    start: Fraction
    stop: Fraction | None
    witness: Subset | None

    @property
    def domain(self) -> tuple[Level, Level]:
        """The levels from which and to which the piece rules. Exact."""
        return Level.of_ratio(1 + self.start), INFINITE if self.stop is None else Level.of_ratio(1 + self.stop)


@dataclass(frozen=True)
class LossFunction:
    """The function L of a transition matrix, a callable from level to level. Build with `loss_function`, or literally.

    pieces: its true pieces in order, from E = 0 to ∞, each optimal on an interval of positive length; exact.

    >>> from tploracle import loss_function
    >>> loss_function([["4/5", "1/5"], ["0", "1"]])(Level.of(1)) < Level.of(1)
    True
    """

    matrix: TransitionMatrix
    pieces: tuple[Piece, ...]

    def __call__(self, alpha: Level) -> Level:
        """Return L(alpha), Eq. [eq:lfp_sol_b]. Exact. Raises: Undecided."""
        piece = self.piece_at(alpha)
        return alpha.linear_fractional(piece.q, piece.d)

    def piece_at(self, alpha: Level) -> Piece:
        """Return the piece that rules at alpha, the earlier one where two meet. Exact.

        Args:
            alpha: a level in nats.

        Raises: Undecided.
        """
        index = bisect_left(self.pieces[:-1], True, key=lambda piece: _ends_at_or_after(piece, alpha))
        return self.pieces[index]

    @property
    def slope_at_zero(self) -> Fraction:
        """The slope of L at 0: the greatest total variation distance of two rows (Dobrushin's coefficient). Exact."""
        return self.pieces[0].q - self.pieces[0].d

    @cached_property
    def at_infinity(self) -> Level:
        """L(∞) = log max q_j/d_j over pairs of rows; ∞ where a row has mass and another none. Exact."""
        return self(INFINITE)

    @property
    def is_zero(self) -> bool:
        """Whether L ≡ 0: all rows are equal, Theorem 6 [thm:algo_extreme1]. Exact."""
        return self.slope_at_zero == 0

    @property
    def is_identity(self) -> bool:
        """Whether L(α) = α: two rows have disjoint supports. Exact.

        Theorem 7 [thm:algo_extreme2] has only a sufficient case of it (a 1 in one row against a 0 in the other).
        """
        return self.slope_at_zero == 1

    @cached_property
    def coefficients(self) -> Coefficients:
        """The function without its matrix and witnesses: equal for two matrices iff their L is the same. Exact."""
        return tuple((piece.q, piece.d, piece.start) for piece in self.pieces)


def _ends_at_or_after(piece: Piece, alpha: Level) -> bool:
    return piece.stop is None or alpha.sign_of_linear(-piece.stop, Fraction(1)) <= 0


@dataclass(frozen=True, slots=True)
class HullPoint:
    """A point (d, q) over a common denominator, and the rows and columns whose sums it is."""

    d: int
    q: int
    row_q: int
    row_d: int
    indices: tuple[int, ...]


def loss_function(matrix: TransitionMatrix, progress: Progress | None = None) -> LossFunction:
    """Build the whole loss function of a transition matrix by the hull of its points, Corollary 3 [col:L_func].

    Args:
        matrix: P^B or P^F, n × n.
        progress: called after each row with the rows done and the rows in all.

    Returns: L on [0, ∞), as `literal_loss_function`; exact: pieces, breakpoints and witnesses are rational.
    """
    common = lcm(*(entry.denominator for row in matrix.rows for entry in row))
    return assemble(matrix, _prefix_points(matrix, common, progress), common)


def point_bytes(n: int, bits: int) -> int:
    """Return about how many bytes a point takes: two integers of `bits` bits, and up to n columns."""
    return 2 * bits // 8 + 300 + 4 * n


def points_at_once(n: int, bits: int) -> int:
    """Return how many points of n states over a denominator of `bits` bits may wait to be reduced."""
    return max(1, min(POINTS_AT_ONCE, BYTES_AT_ONCE // point_bytes(n, bits)))


def assemble(matrix: TransitionMatrix, points: Iterable[HullPoint], common: int) -> LossFunction:
    """Build the loss function from points, among them all that rule a piece of it.

    Args: matrix; points over the denominator `common`, in order of preference where they are equal.
    Returns: the greatest of the points' functions, piece by piece; exact. It is L if the points hold every
    set that attains a piece, and nowhere above L in any case.
    """
    kept: list[HullPoint] = []
    at_once = most = points_at_once(matrix.n, common.bit_length())
    for point in points:
        kept.append(point)
        if len(kept) > most:
            kept = _visible_hull(kept)
            most = len(kept) + at_once
    vertices = _visible_hull(kept)
    if not vertices:
        return LossFunction(matrix, (Piece(Fraction(0), Fraction(0), Fraction(0), None, None),))
    breakpoints = [Fraction(0), *(_crossing(right, left, common) for right, left in pairwise(vertices)), None]
    pieces = []
    for point, (start, stop) in zip(vertices, pairwise(breakpoints), strict=True):
        assert start is not None
        q, d = Fraction(point.q, common), Fraction(point.d, common)
        witness = Subset(point.row_q, point.row_d, tuple(sorted(point.indices)), q, d)
        pieces.append(Piece(witness.q, witness.d, start, stop, witness))
    return LossFunction(matrix, tuple(pieces))


def _prefix_points(matrix: TransitionMatrix, common: int, progress: Progress | None) -> Iterator[HullPoint]:
    """Yield the sums over every prefix of the columns with q_j > d_j in order of falling q_j/d_j, for all pairs."""
    rows = [[int(entry * common) for entry in row] for row in matrix.rows]
    for row_q, row_d in row_pairs(matrix):
        if progress and row_d == (row_q == 0):
            progress(row_q, matrix.n)
        yield from prefix_points(rows[row_q], rows[row_d], row_q, row_d)


def prefix_points(q_row: list[int], d_row: list[int], row_q: int, row_d: int) -> Iterator[HullPoint]:
    """Yield the sums over every prefix of one pair's columns with q_j > d_j in order of falling q_j/d_j.

    Args: the two rows over one common denominator, and their indices. Returns: points over it, exact.
    """
    order = sorted(
        (j for j, (q, d) in enumerate(zip(q_row, d_row, strict=True)) if q > d),
        key=lambda j: Fraction(d_row[j], q_row[j]),
    )
    q_sum = d_sum = 0
    for size, j in enumerate(order, 1):
        q_sum += q_row[j]
        d_sum += d_row[j]
        yield HullPoint(d_sum, q_sum, row_q, row_d, tuple(order[:size]))


def _visible_hull(points: list[HullPoint]) -> list[HullPoint]:
    """Return the vertices of the upper hull that are steepest from some (−v, −v), v > 0; in order of falling v."""
    hull: list[HullPoint] = []
    for point in sorted(points, key=lambda point: (point.d, -point.q)):
        if hull and point.d == hull[-1].d:
            continue
        while len(hull) > 1 and _turn(hull[-2], hull[-1], point) >= 0:
            hull.pop()
        hull.append(point)
    if not hull:
        return []
    rightmost = max(range(len(hull)), key=lambda index: (hull[index].q - hull[index].d, -index))
    leftmost = rightmost
    while leftmost > 0 and _ratio_exceeds(hull[leftmost - 1], hull[leftmost]):
        leftmost -= 1
    return hull[leftmost : rightmost + 1][::-1]


def _turn(a: HullPoint, b: HullPoint, c: HullPoint) -> int:
    """Return the sign of the turn a → b → c, positive to the left."""
    cross = (b.d - a.d) * (c.q - a.q) - (b.q - a.q) * (c.d - a.d)
    return (cross > 0) - (cross < 0)


def _ratio_exceeds(first: HullPoint, second: HullPoint) -> bool:
    """Whether q/d of the first point exceeds that of the second; q/0 reads +∞."""
    return first.q * second.d > second.q * first.d


def _crossing(first: HullPoint, second: HullPoint, common: int) -> Fraction:
    """Return the excess e^α − 1 where the functions of two points are equal, the k of Algorithm 4 [algo:gen_L_func]."""
    return Fraction(
        (second.q + first.d - first.q - second.d) * common,
        first.q * second.d - second.q * first.d,
    )
