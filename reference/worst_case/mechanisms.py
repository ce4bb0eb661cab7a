"""Finite mechanisms with rational channels, whose leakage, Definition 2 [def:pl], can be enumerated.

A histogram that is published with noise has infinitely many outputs. What matters of one to a person's value are the
ratios of its likelihoods, and those of the counts of all others are known: they are taken away. Which counts are at
least 1 and which at most 0 then says everything about an output of whole numbers, and is an output here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, product
from math import prod

from ..correlations import Row, check_distribution
from ..errors import InvalidRequest, NotSquare
from ..levels import INFINITE, ZERO, Level


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A mechanism over one person's value with all else fixed: row l holds Pr(r | l) for every output r.

    Args: channel, n rows of the same length. Raises: NotSquare for an empty or ragged channel, NegativeProbability,
    NotStochastic.
    """

    channel: tuple[Row, ...]

    def __post_init__(self) -> None:
        if not self.channel or len({len(row) for row in self.channel}) != 1:
            raise NotSquare("a channel has at least one row, and rows of one length")
        for value, row in enumerate(self.channel, 1):
            check_distribution(row, f"row {value} of the channel", "output")

    @property
    def n(self) -> int:
        """The number of values."""
        return len(self.channel)

    @property
    def outputs(self) -> range:
        """The outputs, by index."""
        return range(len(self.channel[0]))

    def privacy_leakage(self) -> Level:
        """Return PL_0, Definition 2 [def:pl]: the greatest log Pr(r | l)/Pr(r | l') over outputs and values. Exact."""
        return greatest_ratio([row[r] for row in self.channel] for r in self.outputs)


def greatest_ratio(likelihoods: Iterable[Sequence[Fraction]]) -> Level:
    """Return the greatest log-ratio of two likelihoods of one output, over the outputs.

    Args: for each output its likelihood under each value. Returns: the level, exact; ∞ where an output is possible
    under one value and not under another. Outputs that are impossible under all values do not count.
    """
    best = Fraction(1)
    for output in likelihoods:
        high, low = max(output), min(output)
        if high and not low:
            return INFINITE
        if high:
            best = max(best, high / low)
    return Level.of_ratio(best) if best > 1 else ZERO


def randomized_response(n: int, ratio: Fraction) -> Mechanism:
    """Return the mechanism that tells the true value with odds ratio : 1 against each other one. PL_0 = log ratio.

    Args: n ≥ 2 values; ratio = e^ε ≥ 1.
    """
    _check(n, ratio)
    total = ratio + n - 1
    return Mechanism(
        tuple(tuple((ratio if value == r else Fraction(1)) / total for r in range(n)) for value in range(n))
    )


def truncated_geometric(n: int, ratio: Fraction) -> Mechanism:
    """Return the geometric mechanism on 0..n − 1 with outputs cut off at both ends. PL_0 = (n − 1)·log ratio.

    Neighbouring values differ by log ratio; as any two values of a person count here, the leakage is that of
    the two ends. Args: n ≥ 2 values; ratio = 1/p > 1, with Pr(noise = k) proportional to p^|k|.
    """
    _check(n, ratio)
    p = 1 / ratio
    inner, tail = (1 - p) / (1 + p), 1 / (1 + p)
    return Mechanism(
        tuple(tuple((tail if r in (0, n - 1) else inner) * p ** abs(r - value) for r in range(n)) for value in range(n))
    )


def subset_mechanism(n: int, ratio: Fraction) -> Mechanism:
    """Return the mechanism that publishes a random set of values and a noisy answer to "is my value in it?".

    Its columns are all the vectors in {1, e^ε}^n but the constant ones, up to scale, so that it attains every program
    of [eq:lfp] at once; PL_0 = log ratio. Args: n ≥ 2 values; ratio = e^ε ≥ 1.
    """
    _check(n, ratio)
    sets = list(chain.from_iterable(combinations(range(n), size) for size in range(1, n)))
    yes, no = ratio / (ratio + 1), 1 / (ratio + 1)
    share = Fraction(1, len(sets))
    return Mechanism(
        tuple(
            tuple(share * (yes if (value in chosen) == answer else no) for chosen in sets for answer in (True, False))
            for value in range(n)
        )
    )


def response_about(n: int, chosen: Collection[int], ratio: Fraction) -> Mechanism:
    """Return the noisy answer to "is my value in this set?". PL_0 = log ratio unless the set is empty or full.

    Its outputs are "yes" and "no", the true one with odds ratio : 1. Args: n ≥ 2 values; chosen, the set; ratio = e^ε.
    """
    _check(n, ratio)
    yes, no = ratio / (ratio + 1), 1 / (ratio + 1)
    return Mechanism(tuple((yes, no) if value in chosen else (no, yes) for value in range(n)))


def geometric_histogram(n: int, root: Fraction) -> Mechanism:
    """Return a histogram of whole numbers with noise: Pr(noise = k) proportional to root^−|k| on each of the n counts.

    A person who has another value changes two counts by 1 each, so PL_0 = 2·log root. Its outputs are the sets of
    counts that are at least 1, which is all that an output tells of the value. Args: n ≥ 2 values; root = e^{ε/2} > 1.
    """
    _check(n, root)
    return _histogram(n, ((root / (root + 1), 1 / (root + 1)), (1 / (root + 1), root / (root + 1))))


def laplace_histogram(n: int, root: Fraction) -> Mechanism:
    """Return a histogram with noise by Laplace's mechanism, Lap(2/ε) on each of the n counts, as far as told here.

    Told of each count is whether it is at least 1, at most 0, or between: less than the histogram itself tells, and
    enough for PL_0 = 2·log root. Args: n ≥ 2 values; root = e^{ε/2} ≥ 1.
    """
    _check(n, root)
    half, less = Fraction(1, 2), 1 / (2 * root)
    return _histogram(n, ((half, less, half - less), (less, half, half - less)))


def _histogram(n: int, told: tuple[Row, Row]) -> Mechanism:
    """Return the mechanism that tells something of each count. Args: told, of the value's own count, of another."""
    outputs = list(product(range(len(told[0])), repeat=n))
    return Mechanism(
        tuple(
            tuple(
                prod((told[count != value][of] for count, of in enumerate(output)), start=Fraction(1))
                for output in outputs
            )
            for value in range(n)
        )
    )


def _check(n: int, ratio: Fraction) -> None:
    if n < 2 or ratio < 1:
        raise InvalidRequest("a mechanism has at least 2 values and a ratio of at least 1")
