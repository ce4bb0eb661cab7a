"""The supremum of the recursion: Theorem 11 [thm:sup], the quadratic of its proof, Algorithm 6, Example 5, Figure 5.

φ(A) = a·(q(A − 1) + 1)/(d(A − 1) + 1) is one step of the recursion for one point (q, d) with 1 ≥ q > d ≥ 0.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ...reference.formulas import LinearFractional
from ...reference.levels import Level
from ...reference.notation import parse_level
from ...reference.paper.algorithms_2_3 import algorithm_2
from ...reference.paper.loss import loss_function
from ...reference.paper.supremum import algorithm_6, candidate, supremum
from ...reference.surds import sign
from ...solvers.linear_programs.enumeration import subsets
from .. import transcriptions as printed
from ..compared import compared, given, mended
from ..coverage import members, over
from ..families import log, matrices, matrix, nats, points, shown
from ..faults import Odds, gap, remark, slip, told
from ..provers import identity, sympy_algebra
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, exhausted, raising, require
from ..transcript import printed_matrices
from ..transcriptions import RootOf, Watch, piece

FIRST_STEP_MATRIX = matrix("2/5 3/10 3/10", "4/5 1/5 0", "3/10 3/10 2/5")
"""The first step is ruled by (7/10, 1/5), the supremum for e^ε = 2 by (2/5, 0)."""

FIGURE_5 = range(1272, 1276)
"""The lines of the paper that speak of the four cases of Figure 5."""


@evidence(EvidenceKind.ENUMERATION, "by the recursion")
def four_cases() -> str:
    """The cases of Figure 5: without supremum, or the recursion comes near the formula."""
    lines, names = [], dict[str, Any]()
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
        if name in "bc":
            (piece,) = loss.pieces
            mark = "'" * (name == "c")
            names |= {"pair": (piece.q, piece.d), f"ε{mark}": epsilon, f"e^ε{mark}": Odds(epsilon)}
    told("Example 5", names)
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
    return "both enclosed"


BUDGETS = (Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(5))


def _symbols() -> tuple[Any, Any, Any, Any]:
    return sympy_algebra().symbols("q d a A", positive=True)  # type: ignore[no-any-return]


def _step(q: Any, d: Any, a: Any, point: Any) -> Any:
    value: Any = LinearFractional(q, d).exact([point - 1])
    return a * (1 + value)


@evidence(EvidenceKind.IDENTITY, "general: all q, d, a, A")
def equation() -> str:
    """A − φ(A), with the reference's own formula for φ, has the corrected quadratic for its numerator."""
    q, d, a, point = _symbols()
    quadratic = d * point**2 + (1 - d - q * a) * point - (1 - q) * a
    identity((point - _step(q, d, a, point)) * (d * (point - 1) + 1), quadratic, "the fixed-point equation")
    e = point - 1
    identity(quadratic, d * e**2 + (1 + d - q * a) * e - (a - 1), "the same in the excess")
    return "the same in A and in its excess"


def _points(denominator: int) -> list[tuple[Fraction, Fraction]]:
    return [(Fraction(q, denominator), Fraction(d, denominator)) for q in range(1, denominator + 1) for d in range(q)]


@evidence(EvidenceKind.ENUMERATION, "the budgets log(one/q), and a part of it less and more", errata="E8")
def boundary() -> str:
    """Where q·e^ε is one e^BPL grows by the same at each time, without bound; just below there is a supremum."""
    tiny = Fraction(1, 10**12)
    for tenths in over("10·q", range(1, 10)):
        q = Fraction(tenths, 10)
        two = matrix(f"{q} {1 - q}", "0 1")
        a, loss = 1 / q, loss_function(two)
        level = log(a)
        for t in over("t", range(1, 41)):
            require(level == log(1 + t * (a - 1)), f"q = {q}: BPL_{t} is {level!r}")
            level = loss(level) + log(a)
        require(supremum(loss, log(a)).level.is_infinite, f"q = {q}: a supremum at q e^ε = 1")
        require(supremum(loss, log(a * (1 + tiny))).level.is_infinite, f"q = {q}: a supremum above the boundary")
        below = a * (1 - tiny)
        limit = supremum(loss, log(below)).level
        require(limit == log((1 - q) * below / tiny), f"q = {q}: the supremum just below the boundary is {limit!r}")
    return (
        "at the boundary e^BPL grows by e^ε less one at each time; just below, the supremum is that of the finite case"
    )


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E8")
def boundary_as_printed() -> str:
    """The printed second case includes its boundary: its formula divides by zero, and the leakage has no bound."""
    q, a = Fraction(1, 2), Fraction(2)
    with raising(ZeroDivisionError, "the printed case 2 gives a number at q e^ε = 1"):
        printed.theorem_11(q, Fraction(0), a, divide=lambda above, below: above / below)
    corrected = candidate(q, Fraction(0), log(a))
    require(corrected.is_infinite, "the corrected case 2 is not infinite at q e^ε = 1")
    exists = a <= 1 / q  # ε ≤ log(1/q), as printed
    compared("thm:sup", exists, not corrected.is_infinite)
    slip(
        "E8", exists, not corrected.is_infinite, [(1923, r"\epsilon <\log (1/q)"), (1924, r"\epsilon \geq \log (1/q)")]
    )
    grows = loss_function(matrix(f"{q} {1 - q}", "0 1"))
    steps = [log(a)]
    steps += [grows(steps[0]) + log(a)]
    steps += [grows(steps[1]) + log(a)]
    told("E8", {"q": q, "d": 0, "e^ε": a, "A": Fraction(7, 3), "BPL": steps, "bound": log(a)})
    return "at the boundary the printed case divides by zero; corrected it is ∞"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E9")
def sign_as_printed() -> str:
    """The quadratic printed in the proof is not solved by the supremum; with the other sign in the middle it is."""
    q, d, a = Fraction(1, 2), Fraction(1, 3), Fraction(2)
    root = candidate(q, d, log(a)).ratio
    assert root is not None
    as_printed = printed.equation_39(q, d, a, root)
    corrected = d * root * root - (q * a + d - 1) * root + (q * a - a)
    require(sign(corrected) == 0, f"{root}: corrected {corrected}")
    compared("eq:thm_sup_proof", sign(as_printed), 0)
    slip("E9", sign(as_printed), 0, [(1927, r"d + q{e^\epsilon } - 1}}{{2d}}"), (1247, r"{\tiny \log \frac")])
    told("E9", {"q": q, "d": d, "e^ε": a, "F": Odds(candidate(q, d, log(a)))})
    return f"F = {root}; the printed quadratic is {as_printed} there, the corrected {corrected}"


@evidence(EvidenceKind.IDENTITY, "general", errata="E9")
def printed_quadratic() -> str:
    """The printed quadratic and the fixed-point equation differ in the linear term, and agree only without."""
    q, d, a, point = _symbols()
    as_printed = printed.equation_39(q, d, a, point)
    quadratic = d * point**2 + (1 - d - q * a) * point - (1 - q) * a
    identity(as_printed - quadratic, 2 * (q * a + d - 1) * point, "the difference")
    compared("eq:thm_sup_proof", sympy_algebra().expand(as_printed), sympy_algebra().expand(quadratic))
    return "they differ in the linear term, whose sign is the wrong one"


@evidence(EvidenceKind.ENUMERATION, "all sets of columns")
def pairs_enumerated() -> str:
    """The supremum is the greatest candidate over all ordered pairs and all subsets; Algorithm 6 finds the same."""
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

    So BPL is at most log U at all times, and V bounds nothing. Where nothing bounds it, some step diverges. No code of
    the reference checks.
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
    return f"{bounded} bounded and {divergent} divergent certificates"


@evidence(
    EvidenceKind.TRANSCRIPTION, "the pair of the first step against the pair of the supremum, exact", errata="E10"
)
def pair_of_the_first_step() -> str:
    """With the (q, d) that is optimal at the first step the formula understates the supremum."""
    a = Fraction(2)
    loss = loss_function(FIRST_STEP_MATRIX)
    first = loss.piece_at(log(a))
    understated = candidate(first.q, first.d, log(a))
    found = supremum(loss, log(a))
    require((first.q, first.d) == (Fraction(7, 10), Fraction(1, 5)), f"the first step's pair is {first.q}, {first.d}")
    require(found.level == log(6), f"the supremum is {found.level!r}")
    witness = loss.piece_at(found.level)
    best = piece(first.q, first.d, a) > piece(witness.q, witness.d, a)
    gap("E10", premise=best, conclusion=understated >= found.level, comes_out=(understated, found.level))
    names = {"P": FIRST_STEP_MATRIX, "e^ε": a, "e^α": a, "first": (first.q, first.d), "best": (witness.q, witness.d)}
    names |= {
        "candidate": understated,
        "sup": found.level,
        "g": piece(first.q, first.d, a),
        "h": piece(witness.q, witness.d, a),
    }
    told("E10", names)
    value = log(a)
    for _ in range(12):
        value = loss(value) + log(a)
    require(value > understated, "the recursion does not pass the understated value")
    by_form = printed.theorem_11(first.q, first.d, a)
    require(isinstance(by_form, RootOf) and not by_form.exceeds(Fraction(4)), "the printed form exceeds 4")
    return f"by the first step's pair {nats(understated)}; the supremum is {nats(found.level)}"


@evidence(EvidenceKind.TRANSCRIPTION, "equal rows and one state, exact", errata="E12")
def algorithm_6_from_zero() -> str:
    """Algorithm 6 as printed starts from zero, which it returns where there is no pair of rows; it should be ε."""
    a = Fraction(3, 2)
    one = matrix("1")
    as_printed = printed.algorithm_6(a, printed.algorithm_2(one, Watch()))
    require(as_printed == 1, f"as printed the supremum for one state is log {as_printed}")
    corrected = algorithm_6(algorithm_2(one), log(a)).level
    assert isinstance(as_printed, Fraction)
    remark("E12", log(as_printed), corrected)
    told("E12", {"q": 0, "e^ε": a, "ε": corrected, "printed": log(as_printed)})
    require(corrected == log(a), f"corrected: {corrected!r}")
    equal = matrix("1/2 1/2", "1/2 1/2")
    with raising(ZeroDivisionError, "log(1/q) at q = 0 gives a number"):
        printed.algorithm_6(a, printed.algorithm_2(equal, Watch()), divide=lambda above, below: above / below)
    require(algorithm_6(algorithm_2(equal), log(a)).level == log(a), "corrected, equal rows: not ε")
    return "one state: nothing is printed for ε; equal rows: the formula divides by zero"


CLAIMS = (
    PaperClaim(
        "Example 5", Item.EXAMPLE, "Example 5", "The supremum of BPL over time",
        "In (a) and (b) of the figure there is no supremum; in (c) and (d) [thm:sup] gives it and stepping agrees.",
        ClaimVerdict.NOT_REPRODUCIBLE,
        corrected="Found with settings of our own: neither the text nor the source, which has no picture, gives the "
            "matrices and budgets.",
        grounds=("supremum.four_cases", "supremum.figure_invariants"),
    ),
    PaperClaim(
        "fig:example_sup", Item.FIGURE, "Figure 5", "Examples of the maximum BPL over time",
        "BPL over time for pairs of a matrix and a budget: growing without limit in (a), (b), "
        "to a limit in (c), (d).",
        ClaimVerdict.NOT_REPRODUCIBLE,
        corrected="Found as described with settings of our own: the LaTeX source has no picture, and the text no "
            "numbers.",
        grounds=("supremum.four_cases", "supremum.figure_invariants"),
    ),
    PaperClaim(
        "eq:thm_sup_proof", Item.EQUATION, "Eq. (39)", "The quadratic of the supremum",
        "“dF^2+(qe^ε + d -1)F + (qe^ε - e^ε ) = 0” for F = e^sup.",
        ClaimVerdict.FALSE,
        errata=("E9",),
        grounds=("supremum.sign_as_printed", "supremum.printed_quadratic"),
        checks=("quoted.formulas_as_printed", "supremum.equation"),
    ),
    PaperClaim(
        "thm:sup", Item.THEOREM, "Theorem 11", "The supremum of leakage over time",
        "With a budget ε at every time BPL (or FPL) has one of the printed suprema, by the (q, d) of the maximum in "
        "[eq:lfp_sol_b].",
        ClaimVerdict.CORRECTED,
        errata=("E8", "E10", "E12", "E36"),
        grounds=("supremum.boundary_as_printed", "supremum.pairs_enumerated"),
        checks=("quoted.formulas_as_printed", "supremum.equation", "supremum.invariants"),
    ),
    PaperClaim(
        "algo:findSup", Item.ALGORITHM, "Algorithm 6", "Find the supremum",
        "Try every (q, d) of qM and dM in [thm:sup] and keep the greatest, starting from “sup =0”.",
        ClaimVerdict.UPPER_BOUND,
        corrected="The supremum of the recursion, and of the leakage an upper bound, which may be ∞ where that is "
        "bounded. That it tries all points is what makes it right. For one state, with no pair, it must start at ε.",
        errata=("E12", "E36"),
        grounds=("supremum.suprema_are_upper_bounds", "supremum.infinite_where_bounded"),
        checks=("supremum.invariants",),
    ),
)  # fmt: skip
