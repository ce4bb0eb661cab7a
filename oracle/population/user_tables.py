"""A Parquet table with a row for each user: counts of transitions, or the matrices themselves.

It is read in slices, each of which can be read by another process, with what it needs to know of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contract.limits import MOST_STATES, too_large
from ..data.files import ROLES, opened
from ..data.frames import needed
from ..data.parquet import ParquetTable, opened_parquet, texts
from ..data.sequences import Broken
from ..reference import InvalidRequest, OracleError
from .question import UserChunk
from .table_rows import COUNTS_COLUMN, checked_rows
from .workers import FileVersion, Workers, file_version

USER_COLUMN = "user"

CHUNKS_AT_ONCE = 16
"""Chunks of a table that are read in one pass; more leave workers idle at the end."""

NAMES_AT_ONCE = 1 << 16
"""Names read and hashed together."""

MOST_BEFORE = 1 << 18
"""Rows of a row group that a reader may parse before its own; in longer groups it gets more rows of its own."""

RepeatedRows = NDArray[np.int64]
"""Shape (rows, 2), by row: a row whose user has one before it, and the first of these, from 0."""


@dataclass(slots=True)
class UserTable:
    """A table: its absolute path, the columns of the numbers, the number of states, and where row groups start.

    version: what tells the file from one that was changed; repeated: the rows of users who have one before.
    """

    path: str
    columns: list[str]
    n: int
    starts: NDArray[np.int64]
    version: FileVersion | None
    repeated: RepeatedRows = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))

    @classmethod
    def of(cls, path: str) -> UserTable:
        """Read the layout of a file. Raises: InvalidRequest for a file that is no such table."""
        version = file_version(path)
        with opened(path), opened_parquet(path) as file:
            columns, n = _layout(file)
            starts = np.cumsum([0, *file.groups], dtype=np.int64)
        return cls(str(Path(path).resolve()), columns, n, starts, version)

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.starts[-1])

    def find_repeated(self, workers: Workers) -> None:
        """Find the rows whose user has one before, by digests of the names: 128 bits of SHA-256."""
        reading = (part.name_digests for part in self.slices(NAMES_AT_ONCE, 1))
        digests = np.frombuffer(b"".join(workers.each(reading)), dtype=np.uint64).reshape(-1, 2)
        order = np.argsort(digests[:, 0])
        sorted_halves = digests[order, 0]
        alike = np.flatnonzero(sorted_halves[1:] == sorted_halves[:-1])
        first: dict[bytes, int] = {}
        rows = np.unique(order[np.concatenate([alike, alike + 1])]).tolist()
        pairs = [(row, first.setdefault(digests[row].tobytes(), row)) for row in rows if digests[row].any()]
        self.repeated = np.array([pair for pair in pairs if pair[0] != pair[1]], dtype=np.int64).reshape(-1, 2)

    def chunks(self, users: int, broken: Broken) -> Iterator[UserChunk]:
        """Yield the users in the order of the rows. Raises: InvalidRequest for a file that is no such table."""
        for part in self.slices(users, CHUNKS_AT_ONCE):
            yield from part.chunks(users, broken)

    def slices(self, users: int, span: int) -> list[TableSlice]:
        """Return slices of `span` chunks of `users` rows, and of more where row groups are long."""
        longest = int(np.diff(self.starts).max(initial=0))
        rows = users * span * (1 + longest // MOST_BEFORE)
        return [self.part(start, rows) for start in range(0, self.size, rows)]

    def part(self, start: int, rows: int) -> TableSlice:
        """Return some rows, or fewer at the end."""
        end = min(start + rows, self.size)
        first, last = (int(np.searchsorted(self.starts, row, side="right")) - 1 for row in (start, end - 1))
        repeated = self.repeated[slice(*np.searchsorted(self.repeated[:, 0], (start, end)))]
        groups, before = range(first, last + 1), start - int(self.starts[first])
        return TableSlice(self.path, self.columns, self.n, self.version, start, end - start, groups, before, repeated)


@dataclass(frozen=True, slots=True)
class TableSlice:
    """Some rows of a table: all that another process needs to read them.

    start: the first of them; groups, the row groups that they are in; before, how many rows of these come before them;
    repeated, those of them whose user has a row before, and which.
    """

    path: str
    columns: list[str]
    n: int
    version: FileVersion | None
    start: int
    rows: int
    groups: range
    before: int
    repeated: RepeatedRows

    def name_digests(self) -> bytes:
        """Return 16 bytes for each user, zeros for one without a name."""
        batches = self._batches(NAMES_AT_ONCE, [])
        names = (name for batch in batches for name in texts(batch.column(USER_COLUMN)))
        return b"".join(sha256(name.encode()).digest()[:16] if name else bytes(16) for name in names)

    def count(self, users: int) -> int:
        """Return how many chunks of `users` rows it has."""
        return -(-self.rows // users)

    def chunks(self, users: int, broken: Broken) -> Iterator[UserChunk]:
        """Yield the users in the order of the rows. Raises: InvalidRequest for a file that is no such table."""
        row = self.start
        repeated = dict(self.repeated.tolist())
        for batch in self._batches(users, self.columns):
            yield self._checked(batch, row, repeated, broken)
            row += batch.num_rows

    def _checked(self, batch: Any, before: int, repeated: Mapping[int, int], broken: Broken) -> UserChunk:
        """Return the users of a batch whose rows are in order. Args: before, how many rows came before it."""
        users: list[Any] = texts(batch.column(USER_COLUMN))
        faults: dict[int, OracleError] = {}
        for row, name in enumerate(users):
            if not name:
                faults[row] = InvalidRequest(f"{USER_COLUMN!r} is empty")
            elif before + row in repeated:
                faults[row] = InvalidRequest(f"the user {name!r} is in row {repeated[before + row] + 1} already")
        parts = checked_rows(batch, self.columns, self.n, faults)
        for row in sorted(faults):
            broken(type(faults[row])(f"row {before + row + 1}: {faults[row]}"))
        if faults:
            kept = [row for row in range(batch.num_rows) if row not in faults]
            users, parts = [users[row] for row in kept], {name: values[kept] for name, values in parts.items()}
        return UserChunk(users, **parts, size=batch.num_rows)

    def _batches(self, users: int, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the users and some columns, `users` rows at a time and then the rest, whatever the row groups."""
        arrow = needed("pyarrow", "a population")
        rest, left = None, self.rows
        with opened(self.path), opened_parquet(self.path) as file:
            if file_version(self.path) != self.version:
                raise InvalidRequest("was changed while the command ran: run the same command again")
            for batch in file.batches([USER_COLUMN, *columns], users, self.groups, self.before):
                table = arrow.Table.from_batches([batch])
                names = table.column(USER_COLUMN).cast(arrow.string())
                table = table.set_column(table.schema.get_field_index(USER_COLUMN), USER_COLUMN, names)
                rest = table if rest is None else arrow.concat_tables([rest, table])
                while left and rest.num_rows >= (size := min(left, users)):
                    yield rest.slice(0, size).combine_chunks().to_batches()[0]
                    rest, left = rest.slice(size), left - size
                if not left:
                    return
        raise InvalidRequest("has fewer rows than its footer says")


def _layout(file: ParquetTable) -> tuple[list[str], int]:
    """Return the columns that hold the numbers, and the number of states."""
    schema, types = file.schema, needed("pyarrow", "a population").types
    if schema.names.count(USER_COLUMN) != 1:
        raise InvalidRequest(
            f"a table of users needs one column {USER_COLUMN!r}; this one has {', '.join(schema.names[:20])}"
        )
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
            f"beside {USER_COLUMN}, give the list {COUNTS_COLUMN}, or {' and '.join(ROLES)}, or n² columns of counts"
        )
    n = isqrt(entries)
    if n * n != entries or not n:
        raise InvalidRequest(f"a user has {entries} entries: for n states there are n²")
    if n > MOST_STATES:
        raise too_large(f"{n} states, at most {MOST_STATES} are admitted")
    return names, n
