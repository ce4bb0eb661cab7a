"""`supremum`: every case of Theorem 11, its boundaries and the breakpoints of L, tiny entries and nearly equal rows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf

from tploracle.reference import INFINITE, Level
from tploracle.reference.decimals import fraction_to_text
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import input_parts
from .draft import Draft, draft
from .facts import as_near, log_of
from .input_parts import Drawing, Texts, decimal_near, doubles_beside, matrix, part_above, part_below, shown_level
from .read_query import loss_of


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _cases_of_the_theorem()
    yield from _misleading_pairs()
    yield from _of_the_paper()
    yield from _sizes()
    yield from _critical()
    yield from _critical_exact()
    yield from _breakpoints()
    yield from _tiny_denominators()


THEOREM = ("thm:sup",)

FIRST_STEP_FINITE: Texts = ("1/8 5/8 1/4", "7/8 1/8 0", "1/8 1/4 5/8")
"""The pair of the first step has a finite root where there is no supremum."""


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
            {"matrix": input_parts.DYADIC_SYMMETRIC, "epsilon": epsilon},
            cites=(*THEOREM, "eq:thm_sup_proof"),
            flags=(*flags, "PrintedSign") if ordinary else flags,
            errata=("E9",) if ordinary else (),
            certify=name != "million",
            edges={"d > 0 for every point": loss_of(matrix(input_parts.DYADIC_SYMMETRIC)).pieces[-1].d > 0},
        )
        yield draft(
            "supremum",
            f"moderate-at-{name}",
            f"Case 2, d = 0 and q = 3/4: one transition impossible, ε = {shown}.",
            FLOAT64,
            {"matrix": input_parts.DYADIC_MODERATE, "epsilon": epsilon},
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
            {"matrix": input_parts.IDENTITY, "epsilon": epsilon},
            cites=THEOREM,
            flags=(*flags, "GrowsByItsBudget", "NoSupremum") if ordinary else (*flags, "Permutation"),
        )
        if name not in ("1", "710", "million", "subnormal"):
            yield draft(
                "supremum",
                f"equal-rows-at-{name}",
                f"Case 4, q = d: equal rows, ε = {shown}; the supremum is ε.",
                FLOAT64,
                {"matrix": input_parts.EQUAL, "epsilon": epsilon},
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
            {"matrix": input_parts.ONE_STATE, "epsilon": budget},
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
        {"matrix": input_parts.CYCLE, "epsilon": 0.25},
        cites=THEOREM,
        flags=("GrowsByItsBudget", "Permutation"),
    )
    yield draft(
        "supremum",
        "disjoint-without-a-one",
        "Disjoint supports without a 1 against a 0: no supremum for any budget.",
        FLOAT64,
        {"matrix": input_parts.DISJOINT, "epsilon": 2.0**-30},
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
        ("witness", input_parts.FIRST_STEP, 2, "6"),
        ("smallest", input_parts.SMALLEST_FIRST_STEP, 3, "9"),
        ("dyadic", input_parts.TWO_PIECES, 2, "5"),
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
        ("doubles-half", input_parts.TWO_PIECES, 0.5),
        ("doubles", input_parts.TWO_PIECES, 0.6875),
        ("doubles-dense", input_parts.DENSE, 1.0),
        ("doubles-dense-2", input_parts.DENSE, 2.0),
        ("doubles-bounded", input_parts.BOUNDED, 0.75),
        ("doubles-bounded-2", input_parts.BOUNDED, 2.0),
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
        ("a", input_parts.IDENTITY, "0.23", ("GrowsByItsBudget", "NoSupremum")),
        ("b", input_parts.PAPER_MODERATE, "0.23", ("NoSupremum",)),
        ("c", ("4/5 1/5", "1/10 9/10"), "0.23", ("PrintedSign",)),
        ("d", input_parts.PAPER_MODERATE, "0.15", ("ZeroDenominator",)),
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
        {"matrix": input_parts.PAPER_SYMMETRIC, "epsilon": "log(2)"},
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
        {"matrix": input_parts.PAPER_SYMMETRIC, "epsilon": "log((7+sqrt(33))/8)"},
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
        {"matrix": input_parts.banded(6, 10, 43), "epsilon": 0.01},
        cites=THEOREM,
        flags=("Banded", "NoSupremum"),
    )


_CRITICAL: tuple[tuple[str, str, Texts, Fraction], ...] = (
    ("half", "q = 1/2", input_parts.HALF, Fraction(1, 2)),
    ("three-quarters", "q = 3/4", input_parts.DYADIC_MODERATE, Fraction(3, 4)),
    ("one-256th", "q = 1/256", ("1/256 255/256", "0 1"), Fraction(1, 256)),
    ("almost-one", "q = 1 − 2^−53", (f"{1 - Fraction(1, 2**53)} {Fraction(1, 2**53)}", "0 1"), 1 - Fraction(1, 2**53)),
    ("two-40", "q = 2^−40", (f"{Fraction(1, 2**40)} {1 - Fraction(1, 2**40)}", "0 1"), Fraction(1, 2**40)),
)


def _critical() -> Iterator[Draft]:
    """Yield budgets next to log(1/q), which is no double, and one part in 10^12 to each side of it."""
    for name, what, rows, q in _CRITICAL:
        critical = Level.of_ratio(1 / q)
        below, above = doubles_beside(critical)
        last = loss_of(matrix(rows)).pieces[-1]
        for side, epsilon in (
            ("next-below", below),
            ("next-above", above),
            ("part-below", part_below(critical)),
            ("part-above", part_above(critical)),
        ):
            under = side.endswith("below")
            yield draft(
                "supremum",
                f"critical-{name}-{side}",
                f"With d = 0 and {what}, ε is {'the double next to' if 'next' in side else 'one part in 10^12 from'} "
                f"log(1/q), {'below' if under else 'above'} it.",
                FLOAT64,
                {"matrix": rows, "epsilon": epsilon},
                cites=THEOREM,
                flags=("JustBelowCritical",) if under else ("JustAboveCritical", "NoSupremum"),
                errata=("E8",),
                edges={
                    "no point with d = 0 has a greater q": last.q == q and last.d == 0,
                    "ε is on that side of log(1/q)": (Level.of(Fraction(epsilon)) < critical) == under,
                    **as_near(side, epsilon, critical),
                },
            )


def _critical_exact() -> Iterator[Draft]:
    for name, rows, q in (
        ("half", ("1/2 1/2", "0 1"), Fraction(1, 2)),
        ("four-fifths", ("4/5 1/5", "0 1"), Fraction(4, 5)),
        ("of-three", ("1/3 1/3 1/3", "0 1/2 1/2", "0 1/3 2/3"), Fraction(1, 3)),
        ("almost-one", (f"{1 - Fraction(1, 10**30)} {Fraction(1, 10**30)}", "0 1"), 1 - Fraction(1, 10**30)),
    ):
        critical = Level.of_ratio(1 / q)
        yield draft(
            "supremum",
            f"critical-{name}-exact",
            f"The budget is exactly log(1/q), q = {fraction_to_text(q) if q.denominator < 99 else '1 − 10^−30'}:"
            " the leakage grows without bound.",
            RATIONAL,
            {"matrix": rows, "epsilon": f"log({fraction_to_text(1 / q)})"},
            cites=THEOREM,
            flags=("CriticalBudget", "NoSupremum", "CaseTwoDividesByZero"),
            errata=("E8",),
        )
        for side, parts in (("below", -1), ("above", 1)):
            if name == "almost-one":
                break
            yield draft(
                "supremum",
                f"critical-{name}-exact-part-{side}",
                f"The budget is one part in 10^12 {side} log(1/q), in decimals.",
                RATIONAL,
                {"matrix": rows, "epsilon": decimal_near(critical, parts)},
                cites=THEOREM,
                flags=("JustBelowCritical",) if side == "below" else ("JustAboveCritical", "NoSupremum"),
                errata=("E8",),
            )
    for side, ratio in (("below", 2 - Fraction(1, 10**60)), ("above", 2 + Fraction(1, 10**60))):
        yield draft(
            "supremum",
            f"critical-half-by-60-digits-{side}",
            f"The ratio e^ε is 10^−60 {side} 2 = 1/q.",
            RATIONAL,
            {"matrix": input_parts.HALF, "epsilon": f"log({fraction_to_text(ratio)})"},
            cites=THEOREM,
            flags=("JustBelowCritical", "HugeSupremum") if side == "below" else ("JustAboveCritical", "NoSupremum"),
            errata=("E8",),
        )
    yield draft(
        "supremum",
        "critical-not-reached",
        "The greatest q with d = 0 decides, not the q of the first step.",
        RATIONAL,
        {"matrix": FIRST_STEP_FINITE, "epsilon": "log(8/5)"},
        cites=THEOREM,
        flags=("CriticalBudget",),
        errata=("E8",),
    )


def _breakpoints() -> Iterator[Draft]:
    """Yield budgets whose supremum is at a breakpoint of L, and the doubles beside them."""
    for name, rows in (
        ("bounded", input_parts.BOUNDED),
        ("dense", input_parts.DENSE),
        ("two-pieces", input_parts.TWO_PIECES),
    ):
        loss = loss_of(matrix(rows))
        piece = loss.pieces[0]
        assert piece.stop is not None
        end = 1 + piece.stop
        ratio = end * (piece.d * piece.stop + 1) / (piece.q * piece.stop + 1)
        yield draft(
            "supremum",
            f"at-breakpoint-{name}",
            f"The supremum is exactly the breakpoint log({end}) of L.",
            RATIONAL,
            {"matrix": rows, "epsilon": f"log({fraction_to_text(ratio)})"},
            cites=(*THEOREM, "col:L_func"),
            flags=("SupremumAtBreakpoint",),
        )
        boundary = log_of(piece.stop) - loss(log_of(piece.stop))
        below, above = doubles_beside(boundary)
        for side, epsilon in (
            ("next-below", below),
            ("next-above", above),
            ("part-below", part_below(boundary)),
            ("part-above", part_above(boundary)),
        ):
            if name != "bounded" and "part" in side:
                continue
            yield draft(
                "supremum",
                f"beside-breakpoint-{name}-{side}",
                f"The supremum is just {side.rsplit('-', 1)[1]} the breakpoint log({end}).",
                FLOAT64,
                {"matrix": rows, "epsilon": epsilon},
                cites=(*THEOREM, "col:L_func"),
                flags=("SupremumBesideBreakpoint",),
                edges=as_near(side, epsilon, boundary),
            )


def _tiny_denominators() -> Iterator[Draft]:
    for least in (40, 300, 1000):
        rows = input_parts.tiny_denominator(least)
        for name, epsilon in (("below-critical", 0.5), ("above-critical", 0.75), ("at-2", 2.0)):
            flags = ("TinyEntry", "TinyDenominator", "HugeSupremum") if epsilon > 0.7 else ("TinyEntry",)
            low = [d for row in rows[1:] for q, d in zip(rows[0], row, strict=True) if q and d < Fraction(1, 2**39)]
            edges = {f"the only entry beside a 1/2 that is small is 2^−{least}": set(low) == {Fraction(1, 2**least)}}
            yield draft(
                "supremum",
                f"tiny-entry-2-{least}-{name}",
                f"An entry of 2^−{least} against 1/2, ε = {epsilon}; log 2 = 0.69.",
                FLOAT64,
                {"matrix": rows, "epsilon": epsilon},
                cites=THEOREM,
                flags=flags if least > 40 else flags[:2],
                edges=edges,
                certify=least == 40,
            )
    for power in (40, 300, 1000):
        tiny = Fraction(1, 2**power)
        for name, budget, flags in (
            ("below", "log(15/8)", ("TinyEntry",)),
            ("above", "log(17/8)", ("TinyDenominator",)),
            ("critical", "log(2)", ("TinyDenominator",)),
        ):
            huge = ("HugeSupremum",) if name == "above" and power > 40 else ()
            yield draft(
                "supremum",
                f"tiny-d-2-{power}-{name}",
                f"With (q, d) = (1/2, 2^−{power}) and e^ε = {budget[4:-1]} there is a supremum.",
                RATIONAL,
                {"matrix": ("1/2 1/2", f"{tiny} {1 - tiny}"), "epsilon": budget},
                cites=THEOREM,
                flags=(*flags, *huge),
                edges={
                    "every d is positive, so that there is a supremum": loss_of(
                        matrix(("1/2 1/2", f"{tiny} {1 - tiny}"))
                    )
                    .pieces[-1]
                    .d
                    > 0
                },
            )
    uneven = (
        "1/2 1/4 1/4",
        f"{Fraction(1, 2**40)} {Fraction(1, 2)} {Fraction(1, 2) - Fraction(1, 2**40)}",
        "1/4 1/4 1/2",
    )
    for epsilon in (0.5, 1.0, 5.0, 40.0):
        yield draft(
            "supremum",
            f"tiny-d-of-three-at-{str(epsilon).replace('.', '-')}",
            f"Three states, one entry 2^−40, ε = {epsilon}.",
            FLOAT64,
            {"matrix": uneven, "epsilon": epsilon},
            cites=THEOREM,
            flags=("TinyDenominator",) if epsilon > 0.7 else ("TinyEntry",),
        )
    for name, moved in (("2-40", Fraction(1, 2**40)), ("one-ulp", Fraction(1, 2**54))):
        for at, epsilon in (("1", 1.0), ("40", 40.0)):
            yield draft(
                "supremum",
                f"near-rows-{name}-at-{at}",
                f"Rows that differ by {name.replace('2-', '2^−').replace('-', ' ')}, ε = {at}.",
                FLOAT64,
                {"matrix": input_parts.near(("1/4 3/8 3/8",) * 3, moved), "epsilon": epsilon},
                cites=THEOREM,
                flags=("NearlyEqualRows",),
            )
    almost = (f"{1 - Fraction(1, 2**53)} {Fraction(1, 2**53)}", f"{Fraction(1, 2**53)} {1 - Fraction(1, 2**53)}")
    for at, epsilon in (("1e-12", 1e-12), ("1", 1.0), ("40", 40.0)):
        yield draft(
            "supremum",
            f"almost-identity-at-{at}",
            f"Two states left with probability 2^−53, ε = {at}: the supremum is finite.",
            FLOAT64,
            {"matrix": almost, "epsilon": epsilon},
            cites=THEOREM,
            flags=("EntryNextToOne", "PrintedSign"),
            errata=("E9",),
            edges={"d > 0": loss_of(matrix(almost)).pieces[-1].d > 0},
        )
