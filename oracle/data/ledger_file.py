"""The SQLite file of a ledger: which schemas there have been, and what is looked at before anything in it is believed.

A file may have been written by anyone. Its schema is compared with that of its version, whole, before any other query:
what else a schema may hold (a view for a table, a trigger that drops what is recorded) is never run. The file's own
structure is then checked, indexes included, in bounded time and memory.
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
"""The version of the format; 1 was a JSON file of one account, 2 knew the recursion alone, 3 had no digests, 4 no δ."""

BY_RECURSION, BY_WORST_CASE = BOUNDS = ("recursion", "tight")
"""By what the cap of an account is kept: the paper's recursion, or the exact worst case."""

AT_DELTA = "delta="
"""What a word of a bound begins with that says at which δ an account is."""

SQLITE = b"SQLite format 3\0"

MOST_LEDGER_BYTES = 1 << 30
MOST_TEXT_BYTES = 1 << 27
MOST_HEAP_BYTES = 1 << 29
"""Of a ledger, of one text in it, and of what SQLite may need for it."""

_STEPS = 1 << 14
"""Instructions of SQLite between two looks at the time and at what is asked to end."""

_BOUND_COLUMN = f"bound TEXT NOT NULL DEFAULT '{BY_RECURSION}'"
_BOUND = f",\n    {_BOUND_COLUMN}"
_DIGEST = ",\n    digest TEXT NOT NULL"


def _statements(bound: str, digest: str, head: str) -> str:
    return f"""
CREATE TABLE account (
    name TEXT PRIMARY KEY,
    adversaries TEXT NOT NULL,
    cap TEXT NOT NULL,
    opened TEXT NOT NULL,
    opened_by TEXT NOT NULL{bound}{digest}
);
CREATE TABLE release (
    account TEXT NOT NULL REFERENCES account(name),
    time INTEGER NOT NULL,
    epsilon TEXT NOT NULL,
    request TEXT,
    recorded TEXT NOT NULL,
    recorded_by TEXT NOT NULL{digest},
    PRIMARY KEY (account, time)
);
CREATE TRIGGER release_is_kept BEFORE DELETE ON release BEGIN SELECT RAISE(ABORT, 'a release is never taken back'); END;
CREATE TRIGGER release_is_final BEFORE UPDATE ON release BEGIN SELECT RAISE(ABORT, 'a release is never changed'); END;
CREATE TRIGGER account_is_kept BEFORE DELETE ON account BEGIN SELECT RAISE(ABORT, 'an account is never closed'); END;
CREATE TRIGGER account_is_final BEFORE UPDATE ON account BEGIN SELECT RAISE(ABORT, 'an account is never changed'); END;
{head}"""


_HEAD = """CREATE TABLE head (
    account TEXT PRIMARY KEY REFERENCES account(name),
    releases INTEGER NOT NULL,
    digest TEXT NOT NULL
);
CREATE TRIGGER head_is_kept BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT, 'an account is never closed'); END;
"""

_SECOND = _statements("", "", "")

SCHEMAS = {
    2: (_SECOND,),
    3: (_statements(_BOUND, "", ""), f"{_SECOND}ALTER TABLE account ADD COLUMN {_BOUND_COLUMN};"),
    **dict.fromkeys((4, 5), (_statements(_BOUND, _DIGEST, _HEAD),)),
}
"""The statements that have made ledgers of each version."""

Schema = frozenset[tuple[str, str, str, str]]
"""Kind, name, table and text of all that a schema holds."""


@cache
def _structures(version: int) -> tuple[Schema, ...]:
    found = []
    for statements in SCHEMAS[version]:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.executescript(statements)
            found.append(_structure(connection))
    return tuple(found)


def _structure(connection: sqlite3.Connection) -> Schema:
    rows = connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master").fetchall()
    return frozenset((str(kind), str(name), str(table), " ".join(str(sql).split())) for kind, name, table, sql in rows)


def make_schema(connection: sqlite3.Connection) -> None:
    """Make the tables of this version, in the transaction that there is."""
    for statement in SCHEMAS[LEDGER_VERSION][0].strip().split(";\n"):
        connection.execute(statement.removesuffix(";"))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    name_version(connection)


def name_version(connection: sqlite3.Connection) -> None:
    """Say that a file is of this version."""
    connection.execute(f"PRAGMA user_version = {LEDGER_VERSION}")


def check_head(path: Path, head: bytes, size: int) -> None:
    """Look at the first bytes of a file, and at how long it is. Raises: InvalidRequest for what is no ledger."""
    if not (head == b"" or head.startswith(SQLITE)):
        raise InvalidRequest(f"{path}: is not a ledger")
    if size > MOST_LEDGER_BYTES:
        raise too_large(f"{path}: a ledger of {size} bytes, at most {MOST_LEDGER_BYTES} are read")


def set_up(connection: sqlite3.Connection, path: Path) -> None:
    """Set what SQLite does for the sake of safety, and what it may need."""

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


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """Look at a file in the transaction that there is. Returns: its version, 0 where it is empty.

    Raises: InvalidRequest for a file of another program, of another version, of another structure, or damaged.
    """
    (application,), (version,), (mode,) = (
        connection.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version", "journal_mode")
    )
    structure = _structure(connection)
    if not application and not structure and not version:
        return 0
    if application != APPLICATION_ID:
        raise InvalidRequest(f"{path}: is not a ledger")
    if version not in SCHEMAS:
        raise InvalidRequest(f"{path}: is a ledger of version {version}; this release knows up to {LEDGER_VERSION}")
    if structure not in _structures(version):
        names = sorted({name for _, name, _, _ in structure ^ _structures(version)[0]})
        raise InvalidRequest(
            f"{path}: its schema is not that of a ledger of version {version}: the file has been changed, "
            f"see {', '.join(map(ascii, names[:5]))}"
        )
    if mode != "delete":
        raise InvalidRequest(f"{path}: has the journal mode {mode}, a ledger has delete: the file has been changed")
    faults = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if faults != "ok":
        raise InvalidRequest(f"{path}: is damaged: {faults}")
    return int(version)


@contextmanager
def watched(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """End what SQLite does in the body when this process is asked to end, or has computed for too long.

    Raises: what the signal raises; InvalidRequest.
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
