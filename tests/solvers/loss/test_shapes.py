"""Shapes of schedules, in doubles: near what is exact, and near the best of a grid."""

from fractions import Fraction

import pytest

from tploracle.reference import Adversary, Level, TransitionMatrix, leakage, loss_function, parse_level, strongest
from tploracle.solvers.loss.shapes import greatest_scale, in_doubles, least_noise, recursions, shaped

from ...matrices import MODERATE
from ...strategies import of_one_size

THREE = TransitionMatrix.of([["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"], ["1/10", "1/2", "2/5"]])
BOTH = Adversary.knowing(*of_one_size(THREE, MODERATE))


@pytest.mark.parametrize("matrix", [THREE, MODERATE, strongest(2)])
@pytest.mark.parametrize("alpha", ["0", "1e-12", "1/10", "1", "5", "40", "699", "800"])
def test_losses_are_near_the_exact_ones(matrix, alpha):
    loss, level = loss_function(matrix), parse_level(alpha)
    near = 1e-12 if level < parse_level("700") else 1e-3  # beyond, a piece is taken for its limit
    assert in_doubles(loss)(float(level.rational)) == pytest.approx(float(loss(level).enclosure(17).lower), rel=near)
    assert in_doubles(None)(3.0) == 0


def test_leakage_is_near_the_exact_one():
    schedule = [Fraction(k, 10) for k in (3, 1, 4, 1, 5)]
    exact = max(float(level.enclosure(17).upper) for level in leakage(map_levels(schedule), BOTH).tpl)
    losses = (in_doubles(BOTH.backward), in_doubles(BOTH.forward))
    assert max(recursions([float(epsilon) for epsilon in schedule], losses)["tpl"]) == pytest.approx(exact, rel=1e-12)


def map_levels(schedule):
    return [Level.of(epsilon) for epsilon in schedule]


@pytest.mark.parametrize("alpha", [1e-9, 0.1, 1.0, 20.0])
@pytest.mark.parametrize("shape", [[1.0], [1.0] * 7, [2.0, 1.0, 1.0, 0.5]])
def test_the_greatest_multiple_attains_alpha(alpha, shape):
    losses = (in_doubles(BOTH.backward), in_doubles(BOTH.forward))
    scale = greatest_scale(shape, [BOTH], alpha)
    assert max(recursions([scale * weight for weight in shape], losses)["tpl"]) == pytest.approx(alpha, rel=1e-12)
    assert greatest_scale(shape, [BOTH, Adversary()], alpha) == scale


@pytest.mark.parametrize("horizon", [2, 3, 8])
def test_no_shape_of_a_grid_has_less_noise(horizon):
    def noise(first, last):
        scale = greatest_scale(shaped(first, last, horizon), [BOTH], 1.0)
        return sum(1 / weight for weight in shaped(first, last, horizon)) / scale

    first, last, middle = least_noise([BOTH], 1.0, horizon)
    assert middle == greatest_scale(shaped(first, last, horizon), [BOTH], 1.0)
    steps = [2 ** (k / 4) for k in range(-8, 9)]
    grid = min(noise(x, y) for x in steps for y in (steps if horizon > 2 else [1.0]))
    assert noise(first, last) <= grid * (1 + 1e-9)
    assert noise(first, last) < noise(1.0, 1.0)
