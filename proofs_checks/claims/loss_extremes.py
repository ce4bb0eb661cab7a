"""The extreme cases of the loss function: Theorems 6 and 7, Remark 1."""

from __future__ import annotations

from itertools import permutations, product

from ...reference.correlations import TransitionMatrix
from ...reference.levels import ZERO
from ...reference.paper.algorithm_1 import algorithm_1
from ...reference.paper.loss import loss_function
from ...solvers.linear_programs.enumeration import enumerated_loss
from ..compared import compared
from ..coverage import members, over
from ..families import EXCESSES, distributions, log, matrices, matrix, shown
from ..provers import identity, prove, sympy_algebra, z3_prover
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, exhausted, require


@evidence(
    EvidenceKind.DECISION,
    "proved for all real d ≤ q in [0, 1], E > 0",
    about=("remark", "thm:algo_extreme1", "thm:algo_extreme2"),
)
def remark_decided() -> str:
    """1 ≤ (qE + 1)/(dE + 1) ≤ 1 + E, that is 0 ≤ L(α) ≤ α; the upper end only at q = 1, d = 0, the lower at q = d."""
    z3 = z3_prover()
    q, d, e = z3.Reals("q d E")
    point = [d >= 0, q >= d, q <= 1, e > 0]
    prove(z3.And(d * e + 1 <= q * e + 1, q * e + 1 <= (1 + e) * (d * e + 1)), *point, what="0 ≤ L ≤ α")
    prove(z3.And(q == 1, d == 0), *point, q * e + 1 == (1 + e) * (d * e + 1), what="L = α only there")
    prove(q == d, *point, q * e + 1 == d * e + 1, what="L = 0 only there")
    return "0 ≤ L ≤ α; L = α iff q = 1, d = 0; L = 0 iff q = d"


@evidence(EvidenceKind.IDENTITY, "general", about=("remark", "thm:algo_extreme1", "thm:algo_extreme2"))
def remark_identity() -> str:
    """(1 + E)(dE + 1) − (qE + 1) = E(1 − q) + dE(1 + E), a sum of terms that are not negative."""
    q, d, e = sympy_algebra().symbols("q d E")
    identity((1 + e) * (d * e + 1) - (q * e + 1), e * (1 - q) + d * e * (1 + e), "α − L")
    return "E(1 − q) + dE(1 + E) ≥ 0"


@evidence(
    EvidenceKind.ENUMERATION, "L by all sets of columns", about=("remark", "thm:algo_extreme1", "thm:algo_extreme2")
)
def extremes_enumerated() -> str:
    """0 ≤ L(α) ≤ α by every subset; L ≡ 0 iff all rows are equal, L(α) = α iff two rows have disjoint supports.

    For n ≤ 3 that is the condition of Theorem 7, a 1 against a 0.
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
    require(by_theorem == identities > 0, f"{identities} with L(α) = α, {by_theorem} by Theorem 7")
    exhausted(tried, 248)
    return f"{tried} matrices, {identities} with L(α) = α, all of them with a 1 against a 0, as n ≤ 3"


@evidence(EvidenceKind.TRANSCRIPTION, "the smallest n, exact", about="thm:algo_extreme2")
def extreme_2_not_necessary() -> str:
    """L(α) = α without any 1 in the matrix: disjoint supports of two elements each, n = 4; for n ≤ 3 it needs a 1.

    Disjoint supports of two rows over three values leave one row a single value.
    """
    rows = matrix("1/2 1/2 0 0", "0 0 1/2 1/2", "1/4 1/4 1/4 1/4", "1/4 1/4 1/4 1/4")
    require(not any(entry == 1 for row in rows.rows for entry in row), "there is a 1")
    for e in over("E", EXCESSES):
        require(enumerated_loss(rows, log(1 + e)).level == log(1 + e), f"E = {e}: L(α) is not α")
        require(algorithm_1(rows, log(1 + e), ZERO) == log(1 + e), f"E = {e}: Algorithm 1 gives another L")
    require(loss_function(rows).is_identity, "the loss function is not the identity")
    return "rows (1/2, 1/2, 0, 0), (0, 0, 1/2, 1/2): e^L = (1·E + 1)/(0·E + 1) = e^α"


@evidence(EvidenceKind.BRUTE_FORCE, "equal rows, by all x on a grid", about="thm:algo_extreme1")
def extreme_1_tried() -> str:
    """With equal rows q·x/d·x = 1 whatever x is, so that L = 0."""
    tried = 0
    for n in over("n", (2, 3, 4)):
        for row in members(f"rows over {n} values in halves", distributions(n, 2)):
            rows = TransitionMatrix((row,) * n)
            require(loss_function(rows).is_zero, f"{shown(rows)}: L is not 0")
            for x in product((1, 2, 5), repeat=n):
                for q, d in permutations(rows.rows, 2):
                    above, below = (sum(a * v for a, v in zip(one, x, strict=True)) for one in (q, d))
                    require(above == below, f"{shown(rows)}, x = {x}: {above}/{below}")
                tried += 1
            require(algorithm_1(rows, log(5), ZERO) == ZERO, f"{shown(rows)}: Algorithm 1 gives more than 0")
    exhausted(tried, 999)
    return f"{tried} values of x"


CLAIMS = (
    PaperClaim(
        "thm:algo_extreme1", Item.THEOREM, "Theorem 6", "No loss", "If all rows are equal, L = 0.", ClaimVerdict.HOLDS,
        corrected="And only then. The proof has Algorithm 1 remove all members of x⁺; there are none to remove, since "
        "none has q_j > d_j.", by_hand="q·x/d·x = 1 where q = d.", errata=("E19",),
    ),
    PaperClaim(
        "thm:algo_extreme2", Item.THEOREM, "Theorem 7", "Full loss",
        "If some rows have q_i = 1 and d_i = 0, L(α) = α.", ClaimVerdict.HOLDS,
        corrected="Sufficient, not necessary: L(α) = α iff two rows have disjoint supports.",
        witness="Rows (1/2, 1/2, 0, 0), (0, 0, 1/2, 1/2) among four.",
        by_hand="x⁺ = {1, 2}: q = 1, d = 0, g = e^α.",
    ),
    PaperClaim(
        "remark", Item.REMARK, "Remark 1", "0 ≤ L(α) ≤ α",
        "The extreme cases bound the loss functions: 0 ≤ L(x) ≤ x.", ClaimVerdict.HOLDS,
        by_hand="(1 + E)(dE + 1) − (qE + 1) = E(1 − q) + dE(1 + E) ≥ 0.",
    ),
)  # fmt: skip
