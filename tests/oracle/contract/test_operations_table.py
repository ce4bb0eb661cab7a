"""The table of operations: that it is whole, and that an operation is added by an entry of it alone."""

import inspect
import json
from dataclasses import replace

import jsonschema
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from tploracle.conformance.ask.cases import load_vectors, rewritten
from tploracle.conformance.ask.implementation import ObjectImplementation
from tploracle.conformance.ask.seeded import seeded_cases
from tploracle.conformance.explain.features import features_of
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Case, Reply, Verdict
from tploracle.contract.entry import InputKind, Operation, Side, ValueField, ValueKind
from tploracle.contract.errors import ERRORS
from tploracle.contract.operations import OPERATIONS
from tploracle.reference import Level
from tploracle.strategies import INVALID_NAMES, inputs, invalid_requests, requests
from tploracle.wire.protocol import FLOAT64, RATIONAL
from tploracle.wire.published import operations_table, vectors_schema
from tploracle.wire.requests import Session
from tploracle.wire.schema import wire_schema
from tploracle.wire.serve import respond
from tploracle.wire.strict_json import decode

from ...profiles import examples

NEW = "new_leakage"
ROWS = [["0x1.8p-1", "0x1p-2"], ["0x0p+0", "0x1p+0"]]


def test_what_computes_an_operation_takes_its_keys():
    for operation in OPERATIONS.values():
        parameters = inspect.signature(operation.compute).parameters
        names = {key.name for key in operation.keys}
        assert set(parameters) == names
        for key in operation.keys:
            absent = not key.required and key.default is None
            assert (parameters[key.name].default is not inspect.Parameter.empty) == absent


def test_a_key_is_written_alike_in_all_operations():
    written = {}
    for operation in OPERATIONS.values():
        for key in operation.keys:
            assert written.setdefault(key.name, key.kind.written) == key.kind.written
            assert bool(key.symbol) == bool(key.toward_safety) == key.kind.is_level
            assert bool(key.choices) == (key.kind is InputKind.TEXT)


def test_levels_have_a_safe_side_and_nothing_else_has():
    bounds = (ValueKind.LEVEL, ValueKind.LEVELS, ValueKind.PIECES)
    for operation in OPERATIONS.values():
        assert (operation.side is not None) == any(field.kind in bounds for field in operation.fields)


def test_errors_are_those_of_the_vectors_and_of_the_strategies():
    for op, operation in OPERATIONS.items():
        assert set(INVALID_NAMES[op]) <= set(operation.errors) <= set(ERRORS)
        seen = {str(case.expected["error"]) for case in load_vectors() if case.op == op and "error" in case.expected}
        assert seen <= set(operation.errors)


def doubled(epsilons, backward=None, forward=None):
    """Stand for the mathematics of a new operation: TPL is twice the budget where both correlations are known."""
    both = backward is not None and forward is not None
    return {"bpl": epsilons, "fpl": epsilons, "tpl": [one + one if both else one for one in epsilons]}


@pytest.fixture
def added(monkeypatch):
    keys, returns = OPERATIONS["leakage"].keys, OPERATIONS["leakage"].returns
    operation = Operation("What no mechanism exceeds.", keys, returns, doubled, side=Side.ABOVE)
    monkeypatch.setitem(OPERATIONS, NEW, operation)
    return operation


def asked(given_, numbers=RATIONAL):
    request = {"seq": 1, "op": NEW, "input": given_, "numbers": numbers}
    return json.loads(respond(Session(), json.dumps(request).encode()))


def test_the_wire_has_it(added):
    assert NEW in json.loads(respond(Session(), b'{"op": "start", "protocol": 1}'))["operations"]
    value = asked({"backward": ROWS, "forward": ROWS, "epsilons": ["0x1p-1"]}, FLOAT64)["value"]
    assert {kind: [level["exact"] for level in levels] for kind, levels in value.items()} == {
        "bpl": ["1/2"],
        "fpl": ["1/2"],
        "tpl": ["1"],
    }
    assert asked({})["error"] == {"name": "InvalidRequest", "message": "the input lacks the key 'epsilons'"}
    assert asked({"epsilons": ["-1"]})["error"]["name"] == "InvalidLevel"
    assert asked({"epsilons": ["1"], "backward": [["1", "1"]] * 2})["error"]["name"] == "NotStochastic"


def test_without_the_entry_there_is_none():
    assert asked({"epsilons": ["1"]})["error"]["name"] == "UnknownOperation"


class Mine:
    """An implementation with a method for it, right but for a TPL that forgets the forward correlation."""

    def __init__(self, factor=2.0):
        self.factor = factor

    def new_leakage(self, epsilons, backward=None, forward=None):
        both = backward is not None and forward is not None
        return epsilons, epsilons, epsilons * (self.factor if both else 1.0)


def judged(factor, given_, numbers=FLOAT64):
    mine = ObjectImplementation(Mine(factor))
    assert mine.start().operations == (NEW,)
    case = Case("new", NEW, numbers, given_)
    return Judge().judge(case, mine.ask(case.request(1)))


def test_the_adapter_and_the_judge_have_it(added):
    given_ = {"backward": ROWS, "forward": ROWS, "epsilons": ["0x1p-1", "0x1.999999999999ap-4"]}
    assert judged(2.0, given_).verdict is Verdict.EXACT
    above = judged(2.0 + 2.0**-40, given_)
    # 0.2 is 1.6·2^-3: a part of 2^-41 of it is 0.2·2^-41/2^-55 = 3276.8 ulps.
    assert (above.verdict, above.place, above.ulps) == (Verdict.WITHIN, "tpl 2", 3277)
    below = judged(1.0, given_)
    assert (below.verdict, below.place) == (Verdict.UNSAFE, "tpl 2")
    short = Reply({"seq": 1, "value": {"bpl": ["1"], "fpl": ["1"]}})
    assert Judge().judge(Case("new", NEW, FLOAT64, given_), short).verdict is Verdict.WRONG


def test_budgets_are_safe_below(added, monkeypatch):
    budgets = (ValueField("epsilons", ValueKind.LEVELS),)
    monkeypatch.setitem(
        OPERATIONS,
        NEW,
        replace(added, returns=budgets, compute=lambda epsilons, **_: {"epsilons": epsilons}, side=Side.BELOW),
    )
    case = Case("new", NEW, RATIONAL, {"epsilons": ["1"]})
    verdicts = [
        Judge().judge(case, Reply({"seq": 1, "value": {"epsilons": [text]}})).verdict for text in ("1.1", "0.9")
    ]
    assert verdicts == [Verdict.UNSAFE, Verdict.WRONG]


def test_seeded_cases_have_it(added):
    cases = list(seeded_cases(5, 200, (FLOAT64, RATIONAL)))
    own = [case for case in cases if case.op == NEW]
    assert own
    assert {len(case.input) for case in own} >= {2, 3}
    session = Session()
    for case in own:
        assert {"bpl", "fpl", "tpl"} <= session.answer(NEW, decode(json.dumps(case.input)), 5, case.numbers).keys()


@pytest.mark.parametrize("numbers", [FLOAT64, RATIONAL])
def test_strategies_have_it(added, monkeypatch, numbers):
    session = Session()

    @examples(12, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def check(data):
        session.answer(NEW, decode(json.dumps(data.draw(requests(NEW, numbers)))), 5, numbers)
        for name in ("InvalidRequest", "NotStochastic", "InvalidLevel"):
            spoilt = data.draw(invalid_requests(NEW, numbers, name))
            request = {"seq": 1, "op": NEW, "input": spoilt, "numbers": numbers}
            assert json.loads(respond(session, json.dumps(request).encode()))["error"]["name"] == name

    check()
    any_one = settings(phases=[Phase.generate])
    both = find(requests(NEW, numbers), lambda drawn: {"backward", "forward"} <= drawn.keys(), settings=any_one)
    assert len(both["backward"]) == len(both["forward"])
    monkeypatch.setitem(inputs.INPUTS, NEW, lambda draw, writer: {"epsilons": [writer.level(Level.of(1))]})
    one = find(requests(NEW, numbers), lambda _: True)
    assert one == {"epsilons": ["0x1p+0" if numbers == FLOAT64 else "1"]}


def test_schemas_and_tables_have_it(added):
    schema = wire_schema()
    validator = jsonschema.Draft202012Validator({**schema, "anyOf": [{"$ref": f"#/$defs/request_of_{NEW}"}]})
    request = {"seq": 1, "op": NEW, "input": {"epsilons": ["1"]}}
    assert validator.is_valid(request)
    assert not validator.is_valid({**request, "input": {"epsilons": ["1"], "matrix": [["1"]]}})
    answers = jsonschema.Draft202012Validator({**schema, "anyOf": [{"$ref": f"#/$defs/answer_to_{NEW}"}]})
    answer = asked({"epsilons": ["1"]})
    assert answers.is_valid(answer)
    assert not answers.is_valid({"seq": 1, "value": {**answer["value"], "tpl": "1"}})
    row = "| What no mechanism exceeds. | `backward`?, `forward`?, `epsilons` | `bpl`, `fpl`, `tpl`: a level per time |"
    assert f"| `{NEW}` {row}" in operations_table()
    vectors = vectors_schema({"properties": {"op": {}}, "$defs": {"case_of_wire": {}}})
    value = vectors["$defs"][f"case_of_{NEW}"]["then"]["properties"]["expected"]["properties"]["value"]
    assert value["required"] == ["bpl", "fpl", "tpl"]


def test_reports_and_cases_have_it(added):
    case = Case("new", NEW, FLOAT64, {"backward": ROWS, "epsilons": ["0x1p-1"]})
    assert {"one release", "backward alone", "zeros"} <= set(features_of(case).kinds)
    assert rewritten(case, RATIONAL).input == {"backward": [["3/4", "1/4"], ["0", "1"]], "epsilons": ["1/2"]}
    assert added.level_axis == "largest ε"
    assert added.errors == OPERATIONS["leakage"].errors
