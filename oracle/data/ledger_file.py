"""The SQLite file of a ledger: its schema, and the checks that it passes before anything in it is believed.

Anyone may have written a file. Its whole schema is compared with that of a ledger before any other query, so that a
foreign view or trigger is never run. The file's own structure is then checked, indexes included, in bounded time and
memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from time import process_time

from ..contract.limits import MOST_SECONDS, too_large, took_too_long
from ..reference import InvalidRequest
from ..system.processor_time import no_answer_within
from ..system.signals import held

APPLICATION_ID = 0x74706C6F
"""What marks an SQLite file as a ledger: "tplo"."""

LEDGER_VERSION = 5
"""The version of the format, user_version of the file. Earlier ones were never released."""

BY_RECURSION, BY_WORST_CASE = BOUNDS = ("recursion", "worst-case")
"""The bounds that enforce the cap of an account: the paper's recursion, or the exact worst case."""

AT_DELTA = "delta="
"""Prefix of the word in a bound that gives the δ of an account."""

SQLITE = b"SQLite format 3\0"

_JOURNAL_MODE = slice(18, 20)
"""The bytes of a file that say its journal mode."""

MOST_LEDGER_BYTES = 1 << 29
MOST_TEXT_BYTES = 1 << 27
MOST_HEAP_BYTES = 1 << 30
"""Limits of a ledger, of one text in it, and of SQLite's memory for it."""

_STEPS = 1 << 14
"""Instructions of SQLite between two checks of the time and of signals."""

SCHEMA = f"""
CREATE TABLE account (
    name TEXT PRIMARY KEY,
    adversaries TEXT NOT NULL,
    cap TEXT NOT NULL,
    opened TEXT NOT NULL,
    opened_by TEXT NOT NULL,
    bound TEXT NOT NULL DEFAULT '{BY_RECURSION}',
    digest TEXT NOT NULL
);
CREATE TABLE release (
    account TEXT NOT NULL REFERENCES account(name),
    time INTEGER NOT NULL,
    epsilon TEXT NOT NULL,
    request TEXT,
    recorded TEXT NOT NULL,
    recorded_by TEXT NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (account, time)
);
CREATE TRIGGER release_is_kept BEFORE DELETE ON release BEGIN SELECT RAISE(ABORT, 'a release is never taken back'); END;
CREATE TRIGGER release_is_final BEFORE UPDATE ON release BEGIN SELECT RAISE(ABORT, 'a release is never changed'); END;
CREATE TRIGGER account_is_kept BEFORE DELETE ON account BEGIN SELECT RAISE(ABORT, 'an account is never closed'); END;
CREATE TRIGGER account_is_final BEFORE UPDATE ON account BEGIN SELECT RAISE(ABORT, 'an account is never changed'); END;
CREATE TABLE head (
    account TEXT PRIMARY KEY REFERENCES account(name),
    releases INTEGER NOT NULL,
    digest TEXT NOT NULL
);
CREATE TRIGGER head_is_kept BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT, 'an account is never closed'); END;
"""
"""The statements that make a ledger."""

Schema = frozenset[tuple[str, str, str, str]]
"""Kind, name, table and text of everything in a schema."""


@cache
def _ledger_schema() -> Schema:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        return _schema_of(connection)


def _schema_of(connection: sqlite3.Connection) -> Schema:
    rows = connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master").fetchall()
    return frozenset((str(kind), str(name), str(table), " ".join(str(sql).split())) for kind, name, table, sql in rows)


def make_schema(connection: sqlite3.Connection) -> None:
    """Make an empty file a ledger, in the current transaction."""
    for statement in SCHEMA.strip().split(";\n"):
        connection.execute(statement.removesuffix(";"))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {LEDGER_VERSION}")


def check_head(path: Path, head: bytes, size: int) -> None:
    """Check the first bytes and the size of a file. Raises: InvalidRequest unless it may be a ledger."""
    if not (head == b"" or head.startswith(SQLITE)):
        raise InvalidRequest(f"{path}: is not a ledger")
    if size > MOST_LEDGER_BYTES:
        raise too_large(f"{path}: a ledger of {size} bytes, at most {MOST_LEDGER_BYTES} are read")
    if head[_JOURNAL_MODE] not in (b"", b"\1\1"):
        raise InvalidRequest(f"{path}: has the journal mode wal, a ledger has delete: the file has been changed")


def set_up(connection: sqlite3.Connection, path: Path) -> None:
    """Set SQLite's safety options and limits."""

    def text(content: bytes) -> str:
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            raise InvalidRequest(f"{path}: is damaged: a text in it is not UTF-8") from None

    connection.text_factory = text
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_TEXT_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    if (defensive := getattr(sqlite3, "SQLITE_DBCONFIG_DEFENSIVE", None)) is not None:  # Python 3.12
        getattr(connection, "setconfig")(defensive, True)  # noqa: B009 - Python 3.11 knows neither
    for setting in (
        "trusted_schema = OFF",
        "cell_size_check = ON",
        f"hard_heap_limit = {MOST_HEAP_BYTES}",
        "mmap_size = 0",
        "foreign_keys = ON",
        "synchronous = EXTRA",  # FULL, and the folder when the journal is gone
    ):
        connection.execute(f"PRAGMA {setting}")


def is_ledger(connection: sqlite3.Connection, path: Path) -> bool:
    """Check a file in the current transaction. Returns: False if it is empty.

    Raises: InvalidRequest for a file of another program, version or schema, or a damaged one.
    """
    (application,), (version,), (mode,) = (
        connection.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version", "journal_mode")
    )
    schema = _schema_of(connection)
    if not application and not schema and not version:
        return False
    if application != APPLICATION_ID:
        raise InvalidRequest(f"{path}: is not a ledger")
    if version != LEDGER_VERSION:
        raise InvalidRequest(f"{path}: is a ledger of version {version}; this release knows version {LEDGER_VERSION}")
    if schema != _ledger_schema():
        names = sorted({name for _, name, _, _ in schema ^ _ledger_schema()})
        raise InvalidRequest(
            f"{path}: its schema is not that of a ledger: the file has been changed, "
            f"see {', '.join(map(ascii, names[:5]))}"
        )
    if mode not in ("delete", "memory"):
        raise InvalidRequest(f"{path}: has the journal mode {mode}, a ledger has delete: the file has been changed")
    faults = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if faults != "ok":
        raise InvalidRequest(f"{path}: is damaged: {faults}")
    return True


@contextmanager
def watched(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Stop SQLite's work in the body on a signal, or after MOST_SECONDS of processor time.

    Raises: the exception of the signal; InvalidRequest.
    """
    until = process_time() + MOST_SECONDS
    late = False

    def end(asked: Callable[[], bool]) -> bool:
        nonlocal late
        late = process_time() > until
        return late or asked()

    with held(timer=True) as asked:
        connection.set_progress_handler(lambda: end(asked), _STEPS)
        try:
            yield
        except sqlite3.OperationalError:
            if late:
                raise InvalidRequest(f"{path}: {took_too_long(no_answer_within(MOST_SECONDS))}") from None
            raise
        finally:
            connection.set_progress_handler(None, 0)
