"""`supremum` for tiny entries and for rows that are nearly equal or nearly certain."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .asked import loss_of
from .draft import Draft, draft
from .shapes import matrix
from .suprema import THEOREM


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _tiny_denominators()


def _tiny_denominators() -> Iterator[Draft]:
    for least in (40, 300, 1000):
        rows = shapes.tiny_denominator(least)
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
                {"matrix": shapes.near(("1/4 3/8 3/8",) * 3, moved), "epsilon": epsilon},
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
