"""What stands beside the file of a ledger: SQLite's journal, and what is not there by SQLite's doing.

SQLite believes a journal of anyone, and deletes the file that it names as its super-journal. A ledger never has one, so
a journal that names one is refused. What a command only reads it reads as bytes, under SQLite's own lock for readers;
an unfinished transaction is rolled back in a copy, in a private folder.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from stat import S_ISREG

from ..reference import InvalidRequest
from .ledger_file import check_head, set_up

JOURNAL = "-journal"

_NAMES_ANOTHER = bytes.fromhex("d9d505f920a163d7")
"""The end of a journal that names a super-journal."""

_PENDING, _RESERVED, _SHARED, _SHARED_BYTES = 0x40000000, 0x40000001, 0x40000002, 510
"""The bytes by which SQLite locks a file."""


class Unfinished(Exception):
    """A transaction is to be rolled back, for which there is no folder."""


def check_sides(path: Path, target: Path) -> bool:
    """Check what stands beside a ledger. Returns: whether it has a journal.

    Raises: InvalidRequest for what no ledger has, and for a journal that is not SQLite's, or of one who may not write
    the ledger.
    """
    for end in ("-wal", "-shm"):
        if os.path.lexists(f"{target}{end}"):
            raise InvalidRequest(
                f"{path}: beside it stands {target.name}{end}, which no ledger has: it is not read; move it away"
            )
    try:
        own = os.lstat(target)  # not opened here: a process loses its locks of a file when it closes it
        with _opened(Path(f"{target}{JOURNAL}")) as journal:
            its = os.fstat(journal)
            is_file = S_ISREG(its.st_mode)
            last = os.pread(journal, 8, max(0, its.st_size - 8)) if is_file and hasattr(os, "pread") else b""
    except FileNotFoundError:
        return False
    except OSError as error:
        if not os.path.lexists(f"{target}{JOURNAL}"):
            return False
        raise InvalidRequest(f"{path}: its journal cannot be read: {error.strerror or error}") from None
    told = f"{path}: beside it stands {target.name}{JOURNAL}, "
    if not is_file:
        raise InvalidRequest(f"{told}which is not a file: it is not read; move it away")
    if its.st_uid not in (0, own.st_uid) and not own.st_mode & 0o022:
        raise InvalidRequest(f"{told}of a user who may not write the ledger: it is not read; move it away")
    if last == _NAMES_ANOTHER:
        raise InvalidRequest(f"{told}which would have SQLite delete another file: no ledger has such; move it away")
    return True


def committed(path: Path, target: Path, folder: Path | None) -> bytes | None:
    """Return what a ledger holds, without what was not finished; None while another process writes.

    Nothing is written but in the folder. Not for a process that has a connection to the ledger: that loses its locks.
    Raises: Unfinished where a folder is needed; InvalidRequest; OSError.
    """
    import fcntl

    shared, free = fcntl.LOCK_SH | fcntl.LOCK_NB, fcntl.LOCK_UN
    with _opened(target) as file:
        try:
            fcntl.lockf(file, shared, 1, _PENDING)
            fcntl.lockf(file, shared, _SHARED_BYTES, _SHARED)
            fcntl.lockf(file, free, 1, _PENDING)
        except BlockingIOError:
            return None
        has_journal = check_sides(path, target)
        try:
            fcntl.lockf(file, shared, 1, _RESERVED)
            fcntl.lockf(file, free, 1, _RESERVED)
        except BlockingIOError:  # of one that is at work, and has changed nothing yet
            has_journal = False
        content = _whole(file, path)
        if has_journal:
            if folder is None:
                raise Unfinished
            with _opened(Path(f"{target}{JOURNAL}")) as journal:
                content = _rolled_back(content, _whole(journal, path), folder, path)
    check_head(path, content, len(content))
    return content


def _rolled_back(content: bytes, journal: bytes, folder: Path, path: Path) -> bytes:
    copy = folder / "ledger"
    copy.write_bytes(content)
    Path(f"{copy}{JOURNAL}").write_bytes(journal)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        set_up(connection, path)
        connection.execute("SELECT count(*) FROM sqlite_master")
    return copy.read_bytes()


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """Open a file itself, no link, without waiting for whoever writes into a pipe."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _whole(descriptor: int, path: Path) -> bytes:
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        size = os.fstat(descriptor).st_size
        check_head(path, b"", size)
        return stream.read(size)
