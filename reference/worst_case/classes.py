"""Communicating classes of a chain: which are closed, which values are transient, and how each class cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of values that lead to one another, by index from 0.

    closed: those that nothing leaves, each in ascending order; transient: the values of no closed class; open: the
    other classes, a value that does not lead back to itself being one of its own.
    """

    closed: tuple[tuple[int, ...], ...]
    open: tuple[tuple[int, ...], ...]

    @property
    def transient(self) -> tuple[int, ...]:
        """The values of the classes that are not closed, in ascending order."""
        return tuple(sorted(value for own in self.open for value in own))


def classes_of(rows: Sequence[Sequence[Fraction]]) -> Classes:
    """Return the classes of a stochastic matrix; rows lead to columns. Exact, by supports alone."""
    n = len(rows)
    reach = [sum(1 << b for b, p in enumerate(row) if p) | 1 << a for a, row in enumerate(rows)]
    for middle in range(n):
        through = reach[middle]
        for a in range(n):
            if reach[a] >> middle & 1:
                reach[a] |= through
    closed: list[tuple[int, ...]] = []
    others: list[tuple[int, ...]] = []
    seen = 0
    for a in range(n):
        if seen >> a & 1:
            continue
        own = tuple(b for b in range(n) if reach[a] >> b & 1 and reach[b] >> a & 1)
        seen |= sum(1 << b for b in own)
        (closed if reach[a] == sum(1 << b for b in own) else others).append(own)
    return Classes(tuple(closed), tuple(others))


def cyclic_parts(rows: Sequence[Sequence[Fraction]], own: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return the parts that a class passes through in turn: one where it is aperiodic. Exact.

    Args: own, a class of which each value leads to the others. The number of parts is its period.
    """
    level = {own[0]: 0}
    queue, period = [own[0]], 0
    members = set(own)
    for a in queue:
        for b in members:
            if rows[a][b]:
                if b not in level:
                    level[b] = level[a] + 1
                    queue.append(b)
                period = gcd(period, level[a] + 1 - level[b])
    period = period or 1
    return tuple(tuple(sorted(a for a in own if level[a] % period == part)) for part in range(period))
