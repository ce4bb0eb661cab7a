"""How questions are spread: evenly over each dimension, and over pairs of doublings of two dimensions.

`Strata` has numbers that are spread evenly rather than drawn: the k-th of a name is the fractional part of a start,
drawn from the seed, and k times an irrational number. These are additive recurrences of square roots of primes, in
integers, so that they are the same on every machine. Of N of them, about N/m are in any m-th part, and two names are
spread over their square alike (Kronecker; Weyl's theorem).

`covering_rows` has rows of doublings, one of each dimension, that together meet every pair of doublings that can be
asked. They are pairwise covering arrays (NIST IR 7878), built greedily as by AETG: each row is completed from a pair
that no row before has met, in every dimension by the doubling that meets the most further pairs. A pair can be asked if
there is an input of both doublings within a `DoublingGrid`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, product
from math import inf, isqrt, ldexp
from random import Random
from typing import TypeVar

MOST_PRODUCT = 2**20
"""The most that n²·T is, n the states and T the releases of a question."""

FEW = 24
"""The greatest number of states or releases that counts as few."""

MOST_SPENT = 700.0
"""The most that the budgets of more than FEW releases add up to: e^α is a double."""

_BITS = 64
_WHOLE = 1 << _BITS
_NAMES = ("states", "releases", "level", "wide level", "any level", "special level")
_MORE_NAMES = ("schedule", "family", "second family", "start", "length")
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31)
_STEPS = {name: isqrt(prime << (2 * _BITS)) % _WHOLE for name, prime in zip(_NAMES + _MORE_NAMES, _PRIMES, strict=True)}

Choice = TypeVar("Choice")

Doublings = Mapping[str, int]
"""A doubling of some of the dimensions, by their names."""

Combination = tuple[tuple[str, int], ...]
"""Doublings of some dimensions, in the order of a grid."""


@dataclass(slots=True)
class Strata:
    """The sequences of one seed, by the names above."""

    seed: str
    _starts: dict[str, int] = field(default_factory=dict)

    def part(self, name: str, k: int, parts: int) -> tuple[int, int]:
        """Return the part of `parts` that the k-th number of a sequence is in, and its 64-bit place within the part."""
        if name not in self._starts:
            self._starts[name] = Random(f"{self.seed} {name}").getrandbits(_BITS)
        return divmod((self._starts[name] + k * _STEPS[name]) % _WHOLE * parts, _WHOLE)

    def count(self, name: str, k: int, least: int, most: int) -> int:
        """Return an integer of least … most (least is 1 or more), each doubling of them as likely as the others."""
        first, last = least.bit_length() - 1, most.bit_length() - 1
        place, within = self.part(name, k, last - first + 1)
        low, high = max(least, 1 << (first + place)), min(most, (2 << (first + place)) - 1)
        return low + (within * (high - low + 1) >> _BITS)

    def double(self, name: str, k: int, least: int, most: int) -> float:
        """Return a double of [2^least, 2^most), each doubling as likely as the others."""
        exponent, within = self.part(name, k, most - least)
        return ldexp((1 << 52) + (within >> (_BITS - 52)), least + exponent - 52)

    def one_of(self, name: str, k: int, choices: Sequence[Choice]) -> Choice:
        """Return one of several things, each as often as the others."""
        return choices[self.part(name, k, len(choices))[0]]


@lru_cache(maxsize=256)
def strata_of(seed: str) -> Strata:
    """Return the sequences of a seed."""
    return Strata(seed)


@dataclass(frozen=True, slots=True)
class DoublingGrid:
    """The doublings that are promised of an operation.

    states and releases: the most of them, 0 where there are none. has_window: whether there are starts and lengths.
    levels: from the first of these doublings to before the second, None where there are no levels; is_spent: whether a
    level is that of each release. highest: level.
    """

    states: int
    releases: int = 0
    has_window: bool = False
    levels: tuple[int, int] | None = None
    is_spent: bool = False
    highest: float = inf

    @property
    def dimensions(self) -> dict[str, range]:
        """The doublings of each dimension alone."""
        times = range(self.releases.bit_length())
        found = {"states": range(self.states.bit_length()), "releases": times}
        if self.has_window:
            found |= {"start": times, "length": times}
        if self.levels is not None:
            low, high = self.levels
            found["level"] = range(low, next((one for one in range(low, high) if 2.0**one > self.highest), high))
        return {name: doublings for name, doublings in found.items() if doublings}

    def span(self, row: Doublings) -> tuple[int, int]:
        """Return the least and the greatest number of releases of a question in a row, the first above if none is."""
        least, most = 1, min(max(self.releases, 1), MOST_PRODUCT >> 2 * row.get("states", 0))
        if "releases" in row:
            least, most = 1 << row["releases"], min(most, (2 << row["releases"]) - 1)
        if self.has_window:
            least = max(least, (1 << row.get("start", 0)) + (1 << row.get("length", 0)) - 1)
        if self.is_spent and "level" in row:
            most = min(most, max(FEW, int(MOST_SPENT / 2.0 ** (row["level"] + 1))))
        return least, most

    def fits(self, row: Doublings) -> bool:
        """Whether a question can be in a row; then one can in every dimension that it leaves open as well."""
        least, most = self.span(row)
        return least <= most

    def combinations(self, names: tuple[str, ...]) -> Iterator[Combination]:
        """Yield the combinations of doublings of some dimensions that can be asked."""
        for doublings in product(*(self.dimensions[name] for name in names)):
            row = tuple(zip(names, doublings, strict=True))
            if self.fits(dict(row)):
                yield row


@lru_cache(maxsize=64)
def covering_rows(grid: DoublingGrid, seed: str) -> tuple[Doublings, ...]:
    """Return rows of doublings in every dimension that meet every pair of a grid; the same for the same seed."""
    random, dimensions = Random(f"{seed} covering"), grid.dimensions
    strength = min(len(dimensions), 2)
    several = [one for names in combinations(dimensions, strength) for one in grid.combinations(names)]
    random.shuffle(several)
    left, rows = set(several), list[Doublings]()
    for one in several:
        if one in left:
            row = _completed(grid, dict(one), left, random)
            left.difference_update(combinations(row.items(), strength))
            rows.append(row)
    return tuple(rows)


def _completed(grid: DoublingGrid, row: dict[str, int], left: set[Combination], random: Random) -> Doublings:
    """Return a row with all dimensions, each with a doubling that fits and meets the most of what is left."""
    names = list(grid.dimensions)
    for name in random.sample(names, len(names)):
        if name not in row:
            choices = [one for one in grid.dimensions[name] if grid.fits({**row, name: one})]
            random.shuffle(choices)
            row[name] = max(choices, key=lambda one: _newly_met(names, row, (name, one), left))
    return {name: row[name] for name in names}


def _newly_met(names: list[str], row: Doublings, one: tuple[str, int], left: set[Combination]) -> int:
    place = names.index(one[0])
    return sum(((one, two) if place < names.index(two[0]) else (two, one)) in left for two in row.items())
