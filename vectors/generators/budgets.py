"""`allocate`: both algorithms, horizons 1, 2, 3 and long ones, one correlation or two, and where no budget exists."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from tploracle.reference import Adversary, Level, budgets
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .asked import loss_of
from .draft import Draft, draft
from .dyadic import shown_level
from .shapes import Texts, matrix

ALGORITHM_7, ALGORITHM_8 = ("algo:release1",), ("algo:release2", "eq:release2_a", "eq:release2_b")
HORIZONS = {1: "HorizonOne", 2: "HorizonTwo", 3: "HorizonThree"}

Known = dict[str, Texts]


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _horizons()
    yield from _levels()
    yield from _infeasible()


def _horizons() -> Iterator[Draft]:
    """Yield horizons 1, 2, 3 and more for both methods and every kind of knowledge."""
    knowledge: tuple[tuple[str, Known, tuple[str, ...]], ...] = (
        ("both", {"backward": shapes.SYMMETRIC, "forward": shapes.SKEWED}, ("Asymmetric",)),
        ("same", {"backward": shapes.SYMMETRIC, "forward": shapes.SYMMETRIC}, ()),
        ("backward", {"backward": shapes.MODERATE}, ("Asymmetric",)),
        ("forward", {"forward": shapes.MODERATE}, ("Asymmetric",)),
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
            Adversary(loss_of(matrix(shapes.PAPER_SYMMETRIC)), loss_of(matrix(shapes.PAPER_MODERATE))),
        )
        yield draft(
            "allocate",
            f"quantified-exact-{horizon}",
            f"Algorithm 8 for e^α = 2, horizon {horizon}: surds.",
            RATIONAL,
            {
                "backward": shapes.PAPER_SYMMETRIC,
                "forward": shapes.PAPER_MODERATE,
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
                "backward": shapes.SYMMETRIC,
                "forward": shapes.MODERATE,
                "alpha": 1.0,
                "method": method,
                "horizon": horizon,
            },
            cites=ALGORITHM_8 if method == "quantified" else ALGORITHM_7,
            flags=("LongStream", "Asymmetric"),
            full=horizon > 100,
        )


def _levels() -> Iterator[Draft]:
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
        known = {"backward": shapes.SYMMETRIC, "forward": shapes.MODERATE}
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
                {"backward": shapes.SYMMETRIC, "alpha": zero, "method": method, **extra},
                cites=("algo:release1",),
                flags=("NothingToSpend",),
                error="InfeasibleBudget",
            )


def _infeasible() -> Iterator[Draft]:
    certain: tuple[tuple[str, Known], ...] = (
        ("identity-both", {"backward": shapes.IDENTITY, "forward": shapes.IDENTITY}),
        ("identity-backward", {"backward": shapes.IDENTITY, "forward": shapes.SYMMETRIC}),
        ("identity-forward", {"forward": shapes.IDENTITY}),
        ("disjoint", {"backward": shapes.DISJOINT}),
        ("cycle", {"forward": shapes.CYCLE}),
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
            {"backward": shapes.IDENTITY, "alpha": alpha, "method": "upper-bound"},
            cites=("algo:release1",),
            flags=("CertainCorrelation",),
            errata=("E28",),
            error="InfeasibleBudget",
        )
