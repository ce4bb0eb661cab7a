"""Algorithms 1 to 5 [algo:cal_bpl … algo:cal_bpl_func] as printed and corrected, and what they cost."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, permutations
from math import inf, log2
from operator import truediv

from ..reference.correlations import TransitionMatrix
from ..reference.levels import ZERO
from ..reference.loss import loss_function
from ..reference.polynomial import algorithm_1
from ..reference.precomputation import algorithm_2, algorithm_3
from ..reference.sublinear import algorithm_4, algorithm_5
from ..solvers.enumeration import enumerated_loss
from . import transcriptions as printed
from .claims_lfp import _certified, _loss_by_subsets
from .claims_loss import _loss_functions_certified
from .families import EXCESSES, distributions, log, matrices, matrix, of_pair, row_pairs, shown
from .provers import identity, sympy_algebra
from .register import Claim, EvidenceFailed, Item, Kind, Verdict, evidence, exhausted, require
from .transcriptions import Looping, NoIndex, Watch, divided

ONE = Fraction(1)
WORKED = matrix("1/5 3/10 1/2", "1/10 0 9/10", "1/10 0 9/10")
"""The rows q and d of the worked example of Algorithm 2."""


# Algorithm 1


@evidence(Kind.TRANSCRIPTION, "exhausted in order: all pairs over 2 values in sixths and 3 values in halves to fifths")
def _algorithm_1_loops() -> str:
    """Once an index has been removed, the flag `update` stays true: the loop comes back to the same state for ever.

    With the flag set back at each turn the same input gives the value found by trying every subset.
    """
    for q, d in row_pairs(2, 6):
        printed.algorithm_1(of_pair(q, d), Fraction(10), ONE, Watch())
    for denominator in (2, 3, 4, 5):
        for q, d in row_pairs(3, denominator):
            rows = of_pair(q, d)
            for alpha in (Fraction(2), Fraction(10)):
                try:
                    printed.algorithm_1(rows, alpha, ONE, Watch())
                except Looping as loop:
                    mended = printed.algorithm_1(rows, alpha, ONE, Watch(), mended={6})
                    true = enumerated_loss(rows, log(alpha)).ratio
                    require(mended == true, f"{shown(rows)}: mended {mended}, true {true}")
                    require(algorithm_1(rows, log(alpha), ZERO) == log(mended), f"{shown(rows)}: the reference differs")
                    state = str(loop).split("before: ")[1]
                    return (
                        f"none for n = 2; smallest: {shown((q, d))}, e^α = {alpha}: (q, d, x⁺, update) is again {state}"
                    )
    raise EvidenceFailed("no input of the family loops")


@evidence(Kind.TRANSCRIPTION, "the smallest n, exact")
def _algorithm_1_divides_by_zero() -> str:
    """q_j/d_j with d_j = 0 has no value; read as +∞ the strongest correlation gives L(α) = α."""
    rows = matrix("1 0", "0 1")
    try:
        printed.algorithm_1(rows, Fraction(2), ONE, Watch(), divide=truediv)
    except ZeroDivisionError:
        pass
    else:
        raise EvidenceFailed("no division by zero")
    require(printed.algorithm_1(rows, Fraction(2), ONE, Watch(), divide=divided) == 2, "read as +∞: another value")
    require(algorithm_1(rows, log(2), ZERO) == log(2), "the reference differs")
    return "rows (1, 0), (0, 1): q_1/d_1 = 1/0; read as +∞: L(log 2) = log 2"


@evidence(Kind.TRANSCRIPTION, "all 3 × 3 matrices in thirds, all 2 × 2 in quarters, three E")
def _algorithm_1_mended() -> str:
    """With both faults put right the transcription gives what the reference and all subsets give."""
    tried = 0
    for n, denominator in ((2, 4), (3, 3)):
        for rows in matrices(n, denominator):
            for e in EXCESSES:
                found = printed.algorithm_1(rows, 1 + e, ONE, Watch(), mended={6})
                require(log(found) == algorithm_1(rows, log(1 + e), ZERO), f"{shown(rows)}, E = {e}")
                tried += 1
    exhausted(tried, 705)
    return f"{tried} values"


# Algorithm 2 and its worked example


@evidence(Kind.TRANSCRIPTION, "the worked example, exact")
def _worked_example() -> str:
    """Q = (0.2, 0.3, 0.5), d = (0.1, 0, 0.9): aArr = [Inf, 1.47, NaN] needs the “+ 1” that line 11 lacks."""
    q_arr, d_arr, as_printed = printed.algorithm_2(WORKED, Watch())[0]
    mended = printed.algorithm_2(WORKED, Watch(), mended={11})[0][2]
    require(q_arr[:2] == [Fraction(3, 10), Fraction(1, 2)] and d_arr[:2] == [0, Fraction(1, 10)], f"{q_arr}, {d_arr}")
    require(as_printed[:2] == [inf, Fraction(10, 3)] and as_printed[2] != as_printed[2], f"{as_printed}")
    require(mended[:2] == [inf, Fraction(13, 3)], f"{mended}")
    bounds = log(Fraction(13, 3)).enclosure(3), log(Fraction(10, 3)).enclosure(3)
    require(str(bounds[0].upper) == "1.47" and str(bounds[1].lower) == "1.2", f"{bounds}")
    require(algorithm_2(WORKED)[0].transitions == (None, Fraction(10, 3)), "the reference's transition")
    return "printed formula: log(10/3) = 1.20; with + 1: log(13/3) = 1.47, as the text has it"


@evidence(Kind.IDENTITY, "general")
def _plus_one() -> str:
    """At e^α = (q_i − d_i)/(q·d_i − d·q_i) as printed the value is not q_i/d_i; at that + 1 it is."""
    q, d, q_i, d_i = sympy_algebra().symbols("q d q_i d_i")
    quotient = (q_i - d_i) / (q * d_i - d * q_i)
    identity((q * quotient + 1) / (d * quotient + 1), q_i / d_i, "with + 1")
    try:
        identity((q * (quotient - 1) + 1) / (d * (quotient - 1) + 1), q_i / d_i, "without")
    except EvidenceFailed:
        return "the transition is at e^α − 1 = (q_i − d_i)/(q·d_i − d·q_i)"
    raise EvidenceFailed("the printed formula is a transition point as well")


@evidence(Kind.TRANSCRIPTION, "the worked example at e^α = 4, exact")
def _understates() -> str:
    """With the printed transition points Algorithm 3, itself put right, takes too few columns: less than the truth."""
    alpha = Fraction(4)
    wrong = printed.algorithm_3(alpha, printed.algorithm_2(WORKED, Watch())[:1], ONE, Watch(), mended={4, 5})
    right = printed.algorithm_3(
        alpha, printed.algorithm_2(WORKED, Watch(), mended={11})[:1], ONE, Watch(), mended={4, 5}
    )
    true = max(
        printed.piece(q, d, alpha) for q, d in ((Fraction(3, 10), Fraction(0)), (Fraction(1, 2), Fraction(1, 10)))
    )
    require(wrong < right == true, f"printed {wrong}, with + 1 {right}, true {true}")
    return f"e^L = {wrong} as printed, {right} in truth: a privacy guarantee that does not hold"


@evidence(Kind.TRANSCRIPTION, "the worked example, exact")
def _orders_differ() -> str:
    """Algorithm 2's aArr falls from Inf; the text's is [α_{k−1}, …, 0]: the same index means another entry."""
    a_arr = printed.algorithm_2(WORKED, Watch(), mended={11})[0][2]
    text = [Fraction(13, 3), Fraction(1)]
    require(a_arr[0] == inf and a_arr[1] == text[0], f"{a_arr}")
    return "Algorithm 2: [Inf, 1.47, NaN]; text: [1.47, 0]; the example also writes q for d in its second vector"


@evidence(Kind.BRUTE_FORCE, "all pairs over 3 values in sixths; every transition point against the best of all subsets")
def _algorithm_2_against_subsets() -> str:
    """The corrected qM, dM, aM give the optimum of every pair at, and on both sides of, each of its transitions."""
    tried = 0
    for q, d in row_pairs(3, 6):
        rows = of_pair(q, d)
        function = algorithm_2(rows)[0]
        for point in function.transitions:
            if point is None:
                continue
            for e in (point / 2, point, point + 1):
                found = function.at(log(1 + e))
                best = max(
                    printed.piece(sum((q[j] for j in s), Fraction(0)), sum((d[j] for j in s), Fraction(0)), 1 + e)
                    for size in range(4)
                    for s in permutations(range(3), size)
                )
                require(printed.piece(found.q, found.d, 1 + e) == best, f"{shown((q, d))}, E = {e}")
                tried += 1
    exhausted(tried, 450)
    return f"{tried} values"


# Algorithm 3


@evidence(Kind.TRANSCRIPTION, "all 2 × 2 matrices in quarters, three E; then one witness, exact")
def _algorithm_3_divides_by_itself() -> str:
    """Line 5 divides qArr by qArr: as printed the result is ε_t whatever the correlation is."""
    epsilon, tried = Fraction(3, 2), 0
    for rows in matrices(2, 4):
        for e in EXCESSES:
            found = printed.algorithm_3(
                1 + e, printed.algorithm_2(rows, Watch(), mended={11}), epsilon, Watch(), mended={4}
            )
            require(found == epsilon, f"{shown(rows)}: {found}")
            tried += 1
    rows = matrix("1 0", "0 1")
    require(algorithm_3(algorithm_2(rows), log(2), log(epsilon)) == log(3), "the reference differs")
    exhausted(tried, 45)
    return f"{tried} times ε_t; rows (1, 0), (0, 1), α = log 2, ε = log(3/2): printed log(3/2), true log 3"


@evidence(Kind.TRANSCRIPTION, "the worked example and equal rows, exact")
def _algorithm_3_finds_no_index() -> str:
    """With aArr as Algorithm 2 makes it there is no k with aArr[k] > α ≥ aArr[k + 1] below the last transition."""
    arrays = printed.algorithm_2(WORKED, Watch(), mended={11})[:1]
    cases = [(arrays, Fraction(2)), (printed.algorithm_2(matrix("1/2 1/2", "1/2 1/2"), Watch()), Fraction(2))]
    for case, alpha in cases:
        try:
            printed.algorithm_3(alpha, case, ONE, Watch())
        except NoIndex:
            continue
        raise EvidenceFailed(f"an index is found for {case}")
    found = printed.algorithm_3(Fraction(2), arrays, ONE, Watch(), mended={4, 5})
    require(found == Fraction(3, 2) / Fraction(11, 10), f"with a last entry 0: {found}")
    require(algorithm_3(algorithm_2(matrix("1/2 1/2", "1/2 1/2")), log(2), ZERO) == ZERO, "the reference differs")
    return "α = log 2 < 1.47: [Inf, 1.47, NaN] has no k, NaN being less than nothing; nor has [0, 0] of equal rows"


@evidence(Kind.TRANSCRIPTION, "all 3 × 3 matrices in thirds, three E")
def _algorithm_3_mended() -> str:
    """With the faults of Algorithms 2 and 3 put right the transcription gives the reference's value."""
    tried = 0
    for rows in matrices(3, 3):
        arrays, functions = printed.algorithm_2(rows, Watch(), mended={11}), algorithm_2(rows)
        for e in EXCESSES:
            found = printed.algorithm_3(1 + e, arrays, ONE, Watch(), mended={4, 5})
            require(log(found) == algorithm_3(functions, log(1 + e), ZERO), f"{shown(rows)}, E = {e}: {found}")
            tried += 1
    exhausted(tried, 660)
    return f"{tried} values"


# Algorithms 4 and 5


@evidence(Kind.TRANSCRIPTION, "one witness each, exact")
def _algorithm_4_faults() -> str:
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
    two = matrix("1/10 1/5 7/10", "3/10 3/10 2/5", "1/2 3/10 1/5")
    arrays, loss = printed.algorithm_2(two, Watch(), mended={11}), loss_function(two)
    whole = printed.algorithm_4(two, Fraction(1), Fraction(11), arrays, Watch(), mended={2})
    require(len(whole) == 1 and len(loss.pieces) == 2, f"from a_1 = 0: {whole}")
    at = [log(printed.piece(whole[0][0], whole[0][1], a)) for a in (Fraction(2), Fraction(11))]
    true = [loss(log(a)) for a in (2, 11)]
    require(at[0] < true[0] or at[1] < true[1], "one function for all is right after all")
    safe = algorithm_4(algorithm_2(two), Fraction(1, 10**6), Fraction(10))
    require([piece.end for piece in safe] == [Fraction(10, 3), Fraction(10)], f"{safe}")
    return "Example 4 on [0, log 11]: one function, which understates L; on [10^−6, log 11]: two, cut at log(13/3)"


@evidence(
    Kind.ENUMERATION, "all 3 × 3 matrices in thirds and Example 4; from 1/50 to 60; at, between and beyond the cuts"
)
def _algorithm_4_is_l() -> str:
    """Algorithms 4 and 5 corrected give L: the same as the whole loss function, level by level."""
    tried = 0
    for rows in (*matrices(3, 3), matrix("1/10 1/5 7/10", "3/10 3/10 2/5", "1/2 3/10 1/5")):
        function, loss = algorithm_4(algorithm_2(rows), Fraction(1, 50), Fraction(60)), loss_function(rows)
        for e in (Fraction(1, 50), *EXCESSES, Fraction(10, 3), Fraction(60)):
            require(algorithm_5(function, log(1 + e), ZERO) == loss(log(1 + e)), f"{shown(rows)}, E = {e}")
            tried += 1
    exhausted(tried, 1_326)
    return f"{tried} levels"


@evidence(Kind.TRANSCRIPTION, "Example 4, exact")
def _algorithm_5_finds_no_index() -> str:
    """AArr of Algorithm 4 rises, so that no k has α_k ≥ α and α_{k+1} < α; the first end ≥ α is meant.

    The text says of lines 8 to 12 of Algorithm 4 that L¹ is the top function there; the algorithm stores, rightly, L^m.
    """
    rows = matrix("1/10 1/5 7/10", "3/10 3/10 2/5", "1/2 3/10 1/5")
    arrays = printed.algorithm_2(rows, Watch(), mended={11})
    function = printed.algorithm_4(rows, Fraction(11, 10), Fraction(11), arrays, Watch(), mended={2})
    require([end for _, _, end in function] == [Fraction(13, 3), Fraction(11)], f"{function}")
    for alpha in (Fraction(2), Fraction(5), Fraction(11)):
        try:
            printed.algorithm_5(alpha, function, ONE, Watch())
        except NoIndex:
            continue
        raise EvidenceFailed(f"an index is found for {alpha}")
    corrected = algorithm_4(algorithm_2(rows), Fraction(1, 10), Fraction(10))
    require(algorithm_5(corrected, log(2), ZERO) == enumerated_loss(rows, log(2)).level, "the reference differs")
    return "aArr = [log(13/3), log 11]: no index for any α; corrected L(log 2) is that of all subsets"


# What they cost


def _slowest(n: int) -> TransitionMatrix:
    """Return rows for which many indices leave one after the other: q_j halves, d_j nearly follows."""
    weights = [Fraction(1, 2**j) for j in range(1, n)]
    q = [*weights, 1 - sum(weights, Fraction(0))]
    d = [w * Fraction(j, n) for j, w in enumerate(weights)]
    return of_pair(tuple(q), (*d, 1 - sum(d, Fraction(0))))


@evidence(Kind.TRANSCRIPTION, "counted on all pairs over 4 values in quarters and on one family, n = 3 to 14")
def _cost_of_algorithm_1() -> str:
    """Tests of [eq:cond1] per program: at most k(k + 1)/2 + k with k ≤ n − 1 members of x⁺, so O(n²); O(n⁴) in all."""
    worst, tried = Fraction(0), 0
    for n, pairs in ((4, row_pairs(4, 4)), *((n, iter([_slowest(n).rows[:2]])) for n in range(3, 15))):
        for q, d in pairs:
            k = sum(a > b for a, b in zip(q, d, strict=True))
            watch = Watch()
            printed.algorithm_1(TransitionMatrix((q, d, *((d,) * (n - 2)))), Fraction(100), ONE, watch, mended={6})
            own = Watch()
            printed.algorithm_1(TransitionMatrix((d, *((d,) * (n - 1)))), Fraction(100), ONE, own, mended={6})
            most = (n - 1) * 2 * ((n - 1) * n // 2 + n - 1)
            require(watch.counts["tests"] <= most, f"n = {n}, k = {k}: {watch.counts['tests']} tests")
            worst, tried = max(worst, Fraction(watch.counts["tests"], most)), tried + 1
    return (
        f"{tried} matrices, at most {float(worst):.2f} of the bound; a program takes at most n(n − 1)/2 + n − 1 tests"
    )


@evidence(Kind.ENUMERATION, "the bound's recurrence for n up to 200", "each turn but the last removes an index")
def _tests_bounded() -> str:
    """Turns of k, k − 1, …, 1 tests and a last one add up to k(k + 1)/2, and n(n − 1) programs to O(n⁴)."""
    for n in range(2, 201):
        k = n - 1
        require(sum(range(1, k + 1)) == k * (k + 1) // 2 <= n * (n - 1), f"n = {n}")
        require(n * (n - 1) * (k * (k + 1) // 2) <= n**4, f"n = {n}")
    return "k(k + 1)/2 ≤ n(n − 1) ≤ n², times n(n − 1) programs ≤ n⁴"


def _many_columns(n: int) -> TransitionMatrix:
    """Return n rows of which each ordered pair has about half of its columns in x⁺, in mixed order."""
    rows = []
    for i in range(n):
        weights = [1 + (i * i * 7 + j * j * 13 + i * j * 31) % 97 for j in range(n)]
        rows.append(tuple(Fraction(weight, sum(weights)) for weight in weights))
    return TransitionMatrix(tuple(rows))


@evidence(Kind.TRANSCRIPTION, "counted for n = 4, 8, 16, 32 on one family")
def _cost_of_algorithm_2() -> str:
    """Line 7 sorts: with comparisons counted the cost per pair grows as n log n, so O(n³ log n), not O(n³), in all."""
    per_pair = []
    for n in (4, 8, 16, 32):
        watch = Watch()
        printed.algorithm_2(_many_columns(n), watch)
        per_pair.append(Fraction(watch.counts["comparisons"], n * n * (n - 1)))
    require(all(b > a for a, b in pairwise(per_pair)), f"comparisons per entry: {per_pair}")
    scaled = [float(c) / log2(n) for c, n in zip(per_pair, (4, 8, 16, 32), strict=True)]
    require(max(scaled) < 2, f"more than n log n per pair: {scaled}")
    texts = ", ".join(f"{float(c):.2f}" for c in per_pair)
    return f"comparisons per pair and column, n = 4 to 32: {texts}: rising; divided by log n: at most {max(scaled):.2f}"


@evidence(
    Kind.ENUMERATION, "all orders of up to 6 columns", "a sort that tells n! orders apart needs log n! comparisons"
)
def _sorting_needed() -> str:
    """All n! orders of the ratios q_j/d_j do occur, and each gives another qArr: the sort cannot be spared."""
    for k in range(2, 6):
        ratios = list(range(2, k + 2))
        distinct = set()
        for order in permutations(ratios):
            d = [Fraction(1, 100 * k)] * k
            q = [r * x for r, x in zip(order, d, strict=True)]
            falling = sorted(range(k), key=lambda j: -q[j] / d[j])
            distinct.add(tuple(falling))
        require(len(distinct) == len(list(permutations(range(k)))), f"k = {k}: {len(distinct)} orders")
    return "k! orders for k = 2 to 5"


@evidence(Kind.TRANSCRIPTION, "counted for n = 4, 8, 16, 32 on one family")
def _cost_of_algorithm_3() -> str:
    """The searches take at most log2(n) + 2 comparisons a pair: O(n² log n) at each time."""
    lines = []
    for n in (4, 8, 16, 32):
        rows, watch = _many_columns(n), Watch()
        printed.algorithm_3(Fraction(2), printed.algorithm_2(rows, Watch(), mended={11}), ONE, watch, mended={4, 5})
        per_pair = watch.counts["comparisons"] / (n * (n - 1))
        require(per_pair <= log2(n) + 2, f"n = {n}: {per_pair} comparisons a pair")
        lines.append(f"{per_pair:.2f}")
    return f"comparisons a pair, n = 4 to 32: {', '.join(lines)}"


@evidence(Kind.ENUMERATION, "n up to 10^4", "a search among k + 1 entries halves the range")
def _search_bounded() -> str:
    """A binary search among n entries takes at most ⌈log2 n⌉ comparisons."""
    for size in range(2, 10_001):
        steps, width = 0, size - 1
        while width > 1:
            width = (width + 1) // 2
            steps += 1
        require(2**steps >= size - 1 and (steps == 0 or 2 ** (steps - 1) < size - 1), f"{size}: {steps}")
    return "⌈log2(n − 1)⌉"


def _many_pieces(n: int) -> TransitionMatrix:
    """Return a matrix with two distinct rows whose L has about n/2 or more pieces."""
    q = [Fraction(1, 3**j) for j in range(1, n)]
    d = [w * Fraction(j, n) for j, w in enumerate(q)]
    return of_pair((*q, 1 - sum(q, Fraction(0))), (*d, 1 - sum(d, Fraction(0))))


@evidence(Kind.TRANSCRIPTION, "counted for n = 4, 8, 12, 16 on one family with two distinct rows")
def _cost_of_algorithm_4() -> str:
    """Each of the m pieces of L costs searches in all n(n − 1) functions: O(m·n² log n), not O(n² log n + m log m)."""
    ratios = []
    for n in (4, 8, 12, 16):
        rows, watch = _many_pieces(n), Watch()
        arrays = printed.algorithm_2(rows, Watch(), mended={11})
        points = {a for _, _, a_arr in arrays for a in a_arr if isinstance(a, Fraction) and a != 1}
        end = max(points) + 1
        function = printed.algorithm_4(rows, Fraction(10**6 + 1, 10**6), end, arrays, watch, mended={2})
        said = n * n * log2(n) + len(points) * log2(max(2, len(points)))
        ratios.append((n, len(function), watch.counts["comparisons"] / said))
    require(all(b[2] > a[2] for a, b in pairwise(ratios)), f"{ratios}")
    require(ratios[-1][2] > 2 * ratios[0][2], f"{ratios}")
    return "counted/said: " + ", ".join(f"{r:.2f} (n = {n}, {m} pieces)" for n, m, r in ratios) + ": not bounded"


@evidence(Kind.ENUMERATION, "all 3 × 3 matrices in thirds and one family, n = 4 to 12")
def _pieces_counted() -> str:
    """L has at most n(n − 1)² pieces, so that the search of Algorithm 5 takes O(log n) comparisons."""
    most = 0
    for rows in (*matrices(3, 3), *(_many_pieces(n) for n in (4, 8, 12)), *(_many_columns(n) for n in (4, 8))):
        pieces = len(loss_function(rows).pieces)
        require(pieces <= max(1, rows.n * (rows.n - 1) ** 2), f"n = {rows.n}: {pieces} pieces")
        most = max(most, pieces)
    return f"at most {most} pieces; log2 of n(n − 1)² is less than 3·log2 n"


@evidence(Kind.BRUTE_FORCE, "equal rows, every row over 2 to 4 values in halves")
def _nothing_to_remove() -> str:
    """With equal rows line 4 puts nothing into x⁺, so there is nothing to remove, as the proof of Theorem 6 has it."""
    for n in (2, 3, 4):
        for row in distributions(n, 2):
            watch = Watch()
            found = printed.algorithm_1(TransitionMatrix((row,) * n), Fraction(2), ONE, watch)
            require(found == 1 and watch.counts["tests"] == 0, f"{row}: {watch.counts['tests']} tests")
    return "no test of line 9 is ever made"


@evidence(
    Kind.TRANSCRIPTION, "counted on one family, n = 4, 8, 12: comparisons of a binary search among the pieces of L"
)
def _algorithm_5_counted() -> str:
    """The search for the piece of α takes at most log2 of the number of pieces, and one."""
    lines = []
    for n in (4, 8, 12):
        pieces, comparisons = loss_function(_many_pieces(n)).pieces, 0
        low, high = 0, len(pieces) - 1
        while low < high:
            comparisons += 1
            middle = (low + high) // 2
            stop = pieces[middle].stop
            low, high = (low, middle) if stop is None or stop >= 1 else (middle + 1, high)
        require(comparisons <= log2(len(pieces)) + 1, f"n = {n}: {comparisons} comparisons")
        lines.append(f"{comparisons} of {len(pieces)} pieces")
    return ", ".join(lines)


_ROADS = (_loss_by_subsets, _certified)
WORKED_BY_HAND = "(0.2 − 0.1)/(0.5·0.1 − 0.1·0.2) = 10/3; log(10/3) = 1.204, log(13/3) = 1.466."

CLAIMS = (
    Claim("algo:cal_bpl", Item.ALGORITHM, "Algorithm 1", "L by Theorem 5",
          "Remove indices that fail [eq:cond1] until none does; take the greatest over all pairs.", Verdict.CORRECTED,
          (_algorithm_1_loops, _algorithm_1_divides_by_zero, _algorithm_1_mended, *_ROADS),
          corrected="`update` is set to false at the start of each turn; q_j/d_j with d_j = 0 reads +∞.",
          witness="Rows (1, 0), (0, 1) divide by zero; the smallest input that loops is in the evidence (n = 3).",
          by_hand="After the first removal `update` is true, and no line within the loop makes it false.",
          errata=("E2",), also=("algo:iterate", "algo:findtpl:update")),
    Claim("algo:precomp1", Item.ALGORITHM, "Algorithm 2", "The parameters of all pairs",
          "Sort by q_j/d_j, sum up, and note at which α each last column leaves.", Verdict.CORRECTED,
          (_worked_example, _plus_one, _understates, _orders_differ, _algorithm_2_against_subsets),
          corrected="Line 11 needs “+ 1” within the logarithm, as Theorem 9 has it; what is no column has no entry.",
          witness="The worked example at e^α = 4: printed e^L = 19/10, true 25/13.", by_hand=WORKED_BY_HAND,
          errata=("E4", "E5")),
    Claim("Worked example of Algorithm 2", Item.EXAMPLE, "Section 4.3", "q = [0.2, 0.3, 0.5], d = [0.1, 0, 0.9]",
          "Line 7 gives q = [0.3, 0.2, 0] and d = [0, 0.1, 0]; aArr = [Inf, 1.47, NaN].", Verdict.CORRECTED,
          (_worked_example, _plus_one, _orders_differ),
          corrected="1.47 is log(13/3), with the “+ 1” that line 11 lacks; the second vector is d, printed as q.",
          witness="The example.", by_hand=WORKED_BY_HAND, errata=("E4", "E5")),
    Claim("algo:calc_precomp", Item.ALGORITHM, "Algorithm 3", "L from the parameters",
          "Find each pair's entry by binary search and take the greatest value.", Verdict.CORRECTED,
          (_algorithm_3_divides_by_itself, _algorithm_3_finds_no_index, _algorithm_3_mended, *_ROADS),
          corrected="Line 5 divides qArr by dArr. The search needs an end: α ≥ 0 for the longest prefix.",
          witness="Rows (1, 0), (0, 1), α = log 2, ε = log(3/2): printed log(3/2), true log 3.",
          by_hand="(qE + 1)/(qE + 1) = 1.", errata=("E5", "E6")),
    Claim("algo:gen_L_func", Item.ALGORITHM, "Algorithm 4", "L on [a_1, a_m]",
          "Cut where the top functions of both ends cross, until both ends have the same.", Verdict.CORRECTED,
          (_algorithm_4_faults, _algorithm_4_is_l, _loss_functions_certified),
          corrected="Algorithm 3, made to tell q and d, is called; k is computed only where the ends differ; a_1 > 0.",
          witness="Rows (4/5, 1/5), (1/10, 9/10): k = 0/0. Example 4 from a_1 = 0: one function instead of two.",
          by_hand="Both ends have (0.8, 0.1): every term of k's numerator and denominator cancels.", errata=("E7",)),
    Claim("algo:cal_bpl_func", Item.ALGORITHM, "Algorithm 5", "L from its pieces",
          "Find the piece of α by binary search.", Verdict.CORRECTED,
          (_algorithm_5_finds_no_index, _algorithm_4_is_l, _loss_functions_certified),
          corrected="The first k with α_k ≥ α: aArr rises.", witness="Example 4, any α.",
          by_hand="α_{k+1} < α ≤ α_k contradicts α_k < α_{k+1}.", errata=("E34",)),
    Claim("Section 4.2, complexity of Algorithm 1", Item.TEXT, "Section 4.2", "O(n²) a pair, O(n⁴) in all",
          "Line 9 runs at most n(n − 1) times a pair.", Verdict.HOLDS, (_cost_of_algorithm_1, _tests_bounded)),
    Claim("Section 4.3, complexity of Algorithm 2", Item.TEXT, "Section 4.3", "O(n³) for the parameters",
          "Algorithm 2 needs O(n³) time.", Verdict.FALSE, (_cost_of_algorithm_2, _sorting_needed),
          corrected="O(n³ log n): each of the n(n − 1) pairs is sorted.", witness="Counts for n = 4 to 32.",
          by_hand="log k! comparisons to sort k columns, for each pair.", errata=("E26",)),
    Claim("Section 4.3, complexity of Algorithm 3", Item.TEXT, "Section 4.3", "O(n² log n) a time",
          "Algorithm 3 needs O(n² log n) time.", Verdict.HOLDS, (_cost_of_algorithm_3, _search_bounded)),
    Claim("Section 4.4, complexity of Algorithm 4", Item.TEXT, "Section 4.4", "O(n² log n + m log m)",
          "For generating L with m transition points.", Verdict.FALSE, (_cost_of_algorithm_4, _pieces_counted),
          corrected="O(m·n² log n) with m pieces of L: every call of Algorithm 3 goes through all the pairs.",
          witness="Two distinct rows, n = 4 to 16.", by_hand="Each recursive call has two calls of Algorithm 3.",
          errata=("E26",)),
    Claim("Section 4.4, complexity of Algorithm 5", Item.TEXT, "Section 4.4", "O(log n) a time",
          "Algorithm 5 needs O(log n) time.", Verdict.HOLDS, (_pieces_counted, _algorithm_5_counted)),
)  # fmt: skip
