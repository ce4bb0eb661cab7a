"""`tploracle spend`: requests by name are charged once, what is recorded is shown or said, and the history is kept."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from tploracle.cli import spend_command as spend
from tploracle.cli.main import main
from tploracle.data.ledger import opened_ledger
from tploracle.reference import Accountant, Adversary, TransitionMatrix, parse_level, tight_leakage

from ...processes import PATIENT

MATRIX = TransitionMatrix.of([["0.8", "0.2"], ["0", "1"]])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text("0.8,0.2\n0,1\n")
    return tmp_path


def run(*args, status=0):
    result = CliRunner().invoke(main, [str(arg) for arg in args], prog_name="tploracle")
    assert result.exit_code == status, result.output
    return result


def value(*args):
    return json.loads(run("spend", *args, "--json").stdout)


def history(*args):
    return [json.loads(line) for line in run("spend", "a", *args, "--history", "--json").stdout.splitlines()]


BEGIN = ("a", "--init", "--backward", "m.csv", "--forward", "m.csv", "--cap", "1")


def test_a_request_sent_twice_is_charged_once_and_answered_alike(folder):
    value(*BEGIN)
    first = value("a", "--epsilon", "0.1", "--epsilon", "log(11/10)", "--id", "one")
    assert first["releases"] == 2
    second = value("a", "--epsilon", "0.2", "--id", "two")
    assert second["releases"] == 3
    before = (folder / "a").read_bytes()
    assert value("a", "--epsilon", "1/10", "--epsilon", "log(1.1)", "--id", "one") == first
    assert value("a", "--epsilon", "0.2", "--id", "two") == second
    assert (folder / "a").read_bytes() == before


@pytest.mark.parametrize("budgets", [["0.2"], ["0.1"], ["log(11/10)", "0.1"], ["0.1", "log(11/10)", "0.1"]])
def test_the_name_of_another_spend_is_an_error(folder, budgets):
    value(*BEGIN, "--epsilon", "0.1", "--epsilon", "log(11/10)", "--id", "one")
    options = [part for budget in budgets for part in ("--epsilon", budget)]
    result = run("spend", "a", *options, "--id", "one", status=2)
    assert result.stderr == "InvalidRequest: --id: another spend has been recorded as 'one'\n"
    assert len(history()) == 2


def test_a_begin_may_be_sent_twice_as_well(folder):
    begun = value(*BEGIN, "--epsilon", "0.1", "--id", "one")
    assert value(*BEGIN, "--epsilon", "0.1", "--id", "one") == begun
    run("spend", *BEGIN, "--epsilon", "0.1", status=2)
    run("spend", *BEGIN[:-1], "0.9", "--epsilon", "0.1", "--id", "one", status=2)
    run("spend", *BEGIN, "--epsilon", "0.1", "--id", "two", status=2)
    assert len(history()) == 1


def test_a_name_belongs_to_its_account(folder):
    for account in ("ann", "bob"):
        assert value(*BEGIN, "--account", account, "--epsilon", "0.1", "--id", "one")["releases"] == 1
    assert [len(history("--account", account)) for account in ("ann", "bob")] == [1, 1]
    assert "there are: 'ann', 'bob'" in run("spend", "a", status=2).stderr


def test_a_spend_that_is_refused_may_be_sent_again(folder):
    value(*BEGIN)
    assert run("spend", "a", "--epsilon", "2", "--id", "one", status=2).stderr.startswith("InfeasibleBudget")
    assert value("a", "--epsilon", "0.1", "--id", "one")["releases"] == 1


def test_the_history_says_what_when_and_by_whom(folder, monkeypatch):
    monkeypatch.setenv("LOGNAME", "ann")
    monkeypatch.setattr("tploracle.data.ledger._now", lambda: "2026-01-02T03:04:05+00:00")
    value(*BEGIN, "--epsilon", "0.10", "--id", "first")
    value("a", "--epsilon", "log(22/20)", "--by", "bob")
    recorded = "2026-01-02T03:04:05+00:00"
    expected = [
        {"time": 1, "epsilon": "1/10", "id": "first", "recorded": recorded, "by": "ann"},
        {"time": 2, "epsilon": "log(11/10)", "id": "", "recorded": recorded, "by": "bob"},
    ]
    assert history() == expected
    rows = list(csv.DictReader(io.StringIO(run("spend", "a", "--history", "--csv").stdout)))
    assert rows == [{key: str(field) for key, field in row.items()} for row in expected]
    screen = run("spend", "a", "--history").stdout
    assert all(text in screen for text in ("account main: 2 releases", "log(11/10)", "first", "bob", recorded))


def test_the_account_follows_from_its_history(folder):
    value(*BEGIN, "--epsilon", "0.1")
    shown = value("a", "--epsilon", "log(11/10)", "--show")
    adversary = Adversary.knowing(MATRIX, MATRIX)
    accountant = Accountant({"m": adversary}, parse_level("1"), [parse_level(row["epsilon"]) for row in history()])
    for kind in ("bpl", "fpl", "tpl"):
        uppers = [str(getattr(accountant, kind)(time).level.enclosure(17).upper) for time in (1, 2)]
        assert [level["upper"] for level in shown[kind]] == uppers
    worst = max(shown["tpl"], key=lambda level: float(level["upper"]))
    assert {**worst, "time": 1} == shown["worst"]  # at both times the same


def test_what_is_left_may_be_spent_and_no_more(folder):
    assert value(*BEGIN)["left"] == "0.9999999999999999"
    left = value("a", "--epsilon", "0.3", "--epsilon", "0.2")["left"]
    assert f"{left} left" in run("spend", "a").stdout
    more = str(Fraction(left) + Fraction(1, 10**15))
    assert run("spend", "a", "--epsilon", more, status=2).stderr.startswith("InfeasibleBudget")
    assert Fraction(value("a", "--epsilon", left)["left"]) < Fraction(1, 10**15)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--history", "--epsilon", "1"), "--history shows what is recorded"),
        (("--history", "--show"), "--history shows what is recorded"),
        (("--id", "x"), "--id belongs to --epsilon"),
        (("--epsilon", "1", "--id", ""), "--id: a name has 1 to 200 characters"),
        (("--epsilon", "1", "--by", "x" * 201), "--by: a name has 1 to 200 characters"),
        (("--account", "", "--epsilon", "1"), "--account: a name has 1 to 200 characters"),
    ],
)
def test_what_cannot_be_asked(folder, args, sentence):
    value(*BEGIN)
    assert sentence in run("spend", "a", *args, status=2).stderr


def test_a_file_of_version_1_is_migrated_with_a_note(folder):
    value("new", "--init", "--backward", "m.csv", "--cap", "1", "--epsilon", "0.1")
    with opened_ledger(Path("new"), write=False) as ledger:
        Path("a").write_text(json.dumps(ledger.state("main")))
    before = value("new")
    result = run("spend", "a", "--json")
    assert json.loads(result.stdout) == before
    assert result.stderr == "note: a: migrated to version 3; the former file is kept as a.v1\n"
    assert run("spend", "a").stderr == ""


@pytest.mark.parametrize("wait", ["-1", "nan", "inf", "soon"])
def test_a_wait_is_a_number_of_seconds(folder, wait):
    run("spend", *BEGIN, "--wait", wait, status=2)


def program(*args, **options):
    command = [sys.executable, "-m", "tploracle", "spend", *args]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=PATIENT, check=False, **options)


@pytest.mark.parametrize("options", [(), ("--json",), ("--csv",)])
def test_what_is_recorded_and_cannot_be_shown_says_so(folder, options):
    value(*BEGIN)
    with Path("/dev/full").open("w") as full:
        result = program("a", "--epsilon", "0.1", "--id", "one", *options, stdout=full)
        assert (result.returncode, result.stderr) == (
            4,
            "recorded, but the answer cannot be shown: No space left on device\n",
        )
        assert program("a", *options, stdout=full).returncode == 2  # nothing is recorded here
    ours, its = os.pipe()
    os.close(ours)
    result = program("a", "--epsilon", "0.1", "--id", "one", *options, stdout=its)
    os.close(its)
    assert (result.returncode, result.stderr) == (4, "recorded, but the answer cannot be shown: nobody reads it\n")
    assert len(history()) == 1


def test_a_closed_output_is_no_output(folder):
    value(*BEGIN)
    shell = f"{sys.executable} -m tploracle spend a --epsilon 0.1 >&-"
    result = subprocess.run(["sh", "-c", shell], stderr=subprocess.PIPE, text=True, timeout=PATIENT, check=False)
    assert (result.returncode, len(history())) == (4, 1), result.stderr


def test_no_limit_of_time_comes_between_recording_and_showing(folder, monkeypatch):
    value(*BEGIN)
    found = []
    monkeypatch.setattr(
        "tploracle.data.ledger.Ledger.commit", lambda _: found.append(signal.getitimer(signal.ITIMER_PROF))
    )
    run("--time-limit", "1000", "spend", "a", "--epsilon", "0.1")
    assert found[0] == (0, 0)


def test_whoever_has_no_name_has_a_number(monkeypatch):
    monkeypatch.setattr(spend, "getuser", lambda: (_ for _ in ()).throw(KeyError("uid")))
    assert spend._user() == str(os.getuid())


EXACT = ("a", "--init", "--backward", "m.csv", "--forward", "m.csv", "--tight", "--cap")


def test_an_account_kept_by_the_exact_worst_case(folder):
    """Three values whose recursion grows without bound at e^ε = 3/2, while the leakage stays below 0.8354."""
    (folder / "m.csv").write_text("7/11,2/11,2/11\n0,0,1\n3/7,2/7,2/7\n")
    begin = ("a", "--init", "--tight", "--backward", "m.csv", "--cap", "0.84")
    assert value(*begin)["left"] == "0.84"
    found = value("a", *(["--epsilon", "log(3/2)"] * 9), "--id", "nine")
    assert found["bound"] == "tight"
    exact = tight_leakage(
        [parse_level("log(3/2)")] * 9, TransitionMatrix.of([["7/11", "2/11", "2/11"], [0, 0, 1], ["3/7", "2/7", "2/7"]])
    )
    assert found["now"]["lower"] == str(exact.bpl[8].enclosure(17).lower)
    assert found["worst"]["lower"] == str(max(exact.tpl).enclosure(17).lower)
    assert found["by_recursion"]["left"] == "0"
    assert float(found["by_recursion"]["worst"]["lower"]) > 0.84
    assert value("a", *(["--epsilon", "log(3/2)"] * 9), "--id", "nine") == found
    refused = run("spend", "a", "--epsilon", "0.42", status=2).stderr
    assert refused.startswith("InfeasibleBudget: TPL at time 10 would exceed the cap")
    again = value("a", "--epsilon", found["left"])
    assert again["releases"] == 10
    assert 0.839999 < float(again["worst"]["lower"]) < 0.84
    screen = run("spend", "a").stdout
    assert "(by the paper's bound 0)" in screen
    assert "kept by the exact worst case" in screen
    shown = value("a", "--show")
    assert shown["tpl"][9]["lower"] == again["worst"]["lower"]
    assert len(history()) == 10


def test_what_keeps_an_account_is_part_of_its_begin(folder):
    value(*EXACT, "1", "--epsilon", "0.1", "--id", "one")
    assert value(*EXACT, "1", "--epsilon", "0.1", "--id", "one")["releases"] == 1
    run("spend", *BEGIN, "--epsilon", "0.1", "--id", "one", status=2)
    assert "--tight" in run("spend", "a", "--tight", "--epsilon", "0.1", status=2).stderr
    assert "bound" not in value("a", "--account", "other", *BEGIN[1:])


def test_an_exact_account_of_several_without_a_cap(folder):
    users = {name: {"backward": "m.csv"} for name in ("ann", "bob")}
    (folder / "u.json").write_text(json.dumps(users))
    found = value("a", "--init", "--tight", "--users", "u.json", "--epsilon", "0.1", "--epsilon", "0.1")
    assert found["now"]["attained_by"] == ["ann", "bob"]
    assert "left" not in found
    assert "left" not in found["by_recursion"]
    assert run("spend", "a", "--show").stdout.count("ann, bob") == 2


def test_no_less_is_left_by_the_exact_worst_case_than_by_the_papers_bound(folder):
    """After one release they are the same: TPL of two is the leakage that the loss function gives."""
    (folder / "m.csv").write_text("0.8,0.2\n0,1\n")
    value(*EXACT, "1")
    found = value("a", "--epsilon", "0.1")
    assert float(found["left"]) >= float(found["by_recursion"]["left"]) > 0.7
    assert float(value("a", "--epsilon", found["left"])["worst"]["upper"]) <= 1
