"""Membership of x⁺: the inequalities [eq:cond1, eq:cond2], Corollary 2, the removal of several indices."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ...reference.correlations import Row
from ...reference.paper.algorithm_1 import optimum
from ...reference.paper.lfp import Subset, satisfies_cond1, subset
from ...solvers.linear_programs.enumeration import subsets
from ..compared import compared
from ..coverage import over
from ..families import EXCESSES, log, of_pair, row_pairs
from ..provers import identity, sympy_algebra
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from ..transcript import printed_line


def corner_value(q: Row, d: Row, chosen: Sequence[int], excess: Fraction) -> Fraction:
    """Return q·x/d·x at x = e^α on the set and 1 off it, straight from the vectors."""
    x = [excess + 1 if j in chosen else Fraction(1) for j in range(len(q))]
    above = sum((a * b for a, b in zip(q, x, strict=True)), Fraction(0))
    return above / sum((a * b for a, b in zip(d, x, strict=True)), Fraction(0))


def meets_conditions(q: Row, d: Row, chosen: Sequence[int], excess: Fraction) -> bool:
    """Whether a set meets Inequalities [eq:cond1, eq:cond2], straight from the vectors; 0/0 is left out."""
    top = sum((q[j] for j in chosen), Fraction(0)) * excess + 1
    bottom = sum((d[j] for j in chosen), Fraction(0)) * excess + 1
    return all(
        (q[j] * bottom > d[j] * top) == (j in chosen) for j in range(len(q)) if q[j] or d[j] or j in chosen
    )  # fmt: skip


def stochastic_rows(z3: Any, n: int) -> tuple[list[Any], list[Any], Any, list[Any]]:
    """Return reals q, d and E, and that q and d are distributions and E > 0."""
    q, d = z3.Reals(" ".join(f"q{j}" for j in range(n))), z3.Reals(" ".join(f"d{j}" for j in range(n)))
    e = z3.Real("E")
    stochastic = [*(v >= 0 for v in (*q, *d)), z3.Sum(*q) == 1, z3.Sum(*d) == 1, e > 0]
    return q, d, e, stochastic


@evidence(EvidenceKind.ENUMERATION, "one index at a time, first or last")
def removal_order() -> str:
    """Removing one failing index at a time, first or last, ends at the set that removing all at once ends at."""
    tried = 0
    for q, d in row_pairs(4, 4):
        rows = of_pair(q, d)
        for e in over("E", EXCESSES):
            together = optimum(rows, 0, 1, log(1 + e)).indices
            for pick in (0, -1):
                chosen = [j for j in range(4) if q[j] > d[j]]
                while failing := [j for j in chosen if not _stays_by_value(q, d, chosen, j, e)]:
                    chosen.remove(failing[pick])
                compared("Section 4.2, removal of several indices", tuple(chosen), together)
                tried += 1
    exhausted(tried, 7_140)
    return f"{tried} removals in another order"


def _stays_by_value(q: Row, d: Row, chosen: Sequence[int], j: int, e: Fraction) -> bool:
    return q[j] > d[j] * corner_value(q, d, chosen, e)


@evidence(EvidenceKind.ENUMERATION, "all sets of columns")
def corollary_2_enumerated() -> str:
    """Every set that meets the two inequalities has q_j > d_j throughout."""
    tried = 0
    for n, denominator in ((3, 6), (4, 4)):
        for q, d in row_pairs(n, denominator):
            for e in over("E", EXCESSES):
                for chosen in subsets(n):
                    if meets_conditions(q, d, chosen, e):
                        tried += 1
                        compared("col:q_d", True, all(q[j] > d[j] for j in chosen))
    exhausted(tried, 5_838)
    return f"{tried} sets"


@evidence(EvidenceKind.TRANSCRIPTION, "the printed words, and a witness, exact", errata="E21")
def slips_of_section_4() -> str:
    """d⁻ of the example must be [d_2, d_4, d_5]: as printed, with q_5, its entries do not sum to 1 − d."""
    q = tuple(Fraction(k, 15) for k in (1, 2, 3, 4, 5))
    d = tuple(Fraction(k, 15) for k in (5, 4, 3, 2, 1))
    printed_line(875, r"\bm{d}^-=[d_2,d_4,q_5]")
    plus = d[0] + d[2]
    require(plus + d[1] + d[3] + d[4] == 1, "the corrected d⁻ does not sum to 1 − d")
    compared(("Section 4.2, x⁺ and x⁻", "E21"), plus + d[1] + d[3] + q[4], Fraction(1))
    return "with d = (5, 4, 3, 2, 1)/15, q reversed: d + Σd⁻ = 1, as printed 19/15"


@evidence(EvidenceKind.IDENTITY, "general, five columns")
def slip_by_sums() -> str:
    """With q_5 for d_5 the sums d + Σd⁻ are off by q_5 − d_5."""
    d = sympy_algebra().symbols("d1 d2 d3 d4")
    q_5 = sympy_algebra().Symbol("q5")
    d_5 = 1 - sum(d)
    as_printed = (d[0] + d[2]) + (d[1] + d[3] + q_5)
    identity(as_printed, 1 + q_5 - d_5, "the printed sums")
    compared("Section 4.2, x⁺ and x⁻", sympy_algebra().expand(as_printed), sympy_algebra().Integer(1))
    return "d + Σd⁻ = 1 + q_5 − d_5"


@evidence(EvidenceKind.BRUTE_FORCE, "the reference against the vectors, set by set")
def conditions_as_code() -> str:
    """The reference's Inequalities [eq:cond1, eq:cond2] agree with q_j/d_j against q·x/d·x, set by set."""
    tried = 0
    for q, d in row_pairs(3, 4):
        rows = of_pair(q, d)
        for e in over("E", EXCESSES):
            for chosen in subsets(3):
                own: Subset = subset(rows, 0, 1, chosen)
                value = corner_value(q, d, chosen, e)
                for j in range(3):
                    inside = satisfies_cond1(q[j], d[j], own.q, own.d, log(1 + e))
                    compared(("eq:cond1", "eq:cond2", "eq:1", "eq:2"), q[j] > value * d[j], inside)
                    tried += 1
    exhausted(tried, 15_120)
    return f"{tried} inequalities"


CLAIMS = (
    PaperClaim("Section 4.2, x⁺ and x⁻", Item.TEXT, "Section 4.2", "The example of the notation",
        "x⁺ = [x_1, x_3] has d⁻ = [d_2, d_4, q_5].", ClaimVerdict.FALSE,
        corrected="d⁻ = [d_2, d_4, d_5].", witness="q = (1, 2, 3, 4, 5)/15, d reversed.",
        by_hand="d⁺ and d⁻ add up to 1; with q_5 for d_5 to 19/15.",
        errata=("E21",),
        grounds=("lfp.slips_of_section_4", "lfp.slip_by_sums")),
    PaperClaim(
        "col:q_d", Item.COROLLARY, "Corollary 2", "Members of x⁺",
        "The two inequalities imply q_j > d_j for every member of x⁺.", ClaimVerdict.HOLDS,
        by_hand="If g ≤ 1, then q_k ≤ d_k off x⁺, so q ≥ d, so g ≥ 1: g = 1 and q = d; but q_j > d_j on x⁺.",
        grounds=("lfp.corollary_2_enumerated", "LFP.corollary_2"),
    ),
    PaperClaim(
        "Section 4.2, removal of several indices", Item.TEXT, "Section 4.2", "Several indices may be removed at once",
        "An index that fails [eq:cond1] fails it still after another failing one has been removed.",
        ClaimVerdict.HOLDS,
        by_hand="((q − q_1)E + 1)(dE + 1) − (qE + 1)((d − d_1)E + 1) = E(d_1(qE + 1) − q_1(dE + 1)) ≥ 0.",
        grounds=("lfp.removal_order", "LFP.round_rises"),
    ),
)  # fmt: skip
