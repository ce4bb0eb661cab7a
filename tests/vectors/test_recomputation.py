"""The independent recomputation against mpmath, against the literal reference, and against hand computations."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.reference import INFINITE, Adversary, Level, TransitionMatrix, leakage, loss_function
from vectors.generators import recomputation

from .. import recursions
from ..in_mpmath import fraction, mpf
from ..strategies import matrices, of_one_size, rational_alphas

HALF = Fraction(1, 2)


def nearly(value, expected, digits=100):
    """Whether a decimal agrees with an mpf in `digits` digits."""
    exact, truth = Fraction(value), fraction(expected)
    return exact == truth or abs(exact - truth) <= abs(truth) / Fraction(10) ** digits


@given(rational_alphas())
@example(Fraction(1, 2**1074))
@example(Fraction(10**6))
def test_exponentials_and_logarithms(alpha):
    excess = recomputation.expm1(alpha)
    with mp.workdps(1000), recomputation.arithmetic():
        assert nearly(excess, mp.expm1(mpf(alpha)))
        assert nearly(recomputation.log1p(excess), mpf(alpha))


def test_the_ends_of_the_scale():
    assert recomputation.expm1(Fraction(0)) == recomputation.log1p(Decimal(0)) == 0
    assert (
        recomputation.log1p(recomputation.INFINITY)
        == recomputation.INFINITY
        == recomputation.plus(recomputation.INFINITY, Decimal(1))
    )
    assert recomputation.minus(recomputation.INFINITY, Decimal(1)) == recomputation.INFINITY


@pytest.mark.parametrize(
    ("text", "numbers", "ratio"),
    [
        ("log(11/10)", "rational", lambda: mp.mpf(11) / 10),
        ("log(2)", "rational", lambda: mp.mpf(2)),
        ("log((7+sqrt(33))/8)", "rational", lambda: (7 + mp.sqrt(33)) / 8),
        ("log(2+sqrt(6))", "rational", lambda: 2 + mp.sqrt(6)),
        ("log((9-sqrt(17))/2)", "rational", lambda: (9 - mp.sqrt(17)) / 2),
        ("log(sqrt(7)/2)", "rational", lambda: mp.sqrt(7) / 2),
        ("log(sqrt(2))", "rational", lambda: mp.sqrt(2)),
        ("0.1", "rational", lambda: mp.exp(mp.mpf(1) / 10)),
        ("1e-3", "rational", lambda: mp.exp(mp.mpf(1) / 1000)),
        ("0x1p-1", "float64", lambda: mp.exp(mp.mpf("0.5"))),
    ],
)
def test_levels_are_read(text, numbers, ratio):
    with mp.workdps(400):
        assert nearly(recomputation.read_level(text, numbers), ratio() - 1)


def test_what_is_no_level_is_refused():
    for text in ("log(2*sqrt(3))", "log(x)", "one"):
        with pytest.raises((ValueError, ArithmeticError)):
            recomputation.read_level(text, "rational")


@given(matrices(max_n=4))
def test_the_envelope_is_the_literal_loss_function(matrix):
    pieces = loss_function(matrix).pieces
    assert recomputation.envelope(recomputation.subset_points(matrix.rows)) == [(p.q, p.d, p.start) for p in pieces]


@given(matrices(max_n=4), st.fractions(0, 1000, max_denominator=1000))
def test_the_loss_is_the_literal_one(matrix, excess):
    points = recomputation.subset_points(matrix.rows)
    level = Level.of_ratio(1 + excess)
    assert Level.of_ratio(1 + recomputation.exact_loss(points, excess)) == loss_function(matrix)(level)
    with recomputation.arithmetic():
        found = recomputation.loss(points, recomputation.decimal(excess))
        assert abs(Fraction(found) - recomputation.exact_loss(points, excess)) <= Fraction(1, 10**140)
        unlimited = recomputation.loss(points, recomputation.INFINITY)
    at_infinity = loss_function(matrix)(INFINITE)
    assert unlimited.is_infinite() == at_infinity.is_infinite
    if not unlimited.is_infinite():
        assert abs(Fraction(unlimited) + 1 - at_infinity.ratio) <= at_infinity.ratio / 10**140


@given(matrices(max_n=3), matrices(max_n=3), st.lists(st.fractions(0, 3, max_denominator=20), min_size=1, max_size=4))
def test_streams_are_the_references(backward, forward, excesses):
    own = leakage([Level.of_ratio(1 + e) for e in excesses], Adversary.knowing(*of_one_size(backward, forward)))
    with recomputation.arithmetic():
        budgets = [recomputation.decimal(e) for e in excesses]
        past, future = ([recomputation.subset_points(one.rows)] * (len(budgets) - 1) for one in (backward, forward))
        found = recomputation.temporal(past, future, budgets)
    for levels, decimals in zip((own.bpl, own.fpl, own.tpl), found, strict=True):
        for level, value in zip(levels, decimals, strict=True):
            assert abs(Fraction(value) + 1 - level.ratio) <= level.ratio / 10**140


@given(matrices(min_n=2, max_n=3), st.fractions(Fraction(1, 10), 3, max_denominator=10))
def test_a_step_rises_below_the_supremum_only(matrix, epsilon):
    points = recursions.points(matrix)
    with mp.workdps(60):
        limit = recursions.fixed_point(recursions.rounded(points), mpf(epsilon))
        ends = (
            None
            if limit is None
            else (fraction(limit * (1 - mp.mpf("1e-30"))), fraction(limit * (1 + mp.mpf("1e-30"))))
        )
    with recomputation.arithmetic():
        own, budget = recomputation.subset_points(matrix.rows), recomputation.decimal(epsilon)
        if ends is None:
            assert all(recomputation.rises(own, budget, Decimal(10) ** power) for power in (0, 10, 100))
        else:
            assert recomputation.rises(own, budget, recomputation.decimal(ends[0]))
            assert not recomputation.rises(own, budget, recomputation.decimal(ends[1]))


def test_budgets_by_hand():
    # One transition impossible, backward alone: L(x) = log(E/2 + 1), and x + 0 = α. Forward alone: x = α − L(α).
    rows = TransitionMatrix.of([["1/2", "1/2"], ["0", "1"]]).rows
    points = recomputation.subset_points(rows)
    with recomputation.arithmetic():
        assert abs(recomputation.first_budget(points, None, Decimal(1)) - 1) < Decimal("1e-90")
        alone = recomputation.first_budget(None, points, Decimal(1))
        assert abs(alone - Decimal(1) / 3) < Decimal("1e-90")  # 2/(3/2) = 4/3
        # (q, d) = (1, δ): the excess of L(α) is (1 − δ)/(1 + δ), and what is left of it is δ itself, however small.
        tiny = Fraction(1, 10**100)
        left = recomputation.first_budget(None, ((Fraction(1), tiny),), Decimal(1))
        assert abs(left.scaleb(100) - 1) < Decimal("1e-50")
        large = recomputation.first_budget(points, points, recomputation.expm1(Fraction(710)))
        assert 0 < large < recomputation.expm1(Fraction(710))


def test_the_front_keeps_what_can_be_greatest():
    found = {
        (HALF, Fraction(0)),
        (HALF, Fraction(1, 4)),
        (Fraction(1, 4), Fraction(0)),
        (Fraction(3, 4), Fraction(1, 8)),
    }
    assert recomputation.front(found) == ((HALF, Fraction(0)), (Fraction(3, 4), Fraction(1, 8)))
    assert recomputation.front({(Fraction(0), Fraction(0)), (HALF, HALF)}) == ()
