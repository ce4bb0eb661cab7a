"""Loss functions for the desk: the fast exact road, or the literal one where it is asked for."""

from __future__ import annotations

from .limits import check_loss_function
from .progress import patience
from .reference import Level, LossFunction, TransitionMatrix, loss_function
from .reference.lfp import Subset
from .reference.loss import Progress
from .solvers.fast import quick_loss_function, quick_optimum

MANY_STATES = 100
"""Above this many states one value of L is sought by itself rather than read off the whole function."""


def loss_function_of(matrix: TransitionMatrix, literal: bool = False, progress: Progress | None = None) -> LossFunction:
    """Build the whole loss function: by `reference` where literal, else by whichever exact road is the quickest.

    Returns: the same function either way, exact. Raises: InvalidRequest for a matrix that is too large for the road.
    """
    check_loss_function(matrix, literal)
    return (loss_function if literal else quick_loss_function)(matrix, progress)


def patient_loss_function(matrix: TransitionMatrix, literal: bool = False) -> LossFunction:
    """Build the loss function as `loss_function_of`, with progress on a terminal."""
    with patience("loss function") as progress:
        return loss_function_of(matrix, literal, progress)


def optima(matrix: TransitionMatrix, alphas: list[Level], literal: bool = False) -> list[Subset | None]:
    """Return, for each level, a set that attains L there; None where it is the empty one. Exact."""
    if literal or matrix.n <= MANY_STATES:
        loss = patient_loss_function(matrix, literal)
        return [loss.piece_at(alpha).witness for alpha in alphas]
    check_loss_function(matrix, literal)
    with patience("loss") as progress:
        found = [quick_optimum(matrix, alpha, progress) for alpha in alphas]
    return [optimum if optimum.indices else None for optimum in found]
