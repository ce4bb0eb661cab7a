"""What Algorithms 1 to 5 cost, their operations counted."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise, permutations
from math import factorial, log2

from ...reference.correlations import TransitionMatrix
from ...reference.paper.loss import loss_function
from .. import transcriptions as printed
from ..compared import compared
from ..coverage import members, over
from ..families import distributions, matrices, of_pair, row_pairs
from ..faults import gap, told
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, require
from ..transcriptions import Quotient, Watch
from .algorithms_as_printed import ONE


def _slowest(n: int) -> TransitionMatrix:
    """Return rows for which many indices leave one after the other: q_j halves, d_j nearly follows."""
    weights = [Fraction(1, 2**j) for j in range(1, n)]
    q = [*weights, 1 - sum(weights, Fraction(0))]
    d = [w * Fraction(j, n) for j, w in enumerate(weights)]
    return of_pair(tuple(q), (*d, 1 - sum(d, Fraction(0))))


@evidence(EvidenceKind.TRANSCRIPTION, "counted, on a family made to be slow as well")
def cost_of_algorithm_1() -> str:
    """The tests of [eq:cond1], counted, stay within the printed order, for each program and in all."""
    worst, tried = Fraction(0), 0
    for n, pairs in ((4, row_pairs(4, 4)), *((n, iter([_slowest(n).rows[:2]])) for n in over("n", range(3, 15)))):
        for q, d in pairs:
            watch = Watch()
            printed.algorithm_1(TransitionMatrix((q, d, *((d,) * (n - 2)))), Fraction(100), ONE, watch, mended={3, 6})
            own = Watch()
            printed.algorithm_1(TransitionMatrix((d, *((d,) * (n - 1)))), Fraction(100), ONE, own, mended={3, 6})
            most = (n - 1) * 2 * ((n - 1) * n // 2 + n - 1)
            compared(("Section 4.2, complexity of Algorithm 1", "fig:ex_runtime"), True, watch.counts["tests"] <= most)
            worst, tried = max(worst, Fraction(watch.counts["tests"], most)), tried + 1
    return f"{tried} matrices, at most {float(worst):.2f} of the bound"


def many_columns(n: int) -> TransitionMatrix:
    """Return n rows of which each ordered pair has about half of its columns in x⁺, in mixed order."""
    rows = []
    for i in range(n):
        weights = [1 + (i * i * 7 + j * j * 13 + i * j * 31) % 97 for j in range(n)]
        rows.append(tuple(Fraction(weight, sum(weights)) for weight in weights))
    return TransitionMatrix(tuple(rows))


@evidence(EvidenceKind.TRANSCRIPTION, "counted on one family", errata="E26")
def cost_of_algorithm_2() -> str:
    """Algorithm 2 sorts: with comparisons counted the cost per pair outgrows the printed order by a logarithm."""
    per_pair = []
    for n in over("n", (4, 8, 16, 32)):
        watch = Watch()
        printed.algorithm_2(many_columns(n), watch)
        per_pair.append(Fraction(watch.counts["comparisons"], n * n * (n - 1)))
    bounded = any(b <= a for a, b in pairwise(per_pair))
    compared(("Section 4.3, complexity of Algorithm 2", "E26"), True, bounded)
    scaled = [float(c) / log2(n) for c, n in zip(per_pair, (4, 8, 16, 32), strict=True)]
    require(max(scaled) < 2, f"more than n log n per pair: {scaled}")
    texts = ", ".join(f"{float(c):.2f}" for c in per_pair)
    return f"comparisons per pair and column: {texts}: rising; divided by log n: at most {max(scaled):.2f}"


@evidence(
    EvidenceKind.BRUTE_FORCE,
    "every order of the ratios q_j/d_j, sorted by the transcription",
    "a sort that distinguishes n! orders needs log n! comparisons, whatever the algorithm",
    errata="E26",
)
def sorting_needed() -> str:
    """All orders of the ratios q_j/d_j occur, each gives another qArr, and some take the comparisons of a sort."""
    lines = []
    for k in over("columns", (2, 3, 4, 5, 6)):
        ratios, most = [Fraction(r) for r in range(2, k + 2)], 0
        orders = set()
        for ordered in members(f"orders of {k} ratios", permutations(ratios)):
            watch = Watch()
            pairs = [(ratio * d, d) for ratio, d in zip(ordered, (Fraction(1, 99 + j) for j in range(k)), strict=True)]
            falling = printed.by_falling_ratio(pairs, watch)
            require([q / d for q, d in falling] == ratios[::-1], f"{ordered}: sorted as {falling}")
            orders.add(tuple(accumulate(q for q, _ in falling)))
            most = max(most, watch.counts["comparisons"])
        require(len(orders) == factorial(k), f"{k} columns: {len(orders)} different qArr")
        require(2**most >= factorial(k), f"{k} columns: {most} comparisons tell {factorial(k)} orders apart")
        if k > 4:
            compared("Section 4.3, complexity of Algorithm 2", True, most <= k)
        lines.append(f"{most}")
        if k == 4:
            told("E26", {"k": k, "orders": len(orders), "comparisons": k})
    return f"comparisons at worst: {', '.join(lines)}"


@evidence(EvidenceKind.TRANSCRIPTION, "counted on one family")
def cost_of_algorithm_3() -> str:
    """The searches take at most a logarithm of n and a constant of comparisons a pair: the printed order."""
    lines = []
    for n in over("n", (4, 8, 16, 32)):
        rows, watch = many_columns(n), Watch()
        printed.algorithm_3(Fraction(2), printed.algorithm_2(rows, Watch(), mended={11}), ONE, watch, mended={4, 5})
        per_pair = watch.counts["comparisons"] / (n * (n - 1))
        compared("Section 4.3, complexity of Algorithm 3", True, per_pair <= log2(n) + 2)
        lines.append(f"{per_pair:.2f}")
    return f"comparisons a pair: {', '.join(lines)}"


@evidence(EvidenceKind.BRUTE_FORCE, "the search of the transcription, for a level at and within every interval")
def search_bounded() -> str:
    """The search finds the interval of every level, with at most as many comparisons as halving the entries takes."""
    for size in over("entries", range(2, 65)):
        falling: list[Quotient] = [Fraction(2 * (size - k), 1) for k in range(size)]
        q_arr, d_arr = [Fraction(k + 1, size + 1) for k in range(size)], [Fraction(0)] * size
        for k in range(size - 1):
            for alpha in (falling[k + 1], Fraction(falling[k + 1]) + 1):
                watch = Watch()
                found = printed.algorithm_3(Fraction(alpha), [(q_arr, d_arr, falling)], ONE, watch, mended={5})
                require(found == printed.piece(q_arr[k], d_arr[k], Fraction(alpha)), f"{size} entries, the {k + 1}th")
                compared("Section 4.3, complexity of Algorithm 3", True, 2 ** (watch.counts["comparisons"] - 1) < size)
    return "never more than halving takes"


def many_pieces(n: int) -> TransitionMatrix:
    """Return a matrix with two distinct rows whose L has about n/2 or more pieces."""
    q = [Fraction(1, 3**j) for j in range(1, n)]
    d = [w * Fraction(j, n) for j, w in enumerate(q)]
    return of_pair((*q, 1 - sum(q, Fraction(0))), (*d, 1 - sum(d, Fraction(0))))


def generated(rows: TransitionMatrix, watch: Watch, precomputing: Watch) -> tuple[int, int]:
    """Run Algorithms 2 and 4, put right. Returns: the number of all transition points, and of the pieces of L."""
    arrays = printed.algorithm_2(rows, precomputing, mended={11})
    points = {a for _, _, a_arr in arrays for a in a_arr if isinstance(a, Fraction) and a != 1}
    begin, end = Fraction(10**6 + 1, 10**6), max(points) + 1
    return len(points), len(printed.algorithm_4(rows, begin, end, arrays, watch, mended={2}))


@evidence(EvidenceKind.TRANSCRIPTION, "counted on one family with one pair of distinct rows", errata="E26")
def cost_of_algorithm_4() -> str:
    """Each piece of L costs searches in the functions of all pairs of rows, which outgrows the printed order."""
    ratios = []
    for n in over("n", (4, 8, 12, 16)):
        watch = Watch()
        points, pieces = generated(many_pieces(n), watch, Watch())
        said = n * n * log2(n) + points * log2(max(2, points))
        ratios.append((n, pieces, watch.counts["comparisons"] / said))
    bounded = any(b[2] <= a[2] for a, b in pairwise(ratios)) or ratios[-1][2] <= 2 * ratios[0][2]
    compared(("Section 4.4, complexity of Algorithm 4", "E26"), True, bounded)
    return "counted/said: " + ", ".join(f"{r:.2f} (n = {n}, {m} pieces)" for n, m, r in ratios) + ": not bounded"


@evidence(EvidenceKind.ENUMERATION, "and families of larger matrices")
def pieces_counted() -> str:
    """The pieces of L are bounded by a power of n, so that the search of Algorithm 5 takes O(log n) comparisons."""
    most = 0
    for rows in (
        *matrices(3, 3),
        *map(many_pieces, over("n of one", (4, 8, 12))),
        *map(many_columns, over("n of the other", (4, 8))),
    ):
        pieces = len(loss_function(rows).pieces)
        compared("Section 4.4, complexity of Algorithm 5", True, pieces <= max(1, rows.n * (rows.n - 1) ** 2))
        most = max(most, pieces)
    return f"at most {most} pieces"


@evidence(EvidenceKind.BRUTE_FORCE, "equal rows", errata="E19")
def nothing_to_remove() -> str:
    """With equal rows nothing is put into x⁺, so there is nothing to remove, as the proof of Theorem 6 has it."""
    for n in over("n", (2, 3, 4)):
        for row in members(f"rows over {n} values in halves", distributions(n, 2)):
            watch = Watch()
            found = printed.algorithm_1(TransitionMatrix((row,) * n), Fraction(2), ONE, watch)
            require(found == 1, f"{row}: {found}")
            gap("E19", premise=found == 1, conclusion=watch.counts["tests"] > 0)
            if row == (Fraction(1, 2),) * 2:
                told("E19", {"q": row, "d": row, "tests": watch.counts["tests"]})
    return "no test is ever made"


@evidence(EvidenceKind.TRANSCRIPTION, "comparisons of a binary search among the pieces of L, on one family")
def algorithm_5_counted() -> str:
    """The search for the piece of α takes at most the binary logarithm of the number of pieces, and one."""
    lines = []
    for n in over("n", (4, 8, 12)):
        pieces, comparisons = loss_function(many_pieces(n)).pieces, 0
        low, high = 0, len(pieces) - 1
        while low < high:
            comparisons += 1
            middle = (low + high) // 2
            stop = pieces[middle].stop
            low, high = (low, middle) if stop is None or stop >= 1 else (middle + 1, high)
        compared("Section 4.4, complexity of Algorithm 5", True, comparisons <= log2(len(pieces)) + 1)
        lines.append(f"{comparisons} of {len(pieces)} pieces")
    return ", ".join(lines)


CLAIMS = (
    PaperClaim("Section 4.2, complexity of Algorithm 1", Item.TEXT, "Section 4.2", "The cost of Algorithm 1",
        "The loop runs “n(n-1) times in the worst case”, and the time in all “is O(n^4)”.", ClaimVerdict.HOLDS,
        grounds=("algorithms.cost_of_algorithm_1", "LFP.algorithm_1")),
    PaperClaim("Section 4.3, complexity of Algorithm 2", Item.TEXT, "Section 4.3", "The cost of the parameters",
        "Algorithm 2 “needs O(n^3) time”.", ClaimVerdict.FALSE,
        errata=("E26",),
        grounds=("algorithms.cost_of_algorithm_2", "algorithms.sorting_needed")),
    PaperClaim("Section 4.3, complexity of Algorithm 3", Item.TEXT, "Section 4.3", "The cost of a time",
        "Algorithm 3 “needs O(n^2 log n) time”.", ClaimVerdict.HOLDS,
        grounds=("algorithms.cost_of_algorithm_3", "algorithms.search_bounded")),
    PaperClaim("Section 4.4, complexity of Algorithm 4", Item.TEXT, "Section 4.4", "The cost of Algorithm 4",
        "For generating L with m transition points.", ClaimVerdict.CORRECTED,
        errata=("E26",),
        grounds=("algorithms.cost_of_algorithm_4", "algorithms.cost_in_all_bounded")),
    PaperClaim("Section 4.4, complexity of Algorithm 5", Item.TEXT, "Section 4.4", "O(log n) a time",
        "Algorithm 5 needs O(log n) time.", ClaimVerdict.HOLDS,
        grounds=("algorithms.pieces_counted", "algorithms.algorithm_5_counted")),
)  # fmt: skip
