"""Certificates of a profile, from above and from below: both hold, and are near to each other."""

import json
from decimal import Decimal
from fractions import Fraction
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.certificates.checker import NotDecided, check
from tploracle.certificates.parts import GUARD
from tploracle.certificates.profile import AskedProfile, profile_lower_certificate, profile_upper_certificate
from tploracle.reference import InvalidRequest, parse_level

from ..matrices import CYCLE, DIVERGES, HALF, MODERATE, SKEWED, STRONGEST, SYMMETRIC
from ..profiles import examples
from .documents import checked

F = Fraction


@given(
    st.sampled_from([SKEWED, SYMMETRIC, MODERATE, HALF, DIVERGES, CYCLE]),
    st.sampled_from(["log(3/2)", "1/3", "2", "1e-6"]),
    st.integers(1, 4),
    st.sampled_from([F(1, 10**9), F(1, 100), F(1, 9)]),
    st.sampled_from([F(0), F(1, 10**12), F(1, 1000)]),
)
@examples(12)
def test_both_hold_and_are_near(matrix, epsilon, releases, delta, own):
    if (1 + parse_level(epsilon).excess_bounds()[1]) ** releases * releases * own > delta:
        own = F(0)  # else the value may be told for certain with more than this chance
    asked = AskedProfile(matrix, parse_level(epsilon), releases, delta, own)
    above = checked(profile_upper_certificate(asked, 12))
    if not own:
        assert F(above["delta"]) == delta
    if asked.level.is_zero:
        with pytest.raises(InvalidRequest, match="the level is 0"):
            profile_lower_certificate(asked)
        return
    below = checked(profile_lower_certificate(asked, 12))
    low, high = Decimal(below["alpha"]), Decimal(above["alpha"])
    assert low < asked.level.enclosure(20).lower
    assert asked.level.enclosure(20).upper < high
    assert high - low < Decimal("1e-10") * high
    unit = 10 ** (below["digits"] + 2 * GUARD)
    assert all((F(text) * unit).denominator == 1 for text in chain([below["start"]], *below["peaks"]))


@pytest.mark.parametrize(
    ("level", "delta", "digits", "low", "high"),
    [
        ("0.9999", F(0), 3, "0.979", "1.02"),  # between .999 and 1.00, of which a unit is .01
        ("3/2", F(0), 1, "0", "4"),
        ("1/3", F(1, 2), 3, "0", "0"),
    ],
)
def test_a_level_is_moved_by_two_units(level, delta, digits, low, high):
    asked = AskedProfile(STRONGEST, parse_level(level), 1, delta)
    assert [Decimal(asked.moved(digits, up)) for up in (False, True)] == [Decimal(low), Decimal(high)]


@pytest.mark.parametrize(
    ("releases", "own", "certified"),
    [(2, F(1, 100), F(1, 50) * (1 + F(1, 10**17))), (2, (1 - F(1, 10**20)) / 2, F(1))],
)
def test_where_delta_is_told_for_certain_a_little_more_is_certified(releases, own, certified):
    """Values that never change: two chances of 1/100 are 1/50 at every α, so that what is rounded up exceeds it."""
    asked = AskedProfile(STRONGEST, parse_level("0"), releases, releases * own, own)
    assert asked.level.is_zero
    assert F(checked(profile_upper_certificate(asked))["delta"]) == certified


def test_what_there_is_no_certificate_of():
    asked = AskedProfile(SKEWED, parse_level("1"), 2, F(1, 100))
    assert asked.own == 0
    for certificate in (profile_upper_certificate, profile_lower_certificate):
        assert certificate(asked)["digits"] == 17
        for digits in (0, 1001):
            with pytest.raises(InvalidRequest, match="digits"):
                certificate(asked, digits)
    with pytest.raises(InvalidRequest, match="no finite level"):
        AskedProfile(STRONGEST, parse_level("1"), 3, F(1, 50), F(1, 100))
    for epsilon, delta, own in (("1", F(1), F(1)), ("1", F(1), F(0)), ("0", F(0), F(0)), ("0", F(1, 2), F(0))):
        with pytest.raises(InvalidRequest, match="δ = 1, or releases that tell nothing"):
            AskedProfile(SKEWED, parse_level(epsilon), 2, delta, own)
    with pytest.raises(InvalidRequest, match="infinite budget"):
        AskedProfile(STRONGEST, parse_level("inf"), 3, F(1, 50))


def test_what_takes_too_long_is_not_decided():
    above = profile_upper_certificate(AskedProfile(SYMMETRIC, parse_level("1/2"), 2, F(1, 100)))
    with pytest.raises(NotDecided, match="units of work"):
        check(json.dumps({**above, "releases": 1000}), 10**8)
