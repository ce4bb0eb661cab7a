"""`tight_leakage`, `tight_supremum`, `tight_allocate`: the worst case over all mechanisms, over time and for ever."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf

from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import input_parts as parts
from .draft import Draft, draft
from .input_parts import KNOWN, Texts, both, given_to

CITES = "def:tpl eq:bpl1 eq:fpl1 contract:operations"
FOR_EVER = "thm:sup contract:operations"
ALLOCATED = "def:tpl algo:release1 contract:operations"

FINITE: Texts = ("7/11 2/11 2/11", "0 0 1", "3/7 2/7 2/7")
"""With e^ε = 3/2 the recursion rises without end, while BPL stays below 0.83539."""

FINITE_DYADIC: Texts = ("5/8 1/4 1/8", "0 0 1", "3/8 1/4 3/8")
ONE_WAY: Texts = ("3/8 5/8 0", "0 1/2 1/2", "0 0 1")
"""Values that are left for ever, kept with 1/2 at most."""

TURNS: Texts = ("1/8 7/8 0", "0 1/8 7/8", "7/8 0 1/8")
"""Three values in a circle."""

PAIRS_DIFFER: tuple[Texts, Texts] = (("3/4 1/4 0", "1/4 3/4 0", "1/2 1/2 0"), ("1/2 1/2 0", "1/4 1/2 1/4", "0 1/4 3/4"))
"""Backward the values 1 and 2 are told apart best, forward the values 1 and 3."""

_COUNTED = {1: "One release", 2: "Two releases", 3: "Three releases", 4: "Four releases", 6: "Six releases"}

_leakage, _exact_leakage = partial(draft, "tight_leakage"), partial(draft, "tight_leakage", numbers=RATIONAL)
_supremum, _exact_supremum = partial(draft, "tight_supremum"), partial(draft, "tight_supremum", numbers=RATIONAL)
_allocate, _exact_allocate = partial(draft, "tight_allocate"), partial(draft, "tight_allocate", numbers=RATIONAL)


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _what_is_known()
    yield from _budgets()
    yield from _matrices()
    yield from _mistakes()
    yield from _for_ever()
    yield from _never()
    yield from _allocated()
    yield from _without_a_search()


def _what_is_known() -> Iterator[Draft]:
    for name in KNOWN:
        for steps, budgets in ((1, [0.5]), (2, [0.5, 0.25]), (4, [0.5, 0.125, 1.0, 0.25])):
            yield _leakage(
                f"{name}-{steps}: {_COUNTED[steps]}, the adversary knows {KNOWN[name].told}.",
                given_to(name, parts.DYADIC_MODERATE, parts.SKEWED, epsilons=budgets),
                f"{KNOWN[name].flag} {'OneRelease' if steps == 1 else 'UnevenBudgets'} {CITES}",
            )
        yield _exact_leakage(
            f"{name}-exact: Three releases with rational ratios, the adversary knows {KNOWN[name].told}.",
            given_to(name, parts.PAPER_MODERATE, parts.PAPER_SYMMETRIC, epsilons=["log(3/2)", "log(11/10)", "log(2)"]),
            f"{KNOWN[name].flag} UnevenBudgets LogLevel {CITES}",
        )


def _budgets() -> Iterator[Draft]:
    cases: tuple[tuple[str, str, Sequence[float], str], ...] = (
        ("zero-between", "The budget between is 0", [0.5, 0.0, 0.25], "ZeroLevel UnevenBudgets"),
        ("all-zero", "All budgets are 0", [0.0, 0.0], "ZeroLevel"),
        ("tiny", "Budgets of 10^−12", [1e-12] * 3, "TinyLevel"),
        ("subnormal", "Budgets of the least double", [2.0**-1074] * 3, "SubnormalLevel"),
        ("large", "Budgets of 40", [40.0] * 3, "LargeLevel"),
        ("overflowing", "Budgets of 710", [710.0] * 2, "OverflowingLevel"),
        ("million", "A budget of 10^6", [1e6, 0.5, 0.5], "OverflowingLevel UnevenBudgets"),
        ("infinite-first", "A first release without protection", [inf, 0.5, 0.5], "InfiniteLevel UnevenBudgets"),
        ("infinite-last", "A last release without protection", [0.5, 0.5, inf], "InfiniteLevel UnevenBudgets"),
    )
    for name, what, budgets, flags in cases:
        yield _leakage(
            f"budgets-{name}: {what}, both correlations known.",
            both(parts.DYADIC_SYMMETRIC, parts.DYADIC_MODERATE, epsilons=budgets),
            f"{flags} {CITES}",
        )


def _matrices() -> Iterator[Draft]:
    cases: tuple[tuple[str, str, Texts, str], ...] = (
        ("one-state", "One state: nothing is told", parts.ONE_STATE, "SingleState"),
        ("equal-rows", "Equal rows: the other releases tell nothing", parts.EQUAL, "EqualRows"),
        ("identity", "The strongest correlation: every release tells its whole budget", parts.IDENTITY, "Permutation"),
        ("cycle", "A cycle of three states", parts.CYCLE, "Permutation"),
        ("disjoint", "Two rows with disjoint supports, without a 1", parts.DISJOINT, "NoOneAgainstZero"),
        (
            "almost-identity",
            "Two states that are left with probability 2^−53",
            parts.almost_identity(),
            "EntryNextToOne",
        ),
        ("near-rows", "Three rows that differ by 2^−45", parts.near_texts(45), "NearlyEqualRows"),
    )
    for name, what, rows, flags in cases:
        yield _leakage(f"{name}: {what}.", both(rows, rows, epsilons=[0.5, 0.25, 0.5]), f"{flags} {CITES}")


def _mistakes() -> Iterator[Draft]:
    """Yield what is mistaken for the worst case, or found only with care."""
    yield _exact_leakage(
        "below-the-recursion: From the third release on no mechanism attains the recursion's value, though "
        "it is finite.",
        {"backward": FINITE, "epsilons": ["log(3/2)"] * 4},
        f"RecursionAbove SetsMove {CITES}",
    )
    yield _leakage(
        "dense: Four states, both correlations known.",
        both(parts.DENSE, parts.BOUNDED, epsilons=[0.5, 0.25, 1.0, 0.5]),
        f"RecursionAbove PairIsShared {CITES}",
    )
    yield _leakage(
        "pairs-differ: What the past tells best the future tells less well.",
        both(PAIRS_DIFFER[0], PAIRS_DIFFER[1], epsilons=[0.5] * 3),
        f"PairIsShared {CITES}",
    )
    yield _leakage(
        "turns: Three values in a circle, with which the worst sets turn.",
        {"backward": TURNS, "epsilons": [0.5] * 5},
        f"SetsMove TransposedSweep {CITES}",
    )
    yield _leakage(
        "many-rounds: Sixty releases about a walk over four states.",
        {"backward": parts.banded(4, 10, 5), "epsilons": [0.5] * 60},
        f"RecursionAbove ManyRounds {CITES}",
    )
    yield _leakage(
        "walk: A walk over eight states in both directions.",
        both(parts.banded(8, 20, 5), parts.banded(8, 20, 6), epsilons=[0.5] * 5),
        f"Banded RecursionAbove {CITES}",
    )


def _for_ever() -> Iterator[Draft]:
    two = (parts.DYADIC_SYMMETRIC, parts.SKEWED)
    for name in KNOWN:
        yield _supremum(
            f"{name}: A budget of 1/2 at every time, the adversary knows {KNOWN[name].told}.",
            given_to(name, *two, epsilon=0.5),
            f"{FOR_EVER}",
            edges={"the adversary knows what is said": len(KNOWN[name].keys) == {"nothing": 0, "both": 2}.get(name, 1)},
        )
        yield _exact_supremum(
            f"{name}-exact: A budget of log(3/2) at every time, the adversary knows {KNOWN[name].told}.",
            given_to(name, parts.HALF, parts.HALF, epsilon="log(3/2)"),
            f"LogLevel {FOR_EVER}",
        )
    budgets: tuple[tuple[str, float, str], ...] = (
        ("zero", 0.0, "ZeroLevel"),
        ("tiny", 1e-12, "TinyLevel"),
        ("subnormal", 2.0**-1074, "SubnormalLevel"),
        ("large", 40.0, "LargeLevel"),
        ("overflowing", 710.0, "OverflowingLevel"),
        ("million", 1e6, "OverflowingLevel"),
        ("infinite", inf, "InfiniteLevel"),
    )
    for name, epsilon, flags in budgets:
        yield _supremum(
            f"at-{name}: Two states that tend to stay, ε = {parts.shown_level(epsilon)}: an aperiodic chain "
            "has a limit.",
            {"backward": parts.DYADIC_SYMMETRIC, "epsilon": epsilon},
            f"{flags} {FOR_EVER}",
        )
    finite: tuple[tuple[str, Texts, object, str], ...] = (
        ("finite-after-all", FINITE, "log(3/2)", RATIONAL),
        ("finite-after-all-doubles", FINITE_DYADIC, 0.5, FLOAT64),
    )
    for name, rows, budget, numbers in finite:
        yield _supremum(
            f"{name}: Three states: the recursion rises without end, and no mechanism leaks as much.",
            {"backward": rows, "epsilon": budget},
            f"FiniteAfterAll E36 {FOR_EVER}",
            numbers=numbers,
        )
    yield _supremum(
        "two-pieces: Three states, the backward correlation known.",
        {"backward": parts.TWO_PIECES, "epsilon": 0.5},
        f"ZeroDenominator {FOR_EVER}",
    )
    yield _supremum(
        "left-for-ever: Values that are left for ever, e^ε·ρ < 1.",
        {"backward": ONE_WAY, "epsilon": 0.125},
        f"ZeroDenominator {FOR_EVER}",
    )


def _never() -> Iterator[Draft]:
    for name, rows in (("identity", parts.IDENTITY), ("swap", parts.SWAP), ("cycle", parts.CYCLE)):
        for kind, numbers, epsilon, alpha in (("", FLOAT64, 2.0**-30, 1.0), ("-exact", RATIONAL, "log(11/10)", "1")):
            yield _supremum(
                f"{name}{kind}: Values that are told apart ever better: there is no limit for any budget.",
                {"forward": rows, "epsilon": epsilon},
                f"NeverForgets Permutation {FOR_EVER}",
                numbers=numbers,
            )
            yield _allocate(
                f"{name}-for-ever{kind}: Values that are told apart ever better: no budget can be kept for ever.",
                {"backward": rows, "alpha": alpha},
                f"NeverForgets {ALLOCATED}",
                numbers=numbers,
                error="InfeasibleBudget",
            )
    for name, epsilon, what in (("critical", "log(2)", "exactly 1"), ("above-critical", "log(5/2)", "5/4")):
        yield _exact_supremum(
            f"{name}: A value that is kept with 1/2, and left for ever: e^ε·ρ is {what}.",
            {"backward": parts.HALF, "epsilon": epsilon},
            f"TransientGrows {FOR_EVER}",
        )


def _allocated() -> Iterator[Draft]:
    two = (parts.DYADIC_SYMMETRIC, parts.SKEWED)
    for name in ("backward", "forward", "both"):
        for horizon in (2, 3, 6):
            yield _allocate(
                f"{name}-{horizon}: {_COUNTED[horizon]} within 1, the adversary knows {KNOWN[name].told}.",
                given_to(name, *two, alpha=1.0, horizon=horizon),
                f"{ALLOCATED}",
                edges={"there is a horizon": horizon > 0},
            )
        yield _allocate(
            f"{name}-for-ever: Releases within 1 for ever, the adversary knows {KNOWN[name].told}.",
            given_to(name, *two, alpha=1.0),
            f"NoHorizon {ALLOCATED}",
        )
    exact: tuple[tuple[str, str, dict[str, object]], ...] = (
        ("two", "log(3)", {"horizon": 2}),
        ("three", "log(4)", {"horizon": 3}),
        ("for-ever", "log(2)", {}),
    )
    for name, alpha, over in exact:
        yield _exact_allocate(
            f"exact-{name}: A budget whose ratio e^ε is rational.",
            {"backward": parts.HALF, "alpha": alpha, **over},
            f"LogLevel {ALLOCATED}",
        )
    yield _allocate(
        "finite-after-all: Three states: more than the recursion allows.",
        {"backward": FINITE_DYADIC, "alpha": 1.0},
        f"NoHorizon {ALLOCATED}",
    )
    yield _allocate(
        "dense: Four states and four releases, both correlations known.",
        both(parts.DENSE, parts.BOUNDED, alpha=2.0, horizon=4),
        f"{ALLOCATED}",
        edges={"there is a horizon": True},
    )
    levels = (("tiny", 1e-12), ("subnormal", 2.0**-1074), ("large", 40.0), ("overflowing", 710.0), ("million", 1e6))
    named = {"tiny": "TinyLevel", "subnormal": "SubnormalLevel", "large": "LargeLevel"}
    for name, level in levels:
        yield _allocate(
            f"within-{name}: Three releases within {parts.shown_level(level)}.",
            {"backward": parts.DYADIC_SYMMETRIC, "alpha": level, "horizon": 3},
            f"{named.get(name, 'OverflowingLevel')} {ALLOCATED}",
        )


def _without_a_search() -> Iterator[Draft]:
    """Yield budgets that are known at once, and levels that leave none."""
    for name, rows in (("identity", parts.IDENTITY), ("cycle", parts.CYCLE)):
        yield _allocate(
            f"{name}-shares: Values that are told apart for certain leave a quarter of 1 to each of four releases.",
            both(rows, rows, alpha=1.0, horizon=4),
            f"SharesTheLevel {ALLOCATED}",
        )
    for name, horizon in (("one-release", 1), ("known-nothing", 5)):
        known: dict[str, object] = {"backward": parts.SKEWED} if horizon == 1 else {}
        yield _allocate(
            f"{name}: One release, or releases that tell nothing of each other, may each have all of α.",
            {**known, "alpha": 0.75, "horizon": horizon},
            f"{ALLOCATED}",
            edges={"the horizon is named": horizon > 0},
        )
    for numbers, zero in ((FLOAT64, 0.0), (RATIONAL, "0")):
        yield _allocate(
            f"nothing-{'doubles' if numbers == FLOAT64 else 'exact'}: A level of 0 leaves no budget.",
            {"backward": parts.SKEWED, "alpha": zero, "horizon": 3},
            f"NothingToSpend {ALLOCATED}",
            numbers=numbers,
            error="InfeasibleBudget",
        )
    yield _allocate(
        "no-protection: No level to keep: every budget may be infinite.",
        {"backward": parts.SKEWED, "alpha": inf, "horizon": 2},
        f"InfiniteLevel {ALLOCATED}",
    )
    yield _allocate(
        "no-release: A horizon of 0.",
        {"backward": parts.SKEWED, "alpha": 1.0, "horizon": 0},
        f"UselessHorizon {ALLOCATED}",
        error="InvalidRequest",
    )
