"""What stands beside a ledger is believed only where SQLite has put it there, and nothing beside it is ever lost."""

import os
import sqlite3
from contextlib import closing
from functools import partial

import pytest

from tploracle.data.ledger import opened_ledger
from tploracle.data.ledger_file import watched
from tploracle.reference import InvalidRequest

from ... import disks
from ...children import forked
from ...commands import run
from ...fuzz import forged, surroundings
from ...lost_power import CAN_RECORD
from ...lost_power.ledger import filled

WAYS = [[], ["--show"], ["--history"], ["--epsilon", "0.1"]]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ledger.db"
    path.write_bytes(forged.honest()[0])
    return path


def files(folder):
    """Return everything in a folder, as far as it can be read."""
    return {
        each.name: each.read_bytes() if each.is_file() and not each.is_symlink() else each.lstat().st_mode
        for each in folder.iterdir()
    }


def test_an_unfinished_transaction_is_rolled_back_in_a_copy_by_who_reads(path, tmp_path):
    surroundings.interrupted(path)
    before = files(tmp_path)
    assert before["ledger.db"] != forged.honest()[0]
    assert forged.answers(path) == forged.honest()[1]
    assert files(tmp_path) == before
    with opened_ledger(path) as ledger:
        ledger.record("main", ["1/7"], None, "me")
    assert list(files(tmp_path)) == ["ledger.db"]
    assert [each.epsilon for each in forged.answers(path)["main"][1]] == ["1/10", "1/11", "log(11/10)", "1/12", "1/7"]


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_no_file_is_deleted_that_a_journal_names(path, tmp_path, way):
    victim = tmp_path / "victim"
    victim.write_text("of somebody")
    surroundings.interrupted(path)
    surroundings.name_another(path, victim)
    before = files(tmp_path)
    assert "would have SQLite delete another file" in run("spend", path, *way, status=2).stderr
    assert files(tmp_path) == before
    with closing(sqlite3.connect(path)) as connection:  # as it would be
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    assert not victim.exists() or sqlite3.sqlite_version_info > (3, 40, 1)  # SQLite 3.53 leaves it


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
@pytest.mark.parametrize("name", surroundings.SIDES)
def test_what_no_ledger_has_beside_it_is_refused_by_its_name(path, tmp_path, name, way):
    (tmp_path / "victim").write_text("of somebody")
    surroundings.SIDES[name](path, tmp_path / "victim")
    before = files(tmp_path)
    told = run("spend", path, *way, status=2).stderr
    assert told.startswith(f"InvalidRequest: {path}: ")
    assert ("journal, which is not a file" in told) == (name in ("pipe", "folder"))
    assert "ledger.db-" in told or "its journal cannot be read" in told
    assert files(tmp_path) == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root makes files of others")
@pytest.mark.parametrize(("mode", "is_read"), [(0o644, False), (0o664, True)])
def test_a_journal_of_who_may_not_write_the_ledger_is_refused(path, mode, is_read):
    surroundings.interrupted(path)
    os.chown(f"{path}-journal", 12345, -1)
    path.chmod(mode)
    if is_read:
        assert forged.answers(path) == forged.honest()[1]
    else:
        with pytest.raises(InvalidRequest, match="of a user who may not write the ledger"):
            forged.answers(path)


def test_a_reader_waits_for_a_writer_and_sees_nothing_of_what_is_not_finished(path):
    """A writer that has changed nothing yet is no matter; while it changes the file, it is waited for."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection, watched(connection, path):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO release VALUES ('main', 5, '1', NULL, '', '', '')")
        assert forged.answers(path) == forged.honest()[1]
        connection.execute("COMMIT")
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(InvalidRequest, match="is in use"), opened_ledger(path, write=False, wait=0.1):
            pass
        connection.execute("ROLLBACK")


def spent(folder, name, fill):
    path = folder / str(name)
    path.write_bytes(forged.honest()[0])
    return surroundings.spent_on_a_full_disk(path, fill)


@pytest.mark.skipif(os.name != "posix", reason="of limits of files POSIX alone knows")
def test_a_full_disk_at_any_byte_loses_no_spend(tmp_path):
    """The file and its journal may not grow beyond a size, each in turn: a spend is recorded whole, or not at all."""
    found = [spent(tmp_path, size, partial(surroundings.files_end_at, size)) for size in range(0, 70_000, 4096 - 512)]
    assert {told for _, told in found} == {""}
    assert {is_spent for is_spent, _ in found} == {True, False}


@pytest.mark.skipif(not CAN_RECORD, reason="no step of a ledger can be made to fail here")
def test_a_full_disk_at_every_write_loses_no_spend(tmp_path):
    """Each file made, each write, size and sync finds the disk full, it alone or all from it on."""
    found = filled(tmp_path / "ledgers")
    assert {told for *_, told in found} == {""}
    assert {is_spent for *_, is_spent, _ in found[:-2]} == {False}
    assert len(found) > 20


def test_a_disk_of_its_own_that_is_full_or_read_only_loses_no_spend(tmp_path):
    if not disks.can_mount():
        pytest.skip("this user may not mount a disk")

    def work(report):
        disks.mount(tmp_path)
        for pages in range(12):
            disks.fill(tmp_path, 1000)
            report(spent(tmp_path, "ledger.db", partial(disks.fill, tmp_path, pages)))
        disks.make_read_only(tmp_path)
        report(run("spend", tmp_path / "ledger.db").exit_code)
        report(run("spend", tmp_path / "ledger.db", "--epsilon", "0.1", status=2).stderr)

    (*found, shown, told), _ = forked(work)
    assert {wrong for _, wrong in found} == {""}
    assert {is_spent for is_spent, _ in found} == {True, False}
    assert shown == 0
    assert "ledger.db: cannot be" in told
