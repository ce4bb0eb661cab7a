"""Adversaries and their loss functions, from the matrices that each knows."""

from __future__ import annotations

from collections.abc import Mapping

from ..contract.losses import loss_function_of
from ..reference import Adversary, LossFunction, TransitionMatrix
from ..reference.loss import Progress
from .files import ROLES

Known = Mapping[str, TransitionMatrix]
"""The matrices that an adversary knows, by role."""


def adversaries_of(
    matrices: Mapping[str, Known], literal: bool = False, progress: Progress | None = None
) -> dict[str, Adversary]:
    """Build the adversaries; equal matrices share one loss function. Raises: InvalidRequest for too large a matrix."""
    losses: dict[TransitionMatrix, LossFunction] = {}
    for known in matrices.values():
        for matrix in known.values():
            if matrix not in losses:
                losses[matrix] = loss_function_of(matrix, literal, progress)
    return {
        name: Adversary(*(losses[known[role]] if role in known else None for role in ROLES))
        for name, known in matrices.items()
    }


def losses_of(adversaries: Mapping[str, Adversary]) -> list[LossFunction]:
    """Return the distinct loss functions of the adversaries."""
    found: dict[int, LossFunction] = {}
    for adversary in adversaries.values():
        for loss in (adversary.backward, adversary.forward):
            if loss is not None:
                found[id(loss)] = loss
    return list(found.values())
