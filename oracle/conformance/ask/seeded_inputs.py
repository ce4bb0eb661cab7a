"""Random inputs for seeded cases: families of matrices over integers, and the two ways of writing numbers.

Only integers and comparisons of uniform numbers are drawn, so that a seed gives the same input on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, isqrt, ldexp, nextafter
from random import Random

from ...reference import Level
from ...reference.decimals import fraction_to_text
from ...wire.numerals import hex_text

Weights = list[int]

BINARY_TOTALS = tuple(2**power for power in (2, 3, 4, 6, 10, 20, 30, 40, 52))
RATIONAL_TOTALS: tuple[int, ...] = (10, 100, 1000, 10**12, 7, 12, 60, 997, 10**15 + 37, 2**40)
VAST_TOTAL = 2**106
"""Of tiny entries: for u = 2^-53 they are doubles, and the sum of each row is 1 in any order."""

_WITH_TINY_ENTRIES = 2**10
FINE = 10**12
"""A total of at least so much holds entries that all but vanish."""


def row_of(weights: Weights, total: int) -> Weights:
    """Return a row in proportion to weights, in integers that sum to total; zeros stay, the largest takes the rest."""
    whole = sum(weights)
    row = [weight * total // whole for weight in weights]
    row[max(range(len(row)), key=weights.__getitem__)] += total - sum(row)
    return row


def varied(random: Random, n: int, total: int) -> list[Weights]:
    """Return rows of positive entries without a pattern."""
    return [row_of([random.randrange(1, 1000) for _ in range(n)], total) for _ in range(n)]


def coarse(random: Random, n: int, total: int) -> list[Weights]:
    """Return rows of small weights: zeros and ties."""
    return [row_of(_not_all_zero(random, [random.randrange(4) for _ in range(n)]), total) for _ in range(n)]


def sparse(random: Random, n: int, total: int) -> list[Weights]:
    """Return rows with two entries at most."""
    rows = []
    for _ in range(n):
        weights = [0] * n
        for _ in range(2):
            weights[random.randrange(n)] += random.randrange(1, 8)
        rows.append(row_of(weights, total))
    return rows


def banded(random: Random, n: int, total: int) -> list[Weights]:
    """Return rows with entries next to the diagonal only."""
    return [row_of([random.randrange(1, 50) * (abs(j - k) < 2) for k in range(n)], total) for j in range(n)]


def permutation(random: Random, n: int, total: int) -> list[Weights]:
    """Return a permutation matrix."""
    order = list(range(n))
    random.shuffle(order)
    return [[total * (k == target) for k in range(n)] for target in order]


def few_distinct(random: Random, n: int, total: int) -> list[Weights]:
    """Return rows of which many are equal."""
    pool = coarse(random, n, total)[:1] + varied(random, n, total)[:1]
    return [list(random.choice(pool)) for _ in range(n)]


def nearly_equal(random: Random, n: int, total: int) -> list[Weights]:
    """Return rows that differ by a few units of the total."""
    base = varied(random, n, total)[0]
    rows = []
    for _ in range(n):
        row = list(base)
        moved = min(random.randrange(4), *row)
        row[random.randrange(n)] -= moved
        row[random.randrange(n)] += moved
        rows.append(row)
    return rows


def nearly_identity(random: Random, n: int, total: int) -> list[Weights]:
    """Return rows with all but a few units of the total on the diagonal."""
    return [_kept(j, [random.randrange(3) for _ in range(n)], total) for j in range(n)]


def disjoint(random: Random, n: int, total: int) -> list[Weights]:
    """Return rows of which two have no column in common."""
    rows = coarse(random, n, total)
    if n > 1:
        cut = random.randrange(1, n)
        first, second = ([random.randrange(1, 9) * ((k < cut) == side) for k in range(n)] for side in (True, False))
        rows[0], rows[-1] = row_of(first, total), row_of(second, total)
    return rows


def almost_tangent(random: Random, n: int, total: int) -> list[Weights]:
    """Return rows of which two differ by one unit of the total, beside others: pieces of L all but touch."""
    rows = varied(random, n, total)
    if n > 1 and max(rows[0]) > 1:
        rows[1] = list(rows[0])
        rows[1][rows[0].index(max(rows[0]))] -= 1
        rows[1][random.randrange(n)] += 1
    return rows


def tiny_entries(random: Random, n: int, total: int) -> list[Weights]:
    """Return rows with u = 1/√total and u² in them: 1 - u, u - u² and u² in some order, or beside ordinary entries.

    Beside these two rows may have u against u - u², a column that rules for levels of about u only.
    """
    unit = isqrt(total)
    if n < 3:
        return [
            [total - unit, unit][:n] if random.randrange(2) and n > 1 else _kept(0, [0] * n, total) for _ in range(n)
        ]
    scale = _WITH_TINY_ENTRIES if total % _WITH_TINY_ENTRIES == 0 else total
    tails = ([unit, 0], [unit - 1, 1], [0, unit], [1, unit - 1])
    rows = []
    for _ in range(n):
        if random.randrange(4) == 0:
            row = [total - unit, unit - 1, 1, *[0] * (n - 3)]
            random.shuffle(row)
        else:
            row = [part * (total // scale) for part in varied(random, n - 2, scale)[0]]
            row[row.index(max(row))] -= unit
            row += tails[random.choice((0, 0, 0, 1, 1, 1, 2, 3))]
        rows.append(row)
    return rows


FAMILIES: dict[str, Callable[[Random, int, int], list[Weights]]] = {
    "varied": varied,
    "coarse": coarse,
    "sparse": sparse,
    "banded": banded,
    "permutation": permutation,
    "few distinct rows": few_distinct,
    "nearly equal rows": nearly_equal,
    "nearly the identity": nearly_identity,
    "disjoint rows": disjoint,
    "almost tangent pieces": almost_tangent,
    "tiny entries": tiny_entries,
}
WEIGHTS = (6, 5, 3, 3, 1, 2, 3, 2, 1, 2, 2)
_MIXING_FAMILIES, _COARSEST = ("varied", "coarse", "banded"), 100
_FINE_FAMILIES = ("nearly equal rows", "nearly the identity", "almost tangent pieces")


def _not_all_zero(random: Random, weights: Weights) -> Weights:
    if not any(weights):
        weights[random.randrange(len(weights))] = 1
    return weights


def _kept(place: int, row: Weights, total: int) -> Weights:
    row[place] = 0
    row[place] = total - sum(row)
    return row


class DoubleNotation:
    """Doubles in hexadecimal."""

    totals = BINARY_TOTALS

    def entry(self, part: int, total: int) -> str:
        """Write a probability, which is a double for the totals here."""
        return hex_text(part / total)

    def level(self, random: Random) -> str:
        """Write a level, tiny to large, now and then 0 or ∞."""
        kind = random.randrange(40)
        if kind < 24:
            return self.moderate(random)
        if kind < 29:
            return hex_text(_double(random, -60, -9))
        if kind < 34:
            return hex_text(_double(random, 3, 10))
        return random.choice(("0x0p+0", "inf", hex_text(1e-12), hex_text(40.0), hex_text(710.0), hex_text(1e6)))

    def moderate(self, random: Random) -> str:
        """Write a positive level as a release has it."""
        if random.randrange(4):
            return hex_text(_double(random, -5, 2))
        return hex_text(random.choice((0.125, 0.25, 0.5, 1.0, 2.0, 3.0)))

    def near_log(self, random: Random, ratio: Fraction) -> str:
        """Write one of the two doubles around log(ratio), or one next to them."""
        below = Level.of_ratio(ratio).double_below()
        above = nextafter(below, inf)
        return hex_text(random.choice((below, above, nextafter(above, inf))))

    def doubled(self, level: str) -> str:
        """Write a level twice as large."""
        return level if level == "inf" else hex_text(2 * float.fromhex(level))


class RationalNotation:
    """Decimals, fractions and logarithms."""

    totals = RATIONAL_TOTALS

    def entry(self, part: int, total: int) -> str:
        """Write a probability as a decimal where the total is a power of ten, else as a fraction."""
        digits = str(total)
        if 0 < part < total and digits.strip("0") == "1":
            return f"0.{part:0{len(digits) - 1}}"
        return fraction_to_text(Fraction(part, total))

    def level(self, random: Random) -> str:
        """Write a level, tiny to large, now and then 0 or ∞."""
        kind = random.randrange(40)
        if kind < 26:
            return self.moderate(random)
        if kind < 30:
            return f"{random.randrange(1, 1000)}e-{random.randrange(6, 20)}"
        if kind < 34:
            return random.choice((str(random.randrange(8, 900)), f"log({random.randrange(10**4, 10**30)})"))
        return random.choice(("0", "inf", "1e-12", "40", "710", "1e6", "log(1+1e-12)"))

    def moderate(self, random: Random) -> str:
        """Write a positive level as a release has it."""
        kind = random.randrange(10)
        if kind < 4:
            below = random.randrange(1, 20)
            return f"log({below + random.randrange(1, 20)}/{below})"
        if kind < 7:
            return f"{random.randrange(3)}.{random.randrange(1, 100):02}"
        if kind < 9:
            return fraction_to_text(Fraction(random.randrange(1, 30), random.randrange(1, 30)))
        return f"log(({random.randrange(4, 9)}+sqrt({random.choice((2, 3, 33))}))/{random.randrange(2, 5)})"

    def near_log(self, random: Random, ratio: Fraction) -> str:
        """Write log(ratio), or one whose ratio is a part in 10^12 more or less."""
        moved = ratio * (1 + Fraction(random.choice((-1, 0, 1)), 10**12))
        return f"log({fraction_to_text(max(moved, Fraction(1)))})"

    def doubled(self, level: str) -> str:
        """Write a level of twice the ratio, for a number one more than it."""
        if level.startswith("log("):
            return f"log(2*({level[4:-1]}))"
        return level if level == "inf" else fraction_to_text(Fraction(level) + 1)


Notation = DoubleNotation | RationalNotation
"""A way of writing numbers."""


def _double(random: Random, least: int, most: int) -> float:
    """Return a double in [2^least, 2^most), its exponent uniform."""
    return ldexp(2**52 + random.getrandbits(52), random.randrange(least, most) - 52)


def draw_matrix(random: Random, notation: Notation, n: int) -> tuple[str, list[list[str]], Fraction]:
    """Return a matrix: the name of its family, its entries as written, and its largest entry."""
    (family,) = random.choices(tuple(FAMILIES), WEIGHTS)
    totals = notation.totals
    total = random.choice([total for total in totals if total >= FINE] if family in _FINE_FAMILIES else totals)
    if family == "tiny entries":
        total = VAST_TOTAL
    rows = FAMILIES[family](random, n, total)
    largest = max(map(max, rows))
    return family, [[notation.entry(part, total) for part in row] for row in rows], Fraction(largest, total)


def draw_mixing(random: Random, notation: Notation, n: int) -> list[list[str]]:
    """Return a matrix of no tiny entries: any two rows of it, or of a power of it, are well apart from disjoint."""
    total = random.choice([total for total in notation.totals if total <= _COARSEST])
    rows = FAMILIES[random.choice(_MIXING_FAMILIES)](random, n, total)
    return [[notation.entry(part, total) for part in row] for row in rows]


def draw_tangent(random: Random, notation: Notation) -> list[list[str]]:
    """Return a matrix of which a column, u against u - u² for u = 2^-53, rules for levels of about u alone."""
    unit, scale = isqrt(VAST_TOTAL), VAST_TOTAL // _WITH_TINY_ENTRIES
    rows = []
    for tail in ([unit, 0], [unit - 1, 1], [unit, 0], [unit - 1, 1]):
        row = [part * scale for part in varied(random, 2, _WITH_TINY_ENTRIES)[0]]
        row[row.index(max(row))] -= unit
        rows.append(row + tail)
    return [[notation.entry(part, VAST_TOTAL) for part in row] for row in rows]


def draw_critical(random: Random, notation: Notation) -> tuple[list[list[str]], str]:
    """Return a matrix with q against a d that all but vanishes, and a budget at log(1/q) or a little off.

    With d = 0 the supremum is infinite from there on; with a tiny d the discriminant of Theorem 11 is nearly 0.
    """
    part = random.randrange(1, 16)
    if random.randrange(3) == 0:
        power = random.randrange(48, 53)
        rows, total = [[part << (power - 4), (16 - part) << (power - 4)], [1, 2**power - 1]], 2**power
    else:
        unit, total = isqrt(VAST_TOTAL), VAST_TOTAL
        rows = [[part * (total // 16), 0, (16 - part) * (total // 16)], [1, unit - 1, total - unit]]
        rows.append(rows[random.randrange(2)])
    off = random.choice((-1, -1, 0, 1, 1)) * Fraction(1, 2 ** random.randrange(26, 34))
    epsilon = notation.near_log(random, Fraction(16, part) * (1 + off))
    return [[notation.entry(entry, total) for entry in row] for row in rows], epsilon
