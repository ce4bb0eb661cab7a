"""Mistakes in the leakage at a δ: with another recursion δ is another one, computed in doubles."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import permutations
from math import exp, inf, log

import numpy as np

from ..solvers.floats import Doubles
from ..wire.numerals import Reader
from .mistake import Mistake
from .question import Question

ONE_SIDED, FROM_ABOVE, KINKS_LOST, ONCE = "one-sided", "from above", "kinks lost", "once"
"""φ without its mirror, maxima from 0 on, the kinks of φ alone, no δ but that of the time itself."""

PROFILED_STATES, PROFILED_RELEASES, PROFILED_BUDGET = 5, 6, 20.0
"""Larger inputs are not worked out."""

LEVEL_HALVINGS, GREATEST_TRIED = 45, 30.0
"""A level is found by this many halvings of e^α, up to this level."""


def delta_by(rows: Doubles, ratio: float, chance: float, releases: int, *, odds: float, way: str) -> float:
    """Return δ at e^α = odds of the last of `releases` releases of (log ratio, chance), right or by a mistake."""

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


def _level(way: str, question: Question) -> Iterator[float]:
    """Yield the level at which δ, computed in this way, is the one that is asked about."""
    side = question.sides.get({"bpl": "backward", "fpl": "forward"}[question.kind])
    (epsilon,), horizon = question.levels, question.releases
    if (
        side is None
        or not 1 < side.matrix.n <= PROFILED_STATES
        or horizon > PROFILED_RELEASES
        or not 0 < epsilon < PROFILED_BUDGET
    ):
        return
    read = Reader(question.numbers).number
    delta, own = (
        float(read(question.input[key], key)) if key in question.input else 0.0
        for key in ("delta", "delta_per_release")
    )
    releases = question.time + 1 if question.kind == "bpl" else horizon - question.time

    def exceeds(odds: float) -> bool:
        return delta_by(side.rows, exp(epsilon), own, releases, odds=odds, way=way) > delta

    low, high = 1.0, exp(GREATEST_TRIED)
    if not exceeds(low) or exceeds(high):
        yield inf if exceeds(high) else 0.0
        return
    for _ in range(LEVEL_HALVINGS):
        middle = (low * high) ** 0.5 if high > 2 * low else (low + high) / 2
        low, high = (middle, high) if exceeds(middle) else (low, middle)
    yield log(high)


PROFILE_MISTAKES = tuple(
    Mistake(identifier, gives=partial(_level, way), ops=("leakage_profile",), flags=(flag,))
    for identifier, way, flag in (
        ("mirror-forgotten", ONE_SIDED, "MirrorForgotten"),
        ("clamp-from-above", FROM_ABOVE, "ClampFromAbove"),
        ("kink-lost", KINKS_LOST, "KinkLost"),
        ("delta-once", ONCE, "DeltaOnce"),
    )
)
"""Their words are those of their flags."""
