"""The extreme cases of the loss function: Theorems 6 and 7, Remark 1."""

from __future__ import annotations

from ...reference.paper.loss import loss_function
from ...solvers.linear_programs.enumeration import enumerated_loss
from ..compared import compared
from ..coverage import over
from ..families import EXCESSES, log, matrices, shown
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, exhausted, require


@evidence(EvidenceKind.ENUMERATION, "L by all sets of columns")
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


CLAIMS = (
    PaperClaim(
        "thm:algo_extreme1", Item.THEOREM, "Theorem 6", "No loss", "If all rows are equal, L = 0.", ClaimVerdict.HOLDS,
        corrected="And only then. The proof has Algorithm 1 remove all members of x⁺; there are none to remove, since "
        "none has q_j > d_j.", by_hand="q·x/d·x = 1 where q = d.", errata=("E19",),
        grounds=("loss.extremes_enumerated", "Loss.theorem_6"),
    ),
    PaperClaim(
        "thm:algo_extreme2", Item.THEOREM, "Theorem 7", "Full loss",
        "If some rows have q_i = 1 and d_i = 0, L(α) = α.", ClaimVerdict.HOLDS,
        corrected="Sufficient, not necessary: L(α) = α iff two rows have disjoint supports.",
        witness="Rows (1/2, 1/2, 0, 0), (0, 0, 1/2, 1/2) among four.",
        by_hand="x⁺ = {1, 2}: q = 1, d = 0, g = e^α.",
        grounds=("loss.extremes_enumerated", "Loss.theorem_7"),
    ),
    PaperClaim(
        "remark", Item.REMARK, "Remark 1", "0 ≤ L(α) ≤ α",
        "The extreme cases bound the loss functions: 0 ≤ L(x) ≤ x.", ClaimVerdict.HOLDS,
        by_hand="(1 + E)(dE + 1) − (qE + 1) = E(1 − q) + dE(1 + E) ≥ 0.",
        grounds=("loss.extremes_enumerated", "Loss.remark_1"),
    ),
)  # fmt: skip
