"""Ledgers that were tampered with: bits flipped, pages moved, schemas and rows forged. None changes an answer silently.

What is answered is the whole history of each account with its heads. A forger who writes the digests anew makes another
ledger, which only its head tells from the first: of such a one the head must differ.
"""

import sqlite3
import tempfile
from contextlib import closing, nullcontext, suppress
from functools import cache
from pathlib import Path
from unittest import mock

from tploracle.data import ledger
from tploracle.data.ledger import opened_ledger
from tploracle.data.ledger_chain import RecordedAccount
from tploracle.reference import OracleError

from .finding import require

APART = 25
"""One try of so many has another process read the ledger first, as commands do; a crash of it ends the try's own."""

ACCOUNT = RecordedAccount({"ann": {"backward": [["4/5", "1/5"], ["0", "1"]]}}, "1", "worst-case")
ACCOUNTS = ("main", "other")

ROWS = (
    "UPDATE release SET epsilon = '0' WHERE time = 2",
    "UPDATE release SET epsilon = CAST('1/10' AS BLOB) WHERE time = 1",
    "UPDATE release SET recorded_by = 'you'",
    "UPDATE release SET request = NULL",
    "UPDATE release SET request = 7",
    "UPDATE release SET time = time + 0.5 WHERE time = 3",
    "UPDATE release SET account = 'other' WHERE time = 3",
    "UPDATE release SET digest = (SELECT digest FROM account)",
    "UPDATE release SET epsilon = (SELECT epsilon FROM release WHERE time = 2) WHERE time = 3",
    "UPDATE release SET epsilon = epsilon || ' '",
    "DELETE FROM release",
    "DELETE FROM release WHERE time = 4",
    "DELETE FROM release WHERE time = 1",
    "DELETE FROM release WHERE time = 4; UPDATE head SET releases = 3",
    "DELETE FROM release WHERE time = 3; UPDATE release SET time = 3 WHERE time = 4",
    "INSERT INTO release SELECT account, 5, '0', request, recorded, recorded_by, digest FROM release WHERE time = 4",
    "UPDATE account SET cap = 'inf'",
    "UPDATE account SET bound = 'recursion'",
    "UPDATE account SET adversaries = '{}'",
    "UPDATE account SET digest = ''",
    "UPDATE account SET name = 'main ' WHERE name = 'main'",
    "DELETE FROM account WHERE name = 'main'",
    "DELETE FROM head",
    "UPDATE head SET releases = 2",
    "UPDATE head SET releases = 4.5",
    "UPDATE head SET digest = (SELECT digest FROM account WHERE name = 'main')",
    "UPDATE head SET account = CASE account WHEN 'main' THEN 'm' ELSE account END",
)
"""What is forged of the rows, with the triggers that are in the way taken away and put back."""

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"

SCHEMA = (
    "CREATE TRIGGER swallow BEFORE INSERT ON release BEGIN SELECT RAISE(IGNORE); END",
    "CREATE TRIGGER swallow AFTER INSERT ON release BEGIN UPDATE head SET releases = 0; END",
    "CREATE TRIGGER again AFTER UPDATE ON head BEGIN INSERT INTO head VALUES (hex(randomblob(9)), 1, ''); END",
    "DROP TRIGGER release_is_final",
    "DROP TRIGGER release_is_kept; CREATE TRIGGER release_is_kept BEFORE DELETE ON release BEGIN SELECT 1; END",
    "CREATE TABLE more (x)",
    "CREATE INDEX more ON release (abs(time))",
    "CREATE UNIQUE INDEX more ON release (account)",
    "CREATE VIEW more AS SELECT * FROM release",
    f"ALTER TABLE account RENAME TO was; CREATE VIEW account AS {ENDLESS} x, x, x, x, x, x, x FROM n",
    f"ALTER TABLE release RENAME TO was; CREATE VIEW release AS {ENDLESS} x, x, x, x, x, x, x FROM n",
    "ALTER TABLE head RENAME TO was; CREATE VIEW head AS SELECT 'main' account, 0 releases, '' digest",
    "ALTER TABLE release ADD COLUMN more TEXT",
    "ALTER TABLE account ADD COLUMN more AS (hex(zeroblob(1000000)))",
    "ALTER TABLE release RENAME COLUMN epsilon TO budget",
    "CREATE VIRTUAL TABLE more USING fts5(x)",
    "PRAGMA user_version = 3", "PRAGMA user_version = 2", "PRAGMA user_version = 6", "PRAGMA application_id = 1",
    "PRAGMA user_version = 0; PRAGMA application_id = 0",
    "PRAGMA journal_mode = WAL", "PRAGMA auto_vacuum = 1; VACUUM", "PRAGMA encoding = 'UTF-16'; VACUUM",
    "PRAGMA page_size = 512; VACUUM", "PRAGMA page_size = 65536; VACUUM",
)  # fmt: skip
WRITABLE = (
    "UPDATE sqlite_master SET sql = replace(sql, 'TEXT', 'BLOB')",
    "UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', 'DEFAULT 0')",
    "UPDATE sqlite_master SET sql = replace(sql, 'RAISE(ABORT', 'RAISE(IGNORE')",
    "UPDATE sqlite_master SET rootpage = (SELECT max(rootpage) FROM sqlite_master) WHERE name = 'release'",
    "UPDATE sqlite_master SET rootpage = 4 - rootpage WHERE rootpage BETWEEN 1 AND 3",
    "UPDATE sqlite_master SET rootpage = 1 WHERE name = 'account'",
    "UPDATE sqlite_master SET name = 'RELEASE' WHERE name = 'release'",
    "UPDATE sqlite_master SET sql = CAST(sql AS BLOB)",
    "UPDATE sqlite_master SET sql = sql || x'ff'",
    "UPDATE sqlite_master SET tbl_name = 'account' WHERE type = 'trigger'",
    "DELETE FROM sqlite_master WHERE name LIKE '%autoindex%'",
    "INSERT INTO sqlite_master SELECT * FROM sqlite_master WHERE name = 'head'",
)
"""What is written over the schema itself."""


@cache
def honest():
    """Return the bytes of a ledger with two accounts, and its answers."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ledger.db")
        with opened_ledger(path, create=True) as account:
            for name in ACCOUNTS:
                account.open_account(name, ACCOUNT, "me")
                for number in range(3):
                    account.record(name, [f"1/{10 + number}", "log(11/10)"][: 1 + number % 2], f"r{number}", "me")
        return path.read_bytes(), answers(path)


def answers(path):
    """Return all that is recorded in a ledger."""
    with opened_ledger(path, write=False) as found:
        return {name: (found.account(name), found.history(name)) for name in ACCOUNTS}


def attack(random):
    """Tamper with a ledger, read it, and spend on it. Raises: Finding."""
    content, expected = honest()
    apart = nullcontext() if not random.randrange(APART) else in_this_process()
    with apart, tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ledger.db")
        path.write_bytes(content)
        deed = flipped(random, path, content) if random.randrange(10) else forged(random, path)
        examine(path, expected, deed)


def in_this_process():
    """Have ledgers read by this process alone, which is quicker."""
    return mock.patch.object(ledger, "_read_apart", lambda _path, target, _wait: target.read_bytes())


def flipped(random, path, content):
    """Change some bits, or bytes, or pages of the file. Returns: what was done."""
    data = bytearray(content)
    size = 4096
    match random.randrange(12):
        case 0:
            del data[random.randrange(len(data)) :]
        case 1:
            one, other = (size * random.randrange(len(data) // size) for _ in range(2))
            data[one : one + size], data[other : other + size] = data[other : other + size], data[one : one + size]
        case 2:
            at = random.randrange(100)
            data[at] = random.choice((0, 1, 2, 3, 255, random.randrange(256)))
        case 3:
            at = size * random.randrange(len(data) // size) + random.randrange(12) + 100 * random.randrange(2)
            data[at] = random.randrange(256)
        case _:
            for _ in range(random.choice((1, 1, 1, 2, 8))):
                data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)
    changed = [at for at, (a, b) in enumerate(zip(content, data, strict=False)) if a != b]
    return f"{len(data)} bytes, changed at {changed[:8]}"


def forged(random, path):
    """Change the file by SQL. Returns: what was done."""
    kind = random.randrange(3)
    statement = random.choice((ROWS, SCHEMA, WRITABLE)[kind])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection, suppress(sqlite3.Error):
        triggers = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")]
        if kind == 0:
            for sql in triggers:
                connection.execute(f"DROP TRIGGER {sql.split()[2]}")
        if kind == 2:
            connection.execute("PRAGMA writable_schema = ON")
        for part in statement.split("; ") if "BEGIN" not in statement else [statement]:
            with suppress(sqlite3.Error):
                connection.execute(part)
        if kind == 0:
            for sql in triggers:
                connection.execute(sql)
    return statement


def examine(path, expected, deed):
    """Read a ledger and spend on it: it answers as it was, or not at all. Raises: Finding."""
    try:
        found = answers(path)
    except OracleError as error:
        require(str(path) in str(error), f"{deed}: {error} does not name the file")
        return
    require(found == expected, f"{deed}: silently, the answers are {found}")
    try:
        with opened_ledger(path) as found:
            found.record("main", ["1/7"], "new", "me")
    except OracleError:
        return
    with opened_ledger(path, write=False) as found:
        history = found.history("main")
    require(history[:-1] == expected["main"][1] and history[-1].request == "new", f"{deed}: the spend is not recorded")
    with closing(sqlite3.connect(path)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM release NOT INDEXED WHERE account = 'main'").fetchone()
    require(count == len(history), f"{deed}: {count} releases are in the file, {len(history)} are read")
