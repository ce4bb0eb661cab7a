"""A backward and a forward matrix of different sizes are of no one user: every command that takes both refuses them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import tploracle
from tploracle import InvalidRequest, TransitionMatrix
from tploracle.cli.main import main

TWO, THREE = [["1/2", "1/2"], ["1/4", "3/4"]], [["1/2", "1/4", "1/4"], ["0", "1", "0"], ["1/3", "1/3", "1/3"]]
BOTH = ["--backward", "two.json", "--forward", "three.json"]
RELEASES = ["--epsilon", "0.1", "--steps", "4"]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, matrix in (("two", TWO), ("three", THREE)):
        Path(f"{name}.json").write_text(json.dumps(matrix))
    Path("both.json").write_text(json.dumps({"backward": TWO, "forward": THREE}))
    Path("users.json").write_text(
        json.dumps({"ann": {"backward": TWO}, "bob": {"backward": "two.json", "forward": THREE}})
    )


@pytest.mark.parametrize(
    "args",
    [
        ["leakage", *BOTH, *RELEASES],
        ["leakage", *BOTH, *RELEASES, "--tight"],
        ["leakage", *BOTH, "--forward", "two.json", *RELEASES],
        ["leakage", "--users", "users.json", *RELEASES],
        ["composition", *BOTH, *RELEASES, "--w", "2"],
        ["allocate", *BOTH, "--alpha", "1", "--method", "upper-bound"],
        ["allocate", "--users", "users.json", "--alpha", "1", "--method", "constant", "--horizon", "5"],
        ["utility", *BOTH, "--alpha", "1", "--horizon", "5"],
        ["audit", "both.json"],
        ["audit", *BOTH],
        ["attack", *BOTH, *RELEASES],
        ["spend", "ledger.json", "--init", *BOTH],
        ["spend", "ledger.json", "--init", "--users", "users.json", "--tight"],
        ["certify", "leakage", *BOTH, *RELEASES],
        ["certify", "tight-upper", *BOTH, *RELEASES, "--time", "2"],
    ],
    ids=" ".join,
)
def test_every_command_refuses_them(args):
    done = CliRunner().invoke(main, args)
    assert done.exit_code == 2, done.stdout
    assert done.stderr.startswith("InvalidRequest: ")
    assert "the backward matrix has 2 states, the forward one 3" in done.stderr
    assert ("users.json" in args) <= ("bob" in done.stderr)
    assert not Path("ledger.json").exists()


def test_python_refuses_them():
    two, three = TransitionMatrix.of(TWO), TransitionMatrix.of(THREE)
    with pytest.raises(InvalidRequest, match="the backward matrix has 2 states, the forward one 3"):
        tploracle.adversary(two, three)
    assert tploracle.adversary(two, two).forward is not None
