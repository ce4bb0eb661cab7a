"""Supremum, composition, allocate and control on the wire, against values worked out by other means."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.contract.allocation import verified, verified_for_ever
from tploracle.reference import Adversary, TransitionMatrix, parse_level

from ...profiles import examples
from .asking import DYADIC, EQUAL, IDENTITY, MODERATE, ROUNDED, ask, encloses, error

BACKWARD = [["0.8", "0.2"], ["0.2", "0.8"]]
FORWARD = [["0.8", "0.2"], ["0.1", "0.9"]]


def loss(q, d, alpha):
    excess = mpmath.expm1(alpha)
    return mpmath.log((q * excess + 1) / (d * excess + 1))


def rising(q, d, epsilon, steps=4000):
    level = epsilon
    for _ in range(steps):
        level = epsilon + loss(q, d, level)
    return level


def test_supremum_is_where_the_recursion_ends():
    with mpmath.workdps(60):
        value = ask("supremum", digits=30, matrix=FORWARD, epsilon="0.23")
        assert encloses(value, rising(mpmath.mpf(8) / 10, mpmath.mpf(1) / 10, mpmath.mpf(23) / 100), 30)
        assert (value["q"], value["d"], value["rows"], value["subset"]) == ("4/5", "1/10", [1, 2], [1])
        value = ask("supremum", matrix=MODERATE, epsilon="0.15")
        assert encloses(value, mpmath.log1p(mpmath.expm1("0.15") / (1 - mpmath.mpf("0.8") * mpmath.exp("0.15"))))
    equal = ask("supremum", matrix=EQUAL, epsilon="1")
    assert (equal["q"], equal["d"], equal["rows"], equal["subset"]) == ("0", "0", None, [])


def test_the_papers_budgets():
    # x = α_B, y = α_F: x − L^B(x) = y − L^F(y) = ε, x + y − ε = 1, by Newton's method.
    with mpmath.workdps(50):
        eight, two, one = (mpmath.mpf(k) / 10 for k in (8, 2, 1))
        first, last = mpmath.findroot(
            lambda x, y: (x - loss(eight, two, x) - y + loss(eight, one, y), y + loss(eight, two, x) - 1), (0.5, 0.7)
        )
        middle = last - loss(eight, one, last)
        for horizon, truths in ((2, (first, last)), (4, (first, middle, middle, last))):
            found = ask(
                "allocate", digits=30, backward=BACKWARD, forward=FORWARD, alpha=1, method="quantified", horizon=horizon
            )["epsilons"]
            assert len(found) == horizon
            assert all(encloses(level, truth, 30) for level, truth in zip(found, truths, strict=True))
        for horizon in ({}, {"horizon": 3}):
            found = ask("allocate", backward=BACKWARD, forward=FORWARD, alpha="1", method="upper-bound", **horizon)
            assert len(found["epsilons"]) == horizon.get("horizon", 1)
            assert all(encloses(level, middle) for level in found["epsilons"])


def test_schedules_attain_their_level():
    # Forward with exact ratios, by the recursion written out here.
    found = ask("allocate", backward=BACKWARD, forward=FORWARD, alpha="log(2)", method="quantified", horizon=4)
    ratios = [parse_level(level["exact"]).ratio for level in found["epsilons"]]

    def step(q, d, ratio):
        return (q * (ratio - 1) + 1) / (d * (ratio - 1) + 1)

    backward, forward = [ratios[0]], [ratios[-1]]
    for ratio in ratios[1:]:
        backward.append(ratio * step(Fraction(4, 5), Fraction(1, 5), backward[-1]))
    for ratio in ratios[-2::-1]:
        forward.insert(0, ratio * step(Fraction(4, 5), Fraction(1, 10), forward[0]))
    assert [b * f / ratio for b, f, ratio in zip(backward, forward, ratios, strict=True)] == [2, 2, 2, 2]


def test_doubles():
    half = "0x1p-1"
    # 3/4·e^(1/2) > 1.
    assert ask("supremum", numbers="float64", matrix=DYADIC, epsilon=half)["exact"] == "inf"
    assert ask("supremum", numbers="float64", matrix=ROUNDED, epsilon=half)["normalised_rows"] == {"matrix": [1]}
    given = {"backward": DYADIC, "epsilons": [half] * 2}
    assert ask("composition", numbers="float64", **given, start=1, length=2)["exact"] == "1"
    found = ask("allocate", numbers="float64", backward=DYADIC, alpha=half, method="quantified", horizon=2)
    assert found["epsilons"][0]["exact"] == "1/2"
    assert ask("control", numbers="float64", matrix=DYADIC, previous="0x0p+0", cap=half)["exact"] == "1/2"
    assert error("control", numbers="float64", matrix=DYADIC, previous="0.1", cap=half) == "InvalidNumber"
    assert error("allocate", numbers="float64", alpha="1", method="upper-bound") == "InvalidNumber"


def test_digits_are_bounded():
    given = {"alpha": "1", "backward": BACKWARD, "method": "quantified", "horizon": 10_000}
    assert error("allocate", digits=100_000, **given) == "InvalidRequest"
    assert error("supremum", digits=0, matrix=MODERATE, epsilon="1") == "InvalidRequest"


def test_what_is_handed_out_is_verified():
    adversary = Adversary.knowing(backward=TransitionMatrix.of(BACKWARD))
    alpha, tenth, nine = parse_level("1"), parse_level("0.1"), parse_level("0.9")
    assert len(verified([tenth, tenth], [adversary], alpha)) == 1
    with pytest.raises(ArithmeticError, match="time 2"):
        verified([nine, nine], [adversary], alpha)
    with pytest.raises(ArithmeticError, match="time 1"):
        verified([tenth, nine], [adversary], alpha, attained=True)
    with pytest.raises(ArithmeticError, match="time 2"):
        verified([tenth, nine], [Adversary(), adversary], parse_level("0.9"))
    assert verified([alpha, alpha], [Adversary()], alpha, attained=True)
    verified_for_ever(tenth, [adversary], alpha)
    with pytest.raises(ArithmeticError):
        verified_for_ever(nine, [Adversary(), adversary], alpha)
    with pytest.raises(ArithmeticError):
        verified_for_ever(tenth, [Adversary.knowing(forward=TransitionMatrix.of(IDENTITY))], alpha)
    exact = parse_level("log(2)")
    with pytest.raises(ArithmeticError):  # closer than 40 digits, but told apart: both have exact forms
        verified([parse_level(f"log({2 * 10**60 + 1}/{10**60})")], [Adversary()], exact)


@examples(15)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=2), st.integers(1, 30), st.integers(1, 6))
def test_budgets_on_random_matrices(parts, tenths, horizon):
    rows = [[f"{part}/10", f"{10 - part}/10"] for part in parts]
    alpha = f"{tenths}/10"
    given = {"backward": rows, "forward": FORWARD, "alpha": alpha}
    longest = ask("allocate", **given, method="quantified", horizon=horizon)["epsilons"]
    constant = ask("allocate", **given, method="upper-bound")["epsilons"][0]
    assert all(float(constant["lower"]) <= float(level["upper"]) for level in longest)
    rises = ask("supremum", matrix=rows, epsilon=f"{tenths}/10")
    spent = ask("control", matrix=rows, previous=alpha, cap=alpha)
    assert float(rises["lower"]) >= tenths / 10 * (1 - 1e-12)
    assert float(spent["lower"]) <= tenths / 10
