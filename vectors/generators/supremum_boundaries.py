"""`supremum` at the boundaries of Theorem 11: ε beside log(1/q), and the supremum beside a breakpoint of L."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tploracle.reference import Level
from tploracle.reference.decimals import fraction_to_text
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .asked import loss_of
from .draft import Draft, draft
from .dyadic import decimal_near, doubles_beside, part_above, part_below
from .row_facts import as_near, log_of
from .shapes import Texts, matrix
from .suprema import FIRST_STEP_FINITE, THEOREM


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _critical()
    yield from _critical_exact()
    yield from _breakpoints()


_CRITICAL: tuple[tuple[str, str, Texts, Fraction], ...] = (
    ("half", "q = 1/2", shapes.HALF, Fraction(1, 2)),
    ("three-quarters", "q = 3/4", shapes.MODERATE, Fraction(3, 4)),
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
            {"matrix": shapes.HALF, "epsilon": f"log({fraction_to_text(ratio)})"},
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
    for name, rows in (("bounded", shapes.BOUNDED), ("dense", shapes.DENSE), ("two-pieces", shapes.TWO_PIECES)):
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
