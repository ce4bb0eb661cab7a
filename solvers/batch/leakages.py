"""BPL, FPL and TPL of many users at once, their suprema and the budgets that keep a level, each between two doubles.

The recursions [eq:bpl_f, eq:fpl_f], Theorem 11 [thm:sup] and Algorithm 7 [algo:release1] over the points of
`many_losses`, in `double_doubles`: what is returned encloses the exact value, or is NaN where that is not decided,
which is for exact methods. They are the paper's bounds; `solvers.worst_case.pairs` has the exact worst case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import accumulate

import numpy as np

from ...reference.levels import Level
from ..floats import LARGEST, Doubles
from .double_doubles import (
    EXP_ERROR,
    MOST_LEVEL,
    ROUNDING,
    DoubleDouble,
    add,
    divide,
    expm1,
    level_bounds,
    multiply,
    negative,
    pair,
    pair_of,
    where,
)
from .losses import POINT_ERROR, STEP_ERROR, ManyLosses, Mask, Whole, greater

EXCESS_BITS = 160
"""Bits to which e^ε − 1 is known before it is rounded to a pair."""

ATTEMPTS = 12
"""So often a bound is moved farther from a guess, by four times as much each time, until it is proved."""

LIMIT_WITHIN, BUDGET_WITHIN = 2.0**-71, 2.0**-68
"""By this part the excess of a supremum, and of a budget, is first moved."""

BUDGET_HALVINGS = 50
"""Halvings of an interval in which a budget is sought."""

SECANT = 2.0**-20
"""By this part budgets are apart of which the rise of TPL is taken."""

VALUE_ERROR = STEP_ERROR + 8 * ROUNDING + EXP_ERROR
"""The relative error of one step of a recursion from an excess that is known exactly."""


@dataclass(frozen=True)
class ManyBounds:
    """Levels of many users: the doubles next to each, below it and above, equal for a double; NaN where not decided."""

    lower: Doubles
    upper: Doubles

    @classmethod
    def between(cls, lower: Doubles, upper: Doubles) -> ManyBounds:
        """Return the bounds where they are next to one another, or both ∞."""
        with np.errstate(invalid="ignore"):
            near = (np.nextafter(lower, np.inf) == upper) | ((lower == upper) & ((lower == 0) | np.isinf(lower)))
        return cls(np.where(near, lower, np.nan), np.where(near, upper, np.nan))

    def known(self, where: Mask, level: KnownLevel) -> ManyBounds:
        """Return the bounds with those of a level that is known for itself."""
        return ManyBounds(np.where(where, level.below, self.lower), np.where(where, level.above, self.upper))


@dataclass(frozen=True)
class ManyWorst:
    """The greatest of a leakage over all times, and the first time, from 1, at which it is above the lower double."""

    level: ManyBounds
    time: Whole


@dataclass(frozen=True)
class Users:
    """Users with the loss functions of their backward and forward correlations, None where they are not known."""

    backward: ManyLosses | None
    forward: ManyLosses | None
    count: int

    @property
    def sides(self) -> list[ManyLosses]:
        """The loss functions that are known."""
        return [losses for losses in (self.backward, self.forward) if losses is not None]

    def flat(self, losses: ManyLosses | None) -> Mask:
        """Return of whom a loss function is 0: all rows are equal, or they are not known."""
        if losses is None:
            return np.ones(self.count, dtype=bool)
        flat: Mask = losses.sure & (losses.gap[0] == 0).all(axis=1)
        return flat


@dataclass(frozen=True)
class KnownLevel:
    """A finite level: the pair next to its excess, NaN beyond the range, and the doubles next to it.

    The relative error of the excess is at most `ROUNDING`.
    """

    excess: tuple[float, float]
    below: float
    above: float

    @classmethod
    def of(cls, level: Level) -> KnownLevel:
        """Look at a level."""
        low, high = level.excess_bounds(EXCESS_BITS)
        near = pair_of((Fraction(low) + Fraction(high)) / 2) if high < LARGEST else pair(np.array(np.nan))
        return cls((float(near[0]), float(near[1])), level.double_below(), level.double_above())

    def of_all(self, count: int) -> DoubleDouble:
        """Return the excess for many users."""
        return np.full(count, self.excess[0]), np.full(count, self.excess[1])


@dataclass(frozen=True)
class ManyReleases:
    """The budgets of releases, and the doubles next to each, to the sum up to it, and to that from it on: (T, 2)."""

    budgets: Sequence[KnownLevel]
    own: Doubles
    up_to: Doubles
    from_on: Doubles

    @classmethod
    def of(cls, epsilons: Sequence[Level]) -> ManyReleases:
        """Look at the budgets of releases, finite."""
        found: dict[int, KnownLevel] = {}
        budgets = [
            found.setdefault(id(epsilon), found.get(id(epsilon)) or KnownLevel.of(epsilon)) for epsilon in epsilons
        ]
        sums = [[*accumulate(part)] for part in (epsilons, epsilons[::-1])]
        up_to, from_on = ([[level.double_below(), level.double_above()] for level in part] for part in sums)
        own = np.array([[budget.below, budget.above] for budget in budgets])
        return cls(budgets, own, np.array(up_to), np.array(from_on[::-1]))


def _product(x: DoubleDouble, y: DoubleDouble) -> DoubleDouble:
    """Return the excess of a sum of levels: x + y + xy."""
    return add(add(x, y), multiply(x, y))


def _gained(losses: ManyLosses | None, excess: DoubleDouble) -> tuple[DoubleDouble, Mask]:
    """Return e^{L(α)} − 1, 0 without a loss function and at 0, and where that is decided; NaN beyond the range."""
    if losses is None:
        return pair(np.zeros_like(excess[0])), np.ones(len(excess[0]), dtype=bool)
    some = (excess[0] > 0) & np.isfinite(excess[0])
    if some.all():
        gained, decided = losses.value(excess)
        return gained, losses.sure & decided
    gained, decided = losses.value(where(some, excess, pair(np.ones_like(excess[0]))))
    none, zeros = excess[0] == 0, pair(np.zeros_like(excess[0]))
    gained = where(some, gained, where(none, zeros, pair(np.full_like(excess[0], np.nan))))
    return gained, losses.sure & (decided & some | none)


# Over time


def many_leakages(releases: ManyReleases, users: Users) -> tuple[ManyWorst, ManyWorst, ManyWorst]:
    """Return the worst BPL, FPL and TPL over all releases of each user, by the recursions.

    Args: releases, the same for all users. Returns: enclosures; not decided beyond levels of
    `double_doubles.MOST_LEVEL`.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        bpl, fpl, tpl = (_worst(*course) for course in courses(releases, users))
    return bpl, fpl, tpl


UserCourse = tuple[list[DoubleDouble], Doubles, Mask, float]
"""The excess at each time; the doubles next to the levels that are known exactly, shape (T, 2, users), NaN for others;
of whom all is decided; the relative error."""


def courses(releases: ManyReleases, users: Users) -> list[UserCourse]:
    """Return BPL, FPL and TPL at each time.

    Exactly known are budgets, where nothing else is leaked, and their sums, where two rows share no column.
    """
    budgets = [budget.of_all(users.count) for budget in releases.budgets]
    error = (len(budgets) + 1) * VALUE_ERROR
    with np.errstate(over="ignore", invalid="ignore"):
        past, past_before, past_sure = _course(users.backward, budgets)
        future, future_before, future_sure = _course(users.forward, budgets[::-1])
        future, future_before = future[::-1], future_before[::-1]
        both = [_product(own, after) for own, after in zip(past, future_before, strict=True)]
    exact_past, all_past = _exact(releases.own, releases.up_to, past_before, users.backward)
    exact_future, all_future = _exact(releases.own, releases.from_on, future_before, users.forward)
    none_before, none_after = (
        np.array([own[0] == 0 for own in part])[:, None] for part in (past_before, future_before)
    )
    total = np.where(all_past & all_future, releases.up_to[-1][None, :, None], np.nan)
    exact = np.where(none_after, exact_past, np.where(none_before, exact_future, total))
    return [
        (past, exact_past, past_sure, error),
        (future, exact_future, future_sure, error),
        (both, exact, past_sure & future_sure, 2 * error),
    ]


def _exact(own: Doubles, sums: Doubles, before: list[DoubleDouble], losses: ManyLosses | None) -> tuple[Doubles, Mask]:
    """Return the doubles next to the levels of a course that are known exactly, and where all of them are sums."""
    alone = np.array([gained[0] == 0 for gained in before])[:, None]
    identity = np.zeros(alone.shape[2], dtype=bool) if losses is None else losses.identity
    return np.where(identity, sums[:, :, None], np.where(alone, own[:, :, None], np.nan)), identity


def _course(
    losses: ManyLosses | None, budgets: Sequence[DoubleDouble]
) -> tuple[list[DoubleDouble], list[DoubleDouble], Mask]:
    """Return the excess at each time, what of it comes of the releases before, and where all that is decided."""
    now = pair(np.zeros_like(budgets[0][0]))
    own, before, sure = [], [], np.ones(len(now[0]), dtype=bool)
    for budget in budgets:
        gained, decided = _gained(losses, now)
        sure &= decided
        now = _product(gained, budget)
        own.append(now)
        before.append(gained)
    return own, before, sure


def _worst(excesses: Sequence[DoubleDouble], exact: Doubles, sure: Mask, error: float) -> ManyWorst:
    sure = sure & np.all([np.isfinite(found[0]) for found in excesses], axis=0)
    best = reduce(greater, excesses)
    nearly = 4 * (error + EXP_ERROR)
    lower, upper = level_bounds(best, error)
    near = np.array([found[0] >= best[0] * (1 - nearly) for found in excesses])
    only = ~(near & np.isnan(exact[:, 0])).any(axis=0)  # those that may be the greatest are known exactly
    of_exact = np.where(near[:, None] & only, exact, 0.0).max(axis=0)
    lower, upper = np.where(only, of_exact[0], lower), np.where(only, of_exact[1], upper)
    bar = expm1(np.where((upper > 0) & (upper <= MOST_LEVEL), np.nextafter(upper, 0.0), 1.0))
    time = np.full(len(sure), np.nan)
    for number in range(len(excesses), 0, -1):
        above = add(excesses[number - 1], negative(bar))[0]
        known = exact[number - 1, 1]
        reached = np.where(np.isnan(known), above > nearly * best[0], known >= upper)
        doubtful = np.isnan(known) & ~reached & ~(above < -nearly * best[0])
        time = np.where(reached, number, np.where(doubtful, np.nan, time))
    time = np.where(upper == 0, 1, time)
    sure &= np.isfinite(time) & (upper <= MOST_LEVEL)
    bounds = ManyBounds(np.where(sure, lower, np.nan), np.where(sure, upper, np.nan))
    return ManyWorst(bounds, np.where(sure, time, 1).astype(np.int64))


# For ever


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def many_suprema(epsilon: KnownLevel, users: Users) -> tuple[ManyBounds, ManyBounds, ManyBounds]:
    """Return the suprema of BPL, FPL and TPL of each user with one budget, above 0 and finite, at every time.

    Returns: enclosures, ∞ where the recursion grows without bound.
    """
    excess = epsilon.of_all(users.count)
    lower, upper = ([_limit(losses, excess, up) for losses in (users.backward, users.forward)] for up in (False, True))
    bpl, fpl, tpl = (
        ManyBounds.between(_level(low, up=False), _level(high, up=True))
        for low, high in zip([*lower, _total(lower, excess)], [*upper, _total(upper, excess)], strict=True)
    )
    flat = [users.flat(losses) for losses in (users.backward, users.forward)]
    return bpl.known(flat[0], epsilon), fpl.known(flat[1], epsilon), tpl.known(flat[0] & flat[1], epsilon)


def _limit(losses: ManyLosses | None, excess: DoubleDouble, up: bool) -> DoubleDouble:
    """Return a bound of the excess of a supremum: ∞ where there is none, NaN where it is not decided.

    By x ↦ T(x) = ε + L(x): where T(x) ≤ x nothing rises above x; where T(x) ≥ x one point's map does not cross the
    diagonal before x, and each crosses it once.
    """
    if losses is None:
        return excess
    infinite, decided = _unbounded(losses, excess)
    guess = _refined(losses, excess, _guess(losses, excess))
    flat = (losses.gap[0] == 0).all(axis=1)

    def proved(x: DoubleDouble) -> Mask:
        gained, sure = _gained(losses, x)
        apart = add(x, negative(_product(gained, excess)))
        certain: Mask = sure & ((apart[0] if up else -apart[0]) >= 4 * VALUE_ERROR * x[0])
        return certain

    found = _moved(guess, LIMIT_WITHIN, up, proved)
    found = where(flat & losses.sure, excess, found)
    found = where(infinite, pair(np.full(len(infinite), np.inf)), found)
    return where(decided & losses.sure, found, pair(np.full(len(infinite), np.nan)))


def _moved(guess: DoubleDouble, within: float, up: bool, proved: Callable[[DoubleDouble], Mask]) -> DoubleDouble:
    """Return the guess moved up, or down, as little as needed for it to be proved; NaN where it never is."""
    found, done = pair(np.full_like(guess[0], np.nan)), np.zeros(len(guess[0]), dtype=bool)
    for attempt in range(ATTEMPTS):
        factor = pair(np.full_like(guess[0], within * 4.0**attempt))
        tried = multiply(guess, add(pair(np.ones_like(guess[0])), factor if up else negative(factor)))
        good = ~done & proved(tried)
        found, done = where(good, tried, found), done | good
        if done.all():
            break
    return found


def _unbounded(losses: ManyLosses, excess: DoubleDouble) -> tuple[Mask, Mask]:
    """Return where some point has d = 0 and q·e^ε ≥ 1, and where that is decided."""
    one = pair(np.ones_like(excess[0]))
    above = add(multiply(losses.certain, add(one, excess)), negative(one))[0]
    doubt = 4 * (POINT_ERROR + 2 * ROUNDING)
    infinite: Mask = (above > doubt) | losses.identity  # then any budget is too much
    return infinite, infinite | (np.abs(above) > doubt)


def _guess(losses: ManyLosses, excess: DoubleDouble) -> Doubles:
    """Return about the greatest positive root of d·X² + (1 + d − q·e^ε)·X − (e^ε − 1) over the points."""
    gap, d, own = losses.gap[0], losses.d[0], excess[0][:, None]
    linear = 1 - gap - (gap + d) * own
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        root = np.sqrt(linear * linear + 4 * d * own)
        found = np.where(linear > 0, 2 * own / (linear + root), (root - linear) / (2 * d))
    usable = (gap > 0) & (found > 0) & np.isfinite(found)
    greatest: Doubles = np.where(usable, found, own).max(axis=1)
    return greatest


def _refined(losses: ManyLosses, excess: DoubleDouble, guess: Doubles) -> DoubleDouble:
    """Return a guess after Newton steps for x = T(x), along the point that rules there."""
    x = pair(guess)
    for _ in range(2):
        gained, _ = _gained(losses, x)
        rest = add(_product(gained, excess), negative(x))[0]
        values = losses.gap[0] / (losses.d[0] + (1 / x[0])[:, None])
        ruling = values.argmax(axis=1)
        rows = np.arange(len(ruling))
        slope = (1 + excess[0]) * losses.gap[0][rows, ruling] / (losses.d[0][rows, ruling] * x[0] + 1) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(slope < 1, rest / (1 - slope), 0.0)
        step = np.where(np.abs(step) < x[0] / 2, step, 0.0)
        x = add(x, pair(step))
    return x


def _total(ends: Sequence[DoubleDouble], excess: DoubleDouble) -> DoubleDouble:
    """Return the excess of BPL + FPL − ε from those of bounds of BPL and FPL, ∞ where one is."""
    infinite = np.isinf(ends[0][0]) | np.isinf(ends[1][0])
    one = pair(np.ones_like(excess[0]))
    past, future = (where(np.isinf(end[0]), one, end) for end in ends)
    # FPL − ε as an excess: (x − E)/(1 + E); nothing cancels that the bounds of x do not allow for.
    after = divide(add(future, negative(excess)), add(one, excess))
    # What is NaN stays so: nothing that is not decided may count as nothing.
    total = _product(past, where(after[0] <= 0, pair(np.zeros_like(after[0])), after))
    return where(infinite, pair(np.full(len(infinite), np.inf)), total)


def _level(excess: DoubleDouble, up: bool) -> Doubles:
    """Return the double next below, or above, the level of an excess, which may be ∞ or NaN."""
    bound = level_bounds(excess, 16 * ROUNDING)[up]
    level: Doubles = np.where(np.isinf(excess[0]), np.inf, bound)
    return level


# Budgets


@dataclass(frozen=True)
class ManyBudgets:
    """The budgets of `reference.Budgets`: TPL stays within α with their lower ends, too.

    middle: the greatest at every time; first and last: what the first release, and the last, may have beside it.
    """

    first: ManyBounds
    middle: ManyBounds
    last: ManyBounds


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def many_budgets(alpha: KnownLevel, users: Users) -> ManyBudgets:
    """Return the budgets whose TPL, by the recursions, stays within alpha, Algorithms 7 and 8.

    First and last are what BPL and FPL rise to with the middle one at every time [eq:release2_a, eq:release2_b].
    Args: alpha, above 0. Returns: enclosures; 0 where no budget can go on for ever.
    """
    none = np.zeros(users.count, dtype=bool)
    for losses in users.sides:
        none |= losses.identity
    cap = alpha.of_all(users.count)
    low, high = np.zeros(users.count), np.full(users.count, alpha.above)
    for _ in range(BUDGET_HALVINGS):
        middle = (low + high) / 2
        kept = _reached(users, np.expm1(middle)) <= cap[0]
        low, high = np.where(kept, middle, low), np.where(kept, high, middle)
    guess = pair(np.expm1(np.where(low > 0, low, high)))
    for _ in range(2):
        guess = _corrected(users, guess, cap)
    ends: list[list[Doubles]] = []
    for up in (False, True):

        def proved(excess: DoubleDouble, up: bool = up) -> Mask:
            total = _total([_limit(losses, excess, not up) for losses in (users.backward, users.forward)], excess)
            unbounded = np.isinf(total[0])
            apart = add(cap, negative(where(unbounded, pair(3 * cap[0]), total)))[0]
            slack = 8 * VALUE_ERROR * cap[0]
            certain: Mask = (-apart if up else apart) >= slack
            return certain

        excess = _moved(guess, BUDGET_WITHIN, up, proved)
        first, last = (_level(_limit(losses, excess, up), up) for losses in (users.backward, users.forward))
        ends.append([np.where(none, 0.0, end) for end in (first, _level(excess, up), last)])
    own = [ManyBounds.between(lower, upper) for lower, upper in zip(*ends, strict=True)]
    flat = [users.flat(losses) & ~none for losses in (users.backward, users.forward)]
    # With nothing to leak on one side, all of the level is for the other.
    all_flat = (flat[1], flat[0] & flat[1], flat[0])
    return ManyBudgets(*(bounds.known(where, alpha) for bounds, where in zip(own, all_flat, strict=True)))


def _reached(users: Users, budget: Doubles) -> Doubles:
    """Return about the excess to which TPL rises with a budget, given by its excess, at every time."""
    excess = pair(budget)
    reached = 1 + excess[0]
    for losses in users.sides:
        infinite = _unbounded(losses, excess)[0]
        reached = reached * np.where(infinite, np.inf, (1 + _guess(losses, excess)) / (1 + excess[0]))
    return reached - 1


def _corrected(users: Users, excess: DoubleDouble, cap: DoubleDouble) -> DoubleDouble:
    """Return a guess of a budget after a step of the secant method, TPL's limit worked out in pairs of doubles."""
    limits = [
        excess if losses is None else _refined(losses, excess, _guess(losses, excess))
        for losses in (users.backward, users.forward)
    ]
    total = _total(limits, excess)
    rest = add(cap, negative(where(np.isfinite(total[0]), total, cap)))[0]
    own = excess[0]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        rise = (_reached(users, own * (1 + SECANT)) - _reached(users, own * (1 - SECANT))) / (2 * SECANT * own)
        change = rest / rise
    return add(excess, pair(np.where(np.abs(change) < SECANT * own, change, 0.0)))
