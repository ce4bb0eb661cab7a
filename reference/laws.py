"""Laws beyond the chains of Section 3.1 [subsec:adv]: chains of second order, and histories as they were observed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

from .correlations import Row
from .errors import InvalidRequest, NegativeProbability, NotStochastic, UnreachableState

PairLaw = tuple[Row, ...]
"""Probabilities of two values, one after the other: those of the first one are the rows."""


@dataclass(frozen=True, slots=True)
class SecondOrder:
    """A chain of second order: the law of the first two values, and of each value given the two before it.

    initial[a][b]: Pr(l^1 = a, l^2 = b); kernel[a][b][c]: Pr(l^{t+2} = c | l^t = a, l^{t+1} = b), in a row of zeros for
    two values that never follow each other.
    """

    initial: PairLaw
    kernel: tuple[PairLaw, ...]

    def __post_init__(self) -> None:
        n = self.n
        if any(len(row) != n for row in (*self.initial, *self.kernel, *(own for each in self.kernel for own in each))):
            raise InvalidRequest(f"a chain of second order of {n} values needs {n} × {n} pairs, and {n} rows for each")
        rows = [tuple(entry for row in self.initial for entry in row), *(row for each in self.kernel for row in each)]
        if any(entry < 0 for row in rows for entry in row):
            raise NegativeProbability("a probability of the chain of second order is negative")
        if sum(rows[0]) != 1 or any(sum(row) not in (0, 1) for row in rows[1:]):
            raise NotStochastic("probabilities of the chain of second order do not sum to 1")

    @property
    def n(self) -> int:
        """How many values there are."""
        return len(self.initial)

    def pairs(self, releases: int) -> list[PairLaw]:
        """Return Pr(l^t = a, l^{t+1} = b) for t = 1 … T − 1. Exact.

        Raises: UnreachableState for two values that follow each other, where it is not known what comes next.
        """
        found, values = [self.initial], range(self.n)
        for _ in range(releases - 2):
            now = found[-1]
            for a, b in product(values, values):
                if now[a][b] and not any(self.kernel[a][b]):
                    raise UnreachableState(f"values {a + 1} and {b + 1}, one after the other, are never followed")
            found.append(
                tuple(
                    tuple(sum((now[a][b] * self.kernel[a][b][c] for a in values), Fraction(0)) for c in values)
                    for b in values
                )
            )
        return found


@dataclass(frozen=True, slots=True)
class Histories:
    """Any law of the values at T times: a weight for each sequence of n values, and one more that all of them have.

    absorbing: values that are never left, from 0: sequences that leave one have no weight.
    """

    n: int
    releases: int
    weights: Mapping[tuple[int, ...], int]
    smoothing: Fraction = Fraction(0)
    absorbing: tuple[int, ...] = ()

    def is_possible(self, history: Sequence[int]) -> bool:
        """Whether a sequence leaves no value that is never left."""
        return all(a == b or a not in self.absorbing for a, b in pairwise(history))

    def possible(self) -> list[tuple[int, ...]]:
        """Return all sequences that are possible."""
        return [each for each in product(range(self.n), repeat=self.releases) if self.is_possible(each)]

    def __post_init__(self) -> None:
        values = range(self.n)
        for history, weight in self.weights.items():
            if weight and not self.is_possible(history):
                raise InvalidRequest("a history leaves a value that is never left")
            if len(history) != self.releases or any(value not in values for value in history) or weight < 0:
                raise InvalidRequest(f"a history has {self.releases} of {self.n} values, and a weight of at least 0")
        if self.smoothing < 0:
            raise InvalidRequest("smoothing is at least 0")
        if not self.smoothing and not any(self.weights.values()):
            raise UnreachableState("no history was observed, so there is nothing to estimate from")


def second_order(
    triples: Sequence[Sequence[Sequence[int]]],
    begun: Sequence[Sequence[int]],
    smoothing: Fraction | int = 0,
    absorbing: Collection[int] = (),
) -> SecondOrder:
    """Return the maximum-likelihood estimate of a chain of second order. Exact.

    Args: triples[a][b][c], how often three values followed each other; begun[a][b], how often a chain begins with two;
    smoothing, added to every count; absorbing, values that are never left, from 0. Raises: UnreachableState without a
    pair.
    """
    values = range(len(begun))

    def row(counts: Sequence[int], last: int) -> Row:
        if last in absorbing:
            return tuple(Fraction(value == last) for value in values)
        total = sum(counts) + len(values) * smoothing
        return tuple((count + smoothing) / Fraction(total) if total else Fraction(0) for count in counts)

    total = sum(map(sum, begun)) + len(values) ** 2 * smoothing
    if not total:
        raise UnreachableState("no transition was counted, so there is nothing to estimate from")
    initial = tuple(tuple((count + smoothing) / Fraction(total) for count in own) for own in begun)
    kernel = tuple(tuple(row(own, last) for last, own in enumerate(each)) for each in triples)
    return SecondOrder(initial, kernel)
