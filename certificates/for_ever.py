"""Certificates of the worst-case leakage for an infinite horizon: a bound that holds however many releases there are.

Untrusted, as all certificates are until they are checked. Bounds of the pairs that rule are a little above what sets
attain; those of other pairs are as great as the claim leaves room for, so that their sweeps are over soon. The sweeps
stop at barriers h, Ψ^d(h) ≤ θ·h with Ψ(c) = P^T Φ(c) and θ < 1, of two kinds: where there are transient values, what
they keep of any start against the closed class; and the direction in which the sweep of the pair that rules ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import permutations
from math import lcm, prod
from operator import mul

import numpy as np
from flint import ctx

from ..reference.correlations import TransitionMatrix
from ..reference.decimals import fraction_to_text
from ..reference.errors import InvalidRequest, Undecided
from ..reference.formulas import ball_of, dyadic
from ..reference.levels import Level
from ..reference.paper.leakage import check_sizes
from ..reference.worst_case.barriers import Barrier
from ..reference.worst_case.boundedness import boundedness
from ..reference.worst_case.for_ever import EndlessBalls
from ..reference.worst_case.sweep import OneSide, ValuePair
from ..solvers.worst_case.pair_limits import PairLimits
from .parts import GUARD, MOST_CERTIFIED_DIGITS, Document, Unproved, check_digits, checked_bits, with_enough_digits
from .worst_case import NOT_ADAPTIVE, head, loosened, on_grid, ratio_above, ratio_texts

MOST_STEPS_SWEPT = 10**6
"""Most steps of a sweep of a certificate."""

FIRST_STEPS_SWEPT = 10**4
"""Most steps at first: near the critical budget it is digits that are lacking, with which the sweep is soon over."""

DIGITS_TRIED_FIRST = 16
"""Most digits that are tried, as a multiple of the claim's."""

MOST_BARRIERS = 3
"""Most barriers on a side."""

Vector = list[Fraction]


@dataclass(frozen=True)
class Decline:
    """A vector h with Ψ^d(h) ≤ θ·h, Ψ(c) = P^T Φ(c), θ < 1: a barrier of a certificate. turns: d."""

    h: Vector
    theta: Fraction
    turns: int

    def texts(self) -> Document:
        """Return it as it stands in a certificate."""
        above, below = ([fraction_to_text(max(sign * x, Fraction(0))) for x in self.h] for sign in (1, -1))
        found: Document = {"above": above, "below": below, "theta": fraction_to_text(self.theta)}
        return found if self.turns == 1 else {**found, "turns": self.turns}


class _Endless:
    """One side of a time on which the releases go on without end."""

    def __init__(self, matrix: TransitionMatrix, epsilon: Level) -> None:
        self.matrix, self.epsilon, self.n = matrix, epsilon, matrix.n
        self._columns = list(zip(*matrix.rows, strict=True))

    def balls(self, bits: int) -> EndlessBalls:
        """Return the side over balls, at a budget that is a little greater, if any."""
        own = OneSide((self.matrix.rows,), for_ever=True)
        return EndlessBalls(own, [ball_of(self.epsilon.excess_bounds(bits)[1])])

    def greatest(self, pair: ValuePair, start: Fraction, bits: int) -> tuple[Fraction, list[Decline]]:
        """Return what sets attain for a pair, and a barrier in the direction where its sweep ends, if there is one.

        Args: start, about the excess of its ratio.
        """
        j, k = pair
        if self.matrix.rows[j] == self.matrix.rows[k]:
            return Fraction(1), []
        with ctx.workprec(bits):
            balls = self.balls(bits)
            *_, found = balls.limits(pair, start)
            # What is rounded afterwards is far less than the room that is left.
            barrier = Barrier.in_direction(balls.releases, found.course, 2 * bits // 3)
            return 1 + dyadic(found.attained.mid()), self._declines(barrier, 5 * bits // 6, bits)

    def of_transient(self, bits: int) -> list[Decline]:
        """Return a barrier against what the transient values keep; none where there are none."""
        with ctx.workprec(bits):
            return self._declines(Barrier.of_transient(self.balls(bits).releases), bits // 3, bits)

    def _declines(self, barrier: Barrier | None, kept: int, bits: int) -> list[Decline]:
        """Return a barrier in rational numbers of `bits` bits, with the least θ; nothing where it then is none.

        It is one after as few steps as it may be.
        """
        if barrier is None:
            return []
        h = [_shortened(dyadic(value), kept) for value in barrier.h]
        ratio, after = self._ratio(bits), h
        for turns in range(1, barrier.turns + 1):
            weighted = [x * ratio if x > 0 else x for x in after]
            after = [
                sum((p * x for p, x in zip(column, weighted, strict=True)), Fraction(0)) for column in self._columns
            ]
            least = max((y / x for x, y in zip(h, after, strict=True) if x > 0), default=Fraction(0))
            theta = 1 - _shortened(1 - max(least, Fraction(0)), bits) if least < 1 else least
            if theta < 1 and all(y <= theta * x for x, y in zip(h, after, strict=True)):
                return [Decline(h, theta, turns)]
        return []

    def _ratio(self, bits: int) -> Fraction:
        """Return a little more than what the checker takes for e^ε."""
        excess = self.epsilon.excess_bounds(bits)[1]
        return 1 + excess + (1 + excess) * Fraction(4, 1 << bits)

    def steps(self, table: dict[ValuePair, Fraction], declines: Sequence[Decline], bits: int, most_steps: int) -> int:
        """Return after how many steps all sweeps with these ratios are over, and some more, in integers rounded upward.

        Raises: Unproved where some sweep is not known to end, or not within the steps allowed.
        """
        common = lcm(*(p.denominator for row in self.matrix.rows for p in row))
        columns = [[int(p * common) for p in column] for column in self._columns]
        ratio, longest = on_grid(self._ratio(bits), bits) + 1, 0
        barriers = [[Fraction(0)] * self.n, *(one.h for one in declines)]
        most = [max([Fraction(1), *map(abs, h)]) for h in barriers]
        scaled = [[on_grid(x / size, bits) for x in h] for h, size in zip(barriers, most, strict=True)]
        for (j, k), at in table.items():
            c = [-on_grid(at * q - p, bits) for p, q in zip(self.matrix.rows[j], self.matrix.rows[k], strict=True)]
            taken = 0
            while not any(_is_below(c, h) for h in scaled):
                if sum(c) > 0 or taken == most_steps:
                    raise Unproved
                weighted = [-(-x * ratio >> bits) if x > 0 else x for x in c]
                c = [-(-sum(map(mul, column, weighted)) // common) for column in columns]
                taken += 1
            longest = max(longest, taken)
        return min(longest + longest // 8 + 8, MOST_STEPS_SWEPT)


def _is_below(c: Sequence[int], h: Sequence[int]) -> bool:
    """Whether c ≤ γ·h for some γ ≥ 0."""
    gamma = max((Fraction(x, y) for x, y in zip(c, h, strict=True) if x > 0 and y > 0), default=Fraction(0))
    a, b = gamma.as_integer_ratio()
    return all(x * b <= a * y for x, y in zip(c, h, strict=True))


def _shortened(value: Fraction, bits: int) -> Fraction:
    """Return a number of `bits` bits, nearer to 0 by at most one unit of the last."""
    shift = bits - value.numerator.bit_length() + value.denominator.bit_length()
    units = abs(value.numerator) * 2 ** max(shift, 0) // (value.denominator * 2 ** max(-shift, 0))
    return Fraction(units if value > 0 else -units) / Fraction(2) ** shift


def worst_case_forever_certificate(
    epsilon: Level,
    backward: TransitionMatrix | None = None,
    forward: TransitionMatrix | None = None,
    digits: int = 17,
) -> Document:
    """Certify that no mechanisms with this budget at every time ever have a greater TPL; with one matrix, BPL or FPL.

    Args: epsilon, finite and above 0; backward, P^B, forward, P^F, for all times, None where not known. Returns: a
    `worst-case-forever` certificate; its level is about the worst-case supremum, rounded up to these digits.
    Raises: InvalidRequest, also where there is no finite supremum, as `worst-case-divergent` certifies; Undecided.
    """
    check_digits(digits)
    known = [matrix for matrix in (backward, forward) if matrix is not None]
    check_budget(epsilon)
    check_sizes(backward, forward)
    if any(not boundedness(matrix, epsilon).is_bounded for matrix in known):
        raise InvalidRequest("the supremum is infinite: there is no bound, as worst-case-divergent certifies")
    sides = [_Endless(matrix, epsilon) for matrix in known]
    pairs = list(permutations(range(known[0].n if known else 0), 2))
    own = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    limits = PairLimits([[[matrix.rows]] for matrix in known], epsilon, own) if pairs else None
    near = limits.left() if limits else {}

    def make(most_steps: int, working: int) -> Document:
        bits = checked_bits(working)
        barriers = [side.of_transient(bits) for side in sides]
        tables: list[dict[ValuePair, Fraction]] = [{} for _ in sides]
        for pair, starts in near.items():
            for side, found, table, start in zip(sides, barriers, tables, starts, strict=True):
                attained, declines = side.greatest(pair, start - 1, bits)
                if attained > 1 and (attained - 1) * (1 << bits) < 10 ** (digits + GUARD + 8):
                    raise Unproved
                table[pair] = ratio_above(attained, digits)
                found.extend(declines[: int(len(found) < MOST_BARRIERS)])
        products = (prod((table[pair] for table in tables), start=Fraction(1)) for pair in near)
        most = max(products, default=Fraction(1))
        for place, pair in enumerate(pairs):
            if limits is not None and pair not in near:
                ups = [1 + Fraction(float(up)) for up in limits.up[: len(sides), 0, place]]
                for table, ratio in zip(tables, loosened(ups, most), strict=True):
                    table[pair] = ratio
        counts = [
            side.steps(own, found, bits, most_steps) for side, own, found in zip(sides, tables, barriers, strict=True)
        ]
        level = epsilon + Level.of_ratio(most)
        written = iter(zip(sides, barriers, tables, counts, strict=True))
        past, future = (None if matrix is None else _side(*next(written)) for matrix in (backward, forward))
        return {
            **head((NOT_ADAPTIVE,), backward, forward),
            "epsilon": epsilon.full_text(),
            "past": past,
            "future": future,
            "level": str(level.enclosure(digits).upper),
        }

    try:
        most = min(DIGITS_TRIED_FIRST * digits, MOST_CERTIFIED_DIGITS)
        return with_enough_digits("worst-case-forever", partial(make, FIRST_STEPS_SWEPT), digits, most)
    except Undecided:
        return with_enough_digits("worst-case-forever", partial(make, MOST_STEPS_SWEPT), digits)


def check_budget(epsilon: Level) -> None:
    """Raise InvalidRequest unless a certificate for an infinite horizon can be about this budget."""
    if epsilon.is_infinite or epsilon.is_zero:
        raise InvalidRequest(
            "a certificate of the exact worst case over an infinite horizon has a finite budget above 0"
        )


def _side(side: _Endless, barriers: Sequence[Decline], table: dict[ValuePair, Fraction], steps: int) -> Document:
    texts = [one.texts() for one in barriers]
    return {"steps": steps, "barriers": texts, "ratios": ratio_texts(table, side.n)}
