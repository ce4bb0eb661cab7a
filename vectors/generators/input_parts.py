"""What inputs are made of: rows of doubles that sum to 1, rows that are drawn, and the matrices that have names."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

from tploracle.reference import TransitionMatrix

Rows = tuple[tuple[Fraction, ...], ...]

CASES = Path(__file__).with_name("cases")
"""Where the tables of cases are."""

MANTISSA_BITS = 53

PART = Fraction(1, 10**12)
"""One part in 10^12: how far beside a boundary a level is put."""

_MULTIPLIER, _INCREMENT, _MODULUS = 6364136223846793005, 1442695040888963407, 1 << 64


def rows_of(*rows: str) -> Rows:
    """Read rows written as texts, such as "3/4 1/4" and "0 1"."""
    return tuple(tuple(Fraction(entry) for entry in row.split()) for row in rows)


def cascade(least: int, states: int) -> tuple[Fraction, ...]:
    """Return doubles, one of them 2^−least, whose sum is exactly 1 though no few of them could reach it.

    1 − 2^−least has `least` bits, so it is cut into doubles of 53 bits each. The tiny entry comes first, zeros fill up.
    Raises: ValueError for too few states.
    """
    rest, entries = 1 - Fraction(1, 2**least), [Fraction(1, 2**least)]
    while rest:
        top = rest.numerator.bit_length() - rest.denominator.bit_length()
        unit = Fraction(2) ** (top + (Fraction(2) ** top <= rest) - MANTISSA_BITS)
        entries.append(rest // unit * unit)
        rest -= entries[-1]
    if len(entries) > states:
        raise ValueError(f"{len(entries)} states are needed, not {states}")
    return (*entries, *[Fraction(0)] * (states - len(entries)))


class Drawing:
    """Numbers that look random and are the same on every machine: a linear congruential generator (Knuth's MMIX)."""

    def __init__(self, seed: int) -> None:
        self._state = seed
        for _ in range(8):
            self.below(2)

    def below(self, bound: int) -> int:
        """Return a number from 0 to bound − 1, bound at most 2^31."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) % _MODULUS
        return (self._state >> 33) * bound >> 31

    def row(self, n: int, bits: int, columns: Sequence[int] | None = None) -> tuple[Fraction, ...]:
        """Return a distribution of multiples of 2^−bits over n states, positive in the given columns (all) only."""
        chosen = list(range(n)) if columns is None else list(columns)
        weights = [1 + self.below(1000) for _ in chosen]
        free, total = (1 << bits) - len(chosen), sum(weights)
        counts = [1 + free * weight // total for weight in weights]
        counts[0] += (1 << bits) - sum(counts)
        row = [Fraction(0)] * n
        for column, count in zip(chosen, counts, strict=True):
            row[column] = Fraction(count, 1 << bits)
        return tuple(row)

    def rows(self, n: int, bits: int) -> Rows:
        """Return n such distributions, positive throughout."""
        return tuple(self.row(n, bits) for _ in range(n))

    def order(self, n: int) -> list[int]:
        """Return a permutation of 0 … n − 1."""
        left = list(range(n))
        return [left.pop(self.below(len(left))) for _ in range(n)]


Texts = tuple[str, ...]


def rows_of_text(text: str) -> Texts:
    """Read rows with commas between; at the end ... stands for as many more of the last as make the matrix square."""
    rows, repeats = text.removesuffix(", ...").split(", "), text.endswith(", ...")
    return (*rows, *rows[-1:] * (len(rows[-1].split()) - len(rows) if repeats else 0))


NAMED: dict[str, Texts] = {
    name: rows_of_text(rows)
    for name, rows in tomllib.loads((CASES / "matrices.toml").read_text(encoding="utf-8")).items()
}
"""The matrices of cases/matrices.toml, by name."""


def smoothed_fifty() -> Rows:
    """Return the strongest correlation of fifty states, smoothed with s = 0.005."""
    return tuple(tuple(Fraction(201 if j == k else 1, 250) for k in range(50)) for j in range(50))


def matrix(rows: Texts | Rows) -> TransitionMatrix:
    """Return the matrix of rows."""
    return TransitionMatrix(rows_of(*(row if isinstance(row, str) else " ".join(map(str, row)) for row in rows)))


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
    """Return a matrix with `entries` positive entries in each row, or one more, as column 1 is always positive."""
    drawing = Drawing(seed)
    return tuple(drawing.row(n, bits, sorted({0, *drawing.order(n)[:entries]})) for _ in range(n))


def near(base: Texts, moved: Fraction) -> Rows:
    """Return rows that differ from one distribution by `moved`: row j has it moved from column 1 to column j."""
    rows = []
    for j, row in enumerate(rows_of(*base)):
        entries = list(row)
        if j:
            entries[0], entries[j] = entries[0] - moved, entries[j] + moved
        rows.append(tuple(entries))
    return tuple(rows)


def tiny_texts(power: int) -> Texts:
    """Return rows with (q, d) = (1/2, 2^−power), power at most 53."""
    least = Fraction(1, 2**power)
    return ("1/2 1/2", f"{least} {1 - least}")


def almost_identity() -> Texts:
    """Return two states that are left with probability 2^−53."""
    least = Fraction(1, 2**53)
    return (f"{1 - least} {least}", f"{least} {1 - least}")


def drawn(seed: int, bits: int, *sizes: int) -> Rows:
    """Return rows, positive throughout, drawn after others: sizes, of all of them the number of rows and of states."""
    drawing, found = Drawing(seed), Rows()
    for count, n in zip(sizes[::2], sizes[1::2], strict=True):
        found = tuple(drawing.row(n, bits) for _ in range(count))
    return found


def least_double_against(first: int) -> Rows:
    """Return rows of 23 states with an entry of 2^−1074 against an entry 1/first, which as many columns have."""
    tiniest = cascade(1074, 23)
    return ((*[Fraction(1, first)] * first, *[Fraction(0)] * (23 - first)), *((tiniest,) * 22))


def near_rows(power: int) -> Rows:
    """Return three rows that differ by 2^−power in two columns."""
    return near(("1/4 3/8 3/8",) * 3, Fraction(1, 2**power))


MADE: dict[str, Callable[..., Texts | Rows]] = {
    made.__name__: made
    for made in (
        *(almost_identity, banded, drawn, least_double_against, near_rows),
        *(smoothed_fifty, sparse, tiny_denominator, tiny_texts),
    )
}
"""What tables of cases may call, with integers."""
