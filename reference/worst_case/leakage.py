"""The worst-case BPL, FPL and TPL over time, by the theorem of `sweep`: levels exact or enclosed to any precision."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from math import prod
from typing import TypeVar

from flint import arb, fmpq, fmpq_mat

from ..correlations import Row, TransitionMatrix
from ..errors import InvalidRequest, Undecided
from ..formulas import ANY_SIZE, ball_of, dyadic
from ..levels import INFINITE, ZERO, Level
from ..paper.leakage import Leakage, check_sizes
from ..stepwise import Correlation, matrices_in, matrices_over
from ..surds import Exact, bits, sign
from .balls import SideBalls
from .boundedness import boundedness
from .for_ever import EndlessBalls
from .sweep import ONE, OneSide, ValuePair, worst
from .two_values import supremum_of_two

Budgeted = tuple[OneSide | None, tuple[Level, ...]]
"""One side of a time, None where it tells nothing, and its finite budgets, the farthest first."""

NO_SIDE: Budgeted = (None, ())

Starts = Mapping[ValuePair, Sequence[Fraction]]
"""Pairs of values, each with about what its ratios are, or with nothing."""

KnownRatios = dict[ValuePair, Sequence[Fraction]]
"""Pairs of values, each with what its ratios were found to be."""

Operand = TypeVar("Operand")

WEAKER_BITS = 40
"""The ratios that a pair is proved not to exceed come to less than what another one attains, by a part 2^-40."""


@dataclass(frozen=True)
class WorstRatio:
    """The excess of max over pairs (j, k) of B(j, k)·F(j, k): what the other times add to the leakage of one.

    A `formulas.Formula`; its operands are the finite budgets of the past's releases, then of the future's, the farthest
    first. past, future: None where a side adds nothing. starts: the pairs among which the greatest is sought, each with
    about what its ratios are on the sides that are there, to start from; nothing where that is not known. found: what
    they were last found to be; another one may have the same, of budgets near these.
    """

    past: OneSide | None
    future: OneSide | None
    starts: tuple[tuple[ValuePair, Sequence[Fraction]], ...]
    found: KnownRatios = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_search(self) -> bool:
        """Whether the result is searched for: for ever it is a limit."""
        return any(side.for_ever for side in (self.past, self.future) if side is not None)

    def exact(self, parts: Sequence[Exact], most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result; None for ever, and where already the numbers that go into it exceed `most_bits`."""
        if self.is_search:
            return None
        ratios = [1 + part for part in parts]
        if sum(map(bits, ratios)) + self._bits() > most_bits:
            return None
        best: Exact = ONE
        for pair, _ in self.starts:
            product: Exact = ONE
            for side, own in self._sides(ratios):
                found = worst(side, [ONE, *own] if side.reveals else own, pair)
                assert found is not None, "no formula stands for ∞"
                product = product * found.ratio
            best = product if sign(product - best) > 0 else best
        return best - 1

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return a ball that contains the result: from below what sets attain, from above a λ with W(λ) ≤ 0."""
        sides = [EndlessBalls(side, own) if side.for_ever else SideBalls(side, own) for side, own in self._sides(parts)]
        are_alike = self.past == self.future and all(
            (one.mid(), one.rad()) == (other.mid(), other.rad())
            for one, other in zip(*(own for _, own in self._sides(parts)), strict=True)
        )
        lower, upper = arb(0), arb(0)
        known = {pair: self.found.get(pair) or starts or [ONE] * len(sides) for pair, starts in self.starts}
        self.found.clear()  # of pairs that are not looked at
        for pair in sorted(known, key=lambda pair: -prod(known[pair])):
            if self._is_weak(sides, pair, known[pair], lower):
                continue
            low, high, found = arb(0), arb(0), list[Fraction]()
            for place, start in enumerate(known[pair]):
                if not place or not are_alike:
                    least, most = sides[place].excess(pair, start - 1)
                low, high = low + least + low * least, high + most + high * most
                found.append(1 + dyadic(least.mid()))
            self.found[pair] = found
            lower, upper = lower.max(low.lower()), upper.max(high.upper())
        return lower.union(upper.max(lower))

    @staticmethod
    def _is_weak(sides: Sequence[SideBalls], pair: ValuePair, about: Sequence[Fraction], excess: arb) -> bool:
        """Whether the product of a pair's ratios, less 1, is at most an excess, for certain.

        Args: about, what the ratios may be. By as much as their product is below, each of them is tried greater.
        """
        if len(sides) == 1:
            return sides[0].is_at_most(pair, excess)
        room = ((1 + excess) / ball_of(prod(about, start=ONE)) * (1 - arb(2) ** -WEAKER_BITS)).root(len(sides))
        tried = [(ball_of(own) * room - 1).mid() for own in about]
        is_less = all(own > 0 for own in tried) and prod((1 + own for own in tried), start=arb(1)) < 1 + excess
        return bool(is_less) and all(side.is_at_most(pair, own) for side, own in zip(sides, tried, strict=True))

    def _bits(self) -> int:
        """Return about how many bits the matrices bring in: those of one entry of each."""
        sides = [side for side in (self.past, self.future) if side is not None]
        return sum(max(map(bits, step[0])) for side in sides for step in side.steps)

    def _sides(self, operands: Sequence[Operand]) -> Iterator[tuple[OneSide, Sequence[Operand]]]:
        cut = 0 if self.past is None else self.past.finite
        if self.past is not None:
            yield self.past, operands[:cut]
        if self.future is not None:
            yield self.future, operands[cut:]


def side_of(steps: Sequence[Sequence[Row]], epsilons: Sequence[Level]) -> Budgeted:
    """Return the releases on one side of a time that matter, and their finite budgets, the farthest first. Exact.

    Args: steps and epsilons, the farthest first, as in `OneSide`. A budget of 0 tells nothing: its step and the next
    become one. Beyond a release with an infinite budget nothing matters. Returns None where no release tells
    anything.
    """
    kept: list[tuple[Row, ...]] = []
    budgets: list[Level] = []
    onward: tuple[Row, ...] | None = None
    for step, epsilon in zip(reversed(steps), reversed(epsilons), strict=True):
        onward = tuple(step) if onward is None else _product(onward, step)
        if epsilon.is_zero:
            continue
        kept.append(onward)
        onward = None
        if epsilon.is_infinite:
            return OneSide(tuple(reversed(kept)), reveals=True), tuple(reversed(budgets))
        budgets.append(epsilon)
    return (OneSide(tuple(reversed(kept))) if kept else None), tuple(reversed(budgets))


def _product(first: Sequence[Row], second: Sequence[Row]) -> tuple[Row, ...]:
    one, other = (fmpq_mat([[fmpq(*p.as_integer_ratio()) for p in row] for row in rows]) for rows in (first, second))
    return tuple(tuple(Fraction(int(p.p), int(p.q)) for p in row) for row in (one * other).tolist())


def tells_apart(side: OneSide, pair: ValuePair) -> bool:
    """Whether the ratio for a pair is ∞: the farthest release may tell a value possible under j, and not under k."""
    j, k = (_reached(side, value) for value in pair)
    return side.reveals and not j <= k


def tells(side: OneSide, pair: ValuePair) -> bool:
    """Whether the ratio for a pair is above 1: where the rows differ it is, for the nearest budget is above 0."""
    j, k = pair
    return side.steps[-1][j] != side.steps[-1][k]


def _reached(side: OneSide, value: int) -> set[int]:
    now = {value}
    for step in reversed(side.steps):
        now = {b for a in now for b, p in enumerate(step[a]) if p}
    return now


def added(
    past: Budgeted, future: Budgeted, pairs: Sequence[ValuePair] | Starts, found: KnownRatios | None = None
) -> Level:
    """Return log max over pairs of B(j, k)·F(j, k), what the two sides add to the leakage at a time.

    Args: each side with its finite budgets, as from `side_of`; pairs, of values that are possible at that time, or
    starts, as in `WorstRatio`; found, as in it.
    Returns: the level: exact where all ratios are in one field, else a formula enclosed to any precision.
    """
    sides = [side for side, _ in (past, future) if side is not None]
    if any(tells_apart(side, pair) for side in sides for pair in pairs):
        return INFINITE
    given: Starts = pairs if isinstance(pairs, Mapping) else dict.fromkeys(pairs, ())
    telling = {pair: start for pair, start in given.items() if any(tells(side, pair) for side in sides)}
    if not telling:
        return ZERO
    known = {} if found is None else found
    return Level.of_formula(WorstRatio(past[0], future[0], tuple(telling.items()), known), (*past[1], *future[1]))


def per_step(correlation: Correlation | None, steps: int, name: str) -> list[tuple[Row, ...]] | None:
    """Return the rows of the matrix of each step.

    Raises: InvalidRequest where they are not as many, or differ in size.
    """
    if correlation is None:
        return None
    return [matrix.rows for matrix in matrices_over(correlation, steps, name)]


def _size(correlation: Correlation) -> int:
    """Return the number of states, 0 where there is no matrix."""
    return next((matrix.n for matrix in matrices_in(correlation)), 0)


class Stretch:
    """The releases of a stream as the worst-case leakage sees them; times count from 0.

    epsilons: their budgets; n: the number of values, 0 where no matrix is known; backward[t]: the rows
    Pr(l^t | l^{t+1}); forward[t]: the rows Pr(l^{t+1} | l^t); None where not known.
    """

    def __init__(
        self,
        epsilons: Sequence[Level],
        backward: Correlation | None = None,
        forward: Correlation | None = None,
        possible: Sequence[Collection[int]] | None = None,
    ) -> None:
        """Take the arguments of `worst_case_leakage`. Raises: InvalidRequest as it says."""
        if not epsilons:
            raise InvalidRequest("there is no release: give at least one budget")
        self.epsilons = epsilons
        steps = len(epsilons) - 1
        self.backward, self.forward = per_step(backward, steps, "backward"), per_step(forward, steps, "forward")
        sizes = {name: _size(own) for name, own in (("backward", backward), ("forward", forward)) if own is not None}
        if len(set(sizes.values()) - {0}) > 1:
            raise InvalidRequest(
                f"the backward matrix has {sizes['backward']} states, the forward one {sizes['forward']}"
            )
        self.n = max(sizes.values(), default=0)
        self._possible = possible

    def values(self, t: int) -> list[int]:
        """Return the values that are possible at a time, in ascending order."""
        return sorted(range(self.n) if self._possible is None else self._possible[t])

    def own(self, t: int) -> Level:
        """Return what the release at a time tells by itself: nothing where only one value is possible."""
        alone = len(self.values(t)) < 2 and (self.n or self._possible is not None)
        return ZERO if alone else self.epsilons[t]

    def past(self, t: int) -> Budgeted:
        """Return the side of the releases before a time."""
        return NO_SIDE if self.backward is None else side_of(self.backward[:t], self.epsilons[:t])

    def future(self, t: int) -> Budgeted:
        """Return the side of the releases after a time."""
        return NO_SIDE if self.forward is None else side_of(self.forward[t:][::-1], self.epsilons[t + 1 :][::-1])


def worst_case_leakage(
    epsilons: Sequence[Level],
    backward: Correlation | None = None,
    forward: Correlation | None = None,
    possible: Sequence[Collection[int]] | None = None,
) -> Leakage:
    """Return the worst BPL, FPL and TPL at each time over all mechanisms with these budgets: theorem (sweep).

    Args:
        epsilons: the budgets PL_0(M^t) for t = 1..T, T ≥ 1, levels in nats; they may differ.
        backward: P^B for all times or the T − 1 matrices Pr(l^{t−1} | l^t) of t = 2..T; None where not known.
        forward: P^F or the matrices Pr(l^{t+1} | l^t) of t = 1..T − 1; None where not known.
        possible: for each time the values, from 0, that have positive probability; all of them where it is None.

    Returns: the levels, attained by some mechanism each (for FPL of those that do not depend on earlier outputs), and
    so at most those of the paper's recursions: exact where all ratios e^ε are in one field, else enclosed to any
    precision.
    Raises: InvalidRequest without a release, or where numbers or sizes of matrices differ; Undecided.
    """
    releases = Stretch(epsilons, backward, forward, possible)
    bpl, fpl, tpl = [], [], []
    for t in range(len(epsilons)):
        pairs = list(permutations(releases.values(t), 2))
        past, future, own = releases.past(t), releases.future(t), releases.own(t)
        bpl.append(own + added(past, NO_SIDE, pairs))
        fpl.append(own + added(NO_SIDE, future, pairs))
        tpl.append(own + added(past, future, pairs))
    return Leakage(tuple(bpl), tuple(fpl), tuple(tpl))


def worst_case_supremum(
    epsilon: Level,
    backward: TransitionMatrix | None = None,
    forward: TransitionMatrix | None = None,
    starts: Starts | None = None,
    found: KnownRatios | None = None,
) -> Level:
    """Return the supremum over all horizons and times of the worst-case TPL with one budget at every time.

    With one correlation it is that of BPL or FPL: what they rise to, for B and F do not fall as the horizon grows.

    Both matrices are taken as they are: they are one chain's at all times only if it is stationary and P^B its
    reversal.

    Args:
        epsilon: the budget of every release, a level in nats.
        backward: P^B, n × n, row j the distribution of the value before j; None where not known.
        forward: P^F, n × n, row j the distribution of the value after j; None where not known.
        starts: the pairs of values among which the worst is known to be, as in `WorstRatio`; all where it is None.
        found: what ratios were found to be with a budget near this one, as in `WorstRatio`; it is kept up to date.

    Returns: the level, ∞ where the criterion (`boundedness`) says so; of two values exact; otherwise enclosed to any
    precision.
    Raises: InvalidRequest where the sizes differ; Undecided, also where it is not approached in many releases.
    """
    known = [matrix for matrix in (backward, forward) if matrix is not None]
    check_sizes(backward, forward)
    if known and known[0].n < 2:
        return ZERO
    if not known or epsilon.is_zero or epsilon.is_infinite:
        return epsilon
    if any(not boundedness(matrix, epsilon).is_bounded for matrix in known):
        return INFINITE
    if known[0].n == 2:
        with suppress(Undecided):  # where two pairs of values leak alike, and their formulas do not say so
            return supremum_of_two(epsilon, known)
    past, future = (
        NO_SIDE if matrix is None else (OneSide((matrix.rows,), for_ever=True), (epsilon,))
        for matrix in (backward, forward)
    )
    pairs = list(permutations(range(known[0].n), 2)) if starts is None else starts
    return epsilon + added(past, future, pairs, found)
