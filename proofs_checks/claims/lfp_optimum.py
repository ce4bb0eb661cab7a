"""The optimum of the linear-fractional program: Theorem 5, the program itself and the equations of the proof."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from ...certificates.checker import NotDecided, Rejected, check
from ...certificates.recursion import lfp_optimum_certificate
from ...reference.formulas import LinearFractional
from ...reference.levels import ZERO
from ...reference.paper.algorithm_1 import algorithm_1, optimum
from ...reference.paper.algorithms_2_3 import algorithm_2, algorithm_3
from ...reference.paper.lfp import is_optimal
from ...reference.paper.loss import loss_function
from ...solvers.linear_programs.enumeration import enumerated_loss, subsets
from ..compared import compared, mended
from ..coverage import over
from ..families import EXCESSES, log, matrices, matrix, row_pairs, shown
from ..faults import gap, told
from ..provers import identity, prove, sympy_algebra, z3_prover
from ..register import ClaimVerdict, EvidenceFailed, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from .lfp_conditions import corner_value, meets_conditions, stochastic_rows


@evidence(
    EvidenceKind.DECISION,
    "proved straight from the statement for the least n, on c_j by the identity of the corner for the next",
    closed_by="LFP.theorem_5",
)
def theorem_5() -> str:
    """For all real rows, E and x in the box: both inequalities imply that q·x/d·x is at most the printed value.

    And at the paper's x* there is equality. The statement negated is unsatisfiable for x⁺ the first columns (any set
    is, after reordering), but not all: with all the inequalities contradict each other.
    """
    z3 = z3_prover()
    for n in over("n", (2, 3)):
        for k in range(n):
            q, d, e, stochastic = stochastic_rows(z3, n)
            x = z3.Reals(" ".join(f"x{j}" for j in range(n)))
            top = z3.Sum(z3.RealVal(0), *q[:k]) * e + 1
            bottom = z3.Sum(z3.RealVal(0), *d[:k]) * e + 1
            cond1 = [q[j] * bottom > d[j] * top for j in range(k)]
            cond2 = [q[j] * bottom <= d[j] * top for j in range(k, n)]
            box = [*(v >= 1 for v in x), *(v <= e + 1 for v in x)]
            above, below = (z3.Sum(*(r * v for r, v in zip(row, x, strict=True))) for row in (q, d))
            conditions = [*stochastic, *cond1, *cond2]
            bounded = prove(above * bottom <= below * top, *conditions, *box, what=f"n = {n}, |x⁺| = {k}")
            at_corner = [v == (e + 1 if j < k else 1) for j, v in enumerate(x)]
            same = above * bottom == below * top
            attained = prove(same, *conditions, *at_corner, what=f"n = {n}, |x⁺| = {k}, attained")
            compared(("eq:lfp", "eq:cond1", "eq:cond2", "eq:opt_sol", "eq:last"), (True, True), (bounded, attained))
    for k in range(4):
        c, x, e = z3.Reals("c0 c1 c2 c3"), z3.Reals("x0 x1 x2 x3"), z3.Real("E")
        at_corner = z3.Sum(z3.RealVal(0), *c[:k]) * (e + 1) + z3.Sum(*c[k:]) == 0
        signs = [*(v > 0 for v in c[:k]), *(v <= 0 for v in c[k:])]
        box = [e > 0, *(v >= 1 for v in x), *(v <= e + 1 for v in x)]
        form = z3.Sum(*(a * b for a, b in zip(c, x, strict=True)))
        prove(form <= 0, at_corner, *signs, *box, what=f"n = 4, |x⁺| = {k}")
    return "no rows, E, x with both inequalities and a greater q·x/d·x"


@evidence(EvidenceKind.IDENTITY, "general in the sums q and d", closed_by="LFP.theorem_5")
def corner() -> str:
    """At the paper's x* the form Σ c_j x_j is zero, and so is the maximum of Q(x) − λD(x)."""
    q, d, e = sympy_algebra().symbols("q d E")
    top, bottom = q * e + 1, d * e + 1
    zero = identity(bottom * (q * (e + 1) + 1 - q) - top * (d * (e + 1) + 1 - d), 0, "the corner")
    compared(("eq:1", "eq:2", "eq:thm_max", "eq:last"), True, zero)
    value: Any = LinearFractional(q, d).exact([e])
    identity(1 + value, top / bottom, "the reference's formula")
    return "D·Q − Q·D, and the reference computes Q/D"


@evidence(EvidenceKind.ENUMERATION, "all sets of columns")
def theorem_5_enumerated() -> str:
    """Of all sets those that meet both inequalities give the greatest value, and it is the hockey stick's λ."""
    tried = 0
    for n, denominator in ((3, 5), (4, 4)):
        for q, d in row_pairs(n, denominator):
            for e in over("E", EXCESSES):
                best = max(corner_value(q, d, chosen, e) for chosen in subsets(n))
                meeting = [chosen for chosen in subsets(n) if meets_conditions(q, d, chosen, e)]
                require(bool(meeting), f"{shown((q, d))}, E = {e}: no set meets the inequalities")
                for chosen in meeting:
                    own = corner_value(q, d, chosen, e)
                    compared(("eq:lfp", "eq:lfp_end", "eq:lfp_end2", "thm:lfp"), own, best)
                stick = sum((max(a - best * b, Fraction(0)) for a, b in zip(q, d, strict=True)), Fraction(0))
                require((best - 1) / e == stick, f"{shown((q, d))}, E = {e}: hockey stick {stick}")
                tried += 1
    exhausted(tried, 4_830)
    return f"{tried} programs"


@evidence(EvidenceKind.BRUTE_FORCE, "all sets of columns")
def loss_by_subsets() -> str:
    """Algorithms 1 and 3, the set they choose and the whole loss function give what trying every subset gives."""
    tried = 0
    for n, denominator in ((2, 4), (3, 3)):
        for rows in matrices(n, denominator):
            functions, loss = algorithm_2(rows), loss_function(rows)
            for e in over("E", EXCESSES):
                alpha = log(1 + e)
                expected = enumerated_loss(rows, alpha).level
                for name, found in (
                    ("Algorithm 1", algorithm_1(rows, alpha, ZERO)),
                    ("Algorithm 3", algorithm_3(functions, alpha, ZERO)),
                    ("the loss function", loss(alpha)),
                ):
                    require(found == expected, f"{shown(rows)}, E = {e}: {name} gives {found!r}, not {expected!r}")
                mended("algo:cal_bpl", algorithm_1(rows, alpha, ZERO), expected)
                mended("algo:calc_precomp", algorithm_3(functions, alpha, ZERO), expected)
                compared("eq:lfp_sol_b", loss(alpha), expected)
                chosen = optimum(rows, 0, n - 1, alpha)
                require(is_optimal(rows, chosen, alpha), f"{shown(rows)}, E = {e}: {chosen} is not optimal")
                tried += 1
    exhausted(tried, 705)
    return f"{tried} values of L, the same by all"


@evidence(EvidenceKind.CERTIFICATE, "the checker shares no code with the reference")
def certified() -> str:
    """Charnes–Cooper primal and dual of the program, from the reference's x⁺, pass the independent checker."""
    passed = 0
    for rows in (matrix("1/2 1/2", "1/4 3/4"), matrix("1/5 3/10 1/2", "1/10 0 9/10", "1/3 1/3 1/3"), FOUR):
        (n,) = over("n", (rows.n,))
        for row_d in range(1, n):
            for e in over("E", (*EXCESSES, Fraction(10**6))):
                passes = accepted(lfp_optimum_certificate(rows, 0, row_d, log(1 + e)))
                compared(("eq:opt_sol", "Section 6.1, 100 random matrices"), True, passes)
                passed += 1
    exhausted(passed, 24)
    return f"{passed} certificates accepted"


FOUR = matrix("3/10 3/10 1/4 3/20", "1/10000 1/20 3/20 7999/10000", "1/4 1/4 1/4 1/4", "1/4 1/4 1/4 1/4")


def accepted(document: dict[str, object]) -> bool:
    """Have a certificate checked. Returns: True. Raises: EvidenceFailed where the checker rejects it."""
    try:
        check(json.dumps(document))
    except (Rejected, NotDecided) as error:
        raise EvidenceFailed(f"the checker rejects: {error}") from None
    return True


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E18")
def existence_as_printed() -> str:
    """That the feasible region is bounded gives no optimum, as it is open; that the scale does not matter does.

    With the same constraints the form x_1 has no optimum: its values are an open interval.
    """
    z3 = z3_prover()
    x, better = z3.Reals("x y")
    exceeded = prove(z3.And(better > x, better > 0, better < 1), x > 0, x < 1, 2 * better == 1 + x, what="x_1")
    gap("E18", premise=exceeded, conclusion=not exceeded)  # bounded and not empty, so that an optimum exists
    one = Fraction(1, 3)
    told("E18", {"low": 0, "x": one, "high": 1, "x'": (1 + one) / 2})
    q, d = (Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 4), Fraction(3, 4))
    at = []
    for scale in (Fraction(1, 3), Fraction(1, 7)):
        point = (2 * scale, scale)
        above, below = (sum(a * v for a, v in zip(row, point, strict=True)) for row in (q, d))
        at.append(above / below)
    require(at[0] == at[1], "the quotient depends on the scale")
    return "x_1 in an open interval has no greatest value; q·x/d·x is the same at x and at every multiple"


CLAIMS = (
    PaperClaim(
        "thm:lfp", Item.THEOREM, "Theorem 5", "The optimum of the program",
        "If q_j/d_j > g on x⁺ and q_k/d_k ≤ g off it, g being the value that x⁺ gives, then g is the maximum.",
        ClaimVerdict.HOLDS,
        errata=("E18", "E45", "E50"),
        grounds=("lfp.theorem_5_enumerated", "LFP.theorem_5"),
    ),
    PaperClaim("eq:cond1", Item.EQUATION, "Eq. (22)", "The condition on x⁺", "q_j/d_j > g for every j of x⁺.",
        ClaimVerdict.HOLDS,
        errata=("E2", "E52"),
        grounds=("lfp.conditions_as_code", "lfp.theorem_5")),
    PaperClaim("eq:cond2", Item.EQUATION, "Eq. (23)", "The condition off x⁺", "q_k/d_k ≤ g for every k of x⁻.",
        ClaimVerdict.HOLDS, errata=("E52",),
        grounds=("lfp.conditions_as_code", "lfp.theorem_5")),
    PaperClaim("eq:lfp_sol_b", Item.EQUATION, "Eq. (24)", "L by the optima of all pairs",
        "L(α) is the greatest log g over the ordered pairs of rows.",
        ClaimVerdict.HOLDS, errata=("E51",),
        grounds=("lfp.loss_by_subsets", "Loss.equation_24")),
    PaperClaim("eq:lfp_M", Item.EQUATION, "Eq. (18)", "L as a supremum over rows",
        "The first term of [eq:bpl_cal] is the supremum over rows q, d of log q·x/d·x.",
        ClaimVerdict.UPPER_BOUND, errata=("E1", "E45"),
        corrected="L(α) is the supremum over the x of the box as well as over the rows: x is what "
        "the outputs decide. "
        "As the value of the first term it is an upper bound: not every x of the box need come from outputs.",
        witness="As for [eq:bpl_f].",
        grounds=("leakage.strict_by_equation", "leakage.recursion_bounds")),
    PaperClaim("eq:lfp", Item.EQUATION, "Eq. (19)", "The objective", "Maximise q·x/d·x.",
        ClaimVerdict.HOLDS,
        grounds=("lfp.theorem_5_enumerated", "lfp.theorem_5"),
        checks=("leakage.subsets_of_all_sizes",)),
    PaperClaim("eq:lfp_end", Item.EQUATION, "Eq. (20)", "The constraint on ratios",
        "e^−α ≤ x_j/x_k ≤ e^α for all j, k.",
        ClaimVerdict.HOLDS,
        grounds=("lfp.theorem_5_enumerated", "lfp.lemma_on_the_cone")),
    PaperClaim("eq:lfp_end2", Item.EQUATION, "Eq. (21)", "The constraint on entries", "“0 < x_j < 1”.",
        ClaimVerdict.HOLDS,
        errata=("E18", "E57"),
        grounds=("lfp.theorem_5_enumerated", "lfp.lemma_on_the_cone")),
    PaperClaim("eq:opt_sol", Item.EQUATION, "Eq. (34)", "The optimal x",
        "x* is e^α·m on x⁺ and m elsewhere.", ClaimVerdict.HOLDS, errata=("E16",),
        grounds=("lfp.certified", "lfp.theorem_5")),
    PaperClaim("eq:1", Item.EQUATION, "Eq. (35)", "The first condition by Q and D",
        "q_j/d_j > Q(x*)/D(x*) on x⁺.", ClaimVerdict.HOLDS,
        grounds=("lfp.conditions_as_code", "lfp.corner")),
    PaperClaim("eq:2", Item.EQUATION, "Eq. (36)", "The second condition by Q and D",
        "q_k/d_k ≤ Q(x*)/D(x*) off x⁺.", ClaimVerdict.HOLDS,
        grounds=("lfp.conditions_as_code", "lfp.corner")),
    PaperClaim("eq:thm_max", Item.EQUATION, "Eq. (37)", "What Dinkelbach's theorem asks for",
        "max{D(x*)Q(x) − Q(x*)D(x)} is zero.", ClaimVerdict.HOLDS,
        grounds=("lfp.dinkelbach_enumerated", "lfp.corner")),
    PaperClaim("eq:last", Item.EQUATION, "Eq. (38)", "The same, split into x⁺ and x⁻",
        "(D q⁺ − Q d⁺)·x⁺ + (D q⁻ − Q d⁻)·x⁻.", ClaimVerdict.HOLDS,
        grounds=("lfp.theorem_5", "lfp.corner")),
)  # fmt: skip
