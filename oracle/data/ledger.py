"""The ledger of `spend`: accounts in one SQLite file, every release recorded as it was spent, and never taken back.

Leakage is not recorded: it follows from the correlations and the exact budgets, which are. docs/ledger.md has the
format.
"""

from __future__ import annotations

import filecmp
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from glob import escape
from hashlib import sha256
from pathlib import Path
from tempfile import mkstemp
from time import monotonic, sleep

from ..reference import InvalidRequest
from ..system.locks import holders, locked
from ..wire.strict_json import Object, as_list, as_object, as_string, check_keys, decode, encode
from .files import read_text
from .ledger_file import BY_RECURSION, LEDGER_VERSION, SQLITE, check_head, make_schema, set_up, version_of, watched

STATE_FORMAT = "tploracle-accountant"
"""What version 1 says it is."""

MAIN = "main"
"""The account that is meant where none is named."""

WAIT = 10.0
"""Seconds to wait for another command that is writing."""

_PAUSE = 0.01
"""Seconds between two attempts to write."""

_REMEDY = "; take a copy from before, and compare its head with the one that the last spend printed"


@dataclass(frozen=True, slots=True)
class RecordedRelease:
    """One release as it was recorded: its time from 1, the exact budget, the request, when (UTC), and by whom.

    head: the digest of it and of all that was recorded before it.
    """

    time: int
    epsilon: str
    request: str | None
    recorded: str
    recorded_by: str
    head: str


def _digest(*recorded: object) -> str:
    """Return the digest of what is recorded, which begins with that of what was before it."""
    return sha256(json.dumps(recorded).encode("ascii")).hexdigest()


class Ledger:
    """One transaction on a ledger file of a version; made by `opened_ledger`.

    What is recorded is a chain: an account has a digest of all that it is, each release one of itself and of the digest
    before it, and the table `head` how many releases there are and the last digest.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, version: int) -> None:
        self._connection = connection
        self._path = path
        self._version = version

    def accounts(self) -> list[str]:
        """Return the names of the accounts. Raises: InvalidRequest."""
        rows = self._connection.execute("SELECT name FROM account ORDER BY name").fetchall()
        self._check_texts("the table of accounts", *(name for (name,) in rows))
        return [name for (name,) in rows]

    def open_account(self, name: str, state: Object, by: str) -> None:
        """Begin an account, which has no release yet.

        Args: state, its adversaries, its cap and by what it is kept, as `state` returns them.
        Raises: InvalidRequest where there is one of this name.
        """
        if name in self.accounts():
            raise InvalidRequest(f"{self._path}: the account {name!r} exists already; without --init it goes on")
        adversaries = encode(state["adversaries"])
        bound = state.get("bound", BY_RECURSION)
        self._insert_account(name, adversaries, state.get("cap", "inf"), _now(), by, bound)

    def _insert_account(self, *row: object) -> None:
        digest = _digest(*row)
        self._connection.execute("INSERT INTO account VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, digest))
        self._connection.execute("INSERT INTO head VALUES (?, 0, ?)", (row[0], digest))

    def _account(self, name: str) -> tuple[str, ...]:
        """Return the row of an account and its digest. Raises: InvalidRequest for one that has been changed."""
        columns = "name, adversaries, cap, opened, opened_by"
        columns += f", {'bound' if self._version > 2 else repr(BY_RECURSION)}"
        columns += ", digest" if self._version > 3 else ""
        row = self._connection.execute(f"SELECT {columns} FROM account WHERE name = ?", (name,)).fetchone()
        if row is None:
            there = ", ".join(map(repr, self.accounts())) or "none"
            raise InvalidRequest(f"{self._path}: there is no account {name!r}; there are: {there}")
        self._check_texts(f"the account {name!r}", *row)
        digest = _digest(*row[:6])
        if row[6:] not in ((), (digest,)):
            raise self._changed(name, "the account's own row")
        return (*row[:6], digest)

    def state(self, name: str) -> Object:
        """Return an account as version 1 wrote it: adversaries, cap and budgets; and `bound`, unless the recursion's.

        Raises: InvalidRequest.
        """
        _, adversaries, cap, _, _, bound, _ = self._account(name)
        return {
            "format": STATE_FORMAT,
            "version": 1,
            "adversaries": decode(adversaries),
            **({} if cap == "inf" else {"cap": cap}),
            **({} if bound == BY_RECURSION else {"bound": bound}),
            "epsilons": [release.epsilon for release in self.history(name)],
        }

    def head(self, name: str, releases: int) -> str:
        """Return the digest of an account and of so many releases. Raises: InvalidRequest."""
        return self.history(name)[releases - 1].head if releases else self._account(name)[-1]

    def history(self, name: str) -> list[RecordedRelease]:
        """Return the releases of an account in order.

        Raises: InvalidRequest where one is missing, or is not as it was recorded.
        """
        head = self._account(name)[-1]
        columns = f"time, epsilon, request, recorded, recorded_by{', digest' if self._version > 3 else ''}"
        query = f"SELECT {columns} FROM release WHERE account = ? ORDER BY time"
        releases: list[RecordedRelease] = []
        for number, (time, epsilon, request, *told) in enumerate(self._connection.execute(query, (name,)), 1):
            if type(time) is not int or time != number:
                raise InvalidRequest(
                    f"{self._path}: the account {name!r} lacks a release: the file has been changed{_REMEDY}"
                )
            self._check_texts(
                f"release {time} of the account {name!r}", epsilon, "" if request is None else request, *told
            )
            head = _digest(head, name, time, epsilon, request, *told[:2])
            if told[2:] not in ([], [head]):
                raise self._changed(name, f"release {time}")
            releases.append(RecordedRelease(time, epsilon, request, told[0], told[1], head))
        if self._version > 3:
            last = self._connection.execute("SELECT releases, digest FROM head WHERE account = ?", (name,)).fetchone()
            if last != (len(releases), head):
                raise self._changed(name, f"the number of releases, or the head, after release {len(releases)}")
        return releases

    def _check_texts(self, what: str, *values: object) -> None:
        if not all(isinstance(value, str) for value in values):
            raise InvalidRequest(
                f"{self._path}: {what} has a value that is no text: the file has been changed{_REMEDY}"
            )

    def _changed(self, name: str, what: str) -> InvalidRequest:
        return InvalidRequest(
            f"{self._path}: the account {name!r} is not as it was recorded: {what} has another digest: "
            f"the file has been changed{_REMEDY}"
        )

    def record(self, name: str, epsilons: Sequence[str], request: str | None, by: str) -> None:
        """Record releases of these budgets, after those that there are."""
        done, now = len(self.history(name)), _now()
        self._insert_releases(
            name,
            self.head(name, done),
            [(time, each, request, now, by) for time, each in enumerate(epsilons, done + 1)],
        )

    def _insert_releases(self, name: str, head: str, releases: Sequence[tuple[int, str, str | None, str, str]]) -> None:
        for release in releases:
            head = _digest(head, name, *release)
            self._connection.execute("INSERT INTO release VALUES (?, ?, ?, ?, ?, ?, ?)", (name, *release, head))
        if releases:
            last = (releases[-1][0], head, name)
            self._connection.execute("UPDATE head SET releases = ?, digest = ? WHERE account = ?", last)

    def renew(self) -> None:
        """Make a ledger of an earlier version one of this version, in its transaction: what is recorded stays."""
        recorded = [(self._account(name), self.history(name)) for name in self.accounts()]
        (orphans,) = self._connection.execute(
            "SELECT count(*) FROM release WHERE account NOT IN (SELECT name FROM account)"
        ).fetchone()
        if orphans:
            raise InvalidRequest(f"{self._path}: is damaged: {orphans} releases are of no account")
        for table in ("release", "account"):
            self._connection.execute(f"DROP TABLE {table}")
        make_schema(self._connection)
        self._version = LEDGER_VERSION
        for account, releases in recorded:
            self._insert_account(*account[:6])
            rows = [(each.time, each.epsilon, each.request, each.recorded, each.recorded_by) for each in releases]
            self._insert_releases(account[0], account[-1], rows)

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
        closing(sqlite3.connect(target, timeout=min(wait, WAIT), isolation_level=None)) as connection,
    ):
        with watched(connection, path):
            set_up(connection, path)
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
            raise InvalidRequest(f"{path}: is in use{holders(target)}, and still was after {wait:g} seconds") from None
        raise InvalidRequest(f"{path}: cannot be used as a ledger: {error}") from None
    except (UnicodeError, OverflowError) as error:  # of what SQLite says of a file that is damaged
        raise InvalidRequest(f"{path}: is damaged: {error}") from None


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
            head, size = stream.read(len(SQLITE)), stream.seek(0, os.SEEK_END)
        if head.lstrip()[:1] == b"{":
            _migrate(path, target)
            say(f"{path}: migrated to version {LEDGER_VERSION}; the former file is kept as {target.name}.v1")
            return
    except OSError as error:
        raise InvalidRequest(
            f"{path}: cannot be {'written' if create else 'read'}: {error.strerror or error}"
        ) from None
    check_head(path, head, size)


def _checked(connection: sqlite3.Connection, path: Path, write: bool, create: bool) -> Ledger:
    """Look at what the file is; make it a ledger where it is to be one, and of this version where it is written."""
    version = version_of(connection, path)
    if not version:
        if not create:
            raise InvalidRequest(f"{path}: is empty; --init begins an account")
        make_schema(connection)
    ledger = Ledger(connection, path, version or LEDGER_VERSION)
    if write and version and version < LEDGER_VERSION:
        ledger.renew()
    return ledger


def _migrate(path: Path, target: Path) -> None:
    """Put a ledger in the place of an account of version 1, which is kept beside it.

    Raises: InvalidRequest, OSError.
    """
    kept = target.with_name(f"{target.name}.v1")
    with locked(target.parent):
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
