"""Membership of x⁺: the inequalities [eq:cond1] and [eq:cond2], Corollary 2, the removal of several indices.

And what Theorem 5 is proved by: Lemma 1 and Dinkelbach's theorem.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from ...reference.correlations import Row
from ...reference.paper.algorithm_1 import optimum
from ...reference.paper.lfp import Subset, satisfies_cond1, subset
from ...solvers.linear_programs.enumeration import subsets
from ..compared import compared, mended
from ..coverage import members, over
from ..families import EXCESSES, log, of_pair, row_pairs
from ..faults import gap, remark, slip, told
from ..provers import identity, prove, sympy_algebra, z3_prover
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from ..transcript import printed_line


def corner_value(q: Row, d: Row, chosen: Sequence[int], excess: Fraction) -> Fraction:
    """Return q·x/d·x at x = e^α on the set and 1 off it, straight from the vectors."""
    x = [excess + 1 if j in chosen else Fraction(1) for j in range(len(q))]
    above = sum((a * b for a, b in zip(q, x, strict=True)), Fraction(0))
    return above / sum((a * b for a, b in zip(d, x, strict=True)), Fraction(0))


def meets_conditions(q: Row, d: Row, chosen: Sequence[int], excess: Fraction) -> bool:
    """Whether a set meets Inequalities [eq:cond1] and [eq:cond2], straight from the vectors; 0/0 is left out."""
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
    told(
        "Section 4.2, removal of several indices",
        dict(zip(("q", "q_1", "d", "d_1", "E"), map(Fraction, ("3/4", "1/4", "1/2", "1/3", "5")), strict=True)),
    )
    exhausted(tried, 7_140)
    return f"{tried} removals in another order"


def _stays_by_value(q: Row, d: Row, chosen: Sequence[int], j: int, e: Fraction) -> bool:
    return q[j] > d[j] * corner_value(q, d, chosen, e)


@evidence(EvidenceKind.ENUMERATION, "all sets of columns")
def corollary_2_enumerated() -> str:
    """Every set that meets both inequalities has q_j > d_j throughout."""
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


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E43")
def corollary_2_proof() -> str:
    """The proof concludes q > d, which is not so where x⁺ is empty: equal rows meet both inequalities, and q = d."""
    row, e = (Fraction(1, 2), Fraction(1, 2)), Fraction(1)
    printed_line(1842, "$ q>d $} is true")
    nobody: tuple[int, ...] = ()
    q = d = sum((row[j] for j in nobody), Fraction(0))
    gap("E43", premise=meets_conditions(row, row, nobody, e), conclusion=q > d)
    (some, fewer), none = (Fraction(1, 2), Fraction(1, 4)), Fraction(0)
    unit = (some * none + 1) / (fewer * none + 1)
    gap("E43", premise=some > fewer, conclusion=unit > 1)
    names = {"q_row": row, "d_row": row, "q": q, "d": d, "g": (q * e + 1) / (d * e + 1)}
    told("E43", names | {"e^α": none + 1, "unit": unit})
    return "equal rows, x⁺ empty: both inequalities hold, and q = d"


@evidence(EvidenceKind.TRANSCRIPTION, "the worked example at its transition point, exact", errata="E50")
def optimal_without_conditions() -> str:
    """That optimal solutions always meet the inequalities is not so: they are sufficient, and not necessary."""
    q, d = (tuple(Fraction(k, 10) for k in row) for row in ((2, 3, 5), (1, 0, 9)))
    e, both = Fraction(10, 3), (0, 1)
    g, best = corner_value(q, d, both, e), max(corner_value(q, d, chosen, e) for chosen in subsets(3))
    require(g == best, f"the set is not optimal: {g}, {best}")
    slip("E50", True, meets_conditions(q, d, both, e), [(904, "are sufficient conditions")])
    told("E50", {"q": q, "d": d, "e^α": 1 + e, "columns": [j + 1 for j in both], "g": g, "best": best})
    return f"both columns are optimal, and the quotient of the first is no greater: {g}"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E51")
def end_of_the_loop() -> str:
    """Algorithm 1 ends where [eq:cond1] holds of all members of x⁺; without [eq:cond2] that is no optimum."""
    q, d, e = (*((Fraction(1, 2),) * 2), Fraction(0)), (*((Fraction(1, 4),) * 2), Fraction(1, 2)), Fraction(1)
    one, other = (0,), (0, 1)
    g, best = corner_value(q, d, one, e), max(corner_value(q, d, chosen, e) for chosen in subsets(3))
    gap("E51", premise=all(_stays_by_value(q, d, one, j, e) for j in one), conclusion=g == best)
    both = corner_value(q, d, other, e)
    require(both == best and meets_conditions(q, d, other, e), f"both columns: {both}, {best}")
    told("E51", {"q": q, "d": d, "e^α": 1 + e, "g": g, "both": both, "first": q[0] / d[0]})
    return f"x⁺ of the first column meets [eq:cond1] and gives {g}; both columns give {best}"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E52")
def nothing_over_nothing() -> str:
    """Where q_j and d_j are zero the quotient has no value; read as +∞, as others by zero, Corollary 2 is false."""
    q, d, e = (*((Fraction(1, 2),) * 2), Fraction(0)), (Fraction(1, 4), Fraction(3, 4), Fraction(0)), Fraction(1)
    met = {"0/0 is ∞": (0, 2), "without quotients": (0,)}
    g = corner_value(q, d, met["without quotients"], e)
    for name, chosen in met.items():
        inside = [q[j] > g * d[j] or (name == "0/0 is ∞" and q[j] == d[j] == 0) for j in range(3)]
        require([j in chosen for j in range(3)] == inside, f"{name}: {inside}")
    remark("E52", *(all(q[j] > d[j] for j in chosen) for chosen in met.values()))
    told("E52", {"q": q, "d": d, "e^α": 1 + e, "g": g, "third": 3, "q_j": q[2], "d_j": d[2]})
    return "the column of zeros is in x⁺ or not, as its quotient is read"


@evidence(EvidenceKind.TRANSCRIPTION, "the printed words, and a witness, exact", errata="E21")
def slips_of_section_4() -> str:
    """d⁻ of the example must end with d_5: as printed, with q_5, its entries do not sum to the rest of d."""
    q = tuple(Fraction(k, 15) for k in (1, 2, 3, 4, 5))
    d = tuple(Fraction(k, 15) for k in (5, 4, 3, 2, 1))
    printed_line(875, r"\bm{d}^-=[d_2,d_4,q_5]")
    plus = d[0] + d[2]
    require(plus + d[1] + d[3] + d[4] == 1, "the corrected d⁻ does not sum to 1 − d")
    compared("Section 4.2, x⁺ and x⁻", plus + d[1] + d[3] + q[4], Fraction(1))
    slip("E21", plus + d[1] + d[3] + q[4], Fraction(1), [(875, r"\bm{q}^-=[q_2,q_4,q_5]"), (874, "[x_2,x_4,x_5]")])
    told("E21", {"d": d, "sum": plus + d[1] + d[3] + q[4]})
    return f"as printed the sums are {plus + d[1] + d[3] + q[4]} in all"


@evidence(EvidenceKind.IDENTITY, "general, the columns of the example")
def slip_by_sums() -> str:
    """With q_5 for d_5 the sums d + Σd⁻ are off by q_5 − d_5; with d_5 they are right."""
    d = sympy_algebra().symbols("d1 d2 d3 d4")
    q_5 = sympy_algebra().Symbol("q5")
    d_5 = 1 - sum(d)
    as_printed = (d[0] + d[2]) + (d[1] + d[3] + q_5)
    identity(as_printed, 1 + q_5 - d_5, "the printed sums")
    corrected = sympy_algebra().expand(as_printed - q_5 + d_5)
    mended("Section 4.2, x⁺ and x⁻", corrected, sympy_algebra().Integer(1))
    return "off by q_5 − d_5 as printed"


@evidence(EvidenceKind.BRUTE_FORCE, "the reference against the vectors, set by set")
def conditions_as_code() -> str:
    """The reference's Inequalities [eq:cond1] and [eq:cond2] agree with q_j/d_j against q·x/d·x, set by set."""
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


@evidence(EvidenceKind.DECISION, "proved for each n", closed_by="LFP.lemma_1", errata="E16")
def lemma_on_the_cone() -> str:
    """On the whole cone, x_i ≤ A·x_j for all i, j, a linear form is at most its value at the lemma's x, m = min x."""
    z3 = z3_prover()
    for n in over("n", (2, 3)):
        k, x = z3.Reals(" ".join(f"k{j}" for j in range(n))), z3.Reals(" ".join(f"x{j}" for j in range(n)))
        a, m = z3.Reals("A m")
        cone = [a >= 1, m > 0, z3.Or(*(m == v for v in x)), *(v >= m for v in x), *(v <= a * m for v in x)]
        best = z3.Sum(*(z3.If(c > 0, c * a * m, c * m) for c in k))
        bounded = prove(z3.Sum(*(c * v for c, v in zip(k, x, strict=True))) <= best, *cone, what=f"n = {n}")
        compared(("eq:lfp_end", "eq:lfp_end2"), True, bounded)
    return "k·x is at most its value at the lemma's x, for every x of the cone with least entry m"


@evidence(EvidenceKind.BRUTE_FORCE, "all x on a grid, the vertices among them")
def lemma_tried() -> str:
    """No grid point of the box gives more than the lemma's x."""
    tried = 0
    grid = [Fraction(t, 3) for t in range(3, 10)]
    for n in over("n", (1, 2, 3)):
        for k in members(f"linear forms over {n} variables", product((-2, -1, 0, 1, 3), repeat=n)):
            best = sum(c * (3 if c > 0 else 1) for c in k)
            for x in product(grid, repeat=n):
                tried += 1
                mended("lem:lfp_proof", True, sum(c * v for c, v in zip(k, x, strict=True)) <= best)
    exhausted(tried, 44_135)
    return f"{tried} points, none better"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E16")
def lemma_as_printed() -> str:
    """As printed, with x below a bound and any positive m, the lemma's solution is not optimal: another m gives more.

    Nothing is: the constraints are open and the form grows with m. What holds is the lemma for a fixed least entry m.
    """
    k, a = 1, Fraction(2)
    small, larger = Fraction(1, 4), Fraction(2, 5)
    require(0 < a * small < 1 and 0 < a * larger < 1, "a point of the witness is not feasible")
    compared("lem:lfp_proof", k * a * small, max(k * a * small, k * a * larger))
    gap("E16", premise=0 < a * small < a * larger < 1, conclusion=k * a * small >= k * a * larger)
    names = {"n": 1, "k": k, "e^α": a, "m": small, "m'": larger, "x": a * small, "x'": a * larger}
    told("E16", names)
    y, m = (Fraction(2), Fraction(1)), Fraction(1, 3)
    x = [m * v for v in y]
    require(sum(x) == m * sum(y) != sum(y) / m, "the printed factor 1/m is right after all")
    least, half = Fraction(1, 4), Fraction(1, 2)
    by_proof, by_lemma = a * least + least, a * least + a * least  # k = (1, 1), and the proof has x_n = m
    gap("E16", premise=a * least < 1, conclusion=by_proof == by_lemma)
    gap("E16", premise=half > 0, conclusion=a * half < 1)
    told("E16", {"e^α": a, "m": least, "ones": (1, 1), "lemma": by_lemma, "proof": by_proof})
    told("E16", {"e^α": a, "m''": half})
    return "another m gives more, and both are feasible; and k·x is m·(k·y), not k·y over m"


@evidence(EvidenceKind.ENUMERATION, "all sets of columns")
def dinkelbach_enumerated() -> str:
    """A set is optimal for q·x/d·x exactly if the maximum over all sets of Q − λD is zero at its own λ."""
    tried = 0
    for q, d in row_pairs(3, 4):
        for e in over("E", EXCESSES):
            values = {chosen: corner_value(q, d, chosen, e) for chosen in subsets(3)}
            best = max(values.values())
            for own in values.values():
                most = max(
                    sum((q[j] - own * d[j]) * (e + 1 if j in chosen else 1) for j in range(3)) for chosen in subsets(3)
                )
                compared(("eq:thm_max", "thm:Dinkelbach"), own == best, most == 0)
                tried += 1
    exhausted(tried, 5_040)
    return f"{tried} sets, each optimal exactly if its maximum is zero"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E17")
def dinkelbach_as_printed() -> str:
    """The theorem needs a positive D, which its words leave to “linear-fractional programming”; else it is not so."""
    feasible = {"x": (Fraction(1), Fraction(1)), "y": (Fraction(-3), Fraction(-1))}
    lam = feasible["x"][0] / feasible["x"][1]
    most = max(top - lam * bottom for top, bottom in feasible.values())
    best = max(top / bottom for top, bottom in feasible.values())
    require(most == 0, f"the witness: maximum {most}")
    remark("E17", lam, best)
    (first, second), (_, below) = feasible.values(), feasible["y"]
    told("E17", {"first": first, "second": second, "λ": lam, "most": most, "Q": second[0], "D": below})
    return f"one point has λ = {lam} and the maximum {most}, but the other has Q/D = {best}"


CLAIMS = (
    PaperClaim("Section 4.2, x⁺ and x⁻", Item.TEXT, "Section 4.2", "The example of the notation",
        "For “[x_2,x_4,x_5]” it has “d^-=[d_2,d_4,q_5]”.", ClaimVerdict.CORRECTED,
        errata=("E21",),
        grounds=("lfp.slips_of_section_4", "lfp.slip_by_sums")),
    PaperClaim(
        "col:q_d", Item.COROLLARY, "Corollary 2", "Members of x⁺",
        "Both inequalities imply q_j > d_j for every member of x⁺.", ClaimVerdict.HOLDS,
        errata=("E43", "E52"),
        grounds=("lfp.corollary_2_enumerated", "LFP.corollary_2"),
    ),
    PaperClaim(
        "Section 4.2, removal of several indices", Item.TEXT, "Section 4.2", "Several indices may be removed at once",
        "An index that fails [eq:cond1] fails it still after another failing one has been removed.",
        ClaimVerdict.HOLDS,
        grounds=("lfp.removal_order", "LFP.round_rises"),
    ),
    PaperClaim(
        "lem:lfp_proof", Item.LEMMA, "Lemma 1", "The greatest linear form under the constraints",
        "k·x is greatest, under the constraints of the program, at x_i = e^α·m where k_i is positive and m elsewhere, "
        "m any positive number.",
        ClaimVerdict.CORRECTED,
        errata=("E16",),
        grounds=("lfp.lemma_as_printed", "lfp.lemma_tried"),
    ),
    PaperClaim(
        "thm:Dinkelbach", Item.THEOREM, "Theorem 12, Eq. (33)", "Dinkelbach's theorem",
        "x* is optimal for Q(x)/D(x) iff max{Q(x) − λD(x)} is zero, with λ = Q(x*)/D(x*).", ClaimVerdict.HOLDS,
        errata=("E17",), also=("eq:dink",),
        grounds=("lfp.dinkelbach_enumerated", "LFP.theorem_12"),
    ),
)  # fmt: skip
