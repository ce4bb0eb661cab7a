"""Large sparse matrices: enclosures hold the exact loss function and leakage, disjoint rows are found and are right."""

from fractions import Fraction
from itertools import combinations
from random import Random

import numpy as np
import pytest

from tploracle.checked_loss import proved_sparse_leakage
from tploracle.reference import (
    Adversary,
    InvalidRequest,
    Level,
    Undecided,
    leakage,
    loss_function,
    parse_level,
)
from tploracle.reference.errors import Refuted
from tploracle.solvers.loss import sparse as sparse_losses
from tploracle.solvers.loss.sparse import SparseRows, sparse_leakage, sparse_loss
from tploracle.unchecked import forget, unchecked

from ...matrices import divided, weights

NARROW = 1e-11


def sparse(dense):
    starts = np.cumsum([0, *[np.count_nonzero(row) for row in dense]])
    columns = np.concatenate([np.flatnonzero(row) for row in dense])
    return SparseRows(
        starts, columns, np.concatenate([np.array(row)[np.flatnonzero(row)] for row in dense]).astype(float)
    )


@pytest.mark.parametrize("seed", range(12))
def test_loss_functions_and_leakage_against_the_exact_ones(seed):
    dense = weights(seed)
    rows, loss = sparse(dense), loss_function(divided(dense))
    found = sparse_loss(rows, 0.01, 50.0)
    assert found.identity is None
    for excess in (0.01, 0.0173, 0.2, 1.0, 7.7, 50.0):
        low, high = found.bounds(excess, excess)
        truth = loss(Level.of_ratio(1 + Fraction(excess))).ratio - 1
        assert Fraction(low) <= truth <= Fraction(high)
        assert high - low <= NARROW * high
    levels, _ = sparse_leakage(rows, parse_level("0.1"), 12)
    own = leakage([parse_level("0.1")] * 12, Adversary(loss)).bpl
    for (low, high), level in zip(levels, own, strict=True):
        enclosed = level.enclosure(30)
        assert Fraction(low) <= Fraction(enclosed.lower)
        assert Fraction(enclosed.upper) <= Fraction(high)
        assert high - low <= 20 * NARROW * high


@pytest.mark.parametrize("seed", range(6))
def test_what_goes_out_is_proved_and_as_narrow(seed):
    dense = weights(seed)
    asked = sparse(dense), parse_level("0.1"), 12
    found, _ = proved_sparse_leakage(*asked)
    own = leakage([asked[1]] * 12, Adversary(loss_function(divided(dense)))).bpl
    for (_, high), (_, before), level in zip(found, sparse_leakage(*asked)[0], own, strict=True):
        assert Fraction(level.enclosure(30).upper) <= Fraction(high) <= Fraction(before) * (1 + Fraction(1, 10**12))
    assert not unchecked()


@pytest.mark.parametrize("time", range(4))
def test_a_level_below_the_recursion_is_refuted(time, monkeypatch):
    asked, found = (sparse(weights(3)), parse_level("0.1"), 4), sparse_leakage

    def less(*given):
        levels, loss = found(*given)
        levels[time] = levels[time][0], levels[time][0] * (1 - 1e-9)
        return levels, loss

    for wrong in (less, lambda *given: (found(*given)[0][:time], found(*given)[1])):
        monkeypatch.setattr("tploracle.solvers.loss.sparse.sparse_leakage", wrong)
        with pytest.raises(Refuted):
            proved_sparse_leakage(*asked)


def test_a_check_that_would_take_long_is_left_and_said(monkeypatch):
    monkeypatch.setattr("tploracle.certificates.above_sparse.MOST_PRODUCTS", 1)
    forget()
    levels, _ = proved_sparse_leakage(sparse(weights(3)), parse_level("0.1"), 4)
    assert len(levels) == 4
    assert unchecked() == ("the columns of a sparse matrix have too many entries for the check of its loss",)
    forget()


@pytest.mark.parametrize("seed", range(20))
def test_disjoint_rows(seed):
    dense = np.array(weights(seed, hub=False))
    pairs = [(j, k) for j, k in combinations(range(9), 2) if not (dense[j] * dense[k]).any()]
    found = sparse(dense).disjoint()
    assert (found is not None) == bool(pairs)
    if found is not None:
        assert tuple(sorted(found)) in pairs
        levels, loss = sparse_leakage(sparse(dense), parse_level("0.1"), 30)
        assert loss.identity == found
        assert all(low <= 0.1 * time <= high <= low * (1 + 1e-14) for time, (low, high) in enumerate(levels, 1))


def test_a_grid_of_ten_thousand_cells_at_one_glance(monkeypatch):
    """Cells near each other alone: the first row shares no column with one far away, and no other row is looked at."""
    n, looked = 10_000, []
    starts = np.arange(0, 30 * n + 1, 30)
    columns = ((np.arange(n)[:, None] + np.arange(-15, 15)) % n).ravel()
    rows = SparseRows(starts, columns, np.ones(30 * n))
    sharing = SparseRows.sharing
    monkeypatch.setattr(SparseRows, "sharing", lambda self, j: looked.append(j) or sharing(self, j))
    j, k = rows.disjoint()
    assert 30 <= (k - j) % n <= n - 30
    assert looked == [0]


def test_equal_rows_and_almost_equal_ones_are_not_guessed():
    assert_undecided = pytest.raises(Undecided, match="nearly equal")
    for other in (2.0, 2.0 + 2.0**-40):
        with assert_undecided:
            sparse_loss(sparse(np.array([[1.0, 2.0], [1.0, other]])), 0.1, 1.0)


def test_what_doubles_do_not_show_is_given_up_soon(monkeypatch):
    """Twelve rows that differ by 10^−6: no look at all pairs brings what the one before did not."""
    random, looks = Random(1), []
    found = SparseRows.hockey_sticks
    monkeypatch.setattr(SparseRows, "hockey_sticks", lambda *args: looks.append(args) or found(*args))
    with pytest.raises(Undecided, match="nearly equal"):
        sparse_loss(
            sparse(np.array([[1 + random.uniform(-1e-6, 1e-6) for _ in range(12)] for _ in range(12)])), 1e-9, 1e7
        )
    assert len(looks) < 20


def test_what_is_too_large(monkeypatch):
    monkeypatch.setattr(sparse_losses, "MOST_IN_ROW", 3)
    with pytest.raises(InvalidRequest, match="too large: 4 entries in a row"):
        sparse_loss(sparse(np.ones((4, 4))), 0.1, 1.0)
    with pytest.raises(InvalidRequest, match="may add up to more than 600"):
        sparse_leakage(sparse(np.ones((2, 2))), parse_level("1"), 601)
