"""The world around a file: what stands beside a ledger."""

import os
import resource
import shutil
import signal
import sqlite3
import tempfile
from pathlib import Path

from tploracle.data.ledger import opened_ledger
from tploracle.reference import InvalidRequest

from . import forged
from .finding import Finding

_SUPER = bytes.fromhex("d9d505f920a163d7")


def interrupted(path):
    """Leave a ledger as a process does that is killed while it writes: some pages changed, and a journal."""
    copy = path.with_name("interrupted")
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("BEGIN IMMEDIATE")
    for number in range(200):
        connection.execute("INSERT INTO release VALUES ('main', ?, ?, NULL, '', '', '')", (1000 + number, "1" * 500))
    connection.execute("UPDATE head SET releases = releases + 200")
    connection.execute("SELECT count(*) FROM account, release").fetchall()  # has what is changed written
    shutil.copy(path, copy)
    journal = Path(f"{path}-journal").read_bytes()
    connection.execute("ROLLBACK")
    connection.close()
    copy.replace(path)
    Path(f"{path}-journal").write_bytes(journal)


def name_another(path, victim):
    """Have the journal of a ledger name a file as its super-journal, which SQLite deletes after the rollback."""
    name = os.fsencode(victim)
    with Path(f"{path}-journal").open("ab") as journal:
        journal.write((0x40000000 // 4096 + 1).to_bytes(4, "big") + name + len(name).to_bytes(4, "big"))
        journal.write((sum(name) & 0xFFFFFFFF).to_bytes(4, "big") + _SUPER)


SIDES = {
    "wal": lambda path, victim: shutil.copy(victim, f"{path}-wal"),
    "empty wal": lambda path, _: Path(f"{path}-wal").touch(),
    "shm": lambda path, victim: shutil.copy(victim, f"{path}-shm"),
    "link to wal": lambda path, victim: Path(f"{path}-wal").symlink_to(victim),
    "dangling link": lambda path, _: Path(f"{path}-journal").symlink_to("nowhere"),
    "link": lambda path, victim: Path(f"{path}-journal").symlink_to(victim),
    "pipe": lambda path, _: os.mkfifo(f"{path}-journal"),
    "folder": lambda path, _: Path(f"{path}-journal").mkdir(),
    "device": lambda path, _: Path(f"{path}-journal").symlink_to("/dev/zero"),
    "pipe for wal": lambda path, _: os.mkfifo(f"{path}-wal"),
}
"""What may stand beside a ledger that no ledger has. Args: the ledger, another file."""


def spent_on_a_full_disk(path, fill=lambda: None):
    """Spend once in a process whose disk is full. Args: an honest ledger; fill, called there.

    Returns: whether the spend was reported, and what is wrong, "" for nothing.
    """
    pid = os.fork()
    if not pid:
        status = 1
        try:
            fill()
            with opened_ledger(path) as ledger:
                ledger.record("main", ["1/7"] * 20, "more", "me")
            status = 0
        except InvalidRequest:
            status = 2
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status not in (0, 2):
        return False, f"exit status {status}"
    found = forged.answers(path)
    own = [each.request for each in found["main"][1]]
    if own.count("more") != (20 if status == 0 else 0) or found["other"] != forged.honest()[1]["other"]:
        return False, f"exit status {status}, but {own} is recorded"
    return status == 0, ""


def files_end_at(size):
    """Let no file of this process grow beyond a size."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def attack(random):
    """Put what is hostile beside a ledger, and show it or spend on it. Raises: Finding where a file is lost."""
    content, expected = forged.honest()
    with tempfile.TemporaryDirectory() as folder:
        path, victim = Path(folder, "ledger.db"), Path(folder, "victim")
        path.write_bytes(content)
        victim.write_text("of somebody")
        deeds = []
        if random.randrange(2):
            interrupted(path)
            deeds.append("interrupted")
            if random.randrange(2):
                name_another(path, victim)
                deeds.append("names another")
            elif random.randrange(2):
                journal = Path(f"{path}-journal")
                changed = bytearray(journal.read_bytes())
                for _ in range(random.randint(1, 4)):
                    changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
                journal.write_bytes(changed)
                deeds.append("journal changed")
        else:
            deeds.append(random.choice(list(SIDES)))
            SIDES[deeds[-1]](path, victim)
        before = path.read_bytes()
        try:
            found = forged.answers(path)
            if found != expected and deeds != ["interrupted", "journal changed"]:
                raise Finding(f"{deeds}: another answer")
        except InvalidRequest:
            if deeds == ["interrupted"]:
                raise Finding("a ledger that was interrupted is not read") from None
        if victim.read_text() != "of somebody" or path.read_bytes() != before:
            raise Finding(f"{deeds}: a file is changed by who reads")
        try:
            with opened_ledger(path) as ledger:
                ledger.history("main")
        except InvalidRequest:
            pass
        if not victim.exists():
            raise Finding(f"{deeds}: a file is lost")
