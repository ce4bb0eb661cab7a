"""Which pair of rows rules the supremum: Theorem 11 [thm:sup] over all points, and Algorithm 6."""

from __future__ import annotations

from fractions import Fraction

from ...reference.paper.algorithms_2_3 import algorithm_2
from ...reference.paper.loss import loss_function
from ...reference.paper.supremum import algorithm_6, candidate, supremum
from ...solvers.linear_programs.enumeration import subsets
from .. import transcriptions as printed
from ..compared import compared, mended
from ..coverage import over
from ..families import log, matrices, matrix, nats, points, shown
from ..register import ClaimVerdict, EvidenceFailed, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from ..transcriptions import RootOf, Watch
from .supremum_cases import BUDGETS
from .supremum_recursion import FIRST_STEP_MATRIX


@evidence(EvidenceKind.ENUMERATION, "all sets of columns")
def pairs_enumerated() -> str:
    """The supremum is the greatest candidate over all ordered pairs and all 2^n subsets; Algorithm 6 finds the same."""
    tried = infinite = 0
    for rows in matrices(3, 3):
        for a in over("e^ε", BUDGETS[:3]):
            epsilon = log(a)
            greatest = epsilon
            for q_row in set(rows.rows):
                for d_row in set(rows.rows) - {q_row}:
                    for chosen in subsets(3):
                        q, d = (sum((row[j] for j in chosen), Fraction(0)) for row in (q_row, d_row))
                        if q > d:
                            greatest = max(greatest, candidate(q, d, epsilon))
            found = supremum(loss_function(rows), epsilon).level
            mended("thm:sup", found, greatest)
            require(algorithm_6(algorithm_2(rows), epsilon).level == found, f"{shown(rows)}: Algorithm 6 differs")
            tried += 1
            infinite += found.is_infinite
    exhausted(tried, 660)
    return f"{tried} suprema, {infinite} of them infinite, equal the greatest candidate over all subsets"


@evidence(EvidenceKind.CERTIFICATE, "by fractions, from all sets of columns")
def invariants() -> str:
    """No subset's step exceeds a rational U just above the supremum; some step exceeds a rational V just below it.

    `bounded`: e^ε·g_S(U) ≤ U for every pair and subset S proves BPL_t ≤ log U for all t. Lower twin: some S has
    e^ε·g_S(V) > V, so V bounds nothing. `divergent`: some S has d = 0 and q e^ε ≥ 1. No code of the reference checks.
    """
    bounded = divergent = 0
    for n in (2, 3):
        for rows in matrices(n, 3):
            sums = points(rows.rows)
            for a in over("e^ε", BUDGETS[:3]):
                level = supremum(loss_function(rows), log(a)).level
                if level.is_infinite:
                    divergent += 1
                    require(any(d == 0 and q * a >= 1 for q, d in sums), f"{shown(rows)}, {a}: nothing diverges")
                    continue
                bounded += 1
                low, high = (1 + bound for bound in level.excess_bounds(80))
                upper = high + Fraction(1, 2**60)
                kept = all(a * (q * (upper - 1) + 1) <= upper * (d * (upper - 1) + 1) for q, d in sums)
                require(kept and upper >= a, f"{shown(rows)}, e^ε = {a}: {float(upper)} is no invariant")
                lower = low - Fraction(1, 2**60)
                passed = any(a * (q * (lower - 1) + 1) > lower * (d * (lower - 1) + 1) for q, d in sums)
                require(passed, f"{shown(rows)}, e^ε = {a}: {float(lower)} is a smaller bound")
    return f"{bounded} bounded and {divergent} divergent certificates; V and U are within 2^−59 of each other"


@evidence(
    EvidenceKind.TRANSCRIPTION, "the pair of the first step against the pair of the supremum, exact", errata="E10"
)
def pair_of_the_first_step() -> str:
    """With the (q, d) that is optimal at the first step the formula understates the supremum: 1.3327 against log 6."""
    a = Fraction(2)
    loss = loss_function(FIRST_STEP_MATRIX)
    first = loss.piece_at(log(a))
    understated = candidate(first.q, first.d, log(a))
    found = supremum(loss, log(a))
    require((first.q, first.d) == (Fraction(7, 10), Fraction(1, 5)), f"the first step's pair is {first.q}, {first.d}")
    require(found.level == log(6), f"the supremum is {found.level!r}")
    compared("E10", understated, found.level, leakage=True)
    value = log(a)
    for _ in range(12):
        value = loss(value) + log(a)
    require(value > understated, "the recursion does not pass the understated value")
    by_form = printed.theorem_11(first.q, first.d, a)
    require(isinstance(by_form, RootOf) and not by_form.exceeds(Fraction(4)), "the printed form exceeds 4")
    return (
        f"first step's pair (7/10, 1/5): {nats(understated)}; the supremum is log 6 = {nats(found.level)}, by (2/5, 0)"
    )


@evidence(EvidenceKind.TRANSCRIPTION, "two witnesses, exact", errata="E12")
def algorithm_6_from_zero() -> str:
    """Algorithm 6 as printed starts from sup = 0, which it returns where there is no pair of rows; it should be ε."""
    a = Fraction(3, 2)
    one = matrix("1")
    as_printed = printed.algorithm_6(a, printed.algorithm_2(one, Watch()))
    require(as_printed == 1, f"as printed the supremum for one state is log {as_printed}")
    corrected = algorithm_6(algorithm_2(one), log(a)).level
    assert isinstance(as_printed, Fraction)
    compared("E12", log(as_printed), corrected, leakage=True)
    require(corrected == log(a), f"corrected: {corrected!r}")
    equal = matrix("1/2 1/2", "1/2 1/2")
    try:
        printed.algorithm_6(a, printed.algorithm_2(equal, Watch()), divide=lambda above, below: above / below)
    except ZeroDivisionError:
        pass
    else:
        raise EvidenceFailed("log(1/q) at q = 0 gives a number")
    require(algorithm_6(algorithm_2(equal), log(a)).level == log(a), "corrected, equal rows: not ε")
    return "P = (1), e^ε = 3/2: printed 0, true log(3/2); equal rows: q = 0, and log(1/q) divides by zero"


CLAIMS = (
    PaperClaim(
        "thm:sup", Item.THEOREM, "Theorem 11", "The supremum of leakage over time",
        "With a budget ε at every time BPL (or FPL) has one of four suprema, by the (q, d) that gives the maximum of "
        "[eq:lfp_sol_b].",
        ClaimVerdict.CORRECTED,
        corrected="For every point (q_S, d_S), q > d, of every ordered pair of rows: d > 0 gives the printed root; d "
        "= 0 and q·e^ε < 1 gives (1 − q)e^ε/(1 − q·e^ε); d = 0 and q·e^ε ≥ 1 gives ∞. The supremum of the recursion "
        "is the greatest of these over all points, equivalently the candidate of the point that is optimal at the "
        "supremum itself; ε where all rows are equal. The recursion rises to it and no smaller number bounds it. Of "
        "the leakage itself it is an upper bound, and may be ∞ where the leakage is bounded.",
        witness="Boundary: rows (1/2, 1/2), (0, 1), e^ε = 2 has e^{BPL_t} = 1 + t, without bound. Pair: rows "
        "(2/5, 3/10, 3/10), (4/5, 1/5, 0), (3/10, 3/10, 2/5), e^ε = 2: the first step's pair (7/10, 1/5) gives "
        "log((3 + √21)/2) = 1.3327, the supremum is log 6 = 1.7918. ∞: rows (0, 1), (1/2, 1/2), e^ε = 2 leak at most "
        "log(2 + √5) over an infinite horizon.",
        by_hand="Boundary: L(A) = (A − 1)/2 + 1, so A ↦ 2·((A − 1)/2 + 1) = A + 1. Pair: at A = 6 the point (2/5, 0) "
        "gives 2·(2/5·5 + 1) = 6; at A = 2 the point (7/10, 1/5) gives 1.7/1.2 > 1.4. From A = 4, say: "
        "2·(2/5·3 + 1) = 4.4 > 3.79 = (3 + √21)/2, so the recursion passes the first step's value.",
        errata=("E8", "E10", "E12", "E36"),
        grounds=("supremum.boundary_as_printed", "supremum.pairs_enumerated"),
        checks=("quoted.formulas_as_printed", "supremum.equation", "supremum.invariants"),
    ),
    PaperClaim(
        "algo:findSup", Item.ALGORITHM, "Algorithm 6", "Find the supremum",
        "Try every (q, d) of qM and dM in Theorem 11 and keep the greatest, starting from 0.",
        ClaimVerdict.UPPER_BOUND,
        corrected="The supremum of the recursion, and of the leakage an upper bound, which may be ∞ where that is "
        "bounded. That it tries all points is what makes it right. For one state, with no pair, it must start at ε.",
        witness="Rows (0, 1), (1/2, 1/2), e^ε = 3: ∞, and BPL ≤ log 18.",
        by_hand="P² has rows (1/2, 1/2), (1/4, 3/4): two steps back likelihoods differ by at most 2, and two outputs "
        "add at most 2ε.",
        errata=("E12", "E36"),
        grounds=("supremum.suprema_are_upper_bounds", "supremum.infinite_where_bounded"),
        checks=("supremum.invariants",),
    ),
)  # fmt: skip
