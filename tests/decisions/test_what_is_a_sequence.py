"""What has no order, or more than one meaning, is no sequence of releases or of states; what is one is read alike."""

import json
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tploracle
from tploracle import InvalidRequest, TransitionMatrix

from ..commands import answer
from ..profiles import examples
from .tables import commanded, every_way_of_sequences

CHAIN = [["1/2", "1/2"], ["1/3", "2/3"]]
LEVELS = st.lists(st.sampled_from(["1", "0.5", "1/3"]), min_size=1, max_size=3)

NO_SEQUENCES = st.one_of(
    st.text(),
    st.binary(),
    st.integers(),
    st.booleans(),
    st.none(),
    st.dictionaries(st.text(max_size=2), st.sampled_from(["1", "2"]), max_size=3),
    LEVELS.map(set),
    LEVELS.map(frozenset),
    LEVELS.map(lambda own: dict.fromkeys(own).keys()),
    LEVELS.map(lambda own: np.array([own, own])),
    LEVELS.map(lambda own: np.array(own[0])),
    LEVELS.map(lambda own: pd.DataFrame({"1": own})),
    LEVELS.map(lambda own: pl.DataFrame({"1": own})),
    LEVELS.map(lambda own: pl.LazyFrame({"1": own})),
    LEVELS.map(lambda own: pl.DataFrame({"1": own}).to_arrow()),
)
"""What has no order, or may be one value or several."""


@examples(40)
@given(NO_SEQUENCES)
def test_what_has_no_order_is_no_sequence(wrong):
    known = tploracle.adversary(backward=CHAIN, one_sided=True)
    asked = [
        lambda: tploracle.paper_bound_leakage(wrong, known),
        lambda: tploracle.worst_case_leakage(wrong, backward=CHAIN, one_sided=True),
        lambda: tploracle.profile(wrong, backward=CHAIN),
        lambda: tploracle.count_transitions(wrong),
        lambda: tploracle.count_transitions([["a", "b"], wrong]),
        lambda: tploracle.Stream.of_sequences(wrong),
    ]
    for ask in asked:
        with pytest.raises(InvalidRequest) as caught:
            ask()
        assert caught.value.reason == "not-a-sequence"
    if isinstance(wrong, str | dict | int | None):  # as JSON has them
        for op, given_ in (("estimate", {"sequences": wrong}), ("leakage", {"backward": CHAIN, "epsilons": wrong})):
            with pytest.raises(InvalidRequest):
                answer(op, **given_)
        with tempfile.TemporaryDirectory() as folder:
            assert commanded(Path(folder, "s.json"), json.dumps(wrong)) == "InvalidRequest"


def test_a_pair_is_one_release_or_two():
    with pytest.raises(InvalidRequest, match="list"):
        tploracle.profile(("0.1", "1/100000"), backward=[["1/2", "1/2"], [0, 1]])


@examples(40)
@given(st.one_of(NO_SEQUENCES, st.lists(NO_SEQUENCES.filter(lambda own: not isinstance(own, np.ndarray)), min_size=2)))
def test_what_has_no_rows_in_order_is_no_matrix(wrong):
    is_table = isinstance(wrong, np.ndarray) and wrong.ndim == 2
    assume(not is_table)
    with pytest.raises(InvalidRequest, match="not a list"):
        TransitionMatrix.of(wrong)


VALUES = st.sampled_from(["a", "b", "c", "", None, "NA", " a ", 1, 2, "1", True])


@examples(30)
@given(
    st.lists(st.lists(VALUES, min_size=1, max_size=6), min_size=1, max_size=5),
    st.sampled_from([{}, {"missing": "break"}, {"missing": "state"}, {"missing": "break:1"}]),
    st.sampled_from([{}, {"ids": "state", "header": "state"}, {"ids": "drop"}, {"header": "drop"}]),
)
def test_what_is_one_is_read_alike_by_every_way(sequences, missing, fields):
    """Texts alone may end in empty cells, which spreadsheets add to the shorter lines."""
    assume(all(line[-1] not in ("", None) for line in sequences))
    found = every_way_of_sequences(sequences, **missing, **fields)
    first = next(iter(found.values()))
    assert all(own == first for own in found.values()), found
    if (
        not missing
        and "drop" not in fields.values()
        and any(name in ("", None, "NA") for line in sequences for name in line)
    ):
        assert first == "InvalidRequest"
