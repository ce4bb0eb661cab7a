"""A matrix for each step on the wire: what is read, answered and refused, and what a Python object is handed."""

import json
from importlib.resources import files

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.conformance.ask.seeded import stepwise_cases
from tploracle.contract.operations import OPERATIONS, may_differ
from tploracle.reference import InvalidRequest, NotStochastic, OracleError, parse_level, worst_case_leakage
from tploracle.reference.stepwise import Stepwise
from tploracle.strategies import requests
from tploracle.wire.adapter import Adapter
from tploracle.wire.protocol import NotAnImplementation, declaration_of
from tploracle.wire.requests import Session

from ...matrices import SKEWED, SYMMETRIC
from ...profiles import examples

SCHEMA = json.loads(files("tploracle.wire").joinpath("wire.schema.json").read_text(encoding="utf-8"))
EPSILONS = ["log(2)", "log(3/2)", "log(5/4)"]
MATRICES = [SKEWED.texts(), SYMMETRIC.texts()]
TAKING = ("leakage", "composition", "worst_case_leakage")


def fits(op, given, numbers="rational"):
    """Whether a request is one by the schema of the wire."""
    request = {"seq": 1, "op": op, "input": given, "numbers": numbers}
    form = {"$ref": f"#/$defs/request_of_{op}", "$defs": SCHEMA["$defs"]}
    return jsonschema.Draft202012Validator(form).is_valid(request)


def asked(op, **known):
    window = {"start": 1, "length": 3} if op == "composition" else {}
    return {**known, "epsilons": EPSILONS, **window}


def test_three_operations_take_them():
    assert tuple(op for op in OPERATIONS if may_differ(op)) == ("leakage", "composition", "worst_case_leakage")


@pytest.mark.parametrize("op", TAKING)
def test_a_cycle_is_its_steps(op):
    session = Session()
    steps, cycle = {"steps": MATRICES}, {"cycle": MATRICES}
    answers = [session.answer(op, asked(op, backward=own, forward=own)) for own in (steps, cycle)]
    assert answers[0] == answers[1]
    once = asked(op, backward={"cycle": MATRICES[:1]}, forward={"steps": MATRICES[:1] * 2})
    assert session.answer(op, once) == session.answer(op, asked(op, backward=MATRICES[0], forward=MATRICES[0]))
    assert fits(op, asked(op, backward=steps, forward=cycle))


def test_it_is_the_reference():
    found = Session().answer("worst_case_leakage", asked("worst_case_leakage", backward={"steps": MATRICES}))
    levels = worst_case_leakage([parse_level(text) for text in EPSILONS], Stepwise((SKEWED, SYMMETRIC)))
    assert [level["exact"] for level in found["bpl"]] == [level.exact_text for level in levels.bpl]


def test_rows_of_doubles_are_divided_by_step():
    off = [["0x1.999999999999ap-1", "0x1.999999999999ap-3"], ["0x1p-1", "0x1p-1"]]
    off[0][1] = "0x1.999999999999cp-3"
    given = {"backward": {"steps": [[["0x1p-1", "0x1p-1"]] * 2, off]}, "epsilons": ["0x1p+0"] * 3}
    assert Session().answer("leakage", given, numbers="float64")["normalised_rows"] == {"backward, step 2": [1]}


@pytest.mark.parametrize(
    ("own", "error", "said"),
    [
        ({"steps": MATRICES[:1]}, InvalidRequest, "backward: 1 matrices for 2 steps"),
        ({"steps": [*MATRICES, *MATRICES]}, InvalidRequest, "backward: 4 matrices for 2 steps"),
        ({"cycle": []}, InvalidRequest, "no matrix to repeat"),
        ({}, InvalidRequest, "backward"),
        ({"steps": MATRICES, "cycle": MATRICES}, InvalidRequest, "backward"),
        ({"other": MATRICES}, InvalidRequest, "backward"),
        ({"steps": "x"}, InvalidRequest, "backward, steps"),
        ({"cycle": [MATRICES[0], [["1"]]]}, InvalidRequest, "the matrix of step 2 has 1 states, that of step 1 2"),
        ({"steps": [MATRICES[0], [["1/2", "1/3"], ["0", "1"]]]}, NotStochastic, "backward, step 2: row 1 sums to 5/6"),
    ],
)
@pytest.mark.parametrize("op", TAKING)
def test_refused(op, own, error, said):
    with pytest.raises(error, match=said):
        Session().answer(op, asked(op, backward=own))


@pytest.mark.parametrize("op", ["allocate", "worst_case_supremum", "worst_case_allocate", "supremum", "loss"])
def test_others_take_one_matrix(op):
    key = "matrix" if op in ("supremum", "loss") else "backward"
    rest = {
        "supremum": {"epsilon": "1"},
        "worst_case_supremum": {"epsilon": "1"},
        "allocate": {"method": "upper-bound"},
    }
    given = {key: {"cycle": MATRICES}, "alpha": "1", **rest.get(op, {})}
    if "supremum" in op:
        del given["alpha"]
    with pytest.raises(InvalidRequest):
        Session().answer(op, given)
    assert not fits(op, given)
    assert fits(op, {**given, key: MATRICES[0]})


class Mine:
    stepwise = True

    def leakage(self, epsilons, backward=None, forward=None):
        self.seen = backward, forward
        return {kind: list(epsilons) for kind in ("bpl", "fpl", "tpl")}


def test_an_object_is_handed_what_was_sent():
    mine = Mine()
    assert Adapter(mine).declaration()["stepwise"] is True
    half = ["0x1p-1", "0x1p-1"]
    given = {"backward": {"steps": [[half, half]] * 2}, "forward": [half, half], "epsilons": ["0x1p+0"] * 3}
    Adapter(mine).answer({"seq": 1, "op": "leakage", "numbers": "float64", "input": given})
    backward, forward = mine.seen
    assert [matrix.tolist() for matrix in backward["steps"]] == [[[0.5, 0.5]] * 2] * 2
    assert forward.tolist() == [[0.5, 0.5]] * 2


def test_what_is_declared():
    said = {"name": "n", "version": "1", "operations": ["leakage"], "numbers": ["rational"]}
    assert not declaration_of(said).stepwise
    assert declaration_of({**said, "stepwise": True}).stepwise
    with pytest.raises(NotAnImplementation, match="stepwise is true or false"):
        declaration_of({**said, "stepwise": "yes"})


@given(st.sampled_from(TAKING).flatmap(lambda op: st.tuples(st.just(op), requests(op, "rational", stepwise=True))))
@examples(15)
def test_what_the_strategies_draw_is_answered(drawn):
    op, given = drawn
    assert fits(op, given)
    Session().answer(op, given)


def test_the_search_draws_them_only_where_they_are_taken():
    drawn = []
    for stepwise in (False, True):

        @given(requests("leakage", "rational", stepwise), st.just(stepwise))
        @examples(15)
        def look(given, is_taken):
            drawn.append((is_taken, any(isinstance(given.get(role), dict) for role in ("backward", "forward"))))

        look()
    assert {(False, False), (True, True)} <= set(drawn)
    assert (False, True) not in drawn


def test_seeded_cases_are_the_same_for_the_same_seed():
    quotas = dict.fromkeys([*TAKING, "loss"], 24)
    cases = list(stepwise_cases(3, quotas, ["rational", "float64"]))
    assert cases == list(stepwise_cases(3, quotas, ["rational", "float64"]))
    assert {case.op for case in cases} == set(TAKING)
    assert len({case.id for case in cases}) == len(cases) == 3 * 8  # one for every three seeded ones
    session = Session()
    for case in cases:
        assert fits(case.op, case.input, case.numbers)
        try:
            session.answer(case.op, case.input, numbers=case.numbers)
        except OracleError as error:
            pytest.fail(f"{case.id}: {error}")
    kinds = {key for case in cases for value in case.input.values() if isinstance(value, dict) for key in value}
    assert kinds == {"steps", "cycle"}
