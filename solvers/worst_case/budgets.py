"""The greatest budgets of a shape that keep the worst-case leakage within a level, fast: to any precision.

As `greatest_worst_case_budget` of the reference, which bisects for a constant one. TPL rises with the budgets, so their
greatest multiple is where the worst TPL over all times, or the supremum for ever, is α. It is sought by false position;
a trial is taken for kept, or for too great, only where enclosures of its leakage say so. What is returned lies between
such two.

Over a horizon one time rules. Trials ask for the leakage at that time alone, which is enough to refuse a multiple; the
one that is kept is seen to be so at all times, and where it is not, another time rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from math import log2, log10, prod
from typing import ClassVar

from flint import arb, ctx

from ...reference.decimals import decimal_exponent
from ...reference.errors import InvalidRequest
from ...reference.formulas import ANY_SIZE, ball_of, dyadic
from ...reference.levels import INFINITE, Budget, Level
from ...reference.stepwise import KnownCorrelation, Stepwise, matrices_in
from ...reference.surds import Exact
from ...reference.worst_case.budgets import check_worst_case_budget
from ...reference.worst_case.leakage import KnownRatios, per_step
from ...reference.worst_case.sweep import ValuePair
from ..false_position import Between
from .apart import Apart, RowSupport
from .pairs import fast_worst_case_supremum, fast_worst_case_tpl

SOUGHT, ENCLOSED = 0.58, 0.75
"""Parts of the digits of the working precision in which a budget is sought, and in which leakage is enclosed."""

SPARE_DIGITS = 3

FEWEST_BITS = 96
"""With fewer bits the supremum of a pair is not approached near enough to be enclosed in that part of them."""

COARSE, COARSE_DIGITS = Fraction(1, 10**5), 12
"""While the budgets differ by more than the first, relatively, TPL is enclosed to the second, in digits."""

LIKELY = Fraction(1, 10**14)
"""A quotient that is so near to an integer, relatively, may be it."""

GUESSING_BITS, LONGEST_GUESS = 256, 1 << 60
"""Where e^α is rational e^ε may be: bits in which it is sought, and the greatest denominator that is tried."""

ANOTHER_RULES = 2
"""Between budgets that differ by a greater factor, another pair of values may rule."""

FIRST_TRIAL = 8
"""Where nothing is known of a budget but that it is too great, one smaller by this factor at least is tried."""


def fast_worst_case_budget(
    alpha: Level,
    backward: KnownCorrelation | None = None,
    forward: KnownCorrelation | None = None,
    horizon: int | None = None,
) -> Budget:
    """Return the greatest constant budget that keeps the worst-case TPL within alpha at every time.

    Args: alpha, the level to keep; backward, P^B, forward, P^F, None where not known; horizon, the number of releases,
    None for ever. Returns: the level: exact where it is α, a rational α/k, ∞ (α is, or one value alone exists), or the
    logarithm of a short rational, else enclosed to any precision. The lower end of an enclosure has been verified to
    keep alpha.
    Raises: InfeasibleBudget, InvalidRequest as `check_worst_case_budget`; Undecided.
    """
    check_worst_case_budget(alpha, backward, forward, horizon)
    known = [*matrices_in(backward), *matrices_in(forward)]
    if alpha.is_infinite or any(matrix.n < 2 for matrix in known):
        return INFINITE.to_spend()
    if horizon == 1 or all(len(set(matrix.rows)) == 1 for matrix in known):
        return alpha.to_spend()
    if horizon is not None and alpha.rational is not None and stays_apart(backward, forward, horizon):
        return Level.of(alpha.rational / horizon).to_spend()
    sought = GreatestBudget(backward, forward, None if horizon is None else (Fraction(1),) * horizon)
    found = Level.of_formula(sought, (alpha,))
    part = None if alpha.rational is None else _part(sought, alpha, alpha.rational / Fraction(found.enclosure().lower))
    return (part or found).to_spend()


def fast_worst_case_multiple(
    alpha: Level,
    shape: Sequence[Fraction],
    backward: KnownCorrelation | None = None,
    forward: KnownCorrelation | None = None,
    digits: int = 17,
) -> Fraction:
    """Return about the greatest x with which the budgets x·w_t keep the worst-case TPL within alpha at every time.

    Args: alpha, finite; shape, the weights w_t, above 0, of each release; digits, of x. Returns: x, a decimal of at
    most `digits` digits: a *lower* bound of the greatest, verified to keep alpha. Raises: as `fast_worst_case_budget`.
    """
    check_worst_case_budget(alpha, backward, forward, len(shape))
    if alpha.is_infinite or min(shape) <= 0:
        raise InvalidRequest("a multiple is sought for a finite level, and for weights that are above 0")
    ends = alpha.enclosure(digits + SPARE_DIGITS)
    bounds = Fraction(ends.lower), Fraction(ends.upper)
    known = [*matrices_in(backward), *matrices_in(forward)]
    if len(shape) == 1 or all(len(set(matrix.rows)) == 1 for matrix in known):
        found = bounds[0] / max(shape)
    else:
        found = _Search(GreatestBudget(backward, forward, tuple(shape)), bounds, digits).bracket()[0]
    unit = Fraction(10) ** (decimal_exponent(found) + 1 - digits)
    return found // unit * unit


def _part(sought: GreatestBudget, alpha: Level, quotient: Fraction) -> Level | None:
    """Return α/k for the k next to a quotient, where it is the greatest budget: its worst TPL is α, seen to be k of it.

    TPL may be a whole number of budgets where values are told apart for certain (`apart`); otherwise None.
    """
    assert alpha.rational is not None
    if abs(quotient - round(quotient)) > quotient * LIKELY:
        return None
    part = Level.of(alpha.rational / round(quotient))
    leaked = sought.leakage(lambda _weight: part, sought.times)
    known = [level.rational for level in leaked if level.rational is not None]
    others = [level for level in leaked if level.rational is None]
    return part if max(known, default=None) == alpha.rational and all(level < alpha for level in others) else None


def stays_apart(backward: KnownCorrelation | None, forward: KnownCorrelation | None, horizon: int) -> bool:
    """Whether at some time two values never led, and never lead, to the same one: TPL is then T times the budget."""
    steps, known = horizon - 1, [*matrices_in(backward), *matrices_in(forward)]
    past, future = per_step(backward, steps, "backward"), per_step(forward, steps, "forward")
    is_stepwise, supports = isinstance(backward, Stepwise) or isinstance(forward, Stepwise), dict[int, RowSupport]()
    for t in range(horizon) if is_stepwise else [None]:  # of one matrix at all times the sides of any time are alike
        sides = [Apart(own, supports) for own in (past and past[:t][::-1], future and future[t:]) if own]
        pairs = permutations(range(known[0].n), 2) if sides else ()
        if any(sum(side.steps(pair, len(side)) for side in sides) >= steps for pair in pairs):
            return True
    return False


@dataclass(frozen=True)
class GreatestBudget:
    """The excess of the greatest multiple of a shape whose worst TPL is at most a level, the operand: a `Formula`.

    shape: the weights of the releases, all 1 for a constant budget; None for ever. found: by their budget, the ratios
    of trials.
    """

    is_search: ClassVar[bool] = True

    backward: KnownCorrelation | None
    forward: KnownCorrelation | None
    shape: tuple[Fraction, ...] | None
    found: dict[Fraction, KnownRatios] = field(default_factory=dict, compare=False, repr=False)

    @property
    def times(self) -> Sequence[int]:
        """The times that there are; one stands for all where it is for ever."""
        return range(len(self.shape or "1"))

    def exact(self, parts: Sequence[Exact], _most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the excess where it is a short rational, for its worst TPL is the level; otherwise None."""
        (alpha,) = parts
        if not isinstance(alpha, Fraction):
            return None
        with ctx.workprec(GUESSING_BITS):
            ball = self.ball([ball_of(alpha)])
        guess = dyadic(ball.mid()).limit_denominator(LONGEST_GUESS)
        if not dyadic(ball.lower()) <= guess <= dyadic(ball.upper()):
            return None
        budget = Level.of_ratio(1 + guess)
        leaked = [level.ratio for level in self.leakage(lambda _weight: budget, self.times)]
        known = [ratio for ratio in leaked if isinstance(ratio, Fraction)]
        return guess if len(known) == len(leaked) and max(known) == 1 + alpha else None

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return a ball that contains the result, between a budget that keeps the level and one that does not."""
        alpha = parts[0].log1p()
        digits = int(ctx.prec * log10(2) * SOUGHT)
        lower, upper = _Search(self, (dyadic(alpha.lower()), dyadic(alpha.upper())), digits).bracket()
        return ball_of(lower).expm1().union(ball_of(upper).expm1())

    def leakage(
        self, budget: Callable[[Fraction], Level], times: Sequence[int], *, whole: bool = True
    ) -> Sequence[Level]:
        """Return TPL at some times, which count from 0; for ever its supremum.

        Args: budget, of a weight; whole, whether of all pairs of values: else a *lower* bound, of those that ruled.
        """
        if self.shape is None:
            own = budget(Fraction(1))
            at = own.rational or Fraction(own.double_above())
            ratios = self.found[at] = self.found.get(at) or self._expected(at)
            among = () if whole else self.ruling(at)
            return (fast_worst_case_supremum(own, self.backward, self.forward, ratios, among),)
        budgets = {weight: budget(weight) for weight in self.shape}
        return fast_worst_case_tpl([budgets[weight] for weight in self.shape], self.backward, self.forward, times)

    def ruling(self, budget: Fraction) -> set[ValuePair]:
        """Return the pairs that had the greatest leakage for ever in trials near a budget, or in the nearest one."""
        tried = self._tried(budget)
        near = [at for at in tried if budget < ANOTHER_RULES * at < ANOTHER_RULES**2 * budget] or tried[:1]
        return {max(self.found[at], key=lambda pair: prod(self.found[at][pair])) for at in near}

    def _tried(self, budget: Fraction) -> list[Fraction]:
        """Return the budgets of which ratios were found, those next to one first."""
        return sorted((at for at, ratios in self.found.items() if ratios), key=lambda at: abs(at - budget))

    def _expected(self, budget: Fraction) -> KnownRatios:
        """Return about what the ratios are with a budget: on the line through those of the two trials next to it."""
        near = self._tried(budget)[:2]
        if len(near) < 2:
            return dict(self.found[near[0]]) if near else {}
        (at, one), (beside, other) = ((own, self.found[own]) for own in near)
        part = (budget - at) / (at - beside)
        found: KnownRatios = {}
        for pair in one.keys() & other.keys():
            line = [x + (x - y) * part for x, y in zip(one[pair], other[pair], strict=True)]
            found[pair] = [on_line if on_line > 1 else x for on_line, x in zip(line, one[pair], strict=True)]
        return found


class _Search:
    """The search for two budgets near each other, of which one keeps a level and the other does not."""

    def __init__(self, sought: GreatestBudget, alpha: tuple[Fraction, Fraction], digits: int) -> None:
        """Take what is sought, bounds of the level, and in how many digits the two budgets are to agree."""
        self._sought, self._alpha, self._digits = sought, alpha, digits + SPARE_DIGITS
        self._close, self._kept = Fraction(1, 10**digits), Fraction(0)
        self._is_whole, self._is_far = sought.shape is not None, True

    def bracket(self) -> tuple[Fraction, Fraction]:
        """Return a multiple that keeps the level at all times, and one that does not."""
        alpha, shape = self._alpha, self._sought.shape
        if shape is None:
            return self._for_ever()
        horizon, least = len(shape), alpha[0] / sum(shape)
        time, ruled = horizon // 2, set[int]()
        high = alpha[1] / shape[time]
        while time not in ruled:
            ruled.add(time)
            low, high = self._narrowed(least, high, time)
            bounds = [self._bounds(level, self._digits) for level in self._leakage(low, range(horizon))]
            if all(most <= alpha[0] for _, most in bounds):
                return low, high
            time = max(range(horizon), key=lambda t: bounds[t])
            high = low if bounds[time][0] >= alpha[1] else high
        return least, high

    def _for_ever(self) -> tuple[Fraction, Fraction]:
        """Return them for ever.

        Trials of budgets near each other ask for the pairs that ruled; what is kept is seen to be so for all pairs.
        """
        high = self._alpha[1]
        while True:
            low, high = self._narrowed(self._kept, high, 0)
            if self._is_whole:
                return low, high
            ruled = self._sought.ruling(low)
            self._is_far = True
            order, _ = self._over(low, 0)
            if order < 0:
                return low, high
            high = low if order > 0 else high
            self._is_whole = self._sought.ruling(low) == ruled

    def _narrowed(self, low: Fraction, high: Fraction, time: int) -> tuple[Fraction, Fraction]:
        """Return two budgets as near as asked for, as if one time ruled, by false position.

        Args: low, kept at all times; high, not kept.
        """
        at_low = self._over(low, time)[1] if low else -self._alpha[1]
        assert at_low is not None, "what is kept leaks no infinite level"
        ends, tried = Between(low, high, at_low, self._over(high, time)[1]), high
        while True:
            wanted = ends.line()
            if wanted is None:
                wanted = (ends.low + ends.high) / 2 if ends.low else ends.high / FIRST_TRIAL
            is_met = abs(wanted - tried) <= wanted * self._close
            tried = _rounded(wanted, self._digits)
            if is_met or not ends.low < tried < ends.high:
                break
            self._is_far = ends.high > ANOTHER_RULES * ends.low
            order, over = self._over(tried, time, 0 if ends.high - ends.low < ends.low * COARSE else COARSE_DIGITS)
            if order == 0:
                break
            ends.take(tried, over, order > 0)
        low, high = ends.low, ends.high
        for end in (tried * (1 - self._close / 2), tried * (1 + self._close / 2)):
            order = self._over(end, time)[0] if low < end < high else 0
            low, high = (end if order < 0 else low), (end if order > 0 else high)
        return low, high

    def _over(self, budget: Fraction, time: int, digits: int = 0) -> tuple[int, Fraction | None]:
        """Return whether TPL is above the level, −1, 0 where that is not known, or 1; and about by how much, None by ∞.

        Args: digits, of TPL, at first.
        """
        order, over, whole = 0, None, True
        for whole in [False] * (not self._is_whole) + [True] * (self._is_whole or self._is_far):
            (level,) = self._leakage(budget, [time], whole=whole)
            order, over = self._order(level, digits)
            if order > 0:
                break
        self._kept = max(self._kept, budget) if order < 0 and whole else self._kept
        return order, over

    def _order(self, level: Level, digits: int) -> tuple[int, Fraction | None]:
        if level.is_infinite:
            return 1, None
        for precise in (digits, self._digits):
            if not precise:
                continue
            least, most = self._bounds(level, precise)
            order = int(least >= self._alpha[1]) - int(most <= self._alpha[0])
            if order:
                break
        return order, least - self._alpha[0]

    def _leakage(self, multiple: Fraction, times: Sequence[int], *, whole: bool = True) -> Sequence[Level]:
        return self._sought.leakage(lambda weight: Level.of(multiple * weight), times, whole=whole)

    def _bounds(self, level: Level, digits: int) -> tuple[Fraction, Fraction]:
        ends = level.bounds_at(max(FEWEST_BITS, int((digits + SPARE_DIGITS) * log2(10) / ENCLOSED)))
        if ends is not None and (ends[1] - ends[0]) * 10**digits <= ends[0]:
            return ends
        enclosure = level.enclosure(digits)
        return Fraction(enclosure.lower), Fraction(enclosure.upper)


def _rounded(value: Fraction, digits: int) -> Fraction:
    return round(value, digits - 1 - decimal_exponent(value))
