"""The mutation testing itself, on a module of a few lines whose mutants can be counted by hand."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tploracle.proofs_checks.register import Evidence, EvidenceKind, require

from . import evidence, session
from .judging import Run, read
from .operators import Module
from .records import read_explanations, source_digest

ROOT = Path(__file__).resolve().parent.parent.parent

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
from tests.mutation import __main__, session

session.SECONDS = 0.3
sys.exit(__main__.main())
"""
"""The command, by which what hangs is ended sooner: the tests of the sample take milliseconds."""


def mutated(project, *options):
    command = [sys.executable, "-c", PROGRAM, "--source", project / "source", "--tests", project / "tests"]
    command += ["--build", project / "build", "--survivors", project / "survivors.toml", *options]
    environment = {**os.environ, "PYTHONPATH": str(project / "source")}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def mutate(project, *options):
    done = mutated(project, *options)
    assert not done.stderr
    return done.returncode, done.stdout.splitlines()


def row(lines):
    return next(line for line in lines if line.startswith("| sample"))


def open_ones(lines):
    return [line.partition(": ")[2].partition(": ")[2] for line in lines if line.startswith("not explained")]


def test_the_mutants_of_a_module(project):
    assert [mutant.id for mutant in Module(project / "source" / "sample.py", project / "source").mutants] == MUTANTS
    assert mutate(project, "--list") == (0, MUTANTS)


@pytest.mark.slow  # `test_stale_explanations_are_reported` judges the mutants of one function, and takes them up again
def test_a_run_and_what_follows_it(project):
    status, lines = mutate(project)
    assert status == 1
    assert open_ones(lines) == [AT_THE_LIMIT, *UNTESTED]
    # Endless: n stays, or rises, or is lowered by 2 past 0.
    assert row(lines) == "| sample | 15 | 9 | 3 | 0 | 3 | 0 |"
    verdicts = {path: path.read_text() for path in (project / "build").glob("verdicts-*")}
    assert sum(text.count("\n") for text in verdicts.values()) == 15

    # An explanation is honoured, and nothing is judged twice.
    explain(project, AT_THE_LIMIT)
    status, lines = mutate(project)
    assert status == 1
    assert open_ones(lines) == UNTESTED
    assert row(lines) == "| sample | 15 | 9 | 3 | 1 | 2 | 0 |"
    assert {path: path.read_text() for path in (project / "build").glob("verdicts-*")} == verdicts

    # A new test kills the others; what an interruption cut short is judged again.
    for path, text in verdicts.items():
        path.write_text(text[: text.rindex('"verdict"')])
    (project / "tests" / "test_more.py").write_text(MORE)
    status, lines = mutate(project)
    assert row(lines) == "| sample | 15 | 11 | 3 | 1 | 0 | 0 |"
    assert status == 0


@pytest.mark.slow
def test_two_processes_share_the_work(project):
    assert row(mutate(project, "--jobs", "2")[1]) == "| sample | 15 | 9 | 3 | 0 | 3 | 0 |"
    assert len(list((project / "build").glob("verdicts-*"))) == 2
    assert row(mutate(project, "--report")[1]) == "| sample | 15 | 9 | 3 | 0 | 3 | 0 |"


@pytest.mark.slow
def test_stale_explanations_are_reported(project):
    gone, killed = "sample:clamp: x > 7 -> x >= 7", "sample:clamp: return x -> return None"
    explain(project, AT_THE_LIMIT, gone, killed)
    status, lines = mutate(project, "--only", "sample:clamp")
    assert status == 1
    assert f"explained, but killed: {killed}" in lines
    assert not open_ones(lines)
    status, lines = mutate(project, "--report")
    assert f"explained, but no such mutant: {gone}" in lines
    assert row(lines) == "| sample | 15 | 4 | 0 | 1 | 0 | 10 |"


@pytest.mark.slow
def test_what_survives_some_tests_is_not_reported_as_surviving_all(project):
    status, lines = mutate(project, "--quick")
    assert status == 1
    assert row(lines) == "| sample | 15 | 9 | 3 | 0 | 3 | 0 |"
    assert row(mutate(project, "--report")[1]) == "| sample | 15 | 9 | 3 | 0 | 0 | 3 |"
    explain(project, AT_THE_LIMIT)
    assert row(mutate(project, "--report")[1]) == "| sample | 15 | 9 | 3 | 1 | 0 | 2 |"
    assert row(mutate(project)[1]) == "| sample | 15 | 9 | 3 | 1 | 2 | 0 |"


def test_a_sample_is_the_same_every_time(project):
    _, first = mutate(project, "--sample", "5", "--list")
    assert mutate(project, "--sample", "5", "--list") == (0, first)
    assert len(first) == 5
    assert set(first) < set(MUTANTS)


def test_tests_that_fail_without_a_mutant_end_the_run(project):
    (project / "tests" / "test_sample.py").write_text(TESTS.replace("== 3", "== 2"))
    (project / "tests" / "test_more.py").write_text(MORE)
    done = mutated(project)
    assert done.returncode == 2
    assert "test_clamp fails without a mutant" in done.stderr

    # The traces of the others are kept.
    kept = [json.loads(path.read_text())["tests"] for path in (project / "build" / "traces").iterdir()]
    names = sorted(test.partition("::")[2] for tests in kept for test in tests)
    assert names == ["test_accepts", "test_count_down", "test_refuses"]


def test_identities_do_not_depend_on_lines_or_on_other_functions(project):
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
    before = source_digest([path])
    path.write_text(SAMPLE.replace('"""Return x, at most the limit."""', '"""Return x."""  # A remark.'))
    assert source_digest([path]) == before
    path.write_text(SAMPLE.replace("LIMIT = 3", "LIMIT = 4"))
    assert source_digest([path]) != before


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


# Against `verify`


def piece_of(name, look):
    """A piece of evidence of no claim."""
    return Evidence(name, EvidenceKind.BRUTE_FORCE, "Shows nothing.", "nothing", None, None, (), (), look)


@pytest.mark.slow
def test_mutants_against_evidence(tmp_path, monkeypatch):
    """What a piece calls it must notice; what hangs is ended; what no piece calls no claim covers."""
    monkeypatch.setattr(session, "SECONDS", 0.2)
    path = tmp_path / "sample.py"
    path.write_text(SAMPLE)
    spec = importlib.util.spec_from_file_location("sample", path)
    sample = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sample)

    def clamps():
        require(sample.clamp(5) == 3, "5 is not clamped")
        return f"clamped, and {sample.clamp(2)}"

    def counts():
        require(sample.count_down(3) == 0, "3 is not counted down")
        return "counted"

    run = Run((tmp_path,), tmp_path, tmp_path / "build", tmp_path / "none.toml", read([tmp_path]))
    alive = session.functions([str(path)])
    traced = [evidence.called_by(piece_of(look.__name__, look), run.files) for look in (clamps, counts)]
    assert [one.functions for one in traced] == [{("sample", "clamp")}, {("sample", "count_down")}]
    verdicts = defaultdict(set)
    for mutant in run.every["sample"].mutants:
        if mutant.function is not None:
            verdicts[mutant.function].add(evidence.judged(run, mutant, traced, alive))
    assert verdicts["clamp"] == {session.KILLED, evidence.TOLD, session.SURVIVED}  # of clamp(2) it only tells
    assert session.TIMED_OUT in verdicts["count_down"]
    assert verdicts["refuse"] == {evidence.NOT_COVERED}
    with pytest.raises(RuntimeError, match="fails without a mutant"):
        evidence.called_by(piece_of("broken", lambda: require(False, "so it is")), run.files)


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
    for name, text in PARTS.items():
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_parts.py").write_text(ACROSS)
    source = tmp_path / "source"
    command = [
        sys.executable,
        "-m",
        "tests.mutation",
        "--across",
        "--source",
        source / "one",
        "--source",
        source / "two",
    ]
    command += ["--tests", tmp_path / "tests", "--build", tmp_path / "build", "--jobs", "2"]

    def measured():
        path = f"{source}:{source / 'one'}"
        done = subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": path}, capture_output=True, text=True, check=False)
        assert not done.stderr
        return done.returncode, done.stdout.splitlines()

    def in_rows(lines):
        return [line for line in lines if line.startswith(("| one", "| two", "| all"))]

    status, lines = measured()
    assert status == 1
    assert [re.sub(r"\[\d\]", "", line) for line in lines if line.startswith(("slow", "survived"))] == [
        "slow: one/inner/clamp:clamp: if x > 3 -> if True [test_parts.py::test_unclamped]",
        "survived: one/inner/clamp:clamp: x > 3 -> x >= 3",
        "slow: one/inner/clamp:clamp: return x -> return None [test_parts.py::test_unclamped]",
        "slow: one/inner/clamp:twice: return x + x -> return None [test_parts.py::test_twice]",
        "slow: one/inner/clamp:twice: x + x -> x - x [test_parts.py::test_twice]",
        "survived: two/clamp:refuse: if x == 'no' -> if True",
    ]
    assert in_rows(lines) == ["| one | 9 | 4 | 4 | 1 |", "| two | 6 | 5 | 0 | 1 |", "| all | 15 | 9 | 4 | 2 |"]
    assert "The quick tests kill 69.2% of what any test kills." in lines
    assert lines[-1].endswith("test_broken")

    # Nothing is traced or tried twice.
    kept = {path: path.read_text() for path in (tmp_path / "build").rglob("*.json*")}
    assert measured()[1][-len(lines) + 7 :] == lines[7:]
    assert {path: path.read_text() for path in (tmp_path / "build").rglob("*.json*")} == kept

    # What is no longer slow counts as quick, and of another file no trace is taken again.
    tests = tmp_path / "tests" / "test_parts.py"
    tests.write_text(tests.read_text().replace("@pytest.mark.slow\n", ""))
    assert in_rows(measured()[1]) == ["| one | 9 | 8 | 0 | 1 |", "| two | 6 | 5 | 0 | 1 |", "| all | 15 | 13 | 0 | 2 |"]
