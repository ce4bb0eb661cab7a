"""`tploracle population`: from a log or a table to rows, what they come to, the users who rule, and a picture."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tploracle.certificates.checker import check
from tploracle.cli import population_command

from ... import commands

LOG = "who,when,where\n" + "".join(
    f"u{user},{time},{'ab'[(time * user + time // 3) % 2]}\n" for user in range(1, 10) for time in range(user + 2)
)
ASKED = ["--user", "who", "--time", "when", "--state", "where", "--epsilon", "0.1", "--steps", "5", "--alpha", "1"]


@pytest.fixture(autouse=True)
def _log(empty_folder, monkeypatch):
    monkeypatch.setattr(population_command, "CHUNK_USERS", 4)
    Path("log.csv").write_text(LOG)


def run(*args, status=0):
    result = commands.run("population", *args, "--workers", "1", status=status)
    return result.stderr if status else result.stdout


def test_a_log():
    told = json.loads(run("log.csv", "--out", "out", *ASKED, "--smoothing", "1/2", "--exact", "2", "--json"))
    assert (told["users"], told["refused"], told["rejected_rows"]) == (9, 0, 0)
    rows = [row for path in sorted(Path("out").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    assert len(rows) == 9
    worst = max(rows, key=lambda row: row["tpl_upper"])
    assert float(told["levels"]["tpl"]["worst"]) == worst["tpl_upper"]
    assert float(told["levels"]["budget"]["worst"]) == min(row["budget_lower"] for row in rows)
    assert not Path("out", "visits").exists()
    rulers = [json.loads(line) for line in Path("out", "rulers.json").read_text().splitlines()]
    assert [ruler["user"] for ruler in rulers] == [
        row["user"] for row in sorted(rows, key=lambda row: (-row["tpl_upper"], row["user"]))[:2]
    ]
    by_user = {row["user"]: row for row in rows}
    for ruler in rulers:
        row = by_user[ruler["user"]]
        for name in ("bpl", "fpl", "tpl", "bpl_supremum", "tpl_supremum", "budget"):
            assert row[f"{name}_lower"] <= float(ruler[name]["upper"])
            assert float(ruler[name]["lower"]) <= row[f"{name}_upper"]
        documents = [json.loads(Path("out", name).read_text()) for name in ruler["certificates"]]
        assert [check(json.dumps(document)) for document in documents]
        leakage, *suprema = documents
        assert leakage["certificate"] == "leakage"
        assert max(level["upper"] for level in leakage["tpl"]) == ruler["tpl"]["upper"]
        for document, name in zip(suprema, ("bpl_supremum", "fpl_supremum"), strict=True):
            assert document["certificate"] == ("divergent" if ruler[name]["exact"] == "inf" else "bounded")


def test_who_rules_by_the_exact_worst_case():
    args = ["log.csv", "--out", "out", *ASKED[:10], "--smoothing", "1/2", "--tight", "--exact", "2"]
    assert "perhaps far less" not in run(*args)
    rows = [row for path in sorted(Path("out").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    rulers = [json.loads(line) for line in Path("out", "rulers.json").read_text().splitlines()]
    assert [ruler["user"] for ruler in rulers] == [
        row["user"] for row in sorted(rows, key=lambda row: (-row["tight_tpl_upper"], row["user"]))[:2]
    ]
    for ruler in rulers:
        row = next(row for row in rows if row["user"] == ruler["user"])
        assert row["tight_tpl_time"] == ruler["tight_tpl_time"]
        *_, below, above = [json.loads(Path("out", name).read_text()) for name in ruler["certificates"]]
        assert (below["certificate"], above["certificate"], above["time"]) == ("tight-lower", "tight-upper", None)
        assert below["time"] == ruler["tight_tpl_time"]
        for document in (below, above):
            assert check(json.dumps(document))
        assert row["tight_tpl_lower"] <= float(above["level"]) <= row["tight_tpl_upper"] * (1 + 1e-14)
        assert row["tight_tpl_lower"] <= float(ruler["tight_tpl"]["upper"])
        assert float(ruler["tight_tpl"]["lower"]) <= row["tight_tpl_upper"]


def test_the_table_and_the_picture():
    told = run("log.csv", "--out", "out", *ASKED, "--smoothing", "1", "--plot", "p.png", "--table", "rows.csv")
    assert "9 users" in told
    for words in ("worst TPL", "TPL for ever", "budget for ever", "perhaps far less", "The least budget for ever is"):
        assert words in told
    assert Path("p.png").read_bytes().startswith(b"\x89PNG")
    assert len(Path("rows.csv").read_text().splitlines()) == 10


def test_a_run_goes_on_and_says_the_same():
    first = run("log.csv", "--out", "out", *ASKED, "--smoothing", "1", "--json")
    bytes_of = {path: path.read_bytes() for path in Path("out").glob("*.parquet")}
    next(iter(bytes_of)).unlink()
    assert run("log.csv", "--out", "out", *ASKED, "--smoothing", "1", "--json") == first
    assert {path: path.read_bytes() for path in Path("out").glob("*.parquet")} == bytes_of
    assert "another question" in run("log.csv", "--out", "out", *ASKED, "--smoothing", "2", status=2)


def test_broken_rows():
    Path("log.csv").write_text(LOG + "u1,x,a\n")
    assert run("log.csv", "--out", "out", *ASKED, status=2).startswith(
        "InvalidRequest: log.csv: line 65, column 2: 'x' is"
    )
    told = run("log.csv", "--out", "out", *ASKED, "--smoothing", "1", "--rejects", "r.csv")
    assert "1 rows of log.csv were broken" in told
    assert "line 65, column 2: 'x' is no time" in Path("r.csv").read_text()


@pytest.mark.parametrize(
    ("args", "where"),
    [
        ([], "nothing is asked"),
        (["--epsilon", "0.1", "--steps", "0"], "--steps is at least 1"),
        (["--steps", "3"], "give either --epsilon and --steps"),
        (["--alpha", "x"], "--alpha"),
        (["--alpha", "1", "--smoothing", "x"], "--smoothing"),
        (["--alpha", "1", "--user", "u"], "belong together"),
        (["--alpha", "1"], "log.csv: the Parquet cannot be read"),
    ],
)
def test_what_is_no_question(args, where):
    assert where in run("log.csv", "--out", "out", *args, status=2)


def test_suprema_alone():
    told = json.loads(run("log.csv", "--out", "out", *ASKED[:8], "--smoothing", "1", "--json"))
    assert [*told["levels"]] == ["bpl_supremum", "fpl_supremum", "tpl_supremum"]


def test_one_schedule_for_all():
    args = ["log.csv", "--out", "out", *ASKED, "--smoothing", "1", "--horizon", "5"]
    told = run(*args)
    assert "one schedule of 5 releases for all" in told
    value = json.loads(run(*args, "--json"))["common_schedule"]
    assert json.loads(Path("out", "schedule.json").read_text()) == value
    assert len({*value["epsilons"]}) == 1
    assert 1 - 1e-12 < float(value["worst_tpl"]) <= 1
    assert "--horizon needs --alpha" in run("log.csv", "--out", "o", *ASKED[:10], "--horizon", "5", status=2)
