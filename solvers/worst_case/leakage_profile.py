"""Leakage over time at a δ: the least α with which each value is (α, δ)-protected, as levels of any precision.

α(δ) rises with e^ε. Between two rationals that enclose a transcendental e^ε it is so between two exact answers of
theorem (profile). Where δ is 0 and releases are purely private it is the exact worst case, in that one's exact form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations

from flint import arb

from ...reference.correlations import TransitionMatrix
from ...reference.errors import Undecided
from ...reference.formulas import ANY_SIZE, ball_of, dyadic
from ...reference.levels import EXACT_INSTEAD_PRECISION, FIRST_PRECISION, INFINITE, ZERO, Level
from ...reference.paper.leakage import check_sizes
from ...reference.surds import Exact
from ...reference.worst_case.profile_budgets import ApproximateBudget
from ...reference.worst_case.sweep import ValuePair
from ...reference.worst_case.two_sided_profile import SideSteps
from ...reference.worst_case.worst_profile import WorstProfile
from .apart import Apart
from .pairs import fast_worst_case_leakage
from .profile_bounds import RankedPairs

UNCHANGING = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
"""The rows of two values that never change: of no chain do as many releases tell more."""


@dataclass(frozen=True, slots=True)
class ProfileLevels:
    """BPL and FPL at a δ, a level per time; TPL has no rule that is always exact."""

    bpl: tuple[Level, ...]
    fpl: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class LeastExcess:
    """e^α − 1 for the least α with δ(α) ≤ delta, of releases of one (ε, δ): a `Formula` of e^ε − 1.

    release_delta: δ of each release. steps: as in `ProfileSide`. pairs: of values. delta: what is allowed.
    """

    release_delta: Fraction
    steps: SideSteps
    pairs: tuple[ValuePair, ...]
    delta: Fraction

    def at(self, excess: Fraction) -> Fraction | None:
        """Return it for a rational e^ε, None for ∞. Exact."""
        budget = ApproximateBudget(Level.of_ratio(1 + excess), self.release_delta)
        found = WorstProfile([budget] * (len(self.steps) + 1), self.steps, self.pairs, RankedPairs()).alpha(self.delta)
        if found.upper.is_infinite:
            return None
        assert isinstance(found.upper.ratio, Fraction), "one rational budget commutes with itself"
        return found.upper.ratio - 1

    def exact(self, parts: Sequence[Exact], _most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result of a rational number, None for a surd."""
        return self.at(parts[0]) if isinstance(parts[0], Fraction) else None

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return a ball that contains the results between the ends of a ball."""
        low, high = (self.at(max(dyadic(end), Fraction(0))) for end in (parts[0].lower(), parts[0].upper()))
        if low is None or high is None:
            return arb(0, "inf")
        return ball_of(low).union(ball_of(high))


def leakage_profile(
    epsilon: Level,
    horizon: int,
    *,
    delta: Fraction,
    delta_per_release: Fraction = Fraction(0),
    backward: TransitionMatrix | None = None,
    forward: TransitionMatrix | None = None,
) -> ProfileLevels:
    """Return the least levels with which the value at each time is protected but for a probability.

    Args:
        epsilon: ε of each release.
        horizon: how many releases there are.
        delta: the probability that is allowed, from 0 to 1.
        delta_per_release: δ of each release, from 0 to 1.
        backward: P^B; None where the adversary does not know it.
        forward: P^F, likewise.

    Returns: BPL of the releases up to each time, FPL of those from it on: the least α with δ(α) ≤ delta over all causal
    streams, theorem (profile); exact where e^ε is rational, else enclosed to any precision.
    Raises: InvalidRequest for probabilities that are none and for matrices of different sizes; Undecided.
    """
    check_sizes(backward, forward)
    if delta == delta_per_release == 0:
        worst = fast_worst_case_leakage([epsilon] * horizon, backward, forward)
        return ProfileLevels(worst.bpl, worst.fpl)
    n = next((matrix.n for matrix in (backward, forward) if matrix is not None), 2)
    pairs = tuple(permutations(range(n), 2))

    def after(matrix: TransitionMatrix | None) -> tuple[Level, ...]:
        """Return what each release tells with those on one side of it, the one without any first."""
        steps = [] if matrix is None else [matrix.rows] * (horizon - 1)
        found = [
            least_alpha(epsilon, LeastExcess(delta_per_release, tuple(steps[:count]), pairs, delta))
            for count in range(len(steps) + 1)
        ]
        return tuple(found * (horizon // len(found)))

    return ProfileLevels(after(backward), after(forward)[::-1])


def least_alpha(epsilon: Level, formula: LeastExcess) -> Level:
    """Return the level of a formula of e^ε − 1, 0 and ∞ included. Raises: Undecided."""
    if not formula.pairs:
        return ZERO
    if all(step[j] == step[k] for step in formula.steps[:1] for j, k in formula.pairs):
        formula = replace(formula, steps=())  # the other releases tell nothing
        if formula.delta == formula.release_delta < 1:
            return epsilon
    elif formula.steps and Apart(formula.steps[::-1]).tells(formula.pairs, len(formula.steps)):
        formula = replace(formula, steps=(UNCHANGING,) * len(formula.steps), pairs=((0, 1),))
    if formula.delta == 1:
        return ZERO
    if epsilon.is_infinite:
        return INFINITE
    precision = FIRST_PRECISION
    while precision <= EXACT_INSTEAD_PRECISION:
        low, high = (formula.at(excess) for excess in epsilon.excess_bounds(precision))
        if low is None:
            return INFINITE
        if high == 0:
            return ZERO
        if low > 0 and high is not None:
            return Level.of_formula(formula, [epsilon])
        precision *= 2
    raise Undecided("whether the leakage is 0, or finite, is not decided in 4,096 bits of e^ε")
