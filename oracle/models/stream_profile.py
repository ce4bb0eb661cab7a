"""The exact worst case with a richer budget: with which (α, δ) a value is protected by (ε, δ) or Gaussian releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from ..reference import (
    InvalidRequest,
    Level,
    PrivacyBudget,
    Profile,
    TwoSidedProfile,
    WorstAlpha,
    WorstDelta,
    WorstProfile,
)
from ..reference.stepwise import KnownCorrelation, matrices_in, matrices_over
from ..reference.worst_case.profile_answers import USUAL_BITS
from ..solvers.worst_case.profile_bounds import RankedBothSides, RankedPairs
from .basis import Basis
from .chain import chain_of

PRIVATE_STREAMS = (
    "any stream in which changing the value at time s alone keeps φ_s; "
    "BPL: of causal ones, whose releases read values up to their time; "
    "FPL: of those that read none from before the time asked about; TPL: of any"
)


@dataclass(frozen=True, slots=True)
class StreamProfile:
    """What a stream tells about the value at a time of it, to whoever knows the past or the future."""

    worst: Profile
    basis: Basis

    def delta(self, alpha: Level) -> WorstDelta:
        """Return the greatest Pr(out | l^t = j) − e^α Pr(out | l^t = k) over sets of outputs and pairs of values.

        Args:
            alpha: a finite level, in nats.

        Returns: δ, exact or enclosed, as `tploracle.reference.Profile.delta`.
        """
        return self.worst.delta(alpha)

    def alpha(self, delta: Fraction) -> WorstAlpha:
        """Return the least α with which the value is (α, delta)-protected.

        Args:
            delta: a probability.

        Returns: the level, exact or enclosed, as `tploracle.reference.Profile.alpha`; ∞ where there is none.
        """
        return self.worst.alpha(delta)


def stream_profile(
    budgets: Sequence[PrivacyBudget],
    backward: KnownCorrelation | None,
    forward: KnownCorrelation | None,
    time: int | None = None,
) -> StreamProfile:
    """Return the profile of BPL for P^B, of FPL for P^F, or of TPL for both, at a time.

    Args:
        budgets: of each release, in order of time.
        backward: P^B, one matrix or those of the steps: what the releases up to the time tell of it.
        forward: P^F, likewise: what those from it on tell of it.
        time: which value is asked about, from 1; without it the last one for P^B alone, the first one for P^F alone.

    Raises: InvalidRequest without a correlation, for both without a time, without a release, for another time, and as
    `Profile`.
    """
    if not budgets:
        raise InvalidRequest("there is no release: give at least one budget")
    if time is None:
        if (backward is None) == (forward is None):
            raise InvalidRequest(
                "a profile is of one side of a time: give P^B for the last value, or P^F for the first; or give the "
                "time of the value, and both"
            )
        time = len(budgets) if forward is None else 1
    worst = profile_at(budgets, time, backward, forward)
    known = [(backward, forward)]
    return StreamProfile(worst, Basis.of(known, chain_of(known), "", mechanisms=PRIVATE_STREAMS))


def profile_at(
    budgets: Sequence[PrivacyBudget],
    time: int,
    backward: KnownCorrelation | None,
    forward: KnownCorrelation | None,
    bits: int = USUAL_BITS,
) -> Profile:
    """Return the profile at a time for one who knows these correlations; of neither it is that of the one release.

    Args: as `stream_profile`; bits, the working precision where there is no exact answer. Raises: InvalidRequest.
    """
    if not 1 <= time <= len(budgets):
        raise InvalidRequest(f"{time} is none of the times 1 to {len(budgets)}")
    steps = len(budgets) - 1
    before = () if backward is None else matrices_over(backward, steps, "backward")[: time - 1][::-1]
    after = () if forward is None else matrices_over(forward, steps, "forward")[time - 1 :]
    past, future = ([matrix.rows for matrix in side] for side in (before, after))
    own = budgets[: time - 1][::-1][: len(past)], budgets[time:][: len(future)]
    sizes = {matrix.n for matrix in (*matrices_in(backward), *matrices_in(forward))} or {2}
    if len(sizes) > 1:
        raise InvalidRequest(f"matrices of one person have one number of values, not {sorted(sizes)}")
    pairs = list(permutations(range(*sizes), 2))
    if past and future:
        return TwoSidedProfile(budgets[time - 1], own, (past, future), pairs, ranking=RankedBothSides(), bits=bits)
    return WorstProfile([budgets[time - 1], *own[0], *own[1]], past or future, pairs, RankedPairs(), bits)
