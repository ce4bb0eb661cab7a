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
    TransitionMatrix,
    WorstAlpha,
    WorstDelta,
    WorstProfile,
)
from ..solvers.worst_case.profile_bounds import RankedPairs
from .basis import Basis

PRIVATE_STREAMS = (
    "any stream in which changing the value at time s alone keeps the trade-off function of release s; "
    "causal for P^B: a release reads values up to its time; for P^F it reads none from before time 1"
)


@dataclass(frozen=True, slots=True)
class StreamProfile:
    """What a stream tells about the value at one end of it: BPL at its last time, or FPL at its first."""

    worst: WorstProfile
    basis: Basis

    def delta(self, alpha: Level) -> WorstDelta:
        """Return the greatest Pr(out | l^t = j) − e^α Pr(out | l^t = k) over sets of outputs and pairs of values.

        Args:
            alpha: a finite level, in nats.

        Returns: δ, exact or enclosed, as `tploracle.reference.WorstProfile.delta`.
        """
        return self.worst.delta(alpha)

    def alpha(self, delta: Fraction) -> WorstAlpha:
        """Return the least α with which the value is (α, delta)-protected.

        Args:
            delta: a probability.

        Returns: the level, exact or enclosed, as `tploracle.reference.WorstProfile.alpha`; ∞ where there is none.
        """
        return self.worst.alpha(delta)


def stream_profile(
    budgets: Sequence[PrivacyBudget], backward: TransitionMatrix | None, forward: TransitionMatrix | None
) -> StreamProfile:
    """Return the profile of the last value given the releases up to it, or of the first given those from it on.

    Args:
        budgets: of each release, in order of time.
        backward: P^B, n × n; or
        forward: P^F, n × n; one of the two.

    Raises: InvalidRequest for both or neither, without a release, and as `WorstProfile`.
    """
    if (backward is None) == (forward is None):
        raise InvalidRequest(
            "a profile is of one side of a time: give P^B for the last value, or P^F for the first; of both sides "
            "together no exact rule is known"
        )
    if not budgets:
        raise InvalidRequest("there is no release: give at least one budget")
    outward = tuple(budgets) if backward is None else tuple(reversed(budgets))
    matrix = forward if backward is None else backward
    assert matrix is not None, "one of the two is given"
    pairs = list(permutations(range(matrix.n), 2))
    worst = WorstProfile(outward, [matrix.rows] * (len(budgets) - 1), pairs, RankedPairs())
    known = "P^F" if backward is None else "P^B"
    return StreamProfile(worst, Basis(f"knows {known} alone", mechanisms=PRIVATE_STREAMS))
