"""The profile of long streams with one budget: theorem (profile) in doubles, between bounds on what rounding did.

All functions live on one set of points, which φ^−1 maps into itself: the orbits of the kinks of φ, rounded to dyadic
numbers, and no farther down than `LEAST`. From above φ is raised to what leads from point to point, and what is left
out between 0 and the last point is paid for at 0. From below the functions are concave, so that chords between any
points are a bound, and windows end a little early. Both ends of an interval move by `rounding` at most beside that.

Which pairs are the worst is seen after every few releases. What the others tell, V, is monotone and subadditive:
with F of the best pair after these releases and H of another one, V(H) ≤ V(F) + Σ_a max (H_a − F_a)^+.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf, nextafter

import numpy as np

from ...reference.correlations import Row
from ...reference.errors import InvalidRequest
from ...reference.levels import Level
from ...reference.worst_case.profile_answers import USUAL_BITS, WorstAlpha, WorstDelta
from ...reference.worst_case.profile_budgets import GAUSSIAN_BITS, PrivacyBudget
from ...reference.worst_case.profile_grids import window_of
from ...reference.worst_case.sweep import ValuePair
from ...reference.worst_case.trade_off import TradeOff
from ...reference.worst_case.worst_profile import WorstProfile
from ..false_position import Between
from .profile_bounds import MOST_ODDS, PAIRS_AT_ONCE, Doubles, RankedPairs, WindowsInDoubles, rounding

LEAST = Fraction(1, 1 << 60)
"""Nearer to 0 there is no point."""

MOST_KINKS = 4_000
"""Points of one φ, at most."""

POINT_BITS = GAUSSIAN_BITS
"""Of the points; those of Gaussian noise have them."""

NEAR_RELEASES = 40
"""Releases after which pairs are compared."""

MOST_KEPT = 1 << 24
"""Doubles of the functions of all pairs that are kept for the second look."""

NEGLIGIBLE_PART = 1e-8
"""A pair that may exceed the best one by less than this part of δ is not followed any farther; nor by less than φ from
above and from below are apart."""

FINE_ENOUGH = 1 << 10
"""A δ of less than so many times the rounding is worked out in integers instead."""

ALPHA_GAP = 1e-8
"""So near to each other, relatively, the ends of an e^α are sought, where φ is not farther apart itself."""

MOST_HALVINGS = 60


class Ladder:
    """The points and windows of one φ for any number of releases: from above, or from below."""

    def __init__(self, phi: TradeOff, releases: int, *, up: bool) -> None:
        """Take φ, concave and at least u. Raises: InvalidRequest beyond `MOST_KINKS` points."""
        image: dict[Fraction, Fraction] = {u: _rounded(y, up) for u, y in phi.points}
        dropped: dict[Fraction, Fraction] = {}
        for kink in phi.kinks:
            at = kink
            for _ in range(releases):
                found = phi.reached_at(at)
                if found is None or found == at:
                    break
                back = _rounded(found, False)
                if back in image:
                    break
                if back < LEAST:
                    dropped[back] = at
                    break
                image[back] = at if up else _rounded(phi(back), False)
                at = back
            if len(image) > MOST_KINKS:
                raise InvalidRequest(f"too large: the profile has more than {MOST_KINKS} kinks")
        self.points = tuple(sorted(image))
        self.images = tuple(image[u] for u in self.points)
        self.is_nothing_free = phi.points[0][1] == 0 and not dropped
        self._dropped = sorted(dropped.items()) if up else []
        windows = [window_of(self.points, u, max(u, y)) for u, y in zip(self.points, self.images, strict=True)]
        self._windows = WindowsInDoubles(windows)
        self._left_out = [
            WindowsInDoubles([window_of(self.points, u, y) for u, y in own]) for own in [self._dropped] if own
        ]
        least = self.points[1]
        self._shares = np.array([nextafter(float(least / (least - u)), inf) for u, _ in self._dropped])

    @cached_property
    def graph(self) -> Doubles:
        """The points, and φ there."""
        return np.array([[float(u) for u in self.points], [float(y) for y in self.images]])

    @property
    def amplification(self) -> float:
        """By how many roundings more an end at 0 moves with each release."""
        return 4 * float(self._shares.max()) if self._dropped else 0.0

    def told(self, found: Doubles) -> Doubles:
        """Return max over [u, φ(u)] of functions at all points, what was left out near 0 included."""
        kept = self._windows.greatest(found)
        for windows in self._left_out:
            left_out, last = windows.greatest(found), kept[:, :, 1:2]
            raised = np.where(left_out > last, last + (left_out - last) * self._shares, left_out)
            kept[:, :, 0] = np.maximum(kept[:, :, 0], raised.max(axis=2))
        return kept


class LongProfile(WorstProfile):
    """A `WorstProfile` of many releases with one budget, in doubles where δ is far above what rounding may do."""

    def __init__(
        self,
        budget: PrivacyBudget,
        steps: Sequence[Sequence[Row]],
        pairs: Sequence[ValuePair],
        bits: int = USUAL_BITS,
    ) -> None:
        """Take the releases of a side. Args: budget, of each; the others as `WorstProfile`. Raises: as it."""
        if all(steps[0][j] == steps[0][k] for j, k in pairs):
            steps = ()  # the other releases tell nothing
        super().__init__([budget] * (len(steps) + 1), steps, pairs, RankedPairs(), bits, on_one_grid=True)
        known: dict[int, Doubles] = {}
        self._matrices = [known.setdefault(id(step), np.array(step, dtype=np.float64)) for step in self.upper.steps]
        rows = self.upper.steps[0] if steps else ()
        self._different = list({(rows[j], rows[k]): (j, k) for j, k in pairs if steps}.values())

    @cached_property
    def _is_laddered(self) -> bool:
        """Whether there are pairs to tell apart, and a ladder for them; else integers answer."""
        try:
            return bool(self._different) and None not in (self._above, self._below)
        except InvalidRequest:
            return False

    @cached_property
    def _above(self) -> Ladder:
        return Ladder(self.upper.trade_offs[0], len(self._matrices), up=True)

    @cached_property
    def _below(self) -> Ladder:
        return Ladder(self.lower.trade_offs[0], len(self._matrices), up=False)

    @cached_property
    def _negligible(self) -> float:
        """As a part of δ: the width says so."""
        below = self.lower.trade_offs[0]
        gap = max((y - below(u) for u, y in self.upper.trade_offs[0].points), default=Fraction(0))
        return max(NEGLIGIBLE_PART, float(gap))

    def delta(self, alpha: Level) -> WorstDelta:
        """Return δ(α) between two bounds, as `WorstProfile.delta` where it is too small for doubles."""
        if not self._is_laddered or alpha.is_infinite:
            return super().delta(alpha)
        low, high = (1 + excess for excess in alpha.excess_bounds(self._precision))
        if high > MOST_ODDS:
            return super().delta(alpha)
        upper, pair = self._most(_toward(low, -inf))
        lower = self._ends(_toward(high, inf), [pair], up=False)[0]
        if upper < FINE_ENOUGH * self._margin(float(high)):
            return super().delta(alpha)
        return WorstDelta(Fraction(max(lower, 0.0)), min(Fraction(upper), Fraction(1)))

    def most(self, alpha: Level) -> Fraction:
        """Return an upper bound of δ(α), as `WorstProfile.most`: good to what rounding may do."""
        if not self._is_laddered or alpha.is_infinite:
            return super().most(alpha)
        low = 1 + alpha.excess_bounds(self._precision)[0]
        return super().most(alpha) if low > MOST_ODDS else Fraction(self._most(_toward(low, -inf))[0])

    def alpha(self, delta: Fraction) -> WorstAlpha:
        """Return the least α with δ(α) ≤ delta between two bounds, as `WorstProfile.alpha` where doubles do not do."""
        at_zero = self.upper.trade_offs[0].points[0][1]
        if delta <= at_zero or not self._is_laddered or not FINE_ENOUGH * self._margin(1.0) < delta < 1:
            return super().alpha(delta)
        most = _toward(delta, -inf)
        near = [_summed(found, self._above) for _, found in self._after(1.0, min(NEAR_RELEASES, len(self._matrices)))]
        pair, slack = self._different[int(np.concatenate(near).argmax())], ALPHA_GAP
        for _ in range(MOST_HALVINGS):
            beyond = self._turn(pair, most, up=True)[0]
            if beyond == inf or self._margin(beyond) * FINE_ENOUGH > delta:
                return super().alpha(delta)
            upper, worse = self._most(beyond)
            if upper <= delta:
                break
            if worse == pair:
                most, slack = most * (1 - slack), 4 * slack
            pair = worse
        else:
            return super().alpha(delta)
        least = self._turn(pair, _toward(delta, inf), up=False, near=beyond)[1]
        return WorstAlpha(Level.of_ratio(Fraction(least)), Level.of_ratio(Fraction(beyond)))

    def _turn(self, pair: ValuePair, delta: float, *, up: bool, near: float | None = None) -> tuple[float, float]:
        """Return an e^α at which the bound of a pair is at most delta, and one below it, or 1, where it is more.

        Args: near, an e^α at which it is at most delta, and not far below which it is more.
        """

        def over(at: float) -> float:
            found = float(self._ends(at, [pair], up=up)[0])
            if up:  # what `_most` adds
                found += found * self._negligible + 3 * self._margin(at)
            return found - delta

        fine = gap = max(ALPHA_GAP, self._negligible / 8)
        odds, high = (1.0, 2.0) if near is None else (max(near * (1 - gap), 1.0), near)
        at_low, at_high = over(odds), over(high)
        while at_low <= 0 and odds > 1:
            gap *= 16
            high, at_high, odds = odds, at_low, max(high * (1 - gap), 1.0)
            at_low = over(odds)
        if at_low <= 0:
            return odds, odds
        while at_high > 0:
            odds, at_low, high = high, at_high, 2 * high
            if high > MOST_ODDS:
                return inf, odds
            at_high = over(high)
        between = Between(high, odds, at_high, at_low)
        for trial in range(MOST_HALVINGS):
            least, most = between.high * (1 + fine), between.low * (1 - fine)
            if least >= most:
                break
            tried = between.line() if trial % 4 < 3 else None
            tried = (between.low + between.high) / 2 if tried is None else min(max(tried, least), most)
            found = over(tried)
            between.take(tried, found, found > 0)
        return between.low, between.high

    def _margin(self, odds: float) -> float:
        """Return how far at most rounding has moved a sum."""
        n = len(self._matrices[0])
        return rounding(odds, len(self._matrices), n + int(self._above.amplification) + 1)

    def _most(self, odds: float) -> tuple[float, ValuePair]:
        """Return an upper bound of δ over all pairs, and the pair with the greatest bound."""
        margin = self._margin(odds)
        releases = min(NEAR_RELEASES, len(self._matrices))
        parts: Iterable[tuple[Sequence[ValuePair], Doubles]] = self._after(odds, releases)
        if len(self._different) * self._above.graph.shape[1] * len(self._matrices[0]) <= MOST_KEPT:
            parts = list(parts)  # else they are worked out twice
        near = np.concatenate([_summed(found, self._above) for _, found in parts])
        best = self._different[int(near.argmax())]
        ((_, own),) = self._after(odds, releases, [best])
        chosen = [own]
        for done in range(releases, len(self._matrices), NEAR_RELEASES):
            chosen.append(self._onward(chosen[-1], done, min(done + NEAR_RELEASES, len(self._matrices)), self._above))
        most, worst = float(_summed(chosen[-1], self._above)[0]) + margin, best
        slack = margin + near.max() * self._negligible
        for pairs, found in self._left(parts if isinstance(parts, list) else self._after(odds, releases), own, slack):
            for stage, best_one in enumerate(chosen):
                more = _exceeds(found, best_one) > slack
                pairs, found = [pair for pair, is_left in zip(pairs, more, strict=True) if is_left], found[more]  # noqa: PLW2901
                done = releases + stage * NEAR_RELEASES
                if not pairs or done >= len(self._matrices):
                    break
                found = self._onward(found, done, min(done + NEAR_RELEASES, len(self._matrices)), self._above)  # noqa: PLW2901
            ends = _summed(found, self._above) + margin
            if ends.max(initial=0.0) > most:
                most, worst = float(ends.max()), pairs[int(ends.argmax())]
        return most + slack + 2 * margin, worst  # rounding moved what is compared, too

    def _left(
        self, parts: Iterable[tuple[Sequence[ValuePair], Doubles]], own: Doubles, slack: float
    ) -> Iterator[tuple[list[ValuePair], Doubles]]:
        """Yield the pairs that may exceed the one with the functions `own`, many together."""
        left: list[tuple[ValuePair, Doubles]] = []
        for pairs, found in parts:
            more = np.flatnonzero(_exceeds(found, own) > slack).tolist()
            left += [(pairs[place], found[place : place + 1]) for place in more]
            if left and len(left) * own.size > PAIRS_AT_ONCE:
                yield [pair for pair, _ in left], np.concatenate([each for _, each in left])
                left = []
        if left:
            yield [pair for pair, _ in left], np.concatenate([each for _, each in left])

    def _ends(self, odds: float, pairs: Sequence[ValuePair], *, up: bool) -> Doubles:
        """Return bounds of δ of pairs: upper ones, or lower ones."""
        ladder = self._above if up else self._below
        ((_, found),) = self._after(odds, len(self._matrices), pairs, ladder)
        ends = _summed(found, ladder)
        margin = self._margin(odds)
        return ends + margin if up else ends - margin

    def _after(
        self, odds: float, releases: int, pairs: Sequence[ValuePair] | None = None, ladder: Ladder | None = None
    ) -> Iterator[tuple[Sequence[ValuePair], Doubles]]:
        """Yield f_a of pairs after so many releases, some pairs at a time."""
        ladder = self._above if ladder is None else ladder
        pairs = self._different if pairs is None else pairs
        rows, (u, y) = self._matrices[0], ladder.graph
        together = max(1, PAIRS_AT_ONCE // (rows.shape[1] * len(u)))
        for start in range(0, len(pairs), together):
            j, k = np.array(pairs[start : start + together]).T
            found = rows[j][:, :, None] * y - odds * rows[k][:, :, None] * u
            yield pairs[start : start + together], self._onward(ladder.told(found), 1, releases, ladder)

    def _onward(self, found: Doubles, done: int, releases: int, ladder: Ladder) -> Doubles:
        for s in range(done, releases):
            found = ladder.told(np.matmul(self._matrices[s].T, found))
        return found


def _exceeds(found: Doubles, own: Doubles) -> Doubles:
    """Return Σ_a max (H_a − F_a)^+ of each pair: by so much at most it exceeds the one with F in the end."""
    exceeds: Doubles = np.maximum(found - own, 0).max(axis=2).sum(axis=1)
    return exceeds


def _summed(found: Doubles, ladder: Ladder) -> Doubles:
    """Return max_u Σ_a f_a(u) of each pair."""
    best: Doubles = found[:, :, int(ladder.is_nothing_free) :].sum(axis=1).max(axis=1)
    return best


def _rounded(number: Fraction, up: bool) -> Fraction:
    """Return a number next to one, above or below, with `POINT_BITS` bits behind the point."""
    whole = number.numerator << POINT_BITS
    return Fraction(-(-whole // number.denominator) if up else whole // number.denominator, 1 << POINT_BITS)


def _toward(number: Fraction, end: float) -> float:
    """Return a double on this side of a number."""
    return nextafter(float(number), end)
