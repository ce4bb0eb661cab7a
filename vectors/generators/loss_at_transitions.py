"""`loss` at transition points, at the doubles beside them, and where columns leave together."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tploracle.reference import Level
from tploracle.reference.decimals import fraction_to_text
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .draft import Draft, draft
from .dyadic import decimal_near, doubles_beside, part_above, part_below
from .loss_by_algorithms import ONE_LEAVES, THREE_TURNS
from .row_facts import all_transitions, as_near, has_tie, log_of, ties_matter, transitions
from .shapes import Texts, matrix, of_two


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _transition_points()
    yield from _ties()


LOG_2 = Level.of_ratio(2)

TIED: Texts = of_two(
    "5/16 1/4 1/4 3/64 3/64 3/64 3/64",
    "1/32 1/64 1/64 15/64 15/64 15/64 15/64",
)
"""In this matrix and the next two the first row over the second is what rules, not the second over the first."""


ALL_TIED: Texts = of_two(
    "1/2 1/4 1/8 1/32 1/32 1/32 1/32",
    "1/32 1/64 1/128 121/512 121/512 121/512 121/512",
)


TIED_WITH_TRANSITION: Texts = of_two(
    "5/16 3/16 3/16 5/64 5/64 5/64 5/64",
    "1/64 3/64 3/64 57/256 57/256 57/256 57/256",
)


def _transition_points() -> Iterator[Draft]:
    """Yield levels at the transition points, next to them, and one part in 10^12 to either side."""
    for name, rows in (("one-leaves", ONE_LEAVES), ("shrinking", THREE_TURNS), ("bounded", shapes.BOUNDED)):
        points = sorted(all_transitions(matrix(rows)))
        for which, excess in (
            {"last": points[-1], "first": points[0]}.items() if len(points) > 1 else [("only", points[0])]
        ):
            point = log_of(excess)
            below, above = doubles_beside(point)
            sides = (
                ("next-below", below),
                ("next-above", above),
                ("part-below", part_below(point)),
                ("part-above", part_above(point)),
            )
            for side, alpha in sides:
                yield draft(
                    "loss",
                    f"{name}-{which}-transition-{side}",
                    f"A double {'just' if 'next' in side else 'one part in 10^12'} {side.rsplit('-', 1)[1]} "
                    f"the {which} transition point log({fraction_to_text(1 + excess)}).",
                    FLOAT64,
                    {"matrix": rows, "alpha": alpha},
                    cites=("thm:lfp_seg_func",),
                    flags=("BesideTransition",),
                    edges={
                        "the level is on that side of the point": (Level.of(Fraction(alpha)) < point)
                        == side.endswith("below"),
                        **as_near(side, alpha, point),
                    },
                )
            yield draft(
                "loss",
                f"{name}-{which}-transition-exact",
                f"Exactly the {which} transition point log({fraction_to_text(1 + excess)}).",
                RATIONAL,
                {"matrix": rows, "alpha": f"log({fraction_to_text(1 + excess)})"},
                cites=("thm:lfp_seg_func", "algo:calc_precomp"),
                flags=("AtTransition",),
            )
    point = log_of(Fraction(10, 3))
    for side, parts in (("below", -1), ("above", 1)):
        yield draft(
            "loss",
            f"worked-example-part-{side}",
            f"One part in 10^12 {side} the 1.47 of the worked example.",
            RATIONAL,
            {"matrix": shapes.WORKED, "alpha": decimal_near(point, parts)},
            cites=("Worked example of Algorithm 2",),
            flags=("BesideTransition", "ExactDecimal"),
        )
    yield draft(
        "loss",
        "worked-example-at-transition",
        "Exactly the 1.47 = log(13/3) of the worked example.",
        RATIONAL,
        {"matrix": shapes.WORKED, "alpha": "log(13/3)"},
        cites=("Worked example of Algorithm 2",),
        flags=("AtTransition", "LogLevel"),
    )


def _ties() -> Iterator[Draft]:
    for name, what, rows, alpha, matters in (
        ("two-of-three", "The second and third column have the same q_j/d_j", TIED, 1.0, True),
        ("all", "All three columns have the same q_j/d_j", ALL_TIED, 1.0, True),
        ("all-at-1-8", "All three columns have the same q_j/d_j, at α = 1/8", ALL_TIED, 0.125, True),
        ("leave-together", "Two tied columns have left together", TIED_WITH_TRANSITION, 3.0, False),
    ):
        q, d = matrix(rows).rows[:2]
        yield draft(
            "loss",
            f"tied-{name}",
            f"{what}.",
            FLOAT64,
            {"matrix": rows, "alpha": alpha},
            cites=("thm:lfp_k_case",),
            flags=("TiedRatios",),
            errata=("E14",) if matters else (),
            edges={
                "the ratios are tied among columns with d_j > 0": has_tie(q, d),
                "with one column of each tie alone the value falls short": ties_matter(
                    matrix(rows), Level.of(Fraction(alpha))
                )
                is matters,
            },
        )
    rows = of_two("3/8 3/8 1/16 1/16 1/16 1/16", "1/16 1/16 7/32 7/32 7/32 7/32")
    yield draft(
        "loss",
        "tied-exact",
        "Two tied columns, and an exact answer: log(14/9).",
        RATIONAL,
        {"matrix": rows, "alpha": "log(2)"},
        cites=("thm:lfp_k_case",),
        flags=("TiedRatios",),
        errata=("E14",),
        edges={"with one of the tied columns alone the value falls short": ties_matter(matrix(rows), LOG_2)},
    )
    yield draft(
        "loss",
        "tied-witness",
        "The pair of erratum 14, q = (2, 2, 1)/5, d = (1, 1, 3)/5; d over q is what rules.",
        RATIONAL,
        {"matrix": of_two("2/5 2/5 1/5", "1/5 1/5 3/5"), "alpha": "log(2)"},
        cites=("thm:lfp_k_case",),
        flags=("TiedRatios",),
    )
    leaving = log_of(min(transitions(*matrix(TIED_WITH_TRANSITION).rows[:2])))
    for side, alpha in zip(("below", "above"), doubles_beside(leaving), strict=True):
        yield draft(
            "loss",
            f"tied-at-transition-{side}",
            f"The double just {side} the point at which two tied columns leave.",
            FLOAT64,
            {"matrix": TIED_WITH_TRANSITION, "alpha": alpha},
            cites=("thm:lfp_k_case", "thm:lfp_seg_func"),
            flags=("TiedRatios", "BesideTransition"),
        )
