"""The least α with δ(α) ≤ δ of a stream without end, one budget at all times, one side: between two ends.

After s releases m_s ≤ δ(α) ≤ M_s, whatever follows (docs/profile.md, proposition "one pass"). So the least α of s + 1
releases is a lower end, and the least α with M_s ≤ δ an upper one. Where φ(0) > 0 they are one as soon as s times φ
leads 0 to 1; of a chain with one closed class without periods they come together; every other chain has two values that
are told apart for ever, and α is ∞.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from math import inf, nextafter

import numpy as np

from ...reference.correlations import TransitionMatrix, product, steps_in_doubles
from ...reference.errors import InvalidRequest
from ...reference.levels import INFINITE, ZERO, Level
from ...reference.stepwise import steps_outward
from ...reference.worst_case.classes import classes_of, cyclic_parts
from ...reference.worst_case.profile_answers import WorstAlpha, WorstDelta
from ...reference.worst_case.profile_budgets import TELLS_NOTHING, ApproximateBudget, PrivacyBudget, key_of
from ...reference.worst_case.worst_profile import WorstProfile
from .profile_bounds import Doubles, RankedPairs
from .profile_passes import (
    FLAT_PART,
    ONE_SIDED_WIDTH,
    Indices,
    Outward,
    delta_of_side,
    different_pairs,
    least_alphas,
    level_of,
    odds_around,
    roots,
    sides_of,
    tabled,
)

NO_COMMON_VALUE = (
    "two values never lead to a common one, and the more releases there are, the more surely they are told apart"
)
"""Why there is no α."""

DEPTHS_COMPARED = 16, 64, 256, 1024
"""Releases on the side after which the two ends are compared, one number after the other until they meet."""

MET_WIDTH = 4 * ONE_SIDED_WIDTH
"""So near to each other the least α with m ≤ δ and with M ≤ δ are where no farther releases are taken."""

MOST_SCALE = 10.0
"""As far at least as this part of α of one side β is tried."""

SPLITS = 48
"""Values of β at which both sides are bounded."""

SLACK_PART = 1e-7
"""Part of itself and of δ by which the bound of a side is raised, so that the check proves it."""

BISECTIONS, MOST_LIVE = 8, 40
"""Halvings of a step of that grid, where at most so many pairs are left that need them."""

LEAST_DELTA_BOTH = Fraction(1, 10**9)
"""Of a lesser δ no test of both sides is sought."""

RELEASES_BESIDE = 12
"""Releases on either side of a time of which a test is sought."""

DIGITS_OF_GRID = 6
"""Digits to which the greatest β is taken."""

LEAST_DELTA = Fraction(1, 10**280)
"""A lesser δ is beyond doubles."""

MOST_VALUES = 1 << 33
"""Values of functions of a pass over all pairs, about: some minutes. What would need more is not known."""


@dataclass(frozen=True, slots=True)
class AlphaForEver(WorstAlpha):
    """α between its ends. depth: of releases on the side, after which both hold; reason: why the upper one is ∞."""

    depth: int = 0
    reason: str = ""


def known_for_ever(budget: PrivacyBudget, matrices: Sequence[TransitionMatrix], delta: Fraction) -> AlphaForEver | None:
    """Return α where no pass is needed, None elsewhere: exact, but where ε is not.

    Args: as `alpha_for_ever`; without a matrix, that of one release alone.
    """
    is_pure = isinstance(budget, ApproximateBudget) and not budget.delta
    own_delta = budget.delta if isinstance(budget, ApproximateBudget) else Fraction(0)
    if delta == 1 or key_of(budget) == TELLS_NOTHING or any(matrix.n < 2 for matrix in matrices):
        return AlphaForEver(ZERO, ZERO)
    if isinstance(budget, ApproximateBudget) and budget.epsilon.is_infinite:
        return AlphaForEver(INFINITE, INFINITE, reason="a release with ε = ∞ tells the value")
    if delta < own_delta:
        return AlphaForEver(INFINITE, INFINITE, reason="one release alone has a greater δ at every α")
    if not delta and not is_pure:
        return AlphaForEver(INFINITE, INFINITE, reason="such releases keep no α at δ = 0")
    if matrices:
        chain = product(matrices).rows
        closed = classes_of(chain).closed
        if len(closed) > 1 or len(cyclic_parts(chain, closed[0])) > 1:
            return AlphaForEver(INFINITE, INFINITE, reason=NO_COMMON_VALUE)
    if matrices and not 0 < delta == own_delta:
        return None
    pairs = list(permutations(range(matrices[0].n if matrices else 2), 2))
    sides = [[matrix.rows] for matrix in matrices] or [[]]
    found = [WorstProfile([budget] * (len(side) + 1), side, pairs).alpha(delta) for side in sides]
    return AlphaForEver(max(own.lower for own in found), max(own.upper for own in found), len(sides[0]))


def alpha_for_ever(budget: PrivacyBudget, matrices: Sequence[TransitionMatrix], delta: Fraction) -> AlphaForEver:
    """Return the least α with δ(α) ≤ delta of a time with endlessly many releases on one side.

    Args: budget, of every release; matrices, the steps outward, which repeat; delta, above that of a release, below 1.
    Returns: two ends; the lower one is that of finitely many releases, the upper one is ∞ where none was found, which
    is not known to be so.
    """
    if delta < LEAST_DELTA:
        known = alpha_for_ever(budget, matrices, LEAST_DELTA)
        return replace(known, upper=INFINITE, reason=f"δ is below {float(LEAST_DELTA):g}")
    found = AlphaForEver(ZERO, INFINITE)
    goal, pairs = nextafter(float(delta), 0), different_pairs([matrix.rows for matrix in matrices])
    for depth in DEPTHS_COMPARED:
        try:
            above, below = _sides(budget, matrices, delta, depth)
        except InvalidRequest as error:
            return replace(found, reason=str(error))
        if _takes_long(above, pairs, depth):
            return replace(found, reason=found.reason or f"more than {found.depth} releases would take long")
        ends = least_alphas(above, below, pairs, delta, np.array([depth]))
        (least,), (most,), worst = ends.lower, ends.upper, pairs[ends.worst]
        lower, upper = max(found.lower, level_of(least, up=False)), min(found.upper, level_of(most, up=True))
        found = AlphaForEver(lower, upper, depth, _apart(depth) if upper.is_infinite else "")
        if most < inf and most - _at_depth(above, worst, most, goal) <= MET_WIDTH:
            break
        if most == inf and depth == DEPTHS_COMPARED[0] and isinstance(budget, ApproximateBudget) and budget.delta:
            steps = steps_outward(matrices, depth)
            exact = WorstProfile([budget] * (depth + 1), steps, pairs.tolist(), RankedPairs()).alpha(delta)
            if exact.lower.is_infinite:
                return AlphaForEver(INFINITE, INFINITE, depth, f"{depth + 1} releases may exceed δ at every α")
    return found


def _at_depth(above: Outward, pair: Indices, most: float, goal: float) -> float:
    """Return about the least α with m ≤ goal, from above: at most `most`, that with M ≤ goal."""
    side, far = replace(above, for_ever=False), np.array([len(above.matrices)])
    near, end = np.maximum([most - MET_WIDTH], 0), np.array([most])
    found = roots(lambda _, a: side.at(pair, np.exp(a), far, FLAT_PART * goal), goal, near, end)
    return float(found[1][0])


def delta_for_ever(
    budget: PrivacyBudget, matrices: Sequence[TransitionMatrix], alpha: Level, delta: Fraction
) -> tuple[WorstDelta, int]:
    """Return δ(α) of a time with endlessly many releases on one side, as near as tells whether it is at most delta.

    Args: as `alpha_for_ever`; alpha, finite. Returns: two ends, and after how many releases they hold.
    """
    pairs, found, at = different_pairs([matrix.rows for matrix in matrices]), WorstDelta(Fraction(0), Fraction(1)), 0
    odds = odds_around(alpha)
    if odds is None or delta < LEAST_DELTA:
        return found, at
    for depth in DEPTHS_COMPARED:
        try:
            sides = _sides(budget, matrices, delta, depth)
        except InvalidRequest:
            break
        if _takes_long(sides[0], pairs, depth):
            break
        own = delta_of_side(sides, pairs, odds, FLAT_PART * float(delta))
        found = WorstDelta(max(found.lower, own.lower), min(found.upper, own.upper))
        at = depth
        if found.upper <= delta or found.lower > delta:
            break
    return found, at


@dataclass(frozen=True, slots=True)
class BothForEver:
    """An α of both sides. depth: of releases on each; shares: for each pair an e^β and δ of the past there."""

    alpha: Level
    depth: int
    shares: list[tuple[float, float]]


def both_for_ever(
    budget: PrivacyBudget,
    sides: Sequence[TransitionMatrix],
    delta: Fraction,
    ends: Sequence[AlphaForEver],
    scale: float = 1.0,
) -> BothForEver | None:
    """Return an α with δ(α) ≤ delta of a time with endlessly many releases on both sides; None where none is found.

    δ_past(β) + e^β·δ_future(α − β) bounds δ(α) for every β: the least of them on a grid of β, and about the least α.
    Args: sides, the matrix of the past and of the future; delta; ends, what `alpha_for_ever` says of each side; scale,
    how far β goes, as a part of α of one side.
    """
    goal, depth = float(delta) * (1 - 4 * SLACK_PART), max(own.depth for own in ends)
    pairs = np.array(list(permutations(range(sides[0].n), 2)))
    try:
        while True:
            past, future = (_sides(budget, (matrix,), delta, depth)[0] for matrix in sides)
            if not _takes_long(past, pairs, depth * SPLITS):
                break
            if depth == DEPTHS_COMPARED[0]:
                return None
            depth //= 4
    except InvalidRequest:
        return None
    future = replace(future, own=future.track.points)
    most = max(float(own.upper.enclosure(DIGITS_OF_GRID).upper) for own in ends)
    betas, flat = np.linspace(0, scale * (most + 0.1), SPLITS), SLACK_PART * goal
    told, left = (tabled(side, pairs, betas, depth, flat)[:, :, -1] * (1 + SLACK_PART) for side in (past, future))
    told += flat
    sums = np.array([_best(told, left, betas, at).min(axis=1).max() for at in range(2 * SPLITS - 1)])
    if not (sums <= goal).any():
        return both_for_ever(budget, sides, delta, ends, 4 * scale) if scale < MOST_SCALE else None
    high = int((sums <= goal).argmax())
    far, low, high_alpha = np.full(SPLITS, depth), (high - 1) * betas[1], high * betas[1]

    def splits(alpha: float, pair: int) -> tuple[float, int]:
        """Return the least bound of a pair at an α, and the place of its β."""
        rest = np.maximum(alpha - betas, 0)
        own = future.at(np.repeat(pairs[[pair]], SPLITS, axis=0), np.exp(rest), far, flat) * (1 + SLACK_PART)
        bounds = np.where(alpha >= betas, told[pair] + np.exp(betas) * own, inf)
        return float(bounds.min()), int(bounds.argmin())

    live = np.flatnonzero(_best(told, left, betas, max(high - 1, 0)).min(axis=1) > goal)
    for _ in range(BISECTIONS if high and len(live) <= MOST_LIVE else 0):
        middle = (low + high_alpha) / 2
        low, high_alpha = (
            (low, middle) if all(splits(middle, p)[0] <= goal for p in live.tolist()) else (middle, high_alpha)
        )
    at = [splits(high_alpha, pair)[1] for pair in range(len(pairs))]
    shares = [(float(np.exp(betas[place])), float(told[pair, place])) for pair, place in enumerate(at)]
    return BothForEver(level_of(float(high_alpha), up=True), depth, shares)


def _best(told: Doubles, left: Doubles, betas: Doubles, at: int) -> Doubles:
    """Return bounds of pairs at α = `at` steps of the grid, one for each β that leaves an α − β on it."""
    first, last = max(0, at - len(betas) + 1), min(at, len(betas) - 1)
    here = np.arange(first, last + 1)
    found: Doubles = told[:, here] + np.exp(betas[here]) * left[:, at - here]
    return found


def _takes_long(above: Outward, pairs: Indices, depth: int) -> bool:
    return len(pairs) * above.track.points.size * len(above.matrices[0]) * depth > MOST_VALUES


def _apart(depth: int) -> str:
    return f"{depth} releases leave open whether farther ones tell more"


def _sides(
    budget: PrivacyBudget, matrices: Sequence[TransitionMatrix], delta: Fraction, depth: int
) -> tuple[Outward, Outward]:
    above, below = sides_of(budget, steps_in_doubles(steps_outward(matrices, depth)), delta)
    return replace(above, for_ever=True), below
