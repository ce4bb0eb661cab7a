"""The file of a ledger, opened for one transaction that is recorded whole or not at all.

Anyone may have written the file: another process reads all of it first. docs/ledger.md has the format.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from errno import EACCES
from pathlib import Path
from time import monotonic, sleep

from ..contract.limits import MOST_GROWTH, MOST_SECONDS, check_posix, took_too_long
from ..reference import InvalidRequest
from ..system.bounded import AnswersMessages, BoundedProcess, Gone, Late
from ..system.locks import holders
from .ledger_chain import Ledger
from .ledger_file import is_ledger, make_schema, set_up, watched
from .ledger_sides import Unfinished, check_sides, committed

MAIN = "main"
"""The default account."""

WAIT = 10.0
"""Seconds to wait for another command that is writing."""

_PAUSE = 0.01
"""Seconds between two attempts to read or write."""

_READ, _BUSY, _UNFINISHED = b"\0", b"busy", b"unfinished"


@contextmanager
def opened_ledger(path: Path, write: bool = True, create: bool = False, wait: float = WAIT) -> Iterator[Ledger]:
    """Open a ledger for one transaction: all of it is written when the body ends, and nothing if it raises.

    Args: write, whether to keep other writers away; create, whether to make a missing file; wait, seconds for another
    writer. Raises: InvalidRequest for a file that is missing, in use, damaged, of another program or version, or cannot
    be written; and if SQLite crashes on it or needs too much.
    """
    check_posix(f"{path}: a ledger")
    target = _resolved(path)
    content = _read_apart(path, target, wait) if _prepare(path, target, create) else b""
    if write:
        check_sides(path, target)
    with _sqlite_errors(path, target, wait), _connected(path, target if write else content, wait) as connection:
        _begin(connection, write, wait)
        try:
            with watched(connection, path):
                if not is_ledger(connection, path):
                    if not create:
                        raise InvalidRequest(f"{path}: is empty; --init creates an account")
                    make_schema(connection)
            ledger = Ledger(connection, path)
            yield ledger
            ledger.commit()
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextmanager
def _connected(path: Path, source: Path | bytes, wait: float) -> Iterator[sqlite3.Connection]:
    """Connect to a ledger. Args: source, its file, or its bytes, of which nothing is written."""
    name = ":memory:" if isinstance(source, bytes) else source
    with closing(sqlite3.connect(name, timeout=min(wait, WAIT), isolation_level=None)) as connection:
        with watched(connection, path):
            set_up(connection, path)
            if isinstance(source, bytes) and source:
                connection.deserialize(source)
        yield connection


def _begin(connection: sqlite3.Connection, write: bool, wait: float) -> None:
    """Begin a transaction; the wait for another writer can be interrupted."""
    until = monotonic() + wait
    connection.execute("PRAGMA busy_timeout = 0")
    while True:
        try:
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            connection.execute("SELECT count(*) FROM sqlite_master" if not write else "PRAGMA user_version")
        except sqlite3.OperationalError as error:
            if _code(error) != sqlite3.SQLITE_BUSY or monotonic() >= until:
                raise
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            sleep(_PAUSE)
        else:
            connection.execute(f"PRAGMA busy_timeout = {round(1000 * min(wait, WAIT))}")
            return


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's primary code of an error; 0 for one of Python's own."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _resolved(path: Path) -> Path:
    """Follow links to the file itself, next to which SQLite keeps its journal."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise InvalidRequest(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


@contextmanager
def _sqlite_errors(path: Path, target: Path, wait: float) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if _code(error) == sqlite3.SQLITE_BUSY:
            raise _in_use(path, target, wait) from None
        raise InvalidRequest(f"{path}: cannot be used as a ledger: {error}") from None
    except (UnicodeError, OverflowError) as error:  # from values in a damaged file
        raise InvalidRequest(f"{path}: is damaged: {error}") from None


def _in_use(path: Path, target: Path, wait: float) -> InvalidRequest:
    return InvalidRequest(f"{path}: is in use{holders(target)}, and still was after {wait:g} seconds")


def _prepare(path: Path, target: Path, create: bool) -> bool:
    """Make the file, for its owner alone, if it is to be made. Returns: whether it holds anything."""
    if not target.parent.is_dir():
        raise InvalidRequest(f"{path}: its folder does not exist")
    if target.exists() and not target.is_file():
        raise InvalidRequest(f"{path}: a ledger is a file, not a pipe or device")
    try:
        if create and not target.exists():
            os.close(os.open(target, os.O_RDWR | os.O_CREAT, 0o600))
        if create and not os.access(target, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))
        size = target.stat().st_size
    except OSError as error:
        raise InvalidRequest(
            f"{path}: cannot be {'written' if create else 'read'}: {error.strerror or error}"
        ) from None
    return check_sides(path, target) or size > 0  # with a journal, whatever the file is now


def _read_apart(path: Path, target: Path, wait: float) -> bytes:
    """Have another process read all of a ledger first, so that a hostile file harms SQLite only there.

    Returns: what the ledger holds. Raises: InvalidRequest if that process crashes, takes too long, needs too much or
    refuses the file.
    """
    until = monotonic() + wait
    names = os.fsencode(path) + b"\0" + os.fsencode(target) + b"\0"
    try:
        told = _told_apart(names, None, until)
        if told == _UNFINISHED:
            with tempfile.TemporaryDirectory(prefix="tploracle-") as folder:
                told = _told_apart(names + os.fsencode(folder), folder, until)
    except OSError as error:
        raise InvalidRequest(f"{path}: a copy of it cannot be made: {error.strerror or error}") from None
    except Late as late:
        raise InvalidRequest(f"{path}: cannot be read: {took_too_long(str(late))}") from None
    except Gone as gone:
        raise InvalidRequest(
            f"{path}: cannot be read: the process in which SQLite parses it {gone}; use an earlier copy"
        ) from None
    if told == _BUSY:
        raise _in_use(path, target, wait)
    if told[:1] != _READ:
        raise InvalidRequest(os.fsdecode(told))
    return told[1:]


def _told_apart(message: bytes, folder: str | None, until: float) -> bytes:
    """Return what another process says that reads the ledger and writes nothing but below the folder.

    Raises: Late, Gone.
    """
    reader = BoundedProcess(_reading, MOST_GROWTH, is_fork=True, folder=folder)
    try:
        while (told := reader.ask(message, MOST_SECONDS)) == _BUSY and monotonic() < until:
            sleep(_PAUSE)
        return told
    finally:
        reader.end()


def _reading() -> AnswersMessages:
    return _read_whole


def _read_whole(message: bytes) -> bytes:
    """Read all accounts of a ledger. Faults of one are reported when it is used."""
    path, target, folder = (Path(os.fsdecode(name)) for name in message.split(b"\0"))
    try:
        with _sqlite_errors(path, target, WAIT):
            content = committed(path, target, folder if folder.is_absolute() else None)
            if content is None:
                return _BUSY
            with _connected(path, content, WAIT) as connection:
                with watched(connection, path):
                    has_accounts = is_ledger(connection, path)
                ledger = Ledger(connection, path)
                for name in ledger.accounts() if has_accounts else ():
                    with suppress(InvalidRequest):
                        ledger.read_whole(name)
    except Unfinished:
        return _UNFINISHED
    except OSError as error:
        return os.fsencode(f"{path}: cannot be read: {error.strerror or error}")
    except InvalidRequest as error:
        return os.fsencode(str(error))
    return _READ + content
