"""The file of a ledger, opened for one transaction: what it does is recorded whole, or not at all.

The file may be anyone's: another process reads it first, whole. docs/ledger.md has the format.
"""

from __future__ import annotations

import filecmp
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from glob import escape
from pathlib import Path
from tempfile import mkstemp
from time import monotonic, sleep

from ..contract.errors import placed
from ..contract.limits import MOST_GROWTH, MOST_SECONDS, took_too_long
from ..reference import InvalidRequest
from ..system.bounded import AnswersMessages, BoundedProcess, Gone, Late
from ..system.locks import holders, locked
from ..wire.strict_json import Object, as_list, as_object, as_string, check_keys, decode, encode
from .files import read_text
from .ledger_chain import STATE_FORMAT, Ledger
from .ledger_file import LEDGER_VERSION, SQLITE, check_head, make_schema, set_up, version_of, watched

MAIN = "main"
"""The account that is meant where none is named."""

WAIT = 10.0
"""Seconds to wait for another command that is writing."""

_PAUSE = 0.01
"""Seconds between two attempts to read or write."""

_READ, _BUSY = b"read", b"busy"


@contextmanager
def opened_ledger(
    path: Path,
    write: bool = True,
    create: bool = False,
    wait: float = WAIT,
    say: Callable[[str], None] = lambda _sentence: None,
) -> Iterator[Ledger]:
    """Open a ledger for one transaction: written when the body is done, all of it, and not at all where it raises.

    Args: write, whether to keep other writers away; create, whether to make the file where there is none; wait,
    seconds for another that is writing; say, called where a file of version 1 has been migrated first.
    Raises: InvalidRequest for a file that is missing, in use, damaged, of another program or of a later version, or
    cannot be written; and where SQLite crashes at it, or needs too much.
    """
    target = _resolved(path)
    if _prepare(path, target, create, say):
        _read_apart(path, target, wait)
    with _sqlite_errors(path, target, wait), _connected(path, target, wait) as connection:
        _begin(connection, write, wait)
        try:
            with watched(connection, path):
                ledger = _checked(connection, path, write, create)
            yield ledger
            ledger.commit()
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextmanager
def _connected(path: Path, target: Path, wait: float) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(target, timeout=min(wait, WAIT), isolation_level=None)) as connection:
        with watched(connection, path):
            set_up(connection, path)
        yield connection


def _begin(connection: sqlite3.Connection, write: bool, wait: float) -> None:
    """Begin a transaction; who waits for another that is writing may be interrupted."""
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
    """Return the primary code of SQLite for an error; 0 of one that is Python's own."""
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
    except (UnicodeError, OverflowError) as error:  # of what SQLite says of a file that is damaged
        raise InvalidRequest(f"{path}: is damaged: {error}") from None


def _in_use(path: Path, target: Path, wait: float) -> InvalidRequest:
    return InvalidRequest(f"{path}: is in use{holders(target)}, and still was after {wait:g} seconds")


def _prepare(path: Path, target: Path, create: bool, say: Callable[[str], None]) -> bool:
    """Make the file, for its owner alone, where it is to be made; migrate it where it is of version 1.

    Returns: whether it holds anything that this process has not just written.
    """
    if not target.parent.is_dir():
        raise InvalidRequest(f"{path}: its folder does not exist")
    if target.exists() and not target.is_file():
        raise InvalidRequest(f"{path}: a ledger is a file, not a pipe or device")
    try:
        if create:
            os.close(os.open(target, os.O_RDWR | os.O_CREAT, 0o600))
        if target.with_name(f"{target.name}-journal").exists():
            return True  # whatever the file is now: SQLite first undoes what was not finished
        with target.open("rb") as stream:
            head, size = stream.read(len(SQLITE)), stream.seek(0, os.SEEK_END)
        if head.lstrip()[:1] == b"{":
            _migrate(path, target)
            say(f"{path}: migrated to version {LEDGER_VERSION}; the former file is kept as {target.name}.v1")
            return False
    except OSError as error:
        raise InvalidRequest(
            f"{path}: cannot be {'written' if create else 'read'}: {error.strerror or error}"
        ) from None
    check_head(path, head, size)
    return size > 0


def _checked(connection: sqlite3.Connection, path: Path, write: bool, create: bool) -> Ledger:
    """Look at what the file is; make it a ledger where it is to be one, and of this version where it is written."""
    version = version_of(connection, path)
    if not version:
        if not create:
            raise InvalidRequest(f"{path}: is empty; --init creates an account")
        make_schema(connection)
    ledger = Ledger(connection, path, version or LEDGER_VERSION)
    if write and version and version < LEDGER_VERSION:
        ledger.renew()
    return ledger


def _read_apart(path: Path, target: Path, wait: float) -> None:
    """Have another process read a ledger first, whole: what a file of anyone does to SQLite, it does there.

    Raises: InvalidRequest where that process crashes, takes too long, needs too much or refuses the file.
    """
    until = monotonic() + wait
    reader = BoundedProcess(_reading, MOST_GROWTH, is_fork=True)
    try:
        while (told := reader.ask(os.fsencode(path) + b"\0" + os.fsencode(target), MOST_SECONDS)) == _BUSY:
            if monotonic() >= until:
                raise _in_use(path, target, wait)
            sleep(_PAUSE)
    except Late as late:
        raise InvalidRequest(f"{path}: cannot be read: {took_too_long(str(late))}") from None
    except Gone:
        raise InvalidRequest(
            f"{path}: cannot be read: the process in which SQLite parses it ended, because memory ran out or the "
            "file is faulty; use an earlier copy"
        ) from None
    finally:
        reader.end()
    if told != _READ:
        raise InvalidRequest(os.fsdecode(told))


def _reading() -> AnswersMessages:
    return _read_whole


def _read_whole(message: bytes) -> bytes:
    """Read all accounts of a ledger. What is wrong with one of them is said by who answers from it."""
    path, target = (Path(os.fsdecode(name)) for name in message.split(b"\0"))
    try:
        with _sqlite_errors(path, target, WAIT), _connected(path, target, WAIT) as connection:
            try:
                _begin(connection, write=False, wait=0)
            except sqlite3.OperationalError as error:
                if _code(error) == sqlite3.SQLITE_BUSY:
                    return _BUSY
                raise
            with watched(connection, path):
                version = version_of(connection, path)
            ledger = Ledger(connection, path, version)
            for name in ledger.accounts() if version else ():
                with suppress(InvalidRequest):
                    ledger.read_whole(name)
    except InvalidRequest as error:
        return os.fsencode(str(error))
    return _READ


def _migrate(path: Path, target: Path) -> None:
    """Put a ledger in the place of an account of version 1, which is kept beside it.

    Raises: InvalidRequest, OSError.
    """
    kept = target.with_name(f"{target.name}.v1")
    with locked(target.parent):
        with placed(str(path)):
            text = read_text(str(target))
            if not text.lstrip().startswith("{"):
                return  # another command has migrated it meanwhile
            value, epsilons = _of_version_1(text)
        for stale in target.parent.glob(f".{escape(target.name)}.*.tmp"):
            stale.unlink()
        descriptor, temporary = mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
        os.close(descriptor)
        try:
            with opened_ledger(Path(temporary), create=True) as ledger:
                by = f"version 1 of {target.name}"
                ledger.open_account(MAIN, value, by)
                ledger.record(MAIN, epsilons, None, by)
            Path(temporary).chmod(target.stat().st_mode & 0o777)
            if not (kept.exists() and filecmp.cmp(kept, target, shallow=False)):  # left by one that was interrupted
                kept.hardlink_to(target)
            Path(temporary).replace(target)
        finally:
            Path(temporary).unlink(missing_ok=True)
        _sync(target.parent)


def _of_version_1(text: str) -> tuple[Object, list[str]]:
    """Return the account of a file of version 1, and its budgets. Raises: InvalidRequest."""
    value = as_object(decode(text), "the account")
    if value.get("format") != STATE_FORMAT:
        raise InvalidRequest("is not a ledger")
    check_keys(value, ("format", "version", "adversaries", "epsilons"), ("cap",), "the account")
    if value["version"] != 1 or value["version"] is True:
        raise InvalidRequest(f"is a ledger of a version other than 1 to {LEDGER_VERSION}")
    as_string(value.get("cap", "inf"), "cap")
    try:
        encode(value["adversaries"])
    except TypeError:
        raise InvalidRequest('adversaries: a number is written as a text, as in "0.1"') from None
    return value, [as_string(epsilon, "epsilons") for epsilon in as_list(value["epsilons"], "epsilons")]


def _sync(folder: Path) -> None:
    """Have a rename in a folder outlast a loss of power, where the system lets a folder be opened."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
