"""Algorithms 1 to 5 as printed and corrected, and the worked example of Algorithm 2."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import permutations
from math import inf
from operator import truediv

from ...reference.levels import ZERO
from ...reference.paper.algorithm_1 import algorithm_1
from ...reference.paper.algorithms_2_3 import algorithm_2, algorithm_3
from ...reference.paper.algorithms_4_5 import algorithm_4, algorithm_5
from ...reference.paper.loss import loss_function
from ...solvers.linear_programs.enumeration import enumerated_loss
from .. import transcriptions as printed
from ..compared import compared, mended
from ..coverage import counted, over
from ..families import EXAMPLE_4, EXCESSES, TWO, log, matrices, matrix, of_pair, row_pairs, shown
from ..faults import remark, slip, told
from ..provers import identity, sympy_algebra
from ..register import (
    ClaimVerdict,
    EvidenceFailed,
    EvidenceKind,
    Item,
    PaperClaim,
    evidence,
    exhausted,
    raising,
    require,
)
from ..transcript import printed_line
from ..transcriptions import Looping, NoIndex, Watch, divided
from .lfp_conditions import corner_value

ONE = Fraction(1)

WORKED = matrix("1/5 3/10 1/2", "1/10 0 9/10", "1/10 0 9/10")
"""The rows q and d of the worked example of Algorithm 2."""


@evidence(EvidenceKind.TRANSCRIPTION, "exhausted in order, until one loops", errata="E2")
def algorithm_1_loops() -> str:
    """Once an index has been removed, the flag `update` stays true: the loop comes back to the same state forever.

    With the flag set back at each turn the same input gives the value found by trying every subset.
    """
    for q, d in row_pairs(2, 6):
        printed.algorithm_1(of_pair(q, d), Fraction(10), ONE, Watch(), mended={3})
    for denominator in (2, 3, 4, 5):
        for q, d in row_pairs(3, denominator):
            rows = of_pair(q, d)
            for alpha in over("e^α", (Fraction(2), Fraction(10))):
                try:
                    printed.algorithm_1(rows, alpha, ONE, Watch(), mended={3})
                except Looping as loop:
                    right = printed.algorithm_1(rows, alpha, ONE, Watch(), mended={3, 6})
                    true = enumerated_loss(rows, log(alpha)).ratio
                    require(right == true, f"{shown(rows)}: mended {right}, true {true}")
                    require(algorithm_1(rows, log(alpha), ZERO) == log(right), f"{shown(rows)}: the reference differs")
                    state = str(loop).split("before: ")[1]
                    compared("algo:cal_bpl", "the value", "no end")
                    slip("E2", "no end", "the value", [(952, "do the loop again until every pairs")])
                    one, other = (q, d) if state.startswith("(1, 2") else (d, q)
                    chosen = [j for j in range(3) if one[j] > other[j]]
                    values = {"q": one, "d": other, "columns": [j + 1 for j in chosen], "e^α": alpha}
                    told("E2", values | {"g": corner_value(one, other, chosen, alpha - 1), "second": one[1] / other[1]})
                    return f"smallest: {shown((q, d))}, e^α = {alpha}: (q, d, x⁺, update) is again {state}"
    raise EvidenceFailed("no input of the family loops")


@evidence(EvidenceKind.TRANSCRIPTION, "the smallest matrix, exact", errata="E2")
def algorithm_1_divides_by_zero() -> str:
    """Where d_j is zero q_j/d_j has no value; read as +∞ the strongest correlation gives L(α) = α."""
    rows = matrix("1 0", "0 1")
    with raising(ZeroDivisionError, "no division by zero"):
        printed.algorithm_1(rows, Fraction(2), ONE, Watch(), divide=truediv, mended={3})
    found = printed.algorithm_1(rows, Fraction(2), ONE, Watch(), divide=divided, mended={3})
    require(found == 2, "read as +∞: another value")
    require(algorithm_1(rows, log(2), ZERO) == log(2), "the reference differs")
    return "the strongest correlation divides by zero; read as +∞ it gives L(α) = α"


@evidence(EvidenceKind.TRANSCRIPTION, "one matrix, exact", errata="E49")
def algorithm_1_keeps_columns() -> str:
    """Nothing empties q⁺ and d⁺ for the next pair of rows: columns of earlier pairs stay, and L comes out greater."""
    rows, alpha = matrix("4/5 1/5", "1/5 4/5"), TWO
    as_printed = printed.algorithm_1(rows, alpha, ONE, Watch())
    right = printed.algorithm_1(rows, alpha, ONE, Watch(), mended={3})
    require(right == enumerated_loss(rows, log(alpha)).ratio, f"emptied for each pair: {right}")
    slip("E49", log(as_printed), log(right), [(945, "to solve a single linear-fractional programming")], leakage=True)
    own = (rows.rows[0][0], rows.rows[1][0])
    told("E49", {"P": rows, "e^α": alpha, "own": own, "printed": as_printed, "L": log(right)})
    return f"rows {shown(rows)}, e^α = {alpha}: e^L = {right}, as printed {as_printed}"


@evidence(EvidenceKind.TRANSCRIPTION, "the worked example, exact", errata="E4")
def worked_example() -> str:
    """The worked example's aArr has the values of the text only with the summand that the printed line lacks."""
    q_arr, d_arr, as_printed = printed.algorithm_2(WORKED, Watch())[0]
    mended = printed.algorithm_2(WORKED, Watch(), mended={11})[0][2]
    require(q_arr[:2] == [Fraction(3, 10), Fraction(1, 2)] and d_arr[:2] == [0, Fraction(1, 10)], f"{q_arr}, {d_arr}")
    require(as_printed[:2] == [inf, Fraction(10, 3)] and as_printed[2] != as_printed[2], f"{as_printed}")
    require(mended[:2] == [inf, Fraction(13, 3)], f"{mended}")
    bounds = log(Fraction(13, 3)).enclosure(3), log(Fraction(10, 3)).enclosure(3)
    require(str(bounds[0].upper) == "1.47" and str(bounds[1].lower) == "1.2", f"{bounds}")
    require(algorithm_2(WORKED)[0].transitions == (None, Fraction(10, 3)), "the reference's transition")
    require(
        algorithm_2(WORKED)[0].at(log(Fraction(13, 3))).indices == (1,), "at its transition a column is still there"
    )
    return f"printed formula: {bounds[1].lower}; with the summand {bounds[0].upper}, as the text has it"


@evidence(EvidenceKind.TRANSCRIPTION, "one matrix, exact", errata="E58")
def algorithm_2_in_place() -> str:
    """Where the rows of P are what the lines for one pair change, nothing is left of a pair that comes later."""
    given, alpha = matrix("9/10 1/10", "1/5 4/5"), TWO
    rows, values, none = [list(row) for row in given.rows], [], Fraction(0)
    for q, d in permutations(rows, 2):
        for j in range(given.n):
            if q[j] <= d[j]:
                q[j] = d[j] = none
        values.append(printed.piece(sum(q, none), sum(d, none), alpha))  # of one column at most: no set is to be found
    arrays = printed.algorithm_2(given, Watch(), mended={11})
    first, second = (printed.algorithm_3(alpha, [own], ONE, Watch(), mended={4, 5}) for own in arrays)
    require(max(first, second) == enumerated_loss(given, log(alpha)).ratio and values == [first, 1], f"{values}")
    remark("E58", log(max(values)), log(max(first, second)))
    told("E58", {"P": given, "e^α": alpha, "first": first, "second": second})
    return f"rows {shown(given)}, e^α = {alpha}: e^L = {max(first, second)}, with changed rows {max(values)}"


@evidence(EvidenceKind.IDENTITY, "general")
def plus_one() -> str:
    """At the printed transition the value is not q_i/d_i; with the summand that is missing it is."""
    q, d, q_i, d_i = sympy_algebra().symbols("q d q_i d_i")
    quotient = (q_i - d_i) / (q * d_i - d * q_i)
    mended("Worked example of Algorithm 2", identity((q * quotient + 1) / (d * quotient + 1), q_i / d_i, "+ 1"), True)
    with raising(EvidenceFailed, "the printed formula is a transition point as well"):
        identity((q * (quotient - 1) + 1) / (d * (quotient - 1) + 1), q_i / d_i, "without")
    return "the printed quotient is that of the excess"


@evidence(EvidenceKind.TRANSCRIPTION, "the worked example, exact", errata="E4")
def understates() -> str:
    """With the printed transition points Algorithm 3, itself put right, takes too few columns: less than the truth."""
    alpha = Fraction(4)
    wrong = printed.algorithm_3(alpha, printed.algorithm_2(WORKED, Watch())[:1], ONE, Watch(), mended={4, 5})
    right = printed.algorithm_3(
        alpha, printed.algorithm_2(WORKED, Watch(), mended={11})[:1], ONE, Watch(), mended={4, 5}
    )
    true = max(
        printed.piece(q, d, alpha) for q, d in ((Fraction(3, 10), Fraction(0)), (Fraction(1, 2), Fraction(1, 10)))
    )
    require(right == true, f"with + 1 {right}, true {true}")
    compared("algo:precomp1", wrong, true, leakage=True)
    meant = [(1013, r"+1 \right)$"), (1083, "[Inf,1.47,NaN]")]
    slip("E4", wrong, true, meant, leakage=True)
    q, d = WORKED.rows[:2]
    (q_arr, d_arr, given), end = printed.algorithm_2(WORKED, Watch())[0], Fraction(13, 3)
    names = {"q_i": q[0], "d_i": d[0], "qArr[i]": q_arr[1], "dArr[i]": d_arr[1], "aArr[i]": log(end), "e^α": alpha}
    names |= {"left": (q_arr[0], d_arr[0]), "both": (q_arr[1], d_arr[1]), "wrong": wrong, "true": true, "q": q, "d": d}
    told("E4", names | {"printed": log(Fraction(given[1]))})
    return f"e^L = {wrong} as printed, {right} in truth: a privacy guarantee that does not hold"


@evidence(EvidenceKind.TRANSCRIPTION, "the worked example, exact", errata=("E5", "E38"))
def orders_differ() -> str:
    """Algorithm 2's aArr falls from Inf, the text's to nothing: the same index means another entry."""
    a_arr = printed.algorithm_2(WORKED, Watch(), mended={11})[0][2]
    printed_line(1037, r"$aArr=[ \alpha_{k-1}, ...,  0 ] $")
    printed_line(1083, r"\textit{aArr}= [Inf,1.47,NaN]")
    require(a_arr[0] == inf and a_arr[1] == Fraction(13, 3), f"{a_arr}")
    first, second = re.findall(r"\\bm\{(q|d)\}=\[", printed_line(1082))
    compared("Worked example of Algorithm 2", (first, second), ("q", "d"))
    slip("E38", (first, second), ("q", "d"), [(1081, r"\bm{d}=[0.1,0,0.9]")])
    slip(
        "E5", [a_arr[1], Fraction(0)], a_arr[:2], [(1096, r"{\textit{aArr}[k]} >$  \alpha \geq $ {\textit{aArr}[k+1]}")]
    )
    told("E5", {"α": log(2), "entry": log(Fraction(a_arr[1])), "step": 1})
    return "the numbers of the text are not those of Algorithm 2; and q is written for d in the second vector"


@evidence(EvidenceKind.BRUTE_FORCE, "at and beside every transition point, against the best of all subsets")
def algorithm_2_against_subsets() -> str:
    """The corrected qM, dM, aM give the optimum of every pair at, and on both sides of, each of its transitions."""
    tried = 0
    for q, d in row_pairs(3, 6):
        rows = of_pair(q, d)
        function = algorithm_2(rows)[0]
        for point in function.transitions:
            if point is None:
                continue
            counted("transition points")
            for e in (point / 2, point, point + 1):
                found = function.at(log(1 + e))
                best = max(
                    printed.piece(sum((q[j] for j in s), Fraction(0)), sum((d[j] for j in s), Fraction(0)), 1 + e)
                    for size in range(4)
                    for s in permutations(range(3), size)
                )
                mended("algo:precomp1", printed.piece(found.q, found.d, 1 + e), best)
                tried += 1
    exhausted(tried, 450)
    return f"{tried} values"


@evidence(EvidenceKind.TRANSCRIPTION, "as printed but for its index; then one witness, exact", errata="E6")
def algorithm_3_divides_by_itself() -> str:
    """Algorithm 3 divides qArr by qArr: as printed the result is ε_t whatever the correlation is."""
    epsilon, tried = Fraction(3, 2), 0
    for rows in matrices(2, 4):
        for e in over("E", EXCESSES):
            found = printed.algorithm_3(
                1 + e, printed.algorithm_2(rows, Watch(), mended={11}), epsilon, Watch(), mended={4}
            )
            require(found == epsilon, f"{shown(rows)}: {found}")
            tried += 1
    rows = matrix("1 0", "0 1")
    true = enumerated_loss(rows, log(2)).level + log(epsilon)
    require(algorithm_3(algorithm_2(rows), log(2), log(epsilon)) == true, "the reference differs")
    as_printed = printed.algorithm_3(
        Fraction(2), printed.algorithm_2(rows, Watch(), mended={11}), epsilon, Watch(), mended={4}
    )
    compared("algo:calc_precomp", log(as_printed), true, leakage=True)
    slip("E6", log(as_printed), true, [(1026, r"d^k = \sum\nolimits_{i=1}^{k}d_i")], leakage=True)
    told("E6", {"P": rows, "e^α": TWO, "e^ε": epsilon, "printed": log(as_printed), "true": true})
    exhausted(tried, 45)
    return f"{tried} times ε_t; {shown(rows)}: printed {log(as_printed).exact_text}, true {true.exact_text}"


@evidence(EvidenceKind.TRANSCRIPTION, "the worked example and equal rows, exact", errata="E5")
def algorithm_3_finds_no_index() -> str:
    """With aArr as Algorithm 2 makes it no index is found below the last transition."""
    arrays = printed.algorithm_2(WORKED, Watch(), mended={11})[:1]
    cases = [(arrays, Fraction(2)), (printed.algorithm_2(matrix("1/2 1/2", "1/2 1/2"), Watch()), Fraction(2))]
    for case, alpha in cases:
        with raising(NoIndex, f"an index is found for {case}"):
            printed.algorithm_3(alpha, case, ONE, Watch())
    found = printed.algorithm_3(Fraction(2), arrays, ONE, Watch(), mended={4, 5})
    require(found == Fraction(3, 2) / Fraction(11, 10), f"with a last entry 0: {found}")
    require(algorithm_3(algorithm_2(matrix("1/2 1/2", "1/2 1/2")), log(2), ZERO) == ZERO, "the reference differs")
    return "no k for an α below the example's numbers, NaN being less than nothing; nor for the zeros of equal rows"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness each, exact", errata="E7")
def algorithm_4_faults() -> str:
    """Both calls of Algorithm 2 have what it does not take, and one divides zero by zero where both ends are the same.

    At the left end from where the text runs it all functions are equal: it takes one for the whole interval.
    """
    rows = matrix("4/5 1/5", "1/10 9/10")
    arrays = printed.algorithm_2(rows, Watch(), mended={11})
    with raising(TypeError, "lines 2 and 3 can be run as printed"):
        printed.algorithm_4(rows, Fraction(2), Fraction(3), arrays, Watch())
    with raising(ZeroDivisionError, "k = 0/0 has a value"):
        printed.algorithm_4(rows, Fraction(2), Fraction(3), arrays, Watch(), mended={2}, divide=truediv)
    require(len(algorithm_4(algorithm_2(rows), Fraction(1), Fraction(2))) == 1, "the reference differs")
    arrays, loss = printed.algorithm_2(EXAMPLE_4, Watch(), mended={11}), loss_function(EXAMPLE_4)
    whole = printed.algorithm_4(EXAMPLE_4, Fraction(1), Fraction(11), arrays, Watch(), mended={2})
    require(len(whole) == 1 and len(loss.pieces) == 2, f"from a_1 = 0: {whole}")
    at = [log(printed.piece(whole[0][0], whole[0][1], a)) for a in (Fraction(2), Fraction(11))]
    true = [loss(log(a)) for a in (2, 11)]
    compared("algo:gen_L_func", at, true)
    slip("E7", at[0], true[0], [(1175, r"$ 0<a_1 \leq a_m$")], leakage=True)
    wrong = printed.piece(whole[0][0], whole[0][1], TWO)
    (piece,) = algorithm_4(algorithm_2(rows), Fraction(1), Fraction(2))
    told(
        "E7",
        {"P": rows, "piece": (piece.q, piece.d), "e^{a_m}": 11, "wrong": wrong, "true": loss(log(2)).ratio, "e^α": TWO},
    )
    safe = algorithm_4(algorithm_2(EXAMPLE_4), Fraction(1, 10**6), Fraction(10))
    require([piece.end for piece in safe] == [Fraction(10, 3), Fraction(10)], f"{safe}")
    return f"Example 4 from zero: {len(whole)} function, which understates L; from a small left end {len(safe)}"


@evidence(EvidenceKind.ENUMERATION, "Example 4 as well; from the first E to the last")
def algorithm_4_is_l() -> str:
    """Algorithms 4 and 5 corrected give L: the same as the whole loss function, level by level."""
    tried = 0
    for rows in (*matrices(3, 3), EXAMPLE_4):
        function, loss = algorithm_4(algorithm_2(rows), Fraction(1, 50), Fraction(60)), loss_function(rows)
        for e in over("E", (Fraction(1, 50), *EXCESSES, Fraction(10, 3), Fraction(60))):
            mended(("algo:gen_L_func", "algo:cal_bpl_func"), algorithm_5(function, log(1 + e), ZERO), loss(log(1 + e)))
            tried += 1
    exhausted(tried, 1_326)
    return f"{tried} levels"


@evidence(EvidenceKind.TRANSCRIPTION, "Example 4, exact", errata="E34")
def algorithm_5_finds_no_index() -> str:
    """Algorithm 4 makes aArr ascend, so that no index meets the printed condition; the first end not below α is meant.

    The text names the top function of the wrong end; the algorithm stores the right one.
    """
    rows = EXAMPLE_4
    arrays = printed.algorithm_2(rows, Watch(), mended={11})
    function = printed.algorithm_4(rows, Fraction(11, 10), Fraction(11), arrays, Watch(), mended={2})
    require([end for _, _, end in function] == [Fraction(13, 3), Fraction(11)], f"{function}")
    for alpha in over("e^α", (Fraction(2), Fraction(5), Fraction(11))):
        try:
            printed.algorithm_5(alpha, function, ONE, Watch())
        except NoIndex:
            compared("algo:cal_bpl_func", "an index", "none")
            slip("E34", "an index", "none", [(1209, "$  aArr $ is sorted"), (1192, r"qArr= \left[q^m\right]")])
            continue
        raise EvidenceFailed(f"an index is found for {alpha}")
    corrected = algorithm_4(algorithm_2(rows), Fraction(1, 10), Fraction(10))
    require(algorithm_5(corrected, log(2), ZERO) == enumerated_loss(rows, log(2)).level, "the reference differs")
    ends = [log(end) for _, _, end in function]
    told("E34", {"aArr": ends, "α": log(2), "next": ends[1]})
    return "aArr ascends: no index for any α; corrected, L is that of all subsets"


CLAIMS = (
    PaperClaim("algo:cal_bpl", Item.ALGORITHM, "Algorithm 1", "L by conditions",
        "Remove indices that fail [eq:cond1] until none does; take the greatest over all pairs.",
        ClaimVerdict.CORRECTED,
        errata=("E2", "E49", "E51"), also=("algo:iterate", "algo:findtpl:update"),
        grounds=("algorithms.algorithm_1_loops", "lfp.loss_by_subsets")),
    PaperClaim("algo:precomp1", Item.ALGORITHM, "Algorithm 2", "The parameters of all pairs",
        "Sort by q_j/d_j, sum up, and note at which α each last column leaves.", ClaimVerdict.CORRECTED,
        errata=("E4", "E5", "E58"),
        grounds=("algorithms.understates", "algorithms.algorithm_2_against_subsets"),
        checks=("quoted.formulas_as_printed",)),
    PaperClaim("Worked example of Algorithm 2", Item.EXAMPLE, "Section 4.3", "A pair of rows",
        "Sorted “q=[0.3,0.2,0]” and “q=[0,0.1,0]”, and then “aArr = [Inf,1.47,NaN]”.", ClaimVerdict.CORRECTED,
        witness="The example.", errata=("E4", "E5", "E38"),
        grounds=("algorithms.orders_differ", "algorithms.plus_one"),
        checks=("quoted.matrices_as_printed",)),
    PaperClaim("algo:calc_precomp", Item.ALGORITHM, "Algorithm 3", "L from the parameters",
        "Find each pair's entry by binary search and take the greatest value.", ClaimVerdict.CORRECTED,
        errata=("E5", "E6"),
        grounds=("algorithms.algorithm_3_divides_by_itself", "lfp.loss_by_subsets"),
        checks=("quoted.formulas_as_printed",)),
    PaperClaim("algo:gen_L_func", Item.ALGORITHM, "Algorithm 4", "L on [a_1, a_m]",
        "Cut where the top functions of both ends cross, until both ends have the same.", ClaimVerdict.CORRECTED,
        errata=("E7", "E45", "E47"),
        grounds=("algorithms.algorithm_4_faults", "algorithms.algorithm_4_is_l")),
    PaperClaim("algo:cal_bpl_func", Item.ALGORITHM, "Algorithm 5", "L from its pieces",
        "Find the piece of α by binary search.", ClaimVerdict.CORRECTED,
        corrected="The first k with α_k ≥ α: aArr rises.", witness="[example:L_func], any α.",
        errata=("E34", "E47"),
        grounds=("algorithms.algorithm_5_finds_no_index", "algorithms.algorithm_4_is_l")),
)  # fmt: skip
