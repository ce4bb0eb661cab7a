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
    for options, said in (((), "--duplicates drop leaves out"), (("--duplicates", "drop"), "has another state")):
        told = run("estimate", "log.csv", *COLUMNS, *options, status=2).stderr
        assert "the order of two visits" in told
        assert said in told
        assert "such visits" not in told
    written("u,2,a", "v,1,a", "u,3,b", "u,1,a")
    for options, number in (((), 4), (("--duplicates", "drop"), 3)):
        told = run("estimate", "log.csv", *COLUMNS, *options, status=2).stderr
        assert f"there are {number} such visits, of 2 of the users" in told
        assert ("3 of them with another state" in told) == (number == 4)
    many = ("--out", "out", "--epsilon", 1, "--steps", 2, "--smoothing", 1, "--workers", 1, "--duplicates", "drop")
    assert "has another state" in run("population", "log.csv", *COLUMNS, *many, status=2).stderr


@pytest.mark.parametrize(("name", "is_number"), [("{}", True), ("{}.5", True), ("-{}", True), ("page {}", False)])
def test_measurements_are_put_into_bins(empty_folder, name, is_number):
    Path("log.txt").write_text(",".join(name.format(number) for number in range(1100)) + "\n")
    rows = "".join(f"u,{number},{name.format(number)}\n" for number in range(1100))
    Path("log.csv").write_text("who,when,where\n" + rows)
    for asked in (("log.txt", "--separator", "comma"), ("log.csv", *COLUMNS)):
        told = run("estimate", *asked, status=2).stderr
        assert "more than 1000 states" in told
        assert ("bins" in told) == is_number
    text = ",".join([name.format(number) for number in range(60)] * 2) + "\n"
    told = run("estimate", "-", "--separator", "comma", stdin=text).stderr
    assert ("60 states; most of them are numbers: put measurements into bins" in told) == is_number


def test_an_empty_cell_of_a_sequence_ends_it_where_that_is_asked_for(empty_folder):
    Path("s.txt").write_text("a,b,,a,b\n,b,a\n")
    assert "--missing break" in run("estimate", "s.txt", "--separator", "comma", status=2).stderr
    found = run("estimate", "s.txt", "--separator", "comma", "--missing", "break", "--counts").stdout
    assert json.loads(found)["counts"] == [[0, 2], [1, 0]]
    told = run("estimate", "s.txt", "--separator", "comma", "--missing", "state", status=2).stderr
    assert "line 1, name 3 is empty, and no state is named so" in told
