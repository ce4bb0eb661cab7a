"""Estimation from sequences, against a count by the definition."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.reference import (
    InvalidNumber,
    InvalidRequest,
    TransitionCounts,
    TransitionMatrix,
    UnreachableState,
    count_transitions,
)

SEQUENCES = st.lists(st.lists(st.sampled_from("abc"), max_size=12), min_size=1, max_size=12)


@given(SEQUENCES)
def test_counts_are_the_definition(sequences):
    if not any(sequences):
        with pytest.raises(InvalidRequest):
            count_transitions(sequences)
        return
    counts = count_transitions(sequences, states="abc")
    for j, first in enumerate("abc"):
        assert counts.first[j] == sum(1 for s in sequences if s and s[0] == first)
        for k, second in enumerate("abc"):
            naive = sum(1 for s in sequences for t in range(1, len(s)) if s[t - 1] == first and s[t] == second)
            assert counts.transitions[j][k] == naive
    assert count_transitions(sequences).states == tuple(sorted({name for s in sequences for name in s}))


@given(SEQUENCES.filter(any), st.fractions(0, 3, max_denominator=5))
def test_estimates_are_relative_frequencies(sequences, smoothing):
    counts = count_transitions(sequences, states="abc")
    for estimate, before, after in ((counts.forward, 0, 1), (counts.backward, 1, 0)):
        # The pairs (this time's value, the other time's value).
        pairs = [((s[t], s[t + 1])[before], (s[t], s[t + 1])[after]) for s in sequences for t in range(len(s) - 1)]
        if not pairs:
            with pytest.raises(UnreachableState, match="no transition was counted"):
                estimate(smoothing)
            continue
        unseen = [name for name in "abc" if all(own != name for own, _ in pairs)]
        if unseen and not smoothing:
            with pytest.raises(UnreachableState, match=f"'{unseen[0]}'"):
                estimate()
            continue
        matrix = estimate(smoothing)
        for j, own in enumerate("abc"):
            followers = [other for this, other in pairs if this == own]
            for k, other in enumerate("abc"):
                assert matrix.rows[j][k] == (followers.count(other) + smoothing) / (len(followers) + 3 * smoothing)


def test_by_hand():
    counts = count_transitions([["1", "1", "2"], ["2", "1"], ["2"], []])
    assert counts == TransitionCounts(("1", "2"), ((1, 1), (1, 0)), (1, 2))
    assert counts.forward() == TransitionMatrix.of([["1/2", "1/2"], ["1", "0"]])
    assert counts.backward() == TransitionMatrix.of([["1/2", "1/2"], ["1", "0"]])
    assert counts.initial() == (Fraction(1, 3), Fraction(2, 3))
    lopsided = count_transitions([["a", "b", "b"]], states=["a", "b"])
    assert lopsided.backward(Fraction(1)) == TransitionMatrix.of([["1/2", "1/2"], ["1/2", "1/2"]])
    assert lopsided.forward() == TransitionMatrix.of([["0", "1"], ["0", "1"]])
    with pytest.raises(UnreachableState, match="'a' never follows"):
        lopsided.backward()


def test_smoothing_is_any_exact_number():
    counts = count_transitions([["a", "b", "a"]])
    for estimate in (counts.forward, counts.backward):
        assert estimate(1) == estimate(Fraction(1)) == TransitionMatrix.of([["1/3", "2/3"], ["2/3", "1/3"]])
        assert {type(entry) for row in estimate(1).rows for entry in row} == {Fraction}
        with pytest.raises(InvalidNumber, match=r"smoothing: 0\.5 is not exact"):
            estimate(0.5)


def test_states_are_ordered_by_number_and_then_by_name():
    assert count_transitions([["10", "9", "x", "1", "Y"]]).states == ("1", "9", "10", "Y", "x")
    assert count_transitions([["10", "9"]], states=["10", "9", "8"]).states == ("10", "9", "8")
    # Nineteen digits are a name.
    assert count_transitions([["0" * 18 + "7", "8", "0" * 17 + "7"]]).states == ("0" * 17 + "7", "8", "0" * 18 + "7")


def test_errors():
    with pytest.raises(InvalidRequest, match="'z'"):
        count_transitions([["a", "z"]], states=["a"])
    with pytest.raises(InvalidRequest, match="no sequence"):
        count_transitions([])
    with pytest.raises(InvalidRequest):
        count_transitions([["a"]]).forward(Fraction(-1))
    with pytest.raises(InvalidRequest, match="negative"):
        TransitionCounts(("a",), ((-1,),), (0,))
    with pytest.raises(InvalidRequest, match="negative"):
        TransitionCounts(("a",), ((1,),), (-1,))
    for transitions, first in ((((1, 2),), (1,)), (((1,),), (1, 2)), ((), (1,))):
        with pytest.raises(InvalidRequest, match="1 states need"):
            TransitionCounts(("a",), transitions, first)
    with pytest.raises(InvalidRequest, match="2 states need"):
        TransitionCounts(("a", "b"), ((1, 2), (1,)), (1, 1))
    with pytest.raises(InvalidRequest, match="initial"):
        TransitionCounts(("a",), ((1,),), (0,)).initial()
