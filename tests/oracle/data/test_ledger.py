"""The ledger's file: nothing half-written, nothing lost, nothing of anyone else's overwritten."""

import os
import sqlite3
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from tploracle.data.ledger import opened_ledger
from tploracle.data.ledger_chain import RecordedAccount
from tploracle.data.ledger_file import APPLICATION_ID, LEDGER_VERSION
from tploracle.reference import InvalidRequest

from ...processes import IMPATIENT

ACCOUNT = RecordedAccount({"ann": {"backward": [["4/5", "1/5"], ["0", "1"]]}}, "1")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ledger.db"
    with opened_ledger(path, create=True) as ledger:
        ledger.open_account("main", ACCOUNT, "me")
    return path


def budgets(path, name="main"):
    with opened_ledger(path, write=False) as ledger:
        return [release.epsilon for release in ledger.history(name)]


def spend(path, *epsilons, request=None, name="main", wait=10.0):
    with opened_ledger(path, wait=wait) as ledger:
        ledger.record(name, epsilons, request, "me")


def test_what_is_recorded_is_there_as_it_was(path):
    spend(path, "1/10", "log((7+sqrt(33))/8)", request="first")
    spend(path, "inf")
    with opened_ledger(path, write=False) as ledger:
        assert ledger.accounts() == ["main"]
        account = ledger.account("main")
        releases = ledger.history("main")
    epsilons = ["1/10", "log((7+sqrt(33))/8)", "inf"]
    assert account == replace(ACCOUNT, epsilons=epsilons)
    assert [(r.time, r.request, r.recorded_by) for r in releases] == [
        (1, "first", "me"),
        (2, "first", "me"),
        (3, None, "me"),
    ]
    assert all(release.recorded.endswith("+00:00") for release in releases)


def test_accounts_of_one_file_are_apart(path):
    with opened_ledger(path) as ledger:
        ledger.open_account("other", replace(ACCOUNT, cap="2"), "you")
        with pytest.raises(InvalidRequest, match="'other' exists already"):
            ledger.open_account("other", ACCOUNT, "me")
    spend(path, "1/10")
    spend(path, "1/5", name="other")
    assert [budgets(path), budgets(path, "other")] == [["1/10"], ["1/5"]]
    with (
        opened_ledger(path) as ledger,
        pytest.raises(InvalidRequest, match="no account 'none'; there are: 'main', 'other'"),
    ):
        ledger.account("none")


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_what_is_not_finished_is_not_written(path, error):
    before = path.read_bytes()
    with pytest.raises(error), opened_ledger(path) as ledger:  # noqa: PT012 - it raises in the body
        ledger.record("main", ["1"], None, "me")
        raise error
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_what_is_committed_stays_whatever_follows(path):
    with pytest.raises(KeyboardInterrupt), opened_ledger(path) as ledger:  # noqa: PT012
        ledger.record("main", ["1"], None, "me")
        ledger.commit()
        raise KeyboardInterrupt
    assert budgets(path) == ["1"]


def test_nothing_is_taken_back_or_changed(path):
    spend(path, "1")
    with closing(sqlite3.connect(path)) as connection:
        for statement in (
            "DELETE FROM release",
            "UPDATE release SET epsilon = '0'",
            "DELETE FROM account",
            "UPDATE account SET cap = 'inf'",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="never"):
                connection.execute(statement)


# The file


def test_writes_are_synced_and_the_journal_is_taken_away(path):
    with opened_ledger(path) as ledger:
        read = {
            name: ledger._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("synchronous", "journal_mode")
        }
    assert read == {"synchronous": 3, "journal_mode": "delete"}


@pytest.mark.parametrize("write", [False, True])
def test_sqlite_takes_files_of_anyone(path, write):
    expected = {"trusted_schema": 0, "cell_size_check": 1, "hard_heap_limit": 1 << 30, "mmap_size": 0}
    with opened_ledger(path, write) as ledger:
        connection = ledger._connection
        read = {name: connection.execute(f"PRAGMA {name}").fetchone() for name in expected}
        assert read["mmap_size"] in ((0,), None)  # None in memory
        assert {name: found and found[0] for name, found in read.items()} | {"mmap_size": 0} == expected
        if hasattr(connection, "getconfig"):  # Python 3.12
            assert connection.getconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE)


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o277])
def test_the_file_is_its_owners(tmp_path, umask):
    """Who lets no file of his own be written to, root aside, has a ledger that cannot be used."""
    refused = umask & 0o200 and os.geteuid() != 0
    before = os.umask(umask)
    try:
        with pytest.raises(InvalidRequest) if refused else nullcontext(), opened_ledger(tmp_path / "new", create=True):
            pass
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600 & ~umask


def test_permissions_and_links_are_kept(path):
    path.chmod(0o640)
    link = path.with_name("link")
    link.symlink_to(path)
    spend(link, "1")
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert budgets(path) == ["1"]


def changed(path, at, content):
    data = bytearray(path.read_bytes())
    data[at : at + len(content)] = content
    return bytes(data)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda _: b"", "is empty; --init"),
        (lambda _: b"a,b\n", "is not a ledger"),
        (lambda _: b"{}", "is not a ledger"),
        (lambda path: changed(path, 68, b"none"), "is not a ledger"),
        (lambda path: changed(path, 60, (6).to_bytes(4, "big")), "is a ledger of version 6"),
        (lambda path: path.read_bytes()[:5000], "malformed|damaged"),
        (lambda path: changed(path, 4096, b"\xff" * 3000), "malformed|damaged"),
        (lambda path: path.read_bytes()[:17], "is not a ledger|not a database|malformed"),
    ],
    ids=range(8),
)
@pytest.mark.parametrize("create", [False, True])
def test_what_is_no_ledger_is_refused_by_name_and_left_alone(path, make, message, create):
    content = make(path)
    path.write_bytes(content)
    if not content and create:
        return
    with pytest.raises(InvalidRequest, match=message) as caught, opened_ledger(path, create=create):
        pass
    assert path.name in str(caught.value)
    assert path.read_bytes() == content


def test_an_sqlite_file_of_another_program_is_left_alone(tmp_path):
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    before = other.read_bytes()
    with pytest.raises(InvalidRequest, match="is not a ledger"), opened_ledger(other, create=True):
        pass
    assert other.read_bytes() == before


def test_what_cannot_be_opened_is_an_error_by_name(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    (tmp_path / "folder").mkdir()
    for name, create in (
        ("a", True),
        ("a", False),
        ("none", False),
        ("none/x", True),
        ("folder", True),
        ("folder", False),
    ):
        with pytest.raises(InvalidRequest, match=name), opened_ledger(tmp_path / name, create=create):
            pass


def test_application_and_version_are_as_documented(path):
    head = path.read_bytes()[:100]
    assert head[68:72] == b"tplo" == APPLICATION_ID.to_bytes(4, "big")
    assert int.from_bytes(head[60:64], "big") == LEDGER_VERSION == 5


# Others at the same time


def test_a_ledger_in_use_is_waited_for_and_then_refused_with_its_holder(path):
    with opened_ledger(path) as ledger:
        assert budgets(path) == []  # readers need not wait
        holder = f" by process {os.getpid()}" if str(path.stat().st_ino) in LOCKS.read_text() else ""
        with pytest.raises(InvalidRequest, match=f"in use{holder}, and still was after 0.6 seconds"):
            spend(path, "1", wait=IMPATIENT)
        ledger.record("main", ["2"], None, "me")
    assert budgets(path) == ["2"]


LOCKS = Path("/proc/locks")


def test_by_what_a_cap_is_kept_is_never_changed(path):
    with opened_ledger(path) as ledger:
        ledger.open_account("exact", replace(ACCOUNT, bound="worst-case"), "me")
        assert [ledger.account(name).bound for name in ("exact", "main")] == ["worst-case", "recursion"]
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.IntegrityError, match="never changed"):
        connection.execute("UPDATE account SET bound = 'recursion'")
