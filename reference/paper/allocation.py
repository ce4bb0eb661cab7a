"""Budgets that keep temporal leakage at a level, Section 5 and Algorithms 7, 8 [algo:release1, algo:release2].

Both algorithms solve α_B − L^B(α_B) = ε, α_F − L^F(α_F) = ε, α_B + α_F − ε = α. With x = e^{α_B}, y = e^{α_F} and
a = e^α these are y = a/e^{L^B}(x) and x·e^{L^F}(y) = a. On one piece of L^B and one of L^F each side is a
linear-fractional map, so x is the positive root of one quadratic. The pieces are found by exact comparisons:
x + L^F(α − L^B(x)) rises with x, because L rises by less than its argument wherever it is not the identity.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import TypeVar

from ..errors import InfeasibleBudget, InvalidRequest
from ..formulas import Polynomial, plus, times
from ..levels import INFINITE, Budget, Level
from ..numbers import whole
from .leakage import Adversary, apply, leakage
from .loss import LossFunction, Piece

Key = TypeVar("Key", bound=Hashable)

AGREEING_DIGITS = 40
"""Digits to which a schedule of transcendental numbers is compared with its level."""

MOST_LISTED = 10_000_000
"""The most budgets that a schedule lists."""

_NO_LOSS = Piece(Fraction(0), Fraction(0), Fraction(0), None, None)


@dataclass(frozen=True, slots=True)
class Budgets:
    """The solution of the three equations for one adversary and one level α.

    first: ε_1 = α_B; middle: ε_m, the budget at all times but the ends, and the constant budget of Algorithm 7;
    last: ε_T = α_F. alpha: the level that they attain. All exact; `float` rounds the three down.

    >>> from tploracle import adversary, budgets
    >>> found = budgets(1, adversary(forward=[["1/2", "1/2"], ["1", "0"]]))
    >>> found.quantified(3)[1] == found.middle
    True
    """

    alpha: Level
    first: Budget
    middle: Budget
    last: Budget

    def upper_bound(self, horizon: int) -> tuple[Budget, ...]:
        """Return the constant schedule of Algorithm 7 [algo:release1]: TPL stays below α however long it goes on.

        Args:
            horizon: the number of releases, T ≥ 1.

        Returns: T equal budgets, exact. Raises: InvalidRequest for a horizon below 1.
        """
        return (self.middle,) * whole(horizon, "horizon", most=MOST_LISTED)

    def quantified(self, horizon: int) -> tuple[Budget, ...]:
        """Return the schedule of Algorithm 8 [algo:release2] for T = horizon: TPL is α at every time.

        Corrected: T = 1 gives α to the one release (as printed it is assigned twice); T = 2 has no middle.

        Args:
            horizon: the number of releases, T ≥ 1.

        Returns: T budgets, exact. Raises: InvalidRequest for a horizon below 1.
        """
        if whole(horizon, "horizon", most=MOST_LISTED) == 1:
            return (self.alpha.to_spend(),)
        return (self.first, *(self.middle,) * (horizon - 2), self.last)


def budgets(alpha: Level, adversary: Adversary) -> Budgets:
    """Solve for the budgets that bound TPL by alpha, Eq. [eq:release2_a, eq:release2_b].

    Args:
        alpha: the level asked for, positive, in nats.
        adversary: with L^B and L^F, None for one that is not known.

    Returns: the budgets, exact: surds over the field of e^α. L^B = L^F = 0 gives α throughout.
    Raises: InfeasibleBudget where α is 0, or L^B or L^F is the identity: then by the recursions no positive budget can
    last over an infinite horizon (by the exact worst case one often does, `greatest_worst_case_budget`); Undecided.

    Corrected: solved in closed form; the algorithms' bisections end only where the solution is dyadic, and never under
    the strongest correlation. Algorithm 8's middle budget is given to [2, T − 1].
    """
    if alpha.is_zero:
        raise InfeasibleBudget("a level of 0 leaves no budget at all")
    for name, loss in (("backward", adversary.backward), ("forward", adversary.forward)):
        if loss is not None and loss.is_identity:
            raise InfeasibleBudget(
                f"the {name} correlation has two rows with disjoint supports, so that by the paper's bound every "
                "release adds its whole budget: only budgets that shrink to 0 last over an infinite horizon"
            )
    if alpha.is_infinite:
        return Budgets(alpha, *[INFINITE.to_spend()] * 3)
    backward = _ruling_piece(alpha, adversary.backward, adversary.forward)
    forward = _ruling_piece(alpha, adversary.forward, adversary.backward)
    first, last = _solution(alpha, backward, forward), _solution(alpha, forward, backward)
    middle = first - first.linear_fractional(backward.q, backward.d)
    return Budgets(alpha, first.to_spend(), middle.to_spend(), last.to_spend())


def _solution(alpha: Level, own: Piece, other: Piece) -> Level:
    """Return the solution x of x + L'(α − L(x)) = α on a piece of L (own) and of L' (other). Exact."""
    if other.q == other.d:
        return alpha
    if own.q == own.d:
        return alpha - alpha.linear_fractional(other.q, other.d)
    return alpha.positive_root(*_fixed_point(own, other))


def _ruling_piece(alpha: Level, own: LossFunction | None, other: LossFunction | None) -> Piece:
    """Return the piece of L that holds the solution of x + L'(α − L(x)) = α. Exact. Raises: Undecided."""
    if own is None:
        return _NO_LOSS

    def reached(piece: Piece) -> bool:
        end = piece.domain[1]
        return end >= alpha or end + apply(other, alpha - own(end)) >= alpha

    return own.pieces[bisect_left(own.pieces[:-1], True, key=reached)]


def _fixed_point(own: Piece, other: Piece) -> tuple[Polynomial, Polynomial, Polynomial]:
    """Return the quadratic for the excess X = e^x − 1 of x, as polynomials in e = e^α − 1, that of α.

    X ↦ Y is the matrix ((a·d − q, e), (q, 1)) of the own piece, Y ↦ X that of the other one, a = 1 + e; X is the fixed
    point of their product ((k, r), (s, t)): s·X² + (t − k)·X − r = 0.
    """
    q, d, q_other, d_other = own.q, own.d, other.q, other.d
    one, e = (Fraction(1),), (Fraction(0), Fraction(1))
    top, top_other = (d - q, d), (d_other - q_other, d_other)
    k = plus(times(top_other, top), times((q,), e))
    r = plus(times(top_other, e), e)
    s = plus(times((q_other,), top), (q,))
    t = plus(times((q_other,), e), one)
    return s, plus(t, times((Fraction(-1),), k)), r


def algorithm_7(alpha: Level, adversary: Adversary) -> Budget:
    """Return the constant budget that keeps the recursions' TPL within alpha at all times, Algorithm 7 [algo:release1].

    Args:
        alpha: the level asked for, positive, in nats.
        adversary: with L^B and L^F, None for one that is not known.

    Returns: the budget, exact. Raises: as `budgets`.
    """
    return budgets(alpha, adversary).middle


def algorithm_8(alpha: Level, adversary: Adversary, horizon: int) -> tuple[Budget, ...]:
    """Return the schedule that makes TPL equal to alpha at each of T times, Algorithm 8 [algo:release2].

    Args:
        alpha: the level asked for, positive, in nats.
        adversary: with L^B and L^F, None for one that is not known.
        horizon: the number of releases, T ≥ 1.

    Returns: T budgets, exact, verified by `verify_attained` before they are returned.
    Raises: InvalidRequest for a horizon below 1; InfeasibleBudget and Undecided as `budgets` for T ≥ 2.
    """
    if whole(horizon, "horizon") == 1:
        return (_positive(alpha),)
    schedule = budgets(alpha, adversary).quantified(horizon)
    verify_attained(schedule, alpha, adversary)
    return schedule


def _positive(alpha: Level) -> Budget:
    if alpha.is_zero:
        raise InfeasibleBudget("a level of 0 leaves no budget at all")
    return alpha.to_spend()


def verify_attained(schedule: Sequence[Level], alpha: Level, adversary: Adversary) -> None:
    """Check forward, with the loss functions, that TPL is alpha at every time of a schedule.

    Exactly where the levels have a short exact form; elsewhere to `AGREEING_DIGITS` digits, the equality itself being
    the equation that the budgets solve.

    Args:
        schedule: the T budgets, levels in nats.
        alpha: the level that TPL is to have, in nats.
        adversary: with the loss functions.

    Raises: ArithmeticError where it is not so; Undecided.
    """
    for time, level in enumerate(leakage(schedule, adversary).tpl, 1):
        if alpha.exact_text is not None and level.exact_text is not None:
            attained = level == alpha
        else:
            found, asked = level.enclosure(AGREEING_DIGITS), alpha.enclosure(AGREEING_DIGITS)
            attained = found.lower <= asked.upper and asked.lower <= found.upper
        if not attained:
            raise ArithmeticError(f"the schedule does not attain its level at time {time}: {level!r}, not {alpha!r}")


def common_budgets(alpha: Level, adversaries: Mapping[Key, Adversary]) -> tuple[Budgets, dict[Key, Budgets]]:
    """Return the budgets that keep TPL within alpha for every one of several adversaries, and each one's own.

    Leakage rises with every budget, so the least first, middle and last budgets are safe for all, Section 3.5
    [subsec:discussion].

    Args:
        alpha: the level asked for, positive, in nats.
        adversaries: by name, at least one.

    Returns: budgets of a schedule whose TPL is at most alpha for everyone, and the personalised budgets by name; exact.
    Raises: InvalidRequest without an adversary; as `budgets`, naming the adversary.
    """
    if not adversaries:
        raise InvalidRequest("there is no user")
    each: dict[Key, Budgets] = {}
    solved: dict[object, Budgets] = {}
    for key, adversary in adversaries.items():
        sides = adversary.coefficients
        try:
            if (turned := solved.get(sides[::-1])) is not None:  # by other formulas the same budgets, from the end
                each[key] = Budgets(alpha, turned.last, turned.middle, turned.first)
            else:
                each[key] = solved[sides] = budgets(alpha, adversary)
        except InfeasibleBudget as error:
            raise InfeasibleBudget(f"{key}: {error}") from None
    own = list(each.values())
    return Budgets(
        alpha, _least(b.first for b in own), _least(b.middle for b in own), _least(b.last for b in own)
    ), each


def _least(levels: Iterable[Budget]) -> Budget:
    return reduce(min, levels)
