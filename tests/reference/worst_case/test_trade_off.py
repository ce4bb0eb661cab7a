"""Trade-off functions against their definitions."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.reference import InvalidRequest
from tploracle.reference.worst_case.trade_off import TradeOff

from ...profiles import examples

F = Fraction
CHANCES = st.fractions(0, 1, max_denominator=50)
RATIOS = st.fractions(1, 5, max_denominator=20)


def approximate(u, ratio, delta):
    return min(F(1), ratio * u + delta, 1 - (1 - delta - u) / ratio)


@given(RATIOS, CHANCES, RATIOS, CHANCES, CHANCES)
@examples(60)
def test_against_the_definitions(ratio, delta, other_ratio, other_delta, u):
    phi, psi = TradeOff.approximate(ratio, delta), TradeOff.approximate(other_ratio, other_delta)
    assert phi(u) == approximate(u, ratio, delta)
    assert phi.mirrored() == phi == phi.symmetric()
    assert phi.both(psi)(u) == min(phi(u), psi(u))
    assert phi.after(psi)(u) == phi(psi(u))
    y = psi(u)
    back = phi.reached_at(y)
    assert (back is None) == (y < delta)
    assert back is None or (phi(back) == y and (back == 0 or phi(back - back / 1000) < y))
    assert phi.at_most(psi) == all(phi(v) <= psi(v) for v in {*phi.kinks, *psi.kinks})


@given(RATIOS, CHANCES, CHANCES)
@examples(60)
def test_mirror_of_one_line(slope, start, u):
    """min(1, s·u + c) read from the other value: the test's complement, 1 − φ^−1(1 − u)."""
    phi = TradeOff.least([(slope, start)])
    mirror = phi.mirrored()
    back = phi.reached_at(1 - u)
    assert mirror(u) == (1 - back if back is not None else 1)
    both = phi.symmetric()
    assert both(u) == min(phi(u), mirror(u))
    assert both.mirrored() == both


def test_what_is_none():
    for points in (
        (),
        ((F(1, 2), F(1, 2)), (F(1), F(1))),
        ((F(0), F(0)), (F(1), F(1, 2))),
        ((F(0), F(1, 2)), (F(1, 2), F(1, 4)), (F(1), F(1))),
        ((F(0), F(0)), (F(1, 2), F(1, 4)), (F(1), F(1))),
        ((F(0), F(0)), (F(1, 4), F(1, 2)), (F(1, 2), F(1, 2)), (F(1), F(1))),
    ):
        with pytest.raises(InvalidRequest):
            TradeOff(points)
    for ratio, delta in ((F(1, 2), F(0)), (F(2), F(-1)), (F(2), F(2))):
        with pytest.raises(InvalidRequest):
            TradeOff.approximate(ratio, delta)
    assert TradeOff(((F(0), F(0)), (F(1, 2), F(1, 2)), (F(1), F(1)))).points == ((F(0), F(0)), (F(1), F(1)))
