"""The loss function that Rocq proved, as an implementation on the wire: its fractions are Python's, and it conforms."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tploracle.certificates.verified import PROGRAM
from tploracle.reference import TransitionMatrix, parse_level
from tploracle.reference.paper.loss import loss_function

PROVEN = PROGRAM.with_name("proven_implementation")
VECTORS = Path(__file__).parents[2] / "vectors" / "loss.json"

pytestmark = pytest.mark.skipif(not os.access(PROVEN, os.X_OK), reason="make proofs builds the proven implementation")


def answers(questions):
    """Return what the program answers to these inputs, and numbers of digits."""
    requests = [
        {"seq": number, "op": "loss", "input": question, "want": {"digits": digits}}
        for number, (question, digits) in enumerate(questions)
    ]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run([PROVEN], input=lines, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["seq"] for answer in found] == list(range(len(requests)))
    return found


def matrices(drawn, count):
    """Yield matrices with zeros, ties and equal rows."""
    for _ in range(count):
        n = drawn.randrange(1, 7)
        weights = [[drawn.choice((0, 0, 1, 1, 2, 3, 50)) for _ in range(n)] for _ in range(n)]
        weights = [row if any(row) else [1] * n for row in weights]
        yield [[str(Fraction(entry, sum(row))) for entry in row] for row in weights]


def test_fractions_are_those_of_the_reference() -> None:
    drawn = random.Random(3)
    asked = [(rows, str(Fraction(drawn.randrange(100, 900), 100))) for rows in matrices(drawn, 60)]
    found = answers([({"matrix": rows, "alpha": f"log({ratio})"}, 17) for rows, ratio in asked])
    for (rows, ratio), answer in zip(asked, found, strict=True):
        level = loss_function(TransitionMatrix.of(rows))(parse_level(f"log({ratio})"))
        assert answer["value"]["exact"] == ("0" if level.ratio == 1 else f"log({level.ratio})")


def test_answers_to_the_vectors() -> None:
    """Every case in rationals of a finite level, at most 1000, that is answered with a value."""
    cases = [case for case in json.loads(VECTORS.read_text(encoding="utf-8"))["cases"] if case["numbers"] == "rational"]
    cases = [case for case in cases if "value" in case["expected"] and case["expected"]["value"]["exact"] != "inf"]
    cases = [case for case in cases if parse_level(case["input"]["alpha"]).enclosure(3).upper <= 1000]
    found = answers([(case["input"], case["digits"]) for case in cases])
    assert len(cases) >= 40
    for case, answer in zip(cases, found, strict=True):
        expected = case["expected"]["value"]
        if "skipped" in answer:
            assert "sqrt" in case["input"]["alpha"]
            continue
        lower, upper = Fraction(answer["value"]["lower"]), Fraction(answer["value"]["upper"])
        assert lower <= Fraction(expected["upper"])
        assert upper >= Fraction(expected["lower"])
        assert upper - lower <= upper / 10 ** (case["digits"] - 2)
        assert answer["value"]["exact"] in {None, expected["exact"]}


def test_a_sum_in_a_logarithm_is_that_number() -> None:
    rows = [["0.8", "0.2"], ["0", "1"]]
    asked = ("log(1+1e-12)", "log(1000000000001/1000000000000)", "log(3/2+5/4)", "log(11/4)")
    found = [answer["value"] for answer in answers([({"matrix": rows, "alpha": alpha}, 40) for alpha in asked])]
    assert found[::2] == found[1::2]


def test_what_is_no_request_is_an_error_by_name() -> None:
    rows = [["1"]]
    found = answers(
        [({"matrix": rows, "alpha": "1", "beta": 1}, 17), ({"matrix": rows}, 17), ({"matrix": rows, "alpha": "1"}, 0)]
    )
    assert [answer.get("error", {}).get("name") for answer in found] == ["InvalidRequest", None, "InvalidRequest"]
    (skipped,) = answers([({"matrix": [["1/2", "1/3"], ["0", "1"]], "alpha": "1"}, 17)])
    assert "does not sum to 1" in skipped["skipped"]


@pytest.mark.slow
def test_it_conforms() -> None:
    command = [sys.executable, "-m", "tploracle", "conform", "--no-search", "--questions", "400", "--", PROVEN]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "\nConforms: " in done.stdout
