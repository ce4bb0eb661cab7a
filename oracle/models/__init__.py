"""The two models of leakage behind one protocol, what their answers rest on, and schedules of budgets by either."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Model

NAMES = ("worst-case", "paper-bound")
"""The models by name: the exact worst case over all mechanisms, and the paper's bound, which is never below it."""


def models(name: str | None = None, literal: bool = False) -> tuple[Model, ...]:
    """Return the model of a name; without one both, the exact worst case first.

    Args: literal, whether the paper's own algorithms and the definitions answer where there is a choice.
    """
    from .paper_bound import PaperBound  # these bring numpy, which not all commands need
    from .worst_case import WorstCase

    both = (WorstCase(literal), PaperBound(literal))
    return tuple(model for model in both if name in (None, model.name))
