"""What the answers for a population rest on: what was read of its users, and who of them are left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.files import ROLES
from ..models.basis import NOT_ESTIMATED, Basis
from ..models.chain import NOT_ASKED, OF_ONE_CHAIN, chain_of, correlations_of
from ..models.worst_case import WorstCase
from ..reference import Adversary
from .overview import PopulationSummary
from .question import BOTH, PopulationQuestion, UserChunk
from .rejects import Rejects

DEAR = "about 0.1 s a user and seconds where budgets differ, a day for a million users"

NOT_UNLESS_ASKED = f"the exact worst case, which takes {DEAR}; --model {BOTH} asks for it too"

OF_RELEASES = "the exact worst case, which a population has for releases alone"


@dataclass(slots=True)
class Seen:
    """What was read of the users: as counts, or which roles of matrices; how many transitions; what a step is.

    balanced: of how many users P^B is the reversal of P^F, as each state is left as often as it is entered; counts, of
    all users together.
    """

    counted: bool = False
    users: int = 0
    balanced: int = 0
    roles: tuple[str, ...] = ()
    transitions: int = 0
    step: str = NOT_ASKED
    counts: NDArray[np.int64] | None = field(default=None, compare=False)

    def chain(self) -> str:
        """Say of how many users both matrices are one chain's."""
        if not self.counted:
            return "not compared" if len(self.roles) == len(ROLES) else NOT_ASKED
        if self.balanced == self.users:
            return OF_ONE_CHAIN
        if self.users == 1:
            return "not of one stationary chain: counted both ways"
        return (
            f"not of one stationary chain for {self.users - self.balanced:,} of {self.users:,} users: counted both ways"
        )

    def note(self, chunk: UserChunk) -> None:
        """Note what a chunk has."""
        roles = tuple(role for role in chunk.arrays if role in ROLES)
        counts = None if chunk.counts is None else chunk.counts.sum(axis=0)
        found = Seen(counts is not None, len(chunk.users), chunk.balanced, roles, chunk.transitions, counts=counts)
        self.add(found)

    def add(self, other: Seen) -> None:
        """Add what was seen of other users, who are known in the same way."""
        self.counted, self.roles = other.counted, other.roles
        self.users += other.users
        self.balanced += other.balanced
        self.transitions += other.transitions
        self.counts = (
            self.counts if other.counts is None else other.counts + (0 if self.counts is None else self.counts)
        )


def whom(answered: int, users: int, broken: Rejects) -> str:
    """Say whom an answer is about: all users only where nobody and nothing was left out."""
    return f"{answered:,} of {users:,}" if answered < users or broken.noted else f"all {users:,}"


def _of_users(question: PopulationQuestion, seen: Seen, **more: Any) -> Basis:
    """Return what was read of users as a basis."""
    roles = ROLES if seen.counted else seen.roles
    known = " and ".join(f"P^{role[0].upper()}" for role in roles) + (" alone" if len(roles) == 1 else "")
    source, estimate = "as given", NOT_ESTIMATED
    if seen.counted:
        values = "all values" if question.smoothing else "the values that they visit"
        source = f"both from that user's transitions, between {values}"
        smoothed = f", {question.smoothing} added to each count" if question.smoothing else ""
        in_all = " in all" if seen.users > 1 else ""
        estimate = f"from {seen.transitions:,} transitions{in_all}{smoothed}; its uncertainty not included"
    basis = Basis(
        f"knows {known} of one user, {source}" if roles else "none, there is no user",
        step=seen.step,
        estimate=estimate,
        **more,
    )
    return question.converted.basis(basis)


def basis_of_one(question: PopulationQuestion, read: UserChunk, adversary: Adversary, step: str) -> Basis:
    """Return what the exact answers for one user rest on.

    Args: read, of this user alone; adversary, who knows the matrices of this user; step, what a step is.
    """
    seen = Seen(step=step)
    seen.note(read)
    chain = seen.chain() if seen.counted else chain_of([correlations_of(adversary)])
    absent = {} if question.by_worst_case else {WorstCase.key: _not_asked(question)}
    return _of_users(question, seen, chain=chain, absent=absent)


def _not_asked(question: PopulationQuestion) -> str:
    return NOT_UNLESS_ASKED if question.epsilons else OF_RELEASES


def population_basis(question: PopulationQuestion, seen: Seen, summary: PopulationSummary, broken: Rejects) -> Basis:
    """Return what the answers to a question rest on. Args: summary, of the users who are meant."""
    answered = summary.users - summary.refused
    left_out: list[str] = []
    absent: dict[str, str] = {}
    if summary.refused:
        left_out.append(f"; {summary.refused:,} refused, the column error says why")
    if broken.noted:
        left_out.append(f"; rows of {broken.source} rejected as broken: {broken.noted:,}")
    if not question.by_worst_case:
        absent[WorstCase.key] = _not_asked(question)
    elif undecided := answered - sum(own.users for own in summary.by(WorstCase.key).values()):
        left_out.append(f"; of {undecided:,} by the paper's bound alone, the column error says why")
    users = whom(answered, summary.users, broken) + "".join(left_out)
    return _of_users(question, seen, chain=seen.chain(), users=users, absent=absent)
