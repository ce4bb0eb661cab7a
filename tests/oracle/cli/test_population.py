"""`tploracle population`: from a log or a table to rows, what they come to, the worst users, and a picture."""

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tploracle.certificates.checker import check
from tploracle.cli import population_command
from tploracle.population import recomputed, user_rows
from tploracle.reference import Undecided

from ... import commands

LOG = "who,when,where\n" + "".join(
    f"u{user},{time},{'ab'[(time * user + time // 3) % 2]}\n" for user in range(1, 10) for time in range(user + 2)
)
ASKED = ["--user", "who", "--time", "when", "--state", "where", "--epsilon", "0.1", "--steps", "5", "--alpha", "1"]

KEYS = ["worst_case", "paper_bound"]


@pytest.fixture(autouse=True)
def _log(empty_folder, monkeypatch):
    monkeypatch.setattr(population_command, "CHUNK_USERS", 4)
    Path("log.csv").write_text(LOG)


def run(*args, status=0):
    result = commands.run("population", *args, "--workers", "1", status=status)
    return result.stderr if status else result.stdout


def answer(*args):
    """Return what the command says with --json."""
    return commands.value("population", "log.csv", "--out", "out", *args, "--workers", "1")


def rows_out():
    """Return the rows by user, the worst user first by the first TPL that they have."""
    rows = [row for path in sorted(Path("out").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    column = next(name for name in rows[0] if name.endswith("_tpl_upper"))
    return {row["user"]: row for row in sorted(rows, key=lambda row: (-row[column], row["user"]))}


@pytest.mark.parametrize(
    ("model", "keys"), [("paper-bound", KEYS[1:]), ("worst-case", KEYS[:1]), ("both", KEYS)], ids=str
)
def test_a_log(model, keys):
    args = [*ASKED[: 10 if model == "worst-case" else 12], "--smoothing", "1/2", "--model", model, "--exact", "2"]
    told = answer(*args)
    assert (told["users"], told["refused"], told["rejected_rows"]) == (9, 0, 0)
    basis = told["basis"]
    assert f"from {len(LOG.splitlines()) - 1 - 9} transitions in all, 1/2 added to each count" in basis["estimate"]
    assert (basis["users"], basis["step"]) == ("all 9", "visits are all 1 apart, which is taken as the step")
    assert [*basis["absent"]] == [key for key in KEYS[:1] if key not in keys]
    assert [key for key in told if key in KEYS] == keys
    rows = rows_out()
    assert len(rows) == 9
    for key in keys:
        levels = told[key]["levels"]
        assert float(levels["tpl"]["worst"]) == max(row[f"{key}_tpl_upper"] for row in rows.values())
        if key == "paper_bound":
            assert float(levels["budget"]["worst"]) == min(row[f"{key}_budget_lower"] for row in rows.values())
    assert not Path("out", "visits").exists()
    users = [json.loads(line) for line in Path("out", "worst_users.json").read_text().splitlines()]
    assert [user["user"] for user in users] == [*rows][:2]
    for user in users:
        assert [*user] == ["user", "asked", *keys, "certificates", "basis"]
        commands.validator("worst_user").validate(user)
        _rests_on_its_own_user(user, basis, {} if model == "worst-case" else {"alpha": "1"})
        row = rows[user["user"]]
        for key in keys:
            for name in {*user[key]} & {"bpl", "fpl", "tpl", "bpl_supremum", "tpl_supremum", "budget"}:
                assert row[f"{key}_{name}_lower"] <= float(user[key][name]["upper"])
                assert float(user[key][name]["lower"]) <= row[f"{key}_{name}_upper"]
        documents = [json.loads(Path("out", name).read_text()) for name in user["certificates"]]
        assert [check(json.dumps(document)) for document in documents]
        if "worst_case" in keys:
            *documents, below, above = documents
            assert (below["certificate"], above["certificate"], above["time"]) == (
                "worst-case-lower",
                "worst-case-upper",
                None,
            )
            assert below["time"] == user["worst_case"]["tpl_time"] == row["worst_case_tpl_time"]
            assert row["worst_case_tpl_lower"] <= float(above["level"]) <= row["worst_case_tpl_upper"] * (1 + 1e-14)
        if "paper_bound" in keys:
            leakage, *suprema = documents
            assert leakage["certificate"] == "leakage"
            assert max(level["upper"] for level in leakage["tpl"]) == user["paper_bound"]["tpl"]["upper"]
            for document, name in zip(suprema, ("bpl_supremum", "fpl_supremum"), strict=True):
                is_infinite = user["paper_bound"][name]["exact"] == "inf"
                assert document["certificate"] == ("divergent" if is_infinite else "bounded")
    words = run("log.csv", "--out", "out", *args)
    assert words.startswith("5 releases leak at most 0.")
    assert [text in words for text in ("(exact worst case, user", "The paper's bound for all 9 users is")] == [
        "worst_case" in keys,
        model == "both",
    ]


def _rests_on_its_own_user(line, of_all, more):
    """Hold the basis of a worst user's line to a walk through the log, step by step, which counts what is balanced."""
    places = [row.split(",")[2] for row in LOG.splitlines() if row.startswith(line["user"] + ",")]
    own = line["basis"]
    ends = places[0] == places[-1]  # each place is left as often as entered just where a walk closes
    assert line["asked"] == {"epsilon": "1/10", "steps": 5, **more}
    assert own["estimate"].startswith(f"from {len(places) - 1} transitions, 1/2 added to each count")
    assert own["chain"] == (
        "both describe one stationary chain" if ends else "not of one stationary chain: counted both ways"
    )
    assert own["users"] == "one"
    for key in ("adversary", "values", "neighbours", "mechanisms", "step", "absent"):
        assert own[key] == of_all[key]


def test_a_worst_user_given_as_matrices_says_whether_they_are_one_chains():
    """By hand: the reversal of ((3/4, 1/4), (1/2, 1/2)) is itself, whose stationary distribution is (2/3, 1/3)."""
    own, other = [0.75, 0.25, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5]
    pq.write_table(pa.table({"user": ["a", "b"], "forward": [own, own], "backward": [own, other]}), "log.csv")
    args = ["--epsilons", "0.1,0.2", "--exact", "2", "--neighbours", "add-remove"]
    run("log.csv", "--out", "out", *args)
    lines = {line["user"]: line for line in map(json.loads, Path("out", "worst_users.json").read_text().splitlines())}
    assert {name: line["basis"]["chain"] for name, line in lines.items()} == {
        "a": "both describe one stationary chain",
        "b": "not of one stationary chain: off by 0.25",
    }
    for line in lines.values():
        commands.validator("worst_user").validate(line)
        assert line["asked"] == {"epsilons": ["1/10", "1/5"]}
        assert line["basis"]["neighbours"] == "one record added or removed, ε doubled"
        assert line["basis"]["estimate"] == "none, the matrices are taken as true"


def test_the_exact_worst_case_is_not_decided_for_some(monkeypatch):
    users = iter(range(100))
    found = user_rows.greatest_worst_case_tpl
    monkeypatch.setattr(user_rows, "greatest_worst_case_tpl", lambda *own: found(*own) if next(users) else _undecided())
    user_rows._known.clear()
    args = [*ASKED[:10], "--smoothing", "1/2", "--model", "both"]
    words = run("log.csv", "--out", "out", *args)
    assert "The paper's bound for all 9 users is" in words
    told = answer(*args)
    left = 9 - told["worst_case"]["levels"]["tpl"]["users"]
    assert left > 0
    assert f"any of {9 - left} of 9 users" in words
    assert told["basis"]["users"] == f"all 9; of {left} by the paper's bound alone, the column error says why"


def _undecided():
    raise Undecided("too close")


def test_the_table_and_the_picture():
    told = run("log.csv", "--out", "out", *ASKED, "--smoothing", "1", "--plot", "p.png", "--table", "rows.csv")
    assert told.startswith("5 releases leak at most 0.")
    of_whom = ("any of all 9 users", "Paper's bound, 9 users", "Users: all 9.")
    for words in (*of_whom, "TPL supremum", "The least constant budget is"):
        assert words in told
    rows = rows_out()
    worst = next(iter(rows.values()))["paper_bound_tpl_upper"]
    shown = Decimal(told.partition("leak at most ")[2].partition(" ")[0])
    assert worst <= shown < worst * (1 + 1e-5)
    budget = min(row["paper_bound_budget_lower"] for row in rows.values())
    shown = Decimal(told.partition("A budget of ")[2].partition(" ")[0])
    assert budget * (1 - 1e-5) < shown <= budget
    told = commands.csv_rows("population", "log.csv", "--out", "out", *ASKED, "--smoothing", "1")
    assert {row["level"]: float(row["worst"]) for row in told}["paper_bound_tpl"] == worst
    assert Path("p.png").read_bytes().startswith(b"\x89PNG")
    assert len(Path("rows.csv").read_text().splitlines()) == 10


def test_a_wrong_number_of_the_worst_user_is_refuted_and_nothing_is_printed(monkeypatch):
    asked = (*ASKED, "--smoothing", "1")
    assert answer(*asked)["checked"] == "from above"
    found = user_rows.enclose
    monkeypatch.setattr(user_rows, "enclose", lambda *own: found(*own) + np.spacing(1.0) * (np.arange(21) == 0))
    monkeypatch.setattr(recomputed, "check_some", lambda *_: None)
    user_rows._known.clear()
    result = commands.run("population", "log.csv", "--out", "new", *asked, "--workers", "1", status=5)
    user_rows._known.clear()
    assert "Refuted: log.csv: user " in result.stderr
    assert ": paper_bound_bpl_lower is 0." in result.stderr
    assert ", by exact methods 0." in result.stderr
    assert result.stdout == ""


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
    assert "of 9 of 9 users" in told
    assert "Users: 9 of 9; rows of log.csv rejected as broken: 1." in told
    assert "line 65, column 2: 'x' is not a time" in Path("r.csv").read_text()


@pytest.mark.parametrize(
    ("args", "where"),
    [
        ([], "nothing is asked"),
        (["--epsilon", "0.1", "--steps", "0"], "--steps is at least 1"),
        (["--steps", "3"], "give either --epsilon and --steps"),
        (["--alpha", "x"], "--alpha"),
        (["--alpha", "1", "--smoothing", "x"], "--smoothing"),
        (["--alpha", "1", "--model", "both"], "--model both needs releases"),
        (["--alpha", "1", "--method", "constant"], "--method needs --steps"),
        (["--alpha", "1", "--steps", "0", "--method", "constant"], "--steps is at least 1"),
        (["--alpha", "1"], "log.csv: the Parquet cannot be read"),
    ],
)
def test_what_is_no_question(args, where):
    assert where in run("log.csv", "--out", "out", *args, status=2)


def test_suprema_alone():
    told = answer(*ASKED[:8], "--smoothing", "1")
    assert [*told["paper_bound"]["levels"]] == ["bpl_supremum", "fpl_supremum", "tpl_supremum"]
    assert "for releases alone" in told["basis"]["absent"]["worst_case"]


@pytest.mark.parametrize(
    ("more", "of_whom", "model"),
    [("", "all 9", "paper-bound"), ("once,1,a\n", "9 of 10", "paper-bound"), ("", "all 9", "both")],
)
def test_one_schedule_for_all_who_are_not_refused(more, of_whom, model):
    Path("log.csv").write_text(LOG + more)
    args = [*ASKED, "--smoothing", "1", "--method", "constant", "--unestimated", "leave-out", "--model", model]
    told = answer(*args)
    value, written = told["paper_bound"]["common_schedule"], json.loads(Path("out", "schedule.json").read_text())
    assert written["paper_bound"] == value
    for basis in (told["basis"], written["basis"]):
        assert basis["users"] == of_whom + ("; 1 refused, the column error says why" if more else "")
    assert (value["verified_users"], value["users"]) == (9, 9 + bool(more))
    assert len({*value["epsilons"]}) == 1
    assert 1 - 1e-12 < float(value["worst_tpl"]) <= 1
    words = run("log.csv", "--out", "out", *args)
    assert f"verified on {of_whom} users, at most 1.00000, that of u" in words
    assert ("all 9" in words) == (not more)


def test_matrices_are_taken_as_true_and_users_who_are_all_refused_are_told_of():
    pq.write_table(pa.table({"user": ["a"], "forward": [[0.5, 0.5, 0.25, 0.75]]}), "log.csv")
    assert "--one-sided" in run("log.csv", "--out", "out", *ASKED[6:], status=2)
    basis = answer(*ASKED[6:], "--one-sided")["basis"]
    assert (basis["adversary"], basis["users"]) == ("knows P^F alone of one user, as given", "all 1")
    assert basis["estimate"].startswith("none")
    pq.write_table(pa.table({"user": ["a"], "counts": [[0, 0, 0, 0]]}), "log.csv")
    assert run("log.csv", "--out", "none", *ASKED[6:]).startswith("Of no user is anything known: 1 of 1 are refused.")
