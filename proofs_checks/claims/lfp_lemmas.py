"""What Theorem 5 is proved by: Lemma 1 and Dinkelbach's theorem."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ...solvers.linear_programs.enumeration import subsets
from ..compared import compared, mended
from ..coverage import members, over
from ..families import EXCESSES, row_pairs
from ..provers import prove, z3_prover
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from .lfp_conditions import corner_value


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
    return "k·x ≤ Σ k_j·(A or 1)·m for every x of the cone with least entry m"


@evidence(EvidenceKind.BRUTE_FORCE, "all x on a grid, the vertices among them")
def lemma_tried() -> str:
    """No grid point of the box [1, A]^n gives more than the lemma's x."""
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
    """As printed, with 0 < x < 1 and any m > 0, the lemma's solution is not optimal: another m gives more.

    Nothing is: the constraints are open and the form grows with m. What holds is the lemma for a fixed least entry m.
    """
    k, a = 1, Fraction(2)
    small, larger = Fraction(1, 4), Fraction(2, 5)
    require(0 < a * small < 1 and 0 < a * larger < 1, "a point of the witness is not feasible")
    compared(("lem:lfp_proof", "E16"), k * a * small, max(k * a * small, k * a * larger))
    y, m = (Fraction(2), Fraction(1)), Fraction(1, 3)
    x = [m * v for v in y]
    require(sum(x) == m * sum(y) != sum(y) / m, "the printed factor 1/m is right after all")
    return "n = 1, k = 1, e^α = 2: m = 1/4 gives 1/2, m = 2/5 gives 4/5; and k·x is m·(k·y), not (1/m)·(k·y)"


@evidence(EvidenceKind.ENUMERATION, "all sets of columns")
def dinkelbach_enumerated() -> str:
    """A set is optimal for q·x/d·x exactly if max over all sets of Q − λD is 0 at its own λ."""
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
    return f"{tried} sets, each optimal exactly if its maximum is 0"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E17")
def dinkelbach_as_printed() -> str:
    """The theorem needs D > 0, which its words leave to “linear-fractional programming”; without it it is not so."""
    feasible = {"x": (Fraction(1), Fraction(1)), "y": (Fraction(-3), Fraction(-1))}
    lam = feasible["x"][0] / feasible["x"][1]
    most = max(top - lam * bottom for top, bottom in feasible.values())
    best = max(top / bottom for top, bottom in feasible.values())
    require(most == 0, f"the witness: maximum {most}")
    compared("E17", lam, best)
    return "Q/D over two points (1, 1), (−3, −1): max(Q − 1·D) = 0 at the first, λ = 1, but the second has Q/D = 3"


CLAIMS = (
    PaperClaim(
        "lem:lfp_proof", Item.LEMMA, "Lemma 1", "The greatest linear form under the constraints",
        "k·x is greatest, under the constraints of the program, at x_i = e^α·m where k_i > 0 and x_i = m elsewhere, "
        "m any positive number.",
        ClaimVerdict.CORRECTED,
        corrected="For every fixed least entry m: on the box [m, e^α·m]^n that is an optimum. With m free there is "
        "none, as the form grows with m and the constraints are open. Where it is used, in Theorem 5, only the sign "
        "of the maximum matters, which does not depend on m. The proof's factor 1/m should be m.",
        witness="n = 1, k = 1, e^α = 2: m = 1/4 gives 1/2, m = 2/5 gives 4/5, both feasible.",
        by_hand="x_1 = e^α·m may be any number in (0, 1): x_1 itself has no greatest value there.", errata=("E16",),
        grounds=("lfp.lemma_as_printed", "lfp.lemma_tried"),
    ),
    PaperClaim(
        "thm:Dinkelbach", Item.THEOREM, "Theorem 12, Eq. (33)", "Dinkelbach's theorem",
        "x* is optimal for Q(x)/D(x) iff max{Q(x) − λD(x)} = 0 with λ = Q(x*)/D(x*).", ClaimVerdict.HOLDS,
        corrected="“In a linear-fractional programming problem” presupposes D > 0 on the feasible set; without it the "
        "theorem is not so. In the program D(x) = d·x > 0.",
        witness="For the presupposition: two points with (Q, D) = (1, 1) and (−3, −1).",
        by_hand="Q − 1·D is 0 and −2, so the maximum is 0 at the first point; but −3/−1 = 3 > 1.",
        errata=("E17",), also=("eq:dink",),
        grounds=("lfp.dinkelbach_enumerated", "LFP.theorem_12"),
    ),
)  # fmt: skip
