"""The one door to the solvers of the exact worst case: what leaves by it has passed the check from above.

The functions are those of `solvers.worst_case`, by the same names. What they find is proved of every pair of values by
`certificates.above`, which shares no code with them. A refuted answer is the error `Refuted`; why an answer is not
checked, where it is not, is kept (`unchecked`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain
from math import inf
from types import MappingProxyType

import numpy as np

from .certificates.above import check_leakage
from .certificates.above_both_sides import BothSidesAbove, OneSideAbove
from .certificates.above_doubles import Doubles
from .certificates.above_for_ever import check_supremum
from .certificates.above_profile import ProfileClaim, check_both_for_ever, check_for_ever, check_side
from .reference import (
    INFINITE,
    ZERO,
    ApproximateBudget,
    Budget,
    InvalidRequest,
    Leakage,
    Level,
    Maximum,
    PrivacyBudget,
    TransitionMatrix,
    WorstAlpha,
    WorstDelta,
)
from .reference.correlations import Row
from .reference.errors import Refuted, Unchecked
from .reference.paper.leakage import Matrices, matrices_of
from .reference.stepwise import (
    NOT_BOTH,
    Correlation,
    KnownCorrelation,
    matrices_outward,
    matrices_over,
    phases,
    steps_outward,
)
from .reference.worst_case.profile_budgets import are_equal
from .solvers.worst_case import accounts, agreeing, budgets, pairs, worst
from .solvers.worst_case.leakage_profile import ProfileLevels, leakage_profile
from .solvers.worst_case.profile_both_sides import TimesTogether, attained_alpha
from .solvers.worst_case.profile_for_ever import (
    DEPTHS_COMPARED,
    LEAST_DELTA_BOTH,
    RELEASES_BESIDE,
    AlphaForEver,
    alpha_for_ever,
    both_for_ever,
    delta_for_ever,
    known_for_ever,
)
from .solvers.worst_case.profile_passes import (
    alphas_of_side,
    different_pairs,
    least_above,
    level_of,
    roots,
)
from .solvers.worst_case.worst import WorstTpl
from .unchecked import not_checked, prove

CHECKED_DIGITS = 17
"""A budget without an exact form is checked as its lower decimal of this many digits."""


def fast_worst_case_leakage(
    epsilons: Sequence[Level],
    backward: Correlation | None = None,
    forward: Correlation | None = None,
    possible: Sequence[Collection[int]] | None = None,
) -> Leakage:
    """Return the exact worst case at each time, proved of all pairs. As `solvers.worst_case`; raises: Refuted."""
    found = pairs.fast_worst_case_leakage(epsilons, backward, forward, possible)
    prove(lambda: check_leakage(epsilons, backward, forward, found, possible))
    return found


def fast_worst_case_tpl(
    epsilons: Sequence[Level], backward: Correlation | None, forward: Correlation | None, times: Sequence[int]
) -> tuple[Level, ...]:
    """Return the worst TPL at some times, proved likewise."""
    found = pairs.fast_worst_case_tpl(epsilons, backward, forward, times)
    claimed = _only_tpl(len(epsilons), dict(zip(times, found, strict=True)))
    prove(lambda: check_leakage(epsilons, backward, forward, claimed))
    return found


def greatest_worst_case_tpl(
    epsilons: Sequence[Level], backward: Correlation | None = None, forward: Correlation | None = None
) -> WorstTpl:
    """Return the greatest TPL of all times, proved at each of them."""
    found = worst.greatest_worst_case_tpl(epsilons, backward, forward)
    everywhere = dict.fromkeys(range(len(epsilons)), found.bound)
    prove(lambda: check_leakage(epsilons, backward, forward, _only_tpl(len(epsilons), everywhere)))
    return found


def fast_worst_case_supremum(
    epsilon: Level, backward: KnownCorrelation | None = None, forward: KnownCorrelation | None = None
) -> Level:
    """Return the supremum over all horizons, proved of all pairs to ten digits."""
    found = pairs.fast_worst_case_supremum(epsilon, backward, forward)
    prove(lambda: check_supremum(epsilon, backward, forward, found))
    return found


def fast_worst_case_budget(
    alpha: Level,
    backward: KnownCorrelation | None = None,
    forward: KnownCorrelation | None = None,
    horizon: int | None = None,
) -> Level:
    """Return the greatest constant budget, of which it is proved that it keeps alpha."""
    found = budgets.fast_worst_case_budget(alpha, backward, forward, horizon)
    _prove_kept((found,) * (horizon or 1), alpha, backward, forward, horizon is None)
    return found


def keeps_worst_case_budget(
    epsilon: Level,
    alpha: Level,
    backward: KnownCorrelation | None,
    forward: KnownCorrelation | None,
    horizon: int | None,
) -> bool:
    """Return whether it is proved that a constant budget keeps alpha, without a search for the greatest that does."""
    try:
        if alpha.is_infinite or horizon is None:
            check_supremum(epsilon, backward, forward, alpha)
        else:
            everywhere = _only_tpl(horizon, dict.fromkeys(range(horizon), alpha))
            check_leakage((epsilon,) * horizon, backward, forward, everywhere)
    except (Refuted, Unchecked):
        return False
    return not epsilon.is_infinite or alpha.is_infinite


def fast_worst_case_multiple(
    alpha: Level,
    shape: Sequence[Fraction],
    backward: KnownCorrelation | None,
    forward: KnownCorrelation | None,
    digits: int,
) -> Fraction:
    """Return the greatest multiple of a shape, of which it is proved that it keeps alpha."""
    found = budgets.fast_worst_case_multiple(alpha, shape, backward, forward, digits)
    _prove_kept([Level.of(found * weight) for weight in shape], alpha, backward, forward)
    return found


def _prove_kept(
    schedule: Sequence[Level],
    alpha: Level,
    backward: Correlation | None,
    forward: Correlation | None,
    for_ever: bool = False,
) -> None:
    if alpha.is_infinite:
        return
    known = {id(own): own for own in schedule}
    spent = {
        key: own if own.exact_text is not None else Level.of(Fraction(own.enclosure(CHECKED_DIGITS).lower))
        for key, own in known.items()
    }
    each = [spent[id(own)] for own in schedule]
    if for_ever:
        prove(lambda: check_supremum(each[0], backward, forward, alpha))  # type: ignore[arg-type]
    else:
        everywhere = _only_tpl(len(each), dict.fromkeys(range(len(each)), alpha))
        prove(lambda: check_leakage(each, backward, forward, everywhere))


def _only_tpl(releases: int, tpl: dict[int, Level]) -> Leakage:
    anything = (INFINITE,) * releases
    return Leakage(anything, anything, tuple(tpl.get(time, INFINITE) for time in range(releases)))


HEIGHT_FACTOR, LEAST_HEIGHT = 1.15, 0.05
"""By how much the α at which both sides are bounded by one line exceed that of one side alone."""

TWO_SIDED = "TPL at a δ of at most 1e-9, or of different releases with noise, is enclosed by the solvers alone"
"""Why it is not checked from above."""


def prove_profile(
    budgets: Sequence[PrivacyBudget],
    backward: KnownCorrelation | None,
    forward: KnownCorrelation | None,
    found: Mapping[int, tuple[Level, Fraction]],
    proved: Mapping[int, Level] = MappingProxyType({}),
    *,
    otherwise: str = TWO_SIDED,
) -> None:
    """Prove of levels at a δ, each found for a time from 1, that no pair of values tells more. Raises: Refuted.

    Args: proved, the levels that `tpl_at_delta` has proved of both sides; otherwise, why others are not checked.
    """
    last = len(budgets) - 1
    before = () if backward is None else matrices_over(backward, last, "backward")
    after = () if forward is None else matrices_over(forward, last, "forward")
    if any(matrix.n < 2 for matrix in (*before, *after)):
        return
    is_steady = are_equal(budgets) and all(len({*own}) <= 1 for own in (before, after))
    groups: dict[tuple[bool, int], tuple[Sequence[PrivacyBudget], Sequence[TransitionMatrix], list[ProfileClaim]]] = {}
    for time, (level, delta) in found.items():
        past, future = before[: time - 1][::-1], after[time - 1 :]
        if past and future:
            if level < proved.get(time, INFINITE):
                not_checked(otherwise)
            continue
        others = (budgets[: time - 1][::-1] if past else budgets[time:])[: len(past or future)]
        own = (budgets[time - 1], *others), past or future
        group = bool(past), 0 if is_steady else time
        *_, claims = groups.setdefault(group, (*own, []))
        claims.append(ProfileClaim(len(others), level, delta))
        if len(others) > len(groups[group][1]):
            groups[group] = (*own, claims)
    for (is_past, _), (seen, steps, claims) in groups.items():
        among = () if is_steady else budgets[:: -1 if is_past else 1]
        prove(partial(check_side, seen, [matrix.rows for matrix in steps], claims, among))


BY_LINES = "of both sides the lower end is that of some private streams, the upper one adds bounds of each side"
"""Why the ends of both sides are far apart."""

RAISED_PARTS = Fraction(0), Fraction(1, 1 << 32), Fraction(1, 1 << 26), Fraction(1, 1 << 20)
"""Parts of e^α − 1 by which a level is raised, one after the other, until it is proved for ever."""

AT_ITS_OWN = "α over an infinite horizon, at the δ of a single release, is computed by the solvers alone"
"""Why it is not checked from above."""


def profile_supremum(
    budget: PrivacyBudget, backward: KnownCorrelation | None, forward: KnownCorrelation | None, delta: Fraction
) -> AlphaForEver:
    """Return the least α at a δ over all horizons and times, one budget at all times.

    Args: backward and forward, None where not known. Returns: two ends, the upper one proved of all pairs of values, or
    ∞ with the reason; of both sides they stay apart, and for matrices that repeat the upper one is that of δ = 0, or ∞.
    Raises: Refuted; InvalidRequest; Undecided.
    """
    if isinstance(budget, ApproximateBudget) and delta == budget.delta == 0:
        level = fast_worst_case_supremum(budget.epsilon, backward, forward)
        return AlphaForEver(level, level)
    if backward is not None and forward is not None:
        each = profile_supremum(budget, backward, None, delta), profile_supremum(budget, None, forward, delta)
        most = max(each, key=lambda own: own.lower)
        if most.lower.is_infinite or (most.upper.is_zero and not most.depth):
            return most
        both = replace(most, upper=INFINITE, reason=NOT_BOTH)
        if isinstance(backward, TransitionMatrix) and isinstance(forward, TransitionMatrix):
            both = _proved_of_both(both, budget, (backward, forward), delta, each)
        return _within_pure(both, budget, backward, forward)
    matrices = matrices_outward(backward, forward)
    known = _told_at_once(budget, matrices, delta)
    if known is not None:
        return known
    found = [_proved_for_ever(budget, own, delta) for own in phases(matrices)]
    worst = max(found, key=lambda own: own.upper)
    worst = replace(worst, lower=max(own.lower for own in found))
    return _within_pure(worst, budget, backward, forward) if worst.upper.is_infinite else worst


def _told_at_once(budget: PrivacyBudget, matrices: Sequence[TransitionMatrix], delta: Fraction) -> AlphaForEver | None:
    """Return what is known of an infinite horizon without a pass, None where nothing is. Raises: Refuted."""
    known = known_for_ever(budget, matrices, delta)
    if known is None:
        return None
    if known.depth and not known.upper.is_infinite:
        if not (isinstance(budget, ApproximateBudget) and 0 < delta == budget.delta):
            raise Refuted(
                "α over an infinite horizon is told without a pass; this is a fault of the program: report it"
            )
        not_checked(AT_ITS_OWN)
    elif not any(matrix.n < 2 for matrix in matrices):  # what is told at once, a single release does not exceed
        prove(lambda: check_side([budget], [], [ProfileClaim(0, known.upper, delta)]))
    return known


def _proved_of_both(
    known: AlphaForEver,
    budget: PrivacyBudget,
    sides: tuple[TransitionMatrix, TransitionMatrix],
    delta: Fraction,
    each: Sequence[AlphaForEver],
) -> AlphaForEver:
    """Return what is known of both sides, with a better lower end, and an upper one where one is found and proved."""
    if any(own.upper.is_infinite or own.depth < DEPTHS_COMPARED[0] for own in each):
        return known
    if delta >= LEAST_DELTA_BOTH:
        past, future = ([matrix.rows] * (2 * RELEASES_BESIDE) for matrix in sides)
        with suppress(InvalidRequest):
            all_alike = [budget] * (2 * RELEASES_BESIDE + 1)
            (some,) = tpl_at_delta(all_alike, (past, future), delta, [RELEASES_BESIDE + 1])
            known = replace(known, lower=max(known.lower, some.lower))
    found = both_for_ever(budget, sides, delta, each)
    if found is None:
        return known
    steps = [[matrix.rows] * found.depth for matrix in sides]
    try:
        check_both_for_ever(budget, steps, ProfileClaim(found.depth, found.alpha, delta), found.shares)
    except Unchecked:
        return known
    return replace(known, upper=found.alpha, reason=BY_LINES)


def _within_pure(
    found: AlphaForEver,
    budget: PrivacyBudget,
    backward: KnownCorrelation | None,
    forward: KnownCorrelation | None,
) -> AlphaForEver:
    """Return what is found with the supremum of pure ε as its upper end, which is that at every δ."""
    if not isinstance(budget, ApproximateBudget) or budget.delta:
        return found
    level = fast_worst_case_supremum(budget.epsilon, backward, forward)
    return found if level >= found.upper else replace(found, upper=level, reason="the upper end is that at δ = 0")


def _proved_for_ever(budget: PrivacyBudget, own: Sequence[TransitionMatrix], delta: Fraction) -> AlphaForEver:
    found = alpha_for_ever(budget, own, delta)
    if found.upper.is_infinite:
        return found
    excess, reason = found.upper.excess_bounds()[1], ""
    for part in RAISED_PARTS:
        level = found.upper if not part else Level.of_ratio(1 + excess * (1 + part))
        try:
            check_for_ever(budget, steps_outward(own, found.depth), ProfileClaim(found.depth, level, delta))
            return replace(found, upper=level)
        except Unchecked as error:
            reason = str(error)
    return replace(found, upper=INFINITE, reason=reason)


def profile_delta_for_ever(
    budget: PrivacyBudget,
    backward: KnownCorrelation | None,
    forward: KnownCorrelation | None,
    alpha: Level,
    delta: Fraction,
) -> WorstDelta:
    """Return δ(α) over all horizons and times, of one side, as near as tells whether it is at most delta.

    Args: as `profile_supremum`; alpha, finite. Returns: two ends; an upper one of at most delta is proved.
    Raises: Refuted; InvalidRequest.
    """
    matrices, ends = matrices_outward(backward, forward), []
    known = _told_at_once(budget, matrices, delta)
    if known is not None:  # it is δ or less, or more by an amount that is not told
        return WorstDelta(Fraction(0), delta) if known.upper <= alpha else WorstDelta(delta, Fraction(1))
    for own in phases(matrices):
        found, depth = delta_for_ever(budget, own, alpha, delta)
        if found.upper <= delta:
            try:
                check_for_ever(budget, steps_outward(own, depth), ProfileClaim(depth, alpha, delta))
            except Unchecked:
                found = replace(found, upper=Fraction(1))
        ends.append(found)
    return WorstDelta(max(own.lower for own in ends), max(own.upper for own in ends))


def alphas_at_delta(
    budgets: Sequence[PrivacyBudget], steps: Sequence[Sequence[Row]], delta: Fraction, times: Sequence[int]
) -> list[WorstAlpha]:
    """Return the least α with δ(α) ≤ delta at some times, of the releases up to each: BPL; of FPL with time reversed.

    Where budgets differ, upper ends are those that the check from above can prove. Args: budgets, of each release;
    steps, the matrix from each value to the one before it; times, from 1. Raises: InvalidRequest where φ has too many
    kinks.
    """
    if are_equal(budgets):
        return alphas_of_side(budgets[0], steps, delta, times)
    found, times_left = {}, []
    for time in times:
        if are_equal(seen := budgets[max(0, time - 1 - len(steps)) : time]):
            (found[time],) = alphas_of_side(seen[0], steps[: time - 1], delta, [time])
        else:
            times_left.append(time)
    if times_left:
        last = max(times_left)
        seen, before = budgets[:last][::-1], steps[: last - 1][::-1]
        pairs, depths = different_pairs(list({id(step): step for step in before}.values())), np.array(times_left) - 1
        above = OneSideAbove(seen, before, delta)
        upper, worst = least_above(above, pairs, delta, depths)
        for time, high, pair in zip(times_left, upper.tolist(), worst, strict=True):
            start = last - time
            lower = attained_alpha((seen[start:], above.matrices[start:]), delta, pairs[pair], high, budgets)
            found[time] = WorstAlpha(level_of(lower, up=False), level_of(high, up=True))
    return [found[time] for time in times]


def tpl_at_delta(
    budgets: Sequence[PrivacyBudget],
    steps: tuple[Sequence[Sequence[Row]], Sequence[Sequence[Row]]],
    delta: Fraction,
    times: Sequence[int],
    alone: Sequence[Sequence[WorstAlpha]] = (),
) -> list[WorstAlpha]:
    """Return the least α of TPL with δ(α) ≤ delta at some times, the upper ends of those between the ends proved.

    Args: budgets, of each release; steps, the matrices from each value to the one before it, and from each to the one
    after it; times, from 1; alone, what `alphas_at_delta` has of the past and of the future, if that is known.
    Raises: InvalidRequest where φ has too many kinks; Refuted.
    """
    past, future = steps
    of_past, of_future = alone or (
        alphas_at_delta(budgets, past, delta, times),
        alphas_at_delta(budgets[::-1], future[::-1], delta, [len(budgets) + 1 - time for time in times]),
    )
    by_time = [dict(zip(times, own, strict=True)) for own in (of_past, of_future)]
    found = {time: by_time[time == 1][time] for time in {*times} & {1, len(budgets)}}
    inner = sorted({*times} - {1, len(budgets)})
    if inner:
        seen = past[: inner[-1] - 1][::-1], future[inner[0] - 1 :]
        spent = budgets[: inner[-1]][::-1], budgets[inner[0] - 1 :]
        past_top, future_top = (np.array([own[time].upper.double_above() for time in inner]) for own in by_time)
        found |= dict(zip(inner, _between_the_ends(spent, seen, delta, inner, (past_top, future_top)), strict=True))
    for time in inner:  # what one side tells, both do
        lower = max(found[time].lower, *(own[time].lower for own in by_time))
        found[time] = replace(found[time], lower=lower)
        if found[time].lower > found[time].upper:
            raise Refuted("a test tells more than δ at the level proved; this is a fault of the program")
    return [found[time] for time in times]


def _between_the_ends(
    budgets: tuple[Sequence[PrivacyBudget], Sequence[PrivacyBudget]],
    seen: tuple[Sequence[Sequence[Row]], Sequence[Sequence[Row]]],
    delta: Fraction,
    times: Sequence[int],
    tops: tuple[Doubles, Doubles],
) -> list[WorstAlpha]:
    """Return the same of times that have releases on both sides.

    Args: budgets, seen, the budgets and the matrices outward; tops, upper α of each side.
    """
    before = np.array(times) - 1
    depths = before, before[0] + len(seen[1]) - before
    is_steady = are_equal((*budgets[0], *budgets[1])) and len({*map(id, seen[0])}) == len({*map(id, seen[1])}) == 1
    alike = TimesTogether.of(budgets[0][0], seen, delta, depths, tops) if is_steady else None
    most, alone = (np.stack(depths), np.stack(tops)) if alike is None else (alike.most, alike.tops)
    if alike is not None and (most[:, alike.member] < np.stack(depths)).any():
        raise Refuted("a time is taken for one with fewer releases; this is a fault of the program")
    odds, lower = np.full((2, alone.shape[1]), inf)
    known = np.isfinite(alone).all(axis=0)
    if known.any():
        with suppress(Unchecked):
            height = HEIGHT_FACTOR * float(alone[:, known].max()) + LEAST_HEIGHT
            above = BothSidesAbove(budgets, seen, delta, most[:, known], height, is_steady=is_steady)
            odds[known], pairs = above.least_odds(roots)
            pairs, known = pairs[np.isfinite(odds[known])], np.isfinite(odds)
            alphas, lower[known] = np.log(odds[known]), 0
            if alike is not None and known.any():
                lower[known] = alike.kept(known).attained(pairs, alphas, lower[known])
            for place, time in enumerate(np.flatnonzero(known).tolist() if alike is None else ()):
                past, future = most.max(axis=1) - most[:, time]
                spent, near = (budgets[0][past:], budgets[1][future:]), (seen[0][past:], seen[1][future:])
                for tests in TimesTogether.of_one(spent, near, delta, alone[:, [time]]):
                    lower[[time]] = tests.attained(pairs[[place]], alphas[[place]], lower[[time]])
    levels = [WorstAlpha(ZERO, INFINITE)] * len(odds)
    for at in np.flatnonzero(np.isfinite(lower)).tolist():
        levels[at] = WorstAlpha(level_of(float(lower[at]), up=False), Level.of_ratio(Fraction(float(odds[at]))))
    return levels if alike is None else [levels[at] for at in alike.member]


def checked_leakage_profile(
    epsilon: Level,
    horizon: int,
    *,
    delta: Fraction,
    delta_per_release: Fraction,
    backward: TransitionMatrix | None,
    forward: TransitionMatrix | None,
) -> ProfileLevels:
    """Return BPL and FPL at a δ, proved likewise. As `solvers.worst_case.leakage_profile`; raises: Refuted."""
    found = leakage_profile(
        epsilon, horizon, delta=delta, delta_per_release=delta_per_release, backward=backward, forward=forward
    )
    if any(matrix.n < 2 for matrix in (backward, forward) if matrix is not None):
        return found  # of one value nothing can be told
    if not delta and not delta_per_release:
        anything = (INFINITE,) * horizon
        claimed = Leakage(found.bpl, found.fpl, anything)
        prove(lambda: check_leakage((epsilon,) * horizon, backward, forward, claimed))
        return found
    budgets = (ApproximateBudget(epsilon, delta_per_release),) * horizon
    for levels, past, future in ((found.bpl, backward, None), (found.fpl, None, forward)):
        prove_profile(budgets, past, future, {time: (level, delta) for time, level in enumerate(levels, 1)})
    return found


def agreeing_maximum(levels: Mapping[agreeing.Key, Level]) -> Maximum[agreeing.Key]:
    """Return the greatest of the levels and whose it is: none is above it in doubles. As there; raises: Refuted."""
    return _above(agreeing.agreeing_maximum(levels), levels.values())


def _above(found: Maximum[agreeing.Key], levels: Iterable[Level]) -> Maximum[agreeing.Key]:
    if any(level is not found.level and level.double_below() > found.level.double_above() for level in levels):
        raise Refuted("a level is above the one that is called the greatest; this is a fault of the program")
    return found


class CheckedAccountant(accounts.WorstCaseAccountant):
    """An account by the exact worst case: what is accepted is proved to keep the cap, what is shown to be no less.

    Which matrices the adversaries know, and which releases there were, is not taken from the solver.
    """

    def spend_all(self, epsilons: Iterable[Level]) -> None:
        """Account for releases, all of them or none; it is proved that the cap is kept. Raises: as there; Refuted."""
        before, self._proved = getattr(self, "epsilons", ()), set[tuple[Matrices, str, int]]()
        spent = tuple(epsilons)
        super().spend_all(spent)
        try:
            if self.epsilons != (*before, *spent):
                raise Refuted("the account has other releases than those that were spent; a fault of the program")
            self._prove_cap(self.epsilons)
        except BaseException:
            self.epsilons = before
            raise

    def remaining(self) -> Budget | Level | None:
        """Return a lower bound of what the next release may spend, proved to keep the cap."""
        found = super().remaining()
        if found is not None and not found.is_zero and not found.is_infinite:
            self._prove_cap((*self.epsilons, found))
        return found

    def worst(self) -> accounts.WorstSoFar:
        """Return the greatest TPL so far, whose bound is proved at all times. As there; raises: Refuted."""
        found = super().worst()
        everywhere = _only_tpl(self.releases, dict.fromkeys(range(self.releases), found.bound))
        for known in chain(*self._known.values()):
            prove(partial(check_leakage, self.epsilons, *known, everywhere))
        return found

    def tpl_at_all_times(self) -> list[Maximum[str]]:
        """Return the greatest TPL at each time so far, as `tpl`, proved at all of them together."""
        times = range(1, self.releases + 1)
        for known in self._histories:
            claimed = {time - 1: super(CheckedAccountant, self)._at(known, "tpl", time) for time in times}
            for own in self._known[known]:
                prove(partial(check_leakage, self.epsilons, *own, _only_tpl(self.releases, claimed)))
            self._proved |= {(known, "tpl", time) for time in times}
        return [self.tpl(time) for time in times]

    @cached_property
    def _known(self) -> dict[Matrices, set[Matrices]]:
        """What the adversaries know whom the solver takes to know the same."""
        found: dict[Matrices, set[Matrices]] = {}
        for name, adversary in self.adversaries.items():
            found.setdefault(self._matrices[name], set()).add(matrices_of(adversary))
        return found

    def _prove_cap(self, epsilons: Sequence[Level]) -> None:
        if epsilons and not self.cap.is_infinite:
            for known in chain(*self._known.values()):
                _prove_kept(epsilons, self.cap, *known)

    def _greatest(self, kind: str, time: int) -> Maximum[str]:
        return _above(super()._greatest(kind, time), (self._at(known, kind, time) for known in self._histories))

    def _at(self, known: Matrices, kind: str, time: int) -> Level:
        found = super()._at(known, kind, time)
        if (known, kind, time) not in self._proved:
            anything = _only_tpl(self.releases, {})
            claimed = tuple(found if at == time else INFINITE for at in range(1, self.releases + 1))
            for own in self._known[known]:
                prove(partial(check_leakage, self.epsilons, *own, replace(anything, **{kind: claimed})))
            self._proved.add((known, kind, time))
        return found
