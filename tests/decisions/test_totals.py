"""Totals of rows and columns are no state, by every way."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tploracle
from tploracle import InvalidRequest

from ..commands import refused, value
from ..profiles import examples
from .tables import count_tables, of_counts, written

READ = ("loss", "-", "--alpha", "1", "--role", "forward")


def with_margins(rows):
    rows = [[*row, sum(row)] for row in rows]
    return [*rows, [sum(column) for column in zip(*rows, strict=True)]]


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
