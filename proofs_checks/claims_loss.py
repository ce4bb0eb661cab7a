"""The loss function: the extreme cases, Theorems 6 to 10, Corollary 3, Example 4 and Figure 4.

E = e^α − 1 > 0; q and d are the sums over x⁺, g = (qE + 1)/(dE + 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product

from ..reference.correlations import Row, TransitionMatrix
from ..reference.levels import ZERO
from ..reference.loss import loss_function
from ..reference.polynomial import algorithm_1, optimum
from ..reference.precomputation import algorithm_2
from ..solvers.certificates import loss_function_certificate
from ..solvers.enumeration import enumerated_loss, subsets
from .claims_lfp import FOUR, _accepted, _loss_by_subsets, _meets, _value
from .families import EXCESSES, log, matrices, matrix, of_pair, row_pairs, shown
from .provers import identity, prove, sympy_algebra, z3_prover
from .register import Claim, EvidenceFailed, Item, Kind, Verdict, evidence, exhausted, require

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


# What is claimed

_EXTREMES = (_remark_decided, _remark_identity, _extremes_enumerated)

CLAIMS = (
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
