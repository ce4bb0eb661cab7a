"""What may still be spent below a cap: a budget of the next release that keeps TPL at every time within it."""

from __future__ import annotations

from fractions import Fraction

from ..reference import ZERO, Accountant, Adversary, Budget, Level
from ..reference.paper.leakage import apply
from .schedules import distinct

_PRECISION = 128
"""Bits of each number, always rounded to the safe side."""


def remaining(accountant: Accountant) -> Budget | None:
    """Return a lower bound of what the next release may spend, tight to about 30 digits; None without a cap.

    A release of x takes FPL at T to ε_T + L^F(x), and so on back in time. TPL_t = BPL_t + L^F(FPL_{t+1}) stays within
    the cap c if and only if L^F(FPL_{t+1}) ≤ c − BPL_t; and as L^F rises, FPL_t ≤ m if and only if L^F(FPL_{t+1}) is at
    most m − ε_t. So the greatest FPL that each time admits follows from that of the time before, by the inverse of L^F.
    Raises: Undecided.
    """
    if accountant.cap.is_infinite:
        return None
    budgets = [_ratio(epsilon)[1] for epsilon in accountant.epsilons]
    cap = _ratio(accountant.cap)[0]
    names = {id(adversary): name for name, adversary in accountant.adversaries.items()}
    least: Fraction | None = None
    for adversary in distinct(accountant.adversaries):
        bpl = accountant.leakage(names[id(adversary)]).bpl
        found = _most_forward(adversary, bpl, budgets, cap)
        now = cap / _ratio(apply(adversary.backward, bpl[-1]) if bpl else ZERO)[1]
        least = min(ratio for ratio in (least, found, now) if ratio is not None)
    assert least is not None, "there is an adversary"
    return Level.of_ratio(max(_down(least), Fraction(1))).to_spend()


def _most_forward(
    adversary: Adversary, bpl: tuple[Level, ...], budgets: list[Fraction], cap: Fraction
) -> Fraction | None:
    """Return at most e^m, m the greatest level that FPL may have at the next time; None where it may have any."""
    if adversary.forward is None:
        return None
    most: Fraction | None = None
    for leaked, budget in zip(bpl, budgets, strict=True):
        room = cap / _ratio(leaked)[1]
        if most is not None:
            room = min(room, most / budget)
        room = max(_down(room), Fraction(1))
        # (q E + 1)/(d E + 1) ≤ room for every piece, so for L^F, which is the greatest of them.
        bounds = [(room - 1) / (p.q - p.d * room) for p in adversary.forward.pieces if p.q > p.d * room]
        most = _down(1 + min(bounds)) if bounds else None
    return most


def _ratio(level: Level) -> tuple[Fraction, Fraction]:
    """Return two rationals that enclose e^level."""
    lower, upper = level.excess_bounds(_PRECISION)
    return _down(1 + lower), -_down(-1 - upper)


def _down(value: Fraction) -> Fraction:
    """Round a number to at most itself."""
    places = max(0, _PRECISION - value.numerator.bit_length() + value.denominator.bit_length())
    return Fraction((value.numerator << places) // value.denominator, 1 << places)
