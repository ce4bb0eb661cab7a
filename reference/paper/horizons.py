"""Schedules of a shape as great as they may be over a finite horizon, Section 5 [sec:release_mechanism].

Over a finite horizon every adversary leaves a budget: no TPL exceeds Σ ε_t, so that α/T at each of T times is safe even
where no budget lasts over an infinite horizon. The paper's algorithms aim at the level there (Algorithm 7) or at
TPL = α at every time (Algorithm 8), and need neither be the greatest budgets for T releases nor those with the least
noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from ..decimals import decimal_exponent
from ..errors import InfeasibleBudget, InvalidRequest, Undecided
from ..levels import Budget, Level
from .leakage import Adversary, leakage

WITHIN_BITS = 256
"""Precision in which a level that is searched for is compared with the one to keep: a budget of 60 digits is kept."""

GUESSED_WITHIN = Fraction(1, 10**8)
"""Relative error that a guess is expected to have; a worse one costs time alone."""


def keeps(schedule: Sequence[Level], adversaries: Sequence[Adversary], alpha: Level) -> bool:
    """Whether a schedule is known to keep TPL at most alpha at every time, to each of several adversaries. Exact.

    An order that cannot be decided is not known: False.
    """
    return within(alpha, lambda: (level for each in adversaries for level in leakage(schedule, each).tpl))


def within(alpha: Level, levels: Callable[[], Iterable[Level]]) -> bool:
    """Whether levels are known to be at most alpha; an order that cannot be decided is not known."""
    try:
        return all(is_within(level, alpha) for level in levels())
    except Undecided:
        return False


def is_within(level: Level, alpha: Level) -> bool:
    """Whether a level is at most alpha, in `WITHIN_BITS` at least, where `<=` gives up. Raises: Undecided."""
    try:
        return level <= alpha
    except Undecided:
        return level.compare(alpha, WITHIN_BITS) <= 0


def greatest_schedule(
    alpha: Level, adversaries: Sequence[Adversary], shape: Sequence[Fraction], digits: int = 17, near: float = 0.0
) -> tuple[Budget, ...]:
    """Return the greatest multiple of a shape that keeps TPL within alpha at each of T times, to that many digits.

    Args:
        alpha: the level to keep, positive and finite, in nats.
        adversaries: with the loss functions of each.
        shape: T positive weights w_t, all 1 for a constant budget.
        digits: how many the multiple has.
        near: a guess at it, which decides nothing.

    Returns: the budgets x·w_t, rational, x a decimal of at most that many digits: a *lower* bound of the greatest
    multiple, and x plus a unit of its last digit is not known to keep alpha.
    Raises: InvalidRequest without a release or with a weight that is not positive; InfeasibleBudget where alpha is 0;
    InvalidRequest where it is infinite.
    """
    if not shape or min(shape) <= 0:
        raise InvalidRequest("a schedule has at least one release, and every weight is above 0")
    low, high = ends(alpha, digits)

    def kept(multiple: Fraction) -> bool:
        return keeps([Level.of(multiple * weight) for weight in shape], adversaries, alpha)

    found = greatest_decimal(kept, low / sum(shape), high / max(shape), digits, near)
    return tuple(Level.of(found * weight).to_spend() for weight in shape)


def ends(alpha: Level, digits: int) -> tuple[Fraction, Fraction]:
    """Return rationals that enclose a level, the cap. Raises: InfeasibleBudget where it is 0; InvalidRequest: ∞."""
    if alpha.is_zero:
        raise InfeasibleBudget("a level of 0 leaves no budget at all")
    if alpha.is_infinite:
        raise InvalidRequest("an infinite level has no greatest budget")
    bounds = alpha.enclosure(digits + 2)
    return Fraction(bounds.lower), Fraction(bounds.upper)


def greatest_decimal(
    kept: Callable[[Fraction], bool], low: Fraction, high: Fraction, digits: int, near: float = 0.0
) -> Fraction:
    """Return the greatest decimal of that many digits that meets a condition; low does, what is above high does not."""
    unit = _unit(low, digits)
    least, most = low // unit, high // unit + 1
    for guess in (
        int(Fraction(near) * (1 - GUESSED_WITHIN) / unit),
        int(Fraction(near) * (1 + GUESSED_WITHIN) / unit) + 1,
    ):
        if least < guess < most:
            least, most = (guess, most) if kept(guess * unit) else (least, guess)
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if kept(middle * unit) else (least, middle)
    found = least * unit
    return found // _unit(found, digits) * _unit(found, digits)


def _unit(value: Fraction, digits: int) -> Fraction:
    """Return a unit in the last of that many digits of a positive number."""
    return Fraction(10) ** (decimal_exponent(value) + 1 - digits)
