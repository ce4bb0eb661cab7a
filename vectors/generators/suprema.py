"""`supremum`: the cases of Theorem 11, every boundary between them with both its sides, and the pairs that mislead."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf

from tploracle.reference import INFINITE, Level
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .asked import loss_of
from .draft import Draft, draft
from .dyadic import Drawing, shown_level
from .shapes import Texts, matrix

THEOREM = ("thm:sup",)

FIRST_STEP_FINITE: Texts = ("1/8 5/8 1/4", "7/8 1/8 0", "1/8 1/4 5/8")
"""The pair of the first step has a finite root where there is no supremum."""


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _cases_of_the_theorem()
    yield from _misleading_pairs()
    yield from _of_the_paper()
    yield from _sizes()


def _cases_of_the_theorem() -> Iterator[Draft]:
    budgets: tuple[tuple[str, float], ...] = (
        ("0", 0.0),
        ("subnormal", 2.0**-1074),
        ("1e-12", 1e-12),
        ("tenth", 0.1),
        ("1", 1.0),
        ("40", 40.0),
        ("710", 710.0),
        ("million", 1e6),
        ("inf", inf),
    )
    named = {
        "0": ("ZeroLevel",),
        "subnormal": ("SubnormalLevel",),
        "1e-12": ("TinyLevel",),
        "40": ("LargeLevel",),
        "710": ("OverflowingLevel",),
        "million": ("OverflowingLevel",),
        "inf": ("InfiniteLevel",),
    }
    for name, epsilon in budgets:
        flags = named.get(name, ())
        ordinary, shown = bool(epsilon) and epsilon != inf, shown_level(epsilon)
        yield draft(
            "supremum",
            f"symmetric-at-{name}",
            f"Case 1, d > 0: two states that tend to stay, ε = {shown}.",
            FLOAT64,
            {"matrix": shapes.SYMMETRIC, "epsilon": epsilon},
            cites=(*THEOREM, "eq:thm_sup_proof"),
            flags=(*flags, "PrintedSign") if ordinary else flags,
            errata=("E9",) if ordinary else (),
            certify=name != "million",
            edges={"d > 0 for every point": loss_of(matrix(shapes.SYMMETRIC)).pieces[-1].d > 0},
        )
        yield draft(
            "supremum",
            f"moderate-at-{name}",
            f"Case 2, d = 0 and q = 3/4: one transition impossible, ε = {shown}.",
            FLOAT64,
            {"matrix": shapes.MODERATE, "epsilon": epsilon},
            cites=THEOREM,
            flags=(*flags, "NoSupremum") if ordinary and epsilon > 0.3 else (*flags, "ZeroDenominator"),
            edges={
                "ε is below log(4/3), or it is not": (
                    Level.of(Fraction(0)) if not epsilon else _level(epsilon)
                ).compare(Level.of_ratio(Fraction(4, 3)))
                == (1 if epsilon > 0.3 else -1)
            },
        )
        yield draft(
            "supremum",
            f"identity-at-{name}",
            f"Case 3, q = 1 and d = 0: the strongest correlation, ε = {shown}.",
            FLOAT64,
            {"matrix": shapes.IDENTITY, "epsilon": epsilon},
            cites=THEOREM,
            flags=(*flags, "GrowsByItsBudget", "NoSupremum") if ordinary else (*flags, "Permutation"),
        )
        if name not in ("1", "710", "million", "subnormal"):
            yield draft(
                "supremum",
                f"equal-rows-at-{name}",
                f"Case 4, q = d: equal rows, ε = {shown}; the supremum is ε.",
                FLOAT64,
                {"matrix": shapes.EQUAL, "epsilon": epsilon},
                cites=THEOREM,
                flags=(*flags, "EqualRows", "LogOfOneOverZero"),
                errata=("E11",),
            )
    for name, numbers, budget in (("doubles", FLOAT64, 0.1), ("exact", RATIONAL, "log(3/2)"), ("inf", FLOAT64, inf)):
        yield draft(
            "supremum",
            f"one-state-{name}",
            "One state, no pair of rows: the supremum is ε, not 0.",
            numbers,
            {"matrix": shapes.ONE, "epsilon": budget},
            cites=("algo:findSup",),
            flags=("SingleState", "StartsFromZero"),
            errata=("E12",),
        )
    yield draft(
        "supremum",
        "equal-rows-exact",
        "Rows (1/2, 1/2) twice, the witness of erratum 11.",
        RATIONAL,
        {"matrix": ("1/2 1/2", "1/2 1/2"), "epsilon": "log(3/2)"},
        cites=THEOREM,
        flags=("LogOfOneOverZero",),
        errata=("E11",),
    )
    yield draft(
        "supremum",
        "permutation-cycle",
        "A cycle of three states: disjoint supports.",
        FLOAT64,
        {"matrix": shapes.CYCLE, "epsilon": 0.25},
        cites=THEOREM,
        flags=("GrowsByItsBudget", "Permutation"),
    )
    yield draft(
        "supremum",
        "disjoint-without-a-one",
        "Disjoint supports without a 1 against a 0: no supremum for any budget.",
        FLOAT64,
        {"matrix": shapes.DISJOINT, "epsilon": 2.0**-30},
        cites=(*THEOREM, "thm:algo_extreme2"),
        flags=("GrowsByItsBudget", "NoOneAgainstZero"),
        errata=("E3",),
    )
    yield draft(
        "supremum",
        "sign-witness",
        "The witness of erratum 9: (q, d) = (1/2, 1/3), e^ε = 2.",
        RATIONAL,
        {"matrix": ("1/2 1/2", "1/3 2/3"), "epsilon": "log(2)"},
        cites=("eq:thm_sup_proof",),
        flags=("PrintedSign",),
        errata=("E9",),
    )


def _level(value: float) -> Level:
    return INFINITE if value == inf else Level.of(Fraction(value))


def _misleading_pairs() -> Iterator[Draft]:
    for name, rows, ratio, answer in (
        ("witness", shapes.FIRST_STEP, 2, "6"),
        ("smallest", shapes.SMALLEST_FIRST_STEP, 3, "9"),
        ("dyadic", shapes.TWO_PIECES, 2, "5"),
    ):
        found = loss_of(matrix(rows))
        yield draft(
            "supremum",
            f"first-step-{name}",
            f"The first step's pair understates: e^ε = {ratio}, and the supremum is log {answer}.",
            RATIONAL,
            {"matrix": rows, "epsilon": f"log({ratio})"},
            cites=(*THEOREM, "algo:findSup"),
            flags=("FirstStepPair",),
            errata=("E10",),
            edges={"L has several pieces": len(found.pieces) > 1},
        )
    for name, rows, epsilon in (
        ("doubles-half", shapes.TWO_PIECES, 0.5),
        ("doubles", shapes.TWO_PIECES, 0.6875),
        ("doubles-dense", shapes.DENSE, 1.0),
        ("doubles-dense-2", shapes.DENSE, 2.0),
        ("doubles-bounded", shapes.BOUNDED, 0.75),
        ("doubles-bounded-2", shapes.BOUNDED, 2.0),
    ):
        yield draft(
            "supremum",
            f"first-step-{name}",
            f"The first step's pair is not the supremum's, ε = {epsilon}.",
            FLOAT64,
            {"matrix": rows, "epsilon": epsilon},
            cites=(*THEOREM, "algo:findSup"),
            flags=("FirstStepPair",),
            errata=("E10",),
        )
    yield draft(
        "supremum",
        "first-step-finite-but-none",
        "The first step's pair has a finite root, and there is no supremum.",
        RATIONAL,
        {"matrix": FIRST_STEP_FINITE, "epsilon": "log(2)"},
        cites=THEOREM,
        flags=("FirstStepPair", "NoSupremum"),
        errata=("E10",),
    )
    yield draft(
        "supremum",
        "first-step-finite-but-none-doubles",
        "The same with a double for ε.",
        FLOAT64,
        {"matrix": FIRST_STEP_FINITE, "epsilon": 0.75},
        cites=THEOREM,
        flags=("FirstStepPair", "NoSupremum"),
        errata=("E10",),
    )


def _of_the_paper() -> Iterator[Draft]:
    cases: tuple[tuple[str, Texts, str, tuple[str, ...]], ...] = (
        ("a", shapes.IDENTITY, "0.23", ("GrowsByItsBudget", "NoSupremum")),
        ("b", shapes.PAPER_MODERATE, "0.23", ("NoSupremum",)),
        ("c", ("4/5 1/5", "1/10 9/10"), "0.23", ("PrintedSign",)),
        ("d", shapes.PAPER_MODERATE, "0.15", ("ZeroDenominator",)),
    )
    for name, rows, epsilon, flags in cases:
        yield draft(
            "supremum",
            f"figure-5-{name}",
            f"Example 5, case ({name}) of Figure 5.",
            RATIONAL,
            {"matrix": rows, "epsilon": epsilon},
            cites=("Example 5", "fig:example_sup"),
            flags=flags,
        )
    yield draft(
        "supremum",
        "wire-example",
        "Two states that tend to stay, e^ε = 2: the supremum is log(2 + √6).",
        RATIONAL,
        {"matrix": shapes.PAPER_SYMMETRIC, "epsilon": "log(2)"},
        cites=THEOREM,
        flags=("PrintedSign", "LogLevel"),
        digits=40,
        errata=("E9",),
    )
    yield draft(
        "supremum",
        "surd-budget",
        "A budget whose ratio has a square root.",
        RATIONAL,
        {"matrix": shapes.PAPER_SYMMETRIC, "epsilon": "log((7+sqrt(33))/8)"},
        cites=THEOREM,
        flags=("SurdLevel",),
    )


def _sizes() -> Iterator[Draft]:
    drawing = Drawing(41)
    for n, epsilon in ((5, 0.5), (10, 0.1), (20, 1.0), (50, 0.1), (50, 2.0)):
        yield draft(
            "supremum",
            f"dense-{n}-at-{str(epsilon).replace('.', '-')}",
            f"A matrix of {n} states without zeros, ε = {epsilon}.",
            FLOAT64,
            {"matrix": drawing.rows(n, 20), "epsilon": epsilon},
            cites=THEOREM,
            flags=("PrintedSign", "ManyStates")[: 1 + (n == 50)],
            errata=("E9",),
            full=epsilon > 1,
        )
    smoothed = tuple(tuple(Fraction(201 if j == k else 1, 250) for k in range(50)) for j in range(50))
    for budget in ("1", "0.1"):
        yield draft(
            "supremum",
            f"fifty-states-of-the-paper-at-{budget.replace('.', '-')}",
            f"The strongest correlation of fifty states, smoothed with s = 0.005, ε = {budget}.",
            RATIONAL,
            {"matrix": smoothed, "epsilon": budget},
            cites=("fig:ex_tpl",),
            flags=("ManyStates",),
            full=budget == "0.1",
        )
    yield draft(
        "supremum",
        "walk-of-six",
        "A walk on six places: places far apart are told apart for certain.",
        FLOAT64,
        {"matrix": shapes.banded(6, 10, 43), "epsilon": 0.01},
        cites=THEOREM,
        flags=("Banded", "NoSupremum"),
    )
