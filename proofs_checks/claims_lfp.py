"""The linear-fractional program: Lemma 1, Dinkelbach, Theorem 5, Corollary 2, their equations.

E = e^α − 1 > 0, A = E + 1; q and d are the sums over x⁺, g = (qE + 1)/(dE + 1), c_j = q_j(dE + 1) − d_j(qE + 1).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from ..reference.correlations import Row
from ..reference.formulas import LinearFractional
from ..reference.levels import ZERO
from ..reference.lfp import Subset, is_optimal, satisfies_cond1, subset
from ..reference.loss import loss_function
from ..reference.polynomial import algorithm_1, optimum
from ..reference.precomputation import algorithm_2, algorithm_3
from ..solvers.certificates import lfp_optimum_certificate
from ..solvers.enumeration import enumerated_loss, subsets
from .checker import Rejected, check
from .families import EXCESSES, log, matrices, matrix, of_pair, row_pairs, shown
from .provers import identity, prove, sympy_algebra, z3_prover
from .register import Claim, EvidenceFailed, Item, Kind, Verdict, evidence, exhausted, require

SUM_OF_TERMS = "sum over the n columns: what holds for each term holds for the sum"


def _value(q: Row, d: Row, chosen: Sequence[int], excess: Fraction) -> Fraction:
    """Return q·x/d·x at x = e^α on the set and 1 off it, straight from the vectors."""
    x = [excess + 1 if j in chosen else Fraction(1) for j in range(len(q))]
    above = sum((a * b for a, b in zip(q, x, strict=True)), Fraction(0))
    return above / sum((a * b for a, b in zip(d, x, strict=True)), Fraction(0))


def _meets(q: Row, d: Row, chosen: Sequence[int], excess: Fraction) -> bool:
    """Whether a set meets Inequalities [eq:cond1, eq:cond2], straight from the vectors; 0/0 is left out."""
    top = sum((q[j] for j in chosen), Fraction(0)) * excess + 1
    bottom = sum((d[j] for j in chosen), Fraction(0)) * excess + 1
    return all(
        (q[j] * bottom > d[j] * top) == (j in chosen) for j in range(len(q)) if q[j] or d[j] or j in chosen
    )  # fmt: skip


def _rows(z3: Any, n: int) -> tuple[list[Any], list[Any], Any, list[Any]]:
    q, d = z3.Reals(" ".join(f"q{j}" for j in range(n))), z3.Reals(" ".join(f"d{j}" for j in range(n)))
    e = z3.Real("E")
    stochastic = [*(v >= 0 for v in (*q, *d)), z3.Sum(*q) == 1, z3.Sum(*d) == 1, e > 0]
    return q, d, e, stochastic


# Lemma 1


@evidence(Kind.DECISION, "proved for one term, all real k, x, A; so for every n by the human step", SUM_OF_TERMS)
def _lemma_term() -> str:
    """On 1 ≤ x ≤ A one term kx is greatest at x = A where k > 0 and at x = 1 where k ≤ 0."""
    z3 = z3_prover()
    k, x, a = z3.Reals("k x A")
    prove(k * x <= z3.If(k > 0, k * a, k), a >= 1, x >= 1, x <= a, what="one term")
    return "kx ≤ kA for k > 0, kx ≤ k for k ≤ 0"


@evidence(Kind.DECISION, "proved for n = 2, 3")
def _lemma_on_the_cone() -> str:
    """On the whole cone, x_i ≤ A·x_j for all i, j, a linear form is at most its value at the lemma's x, m = min x."""
    z3 = z3_prover()
    for n in (2, 3):
        k, x = z3.Reals(" ".join(f"k{j}" for j in range(n))), z3.Reals(" ".join(f"x{j}" for j in range(n)))
        a, m = z3.Reals("A m")
        cone = [a >= 1, m > 0, z3.Or(*(m == v for v in x)), *(v >= m for v in x), *(v <= a * m for v in x)]
        best = z3.Sum(*(z3.If(c > 0, c * a * m, c * m) for c in k))
        prove(z3.Sum(*(c * v for c, v in zip(k, x, strict=True))) <= best, *cone, what=f"n = {n}")
    return "k·x ≤ Σ k_j·(A or 1)·m for every x of the cone with least entry m"


@evidence(
    Kind.BRUTE_FORCE, "checked on k ∈ {−2, −1, 0, 1, 3}^n, n ≤ 3, A = 3, all x on a grid of thirds and all vertices"
)
def _lemma_tried() -> str:
    """No grid point of the box [1, A]^n gives more than the lemma's x."""
    tried = 0
    grid = [Fraction(t, 3) for t in range(3, 10)]
    for n in (1, 2, 3):
        for k in product((-2, -1, 0, 1, 3), repeat=n):
            best = sum(c * (3 if c > 0 else 1) for c in k)
            for x in product(grid, repeat=n):
                tried += 1
                require(sum(c * v for c, v in zip(k, x, strict=True)) <= best, f"k = {k}: x = {x} gives more")
    exhausted(tried, 44_135)
    return f"{tried} points, none better"


@evidence(Kind.TRANSCRIPTION, "n = 1, exact")
def _lemma_as_printed() -> str:
    """As printed, with 0 < x < 1 and any m > 0, the lemma's solution is not optimal: another m gives more.

    Nothing is: the constraints are open and the form grows with m. What holds is the lemma for a fixed least entry m.
    """
    k, a = 1, Fraction(2)
    small, larger = Fraction(1, 4), Fraction(2, 5)
    require(0 < a * small < 1 and 0 < a * larger < 1, "a point of the witness is not feasible")
    require(k * a * small < k * a * larger, "the larger m does not give more")
    y, m = (Fraction(2), Fraction(1)), Fraction(1, 3)
    x = [m * v for v in y]
    require(sum(x) == m * sum(y) != sum(y) / m, "the printed factor 1/m is right after all")
    return "n = 1, k = 1, e^α = 2: m = 1/4 gives 1/2, m = 2/5 gives 4/5; and k·x is m·(k·y), not (1/m)·(k·y)"


# Dinkelbach


@evidence(Kind.DECISION, "proved pointwise for all real Q, D > 0, λ", "pointwise over the feasible x")
def _dinkelbach() -> str:
    """Where D > 0: Q/D ≤ λ exactly where Q − λD ≤ 0, with equality together; so x* is optimal iff the maximum is 0."""
    z3 = z3_prover()
    top, bottom, lam, ratio = z3.Reals("Q D lambda r")
    prove((ratio <= lam) == (top - lam * bottom <= 0), bottom > 0, ratio * bottom == top, what="≤ together")
    prove((ratio == lam) == (top - lam * bottom == 0), bottom > 0, ratio * bottom == top, what="= together")
    return "Q/D ≤ λ ⟺ Q − λD ≤ 0, and the same with equality"


@evidence(Kind.ENUMERATION, "checked on all pairs of distributions over 3 values in quarters, all 8 sets, three E")
def _dinkelbach_enumerated() -> str:
    """A set is optimal for q·x/d·x exactly if max over all sets of Q − λD is 0 at its own λ."""
    tried = 0
    for q, d in row_pairs(3, 4):
        for e in EXCESSES:
            values = {chosen: _value(q, d, chosen, e) for chosen in subsets(3)}
            best = max(values.values())
            for own in values.values():
                most = max(
                    sum((q[j] - own * d[j]) * (e + 1 if j in chosen else 1) for j in range(3)) for chosen in subsets(3)
                )
                require((most == 0) == (own == best), f"{shown((q, d))}, E = {e}: λ = {own}, maximum {most}")
                tried += 1
    exhausted(tried, 5_040)
    return f"{tried} sets, each optimal exactly if its maximum is 0"


@evidence(Kind.TRANSCRIPTION, "one witness, exact")
def _dinkelbach_as_printed() -> str:
    """As printed the theorem does not ask for D > 0; without it it is not so."""
    feasible = {"x": (Fraction(1), Fraction(1)), "y": (Fraction(-3), Fraction(-1))}
    lam = feasible["x"][0] / feasible["x"][1]
    most = max(top - lam * bottom for top, bottom in feasible.values())
    best = max(top / bottom for top, bottom in feasible.values())
    require(most == 0 and best > lam, f"the witness: maximum {most}, optimum {best}")
    return "Q/D over two points (1, 1), (−3, −1): max(Q − 1·D) = 0 at the first, λ = 1, but the second has Q/D = 3"


# Theorem 5


@evidence(
    Kind.DECISION, "proved for n = 2, 3 straight from the statement, for n = 4 on c_j by the identity of the corner"
)
def _theorem_5() -> str:
    """For all real rows, E and x ∈ [1, A]^n: the two inequalities imply q·x/d·x ≤ (qE + 1)/(dE + 1).

    And at the paper's x* there is equality.
    The statement negated is unsatisfiable for x⁺ the first k columns (any set is, after reordering), k < n: with
    k = n the inequalities contradict each other.
    """
    z3 = z3_prover()
    for n in (2, 3):
        for k in range(n):
            q, d, e, stochastic = _rows(z3, n)
            x = z3.Reals(" ".join(f"x{j}" for j in range(n)))
            top = z3.Sum(z3.RealVal(0), *q[:k]) * e + 1
            bottom = z3.Sum(z3.RealVal(0), *d[:k]) * e + 1
            cond1 = [q[j] * bottom > d[j] * top for j in range(k)]
            cond2 = [q[j] * bottom <= d[j] * top for j in range(k, n)]
            box = [*(v >= 1 for v in x), *(v <= e + 1 for v in x)]
            above, below = (z3.Sum(*(r * v for r, v in zip(row, x, strict=True))) for row in (q, d))
            conditions = [*stochastic, *cond1, *cond2]
            prove(above * bottom <= below * top, *conditions, *box, what=f"n = {n}, |x⁺| = {k}")
            corner = [v == (e + 1 if j < k else 1) for j, v in enumerate(x)]
            prove(above * bottom == below * top, *conditions, *corner, what=f"n = {n}, |x⁺| = {k}, attained")
    for k in range(4):
        c, x, e = z3.Reals("c0 c1 c2 c3"), z3.Reals("x0 x1 x2 x3"), z3.Real("E")
        corner = z3.Sum(z3.RealVal(0), *c[:k]) * (e + 1) + z3.Sum(*c[k:]) == 0
        signs = [*(v > 0 for v in c[:k]), *(v <= 0 for v in c[k:])]
        box = [e > 0, *(v >= 1 for v in x), *(v <= e + 1 for v in x)]
        form = z3.Sum(*(a * b for a, b in zip(c, x, strict=True)))
        prove(form <= 0, corner, *signs, *box, what=f"n = 4, |x⁺| = {k}")
    return "no rows, E, x with both inequalities and a greater q·x/d·x, for n = 2, 3, 4"


@evidence(Kind.IDENTITY, "general n: only the four sums q, d, 1 − q, 1 − d occur")
def _corner() -> str:
    """At the paper's x* the form Σ c_j x_j is D(qA + 1 − q) − Q(dA + 1 − d) = 0, so that max{Q(x) − λD(x)} = 0."""
    q, d, e = sympy_algebra().symbols("q d E")
    top, bottom = q * e + 1, d * e + 1
    identity(bottom * (q * (e + 1) + 1 - q) - top * (d * (e + 1) + 1 - d), 0, "the corner")
    value: Any = LinearFractional(q, d).exact([e])
    identity(1 + value, top / bottom, "the reference's formula")
    return "D·Q − Q·D = 0, and the reference computes (qE + 1)/(dE + 1)"


@evidence(Kind.IDENTITY, "general n")
def _hockey_stick() -> str:
    """With λ = (qE + 1)/(dE + 1): (λ − 1)/E = q − λd = Σ over x⁺ of (q_j − λd_j), the hockey-stick divergence."""
    q, d, e = sympy_algebra().symbols("q d E")
    lam = (q * e + 1) / (d * e + 1)
    identity((lam - 1) / e, q - lam * d, "hockey-stick")
    return "(λ − 1)/E = q − λd"


@evidence(
    Kind.ENUMERATION, "checked on all pairs of distributions over 3 values in fifths and 4 values in quarters, three E"
)
def _theorem_5_enumerated() -> str:
    """Of all 2^n sets those that meet the two inequalities give the greatest value, and it is the hockey stick's λ."""
    tried = 0
    for n, denominator in ((3, 5), (4, 4)):
        for q, d in row_pairs(n, denominator):
            for e in EXCESSES:
                best = max(_value(q, d, chosen, e) for chosen in subsets(n))
                meeting = [chosen for chosen in subsets(n) if _meets(q, d, chosen, e)]
                require(bool(meeting), f"{shown((q, d))}, E = {e}: no set meets the inequalities")
                for chosen in meeting:
                    own = _value(q, d, chosen, e)
                    require(own == best, f"{shown((q, d))}, E = {e}: {chosen} gives {own}, not {best}")
                stick = sum((max(a - best * b, Fraction(0)) for a, b in zip(q, d, strict=True)), Fraction(0))
                require((best - 1) / e == stick, f"{shown((q, d))}, E = {e}: hockey stick {stick}")
                tried += 1
    exhausted(tried, 4_830)
    return f"{tried} programs"


@evidence(Kind.BRUTE_FORCE, "checked on all 3 × 3 matrices with entries in thirds and all 2 × 2 in quarters, three E")
def _loss_by_subsets() -> str:
    """Algorithms 1 and 3, the set they choose and the whole loss function give what trying every subset gives."""
    tried = 0
    for n, denominator in ((2, 4), (3, 3)):
        for rows in matrices(n, denominator):
            functions, loss = algorithm_2(rows), loss_function(rows)
            for e in EXCESSES:
                alpha = log(1 + e)
                expected = enumerated_loss(rows, alpha).level
                for name, found in (
                    ("Algorithm 1", algorithm_1(rows, alpha, ZERO)),
                    ("Algorithm 3", algorithm_3(functions, alpha, ZERO)),
                    ("the loss function", loss(alpha)),
                ):
                    require(found == expected, f"{shown(rows)}, E = {e}: {name} gives {found!r}, not {expected!r}")
                chosen = optimum(rows, 0, n - 1, alpha)
                require(is_optimal(rows, chosen, alpha), f"{shown(rows)}, E = {e}: {chosen} is not optimal")
                tried += 1
    exhausted(tried, 705)
    return f"{tried} values of L by three roads"


@evidence(
    Kind.CERTIFICATE, "20 programs with n = 2 to 4; the checker is one file that shares no code with the reference"
)
def _certified() -> str:
    """Charnes–Cooper primal and dual of the program, from the reference's x⁺, pass the independent checker."""
    passed = 0
    for rows in (matrix("1/2 1/2", "1/4 3/4"), matrix("1/5 3/10 1/2", "1/10 0 9/10", "1/3 1/3 1/3"), FOUR):
        for row_d in range(1, rows.n):
            for e in (*EXCESSES, Fraction(10**6)):
                _accepted(lfp_optimum_certificate(rows, 0, row_d, log(1 + e)))
                passed += 1
    exhausted(passed, 24)
    return f"{passed} certificates accepted"


FOUR = matrix("3/10 3/10 1/4 3/20", "1/10000 1/20 3/20 7999/10000", "1/4 1/4 1/4 1/4", "1/4 1/4 1/4 1/4")


def _accepted(document: dict[str, object]) -> None:
    try:
        check(json.dumps(document))
    except Rejected as error:
        raise EvidenceFailed(f"the checker rejects: {error}") from None


@evidence(Kind.TRANSCRIPTION, "one witness, exact")
def _existence_as_printed() -> str:
    """That the feasible region is bounded gives no optimum, as it is open; that the scale does not matter does.

    With the same constraints the form x_1 has no optimum: its values are (0, 1).
    """
    x, better = Fraction(999, 1000), Fraction(9999, 10000)
    require(0 < x < better < 1, "the witness")
    q, d = (Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 4), Fraction(3, 4))
    at = []
    for scale in (x / 2, better / 2):
        point = (2 * scale, scale)
        above, below = (sum(a * v for a, v in zip(row, point, strict=True)) for row in (q, d))
        at.append(above / below)
    require(at[0] == at[1], "the quotient depends on the scale")
    return "x_1 over 0 < x_1 < 1 has no greatest value; q·x/d·x is the same at x and at every multiple"


# Several indices at once; Corollary 2


@evidence(Kind.IDENTITY, "general: any set R of removed indices, by its sums q_R and d_R")
def _removal() -> str:
    """Removing indices with q_R/d_R ≤ g raises g: the two sides differ by E·(d_R(qE + 1) − q_R(dE + 1)) ≥ 0."""
    q, d, q_r, d_r, e = sympy_algebra().symbols("q d q_R d_R E")
    left = ((q - q_r) * e + 1) * (d * e + 1) - (q * e + 1) * ((d - d_r) * e + 1)
    identity(left, e * (d_r * (q * e + 1) - q_r * (d * e + 1)), "removal")
    return "((q − q_R)E + 1)(dE + 1) − (qE + 1)((d − d_R)E + 1) = E(d_R(qE + 1) − q_R(dE + 1))"


@evidence(Kind.DECISION, "proved for all reals: one index removed, another that failed before")
def _removal_decided() -> str:
    """An index that failed before another was removed fails after it as well."""
    z3 = z3_prover()
    q, d, q1, d1, q2, d2, e = z3.Reals("q d q1 d1 q2 d2 E")
    sums = [q1 >= 0, d1 >= 0, q2 >= 0, d2 >= 0, q >= q1 + q2, d >= d1 + d2, e > 0]
    failed = [q1 * (d * e + 1) <= d1 * (q * e + 1), q2 * (d * e + 1) <= d2 * (q * e + 1)]
    prove(q2 * ((d - d1) * e + 1) <= d2 * ((q - q1) * e + 1), *sums, *failed, what="two removals")
    return "q_2/d_2 ≤ g implies q_2/d_2 ≤ g without 1"


@evidence(Kind.ENUMERATION, "checked on all pairs of distributions over 4 values in quarters, three E")
def _removal_order() -> str:
    """Removing one failing index at a time, first or last, ends at the set that removing all at once ends at."""
    tried = 0
    for q, d in row_pairs(4, 4):
        rows = of_pair(q, d)
        for e in EXCESSES:
            together = optimum(rows, 0, 1, log(1 + e)).indices
            for pick in (0, -1):
                chosen = [j for j in range(4) if q[j] > d[j]]
                while failing := [j for j in chosen if not _stays_by_value(q, d, chosen, j, e)]:
                    chosen.remove(failing[pick])
                require(tuple(chosen) == together, f"{shown((q, d))}, E = {e}: {chosen}, together {together}")
                tried += 1
    exhausted(tried, 7_140)
    return f"{tried} removals in another order"


def _stays_by_value(q: Row, d: Row, chosen: Sequence[int], j: int, e: Fraction) -> bool:
    return q[j] > d[j] * _value(q, d, chosen, e)


@evidence(Kind.DECISION, "proved for n = 2, 3, all x⁺")
def _corollary_2() -> str:
    """The two inequalities imply q_j > d_j for every j in x⁺; the negation is unsatisfiable."""
    z3 = z3_prover()
    for n in (2, 3):
        for k in range(1, n):
            q, d, e, stochastic = _rows(z3, n)
            top, bottom = z3.Sum(*q[:k]) * e + 1, z3.Sum(*d[:k]) * e + 1
            cond1 = [q[j] * bottom > d[j] * top for j in range(k)]
            cond2 = [q[j] * bottom <= d[j] * top for j in range(k, n)]
            prove(z3.And(*(q[j] > d[j] for j in range(k))), *stochastic, *cond1, *cond2, what=f"n = {n}, k = {k}")
    return "q_j > d_j on x⁺ for n = 2, 3"


@evidence(Kind.DECISION, "proved for all reals in the four sums; general n by the human step",
          "q_k ≤ λd_k off x⁺ and q_j > λd_j on it are summed over the columns")  # fmt: skip
def _corollary_2_sums() -> str:
    """With λ = (qE + 1)/(dE + 1), q > λd on x⁺ (not empty) and 1 − q ≤ λ(1 − d) off it: λ > 1, so q_j > d_j."""
    z3 = z3_prover()
    q, d, e, lam = z3.Reals("q d E lambda")
    sums = [q >= 0, q <= 1, d >= 0, d <= 1, e > 0, lam * (d * e + 1) == q * e + 1, q > lam * d, 1 - q <= lam * (1 - d)]
    prove(lam > 1, *sums, what="λ > 1")
    return "λ > 1"


@evidence(
    Kind.ENUMERATION, "checked on all pairs of distributions over 3 values in sixths and 4 values in quarters, three E"
)
def _corollary_2_enumerated() -> str:
    """Every set that meets the two inequalities has q_j > d_j throughout."""
    tried = 0
    for n, denominator in ((3, 6), (4, 4)):
        for q, d in row_pairs(n, denominator):
            for e in EXCESSES:
                for chosen in subsets(n):
                    if _meets(q, d, chosen, e):
                        tried += 1
                        require(all(q[j] > d[j] for j in chosen), f"{shown((q, d))}, E = {e}: {chosen}")
    exhausted(tried, 5_838)
    return f"{tried} sets"


# The notation and the conditions


@evidence(Kind.TRANSCRIPTION, "the slip, read off")
def _slips_of_section_4() -> str:
    """d⁻ of the example must be [d_2, d_4, d_5]: as printed, with q_5, its entries do not sum to 1 − d."""
    q = tuple(Fraction(k, 15) for k in (1, 2, 3, 4, 5))
    d = tuple(Fraction(k, 15) for k in (5, 4, 3, 2, 1))
    plus = d[0] + d[2]
    require(plus + d[1] + d[3] + d[4] == 1 != plus + d[1] + d[3] + q[4], "the printed d⁻ sums to 1 − d")
    return "with d = (5, 4, 3, 2, 1)/15, q reversed: d + Σd⁻ = 1, as printed 19/15"


@evidence(Kind.IDENTITY, "general, n = 5")
def _slip_by_sums() -> str:
    """With q_5 for d_5 the sums d + Σd⁻ are off by q_5 − d_5."""
    d = sympy_algebra().symbols("d1 d2 d3 d4")
    q_5 = sympy_algebra().Symbol("q5")
    d_5 = 1 - sum(d)
    identity((d[0] + d[2]) + (d[1] + d[3] + q_5), 1 + q_5 - d_5, "the printed sums")
    return "d + Σd⁻ = 1 + q_5 − d_5"


@evidence(Kind.BRUTE_FORCE, "Subset and stays against the vectors, all pairs over 3 values in quarters")
def _conditions_as_code() -> str:
    """The reference's Inequalities [eq:cond1, eq:cond2] agree with q_j/d_j against q·x/d·x, set by set."""
    tried = 0
    for q, d in row_pairs(3, 4):
        rows = of_pair(q, d)
        for e in EXCESSES:
            for chosen in subsets(3):
                own: Subset = subset(rows, 0, 1, chosen)
                value = _value(q, d, chosen, e)
                for j in range(3):
                    inside = satisfies_cond1(q[j], d[j], own.q, own.d, log(1 + e))
                    require(inside == (q[j] > value * d[j]), f"{shown((q, d))}, E = {e}, {chosen}, column {j + 1}")
                    tried += 1
    exhausted(tried, 15_120)
    return f"{tried} inequalities"


# What is claimed

PIECE = "(q(e^α − 1) + 1)/(d(e^α − 1) + 1)"


_THEOREM_5 = (_theorem_5, _corner, _lemma_term, _theorem_5_enumerated, _hockey_stick, _certified, _existence_as_printed)

CLAIMS = (
    Claim(
        "lem:lfp_proof", Item.LEMMA, "Lemma 1", "The greatest linear form under the constraints",
        "k·x is greatest, under the constraints of the program, at x_i = e^α·m where k_i > 0 and x_i = m elsewhere, "
        "m any positive number.",
        Verdict.CORRECTED, (_lemma_term, _lemma_on_the_cone, _lemma_tried, _lemma_as_printed),
        corrected="For every fixed least entry m: on the box [m, e^α·m]^n that is an optimum. With m free there is "
        "none, as the form grows with m and the constraints are open. Where it is used, in Theorem 5, only the sign "
        "of the maximum matters, which does not depend on m. The proof's factor 1/m should be m.",
        witness="n = 1, k = 1, e^α = 2: m = 1/4 gives 1/2, m = 2/5 gives 4/5, both feasible.",
        by_hand="x_1 = e^α·m may be any number in (0, 1): x_1 itself has no greatest value there.", errata=("E16",),
    ),
    Claim(
        "thm:Dinkelbach", Item.THEOREM, "Theorem 12", "Dinkelbach's theorem",
        "x* is optimal for Q(x)/D(x) iff max{Q(x) − λD(x)} = 0 with λ = Q(x*)/D(x*).",
        Verdict.CORRECTED, (_dinkelbach, _dinkelbach_enumerated, _dinkelbach_as_printed),
        corrected="With D > 0 on the feasible set, as it is in the program: D(x) = d·x > 0.",
        witness="Two points with (Q, D) = (1, 1) and (−3, −1).",
        by_hand="Q − 1·D is 0 and −2, so the maximum is 0 at the first point; but −3/−1 = 3 > 1.",
        errata=("E17",), also=("eq:dink",),
    ),
    Claim(
        "thm:lfp", Item.THEOREM, "Theorem 5", "The optimum of the program",
        f"If q_j/d_j > g on x⁺ and q_k/d_k ≤ g off it, where g = {PIECE}, then g is the maximum.",
        Verdict.HOLDS, _THEOREM_5,
        corrected="q_j/d_j with d_j = 0 reads +∞. A maximum exists because q·x/d·x does not depend on the scale of x "
        "and [1, e^α]^n is compact, not because the feasible region is bounded. (g − 1)/(e^α − 1) = "
        "Σ_j (q_j − g·d_j)⁺.",
        by_hand="c_j = q_j·D − d_j·Q is positive on x⁺ and not elsewhere; Σc_j x_j ≤ Σc_j x*_j = D·Q − Q·D = 0.",
        errata=("E18",),
    ),
    Claim("eq:cond1", Item.EQUATION, "Eq. (22)", "The condition on x⁺", "q_j/d_j > g for every j of x⁺.",
          Verdict.CORRECTED, (_conditions_as_code, _theorem_5, _corner, _theorem_5_enumerated),
          corrected="With d_j = 0 the quotient reads +∞; multiplied out it is q_j(dE + 1) > d_j(qE + 1).",
          witness="q_j = 1/2, d_j = 0.", errata=("E2",)),
    Claim("eq:cond2", Item.EQUATION, "Eq. (23)", "The condition off x⁺", "q_k/d_k ≤ g for every k of x⁻.",
          Verdict.HOLDS, (_conditions_as_code, _theorem_5, _theorem_5_enumerated)),
    Claim("eq:lfp_sol_b", Item.EQUATION, "Eq. (24)", "L by the optima of all pairs",
          "L(α) is the greatest log g over the n(n − 1) ordered pairs of rows.",
          Verdict.HOLDS, (_loss_by_subsets, _theorem_5, _certified)),
    Claim("eq:lfp_M", Item.EQUATION, "Eq. (18)", "L as a supremum over rows",
          "The first term of [eq:bpl_cal] is the supremum over rows q, d of log q·x/d·x.",
          Verdict.CORRECTED, (_loss_by_subsets, _theorem_5_enumerated, _certified),
          corrected="L(α) is the supremum over the x of the box as well as over the rows: x is what "
          "the outputs decide. "
          "As the value of the first term it is an upper bound: not every x of the box need come from outputs."),
    Claim("eq:lfp", Item.EQUATION, "Eq. (19)", "The objective", "Maximise q·x/d·x.",
          Verdict.HOLDS, (_theorem_5, _theorem_5_enumerated, _certified)),
    Claim("eq:lfp_end", Item.EQUATION, "Eq. (20)", "The constraint on ratios", "e^−α ≤ x_j/x_k ≤ e^α for all j, k.",
          Verdict.HOLDS, (_lemma_on_the_cone, _theorem_5_enumerated)),
    Claim("eq:lfp_end2", Item.EQUATION, "Eq. (21)", "The constraint on entries", "0 < x_j < 1.",
          Verdict.CORRECTED, (_existence_as_printed, _lemma_on_the_cone, _theorem_5_enumerated),
          corrected="Superfluous: the objective does not depend on the scale of x; x may be taken from [1, e^α]^n. "
          "The region is open, so that boundedness alone does not give an optimum; and Pr(r | l) = 1 is possible.",
          witness="x_1 over 0 < x_1 < 1.", errata=("E18",)),
    Claim("eq:opt_sol", Item.EQUATION, "Eq. (34)", "The optimal x",
          "x* is e^α·m on x⁺ and m elsewhere.", Verdict.HOLDS, (_theorem_5, _corner, _certified)),
    Claim("eq:1", Item.EQUATION, "Eq. (35)", "The first condition by Q and D",
          "q_j/d_j > Q(x*)/D(x*) on x⁺.", Verdict.HOLDS, (_corner, _conditions_as_code)),
    Claim("eq:2", Item.EQUATION, "Eq. (36)", "The second condition by Q and D",
          "q_k/d_k ≤ Q(x*)/D(x*) off x⁺.", Verdict.HOLDS, (_corner, _conditions_as_code)),
    Claim("eq:thm_max", Item.EQUATION, "Eq. (37)", "What Dinkelbach's theorem asks for",
          "max{D(x*)Q(x) − Q(x*)D(x)} = 0.", Verdict.HOLDS, (_corner, _lemma_term, _dinkelbach_enumerated)),
    Claim("eq:last", Item.EQUATION, "Eq. (38)", "The same, split into x⁺ and x⁻",
          "(D q⁺ − Q d⁺)·x⁺ + (D q⁻ − Q d⁻)·x⁻.", Verdict.HOLDS, (_corner, _lemma_term, _theorem_5)),
    Claim("Section 4.2, x⁺ and x⁻", Item.TEXT, "Section 4.2", "The example of the notation",
          "x⁺ = [x_1, x_3] has d⁻ = [d_2, d_4, q_5].", Verdict.FALSE, (_slips_of_section_4, _slip_by_sums),
          corrected="d⁻ = [d_2, d_4, d_5].", witness="q = (1, 2, 3, 4, 5)/15, d reversed.", errata=("E21",)),
    Claim(
        "col:q_d", Item.COROLLARY, "Corollary 2", "Members of x⁺",
        "The two inequalities imply q_j > d_j for every member of x⁺.", Verdict.HOLDS,
        (_corollary_2, _corollary_2_sums, _corollary_2_enumerated),
        by_hand="If g ≤ 1, then q_k ≤ d_k off x⁺, so q ≥ d, so g ≥ 1: g = 1 and q = d; but q_j > d_j on x⁺.",
    ),
    Claim(
        "Section 4.2, removal of several indices", Item.TEXT, "Section 4.2", "Several indices may be removed at once",
        "An index that fails [eq:cond1] fails it still after another failing one has been removed.",
        Verdict.HOLDS, (_removal, _removal_decided, _removal_order),
        by_hand="((q − q_1)E + 1)(dE + 1) − (qE + 1)((d − d_1)E + 1) = E(d_1(qE + 1) − q_1(dE + 1)) ≥ 0.",
    ),
)  # fmt: skip
