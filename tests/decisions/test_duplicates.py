"""Visits that a log has twice: an error unless dropping them is asked for, and never where they differ."""

import json
from pathlib import Path

import pytest

from ..commands import run

COLUMNS = ("--user", "who", "--time", "when", "--state", "where")


def written(*again):
    visits = ["u,1,a", "u,2,b", "u,3,a", "v,1,b", *again]
    Path("log.csv").write_text("who,when,where\n" + "".join(f"{visit}\n" for visit in visits))


@pytest.mark.parametrize("again", [["u,2,b"], ["u,2,b", "u,2.0,b", "v,1,b"]])
def test_the_same_again(empty_folder, again):
    written(*again)
    assert "--duplicates drop" in run("estimate", "log.csv", *COLUMNS, status=2).stderr
    found = run("estimate", "log.csv", *COLUMNS, "--duplicates", "drop", "--counts").stdout
    assert json.loads(found)["counts"] == [[0, 1], [1, 0]]
    many = ("--out", "out", "--epsilon", 1, "--steps", 2, "--smoothing", 1, "--workers", 1, "--json")
    assert "has a visit at" in run("population", "log.csv", *COLUMNS, *many, status=2).stderr
    dropped = json.loads(run("population", "log.csv", *COLUMNS, *many, "--duplicates", "drop").stdout)
    assert (dropped["users"], dropped["rejected_rows"]) == (2, 0)
    assert "from 2 transitions" in dropped["basis"]["estimate"]


def test_two_states_at_one_time(empty_folder):
    written("u,2,a")
    for options in ((), ("--duplicates", "drop")):
        assert "the order of two visits" in run("estimate", "log.csv", *COLUMNS, *options, status=2).stderr
