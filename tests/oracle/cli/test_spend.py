"""`tploracle spend`: requests by name are charged once, what is recorded is shown or said, and the history is kept."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from tploracle.cli import spend_command as spend
from tploracle.data.ledger import opened_ledger
from tploracle.data.ledger_chain import RecordedAccount
from tploracle.reference import Accountant, Adversary, parse_level, worst_case_leakage
from tploracle.solvers.worst_case import accounts, worst

from ... import commands
from ...commands import UNHEARD, csv_rows, forked, run
from ...matrices import DIVERGES, MODERATE
from ...processes import PATIENT

value = partial(commands.value, "spend")


def account():
    with opened_ledger(Path("a"), write=False) as ledger:
        return ledger.account("main")


def history(*args):
    return commands.values("spend", "a", *args, "--history")


BEGIN = ("a", "--init", "--backward", "m.csv", "--forward", "m.csv", "--model", "paper-bound", "--cap", "1")


def test_more_releases_than_are_admitted_are_refused_before_any_work(folder, monkeypatch):
    run(*("spend", *BEGIN))
    with opened_ledger(Path("a")) as ledger:
        ledger.record("main", ["1/100"] * 2, None, "ann")
    before = (folder / "a").read_bytes()
    monkeypatch.setattr(spend, "_loaded", None)
    monkeypatch.setattr(spend, "MOST_RELEASES", 3)
    refused = run("spend", "a", "--epsilon", "1/10", "--epsilon", "1/10", status=2)
    assert "4 releases, at most 3" in refused.stderr
    assert (folder / "a").read_bytes() == before


def test_what_is_only_shown_or_refused_is_not_written(folder):
    first = value("a", "--init", "--backward", "m.csv", "--one-sided", "--epsilon", "log(11/10)")
    assert (first["releases"], first["worst_case"]["now"]["exact"]) == (1, "log(11/10)")
    second = value("a", "--epsilon", "log(11/10)")
    assert (second["releases"], second["worst_case"]["now"]["exact"]) == (2, "log(297/250)")
    before, written = (folder / "a").read_bytes(), (folder / "a").stat().st_mtime_ns
    shown = value("a", "--show")
    assert [level["exact"] for level in shown["worst_case"]["tpl"]] == ["log(11/10)", "log(297/250)"]
    assert "297/250" in run("spend", "a", "--show", "--digits", 9).stdout
    assert (folder / "a").stat().st_mtime_ns == written  # what is only shown is not written anew
    run("spend", "a", "--epsilon", "1", "--epsilon", "-1", status=2)
    run("spend", "a", "--init", status=2)
    run("spend", "a", "--backward", "m.csv", "--one-sided", status=2)
    assert (folder / "a").read_bytes() == before
    found = value("b", "--init", "--independent")
    assert (found["releases"], found["worst_case"], found["paper_bound"]) == (0, {}, {})


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
    monkeypatch.setattr("tploracle.data.ledger_chain._now", lambda: "2026-01-02T03:04:05+00:00")
    value(*BEGIN, "--epsilon", "0.10", "--id", "first")
    value("a", "--epsilon", "log(22/20)", "--by", "bob")
    recorded = "2026-01-02T03:04:05+00:00"
    expected = [
        {"time": 1, "epsilon": "1/10", "id": "first", "recorded": recorded, "by": "ann"},
        {"time": 2, "epsilon": "log(11/10)", "id": "", "recorded": recorded, "by": "bob"},
    ]
    told = history()
    assert [{key: row[key] for key in row if key != "head"} for row in told] == expected
    assert len({row["head"] for row in told}) == 2
    assert csv_rows("spend", "a", "--history") == [{key: str(field) for key, field in row.items()} for row in told]
    screen = run("spend", "a", "--history").stdout
    assert all(text in screen for text in ("account main: 2 releases", "log(11/10)", "first", "bob", recorded))


def test_the_account_follows_from_its_history(folder):
    value(*BEGIN, "--epsilon", "0.1")
    shown = value("a", "--epsilon", "log(11/10)", "--show")["paper_bound"]
    adversary = Adversary.knowing(MODERATE, MODERATE)
    accountant = Accountant({"m": adversary}, parse_level("1"), [parse_level(row["epsilon"]) for row in history()])
    for kind in ("bpl", "fpl", "tpl"):
        uppers = [str(getattr(accountant, kind)(time).level.enclosure(17).upper) for time in (1, 2)]
        assert [level["upper"] for level in shown[kind]] == uppers
    worst = max(shown["tpl"], key=lambda level: float(level["upper"]))
    assert {**worst, "time": 1} == shown["worst"]  # at both times the same


def test_what_is_left_may_be_spent_and_no_more(folder):
    value(*BEGIN)
    found = value("a", "--epsilon", "0.3", "--epsilon", "0.2")
    left = found["paper_bound"]["left"]["lower"]
    assert "worst-case has both" in found["basis"]["absent"]["worst_case"]
    assert f"The next release may spend {left[:8]}: " in run("spend", "a").stdout
    more = str(Fraction(left) + Fraction(1, 10**15))
    assert run("spend", "a", "--epsilon", more, status=2).stderr.startswith("InfeasibleBudget")
    assert Fraction(value("a", "--epsilon", left)["paper_bound"]["left"]["upper"]) < Fraction(1, 10**15)


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("/dev/full", "No space left on device"),
        pytest.param(UNHEARD, "nobody reads it", marks=pytest.mark.slow),
        (None, "Bad file descriptor"),
    ],
)
def test_what_is_recorded_and_cannot_be_shown_says_so(folder, output, why):
    forms = ((), ("--json",), ("--csv",))
    value(*BEGIN)
    spent = [("spend", "a", "--epsilon", "0.1", "--id", f"id{form}", *form) for form in forms]
    said = f"recorded, but the answer cannot be shown: {why}\n"
    found = forked(*spent, *(("spend", "a", *form) for form in forms), stdout=output)
    assert found[:3] == [(4, "", said)] * 3
    assert len(history()) == 3
    # Nothing is recorded by the others.
    assert [status for status, *_ in found[3:]] == [0 if output is UNHEARD else 2] * 3


def at_a_terminal(reply, *words):
    """Return the status, and what is asked or told there, of a command whose questions are answered so."""
    own, terminal = os.openpty()
    program = [sys.executable, "-m", "tploracle", "spend", *words]
    with subprocess.Popen(program, stdin=terminal, stderr=terminal, stdout=subprocess.PIPE) as spending:
        os.close(terminal)
        os.write(own, f"{reply}\n".encode())
        spending.communicate(timeout=PATIENT)
    told = b""
    with suppress(OSError):  # which is the end of what a terminal has
        while more := os.read(own, 4096):
            told += more
    os.close(own)
    return spending.returncode, told.decode()


def test_once_it_is_asked_or_told_that_each_release_is_of_a_time_of_its_own(folder):
    """Before the first release of an account: at a terminal a question, elsewhere a note beside the first answer."""
    value(*BEGIN)
    first = ("a", "--epsilon", "0.1")
    status, told = at_a_terminal("n", *first)
    assert (status, "Is that so?" in told, "--at, from the first one" in told) == (2, True, True)
    assert value("a")["releases"] == 0
    assert at_a_terminal("y", *first)[0] == 0
    assert "Is that so?" not in at_a_terminal("n", *first)[1]
    assert value("a")["releases"] == 2
    for begun, words in ((("b", *BEGIN[1:]), ("b", "--epsilon", "0.1")), ((), ("c", *BEGIN[1:], "--epsilon", "0.1"))):
        begun and value(*begun)
        assert "of a time of its own" in run("spend", *words, "--json").stderr
        assert run("spend", words[0], "--epsilon", "0.1").stderr == ""
    assert run("spend", "d", *BEGIN[1:], "--epsilon", "0.1", "--at", "0").stderr == ""


def test_whoever_reads_the_first_line_alone_is_told_nothing_else(folder):
    value(*BEGIN, "--epsilon", "0.1")
    program = [sys.executable, "-m", "tploracle", "spend", "a", "--epsilon", "0.1"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as spending:
        assert spending.stdout.readline()
        spending.stdout.close()
        assert spending.stderr.read() == b""
        assert spending.wait(PATIENT) == 0


def test_no_limit_of_time_comes_between_recording_and_showing(folder, monkeypatch):
    value(*BEGIN)
    found = []
    monkeypatch.setattr(
        "tploracle.data.ledger_chain.Ledger.commit", lambda _: found.append(signal.getitimer(signal.ITIMER_PROF))
    )
    run("--time-limit", "1000", "spend", "a", "--epsilon", "0.1")
    assert found[0] == (0, 0)


def test_whoever_has_no_name_has_a_number(monkeypatch):
    monkeypatch.setattr(spend, "getuser", lambda: (_ for _ in ()).throw(KeyError("uid")))
    assert spend._user() == str(os.getuid())


def test_a_capped_account(folder):
    known = ("--backward", "b.csv", "--forward", "f.csv", "--model", "paper-bound", "--cap", "log(2)")
    first = value("a", "--init", *known, "--epsilon", "log(17/12)")
    assert (first["cap"]["exact"], first["releases"]) == ("log(2)", 1)
    # The schedule of Algorithm 8 attains the cap, again and again; anything more is refused.
    for _ in range(3):
        value("a", "--epsilon", "log(221/192)")
    before = (folder / "a").read_bytes()
    assert account().cap == "log(2)"
    # 13/8 is what Algorithm 8 gives to the last release.
    for refused in (["log(1651/1000)"], ["0.01", "1"]):
        result = run("spend", "a", *(part for text in refused for part in ("--epsilon", text)), status=2)
        assert result.stderr.startswith("InfeasibleBudget: TPL at time ")
        assert (folder / "a").read_bytes() == before
    last = value("a", "--epsilon", "log(13/8)", "--show")
    assert {level["exact"] for level in last["paper_bound"]["tpl"]} == {"log(2)"}
    assert "TPL then stays within log(2)" in run("spend", "a").stdout
    assert run("spend", "a", "--epsilon", "1e-9", status=2).stderr.startswith("InfeasibleBudget: ")
    assert value("a", "--epsilon", "0")["releases"] == 6


def test_an_account_without_a_cap_is_as_before(folder):
    run("spend", "a", "--init", "--model", "paper-bound", "--independent", "--epsilon", "1")
    assert account() == RecordedAccount({"no correlation": {}}, epsilons=["1"])
    assert "cap" not in value("a", "--epsilon", "1")
    assert "left" not in run("spend", "a").stdout


EXACT = ("a", "--init", "--backward", "m.csv", "--forward", "m.csv", "--cap")


def test_an_account_kept_by_the_exact_worst_case(folder):
    """Three values whose recursion grows without bound at e^ε = 3/2, while the leakage stays below 0.8354."""
    begin = ("a", "--init", "--backward", "d.csv", "--one-sided", "--cap", "0.84")
    assert value(*begin)["worst_case"]["left"]["exact"] == "21/25"
    found = value("a", *(["--epsilon", "log(3/2)"] * 9), "--id", "nine")
    assert found["kept_by"] == "worst-case"
    worst, by_paper = found["worst_case"], found["paper_bound"]
    exact = worst_case_leakage([parse_level("log(3/2)")] * 9, DIVERGES)
    assert worst["now"]["lower"] == str(exact.bpl[8].enclosure(17).lower)
    assert worst["worst"]["lower"] == str(max(exact.tpl).enclosure(17).lower)
    assert by_paper["left"]["exact"] == "0"
    assert float(by_paper["worst"]["lower"]) > 0.84
    assert value("a", *(["--epsilon", "log(3/2)"] * 9), "--id", "nine") == found
    refused = run("spend", "a", "--epsilon", "0.42", status=2).stderr
    assert refused.startswith("InfeasibleBudget: TPL at time 10 would exceed the cap")
    again = value("a", "--epsilon", worst["left"]["lower"])
    assert again["releases"] == 10
    assert 0.839999 < float(again["worst_case"]["worst"]["lower"]) < 0.84
    assert "(exact worst case)" in run("spend", "a").stdout
    shown = value("a", "--show")["worst_case"]
    assert shown["tpl"][9]["lower"] == again["worst_case"]["worst"]["lower"]
    assert len(history()) == 10


@pytest.mark.parametrize("many", [spend.MANY, 3], ids=["TPL at all times", "the time is sought"])
def test_the_time_that_is_named_is_the_first_of_the_greatest_tpl(folder, monkeypatch, many):
    """Forwards and backwards the chain is the same: of 60 releases TPL is greatest at times 30 and 31, and alike.

    From time 24 on it is the same in 17 digits.
    """
    monkeypatch.setattr(spend, "MANY", many)
    (folder / "chain.csv").write_text("0.6,0.4\n0.4,0.6\n")
    begin = ("a", "--init", "--forward", "chain.csv", "--cap", "3")
    assert value(*begin, *(["--epsilon", "log(11/10)"] * 60))["worst_case"]["worst"]["time"] == 30


def test_where_the_greatest_tpl_would_take_too_long_the_papers_bound_is_said(folder, monkeypatch):
    """Nothing is printed for it, but the budget is recorded; where few times are left it is found."""
    (folder / "chain.csv").write_text("0.6,0.3,0.1\n0.4,0.5,0.1\n0.1,0.1,0.8\n")
    for patched in ((spend, "MANY", 3), (accounts, "LONG_ACCOUNT", 3)):
        monkeypatch.setattr(*patched)
    begin = ("a", "--init", "--forward", "chain.csv", "--cap", "3")
    found = value(*begin, "--epsilon", "0.1", "--epsilon", "0.2", "--epsilon", "0.1", "--epsilon", "0.2")
    tpl = [level["lower"] for level in value("a", "--show")["worst_case"]["tpl"]]
    assert found["worst_case"]["worst"]["lower"] == max(tpl)
    monkeypatch.setattr(worst, "MOST_EFFORT", 0)
    after = value("a", "--epsilon", "0.1")
    assert after["releases"] == 5
    assert "worst" not in after["worst_case"]
    assert after["worst_case"]["now"]["lower"] < after["paper_bound"]["worst"]["upper"]
    printed = run("spend", "a").stdout
    assert "5 releases: TPL is at most" in printed
    assert "(paper's bound)" in printed
    assert spend.NOT_THE_GREATEST in printed
    assert csv_rows("spend", "a")[0]["worst_case_greatest_tpl"] == ""


def test_what_keeps_an_account_is_part_of_its_begin(folder):
    value(*EXACT, "1", "--epsilon", "0.1", "--id", "one")
    assert value(*EXACT, "1", "--epsilon", "0.1", "--id", "one")["releases"] == 1
    run("spend", *BEGIN, "--epsilon", "0.1", "--id", "one", status=2)
    assert "--model" in run("spend", "a", "--model", "worst-case", "--epsilon", "0.1", status=2).stderr
    assert value("a", "--account", "other", *BEGIN[1:])["kept_by"] == "paper-bound"


def test_an_exact_account_of_several_without_a_cap(folder):
    users = {name: {"backward": "m.csv"} for name in ("ann", "bob")}
    (folder / "u.json").write_text(json.dumps(users))
    found = value(
        "a", "--init", "--users", "u.json", "--one-sided", "--independent", "--epsilon", "0.1", "--epsilon", "0.1"
    )
    for own in (found["worst_case"], found["paper_bound"]):
        assert own["now"]["attained_by"] == ["ann", "bob"]
        assert "left" not in own
    assert run("spend", "a", "--show").stdout.count("ann, bob") == 4


def test_no_less_is_left_by_the_exact_worst_case_than_by_the_papers_bound(folder):
    """After one release they are the same: TPL of two is the leakage that the loss function gives."""
    value(*EXACT, "1")
    found = value("a", "--epsilon", "0.1")
    left = found["worst_case"]["left"]["lower"]
    assert float(left) >= float(found["paper_bound"]["left"]["lower"]) > 0.7
    assert float(value("a", "--epsilon", left)["worst_case"]["worst"]["upper"]) <= 1
