"""Leakage straight from the definitions: every output sequence and every pair of values, in exact arithmetic.

Definitions 5–7 and 9 [def:tpl, def:combined_pl] on a Markov chain with an initial distribution and finite
mechanisms. The cost grows with the number of outputs to the power of the number of releases; this is the ground that
all else stands on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, permutations, product

from .correlations import Row, TransitionMatrix, check_initial, reverse
from .errors import InvalidRequest
from .levels import INFINITE, ZERO, Level
from .stepwise import Correlation, matrices_in, matrices_over
from .worst_case.mechanisms import Mechanism, greatest_ratio


@dataclass(frozen=True)
class LiteralStream:
    """A person's Markov chain and the mechanisms that release something about it at the times 1..T.

    Args: initial, the distribution of l^1; forward, Pr(l^{t+1} | l^t); mechanisms, one per time, over the same values.
    Raises: InvalidRequest where sizes differ, NegativeProbability, NotStochastic.
    """

    initial: Row
    forward: TransitionMatrix
    mechanisms: tuple[Mechanism, ...]

    def __post_init__(self) -> None:
        check_initial(self.initial, self.forward.n)
        if not self.mechanisms or any(mechanism.n != self.forward.n for mechanism in self.mechanisms):
            raise InvalidRequest("a stream has at least one mechanism, each over the values of its chain")

    @cached_property
    def marginals(self) -> tuple[Row, ...]:
        """The distribution of l^t at each time. Exact."""
        rows = [self.initial]
        for _ in self.mechanisms[1:]:
            rows.append(_pushed(rows[-1], self.forward))
        return tuple(rows)

    def backward(self, time: int) -> TransitionMatrix:
        """Return Pr(l^{t−1} | l^t) at t = time ≥ 2, by Bayes. Exact. Raises: UnreachableState."""
        return reverse(self.forward, self.marginals[time - 2])

    def bpl(self, time: int) -> Level:
        """Return BPL at a time, Definition 6, Eq. [eq:bpl1]. Exact, over all outputs r^1..r^t and values."""
        return greatest_ratio(self._given_value(time, 1, time))

    def fpl(self, time: int) -> Level:
        """Return FPL at a time, Definition 7, Eq. [eq:fpl1]. Exact, over all outputs r^t..r^T and values."""
        return greatest_ratio(self._given_value(time, time, len(self.mechanisms)))

    def tpl(self, time: int) -> Level:
        """Return TPL at a time, Definition 5 [def:tpl], Eq. [eq:tpl1]. Exact, over all outputs r^1..r^T and values."""
        return greatest_ratio(self._given_value(time, 1, len(self.mechanisms)))

    def sequence_tpl(self, start: int, length: int) -> Level:
        """Return TPL of the mechanisms start..start + length − 1, Definition 9 [def:combined_pl].

        Exact, over all outputs and all pairs of value sequences that the chain can take.
        """
        return greatest_ratio(self._given_values(start, start + length - 1))

    def _given_value(self, time: int, first: int, last: int) -> Iterator[list[Fraction]]:
        """Yield, for each output sequence r^first..r^last, its probability given each value of l^time."""
        possible = [value for value, p in enumerate(self.marginals[time - 1]) if p]
        for outputs in self._outputs(first, last):
            past = self._past(outputs, first, time)
            future = self._future(outputs, first, time, last)
            marginal = self.marginals[time - 1]
            yield [past[value] / marginal[value] * future[value] for value in possible]

    def _given_values(self, first: int, last: int) -> Iterator[list[Fraction]]:
        """Yield, for each output sequence r^1..r^T, its probability given each possible l^first..l^last."""
        horizon = len(self.mechanisms)
        paths = [
            path for path in product(range(self.forward.n), repeat=last - first + 1) if self._is_possible(path, first)
        ]
        for outputs in self._outputs(1, horizon):
            past = self._past(outputs, 1, first)
            future = self._future(outputs, 1, last, horizon)
            yield [
                past[path[0]]
                / self.marginals[first - 1][path[0]]
                * self._between(path, outputs, first)
                * future[path[-1]]
                for path in paths
            ]

    def _outputs(self, first: int, last: int) -> Iterator[tuple[int, ...]]:
        return product(*(mechanism.outputs for mechanism in self.mechanisms[first - 1 : last]))

    def _past(self, outputs: Sequence[int], first: int, time: int) -> Row:
        """Return Pr(r^first..r^time, l^time) for each value; outputs starts with r^first."""
        row = self.marginals[first - 1]
        for now in range(first, time + 1):
            if now > first:
                row = _pushed(row, self.forward)
            channel = self.mechanisms[now - 1].channel
            row = tuple(p * channel[value][outputs[now - first]] for value, p in enumerate(row))
        return row

    def _future(self, outputs: Sequence[int], first: int, time: int, last: int) -> Row:
        """Return Pr(r^{time+1}..r^last | l^time) for each value; outputs starts with r^first."""
        row: Row = (Fraction(1),) * self.forward.n
        for now in range(last, time, -1):
            channel = self.mechanisms[now - 1].channel
            row = _expected(
                self.forward, tuple(channel[value][outputs[now - first]] * p for value, p in enumerate(row))
            )
        return row

    def _between(self, path: Sequence[int], outputs: Sequence[int], first: int) -> Fraction:
        """Return Pr(r^{first+1}..r^last | l^first..l^last); outputs starts with r^1."""
        result = Fraction(1)
        for step, value in enumerate(path[1:], 1):
            result *= self.mechanisms[first + step - 1].channel[value][outputs[first + step - 1]]
        return result

    def _is_possible(self, path: Sequence[int], first: int) -> bool:
        return self.marginals[first - 1][path[0]] > 0 and all(self.forward.rows[a][b] > 0 for a, b in pairwise(path))


def leakage_by_definition(
    mechanisms: Sequence[Mechanism],
    time: int,
    backward: Correlation | None = None,
    forward: Correlation | None = None,
) -> Level:
    """Return TPL at a time, Definition 5 [def:tpl], of mechanisms to an adversary who knows these matrices.

    As `LiteralStream.tpl` where both are one chain's at all times; with one matrix alone it is BPL or FPL. Past,
    present and future are independent given the value, so that the outputs of each are looked at by themselves, all of
    them.
    Args: mechanisms, one per time, over the same values; time, from 1; backward, forward, a matrix for all steps, or
    one for each. Returns: the level, exact. Raises: InvalidRequest where sizes differ or there is no such time.
    """
    n = mechanisms[0].n if mechanisms else 0
    sizes = [own.n for own in mechanisms] + [own.n for own in (*matrices_in(backward), *matrices_in(forward))]
    if not 1 <= time <= len(mechanisms) or set(sizes) != {n}:
        raise InvalidRequest("the time is one of the mechanisms', which are over the values of the matrices")
    steps = len(mechanisms) - 1
    before = None if backward is None else matrices_over(backward, steps, "backward")[: time - 1]
    after = None if forward is None else matrices_over(forward, steps, "forward")[time - 1 :][::-1]
    past = _told_from_afar(mechanisms[: time - 1], before, n)
    future = _told_from_afar(mechanisms[time:][::-1], after, n)
    present = _seen({(Fraction(1),) * n}, mechanisms[time - 1])
    best = Fraction(1)
    for j, k in permutations(range(n), 2):
        ratio = Fraction(1)
        for told in (past, present, future):
            if any(row[j] and not row[k] for row in told):
                return INFINITE
            ratio *= max(row[j] / row[k] for row in told if row[k])
        best = max(best, ratio)
    return Level.of_ratio(best) if best > 1 else ZERO


def _told_from_afar(mechanisms: Sequence[Mechanism], steps: Sequence[TransitionMatrix] | None, n: int) -> set[Row]:
    """Return the likelihoods of all outputs on one side of a time, the farthest mechanism first, up to scale."""
    told: set[Row] = {(Fraction(1),) * n}
    if steps is None:
        return told
    for mechanism, step in zip(mechanisms, steps, strict=True):
        told = {_scaled(_expected(step, row)) for row in _seen(told, mechanism)}
    return told


def _seen(told: set[Row], mechanism: Mechanism) -> set[Row]:
    """Return the likelihoods of what was told before with each of a mechanism's outputs, up to scale."""
    columns = {_scaled(column) for column in zip(*mechanism.channel, strict=True) if any(column)}
    rows = {tuple(p * q for p, q in zip(row, column, strict=True)) for row in told for column in columns}
    return {_scaled(row) for row in rows if any(row)}


def _scaled(row: Row) -> Row:
    total = sum(row, Fraction(0))
    return tuple(value / total for value in row)


def _expected(matrix: TransitionMatrix, row: Row) -> Row:
    """Return the mean of a function of the other time's value, given each value of this one."""
    return tuple(sum((p * q for p, q in zip(step, row, strict=True)), Fraction(0)) for step in matrix.rows)


def _pushed(row: Row, forward: TransitionMatrix) -> Row:
    """Return the distribution (or measure) one step later."""
    return tuple(
        sum((p * step[value] for p, step in zip(row, forward.rows, strict=True)), Fraction(0))
        for value in range(forward.n)
    )
