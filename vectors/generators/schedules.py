"""`allocate` and `control`: both algorithms, horizons, levels and matrices of every kind, and what a cap leaves."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any

from tploracle.reference import Adversary, Level, budgets
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import input_parts as parts
from .draft import Draft, draft
from .facts import as_near
from .input_parts import Drawing, both, doubles_beside, matrix, part_above, shown_level
from .read_query import loss_of

_allocate, _exact_allocate = partial(draft, "allocate"), partial(draft, "allocate", numbers=RATIONAL)
_control, _exact_control = partial(draft, "control"), partial(draft, "control", numbers=RATIONAL)


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _horizons()
    yield from _levels_to_keep()
    yield from _infeasible()
    yield from _special_matrices()
    yield from _of_the_paper()
    yield from _sizes()
    yield from _ordinary()
    yield from _at_the_cap()
    yield from _levels_of_control()
    yield from _special_of_control()


ALGORITHM_7, ALGORITHM_8 = "algo:release1", "algo:release2 eq:release2_a eq:release2_b"
HORIZONS = {1: "HorizonOne", 2: "HorizonTwo", 3: "HorizonThree"}
_ERRATA = {1: "E29", 3: "E30"}

_Known = dict[str, Any]
"""The matrices that the adversary knows."""


def _algorithm_7(known: _Known, alpha: object) -> dict[str, Any]:
    return {**known, "alpha": alpha, "method": "upper-bound"}


def _algorithm_8(known: _Known, alpha: object, horizon: int) -> dict[str, Any]:
    return {**known, "alpha": alpha, "method": "quantified", "horizon": horizon}


def _horizons() -> Iterator[Draft]:
    """Yield horizons 1, 2, 3 and more for both methods and every kind of knowledge."""
    knowledge: tuple[tuple[str, _Known, str], ...] = (
        ("both", both(parts.DYADIC_SYMMETRIC, parts.SKEWED), "Asymmetric"),
        ("same", both(parts.DYADIC_SYMMETRIC, parts.DYADIC_SYMMETRIC), ""),
        ("backward", {"backward": parts.DYADIC_MODERATE}, "Asymmetric"),
        ("forward", {"forward": parts.DYADIC_MODERATE}, "Asymmetric"),
    )
    for name, known, flags in knowledge:
        for horizon in (1, 2, 3, 5):
            late = "MiddleAtTheEnd" if horizon == 3 and "forward" in known else ""
            errata = _ERRATA.get(horizon, "") if horizon == 1 or late else ""
            ruled_out = any(loss_of(matrix(rows)).is_identity for rows in known.values())
            yield _allocate(
                f"quantified-{name}-{horizon}: Algorithm 8 for {horizon} release{'s' * (horizon > 1)}, correlations "
                f"known: {', '.join(known)}.",
                _algorithm_8(known, 1.0, horizon),
                f"{HORIZONS.get(horizon, '')} {flags} {late} {errata} {ALGORITHM_8}",
                edges={"no positive budget is ruled out": not ruled_out},
            )
        for horizon_key, extra in (("for-ever", {}), ("4", {"horizon": 4})):
            yield _allocate(
                f"upper-bound-{name}-{horizon_key}: Algorithm 7, "
                f"{'without a horizon' if not extra else 'four times the same budget'}, correlations known: "
                f"{', '.join(known)}.",
                {**_algorithm_7(known, 1.0), **extra},
                f"BudgetForEver {flags} {ALGORITHM_7}",
            )
    for horizon in (1, 2, 3):
        solved = budgets(
            Level.of_ratio(2), Adversary(loss_of(matrix(parts.PAPER_SYMMETRIC)), loss_of(matrix(parts.PAPER_MODERATE)))
        )
        yield _exact_allocate(
            f"quantified-exact-{horizon}: Algorithm 8 for e^α = 2, horizon {horizon}: surds.",
            both(parts.PAPER_SYMMETRIC, parts.PAPER_MODERATE, alpha="log(2)", method="quantified", horizon=horizon),
            f"{HORIZONS[horizon]} LogLevel {_ERRATA.get(horizon, '')} {ALGORITHM_8}",
            edges={"the first and the last budget differ": solved.first != solved.last},
        )
    for horizon, method in ((100, "quantified"), (100, "upper-bound"), (500, "quantified")):
        yield _allocate(
            f"{method}-{horizon}: A schedule of {horizon} releases by the method {method}.",
            both(parts.DYADIC_SYMMETRIC, parts.DYADIC_MODERATE, alpha=1.0, method=method, horizon=horizon),
            f"LongStream Asymmetric {ALGORITHM_8 if method == 'quantified' else ALGORITHM_7}",
            full=horizon > 100,
        )


def _levels_to_keep() -> Iterator[Draft]:
    cases: tuple[tuple[str, float, str], ...] = (
        ("subnormal", 2.0**-1074, "SubnormalLevel"),
        ("1e-12", 1e-12, "TinyLevel"),
        ("tenth", 0.1, ""),
        ("40", 40.0, "LargeLevel"),
        ("710", 710.0, "OverflowingLevel"),
        ("million", 1e6, "OverflowingLevel"),
        ("inf", inf, "InfiniteLevel"),
    )
    for name, alpha, flags in cases:
        known = both(parts.DYADIC_SYMMETRIC, parts.DYADIC_MODERATE)
        shown = shown_level(alpha)
        without_end = "BisectionWithoutEnd" if name in ("tenth", "1e-12") else ""
        yield _allocate(
            f"level-{name}: Algorithm 8 for three releases, α = {shown}.",
            _algorithm_8(known, alpha, 3),
            f"HorizonThree {flags} {without_end} {'E27' if without_end else ''} {ALGORITHM_8}",
        )
        if name != "tenth":
            yield _allocate(
                f"for-ever-level-{name}: Algorithm 7, α = {shown}.",
                _algorithm_7(known, alpha),
                f"BudgetForEver {flags} {ALGORITHM_7}",
            )
    for name, zero in (("zero-doubles", 0.0), ("zero-exact", "0")):
        for method, extra in (("quantified", {"horizon": 1}), ("upper-bound", {})):
            yield _allocate(
                f"{name}-{method}: A level of 0 leaves no budget, by the method {method}.",
                {"backward": parts.DYADIC_SYMMETRIC, "alpha": zero, "method": method, **extra},
                "NothingToSpend algo:release1",
                numbers=FLOAT64 if name == "zero-doubles" else RATIONAL,
                error="InfeasibleBudget",
            )


def _infeasible() -> Iterator[Draft]:
    certain: tuple[tuple[str, _Known], ...] = (
        ("identity-both", both(parts.IDENTITY, parts.IDENTITY)),
        ("identity-backward", both(parts.IDENTITY, parts.DYADIC_SYMMETRIC)),
        ("identity-forward", {"forward": parts.IDENTITY}),
        ("disjoint", {"backward": parts.DISJOINT}),
        ("cycle", {"forward": parts.CYCLE}),
    )
    for name, known in certain:
        errata = "E28 E3" if name == "disjoint" else "E28"
        yield _allocate(
            f"{name}-quantified: A correlation that tells two values apart for certain: no budget, three releases.",
            _algorithm_8(known, 1.0, 3),
            f"CertainCorrelation {errata} algo:release2",
            error="InfeasibleBudget",
        )
        yield _allocate(
            f"{name}-upper-bound: A correlation that tells two values apart for certain: no budget for ever.",
            _algorithm_7(known, 1.0),
            f"CertainCorrelation {errata} algo:release1",
            error="InfeasibleBudget",
        )
        yield _allocate(
            f"{name}-one-release: One release alone is given all of α, whatever is correlated.",
            _algorithm_8(known, 1.0, 1),
            "HorizonOne E29 algo:release2",
        )
    for name, alpha in (("exact", "log(2)"), ("inf", "inf")):
        yield _exact_allocate(
            f"identity-{name}: The strongest correlation, α = {alpha}: no budget.",
            {"backward": parts.IDENTITY, "alpha": alpha, "method": "upper-bound"},
            "CertainCorrelation E28 algo:release1",
            error="InfeasibleBudget",
        )


def _special_matrices() -> Iterator[Draft]:
    for name, known in (
        ("nothing-known", {}),
        ("equal-rows", both(parts.EQUAL, parts.EQUAL)),
        ("one-state", {"forward": parts.ONE_STATE}),
    ):
        yield _allocate(
            f"{name}-quantified: No loss ({name.replace('-', ' ')}): every release may have all of α.",
            _algorithm_8(known, 0.5, 3),
            "NoLoss algo:release2 thm:algo_extreme1",
        )
        yield _allocate(
            f"{name}-upper-bound: No loss ({name.replace('-', ' ')}), for ever.",
            _algorithm_7(known, 0.5),
            "NoLoss BudgetForEver algo:release1 thm:algo_extreme1",
        )
    symmetric, near, almost = parts.DYADIC_SYMMETRIC, parts.near_texts(40), parts.almost_identity()
    for name, what, known, flags in (
        ("dense", "Several pieces of L on both sides", both(parts.DENSE, parts.BOUNDED), "Asymmetric"),
        ("two-pieces", "The same several pieces on both sides", both(parts.TWO_PIECES, parts.TWO_PIECES), ""),
        ("tiny-entry", "An entry of 2^−40 against 1/2", both(parts.tiny_texts(40), symmetric), "TinyEntry"),
        ("near-rows", "Rows that differ by 2^−40", both(near, near), "NearlyEqualRows"),
        ("almost-identity", "Two states left with probability 2^−53", both(almost, almost), "EntryNextToOne"),
    ):
        for alpha in (1.0, 5.0):
            yield _allocate(
                f"{name}-at-{alpha:.0f}: {what}: Algorithm 8 for four releases, α = {alpha:.0f}.",
                _algorithm_8(known, alpha, 4),
                f"{flags or 'MiddleAtTheEnd E30'} {ALGORITHM_8}",
            )
            yield _allocate(
                f"{name}-for-ever-at-{alpha:.0f}: {what}: Algorithm 7, α = {alpha:.0f}.",
                _algorithm_7(known, alpha),
                f"BudgetForEver {flags} {ALGORITHM_7}",
            )


def _of_the_paper() -> Iterator[Draft]:
    for horizon in (3, 10):
        yield _exact_allocate(
            f"figure-8-{horizon}: The correlations of Figure 8, α = 1, {horizon} releases.",
            both(parts.PAPER_SYMMETRIC, parts.PAPER_FIGURE_8, alpha="1", method="quantified", horizon=horizon),
            f"MiddleAtTheEnd BisectionWithoutEnd E27 E30 fig:ex_budgets {ALGORITHM_8}",
        )
    yield _exact_allocate(
        "figure-8-for-ever: The correlations of Figure 8, α = 1, for ever.",
        both(parts.PAPER_SYMMETRIC, parts.PAPER_FIGURE_8, alpha="1", method="upper-bound"),
        f"BudgetForEver BisectionWithoutEnd E27 fig:ex_budgets {ALGORITHM_7}",
    )
    yield _exact_allocate(
        "bisection-witness: The witness of erratum 27: the printed loop waits for two reals to be equal.",
        both(parts.PAPER_SYMMETRIC, parts.PAPER_SYMMETRIC, alpha="1", method="quantified", horizon=2),
        f"BisectionWithoutEnd HorizonTwo E27 {ALGORITHM_8}",
        digits=40,
    )
    yield _exact_allocate(
        "surd-level: A level whose ratio has a square root.",
        {"backward": parts.PAPER_SYMMETRIC, "alpha": "log((7+sqrt(33))/8)", "method": "quantified", "horizon": 3},
        f"SurdLevel {ALGORITHM_8}",
    )
    half = Fraction(1, 2)
    yield _exact_allocate(
        "second-trial: No loss, e^α = 3: the printed loop meets the solution, all of α, at its second trial.",
        both(("1/2 1/2", "1/2 1/2"), ("1/2 1/2", "1/2 1/2"), alpha="log(3)", method="upper-bound"),
        f"NoLoss {ALGORITHM_7}",
        edges={"both rows are uniform": parts.matrix(("1/2 1/2",) * 2).rows[0] == (half, half)},
    )


def _sizes() -> Iterator[Draft]:
    drawing = Drawing(83)
    for n in (6, 20, 50):
        yield _allocate(
            f"dense-{n}: Matrices of {n} states without zeros, four releases.",
            both(drawing.rows(n, 20), drawing.rows(n, 20), alpha=1.0, method="quantified", horizon=4),
            f"Asymmetric {ALGORITHM_8}",
            full=n == 50,
        )


SECTION_5 = "algo:release2 eq:bpl_f"


def _ordinary() -> Iterator[Draft]:
    for name, rows in (
        ("symmetric", parts.DYADIC_SYMMETRIC),
        ("moderate", parts.DYADIC_MODERATE),
        ("dense", parts.DENSE),
        ("bounded", parts.BOUNDED),
    ):
        for at, previous, cap in (
            ("first", 0.0, 1.0),
            ("below", 0.5, 1.0),
            ("at-cap", 1.0, 1.0),
            ("above", 1.125, 1.0),
        ):
            level, limit = Level.of(Fraction(previous)), Level.of(Fraction(cap))
            yield _control(
                f"{name}-{at}: A budget after BPL {previous:g} below a cap of {cap:g}.",
                {"matrix": rows, "previous": previous, "cap": cap},
                f"{'FirstRelease' if at == 'first' else ''} {SECTION_5}",
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
        yield _exact_control(
            f"exact-{name}: A budget after BPL {spent} below a cap of {limit_text}.",
            {"matrix": parts.PAPER_MODERATE, "previous": spent, "cap": limit_text},
            f"ExactDecimal {SECTION_5}",
        )


def _at_the_cap() -> Iterator[Draft]:
    """Yield caps at what is carried over, at the doubles beside it, and one part in 10^12 above."""
    for name, rows, previous in (
        ("symmetric", parts.DYADIC_SYMMETRIC, 1.0),
        ("moderate", parts.DYADIC_MODERATE, 0.75),
        ("dense", parts.DENSE, 2.0),
    ):
        carried = loss_of(matrix(rows))(Level.of(Fraction(previous)))
        below, above = doubles_beside(carried)
        yield _control(
            f"{name}-cap-next-above: The cap is the double just above what is carried over.",
            {"matrix": rows, "previous": previous, "cap": above},
            f"JustUnderCap {SECTION_5}",
            edges={"no double lies between": Level.of(Fraction(below)) < carried < Level.of(Fraction(above))},
        )
        yield _control(
            f"{name}-cap-part-above: The cap is one part in 10^12 above what is carried over.",
            {"matrix": rows, "previous": previous, "cap": part_above(carried)},
            f"JustUnderCap {SECTION_5}",
            edges=as_near("part-above", part_above(carried), carried),
        )
        yield _control(
            f"{name}-cap-next-below: The cap is the double just below what is carried over.",
            {"matrix": rows, "previous": previous, "cap": below},
            f"CarriedOver {SECTION_5}",
            error="InfeasibleBudget",
        )
    for name, numbers, rows, spent, cap in (
        ("identity", FLOAT64, parts.IDENTITY, 0.5, 0.5),
        ("disjoint", FLOAT64, parts.DISJOINT, 0.5, 0.5),
        ("exact", RATIONAL, parts.PAPER_MODERATE, "log(2)", "log(9/5)"),
        ("zero", FLOAT64, parts.DYADIC_SYMMETRIC, 0.0, 0.0),
    ):
        yield _control(
            f"exactly-at-cap-{name}: What is carried over is exactly the cap.",
            {"matrix": rows, "previous": spent, "cap": cap},
            f"ExactlyAtCap {SECTION_5}",
            numbers=numbers,
            error="InfeasibleBudget",
        )
    ratio = Fraction(9, 5) + Fraction(1, 10**40)
    yield _exact_control(
        "just-under-cap-exact: The cap's ratio is 10^−40 above what is carried over.",
        {"matrix": parts.PAPER_MODERATE, "previous": "log(2)", "cap": f"log({ratio})"},
        f"JustUnderCap {SECTION_5}",
        edges={
            "what is carried over is log(9/5)": loss_of(matrix(parts.PAPER_MODERATE))(Level.of_ratio(2))
            == Level.of_ratio(Fraction(9, 5))
        },
    )


def _levels_of_control() -> Iterator[Draft]:
    cases: tuple[tuple[str, float, float, str], ...] = (
        ("tiny", 1e-12, 2e-12, "TinyLevel"),
        ("subnormal", 2.0**-1074, 2.0**-1073, "SubnormalLevel"),
        ("40", 40.0, 41.0, "LargeLevel"),
        ("710", 710.0, 710.0, "OverflowingLevel"),
        ("million", 1e6, 1e6, "OverflowingLevel"),
        ("tiny-below-large-cap", 1e-12, 40.0, "TinyLevel LargeLevel"),
        ("cap-inf", 1.0, inf, "InfiniteLevel"),
        ("both-inf", inf, inf, "InfiniteLevel"),
    )
    for name, previous, cap, flags in cases:
        for matrix_name, rows in (("symmetric", parts.DYADIC_SYMMETRIC), ("moderate", parts.DYADIC_MODERATE)):
            yield _control(
                f"level-{name}-{matrix_name}: What is left below a cap of {shown_level(cap)} after BPL "
                f"{shown_level(previous)}.",
                {"matrix": rows, "previous": previous, "cap": cap},
                f"{flags} {SECTION_5}",
            )
    yield _control(
        "previous-inf-bounded: After a release without protection a bounded L leaves something to spend.",
        {"matrix": parts.DYADIC_SYMMETRIC, "previous": inf, "cap": 2.0},
        f"InfiniteLevel {SECTION_5}",
        edges={
            "L(∞) = log 3 < 2": loss_of(matrix(parts.DYADIC_SYMMETRIC)).at_infinity == Level.of_ratio(3) < Level.of(2)
        },
    )
    for name, rows, cap in (("moderate", parts.DYADIC_MODERATE, 40.0), ("bounded", parts.DYADIC_SYMMETRIC, 1.0)):
        yield _control(
            f"previous-inf-{name}-infeasible: After a release without protection nothing is left.",
            {"matrix": rows, "previous": inf, "cap": cap},
            f"CarriedOver InfiniteLevel {SECTION_5}",
            error="InfeasibleBudget",
        )


def _special_of_control() -> Iterator[Draft]:
    for name, rows, flags in (
        ("equal-rows", parts.EQUAL, "EqualRows"),
        ("one-state", parts.ONE_STATE, "SingleState"),
        ("identity", parts.IDENTITY, "Permutation"),
        ("near-rows", parts.near_texts(40), "NearlyEqualRows"),
        ("tiny-entry", parts.tiny_texts(40), "TinyEntry"),
    ):
        yield _control(
            f"{name}: A budget after BPL 0.5 below a cap of 1: {name.replace('-', ' ')}.",
            {"matrix": rows, "previous": 0.5, "cap": 1.0},
            f"{flags} {SECTION_5}",
        )
    drawing = Drawing(97)
    for n in (10, 50):
        drawn = drawing.rows(n, 20)
        yield _control(
            f"dense-{n}: A matrix of {n} states without zeros.",
            {"matrix": drawn, "previous": 1.0, "cap": 1.0},
            f"{'ManyStates' if n == 50 else ''} {SECTION_5}",
            edges={"no entry is 0": all(entry for row in drawn for entry in row)},
            full=n == 50,
        )
