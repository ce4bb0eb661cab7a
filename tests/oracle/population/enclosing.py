"""What answers for a population, as an implementation on the wire: one user at a time.

    tploracle conform --lenient --python tests/oracle/population/enclosing.py:Enclosing

Answers are the ends of the enclosures that are on the safe side; what doubles leave in doubt is worked out exactly, as
there. Input that is none never comes to this arithmetic, so it is for lenient runs.
"""

from collections import Counter
from fractions import Fraction
from math import inf, isnan

import numpy as np

from tploracle.contract.losses import loss_function_of
from tploracle.reference import Adversary, InfeasibleBudget, Level, budgets, divided_by_row_sums, leakage, supremum
from tploracle.solvers.batch.double_doubles import MOST_LEVEL, level_bounds
from tploracle.solvers.batch.leakages import (
    VALUE_ERROR,
    KnownLevel,
    ManyReleases,
    Users,
    courses,
    many_budgets,
    many_suprema,
)
from tploracle.solvers.batch.losses import many_losses

LEAST_LEVEL = 1e-250
"""Below it products of excesses and probabilities may underflow."""


class Enclosing:
    """Operations by double-double arithmetic; `by` counts how often that decided, and how often exact methods did."""

    name = "population"
    version = "1"
    numbers = ("float64",)
    domain = {"states": 128, "releases": 1000}  # noqa: RUF012 - beyond it the exact methods answer, in their time

    def __init__(self):
        self.by = Counter()

    def _or_exact(self, found, exactly):
        values = found if isinstance(found, list) else [found]
        decided = not any(map(isnan, values))
        self.by["doubles" if decided else "exact"] += 1
        return found if decided else exactly()

    def loss(self, matrix, alpha):
        losses = many_losses(np.array([matrix]))
        found = np.nan
        if LEAST_LEVEL < alpha <= MOST_LEVEL and losses.sure[0]:
            value, decided = losses.value(KnownLevel.of(_level(alpha)).of_all(1))
            found = float(level_bounds(value, VALUE_ERROR)[1][0]) if decided[0] else np.nan
        return self._or_exact(found, lambda: _loss(matrix)(_level(alpha)).double_above())

    def leakage(self, epsilons, backward=None, forward=None):
        levels = [_level(epsilon) for epsilon in epsilons]
        found = [np.nan]
        if min(epsilons) > LEAST_LEVEL and max(epsilons) <= MOST_LEVEL:
            known = courses(ManyReleases.of(levels), _users(backward, forward))
            found = [
                (float(level_bounds(excess, error)[1][0]) if np.isnan(own[1, 0]) else float(own[1, 0]))
                if sure[0]
                else np.nan
                for excesses, exact, sure, error in known
                for excess, own in zip(excesses, exact, strict=True)
            ]

        def exactly():
            own = leakage(levels, Adversary(*map(_loss, (backward, forward))))
            return [level.double_above() for course in (own.bpl, own.fpl, own.tpl) for level in course]

        values = self._or_exact(found, exactly)
        count = len(levels)
        return {"bpl": values[:count], "fpl": values[count : 2 * count], "tpl": values[2 * count :]}

    def supremum(self, matrix, epsilon):
        found = np.nan
        if LEAST_LEVEL < epsilon <= MOST_LEVEL:
            found = float(many_suprema(KnownLevel.of(_level(epsilon)), _users(matrix, None))[0].upper[0])

        def exactly():
            return supremum(_loss(matrix), _level(epsilon)).level.double_above()

        return self._or_exact(found, exactly)

    def allocate(self, alpha, method, horizon=None, backward=None, forward=None):
        if method == "quantified" and horizon == 1 and alpha:
            return {"epsilons": [alpha]}
        found = [np.nan]
        if LEAST_LEVEL < alpha <= MOST_LEVEL:
            own = many_budgets(KnownLevel.of(_level(alpha)), _users(backward, forward))
            found = [float(part.lower[0]) for part in (own.first, own.middle, own.last)]
            if found[1] == 0:
                raise InfeasibleBudget("no budget can be kept over an infinite horizon")

        def exactly():
            own = budgets(_level(alpha), Adversary(*map(_loss, (backward, forward))))
            return [part.double_below() for part in (own.first, own.middle, own.last)]

        first, middle, last = self._or_exact(found, exactly)
        if method == "quantified":
            return {"epsilons": [first, *[middle] * (horizon - 2), last]}
        return {"epsilons": [middle] * (horizon or 1)}


def _level(alpha):
    return Level.of_ratio(1) if alpha == 0 else Level(None) if alpha == inf else Level.of(Fraction(alpha))


def _loss(matrix):
    if matrix is None:
        return None
    return loss_function_of(divided_by_row_sums([tuple(map(Fraction, row)) for row in matrix])[0])


def _users(backward, forward):
    sides = [None if matrix is None else many_losses(np.array([matrix])) for matrix in (backward, forward)]
    return Users(*sides, 1)
