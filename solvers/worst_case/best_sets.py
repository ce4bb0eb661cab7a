"""The sets that attain the greatest ratio of one pair of values, for any depth of one sequence of releases.

As in `pair_bounds`, releases count from the nearest, and u and v are the rows P_j and P_k carried through the releases
about some sets: c = u − λ·v in the sweep with λ, whose sets are S = {a : u_a > λ·v_a}. Any sets attain Σu/Σv. If the
sweep with λ = Σu/Σv takes these very sets they are the best, for then W(λ) = 0; that is, as long as Σu/Σv lies between
the u_a/v_a of all values outside of a set and those of all values inside, at each step. Balls decide that, for no term
is negative; where they do not, because two of these numbers are equal, there is no answer here.

The sets of two depths begin alike: the deepest course so far is kept, and others branch off it.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from flint import arb, arb_mat, ctx, fmpz_mat

from ...reference.correlations import Row
from ...reference.formulas import ANY_SIZE, ball_of
from ...reference.levels import Level
from ...reference.surds import Exact
from ...reference.worst_case.sweep import ValuePair

PRECISIONS = (192, 1024)
"""Bits to which sets are decided at first, and at last."""

MOST_SWEEPS = 100

LEAST_STAGE, STAGES = 8, 4
"""Sets are sought for so many releases more at a time, or for one such part more: a λ that is a little off takes wrong
sets from some release on, and all that is swept beyond it is in vain."""

LONGER = 2
"""Before it is reduced, a number may be so many times as long as an exact result that is wanted."""

Chosen = tuple[bool, ...]
"""Which values are in a set."""

Carried = tuple[list[arb], list[arb]]
"""u and v at a release."""


class StepMatrices:
    """The matrices that lead to each release, the nearest first: over balls, and as integers over one denominator."""

    def __init__(self, rows: Sequence[Sequence[Row]]) -> None:
        """Take the rows of each."""
        self._rows = list(rows)
        self._balls: dict[tuple[int, int], arb_mat] = {}
        self._integers: dict[int, tuple[fmpz_mat, int]] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return StepMatrices, (self._rows,)

    def balls(self, release: int) -> arb_mat:
        """Return a matrix over balls of the working precision."""
        rows = self._rows[release]
        key = id(rows), ctx.prec
        if key not in self._balls:
            self._balls[key] = arb_mat([[ball_of(entry) for entry in row] for row in rows])
        return self._balls[key]

    def integers(self, release: int) -> tuple[fmpz_mat, int]:
        """Return a matrix as integers, and their denominator."""
        rows = self._rows[release]
        if id(rows) not in self._integers:
            common = lcm(*(entry.denominator for row in rows for entry in row))
            self._integers[id(rows)] = fmpz_mat([[int(entry * common) for entry in row] for row in rows]), common
        return self._integers[id(rows)]


class BallReleases:
    """Releases over balls of the working precision, the nearest first."""

    def __init__(self, steps: StepMatrices, excesses: Sequence[arb]) -> None:
        """Take their matrices, and e^ε − 1 of their budgets."""
        self._steps = steps
        self._ratios = [1 + excess for excess in excesses]

    def first(self, pair: ValuePair) -> Carried:
        """Return u and v at the nearest release."""
        rows = self._steps.balls(0).table()
        return rows[pair[0]], rows[pair[1]]

    def weighted(self, carried: Carried, chosen: Chosen, release: int) -> Carried:
        """Return u and v with the answer “yes, it is in the set” at a release."""
        ratio = self._ratios[release]
        u, v = ([ratio * x if inside else x for x, inside in zip(row, chosen, strict=True)] for row in carried)
        return u, v

    def stepped(self, carried: Carried, release: int) -> Carried:
        """Return u and v one release farther."""
        u, v = (arb_mat(list(carried)) * self._steps.balls(release + 1)).table()
        return u, v


@dataclass(frozen=True, eq=False)
class AttainedRatio:
    """The excess of the ratio that some sets attain for a pair of values.

    A `formulas.Formula`; its operands are the budgets, the nearest first, as the sets are. found: the excess over balls
    of `precision` bits.
    """

    steps: StepMatrices
    pair: ValuePair
    sets: tuple[Chosen, ...]
    found: arb
    precision: int

    @classmethod
    def of_sets(cls, steps: StepMatrices, pair: ValuePair, sets: tuple[Chosen, ...]) -> AttainedRatio:
        """Return the ratio of sets from nothing else."""
        return cls(steps, pair, sets, arb(0), 0)

    def __reduce__(self) -> tuple[object, ...]:
        return AttainedRatio.of_sets, (self.steps, self.pair, self.sets)

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return a ball that contains the result."""
        if ctx.prec <= self.precision:
            return self.found
        releases = BallReleases(self.steps, parts)
        carried = releases.first(self.pair)
        for release, chosen in enumerate(self.sets):
            carried = releases.weighted(releases.stepped(carried, release - 1) if release else carried, chosen, release)
        return _ratio(carried) - 1

    def exact(self, parts: Sequence[Exact], most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result; None where a ratio is not rational, or where numbers become too long on the way."""
        ratios = []
        length = 0
        for release, part in enumerate(parts):
            if not isinstance(part, Fraction):
                return None
            ratios.append((part + 1).as_integer_ratio())
            length += (ratios[-1][1] * self.steps.integers(release)[1]).bit_length()
            if length > LONGER * most_bits:
                return None
        rows = self.steps.integers(0)[0].table()
        carried = fmpz_mat([rows[value] for value in self.pair])
        for release, (chosen, (inside, outside)) in enumerate(zip(self.sets, ratios, strict=True)):
            if release:
                carried = carried * self.steps.integers(release)[0]
            weights = [inside if own else outside for own in chosen]
            carried = fmpz_mat([[x * w for x, w in zip(row, weights, strict=True)] for row in carried.table()])
        u, v = (int(sum(row)) for row in carried.table())
        return Fraction(u, v) - 1


class PairSets:
    """The best sets for one pair of values."""

    def __init__(self, steps: StepMatrices, budgets: Sequence[Level], pair: ValuePair) -> None:
        """Take releases with finite budgets, the nearest first."""
        self._steps, self._budgets, self._pair = steps, budgets, pair
        self._courses = [_PairCourse(precision) for precision in PRECISIONS]

    def level(self, depth: int, guess: float) -> Level | None:
        """Return the level of the greatest ratio over the `depth` nearest releases, or None where it is in doubt.

        Args: guess, about that ratio. Returns: the level, exact, as a formula of its sets.
        """
        budgets = tuple(self._budgets[:depth])
        for course in self._courses:
            with ctx.workprec(course.precision):
                if course.releases is None:
                    known = {id(budget): budget for budget in self._budgets}
                    balls = {own: _ball_between(*known[own].excess_bounds(course.precision)) for own in known}
                    course.take(BallReleases(self._steps, [balls[id(own)] for own in self._budgets]), self._pair)
                sets = course.find(depth, arb(guess))
            if sets is not None:
                found = AttainedRatio(self._steps, self._pair, *sets, course.precision)
                return Level.of_formula(found, budgets)
        return None


class _PairCourse:
    """What is kept of a course, to branch off: u and v before each release, and where λ may lie up to there."""

    def __init__(self, precision: int) -> None:
        self.precision = precision
        self.releases: BallReleases | None = None
        self._carried: list[Carried] = []
        self._sets: list[Chosen] = []
        self._least: list[arb] = []
        self._most: list[arb] = []
        self._found: dict[int, arb] = {}

    def take(self, releases: BallReleases, pair: ValuePair) -> None:
        """Begin at the nearest release."""
        self.releases = releases
        self._carried, self._least, self._most = [releases.first(pair)], [arb(0)], [arb.pos_inf()]

    def find(self, depth: int, ratio: arb) -> tuple[tuple[Chosen, ...], arb] | None:
        """Return the best sets over so many releases and a ball of the excess they attain, or None in doubt."""
        known = max(self._found, default=0)
        while (stage := known + max(LEAST_STAGE, known // STAGES)) < depth:
            if self._sought(stage, self._found.get(known, ratio)) is None:
                break
            known = stage
        return self._sought(depth, ratio)

    def _sought(self, depth: int, guess: arb) -> tuple[tuple[Chosen, ...], arb] | None:
        assert self.releases is not None
        ratio = self._start(depth, guess)
        for attempt in range(MOST_SWEEPS):
            carried, sets, least, most = self._up_to(depth - 1, ratio)
            for release in range(len(sets), depth):
                u, v = carried[-1]
                chosen = tuple(bool(x.mid() > ratio * y.mid()) for x, y in zip(u, v, strict=True))
                low, high = least[-1], most[-1]
                for x, y, inside in zip(u, v, chosen, strict=True):
                    if not inside and x != 0:
                        low = low.max(x / y)
                    elif inside and y != 0:
                        high = high.min(x / y)
                weighted = self.releases.weighted((u, v), chosen, release)
                sets.append(chosen)
                least.append(low)
                most.append(high)
                carried.append(self.releases.stepped(weighted, release) if release + 1 < depth else weighted)
            attained = _ratio(carried.pop())
            if depth >= len(self._sets):
                self._carried, self._sets, self._least, self._most = carried, sets, least, most
            if least[-1] <= attained <= most[-1]:
                self._found[depth] = attained.mid()
                return tuple(sets), attained - 1
            if attempt and not attained.mid() > ratio:
                return None
            ratio = attained.mid()
        return None

    def _start(self, depth: int, guess: arb) -> arb:
        """Return a λ to start from: ratios do not fall with the depth, and mostly rise ever less."""
        deeper = min((own for own in self._found if own >= depth), default=None)
        if deeper is not None:
            return self._found[deeper]
        nearest = max(self._found, default=None)
        if nearest is not None and (nearest == depth - 1 or self._found[nearest] > guess):
            return self._found[nearest]
        return guess

    def _up_to(self, most: int, ratio: arb) -> tuple[list[Carried], list[Chosen], list[arb], list[arb]]:
        """Return what is kept as far as the sweep with this λ takes the same sets, for at most so many releases."""
        limit = min(most, len(self._carried) - 1)
        shared = min(
            bisect(range(limit), 0, key=lambda at: int(not self._least[at + 1] < ratio)),
            bisect(range(limit), 0, key=lambda at: int(not ratio < self._most[at + 1])),
        )
        ahead = shared + 1
        return self._carried[:ahead], self._sets[:shared], self._least[:ahead], self._most[:ahead]


def _ratio(carried: Carried) -> arb:
    u, v = carried
    return sum(u, arb(0)) / sum(v, arb(0))


def _ball_between(lower: Fraction, upper: Fraction) -> arb:
    return ball_of(lower).union(ball_of(upper))
