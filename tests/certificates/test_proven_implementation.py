"""What Rocq proved, as an implementation on the wire: its fractions are Python's, and it conforms."""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from tploracle.reference import TransitionMatrix, parse_level
from tploracle.reference.paper.loss import loss_function

from .proven_answers import (
    DIFFERENT,
    OPERATIONS,
    PROVEN,
    SAME,
    SKIPPED,
    agreement,
    clicks,
    compared,
    in_fractions,
    oracle,
    proven,
    request,
    seeded,
    vectors,
)

VECTORS = Path(__file__).parents[2] / "vectors" / "loss.json"

pytestmark = pytest.mark.skipif(not os.access(PROVEN, os.X_OK), reason="make proofs builds the proven implementation")


def answers(questions, op="loss"):
    """Return what the program answers to these inputs, and numbers of digits."""
    return proven([request(number, op, question, digits) for number, (question, digits) in enumerate(questions)])


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
    return oracle([request(0, op, one) for one in inputs])


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


def test_pieces_are_those_of_the_oracle() -> None:
    """To the letter, but for the rows and sets that the oracle adds; also of equal rows and disjoint supports."""
    every = (*matrices(random.Random(7), 60), [["1"]], [["1", "0"], ["0", "1"]])
    asked = [{"matrix": rows} for rows in every]
    found = answers([(one, 17) for one in asked], "loss_function")
    for one, expected, answer in zip(asked, oracle_answers(asked, "loss_function"), found, strict=True):
        pieces = [{key: piece[key] for key in ("q", "d", "from", "to")} for piece in expected["value"]["pieces"]]
        assert answer["value"] == {"pieces": pieces}, one


def test_suprema_are_those_of_the_oracle() -> None:
    """Exact where e^epsilon is a rational, also where it is at the border beyond which there is none; else enclosed."""
    drawn = random.Random(8)
    budgets = ("log(1)", "log(5/4)", "log(2)", "log(13/10)", "1/10", "1e-40")
    asked = [{"matrix": rows, "epsilon": drawn.choice(budgets)} for rows in matrices(drawn, 80)]
    asked.append({"matrix": [["0.8", "0.2"], ["0", "1"]], "epsilon": "log(5/4)"})
    found = answers([(one, 17) for one in asked], "supremum")
    for one, expected, answer in zip(asked, oracle_answers(asked, "supremum"), found, strict=True):
        mine, its = answer["value"], expected["value"]
        if "log" in one["epsilon"]:
            assert parse_level(mine["exact"]) == parse_level(its["exact"]), one
        else:
            assert mine["exact"] in {None, its["exact"]}
        if its["exact"] == "inf":
            assert mine["lower"] == "inf"
        else:
            assert Fraction(mine["lower"]) <= Fraction(its["upper"])
            assert Fraction(mine["upper"]) >= Fraction(its["lower"])
    assert {answer["value"]["lower"] == "inf" for answer in found} == {True, False}


def test_backward_correlations_are_those_of_the_oracle() -> None:
    drawn = random.Random(5)
    sizes = [drawn.randrange(1, 6) for _ in range(40)]
    asked = [{"forward": matrix(drawn, n), "initial": distribution(drawn, n)} for n in sizes]
    assert_the_same(asked, "reverse")


def test_leakage_is_that_of_the_oracle() -> None:
    assert_the_same(list(streams(random.Random(6), 60)), "leakage")


def test_the_exact_worst_case_is_that_of_the_oracle() -> None:
    """Also where no correlation is known, and of one value alone, of which nothing is told."""
    assert_the_same(list(streams(random.Random(9), 40)), "worst_case_leakage")


def test_an_enclosure_has_the_digits_that_are_asked_for() -> None:
    """Where budgets are no logarithms; some are so small, or so many, that the first enclosure is too wide."""
    rows = [["0.8", "0.2"], ["0.1", "0.9"]]
    asked = {"backward": rows, "forward": rows, "epsilons": ["1e-90", *["0.1"] * 5]}
    for op, key in itertools.product(("leakage", "worst_case_leakage"), ("bpl", "fpl", "tpl")):
        (found,) = answers([(asked, 30)], op)
        (expected,) = oracle_answers([asked], op)
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
    request = {"seq": 0, "op": "loss", "input": {"matrix": rows, "alpha": "1"}, "numbers": "decimal"}
    done = subprocess.run([PROVEN], input=json.dumps(request) + "\n", capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["error"]["name"] == "InvalidRequest"


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(), ("--worst-case",)])
def test_it_conforms(arguments) -> None:
    """The exact worst case, which takes longer, for the sizes that it declares with --worst-case."""
    command = [
        sys.executable,
        "-m",
        "tploracle",
        "conform",
        "--no-search",
        "--questions",
        "40",
        "--",
        PROVEN,
        *arguments,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "\nConforms: " in done.stdout


@pytest.mark.slow
def test_it_answers_as_python_does() -> None:
    """A sample of what `python -m tests.certificates.proven_answers 5000` compares."""
    asked = itertools.chain(itertools.islice(vectors(), 0, None, 6), seeded(60), clicks(4))
    said = Counter()
    for line, mine, its, verdict in compared(in_fractions(asked)):
        assert verdict != DIFFERENT, (line, mine, its)
        said[json.loads(line)["op"], verdict] += 1
    assert {op for op, verdict in said if verdict == SAME} == {*OPERATIONS}


def test_what_the_oracle_has_no_time_for_is_no_difference() -> None:
    mine = {"value": {"backward": [["1"]]}}
    for message, verdict in ("took too long: no answer within 60 s", SKIPPED), ("no digits of 1 to 9", DIFFERENT):
        assert agreement(mine, {"error": {"name": "InvalidRequest", "message": message}}) == verdict
