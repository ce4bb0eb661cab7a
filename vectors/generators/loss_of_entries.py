"""`loss` for matrices with tiny entries, and with rows that sum to 1 in exact arithmetic only."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf

from tploracle.reference import Level
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .asked import loss_of
from .draft import Draft, draft
from .dyadic import cascade, hex_text, rows_of, unit_row
from .row_facts import LEAST_NORMAL, left_to_right
from .shapes import matrix


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _tiny_entries()
    yield from _sums()


ULP = Fraction(1, 2**53)


def _tiny_entries() -> Iterator[Draft]:
    for least in (40, 300, 1000):
        rows = shapes.tiny_denominator(least)
        for at, alpha in (("1", 1), ("40", 40), ("710", 710), ("inf", inf)):
            if least == 40 and at == "1":
                continue
            finite = loss_of(matrix(rows)).pieces[-1].d == 0
            yield draft(
                "loss",
                f"tiny-entry-2-{least}-at-{at}",
                f"An entry of 2^−{least} against 1/2, in a row of doubles that sums to exactly 1, at α = {at}.",
                FLOAT64,
                {"matrix": rows, "alpha": alpha},
                cites=("eq:cond1",),
                flags=("TinyEntry",),
                edges={
                    "the rows sum to exactly 1": all(sum(row) == 1 for row in rows),
                    "another column of the row is 0, so that L has no bound, or there are two states": finite
                    or len(rows) == 2,
                },
                certify=least == 40,
            )
    tiniest = cascade(1074, 23)
    against_one = (unit_row(23, 0), *((tiniest,) * 22))
    for at, alpha in (("40", 40), ("inf", inf)):
        yield draft(
            "loss",
            f"least-double-at-{at}",
            f"An entry of 2^−1074 against a 1, at α = {at}.",
            FLOAT64,
            {"matrix": against_one, "alpha": alpha},
            cites=("eq:cond1",),
            flags=("SubnormalEntry",),
            edges={
                "the entry is below the least normal double": 0 < tiniest[0] < LEAST_NORMAL,
                "the row sums to exactly 1": sum(tiniest) == 1,
            },
        )
    near = ("1/9007199254740992 9007199254740991/9007199254740992", "1/2 1/2")
    for at, alpha in (("1e-12", 1e-12), ("1", 1), ("40", 40), ("inf", inf)):
        yield draft(
            "loss",
            f"entry-next-to-one-at-{at}",
            f"Entries 2^−53 and 1 − 2^−53, at α = {at}.",
            FLOAT64,
            {"matrix": near, "alpha": alpha},
            cites=("eq:cond1",),
            flags=("EntryNextToOne", "TinyEntry"),
            edges={"1 − 2^−53 is the greatest double below 1": rows_of(*near)[0][1] == 1 - ULP},
        )
    yield draft(
        "loss",
        "almost-identity",
        "Two states left with probability 2^−53, at α = 1: L is all but the identity.",
        FLOAT64,
        {"matrix": ((1 - ULP, ULP), (ULP, 1 - ULP)), "alpha": 1},
        cites=("thm:algo_extreme2",),
        flags=("EntryNextToOne",),
        edges={"L(1) < 1": loss_of(matrix(((1 - ULP, ULP), (ULP, 1 - ULP))))(Level.of(1)) < Level.of(1)},
    )
    yield draft(
        "loss",
        "tiny-entries-exact",
        "An entry of 10^−300 against 1/3.",
        RATIONAL,
        {"matrix": (f"1e-300 {1 - Fraction(1, 10**300)}", "1/3 2/3"), "alpha": "40"},
        cites=("eq:cond1",),
        flags=("TinyEntry", "LargeLevel"),
    )


def _sums() -> Iterator[Draft]:
    whole, quarter = 1 - Fraction(1, 2**52), Fraction(1, 2**54)
    uneven = (whole, quarter, quarter, quarter, quarter)
    reversed_row = uneven[::-1]
    for name, rows in (
        (
            "large-first",
            (uneven, *((Fraction(1, 4), Fraction(1, 4), Fraction(1, 4), Fraction(1, 8), Fraction(1, 8)),) * 4),
        ),
        (
            "in-every-row",
            (uneven, (quarter, whole, quarter, quarter, quarter), *((uneven[1:] + uneven[:1]),) * 2, uneven),
        ),
    ):
        yield draft(
            "loss",
            f"uneven-sum-{name}",
            f"A row of doubles that sums to exactly 1, though not when added from left to right ({name}).",
            FLOAT64,
            {"matrix": rows, "alpha": 1},
            cites=("def:temporal_corr",),
            flags=("UnevenSum", "TinyEntry"),
            edges={
                "from left to right the sum is 1 − 2^−52": Fraction(left_to_right(uneven)) == whole,
                "the other way round it is 1": left_to_right(reversed_row) == 1,
            },
        )
    tenth = Fraction(0.1)
    row = (*((tenth,) * 9), 1 - 9 * tenth)
    yield draft(
        "loss",
        "nine-doubles-next-to-a-tenth",
        "Nine times the double nearest to 0.1, and what is left to 1.",
        FLOAT64,
        {
            "matrix": (row, row[::-1], *((Fraction(1, 16),) * 6 + (Fraction(1, 8),) * 3 + (Fraction(1, 4),),) * 8),
            "alpha": 1,
        },
        cites=("def:temporal_corr",),
        flags=("UnevenSum",),
        edges={
            "what is left is a double": hex_text(row[9]) != "",
            "from left to right the nine are not 9/10 of anything": Fraction(left_to_right(row[:9])) != 9 * tenth,
        },
    )
