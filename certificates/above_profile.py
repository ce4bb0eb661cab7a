"""The check from above of levels at a δ, of one side of a time: no pair of values tells more than δ at the level.

Theorem (profile) bounds δ(α) of a pair by max_u Σ_a f_a(u) (`reference.worst_case.profile`), and any functions that are
nowhere below those of the recursion do. Here they are linear between points u_0 = 0 < … < u_N = 1. For each point there
is a place x_i between two points, such that a line of φ through each piece [u_i, u_{i+1}] is at most x_i and x_{i+1} at
its ends: so φ is at most the function through all (u_i, x_i). For g linear between the points let G be its greatest
value up to a place, and F_i the lesser of G(x_i) and of the greatest g from u_i on: what is in the window of u_i is no
greater. Functions that do not fall and rise again, as those of the recursion, have no lesser maximum there. Whichever
of the two is the lesser at u_i is so at u_{i+1}: so for u between them the maximum of g over [u, φ(u)] is at most F_i
and F_{i+1}, mixed as u is of u_i and u_{i+1}; where there are points between x_i and x_{i+1}, F_i and F_{i+1} are
raised by what G has there above the line from G(x_i) to G(x_{i+1}). For i = 0 it is enough to raise F_0, so that the
line from there to F_1 is nowhere below g: u_1 is left as it is, and what rounding raises does not grow with each
release. So F goes on as f. It is tight where the points are the kinks of φ and what φ leads to them.

After s releases of the upper functions m = max_u Σ_a f_a(u) only rises and M = Σ_a max_u f_a(u) only falls with more of
them: M ≤ δ proves all greater depths.

*Doubles*, u = 2^−53: entries of P lose u P to nearest, a product of n terms at most (n + 6)u|f|P, a value between two
points 4u of the greater, which all are added. What underflows, entries of P too, is less than 2^−1074 (1 + e^α) each
time, and the amplification at most: `TINY` (1 + e^α), added at the start to each of the functions, whose sum keeps it,
is more than all of it. Points have no error: they are what they are, and x_i is rounded up.
Each release has its own φ; of different ones, whose kinks have no common orbits, some points are merged.
What doubles leave open is decided by the theorem itself in whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise, permutations
from math import nextafter

import numpy as np
from numpy.typing import NDArray

from ..reference.correlations import Row, steps_in_doubles
from ..reference.errors import Refuted, Unchecked
from ..reference.levels import Level
from ..reference.worst_case.profile import ProfileSide, pair_bound
from ..reference.worst_case.profile_budgets import PrivacyBudget, are_equal, enclosed
from ..reference.worst_case.sweep import ValuePair
from ..reference.worst_case.trade_off import TradeOff
from .above_doubles import Doubles, Indices, below_it
from .above_guess import MERGED, MOST_POINTS, guessed_points
from .above_lines import unlike
from .above_loss import BITS, TINY, U

LEAST_POINT = 1e-9
"""The least point above 0, as a part of δ: what is lost below it is less than that part of δ."""

LEAST_IN_DOUBLES = 1e-280
"""The least δ, φ(0) above 0 and kink in doubles: of products of lesser ones a part may be lost."""

MOST_SHARED, FEW_SHARED = 1 << 8, 1 << 7
"""Points of a grid for different φ, whose orbits have no end, and of one for a first bound."""

MOST_AMPLIFIED = 1 << 20
"""Factor by which a value at 0 alone is raised at most for what lies between."""

ALPHAS = 12
"""Levels among those claimed at which all pairs are bounded first: what they prove holds at greater levels."""

MOST_DOUBLES = 1 << 15
"""Numbers of an array that is worked on at once."""

np.empty(64 * MOST_DOUBLES)  # glibc keeps arrays' memory once one so large is freed; to ask anew doubles the time

MOST_IN_INTEGERS = 1 << 23
"""Products of whole numbers, about, that decide what doubles leave open: some seconds."""

MOST_DOUBLED = 10
"""Times that different φ double the number of kinks; then some are left out."""

NEARLY_ONE = 0.999999
"""Lines that come to more, about, are compared with 1 exactly."""

GREATEST_ODDS = 1e280
"""Greater odds are not tried in doubles."""

CLEAR_FACTOR = 1 + Fraction(1, 10**6)
"""What φ from below exceeds in doubles at odds and a δ greater by this factor, and by all rounding, is wrong."""


FOR_EVER = np.iinfo(np.int64).max
"""More releases than any claim is of: what is proved of so many is proved of all."""


@dataclass(frozen=True, slots=True)
class ProfileClaim:
    """At so many other releases the value is (alpha, delta)-protected."""

    depth: int
    alpha: Level
    delta: Fraction


class ProfilePoints:
    """The points, φ of a release there from above, and where it leads them.

    amplification: by how much more a value at 0 may be raised than another one.
    """

    def __init__(self, phi: TradeOff, points: Doubles, may_move: bool) -> None:
        """Take points from 0 to 1. Args: may_move, whether points to which φ leads others are put just there."""
        lines = [((z - y) / (v - u), y, u) for (u, y), (v, z) in pairwise(phi.points)]
        slopes, starts = np.array([(float(s), float(y - s * u)) for s, y, u in lines]).T
        kinks, _, top = _kinks(phi)
        middle = (points[1:] + points[:-1]) / 2
        piece = np.minimum(np.searchsorted(kinks, middle, side="right"), len(lines)) - 1
        is_cut = starts[piece] + slopes[piece] * points[1:] > NEARLY_ONE
        for place in np.flatnonzero(is_cut):
            slope, value, start = lines[piece[place]]
            is_cut[place] = value + slope * (Fraction(points[place + 1]) - start) > 1
        s, c = np.where(is_cut, 0, slopes[piece]), np.where(is_cut, 1, starts[piece])
        self.u, last = points.copy(), len(points) - 1
        while True:  # a point that φ leads another one to is put there: it lies farther on
            led = (c + s * np.stack([self.u[:-1], self.u[1:]])) * (1 + 8 * U)
            own = np.maximum.accumulate(np.maximum(np.append(led[0], 0), np.append(0, led[1])).clip(max=1))
            near = np.searchsorted(self.u, own * (1 - MERGED))
            at, following = (self.u[np.minimum(near + more, last)] for more in (0, 1))
            left, is_later = near - 1, near > np.arange(last + 1)
            is_uncut = (s[left] == 0) | ((c[left] + s[left] * own) * (1 + 8 * U) <= 1)  # the line before, there, too
            moved = (at < own) & (own < following) & (at != top) & is_later & is_uncut
            if not (may_move and moved.any()):
                break
            self.u[near[moved]] = own[moved]
        self.own = np.maximum.accumulate(np.where((own < at) & (at <= own * (1 + MERGED)), at, own))
        self.at = np.minimum(np.searchsorted(self.u, self.own, side="right") - 1, last - 1)
        gaps = self.u[self.at + 1] - self.u[self.at]
        self.part = np.minimum((self.own - self.u[self.at]) / gaps * (1 + 8 * U), 1)
        self._end = self.at + (self.part == 1)
        self._inside, inside = _few_or_all((self.part > 0) & (self.part < 1))
        self._near, self._far = np.stack([self.at, self.at + 1])[:, inside], self.part[inside]
        before, beyond = np.searchsorted(self.u, self.own[:-1], side="right"), np.searchsorted(self.u, self.own[1:])
        self._passing, passing = _few_or_all(beyond > before)
        counts = np.maximum(beyond - before, 1)[passing]  # where none is passed, the one before raises nothing
        self._starts = np.cumsum(counts) - counts
        self._piece = np.repeat(passing, counts)
        first = np.where(beyond > before, before, before - 1)[passing]
        self._between = np.arange(len(self._piece)) + np.repeat(first - self._starts, counts)
        low, high = self.own[self._piece], self.own[self._piece + 1]
        along = (self.u[self._between] - low).clip(min=0)
        self._along = along / np.maximum(np.maximum(high - low, along), 5e-324)
        self._at_zero = slice(int(np.count_nonzero(self._piece == 0)))
        self.amplification = 1 / max(1 - float(self._along[self._at_zero].max(initial=0)), U)

    def greatest(self, g: Doubles) -> Doubles:
        """Return F for functions g, given at the points on the last axis, rounded up."""
        most = np.maximum.accumulate(g, axis=-1)
        led: Doubles = np.take(most, self._end, axis=-1)
        if len(self._far):
            low, high = (np.take(most, near, axis=-1) for near in self._near)
            low += 8 * U * np.abs(low)
            high += 8 * U * np.abs(high)
            led[..., self._inside] = low * (1 - self._far) + high * self._far
        best: Doubles = np.minimum(led, np.maximum.accumulate(g[..., ::-1], axis=-1)[..., ::-1])
        if not len(self._piece):
            return best
        low, high = (np.take(led, self._piece + more, axis=-1) for more in (0, 1))
        over, along = np.take(most, self._between, axis=-1), self._along
        slack = 32 * U * (np.maximum(np.abs(low), np.abs(high)) + np.abs(over))
        over -= low + along * (high - low)
        over += slack
        is_amplified = self.amplification < MOST_AMPLIFIED
        if is_amplified:
            over[..., self._at_zero] *= (1 + 32 * U * self.amplification) / (1 - along[self._at_zero])
        raised = np.zeros((*g.shape[:-1], g.shape[-1] - 1))
        raised[..., self._passing] = np.maximum.reduceat(over, self._starts, axis=-1) * (1 + 4 * U)
        np.maximum(raised, 0, out=raised)
        best[..., 0] += raised[..., 0]
        if is_amplified:
            raised[..., 0] = 0
        best[..., 1:-1] += np.maximum(raised[..., :-1], raised[..., 1:])  # up to 1 none is passed
        return best


def _few_or_all(which: NDArray[np.bool_]) -> tuple[slice | Indices, Indices]:
    """Return which ones, as numpy takes them the fastest, and as numbers: all of them, unless it is few."""
    found = np.flatnonzero(which)
    return (found, found) if 4 * len(found) < len(which) else (slice(None), np.arange(len(which)))


def _kinks(phi: TradeOff) -> tuple[Doubles, Doubles, float]:
    """Return the kinks of φ, φ there, and where it comes to 1: rounded down, so that no line before that is cut."""
    top = next(u for u, y in phi.points if y == 1)
    below = float(top) if Fraction(float(top)) <= top else nextafter(float(top), 0)
    below = below if top == 1 else min(below, nextafter(1, 0))
    u, y = zip(*phi.points, strict=True)
    return np.array([below if own == top else float(own) for own in u]), np.array([float(own) for own in y]), below


class PointsOutward:
    """Points for a release and those on one side of it, each with its own φ.

    u: the points; own: φ of the time there.
    """

    def __init__(self, phis: tuple[TradeOff, ...], known: dict[TradeOff, ProfilePoints]) -> None:
        """Take φ of the time and of the releases outward, the last one of all farther ones."""
        self._each = [known[phi] for phi in phis]
        self.u, self.own = self._each[0].u, self._each[0].own
        self.amplification = max(own.amplification for own in self._each)

    def own_at(self, starts: Indices) -> Doubles:
        """Return φ of releases outward, at the points."""
        return np.stack([own.own for own in self._each])[np.minimum(starts, len(self._each) - 1)]

    def greatest(self, depth: int, g: Doubles) -> Doubles:
        """Return F for functions g at a release. Args: depth, from 1."""
        return self._each[min(depth, len(self._each) - 1)].greatest(g)


def sides_points(
    sides: Sequence[tuple[TradeOff, ...]],
    releases: int,
    least: float,
    others: tuple[float, ...] = (),
    shared: int = MOST_SHARED,
) -> list[PointsOutward]:
    """Return the same points for some sides.

    Args: sides, as of `PointsOutward`; the others as `guessed_points`. Raises: Unchecked for too many, and for a φ with
    numbers that are too small.
    """
    known = _on_a_grid(tuple(sides), releases, least, others, shared)
    return [PointsOutward(phis, known) for phis in sides]


@lru_cache(maxsize=1 << 6)
def _on_a_grid(
    sides: tuple[tuple[TradeOff, ...], ...], releases: int, least: float, others: tuple[float, ...], shared: int
) -> dict[TradeOff, ProfilePoints]:
    ends = {phi: _kinks(phi) for phis in sides for phi in phis}
    if any(0 < own < LEAST_IN_DOUBLES for phi in ends for own in (phi.points[0][1], phi.points[1][0])):
        raise Unchecked("φ of the releases has smaller numbers than doubles tell apart")
    least = max(least, LEAST_IN_DOUBLES * LEAST_POINT)
    found = guessed_points([[ends[phi] for phi in phis] for phis in sides], releases, least, others, shared)
    points = np.unique(np.append(found[(found > 0) & (found < 1)], [0, 1]))
    if len(points) > MOST_POINTS:
        raise Unchecked("φ of the releases has too many kinks for the check")
    return {phi: ProfilePoints(phi, points, len(ends) == 1) for phi in ends}


def points_of(
    phis: tuple[TradeOff, ...],
    releases: int,
    least: float,
    shared: int = MOST_SHARED,
    among: tuple[TradeOff, ...] = (),
) -> PointsOutward:
    """Return those of one side. Args: among, of a side that this one is a part of, if it is, whose points are taken."""
    own = among if {*phis} <= {*among} else phis
    return PointsOutward(phis, _on_a_grid((own,), releases, least, (), shared))


def of_all(budgets: Sequence[PrivacyBudget]) -> Sequence[PrivacyBudget]:
    """Return the budgets, of equal ones the first alone."""
    return budgets[:1] if are_equal(budgets) else budgets


def check_side(
    budgets: Sequence[PrivacyBudget],
    steps: Sequence[Sequence[Row]],
    claims: Sequence[ProfileClaim],
    among: Sequence[PrivacyBudget] = (),
) -> None:
    """Prove claims of a value by its own release and those on one side of it, for all pairs of values.

    Args: budgets, of the value's release and of the others outward; steps, `ProfileSide.steps`; among, budgets
    outward from another time, which have these at their end: then both have the same points. Raises: Refuted, with the
    values and the number of releases, where a pair exceeds a claim; Unchecked.
    """
    claims = [own for own in claims if not own.alpha.is_infinite and own.delta < 1]
    pairs = np.array(list(permutations(range(len(steps[0]) if steps else 2), 2)), dtype=np.int64).reshape(-1, 2)
    if not claims or not len(pairs):
        return
    pairs = pairs[unlike([steps], pairs)]
    left = [(own, place) for own in claims for place in range(len(pairs))]
    known: ProfileDoubles | None = None
    if all(own.delta for own in claims):
        with suppress(OverflowError, Unchecked):  # what is too much for doubles is left to integers
            known = ProfileDoubles(of_all(budgets), steps, claims, pairs, among=among)
            left = known.left()
    alike = {
        (id(claim), *(steps[0][value] for value in pairs[place] if claim.depth)): (claim, place)
        for claim, place in reversed(left)
    }
    effort = 0
    for claim, place in reversed(alike.values()):
        j, k = pairs[place].tolist()
        if known is not None and known.exceeds(claim, place):
            raise _refuted(claim, (j, k))
        phis = enclosed(budgets[: claim.depth + 1], 2 * BITS)
        kinks = sum(len(phi.points) for phi in set(phis.upper))
        kinks <<= 0 if len(of_all(budgets)) == 1 else min(claim.depth, MOST_DOUBLED)
        effort += len(steps[0] if claim.depth else ()) ** 2 * (claim.depth + 1) ** 2 * kinks
        if effort > MOST_IN_INTEGERS:
            raise Unchecked(f"{_where(claim, (j, k))}: rounding leaves open whether they tell more than δ")
        rows = tuple(map(tuple, steps[: claim.depth]))
        _decide(ProfileSide(phis.lower, rows), ProfileSide(phis.upper, rows), claim, (j, k))


def check_for_ever(budget: PrivacyBudget, steps: Sequence[Sequence[Row]], claim: ProfileClaim) -> None:
    """Prove a claim of a value by its own release and endlessly many on one side of it: M ≤ δ after `claim.depth`.

    Args: budget, of every release; steps, the matrices outward, of which only the first `claim.depth` count, for all
    pairs of values. Raises: Refuted where a pair exceeds it within these releases; Unchecked where that is not known.
    """
    pairs = np.array(list(permutations(range(len(steps[0])), 2)), dtype=np.int64).reshape(-1, 2)
    if claim.alpha.is_infinite or claim.delta >= 1 or not len(pairs):
        return
    for releases in (claim.depth + 1, MOST_POINTS):  # with few points first: more only matter near 0
        with suppress(OverflowError):  # numbers beyond doubles are left open
            known = ProfileDoubles([budget], steps, [claim], pairs, releases)
            left = known.left(for_ever=True)
            if not left:
                return
            for _, place in left:
                if known.exceeds(claim, place):
                    raise _refuted(claim, tuple(pairs[place].tolist()))
    raise Unchecked(f"{claim.depth} releases leave open whether all farther ones tell more than δ")


Shares = Sequence[tuple[float, float]]
"""For each pair of values, in order, an e^β and the δ of the past there."""


def check_both_for_ever(
    budget: PrivacyBudget, sides: Sequence[Sequence[Sequence[Row]]], claim: ProfileClaim, shares: Shares
) -> None:
    """Prove a claim of a value by its own release and endlessly many on both sides.

    For each pair δ_past(β) + e^β·δ_future(α − β) ≤ δ at some β, the future without the release of the time
    (docs/profile.md, proposition "both sides by lines"). Args: as `check_for_ever`, with the steps of the past and of
    the future. Raises: Unchecked where it is not proved.
    """
    pairs = np.array(list(permutations(range(len(sides[0][0])), 2)), dtype=np.int64).reshape(-1, 2)
    odds, past = np.array(shares).T
    if not (np.isfinite(shares).all() and (odds > 0).all()):
        raise Unchecked("a line of what both sides tell together has no slope above 0")
    whole = 1 + claim.alpha.excess_bounds(BITS)[0]
    beyond = [below_it(whole / Fraction(own)) for own in odds.tolist()]
    future = [below_it((claim.delta - Fraction(p)) / Fraction(own)) for own, p in shares]
    asked = (odds, past), (np.array(beyond), np.array(future))
    with suppress(OverflowError):
        for place, (steps, (own_odds, delta)) in enumerate(zip(sides, asked, strict=True)):
            known = ProfileDoubles([budget], steps, [claim], pairs)
            rows = np.arange(len(pairs)), own_odds, np.full(len(pairs), claim.depth), delta
            if (known.proved_to(rows, with_own=not place) < FOR_EVER).any():
                break
        else:
            return
    raise Unchecked(f"{claim.depth} releases on either side leave open whether all of them tell more than δ")


def _where(claim: ProfileClaim, pair: ValuePair) -> str:
    return f"with {claim.depth} other releases values {pair[0] + 1} and {pair[1] + 1}"


def _refuted(claim: ProfileClaim, pair: ValuePair) -> Refuted:
    return Refuted(f"{_where(claim, pair)} tell more than δ at the level found; this is a fault of the program")


def _decide(below: ProfileSide, above: ProfileSide, claim: ProfileClaim, pair: ValuePair) -> None:
    """Prove or refute a claim of a pair in whole numbers. Args: the side with φ from below and from above.

    What releases with φ from below attain, those with φ attain too. Raises: Refuted; Unchecked.
    """
    odds = 1 + claim.alpha.excess_bounds(BITS)[1] * (1 + Fraction(1, 1 << (BITS - 8)))
    if pair_bound(above, odds, pair, 3 * BITS).delta <= claim.delta:
        return
    if below.grids.is_whole and below.commutes():
        if pair_bound(below, odds, pair).delta > claim.delta:
            raise _refuted(claim, pair)
        if below.trade_offs == above.trade_offs:
            return
    raise Unchecked(f"{_where(claim, pair)}: it is not decided whether they tell more than δ")


ProfileRows = tuple[Indices, Doubles, Indices, Doubles]
"""By row: the place of a pair, e^α, the number of releases, δ."""


class ProfileDoubles:
    """What doubles prove of claims about releases, and what they leave open."""

    def __init__(
        self,
        budgets: Sequence[PrivacyBudget],
        steps: Sequence[Sequence[Row]],
        claims: Sequence[ProfileClaim],
        pairs: Indices,
        releases: int = 0,
        *,
        among: Sequence[PrivacyBudget] = (),
    ) -> None:
        """Take claims of some pairs.

        Args: budgets, outward, the last one of all farther releases; releases, of which the kinks are points, 0 for as
        many as are claimed; among, as in `check_side`.
        """
        self._claims, self._pairs = claims, pairs
        deepest, least = max(own.depth for own in claims), min(own.delta for own in claims)
        phis = enclosed(budgets, BITS, on_one_grid=True)
        self._has_one_budget = len(budgets) == 1
        releases = releases or max(deepest + 1, len(among))
        self._points_of = partial(points_of, releases=releases, least=float(least) * LEAST_POINT)
        others = enclosed(among, BITS, on_one_grid=True).upper if not self._has_one_budget else ()
        self._points, self._lower = self._points_of(phis.upper, among=others), phis.lower
        self._steps = steps_in_doubles(steps[:deepest])

    def left(self, for_ever: bool = False) -> list[tuple[ProfileClaim, int]]:
        """Return the claims and places of pairs that doubles do not prove; `for_ever`, at all greater depths too."""
        depth = np.array([own.depth for own in self._claims])
        odds = np.array([min(below_it(1 + own.alpha.excess_bounds(BITS)[0]), GREATEST_ODDS) for own in self._claims])
        odds = np.maximum(odds, 1.0)
        delta = np.array([below_it(own.delta) for own in self._claims])
        is_open = np.ones((len(self._claims), len(self._pairs)), dtype=bool)
        first = np.unique(np.quantile(odds, np.linspace(0, 1, ALPHAS), method="lower"))[::-1]
        for at in first if len(self._claims) > ALPHAS and len(np.unique(delta)) == 1 else ():
            later = odds >= at
            wanted = np.flatnonzero(is_open[later].any(axis=0))
            deepest = int(depth[later].max())
            odds_of, depth_of, delta_of = (np.full(len(wanted), own) for own in (at, deepest, delta[0]))
            proved = self._proved(self._points, (wanted, odds_of, depth_of, delta_of))
            is_open[np.ix_(later, wanted)] &= depth[later][:, None] > proved
        claim, place = np.nonzero(is_open)
        found = self._proved(self._points, (place, odds[claim], depth[claim], delta[claim]))
        is_open[claim, place] = (FOR_EVER if for_ever else depth[claim]) > found
        return [(self._claims[at], int(pair)) for at, pair in np.argwhere(is_open)]

    def exceeds(self, claim: ProfileClaim, place: int) -> bool:
        """Return whether φ from below tells more than is claimed, by more than rounding and `CLEAR_FACTOR` come to.

        Never of different budgets, of which the theorem's bound need not be attained.
        """
        if not self._has_one_budget:
            return False
        odds = below_it((1 + claim.alpha.excess_bounds(BITS)[1]) * CLEAR_FACTOR)
        n = len(self._steps[0]) if self._steps else 1
        below = self._points_of(self._lower)
        rounding = (16 * (n + 8) * U * below.amplification + 4 * MERGED) * (claim.depth + 2) * (1 + odds)
        delta = float(claim.delta * CLEAR_FACTOR) + rounding
        asked = (np.array([place]), np.array([odds]), np.array([claim.depth]), np.array([delta]))
        return odds < GREATEST_ODDS and bool(self._proved(below, asked)[0] < claim.depth)

    def proved_to(self, asked: ProfileRows, with_own: bool) -> Indices:
        """Return up to which number of releases rows are proved. Args: with_own, whether the time has a release."""
        points = copy(self._points)
        points.own = points.own if with_own else points.u
        return self._proved(points, asked)

    def _proved(self, points: PointsOutward, asked: ProfileRows) -> Indices:
        """Return up to which number of releases each pair is proved, beyond all where M ≤ δ; −1 for none."""
        found = np.full(len(asked[0]), -1)
        order = np.argsort(-asked[2], kind="stable")
        n = len(self._steps[0]) if self._steps else 1
        size = max(1, MOST_DOUBLES // (n * len(points.u)))
        with np.errstate(under="ignore"):
            for start in range(0, len(order), size):
                rows = order[start : start + size]
                part = asked[0][rows], asked[1][rows], asked[2][rows], asked[3][rows]
                self._pass(rows, points, part, found)
        return found

    def _pass(self, rows: Indices, points: PointsOutward, asked: ProfileRows, found: Indices) -> None:
        (places, odds, depths, delta), own, u = asked, points.own, points.u
        total = (own - odds[:, None] * u) + 4 * U * (own + odds[:, None] * u)
        holds = (total.max(axis=1) <= delta) & (delta >= LEAST_IN_DOUBLES)
        found[rows[holds]] = 0
        going = holds & (depths > 0)
        if not going.any():
            return
        rows, depths, delta, odds = rows[going], depths[going], delta[going], odds[going]
        j, k = self._pairs[places[going]].T
        one = self._steps[0][j][:, :, None] * own
        other = (self._steps[0][k] * odds[:, None])[:, :, None] * u
        f = one - other + (6 * U * (one + other) + TINY * (1 + odds[:, None, None]))
        for depth in range(1, int(depths.max()) + 1):
            if depth > 1:
                step = self._steps[depth - 1].T
                f = np.matmul(step, f) + (len(step) + 8) * U * np.matmul(step, np.abs(f))
            f = points.greatest(depth, f)
            slack = (f.shape[1] + 8) * U
            sums = (f.sum(axis=1) + slack * np.abs(f).sum(axis=1)).max(axis=1)
            most = f.max(axis=2)
            ever = most.sum(axis=1) + slack * np.abs(most).sum(axis=1) <= delta
            holds = (sums <= delta) | ever
            found[rows[holds]] = np.where(ever[holds], FOR_EVER, depth)
            stay = holds & ~ever & (depths > depth)
            rows, depths, delta, f = rows[stay], depths[stay], delta[stay], f[stay]
            if not len(rows):
                return
