"""Bounds of B of all pairs at many times at once: never below the exact ones, and hardly above."""

from fractions import Fraction
from itertools import permutations
from math import inf, nextafter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import TransitionMatrix
from tploracle.reference.worst_case.sweep import OneSide, worst
from tploracle.solvers.worst_case import pasts
from tploracle.solvers.worst_case.doubles import RowDifferences
from tploracle.solvers.worst_case.pasts import Pasts

from ...matrices import RING, STRONGEST
from ...profiles import examples
from ...strategies import matrices

RATIOS = [Fraction(11, 10), Fraction(3, 2), Fraction(1), Fraction(5)]
NEAR = TransitionMatrix.of(
    [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 2) + Fraction(1, 10**20), Fraction(1, 2) - Fraction(1, 10**20)]]
)


@given(matrices(2, 4), st.lists(st.sampled_from(RATIOS), max_size=7), st.integers(0, 3), st.sampled_from([2, 3, 256]))
@example(RING, [Fraction(3, 2), Fraction(5)] * 3, 0, 256)
@example(RING, [Fraction(3, 2), Fraction(5)] * 3, 2, 3)
@example(STRONGEST, [Fraction(5)] * 4, 0, 2)
@example(NEAR, [Fraction(3, 2), Fraction(5)] * 3, 0, 256)
@examples(20)
def test_bounds_are_bounds(matrix, ratios, first, nearest):
    pairs = [(j, k) for j, k in permutations(range(matrix.n), 2) if matrix.rows[j] != matrix.rows[k]]
    times = np.arange(min(first, len(ratios)), len(ratios) + 1)
    up = np.array([nextafter(float(ratio), inf) for ratio in ratios])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pasts, "NEAREST", nearest)
        patched.setattr(pasts, "CHUNK", 2 * len(pairs) * matrix.n)
        found = Pasts(up, RowDifferences(matrix.rows), np.array(pairs, dtype=np.int64).reshape(-1, 2)).excesses(times)
    seen_in_doubles = all(not entry or entry > Fraction(1, 10**100) for row in matrix.rows for entry in row)
    assert found.shape == (len(times), len(pairs))
    for row, time in zip(found, times, strict=True):
        for bound, pair in zip(row.tolist(), pairs, strict=True):
            own = worst(OneSide((matrix.rows,) * time), ratios[:time], pair) if time else None
            truth = own.ratio - 1 if own else Fraction(0)
            assert bound == inf or truth <= Fraction(bound)
            if time <= nearest and seen_in_doubles:
                assert Fraction(bound) <= truth * (1 + Fraction(1, 10**9)) + Fraction(1, 10**11)
