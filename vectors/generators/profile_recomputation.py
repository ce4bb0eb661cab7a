"""δ of a profile recomputed in decimals by its definition: maxima over intervals, function by function, point by point.

Nothing is shared with the oracle but the theorem: no grids, no windows, no lines of tests, no choice of pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cache
from itertools import permutations

from .recomputation import Rows, decimal

ZERO, ONE = Decimal(0), Decimal(1)


def delta_at(rows: Rows | None, ratio: Decimal, chance: Decimal, releases: int, odds: Decimal) -> Decimal:
    """Return the greatest Pr(out | j) − odds·Pr(out | k) of the time itself and of the releases on one side of it.

    Args: rows, of the matrix that leads away from the time, None where it is not known; ratio and chance, e^ε and δ of
    each release; releases, that of the time among them; odds, e^α.
    """

    def phi(u: Decimal) -> Decimal:
        return min(ONE, ratio * u + chance, ONE - (ONE - chance - u) / ratio)

    def led_from(y: Decimal) -> Decimal:
        return max(ZERO, (y - chance) / ratio, ONE - chance - ratio * (ONE - y))

    kinks = {ZERO, (ONE - chance) / (ONE + ratio), ONE - chance, ONE}
    if rows is None or releases == 1:
        return max(phi(u) - odds * u for u in kinks)
    places = [kinks]
    for _ in range(releases - 1):
        places.append(places[-1] | {led_from(y) for y in places[-1] if y >= chance})
    table = [[decimal(entry) for entry in row] for row in rows]
    values = range(len(table))
    return max(
        (
            max(sum(_told(table, pair, places, phi, odds)(releases - 1, a, u) for a in values) for u in places[-1])
            for pair in permutations(values, 2)
        ),
        default=ZERO,
    )


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
        return sum((table[b][a] * told(s - 1, b, u) for b in range(len(table)) if table[b][a]), ZERO)

    @cache
    def told(s: int, a: int, u: Decimal) -> Decimal:
        high = phi(u)
        return max(before(s, a, v) for v in (u, high, *(v for v in places[s - 1] if u < v < high)))

    return told
