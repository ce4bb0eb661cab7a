"""The loss function by the paper's own algorithms, corrected where each says so: slow, and nothing of ours in it.

Algorithm 2 [algo:precomp1] precomputes a function per pair of rows, Algorithm 4 [algo:gen_L_func] generates L from them
on a domain from a_1 to a_m, with the top functions of Algorithm 3 [algo:calc_precomp], and Algorithm 5
[algo:cal_bpl_func] evaluates it; Algorithm 1 [algo:cal_bpl] gives one value without any of them.

The paper leaves a_1 and a_m to the reader. With D a common denominator of the entries, two sub-functions with sums
a/D, b/D and a'/D, b'/D are equal at E = D·(a' − b' − a + b)/(a·b' − a'·b) only, a quotient of whole numbers from 1 to
D and from 1 to D² where it is positive. So on [1/(D + 1), D² + 1] Algorithm 4 meets every breakpoint of L, the
first sub-function rules from 0 on, and the last one without end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from math import lcm

from ..correlations import TransitionMatrix
from ..levels import ZERO, Level
from .algorithm_1 import algorithm_1
from .algorithms_2_3 import PairFunction, algorithm_2, algorithm_3
from .algorithms_4_5 import SubFunction, algorithm_4, algorithm_5
from .lfp import Subset, subset
from .loss import LossFunction, Piece


@dataclass(frozen=True)
class LiteralLossFunction(LossFunction):
    """The function L as the paper's algorithms have it. Build with `literal_loss_function`.

    functions: what Algorithm 2 precomputes; sub_functions: what Algorithm 4 generates, the last one without an end;
    pieces: the same, equal neighbours joined.
    """

    functions: tuple[PairFunction, ...]
    sub_functions: tuple[SubFunction, ...]

    def __call__(self, alpha: Level) -> Level:
        """Return L(alpha) by Algorithm 5 [algo:cal_bpl_func]. Exact. Raises: Undecided."""
        return algorithm_5(self.sub_functions, alpha, ZERO)

    def optimum(self, alpha: Level) -> Subset | None:
        """Return a set that attains L(alpha) as Algorithms 1, 3 and 5 all find it, None where L ≡ 0.

        Exact.

        Args:
            alpha: a level in nats.

        Raises: ArithmeticError where the algorithms differ, which would be a mistake in `reference`; Undecided.
        """
        chosen = self.piece_at(alpha).witness
        level = ZERO if chosen is None else chosen.value(alpha)
        by_precomputation = algorithm_3(self.functions, alpha, ZERO)
        if not level == algorithm_1(self.matrix, alpha, ZERO) == by_precomputation == self(alpha):
            raise ArithmeticError(f"Algorithms 1, 3 and 5 do not agree at {alpha!r}")
        return chosen


def literal_loss_function(matrix: TransitionMatrix) -> LiteralLossFunction:
    """Build the whole loss function by Algorithms 2, 3 and 4, to be evaluated by Algorithm 5: the literal method.

    Args:
        matrix: P^B or P^F, n × n.

    Returns: L on [0, ∞), the same pieces and witnesses as `loss_function`; exact.
    """
    functions = algorithm_2(matrix)
    common = lcm(*(entry.denominator for row in matrix.rows for entry in row))
    generated = algorithm_4(functions, Fraction(1, common + 1), Fraction(common**2 + 1))
    sub_functions = (*generated[:-1], *(replace(last, end=None) for last in generated[-1:]))
    return LiteralLossFunction(matrix, _pieces(matrix, functions, sub_functions), functions, sub_functions)


def _pieces(
    matrix: TransitionMatrix, functions: tuple[PairFunction, ...], sub_functions: tuple[SubFunction, ...]
) -> tuple[Piece, ...]:
    pieces = []
    start: Fraction | None = Fraction(0)
    for (q, d), same in groupby(sub_functions, key=lambda each: (each.q, each.d)):
        assert start is not None
        *_, last = same
        pieces.append(Piece(q, d, start, last.end, _witness(matrix, functions, q, d)))
        start = last.end
    return tuple(pieces) or (Piece(Fraction(0), Fraction(0), Fraction(0), None, None),)


def _witness(matrix: TransitionMatrix, functions: Iterable[PairFunction], q: Fraction, d: Fraction) -> Subset:
    """Return the set of the first pair of rows that has one with these sums. Exact."""
    for function in functions:
        size = bisect_left(function.q_sums, q) + 1
        if size <= len(function.order) and (function.q_sums[size - 1], function.d_sums[size - 1]) == (q, d):
            return subset(matrix, function.row_q, function.row_d, function.order[:size])
    raise AssertionError("Algorithm 4 takes its sums from those of Algorithm 2")
