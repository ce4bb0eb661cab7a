"""What Theorem 11 [thm:sup] and Algorithm 6 say of the leakage itself: an upper bound, infinite where it is bounded.

B is the greatest (P_j·f)/(P_k·f) over likelihoods f of the releases before and pairs of values j, k: BPL = ε + log B.
"""

from __future__ import annotations

from fractions import Fraction

from ...reference.paper.algorithms_2_3 import algorithm_2
from ...reference.paper.leakage import backward_leakage
from ...reference.paper.loss import loss_function
from ...reference.paper.supremum import algorithm_6, supremum
from ...reference.worst_case.leakage import worst_case_leakage, worst_case_supremum
from .. import transcriptions as printed
from ..compared import compared
from ..coverage import over
from ..families import log, matrices, matrix, nats, shown
from ..faults import told
from ..register import EvidenceKind, evidence, exhausted, require
from .leakage_recursions import worst_by_definition

BOUNDED_CHAIN = matrix("7/11 2/11 2/11", "0 0 1", "3/7 2/7 2/7")
"""A chain whose recursion grows without bound at e^ε = 3/2, and its leakage does not."""

HALF_MORE = Fraction(3, 2)


@evidence(EvidenceKind.BRUTE_FORCE, "every sequence of releases, straight from the definition", errata="E36")
def infinite_where_bounded() -> str:
    """Where Theorem 11 has ∞, the recursion passes any bound, and BPL as defined stays below it from some time on."""
    rows, epsilon = BOUNDED_CHAIN, log(HALF_MORE)
    candidates = [
        printed.theorem_11(q, d, HALF_MORE) for f in algorithm_2(rows) for q, d in zip(f.q_sums, f.d_sums, strict=True)
    ]
    require(float("inf") in candidates, f"the printed theorem: {candidates}")
    require(supremum(loss_function(rows), epsilon).level.is_infinite, "the recursion is bounded")
    require(algorithm_6(algorithm_2(rows), epsilon).level.is_infinite, "Algorithm 6 is bounded")
    times = 4
    recursion = backward_leakage([epsilon] * 40, loss_function(rows))
    worst = worst_case_leakage([epsilon] * times, rows).bpl
    for time in over("t", range(1, times + 1)):
        found = worst_by_definition(rows, HALF_MORE, time)
        require(log(found) == worst[time - 1], f"t = {time}: {found} by the definition, {nats(worst[time - 1])} swept")
        require(log(found) <= recursion[time - 1], f"t = {time}: the recursion is exceeded")
    limit = worst_case_supremum(epsilon, rows)
    require(worst[-1] < limit < recursion[times - 1], f"{nats(worst[-1])}, {nats(limit)}")
    compared(("algo:findSup", "E36"), algorithm_6(algorithm_2(rows), epsilon).level, limit, leakage=True)
    return (
        f"rows {shown(rows)}: BPL after {times} releases {nats(worst[-1], 16)}, over an infinite horizon "
        f"{nats(limit, 16)}; the recursion has {nats(recursion[times - 1])} there, {nats(recursion[-1])} after "
        f"{len(recursion)}, and no bound"
    )


@evidence(EvidenceKind.ENUMERATION, "suprema of the recursion beside those of the leakage", errata="E36")
def suprema_are_upper_bounds() -> str:
    """The supremum of Theorem 11 is never below that of the leakage, and infinite for some chains where that is not."""
    tried = equal = infinite = 0
    smallest = ""
    for rows in matrices(2, 4):
        for ratio in over("e^ε", (Fraction(11, 10), Fraction(2))):
            said, worst = supremum(loss_function(rows), log(ratio)).level, worst_case_supremum(log(ratio), rows)
            compared(("algo:findSup", "E36"), said, worst, leakage=True)
            tried, equal = tried + 1, equal + (said == worst)
            if said.is_infinite and not worst.is_infinite:
                infinite, smallest = infinite + 1, smallest or f"{shown(rows)}, e^ε = {ratio}: {worst.exact_text}"
    exhausted(tried, 30)
    rows, three = matrix("0 1", "1/2 1/2"), log(3)
    square = [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*rows.rows, strict=True)]
        for row in rows.rows
    ]
    said, worst = supremum(loss_function(rows), three).level, worst_case_supremum(three, rows)
    compared("E36", said, worst, leakage=True)
    names = {"P^B": rows, "e^ε": 3, "pair": (rows.rows[1][0], rows.rows[0][0]), "printed": said}
    told("E36", names | {"square": square, "sup": worst})
    require(infinite > 0, "no chain of two values is bounded where the theorem has ∞")
    return f"{tried} suprema, {equal} equal, {infinite} infinite where the leakage is bounded, first {smallest}"


CLAIMS = ()
