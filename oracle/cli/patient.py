"""Loss functions and their values for the commands, with progress on a terminal."""

from __future__ import annotations

from ..contract.limits import check_loss_function
from ..contract.losses import loss_function_of
from ..output.progress import patience
from ..reference import Level, LiteralLossFunction, LossFunction, TransitionMatrix
from ..reference.lfp import Subset
from ..solvers.fast import quick_optimum

MANY_STATES = 100
"""Above this many states one value of L is sought by itself rather than read off the whole function."""


def patient_loss_function(matrix: TransitionMatrix, literal: bool = False) -> LossFunction:
    """Build the loss function as `loss_function_of`, with progress on a terminal."""
    with patience("loss function") as progress:
        return loss_function_of(matrix, literal, progress)


def optima(matrix: TransitionMatrix, alphas: list[Level], literal: bool = False) -> list[Subset | None]:
    """Return, for each level, a set that attains L there, None where it is the empty one; exact.

    Where literal, it is the value of Algorithm 1, and Algorithms 3 and 5 have been seen to agree.
    """
    if literal or matrix.n <= MANY_STATES:
        loss = patient_loss_function(matrix, literal)
        if isinstance(loss, LiteralLossFunction):
            return [loss.optimum(alpha) for alpha in alphas]
        return [loss.piece_at(alpha).witness for alpha in alphas]
    check_loss_function(matrix, literal)
    with patience("loss") as progress:
        found = [quick_optimum(matrix, alpha, progress) for alpha in alphas]
    return [optimum if optimum.indices else None for optimum in found]
