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
from ..faults import gap, slip, told
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from ..transcript import printed_formula, printed_line, printed_matrices
from .lfp_conditions import corner_value, meets_conditions


@evidence(EvidenceKind.ENUMERATION, "ties included; all sets of columns")
def k_cases() -> str:
    """For each α exactly one set meets both inequalities: a prefix of at most k columns, ties together."""
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


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E14")
def k_case_ties() -> str:
    """With q_1/d_1 = q_2/d_2 the strict order of Theorem 8 does not exist, and fewer than k sets ever occur."""
    q, d = (Fraction(2, 5), Fraction(2, 5), Fraction(1, 5)), (Fraction(1, 5), Fraction(1, 5), Fraction(3, 5))
    ever = {chosen for e in (*EXCESSES, Fraction(10**6)) for chosen in subsets(3) if meets_conditions(q, d, chosen, e)}
    require(ever == {(0, 1)}, f"the sets that occur: {ever}")
    k = sum(a > b for a, b in zip(q, d, strict=True))
    gap("E14", premise=k > 0, conclusion=k == len(ever))
    gap("E14", premise=k > 1, conclusion=2**k - 1 == k)  # sets of k columns that are not empty, and prefixes
    second, third = printed_matrices(1131)[0].rows[1:]
    require(any(a == b for a, b in zip(second, third, strict=True)), "Theorem 8 covers the rows 2 and 3 of Example 4")
    alone = corner_value(q, d, (0,), Fraction(1))
    require(
        not meets_conditions(q, d, (0,), Fraction(1)) and q[1] > alone * d[1],
        "case k holds for one of the tied columns",
    )
    shared = next(a for a, b in zip(second, third, strict=True) if a == b)
    names = {
        "q": q,
        "d": d,
        "k": k,
        "e^α": 2,
        "g": alone,
        "sets": len(ever),
        "subsets": 2**k - 1,
        "second": q[1] / d[1],
        "rows": (2, 3),
        "shared": shared,
    }
    told("E14", names)
    return "the set of both tied columns occurs alone; the first by itself fails [eq:cond2] at the second"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E14")
def k_case_proof() -> str:
    """The proof of [thm:lfp_k_case] writes e^α in both sums, where its excess is meant: another inequality."""
    text = printed_line(1873, r"\frac{q(e^\alpha)+1}").partition("$ ")[2].partition("  >1$")[0]
    names = {"q": Fraction(1, 2), "d": Fraction(1, 4)}
    at = [printed_formula(text, names | {r"e^\alpha": Fraction(ratio)}) for ratio in (1, 2)]
    meant = [(names["q"] * e + 1) / (names["d"] * e + 1) for e in (0, 1)]
    slip("E14", at, meant, [(999, r"\frac{q(e^\alpha -1)+1}{d(e^\alpha-1)+1}")])
    return f"printed {at[0]} and {at[1]}, where the values are {meant[0]} and {meant[1]}"


@evidence(EvidenceKind.ENUMERATION, "at, between and beyond the transition points, by all sets of columns")
def transitions_enumerated() -> str:
    """On each interval between transition points the function is the best of all subsets, at both ends included."""
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


CLAIMS = (
    PaperClaim(
        "thm:lfp_k_case", Item.THEOREM, "Theorem 8", "Only k pairs of q and d",
        "With quotients that fall, of which k exceed one, only the k prefixes meet both inequalities.",
        ClaimVerdict.HOLDS,
        errata=("E14", "E43"),
        grounds=("loss.k_cases", "Pieces.theorem_8"),
    ),
    PaperClaim(
        "thm:lfp_seg_func", Item.THEOREM, "Theorem 9, Eq. (25)", "The optimum of a pair as a function of α",
        "It is piecewise; at each transition point, a printed logarithm, one column leaves.",
        ClaimVerdict.HOLDS,
        errata=("E14",), also=("eq:piecewise",),
        grounds=("loss.transitions_enumerated", "Pieces.theorem_9"),
    ),
)  # fmt: skip
