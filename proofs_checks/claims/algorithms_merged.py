"""One function from those of all pairs, Section 4.4: the simple idea, the cost in all, and line 9 of Algorithm 4."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, pairwise
from math import log2
from typing import Any

from ...reference.correlations import TransitionMatrix
from ...reference.paper.algorithms_2_3 import PairFunction, algorithm_2, top
from ...reference.paper.algorithms_4_5 import algorithm_4
from ...reference.paper.lfp import Subset
from ...reference.paper.loss import loss_function
from ...solvers.linear_programs.enumeration import enumerated_loss
from .. import transcriptions as printed
from ..compared import compared, mended
from ..coverage import counted, over
from ..families import EXAMPLE_4, log, matrices, matrix, shown
from ..faults import told
from ..provers import impossible, prove, z3_prover
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from ..transcript import printed_line
from ..transcriptions import Watch
from .algorithms_cost import generated, many_columns, many_pieces


def _points(functions: tuple[PairFunction, ...]) -> list[Fraction]:
    """Return all distinct transition points of all pairs' functions, as e^α − 1, in order."""
    return sorted({point for function in functions for point in function.transitions if point is not None})


def _simple_idea(matrix: TransitionMatrix, watch: Watch) -> dict[Fraction, Subset]:
    """Return what the simple idea takes for the top on each range, by the range's start: the top at its middle."""
    functions = algorithm_2(matrix)
    points = _points(functions)
    tops = {}
    for start, end in pairwise([Fraction(0), *points, 2 * (points or [Fraction(0)])[-1] + 1]):
        watch.count("values", len(functions))
        best = top(functions, log(1 + (start + end) / 2))
        assert best is not None
        tops[start] = best
    return tops


@evidence(EvidenceKind.TRANSCRIPTION, "counted on one family", errata="E26")
def simple_idea_counted() -> str:
    """The ranges between transition points, with the functions compared on each, outgrow the printed order."""
    printed_line(1139, "which requires computation time $ O(n^3) $")
    per_cube, lines = [], []
    for n in over("n", (4, 6, 8, 10)):
        watch = Watch()
        ranges = len(_simple_idea(many_columns(n), watch))
        per_cube.append(Fraction(watch.counts["values"], n**3))
        lines.append(f"{ranges} ranges, {watch.counts['values']} values")
    compared(
        ("Section 4.4, cost of the simple idea", "E26"),
        True,
        any(b <= Fraction(5, 4) * a for a, b in pairwise(per_cube)),
    )
    told("E26", {"power": 3 + 2})
    texts = ", ".join(f"{float(c):.1f}" for c in per_cube)
    return f"{'; '.join(lines)}; values by the cube of n: {texts}"


@evidence(EvidenceKind.ENUMERATION, "and larger matrices of both families")
def ranges_bounded() -> str:
    """Both functions of a pair of rows have fewer transition points than columns together, which bounds the ranges."""
    most = Fraction(0)
    larger = chain(map(many_columns, over("n of one", (4, 6, 8, 10))), map(many_pieces, over("n of the other", (4, 8))))
    for rows in chain(matrices(3, 4), larger):
        n, points = rows.n, len(_points(algorithm_2(rows)))
        bound = n * (n - 1) // 2 * (n - 2)
        mended("Section 4.4, cost of the simple idea", points <= bound, True)
        most = max(most, Fraction(points, bound))
    return f"at most {float(most):.2f} of the bound"


@evidence(EvidenceKind.ENUMERATION, "every range of every matrix")
def simple_idea_tried() -> str:
    """On some matrices the simple idea's top is not the top on all of its range; on others, Example 4 too, it is."""
    wrong = right = 0
    for rows in (*matrices(3, 5), EXAMPLE_4):
        loss, tops = loss_function(rows), _simple_idea(rows, Watch())
        within = [piece.start for piece in loss.pieces[1:] if piece.start not in tops]
        if not within:
            right += 1
            continue
        for point in within:
            start = max(other for other in tops if other <= point)
            end = min((other for other in tops if other > point), default=2 * point + 1)
            levels = (log(1 + (start + point) / 2), log(1 + (point + end) / 2))
            require(any(tops[start].value(at) < loss(at) for at in levels), f"E = {point}: nothing is lost")
        wrong += 1
    require(
        all(piece.start in _simple_idea(EXAMPLE_4, Watch()) for piece in loss_function(EXAMPLE_4).pieces), "Example 4"
    )
    compared("Section 4.4, the simple idea may not be correct", True, wrong > 0)
    return f"understates L on a range of {wrong} matrices, is right on {right}"


def _two_kinds(n: int) -> TransitionMatrix:
    """Return a matrix of two distinct rows, n/2 of each, so that many pairs have functions, and all the same two."""
    return TransitionMatrix(many_pieces(n).rows[:2] * (n // 2))


@evidence(EvidenceKind.BRUTE_FORCE, "the smallest matrix that has one, L by all sets of columns")
def additional_point_tried() -> str:
    """Within the last range of that matrix the top is one function's below a level and another's above, both at it."""
    rows = matrix("0 1/5 4/5", "0 3/5 2/5", "1/5 1/5 3/5")
    printed_points = {a for _, _, a_arr in printed.algorithm_2(rows, Watch(), mended={11}) for a in a_arr}
    (point,) = (a for a in printed_points if isinstance(a, Fraction) and a > 1)
    lower, upper = loss_function(rows).pieces[-2:]
    names = {"P": rows, "e^point": point, "piece": (lower.q, lower.d), "other": (upper.q, upper.d)}
    told("Section 4.4, the simple idea may not be correct", names | {"e^crossing": upper.start + 1})
    tops = [set(enumerated_loss(rows, log(1 + e)).attained_by) for e in over("E", (3, 4, 5, 6, 7))]
    require(tops[0] == tops[1] and tops[3] == tops[4], "the top changes elsewhere too")
    crossing = not tops[1] & tops[3] and tops[1] | tops[3] <= tops[2]
    compared("Section 4.4, the simple idea may not be correct", True, crossing)
    return f"{shown(rows)}: one transition point, at e^α = {point}, and a crossing at e^α = {upper.start + 1}"


@evidence(EvidenceKind.TRANSCRIPTION, "counted on one family; comparisons of Algorithms 2 and 4 together", errata="E26")
def cost_in_all() -> str:
    """What Algorithms 2 and 4 compare outgrows the printed order, m counting all transition points of all pairs."""
    printed_line(1228, r"generating $ \mathcal{L}(\cdot) $ needs $ O(n^3+m\log m) $ times")
    ratios, lines = [], []
    for n in over("n", (4, 8, 12, 16)):
        watch = Watch()
        points, pieces = generated(_two_kinds(n), watch, watch)
        ratios.append(watch.counts["comparisons"] / (n**3 + points * log2(max(2, points))))
        lines.append(f"{ratios[-1]:.2f} (n = {n}, {pieces} pieces)")
    compared(("Section 4.4, cost in all", "E26"), True, any(b <= a for a, b in pairwise(ratios)))
    return f"counted/said: {', '.join(lines)}: rising"


@evidence(EvidenceKind.BRUTE_FORCE, "comparisons of both algorithms put right, on both families")
def cost_in_all_bounded() -> str:
    """Together they take at most a constant times the corrected order, in which the pieces of L are counted."""
    most = 0.0
    for name, family in (("n of one", many_pieces), ("n of the other", many_columns)):
        for n in over(name, (4, 6, 8, 10)):
            watch = Watch()
            _, pieces = generated(family(n), watch, watch)
            most = max(most, watch.counts["comparisons"] / ((n + pieces) * n * n * log2(n)))
    mended(("Section 4.4, cost in all", "Section 4.4, complexity of Algorithm 4"), most < 4, True)
    return f"at most {most:.2f} times"


@evidence(EvidenceKind.DECISION, "proved for all reals: any pair of pieces, any pair of levels")
def ends_meet() -> str:
    """Functions of which each is the top at one end meet within; where they differ at both ends, at a positive k.

    No such functions are without an intersection there, and no other k happens: the sentence is vacuous.
    """
    z3 = z3_prover()
    q, d, q2, d2, e1, em, k = z3.Reals("q d q' d' E_1 E_m k")
    unit = [v >= 0 for v in (q, d, q2, d2)] + [v <= 1 for v in (q, d, q2, d2)] + [e1 > 0, e1 < em]

    def above(first: tuple[Any, Any], second: tuple[Any, Any], e: Any) -> Any:
        (a, b), (c, f) = first, second
        return (a * e + 1) * (f * e + 1) >= (c * e + 1) * (b * e + 1)

    one, other = (q, d), (q2, d2)
    tops = [above(one, other, e1), above(other, one, em)]
    strict = [z3.Not(above(other, one, e1)), z3.Not(above(one, other, em))]
    crossing = k * (q * d2 - q2 * d) == q2 + d - q - d2
    prove(z3.And(k > 0, e1 < k, k < em), *unit, *strict, crossing, q * d2 != q2 * d, what="the crossing")
    impossible(*unit, *strict, q * d2 == q2 * d, what="no crossing, and different tops")
    apart = [z3.Or(q != q2, d != d2), z3.Not(z3.And(q == d, q2 == d2))]
    same = [above(one, other, e) for e in (e1, em)] + [above(other, one, e) for e in (e1, em)]
    none = impossible(*unit, *tops, *same, *apart, what="equal at both ends and not the same function")
    compared("Section 4.4, what k ≤ 0 implies", True, none)
    return "different at both ends: one crossing, between them; equal at both ends: the same, or both constant"


@evidence(EvidenceKind.ENUMERATION, "every call of the algorithm, from a first level to a last")
def k_is_positive() -> str:
    """Where the functions differ k is positive; where they are the same, the line before has held."""
    printed_line(1165, r"(this implies {\scriptsize $ q^1=q^m $} and {\scriptsize $d^1 = d^m $})")
    tried = 0
    for rows in matrices(3, 4):
        functions = algorithm_2(rows)
        ends = [
            Fraction(1, 50),
            *(piece.end or Fraction(60) for piece in algorithm_4(functions, Fraction(1, 50), Fraction(60))),
        ]
        for first, last in _both_ends(ends):
            one, other = (top(functions, log(1 + e)) for e in (first, last))
            assert one is not None
            assert other is not None
            at = log(1 + last)
            if one.value(at) == other.value(at):
                counted("line 5 holds")
                continue
            below = one.q * other.d - other.q * one.d
            k = (other.q + one.d - one.q - other.d) / below if below else Fraction(0)
            compared("Section 4.4, what k ≤ 0 implies", True, first <= k < last)
            tried += 1
    exhausted(tried, 50)
    return f"{tried} calls, k is positive in each"


def _both_ends(ends: list[Fraction]) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the ends of the calls: of the whole, and of every piece and each two beside each other."""
    return ((first, last) for index, first in enumerate(ends) for last in ends[index + 1 :])


CLAIMS = (
    PaperClaim(
        "Section 4.4, cost of the simple idea", Item.TEXT, "Section 4.4", "The cost of the simple idea",
        "To list all points and find the top on each range “requires computation time O(n^3)”.", ClaimVerdict.CORRECTED,
        errata=("E26",),
        grounds=("algorithms.simple_idea_counted", "algorithms.ranges_bounded"),
    ),
    PaperClaim(
        "Section 4.4, the simple idea may not be correct", Item.TEXT, "Section 4.4", "The simple idea may be wrong",
        "The top may change within a range.", ClaimVerdict.HOLDS,
        corrected="True, but not for the matrix of [example:L_func], which the paper gives as its example.",
        grounds=("algorithms.simple_idea_tried", "algorithms.additional_point_tried"),
    ),
    PaperClaim(
        "Section 4.4, what k ≤ 0 implies", Item.TEXT, "Section 4.4", "No intersection implies q¹ = q^m, d¹ = d^m",
        "Where L¹ and L^m have no intersection in [a_1, a_m], they have the same coefficients.", ClaimVerdict.HOLDS,
        corrected="True, but vacuous: functions, one the top at a_1 and the other at a_m, always meet between, "
        "and equal functions meet everywhere (there k has no value, and the line before holds). The case never occurs.",
        grounds=("algorithms.ends_meet", "algorithms.k_is_positive"),
    ),
    PaperClaim(
        "Section 4.4, cost in all", Item.TEXT, "Section 4.4", "The cost of L",
        "L “needs O(n^3+m log m) times”, m being the number of transition points.", ClaimVerdict.CORRECTED,
        errata=("E26",),
        grounds=("algorithms.cost_in_all", "algorithms.cost_in_all_bounded"),
    ),
)  # fmt: skip
