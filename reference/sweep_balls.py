"""The sweep over rigorous balls: a side's greatest ratio enclosed, whatever numbers the budgets are, and for ever.

Nothing is decided by a ball that is in doubt. The sets are chosen by midpoints, and any sets are a mechanism: what they
attain, worked out in balls, is a lower bound. An upper bound is a λ a little above it for which the sweep, every number
replaced by a greater one, comes to W(λ) ≤ 0: Φ and P^T are monotone, so that is sound. Ties need no decision.

A sweep ends as soon as no entry of c is positive, or none negative: from there on all farther sets are empty, or
full, and their likelihoods are constant, so that they add nothing. Once the chain has mixed this is so, however long
the past is.

Theorem (for ever). Let the releases go on without end, with one matrix and one budget, and let Ψ(c) = P^T Φ(c). If
after some steps c ≤ h, and Ψ^d(h) ≤ θ·h for a d ≥ 1 and a θ < 1, then W(λ) ≤ 0 for every horizon: after s·d more
steps c ≤ θ^s h, because Ψ is monotone and homogeneous, so W comes as near to 0 as one likes, and W does not fall as
the horizon grows. No positive entry of c is the case h = 0. Otherwise h is looked for where the sweep itself shrinks
by one factor (`Barrier`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb, arb_mat, ctx

from .errors import Undecided
from .formulas import ball_of, dyadic
from .sweep import OneSide, ValuePair

SLACK_BITS = 24
"""A ratio that rises by less than 2^−(precision − 24) of its excess is taken for attained."""

ROOM = (3, 2, 1)
"""Above what is attained, a λ is tried that is greater by 2^−(precision·r/4) of its excess, for these r."""

LONGEST_SWEEP = 1 << 16
"""How many releases are looked at for a supremum over all horizons."""

DOUBLINGS = 32
"""Sets that recur are taken 2^32 times, or as often as makes a difference."""

WANTED = 16
"""To so many bits the entries of a sweep shrink alike where the sets are sought that recur."""

UNKNOWN = Fraction(0)

MOST_PERIOD = 2
"""After so many steps at most the sweep may come again, shrunk, to be recognised."""


class SideBalls:
    """One side of a time, over balls of the working precision; releases count from the nearest, which is 0."""

    def __init__(self, side: OneSide, excesses: Sequence[arb]) -> None:
        """Take the side, and balls of e^ε − 1 of its finite budgets, the farthest first."""
        self.nearest, self.n, self.for_ever = side.steps[-1], len(side.steps[0]), side.for_ever
        self.reveals_at = len(side.steps) - 1 if side.reveals else None
        known: dict[int, tuple[arb_mat, arb_mat]] = {}
        farther = side.steps if side.for_ever else side.steps[:-1]
        for step in farther:
            if id(step) not in known:
                matrix = arb_mat([[ball_of(entry) for entry in row] for row in step])
                known[id(step)] = matrix, matrix.transpose()
        self._steps = [known[id(step)] for step in reversed(farther)]
        self._ratios = [*(1 + excess for excess in reversed(excesses)), *[arb(1)] * side.reveals]
        self.count = LONGEST_SWEEP if side.for_ever else len(side.steps)

    def step(self, release: int) -> tuple[arb_mat, arb_mat]:
        """Return the matrix from a release to the next farther one, and its transpose."""
        return self._steps[0 if self.for_ever else release]

    def ratio(self, release: int) -> arb:
        """Return e^ε of a release."""
        return self._ratios[0 if self.for_ever else release]

    def excess(self, pair: ValuePair, start: Fraction = UNKNOWN) -> tuple[arb, arb]:
        """Return a lower and an upper bound of the greatest ratio for a pair, less 1; the upper one may be ∞.

        Args: start, about the result for ever, where that is known. Raises: Undecided where even `LONGEST_SWEEP`
        releases do not come near a supremum.
        """
        attained, barrier = self.limit(pair, start) if self.for_ever else (self._finite(pair), None)
        above = attained.upper()
        for quarters in ROOM:
            tried = (above + above * arb(2) ** (-(ctx.prec * quarters) // 4)).upper()
            if self.is_at_most(pair, tried, barrier):
                return attained.lower(), tried
        return attained.lower(), arb.pos_inf()

    def is_at_most(self, pair: ValuePair, excess: arb, barrier: Barrier | None = None) -> bool:
        """Whether W(λ) ≤ 0 is certain for λ − 1 = excess: an upper bound of the pair's ratio then. Never wrongly so."""
        c = _upper(self.first(pair, excess))
        for release in range(self.count):
            if all(value <= 0 for value in c) or (barrier is not None and barrier.stops(c)):
                return True
            if release == self.reveals_at or sum(c, arb(0)) > 0:  # P^T keeps sums, and Φ lowers none
                return False
            weighted = _phi(c, self.ratio(release))
            if release + 1 == self.count:
                return not self.for_ever and bool(sum(weighted, arb(0)) <= 0)
            c = _upper((self.step(release)[1] * _column(weighted)).entries())
        raise AssertionError("a side has a release")

    def first(self, pair: ValuePair, excess: arb) -> list[arb]:
        """Return c at the nearest release, P_j − λ P_k; the difference of the rows is exact before it is rounded."""
        j, k = (self.nearest[value] for value in pair)
        return [ball_of(p - q) - excess * ball_of(q) for p, q in zip(j, k, strict=True)]

    def _finite(self, pair: ValuePair) -> arb:
        """Return a ball of the ratio, less 1, that some sets attain: the greatest, as far as balls of midpoints tell.

        The farther releases are taken in by and by: what the nearer ones attain alone is a λ to start from.
        """
        attained, depth = arb(0), 1
        while True:
            sets = self._sets(pair, attained.mid(), depth)
            better = self.attained(pair, sets)
            if _rises(attained, better):
                attained = better
            elif len(sets) < depth or depth == self.count:
                return attained
            else:
                depth = min(2 * depth, self.count)

    def limit(self, pair: ValuePair, start: Fraction) -> tuple[arb, Barrier | None]:
        """Return a ball of a ratio, less 1, that is attained or approached, and what a sweep for an upper bound needs.

        Once the sweep shrinks by one factor, its sets are taken to recur for ever.
        """
        attained, barrier, wanted, at = arb(0), None, WANTED, ball_of(start).mid()
        while True:
            course = Course(self, pair, at, wanted)
            if len(course.sets) == LONGEST_SWEEP:
                known = int(dyadic((1 + attained).lower()) * 1000)
                raise Undecided(
                    f"the supremum is not approached within {LONGEST_SWEEP} releases: the odds of values {pair[0] + 1} "
                    f"and {pair[1] + 1} are known to move by a factor of {known // 1000}.{known % 1000:03} or more"
                )
            better = self.attained(pair, course.sets)
            for cut in {len(course.sets), (len(course.sets) + 1) // 2} - {0}:
                recurring = self.attained(pair, course.sets[:cut], min(course.period or 1, cut))
                better = recurring if recurring.mid() > better.mid() else better
            if _rises(attained, better):
                attained, at = better, better.mid()
                continue
            barrier = Barrier.of(self, course, ctx.prec) or barrier
            if not course.period or wanted > WANTED:
                return attained, barrier
            wanted = 3 * ctx.prec // 4

    def _sets(self, pair: ValuePair, excess: arb, depth: int) -> list[list[bool]]:
        """Return, for the nearest of `depth` releases that matter, which values are in the set."""
        c = [value.mid() for value in self.first(pair, excess)]
        sets: list[list[bool]] = []
        for release in range(depth):
            if all(value <= 0 for value in c) or all(value >= 0 for value in c):
                break
            if release == self.reveals_at:
                told = _greatest(c)
                sets.append([a == told for a in range(self.n)])
                break
            sets.append([value > 0 for value in c])
            if release + 1 < depth:
                c = self.advanced(c, release)
        return sets

    def advanced(self, c: Sequence[arb], release: int) -> list[arb]:
        """Return P^T Φ(c), about: the midpoints."""
        weighted = _column(_phi(c, self.ratio(release).mid()))
        return [value.mid() for value in (self.step(release)[1] * weighted).entries()]

    def attained(self, pair: ValuePair, sets: Sequence[Sequence[bool]], recurring: int = 0) -> arb:
        """Return a ball of the ratio, less 1, that randomized response about these sets attains.

        Args: sets, of the nearest releases, the nearest first; recurring, how many of the farthest of them come again
        and again beyond, for 2^`DOUBLINGS` times at most.
        """
        f = [arb(1)] * self.n
        if recurring:
            matrix, ratio = self._steps[0][0], self._ratios[0]
            once = arb_mat([[int(a == b) for b in range(self.n)] for a in range(self.n)])
            for chosen in sets[-recurring:]:
                rows = [
                    [ratio * p if inside else p for p in row]
                    for row, inside in zip(matrix.table(), chosen, strict=True)
                ]
                once = once * arb_mat(rows)
            before = [arb(0)] * self.n
            for doubling in range(DOUBLINGS):
                once = once * once
                once = once * (1 / sum(once.entries(), arb(0)).mid())
                now = (once * _column(f)).entries()
                # Beyond what has been lost by now nothing can be gained by going on.
                lost = arb(2) ** (doubling + 4 - ctx.prec)
                if all(abs(a.mid() - b.mid()) <= lost * a.mid() for a, b in zip(now, before, strict=True)):
                    break
                before = now
            f = (matrix * (once * _column(f))).entries()
        for release in range(len(sets) - 1, -1, -1):
            if release == self.reveals_at:
                f = [arb(int(told)) for told in sets[release]]
            else:
                ratio = self.ratio(release)
                f = [ratio * value if inside else value for value, inside in zip(f, sets[release], strict=True)]
            if release:
                f = (self.step(release - 1)[0] * _column(f)).entries()
        j, k = (self.nearest[value] for value in pair)
        apart = sum((ball_of(p - q) * value for p, q, value in zip(j, k, f, strict=True) if p != q), arb(0))
        below = sum((ball_of(q) * value for q, value in zip(k, f, strict=True) if q), arb(0))
        return apart / below


class Course:
    """The course of a sweep for ever at one λ, about: as far as one factor shrinks it, or no sign differs.

    sets: which values are in the set, the nearest release first. period: after so many steps c comes again, shrunk; 0
    where that was not seen. c, factor: the last c, and by what it shrank in a period, about.
    """

    def __init__(self, side: SideBalls, pair: ValuePair, excess: arb, wanted: int) -> None:
        """Run the sweep; wanted, to how many bits the entries are to shrink alike."""
        c = [value.mid() for value in side.first(pair, excess)]
        self.sets: list[list[bool]] = []
        self.period, self.factor = 0, arb(0)
        recent: list[list[arb]] = []
        for release in range(LONGEST_SWEEP):
            if all(value <= 0 for value in c) or all(value >= _nothing_beside(c) for value in c):
                break
            self.sets.append([value > 0 for value in c])
            recent = [c, *recent[: MOST_PERIOD - 1]]
            c = side.advanced(c, release)
            for period, earlier in enumerate(recent, 1):
                if (factor := _factor(earlier, c, wanted)) is not None:
                    self.period, self.factor, self.c = period, factor, c
                    return
        self.c = c


def _factor(earlier: Sequence[arb], later: Sequence[arb], wanted: int) -> arb | None:
    """Return the factor below 1 by which positive entries shrank at most, and negative ones at least.

    Args: wanted, bits that the negative ones may be short of it. None where there is none such, or a sign has changed.
    """
    most, least = arb(0), arb.pos_inf()
    for a, b in zip(earlier, later, strict=True):
        if a > 0 and b >= 0:
            most = most.max((b / a).mid())
        elif a < 0 and b < 0:
            least = least.min((b / a).mid())
        elif b > 0 or a != 0:
            return None
    return most if 0 < most < 1 and least > most * (1 - arb(2) ** -wanted) else None


class Barrier:
    """A direction h with Ψ^d(h) ≤ θ·h, θ < 1: where c ≤ γ·h for some γ ≥ 0, the sweep is over."""

    def __init__(self, h: Sequence[arb]) -> None:
        """Keep h."""
        self.h = h

    @classmethod
    def of(cls, side: SideBalls, course: Course, halvings: int) -> Barrier | None:
        """Return a barrier in the direction of a course's end, a little lowered; None where that does not shrink.

        Lowered by κ·π, π stationary: where h is negative, θ·h is lower than what one factor would leave. Args:
        halvings, how often the room between that factor and 1 is halved, at most.
        """
        if not course.period:
            return None
        pi = _stationary(side)
        room, best = 1 - course.factor, None
        for _ in range(halvings):
            room = (room / 2).mid()
            theta = course.factor + room
            kappa = arb(0)
            for value, share in zip(course.c, pi, strict=True):
                if value < 0 and share > 0:
                    kappa = kappa.max((-value * room * 4 / ((1 - theta) * share)).mid())
            h = [(value - kappa * share).mid() for value, share in zip(course.c, pi, strict=True)]
            if not _shrinks(side, h, course.period, theta):
                break
            best = cls(h)
        return best

    def stops(self, c: Sequence[arb]) -> bool:
        """Whether c ≤ γ·h for some γ ≥ 0, certainly."""
        gamma = arb(0)
        for value, bound in zip(c, self.h, strict=True):
            if bound > 0:
                gamma = gamma.max((value / bound).upper())
        return all(value <= (gamma * bound).lower() for value, bound in zip(c, self.h, strict=True) if not bound > 0)


def _stationary(side: SideBalls) -> list[arb]:
    """Return about the stationary distribution; zeros where there is not one alone."""
    transposed = side.step(0)[1]
    system = [[transposed[a, b] - int(a == b) for b in range(side.n)] for a in range(side.n)]
    system[0] = [arb(1)] * side.n
    try:
        found = arb_mat(system).solve(_column([arb(int(a == 0)) for a in range(side.n)])).entries()
    except ZeroDivisionError:
        return [arb(0)] * side.n
    return [value.mid() if value > 0 else arb(0) for value in found]


def _shrinks(side: SideBalls, h: Sequence[arb], period: int, theta: arb) -> bool:
    """Whether Ψ^d(h) ≤ θ·h and θ < 1, certainly."""
    c = list(h)
    for _ in range(period):
        c = _upper((side.step(0)[1] * _column(_phi(c, side.ratio(0)))).entries())
    return bool(theta < 1) and all(after <= (theta * value).lower() for after, value in zip(c, h, strict=True))


def _phi(c: Sequence[arb], ratio: arb) -> list[arb]:
    """Return Φ(c); of an exact c, each entry of which has one sign."""
    return [ratio * value if value > 0 else value for value in c]


def _nothing_beside(c: Sequence[arb]) -> arb:
    """Return the negative number that is too small to matter beside the greatest entry."""
    return -c[_greatest(c)] * arb(2) ** -ctx.prec


def _rises(before: arb, after: arb) -> bool:
    return bool(after > before) and bool(after.mid() > before.mid() * (1 + arb(2) ** (SLACK_BITS - ctx.prec)))


def _greatest(values: Sequence[arb]) -> int:
    best = 0
    for index, value in enumerate(values):
        if value > values[best]:
            best = index
    return best


def _upper(values: Sequence[arb]) -> list[arb]:
    return [value.upper() for value in values]


def _column(values: Sequence[arb]) -> arb_mat:
    return arb_mat(len(values), 1, list(values))
