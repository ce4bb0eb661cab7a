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
from .fit import Observations
from .steps import UNITS, Duration

HOUR, WEEKDAY = "hour", "weekday"
PERIODS = {
    HOUR: Duration(Fraction(UNITS["d"]), in_seconds=True),
    WEEKDAY: Duration(Fraction(UNITS["w"]), in_seconds=True),
}
"""What changes within which time: the hour within a day, the weekday within a week."""

BY = (*PERIODS,)

MOST_STEPS_OF_A_CYCLE = 168
"""As many as a week has hours."""

STARTS, CLIMBS = 10, 500
"""How often EM begins anew, and how many steps it then has at most. More find better kinds of many states, slower."""

DRAWS, FEWEST_DRAWS, DRAWN_CLIMBS = 199, 19, 100
"""Draws from one chain with which a gain is compared, the fewest that are a p-value, and the steps of EM on each."""

MOST_REDRAWN = 4_000_000
"""Draws times persons times pairs of states, or times steps: more take longer than a few seconds."""

ROUNDING = 1e-6
"""Of a log-likelihood: a gain of no more is none."""

_STEP = 100
"""A step of all persons together takes as long as so many cells."""

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

    gain: twice the gain in log-likelihood over one kind; parameters: how many more there are, of cells that occur;
    chance: how probable at least this gain is if there is one kind, by `draws` of it; None where it would take long.
    """

    forward: tuple[TransitionMatrix, TransitionMatrix]
    shares: tuple[Fraction, Fraction]
    gain: float
    parameters: int
    chance: float | None
    draws: int


def two_kinds(seen: Observations, states: Sequence[str]) -> Kinds:
    """Return the best mixture of two chains that EM finds from some starts, drawn from a fixed seed.

    Raises: InvalidRequest where a kind is not seen to leave some state.
    """
    place = {state: index for index, state in enumerate(states)}
    n, persons = len(states), seen.persons
    counts = np.zeros((len(persons), n * n))
    for number, own in enumerate(persons):
        for (state, following), count in own.items():
            counts[number, place[state] * n + place[following]] = count
    pooled = counts.sum(0)
    occurs = (pooled > 0).reshape(n, n)
    generator = np.random.default_rng(0)
    reached, weights = _climbed(counts[None], _begun(generator, STARTS, len(persons)), n, CLIMBS)
    best = int(np.argmax(reached))
    expected = (weights[best].T @ counts).reshape(2, n, n)
    each = [
        _forward(
            Counter({(a, b): round(_UNIT * own[place[a], place[b]]) for a in states for b in states}),
            states,
            _NOTHING,
            f"kind {kind}",
        )
        for kind, own in enumerate(expected, 1)
    ]
    first = Fraction(round(_UNIT * float(weights[best, :, 0].mean())), _UNIT)
    free = int(occurs.sum() - occurs.any(1).sum())
    gain = max(0.0, 2 * float(reached[best] - _alone(counts, n)))
    walks = [(number, place[state], steps) for number, own in enumerate(seen.walks) for state, steps in own]
    chance, draws = _chance(counts, np.array(walks), n, generator)
    return Kinds((each[0], each[1]), (first, 1 - first), gain, free + 1, chance, draws)


def _chance(
    counts: Doubles, walks: NDArray[np.int64], n: int, generator: np.random.Generator
) -> tuple[float | None, int]:
    """Return how probable at least this gain is where all persons are of one kind, and of how many draws: a bootstrap.

    Persons are drawn anew from the chain of all, each from the values at which their sequences began, over as many
    steps. Data and draws have the same starts of EM and steps of it, fewer than the kinds that are shown.

    Args: walks, of each sequence its person, its first value and its number of steps. Returns: None where draws, as
    many as `MOST_REDRAWN` admits, would be fewer than `FEWEST_DRAWS`.
    """
    cost = max(counts.size, int(walks[:, 2].sum()), int(walks[:, 2].max()) * _STEP)
    draws = min(DRAWS, MOST_REDRAWN // max(1, cost))
    if draws < FEWEST_DRAWS:
        return None, 0
    chains = np.exp(_logs(counts.sum(0), n)).reshape(n, n).cumsum(1)
    drawn = np.zeros((draws + 1, *counts.shape))
    drawn[0] = counts
    for sample in drawn[1:]:
        person, state, left = walks.T
        while person.size:
            goes_on = left > 0
            person, state, left = person[goes_on], state[goes_on], left[goes_on] - 1
            chosen = generator.random(person.size)[:, None] * chains[state, -1:]
            following = np.minimum((chosen >= chains[state]).sum(1), n - 1)
            np.add.at(sample, (person, state * n + following), 1)
            state = following
    alone = np.array([_alone(each, n) for each in drawn])
    tries = [_climbed(drawn, _begun(generator, draws + 1, len(counts)), n, DRAWN_CLIMBS)[0] for _ in range(2)]
    gains = np.maximum(np.maximum(*tries) - alone, 0)
    return float((1 + (gains[1:] >= gains[0] - ROUNDING).sum()) / (draws + 1)), draws


def _begun(generator: np.random.Generator, number: int, persons: int) -> Doubles:
    """Return how probable it is that each person is of each kind, drawn."""
    return generator.dirichlet((1, 1), (number, persons))


def _alone(counts: Doubles, n: int) -> float:
    """Return the log-likelihood of one chain for all."""
    return float((counts * _logs(counts.sum(0), n)).sum())


def _logs(counts: Doubles, n: int) -> Doubles:
    """Return the logarithms of the shares in each row, rows one after the other; 0 for what is never left."""
    rows = counts.reshape(*counts.shape[:-1], n, n)
    totals = rows.sum(-1, keepdims=True)
    shares = np.divide(rows, totals, out=np.ones_like(rows), where=totals > 0)
    found: Doubles = np.log(np.maximum(shares, np.finfo(float).tiny)).reshape(counts.shape)
    return found


def _climbed(counts: Doubles, weights: Doubles, n: int, climbs: int) -> tuple[Doubles, Doubles]:
    """Return the log-likelihoods that EM reaches, and how probable it is that each person is of each kind.

    Args: counts of each start, or once for all, by person; weights, where each start begins.
    """
    before = np.full(len(weights), -np.inf)
    for _ in range(climbs):
        kinds = _logs(weights.swapaxes(1, 2) @ counts, n)
        shares = np.log(np.maximum(weights.mean(1, keepdims=True), np.finfo(float).tiny))
        joint = counts @ kinds.swapaxes(1, 2) + shares
        each = np.logaddexp(joint[..., 0], joint[..., 1])
        weights = np.exp(joint - each[..., None])
        reached: Doubles = each.sum(1)
        if (reached - before < 1e-9 * abs(reached)).all():
            break
        before = reached
    return reached, weights
