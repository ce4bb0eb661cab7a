"""What a ledger records: accounts and their releases, a chain of digests that tells what has been changed.

Leakage is not recorded: it follows from the correlations and the exact budgets, which are. docs/ledger.md has the
format.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..contract.errors import placed
from ..reference import InvalidRequest
from ..wire.strict_json import Object, decode, encode
from .ledger_file import BY_RECURSION, LEDGER_VERSION, SCHEMAS, make_schema, name_version

STATE_FORMAT = "tploracle-accountant"
"""What version 1 says it is."""

_REMEDY = "; use an earlier copy, and compare its head with the one that the last spend printed"


@dataclass(frozen=True, slots=True)
class RecordedRelease:
    """One release as it was recorded: its time from 1, the exact budget, the request, when (UTC), and by whom.

    epsilon: the budget, also where it is one beyond pure ε.

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
        self._histories: dict[str, list[RecordedRelease]] = {}

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
            raise InvalidRequest(f"{self._path}: the account {name!r} exists already; to continue it leave --init out")
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
        with placed(f"{self._path}: the account {name!r}"):
            known = decode(adversaries)
        return {
            "format": STATE_FORMAT,
            "version": 1,
            "adversaries": known,
            **({} if cap == "inf" else {"cap": cap}),
            **({} if bound == BY_RECURSION else {"bound": bound}),
            "epsilons": [release.epsilon for release in self.history(name)],
        }

    def head(self, name: str, releases: int) -> str:
        """Return the digest of an account and of so many releases. Raises: InvalidRequest."""
        return self.history(name)[releases - 1].head if releases else self._account(name)[-1]

    def history(self, name: str) -> list[RecordedRelease]:
        """Return the releases of an account in order: read, and their digests checked, once in the transaction.

        Raises: InvalidRequest where one is missing, or is not as it was recorded.
        """
        if name not in self._histories:
            self._histories[name] = self._read_history(name)
        return self._histories[name]

    def read_whole(self, name: str) -> None:
        """Have SQLite read all of an account, whatever it says. Raises: InvalidRequest where the account is none."""
        self._account(name)
        for _ in self._releases(name):
            pass
        self._last(name)

    def _releases(self, name: str) -> Iterator[tuple[Any, ...]]:
        columns = f"time, epsilon, request, recorded, recorded_by{', digest' if self._version > 3 else ''}"
        return self._connection.execute(f"SELECT {columns} FROM release WHERE account = ? ORDER BY time", (name,))

    def _last(self, name: str) -> object:
        """Return how many releases an account has, and the last digest; None of a version that does not record it."""
        query = "SELECT releases, digest FROM head WHERE account = ?"
        return self._connection.execute(query, (name,)).fetchone() if self._version > 3 else None

    def _read_history(self, name: str) -> list[RecordedRelease]:
        head = self._account(name)[-1]
        releases: list[RecordedRelease] = []
        for number, (time, epsilon, request, *told) in enumerate(self._releases(name), 1):
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
        if self._version > 3 and self._last(name) != (len(releases), head):
            raise self._changed(name, f"the number of releases, or the head, after release {len(releases)}")
        return releases

    def _check_texts(self, what: str, *values: object) -> None:
        if not all(isinstance(value, str) for value in values):
            raise InvalidRequest(
                f"{self._path}: {what} has a value that is not text: the file has been changed{_REMEDY}"
            )

    def _changed(self, name: str, what: str) -> InvalidRequest:
        return InvalidRequest(
            f"{self._path}: the account {name!r} does not match its record: {what} has a different digest: "
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
            self._histories.setdefault(name, []).append(RecordedRelease(*release, head))
        if releases:
            last = (releases[-1][0], head, name)
            self._connection.execute("UPDATE head SET releases = ?, digest = ? WHERE account = ?", last)

    def renew(self) -> None:
        """Make a ledger of an earlier version one of this version, in its transaction: what is recorded stays."""
        if SCHEMAS[self._version] == SCHEMAS[LEDGER_VERSION]:
            name_version(self._connection)
            self._version = LEDGER_VERSION
            return
        recorded = [(self._account(name), self.history(name)) for name in self.accounts()]
        self._histories = {}
        (orphans,) = self._connection.execute(
            "SELECT count(*) FROM release WHERE account NOT IN (SELECT name FROM account)"
        ).fetchone()
        if orphans:
            raise InvalidRequest(f"{self._path}: is damaged: {orphans} releases belong to no account")
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


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
