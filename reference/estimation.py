"""Temporal correlations learnt from sequences, Section 3.1 [subsec:adv]: maximum likelihood from counts, exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, pairwise

from .correlations import Row, TransitionMatrix, exact_number
from .errors import InvalidRequest, UnreachableState, check_is


@dataclass(frozen=True, slots=True)
class TransitionCounts:
    """How often each transition and each first state was seen.

    states: the names, in the order of rows and columns; transitions[j][k]: times that k followed j;
    first[j]: sequences that began with j. absorbing: states that are never left; nothing but themselves followed them.
    Raises: InvalidRequest for what is no tuple, for names that are equal, and for counts that are no whole numbers.

    >>> TransitionCounts(("x", "y"), ((7, 2), (3, 6)), (1, 0)).forward().rows
    ((Fraction(7, 9), Fraction(2, 9)), (Fraction(1, 3), Fraction(2, 3)))
    """

    states: tuple[str, ...]
    transitions: tuple[tuple[int, ...], ...]
    first: tuple[int, ...]
    absorbing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("states", "transitions", "first", "absorbing"):
            check_is(tuple, getattr(self, name), name)
        for row in self.transitions:
            check_is(tuple, row, "a row of transitions")
        for state in self.states:
            check_is(str, state, "the name of a state")
        n = len(self.states)
        if len({*self.states}) < n:
            raise InvalidRequest("two states have one name")
        if len(self.first) != n or len(self.transitions) != n or any(len(row) != n for row in self.transitions):
            raise InvalidRequest(f"{n} states need {n} × {n} transition counts and {n} first counts")
        counts: Iterable[object] = chain(self.first, *self.transitions)
        if any(not isinstance(count, int) or count < 0 for count in counts):
            raise InvalidRequest("a count is negative, or no whole number")
        for state in self.absorbing:
            if state not in self.states:
                raise InvalidRequest(f"absorbing: {state!r} is not one of the {n} states")
            index = self.states.index(state)
            if (left := sum(self.transitions[index]) - self.transitions[index][index]) > 0:
                raise InvalidRequest(f"absorbing: state {state!r} is left {left} times")

    def forward(self, smoothing: Fraction | int = 0) -> TransitionMatrix:
        """Return the maximum-likelihood estimate of Pr(l^{t+1} | l^t), exact; `smoothing` is added to every count.

        Args:
            smoothing: what is added to every count, exact and at least 0.

        Raises: UnreachableState naming a state that nothing follows, unless smoothing > 0; also where no transition was
        counted at all, whatever the smoothing. InvalidNumber for smoothing that is not exact.
        """
        return self._estimate(
            self.transitions,
            smoothing,
            "is never followed by another",
            "if it is never left, as death or a closed account, name it with estimate --absorbing; else leave it out",
            self.absorbing,
        )

    def backward(self, smoothing: Fraction | int = 0) -> TransitionMatrix:
        """Return the maximum-likelihood estimate of Pr(l^{t−1} | l^t), exact; `smoothing` is added to every count.

        Args:
            smoothing: what is added to every count, exact and at least 0.

        Raises: as `forward`; UnreachableState names a state that follows nothing.
        """
        if self.absorbing:
            raise UnreachableState(
                f"state {self.absorbing[0]!r} is never left: its share grows from step to step, so that the backward "
                "correlation differs from step to step, and no constant budget lasts for ever: estimate --absorbing "
                "--steps T --json writes both correlations of a cohort over T releases"
            )
        reversed_counts = tuple(zip(*self.transitions, strict=True))
        return self._estimate(
            reversed_counts,
            smoothing,
            "never follows another",
            "if sequences only begin with it, the backward correlation differs from step to step: estimate --steps T "
            "--json writes both correlations of a cohort over T releases; else leave it out",
        )

    def initial(self) -> Row:
        """Return the relative frequencies of the first states, exact. Raises: InvalidRequest without sequences."""
        total = sum(self.first)
        if total == 0:
            raise InvalidRequest("no sequence was counted, so there is no initial distribution")
        return tuple(Fraction(count, total) for count in self.first)

    def _estimate(
        self,
        counts: Sequence[Sequence[int]],
        smoothing: Fraction | int,
        unseen: str,
        remedy: str,
        absorbing: Sequence[str] = (),
    ) -> TransitionMatrix:
        added = exact_number(smoothing, "smoothing")
        if added < 0:
            raise InvalidRequest("smoothing is at least 0")
        if not any(map(any, counts)):  # smoothing alone would say that nothing leaks
            raise UnreachableState(
                "no transition was counted, so there is nothing to estimate from: "
                "a sequence of one state has none, and each line (or array) is a sequence"
            )
        rows = []
        for state, row in zip(self.states, counts, strict=True):
            if state in absorbing:
                rows.append(tuple(Fraction(state == other) for other in self.states))
                continue
            total = sum(row) + len(row) * added
            if total == 0:
                raise UnreachableState(f"state {state!r} {unseen} in the sequences; {remedy}")
            rows.append(tuple((count + added) / total for count in row))
        return TransitionMatrix(tuple(rows))


def count_transitions(sequences: Iterable[Sequence[str]], states: Sequence[str] | None = None) -> TransitionCounts:
    """Count the transitions within each sequence.

    Args:
        sequences: each the names of one person's states in the order of time.
        states: their order; without it the names seen, numbers by value before others.

    Returns: the counts. Raises: InvalidRequest for a name that is not among the given states, or with no name at all.
    """
    transitions: Counter[tuple[str, str]] = Counter()
    first: Counter[str] = Counter()
    for sequence in sequences:
        if sequence:
            first[sequence[0]] += 1
            transitions.update(pairwise(sequence))
    return tabulated(transitions, first, states)


def tabulated(
    transitions: Mapping[tuple[str, str], int], first: Mapping[str, int], states: Sequence[str] | None = None
) -> TransitionCounts:
    """Return counts by pairs of names as tables.

    Args:
        transitions: how often the second state followed the first.
        first: how many sequences began with a state.
        states: their order, as `count_transitions` has it.

    Returns: the counts. Raises: as `count_transitions`.
    """
    seen = {name for pair in transitions for name in pair} | set(first)
    if states is None:
        states = sorted(seen, key=_by_number)
    elif unknown := sorted(seen - set(states), key=_by_number):
        raise InvalidRequest(f"{unknown[0]!r} is not one of the {len(states)} states")
    if not states:
        raise InvalidRequest("there is no sequence to estimate from")
    return TransitionCounts(
        tuple(states),
        tuple(tuple(transitions.get((j, k), 0) for k in states) for j in states),
        tuple(first.get(j, 0) for j in states),
    )


def _by_number(name: str) -> tuple[int, int, str]:
    return (0, int(name), name) if name.isascii() and name.isdigit() and len(name) < 19 else (1, 0, name)
