"""Loss functions and their values for the commands, with progress on a terminal; and what is printed if it ends."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from ..checked_loss import quick_optimum
from ..contract.limits import check_loss_function
from ..contract.losses import loss_function_of
from ..output.progress import patience
from ..reference import (
    InfeasibleBudget,
    Level,
    LiteralLossFunction,
    LossFunction,
    OracleError,
    TransitionMatrix,
    Undecided,
)
from ..reference.paper.lfp import Subset

if TYPE_CHECKING:
    from ..models.model import Answers, Model

Answer = TypeVar("Answer")

MANY_STATES = 100
"""Above this many states one value of L is sought by itself rather than read off the whole function."""

NOT_ALL = "Not all that was asked was worked out: what is here holds."


@contextmanager
def or_else(show: Callable[[], None]) -> Iterator[None]:
    """Show what holds already, where what the body works out is undecided or its body is interrupted."""
    try:
        yield
    except (Undecided, KeyboardInterrupt):
        show()
        sys.stdout.flush()
        raise


def answered_or_exactly(
    models: Sequence[Model], work: Callable[[Model], Answer], shown: Callable[[Answer], str]
) -> Answers[Answer]:
    """Ask each model as `answered`; where the paper's bound alone is asked and has no budget, say what the other bears.

    Args: shown, which writes the budget of an answer. Raises: as `answered`, the error then with that budget.
    """
    from ..models.model import answered
    from ..models.worst_case import WorstCase  # brings numpy, which not all commands need

    try:
        return answered(models, work)
    except InfeasibleBudget as error:
        if any(model.key == WorstCase.key for model in models):
            raise
        try:
            found = shown(work(WorstCase()))
        except OracleError:
            raise error from None
        raise InfeasibleBudget(f"{error}; the exact worst case allows {found}: --model worst-case") from None


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
