"""An ε for adding or removing a record is no ε for replacing one: it is doubled coming in, and halved going out."""

from fractions import Fraction
from itertools import product
from math import exp, log

import pytest

from ..commands import run, value
from .enumerated import reversal, worst_tpl

CHAIN = [[0.8, 0.2], [0.3, 0.7]]
ADD_REMOVE = ("--neighbours", "add-remove")


@pytest.fixture
def folder(folder):
    (folder / "c.csv").write_text("0.8,0.2\n0.3,0.7\n")
    return folder


def test_a_histogram_is_twice_as_telling_under_replacement():
    """Two-sided geometric noise on two counts: one record more moves one of them, one replaced moves both."""
    epsilon, reach = 0.1, range(-3, 4)

    def likelihood(counts, seen):
        return exp(-epsilon * sum(abs(count - own) for count, own in zip(counts, seen, strict=True)))

    def worst(first, second):
        return max(log(likelihood(first, seen) / likelihood(second, seen)) for seen in product(reach, repeat=2))

    assert worst((1, 0), (0, 0)) == pytest.approx(epsilon)
    assert worst((1, 0), (0, 1)) == pytest.approx(2 * epsilon)


@pytest.mark.parametrize("epsilon", ["0.1", "log(5/4)", "1/3"])
def test_budgets_that_are_read_are_doubled(folder, epsilon):
    nats = {"0.1": 0.1, "log(5/4)": log(5 / 4), "1/3": 1 / 3}[epsilon]
    known = reversal(CHAIN), CHAIN
    stream = ("--forward", "c.csv", "--epsilon", epsilon, "--steps", 4)
    found = value("leakage", *stream, *ADD_REMOVE)
    for time, level in enumerate(found["worst_case"]["tpl"], 1):
        assert float(level["upper"]) == pytest.approx(worst_tpl(*known, [2 * nats] * 4, time), rel=1e-9)
    assert found["basis"]["neighbours"] == "one record added or removed, ε doubled"
    window = value("composition", *stream, *ADD_REMOVE)["worst_case"]["windows"][0]
    attack = value("attack", *stream, *ADD_REMOVE)["worst_case"]["tpl"]
    most = max(worst_tpl(*known, [2 * nats] * 4, time) for time in range(1, 5))
    assert float(window["upper"]) == pytest.approx(most, rel=1e-9) == pytest.approx(float(attack["upper"]), rel=1e-9)
    assert "Neighbours: one record added or removed, ε doubled." in run("leakage", *stream, *ADD_REMOVE).stdout


@pytest.mark.parametrize("method", ["upper-bound", "quantified", "constant"])
@pytest.mark.parametrize("doubles", [(), ("--float",)])
def test_budgets_that_are_printed_are_halved(folder, method, doubles):
    horizon = () if method == "upper-bound" else ("--steps", 4)
    asked = (
        "allocate",
        "--forward",
        "c.csv",
        "--alpha",
        "1",
        "--method",
        method,
        *horizon,
        "--model",
        "paper-bound",
        *doubles,
    )
    alone, halved = (value(*asked, *more)["paper_bound"]["epsilons"] for more in ((), ADD_REMOVE))
    for one, two in zip(alone, halved, strict=True):
        assert float(two["upper"]) == pytest.approx(float(one["lower"]) / 2, rel=1e-12)
        assert 2 * Fraction(two["exact"]) <= Fraction(one["upper"])
    spent = [2 * float(each["lower"]) for each in halved] * (1 if horizon else 5)
    assert max(worst_tpl(reversal(CHAIN), CHAIN, spent, time) for time in (2, 3)) <= 1 + 1e-12
    cap = value("supremum", "c.csv", "--cap", "1", *ADD_REMOVE)["worst_case"]
    again = value("supremum", "c.csv", "--epsilon", cap["exact"], *ADD_REMOVE)["worst_case"]
    assert 1 - 1e-9 < float(again["upper"]) <= 1
