"""A Parquet table with a row for each user: counts of transitions, or the matrices themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contract.limits import MOST_STATES, too_large
from ..data.files import ROLES, opened
from ..data.frames import needed
from ..data.parquet import ParquetTable, opened_parquet
from ..data.sequences import Broken
from ..reference import (
    InvalidNumber,
    InvalidRequest,
    NegativeProbability,
    NotStochastic,
    OracleError,
    divided_by_row_sums,
)
from ..reference.correlations import DOUBLE_ROUNDING
from ..solvers.floats import Doubles
from .question import MOST_WHOLE, UserChunk

USER_COLUMN = "user"
COUNTS_COLUMN = "counts"

USERS_AT_ONCE = 1 << 23
"""Users who are compared with one another at once."""

NAMES_AT_ONCE = 1 << 16

Numbers = NDArray[Any]  # doubles or whole numbers, as the file has them
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class UserTable:
    """A Parquet file with a row for each user: the column user, and one of several ways to say what is known of them.

    - counts: a list of n² whole numbers, row by row how often the state of the column followed that of the row;
    - n² columns of such numbers, whatever their names;
    - backward, forward or both: lists of n² doubles, matrices whose rows sum to 1 but for rounding.

    repeated: the rows whose user has one before them, and that row, from 0.
    """

    path: str
    size: int
    n: int
    repeated: Mapping[int, int]

    @classmethod
    def of(cls, path: str) -> UserTable:
        """Look at a file: size rows, users of n states. Raises: InvalidRequest for a file that is no such table."""
        with opened(path), opened_parquet(path) as file:
            return cls(path, file.rows, _layout(file)[1], _repeated(file))

    def chunks(self, users: int, broken: Broken) -> Iterator[UserChunk]:
        """Yield the users in the order of the rows. Raises: InvalidRequest for a file that is no such table."""
        with opened(self.path), opened_parquet(self.path) as file:
            names, number = _layout(file)[0], 0
            for batch in _batches(file, users, names):
                yield self._checked(batch, names, number, broken)
                number += batch.num_rows

    def _checked(self, batch: Any, names: Sequence[str], before: int, broken: Broken) -> UserChunk:
        """Return the users of a batch whose rows are in order. Args: before, how many rows came before it."""
        users = batch.column(USER_COLUMN).to_pylist()
        faults: dict[int, OracleError] = {}
        for row, name in enumerate(users):
            if not name:
                faults[row] = InvalidRequest(f"{USER_COLUMN!r} is empty")
            elif before + row in self.repeated:
                faults[row] = InvalidRequest(f"the user {name!r} is in row {self.repeated[before + row] + 1} already")
        are_matrices = names[0] in ROLES
        if needed("pyarrow", "a population").types.is_nested(batch.schema.field(names[0]).type):
            read = [_listed(batch.column(name), self.n, name, faults) for name in names]
        else:
            columns = [_plain(batch.column(name), name) for name in names]
            values, missing = np.stack([own for own, _ in columns], 1), np.stack([empty for _, empty in columns], 1)
            read = [_Entries(COUNTS_COLUMN, self.n, values, missing, faults)]
        checked: dict[str, Numbers] = {own.name: own.matrices() if are_matrices else own.counts() for own in read}
        for row in sorted(faults):
            broken(type(faults[row])(f"row {before + row + 1}: {faults[row]}"))
        kept = [row for row in range(batch.num_rows) if row not in faults]
        parts = {name: values[kept].reshape(-1, self.n, self.n) for name, values in checked.items()}
        return UserChunk([users[row] for row in kept], **parts, size=batch.num_rows)


def _batches(file: ParquetTable, users: int, columns: Sequence[str]) -> Iterator[Any]:
    """Yield the users and some columns of so many rows at a time, and what is left, however the file groups them."""
    arrow = needed("pyarrow", "a population")
    kept: list[Any] = []
    for whole in file.batches([USER_COLUMN, *columns], users):
        names = arrow.Table.from_batches([whole]).column(USER_COLUMN).cast(arrow.string()).combine_chunks()
        batch = whole.set_column(whole.schema.get_field_index(USER_COLUMN), USER_COLUMN, names)
        while batch.num_rows:
            kept.append(batch.slice(0, users - sum(part.num_rows for part in kept)))
            batch = batch.slice(kept[-1].num_rows)
            if sum(part.num_rows for part in kept) == users:
                yield _joined(kept)
                kept = []
    if kept:
        yield _joined(kept)


def _joined(batches: Sequence[Any]) -> Any:
    table = needed("pyarrow", "a population").Table.from_batches(batches).combine_chunks()
    return table.to_batches()[0]


def _layout(file: ParquetTable) -> tuple[list[str], int]:
    """Return the columns that hold the numbers, and the number of states."""
    schema, types = file.schema, needed("pyarrow", "a population").types
    if schema.names.count(USER_COLUMN) != 1:
        raise InvalidRequest(f"a table of users has one column {USER_COLUMN!r}; it has {', '.join(schema.names[:20])}")
    others = [name for name in schema.names if name != USER_COLUMN]
    lists = [name for name in others if types.is_nested(schema.field(name).type)]
    if not lists:
        entries, names = len(others), others
    elif lists == others and (lists == [COUNTS_COLUMN] or {*lists} <= {*ROLES}):
        first = next(file.batches(lists, 1), None)
        values = [] if first is None else [first.column(name)[0].as_py() or () for name in lists]
        entries, names = max(map(len, values), default=1), lists
    else:
        raise InvalidRequest(
            f"beside {USER_COLUMN} there is the list {COUNTS_COLUMN}, or {' and '.join(ROLES)}, or n² columns of counts"
        )
    n = isqrt(entries)
    if n * n != entries or not n:
        raise InvalidRequest(f"a user has {entries} entries: for n states there are n²")
    if n > MOST_STATES:
        raise too_large(f"{n} states, at most {MOST_STATES} are admitted")
    return names, n


def _repeated(file: ParquetTable) -> dict[int, int]:
    """Return the rows whose user has one before, and that one: by hashes, which are shared out into files."""
    twice: set[int] = set()
    with ExitStack() as stack:
        shares = [stack.enter_context(TemporaryFile()) for _ in range(file.rows // USERS_AT_ONCE + 1)]
        for names in _names(file):
            hashes = np.fromiter(map(hash, names), np.int64, len(names))
            for number, share in enumerate(shares):
                share.write(hashes[hashes % len(shares) == number].tobytes())
        for share in shares:
            share.seek(0)
            found = np.sort(np.frombuffer(share.read(), np.int64))
            twice.update(found[1:][found[1:] == found[:-1]].tolist())
    first: dict[str, int] = {}
    repeated: dict[int, int] = {}
    row = 0
    for names in _names(file) if twice else ():
        for name in names:
            if name and hash(name) in twice and first.setdefault(name, row) != row:
                repeated[row] = first[name]
            row += 1
    return repeated


def _names(file: ParquetTable) -> Iterator[list[str | None]]:
    for batch in _batches(file, NAMES_AT_ONCE, []):
        yield batch.column(USER_COLUMN).to_pylist()


def _plain(column: Any, name: str) -> tuple[Numbers, Mask]:
    """Return the numbers of a column, 0 for what is missing, and what is. Raises: InvalidRequest for no numbers."""
    types = needed("pyarrow", "a population").types
    if not (types.is_integer(column.type) or types.is_floating(column.type)):
        raise InvalidRequest(f"the column {name!r} has values of the type {column.type}, not numbers")
    values = column.fill_null(0).to_numpy(zero_copy_only=False)
    kind = np.int64 if types.is_integer(column.type) and not types.is_uint64(column.type) else np.float64
    return values.astype(kind), column.is_null().to_numpy(zero_copy_only=False)


def _listed(column: Any, n: int, name: str, faults: dict[int, OracleError]) -> _Entries:
    """Return the entries of a column of lists of n²; rows of another length are at fault."""
    lengths = needed("pyarrow.compute", "a population").list_value_length(column).fill_null(0).to_numpy()
    right = lengths == n * n
    for row in np.flatnonzero(~right).tolist():
        faults.setdefault(row, InvalidRequest(f"{name} has {lengths[row]} entries, not the {n * n} of {n} states"))
    flat, missing = _plain(column.filter(needed("pyarrow", "a population").array(right)).flatten(), name)
    values, absent = np.zeros((len(right), n * n), dtype=flat.dtype), np.zeros((len(right), n * n), dtype=bool)
    values[right], absent[right] = flat.reshape(-1, n * n), missing.reshape(-1, n * n)
    return _Entries(name, n, values, absent, faults)


@dataclass(frozen=True, slots=True)
class _Entries:
    """The entries of a batch in one column: shape (users, n²), which are missing, and by row what is wrong."""

    name: str
    n: int
    values: Numbers
    missing: Mask
    faults: dict[int, OracleError]

    def note(self, wrong: Mask, what: str, error: type[OracleError]) -> None:
        """Put rows at fault that have a wrong entry, with the first of them."""
        for row in np.flatnonzero(wrong.any(axis=1)).tolist():
            entry = int(wrong[row].argmax())
            place = f"entry {entry + 1} (row {entry // self.n + 1}, column {entry % self.n + 1})"
            value = "" if self.missing[row, entry] else f"{self.values[row, entry]} "
            self.faults.setdefault(row, error(f"{self.name}, {place}: {value}{what}"))

    def counts(self) -> NDArray[np.int64]:
        """Return them as counts."""
        self.note(self.missing, "is empty", InvalidRequest)
        whole = (self.values >= 0) & (self.values < MOST_WHOLE)
        if self.values.dtype != np.int64:
            whole &= self.values == np.rint(self.values)
        self.note(~whole, "is no count", InvalidNumber)
        return np.where(whole, self.values, 0).astype(np.int64)

    def matrices(self) -> Doubles:
        """Return them as entries of matrices, whose rows sum to 1 but for rounding: exactly what was read."""
        self.note(self.missing, "is empty", InvalidRequest)
        self.note(~np.isfinite(self.values), "is no number", InvalidNumber)
        self.note(self.values < 0, "is negative", NegativeProbability)
        entries = self.values.astype(np.float64)
        doubtful = np.abs(entries.reshape(-1, self.n, self.n).sum(axis=2) - 1) > self.n * float(DOUBLE_ROUNDING) / 2
        for row in np.flatnonzero(doubtful.any(axis=1)).tolist():
            if row not in self.faults:
                try:
                    rows = entries[row].reshape(self.n, self.n).tolist()
                    divided_by_row_sums([tuple(map(Fraction, own)) for own in rows])
                except NotStochastic as error:
                    self.faults[row] = NotStochastic(f"{self.name}, {error}")
        return entries
