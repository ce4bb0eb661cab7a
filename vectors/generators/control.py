"""`control`: the budget that is left below a cap, from all of it down to nothing, with the doubles on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf

from tploracle.reference import Level
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .asked import loss_of
from .draft import Draft, draft
from .dyadic import Drawing, doubles_beside, part_above, shown_level
from .row_facts import as_near
from .shapes import matrix

SECTION_5 = ("algo:release2", "eq:bpl_f")


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _ordinary()
    yield from _at_the_cap()
    yield from _levels()
    yield from _special()


def _ordinary() -> Iterator[Draft]:
    for name, rows in (
        ("symmetric", shapes.SYMMETRIC),
        ("moderate", shapes.MODERATE),
        ("dense", shapes.DENSE),
        ("bounded", shapes.BOUNDED),
    ):
        for at, previous, cap in (
            ("first", 0.0, 1.0),
            ("below", 0.5, 1.0),
            ("at-cap", 1.0, 1.0),
            ("above", 1.125, 1.0),
        ):
            level, limit = Level.of(Fraction(previous)), Level.of(Fraction(cap))
            yield draft(
                "control",
                f"{name}-{at}",
                f"A budget after BPL {previous:g} below a cap of {cap:g}.",
                FLOAT64,
                {"matrix": rows, "previous": previous, "cap": cap},
                cites=SECTION_5,
                flags=("FirstRelease",) if at == "first" else (),
                edges={"what is carried over is below the cap": loss_of(matrix(rows))(level) < limit},
            )
    for name, spent, limit_text in (
        ("ratios", "log(3/2)", "log(2)"),
        ("decimals", "0.1", "0.3"),
        ("mixed", "log(3/2)", "1"),
        ("surd", "log((7+sqrt(33))/8)", "log(3)"),
        ("first", "0", "log(2)"),
        ("inf", "log(2)", "inf"),
    ):
        yield draft(
            "control",
            f"exact-{name}",
            f"A budget after BPL {spent} below a cap of {limit_text}.",
            RATIONAL,
            {"matrix": shapes.PAPER_MODERATE, "previous": spent, "cap": limit_text},
            cites=SECTION_5,
            flags=("ExactDecimal",),
        )


def _at_the_cap() -> Iterator[Draft]:
    """Yield caps at what is carried over, at the doubles beside it, and one part in 10^12 above."""
    for name, rows, previous in (
        ("symmetric", shapes.SYMMETRIC, 1.0),
        ("moderate", shapes.MODERATE, 0.75),
        ("dense", shapes.DENSE, 2.0),
    ):
        carried = loss_of(matrix(rows))(Level.of(Fraction(previous)))
        below, above = doubles_beside(carried)
        yield draft(
            "control",
            f"{name}-cap-next-above",
            "The cap is the double just above what is carried over.",
            FLOAT64,
            {"matrix": rows, "previous": previous, "cap": above},
            cites=SECTION_5,
            flags=("JustUnderCap",),
            edges={"no double lies between": Level.of(Fraction(below)) < carried < Level.of(Fraction(above))},
        )
        yield draft(
            "control",
            f"{name}-cap-part-above",
            "The cap is one part in 10^12 above what is carried over.",
            FLOAT64,
            {"matrix": rows, "previous": previous, "cap": part_above(carried)},
            cites=SECTION_5,
            flags=("JustUnderCap",),
            edges=as_near("part-above", part_above(carried), carried),
        )
        yield draft(
            "control",
            f"{name}-cap-next-below",
            "The cap is the double just below what is carried over.",
            FLOAT64,
            {"matrix": rows, "previous": previous, "cap": below},
            cites=SECTION_5,
            flags=("CarriedOver",),
            error="InfeasibleBudget",
        )
    for name, numbers, rows, spent, cap in (
        ("identity", FLOAT64, shapes.IDENTITY, 0.5, 0.5),
        ("disjoint", FLOAT64, shapes.DISJOINT, 0.5, 0.5),
        ("exact", RATIONAL, shapes.PAPER_MODERATE, "log(2)", "log(9/5)"),
        ("zero", FLOAT64, shapes.SYMMETRIC, 0.0, 0.0),
    ):
        yield draft(
            "control",
            f"exactly-at-cap-{name}",
            "What is carried over is exactly the cap.",
            numbers,
            {"matrix": rows, "previous": spent, "cap": cap},
            cites=SECTION_5,
            flags=("ExactlyAtCap",),
            error="InfeasibleBudget",
        )
    ratio = Fraction(9, 5) + Fraction(1, 10**40)
    yield draft(
        "control",
        "just-under-cap-exact",
        "The cap's ratio is 10^−40 above what is carried over.",
        RATIONAL,
        {"matrix": shapes.PAPER_MODERATE, "previous": "log(2)", "cap": f"log({ratio})"},
        cites=SECTION_5,
        flags=("JustUnderCap",),
        edges={
            "what is carried over is log(9/5)": loss_of(matrix(shapes.PAPER_MODERATE))(Level.of_ratio(2))
            == Level.of_ratio(Fraction(9, 5))
        },
    )


def _levels() -> Iterator[Draft]:
    cases: tuple[tuple[str, float, float, tuple[str, ...]], ...] = (
        ("tiny", 1e-12, 2e-12, ("TinyLevel",)),
        ("subnormal", 2.0**-1074, 2.0**-1073, ("SubnormalLevel",)),
        ("40", 40.0, 41.0, ("LargeLevel",)),
        ("710", 710.0, 710.0, ("OverflowingLevel",)),
        ("million", 1e6, 1e6, ("OverflowingLevel",)),
        ("tiny-below-large-cap", 1e-12, 40.0, ("TinyLevel", "LargeLevel")),
        ("cap-inf", 1.0, inf, ("InfiniteLevel",)),
        ("both-inf", inf, inf, ("InfiniteLevel",)),
    )
    for name, previous, cap, flags in cases:
        for matrix_name, rows in (("symmetric", shapes.SYMMETRIC), ("moderate", shapes.MODERATE)):
            yield draft(
                "control",
                f"level-{name}-{matrix_name}",
                f"What is left below a cap of {shown_level(cap)} after BPL {shown_level(previous)}.",
                FLOAT64,
                {"matrix": rows, "previous": previous, "cap": cap},
                cites=SECTION_5,
                flags=flags,
            )
    yield draft(
        "control",
        "previous-inf-bounded",
        "After a release without protection a bounded L leaves something to spend.",
        FLOAT64,
        {"matrix": shapes.SYMMETRIC, "previous": inf, "cap": 2.0},
        cites=SECTION_5,
        flags=("InfiniteLevel",),
        edges={"L(∞) = log 3 < 2": loss_of(matrix(shapes.SYMMETRIC)).at_infinity == Level.of_ratio(3) < Level.of(2)},
    )
    for name, rows, cap in (("moderate", shapes.MODERATE, 40.0), ("bounded", shapes.SYMMETRIC, 1.0)):
        yield draft(
            "control",
            f"previous-inf-{name}-infeasible",
            "After a release without protection nothing is left.",
            FLOAT64,
            {"matrix": rows, "previous": inf, "cap": cap},
            cites=SECTION_5,
            flags=("CarriedOver", "InfiniteLevel"),
            error="InfeasibleBudget",
        )


def _special() -> Iterator[Draft]:
    for name, rows, flags in (
        ("equal-rows", shapes.EQUAL, ("EqualRows",)),
        ("one-state", shapes.ONE, ("SingleState",)),
        ("identity", shapes.IDENTITY, ("Permutation",)),
        ("near-rows", shapes.near_texts(40), ("NearlyEqualRows",)),
        ("tiny-entry", shapes.tiny_texts(40), ("TinyEntry",)),
    ):
        yield draft(
            "control",
            name,
            f"A budget after BPL 0.5 below a cap of 1: {name.replace('-', ' ')}.",
            FLOAT64,
            {"matrix": rows, "previous": 0.5, "cap": 1.0},
            cites=SECTION_5,
            flags=flags,
        )
    drawing = Drawing(97)
    for n in (10, 50):
        drawn = drawing.rows(n, 20)
        yield draft(
            "control",
            f"dense-{n}",
            f"A matrix of {n} states without zeros.",
            FLOAT64,
            {"matrix": drawn, "previous": 1.0, "cap": 1.0},
            cites=SECTION_5,
            flags=("ManyStates",) if n == 50 else (),
            edges={"no entry is 0": all(entry for row in drawn for entry in row)},
            full=n == 50,
        )
