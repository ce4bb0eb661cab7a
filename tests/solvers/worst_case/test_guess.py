"""Guesses in doubles against the exact sweep, and pairs that are said to tie against their exact ratios."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import Level, TransitionMatrix, parse_level
from tploracle.reference.worst_case.sweep import OneSide, worst
from tploracle.solvers.worst_case.guess import PairBounds, ReleasesInDoubles
from tploracle.solvers.worst_case.pairs import fast_worst_case_leakage
from tploracle.solvers.worst_case.symmetry import forms

from ...matrices import DIVERGES, SLOW, STICKY
from ...profiles import examples
from ...strategies import matrices
from .test_pairs import FORGETS, turning


def excesses(matrix, ratios):
    """Return the exact excess of each pair over so many releases, the nearest first."""
    side, pairs = OneSide((matrix.rows,) * len(ratios)), permutations(range(matrix.n), 2)
    return [float(worst(side, ratios[::-1], pair).ratio - 1) for pair in pairs]


def closed(matrix, ratios):
    """Return the bounds of all pairs at each depth."""
    releases = ReleasesInDoubles.of([matrix.rows] * len(ratios), list(map(Level.of_ratio, ratios)))
    bounds = PairBounds([releases], [range(1, len(ratios) + 1)], np.array(list(permutations(range(matrix.n), 2))))
    bounds.close(1e-9)
    return bounds


@given(matrices(2, 4), st.lists(st.sampled_from(["11/10", "3/2", "3", "1000", "1e20"]), min_size=1, max_size=6))
@example(turning(3, "1/10"), ["3"] * 6)
@example(SLOW, ["11/10"] * 6)
@example(DIVERGES, ["1e40"] * 5)
@example(STICKY, ["1.000000000000000000000000001"] * 4)
@examples(15)
def test_bounds_come_as_near_as_asked_for(matrix, texts):
    """At all depths at once, for all pairs, however small or great their excess is."""
    ratios = list(map(Fraction, texts))
    bounds = closed(matrix, ratios)
    for depth in range(1, len(ratios) + 1):
        exact = np.array(excesses(matrix, ratios[:depth]))
        assert (bounds.low[0, :, depth - 1] <= exact * (1 + 1e-11)).all()
        assert (bounds.up[0, :, depth - 1] >= exact * (1 - 1e-11)).all()
        assert (bounds.up[0, :, depth - 1] <= exact * (1 + 2e-9)).all()


@pytest.mark.parametrize("part", [2, 4, 5, 8, 11])
def test_nothing_is_guessed_that_rounding_hides(part):
    """Where the nearest release tells next to nothing, and what is told farther away hangs on a sum of differences."""
    ratios = [1 + Fraction(1, 10**part), *[Fraction(3)] * 2]
    bounds, exact = closed(FORGETS, ratios), np.array(excesses(FORGETS, ratios))
    assert (bounds.low[0, :, -1] <= exact * (1 + 1e-11)).all()
    assert (bounds.up[0, :, -1] >= exact * (1 - 1e-11)).all()
    assert np.isinf(bounds.up).any() == (part > 4)


SQUARE = [[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]]


@pytest.mark.parametrize(
    ("matrix", "kinds"),
    [
        (turning(5, "1/10"), 4),
        (TransitionMatrix.of([[Fraction((3, 2, 1)[d], 8) for d in row] for row in SQUARE]), 2),
        (TransitionMatrix.of([[Fraction(1 + 8 * (a == b), 13) for b in range(5)] for a in range(5)]), 1),
        (DIVERGES, 6),
        (TransitionMatrix.of([[Fraction(1 + 8 * (b == (a + 1) % 5), 13) for b in range(5)] for a in range(5)]), 1),
    ],
    ids=["circle", "square", "stays or moves anywhere", "no two alike", "moves on or anywhere"],
)
def test_pairs_of_one_form_have_one_ratio(matrix, kinds):
    pairs = np.array(list(permutations(range(matrix.n), 2)))
    found = forms([matrix.rows], pairs)
    assert len(set(found.tolist())) == kinds
    side = OneSide((matrix.rows,) * 9)
    exact = {}
    for kind, (j, k) in zip(found.tolist(), pairs.tolist(), strict=True):
        exact.setdefault(kind, set()).add(worst(side, [Fraction(3, 2)] * 9, (j, k)).ratio)
    assert all(len(own) == 1 for own in exact.values())


def test_equal_matrices_are_one():
    """The two levels of TPL are one, whichever objects the matrices are."""
    rows = [["7/10", "2/10", "1/10"], ["3/10", "5/10", "2/10"], ["1/10", "3/10", "6/10"]]
    first, second = TransitionMatrix.of(rows), TransitionMatrix.of(rows)
    tpl = fast_worst_case_leakage([parse_level("1/10")] * 2, first, second).tpl
    assert max(tpl) == tpl[0] == tpl[1]
