"""`smooth`, `reverse` and `estimate`: matrices made of other matrices, and of sequences of data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import pairwise

from tploracle.reference import strongest
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import input_parts as parts
from .draft import Draft, draft
from .input_parts import Drawing, Texts, matrix

SMOOTHING = "eq:laplace_smoothing"
BAYES = "def:temporal_corr"
COUNTS = "def:temporal_corr contract:operations"

smooth, exact_smooth = partial(draft, "smooth"), partial(draft, "smooth", numbers=RATIONAL)
reverse = partial(draft, "reverse")
estimate = partial(draft, "estimate")


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _smooth()
    yield from _reverse()
    yield from _estimate()


def _smooth() -> Iterator[Draft]:
    for n, s, text in (
        (1, 0.5, "1/2"),
        (2, 0.5, "1/2"),
        (2, 0.0, "0"),
        (3, 1.0, "1"),
        (4, 0.25, "1/4"),
        (5, 2.0**-40, "2^−40"),
        (50, 2.0**-7, "2^−7"),
    ):
        yield smooth(
            f"identity-of-{n}-by-{re.sub('[^0-9]+', '-', text)}: The strongest correlation of {n} "
            f"state{'s' * (n > 1)}, s = {text}.",
            {"n": n, "s": s},
            f"{'SmoothsZeros' if s else 'ZeroSmoothing'} {SMOOTHING}" if n > 1 else SMOOTHING,
            edges={"a row of the identity has one 1": strongest(n).rows[0].count(Fraction(1)) == 1},
            full=n == 50,
        )
    cases: tuple[tuple[str, str, Texts, float, str], ...] = (
        ("moderate", "One transition impossible", parts.DYADIC_MODERATE, 0.125, "SmoothsZeros"),
        ("symmetric", "No zeros", parts.DYADIC_SYMMETRIC, 0.5, "SmoothsPositive"),
        ("dense", "One zero among sixteen entries", parts.DENSE, 0.25, "SmoothsZeros"),
        ("zero", "Nothing is changed", parts.DENSE, 0.0, "ZeroSmoothing"),
        ("tiny", "A tiny parameter", parts.BOUNDED, 2.0**-60, "SmoothsPositive"),
        ("subnormal", "The least double as the parameter", parts.DYADIC_MODERATE, 2.0**-1074, "SmoothsZeros"),
        ("large", "All but uniform afterwards", parts.DYADIC_MODERATE, 2.0**40, "SmoothsZeros"),
        ("uneven", "A row that sums to 1 in exact arithmetic only", _uneven(), 1.0, "UnevenSum"),
        ("one-state", "One state", parts.ONE_STATE, 3.0, "SingleState"),
    )
    for name, what, rows, s, flags in cases:
        yield smooth(f"{name}: {what}, s = {s:g}.", {"matrix": rows, "s": s}, f"{flags} {SMOOTHING}")
    for name, given, flags in (
        ("exact-of-the-paper", {"n": 5, "s": "0.005"}, "SmoothsZeros ExactDecimal"),
        ("exact-thirds", {"matrix": ("1/3 2/3", "0 1"), "s": "1/7"}, "SmoothsZeros"),
        ("exact-power-of-ten", {"matrix": parts.PAPER_MODERATE, "s": "1e-3"}, "SmoothsZeros ExactDecimal"),
        ("exact-zero", {"matrix": parts.PAPER_EXAMPLE_4, "s": "0"}, "ZeroSmoothing ExactDecimal"),
    ):
        yield exact_smooth(
            f"{name}: Smoothing in exact numbers: {name.removeprefix('exact-').replace('-', ' ')}.",
            given,
            f"{flags} {SMOOTHING}",
        )


def _uneven() -> Texts:
    whole, quarter = 1 - Fraction(1, 2**52), Fraction(1, 2**54)
    return (f"{whole} {quarter} {quarter} {quarter} {quarter}", *("1/4 1/4 1/4 1/8 1/8",) * 4)


def _reverse() -> Iterator[Draft]:
    cases: tuple[tuple[str, str, str, Texts, str, str], ...] = (
        ("uniform", "A uniform start", FLOAT64, parts.SKEWED, "1/2 1/2", ""),
        ("uneven-start", "A start of 3/4 and 1/4", FLOAT64, parts.SKEWED, "3/4 1/4", "NotStationary"),
        ("stationary", "A stationary start: the chain is reversible", FLOAT64, parts.DYADIC_SYMMETRIC, "1/2 1/2", ""),
        (
            "moderate",
            "One transition impossible",
            FLOAT64,
            parts.DYADIC_MODERATE,
            "1/4 3/4",
            "NotStationary ZeroDenominator",
        ),
        (
            "impossible-start",
            "A first state that never occurs",
            FLOAT64,
            parts.TWO_PIECES,
            "0 1/2 1/2",
            "ImpossibleStart",
        ),
        (
            "certain-start",
            "A first state that always occurs",
            FLOAT64,
            ("1/2 1/4 1/4", "1 0 0", "0 1/2 1/2"),
            "1 0 0",
            "ImpossibleStart",
        ),
        (
            "tiny-start",
            "A first state of probability 2^−50",
            FLOAT64,
            parts.SKEWED,
            f"{Fraction(1, 2**50)} {1 - Fraction(1, 2**50)}",
            "NotStationary",
        ),
        ("identity", "The identity is its own reverse", FLOAT64, parts.IDENTITY, "1/4 3/4", "Permutation"),
        ("cycle", "A cycle is turned round", FLOAT64, parts.CYCLE, "1/4 1/4 1/2", "Permutation NotStationary"),
        ("one-state", "One state", FLOAT64, parts.ONE_STATE, "1", "SingleState"),
        (
            "equal-rows",
            "No correlation: the reverse has the start in every row",
            FLOAT64,
            parts.EQUAL,
            "5/8 3/8",
            "EqualRows NotStationary",
        ),
        ("dense", "Four states", FLOAT64, parts.DENSE, "1/8 1/4 1/2 1/8", "NotStationary"),
        ("tiny-entry", "An entry of 2^−40", FLOAT64, parts.tiny_texts(40), "1/2 1/2", "TinyEntry"),
        ("exact-thirds", "Thirds", RATIONAL, ("1/3 2/3", "3/4 1/4"), "1/7 6/7", "NotStationary"),
        ("exact-decimals", "Decimals", RATIONAL, parts.PAPER_MODERATE, "0.1 0.9", "NotStationary ExactDecimal"),
        (
            "figure-8",
            "The forward correlation of Figure 8 from its stationary start",
            RATIONAL,
            parts.PAPER_FIGURE_8,
            "1/3 2/3",
            "ExactDecimal",
        ),
    )
    for name, what, numbers, rows, initial, flags in cases:
        entries = [Fraction(entry) for entry in initial.split()]
        after = [
            sum(x * row[k] for x, row in zip(entries, matrix(rows).rows, strict=True)) for k in range(len(entries))
        ]
        yield reverse(
            f"{name}: {what}.",
            {"forward": rows, "initial": initial},
            f"{flags} {BAYES}",
            numbers=numbers,
            edges={"every state is reached": all(after)},
        )
    drawing = Drawing(101)
    for n in (10, 20):
        yield reverse(
            f"dense-{n}: A matrix of {n} states without zeros.",
            {"forward": drawing.rows(n, 20), "initial": drawing.row(n, 20)},
            f"NotStationary {BAYES}",
            full=n == 20,
        )
    for name, numbers, rows, initial in (
        ("unreachable", FLOAT64, ("1/2 0 1/2", "1/4 0 3/4", "3/4 0 1/4"), "1/4 1/4 1/2"),
        ("unreachable-from-the-start", FLOAT64, ("1 0", "1/2 1/2"), "1 0"),
        ("unreachable-exact", RATIONAL, ("1 0", "1/3 2/3"), "1 0"),
    ):
        yield reverse(
            f"{name}: A state that cannot be reached has no distribution before it.",
            {"forward": rows, "initial": initial},
            f"Unreachable {BAYES} contract:errors",
            numbers=numbers,
            error="UnreachableState",
        )


def _estimate() -> Iterator[Draft]:
    cases: tuple[tuple[str, str, list[list[str]], str], ...] = (
        ("one-sequence", "One sequence of two states", [list("aababba")], ""),
        (
            "two-sequences",
            "The step from one sequence to the next is not counted",
            [list("abca"), list("cab"), list("bcb")],
            "SequencesApart",
        ),
        ("wire", "The sequences of the documentation", [["a", "a", "b", "a"], ["b", "a"], ["b"]], ""),
        (
            "names-out-of-order",
            "States are in the order of their names, not of their appearance",
            [list("cabcbaac"), list("bacb")],
            "StatesByName",
        ),
        (
            "numbers",
            "States named by numbers are in the order of their values",
            [["10", "9", "2", "10", "2", "9", "9", "10"]],
            "StatesByNumber",
        ),
        (
            "single-names",
            "Sequences of one name count for the start alone",
            [["b"], ["a", "b", "a", "b", "b"], ["b"], ["b"]],
            "",
        ),
        ("repeated", "A state that follows itself", [["a", "a", "a", "a"]], ""),
        ("always-the-same", "Two states that alternate", [list("abababa")], ""),
        (
            "uneven-counts",
            "Counts that are no powers of 2: thirds and sevenths",
            [list("aaabaabbbab"), list("abbbbabba")],
            "",
        ),
    )
    for name, what, sequences, flags in cases:
        names = sorted({state for sequence in sequences for state in sequence})
        steps = {step for sequence in sequences for step in pairwise(sequence)}
        yield estimate(
            f"{name}: {what}.",
            {"sequences": sequences},
            f"{flags} {COUNTS}",
            edges={"every state is left and entered": {a for a, _ in steps} == {b for _, b in steps} == set(names)},
        )
    drawing = Drawing(103)
    long = [[f"s{drawing.below(6)}" for _ in range(120)] for _ in range(3)]
    yield estimate(
        "six-states: Three sequences of 120 steps over six states.",
        {"sequences": long},
        f"{COUNTS}",
        edges={"six states are seen": len({s for q in long for s in q}) == 6},
    )
    for name, sequences in (
        ("never-left", [list("aab")]),
        ("never-entered", [list("abbb")]),
        ("seen-only-once", [["a"]]),
    ):
        yield estimate(
            f"dead-end-{name}: A state that is {name.replace('-', ' ')}: no row can be estimated for it.",
            {"sequences": sequences},
            f"Unreachable {COUNTS} contract:errors",
            error="UnreachableState",
        )
    yield estimate(
        "without-data: There is no data to estimate from.",
        {"sequences": []},
        "NoRelease contract:errors",
        error="InvalidRequest",
    )
