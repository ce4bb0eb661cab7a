"""An accountant to and from exact texts: there and back without losing anything."""

from dataclasses import replace

import pytest

from tploracle.cli.state import accountant_of, recorded_account
from tploracle.data.ledger_chain import RecordedAccount
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

GOOD = RecordedAccount({"a": {"backward": [["4/5", "1/5"], ["0", "1"]]}}, epsilons=["1/10"])


def test_there_and_back():
    accountant = Accountant({"a": Adversary.knowing(backward=MODERATE)})
    accountant.spend(parse_level("0.1"))
    assert recorded_account(accountant) == recorded_account(accountant_of(GOOD)) == GOOD


def test_a_budget_without_exact_notation_is_refused():
    accountant = Accountant({"a": Adversary.knowing()})
    accountant.spend(loss_function(MODERATE)(parse_level("0.1")))
    with pytest.raises(Undecided):
        recorded_account(accountant)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"adversaries": {}}, InvalidRequest),
        ({"adversaries": []}, InvalidRequest),
        ({"adversaries": {"a": []}}, InvalidRequest),
        ({"adversaries": {"a": {"sideways": [["1"]]}}}, InvalidRequest),
        ({"adversaries": {"a": {"backward": [["1/2"]]}}}, NotStochastic),
        ({"adversaries": {"a": {"backward": [["x"]]}}}, InvalidNumber),
        ({"bound": "loose"}, InvalidRequest),
        ({"bound": "recursion delta=1/2"}, InvalidRequest),
        ({"epsilons": ["-1"]}, InvalidLevel),
        ({"epsilons": ["x"]}, InvalidNumber),
    ],
)
def test_bad_accounts(change, error):
    with pytest.raises(error):
        accountant_of(replace(GOOD, **change))
