"""Tables as people have them: by every way the same answer or the same refusal, and each reading of a doubt."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tploracle
from tploracle import InvalidRequest, LogColumns, NotStochastic

from ..commands import refused, run, value
from ..profiles import examples

NAMES = [["sunny", "rainy", "cloudy"], ["AAA", "BBB", "NR", "D"], ["W", "N1", "N2", "N3", "REM"], ["0", "1", "2"]]
MARKERS = ["NA", "NaN", "NULL", "None", "-", "?", "n/a", ".", "#N/A", "<NA>", "Unknown", "(blank)", "no data", "#NULL!"]
MARKERS += [".a", ".Z", "#N/A N/A", "-1.#IND", "SYSMIS", "NA_character_", "not stated"]
CODES = ["-1", "-9", "-99", "-999", "-9999", "999", "9999", "-98", "998", "777", "-32768", "65535", "-99.0", "999.0"]
READ = ("loss", "-", "--alpha", "1", "--role", "forward")


@st.composite
def count_tables(draw):
    names = draw(st.sampled_from(NAMES))
    entry = st.integers(1, 900)
    row = st.lists(entry, min_size=len(names), max_size=len(names))
    return names, draw(st.lists(row, min_size=len(names), max_size=len(names)))


def with_margins(rows):
    rows = [[*row, sum(row)] for row in rows]
    return [*rows, [sum(column) for column in zip(*rows, strict=True)]]


def written(names, rows, index=None):
    index = names if index is None else index
    return "\n".join([",".join(["", *names]), *(",".join(map(str, [n, *r])) for n, r in zip(index, rows, strict=True))])


def of_counts(rows):
    return [[str(entry) for entry in row] for row in tploracle.transition_counts(rows).forward().texts()]


@examples(10)
@given(count_tables(), st.sampled_from(["All", "Total", "margin", ""]))
def test_totals_are_no_state(table, label):
    names, rows = table
    margins = with_margins(rows)
    text = written([*names, label], margins) if label else "\n".join(",".join(map(str, row)) for row in margins)
    frame = pd.DataFrame(margins, index=[*names, label], columns=[*names, label]) if label else np.array(margins)
    for command in ((*READ, "--entries", "counts"), (*READ, "--force-normalise"), ("estimate", "-", "--count-table")):
        assert "--totals drop" in refused(*command, stdin=text)
    for make in (tploracle.transition_counts, lambda own: tploracle.transition_matrix(own, entries="counts")):
        with pytest.raises(InvalidRequest) as caught:
            make(frame)
        assert caught.value.reason == "totals"
    found = value("estimate", "-", "--count-table", "--totals", "drop", stdin=text)
    assert found["forward"] == of_counts(rows)
    assert tploracle.transition_counts(frame, totals="drop").transitions == tuple(map(tuple, rows))
    assert len(tploracle.transition_counts(frame, totals="state").states) == len(margins)


@examples(10)
@given(count_tables(), st.randoms(use_true_random=False))
def test_labels_in_another_order_are_put_in_order(table, random):
    names, rows = table
    order = [*range(len(names))]
    random.shuffle(order)
    assume(order != sorted(order))
    shuffled, index = [rows[at] for at in order], [names[at] for at in order]
    expected = of_counts(rows)
    frames = [pd.DataFrame(shuffled, index=index, columns=names)]
    if names[0] == "0":
        frames.append(pd.DataFrame(rows).loc[order])
    frames.append(pl.DataFrame({"": index, **dict(zip(names, zip(*shuffled, strict=True), strict=True))}))
    for frame in frames:
        assert tploracle.transition_matrix(frame, entries="counts").texts() == expected
    text = written(names, shuffled, index)
    assert value("estimate", "-", "--count-table", stdin=text)["forward"] == expected
    split = {"columns": names, "index": index, "data": shuffled}
    assert value("estimate", "-", "--count-table", stdin=json.dumps(split))["forward"] == expected
    assert "same names" in refused("estimate", "-", "--count-table", stdin=written(names, rows, [*names[:-1], "other"]))


@pytest.mark.parametrize("marker", MARKERS)
def test_what_is_missing_is_no_state(marker, tmp_path):
    text, log = tmp_path / "s.csv", tmp_path / "log.csv"
    text.write_text(f"home,work,{marker},work,home\nwork,home,work\n")
    visits = [("u", t, s) for t, s in enumerate(["home", "work", marker, "work", "home"])]
    log.write_text("user,time,state\n" + "\n".join(",".join(map(str, visit)) for visit in visits))
    read_log = ("estimate", log, "--user", "user", "--time", "time", "--state", "state")
    sequences = [["home", "work", marker, "work", "home"], ["work", "home", "work"]]
    assert "--missing break" in refused("estimate", text, "--separator", "comma")
    assert "--missing break" in refused(*read_log)
    for given_ in (sequences, [["home", None], ["home", float("nan")]]):
        with pytest.raises(InvalidRequest) as caught:
            tploracle.count_transitions(given_)
        assert caught.value.reason == "missing"
    columns = LogColumns("user", "time", "state")
    for table in (visits, pd.DataFrame(visits, columns=["user", "time", "state"])):
        with pytest.raises(InvalidRequest, match="missing"):
            tploracle.count_visits(table, columns)
        assert tploracle.count_visits(table, columns, missing="break").transitions == ((0, 1), (1, 0))
    found = value("estimate", text, "--separator", "comma", "--missing", "break", "--counts")
    assert (found["states"], found["counts"]) == (["home", "work"], [[0, 2], [2, 0]])
    assert value(*read_log, "--missing", "break", "--counts")["counts"] == [[0, 1], [1, 0]]
    assert value("estimate", text, "--separator", "comma", "--missing", "state", "--counts")["states"].count(marker)
    square = written(["a", marker], [[3, 1], [2, 5]])
    assert "missing" in refused("estimate", "-", "--count-table", stdin=square)
    assert value("estimate", "-", "--count-table", "--missing", "state", stdin=square)["states"] == ["a", marker]


@examples(15)
@given(
    st.sampled_from(CODES),
    st.sampled_from([["home", "work"], ["1", "2"], ["0", "1"], ["1.0", "2.0"], ["AAA", "5"]]),
    st.lists(st.integers(0, 2), min_size=4, max_size=30),
)
def test_a_number_that_stands_for_what_is_missing_is_no_state(code, names, drawn):
    assume(code != "-1" or names[-1] != "1")
    names = [*names, code]
    line = [*names, *(names[each] for each in drawn)]
    parts, text = " ".join(line).replace(code, "|").split("|"), ",".join(line)
    expected = tploracle.count_transitions([own for part in parts if (own := part.split())])
    columns, visits = LogColumns("u", "t", "s"), [("a", number, name) for number, name in enumerate(line)]
    square = pd.DataFrame([[3, 1, 9], [2, 5, 1], [7, 1, 4]], index=names, columns=names)
    ways = (
        lambda missing: tploracle.count_transitions([line], missing=missing),
        lambda missing: tploracle.count_visits(visits, columns, missing=missing),
        lambda missing: tploracle.count_visits(pd.DataFrame(visits, columns=["u", "t", "s"]), columns, missing=missing),
    )
    for missing in ("refuse", "break"):
        for way in (*ways, lambda missing: tploracle.transition_counts(square, missing=missing)):
            with pytest.raises(InvalidRequest, match=f"break:{code}") as caught:
                way(missing)
            assert caught.value.reason == "missing"
        assert f"'break:{code}'" in refused("estimate", "-", "--separator", "comma", "--missing", missing, stdin=text)
    for way in ways:
        assert way(f"break:{code}") == expected
        assert code in way("state").states
        assert code in way("break:other").states
    found = value("estimate", "-", "--separator", "comma", "--counts", "--missing", f"break:{code}", stdin=text)
    assert found["counts"] == [list(row) for row in expected.transitions]
    assert tploracle.transition_counts(square, missing=f"break:{code}").transitions == ((3, 1), (2, 5))


@pytest.mark.parametrize("code", ["NA", "-99", "9999"])
def test_names_in_json_are_in_doubt_too(tmp_path, code):
    """Of counts, of a matrix, and of a matrix for each step; where they break, who came first is not known."""
    states, rows = ["a", "b", code], [["1/2", "1/4", "1/4"]] * 3
    counted = {"states": states, "counts": [[3, 1, 9], [2, 5, 1], [7, 1, 4]], "first": [1, 0, 2]}
    for given_ in (counted, {"states": states, "matrix": rows}, {"states": states, "cycle": [rows]}):
        (tmp_path / "t.json").write_text(json.dumps(given_))
        line = ("leakage", "--forward", tmp_path / "t.json", "--epsilon", "0.1", "--steps", "2")
        assert "--missing state" in refused(*line)
        with pytest.raises(InvalidRequest) as caught:
            tploracle.Stream(given_)
        assert caught.value.reason == "missing"
        assert value(*line, "--missing", "state")
    reading = "break" if code == "NA" else f"break:{code}"
    (tmp_path / "t.json").write_text(json.dumps(counted))
    for more in ((), ("--count-table",)):
        assert "--missing state" in refused("estimate", tmp_path / "t.json", *more)
        found = value("estimate", tmp_path / "t.json", *more, "--missing", reading, "--counts")
        assert found["counts"] == [[3, 1], [2, 5]]
        assert found["first"] == [0, 0]


@pytest.mark.parametrize(
    "names", ["-1 0 1", "-2 -1 0 1 2", "1 2 47 99", "-10 -5 0 5 -9", "1 2 3 4 5 6 7 8 9", "97 98 99", "-99 -9"]
)
def test_numbers_that_are_a_scale_are_states(names):
    line = names.split() * 2
    assert {*tploracle.count_transitions([line]).states} == {*line}


@pytest.mark.parametrize("reading", ["", "break:", "break:,", "drop", "refuse:-9", "state:a"])
def test_a_reading_of_what_is_missing_that_is_none(reading):
    assert "missing is one of" in refused("estimate", "-", "--missing", reading, stdin="a b a\n")


@pytest.mark.parametrize("wrong", ["11", b"11", {"1", "2"}, {"1": "2"}, pd.DataFrame({"1": [1]}), np.ones((2, 2)), 3])
def test_what_has_no_order_is_no_sequence(wrong):
    chain = [["1/2", "1/2"], [0, 1]]
    known = tploracle.adversary(backward=chain, one_sided=True)
    for ask in (
        lambda: tploracle.paper_bound_leakage(wrong, known),
        lambda: tploracle.worst_case_leakage(wrong, backward=chain, one_sided=True),
        lambda: tploracle.profile(wrong, backward=chain),
        lambda: tploracle.count_transitions(wrong),
        lambda: tploracle.count_transitions([wrong]),
    ):
        with pytest.raises(InvalidRequest) as caught:
            ask()
        assert caught.value.reason == "not-a-sequence"


def test_a_pair_is_one_release_or_two():
    with pytest.raises(InvalidRequest, match="list"):
        tploracle.profile(("0.1", "1/100000"), backward=[["1/2", "1/2"], [0, 1]])


def test_headers_and_identifiers_are_no_states():
    header, ids = "t1,t2,t3\na,b,a\nb,a,b\na,b,b\n", "u1,a,b,a\nu2,b,a\nu3,a,b\n"
    command = ("estimate", "-", "--separator", "comma", "--counts")
    assert "--header drop" in refused(*command, stdin=header)
    assert "--ids drop" in refused(*command, stdin=ids)
    assert value(*command, "--header", "drop", stdin=header)["counts"] == [[0, 3], [2, 1]]
    assert value(*command, "--ids", "drop", stdin=ids)["counts"] == [[0, 2], [2, 0]]
    assert "u1" in value(*command, "--ids", "state", stdin=ids)["states"]


@pytest.mark.parametrize(
    "names",
    [("Home", "HOME"), ("Zu\u0308rich", "Z\u00fcrich"), ("1", "01"), ("At work", "Atwork"), ("At  work", "At work")],
)
def test_names_that_look_like_one_are_noted(names):
    one, two = names
    text = f"{one},{two},{one},{one}\n{two},{two}\n"
    assert "two states whose names look like one" in run("estimate", "-", "--separator", "comma", stdin=text).stderr
    table = pd.DataFrame([[3, 1], [2, 5]], index=names, columns=names)
    with pytest.warns(UserWarning, match="look like one"):
        tploracle.transition_counts(table)


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


@examples(8)
@given(count_tables(), st.sampled_from(["backward", "forward"]))
def test_one_matrix_means_both_directions(table, role):
    _, rows = table
    matrix = tploracle.transition_counts(rows[:3] if len(rows) == 3 else [row[:3] for row in rows[:3]]).forward()
    text = "\n".join(",".join(row) for row in matrix.texts())
    found = value("leakage", f"--{role}", "-", "--epsilon", "0.1", "--steps", 3, stdin=text)["worst_case"]["tpl"]
    own = tploracle.worst_case_leakage(["0.1"] * 3, **{role: matrix}).tpl
    assert [level["upper"] for level in found] == [str(level.enclosure().upper) for level in own]
    alone = tploracle.worst_case_leakage(["0.1"] * 3, **{role: matrix}, one_sided=True).tpl
    assert all(float(one) <= float(both) for one, both in zip(alone, own, strict=True))
