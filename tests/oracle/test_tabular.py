"""Plain numbers for levels, and results as tables, data frames, pages and pictures."""

import pickle
from decimal import Decimal
from fractions import Fraction
from math import inf

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given

import tploracle
from tploracle import reference
from tploracle.output import plots
from tploracle.reference import InvalidLevel, InvalidNumber, InvalidRequest, Level, parse_level

from ..matrices import SKEWED
from ..strategies import levels

KNOWN = tploracle.adversary(backward=SKEWED, forward=SKEWED)
TENTH = Level.of(Fraction(1, 10))


@pytest.mark.parametrize("value", ["0.1", Decimal("0.1"), Fraction(1, 10), TENTH, "1/10", " 0.1"])
def test_plain_numbers_that_are_a_tenth(value):
    assert tploracle.level(value) == TENTH


@pytest.mark.parametrize(
    ("value", "exact"),
    [(2, "2"), (np.int64(2), "2"), (Decimal("inf"), "inf"), (Fraction(0.1), None), ("log(2)", "log(2)")],
)
def test_other_plain_numbers(value, exact):
    assert tploracle.level(value).exact_text == (exact or "3602879701896397/36028797018963968")


@given(levels())
def test_a_level_stays_as_it_is(value):
    assert tploracle.level(value) is value


@pytest.mark.parametrize("value", [0.1, np.float64(0.1)])
def test_what_to_write_for_a_float(value):
    with pytest.raises(
        TypeError, match=r"0\.1 is not exact: write '0\.1' for the decimal, Fraction\(0\.1\) for"
    ) as error:
        tploracle.paper_bound_leakage([value] * 5, KNOWN)
    assert isinstance(error.value, InvalidNumber)
    assert error.value.name == "InvalidNumber"
    assert parse_level("0.1") != tploracle.level(Fraction(0.1))


@pytest.mark.parametrize("value", [None, True, [], np.float32(0.5)])
def test_what_is_no_level_at_all(value):
    with pytest.raises(TypeError, match="is not a level: give a text"):
        tploracle.level(value)


def test_levels_that_are_none():
    with pytest.raises(InvalidLevel):
        tploracle.level(-1)
    with pytest.raises(InvalidNumber):
        tploracle.level(Decimal("nan"))


def test_columns_are_on_the_safe_side():
    found = tploracle.paper_bound_leakage(["0.3"] * 40, KNOWN)
    columns = found.to_columns()
    assert list(columns) == [
        *("time", "epsilon", "epsilon_exact", "bpl", "bpl_exact", "fpl", "fpl_exact", "tpl", "tpl_exact"),
    ]
    assert columns["time"] == [*range(1, 41)]
    for kind in ("bpl", "fpl", "tpl"):
        for double, level in zip(columns[kind], getattr(found, kind), strict=True):
            assert Fraction(np.nextafter(double, 0)) < level.enclosure(40).lower <= Fraction(double)
    assert columns["epsilon_exact"] == ["3/10"] * 40
    assert all(Fraction(double) <= Fraction(3, 10) < Fraction(np.nextafter(double, 1)) for double in columns["epsilon"])


@pytest.mark.parametrize(
    ("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)]
)
def test_data_frames(backend, kind):
    found = tploracle.paper_bound_leakage(["log(2)"] * 3, KNOWN)
    frame = found.to_frame(backend)
    assert isinstance(frame, kind)
    columns = frame.to_pydict() if backend == "pyarrow" else {name: list(frame[name]) for name in frame.columns}
    assert columns == found.to_columns()


def test_a_data_frame_without_its_library():
    with pytest.raises(InvalidRequest, match=r"a data frame needs modin_of_nowhere"):
        tploracle.paper_bound_leakage([1], KNOWN).to_frame("modin_of_nowhere")


def test_other_results_as_columns():
    several = tploracle.population_leakage(["0.1", "0.2"], {"a": KNOWN, "b": reference.Adversary()})
    columns = several.to_columns()
    assert columns["user"] == ["a", "a", "b", "b"]
    assert columns["time"] == [1, 2, 1, 2]
    assert columns["tpl_exact"][2:] == ["1/10", "1/5"]
    pieces = tploracle.loss_function(SKEWED).to_columns()
    assert (pieces["q"], pieces["d"], pieces["to"]) == (["4/5"], ["1/10"], [inf])


def test_an_accountant_shows_itself():
    accountant = tploracle.Accountant({"alice": KNOWN, "bob": reference.Adversary()}, cap=1)
    assert repr(accountant).startswith("<StreamAccountant of 'alice', 'bob': 0 releases, cap <Level 1>>\nAdversary: ")
    accountant.spend("0.1")
    accountant.spend(TENTH)
    first, *basis = repr(accountant).splitlines()
    assert first.endswith(": 2 releases, cap <Level 1>>")
    assert "not tested" in basis[-1]
    columns = accountant.to_columns()
    assert columns["tpl"] == [float(accountant.tpl(time).level) for time in (1, 2)]
    assert columns["tpl_of"] == ["alice", "alice"]
    assert repr(reference.Accountant({"a": KNOWN}, spent=[TENTH])) == "<Accountant of 'a': 1 releases, cap <Level inf>>"
    again = pickle.loads(pickle.dumps(accountant))
    again.spend("0.1")
    assert accountant.releases == 2
    assert again.releases == 3


def test_results_are_pickled():
    found = tploracle.paper_bound_leakage(["0.1"] * 5, KNOWN)
    assert pickle.loads(pickle.dumps(found)) == found
    loss = tploracle.loss_function(SKEWED)
    assert pickle.loads(pickle.dumps(loss)) == loss


def test_html_for_notebooks():
    page = tploracle.paper_bound_leakage(["0.1"] * 3, KNOWN)._repr_html_()
    assert page.count("<tr>") == 4
    assert "BPL</th>" in page
    assert "0.22010[1,2]" in page


def test_plots(monkeypatch):
    found = tploracle.paper_bound_leakage(["0.1"] * 3, KNOWN)
    (axes,) = found.plot().axes
    assert [line.get_label() for line in axes.lines] == ["BPL", "FPL", "TPL"]
    heights = [float(height) for height in axes.lines[2].get_ydata()]
    assert heights == pytest.approx([float(level) for level in found.tpl])
    assert tploracle.population_leakage(["0.1"], {"a": KNOWN}).plot().axes
    assert tploracle.loss_function(SKEWED).plot().axes[0].get_title() == "Privacy loss function of 2 states"
    monkeypatch.setattr("tploracle.contract.extras.find_spec", lambda name: None)
    monkeypatch.setattr(plots, "leakage_figure", None)
    with pytest.raises(InvalidRequest, match=r"pip install 'tploracle\[plot\]'"):
        found.plot()
