"""`leakage`: what the adversary knows, how many releases, which budgets, and how the leakage moves along L."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import inf

from tploracle.reference import Adversary, Level, leakage
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .asked import loss_of
from .draft import Draft, draft
from .shapes import Texts, matrix

RECURSIONS = ("eq:bpl_f", "eq:fpl_f", "eq:tpl_comp1")
KNOWN: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "nothing": ("NothingKnown", ()),
    "backward": ("BackwardOnly", ("backward",)),
    "forward": ("ForwardOnly", ("forward",)),
    "both": ("BothKnown", ("backward", "forward")),
}
"""What the adversary knows: the flag of it, and the keys."""


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _what_is_known()
    yield from _budgets()
    yield from _special_matrices()
    yield from _pieces()


def given_to(known: Sequence[str], backward: Texts, forward: Texts, epsilons: Sequence[object]) -> dict[str, object]:
    """Return the input of a stream: the matrices that are known, and the budgets."""
    matrices = {"backward": backward, "forward": forward}
    return {**{key: matrices[key] for key in known}, "epsilons": epsilons}


def _what_is_known() -> Iterator[Draft]:
    for name, (flag, keys) in KNOWN.items():
        for steps, budgets in ((1, [0.5]), (2, [0.5, 0.25]), (3, [0.5, 0.125, 1.0])):
            yield draft(
                "leakage",
                f"{name}-{steps}",
                f"{('One release', 'Two releases', 'Three releases')[steps - 1]}, the adversary knows {worded(name)}.",
                FLOAT64,
                given_to(keys, shapes.MODERATE, shapes.SKEWED, budgets),
                cites=RECURSIONS,
                flags=(flag, "OneRelease" if steps == 1 else "UnevenBudgets"),
            )
        exact = ["log(3/2)", "log(11/10)", "log(2)"]
        yield draft(
            "leakage",
            f"{name}-exact",
            f"Three releases with rational ratios, the adversary knows {worded(name)}.",
            RATIONAL,
            given_to(keys, shapes.PAPER_MODERATE, shapes.PAPER_SYMMETRIC, exact),
            cites=RECURSIONS,
            flags=(flag, "UnevenBudgets", "LogLevel"),
        )


def worded(name: str) -> str:
    """Say what the adversary knows."""
    return {"nothing": "no correlation", "both": "both correlations"}.get(name, f"the {name} correlation alone")


def _budgets() -> Iterator[Draft]:
    both = (shapes.SYMMETRIC, shapes.MODERATE)
    cases: tuple[tuple[str, str, list[float], tuple[str, ...]], ...] = (
        ("zero-first", "The first budget is 0", [0.0, 0.5, 0.5], ("ZeroLevel", "UnevenBudgets")),
        ("zero-between", "The budget between is 0", [0.5, 0.0, 0.25], ("ZeroLevel", "UnevenBudgets")),
        ("zero-last", "The last budget is 0", [0.5, 0.25, 0.0], ("ZeroLevel", "UnevenBudgets")),
        ("all-zero", "All budgets are 0", [0.0, 0.0, 0.0], ("ZeroLevel",)),
        ("tiny", "Budgets of 10^−12", [1e-12, 1e-12, 1e-12], ("TinyLevel",)),
        ("subnormal", "Budgets of the least double", [2.0**-1074] * 3, ("SubnormalLevel",)),
        ("tiny-and-large", "Budgets of 2^−60 and 30", [2.0**-60, 30.0, 2.0**-60, 1.0], ("TinyLevel", "UnevenBudgets")),
        ("large", "Budgets of 40", [40.0, 40.0, 40.0], ("LargeLevel",)),
        ("overflowing", "Budgets of 710", [710.0, 710.0], ("OverflowingLevel",)),
        ("million", "A budget of 10^6", [1e6, 0.5, 0.5], ("OverflowingLevel", "UnevenBudgets")),
        ("infinite-first", "A first release without protection", [inf, 0.5, 0.5], ("InfiniteLevel", "UnevenBudgets")),
        ("infinite-last", "A last release without protection", [0.5, 0.5, inf], ("InfiniteLevel", "UnevenBudgets")),
        ("falling", "Budgets that halve", [1.0, 0.5, 0.25, 0.125, 0.0625], ("UnevenBudgets",)),
        ("no-round-doubles", "Budgets of 0.1, 0.2 and 0.3 as doubles", [0.1, 0.2, 0.3], ("UnevenBudgets",)),
    )
    for name, what, budgets, flags in cases:
        yield draft(
            "leakage",
            f"budgets-{name}",
            f"{what}, both correlations known.",
            FLOAT64,
            given_to(("backward", "forward"), *both, budgets),
            cites=RECURSIONS,
            flags=("BothKnown", *flags),
        )
    yield draft(
        "leakage",
        "budgets-mixed-exact",
        "Decimals, fractions and logarithms in one stream.",
        RATIONAL,
        given_to(
            ("backward", "forward"), shapes.PAPER_MODERATE, shapes.PAPER_SYMMETRIC, ["0.1", "log(2)", "1/3", "1e-3"]
        ),
        cites=RECURSIONS,
        flags=("ExactDecimal", "LogLevel", "UnevenBudgets"),
    )
    yield draft(
        "leakage",
        "budgets-zero-exact",
        "Budgets of 0 and log 1 are the same.",
        RATIONAL,
        given_to(("backward",), shapes.PAPER_MODERATE, shapes.PAPER_MODERATE, ["0", "log(1)", "log(2)"]),
        cites=RECURSIONS,
        flags=("ZeroLevel", "LogLevel"),
    )


def _special_matrices() -> Iterator[Draft]:
    cases: tuple[tuple[str, str, Texts, tuple[str, ...]], ...] = (
        ("identity", "The strongest correlation: the budgets add up", shapes.IDENTITY, ("Permutation",)),
        ("swap", "Two values that alternate for certain", shapes.SWAP, ("Permutation",)),
        ("disjoint", "Disjoint supports without a 1", shapes.DISJOINT, ("NoOneAgainstZero",)),
        ("equal-rows", "No correlation: every leakage is its budget", shapes.EQUAL, ("EqualRows",)),
        ("one-state", "One state", shapes.ONE, ("SingleState",)),
        ("zero-column", "A state that no row leads to", ("1/2 0 1/2", "1/4 0 3/4", "3/4 0 1/4"), ("ZeroColumn",)),
        ("moderate", "One transition impossible", shapes.MODERATE, ("ZeroDenominator",)),
    )
    for name, what, rows, flags in cases:
        epsilons = [0.5, 0.25, 0.125]
        own = Adversary(loss_of(matrix(rows)), loss_of(matrix(rows)))
        tpl = leakage([Level.of(Fraction(epsilon)) for epsilon in epsilons], own).tpl
        whole, alone = Level.of(Fraction(7, 8)), [Level.of(Fraction(epsilon)) for epsilon in epsilons]
        certain = name in ("identity", "swap", "disjoint")
        nothing = name in ("equal-rows", "one-state")
        yield draft(
            "leakage",
            f"{name}-both",
            f"{what}, backward and forward.",
            FLOAT64,
            given_to(("backward", "forward"), rows, rows, epsilons),
            cites=(*RECURSIONS, "remark"),
            flags=flags,
            edges={
                "TPL is the sum of all budgets at every time"
                if certain
                else "TPL is the budget at every time"
                if nothing
                else "TPL is between the budget and the sum of all budgets": all(level == whole for level in tpl)
                if certain
                else list(tpl) == alone
                if nothing
                else all(low < level < whole for low, level in zip(alone, tpl, strict=True))
            },
        )
    for name, moved in (("2-40", Fraction(1, 2**40)), ("one-ulp", Fraction(1, 2**54))):
        near = shapes.near(("1/4 3/8 3/8",) * 3, moved)
        yield draft(
            "leakage",
            f"near-rows-{name}",
            f"Rows that differ by {name.replace('2-', '2^−').replace('-', ' ')}, four releases.",
            FLOAT64,
            {"backward": near, "forward": near, "epsilons": [1.0, 1.0, 1.0, 1.0]},
            cites=RECURSIONS,
            flags=("NearlyEqualRows",),
        )
    almost = (f"{1 - Fraction(1, 2**53)} {Fraction(1, 2**53)}", f"{Fraction(1, 2**53)} {1 - Fraction(1, 2**53)}")
    yield draft(
        "leakage",
        "almost-identity",
        "Two states left with probability 2^−53, four releases.",
        FLOAT64,
        {"backward": almost, "forward": almost, "epsilons": [0.5] * 4},
        cites=RECURSIONS,
        flags=("EntryNextToOne",),
    )
    yield draft(
        "leakage",
        "tiny-entry-2-300",
        "An entry of 2^−300 against 1/2, budgets of 100.",
        FLOAT64,
        {"backward": shapes.tiny_denominator(300), "epsilons": [100.0] * 4},
        cites=RECURSIONS,
        flags=("TinyEntry", "LargeLevel"),
        edges={
            "the leakage passes 300·log 2": leakage(
                [Level.of(100)] * 4, Adversary(loss_of(matrix(shapes.tiny_denominator(300))))
            ).bpl[-1]
            > Level.of(208)
        },
    )
    for name, backward, forward, ratios, what in (
        ("recursion-not-attained", ("0 1", "1/2 1/2"), None, ["log(2)"] * 3, "BPL_3 = log(58/15)"),
        ("tpl-not-attained", ("1/2 1/2", "0 1"), ("1/2 1/2", "0 1"), ["log(2)"] * 2, "TPL_2 = log 5"),
        ("alternating", shapes.SWAP, shapes.SWAP, ["log(2)"] * 3, "TPL_2 = log 8"),
    ):
        given: dict[str, object] = {"backward": backward, "epsilons": ratios}
        yield draft(
            "leakage",
            name,
            f"The recursions' value, which no mechanism that was enumerated attains: {what}.",
            RATIONAL,
            given if forward is None else {**given, "forward": forward},
            cites=("eq:bpl_f", "thm:analysis_tpl"),
            flags=("NotAttained",) if forward is None else ("BothKnown",),
        )


def _pieces() -> Iterator[Draft]:
    """Yield streams whose leakage passes from one piece of L to another."""
    for name, numbers, rows, budgets in (
        ("two-pieces", FLOAT64, shapes.TWO_PIECES, [0.6875] * 5),
        ("dense", FLOAT64, shapes.DENSE, [1.0] * 6),
        ("bounded", FLOAT64, shapes.BOUNDED, [0.75] * 5),
        ("first-step", RATIONAL, shapes.FIRST_STEP, ["log(2)"] * 5),
        ("smallest-first-step", RATIONAL, shapes.SMALLEST_FIRST_STEP, ["log(3)"] * 4),
    ):
        for keys in (("backward",), ("forward",), ("backward", "forward")):
            if len(keys) == 1 and name in ("bounded", "smallest-first-step"):
                continue
            yield draft(
                "leakage",
                f"passes-pieces-{name}-{'-'.join(keys)}",
                "The leakage passes from one piece of L to another.",
                numbers,
                given_to(keys, rows, rows, budgets),
                cites=(*RECURSIONS, "algo:cal_bpl_func"),
                flags=("PassesPieces",),
            )
