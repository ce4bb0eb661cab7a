"""The sets that attain the greatest ratio of one pair of values, for any depth of one sequence of releases.

As in `guess`, releases count from the nearest, and d and v are the rows P_j − P_k and P_k carried through the
releases about some sets: c = d − x·v in the sweep with λ = 1 + x, whose sets are S = {a : d_a > x·v_a}. Any sets attain
x = Σd/Σv. If the sweep with this x takes these very sets they are the best, for then W = 0; that is, as long as Σd/Σv
lies between the d_a/v_a of all values outside of a set and those of all values inside, at each step. Balls decide that,
unless two of these numbers are equal, or nearly so because the chain has mixed. Then what the sets attain is a lower
bound, and an upper one is an x a little above it whose sweep, rounded upward, comes to W ≤ 0. If no entry of c is
positive any more, both are bounds at all greater depths too: the pair has *settled*, and nothing is left to be done.

The sets of two depths begin alike: the deepest course so far is kept, and others branch off it.
"""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, count
from math import lcm

from flint import arb, arb_mat, ctx, fmpz_mat

from ...reference.correlations import Row
from ...reference.formulas import ANY_SIZE, ball_of
from ...reference.levels import Level
from ...reference.surds import Exact, Surd, bits
from ...reference.worst_case.balls import upper, weighted
from ...reference.worst_case.leakage import WorstRatio
from ...reference.worst_case.sweep import OneSide, ValuePair
from .exact_sets import Chosen, ExactSets, Integers

SETS_PRECISION = 192
"""Bits to which sets are decided at first; more where digits are asked for. Fewer leave more sets in doubt."""

SETTLED_BITS = Fraction(5, 8)
"""Where sets are in doubt bounds are this part of the precision apart: its 2^−(bits·5/8) of the excess."""

LEAST_STAGE, STAGES = 8, 4
"""Sets are sought for this many more releases at a time, or for this part more: a λ that is a little off takes wrong
sets from some release on, and all that is swept beyond it is in vain."""

LONGER = 2
"""Factor by which a number, before it is reduced, may be longer than the exact result that is wanted."""


class StepMatrices:
    """The matrices that lead to each release, the nearest first: over balls, and as integers over one denominator."""

    def __init__(self, rows: Sequence[Sequence[Row]]) -> None:
        """Take the rows of each."""
        self._rows = list(rows)
        self._balls: dict[tuple[int, int], arb_mat] = {}
        self._integers: dict[int, Integers] = {}
        self._exact_sets: dict[ValuePair, ExactSets] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return StepMatrices, (self._rows,)

    def apart(self, pair: ValuePair) -> tuple[list[Fraction], Row]:
        """Return P_j − P_k and P_k of the matrix that leads to the nearest release."""
        j, k = (self._rows[0][value] for value in pair)
        return [p - q for p, q in zip(j, k, strict=True)], k

    def side(self, depth: int) -> OneSide:
        """Return the nearest releases as one side of a time."""
        return OneSide(tuple(tuple(step) for step in self._rows[:depth])[::-1])

    def balls(self, release: int) -> arb_mat:
        """Return a matrix over balls of the working precision."""
        rows = self._rows[release]
        key = id(rows), ctx.prec
        if key not in self._balls:
            self._balls[key] = arb_mat([[ball_of(entry) for entry in row] for row in rows])
        return self._balls[key]

    def exact_sets(self, pair: ValuePair, ratios: Sequence[Exact], most_bits: int) -> ExactSets | None:
        """Return the exact sets of a pair, over at least these releases; None where numbers become too long.

        Args: ratios, e^ε of the releases, the nearest first; None for what is no rational or surd. Raises:
            MixedRadicands, as `ExactSets.take`.
        """
        length = 0
        for release, ratio in enumerate(ratios):
            if type(ratio) not in (Fraction, Surd):
                return None
            length += self._of_integers(release)[1].bit_length()
            length += ratio.denominator.bit_length() if isinstance(ratio, Fraction) else bits(ratio)
            if length > LONGER * most_bits:
                return None
        if pair not in self._exact_sets:
            rows = self._of_integers(0)[0].table()
            self._exact_sets[pair] = ExactSets(fmpz_mat([rows[value] for value in pair]))
        found = self._exact_sets[pair]
        found.take([self._of_integers(release) for release in range(len(ratios))], ratios)
        return found

    def _of_integers(self, release: int) -> Integers:
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

    def first(self, pair: ValuePair) -> arb_mat:
        """Return d and v, two rows, at the nearest release."""
        apart, second = self._steps.apart(pair)
        return arb_mat([[ball_of(entry) for entry in apart], [ball_of(entry) for entry in second]])

    def weighted(self, carried: Sequence[arb], chosen: Chosen, release: int) -> list[arb]:
        """Return d and v, one after the other, with the answer “yes, it is in the set” at a release."""
        ratio = self._ratios[release]
        return [ratio * x if inside else x for x, inside in zip(carried, chosen + chosen, strict=True)]

    def stepped(self, carried: Sequence[arb], release: int) -> arb_mat:
        """Return d and v, two rows, one release farther."""
        return arb_mat(2, len(carried) // 2, carried) * self._steps.balls(release + 1)

    def is_at_most(self, pair: ValuePair, excess: arb, depth: int) -> tuple[bool, bool]:
        """Return whether W ≤ 0 is certain over `depth` releases, and over any greater number."""
        c = upper([d - excess * v for d, v in zip(*self.first(pair).table(), strict=True)])
        for release in range(depth):
            if all(value <= 0 for value in c):
                return True, True
            if sum(c, arb(0)) > 0:
                break
            after = weighted(c, self._ratios[release])
            if release + 1 == depth:
                return bool(sum(after, arb(0)) <= 0), False
            c = upper((arb_mat([after]) * self._steps.balls(release + 1)).entries())
        return False, False


@dataclass(frozen=True, eq=False)
class AttainedRatio:
    """The excess of the ratio that some sets attain for a pair of values.

    A `formulas.Formula`; places: which operand the budget of each release is, the nearest first, as the sets are.
    found: the excess over balls of `precision` bits.
    """

    steps: StepMatrices
    pair: ValuePair
    sets: tuple[Chosen, ...]
    places: Sequence[int]
    found: arb
    precision: int

    @classmethod
    def of_sets(
        cls, steps: StepMatrices, pair: ValuePair, sets: tuple[Chosen, ...], places: Sequence[int] | None = None
    ) -> AttainedRatio:
        """Return the ratio of sets from nothing else. Args: places, where not each release has an operand."""
        return cls(steps, pair, sets, range(len(sets)) if places is None else places, arb(0), 0)

    def __reduce__(self) -> tuple[object, ...]:
        return AttainedRatio.of_sets, (self.steps, self.pair, self.sets, tuple(self.places[: len(self.sets)]))

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return a ball that contains the result."""
        if ctx.prec <= self.precision:
            return self.found
        releases = BallReleases(self.steps, [parts[place] for place in self.places[: len(self.sets)]])
        carried = releases.first(self.pair).entries()
        for release, chosen in enumerate(self.sets):
            before = releases.stepped(carried, release - 1).entries() if release else carried
            carried = releases.weighted(before, chosen, release)
        return _excess(carried)

    def exact(self, parts: Sequence[Exact], most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result; None where numbers become too long on the way."""
        ratios = [parts[place] + 1 for place in self.places[: len(self.sets)]]
        found = self.steps.exact_sets(self.pair, ratios, most_bits)
        return None if found is None else found.attained(self.sets)


class PairSets:
    """The best sets for one pair of values."""

    def __init__(self, steps: StepMatrices, budgets: Sequence[Level], pair: ValuePair) -> None:
        """Take releases with finite budgets, the nearest first."""
        self._steps, self._budgets, self._pair = steps, budgets, pair
        self._distinct = tuple({id(budget): budget for budget in budgets}.values())
        number = {id(budget): place for place, budget in enumerate(self._distinct)}
        self._places = tuple(number[id(budget)] for budget in budgets)
        self._last_place = tuple(accumulate(self._places, max))
        least = [own.excess_bounds()[0] for own in self._distinct]
        small = max(own.denominator.bit_length() - own.numerator.bit_length() for own in least)
        self._first_precision = SETS_PRECISION + max(small, 0)
        self._courses: dict[int, _PairCourse] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return PairSets, (self._steps, self._budgets, self._pair)

    def level(self, depth: int, guess: float) -> Level:
        """Return the level of the greatest ratio over the `depth` nearest releases.

        Args: guess, about that ratio, less 1. Returns: a formula of its sets, exact, where they are certain.
        """
        course = self._course(self._first_precision)
        if not course.has_settled(depth):
            with ctx.workprec(course.precision):
                sets, attained = course.find(depth, arb(guess))
            if sets is not None:
                found = AttainedRatio(self._steps, self._pair, sets, self._places, attained, course.precision)
                return Level.of_formula(found, self._distinct[: self._last_place[depth - 1] + 1])
        return Level.of_formula(EnclosedRatio(self, depth), self._distinct)

    def _course(self, precision: int) -> _PairCourse:
        if precision not in self._courses:
            with ctx.workprec(precision):
                balls = {id(own): ball_between(*own.excess_bounds(precision)) for own in self._distinct}
                releases = BallReleases(self._steps, [balls[id(own)] for own in self._budgets])
                self._courses[precision] = _PairCourse(precision, releases, self._pair)
        return self._courses[precision]

    def enclosed(self, depth: int) -> arb | None:
        """Return a ball of the excess over `depth` releases, of the working precision or more; None in doubt."""
        precision = self._first_precision
        while precision < ctx.prec:
            precision *= 2
        with ctx.workprec(precision):
            return self._course(precision).enclosed(depth)

    def exact(self, depth: int, parts: Sequence[Exact], most_bits: int) -> Exact | None:
        """Return the excess of the greatest ratio over `depth` releases; None where numbers become too long.

        Args: parts, e^ε − 1 of each distinct budget.
        """
        ratios = [parts[place] + 1 for place in self._places[:depth]]
        found = self._steps.exact_sets(self._pair, ratios, most_bits)
        return None if found is None else found.greatest(depth)

    def literal(self, depth: int, parts: Sequence[arb]) -> arb:
        """Return the reference's ball of it, of any precision. Args: as `exact`."""
        operands = [parts[place] for place in reversed(self._places[:depth])]
        return WorstRatio(self._steps.side(depth), None, ((self._pair, ()),)).ball(operands)


@dataclass(frozen=True, eq=False)
class EnclosedRatio:
    """The excess of the greatest ratio of a pair over the nearest releases, where its sets are in doubt.

    A `formulas.Formula`; its operands are the distinct budgets.
    """

    sets: PairSets
    depth: int

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return a ball that contains the result."""
        found = self.sets.enclosed(self.depth)
        return self.sets.literal(self.depth, parts) if found is None else found

    def exact(self, parts: Sequence[Exact], most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result; None where numbers become too long on the way."""
        return self.sets.exact(self.depth, parts, most_bits)


class _PairCourse:
    """What is kept of a course, to branch off: d and v before each release, and where x may lie up to there."""

    def __init__(self, precision: int, releases: BallReleases, pair: ValuePair) -> None:
        """Begin at the nearest release."""
        self.precision, self._releases, self._pair = precision, releases, pair
        self._carried, self._sets = [releases.first(pair)], list[Chosen]()
        self._least, self._most = [arb(-1)], [arb.pos_inf()]
        self._found: dict[int, arb] = {}
        self._depths: list[int] = []
        self._enclosed: dict[int, arb] = {}
        self._settled: tuple[int, arb] | None = None
        self._next_trial = 0

    def has_settled(self, depth: int) -> bool:
        """Whether a ball is known of the excess at this depth and at all greater ones."""
        return self._settled is not None and depth >= self._settled[0]

    def enclosed(self, depth: int) -> arb | None:
        """Return a ball of the excess over `depth` releases; None where none is proved."""
        if not self.has_settled(depth) and depth not in self._enclosed:
            _, attained = self.find(depth, arb(0))
            if not self.has_settled(depth):
                self._try(depth, attained)
        if self._settled is not None and depth >= self._settled[0]:
            return self._settled[1]
        return self._enclosed.get(depth)

    def find(self, depth: int, guess: arb) -> tuple[tuple[Chosen, ...] | None, arb]:
        """Return the best sets over `depth` releases, None in doubt, and a ball of the excess that is attained."""
        known = self._depths[-1] if self._depths else 0
        while (stage := known + max(LEAST_STAGE, known // STAGES)) < depth:
            self._sought(stage, self._found.get(known, guess))
            known = stage
            if self._settled is not None:
                return None, self._settled[1]
        return self._sought(depth, guess)

    def _sought(self, depth: int, guess: arb) -> tuple[tuple[Chosen, ...] | None, arb]:
        excess, best = self._start(depth, guess), arb(0)
        for attempt in count():
            carried, sets, least, most = self._up_to(depth - 1, excess)
            for release in range(len(sets), depth):
                both = carried[-1].entries()
                n = len(both) // 2
                low, high = least[-1], most[-1]
                taken = []
                for x, y in zip(both[:n], both[n:], strict=True):
                    if y.is_zero():
                        taken.append(bool(x.mid() > 0))
                        continue
                    ratio = x / y
                    inside = bool(ratio > excess) or (not ratio < excess and bool(x.mid() > excess * y.mid()))
                    taken.append(inside)
                    if inside:
                        if not ratio > high:
                            high = high.min(ratio)
                    elif not ratio < low:
                        low = low.max(ratio)
                chosen = tuple(taken)
                after = self._releases.weighted(both, chosen, release)
                sets.append(chosen)
                least.append(low)
                most.append(high)
                if release + 1 < depth:
                    carried.append(self._releases.stepped(after, release))
            attained = _excess(after)
            if depth >= len(self._sets):
                self._carried, self._sets, self._least, self._most = carried, sets, least, most
            is_certain = bool(least[-1] <= attained) and bool(attained <= most[-1])
            best = attained if is_certain or not attempt or attained.mid() > best.mid() else best
            if is_certain or (attempt and not attained.mid() > excess):
                break
            excess = attained.mid()
        self._keep(depth, best)
        return (tuple(sets) if is_certain else None), best

    def _keep(self, depth: int, attained: arb) -> None:
        """Keep what is attained; where it rises hardly any more, see whether that is all there is."""
        place = bisect_left(self._depths, depth)
        nearest = self._depths[place - 1] if place else None
        if depth not in self._found:
            self._found[depth] = attained.mid()
            self._depths.insert(place, depth)
        if nearest is None or self._settled is not None or depth < self._next_trial:
            return
        if attained.mid() - self._found[nearest] <= attained.mid() * self._gap:
            self._try(depth, attained)
            self._next_trial = depth + depth // 8 + 1

    @property
    def _gap(self) -> arb:
        return arb(2) ** -int(self.precision * SETTLED_BITS)

    def _try(self, depth: int, attained: arb) -> None:
        """See whether a little more than what is attained is an upper bound, at this depth or from it on."""
        above = (attained.upper() * (1 + self._gap)).upper()
        holds, longer = self._releases.is_at_most(self._pair, above, depth)
        if longer and (self._settled is None or depth < self._settled[0]):
            self._settled = depth, attained.lower().union(above)
        elif holds:
            self._enclosed[depth] = attained.lower().union(above)

    def _start(self, depth: int, guess: arb) -> arb:
        """Return an x to start from: ratios do not fall with the depth, and mostly rise ever less."""
        place = bisect_left(self._depths, depth)
        if not self._depths or place < len(self._depths):
            return self._found[self._depths[place]] if self._depths else guess
        nearest = self._found[self._depths[-1]]
        if not all(depth - back in self._found for back in (1, 2, 3)):
            return guess if guess > nearest and depth - 1 not in self._found else nearest
        rise, earlier = (self._found[depth - back] - self._found[depth - back - 1] for back in (1, 2))
        return nearest + (rise * (rise / earlier).min(arb(1))).mid() if earlier > 0 else nearest

    def _up_to(self, most: int, excess: arb) -> tuple[list[arb_mat], list[Chosen], list[arb], list[arb]]:
        """Return what is kept as far as the sweep with this x takes the same sets, for at most `depth` releases."""
        limit = min(most, len(self._carried) - 1)
        shared = min(
            bisect(range(limit), 0, key=lambda at: int(not self._least[at + 1] < excess)),
            bisect(range(limit), 0, key=lambda at: int(not excess < self._most[at + 1])),
        )
        ahead = shared + 1
        return self._carried[:ahead], self._sets[:shared], self._least[:ahead], self._most[:ahead]


def _excess(carried: Sequence[arb]) -> arb:
    n = len(carried) // 2
    return sum(carried[:n], arb(0)) / sum(carried[n:], arb(0))


def ball_between(lower: Fraction, upper: Fraction) -> arb:
    """Return a ball that contains both, and what is between them."""
    return ball_of(lower).union(ball_of(upper))
