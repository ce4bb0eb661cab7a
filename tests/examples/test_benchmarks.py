"""The benchmarks load, and what exact answers are timed against computes the same numbers."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.mark.slow
@pytest.mark.parametrize("script", ["run", "growth", "population", "cases"])
def test_a_script_loads(script):
    subprocess.run([sys.executable, "-c", f"import {script}"], cwd=BENCHMARKS, check=True)


@pytest.mark.slow
def test_baselines_agree():
    subprocess.run([sys.executable, "-c", "import run; run.check_baselines()"], cwd=BENCHMARKS, check=True)


@pytest.mark.slow
def test_subnormal_numbers_stay_beside_the_library_in_c():
    """A library made with -ffast-math takes them from all that its process computes, the exact answers too."""
    begun = "import float_baseline, numpy; float_baseline.compiled()"
    code = f"{begun}; assert (numpy.array([5e-324, 2.0**-1022]) / [1, 2]).all()"
    subprocess.run([sys.executable, "-c", code], cwd=BENCHMARKS, check=True)


def test_a_row_that_became_slower_is_told(tmp_path):
    spec = importlib.util.spec_from_file_location("history", BENCHMARKS / "history.py")
    history = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(history)
    path = tmp_path / "history.jsonl"
    assert history.slower({"a": [2, None]}, path) == []
    history.record({"a": [2, 10], "b": [1, None]}, path)
    history.record({"b": [2, None]}, path)
    assert history.slower({"a": [2.6, 20], "b": [2.6, 4], "c": [9, 9]}, path) == []
    assert history.slower({"a": [4, 14], "b": [2.7, None]}, path) == [
        "a: 1.40 times as many baselines as before",
        "b: 1.35 times as many baselines as before",
    ]
    assert [*history.slower({"a": [9, None]}, path)] == ["a: 4.50 times as many baselines as before"]
