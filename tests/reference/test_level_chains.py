"""Chains of hundreds and thousands of steps, recomputed independently in mpmath from the paper's formulas."""

import copy
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from mpmath import mp

from tploracle.reference import ZERO, Adversary, Level, TransitionMatrix, leakage, loss_function

from ..in_mpmath import alpha_of, assert_encloses, loss, mpf, precision
from ..matrices import PAPER_L
from ..profiles import some
from ..strategies import levels

ZEROS = TransitionMatrix.of([["4/5", "1/5", "0"], ["0", "9/10", "1/10"], ["1/3", "1/3", "1/3"]])


@pytest.mark.parametrize("matrix", [PAPER_L, ZEROS])
@pytest.mark.parametrize("epsilons", some([["1", "1/3", "1/1000"], ["0.1"], ["1e-30"]], 3))
def test_long_chains_against_all_pairs_and_subsets_in_mpmath(matrix, epsilons):
    digits = 30
    apply = loss_function(matrix)
    budgets = [Level.of(Fraction(epsilon)) for epsilon in epsilons]
    level = ZERO
    with precision(digits + 100):
        value = mp.mpf(0)
        for step in range(300):
            budget = budgets[step % len(budgets)]
            level = apply(level) + budget
            value = loss(matrix, value) + alpha_of(budget)
            if step % 50 == 0 or step == 299:
                assert_encloses(level.enclosure(digits), value, digits)


@pytest.mark.parametrize("matrix", some([PAPER_L, ZEROS], 2))
def test_exact_chains_beyond_a_thousand_digits_equal_the_exact_value(matrix):
    """The recursion in plain fractions, by the definition of g over all subsets, is the expected ratio."""
    apply = loss_function(matrix)
    level, ratio = ZERO, Fraction(1)
    n = matrix.n
    subsets = [[j for j in range(n) if mask >> j & 1] for mask in range(2**n)]
    points = {
        (sum((q[j] for j in s), Fraction(0)), sum((d[j] for j in s), Fraction(0)))
        for q in matrix.rows
        for d in matrix.rows
        for s in subsets
    }
    steps = 0
    while ratio.denominator < 10**1300:
        level = apply(level) + Level.of_ratio(Fraction(11, 10))
        excess = ratio - 1
        ratio = max((q * excess + 1) / (d * excess + 1) for q, d in points) * Fraction(11, 10)
        steps += 1
    assert steps > 20
    assert level.exact_text is None
    assert level.ratio == ratio
    assert level == Level.of_ratio(ratio)
    assert level > Level.of_ratio(ratio - Fraction(1, 10**3000))
    with precision(30):
        assert_encloses(level.enclosure(30), mp.log1p(mpf(ratio - 1)), 30)


def test_thousands_of_steps_without_recursion():
    """With the piece (q, 0), E ← (qE + 1)(1 + x) − 1: its fixed point is x/(1 − q(1 + x)), x = e^(1/10) − 1."""
    level, other = ZERO, ZERO
    for _ in range(5_000):
        level = level.linear_fractional(Fraction(1, 2), Fraction(0)) + Level.of(Fraction(1, 10))
        other = other.linear_fractional(Fraction(1, 2), Fraction(0)) + Level.of(Fraction(1, 10))
    assert level == other
    with precision(30):
        e = mp.expm1(mp.mpf(1) / 10)
        fixed = mp.log1p(e / (1 - (1 + e) / 2))
        assert_encloses(level.enclosure(30), fixed, 30)
    assert level.sign_of_linear(Fraction(-1), Fraction(1)) == -1
    assert level.exact_text is None
    assert level.ratio is None
    assert repr(level).startswith("<Level in [")
    del level, other


def test_twenty_thousand_exact_steps_keep_their_enclosure():
    level = ZERO
    for _ in range(20_000):
        level = level.linear_fractional(Fraction(1, 2), Fraction(0)) + Level.of_ratio(Fraction(11, 10))
    # E = e/(1 − (1 + e)/2) with e = 1/10 is 2/9: the fixed point is log(11/9).
    with precision(30):
        assert_encloses(level.enclosure(30), mp.log(mp.mpf(11) / 9), 30)
    assert level < Level.of_ratio(Fraction(12, 9))


@given(levels(), levels())
def test_levels_are_copied_and_pickled(one, other):
    for level in (one, one + other, one.linear_fractional(Fraction(3, 4), Fraction(1, 4)), one.to_spend()):
        assert copy.copy(level) is copy.deepcopy(level) is level
        again = pickle.loads(pickle.dumps(level))
        assert type(again) is type(level)
        assert again == level
        assert again.exact_text == level.exact_text


def test_long_chains_are_pickled():
    """A stream's levels stand on one another; what was one level before is one level again."""
    matrix = TransitionMatrix.of([["0.8", "0.2"], ["0.1", "0.9"]])
    found = leakage([Level.of(Fraction(1, 10))] * 600, Adversary.knowing(matrix, matrix))
    again = pickle.loads(pickle.dumps(found))
    for kind in ("bpl", "fpl", "tpl"):
        for time in (0, 1, 299, 599):
            assert getattr(again, kind)[time].enclosure(30) == getattr(found, kind)[time].enclosure(30)
    assert again.fpl[0]._parts[-1]._parts[0] is again.fpl[1]
    for level in (found.bpl[-1], found.fpl[0], found.tpl[300]):
        assert pickle.loads(pickle.dumps(level)).enclosure(30) == level.enclosure(30)
