"""What computes the operations on the exact worst case over all mechanisms, and what they admit."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..reference import InvalidRequest, Level, TransitionMatrix
from ..reference.decimals import fraction_to_text
from ..reference.stepwise import KnownCorrelation, matrices_in
from .entry import WHOLE, Computed
from .limits import MOST_RELEASES, check_answer, check_count, check_profile, check_worst_case


def worst_case_limits(
    digits: int,
    epsilons: Sequence[Level] = (),
    horizon: int = 1,
    backward: KnownCorrelation | None = None,
    forward: KnownCorrelation | None = None,
    **_level: Level,
) -> None:
    """Raise InvalidRequest where there are too many releases, digits to write down, or too large matrices."""
    releases = len(epsilons) or horizon
    check_count(releases, MOST_RELEASES, "releases")
    check_answer(3 * len(epsilons) or horizon, digits)
    check_worst_case(releases, _states(backward, forward))


def worst_case_supremum_value(
    epsilon: Level, backward: TransitionMatrix | None = None, forward: TransitionMatrix | None = None
) -> Computed:
    """Return the value of `worst_case_supremum`."""
    from ..checked import fast_worst_case_supremum  # brings numpy, which only some operations need

    return {WHOLE: fast_worst_case_supremum(epsilon, backward, forward)}


def worst_case_allocation(
    alpha: Level,
    horizon: int | None = None,
    backward: TransitionMatrix | None = None,
    forward: TransitionMatrix | None = None,
) -> Computed:
    """Return the value of `worst_case_allocate`: the budget of each release, or the one for ever."""
    from ..checked import fast_worst_case_budget  # brings numpy, which only some operations need

    return {"epsilons": (fast_worst_case_budget(alpha, backward, forward, horizon),) * (horizon or 1)}


def worst_case_allocation_admit(alpha: Level, horizon: int | None = None) -> None:
    """Raise an error where no matrix is needed to see that there is no budget, or that there are too many."""
    from ..reference.worst_case.budgets import check_worst_case_budget

    check_worst_case_budget(alpha, None, None, horizon)
    check_count(horizon or 1, MOST_RELEASES, "releases")


def profile_levels(
    epsilon: Level,
    horizon: int,
    *,
    delta: Fraction,
    delta_per_release: Fraction = Fraction(0),
    backward: TransitionMatrix | None = None,
    forward: TransitionMatrix | None = None,
) -> Computed:
    """Return the value of `leakage_profile`."""
    from ..checked import checked_leakage_profile  # brings numpy, which only some operations need

    found = checked_leakage_profile(
        epsilon, horizon, delta=delta, delta_per_release=delta_per_release, backward=backward, forward=forward
    )
    return {"bpl": found.bpl, "fpl": found.fpl}


def profile_admit(epsilon: Level, horizon: int, delta: Fraction, delta_per_release: Fraction = Fraction(0)) -> None:
    """Raise InvalidRequest for a δ that is no probability, and where ε is too large or there are too many releases."""
    for chance, name in ((delta, "delta"), (delta_per_release, "delta_per_release")):
        if not 0 <= chance <= 1:
            raise InvalidRequest(f"{name} is a probability, not {fraction_to_text(chance)}")
    check_profile(epsilon, horizon, 1)


def profile_limits(
    digits: int,
    epsilon: Level,
    horizon: int,
    backward: TransitionMatrix | None = None,
    forward: TransitionMatrix | None = None,
    **_chances: Fraction,
) -> None:
    """Raise InvalidRequest where there are too many values and releases, or too many digits."""
    check_answer(2 * horizon, digits)
    check_profile(epsilon, horizon, _states(backward, forward))


def _states(*known: KnownCorrelation | None) -> int:
    return max((matrix.n for own in known for matrix in matrices_in(own)), default=1)
