"""What inputs are made of: doubles as the vectors write them, levels beside a boundary, matrices of many cases."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import inf, nextafter
from pathlib import Path

from tploracle.reference import INFINITE, Level, TransitionMatrix

Rows = tuple[tuple[Fraction, ...], ...]

CASES = Path(__file__).with_name("cases")
"""Where the tables of cases are."""

MANTISSA_BITS = 53

PART = Fraction(1, 10**12)
"""One part in 10^12: how far beside a boundary a level is put."""

_DIGITS = 60
_MULTIPLIER, _INCREMENT, _MODULUS = 6364136223846793005, 1442695040888963407, 1 << 64


def doubles_beside(level: Level) -> tuple[float, float]:
    """Return the greatest double below a level that is no double, and the least one above it. Exact."""
    below = level.double_below()
    return below, nextafter(below, inf)


def in_nats(level: Level) -> Fraction:
    """Return a rational that agrees with a finite level in 60 digits."""
    return Fraction(level.enclosure(_DIGITS).lower)


def part_below(level: Level) -> float:
    """Return the double nearest to one part in 10^12 below a level."""
    return float(in_nats(level) * (1 - PART))


def part_above(level: Level) -> float:
    """Return the double nearest to one part in 10^12 above a level."""
    return float(in_nats(level) * (1 + PART))


def beside(level: Level) -> dict[str, float]:
    """Return the doubles next to a level that is none, and one part in 10^12 to either side, by what they are."""
    below, above = doubles_beside(level)
    return {"next-below": below, "next-above": above, "part-below": part_below(level), "part-above": part_above(level)}


def decimal_near(level: Level, parts: int) -> str:
    """Return a decimal of 30 places so many parts in 10^12 above a level (below it, where negative)."""
    places = 30
    units = round(in_nats(level) * (1 + parts * PART) * 10**places)
    return f"{units // 10**places}.{units % 10**places:0{places}d}"


def level_of(value: float) -> Level:
    """Return the level that a double is."""
    return INFINITE if value == inf else Level.of(Fraction(value))


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


def unit_row(n: int, state: int) -> tuple[Fraction, ...]:
    """Return the distribution that is certain of one state, counted from 0."""
    return tuple(Fraction(int(j == state)) for j in range(n))


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

NAMED: dict[str, Texts] = {
    name: tuple(rows.split(", "))
    for name, rows in tomllib.loads((CASES / "matrices.toml").read_text(encoding="utf-8")).items()
}
"""The matrices of cases/matrices.toml, by name."""


def smoothed_fifty() -> Rows:
    """Return the strongest correlation of fifty states, smoothed with s = 0.005."""
    return tuple(tuple(Fraction(201 if j == k else 1, 250) for k in range(50)) for j in range(50))


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


def nearly_equal() -> Iterator[tuple[str, str, Rows]]:
    """Yield rows that differ by 2^−40, and by an ulp of their entries: for an id, for a title, and the rows."""
    for name, what, power in (("2-40", "2^−40", 40), ("one-ulp", "one ulp", 54)):
        yield name, what, near(("1/4 3/8 3/8",) * 3, Fraction(1, 2**power))


def tiny_texts(power: int) -> Texts:
    """Return rows with (q, d) = (1/2, 2^−power), power at most 53."""
    least = Fraction(1, 2**power)
    return ("1/2 1/2", f"{least} {1 - least}")


def almost_identity() -> Texts:
    """Return two states that are left with probability 2^−53."""
    least = Fraction(1, 2**53)
    return (f"{1 - least} {least}", f"{least} {1 - least}")


def drawn(seed: int, *sizes: int) -> Rows:
    """Return rows of 20 bits, positive throughout, drawn after others: of all the number of rows and of states."""
    drawing, found = Drawing(seed), Rows()
    for count, n in zip(sizes[::2], sizes[1::2], strict=True):
        found = tuple(drawing.row(n, 20) for _ in range(count))
    return found


def near_rows(power: int) -> Rows:
    """Return three rows that differ by 2^−power in two columns."""
    return near(("1/4 3/8 3/8",) * 3, Fraction(1, 2**power))


MADE: dict[str, Callable[..., Texts | Rows]] = {
    made.__name__: made
    for made in (almost_identity, banded, drawn, near_rows, smoothed_fifty, sparse, tiny_denominator, tiny_texts)
}
"""What tables of cases may call, with integers."""
