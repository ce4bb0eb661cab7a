"""`loss` for matrices that are special by their rows: their supports, zeros, and rows that are equal or nearly so."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf

from tploracle.reference import INFINITE, Level
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .asked import loss_of
from .draft import Draft, Raw, draft
from .dyadic import Rows
from .row_facts import NEAR, disjoint, one_against_zero, pairs
from .shapes import matrix


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _supports()
    yield from _near_rows()


def _supports() -> Iterator[Draft]:
    disjoint_rows = matrix(shapes.DISJOINT)
    first, second = disjoint_rows.rows[:2]
    for name, alpha in (("1", 1), ("40", 40), ("710", 710), ("inf", inf)):
        level = INFINITE if alpha == inf else Level.of(Fraction(alpha))
        yield draft(
            "loss",
            f"disjoint-without-a-one-at-{name}",
            f"Rows (1/2, 1/2, 0, 0) and (0, 0, 1/2, 1/2) tell two values apart for certain, at α = {name}.",
            FLOAT64,
            {"matrix": shapes.DISJOINT, "alpha": alpha},
            cites=("thm:algo_extreme2",),
            flags=("DisjointSupports", "NoOneAgainstZero"),
            errata=("E3",),
            edges={
                "rows 1 and 2 have disjoint supports": disjoint(first, second),
                "no column has a 1 against a 0": not any(one_against_zero(q, d) for q, d in pairs(disjoint_rows)),
                "L(α) = α": loss_of(disjoint_rows)(level) == level,
            },
        )
    yield draft(
        "loss",
        "disjoint-exact",
        "The witness of erratum 3 in thirds, where e^α is 10.",
        RATIONAL,
        {"matrix": ("1/3 2/3 0 0", "0 0 2/3 1/3", "1/4 1/4 1/4 1/4", "1/3 0 0 2/3"), "alpha": "log(10)"},
        cites=("thm:algo_extreme2",),
        flags=("DisjointSupports", "NoOneAgainstZero", "LogLevel"),
        errata=("E3",),
    )
    yield draft(
        "loss",
        "disjoint-rows-far-apart",
        "Of five rows only the last two have disjoint supports.",
        FLOAT64,
        {
            "matrix": (
                "1/4 1/4 1/4 1/8 1/8",
                "1/8 1/8 1/4 1/4 1/4",
                "1/2 1/8 1/8 1/8 1/8",
                "3/4 0 1/4 0 0",
                "0 1/4 0 1/2 1/4",
            ),
            "alpha": 2,
        },
        cites=("thm:algo_extreme2",),
        flags=("DisjointSupports", "NoOneAgainstZero", "LatePair"),
        errata=("E3",),
    )
    sharing = shapes.of_two(f"{1 - NEAR} {NEAR} 0", f"0 {NEAR} {1 - NEAR}")
    yield draft(
        "loss",
        "all-but-disjoint",
        "Two rows share one column, with 2^−40 in both: L is not the identity.",
        FLOAT64,
        {"matrix": sharing, "alpha": 30},
        cites=("thm:algo_extreme2",),
        flags=("TinyEntry", "ZeroDenominator"),
        edges={"no two rows have disjoint supports": not any(disjoint(q, d) for q, d in pairs(matrix(sharing)))},
    )
    for name, alpha in (("1", 1), ("inf", inf)):
        yield draft(
            "loss",
            f"zero-column-at-{name}",
            f"No row leads to state 2, at α = {name}.",
            FLOAT64,
            {"matrix": ("1/2 0 1/2", "1/4 0 3/4", "3/4 0 1/4"), "alpha": alpha},
            cites=("eq:cond1",),
            flags=("ZeroColumn",),
        )
    yield draft(
        "loss",
        "zero-column-with-zero-denominators",
        "Beside a state that nobody enters some transitions are impossible.",
        FLOAT64,
        {"matrix": ("1/2 0 1/2 0", "0 0 3/4 1/4", "1/4 0 1/4 1/2", "1/8 0 7/8 0"), "alpha": 3},
        cites=("eq:cond1",),
        flags=("ZeroColumn", "ZeroDenominator", "DividesByZero"),
        errata=("E2",),
    )
    for name, level_given, numbers in (("doubles", 1, FLOAT64), ("exact", "log(2)", RATIONAL)):
        yield draft(
            "loss",
            f"identity-divides-by-zero-{name}",
            "The strongest correlation: q_j/d_j is 1/0 in every pair.",
            numbers,
            {"matrix": shapes.IDENTITY, "alpha": level_given},
            cites=("algo:cal_bpl", "thm:algo_extreme2"),
            flags=("DividesByZero", "Permutation"),
            errata=("E2",),
        )
    yield draft(
        "loss",
        "minus-zero",
        "A probability of −0 is a probability of 0.",
        FLOAT64,
        {"matrix": Raw([["0x1.8p-1", "0x1p-2"], ["-0x0p+0", "0x1p+0"]]), "alpha": 1},
        cites=("def:temporal_corr",),
        flags=("MinusZero", "ZeroDenominator"),
    )


def _near_rows() -> Iterator[Draft]:
    base = ("1/4 3/8 3/8",) * 3
    for name, moved in (("2-40", Fraction(1, 2**40)), ("2-52", Fraction(1, 2**52)), ("one-ulp", Fraction(1, 2**54))):
        rows = shapes.near(base, moved)
        for at, alpha in (("1e-12", 1e-12), ("1", 1), ("40", 40), ("inf", inf)):
            yield draft(
                "loss",
                f"near-rows-{name}-at-{at}",
                f"Three rows that differ by {_named(moved)} in two columns, at α = {at}.",
                FLOAT64,
                {"matrix": rows, "alpha": alpha},
                cites=("thm:algo_extreme1",),
                flags=("NearlyEqualRows",),
                edges={
                    "no two rows are equal": len(set(rows)) == 3,
                    "1 + L is 1, or next to it, in doubles": _next_to_one(rows, alpha),
                },
            )
    yield draft(
        "loss",
        "near-rows-exact",
        "Rows that differ by 10^−30.",
        RATIONAL,
        {"matrix": shapes.near(("1/3 1/3 1/3",) * 3, Fraction(1, 10**30)), "alpha": "log(2)"},
        cites=("thm:algo_extreme1",),
        flags=("NearlyEqualRows", "LogLevel"),
    )
    yield draft(
        "loss",
        "equal-pair-among-others",
        "Rows 1 and 3 are equal, row 2 is not.",
        FLOAT64,
        {"matrix": ("1/2 1/4 1/4", "1/8 1/2 3/8", "1/2 1/4 1/4"), "alpha": 2},
        cites=("thm:algo_extreme1",),
        flags=("EqualRowPair", "TwoRowsOfMany"),
    )
    yield draft(
        "loss",
        "one-row-of-five-differs",
        "Four rows are equal and the last one is not.",
        FLOAT64,
        {"matrix": (*("1/2 1/8 1/8 1/8 1/8",) * 4, "1/8 1/8 1/8 1/8 1/2"), "alpha": 1},
        cites=("eq:lfp_sol_b",),
        flags=("EqualRowPair", "TwoRowsOfMany"),
    )
    yield draft(
        "loss",
        "equal-rows-of-four",
        "Four equal rows, one of their entries 0.",
        FLOAT64,
        {"matrix": ("1/2 0 3/8 1/8",) * 4, "alpha": 5},
        cites=("thm:algo_extreme1",),
        flags=("EqualRows", "ZeroColumn"),
    )
    yield draft(
        "loss",
        "equal-rows-exact",
        "Equal rows in thirds and a transcendental ratio.",
        RATIONAL,
        {"matrix": ("1/3 2/3",) * 2, "alpha": "1"},
        cites=("thm:algo_extreme1",),
        flags=("EqualRows",),
    )


def _named(value: Fraction) -> str:
    return f"2^−{value.denominator.bit_length() - 1}"


def _next_to_one(rows: Rows, alpha: float) -> bool:
    loss = loss_of(matrix(rows))(INFINITE if alpha == inf else Level.of(Fraction(alpha)))
    return not loss.is_zero and loss < Level.of(Fraction(1, 2**16))
