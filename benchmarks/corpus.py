"""The matrices that the benchmarks run on."""

import json
import random
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np

from tploracle.reference import TransitionCounts, TransitionMatrix

ROOT = Path(__file__).resolve().parent.parent

sys.path.append(str(ROOT))
from proofs_checks.experiments import doubles as as_printed  # noqa: E402, F401 - not in the wheel


@cache
def random_matrix(n, seed=0):
    """Return n rows of random counts up to 10^4, each over its own sum."""
    source = random.Random(seed + n)
    rows = []
    for _ in range(n):
        counts = [source.randint(1, 10_000) for _ in range(n)]
        total = sum(counts)
        rows.append(tuple(Fraction(count, total) for count in counts))
    return TransitionMatrix(tuple(rows))


def click_stream():
    """Return the transition counts of the click stream in examples/msnbc."""
    document = json.loads((ROOT / "examples/msnbc/counts.json").read_text(encoding="utf-8"))
    return TransitionCounts(tuple(document["states"]), tuple(map(tuple, document["counts"])), tuple(document["first"]))


def doubles(matrix):
    """Return a matrix as doubles."""
    return np.array([[float(entry) for entry in row] for row in matrix.rows])
