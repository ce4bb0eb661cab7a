"""The optimum of one pair of rows as α grows: Theorems 8 and 9."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from ...reference.correlations import Row
from ...reference.paper.algorithm_1 import optimum
from ...reference.paper.algorithms_2_3 import algorithm_2
from ...solvers.linear_programs.enumeration import subsets
from ..compared import compared
from ..coverage import left_out, over
from ..families import EXCESSES, log, of_pair, row_pairs, shown
from ..provers import identity, prove, sympy_algebra, z3_prover
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from ..transcript import printed_formula, printed_line, printed_matrices
from .lfp_conditions import corner_value, meets_conditions


@evidence(
    EvidenceKind.DECISION, "proved for two columns and any λ", closed_by="Pieces.theorem_8", about="thm:lfp_k_case"
)
def prefix() -> str:
    """A column whose ratio is at least that of a member of x⁺ is a member: x⁺ is a prefix of the order by q_j/d_j."""
    z3 = z3_prover()
    q1, d1, q2, d2, lam = z3.Reals("q1 d1 q2 d2 lambda")
    prove(q1 > lam * d1, q1 > 0, d1 >= 0, q2 >= 0, d2 >= 0, lam >= 1, q2 > lam * d2, q1 * d2 >= q2 * d1, what="prefix")
    return "q_1/d_1 ≥ q_2/d_2 > λ implies that 1 is in x⁺ with 2"


@evidence(EvidenceKind.ENUMERATION, "ties included; all sets of columns", about="thm:lfp_k_case")
def k_cases() -> str:
    """For each α exactly one set meets both inequalities: a prefix of 1 to k columns, ties together."""
    tried = ties = 0
    for n, denominator in ((3, 6), (4, 5)):
        for q, d in row_pairs(n, denominator):
            if any(not a and not b for a, b in zip(q, d, strict=True)):
                left_out("a column of zeros")
                continue
            k = sum(a > b for a, b in zip(q, d, strict=True))
            tied = any(q[i] * d[j] == q[j] * d[i] for i in range(n) for j in range(i) if q[i] > d[i] and q[j] > d[j])
            ties += tied
            admitted = not tied and all(a != b for a, b in zip(q, d, strict=True))
            for e in over("E", (*EXCESSES, Fraction(1, 3), Fraction(100))):
                meeting = [chosen for chosen in subsets(n) if meets_conditions(q, d, chosen, e)]
                require(len(meeting) == 1, f"{shown((q, d))}, E = {e}: {meeting}")
                chosen = meeting[0]
                require(1 <= len(chosen) <= k, f"{shown((q, d))}, E = {e}: {chosen}")
                is_prefix = all(q[i] * d[j] > q[j] * d[i] for i in chosen for j in range(n) if j not in chosen)
                require(is_prefix, f"{shown((q, d))}, E = {e}: {chosen} is no prefix")
                if admitted:
                    compared("thm:lfp_k_case", (1, True), (len(meeting), is_prefix))
                found = optimum(of_pair(q, d), 0, 1, log(1 + e)).indices
                require(found == chosen, f"{shown((q, d))}, E = {e}: the reference has {found}")
                tried += 1
    exhausted(tried, 11_050)
    return f"{tried} programs, {ties} pairs of rows with ties"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", about="thm:lfp_k_case", errata="E14")
def k_case_ties() -> str:
    """With q_1/d_1 = q_2/d_2 the strict order of Theorem 8 does not exist, and fewer than k sets ever occur."""
    q, d = (Fraction(2, 5), Fraction(2, 5), Fraction(1, 5)), (Fraction(1, 5), Fraction(1, 5), Fraction(3, 5))
    ever = {chosen for e in (*EXCESSES, Fraction(10**6)) for chosen in subsets(3) if meets_conditions(q, d, chosen, e)}
    require(ever == {(0, 1)}, f"the sets that occur: {ever}")
    compared("E14", sum(a > b for a, b in zip(q, d, strict=True)), len(ever))
    second, third = printed_matrices(1131)[0].rows[1:]
    require(any(a == b for a, b in zip(second, third, strict=True)), "Theorem 8 covers the rows 2 and 3 of Example 4")
    alone = corner_value(q, d, (0,), Fraction(1))
    require(
        not meets_conditions(q, d, (0,), Fraction(1)) and q[1] > alone * d[1],
        "case k holds for one of two tied columns",
    )
    return "q = (2, 2, 1)/5, d = (1, 1, 3)/5: k = 2, but only the set {1, 2} occurs; {1} fails [eq:cond2] at 2"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", about="thm:lfp_k_case", errata="E14")
def k_case_proof() -> str:
    """The proof of Theorem 8 writes q(e^α) + 1 over d(e^α) + 1, without the −1; its inequality is another number."""
    text = printed_line(1873, r"\frac{q(e^\alpha)+1}").partition("$ ")[2].partition("  >1$")[0]
    names = {"q": Fraction(1, 2), "d": Fraction(1, 4)}
    at = [printed_formula(text, names | {r"e^\alpha": Fraction(ratio)}) for ratio in (1, 2)]
    compared("E14", at, [(names["q"] * e + 1) / (names["d"] * e + 1) for e in (0, 1)])
    return f"q = 1/2, d = 1/4: printed {at[0]} at α = 0, where the value is 1, and {at[1]} at e^α = 2"


@evidence(
    EvidenceKind.IDENTITY,
    "general: any prefix, by its sums q, d and its last column q_m, d_m",
    about="thm:lfp_seg_func",
)
def transition() -> str:
    """At E = (q_m − d_m)/(q·d_m − d·q_m) the value is q_m/d_m, with the column m and without it: f is continuous."""
    q, d, q_m, d_m = sympy_algebra().symbols("q d q_m d_m")
    e = (q_m - d_m) / (q * d_m - d * q_m)
    value = (q * e + 1) / (d * e + 1)
    identity(value, q_m / d_m, "the value at the transition")
    identity(((q - q_m) * e + 1) / ((d - d_m) * e + 1), value, "the value without column m")
    return "g(E_m) = q_m/d_m on both sides"


@evidence(
    EvidenceKind.DECISION,
    "proved for three columns with q_j > d_j, all real rows",
    closed_by="Pieces.theorem_9_order",
    about="thm:lfp_seg_func",
)
def transitions_in_order() -> str:
    """The transition points are positive and strictly rising: the column with the least ratio leaves first."""
    z3 = z3_prover()
    q, d = z3.Reals("q1 q2 q3"), z3.Reals("d1 d2 d3")
    order = [d[0] >= 0, d[1] > 0, d[2] > 0, *(a > b for a, b in zip(q, d, strict=True)),
             q[0] * d[1] > q[1] * d[0], q[1] * d[2] > q[2] * d[1]]  # fmt: skip
    two = (q[0] + q[1]) * d[1] - (d[0] + d[1]) * q[1]
    three = (q[0] + q[1] + q[2]) * d[2] - (d[0] + d[1] + d[2]) * q[2]
    prove(z3.And(two > 0, three > 0), *order, what="the denominators are positive")
    e1, e2 = z3.Reals("E1 E2")
    prove(z3.And(e1 > 0, e1 < e2), *order, e1 * three == q[2] - d[2], e2 * two == q[1] - d[1], what="the order")
    return "0 < E_1 < E_2"


@evidence(
    EvidenceKind.ENUMERATION,
    "at, between and beyond the transition points, by all sets of columns",
    about="thm:lfp_seg_func",
)
def transitions_enumerated() -> str:
    """On each of the intervals [α_{j−1}, α_j) the function is the best of all 2^n subsets, at both ends included."""
    tried = 0
    for n, denominator in ((3, 6), (4, 5)):
        for q, d in row_pairs(n, denominator):
            function = algorithm_2(of_pair(q, d))[0]
            points = [point for point in function.transitions if point is not None]
            if len(set(points)) < len(points) or function.transitions.count(None) != 1:
                left_out("a tie")
                continue
            _check_transitions(q, d, function.order, points)
            ends = [Fraction(0), *sorted(points)]
            between = [(a + b) / 2 for a, b in pairwise(ends)]
            for e in (*ends[1:], *between, ends[-1] + 1):
                found = function.at(log(1 + e))
                best = max(corner_value(q, d, chosen, e) for chosen in subsets(n))
                compared("thm:lfp_seg_func", corner_value(q, d, found.indices, e), best)
                tried += 1
    exhausted(tried, 4_924)
    return f"{tried} values"


def _check_transitions(q: Row, d: Row, order: Sequence[int], points: Sequence[Fraction]) -> None:
    """Check the transition points against the formula of Theorem 9, written out from the rows."""
    falling = []
    for m in range(2, len(order) + 1):
        q_m, d_m = q[order[m - 1]], d[order[m - 1]]
        q_sum, d_sum = (sum((row[j] for j in order[:m]), Fraction(0)) for row in (q, d))
        falling.append((q_m - d_m) / (q_sum * d_m - d_sum * q_m))
    require(list(points) == falling, f"{shown((q, d))}: transition points {points}, by the theorem {falling}")


@evidence(EvidenceKind.BRUTE_FORCE, "every set within the one before", about="thm:lfp_seg_func")
def sums_fall() -> str:
    """The sums q and d fall as α grows: the optimal sets shrink."""
    grid = [Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(3), Fraction(20), Fraction(10**4)]
    for q, d in row_pairs(4, 5):
        rows = of_pair(q, d)
        sets = [set(optimum(rows, 0, 1, log(1 + e)).indices) for e in over("E", grid)]
        require(all(late <= early for early, late in pairwise(sets)), f"{shown((q, d))}: {sets}")
    return "every set is contained in the one before"


CLAIMS = (
    PaperClaim(
        "thm:lfp_k_case", Item.THEOREM, "Theorem 8", "Only k pairs of q and d",
        "With q_1/d_1 > … > q_k/d_k > 1 ≥ … only the k prefixes meet the two inequalities.",
        ClaimVerdict.HOLDS,
        corrected="Under its hypotheses. They are a loss of generality: with ties the order is not strict, tied "
        "columns enter and leave together, and fewer prefixes occur; a single q_i = d_i is no case of Theorem 6. The "
        "proof's quotients lack “− 1”.",
        witness="q = (2, 2, 1)/5, d = (1, 1, 3)/5.",
        by_hand="g for {1} at E = 1 is (7/5)/(6/5) = 7/6 < 2 = q_2/d_2, so {1} fails [eq:cond2].",
        errata=("E14",),
    ),
    PaperClaim(
        "thm:lfp_seg_func", Item.THEOREM, "Theorem 9, Eq. (25)", "The optimum of a pair as a function of α",
        "It is piecewise, with the transition points α_j = log((q_m − d_m)/(q^m d_m − d^m q_m) + 1), m = k − j + 1.",
        ClaimVerdict.HOLDS,
        by_hand="Solve (qE + 1)/(dE + 1) = q_m/d_m for E.", errata=("E14",), also=("eq:piecewise",),
    ),
)  # fmt: skip
