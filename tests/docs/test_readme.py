"""The table of extras in README.md has the extras that there are, with what they bring."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAMES = {
    "highspy": "HiGHS",
    "myst-parser": "MyST",
    "pulp": "PuLP",
    "z3-solver": "z3",
}


def packages(requirements):
    names = (re.match(r"[\w-]+", requirement)[0] for requirement in requirements)
    return {NAMES.get(name, name).casefold() for name in names}


def test_the_table_of_extras_is_whole():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text[text.index("| extra |") :].partition("\n\n")[0].splitlines()[2:]
    rows = {cells[1].strip(" `"): cells[2] for cells in (row.split("|") for row in table)}
    extras = {"none": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
    assert set(rows) == set(extras)
    for extra, requirements in extras.items():
        if extra != "dev":
            told = {word.casefold() for word in re.findall(r"[\w-]+", rows[extra])} - {"with", "cbc"}
            assert told == packages(requirements)
