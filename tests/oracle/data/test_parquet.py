"""Parquet is parsed elsewhere: whatever becomes of who parses it is an error by name, and the next file is read."""

import gc
import os
import signal
import struct
from random import Random

import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from tploracle.contract.limits import MOST_GROWTH
from tploracle.data import parquet
from tploracle.data.frames import parquet_rows
from tploracle.data.parquet import opened_parquet
from tploracle.reference import InvalidRequest
from tploracle.system.bounded import BoundedProcess

from ...fuzz import parquet as attacks


@pytest.fixture
def path(tmp_path):
    pq.write_table(pa.table({"a": range(10), "b": ["x", None] * 5, "c": [[1], []] * 5}), tmp_path / "t.parquet")
    return str(tmp_path / "t.parquet")


def read(path):
    with opened_parquet(path) as file:
        return file.table(["b", "a"]).to_pydict()


def reader():
    return parquet._idle[os.getpid()][-1]


def test_rows_are_those_that_arrow_reads(path):
    with opened_parquet(path) as file:
        assert (file.rows, file.schema.names, file.size > 0) == (10, ["a", "b", "c"], True)
        assert [batch.num_rows for batch in file.batches(["a"], 4)] == [4, 4, 2]
        assert next(file.batches(["c"], 1)).column("c").to_pylist() == [[1]]  # left behind in the middle
        assert file.table(["b", "a"]).to_pydict() == pq.read_table(path, columns=["b", "a"]).to_pydict()
        assert file.table(["c"]).num_rows == 10


def test_one_process_reads_file_after_file_and_two_at_a_time_have_two(path):
    read(path)
    pid = reader().pid
    with opened_parquet(path) as one, opened_parquet(path) as other:
        rows = zip(one.batches(["a"], 1), other.batches(["a"], 1), strict=True)
        assert all(first.equals(second) for first, second in rows)
    with pytest.raises(ZeroDivisionError), opened_parquet(path):
        raise ZeroDivisionError
    assert pid in [process.pid for process in parquet._idle[os.getpid()]]


def test_rows_that_are_given_up_leave_the_process_that_parses_as_it_was(path):
    """Together with what refers to itself: their end may then come after that of all that they alone refer to."""
    read(path)
    before = [process.pid for process in parquet._idle[os.getpid()]]
    gc.collect()
    rows = parquet_rows(path, ["a"])
    next(rows)
    given_up = [rows]
    given_up.append(given_up)
    del rows, given_up
    gc.collect()
    assert [process.pid for process in parquet._idle[os.getpid()]] == before


def test_a_descriptor_names_the_same_file_to_the_process_that_parses_it(path):
    """In another process, /dev/fd/9 is another file, or none."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        assert read(f"/dev/fd/{descriptor}") == read(path)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_crash_is_an_error_and_the_next_file_is_read(path, number):
    expected = read(path)
    parquet._idle.clear()
    with opened_parquet(path) as file:
        os.kill(file._reader.pid, number)
        with pytest.raises(InvalidRequest, match=f"the process that parses it .*{signal.Signals(number).name}"):
            file.table(["a"])
    assert read(path) == expected


def test_what_takes_too_long_is_an_error(path, monkeypatch):
    read(path)
    os.kill(reader().pid, signal.SIGSTOP)
    monkeypatch.setattr(parquet, "MOST_SECONDS", 0.2)
    with pytest.raises(InvalidRequest, match="took too long"):
        read(path)
    monkeypatch.undo()
    read(path)


def test_a_bomb_is_an_error(tmp_path, monkeypatch):
    """Mebibytes of nothing in a few kilobytes, in one text and in lists."""
    monkeypatch.setattr(parquet, "MOST_BATCH", 1 << 20)
    for name, values in {"text": ["x" * (1 << 22)], "lists": [[0] * (1 << 14)] * 30}.items():
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table({"a": values}), path, compression="zstd")
        assert path.stat().st_size < 1 << 14
        with pytest.raises(InvalidRequest, match=r"too large: [0-9]+ rows of the Parquet take more than 1048576 bytes"):
            list(_batches(str(path)))


def _batches(path):
    with opened_parquet(path) as file:
        yield from file.batches(["a"])


def test_memory_is_bounded(path, monkeypatch):
    given = []

    def noted(make, memory):
        given.append(memory)
        return BoundedProcess(make, memory)

    monkeypatch.setattr(parquet, "_idle", {})
    monkeypatch.setattr(parquet, "BoundedProcess", noted)
    read(path)
    assert given == [MOST_GROWTH]


def test_what_is_damaged_is_an_error_by_name():
    for number in range(60):
        attacks.attack(Random(number))


def test_a_page_that_was_changed_is_noticed_where_it_has_a_checksum(tmp_path):
    path = tmp_path / "t.parquet"
    table = pa.table({"a": [0.25] * 100})
    pq.write_table(table, path, compression="none", use_dictionary=False, write_page_checksum=True)
    content = path.read_bytes()
    place = content.index(struct.pack("<d", 0.25) * 10)
    path.write_bytes(content[:place] + struct.pack("<d", 0.5) + content[place + 8 :])
    with pytest.raises(InvalidRequest, match="cannot be read"):
        list(_batches(str(path)))
