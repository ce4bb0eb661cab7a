"""Tables of users: lists of counts, columns of counts, matrices; rows that are wrong are named."""

from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tploracle.data.sequences import stop
from tploracle.population import user_tables
from tploracle.population.user_tables import UserTable
from tploracle.population.workers import here
from tploracle.reference import InvalidNumber, InvalidRequest, NegativeProbability, NotStochastic

from .many_users import drawn_counts, write_table

COUNTS = drawn_counts(10, 3)
NAMES = [f"u{number}" for number in range(10)]


def read(path, users=4, broken=stop):
    table = UserTable.of(str(path))
    table.find_repeated(here())
    return table, list(table.chunks(users, broken))


def joined(chunks, part):
    return np.concatenate([getattr(chunk, part) for chunk in chunks])


@pytest.mark.parametrize("kind", ["list", "large", "fixed", "columns", "doubles"])
def test_counts(tmp_path, kind):
    path = tmp_path / "users.parquet"
    flat = [own.ravel().tolist() for own in COUNTS]
    if kind == "columns":
        columns = {f"c{place}": [own[place] for own in flat] for place in range(9)}
        pq.write_table(pa.table({"user": range(10), **columns}), path)
    else:
        types = {"list": pa.list_(pa.int32()), "large": pa.large_list(pa.int64()), "fixed": pa.list_(pa.int64(), 9)}
        pq.write_table(
            pa.table({"counts": pa.array(flat, types.get(kind, pa.list_(pa.float64()))), "user": NAMES}), path
        )
    table, chunks = read(path)
    assert (table.n, table.size) == (3, 10)
    assert [len(chunk.users) for chunk in chunks] == [chunk.size for chunk in chunks] == [4, 4, 2]
    assert [user for chunk in chunks for user in chunk.users] == (
        [str(number) for number in range(10)] if kind == "columns" else NAMES
    )
    assert (joined(chunks, "counts") == COUNTS).all()
    assert joined(chunks, "counts").dtype == np.int64


@pytest.mark.parametrize("roles", [("backward",), ("forward",), ("forward", "backward")])
def test_matrices(tmp_path, roles):
    rng = np.random.default_rng(1)
    entries = {role: rng.dirichlet([1.0] * 4, (5, 4)) for role in roles}
    path = tmp_path / "users.parquet"
    lists = {role: [own.ravel().tolist() for own in part] for role, part in entries.items()}
    pq.write_table(pa.table({"user": list("abcde"), **lists}), path)
    _, chunks = read(path)
    for role in ("backward", "forward"):
        if role in roles:
            assert (joined(chunks, role) == entries[role]).all()
        else:
            assert all(getattr(chunk, role) is None for chunk in chunks)


@pytest.mark.parametrize(
    ("columns", "error", "where"),
    [
        ({"counts": [[1, 2, 3, 4], [1, 2, 3]]}, InvalidRequest, "row 2: counts has 3 entries, not the 4 of 2 states"),
        ({"counts": [[1, 2, 3, 4], None]}, InvalidRequest, "row 2: counts has 0 entries"),
        (
            {"counts": [[1, 2, 3, 4], [1, 2, -3, 4]]},
            InvalidNumber,
            r"row 2: counts, entry 3 \(row 2, column 1\): -3 is no",
        ),
        ({"counts": [[1, 2, 3, 4], [1, 2.5, 3, 4]]}, InvalidNumber, r"entry 2 \(row 1, column 2\): 2.5 is not a count"),
        ({"counts": [[1, 2, 3, 4], [1.0, 2, 3, 2.0**60]]}, InvalidNumber, "entry 4 .* is not a count"),
        ({"counts": [[1, 2, 3, 4], [1, None, 3, 4]]}, InvalidRequest, "row 2: counts, entry 2 .*: is empty"),
        (
            {"a": [1, 1], "b": [2, None], "c": [3, 3], "d": [4, 4]},
            InvalidRequest,
            "row 2: counts, entry 2 .*: is empty",
        ),
        (
            {"forward": [[1, 0, 0, 1.0], [0.5, 0.5, 1.5, -0.5]]},
            NegativeProbability,
            "row 2: forward, entry 4 .*negative",
        ),
        (
            {"forward": [[1, 0, 0, 1.0], [float("nan"), 0.5, 1, 0]]},
            InvalidNumber,
            "row 2: forward, entry 1 .*: nan is no",
        ),
        ({"backward": [[1, 0, 0, 1.0], [0.5, 0.5, 0.5, 0.49]]}, NotStochastic, "row 2: backward, row 2 sums to "),
    ],
)
def test_rows_that_are_wrong(tmp_path, columns, error, where):
    path = tmp_path / "users.parquet"
    pq.write_table(pa.table({"user": ["a", "b"], **columns}), path)
    with pytest.raises(error, match=where):
        read(path)
    noted = []
    _, [chunk] = read(path, broken=noted.append)
    assert chunk.users == ["a"]
    assert len(noted) == 1
    assert chunk.size == 2


def test_chunks_are_as_long_as_asked_however_the_file_groups_its_rows(tmp_path):
    path = write_table(tmp_path / "users.parquet", COUNTS)
    pq.write_table(pq.read_table(path), path, row_group_size=3)
    _, chunks = read(path)
    assert [chunk.users for chunk in chunks] == [NAMES[:4], NAMES[4:8], NAMES[8:]]
    assert (joined(chunks, "counts") == COUNTS).all()


def test_a_user_has_a_name_and_one_row(tmp_path):
    path = tmp_path / "users.parquet"
    pq.write_table(pa.table({"user": ["a", "b", None, "a", "", "a"], "counts": [[1, 1, 1, 1]] * 6}), path)
    noted = []
    _, chunks = read(path, 2, noted.append)
    assert [user for chunk in chunks for user in chunk.users] == ["a", "b"]
    assert sorted(map(str, noted)) == [
        "row 3: 'user' is empty",
        "row 4: the user 'a' is in row 1 already",
        "row 5: 'user' is empty",
        "row 6: the user 'a' is in row 1 already",
    ]
    with pytest.raises(InvalidRequest, match=r"row 4: the user 'a' is in row 1 already"):
        read(path, 1, lambda error: stop(error) if "already" in str(error) else None)


def test_every_row_of_a_user_but_the_first_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(user_tables, "NAMES_AT_ONCE", 7)
    random = Random(1)
    names = [f"u{random.randint(0, 500)}" for _ in range(400)]
    path = tmp_path / "users.parquet"
    pq.write_table(pa.table({"user": names, "counts": [[1]] * 400}), path)
    first = {}
    again = {row: first[name] for row, name in enumerate(names) if first.setdefault(name, row) != row}
    assert len(again) > 50
    table, _ = read(path, broken=[].append)
    assert dict(table.repeated.tolist()) == again


@pytest.mark.parametrize(
    ("columns", "where"),
    [
        ({"name": ["a"], "counts": [[1]]}, "a table of users needs one column 'user'; this one has name, counts"),
        ({"user": ["a"], "counts": [[1, 2]]}, "a user has 2 entries: for n states there are n²"),
        ({"user": ["a"]}, "a user has 0 entries"),
        (
            {"user": ["a"], "counts": [[1]], "forward": [[1.0]]},
            "give the list counts, or backward and forward",
        ),
        ({"user": ["a"], "counts": [["x"]]}, "values of the type string, not numbers"),
        ({"user": ["a"], "x": [True]}, "values of the type bool, not numbers"),
        ({"user": ["a"], "counts": [[0] * 1001**2]}, "too large: 1001 states"),
    ],
)
def test_tables_that_are_none(tmp_path, columns, where):
    path = tmp_path / "users.parquet"
    pq.write_table(pa.table(columns), path)
    with pytest.raises(InvalidRequest, match=where):
        read(path)


def test_a_table_without_rows(tmp_path):
    path = write_table(tmp_path / "users.parquet", COUNTS)
    pq.write_table(pq.read_table(path).slice(0, 0), path)
    table, chunks = read(path)
    assert table.size == sum(len(chunk.users) for chunk in chunks) == 0
