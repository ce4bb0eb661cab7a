"""Finite mechanisms: channels by hand, and the greatest ratio of likelihoods."""

from fractions import Fraction

import pytest

from tploracle.reference import InvalidRequest, Level, NegativeProbability, NotSquare, NotStochastic
from tploracle.reference.worst_case.mechanisms import (
    Mechanism,
    geometric_histogram,
    greatest_ratio,
    laplace_histogram,
    randomized_response,
    response_about,
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


def test_the_answer_to_a_question():
    assert response_about(3, {0, 2}, Fraction(3)).channel == (
        fractions("3/4", "1/4"),
        fractions("1/4", "3/4"),
        fractions("3/4", "1/4"),
    )
    assert response_about(3, {1}, Fraction(7, 5)).privacy_leakage() == log("7/5")
    assert response_about(2, {0, 1}, Fraction(2)).privacy_leakage().is_zero
    assert response_about(2, (), Fraction(2)).privacy_leakage().is_zero


def geometric_noise(root, k):
    return (root - 1) / (root + 1) / root ** abs(k)


@pytest.mark.parametrize("root", [Fraction(2), Fraction(11, 10)])
def test_the_geometric_histogram(root):
    """Its likelihoods over whole numbers up to ±200, those that say the same added up; and the ratio of each is one."""
    channel = geometric_histogram(2, root).channel
    for value in range(2):
        own = [
            {at_least: sum(geometric_noise(root, y - (count == value)) for y in told) for at_least, told in sides}
            for count in range(2)
            for sides in [((0, range(1, 400)), (1, range(-400, 1)))]
        ]
        expected = [own[0][a] * own[1][b] for a in range(2) for b in range(2)]
        assert [float(p) for p in channel[value]] == pytest.approx([float(p) for p in expected], rel=1e-9)
    for y in ((1, 0), (3, -2), (-1, 1), (5, 5), (0, -4)):
        likelihoods = [
            geometric_noise(root, y[0] - (value == 0)) * geometric_noise(root, y[1] - (value == 1))
            for value in range(2)
        ]
        told = 2 * (y[0] < 1) + (y[1] < 1)
        assert likelihoods[0] / likelihoods[1] == channel[0][told] / channel[1][told]
    assert geometric_histogram(3, root).privacy_leakage() == log(root**2)


@pytest.mark.parametrize("root", [Fraction(2), Fraction(11, 10)])
def test_the_laplace_histogram(root):
    """Noise with Pr(noise ≥ x) = e^{−εx/2}/2: at least 1, at most 0, or between; one's own count, and another."""
    own = (Fraction(1, 2), 1 / (2 * root), (1 - 1 / root) / 2)
    other = (own[1], own[0], own[2])
    channel = laplace_histogram(2, root).channel
    assert channel[0] == tuple(p * q for p in own for q in other)
    assert channel[1] == tuple(p * q for p in other for q in own)
    assert laplace_histogram(3, root).privacy_leakage() == log(root**2)


@pytest.mark.parametrize(
    "build", [randomized_response, truncated_geometric, subset_mechanism, geometric_histogram, laplace_histogram]
)
def test_the_least_that_a_mechanism_takes(build):
    assert build(2, Fraction(1)).privacy_leakage().is_zero
    assert build(2, Fraction(2)).n == 2
    with pytest.raises(InvalidRequest, match="at least 2 values"):
        build(1, Fraction(2))
    with pytest.raises(InvalidRequest, match="ratio of at least 1"):
        build(2, Fraction(99, 100))
