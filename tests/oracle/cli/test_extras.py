"""What a command needs and lacks is said first: before a file is read, a program started or a number computed."""

import tomllib
from importlib.metadata import metadata
from pathlib import Path

import pytest

from tploracle.contract import extras

from ...commands import run

ROOT = Path(__file__).resolve().parents[3]
NO_MATRIX, NO_PROGRAM = "no.csv", "-- /no/such/program"
"""They make a command fail once it comes to read or to start them."""

NEEDS = [
    ("plot", "matplotlib", "--plot", f"loss-function {NO_MATRIX} --plot a.png"),
    ("plot", "matplotlib", "--plot", f"leakage --backward {NO_MATRIX} --one-sided --epsilons x --plot a.png"),
    ("plot", "matplotlib", "--plot", f"attack --backward {NO_MATRIX} --one-sided --epsilons x --plot a.png"),
    ("plot", "matplotlib", "--plot", f"supremum {NO_MATRIX} --epsilon x --plot a.png"),
    ("plot", "matplotlib", "--plot", "allocate --alpha x --method quantified --plot a.png"),
    ("plot", "matplotlib", "--plot", "utility --alpha x --steps 1 --plot a.png"),
    ("plot", "matplotlib", "--html", f"audit {NO_MATRIX} --html a.html"),
    ("plot", "matplotlib", "--html", f"conform --html a.html {NO_PROGRAM}"),
    ("fast", "pyarrow", "population", f"population {NO_MATRIX} --out a --alpha x"),
    ("cluster", "distributed", "--scheduler", f"population {NO_MATRIX} --out a --scheduler tcp:no"),
    ("strategies", "hypothesis", "the search", f"conform {NO_PROGRAM}"),
    ("strategies", "hypothesis", "--random", "crosscheck --random 0"),
    (
        "solvers",
        "pulp",
        "the method cbc-compact",
        f"crosscheck {NO_MATRIX} --alpha x --methods cbc-compact",
    ),
    ("solvers", "highspy", "the method highs-literal", "crosscheck --random 0 --methods highs-literal"),
    ("solvers", "z3", "the method z3", f"crosscheck {NO_MATRIX} --alpha x --methods z3"),
    ("proofs", "sympy", "verify", "verify --claim no-such-claim"),
    ("proofs", "z3", "verify", "verify -k no-such-claim"),
    ("proofs", "highspy", "verify", "verify -k no-such-claim"),
    ("proofs", "jsonschema", "vectors lint", "vectors lint no/such/folder"),
]


@pytest.fixture
def without(monkeypatch):
    def hide(package):
        found = extras.find_spec
        monkeypatch.setattr(extras, "find_spec", lambda name: None if name == package else found(name))

    return hide


def said(line):
    result = run(*line.split(), status=2)
    assert result.stdout == ""
    return result.stderr


@pytest.mark.parametrize(("extra", "package", "what", "line"), NEEDS)
def test_it_is_said_first(*, empty_folder, without, extra, package, what, line):
    otherwise = ", or skip it with --no-search" if what == "the search" else ""
    lacking = f"InvalidRequest: {what} needs {package}: pip install 'tploracle[{extra}]'{otherwise}\n"
    assert said(line) != lacking
    without(package)
    assert said(line) == lacking
    assert list(empty_folder.iterdir()) == []


@pytest.mark.parametrize(
    "line",
    [
        f"loss-function {NO_MATRIX}",
        f"audit {NO_MATRIX}",
        f"conform --no-search {NO_PROGRAM}",
        f"conform --tier smoke {NO_PROGRAM}",
        f"conform --request {{}} {NO_PROGRAM}",
        f"crosscheck {NO_MATRIX} --alpha 1 --methods algorithm-1",
    ],
)
def test_what_is_not_asked_for_is_not_needed(without, line):
    for package in ("matplotlib", "hypothesis", "sympy", "jsonschema", "pulp", "highspy", "z3"):
        without(package)
    assert "needs" not in said(line)


@pytest.mark.parametrize(("extra", "package"), sorted({(extra, package) for extra, package, *_ in NEEDS}))
def test_the_extra_brings_the_package(extra, package):
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert any(line.startswith((package, f"{package}-solver")) for line in declared[extra])
    assert extra in metadata("tploracle").get_all("Provides-Extra")


def test_methods_without_their_solver_are_named_before_the_others_are_asked(without):
    without("highspy")
    first, second = said(f"crosscheck {NO_MATRIX} --alpha 1").splitlines()
    assert first == "note: without their solvers: highs-literal, highs-compact; pip install 'tploracle[solvers]'"
    assert second.startswith(f"InvalidRequest: {NO_MATRIX}: ")
    without("z3")
    assert "highs-compact, z3;" in said(f"crosscheck {NO_MATRIX} --alpha 1")
