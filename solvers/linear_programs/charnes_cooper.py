"""The program of two rows, Eq. [eq:lfp]–[eq:lfp_end2], made linear by Charnes and Cooper: as data, for any solver.

Maximise q·x / d·x over a cone of x > 0. With y = x/(d·x) this is: maximise q·y subject to d·y = 1, y in the cone.
The strict inequalities 0 < x_j < 1 become 0 ≤ y_j ≤ s, with s > 0 the reciprocal of d·x: the closure has the same
supremum, because every point of it is a limit of points inside. Three forms of the cone:

- literal: y_j ≤ A·y_k for all n(n − 1) ordered pairs, Eq. [eq:lfp_end], and y_j ≤ s, Eq. [eq:lfp_end2];
- compact: t ≤ y_j ≤ A·t, with t the least of the y;
- pairwise: x_a ≤ M_ab·x_b for a matrix M of bounds, of which one bound A for all pairs is a case.

Coefficients are exact where A = e^α is rational. Where it is not, A is its nearest double: the program is then one for
floats, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product

from flint import arb, ctx

from ...reference.correlations import Row
from ...reference.errors import InvalidRequest
from ...reference.levels import Level

Terms = tuple[tuple[int, Fraction], ...]
"""A linear form, sparse: the index of a variable and its coefficient, which is not zero."""

LARGEST_DOUBLE_LEVEL = 710
"""From this level on e^α exceeds every double."""


@dataclass(frozen=True, slots=True)
class RatioBound:
    """The bound A on the ratio of two entries of x: e^α, None for ∞. exact: whether it is e^α or its nearest double."""

    value: Fraction | None
    exact: bool = True


@dataclass(frozen=True, slots=True)
class LinearProgram:
    """Maximise objective·v subject to normalisation·v = 1, row·v ≤ 0 for each row, v ≥ 0.

    form: its name; n: the number of states; the first n variables are y_1..y_n. bound: the A of its ratios, None for
    the pairwise form.
    """

    form: str
    n: int
    variables: tuple[str, ...]
    objective: Terms
    normalisation: Terms
    rows: tuple[Terms, ...]
    bound: RatioBound | None

    @property
    def exact(self) -> bool:
        """Whether the coefficients are those of the program; otherwise A is the nearest double."""
        return self.bound is None or self.bound.exact


@dataclass(frozen=True, slots=True)
class PairwiseBounds:
    """Bounds x_a ≤ M_ab·x_b, n × n rationals, None for no bound.

    Raises: InvalidRequest unless some x > 0 meets them all, that is, unless they are square and positive and no cycle
    of them has a product below 1.
    """

    rows: tuple[tuple[Fraction | None, ...], ...]

    def __post_init__(self) -> None:
        n = len(self.rows)
        if any(len(row) != n for row in self.rows):
            raise InvalidRequest("pairwise bounds are a square matrix")
        if any(bound is not None and bound <= 0 for row in self.rows for bound in row):
            raise InvalidRequest("a pairwise bound is a positive ratio, or none")
        tightest = [list(row) for row in self.rows]
        for via, a, b in product(range(n), repeat=3):
            first, second, direct = tightest[a][via], tightest[via][b], tightest[a][b]
            if first is not None and second is not None and (direct is None or first * second < direct):
                tightest[a][b] = first * second
        if any((bound := tightest[a][a]) is not None and bound < 1 for a in range(n)):
            raise InvalidRequest("the pairwise bounds contradict each other: the product along a cycle is below 1")


def ratio_bound(alpha: Level) -> RatioBound:
    """Return A = e^α for a level in nats: exact where it is rational or infinite, else the nearest double.

    Raises: InvalidRequest where it is irrational and above every double.
    """
    if alpha.is_infinite:
        return RatioBound(None)
    ratio = alpha.ratio
    return RatioBound(ratio) if isinstance(ratio, Fraction) else RatioBound(_nearest_double(alpha), exact=False)


def _nearest_double(alpha: Level) -> Fraction:
    digits = 40
    while True:
        enclosure = alpha.enclosure(digits)
        if enclosure.lower >= LARGEST_DOUBLE_LEVEL:
            raise InvalidRequest(f"the ratio e^α exceeds every double: α is above {LARGEST_DOUBLE_LEVEL}")
        with ctx.workprec(4 * digits):
            lower = _float_below(Fraction(enclosure.lower))
            upper = _float_above(Fraction(enclosure.upper))
        if lower == upper:
            return Fraction(lower)
        digits *= 2


def _float_below(alpha: Fraction) -> float:
    return _nearest((arb(alpha.numerator) / arb(alpha.denominator)).exp().lower())


def _float_above(alpha: Fraction) -> float:
    return _nearest((arb(alpha.numerator) / arb(alpha.denominator)).exp().upper())


def _nearest(point: arb) -> float:
    mantissa, exponent = (int(part) for part in point.man_exp())
    try:
        return float(mantissa * Fraction(2) ** exponent)
    except OverflowError:
        raise InvalidRequest("the ratio e^α exceeds every double") from None


def literal(q: Row, d: Row, bound: RatioBound) -> LinearProgram:
    """Return the program with the n(n − 1) ratio constraints of Eq. [eq:lfp_end] and the box of Eq. [eq:lfp_end2].

    Args: q and d, two distributions over n states; bound, A = e^α. Returns: the program in y_1..y_n and s.
    """
    n = len(q)
    ratios = _ratio_rows([[bound.value] * n] * n)
    box = tuple(((j, Fraction(1)), (n, Fraction(-1))) for j in range(n))
    return LinearProgram("literal", n, (*_names(n), "s"), _terms(q), _terms(d), ratios + box, bound)


def compact(q: Row, d: Row, bound: RatioBound) -> LinearProgram:
    """Return the program with 2n constraints t ≤ y_j ≤ A·t, which has the optimum of the literal one.

    Args: q and d, two distributions over n states; bound, A = e^α. Returns: the program in y_1..y_n and t.
    """
    n = len(q)
    rows: list[Terms] = []
    for j in range(n):
        rows.append(((n, Fraction(1)), (j, Fraction(-1))))
        if bound.value is not None:
            rows.append(((j, Fraction(1)), (n, -bound.value)))
    return LinearProgram("compact", n, (*_names(n), "t"), _terms(q), _terms(d), tuple(rows), bound)


def pairwise(q: Row, d: Row, bounds: PairwiseBounds) -> LinearProgram:
    """Return the program with x_a ≤ M_ab·x_b, Eq. [eq:lfp_end] with a bound for each ordered pair of its own.

    Args: q and d, two distributions over n states; bounds, n × n. Returns: the program in y_1..y_n, exact.
    Raises: InvalidRequest where the bounds are not of that size.
    """
    n = len(q)
    if len(bounds.rows) != n:
        raise InvalidRequest(f"the pairwise bounds are for {len(bounds.rows)} states, the rows have {n} entries")
    return LinearProgram("pairwise", n, _names(n), _terms(q), _terms(d), _ratio_rows(bounds.rows), None)


def _ratio_rows(bounds: Sequence[Sequence[Fraction | None]]) -> tuple[Terms, ...]:
    rows: list[Terms] = []
    for a, b in permutations(range(len(bounds)), 2):
        bound = bounds[a][b]
        if bound is not None:
            rows.append(((a, Fraction(1)), (b, -bound)))
    return tuple(rows)


def _names(n: int) -> tuple[str, ...]:
    return tuple(f"y{j}" for j in range(1, n + 1))


def _terms(row: Row) -> Terms:
    return tuple((j, value) for j, value in enumerate(row) if value)
