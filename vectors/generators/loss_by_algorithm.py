"""`loss` at every branch of Algorithms 1, 3 and 5, at and beside transition points, and where the printed ones fail."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from tploracle.reference import Level
from tploracle.reference.decimals import fraction_to_text
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import input_parts as parts
from .draft import Draft, draft
from .facts import all_transitions, as_near, has_tie, log_of, removals, ties_matter, transitions
from .input_parts import NAMED, Texts, decimal_near, matrix, of_two
from .read_query import loss_of

_doubles, _exact = partial(draft, "loss"), partial(draft, "loss", numbers=RATIONAL)


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _turns()
    yield from _as_printed()
    yield from _transition_points()
    yield from _ties()


ONE_LEAVES: Texts = of_two("3/8 3/8 1/4", "1/8 1/4 5/8")
TWO_LEAVE: Texts = of_two("3/8 1/4 1/4 1/8", "1/8 1/8 1/8 5/8")
ONE_AFTER_ANOTHER: Texts = of_two("3/8 3/8 1/4 0", "1/8 1/4 1/8 1/2")
THREE_TURNS: Texts = of_two("1/2 3/16 5/32 1/8 1/32", "0 1/16 3/32 7/64 47/64")


def _turn(
    name: str,
    what: str,
    rows: Texts,
    flags: str,
    *,
    removes: list[int],
    alpha: float = 3,
    ratio: Fraction = Fraction(20),
) -> Iterator[Draft]:
    """Yield a matrix whose first two rows lose these columns in turn, at a level and at one of an exact ratio."""
    q, d = matrix(rows).rows[:2]
    edge = f"the turns of Algorithm 1 for rows 1 and 2 remove {removes or 'nothing'}"
    tags = f"{'E2' if 'EndlessLoop' in flags else ''} algo:cal_bpl"
    edges = {edge: removals(q, d, Level.of(Fraction(alpha))) == removes}
    yield _doubles(
        f"{name}-doubles: {what}, at α = {alpha}.", {"matrix": rows, "alpha": alpha}, f"{flags} {tags}", edges=edges
    )
    given = {"matrix": rows, "alpha": f"log({ratio})"}
    edges = {edge: removals(q, d, Level.of_ratio(ratio)) == removes}
    yield _exact(f"{name}-exact: {what}, at e^α = {ratio}.", given, f"{flags} LogLevel {tags}", edges=edges)


def _turns() -> Iterator[Draft]:
    """Yield x⁺ that stays whole, loses one column, several at once, or several in turn."""
    whole, eighths = of_two("3/8 3/8 1/8 1/8", "1/8 1/8 1/16 11/16"), Fraction(9, 8)
    what = "Three columns stay in x⁺"
    yield from _turn("none-leaves", what, whole, "StaysWhole", removes=[], alpha=0.125, ratio=eighths)
    yield from _turn("one-leaves", "One of two columns leaves x⁺", ONE_LEAVES, "OneRemoval EndlessLoop", removes=[1])
    what = "Two of three columns leave x⁺ at once"
    yield from _turn("two-leave", what, TWO_LEAVE, "SeveralRemoved TiedRatios", removes=[2])
    what, flags = "A column leaves x⁺ because another left before it", "RepeatedRemoval EndlessLoop"
    yield from _turn("one-after-another", what, ONE_AFTER_ANOTHER, flags, removes=[1, 1])
    witness = of_two("0 1/3 2/3", "1/3 2/3 0")
    yield _exact(
        "endless-loop-witness: The smallest matrix on which the printed Algorithm 1 goes on for ever.",
        {"matrix": witness, "alpha": "log(10)"},
        "EndlessLoop E2 algo:cal_bpl",
    )
    q, d = matrix(THREE_TURNS).rows[:2]
    for alpha in (1, 2, 4, 8):
        yield _doubles(
            f"shrinking-at-{alpha}: The set x⁺ shrinks as α grows, here at α = {alpha}.",
            {"matrix": THREE_TURNS, "alpha": alpha},
            "DividesByZero E2 algo:cal_bpl thm:lfp_seg_func",
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
        ("witness", RATIONAL, NAMED["PAPER_WORKED"], "log(4)"),
        ("doubles", FLOAT64, of_two("1/4 1/4 1/2", "1/8 0 7/8"), 1.5),
        ("bounded", FLOAT64, NAMED["BOUNDED"], 0.75),
    ):
        yield _doubles(
            f"plus-one-{name}: Without the “+ 1” of Theorem 9 a column is dropped too early, and L is understated.",
            {"matrix": rows, "alpha": alpha},
            "PlusOneMissing E4 algo:precomp1 thm:lfp_seg_func",
            numbers=numbers,
        )
    for name, numbers, rows, alpha in (
        ("witness", RATIONAL, NAMED["PAPER_WORKED"], "log(2)"),
        ("doubles", FLOAT64, of_two("1/4 1/4 1/2", "1/8 0 7/8"), 0.25),
        ("equal-rows", FLOAT64, ("1/2 1/2", "1/2 1/2"), 1.0),
    ):
        yield _doubles(
            f"no-index-{name}: Below the last transition point the printed search finds no index.",
            {"matrix": rows, "alpha": alpha},
            "NoIndexFound E5 algo:calc_precomp Worked_example_of_Algorithm_2",
            numbers=numbers,
        )
    for name, numbers, rows, alpha in (
        ("witness", RATIONAL, NAMED["IDENTITY"], "log(2)"),
        ("symmetric", FLOAT64, NAMED["DYADIC_SYMMETRIC"], 1.0),
        ("dense", FLOAT64, NAMED["DENSE"], 3.0),
    ):
        yield _doubles(
            f"divided-by-itself-{name}: Line 5 of Algorithm 3 as printed divides qArr by qArr: no loss at all.",
            {"matrix": rows, "alpha": alpha},
            "DividesByItself E6 algo:calc_precomp",
            numbers=numbers,
        )
    stops = [piece.stop for piece in loss_of(matrix(NAMED["DENSE"])).pieces if piece.stop is not None]
    for number, alpha in enumerate((1.25, 2.0, 2.5, 4.0), 1):
        level = Level.of(Fraction(alpha))
        yield _doubles(
            f"piece-{number}-of-four: A level in piece {number} of the four of L.",
            {"matrix": NAMED["DENSE"], "alpha": alpha},
            f"{'BeyondFirstPiece' if number > 1 else 'NoPieceFound'} {'E34' if number == 1 else ''} "
            "algo:cal_bpl_func col:L_func",
            edges={"that piece rules": sum(level > log_of(stop) for stop in stops) == number - 1},
        )
    for number, stop in enumerate(stops, 1):
        yield _exact(
            f"breakpoint-{number}-of-three: Exactly the breakpoint {number} of L.",
            {"matrix": NAMED["DENSE"], "alpha": f"log({fraction_to_text(1 + stop)})"},
            "LogLevel NoPieceFound E34 algo:cal_bpl_func thm:gen_L_func",
            edges={"two pieces have the same value there": _meet(stop, number)},
        )
    for name, alpha in (("below", "log(4)"), ("above", "log(5)")):
        yield _exact(
            f"example-4-{name}: Example 4 {name} its transition point log(13/3).",
            {"matrix": NAMED["PAPER_EXAMPLE_4"], "alpha": alpha},
            "NoPieceFound ExactDecimal E34 example:L_func algo:cal_bpl_func",
        )


def _meet(stop: Fraction, number: int) -> bool:
    before, after = loss_of(matrix(NAMED["DENSE"])).pieces[number - 1 : number + 1]
    return (before.q * stop + 1) * (after.d * stop + 1) == (after.q * stop + 1) * (before.d * stop + 1)


LOG_2 = Level.of_ratio(2)

TIED: Texts = of_two("5/16 1/4 1/4 3/64 3/64 3/64 3/64", "1/32 1/64 1/64 15/64 15/64 15/64 15/64")
"""In this matrix and the next two the first row over the second is what rules, not the second over the first."""


ALL_TIED: Texts = of_two("1/2 1/4 1/8 1/32 1/32 1/32 1/32", "1/32 1/64 1/128 121/512 121/512 121/512 121/512")


TIED_WITH_TRANSITION: Texts = of_two("5/16 3/16 3/16 5/64 5/64 5/64 5/64", "1/64 3/64 3/64 57/256 57/256 57/256 57/256")


def _transition_points() -> Iterator[Draft]:
    """Yield levels at the transition points, next to them, and one part in 10^12 to either side."""
    for name, rows in (("one-leaves", ONE_LEAVES), ("shrinking", THREE_TURNS), ("bounded", NAMED["BOUNDED"])):
        points = sorted(all_transitions(matrix(rows)))
        for which, excess in (
            {"last": points[-1], "first": points[0]}.items() if len(points) > 1 else [("only", points[0])]
        ):
            point = log_of(excess)
            for side, alpha in parts.beside(point).items():
                yield _doubles(
                    f"{name}-{which}-transition-{side}: A double {'just' if 'next' in side else 'one part in 10^12'} "
                    f"{side.rsplit('-', 1)[1]} the {which} transition point log({fraction_to_text(1 + excess)}).",
                    {"matrix": rows, "alpha": alpha},
                    "BesideTransition thm:lfp_seg_func",
                    edges={
                        "the level is on that side of the point": (Level.of(Fraction(alpha)) < point)
                        == side.endswith("below"),
                        **as_near(side, alpha, point),
                    },
                )
            yield _exact(
                f"{name}-{which}-transition-exact: Exactly the {which} transition point "
                f"log({fraction_to_text(1 + excess)}).",
                {"matrix": rows, "alpha": f"log({fraction_to_text(1 + excess)})"},
                "AtTransition thm:lfp_seg_func algo:calc_precomp",
            )
    point = log_of(Fraction(10, 3))
    for side, beside in (("below", -1), ("above", 1)):
        yield _exact(
            f"worked-example-part-{side}: One part in 10^12 {side} the 1.47 of the worked example.",
            {"matrix": NAMED["PAPER_WORKED"], "alpha": decimal_near(point, beside)},
            "BesideTransition ExactDecimal Worked_example_of_Algorithm_2",
        )
    yield _exact(
        "worked-example-at-transition: Exactly the 1.47 = log(13/3) of the worked example.",
        {"matrix": NAMED["PAPER_WORKED"], "alpha": "log(13/3)"},
        "AtTransition LogLevel Worked_example_of_Algorithm_2",
    )


def _ties() -> Iterator[Draft]:
    for name, what, rows, alpha, matters in (
        ("two-of-three", "The second and third column have the same q_j/d_j", TIED, 1.0, True),
        ("all", "All three columns have the same q_j/d_j", ALL_TIED, 1.0, True),
        ("all-at-1-8", "All three columns have the same q_j/d_j, at α = 1/8", ALL_TIED, 0.125, True),
        ("leave-together", "Two tied columns have left together", TIED_WITH_TRANSITION, 3.0, False),
    ):
        q, d = matrix(rows).rows[:2]
        yield _doubles(
            f"tied-{name}: {what}.",
            {"matrix": rows, "alpha": alpha},
            f"TiedRatios {'E14' if matters else ''} thm:lfp_k_case",
            edges={
                "the ratios are tied among columns with d_j > 0": has_tie(q, d),
                "with one column of each tie alone the value falls short": ties_matter(
                    matrix(rows), Level.of(Fraction(alpha))
                )
                is matters,
            },
        )
    rows = of_two("3/8 3/8 1/16 1/16 1/16 1/16", "1/16 1/16 7/32 7/32 7/32 7/32")
    yield _exact(
        "tied-exact: Two tied columns, and an exact answer: log(14/9).",
        {"matrix": rows, "alpha": "log(2)"},
        "TiedRatios E14 thm:lfp_k_case",
        edges={"with one of the tied columns alone the value falls short": ties_matter(matrix(rows), LOG_2)},
    )
    yield _exact(
        "tied-witness: The pair of erratum 14, q = (2, 2, 1)/5, d = (1, 1, 3)/5; d over q is what rules.",
        {"matrix": of_two("2/5 2/5 1/5", "1/5 1/5 3/5"), "alpha": "log(2)"},
        "TiedRatios thm:lfp_k_case",
    )
    leaving = log_of(min(transitions(*matrix(TIED_WITH_TRANSITION).rows[:2])))
    for side, alpha in zip(("below", "above"), parts.doubles_beside(leaving), strict=True):
        yield _doubles(
            f"tied-at-transition-{side}: The double just {side} the point at which two tied columns leave.",
            {"matrix": TIED_WITH_TRANSITION, "alpha": alpha},
            "TiedRatios BesideTransition thm:lfp_k_case thm:lfp_seg_func",
        )
