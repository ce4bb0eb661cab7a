"""Which shape of a schedule has the least noise over a finite horizon: sought in doubles, and trusted for nothing.

A shape is a first, a middle and a last budget, as Algorithm 8's is; what it is worth is decided by
`reference.paper.horizons.greatest_schedule` afterwards.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from math import exp, expm1, log1p

from ...reference import Adversary, LossFunction
from ..false_position import Between

ROUNDS, GOLDEN_SECTIONS = 8, 16
"""How often the two ratios are improved in turn, and the sections of each search."""

CLOSE = 1e-14
"""Relative distance to the greatest multiple that is good enough."""

GOLDEN = 0.6180339887498949
WIDEST = 2.0
"""How far, as a logarithm, the first and the last budget are sought from the middle one at first."""

LARGEST_LEVEL = 700.0
"""Beyond this level e^α is no double, and a piece is taken for its limit."""

Loss = Callable[[float], float]


def in_doubles(loss: LossFunction | None) -> Loss:
    """Return a loss function in doubles."""
    if loss is None:
        return lambda _alpha: 0.0
    starts = [piece.domain[0].double_below() for piece in loss.pieces]
    points = [(float(piece.q), float(piece.d)) for piece in loss.pieces]

    def value(alpha: float) -> float:
        q, d = points[max(bisect_right(starts, alpha) - 1, 0)]
        if alpha > LARGEST_LEVEL:
            return log1p((q - d) / d) if d else alpha
        excess = expm1(alpha)
        return log1p((q - d) * excess / (d * excess + 1))

    return value


def recursions(schedule: Sequence[float], losses: tuple[Loss, Loss]) -> dict[str, list[float]]:
    """Return BPL, FPL and TPL of a schedule at each time by the paper's recursions, in doubles."""
    backward, forward = losses
    leakages: list[list[float]] = []
    for loss, budgets in ((backward, schedule), (forward, schedule[::-1])):
        levels, level = [], 0.0
        for budget in budgets:
            level = budget + loss(level)
            levels.append(level)
        leakages.append(levels)
    bpl, fpl = leakages[0], leakages[1][::-1]
    return {"bpl": bpl, "fpl": fpl, "tpl": [b + f - own for b, f, own in zip(bpl, fpl, schedule, strict=True)]}


def shaped(first: float, last: float, horizon: int) -> list[float]:
    """Return the weights of T ≥ 2 releases: 1 at all times but the ends."""
    return [first, *[1.0] * (horizon - 2), last]


def greatest_scale(shape: Sequence[float], adversaries: Sequence[Adversary], alpha: float) -> float:
    """Return the greatest multiple of a shape that keeps TPL within alpha, in doubles."""
    losses = [(in_doubles(each.backward), in_doubles(each.forward)) for each in adversaries]
    return _scale(shape, losses, alpha)


def _scale(shape: Sequence[float], losses: Sequence[tuple[Loss, Loss]], alpha: float) -> float:
    """Close in on the multiple whose worst TPL is alpha, by false position: TPL rises with the multiple."""

    def above(scale: float) -> float:
        return max(max(recursions([scale * weight for weight in shape], each)["tpl"]) for each in losses) - alpha

    low, high = alpha / sum(shape), alpha / max(shape)
    ends = Between(low, high, above(low), at_high := above(high))
    if at_high <= 0:
        return high
    while ends.high - ends.low > CLOSE * ends.high and ends.at_low < 0:
        middle = ends.line()
        if middle is None or not ends.low < middle < ends.high:
            break
        over = above(middle)
        ends.take(middle, over, over > 0)
    return ends.low


def least_noise(adversaries: Sequence[Adversary], alpha: float, horizon: int) -> tuple[float, float, float]:
    """Return how great the first and the last budget are beside the middle one, and the middle one, in doubles.

    Args: horizon, at least 2; the last of two budgets stands for the middle one. The mean of 1/ε_t is lessened by
    golden sections in the two ratios in turn, from a constant budget on.
    """
    losses = [(in_doubles(each.backward), in_doubles(each.forward)) for each in adversaries]

    def noise(first: float, last: float) -> float:
        scale = _scale(shaped(exp(first), exp(last), horizon), losses, alpha)
        return (exp(-first) + exp(-last) + (horizon - 2)) / scale

    first, last, width = 0.0, 0.0, WIDEST
    for _ in range(ROUNDS):
        first = _golden(partial(noise, last=last), first - width, first + width)
        if horizon > 2:
            last = _golden(partial(noise, first), last - width, last + width)
        width /= 3
    return exp(first), exp(last), _scale(shaped(exp(first), exp(last), horizon), losses, alpha)


def _golden(value: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function of one hump is about least."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = value(left), value(right)
    for _ in range(GOLDEN_SECTIONS):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = value(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = value(right)
    return (low + high) / 2
