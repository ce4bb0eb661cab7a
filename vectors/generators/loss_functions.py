"""`loss_function`: pieces, ends, orders and sizes; functions that meet or almost meet, and breakpoints far away."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations

from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import input_parts as parts
from .draft import Draft, draft
from .facts import disjoint, one_against_zero, pairs
from .input_parts import NAMED, Drawing, Rows, Texts, cascade, matrix, of_two, rows_of
from .read_query import loss_of

_doubles, _exact = partial(draft, "loss_function"), partial(draft, "loss_function", numbers=RATIONAL)


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _one_piece()
    yield from _several_pieces()
    yield from _orders()
    yield from _sizes()
    yield from _meeting()
    yield from _far()
    yield from _almost_tangent()


CITED = "col:L_func"


def _one(head: str, rows: Texts, tags: str, numbers: str = FLOAT64) -> Draft:
    """Make a draft of a matrix whose L is a single function, or two distinct rows are all there are."""
    one = len(loss_of(matrix(rows)).pieces) == 1 or len(set(rows)) == 2 < len(rows)
    edges = {"L is one function, or, of two distinct rows, a few": one}
    return _doubles(head, {"matrix": rows}, tags, numbers=numbers, edges=edges)


def _one_piece() -> Iterator[Draft]:
    zero_over_zero = "OnePiece CrossingZeroOverZero FiniteAtInfinity E7 algo:gen_L_func"
    certain, uncorrelated = "thm:algo_extreme2", "thm:algo_extreme1"
    moderate = f"OnePiece ZeroDenominator {CITED}"
    exact_moderate = f"OnePiece ZeroDenominator ExactDecimal {CITED}"
    yield _one("one-state: One state: L = 0.", NAMED["ONE_STATE"], "OnePiece SingleState eq:lfp_sol_b")
    head = "equal-rows: Equal rows: L = 0, one piece with q = d = 0."
    yield _one(head, NAMED["EQUAL"], f"OnePiece EqualRows {uncorrelated}")
    head = "equal-rows-of-three: Three equal rows, with a zero."
    yield _one(head, ("1/2 0 1/2",) * 3, f"OnePiece EqualRows ZeroColumn {uncorrelated}")
    yield _one("identity: The identity: L(α) = α.", NAMED["IDENTITY"], f"OnePiece Permutation {certain}")
    yield _one("cycle: A cycle of three states.", NAMED["CYCLE"], f"OnePiece Permutation {certain}")
    head = "disjoint: Disjoint supports without a 1: L(α) = α."
    yield _one(head, NAMED["DISJOINT"], f"OnePiece NoOneAgainstZero E3 {certain}")
    yield _one("symmetric: Two states that tend to stay.", NAMED["DYADIC_SYMMETRIC"], zero_over_zero)
    yield _one("skewed: Two states, one of which is left more often.", NAMED["SKEWED"], zero_over_zero)
    yield _one("moderate: Two states, one transition impossible.", NAMED["DYADIC_MODERATE"], moderate)
    head = "paper-moderate: The paper's moderate correlation."
    yield _one(head, NAMED["PAPER_MODERATE"], exact_moderate, RATIONAL)
    head = "witness-of-7: The witness of erratum 7: both ends have the same function."
    yield _one(head, ("4/5 1/5", "1/10 9/10"), "OnePiece CrossingZeroOverZero E7 algo:gen_L_func", RATIONAL)
    head = "one-row-differs: Three rows are equal, the fourth is not."
    yield _one(head, (*("1/4 1/4 1/4 1/4",) * 3, "1/2 1/4 1/8 1/8"), f"TwoRowsOfMany {CITED}")
    late = ("1/4 1/4 1/4 1/4", "1/2 1/4 1/8 1/8", "0 3/4 1/4 0", "1/4 0 0 3/4")
    yield _doubles(
        "disjoint-last-rows: Only the last two rows of four have disjoint supports, without a 1.",
        {"matrix": late},
        "NoOneAgainstZero OnePiece E3 thm:algo_extreme2",
        edges={
            "the printed condition is not met": not any(one_against_zero(q, d) for q, d in pairs(matrix(late))),
            "rows 3 and 4 alone have disjoint supports": [
                (j, k) for j, k in combinations(range(4), 2) if disjoint(matrix(late).rows[j], matrix(late).rows[k])
            ]
            == [(2, 3)],
        },
    )


def _of(count: int, head: str, rows: Texts, tags: str, numbers: str = FLOAT64) -> Draft:
    """Make a draft of a matrix whose L has so many pieces."""
    edges = {f"L has {count} pieces": len(loss_of(matrix(rows)).pieces) == count}
    return _doubles(head, {"matrix": rows}, f"{tags} {CITED} algo:gen_L_func", numbers=numbers, edges=edges)


def _several_pieces() -> Iterator[Draft]:
    head = "example-4: Example 4: two pieces, cut at log(13/3)."
    yield _of(2, head, NAMED["PAPER_EXAMPLE_4"], "DomainFromZero ExactDecimal E7", RATIONAL)
    head = "worked-example: The rows of the worked example of Algorithm 2."
    yield _of(2, head, NAMED["PAPER_WORKED"], "ZeroDenominator", RATIONAL)
    yield _of(2, "two-pieces: Two pieces, of different pairs of rows.", NAMED["TWO_PIECES"], "DomainFromZero E7")
    yield _of(4, "dense: Four pieces, the last with d = 0.", NAMED["DENSE"], "SeveralPieces DomainFromZero E7")
    yield _of(3, "bounded: Three pieces, all with d > 0.", NAMED["BOUNDED"], "SeveralPieces FiniteAtInfinity")
    head = "first-step: The matrix on which the first step's pair misleads."
    yield _of(2, head, NAMED["FIRST_STEP"], "ZeroDenominator", RATIONAL)
    head = "smallest-first-step: The smallest such matrix."
    yield _of(2, head, NAMED["SMALLEST_FIRST_STEP"], "EqualRowPair", RATIONAL)
    rows = ("3/4 0 1/4 0", "1/4 0 5/8 1/8", "3/8 0 1/4 3/8", "1/2 0 1/4 1/4")
    yield _of(2, "zero-column: A state that no row leads to, and several pieces.", rows, "ZeroColumn")
    steps = [Fraction(4**k, 4**6) for k in range(7)]
    q = [Fraction(1, 2 ** (k + 1)) for k in range(6)]
    d = [entry * step for entry, step in zip(q, steps, strict=False)]
    zero = Fraction(0)
    rows_long: Rows = ((*q, 1 - sum(q, zero)), *(((*d, 1 - sum(d, zero)),) * 6))
    loss = loss_of(matrix(rows_long))
    yield _doubles(
        "six-pieces-of-one-pair: One pair of rows whose columns leave one after the other.",
        {"matrix": rows_long},
        f"SeveralPieces {CITED} thm:lfp_seg_func",
        edges={"L has at least five pieces": len(loss.pieces) >= 5},
    )


def _orders() -> Iterator[Draft]:
    entries: Rows = rows_of(*NAMED["DENSE"])
    expected = loss_of(matrix(NAMED["DENSE"])).coefficients
    for number, order in ((1, (3, 2, 1, 0)), (2, (1, 3, 0, 2))):
        rows = tuple(tuple(entries[j][k] for k in order) for j in order)
        yield _doubles(
            f"reordered-{number}: The four states of another case in another order, number {number}.",
            {"matrix": rows},
            f"SeveralPieces {CITED}",
            edges={"L is the same function": loss_of(matrix(rows)).coefficients == expected and rows != entries},
        )
    split = tuple((*row[:3], row[3] / 2, row[3] / 2) for row in (*entries, entries[3]))
    yield _doubles(
        "split-state: A state split in two that behave alike: L stays the same.",
        {"matrix": split},
        f"SeveralPieces EqualRowPair TiedRatios {CITED}",
        edges={"L is that of the matrix before": loss_of(matrix(split)).coefficients == expected},
    )


def _sizes() -> Iterator[Draft]:
    drawing = Drawing(23)
    for n in (5, 6, 12):
        yield _doubles(
            f"dense-{n}: A matrix of {n} states without zeros, in multiples of 2^−16.",
            {"matrix": drawing.rows(n, 16)},
            f"FiniteAtInfinity {'SeveralPieces' if n > 6 else ''} {CITED}",
        )
    yield _doubles(
        "fifty-states: Fifty states without zeros, in multiples of 2^−20.",
        {"matrix": drawing.rows(50, 20)},
        f"ManyStates SeveralPieces {CITED}",
        full=True,
    )
    yield _doubles(
        "fifty-sparse-states: Fifty states, up to six of them reached from each.",
        {"matrix": parts.sparse(50, 12, 29, 5)},
        f"ManyStates Sparse {CITED}",
        full=True,
    )
    for n in (3, 5, 8):
        yield _doubles(
            f"walk-of-{n}: A walk on {n} places.",
            {"matrix": parts.banded(n, 8, 31)},
            f"{'Banded DisjointSupports' if n > 4 else 'ZeroDenominator'} {CITED}",
        )


def _steps(moved: Fraction) -> Texts:
    """Return rows with three points of L on a line, but for the middle one, which is moved up."""
    eighth = Fraction(1, 8)
    return of_two(f"1/4 {eighth + moved} {eighth - moved} 1/2", "1/64 1/64 1/64 61/64")


def _meeting() -> Iterator[Draft]:
    collinear, above, beside = (
        _steps(Fraction(0)),
        _steps(Fraction(1, 2**30)),
        of_two(
            "1/4 1/8 1/8 1/2",
            f"1/64 {Fraction(1, 64) + Fraction(1, 2**30)} {Fraction(1, 64) - Fraction(1, 2**30)} 61/64",
        ),
    )
    yield _doubles(
        "three-meet: Three functions meet in one point, the middle one rules nowhere.",
        {"matrix": collinear},
        f"ConcurrentPieces TiedRatios {CITED} thm:gen_L_func",
        edges={"L has two pieces": len(loss_of(matrix(collinear)).pieces) == 2},
    )
    yield _doubles(
        "three-almost-meet-above: The middle one of three functions that almost meet has a short piece.",
        {"matrix": above},
        f"ShortPiece SeveralPieces {CITED} thm:gen_L_func",
        edges={"L has three pieces": len(loss_of(matrix(above)).pieces) == 3},
    )
    yield _doubles(
        "three-almost-meet-in-d: Two columns differ a little in d: three functions almost meet.",
        {"matrix": beside},
        f"ShortPiece SeveralPieces {CITED} thm:gen_L_func",
        edges={
            "the column with the smaller d comes first, so that L has three pieces": len(loss_of(matrix(beside)).pieces)
            == 3
        },
    )
    yield _exact(
        "three-meet-exact: Three functions meet in one point, in thirds.",
        {"matrix": of_two("1/3 1/6 1/6 1/3", "1/90 1/90 1/90 29/30")},
        f"ConcurrentPieces TiedRatios {CITED} thm:gen_L_func",
    )
    tiny = Fraction(1, 10**40)
    yield _exact(
        "short-piece-exact: A piece of relative length 10^−38 or so.",
        {"matrix": of_two(f"1/4 {Fraction(1, 8) + tiny} {Fraction(1, 8) - tiny} 1/2", "1/64 1/64 1/64 61/64")},
        f"ShortPiece {CITED}",
    )
    same = ("1/2 1/4 1/4", "1/4 1/2 1/4", "1/4 1/4 1/2")
    yield _doubles(
        "same-point-from-many-pairs: Six pairs of rows have the same function.",
        {"matrix": same},
        f"OnePiece FiniteAtInfinity {CITED}",
        edges={
            "each row over each other gives (1/2, 1/4) at once": all(
                max((a, b) for a, b in zip(q, d, strict=True) if a > b) == (Fraction(1, 2), Fraction(1, 4))
                for q, d in pairs(matrix(same))
            )
        },
    )
    tied = of_two("1/2 1/4 1/8 1/8", "1/8 1/16 1/32 25/32")
    yield _doubles(
        "tied-columns: All columns of x⁺ have the same ratio: they count together or not at all.",
        {"matrix": tied},
        "TiedRatios E14 thm:lfp_k_case",
    )


def _almost_tangent() -> Iterator[Draft]:
    for least in (36, 44, 52):
        tiny = Fraction(1, 2**least)
        row_q = (Fraction(5, 8), tiny, Fraction(3, 16), Fraction(3, 16) - tiny)
        row_d = (Fraction(1, 4), tiny / 2, Fraction(3, 8), Fraction(3, 8) - tiny / 2)
        rows = (row_q, row_d, row_d, row_d)
        pieces = loss_of(matrix(rows)).pieces
        yield _doubles(
            f"almost-tangent-2-{least}: A column of 2^−{least} against half of it leaves at e^α = 9: two pieces "
            "that all but touch there.",
            {"matrix": rows},
            f"AlmostTangent {CITED}",
            edges={
                "L has two pieces": len(pieces) == 2,
                "the second begins at e^α − 1 = 8": pieces[-1].start == 8,
                f"their coefficients differ by 2^−{least} and by half of it": (
                    pieces[0].q - pieces[-1].q == tiny and pieces[0].d - pieces[-1].d == tiny / 2
                ),
            },
        )


def _far() -> Iterator[Draft]:
    late = Fraction(1, 2**40)
    yield _doubles(
        "breakpoint-beyond-2-40: A breakpoint at e^α − 1 = 2^43 or so: columns with nearly tied ratios.",
        {"matrix": of_two(f"1/4 {Fraction(1, 8) - late} {Fraction(5, 8) + late}", "1/64 1/128 125/128")},
        f"FarBreakpoint {CITED}",
    )
    early = Fraction(1, 2**50)
    rows = ("5/8 3/8 0", "1/8 7/8 0", f"1/8 {Fraction(3, 8) + early} {Fraction(1, 2) - early}")
    yield _doubles(
        "breakpoint-before-2-40: A breakpoint next to e^α − 1 = 2^−46: two pairs differ nearly as much.",
        {"matrix": rows},
        f"FarBreakpoint {CITED}",
        edges={"L has two pieces": len(loss_of(matrix(rows)).pieces) == 2},
    )
    for least in (40, 300, 1000):
        tiny_rows = parts.tiny_denominator(least)
        yield _doubles(
            f"tiny-entry-2-{least}: A coefficient d of 2^−{least}, in rows that sum to exactly 1.",
            {"matrix": tiny_rows},
            f"TinyEntry {CITED}",
            certify=least == 40,
        )
    tiny = cascade(1074, 23)
    half = (Fraction(1, 2), Fraction(1, 2), *[Fraction(0)] * 21)
    yield _doubles(
        "least-double: A coefficient d of 2^−1074, the least positive double.",
        {"matrix": (half, *((tiny,) * 22))},
        f"SubnormalEntry {CITED}",
        certify=False,
    )
    for name, what, rows_near in parts.nearly_equal():
        yield _doubles(
            f"near-rows-{name}: Rows that differ by {what}.",
            {"matrix": rows_near},
            f"NearlyEqualRows FiniteAtInfinity {CITED}",
        )
    yield _doubles(
        "next-to-one: Entries 2^−53 and 1 − 2^−53.",
        {"matrix": parts.almost_identity()},
        f"EntryNextToOne FiniteAtInfinity {CITED}",
    )
