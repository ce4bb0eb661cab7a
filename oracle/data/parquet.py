"""Parquet files of anyone: a process of its own parses them, in bounded time and memory, and hands over their rows.

Where that process crashes, hangs or needs too much, that is an error by name. What it hands over, in Arrow's format of
messages, is validated here.
"""

from __future__ import annotations

import io
import json
import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ..contract.limits import MOST_GROWTH, MOST_SECONDS, check_posix, too_large, took_too_long
from ..reference import InvalidRequest
from ..system.bounded import AnswersMessages, BoundedProcess, Gone, Late

MOST_BATCH = 1 << 28
"""Bytes of the rows that are handed over at once."""

BATCH_ROWS = 1 << 16

_PATH, _CONTENT, _BATCHES, _NEXT, _CLOSE = b"P", b"C", b"B", b"N", b"X"
_ERROR, _OPENED, _ROWS, _DONE = b"E", b"O", b"R", b"D"

_HEAD = 17
"""Bytes before the rows of the groups, when a file was opened."""

_idle: dict[int, list[BoundedProcess]] = {}
"""Processes that wait for another file, by the process that has them."""

_busy: set[BoundedProcess] = set()
"""The others, so that of rows that are given up in the middle no connection is collected before the file is closed."""


@dataclass(frozen=True, slots=True)
class ParquetTable:
    """An open Parquet file: its schema, as Arrow has it, the rows of its groups, and the bytes that they take."""

    schema: Any
    groups: tuple[int, ...]
    size: int
    _reader: BoundedProcess

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(self.groups)

    def batches(
        self, columns: Sequence[str], rows: int = BATCH_ROWS, groups: range | None = None, skip: int = 0
    ) -> Iterator[Any]:
        """Yield some columns in batches of rows, in their order.

        Args: groups, the row groups that are read, all of them by default; skip, how many of their rows are left out
        first, which are parsed and not handed over. Raises: InvalidRequest.
        """
        ipc = import_module("pyarrow.ipc")
        of_groups = None if groups is None else [groups.start, groups.stop]
        asked = {"columns": list(columns), "rows": rows, "groups": of_groups, "skip": skip, "most": MOST_BATCH}
        _ask(self._reader, _BATCHES + json.dumps(asked).encode())
        while (content := _ask(self._reader, _NEXT))[:1] == _ROWS:
            with _faults(), ipc.open_stream(memoryview(content)[1:]) as stream:
                batch = stream.read_next_batch()
                batch.validate(full=True)
            if batch.num_rows:
                yield batch

    def table(self, columns: Sequence[str]) -> Any:
        """Return all rows of some columns. Raises: InvalidRequest."""
        arrow = import_module("pyarrow")
        return arrow.Table.from_batches(list(self.batches(columns)), _of_columns(self.schema, columns))


def texts(column: Any) -> list[str | None]:
    """Return the texts of a column, which `to_pylist` makes one by one, in ten times the time."""
    found: list[str | None] = column.to_numpy(zero_copy_only=False).tolist()
    return found


def _of_columns(schema: Any, columns: Sequence[str]) -> Any:
    fields = [schema.field(name) for name in columns]
    return import_module("pyarrow").schema(fields, schema.metadata)


@contextmanager
def opened_parquet(source: str | bytes) -> Iterator[ParquetTable]:
    """Open a Parquet file, by its path or by its content, which is parsed by another process.

    Only one pass over its rows at a time. Raises: InvalidRequest, in the body too, for what cannot be read.
    """
    check_posix("Parquet")
    message = _CONTENT + source if isinstance(source, bytes) else _PATH + _whole_path(source)
    waiting = _idle.setdefault(os.getpid(), [])
    reader = waiting.pop() if waiting else BoundedProcess(_answering, MOST_GROWTH)
    _busy.add(reader)
    try:
        told = _ask(reader, message)
        size, count = (int.from_bytes(told[start : start + 8], "big") for start in (1, 9))
        groups = struct.unpack_from(f">{count}Q", told, _HEAD)
        with _faults():
            own = import_module("pyarrow").py_buffer(told[_HEAD + 8 * count :])
            schema = import_module("pyarrow.ipc").read_schema(own)
        yield ParquetTable(schema, groups, size, reader)
    finally:
        with suppress(InvalidRequest):
            _ask(reader, _CLOSE)
        _busy.discard(reader)
        if not reader.is_ended:
            waiting.append(reader)


def _whole_path(path: str) -> bytes:
    """Return the path of a file as another process has it. Raises: InvalidRequest for a pipe."""
    try:
        target = Path(path).resolve()  # of /dev/fd/3, which is another file there
    except (OSError, RuntimeError) as error:
        raise InvalidRequest(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if Path(path).exists() and not Path(path).is_file():
        raise InvalidRequest("a Parquet table cannot be read in sequence: give a file, not a pipe or device")
    return os.fsencode(target)


def _ask(reader: BoundedProcess, message: bytes) -> bytes:
    try:
        answer = reader.ask(message, MOST_SECONDS, 2 * MOST_BATCH)
    except Late as late:
        raise InvalidRequest(f"the Parquet cannot be read: {took_too_long(str(late))}") from None
    except Gone as gone:
        raise InvalidRequest(f"the Parquet cannot be read: the process that parses it {gone}") from None
    if answer[:1] == _ERROR:
        raise InvalidRequest(answer[1:].decode("utf-8", "replace"))
    return answer


@contextmanager
def _faults() -> Iterator[None]:
    arrow_error = import_module("pyarrow").ArrowException
    try:
        yield
    except (arrow_error, OSError, ValueError) as error:
        raise InvalidRequest(f"the Parquet cannot be read: {' '.join(str(error).split())}") from None


# In the process that parses


def _answering() -> AnswersMessages:
    return _Parser().answer


class _Parser:
    """Parses one file after another, one thing that is asked at a time."""

    def __init__(self) -> None:
        arrow = import_module("pyarrow")
        arrow.set_cpu_count(1)
        arrow.set_io_thread_count(1)
        self._file: Any = None
        self._batches: Iterator[Any] = iter(())
        self._most = MOST_BATCH
        import_module("pyarrow.parquet")
        import_module("pyarrow.ipc")

    def answer(self, message: bytes) -> bytes:
        """Answer one message."""
        try:
            with _faults():
                return self._answered(message[:1], message[1:])
        except InvalidRequest as error:
            return _ERROR + str(error).encode("utf-8", "replace")
        except MemoryError:
            return _ERROR + b"too large: there is not enough memory for the Parquet"
        except Exception as error:  # noqa: BLE001 - of a file that is damaged the library may raise anything
            return _ERROR + f"the Parquet cannot be read: {type(error).__name__}: {error}".encode("utf-8", "replace")

    def _answered(self, kind: bytes, rest: bytes) -> bytes:
        if kind == _NEXT:
            batch = next(self._batches, None)
            return _ROWS + _message(batch, self._most) if batch is not None else _DONE
        self._batches = iter(())
        if kind == _BATCHES:
            asked = json.loads(rest)
            self._most = asked["most"]
            groups = None if asked["groups"] is None else [*range(*asked["groups"])]
            batches = self._file.iter_batches(
                batch_size=asked["rows"], row_groups=groups, columns=asked["columns"], use_threads=False
            )
            self._batches = _without_first(batches, asked["skip"])
            return _DONE
        if self._file is not None:
            self._file.close()
            self._file = None
        return _DONE if kind == _CLOSE else self._opened(os.fsdecode(rest) if kind == _PATH else io.BytesIO(rest))

    def _opened(self, source: Any) -> bytes:
        """Open a file. A text is read once, however often it is repeated: the file may have it once, too."""
        parquet, arrow = import_module("pyarrow.parquet"), import_module("pyarrow")
        texts = (arrow.string(), arrow.large_string(), arrow.binary(), arrow.large_binary())
        schema = parquet.read_schema(source)
        if not isinstance(source, str):
            source.seek(0)
        repeated = [column.name for column in schema if column.type in texts]
        self._file = parquet.ParquetFile(source, read_dictionary=repeated, page_checksum_verification=True)
        metadata = self._file.metadata
        groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
        size = min(2**63, sum(max(0, int(group.total_byte_size)) for group in groups))
        rows = [int(group.num_rows) for group in groups]
        if min(rows, default=0) < 0 or sum(rows) != int(metadata.num_rows):
            raise InvalidRequest("the Parquet cannot be read: its row groups do not add up to its number of rows")
        told = bytes(self._file.schema_arrow.serialize().to_pybytes())
        return _OPENED + struct.pack(f">2Q{len(rows)}Q", size, len(rows), *rows) + told


def _without_first(batches: Iterator[Any], skip: int) -> Iterator[Any]:
    """Yield batches without the first `skip` rows, empty ones included, so that each takes its own time."""
    for batch in batches:
        left = min(skip, batch.num_rows)
        skip -= left
        yield batch.slice(left)


def _message(batch: Any, most: int) -> bytes:
    """Return a batch as a stream of its own. Raises: InvalidRequest where it is too large."""
    stream = io.BytesIO()
    with import_module("pyarrow.ipc").new_stream(stream, batch.schema) as writer:
        writer.write_batch(batch)
    if stream.tell() > most:
        raise too_large(f"{batch.num_rows} rows of the Parquet take more than {most} bytes")
    return stream.getvalue()
