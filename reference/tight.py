"""The tight BPL, FPL and TPL over time, by the theorem of `sweep`: levels exact or enclosed to any precision."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import TypeVar

from flint import arb

from .boundedness import boundedness
from .correlations import Row, TransitionMatrix
from .errors import InvalidRequest
from .formulas import ANY_SIZE
from .leakage import Leakage
from .levels import INFINITE, ZERO, Level
from .surds import Exact, bits, sign
from .sweep import ONE, OneSide, ValuePair, worst
from .sweep_balls import SideBalls

Correlation = TransitionMatrix | Sequence[TransitionMatrix]
"""One matrix for all steps, or one for each."""

Operand = TypeVar("Operand")


@dataclass(frozen=True)
class WorstRatio:
    """The excess of max over pairs (j, k) of B(j, k)·F(j, k): what the other times add to the leakage of one.

    A `formulas.Formula`; its operands are the finite budgets of the past's releases, then of the future's, the farthest
    first. past, future: None where a side adds nothing. pairs: those among which the greatest is sought.
    """

    past: OneSide | None
    future: OneSide | None
    pairs: tuple[ValuePair, ...]

    def exact(self, parts: Sequence[Exact], most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result; None for ever, and where already the numbers that go into it exceed `most_bits`."""
        if any(side.for_ever for side in (self.past, self.future) if side is not None):
            return None
        ratios = [1 + part for part in parts]
        if sum(map(bits, ratios)) + self._bits() > most_bits:
            return None
        best: Exact = ONE
        for pair in self.pairs:
            product: Exact = ONE
            for side, own in self._sides(ratios):
                found = worst(side, [ONE, *own] if side.reveals else own, pair)
                assert found is not None, "no formula stands for ∞"
                product = product * found.ratio
            best = product if sign(product - best) > 0 else best
        return best - 1

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return a ball that contains the result: from below what sets attain, from above a λ with W(λ) ≤ 0."""
        sides = [SideBalls(side, own) for side, own in self._sides(parts)]
        lower, upper = arb(0), arb(0)
        for pair in self.pairs:
            if len(sides) == 1 and sides[0].is_at_most(pair, lower):
                continue
            low, high = arb(0), arb(0)
            for side in sides:
                least, most = side.excess(pair)
                low, high = low + least + low * least, high + most + high * most
            lower, upper = lower.max(low.lower()), upper.max(high.upper())
        return lower.union(upper.max(lower))

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


def side_of(steps: Sequence[Sequence[Row]], epsilons: Sequence[Level]) -> tuple[OneSide | None, tuple[Level, ...]]:
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
    columns = list(zip(*second, strict=True))
    return tuple(
        tuple(sum((p * q for p, q in zip(row, column, strict=True) if p), Fraction(0)) for column in columns)
        for row in first
    )


def tells_apart(side: OneSide, pair: ValuePair) -> bool:
    """Whether the ratio for a pair is ∞: the farthest release may tell a value possible under j, and not under k."""
    j, k = (_reached(side, value) for value in pair)
    return side.reveals and not j <= k


def _reached(side: OneSide, value: int) -> set[int]:
    now = {value}
    for step in reversed(side.steps):
        now = {b for a in now for b, p in enumerate(step[a]) if p}
    return now


def added(
    past: tuple[OneSide | None, tuple[Level, ...]],
    future: tuple[OneSide | None, tuple[Level, ...]],
    pairs: Sequence[ValuePair],
) -> Level:
    """Return log max over pairs of B(j, k)·F(j, k), what the two sides add to the leakage at a time.

    Args: each side with its finite budgets, as from `side_of`; pairs, of values that are possible at that time.
    Returns: the level: exact where all ratios are in one field, else a formula enclosed to any precision.
    """
    sides = [side for side, _ in (past, future) if side is not None]
    if any(tells_apart(side, pair) for side in sides for pair in pairs):
        return INFINITE
    telling = tuple(
        (j, k) for j, k in pairs if any(side.steps[-1][j] != side.steps[-1][k] for side in sides)
    )  # the nearest budget is above 0: where the rows differ, the ratio is above 1
    if not telling:
        return ZERO
    return Level.of_formula(WorstRatio(past[0], future[0], telling), (*past[1], *future[1]))


def per_step(correlation: Correlation | None, steps: int, name: str) -> list[tuple[Row, ...]] | None:
    """Return the rows of the matrix of each step.

    Raises: InvalidRequest where they are not as many, or differ in size.
    """
    if correlation is None:
        return None
    matrices = [correlation] * steps if isinstance(correlation, TransitionMatrix) else list(correlation)
    if len(matrices) != steps:
        raise InvalidRequest(f"{name}: {len(matrices)} matrices for {steps} steps between releases")
    if len({matrix.n for matrix in matrices}) > 1:
        raise InvalidRequest(f"{name}: the matrices differ in size")
    return [matrix.rows for matrix in matrices]


def _size(correlation: Correlation) -> int:
    """Return the number of states, 0 where there is no matrix."""
    if isinstance(correlation, TransitionMatrix):
        return correlation.n
    return correlation[0].n if correlation else 0


def tight_leakage(
    epsilons: Sequence[Level],
    backward: Correlation | None = None,
    forward: Correlation | None = None,
    possible: Sequence[Collection[int]] | None = None,
) -> Leakage:
    """Return the worst BPL, FPL and TPL at each time over all mechanisms with these budgets: theorem (sweep).

    Args: epsilons, PL_0(M^t) for t = 1..T, T ≥ 1; backward, P^B for all times or the T − 1 matrices Pr(l^{t−1} | l^t)
    of t = 2..T, None where it is not known; forward, P^F or the matrices Pr(l^{t+1} | l^t) of t = 1..T − 1; possible,
    for each time the values, from 0, that have positive probability: all of them where it is None. Returns: the
    levels, attained by some mechanism each (for FPL of those that do not depend on earlier outputs), and so at most
    those of the paper's recursions: exact where all ratios e^ε are in one field, else enclosed to any precision.
    Raises: InvalidRequest without a release, or where numbers or sizes of matrices differ; Undecided.
    """
    if not epsilons:
        raise InvalidRequest("there is no release: give at least one budget")
    times = len(epsilons)
    back, onward = per_step(backward, times - 1, "backward"), per_step(forward, times - 1, "forward")
    sizes = {name: _size(own) for name, own in (("backward", backward), ("forward", forward)) if own is not None}
    if len(set(sizes.values()) - {0}) > 1:
        raise InvalidRequest(f"the backward matrix has {sizes['backward']} states, the forward one {sizes['forward']}")
    n = max(sizes.values(), default=0)
    bpl, fpl, tpl = [], [], []
    nothing: tuple[OneSide | None, tuple[Level, ...]] = (None, ())
    for t in range(times):
        values = sorted(range(n) if possible is None else possible[t])
        pairs = list(permutations(values, 2))
        past = nothing if back is None else side_of(back[:t], epsilons[:t])
        future = nothing if onward is None else side_of(onward[t:][::-1], epsilons[t + 1 :][::-1])
        own = ZERO if len(values) < 2 and (n or possible is not None) else epsilons[t]
        bpl.append(own + added(past, nothing, pairs))
        fpl.append(own + added(nothing, future, pairs))
        tpl.append(own + added(past, future, pairs))
    return Leakage(tuple(bpl), tuple(fpl), tuple(tpl))


def tight_supremum(
    epsilon: Level, backward: TransitionMatrix | None = None, forward: TransitionMatrix | None = None
) -> Level:
    """Return the supremum over all horizons and times of the tight TPL with one budget at every time.

    With one correlation it is that of BPL or FPL: what they rise to, for B and F do not fall as the horizon grows.

    Args: epsilon, the budget of every release; backward, P^B, forward, P^F, for all times; None where not known. Both
    are taken as they are: they are one chain's at all times only if it is stationary and P^B its reversal. Returns:
    the level, ∞ where the criterion (`boundedness`) says so; otherwise enclosed to any precision. Raises:
    InvalidRequest where the sizes differ; Undecided, also where it is not approached in many releases.
    """
    known = [matrix for matrix in (backward, forward) if matrix is not None]
    if len({matrix.n for matrix in known}) > 1:
        raise InvalidRequest(f"the backward matrix has {known[0].n} states, the forward one {known[1].n}")
    if not known or epsilon.is_zero or epsilon.is_infinite:
        return epsilon
    if any(not boundedness(matrix, epsilon).is_bounded for matrix in known):
        return INFINITE
    nothing: tuple[OneSide | None, tuple[Level, ...]] = (None, ())
    past, future = (
        nothing if matrix is None else (OneSide((matrix.rows,), for_ever=True), (epsilon,))
        for matrix in (backward, forward)
    )
    return epsilon + added(past, future, list(permutations(range(known[0].n), 2)))
