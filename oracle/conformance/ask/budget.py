"""How many questions a run asks: so many of each operation that is declared, more where fewer are.

Half of them are seeded, half across sizes; where the truth is dear to work out, more are of those that share a truth.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ...contract.operations import OPERATIONS
from ..model import TIERS

EACH = {"smoke": 20, "standard": 3_000, "full": 8_000}
"""The least that each tier asks of every operation that is declared, in all."""

IN_ALL = {"smoke": 100, "standard": 5_000, "full": 20_000}
"""The least that each tier asks of all of them together, in equal parts."""

MOST_SEEDED = {"tight_leakage": 800, "tight_supremum": 200, "tight_allocate": 100, "leakage_profile": 200}
"""The most seeded cases of an operation whose truth is dear, in the standard tier, and four times as many in full."""


@dataclass(frozen=True, slots=True)
class QuestionBudget:
    """The cases of a run: of each operation the seeded ones, and by tier those across sizes."""

    seeded: Mapping[str, int]
    sizes: Mapping[str, Mapping[str, int]]

    @property
    def sized(self) -> int:
        """How many there are across sizes."""
        return sum(sum(counts.values()) for counts in self.sizes.values())


def budget_of(tier: str, operations: Collection[str], questions: int | None = None) -> QuestionBudget:
    """Return how many cases of each of the operations a tier has; those of the tiers before it are among them.

    Args: questions, so many of each operation instead of the tier's number.
    """
    asked = [op for op in OPERATIONS if op in operations]
    tiers = TIERS[: TIERS.index(tier) + 1]
    each = {first: _each(first, asked) for first in tiers}
    if questions is not None:
        each = {first: questions if first == tier else min(number, questions) for first, number in each.items()}
    seeded = {first: {op: _seeded(op, first, each[first]) for op in asked} for first in tiers}
    sizes: dict[str, dict[str, int]] = {}
    before = dict.fromkeys(asked, 0)
    for first in tiers:
        upto = {op: each[first] - seeded[first][op] for op in asked}
        sizes[first] = {op: upto[op] - before[op] for op in asked}
        before = upto
    return QuestionBudget(seeded[tier], sizes)


def _each(tier: str, asked: Collection[str]) -> int:
    return max(EACH[tier], -(-IN_ALL[tier] // max(len(asked), 1)))


def _seeded(op: str, tier: str, each: int) -> int:
    most = MOST_SEEDED.get(op)
    return each // 2 if most is None else min(each // 2, most * (4 if tier == TIERS[-1] else 1))
