"""What the pages promise is so: the extras of docs/install.md, what docs/stability.md calls public and supported."""

import json
import re
import runpy
import tomllib
from pathlib import Path

import pytest

import sources

ROOT = Path(__file__).resolve().parents[2]
STABILITY = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAMES = {"highspy": "HiGHS", "myst-parser": "MyST", "pulp": "PuLP", "z3-solver": "z3"}


def packages(requirements):
    names = (re.match(r"[\w-]+", requirement)[0] for requirement in requirements)
    return {NAMES.get(name, name).casefold() for name in names}


def test_the_table_of_extras_is_whole():
    text = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    table = text[text.index("| extra |") :].partition("\n\n")[0].splitlines()[2:]
    rows = {cells[1].strip(" `"): cells[2] for cells in (row.split("|") for row in table)}
    extras = {"none": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
    assert set(rows) == set(extras)
    for extra, requirements in extras.items():
        if extra != "dev":
            told = {word.casefold() for word in re.findall(r"[\w-]+", rows[extra])} - {"with", "cbc"}
            assert told == packages(requirements)


def test_the_readme_is_read_in_one_sitting():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 80


def test_the_readme_counts_claims_and_errata():
    line = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8").splitlines()[4]
    claims, errata = re.match(r"(\d+) claims: .*? (\d+) errata ", line).groups()
    assert f"[{claims} claims](docs/claims.md) and {errata} errata" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_public_modules_are_those_with_a_page():
    (row,) = re.findall(r"^\| Python \|.*$", STABILITY, re.MULTILINE)
    assert set(re.findall(r"`(tploracle\.[\w.]+)`", row)) == set(sources.API)


def test_the_supported_versions_of_python_are_those_declared():
    declared = re.findall(r":: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
    (told,) = re.findall(r"\(now ([^)]+)\)", STABILITY)
    assert re.split(r", | and ", told) == declared
    assert f"is tested with {told}." in (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert PROJECT["requires-python"] == f">={declared[0]}"


@pytest.mark.parametrize(
    "path",
    sorted({*(ROOT / "vectors").glob("*.json")} - {*(ROOT / "vectors").glob("*.schema.json")}),
    ids=lambda path: path.stem,
)
def test_the_format_of_the_vectors_is_the_one_told(path):
    assert "| test vectors | format 3, " in STABILITY
    assert json.loads(path.read_text(encoding="utf-8"))["format"] == 3


@pytest.mark.parametrize("name", ["run", "growth"])
def test_the_benchmarks_begin(monkeypatch, name):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    found = runpy.run_path(str(ROOT / "benchmarks" / f"{name}.py"))
    if name == "run":
        page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
        cases = runpy.run_path(str(ROOT / "benchmarks" / "cases.py"))
        assert all(found["line_before"](case, page) in page for case in cases["conformance_cases"]())
