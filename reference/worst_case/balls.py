"""The sweep over rigorous balls: a side's greatest ratio enclosed, whatever numbers the budgets are, at all horizons.

Nothing is decided by a ball that is in doubt. The sets are chosen by midpoints, and any sets are a mechanism: what they
attain, worked out in balls, is a lower bound. An upper bound is a λ a little above it for which the sweep, every number
replaced by a greater one, comes to W(λ) ≤ 0: Φ and P^T are monotone, so that is sound. Ties need no decision.

A sweep ends as soon as no entry of c is positive, or none negative: from there on all farther sets are empty, or
full, and their likelihoods are constant, so that they add nothing. Once the chain has mixed this is so, however long
the past is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from flint import arb, arb_mat, ctx

from ..correlations import Row
from ..formulas import ball_of
from .sweep import OneSide, ValuePair

SLACK_BITS = 24
"""A ratio that rises by less than 2^−(precision − 24) of its excess is taken for attained."""

ROOM = (3, 2, 1)
"""Above what is attained, a λ is tried that is greater by 2^−(precision·r/4) of its excess, for these r."""

UNKNOWN = Fraction(0)

ChosenValues = Sequence[Sequence[bool]]
"""For each release, the nearest first, which values are in the set."""


class SideBalls:
    """One side of a time, over balls of the working precision; releases count from the nearest, which is 0."""

    def __init__(self, side: OneSide, excesses: Sequence[arb]) -> None:
        """Take the side, and balls of e^ε − 1 of its finite budgets, the farthest first."""
        self.nearest, self.n, self.count = side.steps[-1], len(side.steps[0]), len(side.steps)
        self.reveals_at = self.count - 1 if side.reveals else None
        known: dict[int, tuple[arb_mat, arb_mat]] = {}
        for step in side.steps[:-1]:
            if id(step) not in known:
                known[id(step)] = both_ways(step)
        self._steps = [known[id(step)] for step in reversed(side.steps[:-1])]
        self._ratios = [*(1 + excess for excess in reversed(excesses)), *[arb(1)] * side.reveals]

    def step(self, release: int) -> tuple[arb_mat, arb_mat]:
        """Return the matrix from a release to the next farther one, and its transpose."""
        return self._steps[release]

    def ratio(self, release: int) -> arb:
        """Return e^ε of a release."""
        return self._ratios[release]

    def excess(self, pair: ValuePair, _start: Fraction = UNKNOWN) -> tuple[arb, arb]:
        """Return a lower and an upper bound of the greatest ratio for a pair, less 1; the upper one may be ∞."""
        attained = self._greatest_ratio(pair)
        above = (tried for tried in a_little_above(attained.upper()) if self.is_at_most(pair, tried))
        return attained.lower(), next(above, arb.pos_inf())

    def is_at_most(self, pair: ValuePair, excess: arb) -> bool:
        """Whether W(λ) ≤ 0 is certain for λ − 1 = excess: an upper bound of the pair's ratio then. Never wrongly so."""
        c = upper(self.first(pair, excess))
        for release in range(self.count):
            if all(value <= 0 for value in c):
                return True
            if release == self.reveals_at or sum(c, arb(0)) > 0:  # P^T keeps sums, and Φ lowers none
                return False
            after = weighted(c, self.ratio(release))
            if release + 1 == self.count:
                return bool(sum(after, arb(0)) <= 0)
            c = upper((self.step(release)[1] * column(after)).entries())
        raise AssertionError("a side has a release")

    def first(self, pair: ValuePair, excess: arb) -> list[arb]:
        """Return c at the nearest release, P_j − λ P_k; the difference of the rows is exact before it is rounded."""
        j, k = (self.nearest[value] for value in pair)
        return [ball_of(p - q) - excess * ball_of(q) for p, q in zip(j, k, strict=True)]

    def _greatest_ratio(self, pair: ValuePair) -> arb:
        """Return a ball of the ratio, less 1, that some sets attain: the greatest, as far as balls of midpoints tell.

        The farther releases are taken in by and by: what the nearer ones attain alone is a λ to start from.
        """
        attained, depth = arb(0), 1
        while True:
            sets = self._sets(pair, attained.mid(), depth)
            better = self.attained(pair, sets)
            if rises(attained, better):
                attained = better
            elif len(sets) < depth or depth == self.count:
                return attained
            else:
                depth = min(2 * depth, self.count)

    def _sets(self, pair: ValuePair, excess: arb, depth: int) -> list[list[bool]]:
        """Return, for the nearest of `depth` releases that matter, which values are in the set."""
        c = [value.mid() for value in self.first(pair, excess)]
        sets: list[list[bool]] = []
        for release in range(depth):
            if all(value <= 0 for value in c) or all(value >= 0 for value in c):
                break
            if release == self.reveals_at:
                told = _greatest(c)
                sets.append([a == told for a in range(self.n)])
                break
            sets.append([value > 0 for value in c])
            if release + 1 < depth:
                c = self.advanced(c, release)
        return sets

    def advanced(self, c: Sequence[arb], release: int) -> list[arb]:
        """Return P^T Φ(c), about: the midpoints."""
        after = column(weighted(c, self.ratio(release).mid()))
        return [value.mid() for value in (self.step(release)[1] * after).entries()]

    def attained(self, pair: ValuePair, sets: ChosenValues, beyond: Sequence[arb] | None = None) -> arb:
        """Return a ball of the ratio, less 1, that randomized response about these sets attains.

        Args: sets, of the nearest releases, the nearest first; beyond, the likelihoods of what was released farther
        off, for each value at the farthest of these; nothing was where it is None.
        """
        f = [arb(1)] * self.n if beyond is None else list(beyond)
        for release in range(len(sets) - 1, -1, -1):
            if release == self.reveals_at:
                f = [arb(int(told)) for told in sets[release]]
            else:
                ratio = self.ratio(release)
                f = [ratio * value if inside else value for value, inside in zip(f, sets[release], strict=True)]
            if release:
                f = (self.step(release - 1)[0] * column(f)).entries()
        j, k = (self.nearest[value] for value in pair)
        apart = sum((ball_of(p - q) * value for p, q, value in zip(j, k, f, strict=True) if p != q), arb(0))
        below = sum((ball_of(q) * value for q, value in zip(k, f, strict=True) if q), arb(0))
        return apart / below


def a_little_above(attained: arb) -> Iterator[arb]:
    """Yield candidates for an upper bound of a ratio, less 1, from a lower bound that is attained; the least first."""
    for quarters in ROOM:
        yield (attained + attained * arb(2) ** (-(ctx.prec * quarters) // 4)).upper()


def both_ways(step: Sequence[Row]) -> tuple[arb_mat, arb_mat]:
    """Return balls of a matrix, and its transpose."""
    matrix = arb_mat([[ball_of(entry) for entry in row] for row in step])
    return matrix, matrix.transpose()


def weighted(c: Sequence[arb], ratio: arb) -> list[arb]:
    """Return Φ(c); of an exact c, each entry of which has one sign."""
    return [ratio * value if value > 0 else value for value in c]


def rises(before: arb, after: arb) -> bool:
    """Whether one ratio, less 1, is above another by more than is taken for nothing."""
    return bool(after > before) and bool(after.mid() > before.mid() * (1 + arb(2) ** (SLACK_BITS - ctx.prec)))


def upper(values: Sequence[arb]) -> list[arb]:
    """Return the upper ends."""
    return [value.upper() for value in values]


def column(values: Sequence[arb]) -> arb_mat:
    """Return a matrix of one column."""
    return arb_mat(len(values), 1, list(values))


def _greatest(values: Sequence[arb]) -> int:
    best = 0
    for index, value in enumerate(values):
        if value > values[best]:
            best = index
    return best
