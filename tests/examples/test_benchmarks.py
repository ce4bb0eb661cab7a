"""The benchmarks load, and what exact answers are timed against computes the same numbers."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.mark.slow
@pytest.mark.parametrize("script", ["run", "growth", "population"])
def test_a_script_loads(script):
    subprocess.run([sys.executable, "-c", f"import {script}"], cwd=BENCHMARKS, check=True)


@pytest.mark.slow
def test_baselines_agree():
    subprocess.run([sys.executable, "-c", "import run; run.check_baselines()"], cwd=BENCHMARKS, check=True)
