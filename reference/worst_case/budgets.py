"""The greatest constant budget that keeps the exact worst case at a level, over a finite or an infinite horizon."""

from __future__ import annotations

from fractions import Fraction

from ..correlations import TransitionMatrix
from ..errors import InfeasibleBudget, InvalidRequest
from ..levels import INFINITE, Budget, Level
from ..paper.horizons import ends, greatest_decimal, within
from ..paper.leakage import check_sizes
from ..stepwise import KnownCorrelation, Stepwise, matrices_in, over_a_period
from .classes import classes_of, cyclic_parts
from .leakage import worst_case_leakage, worst_case_supremum


def greatest_worst_case_budget(
    alpha: Level,
    backward: TransitionMatrix | None = None,
    forward: TransitionMatrix | None = None,
    horizon: int | None = None,
    digits: int = 17,
) -> Budget:
    """Return the greatest constant budget that keeps the worst-case TPL within alpha, by bisection.

    Args:
        alpha: the level to keep, positive and finite, in nats.
        backward: P^B, n × n, row j the distribution of the value before j; None where not known.
        forward: P^F, n × n, row j the distribution of the value after j; None where not known.
        horizon: the number of releases, T; None for an infinite horizon.
        digits: how many significant ones the budget has.

    Returns: a rational level, a decimal of at most that many digits: a *lower* bound of the greatest constant budget,
    and a unit of its last digit more is not known to keep alpha; ∞ where only one value exists.
    Raises: as `check_worst_case_budget`; InvalidRequest where alpha is infinite.
    """
    check_worst_case_budget(alpha, backward, forward, horizon)
    low, high = ends(alpha, digits)
    if any(matrix is not None and matrix.n < 2 for matrix in (backward, forward)):
        return INFINITE.to_spend()

    def kept(budget: Fraction) -> bool:
        epsilon = Level.of(budget)
        if horizon is None:
            return within(alpha, lambda: [worst_case_supremum(epsilon, backward, forward)])
        return within(alpha, lambda: worst_case_leakage([epsilon] * horizon, backward, forward).tpl)

    least = low / (horizon or 1)
    while horizon is None and not kept(least):
        least /= 10
    return Level.of(greatest_decimal(kept, least, high, digits)).to_spend()


def check_worst_case_budget(
    alpha: Level, backward: KnownCorrelation | None, forward: KnownCorrelation | None, horizon: int | None
) -> None:
    """Raise an error where no constant budget keeps the worst-case TPL within alpha.

    Over an infinite horizon no budget does if a correlation has two closed classes, or a periodic one (`boundedness`,
    criterion (i)); otherwise small ones do, however close to 1 the transient values' spectral radius is.
    Raises: InfeasibleBudget; InvalidRequest where the sizes of the matrices differ, or the horizon is below 1.
    """
    if horizon is not None and horizon < 1:
        raise InvalidRequest(f"the horizon is at least 1, not {horizon}")
    for one, other in zip(matrices_in(backward)[:1], matrices_in(forward)[:1], strict=False):
        check_sizes(one, other)
    if alpha.is_zero:
        raise InfeasibleBudget("a level of 0 leaves no budget at all")
    if horizon is not None or alpha.is_infinite:
        return
    for name, matrix in (("backward", backward), ("forward", forward)):
        if matrix is None:
            continue
        rows = (over_a_period(matrix, name == "forward") if isinstance(matrix, Stepwise) else matrix).rows
        closed = classes_of(rows).closed
        parts = cyclic_parts(rows, closed[0])
        if len(closed) > 1 or len(parts) > 1:
            several = f"{len(closed)} closed classes" if len(closed) > 1 else f"a closed class of period {len(parts)}"
            raise InfeasibleBudget(
                f"the {name} correlation has {several}, so that two values can be distinguished ever better: "
                "no budget lasts over an infinite horizon"
            )
