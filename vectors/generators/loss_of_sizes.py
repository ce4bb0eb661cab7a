"""`loss` for the states of a matrix in another order, and for up to fifty of them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf

from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .asked import loss_of
from .draft import Draft, draft
from .dyadic import Drawing, rows_of
from .shapes import matrix


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _orders()
    yield from _sizes()


def _orders() -> Iterator[Draft]:
    base = ("1/2 1/4 1/8 1/8", "1/8 1/8 1/2 1/4", "1/4 1/4 1/4 1/4", "1/8 1/4 1/8 1/2")
    expected = loss_of(matrix(base)).coefficients
    for number, rows_order, columns_order in (
        (1, (3, 2, 1, 0), (0, 1, 2, 3)),
        (2, (0, 1, 2, 3), (2, 0, 3, 1)),
        (3, (2, 0, 3, 1), (3, 1, 0, 2)),
    ):
        entries = rows_of(*base)
        reordered = tuple(tuple(entries[j][k] for k in columns_order) for j in rows_order)
        yield draft(
            "loss",
            f"reordered-{number}",
            f"The same states in another order, number {number}: L is the same.",
            FLOAT64,
            {"matrix": reordered, "alpha": 2},
            cites=("eq:lfp_sol_b",),
            flags=(),
            edges={
                "the rows and columns are those of one matrix in another order": reordered != entries,
                "L is the same function": loss_of(matrix(reordered)).coefficients == expected,
            },
        )
    for name, rows in (
        ("swap", shapes.SWAP),
        ("cycle", shapes.CYCLE),
        ("of-four", ("0 0 0 1", "1 0 0 0", "0 0 1 0", "0 1 0 0")),
    ):
        yield draft(
            "loss",
            f"permutation-{name}",
            "What follows is certain, and never the same state twice."
            if name != "of-four"
            else "A permutation that leaves one state where it is.",
            FLOAT64,
            {"matrix": rows, "alpha": 1},
            cites=("thm:algo_extreme2",),
            flags=("Permutation", "DisjointSupports"),
            edges={"L(α) = α": loss_of(matrix(rows)).is_identity},
        )
    for name, rows in (
        ("last-first", ("3/8 3/8 1/4", "1/4 3/8 3/8", "3/4 1/8 1/8")),
        ("middle", ("1/4 1/4 1/4 1/4", "5/8 1/8 1/8 1/8", "1/8 1/8 1/8 5/8", "1/4 1/4 1/4 1/4")),
    ):
        yield draft(
            "loss",
            f"late-pair-{name}",
            "The pair of rows that decides is not the first, nor in that order.",
            FLOAT64,
            {"matrix": rows, "alpha": 1},
            cites=("eq:lfp_sol_b",),
            flags=("LatePair",),
        )
    yield draft(
        "loss",
        "one-direction",
        "Of two rows only one order of q and d attains the loss.",
        FLOAT64,
        {"matrix": ("1 0", "3/4 1/4"), "alpha": 3},
        cites=("eq:lfp_sol_b",),
        flags=("LatePair", "ZeroDenominator"),
        edges={
            "row 1 over row 2 never gives more than log(4/3)": max(
                q / d for q, d in zip(*rows_of("1 0", "3/4 1/4"), strict=True) if d
            )
            == Fraction(4, 3)
        },
    )


def _sizes() -> Iterator[Draft]:
    drawing = Drawing(7)
    for n in (5, 10, 20):
        rows = drawing.rows(n, 20)
        yield draft(
            "loss",
            f"dense-{n}",
            f"A matrix of {n} states without zeros, in multiples of 2^−20.",
            FLOAT64,
            {"matrix": rows, "alpha": 1},
            cites=("eq:lfp_sol_b",),
            flags=(),
            edges={"every entry is positive": all(entry > 0 for row in rows for entry in row)},
        )
    fifty = drawing.rows(50, 30)
    for at, alpha in (("1", 1), ("40", 40), ("1e-12", 1e-12)):
        yield draft(
            "loss",
            f"fifty-states-at-{at}",
            f"Fifty states without zeros, in multiples of 2^−30, at α = {at}.",
            FLOAT64,
            {"matrix": fifty, "alpha": alpha},
            cites=("eq:lfp_sol_b",),
            flags=("ManyStates",),
            full=at != "1",
        )
    for at, alpha in (("1", 1), ("inf", inf)):
        yield draft(
            "loss",
            f"fifty-sparse-states-at-{at}",
            f"Fifty states, up to six of them reached from each, at α = {at}.",
            FLOAT64,
            {"matrix": shapes.sparse(50, 20, 11, 5), "alpha": alpha},
            cites=("eq:lfp_sol_b",),
            flags=("ManyStates", "Sparse"),
            full=at != "1",
        )
    for n in (6, 12, 50):
        flags = ("Banded", "DisjointSupports") if n < 8 else ("Banded", "Sparse", "DisjointSupports")
        yield draft(
            "loss",
            f"walk-of-{n}",
            f"A walk on {n} places: one stays or moves to a neighbour.",
            FLOAT64,
            {"matrix": shapes.banded(n, 10, 5), "alpha": 1},
            cites=("thm:algo_extreme2",),
            flags=flags,
            full=n == 50,
        )
    yield draft(
        "loss",
        "sparse-six",
        "Six states, one or two of them reached from each, the first from all.",
        FLOAT64,
        {"matrix": shapes.sparse(6, 10, 3, 1), "alpha": 2},
        cites=("eq:cond1",),
        flags=("Sparse", "ZeroDenominator"),
    )
    smoothed = tuple(tuple(Fraction(201 if j == k else 1, 250) for k in range(50)) for j in range(50))
    yield draft(
        "loss",
        "fifty-states-of-the-paper",
        "The strongest correlation of fifty states, smoothed with s = 0.005.",
        RATIONAL,
        {"matrix": smoothed, "alpha": "1"},
        cites=("eq:laplace_smoothing", "fig:ex_tpl"),
        flags=("ManyStates",),
        edges={
            "(1 + s)/(1 + 50s) = 201/250": (1 + Fraction(1, 200)) / (1 + 50 * Fraction(1, 200)) == Fraction(201, 250)
        },
    )
