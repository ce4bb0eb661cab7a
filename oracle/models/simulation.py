"""An attack on streams that are drawn: how often the answers are “yes” every time, given each of two values.

A picture of what `attacks` proves, and in doubles: nothing rests on it. Given the value at the time in question the
values before it are drawn by P^B and those after it by P^F, which is all that the adversary knows of them. Streams that
are in the same state are alike, so that they are drawn together, by their number.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf, log

import numpy as np
from flint import arb, ctx

from ..reference.correlations import TransitionMatrix
from ..reference.errors import InvalidRequest
from ..reference.levels import Level
from ..solvers.floats import Doubles
from .attacks import Attack

CONFIDENCE = Fraction(95, 100)
"""Least probability with which the interval contains the factor."""

OFTEN_ENOUGH = 100
"""Expected number of streams with all answers “yes” from which on they are drawn without conditioning."""

LARGEST_NATS = 700.0
"""Greatest ε, in nats, for which e^ε is a double."""

_BITS = 64
_SECTIONS = 30


@dataclass(frozen=True, slots=True)
class Simulation:
    """How often the answers were “yes” every time, given either value, and by how much the odds seem to have moved.

    whole: whether each answer was drawn as the mechanism gives it; if “yes” every time is too rare, it is drawn without
    the factor e^ε/(1 + e^ε), which is the same given either value. yes: counts among the streams of each value. wanted:
    about how many streams would be enough, ∞ if that is no double. lower, upper: an interval for the ratio of the two
    probabilities, from two Clopper–Pearson intervals; upper is None for ∞.
    """

    streams: int
    seed: int
    whole: bool
    yes: tuple[int, int]
    wanted: float
    lower: Fraction
    upper: Fraction | None

    @property
    def factor(self) -> Fraction | None:
        """The ratio of the two frequencies; None where the second is 0."""
        return Fraction(*self.yes) if self.yes[1] else None


def simulate(attack: Attack, streams: int, seed: int) -> Simulation:
    """Draw `streams` streams given each of the two values.

    Args: streams, at least 1; seed, of numpy's PCG64. Raises: InvalidRequest for a budget above `LARGEST_NATS`.
    """
    random = np.random.default_rng(seed)
    least = min(_log_likelihood(attack, value) for value in attack.pair) + log(streams / OFTEN_ENOUGH)
    whole = least + sum(map(log, _common(attack))) >= 0
    yes = tuple(_survivors(attack, value, streams, whole, random) for value in attack.pair)
    (more_low, more_high), (less_low, less_high) = (
        clopper_pearson(count, streams, (1 - CONFIDENCE) / 2) for count in yes
    )
    return Simulation(
        streams,
        seed,
        whole,
        (yes[0], yes[1]),
        exp(log(streams) - least) if log(streams) - least < LARGEST_NATS else inf,
        more_low / less_high,
        more_high / less_low if less_low else None,
    )


def _survivors(attack: Attack, value: int, streams: int, whole: bool, random: np.random.Generator) -> int:
    """Return in how many streams with this value the answers are “yes” every time."""
    weights = _weights(attack)
    common = _common(attack) if whole else [1.0] * len(weights)
    t = attack.time - 1
    left = int(random.binomial(streams, common[t] * weights[t][value]))
    for steps, times in zip(_doubles(attack), (range(t - 1, -1, -1), range(t + 1, len(weights))), strict=True):
        if steps is None:
            continue
        counts = np.zeros(attack.n, dtype=np.int64)
        counts[value] = left
        for time, step in zip(times, steps, strict=True):
            drawn = sum(random.multinomial(count, step[state]) for state, count in enumerate(counts) if count)
            counts = random.binomial(drawn, common[time] * weights[time])
        left = int(counts.sum())
    return left


def clopper_pearson(count: int, trials: int, miss: Fraction) -> tuple[Fraction, Fraction]:
    """Return the interval of Clopper and Pearson for a probability, rounded outward: exact, whatever it is.

    Args: count of successes among the trials; miss, how likely it may fail to contain the probability.
    """

    def least(successes: int) -> Fraction:
        """Return a lower bound of the p with P(at least `successes` successes) = miss / 2."""
        if not successes:
            return Fraction(0)
        low, high = Fraction(0), Fraction(successes, trials)
        for _ in range(_SECTIONS):
            middle = (low + high) / 2
            with ctx.workprec(_BITS):
                at = arb(middle.numerator) / middle.denominator
                tail = at.beta_lower(successes, trials - successes + 1, regularized=True)
                low, high = (middle, high) if tail <= arb(miss.numerator) / (2 * miss.denominator) else (low, middle)
        return low

    return least(count), 1 - least(trials - count)


def odds_over_time(attack: Attack) -> list[float]:
    """Return by how much the odds have moved after the answers up to each time, as logarithms in doubles.

    Raises: as `simulate`.
    """
    t, weights = attack.time - 1, _weights(attack)
    pair = list(attack.pair)
    moved = [0.0]
    past, future = _doubles(attack)
    if past is not None:
        rows = [np.eye(attack.n)[pair]]
        for step in past:
            rows.append(rows[-1] @ step)
        seen = np.ones(attack.n)
        for time in range(t):
            seen = weights[time] * (past[t - time] @ seen if time else seen)
            seen = seen / seen.max()
            more, less = rows[t - time] @ seen
            moved.append(log(more / less))
    moved += [moved[-1]] * (t + 1 - len(moved))
    moved.append(moved[-1] + log(weights[t][pair[0]] / weights[t][pair[1]]))
    carried = np.eye(len(weights[t]))[pair]
    for time in range(t + 1, len(weights)):
        ratio = 1.0
        if future is not None:
            carried = carried @ future[time - t - 1] * weights[time]
            sums = carried.sum(axis=1)
            carried, ratio = carried / sums[:, None], float(sums[0] / sums[1])
        moved.append(moved[-1] + log(ratio))
    return moved[1:]


def _weights(attack: Attack) -> list[Doubles]:
    """Return for each time how likely “yes” is given each value, beside the likeliest, in doubles."""
    return [
        np.array([1.0 if a in own or not own else exp(-_nats(epsilon)) for a in range(attack.n)])
        for own, epsilon in zip(attack.sets, attack.epsilons, strict=True)
    ]


def _common(attack: Attack) -> list[float]:
    """Return for each time how likely “yes” is given the likeliest value, in doubles."""
    return [
        1 / (1 + exp(-_nats(epsilon))) if own else 1.0
        for own, epsilon in zip(attack.sets, attack.epsilons, strict=True)
    ]


def _log_likelihood(attack: Attack, value: int) -> float:
    """Return the logarithm of how likely “yes” every time is given a value, less that of all of `_common`."""
    t, weights = attack.time - 1, _weights(attack)
    total = log(weights[t][value])
    for steps, times in zip(_doubles(attack), (range(t - 1, -1, -1), range(t + 1, len(weights))), strict=True):
        if steps is None:
            continue
        carried = np.eye(attack.n)[value]
        for time, step in zip(times, steps, strict=True):
            carried = carried @ step * weights[time]
            total += log(carried.sum())
            carried = carried / carried.sum()
    return total


def _doubles(attack: Attack) -> list[list[Doubles] | None]:
    """Return the matrices of `Attack.leading` in doubles, the sums of their rows at most 1 as drawing needs them."""
    known: dict[TransitionMatrix, Doubles] = {}
    for matrix in {own for side in attack.leading() for own in side or ()}:
        known[matrix] = matrix.doubles / np.maximum(matrix.doubles.sum(axis=1, keepdims=True), 1.0)
    return [None if side is None else [known[matrix] for matrix in side] for side in attack.leading()]


def _nats(epsilon: Level) -> float:
    nats = float(epsilon.enclosure(17).upper)
    if nats > LARGEST_NATS:
        raise InvalidRequest(f"a budget above {LARGEST_NATS:g} cannot be simulated: unlikely outputs would never occur")
    return nats
