"""Pairs of values that are the same up to names: by all renamings, and in the leakage."""

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import TransitionMatrix, parse_level
from tploracle.reference.worst_case.sweep import OneSide, worst
from tploracle.solvers.worst_case.pairs import fast_tight_leakage
from tploracle.solvers.worst_case.symmetries import Symmetries

from ...profiles import examples
from .test_pairs import turning


@given(
    st.integers(2, 4).flatmap(
        lambda n: st.lists(st.lists(st.integers(1, 2), min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
@example([[1, 2, 2], [2, 1, 2], [2, 2, 1]])
@example([[1, 2, 2, 1], [1, 1, 2, 2], [2, 1, 1, 2], [2, 2, 1, 1]])
@examples(30)
def test_what_is_left_out_is_a_renaming_and_has_the_same_ratio(weights):
    n = len(weights)
    rows = [tuple(Fraction(w, sum(row)) for w in row) for row in weights]
    pairs = list(permutations(range(n), 2))
    left = Symmetries([rows]).different(pairs)
    renamings = [
        p for p in permutations(range(n)) if all(rows[p[a]][p[b]] == rows[a][b] for a in range(n) for b in range(n))
    ]
    classes = {frozenset((p[j], p[k]) for p in renamings) for j, k in pairs}
    assert all(own & set(left) for own in classes)
    side, ratios = OneSide((tuple(rows),) * 3), [Fraction(3, 2)] * 3
    assert {worst(side, ratios, pair).ratio for pair in left} == {worst(side, ratios, pair).ratio for pair in pairs}


def test_one_pair_stands_for_all_that_turn():
    """A circle has as many renamings as values; of several matrices all have to be left as they are."""
    circle, other = turning(6, "1/10"), TransitionMatrix.of([[Fraction(1, 6)] * 6] * 5 + [[1, 0, 0, 0, 0, 0]])
    pairs = list(permutations(range(6), 2))
    assert len(Symmetries([circle.rows]).different(pairs)) == 5
    assert len(Symmetries([circle.rows, other.rows]).different(pairs)) == 30
    assert len(Symmetries([turning(6, f"1/{k}").rows for k in range(2, 8)]).different(pairs)) == 30


@pytest.mark.parametrize("sides", [("backward",), ("backward", "forward")])
def test_a_stream_of_a_chain_that_turns(sides):
    """Its worst pairs are a circle of equal ratios: the level is one pair's, not the greatest of many formulas."""
    found = fast_tight_leakage([parse_level("1/10")] * 30, **dict.fromkeys(sides, turning(5, "1/100")))
    bpl = found.bpl[-1].enclosure(20)
    side, ratios = OneSide((turning(5, "1/100").rows,) * 29), [parse_level("1/10").excess_bounds(200)[0] + 1] * 29
    ratio = max(worst(side, ratios, (0, k)).ratio for k in range(1, 5))
    assert abs(
        Fraction(bpl.lower) - Fraction(1, 10) - Fraction(parse_level(f"log({ratio})").enclosure(20).lower)
    ) < Fraction(1, 10**18)
