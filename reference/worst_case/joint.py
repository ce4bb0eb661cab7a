"""Streams as a whole, whose releases share a state, or noise, or look at earlier ones: by their definition.

A joint mechanism is any randomised function of all of a person's values. Its budget at time s is ε_s where changing
the value at s alone moves the likelihood of every output by a factor of at most e^{ε_s}: event-level privacy, asked of
**all** sequences of values, of those too that the chain never takes. Theorem (joint), docs/worst-case.md: with these
budgets TPL_t is at most what the sweep gives for mechanisms that look at the value of their own time alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from flint import fmpz

from ..correlations import Row, check_distribution
from ..errors import InvalidRequest
from ..levels import ZERO, Level
from ..stepwise import Correlation
from .leakage import per_step
from .mechanisms import greatest_ratio, truncated_geometric

ValuePath = tuple[int, ...]
"""A sequence of values l^1..l^T, from 0."""

Outputs = tuple[Hashable, ...]
"""What is released at each time, r^1..r^T."""

Likelihoods = Mapping[Outputs, Fraction]

_ROOT_UNITS = 1_000
"""Noise of a tree counter's nodes is a whole multiple of the inverse of this, but for that of the greatest ones."""


@dataclass(frozen=True, slots=True)
class JointMechanism:
    """Pr(r^1..r^T | l^1..l^T), for every sequence of values; an output that is not there has the probability 0.

    Args: n, the number of values; channel, for each of the n^T sequences of values a distribution of outputs.
    Raises: InvalidRequest where a sequence is missing, or outputs and values differ in number; NegativeProbability,
    NotStochastic.
    """

    n: int
    channel: Mapping[ValuePath, Likelihoods]

    def __post_init__(self) -> None:
        releases = {len(values) for values in self.channel}
        releases |= {len(outputs) for own in self.channel.values() for outputs in own}
        if len(releases) != 1 or set(self.channel) != set(product(range(self.n), repeat=max(releases))):
            raise InvalidRequest("a joint mechanism has outputs of all releases for every sequence of values")
        for values, own in self.channel.items():
            check_distribution(tuple(own.values()), f"the outputs given {values}", "output")

    @property
    def releases(self) -> int:
        """The number of releases T."""
        return len(next(iter(self.channel)))

    def budget(self, time: int) -> Level:
        """Return ε_s, s = time from 1: the greatest log-ratio over all sequences that differ at s alone. Exact."""
        outputs = {own for likelihoods in self.channel.values() for own in likelihoods}
        zero, s = Fraction(0), time - 1
        found = ZERO
        for rest in product(range(self.n), repeat=self.releases - 1):
            near = [self.channel[(*rest[:s], value, *rest[s:])] for value in range(self.n)]
            found = max(found, greatest_ratio([own.get(output, zero) for own in near] for output in outputs))
        return found

    def leakage(
        self,
        time: int,
        backward: Correlation,
        forward: Correlation,
        *,
        seen: Sequence[int] | None = None,
        window: tuple[int, int] | None = None,
        possible: Collection[int] | None = None,
    ) -> Level:
        """Return what the outputs tell of the value at a time: TPL, Definition 5 [def:tpl]. Exact, all are looked at.

        Args: time, from 1; backward, forward, the matrices for all steps, or one for each, as in `worst_case_leakage`;
        seen, what the mechanism sees of each value of the chain, as one of its own n, each value itself where it is
        None; window, the first and the last release of which the outputs are seen: (1, time) gives BPL as Definition 6
        has it, (time, T) FPL by Definition 7; all where it is None; possible, the values that can occur at that time,
        from 0, all where it is None.
        Raises: InvalidRequest where matrices differ in number or size.
        """
        shown = range(self.n) if seen is None else seen
        steps = self._steps(backward, forward, len(shown))
        told = self._given(time, steps, shown, window or (1, self.releases))
        return greatest_ratio(
            [own.get(outputs, Fraction(0)) for value, own in enumerate(told) if possible is None or value in possible]
            for outputs in {outputs for own in told for outputs in own}
        )

    def _steps(
        self, backward: Correlation, forward: Correlation, values: int
    ) -> tuple[list[tuple[Row, ...]], list[tuple[Row, ...]]]:
        steps = per_step(backward, self.releases - 1, "backward"), per_step(forward, self.releases - 1, "forward")
        sizes = {len(rows) for own in steps for rows in own or ()}
        if sizes - {values}:
            raise InvalidRequest(f"the mechanism is about {values} values, the matrices are not")
        return steps[0] or [], steps[1] or []

    def _given(
        self,
        time: int,
        steps: tuple[list[tuple[Row, ...]], list[tuple[Row, ...]]],
        shown: Sequence[int],
        window: tuple[int, int],
    ) -> list[dict[Outputs, Fraction]]:
        """Return for each value at a time the likelihoods of the outputs of a window of releases."""
        found, (first, last) = [], window
        for value in range(len(shown)):
            likelihoods: dict[Outputs, Fraction] = defaultdict(Fraction)
            past = list(_paths(steps[0][: time - 1][::-1], value, shown))
            future = list(_paths(steps[1][time - 1 :], value, shown))
            for (before, p), (after, q) in product(past, future):
                for outputs, chance in self.channel[(*reversed(before), shown[value], *after)].items():
                    likelihoods[outputs[first - 1 : last]] += p * q * chance
            found.append(likelihoods)
        return found


def _paths(steps: Sequence[Sequence[Row]], value: int, shown: Sequence[int]) -> Iterator[tuple[ValuePath, Fraction]]:
    """Yield what is seen of the values on one side of a time, the nearest first, with their probabilities."""
    now: dict[tuple[ValuePath, int], Fraction] = {((), value): Fraction(1)}
    for rows in steps:
        onward: dict[tuple[ValuePath, int], Fraction] = defaultdict(Fraction)
        for (path, at), p in now.items():
            for to, q in enumerate(rows[at]):
                if p * q:
                    onward[(*path, shown[to]), to] += p * q
        now = onward
    together: dict[ValuePath, Fraction] = defaultdict(Fraction)
    for (path, _), p in now.items():
        together[path] += p
    yield from together.items()


AdaptiveRelease = Callable[[int, Outputs], Mapping[Hashable, Fraction]]
"""What is released: of the value, and of what was released before, a distribution."""


def adaptive(n: int, answers: Sequence[AdaptiveRelease]) -> JointMechanism:
    """Return the joint mechanism of releases each of which sees the value of its time and all earlier outputs."""
    channel: dict[ValuePath, dict[Outputs, Fraction]] = {(): {(): Fraction(1)}}
    for answer in answers:
        channel = {
            (*values, value): {
                (*earlier, output): p * q
                for earlier, p in own.items()
                for output, q in answer(value, earlier).items()
                if p * q
            }
            for values, own in channel.items()
            for value in range(n)
        }
    return JointMechanism(n, channel)


def tree_counter(releases: int, ratio: Fraction) -> JointMechanism:
    """Return the counter of a binary tree, event-level ε: at how many times so far the value was 1, and not 0.

    Each span of 2^h times that ends at a multiple of 2^h has a node, which tells at its end how many of its values were
    1, with discrete Laplace noise: a value is in one node of each height, and their budgets add up to ε. What is beyond
    0 and the span's length is cut off: it tells nothing more of the values. Args: releases T ≥ 1; ratio = e^ε ≥ 1.
    """
    if releases < 1 or ratio < 1:
        raise InvalidRequest("a counter has at least 1 release and a ratio of at least 1")
    heights = releases.bit_length()
    top = ratio.numerator * _ROOT_UNITS**heights // ratio.denominator
    root = Fraction(int(fmpz(top).root(heights)), _ROOT_UNITS)
    noise = [
        truncated_geometric(2**height + 1, ratio / root**height if height + 1 == heights else root).channel
        for height in range(heights)
    ]
    ending = [
        [height for height in range(heights) if time % 2**height == 0] for time in range(1, releases + 1)
    ]  # the nodes that end at each time
    channel: dict[ValuePath, Likelihoods] = {}
    for values in product(range(2), repeat=releases):
        told = [
            [noise[height][sum(values[time - 2**height : time])] for height in own]
            for time, own in enumerate(ending, 1)
        ]
        outputs = [list(product(*(range(len(row)) for row in rows))) for rows in told]
        chances = [
            {output: prod((row[of] for row, of in zip(rows, output, strict=True)), start=Fraction(1)) for output in own}
            for rows, own in zip(told, outputs, strict=True)
        ]
        channel[values] = {
            output: prod((own[part] for own, part in zip(chances, output, strict=True)), start=Fraction(1))
            for output in product(*outputs)
        }
    return JointMechanism(2, channel)
