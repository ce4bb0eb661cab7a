"""The ledger of `spend`: accounts in one SQLite file, every release recorded as it was spent, and never taken back.

Leakage is not recorded: it follows from the correlations and the exact budgets, which are. docs/ledger.md has the
format.
"""

from __future__ import annotations

import filecmp
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from glob import escape
from pathlib import Path
from tempfile import mkstemp

from ..reference import InvalidRequest
from ..wire.strict_json import Object, as_list, as_object, as_string, check_keys, decode, encode
from .files import read_text

APPLICATION_ID = 0x74706C6F
"""What marks an SQLite file as a ledger: "tplo"."""

LEDGER_VERSION = 3
"""The version of the format; version 1 was a JSON file of one account, version 2 knew the recursion alone."""

BY_RECURSION, BY_WORST_CASE = BOUNDS = ("recursion", "tight")
"""By what the cap of an account is kept: the paper's recursion, or the exact worst case."""

STATE_FORMAT = "tploracle-accountant"
"""What version 1 says it is."""

MAIN = "main"
"""The account that is meant where none is named."""

WAIT = 10.0
"""Seconds to wait for another command that is writing."""

_SCHEMA = f"""
CREATE TABLE account (
    name TEXT PRIMARY KEY,
    adversaries TEXT NOT NULL,
    cap TEXT NOT NULL,
    opened TEXT NOT NULL,
    opened_by TEXT NOT NULL,
    bound TEXT NOT NULL DEFAULT '{BY_RECURSION}'
);
CREATE TABLE release (
    account TEXT NOT NULL REFERENCES account(name),
    time INTEGER NOT NULL,
    epsilon TEXT NOT NULL,
    request TEXT,
    recorded TEXT NOT NULL,
    recorded_by TEXT NOT NULL,
    PRIMARY KEY (account, time)
);
CREATE TRIGGER release_is_kept BEFORE DELETE ON release BEGIN SELECT RAISE(ABORT, 'a release is never taken back'); END;
CREATE TRIGGER release_is_final BEFORE UPDATE ON release BEGIN SELECT RAISE(ABORT, 'a release is never changed'); END;
CREATE TRIGGER account_is_kept BEFORE DELETE ON account BEGIN SELECT RAISE(ABORT, 'an account is never closed'); END;
CREATE TRIGGER account_is_final BEFORE UPDATE ON account BEGIN SELECT RAISE(ABORT, 'an account is never changed'); END;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {LEDGER_VERSION};
"""
_SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class RecordedRelease:
    """One release as it was recorded: its time from 1, the exact budget, the request, when (UTC), and by whom."""

    time: int
    epsilon: str
    request: str | None
    recorded: str
    recorded_by: str


class Ledger:
    """One transaction on a ledger file; made by `opened_ledger`."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def accounts(self) -> list[str]:
        """Return the names of the accounts."""
        return [name for (name,) in self._connection.execute("SELECT name FROM account ORDER BY name")]

    def open_account(self, name: str, state: Object, by: str) -> None:
        """Begin an account, which has no release yet.

        Args: state, its adversaries, its cap and by what it is kept, as `state` returns them.
        Raises: InvalidRequest where there is one of this name.
        """
        if name in self.accounts():
            raise InvalidRequest(f"{self._path}: the account {name!r} exists already; without --init it goes on")
        row = (
            name,
            encode(state["adversaries"]),
            state.get("cap", "inf"),
            _now(),
            by,
            state.get("bound", BY_RECURSION),
        )
        self._connection.execute("INSERT INTO account VALUES (?, ?, ?, ?, ?, ?)", row)

    def state(self, name: str) -> Object:
        """Return an account as version 1 wrote it: adversaries, cap and budgets; and `bound`, unless the recursion's.

        Raises: InvalidRequest.
        """
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        bound = "bound" if version == LEDGER_VERSION else f"'{BY_RECURSION}'"
        query = f"SELECT adversaries, cap, {bound} FROM account WHERE name = ?"
        row = self._connection.execute(query, (name,)).fetchone()
        if row is None:
            there = ", ".join(map(repr, self.accounts())) or "none"
            raise InvalidRequest(f"{self._path}: there is no account {name!r}; there are: {there}")
        return {
            "format": STATE_FORMAT,
            "version": 1,
            "adversaries": decode(row[0]),
            **({} if row[1] == "inf" else {"cap": row[1]}),
            **({} if row[2] == BY_RECURSION else {"bound": row[2]}),
            "epsilons": [release.epsilon for release in self.history(name)],
        }

    def history(self, name: str) -> list[RecordedRelease]:
        """Return the releases of an account in order. Raises: InvalidRequest where one is missing."""
        columns = "time, epsilon, request, recorded, recorded_by"
        rows = self._connection.execute(f"SELECT {columns} FROM release WHERE account = ? ORDER BY time", (name,))
        releases = [RecordedRelease(*row) for row in rows]
        if [release.time for release in releases] != list(range(1, len(releases) + 1)):
            raise InvalidRequest(f"{self._path}: the account {name!r} lacks a release: the file has been changed")
        return releases

    def record(self, name: str, epsilons: Sequence[str], request: str | None, by: str) -> None:
        """Record releases of these budgets, after those that there are."""
        done, now = len(self.history(name)), _now()
        rows = [(name, time, epsilon, request, now, by) for time, epsilon in enumerate(epsilons, done + 1)]
        self._connection.executemany("INSERT INTO release VALUES (?, ?, ?, ?, ?, ?)", rows)

    def commit(self) -> None:
        """Write what was recorded; it outlasts a loss of power from here on."""
        if self._connection.in_transaction:
            self._connection.execute("COMMIT")


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
    cannot be written.
    """
    target = _resolved(path)
    _prepare(path, target, create, say)
    with (
        _sqlite_errors(path, target, wait),
        closing(sqlite3.connect(target, timeout=wait, isolation_level=None)) as connection,
    ):
        connection.execute("PRAGMA synchronous = EXTRA")  # FULL, and the folder when the journal is gone
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        try:
            _check(connection, path, write, create)
            ledger = Ledger(connection, path)
            yield ledger
            ledger.commit()
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


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
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            holder = "".join(f" by process {pid}" for pid in _holders(target))
            raise InvalidRequest(f"{path}: is in use{holder}, and still was after {wait:g} seconds") from None
        raise InvalidRequest(f"{path}: cannot be used as a ledger: {error}") from None


def _holders(target: Path) -> list[str]:
    """Return the processes that have a lock on a file, where the system says so."""
    with suppress(OSError, IndexError, ValueError):
        inode = str(target.stat().st_ino)
        locks = [line.split() for line in Path("/proc/locks").read_text(encoding="ascii").splitlines()]
        return sorted({lock[4] for lock in locks if lock[5].rpartition(":")[2] == inode and lock[1] != "->"})
    return []


def _prepare(path: Path, target: Path, create: bool, say: Callable[[str], None]) -> None:
    """Make the file, for its owner alone, where it is to be made; migrate it where it is of version 1."""
    if not target.parent.is_dir():
        raise InvalidRequest(f"{path}: its folder cannot be read: there is none")
    try:
        if create:
            os.close(os.open(target, os.O_RDWR | os.O_CREAT, 0o600))
        if target.with_name(f"{target.name}-journal").exists():
            return  # whatever the file is now: SQLite first undoes what was not finished
        with target.open("rb") as stream:
            head = stream.read(len(_SQLITE))
        if head.lstrip()[:1] == b"{":
            _migrate(path, target)
            say(f"{path}: migrated to version {LEDGER_VERSION}; the former file is kept as {target.name}.v1")
            return
    except OSError as error:
        raise InvalidRequest(
            f"{path}: cannot be {'written' if create else 'read'}: {error.strerror or error}"
        ) from None
    if head not in (b"", _SQLITE):
        raise InvalidRequest(f"{path}: is no ledger")


def _check(connection: sqlite3.Connection, path: Path, write: bool, create: bool) -> None:
    """Look at what the file is; make it a ledger where it is to be one, and of this version where it is written."""
    (pages,), (application,), (version,) = (
        connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "application_id", "user_version")
    )
    if pages <= 1 and not application and not connection.execute("SELECT * FROM sqlite_master").fetchall():
        if not create:
            raise InvalidRequest(f"{path}: is empty; --init begins an account")
        for statement in _SCHEMA.strip().split(";\n"):
            connection.execute(statement)
        return
    if application != APPLICATION_ID:
        raise InvalidRequest(f"{path}: is no ledger")
    if version not in (2, LEDGER_VERSION):
        raise InvalidRequest(f"{path}: is a ledger of version {version}; this release knows up to {LEDGER_VERSION}")
    faults = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if faults != "ok":
        raise InvalidRequest(f"{path}: is damaged: {faults}")
    if version == 2 and write:
        connection.execute(f"ALTER TABLE account ADD COLUMN bound TEXT NOT NULL DEFAULT '{BY_RECURSION}'")
        connection.execute(f"PRAGMA user_version = {LEDGER_VERSION}")


def _migrate(path: Path, target: Path) -> None:
    """Put a ledger in the place of an account of version 1, which is kept beside it.

    Raises: InvalidRequest, OSError.
    """
    kept = target.with_name(f"{target.name}.v1")
    with _alone(target.parent):
        text = read_text(str(target))
        if not text.lstrip().startswith("{"):
            return  # another command has migrated it meanwhile
        value = as_object(decode(text), "the account")
        if value.get("format") != STATE_FORMAT:
            raise InvalidRequest(f"{path}: is no ledger")
        check_keys(value, ("format", "version", "adversaries", "epsilons"), ("cap",), "the account")
        if value["version"] != 1 or value["version"] is True:
            raise InvalidRequest(f"{path}: is a ledger of another version than 1 to {LEDGER_VERSION}")
        as_string(value.get("cap", "inf"), "cap")
        try:
            encode(value["adversaries"])
        except TypeError:
            raise InvalidRequest(f'{path}: adversaries: a number is written as a text, as in "0.1"') from None
        for stale in target.parent.glob(f".{escape(target.name)}.*.tmp"):
            stale.unlink()
        descriptor, temporary = mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
        os.close(descriptor)
        try:
            with opened_ledger(Path(temporary), create=True) as ledger:
                by = f"version 1 of {target.name}"
                ledger.open_account(MAIN, value, by)
                epsilons = as_list(value["epsilons"], "epsilons")
                ledger.record(MAIN, [as_string(epsilon, "epsilons") for epsilon in epsilons], None, by)
            Path(temporary).chmod(target.stat().st_mode & 0o777)
            if not (kept.exists() and filecmp.cmp(kept, target, shallow=False)):  # left by one that was interrupted
                kept.hardlink_to(target)
            Path(temporary).replace(target)
        finally:
            Path(temporary).unlink(missing_ok=True)
        _sync(target.parent)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep away commands of this and of earlier releases, which locked the folder, where the system has such locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _sync(folder: Path) -> None:
    """Have a rename in a folder outlast a loss of power, where the system lets a folder be opened."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
