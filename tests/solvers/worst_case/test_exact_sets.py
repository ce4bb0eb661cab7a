"""The best sets decided in integers against the definition, and where balls leave them in doubt."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from flint import fmpz_mat
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import TransitionMatrix, parse_level
from tploracle.reference.surds import MixedRadicands, sign
from tploracle.reference.worst_case.leakage import WorstRatio
from tploracle.reference.worst_case.sweep import OneSide, likelihood_ratio, sweep, worst
from tploracle.solvers.worst_case.exact_sets import KEPT, ExactSets
from tploracle.solvers.worst_case.pairs import fast_worst_case_leakage

from ...profiles import examples

BUDGETS = ("log(3/2)", "log(11/10)", "log(sqrt(2))", "log((1+sqrt(2))/2)", "log(4)")
RATIOS = [parse_level(text).ratio for text in BUDGETS]
MIXES = ((2, 1, 1), (1, 2, 1), (0, 2, 2))
"""In quarters: a chain that forgets two bits with each release, so that far releases hardly matter."""


def quarters(rows):
    """Return rows of integers that sum up to 4 as probabilities."""
    return tuple(tuple(Fraction(entry, 4) for entry in row) for row in rows)


def few_bits(n, whole=4):
    """Draw rows of quarters, or of other parts of a whole."""
    cuts = st.lists(st.integers(0, whole), min_size=n - 1, max_size=n - 1).map(sorted)
    row = cuts.map(lambda own: tuple(b - a for a, b in zip([0, *own], [*own, whole], strict=True)))
    return st.lists(row, min_size=n, max_size=n).map(tuple)


def exact_sets(rows, ratios):
    """Return the sets of the values 0 and 1, where one matrix leads to each release."""
    matrix = fmpz_mat([list(row) for row in rows]), 4
    found = ExactSets(fmpz_mat([list(row) for row in rows[:2]]))
    found.take([matrix] * len(ratios), ratios)
    return found


def of_side(rows, ratios, depth):
    """Return the nearest releases in the reference's words, the farthest first."""
    return OneSide((quarters(rows),) * depth), ratios[:depth][::-1]


@given(
    few_bits(3),
    st.lists(st.sampled_from(RATIOS), min_size=1, max_size=6),
    st.lists(st.integers(1, 6), min_size=1, max_size=3),
)
@example(((4, 0, 0), (0, 4, 0), (1, 1, 2)), RATIOS, [5, 1, 4])
@example(MIXES, [RATIOS[0]] * 6, [3, 6])
@examples(40)
def test_the_greatest_ratio_is_that_of_the_definition(rows, ratios, depths):
    """For any depths, one after the other."""
    found = exact_sets(rows, ratios)
    for depth in depths:
        side, own = of_side(rows, ratios, min(depth, len(ratios)))
        expected = worst(side, own, (0, 1))
        assert found.greatest(len(own)) == expected.ratio - 1


@given(few_bits(3), st.sampled_from(RATIOS), st.lists(st.lists(st.booleans(), min_size=3, max_size=3), max_size=5))
@examples(30)
def test_what_sets_attain_is_what_the_definition_says(rows, ratio, some):
    """Of given sets and of others that begin alike; then the best ones are found all the same."""
    chosen = [tuple(own) for own in (*some, [True, False, True])]
    found = exact_sets(rows, [ratio] * len(chosen))
    for sets in (chosen, [*chosen[:-1], (False, True, False)], chosen[:1]):
        side, own = of_side(rows, [ratio] * len(chosen), len(sets))
        as_sets = tuple(frozenset(a for a in range(3) if inside[a]) for inside in reversed(sets))
        assert found.attained(sets) == likelihood_ratio(side, own, (0, 1), as_sets) - 1
    side, own = of_side(rows, [ratio] * len(chosen), len(chosen))
    assert found.greatest(len(chosen)) == worst(side, own, (0, 1)).ratio - 1


def test_other_releases_are_not_mistaken_for_those_known():
    found = exact_sets(MIXES, [RATIOS[0]] * 4)
    assert found.greatest(4) == worst(*of_side(MIXES, [RATIOS[0]] * 4, 4), (0, 1)).ratio - 1
    changed = [RATIOS[0], *[RATIOS[1]] * 3]
    found.take([(fmpz_mat([list(row) for row in MIXES]), 4)] * 4, changed)
    assert found.greatest(4) == worst(*of_side(MIXES, changed, 4), (0, 1)).ratio - 1
    other = [RATIOS[0], RATIOS[2], RATIOS[4]]
    identity = (fmpz_mat([[4, 0, 0], [0, 4, 0], [0, 0, 4]]), 4)
    found.take([(fmpz_mat([list(row) for row in MIXES]), 4), identity, identity], other)
    side = OneSide((*[quarters(((4, 0, 0), (0, 4, 0), (0, 0, 4)))] * 2, quarters(MIXES)))
    assert found.greatest(3) == worst(side, other[::-1], (0, 1)).ratio - 1
    with pytest.raises(MixedRadicands):
        found.take([identity] * 2, [RATIOS[2], parse_level("log(sqrt(3))").ratio])


@pytest.mark.parametrize("ratio", [RATIOS[0], RATIOS[2]], ids=["rational", "surd"])
def test_releases_far_beyond_those_whose_rows_are_kept(ratio):
    """The greatest ratio is the zero of W, which is one sweep of the definition; also after a shorter one."""
    depth = 3 * KEPT
    found = exact_sets(MIXES, [ratio] * depth)
    first = found.greatest(depth)
    assert sign(sweep(*of_side(MIXES, [ratio] * depth, depth), (0, 1), first + 1)[1]) == 0
    found.greatest(KEPT // 2)
    assert found.greatest(depth) == first


@given(few_bits(3), st.sampled_from(["log(3/2)", "log(4/3)", "log(sqrt(2))"]))
@example(MIXES, "log(3/2)")
@example(MIXES, "log(sqrt(2))")
@examples(2)
def test_a_long_stream_with_rows_of_few_bits_needs_no_literal_sweeps(rows, text):
    """200 releases: the last BPL is exact; after 20 of them no pair of values has a W above 0 at the ratio found."""
    epsilon, times = parse_level(text), 200
    matrix = TransitionMatrix(quarters(rows))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(WorstRatio, "exact", None)
        found = fast_worst_case_leakage([epsilon] * times, matrix, matrix)
    side, own = of_side(rows, [epsilon.ratio] * times, 20)
    ratio = found.bpl[20].ratio / epsilon.ratio
    assert max(sign(sweep(side, own, pair, ratio)[1]) for pair in permutations(range(3), 2)) == 0
    assert found.bpl[-1].exact_text is not None
    assert found.bpl[-1] >= found.bpl[20]


def greatest_log_ratios(matrix, ratio, times):
    """The greatest log B_t(j, k) of all pairs at some times, ascending: by Dinkelbach's iteration in doubles.

    A ratio that sets attain is one of positive terms, so that a sign that rounding misses costs next to nothing.
    """
    rows = np.array([[float(entry) for entry in row] for row in matrix.rows])
    j, k = np.array(list(permutations(range(matrix.n), 2))).T
    best, found = np.zeros(len(j)), []
    for time in times:
        while True:
            c, sets = np.exp(-best)[:, None] * rows[j] - rows[k], []
            for _ in range(time - 1):
                sets.append(c > 0)
                c = np.where(sets[-1], ratio * c, c) @ rows
                c /= np.maximum(np.abs(c).max(axis=1, keepdims=True), 1e-300)
            f = np.ones((len(j), matrix.n))
            for own in reversed(sets):  # the farthest release first
                f = np.where(own, ratio * f, f) @ rows.T
                f /= f.max(axis=1, keepdims=True)
            here = np.arange(len(j))
            attained = np.log(f[here, j]) - np.log(f[here, k])
            risen = attained > best + 1e-13
            best = np.maximum(best, attained)
            if not risen.any():
                break
        found.append(best)
    return np.array(found)


def compared_at(times, rows, whole, text):
    """Hold the levels of a stream, of one matrix for the past and another one for the future, against those ratios.

    Args: times, ascending, the same from the end; rows, of both, each entry so many parts of a whole.
    """
    back, on = (TransitionMatrix.of([[Fraction(entry, whole) for entry in row] for row in own]) for own in rows)
    epsilon = parse_level(text)
    found = fast_worst_case_leakage([epsilon] * times[-1], back, on)
    ratio = 1 + float(epsilon.excess_bounds(60)[0])
    past, future = greatest_log_ratios(back, ratio, times), greatest_log_ratios(on, ratio, times)[::-1]
    for levels, ratios in ((found.bpl, past), (found.fpl, future), (found.tpl, past + future)):
        own = [float(levels[time - 1]) for time in times]
        assert own == pytest.approx(float(epsilon) + ratios.max(axis=1), abs=1e-9)


def test_levels_of_a_long_stream_with_rows_of_few_bits():
    past = ((0, 3, 1, 0, 4), (2, 2, 0, 3, 1), (0, 0, 5, 2, 1), (1, 0, 0, 0, 7), (4, 1, 1, 2, 0))
    compared_at([1, 101, 201], (past, past[::-1]), 8, "1/2")
