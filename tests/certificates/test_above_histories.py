"""Bounds on laws of whole histories: what multipliers prove in fractions, rounded upward, and no more."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

from tploracle.certificates.above_histories import joint_odds_above, joint_odds_attained
from tploracle.reference import Level

from ..decisions.enumerated import worst_of_all_streams


def test_multipliers_and_likelihoods_that_are_wrong_cost_and_are_not_believed():
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 9, (2, 2, 2)).astype(float)
    given = [np.where(np.indices(weights.shape)[1] == value, weights, 0) for value in range(2)]
    j, k = (own / own.sum() for own in given)
    epsilons = [Level.of(Fraction(1, 2))] * 3
    truth = np.exp(worst_of_all_streams(weights, [0.5] * 3, 1))
    for _ in range(50):
        guessed = [rng.normal(size=(2, 2, 2, 2)) for _ in range(3)]
        assert joint_odds_above(j, k, epsilons, 1.0, guessed) >= truth / 1.0001 or truth < np.exp(0.5)
        assert joint_odds_attained(j, k, epsilons, rng.exponential(size=(2, 2, 2))) <= truth * (1 + 1e-9)
    assert joint_odds_attained(j, k, epsilons, k) == 1.0
    for one in (np.nan, np.inf, -1e300):
        assert joint_odds_above(j, k, epsilons, one, [np.zeros((2, 2, 2, 2))] * 3) == np.inf
    for one in (np.nan, np.inf, 1e308):  # two of the last add up to ∞
        guessed[-1][0, 0, 0] = one
        assert joint_odds_above(j, k, epsilons, 1.0, guessed) == np.inf


@pytest.mark.parametrize("seed", range(12))
def test_a_bound_on_histories_is_what_its_multipliers_prove_rounded_upward(seed):
    """In fractions, one history after the other; the lower end is that of the likelihoods, rounded downward."""
    rng = np.random.default_rng(seed)
    n, releases = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    sequences = list(product(range(n), repeat=releases))
    j, k = (
        (each := rng.random((n,) * releases) * rng.integers(0, 3, (n,) * releases) + 0.01) / each.sum() for _ in "jk"
    )
    ratios = [Fraction(int(each), 10) for each in rng.integers(10, 25, releases)]
    epsilons = [Level.of_ratio(ratio) for ratio in ratios]
    odds, multipliers = float(rng.uniform(1, 2)), [rng.normal(scale=0.1, size=(*j.shape, n)) for _ in ratios]
    rest = {y: Fraction(j[y]) - Fraction(odds) * Fraction(k[y]) for y in sequences}
    for s, (ratio, z) in enumerate(zip(ratios, multipliers, strict=True)):
        for y, value_then in product(sequences, range(n)):
            moved = max(Fraction(z[(*y, value_then)]), Fraction(0))
            rest[y] -= moved
            rest[(*y[:s], value_then, *y[s + 1 :])] += ratio * moved
    proved = Fraction(odds) + prod(ratios) * sum(max(each, Fraction(0)) for each in rest.values())
    assert proved <= joint_odds_above(j, k, epsilons, odds, multipliers) <= proved * (1 + Fraction(1, 10**10))
    enough = float((j / k).max()) * 1.001
    nothing = [np.zeros_like(z) for z in multipliers]
    assert enough < joint_odds_above(j, k, epsilons, enough, nothing) <= enough * (1 + 1e-14)
    s = int(rng.integers(releases))
    likelihoods = 0.3 * np.where(np.indices(j.shape)[s] == 0, float(ratios[s]) * (1 - 1e-15), 1.0)
    sums = [sum(Fraction(law[y]) * Fraction(likelihoods[y]) for y in sequences) for law in (j, k)]
    attained = joint_odds_attained(*((j, k) if sums[0] > sums[1] else (k, j)), epsilons, likelihoods)
    assert max(sums) / min(sums) * (1 - Fraction(1, 10**12)) <= attained <= max(sums) / min(sums)


@pytest.mark.parametrize(("n", "releases"), [(4, 6), (4, 1), (2, 6), (5, 2)])
def test_what_roundings_hide_of_a_bound_on_histories_is_added(n, releases):
    """Great budgets let all of it count: of weights that cancel, of multipliers that do, and of sums of many."""
    rng, shape = np.random.default_rng(n * releases), (n,) * releases
    epsilons = [Level.of_ratio(Fraction(50))] * releases
    most, nothing = 50**releases, [np.zeros((*shape, n))] * releases
    k = (weights := rng.random(shape)) / weights.sum()
    units = joint_odds_above(k, k, epsilons, 1.0, nothing) - 1
    assert units >= most * 4 * (n + 4) * (releases + 1) * 2.0**-53 * 2  # Σ (k + k) = 2
    is_first = np.indices(shape)[0] == 0
    j = np.where(is_first, k, 0)
    proved = 1 + most * sum(map(Fraction, j[is_first].tolist()))
    assert proved <= joint_odds_above(j, np.where(is_first, 0, k), epsilons, 1.0, nothing)
    odds, z = 1.7, rng.integers(4000, 8000, (*shape, n)).astype(float)
    j, z = odds * k + 2e-13, z + np.swapaxes(z, 0, -1)  # as much goes from a history as comes to it where ε = 0
    gained = sum(max(Fraction(a) - Fraction(odds) * Fraction(b), 0) for a, b in zip(j.flat, k.flat, strict=True))
    proved = Fraction(odds) + most // 50 * gained
    assert proved <= joint_odds_above(j, k, [Level.of(0), *epsilons[1:]], odds, [z, *nothing[1:]])
    for likelihoods in rng.uniform(1, 49, (6, *shape)):
        sums = [
            sum(Fraction(a) * Fraction(g) for a, g in zip(law.flat, likelihoods.flat, strict=True)) for law in (j, k)
        ]
        assert joint_odds_attained(j, k, epsilons, likelihoods) <= sums[0] / sums[1]
