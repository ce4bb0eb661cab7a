"""`leakage` over long streams, that of the paper's figures, and for many states."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tploracle.reference import TransitionMatrix
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .draft import Draft, draft
from .dyadic import Drawing
from .streams import RECURSIONS, given_to


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _long()
    yield from _of_the_paper()
    yield from _sizes()


def _long() -> Iterator[Draft]:
    for steps in (100, 400):
        yield draft(
            "leakage",
            f"long-{steps}",
            f"A stream of {steps} releases of the double nearest to 0.1.",
            FLOAT64,
            given_to(("backward", "forward"), shapes.SYMMETRIC, shapes.SKEWED, [0.1] * steps),
            cites=RECURSIONS,
            flags=("LongStream", "Saturates"),
            full=steps > 100,
        )
    yield draft(
        "leakage",
        "long-uneven",
        "A hundred releases of budgets that differ.",
        FLOAT64,
        given_to(
            ("backward", "forward"), shapes.SYMMETRIC, shapes.MODERATE, [((7 * k) % 16 + 1) / 64 for k in range(100)]
        ),
        cites=RECURSIONS,
        flags=("LongStream", "UnevenBudgets"),
    )
    yield draft(
        "leakage",
        "long-divergent",
        "A hundred releases whose leakage has no bound.",
        FLOAT64,
        given_to(("backward",), shapes.MODERATE, shapes.MODERATE, [0.5] * 100),
        cites=(*RECURSIONS, "thm:sup"),
        flags=("LongStream", "BackwardOnly"),
    )
    yield draft(
        "leakage",
        "long-certain",
        "A hundred releases under the strongest correlation: the sum is 100·ε exactly.",
        FLOAT64,
        given_to(("backward", "forward"), shapes.IDENTITY, shapes.IDENTITY, [0.1] * 100),
        cites=RECURSIONS,
        flags=("LongStream", "Permutation"),
    )
    yield draft(
        "leakage",
        "saturates",
        "Sixty releases: doubles take the leakage for constant before it is.",
        FLOAT64,
        given_to(("backward", "forward"), shapes.SYMMETRIC, shapes.SYMMETRIC, [0.5] * 60),
        cites=RECURSIONS,
        flags=("Saturates",),
    )
    yield draft(
        "leakage",
        "long-exact",
        "Twenty releases with rational ratios.",
        RATIONAL,
        given_to(("backward", "forward"), shapes.PAPER_MODERATE, shapes.PAPER_SYMMETRIC, ["log(11/10)"] * 20),
        cites=RECURSIONS,
        flags=("BothKnown", "LogLevel"),
    )


def _of_the_paper() -> Iterator[Draft]:
    for name, rows in (
        ("strongest", shapes.IDENTITY),
        ("moderate", shapes.PAPER_MODERATE),
        ("none", ("1/2 1/2", "1/2 1/2")),
    ):
        yield draft(
            "leakage",
            f"figure-3-{name}",
            f"Figure 3, {'no' if name == 'none' else f'the {name}'} correlation: ten releases of 0.1.",
            RATIONAL,
            given_to(("backward", "forward"), rows, rows, ["0.1"] * 10),
            cites=("fig:tpl", "example:bpl", "example:fpl"),
            flags=("BothKnown", "ExactDecimal"),
        )
    yield draft(
        "leakage",
        "figure-8",
        "The two correlations of Figure 8, which are not of one chain.",
        RATIONAL,
        given_to(("backward", "forward"), shapes.PAPER_SYMMETRIC, shapes.PAPER_FIGURE_8, ["0.1"] * 5),
        cites=("fig:ex_budgets",),
        flags=("BothKnown",),
        edges={
            "the odds ratios are 16 and 36": [
                _odds(shapes.matrix(rows)) for rows in (shapes.PAPER_SYMMETRIC, shapes.PAPER_FIGURE_8)
            ]
            == [16, 36]
        },
    )


def _odds(matrix: TransitionMatrix) -> Fraction:
    (a, b), (c, d) = matrix.rows
    return a * d / (b * c)


def _sizes() -> Iterator[Draft]:
    drawing = Drawing(61)
    for n, steps in ((5, 4), (10, 3), (20, 3), (50, 3)):
        yield draft(
            "leakage",
            f"dense-{n}",
            f"Matrices of {n} states without zeros, {steps} releases, both correlations known.",
            FLOAT64,
            {
                "backward": drawing.rows(n, 20),
                "forward": drawing.rows(n, 20),
                "epsilons": [0.5, 0.25, 1.0, 0.125][:steps],
            },
            cites=RECURSIONS,
            flags=("BothKnown", "UnevenBudgets", "ManyStates")[: 2 + (n == 50)],
        )
    yield draft(
        "leakage",
        "sparse-50",
        "Fifty states, up to six of them reached from each.",
        FLOAT64,
        {"backward": shapes.sparse(50, 20, 67, 5), "epsilons": [0.5, 1.0, 0.25]},
        cites=RECURSIONS,
        flags=("BackwardOnly", "ManyStates", "Sparse"),
        full=True,
    )
