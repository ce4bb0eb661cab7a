"""Questions in doubles for the implementations in examples/, and what is said of the answers."""

import json
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

from tploracle.conformance.ask.implementation import ObjectImplementation
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Case, Verdict

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "implementations"

NODE = shutil.which("node")
GOOD = (Verdict.EXACT, Verdict.WITHIN)

EVEN = [["1/2", "1/2"], ["1/2", "1/2"]]
HALF = [["1/2", "1/2"], ["0", "1"]]
CERTAIN = [["1", "0"], ["0", "1"]]
THREE = [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/8", "1/8", "3/4"]]

_AS_THEY_ARE = ("method", "horizon", "start", "length", "n", "sequences")


def _hexadecimal(value):
    """Write fractions as doubles of the wire, which they have to be; "inf" stays."""
    if isinstance(value, list):
        return [_hexadecimal(entry) for entry in value]
    if value == "inf":
        return value
    exact = Fraction(value)
    assert Fraction(float(exact)) == exact
    return float(exact).hex()


def question(op, **given):
    """Return a question whose matrices and levels are written as fractions, or are doubles."""
    return Case(op, op, "float64", {key: v if key in _AS_THEY_ARE else _hexadecimal(v) for key, v in given.items()})


NEGATIVE_START = question("reverse", forward=HALF, initial=["3/2", "-1/2"])
"""No vector for doubles has a negative probability there."""


def judged(implementation, asked):
    """Put one question to an object in this process and return the judgement on its answer."""
    return Judge().judge(asked, ObjectImplementation(implementation).ask(asked.request(1)))


def conforms(implementation, *asked):
    """Put questions to an object; each of its answers must conform."""
    for one in asked:
        found = judged(implementation, one)
        assert found.verdict in GOOD, (one, found)


def said_by_node(script, *lines):
    """Return what a script says, as JSON, to lines: texts as they are, or what is written as JSON."""
    written = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
    done = subprocess.run([NODE, script], input=written, capture_output=True, encoding="utf-8", check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]
