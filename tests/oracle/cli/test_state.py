"""The accountant's state: there and back without losing anything, and nothing half-written."""

import json

import pytest

from tploracle.cli import state
from tploracle.cli.state import accountant_of, load, save, state_of
from tploracle.reference import (
    Accountant,
    Adversary,
    InvalidLevel,
    InvalidNumber,
    InvalidRequest,
    NotStochastic,
    TransitionMatrix,
    Undecided,
    loss_function,
    parse_level,
)

MODERATE = TransitionMatrix.of([["0.8", "0.2"], ["0", "1"]])
OTHER = TransitionMatrix.of([["1/3", "2/3"], ["1/7", "6/7"]])
BUDGETS = ["0.1", "log(11/10)", "log((7+sqrt(33))/8)", "1/3", "0", "log(11/10)"]


def made():
    accountant = Accountant(
        {
            "alice": Adversary.knowing(backward=MODERATE, forward=OTHER),
            "bob": Adversary.knowing(forward=MODERATE),
            "eve": Adversary.knowing(),
        }
    )
    for budget in BUDGETS:
        accountant.spend(parse_level(budget))
    return accountant


def test_round_trip_is_exact(tmp_path):
    before = made()
    path = tmp_path / "state.json"
    save(before, path)
    after = load(path)
    assert state_of(after) == state_of(before)
    assert after.releases == len(BUDGETS)
    for name in ("alice", "bob", "eve"):
        assert after.leakage(name) == before.leakage(name)
    again = tmp_path / "again.json"
    save(after, again)
    assert again.read_bytes() == path.read_bytes()


def test_the_state_goes_on_as_if_never_saved(tmp_path):
    without, path = made(), tmp_path / "state.json"
    save(made(), path)
    loaded = load(path)
    for accountant in (without, loaded):
        accountant.spend(parse_level("log(5/4)"))
    for time in range(1, without.releases + 1):
        for kind in ("bpl", "fpl", "tpl"):
            assert getattr(loaded, kind)(time) == getattr(without, kind)(time)


def test_the_format_is_as_documented():
    accountant = Accountant({"a": Adversary.knowing(backward=MODERATE)})
    accountant.spend(parse_level("0.1"))
    assert state_of(accountant) == {
        "format": "tploracle-accountant",
        "version": 1,
        "adversaries": {"a": {"backward": [["4/5", "1/5"], ["0", "1"]]}},
        "epsilons": ["1/10"],
    }


def test_infinite_budgets_are_kept(tmp_path):
    accountant = Accountant({"a": Adversary.knowing()})
    accountant.spend(parse_level("inf"))
    save(accountant, tmp_path / "s")
    assert load(tmp_path / "s").bpl(1).level.is_infinite


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


def test_an_interrupt_while_saving_leaves_the_former_file(tmp_path, monkeypatch):
    path = tmp_path / "state.json"
    save(accountant_of(GOOD), path)
    before = path.read_bytes()

    def interrupted(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(state.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save(made(), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_saving_keeps_links_and_permissions(tmp_path):
    path, link = tmp_path / "state.json", tmp_path / "link.json"
    save(accountant_of(GOOD), path)
    path.chmod(0o600)
    link.symlink_to(path)
    save(made(), link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text())["epsilons"][0] == "1/10"


def test_where_nothing_can_be_written(tmp_path):
    with pytest.raises(InvalidRequest, match="cannot be written"):
        save(accountant_of(GOOD), tmp_path / "none" / "state.json")
