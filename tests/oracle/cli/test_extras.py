"""What a command needs and lacks is said first: before a file is read, a program started or a number computed."""

import tomllib
from importlib.metadata import metadata
from pathlib import Path

import pytest

from tploracle.cli import extras

from ...commands import run

ROOT = Path(__file__).resolve().parents[3]
NO_MATRIX, NO_PROGRAM = "no.csv", ["--", "/no/such/program"]
"""They make a command fail once it comes to read or to start them."""

NEEDS = [
    ("plot", "matplotlib", "--plot", ["loss-function", NO_MATRIX, "--plot", "a.png"]),
    (
        "plot",
        "matplotlib",
        "--plot",
        ["leakage", "--backward", NO_MATRIX, "--one-sided", "--epsilons", "x", "--plot", "a.png"],
    ),
    (
        "plot",
        "matplotlib",
        "--plot",
        ["attack", "--backward", NO_MATRIX, "--one-sided", "--epsilons", "x", "--plot", "a.png"],
    ),
    ("plot", "matplotlib", "--plot", ["supremum", NO_MATRIX, "--epsilon", "x", "--plot", "a.png"]),
    ("plot", "matplotlib", "--plot", ["allocate", "--alpha", "x", "--method", "quantified", "--plot", "a.png"]),
    ("plot", "matplotlib", "--plot", ["utility", "--alpha", "x", "--steps", "1", "--plot", "a.png"]),
    ("plot", "matplotlib", "--html", ["audit", NO_MATRIX, "--html", "a.html"]),
    ("plot", "matplotlib", "--html", ["conform", "--html", "a.html", *NO_PROGRAM]),
    ("data", "pyarrow", "population", ["population", NO_MATRIX, "--out", "a", "--alpha", "x"]),
    ("cluster", "distributed", "--scheduler", ["population", NO_MATRIX, "--out", "a", "--scheduler", "tcp:no"]),
    ("strategies", "hypothesis", "the search", ["conform", *NO_PROGRAM]),
    ("strategies", "hypothesis", "--random", ["crosscheck", "--random", "0"]),
    ("solvers", "pulp", "the method cbc-compact", ["crosscheck", NO_MATRIX, "--methods", "algorithm-1,cbc-compact"]),
    ("solvers", "highspy", "the method highs-literal", ["crosscheck", "--random", "0", "--methods", "highs-literal"]),
    ("solvers", "z3", "the method z3", ["crosscheck", NO_MATRIX, "--methods", "z3"]),
    ("proofs", "sympy", "verify", ["verify", "--claim", "no such claim"]),
    ("proofs", "z3", "verify", ["verify", "-k", "no such claim"]),
    ("proofs", "highspy", "verify", ["verify", "-k", "no such claim"]),
    ("proofs", "jsonschema", "vectors lint", ["vectors", "lint", "no/such/folder"]),
]


@pytest.fixture
def without(monkeypatch):
    def hide(package):
        found = extras.find_spec
        monkeypatch.setattr(extras, "find_spec", lambda name: None if name == package else found(name))

    return hide


def said(*args):
    result = run(*args, status=2)
    assert result.stdout == ""
    return result.stderr


@pytest.mark.parametrize(("extra", "package", "what", "args"), NEEDS)
def test_it_is_said_first(*, empty_folder, without, extra, package, what, args):
    otherwise = ", or skip it with --no-search" if what == "the search" else ""
    lacking = f"InvalidRequest: {what} needs {package}: pip install 'tploracle[{extra}]'{otherwise}\n"
    assert said(*args) != lacking
    without(package)
    assert said(*args) == lacking
    assert list(empty_folder.iterdir()) == []


@pytest.mark.parametrize(
    "args",
    [
        ["loss-function", NO_MATRIX],
        ["audit", NO_MATRIX],
        ["conform", "--no-search", *NO_PROGRAM],
        ["conform", "--tier", "smoke", *NO_PROGRAM],
        ["conform", "--request", "{}", *NO_PROGRAM],
        ["crosscheck", NO_MATRIX, "--alpha", "1", "--methods", "algorithm-1"],
    ],
)
def test_what_is_not_asked_for_is_not_needed(without, args):
    for package in ("matplotlib", "hypothesis", "sympy", "jsonschema", "pulp", "highspy", "z3"):
        without(package)
    assert "needs" not in said(*args)


@pytest.mark.parametrize(("extra", "package"), sorted({(extra, package) for extra, package, *_ in NEEDS}))
def test_the_extra_brings_the_package(extra, package):
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert any(line.startswith((package, f"{package}-solver")) for line in declared[extra])
    assert extra in metadata("tploracle").get_all("Provides-Extra")


def test_methods_without_their_solver_are_named_before_the_others_are_asked(without):
    without("highspy")
    first, second = said("crosscheck", NO_MATRIX, "--alpha", "1").splitlines()
    assert first == "note: without their solvers: highs-literal, highs-compact; pip install 'tploracle[solvers]'"
    assert second.startswith(f"InvalidRequest: {NO_MATRIX}: ")
    without("z3")
    assert "highs-compact, z3;" in said("crosscheck", NO_MATRIX, "--alpha", "1")
