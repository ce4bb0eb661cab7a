"""What Rocq proved, as an implementation on the wire: its fractions are Python's, and it conforms."""

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
from tploracle.wire.requests import Session
from tploracle.wire.serve import respond

PROVEN = PROGRAM.with_name("proven_implementation")
VECTORS = Path(__file__).parents[2] / "vectors" / "loss.json"

pytestmark = pytest.mark.skipif(not os.access(PROVEN, os.X_OK), reason="make proofs builds the proven implementation")


def answers(questions, op="loss"):
    """Return what the program answers to these inputs, and numbers of digits."""
    requests = [
        {"seq": number, "op": op, "input": question, "want": {"digits": digits}}
        for number, (question, digits) in enumerate(questions)
    ]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run([PROVEN], input=lines, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["seq"] for answer in found] == list(range(len(requests)))
    return found


def distribution(drawn, n):
    """Return a distribution with zeros and ties."""
    weights = [drawn.choice((0, 0, 1, 1, 2, 3, 50)) for _ in range(n)]
    weights = weights if any(weights) else [1] * n
    return [str(Fraction(entry, sum(weights))) for entry in weights]


def matrix(drawn, n):
    """Return a matrix with zeros, ties and equal rows."""
    return [distribution(drawn, n) for _ in range(n)]


def matrices(drawn, count):
    """Yield matrices of several sizes."""
    for _ in range(count):
        yield matrix(drawn, drawn.randrange(1, 7))


def oracle_answers(inputs, op):
    """Return what the oracle answers to these inputs."""
    lines = [json.dumps({"seq": 0, "op": op, "input": one}).encode() for one in inputs]
    return [json.loads(respond(Session(), line)) for line in lines]


def as_text(entry):
    """Return the exact text of a level, or the entry where it is none."""
    return entry["exact"] if isinstance(entry, dict) else entry


def as_exact(answer):
    """Return an answer with the exact texts of its levels alone, and the name of its error."""
    if "error" in answer:
        return answer["error"]["name"]
    value = answer["value"]
    return {key: [as_text(one) for one in entries] for key, entries in value.items()}


def assert_the_same(inputs, op):
    """Every fraction that the program answers is the oracle's, and so is every error."""
    found = answers([(one, 17) for one in inputs], op)
    for asked, expected, answer in zip(inputs, oracle_answers(inputs, op), found, strict=True):
        assert as_exact(answer) == as_exact(expected), asked


def correlation(drawn, key, n, steps):
    """Return a correlation under its key, in one of the ways to write one; or nothing."""
    kind = drawn.choice(("absent", "matrix", "steps", "cycle"))
    if kind in {"steps", "cycle"}:
        count = steps if kind == "steps" else drawn.randrange(1, 4)
        return {key: {kind: [matrix(drawn, n) for _ in range(count)]}}
    return {key: matrix(drawn, n)} if kind == "matrix" else {}


def streams(drawn, count):
    """Yield inputs about streams of budgets that are logarithms, some of them 0."""
    for _ in range(count):
        n, times = drawn.randrange(1, 5), drawn.randrange(1, 6)
        budgets = [f"log({Fraction(drawn.randrange(10, 30), 10)})" for _ in range(times)]
        past, future = (correlation(drawn, key, n, times - 1) for key in ("backward", "forward"))
        yield {"epsilons": budgets, **past, **future}


def test_backward_correlations_are_those_of_the_oracle() -> None:
    drawn = random.Random(5)
    sizes = [drawn.randrange(1, 6) for _ in range(40)]
    asked = [{"forward": matrix(drawn, n), "initial": distribution(drawn, n)} for n in sizes]
    assert_the_same(asked, "reverse")


def test_leakage_is_that_of_the_oracle() -> None:
    assert_the_same(list(streams(random.Random(6), 60)), "leakage")


def test_an_enclosure_has_the_digits_that_are_asked_for() -> None:
    """Where budgets are no logarithms; some are so small, or so many, that the first enclosure is too wide."""
    rows = [["0.8", "0.2"], ["0.1", "0.9"]]
    asked = {"backward": rows, "forward": rows, "epsilons": ["1e-90", *["0.1"] * 11]}
    (found,) = answers([(asked, 30)], "leakage")
    (expected,) = oracle_answers([asked], "leakage")
    for key in ("bpl", "fpl", "tpl"):
        for mine, its in zip(found["value"][key], expected["value"][key], strict=True):
            lower, upper = Fraction(mine["lower"]), Fraction(mine["upper"])
            assert lower <= Fraction(its["upper"])
            assert upper >= Fraction(its["lower"])
            assert upper - lower <= upper / 10**28


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
