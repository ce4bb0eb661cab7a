"""`allocate` for matrices of every kind, those of the paper, and large ones."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .budgets import ALGORITHM_7, ALGORITHM_8, Known
from .draft import Draft, draft
from .dyadic import Drawing


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _special()
    yield from _of_the_paper()
    yield from _sizes()


def _special() -> Iterator[Draft]:
    for name, known in (
        ("nothing-known", {}),
        ("equal-rows", {"backward": shapes.EQUAL, "forward": shapes.EQUAL}),
        ("one-state", {"forward": shapes.ONE}),
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
    shaped: tuple[tuple[str, str, Known, tuple[str, ...]], ...] = (
        (
            "dense",
            "Several pieces of L on both sides",
            {"backward": shapes.DENSE, "forward": shapes.BOUNDED},
            ("Asymmetric",),
        ),
        (
            "two-pieces",
            "The same several pieces on both sides",
            {"backward": shapes.TWO_PIECES, "forward": shapes.TWO_PIECES},
            (),
        ),
        (
            "tiny-entry",
            "An entry of 2^−40 against 1/2",
            {"backward": shapes.tiny_texts(40), "forward": shapes.SYMMETRIC},
            ("TinyEntry",),
        ),
        (
            "near-rows",
            "Rows that differ by 2^−40",
            {"backward": shapes.near_texts(40), "forward": shapes.near_texts(40)},
            ("NearlyEqualRows",),
        ),
        (
            "almost-identity",
            "Two states left with probability 2^−53",
            {"backward": shapes.almost_identity(), "forward": shapes.almost_identity()},
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
                "backward": shapes.PAPER_SYMMETRIC,
                "forward": shapes.PAPER_FIGURE_8,
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
        {"backward": shapes.PAPER_SYMMETRIC, "forward": shapes.PAPER_FIGURE_8, "alpha": "1", "method": "upper-bound"},
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
            "backward": shapes.PAPER_SYMMETRIC,
            "forward": shapes.PAPER_SYMMETRIC,
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
        {"backward": shapes.PAPER_SYMMETRIC, "alpha": "log((7+sqrt(33))/8)", "method": "quantified", "horizon": 3},
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
        edges={"both rows are uniform": shapes.matrix(("1/2 1/2",) * 2).rows[0] == (half, half)},
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
