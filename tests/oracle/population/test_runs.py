"""Runs: the same bytes however they were worked out, and nothing twice where a run was ended before."""

import os
import signal
import subprocess
import sys
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

import psutil
import pyarrow.parquet as pq
import pytest

from tploracle.data.sequences import stop
from tploracle.population.overview import summary_of
from tploracle.population.parts import part_path, parts_of, read_part
from tploracle.population.question import FORMAT, UserChunk
from tploracle.population.recomputed import answer
from tploracle.population.runs import alone_in, run, take_folder
from tploracle.population.user_tables import UserTable
from tploracle.population.workers import AHEAD, Workers, here, processes, scheduler
from tploracle.reference import InvalidRequest, Undecided

from ...processes import PATIENT
from .many_users import QUESTION, drawn_counts, write_table

COUNTS = drawn_counts(40, 3)
ONE = Workers(partial(ThreadPoolExecutor, 1), 1)

ENDED = """
import os, signal, sys
from pathlib import Path
from tests.oracle.population import test_runs

synced = []

def until_killed(descriptor):
    synced.append(descriptor)
    if len(synced) == 5:  # the question, and the fourth part
        os.kill(os.getpid(), signal.SIGKILL)

os.fsync = until_killed
if __name__ == "__main__":
    folder, *table = map(Path, sys.argv[1:])
    getattr(test_runs, "table_in" if table else "run_in")(folder, *table)
"""


class Chunks:
    """Users in memory, as a source of a run. Args: before, called with the number of each chunk."""

    def __init__(self, counts=COUNTS, before=lambda _number: None):
        self.counts, self.before = counts, before

    def chunks(self, users, _broken=None):
        for number, start in enumerate(range(0, len(self.counts), users)):
            self.before(number)
            own = self.counts[start : start + users]
            yield UserChunk([f"u{start + number}" for number in range(len(own))], own, size=len(own))


def run_in(folder, workers=ONE, source=None, question=QUESTION, broken=stop):
    """Answer for a source, by default for `COUNTS`; return the chunks that were answered, and their size."""
    done = []
    take_folder(folder, question)
    count, seen = run(question, source or Chunks(), folder, workers, done.append, users=5, broken=broken)
    assert seen.users <= sum(done)
    return count, sum(done)


def table_in(folder, path, workers=None, question=QUESTION, broken=stop):
    """Answer for a table."""
    table = UserTable.of(str(path))
    table.find_repeated(workers or here())
    return run_in(folder, workers or here(), table, question, broken=broken)


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in parts_of(folder)}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("expected")
    assert run_in(folder) == (8, 40)
    found = bytes_of(folder)
    assert list(found) == [f"part-{number:05}.parquet" for number in range(8)]
    return found


@pytest.fixture(scope="module")
def users(tmp_path_factory):
    """A table of the same users, in row groups that chunks do not end with."""
    path = write_table(tmp_path_factory.mktemp("users") / "users.parquet", COUNTS)
    pq.write_table(pq.read_table(path), path, row_group_size=13)
    return Path(path)


@pytest.mark.parametrize("kind", ["table", pytest.param("chunks", marks=pytest.mark.slow)])
def test_what_was_written_before_a_kill_stays(tmp_path, expected, users, kind):
    root = Path(__file__).parents[3]
    (program := tmp_path / "ended.py").write_text(ENDED)
    answers = tmp_path / "answers"
    named = [answers, users] if kind == "table" else [answers]
    ended = subprocess.run(
        [sys.executable, program, *named], cwd=root, timeout=PATIENT, check=False, env={**os.environ, "PYTHONPATH": "."}
    )
    assert ended.returncode == -signal.SIGKILL
    before = {path.name: path.stat() for path in parts_of(answers)}
    assert len(before) == 3
    again = partial(table_in, answers, users) if kind == "table" else partial(run_in, answers)
    assert again() == (5, 40)
    assert bytes_of(answers) == expected
    assert {name: (answers / name).stat().st_ino for name in before} == {n: s.st_ino for n, s in before.items()}
    assert sorted(path.name for path in answers.iterdir()) == [*expected, "question.json"]
    assert again() == (0, 40)


def test_processes(tmp_path, expected, users):
    with processes(2) as workers:
        assert table_in(tmp_path / "table", users, workers) == (8, 40)
        assert bytes_of(tmp_path / "table") == expected
        assert run_in(tmp_path / "chunks", workers) == (8, 40)
        assert bytes_of(tmp_path / "chunks") == expected
        assert summary_of(QUESTION, tmp_path / "table", workers) == summary_of(QUESTION, tmp_path / "table")


class Breaking(ThreadPoolExecutor):
    """Breaks when it has answered so many times, as a pool of processes does of which one is killed."""

    left: ClassVar[list[int]] = []

    def submit(self, *args):
        future = super().submit(*args)
        if self.left and self.left[-1] == 0:
            self.left.pop()
            future.result()
            broken = type(future)()
            broken.set_exception(BrokenExecutor("killed"))
            return broken
        if self.left:
            self.left[-1] -= 1
        return future


def test_a_lost_worker_costs_its_chunks_time(tmp_path, expected, monkeypatch):
    monkeypatch.setattr(Breaking, "left", [2, 0, 3])
    assert run_in(tmp_path, Workers(partial(Breaking, 1), 1))[1] == 40
    assert Breaking.left == []
    assert bytes_of(tmp_path) == expected


def test_workers_that_are_lost_again_and_again(tmp_path, monkeypatch):
    monkeypatch.setattr(Breaking, "left", [0] * 50)
    with pytest.raises(Undecided, match="killed from outside repeatedly"):
        run_in(tmp_path, Workers(partial(Breaking, 1), 1))


@pytest.mark.slow
def test_a_cluster(tmp_path, expected, users):
    import distributed

    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        scheduler(cluster.scheduler_address, tmp_path) as workers,
    ):
        assert (workers.count, workers.has_files) == (1, True)
        assert run_in(tmp_path / "chunks", workers) == (8, 40)
        assert table_in(tmp_path / "table", users, workers) == (8, 40)
    assert bytes_of(tmp_path / "chunks") == bytes_of(tmp_path / "table") == expected


@pytest.mark.slow
def test_no_cluster(tmp_path):
    with pytest.raises(InvalidRequest, match="--scheduler tcp:no"), scheduler("tcp:no", tmp_path):
        pass


def test_few_chunks_are_in_memory(tmp_path, monkeypatch):
    taken = []
    source = Chunks(before=lambda number: taken.append(number - len(parts_of(tmp_path))))
    assert run_in(tmp_path, source=source)[0] == 8
    assert max(taken) <= AHEAD + 1


@pytest.mark.parametrize("has_files", [True, False])
def test_another_question_and_other_users_are_not_mixed(tmp_path, has_files):
    workers = Workers(partial(ThreadPoolExecutor, 1), 1, has_files)
    run_in(tmp_path, workers)
    assert run_in(tmp_path, workers) == (0, 40)
    with pytest.raises(InvalidRequest, match="is another question"):
        run_in(tmp_path, question=replace(QUESTION, alpha="2"))
    with pytest.raises(InvalidRequest, match="is another question"):
        run_in(tmp_path, question=replace(QUESTION, model="both"))
    changed = COUNTS.copy()
    changed[17, 0, 0] += 1
    with pytest.raises(InvalidRequest, match=r"part-00003.parquet: it has answers for other users"):
        run_in(tmp_path, workers, Chunks(changed))
    with pytest.raises(InvalidRequest, match=r"part-00004.parquet: it has answers for other users"):
        run_in(tmp_path, workers, Chunks(COUNTS[:20]))
    told = tmp_path / "question.json"
    told.write_text(told.read_text().replace(f'"format": {FORMAT}', '"format": 2'))
    with pytest.raises(InvalidRequest, match=f"is of format 2, and parts are of format {FORMAT} now"):
        run_in(tmp_path)
    told.unlink()
    with pytest.raises(InvalidRequest, match=r"contains parts but no question.json"):
        run_in(tmp_path)


@pytest.mark.parametrize(
    "damage", [lambda _: b"PAR1", lambda _: b"", lambda content: content[:-1], lambda content: content * 2]
)
def test_a_part_that_is_damaged_is_named(tmp_path, damage):
    run_in(tmp_path)
    path = part_path(tmp_path, 1)
    path.write_bytes(damage(path.read_bytes()))
    for use in (run_in, partial(summary_of, QUESTION)):
        with pytest.raises(InvalidRequest, match=r"part-00001.parquet: has been changed: .*remove it"):
            use(tmp_path)
    path.unlink()
    assert run_in(tmp_path) == (1, 40)


@pytest.mark.parametrize(
    "name", ["tploracle.seal\x18@" + "0" * 64, "0" * 64, "tploracle.seal", "x\x18\x40" + "0" * 100]
)
def test_no_name_of_a_user_passes_for_a_seal(tmp_path, name):
    path = part_path(tmp_path, 0)
    path.write_bytes(answer(QUESTION, UserChunk([name], COUNTS[:1]), ""))
    assert read_part(path).column("user").to_pylist() == [name]
    path.write_bytes(path.read_bytes().replace(name.encode(), name.encode()[:-1] + b"1"))
    with pytest.raises(InvalidRequest, match="has been changed"):
        read_part(path)


def test_two_runs_do_not_write_into_one_folder(tmp_path):
    said = rf"another run writes into it by process {os.getpid()}: wait for its end"
    with alone_in(tmp_path / "new"), pytest.raises(InvalidRequest, match=said), alone_in(tmp_path / "new"):
        pass
    with alone_in(tmp_path / "new"):
        assert [*(tmp_path / "new").iterdir()] == []


def test_a_killed_run_leaves_no_lock(tmp_path):
    program = f"""
import os, signal
from pathlib import Path
from tploracle.population.runs import alone_in
with alone_in(Path({str(tmp_path)!r})):
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGKILL
    with alone_in(tmp_path):
        pass


def test_an_error_ends_the_processes(tmp_path):
    def failing(number):
        if number == 2:
            raise InvalidRequest("row 7: is broken")

    others = {child.pid for child in psutil.Process().children()}
    with pytest.raises(InvalidRequest, match="row 7"), processes(2) as workers:
        run_in(tmp_path, workers, Chunks(before=failing))
    assert {child.pid for child in psutil.Process().children()} <= others
