"""Matrices out of data frames, arrays and their files, each against the same rows as texts."""

import builtins
import io
import sys
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from tploracle import (
    LogColumns,
    TransitionMatrix,
    count_transitions,
    count_visits,
    transition_counts,
    transition_matrix,
)
from tploracle.data import frames
from tploracle.data.files import Files
from tploracle.data.visit_counts import count_log_file
from tploracle.reference import InvalidNumber, InvalidRequest, NegativeProbability, NotSquare, NotStochastic

ROWS = [[0.75, 0.25, 0.0], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]]
EXACT = TransitionMatrix.of([["3/4", "1/4", "0"], ["0", "1/2", "1/2"], ["1", "0", "0"]])
NAMES = ["home", "news", "shop"]
COLUMNS = LogColumns("user", "time", "page")

TABLES = {
    "lists": ROWS,
    "tuples of texts": (("0.75", "1/4", 0), ("0", "1/2", Decimal("0.5")), (Fraction(1), 0, 0)),
    "rows of arrays": [np.array(row) for row in ROWS],
    "numpy": np.array(ROWS),
    "numpy, single precision": np.array(ROWS, dtype=np.float32),
    "numpy of objects": np.array(EXACT.rows, dtype=object),
    "sparse csr": sp.csr_matrix(ROWS),
    "sparse coo array": sp.coo_array(np.array(ROWS)),
    "pandas": pd.DataFrame(ROWS),
    "pandas, header": pd.DataFrame(ROWS, columns=NAMES),
    "pandas, index": pd.DataFrame(ROWS, index=NAMES),
    "pandas, both": pd.DataFrame(ROWS, columns=NAMES, index=NAMES),
    "pandas, numbers from 1": pd.DataFrame(ROWS, columns=[1, 2, 3], index=[1, 2, 3]),
    "pandas, a column of names": pd.DataFrame(ROWS, columns=NAMES).assign(state=NAMES)[["state", *NAMES]],
    "pandas, an index of numbers": pd.DataFrame(ROWS, columns=NAMES, index=[0, 1, 2]),
    "pandas, nullable": pd.DataFrame(ROWS, columns=NAMES).convert_dtypes(),
    "polars": pl.DataFrame(ROWS, schema=NAMES, orient="row"),
    "polars, a column of names": pl.DataFrame(ROWS, schema=NAMES, orient="row").insert_column(0, pl.Series("s", NAMES)),
    "polars of texts": pl.DataFrame([[str(x) for x in row] for row in ROWS], schema=NAMES, orient="row"),
    "arrow": pa.table({name: [row[i] for row in ROWS] for i, name in enumerate(NAMES)}),
    "a transition matrix": EXACT,
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_tables_in_memory(table):
    assert transition_matrix(table) == EXACT
    assert {type(entry) for row in transition_matrix(table).rows for entry in row} == {Fraction}


def test_doubles_have_their_binary_values():
    rows = [[0.1, 0.9], [0.5, 0.5]]
    with pytest.raises(NotStochastic, match=r"row 1 sums to \d+/\d+, not to 1; normalise=True divides each row"):
        transition_matrix(rows)
    assert transition_matrix([["0.1", "0.9"], [0, 1]]).rows[0] == (Fraction(1, 10), Fraction(9, 10))
    total = Fraction(0.1) + Fraction(0.9)
    assert transition_matrix(rows, normalise=True).rows[0] == (Fraction(0.1) / total, Fraction(0.9) / total)


@given(st.lists(st.lists(st.floats(0, 1, width=32), min_size=3, max_size=3).filter(any), min_size=3, max_size=3))
def test_every_kind_of_table_is_the_same_matrix(rows):
    expected = TransitionMatrix(tuple(tuple(Fraction(p) / sum(map(Fraction, row)) for p in row) for row in rows))
    array = np.array(rows)
    for table in (rows, array, sp.csc_array(array), pd.DataFrame(rows), pl.DataFrame(rows, orient="row")):
        assert transition_matrix(table, force_normalise=True) == expected


def test_what_entries_are():
    assert transition_matrix([[75, 25], [0, 100]], entries="percentages").rows[0] == (Fraction(3, 4), Fraction(1, 4))
    counts = pd.DataFrame([[1, 3], [2, 0]], columns=["a", "b"], index=["a", "b"])
    assert transition_matrix(counts, entries="counts").rows == ((Fraction(1, 4), Fraction(3, 4)), (1, 0))
    assert transition_counts(counts).states == ("a", "b")
    assert transition_counts(counts).backward().rows[0] == (Fraction(1, 3), Fraction(2, 3))
    assert transition_counts(np.array([[1, 3], [2, 0]])).transitions == ((1, 3), (2, 0))
    with pytest.raises(InvalidNumber, match="row 1, column 1: 1/2 is not a count"):
        transition_counts([[0.5, 1], [1, 1]])
    with pytest.raises(NotSquare, match="row 1 has 1 entries, the table has 2 rows"):
        transition_counts([[1], [1, 1]])
    with pytest.raises(InvalidRequest, match="entries is one of probabilities, percentages, counts"):
        transition_matrix([[1]], entries="doubles")


@pytest.mark.parametrize(
    ("table", "error", "where"),
    [
        ([[float("nan"), 1], [0, 1]], InvalidNumber, "row 1, column 1: nan is not exact"),
        ([[1, 0], [float("inf"), 1]], InvalidNumber, "row 2, column 1: inf"),
        (np.array([[1, 0], [np.nan, 1]]), InvalidNumber, "row 2, column 1: nan"),
        ([[True, False], [0, 1]], InvalidNumber, "row 1, column 1: True is not an exact number"),
        ([[None, 1], [0, 1]], InvalidNumber, "row 1, column 1: None"),
        ([["0,5", "0,5"], [0, 1]], InvalidNumber, "row 1, column 1: '0,5'"),
        ([["80%", "20%"], [0, 1]], InvalidNumber, "row 1, column 1: '80%'"),
        (np.array([[1j, 0], [0, 1]]), InvalidNumber, "row 1, column 1"),
        (pd.DataFrame([[1, None], [0, 1]], dtype="Int64"), InvalidNumber, "row 1, column 2: <NA>"),
        ([[1.5, -0.5], [0, 1]], NegativeProbability, "row 1, column 2: -1/2 is negative"),
        ([[0.5, 0.25], [0, 1]], NotStochastic, "row 1 sums to 3/4"),
        ([[1, 0]], NotSquare, "row 1"),
        ([], NotSquare, "empty"),
        (pd.DataFrame(), NotSquare, "empty"),
        (np.array([0.5, 0.5]), InvalidRequest, "1 dimensions, a matrix has two"),
        (np.zeros((2, 2, 2)), InvalidRequest, "3 dimensions"),
        (np.zeros((1, 1001)), InvalidRequest, "too large: 1001 rows or columns"),
        (sp.eye(100_000).tocsr(), InvalidRequest, "too large: 100000"),
        (["ab", "cd"], InvalidRequest, "row 1 is 'ab', not a row of numbers"),
        ([1, 0], InvalidRequest, "row 1 is 1, not a row"),
        ("0.5,0.5", InvalidRequest, "str is not a table"),
        (7, InvalidRequest, "int is not a table"),
        (pl.LazyFrame({"a": [1]}), InvalidRequest, "not an in-memory data frame"),
        (
            pd.DataFrame([[1, 0], [0, 1]], columns=["a", "b"], index=["b", "c"]),
            InvalidRequest,
            "column 1 is 'a' and row 1 is 'b'",
        ),
    ],
)  # fmt: skip
def test_errors(table, error, where):
    with pytest.raises(error) as caught:
        transition_matrix(table)
    assert where in str(caught.value)


def parquet_of(frame):
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


def npy_of(array, save=np.save):
    stream = io.BytesIO()
    save(stream, array)
    return stream.getvalue()


BOTH = pd.DataFrame(ROWS, columns=NAMES, index=NAMES)
FILES = {
    "m.parquet": (parquet_of(BOTH), tuple(NAMES)),
    "header.parquet": (parquet_of(pd.DataFrame(ROWS, columns=NAMES)), tuple(NAMES)),
    "index.parquet": (parquet_of(BOTH.set_axis(["0", "1", "2"], axis=1)), tuple(NAMES)),
    "column.parquet": (parquet_of(BOTH.reset_index()), tuple(NAMES)),
    "m.npy": (npy_of(np.array(ROWS)), ()),
    "m.npz": (npy_of(sp.csr_matrix(ROWS), sp.save_npz), ()),
    "no suffix": (npy_of(sp.coo_matrix(ROWS), sp.save_npz), ()),
}


@pytest.mark.parametrize("name", FILES)
def test_files(tmp_path, name):
    content, names = FILES[name]
    path = tmp_path / name
    path.write_bytes(content)
    files = Files(float64=True)
    assert files.matrix(str(path)) == EXACT
    assert files.states.get(str(path), ()) == names
    with pytest.raises(InvalidNumber, match=r"row 1, column 1: 0\.75 is not an exact number.*--float64"):
        Files().matrix(str(path))


def test_exact_parquet_and_counts_need_no_float64(tmp_path):
    path = tmp_path / "m.parquet"
    parquet.write_table(pa.table({"a": [Decimal("0.1"), Decimal("0.0")], "b": [Decimal("0.9"), Decimal("1.0")]}), path)
    assert Files().matrix(str(path)).rows[0] == (Fraction(1, 10), Fraction(9, 10))
    parquet.write_table(pa.table({"a": [1, 2], "b": [3, 0]}), path)
    assert Files(entries="counts").matrix(str(path), "forward").rows[0] == (Fraction(1, 4), Fraction(3, 4))


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (FILES["m.npy"][0].replace(b"),", b"),  (  "), "the arrays cannot be read"),
        (FILES["m.parquet"][0][:-40], "the Parquet cannot be read"),
        (b"PAR1", "the Parquet cannot be read"),
        (FILES["m.npy"][0][:-8], "the arrays cannot be read"),
        (b"\x93NUMPY", "the arrays cannot be read"),
        (FILES["m.npz"][0][:-30], "the arrays cannot be read"),
        (
            npy_of(np.array([[object()]], dtype=object), lambda s, a: np.save(s, a, allow_pickle=True)),
            "the arrays cannot",
        ),
        (npy_of(np.zeros((1001, 2))), "too large: 1001 rows or columns"),
        (npy_of(np.zeros(4)), "1 dimensions"),
        (npy_of(np.zeros((2, 2)), np.savez), "the arrays cannot be read"),
        (npy_of(sp.eye(100_000).tocsr(), sp.save_npz), "too large"),
        (parquet_of(pd.DataFrame({"a": range(1002)})), "too large: 1002 rows or columns"),
        (parquet_of(BOTH.set_axis(["x", "y", "z"])), "column 1 is 'home' and row 1 is 'x'"),
    ],
)
def test_files_that_are_wrong(tmp_path, content, where):
    path = tmp_path / "m"
    path.write_bytes(content)
    with pytest.raises(InvalidRequest) as caught:
        Files(float64=True).matrix(str(path))
    assert where in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_too_much_in_a_small_file(tmp_path, monkeypatch):
    path = tmp_path / "m"
    monkeypatch.setattr(frames, "LONGEST_FILE", 100)
    for name in ("m.parquet", "m.npz"):
        path.write_bytes(FILES[name][0])
        with pytest.raises(InvalidRequest, match="too large"):
            Files(float64=True).matrix(str(path))


@pytest.mark.parametrize(
    ("module", "call"),
    [
        ("narwhals", lambda _: transition_matrix(BOTH)),
        ("pyarrow.parquet", lambda path: Files().matrix(str(path("m.parquet")))),
    ],
)
def test_what_is_not_installed_is_named(tmp_path, monkeypatch, module, call):
    def path(name):
        (tmp_path / name).write_bytes(FILES[name][0])
        return tmp_path / name

    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InvalidRequest, match=rf"needs {module.partition('.')[0]}: pip install 'tploracle\[data\]'"):
        call(path)


def test_arrays_need_no_other_library(monkeypatch):
    honest = builtins.__import__

    def refusing(name, *args, **kwargs):
        assert name.partition(".")[0] not in ("narwhals", "pyarrow", "scipy", "pandas", "polars")
        return honest(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refusing)
    assert transition_matrix(np.array(ROWS)) == EXACT


VISITS = {
    "user": ["u", "v", "u", "u"],
    "time": [datetime(2024, 5, day) for day in (3, 1, 1, 2)],
    "page": ["home", "news", "home", "news"],
    "more": [1, 2, 3, 4],
}


def dicts(table):
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dicts])
def test_visits_in_a_frame(tmp_path, make):
    expected = count_transitions([["home", "news", "home"], ["news"]])
    assert count_visits(make(VISITS), COLUMNS) == expected
    path = str(tmp_path / "log.parquet")
    parquet.write_table(pa.table(VISITS), path)
    assert count_log_file(path, COLUMNS).counts == expected
    for wrong in (LogColumns("who", "time", "page"),):
        with pytest.raises(InvalidRequest, match=r"the column 'who' is not in (the header|row 1), which has 'user'"):
            count_visits(make(VISITS), wrong)
        with pytest.raises(InvalidRequest, match=r"log\.parquet: the column 'who' is not in the header"):
            count_log_file(path, wrong)


def test_visits_that_are_none():
    with pytest.raises(InvalidRequest, match="row 2: 'time' is empty"):
        count_visits(pd.DataFrame(VISITS).assign(time=[VISITS["time"][0], pd.NaT, *VISITS["time"][2:]]), COLUMNS)
    with pytest.raises(InvalidRequest, match="int is not a table of visits"):
        count_visits(7, COLUMNS)
    for row in (("u", 1), "u1a", {"u", 1, "a"}, 7, {"user": "u", "time": 1}):
        with pytest.raises(InvalidRequest, match=r"row 1( is not who, when and where: give a data frame|, which has)"):
            count_visits([row], COLUMNS)


@pytest.mark.slow
def test_a_text_that_a_file_repeats_is_read_once(tmp_path):
    users = ["u" * (1 << 20), None] * 500
    path = tmp_path / "log.parquet"
    table = pa.table({"user": users, "time": range(1000), "state": ["a", "b"] * 500})
    parquet.write_table(table, path, compression="zstd")
    del table
    assert path.stat().st_size < 1 << 20
    pool = pa.default_memory_pool()
    allowed = pool.bytes_allocated() + (1 << 27)
    found = []
    for row in frames.parquet_rows(str(path), ("user", "state")):
        found.append(row)
        assert pool.bytes_allocated() < allowed
    assert found == list(zip(users, ["a", "b"] * 500, strict=True))
    assert len({id(user) for user, _ in found}) == 2


@pytest.mark.parametrize("make", ["pandas", "arrow", "parquet"])
def test_two_columns_of_one_name_are_refused(tmp_path, make):
    columns = [[0.5, 0.25], [0.5, 0.75]]
    table = pa.table(columns, names=["a", "a"])
    if make == "parquet":
        parquet.write_table(table, tmp_path / "m.parquet")
    read = {
        "parquet": lambda: Files(float64=True).matrix(str(tmp_path / "m.parquet")),
        "pandas": lambda: transition_matrix(pd.DataFrame(zip(*columns, strict=True), columns=["a", "a"])),
        "arrow": lambda: transition_matrix(table),
    }
    with pytest.raises(InvalidRequest, match=r"'a' (is twice|2 times)"):
        read[make]()


def test_columns_of_lists_are_refused(tmp_path):
    path = tmp_path / "m.parquet"
    parquet.write_table(pa.table({"a": [["1"] * 1000, []], "b": [1, 2]}), path)
    with pytest.raises(InvalidRequest, match="the column 'a' has values of the type list<"):
        Files().matrix(str(path))
    with pytest.raises(InvalidRequest, match="type list<"):
        list(frames.parquet_rows(str(path), ("a",)))
    assert list(frames.parquet_rows(str(path), ("b",))) == [(1,), (2,)]
