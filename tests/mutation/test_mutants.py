"""The mutation testing itself, on a module of a few lines whose mutants can be counted by hand."""

import os
import re
import subprocess
import sys

import pytest

from .__main__ import read_explanations
from .judging import ROOT, code_of
from .operators import Module

SAMPLE = '''"""A module."""

LIMIT = 3


def clamp(x):
    """Return x, at most the limit."""
    if x > LIMIT:
        return LIMIT
    return x


def count_down(n):
    while n:
        n -= 1
    return n


def refuse(x):
    if x == "no":
        raise ValueError(f"not {x} but {1 + 1}")
'''

TESTS = """
from sample import clamp, count_down, refuse


def test_clamp():
    assert clamp(5) == 3
    assert clamp(1) == 1


def test_count_down():
    assert count_down(3) == 0


def test_accepts():
    assert refuse("yes") is None
"""

MORE = """
import pytest
from sample import refuse


def test_refuses():
    with pytest.raises(ValueError):
        refuse("no")
"""

MUTANTS = [
    "sample:<module>: LIMIT = 3 -> LIMIT = 4",
    "sample:<module>: LIMIT = 3 -> LIMIT = 2",
    "sample:clamp: if x > LIMIT -> if True",
    "sample:clamp: if x > LIMIT -> if False",
    "sample:clamp: x > LIMIT -> x >= LIMIT",
    "sample:clamp: return LIMIT -> return None",
    "sample:clamp: return x -> return None",
    "sample:count_down: while n -> while False",
    "sample:count_down: n -= 1 -> pass",
    "sample:count_down: n -= 1 -> n += 1",
    "sample:count_down: n -= 1 -> n -= 2",
    "sample:count_down: return n -> return None",
    "sample:refuse: if x == 'no' -> if True",
    "sample:refuse: if x == 'no' -> if False",
    "sample:refuse: raise ValueError -> pass",
]
"""By hand from the operators; the message of the error is left alone."""

AT_THE_LIMIT = "sample:clamp: x > LIMIT -> x >= LIMIT"
UNTESTED = ["sample:refuse: if x == 'no' -> if False", "sample:refuse: raise ValueError -> pass"]


@pytest.fixture
def project(tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "source" / "sample.py").write_text(SAMPLE)
    (tmp_path / "tests" / "test_sample.py").write_text(TESTS)
    return tmp_path


def explain(project, *mutants):
    listed = ", ".join(f'"""{mutant}"""' for mutant in mutants)
    text = f'[[explained]]\nkind = "equivalent"\nwhy = "At the limit both are the limit."\nmutants = [{listed}]\n'
    (project / "survivors.toml").write_text(text)


PROGRAM = """
import sys
from tests.mutation import __main__, judging

judging.SECONDS = 0.3
sys.exit(__main__.main())
"""
"""The command, with a shorter limit for a test: those of the sample take milliseconds."""


def mutate(project, *options, status=0, path=()):
    """Run the command; return the lines that it prints."""
    command = [sys.executable, "-c", PROGRAM, "--build", project / "build", "--tests", project / "tests"]
    command += ["--survivors", project / "survivors.toml", *options]
    paths = os.pathsep.join(map(str, path or [project / "source"]))
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, "")
    return done.stdout.splitlines()


def of_sample(project, *options, status=0):
    return mutate(project, "--source", project / "source", *options, status=status)


def row(lines):
    return next(line for line in lines if line.startswith("| sample"))


def open_ones(lines):
    return [line.partition(": ")[2].partition(": ")[2] for line in lines if line.startswith("not explained")]


def test_the_mutants_of_a_module(project):
    assert [mutant.id for mutant in Module(project / "source" / "sample.py", project / "source").mutants] == MUTANTS
    assert of_sample(project, "--list") == MUTANTS
    first = of_sample(project, "--sample", "5", "--list")
    assert of_sample(project, "--sample", "5", "--list") == first
    assert len(first) == 5
    assert set(first) < set(MUTANTS)


@pytest.mark.slow
def test_a_run_and_what_follows_it(project):
    lines = of_sample(project, status=1)
    assert open_ones(lines) == [AT_THE_LIMIT, *UNTESTED]
    # Endless: n stays, or rises, or is lowered by 2 past 0.
    assert row(lines) == "| sample | 15 | 9 | 3 | 0 | 3 |"

    # An explanation is honoured, a stale one is reported, and what an interruption cut short is judged again.
    gone, killed = "sample:clamp: x > 7 -> x >= 7", "sample:clamp: return x -> return None"
    explain(project, AT_THE_LIMIT, gone, killed)
    (kept,) = (project / "build").glob("verdicts-*")
    kept.write_text(kept.read_text()[:-20])
    lines = of_sample(project, "sample", "--jobs", "2", status=1)
    assert row(lines) == "| sample | 15 | 9 | 3 | 1 | 2 |"
    assert {f"explained, but killed: {killed}", f"explained, but no such mutant: {gone}"} < set(lines)
    assert not [line for line in lines if "sample:clamp: if x" in line], "judged twice"

    # A new test kills the others.
    explain(project, AT_THE_LIMIT)
    (project / "tests" / "test_more.py").write_text(MORE)
    assert row(of_sample(project)) == "| sample | 15 | 11 | 3 | 1 | 0 |"


def test_tests_that_fail_without_a_mutant_end_the_run(project):
    (project / "tests" / "test_sample.py").write_text(TESTS.replace("== 3", "== 2"))
    lines = of_sample(project, status=2)
    assert lines[-1].endswith("test_sample.py::test_clamp")


def test_names_do_not_depend_on_lines_or_on_other_functions(project):
    path = project / "source" / "sample.py"
    path.write_text("# A comment.\n\n\n" + SAMPLE.replace("def clamp", "def other(x):\n    return x\n\n\ndef clamp"))
    moved = [mutant.id for mutant in Module(path, path.parent).mutants]
    assert [mutant for mutant in moved if ":other:" not in mutant] == MUTANTS


def test_a_change_is_taken_back(project):
    module = Module(project / "source" / "sample.py", project / "source")
    whole = module.text()
    texts = [module.text(mutant) for mutant in module.mutants]
    assert module.text() == whole
    assert len({whole, *texts}) == 1 + len(MUTANTS)


def test_only_the_code_of_the_modules_counts(project):
    path = project / "source" / "sample.py"
    before = code_of(path)
    path.write_text(SAMPLE.replace('"""Return x, at most the limit."""', '"""Return x."""  # A remark.'))
    assert code_of(path) == before
    path.write_text(SAMPLE.replace("LIMIT = 3", "LIMIT = 4"))
    assert code_of(path) != before


@pytest.mark.parametrize(
    "text",
    [
        '[[explained]]\nkind = "whim"\nwhy = "So."\nmutants = ["a"]\n',
        '[[explained]]\nkind = "equivalent"\nwhy = " "\nmutants = ["a"]\n',
        '[[explained]]\nkind = "equivalent"\nwhy = "So."\nmutants = ["a", "a"]\n',
        '[[explained]]\nkind = "equivalent"\nmutants = ["a"]\n',
        'survivors = ["a"]\n',
    ],
)
def test_explanations_that_explain_nothing(tmp_path, text):
    (tmp_path / "survivors.toml").write_text(text)
    with pytest.raises(ValueError, match=r"survivors\.toml"):
        read_explanations(tmp_path / "survivors.toml")


# Quick tests against all


PARTS = {
    "one/inner/clamp.py": """
def clamp(x):
    if x > 3:
        return 3
    return x


def twice(x):
    return x + x
""",
    "two/clamp.py": """
SIZE = len("abcd")


def table():
    return {number: number * 2 for number in range(SIZE)}


TABLE = table()


def refuse(x):
    if x == "no":
        raise ValueError
""",
}

ACROSS = """
import subprocess
import sys

import pytest
from inner.clamp import clamp, twice
from two import clamp as other


def test_clamp():
    assert clamp(5) == 3


@pytest.mark.slow
def test_unclamped():
    assert clamp(1) == 1


@pytest.mark.slow
@pytest.mark.parametrize("x", [0, 1, 3])
def test_twice(x):
    assert twice(x) == 2 * x


def test_a_program():
    program = "from two.clamp import refuse; refuse('no')"
    assert subprocess.run([sys.executable, "-c", program], stderr=subprocess.DEVNULL).returncode


def test_broken():
    assert clamp(3) == 2


def test_the_table():
    assert other.TABLE[3] == 6
"""


@pytest.mark.slow
def test_what_slow_tests_alone_kill(tmp_path):
    """Modules of one stem, a program that a test starts, code that the import runs, a test that always fails."""
    source = tmp_path / "source"
    for name, text in PARTS.items():
        (source / name).parent.mkdir(parents=True)
        (source / name).write_text(text)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_parts.py").write_text(ACROSS)
    options = ["--across", "--source", source / "one", "--source", source / "two", "--jobs", "2"]
    lines = mutate(tmp_path, *options, status=1, path=[source, source / "one"])
    assert [re.sub(r"\[\d\]", "", line) for line in lines if line.startswith(("by slow", "survived"))] == [
        "by slow ones alone: one/inner/clamp:clamp: if x > 3 -> if True [test_parts.py::test_unclamped]",
        "survived: one/inner/clamp:clamp: x > 3 -> x >= 3",
        "by slow ones alone: one/inner/clamp:clamp: return x -> return None [test_parts.py::test_unclamped]",
        "by slow ones alone: one/inner/clamp:twice: return x + x -> return None [test_parts.py::test_twice]",
        "by slow ones alone: one/inner/clamp:twice: x + x -> x - x [test_parts.py::test_twice]",
        "survived: two/clamp:refuse: if x == 'no' -> if True",
    ]
    assert [line for line in lines if line.startswith(("| one", "| two", "| all"))] == [
        "| one | 9 | 4 | 4 | 1 |", "| two | 6 | 5 | 0 | 1 |", "| all | 15 | 9 | 4 | 2 |"
    ]  # fmt: skip
    assert lines[-1] == "The quick tests kill 69.2% of what any test kills."
    assert "test_parts.py::test_broken" in "".join(lines)
