"""Algorithms 7 and 8 [algo:release1, algo:release2] by their bisections: a check of `reference.paper.allocation`.

The printed loops end where two real numbers are equal, which a bisection meets only if the solution is a dyadic part
of α; elsewhere they run for ever. Here they also end once the solution is known to a stated width, and what is returned
is not the last trial value but the two between which the solution lies. Every trial value is an exact level and every
comparison is exact, so that the bracket is proved, not approximated.

A trial value is a dyadic part of α, counted in nats where α is a rational level (as printed), and in the excess e^α − 1
where α is the logarithm of an exact ratio: the dyadic parts of such an α itself have no exact form. What the two loops
compare rises with the trial value in either measure, which is all that a bisection asks for.

As printed, the first step has the length of the first trial value, so that the second trial is 0 or α and tells
nothing; from the third on it is the usual bisection.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ...reference.correlations import TransitionMatrix
from ...reference.errors import InvalidRequest
from ...reference.levels import ZERO, Level
from ...reference.paper.algorithms_2_3 import PairFunction, algorithm_2, algorithm_3
from ...reference.paper.supremum import algorithm_6


@dataclass(frozen=True, slots=True)
class Bracket:
    """Two levels between which a solution lies, both included; they are equal where a trial value met it.

    trials: how many values were tried.
    """

    lower: Level
    upper: Level
    trials: int

    def __contains__(self, level: Level) -> bool:
        return self.lower <= level <= self.upper


@dataclass(frozen=True, slots=True)
class BudgetBrackets:
    """Brackets of the budgets of Algorithm 8: at time 1, at the times between, and at time T."""

    first: Bracket
    middle: Bracket
    last: Bracket


def bisected_algorithm_7(
    alpha: Level, backward: TransitionMatrix | None, forward: TransitionMatrix | None, width: Fraction
) -> Bracket:
    """Bracket the constant budget ε with sup_B + sup_F − ε = α, Algorithm 7 [algo:release1].

    Args: alpha, finite; backward, forward: P^B, P^F, None where not known; width, the part of α (of e^α − 1 where α is
    the logarithm of an exact ratio) that the bracket may have. Returns: a bracket that contains the budget; exact.
    Raises: InvalidRequest for a width that is not positive, an infinite α, or one known by a formula only; Undecided.

    Under the strongest correlation no positive budget solves the equation: the lower end stays 0.
    """
    functions_b, functions_f = _functions(backward), _functions(forward)

    def order(e: Level) -> int:
        sup_b, sup_f = _supremum(functions_b, e), _supremum(functions_f, e)
        return (sup_b + sup_f).compare(alpha + e)

    return _bisection(alpha, width, order)


def bisected_algorithm_8(
    alpha: Level, backward: TransitionMatrix | None, forward: TransitionMatrix | None, width: Fraction
) -> BudgetBrackets:
    """Bracket the budgets with L^F(α − L^B(a^B)) + a^B = α, Algorithm 8 [algo:release2].

    Args and errors: as `bisected_algorithm_7`; the width is that of the first budget's bracket.
    Returns: brackets that contain the budgets; exact. a^F = α − L^B(a^B) falls and ε_m = a^B − L^B(a^B) rises with a^B.

    Under the strongest correlation this loop does end as printed, at its second trial: with a budget of 0 between.
    """
    functions_b, functions_f = _functions(backward), _functions(forward)

    def order(a_b: Level) -> int:
        a_f = alpha - _loss(functions_b, a_b)
        return (_loss(functions_f, a_f) + a_b).compare(alpha)

    first = _bisection(alpha, width, order)
    ends = (first.lower, first.upper)
    lost = [_loss(functions_b, a_b) for a_b in ends]
    middle = Bracket(ends[0] - lost[0], ends[1] - lost[1], first.trials)
    return BudgetBrackets(first, middle, Bracket(alpha - lost[1], alpha - lost[0], first.trials))


def _bisection(alpha: Level, width: Fraction, order: Callable[[Level], int]) -> Bracket:
    """Run the loop that both algorithms share over parts of α.

    Args: order, the sign of what is compared at a trial value: rising from 0 or below at 0 to 0 or above at α.
    """
    if width <= 0:
        raise InvalidRequest("the width is above 0: the printed loop need not end")
    trials = 0
    lower, upper = Fraction(0), Fraction(1)
    part, step = Fraction(1, 2), Fraction(1)
    while upper - lower > width:
        step /= 2
        trials += 1
        sign = order(_part_of(alpha, part))
        if sign == 0:
            lower = upper = part
        elif sign > 0:
            upper = part
            part -= step
        else:
            lower = part
            part += step
    return Bracket(_part_of(alpha, lower), _part_of(alpha, upper), trials)


def _part_of(alpha: Level, part: Fraction) -> Level:
    """Return a part of α: in nats where α is rational, else in the excess e^α − 1. Exact."""
    if alpha.rational is not None:
        return Level.of(part * alpha.rational)
    ratio = alpha.ratio
    if ratio is None:
        raise InvalidRequest("bisection needs a finite level that is rational or the logarithm of an exact ratio")
    return Level.of_ratio(1 + (ratio - 1) * part)


def _functions(matrix: TransitionMatrix | None) -> tuple[PairFunction, ...]:
    return () if matrix is None else algorithm_2(matrix)


def _supremum(functions: tuple[PairFunction, ...], e: Level) -> Level:
    return algorithm_6(functions, e).level


def _loss(functions: tuple[PairFunction, ...], alpha: Level) -> Level:
    return algorithm_3(functions, alpha, ZERO)
