"""The kinds of matrices that `strategies` draws, on a grid of doubles where that is asked for.

The same draws are made for every kind and every number of states: a sheet of bytes as large as a matrix may become, of
which some rows and some columns are kept; what is then missing to a square is copies of a row and columns of weight 0.
So Hypothesis can leave out any of them by itself, or change the kind to the first, and the rest stays as it is: that
is what makes a counterexample small.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

Row = tuple[Fraction, ...]

GRID_BITS = 53
"""Every multiple of 2^−53 in [0, 1] is a double, and sums of such numbers are exact."""

UNIT = Fraction(1, 2**GRID_BITS)
MOST_LINES = 32
"""Rows that are drawn; further ones are turned copies, or Hypothesis would find the draws too many."""

DEEPEST = 20
"""The smallest entry drawn that is a double is 2^(−53·20); below 2^−1074 there is none."""

STYLES: tuple[Callable[[int], int], ...] = (
    lambda byte: byte % 5,
    lambda byte: byte & 1,
    lambda byte: 4 * byte,
    lambda byte: max(byte - 31, 0) ** 16,
)
"""From a byte to a weight: small numbers; ones and zeros; up to 1,020; zeros among numbers of up to 38 digits."""


@dataclass(frozen=True, slots=True)
class ByteSheet:
    """What every kind is made from: for each row that is kept a byte for each column, a style, and four bytes more.

    bits: entries are multiples of 2^−bits; None where any denominator will do.
    """

    texture: tuple[bytes, ...]
    styles: tuple[Callable[[int], int], ...]
    notes: tuple[bytes, ...]
    bits: int | None

    @property
    def height(self) -> int:
        """The number of rows."""
        return len(self.texture)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.texture[0])

    def rows(self) -> list[Row]:
        """Return the rows as they stand."""
        return [
            distribution([style(byte) for byte in line], self.bits)
            for style, line in zip(self.styles, self.texture, strict=True)
        ]


@st.composite
def rows_of(
    draw: DrawFn, kinds: Sequence[str], min_n: int, max_n: int, *, dyadic: bool, height: int | None = None
) -> tuple[Row, ...]:
    """Draw rows of one kind: as many as there are columns, or `height` of them."""
    kind = draw(st.sampled_from(kinds))
    bits = draw(st.sampled_from([2, 1, 3, 4, 8, 20, 52, GRID_BITS])) if dyadic else None
    threshold = draw(st.sampled_from([128, 64, 160, 16, 224]))
    column_keys, row_keys = draw(_bytes(max_n)), draw(_bytes(max_n))
    styles, lines, notes = [], [], []
    for _ in range(height or min(max_n, MOST_LINES)):
        styles.append(draw(st.sampled_from(STYLES)))
        lines.append(draw(_bytes(max_n)))
        notes.append(draw(_bytes(4)))
    columns = _kept(column_keys, threshold, min_n)
    rows = list(range(height)) if height else _kept(row_keys, threshold, min_n)
    n = max(len(columns), 0 if height else len(rows))
    rows += [rows[0]] * ((height or n) - len(rows))
    sheet = ByteSheet(
        tuple(_line(lines, row, columns, n) for row in rows),
        tuple(styles[row % len(styles)] for row in rows),
        tuple(notes[row % len(notes)] for row in rows),
        bits,
    )
    return tuple(ROWS_BY_KIND[kind](sheet))


def _line(lines: Sequence[bytes], row: int, columns: Sequence[int], n: int) -> bytes:
    """Return the n bytes of a row: of its own line, or of another one turned where there are fewer lines than rows."""
    turns, number = divmod(row, len(lines))
    line = lines[number][turns:] + lines[number][:turns]
    return bytes([*(line[column] for column in columns), *[0] * (n - len(columns))])


def _bytes(size: int) -> SearchStrategy[bytes]:
    return st.binary(min_size=size, max_size=size)


def _kept(keys: bytes, threshold: int, least: int) -> list[int]:
    """Return the indices, in order, of the keys that reach the threshold, and of the greatest keys in any case."""
    order = sorted(range(len(keys)), key=lambda index: -keys[index])
    return sorted(index for place, index in enumerate(order) if place < least or keys[index] >= threshold)


def normalised(weights: Sequence[Fraction | int]) -> Row:
    """Make a distribution of non-negative weights; all zero stands for certainty of the first state. Exact."""
    total = sum(weights)
    if total == 0:
        return _certain(0, len(weights))
    return tuple(Fraction(weight) / total for weight in weights)


def distribution(weights: Sequence[Fraction | int], bits: int | None = None) -> Row:
    """Make a distribution of weights; with bits, one of multiples of 2^−bits: rounded down, the rest to the greatest.

    >>> distribution([1, 2], 2)
    (Fraction(1, 4), Fraction(3, 4))
    """
    exact = normalised(weights)
    if bits is None:
        return exact
    rounded = [int(entry * 2**bits) for entry in exact]
    rounded[exact.index(max(exact))] += 2**bits - sum(rounded)
    return tuple(Fraction(entry, 2**bits) for entry in rounded)


def _certain(column: int, width: int) -> Row:
    return tuple(Fraction(int(j == column)) for j in range(width))


def _ties(sheet: ByteSheet) -> list[Row]:
    return [distribution([byte & 1 for byte in line], sheet.bits) for line in sheet.texture]


def _few_rows(sheet: ByteSheet) -> list[Row]:
    rows = sheet.rows()
    return [rows[note[0] % min(sheet.height, 2)] for note in sheet.notes]


def _nearly_equal(sheet: ByteSheet) -> list[Row]:
    base = sheet.rows()[0]
    result = []
    for giver, taker, size, _ in sheet.notes:
        row = list(base)
        source = _next_positive(row, giver)
        if sheet.bits is None:
            moved = row[source] / (10**6, 10**3, 10**12, 10**30, 10**300)[size % 5]
        else:
            moved = min(row[source], (2, 2**13, 2**33, 2**43, 1)[size % 5] * UNIT)
        row[source] -= moved
        row[taker % sheet.width] += moved
        result.append(tuple(row))
    return result


def _next_positive(row: Sequence[Fraction], start: int) -> int:
    return next(j % len(row) for j in range(start, start + len(row)) if row[j % len(row)])


def _sparse(sheet: ByteSheet) -> list[Row]:
    result = []
    for line in sheet.texture:
        greatest = sorted(range(sheet.width), key=line.__getitem__)[-2:]
        result.append(distribution([line[j] % 8 if j in greatest else 0 for j in range(sheet.width)], sheet.bits))
    return result


def _banded(sheet: ByteSheet) -> list[Row]:
    reach = 1 + sheet.notes[0][0] % 2
    result = []
    for number, line in enumerate(sheet.texture):
        centre = min(number, sheet.width - 1)
        near = [byte % 5 if abs(column - centre) <= reach else 0 for column, byte in enumerate(line)]
        near[centre] += 1
        result.append(distribution(near, sheet.bits))
    return result


def _disjoint_supports(sheet: ByteSheet) -> list[Row]:
    rows = sheet.rows()
    if min(sheet.width, sheet.height) == 1:
        return rows
    place, step, cut, turn = sheet.notes[0]
    first = place % sheet.height
    second = (first + 1 + step % (sheet.height - 1)) % sheet.height
    columns = [(column + turn) % sheet.width for column in range(sheet.width)]
    border = 1 + cut % (sheet.width - 1)
    for row, part in ((first, columns[:border]), (second, columns[border:])):
        kept = [entry if column in part else Fraction(0) for column, entry in enumerate(rows[row])]
        if not any(kept):
            kept[part[0]] = Fraction(1)
        rows[row] = distribution(kept, sheet.bits)
    return rows


def _permutation(sheet: ByteSheet) -> list[Row]:
    columns = sorted(range(sheet.width), key=lambda column: sheet.texture[0][column])
    return [_certain(columns[number % sheet.width], sheet.width) for number in range(sheet.height)]


def _smoothed(sheet: ByteSheet) -> list[Row]:
    s = (Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 10**3), Fraction(1, 10**12))[sheet.notes[0][0] % 5]
    bits = None if sheet.bits is None else max(sheet.bits, 8) if s >= Fraction(1, 10) else GRID_BITS
    return [distribution([entry + s for entry in row], bits) for row in sheet.rows()]


def _tiny(sheet: ByteSheet) -> list[Row]:
    if sheet.width == 1:
        return sheet.rows()
    result = []
    for row, (depth, turn, giver, step) in zip(sheet.rows(), sheet.notes, strict=True):
        if sheet.bits is None:
            base = list(row)
            source = _next_positive(base, giver)
            target = (source + 1 + step % (sheet.width - 1)) % sheet.width
            moved = base[source] / 10 ** (15 * (1 + depth % DEEPEST))
            base[source] += base[target] - moved
            base[target] = moved
        else:
            chain = _chain(min(1 + depth % DEEPEST, sheet.width - 1), sheet.width)
            base = [chain[(column + turn) % sheet.width] for column in range(sheet.width)]
        result.append(tuple(base))
    return result


def _chain(depth: int, width: int) -> Row:
    """Return 1 − u, u·(1 − u), u²·(1 − u), …, u^depth for u = 2^−53: doubles that sum to exactly 1."""
    entries = [UNIT**power * (1 - UNIT) for power in range(depth)] + [UNIT**depth]
    return (*entries, *[Fraction(0)] * (width - len(entries)))


ROWS_BY_KIND: dict[str, Callable[[ByteSheet], list[Row]]] = {
    "varied": ByteSheet.rows,
    "ties": _ties,
    "few rows": _few_rows,
    "nearly equal": _nearly_equal,
    "sparse": _sparse,
    "banded": _banded,
    "disjoint supports": _disjoint_supports,
    "permutation": _permutation,
    "smoothed": _smoothed,
    "tiny": _tiny,
}
"""The kinds by name; the first is the one to which others shrink."""
