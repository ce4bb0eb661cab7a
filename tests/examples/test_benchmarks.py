"""The benchmarks load, and what exact answers are timed against computes the same numbers."""

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
