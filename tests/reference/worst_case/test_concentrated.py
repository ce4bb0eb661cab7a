"""φ of ρ-zCDP against its definition in doubles, many orders on a grid, and against what others get from one order."""

from fractions import Fraction
from itertools import pairwise, permutations
from math import exp
from random import Random

import numpy as np
import pytest
from dp_accounting.rdp.rdp_privacy_accountant import compute_delta

from tploracle.reference import InvalidRequest, parse_level
from tploracle.reference.worst_case.concentrated import (
    GREATEST_RHO,
    _is_private,
    concentrated,
)
from tploracle.reference.worst_case.profile_budgets import (
    ConcentratedBudget,
    GaussianBudget,
    enclosed,
)
from tploracle.reference.worst_case.trade_off import IGNORED
from tploracle.reference.worst_case.worst_profile import WorstProfile

from ...matrices import SKEWED

F = Fraction
ORDERS = 1 + np.logspace(-4, 4, 3000)


def part(p, q, rho):
    """Return the greatest D_a/(ρa) of two coins in doubles, as it is defined, both ways."""
    found = 0.0
    for one, other in ((float(p), float(q)), (float(q), float(p))):
        heads, tails = (ORDERS * of(one) + (1 - ORDERS) * of(other) for of in (np.log, lambda p: np.log1p(-p)))
        found = max(found, (np.logaddexp(heads, tails) / (ORDERS - 1) / ORDERS).max())
    return found / float(rho)


@pytest.mark.parametrize("rho", [F(1, 8), *(pytest.param(rho, marks=pytest.mark.slow) for rho in (F(1, 500), F(3)))])
def test_by_definition(rho):
    """Coins on the lower function keep all orders, both ways; a little above the upper one some order is exceeded."""
    lower, upper = concentrated(rho)
    assert lower.at_most(upper)
    for phi in (lower, upper):
        assert phi == phi.symmetric()
    for u in (F(1, 10**6), F(1, 50), F(1, 5), F(4, 9), lower.points[len(lower.points) // 2][0], F(3, 4)):
        assert 0.998 < part(u, lower(u), rho) <= 1 + 1e-9
        assert 1 - 1e-5 < part(u, upper(u), rho) < 1.002


@pytest.mark.parametrize("rho", [F(1, 8), F(8)])
def test_points_above_it_are_never_taken_for_private(rho):
    """The check in balls says no a little above φ, whatever the order it is told; and yes where all orders are kept."""
    lower, upper = concentrated(rho)
    for u, _ in lower.points[1:-1:9]:
        above = upper(u) + (1 - upper(u)) / 1000
        assert not any(_is_private((u, above), b, rho) for b in (0.0, 0.1, 0.3, 2.0, 9.0))
    for u in (F(1, 50), F(1, 5), F(4, 9), F(3, 4)):
        assert _is_private((u, (u + 3 * lower(u)) / 4), 0.0, rho)


@pytest.mark.parametrize("seed", range(2))
def test_phi_is_concave_by_its_definition(seed):
    """Between two pairs of private coins, nearly on φ of a random ρ, are private coins: in doubles, all orders."""
    random = Random(seed)
    rho = F(random.randrange(1, 400), 200)

    def highest(u):
        low, high = u, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if part(u, middle, rho) <= 1 else (low, middle)
        return low

    for _ in range(4):
        ends = sorted(random.random() ** random.choice((1, 3)) for _ in range(2))
        share = random.random()
        u, y = (share * one + (1 - share) * other for one, other in ((ends), (map(highest, ends))))
        assert part(u, y, rho) <= 1 + 1e-9


@pytest.mark.parametrize("seed", range(2))
def test_the_nearest_places_attain_the_maximum(seed):
    """Of two releases with a random ρ: on any [u, φ(u)] each g_a is greatest at the point nearest to x_a. Exact."""
    random = Random(seed)
    phi = concentrated(F(random.randrange(1, 400), 200))[seed]
    odds = F(random.randrange(10, 40), 10)
    first, second = ([F(random.randrange(1, 50), 50) for _ in range(2)] for _ in range(2))

    def inside(u, kinks):
        return [u, *(v for v in kinks if u < v < phi(u)), phi(u)]

    def check(g, kinks):
        best = max(kinks, key=g)
        for u in (F(random.randrange(1, 10**6), 10**6) ** random.choice((1, 4)) for _ in range(5)):
            assert max(map(g, inside(u, kinks))) == g(min(max(best, u), phi(u)))

    for p, q in zip(first, second, strict=True):
        check(lambda u, p=p, q=q: p * phi(u) - odds * q * u, phi.kinks)
    few = phi.kinks[:: len(phi.kinks) // 12]  # of the second release the functions at some points: concave too

    def told(u):
        return sum(
            own * max(p * phi(v) - odds * q * v for v in inside(u, phi.kinks))
            for own, p, q in zip((F(1, 3), F(2, 3)), first, second, strict=True)
        )

    values = [told(u) for u in few]
    slopes = [(z - y) / (v - u) for (u, y), (v, z) in pairwise(zip(few, values, strict=True))]
    assert slopes == sorted(slopes, reverse=True)


def test_one_release_between_pairs_of_coins_and_the_best_order():
    """δ of one release is at least what any private coins tell, and at most what the best single order implies."""
    rho, alpha = F(1, 8), parse_level("3/4")
    found = WorstProfile([ConcentratedBudget(rho)], [], [(0, 1)]).delta(alpha)
    assert found.upper - found.lower < F(1, 10**4)
    orders = [1 + k / 16 for k in range(1, 400)]
    known = compute_delta(orders, [float(rho) * order for order in orders], 0.75)[0]
    assert found.upper < known < 2 * found.lower
    best = 0.0
    for u in (k / 300 for k in range(1, 60)):
        low, high = u, 1.0
        for _ in range(20):
            middle = (low + high) / 2
            low, high = (middle, high) if part(u, middle, rho) <= 1 else (low, middle)
        best = max(best, low - exp(0.75) * u)
    assert found.lower - F(1, 5000) < F(best) <= found.upper + F(1, 10**6)


@pytest.mark.slow
def test_one_release_with_a_small_delta_is_what_the_best_order_implies():
    """At α = 0.43 of ρ = 1/200 the bound by single orders exceeds the worst case by less than the width."""
    rho = F(1, 200)
    found = WorstProfile([ConcentratedBudget(rho)], [], [(0, 1)]).delta(parse_level("43/100"))
    orders = list(1 + np.logspace(-2, 3, 2000))
    known = compute_delta(orders, [float(rho) * order for order in orders], 0.43)[0]
    assert found.lower <= F(known) < found.upper < found.lower * F(1003, 1000)


@pytest.mark.slow
def test_several_releases():
    """It is more than Gaussian noise of μ = √(2ρ) tells, which is ρ-zCDP, and bounds meet what a test attains."""
    pairs, alpha = list(permutations(range(SKEWED.n), 2)), parse_level("1/2")
    zcdp, noise = (
        WorstProfile([own] * 3, [SKEWED.rows] * 2, pairs).delta(alpha)
        for own in (ConcentratedBudget(F(1, 8)), GaussianBudget(F(2)))
    )
    assert noise.upper < zcdp.lower <= zcdp.upper < zcdp.lower + F(1, 10**3)


def test_great_and_small(monkeypatch):
    """What is beyond the points that are worked out is enclosed."""
    monkeypatch.setattr("tploracle.reference.worst_case.concentrated.LEAST_RHO", F(1, 8))
    assert concentrated(F(1, 9)) == (IGNORED, concentrated(F(1, 8))[1])
    assert concentrated(F(GREATEST_RHO + 1))[1](F(0)) == 1
    nothing = enclosed([ConcentratedBudget(F(0)), ConcentratedBudget(F(9))], 64)
    assert (nothing.lower[0], nothing.upper[0], nothing.is_exact) == (IGNORED, IGNORED, False)
    assert enclosed([ConcentratedBudget(0)], 64).is_exact
    with pytest.raises(InvalidRequest, match="at least 0"):
        ConcentratedBudget(F(-1))
