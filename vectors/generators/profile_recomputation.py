"""δ of a profile recomputed in decimals by its definition: maxima over intervals, function by function, point by point.

Nothing is shared with the oracle but the theorem: no grids, no windows, no lines of tests, no choice of pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cache
from itertools import permutations

from .recomputation import NO_LEAKAGE, Rows, decimal

CERTAIN = Decimal(1)


def delta_at(rows: Rows | None, ratio: Decimal, chance: Decimal, releases: int, odds: Decimal) -> Decimal:
    """Return the greatest Pr(out | j) − odds·Pr(out | k) of the time itself and of the releases on one side of it.

    Args: rows, of the matrix that leads away from the time, None where it is not known; ratio and chance, e^ε and δ of
    each release; releases, that of the time among them; odds, e^α.
    """

    def phi(u: Decimal) -> Decimal:
        return min(CERTAIN, ratio * u + chance, 1 - (1 - chance - u) / ratio)

    def led_from(y: Decimal) -> Decimal:
        return max(NO_LEAKAGE, (y - chance) / ratio, 1 - chance - ratio * (1 - y))

    kinks = {NO_LEAKAGE, (1 - chance) / (1 + ratio), 1 - chance, CERTAIN}
    if rows is None or releases == 1:
        return max(phi(u) - odds * u for u in kinks)
    places = [kinks]
    for _ in range(releases - 1):
        places.append(places[-1] | {led_from(y) for y in places[-1] if y >= chance})
    table = [[decimal(entry) for entry in row] for row in rows]
    values = range(len(table))
    best = NO_LEAKAGE
    for pair in permutations(values, 2):
        told = _told(table, pair, places, phi, odds)
        best = max(best, *(sum((told(releases - 1, a, u) for a in values), NO_LEAKAGE) for u in places[-1]))
    return best


def _told(
    table: list[list[Decimal]],
    pair: tuple[int, int],
    places: list[set[Decimal]],
    phi: Callable[[Decimal], Decimal],
    odds: Decimal,
) -> Callable[[int, int, Decimal], Decimal]:
    """Return f of a release, counted from the time, of a value there and of a probability."""
    j, k = pair

    @cache
    def before(s: int, a: int, u: Decimal) -> Decimal:
        if s == 1:
            return table[j][a] * phi(u) - odds * table[k][a] * u
        return sum((table[b][a] * told(s - 1, b, u) for b in range(len(table)) if table[b][a]), NO_LEAKAGE)

    @cache
    def told(s: int, a: int, u: Decimal) -> Decimal:
        high = phi(u)
        return max(before(s, a, v) for v in (u, high, *(v for v in places[s - 1] if u < v < high)))

    return told
