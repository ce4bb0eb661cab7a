"""The one door to the solvers of loss functions, and why answers are not checked where they are not.

What leaves by it, and by `checked`, has passed the check from above (`certificates.above_loss`, `above`), which shares
no code with what found it. A refuted answer is the error `Refuted`.
"""

from __future__ import annotations

from collections.abc import Callable

from .certificates.above_loss import Unchecked, check_loss, check_loss_function
from .reference import Level, LossFunction, TransitionMatrix
from .reference.paper.lfp import Subset
from .reference.paper.loss import Progress
from .solvers.loss import fast

FROM_ABOVE = "from above"

_REASONS: dict[str, None] = {}


def unchecked() -> tuple[str, ...]:
    """Return why answers since the last `forget` are not checked; nothing where all of them are."""
    return tuple(_REASONS)


def forget() -> None:
    """Begin anew: what is asked next is reported by itself."""
    _REASONS.clear()


def not_checked(reason: str) -> None:
    """Keep why an answer leaves without a check."""
    _REASONS[reason] = None


def prove(check: Callable[[], None]) -> None:
    """Run a check. What it neither proves nor refutes is kept by its reason. Raises: Refuted."""
    try:
        check()
    except Unchecked as error:
        not_checked(str(error))


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
