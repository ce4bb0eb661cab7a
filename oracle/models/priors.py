"""An adversary who does not know which of the candidates holds, and has a prior over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..contract.limits import too_large
from ..reference import Adversary, InfeasibleBudget, InvalidRequest, Level
from ..reference.paper.leakage import matrices_of
from ..reference.worst_case.mixtures import Chains, MixtureLeakage, mixture_leakage, prior_ratio
from .basis import Basis

EQUAL = "equal"
"""The prior under which each candidate, or user, is as probable as any other."""

MOST_PRIOR_WORK = 2_000_000
"""Releases squared times states to the fourth times candidates: more would take minutes."""

MOST_TRIED = 7
"""Releases of the stream whose attained leakage bounds that of an infinite horizon from below."""


@dataclass(frozen=True, slots=True)
class Prior:
    """The candidates, each one stationary chain, and how probable the adversary takes each to be."""

    chains: Chains
    probabilities: tuple[Fraction, ...]

    @classmethod
    def of(cls, given: str | Sequence[Fraction], adversaries: Mapping[str, Adversary]) -> Prior:
        """Return the prior of these probabilities, in order, or EQUAL. Raises: InvalidRequest; NotStochastic."""
        if len(adversaries) < 2:
            raise InvalidRequest("--prior: it is over several candidates or users: name several files")
        chains = []
        for name, adversary in adversaries.items():
            backward, forward = matrices_of(adversary)
            if backward is None or forward is None:
                raise InvalidRequest(
                    f"{name}: with a prior, both correlations of each candidate are needed: leave --one-sided out"
                )
            chains.append((backward, forward))
        read = [Fraction(1, len(chains))] * len(chains) if isinstance(given, str) else [*given]
        prior_ratio(chains, read)  # refuses what is no prior of these
        return cls(chains, tuple(read))

    def cost(self) -> Level:
        """Return what not knowing the candidate adds at most, at any time and over any horizon: the mixture rule."""
        return Level.of_ratio(prior_ratio(self.chains, self.probabilities))

    def left(self, alpha: Level) -> Level:
        """Return the level that each candidate must keep so that the mixture keeps alpha: rational, rounded down.

        Raises: InfeasibleBudget where nothing is left.
        """
        cost = self.cost()
        if alpha.is_infinite:
            return alpha
        if alpha <= cost:
            raise InfeasibleBudget(
                f"by the mixture rule, not knowing which candidate holds may add {float(cost):.6g}, which leaves "
                "no budget. Over T releases, a budget of level/T for each keeps the level under any correlation"
            )
        return Level.of(Fraction((alpha - cost).double_below()))

    def check_work(self, releases: int) -> None:
        """Raise InvalidRequest where this many releases would take minutes."""
        n = self.chains[0][0].n
        if releases**2 * n**4 * len(self.chains) > MOST_PRIOR_WORK:
            raise too_large(f"a prior over {len(self.chains)} candidates of {n} states, {releases} releases")

    def leakage(self, budgets: Sequence[Level]) -> MixtureLeakage:
        """Return what a mechanism attains at each time, and what none exceeds. Raises: as `check_work`."""
        self.check_work(len(budgets))
        return mixture_leakage(budgets, self.chains, self.probabilities)

    def supremum(self, budget: Level, found: Level) -> tuple[Level, Level]:
        """Return bounds of TPL over an infinite horizon with one budget: what a mechanism attains, and at most.

        Args: found, the supremum to one who is certain of the worst candidate. The other bound of a mixture grows with
        the horizon, so that the mixture rule alone bounds this one.
        """
        if budget.is_zero or budget.is_infinite:
            return budget, budget
        n = self.chains[0][0].n
        releases = [
            count for count in range(1, MOST_TRIED + 1) if count**2 * n**4 * len(self.chains) <= MOST_PRIOR_WORK
        ]
        if not releases:
            raise too_large(f"a prior over {len(self.chains)} candidates of {n} states")
        tried = mixture_leakage([budget] * releases[-1], self.chains, self.probabilities)
        return max(tried.lower), found + self.cost()

    def basis(self, basis: Basis) -> Basis:
        """Return what an answer rests on, with the prior."""
        told = ", ".join(str(probability) for probability in self.probabilities)
        return replace(basis, users=f"{len(self.chains)} candidates, of which the adversary has the prior {told}")
