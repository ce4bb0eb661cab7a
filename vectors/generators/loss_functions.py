"""`loss_function`: pieces, ends, orders and sizes; functions that meet or almost meet, and breakpoints far away."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import input_parts
from .draft import Draft, draft
from .facts import disjoint, one_against_zero, pairs
from .input_parts import Drawing, Rows, Texts, cascade, matrix, of_two, rows_of
from .read_query import loss_of


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _one_piece()
    yield from _several_pieces()
    yield from _orders()
    yield from _sizes()
    yield from _meeting()
    yield from _far()
    yield from _almost_tangent()


CITED = ("col:L_func",)


def _one_piece() -> Iterator[Draft]:
    cases: tuple[tuple[str, str, str, Texts, tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = (
        ("one-state", "One state: L = 0", FLOAT64, input_parts.ONE_STATE, ("SingleState",), (), ("eq:lfp_sol_b",)),
        (
            "equal-rows",
            "Equal rows: L = 0, one piece with q = d = 0",
            FLOAT64,
            input_parts.EQUAL,
            ("EqualRows",),
            (),
            ("thm:algo_extreme1",),
        ),
        (
            "equal-rows-of-three",
            "Three equal rows, with a zero",
            FLOAT64,
            ("1/2 0 1/2",) * 3,
            ("EqualRows", "ZeroColumn"),
            (),
            ("thm:algo_extreme1",),
        ),
        (
            "identity",
            "The identity: L(α) = α",
            FLOAT64,
            input_parts.IDENTITY,
            ("Permutation",),
            (),
            ("thm:algo_extreme2",),
        ),
        ("cycle", "A cycle of three states", FLOAT64, input_parts.CYCLE, ("Permutation",), (), ("thm:algo_extreme2",)),
        (
            "disjoint",
            "Disjoint supports without a 1: L(α) = α",
            FLOAT64,
            input_parts.DISJOINT,
            ("NoOneAgainstZero",),
            ("E3",),
            ("thm:algo_extreme2",),
        ),
        (
            "symmetric",
            "Two states that tend to stay",
            FLOAT64,
            input_parts.DYADIC_SYMMETRIC,
            ("CrossingZeroOverZero", "FiniteAtInfinity"),
            ("E7",),
            ("algo:gen_L_func",),
        ),
        (
            "skewed",
            "Two states, one of which is left more often",
            FLOAT64,
            input_parts.SKEWED,
            ("CrossingZeroOverZero", "FiniteAtInfinity"),
            ("E7",),
            ("algo:gen_L_func",),
        ),
        (
            "moderate",
            "Two states, one transition impossible",
            FLOAT64,
            input_parts.DYADIC_MODERATE,
            ("ZeroDenominator",),
            (),
            CITED,
        ),
        (
            "paper-moderate",
            "The paper's moderate correlation",
            RATIONAL,
            input_parts.PAPER_MODERATE,
            ("ZeroDenominator", "ExactDecimal"),
            (),
            CITED,
        ),
        (
            "witness-of-7",
            "The witness of erratum 7: both ends have the same function",
            RATIONAL,
            ("4/5 1/5", "1/10 9/10"),
            ("CrossingZeroOverZero",),
            ("E7",),
            ("algo:gen_L_func",),
        ),
        (
            "one-row-differs",
            "Three rows are equal, the fourth is not",
            FLOAT64,
            (*("1/4 1/4 1/4 1/4",) * 3, "1/2 1/4 1/8 1/8"),
            ("TwoRowsOfMany",),
            (),
            CITED,
        ),
    )
    for name, what, numbers, rows, flags, errata, cites in cases:
        loss = loss_of(matrix(rows))
        only = name == "one-row-differs"
        yield draft(
            "loss_function",
            name,
            f"{what}.",
            numbers,
            {"matrix": rows},
            cites=cites,
            flags=flags if only else ("OnePiece", *flags),
            errata=errata,
            edges={"L is one function, or, of two distinct rows, a few": len(loss.pieces) == 1 or only},
        )
    late = ("1/4 1/4 1/4 1/4", "1/2 1/4 1/8 1/8", "0 3/4 1/4 0", "1/4 0 0 3/4")
    yield draft(
        "loss_function",
        "disjoint-last-rows",
        "Only the last two rows of four have disjoint supports, without a 1.",
        FLOAT64,
        {"matrix": late},
        cites=("thm:algo_extreme2",),
        flags=("NoOneAgainstZero", "OnePiece"),
        errata=("E3",),
        edges={
            "the printed condition is not met": not any(one_against_zero(q, d) for q, d in pairs(matrix(late))),
            "rows 3 and 4 alone have disjoint supports": [
                (j, k) for j, k in combinations(range(4), 2) if disjoint(matrix(late).rows[j], matrix(late).rows[k])
            ]
            == [(2, 3)],
        },
    )


def _several_pieces() -> Iterator[Draft]:
    cases: tuple[tuple[str, str, str, Texts, tuple[str, ...], tuple[str, ...], int], ...] = (
        (
            "example-4",
            "Example 4: two pieces, cut at log(13/3)",
            RATIONAL,
            input_parts.PAPER_EXAMPLE_4,
            ("DomainFromZero", "ExactDecimal"),
            ("E7",),
            2,
        ),
        (
            "worked-example",
            "The rows of the worked example of Algorithm 2",
            RATIONAL,
            input_parts.PAPER_WORKED,
            ("ZeroDenominator",),
            (),
            2,
        ),
        (
            "two-pieces",
            "Two pieces, of different pairs of rows",
            FLOAT64,
            input_parts.TWO_PIECES,
            ("DomainFromZero",),
            ("E7",),
            2,
        ),
        (
            "dense",
            "Four pieces, the last with d = 0",
            FLOAT64,
            input_parts.DENSE,
            ("SeveralPieces", "DomainFromZero"),
            ("E7",),
            4,
        ),
        (
            "bounded",
            "Three pieces, all with d > 0",
            FLOAT64,
            input_parts.BOUNDED,
            ("SeveralPieces", "FiniteAtInfinity"),
            (),
            3,
        ),
        (
            "first-step",
            "The matrix on which the first step's pair misleads",
            RATIONAL,
            input_parts.FIRST_STEP,
            ("ZeroDenominator",),
            (),
            2,
        ),
        (
            "smallest-first-step",
            "The smallest such matrix",
            RATIONAL,
            input_parts.SMALLEST_FIRST_STEP,
            ("EqualRowPair",),
            (),
            2,
        ),
        (
            "zero-column",
            "A state that no row leads to, and several pieces",
            FLOAT64,
            ("3/4 0 1/4 0", "1/4 0 5/8 1/8", "3/8 0 1/4 3/8", "1/2 0 1/4 1/4"),
            ("ZeroColumn",),
            (),
            2,
        ),
    )
    for name, what, numbers, rows, flags, errata, count in cases:
        yield draft(
            "loss_function",
            name,
            f"{what}.",
            numbers,
            {"matrix": rows},
            cites=(*CITED, "algo:gen_L_func"),
            flags=flags,
            errata=errata,
            edges={f"L has {count} pieces": len(loss_of(matrix(rows)).pieces) == count},
        )
    steps = [Fraction(4**k, 4**6) for k in range(7)]
    q = [Fraction(1, 2 ** (k + 1)) for k in range(6)]
    d = [entry * step for entry, step in zip(q, steps, strict=False)]
    zero = Fraction(0)
    rows_long: Rows = ((*q, 1 - sum(q, zero)), *(((*d, 1 - sum(d, zero)),) * 6))
    loss = loss_of(matrix(rows_long))
    yield draft(
        "loss_function",
        "six-pieces-of-one-pair",
        "One pair of rows whose columns leave one after the other.",
        FLOAT64,
        {"matrix": rows_long},
        cites=(*CITED, "thm:lfp_seg_func"),
        flags=("SeveralPieces",),
        edges={"L has at least five pieces": len(loss.pieces) >= 5},
    )


def _orders() -> Iterator[Draft]:
    entries: Rows = rows_of(*input_parts.DENSE)
    expected = loss_of(matrix(input_parts.DENSE)).coefficients
    for number, order in ((1, (3, 2, 1, 0)), (2, (1, 3, 0, 2))):
        rows = tuple(tuple(entries[j][k] for k in order) for j in order)
        yield draft(
            "loss_function",
            f"reordered-{number}",
            f"The four states of another case in another order, number {number}.",
            FLOAT64,
            {"matrix": rows},
            cites=CITED,
            flags=("SeveralPieces",),
            edges={"L is the same function": loss_of(matrix(rows)).coefficients == expected and rows != entries},
        )
    split = tuple((*row[:3], row[3] / 2, row[3] / 2) for row in (*entries, entries[3]))
    yield draft(
        "loss_function",
        "split-state",
        "A state split in two that behave alike: L stays the same.",
        FLOAT64,
        {"matrix": split},
        cites=CITED,
        flags=("SeveralPieces", "EqualRowPair", "TiedRatios"),
        edges={"L is that of the matrix before": loss_of(matrix(split)).coefficients == expected},
    )


def _sizes() -> Iterator[Draft]:
    drawing = Drawing(23)
    for n in (5, 6, 12):
        yield draft(
            "loss_function",
            f"dense-{n}",
            f"A matrix of {n} states without zeros, in multiples of 2^−16.",
            FLOAT64,
            {"matrix": drawing.rows(n, 16)},
            cites=CITED,
            flags=("FiniteAtInfinity", "SeveralPieces")[: 1 + (n > 6)],
        )
    yield draft(
        "loss_function",
        "fifty-states",
        "Fifty states without zeros, in multiples of 2^−20.",
        FLOAT64,
        {"matrix": drawing.rows(50, 20)},
        cites=CITED,
        flags=("ManyStates", "SeveralPieces"),
        full=True,
    )
    yield draft(
        "loss_function",
        "fifty-sparse-states",
        "Fifty states, up to six of them reached from each.",
        FLOAT64,
        {"matrix": input_parts.sparse(50, 12, 29, 5)},
        cites=CITED,
        flags=("ManyStates", "Sparse"),
        full=True,
    )
    for n in (3, 5, 8):
        yield draft(
            "loss_function",
            f"walk-of-{n}",
            f"A walk on {n} places.",
            FLOAT64,
            {"matrix": input_parts.banded(n, 8, 31)},
            cites=CITED,
            flags=("Banded", "DisjointSupports") if n > 4 else ("ZeroDenominator",),
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
    yield draft(
        "loss_function",
        "three-meet",
        "Three functions meet in one point, the middle one rules nowhere.",
        FLOAT64,
        {"matrix": collinear},
        cites=(*CITED, "thm:gen_L_func"),
        flags=("ConcurrentPieces", "TiedRatios"),
        edges={"L has two pieces": len(loss_of(matrix(collinear)).pieces) == 2},
    )
    yield draft(
        "loss_function",
        "three-almost-meet-above",
        "The middle one of three functions that almost meet has a short piece.",
        FLOAT64,
        {"matrix": above},
        cites=(*CITED, "thm:gen_L_func"),
        flags=("ShortPiece", "SeveralPieces"),
        edges={"L has three pieces": len(loss_of(matrix(above)).pieces) == 3},
    )
    yield draft(
        "loss_function",
        "three-almost-meet-in-d",
        "Two columns differ a little in d: three functions almost meet.",
        FLOAT64,
        {"matrix": beside},
        cites=(*CITED, "thm:gen_L_func"),
        flags=("ShortPiece", "SeveralPieces"),
        edges={
            "the column with the smaller d comes first, so that L has three pieces": len(loss_of(matrix(beside)).pieces)
            == 3
        },
    )
    yield draft(
        "loss_function",
        "three-meet-exact",
        "Three functions meet in one point, in thirds.",
        RATIONAL,
        {"matrix": of_two("1/3 1/6 1/6 1/3", "1/90 1/90 1/90 29/30")},
        cites=(*CITED, "thm:gen_L_func"),
        flags=("ConcurrentPieces", "TiedRatios"),
    )
    tiny = Fraction(1, 10**40)
    yield draft(
        "loss_function",
        "short-piece-exact",
        "A piece of relative length 10^−38 or so.",
        RATIONAL,
        {"matrix": of_two(f"1/4 {Fraction(1, 8) + tiny} {Fraction(1, 8) - tiny} 1/2", "1/64 1/64 1/64 61/64")},
        cites=CITED,
        flags=("ShortPiece",),
    )
    same = ("1/2 1/4 1/4", "1/4 1/2 1/4", "1/4 1/4 1/2")
    yield draft(
        "loss_function",
        "same-point-from-many-pairs",
        "Six pairs of rows have the same function.",
        FLOAT64,
        {"matrix": same},
        cites=CITED,
        flags=("OnePiece", "FiniteAtInfinity"),
        edges={
            "each row over each other gives (1/2, 1/4) at once": all(
                max((a, b) for a, b in zip(q, d, strict=True) if a > b) == (Fraction(1, 2), Fraction(1, 4))
                for q, d in pairs(matrix(same))
            )
        },
    )
    tied = of_two("1/2 1/4 1/8 1/8", "1/8 1/16 1/32 25/32")
    yield draft(
        "loss_function",
        "tied-columns",
        "All columns of x⁺ have the same ratio: they count together or not at all.",
        FLOAT64,
        {"matrix": tied},
        cites=("thm:lfp_k_case",),
        flags=("TiedRatios",),
        errata=("E14",),
    )


def _almost_tangent() -> Iterator[Draft]:
    for least in (36, 44, 52):
        tiny = Fraction(1, 2**least)
        row_q = (Fraction(5, 8), tiny, Fraction(3, 16), Fraction(3, 16) - tiny)
        row_d = (Fraction(1, 4), tiny / 2, Fraction(3, 8), Fraction(3, 8) - tiny / 2)
        rows = (row_q, row_d, row_d, row_d)
        pieces = loss_of(matrix(rows)).pieces
        yield draft(
            "loss_function",
            f"almost-tangent-2-{least}",
            f"A column of 2^−{least} against half of it leaves at e^α = 9: two pieces that all but touch there.",
            FLOAT64,
            {"matrix": rows},
            cites=CITED,
            flags=("AlmostTangent",),
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
    yield draft(
        "loss_function",
        "breakpoint-beyond-2-40",
        "A breakpoint at e^α − 1 = 2^43 or so: columns with nearly tied ratios.",
        FLOAT64,
        {"matrix": of_two(f"1/4 {Fraction(1, 8) - late} {Fraction(5, 8) + late}", "1/64 1/128 125/128")},
        cites=CITED,
        flags=("FarBreakpoint",),
    )
    early = Fraction(1, 2**50)
    rows = ("5/8 3/8 0", "1/8 7/8 0", f"1/8 {Fraction(3, 8) + early} {Fraction(1, 2) - early}")
    yield draft(
        "loss_function",
        "breakpoint-before-2-40",
        "A breakpoint next to e^α − 1 = 2^−46: two pairs differ nearly as much.",
        FLOAT64,
        {"matrix": rows},
        cites=CITED,
        flags=("FarBreakpoint",),
        edges={"L has two pieces": len(loss_of(matrix(rows)).pieces) == 2},
    )
    for least in (40, 300, 1000):
        tiny_rows = input_parts.tiny_denominator(least)
        yield draft(
            "loss_function",
            f"tiny-entry-2-{least}",
            f"A coefficient d of 2^−{least}, in rows that sum to exactly 1.",
            FLOAT64,
            {"matrix": tiny_rows},
            cites=CITED,
            flags=("TinyEntry",),
            certify=least == 40,
        )
    tiny = cascade(1074, 23)
    half = (Fraction(1, 2), Fraction(1, 2), *[Fraction(0)] * 21)
    yield draft(
        "loss_function",
        "least-double",
        "A coefficient d of 2^−1074, the least positive double.",
        FLOAT64,
        {"matrix": (half, *((tiny,) * 22))},
        cites=CITED,
        flags=("SubnormalEntry",),
        certify=False,
    )
    for name, moved in (("2-40", Fraction(1, 2**40)), ("one-ulp", Fraction(1, 2**54))):
        yield draft(
            "loss_function",
            f"near-rows-{name}",
            f"Rows that differ by {name.replace('2-', '2^−').replace('-', ' ')}.",
            FLOAT64,
            {"matrix": input_parts.near(("1/4 3/8 3/8",) * 3, moved)},
            cites=CITED,
            flags=("NearlyEqualRows", "FiniteAtInfinity"),
        )
    yield draft(
        "loss_function",
        "next-to-one",
        "Entries 2^−53 and 1 − 2^−53.",
        FLOAT64,
        {
            "matrix": (
                f"{1 - Fraction(1, 2**53)} {Fraction(1, 2**53)}",
                f"{Fraction(1, 2**53)} {1 - Fraction(1, 2**53)}",
            )
        },
        cites=CITED,
        flags=("EntryNextToOne", "FiniteAtInfinity"),
    )
