"""`supremum`: every case of Theorem 11, its boundaries and the breakpoints of L, tiny entries and nearly equal rows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import inf

from tploracle.reference import Level
from tploracle.reference.decimals import fraction_to_text
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import input_parts as parts
from .draft import Draft, draft
from .facts import as_near, log_of
from .input_parts import Drawing, Texts, decimal_near, level_of, matrix, shown_level
from .read_query import loss_of

_doubles, _exact = partial(draft, "supremum"), partial(draft, "supremum", numbers=RATIONAL)


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


THEOREM = "thm:sup"

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
        "0": "ZeroLevel",
        "subnormal": "SubnormalLevel",
        "1e-12": "TinyLevel",
        "40": "LargeLevel",
        "710": "OverflowingLevel",
        "million": "OverflowingLevel",
        "inf": "InfiniteLevel",
    }
    for name, epsilon in budgets:
        flags = named.get(name, "")
        ordinary, shown = bool(epsilon) and epsilon != inf, shown_level(epsilon)
        yield _doubles(
            f"symmetric-at-{name}: Case 1, d > 0: two states that tend to stay, ε = {shown}.",
            {"matrix": parts.DYADIC_SYMMETRIC, "epsilon": epsilon},
            f"{flags} {'PrintedSign E9' if ordinary else ''} {THEOREM} eq:thm_sup_proof",
            edges={"d > 0 for every point": loss_of(matrix(parts.DYADIC_SYMMETRIC)).pieces[-1].d > 0},
            certify=name != "million",
        )
        yield _doubles(
            f"moderate-at-{name}: Case 2, d = 0 and q = 3/4: one transition impossible, ε = {shown}.",
            {"matrix": parts.DYADIC_MODERATE, "epsilon": epsilon},
            f"{flags} {'NoSupremum' if ordinary and epsilon > 0.3 else 'ZeroDenominator'} {THEOREM}",
            edges={
                "ε is below log(4/3), or it is not": (level_of(epsilon) > Level.of_ratio(Fraction(4, 3)))
                == (epsilon > 0.3)
            },
        )
        yield _doubles(
            f"identity-at-{name}: Case 3, q = 1 and d = 0: the strongest correlation, ε = {shown}.",
            {"matrix": parts.IDENTITY, "epsilon": epsilon},
            f"{flags} {'GrowsByItsBudget NoSupremum' if ordinary else 'Permutation'} {THEOREM}",
        )
        if name not in ("1", "710", "million", "subnormal"):
            yield _doubles(
                f"equal-rows-at-{name}: Case 4, q = d: equal rows, ε = {shown}; the supremum is ε.",
                {"matrix": parts.EQUAL, "epsilon": epsilon},
                f"{flags} EqualRows LogOfOneOverZero E11 {THEOREM}",
            )
    for name, numbers, budget in (("doubles", FLOAT64, 0.1), ("exact", RATIONAL, "log(3/2)"), ("inf", FLOAT64, inf)):
        yield _doubles(
            f"one-state-{name}: One state, no pair of rows: the supremum is ε, not 0.",
            {"matrix": parts.ONE_STATE, "epsilon": budget},
            "SingleState StartsFromZero E12 algo:findSup",
            numbers=numbers,
        )
    yield _exact(
        "equal-rows-exact: Rows (1/2, 1/2) twice, the witness of erratum 11.",
        {"matrix": ("1/2 1/2", "1/2 1/2"), "epsilon": "log(3/2)"},
        f"LogOfOneOverZero E11 {THEOREM}",
    )
    yield _doubles(
        "permutation-cycle: A cycle of three states: disjoint supports.",
        {"matrix": parts.CYCLE, "epsilon": 0.25},
        f"GrowsByItsBudget Permutation {THEOREM}",
    )
    yield _doubles(
        "disjoint-without-a-one: Disjoint supports without a 1 against a 0: no supremum for any budget.",
        {"matrix": parts.DISJOINT, "epsilon": 2.0**-30},
        f"GrowsByItsBudget NoOneAgainstZero E3 {THEOREM} thm:algo_extreme2",
    )
    yield _exact(
        "sign-witness: The witness of erratum 9: (q, d) = (1/2, 1/3), e^ε = 2.",
        {"matrix": ("1/2 1/2", "1/3 2/3"), "epsilon": "log(2)"},
        "PrintedSign E9 eq:thm_sup_proof",
    )


def _misleading_pairs() -> Iterator[Draft]:
    for name, rows, ratio, answer in (
        ("witness", parts.FIRST_STEP, 2, "6"),
        ("smallest", parts.SMALLEST_FIRST_STEP, 3, "9"),
        ("dyadic", parts.TWO_PIECES, 2, "5"),
    ):
        found = loss_of(matrix(rows))
        yield _exact(
            f"first-step-{name}: The first step's pair understates: e^ε = {ratio}, and the supremum is log {answer}.",
            {"matrix": rows, "epsilon": f"log({ratio})"},
            f"FirstStepPair E10 {THEOREM} algo:findSup",
            edges={"L has several pieces": len(found.pieces) > 1},
        )
    for name, rows, epsilon in (
        ("doubles-half", parts.TWO_PIECES, 0.5),
        ("doubles", parts.TWO_PIECES, 0.6875),
        ("doubles-dense", parts.DENSE, 1.0),
        ("doubles-dense-2", parts.DENSE, 2.0),
        ("doubles-bounded", parts.BOUNDED, 0.75),
        ("doubles-bounded-2", parts.BOUNDED, 2.0),
    ):
        yield _doubles(
            f"first-step-{name}: The first step's pair is not the supremum's, ε = {epsilon}.",
            {"matrix": rows, "epsilon": epsilon},
            f"FirstStepPair E10 {THEOREM} algo:findSup",
        )
    yield _exact(
        "first-step-finite-but-none: The first step's pair has a finite root, and there is no supremum.",
        {"matrix": FIRST_STEP_FINITE, "epsilon": "log(2)"},
        f"FirstStepPair NoSupremum E10 {THEOREM}",
    )
    yield _doubles(
        "first-step-finite-but-none-doubles: The same with a double for ε.",
        {"matrix": FIRST_STEP_FINITE, "epsilon": 0.75},
        f"FirstStepPair NoSupremum E10 {THEOREM}",
    )


def _of_the_paper() -> Iterator[Draft]:
    cases: tuple[tuple[str, Texts, str, str], ...] = (
        ("a", parts.IDENTITY, "0.23", "GrowsByItsBudget NoSupremum"),
        ("b", parts.PAPER_MODERATE, "0.23", "NoSupremum"),
        ("c", ("4/5 1/5", "1/10 9/10"), "0.23", "PrintedSign"),
        ("d", parts.PAPER_MODERATE, "0.15", "ZeroDenominator"),
    )
    for name, rows, epsilon, flags in cases:
        yield _exact(
            f"figure-5-{name}: Example 5, case ({name}) of Figure 5.",
            {"matrix": rows, "epsilon": epsilon},
            f"{flags} Example_5 fig:example_sup",
        )
    yield _exact(
        "wire-example: Two states that tend to stay, e^ε = 2: the supremum is log(2 + √6).",
        {"matrix": parts.PAPER_SYMMETRIC, "epsilon": "log(2)"},
        f"PrintedSign LogLevel E9 {THEOREM}",
        digits=40,
    )
    yield _exact(
        "surd-budget: A budget whose ratio has a square root.",
        {"matrix": parts.PAPER_SYMMETRIC, "epsilon": "log((7+sqrt(33))/8)"},
        f"SurdLevel {THEOREM}",
    )


def _sizes() -> Iterator[Draft]:
    drawing = Drawing(41)
    for n, epsilon in ((5, 0.5), (10, 0.1), (20, 1.0), (50, 0.1), (50, 2.0)):
        yield _doubles(
            f"dense-{n}-at-{str(epsilon).replace('.', '-')}: A matrix of {n} states without zeros, ε = {epsilon}.",
            {"matrix": drawing.rows(n, 20), "epsilon": epsilon},
            f"PrintedSign {'ManyStates' if n == 50 else ''} E9 {THEOREM}",
            full=epsilon > 1,
        )
    for budget in ("1", "0.1"):
        yield _exact(
            f"fifty-states-of-the-paper-at-{budget.replace('.', '-')}: The strongest correlation of fifty states, "
            f"smoothed with s = 0.005, ε = {budget}.",
            {"matrix": parts.SMOOTHED_FIFTY, "epsilon": budget},
            "ManyStates fig:ex_tpl",
            full=budget == "0.1",
        )
    yield _doubles(
        "walk-of-six: A walk on six places: places far apart are told apart for certain.",
        {"matrix": parts.banded(6, 10, 43), "epsilon": 0.01},
        f"Banded NoSupremum {THEOREM}",
    )


_CRITICAL: tuple[tuple[str, str, Texts, Fraction], ...] = (
    ("half", "q = 1/2", parts.HALF, Fraction(1, 2)),
    ("three-quarters", "q = 3/4", parts.DYADIC_MODERATE, Fraction(3, 4)),
    ("one-256th", "q = 1/256", ("1/256 255/256", "0 1"), Fraction(1, 256)),
    ("almost-one", "q = 1 − 2^−53", (f"{1 - Fraction(1, 2**53)} {Fraction(1, 2**53)}", "0 1"), 1 - Fraction(1, 2**53)),
    ("two-40", "q = 2^−40", (f"{Fraction(1, 2**40)} {1 - Fraction(1, 2**40)}", "0 1"), Fraction(1, 2**40)),
)


def _critical() -> Iterator[Draft]:
    """Yield budgets next to log(1/q), which is no double, and one part in 10^12 to each side of it."""
    for name, what, rows, q in _CRITICAL:
        critical = Level.of_ratio(1 / q)
        last = loss_of(matrix(rows)).pieces[-1]
        for side, epsilon in parts.beside(critical).items():
            under = side.endswith("below")
            yield _doubles(
                f"critical-{name}-{side}: With d = 0 and {what}, ε is "
                f"{'the double next to' if 'next' in side else 'one part in 10^12 from'} log(1/q), "
                f"{'below' if under else 'above'} it.",
                {"matrix": rows, "epsilon": epsilon},
                f"{'JustBelowCritical' if under else 'JustAboveCritical NoSupremum'} E8 {THEOREM}",
                edges={
                    "no point with d = 0 has a greater q": last.q == q and last.d == 0,
                    "ε is on that side of log(1/q)": (level_of(epsilon) < critical) == under,
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
        yield _exact(
            f"critical-{name}-exact: The budget is exactly log(1/q), q = "
            f"{fraction_to_text(q) if q.denominator < 99 else '1 − 10^−30'}: the leakage grows without bound.",
            {"matrix": rows, "epsilon": f"log({fraction_to_text(1 / q)})"},
            f"CriticalBudget NoSupremum CaseTwoDividesByZero E8 {THEOREM}",
        )
        for side, beside in (("below", -1), ("above", 1)):
            if name == "almost-one":
                break
            yield _exact(
                f"critical-{name}-exact-part-{side}: The budget is one part in 10^12 {side} log(1/q), in decimals.",
                {"matrix": rows, "epsilon": decimal_near(critical, beside)},
                f"{'JustBelowCritical' if side == 'below' else 'JustAboveCritical NoSupremum'} E8 {THEOREM}",
            )
    for side, ratio in (("below", 2 - Fraction(1, 10**60)), ("above", 2 + Fraction(1, 10**60))):
        yield _exact(
            f"critical-half-by-60-digits-{side}: The ratio e^ε is 10^−60 {side} 2 = 1/q.",
            {"matrix": parts.HALF, "epsilon": f"log({fraction_to_text(ratio)})"},
            f"{'JustBelowCritical HugeSupremum' if side == 'below' else 'JustAboveCritical NoSupremum'} E8 {THEOREM}",
        )
    yield _exact(
        "critical-not-reached: The greatest q with d = 0 decides, not the q of the first step.",
        {"matrix": FIRST_STEP_FINITE, "epsilon": "log(8/5)"},
        f"CriticalBudget E8 {THEOREM}",
    )


def _breakpoints() -> Iterator[Draft]:
    """Yield budgets whose supremum is at a breakpoint of L, and the doubles beside them."""
    for name, rows in (("bounded", parts.BOUNDED), ("dense", parts.DENSE), ("two-pieces", parts.TWO_PIECES)):
        loss = loss_of(matrix(rows))
        piece = loss.pieces[0]
        assert piece.stop is not None
        end = 1 + piece.stop
        ratio = end * (piece.d * piece.stop + 1) / (piece.q * piece.stop + 1)
        yield _exact(
            f"at-breakpoint-{name}: The supremum is exactly the breakpoint log({end}) of L.",
            {"matrix": rows, "epsilon": f"log({fraction_to_text(ratio)})"},
            f"SupremumAtBreakpoint {THEOREM} col:L_func",
        )
        boundary = log_of(piece.stop) - loss(log_of(piece.stop))
        for side, epsilon in parts.beside(boundary).items():
            if name != "bounded" and "part" in side:
                continue
            yield _doubles(
                f"beside-breakpoint-{name}-{side}: The supremum is just {side.rsplit('-', 1)[1]} the breakpoint "
                f"log({end}).",
                {"matrix": rows, "epsilon": epsilon},
                f"SupremumBesideBreakpoint {THEOREM} col:L_func",
                edges=as_near(side, epsilon, boundary),
            )


def _tiny_denominators() -> Iterator[Draft]:
    for least in (40, 300, 1000):
        rows = parts.tiny_denominator(least)
        for name, epsilon in (("below-critical", 0.5), ("above-critical", 0.75), ("at-2", 2.0)):
            flags = (
                "TinyEntry" if epsilon < 0.7 else f"TinyEntry TinyDenominator {'HugeSupremum' if least > 40 else ''}"
            )
            low = [d for row in rows[1:] for q, d in zip(rows[0], row, strict=True) if q and d < Fraction(1, 2**39)]
            edges = {f"the only entry beside a 1/2 that is small is 2^−{least}": set(low) == {Fraction(1, 2**least)}}
            yield _doubles(
                f"tiny-entry-2-{least}-{name}: An entry of 2^−{least} against 1/2, ε = {epsilon}; log 2 = 0.69.",
                {"matrix": rows, "epsilon": epsilon},
                f"{flags} {THEOREM}",
                edges=edges,
                certify=least == 40,
            )
    for power in (40, 300, 1000):
        tiny = Fraction(1, 2**power)
        for name, budget, flags in (
            ("below", "log(15/8)", "TinyEntry"),
            ("above", "log(17/8)", "TinyDenominator"),
            ("critical", "log(2)", "TinyDenominator"),
        ):
            huge = "HugeSupremum" if name == "above" and power > 40 else ""
            yield _exact(
                f"tiny-d-2-{power}-{name}: With (q, d) = (1/2, 2^−{power}) and e^ε = {budget[4:-1]} there is a "
                "supremum.",
                {"matrix": ("1/2 1/2", f"{tiny} {1 - tiny}"), "epsilon": budget},
                f"{flags} {huge} {THEOREM}",
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
        yield _doubles(
            f"tiny-d-of-three-at-{str(epsilon).replace('.', '-')}: Three states, one entry 2^−40, ε = {epsilon}.",
            {"matrix": uneven, "epsilon": epsilon},
            f"{'TinyDenominator' if epsilon > 0.7 else 'TinyEntry'} {THEOREM}",
        )
    for name, what, rows in parts.nearly_equal():
        for at, epsilon in (("1", 1.0), ("40", 40.0)):
            yield _doubles(
                f"near-rows-{name}-at-{at}: Rows that differ by {what}, ε = {at}.",
                {"matrix": rows, "epsilon": epsilon},
                f"NearlyEqualRows {THEOREM}",
            )
    almost = parts.almost_identity()
    for at, epsilon in (("1e-12", 1e-12), ("1", 1.0), ("40", 40.0)):
        yield _doubles(
            f"almost-identity-at-{at}: Two states left with probability 2^−53, ε = {at}: the supremum is finite.",
            {"matrix": almost, "epsilon": epsilon},
            f"EntryNextToOne PrintedSign E9 {THEOREM}",
            edges={"d > 0": loss_of(matrix(almost)).pieces[-1].d > 0},
        )
