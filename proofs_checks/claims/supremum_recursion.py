"""The recursion rises to the supremum of Theorem 11 [thm:sup]: how, how fast; Example 5 and Figure 5."""

from __future__ import annotations

from fractions import Fraction

from ...reference.levels import Level
from ...reference.notation import parse_level
from ...reference.paper.loss import loss_function
from ...reference.paper.supremum import supremum
from ..compared import compared, given
from ..coverage import members, over
from ..families import matrix, nats, points
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, require
from ..transcript import printed_matrices
from ..transcriptions import piece

FIRST_STEP_MATRIX = matrix("2/5 3/10 3/10", "4/5 1/5 0", "3/10 3/10 2/5")
"""The first step is ruled by (7/10, 1/5), the supremum for e^ε = 2 by (2/5, 0)."""

FIGURE_5 = range(1272, 1276)
"""The lines of the paper that speak of the four cases of Figure 5."""


@evidence(EvidenceKind.ENUMERATION, "by the recursion")
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


@evidence(EvidenceKind.CERTIFICATE, "cases (c) and (d), by rational invariants")
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
        grounds=("supremum.four_cases", "supremum.figure_invariants"),
    ),
    PaperClaim(
        "fig:example_sup", Item.FIGURE, "Figure 5", "Examples of the maximum BPL over time",
        "BPL over time for four pairs of a matrix and a budget: growing without limit in (a), (b), "
        "to a limit in (c), (d).",
        ClaimVerdict.NOT_REPRODUCIBLE,
        corrected="Found as described with settings of our own: the LaTeX source has no picture, and the text no "
            "numbers.",
        grounds=("supremum.four_cases", "supremum.figure_invariants"),
    ),
)  # fmt: skip
