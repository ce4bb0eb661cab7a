"""`attack --profile`: its test is private by definition, has the chances that are said, and is drawn as it is."""

from fractions import Fraction
from itertools import pairwise, product
from math import prod

import numpy as np
import pytest

from tploracle.models.profile_attack import MOST_DRAWN_VALUES, _Runner, drawn, profile_attack
from tploracle.reference import ApproximateBudget, GaussianBudget, InvalidRequest, parse_level
from tploracle.reference.worst_case.trade_off import TradeOff

from ...matrices import CYCLE, SKEWED

F = Fraction
ALPHA = parse_level("log(3/2)")
BUDGET = ApproximateBudget(parse_level("log(2)"), F(1, 50))
PHI = TradeOff.approximate(F(2), F(1, 50))
CASES = [
    (SKEWED, 3, (SKEWED, None)),
    (SKEWED, 1, (None, SKEWED)),
    (SKEWED, 2, (SKEWED, SKEWED)),
    (CYCLE, 3, (CYCLE, None)),
    (CYCLE, 2, (CYCLE, CYCLE)),
    (SKEWED, 2, (None, SKEWED)),
]


def sequences(matrix, attack):
    """Yield the values of the test's releases, by side the nearest first, and how likely they are from each value."""
    past, future = (len(side) for side in attack.test.sides.steps)
    for values in product(range(matrix.n), repeat=past + future):
        sides = values[:past], values[past:]
        ways = []
        for value in range(matrix.n):
            steps = (step for side in sides for step in zip((value, *side), side, strict=False))
            ways.append(prod((matrix.rows[a][b] for a, b in steps), start=F(1)))
        yield sides, ways


@pytest.mark.parametrize(("matrix", "time", "known"), CASES)
def test_it_is_private_and_has_these_chances(matrix, time, known):
    attack = profile_attack([BUDGET] * 3, ALPHA, time, known)
    j, k = attack.test.pair
    inner = {sides: attack.test.value(*sides) for sides, _ in sequences(matrix, attack)}
    for (past, future), own in inner.items():
        for place in range(len(past) + len(future)):
            for other in range(matrix.n):
                values = [*past, *future]
                values[place] = other
                moved = inner[tuple(values[: len(past)]), tuple(values[len(past) :])]
                for one, changed in ((own, moved), (PHI(own), PHI(moved))):
                    assert changed <= PHI(one)
                    assert 1 - changed <= PHI(1 - one)
    p = sum(PHI(inner[sides]) * ways[j] for sides, ways in sequences(matrix, attack))
    q = sum(inner[sides] * ways[k] for sides, ways in sequences(matrix, attack))
    assert (p, q) == attack.chances
    assert p - F(3, 2) * q == attack.delta.lower > 0
    expected = {at for at in (1, 2, 3) if (at < time and known[0]) or (at > time and known[1])}
    assert sorted(attack.times()) == sorted(expected)
    assert all(abs(near - time) <= abs(far - time) for near, far in pairwise(attack.times()) if None in known)


@pytest.mark.parametrize(("matrix", "time", "known"), [pytest.param(*CASES[1], marks=pytest.mark.slow), CASES[2]])
def test_what_is_drawn(matrix, time, known):
    """Many streams at once are answered as one is, drawn by the chain, and their counts agree with what is exact."""
    attack = profile_attack([BUDGET] * 3, ALPHA, time, known)
    runner = _Runner.of(attack.test)
    found = list(sequences(matrix, attack))
    past, future = (
        [np.array([sides[side][place] for sides, _ in found]) for place in range(len(found[0][0][side]))]
        for side in (0, 1)
    )
    for value in attack.test.pair:
        phi = PHI if value == attack.test.pair[0] else F
        exactly = [float(phi(attack.test.value(*sides))) for sides, _ in found]
        assert np.allclose(runner.chances(value, (past, future)), exactly, rtol=0, atol=1e-14)
        own = runner.sequences(value, 20_000, np.random.default_rng(5))
        seen = list(zip(*[list(map(int, line)) for side in own for line in side], strict=True))
        for sides, ways in found:
            expected = float(ways[value])
            assert abs(seen.count((*sides[0], *sides[1])) / 20_000 - expected) <= 4 * (expected / 20_000) ** 0.5
    draws = drawn(attack, ALPHA, 100_000, 3)
    for (low, high), yes, chance in zip(draws.chances, draws.yes, attack.chances, strict=True):
        assert low <= chance <= high
        assert low <= F(yes, 100_000) <= high < low + F(1, 50)
    assert draws.delta[0] <= attack.delta.lower <= draws.delta[1]
    (least, most), (low, high) = draws.chances
    assert draws.delta == (least - F(3, 2) * high, most - F(3, 2) * low)


def test_gaussian_noise_and_refusals():
    attack = profile_attack([GaussianBudget(F(2))] * 2, ALPHA, 2, (SKEWED, None))
    p, q = attack.chances
    assert abs(p - F(3, 2) * q - attack.delta.lower) < F(1, 10**20)
    with pytest.raises(InvalidRequest, match="values are drawn"):
        drawn(attack, ALPHA, MOST_DRAWN_VALUES, 1)
    with pytest.raises(InvalidRequest, match="smaller α"):
        profile_attack([ApproximateBudget(ALPHA)] * 2, parse_level("9"), 2, (SKEWED, None))
    with pytest.raises(InvalidRequest, match="fewer than 200"):
        profile_attack([BUDGET] * 200, ALPHA, 200, (SKEWED, None))
