"""`loss_function`: one piece and several, every kind of end, the states in another order, and many states."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .asked import loss_of
from .draft import Draft, draft
from .dyadic import Drawing, Rows, rows_of
from .row_facts import disjoint, one_against_zero, pairs
from .shapes import Texts, matrix

CITED = ("col:L_func",)


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _one_piece()
    yield from _several_pieces()
    yield from _orders()
    yield from _sizes()


def _one_piece() -> Iterator[Draft]:
    cases: tuple[tuple[str, str, str, Texts, tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = (
        ("one-state", "One state: L = 0", FLOAT64, shapes.ONE, ("SingleState",), (), ("eq:lfp_sol_b",)),
        (
            "equal-rows",
            "Equal rows: L = 0, one piece with q = d = 0",
            FLOAT64,
            shapes.EQUAL,
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
        ("identity", "The identity: L(α) = α", FLOAT64, shapes.IDENTITY, ("Permutation",), (), ("thm:algo_extreme2",)),
        ("cycle", "A cycle of three states", FLOAT64, shapes.CYCLE, ("Permutation",), (), ("thm:algo_extreme2",)),
        (
            "disjoint",
            "Disjoint supports without a 1: L(α) = α",
            FLOAT64,
            shapes.DISJOINT,
            ("NoOneAgainstZero",),
            ("E3",),
            ("thm:algo_extreme2",),
        ),
        (
            "symmetric",
            "Two states that tend to stay",
            FLOAT64,
            shapes.SYMMETRIC,
            ("CrossingZeroOverZero", "FiniteAtInfinity"),
            ("E7",),
            ("algo:gen_L_func",),
        ),
        (
            "skewed",
            "Two states, one of which is left more often",
            FLOAT64,
            shapes.SKEWED,
            ("CrossingZeroOverZero", "FiniteAtInfinity"),
            ("E7",),
            ("algo:gen_L_func",),
        ),
        (
            "moderate",
            "Two states, one transition impossible",
            FLOAT64,
            shapes.MODERATE,
            ("ZeroDenominator",),
            (),
            CITED,
        ),
        (
            "paper-moderate",
            "The paper's moderate correlation",
            RATIONAL,
            shapes.PAPER_MODERATE,
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
            shapes.EXAMPLE_4,
            ("DomainFromZero", "ExactDecimal"),
            ("E7",),
            2,
        ),
        (
            "worked-example",
            "The rows of the worked example of Algorithm 2",
            RATIONAL,
            shapes.WORKED,
            ("ZeroDenominator",),
            (),
            2,
        ),
        (
            "two-pieces",
            "Two pieces, of different pairs of rows",
            FLOAT64,
            shapes.TWO_PIECES,
            ("DomainFromZero",),
            ("E7",),
            2,
        ),
        (
            "dense",
            "Four pieces, the last with d = 0",
            FLOAT64,
            shapes.DENSE,
            ("SeveralPieces", "DomainFromZero"),
            ("E7",),
            4,
        ),
        (
            "bounded",
            "Three pieces, all with d > 0",
            FLOAT64,
            shapes.BOUNDED,
            ("SeveralPieces", "FiniteAtInfinity"),
            (),
            3,
        ),
        (
            "first-step",
            "The matrix on which the first step's pair misleads",
            RATIONAL,
            shapes.FIRST_STEP,
            ("ZeroDenominator",),
            (),
            2,
        ),
        (
            "smallest-first-step",
            "The smallest such matrix",
            RATIONAL,
            shapes.SMALLEST_FIRST_STEP,
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
    entries: Rows = rows_of(*shapes.DENSE)
    expected = loss_of(matrix(shapes.DENSE)).coefficients
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
        {"matrix": shapes.sparse(50, 12, 29, 5)},
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
            {"matrix": shapes.banded(n, 8, 31)},
            cites=CITED,
            flags=("Banded", "DisjointSupports") if n > 4 else ("ZeroDenominator",),
        )
