"""The one door to the solvers of loss functions.

What leaves by it has passed the check from above (`certificates.above_loss`), which shares no code with what found it.
A refuted answer is the error `Refuted`.
"""

from __future__ import annotations

from .certificates.above_loss import check_loss, check_loss_function
from .reference import Level, LossFunction, TransitionMatrix
from .reference.paper.lfp import Subset
from .reference.paper.loss import Progress
from .solvers.loss import fast
from .unchecked import prove


def quick_loss_function(matrix: TransitionMatrix, progress: Progress | None = None) -> LossFunction:
    """Return the whole loss function, proved at each breakpoint and beyond. As `solvers.loss.fast`; raises: Refuted."""
    found = fast.quick_loss_function(matrix, progress)
    prove(lambda: check_loss_function(found))
    return found


def quick_optimum(matrix: TransitionMatrix, alpha: Level, progress: Progress | None = None) -> Subset:
    """Return a set that attains L(alpha), which is proved of all rows. As `solvers.loss.fast`; raises: Refuted."""
    found = fast.quick_optimum(matrix, alpha, progress)
    prove(lambda: check_loss(matrix, alpha, found.value(alpha)))
    return found
