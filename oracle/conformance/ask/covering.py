"""Rows of doublings, one of each dimension, that together meet every pair of doublings that can be asked.

They are pairwise covering arrays (NIST IR 7878), built greedily as by AETG: each row is completed from a pair that no
row before has met, in every dimension by the doubling that meets the most further pairs. A pair can be asked if there
is an input of both doublings within a `DoublingGrid`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from math import inf
from random import Random

MOST_PRODUCT = 2**20
"""The most that n²·T is, n the states and T the releases of a question."""

FEW = 24
"""So many states or releases are few."""

MOST_SPENT = 700.0
"""The most that the budgets of more than FEW releases add up to: e^α is a double."""

Doublings = Mapping[str, int]
"""A doubling of some of the dimensions, by their names."""

Combination = tuple[tuple[str, int], ...]
"""Doublings of some dimensions, in the order of a grid."""


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
