"""Loss functions as the contract's operations use them: by the quickest exact method, or literally on request."""

from __future__ import annotations

from ..checked_loss import quick_loss_function
from ..reference import LossFunction, TransitionMatrix, literal_loss_function
from ..reference.paper.loss import Progress
from .limits import check_loss_function


def loss_function_of(matrix: TransitionMatrix, literal: bool = False, progress: Progress | None = None) -> LossFunction:
    """Build the whole loss function: by Algorithms 2 to 5 where literal, else by the quickest exact method.

    Returns: the same function either way, exact. Raises: InvalidRequest for a matrix that is too large for the method.
    """
    check_loss_function(matrix, literal)
    return literal_loss_function(matrix) if literal else quick_loss_function(matrix, progress)
