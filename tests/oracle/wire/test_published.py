"""The published schemas and tables: they are those of the table, and the wire keeps to its schema."""

import json
from functools import cache
from pathlib import Path

import jsonschema
import pytest

from tploracle.conformance.ask.cases import load_vectors
from tploracle.conformance.model import WIRE
from tploracle.contract.operations import OPERATIONS
from tploracle.reference import OracleError, errors
from tploracle.wire.protocol import FLOAT64
from tploracle.wire.published import WIRE_SCHEMA, published
from tploracle.wire.requests import Session

from .asking import EQUAL, replied

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((ROOT / WIRE_SCHEMA).read_text(encoding="utf-8"))
PUBLISHED = published(ROOT)
VECTORS = load_vectors()


@cache
def part(name):
    return jsonschema.Draft202012Validator({"$defs": SCHEMA["$defs"], "$ref": f"#/$defs/{name}"})


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", PUBLISHED)
def test_files_are_those_of_the_table(path):
    # After a change of the table: python -m tploracle.wire.published .
    assert (ROOT / path).read_text(encoding="utf-8") == PUBLISHED[path]


def test_the_page_of_errors_has_each_class_and_says_what_to_do():
    classes = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, OracleError)}
    sections = PUBLISHED["docs/errors.md"].split("\n## ")[1:]
    assert {section.split()[0] for section in sections} == classes - {"OracleError"} | {"UnknownOperation"}
    assert all("**To do:** " in section for section in sections)


DOUBLES = ("safe", "limit", "conditioned_limit")


def agrees(answer, expected):
    """Whether an answer is what a vector expects; it may have more keys, and has no safe doubles."""
    if isinstance(expected, dict):
        return all(agrees(answer[key], part) for key, part in expected.items() if key not in DOUBLES)
    if isinstance(expected, list):
        return len(answer) == len(expected) and all(map(agrees, answer, expected))
    return answer == expected


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.exhaustive)], ids=["some", "all"])
@pytest.mark.parametrize("op", OPERATIONS)
def test_requests_and_answers_of_the_vectors_keep_to_the_schema_and_are_what_is_expected(op, step):
    """What is answered by a value is a request of the schema, and what the oracle answers is an answer of it."""
    request_of, answer_to, line = part(f"request_of_{op}"), part(f"answer_to_{op}"), part("answer")
    session, refused = Session(), 0
    cases = [case for case in VECTORS if case.part == op and case.tier != "full"]
    for number, case in enumerate(cases):
        if number % step and "value" in case.expected:
            continue
        request = case.request(1)
        if "value" in case.expected:
            request["want"] = {"digits": 40}
        answer = replied(request, session)
        answer_to.validate(answer)
        if "value" in answer:
            request_of.validate(request)
            answer_to.validate({"seq": 1, "value": case.expected["value"]})
            assert agrees(answer["value"], case.expected["value"]), case.id
        else:
            assert answer["error"]["name"] == case.expected["error"], case.id
            refused += not request_of.is_valid(request)
            assert line.is_valid(answer)
    assert refused


def test_what_is_no_request():
    for case in VECTORS:
        if case.part == WIRE:
            assert not part("request").is_valid(case.request(1)), case.id
            assert replied(case.request(1))["error"]["name"] == case.expected["error"], case.id


REQUEST = {"seq": 1, "op": "loss", "input": {"matrix": EQUAL, "alpha": "1"}}


def test_a_request_and_its_likes():
    validator = part("request_of_loss")
    for good in (
        REQUEST,
        {**REQUEST, "seq": "a", "want": {"digits": 100_000}, "numbers": "rational"},
        {**REQUEST, "input": {"matrix": [[1, 0], ["0", " 1 "]], "alpha": "log((7+sqrt(33))/8)"}},
        {**REQUEST, "numbers": FLOAT64, "input": {"matrix": [["0x1p+0"]], "alpha": "inf"}},
    ):
        validator.validate(good)
    for wrong in (
        {**REQUEST, "more": 1},
        {**REQUEST, "seq": None},
        {**REQUEST, "op": "lose"},
        {**REQUEST, "want": {"digits": 0}},
        {**REQUEST, "want": {"digits": 5, "more": 1}},
        {**REQUEST, "numbers": "float32"},
        {**REQUEST, "numbers": FLOAT64},
        {"seq": 1, "op": "loss"},
        {**REQUEST, "input": {"matrix": EQUAL}},
        {**REQUEST, "input": {"matrix": EQUAL, "alpha": "1", "epsilon": "1"}},
        {**REQUEST, "input": {"matrix": EQUAL, "alpha": 0.5}},
        {**REQUEST, "input": {"matrix": EQUAL, "alpha": "nan"}},
        {**REQUEST, "input": {"matrix": EQUAL, "alpha": "0x1p+0"}},
        {**REQUEST, "input": {"matrix": "1", "alpha": "1"}},
        {**REQUEST, "input": {"matrix": [], "alpha": "1"}},
    ):
        assert not validator.is_valid(wrong), wrong
    smooth = part("request_of_smooth")
    assert smooth.is_valid({"seq": 1, "op": "smooth", "input": {"n": 2, "s": "1"}})
    assert not smooth.is_valid({"seq": 1, "op": "smooth", "input": {"n": 2, "matrix": EQUAL, "s": "1"}})
    assert not smooth.is_valid({"seq": 1, "op": "smooth", "input": {"s": "1"}})


def test_an_answer_and_its_likes():
    validator = part("answer_to_loss")
    bounds = {"exact": None, "lower": "0.1", "upper": "0.2"}
    for body in (
        {"value": "0x1.8p-1"},
        {"value": "log(3/2)"},
        {"value": bounds},
        {"value": {**bounds, "rows": [1, 2], "subset": []}},
        {"value": {"lower": "1", "upper": "inf"}},
        {"error": {"name": "NotSquare", "message": "it is not"}},
        {"skipped": "why not"},
    ):
        validator.validate({"seq": 1, **body})
    for body in (
        {},
        {"value": "1", "error": {"name": "NotSquare"}},
        {"value": 0.5},
        {"value": "nan"},
        {"value": {"exact": "1"}},
        {"value": {**bounds, "rows": [1]}},
        {"value": {**bounds, "exact": 0.1}},
        {"error": {"name": "Oops"}},
        {"error": "NotSquare"},
        {"skipped": None},
    ):
        assert not validator.is_valid({"seq": 1, **body}), body
    function = part("answer_to_loss_function")
    piece = {"q": "1", "d": "0", "from": "0", "to": "inf"}
    assert function.is_valid({"seq": 1, "value": {"pieces": [piece]}})
    assert not function.is_valid({"seq": 1, "value": {"pieces": [{key: piece[key] for key in ("q", "d", "from")}]}})


def test_start_and_stop():
    assert part("request").is_valid({"op": "start", "protocol": 1})
    assert part("request").is_valid({"op": "stop"})
    assert not part("request").is_valid({"op": "start", "protocol": 2})
    declaration = replied({"op": "start", "protocol": 1})
    part("declaration").validate(declaration)
    assert not part("declaration").is_valid({**declaration, "numbers": []})
