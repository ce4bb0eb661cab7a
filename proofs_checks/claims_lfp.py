"""The linear-fractional program: Lemma 1, Dinkelbach, Theorems 5 to 10, Corollaries 2 and 3, their equations.

E = e^α − 1 > 0, A = E + 1; q and d are the sums over x⁺, g = (qE + 1)/(dE + 1), c_j = q_j(dE + 1) − d_j(qE + 1).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from ..reference.correlations import Row, TransitionMatrix
from ..reference.formulas import LinearFractional
from ..reference.levels import ZERO
from ..reference.lfp import Subset, is_optimal, stays, subset
from ..reference.loss import loss_function
from ..reference.polynomial import algorithm_1, optimum
from ..reference.precomputation import algorithm_2, algorithm_3
from ..solvers.certificates import lfp_optimum_certificate, loss_function_certificate
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


# The extreme cases and the remark


@evidence(Kind.DECISION, "proved for all real 0 ≤ d ≤ q ≤ 1, E > 0")
def _remark_decided() -> str:
    """1 ≤ (qE + 1)/(dE + 1) ≤ 1 + E, that is 0 ≤ L(α) ≤ α; the upper end only at q = 1, d = 0, the lower at q = d."""
    z3 = z3_prover()
    q, d, e = z3.Reals("q d E")
    point = [d >= 0, q >= d, q <= 1, e > 0]
    prove(z3.And(d * e + 1 <= q * e + 1, q * e + 1 <= (1 + e) * (d * e + 1)), *point, what="0 ≤ L ≤ α")
    prove(z3.And(q == 1, d == 0), *point, q * e + 1 == (1 + e) * (d * e + 1), what="L = α only there")
    prove(q == d, *point, q * e + 1 == d * e + 1, what="L = 0 only there")
    return "0 ≤ L ≤ α; L = α iff q = 1, d = 0; L = 0 iff q = d"


@evidence(Kind.IDENTITY, "general")
def _remark_identity() -> str:
    """(1 + E)(dE + 1) − (qE + 1) = E(1 − q) + dE(1 + E), a sum of terms that are not negative."""
    q, d, e = sympy_algebra().symbols("q d E")
    identity((1 + e) * (d * e + 1) - (q * e + 1), e * (1 - q) + d * e * (1 + e), "α − L")
    return "E(1 − q) + dE(1 + E) ≥ 0"


@evidence(Kind.ENUMERATION, "checked on all 3 × 3 matrices with entries in thirds, all 2 × 2 in sixths, three E")
def _extremes_enumerated() -> str:
    """0 ≤ L(α) ≤ α by every subset; L ≡ 0 iff all rows are equal, L(α) = α iff two rows have disjoint supports.

    For n ≤ 3 that is the condition of Theorem 7, a 1 against a 0.
    """
    tried = identities = by_theorem = 0
    for n, denominator in ((2, 6), (3, 3)):
        for rows in matrices(n, denominator):
            ratios = [enumerated_loss(rows, log(1 + e)).ratio for e in EXCESSES]
            loss = loss_function(rows)
            disjoint = any(all(a * b == 0 for a, b in zip(q, d, strict=True)) for q in rows.rows for d in rows.rows)
            sufficient = any(q[i] == 1 and d[i] == 0 for q in rows.rows for d in rows.rows for i in range(n))
            equal = len(set(rows.rows)) == 1
            bounds = [r is not None and 1 <= r <= 1 + e for r, e in zip(ratios, EXCESSES, strict=True)]
            require(all(bounds), f"{shown(rows)}: e^L = {ratios}")
            full = [r == 1 + e for r, e in zip(ratios, EXCESSES, strict=True)]
            require(set(full) == {disjoint} and loss.is_identity == disjoint, f"{shown(rows)}: L(α) = α: {full}")
            none = [r == 1 for r in ratios]
            require(set(none) == {equal} and loss.is_zero == equal, f"{shown(rows)}: L = 0: {none}")
            require(
                disjoint == sufficient, f"{shown(rows)}: disjoint supports {disjoint}, a 1 against a 0 {sufficient}"
            )
            tried, identities, by_theorem = tried + 1, identities + disjoint, by_theorem + sufficient
    require(by_theorem == identities > 0, f"{identities} with L(α) = α, {by_theorem} by Theorem 7")
    exhausted(tried, 248)
    return f"{tried} matrices, {identities} with L(α) = α, all of them with a 1 against a 0, as n ≤ 3"


@evidence(Kind.TRANSCRIPTION, "the smallest n, exact")
def _extreme_2_not_necessary() -> str:
    """L(α) = α without any 1 in the matrix: disjoint supports of two elements each, n = 4; for n ≤ 3 it needs a 1.

    Disjoint supports of two rows over three values leave one row a single value.
    """
    rows = matrix("1/2 1/2 0 0", "0 0 1/2 1/2", "1/4 1/4 1/4 1/4", "1/4 1/4 1/4 1/4")
    require(not any(entry == 1 for row in rows.rows for entry in row), "there is a 1")
    for e in EXCESSES:
        require(enumerated_loss(rows, log(1 + e)).level == log(1 + e), f"E = {e}: L(α) is not α")
        require(algorithm_1(rows, log(1 + e), ZERO) == log(1 + e), f"E = {e}: Algorithm 1 gives another L")
    require(loss_function(rows).is_identity, "the loss function is not the identity")
    return "rows (1/2, 1/2, 0, 0), (0, 0, 1/2, 1/2): e^L = (1·E + 1)/(0·E + 1) = e^α"


@evidence(Kind.BRUTE_FORCE, "equal rows, n ≤ 4 in halves; by all x on a grid")
def _extreme_1_tried() -> str:
    """With equal rows q·x/d·x = 1 whatever x is, so that L = 0."""
    from .families import distributions

    tried = 0
    for n in (2, 3, 4):
        for row in distributions(n, 2):
            rows = TransitionMatrix((row,) * n)
            require(loss_function(rows).is_zero, f"{shown(rows)}: L is not 0")
            for x in product((1, 2, 5), repeat=n):
                above = sum(a * v for a, v in zip(row, x, strict=True))
                require(above / above == 1, f"{x}")
                tried += 1
            require(algorithm_1(rows, log(5), ZERO) == ZERO, f"{shown(rows)}: Algorithm 1 gives more than 0")
    exhausted(tried, 999)
    return f"{tried} values of x"


# Theorem 8


@evidence(Kind.DECISION, "proved for two columns and any λ; general n, since the columns enter in pairs",
          "x⁺ = {j : q_j > λd_j} for the one optimum λ, by Theorem 5")  # fmt: skip
def _prefix() -> str:
    """A column whose ratio is at least that of a member of x⁺ is a member: x⁺ is a prefix of the order by q_j/d_j."""
    z3 = z3_prover()
    q1, d1, q2, d2, lam = z3.Reals("q1 d1 q2 d2 lambda")
    prove(q1 > lam * d1, q1 > 0, d1 >= 0, q2 >= 0, d2 >= 0, lam >= 1, q2 > lam * d2, q1 * d2 >= q2 * d1, what="prefix")
    return "q_1/d_1 ≥ q_2/d_2 > λ implies that 1 is in x⁺ with 2"


@evidence(
    Kind.ENUMERATION, "checked on all pairs over 3 values in sixths and 4 values in fifths, five E; ties included"
)
def _k_cases() -> str:
    """For each α exactly one set meets both inequalities: a prefix of 1 to k columns, ties together."""
    tried = ties = 0
    for n, denominator in ((3, 6), (4, 5)):
        for q, d in row_pairs(n, denominator):
            if any(not a and not b for a, b in zip(q, d, strict=True)):
                continue
            k = sum(a > b for a, b in zip(q, d, strict=True))
            tied = any(q[i] * d[j] == q[j] * d[i] for i in range(n) for j in range(i) if q[i] > d[i] and q[j] > d[j])
            ties += tied
            for e in (*EXCESSES, Fraction(1, 3), Fraction(100)):
                meeting = [chosen for chosen in subsets(n) if _meets(q, d, chosen, e)]
                require(len(meeting) == 1, f"{shown((q, d))}, E = {e}: {meeting}")
                chosen = meeting[0]
                require(1 <= len(chosen) <= k, f"{shown((q, d))}, E = {e}: {chosen}")
                prefix = all(q[i] * d[j] > q[j] * d[i] for i in chosen for j in range(n) if j not in chosen)
                require(prefix, f"{shown((q, d))}, E = {e}: {chosen} is no prefix")
                found = optimum(of_pair(q, d), 0, 1, log(1 + e)).indices
                require(found == chosen, f"{shown((q, d))}, E = {e}: the reference has {found}")
                tried += 1
    exhausted(tried, 11_050)
    return f"{tried} programs, {ties} pairs of rows with ties"


@evidence(Kind.TRANSCRIPTION, "one witness, exact")
def _k_case_ties() -> str:
    """With q_1/d_1 = q_2/d_2 the strict order of Theorem 8 does not exist, and fewer than k sets ever occur."""
    q, d = (Fraction(2, 5), Fraction(2, 5), Fraction(1, 5)), (Fraction(1, 5), Fraction(1, 5), Fraction(3, 5))
    ever = {chosen for e in (*EXCESSES, Fraction(10**6)) for chosen in subsets(3) if _meets(q, d, chosen, e)}
    require(ever == {(0, 1)}, f"the sets that occur: {ever}")
    alone = _value(q, d, (0,), Fraction(1))
    require(not _meets(q, d, (0,), Fraction(1)) and q[1] > alone * d[1], "case k holds for one of two tied columns")
    return "q = (2, 2, 1)/5, d = (1, 1, 3)/5: k = 2, but only the set {1, 2} occurs; {1} fails [eq:cond2] at 2"


@evidence(Kind.TRANSCRIPTION, "one witness, exact")
def _k_case_proof() -> str:
    """The proof of Theorem 8 writes q(e^α) + 1 over d(e^α) + 1, without the −1; its inequality is another number."""
    q, d, a = Fraction(1, 2), Fraction(1, 4), Fraction(2)
    as_printed, meant = (q * a + 1) / (d * a + 1), (q * (a - 1) + 1) / (d * (a - 1) + 1)
    require(as_printed != meant, "the −1 makes no difference")
    require((q + 1) / (d + 1) != 1, "at α = 0 the printed quotient is 1")
    return (
        f"q = 1/2, d = 1/4, e^α = 2: printed {as_printed}, meant {meant}; at α = 0 printed {(q + 1) / (d + 1)}, not 1"
    )


# Theorem 9


@evidence(Kind.IDENTITY, "general: any prefix, by its sums q, d and its last column q_m, d_m")
def _transition() -> str:
    """At E = (q_m − d_m)/(q·d_m − d·q_m) the value is q_m/d_m, with the column m and without it: f is continuous."""
    q, d, q_m, d_m = sympy_algebra().symbols("q d q_m d_m")
    e = (q_m - d_m) / (q * d_m - d * q_m)
    value = (q * e + 1) / (d * e + 1)
    identity(value, q_m / d_m, "the value at the transition")
    identity(((q - q_m) * e + 1) / ((d - d_m) * e + 1), value, "the value without column m")
    return "g(E_m) = q_m/d_m on both sides"


@evidence(
    Kind.DECISION,
    "proved for three columns with q_j > d_j, all real rows; any number by the human step",
    "the columns before two neighbours enter by their sums, which are ordered alike",
)
def _transitions_in_order() -> str:
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
    Kind.ENUMERATION,
    "checked on all pairs over 3 values in sixths and 4 values in fifths without ties; at, between, beyond",
)
def _transitions_enumerated() -> str:
    """On each of the intervals [α_{j−1}, α_j) the function is the best of all 2^n subsets, at both ends included."""
    tried = 0
    for n, denominator in ((3, 6), (4, 5)):
        for q, d in row_pairs(n, denominator):
            function = algorithm_2(of_pair(q, d))[0]
            points = [point for point in function.transitions if point is not None]
            if len(set(points)) < len(points) or function.transitions.count(None) != 1:
                continue
            _check_transitions(q, d, function.order, points)
            ends = [Fraction(0), *sorted(points)]
            between = [(a + b) / 2 for a, b in pairwise(ends)]
            for e in (*ends[1:], *between, ends[-1] + 1):
                found = function.at(log(1 + e))
                best = max(_value(q, d, chosen, e) for chosen in subsets(n))
                require(_value(q, d, found.indices, e) == best, f"{shown((q, d))}, E = {e}: {found.indices}")
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


@evidence(Kind.BRUTE_FORCE, "checked on all pairs over 4 values in fifths, seven E")
def _sums_fall() -> str:
    """The sums q and d fall as α grows: the optimal sets shrink."""
    grid = [Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(3), Fraction(20), Fraction(10**4)]
    for q, d in row_pairs(4, 5):
        rows = of_pair(q, d)
        sets = [set(optimum(rows, 0, 1, log(1 + e)).indices) for e in grid]
        require(all(late <= early for early, late in pairwise(sets)), f"{shown((q, d))}: {sets}")
    return "every set is contained in the one before"


# Corollary 3, Example 4, Figure 4, Theorem 10


@evidence(Kind.IDENTITY, "general: this identity is the proof of Theorem 10")
def _crossing() -> str:
    """The sign of f − f' is that of E·[(q − q') + (d' − d) + E(qd' − q'd)]: linear in E after the factor E."""
    q, d, q2, d2, e = sympy_algebra().symbols("q d q2 d2 E")
    left = (q * e + 1) * (d2 * e + 1) - (q2 * e + 1) * (d * e + 1)
    identity(left, e * ((q - q2) + (d2 - d) + e * (q * d2 - q2 * d)), "the difference")
    k = (q2 + d - q - d2) / (q * d2 - q2 * d)
    identity((q * k + 1) / (d * k + 1), (q2 * k + 1) / (d2 * k + 1), "the crossing of Algorithm 4")
    return "two pieces cross at most once for E > 0, at k = (q' + d − q − d')/(qd' − q'd)"


@evidence(Kind.DECISION, "proved for all reals")
def _theorem_10() -> str:
    """A linear function not negative at both ends of an interval is not negative within; so is f − f'."""
    z3 = z3_prover()
    c, s, a, b, e = z3.Reals("c s a b E")
    within = [a > 0, a < b, e >= a, e <= b]
    prove(e * (c + s * e) >= 0, *within, a * (c + s * a) >= 0, b * (c + s * b) >= 0, what="Theorem 10")
    return "the same piece on top at both ends is on top between"


@evidence(Kind.TRANSCRIPTION, "one witness, exact")
def _theorem_10_proof() -> str:
    """“Both increasing, one intersection” does not prove Theorem 10: increasing functions may touch and part again."""

    def f(e: Fraction) -> Fraction:
        return e * e

    def f2(e: Fraction) -> Fraction:
        return 4 * e - 4

    grid = [Fraction(k, 2) for k in range(1, 12)]
    rising = all(f(b) > f(a) and f2(b) > f2(a) for a, b in pairwise(grid))
    require(rising and [e for e in grid if f(e) == f2(e)] == [2], "the witness")
    require(f(Fraction(1)) >= f2(Fraction(1)) and f(Fraction(3)) > f2(Fraction(3)), "the witness at its ends")
    return "E² and 4E − 4 both rise for E > 0 and meet once, at 2, but E² is on top at 1 and at 3: no contradiction"


@evidence(Kind.ENUMERATION, "checked on all 3 × 3 matrices in thirds and Example 4; at and between all breakpoints")
def _loss_function_is_the_maximum() -> str:
    """L is the maximum of the pairs' functions everywhere: at breakpoints and between, by all subsets."""
    tried = 0
    for rows in (*matrices(3, 3), EXAMPLE_4):
        loss = loss_function(rows)
        ends = [piece.start for piece in loss.pieces]
        points = {*ends[1:], *((a + b) / 2 for a, b in pairwise(ends)), ends[-1] + 1, ends[-1] + 100}
        for e in points:
            expected = enumerated_loss(rows, log(1 + e)).level
            require(loss(log(1 + e)) == expected, f"{shown(rows)}, E = {e}: {loss(log(1 + e))!r}, not {expected!r}")
            tried += 1
        for piece in loss.pieces[1:]:
            previous = loss.pieces[loss.pieces.index(piece) - 1]
            at = (piece.q * piece.start + 1) / (piece.d * piece.start + 1)
            before = (previous.q * piece.start + 1) / (previous.d * piece.start + 1)
            require(at == before, f"{shown(rows)}: L jumps at E = {piece.start}")
    exhausted(tried, 444)
    return f"{tried} values; L is continuous"


EXAMPLE_4 = matrix("1/10 1/5 7/10", "3/10 3/10 2/5", "1/2 3/10 1/5")


@evidence(Kind.CERTIFICATE, "Example 4 and two more matrices; the checker covers all of [0, ∞)")
def _loss_functions_certified() -> str:
    """The whole loss function passes the independent checker."""
    for rows in (EXAMPLE_4, FOUR, matrix("4/5 1/5", "0 1")):
        _accepted(loss_function_certificate(loss_function(rows)))
    return "3 certificates accepted"


@evidence(Kind.ENUMERATION, "Example 4's matrix, exact")
def _example_4() -> str:
    """L of Example 4 has one breakpoint, e^α − 1 = 10/3, where pieces of two pairs cross: the pentagram of Figure 4.

    It is no transition point of these two functions. But it is one of a third: log(13/3) is in aM, against the text.
    """
    loss = loss_function(EXAMPLE_4)
    breaks = [piece.start for piece in loss.pieces[1:]]
    require(breaks == [Fraction(10, 3)], f"the breakpoints are {breaks}")
    crossing = {(w.row_q, w.row_d) for piece in loss.pieces if (w := piece.witness)}
    require(len(crossing) == 2, f"the pieces are of the pairs {crossing}")
    having = {(f.row_q, f.row_d) for f in algorithm_2(EXAMPLE_4) if Fraction(10, 3) in f.transitions}
    require(bool(having) and not having & crossing, f"10/3 is a transition point of {having}")
    pairs = " and ".join(f"{q + 1}/{d + 1}" for q, d in sorted(crossing))
    third = ", ".join(f"{q + 1}/{d + 1}" for q, d in sorted(having))
    return f"the rows {pairs} cross at α = log(13/3) = 1.466; transition point of the rows {third}"


@evidence(Kind.ENUMERATION, "exhausted: all 3 × 3 matrices in halves to fifths; none has n = 2, as L has one piece")
def _additional_points() -> str:
    """That L may break where no pair's function does is so, if not in Example 4: the smallest matrix is found."""
    for denominator in (2, 3, 4, 5):
        for rows in matrices(3, denominator):
            own = {point for function in algorithm_2(rows) for point in function.transitions}
            for piece in loss_function(rows).pieces[1:]:
                if piece.start not in own:
                    return f"{shown(rows)}: L breaks at e^α − 1 = {piece.start}, no pair's function does"
    raise EvidenceFailed("no matrix of the family has such a breakpoint")


@evidence(Kind.BRUTE_FORCE, "Example 4's matrix; L by all subsets at 60 rational points around the crossing")
def _example_4_tried() -> str:
    """Which rows attain L changes between E = 10/3 − 1/30 and 10/3 + 1/30 and nowhere else from 0 to 10."""
    winners = []
    for step in range(1, 301):
        found = enumerated_loss(EXAMPLE_4, log(1 + Fraction(step, 30)))
        winners.append({(q, d) for q, d, _ in found.attained_by})
    changes = [step + 1 for step, (a, b) in enumerate(pairwise(winners)) if a != b]
    require(changes == [99, 100], f"the rows change at the steps {changes} of 1/30")
    return "rows 1/3 below E = 10/3, rows 3/1 above, both at it"


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
                    inside = stays(q[j], d[j], own.q, own.d, log(1 + e))
                    require(inside == (q[j] > value * d[j]), f"{shown((q, d))}, E = {e}, {chosen}, column {j + 1}")
                    tried += 1
    exhausted(tried, 15_120)
    return f"{tried} inequalities"


# What is claimed

PIECE = "(q(e^α − 1) + 1)/(d(e^α − 1) + 1)"

_EXTREMES = (_remark_decided, _remark_identity, _extremes_enumerated)
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
    Claim(
        "thm:algo_extreme1", Item.THEOREM, "Theorem 6", "No loss", "If all rows are equal, L = 0.", Verdict.HOLDS,
        (_extreme_1_tried, *_EXTREMES),
        corrected="And only then. The proof has Algorithm 1 remove all members of x⁺; there are none to remove, since "
        "none has q_j > d_j.", by_hand="q·x/d·x = 1 where q = d.", errata=("E19",),
    ),
    Claim(
        "thm:algo_extreme2", Item.THEOREM, "Theorem 7", "Full loss",
        "If some rows have q_i = 1 and d_i = 0, L(α) = α.", Verdict.HOLDS,
        (_extreme_2_not_necessary, *_EXTREMES),
        corrected="Sufficient, not necessary: L(α) = α iff two rows have disjoint supports.",
        witness="Rows (1/2, 1/2, 0, 0), (0, 0, 1/2, 1/2) among four.",
        by_hand="x⁺ = {1, 2}: q = 1, d = 0, g = e^α.", errata=("E3",),
    ),
    Claim(
        "remark", Item.REMARK, "Remark 1", "0 ≤ L(α) ≤ α",
        "The extreme cases bound the loss functions: 0 ≤ L(x) ≤ x.", Verdict.HOLDS, _EXTREMES,
        by_hand="(1 + E)(dE + 1) − (qE + 1) = E(1 − q) + dE(1 + E) ≥ 0.",
    ),
    Claim(
        "thm:lfp_k_case", Item.THEOREM, "Theorem 8", "Only k pairs of q and d",
        "With q_1/d_1 > … > q_k/d_k > 1 ≥ … only the k prefixes meet the two inequalities.",
        Verdict.CORRECTED, (_prefix, _k_cases, _k_case_ties, _k_case_proof),
        corrected="With ties the order is not strict: tied columns enter and leave together, and fewer prefixes occur. "
        "Where q_i ≠ d_i is assumed the next ratio is < 1, not ≤ 1. The proof's quotients lack “− 1”.",
        witness="q = (2, 2, 1)/5, d = (1, 1, 3)/5.",
        by_hand="g for {1} at E = 1 is (7/5)/(6/5) = 7/6 < 2 = q_2/d_2, so {1} fails [eq:cond2].",
        errata=("E14",),
    ),
    Claim(
        "thm:lfp_seg_func", Item.THEOREM, "Theorem 9", "The optimum of a pair as a function of α",
        "It is piecewise, with the transition points α_j = log((q_m − d_m)/(q^m d_m − d^m q_m) + 1), m = k − j + 1.",
        Verdict.HOLDS, (_transition, _transitions_in_order, _transitions_enumerated, _sums_fall),
        by_hand="Solve (qE + 1)/(dE + 1) = q_m/d_m for E.", also=("eq:piecewise",),
    ),
    Claim(
        "col:L_func", Item.COROLLARY, "Corollary 3", "L is piecewise", "L(α) is the maximum of the pairs' functions.",
        Verdict.HOLDS, (_loss_function_is_the_maximum, _loss_functions_certified, _loss_by_subsets),
    ),
    Claim(
        "example:L_func", Item.EXAMPLE, "Example 4", "L of a 3 × 3 matrix",
        "L is the top of six functions; the pentagram, an intersection of two, is not any transition point.",
        Verdict.FALSE, (_example_4, _example_4_tried, _additional_points),
        corrected="It is no transition point of the two functions that meet there, but α = log(13/3) is the transition "
        "point of the pair of rows 2/1, so that it is in aM: here the simple idea would do. On "
        "other matrices it fails.",
        witness="The printed matrix itself; and the smallest matrix where the point is additional is in the evidence.",
        by_hand="Rows 2/1: (0.3 − 0.2)/(0.6·0.2 − 0.3·0.3) = 10/3. Rows 1/3 and 3/1: (0.7, 0.2) and (0.5, 0.1) meet at "
        "(0.5 + 0.2 − 0.7 − 0.1)/(0.7·0.1 − 0.5·0.2) = 10/3.", errata=("E20",),
    ),
    Claim(
        "fig:example_L_func", Item.FIGURE, "Figure 4", "L of Example 4",
        "The functions of the pairs, L in bold, circles at transition points, a pentagram at an intersection.",
        Verdict.HOLDS, (_example_4, _example_4_tried, _loss_functions_certified),
        corrected="The curves are as said; the pentagram's place is a transition point of another pair (Example 4).",
    ),
    Claim(
        "thm:gen_L_func", Item.THEOREM, "Theorem 10", "The same function at both ends",
        "A piece that is at least another at both ends of an interval is so within.", Verdict.HOLDS,
        (_crossing, _theorem_10, _theorem_10_proof, _loss_function_is_the_maximum),
        corrected="True, but that both increase does not prove it: the difference is E times a linear function of E.",
        witness="For the proof: E² and 4E − 4.", by_hand="Multiply f − f' out.", errata=("E15",),
    ),
)  # fmt: skip
