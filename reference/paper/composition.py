"""The leakage of several releases together, Section 3.3 [subsec:comp]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InvalidRequest
from ..levels import ZERO, Level
from .leakage import Leakage


def composition(own: Leakage, epsilons: Sequence[Level], start: int, length: int) -> Level:
    """Return the leakage of the releases start..start + length − 1 together, Theorem 3 [thm:composition].

    Args:
        own: the leakage of the whole stream to one adversary.
        epsilons: its budgets, T levels in nats.
        start: the first of the releases, counted from 1.
        length: how many they are, j + 1 in the paper.

    Returns: α_t^B + ε_{t+1} + … + ε_{t+j−1} + α_{t+j}^F, exact; TPL_t where the length is 1. With start = 1 and length
    = T it is Σ ε_t, Corollary 1 [col:user-level]: correlation does not matter then.
    Raises: InvalidRequest for a window that is not within the stream, and for budgets of another one.
    """
    check_budgets_of(own, epsilons)
    check_window(epsilons, start, length)
    if length == 1:
        return own.tpl[start - 1]
    end = start + length - 1
    return own.bpl[start - 1] + total(epsilons[start : end - 1]) + own.fpl[end - 1]


def independent(epsilons: Sequence[Level], start: int, length: int) -> Level:
    """Return the leakage of the same releases on independent data: the sum of their budgets.

    Theorem 4 [thm:sequential_composition].

    Args:
        epsilons: the budgets of the whole stream, levels in nats.
        start: the first of the releases, counted from 1.
        length: how many they are.

    Returns: the level, exact. Raises: InvalidRequest.
    """
    check_window(epsilons, start, length)
    return total(epsilons[start - 1 : start - 1 + length])


def check_window(epsilons: Sequence[Level], start: int, length: int) -> None:
    """Raise InvalidRequest unless the releases start..start + length − 1 are some of these."""
    if start < 1 or length < 1 or start + length - 1 > len(epsilons):
        raise InvalidRequest(f"releases {start}..{start + length - 1} are not a window of the {len(epsilons)} releases")


def check_budgets_of(own: Leakage, epsilons: Sequence[Level]) -> None:
    """Raise InvalidRequest unless there is a budget for each release that leakage is of."""
    if len(epsilons) != len(own.bpl):
        raise InvalidRequest(f"epsilons are not the budgets of the {len(own.bpl)} releases that own is of")


def total(levels: Sequence[Level]) -> Level:
    """Return the sum of levels. Exact."""
    result = ZERO
    for level in levels:
        result = result + level
    return result


@dataclass(frozen=True, slots=True)
class Guarantee:
    """The greatest leakage of any window of one length, on independent and on correlated data, and where it is.

    starts: the first release of the first window that attains it.

    >>> from tploracle import adversary, guarantee, paper_bound_leakage
    >>> guarantee(paper_bound_leakage([1, 2], adversary()), [1, 2], length=2).independent
    <Level 3>
    """

    length: int
    independent: Level
    independent_start: int
    correlated: Level
    correlated_start: int


def guarantee(own: Leakage, epsilons: Sequence[Level], length: int) -> Guarantee:
    """Return the privacy guarantee of one notion, Table 2 [tb:composition], in numbers.

    Args:
        own: the leakage of the whole stream to one adversary.
        epsilons: its budgets, T levels in nats.
        length: 1 for event level, w for w-event, T for user level.

    Returns: the guarantee, exact. Raises: InvalidRequest for a length outside 1..T; Undecided.
    """
    if not 1 <= length <= len(epsilons):
        raise InvalidRequest(f"a window of {length} does not fit {len(epsilons)} releases")
    starts = range(1, len(epsilons) - length + 2)
    alone = _greatest([independent(epsilons, start, length) for start in starts])
    together = _greatest([composition(own, epsilons, start, length) for start in starts])
    return Guarantee(length, *alone, *together)


def _greatest(levels: Sequence[Level]) -> tuple[Level, int]:
    """Return the greatest level and the number, from 1, of the first that attains it."""
    best = 0
    for index, level in enumerate(levels):
        if levels[best] < level:
            best = index
    return levels[best], best + 1


def first_failure(own: Leakage, alpha: Level) -> int | None:
    """Return the first time at which TPL exceeds alpha, or None where the stream is α-DP_T, Definition 8 [def:DP].

    Args:
        own: the leakage of the whole stream.
        alpha: the level asked for, in nats.

    Returns: the time, counted from 1; exact. Raises: Undecided.
    """
    return next((time for time, level in enumerate(own.tpl, 1) if level > alpha), None)
