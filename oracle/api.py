"""The public Python API's own functions: exact answers by whichever exact method is the quickest for the size."""

from __future__ import annotations

from .reference import Adversary, Level, LossFunction, TransitionMatrix
from .reference.leakage import check_sizes
from .solvers.fast import quick_loss_function, quick_optimum


def loss(matrix: TransitionMatrix, alpha: Level) -> Level:
    """Return L(alpha), the loss that a correlation adds to leakage alpha, Eq. [eq:lfp_sol_b].

    Args: matrix, P^B or P^F; alpha, the previous BPL or the next FPL. Returns: the level, exact. Raises: Undecided.
    """
    return quick_optimum(matrix, alpha).value(alpha)


def loss_function(matrix: TransitionMatrix) -> LossFunction:
    """Build the whole loss function of a transition matrix, Corollary 3 [col:L_func].

    Args: matrix, P^B or P^F.
    Returns: L on [0, ∞), exact: the same pieces, breakpoints and witnesses as `tploracle.reference.loss_function`, and
    as the paper's algorithms, `tploracle.reference.literal_loss_function`. Doubles choose what to look at; exact
    integers decide.
    """
    return quick_loss_function(matrix)


def adversary(backward: TransitionMatrix | None = None, forward: TransitionMatrix | None = None) -> Adversary:
    """Build the adversary A^T(P^B, P^F), Definition 4 [def:adversary_t], who knows the correlations that are given.

    Args: backward, forward: P^B, P^F, None where not known. Returns: the same adversary as
    `tploracle.reference.Adversary.knowing`, exact; the loss functions are built as by `loss_function`, once if equal.
    Raises: InvalidRequest for matrices of different sizes.
    """
    check_sizes(backward, forward)
    matrices = {matrix for matrix in (backward, forward) if matrix is not None}
    losses = {matrix: quick_loss_function(matrix) for matrix in matrices}
    return Adversary(*(None if matrix is None else losses[matrix] for matrix in (backward, forward)))
