"""Tables of counts and sequences, drawn and written as people have them, and how every way counts them."""

import csv
import io
import json
import re
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st

import tploracle
from tploracle import LogColumns, OracleError
from tploracle.cli.main import main
from tploracle.reference.errors import TableNote

from ..commands import CliRunner

NAMES = [["sunny", "rainy", "cloudy"], ["AAA", "BBB", "NR", "D"], ["W", "N1", "N2", "N3", "REM"], ["0", "1", "2"]]
COLUMNS = ("u", "t", "s")
DOUBTS = re.compile("look like one|may be years|whatever its length")
"""The notes that every way has, where it has a command's and a warning in Python."""


@st.composite
def count_tables(draw):
    names = draw(st.sampled_from(NAMES))
    entry = st.integers(1, 900)
    row = st.lists(entry, min_size=len(names), max_size=len(names))
    return names, draw(st.lists(row, min_size=len(names), max_size=len(names)))


def written(names, rows, index=None):
    index = names if index is None else index
    return "\n".join([",".join(["", *names]), *(",".join(map(str, [n, *r])) for n, r in zip(index, rows, strict=True))])


def of_counts(rows):
    return [[str(entry) for entry in row] for row in tploracle.transition_counts(rows).forward().texts()]


def as_csv(rows, mark=","):
    text = io.StringIO()
    csv.writer(text, delimiter=mark, lineterminator="\n").writerows(rows)
    return text.getvalue()


def in_python(ask):
    """Return states, transitions and notes, or the name of the error."""
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", TableNote)
        try:
            found = ask()
        except OracleError as error:
            return error.name
    notes = [str(each.message) for each in noted if DOUBTS.search(str(each.message))]
    return list(found.states), [list(row) for row in found.transitions], notes


def commanded(path, content, *options):
    """Return what `in_python` does, of a file with this content, a text or a frame in Parquet."""
    content.to_parquet(path) if isinstance(content, pd.DataFrame) else path.write_text(content, encoding="utf-8")
    line = ["estimate", str(path), "--counts", *options]
    result = CliRunner().invoke(main, line, prog_name="tploracle", catch_exceptions=False)
    if result.exit_code:
        return result.stderr.splitlines()[-1].partition(":")[0]
    found = json.loads(result.stdout)
    notes = [line.removeprefix("note: ") for line in result.stderr.splitlines() if DOUBTS.search(line)]
    return found["states"], found["counts"], notes


def agreed(found):
    """Return the states and transitions that all ways say, and the notes of each."""
    states, transitions, _ = first = next(iter(found.values()))
    assert all(isinstance(own, tuple) and own[:2] == first[:2] for own in found.values()), found
    return states, transitions, [own[2] for own in found.values()]


def shown(options):
    return [word for name, value in options.items() for word in (f"--{name}", value)]


def every_way_of_sequences(sequences, **options):
    """Return what the ways say of sequences of names, texts or not, as they are in a file and in memory."""
    told = [["" if name is None else str(name) for name in own] for own in sequences]
    with tempfile.TemporaryDirectory() as folder:
        found = {
            "CSV": commanded(Path(folder, "s.csv"), as_csv(told), "--separator", "comma", *shown(options)),
            "bars": commanded(Path(folder, "s.txt"), as_csv(told, "|"), "--separator", "bar", *shown(options)),
            "JSON": commanded(Path(folder, "s.json"), json.dumps(sequences), *shown(options)),
        }
    kinds = {"lists": list, "tuples": tuple, "arrays": lambda own: np.array(own, dtype=object)}
    kinds |= {
        "iterators": iter,
        "pandas": lambda own: pd.Series(own, dtype=object),
        "Polars": lambda own: pl.Series(own, dtype=pl.Object),
    }
    for way, kind in kinds.items():
        found[way] = in_python(lambda kind=kind: tploracle.count_transitions([*map(kind, sequences)], **options))
    return found


def every_way_of_a_log(visits, **options):
    """Return what the ways say of visits, each of who, when and where."""
    columns = LogColumns(*COLUMNS)
    frame = pd.DataFrame(visits, columns=[*COLUMNS])
    named = [word for pair in zip(("--user", "--time", "--state"), COLUMNS, strict=True) for word in pair]
    named += shown(options)
    with tempfile.TemporaryDirectory() as folder:
        found = {
            "CSV": commanded(Path(folder, "log.csv"), as_csv([COLUMNS, *visits]), *named),
            "Parquet": commanded(Path(folder, "log.parquet"), frame, *named),
        }
    tables = {"rows": visits, "pandas": frame, "Polars": pl.DataFrame(visits, schema=[*COLUMNS], orient="row")}
    tables |= {"records": frame.to_dict("records"), "categories": frame.astype({"u": "category", "s": "category"})}
    for way, table in tables.items():
        found[way] = in_python(lambda table=table: tploracle.count_visits(table, columns, **options))
    return found


def every_way_of_a_table(names, rows, index, **options):
    """Return what the ways say of a table of counts, with names of columns and of rows."""
    split = {"columns": names, "index": index, "data": rows}
    frame = pd.DataFrame(rows, index=index, columns=names)
    with tempfile.TemporaryDirectory() as folder:
        text = as_csv([["", *names], *([name, *row] for name, row in zip(index, rows, strict=True))])
        found = {
            "CSV": commanded(Path(folder, "t.csv"), text, "--count-table", *shown(options)),
            "JSON": commanded(Path(folder, "t.json"), json.dumps(split), "--count-table", *shown(options)),
            "Parquet": commanded(Path(folder, "t.parquet"), frame, "--count-table", *shown(options)),
        }
    polar = pl.DataFrame({"": index, **dict(zip(names, zip(*rows, strict=True), strict=True))})
    for way, table in {"pandas": frame, "Polars": polar}.items():
        found[way] = in_python(lambda table=table: tploracle.transition_counts(table, **options))
    return found
