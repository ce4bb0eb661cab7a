"""The number of questions of a run: of each operation that is declared, more of each where fewer are declared.

Seven in eight have few states and are drawn from the seed alone, the others go across sizes. Where the truth is dear,
more are of those across sizes, which share truths.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ...contract.operations import OPERATIONS
from ..model import TIERS

EACH = {"smoke": 20, "standard": 3_000, "full": 8_000}
"""The least number of questions that each tier asks of every operation that is declared."""

IN_ALL = {"smoke": 100, "standard": 5_000, "full": 20_000}
"""The least number that each tier asks of all of them together, in equal parts."""

MOST_SEEDED = {
    "worst_case_leakage": 800,
    "worst_case_supremum": 200,
    "worst_case_allocate": 100,
    "leakage_profile": 200,
}
"""The most seeded questions of an operation whose truth is dear, in the standard tier, and four times as many in full.

The others share truths, across sizes.
"""

_SIZES_PART, _LEAST_SIZES = 4, 6
"""One question in _SIZES_PART is across sizes, and at least _LEAST_SIZES of an operation are."""


@dataclass(frozen=True, slots=True)
class QuestionBudget:
    """The number of questions of a run: of each operation the seeded ones, and by tier those across sizes."""

    seeded: Mapping[str, int]
    sizes: Mapping[str, Mapping[str, int]]

    @property
    def sized(self) -> int:
        """The number of questions across sizes."""
        return sum(sum(counts.values()) for counts in self.sizes.values())


def budget_of(tier: str, operations: Collection[str], questions: int | None = None) -> QuestionBudget:
    """Return the number of questions of each operation in a tier, those across sizes of the tiers before included.

    Args: questions, the number of each operation instead of the tier's.
    """
    asked = [op for op in OPERATIONS if op in operations]
    sizes: dict[str, dict[str, int]] = {}
    each, before = 0, dict.fromkeys(asked, 0)
    for first in TIERS[: TIERS.index(tier) + 1]:
        each = max(EACH[first], -(-IN_ALL[first] // max(len(asked), 1)))
        if questions is not None:
            each = questions if first == tier else min(each, questions)
        upto = {op: _sized(op, first, each) for op in asked}
        sizes[first] = {op: upto[op] - before[op] for op in asked}
        before = upto
    return QuestionBudget({op: each - before[op] for op in asked}, sizes)


def _sized(op: str, tier: str, each: int) -> int:
    most_seeded = MOST_SEEDED.get(op, each) * (4 if tier == TIERS[-1] else 1)
    return max(each // _SIZES_PART, min(each // 2, _LEAST_SIZES), each - most_seeded)
