"""Locks on files and folders that end with the process that has them, however it ends, where the system has such."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def locked(folder: Path, wait: bool = True) -> Iterator[bool]:
    """Lock a folder that exists: nothing is written into it for that, and nothing is left when the process is killed.

    Args: wait, for another that has it locked. Yields: whether it is locked, which it always is after having waited.
    Raises: OSError where it cannot be opened.
    """
    try:
        import fcntl
    except ImportError:
        yield True
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            is_locked = True
        except BlockingIOError:
            is_locked = False
        yield is_locked
    finally:
        os.close(descriptor)


def holders(path: Path) -> str:
    """Return which processes have a lock on a file or folder, as in " by process 17", "" where nobody says so."""
    with suppress(OSError, IndexError, ValueError):
        inode = str(path.stat().st_ino)
        locks = [line.split() for line in Path("/proc/locks").read_text(encoding="ascii").splitlines()]
        found = {each[4] for each in locks if each[5].rpartition(":")[2] == inode and each[1] != "->"}
        return "".join(f" by process {pid}" for pid in sorted(found))
    return ""
