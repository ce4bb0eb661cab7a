"""Comments, separators, encodings, percent, single precision and units of time: by every way one answer."""

from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tploracle
from tploracle import LogColumns, NotStochastic

from ..commands import refused, run, value
from ..profiles import examples
from .tables import agreed, every_way_of_a_log

READ = ("loss", "-", "--alpha", "1", "--role", "forward")


def test_comments_separators_and_encodings(tmp_path):
    plain = "0.9,0.1\n0.2,0.8\n"
    expected = value(*READ, stdin=plain)
    assert "--comment" in refused(*READ, stdin="# of 2024\n" + plain)
    assert value(*READ, "--comment", "#", stdin="# of 2024\n" + plain) == expected
    assert value(*READ, stdin="sep=;\n" + plain.replace(",", ";")) == expected
    (tmp_path / "m.csv").write_bytes(plain.encode("utf-16"))
    assert value("loss", tmp_path / "m.csv", "--alpha", "1") == expected
    assert value("estimate", "-", "--counts", stdin="% a log\na b a\n")["states"] == ["a", "b"]
    for mark in ("#", "%"):
        text = f"{mark}a log\na b a\n"
        assert "--comment" in refused("estimate", "-", stdin=text)
        assert value("estimate", "-", "--comment", mark, "--counts", stdin=text)["states"] == ["a", "b"]
        found = value("estimate", "-", "--comment", "none", "--counts", "--header", "state", stdin=text)
        assert found["states"] == [f"{mark}a", "a", "b", "log"]


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


@examples(10)
@given(
    st.sampled_from(
        [("Europe/Berlin", "10-26T23"), ("America/New_York", "11-03T04"), ("Australia/Lord_Howe", "04-06T13")]
    ),
    st.permutations(["x", "y", "z", "x", "y", "x"]),
    st.integers(10, 40),
    st.randoms(use_true_random=False),
)
def test_a_clock_that_goes_back_changes_no_order(zone, states, minutes, random):
    """By every way visits are in the order of time, also where the clocks of their zone show one hour twice."""
    start = datetime.fromisoformat(f"2024-{zone[1]}:00+00:00")
    times = [(start + number * timedelta(minutes=minutes)).astimezone(ZoneInfo(zone[0])) for number in range(6)]
    visits = [("u", time, state) for time, state in zip(times, states, strict=True)]
    random.shuffle(visits)
    names, transitions, _ = agreed(every_way_of_a_log(visits))
    seen = Counter(pairwise(states))
    assert transitions == [[seen[before, after] for after in names] for before in names]


@examples(10)
@given(
    st.sampled_from([("{}{}", 4), ("{}{:02}", 12), ("{}{:02}", 53), ("{}{:03}", 366)]),
    st.integers(1900, 2097),
    st.booleans(),
)
def test_numbers_that_may_be_years_and_parts_of_them_are_noted(form, year, is_numbered):
    """They are steps of one, but from the last of a year to the first of the next, and that is noted as well."""
    shape, last = form
    numbers = [shape.format(year, last - 1), shape.format(year, last), shape.format(year + 1, 1)]
    numbers += [f"{year + 1}{'9' * len(str(last))}"] if is_numbered else []  # a part that no year has
    _, _, notes = agreed(every_way_of_a_log([("u", int(number), "xyxx"[at]) for at, number in enumerate(numbers)]))
    for each in notes:
        assert ["whatever its length" in told for told in each] == [False] * (not is_numbered) + [True]
    _, _, notes = agreed(every_way_of_a_log([("u", int(number), "x") for number in numbers[:2]]))
    assert not any(notes)
