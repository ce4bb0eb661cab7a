"""Backward, forward and temporal privacy leakage over time, Section 3.2 [subsec:tpl]."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..correlations import TransitionMatrix
from ..errors import InvalidRequest, check_is
from ..levels import ZERO, Level
from ..stepwise import KnownCorrelation, Stepwise
from .loss import LossFunction, loss_function

Key = TypeVar("Key", bound=Hashable)

Losses = LossFunction | Stepwise[LossFunction] | None
"""L at all steps, or one for each step; None where the correlation is not known."""

Matrices = tuple[TransitionMatrix | None, TransitionMatrix | None]
"""P^B and P^F, None where not known."""


@dataclass(frozen=True, slots=True)
class Adversary:
    """Adversary_T, Definition 4 [def:adversary_t]: it knows a user's backward correlation, forward one, both or none.

    backward, forward: L^B and L^F, or None for a correlation that is not known (∅), which adds nothing.
    Raises: InvalidRequest for what is no loss function, and for those of matrices of different sizes.

    >>> from tploracle import adversary
    >>> Adversary(backward=None, forward=None) == adversary()
    True
    """

    backward: LossFunction | None = None
    forward: LossFunction | None = None

    def __post_init__(self) -> None:
        for name, loss in (("backward", self.backward), ("forward", self.forward)):
            if loss is not None:
                check_is(LossFunction, loss, f"{name} (`Adversary.knowing` takes matrices)")
        check_sizes(*(None if loss is None else loss.matrix for loss in (self.backward, self.forward)))

    @classmethod
    def knowing(cls, backward: TransitionMatrix | None = None, forward: TransitionMatrix | None = None) -> Adversary:
        """Build the adversary A^T(P^B, P^F) from transition matrices, by `loss_function`. Exact.

        `tploracle.adversary` builds the same one more quickly.

        Args:
            backward: P^B, n × n, row j the distribution of the value before j; None where not known.
            forward: P^F, n × n, row j the distribution of the value after j; None where not known.
        """
        return cls(
            None if backward is None else loss_function(backward),
            None if forward is None else loss_function(forward),
        )

    @property
    def losses(self) -> tuple[Losses, Losses]:
        """L^B and L^F, or those of each step."""
        return self.backward, self.forward

    @property
    def coefficients(self) -> tuple[Hashable, ...]:
        """The loss functions without their matrices: adversaries that are equal here suffer equal leakage."""
        return tuple(
            (loss.repeats, *(own.coefficients for own in loss.each))
            if isinstance(loss, Stepwise)
            else None
            if loss is None
            else loss.coefficients
            for loss in self.losses
        )


def each_loss(loss: Losses) -> tuple[LossFunction, ...]:
    """Return the loss functions that an adversary has of one correlation; of steps that repeat each once."""
    return loss.each if isinstance(loss, Stepwise) else () if loss is None else (loss,)


def matrices_of(adversary: Adversary) -> Matrices:
    """Return the matrices that an adversary knows. Raises: InvalidRequest where steps have their own."""
    backward, forward = (None if loss is None else loss.matrix for loss in (adversary.backward, adversary.forward))
    return backward, forward


def correlation_of(loss: Losses) -> KnownCorrelation | None:
    """Return the correlation that a loss function is of, or those of its steps."""
    if isinstance(loss, Stepwise):
        return Stepwise(tuple(own.matrix for own in loss.each), loss.repeats)
    return None if loss is None else loss.matrix


def check_sizes(backward: TransitionMatrix | None, forward: TransitionMatrix | None) -> None:
    """Raise InvalidRequest for matrices of different sizes: they are of no one user."""
    if backward is not None and forward is not None and backward.n != forward.n:
        raise InvalidRequest(f"the backward matrix has {backward.n} states, the forward one {forward.n}")


@dataclass(frozen=True, slots=True)
class Leakage:
    """BPL, FPL and TPL at the times 1..T, one level each, as the recursions give them.

    The recursions are exact as formulas; as statements on mechanisms they are upper bounds, attained by BPL for t ≤ 2,
    by FPL for T − t ≤ 1, and by TPL where both parts are and one pair of values is the worst for both.

    >>> from tploracle import Level, adversary, paper_bound_leakage
    >>> paper_bound_leakage([1, 2], adversary()).tpl
    (<Level 1>, <Level 2>)
    """

    bpl: tuple[Level, ...]
    fpl: tuple[Level, ...]
    tpl: tuple[Level, ...]


def apply(loss: LossFunction | None, alpha: Level) -> Level:
    """Return L(alpha), or 0 where the correlation is not known. Exact. Raises: Undecided."""
    return ZERO if loss is None else loss(alpha)


def losses_over(loss: Losses, steps: int, name: str) -> tuple[LossFunction | None, ...]:
    """Return the loss function of each of `steps` steps between releases, in order.

    Args: name, of the correlation. Raises: InvalidRequest where there are those of another number of steps.
    """
    return loss.over(steps, name) if isinstance(loss, Stepwise) else (loss,) * steps


def _rising(epsilons: Sequence[Level], losses: Sequence[LossFunction | None]) -> tuple[Level, ...]:
    """Return the leakage after each release, from the first on; losses, of the steps between them."""
    levels = list(epsilons[:1])
    for epsilon, loss in zip(epsilons[1:], losses, strict=True):
        levels.append(epsilon + apply(loss, levels[-1]))
    return tuple(levels)


def backward_leakage(epsilons: Sequence[Level], backward: Losses) -> tuple[Level, ...]:
    """Return BPL at each time: BPL_1 = ε_1, BPL_t = L^B(BPL_{t−1}) + ε_t, Eq. [eq:bpl_f].

    Args:
        epsilons: the budgets PL_0(M^t) for t = 1..T, levels in nats.
        backward: L^B; None where it is not known. Where steps have their own, BPL_t is by that of the step before t.

    Returns: T levels, exact. Raises: InvalidRequest where there are those of another number of steps; Undecided.
    """
    return _rising(epsilons, losses_over(backward, len(epsilons) - 1, "backward"))


def forward_leakage(epsilons: Sequence[Level], forward: Losses) -> tuple[Level, ...]:
    """Return FPL at each time: FPL_T = ε_T, FPL_t = L^F(FPL_{t+1}) + ε_t, Eq. [eq:fpl_f].

    Args:
        epsilons: the budgets PL_0(M^t) for t = 1..T, levels in nats.
        forward: L^F; None where it is not known. Where steps have their own, FPL_t is by that of the step after t.

    Returns: T levels, exact. Raises: as `backward_leakage`.
    """
    return _rising(epsilons[::-1], losses_over(forward, len(epsilons) - 1, "forward")[::-1])[::-1]


def temporal_leakage(bpl: Sequence[Level], fpl: Sequence[Level], forward: Losses) -> tuple[Level, ...]:
    """Return TPL_t = BPL_t + FPL_t − ε_t at each time, Eq. [eq:tpl_comp1], Theorem 2 [thm:analysis_tpl].

    Args:
        bpl: BPL at each time, T levels.
        fpl: FPL of the same adversary over the same budgets.
        forward: its L^F; None where it is not known.

    Returns: T levels, exact; computed as BPL_t + L^F(FPL_{t+1}), which subtracts nothing. Raises: Undecided.
    """
    losses = losses_over(forward, len(fpl) - 1, "forward")
    later = [apply(loss, level) for loss, level in zip(losses, fpl[1:], strict=True)]
    return tuple(level + loss for level, loss in zip(bpl, [*later, ZERO], strict=True))


def leakage(epsilons: Sequence[Level], adversary: Adversary) -> Leakage:
    """Return the leakage of releases with these budgets to one adversary.

    Args:
        epsilons: the budgets PL_0(M^t) for t = 1..T, T ≥ 1, levels in nats; they may differ.
        adversary: with L^B and L^F, None for one that is not known; a `StepwiseAdversary` has them for each step.

    Returns: BPL, FPL, TPL, exact as formulas. Raises: InvalidRequest without a release; Undecided.
    """
    if not epsilons:
        raise InvalidRequest("there is no release: give at least one budget")
    backward, forward = adversary.losses
    bpl, fpl = backward_leakage(epsilons, backward), forward_leakage(epsilons, forward)
    return Leakage(bpl, fpl, temporal_leakage(bpl, fpl, forward))


@dataclass(frozen=True, slots=True)
class Maximum(Generic[Key]):
    """The greatest of several levels, and everyone who attains it. Exact.

    >>> Maximum(Level.of(1), ("ann",)).attained_by
    ('ann',)
    """

    level: Level
    attained_by: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class PopulationLeakage(Generic[Key]):
    """The leakage to each of several adversaries, and at each time the greatest of each kind.

    bpl, fpl, tpl: Eq. [eq:bpl2, eq:fpl2, eq:tpl2]. The greatest TPL is taken over each adversary's own TPL: the sum of
    the greatest BPL and the greatest FPL less ε, Eq. [eq:tpl_comp2], is larger where these are different users'.

    >>> from tploracle import adversary, population_leakage
    >>> population_leakage([1], {"ann": adversary(), "bob": adversary()}).each["ann"].tpl
    (<Level 1>,)
    """

    each: Mapping[Key, Leakage]
    bpl: tuple[Maximum[Key], ...]
    fpl: tuple[Maximum[Key], ...]
    tpl: tuple[Maximum[Key], ...]


def maximum(levels: Mapping[Key, Level]) -> Maximum[Key]:
    """Return the greatest of the levels and the keys of all that attain it. Exact.

    Args:
        levels: at least one level, by key.

    Raises: Undecided.
    """
    keys = iter(levels)
    attained = [next(keys)]
    for key in keys:
        order = levels[key].compare(levels[attained[0]])
        if order > 0:
            attained = [key]
        elif order == 0:
            attained.append(key)
    return Maximum(levels[attained[0]], tuple(attained))


def population_leakage(epsilons: Sequence[Level], adversaries: Mapping[Key, Adversary]) -> PopulationLeakage[Key]:
    """Return the leakage to several adversaries: one per user, or one per candidate matrix, Section 3.5.

    Args:
        epsilons: the budgets that all share, PL_0(M^t) for t = 1..T, levels in nats.
        adversaries: by name, at least one.

    Returns: each one's leakage and the maxima over them, exact. Those of equal loss functions are computed once.
    Raises: InvalidRequest without a release or an adversary; Undecided.
    """
    if not adversaries:
        raise InvalidRequest("there is no user")
    known: dict[object, Leakage] = {}
    each: dict[Key, Leakage] = {}
    for key, adversary in adversaries.items():
        if adversary.coefficients not in known:
            known[adversary.coefficients] = leakage(epsilons, adversary)
        each[key] = known[adversary.coefficients]
    times = range(len(epsilons))
    return PopulationLeakage(
        each,
        tuple(maximum({key: own.bpl[t] for key, own in each.items()}) for t in times),
        tuple(maximum({key: own.fpl[t] for key, own in each.items()}) for t in times),
        tuple(maximum({key: own.tpl[t] for key, own in each.items()}) for t in times),
    )
