"""A correlation whose steps differ: a matrix for each step between releases, or matrices that repeat.

The theory needs no common matrix: the chain from one release to the next may be another at each step, as on working
days and at weekends. M_s of a backward correlation is Pr(l^s | l^{s+1}), of a forward one Pr(l^{s+1} | l^s).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from .correlations import Row, TransitionMatrix, check_initial, exact_sum, product, reverse, stationary
from .errors import InvalidRequest

Of_co = TypeVar("Of_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Stepwise(Generic[Of_co]):
    """What each step between releases has for itself: its matrix, or its loss function.

    each: those of the steps in order, the earliest first. repeats: whether they come again from the first on, without
    end. Raises: InvalidRequest where there is nothing to repeat.
    """

    each: tuple[Of_co, ...]
    repeats: bool = False

    def __post_init__(self) -> None:
        if self.repeats and not self.each:
            raise InvalidRequest("there is no matrix to repeat")

    def over(self, steps: int, name: str) -> tuple[Of_co, ...]:
        """Return what each of `steps` steps has, in order.

        Args: name, what it is, for the message. Raises: InvalidRequest where it is for another number of steps.
        """
        if self.repeats:
            return tuple(self.each[step % len(self.each)] for step in range(steps))
        if len(self.each) != steps:
            raise InvalidRequest(f"{name}: {len(self.each)} matrices for {steps} steps between releases")
        return self.each


KnownCorrelation = TransitionMatrix | Stepwise[TransitionMatrix]
"""One matrix for all steps, or one for each."""

Correlation = KnownCorrelation | Sequence[TransitionMatrix]
"""The same; a plain sequence is for as many steps as it has matrices."""


NOT_BOTH = (
    "for releases on both sides of a time no bound over an infinite horizon is known at δ > 0, only for one side, "
    "--one-sided, or for a number of releases, --steps"
)
"""Why TPL has no upper bound."""


def matrices_in(correlation: Correlation | None) -> tuple[TransitionMatrix, ...]:
    """Return the matrices that a correlation has; of steps that repeat each once."""
    if correlation is None:
        return ()
    if isinstance(correlation, TransitionMatrix):
        return (correlation,)
    return correlation.each if isinstance(correlation, Stepwise) else tuple(correlation)


def matrices_over(correlation: Correlation, steps: int, name: str) -> tuple[TransitionMatrix, ...]:
    """Return the matrix of each of `steps` steps between releases, in order.

    Args: name, of the correlation. Raises: InvalidRequest where they are not as many, or differ in size.
    """
    if isinstance(correlation, TransitionMatrix):
        return (correlation,) * steps
    own = correlation if isinstance(correlation, Stepwise) else Stepwise(tuple(correlation))
    if len({matrix.n for matrix in own.each}) > 1:
        raise InvalidRequest(f"{name}: the matrices differ in size")
    return own.over(steps, name)


def over_a_period(cycle: Stepwise[TransitionMatrix], is_forward: bool) -> TransitionMatrix:
    """Return the correlation over one whole period.

    Args:
        cycle: the matrices that repeat, M_1, …, M_m.
        is_forward: whether they are those of a forward correlation.

    Returns: M_1·…·M_m, from the value at a time 1, m + 1, … to the one a period later; of a backward correlation
    M_m·…·M_1, to the one a period before. Exact. Raises: InvalidRequest for matrices that do not repeat.
    """
    if not cycle.repeats:
        raise InvalidRequest(
            "matrices that do not repeat have no period, and say nothing of an infinite horizon: ask about a number "
            "of releases, --steps; where a state is never left, no constant budget lasts for ever"
        )
    return product(cycle.each if is_forward else cycle.each[::-1])


def matrices_outward(
    backward: KnownCorrelation | None, forward: KnownCorrelation | None
) -> tuple[TransitionMatrix, ...]:
    """Return the matrices of one side from a time outward, which repeat; none without a correlation.

    Raises: InvalidRequest for both sides, and for matrices that do not repeat.
    """
    if backward is not None and forward is not None:
        raise InvalidRequest(NOT_BOTH)
    for own, is_forward in ((backward, False), (forward, True)):
        if isinstance(own, Stepwise):
            over_a_period(own, is_forward)
    return matrices_in(backward)[::-1] or matrices_in(forward)


def phases(matrices: Sequence[TransitionMatrix]) -> list[tuple[TransitionMatrix, ...]]:
    """Return the matrices outward as they begin at each time of a period."""
    return [(*matrices[at:], *matrices[:at]) for at in range(len(matrices))]


def steps_outward(matrices: Sequence[TransitionMatrix], depth: int) -> list[Sequence[Row]]:
    """Return the matrices of the nearest steps, which repeat."""
    return [matrices[at % len(matrices)].rows for at in range(depth)]


def cohort_reversal(forward: TransitionMatrix, initial: Row, steps: int) -> Stepwise[TransitionMatrix]:
    """Derive the backward correlation of each step of a chain that begins with a distribution, by Bayes' rule.

    Args:
        forward: P^F, the same at each step, n × n.
        initial: the distribution of the value at the first time, n probabilities.
        steps: their number.

    Returns: the matrices, exact. A value that cannot occur at a time has the row of the most probable one there: it
    adds no pair of rows. Raises: as `check_initial`.
    """
    check_initial(initial, forward.n)
    found, now = [], initial
    for _ in range(steps):
        joint = [[p * row[k] for p, row in zip(now, forward.rows, strict=True)] for k in range(forward.n)]
        now = tuple(exact_sum(row) for row in joint)
        usual = now.index(max(now))
        seen = [k if now[k] else usual for k in range(forward.n)]
        found.append(TransitionMatrix(tuple(tuple(p / now[k] for p in joint[k]) for k in seen)))
    return Stepwise(tuple(found))


def periodic_reversal(cycle: Stepwise[TransitionMatrix], is_forward: bool) -> Stepwise[TransitionMatrix]:
    """Derive the other correlation of the chain whose distribution comes again after each period, by Bayes' rule.

    Args:
        cycle: the matrices that repeat, of a forward correlation or of a backward one.
        is_forward: which of the two they are.

    Returns: those of the other correlation, exact. Raises: NotUnique where the period's matrix has several stationary
    distributions; UnreachableState where some value never occurs at some time; InvalidRequest as `over_a_period`.
    """
    now = stationary(over_a_period(cycle, is_forward))
    found = []
    for matrix in cycle.each if is_forward else cycle.each[::-1]:
        found.append(reverse(matrix, now))
        columns = zip(*matrix.rows, strict=True)
        now = tuple(exact_sum([p * q for p, q in zip(now, column, strict=True)]) for column in columns)
    return Stepwise(tuple(found if is_forward else found[::-1]), repeats=True)
