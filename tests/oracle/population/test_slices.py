"""Tables that workers read themselves: the same bytes however they are sliced, errors in order, nothing large sent."""

import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.population import runs, user_tables
from tploracle.population.parts import parts_of, read_part
from tploracle.population.population_basis import Seen
from tploracle.population.rejects import rejects
from tploracle.population.runs import run
from tploracle.population.user_tables import UserTable
from tploracle.population.workers import Workers, here, scheduler
from tploracle.reference import InvalidRequest

from ...processes import PATIENT
from ...profiles import examples
from .many_users import QUESTION, drawn_counts, write_table
from .test_runs import ONE, Chunks, bytes_of, run_in, table_in

ASKED = replace(QUESTION, epsilons=(), alpha=None)
COUNTS = drawn_counts(60, 2)
THREE = Workers(partial(ThreadPoolExecutor, 3), 3)
SENT = Workers(partial(ThreadPoolExecutor, 3), 3, has_files=False)


@examples(100)
@given(st.lists(st.integers(0, 40), max_size=8), st.integers(1, 9), st.integers(1, 4), st.integers(1, 60))
def test_slices_are_whole_chunks_of_all_rows_and_say_where_they_are(groups, users, span, most_before):
    table = UserTable("x", ["counts"], 2, np.cumsum([0, *groups]), None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(user_tables, "MOST_BEFORE", most_before)
        slices = table.slices(users, span)
    rows = [(group, row) for group, count in enumerate(groups) for row in range(count)]
    assert sum(part.rows for part in slices) == table.size == len(rows)
    start = 0
    for part in slices:
        assert part.start == start
        assert part.start % users == 0
        in_groups = [row for row in rows if row[0] in part.groups]
        assert in_groups[part.before :][: part.rows] == rows[start : start + part.rows]
        assert part.rows >= min(users * span * (1 + max(groups) // most_before), table.size - start)
        assert part.count(users) == len(range(0, part.rows, users))
        start += part.rows


@pytest.mark.parametrize("group", [1, 4, 17, 60])
@pytest.mark.parametrize("workers", [here(), THREE, SENT], ids=["one", "three", "sent"])
def test_the_same_bytes_however_it_is_sliced(tmp_path, group, workers, monkeypatch):
    """By another way: all users in memory."""
    monkeypatch.setattr(user_tables, "MOST_BEFORE", 16)
    monkeypatch.setattr(runs, "CHUNKS_AT_ONCE", 1 + group % 2)
    path = write_table(tmp_path / "users.parquet", COUNTS)
    pq.write_table(pq.read_table(path), path, row_group_size=group)
    (tmp_path / "chunks").mkdir()
    (tmp_path / "table").mkdir()
    found = [
        run(ASKED, source, folder, own, lambda _: None, users=7)
        for source, folder, own in (
            (Chunks(COUNTS), tmp_path / "chunks", ONE),
            (UserTable.of(path), tmp_path / "table", workers),
        )
    ]
    assert found[0] == found[1]
    seen, other = (own.counts for each in found for own in each if isinstance(own, Seen))
    assert seen.tolist() == other.tolist() == COUNTS.sum(axis=0).tolist()
    assert found[0][0] == 9
    assert bytes_of(tmp_path / "table") == bytes_of(tmp_path / "chunks")


class FirstLast(ThreadPoolExecutor):
    """Ends the call that finds row 4 broken after one that finds another row broken."""

    def __init__(self):
        super().__init__(3)
        self.other = Event()

    def submit(self, call):
        return super().submit(self._done, call)

    def _done(self, call):
        found = call()
        broken = getattr(found, "broken", [])
        if broken and str(broken[0]).startswith("row 4:"):
            assert self.other.wait(PATIENT)
        elif broken:
            self.other.set()
        return found


@pytest.mark.parametrize("workers", [here(), THREE, Workers(FirstLast, 3), SENT], ids=["one", "three", "last", "sent"])
def test_broken_rows_are_told_in_their_order_and_the_first_one_stops(tmp_path, workers, monkeypatch):
    monkeypatch.setattr(runs, "CHUNKS_AT_ONCE", 2)
    names = [f"u{number}" for number in range(60)]
    lists = [own.ravel().tolist() for own in COUNTS]
    wrong = {
        3: "row 4: counts, entry 2",
        8: "row 9: the user 'u2' is in row 3",
        31: "row 32: 'user' is",
        59: "row 60: ",
    }
    lists[3], names[8], names[31], lists[59] = [1, -1, 1, 1], "u2", "", [1]
    path = tmp_path / "users.parquet"
    pq.write_table(pa.table({"user": names, "counts": lists}), path, row_group_size=11)
    noted = []
    (tmp_path / "a").mkdir()
    assert table_in(tmp_path / "a", path, workers, ASKED, noted.append) == (12, 60)
    assert len(noted) == len(wrong)
    assert all(str(error).startswith(what) for error, what in zip(noted, wrong.values(), strict=True))
    kept = [name for row, name in enumerate(names) if row not in wrong]
    assert [user for part in parts_of(tmp_path / "a") for user in read_part(part)["user"].to_pylist()] == kept
    (tmp_path / "b").mkdir()
    with pytest.raises(type(noted[0]), match=wrong[3]):
        table_in(tmp_path / "b", path, workers, ASKED)
    with rejects(str(path), str(tmp_path / "rejects.csv")) as broken:
        (tmp_path / "c").mkdir()
        table_in(tmp_path / "c", path, workers, ASKED, broken)
    lines = (tmp_path / "rejects.csv").read_text().splitlines()[1:]
    assert len(lines) == len(wrong)
    assert all(what in line for line, what in zip(lines, wrong.values(), strict=True))


def test_a_file_that_is_changed_meanwhile_is_an_error(tmp_path):
    path = write_table(tmp_path / "users.parquet", COUNTS)
    table = UserTable.of(path)
    write_table(path, COUNTS[:50])
    with pytest.raises(InvalidRequest, match="was changed while the command ran"):
        run(ASKED, table, tmp_path, here(), lambda _: None, users=7)
    table.version = UserTable.of(path).version
    with pytest.raises(InvalidRequest, match="has fewer rows than its footer says"):
        run(ASKED, table, tmp_path, here(), lambda _: None, users=7)


def test_no_users_travel(tmp_path):
    """What goes to a worker and what comes back has one size, however many users it is about."""
    sent = []

    class Watched(ThreadPoolExecutor):
        def submit(self, call):
            sent.append(len(pickle.dumps(call)))
            future = super().submit(call)
            sent.append(len(pickle.dumps(future.result())))
            return future

    sizes = {}
    for count in (10, 150):
        path = write_table(tmp_path / f"{count}.parquet", np.tile(COUNTS[2], (count, 1, 1)))
        (folder := tmp_path / str(count)).mkdir()
        run_in(folder, Workers(partial(Watched, 1), 1), UserTable.of(path), ASKED)
        sizes[count] = max(sent)
        sent.clear()
    assert sizes[150] < sizes[10] + 100 < 2500


@pytest.mark.slow
def test_workers_who_lack_the_files_are_sent_what_is_read(tmp_path):
    import distributed

    path = write_table(tmp_path / "users.parquet", COUNTS)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        for paths, known in (([path], True), ([path, str(tmp_path / "none")], False)):
            with scheduler(cluster.scheduler_address, tmp_path / "out", paths) as workers:
                assert workers.has_files == known
    assert os.listdir(tmp_path / "out") == []  # noqa: PTH208
    assert Path(path).exists()
