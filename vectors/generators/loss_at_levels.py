"""`loss` at every kind of level, from 0 to ∞, for matrices of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf

from tploracle.reference import INFINITE, Level
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .asked import loss_of
from .draft import Draft, draft
from .dyadic import hex_text
from .shapes import Texts

GREATEST_DOUBLE = Fraction(2) ** 1024 - Fraction(2) ** 970

_LEVELS: tuple[tuple[str, str, float, tuple[str, ...]], ...] = (
    ("zero", "α = 0", 0.0, ("ZeroLevel",)),
    ("subnormal", "α = 2^−1074, the least positive double", 2.0**-1074, ("SubnormalLevel", "TinyLevel")),
    ("1e-12", "α the double nearest to 10^−12", 1e-12, ("TinyLevel",)),
    ("half", "α = 1/2", 0.5, ()),
    ("40", "α = 40", 40.0, ("LargeLevel",)),
    ("710", "α = 710", 710.0, ("OverflowingLevel",)),
    ("million", "α = 10^6", 1e6, ("OverflowingLevel",)),
    ("inf", "α = ∞", inf, ("InfiniteLevel",)),
)

_MATRICES: tuple[tuple[str, str, Texts, tuple[str, ...], tuple[str, ...]], ...] = (
    ("one-state", "One state", shapes.ONE, ("eq:lfp_sol_b",), ("SingleState",)),
    ("equal-rows", "Equal rows", shapes.EQUAL, ("thm:algo_extreme1",), ("EqualRows",)),
    (
        "identity",
        "The identity of two states",
        shapes.IDENTITY,
        ("thm:algo_extreme2",),
        ("Permutation", "DisjointSupports"),
    ),
    ("symmetric", "Two states that tend to stay", shapes.SYMMETRIC, ("thm:lfp",), ()),
    ("moderate", "Two states, one transition impossible", shapes.MODERATE, ("thm:lfp",), ("ZeroDenominator",)),
    ("dense", "Four states, four pieces of L", shapes.DENSE, ("col:L_func",), ("ZeroDenominator",)),
    ("bounded", "Four states, L bounded", shapes.BOUNDED, ("col:L_func",), ()),
)


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    for level_name, at, value, level_flags in _LEVELS:
        for matrix_name, what, rows, cites, row_flags in _MATRICES:
            if matrix_name == "one-state" and level_name in ("subnormal", "half", "40", "million"):
                continue
            yield draft(
                "loss",
                f"{matrix_name}-at-{level_name}",
                f"{what}, {at}.",
                FLOAT64,
                {"matrix": rows, "alpha": value},
                cites=cites,
                flags=(*level_flags, *row_flags),
                edges=_edges(matrix_name, rows, value),
            )
    yield from _exact()


def _edges(name: str, rows: Texts, value: float) -> dict[str, bool]:
    """Return what is special about the level, and about the loss of the matrix."""
    loss, alpha = loss_of(shapes.matrix(rows)), INFINITE if value == inf else Level.of(Fraction(value))
    edges: dict[str, bool] = {}
    if name in ("one-state", "equal-rows"):
        edges["no two rows differ, so L is 0"] = loss(alpha).is_zero
    if name == "identity":
        edges["the rows have disjoint supports, so L(α) = α"] = loss(alpha) == alpha
    if name in ("symmetric", "moderate", "dense", "bounded") and value:
        edges["0 < L(α) < α, but for α = ∞ and an impossible transition"] = not loss(alpha).is_zero and (
            loss(alpha) < alpha or (alpha.is_infinite and loss.pieces[-1].d == 0)
        )
    if value == 2.0**-1074:
        edges["half of the level is no double any more"] = not _is_double(Fraction(value) / 2)
    if value == 1e-12:
        edges["e^α, rounded to a double, less 1 is off by more than one part in 10^5"] = _cancels(alpha)
    if value == 40:
        edges["beside e^α/4 a 1 makes no difference to a double"] = _absorbs(alpha)
    if value in (710, 1e6):
        edges["e^α is above the greatest double"] = alpha > Level.of_ratio(GREATEST_DOUBLE)
    return edges


def _is_double(value: Fraction) -> bool:
    try:
        hex_text(value)
    except ValueError:
        return False
    return True


def _cancels(alpha: Level) -> bool:
    low, high = alpha.excess_bounds()
    return abs(Fraction(float(1 + low)) - 1 - low) > high / 10**5 and float(1 + low) == float(1 + high)


def _absorbs(alpha: Level) -> bool:
    low, _ = alpha.excess_bounds()
    return float(low / 4 + 1) == float(low / 4)


def _exact() -> Iterator[Draft]:
    """Yield levels in the exact notation: logarithms of ratios, decimals, surds, integers."""
    texts: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
        ("ratio-11-10", "log(11/10)", "A level given by its ratio 11/10", ("LogLevel",)),
        ("ratio-2", "log(2)", "A level given by its ratio 2", ("LogLevel",)),
        ("ratio-1", "log(1)", "The level log 1, which is 0", ("LogLevel", "ZeroLevel")),
        (
            "ratio-huge",
            f"log({10**400})",
            "A level whose ratio is beyond all doubles",
            ("LogLevel", "OverflowingLevel"),
        ),
        (
            "ratio-near-1",
            f"log({10**30 + 1}/{10**30})",
            "A level whose ratio is 1 to thirty digits",
            ("LogLevel", "TinyLevel"),
        ),
        ("surd", "log((7+sqrt(33))/8)", "A level whose ratio has a square root", ("LogLevel", "SurdLevel")),
        ("decimal", "0.1", "A level that is exactly 1/10, no double", ("ExactDecimal",)),
        ("exponent", "1e-12", "A level with an exponent", ("TinyLevel",)),
        ("fraction", "3/7", "A level that is a fraction", ()),
        ("integer", "2", "A level that is an integer", ()),
        ("710", "710", "The first integer level whose ratio exceeds all doubles", ("OverflowingLevel",)),
        ("inf", "inf", "The infinite level", ("InfiniteLevel",)),
    )
    for name, text, what, flags in texts:
        yield draft(
            "loss",
            f"exact-{name}",
            f"{what}, for rows with the decimals 0.8 and 0.2.",
            RATIONAL,
            {"matrix": shapes.PAPER_MODERATE, "alpha": text},
            cites=("eq:lfp_sol_b", "Contract, numbers"),
            flags=(*flags, "ExactDecimal") if "ExactDecimal" not in flags else flags,
            digits=30 if name in ("ratio-2", "surd") else 17,
        )
