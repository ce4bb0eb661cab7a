"""What has no order, or more than one meaning, is no sequence of releases or of states."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tploracle
from tploracle import InvalidRequest, TransitionMatrix


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


NO_TABLES = [{1, 0}, "10", [{1, 0}, {0, 1}], ["10", "01"], [{1: 0, 0: 1}] * 2, None, pl.DataFrame([["0", "1"]] * 2)]


@pytest.mark.parametrize("wrong", [*NO_TABLES, pd.DataFrame({"10": [1, 2], "01": [3, 4]})], ids=str)
def test_what_has_no_rows_in_order_is_no_matrix(wrong):
    with pytest.raises(InvalidRequest, match="not a list"):
        TransitionMatrix.of(wrong)
