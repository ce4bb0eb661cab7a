"""`loss_function` where pieces meet in one point, are short, or end far away."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .asked import loss_of
from .draft import Draft, draft
from .dyadic import cascade
from .loss_functions import CITED
from .row_facts import pairs
from .shapes import Texts, matrix, of_two


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _meeting()
    yield from _far()


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
        tiny_rows = shapes.tiny_denominator(least)
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
            {"matrix": shapes.near(("1/4 3/8 3/8",) * 3, moved)},
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
