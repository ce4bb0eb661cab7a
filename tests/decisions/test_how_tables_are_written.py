"""Comments, separators, encodings, percent, single precision and units of time: by every way one answer."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tploracle
from tploracle import LogColumns, NotStochastic

from ..commands import refused, run, value

READ = ("loss", "-", "--alpha", "1", "--role", "forward")


def test_comments_separators_and_encodings(tmp_path):
    plain = "0.9,0.1\n0.2,0.8\n"
    expected = value(*READ, stdin=plain)
    assert "--comment" in refused(*READ, stdin="# of 2024\n" + plain)
    assert value(*READ, "--comment", "#", stdin="# of 2024\n" + plain) == expected
    assert value(*READ, stdin="sep=;\n" + plain.replace(",", ";")) == expected
    (tmp_path / "m.csv").write_bytes(plain.encode("utf-16"))
    assert value("loss", tmp_path / "m.csv", "--alpha", "1") == expected
    assert "--comment" in refused("estimate", "-", stdin="# a log\na b a\n")
    assert value("estimate", "-", "--comment", "#", "--counts", stdin="# a log\na b a\n")["states"] == ["a", "b"]


def test_percent_and_single_precision(tmp_path):
    percentages = value(*READ, "--entries", "percentages", stdin="90%,10%\n20%,80%\n")
    assert percentages == value(*READ, stdin=".9,.1\n.2,.8\n")
    single = np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4], [0.6, 0.3, 0.1]], dtype=np.float32)
    with pytest.raises(NotStochastic) as caught:
        tploracle.transition_matrix(single)
    assert caught.value.reason == "rows-off"
    np.save(tmp_path / "m.npy", single)
    for table in (single, pd.DataFrame(single), pl.DataFrame(single)):
        assert tploracle.transition_matrix(table, normalise=True).n == 3
    assert run("loss", tmp_path / "m.npy", "--alpha", "1", "--float64").stdout
    with pytest.raises(NotStochastic):
        tploracle.transition_matrix(single.astype(np.float64) + 1e-5, normalise=True)


@pytest.mark.parametrize("unit", ["ns", "us", "s"])
def test_times_of_any_unit(unit, tmp_path):
    times = pd.date_range("2024-01-01", periods=4, freq="h").as_unit(unit)
    frame = pd.DataFrame({"u": "a", "t": times, "s": ["x", "y", "x", "x"]})
    columns = LogColumns("u", "t", "s")
    assert tploracle.count_visits(frame, columns, step="1h").transitions == ((1, 1), (1, 0))
    frame.to_parquet(tmp_path / "log.parquet")
    read = ("estimate", tmp_path / "log.parquet", "--user", "u", "--time", "t", "--state", "s", "--counts")
    assert value(*read)["counts"] == [[1, 1], [1, 0]]
