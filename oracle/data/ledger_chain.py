"""The records of a ledger: accounts and their releases, in a chain of digests that reveals changes.

Leakage is not recorded: it follows from the recorded correlations and exact budgets. docs/ledger.md has the format.
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
from ..wire.strict_json import decode, encode
from .ledger_file import BY_RECURSION

_REMEDY = "; use an earlier copy, and compare its head with the one that the last spend printed"


@dataclass(frozen=True, slots=True)
class RecordedAccount:
    """An account in exact texts: matrices by adversary and role, the cap, the bound that enforces it, the budgets."""

    adversaries: object
    cap: str = "inf"
    bound: str = BY_RECURSION
    epsilons: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RecordedRelease:
    """A release: its time from 1, exact budget of any kind, request, when (UTC) and by whom it was recorded.

    head: the digest of it and of everything recorded before it.
    """

    time: int
    epsilon: str
    request: str | None
    recorded: str
    recorded_by: str
    head: str


def _digest(*recorded: object) -> str:
    """Return the digest of a row, which begins with the digest of the row before it."""
    return sha256(json.dumps(recorded).encode("ascii")).hexdigest()


class Ledger:
    """One transaction on a ledger file; made by `opened_ledger`.

    The records are a chain: an account has a digest of its own row, each release one of its row and of the digest
    before it, and the table `head` has the number of releases and the last digest.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._histories: dict[str, list[RecordedRelease]] = {}

    def accounts(self) -> list[str]:
        """Return the names of the accounts. Raises: InvalidRequest."""
        rows = self._connection.execute("SELECT name FROM account ORDER BY name").fetchall()
        self._check_texts("the table of accounts", *(name for (name,) in rows))
        return [name for (name,) in rows]

    def open_account(self, name: str, account: RecordedAccount, by: str) -> None:
        """Begin an account without a release. Raises: InvalidRequest if there is one of this name."""
        if name in self.accounts():
            raise InvalidRequest(f"{self._path}: the account {name!r} exists already; to continue it leave --init out")
        self._insert_account(name, encode(account.adversaries), account.cap, _now(), by, account.bound)

    def _insert_account(self, *row: str) -> None:
        digest = _digest(*row)
        self._connection.execute("INSERT INTO account VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, digest))
        self._connection.execute("INSERT INTO head VALUES (?, 0, ?)", (row[0], digest))

    def _account(self, name: str) -> tuple[str, ...]:
        """Return the row of an account, the digest last. Raises: InvalidRequest if it has been changed."""
        row = self._connection.execute("SELECT * FROM account WHERE name = ?", (name,)).fetchone()
        if row is None:
            there = ", ".join(map(repr, self.accounts())) or "none"
            raise InvalidRequest(f"{self._path}: there is no account {name!r}; there are: {there}")
        self._check_texts(f"the account {name!r}", *row)
        if row[-1] != _digest(*row[:-1]):
            raise self._changed(name, "the account's own row")
        return tuple(row)

    def account(self, name: str) -> RecordedAccount:
        """Return an account. Raises: InvalidRequest."""
        _, adversaries, cap, _, _, bound, _ = self._account(name)
        with placed(f"{self._path}: the account {name!r}"):
            known = decode(adversaries)
        return RecordedAccount(known, cap, bound, [release.epsilon for release in self.history(name)])

    def head(self, name: str, releases: int) -> str:
        """Return the digest of an account after its first `releases` releases. Raises: InvalidRequest."""
        return self.history(name)[releases - 1].head if releases else self._account(name)[-1]

    def history(self, name: str) -> list[RecordedRelease]:
        """Return the releases of an account in order; their digests are checked once in the transaction.

        Raises: InvalidRequest if a release is missing or has been changed.
        """
        if name not in self._histories:
            self._histories[name] = self._read_history(name)
        return self._histories[name]

    def read_whole(self, name: str) -> None:
        """Have SQLite read all of an account, whatever it says. Raises: InvalidRequest if its row is not right."""
        self._account(name)
        for _ in self._releases(name):
            pass
        self._last(name)

    def _releases(self, name: str) -> Iterator[tuple[Any, ...]]:
        columns = "time, epsilon, request, recorded, recorded_by, digest"
        return self._connection.execute(f"SELECT {columns} FROM release WHERE account = ? ORDER BY time", (name,))

    def _last(self, name: str) -> object:
        """Return the number of releases of an account, and the last digest."""
        return self._connection.execute("SELECT releases, digest FROM head WHERE account = ?", (name,)).fetchone()

    def _read_history(self, name: str) -> list[RecordedRelease]:
        head = self._account(name)[-1]
        releases: list[RecordedRelease] = []
        for number, (time, epsilon, request, *others) in enumerate(self._releases(name), 1):
            if type(time) is not int or time != number:
                raise InvalidRequest(
                    f"{self._path}: the account {name!r} lacks a release: the file has been changed{_REMEDY}"
                )
            what = f"release {time} of the account {name!r}"
            self._check_texts(what, epsilon, "" if request is None else request, *others)
            recorded, by, digest = others
            head = _digest(head, name, time, epsilon, request, recorded, by)
            if digest != head:
                raise self._changed(name, f"release {time}")
            releases.append(RecordedRelease(time, epsilon, request, recorded, by, head))
        if self._last(name) != (len(releases), head):
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
        """Record releases of these budgets after those of the account."""
        history, now = self.history(name), _now()
        head = self.head(name, len(history))
        for time, epsilon in enumerate(epsilons, len(history) + 1):
            release = (time, epsilon, request, now, by)
            head = _digest(head, name, *release)
            self._connection.execute("INSERT INTO release VALUES (?, ?, ?, ?, ?, ?, ?)", (name, *release, head))
            history.append(RecordedRelease(*release, head))
        if epsilons:
            last = (len(history), head, name)
            self._connection.execute("UPDATE head SET releases = ?, digest = ? WHERE account = ?", last)

    def commit(self) -> None:
        """Write what was recorded; it outlasts a loss of power from here on."""
        if self._connection.in_transaction:
            self._connection.execute("COMMIT")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
