"""Rows and columns with the same names in another order are put in order, by every way."""

import json

import pandas as pd
import polars as pl
from hypothesis import assume, given
from hypothesis import strategies as st

import tploracle

from ..commands import refused, value
from ..profiles import examples
from .tables import count_tables, of_counts, written

READ = ("loss", "-", "--alpha", "1", "--role", "forward")


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
    wide = written([*names, "n"], [[*row, sum(row) + 1] for row in rows], names)
    for command in ((*READ, "--entries", "counts"), ("estimate", "-", "--count-table")):
        assert ("NotSquare" if names[0] == "0" else "is 'n' and") in refused(*command, stdin=wide)
