"""`allocate` and `control`: both algorithms, horizons, levels and matrices of every kind, and what a cap leaves."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf

from tploracle.reference import Adversary, Level, budgets
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import input_parts
from .draft import Draft, draft
from .facts import as_near
from .input_parts import Drawing, Texts, doubles_beside, matrix, part_above, shown_level
from .read_query import loss_of


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


ALGORITHM_7, ALGORITHM_8 = ("algo:release1",), ("algo:release2", "eq:release2_a", "eq:release2_b")
HORIZONS = {1: "HorizonOne", 2: "HorizonTwo", 3: "HorizonThree"}

KnownTexts = dict[str, Texts]


def _horizons() -> Iterator[Draft]:
    """Yield horizons 1, 2, 3 and more for both methods and every kind of knowledge."""
    knowledge: tuple[tuple[str, KnownTexts, tuple[str, ...]], ...] = (
        ("both", {"backward": input_parts.DYADIC_SYMMETRIC, "forward": input_parts.SKEWED}, ("Asymmetric",)),
        ("same", {"backward": input_parts.DYADIC_SYMMETRIC, "forward": input_parts.DYADIC_SYMMETRIC}, ()),
        ("backward", {"backward": input_parts.DYADIC_MODERATE}, ("Asymmetric",)),
        ("forward", {"forward": input_parts.DYADIC_MODERATE}, ("Asymmetric",)),
    )
    for name, known, flags in knowledge:
        for horizon in (1, 2, 3, 5):
            own = (HORIZONS[horizon],) if horizon in HORIZONS else ()
            errata = {1: ("E29",), 3: ("E30",)}.get(horizon, ())
            late = ("MiddleAtTheEnd",) if horizon == 3 and "forward" in known else ()
            yield draft(
                "allocate",
                f"quantified-{name}-{horizon}",
                f"Algorithm 8 for {horizon} release{'s' * (horizon > 1)}, correlations known: {', '.join(known)}.",
                FLOAT64,
                {**known, "alpha": 1.0, "method": "quantified", "horizon": horizon},
                cites=ALGORITHM_8,
                flags=(*own, *flags, *late),
                errata=errata if horizon == 1 or late else (),
                edges={
                    "no positive budget is ruled out": not any(
                        loss_of(matrix(rows)).is_identity for rows in known.values()
                    )
                },
            )
        for horizon_key, extra in (("for-ever", {}), ("4", {"horizon": 4})):
            yield draft(
                "allocate",
                f"upper-bound-{name}-{horizon_key}",
                f"Algorithm 7, {'without a horizon' if not extra else 'four times the same budget'}, "
                f"correlations known: {', '.join(known)}.",
                FLOAT64,
                {**known, "alpha": 1.0, "method": "upper-bound", **extra},
                cites=ALGORITHM_7,
                flags=("BudgetForEver", *flags),
            )
    for horizon in (1, 2, 3):
        solved = budgets(
            Level.of_ratio(2),
            Adversary(loss_of(matrix(input_parts.PAPER_SYMMETRIC)), loss_of(matrix(input_parts.PAPER_MODERATE))),
        )
        yield draft(
            "allocate",
            f"quantified-exact-{horizon}",
            f"Algorithm 8 for e^α = 2, horizon {horizon}: surds.",
            RATIONAL,
            {
                "backward": input_parts.PAPER_SYMMETRIC,
                "forward": input_parts.PAPER_MODERATE,
                "alpha": "log(2)",
                "method": "quantified",
                "horizon": horizon,
            },
            cites=ALGORITHM_8,
            flags=(HORIZONS[horizon], "LogLevel"),
            errata={1: ("E29",), 3: ("E30",)}.get(horizon, ()),
            edges={"the first and the last budget differ": solved.first != solved.last},
        )
    for horizon, method in ((100, "quantified"), (100, "upper-bound"), (500, "quantified")):
        yield draft(
            "allocate",
            f"{method}-{horizon}",
            f"A schedule of {horizon} releases by the method {method}.",
            FLOAT64,
            {
                "backward": input_parts.DYADIC_SYMMETRIC,
                "forward": input_parts.DYADIC_MODERATE,
                "alpha": 1.0,
                "method": method,
                "horizon": horizon,
            },
            cites=ALGORITHM_8 if method == "quantified" else ALGORITHM_7,
            flags=("LongStream", "Asymmetric"),
            full=horizon > 100,
        )


def _levels_to_keep() -> Iterator[Draft]:
    cases: tuple[tuple[str, float, tuple[str, ...]], ...] = (
        ("subnormal", 2.0**-1074, ("SubnormalLevel",)),
        ("1e-12", 1e-12, ("TinyLevel",)),
        ("tenth", 0.1, ()),
        ("40", 40.0, ("LargeLevel",)),
        ("710", 710.0, ("OverflowingLevel",)),
        ("million", 1e6, ("OverflowingLevel",)),
        ("inf", inf, ("InfiniteLevel",)),
    )
    for name, alpha, flags in cases:
        known = {"backward": input_parts.DYADIC_SYMMETRIC, "forward": input_parts.DYADIC_MODERATE}
        shown = shown_level(alpha)
        without_end = ("BisectionWithoutEnd",) if name in ("tenth", "1e-12") else ()
        yield draft(
            "allocate",
            f"level-{name}",
            f"Algorithm 8 for three releases, α = {shown}.",
            FLOAT64,
            {**known, "alpha": alpha, "method": "quantified", "horizon": 3},
            cites=ALGORITHM_8,
            flags=("HorizonThree", *flags, *without_end),
            errata=("E27",) if without_end else (),
        )
        if name != "tenth":
            yield draft(
                "allocate",
                f"for-ever-level-{name}",
                f"Algorithm 7, α = {shown}.",
                FLOAT64,
                {**known, "alpha": alpha, "method": "upper-bound"},
                cites=ALGORITHM_7,
                flags=("BudgetForEver", *flags),
            )
    for name, zero in (("zero-doubles", 0.0), ("zero-exact", "0")):
        for method, extra in (("quantified", {"horizon": 1}), ("upper-bound", {})):
            yield draft(
                "allocate",
                f"{name}-{method}",
                f"A level of 0 leaves no budget, by the method {method}.",
                FLOAT64 if name == "zero-doubles" else RATIONAL,
                {"backward": input_parts.DYADIC_SYMMETRIC, "alpha": zero, "method": method, **extra},
                cites=("algo:release1",),
                flags=("NothingToSpend",),
                error="InfeasibleBudget",
            )


def _infeasible() -> Iterator[Draft]:
    certain: tuple[tuple[str, KnownTexts], ...] = (
        ("identity-both", {"backward": input_parts.IDENTITY, "forward": input_parts.IDENTITY}),
        ("identity-backward", {"backward": input_parts.IDENTITY, "forward": input_parts.DYADIC_SYMMETRIC}),
        ("identity-forward", {"forward": input_parts.IDENTITY}),
        ("disjoint", {"backward": input_parts.DISJOINT}),
        ("cycle", {"forward": input_parts.CYCLE}),
    )
    for name, known in certain:
        errata = ("E28", "E3") if name == "disjoint" else ("E28",)
        yield draft(
            "allocate",
            f"{name}-quantified",
            "A correlation that tells two values apart for certain: no budget, three releases.",
            FLOAT64,
            {**known, "alpha": 1.0, "method": "quantified", "horizon": 3},
            cites=("algo:release2",),
            flags=("CertainCorrelation",),
            errata=errata,
            error="InfeasibleBudget",
        )
        yield draft(
            "allocate",
            f"{name}-upper-bound",
            "A correlation that tells two values apart for certain: no budget for ever.",
            FLOAT64,
            {**known, "alpha": 1.0, "method": "upper-bound"},
            cites=("algo:release1",),
            flags=("CertainCorrelation",),
            errata=errata,
            error="InfeasibleBudget",
        )
        yield draft(
            "allocate",
            f"{name}-one-release",
            "One release alone is given all of α, whatever is correlated.",
            FLOAT64,
            {**known, "alpha": 1.0, "method": "quantified", "horizon": 1},
            cites=("algo:release2",),
            flags=("HorizonOne",),
            errata=("E29",),
        )
    for name, alpha in (("exact", "log(2)"), ("inf", "inf")):
        yield draft(
            "allocate",
            f"identity-{name}",
            f"The strongest correlation, α = {alpha}: no budget.",
            RATIONAL,
            {"backward": input_parts.IDENTITY, "alpha": alpha, "method": "upper-bound"},
            cites=("algo:release1",),
            flags=("CertainCorrelation",),
            errata=("E28",),
            error="InfeasibleBudget",
        )


def _special_matrices() -> Iterator[Draft]:
    for name, known in (
        ("nothing-known", {}),
        ("equal-rows", {"backward": input_parts.EQUAL, "forward": input_parts.EQUAL}),
        ("one-state", {"forward": input_parts.ONE_STATE}),
    ):
        given: dict[str, object] = {**known, "alpha": 0.5}
        yield draft(
            "allocate",
            f"{name}-quantified",
            f"No loss ({name.replace('-', ' ')}): every release may have all of α.",
            FLOAT64,
            {**given, "method": "quantified", "horizon": 3},
            cites=("algo:release2", "thm:algo_extreme1"),
            flags=("NoLoss",),
        )
        yield draft(
            "allocate",
            f"{name}-upper-bound",
            f"No loss ({name.replace('-', ' ')}), for ever.",
            FLOAT64,
            {**given, "method": "upper-bound"},
            cites=("algo:release1", "thm:algo_extreme1"),
            flags=("NoLoss", "BudgetForEver"),
        )
    shaped: tuple[tuple[str, str, KnownTexts, tuple[str, ...]], ...] = (
        (
            "dense",
            "Several pieces of L on both sides",
            {"backward": input_parts.DENSE, "forward": input_parts.BOUNDED},
            ("Asymmetric",),
        ),
        (
            "two-pieces",
            "The same several pieces on both sides",
            {"backward": input_parts.TWO_PIECES, "forward": input_parts.TWO_PIECES},
            (),
        ),
        (
            "tiny-entry",
            "An entry of 2^−40 against 1/2",
            {"backward": input_parts.tiny_texts(40), "forward": input_parts.DYADIC_SYMMETRIC},
            ("TinyEntry",),
        ),
        (
            "near-rows",
            "Rows that differ by 2^−40",
            {"backward": input_parts.near_texts(40), "forward": input_parts.near_texts(40)},
            ("NearlyEqualRows",),
        ),
        (
            "almost-identity",
            "Two states left with probability 2^−53",
            {"backward": input_parts.almost_identity(), "forward": input_parts.almost_identity()},
            ("EntryNextToOne",),
        ),
    )
    for name, what, known, flags in shaped:
        for alpha in (1.0, 5.0):
            yield draft(
                "allocate",
                f"{name}-at-{alpha:.0f}",
                f"{what}: Algorithm 8 for four releases, α = {alpha:.0f}.",
                FLOAT64,
                {**known, "alpha": alpha, "method": "quantified", "horizon": 4},
                cites=ALGORITHM_8,
                flags=flags or ("MiddleAtTheEnd",),
                errata=() if flags else ("E30",),
            )
            yield draft(
                "allocate",
                f"{name}-for-ever-at-{alpha:.0f}",
                f"{what}: Algorithm 7, α = {alpha:.0f}.",
                FLOAT64,
                {**known, "alpha": alpha, "method": "upper-bound"},
                cites=ALGORITHM_7,
                flags=("BudgetForEver", *flags),
            )


def _of_the_paper() -> Iterator[Draft]:
    for horizon in (3, 10):
        yield draft(
            "allocate",
            f"figure-8-{horizon}",
            f"The correlations of Figure 8, α = 1, {horizon} releases.",
            RATIONAL,
            {
                "backward": input_parts.PAPER_SYMMETRIC,
                "forward": input_parts.PAPER_FIGURE_8,
                "alpha": "1",
                "method": "quantified",
                "horizon": horizon,
            },
            cites=("fig:ex_budgets", *ALGORITHM_8),
            flags=("MiddleAtTheEnd", "BisectionWithoutEnd"),
            errata=("E27", "E30"),
        )
    yield draft(
        "allocate",
        "figure-8-for-ever",
        "The correlations of Figure 8, α = 1, for ever.",
        RATIONAL,
        {
            "backward": input_parts.PAPER_SYMMETRIC,
            "forward": input_parts.PAPER_FIGURE_8,
            "alpha": "1",
            "method": "upper-bound",
        },
        cites=("fig:ex_budgets", *ALGORITHM_7),
        flags=("BudgetForEver", "BisectionWithoutEnd"),
        errata=("E27",),
    )
    yield draft(
        "allocate",
        "bisection-witness",
        "The witness of erratum 27: the printed loop waits for two reals to be equal.",
        RATIONAL,
        {
            "backward": input_parts.PAPER_SYMMETRIC,
            "forward": input_parts.PAPER_SYMMETRIC,
            "alpha": "1",
            "method": "quantified",
            "horizon": 2,
        },
        cites=ALGORITHM_8,
        flags=("BisectionWithoutEnd", "HorizonTwo"),
        errata=("E27",),
        digits=40,
    )
    yield draft(
        "allocate",
        "surd-level",
        "A level whose ratio has a square root.",
        RATIONAL,
        {"backward": input_parts.PAPER_SYMMETRIC, "alpha": "log((7+sqrt(33))/8)", "method": "quantified", "horizon": 3},
        cites=ALGORITHM_8,
        flags=("SurdLevel",),
    )
    half = Fraction(1, 2)
    yield draft(
        "allocate",
        "second-trial",
        "No loss, e^α = 3: the printed loop meets the solution, all of α, at its second trial.",
        RATIONAL,
        {
            "backward": ("1/2 1/2", "1/2 1/2"),
            "forward": ("1/2 1/2", "1/2 1/2"),
            "alpha": "log(3)",
            "method": "upper-bound",
        },
        cites=ALGORITHM_7,
        flags=("NoLoss",),
        edges={"both rows are uniform": input_parts.matrix(("1/2 1/2",) * 2).rows[0] == (half, half)},
    )


def _sizes() -> Iterator[Draft]:
    drawing = Drawing(83)
    for n in (6, 20, 50):
        yield draft(
            "allocate",
            f"dense-{n}",
            f"Matrices of {n} states without zeros, four releases.",
            FLOAT64,
            {
                "backward": drawing.rows(n, 20),
                "forward": drawing.rows(n, 20),
                "alpha": 1.0,
                "method": "quantified",
                "horizon": 4,
            },
            cites=ALGORITHM_8,
            flags=("Asymmetric",),
            full=n == 50,
        )


SECTION_5 = ("algo:release2", "eq:bpl_f")


def _ordinary() -> Iterator[Draft]:
    for name, rows in (
        ("symmetric", input_parts.DYADIC_SYMMETRIC),
        ("moderate", input_parts.DYADIC_MODERATE),
        ("dense", input_parts.DENSE),
        ("bounded", input_parts.BOUNDED),
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
            {"matrix": input_parts.PAPER_MODERATE, "previous": spent, "cap": limit_text},
            cites=SECTION_5,
            flags=("ExactDecimal",),
        )


def _at_the_cap() -> Iterator[Draft]:
    """Yield caps at what is carried over, at the doubles beside it, and one part in 10^12 above."""
    for name, rows, previous in (
        ("symmetric", input_parts.DYADIC_SYMMETRIC, 1.0),
        ("moderate", input_parts.DYADIC_MODERATE, 0.75),
        ("dense", input_parts.DENSE, 2.0),
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
        ("identity", FLOAT64, input_parts.IDENTITY, 0.5, 0.5),
        ("disjoint", FLOAT64, input_parts.DISJOINT, 0.5, 0.5),
        ("exact", RATIONAL, input_parts.PAPER_MODERATE, "log(2)", "log(9/5)"),
        ("zero", FLOAT64, input_parts.DYADIC_SYMMETRIC, 0.0, 0.0),
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
        {"matrix": input_parts.PAPER_MODERATE, "previous": "log(2)", "cap": f"log({ratio})"},
        cites=SECTION_5,
        flags=("JustUnderCap",),
        edges={
            "what is carried over is log(9/5)": loss_of(matrix(input_parts.PAPER_MODERATE))(Level.of_ratio(2))
            == Level.of_ratio(Fraction(9, 5))
        },
    )


def _levels_of_control() -> Iterator[Draft]:
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
        for matrix_name, rows in (
            ("symmetric", input_parts.DYADIC_SYMMETRIC),
            ("moderate", input_parts.DYADIC_MODERATE),
        ):
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
        {"matrix": input_parts.DYADIC_SYMMETRIC, "previous": inf, "cap": 2.0},
        cites=SECTION_5,
        flags=("InfiniteLevel",),
        edges={
            "L(∞) = log 3 < 2": loss_of(matrix(input_parts.DYADIC_SYMMETRIC)).at_infinity
            == Level.of_ratio(3)
            < Level.of(2)
        },
    )
    for name, rows, cap in (
        ("moderate", input_parts.DYADIC_MODERATE, 40.0),
        ("bounded", input_parts.DYADIC_SYMMETRIC, 1.0),
    ):
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


def _special_of_control() -> Iterator[Draft]:
    for name, rows, flags in (
        ("equal-rows", input_parts.EQUAL, ("EqualRows",)),
        ("one-state", input_parts.ONE_STATE, ("SingleState",)),
        ("identity", input_parts.IDENTITY, ("Permutation",)),
        ("near-rows", input_parts.near_texts(40), ("NearlyEqualRows",)),
        ("tiny-entry", input_parts.tiny_texts(40), ("TinyEntry",)),
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
