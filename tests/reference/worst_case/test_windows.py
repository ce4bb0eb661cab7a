"""The worst-case leakage of several releases together against the definition on mechanisms that attain it, by hand."""

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.reference import (
    INFINITE,
    ZERO,
    Adversary,
    InvalidRequest,
    Level,
    TransitionMatrix,
    composition,
    leakage,
    parse_level,
    worst_case_composition,
    worst_case_leakage,
)
from tploracle.reference.definitions import LiteralStream
from tploracle.reference.worst_case.mechanisms import subset_mechanism

from ...matrices import STICKY
from ...profiles import examples
from ...strategies import matrices, ratio_levels
from .test_leakage import backward_rows

ERRATUM = TransitionMatrix.of([["1/2", "1/2"], [1, 0]])
"""With start (2/3, 1/3), e^ε = 2 and four releases, those two and three together leak log 8."""

ONE_WAY = TransitionMatrix.of([["1/2", "1/2", 0], [0, "1/2", "1/2"], [0, 0, 1]])
TWO, THREE = parse_level("log(2)"), parse_level("log(3)")


def found_for(stream, start, length):
    times = len(stream.mechanisms)
    return worst_case_composition(
        [mechanism.privacy_leakage() for mechanism in stream.mechanisms],
        start,
        length,
        [backward_rows(stream, time) for time in range(2, times + 1)],
        [stream.forward] * (times - 1),
        possible=[[value for value, p in enumerate(row) if p] for row in stream.marginals],
    )


def windows(times):
    return [(start, length) for start in range(1, times + 1) for length in range(1, times - start + 2)]


@given(
    matrices(2, 2),
    st.fractions(0, 1, max_denominator=6),
    st.lists(st.sampled_from(["2", "3/2", "5/2"]), min_size=1, max_size=3),
)
@example(ERRATUM, Fraction(2, 3), ["2"] * 4)
@examples(8)
def test_the_subset_mechanism_attains_it_for_two_values(forward, start, ratios):
    mechanisms = tuple(subset_mechanism(2, Fraction(ratio)) for ratio in ratios)
    stream = LiteralStream((start, 1 - start), forward, mechanisms)
    for window in windows(len(ratios)):
        assert found_for(stream, *window).ratio == stream.sequence_tpl(*window).ratio


@given(matrices(3, 3), st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any))
@example(ONE_WAY, [1, 1, 1])
@examples(1)
def test_the_subset_mechanism_attains_it_for_three_values(forward, weights):
    initial = tuple(Fraction(weight, sum(weights)) for weight in weights)
    stream = LiteralStream(initial, forward, tuple(subset_mechanism(3, Fraction(n, 2)) for n in (3, 4, 3)))
    for window in windows(3):
        assert found_for(stream, *window).ratio == stream.sequence_tpl(*window).ratio


def by_enumeration(matrix, epsilons, start, length):
    """Return the greatest product over all pairs of sequences that P^B allows, each B from `worst_case_leakage`."""
    n = matrix.n
    own = [range(n)] * length
    paths = [path for path in product(*own) if all(matrix.rows[b][a] for a, b in pairwise(path))]
    factor = {}
    for pair in product(range(n), repeat=2):
        # Two possible values, and a budget of 0: what is left is the past's part for this pair, one way or the other.
        times = [list(range(n))] * (start - 1) + [sorted(set(pair))]
        levels = worst_case_leakage([*epsilons[: start - 1], ZERO], matrix, possible=times)
        factor[pair] = levels.bpl[-1].ratio
    ratios = [level.ratio for level in epsilons[start - 1 : start - 1 + length]]
    best = Fraction(1)
    for v, w in product(paths, repeat=2):
        value = factor[v[0], w[0]]
        for a, b, ratio in zip(v, w, ratios, strict=True):
            value *= ratio if a != b else 1
        best = max(best, value)
    return best


MERGES = TransitionMatrix.of(
    [
        [0, 0, 0, "0.9", "0.1"],
        [0, 0, 0, "0.1", "0.9"],
        ["0.05", "0.05", 0, "0.5", "0.4"],
        [0, 0, "0.1", "0.45", "0.45"],
        [0, 0, 0, "0.5", "0.5"],
    ]
)
"""As P^B: the past tells values 1 and 2 best apart, and both lead to value 3 alone."""


@given(matrices(3, 3), st.lists(ratio_levels(), min_size=1, max_size=3))
@example(ONE_WAY, [TWO, THREE, TWO])
@example(MERGES, [TWO, TWO, parse_level("log(11/10)")])
@examples(5)
def test_it_is_the_greatest_over_all_pairs_of_sequences(matrix, epsilons):
    assume(not any(level.is_infinite for level in worst_case_leakage(epsilons, matrix).bpl))
    for start, length in windows(len(epsilons)):
        expected = by_enumeration(matrix, epsilons, start, length)
        assert worst_case_composition(epsilons, start, length, matrix).ratio == expected


@given(matrices(2, 3), matrices(2, 3), st.lists(ratio_levels(), min_size=1, max_size=4))
@examples(15)
def test_with_positive_entries_it_is_the_sum_of_the_parts(backward, forward, epsilons):
    forward = backward if forward.n != backward.n else forward
    worst = worst_case_leakage(epsilons, backward, forward)
    paper = leakage(epsilons, Adversary.knowing(backward, forward))
    positive = all(all(map(all, matrix.rows)) for matrix in (backward, forward))
    for start, length in windows(len(epsilons)):
        found = worst_case_composition(epsilons, start, length, backward, forward)
        bound = composition(worst, epsilons, start, length)
        # Compared in digits: levels of two kinds may be equal, and no formula knows it.
        assert found.is_infinite <= bound.is_infinite
        if not bound.is_infinite:
            assert found.enclosure(20).lower <= bound.enclosure(20).upper
            if positive or length == 1:
                assert found.enclosure(20).upper >= bound.enclosure(20).lower
            assert found.enclosure(20).lower <= composition(paper, epsilons, start, length).enclosure(20).upper


@given(matrices(2, 3), st.lists(st.integers(0, 3), min_size=1, max_size=4))
@example(ONE_WAY, [3, 1])
@example(ERRATUM, [2, 3, 2])
@examples(15)
def test_all_releases_together_are_their_budgets_where_sequences_differ_throughout(matrix, tenths):
    """Of budgets in nats, of which the programme over pairs gives an enclosure alone."""
    budgets = [Level.of(Fraction(tenth, 10)) for tenth in tenths]
    paths = product(range(matrix.n), repeat=len(tenths))
    sequences = [path for path in paths if all(matrix.rows[b][a] for a, b in pairwise(path))]
    most = max(
        sum(tenth for tenth, a, b in zip(tenths, v, w, strict=True) if a != b) for v, w in product(sequences, repeat=2)
    )
    found = worst_case_composition(budgets, 1, len(tenths), matrix)
    assert found.enclosure(12).lower <= Decimal(most) / 10 <= found.enclosure(12).upper
    if most == sum(tenths):
        assert found.exact_text == Level.of(Fraction(most, 10)).exact_text


def test_what_is_given_by_itself():
    same = TransitionMatrix.of([["1/2", "1/2"], ["1/2", "1/2"]])
    assert worst_case_composition([TWO, THREE, TWO], 1, 2) == TWO + THREE
    assert worst_case_composition([TWO, THREE, TWO], 1, 2, same, same) == TWO + THREE
    assert worst_case_composition([ZERO] * 3, 1, 3, STICKY, STICKY).is_zero
    assert worst_case_composition([ZERO, ZERO, TWO], 1, 2, STICKY).is_zero
    assert worst_case_composition([ZERO, ZERO, TWO], 1, 2, STICKY, STICKY) > ZERO
    assert worst_case_composition([TWO], 1, 1, TransitionMatrix.of([[1]])).is_zero
    assert worst_case_composition([TWO, INFINITE], 1, 2, STICKY).is_infinite
    assert worst_case_composition([TWO, TWO, INFINITE], 1, 2, STICKY, STICKY).ratio == 4 * 7
    assert worst_case_composition([INFINITE, TWO], 2, 1, ONE_WAY).is_infinite
    # One value at the second time: an infinite budget there tells nothing.
    assert worst_case_composition([TWO, INFINITE], 1, 2, STICKY, possible=[[0, 1], [0]]) == TWO


def test_a_value_that_leads_nowhere_is_not_in_a_sequence():
    """Nothing leads from value 2 to a value at the second time: alone at the first it is possible, in a pair not."""
    matrix = TransitionMatrix.of([[1, 0], [1, 0]])
    assert worst_case_composition([TWO, THREE], 1, 2, matrix) == THREE
    assert worst_case_composition([TWO, THREE], 1, 1, matrix) == TWO
    # As 1 leads to 2 alone, and 2 nowhere, three times begin with 3: (3, 1, 2), (3, 3, 1) or (3, 3, 3).
    matrix = TransitionMatrix.of([[0, 0, 1], [1, 0, 0], [0, 0, 1]])
    assert worst_case_composition([INFINITE, TWO, THREE], 1, 3, matrix) == TWO + THREE


@pytest.mark.parametrize("window", [(1, 2), (2, 2), (2, 1), (1, 3)])
def test_transcendental_ratios_against_mpmath(window):
    epsilons = [parse_level(text) for text in ("1/10", "1/3", "log(2)")]
    found = worst_case_composition(epsilons, *window, ERRATUM).enclosure(25)
    start, length = window
    with mp.workdps(50):
        ratios = [mp.exp(mp.mpf(1) / 10), mp.exp(mp.mpf(1) / 3), mp.mpf(2)]
        # Given value 1 or 2 now, the one before is either, or the first for certain.
        x = ratios[0]
        past = {
            (0, 0): 1,
            (1, 1): 1,
            (0, 1): max((1 + x) / 2 / x, (1 + x) / 2),
            (1, 0): max(2 * x / (1 + x), 2 / (1 + x)),
        }
        best = mp.mpf(0)
        paths = [
            path for path in product(range(2), repeat=length) if all(ERRATUM.rows[b][a] for a, b in pairwise(path))
        ]
        for v, w in product(paths, repeat=2):
            value = past[v[0], w[0]] if start > 1 else mp.mpf(1)
            for a, b, ratio in zip(v, w, ratios[start - 1 :], strict=False):
                value *= ratio if a != b else 1
            best = max(best, value)
        assert mp.mpf(str(found.lower)) - mp.mpf("1e-40") <= mp.log(best) <= mp.mpf(str(found.upper)) + mp.mpf("1e-40")


@pytest.mark.parametrize("window", [(0, 1), (1, 0), (2, 3), (4, 1)])
def test_windows_outside_the_stream_are_refused(window):
    with pytest.raises(InvalidRequest, match="are not a window of the 3 releases"):
        worst_case_composition([TWO] * 3, *window, STICKY)
