"""What is missing is no state, whether a word or a number says so: by every way refused, until a reading is given."""

import json

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tploracle
from tploracle import InvalidRequest, LogColumns

from ..commands import refused, value
from ..profiles import examples
from .tables import written

MARKERS = ["NA", "NaN", "NULL", "None", "-", "?", "n/a", ".", "#N/A", "<NA>", "Unknown", "(blank)", "no data", "#NULL!"]
MARKERS += [".a", ".Z", "#N/A N/A", "-1.#IND", "SYSMIS", "NA_character_", "not stated"]
CODES = ["-1", "-9", "-99", "-999", "-9999", "999", "9999", "-98", "998", "777", "-32768", "65535", "-99.0", "999.0"]


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
