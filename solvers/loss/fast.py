"""The method that the commands take: whichever exact one is the quickest for the size."""

from __future__ import annotations

from ...reference.correlations import TransitionMatrix
from ...reference.levels import Level
from ...reference.paper.lfp import Subset
from ...reference.paper.loss import LossFunction, Progress, loss_function

FEW_FOR_WHOLE = 12
FEW_FOR_ONE = 5
"""Up to this many states the literal method is quicker than setting up arrays: to the whole of L, and to one value."""


def quick_loss_function(matrix: TransitionMatrix, progress: Progress | None = None) -> LossFunction:
    """Build the whole loss function, Corollary 3 [col:L_func]. As `reference.loss_function`; exact."""
    if matrix.n <= FEW_FOR_WHOLE:
        return loss_function(matrix, progress)
    from .envelope import fast_loss_function  # brings numpy, which few states do not need

    return fast_loss_function(matrix, progress)


def quick_optimum(matrix: TransitionMatrix, alpha: Level, progress: Progress | None = None) -> Subset:
    """Return a set that attains L(alpha) over all pairs of rows, as `fast_optimum`; exact. Raises: Undecided."""
    from .dinkelbach import NOTHING, fast_optimum  # as above

    if matrix.n <= FEW_FOR_ONE:
        return loss_function(matrix, progress).piece_at(alpha).witness or NOTHING
    return fast_optimum(matrix, alpha, progress)
