"""Families of schedules: budgets over time, by structure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from random import Random

Draw = Callable[[], float]
"""Draws a budget above 0 that is no greater than what is admitted."""


def _constant(_random: Random, steps: int, draw: Draw) -> list[float]:
    return [draw()] * steps


def _independent(_random: Random, steps: int, draw: Draw) -> list[float]:
    return [draw() for _ in range(steps)]


def _alternating(_random: Random, steps: int, draw: Draw) -> list[float]:
    pair = draw(), draw()
    return [pair[time % 2] for time in range(steps)]


def _zeros_alone(random: Random, steps: int, draw: Draw) -> list[float]:
    return [0.0 if random.randrange(4) == 0 else draw() for _ in range(steps)]


def _zeros_in_runs(random: Random, steps: int, draw: Draw) -> list[float]:
    budgets = _independent(random, steps, draw)
    start = random.randrange(steps)
    length = random.randrange(1, max(steps // 2, 2) + 1)
    budgets[start : start + length] = [0.0] * len(budgets[start : start + length])
    return budgets


def _infinite_inside(random: Random, steps: int, draw: Draw) -> list[float]:
    budgets = _independent(random, steps, draw)
    budgets[random.randrange(steps)] = inf
    return budgets


def _tiny_beside_large(random: Random, steps: int, draw: Draw) -> list[float]:
    return [draw() * 2.0 ** -random.choice((0, 0, 20, 40, 60)) for _ in range(steps)]


SCHEDULES: dict[str, Callable[[Random, int, Draw], list[float]]] = {
    "constant": _constant,
    "independent": _independent,
    "rising": lambda random, steps, draw: sorted(_independent(random, steps, draw)),
    "falling": lambda random, steps, draw: sorted(_independent(random, steps, draw), reverse=True),
    "alternating": _alternating,
    "zeros alone": _zeros_alone,
    "zeros in runs": _zeros_in_runs,
    "tiny beside large": _tiny_beside_large,
    "infinite inside": _infinite_inside,
}
"""The families by name; the last has ∞ in it."""

FINITE_SCHEDULES = tuple(SCHEDULES)[:-1]


def name_of(budgets: Sequence[str]) -> str:
    """Return the family of a schedule as it is written, as far as its zeros and equal budgets tell; "" of none."""
    if len({*budgets}) < 2:
        return "constant" if budgets else ""
    return "zeros in runs" if {"0", "0x0p+0"} & {*budgets} else "independent"
