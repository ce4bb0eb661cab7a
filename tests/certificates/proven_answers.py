"""What Rocq proved and Python, on the same questions: `python -m tests.certificates.proven_answers 5000`.

The vectors of the operations that the proven implementation answers, the first seeded cases of these operations, and
the click stream. Of a level whose ratio is a fraction, and of the pieces of L and of probabilities, both give the same
fractions to the letter, of a supremum the same root; of other levels their enclosures meet.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import islice
from pathlib import Path

from tploracle.certificates.verified import PROGRAM
from tploracle.conformance.ask.cases import askable, load_vectors
from tploracle.conformance.ask.seeded import seeded_cases
from tploracle.reference import TransitionCounts, parse_level
from tploracle.wire.protocol import RATIONAL, Declaration
from tploracle.wire.requests import Session
from tploracle.wire.serve import respond

PROVEN = PROGRAM.with_name("proven_implementation")
OPERATIONS = ("loss", "loss_function", "leakage", "supremum", "reverse", "worst_case_leakage")
DECLARED = Declaration("proved in Rocq", "2", OPERATIONS, (RATIONAL,), stepwise=True)
CLICKS = Path(__file__).parents[2] / "examples" / "msnbc" / "counts.json"

RATIO = re.compile(r"0|log\([\d/]+\)")
"""A level whose ratio is a fraction."""

NUMBER = re.compile(r"\d+(\.\d+)?(/[1-9]\d*)?(e-?\d{1,2})?")
LEVELS = ("alpha", "epsilon", "epsilons")

SAME, MEET, SKIPPED, DIFFERENT = "the same to the letter", "enclosures that meet", "skipped", "DIFFERENT"
TOO_LONG = "took too long"
"""What the oracle says of a question that it has not answered within its processor time."""

MOST_EXACT = 1000
"""Characters of the longest exact level that the program writes; the oracle's limit is a little above."""

TOGETHER = 200
"""How many questions one process answers."""


def request(number, op, question, digits=17):
    """Return a request as a line of the wire."""
    return json.dumps({"seq": number, "op": op, "input": question, "want": {"digits": digits}})


def proven(lines):
    """Return what the program answers to these lines."""
    done = subprocess.run([PROVEN], input="\n".join([*lines, ""]), capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["seq"] for answer in found] == [json.loads(line)["seq"] for line in lines]
    return found


def oracle(lines):
    """Return what the oracle answers to these lines."""
    session = Session()
    return [json.loads(respond(session, line.encode())) for line in lines]


def vectors():
    """Yield the vectors of the operations, in rationals: operation and input."""
    return _questions(load_vectors())


def seeded(count, seed=0):
    """Yield so many of the seeded cases of the operations, in rationals: operation and input."""
    return islice(_questions(seeded_cases(seed, sys.maxsize, (RATIONAL,))), count)


def _questions(cases):
    for case in cases:
        asked = askable(case, DECLARED) if case.op in OPERATIONS else None
        if asked is not None and asked.numbers == RATIONAL:
            yield asked.op, asked.input


def in_fractions(questions):
    """Yield the questions, those whose levels are numbers also with log(1 + number) for each: fractions are due."""
    for op, asked in questions:
        yield op, asked
        other = {key: _as_logarithms(value) if key in LEVELS else value for key, value in asked.items()}
        if other != asked:
            yield op, other


def _as_logarithms(level):
    if isinstance(level, list):
        return [_as_logarithms(one) for one in level]
    return f"log({1 + Fraction(level)})" if isinstance(level, str) and NUMBER.fullmatch(level) else level


def clicks(times=20):
    """Yield questions about the click stream."""
    read = json.loads(CLICKS.read_text(encoding="utf-8"))
    counts = TransitionCounts(tuple(read["states"]), tuple(map(tuple, read["counts"])), tuple(read["first"]))
    backward, forward = (
        [[str(entry) for entry in row] for row in matrix.rows] for matrix in (counts.backward(), counts.forward())
    )
    for rows in (backward, forward):
        yield "loss_function", {"matrix": rows}
        yield "loss", {"matrix": rows, "alpha": "1/10"}
        yield "supremum", {"matrix": rows, "epsilon": "1/10"}
    for op in ("leakage", "worst_case_leakage"):
        yield op, {"backward": backward, "forward": forward, "epsilons": ["1/10"] * times}


def agreement(mine, its):
    """Return what there is to say of two answers to a question."""
    if "skipped" in mine or TOO_LONG in its.get("error", {}).get("message", ""):
        return SKIPPED
    if "error" in mine or "error" in its:
        name, other = (answer.get("error", {}).get("name") for answer in (mine, its))
        return SAME if name == other else DIFFERENT
    said = {_compared(one, other) for one, other in _parts(mine["value"], its["value"])}
    return next((one for one in (DIFFERENT, MEET) if one in said), SAME)


def _parts(mine, its):
    """Yield the levels and texts of two values, side by side; what the oracle adds to a piece is left out."""
    if isinstance(mine, dict) and "exact" not in mine:
        for key, one in mine.items():
            yield from _parts(one, its[key])
    elif isinstance(mine, list):
        for one, other in zip(mine, its, strict=True):
            yield from _parts(one, other)
    else:
        yield mine, its


def _compared(mine, its):
    """Compare two texts, or two levels; the program gives no roots but those of suprema."""
    if isinstance(mine, str):
        return SAME if mine == its else DIFFERENT
    exact, other = mine["exact"], its["exact"]
    if exact is not None and other is not None:
        same = parse_level(exact) == parse_level(other) if "sqrt" in exact else exact == other
        return SAME if same else DIFFERENT
    if exact is not None or (RATIO.fullmatch(other or "") and len(other) <= MOST_EXACT):
        return DIFFERENT
    meet = Fraction(mine["lower"]) <= Fraction(its["upper"]) and Fraction(its["lower"]) <= Fraction(mine["upper"])
    return MEET if meet else DIFFERENT


def compared(questions):
    """Yield each question, as a line, with the two answers and what there is to say of them."""
    lines = [request(number, op, question) for number, (op, question) in enumerate(questions)]
    for start in range(0, len(lines), TOGETHER):
        batch = lines[start : start + TOGETHER]
        found = proven(batch)
        others = iter(oracle([line for line, mine in zip(batch, found, strict=True) if "skipped" not in mine]))
        for line, mine in zip(batch, found, strict=True):
            its = {} if "skipped" in mine else next(others)
            yield line, mine, its, agreement(mine, its)


def main(count, seed=0):
    """Compare them on the vectors, so many seeded cases and the click stream. Returns: 1 where they differ."""
    differ = False
    for title, questions in ("vectors", vectors()), ("seeded cases", seeded(count, seed)), ("click stream", clicks()):
        said = Counter()
        for line, mine, its, verdict in compared(in_fractions(questions)):
            said[json.loads(line)["op"], verdict] += 1
            if not said.total() % 1000:
                print(f"{title}: {said.total()} so far", file=sys.stderr, flush=True)
            if verdict == DIFFERENT:
                differ = True
                print(f"{DIFFERENT}: {line[:1000]}\n  {str(mine)[:1000]}\n  {str(its)[:1000]}")
        print(f"{title}: {said.total()}")
        for (op, verdict), times in sorted(said.items()):
            print(f"{times:8} {op}: {verdict}", flush=True)
    return int(differ)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
