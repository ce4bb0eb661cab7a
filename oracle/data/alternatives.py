"""What values are of instead of one chain for all: a matrix for each hour or weekday, or two kinds of persons."""

from __future__ import annotations

from calendar import day_name
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..contract.limits import check_count
from ..reference import InvalidRequest, TransitionMatrix
from ..reference.stepwise import Stepwise
from .steps import UNITS, Duration

HOUR, WEEKDAY = "hour", "weekday"
PERIODS = {HOUR: Duration(Fraction(UNITS["d"]), in_seconds=True), WEEKDAY: Duration(Fraction(UNITS["w"]), in_seconds=True)}
"""What changes within which time: the hour within a day, the weekday within a week."""

BY = (*PERIODS,)

MOST_STEPS_OF_A_CYCLE = 168
"""As many as a week has hours."""

STARTS, CLIMBS = 10, 500
"""How often EM begins anew, and how many steps it then has at most. More find better kinds of many states, slower."""

_UNIT = 10**6
_NOTHING = Fraction(0)

PairCounts = Counter[tuple[str, str]]

Doubles = NDArray[np.float64]


def cycle_of(
    groups: Mapping[int, PairCounts],
    by: str,
    states: Sequence[str],
    step: Duration | None,
    added: Fraction = Fraction(0),
) -> Stepwise[TransitionMatrix]:
    """Return P^F of each step of a day, or of a week, from midnight, or Monday, on.

    Args: groups, transitions by hour or by weekday, `by`; step, from one value to the next; added, to each count.
    Raises: InvalidRequest where no step of a length is known, where it does not divide the period, and where an hour
    or a weekday has no transition out of a state.
    """
    period = PERIODS[by].length
    if not groups or step is None or not step.in_seconds:
        raise InvalidRequest("hours and weekdays are of a log whose times are dates, a known step apart (--step)")
    steps = period / step.length
    if steps.denominator > 1:
        raise InvalidRequest(f"steps of {step.text()} do not divide a {'day' if by == HOUR else 'week'}")
    check_count(int(steps), MOST_STEPS_OF_A_CYCLE, "steps of a cycle")
    at = [int(number * step.length / UNITS["h" if by == HOUR else "d"]) for number in range(int(steps))]
    names = day_name if by == WEEKDAY else [f"hour {hour}" for hour in range(24)]
    made = {group: _forward(groups.get(group, Counter()), states, added, names[group]) for group in {*at}}
    return Stepwise(tuple(made[group] for group in at), repeats=True)


def _forward(pairs: PairCounts, states: Sequence[str], added: Fraction, where: str) -> TransitionMatrix:
    rows = []
    for state in states:
        counts = [pairs[state, following] + added for following in states]
        total = sum(counts)
        if not total:
            raise InvalidRequest(f"{where}: no transition out of {state!r}; merge states, or leave it out")
        rows.append(tuple(Fraction(count) / total for count in counts))
    return TransitionMatrix(tuple(rows))


@dataclass(frozen=True, slots=True)
class Kinds:
    """Two kinds of persons: P^F of each, their shares, and what they gain.

    gain: twice the gain in log-likelihood over one kind; parameters: how many more there are, of cells that occur.
    """

    forward: tuple[TransitionMatrix, TransitionMatrix]
    shares: tuple[Fraction, Fraction]
    gain: float
    parameters: int


def two_kinds(persons: Sequence[PairCounts], states: Sequence[str]) -> Kinds:
    """Return the best mixture of two chains that EM finds from some starts, drawn from a fixed seed.

    Raises: InvalidRequest where a kind is not seen to leave some state.
    """
    place = {state: index for index, state in enumerate(states)}
    n = len(states)
    counts = np.zeros((len(persons), n, n))
    for number, own in enumerate(persons):
        for (state, following), count in own.items():
            counts[number, place[state], place[following]] = count
    pooled = counts.sum(0)
    occurs = pooled > 0
    alone = float((counts * _logs(pooled)).sum())
    generator = np.random.default_rng(0)
    found = [_climbed(counts, generator.dirichlet((1, 1), len(persons))) for _ in range(STARTS)]
    best, weights = max(found, key=lambda each: each[0])
    expected = np.einsum("pk,pij->kij", weights, counts)
    each = [
        _forward(
            Counter({(a, b): round(_UNIT * own[place[a], place[b]]) for a in states for b in states}),
            states,
            _NOTHING,
            f"kind {kind}",
        )
        for kind, own in enumerate(expected, 1)
    ]
    first = Fraction(round(_UNIT * float(weights[:, 0].mean())), _UNIT)
    free = int(occurs.sum() - occurs.any(1).sum())
    return Kinds((each[0], each[1]), (first, 1 - first), 2 * (best - alone), free + 1)


def _logs(counts: Doubles) -> Doubles:
    """Return the logarithms of the shares in each row; 0 for what never occurs."""
    totals = counts.sum(-1, keepdims=True)
    shares = np.divide(counts, totals, out=np.ones_like(counts), where=totals > 0)
    found: Doubles = np.log(np.maximum(shares, np.finfo(float).tiny))
    return found


def _climbed(counts: Doubles, weights: Doubles) -> tuple[float, Doubles]:
    """Return the log-likelihood that EM reaches, and how probable it is that each person is of each kind."""
    before = -np.inf
    for _ in range(CLIMBS):
        kinds = _logs(np.einsum("pk,pij->kij", weights, counts))
        joint = np.einsum("pij,kij->pk", counts, kinds) + np.log(np.maximum(weights.mean(0), np.finfo(float).tiny))
        greatest = joint.max(1, keepdims=True)
        each = greatest[:, 0] + np.log(np.exp(joint - greatest).sum(1))
        weights = np.exp(joint - each[:, None])
        reached = float(each.sum())
        if reached - before < 1e-9 * abs(reached):
            break
        before = reached
    return reached, weights
