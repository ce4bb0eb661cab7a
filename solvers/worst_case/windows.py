"""The worst-case leakage of several releases together, where the leakage at each time is known already."""

from __future__ import annotations

from collections.abc import Sequence

from ...reference.levels import Level
from ...reference.paper.composition import composition
from ...reference.paper.leakage import Leakage
from ...reference.stepwise import KnownCorrelation, Stepwise, matrices_in
from ...reference.worst_case.windows import worst_case_composition


def every_step_is_possible(backward: KnownCorrelation | None, forward: KnownCorrelation | None) -> bool:
    """Whether each value may follow each: a matrix that is known says so, or none is known.

    Where steps have their own matrices, whether all those of one correlation say so.
    """
    if isinstance(backward, Stepwise) or isinstance(forward, Stepwise):
        known = [matrices_in(own) for own in (backward, forward) if own is not None]
        return any(all(min(row) > 0 for matrix in own for row in matrix.rows) for own in known)
    n = max((matrix.n for matrix in (backward, forward) if matrix is not None), default=0)
    return all(
        (backward is not None and backward.rows[b][a] > 0) or (forward is not None and forward.rows[a][b] > 0)
        for a in range(n)
        for b in range(n)
    )


def fast_worst_case_composition(
    own: Leakage,
    epsilons: Sequence[Level],
    start: int,
    length: int,
    *,
    backward: KnownCorrelation | None = None,
    forward: KnownCorrelation | None = None,
) -> Level:
    """Return the worst leakage of the releases start..start + length − 1 together, as `worst_case_composition`.

    Args: own, the worst-case leakage of these releases, by `worst_case_leakage`; the others as there. Where every step
    is possible the worst pairs at both ends are joined by sequences that differ throughout, so that it is Theorem 3
    [thm:composition] with worst-case parts; elsewhere the programme over pairs decides. Raises: as
    `worst_case_composition`.
    """
    one_value = any(matrix.n < 2 for own in (backward, forward) for matrix in matrices_in(own))
    if length == 1 or (every_step_is_possible(backward, forward) and not one_value):
        return composition(own, epsilons, start, length)
    return worst_case_composition(epsilons, start, length, backward, forward)
