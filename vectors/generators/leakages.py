"""`leakage` and `composition`: what the adversary knows, budgets of every kind, long streams, and windows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import inf

from tploracle.reference import Adversary, Level, TransitionMatrix, composition, leakage, parse_level
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import input_parts as parts
from .draft import Draft, draft
from .facts import left_to_right
from .input_parts import KNOWN, Drawing, Texts, both, given_to, matrix
from .read_query import ReadQuery, loss_of

_stream, _exact_stream = partial(draft, "leakage"), partial(draft, "leakage", numbers=RATIONAL)
_window, _exact_window = partial(draft, "composition"), partial(draft, "composition", numbers=RATIONAL)


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _what_is_known_of_streams()
    yield from _budgets_of_streams()
    yield from _special_matrices()
    yield from _pieces()
    yield from _long()
    yield from _of_the_paper()
    yield from _sizes_of_streams()
    yield from _windows()
    yield from _what_is_known_of_windows()
    yield from _special_windows()
    yield from _sizes_of_windows()


RECURSIONS = "eq:bpl_f eq:fpl_f eq:tpl_comp1"


def _what_is_known_of_streams() -> Iterator[Draft]:
    for name, known in KNOWN.items():
        for steps, budgets in ((1, [0.5]), (2, [0.5, 0.25]), (3, [0.5, 0.125, 1.0])):
            yield _stream(
                f"{name}-{steps}: {('One release', 'Two releases', 'Three releases')[steps - 1]}, the adversary knows "
                f"{known.told}.",
                given_to(name, parts.DYADIC_MODERATE, parts.SKEWED, epsilons=budgets),
                f"{known.flag} {'OneRelease' if steps == 1 else 'UnevenBudgets'} {RECURSIONS}",
            )
        exact = ["log(3/2)", "log(11/10)", "log(2)"]
        yield _exact_stream(
            f"{name}-exact: Three releases with rational ratios, the adversary knows {known.told}.",
            given_to(name, parts.PAPER_MODERATE, parts.PAPER_SYMMETRIC, epsilons=exact),
            f"{known.flag} UnevenBudgets LogLevel {RECURSIONS}",
        )


def _budgets_of_streams() -> Iterator[Draft]:
    cases: tuple[tuple[str, str, list[float], str], ...] = (
        ("zero-first", "The first budget is 0", [0.0, 0.5, 0.5], "ZeroLevel UnevenBudgets"),
        ("zero-between", "The budget between is 0", [0.5, 0.0, 0.25], "ZeroLevel UnevenBudgets"),
        ("zero-last", "The last budget is 0", [0.5, 0.25, 0.0], "ZeroLevel UnevenBudgets"),
        ("all-zero", "All budgets are 0", [0.0, 0.0, 0.0], "ZeroLevel"),
        ("tiny", "Budgets of 10^−12", [1e-12, 1e-12, 1e-12], "TinyLevel"),
        ("subnormal", "Budgets of the least double", [2.0**-1074] * 3, "SubnormalLevel"),
        ("tiny-and-large", "Budgets of 2^−60 and 30", [2.0**-60, 30.0, 2.0**-60, 1.0], "TinyLevel UnevenBudgets"),
        ("large", "Budgets of 40", [40.0, 40.0, 40.0], "LargeLevel"),
        ("overflowing", "Budgets of 710", [710.0, 710.0], "OverflowingLevel"),
        ("million", "A budget of 10^6", [1e6, 0.5, 0.5], "OverflowingLevel UnevenBudgets"),
        ("infinite-first", "A first release without protection", [inf, 0.5, 0.5], "InfiniteLevel UnevenBudgets"),
        ("infinite-last", "A last release without protection", [0.5, 0.5, inf], "InfiniteLevel UnevenBudgets"),
        ("falling", "Budgets that halve", [1.0, 0.5, 0.25, 0.125, 0.0625], "UnevenBudgets"),
        ("no-round-doubles", "Budgets of 0.1, 0.2 and 0.3 as doubles", [0.1, 0.2, 0.3], "UnevenBudgets"),
    )
    for name, what, budgets, flags in cases:
        yield _stream(
            f"budgets-{name}: {what}, both correlations known.",
            both(parts.DYADIC_SYMMETRIC, parts.DYADIC_MODERATE, epsilons=budgets),
            f"BothKnown {flags} {RECURSIONS}",
        )
    yield _exact_stream(
        "budgets-mixed-exact: Decimals, fractions and logarithms in one stream.",
        both(parts.PAPER_MODERATE, parts.PAPER_SYMMETRIC, epsilons=["0.1", "log(2)", "1/3", "1e-3"]),
        f"ExactDecimal LogLevel UnevenBudgets {RECURSIONS}",
    )
    yield _exact_stream(
        "budgets-zero-exact: Budgets of 0 and log 1 are the same.",
        {"backward": parts.PAPER_MODERATE, "epsilons": ["0", "log(1)", "log(2)"]},
        f"ZeroLevel LogLevel {RECURSIONS}",
    )


def _special_matrices() -> Iterator[Draft]:
    cases: tuple[tuple[str, str, Texts, str], ...] = (
        ("identity", "The strongest correlation: the budgets add up", parts.IDENTITY, "Permutation"),
        ("swap", "Two values that alternate for certain", parts.SWAP, "Permutation"),
        ("disjoint", "Disjoint supports without a 1", parts.DISJOINT, "NoOneAgainstZero"),
        ("equal-rows", "No correlation: every leakage is its budget", parts.EQUAL, "EqualRows"),
        ("one-state", "One state", parts.ONE_STATE, "SingleState"),
        ("zero-column", "A state that no row leads to", ("1/2 0 1/2", "1/4 0 3/4", "3/4 0 1/4"), "ZeroColumn"),
        ("moderate", "One transition impossible", parts.DYADIC_MODERATE, "ZeroDenominator"),
    )
    for name, what, rows, flags in cases:
        epsilons = [0.5, 0.25, 0.125]
        own = Adversary(loss_of(matrix(rows)), loss_of(matrix(rows)))
        tpl = leakage([Level.of(Fraction(epsilon)) for epsilon in epsilons], own).tpl
        whole, alone = Level.of(Fraction(7, 8)), [Level.of(Fraction(epsilon)) for epsilon in epsilons]
        if name in ("identity", "swap", "disjoint"):
            edges = {"TPL is the sum of all budgets at every time": all(level == whole for level in tpl)}
        elif name in ("equal-rows", "one-state"):
            edges = {"TPL is the budget at every time": list(tpl) == alone}
        else:
            between = all(low < level < whole for low, level in zip(alone, tpl, strict=True))
            edges = {"TPL is between the budget and the sum of all budgets": between}
        given = both(rows, rows, epsilons=epsilons)
        yield _stream(f"{name}-both: {what}, backward and forward.", given, f"{flags} {RECURSIONS} remark", edges=edges)
    for name, what, near in parts.nearly_equal():
        yield _stream(
            f"near-rows-{name}: Rows that differ by {what}, four releases.",
            both(near, near, epsilons=[1.0, 1.0, 1.0, 1.0]),
            f"NearlyEqualRows {RECURSIONS}",
        )
    almost = parts.almost_identity()
    yield _stream(
        "almost-identity: Two states left with probability 2^−53, four releases.",
        both(almost, almost, epsilons=[0.5] * 4),
        f"EntryNextToOne {RECURSIONS}",
    )
    yield _stream(
        "tiny-entry-2-300: An entry of 2^−300 against 1/2, budgets of 100.",
        {"backward": parts.tiny_denominator(300), "epsilons": [100.0] * 4},
        f"TinyEntry LargeLevel {RECURSIONS}",
        edges={
            "the leakage passes 300·log 2": leakage(
                [Level.of(100)] * 4, Adversary(loss_of(matrix(parts.tiny_denominator(300))))
            ).bpl[-1]
            > Level.of(208)
        },
    )
    for name, backward, forward, ratios, what in (
        ("recursion-not-attained", ("0 1", "1/2 1/2"), None, ["log(2)"] * 3, "BPL_3 = log(58/15)"),
        ("tpl-not-attained", ("1/2 1/2", "0 1"), ("1/2 1/2", "0 1"), ["log(2)"] * 2, "TPL_2 = log 5"),
        ("alternating", parts.SWAP, parts.SWAP, ["log(2)"] * 3, "TPL_2 = log 8"),
    ):
        one_side: dict[str, object] = {"backward": backward, "epsilons": ratios}
        yield _exact_stream(
            f"{name}: The recursions' value, which no mechanism that was enumerated attains: {what}.",
            one_side if forward is None else {**one_side, "forward": forward},
            f"{'NotAttained' if forward is None else 'BothKnown'} eq:bpl_f thm:analysis_tpl",
        )


def _pieces() -> Iterator[Draft]:
    """Yield streams whose leakage passes from one piece of L to another."""
    for name, numbers, rows, budgets in (
        ("two-pieces", FLOAT64, parts.TWO_PIECES, [0.6875] * 5),
        ("dense", FLOAT64, parts.DENSE, [1.0] * 6),
        ("bounded", FLOAT64, parts.BOUNDED, [0.75] * 5),
        ("first-step", RATIONAL, parts.FIRST_STEP, ["log(2)"] * 5),
        ("smallest-first-step", RATIONAL, parts.SMALLEST_FIRST_STEP, ["log(3)"] * 4),
    ):
        for known in ("backward", "forward", "both"):
            if known != "both" and name in ("bounded", "smallest-first-step"):
                continue
            yield _stream(
                f"passes-pieces-{name}-{'-'.join(KNOWN[known].keys)}: The leakage passes from one piece of L to "
                "another.",
                given_to(known, rows, rows, epsilons=budgets),
                f"PassesPieces {RECURSIONS} algo:cal_bpl_func",
                numbers=numbers,
            )


def _long() -> Iterator[Draft]:
    for steps in (100, 400):
        yield _stream(
            f"long-{steps}: A stream of {steps} releases of the double nearest to 0.1.",
            both(parts.DYADIC_SYMMETRIC, parts.SKEWED, epsilons=[0.1] * steps),
            f"LongStream Saturates {RECURSIONS}",
            full=steps > 100,
        )
    yield _stream(
        "long-uneven: A hundred releases of budgets that differ.",
        both(parts.DYADIC_SYMMETRIC, parts.DYADIC_MODERATE, epsilons=[((7 * k) % 16 + 1) / 64 for k in range(100)]),
        f"LongStream UnevenBudgets {RECURSIONS}",
    )
    yield _stream(
        "long-divergent: A hundred releases whose leakage has no bound.",
        {"backward": parts.DYADIC_MODERATE, "epsilons": [0.5] * 100},
        f"LongStream BackwardOnly {RECURSIONS} thm:sup",
    )
    yield _stream(
        "long-certain: A hundred releases under the strongest correlation: the sum is 100·ε exactly.",
        both(parts.IDENTITY, parts.IDENTITY, epsilons=[0.1] * 100),
        f"LongStream Permutation {RECURSIONS}",
    )
    yield _stream(
        "saturates: Sixty releases: doubles take the leakage for constant before it is.",
        both(parts.DYADIC_SYMMETRIC, parts.DYADIC_SYMMETRIC, epsilons=[0.5] * 60),
        f"Saturates {RECURSIONS}",
    )
    yield _exact_stream(
        "long-exact: Twenty releases with rational ratios.",
        both(parts.PAPER_MODERATE, parts.PAPER_SYMMETRIC, epsilons=["log(11/10)"] * 20),
        f"BothKnown LogLevel {RECURSIONS}",
    )


def _of_the_paper() -> Iterator[Draft]:
    for name, rows in (
        ("strongest", parts.IDENTITY),
        ("moderate", parts.PAPER_MODERATE),
        ("none", ("1/2 1/2", "1/2 1/2")),
    ):
        yield _exact_stream(
            f"figure-3-{name}: Figure 3, {'no' if name == 'none' else f'the {name}'} correlation: ten releases of 0.1.",
            both(rows, rows, epsilons=["0.1"] * 10),
            "BothKnown ExactDecimal fig:tpl example:bpl example:fpl",
        )
    yield _exact_stream(
        "figure-8: The two correlations of Figure 8, which are not of one chain.",
        both(parts.PAPER_SYMMETRIC, parts.PAPER_FIGURE_8, epsilons=["0.1"] * 5),
        "BothKnown fig:ex_budgets",
        edges={
            "the odds ratios are 16 and 36": [
                _odds(parts.matrix(rows)) for rows in (parts.PAPER_SYMMETRIC, parts.PAPER_FIGURE_8)
            ]
            == [16, 36]
        },
    )


def _odds(matrix: TransitionMatrix) -> Fraction:
    (a, b), (c, d) = matrix.rows
    return a * d / (b * c)


def _sizes_of_streams() -> Iterator[Draft]:
    drawing = Drawing(61)
    for n, steps in ((5, 4), (10, 3), (20, 3), (50, 3)):
        yield _stream(
            f"dense-{n}: Matrices of {n} states without zeros, {steps} releases, both correlations known.",
            both(drawing.rows(n, 20), drawing.rows(n, 20), epsilons=[0.5, 0.25, 1.0, 0.125][:steps]),
            f"BothKnown UnevenBudgets {'ManyStates' if n == 50 else ''} {RECURSIONS}",
        )
    yield _stream(
        "sparse-50: Fifty states, up to six of them reached from each.",
        {"backward": parts.sparse(50, 20, 67, 5), "epsilons": [0.5, 1.0, 0.25]},
        f"BackwardOnly ManyStates Sparse {RECURSIONS}",
        full=True,
    )


THEOREM_3 = "thm:composition"
STREAM = (0.5, 0.125, 0.25, 1.0, 0.0625, 0.75)


def _windows() -> Iterator[Draft]:
    """Yield windows of every kind in one stream."""
    kinds: tuple[tuple[str, int, int, str], ...] = (
        ("first-alone", 1, 1, "WindowOfOne"),
        ("third-alone", 3, 1, "WindowOfOne"),
        ("last-alone", 6, 1, "WindowOfOne"),
        ("first-two", 1, 2, "WindowOfTwo"),
        ("third-and-fourth", 3, 2, "WindowOfTwo"),
        ("last-two", 5, 2, "WindowOfTwo"),
        ("second-to-fifth", 2, 4, "InnerWindow"),
        ("third-to-fifth", 3, 3, "InnerWindow"),
        ("first-five", 1, 5, "UnevenBudgets"),
        ("last-five", 2, 5, "UnevenBudgets"),
        ("whole", 1, 6, "WholeStream"),
    )
    given = both(parts.DYADIC_MODERATE, parts.SKEWED, epsilons=STREAM)
    for name, start, length, flags in kinds:
        yield _window(
            f"{name}: {_named(start, length)} of six, both correlations known.",
            {**given, "start": start, "length": length},
            f"{flags} {THEOREM_3} tb:composition",
            edges={"the window is within the stream": 1 <= start <= start + length - 1 <= len(STREAM)},
        )
    for name, start, length, flags in kinds[1::3]:
        yield _exact_window(
            f"{name}-exact: {_named(start, length)} of six, with rational ratios.",
            both(
                parts.PAPER_MODERATE,
                parts.PAPER_SYMMETRIC,
                start=start,
                length=length,
                epsilons=["log(3/2)", "log(11/10)", "log(2)", "log(5/4)", "log(4/3)", "log(11/10)"],
            ),
            f"{flags} LogLevel {THEOREM_3}",
        )


def _named(start: int, length: int) -> str:
    return f"Releases {start} to {start + length - 1}" if length > 1 else f"Release {start} alone"


def _what_is_known_of_windows() -> Iterator[Draft]:
    for name, known in KNOWN.items():
        for length in (1, 3):
            yield _window(
                f"knows-{name}-{length}: A window of {length} in a stream of four, the adversary knows {known.told}.",
                given_to(
                    name, parts.DYADIC_MODERATE, parts.SKEWED, epsilons=[0.5, 0.25, 1.0, 0.125], start=2, length=length
                ),
                f"{known.flag} {THEOREM_3} thm:sequential_composition",
            )


def _special_windows() -> Iterator[Draft]:
    for name, what, rows, flags in (
        ("identity", "the identity", parts.IDENTITY, "Permutation"),
        ("equal-rows", "equal rows", parts.EQUAL, "EqualRows"),
        ("disjoint", "disjoint supports", parts.DISJOINT, "NoOneAgainstZero"),
    ):
        for length in (1, 2, 4):
            yield _window(
                f"{name}-{length}: A window of {length} of four, {what} backward and forward.",
                both(rows, rows, epsilons=[0.5, 0.25, 1.0, 0.125], start=1 if length == 4 else 2, length=length),
                f"{flags} {THEOREM_3}",
            )
    for name, what, budgets, flags in (
        ("zero", "one of which is 0", [0.5, 0.0, 0.5, 0.5], "ZeroLevel"),
        ("tiny", "all of 10^−12", [1e-12] * 4, "TinyLevel"),
        ("subnormal", "all of 2^−1074", [2.0**-1074] * 4, "SubnormalLevel"),
        ("large", "all of 40", [40.0] * 4, "LargeLevel"),
        ("million", "two of them 10^6", [0.5, 1e6, 0.5, 1e6], "OverflowingLevel"),
        ("overflowing", "two of them 710", [710.0, 0.5, 710.0, 0.5], "OverflowingLevel"),
        ("infinite-outside", "one of them ∞, outside the window", [inf, 0.5, 0.25, 0.5], "InfiniteLevel"),
        ("infinite-inside", "one of them ∞, inside the window", [0.5, 0.5, inf, 0.5], "InfiniteLevel"),
    ):
        yield _window(
            f"budgets-{name}: A window of two in a stream of four budgets, {what}.",
            both(parts.DYADIC_MODERATE, parts.DYADIC_SYMMETRIC, epsilons=budgets, start=2, length=2),
            f"{flags} WindowOfTwo {THEOREM_3}",
        )
    yield _exact_window(
        "user-level-tenths: Corollary 1: all ten releases of 0.1 together leak 1 exactly.",
        both(parts.PAPER_SYMMETRIC, parts.PAPER_SYMMETRIC, epsilons=["0.1"] * 10, start=1, length=10),
        "WholeStream ExactDecimal col:user-level",
    )
    yield _window(
        "user-level-doubles: Corollary 1 with doubles: the sum of ten times the double next to 0.1.",
        both(parts.DYADIC_SYMMETRIC, parts.DYADIC_SYMMETRIC, epsilons=[0.1] * 10, start=1, length=10),
        "WholeStream col:user-level",
        edges={
            "added from left to right in doubles it is not that sum": left_to_right((Fraction(0.1),) * 10) != 10 * 0.1
        },
    )
    witness = both(("0 1", "1/2 1/2"), ("0 1", "1/2 1/2"), epsilons=["log(2)"] * 4, start=2, length=2)
    yield _exact_window(
        "not-attained: One transition is impossible: the sum of Theorem 3 is asked for, which is an upper bound.",
        witness,
        f"NotAttained WindowOfTwo {THEOREM_3}",
        edges={"BPL_2 and FPL_3 are log 3 each": _window_of_witness() == parse_level("log(9)")},
    )
    yield _window(
        "passes-pieces: A window in a stream that passes from one piece of L to another.",
        both(parts.DENSE, parts.BOUNDED, epsilons=[1.0] * 6, start=3, length=3),
        f"PassesPieces InnerWindow {THEOREM_3}",
    )


def _window_of_witness() -> Level:
    rows = [["0", "1"], ["1/2", "1/2"]]
    query = ReadQuery("composition", RATIONAL, {"backward": rows, "forward": rows, "epsilons": ["log(2)"] * 4})
    return composition(query.leakage, query.epsilons, 2, 2)


def _sizes_of_windows() -> Iterator[Draft]:
    drawing = Drawing(71)
    for n in (6, 50):
        yield _window(
            f"dense-{n}: A window of three of five, matrices of {n} states.",
            both(drawing.rows(n, 20), drawing.rows(n, 20), epsilons=[0.5, 0.25, 1.0, 0.125, 0.5], start=2, length=3),
            f"InnerWindow BothKnown {THEOREM_3}",
            full=n == 50,
        )
    yield _window(
        "long: A window of fifty in a stream of a hundred releases.",
        both(parts.DYADIC_SYMMETRIC, parts.DYADIC_MODERATE, epsilons=[0.1] * 100, start=26, length=50),
        f"LongStream InnerWindow {THEOREM_3}",
    )
