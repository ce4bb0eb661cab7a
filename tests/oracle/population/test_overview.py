"""What a population comes to: worst users, quantiles and the common budget, against all rows in memory."""

import csv
from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.population import overview
from tploracle.population.overview import QUANTILES, summary_of, write_csv
from tploracle.population.parts import part_path, parts_of, sealed
from tploracle.population.question import PopulationQuestion
from tploracle.population.runs import run, take_folder
from tploracle.population.user_rows import column_names, row_levels
from tploracle.reference import TransitionCounts, common_budgets, parse_level
from tploracle.reference.paper.leakage import Adversary

from ...profiles import examples
from .many_users import QUESTION, drawn_counts, rows_of
from .test_runs import ONE, Chunks

COUNTS = drawn_counts(40, 3, seed=4)
UNSMOOTHED = replace(QUESTION, smoothing=Fraction(0))  # some users' leakage has no bound then


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    take_folder(folder, UNSMOOTHED)
    run(UNSMOOTHED, Chunks(COUNTS), folder, ONE, lambda _: None, users=7)
    return folder


def test_the_worst_users_and_quantiles(folder):
    rows = [row for path in parts_of(folder) for row in rows_of(path).values()]
    found = summary_of(UNSMOOTHED, folder)
    assert found.users == len(rows) == 40
    assert found.refused == sum(row["method"] == "refused" for row in rows) > 0
    assert [own.level for own in found.levels] == row_levels(QUESTION)
    assert len(found.by("paper_bound")) == len(found.levels) == 9
    for name, level in found.by("paper_bound").items():
        side = "lower" if name.startswith("budget") else "upper"
        values = sorted((row[f"paper_bound_{name}_{side}"], row["user"]) for row in rows if row["error"] is None)
        assert level.users == len(values) == 40 - found.refused
        assert level.worst == (values[0] if side == "lower" else values[-1])[0]
        assert (level.worst, level.user) in values
        assert rows[7 * level.place[0] + level.place[1]]["user"] == level.user
        assert level.unbounded == sum(value == np.inf for value, _ in values)
        for part in QUANTILES:
            assert level.quantiles[part] == values[ceil(part * len(values)) - 1][0]
    assert found.by("paper_bound")["tpl_supremum"].unbounded > 0


def test_the_least_budget_is_the_common_one(tmp_path):
    """By another way: Algorithm 7 for all of them together, exactly."""
    run(QUESTION, Chunks(COUNTS), tmp_path, ONE, lambda _: None, users=40)
    own = {}
    for number, counts in enumerate(COUNTS):
        if counts.any():
            seen = TransitionCounts(("a", "b", "c"), tuple(map(tuple, counts.tolist())), (0, 0, 0))
            own[str(number)] = Adversary.knowing(seen.backward(QUESTION.smoothing), seen.forward(QUESTION.smoothing))
    exact = common_budgets(parse_level(QUESTION.alpha), own)[0].middle
    least = summary_of(QUESTION, tmp_path).by("paper_bound")["budget"].worst
    assert least <= exact.double_below() <= least + 64 * np.spacing(least)


@examples(30)
@given(st.lists(st.lists(st.floats(0, allow_nan=False)), min_size=1, max_size=4), st.integers(1, 3))
def test_quantiles_of_any_doubles(tmp_path_factory, columns, together):
    folder = tmp_path_factory.mktemp("parts")
    asked = PopulationQuestion(("1",), model="worst-case")
    (level,) = row_levels(asked)
    for number, values in enumerate(columns):
        own = {name: pa.array(values, pa.float64()) for name in column_names(asked)}
        table = pa.table({"user": map(str, values), "method": ["exact"] * len(values), **own})
        part_path(folder, number).write_bytes(sealed(table, ""))
    values = sorted(value + 0.0 for column in columns for value in column)
    parts = (1e-9, 0.3, 0.5, 1.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overview, "GROUP_PARTS", together)
        found = summary_of(asked, folder, parts=parts).levels[0]
    assert found.level == level
    assert found.users == len(values)
    if values:
        assert found.quantiles == {part: values[max(0, ceil(part * len(values)) - 1)] for part in parts}
        assert (found.worst, found.unbounded) == (values[-1], values.count(np.inf))
        assert float(found.user) == values[-1]


def test_names_in_csv_are_no_formulas_and_move_no_cursor(tmp_path):
    names = ["=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(A1)", "\x1b[2Jx", "a\rb", "\t=1", "ann", "\u202egnp"]
    table = pa.table({"user": names, "x": [0.5] * len(names), "error": [None, *names[1:]]})
    part_path(tmp_path, 0).write_bytes(sealed(table, ""))
    write_csv(tmp_path, str(tmp_path / "rows.csv"))
    with (tmp_path / "rows.csv").open(newline="") as stream:
        rows = list(csv.reader(stream))
    assert [row[0] for row in rows[1:]] == [
        "'=cmd|' /C calc'!A0", "+1", "'-2+3", "'@SUM(A1)", "\\x1b[2Jx", "a\\rb", "\\t=1", "ann", "\\u202egnp",
    ]  # fmt: skip
    assert [row[2] for row in rows[2:]] == [row[0] for row in rows[2:]]


def test_rows_as_csv(folder, tmp_path):
    write_csv(folder, str(tmp_path / "rows.csv"))
    lines = (tmp_path / "rows.csv").read_text().splitlines()
    assert len(lines) == 41
    names = [name.strip('"') for name in lines[0].split(",")]
    rows = {user: row for path in parts_of(folder) for user, row in rows_of(path).items()}
    for line in lines[1:]:
        cells = dict(zip(names, line.split(","), strict=False))
        row = rows[cells["user"].strip('"')]
        if row["error"] is None:
            assert float(cells["paper_bound_tpl_upper"]) == row["paper_bound_tpl_upper"]
            assert float(cells["paper_bound_budget_lower"]) == row["paper_bound_budget_lower"]


def test_memory_is_for_some_parts_at_a_time(folder, monkeypatch):
    read = []
    found = overview._summarised
    monkeypatch.setattr(overview, "_summarised", lambda *args: read.append(len(args[2])) or found(*args))
    monkeypatch.setattr(overview, "GROUP_PARTS", 4)
    assert summary_of(UNSMOOTHED, folder).users == 40
    assert read == [4, 2]
    assert len(parts_of(folder)) == len([*folder.iterdir()]) - 1
