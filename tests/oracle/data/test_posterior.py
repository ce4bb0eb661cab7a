"""Draws from the posterior of counts, against the distributions that their entries have, computed by mpmath."""

from fractions import Fraction

import mpmath
import pytest

from tploracle.data.posterior import LEAST_PRIOR, drawn_counts
from tploracle.reference import InvalidRequest, TransitionCounts, UnreachableState

from ...profiles import some

COUNTS = TransitionCounts(("a", "b", "c"), ((5, 2, 0), (1, 0, 3), (4, 4, 1)), (2, 1, 1))
PRIORS = [Fraction(0), LEAST_PRIOR, Fraction(1, 2), Fraction(3)]
DRAWS = 1_000


def below(shape_one, shape_two, point):
    """The probability that a Beta variable is at most `point`."""
    return float(mpmath.betainc(shape_one, shape_two, 0, point, regularized=True))


@pytest.mark.parametrize("prior", some(PRIORS, 4))
def test_entries_have_beta_distributions_around_the_smoothed_estimate(prior):
    drawn = list(drawn_counts(COUNTS, prior, DRAWS, seed=1))
    for role in ("forward", "backward"):
        estimate = getattr(COUNTS, role)(prior)
        matrices = [getattr(one, role)() for one in drawn]
        table = COUNTS.transitions if role == "forward" else tuple(zip(*COUNTS.transitions, strict=True))
        for j, row in enumerate(table):
            for k, count in enumerate(row):
                entries = [matrix.rows[j][k] for matrix in matrices]
                own, others = count + prior, sum(row) - count + 2 * prior
                if own == 0:
                    assert not any(entries)
                    continue
                spread = float(own * others / ((own + others) ** 2 * (own + others + 1))) ** 0.5
                assert abs(float(sum(entries) / DRAWS - estimate.rows[j][k])) < 4.5 * spread / DRAWS**0.5
                for point in (0.1, 0.3, 0.6):
                    expected = below(own, others, point)
                    share = sum(entry <= point for entry in entries) / DRAWS
                    assert abs(share - expected) < 4.5 * (expected * (1 - expected) / DRAWS) ** 0.5 + 1e-9


def test_the_two_matrices_of_a_draw_belong_to_one_chain():
    for one in drawn_counts(COUNTS, Fraction(1, 2), 20, seed=2):
        weights = one.transitions
        assert all(type(weight) is int and weight > 0 for row in weights for weight in row)
        for j in range(3):
            for k in range(3):
                forward, backward = one.forward().rows[j][k], one.backward().rows[k][j]
                assert forward * sum(weights[j]) == weights[j][k] == backward * sum(row[k] for row in weights)


def test_a_seed_repeats_its_draws():
    one, again, other = (list(drawn_counts(COUNTS, Fraction(1, 2), 3, seed)) for seed in (7, 7, 8))
    assert one == again != other
    assert len({draw.transitions for draw in (*one, *other)}) == 6
    assert {draw.states for draw in one} == {COUNTS.states}


def test_much_data_leaves_little_doubt():
    many = TransitionCounts(("a", "b"), ((3 * 10**12, 10**12), (10**12, 10**12)), (1, 0))
    for one in drawn_counts(many, Fraction(1, 2), 20, seed=3):
        assert abs(one.forward().rows[0][0] - Fraction(3, 4)) < Fraction(1, 10**4)


@pytest.mark.parametrize(
    ("prior", "draws", "seed", "where"),
    [
        (Fraction(1, 11), 1, 0, "0 or at least 1/10"),
        (Fraction(-1), 1, 0, "0 or at least 1/10"),
        (Fraction(1), 0, 0, "draws is a whole number from 1"),
        (Fraction(1), 1, -1, "seed is a whole number from 0"),
        (Fraction(1), 1_001, 0, "too large: draws is at most 1000"),
    ],
)
def test_errors(prior, draws, seed, where):
    with pytest.raises(InvalidRequest, match=where):
        next(drawn_counts(COUNTS, prior, draws, seed))


def test_nothing_is_drawn_where_nothing_can_be_estimated():
    with pytest.raises(UnreachableState, match="no transition was counted"):
        next(drawn_counts(TransitionCounts(("a",), ((0,),), (1,)), Fraction(1), 1, 0))
    with pytest.raises(UnreachableState, match="'b' is never followed"):
        next(drawn_counts(TransitionCounts(("a", "b"), ((1, 1), (0, 0)), (1, 0)), Fraction(0), 1, 0))
