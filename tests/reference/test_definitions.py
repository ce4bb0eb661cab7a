"""Leakage from the definitions, against the joint probabilities of all value paths and output sequences."""

from fractions import Fraction

import pytest

from tploracle.reference import (
    InvalidRequest,
    NotStochastic,
    TransitionMatrix,
    UnreachableState,
    reverse,
    stationary,
)
from tploracle.reference.definitions import LiteralStream, leakage_by_definition
from tploracle.reference.worst_case.mechanisms import Mechanism, randomized_response, truncated_geometric


def fractions(*texts):
    return tuple(Fraction(text) for text in texts)


SKEW = Mechanism((fractions("1/2", "1/3", "1/6"), fractions("1/5", "2/5", "2/5")))
TWO = LiteralStream(
    fractions("1/3", "2/3"),
    TransitionMatrix.of([["3/5", "2/5"], ["1/4", "3/4"]]),
    (randomized_response(2, Fraction(2)), SKEW, randomized_response(2, Fraction(3, 2))),
)
CERTAIN_START = LiteralStream(
    fractions("1", "0", "0"),
    TransitionMatrix.of([["1/2", "1/2", "0"], ["1/3", "0", "2/3"], ["0", "1/4", "3/4"]]),
    (
        randomized_response(3, Fraction(3)),
        truncated_geometric(3, Fraction(2)),
        truncated_geometric(3, Fraction(5, 4)),
    ),
)


def test_marginals_and_bayes_by_hand():
    # (1/3)(3/5) + (2/3)(1/4) = 11/30; then (11/30)(3/5) + (19/30)(1/4) = 227/600.
    assert TWO.marginals == (fractions("1/3", "2/3"), fractions("11/30", "19/30"), fractions("227/600", "373/600"))
    # (1/3)(3/5)/(11/30) = 6/11 and (1/3)(2/5)/(19/30) = 4/19.
    assert TWO.backward(2).rows == (fractions("6/11", "5/11"), fractions("4/19", "15/19"))
    # (11/30)(3/5)/(227/600) = 132/227 and (11/30)(2/5)/(373/600) = 88/373.
    assert TWO.backward(3).rows == (fractions("132/227", "95/227"), fractions("88/373", "285/373"))
    with pytest.raises(UnreachableState, match="state 3"):
        CERTAIN_START.backward(2)


def test_streams_that_are_none():
    response = randomized_response(2, Fraction(2))
    with pytest.raises(InvalidRequest, match="1 entries"):
        LiteralStream(fractions("1"), TWO.forward, (response,))
    with pytest.raises(NotStochastic):
        LiteralStream(fractions("1/2", "1/3"), TWO.forward, (response,))
    for mechanisms in ((), (randomized_response(3, Fraction(2)),), (response, randomized_response(3, Fraction(2)))):
        with pytest.raises(InvalidRequest, match="at least one mechanism"):
            LiteralStream(fractions("1/2", "1/2"), TWO.forward, mechanisms)


def test_an_adversary_with_matrices_alone():
    """Of a stationary chain it is what the stream says; with one matrix BPL or FPL; ∞ where a value is told."""
    backward = reverse(CERTAIN_START.forward, stationary(CERTAIN_START.forward))
    telling = Mechanism((fractions("0", "1"), fractions("1", "0"), fractions("1", "0")))
    for mechanisms in (CERTAIN_START.mechanisms, (telling, *CERTAIN_START.mechanisms)):
        stream = LiteralStream(stationary(CERTAIN_START.forward), CERTAIN_START.forward, mechanisms)
        for time in range(1, len(mechanisms) + 1):
            for known, expected in (
                ((backward, stream.forward), stream.tpl(time)),
                ((backward, None), stream.bpl(time)),
                ((None, stream.forward), stream.fpl(time)),
                ((None, None), mechanisms[time - 1].privacy_leakage()),
            ):
                found = leakage_by_definition(mechanisms, time, *known)
                assert found.is_infinite == expected.is_infinite
                assert found.is_infinite or found == expected
    assert leakage_by_definition((Mechanism((fractions("1"), fractions("1"))),), 1).is_zero


def test_what_an_adversary_with_matrices_needs():
    alone = (SKEW, SKEW)
    for mechanisms, time, matrix in (
        ((), 1, None),
        (alone, 0, None),
        (alone, 3, None),
        (alone, 1, CERTAIN_START.forward),
    ):
        with pytest.raises(InvalidRequest, match="over the values of the matrices"):
            leakage_by_definition(mechanisms, time, matrix)
    with pytest.raises(InvalidRequest, match="over the values of the matrices"):
        leakage_by_definition((SKEW, randomized_response(3, Fraction(2))), 1)
