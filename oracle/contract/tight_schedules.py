"""Schedules by the exact worst case, verified by its leakage before they are handed out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ..reference import Adversary, Budget, Level
from ..solvers.tight_budgets import fast_tight_budget, fast_tight_multiple
from ..solvers.tight_doubles import Matrices
from ..solvers.tight_pairs import fast_tight_leakage, fast_tight_supremum
from ..solvers.tight_shapes import least_noise_weights
from .limits import check_count
from .verified_schedules import least_noisy, rounded_shape

EXACT_CONSTANT = "constant, exact"
"""The name of the greatest constant budget by the exact worst case, among schedules."""

EXACT_LEAST_NOISE = "least-noise, exact"
"""The name of the schedule with the least noise that is known by the exact worst case."""

MOST_FITTED_EXACTLY = 100
"""Releases of such a schedule: with budgets of their own the exact worst case at each time is worked out by itself."""

MOST_COMPARED_EXACTLY = 20
"""Releases up to which such a schedule is also sought where it is not asked for, to be compared."""


def matrices_of(adversary: Adversary) -> Matrices:
    """Return the matrices that an adversary knows."""
    backward, forward = (None if loss is None else loss.matrix for loss in (adversary.backward, adversary.forward))
    return backward, forward


def distinct_matrices(adversaries: Mapping[str, Adversary]) -> list[Matrices]:
    """Return what the adversaries know, each once: the exact worst case follows from the matrices alone."""
    return list(dict.fromkeys(map(matrices_of, adversaries.values())))


def tight_constant(alpha: Level, known: Iterable[Matrices], horizon: int | None, digits: int) -> Budget:
    """Return the greatest constant budget that keeps the tight TPL within alpha to each adversary.

    Args: horizon, T, None for ever. Returns: the budget; where it has no exact form a decimal of so many digits that
    keeps alpha, a *lower* bound of the greatest. Raises: as `fast_tight_budget`.
    """
    least: Level | None = None
    for backward, forward in known:
        found = fast_tight_budget(alpha, backward, forward, horizon)
        own = found if found.exact_text is not None else Level.of(Fraction(found.enclosure(digits).lower))
        least = own if least is None or own < least else least
    assert least is not None, "there is an adversary"
    return least.to_spend()


def tight_least_noise(
    alpha: Level, known: Sequence[Matrices], horizon: int, digits: int, others: Iterable[tuple[Level, ...]]
) -> tuple[Level, ...]:
    """Return the schedule for T releases with the least mean noise that is known, by the exact worst case.

    Args: digits, of the multiple of its weights; others, schedules that keep the paper's bound within alpha, and so
    the exact worst case. Returns: budgets that keep alpha to each adversary, verified; never noisier than the greatest
    constant one, or than the others. Raises: as `tight_constant`; InvalidRequest too large.
    """
    check_count(horizon, MOST_FITTED_EXACTLY, "releases of a least-noise schedule by the exact worst case")
    constant = tight_constant(alpha, known, horizon, digits)
    if constant.is_infinite or horizon == 1:
        return (constant,) * horizon
    shape = rounded_shape(least_noise_weights(alpha.double_below(), known, horizon))
    multiple = min(fast_tight_multiple(alpha, shape, *own, digits) for own in known)
    return least_noisy([tuple(Level.of(multiple * weight) for weight in shape), (constant,) * horizon, *others])


def tight_tpl(schedule: tuple[Level, ...], known: Iterable[Matrices], alpha: Level) -> list[tuple[Level, ...]]:
    """Return the tight TPL over time to each adversary. Raises: ArithmeticError where it exceeds alpha; Undecided."""
    return [_within(fast_tight_leakage(schedule, *own).tpl, alpha) for own in known]


def tight_suprema(epsilon: Level, known: Iterable[Matrices], alpha: Level) -> list[tuple[Level, ...]]:
    """Return the suprema of the tight BPL, FPL and TPL to each adversary. Raises: as `tight_tpl`."""
    return [
        _within(
            (
                fast_tight_supremum(epsilon, backward),
                fast_tight_supremum(epsilon, forward=forward),
                fast_tight_supremum(epsilon, backward, forward),
            ),
            alpha,
        )
        for backward, forward in known
    ]


def _within(levels: tuple[Level, ...], alpha: Level) -> tuple[Level, ...]:
    for level in levels:
        if level > alpha:
            raise ArithmeticError(f"the exact worst case of the schedule is {level!r}, above {alpha!r}")
    return levels
