"""What is missing is no state, whether a word or a number says so: by every way refused, until a reading is given."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tploracle
from tploracle import InvalidRequest

from ..commands import refused, value
from ..profiles import examples
from .tables import agreed, every_way_of_a_log, every_way_of_a_table, every_way_of_sequences

MARKERS = ["NA", "NaN", "NULL", "None", "-", "?", "n/a", ".", "#N/A", "<NA>", "Unknown", "(blank)", "no data", "#NULL!"]
MARKERS += [".a", ".Z", "#N/A N/A", "-1.#IND", "SYSMIS", "NA_character_", "not stated"]
CODES = ["-1", "-9", "-99", "-999", "-9999", "999", "9999", "-98", "998", "777", "-32768", "65535", "-99.0", "999.0"]


@pytest.mark.parametrize("marker", [*MARKERS, None])
def test_what_is_missing_is_no_state(marker):
    sequences = [["home", "work", marker, "work", "home"], ["work", "home", "work"]]
    visits = [(f"u{who}", time, name) for who, line in enumerate(sequences) for time, name in enumerate(line)]
    for every_way, given_ in ((every_way_of_sequences, sequences), (every_way_of_a_log, visits)):
        assert {*map(str, every_way(given_).values())} == {"InvalidRequest"}
        assert agreed(every_way(given_, missing="break"))[:2] == (["home", "work"], [[0, 2], [2, 0]])
        if marker is not None:
            assert marker in agreed(every_way(given_, missing="state"))[0]
    with pytest.raises(InvalidRequest, match="missing break") as caught:
        tploracle.count_transitions(sequences)
    assert caught.value.reason == "missing"
    names = ["a", marker or ""]
    assert {*map(str, every_way_of_a_table(names, [[3, 1], [2, 5]], names).values())} == {"InvalidRequest"}
    if marker is not None:
        assert agreed(every_way_of_a_table(names, [[3, 1], [2, 5]], names, missing="state"))[0] == names


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
    parts = " ".join(line).replace(code, "|").split("|")
    expected = tploracle.count_transitions([own for part in parts if (own := part.split())])
    kept = [*expected.states], [*map(list, expected.transitions)]
    visits = [("u", number, name) for number, name in enumerate(line)]
    for every_way, given_ in ((every_way_of_sequences, [line]), (every_way_of_a_log, visits)):
        for missing in ("refuse", "break"):
            assert {*map(str, every_way(given_, missing=missing).values())} == {"InvalidRequest"}
        assert agreed(every_way(given_, missing=f"break:{code}"))[:2] == kept
        for missing in ("state", "break:other"):
            assert code in agreed(every_way(given_, missing=missing))[0]
    square = (names, [[3, 1, 9], [2, 5, 1], [7, 1, 4]], names)
    assert {*map(str, every_way_of_a_table(*square).values())} == {"InvalidRequest"}
    assert agreed(every_way_of_a_table(*square, missing=f"break:{code}"))[:2] == (names[:2], [[3, 1], [2, 5]])
    with pytest.raises(InvalidRequest, match=f"break:{code}"):
        tploracle.count_transitions([line])


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
