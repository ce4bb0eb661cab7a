"""`loss` at every branch of Algorithms 1, 3 and 5, at and beside transition points, and where the printed ones fail."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tploracle.reference import Level
from tploracle.reference.decimals import fraction_to_text
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .asked import loss_of
from .draft import Draft, draft
from .row_facts import log_of, removals, transitions
from .shapes import Texts, matrix, of_two

ONE_LEAVES: Texts = of_two("3/8 3/8 1/4", "1/8 1/4 5/8")
TWO_LEAVE: Texts = of_two("3/8 1/4 1/4 1/8", "1/8 1/8 1/8 5/8")
ONE_AFTER_ANOTHER: Texts = of_two("3/8 3/8 1/4 0", "1/8 1/4 1/8 1/2")
THREE_TURNS: Texts = of_two("1/2 3/16 5/32 1/8 1/32", "0 1/16 3/32 7/64 47/64")


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _turns()
    yield from _as_printed()


def _turns() -> Iterator[Draft]:
    """Yield x⁺ that stays whole, loses one column, several at once, or several in turn."""
    cases: tuple[tuple[str, str, Texts, float, tuple[str, ...], list[int]], ...] = (
        (
            "none-leaves",
            "Three columns stay in x⁺",
            of_two("3/8 3/8 1/8 1/8", "1/8 1/8 1/16 11/16"),
            0.125,
            ("StaysWhole",),
            [],
        ),
        ("one-leaves", "One of two columns leaves x⁺", ONE_LEAVES, 3, ("OneRemoval", "EndlessLoop"), [1]),
        ("two-leave", "Two of three columns leave x⁺ at once", TWO_LEAVE, 3, ("SeveralRemoved", "TiedRatios"), [2]),
        (
            "one-after-another",
            "A column leaves x⁺ because another left before it",
            ONE_AFTER_ANOTHER,
            3,
            ("RepeatedRemoval", "EndlessLoop"),
            [1, 1],
        ),
    )
    for name, what, rows, alpha, flags, expected in cases:
        q, d = matrix(rows).rows[:2]
        printed = ("E2",) if "EndlessLoop" in flags else ()
        yield draft(
            "loss",
            f"{name}-doubles",
            f"{what}, at α = {alpha}.",
            FLOAT64,
            {"matrix": rows, "alpha": alpha},
            cites=("algo:cal_bpl",),
            flags=flags,
            errata=printed,
            edges={
                f"the turns of Algorithm 1 for rows 1 and 2 remove {expected or 'nothing'}": removals(
                    q, d, Level.of(Fraction(alpha))
                )
                == expected
            },
        )
        ratio = Fraction(9, 8) if name == "none-leaves" else Fraction(20)
        yield draft(
            "loss",
            f"{name}-exact",
            f"{what}, at e^α = {ratio}.",
            RATIONAL,
            {"matrix": rows, "alpha": f"log({fraction_to_text(ratio)})"},
            cites=("algo:cal_bpl",),
            flags=(*flags, "LogLevel"),
            errata=printed,
            edges={
                f"the turns of Algorithm 1 for rows 1 and 2 remove {expected or 'nothing'}": removals(
                    q, d, Level.of_ratio(ratio)
                )
                == expected
            },
        )
    witness = of_two("0 1/3 2/3", "1/3 2/3 0")
    yield draft(
        "loss",
        "endless-loop-witness",
        "The smallest matrix on which the printed Algorithm 1 goes on for ever.",
        RATIONAL,
        {"matrix": witness, "alpha": "log(10)"},
        cites=("algo:cal_bpl",),
        flags=("EndlessLoop",),
        errata=("E2",),
    )
    q, d = matrix(THREE_TURNS).rows[:2]
    for alpha in (1, 2, 4, 8):
        yield draft(
            "loss",
            f"shrinking-at-{alpha}",
            f"The set x⁺ shrinks as α grows, here at α = {alpha}.",
            FLOAT64,
            {"matrix": THREE_TURNS, "alpha": alpha},
            cites=("algo:cal_bpl", "thm:lfp_seg_func"),
            flags=("DividesByZero",),
            errata=("E2",),
            edges={
                "four columns have q_j > d_j, and at least three transition points are finite": sum(
                    a > b for a, b in zip(q, d, strict=True)
                )
                == 4
                and len(transitions(q, d)) >= 3
            },
        )


def _as_printed() -> Iterator[Draft]:
    """Yield the witnesses of what is wrong in Algorithms 2, 3 and 5 as printed."""
    for name, numbers, rows, alpha in (
        ("witness", RATIONAL, shapes.WORKED, "log(4)"),
        ("doubles", FLOAT64, of_two("1/4 1/4 1/2", "1/8 0 7/8"), 1.5),
        ("bounded", FLOAT64, shapes.BOUNDED, 0.75),
    ):
        yield draft(
            "loss",
            f"plus-one-{name}",
            "Without the “+ 1” of Theorem 9 a column is dropped too early, and L is understated.",
            numbers,
            {"matrix": rows, "alpha": alpha},
            cites=("algo:precomp1", "thm:lfp_seg_func"),
            flags=("PlusOneMissing",),
            errata=("E4",),
        )
    for name, numbers, rows, alpha in (
        ("witness", RATIONAL, shapes.WORKED, "log(2)"),
        ("doubles", FLOAT64, of_two("1/4 1/4 1/2", "1/8 0 7/8"), 0.25),
        ("equal-rows", FLOAT64, ("1/2 1/2", "1/2 1/2"), 1.0),
    ):
        yield draft(
            "loss",
            f"no-index-{name}",
            "Below the last transition point the printed search finds no index.",
            numbers,
            {"matrix": rows, "alpha": alpha},
            cites=("algo:calc_precomp", "Worked example of Algorithm 2"),
            flags=("NoIndexFound",),
            errata=("E5",),
        )
    for name, numbers, rows, alpha in (
        ("witness", RATIONAL, shapes.IDENTITY, "log(2)"),
        ("symmetric", FLOAT64, shapes.SYMMETRIC, 1.0),
        ("dense", FLOAT64, shapes.DENSE, 3.0),
    ):
        yield draft(
            "loss",
            f"divided-by-itself-{name}",
            "Line 5 of Algorithm 3 as printed divides qArr by qArr: no loss at all.",
            numbers,
            {"matrix": rows, "alpha": alpha},
            cites=("algo:calc_precomp",),
            flags=("DividesByItself",),
            errata=("E6",),
        )
    stops = [piece.stop for piece in loss_of(matrix(shapes.DENSE)).pieces if piece.stop is not None]
    for number, alpha in enumerate((1.25, 2.0, 2.5, 4.0), 1):
        level = Level.of(Fraction(alpha))
        yield draft(
            "loss",
            f"piece-{number}-of-four",
            f"A level in piece {number} of the four of L.",
            FLOAT64,
            {"matrix": shapes.DENSE, "alpha": alpha},
            cites=("algo:cal_bpl_func", "col:L_func"),
            flags=("BeyondFirstPiece",) if number > 1 else ("NoPieceFound",),
            errata=("E34",) if number == 1 else (),
            edges={"that piece rules": sum(level > log_of(stop) for stop in stops) == number - 1},
        )
    for number, stop in enumerate(stops, 1):
        yield draft(
            "loss",
            f"breakpoint-{number}-of-three",
            f"Exactly the breakpoint {number} of L.",
            RATIONAL,
            {"matrix": shapes.DENSE, "alpha": f"log({fraction_to_text(1 + stop)})"},
            cites=("algo:cal_bpl_func", "thm:gen_L_func"),
            flags=("LogLevel", "NoPieceFound"),
            errata=("E34",),
            edges={"two pieces have the same value there": _meet(stop, number)},
        )
    for name, alpha in (("below", "log(4)"), ("above", "log(5)")):
        yield draft(
            "loss",
            f"example-4-{name}",
            f"Example 4 {name} its transition point log(13/3).",
            RATIONAL,
            {"matrix": shapes.EXAMPLE_4, "alpha": alpha},
            cites=("example:L_func", "algo:cal_bpl_func"),
            flags=("NoPieceFound", "ExactDecimal"),
            errata=("E34",),
        )


def _meet(stop: Fraction, number: int) -> bool:
    before, after = loss_of(matrix(shapes.DENSE)).pieces[number - 1 : number + 1]
    return (before.q * stop + 1) * (after.d * stop + 1) == (after.q * stop + 1) * (before.d * stop + 1)
