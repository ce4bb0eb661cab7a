"""Logs shared out by user: the same counts as of a log that is read whole, whatever the shares."""

import re
from contextlib import nullcontext
from itertools import pairwise

import pytest

from tploracle.data.logs import LogColumns
from tploracle.data.sequences import stop
from tploracle.data.visit_counts import count_log_file
from tploracle.population import visit_logs
from tploracle.population.rejects import rejects
from tploracle.population.visit_logs import VisitLog
from tploracle.reference import InvalidRequest, UnreachableState, count_transitions

pytestmark = pytest.mark.filterwarnings("ignore:visits are :tploracle.reference.errors.TableNote")

COLUMNS = LogColumns("user", "time", "page")
TIMES = ["3", "1/4", "2", "0.5", "-7", "1e3", "10", "0"]


def visits():
    """Yield users, times, pages and lines' order: users of several visits, out of order, and one of one."""
    for number in range(40):
        for step in range(number % 7 + 1):
            yield f"user {number % 13}{'b' * (number // 13)}", TIMES[step], "xyz"[(number * step + step) % 3]


def read(path, folder, users=3, broken=stop):
    log = VisitLog([str(path)], COLUMNS, None, folder / "visits")
    log.share_out(lambda _: nullcontext(broken))
    return log, list(log.chunks(users, broken))


def counts_of(chunks):
    return {user: own.tolist() for chunk in chunks for user, own in zip(chunk.users, chunk.counts, strict=True)}


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.csv"
    lines = [f"{user},{time},{page}\n" for user, time, page in sorted(visits(), key=lambda row: row[::-1])]
    path.write_text("user,time,page\n" + "".join(lines))
    return path


def test_spacings_are_noted_in_the_first_pass_that_ends(log, tmp_path, monkeypatch):
    monkeypatch.setattr(visit_logs, "SHARE_BYTES", 200)
    found = VisitLog([str(log)], COLUMNS, None, tmp_path / "visits")
    found.share_out(lambda _: nullcontext(stop))
    next(found.chunks(1, stop))
    assert not found.spacings.found
    expected = count_log_file(str(log), COLUMNS).spacings.text(in_seconds=False)
    first = counts_of(found.chunks(3, stop))
    assert found.spacings.text(in_seconds=False) == expected
    monkeypatch.setattr(visit_logs, "_note", None)
    assert counts_of(found.chunks(3, stop)) == first
    assert found.spacings.text(in_seconds=False) == expected


@pytest.mark.parametrize(("bytes_of_a_share", "at_once"), [(1 << 20, 1 << 18), (200, 7)])
def test_the_counts_are_those_of_each_user(log, tmp_path, monkeypatch, bytes_of_a_share, at_once):
    monkeypatch.setattr(visit_logs, "SHARE_BYTES", bytes_of_a_share)
    monkeypatch.setattr(visit_logs, "VISITS_AT_ONCE", at_once)
    found, chunks = read(log, tmp_path)
    assert found.states == ["x", "y", "z"]
    counts = {user: own for chunk in chunks for user, own in zip(chunk.users, chunk.counts, strict=True)}
    assert len(counts) == sum(len(chunk.users) for chunk in chunks) == 40
    assert sum(chunk.size for chunk in chunks) == found.size == len([*visits()])
    assert all(len(chunk.users) <= 3 for chunk in chunks)
    by_user = {}
    for user, time, page in visits():
        by_user.setdefault(user, []).append((TIMES.index(time), page))
    order = sorted(range(len(TIMES)), key=lambda index: [3, 0.25, 2, 0.5, -7, 1000, 10, 0][index])
    for user, own in by_user.items():
        sequence = [page for _, page in sorted(own, key=lambda visit: order.index(visit[0]))]
        assert counts[user].tolist() == [list(row) for row in count_transitions([sequence], "xyz").transitions]
    whole = count_log_file(str(log), COLUMNS).counts
    assert sum(counts.values()).tolist() == [list(row) for row in whole.transitions]
    assert [chunk.users for chunk in read(log, tmp_path)[1]] == [chunk.users for chunk in chunks]


def test_users_with_equal_counts_are_side_by_side(log, tmp_path):
    _, [chunk] = read(log, tmp_path, users=100)
    keys = [own.tobytes() for own in chunk.counts]
    assert len({*keys}) < len(keys)
    assert sum(a != b for a, b in pairwise(keys)) == len({*keys}) - 1


@pytest.mark.parametrize(
    ("times", "follows"),
    [
        (("2024-05-31T10:00+02:00", "2024-05-31T08:30Z"), "ab"),
        (("2024-06-01", "2024-05-31T23:59:59.999999"), "ba"),
        (("0.000000000000000001", "0"), "ba"),
        (("-1/2", "-1"), "ba"),
    ],
)
def test_times(tmp_path, times, follows):
    path = tmp_path / "log.csv"
    path.write_text("user,time,page\n" + "".join(f"u,{time},{page}\n" for time, page in zip(times, "ab", strict=True)))
    _, [chunk] = read(path, tmp_path)
    expected = count_transitions([follows], "ab").transitions
    assert chunk.counts.tolist() == [[list(row) for row in expected]]


BROKEN = """user,time,page
u1,1,a
u1,2
u1,soon,b
u1,3,b
,4,b
u2,1,b
u1,1.0,b
u2,2024-05-31,a
u2,1/3,a
"u2,2,a
u1,4,a
"""


def test_broken_rows_stop_or_are_noted(tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(BROKEN.encode() + b"u2,\xff,a\nu2,2,a\n")
    with pytest.raises(InvalidRequest, match=r"^line 3 has 2 columns"), rejects(str(path), None) as noted:
        read(path, tmp_path, broken=noted)
    with rejects(str(path), str(tmp_path / "rejects.csv")) as noted:
        _, chunks = read(path, tmp_path, broken=noted)
    lines = (tmp_path / "rejects.csv").read_text().splitlines()
    assert lines[0] == "file,error,message"
    numbers = [int(re.match(r'"?line (\d+)(:|,| has | is )', line.split(",", 2)[2])[1]) for line in lines[1:]]
    assert numbers == [3, 4, 6, 9, 10, 11, 13, 8]
    assert noted.noted == 8
    assert "already (line 2)" in lines[-1]
    assert counts_of(chunks) == {"u1": [[0, 1], [1, 0]], "u2": [[0, 0], [1, 0]]}


def test_several_logs_are_one(log, tmp_path):
    lines = log.read_text().splitlines()
    days = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for day, own in zip(days, (lines[1:40], lines[40:]), strict=True):
        day.write_text("\n".join([lines[0], *own]))
    both = VisitLog([str(day) for day in days], COLUMNS, None, tmp_path / "visits")
    both.share_out(lambda _: nullcontext(stop))
    found = counts_of(both.chunks(9, stop))
    assert found == counts_of(read(log, tmp_path)[1])
    assert len(found) == 40


def test_broken_rows_of_several_logs_name_their_log(tmp_path):
    days = {"one": "u,1,a\nu,2,b\nu,2\n", "two": "u,2,a\nu,2024-05-31,a\nu,x,a\nu,3,a\n"}
    paths = []
    for name, lines in days.items():
        paths.append(str(tmp_path / f"{name}.csv"))
        (tmp_path / f"{name}.csv").write_text("user,time,page\n" + lines)
    both = VisitLog(paths, COLUMNS, None, tmp_path / "visits")
    with pytest.raises(InvalidRequest, match=r"one\.csv: line 4 has 2 columns"), rejects("both", None) as noted:
        both.share_out(noted.reading)
    with rejects("both", str(tmp_path / "rejects.csv")) as noted:
        both.share_out(noted.reading)
        [chunk] = both.chunks(9, noted)
    assert chunk.counts.tolist() == [[[0, 1], [1, 0]]]
    told = (tmp_path / "rejects.csv").read_text().splitlines()[1:]
    assert [line.split(",")[0] for line in told] == [paths[0], paths[1], paths[1], "both"]
    for line, words in zip(
        told, ("line 4 has", "line 3: 2024-05-31 is a time", "line 4, column 2", "two.csv, line 2: user"), strict=True
    ):
        assert words in line
    assert f"already ({paths[0]}, line 3)" in told[-1]


def test_too_many_states(tmp_path, monkeypatch):
    monkeypatch.setattr(visit_logs, "MOST_STATES", 2)
    path = tmp_path / "log.csv"
    path.write_text("user,time,page\nu,1,a\nu,2,b\nu,3,c\n")
    with pytest.raises(InvalidRequest, match="too large: more than 2 states"):
        read(path, tmp_path)


def test_a_log_of_one_visit_says_nothing_of_its_user(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("user,time,page\nu,1,a\n")
    _, [chunk] = read(path, tmp_path)
    with pytest.raises(UnreachableState):
        chunk.matrices(1, 0)
