"""L by its pieces: Algorithms 4 and 5 as printed and corrected."""

from __future__ import annotations

from fractions import Fraction
from operator import truediv

from ...reference.levels import ZERO
from ...reference.paper.algorithms_2_3 import algorithm_2
from ...reference.paper.algorithms_4_5 import algorithm_4, algorithm_5
from ...reference.paper.loss import loss_function
from ...solvers.linear_programs.enumeration import enumerated_loss
from .. import transcriptions as printed
from ..compared import compared, mended
from ..coverage import over
from ..families import EXAMPLE_4, EXCESSES, log, matrices, matrix
from ..register import ClaimVerdict, EvidenceFailed, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from ..transcriptions import NoIndex, Watch
from .algorithms_at_a_level import ONE


@evidence(EvidenceKind.TRANSCRIPTION, "one witness each, exact", errata="E7")
def algorithm_4_faults() -> str:
    """Lines 2 and 3 call Algorithm 2, which takes none of their arguments; line 4 is 0/0 where both ends are the same.

    At a_1 = 0, from where the text runs it, all functions are equal: it takes one for all of [a_1, a_m].
    """
    rows = matrix("4/5 1/5", "1/10 9/10")
    arrays = printed.algorithm_2(rows, Watch(), mended={11})
    try:
        printed.algorithm_4(rows, Fraction(2), Fraction(3), arrays, Watch())
    except TypeError:
        pass
    else:
        raise EvidenceFailed("lines 2 and 3 can be run as printed")
    try:
        printed.algorithm_4(rows, Fraction(2), Fraction(3), arrays, Watch(), mended={2}, divide=truediv)
    except ZeroDivisionError:
        pass
    else:
        raise EvidenceFailed("k = 0/0 has a value")
    require(len(algorithm_4(algorithm_2(rows), Fraction(1), Fraction(2))) == 1, "the reference differs")
    arrays, loss = printed.algorithm_2(EXAMPLE_4, Watch(), mended={11}), loss_function(EXAMPLE_4)
    whole = printed.algorithm_4(EXAMPLE_4, Fraction(1), Fraction(11), arrays, Watch(), mended={2})
    require(len(whole) == 1 and len(loss.pieces) == 2, f"from a_1 = 0: {whole}")
    at = [log(printed.piece(whole[0][0], whole[0][1], a)) for a in (Fraction(2), Fraction(11))]
    true = [loss(log(a)) for a in (2, 11)]
    compared(("algo:gen_L_func", "E7"), at, true)
    safe = algorithm_4(algorithm_2(EXAMPLE_4), Fraction(1, 10**6), Fraction(10))
    require([piece.end for piece in safe] == [Fraction(10, 3), Fraction(10)], f"{safe}")
    return "Example 4 on [0, log 11]: one function, which understates L; on [10^−6, log 11]: two, cut at log(13/3)"


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
    """Algorithm 4 makes aArr ascend, so no k has α_k ≥ α and α_{k+1} < α; the first end ≥ α is meant.

    The text says of lines 8 to 12 of Algorithm 4 that L¹ is the top function there; the algorithm stores, rightly, L^m.
    """
    rows = EXAMPLE_4
    arrays = printed.algorithm_2(rows, Watch(), mended={11})
    function = printed.algorithm_4(rows, Fraction(11, 10), Fraction(11), arrays, Watch(), mended={2})
    require([end for _, _, end in function] == [Fraction(13, 3), Fraction(11)], f"{function}")
    for alpha in over("e^α", (Fraction(2), Fraction(5), Fraction(11))):
        try:
            printed.algorithm_5(alpha, function, ONE, Watch())
        except NoIndex:
            compared(("algo:cal_bpl_func", "E34"), "an index", "none")
            continue
        raise EvidenceFailed(f"an index is found for {alpha}")
    corrected = algorithm_4(algorithm_2(rows), Fraction(1, 10), Fraction(10))
    require(algorithm_5(corrected, log(2), ZERO) == enumerated_loss(rows, log(2)).level, "the reference differs")
    return "aArr = [log(13/3), log 11]: no index for any α; corrected L(log 2) is that of all subsets"


CLAIMS = (
    PaperClaim("algo:gen_L_func", Item.ALGORITHM, "Algorithm 4", "L on [a_1, a_m]",
        "Cut where the top functions of both ends cross, until both ends have the same.", ClaimVerdict.CORRECTED,
        corrected="Algorithm 3, made to return q and d, is called; k is computed only where the ends differ; a_1 > 0.",
        witness="Rows (4/5, 1/5), (1/10, 9/10): k = 0/0. Example 4 from a_1 = 0: one function instead of two.",
        by_hand="Both ends have (0.8, 0.1): every term of k's numerator and denominator cancels.", errata=("E7",),
        grounds=("algorithms.algorithm_4_faults", "algorithms.algorithm_4_is_l")),
    PaperClaim("algo:cal_bpl_func", Item.ALGORITHM, "Algorithm 5", "L from its pieces",
        "Find the piece of α by binary search.", ClaimVerdict.CORRECTED,
        corrected="The first k with α_k ≥ α: aArr rises.", witness="Example 4, any α.",
        by_hand="α_{k+1} < α ≤ α_k contradicts α_k < α_{k+1}.", errata=("E34",),
        grounds=("algorithms.algorithm_5_finds_no_index", "algorithms.algorithm_4_is_l")),
)  # fmt: skip
