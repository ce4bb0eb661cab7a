"""The recursion rises to the supremum of Theorem 11 [thm:sup]: how, how fast; Example 5 and Figure 5."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from ...reference.levels import Level
from ...reference.notation import parse_level
from ...reference.paper.loss import loss_function
from ...reference.paper.supremum import supremum
from ...solvers.linear_programs.enumeration import enumerated_loss
from ..compared import compared, given
from ..coverage import counted, members, over
from ..families import log, matrix, nats, points, shown
from ..provers import identity, prove, sympy_algebra, z3_prover
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, require
from ..transcript import printed_matrices
from ..transcriptions import piece
from .supremum_cases import a_point, reals

FIRST_STEP_MATRIX = matrix("2/5 3/10 3/10", "4/5 1/5 0", "3/10 3/10 2/5")
"""The first step is ruled by (7/10, 1/5), the supremum for e^ε = 2 by (2/5, 0)."""

FIGURE_5 = range(1272, 1276)
"""The lines of the paper that speak of the four cases of Figure 5."""


@evidence(
    EvidenceKind.DECISION,
    "proved for all real q > d ≥ 0, q ≤ 1, a > 1",
    closed_by="Supremum.theorem_11",
    about="thm:sup",
)
def rises_from_below() -> str:
    """From A < R (a fixed point) a step rises and stays below R; from A > R it falls and stays above R."""
    q, d, a, point, r = reals("q d a A R")
    fixed = [r > 1, r * (d * (r - 1) + 1) == a * (q * (r - 1) + 1), point >= 1]
    top, bottom = a * (q * (point - 1) + 1), d * (point - 1) + 1
    prove(
        z3_prover().And(top > point * bottom, top < r * bottom),
        *a_point(q, d, a), *fixed, point < r, what="below the fixed point",
    )  # fmt: skip
    prove(
        z3_prover().And(top < point * bottom, top > r * bottom),
        *a_point(q, d, a), *fixed, point > r, what="above the fixed point",
    )  # fmt: skip
    return "1 ≤ A < R gives A < φ(A) < R; A > R gives R < φ(A) < A"


@evidence(EvidenceKind.IDENTITY, "general", closed_by="Supremum.theorem_11", about="thm:sup")
def convergence() -> str:
    """With both roots R > R' the step is (A − R)/(A − R') ↦ κ·(A − R)/(A − R'), κ = (1 − d + dR')/(1 − d + dR).

    So A_t → R at the rate κ, and no number below R bounds the sequence. Where d = 0, R − φ(A) = qa·(R − A), qa < 1.
    """
    sympy = sympy_algebra()
    d, point, r, other = sympy.symbols("d A R S")
    # q and a expressed by the two roots: qa = 1 − d... from R + S = (qa + d − 1)/d and RS = −(1 − q)a/d.
    qa = d * (r + other) + 1 - d
    a = qa - d * r * other
    image = (qa * (point - 1) + a) / (d * (point - 1) + 1)
    kappa = (1 - d + d * other) / (1 - d + d * r)
    identity((image - r) * (point - other), kappa * (point - r) * (image - other), "the step in the cross-ratio")
    q, b = sympy.symbols("q b")
    linear = b * (q * (point - 1) + 1)
    fixed = (1 - q) * b / (1 - q * b)
    identity(fixed - linear, q * b * (fixed - point), "the step where d = 0")
    return "(φ(A) − R)/(φ(A) − R') = κ(A − R)/(A − R'); where d = 0: R − φ(A) = q e^ε (R − A)"


@evidence(EvidenceKind.DECISION, "proved for all real q > d > 0, q ≤ 1, a > 1", about="thm:sup")
def rate() -> str:
    """The rate κ of the convergence lies strictly between 0 and 1."""
    q, d, a, r, other = reals("q d a R S")
    roots = [d * (r + other) == q * a + d - 1, d * r * other == -(1 - q) * a, r > 1, other <= 0]
    above, below = 1 - d + d * other, 1 - d + d * r
    prove(z3_prover().And(above > 0, above < below), *a_point(q, d, a), d > 0, *roots, what="0 < κ < 1")
    return "0 < 1 − d + dR' < 1 − d + dR"


@evidence(EvidenceKind.BRUTE_FORCE, "L by all sets of columns", closed_by="Supremum.theorem_11", about="thm:sup")
def recursion_forward() -> str:
    """The recursion, with L by trying every subset, rises strictly, stays below the supremum and comes close to it."""
    nearest = Fraction(0)
    cases = 0
    for rows in (FIRST_STEP_MATRIX, matrix("4/5 1/5", "1/10 9/10"), matrix("4/5 1/5", "0 1"),
                 matrix("1/2 1/2", "1/3 2/3"), matrix("1/5 3/10 1/2", "3/5 1/5 1/5", "1/10 1/10 4/5")):  # fmt: skip
        counted("matrices")
        for a in over("e^ε", (Fraction(11, 10), Fraction(6, 5), Fraction(3, 2), Fraction(2))):
            limit = supremum(loss_function(rows), log(a)).level
            if limit.is_infinite:
                continue
            low, high = (1 + bound for bound in limit.excess_bounds(200))
            value, gaps = a, []
            for _ in over("steps", range(1, 31)):
                ratio = enumerated_loss(rows, log(value)).ratio
                assert ratio is not None
                following = _rounded_down(a * ratio)
                require(value < following <= high, f"{shown(rows)}, e^ε = {a}: {following} after {value}")
                value = following
                gaps.append(low - value)
            require(all(late < early for early, late in pairwise(gaps)), f"{shown(rows)}, e^ε = {a}: no approach")
            nearest = max(nearest, gaps[-1] / low)
            cases += 1
    require(nearest < Fraction(1, 2), f"after 30 steps one is still {float(nearest):.3f} of the supremum away")
    return (
        f"{cases} sequences rise strictly below their supremum; after 30 steps all but {float(nearest):.2g} is reached"
    )


def _rounded_down(value: Fraction) -> Fraction:
    """Return a fraction of 200 bits at most the value: a lower bound stays one."""
    return Fraction(int(value * 2**200), 2**200)


@evidence(EvidenceKind.ENUMERATION, "by the recursion", about=("Example 5", "fig:example_sup"))
def four_cases() -> str:
    """The four cases of Figure 5: two without supremum, two where the recursion comes within 10^−6 of the formula."""
    lines = []
    for name, rows, text in members(
        "cases",
        (
            ("a", matrix("1 0", "0 1"), "0.23"),
            ("b", matrix("4/5 1/5", "0 1"), "0.23"),
            ("c", matrix("4/5 1/5", "0 1"), "0.15"),
            ("d", matrix("4/5 1/5", "1/10 9/10"), "0.23"),
        ),
    ):
        loss, epsilon = loss_function(rows), parse_level(text)
        limit = supremum(loss, epsilon).level
        level = epsilon
        for _ in over("t", range(2, 201)):
            level = loss(level) + epsilon
        if name in "ab":
            require(limit.is_infinite and level > Level.of(4), f"({name}): {nats(limit)}, BPL_200 = {nats(level)}")
        else:
            require(level < limit < level + Level.of(Fraction(1, 10**6)), f"({name}): {nats(limit)}, {nats(level, 9)}")
        lines.append(f"({name}) {nats(limit, 6)}")
    for number in FIGURE_5:
        given(("Example 5", "fig:example_sup"), len(printed_matrices(number)), len(lines))
    return "suprema: " + ", ".join(lines)


@evidence(EvidenceKind.CERTIFICATE, "cases (c) and (d), by rational invariants", about=("Example 5", "fig:example_sup"))
def figure_invariants() -> str:
    """The suprema of (c) and (d) are below a U never exceeded and above an exceeded V; e^ε is enclosed by rationals."""
    for rows, text in members("cases", ((matrix("4/5 1/5", "1/10 9/10"), "0.23"), (matrix("4/5 1/5", "0 1"), "0.15"))):
        epsilon = parse_level(text)
        low_a, high_a = (1 + bound for bound in epsilon.excess_bounds(120))
        low, high = (1 + bound for bound in supremum(loss_function(rows), epsilon).level.excess_bounds(120))
        upper, lower = high * (1 + Fraction(1, 2**60)), low * (1 - Fraction(1, 2**60))
        sums = points(rows.rows)
        kept = all(high_a * piece(q, d, upper) <= upper for q, d in sums)
        passed = any(low_a * piece(q, d, lower) > lower for q, d in sums)
        compared(("Example 5", "fig:example_sup"), (True, True), (kept, passed))
    return "both enclosed to 60 bits"


CLAIMS = (
    PaperClaim(
        "Example 5", Item.EXAMPLE, "Example 5", "The supremum of BPL over time",
        "In (a) and (b) of Figure 5 there is no supremum; in (c) and (d) Theorem 11 gives it and stepping agrees.",
        ClaimVerdict.NOT_REPRODUCIBLE,
        corrected="Found with settings of our own: neither the text nor the source, which has no picture, gives the "
            "matrices and budgets.",
        by_hand="(b): q = 4/5, d = 0 and 4/5·e^0.23 = 1.0069 ≥ 1; (c): 4/5·e^0.15 = 0.929 < 1.",
    ),
    PaperClaim(
        "fig:example_sup", Item.FIGURE, "Figure 5", "Examples of the maximum BPL over time",
        "BPL over time for four pairs of a matrix and a budget: growing without limit in (a), (b), "
        "to a limit in (c), (d).",
        ClaimVerdict.NOT_REPRODUCIBLE,
        corrected="Found as described with settings of our own: the LaTeX source has no picture, and the text no "
            "numbers.",
    ),
)  # fmt: skip
