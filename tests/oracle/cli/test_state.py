"""An accountant to and from exact texts: there and back without losing anything."""

import pytest

from tploracle.cli.state import accountant_of, state_of
from tploracle.reference import (
    Accountant,
    Adversary,
    InvalidLevel,
    InvalidNumber,
    InvalidRequest,
    NotStochastic,
    Undecided,
    loss_function,
    parse_level,
)

from ...matrices import MODERATE


def test_the_format_is_as_documented():
    accountant = Accountant({"a": Adversary.knowing(backward=MODERATE)})
    accountant.spend(parse_level("0.1"))
    assert state_of(accountant) == {
        "format": "tploracle-accountant",
        "version": 1,
        "adversaries": {"a": {"backward": [["4/5", "1/5"], ["0", "1"]]}},
        "epsilons": ["1/10"],
    }


def test_a_budget_without_exact_notation_is_refused():
    accountant = Accountant({"a": Adversary.knowing()})
    accountant.spend(loss_function(MODERATE)(parse_level("0.1")))
    with pytest.raises(Undecided):
        state_of(accountant)


GOOD = {"format": "tploracle-accountant", "version": 1, "adversaries": {"a": {}}, "epsilons": []}


def test_the_good_state_is_good():
    assert accountant_of(GOOD).releases == 0


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"format": "other"}, InvalidRequest),
        ({"format": 1}, InvalidRequest),
        ({"version": 2}, InvalidRequest),
        ({"version": "1"}, InvalidRequest),
        ({"version": True}, InvalidRequest),
        ({"more": 1}, InvalidRequest),
        ({"adversaries": {}}, InvalidRequest),
        ({"adversaries": []}, InvalidRequest),
        ({"adversaries": {"a": []}}, InvalidRequest),
        ({"adversaries": {"a": {"sideways": [["1"]]}}}, InvalidRequest),
        ({"adversaries": {"a": {"backward": [["1/2"]]}}}, NotStochastic),
        ({"adversaries": {"a": {"backward": [["x"]]}}}, InvalidNumber),
        ({"epsilons": "0.1"}, InvalidRequest),
        ({"epsilons": ["-1"]}, InvalidLevel),
        ({"epsilons": ["x"]}, InvalidNumber),
    ],
)
def test_bad_states(change, error):
    with pytest.raises(error):
        accountant_of({**GOOD, **change})


@pytest.mark.parametrize("key", list(GOOD))
def test_missing_keys(key):
    with pytest.raises(InvalidRequest, match=key):
        accountant_of({name: value for name, value in GOOD.items() if name != key})
