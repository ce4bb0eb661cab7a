"""The check from above of a large sparse matrix against exact loss functions and exact levels."""

from fractions import Fraction
from itertools import pairwise
from random import Random

import mpmath
import numpy as np
import pytest

from tploracle.certificates.above_sparse import check_sparse_loss, sparse_levels_above
from tploracle.reference import Adversary, Level, leakage, loss_function, parse_level
from tploracle.reference.errors import Refuted, Unchecked

from ..matrices import divided, weights


def by_rows(dense):
    dense = np.array(dense, dtype=float)
    rows, columns = dense.nonzero()
    return np.searchsorted(rows, np.arange(len(dense) + 1)), columns, dense[rows, columns]


@pytest.mark.parametrize("seed", range(12))
def test_a_loss_below_that_of_any_rows_is_refuted(seed):
    """Of whatever matrix, at whatever point: a little above the truth passes, a little below it does not."""
    random, dense = Random(seed), weights(seed, n=Random(seed).randint(4, 12), hub=seed % 3 > 0)
    matrix, loss = by_rows(dense), loss_function(divided(dense))
    excess = Fraction(random.choice((0.01, 0.3, 2.0, 50.0)))
    truth = float(loss(Level.of_ratio(1 + excess)).ratio - 1)
    s = float(1 / excess)
    check_sparse_loss(*matrix, [s], [truth * (1 + 1e-11)])
    with pytest.raises(Refuted, match=r"rows \d+ and \d+"):
        check_sparse_loss(*matrix, [s, s], [truth * 2, truth * (1 - 1e-11)])


def test_a_recursion_by_points_is_above_the_exact_one_between_and_beyond_them():
    dense = weights(1)
    loss = loss_function(divided(dense))
    at = [10.0, 1.0, 0.1]
    above = [float(loss(Level.of_ratio(1 + 1 / Fraction(s))).ratio - 1) * (1 + 1e-12) for s in at]
    points = np.array(at[::-1]), np.array(above[::-1])
    own = [float(level.enclosure(30).upper) for level in leakage([parse_level("0.5")] * 40, Adversary(loss)).bpl]
    found = sparse_levels_above(parse_level("0.5"), 40, *points)
    assert all(level <= upper for level, upper in zip(own, found, strict=True))
    far = next(time for time, upper in enumerate(found) if upper > np.log(11))
    assert far < 39
    assert found[far + 1] - found[far] == pytest.approx(0.5)  # beyond the points nothing is known but L(α) ≤ α
    for disorder in ([1, 0, 2], [0, 0, 1]):
        with pytest.raises(Refuted, match="not in order"):
            sparse_levels_above(parse_level("0.5"), 3, *(own[disorder] for own in points))
    assert sparse_levels_above(parse_level("0.5"), 3, np.zeros(0), np.zeros(0)) == pytest.approx([0.5, 1.0, 1.5])


@pytest.mark.parametrize(("more", "passes"), [(0, False), (54, False), (55, True)])
def test_what_is_added_for_roundings(more, passes):
    """The sum is 3/4 − (1 + 1/4)/4 = 7/16 = v s, and two entries in a row may lose 24 u: 55 · 7/16 u are enough."""
    asked = *by_rows(np.array([[3.0, 1.0], [1.0, 3.0]])), [1.75 * (1 + more * 2.0**-53)], [0.25]
    if passes:
        check_sparse_loss(*asked)
    else:
        with pytest.raises(Refuted):
            check_sparse_loss(*asked)


def test_how_many_products_are_looked_at(monkeypatch):
    """Three columns of 1, 3 and 2 entries: 14 products, at each of two points."""
    matrix = by_rows(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]]))
    for most, is_refused in ((28, False), (27, True)):
        monkeypatch.setattr("tploracle.certificates.above_sparse.MOST_PRODUCTS", most)
        if is_refused:
            with pytest.raises(Unchecked, match="too many entries"):
                check_sparse_loss(*matrix, [1.0, 2.0], [9.0, 9.0])
        else:
            check_sparse_loss(*matrix, [1.0, 2.0], [9.0, 9.0])


@pytest.mark.parametrize("seed", range(8))
def test_levels_are_rounded_upward_and_hardly(seed):
    """The same recursion to 60 digits, over the same lines between the same points."""
    random = Random(seed)
    at = sorted(random.uniform(0.001, 30) for _ in range(random.randint(1, 5)))
    above = sorted((random.uniform(0.01, 20) for _ in at), reverse=True)
    epsilon = parse_level(random.choice(("1/7", "0.3", "log(2)")))
    with mpmath.workdps(60):
        budget = mpmath.expm1(mpmath.mpf(str(epsilon.enclosure(50).upper)))
        a, expected = budget, []
        for _ in range(30):
            expected.append(mpmath.log1p(a))
            a = carried(mpmath, a, at, above)
            a += budget + a * budget
        found = sparse_levels_above(epsilon, 30, np.array(at), np.array(above))
        assert all(own <= upper <= own * (1 + mpmath.mpf(2) ** -44) for own, upper in zip(expected, found, strict=True))


def carried(mp, a, at, above):
    """Return e^L − 1 by the lines between points; what it is at the last of them beyond it, a before the first."""
    s = 1 / a
    if s < at[0]:
        return a
    for (x, v), (y, w) in pairwise(zip(at, above, strict=True)):
        if s <= y:
            return min(a, 1 / (1 / mp.mpf(v) + (1 / mp.mpf(w) - 1 / mp.mpf(v)) * (s - x) / (mp.mpf(y) - x)))
    return min(a, mp.mpf(above[-1]))
