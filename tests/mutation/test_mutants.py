"""The mutation testing itself, on a module of a few lines whose mutants can be counted by hand."""

import os
import re
import subprocess
import sys

import pytest

from .__main__ import changed, read_explanations
from .asking import ROOT
from .operators import Module, modules

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
import subprocess
import sys

import pytest
from sample import clamp, count_down, refuse


def test_clamp():
    assert clamp(5) == 3


@pytest.mark.slow
def test_unclamped():
    assert clamp(1) == 1


def test_count_down():
    assert count_down(3) == 0


def test_accepts():
    assert refuse("yes") is None


@pytest.mark.slow
def test_a_program():
    program = "from sample import refuse; refuse('no')"
    assert refuse("") is None
    assert subprocess.run([sys.executable, "-c", program], stderr=subprocess.DEVNULL).returncode
"""

AT_THE_LIMIT = "sample:clamp: x > LIMIT -> x >= LIMIT"
KILLED_BY_QUICK = [
    "sample:<module>: LIMIT = 3 -> LIMIT = 4",
    "sample:<module>: LIMIT = 3 -> LIMIT = 2",
    "sample:clamp: x > LIMIT -> False",
    "sample:clamp: return LIMIT -> return None",
    "sample:count_down: n -> False",
    "sample:count_down: n -= 1 -> pass",
    "sample:count_down: n -= 1 -> n += 1",
    "sample:count_down: n -= 1 -> n -= 2",
    "sample:count_down: return n -> return None",
    "sample:refuse: x == 'no' -> True",
]
KILLED_BY_SLOW = [
    "sample:clamp: x > LIMIT -> True",
    "sample:clamp: return x -> return None",
    "sample:refuse: x == 'no' -> False",
    "sample:refuse: raise ValueError -> pass",
]
"""By hand from the operators; the message of the error is left alone."""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "source" / "sample.py").write_text(SAMPLE)
    (tmp_path / "tests" / "test_sample.py").write_text(TESTS)
    return tmp_path


def explain(project, *mutants):
    listed = ", ".join(f'"""{mutant}"""' for mutant in mutants)
    (project / "survivors.toml").write_text(f'equivalent."At the limit both are the limit." = [{listed}]\n')


PROGRAM = """
import sys
from tests.mutation import __main__, asking

asking.LEAST_LIMIT = 0.3
sys.exit(__main__.main())
"""
"""The command, with a shorter limit for a test: those of the sample take milliseconds."""


def mutate(project, *options, status=0):
    """Run the command; return the lines that it prints."""
    command = [sys.executable, "-c", PROGRAM, "--build", project / "build", "--tests", project / "tests"]
    command += ["--source", project / "source", "--survivors", project / "survivors.toml", *options]
    environment = {**os.environ, "PYTHONPATH": str(project / "source"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, "")
    return done.stdout.splitlines()


def row(lines):
    return next(line for line in lines if line.startswith("| sample"))


def test_the_mutants_of_a_module(project):
    path = project / "source" / "sample.py"
    module = Module(path, path.parent)
    mutants = [mutant.id for mutant in module.mutants]
    assert sorted(mutants) == sorted([*KILLED_BY_QUICK, *KILLED_BY_SLOW, AT_THE_LIMIT])
    # A change is taken back, and names do not depend on lines or on other functions.
    whole, texts = zip(*(module.texts(mutant) for mutant in module.mutants), strict=True)
    assert len(set(whole)) == 1
    assert len({*whole, *texts}) == 1 + len(mutants)
    path.write_text("# A comment.\n\n\n" + SAMPLE.replace("def clamp", "def other(x):\n    return x\n\n\ndef clamp"))
    moved = [mutant.id for mutant in Module(path, path.parent).mutants]
    assert [mutant for mutant in moved if ":other:" not in mutant] == mutants


@pytest.mark.slow
def test_a_run_and_what_follows_it(project):
    gone, killed = "sample:clamp: x > 7 -> x >= 7", KILLED_BY_SLOW[1]
    explain(project, gone, killed)
    lines = mutate(project, status=1)
    # Endless: n stays, or rises, or is lowered by 2 past 0.
    assert row(lines) == "| sample | 15 | 11 | 3 | 0 | 1 |"
    assert {f"explained, but killed: {killed}", f"explained, but no such mutant: {gone}"} < set(lines)
    assert [line for line in lines if AT_THE_LIMIT in line][-1] == f"not explained: line 8: {AT_THE_LIMIT}"

    # An explanation is honoured, and what an interruption cut short is tried again, nothing else.
    explain(project, AT_THE_LIMIT)
    (kept,) = (project / "build").glob("tests-*")
    kept.write_text(kept.read_text()[:-20])
    lines = mutate(project)
    assert row(lines) == "| sample | 15 | 11 | 3 | 1 | 0 |"
    assert [line for line in lines if "/1 sample" in line] == [f"1/1 {AT_THE_LIMIT}"]  # what survives is tried last


@pytest.mark.slow
def test_what_slow_tests_alone_kill(project):
    lines = mutate(project, "--across", "--jobs", "2", status=1)
    by_slow = [line.partition(": ")[2].rpartition(" [")[0] for line in lines if line.startswith("by slow")]
    assert sorted(by_slow) == sorted(KILLED_BY_SLOW)
    assert f"survived: {AT_THE_LIMIT}" in lines
    assert lines[-1] == "The quick tests kill 71.4% of what any test kills."


def test_only_lines_that_differ_from_a_commit_and_only_some_cases(project):
    path = project / "source" / "sample.py"
    git = ["git", "-C", str(project), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], check=True)
    path.write_text("# A comment.\n" + SAMPLE.replace("x > LIMIT", "x >= LIMIT").replace("return n", "return +n"))
    assert changed(path, "HEAD") == {1, 9, 17}
    assert changed(path, "no-such-commit") == set()
    few = TESTS.replace("def test_clamp():", '@pytest.mark.parametrize("own", [5, 1])\ndef test_clamp(own):')
    (project / "tests" / "test_sample.py").write_text(few.replace("clamp(5)", "clamp(own)"))
    for each, named in ((1, 0), (2, 1)):
        lines = mutate(project, "--quick", "--each", str(each), "--only", "clamp: return LIMIT", status=named)
        assert sum("fails without a mutant: test_sample.py::test_clamp[1]" in line for line in lines) == named


def test_tests_that_fail_without_a_mutant_are_named(project):
    (project / "tests" / "test_sample.py").write_text(TESTS.replace("== 3", "== 2"))
    lines = mutate(project, "--only", "clamp: return x", status=1)
    assert "fails without a mutant: test_sample.py::test_clamp" in lines


@pytest.mark.parametrize(
    "text",
    [
        'whim."So." = ["a -> b"]',
        'precaution." " = ["a -> b"]',
        'equivalent."So." = ["a -> b", "a -> b"]',
        'equivalent."So." = ["a -> b", "a -> *"]',
    ],
)
def test_explanations_that_explain_nothing(tmp_path, text):
    (tmp_path / "survivors.toml").write_text(text)
    with pytest.raises(ValueError, match=r"survivors\.toml"):
        read_explanations(tmp_path / "survivors.toml", ["a -> b"])


def test_a_place_is_explained_whole(tmp_path):
    (tmp_path / "survivors.toml").write_text('equivalent."So." = ["a -> *", "b -> *", "c -> 1"]')
    names = ["a -> 1", "a -> 2", "aa -> 1", "c -> 1", "c -> 2"]
    assert read_explanations(tmp_path / "survivors.toml", names) == ({"a -> 1", "a -> 2", "c -> 1"}, {"b -> *"})


def test_the_page_counts_what_is_explained_and_nothing_that_is_gone_is():
    each = {
        path.stem: [mutant.id for module in modules(path) for mutant in module.mutants]
        for path in sorted((ROOT / "certificates").glob("*.py"))
    }
    every = [name for names in each.values() for name in names]
    explained, stale = read_explanations(ROOT / "tests" / "mutation" / "survivors.toml", every)
    assert not [name for name in stale if name.partition(":")[0] in each]
    page = (ROOT / "docs" / "mutation.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| (\w+) \| (\d+) \| (\d+) \|$", page.partition("<!-- explained: end -->")[0], re.MULTILINE)
    counted = [(stem, len(names), len(explained.intersection(names))) for stem, names in each.items() if names]
    assert [(stem, int(number), int(own)) for stem, number, own in told] == counted
