"""Budgets as great as they may be for a known number of releases, a finite horizon, Section 5 [sec:release_mechanism].

Over a finite horizon every adversary leaves a budget: no TPL exceeds Σ ε_t, so that α/T at each of T times is safe even
where nothing can go on for ever. The paper's algorithms aim at the level for ever (Algorithm 7) or at TPL = α at every
time (Algorithm 8), and need neither be the greatest budgets for T releases nor those with the least noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .errors import InfeasibleBudget, InvalidRequest, Undecided
from .leakage import Adversary, leakage
from .levels import Level

GUESSED_WITHIN = Fraction(1, 10**8)
"""How near, relatively, a guess is supposed to be; one that is not costs time alone."""


def keeps(schedule: Sequence[Level], adversaries: Sequence[Adversary], alpha: Level) -> bool:
    """Whether a schedule is known to keep TPL at most alpha at every time, to each of several adversaries. Exact.

    An order that cannot be decided is not known: False.
    """
    try:
        return all(level <= alpha for adversary in adversaries for level in leakage(schedule, adversary).tpl)
    except Undecided:
        return False


def greatest_schedule(
    alpha: Level, adversaries: Sequence[Adversary], shape: Sequence[Fraction], digits: int = 17, near: float = 0.0
) -> tuple[Level, ...]:
    """Return the greatest multiple of a shape that keeps TPL within alpha at each of T times, to so many digits.

    Args: alpha, positive and finite; adversaries, with the loss functions of each; shape, T positive weights w_t, all 1
    for a constant budget; digits, of the multiple; near, a guess at it, which decides nothing. Returns: the budgets
    x·w_t, rational, x a decimal of at most that many digits: a *lower* bound of the greatest multiple, and x plus a
    unit of its last digit is not known to keep alpha. Raises: InvalidRequest without a release or with a weight that is
    not positive; InfeasibleBudget where alpha is 0; InvalidRequest where it is infinite.
    """
    if not shape or min(shape) <= 0:
        raise InvalidRequest("a schedule has at least one release, and every weight is above 0")
    if alpha.is_zero:
        raise InfeasibleBudget("a level of 0 leaves no budget at all")
    if alpha.is_infinite:
        raise InvalidRequest("an infinite level has no greatest budget")
    bounds = alpha.enclosure(digits + 2)
    low, high = Fraction(bounds.lower) / sum(shape), Fraction(bounds.upper) / max(shape)
    unit = _unit(low, digits)

    def kept(units: int) -> bool:
        return keeps([Level.of(units * unit * weight) for weight in shape], adversaries, alpha)

    least, most = low // unit, high // unit + 1
    for guess in (
        int(Fraction(near) * (1 - GUESSED_WITHIN) / unit),
        int(Fraction(near) * (1 + GUESSED_WITHIN) / unit) + 1,
    ):
        if least < guess < most:
            least, most = (guess, most) if kept(guess) else (least, guess)
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if kept(middle) else (least, middle)
    found = least * unit
    rounded = found // _unit(found, digits) * _unit(found, digits)
    return tuple(Level.of(rounded * weight) for weight in shape)


def _unit(value: Fraction, digits: int) -> Fraction:
    """Return a unit in the last of so many digits of a positive number."""
    exponent = 0
    while Fraction(10) ** exponent > value:
        exponent -= 1
    while Fraction(10) ** (exponent + 1) <= value:
        exponent += 1
    return Fraction(10) ** (exponent + 1 - digits)
