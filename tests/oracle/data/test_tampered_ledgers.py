"""Ledgers that were tampered with: nothing in them is run, nothing changed is answered, and the head tells copies."""

import hashlib
import json
import os
import re
import signal
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from random import Random

import psutil
import pytest

from tploracle.data import ledger, ledger_file
from tploracle.data.ledger import opened_ledger
from tploracle.data.ledger_file import watched
from tploracle.reference import InvalidRequest
from tploracle.system.signals import OutOfTime, Terminated, limited, raised

from ... import commands
from ...commands import run
from ...fuzz import forged
from ...processes import PATIENT, has_ended


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ledger.db"
    path.write_bytes(forged.honest()[0])
    return path


def executed(path, script):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(script)


@pytest.fixture
def in_this_process():
    with forged.in_this_process():
        yield


@pytest.mark.usefixtures("in_this_process")
def test_no_change_of_the_bytes_is_answered(path):
    for number in range(150):
        forged.flipped(Random(number), path, forged.honest()[0])
        forged.examine(path, forged.honest()[1], f"flip {number}")


@pytest.mark.usefixtures("in_this_process")
def test_no_forgery_is_answered(tmp_path):
    for number in range(40):
        path = tmp_path / f"{number}.db"
        path.write_bytes(forged.honest()[0])
        forged.examine(path, forged.honest()[1], forged.forged(Random(number), path))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("CREATE TRIGGER t BEFORE INSERT ON release BEGIN SELECT RAISE(IGNORE); END", "see 't'"),
        (f"DROP TABLE head; CREATE VIEW head AS {forged.ENDLESS} x, x, x FROM n", "see 'head'"),
        ("DROP TRIGGER release_is_final", "see 'release_is_final'"),
        ("CREATE INDEX more ON release (abs(time))", "see 'more'"),
        ("PRAGMA user_version = 3", "a ledger of version 3; this release knows version 5"),
        ("PRAGMA journal_mode = WAL", "journal mode wal"),
        ("UPDATE head SET releases = 5 WHERE account = 'main'", "the number of releases, or the head"),
    ],
)
@pytest.mark.parametrize("write", [False, True])
def test_what_was_changed_is_named(path, script, message, write):
    executed(path, script)
    with pytest.raises(InvalidRequest, match=message) as caught, opened_ledger(path, write) as found:
        found.history("main")
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("end", ["time", "SIGTERM", "limit"])
def test_a_query_that_does_not_end_is_ended(tmp_path, monkeypatch, end):
    monkeypatch.setattr(ledger_file, "MOST_SECONDS", 0.2 if end == "time" else 1e9)
    expected = {"time": InvalidRequest, "SIGTERM": Terminated, "limit": OutOfTime}[end]
    with closing(sqlite3.connect(":memory:")) as connection, raised(), limited(0.2 if end == "limit" else 1e9):
        if end == "SIGTERM":
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
        with pytest.raises(expected), watched(connection, tmp_path):
            connection.execute(f"{forged.ENDLESS} max(x) FROM n").fetchall()
        assert connection.execute("SELECT 1").fetchall() == [(1,)]


def test_who_waits_for_another_may_be_interrupted(path):
    with opened_ledger(path), raised():
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
        with pytest.raises(Terminated), opened_ledger(path, wait=10_000):
            pass


def test_a_ledger_beyond_all_bounds_is_refused_unread(path, monkeypatch):
    monkeypatch.setattr("tploracle.data.ledger_file.MOST_LEDGER_BYTES", 1000)
    with pytest.raises(InvalidRequest, match=r"too large: .*at most 1000 are read"), opened_ledger(path):
        pass


# What SQLite does with it, it does in another process first


def elsewhere(deed):
    """Return what does a deed in any process but this one."""
    looked, here = ledger.is_ledger, os.getpid()
    return lambda connection, path: looked(connection, path) if os.getpid() == here else deed(connection)


DEEDS = {
    "crash": (lambda _: os.kill(os.getpid(), signal.SIGSEGV), "crashed: it was ended by SIGSEGV"),
    "bomb": (lambda _: bytearray(1 << 40), "parses it ran out of memory"),
    "hang": (lambda _: signal.pause(), "asleep for 0.2 s"),
    "loop": (lambda db: db.execute(f"{forged.ENDLESS} max(x) FROM n").fetchall(), "0.2 s of processor time"),
}


@pytest.mark.parametrize("deed", DEEDS)
@pytest.mark.parametrize("write", [False, True])
def test_whatever_a_file_does_to_sqlite_is_an_error(path, monkeypatch, deed, write):
    monkeypatch.setattr(ledger, "is_ledger", elsewhere(DEEDS[deed][0]))
    monkeypatch.setattr(ledger, "MOST_SECONDS", 0.2)
    others = {child.pid for child in psutil.Process().children()}
    with pytest.raises(InvalidRequest, match=DEEDS[deed][1]) as caught, opened_ledger(path, write):
        pass
    assert str(path) in str(caught.value)
    assert path.read_bytes() == forged.honest()[0]
    assert {child.pid for child in psutil.Process().children()} <= others


@pytest.mark.parametrize("arguments", [["--history"], ["--show"], ["--epsilon", "0.1"]])
def test_a_crash_of_sqlite_is_one_line_of_a_command(path, monkeypatch, arguments):
    monkeypatch.setattr(ledger, "is_ledger", elsewhere(DEEDS["crash"][0]))
    told = run("spend", str(path), *arguments, status=2).stderr
    assert re.fullmatch(rf"InvalidRequest: {path}: cannot be read: the process .* crashed: .*\n", told)


ANN = '{"ann": {"backward": [["4/5", "1/5"], ["0", "1"]]}}'
FORGED = {
    "depth": ("[" * 100_000, "1", ["1/10"], "InvalidRequest"),
    "keys": ('{"ann": {}, "ann": {}}', "1", ["1/10"], "InvalidRequest"),
    "path": ('{"ann": {"backward": "/etc/passwd"}}', "1", ["1/10"], "InvalidRequest"),
    "floats": ('{"ann": {"backward": [[0.5, 0.5], [0, 1]]}}', "1", ["1/10"], "InvalidNumber"),
    "nobody": ("{}", "1", ["1/10"], "InvalidRequest"),
    "cap": (ANN, "-1", ["1/10"], "InvalidLevel"),
    "no cap": (ANN, "x", ["1/10"], "InvalidNumber"),
    "digits": (ANN, "1", [f"0.{'1' * 10**6}"], "InvalidNumber"),
    "exponent": (ANN, "1e999999999", ["1/10"], "InvalidRequest"),
    "excess": (ANN, "1/100", ["1/10"], "InfeasibleBudget"),
    "NaN": (ANN, "inf", ["1/10", "nan"], "InvalidNumber"),
}
"""What somebody who works out all digests anew may put into an account: users, cap, budgets; and the error."""


@pytest.mark.parametrize("kind", FORGED)
def test_what_an_account_holds_is_refused_by_the_name_of_its_file(tmp_path, kind):
    path = tmp_path / "ledger.db"
    adversaries, cap, epsilons, error = FORGED[kind]
    with opened_ledger(path, create=True) as made:
        made._insert_account("main", adversaries, cap, "then", "me", "worst-case")
        made.record("main", epsilons, "one", "me")
    before = path.read_bytes()
    for more in ([], ["--epsilon", "0.01"], ["--epsilon", "0.01", "--id", "two"]):
        assert run("spend", path, *more, status=2).stderr.startswith(f"{error}: {path}: the account 'main': ")
    assert path.read_bytes() == before


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero", "pipe"])
def test_a_ledger_is_a_file(tmp_path, path):
    """Of a pipe into which nobody writes nothing would ever be read."""
    if path == "pipe":
        path = tmp_path / path
        os.mkfifo(path)
    for create in (False, True):
        with (
            pytest.raises(InvalidRequest, match=f"{path}: a ledger is a file"),
            opened_ledger(Path(path), create=create),
        ):
            pass


def test_damage_of_one_account_is_no_matter_to_another(path):
    executed(path, "UPDATE head SET releases = 2 WHERE account = 'other'")
    with opened_ledger(path, write=False) as found:
        assert len(found.history("main")) == 4
        with pytest.raises(InvalidRequest, match="'other' does not match its record"):
            found.history("other")


def test_who_reads_apart_leaves_when_nobody_waits_any_more(path):
    """The process that asks is killed while the other one, a fork of it, is at work."""
    asking = os.fork()
    if not asking:
        try:
            ledger.is_ledger = lambda *_: time.sleep(1)
            with opened_ledger(path):
                pass
        finally:
            os._exit(0)
    until = time.monotonic() + PATIENT
    while not (readers := psutil.Process(asking).children()):
        assert time.monotonic() < until
        time.sleep(0.01)
    os.kill(asking, signal.SIGKILL)
    os.waitpid(asking, 0)
    assert has_ended(readers[0].pid)


# The chain of digests


def digest(*recorded):
    return hashlib.sha256(json.dumps(recorded).encode()).hexdigest()


def test_heads_are_digests_as_documented(path):
    """docs/ledger.md has the formula, and anyone may work it out with an SQLite shell."""
    with closing(sqlite3.connect(path)) as connection:
        for name in forged.ACCOUNTS:
            *account, head = connection.execute("SELECT * FROM account WHERE name = ?", (name,)).fetchone()
            assert head == digest(*account)
            for *row, own in connection.execute("SELECT * FROM release WHERE account = ? ORDER BY time", (name,)):
                head = digest(head, *row)
                assert own == head
            assert connection.execute("SELECT * FROM head WHERE account = ?", (name,)).fetchone() == (name, 4, head)
            with opened_ledger(path, write=False) as found:
                assert found.head(name, 4) == head == found.history(name)[-1].head
                assert found.head(name, 0) == digest(*account)


def test_the_head_tells_an_older_copy(folder):
    commands.value("spend", "a", "--init", "--backward", "m.csv", "--one-sided", "--cap", "2", "--model", "paper-bound")
    first = commands.value("spend", "a", "--epsilon", "0.1", "--id", "one")["head"]
    old = (folder / "a").read_bytes()
    second = commands.value("spend", "a", "--epsilon", "0.2", "--id", "two", "--expect-head", first)
    again = commands.value("spend", "a", "--epsilon", "0.2", "--id", "two", "--expect-head", first)
    assert again == second
    assert f"Head of the account: {second['head']}\n" in run("spend", "a", "--expect-head", second["head"]).stdout
    assert commands.values("spend", "a", "--history")[-1]["head"] == second["head"]
    (folder / "a").write_bytes(old)
    for arguments in ([], ["--epsilon", "0.1"], ["--history"], ["--epsilon", "0.1", "--id", "three"]):
        said = run("spend", "a", *arguments, "--expect-head", second["head"], status=2).stderr
        assert f"the head of the account 'main' is {first}, not '{second['head']}'" in said
    assert (folder / "a").read_bytes() == old
    assert (
        "--expect-head excludes --init: it is for an existing account"
        in run("spend", "b", "--init", "--expect-head", first, status=2).stderr
    )
