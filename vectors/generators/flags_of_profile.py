"""Flags of cases on the profile: with a mistake in the recursion δ is another one, worked out in doubles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np

from tploracle.solvers.floats import Doubles
from tploracle.solvers.worst_case.guess import rows_in_doubles
from tploracle.solvers.worst_case.leakage_profile import leakage_profile

from .read_query import Fact, ReadQuery, of_op

ANOTHER = 1e-6
"""By so much of itself a δ is another one."""

ONE_SIDED, FROM_ABOVE, KINKS_LOST, ONCE = "one-sided", "from above", "kinks lost", "once"
"""The mistakes: φ without its mirror, maxima from 0 on, the kinks of φ alone, no δ but that of the time itself."""


def delta_by(rows: Doubles, ratio: float, chance: float, releases: int, *, odds: float, way: str) -> float:
    """Return δ at e^α = odds of the last of so many releases of (log ratio, chance), or what a mistake makes of it."""

    def phi(u: Doubles, own: float) -> Doubles:
        low = np.minimum(1, ratio * u + own)
        return low if way == ONE_SIDED else np.minimum(low, 1 - (1 - own - u) / ratio)

    def kinks(own: float) -> set[float]:
        return {0.0, (1 - own) / (ratio if way == ONE_SIDED else 1 + ratio), 1 - own, 1.0}

    points = np.array(sorted(kinks(chance)))
    if releases == 1:
        return float((phi(points, chance) - odds * points).max())
    own = 0.0 if way == ONCE else chance
    pairs = np.array(list(permutations(range(len(rows)), 2)))
    found = rows[pairs[:, 0]][:, :, None] * phi(points, chance) - odds * rows[pairs[:, 1]][:, :, None] * points
    for s in range(releases - 1):
        if s:
            found = np.matmul(rows.T, found)
        led = np.maximum((points - own) / ratio, 0.0 if way == ONE_SIDED else 1 - own - ratio * (1 - points))
        after = np.array(sorted({*points, *kinks(own), *(() if way == KINKS_LOST else led[led > 0])}))
        ends = np.zeros_like(after) if way == FROM_ABOVE else after, phi(after, own)
        best = np.full((*found.shape[:2], len(after)), -np.inf)
        for place, (low, high) in enumerate(zip(*ends, strict=True)):
            within = found[:, :, (points >= low) & (points <= high)]
            at_ends = [[[np.interp(end, points, row) for end in (low, high)] for row in pair] for pair in found]
            best[:, :, place] = np.concatenate([within, np.array(at_ends)], axis=2).max(axis=2)
        points, found = after, best
    return float(found.sum(axis=1).max())


def _differs(way: str) -> Callable[[ReadQuery], bool]:
    """Make a fact: at the right answer of the longest side a mistake has another δ than the one that is asked about."""

    def fact(query: ReadQuery) -> bool:
        epsilon, horizon = query.level("epsilon"), query.integer("horizon")
        chances = [query.number(key) if key in query.input else Fraction(0) for key in ("delta", "delta_per_release")]
        found = leakage_profile(epsilon, horizon, delta=chances[0], delta_per_release=chances[1], backward=query.matrix)
        answer = found.bpl[-1]
        if answer.is_zero or answer.is_infinite or epsilon.is_infinite:
            return False
        odds, ratio = (1 + float(level.excess_bounds()[0]) for level in (answer, epsilon))
        rows = rows_in_doubles(query.matrix.rows)
        wrong, right = (delta_by(rows, ratio, float(chances[1]), horizon, odds=odds, way=each) for each in (way, ""))
        return abs(wrong - right) > ANOTHER * (right + ANOTHER)

    return fact


_MISTAKES: Sequence[tuple[str, str]] = (
    ("MirrorForgotten", ONE_SIDED),
    ("ClampFromAbove", FROM_ABOVE),
    ("KinkLost", KINKS_LOST),
    ("DeltaOnce", ONCE),
)

FLAGS_OF_PROFILE: dict[str, Fact] = {name: of_op("leakage_profile", _differs(way)) for name, way in _MISTAKES}
"""Each flag's fact holds for the cases that have it and not for a question without anything special."""
