"""Requests made wrong, put to the oracle on the wire, which must answer each of them and nothing false."""

import io
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import jsonschema

from tploracle.conformance.ask.cases import load_vectors
from tploracle.contract.errors import ERRORS
from tploracle.contract.limits import LONGEST_INPUT, written_digits
from tploracle.contract.operations import OPERATIONS
from tploracle.wire.published import WIRE_SCHEMA
from tploracle.wire.serve import serve
from vectors.generators.confirm import EXPECTED_DIGITS, RecomputationDiffers, confirm
from vectors.generators.draft import Draft

from .finding import Finding, require
from .mutations import damaged, mutated, written

ROOT = Path(__file__).resolve().parents[2]
LARGEST = 6_000
"""Characters of the requests that are made wrong: larger ones are slower, and have nothing more to get wrong."""

CONFIRMED_STATES, CONFIRMED_RELEASES, CONFIRMED_DIGITS = 4, 8, 400
"""What is recomputed independently is no larger than this."""

LAST = {"seq": "last", "op": "loss", "input": {"matrix": [["4/5", "1/5"], ["0", "1"]], "alpha": "log(2)"}}
LAST_LEVEL = "log(9/5)"
"""Each conversation ends with a question to which the answer is known: what came before must not have changed it."""


@cache
def requests():
    """Return the requests of all vectors that are small."""
    found = [replace(case, digits=17).request(1) for case in load_vectors()]
    return [request for request in found if len(json.dumps(request)) <= LARGEST]


@cache
def schema(name):
    """Return the published schema of one thing that is said on the wire."""
    document = json.loads((ROOT / WIRE_SCHEMA).read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator({"$defs": document["$defs"], "$ref": f"#/$defs/{name}"})


def attack(random):
    """Hold one conversation. Raises: Finding."""
    converse(b"".join(_line(random) for _ in range(random.randrange(1, 4))), lambda: not random.randrange(8))


def converse(sent, recomputes):
    """Send lines, and hold each answer to the contract.

    Args: recomputes, whether the next value is to be recomputed. Raises: Finding.
    """
    questions = sent.split(b"\n")[:-1]
    answers = io.BytesIO()
    serve(io.BytesIO(sent + json.dumps(LAST).encode() + b"\n"), answers)
    said = answers.getvalue().decode("ascii").splitlines()
    stopped = next((index for index, line in enumerate(questions) if _is_stop(line)), None)
    if stopped is not None:
        questions = questions[:stopped]
    else:
        require(said, "nothing is answered", sent)
        last = json.loads(said.pop())
        require(last.get("value", {}).get("exact") == LAST_LEVEL, f"the last answer is {last}", sent)
    require(len(said) == len(questions), f"{len(said)} answers to {len(questions)} lines", sent)
    for question, answer in zip(questions, said, strict=True):
        _examine(question, json.loads(answer), recomputes)


def _line(random):
    request = random.choice(requests())
    for _ in range(random.choice((0, 1, 1, 1, 2, 3, 6))):
        request = mutated(random, request)
    line = written(random, request)
    if not random.randrange(4):
        line = damaged(random, line)
    return line[:LONGEST_INPUT] + b"\n"


def _is_stop(line):
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(request, dict) and request.get("op") == "stop" and "seq" not in request


def _examine(question, answer, recomputes):
    """Hold one answer to the contract, and where it is a value to the schema and to a recomputation."""
    if "error" in answer:
        name = answer["error"].get("name")
        require(name in ERRORS, f"the error {name!r} is not of the contract", question)
        require(schema("answer").is_valid(answer), f"{answer} is not of the schema", question)
        return
    if "seq" not in answer:
        require(schema("declaration").is_valid(answer), f"{answer} is no declaration", question)
        return
    try:
        request = json.loads(question)
    except (ValueError, RecursionError):
        raise Finding(f"a line that is not JSON is answered by a value: {question[:3_000]!r}") from None
    op = request["op"]
    require(op in OPERATIONS, f"an operation that there is not is answered by {answer}", question)
    require(answer["seq"] == request["seq"], f"the answer has seq {answer['seq']!r}", question)
    require(schema(f"request_of_{op}").is_valid(request), "a request that is not of the schema is answered", question)
    require(schema(f"answer_to_{op}").is_valid(answer), f"{answer} is not of the schema", question)
    if recomputes():
        _recompute(request)


def _recompute(request):
    """Recompute the answer to a small request. Raises: Finding where it is another one."""
    given, numbers = request["input"], request.get("numbers", "rational")
    rows = [given[key] for key in ("matrix", "backward", "forward") if key in given]
    releases = [len(given.get("epsilons", [])), given.get("horizon", 0)]
    small = written_digits(json.dumps(given)) <= CONFIRMED_DIGITS
    if not small or any(len(each) > CONFIRMED_STATES for each in rows) or max(releases) > CONFIRMED_RELEASES:
        return
    answer = io.BytesIO()
    serve(io.BytesIO(json.dumps({**request, "want": {"digits": EXPECTED_DIGITS}}).encode() + b"\n"), answer)
    value = json.loads(answer.getvalue()).get("value")
    if value is None or "normalised_rows" in value:
        return
    draft = Draft("fuzz", request["op"], numbers, "", given, (), (), (), (), False, EXPECTED_DIGITS, None, False)
    try:
        confirm(draft, value)
    except RecomputationDiffers as error:
        if "None is not" in str(error):  # an exact answer of more digits than are printed
            return
        raise Finding(f"{error}; the request: {json.dumps(request)}") from None
    except (ArithmeticError, ValueError, MemoryError):  # beyond what the recomputation can do
        return
