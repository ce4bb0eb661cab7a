"""The check from above of the paper's bound: no pair of rows has a greater loss than what goes out.

For two rows q, d and E = e^α − 1 the optimum of the linear-fractional program is at most 1 + y if and only if the sum
of (q_j − d_j − y d_j)^+ is at most y/E (docs/mathematics.md). So one sum for each pair of rows proves a value of L.
Between two breakpoints a piece (q E + 1)/(d E + 1) is the greatest if it is so at both: the difference of two pieces
has the sign of a function that is linear in E. So the breakpoints prove the whole of L, with the slopes at 0 and, where
the last piece has a limit, that at ∞: if not, d = 0, the piece is q E + 1, and all others are concave in E and start
where it does, so that none that it exceeds at its breakpoint, or at 0 by its slope, reaches it again.

*Whole numbers* come first, where they are compiled. Let S be 2^16 − 2 or 2^32 − 2, Q_j = ⌊S q_j⌋, X_j = ⌊S x_j⌋, where
x = (1 + y) d, or 1 if that is less. S q_j is at most S x_j, (Q_j − X_j)^+ and S q_j − Q_j together, and S q_j add up to
S. So the sum is at most Σ (Q_j − X_j)^+ / S + 1 − ΣQ_j / S. No partial sum exceeds ΣQ_j, which is less than S + 1: none
overflows. Q_j and X_j are parts of doubles: with what is compared they err by less than 16 u in all. At y = 0 the sum
of two rows is the same in both orders. Of the pairs that compiled code leaves out n are drawn and tried in doubles too.

*Floats*: u = 2^−53, or 2^−24 in single precision, entries rounded to nearest, 0 ≤ y. As the entries of a row add up to
1, that sum is Σ max(q, (1 + y) d) − (1 + y), of which the first errs by less than (n + 8) u (2 + y). What singles leave
open is summed in doubles, and what these leave in fractions: once for all pairs of rows whose columns hold the same
pairs of entries, in whatever order.

From a proved L the recursions of Eqs. [eq:bpl_f] and [eq:fpl_f] follow in numbers rounded upward: as L rises, what is
above its argument is above it. TPL is the sum of two of their levels, Theorem 2. In proofs_checks/rocq the
roundings of these sums are proved in Doubles.v, and breakpoints and recursions, over real numbers, in AboveOthers.v.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations
from typing import Any, NamedTuple

from flint import arb, ctx

from ..reference.correlations import Row, TransitionMatrix, over_one_denominator
from ..reference.errors import Refuted, Unchecked
from ..reference.formulas import ball_of
from ..reference.levels import Level
from ..reference.paper.loss import LossFunction
from ..solvers.batch.compiled import is_compiled_worth

BITS = 112
"""Relative precision in bits of the numbers that are checked: they are proved to 8 bits less."""

U = 2.0**-53
LARGEST, TINY = 1e300, 1e-300
U_SINGLE, LARGEST_FOR_SINGLES = 2.0**-24, 1e30
LARGEST_FOR_HALF = 0.125
"""Greatest y up to which a bound for both orders of two rows is tried first: farther off it excludes few."""

MOST_ENTRIES = 1 << 28
"""Entries of pairs of rows that are looked at, in all breakpoints together: about a second."""

MOST_IN_FRACTIONS = 1 << 19
"""Entries of pairs of rows that are summed in fractions, at one breakpoint: about a second."""

AT_ONCE = 1 << 16
"""Entries of rows that are compared with another row at once: few enough to stay in the processor's cache."""

BESIDE = 32
"""Rows that compiled code compares with another row before it takes the next one: they stay in the cache."""

FEW_STATES = 8
"""Up to this many states all sums are fractions, where that is quicker than importing numpy."""


def check_loss(matrix: TransitionMatrix, alpha: Level, claimed: Level) -> None:
    """Prove that L(alpha) is at most what is claimed. Raises: Refuted, with the rows, where a pair has more."""
    if claimed.is_infinite or alpha.is_zero:
        return
    y = claimed.excess_bounds(BITS)[1] * (1 + Fraction(1, 1 << (BITS - 8)))
    if alpha.is_infinite:
        _check_sums(matrix, y, Fraction(0), _Rows.of(matrix))
        return
    _check_sums(matrix, y, y / alpha.excess_bounds(2 * BITS)[1], _Rows.of(matrix))


def check_loss_function(loss: LossFunction) -> None:
    """Prove that no pair of rows has a greater loss at any α than the pieces say. Raises: as `check_loss`."""
    if loss.matrix.n**3 * len(loss.pieces) > MOST_ENTRIES:
        raise Unchecked(
            f"a loss function of {loss.matrix.n} states and {len(loss.pieces)} pieces takes the check too long"
        )
    first, last, rows = loss.pieces[0], loss.pieces[-1], _Rows.of(loss.matrix)
    if first.start != 0 or last.stop is not None:
        raise Refuted("a loss function is not told from 0 to ∞")
    _check_sums(loss.matrix, Fraction(0), first.q - first.d, rows)
    for piece, after in pairwise(loss.pieces):
        at = after.start
        value = (piece.q - piece.d) * at / (piece.d * at + 1)
        if not piece.start < at == piece.stop or (after.q - after.d) * at / (after.d * at + 1) != value:
            raise Refuted(f"two pieces of a loss function do not meet at their breakpoint, e^α = {float(1 + at)}")
        _check_sums(loss.matrix, value, value / at, rows)
    if last.d:
        _check_sums(loss.matrix, last.q / last.d - 1, Fraction(0), rows)


class _Rows(NamedTuple):
    """The rows of a matrix, in doubles too.

    has_tiny: of each row, whether doubles lose the digits of an entry: it is left to fractions.
    """

    exact: Sequence[Row]
    doubles: Any
    has_tiny: Any

    @classmethod
    def of(cls, matrix: TransitionMatrix) -> _Rows | None:
        """Return them; None for few states, where numpy is not there yet: fractions are quicker then."""
        if matrix.n <= FEW_STATES and "numpy" not in sys.modules:
            return None
        import numpy as np

        tiny = np.zeros(matrix.n, dtype=bool)
        for place in np.flatnonzero(matrix.doubles < TINY).tolist():
            row, column = divmod(place, matrix.n)
            tiny[row] |= matrix.rows[row][column] != 0
        return cls(matrix.rows, matrix.doubles, tiny)

    def unlike(self, near: Any) -> Iterator[tuple[int, int]]:
        """Yield pairs of rows: of those whose columns hold the same pairs of entries one, if they are many."""
        import numpy as np

        known: dict[Fraction, int] = {}
        numbers = np.array([[known.setdefault(entry, len(known)) for entry in row] for row in self.exact])
        numbers, seen = numbers.astype(np.min_scalar_type(len(known) ** 2)), set[bytes]()
        for second in near.any(axis=0).nonzero()[0].tolist():
            rows = near[:, second].nonzero()[0]
            pairs = numbers[rows] * numbers.dtype.type(len(known)) + numbers[second]
            pairs.sort(axis=1, kind="stable")
            for first, own in zip(rows.tolist(), pairs, strict=True):
                key = own.tobytes()
                if key not in seen:
                    seen.add(key)
                    yield first, second


def _check_sums(matrix: TransitionMatrix, y: Fraction, most: Fraction, rows: _Rows | None) -> None:
    """Prove that the sum of (q_j − d_j − y d_j)^+ is at most a number for every pair of rows."""
    if most >= 1:
        return
    pairs = permutations(range(matrix.n), 2) if rows is None else _left_by_doubles(rows, y, most)
    for first, second in _bounded(pairs, matrix.n):
        if _excess(matrix.rows[first], matrix.rows[second], y) > most:
            raise Refuted(
                f"rows {first + 1} and {second + 1} have a greater loss than was found, at e^L = {float(1 + y):.17g}; "
                "this is a fault of the program: report it"
            )


class RecursionsAbove:
    """Upper bounds of BPL, FPL and TPL at all times, as e^α − 1, from the proved L^B and L^F; None where not known."""

    def __init__(self, backward: LossFunction | None, forward: LossFunction | None, epsilons: Sequence[Level]) -> None:
        with ctx.workprec(2 * BITS):
            known = {id(own): own for own in epsilons}
            above = {key: ball_of(own.excess_bounds(2 * BITS)[1]).upper() if not own.is_infinite else arb.pos_inf()
                     for key, own in known.items()}  # fmt: skip
            budgets = [above[id(own)] for own in epsilons]
            bpl, _ = _followed(backward, budgets)
            fpl, later = _followed(forward, budgets[::-1])
            self._bounds = bpl, fpl[::-1], [*map(_of_sum, bpl, later[-2::-1])]

    def prove(self, kind: int, claimed: Mapping[int, Level]) -> None:
        """Prove levels. Args: kind, BPL, FPL or TPL from 0; claimed, by time from 0. Raises: Refuted."""
        time = self.exceeds(kind, claimed)
        if time is not None:
            raise Refuted(
                f"the recursion leads to more than was found at time {time + 1}; this is a fault of the program: "
                "report it"
            )

    def exceeds(self, kind: int, claimed: Mapping[int, Level]) -> int | None:
        """Return a time at which what is claimed is not proved, if there is one. Args: as `prove`."""
        for level in {id(own): own for own in claimed.values() if not own.is_infinite}.values():
            with ctx.workprec(2 * BITS):
                most = ball_of(level.excess_bounds(BITS)[1] * (1 + Fraction(1, 1 << (BITS - 8))))
                for time, own in claimed.items():
                    if own is level and not self._bounds[kind][time] <= most:
                        return time
        return None


def _followed(loss: LossFunction | None, budgets: Iterable[arb]) -> tuple[list[arb], list[arb]]:
    """Return upper bounds of the excess after each release, and of that of L before the first and after each."""
    pieces = () if loss is None or loss.is_zero else loss.pieces
    lines = [(ball_of(own.q - own.d), ball_of(own.d)) for own in pieces]
    starts = [ball_of(own.start).lower() for own in pieces]
    after, carried = list[arb](), [arb(0)]
    for budget in budgets:
        at = _of_sum(budget, carried[-1])
        place = bisect_right(starts, at)  # this piece or the one before rules there, and neither exceeds L
        values = [_excess_at(*line, at).upper() for line in lines[max(place - 2, 0) : place]]
        after.append(at)
        carried.append(max(values, default=arb(0)))
    return after, carried


def _excess_at(apart: arb, d: arb, at: arb) -> arb:
    if at.is_finite():
        return apart * at / (d * at + 1)
    return arb.pos_inf() if d.is_zero() else apart / d


def _of_sum(first: arb, second: arb) -> arb:
    """Return an upper bound of the excess of the sum of two levels."""
    return (first + second + first * second).upper() if first.is_finite() and second.is_finite() else arb.pos_inf()


def _excess(first: Row, second: Row, y: Fraction) -> Fraction:
    """Return the sum of (q_j − d_j − y d_j)^+ of two rows, in integers over one denominator."""
    (own, common), (beside, other) = over_one_denominator(first), over_one_denominator(second)
    left, right = y.denominator * other, (y.denominator + y.numerator) * common
    found = sum(max(0, q * left - d * right) for q, d in zip(own, beside, strict=True))
    return Fraction(found, y.denominator * common * other)


def _bounded(pairs: Iterator[tuple[int, int]], n: int) -> Iterator[tuple[int, int]]:
    for number, pair in enumerate(pairs):
        if (number + 1) * n > MOST_IN_FRACTIONS:
            raise Unchecked(f"more than {number} pairs of rows nearly attain the loss, which takes the check too long")
        yield pair


def _slack(n: int, u: float, y: float, most: float) -> float:
    """Return more than what the sum for two rows of n entries and what it is compared with err by."""
    return (n + 8) * u * (2 + y) + 4 * U * (2 + y + most)


def _near_at_one(doubles: Any, most: float) -> Any:
    """Return for which pairs of rows singles do not prove it even at y = 0, where it is the same for both orders."""
    import numpy as np

    n, own = len(doubles), doubles.astype(np.float32)
    sums, ones, greater = (
        np.zeros((n, n), dtype=np.float32),
        np.ones(n, dtype=np.float32),
        np.empty(AT_ONCE + n, np.float32),
    )
    height = max(1, AT_ONCE // n)
    for start in range(0, n, height):
        beside = max(1, AT_ONCE // (n * min(height, n)))
        for first in range(start, n, beside):
            last = min(first + beside, n)
            rows, others = own[start : min(start + height, last)], own[first:last, None]
            both = greater[: len(others) * rows.size].reshape(len(others), *rows.shape)
            np.matmul(np.maximum(rows, others, out=both), ones, out=sums[first:last, start : start + len(rows)])
    near = sums.astype(float) + _slack(n, U_SINGLE, 0.0, most) > most + 1
    return near | near.T


def _sift(rows: Any, others: Any, most: float, near: Any) -> None:
    """Leave out of the pairs of a row Q and another one X those whose sum of (Q_j − X_j)^+ is at most a number."""
    kind = rows.dtype.type
    for second in range(len(others)):
        x = others[second]
        for first in range(len(rows)):
            if near[first, second]:
                q, total = rows[first], kind(0)
                for j in range(len(q)):
                    if q[j] > x[j]:
                        total = kind(total + (q[j] - x[j]))
                near[first, second] = total > most


@cache
def _compiled() -> Callable[[Any, Any, float, Any], None]:
    """Return `_sift`, compiled."""
    from ..solvers.batch.compiled.compiling import compile_kernel

    kinds = ("uint16", "uint32")
    return compile_kernel(_sift, [f"void({kind}[:,::1],{kind}[:,::1],float64,boolean[:,::1])" for kind in kinds])


def _near_by_whole_numbers(doubles: Any, y: float, most: float, sift: Callable[[Any, Any, float, Any], None]) -> Any:
    """Return for which pairs of rows whole numbers do not prove it. Args: sift, `_sift` or the same compiled."""
    import numpy as np

    n, is_for_both = len(doubles), y <= LARGEST_FOR_HALF
    near = np.tri(n, k=-1 if is_for_both else n, dtype=bool)
    for kind in (np.uint16, np.uint32):
        scale = float(np.iinfo(kind).max) - 1
        whole = (scale * doubles).astype(kind)
        limit = scale * (most - 1 - 16 * U) + float(whole.sum(axis=1).min())
        for x in (0.0, y) if is_for_both else (y,):
            scaled = (scale * np.minimum((1 + x) * doubles, 1)).astype(kind) if x else whole
            for start in range(0, n, BESIDE):
                sift(whole[start : start + BESIDE], scaled, limit, near[start : start + BESIDE])
            if is_for_both:
                near |= near.T
                is_for_both = False
        if near.sum() <= n:
            break
    return near


def _left_by_doubles(rows: _Rows, exact_y: Fraction, exact_most: Fraction) -> Iterator[tuple[int, int]]:
    """Yield the pairs of rows for which doubles do not prove it, of those alike one."""
    if exact_y > LARGEST:
        raise Unchecked("the loss is too great for doubles")
    import numpy as np

    n, doubles, y, most = len(rows.doubles), rows.doubles, float(exact_y), float(exact_most)
    near: Any = np.ones((n, n), dtype=bool)
    if most and is_compiled_worth(n**3 // 4):  # arrays take a quarter of the time that they take to guess
        near = _near_by_whole_numbers(doubles, y, most, _compiled())
        near.flat[np.random.default_rng(n).integers(n * n, size=n)] = True  # as many are looked at again
    elif y <= LARGEST_FOR_HALF:
        near = _near_at_one(doubles, most)
    for u, kind in ((U_SINGLE, np.float32), (U, np.float64)):
        pairs = divmod(np.flatnonzero(near), n)
        if kind is np.float32 and (len(pairs[0]) <= n or y > LARGEST_FOR_SINGLES or not most):
            continue
        own, beside = doubles.astype(kind, copy=False), ((1 + y) * doubles).astype(kind, copy=False)
        slack, ones, at_once = _slack(n, u, y, most), np.ones(n, dtype=kind), max(1, AT_ONCE // n)
        for start in range(0, len(pairs[0]), at_once):
            first, second = (each[start : start + at_once] for each in pairs)
            if most:
                greater = own[first]
                np.maximum(greater, beside[second], out=greater)
                near[first, second] = (greater @ ones).astype(float) + slack > most + (1 + y)
            else:  # then each entry must be at most (1 + y) d by itself
                near[first, second] = (own[first] > beside[second] * (1 - 8 * U)).any(axis=1)
    near |= rows.has_tiny | rows.has_tiny[:, None]
    np.fill_diagonal(near, val=False)
    left = np.flatnonzero(near).tolist()
    yield from rows.unlike(near) if len(left) > n else (divmod(pair, n) for pair in left)
