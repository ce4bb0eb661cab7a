"""The check from above of a supremum: no time of any horizon has more than the number that goes out.

Let 1 + A be a claim for what one side does to the odds of any two values, the release of the time itself included. If
the sweep of every pair at every time of a period comes to W ≤ 0 after some releases, with A for e^ε − 1 at the last of
them, for x = (1 + A)/e^ε − 1, then the claim holds at a time if it holds at all times before: of a short past too, as
B rises with depth. So it holds at all times. With it, by the same sweep, each pair gets a bound of its own that holds
for ever, and the product of both sides bounds TPL.

Of two sides the claim of TPL is a poor one of either: where chains mix slowly very many releases must be read until it
makes no difference. So where they do not suffice a claim for each pair is tried, 1 + A(a, b) ≥ e^ε (1 + x) for the x
that is tried of the pair. If the sweeps of all pairs come to W ≤ 0 with these A at the last of the releases, each A
holds at all times by the same induction, and with it each x. Both are proved in proofs_checks/rocq/AboveOthers.v.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import permutations
from math import lcm, prod

import numpy as np
from numpy.typing import NDArray

from ..reference.errors import Refuted, Unchecked
from ..reference.levels import Level
from ..reference.stepwise import KnownCorrelation, matrices_in
from .above import allowance, is_exceeded, most_of, precision
from .above_doubles import CheckedSide, above_it, below_it
from .above_guess import guessed, guessed_together
from .above_lines import alike
from .above_loss import U

DEPTHS = 16, 64, 256, 1024, 4096
"""Releases over which B is guessed, where fewer do not suffice; a sweep reads as many as the last at most."""

EVER_BITS = 44
"""A supremum is proved to 8 bits less, which are ten digits: more would take sweeps of very many releases."""

GUESSED_TO = 2.0**-34
"""Relative width at which a guess ends: well within what is allowed."""

REFUTED_ABOVE = Fraction(1, 1 << 36)
"""Relative excess over what is claimed at which integers refute it."""


def check_supremum(
    epsilon: Level, backward: KnownCorrelation | None, forward: KnownCorrelation | None, claimed: Level
) -> None:
    """Prove that TPL stays within what is claimed at all times of all horizons, one budget at every time.

    Args: as `reference.worst_case.leakage.worst_case_supremum`; matrices that repeat have a place for each time of a
    period.
    Raises: Refuted, Unchecked.
    """
    limit, most = allowance(claimed, epsilon, EVER_BITS), most_of(claimed, EVER_BITS)
    n = next((own.n for each in (backward, forward) for own in matrices_in(each)), 0)
    if limit is None or most is None or n == 1:
        return
    if limit < 0:
        raise Refuted("a leakage is claimed that is below the budget of the release itself")
    if not n or epsilon.is_zero:
        return
    steps = [matrices_in(backward), matrices_in(forward)[::-1]]
    period = lcm(*(len(own) for own in steps if own))
    releases = DEPTHS[-1] + period
    budgets, claim = [epsilon] * (releases + 1), np.full(releases + 1, above_it(most))
    sides = [CheckedSide([own[at % len(own)].rows for at in range(releases)], budgets, claim) for own in steps if own]
    signs = [sign for sign, own in zip((1, -1), steps, strict=True) if own]
    pairs = np.array(list(permutations(range(n), 2)), dtype=np.int64)
    _, first, form = np.unique(
        [alike(side.rows, pairs) for side in sides], axis=1, return_index=True, return_inverse=True
    )
    places = np.zeros((n, n), dtype=np.int64)
    places[tuple(pairs.T)], pairs = form.ravel(), pairs[first]
    for phase in range(period):
        times = [releases - (releases - sign * phase) % period for sign in signs]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            left = pairs[_left_by_doubles(sides, times, pairs, below_it(limit))]
            if len(left) and period == 1 < len(sides) and _all_by_doubles(sides, times, pairs, places, below_it(limit)):
                return
        for pair in left.tolist():
            _check_by_integers(sides, times, pair, limit, most)


def _all_by_doubles(
    sides: Sequence[CheckedSide],
    times: Sequence[int],
    pairs: NDArray[np.int64],
    places: NDArray[np.int64],
    limit: float,
) -> bool:
    """Return whether doubles prove of all pairs that both sides stay within a limit, by a claim for each of them.

    Args: places, for two values the place of the pair that is alike.
    """
    both, before = list(zip(sides, times, strict=True)), np.full((2, 1), np.inf)
    for depth in DEPTHS:
        guesses = [
            guessed_together(side, time, depth, pairs, partial(_claims, side, places), margin=GUESSED_TO)
            for side, time in both
        ]
        about = np.array(guesses)
        x, proved = _within(limit, about, ((1 + limit) / (1 + about).prod(axis=0)).min())
        for (side, time), own in zip(both, x, strict=True):
            at = np.full(len(pairs), time)
            proved &= side.proved(at, at - depth, pairs, own, _claims(side, places, own))
        if proved.all():
            return True
        if (about >= before * (1 - GUESSED_TO)).all():
            return False  # farther releases make no difference
        before = about
    return False


def _within(
    limit: float, about: NDArray[np.float64], room: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return x of each side and pair for which a limit leaves room near guesses, and of which pairs both are within."""
    x = np.maximum((1 + about) * room ** (1 / len(about)) * (1 - 16 * U) - 1, 0)
    return x, (x.sum(axis=0) + (len(about) - 1) * x.prod(axis=0)) * (1 + 8 * U) <= limit


def _claims(side: CheckedSide, places: NDArray[np.int64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what a release does to the odds of any two values beside what x says of it, less 1, or a little more."""
    found: NDArray[np.float64] = ((side.growth[0] + x + side.growth[0] * x) * (1 + 8 * U))[places]
    return found


def _left_by_doubles(
    sides: Sequence[CheckedSide], times: Sequence[int], pairs: NDArray[np.int64], limit: float
) -> NDArray[np.int64]:
    """Return the places of pairs for which doubles do not prove that both sides stay within a limit."""
    left, about = np.arange(len(pairs)), np.zeros((len(sides), len(pairs)))
    for depth in DEPTHS:
        both = list(zip(sides, times, about, strict=True))
        if len(sides) > 1:
            for side, time, own in both:
                at = np.full(len(left), time)
                own[left] = guessed(side, at, at - depth, pairs[left], own[left], margin=GUESSED_TO, from_below=True)
        near = about[:, left]
        x, proved = _within(limit, near, (1 + limit) / (1 + near).prod(axis=0))
        for (side, time, _), own in zip(both, x, strict=True):
            at = np.full(len(left), time)
            proved &= side.proved(at, at - DEPTHS[-1], pairs[left], own)
        left = left[~proved]
        if not len(left) or len(sides) == 1:
            break
    return left


def _check_by_integers(
    sides: Sequence[CheckedSide], times: Sequence[int], pair: Sequence[int], limit: Fraction, most: Fraction
) -> None:
    """Prove that both sides of a pair stay within a limit. Raises: Refuted, Unchecked."""
    bits = precision([limit], sides)
    j, k = (value + 1 for value in pair)
    about = [Fraction(0)] * len(sides)  # or the bounds found last

    def product(depth: int, bits: int, last: Fraction | None = None) -> Fraction:
        for at, (side, time) in enumerate(zip(sides, times, strict=True)):
            lines = side.lines(time, pair, bits, time - depth, last)
            bound = lines.bound(depth, int(about[at] * 2**bits))
            assert bound is not None, "the budget is finite"
            about[at] = bound
        return prod((1 + own for own in about), start=Fraction(1)) - 1

    for depth in DEPTHS:
        if product(depth, bits, most) <= limit:
            return
        attained = product(depth, bits)
        if attained > limit * (1 + REFUTED_ABOVE) and is_exceeded(limit, attained, product(depth, 2 * bits)):
            raise Refuted(
                f"supremum: {depth} releases may move the odds of values {j} and {k} by a factor of "
                f"{below_it(1 + attained):.17g} or more, above what was found; this is a fault of the program"
            )
    raise Unchecked(f"{DEPTHS[-1]} releases do not tell what values {j} and {k} may come to for ever")
