"""A Parquet table with a row for each user: counts of transitions, or the matrices themselves.

It is read in slices, each of which can be read by another process, with what it needs to know of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contract.limits import MOST_STATES, too_large
from ..data.files import ROLES, opened
from ..data.frames import needed
from ..data.parquet import ParquetTable, opened_parquet, texts
from ..data.sequences import Broken
from ..output.writing import UNFINISHED
from ..reference import InvalidRequest, OracleError
from .question import UserChunk
from .repeated_users import NO_ROWS, RepeatedRows, repeated_in, share_count, write_run
from .table_rows import COUNTS_COLUMN, checked_rows
from .workers import FileVersion, Workers, file_version

USER_COLUMN = "user"

NAMES_AT_ONCE = 1 << 16

RUN_USERS = 1 << 20
"""Users whose names are sorted together."""

CHUNKS_AT_ONCE = 16
"""Chunks of a slice, where one process reads them all."""

MOST_BEFORE = 1 << 18
"""A slice is longer than it is asked to be in a row group of more rows: by so many times as these go into them."""


@dataclass(slots=True)
class UserTable:
    """A Parquet file with a row for each user: the column user, and one of several ways to say what is known of them.

    - counts: a list of n² whole numbers, row by row how often the state of the column followed that of the row;
    - n² columns of such numbers, whatever their names;
    - backward, forward or both: lists of n² doubles, matrices whose rows sum to 1 but for rounding.

    columns: those of the numbers; starts: the first row of each row group, and how many rows there are; version: what
    tells the file from one that was changed; repeated: the rows of users who have one before, once that was looked for.
    """

    path: str
    columns: list[str]
    n: int
    starts: NDArray[np.int64]
    version: FileVersion | None
    repeated: RepeatedRows = field(default_factory=NO_ROWS.copy)

    @classmethod
    def of(cls, path: str) -> UserTable:
        """Look at a file: of which size users are. Raises: InvalidRequest for a file that is no such table."""
        version = file_version(path)
        with opened(path), opened_parquet(path) as file:
            columns, n = _layout(file)
            starts = np.cumsum([0, *file.groups], dtype=np.int64)
        return cls(str(Path(path).resolve()), columns, n, starts, version)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return int(self.starts[-1])

    def find_repeated(self, folder: Path, workers: Workers) -> None:
        """Look for rows whose user has one before. Args: folder, for what is sorted meanwhile."""
        with TemporaryDirectory(prefix=UNFINISHED, dir=folder) as own:
            runs = {Path(own, f"{start}.npy"): start for start in range(0, self.size, RUN_USERS)}
            reading = (
                (run, partial(self.part(start, RUN_USERS).write_names, run, NAMES_AT_ONCE))
                for run, start in runs.items()
            )
            for _ in workers.each(reading):
                pass
            shares = share_count(self.size)
            comparing = (
                (share, partial(repeated_in, share, shares, list(runs))) for share in range(shares if runs else 0)
            )
            rows = np.concatenate([NO_ROWS, *(found for _, found in workers.each(comparing))])
        self.repeated = rows[np.argsort(rows[:, 0])]

    def chunks(self, users: int, broken: Broken) -> Iterator[UserChunk]:
        """Yield the users in the order of the rows. Raises: InvalidRequest for a file that is no such table."""
        for part in self.slices(users, CHUNKS_AT_ONCE):
            yield from part.chunks(users, broken)

    def slices(self, users: int, span: int) -> Iterator[TableSlice]:
        """Yield slices, in order, of so many chunks of so many users, and longer ones where row groups are long.

        What comes before a slice in its row group is parsed as well: that is to cost little beside the slice.
        """
        start = 0
        while start < self.size:
            group = self._group_of(start)
            length = int(self.starts[group + 1] - self.starts[group])
            rows = users * max(span, length * span // MOST_BEFORE)
            yield self.part(start, rows)
            start += rows

    def part(self, start: int, rows: int) -> TableSlice:
        """Return some rows, or fewer at the end."""
        end = min(start + rows, self.size)
        groups = range(self._group_of(start), self._group_of(end - 1) + 1)
        before = start - int(self.starts[groups.start])
        repeated = self.repeated[slice(*np.searchsorted(self.repeated[:, 0], (start, end)))]
        return TableSlice(self.path, self.columns, self.n, self.version, start, end - start, groups, before, repeated)

    def _group_of(self, row: int) -> int:
        return int(np.searchsorted(self.starts, row, side="right")) - 1


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

    def write_names(self, run: Path, users: int) -> None:
        """Write a run of the names, for `repeated_in`, so many of them at a time."""
        write_run(run, (texts(batch.column(USER_COLUMN)) for batch in self._batches(users, [])), self.start)

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
        """Yield the users and some columns, so many rows at a time and then what is left, whatever the row groups."""
        arrow = needed("pyarrow", "a population")
        kept: list[Any] = []
        left = self.rows
        if not left:
            return
        with opened(self.path), opened_parquet(self.path) as file:
            if file_version(self.path) != self.version:
                raise InvalidRequest("was changed while the command ran: run the same command again")
            for whole in file.batches([USER_COLUMN, *columns], users, self.groups, self.before):
                names = arrow.Table.from_batches([whole]).column(USER_COLUMN).cast(arrow.string()).combine_chunks()
                batch = whole.set_column(whole.schema.get_field_index(USER_COLUMN), USER_COLUMN, names)
                while batch.num_rows and left:
                    kept.append(batch.slice(0, min(left, users) - sum(part.num_rows for part in kept)))
                    batch = batch.slice(kept[-1].num_rows)
                    if (whole_chunk := sum(part.num_rows for part in kept)) == min(left, users):
                        yield _joined(kept)
                        kept, left = [], left - whole_chunk
                if not left:
                    return
        raise InvalidRequest("has fewer rows than its footer says")


def _joined(batches: Sequence[Any]) -> Any:
    if len(batches) == 1:
        return batches[0]
    table = needed("pyarrow", "a population").Table.from_batches(batches).combine_chunks()
    return table.to_batches()[0]


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
