"""Finite mechanisms: channels by hand, and the greatest ratio of likelihoods."""

from fractions import Fraction

import pytest

from tploracle.reference import InvalidRequest, Level, NegativeProbability, NotSquare, NotStochastic
from tploracle.reference.mechanisms import (
    Mechanism,
    greatest_ratio,
    randomized_response,
    subset_mechanism,
    truncated_geometric,
)


def fractions(*texts):
    return tuple(Fraction(text) for text in texts)


def log(ratio):
    return Level.of_ratio(Fraction(ratio))


@pytest.mark.parametrize(
    ("channel", "error", "words"),
    [
        ((), NotSquare, "at least one row"),
        ((fractions("1/2", "1/2"), fractions("1")), NotSquare, "one length"),
        ((fractions("1"), fractions("1/2", "1/2"), fractions("1")), NotSquare, "one length"),
        ((fractions("1", "0"), fractions("3/2", "-1/2")), NegativeProbability, "row 2 of the channel, output 2"),
        ((fractions("1/2", "1/3"), fractions("1", "0")), NotStochastic, "row 1 of the channel"),
    ],
)
def test_channels_that_are_none(channel, error, words):
    with pytest.raises(error, match=words):
        Mechanism(channel)


def test_a_channel_need_not_be_square():
    mechanism = Mechanism((fractions("1/2", "1/4", "1/4"), fractions("1/3", "1/3", "1/3")))
    assert mechanism.n == 2
    assert list(mechanism.outputs) == [0, 1, 2]
    # (1/2)/(1/3) = 3/2 for the first output, (1/3)/(1/4) = 4/3 for the others.
    assert mechanism.privacy_leakage() == log("3/2")
    assert Mechanism((fractions("1/4", "3/4"),)).privacy_leakage().is_zero


@pytest.mark.parametrize(
    ("likelihoods", "ratio"),
    [
        ([], 1),
        ([["1/2", "1/4"], ["1/3", "1/3"]], 2),
        ([["1/3", "1/3"], ["1/4", "1/2", "1/8"]], 4),
        ([["1/3", "1/3"], ["1/5", "1/5"]], 1),
        ([["0", "0"], ["1/2", "1/3"], ["0", "0"]], "3/2"),
        ([["0", "0"]], 1),
    ],
)
def test_the_greatest_ratio(likelihoods, ratio):
    found = greatest_ratio(fractions(*output) for output in likelihoods)
    assert found == log(ratio)
    assert found.is_zero == (ratio == 1)


def test_an_output_that_some_value_rules_out():
    assert greatest_ratio([fractions("1/2", "1/2"), fractions("1/2", "0")]).is_infinite
    assert greatest_ratio([fractions("0", "1/2", "1/2")]).is_infinite


def test_randomized_response():
    assert randomized_response(3, Fraction(2)).channel == (
        fractions("1/2", "1/4", "1/4"),
        fractions("1/4", "1/2", "1/4"),
        fractions("1/4", "1/4", "1/2"),
    )
    assert randomized_response(4, Fraction(7, 3)).privacy_leakage() == log("7/3")


def test_the_truncated_geometric_mechanism():
    """p = 1/2: inside (1 − p)/(1 + p) = 1/3, at the ends 1/(1 + p) = 2/3, times p^|distance|."""
    assert truncated_geometric(3, Fraction(2)).channel == (
        fractions("2/3", "1/6", "1/6"),
        fractions("1/3", "1/3", "1/3"),
        fractions("1/6", "1/6", "2/3"),
    )
    assert truncated_geometric(4, Fraction(3, 2)).privacy_leakage() == log("27/8")


def test_the_mechanism_of_random_sets():
    """Sets {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, one sixth each; the truth with 3/4, else 1/4."""
    yes, no = Fraction(3, 24), Fraction(1, 24)
    assert subset_mechanism(3, Fraction(3)).channel == (
        (yes, no, no, yes, no, yes, yes, no, yes, no, no, yes),
        (no, yes, yes, no, no, yes, yes, no, no, yes, yes, no),
        (no, yes, no, yes, yes, no, no, yes, yes, no, yes, no),
    )
    assert subset_mechanism(4, Fraction(5, 4)).privacy_leakage() == log("5/4")


@pytest.mark.parametrize("build", [randomized_response, truncated_geometric, subset_mechanism])
def test_the_least_that_a_mechanism_takes(build):
    assert build(2, Fraction(1)).privacy_leakage().is_zero
    assert build(2, Fraction(2)).n == 2
    with pytest.raises(InvalidRequest, match="at least 2 values"):
        build(1, Fraction(2))
    with pytest.raises(InvalidRequest, match="ratio of at least 1"):
        build(2, Fraction(99, 100))
