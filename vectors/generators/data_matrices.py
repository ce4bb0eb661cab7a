"""`smooth`, `reverse` and `estimate`: matrices made of other matrices, and of sequences of data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from operator import mul

from tploracle.reference import strongest
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import input_parts as parts
from .draft import Draft, draft
from .input_parts import Drawing, Texts, matrix

SMOOTHING = "eq:laplace_smoothing"
BAYES = "def:temporal_corr"
COUNTS = "def:temporal_corr contract:operations"

_smoothing, _exact_smoothing = partial(draft, "smooth"), partial(draft, "smooth", numbers=RATIONAL)
_reversal = partial(draft, "reverse")
_estimation = partial(draft, "estimate")


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
        yield _smoothing(
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
        yield _smoothing(f"{name}: {what}, s = {s:g}.", {"matrix": rows, "s": s}, f"{flags} {SMOOTHING}")
    for name, given, flags in (
        ("exact-of-the-paper", {"n": 5, "s": "0.005"}, "SmoothsZeros ExactDecimal"),
        ("exact-thirds", {"matrix": ("1/3 2/3", "0 1"), "s": "1/7"}, "SmoothsZeros"),
        ("exact-power-of-ten", {"matrix": parts.PAPER_MODERATE, "s": "1e-3"}, "SmoothsZeros ExactDecimal"),
        ("exact-zero", {"matrix": parts.PAPER_EXAMPLE_4, "s": "0"}, "ZeroSmoothing ExactDecimal"),
    ):
        yield _exact_smoothing(
            f"{name}: Smoothing in exact numbers: {name.removeprefix('exact-').replace('-', ' ')}.",
            given,
            f"{flags} {SMOOTHING}",
        )


def _uneven() -> Texts:
    whole, quarter = 1 - Fraction(1, 2**52), Fraction(1, 2**54)
    return (f"{whole} {quarter} {quarter} {quarter} {quarter}", *("1/4 1/4 1/4 1/8 1/8",) * 4)


def _reversed(head: str, rows: Texts, initial: str, flags: str = "", numbers: str = FLOAT64) -> Draft:
    """Make a draft of a chain that reaches every state."""
    entries = [Fraction(entry) for entry in initial.split()]
    columns = zip(*matrix(rows).rows, strict=True)
    edges = {"every state is reached": all(sum(map(mul, entries, column)) for column in columns)}
    given = {"forward": rows, "initial": initial}
    return _reversal(head, given, f"{flags} {BAYES}", numbers=numbers, edges=edges)


def _reverse() -> Iterator[Draft]:
    moves, half = "NotStationary", "1/2 1/2"
    yield _reversed("uniform: A uniform start.", parts.SKEWED, half)
    yield _reversed("uneven-start: A start of 3/4 and 1/4.", parts.SKEWED, "3/4 1/4", moves)
    yield _reversed("stationary: A stationary start: the chain is reversible.", parts.DYADIC_SYMMETRIC, half)
    head = "moderate: One transition impossible."
    yield _reversed(head, parts.DYADIC_MODERATE, "1/4 3/4", f"{moves} ZeroDenominator")
    head = "impossible-start: A first state that never occurs."
    yield _reversed(head, parts.TWO_PIECES, "0 1/2 1/2", "ImpossibleStart")
    head = "certain-start: A first state that always occurs."
    yield _reversed(head, ("1/2 1/4 1/4", "1 0 0", "0 1/2 1/2"), "1 0 0", "ImpossibleStart")
    tiny = Fraction(1, 2**50)
    yield _reversed("tiny-start: A first state of probability 2^−50.", parts.SKEWED, f"{tiny} {1 - tiny}", moves)
    yield _reversed("identity: The identity is its own reverse.", parts.IDENTITY, "1/4 3/4", "Permutation")
    yield _reversed("cycle: A cycle is turned round.", parts.CYCLE, "1/4 1/4 1/2", f"Permutation {moves}")
    yield _reversed("one-state: One state.", parts.ONE_STATE, "1", "SingleState")
    head = "equal-rows: No correlation: the reverse has the start in every row."
    yield _reversed(head, parts.EQUAL, "5/8 3/8", f"EqualRows {moves}")
    yield _reversed("dense: Four states.", parts.DENSE, "1/8 1/4 1/2 1/8", moves)
    yield _reversed("tiny-entry: An entry of 2^−40.", parts.tiny_texts(40), half, "TinyEntry")
    yield _reversed("exact-thirds: Thirds.", ("1/3 2/3", "3/4 1/4"), "1/7 6/7", moves, RATIONAL)
    yield _reversed("exact-decimals: Decimals.", parts.PAPER_MODERATE, "0.1 0.9", f"{moves} ExactDecimal", RATIONAL)
    head = "figure-8: The forward correlation of Figure 8 from its stationary start."
    yield _reversed(head, parts.PAPER_FIGURE_8, "1/3 2/3", "ExactDecimal", RATIONAL)
    drawing = Drawing(101)
    for n in (10, 20):
        yield _reversal(
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
        yield _reversal(
            f"{name}: A state that cannot be reached has no distribution before it.",
            {"forward": rows, "initial": initial},
            f"Unreachable {BAYES} contract:errors",
            numbers=numbers,
            error="UnreachableState",
        )


def _estimated(head: str, sequences: Sequence[Sequence[str]], flags: str = "") -> Draft:
    """Make a draft of sequences, of names or of letters, in which every state is left and entered."""
    steps = {step for sequence in sequences for step in pairwise(sequence)}
    names = {state for sequence in sequences for state in sequence}
    edges = {"every state is left and entered": {a for a, _ in steps} == {b for _, b in steps} == names}
    return _estimation(
        head, {"sequences": [list(sequence) for sequence in sequences]}, f"{flags} {COUNTS}", edges=edges
    )


def _estimate() -> Iterator[Draft]:
    yield _estimated("one-sequence: One sequence of two states.", ["aababba"])
    head = "two-sequences: The step from one sequence to the next is not counted."
    yield _estimated(head, ["abca", "cab", "bcb"], "SequencesApart")
    yield _estimated("wire: The sequences of the documentation.", ["aaba", "ba", "b"])
    head = "names-out-of-order: States are in the order of their names, not of their appearance."
    yield _estimated(head, ["cabcbaac", "bacb"], "StatesByName")
    head = "numbers: States named by numbers are in the order of their values."
    yield _estimated(head, [["10", "9", "2", "10", "2", "9", "9", "10"]], "StatesByNumber")
    yield _estimated("single-names: Sequences of one name count for the start alone.", ["b", "ababb", "b", "b"])
    yield _estimated("repeated: A state that follows itself.", ["aaaa"])
    yield _estimated("always-the-same: Two states that alternate.", ["abababa"])
    head = "uneven-counts: Counts that are no powers of 2: thirds and sevenths."
    yield _estimated(head, ["aaabaabbbab", "abbbbabba"])
    drawing = Drawing(103)
    long = [[f"s{drawing.below(6)}" for _ in range(120)] for _ in range(3)]
    yield _estimation(
        "six-states: Three sequences of 120 steps over six states.",
        {"sequences": long},
        COUNTS,
        edges={"six states are seen": len({s for q in long for s in q}) == 6},
    )
    for name, sequence in (("never-left", "aab"), ("never-entered", "abbb"), ("seen-only-once", "a")):
        yield _estimation(
            f"dead-end-{name}: A state that is {name.replace('-', ' ')}: no row can be estimated for it.",
            {"sequences": [list(sequence)]},
            f"Unreachable {COUNTS} contract:errors",
            error="UnreachableState",
        )
    yield _estimation(
        "without-data: There is no data to estimate from.",
        {"sequences": []},
        "NoRelease contract:errors",
        error="InvalidRequest",
    )
