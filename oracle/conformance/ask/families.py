"""Families of matrices over integers, and of budgets over time, by structure: what questions are drawn from.

Only integers and comparisons of uniform numbers are drawn, so that a seed gives the same input on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isqrt
from random import Random

Weights = list[int]

Family = Callable[[Random, int, int], list[Weights]]
"""Draws the n rows of a matrix, each of which sums to a total."""

VAST_TOTAL = 2**106
"""Of tiny entries: for u = 2^-53 they are doubles, and the sum of each row is 1 in any order."""

WITH_TINY_ENTRIES = 2**10
FINE = 10**12
"""The least total of families with entries that all but vanish."""


def row_of(weights: Weights, total: int) -> Weights:
    """Return a row in proportion to weights, in integers that sum to total; zeros stay, the largest takes the rest."""
    whole = sum(weights)
    row = [weight * total // whole for weight in weights]
    row[max(range(len(row)), key=weights.__getitem__)] += total - sum(row)
    return row


def _where(is_positive: Callable[[int, int, int], bool], most: int) -> Family:
    """Return a family of rows that are positive where row j and column k of n satisfy this, of weights below `most`."""
    return lambda random, n, total: [
        row_of([random.randrange(1, most) * is_positive(j, k, n) for k in range(n)], total) for j in range(n)
    ]


varied = _where(lambda _j, _k, _n: True, 1000)
"""Rows of positive entries without a pattern."""


def _same_half(j: int, k: int, n: int) -> bool:
    return (2 * j < n) == (2 * k < n)


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


def permutation(random: Random, n: int, total: int) -> list[Weights]:
    """Return a permutation matrix."""
    order = list(range(n))
    random.shuffle(order)
    return [[total * (k == target) for k in range(n)] for target in order]


def few_distinct(random: Random, n: int, total: int) -> list[Weights]:
    """Return rows many of which are equal."""
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
    """Return rows, two of them with no column in common."""
    rows = coarse(random, n, total)
    if n > 1:
        cut = random.randrange(1, n)
        first, second = ([random.randrange(1, 9) * ((k < cut) == side) for k in range(n)] for side in (True, False))
        rows[0], rows[-1] = row_of(first, total), row_of(second, total)
    return rows


def almost_tangent(random: Random, n: int, total: int) -> list[Weights]:
    """Return rows, two of them one unit of the total apart: pieces of L almost touch."""
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
    scale = WITH_TINY_ENTRIES if total % WITH_TINY_ENTRIES == 0 else total
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


def several_classes(random: Random, n: int, total: int) -> list[Weights]:
    """Return a transient half of the states, and states that are never left."""
    first = n // 2
    rows = [row_of([random.randrange(1, 9) for _ in range(n)], total) for _ in range(first)]
    return rows + [[total * (k == j) for k in range(n)] for j in range(first, n)]


def doubly_stochastic(random: Random, n: int, total: int) -> list[Weights]:
    """Return rows that are turned copies of one, so that columns sum to the total as well."""
    row = row_of([random.randrange(1, 50) for _ in range(n)], total)
    return [row[n - j :] + row[: n - j] for j in range(n)]


def two_extremes(random: Random, n: int, total: int) -> list[Weights]:
    """Return two rows, at the ends, and mixtures of them: L is that of those two, and less without either."""
    first, last = (row_of([random.randrange(1, 99) for _ in range(n)], total) for _ in range(2))
    half = [sum(pair) // 2 for pair in zip(first, last, strict=True)]
    half[0] += total - sum(half)
    return [first, *[list(half) for _ in range(n - 2)], last][:n]


def many_pieces(random: Random, n: int, total: int) -> list[Weights]:
    """Return rows of two kinds with a different quotient in each column, so that L has n - 1 pieces."""
    weights = [random.randrange(1, 9) for _ in range(n - 1)]
    unit = total // (8 * sum(weights) + 8)
    low = [weight * unit for weight in weights]
    high = [part + part * (j + 1) // n for j, part in enumerate(low)]
    pool = ([*high, total - sum(high)], [*low, total - sum(low)])
    return [list(pool[j % 2]) for j in range(n)]


FAMILIES: dict[str, Family] = {
    "varied": varied,
    "coarse": coarse,
    "sparse": sparse,
    "banded": _where(lambda j, k, _n: abs(j - k) < 2, 50),
    "permutation": permutation,
    "few distinct rows": few_distinct,
    "nearly equal rows": nearly_equal,
    "nearly the identity": nearly_identity,
    "disjoint rows": disjoint,
    "almost tangent pieces": almost_tangent,
    "tiny entries": tiny_entries,
    "blocks": _where(_same_half, 9),
    "periodic": _where(lambda j, k, n: n == 1 or not _same_half(j, k, n), 9),
    "absorbing": _where(lambda j, k, _n: k >= j, 9),
    "several classes": several_classes,
    "doubly stochastic": doubly_stochastic,
    "two extreme rows": two_extremes,
    "many pieces": many_pieces,
}
"""The families by name. Blocks are classes that are never left; in a periodic chain two halves take turns."""

FINE_FAMILIES = ("nearly equal rows", "nearly the identity", "almost tangent pieces", "many pieces")
"""Those that need a total of at least FINE."""

DISJOINT_FAMILIES = ("permutation", "banded", "sparse", "blocks", "periodic", "several classes", "disjoint rows")
"""Those of whose rows two are disjoint as soon as there are many states."""


def _not_all_zero(random: Random, weights: Weights) -> Weights:
    if not any(weights):
        weights[random.randrange(len(weights))] = 1
    return weights


def _kept(place: int, row: Weights, total: int) -> Weights:
    row[place] = 0
    row[place] = total - sum(row)
    return row


DrawBudget = Callable[[], float]
"""Draws a budget above 0."""


def _independent(_random: Random, steps: int, draw: DrawBudget) -> list[float]:
    return [draw() for _ in range(steps)]


def _alternating(_random: Random, steps: int, draw: DrawBudget) -> list[float]:
    pair = draw(), draw()
    return [pair[time % 2] for time in range(steps)]


def _zeros_in_runs(random: Random, steps: int, draw: DrawBudget) -> list[float]:
    start, length = random.randrange(steps), random.randrange(1, max(steps // 2, 2) + 1)
    return [0.0 if start <= time < start + length else draw() for time in range(steps)]


def _infinite_inside(random: Random, steps: int, draw: DrawBudget) -> list[float]:
    place = random.randrange(steps)
    return [inf if time == place else draw() for time in range(steps)]


SCHEDULES: dict[str, Callable[[Random, int, DrawBudget], list[float]]] = {
    "constant": lambda _random, steps, draw: [draw()] * steps,
    "independent": _independent,
    "rising": lambda random, steps, draw: sorted(_independent(random, steps, draw)),
    "falling": lambda random, steps, draw: sorted(_independent(random, steps, draw), reverse=True),
    "alternating": _alternating,
    "zeros alone": lambda random, steps, draw: [0.0 if random.randrange(4) == 0 else draw() for _ in range(steps)],
    "zeros in runs": _zeros_in_runs,
    "tiny beside large": lambda random, steps, draw: [
        draw() * 2.0 ** -random.choice((0, 0, 20, 40, 60)) for _ in range(steps)
    ],
    "infinite inside": _infinite_inside,
}
"""The families of schedules by name; the last has ∞ in it."""

FINITE_SCHEDULES = tuple(SCHEDULES)[:-1]
