"""Barriers: where a sweep for ever comes below one of them it has ended, however many releases there are.

Let the releases go on without end, with one matrix P and one budget, and let Ψ(c) = P^T Φ(c).

Theorem (for ever). If after some steps c ≤ h, and Ψ^d(h) ≤ θ·h for a d ≥ 1 and a θ < 1, then W(λ) ≤ 0 for every
horizon. P^T keeps sums and Φ lowers none, so Σh ≤ ΣΦ(h) ≤ ΣΨ^d(h) ≤ θ·Σh: hence Σh ≤ 0, and ΣΦ(h) ≤ 0. After r·d steps
more c ≤ θ^r h, because Ψ is monotone and homogeneous, and W = ΣΦ(c) ≤ θ^r·ΣΦ(h) ≤ 0; W does not fall as the horizon
grows. No positive entry of c is the case h = 0.

A barrier has nothing to do with the pair. Its values on the transient values T are proposed, in one of two ways: *what
they keep*, v > 0 with e^ε P_TT^T v ≤ θ·v, which every sweep above the supremum comes below in the end
(docs/worst-case.md, Theorem 5); and *the direction* in which the sweep at the supremum shrinks, below which sweeps come
far sooner, and also those that only slow mixing keeps above 0. Either is then lowered by κ·π, π the stationary
distribution: since Φ is subadditive, Ψ^d(h − κπ) ≤ Ψ^d(h) − κπ, so that a great enough κ makes up for whatever is amiss
on the closed class. What is proposed is verified by balls rounded outward.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flint import arb, arb_mat, ctx

from ..correlations import Row
from .balls import both_ways, column, upper, weighted
from .classes import classes_of, cyclic_parts

TIMES_ROUND = 2
"""Turns of a transient class within which a sweep that comes again, shrunk, must be recognised."""

LOOKS = 64
"""Looks at how a sweep goes on from one release to another twice as far: each takes as long as some releases do."""

DOUBLINGS = 1 << 10
"""Sets that recur are taken 2^1024 times, or as often as makes a difference."""

KEPT_EVERY = 16
"""Releases between those from which a course may go on at another ratio: fewer take memory, more are run again."""

CHANGED_LITTLE = 1 << 10
"""Where another ratio changes c by one part in this many, or less, a course goes on: sets before stay as they are."""

UNCHANGED_BITS = 8
"""A course ends where its ratio, less 1, changes by less than 2^−(precision − 8) of it."""


class SteadyReleases:
    """Releases that go on without end, with one matrix and one budget, over balls of the working precision."""

    def __init__(self, rows: Sequence[Row], ratio: arb, phases: int = 1) -> None:
        """Take P, a ball of e^ε, and into how many equal parts values fall that each step leads through in turn."""
        found = classes_of(rows)
        self.n, self.ratio, self.transient = len(rows), ratio, found.transient
        self.matrix, self.transposed = both_ways(rows)
        self.phases = phases
        turns = {phases, *(len(cyclic_parts(rows, own)) for own in found.open)}
        self.periods = sorted(
            {turn * times for turn in turns if turn % phases == 0 for times in range(1, TIMES_ROUND + 1)}
        )

    def phase(self, value: int) -> int:
        """Return the part that a value is in."""
        return value * self.phases // self.n

    def advanced(self, c: Sequence[arb], below: Sequence[arb], chosen: Sequence[bool]) -> tuple[list[arb], list[arb]]:
        """Return Ψ(c), and what becomes of another vector by the same sets, about: the midpoints."""
        ratio = self.ratio.mid()
        both = [
            ratio * value if inside else value for inside, *own in zip(chosen, c, below, strict=True) for value in own
        ]
        found = [value.mid() for value in (self.transposed * arb_mat(self.n, 2, both)).entries()]
        return found[::2], found[1::2]

    def above(self, c: Sequence[arb], steps: int) -> list[arb]:
        """Return upper bounds of the entries of Ψ^steps(c)."""
        for _ in range(steps):
            c = upper((self.transposed * column(weighted(c, self.ratio))).entries())
        return list(c)

    def recurring(self, sets: Sequence[Sequence[bool]]) -> list[arb]:
        """Return about the likelihoods one release beyond, where these sets come again, 2^`DOUBLINGS` times at most.

        Args: sets, of as many releases as there are phases, or a multiple; none is empty.
        """
        own = self.phase(sets[0].index(True))
        once = arb_mat([[int(a == b and self.phase(a) == own) for b in range(self.n)] for a in range(self.n)])
        for chosen in sets:
            rows = [
                [self.ratio * p if inside else p for p in row]
                for row, inside in zip(self.matrix.table(), chosen, strict=True)
            ]
            once = once * arb_mat(rows)
        before = [arb(0)] * self.n
        for doubling in range(DOUBLINGS):
            once = once * once
            once = once * (1 / sum(once.entries(), arb(0)).mid())
            now = (once * column([arb(1)] * self.n)).entries()
            # Beyond what has been lost by now nothing can be gained by going on.
            lost = arb(2) ** (doubling + 4 - ctx.prec)
            if all(abs(a.mid() - b.mid()) <= lost * a.mid() for a, b in zip(now, before, strict=True)):
                break
            before = now
        return now

    def stationary(self) -> list[arb]:
        """Return about the stationary distribution; zeros where there is not one alone."""
        system = [[self.transposed[a, b] - int(a == b) for b in range(self.n)] for a in range(self.n)]
        system[0] = [arb(1)] * self.n
        try:
            found = arb_mat(system).solve(column([arb(int(a == 0)) for a in range(self.n)])).entries()
        except ZeroDivisionError:
            return [arb(0)] * self.n
        return [arb(0) if a in self.transient or not value > 0 else value.mid() for a, value in enumerate(found)]


class Course:
    """The course of a sweep for ever, about: as far as one factor shrinks it, or no more of its ratio is gained.

    Where no entry of c is negative, or none positive, all farther sets are alike. Unless λ is the ratio of the sets so
    far, or of those sets when the last of them recur, the course goes on with that: from where c, less a multiple of
    what P_k has become, changes little.

    sets: which values are in the set, the nearest release first. period: steps until c comes again, shrunk; 0
    where that was not seen. c, factor: the last c, and by what it shrank in a period, about. below: what P_k has become
    by the same sets. is_over: whether it came to an end, or that was seen.
    """

    def __init__(
        self, releases: SteadyReleases, first: Sequence[arb], second: Sequence[arb], excess: arb, reach: tuple[int, int]
    ) -> None:
        """Run the sweep.

        Args: first, P_j − P_k at the nearest release; second, P_k; excess, λ − 1; reach, to how many bits the entries
        are to shrink alike, and over how many releases at most.
        """
        self.sets: list[list[bool]] = []
        wanted, longest = reach
        self.period, self.factor, self.wanted, self.is_over = 0, arb(0), wanted, True
        self.c = [(p - excess * q).mid() for p, q in zip(first, second, strict=True)]
        self.below = [q.mid() for q in second]
        recent: list[list[arb]] = []
        kept: list[tuple[arb, list[arb], list[arb]]] = []
        next_look, shifts = 0, list[arb]()
        while True:
            if len(self.sets) == len(kept) * KEPT_EVERY:
                kept.append((excess, self.c, self.below))
            is_looked_at = len(self.sets) >= next_look
            if is_looked_at:
                next_look += 1 + len(self.sets) // LOOKS
            if (is_looked_at and self._is_full()) or not any(value > 0 for value in self.c):
                now = excess + _gain(self.c, self.below, [arb(1)] * releases.n)
                if not shifts or 2 * abs(now - excess) > shifts[-1]:
                    now = max([now, *self._where_sets_recur(releases, kept)])
                shifts.append(abs(now - excess))
                if not shifts[-1] > now * arb(2) ** (UNCHANGED_BITS - ctx.prec) or len(shifts) == ctx.prec:
                    return
                excess = now.mid()
                at, c, below = kept.pop()
                while kept and max(map(abs, c)) < shifts[-1] * max(below) * CHANGED_LITTLE:
                    at, c, below = kept.pop()
                self.c, self.below = [(p - (excess - at) * q).mid() for p, q in zip(c, below, strict=True)], below
                next_look, recent = len(kept) * KEPT_EVERY, []
                del self.sets[next_look:]
                continue
            if len(self.sets) == longest:
                self.is_over = False
                return
            self.sets.append(chosen := [value > 0 for value in self.c])
            recent = [self.c, *recent[: max(releases.periods[-1], releases.n) - 1]]
            self.c, self.below = releases.advanced(self.c, self.below, chosen)
            for period in range(releases.phases, len(recent) + 1, releases.phases) if is_looked_at else ():
                if (factor := self._factor(recent[period - 1])) is not None:
                    self.period, self.factor = period, factor
                    return

    def _where_sets_recur(
        self, releases: SteadyReleases, kept: Sequence[tuple[arb, list[arb], list[arb]]]
    ) -> Iterator[arb]:
        """Yield about what sets attain, less 1, where the last of them recur, or those before half of them."""
        for place in {len(kept) - 1, len(kept) // 2}:
            (at, c, below), sets = kept[place], self.sets[: place * KEPT_EVERY]
            for turn in releases.periods:
                if turn <= len(sets):
                    yield at + _gain(c, below, releases.recurring(sets[-turn:]))

    def gain(self, beyond: Sequence[arb]) -> arb:
        """Return by how much λ is below what these sets attain with likelihoods of what was released beyond, about."""
        return _gain(self.c, self.below, beyond)

    def _is_full(self) -> bool:
        """Return whether no negative entry matters."""
        nothing = self._nothing(ctx.prec)
        return all(value >= -nothing for value in self.c)

    def _nothing(self, bits: int) -> arb:
        """Return the size of entries that do not matter beside the greatest."""
        return max(map(abs, self.c), default=arb(0)) * arb(2) ** -bits

    def _factor(self, earlier: Sequence[arb]) -> arb | None:
        """Return the factor below 1 by which positive entries shrank at most, and negative ones at least.

        Negative ones that do not matter may shrink as they will, and others be short of it by the last of the bits
        wanted. None where there is none such, or a sign has changed.
        """
        most, least, nothing = arb(0), arb.pos_inf(), self._nothing(self.wanted)
        for a, b in zip(earlier, self.c, strict=True):
            if a > 0 and b >= 0:
                most = most.max((b / a).mid())
            elif a < 0 and b < 0:
                least = least.min((b / a).mid()) if -b > nothing else least
            elif b > 0 or a != 0:
                return None
        room = ((1 - most) * arb(2) ** -self.wanted).max(arb(2) ** (UNCHANGED_BITS - ctx.prec))
        return most if 0 < most < 1 and least > most * (1 - room) else None

    @property
    def direction(self) -> list[arb]:
        """The last c; negative entries that do not matter are 0."""
        nothing = self._nothing(self.wanted)
        return [arb(0) if -nothing <= value < 0 else value for value in self.c]


@dataclass(frozen=True, eq=False)
class Barrier:
    """A vector h with Ψ^d(h) ≤ θ·h, θ < 1: where c ≤ γ·h for some γ ≥ 0, the sweep is over. turns: d."""

    h: list[arb]
    turns: int = 1

    def stops(self, c: Sequence[arb]) -> bool:
        """Whether c ≤ γ·h for some γ ≥ 0, certainly."""
        gamma = arb(0)
        for value, bound in zip(c, self.h, strict=True):
            if bound > 0:
                gamma = gamma.max((value / bound).upper())
        return all(value <= (gamma * bound).lower() for value, bound in zip(c, self.h, strict=True) if not bound > 0)

    @classmethod
    def of_transient(cls, releases: SteadyReleases, phase: int = 0) -> Barrier | None:
        """Return the barrier of what the transient values keep; None where there are none, or balls are too wide.

        Args: phase, of the values that it is about.

        With v = (I − e^ε P_TT^T)^−1·1 on them, e^ε P_TT^T v = v − 1.
        """
        own = releases.transient
        if not own:
            return None
        kept = [[int(a == b) - releases.ratio * releases.matrix[b, a] for b in own] for a in own]
        try:
            v = [
                value.mid() if value > 0 else arb(0)
                for value in arb_mat(kept).solve(column([arb(1)] * len(own))).entries()
            ]
        except ZeroDivisionError:
            return None
        h = [arb(0)] * releases.n
        for a, value in zip(own, v, strict=True):
            h[a] = value if releases.phase(a) == phase else arb(0)
        return _lowered(releases, h, releases.phases, (1 - 1 / (2 * max(v))).mid(), releases.stationary())

    @classmethod
    def in_direction(cls, releases: SteadyReleases, course: Course, halvings: int) -> Barrier | None:
        """Return a barrier in the direction of a course's end, a little lowered; None where that does not shrink.

        Its θ comes as near to the factor as it may: from above, or, where negative entries of transient values are the
        ones that shrink by it, from below. Args: halvings, how often the room between them is halved, at most.
        """
        if not course.period:
            return None
        h, pi = course.direction, releases.stationary()
        for widest in ((1 - course.factor).mid(), -course.factor):
            best = None
            for halved in range(1, halvings + 1):
                theta = (course.factor + widest * arb(2) ** -halved).mid()
                found = _lowered(releases, h, course.period, theta, pi)
                if best is not None and found is None:
                    break
                best = found
            if best is not None:
                return best
        return None


def _lowered(releases: SteadyReleases, h: Sequence[arb], period: int, theta: arb, pi: Sequence[arb]) -> Barrier | None:
    """Return h less a multiple of π with which it is a barrier for this θ; None where none is seen to be one."""
    if not 0 < theta < 1:
        return None
    own = {releases.phase(a) for a, value in enumerate(h) if value != 0}
    pi = [share if releases.phase(a) in own else arb(0) for a, share in enumerate(pi)]
    kappa = arb(0)
    for after, value, share in zip(releases.above(h, period), h, pi, strict=True):
        if share > 0:
            kappa = kappa.max((2 * (after - theta * value) / ((1 - theta) * share)).mid())
    lowered = [(value - kappa * share).mid() for value, share in zip(h, pi, strict=True)]
    reached = releases.above(lowered, period)
    holds = all(one <= (theta * value).lower() for one, value in zip(reached, lowered, strict=True))
    return Barrier(lowered, period) if holds else None


def _gain(c: Sequence[arb], below: Sequence[arb], beyond: Sequence[arb]) -> arb:
    """Return by how much λ is below a ratio. Args: c, what P_k has become, and the likelihoods where they are."""
    gained, whole = (sum((p * f for p, f in zip(own, beyond, strict=True)), arb(0)) for own in (c, below))
    return (gained / whole).mid()
