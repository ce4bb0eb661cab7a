"""Matrices that several generators ask about, as rows of texts; dyadic unless their name says otherwise."""

from __future__ import annotations

from fractions import Fraction

from tploracle.reference import TransitionMatrix

from .dyadic import Drawing, Rows, cascade, rows_of

Texts = tuple[str, ...]

ONE: Texts = ("1",)
SYMMETRIC: Texts = ("3/4 1/4", "1/4 3/4")
SKEWED: Texts = ("5/8 3/8", "1/8 7/8")
MODERATE: Texts = ("3/4 1/4", "0 1")
"""One transition is impossible: (q, d) = (3/4, 0) and (1, 1/4)."""

HALF: Texts = ("1/2 1/2", "0 1")
IDENTITY: Texts = ("1 0", "0 1")
SWAP: Texts = ("0 1", "1 0")
EQUAL: Texts = ("1/4 3/4", "1/4 3/4")
CYCLE: Texts = ("0 1 0", "0 0 1", "1 0 0")

DENSE: Texts = (
    "3/16 3/8 1/8 5/16",
    "1/4 5/8 0 1/8",
    "5/8 3/16 1/8 1/16",
    "7/16 3/8 1/16 1/8",
)
"""Four pieces of L, the last with d = 0."""

BOUNDED: Texts = (
    "1/2 1/4 1/16 3/16",
    "3/8 7/16 1/8 1/16",
    "7/16 1/8 5/16 1/8",
    "1/8 1/2 3/16 3/16",
)
"""Three pieces of L, all with d > 0."""

TWO_PIECES: Texts = ("3/4 1/4 0", "1/4 5/8 1/8", "3/8 1/4 3/8")
"""The pair that is optimal at the first step of e^ε = 2 is not the one at the supremum."""

DISJOINT: Texts = ("1/2 1/2 0 0", "0 0 1/2 1/2", "1/4 1/4 1/4 1/4", "1/2 0 1/2 0")
"""Rows 1 and 2 have disjoint supports, without a 1."""

PAPER_MODERATE: Texts = ("0.8 0.2", "0 1")
PAPER_SYMMETRIC: Texts = ("0.8 0.2", "0.2 0.8")
PAPER_FIGURE_8: Texts = ("0.8 0.2", "0.1 0.9")
EXAMPLE_4: Texts = ("0.1 0.2 0.7", "0.3 0.3 0.4", "0.5 0.3 0.2")
WORKED: Texts = ("0.2 0.3 0.5", "0.1 0 0.9", "0.1 0 0.9")
"""The rows q and d of the worked example of Algorithm 2."""

FIRST_STEP: Texts = ("2/5 3/10 3/10", "4/5 1/5 0", "3/10 3/10 2/5")
SMALLEST_FIRST_STEP: Texts = ("0 1/4 3/4", "0 1/4 3/4", "1/4 1/2 1/4")


def matrix(rows: Texts | Rows) -> TransitionMatrix:
    """Return the matrix of rows."""
    return TransitionMatrix(rows_of(*(row if isinstance(row, str) else " ".join(map(str, row)) for row in rows)))


def of_two(q: str, d: str) -> Texts:
    """Return a matrix whose first row is q and whose others are d."""
    return (q, *((d,) * (len(q.split()) - 1)))


def tiny_denominator(least: int) -> Rows:
    """Return rows of doubles with (q, d) = (1/2, 2^−least): as many states as a sum of exactly 1 needs."""
    n = 2 if least <= 53 else 2 + least // 53
    tiny = cascade(least, n)
    half = (Fraction(1, 2), Fraction(1, 2), *[Fraction(0)] * (n - 2))
    return (half, *((tiny,) * (n - 1)))


def banded(n: int, bits: int, seed: int) -> Rows:
    """Return a matrix of a walk: positive on the main diagonal and the two beside it."""
    drawing = Drawing(seed)
    return tuple(drawing.row(n, bits, [k for k in (j - 1, j, j + 1) if 0 <= k < n]) for j in range(n))


def sparse(n: int, bits: int, seed: int, entries: int) -> Rows:
    """Return a matrix with so many positive entries in each row, one of them in column 1."""
    drawing = Drawing(seed)
    return tuple(drawing.row(n, bits, sorted({0, *drawing.order(n)[:entries]})) for _ in range(n))


def near(base: Texts, moved: Fraction) -> Rows:
    """Return rows that differ from one distribution by so much: row j has it moved from column 1 to column j."""
    rows = []
    for j, row in enumerate(rows_of(*base)):
        entries = list(row)
        if j:
            entries[0], entries[j] = entries[0] - moved, entries[j] + moved
        rows.append(tuple(entries))
    return tuple(rows)


def near_texts(power: int) -> Texts:
    """Return three rows that differ by 2^−power in two columns."""
    moved = Fraction(1, 2**power)
    return tuple(" ".join(map(str, row)) for row in near(("1/4 3/8 3/8",) * 3, moved))


def tiny_texts(power: int) -> Texts:
    """Return rows with (q, d) = (1/2, 2^−power), power at most 53."""
    least = Fraction(1, 2**power)
    return ("1/2 1/2", f"{least} {1 - least}")


def almost_identity() -> Texts:
    """Return two states that are left with probability 2^−53."""
    least = Fraction(1, 2**53)
    return (f"{1 - least} {least}", f"{least} {1 - least}")
