"""Examples: the same ones each time, whatever was imported; as many times more as is asked for, on every test."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from . import profiles

HERE = Path(__file__).parent
SAID_ELSEWHERE = {"profiles.py", "test_profiles.py", "test_strategies.py", "judging.py"}
"""The profiles, and what runs Hypothesis by itself."""


def drawn(folder, *names):
    """Return what a derandomised test draws in a new process, after the import of modules from the folder."""
    code = f"""
import sys
sys.path[:0] = [{str(HERE.parent)!r}, {str(folder)!r}]
from tests import profiles
profiles.load()
for name in {names!r}:
    __import__(name)
from hypothesis import given, strategies as st
found = []
@given(st.integers(), st.text())
@profiles.examples(300)
def test(number, text):
    found.append((number, text))
test()
print(ascii(found))
"""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_what_is_drawn_does_not_depend_on_what_was_imported(tmp_path):
    constants = ", ".join(str(10**30 + number) for number in range(100))
    (tmp_path / "full_of_constants.py").write_text(f"CONSTANTS = [{constants}]\n")
    assert drawn(tmp_path) == drawn(tmp_path, "full_of_constants")


@pytest.mark.parametrize(("factor", "times"), [("", 1), ("3", 3)])
def test_every_test_draws_more_when_exploring(factor, times):
    code = f"import sys; sys.path[:0] = [{str(HERE.parent)!r}]\n"
    code += "from tests import profiles; profiles.load()\nfrom hypothesis import settings\n"
    code += "print(settings().max_examples, profiles.examples(15).max_examples, settings().derandomize)"
    environment = {name: value for name, value in os.environ.items() if name != profiles.EXPLORE}
    environment |= {profiles.EXPLORE: factor} if factor else {}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(profiles.EXAMPLES * times), str(15 * times), str(times == 1)]


def test_no_test_says_how_many_examples_in_a_way_that_exploring_does_not_reach():
    files = [path for path in HERE.rglob("*.py") if path.name not in SAID_ELSEWHERE]
    assert len(files) > 50
    assert not [path for path in files if re.search(r"max_examples|@settings\b", path.read_text(encoding="utf-8"))]


@given(st.integers())
def test_the_profile_is_loaded(number):
    assert profiles.settings.get_current_profile_name() in ("explore", "same", "mutation")
