"""The whole loss function: the extreme cases, Theorems 6 and 7 and Remark 1; its pieces, Corollary 3 to Theorem 10."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from ...reference.levels import Level
from ...reference.paper.algorithm_1 import optimum
from ...reference.paper.algorithms_2_3 import algorithm_2
from ...reference.paper.loss import loss_function
from ...solvers.linear_programs.enumeration import enumerated_loss, subsets
from ..compared import compared
from ..coverage import over
from ..families import EXAMPLE_4, EXCESSES, STRONGEST, log, matrices, matrix, ratio_of, shown
from ..faults import gap, remark, slip, told
from ..provers import identity, sympy_algebra
from ..register import ClaimVerdict, EvidenceFailed, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from .lfp_conditions import corner_value


@evidence(EvidenceKind.ENUMERATION, "L by all sets of columns")
def extremes_enumerated() -> str:
    """L lies between zero and α by every subset: zero iff all rows are equal, α iff some rows have disjoint supports.

    For few states that is the condition of Theorem 7.
    """
    tried = identities = by_theorem = 0
    for n, denominator in ((2, 6), (3, 3)):
        for rows in matrices(n, denominator):
            ratios = [enumerated_loss(rows, log(1 + e)).ratio for e in over("E", EXCESSES)]
            loss = loss_function(rows)
            disjoint = any(all(a * b == 0 for a, b in zip(q, d, strict=True)) for q in rows.rows for d in rows.rows)
            sufficient = any(q[i] == 1 and d[i] == 0 for q in rows.rows for d in rows.rows for i in range(n))
            equal = len(set(rows.rows)) == 1
            bounds = [r is not None and 1 <= r <= 1 + e for r, e in zip(ratios, EXCESSES, strict=True)]
            compared("remark", True, all(bounds))
            full = [r == 1 + e for r, e in zip(ratios, EXCESSES, strict=True)]
            require(set(full) == {disjoint} and loss.is_identity == disjoint, f"{shown(rows)}: L(α) = α: {full}")
            none = [r == 1 for r in ratios]
            require(set(none) == {equal} and loss.is_zero == equal, f"{shown(rows)}: L = 0: {none}")
            if equal:
                compared("thm:algo_extreme1", [True] * 3, none)
            if sufficient:
                compared("thm:algo_extreme2", [True] * 3, full)
            require(
                disjoint == sufficient, f"{shown(rows)}: disjoint supports {disjoint}, a 1 against a 0 {sufficient}"
            )
            tried, identities, by_theorem = tried + 1, identities + disjoint, by_theorem + sufficient
    top, e = optimum(STRONGEST, 0, 1, log(4)), Fraction(3)
    told("thm:algo_extreme2", {"q": top.q, "d": top.d, "g": (top.q * e + 1) / (top.d * e + 1), "e^α": e + 1})
    told("remark", {"q": Fraction(3, 4), "d": Fraction(1, 3), "E": e})
    require(by_theorem == identities > 0, f"{identities} with L(α) = α, {by_theorem} by Theorem 7")
    exhausted(tried, 248)
    return f"{tried} matrices, {identities} with L(α) = α, {by_theorem} by Theorem 7"


@evidence(EvidenceKind.IDENTITY, "general: this identity is the proof of Theorem 10", errata="E15")
def crossing() -> str:
    """The sign of f − f' is that of E·[(q − q') + (d' − d) + E(qd' − q'd)]: linear in E after the factor E."""
    q, d, q2, d2, e = sympy_algebra().symbols("q d q2 d2 E")
    left = (q * e + 1) * (d2 * e + 1) - (q2 * e + 1) * (d * e + 1)
    linear = (q - q2) + (d2 - d) + e * (q * d2 - q2 * d)
    compared("thm:gen_L_func", True, identity(left, e * linear, "the difference"))
    numbers = [Fraction(n, 10) for n in (7, 2, 5, 1, 13)]
    told("E15", dict(zip(("q", "d", "q'", "d'", "E"), numbers, strict=True)))
    k = (q2 + d - q - d2) / (q * d2 - q2 * d)
    identity((q * k + 1) / (d * k + 1), (q2 * k + 1) / (d2 * k + 1), "the crossing of Algorithm 4")
    return "different pieces cross at most once for positive E, at k = (q' + d − q − d')/(qd' − q'd)"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E15")
def theorem_10_proof() -> str:
    """That both increase and meet once does not prove Theorem 10: increasing functions may touch and part again."""

    def f(e: Any) -> Any:
        return e * e

    def f2(e: Any) -> Any:
        return 4 * e - 4

    grid = [Fraction(k, 2) for k in range(1, 12)]
    rising = all(f(b) > f(a) and f2(b) > f2(a) for a, b in pairwise(grid))
    require(rising and [e for e in grid if f(e) == f2(e)] == [2], "the witness")
    contradiction = f(Fraction(3)) <= f2(Fraction(3))  # what is printed to follow from f(1) ≥ f2(1)
    gap("E15", premise=f(Fraction(1)) >= f2(Fraction(1)), conclusion=contradiction)
    told("E15", {"f": f, "g": f2})
    same = matrix("2/5 3/5", "1/5 4/5").rows[0]  # f = f' meets the hypotheses, and neither is larger
    gap("E15", premise=same[0] >= same[0], conclusion=same[0] > same[0])
    return "a square and a line both rise and meet once, but the square is on top on either side: no contradiction"


@evidence(EvidenceKind.ENUMERATION, "Example 4 as well; at and between all breakpoints, by all sets of columns")
def loss_function_is_the_maximum() -> str:
    """L is the maximum of the pairs' functions everywhere: at breakpoints and between, by all subsets."""
    tried = 0
    for rows in (*matrices(3, 3), EXAMPLE_4):
        loss = loss_function(rows)
        ends = [piece.start for piece in loss.pieces]
        points = {*ends[1:], *((a + b) / 2 for a, b in pairwise(ends)), ends[-1] + 1, ends[-1] + 100}
        for e in points:
            expected = enumerated_loss(rows, log(1 + e)).level
            compared("col:L_func", loss(log(1 + e)), expected)
            tried += 1
        for piece in loss.pieces[1:]:
            previous = loss.pieces[loss.pieces.index(piece) - 1]
            at = (piece.q * piece.start + 1) / (piece.d * piece.start + 1)
            before = (previous.q * piece.start + 1) / (previous.d * piece.start + 1)
            require(at == before, f"{shown(rows)}: L jumps at E = {piece.start}")
    exhausted(tried, 444)
    return f"{tried} values; L is continuous"


@evidence(EvidenceKind.ENUMERATION, "Example 4, exact", errata="E20")
def example_4() -> str:
    """L of Example 4 has one breakpoint, where pieces of different pairs cross: the pentagram of Figure 4.

    It is no transition point of these functions. But it is one of another pair, and so in aM, against the text.
    """
    loss = loss_function(EXAMPLE_4)
    breaks = [piece.start for piece in loss.pieces[1:]]
    require(breaks == [Fraction(10, 3)], f"the breakpoints are {breaks}")
    meeting = {(w.row_q, w.row_d) for piece in loss.pieces if (w := piece.witness)}
    require(len(meeting) == 2, f"the pieces are of the pairs {meeting}")
    having = {(f.row_q, f.row_d) for f in algorithm_2(EXAMPLE_4) if Fraction(10, 3) in f.transitions}
    require(not having & meeting, f"10/3 is a transition point of {having}")
    compared("example:L_func", set(), having & meeting)
    remark("E20", set(), having)
    pieces = [(piece.q, piece.d) for piece in loss.pieces]
    ((j, k),) = having
    told("E20", {"piece": pieces[0], "other": pieces[1], "E": breaks[0], "third": (j + 1, k + 1)})
    compared("fig:example_L_func", 1, len(breaks))
    pairs = " and ".join(f"{q + 1}/{d + 1}" for q, d in sorted(meeting))
    third = ", ".join(f"{q + 1}/{d + 1}" for q, d in sorted(having))
    return f"the rows {pairs} cross at E = {breaks[0]}; transition point of the rows {third}"


@evidence(EvidenceKind.ENUMERATION, "exhausted in order, until one is found", errata="E20")
def additional_points() -> str:
    """That L may break where no pair's function does is so, if not in Example 4: the smallest matrix is found."""
    for denominator in (2, 3, 4, 5):
        for rows in matrices(3, denominator):
            own = {point for function in algorithm_2(rows) for point in function.transitions}
            for piece in loss_function(rows).pieces[1:]:
                if piece.start not in own:
                    (point,) = (one for one in own if one is not None)
                    told("E20", {"P": rows, "e^point": 1 + point, "e^crossing": 1 + piece.start})
                    return f"{shown(rows)}: L breaks at E = {piece.start}, no pair's function does"
    raise EvidenceFailed("no matrix of the family has such a breakpoint")


@evidence(EvidenceKind.BRUTE_FORCE, "Example 4; L by all sets of columns around the crossing")
def example_4_tried() -> str:
    """Which rows attain L changes about the crossing, and nowhere else on the grid."""
    winners = []
    for step in over("30·E", range(1, 301)):
        found = enumerated_loss(EXAMPLE_4, log(1 + Fraction(step, 30)))
        winners.append({(q, d) for q, d, _ in found.attained_by})
    changes = [step + 1 for step, (a, b) in enumerate(pairwise(winners)) if a != b]
    compared(("fig:example_L_func", "example:L_func"), [99, 100], changes)
    return f"the rows change between E = {Fraction(changes[0], 30)} and {Fraction(changes[1] + 1, 30)}"


@evidence(EvidenceKind.TRANSCRIPTION, "Example 4, exact", errata="E53")
def without_the_logarithm() -> str:
    """L is said not to be less than the functions f of the pairs, of which it is the logarithm."""
    found = enumerated_loss(EXAMPLE_4, log(2))
    f = ratio_of(found.level)
    above = found.level >= Level.of(f)
    slip("E53", True, above, [(1116, r"\log f_{\bm{q},\bm{d}}(\alpha)")])
    told("E53", {"e^α": 2, "f": f, "L": found.level})
    return f"f = {f}, where L is its logarithm"


@evidence(EvidenceKind.TRANSCRIPTION, "one matrix, exact", errata="E54")
def top_functions() -> str:
    """The function of one pair can be on top at both ends, and that of another between: kinks are convex."""
    rows, pair = matrix("0 3/20 17/20", "1/5 1/20 3/4", "1/4 1/2 1/4"), (2, 0)
    top = {ratio: enumerated_loss(rows, log(ratio)) for ratio in over("e^α", (4, 7, 26))}
    on_top = {ratio: {(j, k) for j, k, _ in found.attained_by} for ratio, found in top.items()}
    require(on_top[4] == on_top[26] == {pair}, f"on top: {on_top}")
    own = max(corner_value(rows.rows[2], rows.rows[0], chosen, Fraction(6)) for chosen in subsets(3))
    best, ((one, other),) = top[7].level, on_top[7]
    slip("E54", log(own), best, [(1146, r"f(\alpha)=\frac{q(e^\alpha-1)+1}{d(e^\alpha-1)+1}")], leakage=True)
    names = {"P": rows, "pair": (pair[0] + 1, pair[1] + 1), "ends": (4, 26), "e^α": 7, "f": own, "L": best}
    told("E54", names | {"other": (one + 1, other + 1)})
    return f"{shown(rows)}: the rows on top at both ends have {own} between, others {ratio_of(best)}"


CLAIMS = (
    PaperClaim(
        "thm:algo_extreme1", Item.THEOREM, "Theorem 6", "No loss", "Of equal rows L is zero.", ClaimVerdict.HOLDS,
        corrected="And only then. It has [algo:cal_bpl] remove all members of x⁺; there are none to remove, since "
        "none has q_j > d_j.", errata=("E19",),
        grounds=("loss.extremes_enumerated", "Loss.theorem_6"),
    ),
    PaperClaim(
        "thm:algo_extreme2", Item.THEOREM, "Theorem 7", "Full loss",
        "If a pair of rows has “q_i=1 and d_i=0”, L(α) = α.", ClaimVerdict.HOLDS,
        corrected="Sufficient, not necessary: L(α) = α iff a pair of rows has disjoint supports.",
        grounds=("loss.extremes_enumerated", "Loss.theorem_7"),
    ),
    PaperClaim(
        "remark", Item.REMARK, "Remark 1", "The bounds of L",
        "The extreme cases bound the loss functions: L is between zero and its argument.", ClaimVerdict.HOLDS,
        grounds=("loss.extremes_enumerated", "Loss.remark_1"),
    ),
    PaperClaim(
        "col:L_func", Item.COROLLARY, "Corollary 3", "L is piecewise", "L(α) is the maximum of the pairs' functions.",
        ClaimVerdict.HOLDS,
        grounds=("loss.loss_function_is_the_maximum", "Columns.corollary_3"),
    ),
    PaperClaim(
        "example:L_func", Item.EXAMPLE, "Example 4", "L of one matrix",
        "L is the top of the functions of all pairs; the pentagram, a crossing, is not any transition point.",
        ClaimVerdict.HOLDS,
        errata=("E20", "E53"),
        grounds=("loss.example_4", "loss.example_4_tried"),
        checks=("quoted.matrices_as_printed", "loss.additional_points"),
    ),
    PaperClaim(
        "fig:example_L_func", Item.FIGURE, "Figure 4", "L of one matrix",
        "The functions of the pairs, L in bold, circles at transition points, a pentagram at an intersection.",
        ClaimVerdict.HOLDS,
        corrected="The curves are as said; the pentagram is a transition point of another pair ([example:L_func]).",
        grounds=("loss.example_4", "loss.example_4_tried"),
        checks=("quoted.matrices_as_printed",),
    ),
    PaperClaim(
        "thm:gen_L_func", Item.THEOREM, "Theorem 10", "The same function at both ends",
        "A piece that is at least another at both ends of an interval is so within.", ClaimVerdict.HOLDS,
        corrected="True, but that both increase does not prove it: the difference is E times a linear function of E.",
        errata=("E15", "E54"),
        grounds=("loss.crossing", "Pieces.theorem_10"),
    ),
)  # fmt: skip
