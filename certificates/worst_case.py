"""Certificates of the worst-case leakage at one time: a bound for every pair of values, and sets that come near to it.

Untrusted, as all certificates are until they are checked. The sweeps here are in integers of fixed length, in units of
2^−bits, and only propose: the λ of a pair is what its sets attain, and a little more. Pairs that cannot rule keep the
bounds that doubles guess.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import prod
from operator import mul

import numpy as np

from ..reference.correlations import Row
from ..reference.decimals import decimal_exponent
from ..reference.errors import InvalidRequest
from ..reference.levels import Level
from ..reference.stepwise import KnownCorrelation, Stepwise, matrices_in
from ..reference.worst_case.leakage import Stretch, side_of, tells
from ..reference.worst_case.sweep import ValuePair
from ..solvers.floats import SMALLEST, Doubles
from ..solvers.worst_case.contest import product
from ..solvers.worst_case.guess import Indices, PairBounds, ReleasesInDoubles
from ..solvers.worst_case.symmetry import forms
from .parts import (
    GUARD,
    Document,
    Unproved,
    check_digits,
    checked_bits,
    correlation_texts,
    number_text,
    rounded,
    with_enough_digits,
)

EVERY_STEP, OWN_STEP = "each matrix is that of all steps", "each matrix is that of its step"
NOT_ADAPTIVE = "mechanisms after a time do not depend on earlier outputs"
BOTH_OCCUR, ALL_OCCUR = "both values can occur", "the values can occur at all times"
ONE_CHAIN = "the matrices are those of one chain"
"""What certificates assume, in the words that the checker expects."""

LOOSE_DIGITS = 12
"""Digits of the excess of bounds that need not be close."""

MAY_RULE = 1e-9
"""Products of bounds in doubles so close to the greatest are worked out."""

MOST_TURNS = 1_000

Found = tuple[Fraction, list[list[int]]]
"""A ratio that is attained, rounded to the grid, and the sets that attain it, as columns from 1, the nearest first."""


class FixedSide:
    """The releases on one side of a time, the nearest first: their matrices, and e^ε of each in units of 2^−bits.

    low, up: about what each pair's excess is, at index j·n + k; kinds: a number for each, equal where ratios are.
    """

    def __init__(self, n: int, steps: Sequence[Sequence[Row]], budgets: Sequence[Level]) -> None:
        self.n, self._steps, self._budgets = n, steps, budgets
        self._is_silent = all(budget.is_zero for budget in budgets)
        self._merged, told = side_of(steps[::-1], budgets[::-1])
        self.low, self.up, self.kinds = np.zeros(n * n), np.zeros(n * n), np.zeros(n * n, dtype=np.uint64)
        if self._merged is not None and n > 1:
            pairs = np.array(list(permutations(range(n), 2)))
            nearest = self._merged.steps[::-1]
            bounds = PairBounds([ReleasesInDoubles.of(nearest, told[::-1])], [[len(told)]], pairs)
            bounds.close(MAY_RULE)
            index = pairs @ np.array([n, 1])
            self.low[index] = bounds.low[0, :, 0] * (1 - MAY_RULE)  # above its root a sweep may take no sets at all
            self.up[index] = excesses_to_prove(bounds.up[0, :, 0] * (1 + MAY_RULE), steps[0], pairs)
            self.kinds[index] = forms(list({id(step): step for step in nearest}.values()), pairs)
        self._bits = 0
        distinct = {id(step): step for step in steps}.values()
        self._least = min((entry for step in distinct for row in step for entry in row if entry), default=Fraction(1))

    def is_one(self, pair: ValuePair) -> bool:
        """Whether a sweep proves that the ratio for a pair is 1: where rows are equal, or all budgets are 0."""
        return self._is_silent or self._steps[0][pair[0]] == self._steps[0][pair[1]]

    def tells(self, pair: ValuePair) -> bool:
        """Whether the greatest ratio for a pair is above 1. Exact."""
        return self._merged is not None and tells(self._merged, pair)

    def is_coarse(self, pair: ValuePair, attained: Fraction, digits: int, bits: int) -> bool:
        """Whether a grid of `bits` bits is too coarse for what is attained, or for the least probability."""
        return self.tells(pair) and min(attained - 1, self._least) * (1 << bits) < 10 ** (digits + GUARD + 8)

    def best(self, pair: ValuePair, bits: int) -> Found:
        """Return what the best sets attain for a pair."""
        if bits != self._bits:
            self._bits = bits
            grids = {id(step): [[on_grid(entry, bits) for entry in row] for row in step] for step in self._steps}
            columns = {key: list(zip(*rows, strict=True)) for key, rows in grids.items()}
            self._rows = [grids[id(step)] for step in self._steps]
            self._columns = [columns[id(step)] for step in self._steps]
            self._ratios = [on_grid(1 + budget.excess_bounds(bits)[0], bits) for budget in self._budgets]
        j, k = pair
        found: Found = Fraction(1), [[] for _ in self._ratios]
        if not self.tells(pair):
            return found  # exactly: what is rounded must not make it more
        at = on_grid(1 + Fraction(float(self.low[j * self.n + k])), bits)
        for _ in range(MOST_TURNS):
            first = self._rows[0]
            c = [p - (at * q >> self._bits) for p, q in zip(first[j], first[k], strict=True)]
            sets: list[list[int]] = []
            for release, budget in enumerate(self._ratios):
                if release:
                    c = [sum(map(mul, column, c)) >> self._bits for column in self._columns[release]]
                sets.append([a for a, value in enumerate(c, 1) if value > 0])
                c = [value * budget >> self._bits if value > 0 else value for value in c]
            attained = self._attained(pair, sets)
            if attained <= found[0]:
                break
            found, at = (attained, sets), on_grid(attained, self._bits)
        return found

    def _attained(self, pair: ValuePair, sets: list[list[int]]) -> Fraction:
        f = [1 << self._bits] * self.n
        for rows, budget, chosen in zip(self._rows[::-1], self._ratios[::-1], sets[::-1], strict=True):
            for a in chosen:
                f[a - 1] = f[a - 1] * budget >> self._bits
            f = [sum(map(mul, row, f)) >> self._bits for row in rows]
        return Fraction((f[pair[0]] << self._bits) // f[pair[1]], 1 << self._bits)


def excesses_to_prove(up: Doubles, nearest: Sequence[Row], pairs: Indices) -> Doubles:
    """Return bounds of excesses, none of 0 where rows of the nearest matrix differ: no sweep proves a 1 of those."""
    return np.maximum(up, [SMALLEST * (nearest[j] != nearest[k]) for j, k in pairs.tolist()])


def on_grid(value: Fraction, bits: int) -> int:
    """Return a number in units of 2^−bits, rounded down."""
    return (value.numerator << bits) // value.denominator


def check_finite(epsilons: Sequence[Level]) -> None:
    """Raise InvalidRequest where a budget is infinite."""
    if any(epsilon.is_infinite for epsilon in epsilons):
        raise InvalidRequest("an infinite budget has no certificate of a worst-case leakage: give finite ones")


def head(assumed: Sequence[str], backward: KnownCorrelation | None, forward: KnownCorrelation | None) -> Document:
    """Return what every certificate of a worst-case leakage begins with: first which matrix is that of which step."""
    own = isinstance(backward, Stepwise) or isinstance(forward, Stepwise)
    return {
        "assumed": [OWN_STEP if own else EVERY_STEP, *assumed],
        "backward": correlation_texts(backward),
        "forward": correlation_texts(forward),
    }


class Beside:
    """The releases beside each time of a stream, the nearest first: what certificates sweep over."""

    def __init__(
        self, epsilons: Sequence[Level], backward: KnownCorrelation | None, forward: KnownCorrelation | None
    ) -> None:
        """Take what `worst_case_leakage` takes. Raises: InvalidRequest as it does."""
        stretch = Stretch(epsilons, backward, forward)
        self.n, self.epsilons, self.roles = stretch.n, epsilons, (stretch.backward, stretch.forward)

    def budgets(self, number: int, t: int) -> Sequence[Level]:
        """Return the budgets of the past (0) or the future (1) of a time, from 0."""
        return self.epsilons[t + 1 :] if number else self.epsilons[:t][::-1]

    def steps(self, number: int, t: int) -> Sequence[Sequence[Row]]:
        """Return the rows that lead to each of these releases."""
        own = self.roles[number]
        assert own is not None
        return own[t:] if number else own[:t][::-1]

    def side(self, number: int, t: int) -> FixedSide:
        """Return one side of a time."""
        return FixedSide(self.n, self.steps(number, t), self.budgets(number, t))


class _Question:
    """What both certificates are asked: a stream, and a time; and what is known of the pairs of values."""

    def __init__(
        self,
        epsilons: Sequence[Level],
        time: int,
        backward: KnownCorrelation | None,
        forward: KnownCorrelation | None,
    ) -> None:
        beside = Beside(epsilons, backward, forward)
        self.n = n = beside.n
        if not 1 <= time <= len(epsilons):
            raise InvalidRequest(f"{time} is not one of the times 1 to {len(epsilons)}")
        check_finite(epsilons)
        self.epsilons, self.time, self.own = epsilons, time, epsilons[time - 1]
        known = [bool(matrices_in(own)) for own in (backward, forward)]
        self.sides = [beside.side(number, time - 1) if known[number] else None for number in (0, 1)]
        self.matrices = backward, forward
        self.pairs = list(permutations(range(n), 2))
        low, up = np.zeros(n * n), np.zeros(n * n)
        for side in self.sides:
            if side is not None:
                low, up = product(low, side.low), product(up, side.up)
        indices = np.array([j * n + k for j, k in self.pairs], dtype=np.int64)
        near = up[indices] * (1 + MAY_RULE) >= low[indices].max(initial=0.0)
        self.near = [self.pairs[int(index)] for index in np.flatnonzero(near)]

    def document(self, *assumed: str) -> Document:
        """Return what both certificates repeat of the question, and what they assume."""
        return {
            **head(assumed, *self.matrices),
            "epsilons": [epsilon.full_text() for epsilon in self.epsilons],
            "time": self.time,
        }

    def found(self, digits: int, working: int) -> dict[ValuePair, list[Found | None]]:
        """Return what the best sets attain for the pairs that may rule. Raises: Unproved, on too coarse a grid."""
        bits = checked_bits(working)
        known: dict[tuple[int, ...], list[Found | None]] = {}
        found = {}
        for j, k in self.near:  # of pairs that tie the first stands for all
            kind = tuple(int(side.kinds[j * self.n + k]) for side in self.sides if side is not None)
            if kind not in known:
                known[kind] = [None if side is None else side.best((j, k), bits) for side in self.sides]
            found[j, k] = known[kind]
        for pair, sides in found.items():
            for side, own in zip(self.sides, sides, strict=True):
                if side is not None and own is not None and side.is_coarse(pair, own[0], digits, bits):
                    raise Unproved
        return found


def worst_case_upper_certificate(
    epsilons: Sequence[Level],
    time: int,
    backward: KnownCorrelation | None = None,
    forward: KnownCorrelation | None = None,
    digits: int = 17,
) -> Document:
    """Certify that no mechanisms with these budgets have a greater TPL at a time; with one matrix, BPL or FPL.

    Args: epsilons, finite; time, from 1. Returns: a `worst-case-upper` certificate; its level is about that of the
    worst mechanisms, rounded up to these digits. Raises: InvalidRequest, Undecided.
    """
    check_digits(digits)
    asked = _Question(epsilons, time, backward, forward)

    def make(working: int) -> Document:
        known = asked.found(digits, working)
        sides = [side for side in asked.sides if side is not None]
        ratios: dict[ValuePair, list[Fraction]] = {}
        for pair, sought in known.items():
            attained = [found[0] for found in sought if found is not None]
            ratios[pair] = [
                Fraction(1) if side.is_one(pair) else ratio_above(found, digits)
                for side, found in zip(sides, attained, strict=True)
            ]
        most = max((prod(found, start=Fraction(1)) for found in ratios.values()), default=Fraction(1))
        for pair in asked.pairs:
            if pair not in ratios:
                index = pair[0] * asked.n + pair[1]
                ratios[pair] = loosened([1 + Fraction(float(side.up[index])) for side in sides], most)
        own = iter([{pair: found[number] for pair, found in ratios.items()} for number in range(len(sides))])
        past, future = (None if side is None else [ratio_texts(next(own), asked.n)] for side in asked.sides)
        level = asked.own + Level.of_ratio(most)
        return {
            **asked.document(NOT_ADAPTIVE),
            "past": past,
            "future": future,
            "level": str(level.enclosure(digits).upper),
        }

    return with_enough_digits("worst-case-upper", make, digits)


def ratio_texts(table: Mapping[ValuePair, Fraction], n: int) -> list[list[str]]:
    """Return bounds of ratios as a certificate has them."""
    return [["1" if j == k else number_text(table[j, k]) for k in range(n)] for j in range(n)]


def loosened(ups: Sequence[Fraction], most: Fraction) -> list[Fraction]:
    """Return bounds of ratios in few digits, at least the given ones, whose product is at most a number; a 1 stays."""
    found: list[Fraction] = []
    for number, up in enumerate(ups):
        if up == 1:
            found.append(up)
            continue
        room = most / prod(found, start=Fraction(1)) / prod(ups[number:], start=Fraction(1))
        share = room if prod(ups[number + 1 :]) == 1 else 2 * room / (1 + room)  # at most the root
        excess = up * share - 1
        unit = Fraction(10) ** (decimal_exponent(excess) + 1 - LOOSE_DIGITS) if excess else Fraction(1)
        found.append(1 + excess // unit * unit)
    return found


def ratio_above(attained: Fraction, digits: int) -> Fraction:
    """Return a bound of a ratio that exceeds what is attained by a little."""
    if attained == 1:
        return 1 + Fraction(1, 10 ** (digits + GUARD))
    return Fraction(rounded(attained, digits, up=True).text[4:-1])


def worst_case_lower_certificate(
    epsilons: Sequence[Level],
    time: int,
    backward: KnownCorrelation | None = None,
    forward: KnownCorrelation | None = None,
    digits: int = 17,
) -> Document:
    """Certify that some mechanisms with these budgets have such a TPL at a time; with one matrix, BPL or FPL.

    Args: as `worst_case_upper_certificate`. Returns: a `worst-case-lower` certificate of the sets of the worst
    mechanisms; its level is what they attain, rounded down to these digits. Raises: InvalidRequest, also with fewer
    than two values.
    """
    check_digits(digits)
    asked = _Question(epsilons, time, backward, forward)
    if not asked.pairs:
        raise InvalidRequest("without a matrix of at least two values there is nothing to distinguish")

    def make(working: int) -> Document:
        known = asked.found(digits, working)

        def attained(pair: ValuePair) -> Fraction:
            return prod((found[0] for found in known[pair] if found is not None), start=Fraction(1))

        pair = max(known, key=attained)
        past, future = ([] if found is None else found[1][::-1] for found in known[pair])
        # A little less, for the grids on which it was worked out, and is checked.
        excess = (attained(pair) - 1) * (1 - Fraction(1, 10 ** (digits + 10)))
        level = asked.own + Level.of_ratio(1 + excess)
        return {
            **asked.document(BOTH_OCCUR, ONE_CHAIN),
            "rows": [pair[0] + 1, pair[1] + 1],
            "past": past,
            "future": future,
            "level": str(level.enclosure(digits).lower),
        }

    return with_enough_digits("worst-case-lower", make, digits)
