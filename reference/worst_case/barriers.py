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

from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb, arb_mat, ctx

from ..correlations import Row
from .balls import both_ways, column, upper, weighted
from .classes import classes_of, cyclic_parts

TIMES_ROUND = 2
"""Turns of a transient class within which a sweep that comes again, shrunk, must be recognised."""

LOOKS = 64
"""Looks at how a sweep goes on from one release to another twice as far: each takes as long as some releases do."""


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

    def advanced(self, c: Sequence[arb]) -> list[arb]:
        """Return Ψ(c), about: the midpoints."""
        return [value.mid() for value in (self.transposed * column(weighted(c, self.ratio.mid()))).entries()]

    def above(self, c: Sequence[arb], steps: int) -> list[arb]:
        """Return upper bounds of the entries of Ψ^steps(c)."""
        for _ in range(steps):
            c = upper((self.transposed * column(weighted(c, self.ratio))).entries())
        return list(c)

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
    """The course of a sweep for ever at one λ, about: as far as one factor shrinks it, or no sign differs.

    sets: which values are in the set, the nearest release first. period: steps until c comes again, shrunk; 0
    where that was not seen. c, factor: the last c, and by what it shrank in a period, about. is_over: whether it came
    to an end, or that was seen.
    """

    def __init__(self, releases: SteadyReleases, c: Sequence[arb], wanted: int, longest: int) -> None:
        """Run the sweep.

        Args: c, at the nearest release; wanted, to how many bits the entries are to shrink alike; longest, over how
        many releases at most.
        """
        self.sets: list[list[bool]] = []
        self.period, self.factor, self.wanted, self.is_over = 0, arb(0), wanted, True
        self.c = [value.mid() for value in c]
        recent: list[list[arb]] = []
        next_look = 0
        while any(value > 0 for value in self.c):
            is_looked_at = len(self.sets) >= next_look
            if is_looked_at:
                next_look += 1 + len(self.sets) // LOOKS
                if self._is_full():
                    return
            if len(self.sets) == longest:
                self.is_over = False
                return
            self.sets.append([value > 0 for value in self.c])
            recent = [self.c, *recent[: releases.periods[-1] - 1]]
            self.c = releases.advanced(self.c)
            for period in releases.periods if is_looked_at else ():
                if period <= len(recent) and (factor := self._factor(recent[period - 1])) is not None:
                    self.period, self.factor = period, factor
                    return

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
        return most if 0 < most < 1 and least > most * (1 - arb(2) ** -self.wanted) else None

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
