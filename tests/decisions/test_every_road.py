"""Two hundred tables as tutorials have them: by every way one answer or one refusal, and never a traceback.

The page to play with is asked about the same tables in `tests/docs/test_play.py`.
"""

import io
import json
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tploracle import OracleError, Stream
from tploracle.cli.main import main

from ..commands import CliRunner, answer

CHAINS = {
    "weather": ("sunny cloudy rainy", "6 3 1/3 4 3/2 4 4"),
    "ratings": ("AAA AA A BBB D", "90 8 2 0 0/1 88 9 1 1/0 3 87 8 2/0 1 5 85 9/0 0 0 0 100"),
    "land use": ("forest cropland urban water", "93 5 2 0/2 90 7 1/0 1 99 0/1 0 1 98"),
    "sleep": ("W N1 N2 N3 REM", "70 20 8 1 1/15 40 35 2 8/3 6 75 12 4/1 1 14 83 1/5 5 7 1 82"),
    "clicks": ("home search product checkout", "1 5 3 1/2 3 4 1/3 3 2 2/8 1 1 0"),
    "journeys": ("North South East", "50 30 20/25 60 15/10 20 70"),
    "jobs": ("1 2 3", "17 2 1/3 14 3/1 1 18"),
}
"""Of each field, names and counts or percentages."""


def numbers(text):
    return [[int(cell) for cell in row.split()] for row in text.split("/")]


def decimals(rows, digits):
    return [[f"{cell / sum(row):.{digits}f}" for cell in row] for row in rows]


def joined(rows, mark=","):
    return "\n".join(mark.join(map(str, row)) for row in rows) + "\n"


def labelled(names, rows, corner="", index=None):
    return [[corner, *names], *([name, *row] for name, row in zip(index or names, rows, strict=True))]


def margins(names, rows, label="All"):
    whole = [[*row, sum(row)] for row in rows]
    return labelled([*names, label], [*whole, [sum(column) for column in zip(*whole, strict=True)]])


FORMS = {
    "counts": (lambda n, r: joined(labelled(n, r)), "counts"),
    "bare counts": (lambda _n, r: joined(r), "counts"),
    "bare counts in blanks": (lambda _n, r: joined(r, "  "), "counts"),
    "counts by tabs": (lambda n, r: joined(labelled(n, r), "\t"), "counts"),
    "counts under a corner": (lambda n, r: joined(labelled(n, r, "from/to")), "counts"),
    "counts with margins": (lambda n, r: joined(margins(n, r)), "counts"),
    "counts with unnamed totals": (lambda n, r: joined([row[1:] for row in margins(n, r)][1:]), "counts"),
    "counts with totals below": (
        lambda n, r: joined([*labelled(n, r), ["Total", *map(sum, zip(*r, strict=True))]]),
        "counts",
    ),
    "counts without a corner": (lambda n, r: joined([n, *labelled(n, r)[1:]]), "counts"),
    "counts without a corner, by tabs": (lambda n, r: joined([n, *labelled(n, r)[1:]], "\t"), "counts"),
    "counts without a corner, other names": (
        lambda n, r: joined([n, *labelled([*"vwxyz"][: len(n)], r)[1:]]),
        "counts",
    ),
    "counts as floats": (lambda n, r: joined(labelled(n, [[f"{x}.0" for x in row] for row in r])), "counts"),
    "counts in another order": (lambda n, r: joined(labelled(n, r[1:] + r[:1], index=n[1:] + n[:1])), "counts"),
    "counts with an index of numbers": (
        lambda n, r: joined([["", *n], *([i, *row] for i, row in enumerate(r))]),
        "counts",
    ),
    "counts with a state NA": (lambda n, r: joined(labelled(["NA", *n[1:]], r)), "counts"),
    "counts with an empty cell": (lambda n, r: joined(labelled(n, [["", *r[0][1:]], *r[1:]])), "counts"),
    "counts with thousands": (
        lambda n, r: joined(labelled(n, [[f'"{x + 1},000"' for x in row] for row in r])),
        "counts",
    ),
    "negative counts": (lambda n, r: joined(labelled(n, [[-1, *r[0][1:]], *r[1:]])), "counts"),
    "probabilities": (lambda n, r: joined(labelled(n, decimals(r, 10))), "probabilities"),
    "a bare matrix": (lambda _n, r: joined(decimals(r, 10)), "probabilities"),
    "a header alone": (lambda n, r: joined([n, *decimals(r, 10)]), "probabilities"),
    "two decimals": (lambda n, r: joined(labelled(n, decimals(r, 2))), "probabilities"),
    "semicolons": (lambda n, r: joined(labelled(n, decimals(r, 10)), ";"), "probabilities"),
    "decimal commas": (lambda n, r: joined(labelled(n, decimals(r, 3)), ";").replace(".", ","), "probabilities"),
    "sep=;": (lambda n, r: "sep=;\n" + joined(labelled(n, decimals(r, 10)), ";"), "probabilities"),
    "a comment": (lambda n, r: "# estimated\n" + joined(labelled(n, decimals(r, 10))), "probabilities"),
    "quoted cells": (
        lambda n, r: joined(labelled(n, [[f'"{x}"' for x in row] for row in decimals(r, 10)])),
        "probabilities",
    ),
    "blanks around": (lambda n, r: joined(labelled(n, decimals(r, 10)), " , "), "probabilities"),
    "fractions": (lambda n, r: joined(labelled(n, [[f"{x}/{sum(row)}" for x in row] for row in r])), "probabilities"),
    "percent": (
        lambda n, r: joined(labelled(n, [[f"{100 * x / sum(row):g}%" for x in row] for row in r])),
        "percentages",
    ),
    "numbers in percent": (
        lambda n, r: joined(labelled(n, [[f"{100 * x / sum(row):.8f}" for x in row] for row in r])),
        "percentages",
    ),
    "columns that sum to 1": (
        lambda n, r: joined(labelled(n, [*zip(*decimals(r, 10), strict=True)])),
        "probabilities",
    ),
    "one name twice": (lambda n, r: joined(labelled([n[0], n[0], *n[2:]], r)), "counts"),
    "counts with a state -99": (lambda n, r: joined(labelled(["-99", *n[1:]], r)), "counts"),
    "two spellings": (lambda n, r: joined(labelled([n[0], n[0].swapcase() + " ", *n[2:]], r)), "counts"),
}
"""How a table is written, and what its entries are said to be."""

DOUBTS = {"totals", "missing", "labels-in-another-order", "transposed", "comments"}


def outcome(ask):
    """Return the answer, or the name of the error."""
    try:
        return ask()
    except OracleError as error:
        return f"{error.name} {error.reason}".strip()


def streamed(table, given):
    """Return TPL in the middle by both models, and the names of the states."""
    stream = Stream(table, **given)
    found = stream.leakage("0.1", steps=3)
    levels = [str(own.tpl[1].enclosure(12)) for own in (found.worst_case, found.paper_bound)]
    return levels, [name.strip() for name in stream.states]


def commanded(path, *options):
    words = ["leakage", "--forward", path, "--epsilon", "0.1", "--steps", "3", "--at", "2", "--json", "--digits", "12"]
    result = CliRunner().invoke(main, [*words, *options], prog_name="tploracle", catch_exceptions=False)
    if result.exit_code:
        assert result.exit_code == 2, result.output
        (error,) = (line for line in result.stderr.splitlines() if not line.startswith("note: "))
        return error.partition(":")[0]
    found = json.loads(result.stdout)
    both = [found[model]["tpl"][0] for model in ("worst_case", "paper_bound")]
    return [f"Enclosure(lower=Decimal('{own['lower']}'), upper=Decimal('{own['upper']}'))" for own in both]


def wired(known):
    """Return TPL in the middle by both models, as the wire answers about what an adversary knows."""
    given = {"epsilons": ["0.1"] * 3, **known}
    found = [answer(op, 12, **given)["tpl"][1] for op in ("worst_case_leakage", "leakage")]
    return [f"Enclosure(lower=Decimal('{own['lower']}'), upper=Decimal('{own['upper']}'))" for own in found]


def frames(text, folder):
    """Yield the table as people read it, by way: in pandas, in Polars, as an array, and in files of these."""
    first = text.splitlines()[0]
    has_names = any(mark.isalpha() for mark in first)
    has_index = has_names and any(mark.isalpha() for mark in text.splitlines()[-1].split(",")[0] or "0")
    how = {"header": 0 if has_names else None, "index_col": 0 if has_index else None}
    how |= {"float_precision": "round_trip"} if pd.__version__ < "3" else {}
    try:
        frame = pd.read_csv(io.StringIO(text), **how)
        polar = pl.read_csv(io.StringIO(text), has_header=has_names)
    except (ValueError, pl.exceptions.PolarsError):
        return
    yield "pandas", frame
    yield "Polars", polar
    has_labels = has_index and ([*frame.index] != [*frame.columns] or "-99" in frame)  # of which an array has none
    if all(map(pd.api.types.is_numeric_dtype, frame.dtypes)) and not has_labels:
        yield "an array", frame.to_numpy()
        np.save(folder / "t.npy", frame.to_numpy())
        yield "an array's file", str(folder / "t.npy")
        yield "rows", frame.to_numpy().tolist()
    if frame.columns.is_unique:
        frame.rename(columns=str).to_parquet(folder / "t.parquet")
        yield "Parquet", str(folder / "t.parquet")
        (folder / "t.json").write_text(frame.to_json(orient="split", double_precision=15))
        yield "JSON", str(folder / "t.json")


MARKS = (pytest.mark.slow, pytest.mark.exhaustive, pytest.mark.exhaustive)
ASKED = [
    pytest.param(chain, form, marks=MARKS[(row + column) % 3] if row else ())
    for row, chain in enumerate(CHAINS)
    for column, form in enumerate(FORMS)
]
"""Of the first chain every form; of others a third of the forms each, so that two chains have each form, or all."""


@pytest.mark.filterwarnings("ignore::tploracle.reference.errors.TableNote")
@pytest.mark.parametrize(("chain", "form"), ASKED)
def test_one_answer_or_one_refusal(tmp_path, chain, form):
    """As a text it is the same as a file and in memory; where it is refused for a doubt, no other way answers."""
    names, rows = CHAINS[chain][0].split(), numbers(CHAINS[chain][1])
    write, entries = FORMS[form]
    text = write(names, rows)
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    for one_sided in (False, True):
        for float64 in (False, True):
            given = {"entries": entries, "float64": float64, "one_sided": one_sided}
            options = ["--entries", entries, *["--float64"] * float64, *["--one-sided"] * one_sided]
            told = outcome(partial(streamed, str(path), given))
            command = commanded(str(path), *options)
            assert command == (told.split()[0] if isinstance(told, str) else told[0])
            answers = {"text": told}
            if not isinstance(told, str):
                known = Stream(str(path), **given).known()
                assert wired({role: own.texts() for role, own in known.items() if own is not None}) == told[0]
            if entries == "probabilities" and one_sided:  # of the wire the cells as they are, with names or without
                cells = [row.split(",") for row in text.splitlines()]
                sent = outcome(partial(answer, "leakage", forward=cells, epsilons=["0.1"]))
                assert isinstance(sent, str) or not isinstance(told, str), told
            for way, table in frames(text, tmp_path):
                answers[way] = outcome(partial(streamed, table, given))
                if isinstance(table, str):
                    found = commanded(table, *options)
                    assert found == (answers[way].split()[0] if isinstance(answers[way], str) else answers[way][0]), way
            levels = {json.dumps(each[0]) for each in answers.values() if not isinstance(each, str)}
            if not float64 and isinstance(told, list | tuple):
                levels = {json.dumps(told[0])} | (levels if entries == "counts" else set())
            assert len(levels) <= 1, answers
            if isinstance(told, str) and told.split()[-1] in DOUBTS:
                assert not levels, answers
