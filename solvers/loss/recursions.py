"""The paper's recursions over a long stream, in balls: the leakage at all times, and how much a next release may be.

`reference.Accountant` has a formula of its own for the leakage at each time, which takes long to enclose at many times.
Here all of them are enclosed in one pass, to `PRECISION` bits: L is increasing, and a step of the recursion makes no
relative error greater, so that a ball stays as narrow as at the start. A single level is one formula of all its steps.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import accumulate
from math import inf, nextafter

from flint import arb, ctx

from ...reference.formulas import ANY_SIZE, ball_of, dyadic
from ...reference.levels import ZERO, Level
from ...reference.paper.leakage import Adversary, apply
from ...reference.paper.loss import LossFunction
from ...reference.surds import Exact, bits, sign

PRECISION = 192
"""Bits of each ball."""

AGREEING_BITS = 93
"""Bits (28 digits) in which excesses must agree for levels to count as equal."""


class _BallLoss:
    """L over balls of excesses, at the working precision at which this is made."""

    def __init__(self, loss: LossFunction) -> None:
        self._pieces = [(ball_of(piece.q - piece.d), ball_of(piece.d)) for piece in loss.pieces]
        self._starts = [ball_of(piece.start) for piece in loss.pieces]
        self._values = [self._of(index, start) for index, start in enumerate(self._starts)]  # they rise
        self._doubles = [[float(own.mid()) for own in balls] for balls in (self._starts, self._values)]
        self._most = self._of(len(self._pieces) - 1, arb.pos_inf())
        self._last = 0

    def _of(self, index: int, excess: arb) -> arb:
        """Return the excess of a piece: the operand stands in it once, so that its relative error does not grow."""
        apart, d = self._pieces[index]
        if apart.is_zero() or excess.is_zero():
            return arb(0)
        if not excess.is_finite():
            return arb.pos_inf() if d.is_zero() else apart / d
        return apart * excess if d.is_zero() else apart / (d + 1 / excess)

    def _near(self, excess: arb, starts: Sequence[arb], doubles: Sequence[float]) -> range:
        """Return the pieces among which that is in whose range an excess lies: an operand, or a value."""
        first = last = max(bisect_right(doubles, float(excess.mid())) - 1, 0)
        while first > 0 and not excess > starts[first]:
            first -= 1
        while last + 1 < len(starts) and not excess < starts[last + 1]:
            last += 1
        return range(first, last + 1)

    def __call__(self, excess: arb) -> tuple[arb, int | None]:
        """Return the excess of L, the greatest of the pieces in whose range the operand may lie, and which it is.

        It is None where that may be more than one.
        """
        last = self._last  # it rules again, mostly
        if excess > self._starts[last] and (last + 1 == len(self._starts) or excess < self._starts[last + 1]):
            return self._of(last, excess), last
        near = self._near(excess, self._starts, self._doubles[0])
        if len(near) == 1:
            self._last = near[0]
            return self._of(near[0], excess), near[0]
        return reduce(arb.max, (self._of(index, excess) for index in near)), None

    def inverse(self, excess: arb) -> arb:
        """Return a ball of the greatest excess at which that of L is at most this one, or of less; ∞ of any excess."""
        found = arb.pos_inf()
        if excess >= self._most:
            return found
        for index in self._near(excess, self._values, self._doubles[1]):
            apart, d = self._pieces[index]
            below = (apart - d * excess).upper()
            found = found.min(excess / below) if below > 0 else found
        return found


def _of_sum(first: arb, second: arb) -> arb:
    """Return the excess of the sum of two levels."""
    return first + second * (1 + first) if first.is_finite() and second.is_finite() else arb.pos_inf()


class _Course:
    """The leakage after each release, in the order in which it rises: α_1 = ε_1, α_t = ε_t + L(α_{t−1})."""

    def __init__(self, loss: LossFunction | None, epsilons: Sequence[Level]) -> None:
        """Take L, None where nothing is carried on, and the budgets; the working precision is `PRECISION`."""
        self.loss, self._epsilons = loss, epsilons
        begun = next((place for place, own in enumerate(epsilons) if not own.is_zero), len(epsilons))
        self._parts = list({id(own): own for own in epsilons[begun:]}.values())
        number = {id(own): place for place, own in enumerate(self._parts)}
        self._order = [number[id(own)] for own in epsilons[begun:]]
        self._greatest_place = list(accumulate(self._order, max))
        self._begun, self._has_infinite = begun, list(accumulate((own.is_infinite for own in epsilons), max))
        excesses = {id(own): ball_of_level(own) for own in {id(own): own for own in epsilons}.values()}
        self.budgets = [excesses[id(own)] for own in epsilons]
        rising = None if loss is None else _BallLoss(loss)
        self.after, self._ruling = list[arb](), list[int | None]()
        """Balls of the excess after each release."""
        self.carried = [arb(0)]
        """Balls of the excess of L of it, and before the first release."""
        for budget in self.budgets:
            self.after.append(_of_sum(budget, self.carried[-1]))
            carried, piece = (arb(0), None) if rising is None else rising(self.after[-1])
            self.carried.append(carried)
            self._ruling.append(piece)

    def level(self, count: int) -> Level:
        """Return the leakage after a number of releases, at least 1: exact as a formula. Raises: Undecided."""
        loss, last = self.loss, self._epsilons[count - 1]
        if loss is None or loss.is_zero or last.is_infinite or count <= self._begun + 1:
            return last
        if loss.is_identity or self._has_infinite[count - 1]:
            return reduce(lambda before, own: own + loss(before), self._epsilons[:count])
        steps = count - self._begun
        return Level.of_formula(Recursion(self, steps), self._parts[: self._greatest_place[steps - 1] + 1])

    def order(self, steps: int) -> list[int]:
        """Return which of the distinct budgets each of the first steps has; those of no budget are left out."""
        return self._order[:steps]

    def ball(self, steps: int) -> arb:
        """Return the ball after a number of these steps."""
        return self.after[self._begun + steps - 1]

    def formula(self, steps: int) -> tuple[object, ...]:
        """Return what two formulas of one length agree in that are one: budgets, and q and d of the ruling pieces.

        All of L stands for a piece where it is in doubt which one rules.
        """
        assert self.loss is not None
        pieces = [(piece.q, piece.d) for piece in self.loss.pieces]
        ruling = self._ruling[self._begun : self._begun + steps - 1]
        return *self.order(steps), *(self.loss.coefficients if at is None else pieces[at] for at in ruling)


@dataclass(frozen=True, slots=True, eq=False)
class Recursion:
    """The excess of the leakage after some steps of a course. A `formulas.Formula` of the distinct budgets."""

    course: _Course
    steps: int

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return a ball that contains the result."""
        if ctx.prec <= PRECISION:
            return self.course.ball(self.steps)
        assert self.course.loss is not None
        loss, carried = _BallLoss(self.course.loss), arb(0)
        for place in self.course.order(self.steps):
            found = _of_sum(parts[place], carried)
            carried, _ = loss(found)
        return found

    def exact(self, parts: Sequence[Exact], most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result; None where numbers become too long on the way."""
        assert self.course.loss is not None
        found: Exact = Fraction(0)
        for place in self.course.order(self.steps):
            piece = next(p for p in reversed(self.course.loss.pieces) if p.start == 0 or sign(found - p.start) >= 0)
            carried = (piece.q - piece.d) * found / (piece.d * found + 1)
            found = parts[place] + carried * (1 + parts[place])
            if bits(found) > most_bits:
                return None
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recursion) and self.course.formula(self.steps) == other.course.formula(other.steps)

    def __hash__(self) -> int:
        return hash(self.course.formula(self.steps))


class LongStream:
    """The leakage of a stream of releases to one adversary by the recursions, at all times."""

    def __init__(self, adversary: Adversary, epsilons: Sequence[Level]) -> None:
        """Take an adversary with one loss function for all steps, and the budgets of the releases."""
        with ctx.workprec(PRECISION):
            self._past = _Course(adversary.backward, epsilons)
            self._future = _Course(adversary.forward, epsilons[::-1])
            self.tpl = [*map(_of_sum, self._past.after, self._future.carried[-2::-1])]
            """Balls of e^TPL − 1, of `PRECISION` bits."""

    def leakage(self, time: int) -> tuple[Level, Level, Level]:
        """Return BPL, FPL and TPL at a time, from 0, exact as formulas. Raises: Undecided."""
        bpl, ahead = self._past.level(time + 1), len(self.tpl) - time
        later = apply(self._future.loss, self._future.level(ahead - 1)) if ahead > 1 else ZERO
        return bpl, self._future.level(ahead), bpl + later

    def above(self) -> list[float]:
        """Return upper bounds of e^TPL at all times, in doubles."""
        with ctx.workprec(PRECISION):
            return [nextafter(float((1 + tpl).upper()), inf) for tpl in self.tpl]

    def not_within(self, cap: Level) -> list[int]:
        """Return the times, from 0, at which balls do not prove that TPL is within a finite cap."""
        with ctx.workprec(PRECISION):
            limit = ball_of_level(cap)
            return [time for time, tpl in enumerate(self.tpl) if not tpl <= limit]

    def most_next(self, cap: Level) -> Fraction:
        """Return a lower bound of the greatest e^x, x the budget of a next release that keeps TPL within a finite cap.

        It is tight to about 30 digits; below 1 where none does.
        A release of x takes FPL at T to ε_T + L^F(x), and so on back in time. TPL_t = BPL_t + L^F(FPL_{t+1}) stays
        within the cap c if and only if L^F(FPL_{t+1}) ≤ c − BPL_t; and as L^F rises, FPL_t ≤ m if and only if
        L^F(FPL_{t+1}) is at most m − ε_t. So the greatest FPL that each time admits follows from that of the time
        before, by the inverse of L^F.
        """
        with ctx.workprec(PRECISION):
            most, limit = arb.pos_inf(), 1 + ball_of_level(cap)
            forward = None if self._future.loss is None else _BallLoss(self._future.loss)
            for leaked, budget in zip(self._past.after, self._past.budgets, strict=True):
                room = (limit / (1 + leaked)).min((1 + most) / (1 + budget)) - 1
                if forward is not None:
                    most = forward.inverse(room if room >= 0 else arb(0))
            return dyadic((1 + most).min(limit / (1 + self._past.carried[-1])).lower())


def worst_time(streams: Sequence[LongStream]) -> int:
    """Return the first time, from 0, at which the greatest TPL of several adversaries may be attained.

    It is that one but for a part 2^−`AGREEING_BITS` of its excess.
    """
    with ctx.workprec(PRECISION):
        least = max(tpl.lower() for own in streams for tpl in own.tpl) * (1 - arb(2) ** -AGREEING_BITS)
        return min(time for own in streams for time, tpl in enumerate(own.tpl) if not tpl < least)


def ball_of_level(level: Level) -> arb:
    """Return a ball of the excess of a level, at the working precision."""
    if level.is_infinite:
        return arb.pos_inf()
    lower, upper = map(ball_of, level.excess_bounds(ctx.prec))
    return lower.union(upper)
