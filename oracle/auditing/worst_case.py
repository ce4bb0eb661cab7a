"""What the paper's bounds hide: a user's exact worst case, and whether both matrices are one chain's."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from ..contract.allocation import suprema
from ..contract.limits import check_tight
from ..contract.losses import loss_function_of
from ..models.worst_case import constant_budget
from ..reference import (
    Adversary,
    InfeasibleBudget,
    Level,
    NotUnique,
    TransitionMatrix,
    UnreachableState,
    reverse,
    stationary,
)
from ..solvers.worst_case.agreeing import agreeing_maximum
from ..solvers.worst_case.doubles import Matrices
from ..solvers.worst_case.pairs import fast_tight_leakage, fast_tight_supremum
from .structure import MOST_STATIONARY_STATES

MOST_REVERSED_STATES = 40
"""For more states the suprema with the reversal, whose entries have many digits, are not worked out."""


@dataclass(frozen=True, slots=True)
class ExactWorst:
    """The leakage of the worst mechanisms: some mechanism attains it, and none exceeds it.

    tpl: the greatest over the schedule, at these times; for_ever: its supremum if the greatest budget were kept up;
    constant: the greatest budget that keeps TPL within α for ever, None where there is none.
    """

    tpl: Level
    times: tuple[int, ...]
    for_ever: Level
    constant: Level | None


@dataclass(frozen=True, slots=True)
class OneChain:
    """Whether P^B is the reversal of P^F, so that both are one stationary chain's at all times.

    difference: the greatest one between entries of P^B and of the reversal, at this row and column, from 0; None where
    there is no reversal, and refusal says why. for_ever: with the reversal in the place of P^B, the supremum of TPL by
    the recursions and exactly; None where it was not worked out.
    """

    difference: Fraction | None
    place: tuple[int, int]
    refusal: str
    for_ever: tuple[Level, Level] | None

    @property
    def fits(self) -> bool:
        """Whether P^B is the reversal."""
        return self.difference == 0


def exact_worst(known: Matrices, epsilons: Sequence[Level], greatest: Level, alpha: Level, digits: int) -> ExactWorst:
    """Work out the exact worst case of what one adversary knows.

    Args: greatest, the greatest of the budgets; digits, of the constant budget. Raises: InvalidRequest; Undecided.
    """
    check_tight(len(epsilons), max((matrix.n for matrix in known if matrix is not None), default=1))
    worst = agreeing_maximum(dict(enumerate(fast_tight_leakage(epsilons, *known).tpl, 1)))
    constant: Level | None = None
    with suppress(InfeasibleBudget):  # where no budget can go on for ever
        constant = constant_budget(alpha, [known], None, digits).to_spend()
    return ExactWorst(worst.level, worst.attained_by, fast_tight_supremum(greatest, *known), constant)


def one_chain(known: Matrices, epsilon: Level, exactly: bool) -> OneChain | None:
    """Compare P^B with the reversal of P^F; None where not both are known, or P^F has too many states.

    Args: epsilon, the budget at every time for ever; exactly, whether to work out what the reversal would leak.
    """
    backward, forward = known
    if backward is None or forward is None or forward.n > MOST_STATIONARY_STATES:
        return None
    try:
        reversal = reverse(forward, stationary(forward))
    except NotUnique as error:
        return OneChain(None, (0, 0), str(error), None)
    except UnreachableState:
        return OneChain(None, (0, 0), "some states are transient: no stationary chain visits them", None)
    difference, place = _furthest(backward, reversal)
    worked_out = None
    if difference and exactly and forward.n <= MOST_REVERSED_STATES:
        recursions = suprema(epsilon, Adversary(loss_function_of(reversal), loss_function_of(forward)))[2]
        worked_out = recursions, fast_tight_supremum(epsilon, reversal, forward)
    return OneChain(difference, place, "", worked_out)


def _furthest(one: TransitionMatrix, other: TransitionMatrix) -> tuple[Fraction, tuple[int, int]]:
    places = [(row, column) for row in range(one.n) for column in range(one.n)]
    place = max(places, key=lambda at: abs(one.rows[at[0]][at[1]] - other.rows[at[0]][at[1]]))
    return abs(one.rows[place[0]][place[1]] - other.rows[place[0]][place[1]]), place
