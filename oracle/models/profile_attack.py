"""An attack beyond pure ε: a set of outputs that attains δ at an α, as one answer of “yes” or “no”, and drawn.

The answer is given at the end, “yes” with a probability v that each value of the stream has moved: from u* on, from the
releases farthest from the time to the nearest, v goes as near to a place x of the value as [v, φ(v)] allows; where the
time has the one value of the two, v becomes φ of it. That is private at each time, whatever the places (`profile`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..reference import InvalidRequest, Level, PrivacyBudget, WorstDelta
from ..reference.worst_case.profile import ProfileSide, ProfileTest
from ..reference.worst_case.profile_answers import USUAL_BITS, Sides
from ..reference.worst_case.trade_off import TradeOff
from ..reference.worst_case.two_sided_profile import FUTURE, PAST, TwoSidedTest, TwoSides
from ..solvers.floats import Doubles
from .chain import KnownPair
from .simulation import CONFIDENCE, clopper_pearson
from .stream_profile import ENCLOSED_FROM, profile_at

Sequences = tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]
"""Of many streams the values of the past, and of the future, the nearest first."""

DRAWN_AT_ONCE = 1 << 16
"""Streams that are drawn together."""

MOST_DRAWN_VALUES = 10**9
"""Values of all streams that are drawn: minutes of processor time."""


@dataclass(frozen=True, slots=True)
class ProfileAttack:
    """A test that tells much of the value at a time.

    delta: δ(α); the test attains its lower end; chances: how likely “yes” is under the value j (at
    least) and under k (at most), multiplied out.
    """

    time: int
    delta: WorstDelta
    test: TwoSidedTest
    chances: tuple[Fraction, Fraction]

    def times(self) -> list[int]:
        """Return the time of each release of the test, in its order: the nearest of a side first."""
        seen, found = [0, 0], []
        for side in self.test.sides.order:
            seen[side] += 1
            found.append(self.time - seen[PAST] if side == PAST else self.time + seen[FUTURE])
        return found


def profile_attack(
    budgets: Sequence[PrivacyBudget],
    alpha: Level,
    time: int,
    known: KnownPair,
    bits: int = USUAL_BITS,
) -> ProfileAttack:
    """Return a test of a private stream with much δ at an α: all of it for one side of the time and one φ.

    Args: alpha, finite; known, P^B and P^F, None where not known; the others as `profile_at`. Raises: as it;
    InvalidRequest where no test has any δ at this α, and for `ENCLOSED_FROM` releases or more.
    """
    if len(budgets) >= ENCLOSED_FROM:
        raise InvalidRequest(f"a test is named for fewer than {ENCLOSED_FROM} releases, not {len(budgets)}")
    found = profile_at(budgets, time, *known, bits).delta(alpha)
    if found.test is None or found.sides is None or not found.lower:
        raise InvalidRequest("δ is 0 there, or no test is known to exceed it: ask for a smaller α")
    test = _of_both_sides(found.test, found.sides, PAST if time > 1 and known[0] is not None else FUTURE)
    return ProfileAttack(time, found, test, test.chances(None if found.lower == found.upper else bits))


def _of_both_sides(test: ProfileTest | TwoSidedTest, sides: Sides, side: int) -> TwoSidedTest:
    """Return the same test where the other side has no release."""
    if isinstance(test, TwoSidedTest):
        return test
    assert isinstance(sides, ProfileSide), "a test of one side is for that"
    steps = (sides.steps, ()) if side == PAST else ((), sides.steps)
    return TwoSidedTest(TwoSides(side, sides.trade_offs, steps), test.pair, test.peaks, test.start)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Counts of “yes” given j and given k, with Clopper–Pearson intervals.

    chances: of the two probabilities, each at a confidence of 1 − (1 − `CONFIDENCE`)/2; delta: of p − e^α·q, exact.
    """

    streams: int
    seed: int
    yes: tuple[int, int]
    chances: tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]
    delta: tuple[Fraction, Fraction]


def drawn(
    attack: ProfileAttack,
    alpha: Level,
    streams: int,
    seed: int,
    advance: Callable[[int, int], None] = lambda _done, _total: None,
) -> Drawn:
    """Draw `streams` streams given each of the two values, and answer.

    Args: alpha, of δ; streams, at least 1; seed, of numpy's PCG64; advance, told the streams done, and all.
    Raises: InvalidRequest beyond `MOST_DRAWN_VALUES`.
    """
    if streams * (len(attack.test.sides.order) + 1) > MOST_DRAWN_VALUES:
        raise InvalidRequest(f"too large: more than {MOST_DRAWN_VALUES:,} values are drawn; ask for fewer streams")
    random = np.random.default_rng(seed)
    runner = _Runner.of(attack.test)
    yes = [0, 0]
    for place, value in enumerate(attack.test.pair):
        for done in range(0, streams, DRAWN_AT_ONCE):
            count = min(DRAWN_AT_ONCE, streams - done)
            chances = runner.chances(value, runner.sequences(value, count, random))
            yes[place] += int((random.random(count) < chances).sum())
            advance(place * streams + done + count, 2 * streams)
    more, less = (clopper_pearson(count, streams, (1 - CONFIDENCE) / 2) for count in yes)
    low, high = (1 + excess for excess in alpha.excess_bounds())
    return Drawn(streams, seed, (yes[0], yes[1]), (more, less), (more[0] - high * less[1], more[1] - low * less[0]))


@dataclass(frozen=True, slots=True)
class _Runner:
    """A test in doubles, for many streams at once.

    thresholds: of each step of both sides the sums of its rows, from the left.
    """

    test: TwoSidedTest
    trade_offs: tuple[tuple[Doubles, Doubles], ...]
    peaks: tuple[Doubles, ...]
    thresholds: tuple[list[Doubles], list[Doubles]]

    @classmethod
    def of(cls, test: TwoSidedTest) -> _Runner:
        known: dict[TradeOff, tuple[Doubles, Doubles]] = {}
        for phi in test.sides.trade_offs:
            if phi not in known:
                u, y = np.array([[float(own) for own in point] for point in phi.points]).T
                known[phi] = u, y
        past, future = (
            [np.cumsum(np.array(step, dtype=np.float64), axis=1)[:, :-1] for step in side] for side in test.sides.steps
        )
        peaks = tuple(np.array(own, dtype=np.float64) for own in test.peaks)
        return cls(test, tuple(known[phi] for phi in test.sides.trade_offs), peaks, (past, future))

    def sequences(self, value: int, count: int, random: np.random.Generator) -> Sequences:
        """Return the values of the past, drawn by P^B, and of the future, by P^F, the nearest first."""
        found = []
        for side in self.thresholds:
            state, own = np.full(count, value), []
            for sums in side:
                state = (random.random(count)[:, None] >= sums[state]).sum(axis=1)
                own.append(state)
            found.append(own)
        return found[0], found[1]

    def chances(self, value: int, values: Sequences) -> Doubles:
        """Return how likely “yes” is given the values of all times: as `TwoSidedTest.value`, and φ of it under j."""
        first = self.test.sides.first
        v = np.array([float(self.test.start)])
        for phi, xs, own in reversed(
            list(zip(self.trade_offs[1:], self.peaks, (*values[first], *values[1 - first]), strict=True))
        ):
            v = np.minimum(np.maximum(xs[own], v), np.interp(v, *phi))
        return np.interp(v, *self.trade_offs[0]) if value == self.test.pair[0] else v
