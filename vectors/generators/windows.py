"""`composition`: windows of one release, of two, of all and within a stream, and what the adversary knows."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from tploracle.reference import Level, composition, parse_level
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .asked import Asked
from .draft import Draft, draft
from .dyadic import Drawing
from .streams import KNOWN, given_to, worded

THEOREM_3 = ("thm:composition",)
STREAM = (0.5, 0.125, 0.25, 1.0, 0.0625, 0.75)


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _windows()
    yield from _what_is_known()
    yield from _special()
    yield from _sizes()


def _windows() -> Iterator[Draft]:
    """Yield windows of every kind in one stream."""
    kinds: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
        ("first-alone", 1, 1, ("WindowOfOne",)),
        ("third-alone", 3, 1, ("WindowOfOne",)),
        ("last-alone", 6, 1, ("WindowOfOne",)),
        ("first-two", 1, 2, ("WindowOfTwo",)),
        ("third-and-fourth", 3, 2, ("WindowOfTwo",)),
        ("last-two", 5, 2, ("WindowOfTwo",)),
        ("second-to-fifth", 2, 4, ("InnerWindow",)),
        ("third-to-fifth", 3, 3, ("InnerWindow",)),
        ("first-five", 1, 5, ("UnevenBudgets",)),
        ("last-five", 2, 5, ("UnevenBudgets",)),
        ("whole", 1, 6, ("WholeStream",)),
    )
    given = given_to(("backward", "forward"), shapes.MODERATE, shapes.SKEWED, STREAM)
    for name, start, length, flags in kinds:
        yield draft(
            "composition",
            name,
            f"{_named(start, length)} of six, both correlations known.",
            FLOAT64,
            {**given, "start": start, "length": length},
            cites=(*THEOREM_3, "tb:composition"),
            flags=flags,
            edges={"the window is within the stream": 1 <= start <= start + length - 1 <= len(STREAM)},
        )
    for name, start, length, flags in kinds[1::3]:
        yield draft(
            "composition",
            f"{name}-exact",
            f"{_named(start, length)} of six, with rational ratios.",
            RATIONAL,
            {
                "backward": shapes.PAPER_MODERATE,
                "forward": shapes.PAPER_SYMMETRIC,
                "start": start,
                "length": length,
                "epsilons": ["log(3/2)", "log(11/10)", "log(2)", "log(5/4)", "log(4/3)", "log(11/10)"],
            },
            cites=THEOREM_3,
            flags=(*flags, "LogLevel"),
        )


def _named(start: int, length: int) -> str:
    return f"Releases {start} to {start + length - 1}" if length > 1 else f"Release {start} alone"


def _what_is_known() -> Iterator[Draft]:
    for name, (flag, keys) in KNOWN.items():
        for length in (1, 3):
            yield draft(
                "composition",
                f"knows-{name}-{length}",
                f"A window of {length} in a stream of four, the adversary knows {worded(name)}.",
                FLOAT64,
                {
                    **given_to(keys, shapes.MODERATE, shapes.SKEWED, [0.5, 0.25, 1.0, 0.125]),
                    "start": 2,
                    "length": length,
                },
                cites=(*THEOREM_3, "thm:sequential_composition"),
                flags=(flag,),
            )


def _special() -> Iterator[Draft]:
    for name, what, rows, flags in (
        ("identity", "the identity", shapes.IDENTITY, ("Permutation",)),
        ("equal-rows", "equal rows", shapes.EQUAL, ("EqualRows",)),
        ("disjoint", "disjoint supports", shapes.DISJOINT, ("NoOneAgainstZero",)),
    ):
        for length in (1, 2, 4):
            yield draft(
                "composition",
                f"{name}-{length}",
                f"A window of {length} of four, {what} backward and forward.",
                FLOAT64,
                {
                    "backward": rows,
                    "forward": rows,
                    "epsilons": [0.5, 0.25, 1.0, 0.125],
                    "start": 1 if length == 4 else 2,
                    "length": length,
                },
                cites=THEOREM_3,
                flags=flags,
            )
    for name, what, budgets, flags in (
        ("zero", "one of which is 0", [0.5, 0.0, 0.5, 0.5], ("ZeroLevel",)),
        ("tiny", "all of 10^−12", [1e-12] * 4, ("TinyLevel",)),
        ("subnormal", "all of 2^−1074", [2.0**-1074] * 4, ("SubnormalLevel",)),
        ("large", "all of 40", [40.0] * 4, ("LargeLevel",)),
        ("million", "two of them 10^6", [0.5, 1e6, 0.5, 1e6], ("OverflowingLevel",)),
        ("overflowing", "two of them 710", [710.0, 0.5, 710.0, 0.5], ("OverflowingLevel",)),
        ("infinite-outside", "one of them ∞, outside the window", [inf, 0.5, 0.25, 0.5], ("InfiniteLevel",)),
        ("infinite-inside", "one of them ∞, inside the window", [0.5, 0.5, inf, 0.5], ("InfiniteLevel",)),
    ):
        yield draft(
            "composition",
            f"budgets-{name}",
            f"A window of two in a stream of four budgets, {what}.",
            FLOAT64,
            {"backward": shapes.MODERATE, "forward": shapes.SYMMETRIC, "epsilons": budgets, "start": 2, "length": 2},
            cites=THEOREM_3,
            flags=(*flags, "WindowOfTwo"),
        )
    yield draft(
        "composition",
        "user-level-tenths",
        "Corollary 1: all ten releases of 0.1 together leak 1 exactly.",
        RATIONAL,
        {
            "backward": shapes.PAPER_SYMMETRIC,
            "forward": shapes.PAPER_SYMMETRIC,
            "epsilons": ["0.1"] * 10,
            "start": 1,
            "length": 10,
        },
        cites=("col:user-level",),
        flags=("WholeStream", "ExactDecimal"),
    )
    yield draft(
        "composition",
        "user-level-doubles",
        "Corollary 1 with doubles: the sum of ten times the double next to 0.1.",
        FLOAT64,
        {"backward": shapes.SYMMETRIC, "forward": shapes.SYMMETRIC, "epsilons": [0.1] * 10, "start": 1, "length": 10},
        cites=("col:user-level",),
        flags=("WholeStream",),
        edges={"added from left to right in doubles it is not that sum": sum([0.1] * 9, 0.1) != 10 * 0.1},
    )
    witness = {
        "backward": ("0 1", "1/2 1/2"),
        "forward": ("0 1", "1/2 1/2"),
        "epsilons": ["log(2)"] * 4,
        "start": 2,
        "length": 2,
    }
    yield draft(
        "composition",
        "not-attained",
        "One transition is impossible: the sum of Theorem 3 is asked for, which is an upper bound.",
        RATIONAL,
        witness,
        cites=THEOREM_3,
        flags=("NotAttained", "WindowOfTwo"),
        edges={"BPL_2 and FPL_3 are log 3 each": _window_of_witness() == parse_level("log(9)")},
    )
    yield draft(
        "composition",
        "passes-pieces",
        "A window in a stream that passes from one piece of L to another.",
        FLOAT64,
        {"backward": shapes.DENSE, "forward": shapes.BOUNDED, "epsilons": [1.0] * 6, "start": 3, "length": 3},
        cites=THEOREM_3,
        flags=("PassesPieces", "InnerWindow"),
    )


def _window_of_witness() -> Level:
    rows = [["0", "1"], ["1/2", "1/2"]]
    asked = Asked("composition", "rational", {"backward": rows, "forward": rows, "epsilons": ["log(2)"] * 4})
    return composition(asked.leakage, asked.epsilons, 2, 2)


def _sizes() -> Iterator[Draft]:
    drawing = Drawing(71)
    for n in (6, 50):
        yield draft(
            "composition",
            f"dense-{n}",
            f"A window of three of five, matrices of {n} states.",
            FLOAT64,
            {
                "backward": drawing.rows(n, 20),
                "forward": drawing.rows(n, 20),
                "epsilons": [0.5, 0.25, 1.0, 0.125, 0.5],
                "start": 2,
                "length": 3,
            },
            cites=THEOREM_3,
            flags=("InnerWindow", "BothKnown"),
            full=n == 50,
        )
    yield draft(
        "composition",
        "long",
        "A window of fifty in a stream of a hundred releases.",
        FLOAT64,
        {"backward": shapes.SYMMETRIC, "forward": shapes.MODERATE, "epsilons": [0.1] * 100, "start": 26, "length": 50},
        cites=THEOREM_3,
        flags=("LongStream", "InnerWindow"),
    )
