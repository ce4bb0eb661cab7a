"""The worst leakage over releases by the paper's bound, in balls: twice as quick as by exact levels.

The loss function is exact, and its value the maximum over all its pieces: no breakpoint is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, nextafter

from flint import arb, ctx, fmpq

from ..reference import Adversary, Level, LossFunction

BALL_BITS = 128
"""Precision of the balls; with less, more users would be left to exact levels."""

WorstRelease = tuple[float, float, float]
"""The doubles next to the worst level, and the first time above the lower one."""


def worst_in_balls(epsilons: Sequence[Level], adversary: Adversary) -> list[WorstRelease] | None:
    """Return the worst BPL, FPL and TPL over releases, [eq:bpl_f, eq:fpl_f, eq:tpl_comp1]; None if one is undecided."""
    before, ctx.prec = ctx.prec, BALL_BITS
    try:
        known = {id(epsilon): _ball(*epsilon.excess_bounds(BALL_BITS)) for epsilon in epsilons}
        excesses = [known[id(epsilon)] for epsilon in epsilons]
        bpl, _ = _rising(excesses, adversary.backward)
        fpl, later = (part[::-1] for part in _rising(excesses[::-1], adversary.forward))
        tpl = [own + more + own * more for own, more in zip(bpl, later, strict=True)]
        found = [_worst([excess.log1p() for excess in course]) for course in (bpl, fpl, tpl)]
        return [worst for worst in found if worst is not None] if all(found) else None
    finally:
        ctx.prec = before


def _ball(low: Fraction, high: Fraction) -> arb:
    ball: arb = arb(fmpq(low.numerator, low.denominator)).union(arb(fmpq(high.numerator, high.denominator)))
    return ball


def _rising(excesses: Sequence[arb], loss: LossFunction | None) -> tuple[list[arb], list[arb]]:
    """Return the excess of the leakage at each time, and what of it is of the times before."""
    points = [] if loss is None else [(_ball(p.q - p.d, p.q - p.d), _ball(p.d, p.d)) for p in loss.pieces]
    own, before = [], [arb(0)]
    for excess in excesses:
        own.append(before[-1] + excess + before[-1] * excess)
        gained = arb(0)
        for gap, d in points:
            gained = gained.max(gap * own[-1] / (d * own[-1] + 1))
        before.append(gained)
    return own, before[:-1]


def _worst(levels: Sequence[arb]) -> WorstRelease | None:
    """Return the doubles next to the greatest level, and the first time above the lower one; None if undecided."""
    near = max(float(level.mid()) for level in levels)
    best = max(levels, key=lambda level: level.mid())
    lower, upper = (nextafter(near, -inf), near) if best < near else (near, nextafter(near, inf))
    if not lower < best < upper or not all(level < upper for level in levels):
        return None
    time = next(time for time, level in enumerate(levels, 1) if not level < lower)
    return (lower, upper, float(time)) if levels[time - 1] > lower else None
