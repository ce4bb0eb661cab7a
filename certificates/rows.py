"""What the proofs of the certificate checker do with a matrix: its sums, the loss by it, its sweeps.

The rules named here are in `checker.py`, which this file goes beside, as `reading.py` does. The standard library alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from operator import le, sub
from typing import TYPE_CHECKING

if TYPE_CHECKING or __package__:
    from .reading import ZERO, Level, Node, Pair
else:  # both in one folder, or in one archive
    from reading import ZERO, Level, Node, Pair


MOST_TURNS = 100


@dataclass(frozen=True)
class Matrix:
    """The rows that may be q and those that may be d, as integers over one denominator."""

    rows: list[list[int]]
    bottoms: list[list[int]]
    common: int

    @classmethod
    def of(cls, node: Node, *rows: Node, n: int = 0) -> Matrix:
        """Read distributions: these rows of n entries, or all items as a square matrix."""
        rows = rows or tuple(node.states())
        entries, common = node.over_one(*rows, n=n or len(rows))
        for row, own in zip(rows, entries, strict=True):
            row.require(sum(own) == common, "the row does not sum to 1")
        return cls(entries, entries, common)

    @cached_property
    def columns(self) -> list[list[int]]:
        """The columns, as integers over the same denominator."""
        return list(map(list, zip(*self.rows, strict=True)))

    def sums(self, rows: Node, subset: Node) -> Pair:
        """Return q_S and d_S over the common denominator; no rows (null) and no columns give 0 and 0."""
        if rows.value is None:
            return len(subset.items(0, 0)), 0
        i, k = rows.indices(len(self.rows))
        columns = subset.columns(len(self.rows[i]))
        q, d = (subset.total([row[j] for j in columns], self.common) for row in (self.rows[i], self.bottoms[k]))
        subset.require(q >= d, "the sum of q over the columns is below that of d")
        return q, d

    def attained(self, sums: Pair, at: Level) -> Level:
        """Return log g_S at the lower bound of a level, by (S)."""
        (q, d), (a, b), one = sums, at.lower, self.common
        if q == d or (q, d) == (one, 0):
            return ZERO if q == d else at
        ratio = q * (a - b) + one * b, d * (a - b) + one * b
        return Level(ratio, ratio)

    def none_exceeds(self, node: Node, ratio: Pair, factor: int, limit: int) -> None:
        """Reject unless factor · Σ_j (b q_j − a d_j)^+ ≤ limit for all rows q and d; λ = a/b."""
        sums = node.excesses(ratio, self.rows, self.bottoms, self.common)
        for i, row in enumerate(sums, 1):
            for k, total in enumerate(row, 1):
                node.require(total * factor <= limit, f"row {i} of q over row {k} of d gives more")

    def loss_at_most(self, node: Node, at: Level, claim: Level) -> None:
        """Reject unless (U) gives that the loss at a level is at most the claim."""
        if not at <= claim:
            (a, b), (e, m) = claim.lower, at.upper
            self.none_exceeds(node, (a, b), e - m, (a - b) * m * self.common)

    def first(self, node: Node, pair: Pair, ratio: Fraction, bits: int) -> list[int]:
        """Return P_j − λ P_k in units of 2^−bits, rounded upward."""
        q, d, (a, b) = self.rows[pair[0]], self.rows[pair[1]], ratio.as_integer_ratio()
        c = list(map(sub, node.scaled(b << bits, q), node.scaled(a << bits, d)))
        return node.divided(c, b * self.common, up=True)

    @staticmethod
    def weighted(node: Node, c: list[int], budget: int, bits: int) -> list[int]:
        """Return Φ(c), rounded upward; budget, e^ε in units of 2^−bits."""
        greater = node.divided(node.scaled(budget, c), 1 << bits, up=True)
        return [y if x > 0 else x for x, y in zip(c, greater, strict=True)]

    def stepped(self, node: Node, c: list[int]) -> list[int]:
        """Return P^T c, rounded upward."""
        return node.divided(node.products(self.columns, c, self.common), self.common, up=True)

    def barrier(self, node: Node, budget: int, bits: int) -> list[int]:
        """Read h = above − below, as integers; reject unless Ψ^d(h) ≤ θ h with θ < 1, as (Z) needs; d, turns, or 1."""
        has_turns = isinstance(node.value, dict) and "turns" in node.value
        a, b = node.having("above below theta" + " turns" * has_turns)["theta"].number().as_integer_ratio()
        turns = node["turns"].integer_within(2, MOST_TURNS, "turns") if has_turns else 1
        node["theta"].require(a < b, "it is not below 1")
        (up, down), _ = node.over_one(node["above"], node["below"], n=len(self.rows))
        h = list(map(sub, up, down))
        exact = after = node.scaled(self.common << turns * bits, h)  # so that at the first step nothing is rounded
        for _ in range(turns):
            after = self.stepped(node, self.weighted(node, after, budget, bits))
        kept = all(map(le, node.scaled(b, after), node.scaled(a, exact)))
        node.require(kept, "after its turns h has not declined by theta")
        return h

    def leads(self, values: list[int], to: list[int]) -> bool:
        """Whether each of these values is followed by one of those surely."""
        return all(sum([self.rows[a][b] for b in to]) == self.common for a in values)


NO_ROWS = Matrix([], [], 1)


@dataclass(frozen=True)
class Steps:
    """The matrices of the steps between releases, counted from 0: one of all, one of each, or some that repeat."""

    matrices: list[Matrix]
    is_one: bool = True

    @classmethod
    def of(cls, node: Node, count: int) -> Steps:
        """Read the matrices of all steps: null, a matrix, {"steps": […]} or {"cycle": […]}, all of one size."""
        if node.value is None:
            return cls([])
        if not isinstance(node.value, dict):
            return cls([Matrix.of(node)])
        if "cycle" in node.value:
            found = [Matrix.of(own) for own in node.having("cycle")["cycle"].steps()]
        else:
            found = [Matrix.of(own) for own in node.having("steps")["steps"].items(count, count)]
        node.require(len({len(own.rows) for own in found}) < 2, "the matrices differ in size")
        return cls(found, is_one=False)

    @property
    def n(self) -> int:
        """The number of values, 0 where nothing is known."""
        return len(self.matrices[0].rows) if self.matrices else 0

    def at(self, step: int) -> Matrix:
        """Return the matrix of a step."""
        return self.matrices[step % len(self.matrices)]

    def sweeps(self, budgets: list[int], t: int, is_past: bool) -> list[tuple[int, int]]:
        """Return e^ε and the place of the matrix that leads there, of each release on one side of t, the nearest first.

        Args: budgets, e^ε at all times.
        """
        times = range(t)[::-1] if is_past else range(t + 1, len(budgets))
        return [(budgets[s], (s if is_past else s - 1) % len(self.matrices)) for s in times]

    def swept(self, node: Node, c: list[int], releases: list[tuple[int, int]], bits: int) -> None:
        """Reject unless (W) gives from c on, at the nearest of the releases, that no ratio is greater."""
        for (budget, _), (_, place) in pairwise(releases):
            if max(c) <= 0:
                return
            own = self.matrices[place]
            c = own.stepped(node, own.weighted(node, c, budget, bits))
        last = sum(Matrix.weighted(node, c, releases[-1][0], bits))
        node.require(last <= 0, "a mechanism is not proved to have no greater ratio")

    def answered(self, sets: list[Node], budgets: list[Level], steps: list[int], bits: int, up: bool) -> list[int]:
        """Return f by (Y) for these sets, that of the farthest release first, rounded; steps, which led to each."""
        f = [1 << bits] * self.n
        for subset, budget, step in zip(sets, budgets, steps, strict=True):
            own, weight = self.at(step), subset.grid(budget.upper if up else budget.lower, bits, up)
            greater = subset.divided(subset.scaled(weight, f), 1 << bits, up)
            for a in subset.columns(len(f)):
                f[a] = greater[a]
            f = subset.divided(subset.products(own.rows, f, own.common), own.common, up)
        return f
