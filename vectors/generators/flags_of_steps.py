"""What cases with a matrix for each step have: whether another order of the matrices has another answer."""

from __future__ import annotations

from collections.abc import Callable

from tploracle.reference import Leakage, OracleError, TransitionMatrix, leakage
from tploracle.reference.stepwise import KnownCorrelation, Stepwise
from tploracle.solvers.worst_case.pairs import fast_tight_leakage

from .read_query import Fact, ReadQuery, adversary_of


def _answer(query: ReadQuery, known: dict[str, KnownCorrelation]) -> Leakage:
    if query.op == "tight_leakage":
        return fast_tight_leakage(query.epsilons, known.get("backward"), known.get("forward"))
    return leakage(query.epsilons, adversary_of(known.get("backward"), known.get("forward")))


def _shown(found: Leakage) -> list[tuple[str, str]]:
    ends = [level.enclosure(12) for level in (*found.bpl, *found.fpl, *found.tpl)]
    return [(str(end.lower), str(end.upper)) for end in ends]


def _differs(changed: Callable[[Stepwise[TransitionMatrix], int], Stepwise[TransitionMatrix]]) -> Fact:
    """Return the fact that other matrices for the steps have another answer."""

    def fact(query: ReadQuery) -> bool:
        known, steps = query.correlations, len(query.epsilons) - 1
        if not any(isinstance(own, Stepwise) for own in known.values()):
            return False
        other: dict[str, KnownCorrelation] = {
            key: changed(own, steps) if isinstance(own, Stepwise) else own for key, own in known.items()
        }
        try:
            return _shown(_answer(query, known)) != _shown(_answer(query, other))
        except OracleError:
            return False

    return fact


def _first(own: Stepwise[TransitionMatrix], _steps: int) -> Stepwise[TransitionMatrix]:
    return Stepwise(own.each[:1], repeats=True)


def _backward(own: Stepwise[TransitionMatrix], steps: int) -> Stepwise[TransitionMatrix]:
    return Stepwise(own.over(steps, "")[::-1])


def _shifted(own: Stepwise[TransitionMatrix], _steps: int) -> Stepwise[TransitionMatrix]:
    return Stepwise((own.each * 2)[1 : len(own.each) + 1], repeats=True)


def _repeats(query: ReadQuery) -> bool:
    """Whether matrices come again: a cycle is shorter than the stream."""
    steps = len(query.epsilons) - 1
    known = query.correlations.values()
    return any(isinstance(own, Stepwise) and own.repeats and 1 < len(own.each) < steps for own in known)


FLAGS_OF_STEPS: dict[str, Fact] = {
    "OwnSteps": _differs(_first),
    "StepsInOrder": _differs(_backward),
    "StepsShifted": _differs(_shifted),
    "RepeatingSteps": _repeats,
}
"""The flags of cases with a matrix for each step."""
