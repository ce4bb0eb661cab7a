"""The one door to the solvers of loss functions, and of the paper's recursions over a long stream.

What leaves by it has passed the check from above (`certificates.above_loss`), which shares no code with what found it.
A refuted answer is the error `Refuted`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from .certificates.above_loss import RecursionsAbove, check_loss, check_loss_function
from .reference import Adversary, Level, LossFunction, TransitionMatrix
from .reference.errors import Refuted
from .reference.paper.lfp import Subset
from .reference.paper.loss import Progress
from .solvers.loss import fast
from .solvers.loss.recursions import AGREEING_BITS, LongStream
from .unchecked import prove

if TYPE_CHECKING:
    from .solvers.loss.sparse import SparseLoss, SparseRows

FOLLOWED = 2.0**-40
"""Part by which a level may be below what the check has for it: more than rounding, less than anybody reads."""


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


def proved_sparse_leakage(rows: SparseRows, epsilon: Level, steps: int) -> tuple[list[tuple[float, float]], SparseLoss]:
    """Return BPL as `sparse_leakage` does, of which the upper ends are proved.

    Raises: as there; Refuted.
    """
    from .certificates.above_sparse import check_sparse_loss, sparse_levels_above  # with numpy, only where it is needed
    from .solvers.loss.sparse import sparse_leakage

    levels, loss = sparse_leakage(rows, epsilon, steps)
    prove(lambda: check_sparse_loss(rows.starts, rows.columns, rows.weights, loss.s.tolist(), loss.above.tolist()))
    proved = sparse_levels_above(epsilon, steps, loss.s, loss.above)
    if len(levels) != steps or any(
        upper < own * (1 - FOLLOWED) for (_, upper), own in zip(levels, proved, strict=True)
    ):
        raise Refuted("the recursion leads to more than was found; this is a fault of the program: report it")
    return [(lower, max(upper, own)) for (lower, upper), own in zip(levels, proved, strict=True)], loss


class CheckedStream(LongStream):
    """The leakage of a stream to one adversary by the recursions; what leaves has passed the check. Raises: Refuted."""

    def __init__(self, adversary: Adversary, epsilons: Sequence[Level]) -> None:
        """Take an adversary and budgets, as `LongStream`."""
        super().__init__(adversary, epsilons)
        self._given = adversary, epsilons

    @cached_property
    def _above(self) -> RecursionsAbove:
        adversary, epsilons = self._given
        return RecursionsAbove(adversary.backward, adversary.forward, epsilons)

    def _everywhere(self, level: Level) -> dict[int, Level]:
        return dict.fromkeys(range(len(self._given[1])), level)

    def leakage(self, time: int) -> tuple[Level, Level, Level]:
        """Return BPL, FPL and TPL at a time, from 0, proved. As there."""
        found = super().leakage(time)
        for kind, level in enumerate(found):
            self._above.prove(kind, {time: level})
        return found

    def prove_within(self, level: Level) -> None:
        """Prove that TPL is at most a level at all times."""
        self._above.prove(2, self._everywhere(level))

    def bound(self, level: Level) -> Level:
        """Return a proved *upper* bound of TPL at all times: a level of one of them, or one that agrees with it."""
        if self._above.exceeds(2, self._everywhere(level)) is None:
            return level
        level = Level.of_ratio(1 + level.excess_bounds(AGREEING_BITS)[1] * (1 + Fraction(2, 1 << AGREEING_BITS)))
        self.prove_within(level)
        return level

    def not_within(self, cap: Level) -> list[int]:
        """Return the times, from 0, at which it is not proved that TPL is within a finite cap."""
        found = super().not_within(cap)
        within = self._everywhere(cap).keys() - {*found}
        self._above.prove(2, dict.fromkeys(within, cap))
        return found

    def most_next(self, cap: Level) -> Fraction:
        """Return a lower bound of the greatest e^x of a next release that keeps TPL within a finite cap, proved."""
        found = super().most_next(cap)
        if found > 1:
            adversary, epsilons = self._given
            above = RecursionsAbove(adversary.backward, adversary.forward, (*epsilons, Level.of_ratio(found)))
            above.prove(2, dict.fromkeys(range(len(epsilons) + 1), cap))
        return found
